"""Splitting, escaping, cutting, counting, choosing: the notes' examples put right, and what may go wrong."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tokenlab.algorithms.subword_text.build import (
    RESERVED_TOKENS,
    IterationEnded,
    NotEncodableError,
    SubtokenDropped,
    SubtokenKept,
    TokenCounted,
    build,
    segment_greedily,
    select_subtokens,
    substrings_at_boundaries,
)
from tokenlab.algorithms.subword_text.build_cached import Corpus, GreedySegmenter, build_cached, build_to_size_cached
from tokenlab.algorithms.subword_text.build_to_size import bisect_min_count
from tokenlab.algorithms.subword_text.escape import ESCAPE_CHARACTERS, escape, escape_with_replace, unescape
from tokenlab.algorithms.subword_text.split import CharacterRun, join_runs, split_into_runs, split_with_regex

THE = {"the": 10, "then": 2, "that": 3}
both_splits = pytest.mark.parametrize("split", [split_into_runs, split_with_regex], ids=["textbook", "quick"])
both_escapes = pytest.mark.parametrize("write", [escape, escape_with_replace], ids=["textbook", "quick"])
Split = Any


def textbook(counts: Any, min_count: Any, **options: Any) -> list[str]:
    return build(counts, min_count, **options)


def quick(counts: Any, min_count: Any, iterations: int = 4, **options: Any) -> list[str]:
    return Corpus(counts, **options).build(min_count, iterations)


both_builds = pytest.mark.parametrize("building", [textbook, quick])

# --- splitting ------------------------------------------------------------------------------------


@both_splits
def test_the_sentence_of_the_notes(split: Split) -> None:
    text = "Today, the mood is much grimmer, with references to 1929 and 1931 beginning to abound."
    words = "the mood is much grimmer|, |with references to 1929 and 1931 beginning to abound|."
    rest = [token for part in words.split("|") for token in ([part] if part in (", ", ".") else part.split())]
    assert split(text) == ["Today", ", ", *rest]


@both_splits
@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("a b", ["a", "b"]),
        (" a", [" ", "a"]),
        ("a ", ["a", " "]),
        (" ", [" "]),
        ("a  b", ["a", "  ", "b"]),
        ("a\tb", ["a", "\t", "b"]),
        ("a\xa0b", ["a", "\xa0", "b"]),
        ("a, b", ["a", ", ", "b"]),
        ("a_b", ["a", "_", "b"]),
        ("__ _", ["__ _"]),
        ("x²", ["x²"]),
        ("1929年还是1989年?", ["1929年还是1989年", "?"]),
        ("नमस्ते", ["नमस", "्", "त", "े"]),
        ("e\u0301 e", ["e", "\u0301 ", "e"]),
        ("", []),
    ],
)
def test_only_a_lonely_blank_between_two_words_is_left_out(split: Split, text: str, tokens: list[str]) -> None:
    assert split(text) == tokens
    assert join_runs(tokens) == text


def test_the_steps_say_what_is_left_out() -> None:
    recording = split_into_runs.record(" a b")
    assert recording.steps == (
        CharacterRun(0, " ", True),
        CharacterRun(1, "a", True),
        CharacterRun(2, " ", False),
        CharacterRun(3, "b", True),
    )
    assert str(recording[0]) == "␣ is a token of other characters"
    assert "␣ is dropped" in str(recording[2])


@pytest.mark.parametrize("wrong", [b"so", None, 5])
def test_splitting_takes_texts_only(wrong: Any) -> None:
    with pytest.raises(TypeError, match="give a str"):
        split_into_runs(wrong)


def test_joining_takes_whole_tokens_only() -> None:
    with pytest.raises(ValueError, match=r"tokens\[1\] is empty"):
        join_runs(["a", "", "b"])
    with pytest.raises(TypeError, match="give a list"):
        join_runs(5)  # type: ignore[arg-type]


# --- escaping -------------------------------------------------------------------------------------

NOTE = ESCAPE_CHARACTERS | set("abcdefghijklmn\n")


@both_escapes
@pytest.mark.parametrize(
    ("token", "escaped"),
    [
        ("abc", "abc_"),
        ("\\a\U0001f929\nc", "\\\\a\\129321;\\10;c_"),
        ("Z", "\\90;_"),
        ("中", "\\20013;_"),
        (" ", "\\32;_"),
        ("_", "\\u_"),
        ("\\", "\\\\_"),
        ("\\u", "\\\\u_"),
        ("\ud83d", "\\55357;_"),
        ("\x00", "\\0;_"),
        ("", "_"),
    ],
)
def test_what_the_alphabet_lacks_is_written_by_its_number(write: Any, token: str, escaped: str) -> None:
    assert write(token, NOTE) == escaped
    assert unescape(escaped) == token


def test_a_line_end_is_escaped_though_the_alphabet_has_it() -> None:
    assert "\n" in NOTE
    assert escape("\n", NOTE) == escape_with_replace("\n", NOTE) == "\\10;_"


def test_without_the_characters_of_escapes_in_the_alphabet_an_underscore_does_not_come_back() -> None:
    assert escape("_", {"a"}) == escape_with_replace("_", {"a"}) == "\\92;\\117;_"
    assert unescape(escape("_", {"a"})) == "\\u"


@pytest.mark.parametrize(
    ("escaped", "token"), [("a", "a"), ("\\9999999;_", "〓"), ("\\9_", "\\9"), ("\\x_", "\\x"), ("a__", "a_")]
)
def test_what_is_no_escape_stays(escaped: str, token: str) -> None:
    assert unescape(escaped) == token


def test_each_step_gives_a_reason() -> None:
    said = str(escape.record("a_\\\nö", NOTE)).splitlines()
    assert [line.split(" ", 2)[2] for line in said] == [
        "is unchanged",
        "becomes \\u, because an underscore marks the end of a token",
        "becomes \\\\, because a backslash begins an escape sequence",
        "becomes \\10;, because a vocabulary file has one subtoken per line",
        "is not in the alphabet, and becomes its code point: \\246;",
        "token ends, and an underscore marks its end",
    ]


@both_escapes
def test_a_token_is_a_str(write: Any) -> None:
    with pytest.raises(ValueError, match="is a bytes; give a str"):
        write(b"a", NOTE)


# --- cutting --------------------------------------------------------------------------------------


def cut_quickly(escaped: str, subtokens: Any) -> list[str]:
    return GreedySegmenter(list(subtokens)).segment(escaped)


both_cuts = pytest.mark.parametrize("cut", [segment_greedily, cut_quickly], ids=["textbook", "quick"])


@both_cuts
def test_the_longest_is_taken_though_fewer_would_do(cut: Any) -> None:
    assert cut("there_", {*"there_", "the", "re_", "ther"}) == ["ther", "e", "_"]
    assert cut("", {"a"}) == []


@both_cuts
def test_a_character_that_is_no_subtoken_is_named(cut: Any) -> None:
    with pytest.raises(NotEncodableError, match=r"no subtoken matches at position 1 of 'az_'.*but 'z' is not"):
        cut("az_", {"a", "_", "zz"})


def test_the_error_is_the_librarys_kind_and_ours() -> None:
    assert issubclass(NotEncodableError, AssertionError) and issubclass(NotEncodableError, ValueError)


def test_the_steps_count_the_longer_strings_that_were_none() -> None:
    recording = segment_greedily.record("ab_", ["a", "b_", "b"])
    assert str(recording) == "1. a matches at 0, after 2 longer strings\n2. b_ matches at 1, the whole rest"


def test_of_equal_subtokens_the_last_gives_the_id() -> None:
    assert GreedySegmenter(["a", "", "a"]).ids == {"a": 2}


# --- counting -------------------------------------------------------------------------------------


def test_the_strings_of_1929_are_counted_with_its_underscore() -> None:
    counts = Counter[str]()
    for string in substrings_at_boundaries(["1", "9", "2", "9", "_"]):
        counts[string] += 72
    assert counts.pop("9") == 144
    assert set(counts) == {"1", "19", "192", "1929", "1929_", "92", "929", "929_", "2", "29", "29_", "9_", "_"}
    assert set(counts.values()) == {72}


def test_after_the_first_round_only_what_begins_at_a_cut_is_counted() -> None:
    first, second = list(substrings_at_boundaries([*"deepens_"])), list(substrings_at_boundaries(["deepe", "ns_"]))
    assert len({string[0] + str(len(string)) for string in first}) > len(second) == 8 + 3
    assert first.count("_") == 1 and "_" not in second
    assert second == [*("deepens_"[:end] for end in range(1, 9)), "n", "ns", "ns_"]


@pytest.mark.parametrize(("most", "longest"), [(None, 3), (4, 3), (3, 2), (2, 1), (1, 0), (0, 0), (-1, 0)])
def test_the_longest_string_is_one_shorter_than_the_number_says(most: int | None, longest: int) -> None:
    assert max(map(len, substrings_at_boundaries(["a", "b_"], most)), default=0) == longest


# --- choosing -------------------------------------------------------------------------------------


def test_a_longer_string_takes_its_count_from_every_string_that_it_begins_with_and_from_no_other() -> None:
    recording = select_subtokens.record({"t": 9, "th": 9, "the": 7, "he": 7, "h": 8}, 3, {"t", "h"})
    assert recording.steps == (
        SubtokenKept("the", 7),
        SubtokenKept("he", 7),
        SubtokenDropped("th", 9, 2),
        SubtokenDropped("h", 8, 1),
        SubtokenDropped("t", 9, 2),
    )
    assert recording.result == ["the", "he", "t", "h"]


def test_what_was_not_kept_takes_nothing_away() -> None:
    steps = select_subtokens.record({"a": 9, "ab": 9, "abc": 7, "abcd": 5}, 3, {"a"}).steps
    assert steps == (
        SubtokenKept("abcd", 5),
        SubtokenDropped("abc", 7, 2),
        SubtokenKept("ab", 4),
        SubtokenDropped("a", 9, 0),
    )


def test_of_equal_counts_the_later_in_a_dictionary_comes_first_and_characters_are_always_there() -> None:
    assert select_subtokens({"ab": 3, "cd": 3, "z": 1}, 3, {"z", "y"}) == ["cd", "ab", "z", "y"]


@both_builds
def test_min_count_holds_for_subtokens_and_not_for_tokens(building: Any) -> None:
    counts = {f"ab{end}": 1 for end in "vwxyz"}
    assert "ab" in building(counts, 5)
    assert not [subtoken for subtoken in building(counts, 6) if len(subtoken) > 1 and subtoken[0] != "<"]


@both_builds
def test_the_list_begins_with_the_reserved_tokens_as_they_are_escaped(building: Any) -> None:
    assert building(THE, 3)[:5] == ["<pad>_", "<EOS>_", "the_", "that_", "t"]
    assert building(THE, 3, reserved_tokens=[*RESERVED_TOKENS, "a_b"])[2] == "a\\ub_"
    assert building(THE, 3, reserved_tokens=["<pad>"])[:2] == ["<pad>_", "the_"]
    assert building(THE, 3, reserved_tokens=[])[0] == "the_"


@both_builds
def test_the_alphabet_is_there_however_high_the_count(building: Any) -> None:
    subtokens = building(THE, 10**6)
    assert sorted(subtokens[2:]) == sorted(ESCAPE_CHARACTERS | set("then that<pad><EOS>") - {" "})


@both_builds
def test_a_count_below_one_is_one(building: Any) -> None:
    counts = {**THE, "never": 0}
    assert building(counts, 0) == building(counts, -5) == building(counts, 1)
    assert "never_" not in building(counts, 0)


@both_builds
def test_without_a_round_there_is_the_alphabet_alone(building: Any) -> None:
    subtokens = building(THE, 3, iterations=0)
    assert subtokens[:2] == RESERVED_TOKENS
    assert subtokens[2:] == sorted(ESCAPE_CHARACTERS | set("thenat<pad><EOS>"))


@both_builds
def test_later_rounds_change_the_list(building: Any) -> None:
    # In the first round "b_" and "ab_" begin at cuts; once "aab_" is a subtoken nothing begins inside it.
    assert building({"aab": 3}, 3, iterations=1)[2:6] == ["b_", "ab_", "aab_", "_"]
    assert building({"aab": 3}, 3, iterations=2)[2:4] == ["aab_", "u"]


@both_builds
@pytest.mark.parametrize("reserved", [["<s>"], ["<EOS>", "<pad>"], ["<pad>", "x"], ["<pad> "]])
def test_reserved_tokens_must_begin_as_they_do(building: Any, reserved: list[str]) -> None:
    with pytest.raises(ValueError, match=r"must begin with \['<pad>', '<EOS>'\]"):
        building(THE, 3, reserved_tokens=reserved)


@both_builds
@pytest.mark.parametrize(
    ("counts", "error", "message"),
    [
        (["the"], TypeError, "give a dict"),
        ({b"the": 1}, ValueError, "must be a str"),
        ({"the": -1}, ValueError, "occurs -1 times"),
    ],
)
def test_counts_are_a_dict_of_texts_and_not_below_zero(building: Any, counts: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        building(counts, 3)


@both_builds
def test_the_number_of_rounds_is_a_whole_one(building: Any) -> None:
    with pytest.raises(ValueError, match="iterations=-1 is too small"):
        building(THE, 3, iterations=-1)


def test_each_round_shows_its_cuts_its_choices_and_its_list() -> None:
    steps = build.record({"aab": 3}, 3, iterations=2).steps
    assert steps[0] == TokenCounted(1, "aab", 3, ("a", "a", "b", "_"))
    assert SubtokenKept("aab_", 3) in steps and SubtokenDropped("aab", 3, 0) in steps
    rounds = [step for step in steps if isinstance(step, IterationEnded)]
    assert [done.iteration for done in rounds] == [1, 2]
    assert steps[steps.index(rounds[0]) + 1] == TokenCounted(2, "aab", 3, ("aab_",))
    assert str(SubtokenKept("ab", 3)) == "ab is kept with 3, which is subtracted from a"
    assert str(SubtokenDropped("a", 3, 1)) == "a has a count of 1 left (of 3), but characters are always kept"
    assert str(SubtokenDropped("ab", 3, 1)) == "ab is not kept: longer strings left 1 of its count of 3"
    assert str(rounds[1]).startswith("iteration 2 ends with ")


def test_the_quick_way_has_a_step_a_round() -> None:
    recording = build_cached.record(Corpus(THE), 3, 3)
    assert [step.iteration for step in recording] == [1, 2, 3]
    assert recording[2].size == len(recording.result)


# --- the size -------------------------------------------------------------------------------------


def sizes(sizes_by_count: Any) -> Any:
    return lambda min_count: ["x"] * sizes_by_count(min_count)


def test_a_size_that_is_less_than_one_in_a_hundred_off_ends_the_search() -> None:
    recording = bisect_min_count.record(1000, sizes(lambda min_count: 1009), 1, 1000)
    assert len(recording) == 1 and recording[0].good_enough
    assert len(bisect_min_count.record(1000, sizes(lambda min_count: 1010), 1, 1000)) > 1


def test_too_many_raises_min_count_and_too_few_lowers_it() -> None:
    tried = bisect_min_count.record(50, sizes(lambda min_count: 300 // min_count), 1, 100).steps
    assert [(step.low, step.high, step.min_count) for step in tried] == [(1, 100, 50), (1, 49, 25), (1, 24, 12),
                                                                         (1, 11, 6)]  # fmt: skip
    assert tried[-1].good_enough
    assert [(t.min_count, t.too_many) for t in bisect_min_count.record(2, sizes(lambda n: 300 // n), 1, 100)][:2] == [
        (50, True),
        (75, True),
    ]


def test_the_nearest_size_that_was_met_is_taken_and_of_two_the_first() -> None:
    met = {4: 90, 2: 115, 3: 110, 1: 130}
    found = bisect_min_count(100, lambda min_count: [str(min_count)] * met[int(min_count)], 1, 7)
    assert found == ["4"] * 90
    assert bisect_min_count(100, lambda min_count: [str(min_count)] * (90 if min_count == 4 else 109), 1, 7)[0] == "2"


@pytest.mark.parametrize(("target", "low", "high"), [(10, 5, 4), (0, 1, 2), (-3, 1, 2)])
def test_an_empty_interval_and_no_size_are_refused(target: int, low: int, high: int) -> None:
    with pytest.raises(ValueError, match=r"low=5 is greater|must be positive"):
        bisect_min_count(target, sizes(lambda min_count: 1), low, high)


def test_a_size_below_the_alphabet_is_refused_with_the_smallest_that_can_be() -> None:
    with pytest.raises(ValueError, match=r"target_size=27 is smaller than the alphabet .*26 characters.*at least 28"):
        build_to_size_cached(27, Corpus(THE))
    assert len(build_to_size_cached(28, Corpus(THE))) == 28


def test_less_than_one_in_a_hundred_below_the_alphabet_is_near_enough() -> None:
    counts = {"".join(map(chr, range(0x4E00, 0x4E00 + 200))): 1}
    smallest = len(Corpus(counts).alphabet) + 2
    assert len(build_to_size_cached(smallest - 1, Corpus(counts), 2, 1000)) == smallest
    with pytest.raises(ValueError, match=f"at least {smallest}"):
        build_to_size_cached(smallest - 3, Corpus(counts))


def test_one_in_a_hundred_below_the_alphabet_is_too_small() -> None:
    more = 101 - 2 - len(Corpus({"": 1}).alphabet)
    counts = {"".join(map(chr, range(0x4E00, 0x4E00 + more))): 1}
    with pytest.raises(ValueError, match=r"target_size=100 is smaller .* ask for at least 101"):
        build_to_size_cached(100, Corpus(counts))


def test_the_search_says_what_it_tries() -> None:
    said = str(build_to_size_cached.record(30, Corpus(THE))).splitlines()
    tried = "1. the try with min_count 500, the middle of 1 and 1,000, gives 28 subtokens"
    assert said[0] == f"{tried}, too few: a lower min_count keeps more"
    assert said[-1].endswith("less than 1 % off 30")
    rising = str(bisect_min_count.record(50, sizes(lambda min_count: 200 // min_count), 1, 5)).splitlines()
    assert rising[0].endswith("gives 66 subtokens, too many: a higher min_count keeps fewer")
    used_up = str(bisect_min_count.record(50, sizes(lambda min_count: 60), 1, 2)).splitlines()
    assert used_up[-1].endswith("gives 60 subtokens, too many, but the interval is used up")
