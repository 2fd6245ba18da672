"""The types of the inputs of a tokenizer: texts, under the library's names, batches, ids, and encodings to pad.

Source: transformers 4.26.1, tokenization_utils_base.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, Union

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
