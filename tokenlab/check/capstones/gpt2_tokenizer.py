"""Checks of the first capstone: the parts of a GPT-2 tokenizer from bytes to files, and the whole class.

The parts that train and save are in gpt2_training.
"""

from __future__ import annotations

import codecs
import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from timeit import timeit
from typing import Any

import regex

from tokenlab import data
from tokenlab.algorithms.text.byte_symbols import bytes_to_symbols
from tokenlab.algorithms.text.pretokenize import split_gpt2
from tokenlab.check import strategies as inputs
from tokenlab.check.exercises.special_tokens import split_at_special
from tokenlab.check.function_check import Adapter, FunctionCheck
from tokenlab.check.strategies import SNIPPETS, Strategy, st
from tokenlab.libraries.tiktoken import Encoding
from tokenlab.libraries.tiktoken.load import load_tiktoken_bpe
from tokenlab.minimal import gpt2_tokenizer as page
from tokenlab.misconceptions.bpe_encoding import greedy_longest_match

# Bytes.


def _texts_with_surrogates() -> Strategy:
    snippets = ("a", "\ud800", "\udc00", "\ud83d\ude00", *SNIPPETS)
    return st.tuples(st.lists(st.sampled_from(snippets), max_size=5).map("".join))


def _each_surrogate_replaced(text: str) -> bytes:
    return "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text).encode()


LONE = "A surrogate without its partner has no UTF-8 bytes. It is replaced by U+FFFD."

utf8_bytes = FunctionCheck(
    page.to_utf8,
    _texts_with_surrogates,
    LONE,
    examples=[("é日",), ("\ud800",), ("a\ud83d\ude00",)],
    wrong=(
        (lambda text: text.encode(), LONE),
        (lambda text: text.encode(errors="replace"), "The replacement character is U+FFFD, not a question mark."),
        (_each_surrogate_replaced, "A high surrogate and the low surrogate after it are one character."),
    ),
)


# The pattern.


def _of_pattern(pattern: str) -> Any:
    return lambda text: regex.findall(pattern, text)


