"""Explorers in a browser tab: a page sends the program of an explorer and the values of its controls, as JSON.

The page's script (`publish/live`) shows the answer with the same player as JupyterLab.
"""

from __future__ import annotations

import ast
import json
from typing import Any

from tokenlab.show.explorers.explorer import Explorer

_explorers: dict[str, Explorer] = {}


def answer(name: str, program: str, values: str) -> str:
    """Return the state of an explorer after its controls got new values, as JSON.

    Args:
        name: the explorer's name on its page.
        program: Python code whose last expression is the explorer; it is run at the first call with this name.
        values: an object of the new values by the names of the controls.

    Returns:
        What `Explorer.state` returns, or `{"missing": "regex"}` if the program needs a package that is not installed.
        If a control cannot have its new value (a link may be damaged), nothing is changed, and the message says so.

    >>> program = "from tokenlab.show.explorers.explore_bpe import explore_bpe_training as f\\nf('hug', 5)"
    >>> json.loads(answer("first", program, '{"text": "pug"}'))["controls"][0]["value"]
    'pug'
    """
    try:
        if name not in _explorers:
            _explorers[name] = run(program)
        explorer, new = _explorers[name], json.loads(values)
        if new:
            explorer.change(new)
    except ModuleNotFoundError as error:
        return json.dumps({"missing": (error.name or "").partition(".")[0]})
    except ValueError as error:
        return json.dumps({**explorer.state(), "message": str(error)})
    return json.dumps(explorer.state())


def run(program: str) -> Any:
    """Run a program and return the value of its last line, which is an expression.

    >>> run("a = 2\\na * 3")
    6
    """
    *statements, last = ast.parse(program).body
    if not isinstance(last, ast.Expr):
        raise ValueError(f"program: its last line should be an expression, not {ast.unparse(last)!r}")
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(ast.Module(statements, []), "<cell>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
