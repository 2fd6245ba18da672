"""Incremental UTF-8 decoding: show complete characters immediately; keep the bytes of an incomplete one pending.

Adds: the rule for pending bytes of a streamer. Leaves out: tokens that are not bytes, spaces and lines
(`tokenlab.libraries.transformers.generation`).
Source: The Unicode Standard, section 3.9, UTF-8; its table of well-formed bytes is that of Python's decoder.

>>> print(stream_text.record([b"a", b"\\xf0\\x9f", b"\\x99\\x82", b"\\xef\\xbf\\xbd"]))
1. a arrives: a is shown, and nothing is pending
2. \\xf0\\x9f arrives: nothing is shown, and \\xf0\\x9f is pending
3. \\x99\\x82 arrives: 🙂 is shown, and nothing is pending
4. � arrives: � is shown, and nothing is pending
"""

from __future__ import annotations

from collections.abc import Generator, Iterable

from tokenlab.printing.printable import Parts, SymbolPart
from tokenlab.steps.recording import step, stepwise

MAX_CHARACTER_BYTES = 4  # bytes of one character


@step
class TokenReceived:
    """The bytes of a token have arrived."""

    token: bytes
    shown: str
    pending: bytes

    def sentence(self) -> Parts:
        """Say what is shown now, and what is pending."""
        token = SymbolPart(self.token) if self.token else "no byte"
        shown = SymbolPart(self.shown, "new") if self.shown else "nothing"
        pending = SymbolPart(self.pending, "unknown") if self.pending else "nothing"
        return [token, " arrives: ", shown, " is shown, and ", pending, " is pending"]


@step
class StreamEnded:
    """The stream has ended, so the pending bytes stay incomplete."""

    pending: bytes
    shown: str

    def sentence(self) -> Parts:
        """Say what stays incomplete, and how it is shown."""
        incomplete = SymbolPart(self.pending, "unknown")
        return ["the stream ends: ", incomplete, " stays incomplete, and is shown as ", SymbolPart(self.shown)]


@stepwise
def stream_text(tokens: Iterable[bytes]) -> Generator[TokenReceived | StreamEnded, None, tuple[str, ...]]:
    """Return the text that is shown for each token, and one more text for the end if bytes are pending.

    >>> stream_text([b"\\xc3", b"\\xa9"]), stream_text([b"\\xc3"])
    (('', 'é'), ('', '�'))
    """
    texts, pending = [], b""
    for token in tokens:
        text, pending = split_complete(pending + token)
        texts.append(text)
        yield TokenReceived(token, text, pending)
    if pending:
        texts.append(pending.decode(errors="replace"))
        yield StreamEnded(pending, texts[-1])
    return tuple(texts)


def split_complete(received: bytes) -> tuple[str, bytes]:
    """Return the complete characters as text, and the pending bytes: an incomplete character at the end.

    >>> split_complete("né".encode()[:2]), split_complete(b"\\xff"), split_complete("�".encode())
    (('n', b'\\xc3'), ('�', b''), ('�', b''))
    """
    # subtle: an invalid byte is shown as � immediately, because later bytes cannot complete it.
    size = len(received)
    complete = next(start for start in range(size + 1) if start == size or is_incomplete(received[start:]))
    return received[:complete].decode(errors="replace"), received[complete:]


def is_incomplete(tail: bytes) -> bool:
    """Return True if these bytes are the beginning of a character that later bytes can complete.

    >>> is_incomplete(b"\\xe2\\x82"), is_incomplete(b"\\xe2a"), is_incomplete("€".encode())
    (True, False, False)
    """
    if len(tail) >= MAX_CHARACTER_BYTES:
        return False
    try:
        tail.decode()
    except UnicodeDecodeError as error:
        return error.start == 0 and error.reason == "unexpected end of data"
    return False
