"""Viterbi on the lattice, position by position and back; and the search for the k best, with its agenda."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp
from typing import Any

from tokenlab.algorithms.lattice import Edge, Lattice, build_lattice, count_segmentations
from tokenlab.algorithms.n_best import Found, Popped, n_best
from tokenlab.algorithms.viterbi import FollowedBack, Reached, viterbi
from tokenlab.misconceptions.unigram_segmenting import min_tokens_viterbi
from tokenlab.show.frames import Fact, Frame, Html, Option, Panel, Question, Window, bar, chip, chips, view
from tokenlab.show.views.lattice_drawing import LONGEST, Mark, lattice_panel
from tokenlab.show.views.sentences import sentences
from tokenlab.steps import Recording

QUESTIONS, POSITIONS, WAYS = 3, 12, 8  # at the most


@dataclass
class Table:
    """What is known after some steps: the best way to each position, and the way back so far."""

    lattice: Lattice
    scores: dict[int, float] = field(default_factory=lambda: {0: 0.0})
    last: dict[int, Edge] = field(default_factory=dict)
    back: list[Edge] = field(default_factory=list)

    def after(self, steps: Sequence[Any]) -> Table:
        """Take in some steps."""
        for step in steps:
            if isinstance(step, Reached):
                self.scores[step.end] = step.score
                self.last[step.end] = self.edge(step.end - len(step.piece), step.end)
            elif isinstance(step, FollowedBack):
                self.back.append(self.edge(step.start, step.end))
        return self

    def edge(self, start: int, end: int) -> Edge:
        """The edge between two positions."""
        return next(edge for edge in self.lattice.edges_from[start] if edge.end == end)

    def way_to(self, end: int) -> list[Edge]:
        """The edges of the best way to a position."""
        way: list[Edge] = []
        while end:
            way.append(self.last[end])
            end = way[-1].start
        return way[::-1]

    def marks(self, now: int = -1) -> dict[Edge, Mark]:
        """How the arcs are drawn while a position is looked at."""
        marks: dict[Edge, Mark] = {}
        for edge in self.lattice.edges:
            if edge.end in self.last:
                best = self.last[edge.end] is edge
                marks[edge] = ("now" if best else "lost") if edge.end == now else "best" if best else "gone"
        return marks | dict.fromkeys(self.back, "path")

    def beneath(self) -> list[str]:
        """The score of the best way to each position, as far as it is known."""
        return [
            f"{self.scores[place]:.2f}" if place in self.scores else "" for place in range(len(self.lattice.text) + 1)
        ]


def lattice_of(recording: Recording[Any, Any]) -> Lattice | None:
    """The lattice that a recording is about; None where its vocabulary was given as a trie, which is not recorded."""
    arguments = recording.arguments
    if not isinstance(arguments["vocabulary"], Mapping):
        return None
    return build_lattice(arguments["text"], arguments["vocabulary"], arguments["unknown"])


@view(viterbi)
def viterbi_on_the_lattice(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame for the lattice, one for each position that is reached, one for each piece on the way back."""
    lattice = lattice_of(recording)
    if lattice is None:
        yield from sentences(recording, window)
        return
    asked = stops(recording, lattice, window)
    for number in range(window.first, window.end + 1):
        table = Table(lattice).after(recording.steps[:number])
        done = recording[number - 1] if number else None
        following = recording[number] if number < len(recording) else None
        frame = _back(table, recording) if isinstance(done, FollowedBack) else reached(table, done)
        question = ask(table, following) if number in asked and isinstance(following, Reached) else None
        yield Frame(frame.moment, frame.caption, frame.remark, frame.panels, question)


def reached(table: Table, done: Reached | None) -> Frame:
    """The lattice before the first position, or after one was reached."""
    lattice = table.lattice
    if done is None:
        many = count_segmentations(lattice)
        there = "is one way" if many == 1 else f"are {many:,} ways" if many < 10**9 else "are more than a billion ways"
        return Frame(
            "The lattice",
            f"Each arc is a piece; each path from left to right is a way to cut the word. There {there}.",
            "Under each piece stands the logarithm of its probability: the nearer to zero, the more probable.",
            (
                lattice_panel("All segmentations", lattice, {}, table.beneath()),
                Panel("The pieces, by the position where they start", tuple(_pieces_from(lattice)), "words"),
            ),
        )
    edge = table.last[done.end]
    total = f"{table.scores[edge.start]:.2f} + {edge.log_prob:.2f} = {done.score:.2f}"
    why = "it is the only piece that ends here" if done.arriving == 1 else f"the best of {done.arriving} sums"
    if done.ties > 1:
        why = f"one of {done.ties} sums that are best"
    return Frame(
        f"Position {done.end}",
        f"{chip(done.piece, 'new')} is the best last piece: {total}, {why}.",
        "Beneath each position: the log probability of the best way there.",
        (
            lattice_panel(
                "The lattice: thick, what was kept; dashed, what was not",
                lattice,
                table.marks(done.end),
                table.beneath(),
            ),
            Panel(f"The ways to position {done.end}", tuple(_ways(table, done.end)), "bars"),
            Panel("The best way to each position", tuple(_table(table)), "words"),
        ),
    )


