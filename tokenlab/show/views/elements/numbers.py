"""Format numbers for captions and cells."""

from __future__ import annotations

from tokenlab.printing.printed_numbers import format_figures, format_mean, format_number

SWITCHED_OFF_TEXT = -1e8  # cumulative log-probabilities below this belong to disabled beams


def format_negative(number: float, decimals: int = 2) -> str:
    """Format a number with the minus sign U+2212, which allows no line break after it.

    >>> format_negative(-1.234), format_negative(0.5, 1), format_negative(-1e9), format_negative(-0.001)
    ('−1.23', '0.5', 'off', '0.00')
    """
    if number < SWITCHED_OFF_TEXT:
        return "off"
    return format_number(number, decimals).replace("-", "−")


def format_mean_score(score: float) -> str:
    """Format a score that is a mean of log probabilities.

    >>> format_mean_score(-0.1234), format_mean_score(-2.1705)
    ('−0.123', '−2.17')
    """
    return format_mean(score).replace("-", "−")


def format_log_probability(number: float) -> str:
    """Format the log probability of one token; from -1 on with one decimal, because the model is less sure there.

    >>> format_log_probability(-0.334), format_log_probability(-2.515), format_log_probability(-12.3)
    ('−0.33', '−2.5', '−12')
    """
    return format_negative(number, 2 if number > -1 else 1)


def format_score(score: float, figures: int = 3) -> str:
    """Format a score, which a high penalty makes tiny or huge, with three significant figures.

    >>> format_score(-0.076682), format_score(-121.05), format_score(-0.0000035)
    ('−0.0767', '−121', '−3.50e−06')
    """
    return format_figures(score, figures).replace("-", "−")


def format_magnitude(number: float) -> str:
    """Format a positive number: in full if it is an integer or at least 1000, but below 1e6; else with three figures.

    >>> [format_magnitude(number) for number in (8.0, 8**1.5, 16807.0, 40**5.0, 8**-3.0)]
    ['8', '22.6', '16807', '1.02e+08', '0.00195']
    """
    in_full = number < 1e6 and (number >= 1e3 or number == round(number))
    return f"{number:.0f}" if in_full else format_score(number)
