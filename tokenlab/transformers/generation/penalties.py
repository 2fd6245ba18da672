"""What was said before costs something: by this text, by its source, or by other beams at this very step.

Source: transformers 4.26.1, generation/logits_process.py.
"""

from __future__ import annotations

import torch
from torch import Tensor

from tokenlab.transformers.generation.arguments import above_zero, columns, refuse_groups, whole
from tokenlab.transformers.generation.processors import LogitsProcessor


class RepetitionPenaltyLogitsProcessor(LogitsProcessor):
    """Makes every token that stands in the text less likely, once, however often it stands there.

    Source: Keskar et al., CTRL, arXiv:1909.05858, section 4.1; there only positive scores were thought of.

    Args:
        penalty: above 1 against repetition, below 1 for it.

    Raises:
        ValueError: the penalty is no float above 0.

    >>> RepetitionPenaltyLogitsProcessor(2.0)(torch.tensor([[0, 1, 1]]), torch.tensor([[4.0, -4.0, 4.0]]))
    tensor([[ 2., -8.,  4.]])
    """

    def __init__(self, penalty: float) -> None:
        self.penalty = above_zero("penalty", penalty, "1.0 changes nothing and 1.2 is usual")

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Lower scores for the tokens of each row: (rows, vocab_size)."""
        score = scores.gather(1, input_ids)  # (rows, length)
        # subtle: dividing would raise a negative score; both branches move it down.
        penalized = torch.where(score < 0, score * self.penalty, score / self.penalty)
        return scores.scatter(1, input_ids, penalized)


class EncoderRepetitionPenaltyLogitsProcessor(LogitsProcessor):
    """Makes every token of the source more likely: the penalty is on what is not in the source.

    Args:
        penalty: above 1 against words that the source does not have.
        encoder_input_ids: (batch, source), or one source alone: (source,).

    Raises:
        ValueError: the penalty is no float above 0.

    >>> faithful = EncoderRepetitionPenaltyLogitsProcessor(2.0, torch.tensor([[0, 1]]))
    >>> faithful(torch.tensor([[5], [5]]), torch.tensor([[4.0, -4.0, 4.0], [1.0, 1.0, 1.0]]))
    tensor([[ 8., -2.,  4.],
            [ 2.,  2.,  1.]])
    """

    def __init__(self, penalty: float, encoder_input_ids: Tensor) -> None:
        self.penalty = 1 / above_zero("penalty", penalty, "1.0 changes nothing")
        self.encoder_input_ids = encoder_input_ids.reshape(-1, encoder_input_ids.shape[-1])

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Higher scores for the tokens of each row's source: (rows, vocab_size)."""
        columns("encoder_input_ids", [int(self.encoder_input_ids.max())], scores)
        sources = of_rows(self.encoder_input_ids, scores)  # (rows, source)
        score = scores.gather(1, sources)
        raised = torch.where(score < 0, score * self.penalty, score / self.penalty)
        return scores.scatter(1, sources, raised)


def of_rows(sources: Tensor, scores: Tensor) -> Tensor:
    """The source of each row: the beams of one sentence are rows that follow each other.

    Args:
        sources: (batch, ...).
        scores: (batch * beams, vocab_size).

    Raises:
        ValueError: the rows do not come to equally many for each source.

    >>> of_rows(torch.tensor([[7], [8]]), torch.zeros(4, 3)).tolist()
    [[7], [7], [8], [8]]
    """
    beams, rest = divmod(len(scores), len(sources))
    if rest:
        raise ValueError(
            f"encoder_input_ids has {len(sources)} rows and scores has {len(scores)}; "
            "each source should have as many rows of scores as any other"
        )
    return sources.repeat_interleave(beams, dim=0)


class HammingDiversityLogitsProcessor(LogitsProcessor):
    """Takes from a token's score for every beam of an earlier group that has chosen it at this step.

    Source: Vijayakumar et al., Diverse Beam Search, arXiv:1610.02424, section 4.

    Args:
        diversity_penalty: what each earlier beam with that token costs.
        num_beams: of all groups together.
        num_beam_groups: how many groups they make.

    Raises:
        ValueError: the penalty is no float above 0, or fewer than two beams or groups, or beams that do not make
            equal groups.

    >>> differ = HammingDiversityLogitsProcessor(0.5, num_beams=3, num_beam_groups=3)
    >>> differ(torch.tensor([[0]]), torch.zeros(1, 3), current_tokens=torch.tensor([2, 2, 0]), beam_group_idx=2)
    tensor([[ 0.,  0., -1.]])
    """

    def __init__(self, diversity_penalty: float, num_beams: int, num_beam_groups: int) -> None:
        self.diversity_penalty = above_zero("diversity_penalty", diversity_penalty, "0.5 is usual")
        self.num_beams = whole("num_beams", num_beams, at_least=2)
        self.num_beam_groups = whole("num_beam_groups", num_beam_groups, at_least=2)
        refuse_groups(self.num_beams, self.num_beam_groups)

    def __call__(  # type: ignore[override]
        self, input_ids: Tensor, scores: Tensor, current_tokens: Tensor, beam_group_idx: int
    ) -> Tensor:
        """Lower scores for what earlier groups have chosen: (batch * beams of a group, vocab_size).

        Args:
            input_ids: of this group's beams.
            scores: of this group's beams.
            current_tokens: what all beams have chosen at this step, where they have: (batch * num_beams,).
            beam_group_idx: which group this is, from 0.
        """
        group_size = self.num_beams // self.num_beam_groups
        chosen = current_tokens.view(-1, self.num_beams)[:, : beam_group_idx * group_size]  # (batch, earlier beams)
        counts = scores.new_zeros(len(chosen), scores.shape[1])
        counts = counts.scatter_add(1, chosen, torch.ones_like(chosen, dtype=scores.dtype))  # (batch, vocab_size)
        return scores - self.diversity_penalty * counts.repeat_interleave(group_size, dim=0)
