"""Split added tokens off a text: one pass, from left to right.

Adds: the leftmost match wins, and of the matches that start there the longest; a token may require that no word
character is beside it (`single_word`), and may take the whitespace on its left and right (`lstrip`, `rstrip`).
Leaves out: which text is searched. A tokenizer makes two passes: it matches some tokens in the original text, then
normalizes the parts between them, and matches the normalized form of the other tokens there.

Source: tokenizers, src/tokenizer/added_vocabulary.rs, find_matches.

>>> print(split_added_tokens.record("a <m> b", {"<m>": AddedTokenRule(7, lstrip=True)}))
1. <m> (id 7) matches at 2
2. the added token takes the whitespace on its left, from 1 to 2
"""

from __future__ import annotations

import re
from collections.abc import Collection, Generator, Mapping
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from tokenlab.algorithms.pipeline.unicode_versions import WHITESPACE, word_character
from tokenlab.algorithms.text.alignment import Span
from tokenlab.printing.printable import Parts, SymbolPart
from tokenlab.steps.recording import step, stepwise


class AddedTokenRule(NamedTuple):
    """The id of an added token, and the flags of its matching."""

    id: int
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False


class Found(NamedTuple):
    """A part of the text, from `start` to `end`: an added token, or the text between two, which has no id."""

    start: int
    end: int
    id: int | None = None


@step
class TokenMatched:
    """The content of an added token was found."""

    content: str
    id: int
    start: int

    def sentence(self) -> Parts:
        """Name the token and its place."""
        return [SymbolPart(self.content, "new"), f" (id {self.id}) matches at {self.start}"]

    def apply(self, spans: list[Span]) -> None:
        """Append the span of the match."""
        spans.append((self.start, self.start + len(self.content)))


@step
class MatchRejected:
    """A match was given up; its characters remain text, and the search goes on after it."""

    content: str
    start: int
    reason: Literal["a word character is beside it", "special tokens are encoded as text"]

    def sentence(self) -> Parts:
        """Name the match and the reason."""
        return [SymbolPart(self.content, "unknown"), f" at {self.start} is no token: {self.reason}"]

    def apply(self, spans: list[Span]) -> None:
        """Change nothing."""


@step
class WhitespaceTaken:
    """A match was extended by the whitespace on one side."""

    side: Literal["left", "right"]
    start: int
    end: int

    def sentence(self) -> Parts:
        """Name the side and the whitespace."""
        return [f"the added token takes the whitespace on its {self.side}, from {self.start} to {self.end}"]

    def apply(self, spans: list[Span]) -> None:
        """Extend the last span."""
        start, end = spans.pop()
        spans.append((min(start, self.start), max(end, self.end)))


Step: TypeAlias = TokenMatched | MatchRejected | WhitespaceTaken


@stepwise
def split_added_tokens(
    text: str, tokens: Mapping[str, AddedTokenRule], as_text: Collection[str] = ()
) -> Generator[Step, None, list[Found]]:
    """Split a text at the added tokens in it.

    Args:
        text: the text to split.
        tokens: the rule of each content.
        as_text: contents that are matched but remain text (special tokens that should be encoded as text).

    Returns:
        The parts in order, without empty text between tokens.

    >>> split_added_tokens("a<m>", {"<m>": AddedTokenRule(7)})
    [Found(start=0, end=1, id=None), Found(start=1, end=4, id=7)]
    """
    parts: list[Found] = []
    done, previous = 0, -1
    # subtle: a rejected match still hides other matches in its characters, such as "sk>" in "<mask>".
    for match in matcher(tuple(tokens)).finditer(text):
        content, (start, end) = match.group(), match.span()
        # subtle: an empty content, which a normalizer may leave, is not found at the end of the match before it.
        is_repeated, previous = start == end == previous, end
        if is_repeated:
            continue
        rule = tokens[content]
        if content in as_text:
            yield MatchRejected(content, start, "special tokens are encoded as text")
            continue
        if rule.single_word and _is_within_word(text, start, end):
            yield MatchRejected(content, start, "a word character is beside it")
            continue
        yield TokenMatched(content, rule.id, start)
        if rule.lstrip:
            # subtle: whitespace that the previous token took is not taken again.
            stripped = max(_whitespace_start(text, start, done), done)
            if stripped < start:
                yield WhitespaceTaken("left", stripped, start)
            start = stripped
        if rule.rstrip:
            stripped = _whitespace_end(text, end)
            if stripped > end:
                yield WhitespaceTaken("right", end, stripped)
            end = stripped
        if done < start:
            parts.append(Found(done, start))
        parts.append(Found(start, end, rule.id))
        done = end
    if done != len(text):
        parts.append(Found(done, len(text)))
    return parts


@lru_cache(maxsize=64)
def matcher(contents: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern that finds any of the contents: leftmost first, then longest.

    >>> matcher(("a", "ab")).findall("abaa")
    ['ab', 'a', 'a']
    """
    # The longest first, because a regular expression takes the first alternative that matches.
    return re.compile("|".join(map(re.escape, sorted(contents, key=len, reverse=True))) if contents else r"(?!)")


def _whitespace_start(text: str, end: int, least: int) -> int:
    while end > least and text[end - 1] in WHITESPACE:
        end -= 1
    return end


def _whitespace_end(text: str, start: int) -> int:
    while start < len(text) and text[start] in WHITESPACE:
        start += 1
    return start


def _is_within_word(text: str, start: int, end: int) -> bool:
    beside = (text[start - 1 : start], text[end : end + 1])
    return any(character and word_character().match(character) for character in beside)