def _pieces_from(lattice: Lattice) -> Iterator[Html]:
    for start, leaving in list(enumerate(lattice.edges_from))[:POSITIONS]:
        if leaving:
            yield f"<li><span>{start}</span> <div>{chips(edge.piece for edge in leaving[:WAYS])}</div>"


def _ways(table: Table, end: int) -> Iterator[Html]:
    """A bar for each piece that ends there, after the best way to where it starts."""
    for edge in table.lattice.edges_to[end][:WAYS]:
        total = table.scores[edge.start] + edge.log_prob
        label = f"{chip(edge.piece, 'new' if table.last[end] is edge else '')} from {edge.start}"
        yield bar(
            label, exp(total - table.scores[end]), f"{table.scores[edge.start]:.2f} + {edge.log_prob:.2f} = {total:.2f}"
        )


def _table(table: Table) -> Iterator[Html]:
    for end in sorted(table.last)[-POSITIONS:]:
        pieces = [edge.piece for edge in table.way_to(end)]
        shown = f"… {chips(pieces[-WAYS:])}" if len(pieces) > WAYS else chips(pieces)
        yield f"<li><span>{end}: {table.scores[end]:.2f}</span> <div>{shown}</div>"


def _back(table: Table, recording: Recording[Any, Any]) -> Frame:
    """The lattice with the way back from the end."""
    edge = table.back[-1]
    cut = [edge.piece for edge in reversed(table.back)]
    done = edge.start == 0
    said = f"From {edge.end}, the best last piece is {chip(edge.piece, 'new')}: back to {edge.start}."
    return Frame(
        f"Back to {edge.start}",
        said,
        f"The word is cut, with log probability {table.scores[len(table.lattice.text)]:.2f}." if done else "",
        (
            lattice_panel("The lattice: thickest, the way back", table.lattice, table.marks(), table.beneath()),
            Panel(
                "The segmentation" if done else "The segmentation so far, from its end",
                (chips(cut[:LONGEST]),),
                "chips",
            ),
            Panel("The best way to each position", tuple(_table(table)), "words"),
        ),
    )


# --- questions ------------------------------------------------------------------------------------


def stops(recording: Recording[Any, Any], lattice: Lattice, window: Window) -> set[int]:
    """Where to ask: before a position where a wrong rule keeps another piece, not at a tie, not twice running."""
    found: list[int] = []
    table = Table(lattice).after(recording.steps[: window.first + 1])
    for number in range(window.first + 1, min(window.end + 1, len(recording))):
        step = recording[number]
        if not isinstance(step, Reached) or step.end > LONGEST:
            break
        if step.ties == 1 and _guesses(table, step) and (not found or number - found[-1] > 1):
            found.append(number)
        table.after([step])
    return set(found[:QUESTIONS])


def _guesses(table: Table, following: Reached) -> dict[int, Edge]:
    """What the misconceptions 21 and 6 would keep, where it is not right: the fewest pieces, the longest piece."""
    arriving = table.lattice.edges_to[following.end]
    vocabulary = {edge.piece: edge.log_prob for edge in table.lattice.edges}
    # subtle: the pieces of the lattice spell every beginning of the word that can be reached.
    fewest = min_tokens_viterbi(table.lattice.text[: following.end], vocabulary)[-1]
    by_belief = {21: next(edge for edge in arriving if edge.piece == fewest), 6: arriving[0]}
    return {belief: edge for belief, edge in by_belief.items() if edge.piece != following.piece}


def ask(table: Table, following: Reached) -> Question:
    """Which last piece is the best at the next position?"""
    arriving = table.lattice.edges_to[following.end]
    right = next(edge for edge in arriving if edge.piece == following.piece)
    best = _fact(table, right)
    options = {
        right.piece: Option(
            chip(right.piece), f"{_sum(table, right)}, the highest of {len(arriving)}.", True, facts=(best,)
        )
    }
    why = {21: "It makes the fewest pieces", 6: "It is the longest piece"}
    for belief, edge in _guesses(table, following).items():
        reason = f"{why[belief]}, but {_sum(table, edge)}; {chip(right.piece)} comes to {best[2]:.2f}, which is more."
        options.setdefault(
            edge.piece, Option(chip(edge.piece), reason, belief=belief, facts=(_fact(table, edge), best))
        )
    return Question(
        f"Which last piece is the best one to position {following.end}?", tuple(options.values())
    ).shuffled()


