"""Makes t5_sampling.json: what transformers 4.26.1 can draw next for one text, and what it draws.

    .parity/bin/python data/make_t5_sampling.py > data/t5_sampling.json      # after make parity

Lesson 17 compares with it, since the library of that version cannot be installed beside the lessons. It imports nothing
of tokenlab; model and text are those of the lesson. The same releases give the same file.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from transformers import T5ForConditionalGeneration, T5Tokenizer

FOLDER = Path(__file__).parent / "t5-tiny"
TEXT, WRITTEN = "The boy gave <extra_id_0> a flower.", "<extra_id_0>"
RULES: tuple[dict[str, Any], ...] = (
    {"top_k": 5},
    {"top_k": 0, "top_p": 0.7},
    {"top_k": 0, "temperature": 2.0, "top_p": 0.5},
    {"top_k": 0, "typical_p": 0.5},
    {"top_k": 0, "epsilon_cutoff": 0.05},
    {"top_k": 0, "eta_cutoff": 0.3},
    {"temperature": 0.5, "top_k": 4, "top_p": 0.9, "repetition_penalty": 1.5},
)
SEEDS = range(8)


def main() -> None:
    """Ask the library, and print what it says."""
    tokenizer = T5Tokenizer.from_pretrained(FOLDER)
    model = T5ForConditionalGeneration.from_pretrained(FOLDER).eval()
    ids = tokenizer(TEXT, return_tensors="pt").input_ids
    start = torch.tensor([[model.config.decoder_start_token_id, *tokenizer(WRITTEN).input_ids[:-1]]])
    settings = {"do_sample": True, "output_scores": True, "return_dict_in_generate": True, "max_new_tokens": 1}
    possible = []
    for rules in RULES:
        p = model.generate(ids, decoder_input_ids=start, **settings, **rules).scores[0][0].softmax(dim=-1)
        kept = [id for id in p.argsort(descending=True, stable=True).tolist() if p[id] > 0]
        shares = [float(f"{share:.5g}") for share in p[kept].tolist()]
        possible.append({"rules": rules, "next": dict(zip(tokenizer.convert_ids_to_tokens(kept), shares, strict=True))})
    drawn = []
    for seed in SEEDS:
        torch.manual_seed(seed)
        drawn.append(
            tokenizer.decode(model.generate(ids, do_sample=True, max_new_tokens=40)[0], skip_special_tokens=True)
        )
    found = {"text": TEXT, "written": WRITTEN, "possible": possible, "drawn": drawn}
    print(json.dumps(found, ensure_ascii=False, separators=(",", ":")))


if __name__ == "__main__":
    main()
