"""`PreTrainedTokenizer`: what all slow tokenizers share, from a text to a batch of ids and back.

Adds: the pipeline. Added tokens are cut out, the rest is cut into pieces by the model, pieces become ids, special
    tokens are put around them, lists are truncated and padded; and the way back.
Leaves out: the model itself. A subclass has `vocab_size`, `get_vocab`, `_tokenize`, `_convert_token_to_id`,
    `_convert_id_to_token`, `save_vocabulary`, and overrides what its model does in its own way.

What differs from the library: an argument that is not known is a TypeError and not a line in the log;
`pad_to_max_length` and `truncation_strategy`, old already in 4.26.1, are not there.

Source: transformers 4.26.1, tokenization_utils.py and tokenization_utils_base.py.
"""

from __future__ import annotations

import copy
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from tokenlab.transformers.added_tokens import AddedToken, Cutter, strip_blanks
from tokenlab.transformers.batch_encoding import BatchEncoding
from tokenlab.transformers.encode_options import EncodeOptions
from tokenlab.transformers.padding import Ids, pad, padding_named, rounded_up, truncate
from tokenlab.transformers.special_tokens import SpecialTokens, Token, check_tokens
from tokenlab.transformers.tokenizer_files import load, save

log = logging.getLogger("tokenlab.transformers")
VERY_LARGE = int(1e30)  # the model_max_length of a model that has none
ENGLISH = ((" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't"), (" 'm", "'m"),
           (" 's", "'s"), (" 've", "'ve"), (" 're", "'re"))  # fmt: skip


