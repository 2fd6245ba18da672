"""tensor2tensor's own text encoder and tokenizer, out of a folder with its wheel unpacked, without TensorFlow.

    pip download tensor2tensor==1.15.7 --no-deps -d FOLDER && cd FOLDER && python -m zipfile -e tensor2tensor-*.whl .

Of TensorFlow the two modules use file access and logging alone, and so little stands in for it here.
"""

from __future__ import annotations

import functools
import glob
import importlib
import os
import sys
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import patch

FOLDER = os.environ.get("TENSOR2TENSOR", "")
HOW = "set TENSOR2TENSOR to a folder with tensor2tensor 1.15.7 unpacked to compare with it"


@functools.cache
def original(folder: str | Path = FOLDER) -> Any:
    """The library's `text_encoder` and `tokenizer`; nothing of it, or of what stands in, stays among the modules."""
    if not (Path(folder) / "tensor2tensor" / "data_generators" / "text_encoder.py").is_file():
        raise FileNotFoundError(f"there is no tensor2tensor in {str(folder)!r}; {HOW}")
    for needed in "numpy", "six":
        importlib.import_module(needed)
    names = "text_encoder", "tokenizer"
    with patch.dict(sys.modules, _stand_ins()), patch.object(sys, "path", [*sys.path, str(folder)]):
        modules = {name: importlib.import_module(f"tensor2tensor.data_generators.{name}") for name in names}
    return SimpleNamespace(**modules)


def _stand_ins() -> dict[str, ModuleType]:
    """The modules that are imported, as far as they are used."""
    names = ["tensorflow", "tensorflow.compat", "tensorflow.compat.v1", "tensor2tensor.utils.mlperf_log"]
    modules = {name: ModuleType(name) for name in names}
    tensorflow, compat, v1, mlperf_log = modules.values()
    # As gfile does, without a look at the machine: UTF-8, and lines that end at a line feed alone.
    opened = partial(open, encoding="utf-8", newline="\n")
    tensorflow.compat, compat.v1 = compat, v1  # type: ignore[attr-defined]
    v1.gfile = SimpleNamespace(Open=opened, Exists=os.path.exists, Glob=glob.glob)  # type: ignore[attr-defined]
    v1.logging = SimpleNamespace(info=_nothing, warning=_nothing)  # type: ignore[attr-defined]
    mlperf_log.transformer_print, mlperf_log.PREPROC_VOCAB_SIZE = _nothing, ""  # type: ignore[attr-defined]
    return modules


def _nothing(*args: Any, **kwargs: Any) -> None:
    pass
