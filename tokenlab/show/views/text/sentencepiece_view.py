"""View of SentencePiece encoding: normalization, segmentation, unknown pieces, and ids.

Segmentation is shown as in the views of BPE (symbols with ranks) and of Unigram (the lattice).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tokenlab.algorithms.bpe.encode import PairMerged
from tokenlab.algorithms.text.alignment import Replacement, apply_replacements
from tokenlab.algorithms.text.count_words import Word
from tokenlab.algorithms.unigram.lattice import Edge, Lattice
from tokenlab.algorithms.unigram.sample_segmentation import PieceSampled
from tokenlab.algorithms.unigram.viterbi import Backtracked, BestPathFound, ViterbiTable
from tokenlab.libraries.sentencepiece.bpe_model import PieceResegmented, SegmentStarted, UserDefinedSymbol
from tokenlab.libraries.sentencepiece.encode_steps import (
    ByteFallback,
    IdsAssigned,
    Segmented,
    TextNormalized,
    UnknownPiecesMerged,
)
from tokenlab.misconceptions.sentencepiece import keep_spaces, no_nfkc, no_resegment
from tokenlab.printing.printable import count_noun
from tokenlab.show.frames import (
    Fact,
    Frame,
    Html,
    Mark,
    Option,
    Panel,
    Question,
    StepRange,
    chip,
    chips,
    sentence,
    text,
    unbroken,
)
from tokenlab.show.views.bpe.encoding_view import (
    candidates,
    misconception_pairs,
    tokens,
    which_pair,
)
from tokenlab.show.views.elements.questions import ask
from tokenlab.show.views.elements.step_list_view import step_list_view
from tokenlab.show.views.text.text_rows import LONGEST, code_with_chips, text_row
from tokenlab.show.views.unigram.lattice_drawing import lattice_panel
from tokenlab.show.views.unigram.viterbi_view import arc_marks, last_piece_question, position_labels, viterbi_frame
from tokenlab.steps.recording import Recording

SEGMENTATION_QUESTIONS = 2  # maximum number of questions about merges or about positions of the lattice


@dataclass
class _State:
    """The state of the encoding after some steps."""

    typed: str
    changes: list[Replacement] = field(default_factory=list)
    ready: TextNormalized | None = None
    symbols: Word = ()  # of the segment that is being merged
    table: ViterbiTable[str] | None = None  # of the lattice
    path: list[Edge[str]] = field(default_factory=list)  # the sampled path
    pieces: list[tuple[str, bool]] = field(default_factory=list)  # each piece, and whether it is unknown
    processed: int = 0  # number of pieces after byte fallback and fusing
    ids: tuple[int, ...] = ()

    def take(self, step: Any) -> None:
        match step:
            case Replacement():
                self.changes.append(step)
            case TextNormalized():
                self.ready = step
                self.table = ViterbiTable(_lattice(step)) if step.edges else None
            case SegmentStarted():
                self.symbols = tuple(step.text)
            case PairMerged():
                self.symbols = step.apply(self.symbols)
            case PieceSampled() if self.table:
                self.path.append(self.table.edge(step.start, step.end))
            case Segmented():
                self.pieces = list(zip(step.pieces, step.unknown, strict=True))
            case ByteFallback():
                place = self._find(step.piece)
                self.pieces[place : place + 1] = [(name, False) for name in step.names]
            case UnknownPiecesMerged():
                place = self._run(step.pieces)
                self.pieces[place : place + len(step.pieces)] = [("".join(step.pieces), True)]
                self.processed = place + 1
            case IdsAssigned():
                self.pieces = [(piece, unknown) for piece, (_, unknown) in zip(step.pieces, self.pieces, strict=True)]
                self.ids = step.ids
        if self.table and isinstance(step, BestPathFound | Backtracked):
            step.apply(self.table)

    def _find(self, piece: str) -> int:
        return self.pieces.index((piece, True))

    def _run(self, pieces: tuple[str, ...]) -> int:
        """Return the index of a run of unknown pieces that has not been fused yet."""
        run = [(piece, True) for piece in pieces]
        return next(i for i in range(self.processed, len(self.pieces)) if self.pieces[i : i + len(run)] == run)


def _lattice(ready: TextNormalized) -> Lattice[str]:
    edges: list[list[Edge[str]]] = [[] for _ in range(len(ready.text) + 1)]
    for edge in ready.edges:
        edges[edge.start].append(edge)
    return Lattice(ready.text, edges)


def sentencepiece_encoding(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Show a frame for the typed text, and one for each step."""
    typed = recording.arguments["input"]
    if not isinstance(typed, str):  # a list of texts, or bytes
        yield from step_list_view(recording, window)
        return
    state, asked = _State(typed), _Asked()
    for number, done, following in StepRange(0, window.end).steps_around(recording):
        state.take(done)
        question = asked.about(recording, state, number, following) if number > window.first else None
        if number >= window.first:
            yield _frame(state, done, following, question)


