"""`PreTrainedTokenizerFast`: the base class of all fast tokenizers, pipelines of `tokenlab.libraries.tokenizers`.

Adds: what a call does with a pipeline: truncation and padding are set before it, and its encodings become a batch.
Leaves out: the construction of a pipeline from a slow tokenizer (`convert_slow_tokenizer`), its training
    (`tokenization.backend_tokenizer`), and everything that slow and fast tokenizers share
    (`tokenization_utils_base`).

Differences from the library: a panic and a bare `Exception` of its pipeline are ValueErrors, such as a broken
tokenizer.json (or FileNotFoundError); an empty batch is an IndexError with an explanation. `save_pretrained` writes
tokenizer.json in the format of tokenizers 0.13.3, which also later versions read.

Source: transformers 4.26.1, tokenization_utils_fast.py.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, overload

from tokenlab.libraries.tokenizers import Encoding as EncodingFast
from tokenlab.libraries.tokenizers import Tokenizer as TokenizerFast
from tokenlab.libraries.tokenizers.decoders import Decoder as DecoderFast
from tokenlab.libraries.transformers.convert_slow_tokenizer import convert_slow_tokenizer
from tokenlab.libraries.transformers.tokenization.backend_tokenizer import (
    MODEL_TO_TRAINER_MAPPING,
    BackendTokenizer,
    train_new_from_iterator,
)
from tokenlab.libraries.transformers.tokenization.batch_encoding import BatchEncoding
from tokenlab.libraries.transformers.tokenization.padding_and_truncation import PaddingStrategy, TruncationStrategy
from tokenlab.libraries.transformers.tokenization.save_and_load import FastFileMethods
from tokenlab.libraries.transformers.tokenization.special_tokens_mixin import AddedToken, SpecialTokensMixin, Token
from tokenlab.libraries.transformers.tokenization.tokenizer_call_options import (
    OF_ENCODING,
    OF_STRATEGIES,
    PreTokenizedInput,
    PreTokenizedInputPair,
    TextInput,
    TextInputPair,
    read_options,
    takes_options,
)
from tokenlab.libraries.transformers.tokenization.tokenizer_files import (
    ADDED_TOKENS_FILE,
    SPECIAL_TOKENS_MAP_FILE,
    TOKENIZER_CONFIG_FILE,
    TOKENIZER_FILE,
)
from tokenlab.libraries.transformers.tokenization_utils import PreTrainedTokenizer
from tokenlab.libraries.transformers.tokenization_utils_base import PreTrainedTokenizerBase, whole_numbers
from tokenlab.libraries.transformers.utils import paused_garbage_collection

__all__ = [  # the names that the library's module has
    "ADDED_TOKENS_FILE", "MODEL_TO_TRAINER_MAPPING", "SPECIAL_TOKENS_MAP_FILE", "TOKENIZER_CONFIG_FILE",
    "TOKENIZER_FILE", "VOCAB_FILES_NAMES", "AddedToken", "BatchEncoding", "DecoderFast", "EncodingFast",
    "PaddingStrategy", "PreTokenizedInput", "PreTokenizedInputPair", "PreTrainedTokenizer", "PreTrainedTokenizerBase",
    "PreTrainedTokenizerFast", "SpecialTokensMixin", "TextInput", "TextInputPair", "TokenizerFast",
    "TruncationStrategy", "convert_slow_tokenizer",
]  # fmt: skip
VOCAB_FILES_NAMES = {"tokenizer_file": TOKENIZER_FILE}


class PreTrainedTokenizerFast(FastFileMethods, PreTrainedTokenizerBase):
    """The base class of tokenizers with a pipeline, which know the place of each token in the text."""

    vocab_files_names: ClassVar[Mapping[str, str]] = VOCAB_FILES_NAMES

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Build the pipeline from the first of these that is given, and set the special tokens.

        Args:
            args: positional arguments of `slow_tokenizer_class`.
            kwargs: `tokenizer_object`, a `tokenlab.libraries.tokenizers.Tokenizer`, which is copied;
                `tokenizer_file`, the path of a tokenizer.json, unless `from_slow` is True; or the arguments of the
                slow tokenizer, which is converted. The others are those of every tokenizer, such as `unk_token` and
                `model_max_length`.

        Raises:
            ValueError: nothing is given to build a pipeline from, or a file is damaged.
            FileNotFoundError: a file does not exist.
        """
        slow_tokenizer = kwargs.pop("__slow_tokenizer", None)
        self._tokenizer, slow_tokenizer = self._pipeline(slow_tokenizer, args, kwargs)
        if slow_tokenizer is not None:
            kwargs.update(slow_tokenizer.init_kwargs)
        self._decode_use_source_tokenizer = False
        super().__init__(**kwargs)

    def _pipeline(
        self, slow_tokenizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[BackendTokenizer, Any]:
        """Return the pipeline, and the slow tokenizer that it was converted from, if any."""
        sources = ("tokenizer_object", "tokenizer_file", "from_slow")
        given, file, from_slow = (kwargs.pop(source, None) for source in sources)
        has_slow = slow_tokenizer is not None or self.slow_tokenizer_class is not None
        if from_slow and not has_slow:
            raise ValueError(
                f"from_slow=True, but there is no slow version of {type(self).__name__}; give a tokenizer_file"
            )
        if given is not None:
            return BackendTokenizer.of(copy.deepcopy(given)), slow_tokenizer
        if file is not None and not from_slow:
            return BackendTokenizer.from_file(file), slow_tokenizer
        if not has_slow:
            raise ValueError(
                f"a {type(self).__name__} needs one of (1) tokenizer_file, the path of a tokenizer.json, "
                "(2) tokenizer_object, a tokenlab.libraries.tokenizers.Tokenizer, or (3) a slow tokenizer to convert, "
                "which this class does not have"
            )
        if slow_tokenizer is None:
            slow_tokenizer = self.slow_tokenizer_class(*args, **kwargs)
        return BackendTokenizer.of(convert_slow_tokenizer(slow_tokenizer)), slow_tokenizer

    # --- vocabulary ---------------------------------------------------------------------------------

    @property
    def is_fast(self) -> bool:
        """True."""
        return True

    @property
    def vocab_size(self) -> int:
        """The number of tokens without the added tokens."""
        return self._tokenizer.get_vocab_size(with_added_tokens=False)

    def get_vocab(self) -> dict[str, int]:
        """Return the id of every token."""
        return self._tokenizer.get_vocab(with_added_tokens=True)

    @property
    def vocab(self) -> dict[str, int]:
        """The id of every token."""
        return self.get_vocab()

    def get_added_vocab(self) -> dict[str, int]:
        """Return the ids of the added tokens that the model does not know."""
        known = self._tokenizer.get_vocab(with_added_tokens=False)
        return {token: id for token, id in self._tokenizer.get_vocab(True).items() if token not in known}

    def __len__(self) -> int:
        """Return the number of tokens, with the added tokens."""
        return self._tokenizer.get_vocab_size(with_added_tokens=True)

    @property
    def backend_tokenizer(self) -> TokenizerFast:
        """The pipeline."""
        return self._tokenizer

    @property
    def decoder(self) -> DecoderFast | None:
        """The decoder of the pipeline."""
        return self._tokenizer.decoder

    def _add_tokens(self, new_tokens: Iterable[Token], special_tokens: bool = False) -> int:
        add = self._tokenizer.add_special_tokens if special_tokens else self._tokenizer.add_tokens
        return add(list(new_tokens))

    def num_special_tokens_to_add(self, pair: bool = False) -> int:
        """Return the number of special tokens that are added to one text, or to two."""
        return self._tokenizer.num_special_tokens_to_add(pair)

    # --- tokens and ids -----------------------------------------------------------------------------

    @overload
    def convert_tokens_to_ids(self, tokens: str) -> int: ...  # type: ignore[overload-overlap]  # a str is iterable
    @overload
    def convert_tokens_to_ids(self, tokens: Iterable[str]) -> list[int]: ...
    def convert_tokens_to_ids(self, tokens: str | Iterable[str] | None) -> int | list[int] | None:
        """Return the id of a token, or the ids of several; for an unknown token that of `unk_token`."""
        if tokens is None:
            return None
        if isinstance(tokens, str):
            id: int | None = self._convert_token_to_id_with_added_voc(tokens)
            return id
        return [self._convert_token_to_id_with_added_voc(token) for token in tokens]

    def _convert_token_to_id_with_added_voc(self, token: str) -> Any:
        id = self._tokenizer.token_to_id(token)
        return self.unk_token_id if id is None else id

    def _convert_id_to_token(self, index: int) -> str | None:
        return self._tokenizer.id_to_token(int(index))

    @overload
    def convert_ids_to_tokens(self, ids: int, skip_special_tokens: bool = ...) -> str: ...
    @overload
    def convert_ids_to_tokens(self, ids: Sequence[int], skip_special_tokens: bool = ...) -> list[str]: ...
    def convert_ids_to_tokens(
        self, ids: int | Sequence[int], skip_special_tokens: bool = False
    ) -> str | list[str] | list[str | None] | None:
        """Return the token of an id, or the tokens of several; None for an id outside the vocabulary.

        Raises:
            OverflowError: an id is negative, or does not fit in 32 bits.
        """
        if isinstance(ids, int):
            return self._tokenizer.id_to_token(ids)
        special = set(self.all_special_ids) if skip_special_tokens else ()
        return [self._tokenizer.id_to_token(id) for id in whole_numbers(ids) if id not in special]

    def convert_tokens_to_string(self, tokens: list[str]) -> str:
        """Return the text of tokens, as the decoder joins them."""
        decoder: Any = self._tokenizer.decoder
        return str(decoder.decode(tokens))

    def tokenize(
        self, text: str, pair: str | None = None, add_special_tokens: bool = False, **kwargs: Any
    ) -> list[str]:
        """Return the tokens of a text, or of two. The further arguments are those of `__call__`."""
        encoding = self.encode_plus(text=text, text_pair=pair, add_special_tokens=add_special_tokens, **kwargs)
        return encoding.tokens()

    # --- calls --------------------------------------------------------------------------------------

    def set_truncation_and_padding(
        self,
        padding_strategy: PaddingStrategy,
        truncation_strategy: TruncationStrategy,
        max_length: int,
        stride: int,
        pad_to_multiple_of: int | None,
    ) -> None:
        """Set the truncation and the padding of the pipeline for the next encodings; they remain set.

        Args:
            padding_strategy: the padding; DO_NOT_PAD removes an earlier one.
            truncation_strategy: the truncation; DO_NOT_TRUNCATE removes an earlier one.
            max_length: the largest number of tokens, with special tokens.
            stride: the number of tokens that overflowing windows share.
            pad_to_multiple_of: pad to a multiple of this number.
        """
        self._set_truncation(truncation_strategy, max_length, stride)
        self._set_padding(padding_strategy, max_length, pad_to_multiple_of)

    def _set_truncation(self, strategy: TruncationStrategy, max_length: int, stride: int) -> None:
        if strategy == TruncationStrategy.DO_NOT_TRUNCATE:
            self._tokenizer.no_truncation()
            return
        wanted = {
            "max_length": max_length,
            "stride": stride,
            "strategy": strategy.value,
            "direction": self.truncation_side,
        }
        if self._tokenizer.truncation != wanted:
            self._tokenizer.enable_truncation(**wanted)

    def _set_padding(self, strategy: PaddingStrategy, max_length: int, pad_to_multiple_of: int | None) -> None:
        if strategy == PaddingStrategy.DO_NOT_PAD:
            self._tokenizer.no_padding()
            return
        wanted = {
            "length": max_length if strategy == PaddingStrategy.MAX_LENGTH else None,
            "direction": self.padding_side,
            "pad_id": self.pad_token_id,
            "pad_token": self.pad_token,
            "pad_type_id": self.pad_token_type_id,
            "pad_to_multiple_of": pad_to_multiple_of,
        }
        if self._tokenizer.padding != wanted:
            self._tokenizer.enable_padding(**wanted)

    def _convert_encoding(
        self,
        encoding: EncodingFast,
        return_token_type_ids: bool | None = None,
        return_attention_mask: bool | None = None,
        return_overflowing_tokens: bool = False,
        return_special_tokens_mask: bool = False,
        return_offsets_mapping: bool = False,
        return_length: bool = False,
        verbose: bool = True,
    ) -> tuple[dict[str, Any], list[EncodingFast]]:
        """Return the requested columns of an encoding, and the windows that they come from.

        Returns:
            A list for each column with one item per window: one window, or with those that overflow.
        """
        if return_token_type_ids is None:
            return_token_type_ids = "token_type_ids" in self.model_input_names
        if return_attention_mask is None:
            return_attention_mask = "attention_mask" in self.model_input_names
        windows = [encoding, *encoding.overflowing] if return_overflowing_tokens else [encoding]
        columns: dict[str, Any] = {"input_ids": [window.ids for window in windows]}
        if return_token_type_ids:
            columns["token_type_ids"] = [window.type_ids for window in windows]
        if return_attention_mask:
            columns["attention_mask"] = [window.attention_mask for window in windows]
        if return_special_tokens_mask:
            columns["special_tokens_mask"] = [window.special_tokens_mask for window in windows]
        if return_offsets_mapping:
            columns["offset_mapping"] = [window.offsets for window in windows]
        if return_length:
            columns["length"] = list(map(len, windows))
        return columns, windows

    @takes_options(OF_STRATEGIES, has_others=False)
    @paused_garbage_collection()
    def _batch_encode_plus(self, batch_text_or_text_pairs: Any, *options: Any, **named: Any) -> BatchEncoding:
        call = read_options(OF_STRATEGIES, options, named, has_others=False)
        if not isinstance(batch_text_or_text_pairs, (tuple, list)):
            kind = type(batch_text_or_text_pairs).__name__
            raise TypeError(f"batch_text_or_text_pairs should be a list or a tuple of texts, not {kind}")
        self.set_truncation_and_padding(
            padding_strategy=call.padding,  # type: ignore[arg-type]  # a strategy, in this method
            truncation_strategy=call.truncation,  # type: ignore[arg-type]
            max_length=call.max_length,  # type: ignore[arg-type]
            stride=call.stride,
            pad_to_multiple_of=call.pad_to_multiple_of,
        )
        encodings = self._tokenizer.encode_batch(
            batch_text_or_text_pairs,
            add_special_tokens=call.add_special_tokens,
            is_pretokenized=call.is_split_into_words,
        )
        if not encodings:
            raise IndexError("the batch is empty; give at least one text")
        asked = call.under(OF_ENCODING)
        converted = [self._convert_encoding(encoding=encoding, **asked) for encoding in encodings]
        data = {name: [row for columns, _ in converted for row in columns[name]] for name in converted[0][0]}
        if call.return_overflowing_tokens:
            data["overflow_to_sample_mapping"] = [
                sample for sample, (_, windows) in enumerate(converted) for _ in windows
            ]
        for ids in data["input_ids"]:
            self._eventual_warn_about_too_long_sequence(ids, call.max_length, call.verbose)
        windows = [window for _, some in converted for window in some]
        return BatchEncoding(data, windows, tensor_type=call.return_tensors)

    @takes_options(OF_STRATEGIES)
    def _encode_plus(self, text: Any, text_pair: Any = None, *options: Any, **named: Any) -> BatchEncoding:
        call = read_options(OF_STRATEGIES, options, named)
        # subtle: an empty second text counts as none, as in the library.
        batch = self._batch_encode_plus([(text, text_pair)] if text_pair else [text], **call.under(OF_STRATEGIES))
        if call.return_tensors is None and not call.return_overflowing_tokens:
            # subtle: the length is a list of one number, as in the library.
            first = {name: rows[0] if rows and isinstance(rows[0], list) else rows for name, rows in batch.items()}
            batch = BatchEncoding(first, batch.encodings)
        self._eventual_warn_about_too_long_sequence(batch["input_ids"], call.max_length, call.verbose)
        return batch

    # --- decoding -----------------------------------------------------------------------------------

    def _decode(
        self,
        token_ids: Any,
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool = True,
        **kwargs: Any,
    ) -> str:
        self._decode_use_source_tokenizer = kwargs.pop("use_source_tokenizer", False)
        ids = [token_ids] if isinstance(token_ids, int) else token_ids
        text = self._tokenizer.decode(ids, skip_special_tokens=skip_special_tokens)
        return self.clean_up_tokenization(text) if clean_up_tokenization_spaces else text

    # --- training -----------------------------------------------------------------------------------

    train_new_from_iterator = train_new_from_iterator
