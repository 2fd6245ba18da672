"""Whole pipelines, compared with the library: make bench ARGS="tokenizer_pipelines".

A GPT-2 pipeline (its vocabulary is read from --gpt2, a folder with vocab.json and merges.txt, or trained) and a BERT
pipeline encode the same text: ids only, and all attributes. Then 10,000 short sentences are encoded in a batch, and BPE
is trained. Both libraries take turns in one process, on one thread, with new tokenizers, whose caches are empty.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"
import tokenizers as live
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.text.byte_symbols import bytes_to_symbols
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.libraries import tokenizers as ours

ROOT = Path(__file__).parents[1]
SPECIAL = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"]
GOALS = {"gpt2, ids": 1.0, "gpt2, all attributes": 0.4, "bert, ids": 1.5, "gpt2, batch": 0.7, "bert, batch": 0.7}


def gpt2(text: str, folder: Path | None) -> Tokenizer:
    """Return GPT-2's pipeline."""
    model = models.BPE()
    if folder is not None:
        model = models.BPE.from_file(str(folder / "vocab.json"), str(folder / "merges.txt"))
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    if folder is None:
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(vocab_size=20_000, show_progress=False, initial_alphabet=alphabet)
        tokenizer.train_from_iterator(text.splitlines(), trainer)
    tokenizer.add_special_tokens(["<|endoftext|>"])
    return tokenizer


def bert(text: str, folder: Path | None) -> Tokenizer:
    """Return BERT's pipeline for lowercase text, with a trained vocabulary."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=8000, show_progress=False, special_tokens=SPECIAL)
    tokenizer.train_from_iterator(text.splitlines(), trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    return tokenizer


def all_attributes(encoding: Any) -> list[Any]:
    return [encoding.ids, encoding.tokens, encoding.offsets, encoding.word_ids, encoding.type_ids]


def seconds(run: Callable[[], Any]) -> float:
    before = time.process_time()
    run()
    return time.process_time() - before


def compare(name: str, make: Callable[[], tuple[Any, Any]], use: Callable[[Any], Any], repeats: int) -> None:
    """Print the median seconds of both, which take turns with new tokenizers, and the ratio."""
    times = []
    for _ in range(repeats):
        theirs, mine = make()  # new ones, so that no word is in a cache
        times.append((seconds(lambda one=theirs: use(one)), seconds(lambda one=mine: use(one))))
    library, tokenlab = (statistics.median(column) for column in zip(*times, strict=True))
    goal = f", goal {GOALS[name]}x" if name in GOALS else ""
    print(f"{name}: library {library:.3f} s, tokenlab {tokenlab:.3f} s, {library / tokenlab:.2f}x{goal}")


def compare_training(text: str, repeats: int) -> None:
    """Print the seconds of `train_from_iterator` in both libraries, and of `train_indexed` on the same words."""
    times = []
    for _ in range(repeats):
        untrained = []
        for library in (live, ours):
            tokenizer = library.Tokenizer(library.models.BPE())
            tokenizer.pre_tokenizer = library.pre_tokenizers.ByteLevel(add_prefix_space=False)
            trainer = library.trainers.BpeTrainer(vocab_size=5000, show_progress=False)
            untrained.append(partial(tokenizer.train_from_iterator, text.splitlines(keepends=True), trainer))
        times.append((*map(seconds, untrained), seconds(partial(train_words, text))))
    library, tokenlab, algorithm = (statistics.median(column) for column in zip(*times, strict=True))
    print(
        f"training, 5000 tokens: library {library:.3f} s, tokenlab {tokenlab:.3f} s, {library / tokenlab:.2f}x; "
        f"train_indexed {algorithm:.3f} s, {algorithm / tokenlab:.2f}x, goal 1.0x"
    )


def train_words(text: str) -> None:
    """Count words and train, as `benchmarks/train.py` does."""
    counts = count_words(text.splitlines(keepends=True), split="gpt2")
    symbols = {bytes_to_symbols("".join(word).encode()): count for word, count in counts.items()}
    train_indexed(symbols, 5000, "lowest_id")


def main() -> None:
    """Compare both pipelines, then training."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", type=Path, default=ROOT / "data" / "english.txt", help="repeated if it is short")
    parser.add_argument("--gpt2", type=Path, help="a folder with vocab.json and merges.txt")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    source = options.text.read_text(encoding="utf-8")
    text = (source * (300_000 // len(source) + 1))[:300_000]
    sentences = [line for line in text.splitlines() if line.strip()]
    sentences = (sentences * (10_000 // len(sentences) + 1))[:10_000]
    for name, build in (("gpt2", gpt2), ("bert", bert)):
        saved = build(text, options.gpt2).to_str()

        def make(saved: str = saved) -> tuple[Any, Any]:
            return Tokenizer.from_str(saved), ours.Tokenizer.from_str(saved)

        theirs, mine = make()
        assert all_attributes(mine.encode(text)) == all_attributes(theirs.encode(text))
        run = options.repeats
        compare(f"{name}, ids", make, lambda one: one.encode(text).ids, run)
        compare(f"{name}, all attributes", make, lambda one: all_attributes(one.encode(text)), run)
        compare(f"{name}, batch", make, lambda one: [each.ids for each in one.encode_batch(sentences)], run)
        compare(
            f"{name}, batch, all attributes",
            make,
            lambda one: [all_attributes(each) for each in one.encode_batch(sentences)],
            run,
        )
    compare_training(text, options.repeats)


if __name__ == "__main__":
    main()
