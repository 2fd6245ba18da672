"""Padding of encodings: one, a batch, or the examples of a data loader.

Adds: `pad` and `_pad`, on top of the special tokens, whose `pad_token_id` fills the lists.
Leaves out: the choice of the strategy; see `padding_truncation_strategies`.

Source: transformers 4.26.1, tokenization_utils_base.py (`pad`, `_pad`).
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence, Sized
from typing import Any

from tokenlab.libraries.transformers.tokenization.batch_encoding import BatchEncoding
from tokenlab.libraries.transformers.tokenization.padding_and_truncation import (
    PaddingStrategy,
    TruncationStrategy,
    pad,
    padding_truncation_strategies,
    round_up_to_multiple,
)
from tokenlab.libraries.transformers.tokenization.special_tokens_mixin import SpecialTokensMixin
from tokenlab.libraries.transformers.tokenization.tokenizer_call_options import EncodedInputs
from tokenlab.libraries.transformers.utils import (
    TensorType,
    is_numpy_array,
    is_overridden,
    is_torch_tensor,
    to_py_obj,
)

log = logging.getLogger("tokenlab.libraries.transformers")


class PadMethods(SpecialTokensMixin):
    """Padding to the longest text, or to a length."""

    model_input_names: Sequence[str] = ["input_ids", "token_type_ids", "attention_mask"]
    padding_side: str = "right"
    truncation_side: str = "right"
    deprecation_warnings: dict[str, bool]  # the messages that were logged already

    def pad(
        self,
        encoded_inputs: EncodedInputs,
        padding: bool | str | PaddingStrategy = True,
        max_length: int | None = None,
        pad_to_multiple_of: int | None = None,
        return_attention_mask: bool | None = None,
        return_tensors: str | TensorType | None = None,
        verbose: bool = True,
    ) -> BatchEncoding:
        """Pad encodings.

        Args:
            encoded_inputs: an encoding, a batch, or a list of encodings, as a data loader collects them. Their lists
                may be tensors or arrays; then the result has tensors or arrays. Entries other than ids, masks and token
                types, such as labels, are not padded.
            padding, max_length, pad_to_multiple_of, return_attention_mask, return_tensors, verbose: as in
                `TokenizerCallOptions`.

        Raises:
            ValueError: there is no entry `input_ids`, or it has other values than integers.
            AssertionError: the entries have different numbers of texts.
        """
        if type(self).__name__.endswith("Fast"):
            message = "pad() after the call of a fast tokenizer is slower than padding= in the call"
            self._log_once("Asking-to-pad-a-fast-tokenizer", message)
        encoded: Any = _columns(encoded_inputs)
        main = self.model_input_names[0]
        if main not in encoded:
            raise ValueError(f"there are no {main} to pad, only {list(encoded)}; give at least one text")
        ids = encoded[main]
        if ids is None or (isinstance(ids, Sized) and len(ids) == 0):
            if return_attention_mask:
                encoded["attention_mask"] = []
            return encoded  # type: ignore[no-any-return]  # subtle: the library returns the argument, in its own type
        found = _tensor_type(main, ids)
        if found:
            return_tensors = return_tensors or found
            encoded = {name: to_py_obj(value) for name, value in encoded.items()}
        strategy, _, max_length, _ = self._get_padding_truncation_strategies(
            padding=padding, max_length=max_length, verbose=verbose
        )
        pads: dict[str, Any] = {
            "pad_to_multiple_of": pad_to_multiple_of,
            "return_attention_mask": return_attention_mask,
        }
        if isinstance(encoded[main][0], (list, tuple)):
            padded = self._pad_rows(encoded, strategy, max_length, pads)
        else:
            padded = self._pad(encoded, max_length=max_length, padding_strategy=strategy, **pads)
        return BatchEncoding(padded, tensor_type=return_tensors)

    def _pad_rows(
        self, encoded: Mapping[str, Any], strategy: PaddingStrategy, max_length: int | None, pads: dict[str, Any]
    ) -> dict[str, Any]:
        """Pad each text of a batch, and return the columns."""
        ids = encoded[self.model_input_names[0]]
        lengths = {name: len(column) for name, column in encoded.items()}
        if set(lengths.values()) != {len(ids)}:
            raise AssertionError(f"the entries have different numbers of texts: {lengths}")
        if strategy == PaddingStrategy.LONGEST:
            strategy, max_length = PaddingStrategy.MAX_LENGTH, max(map(len, ids))
        if not is_overridden(self, "_pad"):
            return self._pad_columns(encoded, max_length, strategy, **pads)
        padded: dict[str, Any] = {}
        for row in zip(*encoded.values(), strict=True):
            one = dict(zip(encoded, row, strict=True))
            for name, value in self._pad(one, max_length=max_length, padding_strategy=strategy, **pads).items():
                padded.setdefault(name, []).append(value)
        return padded

    def _pad(
        self,
        encoded_inputs: Any,
        max_length: int | None = None,
        padding_strategy: PaddingStrategy = PaddingStrategy.DO_NOT_PAD,
        pad_to_multiple_of: int | None = None,
        return_attention_mask: bool | None = None,
    ) -> dict[str, Any]:
        """Pad one encoding, and add its attention mask."""
        columns = {name: [value] for name, value in encoded_inputs.items()}
        if padding_strategy == PaddingStrategy.LONGEST:
            max_length = len(encoded_inputs[self.model_input_names[0]])
        padded = self._pad_columns(columns, max_length, padding_strategy, pad_to_multiple_of, return_attention_mask)
        return {name: column[0] for name, column in padded.items()}

    def _pad_columns(
        self,
        encoded: Mapping[str, Any],
        max_length: int | None,
        padding_strategy: PaddingStrategy,
        pad_to_multiple_of: int | None = None,
        return_attention_mask: bool | None = None,
    ) -> dict[str, Any]:
        """Pad the columns of a batch to a length, and add the attention masks."""
        columns, main = dict(encoded), self.model_input_names[0]
        wants_mask = self._is_returned(return_attention_mask, "attention_mask")
        if wants_mask and "attention_mask" not in columns:
            columns["attention_mask"] = [[1] * len(row) for row in columns[main]]
        if padding_strategy == PaddingStrategy.DO_NOT_PAD:
            return columns
        target: Any = round_up_to_multiple(max_length, pad_to_multiple_of)
        missing = [target - len(row) for row in columns[main]]
        if any(missing):
            fill: dict[str, Any] = {"attention_mask": 0} if wants_mask else {}
            fill |= {"token_type_ids": self.pad_token_type_id, "special_tokens_mask": 1, main: self.pad_token_id}
            for name in filter(columns.__contains__, fill):
                columns[name] = pad(columns[name], missing, fill[name], self.padding_side)
        return columns

    def _is_returned(self, given: bool | None, name: str) -> bool:
        """Return an option, or if it is None, whether the model takes an input of this name."""
        return name in self.model_input_names if given is None else given

    def _get_padding_truncation_strategies(
        self,
        padding: Any = False,
        truncation: Any = None,
        max_length: int | None = None,
        pad_to_multiple_of: int | None = None,
        verbose: bool = True,
        **kwargs: Any,
    ) -> tuple[PaddingStrategy, TruncationStrategy, int | None, dict[str, Any]]:
        """Return the strategies that the arguments ask for, the length that they need, and the unused arguments."""
        return padding_truncation_strategies(
            self, padding, truncation, max_length, pad_to_multiple_of, verbose, **kwargs
        )

    def _log_once(self, key: str, message: str) -> None:
        """Log a message the first time; `deprecation_warnings` has the keys of the messages that were logged."""
        if not self.deprecation_warnings.get(key, False):
            log.warning(message)
            self.deprecation_warnings[key] = True


def _columns(encoded: Any) -> Any:
    """Return a batch by columns, if it was given as a list of encodings.

    >>> _columns([{"input_ids": [1]}, {"input_ids": [2, 3]}])
    {'input_ids': [[1], [2, 3]]}
    """
    if isinstance(encoded, (list, tuple)) and not encoded:
        raise IndexError("encoded_inputs is empty; give an encoding, or a list with at least one")
    if isinstance(encoded, (list, tuple)) and isinstance(encoded[0], Mapping):
        return {name: [one[name] for one in encoded] for name in encoded[0]}
    if not isinstance(encoded, Mapping):
        raise AttributeError(f"encoded_inputs={encoded!r:.60} should be an encoding, or a list of encodings")
    return encoded


def _tensor_type(main: str, ids: Any) -> str | None:
    """Return the type of the tensors that contain the ids, or None for lists.

    Raises:
        ValueError: the ids are neither.
    """
    first = ids[0]
    if isinstance(first, (list, tuple)):
        first = next((row[0] for row in ids if len(row)), first)
    if isinstance(first, (int, list, tuple)):
        return None
    if is_torch_tensor(first):
        return "pt"
    if is_numpy_array(first):
        return "np"
    raise ValueError(
        f"{main} has a {type(first).__name__}; give lists of int, tensors of PyTorch, or arrays of NumPy with a row "
        "for each text"
    )
