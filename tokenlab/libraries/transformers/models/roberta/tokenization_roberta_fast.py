"""`RobertaTokenizerFast`: RoBERTa's tokenizer as a pipeline of `tokenlab.libraries.tokenizers`.

Adds: `<mask>` takes the space before it; `add_prefix_space` and `trim_offsets` change the pre-tokenizer and the
    post-processor.

Source: transformers 4.26.1, models/roberta/tokenization_roberta_fast.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from tokenlab.libraries.transformers.hub import vocab_file_urls
from tokenlab.libraries.transformers.models.gpt2.tokenization_gpt2 import ByteLevelTokenizerFast
from tokenlab.libraries.transformers.models.roberta.configuration_roberta import REPOSITORIES
from tokenlab.libraries.transformers.models.roberta.tokenization_roberta import (
    PRETRAINED_POSITIONAL_EMBEDDINGS_SIZES,
    RobertaTokenizer,
)
from tokenlab.libraries.transformers.tokenization.backend_tokenizer import changed
from tokenlab.libraries.transformers.tokenization.padding_and_truncation import Ids
from tokenlab.libraries.transformers.tokenization.sequence_layouts import FastDoubleSepLayout
from tokenlab.libraries.transformers.tokenization.special_tokens_mixin import SpecialTokensMixin, Token, as_added_token
from tokenlab.libraries.transformers.utils import call_settings

VOCAB_FILES_NAMES = {"vocab_file": "vocab.json", "merges_file": "merges.txt", "tokenizer_file": "tokenizer.json"}
PRETRAINED_VOCAB_FILES_MAP = vocab_file_urls(REPOSITORIES, VOCAB_FILES_NAMES)


class RobertaTokenizerFast(ByteLevelTokenizerFast, FastDoubleSepLayout):
    """The fast tokenizer of RoBERTa."""

    vocab_files_names: ClassVar[Mapping[str, str]] = VOCAB_FILES_NAMES
    pretrained_vocab_files_map: ClassVar[Mapping[str, Mapping[str, str]]] = PRETRAINED_VOCAB_FILES_MAP
    max_model_input_sizes: ClassVar[Mapping[str, int | None]] = PRETRAINED_POSITIONAL_EMBEDDINGS_SIZES
    slow_tokenizer_class = RobertaTokenizer

    def __init__(
        self,
        vocab_file: Any = None,
        merges_file: Any = None,
        tokenizer_file: Any = None,
        errors: str = "replace",
        bos_token: Token = "<s>",
        eos_token: Token = "</s>",
        sep_token: Token = "</s>",
        cls_token: Token = "<s>",
        unk_token: Token = "<unk>",
        pad_token: Token = "<pad>",
        mask_token: Token = "<mask>",
        add_prefix_space: bool = False,
        trim_offsets: bool = True,
        **kwargs: Any,
    ) -> None:
        """Load a vocab.json and its merges.txt, which are converted, or a tokenizer.json.

        Args:
            vocab_file, merges_file, tokenizer_file: their paths.
            errors: how the slow tokenizer decodes bytes that are not UTF-8.
            mask_token: the token in place of a masked token; a str takes the space before it.
            add_prefix_space: insert a space before the first word.
            trim_offsets: leave spaces out of the offsets.
            kwargs: the arguments of every tokenizer, such as `model_max_length`; the others are `RobertaTokenizer`'s.

        Raises:
            ValueError, FileNotFoundError: no files are given, or one is damaged or does not exist.
        """
        super().__init__(vocab_file, merges_file, **call_settings(locals(), "vocab_file", "merges_file"))
        pipeline, settings = self._tokenizer, {"add_prefix_space": add_prefix_space, "trim_offsets": trim_offsets}
        pipeline.pre_tokenizer = changed(pipeline.pre_tokenizer, add_prefix_space=add_prefix_space)
        if pipeline.post_processor is not None:
            pipeline.post_processor = changed(pipeline.post_processor, **settings)
        self.add_prefix_space = add_prefix_space

    @property
    def mask_token(self) -> str:
        """The token in place of a masked token. A str that is set takes the space before it in a text."""
        token: str = SpecialTokensMixin.mask_token.__get__(self)
        return token

    @mask_token.setter
    def mask_token(self, value: Any) -> None:
        self._mask_token = as_added_token(value, lstrip=True)

    def build_inputs_with_special_tokens(self, token_ids_0: Ids, token_ids_1: Ids | None = None) -> Ids:
        """Return the ids of `<s> A </s>`, or of `<s> A </s></s> B </s>`, with `bos_token` and `eos_token`."""
        end = [self.eos_token_id]
        first = [self.bos_token_id, *token_ids_0, *end]
        return first if token_ids_1 is None else first + end + token_ids_1 + end
