"""Makes t5_groups.json: what transformers 4.26.1 writes with groups of beams, and with words forbidden or demanded.

    .parity/bin/python data/make_t5_groups.py > data/t5_groups.json      # after make parity

Lesson 19 compares with it, since the library of that version cannot be installed beside the lessons. It imports nothing
of tokenlab; model and texts are those of the lesson. The same releases give the same file.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from transformers import T5ForConditionalGeneration, T5Tokenizer

FOLDER = Path(__file__).parent / "t5-tiny"
GERMAN = "translate English to German: My friend will draw the flower this evening."
CHINESE = "translate English to Chinese: The teacher has a cat."
REPEATING = "translate English to German: They are opening the doors."


def main() -> None:
    """Ask the library, and print what it says."""
    tokenizer = T5Tokenizer.from_pretrained(FOLDER)
    model = T5ForConditionalGeneration.from_pretrained(FOLDER).eval()

    def ids_of(word: str) -> list[int]:
        ids: list[int] = tokenizer(word, add_special_tokens=False).input_ids
        return ids

    spellings = [ids_of("老师"), [tokenizer.convert_tokens_to_ids("老师")]]
    one_of = [ids_of("zeichnen"), ids_of("malt")]
    calls: tuple[tuple[str, dict[str, Any]], ...] = (
        (GERMAN, {"num_beams": 4, "num_beam_groups": 4, "diversity_penalty": 1.0}),
        (GERMAN, {"num_beams": 6, "num_beam_groups": 3, "diversity_penalty": 1.5, "length_penalty": 0.5}),
        (CHINESE, {"num_beams": 4, "bad_words_ids": spellings[:1]}),
        (CHINESE, {"num_beams": 4, "bad_words_ids": spellings}),
        (REPEATING, {"num_beams": 2, "no_repeat_ngram_size": 2}),
        (GERMAN, {"num_beams": 4, "force_words_ids": [ids_of("Mein Freund")]}),
        (GERMAN, {"num_beams": 4, "force_words_ids": [ids_of("Freund"), one_of]}),
        (GERMAN, {"num_beams": 4, "force_words_ids": [ids_of("Katze"), ids_of("Meine")]}),
    )
    found = []
    for text, settings in calls:
        settings |= {"num_return_sequences": settings["num_beams"], "max_length": 20}
        ids = tokenizer(text, return_tensors="pt").input_ids
        answer = model.generate(ids, return_dict_in_generate=True, output_scores=True, **settings)
        scores = [float(f"{score:.5g}") for score in answer.sequences_scores.tolist()]
        found.append({"text": text, "settings": settings, "sequences": answer.sequences.tolist(), "scores": scores})
    print(json.dumps(found, ensure_ascii=False, separators=(",", ":")))


if __name__ == "__main__":
    main()
