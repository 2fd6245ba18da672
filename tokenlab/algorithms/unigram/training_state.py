"""The initial state of Unigram training, and its stages as steps, which both `train` and `train_arrays` report.

The state has the words as str or bytes with their counts, the alphabet, and the options. The stages are the seed, the
E-step, the M-step, pruning, and the final cut; tests compare those of the two.

>>> start = TrainingState({("h", "u", "g"): 10, "pug": 5}, vocab_size=20)
>>> start.words, start.scores, start.desired_vocab_size
({'hug': 10, 'pug': 5}, {'h': 10, 'u': 15, 'g': 15, 'p': 5, 'hug': 30, 'ug': 30}, 22)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sized
from math import log
from typing import Any, AnyStr, Generic, Literal, TypeAlias, TypedDict

from tokenlab.algorithms.bpe.train import check_vocab_size, check_word_counts
from tokenlab.algorithms.unigram.expectation_maximization import digamma
from tokenlab.algorithms.unigram.seed import character_counts, seed_scores
from tokenlab.printing.errors import as_list, check_integer, lookup
from tokenlab.printing.printable import Symbol, count_noun, unit
from tokenlab.steps.recording import step


@step
class SeedBuilt(Generic[AnyStr]):
    """The seed: the score of each character (its count) and of each substring (its count times its length)."""

    scores: dict[AnyStr, int]

    def __str__(self) -> str:
        characters = sum(len(piece) == 1 for piece in self.scores)
        longer = count_noun(len(self.scores) - characters, "longer substring")
        kinds = f"{count_noun(characters, unit(next(iter(self.scores))))} and {longer}"
        return f"the seed has {count_noun(len(self.scores), 'piece')}: {kinds}"


@step
class ExpectationDone(Generic[AnyStr]):
    """The E-step: the expected count of each piece, and the objective."""

    counts: dict[AnyStr, float]
    objective: float

    def __str__(self) -> str:
        total = f"{sum(self.counts.values()):,.1f}"
        return f"E-step: the expected counts of all pieces sum to {total}; the objective is {self.objective:.3f}"


@step
class MaximizationDone(Generic[AnyStr]):
    """The M-step: the log probability of each remaining piece, and the pieces dropped as too rare."""

    vocabulary: dict[AnyStr, float]
    dropped: tuple[AnyStr, ...]

    def __str__(self) -> str:
        dropped = f"; {len(self.dropped):,} others are too rare and are dropped" if self.dropped else ""
        return (
            f"M-step: the expected counts give {count_noun(len(self.vocabulary), 'piece')} new probabilities{dropped}"
        )


@step
class Pruned(Generic[AnyStr]):
    """The loss of removing each piece (0: it is useless), and the removed pieces."""

    losses: dict[AnyStr, float]
    removed: tuple[AnyStr, ...]

    def __str__(self) -> str:
        useless = sum(self.losses[piece] == 0 for piece in self.removed)
        useless_ones = f"{count_noun(useless, 'piece')} that no best segmentation uses, and " if useless else ""
        others = count_noun(len(self.removed) - useless, "piece")
        return f"pruning removes {useless_ones}{others} with the smallest loss"


@step
class VocabularyFinalized(Generic[AnyStr]):
    """The final cut: the alphabet and the most probable pieces."""

    vocabulary: dict[AnyStr, float]
    target_size: int

    def __str__(self) -> str:
        size, kind = len(self.vocabulary), unit(next(iter(self.vocabulary)))
        few = (
            f"; {self.target_size:,} were requested, but no more pieces were useful" if size < self.target_size else ""
        )
        return f"the vocabulary is final: {count_noun(size, 'piece')}, including all {kind}s{few}"


Stage: TypeAlias = (
    SeedBuilt[AnyStr]
    | ExpectationDone[AnyStr]
    | MaximizationDone[AnyStr]
    | Pruned[AnyStr]
    | VocabularyFinalized[AnyStr]
)
Words: TypeAlias = Mapping[Any, int]  # a word is a str or bytes, or the tuple of its symbols, as in `count_words`
ESTIMATES: dict[str, Callable[[float], float]] = {"digamma": digamma, "log": log}


class Options(TypedDict, total=False):
    """The options of training; the defaults are sentencepiece's."""

    initial_alphabet: Iterable[Symbol]  # symbols that belong to the vocabulary even if no word has them: none
    longest: int  # the maximum length of a seed piece, in characters (or bytes): 16
    seed_size: int  # the maximum number of seed substrings, in addition to the alphabet: 1,000,000
    seed: Mapping[Any, int] | None  # a custom seed: pieces and their scores
    sub_iterations: int  # the number of E-steps and M-steps between two prunings: 2
    shrinking_factor: float  # the fraction of the pieces that a pruning keeps: 0.75
    estimate: Literal["digamma", "log"]  # the function of the M-step; "log" is maximum likelihood


