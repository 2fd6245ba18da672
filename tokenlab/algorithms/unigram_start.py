"""Where Unigram training starts: words as strings with their counts, the alphabet, and what was asked for.

>>> start = Start({("h", "u", "g"): 10, "pug": 5}, vocab_size=20)
>>> start.words, start.scores, start.enough
({'hug': 10, 'pug': 5}, {'h': 10, 'u': 15, 'g': 15, 'p': 5, 'hug': 30, 'ug': 30}, 22)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sized
from math import log
from typing import Any, Literal, TypeAlias, TypedDict

from tokenlab.algorithms.unigram_em import digamma
from tokenlab.algorithms.unigram_seed import alphabet_of, seed_scores
from tokenlab.errors import by_name, whole_number
from tokenlab.visible import visible

Words: TypeAlias = Mapping[Any, int]  # a word is a str, or the tuple of its characters, as `count_words` gives it


ESTIMATES: dict[str, Callable[[float], float]] = {"digamma": digamma, "log": log}


class Options(TypedDict, total=False):
    """What training can be asked for besides words and size; the defaults are sentencepiece's."""

    longest: int  # no piece of the seed has more characters than this: 16
    seed_size: int  # how many substrings, at most, the seed has besides the alphabet: 1,000,000
    seed: Mapping[str, int] | None  # a seed of one's own: pieces and their scores
    sub_iterations: int  # how many E-steps and M-steps stand between two prunings: 2
    shrinking_factor: float  # the share of the pieces that a pruning keeps: 0.75
    estimate: Literal["digamma", "log"]  # what the M-step takes of an expected count; "log" is maximum likelihood


class Start:
    """The checked arguments of a training run, and the scores of its seed."""

    def __init__(
        self,
        word_counts: Words,
        vocab_size: int,
        longest: int = 16,
        seed_size: int = 1_000_000,
        seed: Mapping[str, int] | None = None,
        sub_iterations: int = 2,
        shrinking_factor: float = 0.75,
        estimate: Literal["digamma", "log"] = "digamma",
    ) -> None:
        """Check what `unigram_train.train` is given.

        Raises:
            ValueError, TypeError: as `unigram_train.train`.
        """
        self.words = words_of(word_counts)
        alphabet = alphabet_of(self.words)
        self.vocab_size = checked_size(vocab_size, alphabet)
        whole_number("longest", longest, at_least=1)
        whole_number("seed_size", seed_size, at_least=0)
        self.sub_iterations = whole_number("sub_iterations", sub_iterations, at_least=1)
        self.shrinking_factor = share("shrinking_factor", shrinking_factor)
        self.estimate = by_name("estimate", estimate, ESTIMATES)
        self.scores = seed_scores(self.words, seed_size, longest) if seed is None else _own_seed(seed, alphabet)

    @property
    def enough(self) -> int:
        """The size at which training stops, a tenth above what is wanted; the final cut takes the rest."""
        # As in sentencepiece, multiplied as floating-point numbers and then cut off.
        return int(self.vocab_size * 1.1)

    def size_after(self, vocabulary: Sized) -> int:
        """How many pieces a pruning keeps."""
        return max(self.enough, int(self.shrinking_factor * len(vocabulary)))


def share(argument: str, given: Any) -> float:
    """The number, if it lies between 0 and 1.

    >>> share("shrinking_factor", 1)
    Traceback (most recent call last):
    ...
    ValueError: shrinking_factor=1 should lie above 0 and below 1: it is a share of the pieces
    """
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise TypeError(f"{argument}={given!r:.60} is no number; give one such as 0.75")
    if not 0 < given < 1:
        raise ValueError(f"{argument}={given} should lie above 0 and below 1: it is a share of the pieces")
    return given


def _own_seed(seed: Any, alphabet: Mapping[str, int]) -> dict[str, int]:
    """The alphabet with its counts, then the learner's own pieces."""
    if not isinstance(seed, Mapping):
        raise TypeError(f"seed={seed!r:.60} is a {type(seed).__name__}; it should map pieces to scores")
    for piece, score in seed.items():
        if not isinstance(piece, str) or not piece:
            raise TypeError(f"seed has {piece!r:.60} among its pieces; a piece is a str of one character or more")
        whole_number(f"seed[{piece!r:.60}]", score, at_least=1)
    return {**alphabet, **{piece: score for piece, score in seed.items() if len(piece) > 1}}


def words_of(word_counts: Words) -> dict[str, int]:
    """Check what is trained on, and make each word a string; empty words are left out.

    Raises:
        TypeError: no mapping, words that are not made of characters, counts that are not whole.
        ValueError: no word, or a count below 1.

    >>> words_of({"hug": 0.5})
    Traceback (most recent call last):
    ...
    TypeError: word_counts['hug']=0.5 is a float; give a whole number, such as 100
    """
    if not isinstance(word_counts, Mapping):
        raise TypeError(
            f"word_counts={word_counts!r:.60} is a {type(word_counts).__name__}; it should map words to counts, "
            'such as {"hug": 10, "pug": 5}; count_words(text) makes them from a text'
        )
    words: Counter[str] = Counter()
    for word, count in word_counts.items():
        words[_string(word)] += whole_number(f"word_counts[{word!r:.60}]", count, at_least=1)
    words.pop("", None)
    if not words:
        raise ValueError("word_counts has no word, so there is nothing to learn from; give a text with words in it")
    return dict(words)


def _string(word: Any) -> str:
    if isinstance(word, str):
        return word
    if isinstance(word, tuple) and all(isinstance(symbol, str) and len(symbol) == 1 for symbol in word):
        return "".join(word)
    raise TypeError(
        f"the word {word!r:.60} in word_counts should be a str or a tuple of single characters: "
        "Unigram's pieces are made of characters, as count_words(text) gives them"
    )


def checked_size(vocab_size: int, alphabet: Mapping[str, int]) -> int:
    """The size that is wanted, if the alphabet fits.

    Raises:
        ValueError, TypeError: it does not, or this is no whole number.

    >>> checked_size(2, {"a": 1, "b": 1, "\\n": 1})
    Traceback (most recent call last):
    ...
    ValueError: vocab_size=2 is smaller than the alphabet of your corpus (3 characters: ↵ a b); ask for at least 3
    """
    size = whole_number("vocab_size", vocab_size)
    if size < len(alphabet):
        shown = " ".join(map(visible, sorted(alphabet)[:20])) + (" ..." if len(alphabet) > 20 else "")
        raise ValueError(
            f"vocab_size={size} is smaller than the alphabet of your corpus ({len(alphabet)} characters: {shown}); "
            f"ask for at least {len(alphabet)}"
        )
    return size
