"""The merges of a BPE model as a table of ids.

Source: tokenizers 0.23.3, tokenizers/src/models/bpe/model.rs, BpeBuilder::build.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def merge_table(
    vocab: Mapping[str, int], merges: Sequence[tuple[str, str]], prefix: str = ""
) -> dict[tuple[int, int], tuple[int, int]]:
    """Map the ids of each pair to its rank and to the id of the token that it makes.

    Args:
        vocab: the id of each token.
        merges: pairs of tokens in the order of their ranks.
        prefix: the text before a token inside a word, which the right part loses when it is merged.

    Raises:
        ValueError: a part or the result of a merge is not in the vocabulary.

    >>> merge_table({"h": 0, "##u": 1, "hu": 2}, [("h", "##u")], prefix="##")
    {(0, 1): (0, 2)}
    """
    count = len(prefix.encode())
    table = {}
    for rank, (left, right) in enumerate(merges):
        made = left + (_without_bytes(right, count, rank) if count else right)
        try:
            # subtle: of two equal merges, the later one counts.
            table[vocab[left], vocab[right]] = (rank, vocab[made])
        except KeyError:
            token = next(token for token in (left, right, made) if token not in vocab)
            which = "the result" if token == made else "a part"
            raise ValueError(
                f"merges[{rank}]={(left, right)!r:.80}: {which} of the merge, {token!r:.60}, is not in vocab; "
                "add it, or remove the merge"
            ) from None
    return table


def _without_bytes(text: str, count: int, rank: int) -> str:
    """Return a text without its first bytes, which should be the continuing_subword_prefix.

    Raises:
        ValueError: it has fewer bytes, or `count` is in the middle of a character. The library stops with a panic, or
            reads invalid UTF-8.
    """
    try:
        if count <= len(encoded := text.encode()):
            return encoded[count:].decode()
    except UnicodeDecodeError:
        pass
    raise ValueError(
        f"merges[{rank}]: its right part {text!r:.60} does not start with the continuing_subword_prefix, "
        f"which has {count} bytes; remove the merge, or the prefix"
    )
