"""Sample lines of a long file within a budget: tensor2tensor builds vocabularies from such a sample of each file.

Adds: skipping lines, so that the sample is spread over the file, and stopping when the budget is spent.
Leaves out: archives and files (`tokenlab.libraries.tensor2tensor`).
Source: tensor2tensor/data_generators/generator_utils.py, generate_lines_for_vocab.

>>> print(sample_lines.record(["red", "green", "blue", "white", "black", "grey"], size=31, budget=7))
1. line 3 was sampled, blue: it costs 4 characters, and 3 of the budget remain
2. line 6 was sampled, grey: it costs 4 characters, and the budget is spent
3. the file ends after line 6
"""

from __future__ import annotations

from collections.abc import Generator, Iterable

from tokenlab.printing.printable import Parts, SymbolPart, count_noun
from tokenlab.steps.recording import step, stepwise


@step
class LineSampled:
    """A line belongs to the sample; `budget_left` is the remaining budget, in characters."""

    number: int
    line: str
    budget_left: float

    def sentence(self) -> Parts:
        """Name the line, its cost and the rest of the budget."""
        left = f"{self.budget_left:,.0f} of the budget remain" if self.budget_left > 0 else "the budget is spent"
        cost = count_noun(len(self.line), "character")
        return ["line ", self.number, " was sampled, ", SymbolPart(self.line, "new"), f": it costs {cost}, and {left}"]


@step
class SamplingEnded:
    """Sampling ends: the budget is spent (`budget_spent`), or the file ends after `number` lines."""

    number: int
    budget_spent: bool

    def sentence(self) -> Parts:
        """Say why sampling ends."""
        if self.budget_spent:
            return ["line ", self.number, " would be next, but the budget is spent: reading stops"]
        return ["the file ends after line ", self.number]


def lines_to_skip(size: int, budget: float) -> int:
    """Return the number of lines to skip before each sampled line.

    This is half of `size / budget`, rounded down. Because lines differ in length, the factor makes it unlikely that
    the file ends before the budget is spent.

    Raises:
        ValueError: the budget is not positive.

    >>> lines_to_skip(size=10_000, budget=1_000)
    5
    """
    if not budget > 0:
        raise ValueError(f"file_byte_budget={budget} leaves no line for the vocabulary; give more than 0, such as 1e6")
    return int(size / budget / 2)


@stepwise
def sample_lines(
    lines: Iterable[str], size: int, budget: float
) -> Generator[LineSampled | SamplingEnded, None, list[str]]:
    """Return the sampled lines, without leading and trailing whitespace.

    Args:
        lines: all lines of the file; they are read no further than needed.
        size: the size of the file, in bytes.
        budget: the size of the sample, in characters, although tensor2tensor calls it `file_byte_budget`.

    Raises:
        ValueError: the budget is not positive.

    >>> sample_lines(["red", "green", "blue", "white", "black", "grey"], size=31, budget=7)
    ['blue', 'grey']
    """
    skip = lines_to_skip(size, budget)
    taken: list[str] = []
    number = skipped = 0
    for number, line in enumerate(lines, start=1):
        if skipped < skip:
            skipped += 1
        elif budget <= 0:
            yield SamplingEnded(number, budget_spent=True)
            return taken
        else:
            taken.append(line.strip())
            # subtle: the size is in bytes, but the cost of a line is in characters.
            budget -= len(taken[-1])
            skipped = 0
            yield LineSampled(number, taken[-1], budget)
    yield SamplingEnded(number, budget_spent=False)
    return taken
