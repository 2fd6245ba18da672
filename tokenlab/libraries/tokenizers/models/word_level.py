"""WordLevel: each pre-token is a token of the vocabulary, or unknown.

Source: tokenizers 0.23.3, tokenizers/src/models/wordlevel.
"""

from __future__ import annotations

from typing import Any, Self

from tokenlab.libraries.tokenizers.components.arguments import Setting, check_text
from tokenlab.libraries.tokenizers.components.component import json_text
from tokenlab.libraries.tokenizers.models.model import Columns, Model
from tokenlab.libraries.tokenizers.models.vocab_arguments import check_vocab_or_path, read_vocab_json, vocab_field


class WordLevel(Model):
    """A model that looks up whole words.

    >>> WordLevel({"hug": 0, "<unk>": 1}, unk_token="<unk>").ids("bug")
    [1]
    """

    unk_token = Setting(check_text, "The token for a word that is not in the vocabulary.")

    _trainer = "WordLevelTrainer"

    def __init__(self, vocab: dict[str, int] | str | None = None, unk_token: str | None = None) -> None:
        """Take a vocabulary, or the path of a JSON file with one, and the token for unknown words ("<unk>").

        Raises:
            TypeError: an argument has a wrong type.
            FileNotFoundError, ValueError: the file cannot be read.
        """
        self.unk_token = "<unk>" if unk_token is None else unk_token
        given = check_vocab_or_path({} if vocab is None else vocab)
        self._set_vocab(self.read_file(given) if isinstance(given, str) else given)

    @staticmethod
    def read_file(vocab: str) -> dict[str, int]:
        """Return the vocabulary in a JSON file.

        Raises:
            FileNotFoundError, ValueError: the file cannot be read, or is malformed.
        """
        return read_vocab_json(vocab)

    @classmethod
    def from_file(cls, vocab: str, unk_token: str | None = None) -> Self:
        """Return a model with the vocabulary of a JSON file."""
        return cls(cls.read_file(vocab), unk_token)

    def _columns(self, word: str) -> Columns:
        token = word if word in self._vocab else self.unk_token
        id = self._vocab.get(token)
        if id is None:
            raise ValueError(
                f"WordLevel: {word!r:.60} is not in the vocabulary, and neither is unk_token={token!r}; "
                "add it to the vocabulary, or set unk_token to one of its tokens"
            )
        return Columns([id], [token], [(0, len(word.encode()))])

    def replace_vocabulary(self, vocab: dict[str, int]) -> None:
        """Replace the vocabulary by one that was trained."""
        self._set_vocab(vocab)

    def _files(self) -> dict[str, str]:
        return {"vocab.json": json_text(self._ordered_vocab())}

    def to_json(self) -> dict[str, Any]:
        """Return the fields of tokenizer.json."""
        return {"type": self._type, "vocab": self._ordered_vocab()} | super().to_json()

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """Return the model with these fields of tokenizer.json.

        Raises:
            ValueError: a field is missing or malformed.
        """
        return cls(vocab_field(fields), cls.unk_token.loaded(fields))
