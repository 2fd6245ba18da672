"""Two libraries that take turns, each in a separate process; shared by all comparisons with transformers 4.26.1.

A benchmark's file is started once more for each library, with --serve and the library's name, and answers a line of
JSON for a line of JSON.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
PARITY = ROOT / ".parity" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
LIBRARIES = {"ours": (Path(sys.executable), "tokenlab.libraries.transformers"), "theirs": (PARITY, "transformers")}
OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error", "OMP_NUM_THREADS": "1", "KINETO_LOG_LEVEL": "9"}
CTRANSLATE2 = os.environ.get("CTRANSLATE2")  # the Python of an environment with ctranslate2, transformers and torch


def ctranslate2_is_there() -> bool:
    """Return True if the environment exists and has everything that the peer needs."""
    wanted = "import ctranslate2, transformers, torch"
    return bool(CTRANSLATE2 and Path(CTRANSLATE2).exists() and not subprocess.call([CTRANSLATE2, "-c", wanted]))


class Library:
    """A library's process.

    Args:
        name: one of LIBRARIES, or "ctranslate2".
        program: the benchmark's file.
        options: its command-line options in addition to --serve.
    """

    def __init__(self, name: str, program: str, *options: str) -> None:
        python, module = LIBRARIES.get(name, (CTRANSLATE2, name))
        others = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        if name == "ours":
            others["PYTHONPATH"] = str(ROOT)  # the package beside this folder, wherever another one is installed
        self.process = subprocess.Popen(
            [str(python), program, "--serve", module, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            env={**others, **OFFLINE},
        )

    def ask(self, task: str, calls: int) -> Any:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps([task, calls]) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit("a worker has stopped; see its output above")
        return json.loads(answer)

    def end(self) -> None:
        self.process.communicate()


def seconds_a_call(call: Callable[[], Any], calls: int) -> float:
    """Return the CPU seconds of a call in this process."""
    before = time.process_time()
    for _ in range(calls):
        call()
    return (time.process_time() - before) / calls


class Compared(NamedTuple):
    """Median CPU seconds of a call, and ours / theirs within one turn: lower quartile, median, upper quartile."""

    ours: float
    theirs: float
    ratios: tuple[float, float, float]


def take_turns(ask: dict[str, Callable[[int], float]], calls: int, turns: int) -> Compared:
    """Time both in turns of `calls` calls, in alternating order.

    Args:
        ask: functions under "ours" and "theirs" that return the seconds of a call.
    """
    seconds: dict[str, list[float]] = {name: [] for name in ask}
    for turn in range(turns):
        for name in list(ask) if turn % 2 else list(reversed(ask)):
            seconds[name].append(ask[name](calls))
    ratios = [a / b for a, b in zip(seconds["ours"], seconds["theirs"], strict=True)]
    low, middle, high = statistics.quantiles(ratios, n=4)
    return Compared(statistics.median(seconds["ours"]), statistics.median(seconds["theirs"]), (low, middle, high))
