"""The same lessons are marked as optional in the README, in the plans, on the site and on the slides."""

from __future__ import annotations

import re
from pathlib import Path

from publish import slides
from publish.lessons import OPTIONAL, stored
from publish.site_source import Source

ROOT = Path(__file__).parents[2]


def test_the_same_lessons_are_optional_everywhere(tmp_path: Path) -> None:
    lessons = stored()
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    plans = (ROOT / "docs" / "instructors.md").read_text(encoding="utf-8")
    site = "".join(cell.source for cell in Source(tmp_path, lessons, ROOT / "docs").index().cells)
    listed = r"<small>(\w+) · optional</small>"
    assert tuple(re.findall(r"(?m)^\| optional \| `(\w+)` \|", readme)) == OPTIONAL
    numbers = [name[:2] for name in OPTIONAL]
    assert re.findall(r"(?m)^### (\d\d) .+ \(optional\)$", plans) == numbers
    assert f"Lessons {', '.join(numbers[:-1])} and {numbers[-1]} are optional" in plans
    assert tuple(re.findall(listed, site)) == OPTIONAL == tuple(re.findall(listed, slides.index(lessons)))


def test_a_lesson_that_needs_an_optional_one_says_so() -> None:
    for source in sorted((ROOT / "notebooks" / "source").glob("*.py")):
        needed = re.search(r"(?s)\*\*Before this:\*\*(.+?)\n#\n", source.read_text(encoding="utf-8"))
        assert needed
        for name in {*re.findall(r"`(\w+)`", needed[1])} & {*OPTIONAL} - {source.stem}:
            before = " ".join(needed[1].replace("#", " ").replace(">", " ").split())
            assert source.stem in OPTIONAL or f"optional `{name}`" in before, (source.stem, name)
