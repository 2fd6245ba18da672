"""Whole pipelines, compared with the library: make bench ARGS="tokenizer_pipelines".

A GPT-2 pipeline (its vocabulary is read from --gpt2, a folder with vocab.json and merges.txt, or trained) and a BERT
pipeline encode the same text: ids only, and all attributes. Then 10,000 short sentences are encoded in a batch. Both
libraries take turns in one process, on one thread.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from tokenlab import tokenizers as ours

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


def compare(name: str, theirs: Callable[[], Any], mine: Callable[[], Any], repeats: int) -> None:
    """Print the median seconds of both, which take turns, and the ratio."""
    pairs = [(seconds(theirs), seconds(mine)) for _ in range(repeats)]
    library, tokenlab = (statistics.median(times) for times in zip(*pairs, strict=True))
    goal = f", goal {GOALS[name]}x" if name in GOALS else ""
    print(f"{name}: library {library:.3f} s, tokenlab {tokenlab:.3f} s, {library / tokenlab:.2f}x{goal}")


def main() -> None:
    """Compare both pipelines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", type=Path, default=ROOT / "data" / "english.txt")
    parser.add_argument("--gpt2", type=Path, help="a folder with vocab.json and merges.txt")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    source = options.text.read_text(encoding="utf-8")
    text = (source * (300_000 // len(source) + 1))[:300_000]
    sentences = [line for line in text.splitlines() if line.strip()]
    sentences = (sentences * (10_000 // len(sentences) + 1))[:10_000]
    for name, build in (("gpt2", gpt2), ("bert", bert)):
        theirs = build(text, options.gpt2)
        mine = ours.Tokenizer.from_str(theirs.to_str())
        assert all_attributes(mine.encode(text)) == all_attributes(theirs.encode(text))
        run = options.repeats
        compare(f"{name}, ids", lambda t=theirs: t.encode(text).ids, lambda m=mine: m.encode(text).ids, run)
        compare(
            f"{name}, all attributes",
            lambda t=theirs: all_attributes(t.encode(text)),
            lambda m=mine: all_attributes(m.encode(text)),
            run,
        )
        compare(
            f"{name}, batch",
            lambda t=theirs: [one.ids for one in t.encode_batch(sentences)],
            lambda m=mine: [one.ids for one in m.encode_batch(sentences)],
            run,
        )


if __name__ == "__main__":
    main()
