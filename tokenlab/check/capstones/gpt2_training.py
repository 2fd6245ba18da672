"""Checks of the first capstone: count pairs of bytes, merge, train, train fast, and save and read a .tiktoken file."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Mapping
from random import Random
from timeit import default_timer
from typing import Any, TypeAlias

from tokenlab import data
from tokenlab.algorithms.bpe.tie_break import Policy
from tokenlab.algorithms.bpe.train import merge
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.text.pretokenize import split_gpt2
from tokenlab.check import strategies as inputs
from tokenlab.check.function_check import FunctionCheck
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.trace_comparison import TracedCall

Word: TypeAlias = tuple[bytes, ...]
Pair: TypeAlias = tuple[bytes, bytes]

LETTERS = (b"a", b"b", b"ab", b"\xc3")


def _split_words() -> Strategy:
    return st.lists(st.sampled_from(LETTERS), min_size=1, max_size=6).map(tuple)


# Pairs.


def pair_counts(word_counts: Mapping[Word, int]) -> dict[Pair, int]:
    """Count each pair of neighbours, as often as its word occurs.

    >>> pair_counts({(b"a", b"b"): 2})
    {(b'a', b'b'): 2}
    """
    counts: Counter[Pair] = Counter()
    for word, count in word_counts.items():
        for pair in zip(word, word[1:], strict=False):
            counts[pair] += count
    return dict(counts)


def _each_pair_once(word_counts: Mapping[Word, int]) -> dict[Pair, int]:
    counts: Counter[Pair] = Counter()
    for word, count in word_counts.items():
        for pair in {*zip(word, word[1:], strict=False)}:
            counts[pair] += count
    return dict(counts)


count_byte_pairs = FunctionCheck(
    pair_counts,
    lambda: st.tuples(st.dictionaries(_split_words(), st.sampled_from((1, 2, 5)), max_size=4)),
    "Each two adjacent symbols of a word are a pair. Each occurrence of a pair adds the count of the word.",
    examples=[({(b"a", b"b"): 2},), ({(b"a", b"a", b"a"): 1, (b"b", b"a"): 3},)],
    edges=[({},)],
    wrong=(
        (lambda word_counts: pair_counts(dict.fromkeys(word_counts, 1)), "A pair counts as often as its word occurs."),
        (_each_pair_once, "A pair that occurs at two positions of a word counts twice."),
    ),
)


def _first_only(word: Word, pair: Pair) -> Word:
    for at in range(len(word) - 1):
        if word[at : at + 2] == pair:
            return (*word[:at], pair[0] + pair[1], *word[at + 2 :])
    return word


def _used_twice(word: Word, pair: Pair) -> Word:
    parts: list[bytes] = []
    for left, right in zip(word, [*word[1:], b""], strict=True):
        parts.append(left + right if (left, right) == pair else left)
    return tuple(parts)


def _by_bytes(word: Word, pair: Pair) -> Word:
    joined = b" ".join(word).replace(b" ".join(pair), b"".join(pair))
    return tuple(joined.split(b" ")) if word else ()


merge_byte_pair = FunctionCheck(
    lambda word, pair: merge(word, pair),
    lambda: st.tuples(_split_words(), st.tuples(st.sampled_from(LETTERS), st.sampled_from(LETTERS))),
    "Go through the word from left to right. If the next two symbols are the pair, append them joined and continue "
    "after both. If not, append one symbol.",
    examples=[((b"a", b"b", b"a", b"b"), (b"a", b"b")), ((b"a", b"a", b"a"), (b"a", b"a")), ((b"a",), (b"a", b"b"))],
    wrong=(
        (_first_only, "Every occurrence of the pair is merged, not only the first one."),
        (_used_twice, "Both symbols of the pair are used up by the merge."),
        (_by_bytes, "A pair consists of two whole symbols, not of the end of one symbol and the next symbol."),
    ),
)


# Training.


def learn(word_counts: Mapping[bytes, int], num_tokens: int) -> list[bytes]:
    """Learn tokens by merging the most frequent pair; at equal counts, the smallest pair.

    >>> learn({b"ab": 2, b"abc": 1}, 5)
    [b'ab', b'abc']
    """
    return _learn(word_counts, num_tokens, lambda tied: tied.pair)


def _learn(word_counts: Mapping[bytes, int], num_tokens: int, tie_break: str | Policy) -> list[bytes]:
    merges: Any = train_indexed(word_counts, len({*b"".join(word_counts)}) + num_tokens, tie_break)
    return list(dict.fromkeys(left + right for left, right in merges))


def _counted_again(word_counts: Mapping[bytes, int], num_tokens: int) -> list[bytes]:
    """Count all pairs of all words before each merge."""
    words: dict[Any, int] = {
        tuple(word[at : at + 1] for at in range(len(word))): count for word, count in word_counts.items()
    }
    tokens: list[bytes] = []
    while len(tokens) < num_tokens and (counts := pair_counts(words)):
        highest = max(counts.values())
        best = min(pair for pair, count in counts.items() if count == highest)
        tokens += [best[0] + best[1]] * (best[0] + best[1] not in tokens)
        words = {merge(word, best): count for word, count in words.items()}
    return tokens


def _ties_as_seen(word_counts: Mapping[bytes, int], num_tokens: int) -> list[bytes]:
    return _learn(word_counts, num_tokens, "first_seen")


def _counted_once(word_counts: Mapping[bytes, int], num_tokens: int) -> list[bytes]:
    words = {tuple(word[at : at + 1] for at in range(len(word))): count for word, count in word_counts.items()}
    counts = pair_counts(words)
    return [left + right for left, right in sorted(counts, key=lambda pair: (-counts[pair], pair))[:num_tokens]]


def _counts() -> Strategy:
    word = st.lists(st.sampled_from((b"a", b"b", b"c", b"\xc3")), min_size=1, max_size=6).map(b"".join)
    return st.tuples(
        st.dictionaries(word, st.sampled_from((1, 2, 3)), min_size=1, max_size=4), st.sampled_from((3, 1, 9, 0))
    )


def _first_tokens(word_counts: Mapping[bytes, int], num_tokens: int) -> list[TracedCall]:
    """Ask for more and more tokens; for many, only for a few numbers of them."""
    numbers = range(1, num_tokens + 1) if num_tokens < 10 else (1, 2, 5, num_tokens)
    return [(f"up to {number} tokens", (word_counts, number)) for number in numbers] or [("0 tokens", (word_counts, 0))]


TIE = "If several pairs have the highest count, the smallest pair is merged."
AGAIN = "The counts change with each merge: a merged pair is gone, and the new symbol has new neighbours."
TRAINING: dict[str, Any] = {
    "reference": learn,
    "inputs": _counts,
    "rule": "Merge the pair with the highest count in all words, and append its joined bytes to the tokens. "
    "Continue until there are `num_tokens` tokens, or no pair is left.",
    "examples": [({b"ab": 2, b"abc": 1}, 5), ({b"ba": 1, b"ab": 1}, 1), ({b"aaab": 2, b"aab": 1}, 3)],
    "edges": [({b"a": 1}, 3)],
    "traced_calls": _first_tokens,
}

train_bytes = FunctionCheck(**TRAINING, wrong=((_ties_as_seen, TIE), (_counted_once, AGAIN)))


def _many_words() -> dict[bytes, int]:
    """Return the words of the English corpus and their counts."""
    return dict(Counter(piece.encode() for piece in split_gpt2(data.text("english"))))


def megabyte() -> dict[bytes, int]:
    """Return the word counts of a made-up text of about one megabyte: syllables, joined at random."""
    random = Random(0)
    syllables = [first + vowel + last for first in "bdfgklmnprst" for vowel in "aeiou" for last in ("", "n", "s")]
    frequent = [1 / rank for rank in range(1, len(syllables) + 1)]
    words = (" " + "".join(random.choices(syllables, frequent, k=random.choice((1, 2, 2)))) for _ in range(180_000))
    return dict(Counter(word.encode() for word in words))


def training_time(function: Any) -> list[str]:
    """Return a sentence on how long a trainer takes for a made-up text of about one megabyte."""
    word_counts = megabyte()
    size = sum(len(word) * count for word, count in word_counts.items())
    start = default_timer()
    function(word_counts, 500)
    seconds = default_timer() - start
    return [
        f"It learns 500 tokens from a made-up text of {size / 1e6:.1f} MB with {len(word_counts):,} different words "
        f"in {seconds:.1f} seconds."
    ]


QUICK: dict[str, Any] = {**TRAINING, "edges": [({b"a": 1}, 3), (_many_words(), 300)]}

train_quickly = FunctionCheck(
    **QUICK,
    wrong=(
        (
            _counted_again,
            "Counting all pairs again before each merge takes too long for many words. Update only the counts of the "
            "words that contain the merged pair.",
        ),
        (_ties_as_seen, TIE),
        (_counted_once, AGAIN),
    ),
    praise=training_time,
)


# Files.


def write_ranks(ranks: Mapping[bytes, int]) -> str:
    r"""Return the text of a .tiktoken file: one line per token in the order of the ranks.

    >>> write_ranks({b"b": 1, b"a": 0})
    'YQ== 0\nYg== 1\n'
    """
    entries = sorted(ranks.items(), key=lambda entry: entry[1])
    return "".join(f"{base64.b64encode(token).decode()} {rank}\n" for token, rank in entries)


def read(text: str) -> dict[bytes, int]:
    r"""Return the ranks in the text of a .tiktoken file; empty lines are skipped.

    >>> read("YQ== 0\n\nYg== 1\n")
    {b'a': 0, b'b': 1}
    """
    lines = (line.split() for line in text.splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in lines}


def _ranks() -> Strategy:
    token = inputs.byte_strings(3).filter(bool)
    entries = st.lists(
        st.tuples(token, st.integers(0, 99)), max_size=4, unique_by=(lambda one: one[0], lambda one: one[1])
    )
    return entries.map(dict)


def _file_texts() -> Strategy:
    ends = st.sampled_from(("\n", "\n\n", "\r\n"))
    return st.tuples(_ranks(), ends).map(lambda drawn: (write_ranks(drawn[0]).replace("\n", drawn[1]),))


def _lines(ranks: Mapping[bytes, int], spelled: Any, ordered: bool = True) -> str:
    items = sorted(ranks.items(), key=lambda item: item[1]) if ordered else [*ranks.items()]
    return "".join(f"{spelled(token)} {rank}\n" for token, rank in items)


save_ranks = FunctionCheck(
    write_ranks,
    lambda: st.tuples(_ranks()),
    "Each line is the base64 text of the token, a space, the rank, and a line end.",
    examples=[({b"a": 0},), ({b"b": 1, b"a": 0},), ({b"\xc3": 0},)],
    edges=[({},)],
    wrong=(
        (
            lambda ranks: _lines(ranks, base64.b64encode),
            "`base64.b64encode` returns bytes: decode them, so that the line does not contain b'...'.",
        ),
        (
            lambda ranks: _lines(ranks, lambda token: base64.b64encode(token).decode(), ordered=False),
            "The lines are in the order of the ranks.",
        ),
        (lambda ranks: write_ranks(ranks).removesuffix("\n"), "Every line has a line end, also the last one."),
    ),
)

read_ranks = FunctionCheck(
    read,
    _file_texts,
    "Split the text into lines and each line at its space. Decode the first part with base64; the second part is the "
    "rank.",
    examples=[("YQ== 0\nYg== 1\n",), ("YQ== 7\r\n",), ("YQ== 0\n\n",)],
    edges=[("",)],
    wrong=(
        (
            lambda text: {base64.b64decode(line.split()[0]): int(line.split()[1]) for line in text.split("\n")},
            "Empty lines are skipped.",
        ),
        (
            lambda text: {
                base64.b64decode(line.split()[0]): rank for rank, line in enumerate(filter(None, text.splitlines()))
            },
            "The rank is the number in the line, not the number of the line.",
        ),
        (
            lambda text: {line.split()[0].encode(): int(line.split()[1]) for line in text.splitlines() if line},
            "The keys are the bytes of the tokens; the file has them in base64.",
        ),
    ),
)
