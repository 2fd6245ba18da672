"""Views of Viterbi on the lattice, with backtracking, and of the n-best search, with its agenda."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp
from typing import Any

from tokenlab.algorithms.unigram.lattice import Edge, Lattice, build_lattice, count_segmentations
from tokenlab.algorithms.unigram.n_best import AgendaPopped, SegmentationFound
from tokenlab.algorithms.unigram.viterbi import Backtracked, BestPathFound
from tokenlab.misconceptions.unigram_segmenting import min_tokens_viterbi
from tokenlab.show.frames import (
    OTHER,
    Fact,
    Frame,
    Html,
    Option,
    Panel,
    Question,
    StepRange,
    bar,
    chip,
    chips,
    text,
)
from tokenlab.show.views.elements.questions import ask, questions_apart
from tokenlab.show.views.elements.rows import labelled
from tokenlab.show.views.elements.step_list_view import step_list_view
from tokenlab.show.views.unigram.lattice_drawing import LONGEST, Mark, lattice_panel
from tokenlab.steps.recording import Recording

QUESTIONS, OPTIONS, POSITIONS, PATHS = 3, 4, 12, 8  # maximum numbers


@dataclass
class ViterbiTable:
    """The state of Viterbi after some steps: the best path to each position, and the backtrace so far."""

    lattice: Lattice[Any]
    scores: dict[int, float] = field(default_factory=lambda: {0: 0.0})
    last: dict[int, Edge[Any]] = field(default_factory=dict)
    backtrace: list[Edge[Any]] = field(default_factory=list)

    def after(self, steps: Sequence[Any]) -> ViterbiTable:
        """Apply some steps, and return self."""
        for step in steps:
            if isinstance(step, BestPathFound):
                self.scores[step.end] = step.score
                self.last[step.end] = self.edge(step.end - len(step.piece), step.end)
            elif isinstance(step, Backtracked):
                self.backtrace.append(self.edge(step.start, step.end))
        return self

    def edge(self, start: int, end: int) -> Edge[Any]:
        """Return the edge between two positions."""
        return next(edge for edge in self.lattice.edges_from[start] if edge.end == end)

    def best_path_to(self, end: int) -> list[Edge[Any]]:
        """Return the edges of the best path to a position."""
        path: list[Edge[Any]] = []
        while end:
            path.append(self.last[end])
            end = path[-1].start
        return path[::-1]

    def marks(self, now: int = -1) -> dict[Edge[Any], Mark]:
        """Return the styles of the arcs while position `now` is processed."""
        marks: dict[Edge[Any], Mark] = {}
        for edge in self.lattice.edges:
            if edge.end in self.last:
                best = self.last[edge.end] is edge
                marks[edge] = ("now" if best else "lost") if edge.end == now else "best" if best else "gone"
        return marks | dict.fromkeys(self.backtrace, "path")

    def position_labels(self) -> list[str]:
        """Return the score of the best path to each position, as far as it is known."""
        places = range(len(self.lattice.text) + 1)
        return [f"{self.scores[place]:.2f}" if place in self.scores else "" for place in places]


def recorded_lattice(recording: Recording[Any, Any]) -> Lattice[Any] | None:
    """Return the lattice of a recording; None if its vocabulary was given as a trie, which is not recorded."""
    arguments = recording.arguments
    if not isinstance(arguments["vocabulary"], Mapping):
        return None
    return build_lattice(arguments["text"], arguments["vocabulary"], arguments["unknown"])


def viterbi_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Show a frame for the lattice, one for each position, and one for each piece of the backtrace."""
    lattice = recorded_lattice(recording)
    if lattice is None:
        yield from step_list_view(recording, window)
        return
    asked = questions_apart(
        window.between_steps(recording), lambda n: _position_question(recording, lattice, n), QUESTIONS
    )
    for number, done, _ in window.steps_around(recording):
        table = ViterbiTable(lattice).after(recording.steps[:number])
        frame = _backtracking_frame(table) if isinstance(done, Backtracked) else viterbi_frame(table, done)
        yield Frame(frame.moment, frame.caption, frame.remark, frame.panels, asked.get(number))


