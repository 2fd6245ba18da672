"""`BatchEncoding`: the output of a tokenizer, a dictionary whose entries are also attributes.

Adds: conversion of lists to PyTorch tensors or NumPy arrays on request; positions of a fast tokenizer's tokens, words
    and characters, with the error for slow tokenizers.
Leaves out: tensors of TensorFlow and JAX, which raise the library's error for packages that are not installed; and the
    positions themselves, which each `tokenlab.libraries.tokenizers.Encoding` knows.

Source: transformers 4.26.1, tokenization_utils_base.py (`BatchEncoding`).
"""

from __future__ import annotations

import logging
from collections import UserDict
from collections.abc import Callable, ItemsView, KeysView, Mapping, Sequence, ValuesView
from typing import TYPE_CHECKING, Any, NamedTuple

from tokenlab.libraries.transformers.utils import TensorType, is_numpy_array, is_torch_tensor
from tokenlab.printing.errors import warn

if TYPE_CHECKING:
    import torch

    from tokenlab.libraries.tokenizers import Encoding


class CharSpan(NamedTuple):
    """The characters of a text from `start` up to, without, `end`."""

    start: int
    end: int


class TokenSpan(NamedTuple):
    """The tokens of an encoding from `start` up to, without, `end`."""

    start: int
    end: int


class AlignmentMethods:
    """The methods of a batch that look into its encodings.

    Each takes the position of the text in the batch first; with one position less, it means the first text.
    """

    _encodings: Any

    @property
    def encodings(self) -> Sequence[Any] | None:
        """The encodings of a fast tokenizer; None from a slow one."""
        return self._encodings  # type: ignore[no-any-return]

    def tokens(self, batch_index: int = 0) -> list[str]:
        """Return the tokens of a text.

        Raises:
            ValueError: the encoding comes from a slow tokenizer; so in all methods of this class.
        """
        return self._encodings_for("tokens")[batch_index].tokens  # type: ignore[no-any-return]

    def sequence_ids(self, batch_index: int = 0) -> list[int | None]:
        """Return for each token the number of its text, 0 or 1; None for special tokens."""
        return self._encodings_for("sequence_ids")[batch_index].sequence_ids  # type: ignore[no-any-return]

    def word_ids(self, batch_index: int = 0) -> list[int | None]:
        """Return for each token the number of its word; None for special tokens."""
        return self._encodings_for("word_ids")[batch_index].word_ids  # type: ignore[no-any-return]

    def words(self, batch_index: int = 0) -> list[int | None]:
        """Return `word_ids`, with a warning that this name is deprecated."""
        self._encodings_for("words")
        warn("BatchEncoding.words() is deprecated; use BatchEncoding.word_ids(), which returns the same", FutureWarning)
        return self.word_ids(batch_index)

    def token_to_sequence(self, batch_or_token_index: int, token_index: int | None = None) -> int | None:
        """Return the number of a token's text, 0 or 1; None for a special token."""
        encoding, index = self._encoding_and_index(
            "token_to_sequence", batch_or_token_index, token_index, counts_back=True
        )
        return encoding.token_to_sequence(index)  # type: ignore[no-any-return]

    def token_to_word(self, batch_or_token_index: int, token_index: int | None = None) -> int | None:
        """Return the number of a token's word; None for a special token."""
        encoding, index = self._encoding_and_index("token_to_word", batch_or_token_index, token_index, counts_back=True)
        return encoding.token_to_word(index)  # type: ignore[no-any-return]

    def word_to_tokens(
        self, batch_or_word_index: int, word_index: int | None = None, sequence_index: int = 0
    ) -> TokenSpan | None:
        """Return the span of a word's tokens; None if it has none."""
        encoding, index = self._encoding_and_index("word_to_tokens", batch_or_word_index, word_index, counts_back=True)
        span = encoding.word_to_tokens(index, sequence_index)
        return None if span is None else TokenSpan(*span)

    def token_to_chars(self, batch_or_token_index: int, token_index: int | None = None) -> CharSpan | None:
        """Return the span of a token's characters; None for a special token."""
        encoding, index = self._encoding_and_index("token_to_chars", batch_or_token_index, token_index)
        span = encoding.token_to_chars(index)
        return None if span is None else CharSpan(*span)

    def char_to_token(
        self, batch_or_char_index: int, char_index: int | None = None, sequence_index: int = 0
    ) -> int | None:
        """Return the index of a character's token; None if it has none, as most spaces."""
        encoding, index = self._encoding_and_index("char_to_token", batch_or_char_index, char_index)
        return encoding.char_to_token(index, sequence_index)  # type: ignore[no-any-return]

    def word_to_chars(
        self, batch_or_word_index: int, word_index: int | None = None, sequence_index: int = 0
    ) -> CharSpan:
        """Return the span of a word's characters.

        Raises:
            TypeError: there is no such word.
        """
        encoding, index = self._encoding_and_index("word_to_chars", batch_or_word_index, word_index)
        span = encoding.word_to_chars(index, sequence_index)
        if span is None:
            raise TypeError(f"word_index={index} is no word of text {sequence_index}; see word_ids()")
        return CharSpan(*span)

    def char_to_word(
        self, batch_or_char_index: int, char_index: int | None = None, sequence_index: int = 0
    ) -> int | None:
        """Return the number of a character's word; None if it is in none."""
        encoding, index = self._encoding_and_index("char_to_word", batch_or_char_index, char_index)
        return encoding.char_to_word(index, sequence_index)  # type: ignore[no-any-return]

    def _encodings_for(self, method: str) -> Sequence[Any]:
        if not self._encodings:
            raise ValueError(f"{method}() needs the encodings of a fast tokenizer; a slow one knows no positions")
        return self._encodings  # type: ignore[no-any-return]

    def _encoding_and_index(
        self, method: str, first: int, second: int | None, counts_back: bool = False
    ) -> tuple[Any, int]:
        """Return the encoding of a text, and the position in it: `first` and `second`, or 0 and `first`.

        subtle: with `counts_back`, the library counts negative positions from the end, but its attributes are missing.
        """
        encodings = self._encodings_for(method)
        text, index = (0, first) if second is None else (first, second)
        if counts_back and (text < 0 or index < 0):
            raise AttributeError(f"{method}({first}, {second}): negative positions are not supported; count from 0")
        return encodings[text], index


