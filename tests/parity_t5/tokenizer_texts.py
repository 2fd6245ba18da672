"""Texts, tokens and ids that are hard for tokenizers, drawn from a random number generator."""

from __future__ import annotations

from random import Random

WORDS = (
    *("the", "of", "and", "Hello", "hello", "world", "The", "man", "running", "unaffable", "THE", "a", "I"),
    *("tokenizer", "don't", "it's", "we've", "they're", "can 't", "U.S.A.", "3.14", "1234567890", "x2"),
    *("e-mail", "foo_bar", "C++", ".", ",", "?!", "...", "``", "''", "'", '"', "(", "-", "—", "$", "^", "~"),
    *("…", "¿", "。", "、", "n't", " 's", "'re"),
)
LETTERS = (
    *("é", "e\u0301", "e\u0301\u0323", "\u0301", "naïve", "wörld", "İstanbul", "ß", "ẞ", "ǅ", "ΣΑΣ", "ς", "ﬁ"),
    *("①", "½", "Ａ１", "ﾊﾝｶｸ", "ﷺ", "日本語", "中文", "東京。", "안녕", "\u1112\u1161"),
    *("\u0936\u0915\u094d\u0924\u093f", "ไทย", "שלום", "مرحبا", "\u202eabc\u202c", "\u200f\u05d0", "Привет"),
    *("ёлка", "𝒳𝒴", "𠀋", "👍🏽", "\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466", "🇩🇪", "❤️"),
    *("😀", "\U0010ffff", "\ue000", "ŉ", "Å", "ｶﾞ"),
)
CONTROLS = (
    *("\x00", "\x01", "\x1c", "\x7f", "\x85", "\xad", "�", "\ufeff", "\u200b", "\u200d", "\u2060", "\ufffe"),
    *("\u0600",),
)
SPACES = (" ", "  ", "   ", "\n", "\r\n", "\t", "\xa0", "\u3000", "\u2028", "\u2003", "\x0b", "\u1680")
SPECIAL = (
    *("[CLS]", "[SEP]", "[PAD]", "[UNK]", "[MASK]", "<s>", "</s>", "<pad>", "<unk>", "<mask>", "<|endoftext|>"),
    *("[cls]", "<extra_id_0>", "<extra_id_1>", "<extra_id_7>", "<extra_id_99>", "<extra_id_100>", "<extra_id_"),
    *("[MASK", "< pad>"),
)
ADDED = (
    *("<new>", "newword", "the", "ab", "abc", "bc", "日本", "[X]", "é", "e\u0301", "👩", "Hello", "hello world"),
    *("<a><b>", "A", "<b>", "##ing", "▁the", "Ġthe", "'s", "<extra_id_0>", "İ", "ﬁ", "@@", "<e>", "[MASK]"),
    *("</s>", "NEW", "newwords"),
)
MARKED = (
    *("▁", "Ġ", "##", "▁▁", "##s", "##ing", "▁the", "▁a", "▁of", "Ġthe", "Ġof", "Ċ", "Â", "Ã©", "##'", "▁."),
    *("</w>",),
)
SURROGATES = ("\ud800", "\udfff", "a\udc80b")


def word(draw: Random) -> str:
    """Return a word, a character, a special token or another fragment."""
    kinds = (WORDS, WORDS, WORDS, LETTERS, LETTERS, SPECIAL, ADDED, MARKED, CONTROLS)
    return draw.choice(draw.choice(kinds))


def text(draw: Random) -> str:
    """Return a text: often some words, sometimes empty, only spaces, or long."""
    kind = draw.random()
    if kind < 0.03:
        return ""
    if kind < 0.06:
        return "".join(draw.choice(SPACES) for _ in range(draw.randint(1, 4)))
    if kind < 0.08:
        return draw.choice(LETTERS + WORDS) * draw.choice((30, 101, 150))
    if kind < 0.10:
        return "".join(chr(draw.choice((draw.randrange(0x250), draw.randrange(0xD800)))) for _ in range(6))
    count = draw.choice((1, 2, 3, 5, 8, 12)) if kind < 0.98 else 120
    plain = draw.random() < 0.4
    parts = [draw.choice(WORDS) if plain else word(draw) for _ in range(count)]
    return "".join(part + separator(draw, plain) for part in parts)


def separator(draw: Random, plain: bool) -> str:
    if plain or draw.random() < 0.5:
        return " "
    return draw.choice(SPACES) if draw.random() < 0.3 else ""


def words(draw: Random) -> list[str]:
    """Return a text in words, of which some contain spaces or nothing."""
    return [text(draw) if draw.random() < 0.1 else word(draw) for _ in range(draw.choice((0, 1, 2, 3, 3, 6, 9)))]


def tokens(draw: Random) -> list[str]:
    """Return tokens, most of which a vocabulary may contain."""
    kinds = (WORDS, MARKED, MARKED, SPECIAL, ADDED, LETTERS)
    letters = "abcdefghijklmnopqrstuvwxyzABC.,"
    prefixes = ("", "##", "▁", "Ġ")
    return [
        draw.choice(prefixes) + draw.choice(letters) if draw.random() < 0.4 else draw.choice(draw.choice(kinds))
        for _ in range(draw.choice((0, 1, 2, 4, 7)))
    ]


def ids(draw: Random) -> list[int]:
    """Return ids, most of which are in a small vocabulary."""
    limit = draw.choices((8, 120, 300, 900, 1500), (2, 3, 6, 6, 1))[0]
    return [draw.choice((draw.randrange(limit), draw.randrange(8))) for _ in range(draw.choice((0, 1, 2, 4, 8, 16)))]
