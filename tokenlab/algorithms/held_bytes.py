"""What may be shown of a text whose bytes are still coming: whole characters, at once; the beginning of one is held.

Adds: the rule by which a streamer holds bytes back. Leaves out: tokens that are no bytes, blanks and lines
(`tokenlab.transformers.generation`).
Source: The Unicode Standard, section 3.9, UTF-8; its table of well-formed bytes is that of Python's decoder.

>>> print(come_out.record([b"a", b"\\xf0\\x9f", b"\\x99\\x82", b"\\xef\\xbf\\xbd"]))
1. 61 comes: 'a' is shown, nothing is held
2. f0 9f comes: nothing is shown, f0 9f is held
3. 99 82 comes: '🙂' is shown, nothing is held
4. ef bf bd comes: '�' is shown, nothing is held
"""

from __future__ import annotations

from collections.abc import Generator, Iterable

from tokenlab.steps import step, stepwise

LONGEST = 4  # bytes of one character


@step
class Came:
    """A token's bytes have come."""

    token: bytes
    shown: str
    held: bytes

    def __str__(self) -> str:
        """Say what is shown now, and what is held."""
        shown = repr(self.shown) if self.shown else "nothing"
        held = self.held.hex(" ") or "nothing"
        return f"{self.token.hex(' ') or 'no byte'} comes: {shown} is shown, {held} is held"


@step
class Ended:
    """Nothing more comes, so what was held will never be whole."""

    held: bytes
    shown: str

    def __str__(self) -> str:
        """Say what is shown for it."""
        return f"the end: {self.held.hex(' ')} will never be whole, and is shown as {self.shown!r}"


@stepwise
def come_out(tokens: Iterable[bytes]) -> Generator[Came | Ended, None, tuple[str, ...]]:
    """What is shown when each token comes; and one text more for the end, if bytes are held there.

    >>> come_out([b"\\xc3", b"\\xa9"]), come_out([b"\\xc3"])
    (('', 'é'), ('', '�'))
    """
    texts, held = [], b""
    for token in tokens:
        text, held = ready(held + token)
        texts.append(text)
        yield Came(token, text, held)
    if held:
        texts.append(held.decode(errors="replace"))
        yield Ended(held, texts[-1])
    return tuple(texts)


def ready(held: bytes) -> tuple[str, bytes]:
    """The text that may be shown, and the bytes that are held on: those with which a character begins at the end.

    >>> ready("né".encode()[:2]), ready(b"\\xff"), ready("�".encode())
    (('n', b'\\xc3'), ('�', b''), ('�', b''))
    """
    # subtle: a byte that no character has is shown as � at once, for waiting would not mend it.
    whole = next(start for start in range(len(held) + 1) if start == len(held) or unfinished(held[start:]))
    return held[:whole].decode(errors="replace"), held[whole:]


def unfinished(tail: bytes) -> bool:
    """Whether these bytes are the beginning of a character, and more of them can make it whole.

    >>> unfinished(b"\\xe2\\x82"), unfinished(b"\\xe2a"), unfinished("€".encode())
    (True, False, False)
    """
    if len(tail) >= LONGEST:
        return False
    try:
        tail.decode()
    except UnicodeDecodeError as error:
        return error.start == 0 and error.reason == "unexpected end of data"
    return False
