"""Write `stand_ins/regex/tables.py`: ranges of code points from the package `regex`, for its stand-in in the browser.

Run it after an update of the package: python -m publish.live.regex_tables
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

import regex
from regex import _regex_core

from tokenlab.storage import files

TABLES = Path(__file__).parent / "stand_ins" / "regex" / "tables.py"
GRAPHEMES = ("control", "prepend", "l", "v", "t", "regionalindicator/ri", "extend", "spacingmark")
EVERYTHING = "".join(map(chr, range(0x110000)))
START = '''"""Properties that `unicodedata` does not have, as ranges of code points: scripts, grapheme clusters, emoji.

Written by publish/live/regex_tables.py, from the package `regex` {version}, which has Unicode 18.
"""

TABLES = """
'''


def queries() -> Iterator[tuple[str, str]]:
    """Yield the name of each table, with other names after slashes, and the set that it contains."""
    scripts: dict[int, list[str]] = {}
    for name, number in _regex_core.PROPERTIES["SCRIPT"][1].items():
        scripts.setdefault(number, []).append(name.lower())
    for names in sorted(sorted(names, key=len, reverse=True) for names in scripts.values()):
        if "unknown" not in names:
            yield f"sc={'/'.join(names)}", rf"\p{{sc={names[0]}}}"
    for name in GRAPHEMES:
        yield f"gcb={name}", rf"\p{{gcb={name.split('/')[0]}}}"
    yield "incb=consonant", r"\p{InCB=Consonant}"
    yield "incb=linker", r"\p{InCB=Linker}"
    yield "extendedpictographic", r"\p{ExtPict}"
    yield "alphabeticmarks", r"[\p{Alphabetic}--[\p{L}\p{Nl}]]"  # and circled letters


def ranges(members: str) -> str:
    r"""Return the code points of a set in the syntax of `regex`.

    >>> ranges(r"\p{sc=Ogham}")
    '1680-169C'
    """
    found = regex.finditer(f"(?V1){members}+", EVERYTHING)
    return " ".join("-".join(f"{code:X}" for code in sorted({one.start(), one.end() - 1})) for one in found)


def tables() -> str:
    """Return the file with all tables."""
    entries = "; ".join(f"{name}: {ranges(members)}" for name, members in queries() if ranges(members))
    lines = textwrap.fill(entries, 119, break_on_hyphens=False, break_long_words=False)
    return f'{START.format(version=regex.__version__)}{lines}\n"""\n'


if __name__ == "__main__":
    files.write_atomically(TABLES, tables())
