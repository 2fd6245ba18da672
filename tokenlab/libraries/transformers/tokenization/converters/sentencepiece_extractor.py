"""`SentencePieceExtractor`: the vocabulary of a SentencePiece model of type BPE, and merges that give its pieces.

Adds: merges. A model file has none, only a score for each piece: every two pieces that form a piece are a merge.

Source: transformers 4.26.1, convert_slow_tokenizer.py (`SentencePieceExtractor`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tokenlab.libraries.sentencepiece import SentencePieceProcessor


class SentencePieceExtractor:
    """Reads the vocabulary and the merges of a model file."""

    def __init__(self, model: str) -> None:
        """Load the file.

        Raises:
            OSError, RuntimeError: it cannot be read, or is no SentencePiece model.
        """
        self.sp = SentencePieceProcessor()
        self.sp.Load(model)

    def extract(self) -> tuple[dict[str, int], list[tuple[str, str]]]:
        """Return the ids of the pieces, and the merges in the order of the ids of their results."""
        vocab = {self.sp.id_to_piece(id): id for id in range(self.sp.get_piece_size())}
        return vocab, list(merges_of(vocab))


def merges_of(vocab: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Yield every two tokens that form a token: in the order of the ids of the results, then of the left tokens.

    The token with id 0 is never the result, as in the library.

    >>> list(merges_of({"<unk>": 0, "ab": 1, "abc": 2, "c": 3, "b": 4, "a": 5, "bc": 6}))
    [('a', 'b'), ('ab', 'c'), ('a', 'bc'), ('b', 'c')]
    """
    places = {token: place for place, token in enumerate(vocab)}
    for token, id in sorted(vocab.items(), key=lambda item: item[1]):
        if not id:
            continue
        pairs = ((token[:end], token[end:]) for end in range(1, len(token)))
        known = [pair for pair in pairs if pair[0] in vocab and pair[1] in vocab]
        yield from sorted(known, key=lambda pair: places[pair[0]])
