"""A GPT-2 tokenizer on one page: bytes, the pattern, ranks, special tokens, `.tiktoken` files.

Run it: python -m tokenlab.minimal.gpt2_tokenizer "Hello, world"

Leaves out: training (see `bpe.py`), speed, streaming. Sources: Radford et al. 2019, section 2.2; openai/tiktoken,
src/lib.rs, tiktoken/load.py and tiktoken/core.py.
"""

from __future__ import annotations

import base64
import sys
from collections.abc import Collection, Iterable, Mapping
from itertools import pairwise
from pathlib import Path

import regex

# English contractions; letters (\p{L}), digits (\p{N}) or other characters, with at most one space before them;
# whitespace, without its last character if something follows, so that a word keeps its space; other whitespace.
GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def load(path: Path) -> dict[bytes, int]:
    """Read the ranks in a `.tiktoken` file, which has the Base64 form of a token and its rank in each line."""
    lines = path.read_bytes().splitlines()
    return {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in lines if line)}


def save(ranks: Mapping[bytes, int], path: Path) -> None:
    """Write the ranks as a `.tiktoken` file."""
    lines = [b"%s %d\n" % (base64.b64encode(token), rank) for token, rank in sorted(ranks.items(), key=lambda r: r[1])]
    path.write_bytes(b"".join(lines))


def to_utf8(text: str) -> bytes:
    r"""Return the UTF-8 bytes of a text; half of a surrogate pair becomes U+FFFD, as in tiktoken.

    >>> to_utf8("é"), to_utf8("\ud800") == "\ufffd".encode()
    (b'\xc3\xa9', True)
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def encode_piece(piece: bytes, ranks: Mapping[bytes, int]) -> list[int]:
    """Join the two neighbours whose joined bytes have the lowest rank, until no joined neighbours are a token.

    >>> encode_piece(b"abc", {b"a": 0, b"b": 1, b"c": 2, b"bc": 3, b"ab": 4})
    [0, 3]
    """
    parts = [bytes([byte]) for byte in piece]
    if piece in ranks:  # subtle: a whole piece is one id, even if no joining leads to it
        parts = [piece]
    while found := [(ranks[two], at) for at, two in enumerate(a + b for a, b in pairwise(parts)) if two in ranks]:
        at = min(found)[1]  # the lowest rank; the first of equal ones
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return [ranks[part] for part in parts]


class Tokenizer:
    """A tokenizer from ranks, special tokens and a pattern.

    >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"he": 256, b"ll": 257, b"llo": 258}
    >>> tokenizer = Tokenizer(ranks, {"<|end|>": 259})
    >>> tokenizer.encode("hello é<|end|>")
    [256, 258, 32, 195, 169, 259]
    >>> tokenizer.decode([256, 258, 32, 195, 169, 259])
    'hello é<|end|>'
    """

    def __init__(self, ranks: Mapping[bytes, int], special: Mapping[str, int], pattern: str = GPT2) -> None:
        self.ranks, self.special, self.pattern = ranks, special, regex.compile(pattern)
        self.tokens = {id: token for token, id in ranks.items()} | {id: name.encode() for name, id in special.items()}

    def encode_ordinary(self, text: str) -> list[int]:
        """Return the ids of a text; the names of special tokens in it are text like any other."""
        text = to_utf8(text).decode()
        return [id for piece in self.pattern.findall(text) for id in encode_piece(piece.encode(), self.ranks)]

    def encode(self, text: str, allowed: Collection[str] | None = None) -> list[int]:
        """Return the ids of a text in which the names of the allowed special tokens are these tokens.

        By default all are allowed. In tiktoken none is, because a user's text could otherwise end a document.

        Raises:
            ValueError: the text contains the name of a special token that is not allowed.
        """
        allowed = self.special if allowed is None else allowed
        for name in self.special:
            if name in text and name not in allowed:
                raise ValueError(f"the text contains the special token {name!r}; allow it, or use encode_ordinary")
        ids: list[int] = []
        for part in self._split(text, allowed):
            ids += [self.special[part]] if part in allowed else self.encode_ordinary(part)
        return ids

    def _split(self, text: str, allowed: Iterable[str]) -> list[str]:
        """Cut a text at the allowed special tokens; where two begin, the longer one is cut."""
        names = "|".join(regex.escape(name) for name in sorted(allowed, key=len, reverse=True))
        return regex.split(f"({names})", text) if names else [text]

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids: join their bytes first, because a character may be divided between tokens."""
        return b"".join(self.tokens[id] for id in ids).decode(errors="replace")


if __name__ == "__main__":
    from tokenlab import data

    ranks = load(data.FOLDER / "small.tiktoken")
    tokenizer = Tokenizer(ranks, {"<|endoftext|>": len(ranks)})
    ids = tokenizer.encode(" ".join(sys.argv[1:]) or "Hello, world 👋<|endoftext|>")
    print(ids, [tokenizer.tokens[id] for id in ids], tokenizer.decode(ids), sep="\n")
