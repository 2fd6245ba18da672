"""The methods of a small slow tokenizer: words of a list, else characters; with [CLS] and [SEP], as BERT's.

It imports nothing of tokenlab, so that the library's own Python can run it too.
"""

from __future__ import annotations

import os
from typing import Any, ClassVar


class WordsMethods:
    """Only the library's own interface is used, as by a class that was written for it; a base class follows it."""

    vocab_files_names: ClassVar[Any] = {"vocab_file": "words.txt"}
    sep_token_id: Any
    cls_token_id: Any
    added_tokens_encoder: Any

    def __init__(self, vocab_file: Any = None, do_lower_case: bool = False, **kwargs: Any) -> None:
        special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
        super().__init__(do_lower_case=do_lower_case, **{**special, **kwargs})  # type: ignore[call-arg]
        self.do_lower_case, self.vocab_file = do_lower_case, vocab_file
        with open(vocab_file, encoding="utf-8") as file:
            self.tokens = file.read().split("\n")
        self.ids = {token: id for id, token in enumerate(self.tokens)}

    @property
    def vocab_size(self) -> int:
        return len(self.tokens)

    def get_vocab(self) -> dict[str, int]:
        return {**self.ids, **self.added_tokens_encoder}

    def _tokenize(self, text: str) -> list[str]:
        return [token for word in text.split(" ") for token in ([word] if word in self.ids else word)]

    def _convert_token_to_id(self, token: str) -> int:
        return self.ids.get(token, self.ids["[UNK]"])

    def _convert_id_to_token(self, index: int) -> str:
        return self.tokens[index]

    def build_inputs_with_special_tokens(self, token_ids_0: Any, token_ids_1: Any = None) -> Any:
        end = [self.sep_token_id]
        return [self.cls_token_id, *token_ids_0, *end] + ([] if token_ids_1 is None else [*token_ids_1, *end])

    def create_token_type_ids_from_sequences(self, token_ids_0: Any, token_ids_1: Any = None) -> Any:
        return [0] * (len(token_ids_0) + 2) + ([] if token_ids_1 is None else [1] * (len(token_ids_1) + 1))

    def get_special_tokens_mask(
        self, token_ids_0: Any, token_ids_1: Any = None, already_has_special_tokens: bool = False
    ) -> Any:
        if already_has_special_tokens:
            return super().get_special_tokens_mask(  # type: ignore[misc]
                token_ids_0, token_ids_1, already_has_special_tokens=True
            )
        return [1, *[0] * len(token_ids_0), 1] + ([] if token_ids_1 is None else [*[0] * len(token_ids_1), 1])

    def save_vocabulary(self, save_directory: str, filename_prefix: str | None = None) -> tuple[str, ...]:
        path = os.path.join(save_directory, (filename_prefix + "-" if filename_prefix else "") + "words.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(self.tokens))
        return (path,)
