"""Format numbers of a model: only digits that every processor computes alike.

A product of matrices differs in its last bits from processor to processor. The rule for all that is printed: a digit
stays the same if the logits change by a relative 1e-5. With logits of 40, log probabilities then change by less than
0.001, so they have at most two decimals, and improbable ones fewer. No format removes the danger that a number lies
at the edge of two roundings; a test runs the lessons with noise and names such numbers, and the lesson uses another
example there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable


def format_number(number: float, decimals: int = 2, sign: str = "") -> str:
    """Format a number of a model with one decimal less from 10 on, and none from 20 on; zero has no minus sign.

    Args:
        decimals: the decimals of a number below 10.
        sign: "+" to write the sign of positive numbers as well.

    >>> format_number(-1.234), format_number(-13.755), format_number(-28.15), format_number(-0.001)
    ('-1.23', '-13.8', '-28', '0.00')
    >>> format_number(0.5, 1, "+"), format_number(-9.97, 1)
    ('+0.5', '-10')
    """
    size = abs(round(number, decimals))
    decimals = max(0, decimals - (size >= 10) - (size >= 20))
    return f"{round(number, decimals) + 0:{sign}.{decimals}f}"


def format_mean(score: float) -> str:
    """Format a score that is a mean of log probabilities, with three decimals below 1.

    >>> format_mean(-0.1234), format_mean(-2.1705)
    ('-0.123', '-2.17')
    """
    return format_number(score, 3 if abs(score) < 1 else 2)


def format_probability(probability: float) -> str:
    """Format a probability with two decimals, near 0 and 1 with more; only 0 and 1 themselves are shown as 0 and 1.

    >>> [format_probability(number) for number in (1.0, 0.9999, 0.9951, 0.51234, 0.0123, 0.00004, 0.0)]
    ['1', '0.999…', '0.995', '0.51', '0.012', '0.00004', '0']
    """
    if probability in (0, 1):
        return f"{probability:.0f}"
    if probability >= 0.9995:
        return "0.999…"
    if 0.0995 <= probability < 0.995:
        return f"{probability:.2f}"
    return f"{probability:.3f}" if probability >= 0.0005 else f"{probability:.5f}".replace("0.00000", "0.0…")


def format_short(number: float) -> str:
    """Format a number of a small example with three significant digits, without zeros at the end.

    >>> format_short(0.1 + 0.2), format_short(-0.6), format_short(0.623728), format_short(12)
    ('0.3', '-0.6', '0.624', '12')
    """
    return f"{number:.3g}"


def format_figures(number: float, figures: int = 3) -> str:
    """Format a number, which may be tiny or huge, with three significant figures.

    >>> format_figures(-0.076682), format_figures(-121.05), format_figures(-0.0000035)
    ('-0.0767', '-121', '-3.50e-06')
    """
    return f"{number:#.{figures}g}".rstrip(".")


def format_distinct(numbers: Iterable[float], write: Callable[[float, int], str], least: int) -> list[str]:
    """Format numbers with the fewest figures, from `least` to `least + 3`, that distinguish all different numbers.

    >>> format_distinct([-1.891, -1.894, -2.0], format_number, least=2)
    ['-1.891', '-1.894', '-2.000']
    >>> format_distinct([-0.11777, -0.11798], format_figures, least=3)
    ['-0.1178', '-0.1180']
    """
    wanted = [*numbers]
    written = [[write(number, figures) for number in wanted] for figures in range(least, least + 4)]
    return next((shown for shown in written if len(set(shown)) == len(set(wanted))), written[-1])
