"""Random calls of slow and fast tokenizers, compared with transformers 4.26.1, which answers in a separate process.

    python -m tests.parity_t5.tokenizer_calls 50000                      # calls; all families, slow and fast
    python -m tests.parity_t5.tokenizer_calls 5000 --only bert-fast --seed 3

Prints the first calls that differ, shrunk and grouped by method and outcome, in a form to paste into Python. Exceptions
are equal if ours has the library's class or inherits from it; a Rust panic is a ValueError here.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.parity.t5_original import PYTHON, ROOT
from tests.parity_t5 import tokenizer_answers, tokenizer_shrink
from tests.parity_t5.tokenizer_cases import CALLS, case
from tests.parity_t5.tokenizer_exclusions import excluded
from tests.parity_t5.tokenizer_setups import SETUPS
from tests.tokenizer_folders import write_folder

Json = Any
KINDS = tuple((family, fast) for family in SETUPS for fast in (False, True))
LIBRARIES = {"theirs": (PYTHON, "transformers"), "ours": (Path(sys.executable), "tokenlab.libraries.transformers")}


class Process:
    """A library's process, which answers a line of JSON for a line of JSON."""

    def __init__(self, name: str, folder: Path, hash_seed: int) -> None:
        python, module = LIBRARIES[name]
        others = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHASHSEED")}
        ours = {"PYTHONPATH": str(ROOT)} if name == "ours" else {}
        quiet = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error", "TOKENIZERS_PARALLELISM": "false"}
        self.process = subprocess.Popen(
            [str(python), tokenizer_answers.__file__, module, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            env=others | ours | quiet | {"PYTHONHASHSEED": str(hash_seed), "OMP_NUM_THREADS": "1"},
        )

    def send(self, case: Json) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(case) + "\n")
        self.process.stdin.flush()

    def receive(self) -> list[Json]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the process has ended; see its output above"
        answers: list[Json] = json.loads(line)
        return answers

    def ask(self, case: Json) -> list[Json]:
        self.send(case)
        return self.receive()


class Compared:
    """Both libraries, on the same folders."""

    def __init__(self, folder: Path, theirs: Process, ours: Process) -> None:
        self.folder = folder
        self.theirs = theirs
        self.ours = ours

    def answers(self, case: Json) -> list[tuple[Json, Json]]:
        """Return the answers of both to the setup and to each call."""
        self.theirs.send(case)
        self.ours.send(case)
        theirs, ours = self.theirs.receive(), self.ours.receive()
        missing = {"raised": ["no tokenizer"]}
        size = max(len(theirs), len(ours))
        return list(zip(theirs + [missing] * (size - len(theirs)), ours + [missing] * (size - len(ours)), strict=True))

    def differences(self, case: Json) -> list[Difference]:
        """Return the differences in a case; the first is the only one if the setup itself differs."""
        found = []
        for number, (theirs, ours) in enumerate(self.answers(case)):
            call = ["setup", [], {}] if number == 0 else case["calls"][number - 1]
            if not equal(theirs, ours) and excluded(case["setup"], call, theirs, ours) is None:
                found.append(Difference(case, number, theirs, ours))
            if number == 0 and found:
                break
        return found


class Difference:
    """A call with different answers.

    Args:
        case: its case.
        number: 0 for the setup, or the number of the call from 1.
        theirs: the library's answer.
        ours: our answer.
    """

    def __init__(self, case: Json, number: int, theirs: Json, ours: Json) -> None:
        self.case = case
        self.number = number
        self.theirs = theirs
        self.ours = ours

    @property
    def group(self) -> tuple[str, ...]:
        """The class, the method and the outcomes; where both return something, the place of the first difference."""
        method = self.case["calls"][self.number - 1][0] if self.number else "setup"
        if method == "result":
            method = ".".join(str(step[0]) for step in self.case["calls"][self.number - 1][1][0]["of"])
        kinds = outcome(self.theirs), outcome(self.ours)
        place = tokenizer_shrink.place(self.theirs, self.ours) if kinds == ("returned", "returned") else ""
        return self.case["setup"]["class"], method, *kinds, place

    def __str__(self) -> str:
        return tokenizer_shrink.pasted(self.case, self.number, self.theirs, self.ours)


