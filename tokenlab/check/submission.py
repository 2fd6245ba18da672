"""Submit an assignment without a server: one zip file with the notebook, the student id and a digest.

    from tokenlab.check.submission import hand_in
    hand_in()

Adds: a file that is written atomically and read back before success is reported. Leaves out: signatures, so a change of
both the notebook and the digest is not detected.
"""

from __future__ import annotations

import ast
import hashlib
import io
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import unicodedata
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

import tokenlab
from tokenlab.check.bounded_zip import has_unsafe_path, open_zip, read_member
from tokenlab.check.student_id import LONGEST_ID

PACKAGE = Path(tokenlab.__file__).parent
MANIFEST = "handed_in.json"
MAX_SIZE = 100_000_000  # bytes of a notebook; nbgrader copies no larger files
MAX_MANIFEST = 100_000
MAX_DIRECTORY = 200_000  # bytes of the directory of a submission's archive
MAX_MEMBERS = 20  # hand_in() writes 2; programs that pack it again may add others
NAME = re.compile(r"\w[\w-]{0,79}")  # of an assignment
# Characters that some operating system or nbgrader does not accept in a folder name.
FORBIDDEN = re.compile(r"""^\.|\.$|[/\\:*?"<>|\[\]{}\x00-\x1f\x7f]""")
# Letters, marks and symbols that are drawn as nothing (Default_Ignorable_Code_Point in Unicode's DerivedCoreProperties,
# without the category Cf), and the empty pattern of Braille.
BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")


@dataclass(frozen=True)
class Submission:
    """The content of a submitted file."""

    assignment: str
    student_id: str
    time: str  # in UTC, as in 2026-11-20T17:00:00+00:00
    notebook: bytes
    versions: dict[str, Any]


def hand_in(notebook: str | Path | None = None, student_id: str | None = None, folder: str | Path = ".") -> Path | None:
    """Write the submission file, print where it is, and return its path; do nothing while the notebook is graded.

    Args:
        notebook: the notebook's file; by default the only assignment in the working directory.
        student_id: your id; by default the one in the notebook.
        folder: the folder to write to.

    Raises:
        FileNotFoundError: the notebook or the folder does not exist.
        ValueError: the file is not an assignment, is not saved, or has no usable student id.
    """
    if "NBGRADER_EXECUTION" in os.environ:  # the submitted notebook also contains this call
        return None
    path = Path(notebook) if notebook is not None else _only_assignment(Path.cwd())
    content = _content(path)
    sheet = parse_notebook(content, path.name)
    _refuse_unsaved(sheet, path.name)
    student = student_folder_name(student_id if student_id is not None else _id_of(sheet, path.name))
    now = datetime.now(UTC).replace(microsecond=0)
    handed_in = Submission(assignment_name(sheet) or path.stem, student, now.isoformat(), content, versions())
    where = Path(folder) / f"{handed_in.assignment}_{student}_{now:%Y%m%dT%H%M%SZ}.zip"
    _write_whole(where, _packed(handed_in))
    assert read_submission(where) == handed_in
    print(
        f"Written: {where.resolve()}\nHand in this one file, as your course says; it holds {path.name} as it was saved."
    )
    return where


def read_submission(source: str | Path | BinaryIO, name: str | None = None) -> Submission:
    """Read a file that `hand_in` wrote, with bounded memory. Only the manifest and the notebook are decompressed.

    Args:
        source: the file, or its path.
        name: what error messages call it; by default the name of the path.

    Raises:
        ValueError: the file is truncated, altered, or not written by `hand_in`.
    """
    try:
        if isinstance(source, (str, Path)):
            name = name or Path(source).name
            with open(source, "rb") as file:
                return _unpacked(file)
        return _unpacked(source)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
        raise ValueError(f"{name or 'the file'} is torn, or no zip file: {error}") from None
    except Exception as error:  # zipfile and json raise errors of many types for files that somebody altered
        reason = str(error) or type(error).__name__
        raise ValueError(f"{name or 'the file'} was altered, or not written by hand_in(): {reason}") from None


