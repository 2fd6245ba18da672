"""`PreTrainedTokenizerBase`: everything that slow and fast tokenizers share, from a text to a batch of ids and back.

Adds: the calls: one text, a batch, pairs, targets; decoding, with the rules that remove spaces before English
    punctuation; the errors and warnings that name the value that is no id or no token; and one class of these and the
    parts in `tokenization/`: special tokens, padding, a model's inputs, files.
Leaves out: how a text becomes ids and ids become a text (`_encode_plus`, `_batch_encode_plus`, `_decode`), which
    `tokenization_utils` (slow) and `tokenization_utils_fast` define.

Differences from the library: saving writes all files or none; a folder that is a file is an error; uploads are refused.
Messages have other words, and are logged by `tokenlab.libraries.transformers`.

Source: transformers 4.26.1, tokenization_utils_base.py.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from tokenlab.libraries.tokenizers import Encoding
from tokenlab.libraries.transformers.tokenization.batch_encoding import BatchEncoding, CharSpan, TokenSpan
from tokenlab.libraries.transformers.tokenization.padding_and_truncation import (
    LARGE_INTEGER,
    VERY_LARGE_INTEGER,
    TruncationStrategy,
)
from tokenlab.libraries.transformers.tokenization.prepare_for_model import ModelInputMethods
from tokenlab.libraries.transformers.tokenization.save_and_load import FileMethods
from tokenlab.libraries.transformers.tokenization.special_tokens_mixin import AddedToken, SpecialTokensMixin
from tokenlab.libraries.transformers.tokenization.tokenizer_call_options import (
    OF_CALL,
    OF_STRATEGIES,
    Batch,
    BatchOfIds,
    EncodedInput,
    EncodedInputPair,
    Ids,
    PreTokenizedInput,
    PreTokenizedInputPair,
    TextInput,
    TextInputPair,
    TextOrIds,
    Texts,
    check_text_input,
    is_batch,
    read_options,
    takes_options,
    with_pairs,
)
from tokenlab.libraries.transformers.tokenization.tokenizer_files import (
    ADDED_TOKENS_FILE,
    SPECIAL_TOKENS_MAP_FILE,
    TOKENIZER_CONFIG_FILE,
    TOKENIZER_FILE,
    get_fast_tokenizer_file,
)
from tokenlab.libraries.transformers.utils import ExplicitEnum, PaddingStrategy, TensorType, to_py_obj
from tokenlab.printing.errors import warn

__all__ = [  # the names that the library's module has
    "ADDED_TOKENS_FILE", "FULL_TOKENIZER_FILE", "LARGE_INTEGER", "SPECIAL_TOKENS_MAP_FILE", "TOKENIZER_CONFIG_FILE",
    "VERY_LARGE_INTEGER", "AddedToken", "BatchEncoding", "CharSpan", "EncodedInput", "EncodedInputPair", "EncodingFast",
    "ExplicitEnum", "PaddingStrategy", "PreTokenizedInput", "PreTokenizedInputPair", "PreTrainedTokenizerBase",
    "SpecialTokensMixin", "TensorType", "TextInput", "TextInputPair", "TokenSpan", "TruncationStrategy",
    "get_fast_tokenizer_file", "to_py_obj",
]  # fmt: skip
CLEAN_UP_RULES = ((" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't"), (" 'm", "'m"),
           (" 's", "'s"), (" 've", "'ve"), (" 're", "'re"))  # fmt: skip
FULL_TOKENIZER_FILE = TOKENIZER_FILE
EncodingFast = Encoding


def whole_numbers(ids: Any) -> list[int]:
    """Return ids as numbers of Python, from a list, a tensor or an array; fractions are truncated, as in the library.

    Raises:
        TypeError: a value is no number, or there is no list.
        ValueError: a value is a string without a number.
        OverflowError: a value is infinite.

    >>> whole_numbers([1, "2"])
    [1, 2]
    >>> whole_numbers([1, "a"])
    Traceback (most recent call last):
    ...
    ValueError: ids[1]='a' is no id; give whole numbers
    """
    try:
        given = list(ids)
    except TypeError:
        raise TypeError(f"ids={ids!r:.60} should be a whole number, or a list of whole numbers") from None
    try:
        return [int(id) for id in given]
    except (TypeError, ValueError, OverflowError) as error:
        place = next(place for place, id in enumerate(given) if not _is_number(id))
        raise type(error)(f"ids[{place}]={given[place]!r:.60} is no id; give whole numbers") from None


def _is_number(value: Any) -> bool:
    try:
        int(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def about_tokens(tokens: Any, error: AttributeError | TypeError) -> Exception:
    """Return an error of the same type that names the value that is no token; if all are strings, the error itself.

    >>> about_tokens(["the", 1], AttributeError("'int' object has no attribute 'startswith'"))
    AttributeError('tokens[1]=1 is no token; give strings, as `tokenize` returns them')
    """
    kind = AttributeError if isinstance(error, AttributeError) else TypeError
    if not isinstance(tokens, Iterable):
        return kind(f"tokens={tokens!r:.60} should be a list of tokens, as `tokenize` returns it")
    for place, token in enumerate(tokens):
        if not isinstance(token, str):
            return kind(f"tokens[{place}]={token!r:.60} is no token; give strings, as `tokenize` returns them")
    return error


def join_tokens(tokens: Iterable[str], separator: str = "") -> str:
    """Return the tokens as one string; a TypeError for a token that is none.

    >>> join_tokens(["▁Hel", "lo"])
    '▁Hello'
    """
    try:
        return separator.join(tokens)
    except TypeError as error:
        raise about_tokens(tokens, error) from None


def warn_about_other_types(values: Sequence[Any], expected: type) -> None:
    """Warn if a list of ids (int) or of tokens (str) has values of another type, which the library uses as they are."""
    other = next((value for value in values if not isinstance(value, expected)), None)
    if other is not None or None in values:
        kind = {int: "ids", str: "tokens"}[expected]
        warn(f"text is a list of {kind}, but has {other!r:.60} among them; give {kind} only")


class PreTrainedTokenizerBase(FileMethods, ModelInputMethods):
    """The base class of slow and fast tokenizers.

    subtle: the methods call each other by the same names and keywords as in the library, because users override them:
    __call__, _call_one, (batch_)encode_plus, _(batch_)encode_plus, _batch_prepare_for_model, prepare_for_model, pad,
    _pad.
    """

    _in_target_context_manager = False

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
        self._processor_class = kwargs.pop("processor_class", None)
        longest = kwargs.pop("model_max_length", kwargs.pop("max_len", None))
        self.model_max_length = VERY_LARGE_INTEGER if longest is None else longest
        for name in ("padding_side", "truncation_side"):
            side = kwargs.pop(name, getattr(self, name))
            if side not in ("right", "left"):
                raise ValueError(f"{name}={side!r} should be 'right' or 'left'")
            setattr(self, name, side)
        self.model_input_names = kwargs.pop("model_input_names", self.model_input_names)
        self.deprecation_warnings = {}
        self._in_target_context_manager = False
        super().__init__(**kwargs)

    @property
    def is_fast(self) -> bool:
        """True for a fast tokenizer."""
        raise NotImplementedError(f"{type(self).__name__} should have an is_fast")

    @property
    def vocab_size(self) -> int:
        """The number of ids without the added tokens."""
        raise NotImplementedError(f"{type(self).__name__} should have a vocab_size")

    def __len__(self) -> int:
        """Return the number of ids with the added tokens."""
        raise NotImplementedError(f"{type(self).__name__} should have a __len__")

    def get_vocab(self) -> dict[str, int]:
        """Return the id of every token."""
        raise NotImplementedError(f"{type(self).__name__} should have a get_vocab")

    def get_added_vocab(self) -> dict[str, int]:
        """Return the ids of the added tokens."""
        raise NotImplementedError(f"{type(self).__name__} should have a get_added_vocab")

    def tokenize(
        self, text: str, pair: str | None = None, add_special_tokens: bool = False, **kwargs: Any
    ) -> list[str]:
        """Return the tokens of a text, or of two."""
        raise NotImplementedError(f"{type(self).__name__} should have a tokenize")

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(name_or_path='{self.name_or_path}', vocab_size={self.vocab_size}, "
            f"model_max_length={self.model_max_length}, is_fast={self.is_fast}, padding_side='{self.padding_side}', "
            f"truncation_side='{self.truncation_side}', special_tokens={self.special_tokens_map_extended})"
        )

    # --- from a text to ids -----------------------------------------------------------------------

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

    # --- from ids to a text -----------------------------------------------------------------------

    def convert_tokens_to_string(self, tokens: list[str]) -> str:
        """Return the text of tokens."""
        raise NotImplementedError(f"{type(self).__name__} should have a convert_tokens_to_string")

    def decode(
        self,
        token_ids: Ids,
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool = True,
        **kwargs: Any,
    ) -> str:
        """Return the text of ids.

        Args:
            token_ids: a list, a tensor or an array.
            skip_special_tokens: leave them out.
            clean_up_tokenization_spaces: remove the spaces before English punctuation.
            kwargs: of a slow tokenizer, `spaces_between_special_tokens=False` omits the spaces around added tokens.
        """
        return self._decode(
            token_ids=to_py_obj(token_ids),
            skip_special_tokens=skip_special_tokens,
            clean_up_tokenization_spaces=clean_up_tokenization_spaces,
            **kwargs,
        )

    def _decode(
        self,
        token_ids: Any,
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool = True,
        **kwargs: Any,
    ) -> str:
        raise NotImplementedError(f"{type(self).__name__} should have a _decode")

    def batch_decode(
        self,
        sequences: BatchOfIds,
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool = True,
        **kwargs: Any,
    ) -> list[str]:
        """Return the texts of lists of ids. The arguments are those of `decode`.

        Raises:
            TypeError: the sequences are one number, or no list.
        """
        try:
            given = iter(sequences)
        except TypeError:
            raise TypeError(f"sequences={sequences!r:.60} should be a list of lists of ids") from None
        kwargs |= {"clean_up_tokenization_spaces": clean_up_tokenization_spaces}
        return [self.decode(ids, skip_special_tokens=skip_special_tokens, **kwargs) for ids in given]

    @staticmethod
    def clean_up_tokenization(out_string: str) -> str:
        """Remove spaces before English punctuation and contractions, one rule after another.

        >>> PreTrainedTokenizerBase.clean_up_tokenization("it 's here , is n't it ?")
        "it's here, isn't it?"
        """
        for spaced, close in CLEAN_UP_RULES:
            out_string = out_string.replace(spaced, close)
        return out_string
