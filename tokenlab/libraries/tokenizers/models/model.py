"""The base of the models: from a pre-token to tokens.

Adds: `tokenize`, `ids` and `columns` from one method of each model, with a cache of words; looking up and saving a
vocabulary.
Leaves out: the algorithms (`tokenlab.algorithms`).

Source: tokenizers 0.23.3, tokenizers/src/models and bindings/python/src/models.rs.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from itertools import pairwise
from random import Random
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias

from tokenlab.algorithms.text.alignment import Span
from tokenlab.algorithms.text.word_cache import WordCache
from tokenlab.libraries.tokenizers.components.arguments import Setting, check_text, check_unsigned_32
from tokenlab.libraries.tokenizers.components.component import Component
from tokenlab.libraries.tokenizers.text.pre_tokenized_string import Token
from tokenlab.printing.errors import warn
from tokenlab.storage.files import write_all_atomically

Vocab: TypeAlias = dict[str, int]


class Columns(NamedTuple):
    """The tokens of a word as three lists. Offsets are in UTF-8 bytes of the word. Do not change the lists."""

    ids: list[int]
    tokens: list[str]
    offsets: list[Span]


NO_TOKENS = Columns([], [], [])


class Model(Component):
    """A model: splits a pre-token into tokens of its vocabulary.

    A model defines `_columns`, `_vocab`, `_tokens_by_id` and `_files`, and calls `_clear_cache` whenever a later
    result may differ. The dictionaries are replaced, never changed, so a snapshot of them stays valid.

    `Model()` itself is an empty BPE, as in the library.

    >>> Model().get_vocab(), type(Model()).__name__
    ({}, 'BPE')
    """

    _closed = True
    _trainer: ClassVar[str] = "BpeTrainer"  # its class in tokenlab.libraries.tokenizers.trainers
    _caches: ClassVar[frozenset[str]] = frozenset({"_id_cache", "_column_cache"})
    _cache_capacity: int | None = None  # words; None for the usual number
    _id_cache: WordCache[list[int]]
    _column_cache: WordCache[Columns]

    _random = Random()  # for dropout and sampling

    def __new__(cls, *args: Any, **options: Any) -> Self:
        """Return an empty BPE for `Model()`."""
        if cls is not Model:
            return super().__new__(cls)
        if args or options:
            raise TypeError("Model() takes no arguments; use one of the models, such as BPE(vocab, merges)")
        return super().__new__(import_module("tokenlab.libraries.tokenizers.models.bpe").BPE)  # type: ignore[no-any-return]

    def __init__(self) -> None:
        self._set_vocab({})

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if isinstance(getattr(type(self), name, None), Setting):
            self._clear_cache()

    def _set_vocab(self, vocab: Mapping[str, int]) -> None:
        """Replace the vocabulary; warn if tokens share an id."""
        self._vocab: Vocab = dict(vocab)
        self._tokens_by_id = {id: token for token, id in self._vocab.items()}
        if len(self._tokens_by_id) < len(self._vocab):
            token, id = next(item for item in self._vocab.items() if self._tokens_by_id[item[1]] != item[0])
            other = self._tokens_by_id[id]
            warn(
                f"vocab: {token!r} and {other!r} both have the id {id}; "
                f"id_to_token({id}) and the saved vocabulary have only {other!r}, so give each token its own id"
            )
        self._clear_cache()

    def _clear_cache(self) -> None:
        """Forget the tokens of all words seen so far."""
        ids, columns = WordCache(self._ids, self._cache_capacity), WordCache(self._columns, self._cache_capacity)
        vars(self).update(_id_cache=ids, _column_cache=columns)  # no setting has changed

    @property
    def _is_random(self) -> bool:
        """Whether results depend on random numbers, so that no word may be cached."""
        return False

    def _ids(self, word: str) -> list[int]:
        return self._columns(word).ids

    def _columns(self, word: str) -> Columns:
        """Return the tokens of a word, without a cache."""
        return NO_TOKENS

    def ids(self, word: str) -> list[int]:
        """Return the ids of the tokens of a pre-token. The list is cached: do not change it."""
        return self._ids(word) if self._is_random else self._id_cache[word]

    def columns(self, word: str) -> Columns:
        """Return ids, tokens and byte offsets of a pre-token. The lists are cached: do not change them."""
        return self._columns(word) if self._is_random else self._column_cache[word]

    def tokenize(self, sequence: str) -> list[Token]:
        """Split a text into tokens, without normalization or pre-tokenization; offsets are in UTF-8 bytes.

        Raises:
            TypeError: the text is not a str.
            UnicodeEncodeError: it has a lone surrogate.
            ValueError: a part of the text is unknown, and the vocabulary has no token for unknown parts.
        """
        return list(map(Token.unchecked, *self.columns(check_text("sequence", sequence))))

    def token_to_id(self, token: str) -> int | None:
        """Return the id of a token, or None if it is not in the vocabulary."""
        is_plain = isinstance(token, str) and token.isascii()
        return self._vocab.get(token if is_plain else check_text("token", token))

    def id_to_token(self, id: int) -> str | None:
        """Return the token with an id, or None if no token has it."""
        return self._tokens_by_id.get(check_unsigned_32("id", id))

    def get_vocab(self) -> Vocab:
        """Return the id of each token."""
        return dict(self._vocab)

    def get_vocab_size(self) -> int:
        """Return the number of tokens."""
        return len(self._vocab)

    def get_trainer(self) -> Any:
        """Return a trainer for this kind of model, with default settings."""
        return getattr(import_module("tokenlab.libraries.tokenizers.trainers"), self._trainer)()

    def _ordered_vocab(self) -> Vocab:
        """Return the vocabulary in the order of the ids, which is how it is saved."""
        return {self._tokens_by_id[id]: id for id in sorted(self._tokens_by_id)}

    def _files(self) -> dict[str, str]:
        """Return the texts of the files that `save` writes, by their names."""
        return {}

    def save(self, folder: str, prefix: str | None = None, name: str | None = None) -> list[str]:
        """Write the vocabulary files into a folder; return their paths.

        Args:
            folder: an existing folder.
            prefix: the start of each file name, which is followed by a hyphen.
            name: the old name of `prefix`.

        Raises:
            FileNotFoundError: there is no such folder.
        """
        if name is not None:
            warn("Model.save: the argument `name` is now called `prefix`; use that name", DeprecationWarning)
        prefix = name if prefix is None else prefix
        check_text("folder", folder)
        start = "" if prefix is None else f"{check_text('prefix', prefix)}-"
        paths = {os.path.join(folder, start + file): text for file, text in self._files().items()}
        write_all_atomically(paths)
        return list(paths)


def byte_offsets(parts: list[str]) -> list[Span]:
    """Return the offsets in UTF-8 bytes of consecutive parts of a text.

    >>> byte_offsets(["hé", "llo"])
    [(0, 3), (3, 6)]
    """
    ends = [0]
    for part in parts:
        ends.append(ends[-1] + (len(part) if part.isascii() else len(part.encode())))
    return list(pairwise(ends))