class TrainingState:
    """The checked arguments of a training run, and the scores of its seed."""

    def __init__(
        self,
        word_counts: Words,
        vocab_size: int,
        initial_alphabet: Iterable[Symbol] = (),
        longest: int = 16,
        seed_size: int = 1_000_000,
        seed: Mapping[Any, int] | None = None,
        sub_iterations: int = 2,
        shrinking_factor: float = 0.75,
        estimate: Literal["digamma", "log"] = "digamma",
    ) -> None:
        self.words: dict[Any, int] = check_words(word_counts)
        kind = type(next(iter(self.words)))
        alphabet = character_counts(self.words)
        # A symbol that no word has counts once: a count of 0 has no logarithm.
        alphabet |= {symbol: 1 for symbol in _check_symbols(initial_alphabet, kind) if symbol not in alphabet}
        self.vocab_size = check_vocab_size(vocab_size, alphabet)
        check_integer("longest", longest, at_least=1)
        check_integer("seed_size", seed_size, at_least=0)
        self.sub_iterations = check_integer("sub_iterations", sub_iterations, at_least=1)
        self.shrinking_factor = check_fraction("shrinking_factor", shrinking_factor)
        self.estimate = lookup("estimate", estimate, ESTIMATES)
        longer = seed_scores(self.words, seed_size, longest) if seed is None else _check_seed(seed, kind)
        self.scores: dict[Any, int] = alphabet | {piece: score for piece, score in longer.items() if len(piece) > 1}

    @property
    def desired_vocab_size(self) -> int:
        """The size at which pruning stops, 10 % above vocab_size; the final cut removes the rest."""
        # As in sentencepiece, multiplied as floating-point numbers and then truncated.
        return int(self.vocab_size * 1.1)

    def size_after(self, vocabulary: Sized) -> int:
        """Return the number of pieces that a pruning keeps."""
        return max(self.desired_vocab_size, int(self.shrinking_factor * len(vocabulary)))


def check_fraction(argument: str, given: Any) -> float:
    """Return the number if it is between 0 and 1.

    >>> check_fraction("shrinking_factor", 1)
    Traceback (most recent call last):
    ...
    ValueError: shrinking_factor=1 should lie above 0 and below 1: it is a share of the pieces
    """
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise TypeError(f"{argument}={given!r:.60} is no number; give one such as 0.75")
    if not 0 < given < 1:
        raise ValueError(f"{argument}={given} should lie above 0 and below 1: it is a share of the pieces")
    return given


def _check_symbols(initial_alphabet: Iterable[Symbol], kind: type[AnyStr]) -> list[AnyStr]:
    symbols = as_list("initial_alphabet", initial_alphabet)
    for symbol in symbols:
        if not isinstance(symbol, kind) or len(symbol) != 1:
            raise TypeError(
                f"initial_alphabet has {symbol!r:.60}; as the words are {kind.__name__}, give single {unit(kind())}s"
            )
    return symbols


def _check_seed(seed: Any, kind: type[AnyStr]) -> Mapping[AnyStr, int]:
    """Return the pieces of a custom seed, checked."""
    if not isinstance(seed, Mapping):
        raise TypeError(f"seed={seed!r:.60} is a {type(seed).__name__}; it should map pieces to scores")
    for piece, score in seed.items():
        if not isinstance(piece, kind) or not piece:
            raise TypeError(
                f"seed has {piece!r:.60} among its pieces; a piece is a {kind.__name__} of one {unit(kind())} or more"
            )
        check_integer(f"seed[{piece!r:.60}]", score, at_least=1)
    return seed


def check_words(word_counts: Words) -> dict[Any, int]:
    """Check the word counts, and return them with all words as str or all as bytes; empty words are left out.

    Raises:
        TypeError: not a mapping, a word that is not made of characters or of bytes, or a count that is not an integer.
        ValueError: there is no word, or a count is below 1.

    >>> check_words({"hug": 1, ("h", "u", "g"): 2})
    {'hug': 3}
    """
    words: Counter[Any] = Counter()
    for word, count in check_word_counts(word_counts).items():
        words[_joined(word)] += count
    words = Counter({word: count for word, count in words.items() if word})
    if len({type(word) for word in words}) > 1:
        raise TypeError("word_counts has words of characters and words of bytes; give words of one kind")
    if not words:
        raise ValueError("word_counts has no word, so there is nothing to learn from; give a text with words in it")
    return dict(words)


def _joined(word: Any) -> str | bytes:
    if isinstance(word, str | bytes):
        return word
    if isinstance(word, tuple):
        for kind in (str, bytes):
            if all(isinstance(symbol, kind) and len(symbol) == 1 for symbol in word):
                return kind().join(word)
    raise TypeError(
        f"the word {word!r:.60} in word_counts should be a str or a tuple of single characters, or bytes or a tuple of "
        "single bytes, as count_words(text) gives them"
    )
