"""The texts of a call and their types: one or a batch, pairs, and texts that are split into words.

Source: transformers 4.26.1, tokenization_utils_base.py (`_call_one`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, Union

if TYPE_CHECKING:
    import numpy
    import torch

TextInput: TypeAlias = str
PreTokenizedInput: TypeAlias = list[str]  # the words of a text, with is_split_into_words=True
EncodedInput: TypeAlias = list[int]
TextInputPair: TypeAlias = tuple[str, str]
PreTokenizedInputPair: TypeAlias = tuple[list[str], list[str]]
EncodedInputPair: TypeAlias = tuple[list[int], list[int]]

Texts: TypeAlias = str | Sequence[str] | Sequence[Sequence[str]]  # a text, or several; each may be a list of words
TextOrIds: TypeAlias = str | Sequence[str] | Sequence[int]  # a text, its words, or its ids without special tokens
Batch: TypeAlias = Sequence[TextOrIds] | Sequence[tuple[TextOrIds, TextOrIds]]
Ids: TypeAlias = Union[int, Sequence[int], "numpy.ndarray[Any, Any]", "torch.Tensor"]
BatchOfIds: TypeAlias = Union[Sequence[Ids], "numpy.ndarray[Any, Any]", "torch.Tensor"]
EncodedInputs: TypeAlias = Mapping[str, Any] | Sequence[Mapping[str, Any]]  # a BatchEncoding is a mapping as well


def is_text_input(value: Any) -> bool:
    """Return True for a text, a list of texts, or a list of texts that are split into words.

    Only the first items are looked at.

    >>> is_text_input([["a", "b"], ["c"]]), is_text_input([]), is_text_input([7])
    (True, True, False)
    """
    if isinstance(value, str) or not isinstance(value, (list, tuple)) or not value:
        return isinstance(value, (str, list, tuple))
    first = value[0]
    return isinstance(first, str) or (isinstance(first, (list, tuple)) and (not first or isinstance(first[0], str)))


def check_text_input(name: str, value: Any) -> None:
    """Raise a ValueError unless `is_text_input(value)`."""
    if not is_text_input(value):
        raise ValueError(f"{name}={value!r:.60} should be a string, a list of strings, or a list of lists of words")


def is_batch(text: Any, is_split_into_words: bool) -> bool:
    """Return True if the texts are several.

    >>> is_batch(["a", "b"], is_split_into_words=False), is_batch(["a", "b"], is_split_into_words=True)
    (True, False)
    """
    if not isinstance(text, (list, tuple)):
        return False
    return not is_split_into_words or (bool(text) and isinstance(text[0], (list, tuple)))


def with_pairs(text: Any, text_pair: Any) -> Any:
    """Return a batch of texts, or of pairs.

    Raises:
        TypeError: `text_pair` is one string.
        ValueError: there are more or fewer second texts than first ones.

    >>> with_pairs(["a", "b"], ["c", "d"])
    [('a', 'c'), ('b', 'd')]
    """
    if isinstance(text_pair, str):
        raise TypeError("text is a list and text_pair a string; give a list of the same length")
    if text_pair is None:
        return text
    if len(text) != len(text_pair):
        raise ValueError(f"text has {len(text)} texts and text_pair has {len(text_pair)}; give the same number")
    return list(zip(text, text_pair, strict=True))


def text_and_pair(item: Any, is_split_into_words: bool) -> tuple[Any, Any]:
    """Return the text of an item of a batch, and its second text or None.

    Raises:
        ValueError: the item is a list of other than two texts.

    >>> text_and_pair("a", False), text_and_pair(("a", "b"), False), text_and_pair(["a", "b"], True)
    (('a', None), ('a', 'b'), (['a', 'b'], None))
    """
    if not isinstance(item, (list, tuple)) or (is_split_into_words and not isinstance(item[0], (list, tuple))):
        return item, None
    if len(item) != 2:
        raise ValueError(
            f"{item!r:.60} in the batch has {len(item)} entries, but a pair has 2; for the words of one text set "
            "is_split_into_words=True"
        )
    return item[0], item[1]
