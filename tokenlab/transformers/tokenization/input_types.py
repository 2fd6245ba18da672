"""The types of texts that a tokenizer's call takes, under the library's names.

Source: transformers 4.26.1, tokenization_utils_base.py.
"""

from __future__ import annotations

from typing import TypeAlias

TextInput: TypeAlias = str
PreTokenizedInput: TypeAlias = list[str]  # the words of a text, with is_split_into_words=True
EncodedInput: TypeAlias = list[int]
TextInputPair: TypeAlias = tuple[str, str]
PreTokenizedInputPair: TypeAlias = tuple[list[str], list[str]]
EncodedInputPair: TypeAlias = tuple[list[int], list[int]]
