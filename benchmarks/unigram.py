"""Unigram compared with tokenizers and sentencepiece in one interleaved run: training, and encoding with the result.

    .venv/bin/python benchmarks/unigram.py              # Python's documentation, 1 MB, 8,000 pieces
    .venv/bin/python benchmarks/unigram.py --corpus novel.txt --vocab-size 1000 --repeats 5

Four lines in five are trained on, the fifth is held out: pieces a word say how good a vocabulary is. Every trainer runs
in a separate process, so that its peak memory is separate; seconds are CPU seconds, and the median counts. Encoding is
timed with our vocabulary in all three, in one thread, cold. Nothing here fails because it is slow.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["TOKENIZERS_PARALLELISM"] = "false"  # before tokenizers is imported: its one thread without a pool
os.environ["RAYON_NUM_THREADS"] = "1"

from corpora import write_corpora

Scores = dict[str, float]
SPECIAL = 3  # <unk>, <s> and </s>, which sentencepiece counts as part of the size


def lines_of(path: Path) -> list[str]:
    """Return lines that no library's normalization changes: NFKC with single spaces."""
    text = unicodedata.normalize("NFKC", path.read_text(encoding="utf-8"))
    return [line for line in (" ".join(line.split()) for line in text.split("\n")) if line and "▁" not in line]


def train_ours(lines: list[str], size: int) -> Scores:
    from tokenlab.algorithms.unigram.train_arrays import train_arrays

    return train_arrays(Counter(f"▁{word}" for line in lines for word in line.split()), size)


def train_tokenizers(lines: list[str], size: int) -> Scores:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    special: dict[str, Any] = {"unk_token": "<unk>", "special_tokens": ["<unk>"]}
    trainer = trainers.UnigramTrainer(vocab_size=size + 1, show_progress=False, **special)
    tokenizer.train_from_iterator(lines, trainer)
    return dict(json.loads(tokenizer.to_str())["model"]["vocab"][1:])


def train_sentencepiece(lines: list[str], size: int) -> Scores:
    import sentencepiece

    model = io.BytesIO()
    # Words are not split in sentencepiece either: splits between scripts and at digits would shorten its pieces.
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, vocab_size=size + SPECIAL, model_type="unigram",
        character_coverage=1.0, normalization_rule_name="identity", num_threads=1, minloglevel=2,
        split_by_unicode_script=False, split_by_number=False, max_sentence_length=10**6,
    )  # fmt: skip
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    return {processor.id_to_piece(id): processor.get_score(id) for id in range(SPECIAL, processor.get_piece_size())}


TRAINERS = {"ours": train_ours, "tokenizers": train_tokenizers, "sentencepiece": train_sentencepiece}


def train_here(name: str, path: Path, size: int, out: Path) -> None:
    """Train in this process, and write the scores, the CPU seconds and the peak memory."""
    lines = [line for number, line in enumerate(lines_of(path)) if number % 5]
    before = time.process_time()
    scores = TRAINERS[name](lines, size)
    seconds = time.process_time() - before
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    out.write_text(json.dumps([scores, seconds, megabytes]), encoding="utf-8")


def train_there(name: str, path: Path, size: int, folder: Path) -> tuple[Scores, float, float]:
    out = folder / "scores.json"
    command = [sys.executable, __file__, "--corpus", str(path), "--vocab-size", str(size), "--train", name]
    subprocess.run([*command, "--out", str(out)], check=True)
    scores, seconds, megabytes = json.loads(out.read_text(encoding="utf-8"))
    return scores, seconds, megabytes


def pieces_a_word(scores: Scores, path: Path) -> float:
    from tokenlab.algorithms.unigram.encode import UnigramEncoder

    held_out = [line for number, line in enumerate(lines_of(path)) if number % 5 == 0]
    encoder = UnigramEncoder(scores)
    return sum(len(encoder.encode(line)) for line in held_out) / sum(len(line.split()) for line in held_out)


