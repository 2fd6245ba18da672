"""The corpora that ship with the kit: small texts, written for it.

>>> text("english")[:20] != ""
True
"""

from __future__ import annotations

import sys
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from tokenlab import files
from tokenlab.errors import by_name

_HERE = Path(__file__).parent
# In a clone the corpora lie beside the package, in an installed copy inside it (setup.py).
FOLDER = _HERE / "_data" if (_HERE / "_data").exists() else _HERE.parent / "data"


def path(name: str) -> Path:
    """Where the corpus of that name lies.

    Raises:
        ValueError: there is none of that name.
    """
    return by_name("name", name, {file.stem: file for file in sorted(FOLDER.glob("*.txt"))})


def text(name: str) -> str:
    """The corpus of that name: "english", "german", "chinese", "japanese" or "mixed".

    Raises:
        ValueError: there is none of that name.
    """
    return files.read_text(path(name))


def pairs(name: str = "english_chinese") -> list[tuple[str, str]]:
    """The sentences and their translations in the parallel corpus of that name; "english_chinese_dev" is the other.

    Raises:
        ValueError: there is none of that name.

    >>> pairs()[0]
    ('The train to Shanghai leaves at 6:15.', '去上海的火车6点15分出发。')
    """
    file = by_name("name", name, {file.stem: file for file in sorted(FOLDER.glob("*.tsv"))})
    sentences = (line.rstrip("\n").partition("\t") for line in files.read_lines(file))
    return [(source, target) for source, _, target in sentences]


def t5_tiny() -> Path:
    """The folder of the tiny T5: its weights, its vocabulary, and the grammar from which it learned.

    >>> t5_tiny().name
    't5-tiny'
    """
    return FOLDER / "t5-tiny"


@cache
def grammar() -> ModuleType:
    """The module that writes the sentences of the tiny T5, and knows what is right.

    >>> grammar().is_right("He has a dog.", "translate English to German: ", "Er hat einen Hund.")
    True
    """
    return _module("tokenlab._grammar", t5_tiny() / "grammar.py")


def _module(name: str, file: Path) -> ModuleType:
    """The program in a file, as a module of that name."""
    spec = spec_from_file_location(name, file)
    assert spec and spec.loader
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
