"""Makes t5_beams.json: what transformers 4.26.1 answers with beams to a few texts, and with which scores.

    .parity/bin/python data/make_t5_beams.py > data/t5_beams.json      # after make parity

Lesson 18 compares with it, since the library of that version cannot be installed beside the lessons. It imports nothing
of tokenlab; model and texts are those of the lesson. The same releases give the same file.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from transformers import T5ForConditionalGeneration, T5Tokenizer

FOLDER = Path(__file__).parent / "t5-tiny"
TEXTS = (
    "translate English to German: They drew the horse.",
    "translate English to German: I will draw three houses tomorrow.",
    "translate English to German: My father gave Anna three flowers.",
    "You gave <extra_id_0> three books.",
)
SETTINGS: tuple[dict[str, Any], ...] = (
    {"num_beams": 2},
    {"num_beams": 4, "num_return_sequences": 4},
    {"num_beams": 4, "num_return_sequences": 2, "length_penalty": 0.0},
    {"num_beams": 4, "length_penalty": -1.0},
    {"num_beams": 4, "early_stopping": True},
    {"num_beams": 8, "num_return_sequences": 8, "repetition_penalty": 1.5},
)


def main() -> None:
    """Ask the library, and print what it says."""
    tokenizer = T5Tokenizer.from_pretrained(FOLDER)
    model = T5ForConditionalGeneration.from_pretrained(FOLDER).eval()
    calls = []
    for text in TEXTS:
        ids = tokenizer(text, return_tensors="pt").input_ids
        for settings in SETTINGS:
            output = model.generate(ids, max_length=40, output_scores=True, return_dict_in_generate=True, **settings)
            scores = [float(f"{score:.5g}") for score in output.sequences_scores.tolist()]
            calls.append({"text": text, "settings": settings, "ids": output.sequences.tolist(), "scores": scores})
    print(json.dumps(calls, ensure_ascii=False, separators=(",", ":")))


if __name__ == "__main__":
    main()
