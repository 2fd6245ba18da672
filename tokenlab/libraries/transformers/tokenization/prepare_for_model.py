"""From ids to a model's inputs: truncation, special tokens, token types, masks and padding.

Adds: `prepare_for_model` and `truncate_sequences`, on top of padding; what a model's tokenizer may override.
Leaves out: how a text becomes ids.

Source: transformers 4.26.1, tokenization_utils_base.py (`prepare_for_model`, `truncate_sequences`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from inspect import Parameter
from typing import Any

from tokenlab.libraries.transformers.tokenization.batch_encoding import BatchEncoding
from tokenlab.libraries.transformers.tokenization.pad_batch import PadMethods
from tokenlab.libraries.transformers.tokenization.padding_and_truncation import (
    Ids,
    PaddingStrategy,
    TruncationStrategy,
    limit_of,
    truncate,
)
from tokenlab.libraries.transformers.tokenization.tokenizer_call_options import (
    OF_IDS,
    TokenizerCallOptions,
    read_options,
    takes_options,
)

log = logging.getLogger("tokenlab.libraries.transformers")
PREPEND = Parameter("prepend_batch_axis", Parameter.POSITIONAL_OR_KEYWORD, default=False, annotation="bool")


class ModelInputMethods(PadMethods):
    """The steps from ids to a model's inputs."""

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

    # --- truncation, special tokens, padding ----------------------------------------------------------

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