def viterbi_frame(table: ViterbiTable, done: BestPathFound[Any] | None) -> Frame:
    """Return the frame before the first position, or after position `done.end`."""
    lattice = table.lattice
    if done is None:
        many = count_segmentations(lattice)
        number = "is 1 path" if many == 1 else f"are {many:,} paths" if many < 10**9 else "are more than 10⁹ paths"
        opening = (
            lattice_panel("All segmentations", lattice, {}, table.position_labels()),
            Panel("The pieces, by the position where they start", tuple(_pieces_from(lattice)), "words"),
        )
        said = f"Each arc is a piece; each path from left to right is a segmentation of the word. There {number}."
        remark = "Below each piece is its log probability: the closer to 0, the more probable."
        return Frame("The lattice", said, remark, opening)
    total = _sum(table, table.last[done.end])
    why = "is the only piece that ends here" if done.incoming == 1 else "is the best last piece"
    rank = "" if done.incoming == 1 else f", the highest of {done.incoming} sums"
    if done.ties > 1:
        rank = f", one of {done.ties} equally high sums"
    title, marks = "The lattice (thick: kept; dashed: not kept)", table.marks(done.end)
    panels = (
        lattice_panel(title, lattice, marks, table.position_labels()),
        Panel(f"The candidates for position {done.end}", tuple(_candidates(table, done.end)), "bars"),
        _best_paths(table),
    )
    said = f"{chip(done.piece, 'new')} {why}: {total}{rank}."
    remark = "Below each position is the log probability of the best path to it."
    return Frame(f"Position {done.end}", said, remark, panels)


def _pieces_from(lattice: Lattice[Any]) -> Iterator[Html]:
    for start, outgoing in list(enumerate(lattice.edges_from))[:POSITIONS]:
        if outgoing:
            yield labelled(f"{start}", chips(edge.piece for edge in outgoing[:PATHS]))


def _candidates(table: ViterbiTable, end: int) -> Iterator[Html]:
    """Yield a bar for each piece that ends there, added to the best path to its start."""
    for edge in table.lattice.edges_to[end][:PATHS]:
        label = f"{chip(edge.piece, 'new' if table.last[end] is edge else '')} from {edge.start}"
        yield bar(label, exp(_total(table, edge) - table.scores[end]), _sum(table, edge))


def _best_paths(table: ViterbiTable) -> Panel:
    rows = []
    for end in sorted(table.last)[-POSITIONS:]:
        pieces = [edge.piece for edge in table.best_path_to(end)]
        shown = f"… {chips(pieces[-PATHS:])}" if len(pieces) > PATHS else chips(pieces)
        rows.append(labelled(f"{end}: {table.scores[end]:.2f}", shown))
    return Panel("The best path to each position", tuple(rows), "words")


def _backtracking_frame(table: ViterbiTable) -> Frame:
    """Return a frame with the lattice and the backtrace from the end."""
    edge = table.backtrace[-1]
    pieces = [edge.piece for edge in reversed(table.backtrace)]
    title = "The segmentation so far, from its end" if edge.start else "The segmentation"
    panels = (
        lattice_panel("The lattice (thickest: the backtrace)", table.lattice, table.marks(), table.position_labels()),
        Panel(title, (chips(pieces[:LONGEST]),), "chips"),
        _best_paths(table),
    )
    said = f"The best path to position {edge.end} ends with {chip(edge.piece, 'new')}, which starts at {edge.start}."
    whole = f"The log probability of the segmentation is {table.scores[len(table.lattice.text)]:.2f}."
    return Frame(f"Back to {edge.start}", said, "" if edge.start else whole, panels)


# --- questions ------------------------------------------------------------------------------------


