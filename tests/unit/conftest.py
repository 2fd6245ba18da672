"""Fixtures: the files of a corpus."""

from __future__ import annotations

from pathlib import Path

import pytest

from tokenlab import data


@pytest.fixture
def corpus(tmp_path: Path) -> list[Path]:
    """Files in different languages; the words of some are in others."""
    paths = []
    for number, name in enumerate(("german", "english", "mixed", "german", "japanese")):
        paths.append(tmp_path / f"{number}.txt")
        paths[-1].write_text(data.text(name), encoding="utf-8", newline="\n")
    return paths


@pytest.fixture
def deadly(tmp_path: Path) -> Path:
    """A file with a line at which `die` kills its process, and an empty folder for its marks."""
    (tmp_path / "marks").mkdir()
    lines = [f"word{number} b a\n" for number in range(400)]
    (tmp_path / "a.txt").write_text("".join([*lines, "Katze\n", *lines]), encoding="utf-8", newline="\n")
    return tmp_path