def _frame(state: _State, done: Any, following: Any, question: Question | None) -> Frame:
    if isinstance(done, BestPathFound) and state.table:
        shown = viterbi_frame(state.table, done)
        return Frame(shown.moment, shown.caption, shown.remark, shown.panels, question)
    moment, caption = _said(state, done)
    return Frame(moment, caption, panels=tuple(_panels(state, done, following)), question=question)


def _said(state: _State, done: Any) -> tuple[str, Html]:
    """Return the moment and the caption."""
    match done:
        case None:
            return "As typed", "This is the typed text. The model receives a normalized text instead."
        case Replacement():
            return "Normalizing", _changed(done)
        case TextNormalized(model_type=model_type):
            said = f"This is the text that the {text(model_type)} model segments; the typed text is not used again."
            return "Normalized", said
        case SegmentStarted():
            return "Segmenting", "Every character is a symbol. Which adjacent pair is merged first?"
        case PairMerged() | Backtracked():
            return "Segmenting", sentence(done)
        case UserDefinedSymbol(piece=piece):
            return "Segmenting", f"{chip(piece, 'new')} is a user-defined symbol: nothing is merged with it."
        case PieceResegmented(piece=piece, parts=parts):
            said = f"{chip(piece)} is unused and is split into the parts it was merged from: {chips(parts)}."
            return "Segmenting", said
        case Segmented(pieces=pieces):
            return "Segmented", f"The text is segmented into {count_noun(len(pieces), 'piece')}."
        case ByteFallback(piece=piece, names=names):
            said = f"{chip(piece, 'unknown')} is not in the vocabulary and becomes its bytes: {chips(names)}."
            return "Unknown", said
        case UnknownPiecesMerged(pieces=pieces):
            one = chip("".join(pieces), "unknown")
            return "Unknown", f"Adjacent unknown pieces are fused: {chips(pieces)} become {one}."
        case IdsAssigned(ids=ids):
            return "Ids", f"Each piece has its id: {count_noun(len(ids), 'id')}."
    return "Segmenting", f"{text(str(done))}."


def _changed(change: Replacement) -> Html:
    if not change.old:
        where, which = ("at the end", "last") if change.start else ("in front", "first")
        return f"{chip(change.new, 'new')} was added {where}, so that the {which} word looks like all others."
    if not change.new:
        return f"{chip(change.old)} was removed."
    return f"{chip(change.old)} became {chip(change.new, 'new')}."


# --- panels ---------------------------------------------------------------------------------------


def _panels(state: _State, done: Any, following: Any) -> Iterator[Panel]:
    yield Panel("The text", tuple(_texts(state, done)), kind="words", wide=True)
    if isinstance(done, SegmentStarted | PairMerged) and state.ready:
        ranks = state.ready.ranks
        here, last = (step if isinstance(step, PairMerged) else None for step in (following, done))
        row = tokens(state.symbols, ranks, last, here)
        yield Panel("The symbols, and the rank of every adjacent pair", row, wide=True)
        yield Panel("Pairs that can be merged, best first", candidates(state.symbols, ranks), hides=True)
    if isinstance(done, Backtracked | PieceSampled) and state.table:
        yield _way(state, state.table)
    if state.pieces:
        title = "The pieces and their ids" if state.ids else "The pieces (dashed: not in the vocabulary)"
        yield Panel(title, tuple(_pieces(state)), wide=True)


def _way(state: _State, table: ViterbiTable[str]) -> Panel:
    marks = arc_marks(table) | dict.fromkeys(state.path, "path")
    title = "The lattice (thickest: the path that is taken)"
    return lattice_panel(title, table.lattice, marks, position_labels(table))


def _texts(state: _State, done: Any) -> Iterator[Html]:
    """Yield the typed text, with the last change marked, and the current text."""
    now = done if isinstance(done, Replacement) else None
    marked: list[tuple[int, str, str, Mark]]
    marked = [(now.start, now.old, now.old, "left")] if now else []
    yield text_row("typed", code_with_chips(state.typed, marked))
    if state.changes:
        whole = apply_replacements(state.typed, state.changes)
        place = len(apply_replacements(state.typed[: now.start], state.changes[:-1])) if now else 0
        marked = [(place, now.new, now.new, "new")] if now else []
        yield text_row("normalized" if state.ready else "so far", code_with_chips(whole, marked))