def _position_question(recording: Recording[Any, Any], lattice: Lattice[Any], number: int) -> Question | None:
    """Return the question before a position, if a misconception keeps another piece there and there is no tie."""
    step = recording[number]
    if not isinstance(step, BestPathFound) or step.end > LONGEST or step.ties > 1:
        return None
    return last_piece_question(ViterbiTable(lattice).after(recording.steps[:number]), step)


def _misconception_edges(table: ViterbiTable, following: BestPathFound[Any]) -> dict[int, Edge[Any]]:
    """Return the wrong edges that misconceptions 21 (fewest pieces) and 6 (longest piece) would keep."""
    incoming = table.lattice.edges_to[following.end]
    vocabulary = {edge.piece: edge.log_prob for edge in table.lattice.edges}
    # subtle: the pieces of the lattice spell every reachable prefix of the word.
    fewest = min_tokens_viterbi(table.lattice.text[: following.end], vocabulary)[-1]
    by_misconception = {21: next(edge for edge in incoming if edge.piece == fewest), 6: incoming[0]}
    return {number: edge for number, edge in by_misconception.items() if edge.piece != following.piece}


def last_piece_question(table: ViterbiTable, following: BestPathFound[Any]) -> Question | None:
    """Ask which last piece is the best at the next position."""
    incoming = table.lattice.edges_to[following.end]
    right = next(edge for edge in incoming if edge.piece == following.piece)
    best = _fact(table, right)
    why = {21: "It makes the fewest pieces", 6: "It is the longest piece"}
    wrong = []
    for number, edge in _misconception_edges(table, following).items():
        reason = f"{why[number]}, but {_sum(table, edge)}. {chip(right.piece)} has {best[2]:.2f}, which is higher."
        wrong.append(Option(chip(edge.piece), reason, misconception=number, facts=(_fact(table, edge), best)))
    for edge in sorted(incoming, key=lambda edge: -_total(table, edge)):
        if _fact(table, edge)[2] < best[2] and chip(edge.piece) not in {option.label for option in wrong}:
            reason = f"{_sum(table, edge)}. {chip(right.piece)} has {best[2]:.2f}, which is higher."
            wrong.append(Option(chip(edge.piece), reason, misconception=OTHER, facts=(_fact(table, edge), best)))
    wrong = wrong[: OPTIONS - 1]
    labels = {chip(right.piece), *(option.label for option in wrong)}
    asked = [edge for edge in incoming if chip(edge.piece) in labels]
    terms = ", ".join(f"{chip(edge.piece)} from {edge.start}: {edge.log_prob:.2f}" for edge in asked)
    scores = tuple(f"{edge.start}: {table.scores[edge.start]:.2f}" for edge in asked if edge.start)
    return ask(
        f"Which last piece is on the best path to position {following.end}? The log probabilities: {terms}.",
        (chip(right.piece), f"{_sum(table, right)}, the highest of {len(incoming)}."),
        *wrong,
        facts=(best,),
        given=(*(f"{edge.log_prob:.2f}" for edge in asked), *scores),
    )


def _fact(table: ViterbiTable, edge: Edge[Any]) -> Fact:
    return "score", (edge.start, edge.piece), round(_total(table, edge), 2)


def _total(table: ViterbiTable, edge: Edge[Any]) -> float:
    return table.scores[edge.start] + edge.log_prob


def _sum(table: ViterbiTable, edge: Edge[Any]) -> Html:
    return f"{table.scores[edge.start]:.2f} + {edge.log_prob:.2f} = {_total(table, edge):.2f}"


# --- the n best -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class PartialPath:
    """A path on the agenda, replayed from the steps."""

    path: tuple[Edge[Any], ...]
    score: float
    is_complete: bool = False


