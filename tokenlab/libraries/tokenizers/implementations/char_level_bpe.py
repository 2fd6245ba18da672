"""The original BPE on characters, whose words end with a suffix; the options are those of OpenAI's GPT.

Source: tokenizers 0.23.3, bindings/python/py_src/tokenizers/implementations/char_level_bpe.py; Sennrich, Haddow and
Birch 2016.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from tokenlab.libraries.tokenizers import decoders, normalizers, pre_tokenizers, trainers
from tokenlab.libraries.tokenizers.implementations.base_tokenizer import (
    BaseTokenizer,
    Files,
    Merges,
    Texts,
    TokenLike,
    Vocab,
    add_known,
    bpe_model,
    chain,
)
from tokenlab.libraries.tokenizers.models import BPE
from tokenlab.libraries.tokenizers.tokenizer import Tokenizer


class CharBPETokenizer(BaseTokenizer):
    """BPE on characters.

    >>> tokenizer = CharBPETokenizer()
    >>> tokenizer.train_from_iterator(["hug hug", "bug"], show_progress=False)
    >>> tokenizer.encode("hug bug").tokens
    ['hug</w>', 'b', 'ug</w>']
    """

    _trainer = trainers.BpeTrainer
    _option_names: ClassVar[dict[str, str]] = {"suffix": "end_of_word_suffix"}

    def __init__(
        self,
        vocab: Vocab | None = None,
        merges: Merges | None = None,
        unk_token: TokenLike = "<unk>",
        suffix: str = "</w>",
        dropout: float | None = None,
        lowercase: bool = False,
        unicode_normalizer: str | None = None,
        bert_normalizer: bool = True,
        split_on_whitespace_only: bool = False,
    ) -> None:
        """Build the parts.

        Args:
            vocab: tokens and ids; without it and `merges`, the tokenizer has to be trained.
            merges: pairs of tokens, in the order in which they are merged.
            unk_token: the token of a character outside the vocabulary.
            suffix: the suffix of tokens at the end of a word.
            dropout: the probability with which a merge is left out.
            lowercase: convert to lower case.
            unicode_normalizer: "nfc", "nfd", "nfkc", "nfkd", "nmt", ...
            bert_normalizer: remove control characters and accents, and put spaces around CJK characters.
            split_on_whitespace_only: keep punctuation marks in words.
        """
        parameters = {"model": "BPE"} | {
            name: value for name, value in locals().items() if name not in ("self", "vocab", "merges", "__class__")
        }
        options = {"unk_token": str(unk_token), "dropout": dropout, "end_of_word_suffix": suffix}
        tokenizer = Tokenizer(bpe_model(vocab, merges, **options))
        add_known(tokenizer, [unk_token])
        parts: list[Any] = []
        if unicode_normalizer:
            parts.append(normalizers.unicode_normalizer_from_str(unicode_normalizer))
        if bert_normalizer:
            parts.append(normalizers.BertNormalizer(lowercase=False))
        if lowercase:
            parts.append(normalizers.Lowercase())
        tokenizer.normalizer = chain(parts)
        splitters = pre_tokenizers.WhitespaceSplit, pre_tokenizers.BertPreTokenizer
        tokenizer.pre_tokenizer = splitters[0]() if split_on_whitespace_only else splitters[1]()
        tokenizer.decoder = decoders.BPEDecoder(suffix=suffix)
        super().__init__(tokenizer, parameters)

    @staticmethod
    def from_file(vocab_filename: str, merges_filename: str, **kwargs: Any) -> CharBPETokenizer:
        """Read vocab.json and merges.txt; the other arguments are those of the class."""
        return CharBPETokenizer(*BPE.read_file(vocab_filename, merges_filename), **kwargs)

    def train(
        self,
        files: Files,
        vocab_size: int = 30000,
        min_frequency: int = 2,
        special_tokens: Sequence[TokenLike] = ("<unk>",),
        limit_alphabet: int = 1000,
        initial_alphabet: Sequence[str] = (),
        suffix: str | None = "</w>",
        show_progress: bool = True,
    ) -> None:
        """Train the model on files; the options are those of `trainers.BpeTrainer`."""
        self._train(locals())

    def train_from_iterator(
        self,
        iterator: Texts,
        vocab_size: int = 30000,
        min_frequency: int = 2,
        special_tokens: Sequence[TokenLike] = ("<unk>",),
        limit_alphabet: int = 1000,
        initial_alphabet: Sequence[str] = (),
        suffix: str | None = "</w>",
        show_progress: bool = True,
        length: int | None = None,
    ) -> None:
        """Train the model on texts; the options are those of `trainers.BpeTrainer`."""
        self._train(locals())
