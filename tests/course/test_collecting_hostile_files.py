"""Hostile files are refused by name, in one printable line each, with bounded memory, and stop no other file."""

from __future__ import annotations

import io
import json
import os
import struct
import subprocess
import sys
import unicodedata
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from course.collect import Collected, collect
from course.course_folder import Course
from tests import skips
from tests.course.handed_in import NAME, altered, notebook, packed, put, stored, unzipped, zipped
from tokenlab.check.submission import MANIFEST

BOMB = 600_000_000


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    """A folder with one good submission."""
    put(tmp_path / "inbox", "good.zip", packed("good"))
    return tmp_path / "inbox"


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return Course(tmp_path / "course")


def refusal(inbox: Path, course: Course) -> str:
    """Collect; the good file is taken, and one other is refused with this line."""
    collected = collect(inbox, course)
    assert [line.partition(":")[0] for line in collected.taken] == ["good.zip"]
    assert sorted(path.name for path in (course.root / "submitted").iterdir()) == ["good"]
    assert_printable(collected)
    (line,) = collected.refused
    return line


def assert_printable(collected: Collected) -> None:
    lines = str(collected).split("\n")
    expected = (
        5 * 2
        + 1
        + sum(map(len, (collected.taken, collected.unchanged, collected.older, collected.refused, collected.warnings)))
    )
    assert len(lines) == expected, "one line each"
    assert all(unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Zl", "Zp") for line in lines for c in line)


def with_id(expression: str) -> bytes:
    return notebook("x", f"student_id = {expression}").replace(b"student_id = 'x'", b"pass")


def with_cells(cells: str) -> bytes:
    metadata = b'{"tokenlab": {"assignment": "assignment1"}}'
    return b'{"nbformat": 4, "metadata": %s, "cells": %s}' % (metadata, cells.encode())


NOTEBOOKS = {
    "the mark is a number": (notebook("x", tokenlab=5), "no assignment"),
    "the assignment's name is too long": (notebook("x", tokenlab={"assignment": "a" * 300}), "no assignment"),
    "the metadata are a list": (b'{"nbformat": 4, "metadata": [], "cells": []}', "no notebook"),
    "the cells are a number": (with_cells("5"), "no notebook"),
    "the cells are a text": (with_cells('"ab"'), "no notebook"),
    "a cell is a number": (with_cells("[5]"), "no notebook"),
    "the metadata of a cell are a number": (with_cells('[{"metadata": 5}]'), "no notebook"),
    "a source is a number": (with_cells('[{"cell_type": "code", "source": 5}]'), "no notebook"),
    "a source is a list of numbers": (with_cells('[{"cell_type": "code", "source": [5, 6]}]'), "student_id"),
    "a source contains a null character": (with_id("'anna' \0"), "student_id"),
    "an id of 20,000 characters": (with_id("+".join(["1"] * 10_000)), "student_id"),
    "an id nested 10,000 deep": (with_id("(" * 10_000 + ")" * 10_000), "student_id"),
    "an id with 100,000 operators": (with_id("-" * 100_000 + "1"), "student_id"),
    "an id with 100,000 attributes": (with_id("a" + ".a" * 100_000), "student_id"),
    "an id with 10,000 digits": (with_id("9" * 10_000), "student_id"),
    "an id with 10,000 hexadecimal digits": (with_id("0x" + "f" * 10_000), "student_id = of type int is no id"),
    "an id of the wrong direction": (
        with_id("'anna\\u202e'"),
        r"student_id = 'anna\u202e' has the invisible character U+202E RIGHT",
    ),
    "an id with a joiner": (
        with_id("'an\u200dna'"),
        r"'an\u200dna' has the invisible character U+200D ZERO WIDTH JOINER",
    ),
    "an id with a filler": (with_id("'anna\u3164'"), "U+3164 HANGUL FILLER"),
    "an id with a control": (with_id("'anna\x1b[2J'"), "U+001B"),
    "an id with half a character": (with_id("'anna\\ud800'"), "U+D800"),
    "two notebooks in one": (
        json.dumps(json.loads(notebook()) | {"nbformat": 3, "worksheets": []}).encode(),
        "no notebook",
    ),
    "no format": (json.dumps({"cells": [], "metadata": {}}).encode(), "no notebook"),
    "JSON nested 100,000 deep": (b"[" * 100_000, "no notebook"),
    "cells nested 100,000 deep": (with_cells("[" * 100_000 + "]" * 100_000), "no notebook"),
    "a number with 10,000 digits": (with_cells(f"[{'9' * 10_000}]"), "no notebook"),
    "invalid UTF-8": (b'{"cells": ["\xff"]}', "no notebook"),
    "another encoding": (notebook("x").decode().encode("utf-16"), "no notebook"),
    "nothing": (b"", "no notebook"),
}


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_hostile_notebook_stops_nothing(inbox: Path, course: Course, name: str) -> None:
    content, reason = NOTEBOOKS[name]
    put(inbox, "evil.ipynb", content)
    line = refusal(inbox, course)
    assert line.startswith("evil.ipynb: ") and reason in line


def marked(offsets: dict[bytes, int], change: Callable[[int], int]) -> bytes:
    """A submission whose headers of members have changed 16-bit fields, by signature."""
    content = bytearray(packed())
    for signature, offset in offsets.items():
        place = -1
        while (place := content.find(signature, place + 1)) >= 0:
            (old,) = struct.unpack_from("<H", content, place + offset)
            struct.pack_into("<H", content, place + offset, change(old))
    return bytes(content)


def many(number: int) -> bytes:
    return zipped(unzipped(packed()) | {f"{place:040}": b"" for place in range(number)})


def twice(name: str) -> bytes:
    """A submission with a second member of the same name."""
    members = unzipped(packed()) | {f"{name}2": b"{}"}
    return zipped(members).replace(f"{name}2".encode(), f"{name}\0".encode())


ARCHIVES = {
    "encrypted": (marked({b"PK\x03\x04": 6, b"PK\x01\x02": 8}, lambda flags: flags | 1), "is encrypted"),
    "unknown method": (marked({b"PK\x03\x04": 8, b"PK\x01\x02": 10}, lambda _: 99), "compressed by method 99"),
    "bzip2": (zipped(unzipped(packed()), zipfile.ZIP_BZIP2), "compressed by method 12"),
    "lzma": (zipped(unzipped(packed()), zipfile.ZIP_LZMA), "compressed by method 14"),
    "absolute path": (zipped(unzipped(packed()) | {"/etc/passwd": b""}), "a member that is named '/etc/passwd'"),
    "path upwards": (zipped(unzipped(packed()) | {"a/../../b": b""}), "a member that is named 'a/../../b'"),
    "100 members": (many(98), "it has 100 members"),
    "5,000 members": (many(5_000), "its directory has more than"),
    "two manifests": (twice(MANIFEST), "2 members with the name"),
    "two notebooks": (twice(f"{NAME}.ipynb"), "2 members with the name"),
    "manifest of 600 kB": (zipped(unzipped(packed()) | {MANIFEST: b" " * 600_000}), "is too large"),
    "manifest nested deeply": (zipped(unzipped(packed()) | {MANIFEST: b"[" * 90_000}), "was altered"),
    "another member as notebook": (altered(notebook=MANIFEST), "its notebook is not named assignment1.ipynb"),
    "numbers": (altered(assignment=5, time=5), "was altered"),
    "long name": (altered(assignment="a" * 200), "its assignment"),
    "id of the wrong direction": (altered(student_id="anna\u202e"), "has the invisible character U+202E"),
    "no zip": ("\x1b[2J\u202e".encode(), "torn, or no zip"),
}


@pytest.mark.parametrize("name", ARCHIVES)
def test_a_hostile_archive_stops_nothing(inbox: Path, course: Course, name: str) -> None:
    content, reason = ARCHIVES[name]
    put(inbox, "evil.zip", content)
    line = refusal(inbox, course)
    assert line.startswith("evil.zip: ") and reason in line


@pytest.mark.parametrize("suffix", [".ipynb", ".zip"])
def test_a_file_of_200_megabytes_is_not_read(inbox: Path, course: Course, suffix: str) -> None:
    os.truncate(put(inbox, f"evil{suffix}", b""), 200_000_000)
    assert "it has 200000000 bytes, and at most" in refusal(inbox, course)


@pytest.mark.parametrize("error", [RecursionError(), MemoryError(), KeyError("a"), UnicodeError("b\u202e\n")])
def test_any_error_refuses_one_file(
    inbox: Path, course: Course, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    put(inbox, "evil.ipynb", notebook())
    monkeypatch.setattr("course.collect.parse_notebook", fail)
    assert refusal(inbox, course).startswith("evil.ipynb: ")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason=skips.POSIX)
def test_links_pipes_and_folders_are_not_opened(inbox: Path, course: Course, tmp_path: Path) -> None:
    outside = put(tmp_path, "outside/secret.zip", packed("secret"))
    (inbox / "link.zip").symlink_to(outside)
    (inbox / "folder").symlink_to(outside.parent)
    (inbox / "device.ipynb").symlink_to("/dev/zero")
    (inbox / "nowhere.ipynb").symlink_to("nowhere")
    (inbox / "loop").symlink_to(inbox)
    (inbox / "folder.ipynb").mkdir()
    os.mkfifo(inbox / "pipe.ipynb")
    collected = collect(inbox, course)
    assert list(stored(course.root / "submitted")) and len(collected.taken) == 1 and collected.seen == 8
    assert {
        line.partition(":")[0]: line.partition(": it is ")[2].partition(",")[0].partition(";")[0]
        for line in collected.refused
    } == {
        **dict.fromkeys(("link.zip", "folder", "device.ipynb", "nowhere.ipynb", "loop"), "a link"),
        "folder.ipynb": "a folder",
        "pipe.ipynb": "no regular file",
    }


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason=skips.POSIX)
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason=skips.NOT_ROOT)
def test_unreadable_files_and_folders_are_named(inbox: Path, course: Course) -> None:
    put(inbox, "closed.zip", packed("closed")).chmod(0)
    put(inbox, "closed/inside.zip", packed("closed")).parent.chmod(0)
    try:
        refused = collect(inbox, course).refused
    finally:
        (inbox / "closed").chmod(0o700)
    assert [line.partition(":")[0] for line in refused] == ["closed", "closed.zip"]


