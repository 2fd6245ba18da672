"""The assignments' sheets: what is hidden stays hidden, and each wrong program fails at the rules it breaks."""

from __future__ import annotations

import ast
import copy
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
import pytest

from course import build
from course.assignment import Assignment
from course.course_folder import CONFIG, Course, CourseError
from course.demo import NAMES

ASSIGNMENTS = {name: Assignment(name) for name in NAMES}
FIRST = ASSIGNMENTS["assignment1"]
of_each = pytest.mark.parametrize("name", NAMES)
of_each_task = pytest.mark.parametrize(
    ("name", "task"), [(name, task) for name in NAMES for task in ASSIGNMENTS[name].programs.RIGHT]
)


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    course = Course(tmp_path_factory.mktemp("Übung 1"))
    course.configure()
    for assignment in ASSIGNMENTS.values():
        build.build(course, assignment.source)
    return course


@pytest.fixture(scope="module")
def releases(course: Course) -> dict[str, str]:
    return {name: (course.root / "release" / name / f"{name}.ipynb").read_text(encoding="utf-8") for name in NAMES}


def test_there_are_eight_assignments() -> None:
    assert tuple(f"assignment{number}" for number in range(1, 9)) == NAMES


@pytest.mark.slow
@pytest.mark.cases(1)
@of_each
def test_the_release_has_no_solution_and_no_hidden_test(name: str, releases: dict[str, str]) -> None:
    assert len(build.secret_lines(ASSIGNMENTS[name].notebook)) > 200
    assert build.leaks(ASSIGNMENTS[name].notebook, releases[name]) == []
    for secret in ("HIDDEN", "SOLUTION", "exec(", "grade(", "right_", "sheet.get", "from hypothesis", "Points.**"):
        assert secret not in releases[name]
    assert "return ..." in releases[name] and "Write your answer here." in releases[name]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["tests", "solution", "words"])
def test_a_line_that_leaks_is_found(releases: dict[str, str], kind: str) -> None:
    notebook = nbformat.reads(releases["assignment1"], as_version=4)
    wanted = {"tests": "learn_merges-ties", "solution": "undo_byte_symbols", "words": "words"}[kind]
    secret = next(cell for cell in FIRST.notebook.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == wanted)
    lines = sorted(build.secret_lines(FIRST.notebook) & {line.strip() for line in secret.source.splitlines()}, key=len)
    for line in (lines[0], lines[-1]):
        leaky = copy.deepcopy(notebook)
        leaky.cells[3].source += f"\n    {line}"
        assert line in build.leaks(FIRST.notebook, nbformat.writes(leaky))


def test_a_build_that_leaks_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def hide_nothing(course: Course, name: str) -> None:
        shutil.copytree(course.root / "source", course.root / "release")

    monkeypatch.setattr(Course, "generate", hide_nothing)
    with pytest.raises(ValueError, match="shows what should be hidden"):
        build.build(Course(tmp_path), FIRST.source)
    assert not (tmp_path / "release" / "assignment1.zip").exists()


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
    text = FIRST.source.read_text(encoding="utf-8")
    assert written in text
    (tmp_path / FIRST.source.name).write_text(text.replace(written, mistyped, 1), encoding="utf-8")
    with pytest.raises(ValueError, match=said):
        build.notebook_of(tmp_path / FIRST.source.name)


@pytest.mark.slow
@of_each
def test_every_task_has_examples_that_learners_see(name: str, releases: dict[str, str]) -> None:
    for cell in nbformat.reads(releases[name], as_version=4).cells:
        if cell.metadata.get("nbgrader", {}).get("grade") and cell.cell_type == "code":
            assert any(line.startswith("assert ") for line in cell.source.splitlines())


@of_each
def test_the_same_source_gives_the_same_notebook(name: str) -> None:
    first, second = (nbformat.writes(build.notebook_of(ASSIGNMENTS[name].source)) for _ in range(2))
    assert first == second


@pytest.mark.slow
@of_each
def test_points_on_the_sheet_are_counted(name: str, releases: dict[str, str]) -> None:
    most = ASSIGNMENTS[name].most_points
    assert f"{sum(most.values()) + 4:g} points" in releases[name]
    assert "{points" not in releases[name]
    said = set(re_points(releases[name]))
    for task in ASSIGNMENTS[name].tasks:
        assert f"{sum(most[cell] for cell in ASSIGNMENTS[name].cells_of(task)):g}" in said


def re_points(release: str) -> list[str]:
    """The numbers in the brackets of headings, as in (8 points) or (4 + 3 points)."""
    brackets = [line.rpartition("(")[2].partition(" points)")[0] for line in release.splitlines() if " points)" in line]
    return [number for bracket in brackets for number in bracket.split(" + ")]


@of_each
def test_no_task_is_a_public_function(name: str) -> None:
    assert not public_names() & {*ASSIGNMENTS[name].programs.WRONG}


@cache
def public_names() -> set[str]:
    """The names of all files of the package, and of the functions in its algorithms."""
    files = list(Path("tokenlab").rglob("*.py"))
    trees = (ast.walk(ast.parse(file.read_text(encoding="utf-8"))) for file in files if "algorithms" in file.parts)
    functions = {node.name for tree in trees for node in tree if isinstance(node, ast.FunctionDef)}
    return functions | {file.stem for file in files}


