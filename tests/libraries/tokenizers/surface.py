"""The public surface of a library: every name, and what every call does with every argument given a wrong value.

The classes, methods and parameters are found by inspection, so a new one is tested without an entry here; only the
arguments that a call needs have to be given (`ARGUMENTS`).

    python -m tests.libraries.tokenizers.surface tokenizers            # or tokenlab.libraries.tokenizers

It reads uses as a line of JSON from standard input, and writes a line for the outcome of each. A fresh process calls a
library: in that of the tests, an event loop may run, and other tests' threads and memory count towards the limit.
"""

from __future__ import annotations

import faulthandler
import inspect
import json
import os
import resource
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from enum import Enum
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn, TypeAlias

from tokenlab.libraries.sentencepiece.builder import load_charsmap

ROOT = Path(__file__).parents[3]
LIBRARY, OURS = "tokenizers", "tokenlab.libraries.tokenizers"
ENDS = "ends the process"
UNSHOWN = {"Token", "Regex", "Normalizer", "PreTokenizer", "Decoder"}  # the library has no repr of them, or it fails
MEMORY, SECONDS = 4 << 30, 120  # of a child process, and for one use
THREADS = {"TOKIO_WORKER_THREADS": "2", "RAYON_NUM_THREADS": "2"}  # otherwise one for each core, with its own memory
MODULES = ("", "models", "normalizers", "pre_tokenizers", "processors", "decoders", "trainers")
Make: TypeAlias = Callable[[Any], Any]  # given the library
Outcome: TypeAlias = str  # the name of an exception's type, or "ok" and the result

VALUES: dict[str, Any] = {
    "None": None,
    "object": object(),
    "True": True,
    "0": 0,
    "1": 1,
    "-1": -1,
    "2^32": 2**32,
    "2^64": 2**64,
    "1.5": 1.5,
    "nan": float("nan"),
    "inf": float("inf"),
    "empty": "",
    "a": "a",
    "long": "abc",
    "surrogate": "\ud800",
    "bytes": b"a",
    "list": [],
    "texts": ["a"],
    "surrogates": ["\ud800"],
    "numbers": [1],
    "negative": [-1],
    "pairs": [("a", 1.0)],
    "dict": {},
    "vocab": {"a": 0},
    "tuple": ("a", 1),
    "texts in a tuple": ("a", "b"),
    "reversed tuple": (1, "a"),
    "bytes in a list": [b"a"],
    "function": len,
}

BPE_VOCAB = {"a": 0, "b": 1, "ab": 2}


def tokenizer(lib: Any) -> Any:
    """Return a small tokenizer."""
    made = lib.Tokenizer(lib.models.BPE(dict(BPE_VOCAB), [("a", "b")]))
    made.add_special_tokens(["<s>"])
    return made


def encoding(lib: Any) -> Any:
    return tokenizer(lib).encode("ab<s>a")


INSTANCES: dict[str, Make] = {
    "Tokenizer": tokenizer,
    "Encoding": encoding,
    "NormalizedString": lambda lib: lib.NormalizedString("Ab c"),
    "PreTokenizedString": lambda lib: lib.PreTokenizedString("ab c"),
    "Regex": lambda lib: lib.Regex("a"),
    "Token": lambda lib: lib.Token(0, "a", (0, 1)),
    "AddedToken": lambda lib: lib.AddedToken("a"),
    "models.BPE": lambda lib: lib.models.BPE(dict(BPE_VOCAB), [("a", "b")]),
    "models.Unigram": lambda lib: lib.models.Unigram([("a", 0.0), ("b", -1.0)], 0),
    "models.WordLevel": lambda lib: lib.models.WordLevel({"a": 0}, "a"),
    "models.WordPiece": lambda lib: lib.models.WordPiece({"a": 0, "[UNK]": 1}),
    "normalizers.Sequence": lambda lib: lib.normalizers.Sequence([lib.normalizers.NFC(), lib.normalizers.Strip()]),
    "normalizers.Replace": lambda lib: lib.normalizers.Replace("a", "b"),
    "normalizers.Precompiled": lambda lib: lib.normalizers.Precompiled(load_charsmap("nmt_nfkc")),
    "normalizers.Prepend": lambda lib: lib.normalizers.Prepend("a"),
    "pre_tokenizers.Sequence": lambda lib: lib.pre_tokenizers.Sequence([lib.pre_tokenizers.Digits()]),
    "pre_tokenizers.Split": lambda lib: lib.pre_tokenizers.Split(" ", "removed"),
    "pre_tokenizers.CharDelimiterSplit": lambda lib: lib.pre_tokenizers.CharDelimiterSplit(" "),
    "processors.Sequence": lambda lib: lib.processors.Sequence([lib.processors.ByteLevel()]),
    "processors.BertProcessing": lambda lib: lib.processors.BertProcessing(("a", 0), ("b", 1)),
    "processors.RobertaProcessing": lambda lib: lib.processors.RobertaProcessing(("a", 0), ("b", 1)),
    "processors.TemplateProcessing": lambda lib: lib.processors.TemplateProcessing("a $A", None, [("a", 0)]),
    "decoders.Sequence": lambda lib: lib.decoders.Sequence([lib.decoders.Fuse()]),
    "decoders.Replace": lambda lib: lib.decoders.Replace("a", "b"),
}
BASES = ("normalizers.Normalizer", "pre_tokenizers.PreTokenizer", "processors.PostProcessor", "decoders.Decoder")
BASES += ("trainers.Trainer",)