def outcome(answer: Json) -> str:
    return "returned" if "returned" in answer else f"raised {answer['raised'][0]}"


def equal(theirs: Json, ours: Json) -> bool:
    """Return True if the results are equal, or if our exception is the library's or a subclass."""
    if "raised" in theirs and "raised" in ours:
        name = theirs["raised"][0]
        return name in ours["raised"] or (name == "PanicException" and "ValueError" in ours["raised"])
    return "returned" in theirs and "returned" in ours and bool(theirs == ours)


@contextmanager
def compared(
    hash_seed: int = 0, families: tuple[str, ...] = tuple(SETUPS), libraries: tuple[str, str] = ("theirs", "ours")
) -> Iterator[Compared]:
    """Write the families' folders, start both libraries, and have the first one save what it loads from each folder.

    Args:
        hash_seed: PYTHONHASHSEED of the second process.
        families: the families to write.
        libraries: "theirs" and "ours", or the same one twice.
    """
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        for family in families:
            write_folder(family, folder / family)
        both = [Process(name, folder, seed) for name, seed in zip(libraries, (0, hash_seed), strict=True)]
        try:
            for family in families:
                save(both[0], family)
            yield Compared(folder, *both)
        finally:
            for each in both:
                each.process.communicate()


def save(theirs: Process, family: str) -> None:
    """Save a family's slow tokenizer with added tokens, and its fast one, in separate folders."""
    prefix = SETUPS[family].prefix
    for ending, kind, added in (
        ("slow", "Tokenizer", [["add_tokens", [["<new>", "newword"]]]]),
        ("fast", "TokenizerFast", []),
    ):
        setup = {
            "class": prefix + kind,
            "args": [{"!": "file", "path": family}],
            "options": {},
            "pretrained": True,
            "added": added,
        }
        path = {"!": "file", "path": f"{family}_{ending}"}
        answers = theirs.ask({"setup": setup, "calls": [["save_pretrained", [path], {}]]})
        assert all("returned" in answer for answer in answers), answers


def main(arguments: list[str]) -> int:
    """Compare; return the number of differences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("calls", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--hash-seed", type=int, default=0, help="PYTHONHASHSEED of our process")
    parser.add_argument("--twice", choices=list(LIBRARIES), help="compare a library with itself")
    parser.add_argument("--only", nargs="*", help="such as bert-slow gpt2-fast")
    parser.add_argument("--groups", type=int, default=30, help="the number of groups to print")
    options = parser.parse_args(arguments)
    kinds = tuple(kind for kind in KINDS if not options.only or name_of(kind) in options.only)
    groups: dict[tuple[str, ...], Difference] = {}
    counts: Counter[tuple[str, ...]] = Counter()
    start, cases = time.monotonic(), -(-options.calls // CALLS)
    libraries = (options.twice or "theirs", options.twice or "ours")
    with compared(options.hash_seed, tuple(dict.fromkeys(family for family, _ in kinds)), libraries) as both:
        for number in range(cases):
            for difference in both.differences(case(options.seed, number, kinds)):
                counts[difference.group] += 1
                groups.setdefault(difference.group, difference)
            if number % 500 == 499:
                print(f"{(number + 1) * CALLS} calls, {sum(counts.values())} differences", file=sys.stderr, flush=True)
        shown = [shrunk(both, groups[group], start) for group, _ in counts.most_common(options.groups)]
    for (group, count), difference in zip(counts.most_common(options.groups), shown, strict=True):
        print(f"# {count} x {' | '.join(filter(None, group))}\n{difference}\n")
    total = sum(counts.values())
    print(f"{cases * CALLS} calls, {total} differences in {len(counts)} groups, {time.monotonic() - start:.0f} s")
    return min(total, 1)


def shrunk(both: Compared, difference: Difference, start: float) -> Difference:
    """Return the same difference in a smaller case."""

    def same(case: Json) -> Difference | None:
        found = both.differences(case)
        return next((each for each in found if each.group == difference.group), None)

    return tokenizer_shrink.smallest(difference, same)


def name_of(kind: tuple[str, bool]) -> str:
    """Return the name of a kind.

    >>> name_of(("bert", True))
    'bert-fast'
    """
    return f"{kind[0]}-{'fast' if kind[1] else 'slow'}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
