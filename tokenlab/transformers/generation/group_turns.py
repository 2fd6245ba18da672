"""Group beam search as the turns of its groups: the library's steps put together, with the names of tokens.

Adds: for each candidate what its token costs because earlier groups have chosen it, and what would have been chosen
without that; for each output the sum of log-probabilities as the model gives them.
Leaves out: the search itself. Nothing here loads PyTorch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from math import fsum
from typing import Any

from tokenlab.algorithms.distinct import distinct_share
from tokenlab.steps import step
from tokenlab.transformers.generation.beam_steps import ENDS, LIVES, Bounded, Chosen, Sifted
from tokenlab.transformers.generation.group_steps import Lowered

SWITCHED_OFF = -1e8  # below it a beam has not begun: at the first step all of a group but its first one
FELL_OUT = "falls behind"  # as far as to be no candidate, because of the penalty


@step
class Way:
    """A beam of the group with one more token."""

    beam: int
    token: str
    before: float  # the sum that it would come to if this token cost nothing
    after: float  # the sum that counts
    fate: str

    @property
    def cost(self) -> float:
        """What it costs that earlier groups have chosen this token at this step."""
        return self.before - self.after


@step
class Line:
    """What a beam has written, or an output."""

    tokens: tuple[str, ...]
    total: float  # the sum of log-probabilities, less what was paid
    paid: float  # for tokens that earlier groups had chosen
    group: int  # from 1

    @property
    def own(self) -> float:
        """The sum of log-probabilities as the model gives them."""
        return self.total + self.paid


@step
class Turn:
    """One group's choice of one token for each of its beams."""

    number: int  # which token of the output, from 1
    group: int  # from 1
    earlier: tuple[str, ...]  # what beams of earlier groups have chosen at this step
    ways: tuple[Way, ...]  # best first; then those that fell behind
    without: tuple[tuple[int, str], ...]  # who would go on without the penalty: beam and token
    lines: tuple[Line, ...]  # the group's beams afterwards
    ended: tuple[Line, ...]  # that became hypotheses
    bounded: Bounded  # whether the search goes on

    @property
    def chosen(self) -> tuple[tuple[int, str], ...]:
        """Who goes on: beam and token."""
        return tuple((way.beam, way.token) for way in self.ways if way.fate == LIVES)

    @property
    def differs(self) -> bool:
        """Whether the penalty has changed who goes on."""
        return {*self.chosen} != {*self.without}

    def __str__(self) -> str:
        """Name what was chosen, and what would have been."""
        took = f"token {self.number}, group {self.group}: {_named(self.chosen)}"
        if not self.earlier:
            return f"{took}; no group has chosen yet"
        if not any(way.cost for way in self.ways):
            return f"{took}; what earlier groups have chosen costs nothing"
        costs = ", ".join(f"{token!r} ({times}x)" for token, times in Counter(self.earlier).items())
        would = f"without the penalty: {_named(self.without)}" if self.differs else "as without the penalty"
        return f"{took}; lowered: {costs}; {would}"


def _named(chosen: Sequence[tuple[int, str]]) -> str:
    return ", ".join(f"{token!r} after beam {beam}" if len(chosen) > 1 else repr(token) for beam, token in chosen)


@step
class Ranked:
    """The hypotheses of all groups at the end, best first."""

    lines: tuple[Line, ...]
    scores: tuple[float, ...]  # totals divided by length ** length_penalty: what the search ranks by
    own_scores: tuple[float, ...]  # the model's own sums, divided likewise

    def __str__(self) -> str:
        """Say from which group the best one comes."""
        paid = sum(line.paid > 0 for line in self.lines)
        return (
            f"{len(self.lines)} hypotheses; the best comes from group {self.lines[0].group} and has the score "
            f"{self.scores[0]:.3f}; {paid} of them paid a penalty"
        )


@step
class Outcome:
    """How different the outputs of one search are, and what the model itself thinks of them."""

    search: str
    outputs: int
    different: int
    pairs: float  # of all pairs of neighbouring tokens, the share of different ones
    best: float  # the model's own score of the best output
    mean: float  # of all outputs

    @classmethod
    def of(cls, search: str, ranked: Ranked) -> Outcome:
        """That of a search."""
        rows = [line.tokens for line in ranked.lines]
        own = ranked.own_scores
        return cls(search, len(rows), len({*rows}), distinct_share(rows), max(own), fsum(own) / len(own))


