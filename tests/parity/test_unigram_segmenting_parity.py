"""Unigram beside sentencepiece and tokenizers: the best, the k best with their order, samples, and whole texts.

sentencepiece adds scores in 32 bits; so the scores here are halves, which both add without rounding. Where a model has
scores as training makes them, the two libraries part at ties that only rounding decides, and so do we.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any

import pytest
import sentencepiece
from hypothesis import given
from hypothesis import strategies as st
from sentencepiece import sentencepiece_model_pb2
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from tests.examples import examples
from tests.strategies import texts
from tokenlab import data
from tokenlab.algorithms.unigram.encode import UnigramEncoder
from tokenlab.algorithms.unigram.forward_backward import log_sum_exp
from tokenlab.algorithms.unigram.lattice import build_lattice, path_pieces, segmentations
from tokenlab.algorithms.unigram.n_best import n_best
from tokenlab.algorithms.unigram.sample_segmentation import sample_from_best, sample_segmentation, sharpened
from tokenlab.algorithms.unigram.viterbi import viterbi
from tokenlab.algorithms.unigram.vocabulary import Vocabulary, unknown_log_probability

LOG_PROBS = st.integers(-8, 0).map(lambda halves: halves / 2)
PIECES = st.text("abc", min_size=1, max_size=4) | st.sampled_from(["e\u0301", "日本", "👩‍👩", "▁a"])
VOCABULARIES = st.dictionaries(PIECES, LOG_PROBS, min_size=1, max_size=14)
WORDS = st.text("abcd", max_size=14)


def live(vocabulary: Vocabulary) -> Any:
    """sentencepiece's processor for these pieces and scores; texts are left as they are."""
    model = sentencepiece_model_pb2.ModelProto()
    model.trainer_spec.model_type = 1
    model.trainer_spec.vocab_size = len(vocabulary) + 1
    model.normalizer_spec.name = "identity"
    model.normalizer_spec.add_dummy_prefix = False
    model.normalizer_spec.remove_extra_whitespaces = False
    model.normalizer_spec.escape_whitespaces = False
    model.pieces.add(piece="<unk>", score=0.0, type=2)
    for piece, score in vocabulary.items():
        model.pieces.add(piece=piece, score=score, type=1)
    processor = sentencepiece.SentencePieceProcessor()
    processor.LoadFromSerializedProto(model.SerializeToString())
    return processor


def rust(vocabulary: Vocabulary, **options: Any) -> Any:
    return Tokenizer(models.Unigram([("<unk>", 0.0), *vocabulary.items()], unk_id=0, **options))


def usable(text: str) -> str:
    """What sentencepiece leaves as it is: it ends a text at NUL."""
    return text.replace("\0", "")


@given(WORDS | texts(surrogates=False, max_snippets=5).map(usable), VOCABULARIES)
def test_the_best_segmentation_is_that_of_both_libraries(text: str, vocabulary: dict[str, float]) -> None:
    text = text[:300]
    unknown = unknown_log_probability(vocabulary)
    ours = viterbi(text, vocabulary, unknown, fuse_unknown=True)
    assert list(ours) == live(vocabulary).encode(text, out_type=str)
    assert list(ours) == rust(vocabulary).encode(text).tokens
    assert ours == UnigramEncoder(vocabulary).encode_word(text)


@pytest.mark.parametrize("word", ["nooooo", "nooooooooo"])
def test_a_tie_goes_to_the_longest_last_piece_in_both_libraries(word: str) -> None:
    vocabulary = {"n": -1.0, "o": -2.0, "oo": -3.0}
    expected = list(viterbi(word, vocabulary))
    assert live(vocabulary).encode(word, out_type=str) == rust(vocabulary).encode(word).tokens == expected
    assert list(viterbi(word, vocabulary, ties="shortest_last")) != expected


@given(WORDS, VOCABULARIES, st.sampled_from([2, 3, 20, 300]))
def test_the_k_best_come_in_sentencepieces_order(word: str, vocabulary: dict[str, float], k: int) -> None:
    ours = n_best(word, vocabulary, k, unknown_log_probability(vocabulary), fuse_unknown=True)
    theirs = live(vocabulary).nbest_encode(word, nbest_size=k, out_type="proto").nbests
    found = [([piece.surface for piece in one.pieces], one.score) for one in theirs]
    assert [(list(pieces), score) for pieces, score in ours] == (found or [([], 0.0)])


@pytest.mark.parametrize(("length", "k"), [(40, 100), (1500, 12)])
def test_the_agenda_is_cut_down_as_in_sentencepiece(length: int, k: int, capfd: Any) -> None:
    vocabulary = {"a": -1.0, "aa": -2.0, "aaa": -3.0}
    sentencepiece.set_min_log_level(0)  # another test may have silenced it
    theirs = live(vocabulary).nbest_encode("a" * length, nbest_size=k, out_type=str)
    assert [list(pieces) for pieces, _ in n_best("a" * length, vocabulary, k)] == theirs
    assert ("Shrinking" in capfd.readouterr().err) == (length > 1000)


# --- samples --------------------------------------------------------------------------------------

WORD = "ababa"
BABA = {"a": -1.0, "b": -1.5, "ab": -2.0, "ba": -3.0, "aba": -2.5, "bab": -4.0}
DRAWS = 3000


