"""Numbers as they stand in sentences and cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable

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


def score_of(score: float, figures: int = 3) -> str:
    """A score, which a high penalty makes tiny or huge, in three figures.

    >>> score_of(-0.076682), score_of(-121.05), score_of(-0.0000035)
    ('−0.0767', '−121', '−3.50e−06')
    """
    return f"{score:#.{figures}g}".rstrip(".").replace("-", "−")


def size_of(number: float) -> str:
    """A number above zero: in three figures, or in full where it is whole or has more before its point.

    >>> size_of(8.0), size_of(8**1.5), size_of(16807.0), size_of(40**5.0), size_of(8**-3.0)
    ('8', '22.6', '16807', '1.02e+08', '0.00195')
    """
    in_full = number < 1e6 and (number >= 1e3 or number == round(number))
    return f"{number:.0f}" if in_full else score_of(number)


def told_apart(numbers: Iterable[float], write: Callable[[float, int], str], least: int) -> list[str]:
    """Numbers with as many figures as tell them apart, but not many.

    >>> told_apart([-1.891, -1.894, -2.0], minus, least=2), told_apart([-0.11777, -0.11798], score_of, least=3)
    (['−1.891', '−1.894', '−2.000'], ['−0.1178', '−0.1180'])
    """
    wanted = [*numbers]
    written = [[write(number, figures) for number in wanted] for figures in range(least, least + 4)]
    return next((shown for shown in written if len(set(shown)) == len(set(wanted))), written[-1])
