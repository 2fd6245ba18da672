"""Small slow and fast tokenizers of each family, with the same vocabulary: trained on the kit's texts, or shipped."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from tokenlab import data

SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", "<|endoftext|>"]
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
    from tokenlab.libraries import transformers

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
        vocab_size=SIZE, special_tokens=list(SPECIAL), initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator([data.text("english"), data.text("mixed")], trainer)
    with tempfile.TemporaryDirectory() as folder:
        tokenizer.model.save(folder)
        return {name: (Path(folder) / name).read_bytes() for name in ("vocab.json", "merges.txt")}


def _shipped() -> dict[str, bytes]:
    return {}  # the folder of the small T5 is read


SMALL_TOKENIZERS: dict[str, Callable[[], dict[str, bytes]]] = {
    "BERT": _word_pieces,
    "GPT-2": _byte_level,
    "RoBERTa": _byte_level,
    "T5": _shipped,
}
