"""The other policies: tiktoken's educational trainer, minbpe's and CS336's rules written naively, sentencepiece."""

from __future__ import annotations

import io
from collections import Counter
from typing import Any

import pytest
import sentencepiece
from hypothesis import given
from tiktoken import _educational

from tests.examples import examples
from tests.strategies import word_counts
from tokenlab import data
from tokenlab.algorithms.bpe.train import TrainingProgress, TrainingState, merged_symbol
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.algorithms.text.pretokenize import SPLITTERS

ALPHABET = [bytes([value]) for value in range(256)]

# --- first seen -----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("name", "merges"), [("english", 80), ("chinese", 250), ("mixed", 400)])
def test_first_seen_makes_the_tokens_of_tiktokens_educational_trainer(name: str, merges: int) -> None:
    text = data.text(name)
    pattern = "|".join(SPLITTERS["gpt2"].rules.values())
    ranks = _educational.bpe_train(text, 256 + merges, pattern, visualise=None)
    counts = count_words(text, "gpt2", "bytes")
    made = train_indexed(counts, 256 + merges, "first_seen", initial_alphabet=ALPHABET)
    assert len(ranks) == 256 + merges
    assert list(dict.fromkeys(map(merged_symbol, made))) == list(ranks)[256:]


def naive_minbpe(text: str, merges: int) -> list[tuple[bytes, bytes]]:
    """The text is one long word of bytes; of the pairs that tie `max` takes the one that the dict met first."""
    symbols = [bytes([value]) for value in text.encode()]
    learned = []
    for _ in range(merges):
        counts: dict[tuple[bytes, bytes], int] = {}
        for pair in zip(symbols, symbols[1:], strict=False):
            counts[pair] = counts.get(pair, 0) + 1
        best = max(counts, key=lambda pair: counts[pair])
        learned.append(best)
        merged: list[bytes] = []
        position = 0
        while position < len(symbols):
            found = tuple(symbols[position : position + 2]) == best
            merged.append(best[0] + best[1] if found else symbols[position])
            position += 2 if found else 1
        symbols = merged
    return learned


@pytest.mark.parametrize("name", ["english", "japanese"])
def test_first_seen_learns_the_merges_of_minbpe(name: str) -> None:
    text = data.text(name)[:3000]
    made = train_indexed({text.encode(): 1}, 256 + 200, "first_seen", initial_alphabet=ALPHABET)
    assert made == naive_minbpe(text, 200)


# --- the last in a dictionary ---------------------------------------------------------------------


def naive_cs336(counts: dict[Any, int], merges: int) -> list[Any]:
    """`max` of the counts with their pairs."""
    splits = {word: list(word) for word in counts}
    learned: list[Any] = []
    while len(learned) < merges:
        pairs: Counter[Any] = Counter()
        for word, split in splits.items():
            for pair in zip(split, split[1:], strict=False):
                pairs[pair] += counts[word]
        if not pairs:
            break
        _, best = max((count, pair) for pair, count in pairs.items())
        learned.append(best)
        for split in splits.values():
            position = 0
            while position < len(split) - 1:
                if (split[position], split[position + 1]) == best:
                    split[position : position + 2] = [best[0] + best[1]]
                position += 1
    return learned


@pytest.mark.slow
@pytest.mark.parametrize(("name", "symbols"), [("english", "bytes"), ("german", "characters"), ("mixed", "bytes")])
def test_lexicographic_max_learns_the_merges_of_cs336(name: str, symbols: Any) -> None:
    counts = count_words(data.text(name), "gpt2", symbols)
    size = len(TrainingState(counts, 10**9).ids)
    assert train_indexed(counts, size + 150, "lexicographic_max") == naive_cs336(counts, 150)


@examples(200)
@given(word_counts(("a", "b", "ab", "\x00")))
def test_lexicographic_max_agrees_on_symbols_that_start_each_other(counts: dict[Any, int]) -> None:
    size = len(TrainingState(counts, 10**9).ids)
    assert train_indexed(counts, size + 30, "lexicographic_max") == naive_cs336(counts, 30)


# --- sentencepiece --------------------------------------------------------------------------------


def sentencepiece_merges(words: list[str], start: TrainingState, merges: int) -> list[str]:
    """What sentencepiece's BPE trainer makes of words, in its order."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(words),
        model_writer=model,
        model_type="bpe",
        vocab_size=3 + start.size + merges,
        normalization_rule_name="identity",
        character_coverage=1.0,
        split_by_unicode_script=False,
        split_by_number=False,
        max_sentencepiece_length=512,
        minloglevel=2,
    )
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    made = [processor.id_to_piece(number) for number in range(3, 3 + merges)]
    assert [processor.get_score(number) for number in range(3, 3 + merges)] == [-float(rank) for rank in range(merges)]
    return made


def merges_it_must_agree_on(recording: Any) -> int:
    """How many of our merges sentencepiece cannot but make as well.

    At every hundredth merge it sets aside all but the 1,000 (or 5 %) most frequent pairs; those that come up later
    are added. A pair that was set aside can only have become rarer. So a pair that occurs more often than the
    thousandth did is the best of all; below that the choice is among those that were kept.
    """
    progress = TrainingProgress.at_start(recording.arguments)
    for number, step in enumerate(recording):
        if number % 100 == 0:
            best = progress.most_frequent(1001)
            rarest = best[999][1] if len(best) > 1000 else 0
        if step.count <= rarest:
            return number
        step.apply(progress)
    return len(recording)


@pytest.mark.parametrize(("name", "merges"), [("english", 1000), ("german", 700), ("mixed", 200)])
def test_the_policy_sentencepiece_learns_the_pieces_of_sentencepiece(name: str, merges: int) -> None:
    words = data.text(name).split()
    counts = Counter("▁" + word for word in words)
    recording = train_indexed.record(counts, TrainingState(counts, 10**9).size + merges, "sentencepiece")
    agreed = merges_it_must_agree_on(recording)
    assert agreed > 0.9 * merges
    expected = sentencepiece_merges(words, TrainingState(counts, 10**9), merges)
    assert [merged_symbol(step.pair) for step in recording[:agreed]] == expected[:agreed]
    assert sum(step.ties > 1 for step in recording[:agreed]) > 0.5 * agreed
