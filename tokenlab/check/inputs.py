"""What the checks draw from: small alphabets in which everything collides, and texts that break things.

Each function makes a hypothesis strategy. Hypothesis is imported when one is called, not when a lesson imports `check`.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Symbols = tuple[str, ...]

# From plain to nasty: hypothesis makes an input smaller by moving to the left.
SNIPPETS = (
    *(
        "a",
        "b",
        "A",
        " ",
        "1",
        "'",
        "é",
        "日",
        "ab",
        "  ",
        "Bc",
        "\n",
        "don't",
        "we've 42",
        "\t",
        "\r\n",
        "Ä",
        "ß",
        "İ",
    ),
    *(
        "e\u0301",
        "\u0301",
        "日本語。",
        "שלום",
        "\u202eabc",
        "👩‍👩‍👧‍👦",
        "👍🏽",
        "🇩🇪",
        "\U0001f600",
        "\xa0",
        "\u3000",
        "\x00",
    ),
    *("\ufeff", "\ufffd", "x²", "١٢٣", "HTTPServer", "<|endoftext|>", "<b>&amp;</b>", "a" * 40),
)


def several(*parts: SearchStrategy[Any]) -> SearchStrategy[tuple[Any, ...]]:
    """The arguments of a function, each drawn from its own strategy."""
    from hypothesis import strategies as st

    return st.tuples(*parts)


def one_of(*values: Any) -> SearchStrategy[Any]:
    """One of these values; the first is the simplest."""
    from hypothesis import strategies as st

    return st.sampled_from(values)


def some(values: Iterable[Any], number: int = 40) -> SearchStrategy[Any]:
    """One of the first so many of these, of which there may be no end; the short ones are the simplest."""
    return one_of(*sorted(islice(values, number), key=lambda value: (len(str(value)), str(value))))


def texts(most: int = 6) -> SearchStrategy[str]:
    """Texts glued from snippets: multi-byte, joined emoji, lone accents, right to left, NUL, both kinds of line end."""
    from hypothesis import strategies as st

    return st.lists(st.sampled_from(SNIPPETS), max_size=most).map("".join)


def words(letters: Symbols = ("a", "b", "c"), most: int = 8) -> SearchStrategy[str]:
    """Words over a few letters, the empty one among them."""
    from hypothesis import strategies as st

    return st.lists(st.sampled_from(letters), max_size=most).map("".join)


def word_counts(letters: Symbols = ("a", "b", "c"), most: int = 4) -> SearchStrategy[dict[str, int]]:
    """Words and their counts, in which pairs overlap and tie."""
    from hypothesis import strategies as st

    word = st.lists(st.sampled_from(letters), min_size=1, max_size=6).map("".join)
    return st.dictionaries(word, st.sampled_from((1, 2, 3, 5)), min_size=1, max_size=most)


def splits(symbols: Symbols = ("a", "b", "ab", "日"), least: int = 0, most: int = 7) -> SearchStrategy[Symbols]:
    """Words as tuples of symbols; some are made of others, so that their text can be read in two ways."""
    from hypothesis import strategies as st

    return st.lists(st.sampled_from(symbols), min_size=least, max_size=most).map(tuple)


def pairs(symbols: Symbols = ("a", "b", "ab", "日")) -> SearchStrategy[tuple[str, str]]:
    """Pairs of the same symbols."""
    from hypothesis import strategies as st

    return st.tuples(st.sampled_from(symbols), st.sampled_from(symbols))


def words_and_merges(
    letters: Symbols = ("a", "b", "c"), most: int = 5
) -> SearchStrategy[tuple[str, list[tuple[str, str]]]]:
    """A word, and merges as training learns them: each part is a letter, or was made before; no token is made twice.

    The word is glued from letters and from what the merges make, so that they have much to do in it.
    """
    from hypothesis import strategies as st

    # A part is a letter, or how many merges ago it was made: so one merge can be left out, and the others stay.
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
    """Bytes: every value, and what is UTF-8, glued from single bytes and from characters of several."""
    from hypothesis import strategies as st

    order = [*range(97, 123), *range(97), *range(123, 256)]
    several = [snippet.encode() for snippet in SNIPPETS if 1 < len(snippet.encode()) < 9]
    return st.lists(st.sampled_from([*(bytes([byte]) for byte in order), *several]), max_size=most).map(b"".join)