log = logging.getLogger("tokenlab.libraries.transformers")


class BatchEncoding(UserDict[str, Any], AlignmentMethods):
    """Lists of ids, masks and lengths by name.

    >>> encoding = BatchEncoding({"input_ids": [6, 1]})
    >>> encoding.input_ids, encoding["input_ids"]
    ([6, 1], [6, 1])
    """

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        encoding: Encoding | Sequence[Encoding] | None = None,
        tensor_type: str | TensorType | None = None,
        prepend_batch_axis: bool = False,
        n_sequences: int | None = None,
    ) -> None:
        """Take a dictionary of lists.

        Args:
            data: the lists by name.
            encoding: the `tokenlab.libraries.tokenizers.Encoding` of a fast tokenizer, or a list of them.
            tensor_type: "pt", "np" or None for lists.
            prepend_batch_axis: make each list a batch of one when it becomes a tensor.
            n_sequences: the number of texts in each encoding, 1 or 2; None for that of the first.

        Raises:
            ValueError: the tensor_type is unknown, or the lists of an entry have different lengths.
            ImportError: the package of the tensor_type is not installed.
        """
        super().__init__(data)
        self._encodings = [encoding] if hasattr(encoding, "n_sequences") else encoding
        if n_sequences is None and self._encodings:
            n_sequences = self._encodings[0].n_sequences
        self._n_sequences = n_sequences
        self.convert_to_tensors(tensor_type, prepend_batch_axis)

    @property
    def n_sequences(self) -> int | None:
        """The number of texts in each encoding, 1 or 2; None from a slow tokenizer."""
        return self._n_sequences

    @property
    def is_fast(self) -> bool:
        """True if a fast tokenizer made the encodings."""
        return self._encodings is not None

    # --- a dictionary -------------------------------------------------------------------------------

    def __getitem__(self, item: Any) -> Any:
        """Return an entry by its name; of a fast tokenizer, also encodings by position or slice."""
        if isinstance(item, str):
            return self.data[item]
        if self._encodings is not None:
            return self._encodings[item]
        names = ", ".join(self.data)
        raise KeyError(f"{item!r} is not the name of an entry ({names}); positions need a fast tokenizer's encodings")

    def __getattr__(self, name: str) -> Any:
        if name == "data" or name not in self.data:
            raise AttributeError(f"this encoding has no {name!r}")
        return self.data[name]

    def keys(self) -> KeysView[str]:
        """Return the names of the entries."""
        return self.data.keys()

    def values(self) -> ValuesView[Any]:
        """Return the entries."""
        return self.data.values()

    def items(self) -> ItemsView[str, Any]:
        """Return the names with the entries."""
        return self.data.items()

    def __getstate__(self) -> dict[str, Any]:
        return {"data": self.data, "encodings": self._encodings}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.data = state.get("data", {})
        self._encodings = state.get("encodings")
        self._n_sequences = self._encodings[0].n_sequences if self._encodings else None

    # --- tensors ------------------------------------------------------------------------------------

    def convert_to_tensors(
        self, tensor_type: str | TensorType | None = None, prepend_batch_axis: bool = False
    ) -> BatchEncoding:
        """Turn each entry into a tensor.

        Args:
            tensor_type: "pt", "np" or None for no change.
            prepend_batch_axis: make each entry a batch of one.

        Raises:
            ValueError: the tensor_type is unknown, or the lists of an entry have different lengths.
            ImportError: the package of the tensor_type is not installed.
        """
        if tensor_type is None:
            return self
        as_tensor, is_tensor = _tensor_functions(tensor_type)
        for name, value in self.items():
            entry = [value] if prepend_batch_axis else value
            if not is_tensor(entry):
                self[name] = _converted(name, entry, as_tensor)
        return self

    def to(self, device: str | int | torch.device) -> BatchEncoding:
        """Move each tensor to a device; other arguments, such as a dtype, are logged and ignored.

        Raises:
            ImportError: PyTorch is not installed.
            AttributeError: an entry is no tensor.
        """
        import torch

        if not isinstance(device, (str, int, torch.device)):
            log.warning("to(%s) is ignored; give a device, such as 'cuda'", device)  # type: ignore[unreachable]
            return self
        lists = [name for name, value in self.items() if not hasattr(value, "to")]
        if lists:
            raise AttributeError(
                f"{', '.join(lists)} cannot be moved, they are no tensors; ask for return_tensors='pt'"
            )
        self.data = {name: value.to(device=device) for name, value in self.items()}
        return self


def _tensor_functions(tensor_type: str | TensorType) -> tuple[Callable[[Any], Any], Callable[[Any], bool]]:
    """Return the function that makes a tensor, and the one that recognizes a tensor."""
    try:
        tensor_type = TensorType(tensor_type)
    except ValueError:
        raise ValueError(f"return_tensors={tensor_type!r} is unknown; use 'pt', 'np' or None") from None
    if tensor_type == TensorType.PYTORCH:
        import torch

        return torch.tensor, is_torch_tensor
    if tensor_type == TensorType.NUMPY:
        import numpy

        return numpy.asarray, is_numpy_array
    raise ImportError(f"return_tensors={tensor_type.value!r} is not supported; use 'pt', 'np' or None")


def _converted(name: str, entry: Any, as_tensor: Callable[[Any], Any]) -> Any:
    try:
        return as_tensor(entry)
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:  # not MemoryError
        advice = "ask for padding=True, and for truncation=True where a length is given"
        if name == "overflowing_tokens":
            advice = "fast tokenizers return overflowing tokens as further texts of the batch"
        raise ValueError(
            f"{name!r} has lists of different lengths, or no numbers, and cannot be a tensor; {advice}"
        ) from error
