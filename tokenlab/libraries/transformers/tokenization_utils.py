"""`PreTrainedTokenizer`: the base class of all slow tokenizers, which are written in Python.

Adds: the pipeline. Added tokens are split off, the model tokenizes the rest, tokens become ids; and decoding.
Leaves out: what fast tokenizers share, which is in `tokenization_utils_base`, and the model itself. A subclass defines
    `vocab_size`, `get_vocab`, `_tokenize`, `_convert_token_to_id`, `_convert_id_to_token` and `save_vocabulary`, and
    may override every other step.

Source: transformers 4.26.1, tokenization_utils.py.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, overload

from tokenlab.algorithms.text.normalization_rules import is_other, is_whitespace
from tokenlab.algorithms.text.word_cache import WordCache
from tokenlab.libraries.bert.tokenization import is_punctuation
from tokenlab.libraries.transformers.tokenization.batch_encoding import BatchEncoding
from tokenlab.libraries.transformers.tokenization.padding_and_truncation import Ids, PaddingStrategy, TruncationStrategy
from tokenlab.libraries.transformers.tokenization.special_tokens_mixin import AddedToken, Token, as_texts
from tokenlab.libraries.transformers.tokenization.tokenizer_call_options import (
    OF_BATCH_OF_IDS,
    OF_IDS,
    OF_STRATEGIES,
    EncodedInput,
    EncodedInputPair,
    PreTokenizedInput,
    PreTokenizedInputPair,
    TextInput,
    TextInputPair,
    TokenizerCallOptions,
    read_options,
    takes_options,
    text_and_pair,
)
from tokenlab.libraries.transformers.tokenization.tokenizer_files import (
    ADDED_TOKENS_FILE,
    SPECIAL_TOKENS_MAP_FILE,
    TOKENIZER_CONFIG_FILE,
)
from tokenlab.libraries.transformers.tokenization.trie import Trie, lower_except, strip_around_added_tokens
from tokenlab.libraries.transformers.tokenization_utils_base import (
    PreTrainedTokenizerBase,
    about_tokens,
    join_tokens,
    warn_about_other_types,
    whole_numbers,
)
from tokenlab.libraries.transformers.utils import TensorType, is_overridden, paused_garbage_collection
from tokenlab.printing.errors import warn

__all__ = [  # the names that the library's module has
    "ADDED_TOKENS_FILE", "SPECIAL_TOKENS_MAP_FILE", "TOKENIZER_CONFIG_FILE", "AddedToken", "BatchEncoding",
    "EncodedInput", "EncodedInputPair", "PaddingStrategy", "PreTokenizedInput", "PreTokenizedInputPair",
    "PreTrainedTokenizer", "PreTrainedTokenizerBase", "TensorType", "TextInput", "TextInputPair", "Trie",
    "TruncationStrategy",
]  # fmt: skip
log = logging.getLogger("tokenlab.libraries.transformers")

_is_whitespace, _is_control, _is_punctuation = is_whitespace, is_other, is_punctuation  # for tokenizers of users


class PreTrainedTokenizer(PreTrainedTokenizerBase):
    """The base class of tokenizers written in Python."""

    def __init__(self, **kwargs: Any) -> None:
        """Set the special tokens and the options that apply to every call; see `PreTrainedTokenizerBase`."""
        super().__init__(**kwargs)
        self.added_tokens_encoder: dict[str, int] = {}
        self.added_tokens_decoder: dict[int, str] = {}
        self.unique_no_split_tokens: list[str] = []
        self.tokens_trie = Trie()
        self._decode_use_source_tokenizer = False

    @property
    def is_fast(self) -> bool:
        """False."""
        return False

    # --- defined by the model ---------------------------------------------------------------------------

    def _tokenize(self, text: str) -> list[str]:
        raise NotImplementedError(f"{type(self).__name__} should have a _tokenize")

    def _convert_token_to_id(self, token: str) -> int:
        raise NotImplementedError(f"{type(self).__name__} should have a _convert_token_to_id")

    def _convert_id_to_token(self, index: int) -> str:
        raise NotImplementedError(f"{type(self).__name__} should have a _convert_id_to_token")

    def convert_tokens_to_string(self, tokens: list[str]) -> str:
        """Return the text of tokens."""
        return join_tokens(tokens, " ")

    def num_special_tokens_to_add(self, pair: bool = False) -> int:
        """Return the number of special tokens that are added to one text, or to two."""
        return len(self.build_inputs_with_special_tokens([], [] if pair else None))

    def get_special_tokens_mask(
        self, token_ids_0: Ids, token_ids_1: Ids | None = None, already_has_special_tokens: bool = False
    ) -> Ids:
        """Return 1 for special tokens and 0 for tokens of the text.

        Raises:
            ValueError: a second list is given although the first already has its special tokens.
        """
        if not already_has_special_tokens:
            return [0] * (len(token_ids_0) + len(token_ids_1 or []))
        if token_ids_1 is not None:
            raise ValueError("token_ids_1 is given, but with already_has_special_tokens=True there is one list of ids")
        return super().get_special_tokens_mask(token_ids_0, already_has_special_tokens=True)

    # --- added tokens -------------------------------------------------------------------------------

    def __len__(self) -> int:
        """Return the number of ids with the added tokens."""
        return self.vocab_size + len(self.added_tokens_encoder)

    def get_added_vocab(self) -> dict[str, int]:
        """Return the ids of the added tokens."""
        return self.added_tokens_encoder

    def _lowers(self) -> bool:
        """Return True if the tokenizer lowercases texts, except for special tokens."""
        return bool(getattr(self, "do_lower_case", False))

    def _add_tokens(self, new_tokens: Sequence[Token], special_tokens: bool = False) -> int:
        given = as_texts(new_tokens)
        tokens = [token.lower() for token in given] if self._lowers() and not special_tokens else given
        other = [token for token in dict.fromkeys(tokens) if token != self.unk_token]
        # subtle: a new unk_token may have no id yet, and XLM-RoBERTa would look for it forever
        unknown = self.convert_tokens_to_ids(self.unk_token) if other else None
        new = [token for token in other if self.convert_tokens_to_ids(token) == unknown]
        for id, token in enumerate(new, start=len(self)):
            self.added_tokens_encoder[token] = id
            self.added_tokens_decoder[id] = token
        self.unique_no_split_tokens = sorted({*self.unique_no_split_tokens, *(given if special_tokens else new)})
        self._create_trie(self.unique_no_split_tokens)
        return len(new)

    def _create_trie(self, unique_no_split_tokens: Iterable[str]) -> None:
        """Set the splitter of added tokens; a subclass may set another object with a method `split`."""
        special = set(self.all_special_tokens) if self._lowers() else None
        self.tokens_trie = Trie(
            [token if special is None or token in special else token.lower() for token in unique_no_split_tokens]
        )

    # --- from text to ids ---------------------------------------------------------------------------

    def prepare_for_tokenization(
        self, text: str, is_split_into_words: bool = False, **kwargs: Any
    ) -> tuple[str, dict[str, Any]]:
        """Return the text to tokenize and the arguments that were not used; a subclass may change both."""
        return text, kwargs

    def tokenize(self, text: str, **kwargs: Any) -> list[str]:  # type: ignore[override]
        """Return the tokens of a text: added tokens first, pieces of the model between them.

        Args:
            text: any text.
            kwargs: arguments of `prepare_for_tokenization`: `is_split_into_words` says that the text is one word of a
                text that was split before. Unknown ones are logged and ignored.

        Raises:
            TypeError: the text is no string.
        """
        text, unknown = self.prepare_for_tokenization(text, **kwargs)
        if not isinstance(text, str):
            raise TypeError(f"text={text!r:.60} is a {type(text).__name__}; give a string")
        if unknown:
            log.warning("unknown arguments have no effect: %s", ", ".join(unknown))
        if self._lowers():
            text = lower_except(text, [*self.unique_no_split_tokens, *self.all_special_tokens])
        parts = self.tokens_trie.split(text)
        whole = set(self.unique_no_split_tokens)
        if not whole.isdisjoint(parts):
            flags = {str(t): t for t in self.all_special_tokens_extended if isinstance(t, AddedToken)}
            parts = strip_around_added_tokens(parts, whole, flags)
        return [token for part in parts for token in ([part] if part in whole else self._tokenize(part))]

    @overload
    def convert_tokens_to_ids(self, tokens: str) -> int: ...  # type: ignore[overload-overlap]  # a str is iterable
    @overload
    def convert_tokens_to_ids(self, tokens: Iterable[str]) -> list[int]: ...
    def convert_tokens_to_ids(self, tokens: str | Iterable[str] | None) -> int | list[int] | None:
        """Return the id of a token, or the ids of several.

        Raises:
            AttributeError, TypeError: a token is no string; which of the two depends on the model, as in the library.
        """
        if tokens is None or isinstance(tokens, str):
            id: int | None = self._convert_token_to_id_with_added_voc(tokens)
            return id
        try:
            return [self._convert_token_to_id_with_added_voc(token) for token in tokens]
        except (AttributeError, TypeError) as error:
            raise about_tokens(tokens, error) from None

    def _convert_token_to_id_with_added_voc(self, token: str | None) -> Any:
        if token is None:
            return None
        added = self.added_tokens_encoder.get(token)
        return self._convert_token_to_id(token) if added is None else added

    def _ids_of_input(self, given: Any, call: TokenizerCallOptions, as_ids: Callable[[Iterable[str]], Ids]) -> Ids:
        """Return the ids of a text, of a list of words or tokens, or of a list of ids."""
        if isinstance(given, str):
            return as_ids(self.tokenize(given, **call.others))
        if isinstance(given, (list, tuple)) and len(given) > 0:
            if isinstance(given[0], str):
                warn_about_other_types(given, str)
                tokens: Iterable[str] = given
                if call.is_split_into_words:
                    words = (self.tokenize(word, is_split_into_words=True, **call.others) for word in given)
                    tokens = chain.from_iterable(words)
                return as_ids(tokens)
            if isinstance(given[0], int):
                warn_about_other_types(given, int)
                return given  # type: ignore[return-value]
        raise ValueError(f"text={given!r:.60} should be a string, or a list of strings or of whole numbers")

    @takes_options(OF_STRATEGIES)
    def _encode_plus(self, text: Any, text_pair: Any = None, *options: Any, **named: Any) -> BatchEncoding:
        call = read_options(OF_STRATEGIES, options, named)
        _refuse_offsets(call)
        ids = self._ids_of_input(text, call, self.convert_tokens_to_ids)
        pair_ids = None if text_pair is None else self._ids_of_input(text_pair, call, self.convert_tokens_to_ids)
        return self.prepare_for_model(ids, pair_ids=pair_ids, **_of_ids(call), prepend_batch_axis=True)

    @takes_options(OF_STRATEGIES)
    @paused_garbage_collection()
    def _batch_encode_plus(self, batch_text_or_text_pairs: Any, *options: Any, **named: Any) -> BatchEncoding:
        call = read_options(OF_STRATEGIES, options, named)
        _refuse_offsets(call)
        ids_of = self._encoder_for_a_batch(call)
        pairs = (text_and_pair(item, call.is_split_into_words) for item in batch_text_or_text_pairs)
        ids = [(ids_of(text), None if pair is None else ids_of(pair)) for text, pair in pairs]
        asked = replace(call, others={}).under(OF_BATCH_OF_IDS)
        return BatchEncoding(self._batch_prepare_for_model(ids, **asked))

    def _encoder_for_a_batch(self, call: TokenizerCallOptions) -> Callable[[Any], Ids]:
        """Return the function from a text, or a list of words, tokens or ids, to ids."""
        return partial(self._ids_of_input, call=call, as_ids=self._converter_for_a_batch())

    def _converter_for_a_batch(self) -> Callable[[Iterable[str]], Ids]:
        """Return `convert_tokens_to_ids`, or unless a subclass has its own way, one that keeps the id of each token."""
        own = ("convert_tokens_to_ids", "_convert_token_to_id_with_added_voc", "_convert_token_to_id")
        if is_overridden(self, *own):
            return self.convert_tokens_to_ids
        ids = WordCache[Any](self._convert_token_to_id_with_added_voc)

        def convert(tokens: Iterable[str]) -> Ids:
            try:
                return [ids[token] for token in tokens]
            except (AttributeError, TypeError) as error:
                raise about_tokens(tokens, error) from None

        return convert

    @takes_options(OF_BATCH_OF_IDS, has_others=False)
    def _batch_prepare_for_model(self, batch_ids_pairs: Any, *options: Any, **named: Any) -> BatchEncoding:
        call = read_options(OF_BATCH_OF_IDS, options, named)
        alone = replace(
            call,
            padding=PaddingStrategy.DO_NOT_PAD.value,
            truncation=TruncationStrategy(call.truncation).value,
            pad_to_multiple_of=None,
            return_attention_mask=False,
            return_tensors=None,
        )
        prepare = self._preparation_for_a_batch(alone)
        columns: dict[str, Any] = {}
        for ids, pair_ids in batch_ids_pairs:
            for name, value in prepare(ids, pair_ids).items():
                columns.setdefault(name, []).append(value)
        padded = self.pad(
            columns,
            padding=PaddingStrategy(call.padding).value,
            max_length=call.max_length,
            pad_to_multiple_of=call.pad_to_multiple_of,
            return_attention_mask=call.return_attention_mask,
        )
        return BatchEncoding(padded, tensor_type=call.return_tensors)

    def _preparation_for_a_batch(self, call: TokenizerCallOptions) -> Callable[[Ids, Ids | None], Mapping[str, Any]]:
        """Return `prepare_for_model` with the options, or unless it is overridden, its part for an unpadded text."""
        if is_overridden(self, "prepare_for_model"):
            return partial(self.prepare_for_model, **call.under(OF_IDS), prepend_batch_axis=False)
        resolved, count = self._with_resolved_strategies(call), self._number_of_special_tokens(call)

        def prepare(ids: Ids, pair_ids: Ids | None) -> dict[str, Any]:
            encoded = self._model_inputs(ids, pair_ids, resolved, count)
            return encoded | ({"length": len(encoded["input_ids"])} if call.return_length else {})

        return prepare

    # --- from ids to text ---------------------------------------------------------------------------

    @overload
    def convert_ids_to_tokens(self, ids: int, skip_special_tokens: bool = ...) -> str: ...
    @overload
    def convert_ids_to_tokens(self, ids: Sequence[int], skip_special_tokens: bool = ...) -> list[str]: ...
    def convert_ids_to_tokens(self, ids: int | Sequence[int], skip_special_tokens: bool = False) -> str | list[str]:
        """Return the token of an id, or the tokens of several."""
        known = self.added_tokens_decoder
        if isinstance(ids, int):
            return known[ids] if ids in known else self._convert_id_to_token(ids)
        special = set(self.all_special_ids) if skip_special_tokens else ()
        kept = [id for id in whole_numbers(ids) if id not in special]
        return [known[id] if id in known else self._convert_id_to_token(id) for id in kept]

    def _decode(
        self,
        token_ids: Any,
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool = True,
        spaces_between_special_tokens: bool = True,
        **kwargs: Any,
    ) -> str:
        self._decode_use_source_tokenizer = kwargs.pop("use_source_tokenizer", False)
        if isinstance(token_ids, int):
            warn(f"token_ids={token_ids} is one id, whose token is decoded character by character; give a list")
        tokens = self.convert_ids_to_tokens(token_ids, skip_special_tokens=skip_special_tokens)
        if skip_special_tokens:
            # subtle: the ids that tokens are compared with contain None if the vocabulary lacks a special token
            ids = self.all_special_ids
            tokens = [token for token in tokens if token not in ids]
        try:
            text = (" " if spaces_between_special_tokens else "").join(self._texts_around_added_tokens(tokens))
        except TypeError:
            self._refuse_unknown_ids([token_ids] if isinstance(token_ids, int) else token_ids)
            raise
        return self.clean_up_tokenization(text) if clean_up_tokenization_spaces else text

    def _refuse_unknown_ids(self, ids: Iterable[int]) -> None:
        """Raise a TypeError for an id whose token is None, as in a model that knows its tokens from a dictionary."""
        for id in ids:
            if self.convert_ids_to_tokens([id]) == [None]:
                raise TypeError(f"token_ids has {id}, which is no id of this tokenizer; it has {len(self)} ids")

    def _texts_around_added_tokens(self, tokens: Iterable[str]) -> list[str]:
        """Return the added tokens unchanged, and the text of the other tokens between them."""
        texts: list[str] = []
        pieces: list[str] = []
        for token in tokens:
            if token not in self.added_tokens_encoder:
                pieces.append(token)
                continue
            texts += [self.convert_tokens_to_string(pieces)] if pieces else []
            texts.append(token)
            pieces = []
        return [*texts, self.convert_tokens_to_string(pieces)] if pieces else texts


def _of_ids(call: TokenizerCallOptions) -> dict[str, Any]:
    """Return the arguments of `prepare_for_model`, with the strategies as strings."""
    strategies = {
        "padding": PaddingStrategy(call.padding).value,
        "truncation": TruncationStrategy(call.truncation).value,
    }
    return replace(call, others={}).under(OF_IDS) | strategies


def _refuse_offsets(call: TokenizerCallOptions) -> None:
    if call.return_offsets_mapping:
        raise NotImplementedError("return_offsets_mapping=True needs a fast tokenizer; this one stores no offsets")
