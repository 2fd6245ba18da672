"""The checks of lesson 04: the file of ranks, encoding with it, and what is spelled like a special token."""

from __future__ import annotations

import base64
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import regex

from tokenlab import data, tiktoken
from tokenlab.algorithms.bpe_encode import encode_by_rank
from tokenlab.algorithms.split import split_gpt2
from tokenlab.check import inputs
from tokenlab.check.answers import AnswerCheck, BugCheck
from tokenlab.check.functions import FunctionCheck
from tokenlab.check.traces import Question
from tokenlab.misconceptions import byte_level as wrong
from tokenlab.misconceptions import rule_of

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_TOY = {b"a": 0, b"b": 1, b"c": 2, b"bc": 3, b"ab": 4, b"bcb": 5}


def _toy_recording() -> Any:
    return tiktoken.Encoding("toy", pat_str=r"\w+", mergeable_ranks=_TOY, special_tokens={}).encode.record("abcb")


def _as_text(tokens: Any) -> Any:
    return tuple(token.decode() if isinstance(token, bytes) else token for token in tokens)


toy_tokens = AnswerCheck(
    recording=_toy_recording,
    answers=lambda recording: (_as_text({id: token for token, id in _TOY.items()}[id] for id in recording.result),),
    names=("The cut",),
    rules=("A piece that is no token as a whole is merged: the two neighbours whose token has the lowest rank first.",),
)


# The file.


def ranks_in(lines: list[str]) -> dict[bytes, int]:
    """The ranks that stand in the lines of a .tiktoken file.

    >>> ranks_in(["YWI= 7"])
    {b'ab': 7}
    """
    return {base64.b64decode(token): int(rank) for token, rank in map(str.split, lines)}


def _lines() -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    tokens = st.lists(inputs.byte_strings(4).filter(bool), max_size=4, unique=True)
    return tokens.map(
        lambda drawn: ([f"{base64.b64encode(token).decode()} {rank}" for rank, token in enumerate(drawn)],)
    )


load_ranks = FunctionCheck(
    ranks_in,
    _lines,
    "A line has the token's bytes in base64, a blank, and the rank; the table maps bytes to ranks.",
    examples=[(["YWI= 7"],)],
)


# Encoding.


class Table(dict[bytes, int]):
    """Ranks for all bytes and a few tokens, written shorter than a dictionary of hundreds of entries."""

    def __init__(self, *tokens: bytes) -> None:
        """Give each byte its value as rank, and the tokens the ranks behind those."""
        super().__init__({bytes([byte]): byte for byte in range(256)})
        self.tokens = tokens
        self.update({token: 256 + place for place, token in enumerate(tokens)})

    def __repr__(self) -> str:
        """Name the tokens only."""
        return f"{{all bytes, and then {', '.join(map(repr, self.tokens))}}}" if self.tokens else "{all bytes}"

    def __deepcopy__(self, _: Any) -> Table:
        """The same table, again."""
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
    """The ids of a text: split by GPT-2's pattern, whole pieces looked up, the others merged by rank.

    >>> ordinary_ids("abc ab", Table(b"abc"))
    [256, 32, 97, 98]
    """
    pieces = [piece.encode() for piece in split_gpt2(text)]
    tokens = [token for piece in pieces for token in ([piece] if piece in ranks else encode_by_rank(piece, ranks))]
    return [ranks[token] for token in tokens]


def _pieces(text: str, ranks: Mapping[bytes, int]) -> Iterator[Question]:
    seen = ""
    for piece in split_gpt2(text):
        seen += piece
        yield f"up to {piece!r}", (seen, ranks)


encode_ordinary = FunctionCheck(
    ordinary_ids,
    lambda: inputs.several(inputs.words(("a", "b", "c", " ")) | inputs.texts(), inputs.one_of(*TABLES)),
    "Split first, because no token crosses a cut; then look the whole piece up; only then merge its bytes by rank.",
    examples=[("", Table()), ("abc", Table(b"abc")), ("a b", Table(b"a b"))],
    wrong=(
        (
            lambda text, ranks: [
                id for piece in split_gpt2(text) for id in wrong.no_whole_word_lookup(piece.encode(), ranks)
            ],
            rule_of(wrong.no_whole_word_lookup),
        ),
        (
            lambda text, ranks: [id for piece in wrong.split_on_whitespace(text) for id in ordinary_ids(piece, ranks)],
            rule_of(wrong.split_on_whitespace),
        ),
    ),
    asking=_pieces,
)


