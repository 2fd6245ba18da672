"""`make parity` makes the environment of transformers 4.26.1 once, and takes up what was interrupted."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from tests.scripts import script

ROOT = Path(__file__).parents[2]


class Called:
    """In the place of subprocess.call: writes down what would have been started."""

    def __init__(self, lab: ModuleType) -> None:
        self.lab, self.programs, self.pip_fails = lab, list[str](), False

    def __call__(self, command: list[str], **_: object) -> int:
        self.programs.append(command[2])
        if command[2] == "venv":
            self.lab.PARITY.mkdir(exist_ok=True)
        if "--target" in command and not self.pip_fails:
            (self.lab.CURRENT / f"transformers-{self.lab.CURRENT_VERSION}.dist-info").mkdir(parents=True)
        return int(self.pip_fails and command[2] == "pip")

    def by(self, *arguments: str) -> list[str]:
        self.programs = []
        assert self.lab.compare_with_transformers(*arguments) == 0
        return self.programs


@pytest.fixture
def called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Called:
    lab = script("lab.py")
    called = Called(lab)
    monkeypatch.setattr(lab, "PARITY", tmp_path / ".parity")
    monkeypatch.setattr(lab, "CURRENT", tmp_path / ".parity-current")
    monkeypatch.setattr(lab, "PARITY_PINS", tmp_path / "pins.txt")
    monkeypatch.setattr(subprocess, "call", called)
    lab.PARITY_PINS.write_text("a==1", encoding="utf-8")
    return called


def test_the_environment_is_made_once_and_again_for_other_pins(called: Called) -> None:
    assert called.by() == ["venv", "pip", "pip", "pytest"]
    assert called.by() == ["pytest"]
    (called.lab.CURRENT / f"transformers-{called.lab.CURRENT_VERSION}.dist-info").rename(called.lab.CURRENT / "older")
    assert called.by() == ["pip", "pytest"]
    called.lab.PARITY_PINS.write_text("a==2", encoding="utf-8")
    assert called.by() == ["venv", "pip", "pytest"]


def test_a_failed_install_is_said_and_taken_up_again(called: Called) -> None:
    called.pip_fails = True
    with pytest.raises(SystemExit, match="pip could not install transformers"):
        called.by()
    called.pip_fails = False
    assert called.by() == ["venv", "pip", "pip", "pytest"]


def test_the_pins_are_exact_and_name_the_reference() -> None:
    lines = (ROOT / "constraints-parity.txt").read_text(encoding="utf-8").splitlines()
    pins = dict(line.split("==") for line in lines if not line.startswith("#"))
    assert (pins["transformers"], pins["torch"]) == ("4.26.1", "2.13.0")
    assert int(pins["protobuf"].split(".")[0]) < 4
