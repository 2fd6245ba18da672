"""Results do not depend on the machine: each kind of difference between machines is set for a new process.

`tests/every_machine.py` computes the results. The switches of numpy, OpenBLAS and glibc make a processor behave like an
older one; where a machine does not know a switch, the test compares two equal runs.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MACHINES = {
    "processor without AVX-512": {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR"},
    "old processor": {
        "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
        "OPENBLAS_CORETYPE": "Nehalem",
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-AVX2_Usable,-FMA,-FMA_Usable,-AVX512F",
    },
    "hash seed": {"PYTHONHASHSEED": "4242"},
    "locale": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "time zone": {"TZ": "Asia/Kathmandu"},
    "home": {"HOME": os.path.join(os.devnull, "home"), "USERPROFILE": os.path.join(os.devnull, "home")},
    "listing": {"LISTING": "reversed"},
}
USUAL = {"PYTHONHASHSEED": "0"}


@cache
def results(*arguments: str, **settings: str) -> dict[str, str]:
    """Return what a new process computes with these environment variables; a default encoding is an error there."""
    ignored = {"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "PYTHONWARNINGS", "LANG"}
    environment = {name: value for name, value in os.environ.items() if name not in ignored}
    done = subprocess.run(
        [sys.executable, "-m", "tests.every_machine", *arguments],
        cwd=ROOT,
        env=environment | USUAL | settings,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


def test_nothing_depends_on_the_machine() -> None:
    everything = {name: value for settings in MACHINES.values() for name, value in settings.items()}
    assert results(**everything) == results()


@pytest.mark.slow
@pytest.mark.parametrize("machine", MACHINES)
def test_nothing_depends_on_its(machine: str) -> None:
    assert results(**MACHINES[machine]) == results()


@pytest.mark.slow
def test_no_page_of_a_recording_depends_on_the_machine() -> None:
    everything = {name: value for settings in MACHINES.values() for name, value in settings.items()}
    assert results("--recordings", **everything) == results("--recordings")


@pytest.mark.slow
def test_every_file_is_opened_with_a_named_encoding() -> None:
    command = [sys.executable, "-m", "ruff", "check", "--preview", "--select", "PLW1514", "--output-format", "concise"]
    done = subprocess.run([*command, "."], cwd=ROOT, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("folder", ["tokenlab", "notebooks", "tests", "benchmarks", "data"])
def test_every_pipe_and_path_is_read_in_a_named_encoding(folder: str) -> None:
    """Where ruff does not see that an object is a path or a process."""
    sources = ((path, path.read_text(encoding="utf-8")) for path in (ROOT / folder).rglob("*.py"))
    suspects = [
        (path, source) for path, source in sources if re.search(r"subprocess|fdopen|(read|write)_text\(", source)
    ]
    nodes = [(path, node) for path, source in suspects for node in ast.walk(ast.parse(source))]
    assert not [(path.name, ast.unparse(node)) for path, node in nodes if has_default_encoding(node)]


def has_default_encoding(node: ast.AST) -> bool:
    """Whether the node calls a function that then reads or writes text in the encoding of the locale."""
    if not isinstance(node, ast.Call):
        return False
    whose, _, name = ast.unparse(node.func).rpartition(".")
    named = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
    texts = {"read_text": 0, "write_text": 1}
    if "encoding" in named or None in named:
        return False
    if name in texts:  # files.read_text is tokenlab's own
        return whose not in ("", "files") and len(node.args) == texts[name]
    if name == "fdopen":
        return not any("b" in ast.unparse(mode) for mode in node.args[1:2])
    return whose == "subprocess" and bool(named.keys() & {"text", "universal_newlines"})


def test_what_has_a_default_encoding() -> None:
    wrong = "subprocess.run(c, text=True); os.fdopen(2); os.fdopen(2, 'w'); p.read_text(); p.write_text('a')"
    right = "subprocess.run(c); os.fdopen(2, 'rb'); files.read_text(p); p.read_text('utf-8'); p.open()"
    for source, expected in ((wrong, True), (right, False)):
        calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
        assert [has_default_encoding(node) for node in calls] == [expected] * len(calls)


@pytest.mark.slow
def test_a_figure_says_nothing_where_the_home_folder_cannot_be_written() -> None:
    ignored = {"MPLCONFIGDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"}
    environment = {name: value for name, value in os.environ.items() if name not in ignored} | MACHINES["home"]
    command = [sys.executable, "-c", "from tokenlab.show import plots; plots.subplots(1, 2, sharey=True)"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, encoding="utf-8")
    assert (done.returncode, done.stderr) == (0, "")
