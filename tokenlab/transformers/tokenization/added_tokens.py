"""Added tokens: tokens that are split off a text before the model tokenizes the rest.

Adds: `AddedToken`, which may strip surrounding whitespace, and `AddedTokenSplitter`, which finds tokens in one pass.
Leaves out: `single_word` and `normalized`, which only the fast tokenizers use.

Source: transformers 4.26.1, tokenization_utils.py (`Trie`, `PreTrainedTokenizer.tokenize`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias

Node: TypeAlias = dict[str, Any]
END = ""  # the key that no character has: a token ends in this node


@dataclass(frozen=True)
class AddedToken:
    """A token with its handling of surrounding whitespace; tokens are equal if their texts are.

    Args:
        content: the token's text.
        single_word: stored but ignored, as in the library's slow tokenizers.
        lstrip: remove whitespace on the left.
        rstrip: remove whitespace on the right.
        normalized: stored but ignored.

    >>> str(AddedToken("<mask>", lstrip=True))
    '<mask>'
    """

    content: str
    single_word: bool = field(default=False, compare=False)
    lstrip: bool = field(default=False, compare=False)
    rstrip: bool = field(default=False, compare=False)
    normalized: bool = field(default=True, compare=False)

    def __str__(self) -> str:
        return self.content

    def as_dict(self) -> dict[str, Any]:
        """Return the fields, as they are in the files."""
        return asdict(self)


class AddedTokenSplitter:
    """Splits texts at given tokens: at each position the longest.

    >>> AddedTokenSplitter(["<a>", "<a><b>"]).split("x <a><b> y")
    ['x ', '<a><b>', ' y']
    """

    def __init__(self, tokens: Iterable[str] = ()) -> None:
        self.root: Node = {}
        for token in filter(None, tokens):
            node = self.root
            for character in token:
                node = node.setdefault(character, {})
            node[END] = {}

    def split(self, text: str) -> list[str]:
        """Split the text into tokens and the text between them; the parts joined are the text."""
        parts, done = [], 0
        for start, end in self._found(text):
            parts += [text[done:start], text[start:end]]
            done = end
        return [part for part in [*parts, text[done:]] if part]

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
            if position >= done and character in self.root:
                matches[position] = self.root[character]
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


def strip_whitespace(parts: list[str], tokens: Collection[str], behaviours: Mapping[str, AddedToken]) -> list[str]:
    """Remove the whitespace next to tokens that strip it; a plain string strips both sides.

    >>> strip_whitespace(["a ", "<m>", " b"], {"<m>"}, {})
    ['a', '<m>', 'b']
    >>> strip_whitespace(["a ", "<m>", " b"], {"<m>"}, {"<m>": AddedToken("<m>", lstrip=True)})
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
