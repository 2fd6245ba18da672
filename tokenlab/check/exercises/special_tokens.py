"""Checks of lesson 04: the rank file, encoding with it, and text that is spelled like a special token."""

from __future__ import annotations

import base64
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any

import regex

from tokenlab import data
from tokenlab.algorithms.bpe.encode import encode_by_rank
from tokenlab.algorithms.text.pretokenize import split_gpt2
from tokenlab.check import strategies as inputs
from tokenlab.check.answer_check import AnswerCheck, BugCheck
from tokenlab.check.function_check import FunctionCheck
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.trace_comparison import TracedCall
from tokenlab.libraries import tiktoken
from tokenlab.misconceptions import byte_level_bpe as wrong

_TOY = {b"a": 0, b"b": 1, b"c": 2, b"bc": 3, b"ab": 4, b"bcb": 5}

toy_tokens = AnswerCheck(
    recording=lambda: tiktoken.Encoding("toy", pat_str=r"\w+", mergeable_ranks=_TOY, special_tokens={}).encode.record(
        "abcb"
    ),
    answers=lambda recording: (tuple([*_TOY][id].decode() for id in recording.result),),
    names=("The segmentation",),
    rules=("If the whole pre-token is not a token, merge its bytes: first the pair whose token has the lowest rank.",),
)


# The file.


def ranks_in(lines: list[str]) -> dict[bytes, int]:
    """Parse the ranks from the lines of a .tiktoken file.

    >>> ranks_in(["YWI= 7"])
    {b'ab': 7}
    """
    return {base64.b64decode(token): int(rank) for token, rank in map(str.split, lines)}


def _lines() -> Strategy:
    tokens = st.lists(inputs.byte_strings(4).filter(bool), max_size=4, unique=True)
    return tokens.map(
        lambda drawn: ([f"{base64.b64encode(token).decode()} {rank}" for rank, token in enumerate(drawn)],)
    )


load_ranks = FunctionCheck(
    ranks_in,
    _lines,
    "A line has the token's bytes in base64, a space, and the rank. The dictionary maps bytes to ranks.",
    examples=[(["YWI= 7"],)],
)


# Encoding.


class Table(dict[bytes, int]):
    """Ranks for all bytes and a few tokens, with a short repr."""

    def __init__(self, *tokens: bytes) -> None:
        super().__init__({bytes([byte]): byte for byte in range(256)})
        self.tokens = tokens
        self.update({token: 256 + place for place, token in enumerate(tokens)})

    def __repr__(self) -> str:
        return f"{{all bytes, and then {', '.join(map(repr, self.tokens))}}}" if self.tokens else "{all bytes}"

    def __deepcopy__(self, _: Any) -> Table:
        """Return an equal table."""
        return Table(*self.tokens)


TABLES = (
    Table(),
    Table(b"ab"),
    Table(b"abc"),
    Table(b"a b"),
    Table(b"bc", b"ab", b"abc"),
    Table(b" a", "é".encode(), "日".encode()[:2], "日".encode()[1:]),
)


def ordinary_ids(text: str, ranks: Mapping[Any, int]) -> list[int]:
    """Return the ids of a text: split by GPT-2's pattern, look up whole pieces, and merge the others by rank.

    >>> ordinary_ids("abc ab", Table(b"abc"))
    [256, 32, 97, 98]
    """
    pieces = [piece.encode() for piece in split_gpt2(text)]
    tokens = [token for piece in pieces for token in ([piece] if piece in ranks else encode_by_rank(piece, ranks))]
    return [ranks[token] for token in tokens]


def _pieces(text: str, ranks: Mapping[bytes, int]) -> Iterator[TracedCall]:
    seen = ""
    for piece in split_gpt2(text):
        seen += piece
        yield f"up to {piece!r}", (seen, ranks)


encode_ordinary = FunctionCheck(
    ordinary_ids,
    lambda: st.tuples(inputs.words(("a", "b", "c", " ")) | inputs.texts(), inputs.sampled(*TABLES)),
    "Split first, because no token crosses a boundary. Then look up the whole pre-token. If this fails, merge by rank.",
    examples=[("", Table()), ("abc", Table(b"abc")), ("a b", Table(b"a b"))],
    wrong=(
        (
            lambda text, ranks: [
                id for piece in split_gpt2(text) for id in wrong.no_whole_word_lookup(piece.encode(), ranks)
            ],
            wrong.no_whole_word_lookup,
        ),
        (
            lambda text, ranks: [id for piece in wrong.split_on_whitespace(text) for id in ordinary_ids(piece, ranks)],
            wrong.split_on_whitespace,
        ),
    ),
    traced_calls=_pieces,
)


