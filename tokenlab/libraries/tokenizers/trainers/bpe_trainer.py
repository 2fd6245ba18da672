"""BpeTrainer, and what it shares with WordPieceTrainer: the settings and the training of merges.

Leaves out: the algorithm (`tokenlab.libraries.tokenizers.trainers.train_bpe`).
Source: tokenizers, models/bpe/trainer.rs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from tokenlab.libraries.tokenizers.added_token import AddedToken
from tokenlab.libraries.tokenizers.components.arguments import Setting, check_text, check_unsigned, optional
from tokenlab.libraries.tokenizers.trainers.settings import (
    VOCAB_SIZE,
    check_progress_format,
    first_characters,
    initial_alphabet,
)
from tokenlab.libraries.tokenizers.trainers.train_bpe import MergeQueue, last_occurrences, limited_alphabet
from tokenlab.libraries.tokenizers.trainers.trainer import Progress, Trainer
from tokenlab.libraries.tokenizers.trainers.training_words import Merge, SymbolTable


class MergeTrainer(Trainer):
    """The base of BpeTrainer and WordPieceTrainer: learns merges of the most frequent pairs."""

    vocab_size = Setting(check_unsigned, VOCAB_SIZE)
    min_frequency = Setting(check_unsigned, "The frequency that a pair must have to be merged.")
    limit_alphabet = Setting(optional(check_unsigned), "The maximum number of characters in the alphabet, or None.")
    initial_alphabet = initial_alphabet()
    continuing_subword_prefix = Setting(
        optional(check_text), "The prefix of every subword that does not begin a word, or None."
    )
    end_of_word_suffix = Setting(optional(check_text), "The suffix of every subword that ends a word, or None.")
    _progress_format = Setting(check_progress_format, "The format of the progress reports.")
    _max_token_length = Setting(optional(check_unsigned), "The length that tokens do not reach, or None.")

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
        self._start(
            unknown,
            vocab_size=vocab_size,
            min_frequency=min_frequency,
            show_progress=show_progress,
            progress_format=progress_format,
            special_tokens=special_tokens,
            limit_alphabet=limit_alphabet,
            initial_alphabet=first_characters("initial_alphabet", initial_alphabet),
            continuing_subword_prefix=continuing_subword_prefix,
            end_of_word_suffix=end_of_word_suffix,
            max_token_length=max_token_length,
        )

    @property
    def progress_format(self) -> str:
        """The format of the progress reports: "indicatif", "json" or "silent"."""
        return self._progress_format

    @progress_format.setter
    def progress_format(self, format: str) -> None:
        self._progress_format = format

    @property
    def max_token_length(self) -> int | None:
        """The length in characters that tokens of more than two characters do not reach, or None."""
        return self._max_token_length

    @max_token_length.setter
    def max_token_length(self, limit: int | None) -> None:
        self._max_token_length = limit

    def get_word_count(self) -> int:
        """Return the number of distinct words that were counted."""
        return len(self._words)

    def _train(self, model: Any) -> None:
        symbols, merges = self._learn()
        # subtle: the prefix first, because the result of a merge depends on it.
        model.continuing_subword_prefix = self.continuing_subword_prefix
        model.end_of_word_suffix = self.end_of_word_suffix
        model.replace_vocabulary({symbol: id for id, symbol in enumerate(symbols)}, merges)
