"""Answers of the Auto classes to calls on folders, from either library: one program for both processes.

    PYTHON auto_answers.py transformers              # or tokenlab.libraries.transformers

It reads a call as a line of JSON from standard input, `{"auto": class, "folder": name, "options": {...}}`, runs it in
the current folder, and writes a line of JSON: `{"class": name}` of the result, or `{"raised": [names of the exception's
class and its base classes], "message": text}`. An option "config" is a folder whose configuration is given. The call
`{"save_fast": family}` writes the family's tokenizer.json. The program imports nothing of this kit except the library.
"""

from __future__ import annotations

import importlib
import json
import logging
import sys
import warnings
from typing import Any


def answer(library: Any, call: dict[str, Any]) -> dict[str, Any]:
    """Return the class of the result, or the exception."""
    try:
        if "save_fast" in call:
            tokenizer = library.AutoTokenizer.from_pretrained(call["save_fast"])
            tokenizer.backend_tokenizer.save(f"{call['save_fast']}/tokenizer.json")
            return {"class": type(tokenizer).__name__}
        options = dict(call["options"])
        if "config" in options:
            options["config"] = library.AutoConfig.from_pretrained(options["config"])
        result = getattr(library, call["auto"]).from_pretrained(call["folder"], **options)
        if options.get("return_unused_kwargs"):
            result, unused = result
            return {"class": type(result).__name__, "unused": unused}
        return {"class": type(result).__name__}
    except BaseException as error:
        names = [kind.__name__ for kind in type(error).__mro__ if kind is not object]
        return {"raised": names, "message": str(error)[:300]}


def main(library_name: str) -> None:
    """Answer each line of standard input."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    library = importlib.import_module(library_name)
    for line in sys.stdin:
        print(json.dumps(answer(library, json.loads(line))), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
