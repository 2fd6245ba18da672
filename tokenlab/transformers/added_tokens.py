"""Added tokens: tokens that are cut out of a text before the model's own pieces are looked for.

Adds: `AddedToken`, with the blanks that it swallows, and `Cutter`, which finds added tokens in one pass.
Leaves out: `single_word` and `normalized`, which only the fast tokenizers heed.

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
    """A token with its behaviour towards the blanks beside it; two are equal when their texts are.

    Args:
        content: the token's text.
        single_word: is kept and not heeded, as in the library's slow tokenizers.
        lstrip: take the blanks on the left away.
        rstrip: take the blanks on the right away.
        normalized: is kept and not heeded.

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
        """Its fields, as the files have them."""
        return asdict(self)


class Cutter:
    """Cuts given tokens out of texts: at each place the longest.

    >>> Cutter(["<a>", "<a><b>"]).cut("x <a><b> y")
    ['x ', '<a><b>', ' y']
    """

    def __init__(self, tokens: Iterable[str] = ()) -> None:
        self.root: Node = {}
        for token in filter(None, tokens):
            node = self.root
            for character in token:
                node = node.setdefault(character, {})
            node[END] = {}

    def cut(self, text: str) -> list[str]:
        """The text in parts, tokens and what is between them; joined they give the text."""
        parts, done = [], 0
        for start, end in self._found(text):
            parts += [text[done:start], text[start:end]]
            done = end
        return [part for part in [*parts, text[done:]] if part]

    def _found(self, text: str) -> Iterator[tuple[int, int]]:
        """The start and end of each token, from left to right."""
        begun: dict[int, Node] = {}  # start -> how far the tokens that start there have been read
        done = 0
        for place, character in enumerate(text):
            if place < done:
                continue
            finished = _read(begun, character)
            if finished is not None:
                start, done = _longest(begun, finished, place, text)
                yield start, done
                begun = {}
            if place >= done and character in self.root:
                begun[place] = self.root[character]
        for start in (start for start, node in begun.items() if END in node):
            yield start, len(text)
            return


def _read(begun: dict[int, Node], character: str) -> int | None:
    """Read one character more in each token begun; the start of the first that had ended before it, or None."""
    failed = []
    for start, node in begun.items():
        if END in node:
            return start  # subtle: those that fail at this character stay, and `_longest` looks at them once more
        if character in node:
            begun[start] = node[character]
        else:
            failed.append(start)
    for start in failed:
        del begun[start]
    return None


def _longest(begun: Mapping[int, Node], finished: int, place: int, text: str) -> tuple[int, int]:
    """The longest token from the first start on that leads to one, at the latest the finished one.

    subtle: a token begun earlier that failed at `place` is read on behind it, as if the character there had fitted. So
    with abc and b, `abdc` is one part. The library has this fault, and ids have to be the library's.
    """
    for start, node in begun.items():
        end = _last_end(node, place if start == finished else place + 1, text)
        if end is not None:
            return start, end
    raise AssertionError("the finished token is among those begun")


def _last_end(node: Node, place: int, text: str) -> int | None:
    """Where the longest token ends that goes on from a node; None if none does."""
    end = place if END in node else None
    while place < len(text) and text[place] in node:
        node = node[text[place]]
        place += 1
        if END in node:
            end = place
    return end


def strip_blanks(parts: list[str], tokens: Collection[str], behaviours: Mapping[str, AddedToken]) -> list[str]:
    """Take away the blanks that the tokens among the parts swallow: a plain string swallows both sides.

    >>> strip_blanks(["a ", "<m>", " b"], {"<m>"}, {})
    ['a', '<m>', 'b']
    >>> strip_blanks(["a ", "<m>", " b"], {"<m>"}, {"<m>": AddedToken("<m>", lstrip=True)})
    ['a', '<m>', ' b']
    """
    parts = list(parts)
    for place, part in enumerate(parts):
        if part not in tokens:
            continue
        behaviour = behaviours.get(part)
        if place + 1 < len(parts) and (behaviour is None or behaviour.rstrip):
            parts[place + 1] = parts[place + 1].lstrip()
        if place > 0 and (behaviour is None or behaviour.lstrip):
            parts[place - 1] = parts[place - 1].rstrip()
    return [part for part in parts if part]
