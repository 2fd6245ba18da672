"""tokenizers under its own names: swap `import tokenizers` for `from tokenlab.libraries import tokenizers`.

The reference is tokenizers 0.23.3: names, signatures, defaults, results, exception types, and tokenizer.json.

Differences, in which the library crashes, depends on chance, or silently gives a wrong result:

- A Rust panic is a ValueError. Examples: a stride that is too large for a window, overlapping added tokens, a failing
  function given to a `NormalizedString`, a damaged table of `Precompiled`, a template whose second sequence is missing.
- `max_length` smaller than the number of special tokens is a ValueError when a text is encoded; there, the subtraction
  wraps around, and nothing is truncated.
- Of two added tokens with the same normalized form, the one with the lowest id is found; there, any.
- An array of NumPy's str type holds its strings; there, the four bytes of each character become four characters.
- tokenizer.json: an unknown field or component is named in the error, with the nearest known name; there, the rest of
  the file is then misread. A warning says if added tokens get other ids than the file has, which the library logs where
  nobody sees it.
- A bare `Exception` of the library is a ValueError (or FileNotFoundError) here.

Other differences:

- `Tokenizer.model` and the other components are the objects that were set; there, each request returns a new object
  that refers to the same component. All classes can be subclassed, and their methods overridden.
- A `Tokenizer` can be copied with `copy.copy`, and has `encode.steps` and `encode.record`.
- Everything runs in one thread; the asyncio methods use a thread of the event loop's pool.
- Components have more public methods, such as `to_json` and `from_json`, `decode_chain` or `columns`, which this
  package's modules and a user's subclasses call; private attributes can be set. `repr` works for `Regex`, `Token` and
  custom components, which have none there, or raise an exception.
- `Encoding.pad` to more than 2**28 tokens is a ValueError; there, the process ends when the memory is full.
- `async_encode` and its batches raise a TypeError for a lone surrogate, as `encode` does; there, a UnicodeEncodeError.
- `from tokenizers import *` also imports `List`, `Tuple`, `Union` and the extension module there.
- Regular expressions run in the module `regex` instead of Oniguruma; an exception names what it does not support.

Each subpackage lists its own differences: `normalizers`, `pre_tokenizers`, `models`, `processors`, `decoders`,
`trainers`, `implementations`, `tools`.

>>> tokenizer = Tokenizer(models.BPE({"h": 0, "u": 1, "g": 2, "ug": 3}, [("u", "g")]))
>>> tokenizer.encode("hug").tokens
['h', 'ug']
"""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from tokenlab.libraries.tokenizers import (
    decoders,
    implementations,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from tokenlab.libraries.tokenizers.added_vocabulary import AddedToken
from tokenlab.libraries.tokenizers.encoding import Encoding
from tokenlab.libraries.tokenizers.implementations import (
    BertWordPieceTokenizer,
    ByteLevelBPETokenizer,
    CharBPETokenizer,
    SentencePieceBPETokenizer,
    SentencePieceUnigramTokenizer,
)
from tokenlab.libraries.tokenizers.text.normalized_string import NormalizedString
from tokenlab.libraries.tokenizers.text.pattern import Regex
from tokenlab.libraries.tokenizers.text.pre_tokenized_string import PreTokenizedString, Token
from tokenlab.libraries.tokenizers.tokenizer import Tokenizer

__version__ = "0.23.3"  # of tokenizers, whose behaviour this is

Offsets: TypeAlias = tuple[int, int]

# The inputs of `Tokenizer.encode` and `encode_batch`: a text or its words, or a pair of either.
TextInputSequence: TypeAlias = str
PreTokenizedInputSequence: TypeAlias = list[str] | tuple[str, ...]
TextEncodeInput: TypeAlias = str | tuple[str, str] | list[str]
PreTokenizedEncodeInput: TypeAlias = (
    PreTokenizedInputSequence
    | tuple[PreTokenizedInputSequence, PreTokenizedInputSequence]
    | list[PreTokenizedInputSequence]
)
InputSequence: TypeAlias = TextInputSequence | PreTokenizedInputSequence
EncodeInput: TypeAlias = TextEncodeInput | PreTokenizedEncodeInput


class OffsetReferential(Enum):
    """The text that offsets refer to."""

    ORIGINAL = "original"
    NORMALIZED = "normalized"


class OffsetType(Enum):
    """The unit of offsets."""

    BYTE = "byte"
    CHAR = "char"


class SplitDelimiterBehavior(Enum):
    """The treatment of a delimiter when a text is split."""

    REMOVED = "removed"
    ISOLATED = "isolated"
    MERGED_WITH_PREVIOUS = "merged_with_previous"
    MERGED_WITH_NEXT = "merged_with_next"
    CONTIGUOUS = "contiguous"


__all__ = [
    "AddedToken",
    "BertWordPieceTokenizer",
    "ByteLevelBPETokenizer",
    "CharBPETokenizer",
    "EncodeInput",
    "Encoding",
    "Enum",
    "InputSequence",
    "NormalizedString",
    "OffsetReferential",
    "OffsetType",
    "Offsets",
    "PreTokenizedEncodeInput",
    "PreTokenizedInputSequence",
    "PreTokenizedString",
    "Regex",
    "SentencePieceBPETokenizer",
    "SentencePieceUnigramTokenizer",
    "SplitDelimiterBehavior",
    "TextEncodeInput",
    "TextInputSequence",
    "Token",
    "Tokenizer",
    "decoders",
    "implementations",
    "models",
    "normalizers",
    "pre_tokenizers",
    "processors",
    "trainers",
]
