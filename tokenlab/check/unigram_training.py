"""The checks of lesson 07: counting by shares, probabilities from expected counts, and what a pruning keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import exp, isclose, log
from typing import TYPE_CHECKING, Any

from tokenlab.algorithms.unigram_count import count_substrings
from tokenlab.algorithms.unigram_em import expect, maximize
from tokenlab.algorithms.unigram_prune import judge, prune
from tokenlab.check import inputs
from tokenlab.check.answers import AnswerCheck, BugCheck
from tokenlab.check.functions import FunctionCheck
from tokenlab.check.traces import Question
from tokenlab.misconceptions import rule_of
from tokenlab.misconceptions import unigram_training as wrong

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Ways = Mapping[str, Sequence[tuple[tuple[str, ...], float]]]

expected_by_hand = AnswerCheck(
    recording=lambda: expect.record({"ab": 8, "a": 3}, {"a": log(0.5), "b": log(0.2), "ab": log(0.3)}),
    answers=lambda recording: tuple(round(recording.result.counts[piece], 6) for piece in ("ab", "a")),
    names=("The expected count of ab", "The expected count of a"),
    rules=(
        "A segmentation's share is its probability, divided by that of all segmentations of the word together.",
        "A piece gets the share of every segmentation that has it, times the word's count, from all words.",
    ),
)


# Counting by shares.


def expected_counts(words: Mapping[str, int], ways: Ways) -> dict[str, float]:
    """How often each piece is expected, if each word's segmentations and their probabilities are listed.

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


def _words_and_ways() -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    weights = st.lists(st.sampled_from((0.25, 0.5, 0.125)), min_size=3, max_size=3)
    word = st.tuples(st.sampled_from(list(_WAYS)), st.sampled_from((1, 2, 3, 5)), weights)
    words = st.lists(word, min_size=1, max_size=3, unique_by=lambda drawn: drawn[0])
    return words.map(
        lambda drawn: (
            {word: count for word, count, _ in drawn},
            {word: list(zip(_WAYS[word], weights, strict=False)) for word, _, weights in drawn},
        )
    )


def _more_words(words: Mapping[str, int], ways: Ways) -> Iterator[Question]:
    for number in range(1, len(words) + 1):
        seen = list(words)[:number]
        yield f"up to {seen[-1]!r}", ({word: words[word] for word in seen}, {word: ways[word] for word in seen})


def _close(mine: Any, right: Any) -> bool:
    """Whether two mappings have the same keys and nearly the same numbers."""
    if not isinstance(mine, Mapping) or set(mine) != set(right):
        return False
    return all(isclose(mine[key], right[key], rel_tol=1e-6, abs_tol=1e-9) for key in right)


def _best_way_only(words: Mapping[str, int], ways: Ways) -> dict[str, float]:
    best = {word: [(max(ways[word], key=lambda way: way[1])[0], 1.0)] for word in words}
    return expected_counts(words, best)


count_shares = FunctionCheck(
    expected_counts,
    _words_and_ways,
    "A piece gets the share of each segmentation that has it, as often as it has it, times the word's count.",
    examples=[({"ab": 8}, {"ab": [(("a", "b"), 0.125), (("ab",), 0.375)]})],
    edges=[({}, {})],
    wrong=(
        (_best_way_only, rule_of(wrong.hard_em)),
        (
            lambda words, ways: expected_counts(
                words, {w: [*ways[w], ((), 1 - sum(p for _, p in ways[w]))] for w in ways}
            ),
            "The probabilities of a word's segmentations do not add up to one; divide each by their sum.",
        ),
        (
            lambda words, ways: expected_counts(dict.fromkeys(words, 1), ways),
            "A word that occurs five times hands out five, not one.",
        ),
    ),
    asking=_more_words,
    same=_close,
)


# Probabilities from expected counts.


def probabilities(counts: Mapping[str, float]) -> dict[str, float]:
    """Each piece's share of all expected counts; longer pieces below a half are dropped, characters count a half.

    >>> probabilities({"a": 0.25, "ab": 0.25, "abc": 1.5})
    {'a': 0.25, 'abc': 0.75}
    """
    return {piece: round(exp(value), 12) for piece, value in maximize(counts, log).items()}


def _expected() -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    counts = st.sampled_from((1.0, 0.5, 0.25, 2.0, 4.5, 0.0, 0.4999))
    pieces = st.sampled_from(("a", "b", "ab", "abc", "日", "日本"))
    some = st.dictionaries(pieces, counts, max_size=5)
    return st.tuples(some.map(lambda counts: {"a": 1.0} | counts))


