"""Recorded steps of sampling: a distribution, each change of it, a generated token, and its cross-attention weights.

The steps do not need PyTorch, so that a recording can be loaded and displayed without it. They contain token names.
"""

from __future__ import annotations

from tokenlab.algorithms.attention.attention_output import position_names
from tokenlab.printing.printable import Parts, SymbolPart
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

    def sentence(self) -> Parts:
        """Name the most probable token."""
        softmax = f"the softmax of the logits gives each of the {self.num_possible:,} tokens a probability"
        best: Parts = [SymbolPart(self.tokens[0]), f": {format_probability(self.probabilities[0])}"]
        return [f"{softmax}; the most probable token is ", *best]


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

    def sentence(self) -> Parts:
        """Say how many tokens are kept, or which probability has changed most."""
        name = f"{self.name}({self.settings})"
        if removed := self.num_possible_before - self.num_possible:
            had = f"had {format_probability(self.removed_mass)}"
            others = f"the other {had}" if removed == 1 else f"the others {had} together"
            return [f"{name} keeps {self.num_possible:,} of {self.num_possible_before:,} tokens; {others}"]
        most = max(range(len(self.tokens)), key=lambda row: abs(self.after[row] - self.before[row]))
        before, after = format_probability(self.before[most]), format_probability(self.after[most])
        kept = "keeps the only token" if self.num_possible == 1 else "removes no token"
        if before == after:
            return [f"{name} {kept}; none of the probabilities shown here has changed"]
        return [f"{name} {kept}; ", SymbolPart(self.tokens[most]), f" had {before} and has {after}"]


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

    def sentence(self) -> Parts:
        """Say why the token was selected, and which one is the most probable."""
        token, probability = SymbolPart(self.token, "new"), format_probability(self.probability)
        if not self.drawn:
            return [token, f" is selected, because it is the most probable token: {probability}"]
        if self.token == self.most_probable:
            return [token, f" is drawn: {probability}; it is also the most probable token"]
        drawn: Parts = [token, f" is drawn: {probability}; the most probable token, ", SymbolPart(self.most_probable)]
        return [*drawn, f", has {format_probability(self.max_probability)}"]


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

    @property
    def source_names(self) -> list[str]:
        """The source tokens, numbered where they occur more than once."""
        return position_names(self.source, "token", len(self.source))

    def sentence(self) -> Parts:
        """Name the source token with the largest weight."""
        attends: Parts = ["to generate ", SymbolPart(self.token, "new"), ", the decoder attends to "]
        best, weight = SymbolPart(self.source_names[self.argmax]), self.weights[self.argmax]
        return [*attends, best, f" most: {format_probability(weight)}"]


def _other_mass(shown: tuple[float, ...], possible: int) -> float:
    """Return the probability mass of tokens that are not shown; 0 if none of them is possible."""
    if sum(probability > 0 for probability in shown) >= possible:
        return 0.0
    return max(NEGLIGIBLE, 1 - sum(shown))
