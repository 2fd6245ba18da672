"""GPT-2's tokenizer: byte-level BPE.

Source: tokenizers 0.23.3, bindings/python/py_src/tokenizers/implementations/byte_level_bpe.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tokenlab.libraries.tokenizers import decoders, normalizers, pre_tokenizers, processors, trainers
from tokenlab.libraries.tokenizers.implementations.base_tokenizer import (
    BaseTokenizer,
    Files,
    Merges,
    Texts,
    TokenLike,
    Vocab,
    bpe_model,
    chain,
)
from tokenlab.libraries.tokenizers.models import BPE
from tokenlab.libraries.tokenizers.tokenizer import Tokenizer


class ByteLevelBPETokenizer(BaseTokenizer):
    """Byte-level BPE, as GPT-2 introduced it.

    >>> tokenizer = ByteLevelBPETokenizer()
    >>> tokenizer.train_from_iterator(["a a a", "a b"], show_progress=False)
    >>> tokenizer.encode("b a").tokens
    ['b', 'Ġa']
    """

    @staticmethod
    def _trainer(**options: Any) -> trainers.BpeTrainer:
        return trainers.BpeTrainer(**options | {"initial_alphabet": pre_tokenizers.ByteLevel.alphabet()})

    def __init__(
        self,
        vocab: Vocab | None = None,
        merges: Merges | None = None,
        add_prefix_space: bool = False,
        lowercase: bool = False,
        dropout: float | None = None,
        unicode_normalizer: str | None = None,
        continuing_subword_prefix: str | None = None,
        end_of_word_suffix: str | None = None,
        trim_offsets: bool = False,
    ) -> None:
        """Build the parts.

        Args:
            vocab: tokens and ids; without it and `merges`, the tokenizer has to be trained.
            merges: pairs of tokens, in the order in which they are merged.
            add_prefix_space: put a space before a text that does not begin with one.
            lowercase: convert to lower case.
            dropout: the probability with which a merge is left out.
            unicode_normalizer: "nfc", "nfd", "nfkc", "nfkd", "nmt", ...
            continuing_subword_prefix: the prefix of tokens inside a word.
            end_of_word_suffix: the suffix of tokens at the end of a word.
            trim_offsets: leave spaces out of the offsets.
        """
        parameters = {"model": "ByteLevelBPE"} | {
            name: value for name, value in locals().items() if name not in ("self", "vocab", "merges", "__class__")
        }
        affixes = {
            "continuing_subword_prefix": continuing_subword_prefix or "",
            "end_of_word_suffix": end_of_word_suffix or "",
        }
        # subtle: an empty model ignores the options, as in the library.
        has_vocab = vocab is not None and merges is not None
        tokenizer = Tokenizer(bpe_model(vocab, merges, dropout=dropout, **affixes) if has_vocab else BPE())
        parts = [normalizers.unicode_normalizer_from_str(unicode_normalizer)] if unicode_normalizer else []
        tokenizer.normalizer = chain([*parts, normalizers.Lowercase()] if lowercase else parts)
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=add_prefix_space)
        tokenizer.decoder = decoders.ByteLevel()
        tokenizer.post_processor = processors.ByteLevel(trim_offsets=trim_offsets)
        super().__init__(tokenizer, parameters)

    @staticmethod
    def from_file(vocab_filename: str, merges_filename: str, **kwargs: Any) -> ByteLevelBPETokenizer:
        """Read vocab.json and merges.txt; the other arguments are those of the class."""
        return ByteLevelBPETokenizer(*BPE.read_file(vocab_filename, merges_filename), **kwargs)

    def train(
        self,
        files: Files,
        vocab_size: int = 30000,
        min_frequency: int = 2,
        show_progress: bool = True,
        special_tokens: Sequence[TokenLike] = (),
    ) -> None:
        """Train the model on files, with all 256 byte symbols; the options are those of `trainers.BpeTrainer`."""
        self._train(locals())

    def train_from_iterator(
        self,
        iterator: Texts,
        vocab_size: int = 30000,
        min_frequency: int = 2,
        show_progress: bool = True,
        special_tokens: Sequence[TokenLike] = (),
        length: int | None = None,
    ) -> None:
        """Train the model on texts, with all 256 byte symbols; the options are those of `trainers.BpeTrainer`."""
        self._train(locals())
