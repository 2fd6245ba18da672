"""The first place where two tokenizers split a text differently, and why.

Adds: a comparison by the characters that each token covers, because the same text has other forms in other families
(`Ġthe`, `▁the`, `the`). Spaces around a token count only if nothing else differs, inserted tokens not at all.
Leaves out: other differences after the first one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import TypeAlias

from tokenlab.printing.printable import printable
from tokenlab.why.explanation import Explanation, TokenRow, Word, written_span

Key: TypeAlias = tuple[int, int, bool]
LINES = 20  # lines of a word


def compare(left: Explanation, right: Explanation, names: tuple[str, str]) -> Iterator[str]:
    """Yield the lines of a comparison of two explanations of one text.

    >>> from tokenlab import data
    >>> from tokenlab.why.load import load
    >>> ranks, subtokens = (load(data.FOLDER / name) for name in ("small.tiktoken", "english.subwords"))
    >>> for line in compare(ranks.explain("the the"), subtokens.explain("the the"), ("ranks", "subtokens")): print(line)
    The first difference is at 0:
      ranks: t (id 83), offsets 0-1
      subtokens: the_ (id 4), offsets 0-3
    Both models split the pre-token with the text "the", each in its own form:
      ranks: the
        symbols (bytes): t h e
        h + e became he, rank 257, at 1
        no two adjacent symbols together are a token
        the has the ids 83 257
      subtokens: the
        the_ matches at 0, the whole rest
    """
    pairs = [(left, names[0]), (right, names[1])]
    for trimmed in (True, False):
        keys = [_keys(one, trimmed) for one, _ in pairs]
        differing = _first_difference(*keys)
        if differing is None:
            continue
        at = min(key[0] for key in differing if key is not None)
        yield f"The first difference is at {at}{'' if trimmed else ', and only in how spaces belong to tokens'}:"
        for one, name in pairs:
            row = _covering(one.tokens, at)
            yield f"  {name}: {_row(row)}" if row else f"  {name}: no token"
        yield from _reason(pairs, at)
        return
    ids = [[row.id for row in one.tokens if row.span] for one, _ in pairs]
    yield f"Both split this text in the same places, with {'equal' if ids[0] == ids[1] else 'different'} ids."
    inserted = [" ".join(row.token for row in one.tokens if not row.span) or "none" for one, _ in pairs]
    if inserted[0] != inserted[1]:
        yield f"Inserted tokens: {names[0]}: {inserted[0]}; {names[1]}: {inserted[1]}."


def _keys(explanation: Explanation, trimmed: bool) -> list[Key]:
    """Return the span of each token, and whether it is unknown; without the spaces around it, if `trimmed`."""
    keys = []
    for row in explanation.tokens:
        if row.span is None:
            continue
        start, end = row.span
        if trimmed:
            part = explanation.text[start:end]
            start, end = start + len(part) - len(part.lstrip()), end - (len(part) - len(part.rstrip()))
        if start < end:
            keys.append((start, end, row.note == "unknown"))
    return keys


def _first_difference(left: Sequence[Key], right: Sequence[Key]) -> tuple[Key | None, Key | None] | None:
    return next((pair for pair in zip_longest(left, right) if pair[0] != pair[1]), None)


def _covering(rows: Sequence[TokenRow], at: int) -> TokenRow | None:
    return next((row for row in rows if row.span and row.span[0] <= at < row.span[1]), None)


def _row(row: TokenRow) -> str:
    note = f", {row.note}" if row.note else ""
    return f"{row.token} (id {row.id}), offsets {written_span(row.span)}{note}"


def _reason(pairs: Sequence[tuple[Explanation, str]], at: int) -> Iterator[str]:
    """Say whether the pre-tokens differ, or what each model does with the same pre-token."""
    words = [next((word for word in one.words if word.span[0] <= at < word.span[1]), None) for one, _ in pairs]
    texts = {_trimmed(one.text, word) for (one, _), word in zip(pairs, words, strict=True)}
    if len(texts) > 1 or None in texts:
        yield "The models do not receive the same pre-token:"
        for (_, name), word in zip(pairs, words, strict=True):
            yield f"  {name}: {printable(word.text)}, offsets {written_span(word.span)}" if word else f"  {name}: none"
        return
    yield f'Both models split the pre-token with the text "{printable(texts.pop() or "")}", each in its own form:'
    for (_, name), word in zip(pairs, words, strict=True):
        explain: Callable[[], Sequence[str]] = word.explain if word else tuple
        lines = [line for line in explain() if "was split off by" not in line]
        yield f"  {name}: {printable(word.text) if word else ''}"
        yield from (f"    {line}" for line in lines[:LINES])
        if len(lines) > LINES:
            yield f"    ... {len(lines) - LINES:,} more lines"


def _trimmed(text: str, word: Word | None) -> str | None:
    return text[slice(*word.span)].strip() if word else None
