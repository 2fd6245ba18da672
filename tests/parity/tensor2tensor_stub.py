"""tensor2tensor's data generation without TensorFlow: its own files, run on a stand-in for what they use of it.

`TENSOR2TENSOR` names a folder into which the wheel of tensor2tensor 1.15.7 is unpacked; its licence is Apache 2.0, and
none of it is kept here.
"""

from __future__ import annotations

import glob
import importlib
import json
import os
import shutil
import sys
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

MODULES = ("generator_utils", "text_problems", "translate")
# What these modules import and data generation does not use.
STOOD_IN = (
    *("tensorflow", "tensorflow.compat", "tensorflow.compat.v1", "tensorflow_probability", "requests"),
    *("tensor2tensor.data_generators.cleaner_en_xx", "tensor2tensor.data_generators.problem", "tensor2tensor.layers"),
    *("tensor2tensor.layers.modalities", "tensor2tensor.utils", "tensor2tensor.utils.bleu_hook"),
    *("tensor2tensor.utils.contrib", "tensor2tensor.utils.metrics", "tensor2tensor.utils.mlperf_log"),
    "tensor2tensor.utils.registry",
)


class GFile:
    """Lines end in a line feed and nowhere else, as in TensorFlow's."""

    def __init__(self, name: str, mode: str = "r") -> None:
        text = {} if "b" in mode else {"encoding": "utf-8", "newline": "\n"}
        self._name = name
        self._file = partial(open, name, mode, **text)()  # type: ignore[call-overload]

    def size(self) -> int:
        return os.path.getsize(self._name)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __iter__(self) -> Any:
        return iter(self._file)

    def __enter__(self) -> GFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


class Records:
    """A TFRecord writer whose records are lines of JSON."""

    def __init__(self, name: str) -> None:
        self._path, self._records = Path(name), [""]

    def write(self, record: str) -> None:
        self._records.insert(-1, record)

    def close(self) -> None:
        self._path.write_text("\n".join(self._records), encoding="utf-8")


def tensorflow() -> Any:
    gfile = SimpleNamespace(
        Exists=os.path.exists,
        MakeDirs=lambda path: os.makedirs(path, exist_ok=True),
        Copy=shutil.copyfile,
        Rename=os.rename,
        Remove=os.remove,
        Glob=lambda pattern: sorted(glob.glob(pattern)),
        GFile=GFile,
        Open=GFile,
    )
    stub = MagicMock()
    stub.gfile = gfile
    stub.python_io = SimpleNamespace(
        TFRecordWriter=Records, tf_record_iterator=lambda name: Path(name).read_text(encoding="utf-8").splitlines()
    )
    stub.estimator.ModeKeys = SimpleNamespace(TRAIN="train", EVAL="eval", PREDICT="infer")
    return stub


def modules(folder: str) -> SimpleNamespace:
    """The library's modules, from that folder; what else is called by their names is put back afterwards."""
    before = {name: module for name, module in sys.modules.items() if name.startswith(("tensor", "requests"))}
    for name in before:
        del sys.modules[name]
    for name in STOOD_IN:
        sys.modules[name] = MagicMock()
    tf = tensorflow()
    sys.modules["tensorflow.compat.v1"] = tf
    sys.modules["tensorflow"].compat.v1 = tf  # type: ignore[attr-defined]
    problem = ModuleType("tensor2tensor.data_generators.problem")
    problem.Problem = object  # type: ignore[attr-defined]
    problem.DatasetSplit = SimpleNamespace(TRAIN="train", EVAL="eval", TEST="test")  # type: ignore[attr-defined]
    sys.modules["tensor2tensor.data_generators.problem"] = problem
    sys.modules["tensor2tensor.utils.registry"].register_problem = lambda cls: cls  # type: ignore[attr-defined]
    sys.path.insert(0, folder)
    try:
        found = {name: importlib.import_module(f"tensor2tensor.data_generators.{name}") for name in MODULES}
        parent = sys.modules["tensor2tensor.data_generators"]
        assert Path(str(parent.__file__)).is_relative_to(Path(folder).resolve())
    finally:
        sys.path.remove(folder)
        for name in [name for name in sys.modules if name.startswith(("tensor", "requests"))]:
            del sys.modules[name]
        sys.modules.update(before)
    utils: Any = found["generator_utils"]
    utils.to_example = lambda example: SimpleNamespace(SerializeToString=lambda: json.dumps(example))
    return SimpleNamespace(**found)
