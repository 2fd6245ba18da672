"""Unigram: the most probable segmentation of a word, or a random one.

Adds: fused unknown characters, byte fallback, and ids; the distribution of `alpha`, which the library applies again at
each position. Its forward sums are raised to the power alpha at every position, so early pieces are exponentiated
repeatedly; `sample_segmentation` of the kit raises each piece's probability once, as Kudo 2018 does. For alpha = 1
both are the same.
Leaves out: the search (`tokenlab.algorithms.unigram`).

Source: tokenizers 0.23.3, tokenizers/src/models/unigram/model.rs and lattice.rs (Lattice::sample and sample_nbest).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import groupby
from math import exp, inf, isfinite, isnan
from operator import itemgetter
from random import Random
from typing import Any, AnyStr, Self, TypeAlias

from tokenlab.algorithms.text.trie import Trie
from tokenlab.algorithms.unigram.encode import best_piece_starts
from tokenlab.algorithms.unigram.forward_backward import log_sum_exp
from tokenlab.algorithms.unigram.lattice import Lattice, build_lattice
from tokenlab.algorithms.unigram.n_best import Path, best_paths
from tokenlab.algorithms.unigram.vocabulary import UNKNOWN_PENALTY
from tokenlab.libraries.tokenizers.components.arguments import (
    Setting,
    check_bool,
    check_list,
    check_number,
    check_text,
    check_unsigned,
    optional,
    read_field,
)
from tokenlab.libraries.tokenizers.components.component import json_text, number_text
from tokenlab.libraries.tokenizers.models.bpe import BYTE_TOKENS
from tokenlab.libraries.tokenizers.models.model import Columns, Model, byte_offsets
from tokenlab.printing.errors import warn

Piece: TypeAlias = tuple[str, float]  # the text and its log probability


class PieceScores:
    """The scores of pieces, prepared when the first word is encoded; copies of a model share them.

    >>> PieceScores([("a", -1.0), ("", -2.0)]).unknown
    -12.0
    """

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self.pieces = pieces

    @cached_property
    def unknown(self) -> float:
        """The score of an unknown character."""
        return min((score for _, score in self.pieces if not isnan(score)), default=inf) - UNKNOWN_PENALTY

    @cached_property
    def trie(self) -> Trie[float]:
        """The scores of the pieces, and of each character that starts a piece (`best_piece_starts` needs these)."""
        scores = {piece: score for piece, score in self.pieces if piece}
        return Trie({**{piece[0]: self.unknown for piece in scores}, **scores})


class Unigram(Model):
    """A Unigram model: pieces with log probabilities; the id of a piece is its index.

    >>> model = Unigram([("<unk>", 0.0), ("hug", -2.0), ("h", -1.0), ("ug", -0.5)], unk_id=0)
    >>> [token.value for token in model.tokenize("hug??")]
    ['h', 'ug', '??']
    """

    alpha = Setting(optional(check_number), "The exponent of probabilities in sampling; None or 0 for the best result.")
    nbest_size = Setting(optional(check_unsigned), "The number of results that are sampled from; None or 0 for all.")

    _trainer = "UnigramTrainer"

    def __init__(
        self,
        vocab: Sequence[Piece] | None = None,
        unk_id: int | None = None,
        byte_fallback: bool | None = None,
        alpha: float | None = None,
        nbest_size: int | None = None,
    ) -> None:
        """Take the pieces with their log probabilities, and settings.

        Args:
            vocab: the pieces; None for the piece <unk> only.
            unk_id: the index of the piece for unknown characters.
            byte_fallback: whether unknown characters become pieces such as <0xE2>, one for each byte.
            alpha, nbest_size: the attributes of the same names.

        Raises:
            TypeError, OverflowError: an argument has a wrong type, or a number is negative.
            ValueError: unk_id is not the index of a piece, or is given without vocab.
        """
        self.alpha = alpha
        self.nbest_size = nbest_size
        unk_id = optional(check_unsigned)("unk_id", unk_id)
        fallback = byte_fallback is not None and check_bool("byte_fallback", byte_fallback)
        if vocab is None:
            if unk_id is not None:
                raise ValueError(f"unk_id={unk_id} is the index of a piece of vocab, but vocab is not given; give both")
            self.replace_vocabulary([("<unk>", 0.0)], 0)
        else:
            self.replace_vocabulary(check_pieces(vocab), unk_id, fallback)

    def replace_vocabulary(self, vocab: Sequence[Piece], unk_id: int | None, byte_fallback: bool = False) -> None:
        """Replace the pieces by those that were trained; an `unk_id` that is not an index raises a ValueError."""
        if unk_id is not None and unk_id >= len(vocab):
            raise ValueError(f"unk_id={unk_id} is not the index of a piece; vocab has {len(vocab)} pieces")
        self._pieces = list(vocab)
        self._unk_id = unk_id
        self._byte_fallback = byte_fallback
        # subtle: of two equal pieces, the later one counts.
        self._vocab = {piece: id for id, (piece, _) in enumerate(self._pieces)}
        self._tokens_by_id = {id: piece for id, (piece, _) in enumerate(self._pieces)}
        if len(self._vocab) < len(self._pieces):
            piece, id = next((piece, id) for id, (piece, _) in enumerate(vocab) if self._vocab[piece] != id)
            warn(f"vocab: the piece {piece!r} occurs twice; its id is {self._vocab[piece]}, and {id} is never used")
        self._scores = PieceScores(self._pieces)
        self._clear_cache()

    def _resize_cache(self, capacity: int) -> None:
        """Change the number of words whose tokens are kept."""
        self._cache_capacity = optional(check_unsigned)("capacity", capacity)
        self._clear_cache()

    def get_vocab_size(self) -> int:
        """Return the number of pieces."""
        return len(self._pieces)

    @property
    def _is_random(self) -> bool:
        return bool(self.alpha)

    def _ids(self, word: str) -> list[int]:
        if not (self._is_random or self._byte_fallback):
            ids = [self._vocab.get(piece, self._unk_id) for piece in (self._segmented(word) if word else [])]
            if self._unk_id not in ids:  # otherwise, unknown pieces are fused
                return ids  # type: ignore[return-value]
        return self._columns(word).ids

    def _columns(self, word: str) -> Columns:
        pieces = self._fused(self._segmented(word)) if word else []
        columns = Columns([], [], [])
        for piece, offsets in zip(pieces, byte_offsets(pieces), strict=True):
            for id, token in self._with_ids(piece):
                columns.ids.append(id)
                columns.tokens.append(token)
                columns.offsets.append(offsets)
        return columns

    def _with_ids(self, piece: str) -> list[tuple[int, str]]:
        """Return id and text of a piece, of the bytes of an unknown one, or of the unknown piece."""
        if (id := self._vocab.get(piece)) is not None:
            return [(id, piece)]
        if self._byte_fallback:
            tokens = [BYTE_TOKENS[byte] for byte in piece.encode()]
            if all(token in self._vocab for token in tokens):
                return [(self._vocab[token], token) for token in tokens]
        if self._unk_id is None:
            raise self._unknown(piece)
        return [(self._unk_id, piece)]

    def _fused(self, pieces: list[str]) -> list[str]:
        """Join adjacent unknown characters, and the unknown piece itself, to one piece."""
        # subtle: the text "<unk>" in a word matches the unknown piece; the library fuses it with its neighbors.
        ids = [self._vocab.get(piece, self._unk_id) for piece in pieces]
        if self._unk_id not in ids:
            return pieces
        fused: list[str] = []
        for unknown, run in groupby(zip(pieces, ids, strict=True), key=lambda item: item[1] == self._unk_id):
            found = [piece for piece, _ in run]
            fused += ["".join(found)] if unknown else found
        return fused

    def _segmented(self, word: str) -> list[str]:
        """Return the best pieces of a word, or sampled ones; each unknown character is a piece."""
        if self.alpha:
            return self._sampled(word, self.alpha)
        if self._unk_id is None and not all(character in self._vocab for character in word):
            self._check_all_known(word)
        starts = best_piece_starts(word, self._scores.trie, self._scores.unknown)
        pieces = []
        end = len(word)
        while end:
            pieces.append(word[starts[end] : end])
            end = starts[end]
        pieces.reverse()
        return pieces

    def _sampled(self, word: str, alpha: float) -> list[str]:
        if self._unk_id is None:
            raise ValueError("Unigram: sampling (alpha) needs unk_id, the index of a piece for unknown characters")
        if not all(isfinite(score) for _, score in self._pieces):
            raise ValueError("Unigram: sampling (alpha) needs finite scores, but a piece has an infinite score or NaN")
        lattice = build_lattice(word, self._scores.trie, self._scores.unknown)
        if self.nbest_size:
            path = sample_from_best_unscaled(lattice, self.nbest_size, alpha, self._random)
        else:
            path = sample_compounded(lattice, alpha, self._random)
        return [edge.piece for edge in path]

    def _check_all_known(self, word: str) -> None:
        """Raise a ValueError where a path with an unknown character is the best so far, as the library does."""
        best = {0: 0.0}
        for start, character in enumerate(word):
            here = best[start]
            for end, score in self._scores.trie.prefixes_of(word, start):
                known = end > start + 1 or character in self._vocab
                if known and (end not in best or here + score > best[end]):
                    best[end] = here + score
            unknown = here + self._scores.unknown
            if character not in self._vocab and (start + 1 not in best or unknown > best[start + 1]):
                raise self._unknown(character)

    def _unknown(self, part: str) -> ValueError:
        error = ValueError("Encountered an unknown token but `unk_id` is missing")  # the library's tests compare it
        error.add_note(
            f"{part!r:.60} is not in the vocabulary; give the model unk_id, the index of a piece for unknown characters"
        )
        return error

    def _files(self) -> dict[str, str]:
        pieces = ",".join(
            f"\n    [\n      {json_text(piece)},\n      {number_text(score)}\n    ]" for piece, score in self._pieces
        )
        vocab = f"[{pieces}\n  ]" if pieces else "[]"
        texts = {name: vocab if name == "vocab" else json_text(value) for name, value in self.to_json().items()}
        return {"unigram.json": "{\n" + ",\n".join(f'  "{name}": {text}' for name, text in texts.items()) + "\n}"}

    def to_json(self) -> dict[str, Any]:
        """Return the fields of tokenizer.json, which do not include alpha and nbest_size."""
        vocab = [[piece, score if isfinite(score) else None] for piece, score in self._pieces]
        return {"type": "Unigram", "unk_id": self._unk_id, "vocab": vocab, "byte_fallback": self._byte_fallback}

    def _shown(self) -> dict[str, Any]:
        return self.to_json() | {"vocab": self._pieces}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """Return the model with these fields of tokenizer.json; all but "vocab" may be missing."""
        vocab = read_field(fields, "vocab", check_list)
        for number, entry in enumerate(vocab):
            match entry:
                case [str(), int() | float() as score] if not isinstance(score, bool):
                    continue
            raise ValueError(f'"vocab"[{number}] is {entry!r:.60}; give a piece and its log probability')
        unk_id = read_field(fields, "unk_id", optional(check_unsigned), None)
        byte_fallback = read_field(fields, "byte_fallback", check_bool, False)
        return cls([(piece, float(score)) for piece, score in vocab], unk_id, byte_fallback)


def check_pieces(vocab: Any) -> list[Piece]:
    """Return pieces given as an argument.

    Raises:
        TypeError: not a sequence of tuples of a text and a number.
        ValueError: a tuple has another length.

    >>> check_pieces([("a", -1)])
    [('a', -1.0)]
    """
    if isinstance(vocab, str | bytes) or not isinstance(vocab, Sequence):
        raise TypeError(f"vocab={vocab!r:.60} should be a list of pieces and scores, such as [('a', -1.5)]")
    for number, entry in enumerate(vocab):
        if not isinstance(entry, tuple):
            raise TypeError(f"vocab[{number}]={entry!r:.60} should be a tuple, such as ('a', -1.5)")
        if len(entry) != 2:
            raise ValueError(f"vocab[{number}]={entry!r:.60} should have a piece and a score, such as ('a', -1.5)")
    return [
        (check_text(f"vocab[{number}][0]", piece), check_number(f"vocab[{number}][1]", score))
        for number, (piece, score) in enumerate(vocab)
    ]


def compounded_log_sums(lattice: Lattice[AnyStr], alpha: float) -> list[float]:
    """Return the forward sum of each position as a logarithm, multiplied by alpha (finite) at each position.

    >>> lattice = build_lattice("ab", {"a": -1.0, "b": -1.0, "ab": -2.0})
    >>> [round(log_sum, 3) for log_sum in compounded_log_sums(lattice, 0.5)]
    [0.0, -0.5, -0.174]
    """
    log_sums = [0.0]
    for incoming in lattice.edges_to[1:]:
        log_sums.append(log_sum_exp([alpha * (edge.log_prob + log_sums[edge.start]) for edge in incoming]))
    return log_sums


def sample_compounded(lattice: Lattice[AnyStr], alpha: float, random: Random) -> Path[AnyStr]:
    """Draw a path through a lattice: the pieces from the last to the first, by their shares of the forward sums.

    Raises:
        ValueError: all probabilities at a position are 0, or one is infinite (the library stops with a panic).

    >>> sample_compounded(build_lattice("ab", {"ab": -2.0}), 0.5, Random())[0].piece
    'ab'
    """
    log_sums = compounded_log_sums(lattice, alpha)
    path = []
    end = len(lattice.text)
    while end:
        incoming = lattice.edges_to[end]
        weights = [power(log_sums[edge.start] + alpha * edge.log_prob - log_sums[end]) for edge in incoming]
        if not 0 < sum(weights) < inf:
            raise ValueError(
                f"alpha={alpha}: the probabilities of the pieces before character {end} cannot be represented; "
                "choose an alpha nearer to 1, set nbest_size, or split the text into shorter parts"
            )
        [edge] = random.choices(incoming, weights)
        path.append(edge)
        end = edge.start
    return tuple(reversed(path))


def sample_from_best_unscaled(lattice: Lattice[AnyStr], k: int, alpha: float, random: Random) -> Path[AnyStr]:
    """Draw one of the k best paths with its probability to the power `alpha`; the best if all of these are 0.

    Raises:
        ValueError: a probability is infinite (the library stops with a panic).

    >>> sample_from_best_unscaled(build_lattice("a", {"a": -1e6}), 3, 1.0, Random())[0].piece
    'a'
    """
    if k == 1:
        return best_path_with_next(lattice)
    best = best_paths(lattice, k)
    weights = [power(alpha * score) for _, score in best]
    if not isfinite(sum(weights)):
        raise ValueError(f"alpha={alpha}: the probabilities of the {k} best segmentations are too large; lower alpha")
    if not sum(weights):
        return best[0][0]
    [(path, _)] = random.choices(best, weights)
    return path


def best_path_with_next(lattice: Lattice[AnyStr]) -> Path[AnyStr]:
    """Return the most probable path; each edge chooses its predecessor by the sum that includes its own score.

    `best_path` compares the sums before the next edge is added. Of paths that are equally good but for rounding, the
    two may choose different ones.

    Source: huggingface/tokenizers, models/unigram/lattice.rs, Lattice::viterbi.

    >>> [edge.piece for edge in best_path_with_next(build_lattice("ab", {"a": -1.0, "b": -1.0, "ab": -2.5}))]
    ['a', 'b']
    """
    arriving: list[list[tuple[float, Path[AnyStr]]]] = [[] for _ in lattice.edges_from]
    arriving[0] = [(0.0, ())]
    for edge in lattice.edges:
        totals = [total + edge.log_prob for total, _ in arriving[edge.start]]
        best = totals.index(max(totals))
        _, path = arriving[edge.start][best]
        arriving[edge.end].append((totals[best], path + (edge,)))  # noqa: RUF005  # mypy loses the type after *
    return max(arriving[-1], key=itemgetter(0))[1]


def power(exponent: float) -> float:
    """Return e to an exponent; infinity if the result is too large."""
    try:
        return exp(exponent)
    except OverflowError:
        return inf
