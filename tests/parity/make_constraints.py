"""Asks transformers 4.26.1, mended, and stores its answers in `constraints.json`, which a recorded test compares with.

make parity; .venv/bin/python -m tests.parity.make_constraints
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.parity import constraint_answers
from tests.parity.constraint_cases import KINDS, any_case
from tests.parity.t5_original import Original
from tokenlab.storage import files

STORED = Path(__file__).with_name("constraints.json")
SEEDS = range(1000, 1006)

if __name__ == "__main__":
    with Original(Path(constraint_answers.__file__), "mended") as original:
        recorded = {
            f"{kind} {seed}": original.ask(json.dumps(any_case(kind, seed))) for kind in KINDS for seed in SEEDS
        }
    files.write_atomically(STORED, json.dumps(recorded, separators=(",", ":")) + "\n")
