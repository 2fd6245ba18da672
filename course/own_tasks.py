"""Your own tasks, which nobody finds in the public kit: files in the folder `own_tasks` of a course.

A file there has the format of the kit's sources (see `course.build`). If it has the name of one of them, such as
`own_tasks/assignment1.py`, its sections go into that assignment: each takes the place of the section with the same
`solution` cell, and one with a new task comes before the answer in words. A section begins with a heading of level 2.
A file with another name is an assignment of its own.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

FOLDER = "own_tasks"


def sources(kit: Path, course: Path) -> list[Path]:
    """Return the sources of all assignments of a course: those of the kit, and its own.

    Raises:
        ValueError: the name of a file cannot be that of an assignment.
    """
    for own in sorted((course / FOLDER).glob("[!.]*.py")):
        if not re.fullmatch(r"[A-Za-z0-9_-]+", own.stem):
            raise ValueError(f"rename {FOLDER}/{own.name}: an assignment's name has letters a-z, digits, - and _ only")
    known = {source.name: source for folder in (course / FOLDER, kit) for source in folder.glob("[!.]*.py")}
    return [known[name] for name in sorted(known)]


def combined(cells: list[Any], own: list[Any]) -> list[Any]:
    """Return the cells of an assignment with the sections of one's own.

    Raises:
        ValueError: there is a cell before the first heading, or a section without a task.
    """
    before, *kept = _sections(cells)
    stray, *new = _sections(own)
    if stray:
        raise ValueError(f"put a heading of level 2 before this cell in {FOLDER}:\n{stray[0].source}")
    for section in new:
        if not (tasks := _tasks(section)):
            raise ValueError(f"this section in {FOLDER} has no solution cell:\n{section[0].source}")
        places = [place for place, one in enumerate(kept) if _tasks(one) & tasks]
        in_words = [place for place, one in enumerate(kept) if any(_is_in_words(cell) for cell in one)]
        place = (places or in_words or [len(kept)])[0]
        kept = [one for number, one in enumerate(kept) if number not in places]
        kept.insert(place, section)
    return [cell for section in (before, *kept) for cell in section]


def _sections(cells: list[Any]) -> list[list[Any]]:
    """Return the cells before the first heading of level 2, and then those from each such heading to the next one."""
    found: list[list[Any]] = [[]]
    for cell in cells:
        if cell.cell_type == "markdown" and cell.source.startswith("## "):
            found.append([])
        found[-1].append(cell)
    return found


def _tasks(section: list[Any]) -> set[str]:
    return {cell.metadata["solution"] for cell in section if "solution" in cell.metadata}


def _is_in_words(cell: Any) -> bool:
    return "solution" in cell.metadata and "points" in cell.metadata
