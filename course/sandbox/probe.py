"""Try the sandbox once before grading: with one that does not start, every function would be wrong.

Adds: a sentence about what is missing. Leaves out: whether the sandbox protects anything.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from course.sandbox import commands
from course.sandbox.process import Limits, StudentProcess

PATIENCE = Limits(per_cell=60, waiting=60)  # seconds; importing torch takes a few
INSTALL = 'in the folder of the repository, run: pip install -c constraints.txt -e ".[lab,torch,course]"'
WORKS = "TOKENLAB_SANDBOX_WORKS"  # what was tried last, and works


def grading_problem(libraries: Sequence[str] = (), sandbox: str = "") -> str:
    """Return why nothing can be graded here, in one sentence without a full stop, or "". A success is remembered.

    Args:
        libraries: the libraries that the assignment allows; the hidden tests use them as well.
        sandbox: "bwrap", "none" or a command; by default, the one that the environment chooses.

    >>> grading_problem(["no_such_library"]).partition(";")[0]
    'the assignment needs the library no_such_library, which is not installed'
    >>> grading_problem(sandbox="no-such-program --quiet")
    'the sandbox does not start: there is no program no-such-program; correct TOKENLAB_SANDBOX'
    """
    if missing := [name for name in libraries if find_spec(name) is None]:
        return f"the assignment needs the library {', '.join(missing)}, which is not installed; {INSTALL}"
    if commands.is_root() and not os.environ.get(commands.AS_ROOT):
        return commands.NOT_AS_ROOT
    chosen = sandbox or commands.chosen()
    if not chosen:
        return commands.NEEDED
    tried = shlex.join([chosen, *libraries])
    if os.environ.get(WORKS) == tried:
        return ""
    problem = _sandbox_problem(chosen, libraries)
    if not problem:
        os.environ[WORKS] = tried  # also in the processes that this one starts
    return problem


def _sandbox_problem(sandbox: str, libraries: Sequence[str]) -> str:
    with StudentProcess(libraries, PATIENCE, sandbox) as probe:
        started = probe.cell("import sys\nsys.version_info[:2]", 0)
        imported = probe.cell("\n".join(f"import {name}" for name in libraries), 1)
    version = str(sys.version_info[:2])
    if (started.get("error") or {}).get("name") == "Stopped":
        return f"the sandbox does not start: {_reason(sandbox)}; correct {commands.VARIABLE}"
    if (found := started.get("printed", "").strip()) != version:
        return f"the sandbox runs Python {found}, and the grader {version}; use the same version"
    if error := imported.get("error"):
        said = f"{error.get('name')}: {error.get('message')}"
        return f"the assignment needs {', '.join(libraries)}, and in the sandbox the import fails ({said:.200})"
    return ""


def _reason(sandbox: str) -> str:
    """Run Python in the sandbox without the grader's pipes, and return the last line that it prints."""
    try:
        with TemporaryDirectory(prefix="tokenlab-probe-") as folder, commands.call_filter(sandbox) as files:
            done = subprocess.run(
                [*commands.command_for(sandbox, Path(folder), files=files), f"{commands.first_words(sandbox)}pass"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=PATIENCE.waiting,
                check=False,
                pass_fds=files,
            )
    except FileNotFoundError:
        return f"there is no program {shlex.split(sandbox)[0]}"
    except subprocess.TimeoutExpired:
        return "it does not answer"
    except (OSError, ValueError) as error:
        return str(error)
    said = [line.strip() for line in done.stderr.decode(errors="replace").splitlines() if line.strip()]
    return f"{said[-1]:.200}" if said else f"it ends with the exit status {done.returncode} and answers nothing"
