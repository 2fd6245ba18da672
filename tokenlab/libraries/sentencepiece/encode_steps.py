"""The steps of `encode` (normalization, segmentation, unknown pieces, ids), and of a round trip.

Adds: steps that only sentencepiece has. The steps of merging are those of `algorithms.bpe.encode_priority_queue`, of
the best path those of `algorithms.unigram.viterbi`, of sampling those of `algorithms.unigram.sample_segmentation`.
A round trip encodes and decodes a text, and reports which characters were lost, and by which rule; it takes the rules
of a model one by one, with which `algorithms.text.normalize` shows them.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from itertools import groupby
from random import Random
from typing import Any, NamedTuple, TypeAlias

from tokenlab.algorithms.text.alignment import AlignedText, Replacement, Span
from tokenlab.algorithms.text.normalization_rules import META_SPACE
from tokenlab.algorithms.text.normalize import RULES, Rule, RuleApplied, named_rules
from tokenlab.algorithms.unigram.lattice import Edge
from tokenlab.algorithms.unigram.sample_segmentation import sample_path
from tokenlab.algorithms.unigram.viterbi import best_path
from tokenlab.libraries.sentencepiece.bpe_model import BpeModel
from tokenlab.libraries.sentencepiece.loaded_model import byte_pieces
from tokenlab.libraries.sentencepiece.model_interface import Model, Segmentation, read_model
from tokenlab.libraries.sentencepiece.model_proto import parse_message
from tokenlab.libraries.sentencepiece.normalizer import Normalizer
from tokenlab.libraries.sentencepiece.unigram_model import UnigramModel
from tokenlab.printing.printable import printable
from tokenlab.steps.recording import step, stepwise


@step
class TextNormalized:
    """The normalized text, and the type of model that segments it."""

    text: str
    model_type: str  # unigram, bpe, word or char
    ranks: dict[Any, int]  # of a bpe model: the rank of each piece that occurs in the text
    edges: tuple[Edge[str], ...]  # of a unigram model: the edges of the lattice

    def __str__(self) -> str:
        return f"{_shown(self.text)} is segmented by the {self.model_type} model"


@step
class Segmented:
    """The text has been segmented; some pieces may be unknown."""

    pieces: tuple[str, ...]
    unknown: tuple[bool, ...]

    def __str__(self) -> str:
        number = "1 piece" if len(self.pieces) == 1 else f"{len(self.pieces)} pieces"
        return f"the text is segmented into {number}: {' '.join(map(printable, self.pieces)) or 'nothing'}"


@step
class ByteFallback:
    """An unknown piece was replaced by the pieces of its bytes."""

    piece: str
    names: tuple[str, ...]

    def __str__(self) -> str:
        return f"{printable(self.piece)} is unknown and becomes its bytes: {' '.join(self.names)}"


@step
class UnknownPiecesMerged:
    """Adjacent unknown pieces were fused into one."""

    pieces: tuple[str, ...]

    def __str__(self) -> str:
        return f"{' '.join(map(printable, self.pieces))} are adjacent unknown pieces and become one piece"


@step
class IdsAssigned:
    """The pieces have their ids."""

    pieces: tuple[str, ...]
    ids: tuple[int, ...]

    def __str__(self) -> str:
        return f"the ids are {' '.join(map(str, self.ids)) or 'none'}"


SegmentSteps: TypeAlias = "Generator[Any, None, Segmentation]"
TYPE_NAMES = {1: "unigram", 2: "bpe", 3: "word", 4: "char"}


class SamplingOptions(NamedTuple):
    """The parameters of sampling: the exponent (or dropout probability) alpha, and the random number generator."""

    alpha: float
    random: Random


def _shown(text: str) -> str:
    return printable(text) or "nothing"


def segment_steps(
    segmenter: Any, model: Model, normalized: str, sampling: SamplingOptions | None = None
) -> SegmentSteps:
    """Segment a normalized text in steps: the best segmentation, or a sampled one."""
    name = TYPE_NAMES[model.type]
    if isinstance(segmenter, UnigramModel):
        lattice = segmenter.lattice(normalized)
        yield TextNormalized(normalized, name, {}, tuple(map(_plain, lattice.edges)))
        steps = sample_path.steps(lattice, *sampling) if sampling else best_path.steps(lattice)
        segmentation = segmenter.from_path((yield from steps))
    elif isinstance(segmenter, BpeModel):
        yield TextNormalized(normalized, name, _ranks_in(normalized, segmenter.ranks), ())
        alpha, random = sampling or (0.0, None)
        segmentation = yield from segmenter.sample.steps(normalized, alpha, random)
    else:
        yield TextNormalized(normalized, name, {}, ())
        segmentation = segmenter.encode(normalized)
    yield Segmented(tuple(segmentation.pieces), tuple(id == model.unknown for id in segmentation.ids))
    return segmentation


def _plain(edge: Edge[str]) -> Edge[str]:
    return Edge(edge.start, edge.end, edge.piece, float(edge.log_prob), edge.known)


def _ranks_in(text: str, ranks: dict[str, int]) -> dict[str, int]:
    longest = max(map(len, ranks), default=0)
    ends = ((start, end) for start in range(len(text)) for end in range(start + 1, min(start + longest, len(text)) + 1))
    return {piece: ranks[piece] for start, end in ends if (piece := text[start:end]) in ranks}


def unknown_piece_steps(segmentation: Segmentation, model: Model) -> Generator[Any, None, None]:
    """Yield the steps that replace or fuse unknown pieces."""
    for unknown, run in groupby(zip(*segmentation, strict=True), key=lambda entry: entry[1] == model.unknown):
        pieces = tuple(piece for piece, _ in run)
        if unknown and model.byte_fallback:
            for piece in pieces:
                yield ByteFallback(piece, tuple(byte_pieces(piece)))
        elif unknown and len(pieces) > 1:
            yield UnknownPiecesMerged(pieces)


@step
class TextEncoded:
    """The pieces of the normalized text, and their ids."""

    pieces: tuple[str, ...]
    ids: tuple[int, ...]

    def __str__(self) -> str:
        return f"segmented into {len(self.pieces)} pieces: {' '.join(map(printable, self.pieces))}"


@step
class LostSpan:
    """Characters of the original that decoding does not restore, and the rule that is the cause."""

    start: int
    text: str
    rule: str

    def __str__(self) -> str:
        return f"{' '.join(map(printable, self.text))} by {self.rule}"


@step
class IdsDecoded:
    """The decoded text, and the lost spans."""

    text: str
    lost: tuple[LostSpan, ...]

    def __str__(self) -> str:
        lost = f"lost: {'; '.join(map(str, self.lost))}" if self.lost else "nothing is lost"
        return f"decoded to {printable(self.text) or 'nothing'}; {lost}"


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


def normalization_rules(processor: Any, text: str) -> list[str | Rule]:
    """Return the rules, in order, with which the model of a processor (ours or the library's) normalizes a text.

    Source: google/sentencepiece, src/normalizer.cc, Normalizer::Normalize.
    """
    serialized = processor.serialized_model_proto()
    model = parse_message("ModelProto", serialized)
    spec, suffix = model.normalizer_spec, model.trainer_spec.treat_whitespace_as_suffix
    table = CharsMapRule(spec, read_model(serialized).user_defined_pattern)
    rules: list[str | Rule] = [table] if table else []
    if spec.remove_extra_whitespaces:
        rules.append("remove extra spaces")
    is_kept = table.has_content(text)
    if spec.add_dummy_prefix and not suffix:
        # subtle: with remove_extra_whitespaces, a text that is removed entirely loses its prefix, but not its suffix.
        is_kept = is_kept and not spec.remove_extra_whitespaces
        rules.append(KeptSpace("add dummy prefix") if is_kept else "add dummy prefix")
    if spec.escape_whitespaces:
        rules.append("escape spaces")
        if spec.remove_extra_whitespaces and not table.replaces(META_SPACE):
            rules.append("trim ▁")
    if spec.add_dummy_prefix and suffix:
        rules.append(KeptSpace("add dummy suffix") if is_kept else "add dummy suffix")
    return rules


class KeptSpace:
    """A rule that adds a prefix or suffix, even to a text that the rules before it have removed entirely."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __call__(self, text: str) -> Iterator[Replacement]:
        """Yield the addition."""
        for added in RULES[self.__name__](text or "a"):
            yield Replacement(added.start if text else 0, "", added.new)


class CharsMapRule:
    """The replacements of a model as a rule; user-defined symbols are not changed."""

    def __init__(self, spec: Any, symbols: Any) -> None:
        self._normalizer = Normalizer(spec, user_defined_pattern=symbols)
        self.__name__ = spec.name or "replacements"

    def __call__(self, text: str) -> Iterator[Replacement]:
        """Yield the replacements, from left to right."""
        return (Replacement(*part) for part in self._normalizer.replacements(text) if part.old != part.new)

    def __bool__(self) -> bool:
        return self._normalizer.map is not None

    def has_content(self, text: str) -> bool:
        """Whether the model normalizes the text at all: it is not empty, and not all of it is removed as spaces."""
        return bool(self._normalizer.normalize_with_offsets(text).origins)

    def replaces(self, text: str) -> bool:
        """Whether the table has a replacement for a character."""
        return next(self(text), None) is not None
