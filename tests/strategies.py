"""Shared hypothesis strategies: texts with edge cases, and small corpora in which pairs overlap and tie."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

SNIPPETS = (
    *("", " ", "   ", "\t", "\r\n", "\n\n", "\x00", "\x1c", "\x85", "\xa0", "\u2028", "\u3000", "\ufeff"),
    *("a", "aaaa", "don't", "It's 3 o'clock", "x²", "١٢٣", "_", "$str", "<|endoftext|>", "[UNK]", "##ing", "▁the"),
    *(
        "é",
        "e\u0301",
        "\u0301",
        "a\u0301\u0327\u0323",
        "ﬁ",
        "ß",
        "İ",
        "日本語。",
        "中文",
        "한국어",
        "שלום",
        "\u202eabc",
    ),
    *("👩‍👩‍👧‍👦", "🏳️‍🌈", "👍🏽", "🇩🇪", "\U0001f600", "\ue000", "\ue00a\ue0ff", "\U000f0000", "\ufffd", "\uffff"),
    *("<b>", "</script><script>alert(1)</script>", "<!--", "&lt;", "&amp;", '" onclick="', "]]>", "\\u003c"),
)
SURROGATES = ("\ud83d", "\ude00", "\ud83d\ude00", "\udfff\ud800")


def texts(surrogates: bool = True, max_snippets: int = 12, repeated: int = 100) -> st.SearchStrategy[str]:
    """Texts with edge cases, joined from the snippets above and from arbitrary characters; half of them repeated."""
    snippets = SNIPPETS + SURROGATES if surrogates else SNIPPETS
    characters = st.characters() if surrogates else st.characters(exclude_categories=["Cs"])
    part = st.sampled_from(snippets) | st.text(characters, max_size=5)
    short = st.lists(part, max_size=max_snippets).map("".join)
    return short | short.map(lambda text: text * repeated)


def word_counts(alphabet: Any = "ab", max_words: int = 6, max_length: int = 10) -> st.SearchStrategy[dict[Any, int]]:
    """Corpora over a tiny alphabet: overlaps such as aaaa, many ties, one token made by different merges."""
    word = st.lists(st.sampled_from(alphabet), min_size=1, max_size=max_length).map(tuple)
    return st.dictionaries(word, st.integers(1, 4), min_size=1, max_size=max_words)
