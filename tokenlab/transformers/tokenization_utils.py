"""`PreTrainedTokenizer`: the base class of all slow tokenizers, from a text to a batch of ids and back.

Adds: the pipeline. Added tokens are split off, the model tokenizes the rest, tokens become ids, special tokens are
    added, lists are truncated and padded; and decoding.
Leaves out: the model itself. A subclass defines `vocab_size`, `get_vocab`, `_tokenize`, `_convert_token_to_id`,
    `_convert_id_to_token` and `save_vocabulary`, and may override every other step.

Differences from the library: an unknown argument is a TypeError, not a log message; `pad_to_max_length` and
`truncation_strategy`, deprecated in 4.26.1, are left out.

Source: transformers 4.26.1, tokenization_utils.py and tokenization_utils_base.py.
"""

from __future__ import annotations

import copy
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from tokenlab.transformers.tokenization import tokenizer_files
from tokenlab.transformers.tokenization.added_tokens import AddedToken, AddedTokenSplitter, strip_whitespace
from tokenlab.transformers.tokenization.batch_encoding import BatchEncoding
from tokenlab.transformers.tokenization.padding_and_truncation import (
    Ids,
    PaddingStrategy,
    TruncationStrategy,
    pad,
    resolve_padding,
    resolve_truncation,
    round_up_to_multiple,
    truncate,
)
from tokenlab.transformers.tokenization.special_tokens_mixin import SpecialTokensMixin, Token, check_special_token
from tokenlab.transformers.tokenization.tokenizer_call_options import TokenizerCallOptions

log = logging.getLogger("tokenlab.transformers")
VERY_LARGE_INTEGER = int(1e30)  # model_max_length without a limit
CLEAN_UP_RULES = ((" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't"), (" 'm", "'m"),
           (" 's", "'s"), (" 've", "'ve"), (" 're", "'re"))  # fmt: skip