def training(path: Path, size: int, repeats: int, folder: Path) -> Scores:
    """Print how long training takes, how much memory, and how good its vocabulary is; ours comes back."""
    print(f"{path.stem}, {path.stat().st_size / 1e6:.1f} MB, {size} pieces")
    print(f"{'training':<16}{'seconds':>9}{'ours / it':>11}{'peak MB':>9}{'pieces a word, held out':>25}")
    turns = [{name: train_there(name, path, size, folder) for name in TRAINERS} for _ in range(repeats)]
    for name in TRAINERS:
        scores, _, megabytes = turns[0][name]
        seconds = statistics.median(turn[name][1] for turn in turns)
        ratio = statistics.median(turn["ours"][1] / turn[name][1] for turn in turns)
        print(
            f"{name:<16}{seconds:>9.2f}{ratio:>11.2f}{megabytes:>9.0f}{pieces_a_word(scores, path):>25.4f}", flush=True
        )
    return turns[0]["ours"][0]


def encoders(scores: Scores, lines: list[str]) -> dict[str, Callable[[], Callable[[], Any]]]:
    """For each library, what makes a fresh tokenizer, and from it the call that is timed."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    from tokenlab.algorithms.unigram.encode import UnigramEncoder

    def ours() -> Callable[[], Any]:
        encoder = UnigramEncoder(scores)
        return lambda: [encoder.encode(line) for line in lines]

    def theirs() -> Callable[[], Any]:
        tokenizer = Tokenizer(models.Unigram([("<unk>", 0.0), *scores.items()], 0))
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        return lambda: tokenizer.encode_batch_fast(lines)

    def pieces() -> Callable[[], Any]:
        import sentencepiece
        from sentencepiece import sentencepiece_model_pb2

        model = sentencepiece_model_pb2.ModelProto()
        model.pieces.add(piece="<unk>", score=0.0, type=2)
        for piece, score in scores.items():
            model.pieces.add(piece=piece, score=score)
        model.trainer_spec.model_type = 1
        model.normalizer_spec.name = "identity"
        processor = sentencepiece.SentencePieceProcessor(model_proto=model.SerializeToString())
        return lambda: processor.encode(lines, out_type=str, num_threads=1)

    return {"ours": ours, "tokenizers": theirs, "sentencepiece": pieces}


def encoding(scores: Scores, path: Path, repeats: int) -> None:
    lines = lines_of(path)
    megabytes = sum(len(line.encode()) for line in lines) / 1e6
    made = encoders(scores, lines)
    print(f"{'encoding':<16}{'MB/s':>9}{'ours / it':>11}")
    turns = [{name: _seconds(make()) for name, make in made.items()} for _ in range(repeats)]
    for name in made:
        seconds = statistics.median(turn[name] for turn in turns)
        ratio = statistics.median(turn[name] / turn["ours"] for turn in turns)
        print(f"{name:<16}{megabytes / seconds:>9.2f}{ratio:>11.2f}", flush=True)


def _seconds(call: Callable[[], Any]) -> float:
    before = time.process_time()
    call()
    return time.process_time() - before


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, action="append", help="a UTF-8 file; may be given more than once")
    parser.add_argument("--megabytes", type=float, default=1, help="of Python's documentation")
    parser.add_argument("--vocab-size", type=int, default=8000)
    parser.add_argument("--repeats", type=int, default=3, help="turns that ours and the peers take")
    parser.add_argument("--train", choices=TRAINERS, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.train:
        return train_here(options.train, options.corpus[0], options.vocab_size, options.out)
    with tempfile.TemporaryDirectory() as folder:
        if not options.corpus:
            write_corpora(Path(folder), [options.megabytes])
        for path in options.corpus or sorted(Path(folder).glob("prose*")):
            scores = training(path, options.vocab_size, options.repeats, Path(folder))
            encoding(scores, path, options.repeats)


if __name__ == "__main__":
    main()
