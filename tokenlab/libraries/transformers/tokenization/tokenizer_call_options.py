"""The arguments of a tokenizer call: the texts, and the options that a dozen methods share under the library's names.

Adds: the types of the texts: one or a batch, pairs, split into words or not; the names, order and defaults of the
    options, stated once; the signatures of the methods that take them.
Leaves out: the meaning of `padding`, `truncation` and `max_length` together; see `padding_truncation_strategies`.

Source: transformers 4.26.1, tokenization_utils_base.py (`PreTrainedTokenizerBase.__call__`, `_call_one`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, Union

from tokenlab.libraries.transformers.tokenization.padding_and_truncation import TruncationStrategy
from tokenlab.libraries.transformers.utils import PaddingStrategy, TensorType

if TYPE_CHECKING:
    import numpy
    import torch

TextInput: TypeAlias = str
PreTokenizedInput: TypeAlias = list[str]  # the words of a text, with is_split_into_words=True
EncodedInput: TypeAlias = list[int]
TextInputPair: TypeAlias = tuple[str, str]
PreTokenizedInputPair: TypeAlias = tuple[list[str], list[str]]
EncodedInputPair: TypeAlias = tuple[list[int], list[int]]

Texts: TypeAlias = str | Sequence[str] | Sequence[Sequence[str]]  # a text, or several; each may be a list of words
TextOrIds: TypeAlias = str | Sequence[str] | Sequence[int]  # a text, its words, or its ids without special tokens
Batch: TypeAlias = Sequence[TextOrIds] | Sequence[tuple[TextOrIds, TextOrIds]]
Ids: TypeAlias = Union[int, Sequence[int], "numpy.ndarray[Any, Any]", "torch.Tensor"]
BatchOfIds: TypeAlias = Union[Sequence[Ids], "numpy.ndarray[Any, Any]", "torch.Tensor"]
EncodedInputs: TypeAlias = Mapping[str, Any] | Sequence[Mapping[str, Any]]  # a BatchEncoding is a mapping as well


def is_text_input(value: Any) -> bool:
    """Return True for a text, a list of texts, or a list of texts that are split into words.

    Only the first items are looked at.

    >>> is_text_input([["a", "b"], ["c"]]), is_text_input([]), is_text_input([7])
    (True, True, False)
    """
    if isinstance(value, str) or not isinstance(value, (list, tuple)) or not value:
        return isinstance(value, (str, list, tuple))
    first = value[0]
    return isinstance(first, str) or (isinstance(first, (list, tuple)) and (not first or isinstance(first[0], str)))


def check_text_input(name: str, value: Any) -> None:
    """Raise a ValueError unless `is_text_input(value)`."""
    if not is_text_input(value):
        raise ValueError(f"{name}={value!r:.60} should be a string, a list of strings, or a list of lists of words")


def is_batch(text: Any, is_split_into_words: bool) -> bool:
    """Return True if the texts are several.

    >>> is_batch(["a", "b"], is_split_into_words=False), is_batch(["a", "b"], is_split_into_words=True)
    (True, False)
    """
    if not isinstance(text, (list, tuple)):
        return False
    return not is_split_into_words or (bool(text) and isinstance(text[0], (list, tuple)))


def with_pairs(text: Any, text_pair: Any) -> Any:
    """Return a batch of texts, or of pairs.

    Raises:
        TypeError: `text_pair` is one string.
        ValueError: there are more or fewer second texts than first ones.

    >>> with_pairs(["a", "b"], ["c", "d"])
    [('a', 'c'), ('b', 'd')]
    """
    if isinstance(text_pair, str):
        raise TypeError("text is a list and text_pair a string; give a list of the same length")
    if text_pair is None:
        return text
    if len(text) != len(text_pair):
        raise ValueError(f"text has {len(text)} texts and text_pair has {len(text_pair)}; give the same number")
    return list(zip(text, text_pair, strict=True))


def text_and_pair(item: Any, is_split_into_words: bool) -> tuple[Any, Any]:
    """Return the text of an item of a batch, and its second text or None; a ValueError for a list of other than two.

    >>> text_and_pair("a", False), text_and_pair(("a", "b"), False), text_and_pair(["a", "b"], True)
    (('a', None), ('a', 'b'), (['a', 'b'], None))
    """
    if not isinstance(item, (list, tuple)) or (is_split_into_words and not isinstance(item[0], (list, tuple))):
        return item, None
    if len(item) != 2:
        raise ValueError(
            f"{item!r:.60} in the batch has {len(item)} entries, but a pair has 2; for the words of one text set "
            "is_split_into_words=True"
        )
    return item[0], item[1]


Method = TypeVar("Method", bound=Callable[..., Any])


@dataclass(frozen=True)
class TokenizerCallOptions:
    """The library's arguments in the library's order.

    Args:
        add_special_tokens: add the model's special tokens to the ids.
        padding: True or "longest", "max_length", False or "do_not_pad".
        truncation: True or "longest_first", "only_first", "only_second", False or "do_not_truncate".
        max_length: for padding and truncation; None for the tokenizer's `model_max_length`.
        stride: the number of kept ids that are included in the overflowing ids.
        is_split_into_words: a list of strings is one text, split into words, not several texts.
        pad_to_multiple_of: pad to a multiple of this number.
        return_tensors: "pt", "np" or None for lists.
        return_token_type_ids: None for the model's default.
        return_attention_mask: None for the model's default.
        return_overflowing_tokens: return the truncated ids.
        return_special_tokens_mask: return a mask of the special tokens.
        return_offsets_mapping: return the characters of each token; only fast tokenizers can.
        return_length: return the lengths.
        verbose: log warnings.
        others: further arguments, which the tokenizer's `prepare_for_tokenization` may know.
    """

    add_special_tokens: bool = True
    padding: bool | str | PaddingStrategy = False
    truncation: bool | str | TruncationStrategy | None = None
    max_length: int | None = None
    stride: int = 0
    is_split_into_words: bool = False
    pad_to_multiple_of: int | None = None
    return_tensors: str | TensorType | None = None
    return_token_type_ids: bool | None = None
    return_attention_mask: bool | None = None
    return_overflowing_tokens: bool = False
    return_special_tokens_mask: bool = False
    return_offsets_mapping: bool = False
    return_length: bool = False
    verbose: bool = True
    others: Mapping[str, Any] = field(default_factory=dict)

    def under(self, order: OptionOrder) -> dict[str, Any]:
        """Return the arguments of a method that takes options in this order."""
        known = {argument: getattr(self, name) for argument, name in order.items()}
        return {**known, **self.others}


OptionOrder = Mapping[str, str]  # the arguments of a method, each with the field that it is
_FIELDS = [one.name for one in fields(TokenizerCallOptions) if one.name != "others"]
_STRATEGIES = {"padding": "padding_strategy", "truncation": "truncation_strategy"}

# The arguments of `__call__`; of `_encode_plus`; of `prepare_for_model`; of `_convert_encoding` of a fast tokenizer; of
# `_batch_prepare_for_model`.
OF_CALL: OptionOrder = {name: name for name in _FIELDS}
OF_STRATEGIES: OptionOrder = {_STRATEGIES.get(name, name): name for name in _FIELDS}
OF_IDS: OptionOrder = {name: name for name in _FIELDS if name != "is_split_into_words"}
OF_ENCODING: OptionOrder = {
    name: name for name in _FIELDS if name == "verbose" or (name.startswith("return_") and name != "return_tensors")
}
OF_BATCH_OF_IDS: OptionOrder = {
    argument: name
    for argument, name in OF_STRATEGIES.items()
    if name not in ("is_split_into_words", "return_offsets_mapping")
}


def read_options(
    order: OptionOrder, options: Sequence[Any], named: Mapping[str, Any], has_others: bool = True
) -> TokenizerCallOptions:
    """Return the options that a method was given.

    Args:
        order: the arguments that the method takes.
        options: those that were given by position.
        named: those that were given by name, and others.
        has_others: the method takes further arguments.

    Raises:
        TypeError: there are too many, one was given twice, or one is unknown to a method without further arguments.

    >>> read_options(OF_STRATEGIES, [False, "longest"], {"nonsense": 1}).others
    {'nonsense': 1}
    """
    if len(options) > len(order):
        raise TypeError(f"{len(options)} options are given by position, but there are only {len(order)}")
    given = dict(zip(order, options, strict=False))
    twice = given.keys() & named.keys()
    if twice:
        raise TypeError(f"{', '.join(sorted(twice))} is given by position and by name")
    strategies = {name: value for name, value in _STRATEGY_DEFAULTS.items() if name in order}
    known = {order[name]: value for name, value in {**strategies, **given, **named}.items() if name in order}
    others = {name: value for name, value in named.items() if name not in order}
    if others and not has_others:
        raise TypeError(f"{', '.join(others)} is no option of this call; the options are {', '.join(order.values())}")
    return TokenizerCallOptions(**known, others=others)


def takes_options(order: OptionOrder, *after: inspect.Parameter, has_others: bool = True) -> Callable[[Method], Method]:
    """Return a decorator that shows the options, instead of `*options` and `**named`, in a method's signature.

    Args:
        order: the arguments that the method takes.
        after: arguments after them.
        has_others: the method takes further arguments.
    """
    defaults = TokenizerCallOptions()
    some_type = {one.name: one.type for one in fields(TokenizerCallOptions)}
    shown = [
        inspect.Parameter(
            argument,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=_STRATEGY_DEFAULTS.get(argument, getattr(defaults, name)),
            annotation=some_type[name],
        )
        for argument, name in order.items()
    ]
    others = [inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD, annotation="Any")] if has_others else []

    def decorate(method: Method) -> Method:
        own = inspect.signature(method)
        before = [
            one for one in own.parameters.values() if one.name not in {"options", "named"} | {p.name for p in after}
        ]
        method.__signature__ = own.replace(parameters=[*before, *shown, *after, *others])  # type: ignore[attr-defined]
        return method

    return decorate


_STRATEGY_DEFAULTS = {
    "padding_strategy": PaddingStrategy.DO_NOT_PAD,
    "truncation_strategy": TruncationStrategy.DO_NOT_TRUNCATE,
}
