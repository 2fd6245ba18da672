"""Encode random texts with pipelines of all kinds, in the library and in tokenlab.

`python -m tests.libraries.tokenizers.parity 200000` divides that number of texts among the pipelines; names of
pipelines may follow. Every column of every encoding is compared, also of those that overflow, and decoding.
"""

from __future__ import annotations

import random
import sys
import time
import unicodedata
from collections.abc import Iterator
from typing import Any

import tokenizers as live

from tests.libraries.tokenizers.pipelines import PIPELINES
from tests.strategies import SNIPPETS
from tokenlab.libraries import tokenizers as ours


def pair_of(name: str) -> tuple[live.Tokenizer, Any]:
    """Return a pipeline of the library, and the same of tokenlab, from the saved file."""
    theirs = PIPELINES[name]()
    mine = ours.Tokenizer.from_str(theirs.to_str())
    mine.encode_special_tokens = theirs.encode_special_tokens
    return theirs, mine


WORDS = (
    *("the", "The", " the", "token", "tokens", "lesson", "It's", "don't", "o'clock", "IT", "café", "ab", "aaa", "aab"),
    *(
        "[MASK]",
        "<mask>",
        "</s>",
        "<extra_id_0>",
        "[CLS]",
        "<|endoftext|>",
        "日本",
        "日",
        "👍",
        "<b>",
        "&",
        "Ünïcödé",
        "ǅ",
    ),
)


def texts(count: int, seed: int) -> Iterator[str]:
    """Yield random texts of words, snippets and characters; no character is newer than Python's Unicode data."""
    draw = random.Random(seed)
    for _ in range(count):
        parts = []
        for _ in range(draw.choice((0, 1, 2, 4, 8, 16, 30))):
            kind = draw.random()
            if kind < 0.45:
                parts.append(draw.choice(WORDS))
            elif kind < 0.8:
                parts.append(draw.choice(SNIPPETS))
            else:
                parts.append(_character(draw))
            if draw.random() < 0.4:
                parts.append(draw.choice("  \n\t\u3000"))
        yield "".join(parts)


def _character(draw: random.Random) -> str:
    while True:
        limit = draw.choice((0x80, 0x250, 0x3000, 0x10000, 0x20000))
        character = chr(draw.randrange(limit))
        if unicodedata.category(character) not in ("Cs", "Cn"):
            return character


COLUMNS = ("ids", "tokens", "offsets", "word_ids", "type_ids", "attention_mask", "special_tokens_mask", "sequence_ids")


def columns(encoding: Any) -> list[Any]:
    own = [getattr(encoding, name) for name in COLUMNS]
    return [*own, encoding.n_sequences, [columns(one) for one in encoding.overflowing]]


def outcome(tokenizer: Any, text: str, pair: str | None, **options: Any) -> Any:
    """Return all columns, or "error" if the tokenizer raises an exception."""
    try:
        encoding = tokenizer.encode(text, pair, **options)
        return (
            columns(encoding),
            tokenizer.decode(encoding.ids),
            tokenizer.decode(encoding.ids, skip_special_tokens=False),
        )
    except Exception:
        return "error"


def fast_outcome(tokenizer: Any, text: str) -> Any:
    """Return the columns of a batch without offsets, or "error"."""
    try:
        return [columns(encoding) for encoding in tokenizer.encode_batch_fast([text, text[:5]])]
    except Exception:
        return "error"


def differences(name: str, count: int, seed: int = 0) -> Iterator[tuple[str, str | None, Any, Any]]:
    """Yield each text (and pair) of `count` that the two tokenizers encode differently."""
    theirs, mine = pair_of(name)
    draw = random.Random(seed + 1)
    for text in texts(count, seed):
        kind = draw.random()
        pair = next(texts(1, draw.randrange(2**32))) if kind < 0.2 else None
        options: dict[str, Any] = {"add_special_tokens": draw.random() < 0.8}
        given: Any = text
        if kind > 0.9:
            options["is_pretokenized"] = True
            given = text.split(" ")
        expected, actual = outcome(theirs, given, pair, **options), outcome(mine, given, pair, **options)
        if expected != actual:
            yield given, pair, expected, actual
        if kind > 0.8 and "is_pretokenized" not in options:
            expected, actual = fast_outcome(theirs, text), fast_outcome(mine, text)
            if expected != actual:
                yield text, None, expected, actual


def main(arguments: list[str]) -> int:
    """Compare a number of texts, divided among all pipelines or those that are named; return the exit status."""
    count = int(arguments[0]) if arguments else 2000
    names = arguments[1:] or list(PIPELINES)
    share = -(-count // len(names))
    failed = 0
    for name in names:
        start = time.perf_counter()
        found = list(differences(name, share))
        failed += len(found)
        print(
            f"{name}: {-(-count // len(names))} texts, {len(found)} differences, {time.perf_counter() - start:.1f} s",
            flush=True,
        )
        for text, pair, expected, actual in sorted(found, key=lambda one: len(str(one)))[:1]:
            print(f"  {text!r}, {pair!r}\n    library: {expected!r:.300}\n    ours:    {actual!r:.300}")
    print(f"{failed} differences, {len(names)} pipelines, tokenizers {live.__version__}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