def _unpacked(file: BinaryIO) -> Submission:
    with open_zip(file, MAX_DIRECTORY) as archive:
        names = archive.namelist()
        if len(names) > MAX_MEMBERS:
            raise ValueError(f"it has {len(names)} members, and hand_in() writes 2")
        if unsafe := [name for name in names if has_unsafe_path(name)]:
            raise ValueError(f"it has a member that is named {unsafe[0]!r:.80}")
        said = json.loads(read_member(archive, MANIFEST, MAX_MANIFEST))
        assignment, time = said["assignment"], said["time"]
        if not (NAME.fullmatch(assignment) and datetime.fromisoformat(time).tzinfo):
            raise ValueError("its assignment or its time is none")
        if said["notebook"] != f"{assignment}.ipynb":
            raise ValueError(f"its notebook is not named {assignment}.ipynb")
        student = student_folder_name(said["student_id"])
        content = read_member(archive, said["notebook"], MAX_SIZE)
    if hashlib.sha256(content).hexdigest() != said["sha256"]:
        raise ValueError("its notebook is not the one that was handed in")
    return Submission(assignment, student, time, content, said["versions"])


def student_folder_name(student_id: Any) -> str:
    """Return an id as a folder name: NFC, with single spaces.

    Raises:
        ValueError: the id is missing, or is not a valid folder name on every system.

    >>> student_folder_name(" jo\\u0308rg  müller ")
    'jörg müller'
    """
    if not isinstance(student_id, str) or not student_id.strip():
        given = f"{student_id!r:.40}" if isinstance(student_id, str | None) else f"of type {type(student_id).__name__}"
        raise ValueError(f"student_id = {given} is no id; write yours in quotes in its cell, save, and try again")
    if len(student_id) > LONGEST_ID:  # before it is normalized, which takes long for odd texts
        raise ValueError(f"student_id = {student_id!r:.60} is too long; take a shorter one")
    name = " ".join(unicodedata.normalize("NFC", student_id).split())
    if invisible := invisible_character(name):
        raise ValueError(
            f"student_id = {name!a:.60} has the invisible character {code_point(invisible)} in it; delete the id, "
            "type it again, and save"
        )
    if found := FORBIDDEN.search(name):
        raise ValueError(f"student_id = {name!r:.60} has {found[0]!r} in it, which no folder's name may have")
    if len(name.encode()) > 120:
        raise ValueError(f"student_id = {name!r:.60} is too long; take a shorter one")
    return name


def invisible_character(text: str) -> str | None:
    """Return the first character of a text that controls, formats or is drawn as nothing; spaces are not meant.

    >>> invisible_character("jo\\u0308rg m") is None, code_point(invisible_character("anna\\u202e") or "")
    (True, 'U+202E RIGHT-TO-LEFT OVERRIDE')
    """
    hidden = (c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") or BLANK.match(c))
    return next(hidden, None)


def code_point(character: str) -> str:
    """Return the number and, if it has one, the name of a character, as in U+202E RIGHT-TO-LEFT OVERRIDE."""
    return f"U+{ord(character):04X} {unicodedata.name(character, '')}".rstrip()


def assignment_name(sheet: dict[str, Any]) -> str | None:
    """Return the name under which the assignment was released, which is independent of the file name."""
    said: Any = sheet
    for key in ("metadata", "tokenlab", "assignment"):
        said = said.get(key) if isinstance(said, dict) else None
    return said if isinstance(said, str) and NAME.fullmatch(said) else None


def student_id_in(sheet: dict[str, Any]) -> Any:
    """Return the value of the last assignment to `student_id`, or None."""
    found = None
    for node in _statements(_code(sheet)):
        targets = node.targets if isinstance(node, ast.Assign) else []
        if any(isinstance(target, ast.Name) and target.id == "student_id" for target in targets):
            found = node.value.value if isinstance(node.value, ast.Constant) else None  # type: ignore[attr-defined]
    return found


def _id_of(sheet: dict[str, Any], name: str) -> Any:
    found = student_id_in(sheet)
    if found is None or found is ...:
        raise ValueError(f'{name} says no id; write student_id = "..." in its cell, save, and try again')
    return found


def _statements(sources: list[str]) -> Iterator[ast.stmt]:
    for source in sources:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # on the learner's own strings, such as "\\d"
                statements = ast.parse(source).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):  # the last two: an expression nested too deeply
            continue
        yield from statements


def _code(sheet: dict[str, Any]) -> list[str]:
    sources = [cell.get("source", "") for cell in sheet["cells"] if cell.get("cell_type") == "code"]
    return ["".join(source) for source in sources if all(isinstance(line, str) for line in source)]


