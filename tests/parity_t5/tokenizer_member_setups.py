"""A small slow tokenizer, derived from the base class of either library, in some setups.

It imports nothing of tokenlab, so that the library's own Python can run it.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any, ClassVar

MODULES = ("tokenization_utils_base", "tokenization_utils")
TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "man", "of", "dog", *"abcdefgxyz", "σ", ".", "n't"]


def class_of(library: Any, name: str) -> Any:
    modules = [importlib.import_module(f"{library.__name__}.{module}") for module in MODULES]
    return next(getattr(module, name) for module in modules if hasattr(module, name))


def words_class(library: Any) -> Any:
    """A small slow tokenizer: words of a list, else characters; as BERT's, with [CLS] and [SEP]."""

    class Words(library.PreTrainedTokenizer):  # type: ignore[name-defined, misc]
        vocab_files_names: ClassVar[Any] = {"vocab_file": "words.txt"}
        max_model_input_sizes: ClassVar[Any] = {"known": 7}

        def __init__(self, vocab_file: Any = None, do_lower_case: bool = False, **kwargs: Any) -> None:
            special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
            super().__init__(do_lower_case=do_lower_case, **{**special, **kwargs})
            self.do_lower_case = do_lower_case
            with open(vocab_file, encoding="utf-8") as file:
                self.tokens = file.read().split("\n")
            self.ids = {token: id for id, token in enumerate(self.tokens)}

        @property
        def vocab_size(self) -> int:
            return len(self.tokens)

        def get_vocab(self) -> dict[str, int]:
            return {**self.ids, **self.added_tokens_encoder}

        def prepare_for_tokenization(self, text: str, is_split_into_words: bool = False, **kwargs: Any) -> Any:
            return (" " if kwargs.pop("dog", False) else "") + text, kwargs

        def _tokenize(self, text: str) -> list[str]:
            return [t for word in text.split(" ") for t in ([word] if word in self.ids else word)]

        def _convert_token_to_id(self, token: str) -> int:
            return self.ids.get(token, self.ids["[UNK]"])

        def _convert_id_to_token(self, index: int) -> str:
            return self.tokens[index]

        def build_inputs_with_special_tokens(self, first: Any, second: Any = None) -> Any:
            end = [self.sep_token_id]
            return [self.cls_token_id, *first, *end] + ([] if second is None else [*second, *end])

        def create_token_type_ids_from_sequences(self, first: Any, second: Any = None) -> Any:
            return [0] * (len(first) + 2) + ([] if second is None else [1] * (len(second) + 1))

        def get_special_tokens_mask(
            self, first: Any, second: Any = None, already_has_special_tokens: bool = False
        ) -> Any:
            if already_has_special_tokens:
                return super().get_special_tokens_mask(first, second, already_has_special_tokens=True)
            return [1, *[0] * len(first), 1] + ([] if second is None else [*[0] * len(second), 1])

        def save_vocabulary(self, save_directory: str, filename_prefix: str | None = None) -> tuple[str, ...]:
            path = os.path.join(save_directory, (filename_prefix + "-" if filename_prefix else "") + "words.txt")
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(self.tokens))
            return (path,)

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
