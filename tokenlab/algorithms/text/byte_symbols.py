"""GPT-2's byte symbols: each of the 256 bytes has a printable stand-in character.

A byte-level BPE vocabulary that is stored as text needs a printable name for every byte. The Latin-1 character of a
byte serves only if it is printable: some are whitespace or control characters. A byte with a printable character keeps
it; the others get the code points from 256 on, in order. A byte symbol is only a name: the text is not changed.
Source: openai/gpt-2, src/encoder.py, bytes_to_unicode.

>>> bytes_to_symbols(" día".encode())
'ĠdÃŃa'
>>> symbols_to_bytes("ĠdÃŃa").decode()
' día'
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count


def _byte_symbols() -> Iterator[str]:
    code_points = count(256)
    for byte in range(256):
        own = chr(byte)
        # subtle: the soft hyphen, 0xad, is invisible as well; isprintable returns False for it.
        yield own if own.isprintable() and own != " " else chr(next(code_points))


BYTE_TO_SYMBOL: tuple[str, ...] = tuple(_byte_symbols())  # indexed by byte
SYMBOL_TO_BYTE: dict[str, int] = {symbol: byte for byte, symbol in enumerate(BYTE_TO_SYMBOL)}

# The order in which GPT-2 gives ids to single bytes: first the bytes that keep their character, then the others.
GPT2_ORDER: tuple[int, ...] = tuple(sorted(range(256), key=lambda byte: (ord(BYTE_TO_SYMBOL[byte]) > 255, byte)))


def bytes_to_symbols(data: bytes) -> str:
    """Return the byte symbols of some bytes.

    >>> bytes_to_symbols("!é".encode()), bytes_to_symbols(bytes([0, 10, 32, 173]))
    ('!Ã©', 'ĀĊĠŃ')
    """
    return "".join(map(BYTE_TO_SYMBOL.__getitem__, data))


def symbols_to_bytes(symbols: str) -> bytes:
    """Return the bytes that byte symbols represent.

    Raises:
        ValueError: a character is not a byte symbol; the message has its position.
    """
    try:
        return bytes(map(SYMBOL_TO_BYTE.__getitem__, symbols))
    except KeyError as error:
        character = error.args[0]
        raise ValueError(
            f"the character {character!r} at position {symbols.index(character)} of {symbols!r:.60} is no byte symbol; "
            "bytes_to_symbols(text.encode()) gives the byte symbols of a text"
        ) from None
