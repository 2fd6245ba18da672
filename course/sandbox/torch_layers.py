"""Take the complete layers out of torch, so that what runs decides, and not which names a program contains.

`library_use` reads the names in a program and says which one is not allowed. A name can be hidden from it:
`getattr(torch, "n" + "n")`, `eval`, base64. Therefore the layers, wherever torch keeps them, are replaced by stand-ins
that raise an exception, before the student's first cell runs. Leaves out: whoever searches the memory for what was
replaced, or calls torch's machine code by its address.
"""

from __future__ import annotations

import ctypes
import gc
import re
import sys
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any, NoReturn

from course.sandbox.gradable import LAYERS_OF_TORCH
from course.sandbox.stand_ins import stand_in

# Of torch itself, what does the work of a layer; softmax, matmul and the like are arithmetic.
LAYER = re.compile(r"scaled_dot_product|multi_?head|transformer_(en|de)coder|(layer|rms|group|batch)_?norm|fused_adam")
COMPILER = re.compile(r"_jit_|_get_operation|_get_schema|CompilationUnit|create_(function|method)_from|^Graph")


def hide_layers() -> None:
    """Replace the layers of torch in this process."""
    import torch

    inner: Any = torch._C
    inner.CompilationUnit.define = stand_in("torch._C.CompilationUnit", "define")  # torch keeps one
    for module in [*_modules()]:
        for name, value in [*vars(module).items()]:
            if module is torch.nn.functional or isinstance(value, FunctionType):
                _replace(vars(module), module.__name__, name)
    functions = type(inner._VariableFunctions)
    (of_class,) = gc.get_referents(vars(functions))  # `setattr` refuses to change a class of C
    for space, of in ((vars(torch), "torch"), (vars(inner), "torch._C"), (of_class, "torch")):
        for name in [*space]:
            if LAYER.search(name) or (of == "torch._C" and COMPILER.search(name)):
                _replace(space, of, name)
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(functions))  # so that Python forgets what it has looked up
    for name in [*vars(inner._nn)]:
        _replace(vars(inner._nn), "torch._C._nn", name)
    for cls in (torch.nn.Module, torch.optim.Optimizer):
        cls.__init__ = stand_in(cls.__module__, cls.__qualname__)  # type: ignore[method-assign]
    torch.compile = stand_in("torch", "compile")
    torch.ops = torch._ops.ops = _Missing()  # type: ignore[assignment]


def _modules() -> Iterator[ModuleType]:
    """Yield the modules of torch that have nothing but complete layers, or compile them."""
    for name, module in [*sys.modules.items()]:
        if module and f"{name}.".startswith(tuple(f"{part}." for part in LAYERS_OF_TORCH if part != "torch.ops")):
            yield module


def _replace(names: dict[str, Any], module: str, name: str) -> None:
    if callable(names[name]) and not name.startswith("__"):
        names[name] = stand_in(getattr(names[name], "__module__", None) or module, name)


class _Missing:
    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"torch.ops.{name} is not available here")
