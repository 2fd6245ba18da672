"""`WordEncoder`: from a text straight to ids, with one look-up for each chunk of a word.

Adds: a table of chunks with their ids, for models whose pieces never cross the start of a word.
Leaves out: texts in which the pieces of a chunk depend on the text before it; the segmenter handles them.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, groupby
from math import inf

from tokenlab.algorithms.text.word_cache import WordCache
from tokenlab.libraries.sentencepiece.model_proto import Model
from tokenlab.libraries.sentencepiece.piece_surfaces import apply_byte_fallback
from tokenlab.libraries.sentencepiece.segmentation.chunks import SegmentedChunk
from tokenlab.libraries.sentencepiece.segmentation.word_and_char_models import Segmentation


class WordEncoder:
    """Encode texts as the ids of their chunks.

    Args:
        model: the model.
        normalize: returns the normalized text.
        find_chunks: returns the chunks of a normalized text.
        segment: returns the segmented form of a chunk.
    """

    def __init__(
        self,
        model: Model,
        normalize: Callable[[str], str],
        find_chunks: Callable[[str], list[str]],
        segment: Callable[[str], SegmentedChunk],
    ) -> None:
        self.model = model
        self.normalize = normalize
        self.find_chunks = find_chunks
        self.segment = segment
        self.chunks = WordCache(self._encode_chunk)

    def encode(self, text: str) -> list[int] | None:
        """Return the ids of a text; None if the pieces of a chunk depend on the text before it."""
        ids: list[int] = []
        total, lowest_limit = 0.0, inf
        for its_ids, size, limit in map(self.chunks.__getitem__, self.find_chunks(self.normalize(text))):
            ids += its_ids
            total += size
            if limit < lowest_limit:
                lowest_limit = limit
        if total >= lowest_limit:
            return None
        return self._fuse_unknown(ids) if self.model.unknown in ids else ids

    def _encode_chunk(self, chunk: str) -> tuple[tuple[int, ...], float, float]:
        """Return the ids of a chunk, and as in `SegmentedChunk` the size of its scores and its limit."""
        pieces, ids, size, limit = self.segment(chunk)
        if self.model.unknown in ids:
            ids = tuple(apply_byte_fallback(Segmentation([*pieces], [*ids]), self.model).ids)
        return ids, size, limit

    def _fuse_unknown(self, ids: list[int]) -> list[int]:
        """Return the ids with one unknown piece for each run of them."""
        runs = ((id, [*run]) for id, run in groupby(ids))
        return [*chain.from_iterable([id] if id == self.model.unknown else run for id, run in runs)]
