"""Byte-level Unigram on any text: nothing is lost, all segmentations are listed, and ASCII trains as str does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.strategies import texts, word_counts
from tokenlab import data
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.algorithms.unigram.byte_level import ALL_BYTES, ByteLevelEncoder
from tokenlab.algorithms.unigram.n_best import n_best
from tokenlab.algorithms.unigram.train import train
from tokenlab.algorithms.unigram.train_arrays import train_arrays
from tokenlab.algorithms.unigram.training_state import check_words
from tokenlab.algorithms.unigram.viterbi import viterbi

MIXED = count_words(data.text("mixed"), split="gpt2", symbols="bytes")
ENCODER = ByteLevelEncoder(train_arrays(MIXED, 700, initial_alphabet=ALL_BYTES))


@given(texts(surrogates=False))
def test_decoding_what_was_encoded_gives_the_text(text: str) -> None:
    pieces = ENCODER.encode(text)
    assert ENCODER.decode(pieces) == text
    assert set(pieces) <= set(ENCODER.vocabulary)


def segmentations(word: bytes, vocabulary: dict[bytes, float]) -> Iterator[tuple[bytes, ...]]:
    """Every segmentation, listed without a lattice."""
    if not word:
        yield ()
    for end in range(1, len(word) + 1):
        if word[:end] in vocabulary:
            for rest in segmentations(word[end:], vocabulary):
                yield (word[:end], *rest)


# Halves are added without rounding, so that ties are ties.
HALVES = st.integers(-6, 0).map(lambda halves: halves / 2)
FOUR = st.sampled_from([b"\x00", b"\xc3", b"\xa9", b"a"])
SHORT = st.lists(FOUR, max_size=8).map(b"".join)
PIECES = st.dictionaries(st.lists(FOUR, min_size=2, max_size=4).map(b"".join), HALVES, max_size=9)
SINGLE = st.fixed_dictionaries(dict.fromkeys((b"\x00", b"\xc3", b"\xa9", b"a"), HALVES))


@given(SHORT, PIECES, SINGLE)
def test_the_best_segmentation_is_the_best_of_all(
    word: bytes, pieces: dict[bytes, float], single: dict[bytes, float]
) -> None:
    vocabulary = {**single, **pieces}
    scores = {cut: sum(vocabulary[piece] for piece in cut) for cut in segmentations(word, vocabulary)}
    best = max(scores.values())
    tied = [cut for cut, score in scores.items() if score == best]
    assert viterbi(word, vocabulary) == max(tied, key=lambda cut: [len(piece) for piece in reversed(cut)])
    assert dict(n_best(word, vocabulary, len(scores) + 1)) == scores
    rest = dict.fromkeys(ALL_BYTES, -9.0)
    whole = ByteLevelEncoder({**rest, **vocabulary}, split=lambda text: [text])
    text = word.decode("latin-1").replace("Ã", "").replace("©", "é")  # of ASCII and é, which is C3 A9
    assert tuple(whole.encode(text)) == viterbi(text.encode(), {**rest, **vocabulary})


@given(word_counts("ab", max_words=5, max_length=7).map(check_words), st.integers(0, 6), st.sampled_from(["a", "abz"]))
@examples(40)
def test_ascii_bytes_are_trained_on_as_their_characters(words: dict[str, int], more: int, alphabet: str) -> None:
    encoded = {word.encode(): count for word, count in words.items()}
    size = len(set("".join(words)) | set(alphabet)) + more
    symbols = [character.encode() for character in alphabet]
    for training in (train, train_arrays):
        of_text: Any = training.record(words, size, initial_alphabet=alphabet)
        of_bytes: Any = training.record(encoded, size, initial_alphabet=symbols)
        assert of_bytes.result == {piece.encode(): value for piece, value in of_text.result.items()}
        assert str(of_bytes) == str(of_text).replace("character", "byte")
