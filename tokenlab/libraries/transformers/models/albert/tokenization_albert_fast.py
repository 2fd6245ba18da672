"""`AlbertTokenizerFast`: ALBERT's tokenizer as a pipeline of `tokenlab.libraries.tokenizers`.

Adds: `[MASK]` takes the space before it.
Leaves out: everything that fast tokenizers share (`tokenization_utils_fast`). As in the library, `do_lower_case`,
    `remove_space` and `keep_accents` do not change the pipeline of a tokenizer.json.

Source: transformers 4.26.1, models/albert/tokenization_albert_fast.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from tokenlab.libraries.transformers.hub import vocab_file_urls
from tokenlab.libraries.transformers.models.albert.configuration_albert import REPOSITORIES
from tokenlab.libraries.transformers.models.albert.tokenization_albert import (
    PRETRAINED_POSITIONAL_EMBEDDINGS_SIZES,
    AlbertTokenizer,
)
from tokenlab.libraries.transformers.tokenization.sentencepiece_tokenizer import SPIECE_UNDERLINE as SPIECE_UNDERLINE
from tokenlab.libraries.transformers.tokenization.sentencepiece_tokenizer import SentencePieceTokenizerFast
from tokenlab.libraries.transformers.tokenization.sequence_layouts import FastClsSepLayout
from tokenlab.libraries.transformers.tokenization.special_tokens_mixin import Token, as_added_token
from tokenlab.libraries.transformers.utils import call_settings

VOCAB_FILES_NAMES = {"vocab_file": "spiece.model", "tokenizer_file": "tokenizer.json"}
PRETRAINED_VOCAB_FILES_MAP = vocab_file_urls(REPOSITORIES, VOCAB_FILES_NAMES)


class AlbertTokenizerFast(SentencePieceTokenizerFast, FastClsSepLayout):
    """The fast tokenizer of ALBERT."""

    vocab_files_names: ClassVar[Mapping[str, str]] = VOCAB_FILES_NAMES
    pretrained_vocab_files_map: ClassVar[Mapping[str, Mapping[str, str]]] = PRETRAINED_VOCAB_FILES_MAP
    max_model_input_sizes: ClassVar[Mapping[str, int | None]] = PRETRAINED_POSITIONAL_EMBEDDINGS_SIZES
    slow_tokenizer_class = AlbertTokenizer

    def __init__(
        self,
        vocab_file: Any = None,
        tokenizer_file: Any = None,
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
        **kwargs: Any,
    ) -> None:
        """Load a SentencePiece file, which is converted, or a tokenizer.json; the rest is as in `AlbertTokenizer`.

        As a str, `mask_token` takes the space before it, and is matched before the text is normalized. `remove_space`
        removes repeated spaces only, and always.

        Raises:
            ValueError, FileNotFoundError: neither file is given, or one is damaged or does not exist.
        """
        mask_token = as_added_token(mask_token, lstrip=True, normalized=False)
        super().__init__(vocab_file, **call_settings(locals(), "vocab_file"))
        self.do_lower_case = do_lower_case
        self.remove_space = remove_space
        self.keep_accents = keep_accents
        self._keep_vocab_file(vocab_file)
