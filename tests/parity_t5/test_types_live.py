"""No argument and no result is typed `Any` where the annotations of transformers 4.26.1 have a type."""

from __future__ import annotations

import importlib
import inspect
import json
import os
import pkgutil
import subprocess
from collections.abc import Iterator
from typing import Any

from tests.parity.t5_original import PYTHON
from tokenlab.libraries import transformers as ours

PROGRAM = """
import importlib, inspect, json, sys

def annotation(value):
    if value is inspect.Signature.empty:
        return None
    return value if isinstance(value, str) else inspect.formatannotation(value)

def types_of(function):
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return {}
    found = {name: annotation(one.annotation) for name, one in signature.parameters.items()}
    return {**found, "return": annotation(signature.return_annotation)}

def function_of(cls, name):
    member = inspect.getattr_static(cls, name)
    return member.fget if isinstance(member, property) else getattr(cls, name)

result = {}
for module, name in json.load(sys.stdin):
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError):
        found = None  # here it is in another module, or only here
    if inspect.isclass(found):
        for member in ("__init__", "__call__", *(name for name in dir(found) if not name.startswith("_"))):
            if hasattr(found, member):
                result[f"{module}:{name}:{member}"] = types_of(function_of(found, member))
    elif found is not None:
        result[f"{module}:{name}:"] = types_of(found)
json.dump(result, sys.stdout)
"""
IMPRECISE = (None, "Any", "typing.Any", "<built-in function any>", "object")


def public_names() -> Iterator[tuple[str, str]]:
    """Yield the module and the name of each public class and function."""
    for info in pkgutil.walk_packages(ours.__path__, "tokenlab.libraries.transformers."):
        module = importlib.import_module(info.name)
        for name, member in vars(module).items():
            if callable(member) and not name.startswith("_") and getattr(member, "__module__", "") == info.name:
                yield info.name, name
    for name in ours.__all__:
        yield "tokenlab.libraries.transformers", name


def own_types(found: Any, member: str) -> tuple[str, dict[str, Any]]:
    """Return the name of a function, or of a method or a property of a class, and its types."""
    if member:
        one = inspect.getattr_static(found, member, None)
        found = one.fget if isinstance(one, property) else getattr(found, member, None)
    found = inspect.unwrap(getattr(found, "function", found))  # of a recorded function
    if not callable(found) or not (getattr(found, "__module__", None) or "").startswith("tokenlab."):
        return "", {}
    signature = inspect.signature(found)
    types = {one.name: one.annotation for one in signature.parameters.values()}
    return f"{found.__module__}.{found.__qualname__}", {**types, "return": signature.return_annotation}


def test_a_type_of_the_library_is_no_any_here() -> None:
    names = [(module.removeprefix("tokenlab.libraries."), name) for module, name in public_names()]
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    alone |= {"HF_HUB_OFFLINE": "1", "PYTHONIOENCODING": "utf-8", "PYTHONWARNINGS": "ignore"}
    asked = subprocess.run(
        [str(PYTHON), "-c", PROGRAM],
        input=json.dumps(names), env=alone, check=True, stdout=subprocess.PIPE, encoding="utf-8",
    )  # fmt: skip
    compared, wrong = 0, set()
    for key, theirs in json.loads(asked.stdout).items():
        module, name, member = key.split(":")
        where, mine = own_types(getattr(importlib.import_module(f"tokenlab.libraries.{module}"), name), member)
        for argument, type_ in theirs.items():
            if type_ not in IMPRECISE and argument in mine:
                compared += 1
                if mine[argument] in ("Any", Any, inspect.Signature.empty):
                    wrong.add(f"{where}({argument}): {type_}")
    assert sorted(wrong) == []
    assert compared > 500  # the library has types, and its classes are found