class PreTrainedTokenizer(SpecialTokensMixin):
    """The base class of tokenizers written in Python."""

    vocab_files_names: ClassVar[Mapping[str, str]] = {}
    model_input_names: Sequence[str] = ("input_ids", "token_type_ids", "attention_mask")
    padding_side = "right"
    truncation_side = "right"
    is_fast = False

    def __init__(self, **kwargs: Any) -> None:
        """Set the special tokens and the options that apply to every call.

        Args:
            kwargs: special tokens by attribute, `model_max_length`, `padding_side`, `truncation_side`,
                `model_input_names`, `name_or_path`, `verbose`; all are stored for `save_pretrained`.

        Raises:
            ValueError: a side is neither "left" nor "right".
            TypeError: a special token is neither a string nor an AddedToken.
        """
        self.init_inputs: tuple[Any, ...] = ()
        self.init_kwargs = copy.deepcopy(kwargs)
        self.name_or_path = kwargs.pop("name_or_path", "")
        longest = kwargs.pop("model_max_length", None)
        self.model_max_length = VERY_LARGE_INTEGER if longest is None else longest
        for name in ("padding_side", "truncation_side"):
            side = kwargs.pop(name, getattr(self, name))
            if side not in ("right", "left"):
                raise ValueError(f"{name}={side!r} should be 'right' or 'left'")
            setattr(self, name, side)
        self.model_input_names = kwargs.pop("model_input_names", self.model_input_names)
        self.added_tokens_encoder: dict[str, int] = {}
        self.added_tokens_decoder: dict[int, str] = {}
        self.unique_no_split_tokens: list[str] = []
        self.tokens_trie = AddedTokenSplitter()
        self._logged: set[str] = set()
        super().__init__(**kwargs)

    # --- defined by the model ---------------------------------------------------------------------------

    @property
    def vocab_size(self) -> int:
        """The number of ids without the added tokens."""
        raise NotImplementedError(f"{type(self).__name__} should have a vocab_size")

    def get_vocab(self) -> dict[str, int]:
        """Return the id of every token."""
        raise NotImplementedError(f"{type(self).__name__} should have a get_vocab")

    def _tokenize(self, text: str) -> list[str]:
        raise NotImplementedError(f"{type(self).__name__} should have a _tokenize")

    def _convert_token_to_id(self, token: str) -> int:
        raise NotImplementedError(f"{type(self).__name__} should have a _convert_token_to_id")

    def _convert_id_to_token(self, index: int) -> str:
        raise NotImplementedError(f"{type(self).__name__} should have a _convert_id_to_token")

    def save_vocabulary(self, save_directory: str, filename_prefix: str | None = None) -> tuple[str, ...]:
        """Write the vocabulary files into a folder, and return their paths."""
        raise NotImplementedError(f"{type(self).__name__} should have a save_vocabulary")

    def _vocabulary_files(self) -> dict[str, bytes]:
        """Return the content of the vocabulary files by name."""
        raise NotImplementedError(f"{type(self).__name__} should have a _vocabulary_files")

    def convert_tokens_to_string(self, tokens: list[str]) -> str:
        """Return the text of tokens."""
        return " ".join(tokens)

    def build_inputs_with_special_tokens(self, token_ids_0: Ids, token_ids_1: Ids | None = None) -> Ids:
        """Return the ids of one or two texts with special tokens."""
        return token_ids_0 if token_ids_1 is None else token_ids_0 + token_ids_1

    def create_token_type_ids_from_sequences(self, token_ids_0: Ids, token_ids_1: Ids | None = None) -> Ids:
        """Return, for each id, the number of its text: 0 or 1."""
        return [0] * len(token_ids_0) + [1] * len(token_ids_1 or [])

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
        special = set(self.all_special_ids)
        return [int(id in special) for id in token_ids_0]

    # --- added tokens -------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self.vocab_size + len(self.added_tokens_encoder)

    def get_added_vocab(self) -> dict[str, int]:
        """Return the ids of the added tokens."""
        return self.added_tokens_encoder

    @property
    def all_special_ids(self) -> Ids:
        """The ids of all special tokens."""
        return [self.convert_tokens_to_ids(token) for token in self.all_special_tokens]

    def add_tokens(self, new_tokens: Token | Sequence[Token], special_tokens: bool = False) -> int:
        """Give new ids to tokens that the model does not know, and never split these tokens from now on.

        Args:
            new_tokens: one token or several.
            special_tokens: the tokens are special; then tokens that the model knows are never split either.

        Returns:
            The number of new ids.
        """
        given = [new_tokens] if isinstance(new_tokens, (str, AddedToken)) else list(new_tokens)
        check_special_token("new_tokens", given, several=True)
        return self._add_tokens(given, special_tokens=special_tokens)

    def _add_tokens(self, new_tokens: Sequence[Token], special_tokens: bool = False) -> int:
        tokens = [str(token) for token in new_tokens]
        unknown = self.convert_tokens_to_ids(self.unk_token)
        new = [token for token in tokens if token != self.unk_token and self.convert_tokens_to_ids(token) == unknown]
        new = list(dict.fromkeys(new))
        for id, token in enumerate(new, start=len(self)):
            self.added_tokens_encoder[token] = id
            self.added_tokens_decoder[id] = token
        self.unique_no_split_tokens = sorted({*self.unique_no_split_tokens, *(tokens if special_tokens else new)})
        self._create_trie(self.unique_no_split_tokens)
        return len(new)

    def _create_trie(self, unique_no_split_tokens: Iterable[str]) -> None:
        """Set the splitter of added tokens; a subclass may set another object with a method `split`."""
        self.tokens_trie = AddedTokenSplitter(unique_no_split_tokens)

    def add_special_tokens(
        self, special_tokens_dict: Mapping[str, Any], replace_additional_special_tokens: bool = True
    ) -> int:
        """Set special tokens, add those that the model does not know, and return the number of new ids.

        Raises:
            ValueError: a name is no special-token attribute.
            TypeError: a token is neither a string nor an AddedToken.
        """
        count = 0
        for name, value in special_tokens_dict.items():
            if name not in self.SPECIAL_TOKENS_ATTRIBUTES:
                raise ValueError(
                    f"{name!r} is no special-token attribute; use one of {', '.join(self.SPECIAL_TOKENS_ATTRIBUTES)}"
                )
            several = name == "additional_special_tokens"
            check_special_token(name, value, several)
            if several and not replace_additional_special_tokens:
                old = self.additional_special_tokens
                setattr(self, name, [*old, *(token for token in dict.fromkeys(value) if str(token) not in old)])
            else:
                setattr(self, name, value)
            count += self.add_tokens(value, special_tokens=True) if value else 0
        return count

    def sanitize_special_tokens(self) -> int:
        """Ensure that every special token has an id and is never split; return the number of new ids."""
        return self.add_tokens(self.all_special_tokens_extended, special_tokens=True)

    # --- from text to ids ---------------------------------------------------------------------------

    def prepare_for_tokenization(
        self, text: str, is_split_into_words: bool = False, **kwargs: Any
    ) -> tuple[str, dict[str, Any]]:
        """Return the text to tokenize and the arguments that were not used; a subclass may change both."""
        return text, kwargs

    def tokenize(self, text: str, **kwargs: Any) -> list[str]:
        """Return the tokens of a text: added tokens first, pieces of the model between them.

        Args:
            text: any text.
            kwargs: arguments of `prepare_for_tokenization`: `is_split_into_words` says that the text is one word of a
                text that was split before.

        Raises:
            TypeError: `prepare_for_tokenization` does not know an argument.
        """
        text, unknown = self.prepare_for_tokenization(text, **kwargs)
        if unknown:
            raise TypeError(f"tokenize() got unknown arguments: {', '.join(unknown)}")
        behaviours = {str(t): t for t in self.all_special_tokens_extended if isinstance(t, AddedToken)}
        whole = set(self.unique_no_split_tokens)
        parts = strip_whitespace(self.tokens_trie.split(text), whole, behaviours)
        return [token for part in parts for token in ([part] if part in whole else self._tokenize(part))]

    def convert_tokens_to_ids(self, tokens: Any) -> Any:
        """Return the id of a token, or the ids of several."""
        if tokens is None or isinstance(tokens, str):
            return self._convert_token_to_id_with_added_voc(tokens)
        return [self._convert_token_to_id_with_added_voc(token) for token in tokens]

    def _convert_token_to_id_with_added_voc(self, token: str | None) -> Any:
        if token is None:
            return None
        added = self.added_tokens_encoder.get(token)
        return self._convert_token_to_id(token) if added is None else added

    def _ids(self, given: Any, is_split_into_words: bool) -> Ids:
        """Return the ids of a text, of a list of words or tokens, or of a list of ids."""
        if isinstance(given, str):
            return list(self.convert_tokens_to_ids(self.tokenize(given)))
        if isinstance(given, (list, tuple)) and len(given) > 0:
            if isinstance(given[0], str):
                tokens: Iterable[str] = given
                if is_split_into_words:
                    tokens = [token for word in given for token in self.tokenize(word, is_split_into_words=True)]
                return list(self.convert_tokens_to_ids(tokens))
            if isinstance(given[0], int):
                return list(given)
        raise ValueError(f"text={given!r:.60} should be a string, or a list of strings or of whole numbers")

    def encode(
        self,
        text: Any,
        text_pair: Any = None,
        add_special_tokens: bool = True,
        padding: Any = False,
        truncation: Any = None,
        max_length: int | None = None,
        stride: int = 0,
        return_tensors: str | None = None,
        **kwargs: Any,
    ) -> Any:
        """Return the ids of one or two texts. The arguments are those of `TokenizerCallOptions`."""
        return self.encode_plus(
            text,
            text_pair,
            add_special_tokens=add_special_tokens,
            padding=padding,
            truncation=truncation,
            max_length=max_length,
            stride=stride,
            return_tensors=return_tensors,
            **kwargs,
        )["input_ids"]

    # subtle: the methods below call each other by the same names and keywords as in the library, because users override
    # them: __call__, _call_one, (batch_)encode_plus, _(batch_)encode_plus, _batch_prepare_for_model, prepare_for_model,
    # pad, _pad.

    def encode_plus(self, text: Any, text_pair: Any = None, *options: Any, **named: Any) -> BatchEncoding:
        """Encode a text or two texts, with their masks. The further arguments are those of `TokenizerCallOptions`."""
        call = self._resolved(TokenizerCallOptions(*options, **named))
        return self._encode_plus(text=text, text_pair=text_pair, **call.with_strategies())

    def _encode_plus(self, text: Any, text_pair: Any = None, *options: Any, **named: Any) -> BatchEncoding:
        call = TokenizerCallOptions.from_strategies(*options, **named)
        _refuse_offsets(call)
        ids = self._ids(text, call.is_split_into_words)
        pair_ids = None if text_pair is None else self._ids(text_pair, call.is_split_into_words)
        return self.prepare_for_model(ids, pair_ids=pair_ids, **call.for_model(), prepend_batch_axis=True)

    def batch_encode_plus(self, batch_text_or_text_pairs: Any, *options: Any, **named: Any) -> BatchEncoding:
        """Encode a list of texts or of pairs. The further arguments are those of `TokenizerCallOptions`."""
        call = self._resolved(TokenizerCallOptions(*options, **named))
        return self._batch_encode_plus(batch_text_or_text_pairs=batch_text_or_text_pairs, **call.with_strategies())

    def _batch_encode_plus(self, batch_text_or_text_pairs: Any, *options: Any, **named: Any) -> BatchEncoding:
        call = TokenizerCallOptions.from_strategies(*options, **named)
        _refuse_offsets(call)
        ids = [self._ids_of_pair(item, call.is_split_into_words) for item in batch_text_or_text_pairs]
        asked = call.with_strategies()
        del asked["is_split_into_words"], asked["return_offsets_mapping"]
        return BatchEncoding(self._batch_prepare_for_model(ids, **asked))

    def _batch_prepare_for_model(self, batch_ids_pairs: Any, *options: Any, **named: Any) -> BatchEncoding:
        call = TokenizerCallOptions.of_ids(*options, **named)
        alone = call.for_model() | {"padding": PaddingStrategy.DO_NOT_PAD.value, "prepend_batch_axis": False}
        alone |= {"pad_to_multiple_of": None, "return_attention_mask": False, "return_tensors": None}
        columns: dict[str, Any] = {}
        for ids, pair_ids in batch_ids_pairs:
            for name, value in self.prepare_for_model(ids, pair_ids, **alone).items():
                columns.setdefault(name, []).append(value)
        padded = self.pad(
            columns,
            padding=resolve_padding(call.padding),
            max_length=call.max_length,
            pad_to_multiple_of=call.pad_to_multiple_of,
            return_attention_mask=call.return_attention_mask,
        )
        return BatchEncoding(padded, call.return_tensors)

    def _ids_of_pair(self, item: Any, is_split_into_words: bool) -> tuple[Ids, Ids | None]:
        alone = not isinstance(item, (list, tuple)) or (is_split_into_words and not isinstance(item[0], (list, tuple)))
        text, pair = (item, None) if alone else item
        return self._ids(text, is_split_into_words), None if pair is None else self._ids(pair, is_split_into_words)

    def __call__(
        self,
        text: Any = None,
        text_pair: Any = None,
        text_target: Any = None,
        text_pair_target: Any = None,
        *options: Any,
        **named: Any,
    ) -> BatchEncoding:
        """Encode a text or a list of texts.

        Args:
            text: a text, or several.
            text_pair: the second texts.
            text_target: the target text or texts; their ids become `labels`.
            text_pair_target: its second texts.
            options: the arguments of `TokenizerCallOptions`.
            named: the same by name.

        Raises:
            ValueError: neither a text nor a target is given, a value is no text, or lists have different lengths.
        """
        call = TokenizerCallOptions(*options, **named)
        if text is None and text_target is None:
            raise ValueError("neither text nor text_target is given; give one of them")
        encoding = targets = None
        if text is not None:
            self._switch_to_input_mode()
            encoding = self._call_one(text=text, text_pair=text_pair, **vars(call))
        if text_target is not None:
            self._switch_to_target_mode()
            targets = self._call_one(text=text_target, text_pair=text_pair_target, **vars(call))
        self._switch_to_input_mode()
        if encoding is None or targets is None:
            found: Any = targets if encoding is None else encoding
            return found  # type: ignore[no-any-return]
        encoding["labels"] = targets["input_ids"]
        return encoding

    def _switch_to_input_mode(self) -> None:
        """Prepare for source texts; a subclass may do something here."""

    def _switch_to_target_mode(self) -> None:
        """Prepare for target texts; a subclass may do something here."""

    def _call_one(self, text: Any, text_pair: Any = None, *options: Any, **named: Any) -> BatchEncoding:
        call = TokenizerCallOptions(*options, **named)
        _check_text("text", text)
        if text_pair is not None:
            _check_text("text_pair", text_pair)
        listed = isinstance(text, (list, tuple))
        if call.is_split_into_words:
            listed = listed and bool(text) and isinstance(text[0], (list, tuple))
        if not listed:
            return self.encode_plus(text=text, text_pair=text_pair, **vars(call))
        if isinstance(text_pair, str):
            raise TypeError("text is a list and text_pair a string; give a list of the same length")
        if text_pair is not None and len(text) != len(text_pair):
            raise ValueError(f"text has {len(text)} texts and text_pair has {len(text_pair)}; give the same number")
        batch = text if text_pair is None else list(zip(text, text_pair, strict=True))
        return self.batch_encode_plus(batch_text_or_text_pairs=batch, **vars(call))

    def _resolved(self, call: TokenizerCallOptions) -> TokenizerCallOptions:
        """Return the options with strategies by name, as `_get_padding_truncation_strategies` chooses them."""
        padding, truncation, max_length, _ = self._get_padding_truncation_strategies(
            padding=call.padding,
            truncation=call.truncation,
            max_length=call.max_length,
            pad_to_multiple_of=call.pad_to_multiple_of,
            verbose=call.verbose,
        )
        return replace(call, padding=padding, truncation=truncation, max_length=max_length)

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
        call = TokenizerCallOptions(
            padding=padding,
            truncation=truncation,
            max_length=max_length,
            pad_to_multiple_of=pad_to_multiple_of,
            verbose=verbose,
        ).resolve(self.model_max_length, self._log_once)
        if call.padding != "do_not_pad" and not self.special_tokens_map.get("pad_token"):
            raise ValueError(f"padding={call.padding!r}, but there is no pad_token; set one, as in pad_token='<pad>'")
        return PaddingStrategy(call.padding), TruncationStrategy(call.truncation), call.max_length, kwargs

    def _log_once(self, sentence: str, verbose: bool) -> None:
        """Log a message the first time."""
        if verbose and sentence not in self._logged:
            log.warning(sentence)
            self._logged.add(sentence)

    # --- special tokens, truncation, padding ---------------------------------------------------------

    def num_special_tokens_to_add(self, pair: bool = False) -> int:
        """Return the number of special tokens that are added to one text, or to two."""
        return len(self.build_inputs_with_special_tokens([], [] if pair else None))

    def prepare_for_model(
        self, ids: Ids, pair_ids: Ids | None = None, *options: Any, prepend_batch_axis: bool = False, **named: Any
    ) -> BatchEncoding:
        """Add special tokens to ids, truncate and pad them.

        The further arguments are those of `TokenizerCallOptions` without `is_split_into_words`.
        """
        call = self._resolved(TokenizerCallOptions.of_ids(*options, **named))
        _check_options(call, pair_ids)
        around = self.num_special_tokens_to_add(pair=pair_ids is not None) if call.add_special_tokens else 0
        total = len(ids) + len(pair_ids or []) + around
        overflowing: Ids = []
        if call.truncation != "do_not_truncate" and call.max_length and total > call.max_length:
            ids, pair_ids, overflowing = self.truncate_sequences(
                ids,
                pair_ids=pair_ids,
                num_tokens_to_remove=total - call.max_length,
                truncation_strategy=call.truncation,
                stride=call.stride,
            )
        encoded: Any = {}
        if call.return_overflowing_tokens:
            encoded = {"overflowing_tokens": overflowing, "num_truncated_tokens": total - (call.max_length or 0)}
        encoded |= self._add_special_tokens_to(ids, pair_ids, call)
        self._eventual_warn_about_too_long_sequence(encoded["input_ids"], call.max_length, call.verbose)
        wants_mask = self._wanted(call.return_attention_mask, "attention_mask")
        if call.padding != "do_not_pad" or wants_mask:
            encoded = self.pad(
                encoded,
                max_length=call.max_length,
                padding=PaddingStrategy(call.padding).value,
                pad_to_multiple_of=call.pad_to_multiple_of,
                return_attention_mask=wants_mask,
            )
        if call.return_length:
            encoded["length"] = len(encoded["input_ids"])
        return BatchEncoding(encoded, call.return_tensors, prepend_batch_axis)

    def truncate_sequences(
        self,
        ids: Ids,
        pair_ids: Ids | None = None,
        num_tokens_to_remove: int = 0,
        truncation_strategy: Any = "longest_first",
        stride: int = 0,
    ) -> tuple[Ids, Ids | None, Ids]:
        """Return both lists without `num_tokens_to_remove` ids, and the ids that overflow."""
        strategy = resolve_truncation(truncation_strategy)
        cut = truncate(ids, pair_ids, num_tokens_to_remove, strategy, stride, self.truncation_side)
        if cut.problem:
            log.error(cut.problem)
        return cut.ids, cut.pair_ids, cut.overflowing

    def _add_special_tokens_to(self, ids: Ids, pair_ids: Ids | None, call: TokenizerCallOptions) -> dict[str, Any]:
        """Return the ids with special tokens, their token types and the special-tokens mask, as requested."""
        if call.add_special_tokens:
            sequence = self.build_inputs_with_special_tokens(ids, pair_ids)
            types = self.create_token_type_ids_from_sequences(ids, pair_ids)
        else:
            sequence = ids + (pair_ids or [])
            types = [0] * len(sequence)
        encoded: dict[str, Any] = {"input_ids": sequence}
        if self._wanted(call.return_token_type_ids, "token_type_ids"):
            encoded["token_type_ids"] = types
        if call.return_special_tokens_mask:
            added = call.add_special_tokens
            encoded["special_tokens_mask"] = self.get_special_tokens_mask(ids, pair_ids) if added else types
        return encoded

    def _wanted(self, given: bool | None, name: str) -> bool:
        return name in self.model_input_names if given is None else given

    def _eventual_warn_about_too_long_sequence(self, ids: Ids, max_length: int | None, verbose: bool) -> None:
        if max_length is None and len(ids) > self.model_max_length:
            self._log_once(
                f"a text has more ids than the model's maximum ({self.model_max_length}); truncate it", verbose
            )

    def pad(
        self,
        encoded_inputs: Any,
        padding: Any = True,
        max_length: int | None = None,
        pad_to_multiple_of: int | None = None,
        return_attention_mask: bool | None = None,
        return_tensors: str | None = None,
        verbose: bool = True,
    ) -> BatchEncoding:
        """Pad encodings.

        Args:
            encoded_inputs: an encoding, or a list of encodings.
            padding, max_length, pad_to_multiple_of, return_attention_mask, return_tensors, verbose: as in
                `TokenizerCallOptions`.

        Raises:
            ValueError: there is no entry `input_ids`, or the entries have different numbers of texts.
        """
        if isinstance(encoded_inputs, (list, tuple)):
            encoded_inputs = {name: [one[name] for one in encoded_inputs] for name in encoded_inputs[0]}
        encoded = {
            name: value.tolist() if hasattr(value, "tolist") else value for name, value in encoded_inputs.items()
        }
        if "input_ids" not in encoded:
            raise ValueError(f"there are no input_ids to pad, only {list(encoded)}; give at least one text")
        strategy, _, max_length, _ = self._get_padding_truncation_strategies(
            padding=resolve_padding(padding), max_length=max_length, verbose=verbose
        )
        ids = encoded["input_ids"]
        if not ids:  # subtle: outside a batch the library leaves an empty list empty
            strategy = PaddingStrategy.DO_NOT_PAD
        is_batch = bool(ids) and isinstance(ids[0], (list, tuple))
        if is_batch:
            lengths = {name: len(column) for name, column in encoded.items()}
            if len(set(lengths.values())) > 1:
                raise ValueError(f"the entries have different numbers of texts: {lengths}")
            if strategy == "longest":
                strategy, max_length = PaddingStrategy.MAX_LENGTH, max(map(len, ids))
        texts = len(ids) if is_batch else 1
        rows = [
            self._pad(
                {name: column[row] for name, column in encoded.items()} if is_batch else encoded,
                max_length=max_length,
                padding_strategy=strategy,
                pad_to_multiple_of=pad_to_multiple_of,
                return_attention_mask=return_attention_mask,
            )
            for row in range(texts)
        ]
        padded = {name: [row[name] for row in rows] for name in rows[0]} if is_batch else rows[0]
        return BatchEncoding(padded, return_tensors)

    def _pad(
        self,
        encoded_inputs: Any,
        max_length: int | None = None,
        padding_strategy: Any = PaddingStrategy.DO_NOT_PAD,
        pad_to_multiple_of: int | None = None,
        return_attention_mask: bool | None = None,
    ) -> dict[str, Any]:
        """Pad one encoding, and add its attention mask."""
        encoded = dict(encoded_inputs)
        ids = encoded["input_ids"]
        if self._wanted(return_attention_mask, "attention_mask") and "attention_mask" not in encoded:
            encoded["attention_mask"] = [1] * len(ids)
        if padding_strategy == "do_not_pad":
            return encoded
        length = len(ids) if padding_strategy == "longest" else max_length
        fill = {
            "input_ids": self.pad_token_id,
            "attention_mask": 0,
            "token_type_ids": self.pad_token_type_id,
            "special_tokens_mask": 1,
        }
        return pad(encoded, round_up_to_multiple(length, pad_to_multiple_of) or 0, fill, self.padding_side)

    # --- from ids to text ---------------------------------------------------------------------------

    def convert_ids_to_tokens(self, ids: Any, skip_special_tokens: bool = False) -> Any:
        """Return the token of an id, or the tokens of several."""
        if isinstance(ids, int):
            added = self.added_tokens_decoder.get(ids)
            return self._convert_id_to_token(ids) if added is None else added
        special = set(self.all_special_ids) if skip_special_tokens else ()
        kept = [int(id) for id in ids if int(id) not in special]
        known = self.added_tokens_decoder
        return [known[id] if id in known else self._convert_id_to_token(id) for id in kept]

    def decode(
        self,
        token_ids: Any,
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool = True,
        **kwargs: Any,
    ) -> str:
        """Return the text of ids.

        Args:
            token_ids: a list, a tensor or an array.
            skip_special_tokens: leave them out.
            clean_up_tokenization_spaces: remove the spaces before English punctuation.
            kwargs: `spaces_between_special_tokens=False` omits the spaces around added tokens.
        """
        return self._decode(
            token_ids=token_ids.tolist() if hasattr(token_ids, "tolist") else token_ids,
            skip_special_tokens=skip_special_tokens,
            clean_up_tokenization_spaces=clean_up_tokenization_spaces,
            **kwargs,
        )

    def _decode(
        self,
        token_ids: Any,
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool = True,
        spaces_between_special_tokens: bool = True,
    ) -> str:
        ids = [token_ids] if isinstance(token_ids, int) else token_ids
        tokens = self.convert_ids_to_tokens(ids, skip_special_tokens=skip_special_tokens)
        text = (" " if spaces_between_special_tokens else "").join(self._texts(tokens))
        return self.clean_up_tokenization(text) if clean_up_tokenization_spaces else text

    def _texts(self, tokens: Iterable[str]) -> list[str]:
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

    def batch_decode(
        self,
        sequences: Any,
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool = True,
        **kwargs: Any,
    ) -> list[str]:
        """Return the texts of lists of ids. The arguments are those of `decode`."""
        kwargs |= {"clean_up_tokenization_spaces": clean_up_tokenization_spaces}
        return [self.decode(ids, skip_special_tokens=skip_special_tokens, **kwargs) for ids in sequences]

    @staticmethod
    def clean_up_tokenization(out_string: str) -> str:
        """Remove spaces before English punctuation and contractions, one rule after another.

        >>> PreTrainedTokenizer.clean_up_tokenization("it 's here , is n't it ?")
        "it's here, isn't it?"
        """
        for spaced, close in CLEAN_UP_RULES:
            out_string = out_string.replace(spaced, close)
        return out_string

    # --- files --------------------------------------------------------------------------------------

    @classmethod
    def from_pretrained(cls, pretrained_model_name_or_path: Any, *init_inputs: Any, **kwargs: Any) -> Any:
        """Load a tokenizer from a folder in the library's format, from the hub, or from its vocabulary file.

        Args:
            pretrained_model_name_or_path: the folder, the repository or the file.
            init_inputs: positional arguments of the class.
            kwargs: arguments of the class, which override the folder's; and download options (`cache_dir`,
                `revision`, ...).

        Raises:
            OSError: the folder, repository or vocabulary does not exist, or the hub cannot be reached.
            ValueError: a file is damaged, or the ids of added tokens have gaps.
        """
        return tokenizer_files.load(cls, pretrained_model_name_or_path, init_inputs, kwargs)

    @classmethod
    def _from_pretrained(
        cls,
        resolved_vocab_files: dict[str, Any],
        pretrained_model_name_or_path: str,
        init_configuration: dict[str, Any],
        *init_inputs: Any,
        use_auth_token: Any = None,
        cache_dir: Any = None,
        local_files_only: bool = False,
        _commit_hash: str | None = None,
        **kwargs: Any,
    ) -> Any:
        where = pretrained_model_name_or_path
        return tokenizer_files.build(cls, resolved_vocab_files, where, init_configuration, init_inputs, kwargs)

    def save_pretrained(
        self, save_directory: Any, legacy_format: bool | None = None, filename_prefix: str | None = None
    ) -> tuple[str, ...]:
        """Write all files for `from_pretrained`, or none; return the paths in the library's order.

        If `_save_pretrained` or `save_vocabulary` is overridden, it is called after the configuration is written.
        """
        return tokenizer_files.save(self, save_directory, legacy_format, filename_prefix)

    def _save_pretrained(
        self,
        save_directory: Any,
        file_names: tuple[str, ...],
        legacy_format: bool | None = None,
        filename_prefix: str | None = None,
    ) -> tuple[str, ...]:
        """Write the added tokens and the vocabulary, and return the paths of all files."""
        if legacy_format is False:
            raise ValueError("legacy_format=False needs a fast tokenizer; this one has only the files of a slow one")
        added = tokenizer_files.added_tokens_file(self)
        if added:
            tokenizer_files.write_files_atomically(save_directory, added, filename_prefix)
        vocabulary = self.save_vocabulary(str(save_directory), filename_prefix=filename_prefix)
        added_path = tokenizer_files.paths(save_directory, filename_prefix, [tokenizer_files.ADDED])
        return (*file_names, *vocabulary, *added_path)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(name_or_path={self.name_or_path!r}, vocab_size={self.vocab_size}, "
            f"model_max_length={self.model_max_length}, is_fast={self.is_fast}, padding_side={self.padding_side!r}, "
            f"truncation_side={self.truncation_side!r}, special_tokens={self.special_tokens_map_extended})"
        )


