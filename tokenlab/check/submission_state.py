"""Detect functions and classes that get no points without being run: not there, not written, or written by a library.

>>> signature_problem(len, ("split", "pair"))
'len takes (obj, /), but it is called with two arguments: split, pair'
"""

from __future__ import annotations

import contextlib
import dis
import functools
import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from tokenlab.check.isolated_run import display

LIBRARIES = ("tokenlab", "tokenizers", "tiktoken", "sentencepiece", "transformers", "tensor2tensor", "torch")
# Where tensors are the task's data, these parts of torch do the work; all others only compute with tensors.
LAYERS_OF_TORCH = ("torch.nn", "torch._C._nn", "torch.ops", "torch.jit", "torch.compile")
NUMBERS = (
    "no arguments",
    "one argument",
    *(f"{number} arguments" for number in ("two", "three", "four", "five", "six")),
)


def signature_problem(given: Any, arguments: Sequence[str], wants_class: bool = False) -> str:
    """Return the reason why a value cannot be checked as a function or a class of these arguments, or "".

    >>> signature_problem(("aa", "b"), ("split", "pair"))
    "('aa', 'b') is not a function; give the function itself: its name without parentheses"
    """
    if given is None or given is ...:
        return f"{given} is not a function; define one, and give it by its name alone"
    name = getattr(given, "__name__", "your function")
    if wants_class:
        return _signature(given, name, arguments) if inspect.isclass(given) else f"{display(given)} is not a class"
    if inspect.isclass(given):
        return f"{name} is a class; give a function that takes {' and '.join(arguments)}"
    if not callable(given):
        return f"{display(given)} is not a function; give the function itself: its name without parentheses"
    if inspect.isgeneratorfunction(given):
        return f"{name} is a generator, because it says yield; collect what it yields, and return it at the end"
    if inspect.iscoroutinefunction(given) or inspect.isasyncgenfunction(given):
        return f"{name} is asynchronous; define it with def alone"
    return _signature(given, name, arguments)


def _signature(function: Callable[..., Any], name: str, arguments: Sequence[str]) -> str:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return ""
    try:
        signature.bind(*arguments)
    except TypeError:
        return f"{name} takes {signature}, but it is called with {NUMBERS[len(arguments)]}: {', '.join(arguments)}"
    return ""


def is_unwritten(function: Any, tensors: bool = False) -> bool:
    """Whether the code of a function or of a class's methods still contains `...`, other than in `x[..., n]`.

    Args:
        function: the learner's function or class.
        tensors: only a `...` that is returned or assigned counts, because `x[...]` is an index of a tensor.

    >>> is_unwritten(lambda split: ...), is_unwritten(lambda split: split), is_unwritten(lambda x, n: x[..., n])
    (True, False, False)
    >>> is_unwritten(lambda x: x[...]), is_unwritten(lambda x: x[...], tensors=True)
    (True, False)
    """
    if inspect.isclass(function):
        return any(is_unwritten(method, tensors) for method in vars(function).values() if inspect.isfunction(method))
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType):
        return False
    return any(map(_keeps_dots if tensors else _has_gap, nested_code_objects(code)))


def _has_gap(code: CodeType) -> bool:
    """Whether the code contains `...`, but not in an index of several parts, such as `x[..., n]`."""
    steps = [*dis.get_instructions(code)]
    return any(step.argval is ... and not _is_index(steps[at + 1 :]) for at, step in enumerate(steps))


def _is_index(after: Sequence[dis.Instruction]) -> bool:
    """Whether a value on the stack becomes a part of a tuple that is an index, given the instructions after it."""
    depth = 1  # of the stack, from the value on
    for step, following in pairwise(after):
        if step.opname == "BUILD_TUPLE" and (step.arg or 0) >= depth:
            return "SUBSCR" in following.opname or following.argrepr == "[]"
        depth += dis.stack_effect(step.opcode, step.arg, jump=False)
        if depth < 1:
            return False
    return False


def _keeps_dots(code: CodeType) -> bool:
    """Whether the code returns or assigns `...` itself."""
    steps = list(dis.get_instructions(code))
    pairs = [(step, step) for step in steps if step.opname == "RETURN_CONST"] + [*zip(steps, steps[1:], strict=False)]
    return any(one.argval is ... and after.opname.startswith(("RETURN_", "STORE_FAST", "STORE_DEREF"))
               for one, after in pairs)  # fmt: skip


def is_unchanged(function: Any, tensors: bool = False) -> bool:
    """Whether a function contains `...` and uses no names, so that it is as it was released.

    A method may contain `...` after the learner's own code, which then uses names (`co_names`).

    >>> is_unchanged(lambda self: ...), is_unchanged(lambda self: self.clear() or ...)
    (True, False)
    """
    return is_unwritten(function, tensors) and not function.__code__.co_names


def nested_code_objects(code: CodeType) -> Iterator[CodeType]:
    """Yield a code object and those of the functions inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from nested_code_objects(constant)


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
