"""What published tokenizers make of 120 texts, as `data/real_tokenizers.json` stores it: measured facts, no vocabulary.

The file is made from the published files by the live libraries (`data/make_real_tokenizers.py`).

>>> gpt2 = real_tokenizer("GPT-2")
>>> [token.shown for token in gpt2.tokens("strawberry")], [token.id for token in gpt2.tokens("strawberry")]
(['st', 'raw', 'berry'], [301, 1831, 8396])
>>> print(compare_real_tokenizers.record("strawberry", ("GPT-2", "T5"))[0])
"strawberry" has 3 tokens for GPT-2 and 1 token for T5
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from tokenlab import data
from tokenlab.printing.errors import lookup
from tokenlab.printing.printable import Symbol, count_noun, printable
from tokenlab.steps.recording import step, stepwise
from tokenlab.storage import files

# One of each kind; on the first screen of the first lesson.
TWELVE = (
    *("GPT-2", "GPT-4", "GPT-4o", "Llama 2", "Llama 3", "Mistral NeMo"),
    *("Gemma 3", "Qwen 3", "DeepSeek V3", "BERT, uncased", "T5", "mT5"),
)


class RealToken(NamedTuple):
    """A token: its bytes or its piece, its id, and the characters of the text that it stands for."""

    symbol: Symbol
    id: int
    start: int
    end: int

    @property
    def shown(self) -> str:
        """The token with invisible characters made visible."""
        return printable(self.symbol)


@dataclass(frozen=True)
class RealTokenizer:
    """A published tokenizer: what its files state, and its tokens of each text."""

    name: str
    family: str
    year: int
    size: int  # entries, special tokens included
    source: str  # the package and the file
    licence: str
    splits: str  # the pattern that splits a text, or the rule
    normalizer: str
    byte_fallback: bool
    unknown: int  # the id of the unknown token; -1 if every text can be encoded without one
    special_text: str  # what becomes of the text of a special token
    special_tokens: tuple[str, ...]  # the first ones
    special_count: int
    counts: dict[str, Any]  # of the entries: by length in bytes, by script, and of some kinds
    results: tuple[dict[str, Any], ...] = field(repr=False)

    def tokens(self, name: str) -> list[RealToken]:
        """Return the tokens of the text with this name.

        Raises:
            ValueError: there is no such text.
        """
        number, text = _numbered(name)
        found = self.results[number]
        if "pieces" in found:
            spans = iter(found["spans"])
            return [RealToken(*one) for one in zip(found["pieces"], found["ids"], spans, spans, strict=True)]
        return [*_byte_tokens(found.get("decoded", text), found["ids"], found["lengths"])]

    def decoded(self, name: str) -> str:
        """Return what the tokens of the text with this name decode to."""
        number, text = _numbered(name)
        restored: str = self.results[number].get("decoded", text)
        return restored


def _byte_tokens(text: str, ids: Sequence[int], lengths: Sequence[int]) -> Iterator[RealToken]:
    """Yield byte-level tokens; a token covers each character that has a byte in it."""
    as_bytes, owners = text.encode(), [n for n, character in enumerate(text) for _ in character.encode()]
    start = 0
    for id, length in zip(ids, lengths, strict=True):
        own = owners[start : start + length]
        yield RealToken(as_bytes[start : start + length], id, own[0], own[-1] + 1)
        start += length


@cache
def _stored() -> dict[str, Any]:
    stored: dict[str, Any] = json.loads(files.read_text(data.FOLDER / "real_tokenizers.json"))
    return stored


@cache
def real_tokenizers() -> dict[str, RealTokenizer]:
    """Return the published tokenizers by name.

    >>> [*real_tokenizers()][:3], real_tokenizer("Gemma 3").size
    (['GPT-2', 'GPT-4', 'GPT-4o'], 262145)
    """
    return {
        one["name"]: RealTokenizer(
            **one | {"special_tokens": tuple(one["special_tokens"]), "results": tuple(one["results"])}
        )
        for one in _stored()["tokenizers"]
    }


def real_tokenizer(name: str) -> RealTokenizer:
    """Return a published tokenizer.

    Raises:
        ValueError: the name is not known.
    """
    return lookup("name", name, real_tokenizers())


def texts() -> dict[str, dict[str, str]]:
    """Return the texts by group and name.

    >>> texts()["numbers"]["a sum"]
    '127 + 677 = 804'
    """
    grouped: dict[str, dict[str, str]] = {}
    for one in _stored()["texts"]:
        grouped.setdefault(one["group"], {})[one["name"]] = one["text"]
    return grouped


def text(name: str) -> str:
    """Return the text with this name.

    Raises:
        ValueError: there is no such text.
    """
    return _numbered(name)[1]


def _numbered(name: str) -> tuple[int, str]:
    numbered = {one["name"]: (number, one["text"]) for number, one in enumerate(_stored()["texts"])}
    return lookup("name", name, numbered)


@step
class RealTokenized:
    """A text as the tokens of some published tokenizers."""

    text: str
    names: tuple[str, ...]
    ids: tuple[tuple[int, ...], ...]
    tokens: tuple[tuple[Symbol, ...], ...]
    unknown: tuple[int, ...]  # the number of unknown tokens
    restored: tuple[bool, ...]  # whether decoding returns the text

    def __str__(self) -> str:
        counts = [f"{count_noun(len(ids), 'token')} for {name}" for name, ids in zip(self.names, self.ids, strict=True)]
        listed = " and ".join(filter(None, (", ".join(counts[:-1]), counts[-1])))
        return f'"{printable(self.text)}" has {listed}'


@stepwise
def compare_real_tokenizers(
    name: str, tokenizers: Sequence[str] | None = None
) -> Generator[RealTokenized, None, dict[str, int]]:
    """Return the number of tokens of a text for each published tokenizer.

    Args:
        name: the name of one of the `texts`.
        tokenizers: names of published tokenizers; by default, those of `TWELVE`.

    Raises:
        ValueError: a name is not known.
    """
    found = {one: real_tokenizer(one).tokens(name) for one in tokenizers or TWELVE}
    yield RealTokenized(
        text(name),
        tuple(found),
        tuple(tuple(token.id for token in tokens) for tokens in found.values()),
        tuple(tuple(token.symbol for token in tokens) for tokens in found.values()),
        tuple(sum(token.id == real_tokenizer(one).unknown for token in found[one]) for one in found),
        tuple(real_tokenizer(one).decoded(name) == text(name) for one in found),
    )
    return {one: len(tokens) for one, tokens in found.items()}
