"""Show the source of a function in a lesson: a short form, with the full source folded below it.

The short form is without decorators, docstrings, types and argument checks. Its edits remove pieces of the text, so
comments and layout stay. For valid arguments, it returns what the function returns; without `@stepwise`, a function is
the plain generator function that makes the steps.
"""

from __future__ import annotations

import ast
import inspect
import io
import re
import textwrap
import tokenize
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

from tokenlab.show.frames import text as escaped

WIDTH = 100  # characters of a signature that is written in one line
CHECK = re.compile(r"_?check(_\w+)?")  # the names of functions that check arguments
FOR_TOOLS = re.compile(r"# *(type: *ignore|noqa)\b.*")
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Block: TypeAlias = ast.ClassDef | Function | ast.For | ast.While | ast.With | ast.If


class Source:
    """The source of some functions; as text the short form or, with `full`, everything."""

    def __init__(self, *functions: Any, full: bool = False) -> None:
        texts = [textwrap.dedent(inspect.getsource(_unwrapped(function))).strip() for function in functions]
        shorts = [
            text if full or inspect.ismodule(function) else short_form(text)
            for function, text in zip(functions, texts, strict=True)
        ]
        self.modules = list(dict.fromkeys(map(_module_of, functions)))
        self.full_text, self.text = "\n\n".join(texts), "\n\n".join(shorts)

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def _repr_markdown_(self) -> str:
        if self.text == self.full_text:
            return _code_block(self.text)
        modules = ", ".join(f"<code>{escaped(module)}</code>" for module in self.modules)
        summary = f"<summary>Full source, with types and checks: {modules}</summary>"
        return f"{_code_block(self.text)}\n\n<details>{summary}\n\n{_code_block(self.full_text)}\n\n</details>"


def source(*functions: Any, full: bool = False) -> Source:
    """Return the source of these functions, to display at the end of a cell.

    The short form hides what a first reader does not need: decorators, docstrings, types and argument checks. In a
    notebook the full source unfolds below it.

    Args:
        functions: functions, methods or classes; or modules, which are shown whole.
        full: show everything.

    >>> from tokenlab.algorithms.bpe.train import merged_symbol
    >>> source(merged_symbol)
    def merged_symbol(pair):
        left, right = pair
        return left + right
    >>> print(str(source(merged_symbol, full=True)).splitlines()[0])
    def merged_symbol(pair: Pair) -> Symbol:
    """
    return Source(*functions, full=full)


def _unwrapped(function: Any) -> Any:
    return inspect.unwrap(function) if callable(function) else function


def _module_of(function: Any) -> str:
    name: str = function.__name__ if inspect.ismodule(function) else _unwrapped(function).__module__
    return name


def _code_block(text: str) -> str:
    """Return a fenced block; its fence is longer than all runs of backticks in the text."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}python\n{text}\n{fence}"


class Edit(NamedTuple):
    """Bytes of the source, counted from its start, and their replacement."""

    start: int
    end: int
    text: str = ""


def short_form(source: str) -> str:
    """Return the source of a function or class without what a first reader does not need.

    Hidden are docstrings, annotations, the decorators of a function, calls of functions named `check...`, assertions,
    and an `if` of the function's own body that only raises. A class keeps its decorators and the types of its fields.

    >>> print(short_form('''
    ... @stepwise
    ... def halve(number: int, times: int = 1) -> Generator[int, None, int]:
    ...     "Halve a number."
    ...     if times < 0:
    ...         raise ValueError("times is negative")
    ...     halved: int = number  # a copy
    ...     for _ in range(times):
    ...         halved //= 2
    ...         yield halved
    ...     return halved
    ... '''))
    def halve(number, times=1):
        halved = number  # a copy
        for _ in range(times):
            halved //= 2
            yield halved
        return halved
    """
    source = textwrap.dedent(source).strip() + "\n"
    try:
        text = _Text(source)
    except SyntaxError:  # a piece of a statement, such as a lambda in a call
        return source.strip()
    return text.edited([*_comments_for_tools(text), *_edits(text)])


class _Text:
    """A source with a definition, and the positions of its nodes in bytes, as `ast` counts them."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.lines = source.encode().splitlines(keepends=True)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))
        self.definition = ast.parse(source).body[0]

    def start(self, node: ast.expr | ast.stmt) -> int:
        return self.starts[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr | ast.stmt) -> int:
        return self.starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)

    def of(self, node: ast.expr) -> str:
        return self.source.encode()[self.start(node) : self.end(node)].decode()

    def without_lines(self, node: ast.expr | ast.stmt, instead: str = "", blank_after: bool = False) -> Edit:
        """Remove the lines of a node, the comment lines directly above it, and blank lines that it separated."""
        first, last = node.lineno - 1, node.end_lineno or 0
        while first and self.lines[first - 1].lstrip().startswith(b"#"):
            first -= 1
        while (blank_after or not self.lines[first - 1].strip()) and last < len(self.lines) and self._is_blank(last):
            last += 1
        return Edit(self.starts[first], self.starts[last], instead)

    def _is_blank(self, line: int) -> bool:
        return not self.lines[line].strip()

    def is_alone(self, statement: ast.stmt) -> bool:
        """Whether no other statement is on the lines of a statement."""
        before = self.lines[statement.lineno - 1][: statement.col_offset]
        after = self.lines[(statement.end_lineno or 0) - 1][statement.end_col_offset :].strip()
        return not before.strip() and (not after or after.startswith(b"#"))

    def edited(self, edits: list[Edit]) -> str:
        """Return the text with these edits; an edit inside another one has no effect."""
        made, done = b"", 0
        for edit in sorted(edits, key=lambda edit: (edit.start, -edit.end)):
            if edit.start >= done:
                made += self.source.encode()[done : edit.start] + edit.text.encode()
                done = edit.end
        return (made + self.source.encode()[done:]).decode().strip()


