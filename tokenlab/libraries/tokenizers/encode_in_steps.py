"""`Tokenizer.encode` step by step: the whole text in parts after every stage of the pipeline, then whole sequences.

Adds: a record for each stage, and the run that yields them. Every component does its own work, so the result is that
of `Tokenizer.encode`; here it is only looked at between the stages. A `Part` knows where its text is in the normalized
text and in the original, and which original characters each of its characters came from; a `TokenPart` knows the same
of a token.

All positions count characters. Normalized positions count over the whole normalized text: all parts after the
normalizers, joined. A pre-tokenizer may remove a part of that text, or change its characters (`ByteLevel`); the span
of a part is then the span of the normalized text that it covers.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from tokenlab.algorithms.text.alignment import Span
from tokenlab.libraries.tokenizers.added_vocabulary import normalize_as_far_as_possible
from tokenlab.libraries.tokenizers.components.arguments import Input
from tokenlab.libraries.tokenizers.components.sequence import members
from tokenlab.libraries.tokenizers.encoder import Encoder
from tokenlab.libraries.tokenizers.encoding import Encoding
from tokenlab.libraries.tokenizers.pipeline import Pipeline, encoding_of
from tokenlab.libraries.tokenizers.text.normalized_string import NormalizedString
from tokenlab.libraries.tokenizers.text.pre_tokenized_string import PreTokenizedString, Split, token_columns
from tokenlab.printing.printable import NAMED, Parts, SymbolPart, count_noun, symbol_parts
from tokenlab.steps.recording import step

if TYPE_CHECKING:
    from tokenlab.libraries.tokenizers.tokenizer import Tokenizer

CHANGES = 3  # changes of a normalizer that its sentence names
LONGEST_COMPARED = 500  # characters of a text whose changes are named


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
        kept = "later stages do not change the added tokens found so far: "
        return [f"the {where} text was searched; {kept}", *_listed(found)]


@step
class Normalized:
    """One normalizer changed the parts that are not added tokens; `rule` is its type."""

    rule: str
    before: str  # the text of all parts before this normalizer
    parts: tuple[Part, ...]
    sequence: int = 0
    word: int | None = None

    @property
    def text(self) -> str:
        """The text of all parts."""
        return "".join(part.text for part in self.parts)

    def sentence(self) -> Parts:
        """Name the parts and the changes."""
        return [f"{self.rule} gives ", *_listed(self.parts), "; ", *self.changes()]

    def changes(self) -> Parts:
        """Name the first changes; of a long text, its number of characters."""
        before, after = self.before, self.text
        if before == after:
            return ["nothing changes in this text"]
        if len(before) + len(after) > 2 * LONGEST_COMPARED:
            return [f"the text now has {count_noun(len(after), 'character')}"]
        opcodes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        changes = dict.fromkeys((kind, before[i:j], after[k:n]) for kind, i, j, k, n in opcodes if kind != "equal")
        said: Parts = []
        for kind, old, new in [*changes][:CHANGES]:
            ways: dict[str, Parts] = {
                "replace": [SymbolPart(old), " becomes ", SymbolPart(new)],
                "delete": [SymbolPart(old), " is removed"],
                "insert": [SymbolPart(new), " is inserted"],
            }
            said += [", " if said else "", *ways[kind]]
        return [*said, f", and {len(changes) - CHANGES} more" if len(changes) > CHANGES else ""]


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
        combined = ", which combine the windows of both texts" if len(self.kept) > 1 and self.combined() else ""
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
        if all(self.attention_mask):
            return [f"no padding token is needed: {count_noun(len(self.ids), 'token')} are enough"]
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


def encode_in_steps(
    tokenizer: Tokenizer, first: Input, second: Input | None, add_special_tokens: bool
) -> Generator[Step, None, Encoding]:
    """Yield every stage of `Tokenizer.encode`, and return the encoding."""
    encoder = tokenizer._encoder()
    encodings = []
    for number, sequence in enumerate([first] if second is None else [first, second]):
        runs = []
        for word, text in [(None, sequence)] if isinstance(sequence, str) else enumerate(sequence):
            runs.append((word, (yield from _text_in_steps(encoder.pipeline, text, number, word))))
        encodings.append(encoding_of(runs, type_id=number))
    if encoder.truncation is not None:
        yield _truncated(encoder, encodings, add_special_tokens)
    encoding = encoder.post_process(encodings, add_special_tokens)
    if encoder.processor is not None:
        yield TemplateApplied(
            type(encoder.processor).__name__,
            tuple(encoding.ids),
            tuple(encoding.tokens),
            tuple(encoding.type_ids),
            tuple(encoding.special_tokens_mask),
            tuple(encoding.sequence_ids),
        )
    (encoding,) = tokenizer._padded([encoding])
    if tokenizer._padding is not None:
        direction = tokenizer._padding.direction
        yield Padded(tuple(encoding.ids), tuple(encoding.tokens), tuple(encoding.attention_mask), direction)
    return encoding


def _text_in_steps(
    pipeline: Pipeline, text: str, sequence: int, word: int | None
) -> Generator[Step, None, PreTokenizedString]:
    parts = PreTokenizedString(text)
    pipeline.patterns.extract(parts, normalized_pass=False)
    yield AddedTokensExtracted(False, _parts(parts), sequence, word)
    failed: set[int] = set()  # an exception ends the normalization of a part, as in the library
    for normalizer in members(pipeline.normalizer):
        before = "".join(split.normalized.normalized for split in parts.splits)
        for place, split in enumerate(parts.splits):
            if split.tokens is not None or place in failed:
                continue
            if not normalize_as_far_as_possible(normalizer, split.normalized):
                failed.add(place)
        yield Normalized(type(normalizer).__name__, before, _parts(parts), sequence, word)
    places = _Places(parts)
    pipeline.patterns.extract(parts, normalized_pass=True)
    yield AddedTokensExtracted(True, places.parts(parts), sequence, word)
    for pre_tokenizer in members(pipeline.pre_tokenizer):
        pre_tokenizer.pre_tokenize(parts)
        yield PreTokenized(type(pre_tokenizer).__name__, places.parts(parts), sequence, word)
    located = places.parts(parts)
    pipeline.tokenize(parts)
    tokens = tuple(places.tokens(parts, located))
    yield Tokenized(tokens, type(pipeline.model).__name__, sequence, word)
    return parts


def _truncated(encoder: Encoder, encodings: Sequence[Encoding], add_special_tokens: bool) -> Truncated:
    """Return the ranges that truncation keeps: it is run on encodings whose ids are the positions."""
    probes = [Encoding.of_ids(range(len(encoding))) for encoding in encodings]
    found = encoder.truncated(probes, add_special_tokens)
    windows = tuple(tuple(_range(window.ids) for window in encoding.overflowing) for encoding in found)
    return Truncated(tuple(_range(encoding.ids) for encoding in found), windows)


def _range(ids: Sequence[int]) -> Span:
    return (ids[0], ids[-1] + 1) if ids else (0, 0)


# --- places ---------------------------------------------------------------------------------------


def _spans(text: NormalizedString) -> tuple[Span, ...]:
    """Return the span of the whole original for every character."""
    shift = text.original_shift
    return tuple((start + shift, end + shift) for start, end in text.alignments)


def _part(split: Split, normalized_span: Span) -> Part:
    text = split.normalized
    added = split.tokens[0].id if split.tokens else None
    return Part(text.normalized, normalized_span, text.offsets_original(), _spans(text), added)


def _parts(parts: PreTokenizedString) -> tuple[Part, ...]:
    """Return the parts, which are the whole normalized text."""
    found = []
    end = 0
    for split in parts.splits:
        start, end = end, end + len(split.normalized.normalized)
        found.append(_part(split, (start, end)))
    return tuple(found)


class _Places:
    """The normalized text as it was before the pre-tokenizers, to find the places of later parts in it."""

    def __init__(self, parts: PreTokenizedString) -> None:
        self.text = "".join(split.normalized.normalized for split in parts.splits)
        self.spans = tuple(span for split in parts.splits for span in _spans(split.normalized))
        self.starts, self.ends = [start for start, _ in self.spans], [end for _, end in self.spans]
        self.is_ordered = self.starts == sorted(self.starts) and self.ends == sorted(self.ends)

    def parts(self, parts: PreTokenizedString) -> tuple[Part, ...]:
        """Return the parts with their places."""
        located = []
        end = 0
        for split in parts.splits:
            start, end = self.find(split.normalized.normalized, _spans(split.normalized), end)
            located.append(_part(split, (start, end)))
        return tuple(located)

    def find(self, text: str, spans: tuple[Span, ...], done: int) -> Span:
        """Return the place of a part, which usually is after `done`."""
        for first in (done, 0):
            start = self.text.find(text, first)
            while start >= 0:
                if self.spans[start : start + len(text)] == spans:
                    return start, start + len(text)
                start = self.text.find(text, start + 1)
        # The pre-tokenizer changed the text: take the characters from the same part of the original.
        return self.covered(spans, done)

    def covered(self, spans: Iterable[Span], done: int) -> Span:
        """Return the span of the characters that come from the same part of the original."""
        starts, ends = zip(*spans, strict=True) if spans else ((0,), (0,))
        first, last = min(starts), max(ends)
        if self.is_ordered:
            begin, end = bisect_right(self.ends, first), bisect_left(self.starts, last)
            return (begin, end) if begin < end else (done, done)
        found = [place for place, (start, end) in enumerate(self.spans) if start < last and end > first]
        return (found[0], found[-1] + 1) if found else (done, done)

    def tokens(self, parts: PreTokenizedString, located: Sequence[Part]) -> Iterator[TokenPart]:
        """Yield the tokens of all parts with their places."""
        for number, (split, part) in enumerate(zip(parts.splits, located, strict=True)):
            _, originals, _ = token_columns([split], original=parts.original)
            start, end = part.normalized_span
            unchanged = self.text[start:end] == part.text
            for token, original in zip(split.tokens or (), originals, strict=True):
                first, last = _characters(part.text, token.offsets)
                place = (start + first, start + last)
                if not unchanged:
                    place = self.covered(part.spans[first:last], start)
                yield TokenPart(token.id, token.value, place, original, number)


def _characters(text: str, offsets: Span) -> Span:
    """Return a span of UTF-8 bytes as the span of the characters that they are part of."""
    start, end = offsets
    data = text.encode()
    first = len(data[:start].decode(errors="ignore"))
    # The characters up to the end, with the one that ends later.
    last = first + len(data[len(text[:first].encode()) : end].decode(errors="replace"))
    return first, min(last, len(text))
