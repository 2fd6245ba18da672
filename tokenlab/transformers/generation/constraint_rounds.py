"""Constrained beam search told token by token: the library's steps put together, with the names of tokens.

Adds: what each beam has written, and how many tokens of each demand it has; what comes if nothing is demanded.
Leaves out: the search itself. Nothing here loads PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tokenlab.steps import step
from tokenlab.transformers.generation.beam_steps import LIVES, NO_ROOM, Bounded, Candidate
from tokenlab.transformers.generation.constraint_steps import (
    GIVES_WAY,
    Banked,
    ChosenMeeting,
    Claim,
    SiftedByBanks,
    Standing,
)
from tokenlab.transformers.generation.spoken import spoken


@step
class Demand:
    """A word that an output has to hold, or several of which one will do."""

    words: tuple[str, ...]
    tokens: tuple[tuple[str, ...], ...]  # of each word

    @property
    def longest(self) -> int:
        """The tokens of its longest word."""
        return max(map(len, self.tokens))

    def __str__(self) -> str:
        """Its words."""
        return " or ".join(map(repr, self.words))


@step
class Demanded:
    """What is demanded, and what is written where nothing is."""

    demands: tuple[Demand, ...]
    alone: str  # the best output of beam search
    total: float  # its sum of log-probabilities
    score: float

    def __str__(self) -> str:
        """Name both."""
        are = "are" if len(self.demands) > 1 else "is"
        said = f"{', '.join(map(str, self.demands)) or 'nothing'} {are} demanded"
        return f"{said}; by itself the model writes {self.alone!r}, with the score {self.score:.3f}"


@step
class Line:
    """What a beam has written, or an output, and how much of each demand is in it."""

    tokens: tuple[str, ...]
    total: float  # the sum of log-probabilities
    there: tuple[int, ...]  # tokens of each demand that are there
    complete: tuple[bool, ...]  # which of them are there as a whole
    bank: int

    @property
    def met(self) -> bool:
        """Whether it holds all that is demanded."""
        return all(self.complete)


@step
class Entry:
    """A beam with one more token, in its bank."""

    beam: int  # that it goes on from
    token: str
    demanded: bool  # only there because a constraint asks for it
    turn: int  # its place in its bank
    place: int  # among those that live on, from 0; -1 for none
    line: Line  # what it would be

    @property
    def lives(self) -> bool:
        """Whether it goes on."""
        return self.place >= 0


@step
class Ending:
    """A beam that wants to end."""

    beam: int
    token: str
    line: Line  # without its end
    total: float  # with it
    fate: str


@step
class Round:
    """One token for each beam: the candidates in the order of banks, the endings, and those that go on."""

    number: int  # which token of the output, from 1
    entries: tuple[Entry, ...]
    by_turns: bool
    endings: tuple[Ending, ...]
    lines: tuple[Line, ...]  # the beams afterwards
    bounded: Bounded  # whether the search goes on

    @property
    def banks(self) -> tuple[int, ...]:
        """The banks that have candidates, in their order."""
        return tuple(dict.fromkeys(entry.line.bank for entry in self.entries))

    def __str__(self) -> str:
        """Name those that go on, with their banks, and those that were added for it."""
        living = sorted((entry for entry in self.entries if entry.lives), key=lambda entry: entry.place)
        said = ", ".join(f"{entry.token!r} after beam {entry.beam} (bank {entry.line.bank})" for entry in living)
        added = [f"{entry.token!r} after beam {entry.beam}" for entry in self.entries if entry.demanded]
        ended = [f"beam {ending.beam} {ending.fate}" for ending in self.endings]
        parts = [f"token {self.number}: {said} go on", *ended, f"constraints added {', '.join(added) or 'nothing'}"]
        return "; ".join(parts)


@step
class Outcome:
    """The hypotheses at the end, best first."""

    lines: tuple[Line, ...]
    scores: tuple[float, ...]
    opened: int  # how many of them were cut off

    def __str__(self) -> str:
        """Name the best, and say whether it holds what is demanded."""
        best = self.lines[0]
        holds = "holds" if best.met else "does not hold"
        return f"{spoken(best.tokens)!r} has the best score, {self.scores[0]:.3f}; it {holds} what is demanded"


class Rounds:
    """Puts the steps of a search for one text together, as they come.

    Args:
        demands: what is demanded, in the order of the constraints.
        name: the token of an id.

    >>> rounds = Rounds([Demand(("b",), (("b",),))], {5: "a", 6: "b"}.get)
    >>> rounds.lines[0].complete, rounds.lines[0].bank
    ((False,), 0)
    """

    def __init__(self, demands: Sequence[Demand], name: Callable[[int], str]) -> None:
        self.demands = demands
        self.name = name
        self.number = 0
        none = Standing((), tuple(range(len(demands))))
        self.lines: tuple[Line, ...] = (self._line((), 0.0, none),)
        self.known: dict[tuple[str, ...], Line] = {(): self.lines[0]}  # by the tokens
        self.banked: Banked | None = None
        self.sifted: SiftedByBanks | None = None

    def take(self, done: Any) -> Iterator[Round | Outcome]:
        """Take in a step of the library, and give what is whole with it."""
        match done:
            case Banked():
                self.banked = done
            case SiftedByBanks():
                self.sifted = done
            case Bounded():
                assert self.banked is not None and self.sifted is not None
                yield self._round(self.banked, self.sifted, done)
            case ChosenMeeting():
                yield self._outcome(done)

    def _round(self, banked: Banked, sifted: SiftedByBanks, bounded: Bounded) -> Round:
        self.number += 1
        living = [(each.parent, each.token) for each in sifted.candidates if each.fate == LIVES]
        entries = tuple(self._entry(claim, living) for claim in banked.claims)
        endings = tuple(
            self._ending(each) for each in sifted.candidates if each.fate not in (LIVES, GIVES_WAY, NO_ROOM)
        )
        self.lines = tuple(
            entry.line for entry in sorted((each for each in entries if each.lives), key=lambda each: each.place)
        )
        self.known |= {line.tokens: line for line in self.lines}
        return Round(self.number, entries, banked.by_turns, endings, self.lines, bounded)

    def _entry(self, claim: Claim, living: Sequence[tuple[int, int]]) -> Entry:
        parent = self._parent(claim.parent)
        line = self._line((*parent.tokens, self.name(claim.token)), claim.score, claim.standing)
        place = living.index((claim.parent, claim.token)) if claim.lives else -1
        return Entry(claim.parent, self.name(claim.token), claim.demanded, claim.turn, place, line)

    def _parent(self, beam: int) -> Line:
        # subtle: at the first step all beams are alike, and one line stands for them.
        return self.lines[beam] if beam < len(self.lines) else self.lines[0]

    def _ending(self, each: Candidate) -> Ending:
        return Ending(each.parent, self.name(each.token), self._parent(each.parent), each.score, each.fate)

    def _line(self, tokens: tuple[str, ...], total: float, standing: Standing) -> Line:
        there = tuple(self._there(number, standing) for number in range(len(self.demands)))
        complete = tuple(number in standing.complete for number in range(len(self.demands)))
        return Line(tokens, total, there, complete, standing.bank)

    def _there(self, number: int, standing: Standing) -> int:
        """How many tokens of a demand are there; in a bank a shorter one has a head start."""
        longest = self.demands[number].longest
        if number in standing.complete:
            return longest
        return standing.done - (standing.longest - longest) if number == standing.in_progress else 0

    def _outcome(self, chosen: ChosenMeeting) -> Outcome:
        lines = []
        for ids, total in zip(chosen.ids, chosen.totals, strict=True):
            line = self.known[tuple(map(self.name, ids[1:]))]  # without the start
            lines.append(Line(line.tokens, total, line.there, line.complete, line.bank))
        return Outcome(tuple(lines), chosen.scores, chosen.opened)
