"""The students' archive: it works, and has no solution, hidden test or wrong program in it."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from course import student_kit
from course.build import SOURCES, notebook_of, secret_lines
from course.demo import NAMES


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("kit") / "kit.zip"
    student_kit.write(path)
    return path


@pytest.fixture(scope="module")
def unpacked(archive: Path) -> Path:
    with zipfile.ZipFile(archive) as content:
        content.extractall(archive.parent)
    return archive.parent / student_kit.FOLDER


@pytest.mark.slow
def test_it_has_no_folder_of_assignments_tests_or_instructors(unpacked: Path) -> None:
    names = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*") if path.is_file()}
    assert {"README.md", "lab.py", "Makefile", "tokenlab/__init__.py", "docs/glossary.md"} <= names
    assert len([name for name in names if re.fullmatch(r"notebooks/\d\d_\w+\.ipynb", name)]) == 25
    assert not [name for name in names if name.startswith(("tests", "course", "publish", "notebooks/source", "."))]
    assert not [name for name in names if "instructors" in name or name.endswith((".pyc", ".git"))]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_no_line_of_a_solution_or_hidden_test_is_in_it(unpacked: Path, name: str) -> None:
    secret = {line for line in secret_lines(notebook_of(SOURCES / f"{name}.py")) if len(line) > 80}
    assert len(secret) > 10
    for path in unpacked.rglob("*"):
        if path.suffix in (".py", ".md", ".ipynb", ".txt", ".toml"):
            text = path.read_text(encoding="utf-8")
            assert not [line for line in secret if line in text], path


@pytest.mark.slow
def test_the_comment_of_the_makefile_names_only_commands_that_work_here(unpacked: Path) -> None:
    comment, *rest = (unpacked / "Makefile").read_text(encoding="utf-8").splitlines()
    assert "make lab " in comment and "make test" not in comment
    assert rest == (student_kit.ROOT / "Makefile").read_text(encoding="utf-8").splitlines()[1:]


@pytest.mark.slow
def test_programs_of_the_made_up_classes_are_known_secrets() -> None:
    secret = student_kit.secrets()
    for name in NAMES:
        programs = student_kit.runs((student_kit.PROGRAMS / f"{name}.py").read_text(encoding="utf-8"))
        assert len(programs & secret) > 20


def test_a_leak_stops_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    solution = min(student_kit.secrets())
    monkeypatch.setattr(student_kit, "members", lambda: iter([("tokenlab/x.py", "\n".join(solution).encode())]))
    assert student_kit.main([str(tmp_path / "kit.zip")]) == 1
    assert "tokenlab/x.py has what should be hidden" in capsys.readouterr().out
    assert not (tmp_path / "kit.zip").exists()


@pytest.mark.slow
def test_the_same_files_give_the_same_archive(archive: Path, tmp_path: Path) -> None:
    student_kit.write(tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == archive.read_bytes()


@pytest.mark.slow
def test_the_package_in_it_is_complete_and_other_commands_are_refused(unpacked: Path) -> None:
    code = "import tokenlab.check, tokenlab.data as d; print(len(d.text('english')) > 1000, d.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=unpacked,
        env={"PYTHONPATH": str(unpacked)},
        capture_output=True,
        encoding="utf-8",
    )
    assert done.stdout.startswith("True") and str(unpacked) in done.stdout, done.stderr
    refused = subprocess.run([sys.executable, "lab.py", "grade"], cwd=unpacked, capture_output=True, encoding="utf-8")
    assert refused.returncode == 1 and "only the commands lab and lab-small" in refused.stderr