def _only_assignment(folder: Path) -> Path:
    found = sorted(path for path in folder.glob("*.ipynb") if _is_assignment(path))
    if len(found) == 1:
        return found[0]
    names = [path.name for path in found]
    problem = (
        f"there are several assignments here ({', '.join(names)})" if found else f"there is none in {str(folder)!r}"
    )
    raise FileNotFoundError(f'{problem}; name the notebook, as in hand_in("{[*names, "assignment1.ipynb"][0]}")')


def _is_assignment(path: Path) -> bool:
    try:
        return assignment_name(parse_notebook(path.read_bytes(), path.name)) is not None
    except (OSError, ValueError):
        return False


def _content(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {str(path)!r}; check the name, and the folder it is in") from None
    if len(content) > MAX_SIZE:
        raise ValueError(
            f"{path.name} has {len(content)} bytes, and at most {MAX_SIZE} are accepted; clear its large outputs, "
            "save, and hand in again"
        )
    return content


def parse_notebook(content: bytes, name: str) -> dict[str, Any]:
    """Parse the file of an assignment's notebook; `name` is what error messages call it.

    Raises:
        ValueError: the file is no notebook, or no assignment.
    """
    try:
        sheet = json.loads(content.decode("utf-8"))
        cells = sheet["cells"]
        if not (isinstance(cells, list) and isinstance(sheet["metadata"], dict) and sheet["nbformat"] == 4):
            raise TypeError  # in format 3, nbgrader would read other cells than these
        graded = [cell for cell in cells if cell.get("metadata", {}).get("nbgrader")]
        if not all(isinstance(cell.get("source", ""), str | list) for cell in cells):
            raise TypeError
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, MemoryError):
        raise ValueError(f"{name} is no notebook; it is empty, torn, or something else") from None
    if assignment_name(sheet) is None and not graded:
        raise ValueError(f"{name} is a notebook, but no assignment; name the one that you were given")
    return dict(sheet)


def _refuse_unsaved(sheet: dict[str, Any], name: str) -> None:
    """Raise a ValueError if a function was last run in this kernel in a form that the file does not have."""
    interpreter = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    ran = interpreter.user_ns.get("In", []) if interpreter else []
    executed = _definitions([str(source) for source in ran])
    for function, saved in _definitions(_code(sheet)).items():
        if function in executed and executed[function][-1] not in saved:
            raise ValueError(
                f"{name} is not saved, or was changed since you ran it: it has another {function} than you ran; "
                "run all cells, save (Ctrl+S), and hand in again"
            )


def _definitions(sources: list[str]) -> dict[str, list[str]]:
    """The syntax trees of each function, in the order of its definitions."""
    found: dict[str, list[str]] = {}
    for node in _statements(sources):
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(ast.dump(node))
    return found


def _packed(handed_in: Submission) -> bytes:
    notebook = f"{handed_in.assignment}.ipynb"
    said = {
        "assignment": handed_in.assignment,
        "student_id": handed_in.student_id,
        "time": handed_in.time,
        "notebook": notebook,
        "sha256": hashlib.sha256(handed_in.notebook).hexdigest(),
        "versions": handed_in.versions,
    }
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(notebook, handed_in.notebook)
        archive.writestr(MANIFEST, json.dumps(said, indent=1, ensure_ascii=False))
    return memory.getvalue()


def _write_whole(path: Path, content: bytes) -> None:
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(path.parent)!r} to write {path.name!r} into; make it first")
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=".handing-in-")
    try:
        with open(handle, "wb") as file:
            file.write(content)
        os.chmod(beside, 0o644)
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


@cache
def versions() -> dict[str, Any]:
    """Versions of tokenlab and Python, the digest of the code and, if available, the commit and the pinned versions."""
    pins = PACKAGE.parent / "constraints.txt"
    return {
        "tokenlab": tokenlab.__version__,
        "code": _digest(*sorted(PACKAGE.rglob("*.py"))),
        "commit": _commit(),
        "constraints": _digest(pins) if pins.exists() else None,
        "python": platform.python_version(),
    }


def _digest(*paths: Path) -> str:
    together = hashlib.sha256()
    for path in paths:
        together.update(path.name.encode() + b"\0" + path.read_bytes().replace(b"\r\n", b"\n"))
    return together.hexdigest()


def _commit() -> str | None:
    command = ["git", "-C", str(PACKAGE), "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None
