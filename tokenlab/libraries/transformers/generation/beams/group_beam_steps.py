"""The step that group beam search adds: the penalty on tokens that earlier groups have chosen.

Leaves out: the penalty itself (`HammingDiversityLogitsProcessor`). Nothing here loads PyTorch.
"""

from __future__ import annotations

from collections import Counter

from tokenlab.printing.printed_numbers import format_number
from tokenlab.steps.recording import step


@step
class DiversityPenaltyApplied:
    """The tokens that earlier groups have chosen at this step, and the sums of a later group's beams with these tokens.

    A sum adds the log-probability of the token to the sum of its beam: `before` as the model gives it, and `after` as
    the logits processors leave it.
    """

    text: int
    length: int  # ids of each beam before this step
    group: int
    tokens: tuple[int, ...]  # one for each beam of an earlier group; tokens may repeat
    before: tuple[tuple[float, ...], ...]  # (beams of this group, tokens)
    after: tuple[tuple[float, ...], ...]

    def __str__(self) -> str:
        if self.before == self.after:
            return f"text {self.text}: group {self.group} pays no penalty for the tokens of earlier groups"
        times = Counter(self.tokens)
        places = {token: self.tokens.index(token) for token in times}
        costs = (
            f"{token} ({times[token]}x): {format_number(self.before[0][place])} becomes "
            f"{format_number(self.after[0][place])}"
            for token, place in places.items()
        )
        return f"text {self.text}: penalties of group {self.group} for the tokens of earlier groups: {', '.join(costs)}"
