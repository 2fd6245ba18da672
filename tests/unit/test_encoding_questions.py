"""What the player asks about encoding: the right answer is the next step, the wrong ones are what beliefs give."""

from __future__ import annotations

from typing import Any

import pytest

from tests.questions import options_of, questions
from tokenlab import data, tiktoken
from tokenlab.algorithms.bpe_encode import Joined, encode_by_rank, encode_in_order, ranks_of
from tokenlab.algorithms.bpe_encode_agenda import encode_with_agenda
from tokenlab.algorithms.bpe_encode_parts import encode_with_parts
from tokenlab.algorithms.bpe_train_indexed import train_indexed
from tokenlab.algorithms.byte_alphabet import to_glyphs
from tokenlab.algorithms.layers import layers
from tokenlab.algorithms.split import split_gpt2
from tokenlab.algorithms.split_by_rules import split_by_rules
from tokenlab.algorithms.words import count_words
from tokenlab.misconceptions import bpe_encode as wrong
from tokenlab.misconceptions import byte_level
from tokenlab.misconceptions.cuts import cut_in_several_ways
from tokenlab.show.frames import chip, chips
from tokenlab.tiktoken.doors import three_doors

MERGES = train_indexed(count_words(data.text("english")), 650)
RANKS = ranks_of(MERGES)
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


def plus(step: Joined) -> str:
    return f"{chip(step.pair[0])} + {chip(step.pair[1])}"


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("encode", [encode_by_rank, encode_with_parts, encode_with_agenda])
def test_the_next_pair_has_the_lowest_rank_and_the_others_are_leftmost_or_longest(encode: Any, word: str) -> None:
    recording = encode.record(word, RANKS)
    for number, question in questions(recording).items():
        tokens = [*word]
        for step in recording.steps[:number]:
            starts = [sum(map(len, tokens[:place])) for place in range(len(tokens))]
            tokens[starts.index(step.at) : starts.index(step.at) + 2] = ["".join(step.pair)]
        pairs = [(tokens[i], tokens[i + 1]) for i in range(len(tokens) - 1) if tokens[i] + tokens[i + 1] in RANKS]
        labels = {f"{chip(left)} + {chip(right)}": left + right for left, right in pairs}
        by_belief = options_of(question)
        assert by_belief[0] == plus(recording[number])
        assert RANKS[labels[by_belief[0]]] == min(RANKS[token] for token in labels.values())
        if 7 in by_belief:
            assert by_belief[7] == next(iter(labels))
        if 6 in by_belief:
            assert len(labels[by_belief[6]]) == max(map(len, labels.values()))
        for option in question.options:
            for _, pair, rank in option.facts:
                assert RANKS["".join(pair)] == rank
                assert f"{rank:,}" in option.why


def test_encoding_in_order_is_asked_about_like_the_others() -> None:
    assert len(questions(encode_in_order.record("understanding", MERGES))) >= 3


@pytest.mark.parametrize("word", ["unhappiness", "lighthouses"])
def test_the_wrong_cuts_are_those_of_the_wrong_programs(word: str) -> None:
    (question,) = questions(cut_in_several_ways.record(word, MERGES, mine=f"{word[:3]} {word[3:]}")).values()
    vocabulary = {*word, *map("".join, MERGES)}
    cuts = {
        0: encode_by_rank(word, RANKS),
        6: wrong.greedy_longest_match(word, vocabulary),
        7: wrong.left_to_right_merge(word, MERGES),
        8: wrong.single_pass_shuffled_merges(word, MERGES),
        9: wrong.min_tokens_dp(word, vocabulary),
    }
    by_belief = options_of(question)
    assert set(by_belief) >= {0, 6, 9}
    assert {belief: chips(cuts[belief]) for belief in by_belief} == by_belief


def test_a_character_is_not_a_byte_and_a_blank_goes_by_another_name() -> None:
    asked = questions(layers.record("Hi 日本", lambda text: [text.encode()]))
    assert options_of(asked[1]) == {0: str(len("Hi 日本".encode())), 10: str(len("Hi 日本"))}
    assert options_of(asked[2])[0] == chip(to_glyphs(b" "))
    assert questions(layers.record("Hi", lambda text: [text.encode()])) == {}


def test_a_single_byte_is_asked_for_its_id() -> None:
    recording = SMALL.encode.record("unhappy!")
    ((number, question),) = questions(recording).items()
    assert options_of(question) == {0: str(SMALL.encode("!")[0]), 11: str(byte_level.no_byte_shuffle(ord("!")))}
    assert number == len(recording) - 1


def test_a_piece_that_merges_do_not_reach_is_asked_for_its_number_of_ids() -> None:
    ranks = BYTES | {b"abc": 256}
    whole = tiktoken.Encoding("whole", pat_str=r"\w+|\W+", mergeable_ranks=ranks, special_tokens={})
    recording = whole.encode.record("a abc")
    question = questions(recording)[len(recording) - 1]
    assert options_of(question) == {0: "one", 13: str(len(byte_level.no_whole_word_lookup(b"abc", ranks)))}
    assert whole.encode("abc") == [256]
    assert "merging alone would not reach: it gives 97 98 99" in str(recording[-1])


@pytest.mark.parametrize("text", ["I'll say: don't  go 42 times!", "a b c", "x", ""])
def test_the_next_piece_is_not_the_next_word(text: str) -> None:
    recording = split_by_rules.record(text)
    for number, question in questions(recording).items():
        rest = "".join(step.text for step in recording.steps[number:])
        assert options_of(question) == {
            0: chip(recording[number].text),
            12: chip(byte_level.split_on_whitespace(rest)[0]),
        }


def test_the_doors_ask_who_goes_by_the_spelling_and_who_by_the_order() -> None:
    asked = questions(three_doors.record("x<a><b>", TWO))
    assert options_of(asked[1])[0] == f"{chip('x<a><b>')} as text"
    assert options_of(asked[2])[0] == f"{chip('x')} as text, {chip('<a><b>')} as one id"
    assert options_of(asked[2])[15] == f"{chip('x')} as text, {chip('<a>')} as one id, {chip('<b>')} as text"
    assert TWO.encode("x<a><b>", allowed_special="all") == [ord("x"), 257]
