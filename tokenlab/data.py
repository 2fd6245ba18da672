"""The corpora that ship with the kit: small texts, written for it.

>>> text("english")[:20] != ""
True
"""

from __future__ import annotations

from pathlib import Path

from tokenlab import files
from tokenlab.errors import choose

FOLDER = Path(__file__).parent.parent / "data"


def path(name: str) -> Path:
    """Where the corpus of that name lies.

    Raises:
        ValueError: there is none of that name.
    """
    return choose("name", name, {file.stem: file for file in sorted(FOLDER.glob("*.txt"))})


def text(name: str) -> str:
    """The corpus of that name: "english", "german", "chinese", "japanese" or "mixed".

    Raises:
        ValueError: there is none of that name.
    """
    return files.read_text(path(name))