def _check_text(name: str, text: Any) -> None:
    """Raise a ValueError unless the value is a text, a list of texts, or a list of texts split into words."""
    inner = text
    for _ in range(3):
        if isinstance(inner, str) or (isinstance(inner, (list, tuple)) and not inner):
            return
        if not isinstance(inner, (list, tuple)):
            break
        inner = inner[0]
    raise ValueError(f"{name}={text!r:.60} should be a string, a list of strings, or a list of lists of words")


def _refuse_offsets(call: TokenizerCallOptions) -> None:
    if call.return_offsets_mapping:
        raise NotImplementedError("return_offsets_mapping=True needs a fast tokenizer; this one stores no offsets")


def _check_options(call: TokenizerCallOptions, pair_ids: Ids | None) -> None:
    if call.return_token_type_ids and not call.add_special_tokens:
        raise ValueError("return_token_type_ids=True needs add_special_tokens=True; leave it None otherwise")
    if call.return_overflowing_tokens and call.max_length is None:
        raise TypeError("return_overflowing_tokens=True needs a max_length; give the number of ids to keep")
    if call.return_overflowing_tokens and call.truncation == "longest_first" and pair_ids is not None:
        raise ValueError(
            "return_overflowing_tokens=True is not possible with truncation='longest_first' of two texts; "
            "use 'only_first' or 'only_second'"
        )
