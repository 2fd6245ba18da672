"""Whether a function that a learner should write lets a library do the work.

It reads the code without running it: which names does the function use, and where do they come from? Who wants to get
round that can; graders check understanding, not honesty.

>>> from tokenlab.algorithms.bpe_train import merge
>>> borrowed(lambda split, pair: merge(split, pair)), borrowed(lambda split, pair: tuple(split))
('tokenlab.algorithms.bpe_train.merge', '')
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

from tokenlab.check.given import nested

LIBRARIES = ("tokenlab", "tokenizers", "tiktoken", "sentencepiece", "transformers", "tensor2tensor")


def borrowed(function: Any) -> str:
    """The first name of a library that a function uses, or one that it calls of the learner's own; or nothing."""
    return next(_borrowed(function, set()), "")


def _borrowed(value: Any, seen: set[int]) -> Iterator[str]:
    if id(value) in seen:
        return
    seen.add(id(value))
    if origin := _library(value):
        yield origin
    elif isinstance(value, FunctionType):
        yield from _imports(value.__code__)
        for used in _used(value):
            yield from _borrowed(used, seen)


def _library(value: Any) -> str:
    """The full name of what a library defines; nothing for all else."""
    if isinstance(value, ModuleType):
        name = value.__name__
    elif isinstance(value, FunctionType) and value.__globals__ is not vars(sys.modules.get(value.__module__, sys)):
        return ""  # defined in a notebook or a test, under whatever name
    elif isinstance(value, type) or callable(value):
        name = f"{getattr(value, '__module__', None)}.{getattr(value, '__qualname__', type(value).__name__)}"
    else:
        name = f"{type(value).__module__}.{type(value).__qualname__}"
    return name if name.partition(".")[0] in LIBRARIES else ""


def _used(function: FunctionType) -> Iterator[Any]:
    """The values behind all global names, closed over variables and defaults of a function."""
    for code in nested(function.__code__):
        for name in code.co_names:
            if name in function.__globals__:
                yield function.__globals__[name]
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # a variable that is not set yet
            continue
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()


def _imports(code: CodeType) -> Iterator[str]:
    """Libraries that are imported inside the function."""
    for part in nested(code):
        for instruction in dis.get_instructions(part):
            if instruction.opname == "IMPORT_NAME" and str(instruction.argval).partition(".")[0] in LIBRARIES:
                yield str(instruction.argval)
