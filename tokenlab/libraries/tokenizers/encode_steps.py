"""The steps of `Tokenizer.encode`: the whole text in parts after every stage of the pipeline, then whole sequences.

Adds: a record for each stage. A `Part` knows where its text is in the normalized text and in the original, and which
original characters each of its characters came from; a `TokenPart` knows the same of a token.
Leaves out: the run that yields these steps; see `encode_in_steps`.

All positions count characters. Normalized positions count over the whole normalized text: all parts after the
normalizers, joined. A pre-tokenizer may remove a part of that text, or change its characters (`ByteLevel`); the span
of a part is then the span of the normalized text that it covers.
"""

from __future__ import annotations

import math
from typing import TypeAlias

from tokenlab.algorithms.text.alignment import Span
from tokenlab.printing.printable import printable
from tokenlab.steps.recording import step


@step
class Part:
    """A part of the text: the characters it has now, and what they came from."""

    text: str
    normalized_span: Span
    original_span: Span
    spans: tuple[Span, ...]  # the original span of every character of `text`
    added_id: int | None = None  # the id of an added token, which later stages leave alone

    def __str__(self) -> str:
        return printable(self.text) if self.added_id is None else f"{printable(self.text)} (id {self.added_id})"


@step
class TokenPart:
    """A token: its id and text, and the spans that it covers."""

    id: int
    text: str
    normalized_span: Span
    original_span: Span
    part: int  # the index of the part of the text, which is the word id of a text that is not pre-tokenized

    def __str__(self) -> str:
        return printable(self.text)


@step
class AddedTokensExtracted:
    """The added tokens of one pass were split off: first those that match the original text, then the normalized."""

    normalized_pass: bool
    parts: tuple[Part, ...]
    sequence: int = 0  # 1 for the second sequence of a pair
    word: int | None = None  # the index of the word in a pre-tokenized sequence; positions count in this word

    def __str__(self) -> str:
        found = [part for part in self.parts if part.added_id is not None]
        where = "normalized" if self.normalized_pass else "original"
        return f"added tokens in the {where} text: {_listed(found) if found else 'none'}"


@step
class Normalized:
    """One normalizer changed the parts that are not added tokens; `rule` is its type."""

    rule: str
    parts: tuple[Part, ...]
    sequence: int = 0
    word: int | None = None

    def __str__(self) -> str:
        return f"{self.rule} gives {_listed(self.parts)}"


@step
class PreTokenized:
    """One pre-tokenizer split the parts that are not added tokens; `rule` is its type."""

    rule: str
    parts: tuple[Part, ...]
    sequence: int = 0
    word: int | None = None

    def __str__(self) -> str:
        return f"{self.rule} splits into {_listed(self.parts)}"


@step
class Tokenized:
    """The model split every part into tokens; `rule` is the model's type."""

    parts: tuple[TokenPart, ...]
    rule: str = ""
    sequence: int = 0
    word: int | None = None

    def __str__(self) -> str:
        return f"{self.rule or 'the model'} gives the tokens {_listed(self.parts)}"


@step
class Truncated:
    """The sequences were truncated: the range of tokens kept of each, and the ranges of the overflowing windows."""

    kept: tuple[Span, ...]
    windows: tuple[tuple[Span, ...], ...]

    def combined(self) -> int:
        """Return the number of overflowing encodings: all windows of one sequence with all of the other, less one.

        >>> Truncated(((0, 4), (0, 1)), (((3, 7), (6, 8)), ((1, 2),))).combined()
        5
        """
        return math.prod(1 + len(windows) for windows in self.windows) - 1

    def __str__(self) -> str:
        kept = " and ".join(f"{start} to {end - 1}" if start < end else "none" for start, end in self.kept)
        number = self.combined()
        return f"kept the tokens {kept}; {number} further {'window' if number == 1 else 'windows'}"


@step
class TemplateApplied:
    """The post-processor joined the sequences and inserted special tokens; `rule` is its type."""

    rule: str
    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    type_ids: tuple[int, ...]
    special_tokens_mask: tuple[int, ...]
    sequences: tuple[int | None, ...]  # the sequence that each token belongs to; None for an inserted token

    def __str__(self) -> str:
        return f"{self.rule} gives {_listed(self.tokens)}"


@step
class Padded:
    """The encoding was padded; the mask is 0 for padding."""

    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    attention_mask: tuple[int, ...]
    direction: str

    def __str__(self) -> str:
        added = self.attention_mask.count(0)
        return f"padded on the {self.direction} with {added} tokens, to {len(self.ids)}"


Step: TypeAlias = AddedTokensExtracted | Normalized | PreTokenized | Tokenized | Truncated | TemplateApplied | Padded

LISTED = 12  # parts that the sentence of a step names


def _listed(parts: tuple[object, ...] | list[Part]) -> str:
    shown = [printable(part) if isinstance(part, str) else str(part) for part in parts[:LISTED]]
    return " | ".join([*shown, *(["..."] if len(parts) > LISTED else [])]) or "nothing"
