"""Build and use a SubwordTextEncoder, compared with tensor2tensor's own code in one interleaved run.

    TENSOR2TENSOR=folder .venv/bin/python benchmarks/subword_text.py     # the folder has tensor2tensor 1.15.7 unpacked
    .venv/bin/python benchmarks/subword_text.py --corpus novel.txt       # without the folder: ours alone

Cold is the first pass of a fresh encoder over a text, warm the second. CPU seconds; ours and the library take turns,
the median of the ratios counts, and the vocabularies and ids are checked to be the same. Nothing here fails because it
is slow.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from corpora import write_corpora

sys.path.append(str(Path(__file__).parents[1]))

from tests.parity.original_tensor2tensor import FOLDER, HOW, original
from tokenlab.algorithms.subword_text.build import build
from tokenlab.algorithms.subword_text.build_to_size import bisect_min_count
from tokenlab.libraries.tensor2tensor import text_encoder, tokenizer

TARGET = 8000
SMALL = 100_000  # characters


class Row(NamedTuple):
    name: str
    ours: float  # seconds, or MB/s
    peer: float
    ratio: float  # speed of ours relative to theirs
    goal: str = ""

    def line(self) -> str:
        beside = f"{self.peer:>9.3f}{self.ratio:>8.2f}  {self.goal}" if self.peer else ""
        return f"{self.name:<58}{self.ours:>9.3f}{beside}"


def seconds(call: Any, *args: Any) -> tuple[float, Any]:
    gc.collect()
    start = time.process_time()
    result = call(*args)
    return time.process_time() - start, result


def building(name: str, text: str, peer: Any) -> Iterator[Row]:
    """Both build from the same counts to the same target."""
    counts = Counter(tokenizer.encode(text))
    ours, mine = seconds(text_encoder.SubwordTextEncoder.build_to_target_size, TARGET, counts, 1, 1e3)
    if peer:
        theirs, built = seconds(peer.text_encoder.SubwordTextEncoder.build_to_target_size, TARGET, counts, 1, 1e3)
        assert built.all_subtoken_strings == mine.all_subtoken_strings
        yield Row(f"{name}, s: build / tensor2tensor", ours, theirs, theirs / ours, ">=1.9")
        yield from encoding(name, text, mine, built)
    elif len(text) <= SMALL:
        slow, found = seconds(bisect_min_count, TARGET, partial(build, counts))
        assert tuple(found) == mine.all_subtoken_strings
        yield Row(f"{name}, s: build / textbook", ours, slow, slow / ours)
    else:
        yield Row(f"{name}, s: build", ours, 0, 0)


def encoding(name: str, text: str, mine: Any, theirs: Any) -> Iterator[Row]:
    """Both encode the lines of the text, with nothing remembered, and again."""
    lines, megabytes = text.splitlines(), len(text.encode()) / 1e6
    mine._init_subtokens_from_list(mine.all_subtoken_strings)
    theirs._init_subtokens_from_list(list(theirs.all_subtoken_strings))
    for state in "cold", "warm":
        goal = ">=1.3" if state == "cold" else ""
        ours, ids = seconds(lambda: list(map(mine.encode, lines)))
        peer, same = seconds(lambda: list(map(theirs.encode, lines)))
        assert ids == same
        yield Row(f"{name}, MB/s: encode {state} / same", megabytes / ours, megabytes / peer, peer / ours, goal)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, action="append", help="a UTF-8 file; may be given more than once")
    parser.add_argument("--repeats", type=int, default=3, help="turns that ours and the library take")
    options = parser.parse_args()
    peer = original(FOLDER) if FOLDER else None
    if not peer:
        print(f"Ours alone: {HOW}.")
    with tempfile.TemporaryDirectory() as folder:
        if not options.corpus:
            write_corpora(Path(folder), [1])
        paths = options.corpus or sorted(Path(folder).iterdir())
        texts = [(path.name[:20], path.read_text(encoding="utf-8")) for path in paths]
    texts.insert(0, (f"{texts[-1][0]}, the start", texts[-1][1][:SMALL]))
    print(f"{'':<58}{'ours':>9}{'peer':>9}{'ratio':>8}  goal")
    for name, text in texts:
        turns = [list(building(name, text, peer)) for _ in range(options.repeats)]
        for rows in zip(*turns, strict=True):
            middle = sorted(rows, key=lambda row: row.ours)[len(rows) // 2]
            print(middle._replace(ratio=statistics.median(row.ratio for row in rows)).line(), flush=True)


if __name__ == "__main__":
    main()