def _more_pieces(counts: Mapping[str, float]) -> Iterator[Question]:
    for number in range(1, len(counts) + 1):
        seen = dict(list(counts.items())[:number])
        yield f"with {list(seen)[-1]!r}", (seen,)


def _drop(counts: Mapping[str, float], least: float, characters: float) -> dict[str, float]:
    kept = {p: max(c, characters) if len(p) == 1 else c for p, c in counts.items() if len(p) == 1 or c >= least}
    return {piece: count / sum(kept.values()) for piece, count in kept.items()}


estimate = FunctionCheck(
    probabilities,
    _expected,
    "Drop longer pieces below a half, raise characters to a half, then divide each by the sum of what is left.",
    examples=[({"a": 0.25, "ab": 0.25, "abc": 1.5},), ({"a": 3.0, "ab": 1.0},)],
    wrong=(
        (lambda counts: _drop(counts, 0.0, 0.5), "A longer piece that is expected less than half a time is dropped."),
        (
            lambda counts: {piece: share for piece, share in _drop(counts, 0.5, 0.0).items() if share},
            "A character counts a half at least, however rarely it is expected.",
        ),
        (
            lambda counts: {p: c / sum(counts.values()) for p, c in counts.items() if len(p) == 1 or c >= 0.5},
            "Divide by the sum of what is left after dropping and raising, so that the shares add up to one.",
        ),
        (
            lambda counts: (
                _drop({p: c for p, c in counts.items() if c >= 0.5}, 0.5, 0.5) if max(counts.values()) >= 0.5 else {}
            ),
            "A character is never dropped.",
        ),
    ),
    asking=_more_pieces,
    same=_close,
)


# What a pruning keeps.


def keep_by_length(pieces: Mapping[str, tuple[float, float]], size: int) -> list[str]:
    """Which pieces stay, sorted: characters, then those with the greatest loss for each of their characters.

    Args:
        pieces: the probability of each piece, and by how much the loss rises without it.
        size: how many pieces stay at the most, unless there are more characters.

    >>> keep_by_length({"a": (0.5, 0), "ab": (0.1, 4), "abcd": (0.2, 6), "bc": (0.2, 0)}, 2)
    ['a', 'ab']
    """
    return _keep(pieces, size, lambda piece: -pieces[piece][1] / len(piece))


def _keep(pieces: Mapping[str, tuple[float, float]], size: int, key: Any, useless: bool = False) -> list[str]:
    characters = [piece for piece in pieces if len(piece) == 1]
    longer = [piece for piece in pieces if len(piece) > 1 and (useless or pieces[piece][1] > 0)]
    best = sorted(longer, key=lambda piece: (key(piece), piece))
    return sorted([*characters, *best[: max(0, size - len(characters))]])


def _pieces() -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    names = st.sampled_from(("a", "b", "ab", "ba", "abc", "aba", "abab", "日本"))
    numbers = st.tuples(st.sampled_from((0.1, 0.2, 0.05)), st.sampled_from((4, 0, 6, 3, 12)))
    drawn = st.dictionaries(names, numbers, min_size=1, max_size=6)
    # Whether a character is missed is not asked, so its loss is 0 here.
    given = drawn.map(lambda pieces: {p: (q, loss if len(p) > 1 else 0) for p, (q, loss) in pieces.items()})
    return st.tuples(given, st.sampled_from((1, 2, 3, 4, 0, 9)))


def _larger(pieces: Mapping[str, tuple[float, float]], size: int) -> Iterator[Question]:
    for smaller in range(size + 1):
        yield f"{smaller} pieces", (pieces, smaller)


keep_pieces = FunctionCheck(
    keep_by_length,
    _pieces,
    "Characters stay and count towards the size; then the greatest loss for each character; what costs nothing goes.",
    examples=[
        ({"a": (0.5, 0), "ab": (0.1, 4), "abcd": (0.2, 6), "bc": (0.2, 0)}, 2),
        ({"ab": (0.1, 4), "ba": (0.2, 4)}, 1),
        ({"ab": (0.1, 0), "ba": (0.2, 0), "c": (0.1, 0)}, 2),
    ],
    edges=[({}, 3)],
    wrong=(
        (lambda pieces, size: _keep(pieces, size, lambda p: -pieces[p][0], useless=True), rule_of(wrong.prune_by_prob)),
        (
            lambda pieces, size: sorted(sorted(pieces, key=lambda p: (-pieces[p][1] / len(p), p))[:size]),
            "A character is never removed, whatever its loss.",
        ),
        (
            lambda pieces, size: _keep(pieces, size, lambda p: -pieces[p][1]),
            "The loss is divided by the length of the piece before pieces are compared.",
        ),
        (
            lambda pieces, size: _keep(pieces, size, lambda p: -pieces[p][1] / len(p), useless=True),
            "A piece whose removal costs nothing goes, even if there is room for it.",
        ),
    ),
    asking=_larger,
)


