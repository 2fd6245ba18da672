"""`XLMRobertaTokenizer`: SentencePiece with fairseq's ids, and RoBERTa's special tokens.

Adds: the ids. `<s>`, `<pad>`, `</s>` and `<unk>` come first, the other pieces of the file move up by one, and `<mask>`
    is the last id.
Leaves out: loading and tokenizing, which are in `sentencepiece_tokenizer`.

Source: transformers 4.26.1, models/xlm_roberta/tokenization_xlm_roberta.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from tokenlab.algorithms.text.id_mapping import FAIRSEQ_FIRST, FAIRSEQ_OFFSET, MASK
from tokenlab.libraries.sentencepiece import SentencePieceProcessor
from tokenlab.libraries.transformers.hub import vocab_file_urls
from tokenlab.libraries.transformers.models.xlm_roberta.configuration_xlm_roberta import REPOSITORIES
from tokenlab.libraries.transformers.tokenization.sentencepiece_tokenizer import (
    SPIECE_UNDERLINE,
    SentencePieceTokenizer,
)
from tokenlab.libraries.transformers.tokenization.sequence_layouts import DoubleSepLayout
from tokenlab.libraries.transformers.tokenization.special_tokens_mixin import Token, as_added_token
from tokenlab.libraries.transformers.tokenization_utils_base import join_tokens
from tokenlab.libraries.transformers.utils import call_settings

VOCAB_FILES_NAMES = {"vocab_file": "sentencepiece.bpe.model"}
PRETRAINED_VOCAB_FILES_MAP = vocab_file_urls(REPOSITORIES, VOCAB_FILES_NAMES)
PRETRAINED_POSITIONAL_EMBEDDINGS_SIZES = dict.fromkeys(REPOSITORIES, 512)


class XLMRobertaTokenizer(DoubleSepLayout, SentencePieceTokenizer):
    """The slow tokenizer of XLM-RoBERTa."""

    vocab_files_names: ClassVar[Mapping[str, str]] = VOCAB_FILES_NAMES
    pretrained_vocab_files_map: ClassVar[Mapping[str, Mapping[str, str]]] = PRETRAINED_VOCAB_FILES_MAP
    max_model_input_sizes: ClassVar[Mapping[str, int | None]] = PRETRAINED_POSITIONAL_EMBEDDINGS_SIZES
    model_input_names: Sequence[str] = ["input_ids", "attention_mask"]

    def __init__(
        self,
        vocab_file: Any,
        bos_token: Token = "<s>",
        eos_token: Token = "</s>",
        sep_token: Token = "</s>",
        cls_token: Token = "<s>",
        unk_token: Token = "<unk>",
        pad_token: Token = "<pad>",
        mask_token: Token = "<mask>",
        sp_model_kwargs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Load a SentencePiece model file.

        Args:
            vocab_file: its path.
            bos_token, eos_token: the first and the last token in training; `cls_token` and `sep_token` are added.
            sep_token: the token after each text, and before the second.
            cls_token: the token at the beginning.
            unk_token: its id is that of an unknown piece.
            pad_token: the padding token of shorter texts in a batch.
            mask_token: the token of a word that the model should predict; a string includes the space before it.
            sp_model_kwargs: for the SentencePieceProcessor, as in `{"enable_sampling": True, "nbest_size": -1}`.
            kwargs: the arguments of every tokenizer, such as `model_max_length`.

        Raises:
            FileNotFoundError: the file does not exist.
            RuntimeError: the file is no SentencePiece model.
        """
        mask_token = as_added_token(mask_token, lstrip=True)
        super().__init__(**call_settings(locals(), "vocab_file"))
        self._load_sp_model(vocab_file)
        self.fairseq_offset = FAIRSEQ_OFFSET
        self.fairseq_tokens_to_ids = {token: id for id, token in enumerate(FAIRSEQ_FIRST)}
        self.fairseq_tokens_to_ids[MASK] = len(self.sp_model) + self.fairseq_offset
        self.fairseq_ids_to_tokens = {id: token for token, id in self.fairseq_tokens_to_ids.items()}

    @property
    def vocab_size(self) -> int:
        """The number of pieces in the file, `<pad>` and `<mask>`."""
        return len(self.sp_model) + self.fairseq_offset + 1

    def _convert_token_to_id(self, token: str) -> Any:
        if token in self.fairseq_tokens_to_ids:
            return self.fairseq_tokens_to_ids[token]
        id = self.sp_model.PieceToId(token)
        return id + self.fairseq_offset if id else self.unk_token_id  # 0 is the file's unknown piece

    def _convert_id_to_token(self, index: int) -> str:
        known = self.fairseq_ids_to_tokens.get(index)
        return str(self.sp_model.IdToPiece(index - self.fairseq_offset)) if known is None else known

    def convert_tokens_to_string(self, tokens: list[str]) -> str:
        """Return the text of pieces.

        >>> XLMRobertaTokenizer.convert_tokens_to_string(None, ["▁Hel", "lo", "▁you"])
        'Hello you'
        """
        return join_tokens(tokens).replace(SPIECE_UNDERLINE, " ").strip()

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"sp_model_proto": self.sp_model.serialized_model_proto()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.sp_model = SentencePieceProcessor(**self.sp_model_kwargs)
        self.sp_model.LoadFromSerializedProto(state["sp_model_proto"])
