"""Questions to a T5 tokenizer, asked in the same way of the library and of ours.

Needs neither of the two, so that it runs in the library's own environment:

PYTHON_WITH_TRANSFORMERS tests/parity/t5_tokenizer_cases.py MODEL < questions.json > answers.json
"""

from __future__ import annotations

import json
import logging
import os
import random
import sys
import tempfile
import warnings
from typing import Any

PARTS = (
    *("<extra_id_0>", "<extra_id_1>", "<extra_id_9>", "<extra_id_10>", "<extra_id_99>", "<extra_id_100>", "<extra_id_"),
    *("</s>", "<pad>", "<unk>", "<s>", "▁", "▁the", " ", "  ", "\t", "\n", "\r\n", "\xa0", "\u3000", "\u2028", "\x1c"),
    *("the", " man", "thank you", "ab", "abc", "abd", "bc", "bcd", "abdc", "<l>", "<r>", "<both>", "<none>", "x", "<"),
    *("é", "e\u0301", "ﬁ", "…", "日本語", "中文。", "שלום", "\u202eabc", "👩‍👩‍👧‍👦", "🇩🇪", "\x00", "\ufffd", "\u200b"),
    *(" it 's", " n't", " ' ", " .", " ?", ",", "don't", "a" * 60),
)
SETUPS = ("direct", "loaded", "added", "blanks", "left", "few")


def setups(cls: Any, token: Any, model: str, folder: str) -> dict[str, Any]:
    """Tokenizers of every kind, among them one that was saved and loaded."""
    direct = cls(model)
    direct.save_pretrained(folder)
    loaded = cls.from_pretrained(folder)
    added = cls.from_pretrained(folder)
    added.add_tokens(["abc", "bc", "bcd"])
    added.add_tokens(["x", "the man", "▁the", "the"], special_tokens=True)
    again = os.path.join(folder, "again")
    added.save_pretrained(again)
    blanks = cls.from_pretrained(folder)
    behaviours = {"<l>": {"lstrip": True}, "<r>": {"rstrip": True}, "<both>": {"lstrip": True, "rstrip": True}}
    own = [*(token(name, **behaviour) for name, behaviour in behaviours.items()), token("<none>"), "<plain>"]
    blanks.add_special_tokens({"additional_special_tokens": own, "mask_token": token("<mask>", lstrip=True)})
    blanks_again = os.path.join(folder, "blanks")
    blanks.save_pretrained(blanks_again)
    left = cls.from_pretrained(folder, padding_side="left", truncation_side="left", model_max_length=7)
    few = cls(model, extra_ids=3, additional_special_tokens=["<extra_id_0>", "<extra_id_1>", "<extra_id_2>", "<x>"])
    few.sanitize_special_tokens()
    return {
        "direct": direct,
        "loaded": loaded,
        "added": cls.from_pretrained(again),
        "blanks": cls.from_pretrained(blanks_again),
        "left": left,
        "few": few,
    }


def question(draw: random.Random) -> list[Any]:
    """A random question: tokenizer, method, arguments."""
    setup = draw.choice(SETUPS)
    kind = draw.choice(("tokenize", "call", "batch", "decode", "pair", "pad"))
    if kind == "tokenize":
        return [setup, "tokenize", [text(draw)], {}]
    if kind == "call":
        return [setup, "__call__", [text(draw)], options(draw)]
    if kind == "batch":
        return [setup, "__call__", [[text(draw) for _ in range(draw.randint(1, 4))]], options(draw)]
    if kind == "pair":
        return [setup, "__call__", [text(draw), text(draw)], options(draw)]
    if kind == "pad":
        rows = [ids(draw) for _ in range(draw.randint(1, 3))]
        return [setup, "pad", [{"input_ids": rows}], {"padding": True, "pad_to_multiple_of": draw.choice((None, 4))}]
    named = {name: draw.random() < 0.5 for name in ("skip_special_tokens", "clean_up_tokenization_spaces")}
    return [setup, "decode", [ids(draw)], {**named, "spaces_between_special_tokens": draw.random() < 0.8}]


def text(draw: random.Random) -> str:
    """A text of hostile parts."""
    return "".join(draw.choice(PARTS) for _ in range(draw.choice((0, 1, 2, 3, 5, 9))))


