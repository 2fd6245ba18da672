"""Answers of slow and fast tokenizers to cases, from either library: one program for both processes.

    PYTHON tokenizer_answers.py transformers FOLDER            # or tokenlab.libraries.transformers
    PYTHON tokenizer_answers.py tokenlab.libraries.transformers FOLDER

It reads a case as a line of JSON from standard input, and writes the answers as a line of JSON. FOLDER contains a
folder of files for each family. The program imports nothing of this kit except the given library.

A case is `{"setup": {"class", "args", "options", "pretrained", "added"}, "calls": [[method, args, options], ...]}`. A
method is a name, or a path such as `backend_tokenizer.to_str`; a name that starts with "=" sets an attribute. Values
that JSON lacks are objects with the key "!", see `Answers.value`.

A call's answer is `{"returned": value}` or `{"raised": [names of the exception's class and its base classes]}`.
"""

from __future__ import annotations

import importlib
import json
import logging
import os
import signal
import sys
import warnings
from collections.abc import KeysView, Mapping
from pathlib import Path
from typing import Any

Json = Any
LIMIT = 60  # seconds of processor time for a case, so that load does not matter; an endless call raises a TimeoutError


class Answers:
    """A library that answers cases.

    Args:
        library: its module.
        folder: the folder with the families' folders.
    """

    def __init__(self, library: Any, folder: Path) -> None:
        self.library = library
        self.folder = folder

    def case(self, case: Json) -> list[Json]:
        """Return the answer of the setup, and those of the calls if there is a tokenizer."""
        try:
            tokenizer = self.tokenizer(case["setup"])
        except BaseException as error:
            return [raised(error)]
        return [{"returned": type(tokenizer).__name__}, *(self.call(tokenizer, call) for call in case["calls"])]

    def tokenizer(self, setup: Json) -> Any:
        """Create the tokenizer of a setup, and add its tokens."""
        kind = getattr(self.library, setup["class"])
        arguments = [self.value(None, each) for each in setup["args"]]
        options = {name: self.value(None, each) for name, each in setup["options"].items()}
        tokenizer = kind.from_pretrained(*arguments, **options) if setup["pretrained"] else kind(*arguments, **options)
        for name, given in setup["added"]:
            getattr(tokenizer, name)(*(self.value(tokenizer, each) for each in given))
        return tokenizer

    def call(self, tokenizer: Any, call: Json) -> Json:
        """Return the answer of one call."""
        try:
            return {"returned": plain(self.result(tokenizer, call))}
        except BaseException as error:
            return raised(error)

    def result(self, subject: Any, call: Json) -> Any:
        """Call a method of a tokenizer or of a result, read an attribute, or set one."""
        name, arguments, options = call
        given = [self.value(subject, each) for each in arguments]
        if name.startswith("="):
            return setattr(subject, name[1:], *given)
        if name == "as_target_tokenizer":
            with subject.as_target_tokenizer():
                return subject(*given, **{key: self.value(subject, each) for key, each in options.items()})
        if name == "len":
            return len(subject)
        if name == "result":
            return given[0]
        for part in name.split("."):
            subject = getattr(subject, part)
        if not callable(subject):
            return subject
        return subject(*given, **{key: self.value(subject, each) for key, each in options.items()})

    def value(self, tokenizer: Any, given: Json) -> Any:
        """Return the value of JSON, in which objects with the key "!" are what JSON lacks."""
        if isinstance(given, list):
            return [self.value(tokenizer, each) for each in given]
        if not isinstance(given, dict):
            return given
        if "!" not in given:
            return {name: self.value(tokenizer, each) for name, each in given.items()}
        return getattr(self, "value_" + given["!"])(tokenizer, given)

    def value_file(self, tokenizer: Any, given: Json) -> str:
        """Return a path below the folder."""
        return str(self.folder / given["path"])

    def value_tuple(self, tokenizer: Any, given: Json) -> tuple[Any, ...]:
        return tuple(self.value(tokenizer, each) for each in given["of"])

    def value_bytes(self, tokenizer: Any, given: Json) -> bytes:
        return bytes(given["of"])

    def value_AddedToken(self, tokenizer: Any, given: Json) -> Any:
        """Return an AddedToken of the library."""
        return self.library.AddedToken(given["content"], **given["options"])

    def value_strategy(self, tokenizer: Any, given: Json) -> Any:
        """Return a member of an enumeration of tokenization_utils_base."""
        base = importlib.import_module(self.library.__name__ + ".tokenization_utils_base")
        return getattr(base, given["class"])(given["of"])

    def value_tensor(self, tokenizer: Any, given: Json) -> Any:
        """Return an array of NumPy or a tensor of PyTorch."""
        module = importlib.import_module(given["module"])
        return module.array(given["of"]) if given["module"] == "numpy" else module.tensor(given["of"])

    def value_result(self, tokenizer: Any, given: Json) -> Any:
        """Return the result of calls in a row: the first on the tokenizer, each other one on the result before it."""
        subject = tokenizer
        for call in given["of"]:
            subject = subject[call[1]] if call[0] == "[]" else self.result(subject, call)
        return subject


