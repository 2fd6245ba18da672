"""Find the reason why a function or a class gets no points without being run: not written, or written by a library.

>>> function_problem(lambda word: ..., ("word",))
'<lambda> is not written yet'
"""

from __future__ import annotations

import contextlib
import dis
import functools
import inspect
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from tokenlab.check.isolated_run import display
from tokenlab.check.submission_state import is_unwritten, nested_code_objects, signature_problem

LIBRARIES = ("tokenlab", "tokenizers", "tiktoken", "sentencepiece", "transformers", "tensor2tensor", "torch")
# Where tensors are the task's data, these parts of torch do the work; all others only compute with tensors.
LAYERS_OF_TORCH = ("torch.nn", "torch._C._nn", "torch.optim", "torch.ops", "torch.jit", "torch.compile")


def function_problem(function: Any, parameters: Sequence[str], tensors: bool = False) -> str:
    """Return the reason why a function of these parameters gets no points, or ""; with `tensors`, it may use torch."""
    if problem := signature_problem(function, tuple(parameters)):
        return problem
    name = getattr(function, "__name__", "your function")
    if is_unwritten(function, tensors):
        return f"{name} is not written yet"
    return _library_problem(name, [function], tensors)


def class_problem(cls: Any, methods: Sequence[str], tensors: bool = False) -> str:
    """Return the reason why a class with these methods gets no points, or ""; with `tensors`, it may use torch."""
    if cls is None or cls is ...:
        return f"{cls} is no class; define one, and keep its name"
    if not inspect.isclass(cls):
        return f"{display(cls)} is no class; define one, and keep its name"
    *bases, _ = inspect.getmro(cls)
    parts = [*bases[1:], *(part for base in bases for part in vars(base).values())]
    if problem := _library_problem(cls.__name__, parts, tensors):
        return problem
    for name in methods:
        if not callable(getattr(cls, name, None)):
            return f"{cls.__name__} has no method {name}; it should have {', '.join(methods)}"
        if is_unchanged(getattr(cls, name), tensors):
            return f"{cls.__name__}.{name} is not written yet"
    return ""


def _library_problem(name: str, parts: Sequence[Any], tensors: bool) -> str:
    if used := next(filter(None, (library_use(part, tensors) for part in parts)), ""):
        return f"{name} uses {used}; this task is to write it yourself, so there are no points for it"
    return ""


def is_unchanged(function: Any, tensors: bool = False) -> bool:
    """Whether a function contains `...` and uses no names, so that it is as it was released.

    A method may contain `...` after the learner's own code, which then uses names (`co_names`).

    >>> is_unchanged(lambda self: ...), is_unchanged(lambda self: self.clear() or ...)
    (True, False)
    """
    return is_unwritten(function, tensors) and not function.__code__.co_names


def library_use(function: Any, tensors: bool = False) -> str:
    """Return the first library name that a function, or a learner's function that it calls, uses; or "".

    The code is read, not run: the names that a function uses are resolved to the modules that define them. This can be
    circumvented on purpose; graders check understanding, not honesty.

    Args:
        function: the learner's function, or a method of a class.
        tensors: allow torch, except `torch.nn` and other parts with complete layers.

    >>> from tokenlab.algorithms.bpe.train import merge
    >>> library_use(lambda split, pair: merge(split, pair)), library_use(lambda split, pair: tuple(split))
    ('tokenlab.algorithms.bpe.train.merge', '')
    >>> import torch
    >>> library_use(lambda x: torch.exp(x)), library_use(lambda x: torch.exp(x), tensors=True)
    ('torch', '')
    >>> library_use(lambda x: torch.nn.functional.silu(x), tensors=True)
    'torch.nn'
    """
    return next(_borrowed(function, set(), tensors), "")


def _borrowed(value: Any, seen: set[int], tensors: bool) -> Iterator[str]:
    if id(value) in seen:
        return
    seen.add(id(value))
    if origin := _library(value):
        if not tensors or _forbidden(origin):
            yield origin
        return
    if isinstance(value, FunctionType):
        yield from filter(lambda name: not tensors or _forbidden(name), _imports(value.__code__))
        if tensors:
            yield from _layers(value)
    for used in [*_wrapped(value), *_used(value)]:
        yield from _borrowed(used, seen, tensors)


