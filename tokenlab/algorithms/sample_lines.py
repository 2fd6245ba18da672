"""Lines of a long file within a budget: what tensor2tensor lets its vocabulary see of each file.

Adds: skipping lines, so that the sample is spread over the file, and stopping when the budget is spent.
Leaves out: archives and files, which are `tokenlab.tensor2tensor`'s work.
Source: tensor2tensor/data_generators/generator_utils.py, generate_lines_for_vocab.

>>> print(sample_lines.record(["red", "green", "blue", "white", "black", "grey"], size=31, budget=7))
1. line 3 was taken, "blue": 4 characters, and 3 of the budget are left
2. line 6 was taken, "grey": 4 characters, and the budget is spent
3. the file ends after line 6
"""

from __future__ import annotations

from collections.abc import Generator, Iterable

from tokenlab.steps import step, stepwise
from tokenlab.visible import visible


@step
class Taken:
    """A line belongs to the sample; `left` is what is then left of the budget."""

    number: int
    line: str
    left: float

    def __str__(self) -> str:
        """Say which line, what it cost, and what is left."""
        left = f"{self.left:,.0f} of the budget are left" if self.left > 0 else "the budget is spent"
        return f'line {self.number:,} was taken, "{visible(self.line)}": {len(self.line):,} characters, and {left}'


@step
class Ended:
    """No line is taken any more: the budget is spent (`spent`), or the file has ended after `number` lines."""

    number: int
    spent: bool

    def __str__(self) -> str:
        """Say why the sample ends."""
        if self.spent:
            return f"line {self.number:,} would be next, but the budget is spent: nobody reads on"
        return f"the file ends after line {self.number:,}"


def lines_to_skip(size: int, budget: float) -> int:
    """How many lines are skipped before each line that is taken.

    Half the number that would just spend the budget: lines differ in length, and the end of the file should not come
    before the end of the budget.

    Raises:
        ValueError: the budget is not above zero.

    >>> lines_to_skip(size=10_000, budget=1_000)
    5
    """
    if not budget > 0:
        raise ValueError(f"file_byte_budget={budget} leaves no line for the vocabulary; give more than 0, such as 1e6")
    return int(size / budget / 2)


@stepwise
def sample_lines(lines: Iterable[str], size: int, budget: float) -> Generator[Taken | Ended, None, list[str]]:
    """The lines that the vocabulary sees, without white space at their ends.

    Args:
        lines: all lines of the file; they are read no further than needed.
        size: the size of the file, in bytes.
        budget: how much may be taken; its name in tensor2tensor says bytes, and it is spent in characters.

    Raises:
        ValueError: the budget is not above zero.

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
            yield Ended(number, spent=True)
            return taken
        else:
            taken.append(line.strip())
            # subtle: the size is in bytes, and this in characters.
            budget -= len(taken[-1])
            skipped = 0
            yield Taken(number, taken[-1], budget)
    yield Ended(number, spent=False)
    return taken
