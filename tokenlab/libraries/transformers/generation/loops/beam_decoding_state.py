"""`BeamDecodingState`: a decoding state with a beam scorer, and the rows from which each beam came.

Leaves out: the candidates of a step (`beam_loop` and the loops that use it).

Source: transformers 4.26.1, generation/utils.py (`beam_search`, `beam_indices`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from inspect import signature
from typing import Any, NamedTuple

from torch import Tensor

from tokenlab.libraries.transformers.generation.beams.beam_scorer import BeamSearchScorer, num_candidates_per_beam
from tokenlab.libraries.transformers.generation.loops.decoding_state import DecodingState
from tokenlab.steps.recording import call_steps


class Candidates(NamedTuple):
    """The candidates of one step, best first."""

    scores: Tensor  # cumulative log-probabilities: (texts, candidates)
    tokens: Tensor
    beams: Tensor  # the beam of its text that each extends
    all_scores: Tensor | None = None  # of all tokens, for a scorer with constraints: (texts * beams, vocab_size)


class BeamDecodingState(DecodingState):
    """State of one call of a loop over beams.

    Raises:
        ValueError: the number of rows is not texts times beams.
        TypeError: the scorer has constraints and the loop does not use them, or vice versa.
    """

    def __init__(self, arguments: dict[str, Any]) -> None:
        super().__init__(arguments)
        self.has_constraints = "constrained_beam_scorer" in arguments
        scorer = arguments["constrained_beam_scorer" if self.has_constraints else "beam_scorer"]
        input_ids = arguments["input_ids"]
        # A user's scorer is of neither class, and may have any attributes.
        is_ours = issubclass(type(scorer), BeamSearchScorer)
        if is_ours and hasattr(scorer, "constraints") != self.has_constraints:
            wanted = "ConstrainedBeamSearchScorer" if self.has_constraints else "BeamSearchScorer"
            raise TypeError(f"the scorer is a {type(scorer).__name__}; this loop needs a {wanted}")
        self.scorer = scorer
        # The library's scorer with constraints has no beam_indices.
        self.passes_indices = not self.has_constraints or accepts(scorer.process, "beam_indices")
        self.num_texts, self.num_beams = texts, beams = len(scorer._beam_hyps), scorer.num_beams
        if len(input_ids) != texts * beams:
            raise ValueError(
                f"input_ids should have {texts} x {beams} rows, one for each beam of each text, and has "
                f"{len(input_ids)}; input_ids.repeat_interleave(num_beams, dim=0) makes them"
            )
        # Rows of a finished text continue from another text's row, which is visible only in the scores of all rows.
        self.texts = self.texts if self.keeps_scores else texts
        self.hint = ""  # log_softmax has made the whole row nan: replaced by 0, all tokens would be equal
        # For each row, the rows of the scores in which its tokens were selected.
        self.beam_indices: list[tuple[int, ...]] | None = [()] * len(input_ids) if self.keeps_scores else None

    def adjusted_log_probabilities(self, logits: Tensor, input_ids: Tensor) -> Tensor:
        """Return the log-probabilities after `adjust_logits_during_generation`: (rows, vocab_size)."""
        adjusted = self.model.adjust_logits_during_generation(logits, cur_len=input_ids.shape[-1])
        log_probabilities: Tensor = adjusted.log_softmax(dim=-1)
        return log_probabilities

    def best_candidates(self, totals: Tensor, num_beams: int) -> Candidates:
        """Return the candidates with the highest cumulative log-probabilities.

        Args:
            totals: the cumulative log-probabilities of all candidates: (texts * num_beams, vocab_size).
            num_beams: the number of beams of each text; with groups, those of one group.
        """
        vocab_size = totals.shape[-1]
        totals = totals.view(-1, num_beams * vocab_size)  # all candidates of a text in one row
        scores, places = totals.topk(num_candidates(num_beams, self.ends, totals.shape[-1]), dim=-1)
        return Candidates(scores, places % vocab_size, places // vocab_size)

    def check_beams_selectable(self, best: Sequence[float]) -> None:
        """Raise if no candidate can be selected for a text that is not done and has no hypothesis.

        Args:
            best: the highest cumulative log-probability of each text: nan if any is, -infinity if all are forbidden.

        Raises:
            ValueError: the scores are nan, or the processors left no token.
        """
        if all(value > -math.inf for value in best):
            return
        if any(value != value for value in best):
            self._refuse(forbidden=False)
        texts = zip(best, self.finished_texts, self.scorer._beam_hyps, strict=True)
        if any(value == -math.inf and not done and not len(pool) for value, done, pool in texts):
            self._refuse(forbidden=True)

    @property
    def finished_texts(self) -> Sequence[bool]:
        """For each text whether its search is done; False if a user's scorer does not tell."""
        done: Sequence[bool] = getattr(self.scorer, "_done", [False] * self.num_texts)
        return done

    def process(self, input_ids: Tensor, candidates: Candidates, **more: Any) -> Generator[Any, None, Any]:
        """Let the scorer select the beams that continue; `more` are further arguments of its `process`."""
        indices = {"beam_indices": self.beam_indices} if self.passes_indices else {}
        given = (each for each in candidates if each is not None)
        options = {**self.special_token_ids, **indices, **more}
        return (yield from call_steps(self.scorer.process, input_ids, *given, **options))

    def finalize(
        self, output_class: Any, input_ids: Tensor, scores: Tensor, candidates: Candidates
    ) -> Generator[Any, None, Any]:
        """Let the scorer choose the outputs; return their ids, or an `output_class` with everything requested.

        Args:
            output_class: the class of the output.
            input_ids: the beams: (texts * beams, length).
            scores: their cumulative log-probabilities: (texts * beams,).
            candidates: those of the last step.
        """
        finalize = self.scorer.finalize
        given = {"max_length": self.max_length, **self.special_token_ids}
        if not self.has_constraints or accepts(finalize, "beam_indices"):
            given["beam_indices"] = self.beam_indices
        final = yield from call_steps(finalize, input_ids, scores, candidates.tokens, candidates.beams, **given)
        if not self.with_names:
            return final["sequences"]
        return self.make_output(
            output_class,
            final["sequences"],
            sequences_scores=final["sequence_scores"] if self.keeps_scores else None,
            beam_indices=final.get("beam_indices"),
        )

    @property
    def special_token_ids(self) -> dict[str, Any]:
        """The arguments pad_token_id and eos_token_id of a scorer's methods."""
        return {"pad_token_id": self.pad, "eos_token_id": None if self.eos is None else self.ends}

    def beam_indices_of(self, rows: Tensor) -> list[tuple[int, ...]] | None:
        """Return the beam indices of the given rows."""
        return None if self.beam_indices is None else [self.beam_indices[row] for row in rows.tolist()]

    def reorder_cache(self, rows: Tensor) -> None:
        """Replace row i of the KV cache and of the beam indices by row rows[i], the beam that row i continues."""
        super().reorder_cache(rows)
        if self.beam_indices is not None:
            self.beam_indices = [(*self.beam_indices[parent], parent) for parent in rows.tolist()]


def accepts(function: Callable[..., Any], name: str) -> bool:
    """Return True if a parameter has that name: an override may lack a parameter that the library does not have.

    >>> accepts(lambda input_ids, group=0: None, "group"), accepts(lambda input_ids, **kwargs: None, "group")
    (True, False)
    """
    return name in signature(function).parameters


def num_candidates(beams: int, ends: Sequence[int], of: int) -> int:
    """Return the number of candidates that leaves enough if every id that ends an output is among them.

    >>> num_candidates(4, [1], of=400), num_candidates(4, [1, 2], of=400), num_candidates(4, [1], of=5)
    (8, 12, 5)
    """
    return min(num_candidates_per_beam(ends) * beams, of)
