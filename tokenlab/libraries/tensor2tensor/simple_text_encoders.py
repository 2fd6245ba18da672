"""Unicode helpers and the simpler encoders of tensor2tensor's `data_generators/text_encoder.py`.

Adds: the base class of all encoders, and ids for bytes, labels, and words separated by spaces.
Leaves out: subtokens. Import all these names from `text_encoder`, as in the library.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

from tokenlab.algorithms.subword_text.build import RESERVED_TOKENS
from tokenlab.storage import files

NUM_RESERVED_TOKENS = len(RESERVED_TOKENS)
RESERVED_TOKENS_BYTES = [token.encode("ascii") for token in RESERVED_TOKENS]


def native_to_unicode(s: str | bytes) -> str:
    """Return a str unchanged, or decode bytes as UTF-8, ignoring invalid bytes.

    Raises:
        AttributeError: `s` is neither str nor bytes.

    >>> native_to_unicode(b"so\\xff!")
    'so!'
    """
    return to_unicode(s, ignore_errors=True)


def unicode_to_native(s: str) -> str:
    """Return the str unchanged: it is the native type of Python 3.

    >>> unicode_to_native("so")
    'so'
    """
    return s


def to_unicode(s: str | bytes, ignore_errors: bool = False) -> str:
    """Return a str unchanged, or decode bytes as UTF-8.

    Raises:
        UnicodeDecodeError: the bytes are not UTF-8, and `ignore_errors` is False.
        AttributeError: `s` is neither str nor bytes.

    >>> to_unicode("so".encode())
    'so'
    """
    if isinstance(s, str):
        return s
    if not hasattr(s, "decode"):
        raise AttributeError(f"{s!r:.60} is of type {type(s).__name__}; give a str, or bytes in UTF-8")
    return s.decode("utf-8", errors="ignore" if ignore_errors else "strict")


def strip_ids(ids: Iterable[int], ids_to_strip: Collection[int]) -> list[int]:
    """Return the ids without the trailing ones that are in `ids_to_strip`.

    >>> strip_ids([0, 5, 0, 1, 0], [0, 1])
    [0, 5]
    """
    ids = list(ids)
    while ids and ids[-1] in ids_to_strip:
        ids.pop()
    return ids


class TextEncoder:
    """The base class of the encoders, which encodes integers; the first ids are reserved.

    >>> TextEncoder().encode("5 0"), TextEncoder().decode([7, 2, 1])
    ([7, 2], '5 0 <EOS>')
    """

    def __init__(self, num_reserved_ids: int = NUM_RESERVED_TOKENS) -> None:
        self._num_reserved_ids = num_reserved_ids

    @property
    def num_reserved_ids(self) -> int:
        """The number of reserved ids."""
        return self._num_reserved_ids

    def encode(self, s: Any) -> Any:
        """Return the ids of a text, without EOS."""
        return [int(word) + self._num_reserved_ids for word in s.split()]

    def decode(self, ids: Any, strip_extraneous: bool = False) -> str:
        """Return the text of ids, optionally without reserved ids at the end."""
        return " ".join(self.decode_list(self._stripped(ids, strip_extraneous)))

    def decode_list(self, ids: Any) -> list[Any]:
        """Return the text of each id."""
        return [
            RESERVED_TOKENS[int(id)] if 0 <= id < self._num_reserved_ids else str(id - self._num_reserved_ids)
            for id in ids
        ]

    @property
    def vocab_size(self) -> int:
        """The number of ids, which only subclasses define."""
        raise NotImplementedError("there are infinitely many integers; only subclasses have a vocab_size")

    def _stripped(self, ids: Any, strip_extraneous: bool) -> Any:
        return strip_ids(ids, range(self._num_reserved_ids or 0)) if strip_extraneous else ids


class ByteTextEncoder(TextEncoder):
    """An encoder of UTF-8 bytes as ids, after the reserved ids.

    >>> ByteTextEncoder().encode("é"), ByteTextEncoder().decode([197, 171, 1])
    ([197, 171], 'é<EOS>')
    """

    def encode(self, s: str) -> list[int]:
        """Return the ids of the bytes of a text.

        Raises:
            UnicodeEncodeError: the text contains a lone surrogate.
        """
        return [byte + self._num_reserved_ids for byte in s.encode("utf-8")]

    def decode(self, ids: Iterable[int], strip_extraneous: bool = False) -> str:
        """Return the text of ids; bytes that are not UTF-8 become U+FFFD.

        Raises:
            struct.error: an id is larger than that of the last byte.
        """
        return b"".join(map(self._bytes_of, self._stripped(ids, strip_extraneous))).decode("utf-8", "replace")

    def decode_list(self, ids: Iterable[int]) -> list[bytes]:
        """Return each id as bytes; a reserved id as its name."""
        return list(map(self._bytes_of, ids))

    def _bytes_of(self, id: int) -> bytes:
        if 0 <= id < self._num_reserved_ids:
            return RESERVED_TOKENS_BYTES[int(id)]
        try:
            return struct.pack("B", id - self._num_reserved_ids)
        except struct.error:
            raise struct.error(f"there is no id {id}; the ids go from 0 to {self.vocab_size - 1}") from None

    @property
    def vocab_size(self) -> int:
        """The number of bytes and reserved ids."""
        return 2**8 + self._num_reserved_ids


class ClassLabelEncoder(TextEncoder):
    """An encoder of class labels as ids.

    >>> ClassLabelEncoder(["cat", "dog"]).encode("dog"), ClassLabelEncoder(["cat", "dog"]).decode([1])
    (1, 'dog')
    """

    def __init__(self, class_labels: list[str] | None = None, class_labels_fname: str | None = None) -> None:
        """Read the labels from a list, or from the lines of a file.

        Raises:
            AssertionError: there are no labels.
        """
        super().__init__(num_reserved_ids=0)
        if class_labels_fname:
            class_labels = [line.strip() for line in files.read_lines(class_labels_fname)]
        if not class_labels:
            raise AssertionError("there are no labels; give class_labels, or a file with one label per line")
        self._class_labels = class_labels

    def encode(self, s: str) -> int:
        """Return the id of a label.

        Raises:
            ValueError: the label is not known.
        """
        if s not in self._class_labels:
            raise ValueError(
                f"{s!r:.60} is not a label; the labels are: {', '.join(map(repr, self._class_labels[:20]))}"
            )
        return self._class_labels.index(s)

    def decode(self, ids: Any, strip_extraneous: bool = False) -> str:
        """Return the label of an id, or of a list with one id."""
        if isinstance(ids, list):
            if len(ids) != 1:
                raise AssertionError(f"ids={ids!r:.60} has {len(ids)} ids; give one id")
            ids = ids[0]
        return self._class_labels[int(ids)]

    def decode_list(self, ids: Iterable[int]) -> list[str]:
        """Return the labels of ids."""
        return [self._class_labels[id] for id in ids]

    @property
    def vocab_size(self) -> int:
        """The number of labels."""
        return len(self._class_labels)


class OneHotClassLabelEncoder(ClassLabelEncoder):
    """An encoder of class labels as one-hot vectors, with one element for each label.

    >>> encoder = OneHotClassLabelEncoder(["cat", "dog", "owl"])
    >>> encoder.encode("dog"), encoder.decode([0, 0, 1])
    ([0, 1, 0], 'owl')
    """

    def encode(self, label_str: str, on_value: int = 1, off_value: int = 0) -> list[int]:  # type: ignore[override]
        """Return the vector of a label: `on_value` at its index, `off_value` elsewhere.

        Raises:
            ValueError: the label is not known.
        """
        label = super().encode(label_str)
        return [on_value if index == label else off_value for index in range(self.vocab_size)]

    def decode(self, ids: Any, strip_extraneous: bool = False) -> str:
        """Return the label at the first 1 of a vector, which is a list or an array.

        Raises:
            AssertionError: the vector has another type, or its length is not the number of labels.
            ValueError: the vector contains no 1.
        """
        vector = ids.ravel().tolist() if hasattr(ids, "ravel") else ids
        if not isinstance(vector, list) or len(vector) != self.vocab_size:
            raise AssertionError(f"ids={ids!r:.60} should be a list of {self.vocab_size} numbers, one for each label")
        if 1 not in vector:
            raise ValueError(f"ids={ids!r:.60} has no 1, which marks the label")
        return self._class_labels[vector.index(1)]


class TokenTextEncoder(TextEncoder):
    """An encoder of words separated by whitespace as ids, with a given vocabulary.

    >>> encoder = TokenTextEncoder(None, vocab_list=["so", "cool", "<UNK>"], replace_oov="<UNK>")
    >>> encoder.encode("so hot"), encoder.decode([2, 3, 9])
    ([2, 4], 'so cool ID_9')
    """

    def __init__(
        self,
        vocab_filename: str | Path | None,
        reverse: bool = False,
        vocab_list: Iterable[str] | None = None,
        replace_oov: str | None = None,
        num_reserved_ids: int = NUM_RESERVED_TOKENS,
    ) -> None:
        """Read the words from the lines of a file, or from a list, which follow the reserved tokens.

        Args:
            vocab_filename: a file with all tokens, including the reserved ones; or None.
            reverse: whether the ids of a text are in reverse order.
            vocab_list: the tokens without the reserved ones, if there is no file.
            replace_oov: the token that replaces every out-of-vocabulary word.
            num_reserved_ids: the number of reserved ids.

        Raises:
            AssertionError: there is neither a file nor a list.
        """
        super().__init__(num_reserved_ids=num_reserved_ids)
        self._reverse = reverse
        self._replace_oov = replace_oov
        if vocab_filename:
            self._init_vocab_from_file(vocab_filename)
        elif vocab_list is None:
            raise AssertionError("there are no tokens; give vocab_filename, or vocab_list")
        else:
            self._init_vocab_from_list(vocab_list)

    def _init_vocab_from_file(self, filename: str | Path) -> None:
        self._init_vocab((line.strip() for line in files.read_lines(filename)), add_reserved_tokens=False)

    def _init_vocab_from_list(self, vocab_list: Iterable[str]) -> None:
        self._init_vocab(token for token in vocab_list if token not in RESERVED_TOKENS)

    def _init_vocab(self, token_generator: Iterable[str], add_reserved_tokens: bool = True) -> None:
        reserved = RESERVED_TOKENS if add_reserved_tokens else []
        self._id_to_token = dict(enumerate([*reserved, *token_generator]))
        self._token_to_id = {token: id for id, token in self._id_to_token.items()}

    def encode(self, s: str) -> list[int]:
        """Return the ids of the words.

        Raises:
            KeyError: a word is not in the vocabulary, and `replace_oov` is None.
        """
        words = s.split()
        if self._replace_oov is not None:
            words = [word if word in self._token_to_id else self._replace_oov for word in words]
        for word in words:
            if word not in self._token_to_id:
                raise KeyError(f"{word!r:.60} is not in the vocabulary; replace_oov= names a token to replace it")
        ids = [self._token_to_id[word] for word in words]
        return ids[::-1] if self._reverse else ids

    def decode(self, ids: Sequence[int], strip_extraneous: bool = False) -> str:
        """Return the tokens of ids, separated by spaces."""
        return " ".join(self.decode_list(ids))

    def decode_list(self, ids: Sequence[int]) -> list[str]:
        """Return the tokens of ids; an id without a token becomes `ID_` and its number."""
        return [self._safe_id_to_token(id) for id in (reversed(ids) if self._reverse else ids)]

    def _safe_id_to_token(self, idx: int) -> str:
        return self._id_to_token.get(idx, f"ID_{idx}")

    @property
    def vocab_size(self) -> int:
        """The number of tokens, including the reserved ones."""
        return len(self._id_to_token)

    def store_to_file(self, filename: str | Path) -> None:
        """Write one token per line, including the reserved ones."""
        files.write_atomically(filename, (f"{token}\n" for token in self._id_to_token.values()))
