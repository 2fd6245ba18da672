"""The symbols of Hugging Face's BPE training, with their ids and lengths, and the splitting of words into symbols.

Source: huggingface/tokenizers, models/bpe/trainer.rs.

>>> SymbolTable(["<s>"], ["a", "b"]).symbols
['<s>', 'a', 'b']
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TypeAlias

Merge: TypeAlias = tuple[str, str]


class SymbolTable:
    """The symbols by id. For speed, the symbol with id `i` is the character `chr(i)` in words and pairs."""

    def __init__(
        self,
        special_tokens: Iterable[str],
        characters: Iterable[str],
        prefix: str = "",
        suffix: str = "",
        max_token_length: int | None = None,
    ) -> None:
        self.symbols = list(dict.fromkeys([*special_tokens, *characters]))
        self.ids = {symbol: id for id, symbol in enumerate(self.symbols)}
        self.prefix, self.suffix = prefix, suffix
        self.max_token_length = max_token_length
        # The length in characters, without prefix and suffix, that each symbol had when it was first made.
        self.lengths: dict[str, int] = defaultdict(lambda: 1)
        self.two_lengths = False  # whether a symbol was made with another length

    def split(self, words: Iterable[str]) -> list[str]:
        """Return each word as a string of ids, without the characters that are not in the table.

        >>> table = SymbolTable(["<s>"], ["a", "b"], prefix="##")
        >>> table.split(["aba", "acb"]), table.symbols
        (['\\x01\\x03\\x04', '\\x01\\x03'], ['<s>', 'a', 'b', '##b', '##a'])
        """
        known = {character: chr(id) for character, id in self.ids.items() if len(character) == 1}
        if not self.prefix and not self.suffix:
            letters = {ord(character): letter for character, letter in known.items()}
            return [word.translate(letters) for word in _only(words, known.keys())]
        split = []
        for word in words:
            last = len(word) - 1
            # subtle: a removed character is still the first or the last one of its word.
            parts = [
                self.prefix * (place > 0) + character + self.suffix * (place == last)
                for place, character in enumerate(word)
                if character in known
            ]
            split.append("".join(map(self.letter, parts)))
        self.lengths.update(dict.fromkeys("".join(split), 1))
        return split

    def letter(self, symbol: str) -> str:
        """Return the character whose code is the id of a symbol; a new symbol gets the next id."""
        id = self.ids.get(symbol)
        if id is None:
            id = self.ids[symbol] = len(self.symbols)
            self.symbols.append(symbol)
        return chr(id)

    def merge(self, pair: str) -> str:
        """Return the character of the merged symbol of a pair.

        >>> table = SymbolTable([], ["a", "b"], suffix="b")
        >>> table.split(["a", "ab"]), table.symbols
        (['\\x02', '\\x00\\x03'], ['a', 'b', 'ab', 'bb'])
        >>> table.merge("\\x00\\x01"), table.lengths["\\x02"], table.two_lengths
        ('\\x02', 1, True)
        """
        left, right = self.named(pair)
        merged = self.letter(left + right.removeprefix(self.prefix))
        length = self.lengths[pair[0]] + self.lengths[pair[1]]
        self.two_lengths |= self.lengths.setdefault(merged, length) != length
        return merged

    def named(self, pair: str) -> Merge:
        """Return the two symbols of a pair."""
        return self.symbols[ord(pair[0])], self.symbols[ord(pair[1])]

    def may_merge(self, pair: str) -> bool:
        """Whether a pair that a merge has made may be merged itself."""
        # subtle: shorter than the maximum; only two single characters may be merged in any case.
        return self.max_token_length is None or self.lengths[pair[0]] + self.lengths[pair[1]] < self.max_token_length


def _only(words: Iterable[str], known: Iterable[str]) -> Iterator[str]:
    """Yield the words without the characters that are not known."""
    kept = set(known)
    for word in words:
        yield word if kept.issuperset(word) else "".join(filter(kept.__contains__, word))
