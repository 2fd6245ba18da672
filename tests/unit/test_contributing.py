"""Every file and folder that CONTRIBUTING.md names exists, and so does every name that it gives for a file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
CODE = re.findall(r"`([^`\n]+)`", re.sub(r"(?s)```.*?```", "", TEXT))
NAMED = sorted({part for part in CODE if re.fullmatch(r"[\w./*{},-]+", part) and ("/" in part or part.endswith(".py"))})
# What the reader makes, or what stands for any family, lesson or library.
PLACEHOLDER = re.compile(r"FAMILY|LESSON|TOPIC|NAME|LIBRARY|NN_|my_|^_")


def expanded(path: str) -> list[str]:
    """Expand `{a,b}` as a shell does.

    >>> expanded("tokenlab/libraries/{bert,tiktoken}/")
    ['tokenlab/libraries/bert/', 'tokenlab/libraries/tiktoken/']
    """
    if not (found := re.search(r"\{([^{}]*)\}", path)):
        return [path]
    return [path[: found.start()] + one + path[found.end() :] for one in found[1].split(",")]


def test_paths_are_found_at_all() -> None:
    assert len(NAMED) > 30


@pytest.mark.parametrize("named", [path for path in NAMED if not PLACEHOLDER.search(path)])
def test_a_named_file_exists(named: str) -> None:
    folders = (ROOT, ROOT / "tokenlab", ROOT / "tokenlab/algorithms", ROOT / "tokenlab/show")
    for path in expanded(named):
        assert any([*folder.glob(path.rstrip("/"))] for folder in folders) or [*ROOT.glob(f"**/{path}")], path


def test_the_tasks_name_what_is_in_their_file() -> None:
    rows = re.findall(r"(?m)^\| (?!task|folder|---)(.+?) \| (.+?) \|$", TEXT)
    checked = 0
    for task, files in rows:
        names = [name for name in re.findall(r"`(_?[a-z]+_\w+)`", task + files) if "/" not in name and "." not in name]
        paths = [path for path in re.findall(r"`([\w/*]+\.py)`", files) if "FAMILY" not in path]
        sources = [p.read_text(encoding="utf-8") for path in paths for p in (ROOT / "tokenlab").glob(path)]
        for name in names if sources else []:
            assert any(name in source for source in sources), (task, name)
            checked += 1
    assert checked >= 4
