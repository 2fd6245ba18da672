"""A stand-in for the compiled package `regex` in tests of a browser tab: `re`, with Unicode's general categories.

Adds: `\\p{L}` and `\\P{Nd}`, also inside a set, and `(?V1)`. Leaves out: all else that only `regex` has. Other
properties match nothing, so that modules with such patterns can be imported.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from re import Match, Pattern, escape

__all__ = ["VERBOSE", "VERSION1", "Match", "Pattern", "compile", "error", "escape", "findall", "finditer", "fullmatch"]
VERSION1, VERBOSE, error = 0, re.VERBOSE, re.error
LAST = 0x33480  # no character with a category of interest follows
PROPERTY = re.compile(r"\\(?P<p>[pP])\{(?P<name>[^}]*)\}|\\.|[\[\]]")


@cache
def members(category: str, inverted: bool) -> str:
    """The inside of a set with the characters of a general category; no text has the one of an unknown category."""
    found = [False, *(unicodedata.category(chr(code)).startswith(category) != inverted for code in range(LAST)), False]
    edges = [code for code in range(LAST + 1) if found[code] != found[code + 1]]
    return "".join(f"\\U{a:08x}-\\U{b - 1:08x}" for a, b in zip(edges[::2], edges[1::2], strict=True)) or r"\U0010ffff"


def compile(pattern, flags=0):
    if not isinstance(pattern, str):
        return pattern
    depth = 0

    def translated(found):
        nonlocal depth
        if found["p"] is None:
            depth += {"[": 1, "]": -1}.get(found[0], 0)
            return found[0]
        inside = members(found["name"], found["p"] == "P")
        return inside if depth > 0 else f"[{inside}]"

    return re.compile(PROPERTY.sub(translated, pattern.replace("(?V1)", "")), flags)


def _function(name):
    def call(pattern, *arguments, **options):
        return getattr(compile(pattern), name)(*arguments, **options)

    return call


match, search, fullmatch, findall = map(_function, ("match", "search", "fullmatch", "findall"))
finditer, split, sub = map(_function, ("finditer", "split", "sub"))
