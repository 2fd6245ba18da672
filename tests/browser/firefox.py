"""Firefox by its own protocol, WebDriver BiDi, over one WebSocket; Playwright needs a Firefox that was patched for it.

A command is a JSON object with a number, a method and parameters, and its answer bears the same number
(https://www.w3.org/TR/webdriver-bidi). Only the few commands that the tests need are here; a test waits for a condition
in JavaScript, and types with keys.
"""

from __future__ import annotations

import json
import re
import subprocess
import time
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websocket import WebSocket, create_connection

COMMAND = ("firefox-esr", "--headless", "--no-remote", "--remote-debugging-port=0")
ADDRESS = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
# Firefox asks hosts of its maker for settings, for a network and for updates; tests use no network.
PREFERENCES = {
    "app.update.disabledForTesting": True,
    "browser.startup.homepage_override.mstone": "ignore",
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "services.settings.server": "data:,",
}
RIGHT = "\ue014"  # the key, in WebDriver
MINUTES = 60  # seconds


class Tab:
    """A tab of Firefox, with the errors of the scripts of its pages."""

    def __init__(self, socket: WebSocket) -> None:
        self.socket, self.sent, self.context = socket, 0, ""
        self.errors: list[str] = []
        self.send("session.new", capabilities={})
        self.send("session.subscribe", events=["log.entryAdded"])
        self.context = self.send("browsingContext.create", type="tab")[
            "context"
        ]  # unlike the first one, it has the focus

    def send(self, method: str, **parameters: Any) -> Any:
        """Send a command and return its result."""
        self.sent += 1
        self.socket.send(json.dumps({"id": self.sent, "method": method, "params": parameters}))
        while (answer := json.loads(self.socket.recv())).get("id") != self.sent:
            entry = answer.get("params", {})
            if entry.get("type") == "javascript" and entry["level"] == "error":
                self.errors.append(entry["text"])
        if answer["type"] == "error":
            raise RuntimeError(f"{method}: {answer['message']}")
        return answer["result"]

    def open(self, url: str) -> None:
        """Open a page and wait until it is loaded."""
        self.send("browsingContext.navigate", context=self.context, url=url, wait="complete")

    def evaluate(self, expression: str) -> Any:
        """Return the value of an expression of JavaScript, which may be a promise."""
        written = f"Promise.resolve({expression}).then((value) => JSON.stringify(value ?? null))"
        place = {"context": self.context}
        answer = self.send("script.evaluate", expression=written, target=place, awaitPromise=True)
        if answer["type"] == "exception":
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"])

    def wait_for(self, expression: str, seconds: float = 2 * MINUTES) -> Any:
        """Wait until an expression has a value that counts as true, and return it."""
        deadline = time.monotonic() + seconds
        while not (value := self.evaluate(expression)):
            assert time.monotonic() < deadline, f"after {seconds} seconds, this is still {value!r}: {expression}"
            time.sleep(0.2)
        return value

    def press(self, keys: str) -> None:
        """Press and release keys, one after another."""
        self._act("key", [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")])

    def click(self, selector: str) -> None:
        """Click on an element."""
        self.evaluate(f"void {_find(selector)}.scrollIntoView({{behavior: 'instant', block: 'center'}})")
        origin = {"type": "element", "element": self._element(selector)}
        move = {"type": "pointerMove", "x": 0, "y": 0, "origin": origin}
        self._act("pointer", [move, *({"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp"))])

    def type(self, selector: str, text: str) -> None:
        """Type a text into an element, instead of what it contains."""
        self.click(selector)
        self.evaluate("void document.activeElement.select()")
        self.press(text)

    def choose(self, selector: str, *paths: Path) -> None:
        """Choose files in an element."""
        files = [str(path) for path in paths]
        self.send("input.setFiles", context=self.context, element=self._element(selector), files=files)

    def _act(self, kind: str, actions: list[dict[str, Any]]) -> None:
        source = {"type": kind, "id": kind, "actions": actions}
        self.send("input.performActions", context=self.context, actions=[source])

    def _element(self, selector: str) -> dict[str, str]:
        """Return a reference to an element."""
        target = {"context": self.context}
        found = self.send("script.evaluate", expression=_find(selector), target=target, awaitPromise=False)
        return {"sharedId": found["result"]["sharedId"]}

    def shoot(self, path: Path) -> None:
        """Write a picture of what is shown."""
        path.write_bytes(b64decode(self.send("browsingContext.captureScreenshot", context=self.context)["data"]))


def _find(selector: str) -> str:
    return f"document.querySelector({json.dumps(selector)})"


@contextmanager
def started(profile: Path, size: tuple[int, int] = (1366, 768)) -> Iterator[Tab]:
    """Start Firefox with a new profile in an empty folder, and end it afterwards."""
    lines = (f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in PREFERENCES.items())
    (profile / "user.js").write_text("".join(lines), encoding="utf-8", newline="\n")
    log = profile / "log.txt"
    with open(log, "w", encoding="utf-8") as out:
        firefox = subprocess.Popen([*COMMAND, "--profile", str(profile)], stdout=out, stderr=out)
    try:
        tab = Tab(create_connection(f"{_address(firefox, log)}/session", timeout=5 * MINUTES, suppress_origin=True))
        viewport = {"width": size[0], "height": size[1]}
        tab.send("browsingContext.setViewport", context=tab.context, viewport=viewport)
        yield tab
    finally:
        firefox.terminate()
        firefox.wait(MINUTES)


def _address(firefox: subprocess.Popen[bytes], log: Path) -> str:
    """Wait until Firefox has written its address."""
    deadline = time.monotonic() + MINUTES
    while time.monotonic() < deadline and firefox.poll() is None:
        if found := ADDRESS.search(log.read_text(encoding="utf-8", errors="replace")):
            return found[1]
        time.sleep(0.1)
    raise RuntimeError(f"Firefox did not start; it wrote {log.read_text(encoding='utf-8', errors='replace')!r}")
