"""A link to the glossary in the copy of a lesson opens the rendered glossary in JupyterLab, at its entry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import nbformat
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Lab, lessons_open
from tests.scripts import script

pytestmark = pytest.mark.slow


@pytest.fixture
def open_lesson(browser: Browser, lab: Lab) -> Iterator[Callable[..., Page]]:
    with ExitStack() as stack:
        yield stack.enter_context(lessons_open(browser, lab))


def test_a_link_opens_the_entry(open_lesson: Callable[..., Page], lab: Lab) -> None:
    sources = lab.folder.parent / "notebooks"
    sources.mkdir()
    cell = nbformat.v4.new_markdown_cell("The [**surprisal**](../docs/glossary.md#surprisal) of a token.")
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    nbformat.write(nbformat.v4.new_notebook(cells=[cell], metadata=kernel), sources / "99_linked.ipynb")
    script("lab.py").copy_lessons(sources, lab.folder, lambda copies: None)
    page = open_lesson("99_linked.ipynb")
    page.locator(".jp-MarkdownOutput a", has_text="surprisal").click()
    glossary = page.locator(".jp-MarkdownViewer")
    heading = glossary.locator("h2", has_text="surprisal")
    expect(heading).to_be_in_viewport(timeout=30_000)
    expect(glossary.locator("h2").first).not_to_be_in_viewport()
    expect(glossary.locator("mjx-container").first).to_be_attached()