# Special tokens.


def split_at_special(text: str, special_tokens: Mapping[str, int], allowed: Collection[str]) -> list[str]:
    """Split the text at the allowed special tokens, the longest first; everything else is ordinary text.

    >>> split_at_special("x<a><b>", {"<a>": 0, "<a><b>": 1}, {"<a>", "<a><b>"})
    ['x', '<a><b>']
    """
    permitted = sorted((token for token in special_tokens if token in allowed), key=len, reverse=True)
    if not permitted:
        return [text] if text else []
    return [part for part in regex.split(f"({'|'.join(map(regex.escape, permitted))})", text) if part]


def _special_inputs() -> Strategy:
    tokens = ("<a>", "<b>", "<a><b>", "a", "|.|")
    text = st.lists(inputs.sampled("x", *tokens, " ", "日"), min_size=1, max_size=5).map("".join)
    special = st.lists(inputs.sampled(*tokens), min_size=1, max_size=3, unique=True)
    allowed = st.sets(inputs.sampled(*tokens))
    return st.tuples(text, special, allowed).map(
        lambda drawn: (drawn[0], {token: id for id, token in enumerate(drawn[1])}, drawn[2] & {*drawn[1]})
    )


def _permitted(special_tokens: Mapping[str, int], allowed: Collection[str]) -> dict[str, int]:
    return {token: id for token, id in special_tokens.items() if token in allowed}


split_special = FunctionCheck(
    split_at_special,
    _special_inputs,
    "Split off only the allowed special tokens, the longest match first. Everything else remains text, and nothing is "
    "lost.",
    examples=[("x<a>", {"<a>": 0}, {"<a>"}), ("x<a>", {"<a>": 0}, set())],
    edges=[("xa", {}, set()), ("", {"<a>": 0}, {"<a>"})],
    wrong=(
        (lambda text, special_tokens, allowed: wrong.always_special(text, special_tokens), wrong.always_special),
        (lambda text, special_tokens, allowed: wrong.never_special(text, special_tokens), wrong.never_special),
        (
            lambda text, special_tokens, allowed: (
                wrong.no_longest_special(text, _permitted(special_tokens, allowed)) if allowed else [text]
            ),
            wrong.no_longest_special,
        ),
        (
            lambda text, special_tokens, allowed: wrong.always_special(text, _permitted(special_tokens, allowed)),
            "If nothing is allowed, do not split: an empty pattern matches between any two characters.",
        ),
    ),
)


@cache
def _small() -> tiktoken.Encoding:
    ranks = tiktoken.load.load_tiktoken_bpe(str(data.FOLDER / "small.tiktoken"))
    special = {"<|endoftext|>": len(ranks), "<|endofprompt|>": len(ranks) + 1}
    return tiktoken.Encoding("small", pat_str=split_gpt2.pattern, mergeable_ranks=ranks, special_tokens=special)


def chat_ids(user_text: str) -> list[int]:
    """Return the ids of a user's text, encoded as ordinary text, followed by the end-of-text token."""
    return [*_small().encode_ordinary(user_text), _small().eot_token]


chat = FunctionCheck(
    chat_ids,
    lambda: st.tuples(
        st.lists(inputs.sampled("hi", "<|endoftext|>", "<|endofprompt|>", " ", "日本"), max_size=4).map("".join)
        | inputs.texts()
    ),
    "A user's input is ordinary text, however it is spelled. The only special token is yours, at the end.",
    examples=[("hi",), ("<|endoftext|>",), ("",)],
    wrong=(
        (
            lambda user_text: [*_small().encode(user_text, allowed_special="all"), _small().eot_token],
            wrong.always_special,
        ),
    ),
)


def _is_special(item: tuple[Any, Any]) -> bool:
    token, id = item
    return isinstance(token, str) and bool(token) and isinstance(id, int)


def _unusable_special(special: Any, text: Any) -> str:
    if not isinstance(special, dict) or not special or not all(map(_is_special, special.items())):
        return 'Give the special tokens and their ids, such as {"<a>": 0, "<b>": 1}.'
    if not isinstance(text, str):
        return "The second argument should be a string."
    return ""


bug_in_order = BugCheck(
    program=wrong.no_longest_special,
    right=lambda text, special: split_at_special(text, special, set(special)),
    input_problem=_unusable_special,
    example=({"<a>": 0, "<a><b>": 1}, "<a><b>"),
    use=lambda program, special, text: program(text, special),
)
