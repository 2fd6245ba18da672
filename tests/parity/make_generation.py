"""Asks transformers 4.26.1, and stores its answers in `generation.json`; test_generation_recorded.py compares.

make parity; .venv/bin/python -m tests.parity.make_generation
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.parity import generation_answers
from tests.parity.generation_cases import MODES, any_call
from tests.parity.t5_original import Original
from tokenlab.storage import files

STORED = Path(__file__).with_name("generation.json")
SEEDS = range(1000, 1006)
KEPT = ("sequences", "sequences_scores", "beam_indices", "transitions", "next draw")


def kept(answers: dict[str, Any]) -> dict[str, Any]:
    """What is small: the outputs, their scores, and where chance stands."""
    return {name: _short(answers[name]) for name in KEPT if name in answers}


def _short(value: Any) -> Any:
    if isinstance(value, list):
        return [_short(each) for each in value]
    return float(f"{value:.7g}") if isinstance(value, float) else value


if __name__ == "__main__":
    with Original(Path(generation_answers.__file__)) as original:
        recorded = {
            f"{mode} {seed}": kept(original.ask(json.dumps(any_call(mode, seed)))) for mode in MODES for seed in SEEDS
        }
    files.write_atomically(STORED, json.dumps(recorded, separators=(",", ":")) + "\n")
