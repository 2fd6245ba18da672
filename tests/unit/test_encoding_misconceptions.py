"""Each wrong program about encoding, bytes and special tokens is wrong: the smallest input that shows it."""

from __future__ import annotations

import pytest

from tokenlab.algorithms.bpe.encode import encode_by_rank, encode_in_order, merge_ranks
from tokenlab.algorithms.text.byte_symbols import GPT2_ORDER
from tokenlab.algorithms.text.pretokenize import split_gpt2
from tokenlab.misconceptions import bpe_encoding as bpe_encode
from tokenlab.misconceptions import byte_level_bpe

MERGES = [("b", "c"), ("a", "b")]
BOTH = [*bpe_encode.MISCONCEPTIONS, *byte_level_bpe.MISCONCEPTIONS]


def test_the_misconceptions_are_numbered_from_six_to_fifteen() -> None:
    assert [m.number for m in BOTH] == list(range(6, 16))
    assert all(m.claim and m.rule and m.programs for m in BOTH)


def test_every_wrong_program_is_shown_wrong_here() -> None:
    shown = {name.removeprefix("test_").removesuffix("_is_wrong") for name in globals() if name.endswith("_is_wrong")}
    assert {program.__name__ for m in BOTH for program in m.programs} == shown


def test_greedy_longest_match_is_wrong() -> None:
    assert bpe_encode.greedy_longest_match("abc", {"a", "b", "c", "ab", "bc"}) == ("ab", "c")
    assert encode_by_rank("abc", merge_ranks(MERGES)) == ("a", "bc")


def test_left_to_right_merge_is_wrong() -> None:
    assert bpe_encode.left_to_right_merge("abc", MERGES) == ("ab", "c")


def test_single_pass_shuffled_merges_is_wrong() -> None:
    merges = [("a", "b"), ("ab", "c")]
    assert bpe_encode.single_pass_shuffled_merges("abc", merges, seed=3) == ("ab", "c")
    assert encode_in_order("abc", merges) == ("abc",)


def test_min_tokens_dp_is_wrong() -> None:
    merges = [("b", "c"), ("a", "b"), ("c", "d")]
    assert bpe_encode.min_tokens_dp("abcd", {"a", "b", "c", "d", "bc", "ab", "cd"}) == ("ab", "cd")
    assert encode_by_rank("abcd", merge_ranks(merges)) == ("a", "bc", "d")


def test_char_vocab_not_bytes_is_wrong() -> None:
    assert byte_level_bpe.char_vocab_not_bytes("é") == [233] != list("é".encode())
    with pytest.raises(KeyError):
        byte_level_bpe.char_vocab_not_bytes("日本")


def test_no_byte_shuffle_is_wrong() -> None:
    assert byte_level_bpe.no_byte_shuffle(ord("!")) == 33 != GPT2_ORDER.index(ord("!")) == 0


def test_split_on_whitespace_is_wrong() -> None:
    assert byte_level_bpe.split_on_whitespace("don't  go") == ["don't", "go"]
    assert split_gpt2("don't  go") == ["don", "'t", " ", " go"]


def test_no_whole_word_lookup_is_wrong() -> None:
    assert byte_level_bpe.no_whole_word_lookup(b"abc", {b"a": 0, b"b": 1, b"c": 2, b"abc": 3}) == [0, 1, 2]


def test_always_special_is_wrong() -> None:
    assert byte_level_bpe.always_special("hi <|x|>", {"<|x|>": 9}) == ["hi ", "<|x|>"]


def test_never_special_is_wrong() -> None:
    assert byte_level_bpe.never_special("hi <|x|>", {"<|x|>": 9}) == ["hi <|x|>"]


def test_no_longest_special_is_wrong() -> None:
    assert byte_level_bpe.no_longest_special("<a><b>", {"<a>": 0, "<a><b>": 1}) == ["<a>", "<b>"]
    assert byte_level_bpe.always_special("<a><b>", {"<a>": 0, "<a><b>": 1}) == ["<a><b>"]