gpt2_pieces = FunctionCheck(
    lambda text: split_gpt2(text),
    lambda: st.tuples(inputs.texts()),
    "GPT-2's pattern has these alternatives, in this order: 's, 't, 're, 've, 'm, 'll, 'd; letters, digits, or other "
    "characters, each with at most one space before them; spaces that no visible character follows; other spaces.",
    examples=[("we've 42  cats!",), ("  a",), ("HE'S 1b",)],
    wrong=(
        (
            _of_pattern(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+"),
            "If several spaces precede a word, the last space belongs to the word: `\\s+(?!\\S)` comes before `\\s+`.",
        ),
        (
            _of_pattern(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+|\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"),
            "One space may precede letters, digits and other characters.",
        ),
        (
            _of_pattern(r"(?i:'s|'t|'re|'ve|'m|'ll|'d)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"),
            "GPT-2's pattern knows only contractions in lower case.",
        ),
        (
            _of_pattern(r"'s|'t|'re|'ve|'m|'ll|'d| ?\w+| ?[^\s\w]+|\s+(?!\S)|\s+"),
            "Letters and digits are in different pieces.",
        ),
    ),
)


# Encoding.


def _pieces_and_ranks() -> Strategy:
    letters = [b"a", b"b", b"c"]
    longer = st.lists(st.lists(st.sampled_from(letters), min_size=2, max_size=4).map(b"".join), max_size=6, unique=True)
    piece = st.lists(st.sampled_from(letters), min_size=1, max_size=7).map(b"".join)
    return st.tuples(piece, longer.map(lambda tokens: {token: id for id, token in enumerate(letters + tokens)}))


def _left_to_right(piece: bytes, ranks: Mapping[bytes, int]) -> list[int]:
    parts = [piece[at : at + 1] for at in range(len(piece))]
    while found := [at for at, two in enumerate(map(bytes.__add__, parts, parts[1:])) if two in ranks]:
        parts[found[0] : found[0] + 2] = [parts[found[0]] + parts[found[0] + 1]]
    return [ranks[piece]] if piece in ranks else [ranks[part] for part in parts]


def _without_lookup(piece: bytes, ranks: Mapping[bytes, int]) -> list[int]:
    return page.encode_piece(piece, {token: id for token, id in ranks.items() if token != piece or len(piece) == 1})


encode_piece = FunctionCheck(
    page.encode_piece,
    _pieces_and_ranks,
    "Join the two neighbours whose joined bytes have the lowest rank; at equal ranks, the first two. Continue until no "
    "joined neighbours are a token.",
    examples=[
        (b"abc", {b"a": 0, b"b": 1, b"c": 2, b"bc": 3, b"ab": 4}),
        (b"aaa", {b"a": 0, b"aa": 1}),
        (b"abc", {b"a": 0, b"b": 1, b"c": 2, b"abc": 3}),
    ],
    wrong=(
        (_left_to_right, "The lowest rank is joined first, not the first two neighbours."),
        (
            lambda piece, ranks: [ranks[token] for token in greedy_longest_match(piece, ranks)],
            "Ranks decide what is joined; the longest token may never be reached.",
        ),
        (_without_lookup, "A piece that is a token is one id, even if no joining of neighbours reaches it."),
    ),
)


# Special tokens.


def _texts_and_special() -> Strategy:
    special = st.lists(st.sampled_from(("<a>", "<a><b>", "|", "a|", "<b>")), max_size=3, unique=True)
    return st.tuples(st.lists(st.sampled_from(("x", "<a>", "<b>", "|", "a", "日")), max_size=6).map("".join), special)


def _split_by(
    names: Callable[[Sequence[str]], Iterable[str]], keep: Callable[[str], bool] = bool
) -> Callable[..., Any]:
    """Return a program that splits at the patterns of the special tokens, and keeps some of the parts."""

    def program(text: str, special: Sequence[str]) -> list[str]:
        parts = regex.split(f"({'|'.join(names(special))})", text) if special else [text] * bool(text)
        return [part for part in parts if keep(part)]

    return program


def _longest_first(special: Sequence[str]) -> list[str]:
    return sorted(special, key=len, reverse=True)


special_parts = FunctionCheck(
    lambda text, special: split_at_special(text, dict.fromkeys(special, 0), special),
    _texts_and_special,
    "The parts, joined, are the text. Each special token in it is a separate part, and no part is empty. Without "
    "special tokens, the text is one part.",
    examples=[("x<a>x", ["<a>"]), ("<a><b>", ["<a>", "<a><b>"]), ("x|x", ["|"]), ("x", [])],
    wrong=(
        (
            _split_by(lambda special: map(regex.escape, special)),
            "If two special tokens match at the same position, the longest is used.",
        ),
        (_split_by(_longest_first), "A special token may contain characters with a meaning in patterns, such as |."),
        (
            _split_by(lambda special: map(regex.escape, _longest_first(special)), lambda part: True),
            "A split may give empty parts; leave them out.",
        ),
    ),
)


# Decoding.


def decode_tokens(ids: Sequence[int], tokens: Mapping[int, bytes]) -> str:
    """Return the text of ids: their bytes joined, then decoded; what is not UTF-8 becomes U+FFFD.

    >>> decode_tokens([0, 1], {0: b"\\xc3", 1: b"\\xa9"})
    'é'
    """
    return b"".join(tokens[id] for id in ids).decode("utf-8", "replace")


def stream_of(ids: Sequence[int], tokens: Mapping[int, bytes]) -> list[str]:
    """Return one text for each id: the characters that are complete now; the last text holds what remains.

    >>> stream_of([0, 1], {0: b"a\\xc3", 1: b"\\xa9"})
    ['a', 'é']
    """
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    return [decoder.decode(tokens[id], final=number == len(ids)) for number, id in enumerate(ids, 1)]


def _ids_and_tokens() -> Strategy:
    parts = [b"a", "é".encode()[:1], "é".encode()[1:], "日".encode()[:2], "日".encode()[2:], "b日".encode(), b"\xff"]
    tokens = dict(enumerate(parts))
    return st.lists(st.sampled_from(list(tokens)), max_size=5).map(lambda ids: (ids, {id: tokens[id] for id in ids}))


CUT = ([0, 1], {0: b"\xc3", 1: b"\xa9"})

decode_ids = FunctionCheck(
    decode_tokens,
    _ids_and_tokens,
    "Join the bytes of all tokens first, and then decode them.",
    examples=[CUT, ([0], {0: b"\xc3"})],
    wrong=(
        (
            lambda ids, tokens: "".join(tokens[id].decode("utf-8", "replace") for id in ids),
            "A character may be divided between tokens: join the bytes of all tokens first, and then decode them.",
        ),
        (
            lambda ids, tokens: b"".join(tokens[id] for id in ids).decode("utf-8", "ignore"),
            "Bytes that are not UTF-8 become U+FFFD; they are not left out.",
        ),
        (
            lambda ids, tokens: b"".join(tokens[id] for id in ids).decode("utf-8"),
            "Not all ids are the ids of a text: bytes that are not UTF-8 become U+FFFD.",
        ),
    ),
)


def _never_flushed(ids: Sequence[int], tokens: Mapping[int, bytes]) -> list[str]:
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    return [decoder.decode(tokens[id]) for id in ids]


stream_texts = FunctionCheck(
    stream_of,
    _ids_and_tokens,
    "An id adds the characters that are complete now. The bytes of an unfinished character wait for the next id.",
    examples=[CUT, ([0, 1], {0: b"a", 1: b"\xc3"})],
    wrong=(
        (
            lambda ids, tokens: [tokens[id].decode("utf-8", "replace") for id in ids],
            "The bytes of an unfinished character wait for the next id.",
        ),
        (_never_flushed, "After the last id, nothing can follow: an unfinished character becomes U+FFFD."),
    ),
)


# The whole.


@cache
def shipped_ranks() -> dict[bytes, int]:
    """Return the ranks of small.tiktoken, which is shipped with the kit."""
    return load_tiktoken_bpe(str(data.FOLDER / "small.tiktoken"))


class Reference:
    """The tokenizer that learners build, by `tokenlab.libraries.tiktoken`."""

    def __init__(self, ranks: Mapping[bytes, int], special: Mapping[str, int]) -> None:
        self._encoding = Encoding(
            "reference", pat_str=split_gpt2.pattern, mergeable_ranks=dict(ranks), special_tokens=dict(special)
        )

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text; the text of a special token becomes its id."""
        return self._encoding.encode(text, allowed_special="all")

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of ids."""
        return self._encoding.decode(list(ids))


def special_of(ranks: Mapping[bytes, int]) -> dict[str, int]:
    """Return the special tokens of the task: their ids follow the ranks."""
    return {"<|endoftext|>": len(ranks), "<|pad|>": len(ranks) + 1}


def _used(tokenizer: Any, text: str) -> tuple[list[int], str]:
    ranks = shipped_ranks()
    mine = tokenizer(dict(ranks), special_of(ranks))
    ids = mine.encode(text)
    return list(ids), mine.decode(ids)


def speed(tokenizer: Any) -> list[str]:
    """Return sentences that compare the speed of a tokenizer with that of the installed libraries."""
    ranks, text = shipped_ranks(), data.text("english")
    mine = tokenizer(dict(ranks), special_of(ranks))
    own = timeit(lambda: mine.encode(text), number=1)
    sentences = [f"It encodes the English corpus, {len(text.encode()):,} bytes, in {own:.2f} seconds."]
    for name, made in (("OpenAI's tiktoken", _tiktoken), ("Hugging Face tokenizers", _tokenizers)):
        with contextlib.suppress(ImportError):
            encode = made(ranks)
            ratio = own / min(timeit(lambda: encode(text), number=1) for _ in range(3))  # noqa: B023
            sentences.append(f"{name}, written in Rust: {ratio:.{0 if ratio > 10 else 1}f} times as fast.")
    return sentences


def _tiktoken(ranks: dict[bytes, int]) -> Callable[[str], list[int]]:
    import tiktoken

    return tiktoken.Encoding("small", pat_str=split_gpt2.pattern, mergeable_ranks=ranks, special_tokens={}).encode


def _tokenizers(ranks: dict[bytes, int]) -> Callable[[str], list[int]]:
    """Return the encoder of `tokenizers` with these ranks, whose tokens it writes with byte symbols."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    from tokenlab.libraries.transformers.convert_slow_tokenizer import merges_of

    vocab = {bytes_to_symbols(token): rank for token, rank in sorted(ranks.items(), key=lambda item: item[1])}
    tokenizer = Tokenizer(models.BPE(vocab, list(merges_of(vocab)), ignore_merges=True))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return lambda text: tokenizer.encode(text).ids


gpt2_tokenizer = FunctionCheck(
    Reference,
    lambda: st.tuples(inputs.texts(8)),
    "Split the text at its special tokens. Split each other part by the pattern, turn each piece into bytes, and "
    "encode it. Decoding also knows the special tokens.",
    examples=[
        ("The player was unhappy.",),
        ("a<|endoftext|>b",),
        ("日本 👍🏽",),
        ("",),
        ("a\ud800",),
        (data.text("mixed"),),
    ],
    wrong=(
        (
            type(
                "NoSpecial",
                (Reference,),
                {"__init__": lambda self, ranks, special: Reference.__init__(self, ranks, {})},
            ),
            "The text of a special token becomes the id of the special token.",
        ),
        (
            type("Stripped", (Reference,), {"encode": lambda self, text: Reference.encode(self, text.strip())}),
            "Nothing is removed from the text: decoding returns exactly the text that was encoded.",
        ),
        (
            type("Strict", (Reference,), {"encode": lambda self, text: Reference.encode(self, text.encode().decode())}),
            "The bytes of a piece are those of step 1: a surrogate without its partner is replaced by U+FFFD.",
        ),
    ),
    use=Adapter(
        ("ranks", "special"),
        _used,
        lambda name, text: f"With the ranks of small.tiktoken, {name}(ranks, special) for the text {text!r}",
    ),
    tried=100,
    praise=speed,
    wants_class=True,
)
