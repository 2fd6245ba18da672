"""`PreTrainedTokenizerBase`: everything that slow and fast tokenizers share, from a text to a batch of ids and back.

Adds: one class of the parts in `tokenization/`: special tokens, padding, a model's inputs, calls, decoding, files.
Leaves out: how a text becomes ids, which `tokenization_utils` (slow) and `tokenization_utils_fast` define.

Differences from the library: saving writes all files or none; a folder that is a file is an error; uploads are refused.
Messages have other words, and are logged by `tokenlab.libraries.transformers`.

Source: transformers 4.26.1, tokenization_utils_base.py.
"""

from __future__ import annotations

import copy
from typing import Any

from tokenlab.libraries.tokenizers import Encoding
from tokenlab.libraries.transformers.tokenization.batch_encoding import BatchEncoding as BatchEncoding
from tokenlab.libraries.transformers.tokenization.batch_encoding import CharSpan as CharSpan
from tokenlab.libraries.transformers.tokenization.batch_encoding import TokenSpan as TokenSpan
from tokenlab.libraries.transformers.tokenization.call_methods import CallMethods
from tokenlab.libraries.transformers.tokenization.decode_methods import DecodeMethods
from tokenlab.libraries.transformers.tokenization.files.load_tokenizer import (
    get_fast_tokenizer_file as get_fast_tokenizer_file,
)
from tokenlab.libraries.transformers.tokenization.files.save_and_load import FileMethods
from tokenlab.libraries.transformers.tokenization.files.tokenizer_files import ADDED_TOKENS_FILE as ADDED_TOKENS_FILE
from tokenlab.libraries.transformers.tokenization.files.tokenizer_files import (
    SPECIAL_TOKENS_MAP_FILE as SPECIAL_TOKENS_MAP_FILE,
)
from tokenlab.libraries.transformers.tokenization.files.tokenizer_files import (
    TOKENIZER_CONFIG_FILE as TOKENIZER_CONFIG_FILE,
)
from tokenlab.libraries.transformers.tokenization.files.tokenizer_files import TOKENIZER_FILE
from tokenlab.libraries.transformers.tokenization.padding_and_truncation import LARGE_INTEGER as LARGE_INTEGER
from tokenlab.libraries.transformers.tokenization.padding_and_truncation import (
    VERY_LARGE_INTEGER as VERY_LARGE_INTEGER,
)
from tokenlab.libraries.transformers.tokenization.padding_and_truncation import TruncationStrategy as TruncationStrategy
from tokenlab.libraries.transformers.tokenization.special_tokens_mixin import AddedToken as AddedToken
from tokenlab.libraries.transformers.tokenization.special_tokens_mixin import SpecialTokensMixin as SpecialTokensMixin
from tokenlab.libraries.transformers.tokenization.tokenizer_call_options import EncodedInput as EncodedInput
from tokenlab.libraries.transformers.tokenization.tokenizer_call_options import EncodedInputPair as EncodedInputPair
from tokenlab.libraries.transformers.tokenization.tokenizer_call_options import PreTokenizedInput as PreTokenizedInput
from tokenlab.libraries.transformers.tokenization.tokenizer_call_options import (
    PreTokenizedInputPair as PreTokenizedInputPair,
)
from tokenlab.libraries.transformers.tokenization.tokenizer_call_options import TextInput as TextInput
from tokenlab.libraries.transformers.tokenization.tokenizer_call_options import TextInputPair as TextInputPair
from tokenlab.libraries.transformers.utils import ExplicitEnum as ExplicitEnum
from tokenlab.libraries.transformers.utils import PaddingStrategy as PaddingStrategy
from tokenlab.libraries.transformers.utils import TensorType as TensorType
from tokenlab.libraries.transformers.utils import to_py_obj as to_py_obj

FULL_TOKENIZER_FILE = TOKENIZER_FILE
EncodingFast = Encoding


class PreTrainedTokenizerBase(FileMethods, DecodeMethods, CallMethods):
    """The base class of slow and fast tokenizers."""

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
