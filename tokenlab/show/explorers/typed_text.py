"""Checks of typed texts: their length, their words, and whether a tokenizer accepts them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tokenlab.algorithms.text.count_words import count_words

LONGEST_TEXT = 20_000  # characters of a text that is processed at every key press without delay
LONGEST_WITHOUT_NUMPY = 2_000  # characters of a text from which a textbook function learns in less than a second
LONGEST_WORD = 200  # characters of a word whose lattice is drawn
LONGEST_TYPED = 400  # characters of a text for a T5
MOST_TOKENS = 64  # tokens of a text for a T5, whose matrices are shown


def check_characters(text: str, most: int = LONGEST_TEXT, whole: str = "train_indexed", name: str = "text") -> str:
    """Return the text, or raise a ValueError if it is too long to process at every key press.

    Args:
        text: the typed text.
        most: the largest number of characters.
        whole: the function that takes texts of any length.
        name: the label of the control.
    """
    if len(text) > most:
        raise ValueError(
            f"{name} is {len(text):,} characters long, too long to process at every key press; "
            f"take at most {most:,} here, or call {whole} on the whole {name}"
        )
    return text


def count_typed_words(text: str, whole: str = "train_indexed") -> Mapping[Any, int]:
    """Return the counts of the words of a typed text, from which an algorithm learns.

    Raises:
        ValueError: the text is too long, or it has no word.
    """
    counts = count_words(check_characters(text, whole=whole))
    if not counts:
        raise ValueError("text has no word yet; type a few words")
    return counts


def lacks_numpy(text: str) -> bool:
    """Whether numpy is missing, so that the textbook function trains; it yields the same steps, but takes longer.

    Raises:
        ValueError: numpy is missing, and the text is too long for the textbook function.
    """
    try:
        import numpy  # noqa: F401
    except ImportError:
        if len(text) > LONGEST_WITHOUT_NUMPY:
            raise ValueError(
                f"text is {len(text):,} characters long, which takes too long without numpy; take at most "
                f"{LONGEST_WITHOUT_NUMPY:,} here, or install numpy"
            ) from None
        return True
    return False


def largest_size(text: str, vocab_size: int) -> int:
    """Return the slider's maximum: 200 merges more than the alphabet of the text, and at least 300."""
    return max(300, vocab_size, len(set(text)) + 200)


def encode_typed_text(tokenizer: Any, text: str, name: str) -> list[int]:
    """Return the ids of a typed text.

    Raises:
        ValueError: the text is invalid, for example half of a surrogate pair.
    """
    from tokenlab.traces.t5.trace_attention_head import encode_or_ids

    try:
        return encode_or_ids(tokenizer, text, name)
    except RuntimeError as error:  # raised by sentencepiece
        raise ValueError(str(error)) from error


def check_length(name: str, ids: list[int]) -> None:
    """Raise a ValueError if the matrices of a text would be too large."""
    if len(ids) > MOST_TOKENS:
        raise ValueError(f"{name} has {len(ids)} tokens, too many to draw; take at most {MOST_TOKENS} here")


def check_typed_text(tokenizer: Any, **texts: str) -> None:
    """Raise a ValueError for a text that is invalid or too long to process at every key press; it may be empty."""
    for name, given in texts.items():
        check_length(
            name,
            encode_typed_text(tokenizer, check_characters(given, LONGEST_TYPED, "record", name), name) if given else [],
        )
