"""What is seen of a draw: a distribution, each change of it, a token that is written, and where that one looked.

These records need no PyTorch, so that a recording can be loaded and drawn without it. Tokens have names here.
"""

from __future__ import annotations

from tokenlab.steps import step
from tokenlab.visible import visible

NEXT_TO_NOTHING = 1e-9  # what is left for tokens that are possible, where rounding says none is


@step
class Predicted:
    """The model's own distribution of the next token."""

    tokens: tuple[str, ...]  # the likeliest, as far as they are shown
    probabilities: tuple[float, ...]
    left: int  # how many tokens there are
    entropy: float  # the surprise to expect, in nats

    def __str__(self) -> str:
        """Name the likeliest."""
        return f"the model gives {said(self.probabilities[0])} to {visible(self.tokens[0])}, of {self.left} tokens"


@step
class Cut:
    """What a filter looked at."""

    what: str  # what it compares: "rank", "together", "distance" or "probability"
    looked: tuple[float, ...]  # that of each token that is shown
    why: str  # its rule, with the numbers of this distribution

    def __str__(self) -> str:
        """Say the rule."""
        return self.why


@step
class Changed:
    """A processor or a warper changed the distribution."""

    name: str
    told: str
    tokens: tuple[str, ...]  # by their probability before
    before: tuple[float, ...]
    after: tuple[float, ...]
    were: int  # tokens that were possible before
    left: int  # and that are now
    taken: float  # what those had that no longer are
    cut: Cut | None  # where it is a filter

    @property
    def rest(self) -> tuple[float, float]:
        """What the tokens that are not shown have together, before and after."""
        return _rest(self.before, self.were), _rest(self.after, self.left)

    def __str__(self) -> str:
        """Say what it does to how many."""
        what = f"{self.name}({self.told})"
        if self.left != self.were:
            return f"{what} leaves {self.left} of {self.were} tokens; the others had {said(self.taken)} together"
        best = max(range(len(self.after)), key=self.after.__getitem__)
        token, before, after = visible(self.tokens[best]), said(self.before[best]), said(self.after[best])
        kept = "the only token" if self.left == 1 else f"all {self.left} tokens"
        return f"{what} leaves {kept}; {token} is the likeliest: it had {before} and has {after}"


@step
class Written:
    """A token was chosen and written."""

    token: str
    probability: float
    likeliest: str
    highest: float
    drawn: bool  # or the likeliest was taken
    tokens: tuple[str, ...]  # what it was chosen from, as far as it is shown
    probabilities: tuple[float, ...]
    left: int  # how many tokens were possible

    def __str__(self) -> str:
        """Name the token, and the likeliest where that is another one."""
        if not self.drawn:
            return f"{visible(self.token)} is the likeliest: {said(self.probability)}"
        so = f"{visible(self.token)} is drawn: {said(self.probability)}"
        if self.token == self.likeliest:
            return f"{so}, the likeliest"
        return f"{so}; the likeliest, {visible(self.likeliest)}, has {said(self.highest)}"


@step
class Aligned:
    """While a token was chosen, the decoder looked at the source."""

    token: str
    source: tuple[str, ...]
    weights: tuple[float, ...]

    @property
    def strongest(self) -> int:
        """The place at which it looked most."""
        return max(range(len(self.weights)), key=self.weights.__getitem__)

    def __str__(self) -> str:
        """Name what it looked at most."""
        place = self.strongest
        return f"{visible(self.token)} looks at {visible(self.source[place])} most: {said(self.weights[place])}"


def _rest(shown: tuple[float, ...], possible: int) -> float:
    """What is left for tokens that are not shown; nothing, if none of them is possible."""
    if sum(share > 0 for share in shown) >= possible:
        return 0.0
    return max(NEXT_TO_NOTHING, 1 - sum(shown))


def said(probability: float) -> str:
    """A probability with as many digits as tell something; none is said to be zero or one that is not.

    >>> [said(number) for number in (1.0, 0.9999, 0.9995, 0.51234, 0.0123, 0.00004, 0.0)]
    ['1', '0.999…', '0.999…', '0.512', '0.012', '0.00004', '0']
    """
    if probability in (0, 1):
        return f"{probability:.0f}"
    if probability >= 0.9995:
        return "0.999…"
    return f"{probability:.3f}" if probability >= 0.0005 else f"{probability:.5f}".replace("0.00000", "0.0…")
