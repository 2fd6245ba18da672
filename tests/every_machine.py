"""Print results that must not depend on the machine; `tests/unit/test_every_machine.py` runs it with many settings.

`python -m tests.every_machine` prints what the kit computes without PyTorch, `--recordings` all recordings as pages.
With the variable LISTING=reversed, the names in a folder come in another order, as in another file system.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any


class ReversedScan:
    """An `os.scandir` that yields the entries in the reverse order of their names."""

    def __init__(self, path: Any = ".", scandir: Callable[..., Any] = os.scandir) -> None:
        with scandir(path) as found:
            self.entries = iter(sorted(found, key=lambda entry: str(entry.name), reverse=True))

    def __iter__(self) -> Iterator[os.DirEntry[str]]:
        return self.entries

    def __next__(self) -> os.DirEntry[str]:
        return next(self.entries)

    def __enter__(self) -> ReversedScan:
        return self

    def __exit__(self, *error: object) -> None:
        """Nothing is open."""

    close = __exit__


def reversed_listdir(path: Any = ".", listdir: Callable[..., Any] = os.listdir) -> list[Any]:
    """Return the names in the reverse of their order."""
    return sorted(listdir(path), reverse=True)


def results(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each result that needs no PyTorch; files are written to the folder."""
    from tokenlab import data
    from tokenlab.__main__ import main as command
    from tokenlab.algorithms.bpe import train, train_indexed
    from tokenlab.algorithms.text.count_words import count_words_in_files
    from tokenlab.algorithms.unigram.train_arrays import train_arrays
    from tokenlab.algorithms.wordpiece import train_indexed as wordpiece
    from tokenlab.libraries.sentencepiece import SentencePieceTrainer
    from tokenlab.libraries.tensor2tensor.text_encoder import SubwordTextEncoder
    from tokenlab.libraries.tokenizers.implementations import BertWordPieceTokenizer
    from tokenlab.libraries.tokenizers.trainers.train_unigram import train_huggingface
    from tokenlab.libraries.transformers import AutoTokenizer
    from tokenlab.storage import files

    yield "words of all corpora", repr(count_words_in_files(str(data.FOLDER / "*.txt")))
    words = count_words_in_files(data.path("english"))
    for learn in (train_indexed.train_indexed, wordpiece.train_indexed):
        yield f"{learn.__module__} of English", repr(learn(words, 400))
    texts = {"".join(word): count for word, count in words.items()}
    for learn in (train_arrays, train_huggingface):
        yield f"{learn.__module__} of English", repr(learn(texts, 400))
    encoder = SubwordTextEncoder.build_from_generator([data.text("mixed")], 400)
    yield "SubwordTextEncoder", repr(encoder.all_subtoken_strings)
    for kind in ("unigram", "bpe"):
        model = io.BytesIO()
        lines = iter(data.text("german").splitlines())
        SentencePieceTrainer.train(sentence_iterator=lines, model_writer=model, vocab_size=300, model_type=kind)
        yield f"SentencePiece, {kind}", repr(model.getvalue())
    tokenizer = BertWordPieceTokenizer()
    tokenizer.train([str(data.path("german"))], vocab_size=200)
    tokenizer.save(str(folder / "tokenizer.json"))
    yield "tokenizer.json", files.read_text(folder / "tokenizer.json")
    AutoTokenizer.from_pretrained(data.t5_tiny(), use_fast=False).save_pretrained(folder / "slow")
    yield "folder of a tokenizer", "".join(map(files.read_text, sorted((folder / "slow").glob("*.json"))))
    train.train.record({"straße": 3, "日本": 2}, 9).save(folder / "page.html")
    yield "page", files.read_text(folder / "page.html")
    with redirect_stdout(io.StringIO()) as out:
        command(["why", "--tokenizer", str(data.FOLDER / "small.tiktoken"), "--text", "straße 日本", "--json"])
    yield "why", out.getvalue()


def recordings(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield each recording of a function with a view, and each with a question, as a page."""
    from tests.question_recordings import question_recordings

    for number, recording in enumerate(question_recordings(folder)):
        recording.save(folder / "page.html")
        yield f"{number}: {recording.function}", (folder / "page.html").read_text(encoding="utf-8") + str(recording)


def main(arguments: list[str]) -> None:
    """Print a digest of each result as JSON."""
    if os.environ.get("LISTING") == "reversed":
        os.listdir, os.scandir = reversed_listdir, ReversedScan  # type: ignore[assignment]
    found = recordings if "--recordings" in arguments else results
    with tempfile.TemporaryDirectory() as folder:
        texts = {name: text.replace(folder, "FOLDER") for name, text in found(Path(folder))}
    print(json.dumps({name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}))


if __name__ == "__main__":
    main(sys.argv[1:])
