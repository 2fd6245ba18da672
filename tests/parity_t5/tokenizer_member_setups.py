"""A small slow tokenizer, derived from the base class of either library, in some setups.

It imports nothing of tokenlab, so that the library's own Python can run it.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any, ClassVar

from tests.words_methods import WordsMethods

MODULES = ("tokenization_utils_base", "tokenization_utils")
TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "man", "of", "dog", *"abcdefgxyz", "σ", ".", "n't"]


def class_of(library: Any, name: str) -> Any:
    modules = [importlib.import_module(f"{library.__name__}.{module}") for module in MODULES]
    return next(getattr(module, name) for module in modules if hasattr(module, name))


def words_class(library: Any) -> Any:
    """The class of the tokenizer, with the option `dog`."""

    class Words(WordsMethods, library.PreTrainedTokenizer):  # type: ignore[name-defined, misc]
        max_model_input_sizes: ClassVar[Any] = {"known": 7}

        def prepare_for_tokenization(self, text: str, is_split_into_words: bool = False, **kwargs: Any) -> Any:
            return (" " if kwargs.pop("dog", False) else "") + text, kwargs

    return Words


def setups(library: Any, folder: str) -> dict[str, Callable[[], Any]]:
    """Ways to make a tokenizer, each new for every question."""
    vocabulary = os.path.join(folder, "words.txt")
    with open(vocabulary, "w", encoding="utf-8") as file:
        file.write("\n".join(TOKENS))
    words = words_class(library)

    def added(**kwargs: Any) -> Any:
        tokenizer = words(vocabulary, **kwargs)
        tokenizer.add_tokens(["New York", "ab", "the man", "QR"])
        tokenizer.add_tokens(["dog", "<s>"], special_tokens=True)
        tokenizer.add_special_tokens({"mask_token": library.AddedToken("[MASK]", lstrip=True)})
        tokenizer.add_special_tokens({"additional_special_tokens": ["<x>", library.AddedToken("<y>", rstrip=True)]})
        return tokenizer

    def bare() -> Any:
        tokenizer = words(vocabulary)
        tokenizer._pad_token = None
        return tokenizer

    return {
        "plain": lambda: words(vocabulary),
        "lower": lambda: added(do_lower_case=True),
        "added": added,
        "left": lambda: words(vocabulary, padding_side="left", truncation_side="left", model_max_length=5),
        "bare": bare,
        "short": lambda: words(vocabulary, model_max_length=4, model_input_names=["input_ids", "attention_mask"]),
    }
