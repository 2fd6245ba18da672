"""How different several outputs are: the share of runs of tokens that are there once only.

Source: Li et al. 2016, "A Diversity-Promoting Objective Function for Neural Conversation Models" (distinct-1 and -2).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence


def distinct_share(rows: Sequence[Sequence[Hashable]], size: int = 2) -> float:
    """Of all runs of so many tokens in all rows, how many are different ones: 1 where none comes again.

    Args:
        rows: the tokens of each output.
        size: how many tokens a run has.

    >>> distinct_share(["abc", "abc"]), distinct_share(["abc", "abd"]), distinct_share(["abc", "cba"])
    (0.5, 0.75, 1.0)
    """
    runs = [tuple(row[start : start + size]) for row in rows for start in range(len(row) - size + 1)]
    return len({*runs}) / len(runs) if runs else 1.0
