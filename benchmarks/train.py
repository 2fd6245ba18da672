"""BPE training compared with its peers in one interleaved run: time ratios and peak memory.

    .venv/bin/python benchmarks/train.py                       # all rows, some minutes
    .venv/bin/python benchmarks/train.py --quick               # small corpora only
    .venv/bin/python benchmarks/train.py --corpus novel.txt    # your own text instead of Python's

The corpora are what every Python has: prose is its documentation, code its library. Each measurement is a process of
its own, ours and the peer's take turns, and the median counts. Where it can be, both are checked to have learned the
same merges. Nothing here fails because it is slow.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import inspect
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from corpora import has_long_words, write_corpora

Learn: TypeAlias = Callable[[], Any]


# What is measured. A task imports what it needs, then returns the function to be timed: text in, merges out. The kit
# imports `regex` when it compiles a pattern, so the tasks import it themselves.


def ours(path: str, vocab_size: int, processes: int = 1) -> Learn:
    import regex  # noqa: F401

    from tokenlab.algorithms.bpe.train_indexed import train_indexed
    from tokenlab.algorithms.text.byte_symbols import bytes_to_symbols
    from tokenlab.algorithms.text.count_words import count_words_in_files

    def glyphs() -> dict[str, int]:
        # tokenizers orders its alphabet by glyph, so we have to learn from glyphs for the same merges.
        counts = count_words_in_files(path, split="gpt2", processes=processes)
        return {bytes_to_symbols("".join(word).encode()): count for word, count in counts.items()}  # type: ignore[arg-type]

    return lambda: train_indexed(glyphs(), vocab_size, "lowest_id")


def tokenizers(path: str, vocab_size: int, threads: int = 1) -> Learn:
    # Its one thread is quicker without the pool (half the time on 1 MB): the peer at its best.
    os.environ.update({"TOKENIZERS_PARALLELISM": "false"} if threads == 1 else {"RAYON_NUM_THREADS": str(threads)})
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    def learn() -> Any:
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.train([path], trainers.BpeTrainer(vocab_size=vocab_size, show_progress=False))
        return tokenizer

    return learn


def first_seen(path: str, vocab_size: int, indexed: bool = True) -> Learn:
    import regex  # noqa: F401

    from tokenlab.algorithms.bpe.train import train
    from tokenlab.algorithms.bpe.train_indexed import train_indexed
    from tokenlab.algorithms.text.count_words import count_words

    every_byte = [bytes([byte]) for byte in range(256)]

    def learn() -> list[Any]:
        counts = count_words(Path(path).read_bytes().decode(), split="gpt2", symbols="bytes")
        merges = (train_indexed if indexed else train)(counts, vocab_size, initial_alphabet=every_byte)
        return [left + right for left, right in merges]  # type: ignore[operator]

    return learn


def tiktoken_educational(path: str, vocab_size: int) -> Learn:
    from tiktoken._educational import bpe_train

    from tokenlab.algorithms.text.pretokenize import split_gpt2

    pattern = "|".join(split_gpt2.rules.values())
    return lambda: list(bpe_train(Path(path).read_bytes().decode(), vocab_size, pattern, visualise=None))[256:]


def unwatched(path: str, vocab_size: int, function: Any = None) -> Learn:
    """Training alone, from words that are already counted."""
    from tokenlab.algorithms.bpe.train_indexed import train_indexed
    from tokenlab.algorithms.text.count_words import count_words_in_files

    counts = count_words_in_files(path, split="gpt2")
    return lambda: (function or train_indexed)(counts, vocab_size)


def without_yields(path: str, vocab_size: int) -> Learn:
    """Compile the function's source without its `yield` lines and its decorator."""
    from tokenlab.algorithms.bpe.train_indexed import train_indexed

    class Unyielding(ast.NodeTransformer):
        def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
            return None if isinstance(node.value, ast.Yield) else node

    function = train_indexed.function
    tree = ast.parse(inspect.getsource(function))
    tree.body[0].decorator_list = []  # type: ignore[attr-defined]
    names = dict(function.__globals__)
    exec(compile(Unyielding().visit(tree), "<without yields>", "exec"), names)
    return unwatched(path, vocab_size, names[function.__name__])


# How it is measured.


class Measured(NamedTuple):
    cpu: float  # seconds, of this process and those it started
    wall: float
    megabytes: float  # what the peak grew by, of this process alone
    merges: list[str]  # a digest of them, see `_digest`


def measure(task: Callable[..., Learn], path: str, vocab_size: int) -> Measured:
    learn = task(path, vocab_size)
    cpu, wall, peak = _cpu(), time.perf_counter(), _peak()
    learned = learn()
    spent = _cpu() - cpu, time.perf_counter() - wall, _peak() - peak
    return Measured(*spent, _digest(_merges(learned), vocab_size))


def _merges(learned: Any) -> list[Any]:
    if isinstance(learned, list):
        return learned
    return [tuple(pair) for pair in json.loads(learned.to_str())["model"]["merges"]]


