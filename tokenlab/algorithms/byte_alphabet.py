"""GPT-2's alphabet for bytes: each of the 256 bytes gets a glyph that a person can see and a text file can hold.

BPE on bytes needs names for bytes in a vocabulary that is written as text. The Latin-1 character of a byte will not do
for all: some are blanks or controls. So a byte keeps its own character where that can be seen, and the others get, in
their order, the characters from 256 on. A glyph is only a name: nothing of the text is changed.
Source: openai/gpt-2, src/encoder.py, bytes_to_unicode.

>>> to_glyphs(" día".encode())
'ĠdÃŃa'
>>> from_glyphs("ĠdÃŃa").decode()
' día'
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count


def _glyphs() -> Iterator[str]:
    invented = count(256)
    for byte in range(256):
        own = chr(byte)
        # subtle: the soft hyphen, 0xad, cannot be seen either, and isprintable knows.
        yield own if own.isprintable() and own != " " else chr(next(invented))


GLYPHS: tuple[str, ...] = tuple(_glyphs())  # the glyph of each byte
BYTES: dict[str, int] = {glyph: byte for byte, glyph in enumerate(GLYPHS)}  # the byte of each glyph

# The order in which GPT-2 gives ids to single bytes: first those that keep their character, then the others.
GPT2_ORDER: tuple[int, ...] = tuple(sorted(range(256), key=lambda byte: (ord(GLYPHS[byte]) > 255, byte)))


def to_glyphs(data: bytes) -> str:
    """The bytes written in glyphs.

    >>> to_glyphs("!é".encode()), to_glyphs(bytes([0, 10, 32, 173]))
    ('!Ã©', 'ĀĊĠŃ')
    """
    return "".join(map(GLYPHS.__getitem__, data))


def from_glyphs(glyphs: str) -> bytes:
    """The bytes that these glyphs stand for.

    Raises:
        ValueError: a character that is no glyph; its position is named.
    """
    try:
        return bytes(map(BYTES.__getitem__, glyphs))
    except KeyError as error:
        glyph = error.args[0]
        raise ValueError(
            f"the character {glyph!r} at position {glyphs.index(glyph)} of {glyphs!r:.60} is no glyph of a byte; "
            "to_glyphs(text.encode()) makes glyphs from a text"
        ) from None