def raised(error: BaseException) -> Json:
    """Return the names of an exception's class and of its base classes, and its message, which is not compared."""
    if isinstance(error, KeyboardInterrupt):
        raise error
    return {"raised": [each.__name__ for each in type(error).__mro__], "message": str(error)[:200]}


def plain(value: Any) -> Json:
    """Return a result as JSON, with types that JSON lacks in objects with the key "!"; dictionaries are sorted."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return (
            value
            if type(value) in (type(None), bool, int, float, str)
            else {"!": type(value).__name__, "of": str(value)}
        )
    if isinstance(value, (list, KeysView)):
        return [plain(each) for each in value]
    if isinstance(value, tuple):
        return {"!": type(value).__name__, "of": [plain(each) for each in value]}
    if isinstance(value, (set, frozenset)):
        return {"!": "set", "of": sorted(map(plain, value), key=str)}
    if type(value).__name__ == "BatchEncoding":
        data = [[name, plain(each)] for name, each in value.items()]
        return {"!": "BatchEncoding", "of": data, "n": value.n_sequences, "encodings": plain(value.encodings)}
    if isinstance(value, Mapping):
        return {"!": "dict", "of": sorted(([plain(name), plain(each)] for name, each in value.items()), key=str)}
    if type(value).__name__ == "Encoding":
        return {"!": "Encoding", "of": {name: plain(getattr(value, name)) for name in ENCODING}}
    if type(value).__name__ == "AddedToken":
        return {"!": "AddedToken", "of": [value.content, *(getattr(value, name) for name in FLAGS)]}
    if hasattr(value, "dtype"):
        kind = type(value).__module__.partition(".")[0]
        return {"!": f"{kind} {value.dtype}".replace("torch.", ""), "shape": list(value.shape), "of": value.tolist()}
    return {"!": type(value).__name__}


FLAGS = ("single_word", "lstrip", "rstrip", "normalized")
ENCODING = (
    *("ids", "type_ids", "tokens", "offsets", "word_ids", "sequence_ids", "special_tokens_mask", "attention_mask"),
    *("n_sequences", "overflowing"),
)


def stop(*_: Any) -> None:
    raise TimeoutError(f"no answer after {LIMIT} s")


def main(module: str, folder: str) -> None:
    """Answer the lines of standard input."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    answers = Answers(importlib.import_module(module), Path(folder))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # tokenizers reports its panics there
    timed = hasattr(signal, "SIGPROF")
    if timed:
        signal.signal(signal.SIGPROF, stop)
    for line in sys.stdin:
        if timed:
            signal.setitimer(signal.ITIMER_PROF, LIMIT)
        told = answers.case(json.loads(line))
        if timed:
            signal.setitimer(signal.ITIMER_PROF, 0)
        print(json.dumps(told), file=output, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