def _comments_for_tools(text: _Text) -> Iterator[Edit]:
    for token in tokenize.generate_tokens(io.StringIO(text.source).readline):
        if token.type == tokenize.COMMENT and (found := FOR_TOOLS.search(token.string)):
            before = token.line[: token.start[1] + found.start()].rstrip()
            line = text.starts[token.start[0] - 1]
            yield Edit(line + len(before.encode()), line + len(token.line.rstrip("\n").encode()))


def _edits(text: _Text) -> Iterator[Edit]:
    if isinstance(text.definition, Function):
        yield from map(text.without_lines, text.definition.decorator_list)
    fields = {
        id(statement) for node in ast.walk(text.definition) if isinstance(node, ast.ClassDef) for statement in node.body
    }
    for node in ast.walk(text.definition):
        if isinstance(node, Function):
            yield _signature(node, text)
        if isinstance(node, Block):
            yield from _hidden_statements(node, text)
        if isinstance(node, ast.AnnAssign) and id(node) not in fields:
            yield Edit(text.end(node.target), text.end(node.annotation)) if node.value else text.without_lines(node)


def _hidden_statements(block: Block, text: _Text) -> Iterator[Edit]:
    found = [one for one in block.body if _is_check(one) or _is_docstring(one, block) or _is_guard(one, block)]
    hidden = [one for one in found if text.is_alone(one)]
    for statement in hidden:
        instead = f"{' ' * statement.col_offset}pass\n" if hidden == block.body and statement is hidden[0] else ""
        yield text.without_lines(statement, instead, blank_after=_is_docstring(statement, block))


def _is_check(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return isinstance(statement, ast.Assert)
    called = statement.value.func
    name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
    return CHECK.fullmatch(name) is not None


def _is_docstring(statement: ast.stmt, block: Block) -> bool:
    defines = isinstance(block, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    return defines and statement is block.body[0] and _is_text(statement)


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _is_guard(statement: ast.stmt, block: Block) -> bool:
    """Whether a statement of a function's own body is an `if` that only raises."""
    if not isinstance(block, Function) or not isinstance(statement, ast.If) or statement.orelse:
        return False
    *before, last = statement.body
    return isinstance(last, ast.Raise) and all(isinstance(one, ast.Assign) for one in before)


def _signature(function: Function, text: _Text) -> Edit:
    start = text.start(function)
    indent = " " * function.col_offset
    keyword = "async def" if isinstance(function, ast.AsyncFunctionDef) else "def"
    parameters = _parameters(function.args, text)
    line = f"{keyword} {function.name}({', '.join(parameters)}):"
    if len(indent + line) > WIDTH:
        inside = f"{indent}    {', '.join(parameters)}\n"
        if len(inside) > WIDTH:
            inside = "".join(f"{indent}    {one},\n" for one in parameters)
        line = f"{keyword} {function.name}(\n{inside}{indent}):"
    return Edit(start, _end_of_signature(function, text), line)


def _end_of_signature(function: Function, text: _Text) -> int:
    depth = 0
    for token in tokenize.generate_tokens(io.StringIO(text.source).readline):
        if token.start[0] >= function.lineno and token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")
            if token.string == ":" and not depth:
                line = token.line.splitlines(keepends=True)[0][: token.end[1]]
                return text.starts[token.end[0] - 1] + len(line.encode())
    raise AssertionError("a function has a colon after its signature")


def _parameters(given: ast.arguments, text: _Text) -> list[str]:
    positional = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(positional) - len(given.defaults)) + [*given.defaults]
    made = [_parameter(one, default, text) for one, default in zip(positional, defaults, strict=True)]
    if given.posonlyargs:
        made.insert(len(given.posonlyargs), "/")
    if given.vararg or given.kwonlyargs:
        made.append(f"*{given.vararg.arg if given.vararg else ''}")
    made += [_parameter(*one, text) for one in zip(given.kwonlyargs, given.kw_defaults, strict=True)]
    return [*made, f"**{given.kwarg.arg}"] if given.kwarg else made


def _parameter(parameter: ast.arg, default: ast.expr | None, text: _Text) -> str:
    return parameter.arg if default is None else f"{parameter.arg}={text.of(default)}"
