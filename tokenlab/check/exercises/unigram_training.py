"""The checks of lesson 07: expected counts, probabilities from expected counts, and pruning."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import exp, log
from typing import Any

from tokenlab.algorithms.unigram.expectation_maximization import expectation_step, maximization_step
from tokenlab.algorithms.unigram.prune import piece_losses, prune
from tokenlab.algorithms.unigram.train_by_counting import count_substrings
from tokenlab.check import strategies as inputs
from tokenlab.check.answer_check import AnswerCheck, BugCheck
from tokenlab.check.function_check import FunctionCheck
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.trace_comparison import TracedCall, nearly_equal, prefix_calls
from tokenlab.misconceptions import unigram_training as wrong

Ways = Mapping[str, Sequence[tuple[tuple[str, ...], float]]]

expected_by_hand = AnswerCheck(
    recording=lambda: expectation_step.record({"ab": 8, "a": 3}, {"a": log(0.5), "b": log(0.2), "ab": log(0.3)}),
    answers=lambda recording: tuple(round(recording.result.counts[piece], 6) for piece in ("ab", "a")),
    sums=lambda recording: (
        "The posterior of ab as one piece: 0.3 / (0.3 + 0.5 * 0.2) = 0.75",
        "The posterior of a | b: 0.5 * 0.2 / (0.3 + 0.5 * 0.2) = 0.25",
        "The expected count of ab: 8 * 0.75 = 6",
        "The expected count of a: 8 * 0.25 + 3 * 1 = 5",
    ),
    names=("The expected count of ab", "The expected count of a"),
    rules=(
        "The posterior of a segmentation is its probability, divided by the sum over all segmentations of the word.",
        "Each segmentation with a piece adds its posterior, times the count of the word, to the expected count.",
    ),
)


# Expected counts.


def expected_counts(words: Mapping[str, int], ways: Ways) -> dict[str, float]:
    """Return the expected count of each piece, given each word's segmentations and their probabilities.

    >>> expected_counts({"ab": 8}, {"ab": [(("a", "b"), 0.125), (("ab",), 0.375)]})
    {'a': 2.0, 'b': 2.0, 'ab': 6.0}
    """
    counts: dict[str, float] = {}
    for word, count in words.items():
        total = sum(probability for _, probability in ways[word])
        for pieces, probability in ways[word]:
            for piece in pieces:
                counts[piece] = counts.get(piece, 0.0) + count * probability / total
    return counts


_WAYS: dict[str, list[tuple[str, ...]]] = {
    "ab": [("ab",), ("a", "b")],
    "a": [("a",)],
    "aa": [("a", "a"), ("aa",)],
    "aab": [("a", "ab"), ("aa", "b"), ("a", "a", "b")],
    "日本": [("日本",), ("日", "本")],
}


def _words_and_ways() -> Strategy:
    weights = inputs.of_length(3, st.sampled_from((0.25, 0.5, 0.125)))
    word = st.tuples(st.sampled_from(list(_WAYS)), st.sampled_from((1, 2, 3, 5)), weights)
    words = st.lists(word, min_size=1, max_size=3, unique_by=lambda drawn: drawn[0])
    return words.map(
        lambda drawn: (
            {word: count for word, count, _ in drawn},
            {word: list(zip(_WAYS[word], weights, strict=False)) for word, _, weights in drawn},
        )
    )


def _best_way_only(words: Mapping[str, int], ways: Ways) -> dict[str, float]:
    best = {word: [(max(ways[word], key=lambda way: way[1])[0], 1.0)] for word in words}
    return expected_counts(words, best)


count_expected = FunctionCheck(
    expected_counts,
    _words_and_ways,
    "Each occurrence of a piece in a segmentation adds the posterior of the segmentation, times the word's count.",
    examples=[({"ab": 8}, {"ab": [(("a", "b"), 0.125), (("ab",), 0.375)]})],
    edges=[({}, {})],
    wrong=(
        (_best_way_only, wrong.hard_em),
        (
            lambda words, ways: expected_counts(
                words, {w: [*ways[w], ((), 1 - sum(p for _, p in ways[w]))] for w in ways}
            ),
            "The probabilities of a word's segmentations do not sum to 1; divide each by their sum.",
        ),
        (
            lambda words, ways: expected_counts(dict.fromkeys(words, 1), ways),
            "A word that occurs 5 times contributes 5, not 1.",
        ),
    ),
    traced_calls=prefix_calls(lambda words: f"up to {[*words][-1]!r}", 0, 1, least=1),
    same=nearly_equal,
)


# Probabilities from expected counts.


def probabilities(counts: Mapping[str, float]) -> dict[str, float]:
    """Return each piece's share of the expected counts; those below 0.5 are dropped, or 0.5 if a character.

    >>> probabilities({"a": 0.25, "ab": 0.25, "abc": 1.5})
    {'a': 0.25, 'abc': 0.75}
    """
    return {piece: round(exp(value), 12) for piece, value in maximization_step(counts, log).items()}


def _expected() -> Strategy:
    counts = st.sampled_from((1.0, 0.5, 0.25, 2.0, 4.5, 0.0, 0.4999))
    pieces = st.sampled_from(("a", "b", "ab", "abc", "日", "日本"))
    some = st.dictionaries(pieces, counts, max_size=5)
    return st.tuples(some.map(lambda counts: {"a": 1.0} | counts))


def _drop(counts: Mapping[str, float], least: float, characters: float) -> dict[str, float]:
    kept = {p: max(c, characters) if len(p) == 1 else c for p, c in counts.items() if len(p) == 1 or c >= least}
    return {piece: count / sum(kept.values()) for piece, count in kept.items()}


estimate = FunctionCheck(
    probabilities,
    _expected,
    "Remove longer pieces below 0.5, set characters below 0.5 to 0.5, then divide by the sum of the remaining counts.",
    examples=[({"a": 0.25, "ab": 0.25, "abc": 1.5},), ({"a": 3.0, "ab": 1.0},)],
    wrong=(
        (lambda counts: _drop(counts, 0.0, 0.5), "A longer piece with an expected count below 0.5 is dropped."),
        (
            lambda counts: {piece: share for piece, share in _drop(counts, 0.5, 0.0).items() if share},
            "A character has a count of at least 0.5, however low its expected count is.",
        ),
        (
            lambda counts: {p: c / sum(counts.values()) for p, c in counts.items() if len(p) == 1 or c >= 0.5},
            "Divide by the sum of the new counts, so that the probabilities sum to 1.",
        ),
        (
            lambda counts: (
                _drop({p: c for p, c in counts.items() if c >= 0.5}, 0.5, 0.5) if max(counts.values()) >= 0.5 else {}
            ),
            "A character is never dropped.",
        ),
    ),
    traced_calls=prefix_calls(lambda counts: f"with {[*counts][-1]!r}", least=1),
    same=nearly_equal,
)


# Pruning.


def prune_by_loss_per_character(pieces: Mapping[str, tuple[float, float]], size: int) -> list[str]:
    """Return the kept pieces, sorted: all characters, and the pieces with the greatest loss per character.

    Args:
        pieces: the probability of each piece, and the increase of the loss without it.
        size: the maximum number of kept pieces, unless there are more characters.

    >>> prune_by_loss_per_character({"a": (0.5, 0), "ab": (0.1, 4), "abcd": (0.2, 6), "bc": (0.2, 0)}, 2)
    ['a', 'ab']
    """
    return _keep(pieces, size, lambda piece: -pieces[piece][1] / len(piece))


def _keep(pieces: Mapping[str, tuple[float, float]], size: int, key: Any, keep_zero_loss: bool = False) -> list[str]:
    characters = [piece for piece in pieces if len(piece) == 1]
    longer = [piece for piece in pieces if len(piece) > 1 and (keep_zero_loss or pieces[piece][1] > 0)]
    best = sorted(longer, key=lambda piece: (key(piece), piece))
    return sorted([*characters, *best[: max(0, size - len(characters))]])


def _pieces() -> Strategy:
    names = st.sampled_from(("a", "b", "ab", "ba", "abc", "aba", "abab", "日本"))
    numbers = st.tuples(st.sampled_from((0.1, 0.2, 0.05)), st.sampled_from((4, 0, 6, 3, 12)))
    drawn = st.dictionaries(names, numbers, min_size=1, max_size=6)
    # The loss of a character is not used, so it is 0 here.
    given = drawn.map(lambda pieces: {p: (q, loss if len(p) > 1 else 0) for p, (q, loss) in pieces.items()})
    return st.tuples(given, st.sampled_from((1, 2, 3, 4, 0, 9)))


def _increasing_sizes(pieces: Mapping[str, tuple[float, float]], size: int) -> Iterator[TracedCall]:
    for limit in range(size + 1):
        yield f"{limit} pieces", (pieces, limit)


keep_pieces = FunctionCheck(
    prune_by_loss_per_character,
    _pieces,
    "Keep all characters. Fill the remaining places with the longer pieces of the greatest loss per character above 0.",
    examples=[
        ({"a": (0.5, 0), "ab": (0.1, 4), "abcd": (0.2, 6), "bc": (0.2, 0)}, 2),
        ({"ab": (0.1, 4), "ba": (0.2, 4)}, 1),
        ({"ab": (0.1, 0), "ba": (0.2, 0), "c": (0.1, 0)}, 2),
    ],
    edges=[({}, 3)],
    wrong=(
        (lambda pieces, size: _keep(pieces, size, lambda p: -pieces[p][0], keep_zero_loss=True), wrong.prune_by_prob),
        (
            lambda pieces, size: sorted(sorted(pieces, key=lambda p: (-pieces[p][1] / len(p), p))[:size]),
            "A character is never removed, regardless of its loss.",
        ),
        (
            lambda pieces, size: _keep(pieces, size, lambda p: -pieces[p][1]),
            "Before the pieces are compared, each loss is divided by the length of the piece.",
        ),
        (
            lambda pieces, size: _keep(pieces, size, lambda p: -pieces[p][1] / len(p), keep_zero_loss=True),
            "A piece with loss 0 is removed, even if it would fit.",
        ),
    ),
    traced_calls=_increasing_sizes,
)


# Occurrences of a piece.

count_occurrences = FunctionCheck(
    lambda words: count_substrings(words, whole_words=True),
    lambda: st.tuples(inputs.word_counts(("a", "b", "日"))),
    "Every substring counts at every position where it occurs, in every word, times the word's count.",
    examples=[({"hug": 10, "hugs": 5},), ({"aa": 3},)],
    edges=[({},)],
    wrong=(
        (lambda words: wrong.word_count_not_occurrences(words, True), wrong.word_count_not_occurrences),
        (
            lambda words: {
                piece: sum(count for word, count in words.items() if piece in word)
                for piece in count_substrings(words, whole_words=True)
            },
            "A piece may occur at several positions of one word; each occurrence counts.",
        ),
        (
            lambda words: {
                piece: sum(count * word.count(piece) for word, count in words.items())
                for piece in count_substrings(words, whole_words=True)
            },
            "Overlapping occurrences count as well: aa occurs twice in aaa.",
        ),
    ),
    traced_calls=prefix_calls(lambda words: f"up to {[*words][-1]!r}", least=1),
    same=nearly_equal,
)


# Finding the bug of pruning by probability.


def _unusable(words: Any, pieces: Any) -> str:
    if not _maps(words, lambda count: isinstance(count, int) and not isinstance(count, bool) and count > 0):
        return 'Give the words with their counts, such as {"this": 9}.'
    if not _maps(pieces, lambda share: isinstance(share, float) and 0 < share < 1):
        return 'Give the pieces with their probabilities, each above 0 and below 1, such as {"t": 0.1, "this": 0.3}.'
    if missing := sorted({letter for text in (*words, *pieces) for letter in text} - set(pieces)):
        return f"The character {missing[0]!r} has no probability; every character of the words and pieces needs one."
    if sum(len(piece) > 1 for piece in pieces) != 2:
        return "Give exactly two pieces that are longer than a character: one is kept, and one is removed."
    if sum(pieces.values()) > 1 + 1e-9:
        return f"The probabilities sum to {sum(pieces.values()):.3g}; their sum may not be more than 1."
    return ""


def _maps(given: Any, fits: Callable[[Any], bool]) -> bool:
    """Whether this is a non-empty dict from non-empty str to values that fit."""
    if not isinstance(given, dict) or not given:
        return False
    return all(isinstance(key, str) and key and fits(value) for key, value in given.items())


def _longer_kept(program: Callable[..., Any], words: Mapping[str, int], pieces: Mapping[str, float]) -> tuple[str, ...]:
    """Prune to the size that leaves room for one longer piece, and return that piece."""
    vocabulary = {piece: log(value) for piece, value in pieces.items()}
    return tuple(piece for piece in program(words, vocabulary, len(pieces) - 1) if len(piece) > 1)


bug_in_probability = BugCheck(
    program=wrong.prune_by_prob,
    right=lambda words, vocabulary, size: prune(piece_losses(words, vocabulary), vocabulary, size),
    input_problem=_unusable,
    example=({"this": 9}, {"t": 0.1, "h": 0.1, "i": 0.1, "s": 0.1, "his": 0.3, "this": 0.2}),
    use=_longer_kept,
)
