"""`XLMRobertaTokenizerFast`: XLM-RoBERTa's tokenizer as a pipeline of `tokenlab.libraries.tokenizers`.

Adds: `<mask>` takes the space before it.
Leaves out: everything that fast tokenizers share (`tokenization_utils_fast`).

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
        """Load a SentencePiece file or a tokenizer.json.

        Args:
            vocab_file: the path of a SentencePiece file, which is converted if there is no tokenizer_file.
            tokenizer_file: the path of a tokenizer.json.
            bos_token: the token at the start of a text.
            eos_token: the token at the end of a text.
            sep_token: the token between two texts.
            cls_token: the token of the whole text.
            unk_token: the token for unknown characters.
            pad_token: the padding token of shorter texts in a batch.
            mask_token: the token in place of a masked token; a str takes the space before it.
            kwargs: the arguments of every tokenizer, such as `model_max_length`.

        Raises:
            ValueError, FileNotFoundError: neither file is given, or one is damaged or does not exist.
        """
        super().__init__(
            vocab_file,
            tokenizer_file=tokenizer_file,
            bos_token=bos_token,
            eos_token=eos_token,
            sep_token=sep_token,
            cls_token=cls_token,
            unk_token=unk_token,
            pad_token=pad_token,
            mask_token=as_added_token(mask_token, lstrip=True),
            **kwargs,
        )
        self._keep_vocab_file(vocab_file)
