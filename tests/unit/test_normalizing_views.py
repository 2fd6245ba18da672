"""The diff of characters, the round trip and the id ruler: what they show, and what they ask, counted again."""

from __future__ import annotations

import re
from typing import Any

import pytest
import sentencepiece
from hypothesis import example, given

from tests.examples import examples
from tests.questions import frames, options_of, questions
from tests.strategies import texts
from tokenlab import data
from tokenlab.algorithms.text.alignment import apply_replacements
from tokenlab.algorithms.text.id_mapping import fairseq_id, fairseq_id_mapping, sentinel_id, t5_id_mapping
from tokenlab.algorithms.text.normalize import RULES, normalize
from tokenlab.libraries.bert.tokenization import BasicTokenizer
from tokenlab.libraries.sentencepiece.encode_steps import IdsDecoded, round_trip
from tokenlab.misconceptions.sentencepiece import no_offset, sentinel_ascending
from tokenlab.show.explorers.explore_sentencepiece import explore_round_trip
from tokenlab.show.frames import Frame, chip
from tokenlab.steps.recording import Recording

LINE = "The ﬁsh…  ① cafe\u0301 <b>龘</b>"


@pytest.fixture(scope="module")
def processor(tmp_path_factory: pytest.TempPathFactory) -> Any:
    prefix = tmp_path_factory.mktemp("views") / "m"
    lines = iter(data.text("english").splitlines())
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=lines, model_prefix=str(prefix), vocab_size=200, minloglevel=2
    )
    return sentencepiece.SentencePieceProcessor(model_file=f"{prefix}.model")


def seen(frame: Frame) -> str:
    """What a person reads in the panels of a frame."""
    html = " | ".join(row for panel in frame.panels for row in panel.rows)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html)).replace("&lt;", "<").replace("&gt;", ">").strip()


def test_a_rule_shows_what_was_there_and_what_is_there_with_code_points() -> None:
    first, second = frames(normalize.record("aﬁb", ["NFKC"]))
    assert seen(first) == "text aﬁb"
    assert seen(second).startswith("before a ﬁ b | after a fi b | typed at 1 ﬁ U+FB01 → fi U+0066 U+0069 |")
    assert second.moment == "After the rule: NFKC"


def test_what_is_removed_leaves_an_empty_sign_and_what_is_put_in_came_from_nowhere() -> None:
    shown = [seen(frame) for frame in frames(normalize.record("a  b", ["remove extra spaces", "add dummy prefix"]))]
    assert "before a␣ ␣ b | after a␣ ∅ b | typed at 2 ␣ U+0020 → ∅" in shown[1]
    assert "inserted at 0 ∅ → ␣ U+0020" in shown[2]


def test_places_are_those_of_what_was_typed_whatever_came_before() -> None:
    shown = [seen(frame) for frame in frames(normalize.record("…e\u0301", ["NFKC", "NFD"]))]
    assert "typed at 1 to 3 é U+00E9 → e\u0301 U+0065 U+0301" in shown[2]


def test_what_belongs_together_stands_in_the_same_columns() -> None:
    origins = frames(normalize.record("a…e\u0301  x", ["NFKC", "remove extra spaces"]))[2].panels[-1].rows
    columns = [re.findall(r"data-at=(\d+) style=grid-column:(\d+)>([^<]*)<", row) for row in origins]
    assert columns[0] == [("2", "2", "a"), ("3", "3", "…"), ("6", "6", "e"), ("6", "7", "◌\u0301"), ("8", "8", "␣"),
                          ("9", "9", "␣"), ("10", "10", "x")]  # fmt: skip
    assert columns[1] == [("2", "2", "a"), ("3", "3", "."), ("3", "4", "."), ("3", "5", "."), ("6", "6", "é"),
                          ("8", "8", "␣"), ("10", "10", "x")]  # fmt: skip


MARKUP = {"b", "code", "div", "i", "li", "small", "span"}


@examples(40)
@given(texts())
@example("<script>alert(1)</script><img src=x>")
def test_any_text_can_be_shown_and_nothing_in_it_is_markup(text: str) -> None:
    for recording in (normalize.record(text, list(RULES)), BasicTokenizer().tokenize.record(text)):
        for frame in frames(recording):
            for panel in frame.panels:
                tags = {tag for row in panel.rows for tag in re.findall(r"</?\s*(\w+)", row)}
                assert tags <= MARKUP, tags - MARKUP
            assert len("".join(row for panel in frame.panels for row in panel.rows)) < 120_000


def test_a_long_text_is_cut_and_says_so() -> None:
    shown = frames(normalize.record("aﬁ" * 5000, ["NFKC"]))
    assert all(len("".join(row for panel in frame.panels for row in panel.rows)) < 60_000 for frame in shown)
    assert "…" in seen(shown[0])
    assert "… and 4,992 more places" in seen(shown[1])


