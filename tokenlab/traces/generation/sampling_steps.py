"""Recorded steps of sampling: a distribution, each change of it, a generated token, and its cross-attention weights.

The steps do not need PyTorch, so that a recording can be loaded and displayed without it. They contain token names.
"""

from __future__ import annotations

from tokenlab.printing.printable import printable
from tokenlab.printing.printed_numbers import format_probability
from tokenlab.steps.recording import step

NEGLIGIBLE = 1e-9  # shown as the probability of possible tokens for which rounding leaves 0


@step
class NextTokenDistribution:
    """The model's distribution of the next token."""

    tokens: tuple[str, ...]  # the most probable ones that are shown
    probabilities: tuple[float, ...]
    num_possible: int  # the size of the vocabulary
    entropy: float  # the expected surprisal, in nats

    def __str__(self) -> str:
        best = f"{format_probability(self.probabilities[0])} to {printable(self.tokens[0])}"
        return f"the model gives {best}, of {self.num_possible} tokens"


@step
class FilterCutoff:
    """The rule of a filter, and the values that it compares."""

    criterion: str  # what it compares: "rank", "together" (cumulative probability), "distance" or "probability"
    values: tuple[float, ...]  # the criterion of each token that is shown
    explanation: str  # the rule with the numbers of this distribution

    def __str__(self) -> str:
        return self.explanation


@step
class DistributionChanged:
    """A processor or a warper changed the distribution."""

    name: str
    settings: str
    tokens: tuple[str, ...]  # ordered by their probability before
    before: tuple[float, ...]
    after: tuple[float, ...]
    num_possible_before: int  # tokens with a probability above 0 before
    num_possible: int  # and after
    removed_mass: float  # the probability that removed tokens had before
    cutoff: FilterCutoff | None  # None if the change is not a filter

    @property
    def other_mass(self) -> tuple[float, float]:
        """The probability mass of the tokens that are not shown, before and after."""
        return _other_mass(self.before, self.num_possible_before), _other_mass(self.after, self.num_possible)

    def __str__(self) -> str:
        name = f"{self.name}({self.settings})"
        if self.num_possible != self.num_possible_before:
            left, removed = f"{self.num_possible} of {self.num_possible_before}", format_probability(self.removed_mass)
            return f"{name} keeps {left} tokens; the others had {removed} together"
        best = max(range(len(self.after)), key=self.after.__getitem__)
        token, before, after = (
            printable(self.tokens[best]),
            format_probability(self.before[best]),
            format_probability(self.after[best]),
        )
        kept = "the only token" if self.num_possible == 1 else f"all {self.num_possible} tokens"
        return f"{name} keeps {kept}; the most probable token, {token}, had {before} and has {after}"


@step
class TokenGenerated:
    """A token was selected and appended."""

    token: str
    probability: float
    most_probable: str
    max_probability: float  # the highest probability
    drawn: bool  # False in greedy search
    tokens: tuple[str, ...]  # the possible tokens that are shown
    probabilities: tuple[float, ...]
    num_possible: int  # tokens with a probability above 0

    def __str__(self) -> str:
        if not self.drawn:
            return f"{printable(self.token)} is the most probable token: {format_probability(self.probability)}"
        drawn = f"{printable(self.token)} is drawn: {format_probability(self.probability)}"
        if self.token == self.most_probable:
            return f"{drawn}, the most probable token"
        most = format_probability(self.max_probability)
        return f"{drawn}; the most probable token, {printable(self.most_probable)}, has {most}"


@step
class CrossAttentionWeights:
    """The cross-attention weights of the decoder position that predicts a token."""

    token: str
    source: tuple[str, ...]
    weights: tuple[float, ...]

    @property
    def argmax(self) -> int:
        """The source position with the largest weight."""
        return max(range(len(self.weights)), key=self.weights.__getitem__)

    def __str__(self) -> str:
        best, weight = self.source[self.argmax], self.weights[self.argmax]
        return f"{printable(self.token)} attends to {printable(best)} most: {format_probability(weight)}"


def _other_mass(shown: tuple[float, ...], possible: int) -> float:
    """Return the probability mass of tokens that are not shown; 0 if none of them is possible."""
    if sum(probability > 0 for probability in shown) >= possible:
        return 0.0
    return max(NEGLIGIBLE, 1 - sum(shown))
