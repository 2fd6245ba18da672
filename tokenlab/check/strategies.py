"""Input strategies for the checks: words over small alphabets, and texts with edge cases.

Each function returns a hypothesis strategy. `st` is `hypothesis.strategies`, imported at its first use and not when a
lesson imports `check`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from hypothesis import strategies
    from hypothesis.strategies import SearchStrategy

    st = strategies
else:

    class _LazyStrategies:
        def __getattr__(self, name: str) -> Any:
            from hypothesis import strategies

            return getattr(strategies, name)

    st = _LazyStrategies()

Strategy: TypeAlias = "SearchStrategy[Any]"
Symbols = tuple[str, ...]

# In order of complexity: hypothesis shrinks an input towards the left.
SNIPPETS = (
    *("a", "b", "A", " ", "1", "'", "é", "日", "ab", "  ", "Bc", "\n", "don't", "we've 42"),
    *("\t", "\r\n", "Ä", "ß", "İ", "e\u0301", "\u0301", "日本語。", "שלום", "\u202eabc"),
    *("👩‍👩‍👧‍👦", "👍🏽", "🇩🇪", "\U0001f600", "\xa0", "\u3000", "\x00"),
    *("\ufeff", "\ufffd", "x²", "١٢٣", "HTTPServer", "<|endoftext|>", "<b>&amp;</b>", "a" * 40),
)


def of_length(length: int, values: SearchStrategy[Any]) -> SearchStrategy[list[Any]]:
    """Return a strategy for lists of this length."""
    return st.lists(values, min_size=length, max_size=length)


def of_sizes(build: Callable[..., SearchStrategy[Any]], *largest: int) -> SearchStrategy[Any]:
    """Return the strategy that `build` returns for drawn sizes, each from 1 to a largest size."""
    return st.tuples(*(st.integers(1, most) for most in largest)).flatmap(lambda sizes: build(*sizes))


def sampled(*values: Any) -> SearchStrategy[Any]:
    """Return a strategy for one of the values; the first is the simplest."""
    return st.sampled_from(values)


def first_of(values: Iterable[Any], number: int = 40) -> SearchStrategy[Any]:
    """Return a strategy for the first `number` values of a possibly endless iterable; shorter ones are simpler."""
    return sampled(*sorted(islice(values, number), key=lambda value: (len(written := str(value)), written)))


def texts(most: int = 6) -> SearchStrategy[str]:
    """Texts joined from snippets: multi-byte characters, emoji sequences, combining accents, RTL, NUL, LF and CRLF."""
    return st.lists(st.sampled_from(SNIPPETS), max_size=most).map("".join)


def words(letters: Symbols = ("a", "b", "c"), most: int = 8) -> SearchStrategy[str]:
    """Words over a few letters, including the empty word."""
    return st.lists(st.sampled_from(letters), max_size=most).map("".join)


def word_counts(letters: Symbols = ("a", "b", "c"), most: int = 4) -> SearchStrategy[dict[str, int]]:
    """Word counts in which pairs overlap and tie."""
    word = st.lists(st.sampled_from(letters), min_size=1, max_size=6).map("".join)
    return st.dictionaries(word, st.sampled_from((1, 2, 3, 5)), min_size=1, max_size=most)


def splits(symbols: Symbols = ("a", "b", "ab", "日"), least: int = 0, most: int = 7) -> SearchStrategy[Symbols]:
    """Words as tuples of symbols; some symbols are made of others, so one text has several segmentations."""
    return st.lists(st.sampled_from(symbols), min_size=least, max_size=most).map(tuple)


def pairs(symbols: Symbols = ("a", "b", "ab", "日")) -> SearchStrategy[tuple[str, str]]:
    """Pairs of symbols from the same alphabet."""
    return st.tuples(st.sampled_from(symbols), st.sampled_from(symbols))


def words_and_merges(
    letters: Symbols = ("a", "b", "c"), most: int = 5
) -> SearchStrategy[tuple[str, list[tuple[str, str]]]]:
    """A word and a merge list that training could produce: each part is a letter or an earlier merge's result.

    No two merges make the same token. The word is joined from letters and merged symbols, and most merges apply in it.
    """
    # A part is a letter or a distance to an earlier merge, so shrinking can drop one merge and keep the others.
    part = st.sampled_from([*letters, *range(1, most)])
    return st.tuples(st.lists(part, max_size=6), st.lists(st.tuples(part, part), max_size=most)).map(_word_and_merges)


def _word_and_merges(drawn: tuple[list[Any], list[tuple[Any, Any]]]) -> tuple[str, list[tuple[str, str]]]:
    merges = _merges(drawn[1])
    return "".join(_symbol(part, merges) for part in drawn[0]), merges


def _merges(drawn: list[tuple[Any, Any]]) -> list[tuple[str, str]]:
    merges: list[tuple[str, str]] = []
    for left, right in drawn:
        pair = (_symbol(left, merges), _symbol(right, merges))
        if "".join(pair) not in map("".join, merges):
            merges.append(pair)
    return merges


def _symbol(part: Any, merges: list[tuple[str, str]]) -> str:
    if isinstance(part, str):
        return part
    return "".join(merges[-part]) if part <= len(merges) else "a"


def byte_strings(most: int = 8) -> SearchStrategy[bytes]:
    """Byte strings joined from single bytes of every value and from multi-byte UTF-8 characters."""
    order = [*range(97, 123), *range(97), *range(123, 256)]
    several = [snippet.encode() for snippet in SNIPPETS if 1 < len(snippet.encode()) < 9]
    return st.lists(st.sampled_from([*(bytes([byte]) for byte in order), *several]), max_size=most).map(b"".join)
