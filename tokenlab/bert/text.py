"""The small functions around BERT's tokenizer: text from bytes, words between white space, look-ups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def convert_to_unicode(text: str | bytes) -> str:
    """The text itself, or bytes read as UTF-8, without those that are none.

    Raises:
        ValueError: it is neither.

    >>> convert_to_unicode(b"caf\\xc3\\xa9 \\xff")
    'café '
    """
    if isinstance(text, str):
        return text
    if isinstance(text, bytes):
        return text.decode("utf-8", "ignore")
    raise ValueError(f"text={text!r:.60} is a {type(text).__name__}; give a str, or bytes in UTF-8")


def printable_text(text: str | bytes) -> str:
    """What can be printed: in Python 3 the same as `convert_to_unicode`.

    >>> printable_text(b"caf\\xc3\\xa9")
    'café'
    """
    return convert_to_unicode(text)


def whitespace_tokenize(text: str) -> list[str]:
    """The parts of a text between white space.

    >>> whitespace_tokenize(" to  be\\n")
    ['to', 'be']
    """
    return text.split()


def convert_by_vocab(vocab: Mapping[K, V], items: Iterable[K]) -> list[V]:
    """What the vocabulary has for each item: ids for tokens, or tokens for ids.

    Raises:
        KeyError: an item is not in the vocabulary.

    >>> convert_by_vocab({"[UNK]": 0, "hug": 1}, ["hug", "[UNK]"])
    [1, 0]
    """
    try:
        return [vocab[item] for item in items]
    except KeyError as error:
        missing = error.args[0]
        raise KeyError(
            f"{missing!r:.60} is not in the vocabulary of {len(vocab):,} entries; WordpieceTokenizer gives only tokens "
            "that are, and [UNK], which should be"
        ) from None


def convert_tokens_to_ids(vocab: Mapping[str, int], tokens: Iterable[str]) -> list[int]:
    """The id of each token.

    >>> convert_tokens_to_ids({"hug": 7, "##s": 9}, ["hug", "##s"])
    [7, 9]
    """
    return convert_by_vocab(vocab, tokens)


def convert_ids_to_tokens(inv_vocab: Mapping[int, str], ids: Iterable[int]) -> list[str]:
    """The token of each id; the vocabulary is the other way round.

    >>> convert_ids_to_tokens({7: "hug", 9: "##s"}, [7, 9])
    ['hug', '##s']
    """
    return convert_by_vocab(inv_vocab, ids)
