"""`SentencePieceTokenizer`: the common parts of slow tokenizers with a SentencePiece model file.

Adds: loading, tokenizing, the file, and pickling without the loaded model.
Leaves out: ids, which each family derives from the file's ids in its own way.

Source: transformers 4.26.1, models/{t5,albert,xlm_roberta}/tokenization_*.py, which repeat this code.
"""

from __future__ import annotations

import os
from typing import Any

from tokenlab.sentencepiece import SentencePieceProcessor
from tokenlab.transformers.tokenization.files.vocabulary_files import check_path, save_vocabulary
from tokenlab.transformers.tokenization_utils import PreTrainedTokenizer

SPIECE_UNDERLINE = "▁"


class SentencePieceTokenizer(PreTrainedTokenizer):
    """A slow tokenizer with the attributes `sp_model`, `sp_model_kwargs` and `vocab_file`."""

    sp_model_kwargs: dict[str, Any]

    def _load_sp_model(self, vocab_file: Any) -> None:
        """Load a model file.

        Raises:
            TypeError, FileNotFoundError: as `check_path`.
            RuntimeError: the file is no SentencePiece model.
        """
        self.vocab_file = check_path("vocab_file", vocab_file, "a SentencePiece model file")
        self.sp_model = SentencePieceProcessor(**self.sp_model_kwargs)
        self.sp_model.Load(self.vocab_file)

    def get_vocab(self) -> dict[str, int]:
        """Return the id of every token."""
        return {self.convert_ids_to_tokens(id): id for id in range(self.vocab_size)} | self.added_tokens_encoder

    def _tokenize(self, text: str) -> list[str]:
        return list(self.sp_model.encode(text, out_type=str))

    def _decode_around_special_tokens(self, tokens: list[str]) -> str:
        """Return the text of tokens; special tokens are kept, with a space before the first of a run."""
        special = set(self.all_special_tokens)
        text, pieces, after_special = "", list[str](), False
        for token in tokens:
            if token in special:
                # subtle: the space comes before the pieces that precede the special token, not between the two
                text += ("" if after_special else " ") + self._joined(pieces) + token
                pieces = []
            else:
                pieces.append(token)
            after_special = token in special
        return (text + self._joined(pieces)).strip()

    def _joined(self, pieces: list[str]) -> str:
        return str(self.sp_model.decode(pieces)) if pieces else ""

    # --- files and pickling -------------------------------------------------------------------------

    def save_vocabulary(self, save_directory: str, filename_prefix: str | None = None) -> tuple[str, ...]:
        """Write the model file into a folder, and return its path.

        Raises:
            FileNotFoundError: the folder does not exist.
        """
        return save_vocabulary(self, save_directory, filename_prefix)

    def _vocabulary_files(self) -> dict[str, bytes]:
        name = self.vocab_files_names["vocab_file"]
        if not os.path.isfile(self.vocab_file):
            return {name: self.sp_model.serialized_model_proto()}
        with open(self.vocab_file, "rb") as file:
            return {name: file.read()}

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "sp_model": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._load_sp_model(self.vocab_file)
