"""No constant, no echo of an argument and no table made from feedback earns more than a twentieth of the points."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from random import Random
from typing import Any, TypeVar

import hypothesis
import pytest
from hypothesis.strategies import SearchStrategy

from course import grading
from course.assignment import Assignment
from course.course_seed import drawing_from
from course.demo import NAMES
from tests.course.test_sheet import ASSIGNMENTS, model, with_body

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
BUDGET = 0.05


def no_shrinking(
    inputs: SearchStrategy[T],
    fails: Callable[[T], bool],
    first: Iterable[T] = (),
    last: Iterable[T] = (),
    tried: int = 40,
    seed: int = 0,
) -> T | None:
    """Stands for `smallest_failure` where only whether there is a failure matters."""
    if any(fails(failing := one) for one in first):
        return failing
    settings = hypothesis.settings(
        database=None,
        deadline=None,
        max_examples=tried,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    try:
        return hypothesis.find(inputs, fails, settings=settings, random=Random(seed))
    except (hypothesis.errors.NoSuchExample, hypothesis.errors.Flaky):
        return None


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grading, "smallest_failure", no_shrinking)


def parameters(solution: str) -> list[str]:
    """The parameters of a function, or of the longest method of a class."""
    task = next(node for node in ast.parse(solution).body if isinstance(node, ast.FunctionDef | ast.ClassDef))
    functions = (
        [task] if isinstance(task, ast.FunctionDef) else [n for n in task.body if isinstance(n, ast.FunctionDef)]
    )
    names = max(([one.arg for one in function.args.args] for function in functions), key=len)
    return [name for name in names if name != "self"]


def bodies(assignment: Assignment, task: str) -> Iterator[str]:
    given = parameters(assignment.solutions[task])
    tensors = "torch" in assignment.notebook.metadata["tokenlab"].get("libraries", ())
    yield from (f"return {constant}" for constant in (*CONSTANTS, *OF_TENSORS * tensors))
    echoes = (*ECHOES, *ECHOES_OF_TENSORS * tensors)
    yield from (f"return {echo.format(name)}" for echo in echoes for name in given)
    yield f"return ({', '.join(given)},)"


@cache
def points_of(name: str, task: str, source: str, key: str) -> float:
    """The points of a program for the cells of its task, in a course."""
    assignment = ASSIGNMENTS[name]
    sheet = dict(model(name))
    exec(source, sheet)
    with drawing_from("a secret", key):
        failed = assignment.failed(sheet, task)
    return sum(assignment.most_points[cell] for cell in assignment.cells_of(task) if cell not in failed)


@pytest.mark.parametrize("name", NAMES)
def test_constants_and_echoes_earn_nearly_nothing(name: str) -> None:
    assignment = ASSIGNMENTS[name]
    best = {}
    for task in assignment.programs.WRONG:
        solution = assignment.solutions[task]
        earned = {body: points_of(name, task, with_body(solution, body), "1") for body in bodies(assignment, task)}
        body = max(earned, key=lambda body: earned[body])
        if earned[body]:
            best[task, body] = earned[body]
    assert sum(best.values()) <= BUDGET * sum(assignment.most_points.values()), best


@pytest.mark.parametrize("name", NAMES)
def test_a_table_of_all_feedback_of_ten_students_earns_nearly_nothing(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assignment, earned = ASSIGNMENTS[name], {}
    for task, programs in assignment.programs.WRONG.items():
        if "class " in assignment.solutions[task]:
            continue
        known: dict[str, Any] = {}
        for program in list(programs)[:10]:
            sheet = dict(model(name))
            right = sheet[task]
            exec(assignment.written_as(task, program), sheet)
            for arguments in shown(assignment, sheet, task, monkeypatch):
                known[repr(arguments)] = right(*arguments)
        assert known
        names = ", ".join(parameters(assignment.solutions[task]))
        sheet = dict(model(name)) | {"KNOWN": known}
        exec(f"def {task}({names}):\n    return KNOWN.get(repr(({names},)), 0)", sheet)
        with drawing_from("a secret", "2"):
            failed = assignment.failed(sheet, task)
        points = sum(assignment.most_points[cell] for cell in assignment.cells_of(task) if cell not in failed)
        if points:
            earned[task] = points
    assert sum(earned.values()) <= BUDGET * sum(assignment.most_points.values()), earned


def shown(
    assignment: Assignment, sheet: dict[str, Any], task: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Any, ...]]:
    """The inputs that feedback may show of a program: all smallest failures among the public inputs."""
    found: list[Any] = []

    def spy(*given: Any, **more: Any) -> Any:
        found.append(no_shrinking(*given, **more))
        return found[-1]

    with monkeypatch.context() as patch:
        patch.setattr(grading, "smallest_failure", spy)
        assignment.failed(sheet, task)
    yield from (arguments for arguments in found if arguments is not None)
