"""Round trip: encode and decode a text, and report which characters were lost, and by which rule.

Adds: normalization, pieces, ids and decoding as steps, and a cause for every lost character.
Leaves out: segmentation, which the processor does.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from tokenlab.algorithms.text.alignment import AlignedText, Replacement, Span
from tokenlab.algorithms.text.normalize import RuleApplied, named_rules
from tokenlab.algorithms.text.normalize_whitespace import META_SPACE
from tokenlab.libraries.sentencepiece.normalization.text_normalizer import normalization_rules
from tokenlab.printing.printable import NAMED, Parts, SymbolPart, count_noun, symbol_parts
from tokenlab.steps.recording import step, stepwise


@step
class TextEncoded:
    """The pieces of the normalized text, and their ids."""

    pieces: tuple[str, ...]
    ids: tuple[int, ...]

    def sentence(self) -> Parts:
        """Name the pieces."""
        number = count_noun(len(self.pieces), "piece")
        return [f"the text was segmented into {number}: ", *symbol_parts(self.pieces, most=NAMED)]


@step
class LostSpan:
    """Characters of the original that decoding does not restore, and the rule that is the cause."""

    start: int
    text: str
    rule: str

    def sentence(self) -> Parts:
        """Name the characters and the cause."""
        return [*symbol_parts(self.text, "unknown"), f" by {self.rule}"]


@step
class IdsDecoded:
    """The decoded text, and the lost spans."""

    text: str
    lost: tuple[LostSpan, ...]

    def sentence(self) -> Parts:
        """Name the text and the lost characters."""
        decoded: Parts = ["the ids were decoded to ", SymbolPart(self.text) if self.text else "nothing"]
        if not self.lost:
            return [*decoded, ": every character was restored"]
        lost: Parts = [part for span in self.lost[:NAMED] for part in ("; ", *span.sentence())][1:]
        more = f"; and {len(self.lost) - NAMED} more" if len(self.lost) > NAMED else ""
        return [*decoded, f"; {count_noun(sum(len(span.text) for span in self.lost), 'character')} lost: ", *lost, more]


# The rules that decoding reverses: it removes the added space, and replaces ▁ by a space.
REVERSED_RULES = ("add dummy prefix", "add dummy suffix", "escape spaces")


@stepwise
def round_trip(text: str, processor: Any) -> Generator[RuleApplied | TextEncoded | IdsDecoded, None, str]:
    """Return `decode(encode(text))`.

    Args:
        text: the text to encode.
        processor: a sentencepiece processor, ours or the library's.
    """
    aligned, lost = AlignedText.identity(text), [""] * len(text)
    for name, rule in named_rules(normalization_rules(processor, text)):
        changes = tuple(rule(aligned.text))
        if name not in REVERSED_RULES:
            _mark_cause(lost, (_changed(change, aligned) for change in changes), name)
        elif name == "escape spaces":
            _mark_cause(lost, _typed_meta_spaces(aligned), "decoding, which replaces it by a space")
        elif name == "add dummy suffix" and aligned.text.startswith(META_SPACE):
            _mark_cause(lost, aligned.spans[:1], "decoding, which removes a first space")
        aligned = aligned.apply(changes)
        yield RuleApplied(name, changes)
    pieces, ids = tuple(processor.encode(text, out_type=str)), tuple(processor.encode(text))
    yield TextEncoded(pieces, ids)
    _mark_cause(lost, _unknown(pieces, ids, aligned, processor.unk_id()), "the vocabulary, which has no piece for it")
    decoded = str(processor.decode(list(ids)))
    yield IdsDecoded(decoded, tuple(_runs(text, lost)))
    return decoded


def _mark_cause(lost: list[str], spans: Any, cause: str) -> None:
    """Set the cause of the characters in these spans, unless they have one."""
    for start, end in spans:
        for position in range(start, end):
            lost[position] = lost[position] or cause


def _changed(change: Replacement, aligned: AlignedText) -> Span:
    return aligned.span(change.start, change.start + len(change.old))


def _typed_meta_spaces(aligned: AlignedText) -> list[Span]:
    return [span for character, span in zip(aligned.text, aligned.spans, strict=True) if character == META_SPACE]


def _unknown(pieces: Sequence[str], ids: Sequence[int], aligned: AlignedText, unknown: int) -> list[Span]:
    spans, start = [], 0
    for piece, id in zip(pieces, ids, strict=True):
        if id == unknown:
            spans.append(aligned.span(start, start + len(piece)))
        start += len(piece)
    return spans


def _runs(text: str, lost: Sequence[str]) -> Generator[LostSpan, None, None]:
    """Yield the lost characters, in runs with the same cause."""
    start = 0
    for position in range(1, len(text) + 1):
        if position == len(text) or lost[position] != lost[start]:
            if lost[start]:
                yield LostSpan(start, text[start:position], lost[start])
            start = position
