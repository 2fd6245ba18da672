"""From ids to a model's inputs: truncation, special tokens, token types, masks and padding.

Adds: `pad` and `_pad`, of one encoding, a batch, or the examples of a data loader; `prepare_for_model` and
    `truncate_sequences`; what a model's tokenizer may override.
Leaves out: how a text becomes ids; the choice of the strategy (see `padding_truncation_strategies`).

Source: transformers 4.26.1, tokenization_utils_base.py (`pad`, `_pad`, `prepare_for_model`, `truncate_sequences`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import replace
from functools import cache
from inspect import Parameter
from typing import Any

from tokenlab.libraries.transformers.tokenization.batch_encoding import BatchEncoding
from tokenlab.libraries.transformers.tokenization.padding_and_truncation import (
    Ids,
    PaddingStrategy,
    TruncationStrategy,
    limit_of,
    pad,
    padding_truncation_strategies,
    round_up_to_multiple,
    truncate,
)
from tokenlab.libraries.transformers.tokenization.special_tokens_mixin import SpecialTokensMixin
from tokenlab.libraries.transformers.tokenization.tokenizer_call_options import (
    OF_IDS,
    EncodedInputs,
    TokenizerCallOptions,
    read_options,
    takes_options,
)
from tokenlab.libraries.transformers.utils import TensorType, is_numpy_array, is_overridden, is_torch_tensor, to_py_obj

log = logging.getLogger("tokenlab.libraries.transformers")
PREPEND = Parameter("prepend_batch_axis", Parameter.POSITIONAL_OR_KEYWORD, default=False, annotation="bool")


class ModelInputMethods(SpecialTokensMixin):
    """The steps from ids to a model's inputs."""

    model_input_names: Sequence[str] = ["input_ids", "token_type_ids", "attention_mask"]
    padding_side: str = "right"
    truncation_side: str = "right"
    deprecation_warnings: dict[str, bool]  # the messages that were logged already
    model_max_length: int

    # --- a model's tokenizer overrides these ----------------------------------------------------------

    def num_special_tokens_to_add(self, pair: bool = False) -> int:
        """Return the number of special tokens that are added to one text, or to two."""
        raise NotImplementedError(f"{type(self).__name__} should have a num_special_tokens_to_add")

    def build_inputs_with_special_tokens(self, token_ids_0: Ids, token_ids_1: Ids | None = None) -> Ids:
        """Return the ids of one or two texts with special tokens."""
        return token_ids_0 if token_ids_1 is None else token_ids_0 + token_ids_1

    def create_token_type_ids_from_sequences(self, token_ids_0: Ids, token_ids_1: Ids | None = None) -> Ids:
        """Return, for each id, the number of its text: 0 or 1."""
        return [0] * len(token_ids_0) + [1] * len(token_ids_1 or [])

    def get_special_tokens_mask(
        self, token_ids_0: Ids, token_ids_1: Ids | None = None, already_has_special_tokens: bool = False
    ) -> Ids:
        """Return 1 for special tokens and 0 for tokens of the text, of ids with their special tokens.

        Raises:
            AssertionError: the ids are without special tokens, or there are two lists.
        """
        if not already_has_special_tokens or token_ids_1 is not None:
            raise AssertionError(
                "this tokenizer knows only the mask of one list with already_has_special_tokens=True; otherwise call "
                "it with return_special_tokens_mask=True"
            )
        special = set(self.all_special_ids)
        return [int(id in special) for id in token_ids_0]

    @property
    def max_len_single_sentence(self) -> int:
        """The largest number of ids of one text, without special tokens."""
        return limit_of(self) - self.num_special_tokens_to_add(pair=False)

    @max_len_single_sentence.setter
    def max_len_single_sentence(self, value: int) -> None:
        self._check_computed("max_len_single_sentence", value)

    @property
    def max_len_sentences_pair(self) -> int:
        """The largest number of ids of two texts together, without special tokens."""
        return limit_of(self) - self.num_special_tokens_to_add(pair=True)

    @max_len_sentences_pair.setter
    def max_len_sentences_pair(self, value: int) -> None:
        self._check_computed("max_len_sentences_pair", value)

    def _check_computed(self, name: str, value: int) -> None:
        """Raise a ValueError for an attribute that cannot be set; its own value is accepted, with a message."""
        if value != getattr(self, name) or not self.verbose:
            raise ValueError(f"{name} cannot be set, it follows from model_max_length; set that")
        self._log_once(name, f"{name} is computed from model_max_length; setting it is deprecated")

    # --- truncation and special tokens ----------------------------------------------------------------

    @takes_options(OF_IDS, PREPEND)
    def prepare_for_model(
        self, ids: Ids, pair_ids: Ids | None = None, *options: Any, prepend_batch_axis: bool = False, **named: Any
    ) -> BatchEncoding:
        """Truncate ids, add special tokens, and pad.

        Args:
            ids: of a text.
            pair_ids: of a second text.
            options: as in `TokenizerCallOptions`, without `is_split_into_words`.
            prepend_batch_axis: make each entry a batch of one when it becomes a tensor.
            named: the options by name.

        Raises:
            ValueError: overflowing ids of two texts are requested with "longest_first", or token types without special
                tokens.
            TypeError: overflowing ids are requested without a `max_length`.
        """
        if len(options) > len(OF_IDS):
            *options, prepend_batch_axis = options  # type: ignore[assignment]
        call = self._with_resolved_strategies(read_options(OF_IDS, options, named))
        encoded: Any = self._model_inputs(ids, pair_ids, call)
        wants_mask = self._is_returned(call.return_attention_mask, "attention_mask")
        if call.padding != PaddingStrategy.DO_NOT_PAD or wants_mask:
            encoded = self.pad(
                encoded,
                max_length=call.max_length,
                padding=PaddingStrategy(call.padding).value,
                pad_to_multiple_of=call.pad_to_multiple_of,
                return_attention_mask=wants_mask,
            )
        if call.return_length:
            encoded["length"] = len(encoded["input_ids"])
        return BatchEncoding(encoded, tensor_type=call.return_tensors, prepend_batch_axis=prepend_batch_axis)

    def _with_resolved_strategies(self, call: TokenizerCallOptions) -> TokenizerCallOptions:
        """Return the options with the strategies that `_get_padding_truncation_strategies` chooses."""
        padding, truncation, max_length, others = self._get_padding_truncation_strategies(
            padding=call.padding,
            truncation=call.truncation,
            max_length=call.max_length,
            pad_to_multiple_of=call.pad_to_multiple_of,
            verbose=call.verbose,
            **call.others,
        )
        return replace(call, padding=padding, truncation=truncation, max_length=max_length, others=others)

    def _model_inputs(
        self,
        ids: Ids,
        pair_ids: Ids | None,
        call: TokenizerCallOptions,
        number_of_special_tokens: Callable[[bool], int] | None = None,
    ) -> dict[str, Any]:
        """Return the entries of one or two texts before padding; the options are resolved."""
        check_options(call, pair_ids)
        has_pair = pair_ids is not None
        special = (number_of_special_tokens or self._number_of_special_tokens(call))(has_pair)
        excess = len(ids) + (len(pair_ids) if pair_ids is not None else 0) + special - (call.max_length or 0)
        overflowing: Ids = []
        if call.truncation != TruncationStrategy.DO_NOT_TRUNCATE and call.max_length and excess > 0:
            ids, pair_ids, overflowing = self.truncate_sequences(
                ids,
                pair_ids=pair_ids,
                num_tokens_to_remove=excess,
                truncation_strategy=call.truncation,  # type: ignore[arg-type]
                stride=call.stride,
            )
        encoded: dict[str, Any] = {}
        if call.return_overflowing_tokens:
            encoded = {"overflowing_tokens": overflowing, "num_truncated_tokens": excess}
        encoded |= self._with_special_tokens(ids, pair_ids, call)
        self._eventual_warn_about_too_long_sequence(encoded["input_ids"], call.max_length, call.verbose)
        return encoded

    def _number_of_special_tokens(self, call: TokenizerCallOptions) -> Callable[[bool], int]:
        """Return the function that counts the special tokens of one text, or of two (True); it counts each once."""
        return cache(lambda pair: self.num_special_tokens_to_add(pair=pair) if call.add_special_tokens else 0)

    def truncate_sequences(
        self,
        ids: Ids,
        pair_ids: Ids | None = None,
        num_tokens_to_remove: int = 0,
        truncation_strategy: str | TruncationStrategy = "longest_first",
        stride: int = 0,
    ) -> tuple[Ids, Ids | None, Ids]:
        """Return both lists without `num_tokens_to_remove` ids, and the ids that overflow.

        Args:
            ids: of a text.
            pair_ids: of a second text.
            num_tokens_to_remove: the number of ids to remove.
            truncation_strategy: the text from which they are removed. If it is too short, an error is logged, and
                nothing is removed.
            stride: the number of kept ids that are included in the overflowing ids.
        """
        if num_tokens_to_remove <= 0:
            return ids, pair_ids, []
        strategy = TruncationStrategy(truncation_strategy)
        if strategy == TruncationStrategy.LONGEST_FIRST and pair_ids is not None:
            self._log_once("longest-first-without-overflow", "of two texts, 'longest_first' returns no overflowing ids")
        cut = truncate(ids, pair_ids, num_tokens_to_remove, strategy, stride, self.truncation_side)
        if cut.problem:
            log.error(cut.problem)
        return cut.ids, cut.pair_ids, cut.overflowing

    def _with_special_tokens(self, ids: Ids, pair_ids: Ids | None, call: TokenizerCallOptions) -> dict[str, Any]:
        """Return the ids with special tokens, their token types and the special-tokens mask, as requested."""
        if call.add_special_tokens:
            sequence = self.build_inputs_with_special_tokens(ids, pair_ids)
            types = self.create_token_type_ids_from_sequences(ids, pair_ids)
        else:
            sequence = ids if pair_ids is None else ids + pair_ids
            types = [0] * len(sequence)
        encoded: dict[str, Any] = {"input_ids": sequence}
        if self._is_returned(call.return_token_type_ids, "token_type_ids"):
            encoded["token_type_ids"] = types
        if call.return_special_tokens_mask:
            marked = self.get_special_tokens_mask(ids, pair_ids) if call.add_special_tokens else [0] * len(sequence)
            encoded["special_tokens_mask"] = marked
        return encoded

    def _eventual_warn_about_too_long_sequence(self, ids: Ids, max_length: int | None, verbose: bool) -> None:
        """Log once that a text has more ids than the model takes, unless a length was requested."""
        if max_length is None and len(ids) > limit_of(self) and verbose:
            self._log_once(
                "sequence-length-is-longer-than-the-specified-maximum",
                f"a text has {len(ids)} ids, and the model takes {self.model_max_length}; truncate it",
            )

    # --- padding --------------------------------------------------------------------------------------

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

    _get_padding_truncation_strategies = padding_truncation_strategies

    def _log_once(self, key: str, message: str) -> None:
        """Log a message the first time; `deprecation_warnings` has the keys of the messages that were logged."""
        if not self.deprecation_warnings.get(key, False):
            log.warning(message)
            self.deprecation_warnings[key] = True


def check_options(call: TokenizerCallOptions, pair_ids: Ids | None) -> None:
    """Raise an error for resolved options that exclude each other.

    Raises:
        ValueError: token types without special tokens, or overflowing ids of two texts with "longest_first".
        TypeError: overflowing ids without a `max_length`.
    """
    if call.return_token_type_ids and not call.add_special_tokens:
        raise ValueError("return_token_type_ids=True needs add_special_tokens=True; leave it None otherwise")
    if not call.return_overflowing_tokens:
        return
    if call.truncation == TruncationStrategy.LONGEST_FIRST and pair_ids is not None:
        raise ValueError(
            "return_overflowing_tokens=True is not possible with truncation='longest_first' of two texts; "
            "use 'only_first' or 'only_second'"
        )
    if call.max_length is None:
        raise TypeError("return_overflowing_tokens=True needs a max_length; give the number of ids to keep")


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
    """Return the type of the tensors that contain the ids, or None for lists; a ValueError if they are neither."""
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
