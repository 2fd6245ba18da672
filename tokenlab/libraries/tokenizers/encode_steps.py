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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from tokenlab.libraries.tokenizers.spans import Span
from tokenlab.printing.printable import NAMED, Parts, SymbolPart, count_noun, symbol_parts
from tokenlab.steps.recording import step


@step
class Part:
    """A part of the text: the characters it has now, and what they came from."""

    text: str
    normalized_span: Span
    original_span: Span
    spans: tuple[Span, ...]  # the original span of every character of `text`
    added_id: int | None = None  # the id of an added token, which later stages leave alone

    def sentence(self) -> Parts:
        """Name the text; of an added token, also the id."""
        return [SymbolPart(self.text), "" if self.added_id is None else f" (id {self.added_id})"]


@step
class TokenPart:
    """A token: its id and text, and the spans that it covers."""

    id: int
    text: str
    normalized_span: Span
    original_span: Span
    part: int  # the index of the part of the text, which is the word id of a text that is not pre-tokenized

    def sentence(self) -> Parts:
        """Name the text."""
        return [SymbolPart(self.text)]


@step
class AddedTokensExtracted:
    """The added tokens of one pass were split off: first those that match the original text, then the normalized."""

    normalized_pass: bool
    parts: tuple[Part, ...]
    sequence: int = 0  # 1 for the second sequence of a pair
    word: int | None = None  # the index of the word in a pre-tokenized sequence; positions count in this word

    def sentence(self) -> Parts:
        """Name all added tokens so far."""
        found = [part for part in self.parts if part.added_id is not None]
        where = "normalized" if self.normalized_pass else "original"
        if not found:
            return [f"no added token is found in the {where} text"]
        return [f"added tokens after the search in the {where} text, which later stages leave alone: ", *_listed(found)]


@step
class Normalized:
    """One normalizer changed the parts that are not added tokens; `rule` is its type."""

    rule: str
    parts: tuple[Part, ...]
    sequence: int = 0
    word: int | None = None

    def sentence(self) -> Parts:
        """Name the parts."""
        return [f"{self.rule} gives ", *_listed(self.parts)]


@step
class PreTokenized:
    """One pre-tokenizer split the parts that are not added tokens; `rule` is its type."""

    rule: str
    parts: tuple[Part, ...]
    sequence: int = 0
    word: int | None = None

    def sentence(self) -> Parts:
        """Name the parts."""
        number = count_noun(len(self.parts), "pre-token")
        return [f"{self.rule} splits the text into {number}, whose boundaries no token crosses: ", *_listed(self.parts)]


@step
class Tokenized:
    """The model split every part into tokens; `rule` is the model's type."""

    parts: tuple[TokenPart, ...]
    rule: str = ""
    sequence: int = 0
    word: int | None = None

    def sentence(self) -> Parts:
        """Name the tokens."""
        return [f"{self.rule or 'the model'} gives {count_noun(len(self.parts), 'token')}: ", *_listed(self.parts)]

    def apply(self, progress: EncodingProgress) -> None:
        """Append the tokens to those of the sequence."""
        tokens = [OutputToken(part.text, part, self.sequence, self.word) for part in self.parts]
        progress.tokens.setdefault(self.sequence, []).extend(tokens)
        progress.join()


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

    def sentence(self) -> Parts:
        """Name the ranges of tokens that are kept, and the number of overflowing windows of the encoding."""
        names = [f" of text {number}" if len(self.kept) > 1 else "" for number in range(1, len(self.kept) + 1)]
        kept = " and ".join(f"{start}–{end}{name}" for (start, end), name in zip(self.kept, names, strict=True))
        combined = ", all of one text with all of the other" if len(self.kept) > 1 and self.combined() else ""
        windows = f"the encoding has {count_noun(self.combined(), 'overflowing window')}{combined}"
        return [f"the tokens {kept} are kept (the end is exclusive); {windows}"]

    def apply(self, progress: EncodingProgress) -> None:
        """Keep a range of the tokens of each sequence."""
        for sequence, (start, end) in enumerate(self.kept):
            progress.tokens[sequence] = progress.tokens.get(sequence, [])[max(start, 0) : max(end, 0)]
        progress.join()


@step
class TemplateApplied:
    """The post-processor joined the sequences and inserted special tokens; `rule` is its type."""

    rule: str
    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    type_ids: tuple[int, ...]
    special_tokens_mask: tuple[int, ...]
    sequences: tuple[int | None, ...]  # the sequence that each token belongs to; None for an inserted token

    def sentence(self) -> Parts:
        """Name the tokens, and say how many were inserted."""
        special = count_noun(self.sequences.count(None), "special token")
        tokens = symbol_parts(self.tokens, most=NAMED)
        return [f"{self.rule} inserts {special}, with the offsets (0, 0): ", *tokens]

    def apply(self, progress: EncodingProgress) -> None:
        """Take the next token of its sequence for each token that was not inserted."""
        left: dict[int | None, Iterator[OutputToken]] = {at: iter(tokens) for at, tokens in progress.tokens.items()}
        sources = [next(left.get(sequence, iter(())), None) for sequence in self.sequences]
        progress.output = [source or OutputToken(token) for token, source in zip(self.tokens, sources, strict=True)]


@step
class Padded:
    """The encoding was padded; the mask is 0 for padding."""

    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    attention_mask: tuple[int, ...]
    direction: str

    def sentence(self) -> Parts:
        """Say how many tokens were added, and where."""
        added = count_noun(self.attention_mask.count(0), "padding token")
        return [f"{added} on the {self.direction}, of {len(self.ids)} in all; the attention mask is 0 there"]

    def apply(self, progress: EncodingProgress) -> None:
        """Add the padding on its side."""
        padding = [OutputToken(token) for token, kept in zip(self.tokens, self.attention_mask, strict=True) if not kept]
        output = progress.output
        progress.output = [*padding, *output] if self.direction == "left" else [*output, *padding]


class OutputToken(NamedTuple):
    """A token of the output; unless it was inserted, also the token of the model, its sequence and its word."""

    text: str
    part: TokenPart | None = None
    sequence: int = 0
    word: int | None = None


@dataclass
class EncodingProgress:
    """What the stages after pre-tokenization are applied to: the tokens of each sequence, and those of the output."""

    tokens: dict[int, list[OutputToken]] = field(default_factory=dict)
    output: list[OutputToken] = field(default_factory=list)

    def join(self) -> None:
        """Make the output the tokens of all sequences."""
        self.output = [token for tokens in self.tokens.values() for token in tokens]


Step: TypeAlias = AddedTokensExtracted | Normalized | PreTokenized | Tokenized | Truncated | TemplateApplied | Padded


def _listed(parts: Sequence[Part | TokenPart]) -> Parts:
    shown: Parts = [said for part in parts[:NAMED] for said in (" ", *part.sentence())]
    more = f" … and {len(parts) - NAMED} more" if len(parts) > NAMED else ""
    return [*shown[1:], more] if shown else ["nothing"]
