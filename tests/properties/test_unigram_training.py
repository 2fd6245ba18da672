"""Training Unigram on any corpus: against definitions that list everything, and numpy against the textbook."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.strategies import texts, word_counts
from tokenlab import data
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.algorithms.unigram.expectation_maximization import expectation_step, maximization_step
from tokenlab.algorithms.unigram.lattice_arrays import ArrayTrainingState, LatticeArrays
from tokenlab.algorithms.unigram.prune import piece_losses, prune
from tokenlab.algorithms.unigram.seed import maximal_repeats
from tokenlab.algorithms.unigram.train import train
from tokenlab.algorithms.unigram.train_arrays import train_arrays
from tokenlab.algorithms.unigram.training_state import TrainingState, check_words
from tokenlab.algorithms.unigram.viterbi import viterbi
from tokenlab.algorithms.unigram.vocabulary import log_probabilities

corpora = word_counts("ab", max_words=5, max_length=7).map(check_words) | word_counts("abé日", max_words=6).map(
    check_words
)


@st.composite
def vocabularies(draw: Any) -> tuple[dict[str, int], dict[str, float]]:
    """A corpus, and a vocabulary with all of its characters and some substrings."""
    words = draw(corpora)
    scores = {piece: draw(st.integers(1, 9)) for piece in TrainingState(words, 99).scores}
    return words, log_probabilities(scores)


# --- definitions that list everything -------------------------------------------------------------


def neighbours(words: dict[str, int], piece: str) -> tuple[Counter[Any], Counter[str]]:
    """What stands before each occurrence (a beginning is like no other), and what behind it ("" at an end)."""
    before: Counter[Any] = Counter()
    behind: Counter[str] = Counter()
    for word, count in words.items():
        for start in range(len(word) - len(piece) + 1):
            if word.startswith(piece, start):
                behind[word[start + len(piece) :][:1]] += count
                before[word[start - 1] if start else (word,)] += count
    return before, behind


@given(corpora, st.integers(2, 5))
@examples(60)
def test_the_seed_has_what_goes_on_in_two_ways_or_ends_words_often_unless_a_longer_one_has_its_count(
    words: dict[str, int], top: int
) -> None:
    substrings = {word[i:j] for word in words for i in range(len(word)) for j in range(i + 2, len(word) + 1)}
    found = {}
    for piece in substrings:
        before, behind = neighbours(words, piece)
        if len(piece) <= top and before.total() > 1 and (len(behind) > 1 or behind[""] >= 6):
            found[piece] = before.total()
    always_after_one = {piece[1:] for piece, count in found.items() if found.get(piece[1:]) == count}
    assert maximal_repeats(words, top) == {p: count for p, count in found.items() if p not in always_after_one}


def cuts(word: str, vocabulary: dict[str, float]) -> Iterator[list[str]]:
    if not word:
        yield []
    for end in range(1, len(word) + 1):
        if word[:end] in vocabulary:
            for rest in cuts(word[end:], vocabulary):
                yield [word[:end], *rest]


@given(vocabularies())
@examples(40)
def test_expected_counts_are_those_of_all_segmentations_listed_and_weighed(drawn: Any) -> None:
    words, vocabulary = drawn
    counts: Counter[str] = Counter()
    objective = 0.0
    for word, count in words.items():
        weighed = [(cut, math.prod(math.exp(vocabulary[piece]) for piece in cut)) for cut in cuts(word, vocabulary)]
        total = sum(weight for _, weight in weighed)
        objective -= count * math.log(total) / sum(words.values())
        for cut, weight in weighed:
            for piece in cut:
                counts[piece] += count * weight / total  # type: ignore[assignment]
    expected = expectation_step(words, vocabulary)
    assert expected.counts == pytest.approx({piece: counts[piece] for piece in vocabulary})
    assert expected.objective == pytest.approx(objective)


@given(vocabularies())
@examples(30)
def test_maximum_likelihood_never_makes_the_objective_worse(drawn: Any) -> None:
    words, vocabulary = drawn
    for _ in range(4):
        expected = expectation_step(words, vocabulary)
        vocabulary = maximization_step(expected.counts, math.log, threshold=1e-9)
        assert expectation_step(words, vocabulary).objective <= expected.objective + 1e-9


@given(vocabularies())
@examples(30)
def test_expected_characters_add_up_to_the_characters_of_the_text(drawn: Any) -> None:
    words, vocabulary = drawn
    counts = expectation_step(words, vocabulary).counts
    characters = sum(len(word) * count for word, count in words.items())
    assert sum(len(piece) * count for piece, count in counts.items()) == pytest.approx(characters)


# --- numpy and the textbook -----------------------------------------------------------------------


@given(corpora, st.sampled_from(["digamma", "log"]), st.sampled_from([0.5, 0.75]))
@examples(50)
def test_every_stage_in_numpy_does_what_the_textbook_does_from_the_same_state(
    words: dict[str, int], estimate: Any, share: float
) -> None:
    start = TrainingState(words, len(set("".join(words))), estimate=estimate, shrinking_factor=share)
    state = ArrayTrainingState(start)
    assert state.named(state.log_probs) == pytest.approx(log_probabilities(start.scores))
    for _ in range(3):
        before = state.named(state.log_probs)
        expected = expectation_step(words, before)
        counts, objective = state.expect()
        assert state.named(counts) == pytest.approx(expected.counts)
        assert objective == pytest.approx(expected.objective)
        dropped = state.maximize(counts)
        vocabulary = state.named(state.log_probs)
        settled = all(abs(count - 0.5) > 1e-9 for count in expected.counts.values())
        if settled:
            assert vocabulary == pytest.approx(maximization_step(expected.counts, start.estimate), abs=1e-9)
            assert set(dropped) == set(before) - set(vocabulary)
        judged = piece_losses(words, vocabulary)
        size = start.size_after(vocabulary)
        losses, removed = state.prune(size)
        assert losses == pytest.approx({one.piece: one.loss for one in judged}, abs=1e-12)
        kept = state.named(state.log_probs)
        assert set(kept) == set(vocabulary) - set(removed)
        # Which of two pieces with the same loss stays may depend on the last digit of a float.
        assert sorted(losses[p] for p in kept if len(p) > 1) == pytest.approx(
            sorted(losses[p] for p in prune(judged, vocabulary, size) if len(p) > 1), abs=1e-12
        )


@given(vocabularies(), st.booleans())
@examples(50)
def test_viterbi_in_numpy_finds_the_same_path_ties_included(drawn: Any, flat: bool) -> None:
    import numpy as np

    words, vocabulary = drawn
    if flat:  # a piece of two characters is as good as two characters: ties everywhere
        vocabulary = {piece: -float(len(piece)) for piece in vocabulary}
    lattices = LatticeArrays(list(words), {piece: number for number, piece in enumerate(vocabulary)}, longest=16)
    _, last_edge = lattices.best(np.array(list(vocabulary.values())))
    names = list(vocabulary)
    for number, word in enumerate(words):
        _, pieces = lattices.paths(last_edge, np.array([number]))
        assert tuple(names[piece] for piece in reversed(pieces)) == viterbi(word, vocabulary)


@pytest.mark.parametrize(("name", "size"), [("english", 150), ("german", 150), ("mixed", 400), ("japanese", 350)])
def test_whole_trainings_agree(name: str, size: int) -> None:
    words = count_words(data.text(name)[:4000])
    ours, textbook = train_arrays.record(words, size), train.record(words, size)
    assert str(ours) == str(textbook)
    assert ours.result == pytest.approx(textbook.result, abs=1e-9)


@given(texts(max_snippets=6).filter(str.split))
@examples(25)
def test_hostile_texts_are_trained_on_and_can_be_spelled(text: str) -> None:
    words = check_words(count_words(text[:300]))
    alphabet = set("".join(words))
    vocabulary = train_arrays(words, len(alphabet) + 5)
    assert alphabet <= set(vocabulary) and len(vocabulary) <= len(alphabet) + 5
    assert all(math.isfinite(value) and value <= 1e-9 for value in vocabulary.values())
    assert all("".join(viterbi(word, vocabulary)) == word for word in words)
