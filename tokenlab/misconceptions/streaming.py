"""Beliefs about likeness, about texts that come token by token, and about who writes the start that are wrong.

>>> from tokenlab.algorithms.held_bytes import come_out
>>> smile = "🙂".encode()
>>> decode_each_token([smile[:3], smile[3:]]), come_out([smile[:3], smile[3:]])
(('�', '�'), ('', '🙂'))
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt
from statistics import fmean

from tokenlab.algorithms.attention_head import Matrix, Vector, dot
from tokenlab.algorithms.contrastive import likeness
from tokenlab.misconceptions.bpe import Misconception

# 50. A token is a character.


def decode_each_token(tokens: Iterable[bytes]) -> tuple[str, ...]:
    """Make text of each token by itself, and show it."""
    return tuple(token.decode(errors="replace") for token in tokens)


def hold_forever_on_fffd(tokens: Iterable[bytes]) -> tuple[str, ...]:
    """Wait as long as the text ends in the sign for damage; it may stand in the text itself, and then nobody comes.

    >>> hold_forever_on_fffd([b"a", "�".encode()])
    ('a', '')
    """
    texts, held = [], b""
    for token in tokens:
        text, held = held_by_its_text(held + token)
        texts.append(text)
    return tuple(texts)


def held_by_its_text(held: bytes) -> tuple[str, bytes]:
    """The text that may be shown, and the bytes that are held on, if one looks at the text that they make.

    >>> held_by_its_text("a�".encode())
    ('', b'a\\xef\\xbf\\xbd')
    """
    text = held.decode(errors="replace")
    return ("", held) if text.endswith("�") else (text, b"")


# 51. The library puts the start there, or it does not.


def double_bos(ids: Sequence[int], start: int) -> tuple[int, ...]:
    """Put a start in front of whatever comes, so that what has one begins twice.

    >>> double_bos([0, 8], 0)
    (0, 0, 8)
    """
    return (start, *ids)


def no_bos(ids: Sequence[int], start: int) -> tuple[int, ...]:
    """Believe that somebody has put the start there already.

    >>> no_bos([8], 0)
    (8,)
    """
    return tuple(ids)


# 86. Two states are alike if their product is large.


def product_as_likeness(left: Vector, right: Vector) -> float:
    """Take the product for the likeness: who is long is like everybody.

    >>> product_as_likeness([1, 1], [9, 0]), product_as_likeness([1, 1], [1, 1])
    (9, 2)
    """
    return dot(left, right)


def one_length_alone(left: Vector, right: Vector) -> float:
    """Divide by the length of one of the two.

    >>> one_length_alone([3, 4], [6, 8])
    10.0
    """
    return dot(left, right) / sqrt(dot(left, left))


# 87. What counts is the past in the mean, or its last token.


def choice_by(penalty_of: Sequence[float], probabilities: Sequence[float], alpha: float) -> int:
    """The candidate with the best score, with another penalty.

    >>> choice_by([1, 0], [0.6, 0.3], 0.5)
    1
    """
    both = zip(probabilities, penalty_of, strict=True)
    scores = [(1 - alpha) * probability - alpha * penalty for probability, penalty in both]
    return scores.index(max(scores))


def mean_of_the_past(probabilities: Sequence[float], states: Matrix, past: Matrix, alpha: float) -> int:
    """Compare with all of the past in the mean: a single word that comes back does not count."""
    return choice_by([fmean(likeness(state, one) for one in past) for state in states], probabilities, alpha)


def last_token_alone(probabilities: Sequence[float], states: Matrix, past: Matrix, alpha: float) -> int:
    """Compare with the token before alone: text goes in circles of two."""
    return choice_by([likeness(state, past[-1]) for state in states], probabilities, alpha)


def likeness_rewarded(probabilities: Sequence[float], states: Matrix, past: Matrix, alpha: float) -> int:
    """Add the likeness, so that the text repeats itself the more, the larger alpha is."""
    penalties = [-max(likeness(state, one) for one in past) for state in states]
    return choice_by(penalties, probabilities, alpha)


MISCONCEPTIONS = [
    Misconception(
        50,
        "a token is a character",
        "A character may need several tokens: its bytes are held until it is whole, and then shown at once. The sign � "
        "may stand in the text itself: look at the bytes, not at the text that they make.",
        (decode_each_token, hold_forever_on_fffd),
    ),
    Misconception(
        51,
        "the library adds the start, or it does not",
        "The start stands in front once: put it there where it is missing, and nowhere else.",
        (double_bos, no_bos),
    ),
    Misconception(
        86,
        "states are alike if their product is large",
        "Likeness is the product divided by both lengths: it asks for the direction, and not for the length.",
        (product_as_likeness, one_length_alone),
    ),
    Misconception(
        87,
        "the past counts in the mean",
        "The penalty is the largest likeness to a token so far, and it is subtracted.",
        (mean_of_the_past, last_token_alone, likeness_rewarded),
    ),
]
