"""WordPieceTrainer: BPE with a prefix, of which only the vocabulary is kept.

Source: tokenizers, models/wordpiece/trainer.rs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from tokenlab.libraries.tokenizers.added_token import AddedToken
from tokenlab.libraries.tokenizers.trainers.bpe_trainer import BpeTrainer, MergeTrainer
from tokenlab.libraries.tokenizers.trainers.settings import first_characters


class WordPieceTrainer(MergeTrainer):
    """A trainer of WordPiece models.

    Args:
        vocab_size: the size of the final vocabulary, with special tokens and alphabet, which are never truncated.
        min_frequency: the frequency that a pair must have to be merged.
        show_progress: whether to show progress bars while training.
        special_tokens: the special tokens, which come first in the vocabulary.
        limit_alphabet: the maximum number of characters in the alphabet.
        initial_alphabet: texts whose first characters belong to the alphabet, even if the corpus lacks them.
        continuing_subword_prefix: the prefix of every subword that does not begin a word.
        end_of_word_suffix: the suffix of every subword that ends a word.

    An unknown keyword argument is printed and ignored, as in the library.

    >>> WordPieceTrainer().continuing_subword_prefix
    '##'
    """

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
        self._start(
            unknown,
            vocab_size=vocab_size,
            min_frequency=min_frequency,
            show_progress=show_progress,
            special_tokens=special_tokens,
            limit_alphabet=limit_alphabet,
            initial_alphabet=first_characters("initial_alphabet", initial_alphabet),
            continuing_subword_prefix=continuing_subword_prefix,
            end_of_word_suffix=end_of_word_suffix,
            _progress_format="indicatif",
            _max_token_length=None,
        )

    @classmethod
    def _wrapped(cls, fields: dict[str, Any]) -> dict[str, Any]:
        return {"bpe_trainer": fields}

    @classmethod
    def _unwrapped(cls, fields: dict[str, Any]) -> dict[str, Any]:
        bpe_trainer: dict[str, Any] = fields["bpe_trainer"]
        return bpe_trainer

    def _train(self, model: Any) -> None:
        symbols, _ = self._learn()
        prefix = self.continuing_subword_prefix
        model.continuing_subword_prefix = "##" if prefix is None else prefix
        model.replace_vocabulary({symbol: id for id, symbol in enumerate(symbols)})
