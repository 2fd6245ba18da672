"""What the checks draw from: small alphabets in which everything collides, and texts that break things.

Each function makes a hypothesis strategy. Hypothesis is imported when one is called, not when a lesson imports `check`.
"""

from __future__ import annotations

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


def splits(symbols: Symbols = ("a", "b", "ab", "日"), most: int = 7) -> SearchStrategy[Symbols]:
    """Words as tuples of symbols; some are made of others, so that their text can be read in two ways."""
    from hypothesis import strategies as st

    return st.lists(st.sampled_from(symbols), max_size=most).map(tuple)


def pairs(symbols: Symbols = ("a", "b", "ab", "日")) -> SearchStrategy[tuple[str, str]]:
    """Pairs of the same symbols."""
    from hypothesis import strategies as st

    return st.tuples(st.sampled_from(symbols), st.sampled_from(symbols))


def merge_lists(letters: Symbols = ("a", "b", "c"), most: int = 5) -> SearchStrategy[list[tuple[str, str]]]:
    """Merges as training learns them: each part is a letter, or was made by a merge before; no token is made twice."""
    from hypothesis import strategies as st

    @st.composite
    def drawn(draw: Any) -> list[tuple[str, str]]:
        known, merges = list(letters), list[tuple[str, str]]()
        for _ in range(draw(st.sampled_from(range(most + 1)))):
            pair = (draw(st.sampled_from(known)), draw(st.sampled_from(known)))
            if pair[0] + pair[1] not in known:
                merges.append(pair)
                known.append(pair[0] + pair[1])
        return merges

    return drawn()


def words_and_merges(letters: Symbols = ("a", "b", "c")) -> SearchStrategy[tuple[str, list[tuple[str, str]]]]:
    """A word and merges; the word is glued from letters and from tokens that the merges make."""
    from hypothesis import strategies as st

    @st.composite
    def drawn(draw: Any) -> tuple[str, list[tuple[str, str]]]:
        merges = draw(merge_lists(letters))
        parts = [*letters, *map("".join, merges)]
        return "".join(draw(st.lists(st.sampled_from(parts), max_size=4))), merges

    return drawn()


def byte_strings(most: int = 8) -> SearchStrategy[bytes]:
    """Bytes: every value, and what is UTF-8."""
    from hypothesis import strategies as st

    order = [*range(97, 123), *range(97), *range(123, 256)]
    raw: SearchStrategy[bytes] = st.lists(st.sampled_from(order), max_size=most).map(bytes)
    return raw | texts(3).map(str.encode)
