"""Byte-level Unigram: the alphabet, texts without loss, what is displayed and asked, and what is refused."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from tests.questions import frames, options_of, questions
from tokenlab import data
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.algorithms.text.pretokenize import split_cl100k
from tokenlab.algorithms.text.trie import Trie
from tokenlab.algorithms.unigram.byte_level import ALL_BYTES, ByteLevelEncoder
from tokenlab.algorithms.unigram.encode import UnigramEncoder
from tokenlab.algorithms.unigram.expectation_maximization import expectation_step
from tokenlab.algorithms.unigram.forward_backward import forward_backward
from tokenlab.algorithms.unigram.lattice import build_lattice, path_pieces
from tokenlab.algorithms.unigram.n_best import n_best
from tokenlab.algorithms.unigram.prune import piece_losses
from tokenlab.algorithms.unigram.sample_segmentation import sample_segmentation
from tokenlab.algorithms.unigram.train import train
from tokenlab.algorithms.unigram.train_arrays import train_arrays
from tokenlab.algorithms.unigram.train_by_counting import train_by_counting
from tokenlab.algorithms.unigram.training_state import TrainingState, check_words
from tokenlab.algorithms.unigram.viterbi import viterbi
from tokenlab.misconceptions.unigram_training import hard_em
from tokenlab.show.frames import chip
from tokenlab.steps.recording import Recording

JAPANESE = count_words(data.text("japanese")[:3000], split="gpt2", symbols="bytes")
WORDS = check_words(count_words(data.text("mixed")[:3000], split="gpt2", symbols="bytes"))
TRAINED = train.record(WORDS, 330, initial_alphabet=ALL_BYTES)
ENCODER = ByteLevelEncoder(TRAINED.result)


# --- training -------------------------------------------------------------------------------------


def test_every_byte_is_a_piece_even_if_no_word_has_it() -> None:
    vocabulary = train_arrays(JAPANESE, 400, initial_alphabet=ALL_BYTES)
    assert set(ALL_BYTES) <= set(vocabulary) and len(vocabulary) == 400
    assert not any(b"\xff" in b"".join(word) for word in JAPANESE)


def test_both_trainings_agree_on_bytes() -> None:
    arrays = train_arrays.record(WORDS, 330, initial_alphabet=ALL_BYTES)
    assert str(arrays) == str(TRAINED)
    assert arrays.result == pytest.approx(TRAINED.result, abs=1e-9)
    assert str(TRAINED).startswith("1. the seed has ")
    assert ": 256 bytes and " in str(TRAINED[0])


def test_a_symbol_that_no_word_has_counts_once() -> None:
    start = TrainingState({"aab": 2}, 9, initial_alphabet="bc", seed={"ab": 3, "c": 7})
    assert start.scores == {"a": 4, "b": 2, "c": 1, "ab": 3}


def test_bytes_are_words_as_bytes_and_as_tuples() -> None:
    assert check_words({b"ab": 1, (b"a", b"b"): 2, b"": 3, (): 4}) == {b"ab": 3}


@pytest.mark.parametrize(
    ("words", "options", "message"),
    [
        ({b"a": 1, "b": 1}, {}, "words of characters and words of bytes"),
        ({(b"a", "b"): 1}, {}, "tuple of single characters, or bytes"),
        ({(b"ab",): 1}, {}, "single bytes"),
        ({98: 1}, {}, "should be a str"),
        ({b"a": 1}, {"initial_alphabet": "b"}, "initial_alphabet has 'b'; as the words are bytes, give single bytes"),
        ({"a": 1}, {"initial_alphabet": ALL_BYTES}, "as the words are str, give single characters"),
        ({b"a": 1}, {"initial_alphabet": [b"ab"]}, "initial_alphabet has b'ab'"),
        ({b"a": 1}, {"initial_alphabet": b"b"}, "initial_alphabet has 98"),
        ({b"a": 1}, {"initial_alphabet": 5}, "initial_alphabet=5 is a int"),
        ({b"a": 1}, {"seed": {"a": 1}}, "seed has 'a' among its pieces; a piece is a bytes of one byte or more"),
    ],
)
def test_words_symbols_and_seeds_of_two_kinds_are_refused(words: Any, options: Any, message: str) -> None:
    for training in (train, train_arrays):
        with pytest.raises(TypeError, match=message):
            training(words, 300, **options)


def test_a_size_below_the_alphabet_is_named_in_bytes() -> None:
    with pytest.raises(ValueError, match=r"vocab_size=255 .*alphabet.*\(256 bytes: .*; ask for at least 256"):
        train({b"a": 1}, 255, initial_alphabet=ALL_BYTES)


# --- segmenting -----------------------------------------------------------------------------------


def test_a_text_and_pieces_of_two_kinds_are_refused() -> None:
    for text, vocabulary in (("a", {b"a": -1.0}), (b"a", {"a": -1.0})):
        for given in (vocabulary, Trie(vocabulary)):
            with pytest.raises(TypeError, match="give a text of their type"):
                build_lattice(text, given, unknown=-9.0)  # type: ignore[type-var]
    assert Trie().accepts("a") and Trie().accepts(b"a")


def test_a_byte_that_no_piece_covers_is_named_or_has_an_edge_of_its_own() -> None:
    text = "aé".encode()
    with pytest.raises(ValueError, match=r"continues with b'\\xc3', byte 2 of b'a\\xc3\\xa9'.*such a byte"):
        viterbi(text, {b"a": -1.0})
    assert viterbi(text, {b"a": -1.0}, unknown=-9.0) == (b"a", b"\xc3", b"\xa9")
    assert viterbi(text, {b"a": -1.0}, unknown=-9.0, fuse_unknown=True) == (b"a", b"\xc3\xa9")
    assert path_pieces(build_lattice(text, {b"a": -1.0}, -9.0).edges, fuse_unknown=True) == (b"a", b"\xc3\xa9")
    assert UnigramEncoder({b"a": -1.0}).encode_word(text) == (b"a", b"\xc3\xa9")


# --- the encoder ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["", " ", "low  lower\n", "日本語。中文", "👩‍👩‍👧‍👦 🏳️‍🌈", "\0a\0", "e\u0301", "▁ ▁", "\ufffd", "\U0010ffff"]
)
def test_every_text_is_encoded_and_comes_back(text: str) -> None:
    for encoder in (ENCODER, ByteLevelEncoder(TRAINED.result, split=split_cl100k)):
        pieces = encoder.encode(text)
        assert encoder.decode(pieces) == text
        assert all(piece in encoder.vocabulary for piece in pieces)


def test_torn_characters_are_replaced() -> None:
    assert ENCODER.decode([b"a", b"\xe6\x97"]) == "a\ufffd"


def test_what_cannot_be_encoded_is_refused() -> None:
    with pytest.raises(ValueError, match="lone surrogate"):
        ENCODER.encode("a\ud83d")
    with pytest.raises(ValueError, match=r"1 of the 256 bytes .* b'\\x07'; train it with initial_alphabet=ALL_BYTES"):
        ByteLevelEncoder({byte: -5.0 for byte in ALL_BYTES if byte != b"\x07"})
    with pytest.raises(TypeError, match="give it to ByteLevelEncoder"):
        UnigramEncoder(TRAINED.result).encode("a")


# --- the views ------------------------------------------------------------------------------------


def test_pieces_are_displayed_as_text_where_they_are_text_and_as_bytes_elsewhere() -> None:
    vocabulary = {b"\xe6": -1.0, b"\x97\xa5": -1.0, "日".encode(): -1.0, b" ": -1.0, b"\0": -1.0}
    recording = viterbi.record(" 日\0".encode(), vocabulary)
    html = "".join(row for frame in frames(recording) for panel in frame.panels for row in panel.rows)
    for shown in ("␣", "日", "\\xe6", "\\x97\\xa5", "\\x00"):
        assert f">{shown}<" in html
    assert Recording.from_json(recording.to_json()) == recording


WORD, FEW = "día 👩".encode(), dict(list(WORDS.items())[:12])
RECORDED = (
    n_best.record(WORD, TRAINED.result, 3),
    forward_backward.record(WORD, TRAINED.result),
    sample_segmentation.record(WORD, TRAINED.result, 0.5, Random(1)),
    expectation_step.record(FEW, TRAINED.result),
    piece_losses.record(FEW, TRAINED.result),
    train_by_counting.record({"día".encode(): 9, "dían".encode(): 7}, 6),
    train_arrays.record(FEW, 300, initial_alphabet=ALL_BYTES),
)


@pytest.mark.parametrize("number", range(len(RECORDED)))
def test_every_recording_of_bytes_is_shown_and_comes_back_from_json(number: int) -> None:
    recording: Any = RECORDED[number]
    assert len(frames(recording)) > 1
    questions(recording)
    assert Recording.from_json(recording.to_json()) == recording


def test_captions_and_answers_speak_of_bytes() -> None:
    said = [frame.caption for frame in frames(TRAINED)]
    assert "pieces: 256 bytes and " in said[1]
    assert "including all bytes" in said[-1]
    assert not any("character" in caption for caption in said)
    drawn = frames(viterbi.record(b"a" * 50, {b"a": -1.0}))[0].panels[0].rows[-1]
    assert drawn.endswith("… the first 40 bytes are drawn")


def test_a_pruning_is_asked_about_and_a_single_byte_never_goes() -> None:
    asked = [question for question in questions(TRAINED).values() if "Pieces are removed" in question.prompt]
    assert asked
    for question in asked:
        assert any("It is a byte, and bytes are never removed" in option.why for option in question.options)


def test_the_expected_count_of_a_piece_is_asked_for() -> None:
    words = dict(list(WORDS.items())[:40])
    recording = expectation_step.record(words, TRAINED.result)
    asked = questions(recording)
    assert asked
    for number, question in asked.items():
        step = recording[number]
        piece = next(piece for piece in step.expected_counts if f"does {chip(piece)} get" in question.prompt)
        best = hard_em({step.word: step.count}, TRAINED.result)[piece]
        assert options_of(question) == {0: f"{step.expected_counts[piece]:.2f}", 22: f"{best:.2f}"}
