"""What the player asks about encoding: the right answer is the next step, wrong ones are what misconceptions give."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from tests.questions import frames, options_of, questions
from tokenlab import data
from tokenlab.algorithms.bpe.encode import PairMerged, encode_by_rank, encode_in_order, merge_ranks
from tokenlab.algorithms.bpe.encode_parts import encode_with_parts
from tokenlab.algorithms.bpe.encode_priority_queue import encode_with_priority_queue
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.text.byte_symbols import bytes_to_symbols
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.algorithms.text.pretokenize import SPLITTERS, pretokenize, split_gpt2
from tokenlab.algorithms.text.representation_levels import representation_levels
from tokenlab.libraries import tiktoken
from tokenlab.libraries.tiktoken.encode_steps import compare_special_token_policies
from tokenlab.misconceptions import bpe_encoding as wrong
from tokenlab.misconceptions import byte_level_bpe
from tokenlab.misconceptions.bpe_encoding import compare_segmentations
from tokenlab.show.frames import chip, chips

MERGES = train_indexed(count_words(data.text("english")), 650)
RANKS = merge_ranks(MERGES)
WORDS = ("understanding", "unhappiness", "lighthouses", "remembering", "happiness", "a", "")
BYTES = {bytes([byte]): byte for byte in range(256)}
SPECIAL = {"<a>": 256, "<a><b>": 257}
TWO = tiktoken.Encoding("two", pat_str=r"(?s).", mergeable_ranks=BYTES, special_tokens=SPECIAL)
SMALL = tiktoken.Encoding(
    "small",
    pat_str=split_gpt2.pattern,
    mergeable_ranks=tiktoken.load.load_tiktoken_bpe(str(data.FOLDER / "small.tiktoken")),
    special_tokens={},
)


def plus(step: PairMerged) -> str:
    return f"{chip(step.pair[0])} + {chip(step.pair[1])}"


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("encode", [encode_by_rank, encode_with_parts, encode_with_priority_queue])
def test_the_next_pair_has_the_lowest_rank_and_the_others_are_leftmost_or_longest(encode: Any, word: str) -> None:
    recording = encode.record(word, RANKS)
    for number, question in questions(recording).items():
        tokens = [*word]
        for step in recording.steps[:number]:
            starts = [sum(map(len, tokens[:place])) for place in range(len(tokens))]
            tokens[starts.index(step.at) : starts.index(step.at) + 2] = ["".join(step.pair)]
        pairs = [(tokens[i], tokens[i + 1]) for i in range(len(tokens) - 1) if tokens[i] + tokens[i + 1] in RANKS]
        labels = {f"{chip(left)} + {chip(right)}": left + right for left, right in pairs}
        by_misconception = options_of(question)
        assert by_misconception[0] == plus(recording[number])
        assert RANKS[labels[by_misconception[0]]] == min(RANKS[token] for token in labels.values())
        if 7 in by_misconception:
            assert by_misconception[7] == next(iter(labels))
        if 6 in by_misconception:
            assert len(labels[by_misconception[6]]) == max(map(len, labels.values()))
        for option in question.options:
            for _, pair, rank in option.facts:
                assert RANKS["".join(pair)] == rank
                assert f"{rank:,}" in option.why


def test_encoding_in_order_is_asked_about_like_the_others() -> None:
    assert len(questions(encode_in_order.record("understanding", MERGES))) >= 3


def test_views_of_a_list_of_merges_look_up_pairs() -> None:
    merges = [("b", "c"), ("a", "b"), ("ab", "c")]
    assert compare_segmentations("abc", merges) == ("a", "bc")
    last = frames(encode_in_order.record("abc", merges))[-1]
    assert "<small>–</small>" in "".join(last.panels[0].rows) and last.panels[1].rows == ()


@pytest.mark.parametrize("word", ["unhappiness", "lighthouses"])
def test_the_wrong_cuts_are_those_of_the_wrong_programs(word: str) -> None:
    (question,) = questions(compare_segmentations.record(word, MERGES, mine=f"{word[:3]} {word[3:]}")).values()
    vocabulary = {*word, *map("".join, MERGES)}
    cuts = {
        0: encode_by_rank(word, RANKS),
        6: wrong.greedy_longest_match(word, vocabulary),
        7: wrong.left_to_right_merge(word, MERGES),
        8: wrong.single_pass_shuffled_merges(word, MERGES),
        9: wrong.min_tokens_dp(word, vocabulary),
    }
    by_misconception = options_of(question)
    assert set(by_misconception) >= {0, 6, 9}
    assert {misconception: chips(cuts[misconception]) for misconception in by_misconception} == by_misconception


def test_a_character_is_not_a_byte_and_a_blank_goes_by_another_name() -> None:
    asked = questions(representation_levels.record("Hi 日本", lambda text: [text.encode()]))
    assert options_of(asked[1]) == {0: str(len("Hi 日本".encode())), 10: str(len("Hi 日本"))}
    assert options_of(asked[2])[0] == chip(bytes_to_symbols(b" "))
    assert questions(representation_levels.record("Hi", lambda text: [text.encode()])) == {}


def test_the_pair_with_the_lowest_id_is_merged_before_the_leftmost_one() -> None:
    recording = SMALL.encode.record("The player was unhappy")
    (question,) = questions(recording).values()
    er, space_p, *_ = (step for step in recording if isinstance(step, PairMerged))
    assert (er.pair, space_p.pair) == ((b"e", b"r"), (b" ", b"p")) and space_p.at < er.at
    assert options_of(question) == {0: plus(er), 7: plus(space_p)}
    (low,), (high,) = SMALL.encode("er"), SMALL.encode(" p")
    assert f"{low} is lower than {high}" in str(question)


def test_a_single_byte_is_asked_for_its_id() -> None:
    recording = SMALL.encode.record("unhappy!")
    number, question = max(questions(recording).items())
    assert options_of(question) == {0: str(SMALL.encode("!")[0]), 11: str(byte_level_bpe.no_byte_shuffle(ord("!")))}
    assert number == len(recording) - 1


def test_a_piece_that_merges_do_not_reach_is_asked_for_its_number_of_ids() -> None:
    ranks = BYTES | {b"abc": 256}
    whole = tiktoken.Encoding("whole", pat_str=r"\w+|\W+", mergeable_ranks=ranks, special_tokens={})
    recording = whole.encode.record("a abc")
    question = questions(recording)[len(recording) - 1]
    assert options_of(question) == {0: "one", 13: str(len(byte_level_bpe.no_whole_word_lookup(b"abc", ranks)))}
    assert whole.encode("abc") == [256]
    assert "merging alone would give 97 98 99" in str(recording[-1])


@pytest.mark.parametrize("text", ["I'll say: don't  go 42 times!", "a b c", "x", ""])
def test_the_next_piece_is_not_the_next_word(text: str) -> None:
    recording = pretokenize.record(text)
    for number, question in questions(recording).items():
        rest = "".join(step.text for step in recording.steps[number:])
        assert options_of(question) == {
            0: chip(recording[number].text),
            12: chip(byte_level_bpe.split_on_whitespace(rest)[0]),
        }


def test_the_policies_ask_who_goes_by_the_spelling_and_who_by_the_order() -> None:
    asked = questions(compare_special_token_policies.record("x<a><b>", TWO))
    assert options_of(asked[1])[0] == f"{chip('x<a><b>')} as text"
    assert options_of(asked[2])[0] == f"{chip('x')} as text, {chip('<a><b>')} as one id"
    assert options_of(asked[2])[15] == f"{chip('x')} as text, {chip('<a>')} as one id, {chip('<b>')} as text"
    assert TWO.encode("x<a><b>", allowed_special="all") == [ord("x"), 257]


def test_the_ruler_shows_characters_without_a_picture_by_name() -> None:
    text = "a\xa0\x85\x00\x1b\u202e\u00ad"
    recording = representation_levels.record(text, lambda text: [text.encode()[:2], text.encode()[2:]])
    rows = frames(recording)[-1].panels[0].rows
    assert all(name in rows[0] for name in ("\\xa0", "\\x85", "\\x00", "\\x1b", "\\u202e", "\\xad"))
    assert ">c2<" in rows[1] and ">a0<" in rows[1]
    assert ">a0 c2 85 00 1b e2 80 ae c2 ad<" in rows[-1]  # a token that begins within a character


@pytest.mark.parametrize("seed", range(5))
def test_with_dropout_nothing_is_asked_and_no_lower_rank_is_denied(seed: int) -> None:
    ranks = {"ab": 0, "bc": 1, "abc": 2, "cd": 3}
    recording = encode_by_rank.record("abcdabcd", ranks, dropout=0.5, random=Random(seed))
    shown = frames(recording)
    assert questions(recording) == {}
    assert not any("lower rank" in frame.remark for frame in shown)
    assert "has a rank" not in shown[-1].remark  # a pair may have one, and be skipped


@pytest.mark.parametrize(("pattern", "written"), [("gpt2", 6), ("cl100k", 1), ("o200k", 1)])
def test_of_a_long_pattern_only_the_rule_that_matched_is_written_out(pattern: str, written: int) -> None:
    rules = frames(pretokenize.record("Hi there", pattern))[-1].panels[1].rows
    assert len(rules) == len(SPLITTERS[pattern].rules) and sum("<code>" in row for row in rules) == written
