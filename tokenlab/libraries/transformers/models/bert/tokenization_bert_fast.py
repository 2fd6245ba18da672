"""`BertTokenizerFast`: BERT's tokenizer as a pipeline of `tokenlab.libraries.tokenizers`.

Adds: the settings of the normalizer, which arguments change.

Source: transformers 4.26.1, models/bert/tokenization_bert_fast.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from tokenlab.libraries.transformers.hub import vocab_file_urls
from tokenlab.libraries.transformers.models.bert.configuration_bert import REPOSITORIES
from tokenlab.libraries.transformers.models.bert.tokenization_bert import (
    PRETRAINED_INIT_CONFIGURATION,
    PRETRAINED_POSITIONAL_EMBEDDINGS_SIZES,
    BertTokenizer,
)
from tokenlab.libraries.transformers.tokenization.backend_tokenizer import changed
from tokenlab.libraries.transformers.tokenization.padding_and_truncation import Ids
from tokenlab.libraries.transformers.tokenization.save_and_load import save_vocabulary
from tokenlab.libraries.transformers.tokenization.sequence_layouts import FastClsSepLayout
from tokenlab.libraries.transformers.tokenization.special_tokens_mixin import Token
from tokenlab.libraries.transformers.utils import call_settings

VOCAB_FILES_NAMES = {"vocab_file": "vocab.txt", "tokenizer_file": "tokenizer.json"}
PRETRAINED_VOCAB_FILES_MAP = vocab_file_urls(REPOSITORIES, VOCAB_FILES_NAMES)


class BertTokenizerFast(FastClsSepLayout):
    """The fast tokenizer of BERT."""

    vocab_files_names: ClassVar[Mapping[str, str]] = VOCAB_FILES_NAMES
    pretrained_vocab_files_map: ClassVar[Mapping[str, Mapping[str, str]]] = PRETRAINED_VOCAB_FILES_MAP
    pretrained_init_configuration: ClassVar[Mapping[str, Mapping[str, Any]]] = PRETRAINED_INIT_CONFIGURATION
    max_model_input_sizes: ClassVar[Mapping[str, int | None]] = PRETRAINED_POSITIONAL_EMBEDDINGS_SIZES
    slow_tokenizer_class = BertTokenizer

    def __init__(
        self,
        vocab_file: Any = None,
        tokenizer_file: Any = None,
        do_lower_case: bool = True,
        unk_token: Token = "[UNK]",
        sep_token: Token = "[SEP]",
        pad_token: Token = "[PAD]",
        cls_token: Token = "[CLS]",
        mask_token: Token = "[MASK]",
        tokenize_chinese_chars: bool = True,
        strip_accents: bool | None = None,
        **kwargs: Any,
    ) -> None:
        """Load a vocab.txt, which is converted, or a tokenizer.json; the other arguments are those of `BertTokenizer`.

        Raises:
            ValueError, FileNotFoundError: neither file is given, or one is damaged or does not exist.
        """
        super().__init__(vocab_file, **call_settings(locals(), "vocab_file"))
        self._tokenizer.normalizer = changed(
            self._tokenizer.normalizer,
            lowercase=do_lower_case,
            strip_accents=strip_accents,
            handle_chinese_chars=tokenize_chinese_chars,
        )
        self.do_lower_case = do_lower_case

    def build_inputs_with_special_tokens(self, token_ids_0: Ids, token_ids_1: Ids | None = None) -> Ids:
        """Return the ids of `[CLS] A [SEP]`, or of `[CLS] A [SEP] B [SEP]`; an empty second list counts as none."""
        return super().build_inputs_with_special_tokens(token_ids_0, token_ids_1 or None)

    save_vocabulary = save_vocabulary
