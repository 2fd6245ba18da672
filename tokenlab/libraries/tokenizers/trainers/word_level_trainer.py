"""WordLevelTrainer: the most frequent words.

Source: tokenizers, models/wordlevel/trainer.rs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from tokenlab.libraries.tokenizers.added_token import AddedToken
from tokenlab.libraries.tokenizers.components.arguments import Setting, check_unsigned
from tokenlab.libraries.tokenizers.trainers.settings import VOCAB_SIZE
from tokenlab.libraries.tokenizers.trainers.trainer import Trainer


class WordLevelTrainer(Trainer):
    """A trainer of WordLevel models.

    Args:
        vocab_size: the maximum size of the vocabulary, with special tokens.
        min_frequency: the frequency that a word must have to be in the vocabulary.
        show_progress: whether to show progress bars while training; this trainer has none of its own.
        special_tokens: the special tokens, which come first in the vocabulary.

    An unknown keyword argument is printed and ignored, as in the library.
    """

    vocab_size = Setting(check_unsigned, VOCAB_SIZE)
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
        self._start(
            unknown,
            vocab_size=vocab_size,
            min_frequency=min_frequency,
            show_progress=show_progress,
            special_tokens=special_tokens,
        )

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
