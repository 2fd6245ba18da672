"""A large fictitious class with ten hostile members: collected, graded while a process is killed and a core is busy.

`python -m tests.course.class_of_200 assignment5 200` prints each step's time, the memory that grading takes, the size
of the course on the disk, and every lost or wrong point. In the end, everybody is graded again.
"""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import threading
import time
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
import psutil

from course import regrade
from course.attacks import attacks
from course.collect import collect
from course.course_folder import Course
from course.demo import Demo, students
from course.submissions import Sheet, Submission
from tokenlab.check.submission import hand_in

ROOT = Path(__file__).parents[2]
HOSTILE = 10


def made(folder: Path, name: str, number: int) -> tuple[Demo, dict[str, Submission]]:
    """Return a course, and its class: hostile submissions, and as often as needed the others that can be graded."""
    demo = Demo(folder / "course", name)
    hostile = {one.what: one for one in attacks(demo.assignment, demo.places)}
    others = cycle([one for one in demo.members.values() if one.lost is not None and one.what not in hostile])
    members: list[Submission] = []
    for one in islice(hostile.values(), HOSTILE):
        members += [*islice(others, 9), one]
    return demo, dict(zip(islice(students(), number), [*members, *islice(others, number)], strict=False))


class MostMemory:
    """The largest amount of memory that is used while this runs, beyond that at the start, in bytes."""

    def __enter__(self) -> MostMemory:
        self.before, self.most, self.over = psutil.virtual_memory().used, 0, threading.Event()
        self.thread = threading.Thread(target=self._watch)
        self.thread.start()
        return self

    def _watch(self) -> None:
        while not self.over.wait(0.2):
            self.most = max(self.most, psutil.virtual_memory().used - self.before)

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join()


def size_of(folder: Path) -> int:
    """Return the bytes of all files in a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def write_files(demo: Demo, members: dict[str, Submission], inbox: Path) -> None:
    """Write what each student sends: every other one a notebook, the others a file of `hand_in`."""
    name = demo.assignment.name
    release = nbformat.read(demo.course.root / "release" / name / f"{name}.ipynb", as_version=4)
    for number, (student, member) in enumerate(members.items()):
        sheet = Sheet(demo.assignment, release, student)
        member.edit(sheet)
        if "student_id = ..." in sheet.read("student_id"):
            sheet.write("student_id", f"student_id = {student!r}")
        sheet.save(inbox / str(number))
        notebook = inbox / str(number) / sheet.file
        if number % 2:
            with contextlib.redirect_stdout(None):
                hand_in(notebook, student, inbox / str(number))
            notebook.unlink()


def grade_and_kill(course: Course, name: str) -> float:
    """Run `make grade` while a core is busy, kill one of its processes after a few students; return the seconds."""
    start = time.perf_counter()
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    command = [sys.executable, "-m", "course.grade", name, "--course", str(course.root), "--as-root"]
    try:
        grading = subprocess.Popen(command, cwd=ROOT, encoding="utf-8", stderr=subprocess.PIPE)
        assert grading.stderr
        seen = ""
        while " 3/" not in seen:
            seen += grading.stderr.read(1) or sys.exit(f"grading ended: {seen}")
        servers = [one for one in psutil.Process(grading.pid).children() if "forkserver" in " ".join(one.cmdline())]
        for child in servers[0].children()[:1]:
            child.send_signal(signal.SIGKILL)
            print("killed a process")
        for _ in grading.stderr:
            pass
        grading.wait()
    finally:
        busy.kill()
    return time.perf_counter() - start


def wrong_points(demo: Demo, members: dict[str, Submission]) -> dict[str, tuple[float, float]]:
    """Return the points and the expected points of each student for whom they differ."""
    most, found = demo.assignment.most_points, {}
    scores = demo.course.scores(demo.assignment.name)
    for student, member in members.items():
        lost = {*(member.lost or ())} | ({"trace"} if "id of another" in member.what else set())
        expected = sum(points for cell, points in most.items() if cell not in lost)
        given = sum(score.auto or 0.0 for score in scores.get(student, {}).values())
        if given != expected:
            found[student] = given, expected
    return found


def main(arguments: list[str]) -> int:
    """Run all steps; return 1 if a point is lost or wrong."""
    name, number = (arguments[0], int(arguments[1])) if len(arguments) > 1 else ("assignment5", 200)
    with TemporaryDirectory(prefix="tokenlab-class-") as folder:
        demo, members = made(Path(folder), name, number)
        members = {student: member for student, member in members.items() if "id of another" not in member.what}
        inbox, start = Path(folder) / "inbox", time.perf_counter()
        write_files(demo, members, inbox)
        print(f"{len(members)} files written in {time.perf_counter() - start:.0f} s", flush=True)
        start = time.perf_counter()
        collected = collect(inbox, demo.course)
        print(f"collected {len(collected.taken)} in {time.perf_counter() - start:.0f} s", flush=True)
        before = size_of(demo.course.root)
        with MostMemory() as memory:
            seconds = grade_and_kill(demo.course, name)
        taken = size_of(demo.course.root) - before
        print(
            f"memory while grading: {memory.most / 1e9:.1f} GB; disk: {before / 1e6:.0f} MB, and {taken / 1e6:.0f} MB"
        )
        pages = len(list((demo.course.root / "feedback").glob("*/*/*.html")))
        wrong = wrong_points(demo, members)
        print(f"graded with feedback in {seconds:.0f} s; {pages} pages of feedback; wrong points: {wrong or 'none'}")
        start = time.perf_counter()
        done = regrade.regrade(demo.course, demo.assignment.source, Path(folder) / "again")
        seconds = time.perf_counter() - start
        print(f"regraded in {seconds:.0f} s; changed: {[*map(str, done.changes)]}, not graded: {done.advice or 'none'}")
    lost = len(collected.taken) != len(members) or pages != len(members)
    return 1 if wrong or lost or done.changes or done.advice else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
