"""Lessons that were never written, for the tests of what is made of lessons."""

from __future__ import annotations

from typing import Any

from nbformat import v4

from publish.lessons import Lesson
from tokenlab.steps.recording import Recording


def lesson(*cells: str | Any, name: str = "90_made_up") -> Lesson:
    """A lesson with these cells; a text is markdown."""
    notebook = v4.new_notebook(cells=[v4.new_markdown_cell(c) if isinstance(c, str) else c for c in cells])
    notebook.metadata["language_info"] = {"name": "python"}
    return Lesson(name, notebook)


def code(source: str, **data: str) -> Any:
    """A cell of code with one result; `text_html` stands for text/html."""
    outputs = [v4.new_output("execute_result", {kind.replace("_", "/"): value for kind, value in data.items()})]
    return v4.new_code_cell(source, outputs=outputs if data else [])


def played(recording: Recording[Any, Any]) -> Any:
    """A cell whose result is a player, as it is stored."""
    return code("recording", text_html=recording.play().html, text_plain=str(recording))
