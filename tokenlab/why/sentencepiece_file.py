"""Explain a model of `tokenlab.libraries.sentencepiece`: what normalization changed, and each normalized word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import accumulate
from typing import Any

from tokenlab.algorithms.bpe.encode import PairMerged
from tokenlab.algorithms.text.alignment import Replacement
from tokenlab.algorithms.unigram.lattice import Lattice
from tokenlab.libraries.sentencepiece import SentencePieceProcessor
from tokenlab.libraries.sentencepiece.bpe_model import PieceResegmented, SegmentStarted, UserDefinedSymbol
from tokenlab.libraries.sentencepiece.encode_steps import (
    TYPE_NAMES,
    ByteFallback,
    Segmented,
    TextNormalized,
    UnknownPiecesMerged,
)
from tokenlab.libraries.sentencepiece.loaded_model import align_surfaces, apply_byte_fallback
from tokenlab.libraries.sentencepiece.model_interface import BYTE_PIECES, WORDS, Segmentation
from tokenlab.libraries.sentencepiece.model_proto import BYTE, USER_DEFINED
from tokenlab.libraries.sentencepiece.normalizer import Normalized
from tokenlab.libraries.sentencepiece.unigram_model import UnigramModel
from tokenlab.printing.printable import as_text, printable, readable
from tokenlab.steps.recording import Recording
from tokenlab.why.explanation import Explainer, Explanation, Lines, Made, Span, Stage, TokenRow, Word
from tokenlab.why.segmentations import best_path_steps, log_probs, segmentation_lines, two_best_paths

CHANGES = 200  # replacements that are listed


class SentencePieceExplainer(Explainer):
    """Explains a `SentencePieceProcessor`.

    >>> from tokenlab import data
    >>> processor = SentencePieceProcessor(model_file=str(data.t5_tiny() / "spiece.model"))
    >>> [row.token for row in SentencePieceExplainer(processor).explain("The dog").tokens]
    ['▁The', '▁dog']
    """

    def __init__(self, processor: SentencePieceProcessor) -> None:
        self.processor = processor
        self.loaded = processor._ready()
        self.model = self.loaded.model
        kind = TYPE_NAMES[self.model.type]
        self.summary = f"sentencepiece model, {kind}, {len(self.model.pieces):,} pieces"

    def explain(self, text: str) -> Explanation:
        """Return the explanation of a text."""
        recording: Recording[Any, Any] = self.processor.encode.record(text)
        normalized = self.loaded.normalizer.normalize_with_offsets(text)
        pieces = next(step.pieces for step in recording if isinstance(step, Segmented))
        rows = tuple(self._rows(text, normalized, pieces))
        return Explanation(
            text, rows, tuple(_stages(recording)), tuple(self._words(recording, normalized, pieces)), recording
        )

    def _rows(self, text: str, normalized: Normalized, pieces: Sequence[str]) -> Iterator[TokenRow]:
        model = self.model
        for found in align_surfaces(text, normalized, self._with_ids(pieces), model):
            note = ""
            if model.is_unknown(found.id):
                note = "unknown"
            elif model.kinds[found.id] == BYTE:
                note = "byte fallback"
            elif model.kinds[found.id] == USER_DEFINED:
                note = "user-defined symbol"
            yield TokenRow(found.id, printable(found.piece), (found.begin, found.end), note)

    def _words(self, recording: Recording[Any, Any], normalized: Normalized, pieces: Sequence[str]) -> Iterator[Word]:
        """Yield the words of the normalized text; all of it is one word if pieces may cross the start of a word."""
        text = normalized.text
        if self.model.pieces_stay_within_words:
            spans = [match.span() for match in WORDS.finditer(text)]
        else:
            spans = [(0, len(text))] if text else []
        starts = [*accumulate(map(len, pieces), initial=0)]
        place = 0
        for start, end in spans:
            its = []
            while place < len(pieces) and starts[place] < end:
                its.append(pieces[place])
                place += 1
            original = normalized.origins[start], normalized.origins[end]
            explain = partial(self._said, recording, text, (start, end), its)
            # Unknown pieces of adjacent words are fused as well; the stage "Unknown" says so.
            whole = apply_byte_fallback(self._with_ids(its), self.model)
            made = partial(self._made, recording, text, start, its)
            yield Word(text[start:end], original, tuple(map(printable, whole.pieces)), explain, made=made)

    def _with_ids(self, pieces: Sequence[str]) -> Segmentation:
        return Segmentation([*pieces], [self.model.ids.get(piece, self.model.unknown) for piece in pieces])

    def _said(self, recording: Recording[Any, Any], text: str, span: Span, pieces: Sequence[str]) -> Lines:
        word = text[slice(*span)]
        segmenter = self.loaded.segmenter
        if isinstance(segmenter, UnigramModel):
            lattice = segmenter.lattice(word)
            plain = Lattice(word, lattice.edges_from)
            lines = [*segmentation_lines(plain, pieces, self.model.ids)]
        else:
            lines = [*_merges(recording, span)]
            name = TYPE_NAMES[self.model.type]
            lines = lines or [f"the {name} model gives the pieces: {' '.join(map(printable, pieces))}"]
        for step in recording:
            if isinstance(step, ByteFallback) and step.piece in pieces and str(step) not in lines:
                lines.append(str(step))
        unknown = [piece for piece in pieces if piece not in self.model.ids]
        if unknown and not self.model.byte_fallback:
            lines.append(f"not in the vocabulary: {' '.join(map(printable, unknown))}")
        return lines

    def _made(self, recording: Recording[Any, Any], text: str, first: int, pieces: Sequence[str], token: int) -> Made:
        """Return the steps that made a token of the word that begins at `first` and consists of these pieces."""
        # subtle: the bytes of an unknown piece are several tokens, with the steps of this piece.
        sizes = [len(apply_byte_fallback(self._with_ids([piece]), self.model).pieces) for piece in pieces]
        number = next(n for n, end in enumerate(accumulate(sizes)) if token < end)
        start = sum(map(len, pieces[:number]))
        end = start + len(pieces[number])
        segmenter = self.loaded.segmenter
        if isinstance(segmenter, UnigramModel):
            word = "".join(pieces)
            if known := log_probs(segmenter.lattice(word), self.model.ids):
                found = two_best_paths(word, known, segmenter.unknown_score)
                return Made(found, best_path_steps(found, end))
            return Made(steps=best_path_steps(recording, first + end))
        return Made(steps=[*_steps_within(recording, (first + start, first + end))])

    # --- ids --------------------------------------------------------------------------------------

    def token_of(self, id: int) -> str | None:
        """Return the piece of an id."""
        return self.model.pieces[id] if 0 <= id < len(self.model.pieces) else None

    def bytes_of(self, id: int) -> bytes | None:
        """Return the byte of a byte piece; the text of another piece depends on its place."""
        return bytes([BYTE_PIECES[self.model.pieces[id]]]) if self.model.kinds[id] == BYTE else None

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of ids."""
        return str(self.processor.decode(list(ids)))


