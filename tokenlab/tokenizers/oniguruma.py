"""Oniguruma's regular expressions (Ruby syntax), translated to the syntax of the `regex` module."""

from __future__ import annotations

import regex


def translate(pattern: str) -> regex.Pattern[str]:
    """Compile a pattern in Oniguruma's Ruby syntax with the `regex` module.

    Raises:
        ValueError: the pattern is invalid, or has a construct that `regex` does not support.
    """
    try:
        return regex.compile(pattern, regex.MULTILINE)
    except regex.error as error:
        raise ValueError(f"pattern={pattern!r:.80} is not a regular expression: {error}") from None
