"""What the steps of a beam search are applied to: the tree of candidates, the beams, and the pool of hypotheses.

Leaves out: the decisions (`beam_scorer`), which the steps report. No model is needed: parents are followed, sums are
subtracted, and `StoppingRule` scores the hypotheses. Nothing here loads PyTorch.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tokenlab.algorithms.decoding.beam_search import FINISHED, KEPT
from tokenlab.algorithms.decoding.stopping_rule import StoppingCheck, StoppingRule, index_of_worst

if TYPE_CHECKING:
    from tokenlab.libraries.transformers.generation.beam_steps import Candidate

START = "start"


@dataclass(frozen=True, eq=False)
class CandidateNode:
    """A node of the tree: a beam extended by one token; the root has no token."""

    name: str  # its token
    score: float  # sum of the log-probabilities of its tokens
    status: str = KEPT
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
        nodes, node = [], self
        while node.parent is not None:
            nodes.append(node)
            node = node.parent
        return tuple(nodes[::-1])

    @property
    def key(self) -> str:
        """The name of the node on a page."""
        return f"{self.step}.{self.rank}"


@dataclass
class BeamTree:
    """The tree so far, and the beams, of one text and group.

    An id is named by the candidates that have it, or, if none has a name, by its number.
    """

    names: dict[int, str] = field(default_factory=dict)  # the tokens of ids
    root: CandidateNode = field(default_factory=lambda: CandidateNode(START, 0.0))
    columns: list[tuple[CandidateNode, ...]] = field(default_factory=list)  # the candidates of each step
    beams: tuple[CandidateNode, ...] = ()
    prompt_length: int = 1  # ids before the first generated one
    cur_len: int = 1  # ids of a beam

    def name(self, token: int) -> str:
        """Return the token of an id."""
        return self.names.get(token, str(token))

    def generated(self, ids: Sequence[int]) -> tuple[str, ...]:
        """Return the tokens of the generated ids of a hypothesis."""
        return tuple(map(self.name, ids[self.prompt_length :]))

    def extend(self, candidates: Iterable[Candidate], length: int) -> None:
        """Add the candidates of a step, best first; those that continue are the beams.

        Args:
            candidates: beams extended by one token, with the statuses that the search reported.
            length: ids of each beam before this step.
        """
        if not self.columns:
            self.prompt_length = length
        number, beam, column = len(self.columns) + 1, 0, []
        for rank, one in enumerate(candidates):
            self.names.setdefault(one.token, one.name or str(one.token))
            # At the first step, all beams are the root.
            parent = self.beams[one.parent] if 0 <= one.parent < len(self.beams) else self.root
            column.append(CandidateNode(self.name(one.token), one.score, one.status, number, rank, beam, parent))
            beam += one.status == KEPT
        self.columns.append(tuple(column))
        self.beams = tuple(node for node in column if node.status == KEPT)
        self.cur_len = length + 1

    def rank_in_beam(self, node: CandidateNode) -> int:
        """Return the rank of a node among the candidates of its beam, from 1; greedy search takes the first one."""
        column = self.columns[node.step - 1]
        return [other for other in column if other.parent is node.parent].index(node) + 1


@dataclass(frozen=True)
class FinishedHypothesis:
    """A hypothesis: its last node in the tree, and its score."""

    node: CandidateNode  # the node of its eos; of a truncated beam, its last one
    length: int  # the length that divides its sum of log-probabilities
    score: float

    @property
    def ended(self) -> bool:
        """Whether an eos ended it."""
        return self.node.status != KEPT

    @property
    def tokens(self) -> tuple[CandidateNode, ...]:
        """Its tokens, without the eos."""
        return self.node.path[:-1] if self.ended else self.node.path


@dataclass(kw_only=True)
class BeamSearchState(BeamTree):
    """The tree of a search whose rule is known, its pool, the last stopping check and the final ranking."""

    rule: StoppingRule
    prompt: tuple[str, ...] = ()  # the tokens between the start token and the first generated one
    pool: list[FinishedHypothesis] = field(default_factory=list)  # in order of arrival
    evicted: list[FinishedHypothesis] = field(default_factory=list)  # replaced by better ones
    stopping_check: StoppingCheck | None = None
    ranking: tuple[FinishedHypothesis, ...] = ()  # at the end

    def copy(self) -> BeamSearchState:
        """Return an independent copy."""
        return replace(self, columns=[*self.columns], pool=[*self.pool], evicted=[*self.evicted])

    def extend(self, candidates: Iterable[Candidate], length: int) -> None:
        """Add the candidates of a step; those that finish enter the pool, and evict the worst of a full one."""
        super().extend(candidates, length)
        for node in self.columns[-1]:
            if node.status == FINISHED:
                self.pool.append(self._finished(node, length))
                if len(self.pool) > self.rule.num_beams:
                    self.evicted.append(self.pool.pop(index_of_worst([one.score for one in self.pool])))

    def rank(self, ids: Iterable[Sequence[int]], sums: Iterable[float]) -> None:
        """Set the final ranking, which may contain truncated beams, from the ids and sums of the hypotheses."""
        truncated = [self._finished(node, self.cur_len) for node in self.beams]
        # subtle: the sum is part of the key, since two different eos ids may follow the same tokens.
        candidates = (*truncated, *sorted(self.pool, key=lambda one: one.score))
        known = {(tuple(node.name for node in one.tokens), one.node.score): one for one in candidates}
        self.ranking = tuple(known[self.generated(each), total] for each, total in zip(ids, sums, strict=True))

    def _finished(self, node: CandidateNode, ids: int) -> FinishedHypothesis:
        has_eos = node.status != KEPT
        return FinishedHypothesis(node, self.rule.length_of(ids, has_eos), self.rule.score(node.score, ids, has_eos))

    @property
    def kept(self) -> frozenset[CandidateNode]:
        """The nodes on the path to a beam or to a hypothesis of the pool."""
        ends = [one.node for one in self.ranking] or [*self.beams, *(one.node for one in self.pool)]
        return frozenset(node for end in ends for node in end.path)
