"""Replay of the steps of a beam search: the tree, the beams and the pool after any number of steps.

No model is needed: parents are followed, sums are subtracted, and `StoppingRule` scores the hypotheses.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tokenlab.algorithms.decoding.finished_hypotheses import index_of_worst
from tokenlab.algorithms.decoding.stopping_rule import LENGTH_RULES, StoppingRule
from tokenlab.libraries.transformers.generation.beam_steps import (
    CONTINUES,
    FINISHES,
    BeamsSelected,
    BeamStep,
    FinalHypotheses,
    StoppingCheck,
)
from tokenlab.printing.printable import printable
from tokenlab.steps.recording import Recording
from tokenlab.traces.generation.token_names import tokens_to_text

START = "start"
MAX_BEAMS = 10_000  # that can be shown


@dataclass(frozen=True, eq=False)
class CandidateNode:
    """A node of the tree: a beam extended by one token; the root has no token."""

    name: str  # its token
    score: float  # sum of the log-probabilities of its tokens
    status: str = CONTINUES
    step: int = 0
    rank: int = 0  # among the candidates of its step, from 0
    beam: int = 0  # its beam after this step, if it continues
    parent: CandidateNode | None = None

    @property
    def log_probability(self) -> float:
        """Log-probability of its token, after the logits processors."""
        return self.score - (self.parent.score if self.parent else 0.0)

    @property
    def path(self) -> tuple[CandidateNode, ...]:
        """The nodes from the first token to this one."""
        return () if self.parent is None else (*self.parent.path, self)

    @property
    def key(self) -> str:
        """The name of the node on a page."""
        return f"{self.step}.{self.rank}"


@dataclass(frozen=True)
class FinishedHypothesis:
    """A hypothesis: its last node in the tree, and its score."""

    node: CandidateNode  # the node of its eos; of a truncated beam, its last one
    length: int  # the length that divides its sum of log-probabilities
    score: float

    @property
    def ended(self) -> bool:
        """Whether an eos ended it."""
        return self.node.status != CONTINUES

    @property
    def tokens(self) -> tuple[CandidateNode, ...]:
        """Its tokens, without the eos."""
        return self.node.path[:-1] if self.ended else self.node.path


@dataclass
class BeamSearchState:
    """The tree so far, the beams, the pool and the last stopping check."""

    names: Sequence[str]
    rule: StoppingRule
    prompt: tuple[str, ...] = ()  # the tokens between the start token and the first generated one
    root: CandidateNode = field(default_factory=lambda: CandidateNode(START, 0.0))
    columns: list[tuple[CandidateNode, ...]] = field(default_factory=list)
    beams: tuple[CandidateNode, ...] = ()
    pool: list[FinishedHypothesis] = field(default_factory=list)  # in order of arrival
    evicted: list[FinishedHypothesis] = field(default_factory=list)  # replaced by better ones
    cur_len: int = 0  # ids of a beam, with its start
    stopping_check: StoppingCheck | None = None
    ranking: tuple[FinishedHypothesis, ...] = ()  # at the end
    drawn: dict[CandidateNode, str] = field(default_factory=dict)  # rendered nodes, which never change

    @classmethod
    def of(cls, recording: Recording[Any, Any], steps: int | None = None) -> BeamSearchState:
        """Return the state after the first steps of a recording, or after all."""
        given = recording.arguments
        if given["num_beams"] > MAX_BEAMS:
            raise ValueError(f"num_beams={given['num_beams']}: at most {MAX_BEAMS:,} beams can be shown")
        written = next((step.length for step in recording if isinstance(step, BeamsSelected)), 1)
        rule = StoppingRule(
            given["num_beams"],
            given["length_penalty"],
            given["early_stopping"],
            LENGTH_RULES[given["length_counts"]],
            prompt_length=written,
            max_length=given["max_length"],
        )
        growth = cls(recording.result.names, rule, cur_len=written)
        before = next((step.ids[0][1:written] for step in recording if isinstance(step, FinalHypotheses)), ())
        growth.prompt = tuple(map(growth.name, before))
        growth.root = CandidateNode(" ".join((START, *map(printable, growth.prompt))), 0.0)
        growth.beams = (growth.root,) * growth.rule.num_beams
        return growth.after(recording.steps[:steps])

    def after(self, steps: Iterable[BeamStep | FinalHypotheses]) -> BeamSearchState:
        """Apply some steps."""
        for step in steps:
            match step:
                case BeamsSelected():
                    self._add_column(step)
                case StoppingCheck():
                    self.stopping_check = step
                case FinalHypotheses():
                    self._rank(step)
        return self

    def copy(self) -> BeamSearchState:
        """Return an independent copy."""
        return replace(self, columns=[*self.columns], pool=[*self.pool], evicted=[*self.evicted])

    def name(self, token: int) -> str:
        """Return the token of an id."""
        return self.names[token] if token < len(self.names) else f"<{token}>"

    def text_of(self, one: FinishedHypothesis) -> str:
        """Return the text of a hypothesis, with the prompt."""
        return tokens_to_text((*self.prompt, *(node.name for node in one.tokens)))

    def _add_column(self, step: BeamsSelected) -> None:
        """Add the candidates of a step to the tree, with the statuses that the search reported."""
        number, beam, column = len(self.columns) + 1, 0, []
        for rank, candidate in enumerate(step.candidates):
            name, parent = self.name(candidate.token), self.beams[candidate.parent]
            node = CandidateNode(name, candidate.score, candidate.status, number, rank, beam, parent)
            beam += node.status == CONTINUES
            column.append(node)
            if node.status == FINISHES:
                self._add_to_pool(node, step.length)
        self.columns.append(tuple(column))
        self.beams = tuple(node for node in column if node.status == CONTINUES)
        self.cur_len = step.length + 1

    def _add_to_pool(self, node: CandidateNode, ids: int) -> None:
        """Add a hypothesis, and evict the worst one from a full pool."""
        self.pool.append(self._finished(node, ids))
        if len(self.pool) > self.rule.num_beams:
            self.evicted.append(self.pool.pop(index_of_worst([one.score for one in self.pool])))

    def _finished(self, node: CandidateNode, ids: int) -> FinishedHypothesis:
        has_eos = node.status != CONTINUES
        return FinishedHypothesis(node, self.rule.length_of(ids, has_eos), self.rule.score(node.score, ids, has_eos))

    def _rank(self, step: FinalHypotheses) -> None:
        """Set the final ranking, which may contain truncated beams."""
        truncated = [self._finished(node, self.cur_len) for node in self.beams]
        # subtle: the sum is part of the key, since two different eos ids may follow the same tokens.
        candidates = (*truncated, *sorted(self.pool, key=lambda one: one.score))
        known = {(tuple(node.name for node in one.tokens), one.node.score): one for one in candidates}
        paths = (tuple(self.name(token) for token in ids[self.rule.prompt_length :]) for ids in step.ids)
        self.ranking = tuple(known[path, total] for path, total in zip(paths, step.totals, strict=True))

    @property
    def kept(self) -> frozenset[CandidateNode]:
        """The nodes on the path to a beam or to a hypothesis of the pool."""
        ends = [one.node for one in self.ranking] or [*self.beams, *(one.node for one in self.pool)]
        return frozenset(node for end in ends for node in end.path)


def rank_in_beam(node: CandidateNode, columns: Sequence[tuple[CandidateNode, ...]]) -> int:
    """Return the rank of a node among the candidates of its beam, from 1; greedy search takes the first one.

    >>> root = CandidateNode("", 0.0)
    >>> column = tuple(CandidateNode(name, -score, step=1, parent=root) for score, name in enumerate("ab"))
    >>> [rank_in_beam(node, [column]) for node in column]
    [1, 2]
    """
    column = columns[node.step - 1]
    return [other for other in column if other.parent is node.parent].index(node) + 1
