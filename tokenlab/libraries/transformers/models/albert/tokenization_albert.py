"""`AlbertTokenizer`: SentencePiece after lowercasing and removing accents, and BERT's special tokens.

Adds: preprocessing, and a second segmentation of pieces such as `▁2,`: the comma becomes a separate piece.
Leaves out: loading and tokenizing, which are in `sentencepiece_tokenizer`.

Source: transformers 4.26.1, models/albert/tokenization_albert.py.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any, ClassVar

from tokenlab.algorithms.pipeline.unicode_versions import CharacterTable
from tokenlab.libraries.transformers.hub import vocab_file_urls
from tokenlab.libraries.transformers.models.albert.configuration_albert import REPOSITORIES
from tokenlab.libraries.transformers.tokenization.sentencepiece_tokenizer import (
    SPIECE_UNDERLINE,
    SentencePieceTokenizer,
)
from tokenlab.libraries.transformers.tokenization.sequence_layouts import ClsSepLayout
from tokenlab.libraries.transformers.tokenization.special_tokens_mixin import Token, as_added_token
from tokenlab.libraries.transformers.utils import call_settings

VOCAB_FILES_NAMES = {"vocab_file": "spiece.model"}
PRETRAINED_VOCAB_FILES_MAP = vocab_file_urls(REPOSITORIES, VOCAB_FILES_NAMES)
PRETRAINED_POSITIONAL_EMBEDDINGS_SIZES = dict.fromkeys(REPOSITORIES, 512)

WITHOUT_COMBINING = CharacterTable(lambda character: "" if unicodedata.combining(character) else character)


class AlbertTokenizer(ClsSepLayout, SentencePieceTokenizer):
    """The slow tokenizer of ALBERT."""

    vocab_files_names: ClassVar[Mapping[str, str]] = VOCAB_FILES_NAMES
    pretrained_vocab_files_map: ClassVar[Mapping[str, Mapping[str, str]]] = PRETRAINED_VOCAB_FILES_MAP
    max_model_input_sizes: ClassVar[Mapping[str, int | None]] = PRETRAINED_POSITIONAL_EMBEDDINGS_SIZES

    def __init__(
        self,
        vocab_file: Any,
        do_lower_case: bool = True,
        remove_space: bool = True,
        keep_accents: bool = False,
        bos_token: Token = "[CLS]",
        eos_token: Token = "[SEP]",
        unk_token: Token = "<unk>",
        sep_token: Token = "[SEP]",
        pad_token: Token = "<pad>",
        cls_token: Token = "[CLS]",
        mask_token: Token = "[MASK]",
        sp_model_kwargs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Load a SentencePiece model file.

        Args:
            vocab_file: its path.
            do_lower_case: lowercase texts.
            remove_space: collapse whitespace, and strip it at both ends.
            keep_accents: do not apply NFKD and remove combining characters.
            bos_token, eos_token: the first and the last token in training; `cls_token` and `sep_token` are added.
            unk_token: the token for unknown characters.
            sep_token: the token after each text.
            pad_token: the padding token of shorter texts in a batch.
            cls_token: the token at the beginning.
            mask_token: the token of a word that the model should predict; a string includes the space before it.
            sp_model_kwargs: for the SentencePieceProcessor, as in `{"enable_sampling": True, "nbest_size": -1}`.
            kwargs: the arguments of every tokenizer, such as `model_max_length`.

        Raises:
            FileNotFoundError: the file does not exist.
            RuntimeError: the file is no SentencePiece model.
        """
        mask_token = as_added_token(mask_token, lstrip=True, normalized=False)
        super().__init__(**call_settings(locals(), "vocab_file"))
        self.do_lower_case = do_lower_case
        self.remove_space = remove_space
        self.keep_accents = keep_accents
        self._load_sp_model(vocab_file)

    @property
    def vocab_size(self) -> int:
        """The number of pieces of the model."""
        return len(self.sp_model)

    def preprocess_text(self, inputs: str) -> str:
        """Return the text that is segmented: spaces, quotes, accents and case as the options say."""
        text = " ".join(inputs.split()) if self.remove_space else inputs
        text = text.replace("``", '"').replace("''", '"')
        if not (self.keep_accents or text.isascii()):
            text = unicodedata.normalize("NFKD", text).translate(WITHOUT_COMBINING)
        return text.lower() if self.do_lower_case else text

    _steps_to_ids = (*SentencePieceTokenizer._steps_to_ids, "preprocess_text")

    def _text_of_model(self, text: str) -> str:
        return self.preprocess_text(text)

    def _tokens_of_pieces(self, pieces: list[str]) -> list[str]:
        if "," not in "".join(pieces):
            return pieces
        tokens: list[str] = []
        for piece in pieces:
            ends_number = len(piece) > 1 and piece.endswith(",") and piece[-2].isdigit()
            tokens += [*self._number_pieces(piece[:-1]), ","] if ends_number else [piece]
        return tokens

    def _number_pieces(self, piece: str) -> list[str]:
        """Return the pieces of a piece that ends in a digit, segmented as a separate text."""
        first, *rest = self.sp_model.EncodeAsPieces(piece.replace(SPIECE_UNDERLINE, ""))
        # subtle: a separate text starts with ▁, which a piece inside a word does not have.
        if not piece.startswith(SPIECE_UNDERLINE):
            first = first.removeprefix(SPIECE_UNDERLINE)
        return [first, *rest] if first else rest

    def _convert_token_to_id(self, token: str) -> int:
        return int(self.sp_model.PieceToId(token))

    def _convert_id_to_token(self, index: int) -> str:
        return str(self.sp_model.IdToPiece(index))

    def convert_tokens_to_string(self, tokens: list[str]) -> str:
        """Return the text of tokens; special tokens are kept, with a space before the first of a run."""
        return self._decode_around_special_tokens(tokens)
