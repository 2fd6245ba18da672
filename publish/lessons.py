"""The stored lessons: their names, titles and objectives, and the players in their outputs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import nbformat

FOLDER = Path(__file__).parents[1] / "notebooks"
BUILD = FOLDER.parent / "build"
OPTIONAL = ("09_subword_text_encoder", "10_making_training_data", "12_slow_and_fast_tokenizers", "21_auto_classes")
IN_THE_TAB = re.compile("(0[0-9]|1[0-2]|23)_.*|capstone_gpt2_tokenizer")  # lessons without PyTorch
FRAMES = "<script type=application/json data-tokenlab=frames>"  # the markup before a player's data


@dataclass(frozen=True)
class Lesson:
    """A lesson: its file name without the extension, and its notebook."""

    name: str
    notebook: Any

    @cached_property
    def title(self) -> str:
        """The first heading in Markdown, or the lesson's name without one."""
        found = re.search(r"(?m)^# +(.+?) *#*$", self._prose)
        return found[1] if found else self.name

    @cached_property
    def promise(self) -> str:
        """The first paragraph of the first quote in Markdown, which states the lesson's objectives."""
        found = re.search(r"(?m)^(?:>[ \t]*\S.*\n?)+", self._prose)
        return re.sub(r"(?m)^> ?", "", found[0]).strip() if found else ""

    @property
    def label(self) -> str:
        """The name, and whether the lesson is optional: no other lesson needs it."""
        return f"{self.name} · optional" if self.name in OPTIONAL else self.name

    @property
    def _prose(self) -> str:
        return "\n\n".join(cell.source for cell in self.notebook.cells if cell.cell_type == "markdown")


def stored(folder: Path = FOLDER) -> list[Lesson]:
    """Return the lessons of a folder, in order."""
    return [Lesson(path.stem, _read(path)) for path in sorted(folder.glob("*.ipynb"))]


def runs_in_the_tab(name: str) -> bool:
    """Return whether a JupyterLite site has the lesson of this name (`publish/lite.py`).

    >>> runs_in_the_tab("12_slow_and_fast_tokenizers"), runs_in_the_tab("13_t5_in_one_picture")
    (True, False)
    """
    return IN_THE_TAB.fullmatch(name) is not None


def _read(path: Path) -> Any:
    """Return a notebook with the Markdown of its source."""
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = as_in_source(cell.source)
    return notebook


def as_in_source(markdown: str) -> str:
    """Revert the changes that `build.py` makes for JupyterLab.

    >>> as_in_source("[01_bpe_training](01_bpe_training.ipynb)")
    '`01_bpe_training`'
    """
    unlinked = re.sub(r"\[(\w+)\]\(\1\.ipynb\)", r"`\1`", markdown)
    return unlinked.replace('<details style="margin-bottom:1em">', "<details>")


def html_outputs(notebook: Any) -> Iterator[Any]:
    """Yield the data of every output with HTML."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if "text/html" in output.get("data", {}):
                yield output.data


def players_of(notebook: Any) -> Iterator[Any]:
    """Yield the data of every output with a stored player."""
    return (data for data in html_outputs(notebook) if FRAMES in data["text/html"])


def players(notebook: Any) -> Iterator[dict[str, Any]]:
    """Yield the data of every stored player, with the short forms of markup expanded."""
    for data in html_outputs(notebook):
        for packed in re.findall(f"(?s){FRAMES}(.*?)</script>", data["text/html"]):
            yield expanded(json.loads(packed))


def expanded(data: dict[str, Any]) -> dict[str, Any]:
    """Expand every short form in a player's data, as player.js does."""

    def written_out(value: Any) -> Any:
        if isinstance(value, str):
            return re.sub("[\ue000-\ue0ff]", lambda sign: data["short"][ord(sign[0]) - 0xE000], value)
        if isinstance(value, list):
            return [written_out(part) for part in value]
        return {name: written_out(part) for name, part in value.items()} if isinstance(value, dict) else value

    return {name: written_out(value) for name, value in data.items() if name != "short"}
