"""The checks of lesson 03: glyphs, tokens that cut a character, the ids of bytes, a pattern of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import regex

from tokenlab.algorithms import byte_alphabet
from tokenlab.algorithms.byte_alphabet import GPT2_ORDER
from tokenlab.algorithms.split_by_rules import split_by_rules
from tokenlab.check import inputs
from tokenlab.check.answers import AnswerCheck, BugCheck
from tokenlab.check.functions import FunctionCheck
from tokenlab.misconceptions import byte_level as wrong
from tokenlab.misconceptions import rule_of

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

pieces = AnswerCheck(
    recording=lambda: split_by_rules.record("we've 2 cats"),
    answers=lambda recording: (len(recording.result), recording.result[1]),
    names=("The number of pieces", "The second piece"),
    rules=(
        "Try the rules from the top; the first that matches makes the piece, and behind it you start anew.",
        "A contraction is a piece of its own, and begins with the apostrophe.",
    ),
)


# Tokens that are no whole characters.


def number_cut(tokens: Sequence[bytes]) -> int:
    """How many of the tokens are not UTF-8 by themselves.

    >>> number_cut([b"ok", "é".encode()[:1]])
    1
    """
    return sum(not _is_text(token) for token in tokens)


def _is_text(token: bytes) -> bool:
    try:
        token.decode()
    except UnicodeDecodeError:
        return False
    return True


def _tokens() -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    return inputs.several(st.lists(inputs.byte_strings(4), max_size=5))


characters_cut = FunctionCheck(
    number_cut,
    _tokens,
    "A token that holds only a part of a character cannot be decoded by itself: Python raises UnicodeDecodeError.",
    examples=[([b"a", "é".encode()],), ([b"a", "é".encode()[:1]],)],
    wrong=(
        (
            lambda tokens: sum(any(byte > 127 for byte in token) for token in tokens),
            "A byte above 127 belongs to a longer character, but the token may hold all of that character.",
        ),
    ),
)


# Glyphs and ids.


HIDDEN = "Blanks and controls cannot be seen; they get a glyph of their own."


def _glyphs(data: bytes) -> str:
    return byte_alphabet.to_glyphs(data)


to_glyphs = FunctionCheck(
    _glyphs,
    lambda: inputs.several(inputs.byte_strings()),
    "A byte keeps its own character if that can be seen and is no blank; the others get, in their order, the "
    "characters from chr(256) on.",
    examples=[(bytes([byte]),) for byte in range(256)],
    wrong=(
        (lambda data: data.decode("latin-1"), HIDDEN),
        (lambda data: _glyphs(data).replace("Ġ", " "), HIDDEN),
        (
            lambda data: "".join(chr(b) if chr(b).isprintable() and b != 32 else chr(256 + b) for b in data),
            "The borrowed characters are counted on without a gap: only invisible bytes move the count on.",
        ),
    ),
)


def ids_of_bytes(text: str) -> list[int]:
    """The ids of a text in a vocabulary that has nothing but the bytes, in GPT-2's order.

    >>> ids_of_bytes("! é")
    [0, 220, 127, 102]
    """
    return [GPT2_ORDER.index(byte) for byte in text.encode()]


byte_ids = FunctionCheck(
    ids_of_bytes,
    lambda: inputs.several(inputs.texts()),
    "First come the bytes that keep their own character, in their order, and then the others, in theirs.",
    examples=[("!",), ("é",)],
    wrong=(
        (lambda text: [wrong.no_byte_shuffle(byte) for byte in text.encode()], rule_of(wrong.no_byte_shuffle)),
        (
            lambda text: [GPT2_ORDER.index(code) for code in wrong.char_vocab_not_bytes(text)],
            rule_of(wrong.char_vocab_not_bytes),
        ),
    ),
)


def _unusable_texts(failing: Any, different: Any) -> str:
    if not isinstance(failing, str) or not isinstance(different, str):
        return "Both should be texts, that is, strings."
    if all(ord(character) < 256 for character in failing):
        return f"The program does not fail on {failing!r}; which characters have no id there?"
    if any(ord(character) > 255 for character in different):
        return f"The program fails on {different!r}, too; the second text should get ids, but wrong ones."
    return ""


bug_in_characters = BugCheck(
    wrong=lambda failing, different: wrong.char_vocab_not_bytes(different),
    right=lambda failing, different: list(different.encode()),
    needs=_unusable_texts,
    rule=rule_of(wrong.char_vocab_not_bytes),
    example=("日", "é"),
)


# A pattern of one's own.


def at_capitals(text: str) -> list[str]:
    r"""The text, cut before each capital letter; nothing is lost.

    >>> at_capitals("camelCase")
    ['camel', 'Case']
    """
    found: list[str] = regex.findall(r"\p{Lu}\P{Lu}*|\P{Lu}+", text)
    return found


split_at_capitals = FunctionCheck(
    at_capitals,
    lambda: inputs.several(inputs.texts()),
    "A piece begins with a capital and goes on to the next one; what stands before the first capital is a piece, too.",
    examples=[("camelCaseName",), ("HTTPServer",)],
    wrong=(
        (wrong.split_on_whitespace, rule_of(wrong.split_on_whitespace)),
        (lambda text: regex.findall(r"\p{Lu}\P{Lu}*", text), "Nothing is lost: the pieces, joined, are the text."),
    ),
)
