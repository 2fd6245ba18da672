"""UnigramTrainer: many seed pieces, EM, and pruning.

Leaves out: the algorithm (`tokenlab.libraries.tokenizers.trainers.train_unigram`).
Source: tokenizers, models/unigram/trainer.rs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from tokenlab.libraries.tokenizers.added_token import AddedToken
from tokenlab.libraries.tokenizers.components.arguments import (
    Setting,
    check_number,
    check_text,
    check_unsigned,
    optional,
)
from tokenlab.libraries.tokenizers.trainers.settings import (
    VOCAB_SIZE,
    check_size_32,
    first_characters,
    initial_alphabet,
)
from tokenlab.libraries.tokenizers.trainers.train_unigram import train_huggingface
from tokenlab.libraries.tokenizers.trainers.trainer import Progress, Trainer


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

    vocab_size = Setting(check_size_32, VOCAB_SIZE)
    initial_alphabet = initial_alphabet()
    _n_sub_iterations = Setting(check_size_32, "The number of EM iterations before each pruning.")
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
        self._start(
            unknown,
            vocab_size=vocab_size,
            show_progress=show_progress,
            special_tokens=special_tokens,
            initial_alphabet=first_characters("initial_alphabet", initial_alphabet),
            _shrinking_factor=shrinking_factor,
            _unk_token=unk_token,
            _max_piece_length=max_piece_length,
            _n_sub_iterations=n_sub_iterations,
            _seed_size=seed_size,
        )

    def _train(self, model: Any) -> None:
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