def _forbidden(name: str) -> bool:
    """Whether a name of a library is forbidden where tensors are the data."""
    return name.partition(".")[0] != "torch" or f"{name}.".startswith(tuple(f"{part}." for part in LAYERS_OF_TORCH))


def _layers(function: FunctionType) -> Iterator[str]:
    """Yield the parts with complete layers that the code reaches from torch: `nn` in `torch.nn.functional`."""
    parts = {part.removeprefix("torch.") for part in LAYERS_OF_TORCH if part.count(".") == 1}
    for code in nested_code_objects(function.__code__):
        before, module = None, ""
        for instruction in dis.get_instructions(code):
            name = instruction.argval
            if instruction.opname == "IMPORT_NAME":
                module = name
            of_torch = module == "torch" if instruction.opname == "IMPORT_FROM" else _is_torch(before, function)
            if instruction.opname in ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM") and name in parts and of_torch:
                yield f"torch.{name}"
            before = instruction


def _is_torch(instruction: Any, function: FunctionType) -> bool:
    """Whether an instruction loads the module torch, under any global name or under its own local one."""
    if instruction is None:
        return False
    if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
        return getattr(function.__globals__.get(instruction.argval), "__name__", "") == "torch"
    return bool(instruction.opname.startswith("LOAD_") and instruction.argval == "torch")


def _library(value: Any) -> str:
    """Return the full name of an object that a library defines, or ""."""
    if isinstance(value, ModuleType):
        name = value.__name__
    elif isinstance(value, FunctionType) and value.__globals__ is not vars(sys.modules.get(value.__module__, sys)):
        return ""  # defined in a notebook or a test
    elif isinstance(value, type) or callable(value):
        name = f"{getattr(value, '__module__', None)}.{getattr(value, '__qualname__', type(value).__name__)}"
    else:
        name = f"{type(value).__module__}.{type(value).__qualname__}"
    return name if name.partition(".")[0] in LIBRARIES else ""


def _wrapped(value: Any) -> Iterator[Any]:
    """Yield the objects inside a value: the function of a partial or method, a wrapped function, a class's methods."""
    if isinstance(value, partial):
        yield from (value.func, *value.args, *value.keywords.values())
    elif isinstance(value, MethodType):
        yield from (value.__func__, type(value.__self__))
    elif isinstance(value, staticmethod | classmethod | functools._lru_cache_wrapper):
        yield value.__wrapped__
    elif isinstance(value, type):
        yield from () if _standard(value) else vars(value).values()
    elif not isinstance(value, FunctionType):
        yield type(value)


def _standard(cls: type) -> bool:
    """Whether the standard library defines this class; it uses none of the libraries."""
    return str(cls.__module__).partition(".")[0] in sys.stdlib_module_names


def _used(value: Any) -> Iterator[Any]:
    """Yield the values of all global names, closure variables and defaults of a function."""
    if not isinstance(value, FunctionType):
        return
    for name in _global_names(value.__code__):
        if name in value.__globals__:
            yield value.__globals__[name]
    for cell in value.__closure__ or ():
        with contextlib.suppress(ValueError):  # a variable that is not set yet
            yield cell.cell_contents
    yield from value.__defaults__ or ()
    yield from (value.__kwdefaults__ or {}).values()


def _global_names(code: CodeType) -> Iterator[str]:
    """Yield the global names that the code looks up: `merge` in `merge(split)`, but not in `split.merge()`."""
    for part in nested_code_objects(code):
        for instruction in dis.get_instructions(part):
            if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                yield str(instruction.argval)


def _imports(code: CodeType) -> Iterator[str]:
    """Yield the libraries that are imported inside the function."""
    for part in nested_code_objects(code):
        for instruction in dis.get_instructions(part):
            if instruction.opname == "IMPORT_NAME" and str(instruction.argval).partition(".")[0] in LIBRARIES:
                yield str(instruction.argval)
