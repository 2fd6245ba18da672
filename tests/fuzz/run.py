"""Compare all components with the live libraries on random inputs: make fuzz MINUTES=10, or --only NAME --seed N.

Prints the seed, and one line for each component. A counterexample is shrunk, and stored as a test in
`tests/fuzz/found/`. The same command damages files of every format, kills processes while they save, and measures how
the time of each encoder grows with the text.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import secrets
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from typing import Any

from tests.fuzz.component import Finding
from tests.fuzz.saved import save

SHARES = {"components": 0.65, "files": 0.15, "costs": 0.2}  # of the time; the saves are few, and all are tried
LONG = 3  # minutes: with less, the longest save is left out, which the usual tests also kill


def component(name: str, seconds: float, seed: int) -> list[tuple[str, Finding]]:
    """Search the inputs of a component; its tests are imported here, in the process that runs it."""
    from tests.fuzz.component import search
    from tests.fuzz.components import COMPONENTS

    return [(name, search(COMPONENTS[name], seconds, seed))]


def damaged(name: str, seconds: float, seed: int) -> list[tuple[str, Finding]]:
    """Damage files of a format."""
    from tests.fuzz.damaged_files import search_files

    return [search_files(name, seconds, seed)]


def killed(name: str) -> list[tuple[str, Finding]]:
    """Kill processes while they save."""
    from tests.fuzz.interrupted import search_saves

    return [search_saves(name)]


def costs(seconds: float, seed: int) -> list[tuple[str, Finding]]:
    """Measure all encoders."""
    from tests.fuzz.costs import search_costs

    return [*search_costs(seconds, seed)]


@cache
def names() -> dict[str, list[str]]:
    """Return the names of all parts by kind."""
    from tests.fuzz import components, damaged_files, interrupted

    return {
        "components": [*components.COMPONENTS],
        "files": [*damaged_files.BY_NAME],
        "saves": [*interrupted.BY_NAME],
    }


def jobs(minutes: float, seed: int, only: str, processes: int) -> Iterator[Any]:
    """Yield functions that together take so many minutes on so many processes."""
    chosen = {kind: [name for name in of_kind if only in name] for kind, of_kind in names().items()}
    time_in_all = 60 * minutes * processes
    whole = {kind: share * time_in_all if not only else time_in_all for kind, share in SHARES.items()}
    if only in "costs":
        yield partial(costs, whole["costs"], seed)
    for name in chosen["components"]:
        yield partial(component, name, whole["components"] / len(chosen["components"]), seed)
    for name in chosen["files"]:
        yield partial(damaged, name, whole["files"] / len(chosen["files"]), seed)
    for name in chosen["saves"]:
        if minutes >= LONG or only or name != "T5 model":
            yield partial(killed, name)


def _quiet() -> None:
    """Send what the libraries write to stderr nowhere: they report panics there."""
    os.environ["OMP_NUM_THREADS"] = "1"
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def main(arguments: list[str]) -> int:
    """Fuzz, and return 1 if there is a counterexample."""
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=float(os.environ.get("MINUTES") or 1))
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**32))
    parser.add_argument("--only", default="", help="a part of a component's name")
    given = parser.parse_args(arguments)
    processes = min(os.cpu_count() or 1, 8)
    print(f"seed {given.seed} (--seed {given.seed} draws the same inputs), {given.minutes:g} minutes", flush=True)
    started, failed = time.monotonic(), 0
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context, initializer=_quiet) as pool:
        running = [pool.submit(job) for job in jobs(given.minutes, given.seed, given.only, processes)]
        for future in running:
            for found, finding in future.result():
                print(line(found, finding), flush=True)
                if finding.error:
                    failed += 1
                    print(f"    stored as {save(found, finding)}", flush=True)
    if not running:
        print(f"no component has {given.only!r} in its name; there are: {names()}")
    print(f"{failed} with a counterexample; {time.monotonic() - started:.0f} seconds")
    return int(failed > 0 or not running)


def line(name: str, finding: Finding) -> str:
    """Return a line for a component.

    >>> line("BERT: text to ids", Finding(1200))
    'BERT: text to ids                             1,200  ok'
    >>> line("a", Finding(7, "x", "AssertionError: no"))
    "a                                                 7  DIFFERS for 'x': AssertionError: no"
    """
    said = f"DIFFERS for {finding.failing!r:.300}: {finding.error:.300}" if finding.error else "ok"
    return f"{name:40} {finding.tried:>10,}  {said}"
