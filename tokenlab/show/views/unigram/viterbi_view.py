"""Views of Viterbi on the lattice, with backtracking, and of the n-best search, with its agenda."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import exp
from typing import Any

from tokenlab.algorithms.unigram.lattice import Edge, Lattice, build_lattice, count_segmentations
from tokenlab.algorithms.unigram.n_best import AgendaPopped, PartialPath, SearchState, SegmentationFound
from tokenlab.algorithms.unigram.viterbi import Backtracked, BestPathFound, ViterbiTable
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
    labelled,
    sentence,
    text,
)
from tokenlab.show.views.elements.questions import ask, questions_apart
from tokenlab.show.views.elements.step_list_view import step_list_view
from tokenlab.show.views.unigram.lattice_drawing import LONGEST, Mark, lattice_panel
from tokenlab.steps.recording import Recording

QUESTIONS, OPTIONS, POSITIONS, PATHS = 3, 4, 12, 8  # maximum numbers
BELOW = "Below each position is the log probability of the best path to it."


def table_after(lattice: Lattice[Any], steps: Sequence[Any]) -> ViterbiTable[Any]:
    """Return the state of Viterbi after some steps."""
    table = ViterbiTable(lattice)
    for step in steps:
        step.apply(table)
    return table


def arc_marks(table: ViterbiTable[Any], now: int = -1) -> dict[Edge[Any], Mark]:
    """Return the styles of the arcs while position `now` is processed."""
    marks: dict[Edge[Any], Mark] = {}
    for edge in table.lattice.edges:
        if edge.end in table.last:
            best = table.last[edge.end] is edge
            marks[edge] = ("now" if best else "lost") if edge.end == now else "best" if best else "gone"
    return marks | dict.fromkeys(table.backtrace, "path")


def position_labels(table: ViterbiTable[Any]) -> list[str]:
    """Return the score of the best path to each position, as far as it is known."""
    places = range(len(table.lattice.text) + 1)
    return [f"{table.scores[place]:.2f}" if place in table.scores else "" for place in places]


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
        table = table_after(lattice, recording.steps[:number])
        frame = _backtracking_frame(table, done) if isinstance(done, Backtracked) else viterbi_frame(table, done)
        yield Frame(frame.moment, frame.caption, frame.remark, frame.panels, asked.get(number))


def viterbi_frame(table: ViterbiTable[Any], done: BestPathFound[Any] | None) -> Frame:
    """Return the frame before the first position, or after position `done.end`."""
    lattice = table.lattice
    if done is None:
        many = count_segmentations(lattice)
        number = "is 1 path" if many == 1 else f"are {many:,} paths" if many < 10**9 else "are more than 10⁹ paths"
        opening = (
            lattice_panel("All segmentations", lattice, {}, position_labels(table)),
            Panel("The pieces, by the position where they start", tuple(_pieces_from(lattice)), "words"),
        )
        said = f"Each edge is a piece; each path from left to right is a segmentation of the word. There {number}."
        remark = "Below each piece is its log probability: the closer to 0, the more probable."
        return Frame("The lattice", said, remark, opening)
    title, marks = "The lattice (thick: kept; dashed: not kept)", arc_marks(table, done.end)
    panels = (
        lattice_panel(title, lattice, marks, position_labels(table)),
        Panel(f"The candidates for position {done.end}", tuple(_candidates(table, done.end)), "bars"),
        _best_paths(table),
    )
    return Frame(f"Position {done.end}", sentence(done), f"{_sum(table, table.last[done.end])}. {BELOW}", panels)


def _pieces_from(lattice: Lattice[Any]) -> Iterator[Html]:
    for start, outgoing in list(enumerate(lattice.edges_from))[:POSITIONS]:
        if outgoing:
            yield labelled(f"{start}", chips(edge.piece for edge in outgoing[:PATHS]))


def _candidates(table: ViterbiTable[Any], end: int) -> Iterator[Html]:
    """Yield a bar for each piece that ends there, added to the best path to its start."""
    for edge in table.lattice.edges_to[end][:PATHS]:
        label = f"{chip(edge.piece, 'new' if table.last[end] is edge else '')} from {edge.start}"
        yield bar(label, exp(_total(table, edge) - table.scores[end]), _sum(table, edge))


def _best_paths(table: ViterbiTable[Any]) -> Panel:
    rows = []
    for end in sorted(table.last)[-POSITIONS:]:
        pieces = [edge.piece for edge in table.best_path_to(end)]
        shown = f"… {chips(pieces[-PATHS:])}" if len(pieces) > PATHS else chips(pieces)
        rows.append(labelled(f"{end}: {table.scores[end]:.2f}", shown))
    return Panel("The best path to each position", tuple(rows), "words")


def _backtracking_frame(table: ViterbiTable[Any], done: Backtracked[Any]) -> Frame:
    """Return a frame with the lattice and the backtrace from the end."""
    pieces = [edge.piece for edge in reversed(table.backtrace)]
    title = "The segmentation so far, from its end" if done.start else "The segmentation"
    panels = (
        lattice_panel("The lattice (thickest: the backtrace)", table.lattice, arc_marks(table), position_labels(table)),
        Panel(title, (chips(pieces[:LONGEST]),), "chips"),
        _best_paths(table),
    )
    whole = f"The log probability of the segmentation is {table.scores[len(table.lattice.text)]:.2f}."
    return Frame(f"Back to {done.start}", sentence(done), "" if done.start else whole, panels)


# --- questions ------------------------------------------------------------------------------------


def _position_question(recording: Recording[Any, Any], lattice: Lattice[Any], number: int) -> Question | None:
    """Return the question before a position, if a misconception keeps another piece there and there is no tie."""
    step = recording[number]
    if not isinstance(step, BestPathFound) or step.end > LONGEST or step.ties > 1:
        return None
    return last_piece_question(table_after(lattice, recording.steps[:number]), step)


def _misconception_edges(table: ViterbiTable[Any], following: BestPathFound[Any]) -> dict[int, Edge[Any]]:
    """Return the wrong edges that misconceptions 21 (fewest pieces) and 6 (longest piece) would keep."""
    incoming = table.lattice.edges_to[following.end]
    vocabulary = {edge.piece: edge.log_prob for edge in table.lattice.edges}
    # subtle: the pieces of the lattice spell every reachable prefix of the word.
    fewest = min_tokens_viterbi(table.lattice.text[: following.end], vocabulary)[-1]
    by_misconception = {21: next(edge for edge in incoming if edge.piece == fewest), 6: incoming[0]}
    return {number: edge for number, edge in by_misconception.items() if edge.piece != following.piece}


def last_piece_question(table: ViterbiTable[Any], following: BestPathFound[Any]) -> Question | None:
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


def _fact(table: ViterbiTable[Any], edge: Edge[Any]) -> Fact:
    return "score", (edge.start, edge.piece), round(_total(table, edge), 2)


def _total(table: ViterbiTable[Any], edge: Edge[Any]) -> float:
    return table.scores[edge.start] + edge.log_prob


def _sum(table: ViterbiTable[Any], edge: Edge[Any]) -> Html:
    return f"{table.scores[edge.start]:.2f} + {edge.log_prob:.2f} = {_total(table, edge):.2f}"


# --- the n best -----------------------------------------------------------------------------------


def n_best_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Show the frames of Viterbi, then one for each path popped from the agenda."""
    lattice = recorded_lattice(recording)
    if lattice is None or recording.arguments["fuse_unknown"]:
        yield from step_list_view(recording, window)
        return
    search = SearchState(lattice)
    for number, done, _ in StepRange(0, window.end).steps_around(recording):
        if done:
            done.apply(search)
        if number >= window.first:
            searching = isinstance(done, AgendaPopped | SegmentationFound)
            yield _search_frame(search, done) if searching else viterbi_frame(search, done)


