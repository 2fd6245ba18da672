"""The common interface of the compared tokenizers: tokens with spans, decoding, and entries without their markers.

Adds: `Token`, whose span counts UTF-8 bytes, because a token of bytes may start or end inside a character.
Leaves out: the families, which are in the other modules.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from tokenlab.printing.printable import Symbol


@dataclass(frozen=True)
class Token:
    """An entry of the vocabulary, and the part of the text that it covers.

    Args:
        entry: the entry, with the marker of its family.
        start, end: the bytes of the text, in UTF-8, that the token covers.
        unknown: whether the entry replaces text that the vocabulary cannot represent.
    """

    entry: Symbol
    start: int
    end: int
    unknown: bool = False


class TrainedTokenizer(ABC):
    """A trained tokenizer of one family: its vocabulary, and the entries that represent no text (`special`)."""

    vocabulary: Sequence[Symbol]
    special: frozenset[Symbol] = frozenset()

    @abstractmethod
    def encode(self, text: str) -> list[Token]:
        """Return the tokens of a text."""

    @abstractmethod
    def decode(self, tokens: Iterable[Token]) -> str:
        """Return the text of these tokens."""

    def plain_vocabulary(self) -> set[str]:
        """Return the entries that represent text, without their markers."""
        return {plain for entry in self.vocabulary if entry not in self.special if (plain := self.plain(entry))}

    def plain(self, entry: Symbol) -> str:
        r"""Return an entry without its marker; bytes that are not valid UTF-8 become escapes such as \xe3."""
        text = entry.decode(errors="backslashreplace") if isinstance(entry, bytes) else entry
        return self.without_marker(text)

    def without_marker(self, text: str) -> str:
        """Return the text of an entry without the marker of the family; by default, the text itself."""
        return text


def byte_offsets(text: str) -> list[int]:
    """Return the offset in bytes of each character, and of the end of the text.

    >>> byte_offsets("aé日!")
    [0, 1, 3, 6, 7]
    """
    return [0, *accumulate(len(character.encode()) for character in text)]


def without_surrogates(text: str) -> str:
    """Replace each lone surrogate, which UTF-8 cannot encode, by U+FFFD, as tiktoken does.

    >>> without_surrogates("a\\ud83d")
    'a\\ufffd'
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
