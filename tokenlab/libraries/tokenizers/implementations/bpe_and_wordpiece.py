"""The tokenizers of BERT and GPT-2, and the original BPE on characters, whose words end with a suffix.

Source: tokenizers 0.23.3, bindings/python/py_src/tokenizers/implementations/{bert_wordpiece,byte_level_bpe,
char_level_bpe}.py; Sennrich, Haddow and Birch 2016.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from tokenlab.libraries.tokenizers import decoders, normalizers, pre_tokenizers, processors, trainers
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
    shown,
)
from tokenlab.libraries.tokenizers.models import BPE, WordPiece
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
        parameters = shown("BertWordPiece", locals())
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
        parameters = shown("ByteLevelBPE", locals())
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
        parameters = shown("BPE", locals())
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
