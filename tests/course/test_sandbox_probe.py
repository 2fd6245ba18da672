"""The sandbox is tried before grading, and a sandbox of one's own may have its own libraries."""

from __future__ import annotations

import os
import sys
import sysconfig
from argparse import ArgumentParser
from typing import Any

import pytest

from course.sandbox import commands, probe
from course.sandbox.process import StudentProcess
from course.sandbox.remote import variables_of
from tests import skips

SYSTEMS = ["none", *(["bwrap"] if commands.chosen() == "bwrap" else [])]
BY_HAND = (
    "bwrap --unshare-all --die-with-parent --ro-bind /usr /usr --ro-bind-try /lib /lib --ro-bind-try /lib64 /lib64 "
    "--proc /proc --dev /dev --tmpfs /tmp --ro-bind {kit} /kit --ro-bind {base} {base}"
)


def library_folders(student: StudentProcess) -> list[str]:
    """Return the folders of libraries on the path of a process."""
    student.cell("import sys\nfound = [path for path in sys.path if path.endswith('-packages')]", 0)
    found: list[str] = variables_of(student, "found")["found"]
    return found


@pytest.mark.skipif("bwrap" not in SYSTEMS, reason=skips.BUBBLEWRAP)
def test_a_container_without_the_graders_libraries_uses_its_own() -> None:
    own = sysconfig.get_path("purelib", vars={"base": sys.base_prefix})
    for sandbox, folder in (
        (f"{BY_HAND} {{python}}", own),
        (f"{BY_HAND} --ro-bind {{libraries}} {{libraries}} {{python}}", commands.site_packages()[0]),
    ):
        assert probe.grading_problem(sandbox=sandbox) == ""
        with StudentProcess(sandbox=sandbox) as student:
            assert library_folders(student) == [folder]


@pytest.mark.slow
@pytest.mark.parametrize("sandbox", SYSTEMS)
def test_a_sandbox_that_works_is_no_problem_and_is_tried_once(sandbox: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert probe.grading_problem(["torch"], sandbox) == ""
    monkeypatch.setattr(probe, "StudentProcess", None)
    assert probe.grading_problem(["torch"], sandbox) == ""


@pytest.mark.parametrize(
    ("sandbox", "said"),
    [
        ("no-such-program", "the sandbox does not start: there is no program no-such-program;"),
        ("podman 'run", "the sandbox does not start: No closing quotation;"),
        (f"{sys.executable} -c 'raise SystemExit(7)'", "the sandbox does not start: it ends with the exit status 7 "),
        (f"{sys.executable} -c 'raise KeyError(7)'", "the sandbox does not start: KeyError: 7;"),
    ],
)
def test_a_sandbox_that_does_not_start_is_named_with_its_reason(sandbox: str, said: str) -> None:
    problem = probe.grading_problem(sandbox=sandbox)
    assert problem.startswith(said) and problem.endswith(f"; correct {commands.VARIABLE}")


def test_without_a_sandbox_and_as_root_nothing_is_graded_unless_somebody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "is_root", lambda: True)
    monkeypatch.setattr(commands, "_bwrap_works", lambda: False)
    monkeypatch.setattr(commands, "chosen", commands.chosen.__wrapped__)
    monkeypatch.setenv(commands.VARIABLE, "")
    monkeypatch.setenv(commands.AS_ROOT, "")
    assert probe.grading_problem() == commands.NOT_AS_ROOT
    monkeypatch.setenv(commands.AS_ROOT, "yes")
    assert probe.grading_problem() == commands.NEEDED
    monkeypatch.setenv(commands.VARIABLE, "none")
    assert probe.grading_problem() == ""


def test_the_options_of_the_commands_allow_both(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in (commands.VARIABLE, commands.AS_ROOT):
        monkeypatch.setenv(variable, "")
    parser = ArgumentParser()
    commands.add_options(parser)
    try:
        commands.allow(**vars(parser.parse_args([])))
        assert not os.environ[commands.VARIABLE] and not os.environ[commands.AS_ROOT]
        commands.allow(**vars(parser.parse_args(["--as-root", "--without-sandbox"])))
        assert commands.chosen() == "none" and os.environ[commands.AS_ROOT]
    finally:
        commands.chosen.cache_clear()


class Answering:
    """Stands for the process of a sandbox, with these replies to the two cells of the probe."""

    def __init__(self, *replies: dict[str, Any]) -> None:
        self.replies = replies

    def __call__(self, *_: object) -> Answering:
        return self

    def __enter__(self) -> Answering:
        return self

    def __exit__(self, *_: object) -> None:
        """There is nothing to end."""

    def cell(self, source: str, number: int) -> dict[str, Any]:
        return self.replies[number]


def test_another_python_and_a_library_missing_in_the_sandbox_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    version, fine = f"{sys.version_info[:2]}\n", {"printed": "", "error": None}
    missing = {"printed": "", "error": {"name": "ModuleNotFoundError", "message": "No module named 'torch'"}}
    monkeypatch.setattr(probe, "StudentProcess", Answering({"printed": "(3, 8)\n", "error": None}, fine))
    assert probe.grading_problem(sandbox="other") == (
        f"the sandbox runs Python (3, 8), and the grader {version.strip()}; use the same version"
    )
    monkeypatch.setattr(probe, "StudentProcess", Answering({"printed": version, "error": None}, missing))
    problem = probe.grading_problem(["torch"], sandbox="other")
    assert "needs torch, and in the sandbox the import fails (ModuleNotFoundError: No module named 'torch')" in problem
