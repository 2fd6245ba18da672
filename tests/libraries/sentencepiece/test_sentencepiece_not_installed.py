"""`tokenlab.libraries.sentencepiece` without sentencepiece: the same results; without protobuf: what to install."""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tokenlab import data
from tokenlab.libraries.sentencepiece import SentencePieceProcessor, SentencePieceTrainer
from tokenlab.libraries.transformers import T5Tokenizer

BLOCKER = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BLOCKED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocker())
"""
PART = f"import json; from {__name__} import results; print(json.dumps(results()))"
TEXTS = ("english", "german", "mixed", "japanese")


def run(blocked: str, program: str) -> str:
    """Run a program in a Python that cannot import the packages `blocked`, and return what it prints."""
    code = f"BLOCKED = {blocked.split()!r}\n{BLOCKER}\n{program}"
    root = str(Path(__file__).parents[3])
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=root,
        env={**os.environ, "PYTHONPATH": root, "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def results() -> dict[str, Any]:
    """Return results of the processor, of a training run and of a tokenizer, as JSON can hold them."""
    model = data.t5_tiny() / "spiece.model"
    processor = SentencePieceProcessor(model_file=str(model))
    found: dict[str, Any] = {}
    for name in TEXTS:
        lines = data.text(name).splitlines()[:40]
        ids = processor.encode(lines)
        found[name] = [ids, processor.decode(ids), processor.encode(lines, out_type=str)]
    for shape in ("serialized_proto", "proto"):
        one = processor.encode("Why so?", out_type=shape)
        found[shape] = (one if isinstance(one, bytes) else one.SerializeToString()).hex()
    found["nbest"] = str(processor.nbest_encode("the cats", nbest_size=3, out_type="proto"))
    found["model"] = hashlib.sha256(processor.serialized_model_proto()).hexdigest()
    trained = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(data.text("english").splitlines()[:100]),
        model_writer=trained,
        model_type="bpe",
        vocab_size=200,
        normalization_rule_name="identity",
        user_defined_symbols=["<sep>"],
    )
    found["trained"] = trained.getvalue().hex()
    tokenizer = T5Tokenizer.from_pretrained(data.t5_tiny())
    found["t5"] = [tokenizer("the cat sees the dog")["input_ids"], tokenizer.decode([5, 6, 7, 1])]
    return found


def test_the_results_without_the_library_are_those_with_it() -> None:
    assert json.loads(run("sentencepiece", PART)) == json.loads(json.dumps(results()))


def test_a_named_table_without_the_library_says_what_to_install() -> None:
    program = """
from tokenlab.libraries.sentencepiece import SentencePieceNormalizer
print(SentencePieceNormalizer(rule_name="identity").normalize("a b"))
try:
    SentencePieceNormalizer(rule_name="nfkc")
except ImportError as error:
    print(error)
"""
    plain, sentence = run("sentencepiece", program).splitlines()
    assert plain == "▁a▁b"
    assert "table 'nfkc' is read from sentencepiece, which is not installed" in sentence
    assert "pip install sentencepiece" in sentence


@pytest.mark.slow
@pytest.mark.parametrize("blocked", ["google", "google sentencepiece"])
def test_without_protobuf_the_error_says_what_to_install(blocked: str) -> None:
    program = """
from tokenlab import data
from tokenlab.libraries.sentencepiece import SentencePieceProcessor
from tokenlab.libraries.transformers import T5Tokenizer
for load in (lambda folder: SentencePieceProcessor(str(folder / "spiece.model")), T5Tokenizer.from_pretrained):
    try:
        load(data.t5_tiny())
    except ImportError as error:
        print(error)
"""
    lines = run(blocked, program).splitlines()
    assert len(lines) == 2
    assert all("protobuf is not installed; install it with: pip install protobuf" in line for line in lines)
