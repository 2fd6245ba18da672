"""`GPT2Tokenizer`: byte-level BPE with one special token, `<|endoftext|>`.

Adds: the special token, and `add_bos_token`, which puts it before each text.
Leaves out: the files and the merging, which are in `byte_level_bpe`.

Source: transformers 4.26.1, models/gpt2/tokenization_gpt2.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from tokenlab.libraries.transformers.hub import vocab_file_urls
from tokenlab.libraries.transformers.models.gpt2.byte_level_bpe import (
    VOCAB_FILES_NAMES,
    ByteLevelBPE,
    bytes_to_unicode,
    get_pairs,
)
from tokenlab.libraries.transformers.models.gpt2.configuration_gpt2 import REPOSITORIES
from tokenlab.libraries.transformers.tokenization.added_token import as_added_token
from tokenlab.libraries.transformers.tokenization.padding_and_truncation import Ids
from tokenlab.libraries.transformers.tokenization.special_tokens_mixin import Token

PRETRAINED_VOCAB_FILES_MAP = vocab_file_urls(REPOSITORIES, VOCAB_FILES_NAMES)
PRETRAINED_POSITIONAL_EMBEDDINGS_SIZES = dict.fromkeys(REPOSITORIES, 1024)

__all__ = [
    "PRETRAINED_POSITIONAL_EMBEDDINGS_SIZES", "PRETRAINED_VOCAB_FILES_MAP", "VOCAB_FILES_NAMES", "GPT2Tokenizer",
    "bytes_to_unicode", "get_pairs",
]  # fmt: skip


class GPT2Tokenizer(ByteLevelBPE):
    """The slow tokenizer of GPT-2."""

    pretrained_vocab_files_map: ClassVar[Mapping[str, Mapping[str, str]]] = PRETRAINED_VOCAB_FILES_MAP
    max_model_input_sizes: ClassVar[Mapping[str, int | None]] = PRETRAINED_POSITIONAL_EMBEDDINGS_SIZES

    def __init__(
        self,
        vocab_file: Any,
        merges_file: Any,
        errors: str = "replace",
        unk_token: Token = "<|endoftext|>",
        bos_token: Token = "<|endoftext|>",
        eos_token: Token = "<|endoftext|>",
        pad_token: Token | None = None,
        add_prefix_space: bool = False,
        add_bos_token: bool = False,
        **kwargs: Any,
    ) -> None:
        """Load a vocabulary and merges.

        Args:
            vocab_file, merges_file: the paths of vocab.json and merges.txt.
            errors: how `decode` treats bytes that are not UTF-8, as in `bytes.decode`.
            unk_token: its id is that of a token outside the vocabulary.
            bos_token: the token before each text, if add_bos_token.
            eos_token: the token between texts in training; it is not added.
            pad_token: the padding token of shorter texts in a batch.
            add_prefix_space: put a space before each text.
            add_bos_token: put `bos_token` before each text.
            kwargs: the arguments of every tokenizer, such as `model_max_length`.

        Raises:
            TypeError, FileNotFoundError, ValueError: a path is wrong, or a file is damaged.
        """
        super().__init__(
            errors=errors,
            unk_token=as_added_token(unk_token),
            bos_token=as_added_token(bos_token),
            eos_token=as_added_token(eos_token),
            pad_token=as_added_token(pad_token),
            add_prefix_space=add_prefix_space,
            add_bos_token=add_bos_token,
            **kwargs,
        )
        self.add_bos_token = add_bos_token
        self._load_files(vocab_file, merges_file, errors, add_prefix_space)

    def build_inputs_with_special_tokens(self, token_ids_0: Ids, token_ids_1: Ids | None = None) -> Ids:
        """Return the ids of one text or two, each with `bos_token` before it if `add_bos_token`."""
        start = [self.bos_token_id] if self.add_bos_token else []
        first = start + token_ids_0
        return first if token_ids_1 is None else first + start + token_ids_1

    def get_special_tokens_mask(
        self, token_ids_0: Ids, token_ids_1: Ids | None = None, already_has_special_tokens: bool = False
    ) -> Ids:
        """Return 1 for special tokens and 0 for tokens of the text."""
        if already_has_special_tokens or not self.add_bos_token:
            return super().get_special_tokens_mask(token_ids_0, token_ids_1, already_has_special_tokens)
        second = [] if token_ids_1 is None else [1] + [0] * len(token_ids_1)
        return [1] + [0] * len(token_ids_0) + second

    def prepare_for_tokenization(
        self, text: str, is_split_into_words: bool = False, **kwargs: Any
    ) -> tuple[str, dict[str, Any]]:
        """Put a space before the text, if it is one word of a split text or `add_prefix_space` is set."""
        add_prefix_space = kwargs.pop("add_prefix_space", self.add_prefix_space)
        return (f" {text}" if is_split_into_words or add_prefix_space else text), kwargs

    def _build_conversation_input_ids(self, conversation: Any) -> Ids:
        """Return the last ids of a conversation's texts, each followed by `eos_token`."""
        ids: Ids = []
        for _, text in conversation.iter_texts():
            ids += [*self.encode(text, add_special_tokens=False), self.eos_token_id]
        return ids[-self.model_max_length :] if len(ids) > self.model_max_length else ids
