"""SentencePiece from the text that was typed to ids: what was changed, how it was cut, what became of the unknown.

Cutting is drawn as elsewhere: symbols with ranks for a bpe model, the lattice for a unigram model.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tokenlab.algorithms.align import Change, rewrite
from tokenlab.algorithms.bpe_encode import Joined
from tokenlab.algorithms.bpe_start import join
from tokenlab.algorithms.lattice import Edge, Lattice
from tokenlab.algorithms.sampling import Drawn
from tokenlab.algorithms.viterbi import FollowedBack, Reached
from tokenlab.misconceptions.sentencepiece import keep_spaces, no_nfkc, no_resegment
from tokenlab.sentencepiece.core import SentencePieceProcessor
from tokenlab.sentencepiece.watched import (
    Frozen,
    InBytes,
    Numbered,
    Ready,
    RunTogether,
    Segmented,
    Stretch,
    TakenApart,
)
from tokenlab.show.frames import Frame, Html, Option, Panel, Question, Window, chip, chips, text, view
from tokenlab.show.views.bpe_encoding import candidates, guesses, merged, tokens, which_pair
from tokenlab.show.views.lattice_drawing import lattice_panel
from tokenlab.show.views.sentences import sentences
from tokenlab.show.views.unigram_segmenting import Table, ask, reached
from tokenlab.steps import Recording
from tokenlab.visible import visible

LONGEST = 240  # characters or pieces that are shown at the most
CUTTING = 2  # questions about merges or about positions of the lattice, at the most


@dataclass
class _State:
    """What is known after some steps."""

    typed: str
    changes: list[Change] = field(default_factory=list)
    ready: Ready | None = None
    symbols: tuple[str, ...] = ()  # of the stretch that is merged
    table: Table | None = None  # of the lattice
    path: list[Edge] = field(default_factory=list)  # that was drawn
    pieces: list[tuple[str, bool]] = field(default_factory=list)  # each, and whether it is unknown
    spelled: int = 0  # how many of the pieces are done with
    ids: tuple[int, ...] = ()

    def take(self, step: Any) -> None:
        match step:
            case Change():
                self.changes.append(step)
            case Ready():
                self.ready = step
                self.table = Table(_lattice(step)) if step.edges else None
            case Stretch():
                self.symbols = tuple(step.text)
            case Joined():
                self.symbols = _joined(self.symbols, step)
            case Drawn() if self.table:
                self.path.append(self.table.edge(step.start, step.end))
            case Segmented():
                self.pieces = list(zip(step.pieces, step.unknown, strict=True))
            case InBytes():
                place = self._find(step.piece)
                self.pieces[place : place + 1] = [(name, False) for name in step.names]
            case RunTogether():
                place = self._run(step.pieces)
                self.pieces[place : place + len(step.pieces)] = [("".join(step.pieces), True)]
                self.spelled = place + 1
            case Numbered():
                self.pieces = [(piece, unknown) for piece, (_, unknown) in zip(step.pieces, self.pieces, strict=True)]
                self.ids = step.ids
        if self.table and isinstance(step, Reached | FollowedBack):
            self.table.after([step])

    def _find(self, piece: str) -> int:
        return self.pieces.index((piece, True))

    def _run(self, pieces: tuple[str, ...]) -> int:
        """Where unknown pieces stand side by side that have not run together yet."""
        wanted = [(piece, True) for piece in pieces]
        return next(i for i in range(self.spelled, len(self.pieces)) if self.pieces[i : i + len(wanted)] == wanted)


def _lattice(ready: Ready) -> Lattice:
    edges: list[list[Edge]] = [[] for _ in range(len(ready.text) + 1)]
    for edge in ready.edges:
        edges[edge.start].append(edge)
    return Lattice(ready.text, edges)


def _joined(symbols: tuple[str, ...], step: Joined) -> tuple[str, ...]:
    place = before = 0
    while before < step.at:
        before += len(symbols[place])
        place += 1
    return (*symbols[:place], str(join(step.pair)), *symbols[place + 2 :])


@view(SentencePieceProcessor.Encode)
def sentencepiece_encoding(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame for the text as it was typed, and one for each step."""
    typed = recording.arguments["input"]
    if not isinstance(typed, str):  # a list of texts, or bytes
        yield from sentences(recording, window)
        return
    state, asked = _State(typed), _Asked()
    for number in range(window.end + 1):
        done = recording[number - 1] if number else None
        following = recording[number] if number < len(recording) else None
        state.take(done)
        question = asked.about(recording, state, number, following) if number > window.first else None
        if number >= window.first:
            yield _frame(state, done, following, question)


