"""The assignment's sheet: what is hidden stays hidden, and everybody's data is worth tracing."""

from __future__ import annotations

import copy
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import nbformat
import pytest

from notebooks.assignments import build, programs
from notebooks.assignments.course import CONFIG, Course, CourseError
from notebooks.assignments.submissions import NAME, cells_of, most_points, right_answers, with_answers, written_as
from tokenlab.algorithms import bpe_train
from tokenlab.misconceptions import bpe, bpe_encode, byte_level

SOURCE = build.SOURCES / f"{NAME}.py"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    course = Course(tmp_path_factory.mktemp("Übung 1"))
    course.configure()
    build.build(course, SOURCE)
    return course


@pytest.fixture(scope="module")
def release(course: Course) -> str:
    return (course.root / "release" / NAME / f"{NAME}.ipynb").read_text(encoding="utf-8")


def test_the_release_has_no_solution_and_no_hidden_test(release: str) -> None:
    assert len(build.secret_lines(with_answers())) > 200
    assert build.leaks(with_answers(), release) == []
    for secret in ("HIDDEN", "SOLUTION", "exec(", "grade(", "right_", "sheet.get", "hypothesis", "Points.**"):
        assert secret not in release
    assert "return ..." in release and "Write your answer here." in release


@pytest.mark.parametrize("kind", ["tests", "solution", "words"])
def test_a_line_that_leaks_is_found(release: str, kind: str) -> None:
    notebook = nbformat.reads(release, as_version=4)
    wanted = {"tests": "learn_merges-ties", "solution": "undo_glyphs", "words": "words"}[kind]
    secret = next(cell for cell in with_answers().cells if cell.metadata.get("nbgrader", {}).get("grade_id") == wanted)
    lines = sorted(build.secret_lines(with_answers()) & {line.strip() for line in secret.source.splitlines()}, key=len)
    for line in (lines[0], lines[-1]):
        leaky = copy.deepcopy(notebook)
        leaky.cells[3].source += f"\n    {line}"
        assert line in build.leaks(with_answers(), nbformat.writes(leaky))


def test_a_build_that_leaks_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def hide_nothing(course: Course, name: str) -> None:
        shutil.copytree(course.root / "source", course.root / "release")

    monkeypatch.setattr(Course, "generate", hide_nothing)
    with pytest.raises(ValueError, match="shows what should be hidden"):
        build.build(Course(tmp_path), SOURCE)
    assert not (tmp_path / "release" / f"{NAME}.zip").exists()


def test_settings_of_your_own_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(*_: object) -> None:
        raise CourseError("enough")

    monkeypatch.setattr(Course, "generate", stop)
    assert build.main([str(tmp_path)]) == 1
    assert capsys.readouterr().out == "Not built: enough\n"
    (tmp_path / CONFIG).write_text("c.Execute.timeout = 99\n", encoding="utf-8")
    assert build.main([str(tmp_path)]) == 1
    assert "is not the kit's; it stays as it is.\nNot built: enough\n" in capsys.readouterr().out
    assert (tmp_path / CONFIG).read_text(encoding="utf-8") == "c.Execute.timeout = 99\n"


@pytest.mark.parametrize(
    ("written", "mistyped", "said"),
    [
        ('# %% hidden="learn_merges"', "# %%", "say what this cell is"),
        ("### BEGIN HIDDEN TESTS", "### BEGIN HIDDEN TEST", "these tests hide nothing"),
    ],
)
def test_a_source_that_forgets_to_hide_is_refused(tmp_path: Path, written: str, mistyped: str, said: str) -> None:
    text = SOURCE.read_text(encoding="utf-8")
    assert written in text
    (tmp_path / SOURCE.name).write_text(text.replace(written, mistyped, 1), encoding="utf-8")
    with pytest.raises(ValueError, match=said):
        build.notebook_of(tmp_path / SOURCE.name)


def test_every_task_has_examples_that_learners_see(release: str) -> None:
    for cell in nbformat.reads(release, as_version=4).cells:
        if cell.metadata.get("nbgrader", {}).get("grade") and cell.cell_type == "code":
            assert cell.source.startswith("assert ")


def test_the_same_source_gives_the_same_notebook() -> None:
    first, second = (nbformat.writes(build.notebook_of(SOURCE)) for _ in range(2))
    assert first == second


def test_points_on_the_sheet_are_counted(release: str) -> None:
    total = sum(most_points().values()) + 4
    assert f"{total:g} points" in release
    assert "{points" not in release
    for task in programs.WRONG:
        assert f"({sum(most_points()[cell] for cell in cells_of(task)):g} points)" in release


def test_no_task_is_a_public_function() -> None:
    names = {path.stem for path in Path("tokenlab").rglob("*.py")} | set(vars(bpe_train))
    assert not names & {*programs.WRONG}