# Where a piece occurs.


def occurrences(words: Mapping[str, int]) -> dict[str, int]:
    """How often each substring occurs in the words, times their counts.

    >>> occurrences({"aa": 3})
    {'a': 6, 'aa': 3}
    """
    return count_substrings(words, whole_words=True)


def _more_of_the_words(words: Mapping[str, int]) -> Iterator[Question]:
    for number in range(1, len(words) + 1):
        seen = dict(list(words.items())[:number])
        yield f"up to {list(seen)[-1]!r}", (seen,)


count_occurrences = FunctionCheck(
    occurrences,
    lambda: inputs.several(inputs.word_counts(("a", "b", "日"))),
    "Every substring counts at every place where it stands, in every word, times the word's count.",
    examples=[({"hug": 10, "hugs": 5},), ({"aa": 3},)],
    edges=[({},)],
    wrong=(
        (lambda words: wrong.word_count_not_occurrences(words, True), rule_of(wrong.word_count_not_occurrences)),
        (
            lambda words: {
                piece: sum(count for word, count in words.items() if piece in word) for piece in occurrences(words)
            },
            "A piece may stand at several places of one word; each of them counts.",
        ),
        (
            lambda words: {
                piece: sum(count * word.count(piece) for word, count in words.items()) for piece in occurrences(words)
            },
            "Places that overlap count as well: aa stands twice in aaa.",
        ),
    ),
    asking=_more_of_the_words,
    same=_close,
)


# Finding the bug of pruning by probability.


def _unusable(words: Any, pieces: Any) -> str:
    if not _maps(words, lambda count: isinstance(count, int) and not isinstance(count, bool) and count > 0):
        return 'Write the words with their counts, such as {"this": 9}.'
    if not _maps(pieces, lambda share: isinstance(share, float) and 0 < share < 1):
        return 'Write the pieces with their probabilities, each above 0 and below 1, such as {"t": 0.1, "this": 0.3}.'
    if missing := sorted({letter for text in (*words, *pieces) for letter in text} - set(pieces)):
        return f"The character {missing[0]!r} has no probability; every character of the words and pieces needs one."
    if sum(len(piece) > 1 for piece in pieces) != 2:
        return "Take exactly two pieces that are longer than a character: one will stay, one will go."
    if sum(pieces.values()) > 1 + 1e-9:
        return f"The probabilities add up to {sum(pieces.values()):.3g}; together they may not be more than 1."
    return ""


def _maps(given: Any, fits: Callable[[Any], bool]) -> bool:
    """Whether this is a dict from texts, none of them empty, to values that fit."""
    if not isinstance(given, dict) or not given:
        return False
    return all(isinstance(key, str) and key and fits(value) for key, value in given.items())


def _longer_kept(kept: Mapping[str, float]) -> tuple[str, ...]:
    return tuple(piece for piece in kept if len(piece) > 1)


def _vocabulary(pieces: Mapping[str, float]) -> tuple[dict[str, float], int]:
    """Log probabilities, and the size that leaves room for one longer piece."""
    return {piece: log(value) for piece, value in pieces.items()}, len(pieces) - 1


def _by_probability(words: Mapping[str, int], pieces: Mapping[str, float]) -> tuple[str, ...]:
    vocabulary, size = _vocabulary(pieces)
    return _longer_kept(wrong.prune_by_prob(words, vocabulary, size))


def _by_loss(words: Mapping[str, int], pieces: Mapping[str, float]) -> tuple[str, ...]:
    vocabulary, size = _vocabulary(pieces)
    return _longer_kept(prune(judge(words, vocabulary), vocabulary, size))


bug_in_probability = BugCheck(
    wrong=_by_probability,
    right=_by_loss,
    needs=_unusable,
    rule=rule_of(wrong.prune_by_prob),
    example=({"this": 9}, {"t": 0.1, "h": 0.1, "i": 0.1, "s": 0.1, "his": 0.3, "this": 0.2}),
)
