"""`RobertaTokenizer`: GPT-2's byte-level BPE with BERT's kind of special tokens.

Adds: `<s> A </s></s> B </s>`, and `<mask>`, which includes the space before it.
Leaves out: the files and the merging, which are in `models.gpt2.tokenization_gpt2`.

Source: transformers 4.26.1, models/roberta/tokenization_roberta.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from tokenlab.libraries.transformers.hub import vocab_file_urls
from tokenlab.libraries.transformers.models.gpt2.tokenization_gpt2 import VOCAB_FILES_NAMES, ByteLevelBPE
from tokenlab.libraries.transformers.models.gpt2.tokenization_gpt2 import bytes_to_unicode as bytes_to_unicode
from tokenlab.libraries.transformers.models.gpt2.tokenization_gpt2 import get_pairs as get_pairs
from tokenlab.libraries.transformers.models.roberta.configuration_roberta import REPOSITORIES
from tokenlab.libraries.transformers.tokenization.sequence_layouts import DoubleSepLayout
from tokenlab.libraries.transformers.tokenization.special_tokens_mixin import Token, as_added_token
from tokenlab.libraries.transformers.utils import call_settings

PRETRAINED_VOCAB_FILES_MAP = vocab_file_urls(REPOSITORIES, VOCAB_FILES_NAMES)
PRETRAINED_POSITIONAL_EMBEDDINGS_SIZES = dict.fromkeys(REPOSITORIES, 512)


class RobertaTokenizer(DoubleSepLayout, ByteLevelBPE):
    """The slow tokenizer of RoBERTa."""

    pretrained_vocab_files_map: ClassVar[Mapping[str, Mapping[str, str]]] = PRETRAINED_VOCAB_FILES_MAP
    max_model_input_sizes: ClassVar[Mapping[str, int | None]] = PRETRAINED_POSITIONAL_EMBEDDINGS_SIZES

    def __init__(
        self,
        vocab_file: Any,
        merges_file: Any,
        errors: str = "replace",
        bos_token: Token = "<s>",
        eos_token: Token = "</s>",
        sep_token: Token = "</s>",
        cls_token: Token = "<s>",
        unk_token: Token = "<unk>",
        pad_token: Token = "<pad>",
        mask_token: Token = "<mask>",
        add_prefix_space: bool = False,
        **kwargs: Any,
    ) -> None:
        """Load a vocabulary and merges.

        Args:
            vocab_file, merges_file: the paths of vocab.json and merges.txt.
            errors: how `decode` treats bytes that are not UTF-8, as in `bytes.decode`.
            bos_token, eos_token: the first and the last token in training; `cls_token` and `sep_token` are added.
            sep_token: the token after each text, and before the second.
            cls_token: the token at the beginning.
            unk_token: its id is that of a token outside the vocabulary.
            pad_token: the padding token of shorter texts in a batch.
            mask_token: the token of a word that the model should predict; a string includes the space before it.
            add_prefix_space: put a space before a text that does not start with one.
            kwargs: the arguments of every tokenizer, such as `model_max_length`.

        Raises:
            TypeError, FileNotFoundError, ValueError: a path is wrong, or a file is damaged.
        """
        bos_token, eos_token, unk_token = map(as_added_token, (bos_token, eos_token, unk_token))
        sep_token, cls_token, pad_token = map(as_added_token, (sep_token, cls_token, pad_token))
        mask_token = as_added_token(mask_token, lstrip=True)
        super().__init__(**call_settings(locals(), "vocab_file", "merges_file"))
        self._load_files(vocab_file, merges_file, errors, add_prefix_space)

    def prepare_for_tokenization(
        self, text: str, is_split_into_words: bool = False, **kwargs: Any
    ) -> tuple[str, dict[str, Any]]:
        """Put a space before a text without one, if it is one word of a split text or `add_prefix_space` is set."""
        add_prefix_space = kwargs.pop("add_prefix_space", self.add_prefix_space)
        if (is_split_into_words or add_prefix_space) and len(text) > 0 and not text[0].isspace():
            return f" {text}", kwargs
        return text, kwargs
