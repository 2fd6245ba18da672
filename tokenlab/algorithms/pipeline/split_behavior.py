"""Splitting a text at delimiters: the five behaviours say what happens to each delimiter.

Adds: `split_by_behavior`, the rule on spans; `split_text`, the same with a regular expression, step by step.
Leaves out: the alignment with the original text (`tokenlab.libraries.tokenizers.NormalizedString.split`).

A pattern divides a text into matches, the delimiters, and the text between them. "removed" drops the delimiters,
"isolated" keeps each as a part, and the other three merge neighbours.
Source: tokenizers 0.23.3, tokenizers/src/tokenizer/normalizer.rs, NormalizedString::split.

>>> for behavior in BEHAVIORS:
...     print(f"{behavior:20}", split_text("the-final--countdown", "-", behavior))
removed              ['the', 'final', 'countdown']
isolated             ['the', '-', 'final', '-', '-', 'countdown']
merged_with_previous ['the-', 'final-', '-', 'countdown']
merged_with_next     ['the', '-final', '-', '-countdown']
contiguous           ['the', '-', 'final', '--', 'countdown']
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import TypeAlias

from tokenlab.algorithms.text.alignment import Span
from tokenlab.printing.errors import lookup
from tokenlab.printing.printable import Parts, SymbolPart
from tokenlab.steps.recording import step, stepwise

MarkedSpans: TypeAlias = list[
    tuple[Span, bool]
]  # parts that cover a text; is it a delimiter, or, in a result, removed?

# Are two neighbours merged? The arguments: is the left one a delimiter, is the right one?
_MERGED: dict[str, Callable[[bool, bool], bool]] = {
    "removed": lambda left, right: False,
    "isolated": lambda left, right: False,
    # subtle: of several delimiters in a row, only the first has text on its left, and only the last on its right.
    "merged_with_previous": lambda left, right: right and not left,
    "merged_with_next": lambda left, right: left and not right,
    "contiguous": lambda left, right: left == right,
}

BEHAVIORS: tuple[str, ...] = tuple(_MERGED)


def split_by_behavior(matches: MarkedSpans, behavior: str) -> MarkedSpans:
    """Return the parts of a text after its delimiters are treated as the behaviour says, each with "is it removed?".

    `matches` covers the text from left to right: spans, each with True for a delimiter.

    Raises:
        ValueError: there is no behaviour of this name.

    >>> split_by_behavior([((0, 3), False), ((3, 4), True), ((4, 9), False)], "merged_with_next")
    [((0, 3), False), ((3, 9), False)]
    """
    merged = lookup("behavior", behavior, _MERGED)
    if behavior == "removed":
        return list(matches)
    if behavior == "isolated":
        return [(span, False) for span, _ in matches]
    parts: list[Span] = []
    left = False
    for (start, end), right in matches:
        if parts and merged(left, right):
            start = parts.pop()[0]
        parts.append((start, end))
        left = right
    return [(span, False) for span in parts]


@step
class SplitPart:
    """A delimiter or the text between two delimiters: where it starts, and what happens to it.

    `result` is the part of the result that ends with it: longer if it was merged with the one before it, and empty if
    it was removed.
    """

    start: int
    text: str
    delimiter: bool
    result: str

    def sentence(self) -> Parts:
        """Say what happens to the delimiter or the text."""
        what = "delimiter" if self.delimiter else "text"
        if not self.text and not self.result:
            return [f"the empty {what} makes no part"]
        shown: Parts = [f"the {what} ", SymbolPart(self.text, "new" if self.delimiter else "")]
        if not self.result:
            return [*shown, " is removed"]
        if self.result == self.text:
            return [*shown, " begins a new part"]
        return [*shown, " is merged with the previous part: ", SymbolPart(self.result)]

    def apply(self, parts: list[str]) -> None:
        """Append the result to the parts so far, or replace the last one if it was merged."""
        if len(self.result) > len(self.text):
            parts[-1:] = [self.result]
        elif self.result:
            parts.append(self.result)


@stepwise
def split_text(text: str, pattern: str, behavior: str, invert: bool = False) -> Generator[SplitPart, None, list[str]]:
    """Return the parts of a text, split at the matches of a regular expression; empty parts are left out.

    With `invert`, the matches are the text, and everything between them is a delimiter.

    Raises:
        ValueError: there is no behaviour of this name, or the pattern is not a regular expression.

    >>> print(split_text.record("a, b", r"[ ,]", "merged_with_previous"))
    1. the text a begins a new part
    2. the delimiter , is merged with the previous part: a,
    3. the delimiter ␣ begins a new part
    4. the text b begins a new part
    >>> split_text("a, b", r"[a-z]", "removed", invert=True)
    ['a', 'b']
    """
    merged = lookup("behavior", behavior, _MERGED)
    parts: list[str] = []
    left = False
    for (start, end), match in _matches(text, pattern):
        right = match != invert
        part = text[start:end]
        if right and behavior == "removed":
            yield SplitPart(start, part, True, "")
        else:
            parts.append((parts.pop() if parts and merged(left, right) else "") + part)
            yield SplitPart(start, part, right, parts[-1])
        left = right
    return [part for part in parts if part]


def _matches(text: str, pattern: str) -> Iterator[tuple[Span, bool]]:
    import regex  # here, because a program without patterns should not need it

    try:
        compiled = regex.compile(pattern)
    except regex.error as error:
        raise ValueError(f"pattern={pattern!r:.80} is not a regular expression: {error}") from None
    done = position = 0
    previous = -1  # the end of the previous match
    while position <= len(text) and (match := compiled.search(text, position)):
        start, end = match.span()
        # subtle: an empty match just after another match is not one; the search goes on at the next character.
        if start == end == previous:
            position += 1
        else:
            if done < start:
                yield (done, start), False
            yield (start, end), True
            done = position = previous = end
    if done < len(text):
        yield (done, len(text)), False
