"""Members of the tokenizer classes: their signatures, and the results of calls of a small tokenizer.

    .parity/bin/python -m tests.parity_t5.tokenizer_members transformers

It imports nothing of tokenlab by itself; the package to ask is its argument. Both packages are asked in new processes:
PyTorch gives some warnings only once in a process, and other tests leave handlers, threads and garbage.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import json
import logging
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from tests.parity_t5.tokenizer_member_calls import CALLS, PADS
from tests.parity_t5.tokenizer_member_setups import class_of, setups
from tests.parity_t5.tokenizer_member_tokens import ENCODINGS, FILES, TOKEN_CALLS, WAY_BACK

CLASSES = (
    "SpecialTokensMixin", "PreTrainedTokenizerBase", "PreTrainedTokenizer", "BatchEncoding", "Trie", "CharSpan",
    "TokenSpan", "TruncationStrategy", "PaddingStrategy", "TensorType", "ExplicitEnum",
)  # fmt: skip


def signatures(library: Any) -> dict[str, Any]:
    """Return every public member of the classes: the arguments of a method with their defaults, or its kind."""
    found = {}
    for name in CLASSES:
        kind = class_of(library, name)
        for member in dir(kind):
            if not member.startswith("__") or member in ("__init__", "__call__", "__getitem__", "__len__"):
                found[f"{name}.{member}"] = described(getattr(kind, member))
    return found


def described(member: Any) -> Any:
    if not callable(member) or isinstance(member, type):
        return "attribute"
    try:
        arguments = inspect.signature(member).parameters.values()
    except ValueError:
        return "callable"
    return [f"{one.kind.name} {one.name}={default_of(one)}" for one in arguments]


def default_of(argument: inspect.Parameter) -> Any:
    if argument.default is inspect.Parameter.empty:
        return "required"
    return "an object" if type(argument.default) is object else as_json(argument.default)


# --- asking -------------------------------------------------------------------------------------------


def as_json(value: Any) -> Any:
    """Return a value with its type where JSON has none."""
    if isinstance(value, torch.Tensor):
        return {"pt": [str(value.dtype), value.tolist()]}
    if isinstance(value, np.ndarray):
        return {"np": [str(value.dtype), value.tolist()]}
    if type(value).__name__ == "BatchEncoding":
        return {"BatchEncoding": as_json(dict(value))}
    if type(value).__name__ == "AddedToken":
        return {"AddedToken": {str(name): flag for name, flag in value.__getstate__().items()}}
    if hasattr(value, "name") and hasattr(value, "value"):
        return {"member": value.name}
    if isinstance(value, dict):
        return {"dict": {str(name): as_json(one) for name, one in value.items()}}
    if isinstance(value, (list, tuple)):
        return {type(value).__name__: [as_json(one) for one in value]}
    return value if value is None or isinstance(value, (str, int, float)) else repr(value)


class Messages(logging.Handler):
    """The levels of logged messages."""

    def __init__(self) -> None:
        super().__init__()
        self.levels: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.levels.append(record.levelname)


@contextlib.contextmanager
def listening(library: Any) -> Iterator[dict[str, Any]]:
    """Record the warnings, and the kinds of messages that are logged.

    The warnings of Python itself are left out. They come when the garbage collector closes a file, or when a module is
    compiled for the first time, at any moment.
    """
    told: dict[str, Any] = {}
    log = logging.getLogger("transformers" if library.__name__ == "transformers" else "tokenlab.libraries.transformers")
    heard, level, propagates = Messages(), log.level, log.propagate
    log.addHandler(heard)
    log.setLevel(logging.WARNING)
    log.propagate = False
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield told
    finally:
        log.removeHandler(heard)
        log.setLevel(level)
        log.propagate = propagates
        kinds = {warning.category for warning in caught}
        told["warnings"] = sorted(kind.__name__ for kind in kinds if issubclass(kind, (UserWarning, FutureWarning)))
        told["logged"] = sorted(set(heard.levels))


def answered(library: Any, ask: Callable[[], Any]) -> dict[str, Any]:
    with listening(library) as told:
        try:
            told["value"] = as_json(ask())
        except Exception as error:
            kinds = [kind.__name__ for kind in type(error).__mro__]
            told["error"], told["text"] = kinds[: kinds.index("Exception") + 1], str(error)
    return told


def answers(library: Any) -> dict[str, Any]:
    """Return every answer by its question."""
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        made = setups(library, folder)
        for setup, make in made.items():
            for name, call in {**CALLS, **PADS, **WAY_BACK, **TOKEN_CALLS}.items():
                t = make()
                found[f"{setup}: {name}"] = answered(library, lambda: call(t, library))  # noqa: B023
            for name, file_call in FILES.items():
                t = make()
                with tempfile.TemporaryDirectory() as own:
                    found[f"{setup}: {name}"] = answered(library, lambda: file_call(t, library, own))  # noqa: B023
        for name, call in ENCODINGS.items():
            found[name] = answered(library, lambda: call(None, library))  # noqa: B023
    return found


if __name__ == "__main__":
    asked = importlib.import_module(sys.argv[1])
    if sys.argv[1] == "transformers":
        asked.logging.disable_propagation()
        asked.logging.disable_default_handler()
    print(json.dumps({"signatures": signatures(asked), "answers": answers(asked)}))
