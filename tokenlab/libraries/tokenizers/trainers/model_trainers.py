"""The trainers of the four models: WordLevel, BPE, WordPiece and Unigram.

Leaves out: the algorithms (`train_bpe`, `train_unigram`), and BPE for several languages (`parity_bpe_trainer`).

Source: tokenizers, models/{wordlevel,bpe,wordpiece,unigram}/trainer.rs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from tokenlab.libraries.tokenizers.added_vocabulary import AddedToken
from tokenlab.libraries.tokenizers.components.arguments import (
    Setting,
    check_number,
    check_text,
    check_unsigned,
    check_unsigned_32,
    optional,
)
from tokenlab.libraries.tokenizers.trainers.train_bpe import (
    Merge,
    MergeQueue,
    SymbolTable,
    last_occurrences,
    limited_alphabet,
)
from tokenlab.libraries.tokenizers.trainers.trainer import (
    Progress,
    Trainer,
    check_alphabet,
    check_progress_format,
    first_characters,
)

VOCAB_SIZE = "The size of the final vocabulary, with special tokens and alphabet."


class WordLevelTrainer(Trainer):
    """A trainer of WordLevel models; an unknown keyword argument is printed and ignored, as in the library."""

    vocab_size = Setting(check_unsigned, "The maximum size of the vocabulary, with special tokens.")
    min_frequency = Setting(check_unsigned, "The frequency that a word must have to be in the vocabulary.")
    model_name: ClassVar[str] = "WordLevel"
    _fields: ClassVar[tuple[str, ...]] = ("min_frequency", "vocab_size", "show_progress", "special_tokens")

    def __init__(
        self,
        *,
        vocab_size: int = 30000,
        min_frequency: int = 0,
        show_progress: bool = True,
        special_tokens: list[str | AddedToken] = [],  # noqa: B006  # the signature of the library; never changed
        **unknown: Any,
    ) -> None:
        self._start(locals())

    def _train(self, model: Any) -> None:
        special = [token.content for token in self.special_tokens]
        model.replace_vocabulary(most_frequent(self._words, self.vocab_size, self.min_frequency, special))


def most_frequent(
    words: Mapping[str, int], vocab_size: int, min_frequency: int = 0, special_tokens: Iterable[str] = ()
) -> dict[str, int]:
    """Return the ids of the special tokens and the most frequent words; of equally frequent words, the smaller first.

    >>> most_frequent({"b": 2, "c": 1, "a": 2}, vocab_size=3, special_tokens=["<s>"])
    {'<s>': 0, 'a': 1, 'b': 2}
    """
    frequent = (word for word, count in words.items() if count >= min_frequency)
    ordered = [*special_tokens, *sorted(frequent, key=lambda word: (-words[word], word))]
    # subtle: a word that is listed twice has its last id, and its first id stays free.
    return {word: id for id, word in enumerate(ordered[:vocab_size])}


class MergeTrainer(Trainer):
    """The base of BpeTrainer and WordPieceTrainer: learns merges of the most frequent pairs."""

    vocab_size = Setting(check_unsigned, VOCAB_SIZE)
    min_frequency = Setting(check_unsigned, "The frequency that a pair must have to be merged.")
    limit_alphabet = Setting(optional(check_unsigned), "The maximum number of characters in the alphabet, or None.")
    initial_alphabet: Setting[list[str]] = Setting(
        check_alphabet, "Characters of the alphabet, even if the corpus lacks them.", show=list
    )
    continuing_subword_prefix = Setting(
        optional(check_text), "The prefix of every subword that does not begin a word, or None."
    )
    end_of_word_suffix = Setting(optional(check_text), "The suffix of every subword that ends a word, or None.")
    _progress_format: str
    _max_token_length: int | None

    def _learn(self) -> tuple[list[str], list[Merge]]:
        """Return the symbols in id order, and the merges in rank order."""
        progress = Progress(self.show_progress, self._progress_format)
        characters = limited_alphabet(self._words, self.initial_alphabet, self.limit_alphabet)
        with progress.stage("Tokenize words", len(self._words)):
            table = SymbolTable(
                [token.content for token in self.special_tokens],
                characters,
                self.continuing_subword_prefix or "",
                self.end_of_word_suffix or "",
                self._max_token_length,
            )
            words = table.split(self._words)
        with progress.stage("Count pairs", len(words)):
            queue = MergeQueue(table, words, list(self._words.values()))
        merges = []
        with progress.stage("Compute merges", self.vocab_size) as done:
            for merge in queue.merges(self.vocab_size, self.min_frequency):
                merges.append(merge)
                done()
        return table.symbols, last_occurrences(merges)


class BpeTrainer(MergeTrainer):
    """A trainer of BPE models.

    Args:
        vocab_size: the size of the final vocabulary, with special tokens and alphabet, which are never truncated.
        min_frequency: the frequency that a pair must have to be merged.
        show_progress: whether to show progress bars while training.
        progress_format: "indicatif" for bars, "json" for lines of JSON on stderr, "silent" for nothing.
        special_tokens: the special tokens, which come first in the vocabulary.
        limit_alphabet: the maximum number of characters in the alphabet.
        initial_alphabet: texts whose first characters belong to the alphabet, even if the corpus lacks them.
        continuing_subword_prefix: the prefix of every subword that does not begin a word.
        end_of_word_suffix: the suffix of every subword that ends a word.
        max_token_length: the length in characters that tokens of more than two characters do not reach.

    An unknown keyword argument is printed and ignored, as in the library.

    >>> trainer = BpeTrainer(vocab_size=20, special_tokens=["<unk>"])
    >>> trainer.special_tokens[0].content, trainer.vocab_size
    ('<unk>', 20)
    """

    progress_format = Setting(check_progress_format, 'The format of progress reports: "indicatif", "json" or "silent".')
    max_token_length = Setting(
        optional(check_unsigned),
        "The length in characters that tokens of more than two characters do not reach, or None.",
    )
    model_name: ClassVar[str] = "BPE"
    _fields: ClassVar[tuple[str, ...]] = (
        *("min_frequency", "vocab_size", "show_progress", "progress_format", "special_tokens", "limit_alphabet"),
        *("initial_alphabet", "continuing_subword_prefix", "end_of_word_suffix", "max_token_length"),
    )

    def __init__(
        self,
        *,
        vocab_size: int = 30000,
        min_frequency: int = 0,
        show_progress: bool = True,
        progress_format: str = "indicatif",
        special_tokens: list[str | AddedToken] = [],  # noqa: B006  # the signature of the library; never changed
        limit_alphabet: int | None = None,
        initial_alphabet: Sequence[str] = [],
        continuing_subword_prefix: str | None = None,
        end_of_word_suffix: str | None = None,
        max_token_length: int | None = None,
        **unknown: Any,
    ) -> None:
        initial_alphabet = first_characters("initial_alphabet", initial_alphabet)
        self._start(locals())

    def get_word_count(self) -> int:
        """Return the number of distinct words that were counted."""
        return len(self._words)

    def _train(self, model: Any) -> None:
        symbols, merges = self._learn()
        # subtle: the prefix first, because the result of a merge depends on it.
        model.continuing_subword_prefix = self.continuing_subword_prefix
        model.end_of_word_suffix = self.end_of_word_suffix
        model.replace_vocabulary({symbol: id for id, symbol in enumerate(symbols)}, merges)


class WordPieceTrainer(MergeTrainer):
    """A trainer of WordPiece models: BPE with a prefix, of which only the vocabulary is kept.

    The arguments are those of `BpeTrainer`, without `progress_format` and `max_token_length`.

    >>> WordPieceTrainer().continuing_subword_prefix
    '##'
    """

    _progress_format = Setting(check_progress_format, "The format of the progress reports.")
    _max_token_length = Setting(optional(check_unsigned), "The length that tokens do not reach, or None.")
    _is_nested = True
    model_name: ClassVar[str] = "WordPiece"
    _fields: ClassVar[tuple[str, ...]] = tuple(
        f"_{name}" if name in ("progress_format", "max_token_length") else name for name in BpeTrainer._fields
    )

    def __init__(
        self,
        *,
        vocab_size: int = 30000,
        min_frequency: int = 0,
        show_progress: bool = True,
        special_tokens: list[str | AddedToken] = [],  # noqa: B006  # the signature of the library; never changed
        limit_alphabet: int | None = None,
        initial_alphabet: Sequence[str] = [],
        continuing_subword_prefix: str | None = "##",
        end_of_word_suffix: str | None = None,
        **unknown: Any,
    ) -> None:
        initial_alphabet = first_characters("initial_alphabet", initial_alphabet)
        self._progress_format, self._max_token_length = "indicatif", None
        self._start(locals())

    def _train(self, model: Any) -> None:
        symbols, _ = self._learn()
        prefix = self.continuing_subword_prefix
        model.continuing_subword_prefix = "##" if prefix is None else prefix
        model.replace_vocabulary({symbol: id for id, symbol in enumerate(symbols)})


class UnigramTrainer(Trainer):
    """A trainer of Unigram models.

    Args:
        vocab_size: the size of the final vocabulary, with special tokens; the alphabet is never truncated.
        show_progress: whether to show progress bars while training.
        special_tokens: the special tokens, which come first in the vocabulary.
        initial_alphabet: texts whose first characters belong to the alphabet, even if the corpus lacks them.
        shrinking_factor: the share of the pieces that a pruning keeps.
        unk_token: the token for unknown characters; it is added if it is not among the special tokens.
        max_piece_length: the maximum length of a piece, in characters.
        n_sub_iterations: the number of EM iterations before each pruning.
        seed_size: the maximum number of seed pieces.

    An unknown keyword argument is printed and ignored, as in the library.

    >>> UnigramTrainer(initial_alphabet=["abc"]).initial_alphabet
    ['a']
    """

    vocab_size = Setting(check_unsigned_32, VOCAB_SIZE)
    initial_alphabet = MergeTrainer.initial_alphabet
    _n_sub_iterations = Setting(check_unsigned_32, "The number of EM iterations before each pruning.")
    _shrinking_factor = Setting(check_number, "The share of the pieces that a pruning keeps.")
    _unk_token = Setting(optional(check_text), "The token for unknown characters, or None.")
    _max_piece_length = Setting(check_unsigned, "The maximum length of a piece, in characters.")
    _seed_size = Setting(check_unsigned, "The maximum number of seed pieces.")
    model_name: ClassVar[str] = "Unigram"
    _fields: ClassVar[tuple[str, ...]] = (
        *("show_progress", "vocab_size", "_n_sub_iterations", "_shrinking_factor", "special_tokens"),
        *("initial_alphabet", "_unk_token", "_max_piece_length", "_seed_size"),
    )

    def __init__(
        self,
        *,
        vocab_size: int = 8000,
        show_progress: bool = True,
        special_tokens: list[str | AddedToken] = [],  # noqa: B006  # the signature of the library; never changed
        initial_alphabet: Sequence[str] = [],
        shrinking_factor: float = 0.75,
        unk_token: str | None = None,
        max_piece_length: int = 16,
        n_sub_iterations: int = 2,
        seed_size: int = 1_000_000,
        **unknown: Any,
    ) -> None:
        initial_alphabet = first_characters("initial_alphabet", initial_alphabet)
        self._start(locals())

    def _train(self, model: Any) -> None:
        from tokenlab.libraries.tokenizers.trainers.train_unigram import train_huggingface  # loads numpy

        special = [token.content for token in self.special_tokens]
        unk_id = None
        if self._unk_token is not None:
            if self._unk_token not in special:
                special.insert(0, self._unk_token)
            unk_id = special.index(self._unk_token)
        with Progress(self.show_progress).stage("EM training", 0) as done:
            pieces = train_huggingface(
                self._words,
                self.vocab_size,
                self.initial_alphabet,
                self._shrinking_factor,
                self._max_piece_length,
                self._n_sub_iterations,
                self._seed_size,
                limit=self.vocab_size - len(special),
                on_update=done,
            )
        model.replace_vocabulary([*((token, 0.0) for token in special), *pieces], unk_id)
