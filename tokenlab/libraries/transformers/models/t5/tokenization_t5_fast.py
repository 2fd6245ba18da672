"""`T5TokenizerFast`: T5's tokenizer as a pipeline of `tokenlab.libraries.tokenizers`.

Adds: the sentinels and `</s>` after each list of ids.

Source: transformers 4.26.1, models/t5/tokenization_t5_fast.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from tokenlab.libraries.transformers.hub import vocab_file_urls
from tokenlab.libraries.transformers.models.t5.configuration_t5 import REPOSITORIES
from tokenlab.libraries.transformers.models.t5.tokenization_t5 import (
    PRETRAINED_POSITIONAL_EMBEDDINGS_SIZES,
    SentinelMethods,
    T5Tokenizer,
    check_sentinels,
    default_special_tokens,
)
from tokenlab.libraries.transformers.tokenization.padding_and_truncation import Ids
from tokenlab.libraries.transformers.tokenization.sentencepiece_tokenizer import SentencePieceTokenizerFast
from tokenlab.libraries.transformers.tokenization.special_tokens_mixin import Token
from tokenlab.libraries.transformers.utils import call_settings

VOCAB_FILES_NAMES = {"vocab_file": "spiece.model", "tokenizer_file": "tokenizer.json"}
PRETRAINED_VOCAB_FILES_MAP = vocab_file_urls(REPOSITORIES, VOCAB_FILES_NAMES)


class T5TokenizerFast(SentencePieceTokenizerFast, SentinelMethods):
    """The fast tokenizer of T5."""

    vocab_files_names: ClassVar[Mapping[str, str]] = VOCAB_FILES_NAMES
    pretrained_vocab_files_map: ClassVar[Mapping[str, Mapping[str, str]]] = PRETRAINED_VOCAB_FILES_MAP
    max_model_input_sizes: ClassVar[Mapping[str, int | None]] = PRETRAINED_POSITIONAL_EMBEDDINGS_SIZES
    model_input_names: Sequence[str] = ["input_ids", "attention_mask"]
    slow_tokenizer_class = T5Tokenizer
    prefix_tokens: Ids = []  # noqa: RUF012

    def __init__(
        self,
        vocab_file: Any = None,
        tokenizer_file: Any = None,
        eos_token: Token = "</s>",
        unk_token: Token = "<unk>",
        pad_token: Token = "<pad>",
        extra_ids: int = 100,
        additional_special_tokens: Sequence[Token] | None = None,
        **kwargs: Any,
    ) -> None:
        """Load a SentencePiece file, which is converted, or a tokenizer.json; the rest is as in `T5Tokenizer`.

        Raises:
            ValueError, FileNotFoundError: `additional_special_tokens` has more or fewer sentinels than `extra_ids`,
                neither file is given, or one is damaged or does not exist.
        """
        additional_special_tokens = default_special_tokens(extra_ids, additional_special_tokens)
        check_sentinels(extra_ids, additional_special_tokens or (), "extra_id_")
        super().__init__(vocab_file, **call_settings(locals(), "vocab_file"))
        self._keep_vocab_file(vocab_file)
        self._extra_ids = extra_ids

    def build_inputs_with_special_tokens(self, token_ids_0: Ids, token_ids_1: Ids | None = None) -> Ids:
        """Return the ids of `A </s>`, or of `A </s> B </s>`."""
        end = [self.eos_token_id]
        return self.prefix_tokens + token_ids_0 + end + ([] if token_ids_1 is None else token_ids_1 + end)

    def get_sentinel_token_ids(self) -> Ids:
        """Return the ids of the sentinels."""
        return [self.convert_tokens_to_ids(token) for token in self.get_sentinel_tokens()]

    create_token_type_ids_from_sequences = T5Tokenizer.create_token_type_ids_from_sequences
    _eventually_correct_t5_max_length = staticmethod(T5Tokenizer._eventually_correct_t5_max_length)