def _merges(recording: Recording[Any, Any], span: Span) -> Iterator[str]:
    """Yield the merges within a span of the normalized text; positions count in the segment."""
    return (str(recording[number]) for number in _steps_within(recording, span))


def _steps_within(recording: Recording[Any, Any], span: Span) -> Iterator[int]:
    """Yield the indices of the steps of BPE within a span of the normalized text."""
    segment = 0
    for number, step in enumerate(recording):
        match step:
            case SegmentStarted(start=start):
                segment = start
            case PairMerged(at=at) if span[0] <= segment + at < span[1]:
                yield number
            case UserDefinedSymbol(start=start) if span[0] <= start < span[1]:
                yield number
            case PieceResegmented(piece=piece) if (
                piece in next(one.text for one in recording if isinstance(one, TextNormalized))[slice(*span)]
            ):
                yield number


def _stages(recording: Recording[Any, Any]) -> Iterator[Stage]:
    """Yield a stage for normalization, with each change once, and one for each kind of unknown piece."""
    changes = [readable(as_text(step.change())) for step in recording if isinstance(step, Replacement)]
    for said, number in Counter(changes[:CHANGES]).items():
        yield Stage("Normalizer", f"{said}." if number == 1 else f"{said}. ({number} times)")
    if len(changes) > CHANGES:
        yield Stage("Normalizer", f"{len(changes) - CHANGES:,} more changes are not listed.")
    for step in recording:
        match step:
            case TextNormalized(text=text, model_type=name):
                yield Stage("Normalized", f"The {name} model segments this text.", (printable(text),))
            case Segmented(pieces=pieces):
                yield Stage("Segmented", f"Pieces: {len(pieces)}.", tuple(map(printable, pieces)))
            case ByteFallback() | UnknownPiecesMerged():
                yield Stage("Unknown", f"{step}.")
