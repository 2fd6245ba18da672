"""Fast tokenizers for tests: of small folders, one for each family, and of a list of words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.tokenizer_folders import FOLDERS
from tokenlab.libraries import transformers
from tokenlab.libraries.tokenizers import models, pre_tokenizers
from tokenlab.libraries.transformers.tokenization.backend_tokenizer import BackendTokenizer

PREFIXES = dict(zip(FOLDERS, ("Bert", "GPT2", "Roberta", "T5", "XLMRoberta", "Albert"), strict=True))


def fast_class(family: str) -> Any:
    return getattr(transformers, f"{PREFIXES[family]}TokenizerFast")


def fast_one(folders: Path, family: str, **options: Any) -> Any:
    return fast_class(family).from_pretrained(folders / family, **options)


def word_level(*words: str) -> BackendTokenizer:
    tokenizer = BackendTokenizer(models.WordLevel({word: id for id, word in enumerate(["?", *words])}, "?"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return tokenizer
