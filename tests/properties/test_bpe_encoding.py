"""Four encoders, one answer: on merges in the order of training, and step by step."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import assume, find, given
from hypothesis import strategies as st

from tests.strategies import texts, word_counts
from tokenlab.algorithms.bpe.encode import encode_by_rank, encode_in_order, merge_ranks
from tokenlab.algorithms.bpe.encode_parts import encode_with_parts
from tokenlab.algorithms.bpe.encode_priority_queue import encode_with_priority_queue
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.misconceptions.bpe_encoding import single_pass_shuffled_merges

BY_RANKS = (encode_by_rank, encode_with_parts, encode_with_priority_queue)
PIECES = st.text("abc", max_size=24)


def trained(counts: Any) -> list[Any]:
    """Merges in the order of training; a token that two merges make has two places in the list, and is left out."""
    merges = train_indexed(counts, 40)
    assume(len(merge_ranks(merges)) == len(merges))
    return merges


@given(word_counts("abc"), PIECES)
def test_all_encoders_take_the_same_steps_on_trained_merges(counts: Any, piece: str) -> None:
    merges = trained(counts)
    in_order = encode_in_order.record(piece, merges)
    for encode in BY_RANKS:
        recording = encode.record(piece, merge_ranks(merges))
        assert recording.diff(in_order) is None
        assert recording.result == in_order.result


@given(st.dictionaries(st.text("abc", min_size=2, max_size=5), st.integers(0, 30), max_size=20), PIECES)
def test_encoders_by_rank_agree_on_any_ranks(ranks: Any, piece: str) -> None:
    recordings = [encode.record(piece, ranks) for encode in BY_RANKS]
    assert recordings[0].steps == recordings[1].steps == recordings[2].steps
    assert recordings[0].result == recordings[1].result == recordings[2].result


@given(texts())
def test_the_tokens_joined_are_the_piece(piece: str) -> None:
    ranks = merge_ranks(train_indexed({"aaaa": 1, "don't": 2, "日本語。": 1}, 40))
    for encode in BY_RANKS[1:]:
        assert "".join(encode(piece, ranks)) == piece
    assert "".join(encode_by_rank(piece[:200], ranks)) == piece[:200]


@given(texts(surrogates=False))
def test_bytes_are_encoded_like_characters(piece: str) -> None:
    merges = train_indexed({b"aaaa": 1, b"don't": 2, "日本語。".encode(): 1}, 40)
    tokens = encode_with_priority_queue(piece.encode(), merge_ranks(merges))
    assert b"".join(tokens) == piece.encode()
    assert tokens == encode_with_parts(piece.encode(), merge_ranks(merges))


def test_a_shuffled_list_is_caught_by_the_smallest_input() -> None:
    merges = [("a", "b"), ("ab", "c")]
    piece = find(PIECES, lambda piece: single_pass_shuffled_merges(piece, merges, 3) != encode_in_order(piece, merges))
    assert piece == "abc"


@pytest.mark.parametrize("length", [100_000])
def test_a_long_piece_without_a_blank_ends(length: int) -> None:
    letters = "".join(Random(1).choices("abcd", k=length))
    ranks = merge_ranks(train_indexed({letters[:500]: 1}, 120))
    tokens = encode_with_priority_queue(letters, ranks)
    assert "".join(tokens) == letters
    assert len(tokens) < length / 2
    assert encode_with_priority_queue("a" * length, {"a" * 2**n: n for n in range(1, 10)})[0] == "a" * 512


@pytest.mark.parametrize("encode", [encode_by_rank, encode_with_priority_queue])
def test_dropout_reaches_from_the_rule_to_single_symbols(encode: Any) -> None:
    ranks = merge_ranks(train_indexed({"happiness": 3, "happy": 2}, 30))
    assert encode("happiness", ranks, dropout=0) == encode_by_rank("happiness", ranks)
    assert encode("happiness", ranks, dropout=1) == tuple("happiness")
    cuts = {encode("happiness", ranks, dropout=0.4, random=Random(seed)) for seed in range(40)}
    assert len(cuts) > 5
    assert all("".join(cut) == "happiness" for cut in cuts)
    assert encode("happiness", ranks, 0.4, Random(3)) == encode("happiness", ranks, 0.4, Random(3))


@pytest.mark.parametrize("dropout", [-0.1, 1.5, float("nan")])
@pytest.mark.parametrize("encode", [encode_by_rank, encode_with_priority_queue])
def test_a_dropout_that_is_no_probability_is_refused(encode: Any, dropout: float) -> None:
    with pytest.raises(ValueError, match="is not a probability; give 0"):
        encode("ab", {"ab": 0}, dropout)