def _fact(table: Table, edge: Edge) -> Fact:
    return "score", (edge.start, edge.piece), round(table.scores[edge.start] + edge.log_prob, 2)


def _sum(table: Table, edge: Edge) -> Html:
    return f"{table.scores[edge.start]:.2f} + {edge.log_prob:.2f} = {table.scores[edge.start] + edge.log_prob:.2f}"


# --- the k best -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Way:
    """A way on the agenda, as a view knows it."""

    path: tuple[Edge, ...]
    score: float
    whole: bool = False


class Agenda:
    """The agenda, replayed: ways are numbered as they come."""

    def __init__(self, lattice: Lattice) -> None:
        """Begin with the ways that one piece makes, at the end."""
        self.lattice = lattice
        self.scores: dict[int, float] = {}
        self.waiting: dict[int, Way] = {}
        self.found: list[Found] = []
        self.popped: Way | None = None
        self.count = 0

    def take(self, step: Any, table: Table) -> None:
        """Follow a step of the search."""
        self.scores = table.scores
        if isinstance(step, Popped | Found) and not self.count:
            self._longer((), len(self.lattice.text))
        if isinstance(step, Popped):
            self.popped = self.waiting.pop(step.number)
            self._longer(self.popped.path, self.popped.path[0].start)
        elif isinstance(step, Found):
            number = next(n for n, way in self.waiting.items() if way.whole and _pieces(way) == step.pieces)
            self.popped = self.waiting.pop(number)
            self.found.append(step)

    def _longer(self, path: tuple[Edge, ...], position: int) -> None:
        weight = sum(edge.log_prob for edge in path)
        if position == 0:
            self._push(Way(path, weight, whole=True))
        for edge in self.lattice.edges_to[position]:
            self._push(Way((edge, *path), self.scores[edge.start] + edge.log_prob + weight))

    def _push(self, way: Way) -> None:
        self.count += 1
        self.waiting[self.count] = way


def _pieces(way: Way) -> tuple[str, ...]:
    return tuple(edge.piece for edge in way.path)


@view(n_best)
def agenda_on_the_lattice(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """The frames of Viterbi, then one for each way that is taken off the agenda."""
    lattice = lattice_of(recording)
    if lattice is None or recording.arguments["join_unknown"]:
        yield from sentences(recording, window)
        return
    table, agenda = Table(lattice), Agenda(lattice)
    for number in range(window.end + 1):
        done = recording[number - 1] if number else None
        if number:
            table.after([done])
            agenda.take(done, table)
        if number >= window.first:
            yield _searched(agenda, table, done) if isinstance(done, Popped | Found) else reached(table, done)


def _searched(agenda: Agenda, table: Table, done: Popped | Found) -> Frame:
    assert agenda.popped is not None
    way = _drawn(agenda.popped)
    if isinstance(done, Found):
        moment, said = f"Found number {done.rank}", f"{way} has come to the start: {done.score:.2f}."
    else:
        moment = f"From position {done.start}"
        said = f"{way} was the most promising: {done.behind:.2f} so far, and at best {done.score:.2f} in all."
    marks: dict[Edge, Mark] = dict.fromkeys(table.last.values(), "best")
    return Frame(
        moment,
        said,
        "What was behind is known, and what is still before has its best score beneath its position.",
        (
            lattice_panel(
                "The lattice, with the way that was taken",
                table.lattice,
                marks | dict.fromkeys(agenda.popped.path, "path"),
                table.beneath(),
            ),
            Panel("The agenda: what each way comes to at best", tuple(_agenda(agenda)), "words"),
            Panel("Found", tuple(_found(agenda)), "words"),
        ),
    )


def _drawn(way: Way) -> Html:
    return f"{'' if way.whole or way.path[0].start == 0 else '… '}{chips(_pieces(way)[:LONGEST])}"


def _agenda(agenda: Agenda) -> Iterator[Html]:
    waiting = sorted(agenda.waiting.values(), key=lambda way: -way.score)
    for way in waiting[:WAYS]:
        yield f"<li><span>{way.score:.2f}</span> <div>{_drawn(way)}{' (whole)' if way.whole else ''}</div>"
    if len(waiting) > WAYS:
        yield f"<li><span>…</span> <div>and {len(waiting) - WAYS:,} more</div>"


def _found(agenda: Agenda) -> Iterator[Html]:
    for found in agenda.found[-WAYS:]:
        yield f"<li><span>{found.rank}: {found.score:.2f}</span> <div>{chips(found.pieces[:LONGEST])}</div>"
