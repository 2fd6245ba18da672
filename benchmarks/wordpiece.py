"""WordPiece compared with tokenizers in one interleaved run; ratios are reported.

    .venv/bin/python benchmarks/wordpiece.py
    .venv/bin/python benchmarks/wordpiece.py --corpus novel.txt --repeats 7

Training counts words and learns; by count is what tokenizers' WordPieceTrainer does, by score is the rule of the
course, for which there is no trainer in a library. Encoding is cold, the first pass of a fresh model over a text. Both
cut text at white space and punctuation before. CPU seconds of one thread; ours and the peer take turns, and the median
of the ratios counts. The pieces are checked to be the same. Nothing here fails because it is slow.
"""

from __future__ import annotations

import argparse
import gc
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

os.environ["TOKENIZERS_PARALLELISM"] = "false"  # before tokenizers is imported: its one thread without a pool

from corpora import write_corpora
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from tokenlab.algorithms.text.count_words import count_words_in_files
from tokenlab.algorithms.wordpiece.encode_cached import WordPieceEncoder
from tokenlab.algorithms.wordpiece.train_by_frequency import train_by_frequency
from tokenlab.algorithms.wordpiece.train_indexed import train_indexed

SHARED = Path(__file__).parents[2] / "shared" / "data"
UNKNOWN = "[UNK]"
CUT = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation()])


class Row(NamedTuple):
    name: str
    ours: float  # seconds, or a throughput in MB/s
    peer: float
    goal: str


def seconds(call: Callable[..., Any], *args: Any) -> float:
    gc.collect()
    start = time.process_time()
    call(*args)
    return time.process_time() - start


def learn(path: Path, training: Any, vocab_size: int) -> Any:
    return training(count_words_in_files(path, split="bert"), vocab_size, special_tokens=[UNKNOWN])


def their_learn(path: Path, vocab_size: int) -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(unk_token=UNKNOWN))
    tokenizer.pre_tokenizer = CUT
    options = {"special_tokens": [UNKNOWN], "show_progress": False}
    tokenizer.train([str(path)], trainers.WordPieceTrainer(vocab_size=vocab_size, **options))
    return tokenizer


def training(path: Path, vocab_size: int) -> Iterator[Row]:
    peer = seconds(their_learn, path, vocab_size)
    name = f"{path.stem[:20]} {path.stat().st_size / 1e6:.1f} MB, train {vocab_size}, s:"
    for about, ours in ("by count", train_by_frequency), ("by score", train_indexed):
        yield Row(f"{name} {about}", seconds(learn, path, ours, vocab_size), peer, "<=3")


def encoding(path: Path, vocabulary: list[str]) -> Iterator[Row]:
    text = path.read_bytes().decode()
    megabytes, lines = len(text.encode()) / 1e6, text.splitlines()
    ours = WordPieceEncoder(vocabulary, split="bert")
    theirs = Tokenizer(models.WordPiece({piece: id for id, piece in enumerate(vocabulary)}, unk_token=UNKNOWN))
    theirs.pre_tokenizer = CUT
    mine, fast = seconds(ours.encode, text), seconds(theirs.encode_batch_fast, lines)
    name = f"{path.stem[:20]} {megabytes:.1f} MB, encode, MB/s:"
    yield Row(f"{name} cold / batch_fast", megabytes / mine, megabytes / fast, ">=1.7")
    yield Row(f"{name} warm / batch_fast", megabytes / seconds(ours.encode, text), megabytes / fast, "")
    assert ours.encode(text) == [token for found in theirs.encode_batch(lines) for token in found.tokens]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, action="append", help="a UTF-8 file; may be given more than once")
    parser.add_argument("--vocab-size", type=int, default=8000)
    parser.add_argument("--repeats", type=int, default=5, help="turns that ours and the peer take")
    options = parser.parse_args()
    print(f"{'':<60}{'ours':>9}{'peer':>9}{'ratio':>8}  goal")
    with tempfile.TemporaryDirectory() as folder:
        if not options.corpus:
            write_corpora(Path(folder), [1])
        for path in options.corpus or [*sorted(Path(folder).iterdir()), *SHARED.glob("text/wagahaiwa*.txt")]:
            vocabulary = learn(path, train_by_frequency, options.vocab_size)
            for job in (lambda p=path: training(p, options.vocab_size)), (lambda p=path, v=vocabulary: encoding(p, v)):  # type: ignore[misc]
                turns = [list(job()) for _ in range(options.repeats)]
                for rows in zip(*turns, strict=True):
                    ours, peer, ratio = (
                        statistics.median(values)
                        for values in zip(*((row.ours, row.peer, row.ours / row.peer) for row in rows), strict=True)
                    )
                    print(f"{rows[0].name:<60}{ours:>9.2f}{peer:>9.2f}{ratio:>8.2f}  {rows[0].goal}", flush=True)


if __name__ == "__main__":
    main()