def ids(draw: random.Random) -> list[int]:
    """Ids, those of special tokens and sentinels among them."""
    return [draw.choice((draw.randrange(300), 0, 1, 2, draw.randrange(290, 415))) for _ in range(draw.randint(0, 9))]


def options(draw: random.Random) -> dict[str, Any]:
    """Arguments of a call, of which some do not go together."""
    known = {
        "padding": (True, False, "max_length", "longest"),
        "truncation": (True, False, "only_first", "only_second", "longest_first"),
        "max_length": (1, 2, 4, 8),
        "stride": (0, 1, 2),
        "add_special_tokens": (True, False),
        "pad_to_multiple_of": (4,),
        "return_attention_mask": (True, False),
        "return_token_type_ids": (True, False),
        "return_special_tokens_mask": (True,),
        "return_overflowing_tokens": (True,),
        "return_length": (True,),
    }
    return {name: draw.choice(values) for name, values in known.items() if draw.random() < 0.3}


FIXED: list[list[Any]] = [
    *(
        [setup, method, arguments, {}]
        for setup in SETUPS
        for method, arguments in [
            ("__len__", []),
            ("get_vocab", []),
            ("get_added_vocab", []),
            ("convert_tokens_to_ids", [["<extra_id_0>", "<extra_id_99>", "<extra_id_100>", "<l>", "</s>", "?!", "▁"]]),
            ("convert_tokens_to_ids", [None]),
            ("convert_ids_to_tokens", [[*range(-0, 5), 200, 299, 300, 301, 399, 400, 402, 405, 420]]),
            ("convert_ids_to_tokens", [399, True]),
            ("convert_tokens_to_string", [["▁a", "</s>", "<extra_id_3>", "▁the", "▁man", "<pad>"]]),
            ("build_inputs_with_special_tokens", [[5, 6], [7, 1]]),
            ("create_token_type_ids_from_sequences", [[5, 6], [7, 1]]),
            ("get_special_tokens_mask", [[5, 1, 0, 399, 300], None, True]),
            ("get_special_tokens_mask", [[5, 1], [6]]),
            ("num_special_tokens_to_add", [True]),
            ("encode", [""]),
            ("encode", [[]]),
            ("encode", [[5, 6, 1]]),
            ("encode", [["▁the", "<extra_id_5>"]]),
            ("encode_plus", ["the man", "you", True, "max_length", True, 5]),
            ("__call__", [[]]),
            ("__call__", [7]),
            ("__call__", ["the", None, "man"]),
            ("__call__", [[["the", "man"], ["you"]], None, None, None, True, True, None, None, 0, True]),
            ("__call__", [["a", "b"], ["c"]]),
            ("batch_decode", [[[5, 1], [], [399, 398, 6, 0]], True]),
            ("decode", [[5, -1]]),
            ("decode", [6]),
        ]
    )
]


def answers(cls: Any, token: Any, model: str, questions: list[Any]) -> list[Any]:
    """What a class answers; an exception by its name; and what it wrote into the folders."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tokenizers = setups(cls, token, model, folder)
        told = [answer(tokenizers[setup], *rest) for setup, *rest in questions]
        return [*told, written(folder)]


def answer(tokenizer: Any, method: str, arguments: list[Any], named: dict[str, Any]) -> Any:
    """The answer as JSON has it."""
    try:
        value = getattr(tokenizer, method)(*arguments, **named)
    except Exception as error:
        return {"error": type(error).__name__}
    return json.loads(json.dumps(dict(value) if hasattr(value, "keys") else value))


def written(folder: str) -> dict[str, Any]:
    """The small files in the folders, and the sizes of the others, with no trace of where the folders are."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            if name.endswith(".json"):
                with open(path, encoding="utf-8") as file:
                    content: Any = file.read().replace(folder, "FOLDER")
            else:
                content = os.path.getsize(path)
            found[os.path.relpath(path, folder)] = content
    return dict(sorted(found.items()))


def main(model: str) -> None:
    """Ask the library."""
    import transformers

    transformers.logging.set_verbosity(logging.CRITICAL)
    told = answers(transformers.T5Tokenizer, transformers.AddedToken, model, json.load(sys.stdin))
    json.dump({"version": transformers.__version__, "answers": told}, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