# The arguments that a call needs, by the name of the parameter; or of the call and the parameter.
ARGUMENTS: dict[str, Make] = {
    **dict.fromkeys(("char_pos", "length", "sequence_id", "token_index", "max_length", "word_index"), lambda lib: 1),
    **dict.fromkeys(("id", "cls", "num_added"), lambda lib: 0),
    **dict.fromkeys(("sequence", "s", "value", "pattern", "content", "token", "prepend", "delimiter"), lambda lib: "a"),
    **dict.fromkeys(("normalizer", "pretok", "decoder", "obj"), lambda lib: object()),
    **dict.fromkeys(("normalizers", "pretokenizers", "pre_tokenizers", "processors", "decoders"), lambda lib: []),
    **dict.fromkeys(("processors_py", "decoders_py", "encodings", "files"), lambda lib: []),
    **dict.fromkeys(("tokens", "input", "iterator"), lambda lib: ["a"]),
    **dict.fromkeys(("sep", "cls_token"), lambda lib: ("a", 0)),
    "ids": lambda lib: [0],
    "sequences": lambda lib: [[0]],
    "func": lambda lib: lambda *_: True,
    "range": lambda lib: (0, 1),
    "behavior": lambda lib: "removed",
    "offsets": lambda lib: (0, 1),
    "model": lambda lib: lib.models.BPE(),
    "buffer": lambda lib: tokenizer(lib).to_str().encode(),
    "json": lambda lib: tokenizer(lib).to_str(),
    "path": lambda lib: "tokenizer.json",
    "is_pair": lambda lib: False,
    "encoding": encoding,
    "vocab": lambda lib: "vocab.json",
    "merges": lambda lib: "merges.txt",
    "folder": lambda lib: ".",
    "normalized": lambda lib: lib.NormalizedString("ab"),
    "precompiled_charsmap": lambda lib: load_charsmap("nmt_nfkc"),
    "tokenizer": tokenizer,
    "train_iterators": lambda lib: [["ab ab"]],
    "TemplateProcessing special_tokens": lambda lib: [],
}


def module_of(library: str, name: str) -> ModuleType:
    """Return a module of a library, by its name within the library."""
    return import_module(f"{library}.{name}" if name else library)


def get(library: str, name: str) -> Any:
    """Return a class, or a function of a class, by its name within the library."""
    found: Any = import_module(library)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def public_names(thing: Any) -> set[str]:
    """Return the names of a module or of a class that do not start with an underscore."""
    return {name for name in dir(thing) if not name.startswith("_")}


def classes() -> Iterator[str]:
    """Yield the names of the library's classes that are written in Rust, with their modules."""
    for module in MODULES:
        for name, value in sorted(vars(module_of(LIBRARY, module)).items()):
            is_class = isinstance(value, type) and not issubclass(value, Enum | str)
            if is_class and value.__module__ in (LIBRARY, f"{LIBRARY}.{module}"):
                yield f"{module}.{name}".lstrip(".")


def calls() -> Iterator[str]:
    """Yield the names of the public classes and methods of the library."""
    for name in classes():
        yield name
        found = get(LIBRARY, name)
        yield from (f"{name}.{one}" for one in sorted(public_names(found)) if callable(getattr(found, one)))


def attributes() -> Iterator[str]:
    """Yield the names of all public attributes that are no methods, and one that no class has."""
    for name in classes():
        found = get(LIBRARY, name)
        if name not in BASES:
            yield from (f"{name}.{one}" for one in sorted(public_names(found)) if not callable(getattr(found, one)))
            yield f"{name}.no_such_attribute"


def parameters(call: str) -> list[str]:
    """Return the parameters of a call that either library names in its signature."""
    return list(dict.fromkeys(one for library in (LIBRARY, OURS) for one in _parameters(get(library, call))))


