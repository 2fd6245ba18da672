"""Asks transformers 4.26.1, and stores its answers in `logits_process.json`.

make parity; .venv/bin/python -m tests.parity.make_logits_process
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.parity.logits_process_cases import recorded_cases
from tests.parity.make_t5 import short
from tests.parity.t5_original import Original
from tokenlab.storage import files

STORED = Path(__file__).with_name("logits_process.json")
ANSWERS = Path(__file__).with_name("logits_process_answers.py")

if __name__ == "__main__":
    with Original(ANSWERS) as original:
        answers = {name: short(original.ask(json.dumps(case))) for name, case in recorded_cases().items()}
    files.write_atomically(STORED, json.dumps(answers, separators=(",", ":")) + "\n")
