"""WordPiece beside tokenizers: the encoder, the trainer (which is BPE), and the course's trainer written naively.

In the live trainers the pieces `##a`, `##b` ... get their ids in the order in which a hash map lists the words, anew in
every run, and lower ids win ties. All else is determined. So a run is asked for its order, and ours is given the words
in an order that leads to the same one: then every entry of the vocabulary has to be the same.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from tests.examples import examples
from tests.parity.long_texts import TIERED_NAMES, long_text
from tests.strategies import texts
from tokenlab import data
from tokenlab.algorithms.bpe.train import Stopped
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.algorithms.wordpiece.encode import encode_word
from tokenlab.algorithms.wordpiece.encode_cached import WordPieceEncoder
from tokenlab.algorithms.wordpiece.train import train
from tokenlab.algorithms.wordpiece.train_by_frequency import (
    FrequencyTrainingState,
    MergedByFrequency,
    train_by_frequency,
)
from tokenlab.algorithms.wordpiece.train_indexed import train_indexed
from tokenlab.printing.printable import Symbol
from tokenlab.steps.recording import Recording

CORPORA = ["english", "german", "chinese", "japanese", "mixed"]
HUGS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}


def live(vocabulary: list[str], **options: Any) -> Tokenizer:
    return Tokenizer(models.WordPiece({piece: id for id, piece in enumerate(vocabulary)}, unk_token="[UNK]", **options))


# --- encoding -------------------------------------------------------------------------------------

PARTS = ["a", "b", "ab", "ba", "aab", "#", "##", "é", "e\u0301", "日", "👩‍👩", "\u200d", "\x00", "ש"]
part = st.sampled_from(PARTS)
vocabularies = st.sets(part | part.map("##".__add__), max_size=12).map(lambda found: ["[UNK]", *sorted(found)])
words = st.lists(part | st.sampled_from("xy"), max_size=8).map("".join)


@examples(400)
@given(words, vocabularies, st.sampled_from([1, 4, 100]))
def test_a_word_has_the_pieces_of_tokenizers(word: str, vocabulary: list[str], longest: int) -> None:
    theirs = live(vocabulary, max_input_chars_per_word=longest)
    expected = tuple(token.value for token in theirs.model.tokenize(word))
    assert encode_word(word, set(vocabulary), max_input_chars_per_word=longest) == expected


@examples(100)
@given(words, st.sets(part | part.map("@".__add__), max_size=9))
def test_another_prefix_is_the_same_there(word: str, vocabulary: set[str]) -> None:
    theirs = live(["[UNK]", *sorted(vocabulary)], continuing_subword_prefix="@")
    expected = tuple(token.value for token in theirs.model.tokenize(word))
    assert encode_word(word, {"[UNK]", *vocabulary}, prefix="@") == expected


@examples(60)
@given(texts(surrogates=False))
def test_a_hostile_text_has_the_pieces_of_tokenizers(text: str) -> None:
    vocabulary = ["[UNK]", *sorted({"the", "##ing", *"aeé日中👍<", *map("##".__add__, "aeo本\u0301文>")})]
    theirs = live(vocabulary)
    theirs.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    assert WordPieceEncoder(set(vocabulary)).encode(text) == theirs.encode(text).tokens


@pytest.mark.slow
@pytest.mark.parametrize("name", TIERED_NAMES)
@pytest.mark.parametrize("training", [train_indexed, train_by_frequency])
def test_a_long_text_has_the_pieces_of_tokenizers(name: str, training: Any) -> None:
    text = long_text(name, 200_000)
    counts = count_words(text[:50_000], "bert")
    vocabulary = training(counts, 7000, special_tokens=["[UNK]"])
    theirs = live(vocabulary)
    theirs.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    ours = WordPieceEncoder(vocabulary).encode(text)
    assert ours == theirs.encode(text).tokens
    assert "[UNK]" in ours


# --- training by count ----------------------------------------------------------------------------


def live_vocabulary(lines: list[str], vocab_size: int, trainer: Any, **options: Any) -> list[str]:
    options = {"continuing_subword_prefix": "##"} | options
    tokenizer = Tokenizer(models.WordPiece() if trainer is trainers.WordPieceTrainer else models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.train_from_iterator(lines, trainer(vocab_size=vocab_size, show_progress=False, **options))
    vocabulary = tokenizer.get_vocab()
    return sorted(vocabulary, key=vocabulary.__getitem__)


def in_the_order_of(inside: list[str], counts: Counter[Any]) -> dict[Any, int]:
    """The words in an order in which the characters inside them are first met as in a list."""
    place = {character: number for number, character in enumerate(inside)}
    met: set[str] = set()
    waiting, ordered = list(counts), {}
    while waiting:
        later = []
        for word in waiting:
            new = [c for c in dict.fromkeys(word[1:]) if c in place and c not in met]
            if [place[c] for c in new] == list(range(len(met), len(met) + len(new))):
                met.update(new)
                ordered[word] = counts[word]
            else:
                later.append(word)
        assert len(later) < len(waiting), "no order of the words leads to that list"
        waiting = later
    return ordered


def vocabularies(
    lines: list[str], vocab_size: int, trainer: Any = trainers.WordPieceTrainer, **options: Any
) -> tuple[list[str], Recording[Any, list[Symbol]]]:
    """Return the vocabulary of a live run, and a recording of ours with the words in an order that leads to its ids."""
    theirs = live_vocabulary(lines, vocab_size, trainer, **options)
    counts = count_words(lines)
    prefix = options.pop("continuing_subword_prefix", "##")
    # Before the first merge: special tokens, characters, and the same with the prefix, whose order is to be found.
    start = train_by_frequency(counts, 10**9, prefix=prefix, **(options | {"min_frequency": 10**9}))
    special, characters = options.get("special_tokens", []), {character for word in counts for character in word}
    met = [piece.removeprefix(prefix) for piece in theirs[: len(start)] if piece not in {*special, *characters}]
    met = [character for character in met if character in characters]
    return theirs, train_by_frequency.record(in_the_order_of(met, counts), vocab_size, prefix=prefix, **options)


def compare(*arguments: Any, **options: Any) -> None:
    theirs, run = vocabularies(*arguments, **options)
    assert run.result == theirs


@pytest.mark.parametrize("name", CORPORA)
def test_the_shipped_corpora_give_the_vocabulary_of_the_run_to_the_end(name: str) -> None:
    compare(data.text(name).splitlines(), 10**6)


@pytest.mark.parametrize("trainer", [trainers.WordPieceTrainer, trainers.BpeTrainer])
def test_their_trainer_of_wordpiece_is_their_trainer_of_bpe(trainer: Any) -> None:
    compare(data.text("english").splitlines(), 900, trainer=trainer)


@pytest.mark.parametrize(
    "options",
    [
        {"min_frequency": 4},
        {"special_tokens": ["[UNK]", "the", "##e", "a"]},
        {"initial_alphabet": ["é", "ß", "a"]},
        {"continuing_subword_prefix": "@@"},
        {"limit_alphabet": 20},
        {"limit_alphabet": 20, "initial_alphabet": ["é", "Q"]},
        # A special token that is a character is in no danger of being cut out.
        {"limit_alphabet": 12, "special_tokens": ["y"]},
    ],
)
@pytest.mark.parametrize("size", [600, 10**6])
def test_an_option_does_what_it_does_there(options: dict[str, Any], size: int) -> None:
    compare(data.text("english").splitlines(), size, **options)


@pytest.mark.slow
@pytest.mark.parametrize("name", TIERED_NAMES)
def test_a_long_text_gives_the_vocabulary_of_the_run(name: str) -> None:
    compare(long_text(name, 120_000).splitlines(), 8000)


@examples(60)
@given(st.lists(st.text("ab#", min_size=1, max_size=12), min_size=1, max_size=6))
def test_words_with_the_prefix_in_them_give_the_vocabulary_of_the_run(words: list[str]) -> None:
    theirs, run = vocabularies(words, 40)
    merges = [step for step in run if isinstance(step, MergedByFrequency)]
    start = FrequencyTrainingState(run.arguments["word_counts"], 40).ids
    # Where different merges make one piece, theirs may merge a pair in some words only; see the module's docstring.
    assume(len(start) + len(merges) == len(run.result))
    assert run.result == theirs


# --- training by the score ------------------------------------------------------------------------


def course(word_freqs: dict[str, int], vocab_size: int) -> list[str]:
    """The trainer of Hugging Face's course, chapter 6.6, in other words: floats, and the first of the highest."""
    splits = {word: [c if i == 0 else f"##{c}" for i, c in enumerate(word)] for word in word_freqs}
    vocab = sorted({piece for split in splits.values() for piece in split})
    while len(vocab) < vocab_size:
        letter_freqs: dict[str, int] = defaultdict(int)
        pair_freqs: dict[tuple[str, str], int] = defaultdict(int)
        for word, freq in word_freqs.items():
            for piece in splits[word]:
                letter_freqs[piece] += freq
            for i in range(len(splits[word]) - 1):
                pair_freqs[splits[word][i], splits[word][i + 1]] += freq
        best, highest = None, -1.0
        for (left, right), freq in pair_freqs.items():
            if freq / (letter_freqs[left] * letter_freqs[right]) > highest:
                best, highest = (left, right), freq / (letter_freqs[left] * letter_freqs[right])
        if best is None:
            break
        new = best[0] + best[1].removeprefix("##")
        for split in splits.values():
            i = 0
            while i < len(split) - 1:
                if (split[i], split[i + 1]) == best:
                    split[i : i + 2] = [new]
                i += 1
        vocab.append(new)
    return vocab


def test_the_course_merges_g_and_s_first() -> None:
    assert course(HUGS, 8) == train(HUGS, 8)
    assert train(HUGS, 8)[-1] == "##gs"


@pytest.mark.parametrize(("name", "more"), [("english", 150), ("german", 100), ("japanese", 150), ("mixed", 10**6)])
def test_the_score_learns_the_vocabulary_of_the_course(name: str, more: int) -> None:
    counts = {"".join(map(str, word)): count for word, count in count_words(data.text(name)[:6000]).items()}
    size = len(course(counts, 0)) + more
    recording = train_indexed.record(counts, size)
    assert recording.result == course(counts, size)
    assert isinstance(recording[-1], Stopped) == (more == 10**6)


@examples(100)
@given(st.dictionaries(st.text("ab", min_size=1, max_size=8), st.integers(1, 5), min_size=1, max_size=6))
def test_words_of_two_letters_give_the_vocabulary_of_the_course(counts: dict[str, int]) -> None:
    assert train(counts, 40) == course(counts, 40)
