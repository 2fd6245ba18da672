"""Asks transformers 4.26.1, and stores its answers in `t5.json`, which test_t5_recorded.py compares with.

make parity; .venv/bin/python -m tests.parity.make_t5
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.parity.t5_cases import recorded_cases
from tests.parity.t5_original import Original
from tokenlab.storage import files

STORED = Path(__file__).with_name("t5.json")


def short(value: Any) -> Any:
    """Seven digits are what float32 has."""
    if isinstance(value, dict):
        return {name: short(each) for name, each in value.items()}
    if isinstance(value, list):
        return [short(each) for each in value]
    return float(f"{value:.7g}") if isinstance(value, float) else value


if __name__ == "__main__":
    with Original() as original:
        answers = {name: short(original.ask(json.dumps(case))) for name, case in recorded_cases().items()}
    files.write_atomically(STORED, json.dumps(answers, separators=(",", ":")) + "\n")