@step
class Compared:
    """The same text searched without groups, with groups that do not see one another, and with the penalty."""

    outcomes: tuple[Outcome, ...]

    def __str__(self) -> str:
        """Name the different outputs of each search, and their mean score."""
        said = (
            f"{each.search}: {each.different} of {each.outputs} outputs differ, and {each.pairs:.0%} of their pairs of "
            f"tokens; the model's mean score is {each.mean:.3f}"
            for each in self.outcomes
        )
        return ". ".join(said)


class Turns:
    """Puts the steps of a search for one text together, as they come.

    Args:
        name: the token of an id.
        ends: the tokens that end an output.

    >>> from tokenlab.transformers.generation.beam_steps import Candidate
    >>> turns = Turns({5: "Hund", 1: "</s>"}.get, {"</s>"})
    >>> found = Sifted(0, 1, (Candidate(0, 5, -0.5, LIVES), Candidate(0, 1, -2.0, ENDS)), size=1)
    >>> bound = Bounded(0, (-2.0,), 1, -0.5, False, -0.5, 1)
    >>> [turn] = [*turns.take(found), *turns.take(bound)]
    >>> print(turn)
    token 1, group 1: 'Hund'; no group has chosen yet
    """

    def __init__(self, name: Callable[[int], str], ends: Collection[str]) -> None:
        self.name = name
        self.ends = ends
        self.number = 0  # of the token that is chosen now
        self.lines: dict[int, tuple[Line, ...]] = {}  # the beams of each group
        self.ended: list[Line] = []
        self.lowered: Lowered | None = None
        self.sifted: Sifted | None = None

    def take(self, done: Any) -> Iterator[Turn | Ranked]:
        """Take in a step of the library, and give what is whole with it."""
        match done:
            case Lowered():
                self.lowered = done
            case Sifted():
                self.sifted = done
            case Bounded():
                assert self.sifted is not None
                yield self._turn(self.sifted, self.lowered, done)
                self.lowered = None
            case Chosen():
                yield self._ranked(done)

    def _turn(self, sifted: Sifted, lowered: Lowered | None, bounded: Bounded) -> Turn:
        group = sifted.group + 1
        self.number += group == 1
        ways = self._ways(sifted, lowered)
        parents = self.lines.get(group) or (Line((), 0.0, 0.0, group),)
        self.lines[group], ended = (
            tuple(self._line(parents[way.beam], way) for way in ways if way.fate == fate) for fate in (LIVES, ENDS)
        )
        self.ended += ended
        # subtle: only what was lowered would have been higher, so no way that is not among these comes into question.
        rivals = sorted((way for way in ways if way.token not in self.ends), key=lambda way: -way.before)
        without = tuple((way.beam, way.token) for way in rivals[: sifted.size])
        earlier = () if lowered is None else tuple(map(self.name, lowered.tokens))
        return Turn(self.number, group, earlier, ways, without, self.lines[group], ended, bounded)

    def _ways(self, sifted: Sifted, lowered: Lowered | None) -> tuple[Way, ...]:
        """The candidates, best first, and behind them those of what was lowered that are none any more."""
        sums = _sums(lowered)
        ways = []
        for each in sifted.candidates:
            before, after = sums.pop((each.parent, each.token), (each.score, each.score))
            ways.append(Way(each.parent, self.name(each.token), before, after, each.fate))
        fallen = [Way(beam, self.name(token), *both, FELL_OUT) for (beam, token), both in sums.items()]
        return (*ways, *sorted(fallen, key=lambda way: -way.after))

    def _line(self, parent: Line, way: Way) -> Line:
        """What the beam has written after this way, its end left out."""
        tokens = parent.tokens if way.token in self.ends else (*parent.tokens, way.token)
        return Line(tokens, way.after, parent.paid + way.cost, parent.group)

    def _ranked(self, chosen: Chosen) -> Ranked:
        known = [*self.ended, *(line for lines in self.lines.values() for line in lines)]
        lines = []
        for ids, total in zip(chosen.ids, chosen.totals, strict=True):
            tokens = tuple(map(self.name, ids[1:]))  # without the start
            lines.append(next(line for line in known if line.tokens == tokens and line.total == total))
            known.remove(lines[-1])
        # score / total is 1 / length ** length_penalty, which Chosen does not say.
        own = (line.own * score / (line.total or 1) for line, score in zip(lines, chosen.scores, strict=True))
        return Ranked(tuple(lines), chosen.scores, tuple(own))


def _sums(lowered: Lowered | None) -> dict[tuple[int, int], tuple[float, float]]:
    """For each beam and each token that was lowered, the sums before and after."""
    if lowered is None:
        return {}
    return {
        (beam, token): (before, after)
        for beam, both in enumerate(zip(lowered.before, lowered.after, strict=True))
        for token, before, after in zip(lowered.tokens, *both, strict=True)
        if before > SWITCHED_OFF
    }