def test_the_round_trip_ends_in_the_characters_that_are_lost(processor: Any) -> None:
    recording = round_trip.record(LINE, processor)
    last = recording[-1]
    assert isinstance(last, IdsDecoded)
    gone = sum(len(part.text) for part in last.lost)
    shown = frames(recording)[-1]
    assert f"; {gone} characters lost: " in shown.caption
    assert f"restored {len(LINE) - gone} of {len(LINE)}" in seen(shown)
    by_rule = {part.rule for part in last.lost}
    for rule in by_rule:
        number = sum(len(part.text) for part in last.lost if part.rule == rule)
        assert f"lost by {rule} {number} of {len(LINE)}" in seen(shown)
    assert frames(round_trip.record("the sea.", processor))[-1].caption.endswith(": every character was restored.")


def test_it_asks_what_a_rule_makes_where_a_character_came_from_and_what_comes_back(processor: Any) -> None:
    recording: Recording[Any, Any] = round_trip.record(LINE, processor)
    asked = questions(recording)
    states = [LINE]
    for step in recording.steps[:-2]:
        states.append(apply_replacements(states[-1], step.changes))
    assert len(asked) >= 3
    for number, question in asked.items():
        by_misconception = options_of(question)
        if 34 in by_misconception:
            place, start = (int(fact[2]) for fact in question.options[0].facts)
            assert by_misconception[34] == chip(LINE[place])
            assert f"position {place} now" in question.prompt
            assert states[number][place] in question.prompt
            assert LINE[start] in by_misconception[0]
        else:
            assert by_misconception[0] != by_misconception[27]
            for option in question.options:
                for what, _, count in option.facts:
                    right = len(recording[number].changes) if what == "places" else _lost(recording)
                    assert count == right
                    assert str(count) in option.why or count == 1
    assert any(34 in options_of(question) for question in asked.values())


def _lost(recording: Recording[Any, Any]) -> int:
    return sum(len(part.text) for part in recording[-1].lost)


def test_nothing_is_asked_where_nothing_is_lost(processor: Any) -> None:
    assert questions(round_trip.record("the sea.", processor)) == {}
    assert questions(normalize.record("", ["NFC", "lowercase"])) == {}


def test_the_explorer_follows_what_is_typed(processor: Any) -> None:
    explorer = explore_round_trip("plain.", processor)
    assert "every character was restored" in str(explorer.player)
    explorer.controls["text"].value = "two  blanks"
    assert "1 character lost: ␣ by remove extra spaces" in str(explorer.player)
    explorer.controls["text"].value = ""
    assert "every character was restored" in str(explorer.player)


PIECES = ["<unk>", "<s>", "</s>", "▁the", "s", "▁sea", "<b>"]


def columns(row: str) -> dict[str, tuple[int, str]]:
    """For each piece of a ruler: its column, counted from zero, and what links it."""
    found = re.findall(r'data-at="(\d*)" style=grid-column:(\d+);text-align:center title="[^"]*">([^<]*)<', row)
    return {piece: (int(column) - 2, link) for link, column, piece in found}


def test_each_piece_stands_under_its_ids_and_is_linked_with_itself() -> None:
    shown = frames(fairseq_id_mapping.record(PIECES))[-1].panels[0].rows
    file, model = columns(shown[1]), columns(shown[2])
    assert [file["▁the"], model["▁the"]] == [(3, "4"), (4, "4")]
    assert [file["&lt;s&gt;"], model["&lt;s&gt;"]] == [(1, "0"), (0, "0")]
    assert {name: place for name, (place, _) in model.items()}["&lt;mask&gt;"] == len(PIECES) + 1


def test_a_long_vocabulary_is_shown_where_it_grows() -> None:
    recording = fairseq_id_mapping.record([*PIECES[:3], *map(str, range(60))])
    last = frames(recording)[-1].panels[0].rows
    assert len(columns(last[2])) == 40
    assert "&lt;mask&gt;" in last[2]


def test_the_ruler_asks_for_the_moved_id_and_for_the_first_sentinel() -> None:
    for number, question in questions(fairseq_id_mapping.record(PIECES)).items():
        old = number - 1
        assert options_of(question) == {0: str(fairseq_id(old)), 30: str(no_offset(old))}
    assert len(questions(fairseq_id_mapping.record(PIECES))) == 2
    (question,) = questions(t5_id_mapping.record(["<pad>", "</s>", "<unk>", "a"], sentinels=3)).values()
    assert options_of(question) == {0: str(sentinel_id(0, 4, 3)), 29: str(sentinel_ascending(0, 4, 3))}


def test_rows_that_belong_to_no_id_are_counted() -> None:
    recording = t5_id_mapping.record(["<pad>", "</s>", "<unk>", "a"], sentinels=3, rows_multiple=16)
    assert frames(recording)[-1].remark == "9 rows of the embedding table have no id."
