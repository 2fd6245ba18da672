"""No argument and no result is typed `Any` where the library's stubs have a type."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tokenizers

LIBRARY = Path(tokenizers.__file__).parent
MODULES = ("", "decoders", "models", "normalizers", "pre_tokenizers", "processors", "trainers", "implementations")
IMPRECISE = (None, "Any", "Any | None", "object", "Incomplete")


def stubs(module: str) -> Iterator[tuple[str, str, dict[str, str | None]]]:
    """Yield the class, the method and the types by name of each typed method of the library."""
    folder = LIBRARY / module
    for path in sorted(folder.glob("*.py")) if module == "implementations" else [folder / "__init__.pyi"]:
        for cls in ast.parse(path.read_text(encoding="utf-8")).body:
            for function in cls.body if isinstance(cls, ast.ClassDef) else []:
                if isinstance(function, ast.FunctionDef) and isinstance(cls, ast.ClassDef):
                    yield cls.name, function.name, types_of(function)


def types_of(function: ast.FunctionDef) -> dict[str, str | None]:
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    found = {one.arg: one.annotation and ast.unparse(one.annotation) for one in arguments}
    return found | {"return": function.returns and ast.unparse(function.returns)}


def own_types(cls: type, name: str) -> dict[str, Any]:
    """Return the types of a method or an attribute by name; those of an attribute under "return"."""
    for one in cls.__mro__:
        if name in vars(one).get("__annotations__", {}):
            return {"return": vars(one)["__annotations__"][name]}
    member = inspect.getattr_static(cls, name, None)
    function = member.fget if isinstance(member, property) else getattr(cls, name, None)
    function = getattr(function, "function", function)  # of a recorded method
    try:
        signature = inspect.signature(inspect.unwrap(function))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return {}
    return {one.name: one.annotation for one in signature.parameters.values()} | {"return": signature.return_annotation}


def compared() -> Iterator[tuple[str, str, Any]]:
    """Yield the name of each type of the library, this type, and ours."""
    for module in MODULES:
        ours = importlib.import_module(f"tokenlab.libraries.tokenizers.{module}".rstrip("."))
        for cls, method, theirs in stubs(module):
            name = "__init__" if method == "__new__" else method
            if hasattr(ours, cls) and (name == "__init__" or not name.startswith("_")):
                mine = own_types(getattr(ours, cls), name)
                for argument, type_ in theirs.items():
                    if type_ not in IMPRECISE and argument in mine:
                        yield f"{module}.{cls}.{method}({argument})", str(type_), mine[argument]


@pytest.mark.slow
def test_a_type_of_the_library_is_no_any_here() -> None:
    pairs = list(compared())
    assert len(pairs) > 300  # the library has types, and the methods are found
    assert [f"{name}: {theirs}" for name, theirs, mine in pairs if mine in ("Any", Any, inspect.Signature.empty)] == []
