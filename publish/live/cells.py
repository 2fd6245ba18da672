"""The programs that make a lesson's explorers live on a page: a cell, and those statements above it that it needs."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator
from typing import Any

EXPLORER = "explore_"  # the beginning of the names of functions that return an explorer
NEED_PYTORCH = (*range(13, 23), 24)  # lessons whose explorers do
PROGRAM = "<script type=application/json data-tokenlab=program>"  # the markup before a program
STORED = "<fieldset class=tokenlab-stored"  # the markup of the stored controls


def with_programs(name: str, notebook: Any) -> int:
    """Put beside each stored explorer of a lesson's notebook the program that makes it, and return their number."""
    if not name[:2].isdigit() or int(name[:2]) in NEED_PYTORCH:
        return 0
    added = 0
    above: list[str] = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            if makes_explorer(cell.source):
                for output in cell.outputs:
                    added += _add_program(output.get("data", {}), program(above, cell.source))
            above.append(cell.source)
    return added


def _add_program(data: dict[str, str], program: str) -> bool:
    html = data.get("text/html", "")
    if STORED not in html:
        return False
    code = json.dumps(program).replace("<", "\\u003c")
    data["text/html"] = f"<div class=tokenlab-live>{html}{PROGRAM}{code}</script></div>"
    return True


def program(above: Iterable[str], cell: str) -> str:
    """Return a program without the statements that its last cell does not need.

    A statement above is needed if it binds a name that a needed one reads, or if it calls something with such a name
    and so may change it (`trainer.train(...)`, `SentencePieceTrainer.train(model_writer=file)`).

    Args:
        above: the source of the code cells above, in their order; those with IPython's commands are left out.
        cell: the source of the cell, whose last expression is the explorer.

    >>> print(program(["n = 3\\nprint(n)", "import math\\nm = n * 2\\nk = math.pi"], "explore_it(m)"))
    n = 3
    m = n * 2
    explore_it(m)
    """
    needed: list[ast.stmt] = []
    wanted: set[str] = set()
    cells = [*map(_statements, above), _statements(cell)]
    for statement in reversed([statement for cell in cells for statement in cell]):
        bound = set(_bound_by(statement))
        if statement in cells[-1] or bound & wanted or _may_change(statement, wanted):
            needed.insert(0, statement)
            wanted = wanted - _replaced_by(statement) | _read_by(statement)
    return "\n".join(map(ast.unparse, needed))


def makes_explorer(cell: str) -> bool:
    """Return whether the last expression of a cell calls a function that returns an explorer.

    >>> makes_explorer("explore_bpe_encoding('hug', ranks)"), makes_explorer("x = explore_bpe_encoding")
    (True, False)
    """
    statements = _statements(cell)
    last = statements[-1].value if statements and isinstance(statements[-1], ast.Expr) else None
    return isinstance(last, ast.Call) and isinstance(last.func, ast.Name) and last.func.id.startswith(EXPLORER)


def _statements(source: str) -> list[ast.stmt]:
    try:
        return ast.parse(source).body
    except SyntaxError:  # commands of IPython
        return []


def _read_by(statement: ast.stmt) -> set[str]:
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def _replaced_by(statement: ast.stmt) -> set[str]:
    """Return the names that have a new value after a statement, whatever they were before."""
    whole = isinstance(statement, ast.Assign | ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef)
    return {name for name, part in _bindings(statement) if not part} if whole else set()


def _bound_by(statement: ast.stmt) -> Iterator[str]:
    return (name for name, _ in _bindings(statement))


def _bindings(statement: ast.AST) -> Iterator[tuple[str, bool]]:
    """Yield the names that a statement binds, and whether it sets only an attribute or an element of their value."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        yield statement.name, False
    elif isinstance(statement, ast.alias):
        yield (statement.asname or statement.name).partition(".")[0], False
    elif isinstance(statement, ast.Name):
        if isinstance(statement.ctx, ast.Store):
            yield statement.id, False
    elif isinstance(statement, ast.Attribute | ast.Subscript) and isinstance(statement.ctx, ast.Store):
        owner: ast.expr = statement
        while isinstance(owner, ast.Attribute | ast.Subscript):
            owner = owner.value
        if isinstance(owner, ast.Name):
            yield owner.id, True
    elif not isinstance(statement, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp | ast.Lambda):
        for part in ast.iter_child_nodes(statement):
            yield from _bindings(part)


def _may_change(statement: ast.stmt, wanted: set[str]) -> bool:
    """Return whether a statement is a call of a method of a wanted name, or with one as the value of a keyword."""
    if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)):
        return False
    call = statement.value
    changed: list[ast.expr] = [keyword.value for keyword in call.keywords if keyword.arg]
    if isinstance(call.func, ast.Attribute):
        changed.append(call.func.value)
    return bool(wanted & {node.id for node in changed if isinstance(node, ast.Name)} - {"data"})
