"""Each wrong program about tensor2tensor's subtokens is wrong: the smallest input that shows it."""

from __future__ import annotations

from collections import Counter

from tokenlab.algorithms.subword_text.build import build, collect_alphabet, select_subtokens, substrings_at_boundaries
from tokenlab.algorithms.subword_text.build_to_size import bisect_min_count
from tokenlab.algorithms.subword_text.escape import ESCAPE_CHARACTERS, escape, unescape
from tokenlab.algorithms.subword_text.split import split_into_runs
from tokenlab.misconceptions import subword_text as wrong
from tokenlab.misconceptions.catalog import rule_of


def test_the_misconceptions_are_registered_each_with_its_rule() -> None:
    assert [m.number for m in wrong.MISCONCEPTIONS] == [31, 32, 59, 60, 61, 62, 63]
    assert all(m.claim and rule_of(program) == m.rule for m in wrong.MISCONCEPTIONS for program in m.programs)


def test_every_wrong_program_is_shown_wrong_here() -> None:
    shown = {name.removeprefix("test_").removesuffix("_is_wrong") for name in globals() if name.endswith("_is_wrong")}
    assert {program.__name__ for m in wrong.MISCONCEPTIONS for program in m.programs} == shown


def test_no_escape_is_wrong() -> None:
    alphabet = ESCAPE_CHARACTERS | {"a", "b"}
    assert wrong.no_escape("a_b", alphabet) == "a_b_" != escape("a_b", alphabet) == "a\\ub_"
    assert wrong.no_escape("\\u", alphabet) == "\\u_" and unescape("\\u_") == "_"
    assert wrong.no_escape("abé\n", alphabet | {"\n"}) == escape("abé\n", alphabet | {"\n"})


def test_keep_space_token_is_wrong() -> None:
    assert wrong.keep_space_token("a b") == ["a", " ", "b"] != split_into_runs("a b") == ["a", "b"]
    for text in (" a", "a  b", "a, b", "", "a b "):
        assert [token for token in wrong.keep_space_token(text)[1:-1] if token != " "] == split_into_runs(text)[1:-1]


def test_alphabet_not_forced_is_wrong() -> None:
    counts = {"a": 5, "ab": 5, "b": 1}
    assert wrong.alphabet_not_forced(counts, 3, {"a", "b"}) == ["ab"]
    assert select_subtokens(counts, 3, {"a", "b"}) == ["ab", "b", "a"]
    assert wrong.alphabet_not_forced({"a": 5}, 3, {"a"}) == select_subtokens({"a": 5}, 3, {"a"}) == ["a"]


def test_decrement_nothing_is_wrong() -> None:
    counts = {"a": 5, "ab": 5, "abc": 5}
    assert select_subtokens(counts, 3, {"a"}) == ["abc", "a"]
    assert sorted(wrong.decrement_nothing(counts, 3, {"a"})) == ["a", "ab", "abc"]
    assert wrong.decrement_nothing({"a": 5, "bc": 3}, 3, {"a", "z"}) == select_subtokens(
        {"a": 5, "bc": 3}, 3, {"a", "z"}
    )


def test_decrement_every_part_is_wrong() -> None:
    counts = {"abc": 5, "ab": 5, "bc": 5, "a": 5, "b": 5, "c": 5}
    assert select_subtokens(counts, 3, set("abc")) == ["c", "bc", "abc", "b", "a"]
    assert wrong.decrement_every_part(counts, 3, set("abc")) == ["abc", "c", "b", "a"]
    assert wrong.decrement_every_part({"ab": 5, "a": 7}, 3, {"a"}) == select_subtokens({"ab": 5, "a": 7}, 3, {"a"})


def test_drop_rare_tokens_is_wrong() -> None:
    counts = {f"ab{end}": 1 for end in "vwxyz"}
    assert wrong.drop_rare_tokens(counts, 5) == {}
    assert "ab" in build(counts, 5)


def test_count_without_end_is_wrong() -> None:
    cut = [*"1929_"]
    assert Counter(substrings_at_boundaries(cut)) - Counter(wrong.count_without_end(cut)) == {"_": 1}
    assert wrong.count_without_end(["ab_"]) == list(substrings_at_boundaries(["ab_"]))


def sized(min_count: float) -> list[str]:
    return ["x"] * int(300 // min_count)


def tried(target: int, low: float, high: float) -> list[tuple[float, int]]:
    return [(step.min_count, step.size) for step in bisect_min_count.record(target, sized, low, high)]


def test_wrong_half_is_wrong() -> None:
    assert tried(50, 1, 100)[:2] == [(50, 6), (25, 12)]
    assert wrong.wrong_half(50, sized, 1, 100)[:2] == [(50, 6), (75, 4)]
    assert wrong.wrong_half(6, sized, 1, 100) == tried(6, 1, 100) == [(50, 6)]


def test_ten_percent_is_wrong() -> None:
    assert wrong.ten_percent(55, sized, 1, 11) == [(6, 50)]
    assert tried(55, 1, 11)[:2] == [(6, 50), (3, 100)]
    assert wrong.ten_percent(300, sized, 1, 7) == tried(300, 1, 7)


def test_the_size_that_the_note_expects_is_below_the_alphabet() -> None:
    counts = {"".join(map(chr, range(0x4E00, 0x4E00 + 300))): 1}
    assert len(build(counts, 1000)) == len(collect_alphabet([*counts, "<pad>", "<EOS>"])) + 2 > 300