@pytest.mark.slow
@of_each
def test_a_notebook_says_which_file_is_handed_in(name: str, releases: dict[str, str]) -> None:
    assert f'hand_in(\\"{name}.ipynb\\")' in releases[name]


# --- hidden tests, without nbgrader ---------------------------------------------------------------


@cache
def model(name: str) -> dict[str, Any]:
    """What a notebook with all right answers defines."""
    return ASSIGNMENTS[name].sheet(ASSIGNMENTS[name].answers("model"))


def sheet_with(name: str, task: str, source: str) -> dict[str, Any]:
    """A notebook with all right answers but one."""
    sheet = dict(model(name))
    exec(source, sheet)
    return sheet


@pytest.mark.cases(1)
@of_each
def test_right_answers_pass(name: str) -> None:
    assert ASSIGNMENTS[name].failed(dict(model(name)), *ASSIGNMENTS[name].tasks) == {}


@pytest.mark.slow
@pytest.mark.cases(1)
@of_each_task
def test_a_wrong_program_fails_at_the_rules_it_breaks_and_is_told_them(name: str, task: str) -> None:
    assignment = ASSIGNMENTS[name]
    assert len(assignment.programs.WRONG[task]) >= 3
    for program, rules in assignment.programs.WRONG[task].items():
        said = assignment.failed(sheet_with(name, task, assignment.written_as(task, program)), task)
        assert list(said) == [f"{task}-{rule}" for rule in rules], program.__name__
        assert all(sentence.startswith(f"{task}(") and ". The rule: " in sentence for sentence in said.values())


@pytest.mark.slow
@pytest.mark.cases(1)
@of_each_task
def test_right_programs_in_three_styles_pass(name: str, task: str) -> None:
    assignment = ASSIGNMENTS[name]
    assert len(assignment.programs.RIGHT[task]) == 3
    for program in assignment.programs.RIGHT[task]:
        assert assignment.failed(sheet_with(name, task, assignment.written_as(task, program)), task) == {}


@pytest.mark.slow
@pytest.mark.cases(1)
@of_each_task
def test_whatever_a_function_gives_it_is_told_a_sentence(name: str, task: str) -> None:
    for body in ("return 0", "return ()", "return {}", "return ''", "return (None, None)", "return {'a': 'b'}"):
        said = ASSIGNMENTS[name].failed(
            sheet_with(name, task, with_body(ASSIGNMENTS[name].solutions[task], body)), task
        )
        assert list(said) == list(ASSIGNMENTS[name].cells_of(task)), body
        assert all(sentence.startswith(f"{task}(") for sentence in said.values()), body


def with_body(solution: str, body: str) -> str:
    """A solution that gives something else, in each method but the first if it is a class."""
    task = next(node for node in ast.parse(solution).body if isinstance(node, ast.FunctionDef | ast.ClassDef))
    methods = (
        [] if isinstance(task, ast.FunctionDef) else [node for node in task.body if isinstance(node, ast.FunctionDef)]
    )
    for function in methods[1:] or [task]:
        assert isinstance(function, ast.FunctionDef)
        function.body = ast.parse(f"def written():\n    {body}").body[0].body  # type: ignore[attr-defined]
    return ast.unparse(task)


def test_a_failed_test_says_input_result_and_rule_and_not_the_answer() -> None:
    sheet = sheet_with("assignment1", "learn_merges", FIRST.written_as("learn_merges", FIRST.programs.tie_last_seen))
    said = FIRST.failed(sheet, "learn_merges")["learn_merges-ties"]
    assert said.startswith("learn_merges({") and " gives [(" in said
    assert "The rule: Of several pairs with the highest count" in said
    assert "('a', 'b')" not in said


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("assignment1", "undo_byte_symbols-alphabet"),
        ("assignment2", "best_cut-ties"),
        ("assignment2", "trace-total"),
        ("assignment3", "even_mask-spans"),
        ("assignment3", "trace-classes"),
        ("assignment4", "PatientPhrase-steps"),
        ("assignment4", "trace-shown"),
        ("assignment5", "fold_text-marks"),
        ("assignment5", "trace-windows"),
        ("assignment6", "cut_words-words"),
        ("assignment6", "learn_pairs-ties"),
        ("assignment6", "OwnTokenizer-learn"),
        ("assignment6", "trace-pieces"),
        ("assignment7", "attend-visible"),
        ("assignment7", "trace-buckets"),
        ("assignment8", "shared_heads-visible"),
        ("assignment8", "trace-token"),
    ],
)
def test_a_name_that_the_learner_took_does_not_disturb_hidden_tests(name: str, cell: str) -> None:
    sheet = dict(model(name))
    hidden = next(
        one.source
        for one in ASSIGNMENTS[name].notebook.cells
        if one.metadata.get("nbgrader", {}).get("grade_id") == cell
    )
    sheet |= dict.fromkeys(("len", "zip", "str", "dict", "sum", "st", "grade", "right_text", "rule", "same"), 7)
    exec(hidden.partition("### END HIDDEN")[0], sheet)