def _search_frame(search: SearchState[Any], done: AgendaPopped[Any] | SegmentationFound[Any]) -> Frame:
    assert search.popped is not None
    marks: dict[Edge[Any], Mark] = dict.fromkeys(search.last.values(), "best")
    marks |= dict.fromkeys(search.popped.edges(), "path")
    panels = (
        lattice_panel("The lattice (thickest: this path)", search.lattice, marks, position_labels(search)),
        Panel("The agenda: the total of each path", tuple(_agenda(search)), "words"),
        Panel("Found", tuple(_found(search)), "words"),
    )
    if isinstance(done, SegmentationFound):
        return Frame(f"Found number {done.rank}", sentence(done), BELOW, panels)
    highest = f"No path had a higher total than {_path_html(search.popped)}. {BELOW}"
    return Frame(f"From position {done.start}", sentence(done), highest, panels)


def _path_html(path: PartialPath[Any]) -> Html:
    return f"{'… ' if path.position > 0 else ''}{chips(path.pieces()[:LONGEST])}"


def _agenda(search: SearchState[Any]) -> Iterator[Html]:
    waiting = sorted(search.waiting.values(), key=lambda way: -way.score)
    for way in waiting[:PATHS]:
        yield labelled(f"{way.score:.2f}", f"{_path_html(way)}{' (complete)' * way.is_complete}")
    if len(waiting) > PATHS:
        yield labelled("…", f"and {len(waiting) - PATHS:,} more")


def _found(search: SearchState[Any]) -> Iterator[Html]:
    for found in search.found[-PATHS:]:
        yield labelled(f"{text(found.rank)}: {found.score:.2f}", chips(found.pieces[:LONGEST]))
