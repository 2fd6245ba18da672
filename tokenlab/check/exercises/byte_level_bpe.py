"""Checks of lesson 03: byte symbols, tokens that split a character, ids of bytes, and a pre-tokenization pattern."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import regex

from tokenlab.algorithms.text.byte_symbols import GPT2_ORDER, bytes_to_symbols
from tokenlab.algorithms.text.pretokenize import pretokenize
from tokenlab.check import strategies as inputs
from tokenlab.check.answer_check import AnswerCheck, BugCheck
from tokenlab.check.function_check import FunctionCheck
from tokenlab.check.strategies import st
from tokenlab.misconceptions import byte_level_bpe as wrong

pieces = AnswerCheck(
    recording=lambda: pretokenize.record("we've 2 cats"),
    answers=lambda recording: (len(recording.result), recording.result[1]),
    names=("The number of pre-tokens", "The second pre-token"),
    rules=(
        "Try the rules from the top. The first rule that matches gives the pre-token. Then start again after it.",
        "A contraction is a separate pre-token. It begins with the apostrophe.",
    ),
)


# Tokens that split a character.


def count_split_characters(tokens: Sequence[bytes]) -> int:
    """Count the tokens that are not valid UTF-8 on their own.

    >>> count_split_characters([b"ok", "é".encode()[:1]])
    1
    """
    return sum(not _is_text(token) for token in tokens)


def _is_text(token: bytes) -> bool:
    try:
        token.decode()
    except UnicodeDecodeError:
        return False
    return True


split_characters = FunctionCheck(
    count_split_characters,
    lambda: st.tuples(st.lists(inputs.byte_strings(4), max_size=5)),
    "A token that contains only a part of a character cannot be decoded alone. Python raises UnicodeDecodeError.",
    examples=[([b"a", "é".encode()],), ([b"a", "é".encode()[:1]],)],
    wrong=(
        (
            lambda tokens: sum(any(byte > 127 for byte in token) for token in tokens),
            "A byte above 127 belongs to a multi-byte character, but the token may contain the whole character.",
        ),
    ),
)


# Byte symbols and ids.

HIDDEN = "Spaces and control characters are invisible. Each gets a visible character instead."

byte_symbols = FunctionCheck(
    bytes_to_symbols,
    lambda: st.tuples(inputs.byte_strings()),
    "A byte keeps its character if the character is visible and not a space. The other bytes get the characters from "
    "chr(256) on, in order.",
    examples=[(bytes([byte]),) for byte in range(256)],
    wrong=(
        (lambda data: data.decode("latin-1"), HIDDEN),
        (lambda data: bytes_to_symbols(data).replace("Ġ", " "), HIDDEN),
        (
            lambda data: "".join(chr(b) if chr(b).isprintable() and b != 32 else chr(256 + b) for b in data),
            "The characters from chr(256) on are consecutive. Only a byte without a visible character takes one.",
        ),
    ),
)


def ids_of_bytes(text: str) -> list[int]:
    """Return the ids of a text in a vocabulary of only the 256 bytes, in GPT-2's order.

    >>> ids_of_bytes("! é")
    [0, 220, 127, 102]
    """
    return [GPT2_ORDER.index(byte) for byte in text.encode()]


byte_ids = FunctionCheck(
    ids_of_bytes,
    lambda: st.tuples(inputs.texts()),
    "First come the bytes that keep their character, in increasing order. Then come the others, in increasing order.",
    examples=[("!",), ("é",)],
    wrong=(
        (lambda text: [wrong.no_byte_shuffle(byte) for byte in text.encode()], wrong.no_byte_shuffle),
        (
            lambda text: [GPT2_ORDER.index(code) for code in wrong.char_vocab_not_bytes(text)],
            wrong.char_vocab_not_bytes,
        ),
    ),
)


def _unusable_texts(failing: Any, different: Any) -> str:
    if not isinstance(failing, str) or not isinstance(different, str):
        return "Both arguments should be strings."
    if all(ord(character) < 256 for character in failing):
        return f"The program returns ids for {failing!r}. Which characters have no id?"
    if any(ord(character) > 255 for character in different):
        return f"The program raises an error for {different!r}. For the second text, it should return wrong ids."
    return ""


bug_in_characters = BugCheck(
    program=wrong.char_vocab_not_bytes,
    right=lambda text: list(text.encode()),
    input_problem=_unusable_texts,
    example=("日", "é"),
    use=lambda program, failing, different: program(different),
)


# Write a pattern.


def at_capitals(text: str) -> list[str]:
    r"""Split the text before each capital letter; nothing is lost.

    >>> at_capitals("camelCase")
    ['camel', 'Case']
    """
    found: list[str] = regex.findall(r"\p{Lu}\P{Lu}*|\P{Lu}+", text)
    return found


split_at_capitals = FunctionCheck(
    at_capitals,
    lambda: st.tuples(inputs.texts()),
    "A part extends from a capital letter to the next one. The text before the first capital letter is also a part.",
    examples=[("camelCaseName",), ("HTTPServer",)],
    wrong=(
        wrong.split_on_whitespace,
        (lambda text: regex.findall(r"\p{Lu}\P{Lu}*", text), "Nothing is lost: the parts, joined, are the text."),
    ),
)
