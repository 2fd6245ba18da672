"""Encode with GPT-2's ranks, compared with tiktoken and tokenizers in one interleaved run; ratios are reported.

    .venv/bin/python benchmarks/encode.py               # with the vocab.json and merges.txt in ../shared/data/gpt2
    .venv/bin/python benchmarks/encode.py --gpt2 my/folder --corpus novel.txt --repeats 7

Cold is the first pass of a fresh encoding over a text, warm the second; cold is the honest number. CPU seconds of one
thread; ours and the peers take turns, and the median of the ratios counts. Nothing here fails because it is slow.
"""

from __future__ import annotations

import argparse
import gc
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

os.environ["TOKENIZERS_PARALLELISM"] = "false"  # before tokenizers is imported: its one thread without a pool

import tiktoken
from corpora import has_long_words, write_corpora
from tokenizers import Tokenizer, models, pre_tokenizers

from tokenlab.algorithms.bpe.encode import encode_by_rank
from tokenlab.algorithms.text.pretokenize import split_gpt2
from tokenlab.libraries.tiktoken import Encoding
from tokenlab.libraries.tiktoken.load import data_gym_to_mergeable_bpe_ranks

SHARED = Path(__file__).parents[2] / "shared" / "data"
SENTENCE = "The quick brown fox jumps over the lazy dog, and nobody was amused."


class Peers:
    """Functions that create a new tokenizer with an empty cache."""

    def __init__(self, folder: Path) -> None:
        self.files = str(folder / "vocab.json"), str(folder / "merges.txt")
        ranks = data_gym_to_mergeable_bpe_ranks(*reversed(self.files))
        pattern = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"""
        self.arguments: dict[str, Any] = {"pat_str": pattern, "mergeable_ranks": ranks}
        self.arguments["special_tokens"] = {"<|endoftext|>": 50256}

    def ours(self) -> Encoding:
        return Encoding("gpt2", **self.arguments)

    def tiktoken(self) -> tiktoken.Encoding:
        return tiktoken.Encoding("gpt2", **self.arguments)

    def naive(self, text: str) -> list[int]:
        """The textbook algorithm: no cache, and all ranks of a pre-token are looked up again after every merge."""
        ranks = self.arguments["mergeable_ranks"]
        pieces = map(str.encode, split_gpt2(text))
        return [ranks[token] for piece in pieces for token in encode_by_rank(piece, ranks)]

    def tokenizers(self) -> Tokenizer:
        tokenizer = Tokenizer(models.BPE.from_file(*self.files))
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        return tokenizer


def seconds(call: Callable[..., Any], *args: Any, times: int = 1) -> float:
    gc.collect()
    start = time.process_time()
    for _ in range(times):
        call(*args)
    return (time.process_time() - start) / times


class Row(NamedTuple):
    name: str
    ours: float  # a throughput in MB/s, or the time of one call in microseconds
    peer: float
    goal: str

    def line(self, ratio: float) -> str:
        return f"{self.name:<60}{self.ours:>9.2f}{self.peer:>9.2f}{ratio:>8.2f}  {self.goal}"


def one_text(peers: Peers, path: Path) -> Iterator[Row]:
    text = path.read_bytes().decode()
    megabytes, lines, long = len(text.encode()) / 1e6, text.splitlines(keepends=True), has_long_words(path)
    mine, theirs, rusts = peers.ours(), peers.tiktoken(), peers.tokenizers()
    cold, tik = seconds(mine.encode_ordinary, text), seconds(theirs.encode_ordinary, text)
    fast = seconds(rusts.encode_batch_fast, lines)
    warm = seconds(mine.encode_ordinary, text)
    assert mine.encode_ordinary(text) == theirs.encode_ordinary(text)
    name = f"{path.stem[:20]} {megabytes:.1f} MB, MB/s:"
    yield Row(f"{name} cold / tiktoken", megabytes / cold, megabytes / tik, "" if long else ">=0.36")
    yield Row(f"{name} cold / tokenizers batch_fast", megabytes / cold, megabytes / fast, "" if long else ">=2.5")
    if long:
        one = seconds(peers.tokenizers().encode, text)
        yield Row(f"{name} cold / tokenizers encode", megabytes / cold, megabytes / one, ">=1.2")
    yield Row(f"{name} warm / tiktoken", megabytes / warm, megabytes / tik, "")
    part = text[:20_000]
    size = len(part.encode()) / 1e6
    ours, slow = seconds(peers.ours().encode_ordinary, part), seconds(peers.naive, part)
    yield Row(f"{path.stem[:20]} {size:.2f} MB, MB/s: cold / naive", size / ours, size / slow, "")


def short_calls(peers: Peers) -> Iterator[Row]:
    mine, theirs = peers.ours(), peers.tiktoken()
    for name in "encode", "encode_ordinary":
        sides = [getattr(side, name) for side in (mine, theirs)]
        times = [min(seconds(side, SENTENCE, times=5000) for _ in range(5)) * 1e6 for side in sides]
        yield Row(f"{name}, a sentence, us: ours / tiktoken", *times, "<=2.2")


def no_spaces(peers: Peers, path: Path) -> Iterator[Row]:
    letters = "".join(filter(str.isalpha, path.read_bytes().decode()))
    for size, goal in (100_000, "<=0.7 s"), (1_000_000, "<=8 s"):
        sides = [seconds(side.encode_ordinary, letters[:size]) for side in (peers.ours(), peers.tiktoken())]
        yield Row(f"{min(size, len(letters))} letters of {path.stem[:20]}, s: ours / tiktoken", *sides, goal)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpt2", type=Path, default=SHARED / "gpt2", help="a folder with vocab.json and merges.txt")
    parser.add_argument("--corpus", type=Path, action="append", help="a UTF-8 file; may be given more than once")
    parser.add_argument("--megabytes", type=float, default=2, help="of Python's documentation and of its library")
    parser.add_argument("--repeats", type=int, default=5, help="turns that ours and the peers take")
    options = parser.parse_args()
    if not (options.gpt2 / "vocab.json").exists():
        sys.exit(f"There is no vocab.json in {options.gpt2}: name a folder with GPT-2's two files, --gpt2 FOLDER.")
    peers = Peers(options.gpt2)
    with tempfile.TemporaryDirectory() as folder:
        if not options.corpus:
            write_corpora(Path(folder), [options.megabytes])
        corpora = options.corpus or [*sorted(Path(folder).iterdir()), *SHARED.glob("text/wagahaiwa*.txt")]
        print(f"{'':<60}{'ours':>9}{'peer':>9}{'ratio':>8}  goal")
        jobs = [lambda path=path: one_text(peers, path) for path in corpora]  # type: ignore[misc]
        for job in [
            *jobs,
            lambda: short_calls(peers),
            lambda: no_spaces(peers, corpora[-1 if len(corpora) < 2 else 1]),
        ]:
            turns = [list(job()) for _ in range(options.repeats)]
            for rows in zip(*turns, strict=True):
                middle = sorted(rows, key=lambda row: row.ours)[len(rows) // 2]
                print(middle.line(statistics.median(row.ours / row.peer for row in rows)), flush=True)


if __name__ == "__main__":
    main()
