"""Read the modules of a package from their source: docstrings, signatures and definitions.

Nothing is imported, so the reference needs neither PyTorch nor the explained libraries, and reading a module runs no
code. Leaves out: private names, constants, and what a class inherits.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html import escape
from inspect import cleandoc
from pathlib import Path
from textwrap import dedent

from publish.shell import page, script

Function = ast.FunctionDef | ast.AsyncFunctionDef
SPECIAL = {"__init__", "__call__"}  # methods with a leading underscore that users call


@dataclass
class Definition:
    """A public class or function: its name in the module, its header as in the source, docstring and first line."""

    name: str
    header: str
    doc: str
    line: int
    members: list[Definition] = field(default_factory=list)


@dataclass(frozen=True)
class Module:
    """A module: its docstring, its definitions, and the names that it takes from other modules of the package."""

    name: str
    doc: str
    definitions: list[Definition]
    exported: dict[str, str]

    @property
    def summary(self) -> str:
        """The first paragraph of the docstring."""
        return self.doc.partition("\n\n")[0]


def modules(package: Path) -> Iterator[tuple[str, Path]]:
    """Yield the dotted name and the file of each public module of a package, the package itself included."""
    for path in sorted(package.rglob("*.py")):
        parts = [package.name, *path.relative_to(package).with_suffix("").parts]
        if parts[-1] == "__init__":
            parts.pop()
        if not any(part.startswith("_") for part in parts):
            yield ".".join(parts), path


@cache
def read_module(name: str, source: str) -> Module:
    """Read a module from its source.

    >>> module = read_module("m", '"Say hello."\\n\\ndef hello(to: str) -> str:\\n    "Greet."\\n    return to\\n')
    >>> module.summary, module.definitions[0].header
    ('Say hello.', 'def hello(to: str) -> str')
    """
    tree = ast.parse(source)
    lines = source.splitlines()
    imported = {
        alias.asname or alias.name: node.module
        for node in ast.walk(tree)  # an import may be under `if TYPE_CHECKING`
        if isinstance(node, ast.ImportFrom) and node.module and not node.level
        for alias in node.names
    }
    exported = {name: imported[name] for name in _all(tree) if name in imported}
    return Module(name, _doc(tree), [*_definitions(tree.body, lines, "")], exported)


def _all(tree: ast.Module) -> list[str]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return [part.value for part in ast.walk(node.value) if isinstance(part, ast.Constant)]  # type: ignore[misc]
    return []


def _doc(node: ast.Module | ast.ClassDef | Function) -> str:
    return cleandoc(ast.get_docstring(node, clean=False) or "")


def _definitions(body: list[ast.stmt], lines: list[str], prefix: str) -> Iterator[Definition]:
    """Yield the public definitions of a body; several headers of one name, as of `@overload`, become one."""
    found: dict[str, Definition] = {}
    for node in body:
        if not isinstance(node, ast.ClassDef | Function) or (node.name.startswith("_") and node.name not in SPECIAL):
            continue
        name = prefix + node.name
        made = Definition(name, _header(node, lines), _doc(node), node.lineno)
        if isinstance(node, ast.ClassDef):
            made.members = [*_definitions(node.body, lines, f"{name}.")]
        if earlier := found.get(name):
            made.header = f"{earlier.header}\n{made.header}"
            made.doc = earlier.doc or made.doc
        found[name] = made
    yield from found.values()


def _header(node: ast.ClassDef | Function, lines: list[str]) -> str:
    """Return the lines of a definition before its body, with decorators, and the fields of a class."""
    start = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    first = node.body[0]
    if first.lineno == node.lineno:  # the body is on the line of the header
        text = ast.unparse(node).partition(":\n")[0]
    else:
        text = "\n".join(lines[start - 1 : first.lineno - 1])
    text = re.sub(r":\s*(#.*)?\s*$", "", dedent(text).rstrip())
    fields = [
        f"    {ast.unparse(part)}"
        for part in (node.body if isinstance(node, ast.ClassDef) else [])
        if isinstance(part, ast.AnnAssign) and not ast.unparse(part.target).startswith("_")
    ]
    return "\n".join([text, *fields])


def source_page(name: str, source: str, head: str = "") -> str:
    """Return a page with the source of a module and an anchor at each definition."""
    anchors = {definition.line: definition.name for definition in _all_definitions(read_module(name, source))}
    marked = "\n".join(
        f'<span id="{anchors[number]}">{escape(line)}</span>' if number in anchors else escape(line)
        for number, line in enumerate(source.splitlines(), start=1)
    )
    back = f'<header><nav><a href="{name}.html">{name}</a></nav></header>'
    main = f"<main>\n<h1>{name}: source</h1>\n<pre>{marked}</pre>\n</main>"
    return page(f"{name}: source", f"{back}\n{main}\n<script>{script('site')}</script>", "page", head=head)


def _all_definitions(module: Module) -> Iterator[Definition]:
    for definition in module.definitions:
        yield definition
        yield from _nested(definition)


def _nested(definition: Definition) -> Iterator[Definition]:
    for member in definition.members:
        yield member
        yield from _nested(member)
