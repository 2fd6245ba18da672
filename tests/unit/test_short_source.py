"""The short form of a source hides what a first reader does not need, and does the same."""

from __future__ import annotations

import ast
import importlib
import inspect
import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import MethodType
from typing import Any

import pytest
import torch

from tests.recordings import recordings
from tokenlab import show
from tokenlab.algorithms.bpe.train import merge, train
from tokenlab.minimal import bpe
from tokenlab.show.show_source import short_form
from tokenlab.steps.recording import GeneratorRun, Recording, Stepwise

SOURCES = Path(__file__).parents[2] / "notebooks" / "source"


def names_of(tree: ast.Module) -> dict[str, Any]:
    """The names that a lesson imports from tokenlab."""
    names: dict[str, Any] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("tokenlab"):
            module = importlib.import_module(node.module)
            for one in node.names:
                inside = f"{node.module}.{one.name}"
                found = getattr(module, one.name, None)
                names[one.asname or one.name] = importlib.import_module(inside) if found is None else found
    return names


def shown() -> Iterator[Any]:
    """Each function that a lesson shows."""
    for path in sorted(SOURCES.glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "show.source":
                for argument in node.args:
                    function = eval(ast.unparse(argument), names_of(tree))
                    if not inspect.ismodule(function):  # which is shown whole
                        yield pytest.param(inspect.unwrap(function), id=f"{path.stem}-{function.__qualname__}")


SHOWN = [*shown()]


@pytest.mark.parametrize("function", SHOWN)
def test_the_short_form_of_a_shown_function_is_valid_and_has_no_types_and_checks(function: Any) -> None:
    short = str(show.source(function))
    (definition,) = ast.parse(short).body
    compile(short, "short", "exec")
    for node in ast.walk(definition):
        if isinstance(node, ast.FunctionDef):
            assert ast.get_docstring(node) is None
            assert node.returns is None
        assert getattr(node, "annotation", None) is None
        assert not isinstance(node, ast.Assert)
    assert "# type" not in short and "noqa" not in short
    assert max(map(len, short.splitlines())) <= 120
    assert len(short) < len(inspect.getsource(function))


@pytest.mark.parametrize("function", SHOWN)
def test_the_short_form_keeps_every_other_statement(function: Any) -> None:
    """What is hidden are whole statements: each line that stays is a line of the source, apart from its types."""
    full = textwrap.dedent(inspect.getsource(function))
    tree = ast.parse(full)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns, node.decorator_list = None, []
            for one in ast.walk(node.args):
                if isinstance(one, ast.arg):
                    one.annotation = None
    kept = {ast.unparse(node) for node in ast.walk(ast.parse(short_form(full))) if isinstance(node, ast.stmt)}
    simple = {one for one in kept if "\n" not in one}
    wanted = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.stmt)}
    wanted |= {
        f"{ast.unparse(node.target)} = {ast.unparse(node.value)}"
        for node in ast.walk(tree)
        if isinstance(node, ast.AnnAssign) and node.value
    }
    assert simple <= wanted


PLAIN = {"stepwise", "overridable", "stepwise_classmethod", "torch.no_grad()"}  # decorators that do not change a call


@cache
def short_function(original: Callable[..., Any]) -> Callable[..., Any] | None:
    """The short form of a generator function, in its own namespace; None if a decorator or a closure changes it."""
    source = inspect.getsource(original)
    decorators = {ast.unparse(one) for one in ast.parse(textwrap.dedent(source)).body[0].decorator_list}  # type: ignore[attr-defined]
    if original.__closure__ or not inspect.isgeneratorfunction(original) or not decorators <= PLAIN:
        return None
    names = dict(original.__globals__)
    exec(compile(short_form(source), "short", "exec"), names)
    return names[original.__name__]  # type: ignore[no-any-return]


def shortened(function: Callable[..., Any]) -> Callable[..., Any]:
    short = short_function(inspect.unwrap(getattr(function, "__func__", function)))
    if short is None:
        return function
    return MethodType(short, function.__self__) if isinstance(function, MethodType) else short


@pytest.mark.slow
def test_the_short_form_makes_the_same_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "short").mkdir()
    wanted = recordings(tmp_path / "full")
    replaced = set()

    def steps(self: Stepwise[..., Any, Any], *args: Any, **kwargs: Any) -> Any:
        short = shortened(self.function)
        if short is not self.function:
            replaced.add(self.__qualname__)
        return short(*args, **kwargs)

    def record(self: Stepwise[..., Any, Any], *args: Any, **kwargs: Any) -> Recording[Any, Any]:
        run = GeneratorRun(steps(self, *args, **kwargs))
        return Recording(f"{self.__module__}.{self.__qualname__}", {}, tuple(run), run.result)

    monkeypatch.setattr(Stepwise, "steps", steps)
    monkeypatch.setattr(Stepwise, "record", record)
    with torch.no_grad():  # a decorator that the short form hides
        made = recordings(tmp_path / "short")
    for name, recording in wanted.items():
        assert str(made[name]) == str(recording), name
        assert made[name].steps == recording.steps, name
    assert len(replaced) >= 50


