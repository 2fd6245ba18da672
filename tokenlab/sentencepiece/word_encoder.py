"""`WordEncoder`: from a text straight to ids, with one look-up for each word.

Adds: a table of words with their ids, for models whose pieces never cross the start of a word.
Leaves out: texts in which the pieces of a word depend on the words around it; they are segmented as a whole.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

from tokenlab.algorithms.text.word_cache import WordCache
from tokenlab.sentencepiece.model_proto import SPACE_SYMBOL, Model
from tokenlab.sentencepiece.piece_surfaces import apply_byte_fallback
from tokenlab.sentencepiece.segmentation.word_and_char_models import WORDS, Segmentation, SegmentedWord


class WordEncoder:
    """Encode texts as the ids of their words.

    Args:
        model: the model.
        normalize: returns the normalized text.
        segment: returns the segmented form of a word.
    """

    def __init__(
        self,
        model: Model,
        normalize: Callable[[str], str],
        segment: Callable[[str], SegmentedWord],
    ) -> None:
        self.model = model
        self.normalize = normalize
        self.segment = segment
        self.words = WordCache(self._encode_word)

    def encode(self, text: str) -> list[int] | None:
        """Return the ids of a text; None if it has to be segmented as a whole."""
        words = WORDS.findall(self.normalize(text))
        if not words:
            return []
        ids, sizes, limits = zip(*map(self.words.__getitem__, words), strict=True)
        return [*chain.from_iterable(ids)] if sum(sizes) < min(limits) else None

    def _encode_word(self, word: str) -> tuple[tuple[int, ...], float, float]:
        """Return the ids of a word, and as in `SegmentedWord` the size of its scores and its limit."""
        pieces, ids, size, limit = self.segment(word)
        if self.model.unknown in ids:
            # subtle: an unknown piece at the start is fused with one at the end of the word before it.
            if word.startswith(SPACE_SYMBOL) and ids[0] == self.model.unknown:
                limit = -1.0
            ids = tuple(apply_byte_fallback(Segmentation([*pieces], [*ids]), self.model).ids)
        return ids, size, limit
