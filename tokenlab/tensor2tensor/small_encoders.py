"""Unicode helpers and the smaller encoders of tensor2tensor's `data_generators/text_encoder.py`.

Adds: what every encoder there shares, and ids for numbers, bytes, labels, and words between blanks.
Leaves out: subtokens, which is `text_encoder`; it has all these names, too, and is where to import them from.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

from tokenlab import files
from tokenlab.algorithms.subword_text import RESERVED_TOKENS

NUM_RESERVED_TOKENS = len(RESERVED_TOKENS)
RESERVED_TOKENS_BYTES = [token.encode("ascii") for token in RESERVED_TOKENS]


def native_to_unicode(s: str | bytes) -> str:
    """The text itself, or what bytes say in UTF-8; what is not UTF-8 is left out.

    Raises:
        AttributeError: neither text nor bytes.

    >>> native_to_unicode(b"so\\xff!")
    'so!'
    """
    return to_unicode(s, ignore_errors=True)


def unicode_to_native(s: str) -> str:
    """The text itself, as Python's strings are Unicode.

    >>> unicode_to_native("so")
    'so'
    """
    return s


def is_unicode(s: Any) -> bool:
    """Whether this is a text.

    >>> is_unicode("so"), is_unicode(b"so")
    (True, False)
    """
    return isinstance(s, str)


def to_unicode(s: str | bytes, ignore_errors: bool = False) -> str:
    """The text itself, or what bytes say in UTF-8.

    Raises:
        UnicodeDecodeError: the bytes are not UTF-8, and errors are not to be ignored.
        AttributeError: neither text nor bytes.

    >>> to_unicode("so".encode())
    'so'
    """
    if isinstance(s, str):
        return s
    if not hasattr(s, "decode"):
        raise AttributeError(f"{s!r:.60} is a {type(s).__name__}; give a str, or bytes in UTF-8")
    return s.decode("utf-8", errors="ignore" if ignore_errors else "strict")


def to_unicode_ignore_errors(s: str | bytes) -> str:
    """What the bytes say in UTF-8, without what is none.

    >>> to_unicode_ignore_errors(b"so\\xff!")
    'so!'
    """
    return to_unicode(s, ignore_errors=True)


def to_unicode_utf8(s: bytes) -> str:
    """What the bytes say in UTF-8.

    Raises:
        UnicodeDecodeError: they are not UTF-8.

    >>> to_unicode_utf8(b"so")
    'so'
    """
    return s.decode("utf-8")


def strip_ids(ids: Iterable[int], ids_to_strip: Collection[int]) -> list[int]:
    """The ids without those at the end that are to be stripped.

    >>> strip_ids([0, 5, 0, 1, 0], [0, 1])
    [0, 5]
    """
    ids = list(ids)
    while ids and ids[-1] in ids_to_strip:
        ids.pop()
    return ids


class TextEncoder:
    """Numbers as text, and what every encoder here has; the first ids are reserved.

    >>> TextEncoder().encode("5 0"), TextEncoder().decode([7, 2, 1])
    ([7, 2], '5 0 <EOS>')
    """

    def __init__(self, num_reserved_ids: int = NUM_RESERVED_TOKENS) -> None:
        """Reserve the first ids."""
        self._num_reserved_ids = num_reserved_ids

    @property
    def num_reserved_ids(self) -> int:
        """How many ids are reserved."""
        return self._num_reserved_ids

    def encode(self, s: Any) -> Any:
        """The ids of a text; no end is appended."""
        return [int(word) + self._num_reserved_ids for word in s.split()]

    def decode(self, ids: Any, strip_extraneous: bool = False) -> str:
        """The text of ids, on demand without the reserved ones at its end."""
        return " ".join(self.decode_list(self._stripped(ids, strip_extraneous)))

    def decode_list(self, ids: Any) -> list[Any]:
        """Each id as text of its own."""
        return [
            RESERVED_TOKENS[int(id)] if 0 <= id < self._num_reserved_ids else str(id - self._num_reserved_ids)
            for id in ids
        ]

    @property
    def vocab_size(self) -> int:
        """How many ids there are; here nobody knows."""
        raise NotImplementedError("numbers have no end; the encoders made from this one know their vocab_size")

    def _stripped(self, ids: Any, strip_extraneous: bool) -> Any:
        return strip_ids(ids, range(self._num_reserved_ids or 0)) if strip_extraneous else ids


class ByteTextEncoder(TextEncoder):
    """The bytes of UTF-8 as ids, behind the reserved ones.

    >>> ByteTextEncoder().encode("é"), ByteTextEncoder().decode([197, 171, 1])
    ([197, 171], 'é<EOS>')
    """

    def encode(self, s: str) -> list[int]:
        """The ids of a text's bytes.

        Raises:
            UnicodeEncodeError: a lone surrogate.
        """
        return [byte + self._num_reserved_ids for byte in s.encode("utf-8")]

    def decode(self, ids: Iterable[int], strip_extraneous: bool = False) -> str:
        """The text of ids; bytes that are not UTF-8 become U+FFFD.

        Raises:
            struct.error: an id beyond the last byte.
        """
        return b"".join(self.decode_list(self._stripped(ids, strip_extraneous))).decode("utf-8", "replace")

    def decode_list(self, ids: Iterable[int]) -> list[bytes]:
        """Each id as bytes; a reserved one as its name."""
        return [RESERVED_TOKENS_BYTES[int(id)] if 0 <= id < self._num_reserved_ids else self._byte(id) for id in ids]

    def _byte(self, id: int) -> bytes:
        try:
            return struct.pack("B", id - self._num_reserved_ids)
        except struct.error:
            raise struct.error(f"there is no id {id}; the ids go from 0 to {self.vocab_size - 1}") from None

    @property
    def vocab_size(self) -> int:
        """The bytes, and the reserved ids."""
        return 2**8 + self._num_reserved_ids


class ClassLabelEncoder(TextEncoder):
    """Labels of classes as ids.

    >>> ClassLabelEncoder(["cat", "dog"]).encode("dog"), ClassLabelEncoder(["cat", "dog"]).decode([1])
    (1, 'dog')
    """

    def __init__(self, class_labels: list[str] | None = None, class_labels_fname: str | None = None) -> None:
        """Take the labels from a list, or from the lines of a file.

        Raises:
            AssertionError: no labels.
        """
        super().__init__(num_reserved_ids=0)
        if class_labels_fname:
            class_labels = [line.strip() for line in files.read_lines(class_labels_fname)]
        if not class_labels:
            raise AssertionError("there are no labels; give class_labels, or a file with a label a line")
        self._class_labels = class_labels

    def encode(self, s: str) -> int:
        """The id of a label.

        Raises:
            ValueError: it is none.
        """
        if s not in self._class_labels:
            raise ValueError(f"{s!r:.60} is no label; there are: {', '.join(map(repr, self._class_labels[:20]))}")
        return self._class_labels.index(s)

    def decode(self, ids: Any, strip_extraneous: bool = False) -> str:
        """The label of an id, or of a list with one id."""
        if isinstance(ids, list):
            if len(ids) != 1:
                raise AssertionError(f"ids={ids!r:.60} has {len(ids)} ids; a label has one")
            ids = ids[0]
        return self._class_labels[int(ids)]

    def decode_list(self, ids: Iterable[int]) -> list[str]:
        """The labels of ids."""
        return [self._class_labels[id] for id in ids]

    @property
    def vocab_size(self) -> int:
        """How many labels there are."""
        return len(self._class_labels)


class TokenTextEncoder(TextEncoder):
    """Words between blanks as ids, by a vocabulary that is given.

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
        """Take the words from the lines of a file, or from a list, behind the reserved tokens.

        Args:
            vocab_filename: a file with all tokens, the reserved ones too; or None.
            reverse: whether ids stand in the opposite order.
            vocab_list: the tokens without the reserved ones, where no file is named.
            replace_oov: the token that stands for every word that is none.
            num_reserved_ids: how many ids are reserved.

        Raises:
            AssertionError: neither a file nor a list.
        """
        super().__init__(num_reserved_ids=num_reserved_ids)
        self._reverse = reverse
        self._replace_oov = replace_oov
        if vocab_filename:
            tokens = [line.strip() for line in files.read_lines(vocab_filename)]
        elif vocab_list is None:
            raise AssertionError("there are no tokens; give vocab_filename, or vocab_list")
        else:
            tokens = [*RESERVED_TOKENS, *(token for token in vocab_list if token not in RESERVED_TOKENS)]
        self._id_to_token = dict(enumerate(tokens))
        self._token_to_id = {token: id for id, token in self._id_to_token.items()}

    def encode(self, s: str) -> list[int]:
        """The ids of the words.

        Raises:
            KeyError: a word is no token, and nothing stands for it.
        """
        words = s.split()
        if self._replace_oov is not None:
            words = [word if word in self._token_to_id else self._replace_oov for word in words]
        for word in words:
            if word not in self._token_to_id:
                raise KeyError(f"{word!r:.60} is not in the vocabulary; replace_oov= names a token that stands for it")
        ids = [self._token_to_id[word] for word in words]
        return ids[::-1] if self._reverse else ids

    def decode(self, ids: Sequence[int], strip_extraneous: bool = False) -> str:
        """The tokens of ids, with blanks between them."""
        return " ".join(self.decode_list(ids))

    def decode_list(self, ids: Sequence[int]) -> list[str]:
        """The tokens of ids; an id that has none is written as its number."""
        return [self._id_to_token.get(id, f"ID_{id}") for id in (reversed(ids) if self._reverse else ids)]

    @property
    def vocab_size(self) -> int:
        """How many tokens there are, the reserved ones among them."""
        return len(self._id_to_token)

    def store_to_file(self, filename: str | Path) -> None:
        """Write a token a line, the reserved ones too."""
        files.write_whole(filename, (f"{token}\n" for token in self._id_to_token.values()))
