"""The inputs of `Tokenizer.encode` and `encode_batch`: a text, a list of words, or a pair of either.

The exceptions are the library's: TypeError for a value of a wrong type and for a lone surrogate.
Difference from the library: an array of NumPy's str type holds its strings; there the four bytes of each character
become four characters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from tokenlab.libraries.tokenizers.components.arguments import refuse_surrogates

Input: TypeAlias = str | list[str]  # a text, or the words of a pre-tokenized text


def check_input(name: str, value: Any, is_pretokenized: bool) -> Input:
    """Return a text, or the list of words if the text is pre-tokenized.

    Raises:
        TypeError: the value is neither, or it has a lone surrogate.

    >>> check_input("sequence", ("a", "b"), is_pretokenized=True)
    ['a', 'b']
    """
    if not is_pretokenized:
        if not isinstance(value, str):
            raise TypeError(
                f"TextInputSequence must be str: {name}={value!r:.60} is of type {type(value).__name__}; "
                "encode a list of words with is_pretokenized=True, and several texts with encode_batch"
            )
        return value if value.isascii() else refuse_surrogates(name, value)
    words = _words(value)
    if words is None:
        raise TypeError(
            f"PreTokenizedInputSequence must be Union[List[str], Tuple[str]], because is_pretokenized=True, "
            f"not {name}={value!r:.60}; encode a text with is_pretokenized=False"
        )
    return [word if word.isascii() else refuse_surrogates(name, word) for word in words]


def check_batch(value: Any, is_pretokenized: bool) -> list[tuple[Input, Input | None]]:
    """Return each input of a batch as a sequence and its pair, or None.

    Raises:
        TypeError: the batch is not a sequence, or an input is neither a sequence nor a pair.

    >>> check_batch(["a", ("b", "c")], is_pretokenized=False)
    [('a', None), ('b', 'c')]
    """
    items = as_items(value)
    if items is None:
        raise TypeError(f"input={value!r:.60} should be a list of inputs, not {type(value).__name__}")
    return [_check_item(f"input[{place}]", item, is_pretokenized) for place, item in enumerate(items)]


def _check_item(name: str, item: Any, is_pretokenized: bool) -> tuple[Input, Input | None]:
    if isinstance(item, str) if not is_pretokenized else _words(item) is not None:
        return check_input(name, item, is_pretokenized), None
    pair = as_items(item)
    if pair is None or len(pair) != 2:
        kind = "a list of words" if is_pretokenized else "a str"
        raise TypeError(f"{name}={item!r:.60} should be {kind}, or a pair of two (is_pretokenized={is_pretokenized})")
    first, second = (check_input(f"{name}[{place}]", one, is_pretokenized) for place, one in enumerate(pair))
    return first, second


def as_items(value: Any) -> list[Any] | None:
    """Return the items of a list, tuple, other sequence or array; None for a str and anything else."""
    if isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray):
        return list(value)
    return list(value) if _is_array(value) else None


def _words(value: Any) -> list[str] | None:
    """Return the words of a list, tuple or array of str, or None."""
    if not isinstance(value, list | tuple) and not _is_array(value):
        return None
    words = list(value)
    return words if all(isinstance(word, str) for word in words) else None


def _is_array(value: Any) -> bool:
    # By name, so that NumPy is not imported.
    return type(value).__module__ == "numpy" and type(value).__name__ == "ndarray" and value.ndim >= 1
