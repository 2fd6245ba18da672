"""From a key to the new figure, in a real browser: typing in the lessons' explorers, and steps of a player in a page.

    .venv/bin/python benchmarks/keys.py                                       # all explorers, 40 keys each
    .venv/bin/python benchmarks/keys.py --explorer nothing bpe_encoding --keys 100

The time of a key starts at its `keydown` event and ends when the first frame with the new figure is laid out and
painted: the end is a message that the frame's `requestAnimationFrame` callback posts. A browser draws 60 frames a
second, so a figure waits up to 17 ms for its frame. The goal is 25 ms for 95 % of the keys. The other columns are
medians, in ms:

    send: from the key to the message to the kernel;
    kernel: the kernel computes and encodes the new figure;
    travel: the rest of the time until the figure arrives in the browser (JupyterLab's server, and the messages);
    draw: the browser reads the message and changes the page;
    frame: the wait for the frame, its layout and its paint;
    messages, kB: the messages that arrive up to the figure, and the size of the largest.

"ipywidgets alone" is a text box and an HTML widget without this kit, and "nothing" is an explorer that computes
nothing: no explorer can be faster. A letter that leaves the figure unchanged is not counted. A player in a page needs
no kernel. Nothing here fails because it is slow.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
from keys_explorers import CALLS, SETUP
from playwright.sync_api import Browser, Locator, Page, ViewportSize, sync_playwright
from playwright.sync_api import TimeoutError as TooLate

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.browser.conftest import QUIET, Lab, find_browser, started_lab  # noqa: E402
from tests.browser.in_lab import cell, run_all, wait_for_kernel  # noqa: E402

PAUSE = 120  # ms between two keys, as of a fast typist; a random part of a frame is added
FIRST = 4  # keys that are not counted
SCREEN: ViewportSize = {"width": 1366, "height": 768}
TYPED = "unhappines"
STEPS = {
    "bpe_training": "train_indexed.record(count_words(english[:2000]), 90)",
    "viterbi": "viterbi.record('soundings', pieces)",
}

# In the kernel: the seconds of each update are appended to a file.
TIMED = """
import time
update = Explorer._update
def timed(self, *change):
    before = time.perf_counter()
    update(self, *change)
    with open({path!r}, "a", encoding="utf-8") as file:
        print(time.perf_counter() - before, file=file)
Explorer._update = timed
"""
# In the page: the times of the messages of its web sockets, and the sizes of those that arrive.
SOCKETS = """
    window.traffic = { sent: [], arrived: [] };
    const size = (data) => data.byteLength ?? data.size ?? data.length;
    window.WebSocket = class extends WebSocket {
        constructor(...address) {
            super(...address);
            this.addEventListener("message", ({ data }) => traffic.arrived.push([performance.now(), size(data)]));
        }
        send(data) {
            traffic.sent.push([performance.now(), size(data)]);
            super.send(data);
        }
    };