@pytest.mark.skipif(os.name == "nt", reason=skips.POSIX)
@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a\nb.zip", r"a\nb.zip"),
        ("a\u202eb.zip", r"a\u202eb.zip"),
        ("a\u2066b.zip", r"a\u2066b.zip"),
        ("a\u200bb\ufeff.zip", r"a\u200bb\ufeff.zip"),
        ("a\x1b[2J.zip", r"a\x1b[2J.zip"),
        (os.fsdecode(b"a\xff.zip"), r"a\udcff.zip"),
    ],
)
def test_names_of_files_are_printed_in_one_visible_line(inbox: Path, course: Course, name: str, shown: str) -> None:
    put(inbox, name, packed("anna"))
    collected = collect(inbox, course)
    assert sorted(line.partition(":")[0] for line in collected.taken) == sorted([shown, "good.zip"])
    assert_printable(collected)
    put(inbox, name, b"torn")
    assert collect(inbox, course).refused[0].startswith(f"{shown}: ")


@pytest.mark.skipif(os.name == "nt", reason=skips.POSIX)
def test_folders_that_are_nested_deeply_stop_nothing(inbox: Path, course: Course) -> None:
    here = os.open(inbox, os.O_RDONLY)
    try:
        for _ in range(1_100):  # longer than the longest path that systems accept
            os.mkdir("abcd", dir_fd=here)
            below = os.open("abcd", os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = below
        assert "it is a folder that cannot be listed" in refusal(inbox, course)
    finally:
        os.close(here)
        subprocess.run(["rm", "-r", str(inbox / "abcd")], check=True)  # shutil.rmtree calls itself for each folder


def bomb(member: str) -> bytes:
    """A submission with a member of 600 MB."""
    memory, part = io.BytesIO(), b" " * 1_000_000
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        with archive.open(member, "w") as file:
            for _ in range(BOMB // len(part)):
                file.write(part)
        for name, content in unzipped(packed()).items():
            if name != member:
                archive.writestr(name, content)
    return memory.getvalue()


MEASURED = """
import resource, subprocess, sys
command = [sys.executable, "-m", "course.collect", *sys.argv[1:]]
done = subprocess.run(command, capture_output=True, encoding="utf-8")
print(done.stdout, done.stderr)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // (1 if sys.platform == "linux" else 1024))
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason=skips.FORK)
def test_bombs_take_little_memory(inbox: Path, course: Course) -> None:
    sheet = bomb(f"{NAME}.ipynb")
    bombs = {
        "notebook": sheet,
        "liar": sheet.replace(struct.pack("<I", BOMB), struct.pack("<I", 90_000_000)),
        "manifest": bomb(MANIFEST),
        "members": many(5_000),
    }
    for name, content in bombs.items():
        put(inbox, f"{name}.zip", content)
    all_of_them = zipped({path.name: path.read_bytes() for path in inbox.iterdir()})
    for source in (inbox, put(inbox.parent, "all.zip", all_of_them)):
        # A process between this one and the measured one: Linux counts the memory of the process that starts another.
        command = [sys.executable, "-c", MEASURED, str(source), str(course.root)]
        done = subprocess.run(
            command, capture_output=True, encoding="utf-8", env=os.environ | {"PYTHONPATH": os.getcwd()}
        )
        *said, peak = done.stdout.split("\n")[:-1]
        assert int(peak) < 300_000, f"{peak} kB"
        assert "good.zip: good" in done.stdout and f"{len(bombs)} refused" in done.stdout, said