def _frame(state: _State, done: Any, following: Any, question: Question | None) -> Frame:
    if isinstance(done, Reached) and state.table:
        shown = reached(state.table, done)
        return Frame(shown.moment, shown.caption, shown.remark, shown.panels, question)
    moment, caption = _said(state, done)
    return Frame(moment, caption, panels=tuple(_panels(state, done, following)), question=question)


def _said(state: _State, done: Any) -> tuple[str, Html]:
    """The moment, and what happened."""
    match done:
        case None:
            return "As typed", "This is the text as it was typed. The model will not see it like this."
        case Change():
            return "Normalizing", _changed(done)
        case Ready(type=type):
            return "Normalized", f"This is what the {text(type)} model cuts; the text that was typed is not used again."
        case Stretch():
            return "Cutting", "Every character is a symbol. Which two neighbours are joined first?"
        case Joined():
            return "Cutting", merged(done)
        case Frozen(piece=piece):
            return "Cutting", f"{chip(piece, 'new')} is a user-defined symbol: nothing is joined with it."
        case FollowedBack(piece=piece, start=start, end=end):
            return "Cutting", f"From {end}, the best last piece is {chip(piece, 'new')}: back to {start}."
        case TakenApart(piece=piece, parts=parts):
            return "Cutting", f"{chip(piece)} is unused, and taken apart into what it was made of: {chips(parts)}."
        case Segmented(pieces=pieces):
            return "Cut", f"The text is cut into {_count(len(pieces))}."
        case InBytes(piece=piece, names=names):
            return "Unknown", f"{chip(piece, 'unknown')} is in no vocabulary, and becomes its bytes: {chips(names)}."
        case RunTogether(pieces=pieces):
            one = chip("".join(pieces), "unknown")
            return "Unknown", f"Unknown pieces side by side become one: {chips(pieces)} is {one}."
        case Numbered(ids=ids):
            return "Ids", f"Each piece has its id: {_count(len(ids), 'id')}."
    return "Cutting", f"{text(str(done))}."


def _changed(change: Change) -> Html:
    if not change.old:
        where, which = ("behind", "last") if change.start else ("in front", "first")
        return f"{chip(change.new, 'new')} was put {where}, so that the {which} word looks like all others."
    if not change.new:
        return f"{chip(change.old)} was taken away."
    return f"{chip(change.old)} became {chip(change.new, 'new')}."


def _count(number: int, what: str = "piece") -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


# --- panels ---------------------------------------------------------------------------------------


def _panels(state: _State, done: Any, following: Any) -> Iterator[Panel]:
    yield Panel("The text", tuple(_texts(state, done)), kind="words", wide=True)
    if isinstance(done, Stretch | Joined) and state.ready:
        ranks = state.ready.ranks
        here, last = (step if isinstance(step, Joined) else None for step in (following, done))
        row = tokens(state.symbols, ranks, last, here)
        yield Panel("The symbols, and the rank of every two neighbours", row, wide=True)
        yield Panel("Pairs that can be joined, best first", candidates(state.symbols, ranks), hides=True)
    if isinstance(done, FollowedBack | Drawn) and state.table:
        yield _way(state, state.table)
    if state.pieces:
        title = "The pieces and their ids" if state.ids else "The pieces; dashed, what is in no vocabulary"
        yield Panel(title, tuple(_pieces(state)), wide=True)


def _way(state: _State, table: Table) -> Panel:
    marks = table.marks() | dict.fromkeys(state.path, "path")
    return lattice_panel("The lattice: thickest, the way that is taken", table.lattice, marks, table.beneath())


def _texts(state: _State, done: Any) -> Iterator[Html]:
    """The text as it was typed, the place that was changed last marked, and what it is by now."""
    now = done if isinstance(done, Change) else None
    yield _row("typed", _marked(state.typed, now.start, now.old) if now else _plain(state.typed))
    if state.changes:
        whole = rewrite(state.typed, state.changes)
        place = len(rewrite(state.typed[: now.start], state.changes[:-1])) if now else 0
        name = "normalized" if state.ready else "so far"
        yield _row(name, _marked(whole, place, now.new, "new") if now else _plain(whole))


def _row(name: str, content: Html) -> Html:
    return f"<li><span>{text(name)}</span> <div style=align-items:baseline>{content}</div>"


def _plain(shown: str) -> Html:
    return f"<code>{text(visible(shown[:LONGEST]))}</code>{' …' if len(shown) > LONGEST else ''}" if shown else ""


