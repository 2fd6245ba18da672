"""`Trie`: splits a text at added tokens in one pass, at each position the longest.

Adds: a trie of characters, and the matches that are followed at the same time; what slow tokenizers do before and after
    it: they lowercase the text but for the tokens, and remove the whitespace next to the tokens.
Leaves out: accents, which the model's tokenizer removes later.

Source: transformers 4.26.1, tokenization_utils.py (`Trie`, `PreTrainedTokenizer.tokenize`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Any, TypeAlias

from tokenlab.libraries.transformers.tokenization.special_tokens_mixin import AddedToken

Node: TypeAlias = dict[str, Any]
END = ""  # the key that no character has: a token ends in this node


class Trie:
    """Splits texts at given tokens: at each position the longest.

    >>> Trie(["<a>", "<a><b>"]).split("x <a><b> y")
    ['x ', '<a><b>', ' y']
    >>> Trie(["ab", "a"]).data
    {'a': {'b': {'': 1}, '': 1}}
    """

    def __init__(self, tokens: Iterable[str] = ()) -> None:
        self.data: Node = {}
        self._tokens: set[str] = set()
        self._any: re.Pattern[str] | None = None  # matches the first token in a text
        for token in tokens:
            self.add(token)

    def add(self, word: str) -> None:
        """Add a token; an empty one is ignored."""
        if not word:
            return
        node = self.data
        for character in word:
            node = node.setdefault(character, {})
        node[END] = 1
        self._tokens.add(word)
        self._any = None

    def split(self, text: str) -> list[str]:
        """Split the text into tokens and the text between them; the parts joined are the text."""
        if not self.occurs_in(text):
            return [text] if text else []
        return self.cut_text(text, [offset for span in self._found(text) for offset in span])

    def cut_text(self, text: str, offsets: list[int]) -> list[str]:
        """Split the text at offsets; one that is not after the offsets before it is ignored.

        >>> Trie().cut_text("abcd", [0, 1, 3])
        ['a', 'bc', 'd']
        """
        bounds = [0, *accumulate([*offsets, len(text)], max)]
        return [text[start:end] for start, end in pairwise(bounds) if start < end]

    def occurs_in(self, text: str) -> bool:
        """Return True if a token occurs in the text; a regular expression is faster than the trie."""
        if self._any is None:
            self._any = re.compile("|".join(map(re.escape, sorted(self._tokens))) or "(?!)")
        return self._any.search(text) is not None

    def _found(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the start and end of each token, from left to right."""
        matches: dict[int, Node] = {}  # start -> trie node of the match that starts there
        done = 0
        for position, character in enumerate(text):
            if position < done:
                continue
            finished = _advance_matches(matches, character)
            if finished is not None:
                start, done = _longest_match(matches, finished, position, text)
                yield start, done
                matches = {}
            if position >= done and character in self.data:
                matches[position] = self.data[character]
        for start in (start for start, node in matches.items() if END in node):
            yield start, len(text)
            return


def _advance_matches(matches: dict[int, Node], character: str) -> int | None:
    """Extend each match by one character; return the start of the first match that was already complete, or None."""
    failed = []
    for start, node in matches.items():
        if END in node:
            return start  # subtle: matches that fail at this character stay, and `_longest_match` reads them again
        if character in node:
            matches[start] = node[character]
        else:
            failed.append(start)
    for start in failed:
        del matches[start]
    return None


def _longest_match(matches: Mapping[int, Node], finished: int, position: int, text: str) -> tuple[int, int]:
    """Return the longest token at the first start that has one, at the latest the finished match.

    subtle: an earlier match that failed at `position` continues after it, as if the character there had matched. So
    with abc and b, `abdc` is one part. The library has this bug, and ids must equal the library's.
    """
    for start, node in matches.items():
        end = _last_end(node, position if start == finished else position + 1, text)
        if end is not None:
            return start, end
    raise AssertionError("the finished token is among those matches")


def _last_end(node: Node, position: int, text: str) -> int | None:
    """Return the end of the longest token that continues from a trie node, or None."""
    end = position if END in node else None
    while position < len(text) and text[position] in node:
        node = node[text[position]]
        position += 1
        if END in node:
            end = position
    return end


# --- before and after the split -----------------------------------------------------------------------


def lower_except(text: str, tokens: Sequence[str]) -> str:
    """Lowercase a text, character by character, except for tokens; of two that start together, the first one wins.

    subtle: each character alone, so that a capital sigma at the end of a word does not become a final sigma.

    >>> lower_except("Hello [MASK] ΌΣ", ["[MASK]"])
    'hello [MASK] όσ'
    """
    found = _pattern(tuple(tokens)).split(text)
    return "".join(part if index % 2 else lower(part) for index, part in enumerate(found))


def lower(text: str) -> str:
    """Lowercase each character of a text alone.

    >>> lower("ΣΑΣ")
    'σασ'
    """
    return text.lower() if "Σ" not in text else "".join(map(str.lower, text))


@lru_cache(maxsize=64)
def _pattern(tokens: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("(" + ("|".join(map(re.escape, filter(None, tokens))) or "(?!)") + ")")


def strip_around_added_tokens(
    parts: list[str], tokens: Collection[str], behaviours: Mapping[str, AddedToken]
) -> list[str]:
    """Remove the whitespace next to tokens that strip it; a plain string strips both sides.

    >>> strip_around_added_tokens(["a ", "<m>", " b"], {"<m>"}, {})
    ['a', '<m>', 'b']
    >>> strip_around_added_tokens(["a ", "<m>", " b"], {"<m>"}, {"<m>": AddedToken("<m>", lstrip=True)})
    ['a', '<m>', ' b']
    """
    parts = list(parts)
    for index, part in enumerate(parts):
        if part not in tokens:
            continue
        behaviour = behaviours.get(part)
        if index + 1 < len(parts) and (behaviour is None or behaviour.rstrip):
            parts[index + 1] = parts[index + 1].lstrip()
        if index > 0 and (behaviour is None or behaviour.lstrip):
            parts[index - 1] = parts[index - 1].rstrip()
    return [part for part in parts if part]
