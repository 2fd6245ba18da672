"""The disagreements of lesson 12, from either library: `python disagreements.py MODULE VOCAB_FOLDER T5_FOLDER`."""

import json
import sys
from importlib import import_module
from typing import Any


def answers(library: Any, vocab_folder: str, t5_folder: str) -> list[list[Any]]:
    """Return what the slow tokenizers of a library answer, and what its fast ones answer."""
    found = []
    for ending in ("", "Fast"):
        bert = getattr(library, f"BertTokenizer{ending}").from_pretrained(vocab_folder)
        t5 = getattr(library, f"T5Tokenizer{ending}").from_pretrained(t5_folder)
        cut = bert("a b c", "d e f", truncation=True, max_length=8)["input_ids"]
        added = bert.add_tokens(["Zoë", "the"])
        counts = [added, bert.vocab_size, len(bert), bert.get_added_vocab()]
        found.append([cut, counts, bert.tokenize("Zoë, zoë and zoe"), t5.tokenize("The <extra_id_0> dog.")])
    return found


if __name__ == "__main__":
    print(json.dumps(answers(import_module(sys.argv[1]), *sys.argv[2:])))
