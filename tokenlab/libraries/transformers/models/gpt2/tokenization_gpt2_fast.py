"""`GPT2TokenizerFast`: GPT-2's tokenizer as a pipeline of `tokenlab.libraries.tokenizers`.

Adds: `add_prefix_space`, which changes the pre-tokenizer.

Source: transformers 4.26.1, models/gpt2/tokenization_gpt2_fast.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from tokenlab.libraries.transformers.hub import vocab_file_urls
from tokenlab.libraries.transformers.models.gpt2.configuration_gpt2 import REPOSITORIES
from tokenlab.libraries.transformers.models.gpt2.tokenization_gpt2 import (
    PRETRAINED_POSITIONAL_EMBEDDINGS_SIZES,
    ByteLevelTokenizerFast,
    GPT2Tokenizer,
)
from tokenlab.libraries.transformers.tokenization.backend_tokenizer import changed
from tokenlab.libraries.transformers.tokenization.special_tokens_mixin import Token
from tokenlab.libraries.transformers.utils import call_settings

VOCAB_FILES_NAMES = {"vocab_file": "vocab.json", "merges_file": "merges.txt", "tokenizer_file": "tokenizer.json"}
PRETRAINED_VOCAB_FILES_MAP = vocab_file_urls(REPOSITORIES, VOCAB_FILES_NAMES)


class GPT2TokenizerFast(ByteLevelTokenizerFast):
    """The fast tokenizer of GPT-2."""

    vocab_files_names: ClassVar[Mapping[str, str]] = VOCAB_FILES_NAMES
    pretrained_vocab_files_map: ClassVar[Mapping[str, Mapping[str, str]]] = PRETRAINED_VOCAB_FILES_MAP
    max_model_input_sizes: ClassVar[Mapping[str, int | None]] = PRETRAINED_POSITIONAL_EMBEDDINGS_SIZES
    slow_tokenizer_class = GPT2Tokenizer

    def __init__(
        self,
        vocab_file: Any = None,
        merges_file: Any = None,
        tokenizer_file: Any = None,
        unk_token: Token = "<|endoftext|>",
        bos_token: Token = "<|endoftext|>",
        eos_token: Token = "<|endoftext|>",
        add_prefix_space: bool = False,
        **kwargs: Any,
    ) -> None:
        """Load a vocab.json and its merges.txt, which are converted, or a tokenizer.json.

        Args:
            vocab_file, merges_file, tokenizer_file: their paths.
            unk_token, bos_token, eos_token: as in `GPT2Tokenizer`.
            add_prefix_space: insert a space before the first word.
            kwargs: the arguments of every tokenizer, such as `model_max_length`; and `add_bos_token`, add the token at
                the start of each text.

        Raises:
            ValueError, FileNotFoundError: no files are given, or one is damaged or does not exist.
        """
        super().__init__(vocab_file, merges_file, **call_settings(locals(), "vocab_file", "merges_file"))
        self.add_bos_token = kwargs.pop("add_bos_token", False)
        self._tokenizer.pre_tokenizer = changed(self._tokenizer.pre_tokenizer, add_prefix_space=add_prefix_space)
        self.add_prefix_space = add_prefix_space

    _build_conversation_input_ids = GPT2Tokenizer._build_conversation_input_ids
