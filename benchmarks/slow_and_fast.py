"""Slow and fast tokenizers of six families, compared with transformers 4.26.1: make bench ARGS="slow_and_fast".

    .venv/bin/python benchmarks/slow_and_fast.py --family bert --repeats 3
    .venv/bin/python benchmarks/slow_and_fast.py --family gpt2 --folder PATH  # a real vocabulary

`make parity` makes the library's environment. Each tokenizer's `__call__` encodes 10,000 sentences, with truncation and
padding. Each library runs in a separate process on one thread, and they take turns. Every turn has a new tokenizer,
whose caches are empty; creating it is not timed. Seconds are CPU seconds of the process; the ratio is theirs / ours
within one turn, with its quartiles: above 1, this kit is faster. Both must return the same ids, or the run ends.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import os
import re
import sys
import tempfile
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from corpora import prose
from peers import LIBRARIES, PARITY, ROOT, Library, seconds_a_call, take_turns

PREFIXES = {
    "bert": "Bert",
    "gpt2": "GPT2",
    "roberta": "Roberta",
    "t5": "T5",
    "xlm-roberta": "XLMRoberta",
    "albert": "Albert",
}
GOALS = {"slow": 1.5, "fast": 0.5}
SENTENCES = 10_000
OPTIONS: dict[str, Any] = {"truncation": True, "max_length": 128, "padding": True}


class Worker:
    """One library's tokenizers; runs in that library's Python.

    Args:
        library: its module.
        folder: contains a folder for each family, and sentences.json.
    """

    def __init__(self, library: Any, folder: Path) -> None:
        self.library = library
        self.folder = folder
        self.sentences = json.loads((folder / "sentences.json").read_text(encoding="utf-8"))

    def answer(self, task: str, calls: int) -> Any:
        """Return the seconds of a call, or, if `calls` is 0, a hash of its result."""
        family, speed = task.split()
        kind = getattr(self.library, PREFIXES[family] + ("TokenizerFast" if speed == "fast" else "Tokenizer"))
        tokenizer = kind.from_pretrained(str(self.folder / family))
        if tokenizer._pad_token is None:  # without a message on standard error
            tokenizer.pad_token = tokenizer.eos_token
        call = partial(tokenizer, self.sentences, **OPTIONS)
        return seconds_a_call(call, calls) if calls else hashed(call())


def hashed(encoding: Any) -> str:
    return hashlib.sha256(json.dumps(sorted(encoding.items())).encode()).hexdigest()


def serve(name: str, folder: Path) -> None:
    """Answer [task, calls], a line of JSON, with a line of JSON."""
    sys.path.insert(0, str(ROOT))  # this copy of the kit
    worker = Worker(importlib.import_module(name), folder)
    for line in sys.stdin:
        print(json.dumps(worker.answer(*json.loads(line))), flush=True)


def sentences() -> list[str]:
    """Return the first sentences of Python's documentation that have 5 to 40 words."""
    found = (part for text in prose() for part in re.split(r"(?<=[.!?])\s+|\n\n", text))
    whole = (" ".join(part.split()) for part in found)
    return list(islice((each for each in whole if 4 < each.count(" ") < 40), SENTENCES))


def compare(folder: Path, family: str, speed: str, turns: int) -> None:
    """Print one line for a family's slow or fast tokenizer."""
    task = f"{family} {speed}"
    libraries = {name: Library(name, __file__, "--folder", str(folder)) for name in LIBRARIES}
    told = {name: library.ask(task, 0) for name, library in libraries.items()}
    if told["ours"] != told["theirs"]:
        raise SystemExit(f"{task}: the results differ; speeds mean nothing before they agree")
    asked = {name: partial(library.ask, task) for name, library in libraries.items()}
    found = take_turns(asked, 1, turns)
    high, middle, low = (1 / ratio for ratio in found.ratios)
    print(
        f"{family:<12}{speed:<6}{found.ours:>8.2f}{found.theirs:>9.2f}{middle:>8.2f}"
        f"{f'{low:.2f}-{high:.2f}':>13}{GOALS[speed]:>7.1f}",
        flush=True,
    )
    for library in libraries.values():
        library.end()


def main() -> None:
    """Compare each family."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--family", choices=PREFIXES, action="append")
    parser.add_argument("--speed", choices=GOALS, action="append")
    parser.add_argument("--folder", type=Path, help="a folder of tokenizer files for one --family")
    parser.add_argument("--repeats", type=int, default=5, help="turns that each library takes, at least 2")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        return serve(options.serve, options.folder)
    if not PARITY.exists():
        return print("slow_and_fast: transformers 4.26.1 is missing; `make parity` makes its environment")
    if options.folder and len(options.family or ()) != 1:
        parser.error("--folder needs exactly one --family")
    os.environ |= {"TOKENIZERS_PARALLELISM": "false", "RAYON_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as path:
        folder = prepared(Path(path), options.family or list(PREFIXES), options.folder)
        print(f"{SENTENCES} sentences\n{'':<18}{'ours s':>8}{'theirs s':>9}{'ratio':>8}{'quartiles':>13}{'goal':>7}")
        for family in options.family or PREFIXES:
            for speed in options.speed or GOALS:
                compare(folder, family, speed, max(2, options.repeats))


def prepared(folder: Path, families: list[str], given: Path | None) -> Path:
    """Write the sentences and each family's folder: the given one, or that of the tests. Return the folder of all."""
    sys.path.append(str(ROOT))
    from tests.tokenizer_folders import write_folder

    (folder / "sentences.json").write_text(json.dumps(sentences()), encoding="utf-8")
    for family in families:
        if given is not None:
            (folder / family).symlink_to(given.resolve(), target_is_directory=True)
        else:
            write_folder(family, folder / family)
    return folder


if __name__ == "__main__":
    main()
