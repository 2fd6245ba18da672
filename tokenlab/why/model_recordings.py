"""How a model of `tokenlab.libraries.tokenizers` splits one pre-token: a recording that a player shows.

Adds: the recording of the algorithm that `model_steps` tells in sentences: merges, longest matches, or the best path.
Leaves out: unknown characters that are fused or become bytes; the sentences name them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from tokenlab.algorithms.bpe.encode_by_pairs import encode_by_pairs
from tokenlab.algorithms.unigram.lattice import build_lattice
from tokenlab.algorithms.unigram.viterbi import viterbi
from tokenlab.algorithms.unigram.vocabulary import check_vocabulary
from tokenlab.algorithms.wordpiece.encode import encode_word
from tokenlab.libraries.tokenizers.models import BPE, Model, Unigram, WordPiece
from tokenlab.steps.recording import Recording

Ids: TypeAlias = tuple[int, int]


def model_recording(model: Model, word: str) -> Recording[Any, Any] | None:
    """Return a recording of the steps of `model_lines`; None for a model without steps.

    >>> print(model_recording(BPE({"h": 0, "u": 1, "hu": 2}, [("h", "u")]), "hu"))
    1. h + u became hu, rank 0, at symbol 0
    """
    match model:
        case BPE():
            return _merges(model, word)
        case WordPiece():
            prefix, longest = model.continuing_subword_prefix, model.max_input_chars_per_word
            return encode_word.record(word, model._vocab, model.unk_token, prefix, longest)
        case Unigram():
            return _best_path(model, word)
    return None


class _LookedUp(Mapping[Ids, Ids]):
    """The merges of a table that were looked up so far: a recording contains them, not the whole table."""

    def __init__(self, table: Mapping[Ids, Ids]) -> None:
        self.table = table
        self.found: dict[Ids, Ids] = {}

    def __getitem__(self, pair: Ids) -> Ids:
        self.found[pair] = merge = self.table[pair]
        return merge

    def __iter__(self) -> Iterator[Ids]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)


def _merges(model: BPE, word: str) -> Recording[Any, Any] | None:
    if model.ignore_merges and not model.dropout and word in model._vocab:
        return None
    token = model._tokens_by_id
    symbols = model._initial_symbols(word)[0]
    looked_up = _LookedUp(model._merges)
    encode_by_pairs(symbols, looked_up)
    merges = {(token[left], token[right]): (rank, token[made]) for (left, right), (rank, made) in looked_up.items()}
    return encode_by_pairs.record([token[id] for id in symbols], merges)


def _best_path(model: Unigram, word: str) -> Recording[Any, Any] | None:
    """Record Viterbi on the pieces that occur in the word, if their scores are log probabilities."""
    lattice = build_lattice(word, model._scores.trie, model._scores.unknown)
    pieces = {edge.piece: edge.log_prob for edge in lattice.edges if edge.piece in model._vocab}
    try:
        check_vocabulary(pieces)
    except ValueError:  # no piece occurs in the word, or a score is above 0 or not finite
        return None
    return viterbi.record(word, pieces, model._scores.unknown)
