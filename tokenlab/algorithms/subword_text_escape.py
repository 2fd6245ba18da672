r"""Escaping a token as tensor2tensor does, so that an underscore at its end can say that it ends there.

Adds: any token, whatever its characters, written with the characters of an alphabet, and back again without loss.
Source: tensor2tensor 1.15.7, data_generators/text_encoder.py, _escape_token and _unescape_token.

>>> alphabet = ESCAPE_CHARACTERS | set("snake")
>>> print(escape.record("snö_", alphabet))
1. s is written as it is
2. n is written as it is
3. ö is not in the alphabet, and written by its number: \246;
4. _ is written \u, because an underscore means the end of a token
5. the token ends, and an underscore says so
>>> unescape(escape("snö_", alphabet))
'snö_'
"""

from __future__ import annotations

import re
from collections.abc import Collection, Generator

from tokenlab.steps import step, stepwise
from tokenlab.visible import visible

END = "_"  # of a token
ESCAPE_CHARACTERS = frozenset("\\_u;0123456789")  # what escapes are written with; they belong to every alphabet
_WRITTEN = {"\\": "\\\\", "_": "\\u"}
_ESCAPE = re.compile(r"\\u|\\\\|\\([0-9]+);")
UNDEFINED = "\u3013"  # what stands for a number that is no character's


@step
class Escaped:
    """A character of a token, and how it is written; the end of the token is no character."""

    character: str
    written: str

    def __str__(self) -> str:
        """Say how it is written and why."""
        shown = visible(self.character)
        match self.character:
            case "":
                return "the token ends, and an underscore says so"
            case self.written:
                return f"{shown} is written as it is"
            case "_":
                return f"{shown} is written {self.written}, because an underscore means the end of a token"
            case "\\":
                return f"{shown} is written {self.written}, because a backslash begins an escape"
            case "\n":
                return f"{shown} is written by its number, {self.written}, for a vocabulary file has a subtoken a line"
        return f"{shown} is not in the alphabet, and written by its number: {self.written}"


@stepwise
def escape(token: str, alphabet: Collection[str]) -> Generator[Escaped, None, str]:
    r"""The token as it is cut into subtokens: in characters of the alphabet alone, with an underscore at its end.

    Args:
        token: any str.
        alphabet: the characters that subtokens are made of. Without `ESCAPE_CHARACTERS` among them, `unescape` cannot
            bring every token back.

    Raises:
        ValueError: the token is not a str.

    Source: tensor2tensor 1.15.7, data_generators/text_encoder.py, _escape_token.

    >>> escape("a_b\n", ESCAPE_CHARACTERS | set("ab\n"))
    'a\\ub\\10;_'
    """
    _check(token)
    escaped = ""
    for character in token:
        written = _spelled(_WRITTEN.get(character, character), alphabet)
        yield Escaped(character, written)
        escaped += written
    yield Escaped("", END)
    return escaped + END


def escape_at_once(token: str, alphabet: set[str] | frozenset[str]) -> str:
    r"""The result of `escape`, by replacing; most tokens need nothing more.

    >>> escape_at_once("a_é", ESCAPE_CHARACTERS | set("a"))
    'a\\u\\233;_'
    """
    _check(token)
    token = token.replace("\\", "\\\\").replace("_", "\\u")
    if alphabet.issuperset(token) and "\n" not in token:
        return token + END
    return _spelled(token, alphabet) + END


def _spelled(text: str, alphabet: Collection[str]) -> str:
    """A text with each character that the alphabet lacks written by its number."""
    # subtle: a line end is never spelled as it is, even where the alphabet has it.
    return "".join(c if c in alphabet and c != "\n" else f"\\{ord(c)};" for c in text)


def unescape(escaped: str) -> str:
    r"""The token that was escaped.

    A number that is no character's gives U+3013; what is no escape stays as it is.

    Source: tensor2tensor 1.15.7, data_generators/text_encoder.py, _unescape_token.

    >>> unescape(r"a\u\233;_"), unescape(r"\9999999;_"), unescape(r"a\b_")
    ('a_é', '〓', 'a\\b')
    """
    return _ESCAPE.sub(_meant, escaped.removesuffix(END))


def _meant(found: re.Match[str]) -> str:
    if not found[1]:
        return "_" if found[0] == "\\u" else "\\"
    try:
        return chr(int(found[1]))
    except (ValueError, OverflowError):
        return UNDEFINED


def _check(token: str) -> None:
    if not isinstance(token, str):
        raise ValueError(f"token={token!r:.60} is a {type(token).__name__}; give a str")
