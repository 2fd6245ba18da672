"""BPE and Unigram with SentencePiece's treatment of spaces, also from a `.model` file of SentencePiece.

Source: tokenizers 0.23.3, bindings/python/py_src/tokenizers/implementations/sentencepiece_bpe.py and
sentencepiece_unigram.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tokenlab.libraries.tokenizers import normalizers, trainers
from tokenlab.libraries.tokenizers.implementations.base_tokenizer import (
    BaseTokenizer,
    Files,
    Merges,
    Texts,
    TokenLike,
    Vocab,
    add_known,
    bpe_model,
    shown,
    use_space_symbols,
)
from tokenlab.libraries.tokenizers.models import BPE, Unigram
from tokenlab.libraries.tokenizers.text.pattern import Regex
from tokenlab.libraries.tokenizers.tokenizer import Tokenizer


class SentencePieceBPETokenizer(BaseTokenizer):
    """BPE on text in which ▁ replaces each space.

    >>> tokenizer = SentencePieceBPETokenizer()
    >>> tokenizer.train_from_iterator(["hug hug", "bug"], show_progress=False)
    >>> tokenizer.encode("hug").tokens
    ['▁hug']
    """

    _trainer = trainers.BpeTrainer

    def __init__(
        self,
        vocab: Vocab | None = None,
        merges: Merges | None = None,
        unk_token: TokenLike = "<unk>",
        replacement: str = "▁",
        add_prefix_space: bool = True,
        dropout: float | None = None,
        fuse_unk: bool | None = False,
    ) -> None:
        """Build the parts.

        Args:
            vocab: tokens and ids; without it and `merges`, the tokenizer has to be trained.
            merges: pairs of tokens, in the order in which they are merged.
            unk_token: the token of a character outside the vocabulary.
            replacement: the character in place of a space.
            add_prefix_space: put a space before the text.
            dropout: the probability with which a merge is left out.
            fuse_unk: write one unknown token for adjacent unknown characters.
        """
        parameters = shown("SentencePieceBPE", locals())
        del parameters["fuse_unk"]  # as in the library
        tokenizer = Tokenizer(bpe_model(vocab, merges, dropout=dropout, unk_token=unk_token, fuse_unk=fuse_unk))
        add_known(tokenizer, [unk_token])
        tokenizer.normalizer = normalizers.NFKC()
        use_space_symbols(tokenizer, replacement, add_prefix_space)
        super().__init__(tokenizer, parameters)

    @staticmethod
    def from_file(vocab_filename: str, merges_filename: str, **kwargs: Any) -> SentencePieceBPETokenizer:
        """Read vocab.json and merges.txt; the other arguments are those of the class."""
        return SentencePieceBPETokenizer(*BPE.read_file(vocab_filename, merges_filename), **kwargs)

    def train(
        self,
        files: Files,
        vocab_size: int = 30000,
        min_frequency: int = 2,
        special_tokens: Sequence[TokenLike] = ("<unk>",),
        limit_alphabet: int = 1000,
        initial_alphabet: Sequence[str] = (),
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
        show_progress: bool = True,
        length: int | None = None,
    ) -> None:
        """Train the model on texts; the options are those of `trainers.BpeTrainer`."""
        self._train(locals())


class SentencePieceUnigramTokenizer(BaseTokenizer):
    """Unigram on text in which ▁ replaces each space.

    >>> pieces = [("▁", -3.0), ("h", -3.0), ("u", -3.0), ("g", -3.0), ("s", -2.0), ("▁hug", -1.0)]
    >>> SentencePieceUnigramTokenizer(pieces).encode("hugs").tokens
    ['▁hug', 's']
    """

    _trainer = trainers.UnigramTrainer

    def __init__(
        self, vocab: list[tuple[str, float]] | None = None, replacement: str = "▁", add_prefix_space: bool = True
    ) -> None:
        """Build the parts.

        Args:
            vocab: tokens and their log-probabilities; without it, the tokenizer has to be trained.
            replacement: the character in place of a space.
            add_prefix_space: put a space before the text.
        """
        parameters = shown("SentencePieceUnigram", locals())
        tokenizer = Tokenizer(Unigram() if vocab is None else Unigram(vocab))
        tokenizer.normalizer = normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC(), single_spaces()])
        use_space_symbols(tokenizer, replacement, add_prefix_space)
        super().__init__(tokenizer, parameters)

    def train(
        self,
        files: Files,
        vocab_size: int = 8000,
        show_progress: bool = True,
        special_tokens: Sequence[TokenLike] | None = None,
        initial_alphabet: Sequence[str] | None = None,
        unk_token: str | None = None,
    ) -> None:
        """Train the model on files; the options are those of `trainers.UnigramTrainer`."""
        self._train(locals())

    def train_from_iterator(
        self,
        iterator: Texts,
        vocab_size: int = 8000,
        show_progress: bool = True,
        special_tokens: Sequence[TokenLike] | None = None,
        initial_alphabet: Sequence[str] | None = None,
        unk_token: str | None = None,
        length: int | None = None,
    ) -> None:
        """Train the model on texts; the options are those of `trainers.UnigramTrainer`."""
        self._train(locals())

    @staticmethod
    def from_spm(filename: str) -> SentencePieceUnigramTokenizer:
        """Convert a unigram `.model` file of SentencePiece.

        Raises:
            ValueError: the file has another algorithm.
            RuntimeError: it is not a `.model` file.
            ImportError: sentencepiece is not installed.
        """
        from tokenlab.libraries.sentencepiece.model_proto import TYPES, UNIGRAM, parse_message

        proto = parse_message("ModelProto", Path(filename).read_bytes())
        if proto.trainer_spec.model_type != UNIGRAM:
            algorithm = {number: name for name, number in TYPES.items()}[proto.trainer_spec.model_type]
            raise ValueError(
                f"the model in {filename!r} was trained with a different algorithm: {algorithm}; "
                "only a unigram model can be converted"
            )
        pieces = [(entry.piece, entry.score) for entry in proto.pieces]
        tokenizer = Tokenizer(Unigram(pieces, proto.trainer_spec.unk_id, proto.trainer_spec.byte_fallback))
        table = proto.normalizer_spec.precompiled_charsmap
        rules = [normalizers.Precompiled(table)] if table else []
        tokenizer.normalizer = normalizers.Sequence([*rules, single_spaces()])
        use_space_symbols(tokenizer)
        converted = SentencePieceUnigramTokenizer.__new__(SentencePieceUnigramTokenizer)
        BaseTokenizer.__init__(converted, tokenizer, {"model": "SentencePieceUnigram"})
        return converted


def single_spaces() -> Any:
    """Return the normalizer that replaces several spaces by one."""
    return normalizers.Replace(Regex(" {2,}"), " ")
