"""BERT's tokenizer: its normalizer, words and punctuation, WordPiece, [CLS] and [SEP].

Source: tokenizers 0.23.3, bindings/python/py_src/tokenizers/implementations/bert_wordpiece.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from tokenlab.libraries.tokenizers import decoders, normalizers, pre_tokenizers, processors, trainers
from tokenlab.libraries.tokenizers.implementations.base_tokenizer import (
    BaseTokenizer,
    Files,
    Texts,
    TokenLike,
    Vocab,
    add_known,
)
from tokenlab.libraries.tokenizers.models import WordPiece
from tokenlab.libraries.tokenizers.tokenizer import Tokenizer

SPECIAL_TOKENS: tuple[TokenLike, ...] = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


class BertWordPieceTokenizer(BaseTokenizer):
    """BERT's tokenizer.

    >>> vocab = {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "play": 3, "##ing": 4}
    >>> BertWordPieceTokenizer(vocab).encode("Playing").tokens
    ['[CLS]', 'play', '##ing', '[SEP]']
    """

    _trainer = trainers.WordPieceTrainer
    _option_names: ClassVar[dict[str, str]] = {"wordpieces_prefix": "continuing_subword_prefix"}

    def __init__(
        self,
        vocab: Vocab | None = None,
        unk_token: TokenLike = "[UNK]",
        sep_token: TokenLike = "[SEP]",
        cls_token: TokenLike = "[CLS]",
        pad_token: TokenLike = "[PAD]",
        mask_token: TokenLike = "[MASK]",
        clean_text: bool = True,
        handle_chinese_chars: bool = True,
        strip_accents: bool | None = None,
        lowercase: bool = True,
        wordpieces_prefix: str = "##",
    ) -> None:
        """Build the parts.

        Args:
            vocab: tokens and ids; without it, the tokenizer has to be trained.
            unk_token: the token of a word without a segmentation.
            sep_token: the token after each sequence.
            cls_token: the token before the first sequence.
            pad_token: the token of padding.
            mask_token: the token of a masked position in pre-training.
            clean_text: remove control characters, and replace whitespace by spaces.
            handle_chinese_chars: put spaces around CJK characters.
            strip_accents: remove accents; by default as `lowercase`.
            lowercase: convert to lower case.
            wordpieces_prefix: the prefix of tokens inside a word, for decoding.

        Raises:
            TypeError: `vocab` does not contain `sep_token` or `cls_token`.
        """
        parameters = {"model": "BertWordPiece"} | {
            name: value for name, value in locals().items() if name not in ("self", "vocab", "__class__")
        }
        unknown: Any = str(unk_token)
        given: Any = () if vocab is None else (vocab,)
        tokenizer = Tokenizer(WordPiece(*given, unk_token=unknown))
        add_known(tokenizer, [unk_token, sep_token, cls_token, pad_token, mask_token])
        tokenizer.normalizer = normalizers.BertNormalizer(clean_text, handle_chinese_chars, strip_accents, lowercase)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        if vocab is not None:
            sep, cls = _required(tokenizer, "sep_token", sep_token), _required(tokenizer, "cls_token", cls_token)
            tokenizer.post_processor = processors.BertProcessing(sep, cls)
        tokenizer.decoder = decoders.WordPiece(prefix=wordpieces_prefix)
        super().__init__(tokenizer, parameters)

    @staticmethod
    def from_file(vocab: str, **kwargs: Any) -> BertWordPieceTokenizer:
        """Read the vocabulary from a vocab.txt; the other arguments are those of the class."""
        return BertWordPieceTokenizer(WordPiece.read_file(vocab), **kwargs)

    def train(
        self,
        files: Files,
        vocab_size: int = 30000,
        min_frequency: int = 2,
        limit_alphabet: int = 1000,
        initial_alphabet: Sequence[str] = (),
        special_tokens: Sequence[TokenLike] = SPECIAL_TOKENS,
        show_progress: bool = True,
        wordpieces_prefix: str = "##",
    ) -> None:
        """Train the model on files; the options are those of `trainers.WordPieceTrainer`."""
        self._train(locals())

    def train_from_iterator(
        self,
        iterator: Texts,
        vocab_size: int = 30000,
        min_frequency: int = 2,
        limit_alphabet: int = 1000,
        initial_alphabet: Sequence[str] = (),
        special_tokens: Sequence[TokenLike] = SPECIAL_TOKENS,
        show_progress: bool = True,
        wordpieces_prefix: str = "##",
        length: int | None = None,
    ) -> None:
        """Train the model on texts; the options are those of `trainers.WordPieceTrainer`."""
        self._train(locals())


def _required(tokenizer: Tokenizer, name: str, token: TokenLike) -> tuple[str, int]:
    id = tokenizer.token_to_id(str(token))
    if id is None:
        raise TypeError(f"{name} not found in the vocabulary: {str(token)!r}; add it to vocab, or give another {name}")
    return str(token), id
