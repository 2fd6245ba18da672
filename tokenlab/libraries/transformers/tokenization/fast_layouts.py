"""The parts that fast tokenizers of several families share: layouts of special tokens, byte-level words, a model file.

Adds: layouts as in the slow tokenizers, but with the mask of special tokens of all fast tokenizers; the refusal of
    split texts without `add_prefix_space`; and the SentencePiece file that a fast tokenizer was converted from.

Source: transformers 4.26.1, models/*/tokenization_*_fast.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tokenlab.libraries.transformers.tokenization.batch_encoding import BatchEncoding
from tokenlab.libraries.transformers.tokenization.files.vocabulary_files import save_vocabulary
from tokenlab.libraries.transformers.tokenization.padding_and_truncation import Ids
from tokenlab.libraries.transformers.tokenization.sequence_layouts import ClsSepLayout, DoubleSepLayout
from tokenlab.libraries.transformers.tokenization_utils_fast import PreTrainedTokenizerFast


class FastClsSepLayout(ClsSepLayout, PreTrainedTokenizerFast):
    """BERT's layout for ids without special tokens; texts get theirs from the post-processor."""

    def get_special_tokens_mask(
        self, token_ids_0: Ids, token_ids_1: Ids | None = None, already_has_special_tokens: bool = False
    ) -> Ids:
        """Return 1 for special tokens and 0 for tokens of the text; see `PreTrainedTokenizerBase`."""
        return PreTrainedTokenizerFast.get_special_tokens_mask(
            self, token_ids_0, token_ids_1, already_has_special_tokens
        )


class FastDoubleSepLayout(FastClsSepLayout, DoubleSepLayout):
    """RoBERTa's layout for ids without special tokens."""


class ByteLevelTokenizerFast(PreTrainedTokenizerFast):
    """A tokenizer whose words start with their space, so that the words of a split text need `add_prefix_space`."""

    model_input_names: Sequence[str] = ["input_ids", "attention_mask"]
    add_prefix_space: bool

    def _check_prefix_space(self, is_split_into_words: bool) -> None:
        if is_split_into_words and not self.add_prefix_space:
            name = type(self).__name__
            raise AssertionError(f"is_split_into_words=True needs a {name} with add_prefix_space=True; load it with it")

    def _batch_encode_plus(self, *args: Any, **kwargs: Any) -> BatchEncoding:
        self._check_prefix_space(kwargs.get("is_split_into_words", False))
        return super()._batch_encode_plus(*args, **kwargs)

    def _encode_plus(self, *args: Any, **kwargs: Any) -> BatchEncoding:
        self._check_prefix_space(kwargs.get("is_split_into_words", False))
        return super()._encode_plus(*args, **kwargs)

    def save_vocabulary(self, save_directory: str, filename_prefix: str | None = None) -> tuple[str, ...]:
        """Write vocab.json and merges.txt into a folder, and return their paths.

        Raises:
            FileNotFoundError: the folder does not exist.
        """
        return save_vocabulary(self, save_directory, filename_prefix)


class SentencePieceTokenizerFast(PreTrainedTokenizerFast):
    """A tokenizer that can save the SentencePiece file that it was converted from."""

    vocab_file: Any

    def _keep_vocab_file(self, vocab_file: Any) -> None:
        self.vocab_file = vocab_file
        self.can_save_slow_tokenizer = bool(vocab_file)

    def save_vocabulary(self, save_directory: str, filename_prefix: str | None = None) -> tuple[str, ...]:
        """Copy the SentencePiece file into a folder, and return its path.

        Raises:
            ValueError: the tokenizer was not made from such a file.
            FileNotFoundError: the folder does not exist.
        """
        if not self.can_save_slow_tokenizer:
            raise ValueError(
                f"this {type(self).__name__} has no vocab_file, so the file of a slow tokenizer cannot be saved; "
                "use save_pretrained, which writes tokenizer.json"
            )
        return save_vocabulary(self, save_directory, filename_prefix)

    def _vocabulary_files(self) -> dict[str, bytes]:
        with open(self.vocab_file, "rb") as file:
            return {self.vocab_files_names["vocab_file"]: file.read()}