def test_what_is_hidden_and_what_stays() -> None:
    short = short_form(
        '''
        @first
        @second("option",
                2)
        def f(
            self, a: int, /, b: "dict[str, int]" = {"é": 1}, *rest: int, c: str, d: str | None = None, **more: int
        ) -> Generator[list[int], None, int]:  # type: ignore[override]
            """Say: nothing."""

            # the arguments
            check_all(a, b)
            self.check_rest(rest)
            assert a is not None, "a"
            if a < 0:
                problem = "a is negative"
                raise ValueError(problem)
            total: dict[str, int] = {}  # "é: int" stays
            name: str
            if not total:  # noqa: X1
                yield [a]
            for one in rest:
                if one is None:
                    raise ValueError("inside a loop")
            text = """# type: ignore stays

            : int"""
            checked = check(a)

            check(text)

            return checked  # a comment  # type: ignore[no-any-return]  # for the checker
        '''
    )
    assert short == textwrap.dedent(
        '''\
        def f(self, a, /, b={"é": 1}, *rest, c, d=None, **more):
            total = {}  # "é: int" stays
            if not total:
                yield [a]
            for one in rest:
                if one is None:
                    raise ValueError("inside a loop")
            text = """# type: ignore stays

            : int"""
            checked = check(a)

            return checked  # a comment'''
    )


@pytest.mark.parametrize(
    ("full", "short"),
    [
        ('def f():\n    """Only this."""', "def f():\n    pass"),
        ("class A:\n    pass", "class A:\n    pass"),
        ('@dataclass\nclass A:\n    """B."""\n\n    a: int = 1\n', "@dataclass\nclass A:\n    a: int = 1"),
        ("async def f(a: int) -> int: return a", "async def f(a): return a"),
        ("def f(a): check(a); return a", "def f(a): check(a); return a"),
        ("def f(a):\n    if a: raise KeyError\n    else:\n        return a", None),
        ("key=lambda a: a)", None),
        ("f = lambda a: a", None),
    ],
)
def test_small_definitions(full: str, short: str | None) -> None:
    assert short_form(full) == (full if short is None else short)


def test_a_long_signature_is_divided() -> None:
    some = ", ".join(f"parameter{n}: int" for n in range(8))
    many = ", ".join(f"parameter_{n}: int" for n in range(12))
    assert short_form(f"def f({some}):\n    return 1").splitlines()[0::2] == ["def f(", "):"]
    assert len(short_form(f"def f({many}):\n    return 1").splitlines()) == 15
    ast.parse(short_form(f"def f({many}):\n    return 1"))


def quoted(first: str = "```", second: str = "</details><script>") -> str:
    check = first
    return f"{check}</details>{second}"


def test_the_display_has_the_full_source_folded_and_names_the_module() -> None:
    markdown = show.source(train)._repr_markdown_()
    assert markdown.startswith("```python\ndef train(word_counts, vocab_size,")
    assert (
        "<details><summary>Full source, with types and checks: <code>tokenlab.algorithms.bpe.train</code>" in markdown
    )
    assert "```python\n@stepwise\ndef train(\n    word_counts: WordCounts" in markdown
    assert "<details open" not in markdown


def test_full_shows_everything_at_once_and_folds_nothing() -> None:
    full = show.source(train, full=True)
    assert str(full).startswith("@stepwise\ndef train(\n    word_counts: WordCounts")
    assert '"""' in str(full)
    assert full._repr_markdown_() == f"```python\n{full}\n```"


def test_a_module_is_shown_whole_and_named_beside_a_function() -> None:
    assert f"{show.source(bpe)}\n" == Path(bpe.__file__).read_text(encoding="utf-8")
    assert "<details>" not in show.source(bpe)._repr_markdown_()
    both = show.source(merge, bpe)
    assert str(both).startswith("def merge(split, pair):") and str(both).endswith(str(show.source(bpe)))
    assert both.modules == [merge.__module__, "tokenlab.minimal.bpe"]


def test_backticks_and_markup_in_a_source_stay_in_its_block() -> None:
    markdown = show.source(quoted)._repr_markdown_()
    parts = markdown.split("````")
    assert len(parts) == 5  # two blocks
    assert "script" not in parts[0] + parts[2] + parts[4]


def test_several_functions_share_one_fold() -> None:
    markdown = show.source(train, quoted)._repr_markdown_()
    assert markdown.count("<details>") == 1
    assert f"<code>tokenlab.algorithms.bpe.train</code>, <code>{__name__}</code>" in markdown
