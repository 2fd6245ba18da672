"""BPE pieces as sentencepiece learns them: `algorithms.bpe_train_indexed`, with its rules on top.

Adds: a pair is merged only if the result may be a piece; when nothing is left that occurs, pieces that once were
possible fill the vocabulary.

Source: google/sentencepiece, src/bpe_model_trainer.cc.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tokenlab.algorithms.bpe_start import Start, join
from tokenlab.algorithms.bpe_train_indexed import PairIndex
from tokenlab.algorithms.tie_break import Pair, sentencepiece


def train_bpe(stretches: Mapping[str, int], size: int, allowed: Callable[[str], bool]) -> list[str]:
    """At most `size` pieces, each of two that were there before it, the most frequent pair first.

    >>> train_bpe({"hug": 10, "pun": 12}, 2, lambda piece: True)
    ['pu', 'pun']
    """
    if not stretches or size <= 0:
        return []
    start = _Start(stretches, allowed)
    index = _Pairs(start, stretches, sentencepiece)
    pieces: dict[str, None] = {}
    while len(pieces) < size:
        pair, count, _ = index.best()
        if not count:
            break
        pieces[str(join(index.merge(pair)))] = None
    left = sorted(start.possible - pieces.keys(), key=lambda piece: (len(piece), piece))
    return [*pieces, *left][:size]


class _Start(Start):
    """Where training starts: any result is short enough that may be a piece."""

    def __init__(self, stretches: Mapping[str, int], allowed: Callable[[str], bool]) -> None:
        super().__init__(stretches, vocab_size=len(set("".join(stretches))), max_token_length=1)
        self._may_be = allowed
        self.possible: set[str] = set()
        self._known: dict[str, bool] = {}

    def short_enough(self, pair: Pair) -> bool:
        """Whether the merge of this pair may be a piece."""
        piece = str(join(pair))
        known = self._known.get(piece)
        if known is None:
            known = self._known[piece] = self._may_be(piece)
            if known:
                self.possible.add(piece)
        return known


class _Pairs(PairIndex):
    """The index of pairs, which also says what was possible for a moment."""

    def _replace(self, lost: str, gained: str, numbers: list[int]) -> None:
        super()._replace(lost, gained, numbers)
        if gained[0] == gained[1]:
            # Where a pair stands twice in a row, the library merges it once and looks at what is next to that.
            self.short_enough((self.symbols[ord(gained[0])], self.symbols[ord(lost[1])]))
