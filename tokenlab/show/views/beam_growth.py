"""What is known of a beam search after some of its steps: the tree, the beams, the pool; a replay of the steps alone.

Nothing here looks at a model: parents are followed, sums subtracted, and scores divided as the settings say.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tokenlab.steps import Recording
from tokenlab.transformers.generation.beam_steps import ENDS, LIVES, BeamStep, Bounded, Chosen, Sifted
from tokenlab.transformers.generation.spoken import spoken
from tokenlab.visible import visible

START = "start"


@dataclass(frozen=True, eq=False)
class Node:
    """A candidate: a beam with one more token; the root has none."""

    name: str  # of its token
    score: float  # the sum of its tokens' log-probabilities
    fate: str = LIVES
    step: int = 0
    rank: int = 0  # among the candidates of its step, counted from 0
    beam: int = 0  # which one it is from now on, if it lives
    parent: Node | None = None

    @property
    def log_probability(self) -> float:
        """Of its token, as the processors left it."""
        return self.score - (self.parent.score if self.parent else 0.0)

    @property
    def path(self) -> tuple[Node, ...]:
        """From the first token to this one."""
        return () if self.parent is None else (*self.parent.path, self)

    @property
    def key(self) -> str:
        """What names it on a page."""
        return f"{self.step}.{self.rank}"


@dataclass(frozen=True)
class Rule:
    """How a sum of log-probabilities becomes a score."""

    length_penalty: float
    length_counts: str
    prompt: int  # ids before the first that is written

    def length(self, ids: int, ended: bool) -> int:
        """The length that counts, of so many ids without their eos."""
        return ids if self.length_counts == "prompt" else max(ids - self.prompt + ended, 1)

    def divisor(self, length: int) -> float:
        """What the sum is divided by."""
        return float(length**self.length_penalty)

    @property
    def counted(self) -> str:
        """What a length counts, in words."""
        if self.length_counts != "prompt":
            return "what was written, with the end"
        return f"all tokens, with the start{' and the prompt' * (self.prompt > 1)} and without the end"


@dataclass(frozen=True)
class Finished:
    """A hypothesis: where it ends in the tree, and its score."""

    node: Node  # that of its eos; of an open beam, its last
    length: int
    divisor: float

    @property
    def ended(self) -> bool:
        """Whether an eos ended it."""
        return self.node.fate != LIVES

    @property
    def score(self) -> float:
        """The sum over the divisor."""
        return self.node.score / self.divisor

    @property
    def tokens(self) -> tuple[Node, ...]:
        """Its tokens, without the eos."""
        return self.node.path[:-1] if self.ended else self.node.path


@dataclass
class Growth:
    """The tree so far, and what lives, ended and was decided."""

    names: Sequence[str]
    rule: Rule
    room: int  # beams, and hypotheses in the pool
    prompt: tuple[str, ...] = ()  # the tokens after the start that stood there before the first was written
    root: Node = field(default_factory=lambda: Node(START, 0.0))
    columns: list[tuple[Node, ...]] = field(default_factory=list)
    beams: tuple[Node, ...] = ()
    pool: list[Finished] = field(default_factory=list)  # in the order in which they came
    gone: list[Finished] = field(default_factory=list)  # what better ones pushed out
    written: int = 0  # ids of a beam, with its start
    bound: Bounded | None = None
    ranking: tuple[Finished, ...] = ()  # at the end
    drawn: dict[Node, str] = field(default_factory=dict)  # what a view made of a node, for it never changes

    @classmethod
    def of(cls, recording: Recording[Any, Any], steps: int | None = None) -> Growth:
        """After the first steps of a recording, or after all."""
        given = recording.arguments
        written = next((step.length for step in recording if isinstance(step, Sifted)), 1)
        rule = Rule(given["length_penalty"], given["length_counts"], written)
        growth = cls(recording.result.names, rule, given["num_beams"], written=written)
        before = next((step.ids[0][1:written] for step in recording if isinstance(step, Chosen)), ())
        growth.prompt = tuple(map(growth.name, before))
        growth.root = Node(" ".join((START, *map(visible, growth.prompt))), 0.0)
        growth.beams = (growth.root,) * growth.room
        return growth.after(recording.steps[:steps])

    def after(self, steps: Iterable[BeamStep | Chosen]) -> Growth:
        """Take in some steps."""
        for step in steps:
            match step:
                case Sifted():
                    self._sift(step)
                case Bounded():
                    self.bound = step
                case Chosen():
                    self._choose(step)
        return self

    def copy(self) -> Growth:
        """Another one, which may go on without this one."""
        return replace(self, columns=[*self.columns], pool=[*self.pool], gone=[*self.gone])

    def name(self, token: int) -> str:
        """The token of an id."""
        return self.names[token] if token < len(self.names) else f"<{token}>"

    def said(self, one: Finished) -> str:
        """A hypothesis as text, with the prompt."""
        return spoken((*self.prompt, *(node.name for node in one.tokens)))

    def _sift(self, step: Sifted) -> None:
        number, living, column = len(self.columns) + 1, 0, []
        for rank, candidate in enumerate(step.candidates):
            node = Node(
                self.name(candidate.token),
                candidate.score,
                candidate.fate,
                number,
                rank,
                living,
                self.beams[candidate.parent],
            )
            living += node.fate == LIVES
            column.append(node)
            if node.fate == ENDS:
                self._take(node, step.length)
        self.columns.append(tuple(column))
        self.beams = tuple(node for node in column if node.fate == LIVES)
        self.written = step.length + 1

    def _take(self, node: Node, ids: int) -> None:
        """A hypothesis gets in, and pushes out the worst where there is no room."""
        self.pool.append(self._finished(node, ids))
        if len(self.pool) > self.room:
            worst = min(range(len(self.pool)), key=lambda place: self.pool[place].score)
            self.gone.append(self.pool.pop(worst))

    def _finished(self, node: Node, ids: int) -> Finished:
        length = self.rule.length(ids, ended=node.fate != LIVES)
        return Finished(node, length, self.rule.divisor(length))

    def _choose(self, step: Chosen) -> None:
        """The ranking at the end, in which open beams may stand."""
        open_beams = [self._finished(node, self.written) for node in self.beams]
        # subtle: with the sum, since of several ids that end an output two may follow the same tokens.
        known = {
            ((*(node.name for node in one.tokens),), one.node.score): one
            for one in (*open_beams, *sorted(self.pool, key=lambda one: one.score))
        }
        paths = (tuple(self.name(token) for token in ids[self.rule.prompt :]) for ids in step.ids)
        self.ranking = tuple(known[path, total] for path, total in zip(paths, step.totals, strict=True))

    @property
    def kept(self) -> frozenset[Node]:
        """What lies on the way to a beam that lives, or to a hypothesis of the pool."""
        ends = [one.node for one in self.ranking] or [*self.beams, *(one.node for one in self.pool)]
        return frozenset(node for end in ends for node in end.path)


def place_of(node: Node, columns: Sequence[tuple[Node, ...]]) -> int:
    """The place of its token among the candidates of its beam, counted from 1; greedy search takes the first.

    >>> root = Node("", 0.0)
    >>> column = tuple(Node(name, -score, step=1, parent=root) for score, name in enumerate("ab"))
    >>> [place_of(node, [column]) for node in column]
    [1, 2]
    """
    column = columns[node.step - 1]
    return [other for other in column if other.parent is node.parent].index(node) + 1
