"""Firefox: a typed text is played, a link opens it, a chosen tokenizer is explained, and a lesson's cells run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import pytest

from publish.lessons import stored
from tests import skips
from tests.browser.conftest import SHOTS, live_site, served
from tests.browser.firefox import RIGHT, Tab, started
from tests.browser.test_live import link
from tests.publish.lite_site import lite_site
from tests.why.tokenizer_files import content

if which("firefox-esr") is None:
    pytest.skip(skips.FIREFOX, allow_module_level=True)

EXPLORER = ".tokenlab-live"
# Firefox fetches the next lesson in advance, and says in its console that the policy of a page does not allow that.
IN_ADVANCE = re.compile(r"Content-Security-Policy: .*\(default-src\) at http://127\.0\.0\.1:\d+/\w+\.html ")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a site with one lesson."""
    with live_site(tmp_path_factory, [lesson for lesson in stored() if lesson.name.startswith("01")]) as address:
        yield address


@pytest.fixture(scope="module")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with started(tmp_path_factory.mktemp("firefox")) as tab:
        yield tab


@pytest.fixture
def tab(firefox: Tab) -> Iterator[Tab]:
    """An empty tab; an error of a script fails the test."""
    firefox.open("about:blank")
    firefox.errors.clear()
    yield firefox
    firefox.evaluate("null")  # receives what Firefox has said until now
    assert [error for error in firefox.errors if not IN_ADVANCE.match(error)] == []


def wait_until_live(tab: Tab, words: int) -> None:
    """Wait until the first explorer shows so many words."""
    tab.wait_for(f"document.querySelector('{EXPLORER}').matches('.tokenlab-is-live')")
    tab.wait_for(f"document.querySelector('{EXPLORER}').querySelectorAll('.tl-words li').length === {words}")


def shown(tab: Tab, selector: str) -> str:
    """Return the text that is shown in an element of the first explorer."""
    text: str = tab.evaluate(f"document.querySelector('{EXPLORER}').querySelector('{selector}').innerText")
    return text


def test_a_typed_text_is_played_with_its_merges(site: str, tab: Tab) -> None:
    tab.open(f"{site}/01_bpe_training.html")
    tab.type(f"{EXPLORER} textarea", "hug pug pun bun hugs hugs")
    wait_until_live(tab, 5)
    tab.evaluate(f"void document.querySelector('{EXPLORER} .tl').focus()")
    tab.press(2 * RIGHT)
    tab.wait_for(f"/After merge 1. u \\+ g became ug/.test(document.querySelector('{EXPLORER} .tl-caption').innerText)")
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    SHOTS.mkdir(exist_ok=True)
    tab.shoot(SHOTS / "firefox-live.png")


def test_a_link_opens_the_text_the_settings_and_the_step(site: str, tab: Tab) -> None:
    tab.open(f"{site}/01_bpe_training.html{link({'text': 'hug pug pun 日本', 'vocab_size': 30}, 1)}")
    wait_until_live(tab, 4)
    assert tab.evaluate(f"document.querySelector('{EXPLORER} textarea').value") == "hug pug pun 日本"
    assert shown(tab, ".tl-bar output").startswith("1 / ")
    tab.click(f"{EXPLORER} .tokenlab-copy")
    tab.wait_for(f"document.querySelector('{EXPLORER} .tokenlab-copy').innerText === 'Copied'")


def test_a_damaged_link_opens_the_stored_player_and_says_so(site: str, tab: Tab) -> None:
    tab.open(f"{site}/01_bpe_training.html#try=1.AAAA")
    tab.wait_for(f"/This link is damaged/.test(document.querySelector('{EXPLORER} [role=alert]').innerText)")
    assert shown(tab, ".tl-bar output") == "0 / 40"


def test_a_chosen_tokenizer_is_explained(site: str, tab: Tab, tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_bytes(content("byte_level"))
    tab.open(f"{site}/why.html")
    tab.type(".why-text textarea", "the house")
    tab.choose("input[type=file]", tmp_path / "tokenizer.json")
    tokens = (
        "[...document.querySelectorAll('.why-table tbody tr')].map((row) => row.innerText.split('\\t').slice(0, 3))"
    )
    tab.wait_for(f"{tokens}.length")
    assert tab.evaluate(tokens)[1:4] == [["t", "86", "0-1"], ["he", "260", "1-3"], ["Ġh", "317", "3-5"]]
    tab.click(".why-table tr:nth-child(4) button")
    tab.wait_for("/Ġ . h became Ġh/.test(document.querySelector('.why-origin .tl-caption')?.innerText)")


def test_a_lesson_runs_without_an_installation(tab: Tab, tmp_path: Path) -> None:
    with served(lite_site(tmp_path)) as address:
        tab.open(f"{address}/lab/index.html?path=01_bpe_training.ipynb")
        notebook = "window.jupyterapp?.shell.currentWidget"
        tab.wait_for(f"{notebook}?.sessionContext?.session?.kernel?.status === 'idle'")
        run = "window.jupyterapp.commands.execute"
        tab.evaluate(f"{run}('notebook:clear-all-cell-outputs').then(() => null)")
        outputs = f"{notebook}.content.widgets.flatMap((cell) => cell.model.outputs?.toJSON() ?? [])"
        assert tab.evaluate(f"{outputs}.length") == 0
        tab.evaluate(f"{run}('notebook:run-all-cells').then(() => null)")
        found = tab.evaluate(outputs)
        assert "'English': {'GPT-2': 10" in found[0]["data"]["text/plain"]
        assert [output for output in found if output["output_type"] == "error"] == []
        tab.open("about:blank")
