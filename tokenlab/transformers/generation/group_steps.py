"""What group beam search is seen to do beside beam search: what earlier groups have chosen costs a later one.

Leaves out: who makes it cost something (`HammingDiversityLogitsProcessor`). Nothing here loads PyTorch.
"""

from __future__ import annotations

from collections import Counter

from tokenlab.steps import step


@step
class Lowered:
    """What earlier groups have chosen at this step, and what each beam of a later group would come to with it.

    Sums are those of the beam's tokens' log-probabilities and of this one's: of this token first as the model gives
    it, then as the processors left it.
    """

    text: int
    length: int  # of the beams, before this step
    group: int
    tokens: tuple[int, ...]  # one for each earlier beam; the same token may come again
    before: tuple[tuple[float, ...], ...]  # for each beam of this group, the sum with each of these tokens
    after: tuple[tuple[float, ...], ...]

    def __str__(self) -> str:
        """Say what was chosen, how often, and what it costs the first beam."""
        if self.before == self.after:
            return f"text {self.text}: what earlier groups have chosen costs group {self.group} nothing"
        times = Counter(self.tokens)
        places = {token: self.tokens.index(token) for token in times}
        costs = (
            f"{token} ({times[token]}x): {self.before[0][place]:.2f} becomes {self.after[0][place]:.2f}"
            for token, place in places.items()
        )
        return f"text {self.text}: for group {self.group}, chosen by earlier ones, {', '.join(costs)}"