def _cpu() -> float:
    children = os.times()
    return time.process_time() + children.children_user + children.children_system


def _peak() -> float:
    try:
        import resource
    except ImportError:  # Windows
        return float("nan")
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def _digest(merges: list[Any], vocab_size: int) -> list[str]:
    # subtle: a merge that makes a token again does not count in tokenizers, so its list is some merges longer.
    surely_learned = merges[: vocab_size - 256]
    return [str(len(surely_learned)), hashlib.sha256(repr(surely_learned).encode()).hexdigest()]


def in_a_process(function: Callable[..., Any], *args: Any) -> Any:
    """Return the function's result from a new process, with separate peak memory and empty caches."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *args).result()


# What is printed.


class Row(NamedTuple):
    corpus: Path
    vocab_size: int
    ours: Callable[..., Learn]
    peer: Callable[..., Learn]
    goal: float | None  # at most this many times the peer's time; measured when the kit was planned
    clock: str = "cpu"


def rows(corpora: list[Path]) -> Iterator[Row]:
    for corpus in corpora:
        size = corpus.stat().st_size
        vocab_size = 10_000 if size > 500_000 else 5_000 if size > 50_000 else 1_000
        yield Row(corpus, vocab_size, ours, tokenizers, goal(corpus))
        if size > 8e6:
            yield Row(corpus, vocab_size, partial(ours, processes=2), partial(tokenizers, threads=2), 1.05, "wall")
    smallest, *_, largest = sorted([*corpora, *corpora], key=lambda corpus: corpus.stat().st_size)
    yield Row(smallest, 300, first_seen, tiktoken_educational, None)
    yield Row(smallest, 300, first_seen, partial(first_seen, indexed=False), None)
    yield Row(largest, 10_000, unwatched, without_yields, 1.10)


def goal(corpus: Path) -> float | None:
    size = corpus.stat().st_size
    if has_long_words(corpus):
        return 3
    return 0.9 if size > 8e6 else 1.4 if size > 500_000 else 2.2 if size > 50_000 else None


def compare(row: Row, repeats: int) -> dict[str, Any]:
    tasks = row.ours, row.peer
    runs = [[in_a_process(measure, task, str(row.corpus), row.vocab_size) for task in tasks] for _ in range(repeats)]
    left, right = ([getattr(run[side], row.clock) for run in runs] for side in (0, 1))
    return {
        "corpus": row.corpus.name,
        "vocabulary": row.vocab_size,
        "ours": name(row.ours),
        "peer": name(row.peer),
        "clock": row.clock,
        "seconds": [statistics.median(left), statistics.median(right)],
        # Of each turn, not of the medians: what disturbs the machine for a while disturbs both.
        "ratio": statistics.median(mine / theirs for mine, theirs in zip(left, right, strict=True)),
        "goal": row.goal,
        "megabytes": [statistics.median(run[side].megabytes for run in runs) for side in (0, 1)],
        "same merges": len({tuple(side.merges) for run in runs for side in run}) == 1,
    }


def name(task: Any) -> str:
    if isinstance(task, partial):
        return " ".join([name(task.func), *(f"{option}={value}" for option, value in task.keywords.items())])
    return str(task.__name__)


LINE = "{:<24}{:>7}  {:<18}{:<25}{:>8}{:>8}{:>7}{:>7}{:>7}{:>7}  {}"
HEAD = "corpus", "vocab", "ours", "peer", "s", "s", "ratio", "goal", "MB", "MB", "same merges"


def line(result: dict[str, Any]) -> str:
    seconds = [f"{second:.3f}" for second in result["seconds"]]
    wanted = "" if result["goal"] is None else f"<={result['goal']:g}"
    memory = [f"{size:.0f}" for size in result["megabytes"]]
    names = result["corpus"][:23], result["vocabulary"], result["ours"], result["peer"]
    same = "yes" if result["same merges"] else "NO"
    return LINE.format(*names, *seconds, f"{result['ratio']:.2f}", wanted, *memory, same)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, action="append", help="a UTF-8 file; may be given more than once")
    parser.add_argument("--quick", action="store_true", help="only 10 kB and 100 kB")
    parser.add_argument("--repeats", type=int, default=3, help="turns that ours and the peer take")
    parser.add_argument("--json", type=Path, help="write the results there as well")
    options = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory() as folder:
        if not options.corpus:
            in_a_process(write_corpora, Path(folder), [0.01, 0.1] if options.quick else [0.1, 1, 9])
        print(LINE.format(*HEAD))
        for row in rows(options.corpus or sorted(Path(folder).iterdir())):
            results.append(compare(row, options.repeats))
            print(line(results[-1]), flush=True)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8", newline="\n")
    if not all(result["same merges"] for result in results):
        sys.exit("Ours and a peer learned different merges, see NO above: their times cannot be compared.")


if __name__ == "__main__":
    main()
