"""The pipelines of fast tokenizers, from transformers 4.26.1 or from tokenlab, for the same folders and options.

Run by the library's own Python, it answers one case per line of standard input; imported, `answer` answers for ours.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

CLASSES = {
    "bert": "Bert",
    "gpt2": "GPT2",
    "roberta": "Roberta",
    "t5": "T5",
    "xlm-roberta": "XLMRoberta",
    "albert": "Albert",
}
COLUMNS = {"return_offsets_mapping": True, "return_special_tokens_mask": True, "return_token_type_ids": True}
Json = Any


def answer(library: str, case: Json) -> Json:
    """Return the result of a case: its pipeline as JSON text, and what it makes of texts, or the exceptions' names."""
    try:
        return globals()[case["do"]](import_module(library), **{name: case[name] for name in case if name != "do"})
    except Exception as error:
        return {"raised": [cls.__name__ for cls in type(error).__mro__]}


def converted(library: Any, family: str, folder: str, options: Json) -> Json:
    """Return the pipeline that is built from a slow tokenizer."""
    convert = import_module(f"{library.__name__}.convert_slow_tokenizer").convert_slow_tokenizer
    slow = getattr(library, f"{CLASSES[family]}Tokenizer").from_pretrained(folder, **options)
    return {"pipeline": convert(slow).to_str()}


def loaded(library: Any, family: str, folder: str, options: Json, texts: list[str]) -> Json:
    """Return the pipeline of a fast tokenizer with options, and the columns of some texts."""
    fast = _fast(library, family, folder, options)
    return {"pipeline": fast.backend_tokenizer.to_str(), "special": fast.special_tokens_map, **_columns(fast, texts)}


def saved(library: Any, family: str, folder: str, options: Json, target: str, texts: list[str]) -> Json:
    """Save a fast tokenizer, load its tokenizer.json with options, and return the same as `loaded`."""
    _fast(library, family, folder, {}).save_pretrained(target)
    return loaded(library, family, target, options, texts)


def trained(library: Any, family: str, folder: str, corpus: list[str], texts: list[str], options: Json) -> Json:
    """Train a new tokenizer like the one of a folder, and return the same as `loaded`."""
    new = _fast(library, family, folder, {}).train_new_from_iterator(corpus, show_progress=False, **options)
    return {"pipeline": new.backend_tokenizer.to_str(), "special": new.special_tokens_map, **_columns(new, texts)}


def _fast(library: Any, family: str, folder: str, options: Json) -> Any:
    cls = getattr(library, f"{CLASSES[family]}TokenizerFast")
    return cls.from_pretrained(folder, **options)


def _columns(fast: Any, texts: list[str]) -> Json:
    encodings = [fast(text, **COLUMNS) for text in texts]
    return {
        "columns": [dict(encoding) for encoding in encodings],
        "tokens": [encoding.tokens() for encoding in encodings],
        "words": [encoding.word_ids() for encoding in encodings],
        "decoded": [fast.decode(encoding["input_ids"]) for encoding in encodings],
    }


def main() -> None:
    """Answer each line."""
    sys.stdin.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    for line in sys.stdin:
        print(json.dumps(answer("transformers", json.loads(line))), flush=True)


if __name__ == "__main__":
    sys.path.remove(str(Path(__file__).parent))
    main()