class AgendaReplay:
    """The agenda, replayed from the steps; paths are numbered in the order in which they are pushed."""

    def __init__(self, lattice: Lattice[Any]) -> None:
        self.lattice = lattice
        self.scores: dict[int, float] = {}
        self.waiting: dict[int, PartialPath] = {}
        self.found: list[SegmentationFound[Any]] = []
        self.popped: PartialPath | None = None
        self.count = 0

    def take(self, step: Any, table: ViterbiTable) -> None:
        """Apply a step of the search."""
        self.scores = table.scores
        if isinstance(step, AgendaPopped | SegmentationFound) and not self.count:
            self._extend((), len(self.lattice.text))
        if isinstance(step, AgendaPopped):
            self.popped = self.waiting.pop(step.number)
            self._extend(self.popped.path, self.popped.path[0].start)
        elif isinstance(step, SegmentationFound):
            number = next(n for n, way in self.waiting.items() if way.is_complete and _pieces(way) == step.pieces)
            self.popped = self.waiting.pop(number)
            self.found.append(step)

    def _extend(self, path: tuple[Edge[Any], ...], position: int) -> None:
        weight = sum(edge.log_prob for edge in path)
        if position == 0:
            self._push(PartialPath(path, weight, is_complete=True))
        for edge in self.lattice.edges_to[position]:
            self._push(PartialPath((edge, *path), self.scores[edge.start] + edge.log_prob + weight))

    def _push(self, way: PartialPath) -> None:
        self.count += 1
        self.waiting[self.count] = way


def _pieces(way: PartialPath) -> tuple[str, ...]:
    return tuple(edge.piece for edge in way.path)


def n_best_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Show the frames of Viterbi, then one for each path popped from the agenda."""
    lattice = recorded_lattice(recording)
    if lattice is None or recording.arguments["fuse_unknown"]:
        yield from step_list_view(recording, window)
        return
    table, agenda = ViterbiTable(lattice), AgendaReplay(lattice)
    for number, done, _ in StepRange(0, window.end).steps_around(recording):
        if number:
            table.after([done])
            agenda.take(done, table)
        if number >= window.first:
            searching = isinstance(done, AgendaPopped | SegmentationFound)
            yield _search_frame(agenda, table, done) if searching else viterbi_frame(table, done)


def _search_frame(agenda: AgendaReplay, table: ViterbiTable, done: AgendaPopped[Any] | SegmentationFound[Any]) -> Frame:
    assert agenda.popped is not None
    way = _path_html(agenda.popped)
    if isinstance(done, SegmentationFound):
        moment, said = f"Found number {done.rank}", f"{way} is complete: {done.score:.2f}."
    else:
        moment = f"From position {done.start}"
        said = f"{way} had the highest total, {done.score:.2f}. Its own log probability is {done.backward_score:.2f}."
    marks: dict[Edge[Any], Mark] = dict.fromkeys(table.last.values(), "best")
    marks |= dict.fromkeys(agenda.popped.path, "path")
    remark = "Below each position is the log probability of the best path to it."
    panels = (
        lattice_panel("The lattice (thickest: this path)", table.lattice, marks, table.position_labels()),
        Panel("The agenda: the total of each path", tuple(_agenda(agenda)), "words"),
        Panel("Found", tuple(_found(agenda)), "words"),
    )
    return Frame(moment, said, remark, panels)


def _path_html(way: PartialPath) -> Html:
    return f"{'' if way.is_complete or way.path[0].start == 0 else '… '}{chips(_pieces(way)[:LONGEST])}"


def _agenda(agenda: AgendaReplay) -> Iterator[Html]:
    waiting = sorted(agenda.waiting.values(), key=lambda way: -way.score)
    for way in waiting[:PATHS]:
        yield labelled(f"{way.score:.2f}", f"{_path_html(way)}{' (complete)' * way.is_complete}")
    if len(waiting) > PATHS:
        yield labelled("…", f"and {len(waiting) - PATHS:,} more")


def _found(agenda: AgendaReplay) -> Iterator[Html]:
    for found in agenda.found[-PATHS:]:
        yield labelled(f"{text(found.rank)}: {found.score:.2f}", chips(found.pieces[:LONGEST]))