def test_every_wrong_program_of_the_lessons_has_its_counterpart() -> None:
    taught = {
        program.__name__
        for module in (bpe, bpe_encode, byte_level)
        for one in module.MISCONCEPTIONS
        for program in one.programs
    }
    here = {program.__name__ for wrong in programs.WRONG.values() for program in wrong} | {"overlap_count"}
    assert {one.number for module in (bpe, bpe_encode, byte_level) for one in module.MISCONCEPTIONS} == set(
        range(1, 16)
    )
    assert here == taught


# --- hidden tests, without nbgrader ---------------------------------------------------------------


def sheet_of(student: str) -> dict[str, Any]:
    """What a notebook with all right answers has defined."""
    sheet: dict[str, Any] = {}
    answers = right_answers(with_answers()) | {"student_id": f"student_id = {student!r}"}
    for cell in with_answers().cells:
        mark = cell.metadata.get("nbgrader", {})
        if cell.cell_type == "code" and not mark.get("grade"):
            exec(answers.get(mark.get("grade_id", ""), cell.source), sheet)
    return sheet


def failed(sheet: dict[str, Any], task: str) -> dict[str, str]:
    """What the tests of a task say, where they fail."""
    said = {}
    for cell in with_answers().cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        if name in cells_of(task):
            try:
                exec(cell.source, sheet)
            except Exception as error:
                said[name] = str(error)
    return said


def test_a_failed_test_says_input_result_and_rule_and_not_the_answer() -> None:
    sheet = sheet_of("model")
    exec(written_as("learn_merges", programs.tie_last_seen), sheet)
    said = failed(sheet, "learn_merges")["learn_merges-ties"]
    assert said.startswith("learn_merges({") and " gives [(" in said
    assert "The rule: Of pairs that are equally frequent" in said
    assert "('a', 'b')" not in said


def test_a_name_that_the_learner_took_does_not_disturb_hidden_tests() -> None:
    sheet = sheet_of("model")
    hidden = next(cell.source for cell in with_answers().cells if "undo_glyphs-alphabet" in str(cell.metadata))
    sheet |= dict.fromkeys(("len", "zip", "str", "dict", "st", "grade", "right_text", "rule"), 7)
    exec(hidden.partition("### END HIDDEN")[0], sheet)


# --- the trace ------------------------------------------------------------------------------------

IDS = [f"s{number:07}" for number in range(700)] + [
    f"{first} {last}" for first in ("jörg", "Zoë", "小龙") for last in range(200)
]


def pair_counts(words: dict[tuple[str, ...], int]) -> Counter[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    for word, count in words.items():
        for pair in zip(word, word[1:], strict=False):
            counts[pair] += count
    return counts


@pytest.fixture(scope="module")
def my_data() -> Any:
    return sheet_of("model")["my_data"]


def test_nobodys_trace_is_decided_by_a_tie_and_everybodys_has_overlap(my_data: Any) -> None:
    for student in IDS:
        my = my_data(student)
        words = {(*word, "$"): count for word, count in my.words.items()}
        assert len(words) == 4
        (first, most), (runner_up, second), *_ = pair_counts(words).most_common()
        assert most > second
        assert first[0] == first[1], "its occurrences overlap"
        then = {bpe_train.merge(word, first): count for word, count in words.items()}
        (next_pair, most), (_, second), *_ = pair_counts(then).most_common()
        assert most > second
        assert next_pair != runner_up, "who does not count again is wrong"
        left = bpe_train.merge((*my.word, "$"), first)
        assert len(my.word) + 1 - overlaps(my.word, first) < len(left)


def overlaps(word: str, pair: tuple[str, str]) -> int:
    return sum(neighbours == pair for neighbours in zip(word, word[1:], strict=False))


def test_everybodys_tokens_differ_from_what_the_wrong_programs_give(my_data: Any) -> None:
    right = sheet_of("model")["encode_piece"]
    for student in IDS:
        my = my_data(student)
        tokens = right(my.piece, my.table)
        assert "".join(tokens) == my.piece
        for wrong in (programs.greedy_longest_match, programs.left_to_right_merge, programs.min_tokens_dp):
            assert wrong(my.piece, my.table) != tokens


def test_data_belong_to_the_id_however_it_is_written(my_data: Any) -> None:
    assert my_data("Jörg  Müller ") == my_data("jo\u0308rg mu\u0308ller")
    assert len({str(my_data(student)) for student in IDS}) > 0.99 * len(IDS)


def test_data_are_the_same_in_every_python(my_data: Any) -> None:
    assert my_data("model").words == {"llllr": 6, "lrt": 3, "hlr": 6, "tlll": 1}
    assert my_data("model").piece == "lllllrrht"
