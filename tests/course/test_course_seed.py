"""A course has a secret: graded inputs are drawn from it, and feedback shows others."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest

from course import build, course_seed
from course.assignment import Assignment
from course.course_folder import CONFIG, Course, CourseError
from course.course_seed import FILE, Random, code_of, draw_secret, drawing_from, secret_of, seed
from course.hidden_tests import HiddenTests

# A test on words that are drawn, and an example; a function of the learner is `f`, a second task is `g`.
TEST = """
from hypothesis import strategies as st
from course.course_seed import Random
from course.grading import grade
random = Random(1)
words = ["".join(random.choices("abcdefghij", k=4)) for _ in range(30)]
grade(f, lambda word: word.upper(), st.sampled_from(words).map(lambda word: (word,)), "Capitals.", tried=30)
"""


def drawn() -> list[float]:
    return [Random(number).random() for number in range(5)]


def test_inputs_differ_between_students_versions_and_courses_and_stay_the_same_otherwise() -> None:
    public = drawn()
    keys = [("a secret", "anna", "1"), ("a secret", "anna", "2"), ("a secret", "bob", "1"), ("another", "anna", "1")]
    found = []
    for key in [*keys, keys[0]]:
        with drawing_from(*key):
            found.append(drawn())
    assert found[0] == found[4] and len({tuple(one) for one in [public, *found]}) == 5
    assert drawn() == public and seed(3) == 3
    with drawing_from("ab", "c"):
        first = drawn()
    with drawing_from("a", "bc"):
        assert drawn() != first


def test_a_course_draws_its_secret_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    assert secret_of(tmp_path) == ""
    draw_secret(tmp_path)
    secret = secret_of(tmp_path)
    draw_secret(tmp_path)
    assert secret_of(tmp_path) == secret and len(secret) == 32
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600 and [*tmp_path.iterdir()] == [tmp_path / FILE]
    (tmp_path / "other").mkdir()
    draw_secret(tmp_path / "other")
    assert secret_of(tmp_path / "other") != secret


def test_a_failure_shows_an_input_of_the_public_kit_at_most_one_for_a_task() -> None:
    tests = HiddenTests("a secret", "anna", "1")
    wrong = {"f": lambda word: word}
    public = HiddenTests("").failure("f-one", TEST, wrong)
    assert public and "(" in public[1]
    assert tests.failure("f-one", TEST, wrong) == public
    kind, said = tests.failure("f-two", TEST, wrong) or ("", "")
    assert kind == "AssertionError" and said == "<lambda> fails on an input that is not shown here. The rule: Capitals."
    assert tests.failure("g-one", TEST, wrong) == public
    assert tests.failure("f-one", TEST, {"f": lambda word: word.upper()}) is None
    for key in ("1", "2"):
        assert HiddenTests("a secret", "bob", key).failure("f-one", TEST, wrong) == public


def test_a_table_of_all_public_inputs_fails_and_learns_nothing() -> None:
    known: dict[str, str] = {}

    def asked(word: str) -> str:
        known[word] = word.upper()
        return word.upper()

    assert HiddenTests("").failure("f-one", TEST, {"f": asked}) is None
    table = {"f": lambda word: known.get(word, "")}
    assert HiddenTests("").failure("f-one", TEST, table) is None
    _, said = HiddenTests("a secret", "anna").failure("f-one", TEST, table) or ("", "")
    assert said.endswith("fails on an input that is not shown here. The rule: Capitals.")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("assert f == 3", ("AssertionError", "")),
        ("raise ValueError('odd')", ("ValueError", "odd")),
        ("from course.grading import grade_answer\ngrade_answer({'n': 2}, 'n', 3, 'Count.')",
         ("AssertionError", "n = 2 is not right for your data. The rule: Count.")),
        ("from course.grading import grade\ngrade(lambda word: ..., lambda word: word, None, 'Count.')", None),
    ],
)  # fmt: skip
def test_other_failures_are_told_as_they_are(source: str, said: Any) -> None:
    found = HiddenTests("a secret").failure("f-one", source, {"f": 4})
    assert found == said if said else found and "not written yet" in found[1]


@pytest.mark.slow
def test_the_variant_of_an_id_depends_on_the_course(tmp_path: Path) -> None:
    answers = Assignment("assignment1").answers("anna")["trace"]
    mine = Assignment("assignment1", code_of("a secret")).answers("anna")["trace"]
    assert mine != answers and mine == Assignment("assignment1", code_of("a secret")).answers("anna")["trace"]
    for name in sorted(path.stem for path in build.SOURCES.glob("*.py")):
        cells = build.notebook_of(build.SOURCES / f"{name}.py", "abcd").cells
        calls = [line for cell in cells for line in cell.source.splitlines() if "variant_chooser(" in line]
        assert calls and all("variant_chooser(student_id, 'abcd')" in line for line in calls)
        assert not any("from random import" in cell.source for cell in cells)


@pytest.mark.slow
def test_the_release_has_the_code_and_not_the_secret(tmp_path: Path) -> None:
    course = Course(tmp_path / "course")
    course.configure()
    draw_secret(course.root)
    build.build(course, build.SOURCES / "assignment3.py")
    release = (course.root / "release" / "assignment3" / "assignment3.ipynb").read_text(encoding="utf-8")
    course.check_secret()
    (course.root / FILE).rename(course.root / "elsewhere")
    with pytest.raises(CourseError, match="is missing, but was there when assignment3 was built"):
        course.check_secret()
    (course.root / "elsewhere").rename(course.root / FILE)
    assert code_of(secret_of(course.root)) in release and secret_of(course.root) not in release
    assert secret_of(course.root) not in (course.root / "source" / "assignment3" / "assignment3.ipynb").read_text(
        "utf-8"
    )


def test_a_running_course_gets_no_secret_and_a_lost_one_is_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(build, "build", lambda course, source: source)
    monkeypatch.setattr(build, "is_edited", lambda course, name: False)
    course = Course(tmp_path)
    course.gradebook.touch()
    assert build.main([str(tmp_path)]) == 0 and not (tmp_path / FILE).exists()  # its sheets have no code
    sheet = tmp_path / "release" / "assignment1" / "assignment1.ipynb"
    sheet.parent.mkdir(parents=True)
    sheet.write_text('{"metadata": {"tokenlab": {"code": "abcd"}}}', encoding="utf-8")
    capsys.readouterr()
    assert build.main([str(tmp_path)]) == 1 and not (tmp_path / FILE).exists()
    missing = f"{FILE} is missing, but was there when assignment1 was built; put it back"
    assert missing in capsys.readouterr().out
    with pytest.raises(CourseError, match=missing):
        course.check("assignment1")
    draw_secret(tmp_path)
    with pytest.raises(CourseError, match="is another one than when assignment1 was built"):
        course.check("assignment1")
    (tmp_path / FILE).unlink()
    course.gradebook.unlink()
    sheet.unlink()
    assert build.main([str(tmp_path)]) == 0 and (tmp_path / FILE).exists()


def test_an_instructor_who_may_not_read_the_secret_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(course: Path) -> str:
        raise PermissionError

    monkeypatch.setattr(course_seed, "secret_of", refused)
    with pytest.raises(CourseError, match="can be read by its owner only, who may share it: chmod g"):
        Course(tmp_path).check("assignment1")


def test_settings_of_an_earlier_version_grade_nobody(tmp_path: Path) -> None:
    course = Course(tmp_path)
    course.configure()
    course.check("assignment1")
    (tmp_path / CONFIG).write_text("c = get_config()\n", encoding="utf-8")
    with pytest.raises(CourseError, match="is from an earlier version of the kit"):
        course.check("assignment1")
