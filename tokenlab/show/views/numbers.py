"""Numbers as they stand in sentences and cells."""

from __future__ import annotations

OFF = -1e8  # sums below this are those of a beam that was switched off


def minus(number: float, decimals: int = 2) -> str:
    """A number with a minus behind which no line is broken.

    >>> minus(-1.234), minus(0.5, 1), minus(-1e9), minus(-0.001)
    ('−1.23', '0.5', 'off', '0.00')
    """
    if number < OFF:
        return "off"
    return f"{round(number, decimals) + 0:.{decimals}f}".replace("-", "−")


def counted(number: int, thing: str) -> str:
    """How many things.

    >>> counted(1, "beam"), counted(2, "beam")
    ('1 beam', '2 beams')
    """
    return f"{number} {thing}{'s' * (number != 1)}"
