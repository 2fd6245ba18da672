"""The commands that start Python for a student's code: in a sandbox of the system, or without one.

bubblewrap (the program `bwrap`, on Linux) is used if it works; if not, nothing is graded. The variable
TOKENLAB_SANDBOX chooses another way: "none", or a command of your own, such as nsjail or a container, which runs what
follows it. In bubblewrap, a program has no capabilities, also if root grades. {kit} in a command becomes the
folder with the modules that Python needs, and must be visible as /kit. {python} becomes this Python, {base} the folder
of its installation, and {libraries} the folder of the installed libraries.

>>> command_for("podman run -i -v {kit}:/kit:ro python:3.11-slim python3", Path("here"))[3:]
['-v', 'here:/kit:ro', 'python:3.11-slim', 'python3', '-I', '-S', '-c']
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from argparse import ArgumentParser
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile

from course.sandbox.gradable import LIBRARIES
from course.sandbox.seccomp import program

VARIABLE = "TOKENLAB_SANDBOX"
AS_ROOT = "TOKENLAB_GRADE_AS_ROOT"  # set by `make grade ARGS="... --as-root"`
NOBODY = "65534"  # the id of the user and of the group inside
SYSTEM = ("/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache")
OF_OTHERS = ("/usr/local/share", "/usr/share/nbgrader", "/usr/src")  # the first has nbgrader's exchange
# Folders of /proc whose files root may write even without capabilities: kernel settings, such as what a crash starts.
SETTINGS = ("/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus")
ROOM = 20_000_000  # bytes in a folder of the sandbox
NEEDED = (
    "there is no sandbox for the students' code: install bubblewrap (if it is installed, TOKENLAB_SANDBOX=bwrap says "
    "why it does not start), or name your own in TOKENLAB_SANDBOX; to grade without one, add --without-sandbox (then a "
    "program can change grades)"
)
NOT_AS_ROOT = (
    "root grades here, and a program that escapes from the sandbox could do everything: grade as another user, or add "
    "--as-root, for example in a container that has nothing but this course"
)
OPEN_WITHOUT = (
    "no sandbox: a student's code can read and write the files of the account that runs it: solutions, other "
    "submissions and the gradebook, and use the network; install bubblewrap, or see TOKENLAB_SANDBOX in the guide"
)


@cache
def chosen() -> str:
    """Return "bwrap", "none", or the command that the environment variable gives; "" if there is no sandbox."""
    return os.environ.get(VARIABLE) or ("bwrap" if _bwrap_works() else "")


def add_options(parser: ArgumentParser) -> None:
    """Add the options of `allow` to a command."""
    parser.add_argument("--without-sandbox", action="store_true", help="trust all students, and use no sandbox")
    parser.add_argument("--as-root", action="store_true", help="grade although you are root")


def allow(without_sandbox: bool, as_root: bool) -> None:
    """Allow to grade without a sandbox, and as root, in this process and those that it starts."""
    if without_sandbox:
        os.environ[VARIABLE] = "none"
        chosen.cache_clear()
    if as_root:
        os.environ[AS_ROOT] = "yes"


def is_root() -> bool:
    """Whether root runs this."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _bwrap_works() -> bool:
    """Whether bubblewrap is installed, and the system lets it make namespaces."""
    try:
        with call_filter("bwrap") as files:
            probe = ["bwrap", *_alone(files), "--ro-bind", "/", "/", sys.executable, "-S", "-c", ""]
            return subprocess.run(probe, capture_output=True, timeout=30, pass_fds=files).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


def _alone(files: Sequence[int]) -> list[str]:
    """Return the options for own namespaces, the user nobody, no capabilities, and the filter of system calls.

    Root keeps what it needs to become nobody, which is the first thing that the code does (`first_words`): in a user
    namespace, a program of root would still own files of the system, such as /dev/null and the kernel's settings.
    """
    if is_root():
        options = [f"--unshare-{name}" for name in ("ipc", "pid", "net", "uts", "cgroup-try")]
        options += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        options = ["--unshare-all", "--unshare-user", "--uid", NOBODY, "--gid", NOBODY, "--cap-drop", "ALL"]
    for file in files:
        options += ["--seccomp", str(file)]
    return [*options, "--die-with-parent", "--new-session"]


