"""What of a text comes back when it is encoded and decoded again, and what was lost on the way, by which rule.

Adds: a text through normalization, pieces, ids and back, as steps, and a cause for every character that is lost.
Leaves out: how the pieces are found, which is the processor's work.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from tokenlab.algorithms.align import Aligned, Change, Span
from tokenlab.algorithms.normalize import Normalized, named
from tokenlab.algorithms.normalize_spaces import META_SPACE
from tokenlab.sentencepiece.named_rules import rules_of
from tokenlab.steps import step, stepwise
from tokenlab.visible import visible


@step
class Encoded:
    """The normalized text was cut into pieces, and each has an id."""

    pieces: tuple[str, ...]
    ids: tuple[int, ...]

    def __str__(self) -> str:
        """Say which pieces."""
        return f"cut into {len(self.pieces)} pieces: {' '.join(map(visible, self.pieces))}"


@step
class Lost:
    """Characters of the original that do not come back as they were, and the rule that is the cause."""

    start: int
    text: str
    rule: str

    def __str__(self) -> str:
        """Say which, and why."""
        return f"{' '.join(map(visible, self.text))} by {self.rule}"


@step
class Decoded:
    """The ids were decoded again."""

    text: str
    lost: tuple[Lost, ...]

    def __str__(self) -> str:
        """Say what came back, and what did not."""
        gone = f"lost: {'; '.join(map(str, self.lost))}" if self.lost else "nothing is lost"
        return f"back comes {visible(self.text) or 'nothing'}; {gone}"


# The rules for blanks that decoding undoes: the blank in front goes again, and ▁ becomes a blank.
UNDONE = ("add dummy prefix", "add dummy suffix", "escape spaces")


@stepwise
def round_trip(text: str, processor: Any) -> Generator[Normalized | Encoded | Decoded, None, str]:
    """The text that comes back from `decode(encode(text))`.

    Args:
        text: what goes in.
        processor: a sentencepiece processor, ours or the library's.
    """
    aligned, lost = Aligned.start(text), [""] * len(text)
    for name, rule in named(rules_of(processor)):
        changes = tuple(rule(aligned.text))
        if name not in UNDONE:
            _mark(lost, (_changed(change, aligned) for change in changes), name)
        elif name == "escape spaces":
            _mark(lost, _typed_meta_spaces(aligned), "decoding, which makes a blank of it")
        aligned = aligned.changed(changes)
        yield Normalized(name, changes)
    pieces, ids = tuple(processor.encode(text, out_type=str)), tuple(processor.encode(text))
    yield Encoded(pieces, ids)
    _mark(lost, _unknown(pieces, ids, aligned, processor.unk_id()), "the vocabulary, which has no piece for it")
    back = str(processor.decode(list(ids)))
    yield Decoded(back, tuple(_runs(text, lost)))
    return back


def _mark(lost: list[str], spans: Any, cause: str) -> None:
    """Note the cause for the characters in these spans, unless they have one."""
    for start, end in spans:
        for place in range(start, end):
            lost[place] = lost[place] or cause


def _changed(change: Change, aligned: Aligned) -> Span:
    return aligned.span(change.start, change.start + len(change.old))


def _typed_meta_spaces(aligned: Aligned) -> list[Span]:
    return [span for character, span in zip(aligned.text, aligned.spans, strict=True) if character == META_SPACE]


def _unknown(pieces: Sequence[str], ids: Sequence[int], aligned: Aligned, unknown: int) -> list[Span]:
    spans, start = [], 0
    for piece, id in zip(pieces, ids, strict=True):
        if id == unknown:
            spans.append(aligned.span(start, start + len(piece)))
        start += len(piece)
    return spans


def _runs(text: str, lost: Sequence[str]) -> Generator[Lost, None, None]:
    """The characters that were lost, in runs with the same cause."""
    start = 0
    for place in range(1, len(text) + 1):
        if place == len(text) or lost[place] != lost[start]:
            if lost[start]:
                yield Lost(start, text[start:place], lost[start])
            start = place