def exact(alpha: float) -> dict[tuple[str, ...], float]:
    paths = list(segmentations(build_lattice(WORD, BABA)))
    shares = sharpened([sum(edge.log_prob for edge in path) for path in paths], alpha)
    return {path_pieces(path): share for path, share in zip(paths, shares, strict=True)}


def surprise(drawn: Mapping[tuple[str, ...], int], shares: Mapping[tuple[str, ...], float]) -> float:
    """Chi-square, in standard deviations above what chance gives."""
    draws = sum(drawn.values())
    assert set(drawn) <= set(shares)
    chi_square = sum((drawn.get(path, 0) - draws * share) ** 2 / (draws * share) for path, share in shares.items())
    freedom = len(shares) - 1
    return (chi_square - freedom) / math.sqrt(2 * freedom)


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0, 1.5])
def test_samples_are_distributed_as_sentencepieces(alpha: float) -> None:
    processor, random = live(BABA), Random(1)
    sentencepiece.set_random_generator_seed(1)
    options = {"enable_sampling": True, "alpha": alpha, "nbest_size": -1, "out_type": str}
    theirs = Counter(tuple(processor.encode(WORD, **options)) for _ in range(DRAWS))
    ours = Counter(sample_segmentation(WORD, BABA, alpha, random) for _ in range(DRAWS))
    assert surprise(theirs, exact(alpha)) < 5
    assert surprise(ours, exact(alpha)) < 5
    assert surprise(ours, exact(alpha + 0.4)) > 10


def test_samples_from_the_k_best_are_distributed_as_sentencepieces() -> None:
    processor, random, lattice = live(BABA), Random(1), build_lattice(WORD, BABA)
    sentencepiece.set_random_generator_seed(2)
    best = n_best(WORD, BABA, 5)
    shares = dict(zip((path for path, _ in best), sharpened([score for _, score in best], 0.5), strict=True))
    options = {"enable_sampling": True, "alpha": 0.5, "nbest_size": 5, "out_type": str}
    theirs = Counter(tuple(processor.encode(WORD, **options)) for _ in range(DRAWS))
    ours = Counter(path_pieces(sample_from_best(lattice, 5, 0.5, random)) for _ in range(DRAWS))
    assert surprise(theirs, shares) < 5
    assert surprise(ours, shares) < 5


def compounded(alpha: float) -> dict[tuple[str, ...], float]:
    """The shares with which tokenizers draws: alpha scales a mass again at every piece that goes before.

    Source: tokenizers' unigram/lattice.rs, Lattice::sample, `theta * (score + alpha[lid])`.
    """
    lattice = build_lattice(WORD, BABA)
    masses = [0.0]
    for arriving in lattice.edges_to[1:]:
        masses.append(log_sum_exp(alpha * (edge.log_prob + masses[edge.start]) for edge in arriving))
    shares = {}
    for path in segmentations(lattice):
        share = 1.0
        for edge in path:
            ways = [masses[other.start] + alpha * other.log_prob for other in lattice.edges_to[edge.end]]
            share *= math.exp(masses[edge.start] + alpha * edge.log_prob - log_sum_exp(ways))
        shares[path_pieces(path)] = share
    return shares


@pytest.mark.parametrize("alpha", [0.2, 1.0, 2.0])
def test_tokenizers_samples_otherwise_unless_alpha_is_one(alpha: float) -> None:
    tokenizer = rust(BABA, alpha=alpha)
    theirs = Counter(tuple(tokenizer.encode(WORD).tokens) for _ in range(DRAWS))
    assert surprise(theirs, compounded(alpha)) < 8  # its chance has no seed
    assert (surprise(theirs, exact(alpha)) > 8) == (alpha != 1)


# --- whole texts ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["english", "mixed"])
def test_texts_are_encoded_as_tokenizers_does(name: str) -> None:
    lines = data.text(name).splitlines()
    trained = Tokenizer(models.Unigram())
    trained.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    trainer = trainers.UnigramTrainer(vocab_size=800, unk_token="<unk>", special_tokens=["<unk>"], show_progress=False)
    trained.train_from_iterator(lines[::2], trainer)
    vocabulary = {piece: score for piece, score in _pieces_of(trained) if piece != "<unk>"}
    tokenizer = rust(vocabulary)
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    encoder = UnigramEncoder(vocabulary)
    assert [encoder.encode(line) for line in lines] == [tokenizer.encode(line).tokens for line in lines]
    assert sum(len(encoder.encode(line)) for line in lines) > 1000


def _pieces_of(tokenizer: Any) -> list[tuple[str, float]]:
    return json.loads(tokenizer.to_str())["model"]["vocab"]  # type: ignore[no-any-return]


@examples(30)
@given(texts(surrogates=False, max_snippets=6))
def test_hostile_texts_are_encoded_as_tokenizers_does(text: str) -> None:
    vocabulary = {"▁": -1.0, "▁the": -2.0, "a": -1.5, "aa": -2.5, "日本": -3.0, "\u0301": -2.0, "\r\n": -3.0}
    tokenizer = rust(vocabulary)
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    assert UnigramEncoder(vocabulary).encode(text) == tokenizer.encode(text).tokens
