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
        whole = [bert.tokenize("Zoë, zoë and zoe"), *_never_split(bert, "an", "hands")]
        found.append(
            [cut, counts, whole, t5("The <extra_id_0> dog.")["input_ids"], _types_without_special_tokens(bert)]
        )
    return found


def _never_split(tokenizer: Any, token: str, text: str) -> list[Any]:
    """Add a known token, first as an ordinary one and then as a special one: the new ids, and the tokens of a text."""
    return [(tokenizer.add_tokens([token], special_tokens=flag), tokenizer.tokenize(text)) for flag in (False, True)]


def _types_without_special_tokens(tokenizer: Any) -> Any:
    try:
        return tokenizer("a b", add_special_tokens=False, return_token_type_ids=True)["token_type_ids"]
    except ValueError:
        return "ValueError"


if __name__ == "__main__":
    print(json.dumps(answers(import_module(sys.argv[1]), *sys.argv[2:])))