def needed(call: str) -> list[str]:
    """Return the parameters of a call that have no default."""
    return [name for name, one in _parameters(get(OURS, call)).items() if one.default is one.empty]


def _parameters(function: Any) -> dict[str, inspect.Parameter]:
    try:
        found = inspect.signature(function).parameters
    except (ValueError, TypeError):
        return {}
    ignored = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return {name: one for name, one in found.items() if one.kind not in ignored and name not in ("self", "cls")}


def uses() -> list[tuple[str, str, str]]:
    """Return all that is tried: a call, a parameter and a value; or an attribute and what is done with it."""
    tried = [(call, name, value) for call in calls() for name in parameters(call) for value in VALUES]
    changed = [(name, "set", value) for name in attributes() for value in VALUES]
    return tried + changed + [(name, how, "") for name in attributes() for how in ("get", "delete")]


def outcome(library: str, use: tuple[str, str, str]) -> Outcome:
    """Return "ok" and the result of a use, or the name of the exception's type."""
    name, what, value = use
    owner, _, last = name.rpartition(".")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if what == "get":
                return f"ok {shown(getattr(instance(library, owner), last))}"
            if what == "delete":
                return f"ok {delattr(instance(library, owner), last)}"
            if what == "set":
                thing = instance(library, owner)
                setattr(thing, last, VALUES[value])
                return f"ok {shown(getattr(thing, last))}"
            made = {one: argument(library, name, one) for one in needed(name) if one != what}
            return f"ok {shown(target(library, name)(**made, **{what: VALUES[value]}))}"
    except BaseException as error:
        return type(error).__name__


def argument(library: str, call: str, name: str) -> Any:
    """Return a valid value of an argument."""
    return (ARGUMENTS.get(f"{call} {name}") or ARGUMENTS[name])(import_module(library))


def target(library: str, call: str) -> Any:
    """Return the class or the bound method to call."""
    found = get(library, call)
    owner, _, method = call.rpartition(".")
    return found if isinstance(found, type) or owner in BASES else getattr(instance(library, owner), method)


def instance(library: str, name: str) -> Any:
    """Return an object of a class."""
    make = INSTANCES.get(name)
    return make(import_module(library)) if make else get(library, name)()


def shown(value: Any) -> str:
    """Return a result as a text: dictionaries in the order of their values, no addresses in memory."""
    if isinstance(value, dict) and all(isinstance(one, int) for one in value.values()):
        value = dict(sorted(value.items(), key=lambda item: (item[1], item[0])))
    if isinstance(value, list):
        return f"[{', '.join(map(shown, value))}]"
    name = type(value).__name__.removeprefix("Custom")
    if name in UNSHOWN:
        return name
    text = repr(value)
    return type(value).__name__ if " at 0x" in text else text


# --- the fresh process --------------------------------------------------------------------------------


def outcomes(library: str, uses: list[tuple[str, str, str]], folder: Path) -> list[Outcome]:
    """Return the outcomes of uses in a new process that runs in a folder; `ENDS` if a use ends the process."""
    told = subprocess.run(
        [sys.executable, "-m", __name__, library],
        input=json.dumps(uses),
        capture_output=True,
        encoding="utf-8",
        cwd=folder,
        env=os.environ | THREADS | {"PYTHONPATH": str(ROOT)},
    )
    assert told.returncode == 0, f"exit status {told.returncode}:\n{told.stderr[-3000:]}"
    return [json.loads(line) for line in told.stdout.splitlines()]


def main(library: str) -> None:
    """Print the outcomes of the uses on standard input; after one that ends the process, a new child continues."""
    uses, done = json.load(sys.stdin), 0
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard), hard))
    while done < len(uses):
        reader, writer = os.pipe()
        if (child := os.fork()) == 0:
            os.close(reader)
            _child(library, uses[done:], writer)
        os.close(writer)
        with os.fdopen(reader, encoding="utf-8") as pipe:
            found = [line.rstrip() for line in pipe if line.endswith("\n")]  # a process that ends may leave half a line
        os.waitpid(child, 0)
        found += [json.dumps(ENDS)] if done + len(found) < len(uses) else []
        done += len(found)
        print("\n".join(found), flush=True)


def _child(library: str, uses: list[tuple[str, str, str]], writer: int) -> NoReturn:
    """Write a line for the outcome of each use, and end the process."""
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    with os.fdopen(writer, "w", encoding="utf-8") as pipe:
        for use in uses:
            faulthandler.dump_traceback_later(SECONDS, exit=True)  # if the library does not return
            print(json.dumps(outcome(library, use)), file=pipe, flush=True)
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