def _pieces(state: _State) -> Iterator[Html]:
    shown = state.pieces[:LONGEST]
    ids = [f" <small>{id:,}</small>" for id in state.ids] or [""] * len(shown)
    cells = [chip(piece, "unknown" if unknown else "") + id for (piece, unknown), id in zip(shown, ids, strict=False)]
    more = f" … and {len(state.pieces) - LONGEST:,} more" if len(state.pieces) > LONGEST else ""
    yield f"<li class=tl-ranks>{' '.join(map(unbroken, cells))}{more}"


# --- questions ------------------------------------------------------------------------------------


class _Asked:
    """The questions asked so far: one about the text, one about an unused piece, two about segmentation."""

    def __init__(self) -> None:
        self.segmentation: list[int] = []
        self.resegmentation = False

    def about(self, recording: Recording[Any, Any], state: _State, number: int, following: Any) -> Question | None:
        """Return the question before the next step, or None."""
        if number == 1 and isinstance(following, Replacement):
            return _which_text(recording)
        if isinstance(following, PieceResegmented) and not self.resegmentation:
            self.resegmentation = True
            return _which_pieces(following)
        asked = self.segmentation
        if len(asked) == SEGMENTATION_QUESTIONS or (asked and number - asked[-1] == 1):
            return None
        question = _segmentation_question(state, recording[number - 1], following)
        if question:
            asked.append(number)
        return question


def _segmentation_question(state: _State, done: Any, following: Any) -> Question | None:
    """Ask for the next pair or last piece, not before the first one, and only if a misconception differs."""
    if isinstance(done, PairMerged) and isinstance(following, PairMerged) and state.ready:
        wrong = {pair for _, pair in misconception_pairs(state.symbols, state.ready.ranks)} - {following.pair}
        return which_pair(state.symbols, state.ready.ranks, following) if wrong else None
    between = isinstance(done, BestPathFound) and isinstance(following, BestPathFound) and following.ties == 1
    if not between or not state.table or any(edge.log_prob > 0 for edge in state.table.lattice.edges):
        return None  # the bonus of a user-defined symbol is not a log probability
    return last_piece_question(state.table, following)


def _which_text(recording: Recording[Any, Any]) -> Question | None:
    """Ask for the normalized text; misconception 27 (decoding restores everything) keeps characters or spaces."""
    typed = recording.arguments["input"]
    changes = [step for step in recording if isinstance(step, Replacement)]
    ready = next(step for step in recording if isinstance(step, TextNormalized))
    replaced = [change for change in changes if change.old.strip(" ") and change.new]
    gone = [change for change in changes if change.old == " " and not change.new]
    table = {change.old: change.new for change in replaced}
    wrong = []
    if replaced:
        positions = count_noun(len(replaced), "position")
        reason = f"{positions} had a character that is replaced; decoding cannot restore it."
        facts: tuple[Fact, ...] = (("replaced", typed, len(replaced)),)
        wrong.append(Option(chip(no_nfkc(typed, table)), reason, misconception=27, facts=facts))
    if gone:
        reason = f"Extra spaces that are removed: {len(gone)}. Decoding cannot restore them."
        facts = (("gone", typed, len(gone)),)
        wrong.append(Option(chip(keep_spaces(typed, table)), reason, misconception=27, facts=facts))
    first = changes[0]
    given = (code_with_chips(typed, [(first.start, first.old, first.old, "")] if first.old else []),)
    why = "Characters are replaced and runs of spaces collapsed before segmentation."
    return ask("Which text is segmented?", (chip(ready.text), why), *wrong, given=given)


def _which_pieces(following: PieceResegmented) -> Question | None:
    """Ask what an unused piece becomes; misconception 28 keeps it."""
    kept, parts = no_resegment([following.piece], {}, [following.piece]), following.parts
    return ask(
        f"Merging {chips(parts)} has produced {chip(following.piece)}, which is unused. Which pieces are returned?",
        (
            chips(parts),
            f"The piece is in the model, but no text may be encoded to it: it becomes its {len(parts)} parts.",
        ),
        (28, chips(kept), ""),
        given=(chips(parts), f"{chip(following.piece)}, which is unused"),
        facts=(("parts", following.piece, len(parts)),),
    )
