"""`BertTokenizerFast`: BERT's tokenizer as a pipeline of `tokenlab.libraries.tokenizers`.

Adds: the settings of the normalizer, which arguments change.
Leaves out: everything that fast tokenizers share (`tokenization_utils_fast`).

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
        """Load a vocabulary or a tokenizer.json.

        Args:
            vocab_file: the path of a vocab.txt, which is converted if there is no tokenizer_file.
            tokenizer_file: the path of a tokenizer.json.
            do_lower_case: write all letters in lower case.
            unk_token: the token for unknown words.
            sep_token: the token after each text.
            pad_token: the padding token of shorter texts in a batch.
            cls_token: the token before the first text.
            mask_token: the token in place of a masked token.
            tokenize_chinese_chars: split at each Chinese character.
            strip_accents: remove accents; None if do_lower_case does so.
            kwargs: the arguments of every tokenizer, such as `model_max_length`.

        Raises:
            ValueError, FileNotFoundError: neither file is given, or one is damaged or does not exist.
        """
        super().__init__(
            vocab_file,
            tokenizer_file=tokenizer_file,
            do_lower_case=do_lower_case,
            unk_token=unk_token,
            sep_token=sep_token,
            pad_token=pad_token,
            cls_token=cls_token,
            mask_token=mask_token,
            tokenize_chinese_chars=tokenize_chinese_chars,
            strip_accents=strip_accents,
            **kwargs,
        )
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

    def save_vocabulary(self, save_directory: str, filename_prefix: str | None = None) -> tuple[str, ...]:
        """Write vocab.txt into a folder, and return its path.

        Raises:
            FileNotFoundError: the folder does not exist.
        """
        return save_vocabulary(self, save_directory, filename_prefix)
