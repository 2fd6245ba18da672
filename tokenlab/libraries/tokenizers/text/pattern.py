"""Patterns that split or replace: a str, a regular expression, or a rule for single characters.

Adds: `Regex`, a regular expression in Oniguruma's Ruby syntax, which the library uses; `find_matches`, the matches of a
pattern and the text between them.
Leaves out: what happens to the matches (`tokenlab.algorithms.pipeline.split_behavior`).

Source: tokenizers 0.23.3, tokenizers/src/tokenizer/pattern.rs and tokenizers/src/utils/onig.rs.

>>> find_matches("-", "a--b")
[((0, 1), False), ((1, 2), True), ((2, 3), True), ((3, 4), False)]
>>> find_matches(Regex("-+"), "a--b")
[((0, 1), False), ((1, 3), True), ((3, 4), False)]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import regex

from tokenlab.algorithms.pipeline.split_behavior import MarkedSpans
from tokenlab.algorithms.text.alignment import Span
from tokenlab.libraries.tokenizers.components.arguments import Setting, check_text, refuse_surrogates
from tokenlab.libraries.tokenizers.text.oniguruma import translate
from tokenlab.libraries.tokenizers.text.oniguruma_classes import DIFFERENT


class Regex:
    """A regular expression in Oniguruma's Ruby syntax, compiled for the `regex` module.

    >>> Regex(r"\\h+").spans("beef or tofu")
    [(0, 4), (10, 11)]
    """

    __slots__ = ("_exact", "compiled", "pattern")

    def __init__(self, s: str) -> None:
        """Translate and compile the pattern.

        Raises:
            TypeError: it is not a str.
            ValueError: Oniguruma refuses it, or it has a construct that the `regex` module cannot express; the message
                names the construct.
        """
        self.pattern = check_text("s", s)
        self.compiled: regex.Pattern[str] = translate(s)  # right for texts without characters of `DIFFERENT`
        self._exact: regex.Pattern[str] | None = None

    def spans(self, text: str) -> list[Span]:
        """Return the spans of all matches, from left to right; no empty match touches the match before it."""
        compiled = self.compiled_for(text)
        spans = [match.span() for match in compiled.finditer(text)]
        if any(start == end for start, end in spans):
            # subtle: after an empty match at the end of the previous one, Python tries a longer match at that place,
            # and Oniguruma's Rust binding continues at the next character.
            return list(_spans_with_empty(compiled, text))
        return spans

    def compiled_for(self, text: str) -> regex.Pattern[str]:
        """Return the compiled pattern for a text; it is slower for a text with a character of `DIFFERENT`."""
        if text.isascii() or not DIFFERENT.search(text):
            return self.compiled
        self._exact = self._exact or translate(self.pattern, exact=True)
        return self._exact

    def __repr__(self) -> str:
        return f"Regex({self.pattern!r})"


def _spans_with_empty(compiled: regex.Pattern[str], text: str) -> Iterator[Span]:
    position, previous = 0, -1
    while position <= len(text) and (match := compiled.search(text, position)):
        start, end = match.span()
        if start == end == previous:
            position += 1
        else:
            yield start, end
            position = previous = end


Pattern: TypeAlias = str | Regex | Callable[[str], bool]


def check_pattern(pattern: Any) -> str | Regex:
    """Return a str or a Regex; anything else raises a TypeError, also a str with a lone surrogate."""
    if isinstance(pattern, str):
        return refuse_surrogates("pattern", pattern)
    if isinstance(pattern, Regex):
        return pattern
    raise TypeError(f"pattern={pattern!r:.60} should be a str or a tokenizers.Regex, not {type(pattern).__name__}")


def pattern_to_json(pattern: str | Regex) -> dict[str, str]:
    """Return a pattern as tokenizer.json has it.

    >>> pattern_to_json(Regex("a|b"))
    {'Regex': 'a|b'}
    """
    return {"Regex": pattern.pattern} if isinstance(pattern, Regex) else {"String": pattern}


def pattern_from_json(name: str, value: Any) -> str | Regex:
    """Return the pattern that tokenizer.json has; one that is not valid raises a ValueError."""
    match value:
        case {"String": str(text)} if len(value) == 1:
            return check_text(name, text)
        case {"Regex": str(text)} if len(value) == 1:
            return Regex(text)
    raise ValueError(f'{name}={value!r:.60} should be {{"String": "..."}} or {{"Regex": "..."}}')


def pattern_setting() -> Setting[str | Regex]:
    """Return the attribute `_pattern` of a component, which is the field "pattern" of tokenizer.json."""
    return Setting(
        lambda name, value: check_pattern(value),
        "A str or a Regex.",
        field="pattern",
        load=pattern_from_json,
        save=pattern_to_json,
    )


def find_matches(pattern: Pattern, text: str) -> MarkedSpans:
    """Return the matches of a pattern and the parts between them, which cover the text; each with "is it a match?".

    A function is asked for every single character. An empty str matches nothing.

    >>> find_matches(str.isdigit, "a12")
    [((0, 1), False), ((1, 2), True), ((2, 3), True)]
    """
    if not text:
        return [((0, 0), False)]
    parts: MarkedSpans = []
    done = 0
    for start, end in _spans(pattern, text):
        if done != start:
            parts.append(((done, start), False))
        parts.append(((start, end), True))
        done = end
    if done != len(text):
        parts.append(((done, len(text)), False))
    return parts


def _spans(pattern: Pattern, text: str) -> Iterator[Span] | list[Span]:
    if isinstance(pattern, Regex):
        return pattern.spans(text)
    if isinstance(pattern, str):
        return _spans_of_text(pattern, text)
    return ((place, place + 1) for place, character in enumerate(text) if pattern(character))


def _spans_of_text(part: str, text: str) -> Iterator[Span]:
    start = text.find(part) if part else -1
    while start >= 0:
        end = start + len(part)
        yield start, end
        start = text.find(part, end)
