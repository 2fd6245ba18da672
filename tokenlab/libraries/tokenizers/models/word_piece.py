"""WordLevel and WordPiece, whose vocabularies come from words: a whole word, or repeatedly the longest token that fits.

WordPiece takes the longest token that is a prefix of the rest of the word.
Leaves out: the search itself (`tokenlab.algorithms.wordpiece`).

Source: tokenizers 0.23.3, tokenizers/src/models/wordlevel and tokenizers/src/models/wordpiece.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self

from tokenlab.algorithms.pipeline.unicode_versions import WHITESPACE
from tokenlab.algorithms.wordpiece.encode_cached import WordPieceEncoder
from tokenlab.libraries.tokenizers.components.arguments import Setting, check_names, check_text, check_unsigned
from tokenlab.libraries.tokenizers.components.component import json_text
from tokenlab.libraries.tokenizers.models.model import Columns, Model, byte_offsets
from tokenlab.libraries.tokenizers.models.vocab_arguments import check_vocab, read_vocab_json, text_lines, vocab_field
from tokenlab.printing.errors import warn


class WordLevel(Model):
    """A model that looks up whole words.

    >>> WordLevel({"hug": 0, "<unk>": 1}, unk_token="<unk>").ids("bug")
    [1]
    """

    unk_token = Setting(check_text, "The token for a word that is not in the vocabulary.")

    _trainer = "WordLevelTrainer"

    def __init__(self, vocab: dict[str, int] | str | None = None, unk_token: str | None = None) -> None:
        """Take a vocabulary, or the path of a JSON file with one, and the token for unknown words ("<unk>")."""
        self.unk_token = "<unk>" if unk_token is None else unk_token
        given = check_vocab({} if vocab is None else vocab)
        self._set_vocab(self.read_file(given) if isinstance(given, str) else given)

    @staticmethod
    def read_file(vocab: str) -> dict[str, int]:
        """Return the vocabulary in a JSON file; the exceptions are those of `read_vocab_json`."""
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

    replace_vocabulary = Model._set_vocab

    def _files(self) -> dict[str, str]:
        return {"vocab.json": json_text(self._ordered_vocab())}

    def to_json(self) -> dict[str, Any]:
        """Return the fields of tokenizer.json."""
        return {"type": self._type, "vocab": self._ordered_vocab()} | super().to_json()

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """Return the model with these fields of tokenizer.json; a missing or wrong one raises a ValueError."""
        return cls(vocab_field(fields), cls.unk_token.loaded(fields))


class WordPiece(Model):
    """A WordPiece model: tokens inside a word have a prefix.

    >>> model = WordPiece({"hug": 0, "##s": 1, "[UNK]": 2})
    >>> [token.value for token in model.tokenize("hugs")], model.ids("hugged")
    (['hug', '##s'], [2])
    """

    unk_token = Setting(check_text, "The token for a word that cannot be split completely.")
    continuing_subword_prefix = Setting(check_text, "The text before a token inside a word, such as ##.")
    max_input_chars_per_word = Setting(check_unsigned, "The number of characters; a longer word is unknown.")

    _trainer = "WordPieceTrainer"
    _caches = Model._caches | {"_encoder"}

    def __init__(
        self,
        vocab: dict[str, int] | str | None = None,
        *,
        unk_token: str = "[UNK]",
        max_input_chars_per_word: int = 100,
        continuing_subword_prefix: str = "##",
        **unknown: Any,
    ) -> None:
        """Take a vocabulary, or the path of a text file with one token per line, and settings.

        Args:
            vocab: the id of each token, or the path of a vocab.txt.
            unk_token, max_input_chars_per_word, continuing_subword_prefix: the attributes of the same names.
            unknown: other names are ignored, with a message.

        Raises:
            TypeError, OverflowError: an argument has a wrong type, or a number is negative.
            FileNotFoundError, ValueError: the file cannot be read.
        """
        options = ("unk_token", "max_input_chars_per_word", "continuing_subword_prefix")
        check_names("WordPiece", unknown, options)
        self.unk_token = unk_token
        self.max_input_chars_per_word = max_input_chars_per_word
        self.continuing_subword_prefix = continuing_subword_prefix
        given = check_vocab({} if vocab is None else vocab)
        self._set_vocab(self.read_file(given) if isinstance(given, str) else given)

    @staticmethod
    def read_file(vocab: str) -> dict[str, int]:
        """Return the vocabulary in a text file: the id of a token is the number of its line, from 0.

        Whitespace at the end of a line is removed. If a token occurs twice, the later line counts.

        Raises:
            FileNotFoundError: there is no such file.
            ValueError: the file is not UTF-8.
        """
        return {line.rstrip(WHITESPACE): id for id, line in enumerate(text_lines(vocab))}

    @classmethod
    def from_file(cls, vocab: str, **options: Any) -> Self:
        """Return a model with the vocabulary of a text file; options as in `WordPiece`."""
        return cls(cls.read_file(vocab), **options)

    def _clear_cache(self) -> None:
        super()._clear_cache()
        vars(self).pop("_encoder", None)

    @cached_property
    def _encoder(self) -> WordPieceEncoder:
        return WordPieceEncoder(
            self._vocab, self.unk_token, self.continuing_subword_prefix, self.max_input_chars_per_word
        )

    def _ids(self, word: str) -> list[int]:
        return list(map(self._vocab.__getitem__, self._pieces(word)))

    def _columns(self, word: str) -> Columns:
        pieces = list(self._pieces(word))
        ids = list(map(self._vocab.__getitem__, pieces))
        if pieces == [self.unk_token]:
            return Columns(ids, pieces, byte_offsets([word]))
        prefix = len(self.continuing_subword_prefix)
        return Columns(
            ids, pieces, byte_offsets([piece[prefix if place else 0 :] for place, piece in enumerate(pieces)])
        )

    def _pieces(self, word: str) -> tuple[str, ...]:
        pieces = self._encoder.encode_uncached(word)
        if pieces == (self.unk_token,) and self.unk_token not in self._vocab:
            raise ValueError(
                f"WordPiece: {word!r:.60} is unknown, and unk_token={self.unk_token!r} is not in the vocabulary; "
                "add it to the vocabulary, or set unk_token to one of its tokens"
            )
        return pieces

    replace_vocabulary = Model._set_vocab

    def _files(self) -> dict[str, str]:
        tokens = sorted(self._vocab, key=self._vocab.__getitem__)
        moved = next(((line, token) for line, token in enumerate(tokens) if self._vocab[token] != line), None)
        if moved:
            line, token = moved
            warn(
                f"vocab.txt: {token!r} has the id {self._vocab[token]}, but is in line {line + 1}, so a reader gives "
                f"it the id {line}; save the tokenizer instead, or give the tokens the ids 0 to {len(tokens) - 1}"
            )
        return {"vocab.txt": "".join(f"{token}\n" for token in tokens)}

    def to_json(self) -> dict[str, Any]:
        """Return the fields of tokenizer.json."""
        return super().to_json() | {"vocab": self._ordered_vocab()}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """Return the model with these fields of tokenizer.json; a missing or wrong one raises a ValueError."""
        return cls(vocab_field(fields), **{setting.name: setting.loaded(fields) for setting in cls._settings()})
