r"""Escape a token as tensor2tensor does, so that an underscore can mark the end of the token.

Adds: a lossless encoding of any token in the characters of a given alphabet.
Source: tensor2tensor 1.15.7, data_generators/text_encoder.py, _escape_token and _unescape_token.

>>> alphabet = ESCAPE_CHARACTERS | set("snake")
>>> print(escape.record("snö_", alphabet))
1. s is unchanged
2. n is unchanged
3. ö is not in the alphabet, and becomes its code point: \246;
4. _ becomes \u, because an underscore marks the end of a token
5. the token ends, and an underscore marks its end
>>> unescape(escape("snö_", alphabet))
'snö_'
"""

from __future__ import annotations

import re
from collections.abc import Collection, Generator

from tokenlab.printing.printable import Parts, SymbolPart
from tokenlab.steps.recording import step, stepwise

END_MARKER = "_"  # of a token
ESCAPE_ALPHABET = "\\_u;0123456789"  # the characters of escape sequences, which belong to every alphabet
ESCAPE_CHARACTERS = frozenset(ESCAPE_ALPHABET)
_ESCAPES = {"\\": "\\\\", "_": "\\u"}
_ESCAPE = re.compile(r"\\u|\\\\|\\([0-9]+);")
UNDEFINED = "\u3013"  # replaces a number that is not a code point


@step
class Escaped:
    """A character of a token and its escaped form; at the end of the token, `character` is empty."""

    character: str
    escaped: str

    def sentence(self) -> Parts:
        """Say what becomes of the character, and why."""
        shown, escaped = SymbolPart(self.character, "left"), SymbolPart(self.escaped, "new")
        match self.character:
            case "":
                return ["the token ends, and an underscore marks its end"]
            case self.escaped:
                return [shown, " is unchanged"]
            case "_":
                return [shown, " becomes ", escaped, ", because an underscore marks the end of a token"]
            case "\\":
                return [shown, " becomes ", escaped, ", because a backslash begins an escape sequence"]
            case "\n":
                return [shown, " becomes ", escaped, ", because a vocabulary file has one subtoken per line"]
        return [shown, " is not in the alphabet, and becomes its code point: ", escaped]


@stepwise
def escape(token: str, alphabet: Collection[str]) -> Generator[Escaped, None, str]:
    r"""Return the token in characters of the alphabet, followed by an underscore.

    Args:
        token: any str.
        alphabet: the characters of subtokens. Without `ESCAPE_CHARACTERS`, `unescape` cannot restore every token.

    Raises:
        ValueError: the token is not a str.

    Source: tensor2tensor 1.15.7, data_generators/text_encoder.py, _escape_token.

    >>> escape("a_b\n", ESCAPE_CHARACTERS | set("ab\n"))
    'a\\ub\\10;_'
    """
    _check(token)
    escaped: list[str] = []
    for character in token:
        escaped.append(_in_alphabet(_ESCAPES.get(character, character), alphabet))
        yield Escaped(character, escaped[-1])
    yield Escaped("", END_MARKER)
    return "".join([*escaped, END_MARKER])


def escape_with_replace(token: str, alphabet: set[str] | frozenset[str]) -> str:
    r"""Return the result of `escape`, computed with `str.replace`, which suffices for most tokens.

    >>> escape_with_replace("a_é", ESCAPE_CHARACTERS | set("a"))
    'a\\u\\233;_'
    """
    _check(token)
    token = token.replace("\\", "\\\\").replace("_", "\\u")
    if alphabet.issuperset(token) and "\n" not in token:
        return token + END_MARKER
    return _in_alphabet(token, alphabet) + END_MARKER


def _in_alphabet(text: str, alphabet: Collection[str]) -> str:
    """Replace each character outside the alphabet by its code point."""
    # subtle: a line feed is always escaped, even if the alphabet contains it.
    return "".join(c if c in alphabet and c != "\n" else f"\\{ord(c)};" for c in text)


def unescape(escaped: str) -> str:
    r"""Return the token that was escaped.

    A number that is not a code point gives U+3013. Text outside escape sequences is unchanged.

    Source: tensor2tensor 1.15.7, data_generators/text_encoder.py, _unescape_token.

    >>> unescape(r"a\u\233;_"), unescape(r"\9999999;_"), unescape(r"a\b_")
    ('a_é', '〓', 'a\\b')
    """
    return _ESCAPE.sub(_unescaped, escaped.removesuffix(END_MARKER))


def _unescaped(found: re.Match[str]) -> str:
    if not found[1]:
        return "_" if found[0] == "\\u" else "\\"
    try:
        return chr(int(found[1]))
    except (ValueError, OverflowError):
        return UNDEFINED


def _check(token: str) -> None:
    if not isinstance(token, str):
        raise ValueError(f"token={token!r:.60} is a {type(token).__name__}; give a str")
