"""Explorers of lessons 12 and 21: one call of a slow and a fast tokenizer, small pairs of both, the class chosen."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from tokenlab import data
from tokenlab.libraries import transformers
from tokenlab.libraries.transformers.models.auto.tokenization_auto import TOKENIZER_MAPPING_NAMES
from tokenlab.show.explorers.controls import Checkbox, Choice, IntSlider, TextBox
from tokenlab.show.explorers.explorer import Explorer
from tokenlab.show.explorers.typed_text import check_characters
from tokenlab.steps.recording import Recording
from tokenlab.traces.tokenization.trace_tokenizer_call import trace_tokenizer_call
from tokenlab.traces.tokenization.trace_tokenizer_choice import trace_tokenizer_choice

LONGEST = 300  # characters of a text
TRUNCATION = {"no": False, "longest_first": True, "only_first": "only_first", "only_second": "only_second"}
PADDING = {"no": False, "longest": True, "max_length": "max_length"}
SPECIAL = {"BERT": "[MASK]", "GPT-2": "<|endoftext|>", "RoBERTa": "<mask>", "T5": "<extra_id_0>"}
LONGEST_NAME = 200  # characters of a name
SPECIAL_TOKENS = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", "<|endoftext|>"]
SIZE = 600  # tokens of a vocabulary that is trained here


def small_tokenizers(family: str = "BERT") -> tuple[Any, Any]:
    """Return a new slow and a new fast tokenizer of a family, with the same vocabulary.

    Args:
        family: BERT, GPT-2, RoBERTa or T5.

    Raises:
        ValueError: another family.

    >>> [type(one).__name__ for one in small_tokenizers("T5")]
    ['T5Tokenizer', 'T5TokenizerFast']
    """
    if family not in SMALL_TOKENIZERS:
        raise ValueError(f"family={family!r} is not known; take one of {', '.join(SMALL_TOKENIZERS)}")
    name = family.replace("-", "").replace("BERT", "Bert").replace("RoBerta", "Roberta")
    classes = (getattr(transformers, f"{name}Tokenizer"), getattr(transformers, f"{name}TokenizerFast"))
    files = SMALL_TOKENIZERS[family]()
    with tempfile.TemporaryDirectory() as folder:
        for file, content in files.items():
            (Path(folder) / file).write_bytes(content)
        source = str(folder) if files else str(data.t5_tiny())
        slow, fast = (one.from_pretrained(source, verbose=False) for one in classes)
    if slow.pad_token is None:  # GPT-2
        for tokenizer in (slow, fast):
            tokenizer.pad_token = tokenizer.eos_token
    return slow, fast


@cache
def _word_pieces() -> dict[str, bytes]:
    from tokenlab.show.explorers.explore_pipeline import train_bert_tokenizer

    ids = train_bert_tokenizer([data.text("english"), data.text("mixed")], vocab_size=SIZE).get_vocab()
    return {"vocab.txt": "".join(f"{token}\n" for token in sorted(ids, key=ids.__getitem__)).encode()}


@cache
def _byte_level() -> dict[str, bytes]:
    from tokenlab.libraries.tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=SIZE, special_tokens=list(SPECIAL_TOKENS), initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator([data.text("english"), data.text("mixed")], trainer)
    with tempfile.TemporaryDirectory() as folder:
        tokenizer.model.save(folder)
        return {name: (Path(folder) / name).read_bytes() for name in ("vocab.json", "merges.txt")}


SMALL_TOKENIZERS: dict[str, Callable[[], dict[str, bytes]]] = {
    "BERT": _word_pieces,
    "GPT-2": _byte_level,
    "RoBERTa": _byte_level,
    "T5": dict,  # no file: the folder of the small T5 is read
}
pair_of = cache(small_tokenizers)  # a pair for each family, which a call does not change


def explore_slow_and_fast(
    text: str,
    pair: str = "",
    family: str = "BERT",
    truncation: str = "longest_first",
    padding: str = "max_length",
    max_length: int = 12,
) -> Explorer:
    """Explore one call of a slow and a fast tokenizer; the player is opened at the first stage where they differ.

    Args:
        text: the text. If the family changes, its mask or sentinel is replaced by that of the other family.
        pair: a second text; empty for none.
        family: BERT, GPT-2, RoBERTa or T5.
        truncation: no, longest_first, only_first or only_second.
        padding: no, longest or max_length.
        max_length: the largest number of tokens, for truncation and padding.
    """
    box, families = (TextBox("text", text), Choice("family", list(SMALL_TOKENIZERS), value=family))

    def follow(old: str, new: str) -> None:
        box.value = box.value.replace(SPECIAL[old], SPECIAL[new])

    families.observe(follow)  # before the explorer's callback, so the text fits the family first
    return Explorer(
        _tokenizer_call,
        opened=first_difference,
        family=families,
        text=box,
        pair=TextBox("pair", pair),
        truncation=Choice("truncation", list(TRUNCATION), value=truncation),
        padding=Choice("padding", list(PADDING), value=padding),
        max_length=IntSlider("max_length", max_length, 1, 40),
    )


def first_difference(recording: Recording[Any, Any]) -> int:
    """Return the frame of the first stage where slow and fast differ, or else of the last stage."""
    differing = (number for number, stage in enumerate(recording, start=1) if stage.agree is False)
    return next(differing, len(recording))


def _tokenizer_call(
    family: str, text: str, pair: str, truncation: str, padding: str, max_length: int
) -> Recording[Any, Any]:
    for name, given in (("text", text), ("pair", pair)):
        check_characters(given, LONGEST, "the tokenizer", name)
    options: dict[str, Any] = {"truncation": TRUNCATION[truncation], "padding": PADDING[padding]}
    if truncation != "no" or padding == "max_length":
        options["max_length"] = max_length
    return trace_tokenizer_call.record(*pair_of(family), text, pair or None, options)


def explore_tokenizer_choice(tokenizer_class: str = "", model_type: str = "t5") -> Explorer:
    """Explore which tokenizer class the strings in a folder's files select; an empty string leaves a key out.

    Args:
        tokenizer_class: the string in tokenizer_config.json.
        model_type: the model type in config.json.
    """
    named, types = "tokenizer_config.json: tokenizer_class", list(TOKENIZER_MAPPING_NAMES)
    return Explorer(
        _tokenizer_choice,
        opened=1,
        tokenizer_class=TextBox(named, tokenizer_class),
        in_config=TextBox("config.json: tokenizer_class", ""),
        model_type=Choice("config.json: model_type", types, value=model_type),
        use_fast=Checkbox("use_fast"),
    )


def _tokenizer_choice(tokenizer_class: str, in_config: str, model_type: str, use_fast: bool) -> Recording[Any, Any]:
    for name in (tokenizer_class, in_config):
        check_characters(name, LONGEST_NAME, "trace_tokenizer_choice", "tokenizer_class")
    return trace_tokenizer_choice.record(tokenizer_class, in_config, model_type, use_fast)