def _marked(whole: str, place: int, part: str, mark: Any = "left") -> Html:
    """A text in which a part is a chip."""
    if place > LONGEST:
        return _plain(whole)
    here = chip(part, mark) if part else "<b class=unknown>∅</b>"
    return " ".join(filter(None, [_plain(whole[:place]), here, _plain(whole[place + len(part) :])]))


def _pieces(state: _State) -> Iterator[Html]:
    shown = state.pieces[:LONGEST]
    ids = [f" <small>{id:,}</small>" for id in state.ids] or [""] * len(shown)
    cells = [chip(piece, "unknown" if unknown else "") + id for (piece, unknown), id in zip(shown, ids, strict=False)]
    more = f" … and {len(state.pieces) - LONGEST:,} more" if len(state.pieces) > LONGEST else ""
    yield f"<li class=tl-ranks>{' '.join(cells)}{more}"


# --- questions ------------------------------------------------------------------------------------


class _Asked:
    """Which questions were asked: one about the text, one about an unused piece, two about cutting."""

    def __init__(self) -> None:
        self.cutting: list[int] = []
        self.apart = False

    def about(self, recording: Recording[Any, Any], state: _State, number: int, following: Any) -> Question | None:
        """What is asked before the step that follows; None where nothing is."""
        if number == 1 and isinstance(following, Change):
            return _which_text(recording)
        if isinstance(following, TakenApart) and not self.apart:
            self.apart = True
            return _which_pieces(following)
        if len(self.cutting) == CUTTING or (self.cutting and number - self.cutting[-1] == 1):
            return None
        question = _which_cut(state, recording[number - 1], following)
        if question:
            self.cutting.append(number)
        return question


def _which_cut(state: _State, done: Any, following: Any) -> Question | None:
    """Which pair, or which last piece? Not before one was seen, and not where all rules agree."""
    if isinstance(done, Joined) and isinstance(following, Joined) and state.ready:
        wrong = {pair for _, pair in guesses(state.symbols, state.ready.ranks)} - {following.pair}
        return which_pair(state.symbols, state.ready.ranks, following) if wrong else None
    if not (isinstance(done, Reached) and isinstance(following, Reached) and following.ties == 1 and state.table):
        return None
    if any(edge.log_prob > 0 for edge in state.table.lattice.edges):
        return None  # the bonus of a user-defined symbol is no logarithm of a probability
    question = ask(state.table, following)
    return question if len(question.options) > 1 else None


def _which_text(recording: Recording[Any, Any]) -> Question | None:
    """Which text is cut? Who thinks that all comes back (27) leaves characters, or blanks, as they are."""
    typed = recording.arguments["input"]
    changes = [step for step in recording if isinstance(step, Change)]
    ready = next(step for step in recording if isinstance(step, Ready))
    replaced = [change for change in changes if change.old.strip(" ") and change.new]
    gone = [change for change in changes if change.old == " " and not change.new]
    why = "Characters are replaced and blanks run together before anything is cut."
    options = {ready.text: Option(chip(ready.text), why, right=True)}
    table = {change.old: change.new for change in replaced}
    if replaced:
        reason = f"{_count(len(replaced), 'place')} had a character that is replaced, and no decoding brings it back."
        fact = ("replaced", typed, len(replaced))
        wrong = no_nfkc(typed, table)
        options.setdefault(wrong, Option(chip(wrong), reason, belief=27, facts=(fact,)))
    if gone:
        reason = f"{_count(len(gone), 'blank')} too many: they are taken away, and no decoding brings them back."
        wrong = keep_spaces(typed, table)
        options.setdefault(wrong, Option(chip(wrong), reason, belief=27, facts=(("gone", typed, len(gone)),)))
    return Question("Which text will be cut?", tuple(options.values())).shuffled() if len(options) > 1 else None


def _which_pieces(following: TakenApart) -> Question:
    """What becomes of an unused piece? Who thinks that it simply appears (28) gives it as it is."""
    kept = no_resegment([following.piece], {}, [following.piece])
    why = f"The piece is in the model, but no text may be encoded to it: it becomes the {len(following.parts)} parts."
    facts = (("parts", following.piece, len(following.parts)),)
    return Question(
        f"Merging has made {chip(following.piece)}, which is unused. What comes out?",
        (
            Option(chips(following.parts), why, right=True, facts=facts),
            Option(chips(kept), why, belief=28, facts=facts),
        ),
    ).shuffled()
