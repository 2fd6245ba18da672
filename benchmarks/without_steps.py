"""Generation as it would be without steps, to see what a plain call pays for records that nobody reads.

Adds: loops whose source is changed before it is compiled. Each statement that yields a record goes, and with it each
value that nothing but records needs.
Leaves out: loops with beams, whose scorer yields the records while it does something else.

>>> print(ast.unparse(bare(ast.parse('''
... @stepwise
... def doubled(numbers):
...     for number in numbers:
...         half = number / 2
...         seen = str(half)
...         yield Seen(seen)
...         number = yield from doubled.steps(half)
...     return number'''))))
@stepwise
def doubled(numbers):
    for number in numbers:
        half = number / 2
        number = (yield from doubled.steps(half))
    return number
    yield
"""

from __future__ import annotations

import ast
import sys
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType
from typing import Any

LOOPS = {"tokenlab.libraries.transformers.generation.loops"}
WITH_EFFECTS = ("self", "state")  # whose methods may change something, and are called even if nobody reads the answer


def strip_steps() -> None:
    """From now on, import those modules without their steps."""
    assert not LOOPS & sys.modules.keys(), "they are there already, with their steps"
    sys.meta_path.insert(0, Finder())


DECORATORS = ("stepwise", "overridable")  # of generator functions that yield steps


class Finder(PathFinder):
    """Finds modules as Python does, and loops without steps."""

    @classmethod
    def find_spec(cls, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        spec = super().find_spec(fullname, path, target) if fullname in LOOPS else None
        if spec and spec.origin:
            spec.loader = BareLoader(fullname, spec.origin)
        return spec


class BareLoader(SourceFileLoader):
    """Compiles what is left of a module's source; never what was compiled before."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return compile(bare(ast.parse(self.get_data(path))), path, "exec", dont_inherit=True)


def bare(module: ast.Module) -> ast.Module:
    """The module with stepwise functions that yield nothing."""
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef) and any(
            ast.unparse(each).startswith(DECORATORS) for each in node.decorator_list
        ):
            size = None
            while size != (size := len(list(ast.walk(node)))):  # what is not needed may need what then is not, either
                needed = {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and is_read(each)}
                Without(needed).visit(node)
            node.body.append(ast.Expr(ast.Yield()))  # never reached; it is still a generator
    return ast.fix_missing_locations(module)


def is_read(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Load)


def does_something(node: ast.AST) -> bool:
    """Whether it calls a method that may change something."""
    called = (each.func for each in ast.walk(node) if isinstance(each, ast.Call))
    owners = (each.value for each in called if isinstance(each, ast.Attribute))
    return any(isinstance(each, ast.Name) and each.id in WITH_EFFECTS for each in owners)


class Without(ast.NodeTransformer):
    """Takes out statements that only yield, values that nobody reads, and blocks that are empty then."""

    def __init__(self, needed: set[str]) -> None:
        self.needed = needed

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        if not isinstance(node.value, (ast.Yield, ast.YieldFrom)):
            return node
        return ast.Expr(node.value.value) if does_something(node.value) else None  # without the word yield

    def visit_Assign(self, node: ast.Assign) -> ast.Assign | None:
        names = [each for target in node.targets for each in ast.walk(target)]
        wanted = any(isinstance(each, ast.Name) and each.id in self.needed for each in names)
        into = any(
            isinstance(each, (ast.Subscript, ast.Attribute)) for each in names
        )  # into an object that outlives the loop
        answers = any(isinstance(each, ast.YieldFrom) for each in ast.walk(node.value))
        return node if wanted or into or answers or does_something(node.value) else None

    def generic_visit(self, node: ast.AST) -> Any:
        super().generic_visit(node)
        return None if isinstance(node, (ast.If, ast.For)) and not node.body and not node.orelse else node
