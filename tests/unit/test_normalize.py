"""Normalization: each rule alone, and chained, with every character's place in the original."""

from __future__ import annotations

import unicodedata
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import texts
from tokenlab.algorithms.text.alignment import AlignedText, Replacement, apply_replacements
from tokenlab.algorithms.text.normalization_rules import CharMap, Form, normalization_segments
from tokenlab.algorithms.text.normalize import BERT_UNCASED, RULES, RuleApplied, normalize
from tokenlab.steps.recording import Recording

FORMS: list[Form] = ["NFC", "NFD", "NFKC", "NFKD"]

# Accents in the wrong order, Korean letters that become one, and characters of which NFKC makes an accent.
NASTY = "eẹ\u0301\u0323\u0327\u0345 ᄀ가ᅡᆨ각 か\u3099\uff9e\uff76\u0344\u0f71\u0f73\u0f72\u09c7\u09be ﬁ㌔\xa8\u1161\u11a8"


def text_after(text: str, *rules: str) -> str:
    return normalize(text, rules).text


@pytest.mark.parametrize("form", FORMS)
@given(text=texts() | st.text(NASTY))
def test_normal_forms_are_those_of_unicodedata(form: Form, text: str) -> None:
    assert text_after(text, form) == unicodedata.normalize(form, text)


@pytest.mark.parametrize("form", FORMS)
@given(text=st.text(NASTY))
def test_segments_are_the_text_and_can_be_normalized_alone(form: Form, text: str) -> None:
    parts = [part for _, part in normalization_segments(text, form)]
    assert "".join(parts) == text
    assert "".join(unicodedata.normalize(form, part) for part in parts) == unicodedata.normalize(form, text)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_every_character_forms_a_segment_of_its_own_or_joins(form: Form) -> None:
    """Whatever stands behind a letter: the pair normalized by segments is the pair normalized."""
    for code in range(0x20000):
        for before in ("e", "\u1100", "\u09c7"):
            pair = before + chr(code)
            alone = "".join(unicodedata.normalize(form, part) for _, part in normalization_segments(pair, form))
            assert alone == unicodedata.normalize(form, pair), ascii(pair)


def test_only_what_differs_is_reported() -> None:
    steps = list(normalize.steps("abc ﬁ e\u0301 x", ["NFKC"]))
    assert steps == [RuleApplied("NFKC", (Replacement(4, "ﬁ", "fi"), Replacement(6, "e\u0301", "é")))]


def test_a_letter_with_its_accents_keeps_its_place() -> None:
    assert normalize("xe\u0301y", ["NFC"]) == AlignedText("xéy", ((0, 1), (1, 3), (3, 4)))
    assert normalize("xéy", ["NFD"]) == AlignedText("xe\u0301y", ((0, 1), (1, 2), (1, 2), (2, 3)))
    assert normalize("…", ["NFKC"]).spans == ((0, 1), (0, 1), (0, 1))


def test_lower_case_looks_at_one_letter_or_at_the_word() -> None:
    assert text_after("ΟΔΟΣ Σ İ ẞ", "lowercase") == "οδοσ σ i\u0307 ß"
    assert text_after("ΟΔΟΣ Σ İ ẞ", "lowercase words") == "οδος σ i\u0307 ß"


@given(texts() | st.text("aΣσİI\u0345.' "))
def test_lower_case_of_words_is_that_of_python(text: str) -> None:
    aligned = normalize(text, ["lowercase words"])
    assert aligned.text == text.lower()
    pairs = zip(aligned.text, aligned.spans, strict=True)
    assert all(new in (*text[start:end].lower(), "ς", "σ") and end - start == 1 for new, (start, end) in pairs)


def test_accents_are_stripped_where_they_stand_apart() -> None:
    assert text_after("é e\u0301 क\u093e a\u20dd", "strip accents") == "é e क\u093e a\u20dd"
    assert text_after("é e\u0301 क\u093e a\u20dd", "NFD", "strip accents") == "e e क\u093e a\u20dd"
    assert text_after("é e\u0301 क\u093e a\u20dd", "NFD", "strip marks") == "e e क a"


def test_cleaning_removes_controls_and_makes_blanks_of_white_space() -> None:
    assert text_after("\x00a\ufffdb\u200b\x85\x1c\ufeff\u202ec", "clean") == "abc"
    assert text_after("\t\n\r\xa0\u3000\u2003.", "clean") == "      ."
    assert text_after("\u2028\ue000\u0378\U000f0000\ud800", "clean") == "\u2028\ue000\u0378\U000f0000\ud800"


