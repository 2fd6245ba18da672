"""Makes t5_pretraining.json: what transformers 4.26.1 makes of texts for the tiny T5, and T5's own expected lengths.

    .parity/bin/python data/make_t5_pretraining.py > data/t5_pretraining.json      # after make parity and make t5-tiny

Lesson 16 compares with it, since the library of that version cannot be installed beside the lessons. It imports nothing
of tokenlab. The same vocabulary gives the same file.
"""

from __future__ import annotations

import json
from pathlib import Path

import torch
from transformers import T5Config, T5ForConditionalGeneration, T5Tokenizer

FOLDER = Path(__file__).with_name("t5-tiny")
TEXTS = (
    "He has a dog.",
    "translate English to German: The boy has a dog.",
    "The boy <extra_id_0> a big <extra_id_1> yesterday.",
    "<extra_id_0> washed <extra_id_1> dog <extra_id_2>",
    "那个男孩有一只狗。",
    "",
)
# From preprocessors_test.py of text-to-text-transfer-transformer: an input's length, noise, mean span; text and target.
LENGTHS = [[512, 0.15, 3.0, 568, 114], [64, 0.2, 2.0, 70, 22], [64, 0.2, 1.0, 63, 27]]


def main() -> None:
    """Ask the tokenizer and the model, and print."""
    tokenizer = T5Tokenizer.from_pretrained(FOLDER)
    model = T5ForConditionalGeneration(
        T5Config(len(tokenizer), 4, 2, 4, 1, num_heads=1, decoder_start_token_id=tokenizer.pad_token_id)
    )
    ids = [tokenizer(text)["input_ids"] for text in TEXTS]
    longest = max(map(len, ids))
    labels = [row + [-100] * (longest - len(row)) for row in ids]
    shifted = model._shift_right(torch.tensor(labels)).tolist()
    found = {"texts": TEXTS, "input_ids": ids, "labels": labels, "decoder_input_ids": shifted, "lengths": LENGTHS}
    print(json.dumps(found, ensure_ascii=False))


if __name__ == "__main__":
    main()
