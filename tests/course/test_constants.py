"""No constant, no echo of an argument and no table made from feedback earns more than a twentieth of the points."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any, NamedTuple, TypeVar

import hypothesis
import pytest
from hypothesis.strategies import SearchStrategy

from course import grading
from course.assignment import Assignment
from course.build import BEGIN, END
from course.course_seed import drawing_from
from course.demo import NAMES
from tests.course.test_sheet import ASSIGNMENTS, model, with_body
from tokenlab.check.function_check import SearchStoppedError

pytestmark = pytest.mark.slow

T = TypeVar("T")
CONSTANTS = (
    *("None", "True", "False", "0", "1", "-1", "2", "3", "4", "5", "7", "10", "0.0", "0.5", "1.0", "float('inf')"),
    *(
        "float('-inf')",
        "''",
        "' '",
        "'a'",
        "'ab'",
        "b''",
        "b'a'",
        "[]",
        "[[]]",
        "[0]",
        "[1]",
        "[-1]",
        "[0, 0]",
        "[0, 1]",
    ),
    *(
        "[1, 1]",
        "[1, 0]",
        "[0.5, 0.5]",
        "[True]",
        "[False]",
        "[True, True]",
        "[False, True]",
        "['']",
        "['a']",
        "[None]",
    ),
    *("[()]", "[(0, 0)]", "[(0, 1)]", "[(0, 1), (1, 2)]", "[('a', 'b')]", "[('a', '$')]", "[('a', (0, 1))]", "[[0]]"),
    *("[[0], [0, 1]]", "[[True]]", "[[0, 1]]", "()", "(0,)", "(0, 0)", "(0, [])", "(0.0, [])", "([], [])", "('', '')"),
    *("(float('-inf'), [])", "(float('-inf'), ['a'])", "(True, [])", "(None, None)", "([], 0)", "([0], [0])", "set()"),
    *("{0}", "{}", "{'a': 0}", "{'a': 1}", "{'a': 1.0}", "{'a': 0.5, 'b': 0.5}", "[-100]", "[256]", "'\\ufffd'", "'O'"),
    *(
        "['O']",
        "['O', 'O']",
        "'\\n'",
        "b'\\xff'",
        "[b'']",
        "[b'a']",
        "[97]",
        "'#version: 0.2\\n'",
        "(0, 1)",
        "1e9",
        "-1e9",
    ),
)
OF_TENSORS = (
    *("torch.zeros(1)", "torch.ones(1)", "torch.zeros(())", "torch.ones(())", "torch.zeros(1, 1)", "torch.ones(1, 1)"),
    *("torch.zeros(1, 1, 1)", "torch.ones(1, 1, dtype=torch.bool)", "torch.zeros(1, 1, dtype=torch.bool)"),
    *("torch.tensor([0])", "torch.tensor([[0]])", "torch.tensor(float('-inf'))", "torch.tensor(0)"),
)
ECHOES = (
    *(
        "{0}",
        "list({0})",
        "len({0})",
        "{0}[0]",
        "{0}[-1]",
        "{0}[:1]",
        "{0}[1:]",
        "{0}[::-1]",
        "sorted({0})",
        "[{0}]",
        "({0},)",
    ),
    *("[{0}, {0}]", "list(range(len({0})))", "[0] * len({0})", "[1] * len({0})", "[[]] * len({0})", "['O'] * len({0})"),
    *(
        "[1 / len({0})] * len({0})",
        "[True] * len({0})",
        "set({0})",
        "list(set({0}))",
        "max({0})",
        "min({0})",
        "sum({0})",
    ),
    *(
        "str({0})",
        "''.join({0})",
        "{0}.split()",
        "[(i, i + 1) for i in range(len({0}))]",
        "(0, {0})",
        "({0}, 0)",
        "[(0, len({0}))]",
    ),
    *(
        "[w for w in {0}]",
        "{0}.encode()",
        "{0}.decode()",
        "[{0}[0]]",
        "dict.fromkeys({0}, 0)",
        "dict.fromkeys({0}, 1)",
        "not {0}",
    ),
)
ECHOES_OF_TENSORS = (
    *(
        "torch.zeros_like({0})",
        "torch.ones_like({0})",
        "{0}.float()",
        "{0} * 0.5",
        "{0}.sum()",
        "{0}.mean()",
        "{0}.softmax(-1)",
    ),
    *(
        "{0}.bool()",
        "torch.zeros_like({0}, dtype=torch.bool)",
        "{0}.T",
        "{0}[:1]",
        "{0} / {0}.norm()",
        "{0}.argmax(-1)",
    ),
)
SHARE = 0.05  # of the points, the most that such a program may earn


class Search(NamedTuple):
    """What a hidden test searches: whether a function fails on an input, and the inputs."""

    fails: Callable[[Any], bool]
    inputs: list[Any]


def inputs_of(inputs: SearchStrategy[T], first: Iterable[T], last: Iterable[T], tried: int, seed: int) -> list[T]:
    """Return what `smallest_failure` tries while nothing fails."""
    found = [*first]
    settings = hypothesis.settings(
        database=None,
        deadline=None,
        max_examples=tried,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    with contextlib.suppress(hypothesis.errors.NoSuchExample):
        hypothesis.find(inputs, lambda one: bool(found.append(one)), settings=settings, random=Random(seed))  # type: ignore[func-returns-value]
    return [*found, *last]


def searches(assignment: Assignment, sheet: dict[str, Any], task: str) -> dict[str, list[Search]]:
    """Return what each cell of a task searches in its hidden part, without searching it."""
    found: dict[str, list[Search]] = {}

    def noted(
        inputs: SearchStrategy[T],
        fails: Callable[[T], bool],
        first: Iterable[T] = (),
        last: Iterable[T] = (),
        tried: int = 100,
        seed: int = 0,
    ) -> None:
        found[cell].append(Search(fails, inputs_of(inputs, first, last, tried, seed)))

    sources = {cell.metadata.nbgrader.grade_id: cell.source for cell in assignment.notebook.cells if is_test(cell)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grading, "smallest_failure", noted)
        for cell in assignment.cells_of(task):
            found[cell] = []
            exec(sources[cell].partition(BEGIN)[2].partition(END)[0], sheet)
    return found


def is_test(cell: Any) -> bool:
    return bool(cell.cell_type == "code" and cell.metadata.nbgrader.grade)


def passes(searched: list[Search]) -> bool:
    """Whether the function passes now; a cell that searches nothing is not judged here."""
    try:
        return not any(fails(one) for fails, inputs in searched for one in inputs)
    except SearchStoppedError:
        return False


def parameters(solution: str) -> list[str]:
    """Return the parameters of a function, or of the longest method of a class."""
    task = next(node for node in ast.parse(solution).body if isinstance(node, ast.FunctionDef | ast.ClassDef))
    parts = [task] if isinstance(task, ast.FunctionDef) else [n for n in task.body if isinstance(n, ast.FunctionDef)]
    names = max(([one.arg for one in function.args.args] for function in parts), key=len)
    return [name for name in names if name != "self"]


def expressions(assignment: Assignment, task: str) -> Iterator[str]:
    given = parameters(assignment.solutions[task])
    tensors = "torch" in assignment.notebook.metadata["tokenlab"].get("libraries", ())
    yield from (*CONSTANTS, *OF_TENSORS * tensors)
    yield from (echo.format(name) for echo in (*ECHOES, *ECHOES_OF_TENSORS * tensors) for name in given)
    yield f"({', '.join(given)},)"


def earned(assignment: Assignment, task: str, body: str, more: dict[str, Any]) -> float:
    """Return the points of a program for its task, with the visible and the hidden tests."""
    sheet = dict(model(assignment.name)) | more
    exec(with_body(assignment.solutions[task], body), sheet)
    failed = assignment.failed(sheet, task)
    return sum(assignment.most_points[cell] for cell in assignment.cells_of(task) if cell not in failed)


@pytest.mark.parametrize("name", NAMES)
def test_constants_and_echoes_earn_nearly_nothing(name: str) -> None:
    assignment, best = ASSIGNMENTS[name], {}
    for task in assignment.programs.WRONG:
        sheet, current = dict(model(name)), [compile("None", "", "eval")]
        sheet["now"] = lambda names, sheet=sheet, current=current: eval(current[0], sheet, names)
        exec(with_body(assignment.solutions[task], "return now(locals())"), sheet)
        with drawing_from("a secret", "1"):
            searched = searches(assignment, sheet, task)
            hopes = {}
            for one in expressions(assignment, task):
                current[0] = compile(one, "", "eval")
                passed = [cell for cell, found in searched.items() if passes(found)]
                hopes[one] = sum(assignment.most_points[cell] for cell in passed)
            assert min(hopes.values()) < sum(assignment.most_points[cell] for cell in searched)
            points, right = 0.0, ""
            for one in sorted(hopes, key=hopes.__getitem__, reverse=True):
                if hopes[one] <= points:
                    break
                if (real := earned(assignment, task, f"return {one}", {})) > points:
                    points, right = real, one
        if points:
            best[task, right] = points
    assert sum(best.values()) <= SHARE * sum(assignment.most_points.values()), best


@pytest.mark.parametrize("name", NAMES)
def test_a_table_of_all_feedback_of_ten_students_earns_nearly_nothing(name: str) -> None:
    assignment, best = ASSIGNMENTS[name], {}
    for task, programs in assignment.programs.WRONG.items():
        if "class " in assignment.solutions[task]:
            continue  # a table has no objects
        right, known = model(name)[task], {}
        for program in list(programs)[:10]:
            sheet = dict(model(name))
            exec(assignment.written_as(task, program), sheet)
            for found in searches(assignment, sheet, task).values():  # the public inputs, which feedback shows
                for fails, inputs in found:
                    known |= {repr(one): right(*one) for one in inputs if fails(one)}
        assert known
        names = ", ".join(parameters(assignment.solutions[task]))
        with drawing_from("a secret", "2"):
            points = earned(assignment, task, f"return KNOWN.get(repr(({names},)), 0)", {"KNOWN": known})
        if points:
            best[task] = points
    assert sum(best.values()) <= SHARE * sum(assignment.most_points.values()), best