"""
# The times of the last key that an element received, until the figure changes and is painted.
WATCH = """(element) => {
    const explorer = element.closest(".tokenlab-explorer");
    const player = explorer?.querySelector(".tl");  // a new figure replaces it; other changes are steps
    const figure = player?.parentElement ?? explorer?.lastElementChild ?? element;
    const painted = new MessageChannel();
    let key = {};
    painted.port1.onmessage = () => { key.painted ??= performance.now(); };
    element.addEventListener("keydown", (event) => {
        traffic.sent.length = traffic.arrived.length = 0;
        window.lastKey = key = { pressed: event.timeStamp };
    }, true);  // before the player handles the key
    new MutationObserver(() => {
        if (key.changed || !key.pressed) return;
        key.changed = performance.now();
        requestAnimationFrame(() => painted.port2.postMessage(0));
    }).observe(figure, { childList: true, characterData: true, subtree: !player });
}"""
PAINTED = "() => window.lastKey?.painted && { ...lastKey, ...traffic }"


class Key(NamedTuple):
    """The ms of one key and of its parts."""

    whole: float
    send: float
    kernel: float
    travel: float
    draw: float
    frame: float
    messages: float
    kB: float


def press(page: Page, key: str) -> dict[str, Any] | None:
    """Press a key and wait for the new figure; return the times of both, or None if it does not change."""
    page.wait_for_timeout(PAUSE + random.uniform(0, 17))
    page.evaluate("window.lastKey = null")
    page.keyboard.press(key)
    try:
        seen: dict[str, Any] = page.wait_for_function(PAINTED, timeout=1000).json_value()
    except TooLate:
        return None
    return seen


def typed_key(page: Page, letter: str, updates: Path) -> Key | None:
    """Type a letter, or delete one, in the focused text box; the kernel writes its seconds into the file `updates`."""
    updates.write_text("", encoding="utf-8")
    seen = press(page, letter)
    if seen is None:
        return None
    page.wait_for_timeout(50)  # the kernel writes after it has sent the figure
    sent = seen["sent"][0][0]
    arrived = [(at, size) for at, size in seen["arrived"] if at <= seen["changed"]]
    figure, size = max(arrived, key=lambda one: one[1])
    kernel = sum(1000 * float(line) for line in updates.read_text(encoding="utf-8").split())
    return Key(
        whole=seen["painted"] - seen["pressed"],
        send=sent - seen["pressed"],
        kernel=kernel,
        travel=figure - sent - kernel,
        draw=seen["changed"] - figure,
        frame=seen["painted"] - seen["changed"],
        messages=len(arrived),
        kB=size / 1000,
    )


def type_into(box: Locator, keys: int, updates: Path) -> list[Key]:
    """Type words at the end of a text, and delete each again, so that the text keeps its length."""
    box.scroll_into_view_if_needed()
    box.evaluate(WATCH)
    box.focus()
    box.press("End")
    pressed = []
    for number in range(FIRST + keys):
        word, place = divmod(number, len(TYPED))
        pressed.append(typed_key(box.page, "Backspace" if word % 2 else TYPED[place], updates))
    return [key for key in pressed[FIRST:] if key]


def summary(values: list[float]) -> str:
    """Return the median and the 95th percentile.

    >>> summary([3.0, 1.0, 2.0])
    '2.0\t3.0'
    """
    return f"{statistics.median(values):.1f}\t{sorted(values)[int(0.95 * len(values))]:.1f}"


@contextmanager
def opened_notebook(browser: Browser, lab: Lab, sources: list[str]) -> Iterator[Page]:
    """Open a notebook of these cells in JupyterLab, and run it."""
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), lab.folder / "keys.ipynb")
    page = browser.new_page(viewport=SCREEN)
    page.add_init_script(SOCKETS)
    lab.open(page, "keys.ipynb")
    run_all(page)
    wait_for_kernel(page)
    yield page
    page.close()


def measure_explorers(browser: Browser, names: list[str], keys: int) -> None:
    """Type into explorers in JupyterLab; print a line for each."""
    print("\nexplorer", "median", "p95", *Key._fields[1:], sep="\t")
    with tempfile.TemporaryDirectory() as home, started_lab(Path(home)) as lab:
        updates = Path(home) / "updates.txt"
        sources = [SETUP + TIMED.format(path=str(updates)), *(CALLS[name] for name in names)]
        with opened_notebook(browser, lab, sources) as page:
            for name in names:
                box = cell(page, CALLS[name]).locator(".tokenlab-explorer :is(textarea, input[type=text])").first
                box.wait_for()
                page.wait_for_timeout(1500)  # the figure is drawn, and its height is measured
                found = type_into(box, keys, updates)
                if found:
                    parts = [f"{statistics.median(part):.1f}" for part in zip(*found, strict=True)]
                    print(name, summary([key.whole for key in found]), *parts[1:], sep="\t", flush=True)
                if len(found) < keys:
                    print(f"  {keys - len(found)} of the letters changed no figure")


def measure_pages(browser: Browser, steps: int) -> None:
    """Step through players in pages without a kernel; print a line for each."""
    print("\nplayer in a page", "median", "p95", sep="\t")
    names: dict[str, Any] = {}
    exec(SETUP, names)
    for name, call in STEPS.items():
        page = browser.new_page(viewport=SCREEN)
        page.add_init_script(SOCKETS)
        page.goto("about:blank")
        page.set_content(eval(call, names).play(predict=False).page(name))
        player = page.locator(".tl")
        player.evaluate(WATCH)
        player.focus()
        page.wait_for_timeout(1500)
        pressed = [press(page, "ArrowLeft" if number // 8 % 2 else "ArrowRight") for number in range(FIRST + steps)]
        print(name, summary([key["painted"] - key["pressed"] for key in pressed[FIRST:] if key]), sep="\t", flush=True)
        page.close()


def main(arguments: list[str]) -> int:
    """Measure the explorers that were named, or all, and the players in pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--explorer", nargs="*", choices=list(CALLS), default=list(CALLS), metavar="NAME")
    parser.add_argument("--keys", type=int, default=40)
    options = parser.parse_args(arguments)
    path = find_browser()
    if path is None:
        print("keys: there is no browser; install Debian's chromium")
        return 0
    os.environ["PYTHONPATH"] = str(ROOT)  # for the kernel
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=QUIET.split())
        if options.explorer:
            measure_explorers(browser, options.explorer, options.keys)
        measure_pages(browser, options.keys)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
