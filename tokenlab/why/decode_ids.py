"""The reverse direction: the token, the bytes and the text of each id, and characters that are not complete.

Adds: for tokens that are bytes, incremental UTF-8 decoding (`algorithms.decoding.incremental_utf8`) across the ids.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tokenlab.algorithms.decoding.incremental_utf8 import split_complete
from tokenlab.printing.printable import printable
from tokenlab.printing.text_layout import safe, table, wrapped
from tokenlab.why.explanation import Explainer

MOST_IDS = 2000  # ids whose texts are found one by one
HEX = 8  # bytes that a row shows
LENGTHS = ((0xF0, 4), (0xE0, 3), (0xC0, 2))  # the first byte of a character, at least, and its number of bytes


@dataclass(frozen=True)
class DecodedId:
    """An id with its token, its bytes if they do not depend on other ids, the text that it completes, and a remark."""

    id: int
    token: str | None
    bytes: bytes | None
    text: str
    note: str = ""


def parse_ids(given: str) -> list[int]:
    """Return the ids in a text, separated by spaces or commas, in brackets or not.

    Raises:
        ValueError: a part is not an id.

    >>> parse_ids("[1, 2 3]")
    [1, 2, 3]
    """
    parts = re.split(r"[\s,]+", given.strip().removeprefix("[").removesuffix("]").strip())
    for part in filter(None, parts):
        if not re.fullmatch(r"[0-9]{1,10}", part):
            raise ValueError(f"--ids: {part[:40]!r} is not an id; give whole numbers, such as --ids '15339 1917'")
    return [int(part) for part in parts if part]


def decode_ids(explainer: Explainer, ids: Sequence[int]) -> list[DecodedId]:
    """Return each id with its token and its text.

    Raises:
        ValueError: there are too many ids.

    >>> from tokenlab import data
    >>> from tokenlab.why.load import load
    >>> for one in decode_ids(load(data.FOLDER / "small.tiktoken"), [127, 102]): print(one.bytes, one.text, one.note)
    b'\\xc3'  the byte c3 begins a character of 2 bytes: 1 more is missing
    b'\\xa9' é completes a character
    """
    if len(ids) > MOST_IDS:
        raise ValueError(f"--ids has {len(ids):,} ids; give {MOST_IDS:,} or fewer")
    rows: list[DecodedId] = []
    pending, known, before = b"", [], ""
    for id in ids:
        token = explainer.token_of(id)
        if token is None:
            rows.append(DecodedId(id, None, None, "", "no token has this id"))
            continue
        known.append(id)
        now = explainer.decode(known)
        raw = explainer.bytes_of(id)
        if raw is None:
            text = now[len(before) :] if now.startswith(before) else explainer.decode([id])
            note = "the character before it stays incomplete" if pending else ""
            pending = b""
        else:
            held = len(pending)
            text, pending = split_complete(pending + raw)
            note = _note(text, pending, held)
        before = now
        rows.append(DecodedId(id, printable(token), raw, text, note))
    return rows


def _note(text: str, pending: bytes, held: int) -> str:
    if pending:
        size = next((size for first, size in LENGTHS if pending[0] >= first), 1)
        missing = size - len(pending)
        verb = "is" if missing == 1 else "are"
        what = f"the byte {pending.hex()} begins" if len(pending) == 1 else f"the bytes {pending.hex(' ')} begin"
        return f"{what} a character of {size} bytes: {missing} more {verb} missing"
    if "\ufffd" in text:
        return "not UTF-8: shown as U+FFFD"
    return "completes a character" if held else ""


def ids_report(explainer: Explainer, ids: Sequence[int], width: int) -> Iterator[str]:
    """Yield the lines of the report on ids."""
    rows = decode_ids(explainer, ids)
    yield f"Ids: {len(ids):,}"
    if rows:
        cells = [["", str(row.id), row.token or "", _hex(row.bytes), printable(row.text)] for row in rows]
        most = max(8, (width - 36) // 2)
        lines = table(["", "id", "token", "bytes", "text"], cells, [0, 10, most, 25], right=2, width=width)
        yield next(lines)
        for row, line in zip(rows, lines, strict=True):
            yield safe(line)
            if row.note:
                yield from wrapped(f"^ {row.note}", width, "        ")
    text = explainer.decode([row.id for row in rows if row.token is not None])
    yield ""
    yield from map(safe, wrapped(f"Text: {printable(text) or 'nothing'}", width))


def _hex(raw: bytes | None) -> str:
    return "" if raw is None else raw[:HEX].hex(" ") + (" …" if len(raw) > HEX else "")