@contextmanager
def call_filter(sandbox: str) -> Iterator[tuple[int, ...]]:
    """Yield the open file with the filter of system calls, for `pass_fds`; a sandbox of one's own has none."""
    if sandbox != "bwrap" or not (filter := program()):
        yield ()
        return
    with TemporaryFile() as file:
        file.write(filter)
        file.seek(0)
        yield (file.fileno(),)


def first_words(sandbox: str) -> str:
    """Return the code with which a program in a sandbox begins: root becomes nobody, and loses all capabilities."""
    if sandbox == "bwrap" and is_root():
        return f"import os; os.setgroups([]); os.setresgid(*[{NOBODY}] * 3); os.setresuid(*[{NOBODY}] * 3); "
    return ""


def command_for(sandbox: str, kit: Path, libraries: Collection[str] = (), files: Sequence[int] = ()) -> list[str]:
    """Return the command that runs Python code, which follows as the last argument and begins with `first_words`.

    Args:
        sandbox: "bwrap", "none", or a command.
        kit: the folder with the modules of the runner.
        libraries: the libraries of `LIBRARIES` that the code may use, such as torch.
        files: what `call_filter` yields.
    """
    if sandbox == "bwrap":
        start = [*_bwrap(kit, libraries, files), python()]
    elif sandbox == "none":
        start = [python()]
    else:
        start = [_filled(part, kit) for part in shlex.split(sandbox)]
    # The program is looked for in all folders here, because the student's process has fewer.
    return [shutil.which(start[0]) or start[0], *start[1:], "-I", "-S", "-c"]


def _filled(part: str, kit: Path) -> str:
    """Replace the names in braces; other braces stay."""
    values = {"kit": str(kit), "python": python(), "base": sys.base_prefix, "libraries": site_packages()[0]}
    for name, value in values.items():
        part = part.replace(f"{{{name}}}", value)
    return part


def kit_seen_by(sandbox: str, kit: Path) -> str:
    """Return the path of the runner's folder inside the sandbox."""
    return str(kit) if sandbox == "none" else "/kit"


def python() -> str:
    """Return the interpreter itself, without a virtual environment."""
    return os.path.realpath(sys.executable)


def site_packages() -> list[str]:
    """Return the folders of the installed libraries."""
    return list(dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib")))


def _bwrap(kit: Path, libraries: Collection[str], files: Sequence[int]) -> list[str]:
    """Show the system, Python and the runner, all read-only; hide the network, other processes and all other files."""
    seen = [path for path in (*SYSTEM, sys.base_prefix) if Path(path).exists()]
    seen += [python(), *site_packages()]
    command = ["bwrap", *_alone(files), "--clearenv"]
    command += ["--setenv", "OMP_NUM_THREADS", "1", *tmpfs("/tmp"), "--ro-bind", str(kit), "/kit"]
    for path in dict.fromkeys(seen):
        for above in reversed(Path(path).parents[:-1]):  # otherwise, only root could enter these folders
            if not any(above.is_relative_to(other) for other in seen):
                command += ["--perms", "0755", "--dir", str(above)]
        command += ["--ro-bind-try", path, path]
    forbidden = [name for name in LIBRARIES if name not in libraries]
    hidden = [str(Path(folder) / name) for folder in site_packages() for name in forbidden]
    own = Path(sys.base_prefix) / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
    others = {str(own), "/usr/lib/python3/dist-packages"} - {*site_packages()}
    for folder in [*hidden, *sorted(others), *OF_OTHERS]:
        # A folder can only be covered if it is visible.
        if Path(folder).is_dir() and any(Path(folder).is_relative_to(path) for path in seen):
            command += tmpfs(folder)
    command += ["--proc", "/proc", "--dev", "/dev", *tmpfs("/dev/shm")]
    for path in SETTINGS:
        command += ["--ro-bind-try", path, path]
    return [*command, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/tmp"]


def tmpfs(folder: str) -> list[str]:
    """Return the options for an empty folder with room for a few small files."""
    return ["--perms", "1777", "--size", str(ROOM), "--tmpfs", folder]