class PreTrainedTokenizer(SpecialTokens):
    """The base of tokenizers in Python."""

    vocab_files_names: ClassVar[Mapping[str, str]] = {}
    model_input_names: Sequence[str] = ("input_ids", "token_type_ids", "attention_mask")
    padding_side = "right"
    truncation_side = "right"
    is_fast = False

    def __init__(self, **kwargs: Any) -> None:
        """Take the special tokens and what holds for every call.

        Args:
            kwargs: special tokens by attribute, `model_max_length`, `padding_side`, `truncation_side`,
                `model_input_names`, `name_or_path`, `verbose`; all are kept for `save_pretrained`.

        Raises:
            ValueError: a side that is neither "left" nor "right".
            TypeError: a special token that is neither a string nor an AddedToken.
        """
        self.init_inputs: tuple[Any, ...] = ()
        self.init_kwargs = copy.deepcopy(kwargs)
        self.name_or_path = kwargs.pop("name_or_path", "")
        longest = kwargs.pop("model_max_length", None)
        self.model_max_length = VERY_LARGE if longest is None else longest
        for name in ("padding_side", "truncation_side"):
            side = kwargs.pop(name, getattr(self, name))
            if side not in ("right", "left"):
                raise ValueError(f"{name}={side!r} should be 'right' or 'left'")
            setattr(self, name, side)
        self.model_input_names = kwargs.pop("model_input_names", self.model_input_names)
        self.added_tokens_encoder: dict[str, int] = {}
        self.added_tokens_decoder: dict[int, str] = {}
        self.unique_no_split_tokens: list[str] = []
        self._cutter = Cutter()
        self._said: set[str] = set()
        super().__init__(**kwargs)

    # --- what a model has ---------------------------------------------------------------------------

    @property
    def vocab_size(self) -> int:
        """How many ids the model has without the added tokens."""
        raise NotImplementedError(f"{type(self).__name__} should have a vocab_size")

    def get_vocab(self) -> dict[str, int]:
        """The id of every token."""
        raise NotImplementedError(f"{type(self).__name__} should have a get_vocab")

    def _tokenize(self, text: str) -> list[str]:
        raise NotImplementedError(f"{type(self).__name__} should have a _tokenize")

    def _convert_token_to_id(self, token: str) -> int:
        raise NotImplementedError(f"{type(self).__name__} should have a _convert_token_to_id")

    def _convert_id_to_token(self, index: int) -> str:
        raise NotImplementedError(f"{type(self).__name__} should have a _convert_id_to_token")

    def save_vocabulary(self, save_directory: str, filename_prefix: str | None = None) -> tuple[str, ...]:
        """Write the model's own files into a folder; the paths written."""
        raise NotImplementedError(f"{type(self).__name__} should have a save_vocabulary")

    def _vocabulary_files(self) -> dict[str, bytes]:
        """The content of the model's own files by name."""
        raise NotImplementedError(f"{type(self).__name__} should have a _vocabulary_files")

    def convert_tokens_to_string(self, tokens: list[str]) -> str:
        """The text that tokens stand for."""
        return " ".join(tokens)

    def build_inputs_with_special_tokens(self, token_ids_0: Ids, token_ids_1: Ids | None = None) -> Ids:
        """The ids of a text, or of two, with special tokens around them."""
        return token_ids_0 if token_ids_1 is None else token_ids_0 + token_ids_1

    def create_token_type_ids_from_sequences(self, token_ids_0: Ids, token_ids_1: Ids | None = None) -> Ids:
        """For each id the text that it is of: 0 or 1."""
        return [0] * len(token_ids_0) + [1] * len(token_ids_1 or [])

    def get_special_tokens_mask(
        self, token_ids_0: Ids, token_ids_1: Ids | None = None, already_has_special_tokens: bool = False
    ) -> Ids:
        """1 for a special token, 0 for one of the text.

        Raises:
            ValueError: a second list beside a first that has its special tokens already.
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
        """The ids of the added tokens."""
        return self.added_tokens_encoder

    @property
    def all_special_ids(self) -> Ids:
        """The ids of all special tokens."""
        return [self.convert_tokens_to_ids(token) for token in self.all_special_tokens]

    def add_tokens(self, new_tokens: Token | Sequence[Token], special_tokens: bool = False) -> int:
        """Give ids to tokens that the model does not know, and cut them out of every text from now on.

        Args:
            new_tokens: one or several.
            special_tokens: they are special; then those that the model knows are cut out of texts too.

        Returns:
            How many got a new id.
        """
        given = [new_tokens] if isinstance(new_tokens, (str, AddedToken)) else list(new_tokens)
        check_tokens("new_tokens", given, several=True)
        tokens = [str(token) for token in given]
        unknown = self.convert_tokens_to_ids(self.unk_token)
        new = [token for token in tokens if token != self.unk_token and self.convert_tokens_to_ids(token) == unknown]
        new = list(dict.fromkeys(new))
        for id, token in enumerate(new, start=len(self)):
            self.added_tokens_encoder[token] = id
            self.added_tokens_decoder[id] = token
        self.unique_no_split_tokens = sorted({*self.unique_no_split_tokens, *(tokens if special_tokens else new)})
        self._cutter = Cutter(self.unique_no_split_tokens)
        return len(new)

    def add_special_tokens(
        self, special_tokens_dict: Mapping[str, Any], replace_additional_special_tokens: bool = True
    ) -> int:
        """Set special tokens, and add those that the model does not know; how many these are.

        Raises:
            ValueError: a name that is no attribute for special tokens.
            TypeError: a token that is neither a string nor an AddedToken.
        """
        count = 0
        for name, value in special_tokens_dict.items():
            if name not in self.SPECIAL_TOKENS_ATTRIBUTES:
                raise ValueError(f"{name!r} is no special token; take {', '.join(self.SPECIAL_TOKENS_ATTRIBUTES)}")
            several = name == "additional_special_tokens"
            check_tokens(name, value, several)
            if several and not replace_additional_special_tokens:
                old = self.additional_special_tokens
                setattr(self, name, [*old, *(token for token in dict.fromkeys(value) if str(token) not in old)])
            else:
                setattr(self, name, value)
            count += self.add_tokens(value, special_tokens=True) if value else 0
        return count

    def sanitize_special_tokens(self) -> int:
        """See to it that every special token has an id and is cut out of texts; how many ids are new."""
        return self.add_tokens(self.all_special_tokens_extended, special_tokens=True)

    # --- from text to ids ---------------------------------------------------------------------------

    def tokenize(self, text: str, is_split_into_words: bool = False) -> list[str]:
        """The tokens of a text: added tokens first, pieces of the model between them.

        Args:
            text: any text.
            is_split_into_words: the text is a word of a text; the base class makes nothing of it.
        """
        behaviours = {str(t): t for t in self.all_special_tokens_extended if isinstance(t, AddedToken)}
        whole = set(self.unique_no_split_tokens)
        parts = strip_blanks(self._cutter.cut(text), whole, behaviours)
        return [token for part in parts for token in ([part] if part in whole else self._tokenize(part))]

    def convert_tokens_to_ids(self, tokens: Any) -> Any:
        """The id of a token, or the ids of several."""
        if tokens is None:
            return None
        if not isinstance(tokens, str):
            return [self.convert_tokens_to_ids(token) for token in tokens]
        added = self.added_tokens_encoder.get(tokens)
        return self._convert_token_to_id(tokens) if added is None else added

    def _ids(self, given: Any, is_split_into_words: bool) -> Ids:
        """The ids of a text, of a list of words or tokens, or of a list of ids."""
        if isinstance(given, str):
            return list(self.convert_tokens_to_ids(self.tokenize(given)))
        if isinstance(given, (list, tuple)) and len(given) > 0:
            if isinstance(given[0], str) and is_split_into_words:
                return [id for word in given for id in self.convert_tokens_to_ids(self.tokenize(word))]
            if isinstance(given[0], str):
                return list(self.convert_tokens_to_ids(given))
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
        """The ids of a text or of two. The arguments are those of `EncodeOptions`."""
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

    def encode_plus(self, text: Any, text_pair: Any = None, *options: Any, **named: Any) -> BatchEncoding:
        """The ids of a text or of two, with their masks. The further arguments are those of `EncodeOptions`."""
        return self._encode_one(text, text_pair, EncodeOptions(*options, **named))

    def batch_encode_plus(self, batch_text_or_text_pairs: Any, *options: Any, **named: Any) -> BatchEncoding:
        """The same for a list of texts or of pairs."""
        return self._encode_many(batch_text_or_text_pairs, EncodeOptions(*options, **named))

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
            text_target: what should come out of the model; its ids become `labels`.
            text_pair_target: its second texts.
            options: the arguments of `EncodeOptions`.
            named: the same by name.

        Raises:
            ValueError: neither a text nor a target, or what is no text; lists of different lengths.
        """
        wish = EncodeOptions(*options, **named)
        if text is None and text_target is None:
            raise ValueError("neither text nor text_target is given; give one of them")
        if text is None:
            return self._encode_any(text_target, text_pair_target, wish)
        encoding = self._encode_any(text, text_pair, wish)
        if text_target is not None:
            encoding["labels"] = self._encode_any(text_target, text_pair_target, wish)["input_ids"]
        return encoding

    def _encode_any(self, text: Any, pair: Any, wish: EncodeOptions) -> BatchEncoding:
        _check_text("text", text)
        if pair is not None:
            _check_text("text_pair", pair)
        listed = isinstance(text, (list, tuple))
        if wish.is_split_into_words:
            listed = listed and bool(text) and isinstance(text[0], (list, tuple))
        if not listed:
            return self._encode_one(text, pair, wish)
        if isinstance(pair, str):
            raise TypeError("text is a list and text_pair a string; give a list of as many")
        if pair is not None and len(text) != len(pair):
            raise ValueError(f"text has {len(text)} texts and text_pair has {len(pair)}; give as many")
        return self._encode_many(text if pair is None else list(zip(text, pair, strict=True)), wish)

    def _encode_one(self, text: Any, pair: Any, wish: EncodeOptions) -> BatchEncoding:
        wish = self._settled(wish)
        ids = self._ids(text, wish.is_split_into_words)
        pair_ids = None if pair is None else self._ids(pair, wish.is_split_into_words)
        encoded = self._prepared(ids, pair_ids, wish)
        return BatchEncoding(encoded, wish.return_tensors, prepend_batch_axis=True)

    def _encode_many(self, batch: Any, wish: EncodeOptions) -> BatchEncoding:
        wish = self._settled(wish)
        alone = replace(
            wish, padding="do_not_pad", pad_to_multiple_of=None, return_attention_mask=False, return_tensors=None
        )
        encoded = [self._prepared(*self._two(item, wish.is_split_into_words), alone) for item in batch]
        columns = {name: [one[name] for one in encoded] for name in (encoded[0] if encoded else ())}
        padded = self._padded(columns, wish)
        return BatchEncoding(padded, wish.return_tensors)

    def _two(self, item: Any, is_split_into_words: bool) -> tuple[Ids, Ids | None]:
        alone = not isinstance(item, (list, tuple)) or (is_split_into_words and not isinstance(item[0], (list, tuple)))
        text, pair = (item, None) if alone else item
        return self._ids(text, is_split_into_words), None if pair is None else self._ids(pair, is_split_into_words)

    def _settled(self, wish: EncodeOptions) -> EncodeOptions:
        if wish.return_offsets_mapping:
            raise NotImplementedError("return_offsets_mapping=True needs a fast tokenizer; this one keeps no places")
        settled = wish.settled(self.model_max_length, self._say)
        if settled.padding != "do_not_pad" and not self.special_tokens_map.get("pad_token"):
            raise ValueError(f"padding={wish.padding!r}, but there is no pad_token; set one, as in pad_token='<pad>'")
        return settled

    def _say(self, sentence: str, verbose: bool) -> None:
        """Log a sentence the first time."""
        if verbose and sentence not in self._said:
            log.warning(sentence)
            self._said.add(sentence)

    # --- special tokens, truncation, padding ---------------------------------------------------------

    def num_special_tokens_to_add(self, pair: bool = False) -> int:
        """How many special tokens stand around a text, or around two."""
        return len(self.build_inputs_with_special_tokens([], [] if pair else None))

    def prepare_for_model(
        self, ids: Ids, pair_ids: Ids | None = None, *options: Any, prepend_batch_axis: bool = False, **named: Any
    ) -> BatchEncoding:
        """Special tokens, truncation and padding for ids. The further arguments are those of `EncodeOptions`."""
        wish = self._settled(EncodeOptions(*options, **named))
        return BatchEncoding(self._prepared(ids, pair_ids, wish), wish.return_tensors, prepend_batch_axis)

    def _prepared(self, ids: Ids, pair_ids: Ids | None, wish: EncodeOptions) -> dict[str, Any]:
        _check_wish(wish, pair_ids)
        around = self.num_special_tokens_to_add(pair_ids is not None) if wish.add_special_tokens else 0
        total = len(ids) + len(pair_ids or []) + around
        excess = total - (wish.max_length or total)
        strategy = wish.truncation if wish.max_length else "do_not_truncate"
        cut = truncate(ids, pair_ids, excess, strategy, wish.stride, self.truncation_side)
        if cut.problem:
            log.error(cut.problem)
        encoded: dict[str, Any] = {}
        if wish.return_overflowing_tokens:
            encoded = {"overflowing_tokens": cut.overflowing, "num_truncated_tokens": total - (wish.max_length or 0)}
        encoded |= self._surrounded(cut.ids, cut.pair_ids, wish)
        self._warn_of_length(len(encoded["input_ids"]), wish)
        encoded = self._padded(encoded, wish)
        if wish.return_length:
            encoded["length"] = len(encoded["input_ids"])
        return encoded

    def _surrounded(self, ids: Ids, pair_ids: Ids | None, wish: EncodeOptions) -> dict[str, Any]:
        """The ids with special tokens, and what tells them apart."""
        if wish.add_special_tokens:
            sequence = self.build_inputs_with_special_tokens(ids, pair_ids)
            types = self.create_token_type_ids_from_sequences(ids, pair_ids)
            special = self.get_special_tokens_mask(ids, pair_ids)
        else:
            sequence = ids + (pair_ids or [])
            types = special = [0] * len(sequence)
        surrounded: dict[str, Any] = {"input_ids": sequence}
        if self._wanted(wish.return_token_type_ids, "token_type_ids"):
            surrounded["token_type_ids"] = types
        if wish.return_special_tokens_mask:
            surrounded["special_tokens_mask"] = special
        return surrounded

    def _wanted(self, wish: bool | None, name: str) -> bool:
        return name in self.model_input_names if wish is None else wish

    def _warn_of_length(self, length: int, wish: EncodeOptions) -> None:
        if wish.max_length is None and length > self.model_max_length:
            self._say(f"a text has more ids than the model takes ({self.model_max_length}); truncate it", wish.verbose)

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
        """Pad what was encoded before.

        Args:
            encoded_inputs: an encoding, or a list of encodings.
            padding, max_length, pad_to_multiple_of, return_attention_mask, return_tensors, verbose: as in
                `EncodeOptions`.

        Raises:
            ValueError: no `input_ids` among the entries.
        """
        if isinstance(encoded_inputs, (list, tuple)):
            encoded_inputs = {name: [one[name] for one in encoded_inputs] for name in encoded_inputs[0]}
        lists = {name: value.tolist() if hasattr(value, "tolist") else value for name, value in encoded_inputs.items()}
        wish = EncodeOptions(
            padding=padding_named(padding),
            max_length=max_length,
            pad_to_multiple_of=pad_to_multiple_of,
            return_attention_mask=return_attention_mask,
            verbose=verbose,
        )
        return BatchEncoding(self._padded(lists, self._settled(wish)), return_tensors)

    def _padded(self, encoded: dict[str, Any], wish: EncodeOptions) -> dict[str, Any]:
        """One encoding, or a batch of them by columns, with masks, padded."""
        if "input_ids" not in encoded:
            raise ValueError(f"there are no input_ids to pad, only {list(encoded)}; give at least one text")
        ids = encoded["input_ids"]
        if not ids:  # subtle: outside a batch the library leaves an empty list empty
            wish = replace(wish, padding="do_not_pad")
        if not ids or not isinstance(ids[0], (list, tuple)):
            return self._padded_one(encoded, wish)
        lengths = {name: len(column) for name, column in encoded.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"the entries are of different numbers of texts: {lengths}")
        if wish.padding == "longest":
            wish = replace(wish, padding="max_length", max_length=max(map(len, ids)))
        rows = [
            self._padded_one({name: column[row] for name, column in encoded.items()}, wish) for row in range(len(ids))
        ]
        return {name: [row[name] for row in rows] for name in rows[0]}

    def _padded_one(self, encoded: dict[str, Any], wish: EncodeOptions) -> dict[str, Any]:
        ids = encoded["input_ids"]
        if self._wanted(wish.return_attention_mask, "attention_mask") and "attention_mask" not in encoded:
            encoded = {**encoded, "attention_mask": [1] * len(ids)}
        if wish.padding == "do_not_pad":
            return encoded
        length = len(ids) if wish.padding == "longest" else wish.max_length
        fill = {
            "input_ids": self.pad_token_id,
            "attention_mask": 0,
            "token_type_ids": self.pad_token_type_id,
            "special_tokens_mask": 1,
        }
        return pad(encoded, rounded_up(length, wish.pad_to_multiple_of) or 0, fill, self.padding_side)

    # --- from ids to text ---------------------------------------------------------------------------

    def convert_ids_to_tokens(self, ids: Any, skip_special_tokens: bool = False) -> Any:
        """The token of an id, or the tokens of several."""
        if isinstance(ids, int):
            added = self.added_tokens_decoder.get(ids)
            return self._convert_id_to_token(ids) if added is None else added
        special = set(self.all_special_ids) if skip_special_tokens else ()
        return [self.convert_ids_to_tokens(int(id)) for id in ids if int(id) not in special]

    def decode(
        self,
        token_ids: Any,
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool = True,
        spaces_between_special_tokens: bool = True,
    ) -> str:
        """The text of ids.

        Args:
            token_ids: a list, a tensor or an array.
            skip_special_tokens: leave them out.
            clean_up_tokenization_spaces: take the blanks before English punctuation away.
            spaces_between_special_tokens: a blank on both sides of an added token.
        """
        ids = token_ids.tolist() if hasattr(token_ids, "tolist") else token_ids
        tokens = self.convert_ids_to_tokens([ids] if isinstance(ids, int) else ids, skip_special_tokens)
        text = (" " if spaces_between_special_tokens else "").join(self._texts(tokens))
        return self.clean_up_tokenization(text) if clean_up_tokenization_spaces else text

    def _texts(self, tokens: Iterable[str]) -> list[str]:
        """Added tokens as they are, and between them the texts of the model's pieces."""
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
        spaces_between_special_tokens: bool = True,
    ) -> list[str]:
        """The texts of lists of ids."""
        options = (skip_special_tokens, clean_up_tokenization_spaces, spaces_between_special_tokens)
        return [self.decode(ids, *options) for ids in sequences]

    @staticmethod
    def clean_up_tokenization(out_string: str) -> str:
        """Take blanks away that English does not have, one rule after the other.

        >>> PreTrainedTokenizer.clean_up_tokenization("it 's here , is n't it ?")
        "it's here, isn't it?"
        """
        for spaced, close in ENGLISH:
            out_string = out_string.replace(spaced, close)
        return out_string

    # --- files --------------------------------------------------------------------------------------

    @classmethod
    def from_pretrained(cls, pretrained_model_name_or_path: Any, *init_inputs: Any, **kwargs: Any) -> Any:
        """A tokenizer from a folder in the library's format, from the hub by its name, or from its one vocabulary file.

        Args:
            pretrained_model_name_or_path: the folder, the repository or the file.
            init_inputs: for the class, before the other arguments.
            kwargs: for the class, which win over what the folder says; and how to look on the hub (`cache_dir`,
                `revision`, ...).

        Raises:
            OSError: there is no such folder or repository, or no vocabulary in it, or the hub cannot be asked.
            ValueError: a file is torn, or the ids of added tokens have gaps.
        """
        return load(cls, pretrained_model_name_or_path, init_inputs, kwargs)

    def save_pretrained(self, save_directory: Any, filename_prefix: str | None = None) -> tuple[str, ...]:
        """Write what `from_pretrained` reads, all files or none; the paths, as the library lists them."""
        return save(self, save_directory, filename_prefix)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(name_or_path={self.name_or_path!r}, vocab_size={self.vocab_size}, "
            f"model_max_length={self.model_max_length}, is_fast={self.is_fast}, padding_side={self.padding_side!r}, "
            f"truncation_side={self.truncation_side!r}, special_tokens={self.special_tokens_map_extended})"
        )


def _check_text(name: str, text: Any) -> None:
    """Refuse what is neither a text nor a list of texts, nor a list of texts in words."""
    inner = text
    for _ in range(3):
        if isinstance(inner, str) or (isinstance(inner, (list, tuple)) and not inner):
            return
        if not isinstance(inner, (list, tuple)):
            break
        inner = inner[0]
    raise ValueError(f"{name}={text!r:.60} should be a string, a list of strings, or a list of lists of words")


def _check_wish(wish: EncodeOptions, pair_ids: Ids | None) -> None:
    if wish.return_token_type_ids and not wish.add_special_tokens:
        raise ValueError("return_token_type_ids=True needs add_special_tokens=True; leave it None otherwise")
    if wish.return_overflowing_tokens and wish.max_length is None:
        raise TypeError("return_overflowing_tokens=True needs a max_length; give the number of ids that may stay")
    if wish.return_overflowing_tokens and wish.truncation == "longest_first" and pair_ids is not None:
        raise ValueError(
            "return_overflowing_tokens=True does not go with truncation='longest_first' of two texts; "
            "take 'only_first' or 'only_second'"
        )
