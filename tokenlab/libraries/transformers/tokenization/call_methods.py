"""The calls of a tokenizer: one text, a batch, pairs, targets.

Adds: `__call__`, `encode`, `encode_plus` and `batch_encode_plus`, on top of a model's inputs; the deprecated ways to
    encode targets.
Leaves out: `_encode_plus` and `_batch_encode_plus`, which slow and fast tokenizers define.

Source: transformers 4.26.1, tokenization_utils_base.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from tokenlab.libraries.transformers.tokenization.batch_encoding import BatchEncoding
from tokenlab.libraries.transformers.tokenization.padding_and_truncation import PaddingStrategy, TruncationStrategy
from tokenlab.libraries.transformers.tokenization.prepare_for_model import ModelInputMethods
from tokenlab.libraries.transformers.tokenization.tokenizer_call_options import (
    OF_CALL,
    OF_STRATEGIES,
    Batch,
    TextOrIds,
    Texts,
    check_text_input,
    is_batch,
    read_options,
    takes_options,
    with_pairs,
)
from tokenlab.libraries.transformers.utils import TensorType
from tokenlab.printing.errors import warn


class CallMethods(ModelInputMethods):
    """The ways to encode texts.

    subtle: the methods call each other by the same names and keywords as in the library, because users override them:
    __call__, _call_one, (batch_)encode_plus, _(batch_)encode_plus, _batch_prepare_for_model, prepare_for_model, pad,
    _pad.
    """

    _in_target_context_manager = False

    @takes_options(OF_CALL)
    def __call__(
        self,
        text: Texts | None = None,
        text_pair: Texts | None = None,
        text_target: Texts | None = None,
        text_pair_target: Texts | None = None,
        *options: Any,
        **named: Any,
    ) -> BatchEncoding:
        """Encode a text or a list of texts.

        Args:
            text: a text, or several.
            text_pair: the second texts.
            text_target: the target text or texts; their ids become `labels`.
            text_pair_target: its second texts.
            options: as in `TokenizerCallOptions`.
            named: the options by name.

        Raises:
            ValueError: neither a text nor a target is given, a value is no text, or lists have different lengths.
        """
        asked = read_options(OF_CALL, options, named).under(OF_CALL)
        if text is None and text_target is None:
            raise ValueError("neither text nor text_target is given; give one of them")
        encoding = targets = None
        if text is not None:
            if not self._in_target_context_manager:
                self._switch_to_input_mode()
            encoding = self._call_one(text=text, text_pair=text_pair, **asked)
        if text_target is not None:
            self._switch_to_target_mode()
            targets = self._call_one(text=text_target, text_pair=text_pair_target, **asked)
        self._switch_to_input_mode()
        if encoding is None or targets is None:
            found: Any = targets if encoding is None else encoding
            return found  # type: ignore[no-any-return]
        encoding["labels"] = targets["input_ids"]
        return encoding

    @takes_options(OF_CALL)
    def _call_one(self, text: Any, text_pair: Any = None, *options: Any, **named: Any) -> BatchEncoding:
        call = read_options(OF_CALL, options, named)
        check_text_input("text", text)
        if text_pair is not None:
            check_text_input("text_pair", text_pair)
        if is_batch(text, call.is_split_into_words):
            batch = with_pairs(text, text_pair)
            return self.batch_encode_plus(batch_text_or_text_pairs=batch, **call.under(OF_CALL))
        return self.encode_plus(text=text, text_pair=text_pair, **call.under(OF_CALL))

    def encode(
        self,
        text: TextOrIds,
        text_pair: TextOrIds | None = None,
        add_special_tokens: bool = True,
        padding: bool | str | PaddingStrategy = False,
        truncation: bool | str | TruncationStrategy | None = None,
        max_length: int | None = None,
        stride: int = 0,
        return_tensors: str | TensorType | None = None,
        **kwargs: Any,
    ) -> list[int]:
        """Return the ids of one or two texts. The arguments are those of `TokenizerCallOptions`."""
        ids: list[int] = self.encode_plus(
            text,
            text_pair=text_pair,
            add_special_tokens=add_special_tokens,
            padding=padding,
            truncation=truncation,
            max_length=max_length,
            stride=stride,
            return_tensors=return_tensors,
            **kwargs,
        )["input_ids"]
        return ids

    @takes_options(OF_CALL)
    def encode_plus(
        self, text: TextOrIds, text_pair: TextOrIds | None = None, *options: Any, **named: Any
    ) -> BatchEncoding:
        """Encode a text or two texts, with their masks. The further arguments are those of `TokenizerCallOptions`."""
        call = self._with_resolved_strategies(read_options(OF_CALL, options, named))
        return self._encode_plus(text=text, text_pair=text_pair, **call.under(OF_STRATEGIES))

    @takes_options(OF_STRATEGIES)
    def _encode_plus(self, text: Any, text_pair: Any = None, *options: Any, **named: Any) -> BatchEncoding:
        raise NotImplementedError(f"{type(self).__name__} should have an _encode_plus")

    @takes_options(OF_CALL)
    def batch_encode_plus(self, batch_text_or_text_pairs: Batch, *options: Any, **named: Any) -> BatchEncoding:
        """Encode a list of texts or of pairs. The further arguments are those of `TokenizerCallOptions`."""
        call = self._with_resolved_strategies(read_options(OF_CALL, options, named))
        return self._batch_encode_plus(batch_text_or_text_pairs=batch_text_or_text_pairs, **call.under(OF_STRATEGIES))

    @takes_options(OF_STRATEGIES)
    def _batch_encode_plus(self, batch_text_or_text_pairs: Any, *options: Any, **named: Any) -> BatchEncoding:
        raise NotImplementedError(f"{type(self).__name__} should have a _batch_encode_plus")

    # --- targets ------------------------------------------------------------------------------------

    def _switch_to_input_mode(self) -> None:
        """Prepare for source texts; a subclass may do something here."""

    def _switch_to_target_mode(self) -> None:
        """Prepare for target texts; a subclass may do something here."""

    def as_target_tokenizer(self) -> AbstractContextManager[None]:
        """Encode targets while the context is open; deprecated in favour of `text_target`."""
        warn("as_target_tokenizer is deprecated; give the targets as text_target=... to the tokenizer's call")
        return self._target_context()

    @contextmanager
    def _target_context(self) -> Iterator[None]:
        self._switch_to_target_mode()
        self._in_target_context_manager = True
        yield
        self._in_target_context_manager = False
        self._switch_to_input_mode()

    def prepare_seq2seq_batch(
        self,
        src_texts: list[str],
        tgt_texts: list[str] | None = None,
        max_length: int | None = None,
        max_target_length: int | None = None,
        padding: str = "longest",
        return_tensors: str | None = None,
        truncation: bool = True,
        **kwargs: Any,
    ) -> BatchEncoding:
        """Encode source texts, with targets as `labels`; deprecated in favour of the tokenizer's call.

        Args:
            src_texts: the source texts.
            tgt_texts: the targets.
            max_length: of the sources; None for the model's maximum length.
            max_target_length: of the targets; None for `max_length`.
            padding, return_tensors, truncation, kwargs: as in `TokenizerCallOptions`.
        """
        warn("prepare_seq2seq_batch is deprecated; call tokenizer(src_texts, text_target=tgt_texts)", FutureWarning)
        for language in ("src_lang", "tgt_lang"):  # only some other models have them
            kwargs.pop(language, None)
        source_length = self.model_max_length if max_length is None else max_length
        asked: dict[str, Any] = {
            "add_special_tokens": True, "return_tensors": return_tensors, "padding": padding, "truncation": truncation,
        }  # fmt: skip
        encoding = self(src_texts, max_length=source_length, **asked, **kwargs)
        if tgt_texts is None:
            return encoding
        target_length = source_length if max_target_length is None else max_target_length
        with self.as_target_tokenizer():
            encoding["labels"] = self(tgt_texts, max_length=target_length, **asked, **kwargs)["input_ids"]
        return encoding
