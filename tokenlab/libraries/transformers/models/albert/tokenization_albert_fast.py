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
        """Load a SentencePiece file or a tokenizer.json.

        Args:
            vocab_file: the path of a SentencePiece file, which is converted if there is no tokenizer_file.
            tokenizer_file: the path of a tokenizer.json.
            do_lower_case: write all letters in lower case.
            remove_space: the slow tokenizer removes repeated whitespace; the fast one only repeated spaces, always.
            keep_accents: do not remove accents.
            bos_token: the token at the start of a text.
            eos_token: the token at the end of a text.
            unk_token: the token for unknown characters.
            sep_token: the token after each text.
            pad_token: the padding token of shorter texts in a batch.
            cls_token: the token before the first text.
            mask_token: the token in place of a masked token; a str takes the space before it, and is matched before
                the text is normalized.
            kwargs: the arguments of every tokenizer, such as `model_max_length`.

        Raises:
            ValueError, FileNotFoundError: neither file is given, or one is damaged or does not exist.
        """
        super().__init__(
            vocab_file,
            tokenizer_file=tokenizer_file,
            do_lower_case=do_lower_case,
            remove_space=remove_space,
            keep_accents=keep_accents,
            bos_token=bos_token,
            eos_token=eos_token,
            unk_token=unk_token,
            sep_token=sep_token,
            pad_token=pad_token,
            cls_token=cls_token,
            mask_token=as_added_token(mask_token, lstrip=True, normalized=False),
            **kwargs,
        )
        self.do_lower_case = do_lower_case
        self.remove_space = remove_space
        self.keep_accents = keep_accents
        self._keep_vocab_file(vocab_file)
