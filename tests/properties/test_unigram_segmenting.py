"""Viterbi, the k best, marginals and samples against a list of all segmentations; and hostile texts."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.strategies import texts
from tokenlab.algorithms.unigram.encode import UnigramEncoder
from tokenlab.algorithms.unigram.forward_backward import forward_backward
from tokenlab.algorithms.unigram.lattice import build_lattice, count_segmentations, path_pieces, segmentations
from tokenlab.algorithms.unigram.n_best import n_best
from tokenlab.algorithms.unigram.sample_segmentation import sample_segmentation
from tokenlab.algorithms.unigram.viterbi import viterbi
from tokenlab.algorithms.unigram.vocabulary import log_probabilities, log_probability, unknown_log_probability

# Halves, which are added without rounding, so that ties are ties; and few, so that there are many.
LOG_PROBS = st.integers(-6, 0).map(lambda halves: halves / 2)
VOCABULARIES = st.dictionaries(st.text("abc", min_size=1, max_size=4), LOG_PROBS, min_size=1, max_size=14)
WORDS = st.text("abcd", max_size=9)


@given(WORDS, VOCABULARIES)
def test_the_k_best_are_the_best_of_all(word: str, vocabulary: dict[str, float]) -> None:
    unknown = unknown_log_probability(vocabulary)
    paths = list(segmentations(build_lattice(word, vocabulary, unknown)))
    scores = {path_pieces(path): sum(edge.log_prob for edge in path) for path in paths}
    found = n_best(word, vocabulary, len(paths) + 5, unknown)
    assert [score for _, score in found] == sorted(scores.values(), reverse=True)
    assert dict(found) == scores
    assert n_best(word, vocabulary, 2, unknown) == found[:2]
    assert scores[viterbi(word, vocabulary, unknown)] == found[0][1]


@given(WORDS, VOCABULARIES)
def test_ties_are_broken_from_the_end(word: str, vocabulary: dict[str, float]) -> None:
    """Of the best segmentations, the one whose last piece is the longest, then the one before, and so on."""
    unknown = unknown_log_probability(vocabulary)
    paths = [path_pieces(path) for path in segmentations(build_lattice(word, vocabulary, unknown))]
    best = max(log_probability(path, vocabulary, unknown) for path in paths)
    tied = [path for path in paths if log_probability(path, vocabulary, unknown) == best]
    lengths = {path: [len(piece) for piece in reversed(path)] for path in tied}
    assert viterbi(word, vocabulary, unknown) == max(tied, key=lengths.__getitem__)
    assert viterbi(word, vocabulary, unknown, "shortest_last") == min(tied, key=lengths.__getitem__)


@given(WORDS, VOCABULARIES)
def test_marginals_are_sums_over_all_segmentations(word: str, vocabulary: dict[str, float]) -> None:
    unknown = unknown_log_probability(vocabulary)
    lattice = build_lattice(word, vocabulary, unknown)
    total, through, expected = 0.0, Counter(), Counter()  # type: ignore[var-annotated]
    paths = list(segmentations(lattice))
    for path in paths:
        weight = math.exp(sum(edge.log_prob for edge in path))
        total += weight
        for edge in path:
            through[edge] += weight
            expected[edge.piece] += weight
    marginals = forward_backward(word, vocabulary, unknown)
    assert math.exp(marginals.log_likelihood) == pytest.approx(total)
    assert marginals.probabilities == pytest.approx({edge: weight / total for edge, weight in through.items()})
    assert marginals.expected == pytest.approx({piece: weight / total for piece, weight in expected.items()})
    assert count_segmentations(lattice) == len(paths)


@given(WORDS, VOCABULARIES)
def test_without_unknown_there_is_a_segmentation_or_an_error(word: str, vocabulary: dict[str, float]) -> None:
    known = [path for path in segmentations(build_lattice(word, vocabulary, -99.0)) if all(edge.known for edge in path)]
    if not known:
        with pytest.raises(ValueError, match="no piece of the vocabulary continues with"):
            build_lattice(word, vocabulary)
    else:
        lattice = build_lattice(word, vocabulary)
        assert {path_pieces(path) for path in segmentations(lattice)} == {path_pieces(path) for path in known}
        assert {edge for path in known for edge in path} == set(lattice.edges)


@examples(15)
@given(st.text("ab", min_size=2, max_size=5), VOCABULARIES, st.sampled_from([0.0, 0.5, 1.0, 3.0]))
def test_samples_come_as_often_as_they_are_probable(word: str, vocabulary: dict[str, float], alpha: float) -> None:
    draws, random = 1500, Random(1)
    unknown = -2.0
    paths = list(segmentations(build_lattice(word, vocabulary, unknown)))
    weights = {path_pieces(path): math.exp(alpha * sum(edge.log_prob for edge in path)) for path in paths}
    drawn = Counter(sample_segmentation(word, vocabulary, alpha, random, unknown) for _ in range(draws))
    assert set(drawn) <= set(weights)
    total = sum(weights.values())
    for path, weight in weights.items():
        share = weight / total
        allowed = 6 * math.sqrt(share * (1 - share) / draws) + 2 / draws
        assert abs(drawn[path] / draws - share) < allowed, path


@given(WORDS, VOCABULARIES, st.booleans())
def test_the_fast_encoder_has_viterbis_pieces(word: str, vocabulary: dict[str, float], joined: bool) -> None:
    unknown = unknown_log_probability(vocabulary)
    expected = viterbi(word, vocabulary, unknown, fuse_unknown=joined)
    assert UnigramEncoder(vocabulary, fuse_unknown=joined).encode_word(word) == expected
    low = UnigramEncoder(vocabulary, unknown=-1.0, fuse_unknown=joined)
    assert low.encode_word(word) == viterbi(word, vocabulary, -1.0, fuse_unknown=joined)


PIECES = log_probabilities({"a": 3, "aa": 2, "▁the": 5, "日本": 1, "e\u0301": 2, "👩\u200d": 1, "\ud83d": 1, "\0": 1})


@examples(40)
@given(texts())
def test_the_pieces_of_a_hostile_text_joined_are_the_text(text: str) -> None:
    encoder = UnigramEncoder(PIECES)
    marked = text.replace(" ", "▁")
    assert "".join(encoder.encode(text)) == (marked if marked.startswith("▁") or not text else "▁" + marked)
    assert "".join(encoder.encode_word(text)) == text
    short = text[:150]
    unknown = encoder.unknown
    assert "".join(viterbi(short, PIECES, unknown)) == short
    assert "".join(sample_segmentation(short, PIECES, 0.5, Random(1), unknown)) == short
    found = n_best(short, PIECES, 3, unknown)
    assert {"".join(pieces) for pieces, _ in found} == {short}
    # Equal sums of logarithms may differ in the last bit, for a popped path's score is summed in another order.
    for (_, better), (_, worse) in pairwise(found):
        assert worse <= better + 1e-12 * abs(better)
    assert len({pieces for pieces, _ in found}) == len(found)
    expected = forward_backward(short, PIECES, unknown).expected
    assert sum(count * len(piece) for piece, count in expected.items()) == pytest.approx(len(short))


@given(st.lists(st.text("ab▁", max_size=3), max_size=6), VOCABULARIES)
def test_a_text_is_encoded_like_its_words(words: list[str], vocabulary: dict[str, float]) -> None:
    """With no mark inside a piece, cutting at the marks first changes nothing."""
    marked = {("▁" + piece if piece[0] == "c" else piece): value for piece, value in vocabulary.items()}
    text = " ".join(words)
    encoder = UnigramEncoder(marked, fuse_unknown=False)
    whole = text.replace(" ", "▁")
    expected = encoder.encode_word(whole if whole.startswith("▁") or not text else "▁" + whole)
    assert encoder.encode(text) == list(expected)
