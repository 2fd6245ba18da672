"""Makes t5_contrastive.json: what transformers 4.26.1 writes with the tiny T5 by contrastive search.

    .parity/bin/python data/make_t5_contrastive.py > data/t5_contrastive.json      # after make parity

Lesson 20 compares with it, since the library of that version cannot be installed beside the lessons. It imports nothing
of tokenlab; model and texts are those of the lesson. The same releases give the same file.
"""

from __future__ import annotations

import json
from pathlib import Path

from transformers import T5ForConditionalGeneration, T5Tokenizer

FOLDER = Path(__file__).parent / "t5-tiny"
TEXTS = (
    "past tense: The man sings of bread and milk of the house.",
    "question: The teacher wants to have a red car of the house.",
    "write a poem: The old woman writes about the big house of the house.",
    "summarize: Two dogs dreams of water because the man is old.",
    "translate English to German: The woman has a small dog.",
    "translate English to Chinese: The woman has a small dog.",
)
SETTINGS = tuple({"penalty_alpha": alpha, "top_k": top_k} for alpha in (0.2, 0.6, 0.9) for top_k in (2, 4, 8))


def main() -> None:
    """Ask the library, and print what it writes."""
    tokenizer = T5Tokenizer.from_pretrained(FOLDER)
    model = T5ForConditionalGeneration.from_pretrained(FOLDER).eval()
    calls = []
    for text in TEXTS:
        ids = tokenizer(text, return_tensors="pt").input_ids
        for settings in SETTINGS:
            written = model.generate(ids, max_length=40, **settings)
            calls.append({"text": text, "settings": settings, "ids": written.tolist()})
    print(json.dumps(calls, ensure_ascii=False, separators=(",", ":")))


if __name__ == "__main__":
    main()
