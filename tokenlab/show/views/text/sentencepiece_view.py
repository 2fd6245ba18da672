"""View of SentencePiece encoding: normalization, segmentation, unknown pieces, and ids.

Segmentation is shown as in the views of BPE (symbols with ranks) and of Unigram (the lattice).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenlab.algorithms.bpe.encode import PairMerged
from tokenlab.algorithms.text.alignment import Replacement, apply_replacements
from tokenlab.algorithms.unigram.sample_segmentation import PieceSampled
from tokenlab.algorithms.unigram.viterbi import Backtracked, BestPathFound
from tokenlab.libraries.sentencepiece.bpe_model import PieceResegmented, SegmentStarted
from tokenlab.libraries.sentencepiece.encode_steps import (
    ByteFallback,
    EncodingProgress,
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
MOMENTS: dict[type, str] = {  # all other steps are of the segmentation
    type(None): "As typed",
    Replacement: "Normalizing",
    TextNormalized: "Normalized",
    Segmented: "Segmented",
    ByteFallback: "Unknown",
    UnknownPiecesMerged: "Unknown",
    IdsAssigned: "Ids",
}


def sentencepiece_encoding(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Show a frame for the typed text, and one for each step."""
    typed = recording.arguments["input"]
    if not isinstance(typed, str):  # a list of texts, or bytes
        yield from step_list_view(recording, window)
        return
    state, asked = EncodingProgress(typed), _Asked()
    for number, done, following in StepRange(0, window.end).steps_around(recording):
        state.take(done)
        question = asked.about(recording, state, number, following) if number > window.first else None
        if number >= window.first:
            yield _frame(state, done, following, question)


def _frame(state: EncodingProgress, done: Any, following: Any, question: Question | None) -> Frame:
    if isinstance(done, BestPathFound) and state.table:
        shown = viterbi_frame(state.table, done)
        return Frame(shown.moment, shown.caption, shown.remark, shown.panels, question)
    caption = sentence(done) if done else "This is the typed text. The model receives a normalized text instead."
    remark = ""
    if isinstance(done, Replacement) and not done.old:
        remark = f"So the {'last' if done.start else 'first'} word looks like all others."
    moment = MOMENTS.get(type(done), "Segmenting")
    return Frame(moment, caption, remark, tuple(_panels(state, done, following)), question)


# --- panels ---------------------------------------------------------------------------------------


def _panels(state: EncodingProgress, done: Any, following: Any) -> Iterator[Panel]:
    yield Panel("The text", tuple(_texts(state, done)), kind="words", wide=True)
    if isinstance(done, SegmentStarted | PairMerged) and state.ready:
        ranks = state.ready.ranks
        here, last = (step if isinstance(step, PairMerged) else None for step in (following, done))
        row = tokens(state.symbols, ranks, last, here)
        yield Panel("The symbols, and the rank of every adjacent pair", row, wide=True)
        yield Panel("Pairs that can be merged, best first", candidates(state.symbols, ranks), hides=True)
    if isinstance(done, Backtracked | PieceSampled) and state.table and state.sampled:
        marks = arc_marks(state.table) | dict.fromkeys(state.sampled.drawn, "path")
        title = "The lattice (thickest: the path that is taken)"
        yield lattice_panel(title, state.table.lattice, marks, position_labels(state.table))
    if state.pieces:
        title = "The pieces and their ids" if state.ids else "The pieces (dashed: not in the vocabulary)"
        yield Panel(title, tuple(_pieces(state)), wide=True)


def _texts(state: EncodingProgress, done: Any) -> Iterator[Html]:
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


def _pieces(state: EncodingProgress) -> Iterator[Html]:
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

    def about(
        self, recording: Recording[Any, Any], state: EncodingProgress, number: int, following: Any
    ) -> Question | None:
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


def _segmentation_question(state: EncodingProgress, done: Any, following: Any) -> Question | None:
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