def test_blanks_stand_around_chinese_characters_and_no_others() -> None:
    borders = "\u3400\u4dbf\u4e00\u9fff\uf900\ufaff\U00020000\U0002a6df\U0002a700\U0002b73f\U0002b740\U0002b81f"
    borders += "\U0002b820\U0002ceaf\U0002f800\U0002fa1f"
    assert text_after(borders, "space CJK") == "".join(f" {character} " for character in borders)
    beside = "\u33ff\u4dc0\ua000\uf8ff\ufb00\U0001ffff\U0002a6e0\U0002ceb0\U0002f7ff\U0002fa20ひカ한。"
    assert text_after(beside, "space CJK") == beside


def test_extra_blanks_go_and_one_of_several_stays() -> None:
    assert text_after("  a  b   c ", "remove extra spaces") == "a b c"
    assert text_after("   ", "remove extra spaces") == ""
    assert text_after(" \n a\t  \xa0 ", "remove extra spaces") == "\n a\t \xa0"


@given(st.text(" ab\n\t▁", max_size=40))
def test_extra_blanks_are_those_that_splitting_at_blanks_loses(text: str) -> None:
    assert text_after(text, "remove extra spaces") == " ".join(part for part in text.split(" ") if part)


def test_the_one_blank_that_stays_is_the_first() -> None:
    assert normalize("a   b", ["remove extra spaces"]).spans == ((0, 1), (1, 2), (4, 5))


def test_a_dummy_prefix_comes_before_any_text_but_the_empty_one() -> None:
    assert [text_after(text, "add dummy prefix") for text in ("a", " a", "")] == [" a", "  a", ""]
    assert normalize("a", ["add dummy prefix"]).spans == ((0, 0), (0, 1))


def test_blanks_and_only_blanks_are_escaped() -> None:
    assert text_after(" a\t\xa0▁ ", "escape spaces") == "▁a\t\xa0▁▁"


def test_a_typed_meta_space_at_the_end_is_trimmed_and_a_suffix_put_behind() -> None:
    assert [text_after(text, "trim ▁") for text in ("▁a▁▁", "▁", "a▁b", "")] == ["▁a", "", "a▁b", ""]
    assert [text_after(text, "add dummy suffix") for text in ("a", "")] == ["a▁", ""]


def test_rules_work_on_what_the_rules_before_them_left() -> None:
    assert text_after("Ⅳ", "lowercase", "NFKC") == "iv"
    assert text_after("Å\u200b日", *BERT_UNCASED) == "a 日 "
    assert text_after("\u2126", "NFC", "lowercase") == "ω"


def replay(recording: Recording[RuleApplied, AlignedText]) -> str:
    text = recording.arguments["text"]
    for step in recording:
        text = apply_replacements(text, step.changes)
    return cast(str, text)


@given(texts(), st.lists(st.sampled_from(sorted(RULES)), max_size=5))
def test_the_changes_alone_give_the_text_again(text: str, rules: list[str]) -> None:
    recording = normalize.record(text, rules)
    assert replay(recording) == recording.result.text
    assert [step.rule for step in recording] == rules
    for step in recording:
        assert all(change.old != change.new for change in step.changes)


@given(texts(), st.lists(st.sampled_from(sorted(RULES)), max_size=5))
def test_spans_stay_in_the_text_and_in_order(text: str, rules: list[str]) -> None:
    aligned = normalize(text, rules)
    ends = [(0, 0), *aligned.spans, (len(text), len(text))]
    assert len(aligned.spans) == len(aligned.text)
    assert ends == sorted(ends, key=lambda span: span[0]) == sorted(ends, key=lambda span: span[1])


def test_a_map_and_a_function_are_rules_with_their_names() -> None:
    def shout(text: str) -> list[Replacement]:
        return [Replacement(0, text, text.upper())]

    recording = normalize.record("ﬁ", [CharMap({"ﬁ": "fi"}, "nmt_nfkc"), shout])
    assert str(recording) == "1. nmt_nfkc: ﬁ became f i, at 0\n2. shout: f i became F I, at 0"


def test_a_rule_that_changes_nothing_says_so() -> None:
    assert str(normalize.record("a", ["NFC"])) == "1. NFC: nothing changed"
    assert normalize("", list(RULES)) == AlignedText("", ())


@pytest.mark.parametrize(
    ("rules", "kind", "says"),
    [
        ("NFC", TypeError, r"write a list, \['NFC'\]"),
        (["lower"], ValueError, "rule='lower' is not known; did you mean 'lowercase'"),
        ([None], TypeError, "rule=None is neither a name nor a function"),
        (5, TypeError, "rules=5 is a int; give a list"),
    ],
)
def test_rules_that_are_none_are_refused(rules: Any, kind: type[Exception], says: str) -> None:
    with pytest.raises(kind, match=says):
        normalize("a", rules)
