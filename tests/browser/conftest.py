"""A real browser, and JupyterLab started from the environment that `make lab` makes, on copies of the lessons."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, sync_playwright

from publish import pages
from publish.lessons import Lesson
from publish.live.runtime import pyodide_folder
from tests import skips
from tests.scripts import script

ROOT = Path(__file__).parents[2]
SHOTS = Path(__file__).parent / "shots"
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")
# Without these Chromium looks up hosts of its maker at every start.
QUIET = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync "
    "--disable-background-networking --disable-component-update"
)

# `make test` runs these; each of the others opens a page too, and all together take a quarter of the time of all tests.
QUICK = {
    "test_the_keys_step_both_ways_and_stop_at_the_ends",
    "test_a_question_hides_the_counts_until_it_is_answered",
    "test_a_wrong_answer_says_why_it_is_wrong",
    "test_what_a_learner_wrote_is_shown_as_text",
    "test_a_click_zooms_from_the_model_to_a_layer_to_a_head",
    "test_a_player_steps_and_asks_on_a_page",
    "test_arrow_keys_turn_slides_and_step_a_focused_player",
}


@pytest.hookimpl(tryfirst=True)  # before pytest chooses by markers
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as slow the tests of this folder that `make test` leaves out."""
    for item in items:
        if item.path.parent == Path(__file__).parent and item.name.partition("[")[0] not in QUICK:
            item.add_marker("slow")


def find_browser() -> str | None:
    return next(filter(None, map(shutil.which, NAMES)), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = find_browser()
    if path is None:
        if os.environ.get("CI"):
            pytest.fail("CI=true, and there is no browser; install Debian's chromium")
        pytest.skip(skips.BROWSER)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=QUIET.split())
        yield browser
        browser.close()


class Quiet(SimpleHTTPRequestHandler):
    """Send files, and log nothing."""

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a server that sends the files of a folder."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@contextmanager
def live_site(made: pytest.TempPathFactory, lessons: list[Lesson]) -> Iterator[str]:
    """The address of a site with these lessons and with Python, on a server."""
    pyodide = pyodide_folder()
    if pyodide is None:
        skips.without_pyodide()
    folder, docs = made.mktemp("site"), made.mktemp("docs")
    wrong = pages.build(lessons, folder, docs, pyodide=pyodide)
    assert [line for line in wrong if "glossary" not in line and "is not on the site" not in line] == []
    with served(folder) as address:
        yield address


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A window of the size of a laptop's screen."""
    context = browser.new_context(viewport={"width": 1366, "height": 768})
    yield context
    context.close()


@dataclass
class Lab:
    """A running JupyterLab: its address, and the folder that it shows."""

    url: str
    folder: Path

    def open(self, page: Page, name: str) -> Page:
        """Open a notebook and wait until it stands on the page."""
        page.goto(f"{self.url}/lab/tree/{name}?reset")
        page.wait_for_function("window.jupyterapp")
        page.evaluate("window.jupyterapp.restored.then(() => true)")
        page.wait_for_function(
            """name => { const w = window.jupyterapp.shell.currentWidget;
                return w?.context?.path === name && w.context.isReady && w.content.widgets.length > 0 }""",
            arg=name,
        )
        page.wait_for_selector(".jp-NotebookPanel .jp-Cell")
        return page


@pytest.fixture(scope="session")
def lab(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """JupyterLab on trusted copies that `lab.py` made, with a home of its own."""
    with started_lab(tmp_path_factory.mktemp("home")) as lab:
        yield lab


@contextmanager
def started_lab(home: Path) -> Iterator[Lab]:
    """Start JupyterLab with this home folder; benchmarks use it as well."""
    folder = home / "my"
    environment = os.environ | {
        "HOME": str(home),
        "IPYTHONDIR": str(home / "ipython"),
        "MPLCONFIGDIR": str(home / "mpl"),
    }
    for part in ("CONFIG", "DATA", "RUNTIME"):
        environment[f"JUPYTER_{part}_DIR"] = str(home / part.lower())
    environment["JUPYTERLAB_SETTINGS_DIR"] = str(home / "settings")

    def trust(notebooks: list[Path]) -> None:
        subprocess.run([sys.executable, "-m", "nbformat.sign", *notebooks], check=True, env=environment)

    lab_py = script("lab.py")
    lab_py.copy_lessons(ROOT / "notebooks", folder, trust)
    environment |= lab_py.set_up_jupyterlab(folder)
    # A copy that nobody has trusted, as in a fresh clone opened without `make lab`; other ids, so another signature.
    stranger = (folder / "01_bpe_training.ipynb").read_text(encoding="utf-8").replace('"01_bpe_training-', '"stranger-')
    (folder / "untrusted.ipynb").write_text(stranger, encoding="utf-8", newline="\n")
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", f"--ServerApp.root_dir={folder}"]
    command += ["--IdentityProvider.token=", "--ServerApp.allow_root=True", "--LabApp.expose_app_in_browser=True"]
    # The runtime folder has a short path, because the kernels' sockets are in it: the path of a socket is limited to
    # about 100 characters. A kernel that is given ports may find them taken.
    runtime = tempfile.mkdtemp(prefix="lab-")
    environment["JUPYTER_RUNTIME_DIR"] = runtime
    if os.name == "posix":
        command.append("--KernelManager.transport=ipc")
    with open(home / "log.txt", "w", encoding="utf-8") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        yield Lab(_url_of(server, Path(runtime)), folder)
    finally:
        server.terminate()
        server.wait(60)
        shutil.rmtree(runtime, ignore_errors=True)


def _url_of(server: subprocess.Popen[Any], runtime: Path) -> str:
    """Wait for JupyterLab and return its address: it finds a free port itself and writes it to its runtime folder."""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline and server.poll() is None:
        for info in runtime.glob("jpserver-*.json"):
            try:
                url = f"http://127.0.0.1:{json.loads(info.read_text(encoding='utf-8'))['port']}"
                urllib.request.urlopen(f"{url}/api", timeout=10)
                return url
            except (OSError, ValueError):
                continue
        time.sleep(0.2)
    pytest.fail("JupyterLab did not answer; its log lies in the home folder of this test run")


# What JupyterLab says of a request that a kernel had not answered when the page was closed or the kernel shut down.
CANCELED = "Canceled future for"


@contextmanager
def lessons_open(browser: Browser, lab: Lab) -> Iterator[Callable[..., Page]]:
    """What opens a lesson in a browser window of its own; in the end all of them are closed."""
    contexts = []
    errors: list[str] = []

    def open_lesson(name: str, **options: Any) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1200, "height": 900}} | options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(error.stack or str(error)))
        lab.open(page, name)
        page.set_default_timeout(10_000)
        return page

    yield open_lesson
    for context in contexts:
        context.close()
    assert [error for error in errors if CANCELED not in error] == []


@pytest.fixture(scope="module")
def open_lesson(browser: Browser, lab: Lab) -> Iterator[Callable[..., Page]]:
    """Opens a lesson in a browser window that stays open for the tests of a file."""
    with lessons_open(browser, lab) as opens:
        yield opens


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page that must not complain: errors of our script fail the test."""
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(error.stack or str(error)))
    yield page
    context.close()
    assert not errors


def shoot(page: Page, name: str, part: str | Locator | None = None) -> None:
    """Leave a picture of the page, or of one element."""
    SHOTS.mkdir(exist_ok=True)
    target = page.locator(part).first if isinstance(part, str) else part or page
    target.screenshot(path=SHOTS / f"{name}.png")
