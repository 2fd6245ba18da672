"""Encode with sentencepiece's models, compared with the library in one interleaved run: bpe and unigram.

    .venv/bin/python benchmarks/pieces.py              # Python's documentation, 1 MB, 8,000 pieces
    .venv/bin/python benchmarks/pieces.py --corpus novel.txt --vocab-size 1000 --repeats 5

The library trains both models; then each text is encoded line by line to ids, in one thread. "cold" starts with a
processor that has met no word, "warm" has met all. Every id is compared. Seconds are CPU seconds, and the median
counts. Nothing here fails because it is slow.
"""

from __future__ import annotations

import argparse
import io
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from corpora import write_corpora


def train(lines: list[str], size: int, model_type: str) -> bytes:
    """Train a model of a type with the library."""
    import sentencepiece

    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, vocab_size=size, model_type=model_type, minloglevel=2,
        hard_vocab_limit=False, max_sentence_length=10**6,
    )  # fmt: skip
    return model.getvalue()


def seconds(processor: Any, lines: list[str]) -> tuple[float, list[list[int]]]:
    """Return the seconds for all lines, and their ids."""
    start = time.process_time()
    ids = [processor.encode(line) for line in lines]
    return time.process_time() - start, ids


def measure(model: bytes, lines: list[str], repeats: int) -> dict[str, list[float]]:
    """Return the times of both, measured in turns; the ids have to agree."""
    import sentencepiece

    from tokenlab.libraries import sentencepiece as ours

    times: dict[str, list[float]] = {"library": [], "ours, cold": [], "ours, warm": []}
    live = sentencepiece.SentencePieceProcessor(model_proto=model)
    for _ in range(repeats):
        mine = ours.SentencePieceProcessor(model_proto=model)
        mine.encode("warm the rules, not the words")
        runs = [("library", live), ("ours, cold", mine), ("ours, warm", mine)]
        found = []
        for name, processor in runs:
            taken, ids = seconds(processor, lines)
            times[name].append(taken)
            found.append(ids)
        assert found[0] == found[1] == found[2], "the ids differ"
    return times


def report(name: str, times: dict[str, list[float]], size: int) -> None:
    """Print one line for each, with its throughput and the ratio to the library's."""
    medians = {who: statistics.median(taken) for who, taken in times.items()}
    for who, taken in medians.items():
        share = medians["library"] / taken
        print(f"{name:8} {who:11} {taken:7.3f} s {size / taken / 1e6:7.2f} MB/s {share:6.2f} x the library")


def main() -> None:
    """Train, encode, report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, help="a text file; without it, texts that every machine has")
    parser.add_argument("--vocab-size", type=int, default=8000)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if not arguments.corpus:
            write_corpora(Path(folder), [1])
        for corpus in [arguments.corpus] if arguments.corpus else sorted(Path(folder).iterdir()):
            text = corpus.read_text(encoding="utf-8")
            lines = text.split("\n")
            print(f"{corpus.name}: {len(text.encode()):,} bytes, {len(lines):,} lines, {arguments.vocab_size:,} pieces")
            for model_type in ("bpe", "unigram"):
                model = train(lines, arguments.vocab_size, model_type)
                report(model_type, measure(model, lines, arguments.repeats), len(text.encode()))


if __name__ == "__main__":
    main()
