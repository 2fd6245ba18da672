"""`XLMRobertaTokenizerFast`: XLM-RoBERTa's tokenizer as a pipeline of `tokenlab.libraries.tokenizers`.

Adds: `<mask>` takes the space before it.

Source: transformers 4.26.1, models/xlm_roberta/tokenization_xlm_roberta_fast.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from tokenlab.libraries.transformers.hub import vocab_file_urls
from tokenlab.libraries.transformers.models.xlm_roberta.configuration_xlm_roberta import REPOSITORIES
from tokenlab.libraries.transformers.models.xlm_roberta.tokenization_xlm_roberta import (
    PRETRAINED_POSITIONAL_EMBEDDINGS_SIZES,
    XLMRobertaTokenizer,
)
from tokenlab.libraries.transformers.tokenization.sentencepiece_tokenizer import SentencePieceTokenizerFast
from tokenlab.libraries.transformers.tokenization.sequence_layouts import FastDoubleSepLayout
from tokenlab.libraries.transformers.tokenization.special_tokens_mixin import Token, as_added_token
from tokenlab.libraries.transformers.utils import call_settings

VOCAB_FILES_NAMES = {"vocab_file": "sentencepiece.bpe.model", "tokenizer_file": "tokenizer.json"}
PRETRAINED_VOCAB_FILES_MAP = vocab_file_urls(REPOSITORIES, VOCAB_FILES_NAMES)


class XLMRobertaTokenizerFast(SentencePieceTokenizerFast, FastDoubleSepLayout):
    """The fast tokenizer of XLM-RoBERTa."""

    vocab_files_names: ClassVar[Mapping[str, str]] = VOCAB_FILES_NAMES
    pretrained_vocab_files_map: ClassVar[Mapping[str, Mapping[str, str]]] = PRETRAINED_VOCAB_FILES_MAP
    max_model_input_sizes: ClassVar[Mapping[str, int | None]] = PRETRAINED_POSITIONAL_EMBEDDINGS_SIZES
    model_input_names: Sequence[str] = ["input_ids", "attention_mask"]
    slow_tokenizer_class = XLMRobertaTokenizer

    def __init__(
        self,
        vocab_file: Any = None,
        tokenizer_file: Any = None,
        bos_token: Token = "<s>",
        eos_token: Token = "</s>",
        sep_token: Token = "</s>",
        cls_token: Token = "<s>",
        unk_token: Token = "<unk>",
        pad_token: Token = "<pad>",
        mask_token: Token = "<mask>",
        **kwargs: Any,
    ) -> None:
        """Load a SentencePiece file, which is converted, or a tokenizer.json; the rest is as in `XLMRobertaTokenizer`.

        Raises:
            ValueError, FileNotFoundError: neither file is given, or one is damaged or does not exist.
        """
        mask_token = as_added_token(mask_token, lstrip=True)
        super().__init__(vocab_file, **call_settings(locals(), "vocab_file"))
        self._keep_vocab_file(vocab_file)
