"""A student's text cannot become markup in a page that an instructor opens; the hints of a sheet stay folded."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import nbformat
import pytest
from traitlets.config import Config

from course.course_folder import CONFIG, FOLDER

HINT = "<details><summary>Hint</summary>\n\nCount the pairs.\n</details>"


@pytest.fixture
def preprocessed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    release = tmp_path / "release" / "assignment1"
    release.mkdir(parents=True)
    sheet = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(f"Corrected.\n{HINT}")])
    nbformat.write(sheet, release / "assignment1.ipynb")
    settings = runpy.run_path(str(FOLDER / CONFIG), {"get_config": Config})  # as traitlets runs them
    return settings["PlainMarkdown"]()


def shown(plain: Any, source: str) -> str:
    submitted = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(source)])
    ids = {"assignment": "assignment1", "notebook": "assignment1", "student": "anna"}
    [cell] = plain.preprocess(submitted, {"nbgrader": ids})[0].cells
    return str(cell.source)


def test_hints_stay_folded_in_a_sheet_whose_text_was_corrected_later(preprocessed: Any) -> None:
    assert shown(preprocessed, f"Corrected.\n{HINT}") == f"Corrected.\n{HINT}"
    assert shown(preprocessed, f"Not yet corrected.\n{HINT}") == f"Not yet corrected.\n{HINT}"


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<details ontoggle=alert(1) open>",
        "<details\nopen ontoggle=alert(1)>",
        "<summary/onclick=alert(1)>",
        "<detailsx>",
        "</details x>",
        "<DETAILS onclick=alert(1)>",
        "<!-- hidden -->",
        "<?php ?>",
    ],
)
def test_other_tags_become_text(preprocessed: Any, text: str) -> None:
    assert shown(preprocessed, f"{text} a") == f"{text} a".replace("<", "<\u200b")


LANGUAGES = {
    "```php\n<?php\n```": "php",
    "~~~~ php title=x\n1\n~~~~": "php",
    "1. > - ~~~ php\n     > 1": "php",
    "> ```\tc++\n> 1\n> ```": "c++",
    "```pythonx\n1\n```": "pythonx",
}


@pytest.mark.parametrize("text", LANGUAGES)
def test_a_language_does_not_decide_how_code_is_colored(preprocessed: Any, text: str) -> None:
    changed = shown(preprocessed, text)
    assert f"\u200b {LANGUAGES[text]}" in changed or f"\u200b{LANGUAGES[text]}" in changed.replace("\t", "")
    assert changed.replace("\u200b", "") == text  # nothing is lost


@pytest.mark.parametrize("text", ["```python\n1\n```", "```\n1\n```", "``a`` ~~b~~", "a ```php", "~~~ python \n1"])
def test_other_code_stays_as_it_is(preprocessed: Any, text: str) -> None:
    assert shown(preprocessed, text) == text


def test_code_in_a_line_is_not_cut(preprocessed: Any) -> None:
    assert shown(preprocessed, "```a b``` is right, because").replace("\u200b", "") == "```a b``` is right, because"


def test_a_long_line_of_spaces_takes_no_time(preprocessed: Any) -> None:
    text = "\n".join([" " * 6_000, "> " * 3_000, "\n" * 6_000])
    assert shown(preprocessed, text) == text