# Special tokens.


def cut_at_special(text: str, special_tokens: Mapping[str, int], allowed: Collection[str]) -> list[str]:
    """The text cut at the special tokens that are allowed, the longest first; all else is text.

    >>> cut_at_special("x<a><b>", {"<a>": 0, "<a><b>": 1}, {"<a>", "<a><b>"})
    ['x', '<a><b>']
    """
    obeyed = sorted((token for token in special_tokens if token in allowed), key=len, reverse=True)
    if not obeyed:
        return [text] if text else []
    return [part for part in regex.split(f"({'|'.join(map(regex.escape, obeyed))})", text) if part]


def _special_inputs() -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    tokens = ("<a>", "<b>", "<a><b>", "a", "|.|")
    text = st.lists(inputs.one_of("x", *tokens, " ", "日"), min_size=1, max_size=5).map("".join)
    special = st.lists(inputs.one_of(*tokens), min_size=1, max_size=3, unique=True)
    allowed = st.sets(inputs.one_of(*tokens))
    return st.tuples(text, special, allowed).map(
        lambda drawn: (drawn[0], {token: id for id, token in enumerate(drawn[1])}, drawn[2] & {*drawn[1]})
    )


def _cut_at_any(
    program: Callable[[str, Mapping[str, int]], list[str]],
) -> Callable[[str, Mapping[str, int], Collection[str]], list[str]]:
    """A program that knows nothing of permissions, called as the task calls a learner's."""
    return lambda text, special_tokens, allowed: program(text, special_tokens)


def _cut_in_their_order(text: str, special_tokens: Mapping[str, int], allowed: Collection[str]) -> list[str]:
    obeyed = {token: id for token, id in special_tokens.items() if token in allowed}
    return wrong.no_longest_special(text, obeyed) if obeyed else [text]


def _cut_without_guard(text: str, special_tokens: Mapping[str, int], allowed: Collection[str]) -> list[str]:
    return wrong.always_special(text, {token: id for token, id in special_tokens.items() if token in allowed})


cut_special = FunctionCheck(
    cut_at_special,
    _special_inputs,
    "Only special tokens that are allowed are cut out, the longest that matches first; all else stays text, and "
    "nothing is lost.",
    examples=[("x<a>", {"<a>": 0}, {"<a>"}), ("x<a>", {"<a>": 0}, set())],
    edges=[("xa", {}, set()), ("", {"<a>": 0}, {"<a>"})],
    wrong=(
        (_cut_at_any(wrong.always_special), rule_of(wrong.always_special)),
        (_cut_at_any(wrong.never_special), rule_of(wrong.never_special)),
        (_cut_in_their_order, rule_of(wrong.no_longest_special)),
        (
            _cut_without_guard,
            "Where nothing is allowed there is nothing to cut at; an empty pattern matches between any two characters.",
        ),
    ),
)


@cache
def _small() -> tiktoken.Encoding:
    ranks = tiktoken.load.load_tiktoken_bpe(str(data.FOLDER / "small.tiktoken"))
    special = {"<|endoftext|>": len(ranks), "<|endofprompt|>": len(ranks) + 1}
    return tiktoken.Encoding("small", pat_str=split_gpt2.pattern, mergeable_ranks=ranks, special_tokens=special)


def chat_ids(user_text: str) -> list[int]:
    """The ids of a user's text, whatever it is spelled like, and behind them the end of the text."""
    return [*_small().encode_ordinary(user_text), _small().eot_token]


def _typed() -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    typed = st.lists(inputs.one_of("hi", "<|endoftext|>", "<|endofprompt|>", " ", "日本"), max_size=4).map("".join)
    return inputs.several(typed | inputs.texts())


chat = FunctionCheck(
    chat_ids,
    _typed,
    "What a user types is text, whatever it is spelled like; the one special token is yours, and stands at the end.",
    examples=[("hi",), ("<|endoftext|>",), ("",)],
    wrong=(
        (
            lambda user_text: [*_small().encode(user_text, allowed_special="all"), _small().eot_token],
            rule_of(wrong.always_special),
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
        return "The second should be a text, that is, a string."
    return ""


bug_in_order = BugCheck(
    wrong=lambda special, text: wrong.no_longest_special(text, special),
    right=lambda special, text: cut_at_special(text, special, set(special)),
    needs=_unusable_special,
    rule=rule_of(wrong.no_longest_special),
    example=({"<a>": 0, "<a><b>": 1}, "<a><b>"),
)
