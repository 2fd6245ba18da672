"""Random setups of tokenizers: the class's constructor or `from_pretrained`, with options and added tokens."""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

from tests.parity_t5 import tokenizer_texts as texts

Json = Any
SPECIAL_NAMES = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")


class Family(NamedTuple):
    """The prefix of a family's classes, the files of its vocabulary, and the values of the family's options."""

    prefix: str
    files: tuple[str, ...]
    options: dict[str, tuple[Json, ...]]


BOOLEANS = (True, False)
SETUPS = {
    "bert": Family(
        "Bert",
        ("vocab.txt",),
        {
            "do_lower_case": BOOLEANS,
            "do_basic_tokenize": BOOLEANS,
            "never_split": (["the", "[X]"],),
            "tokenize_chinese_chars": BOOLEANS,
            "strip_accents": (True, False, None),
        },
    ),
    "gpt2": Family(
        "GPT2",
        ("vocab.json", "merges.txt"),
        {
            "errors": ("replace", "ignore", "strict"),
            "add_prefix_space": BOOLEANS,
            "add_bos_token": BOOLEANS,
        },
    ),
    "roberta": Family(
        "Roberta",
        ("vocab.json", "merges.txt"),
        {"errors": ("replace", "ignore"), "add_prefix_space": BOOLEANS, "trim_offsets": BOOLEANS},
    ),
    "t5": Family("T5", ("spiece.model",), {"extra_ids": (0, 2, 10, 100), "sp_model_kwargs": ({},)}),
    "xlm-roberta": Family("XLMRoberta", ("sentencepiece.bpe.model",), {"sp_model_kwargs": ({},)}),
    "albert": Family(
        "Albert",
        ("spiece.model",),
        {"do_lower_case": BOOLEANS, "remove_space": BOOLEANS, "keep_accents": BOOLEANS, "sp_model_kwargs": ({},)},
    ),
}


def setup(draw: Random, name: str, fast: bool) -> Json:
    """Return a setup: the class's constructor or `from_pretrained`, with options and added tokens."""
    family = SETUPS[name]
    pretrained = draw.random() < 0.6
    options = {key: draw.choice(values) for key, values in family.options.items() if draw.random() < 0.3}
    options |= {key: draw.choice(values) for key, values in COMMON.items() if draw.random() < 0.15}
    options |= {key: token(draw) for key in SPECIAL_NAMES if draw.random() < 0.04}
    if name == "gpt2" and draw.random() < 0.85:
        options["pad_token"] = draw.choice(("<|endoftext|>", "<pad>"))
    if draw.random() < 0.05 and name != "t5":
        options["additional_special_tokens"] = [token(draw) for _ in range(draw.randint(0, 3))]
    if pretrained:
        args = [file(draw.choice((name, name, f"{name}_slow", f"{name}_fast")))]
    elif fast and draw.random() < 0.3:
        args, options = [], options | {"tokenizer_file": file(f"{name}_fast/tokenizer.json")}
    else:
        args = [file(f"{name}/{each}") for each in family.files]
    kind = family.prefix + ("TokenizerFast" if fast else "Tokenizer")
    if fast and pretrained and draw.random() < 0.1:
        options["from_slow"] = draw.choice(BOOLEANS)
    elif fast and draw.random() < 0.1:
        kind, args, pretrained = "PreTrainedTokenizerFast", [], False
        options["tokenizer_file"] = file(f"{name}_fast/tokenizer.json")
    added = [addition(draw) for _ in range(draw.choice((0, 0, 0, 1, 2)))]
    return {"class": kind, "args": args, "options": options, "pretrained": pretrained, "added": added}


COMMON: dict[str, tuple[Json, ...]] = {
    "padding_side": ("left", "right", "left"),
    "truncation_side": ("left", "right", "left"),
    "model_max_length": (3, 7, 12, 512),
    "model_input_names": (["input_ids", "attention_mask"], ["input_ids"], ["attention_mask", "token_type_ids"]),
    "clean_up_tokenization_spaces": BOOLEANS,
    "name_or_path": ("name",),
}


def file(path: str) -> Json:
    return {"!": "file", "path": path}


def token(draw: Random) -> Json:
    """Return a token as a string or as an AddedToken with any flags."""
    content = draw.choice([each for each in texts.ADDED + texts.SPECIAL if each != "<extra_id_"])
    if draw.random() < 0.5:
        return content
    flags = {name: draw.choice(BOOLEANS) for name in FLAGS if draw.random() < 0.4}
    return {"!": "AddedToken", "content": content, "options": flags}


FLAGS = ("single_word", "lstrip", "rstrip", "normalized")


def addition(draw: Random) -> Json:
    """Return a call that adds tokens."""
    if draw.random() < 0.6:
        given = [token(draw) for _ in range(draw.randint(1, 4))]
        return ["add_tokens", draw.choice(([given], [given], [given[0]], [given, True]))]
    named = {name: token(draw) for name in draw.sample(SPECIAL_NAMES, draw.choice((0, 1, 2)))}
    if draw.random() < 0.6:
        named["additional_special_tokens"] = [token(draw) for _ in range(draw.randint(0, 3))]
    return ["add_special_tokens", [named] if draw.random() < 0.8 else [named, draw.choice(BOOLEANS)]]
