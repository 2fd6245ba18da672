"""Asks a current transformers, and stores its answers in `decoder.json`; tests/minimal/test_decoder.py compares.

make parity; .venv/bin/python -m tests.parity.make_decoder
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.parity.t5_original import Original
from tokenlab.storage import files

PROGRAM = Path(__file__).with_name("decoder_answers.py")
STORED = Path(__file__).with_name("decoder.json")
SEEDS = range(16)


def _short(value: Any) -> Any:
    if isinstance(value, list):
        return [_short(each) for each in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


if __name__ == "__main__":
    with Original(PROGRAM, current=True) as original:
        answers = {str(seed): original.ask(str(seed)) for seed in SEEDS}
    short = {seed: {**answer, "logits": _short(answer["logits"])} for seed, answer in answers.items()}
    files.write_atomically(STORED, json.dumps(short, separators=(",", ":")) + "\n")
