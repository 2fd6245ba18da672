"""The small corpora of the kit, which were written for it.

>>> text("english")[:20] != ""
True
"""

from __future__ import annotations

import sys
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from tokenlab.printing.errors import lookup
from tokenlab.storage import files

_HERE = Path(__file__).parent
# In a clone the corpora are next to the package, in an installed copy inside it (setup.py).
FOLDER = _HERE / "_data" if (_HERE / "_data").exists() else _HERE.parent / "data"


def path(name: str) -> Path:
    """Return the path of a corpus.

    Raises:
        ValueError: the name is not known.
    """
    return lookup("name", name, {file.stem: file for file in sorted(FOLDER.glob("*.txt"))})


def text(name: str) -> str:
    """Return a corpus: "english", "german", "chinese", "japanese" or "mixed".

    Raises:
        ValueError: the name is not known.
    """
    return files.read_text(path(name))


def pairs(name: str = "english_chinese") -> list[tuple[str, str]]:
    """Return the sentence pairs of a parallel corpus: "english_chinese" or "english_chinese_dev".

    Raises:
        ValueError: the name is not known.

    >>> pairs()[0]
    ('The train to Shanghai leaves at 6:15.', '去上海的火车6点15分出发。')
    """
    file = lookup("name", name, {file.stem: file for file in sorted(FOLDER.glob("*.tsv"))})
    sentences = (line.rstrip("\n").partition("\t") for line in files.read_lines(file))
    return [(source, target) for source, _, target in sentences]


def t5_tiny() -> Path:
    """Return the folder of the tiny T5: its weights, its vocabulary, and the grammar of its training data.

    >>> t5_tiny().name
    't5-tiny'
    """
    return FOLDER / "t5-tiny"


def decoder_tiny() -> Path:
    """Return the folder of the tiny decoder-only model: its weights, its vocabulary, and the stories that it learned.

    >>> decoder_tiny().name
    'decoder-tiny'
    """
    return FOLDER / "decoder-tiny"


@cache
def grammar() -> ModuleType:
    """Return the module that generates the tiny T5's training data and judges its output.

    >>> grammar().is_right("He has a dog.", "translate English to German: ", "Er hat einen Hund.")
    True
    """
    return _run("tokenlab._grammar", t5_tiny() / "grammar.py")


@cache
def stories() -> ModuleType:
    """Return the module that writes the stories of the tiny decoder and judges whether a story is right.

    >>> stories().grammatical("Mia found the ring under a bench."), stories().grammatical("Mia found bench.")
    (True, False)
    """
    return _run("tokenlab._stories", decoder_tiny() / "stories.py")


def _run(name: str, path: Path) -> ModuleType:
    spec = spec_from_file_location(name, path)
    assert spec and spec.loader
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
