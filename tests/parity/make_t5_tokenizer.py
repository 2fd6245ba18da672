"""Asks the slow T5 tokenizer of transformers 4.26.1, and stores its answers in `t5_tokenizer.json`.

.venv/bin/python tests/parity/make_t5_tokenizer.py PYTHON            # a python that has transformers 4.26.1
.venv/bin/python tests/parity/make_t5_tokenizer.py PYTHON 20000      # compare that many random answers with ours
"""

from __future__ import annotations

import hashlib
import io
import json
import logging
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[2]))

from tests.parity import t5_tokenizer_cases as cases
from tokenlab import data
from tokenlab.libraries.sentencepiece import SentencePieceTrainer
from tokenlab.libraries.transformers.models.t5.tokenization_t5 import T5Tokenizer
from tokenlab.libraries.transformers.tokenization.special_tokens_mixin import AddedToken
from tokenlab.storage import files

STORED = Path(__file__).with_name("t5_tokenizer.json")
RANDOM = 500  # questions that are stored


def questions(count: int, seed: int) -> list[Any]:
    """The fixed questions and random ones."""
    draw = random.Random(seed)
    return [*cases.FIXED, *(cases.question(draw) for _ in range(count))]


def train(path: Path) -> Path:
    """A small model with T5's ids of pad, end and unknown."""
    model = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(data.text("english").splitlines()[:400]),
        model_writer=model,
        vocab_size=300,
        model_type="bpe",
        pad_id=0,
        eos_id=1,
        unk_id=2,
        bos_id=-1,
    )
    path.write_bytes(model.getvalue())
    return path


def library(python: str, model: Path, asked: list[Any]) -> list[Any]:
    """What the library answers, in a process of its own."""
    command = [python, cases.__file__, str(model)]
    told = subprocess.run(command, input=json.dumps(asked), capture_output=True, encoding="utf-8", check=True).stdout
    found = json.loads(told)
    if found["version"] != "4.26.1":
        raise SystemExit(f"{python} has transformers {found['version']}; the reference is 4.26.1")
    return list(found["answers"])


def ours(model: Path, asked: list[Any]) -> list[Any]:
    """What we answer."""
    log = logging.getLogger("tokenlab.libraries.transformers")
    level = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        return cases.answers(T5Tokenizer, AddedToken, str(model), asked)
    finally:
        log.setLevel(level)


def short(answer: Any) -> Any:
    """An answer that is worth reading, or the hash of a long one."""
    text = json.dumps(answer)
    return answer if len(text) < 300 else "sha256 " + hashlib.sha256(text.encode()).hexdigest()


def main(python: str, count: str = "") -> None:
    """Store, or compare."""
    with tempfile.TemporaryDirectory() as folder:
        model = train(Path(folder) / "spiece.model")
        asked = questions(int(count or RANDOM), seed=len(count))
        theirs = library(python, model, asked)
        if not count:
            lines = ",\n".join(json.dumps(short(answer)) for answer in theirs)
            files.write_atomically(STORED, f"[\n{lines}\n]\n")
            return
        mine = ours(model, asked)
    different = [(q, a, b) for q, a, b in zip([*asked, "files"], theirs, mine, strict=True) if a != b]
    for question, their, my in different[:12]:
        print(f"{question}\n  library {their!r:.1500}\n  ours    {my!r:.1500}")
    refused = sum(isinstance(answer, dict) and "error" in answer for answer in theirs)
    print(f"{len(theirs)} answers, {len(different)} different; {refused} refusals")


if __name__ == "__main__":
    main(*sys.argv[1:])
