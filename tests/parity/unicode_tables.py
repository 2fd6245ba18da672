"""Of which characters Python and tokenizers know different things, as ranges of code points.

Python 3.11 has the tables of Unicode 14; tokenizers 0.23 has several, some older and one newer.
"""

from __future__ import annotations

from functools import cache

BETWEEN = "ↂ"  # which nothing becomes, and which becomes nothing else
# Of the blocks of Chinese characters, which are all alike, and of those for private use the ends will do.
CHINESE = [*range(0x3500, 0x4D00), *range(0x4F00, 0x9F00), *range(0x20100, 0x2A600), *range(0x2A800, 0x2B700)]
CHINESE += [*range(0x2BA00, 0x2CE00), *range(0x2CF00, 0x2F700), *range(0x2FB00, 0x2FF00)]
PRIVATE = [*range(0xE010, 0xF800)]
ENDS = [0xF0000, 0xFFFFD, 0x100000, 0x10FFFD]
CODES = sorted({*range(0x32000), *range(0xE0000, 0xE0200), *ENDS} - {*range(0xD800, 0xE000), *CHINESE, *PRIVATE})
CHARACTERS = [chr(code) for code in CODES if chr(code) != BETWEEN]

NEW_IN_NFD = "11938"
NEW_IN_NFKC = "32ff a7f2-a7f4 ab69 10781-10785 10787-107b0 107b2-107ba 1f16c 1fbf0-1fbf9"
NEW_LETTERS = "1c89 a7cb-a7cc a7ce a7d2 a7d4 a7da a7dc 10d50-10d65 16ea0-16eb8"
NEW_MARKS = """
    7fd 898-89f 8ca-8d3 9fe afa-aff b55 c04 c3c d00 d3b-d3c d81 eba 1715 180f 1abf-1ace 1cf2-1cf3 1cf7
    1df6-1dfa a82c a8ff 10d24-10d27 10eab-10eac 10f46-10f50 10f82-10f85 11070 11073-11074 110c2 11145-11146
    111c9 111ce-111cf 1133b 1145e 1182c-1183a 11930-11935 11937-11938 1193b-1193e 11940 11942-11943
    119d1-119d7 119da-119e0 119e4 11a01-11a0a 11a33-11a39 11a3b-11a3e 11a47 11a51-11a5b 11a8a-11a99
    11d31-11d36 11d3a 11d3c-11d3d 11d3f-11d45 11d47 11d8a-11d8e 11d90-11d91 11d93-11d97 11ef3-11ef6 16f4f
    16f7f-16f87 16fe4 16ff0-16ff1 1cf00-1cf2d 1cf30-1cf46 1e130-1e136 1e2ae 1e2ec-1e2ef"""
# BertNormalizer asks another table than StripAccents, which has fewer marks again.
NEW_BERT_MARKS = """
    7fd 898-89f 8ca-8e1 9fe afa-aff b55 c04 c3c d00 d3b-d3c d81 eba 1734 180f 1885-1886 1abf-1ace 1df6-1dfb
    a82c a8c5 a8ff a9bd 10d24-10d27 10eab-10eac 10f46-10f50 10f82-10f85 11070 11073-11074 110c2 111c9 111cf
    1123e 1133b 11438-1143f 11442-11444 11446 1145e 1182f-11837 11839-1183a 11938 1193b-1193c 1193e 11943
    119d4-119d7 119da-119db 119e0 11a01-11a0a 11a33-11a38 11a3b-11a3e 11a47 11a51-11a56 11a59-11a5b
    11a8a-11a96 11a98-11a99 11c30-11c36 11c38-11c3d 11c3f 11c92-11ca7 11caa-11cb0 11cb2-11cb3 11cb5-11cb6
    11d31-11d36 11d3a 11d3c-11d3d 11d3f-11d45 11d47 11d90-11d91 11d95 11d97 11ef3-11ef4 16f4f 16fe4
    1cf00-1cf2d 1cf30-1cf46 1e000-1e006 1e008-1e018 1e01b-1e021 1e023-1e024 1e026-1e02a 1e130-1e136 1e2ae
    1e2ec-1e2ef 1e944-1e94a"""
# Private use, which google-research's cleaning keeps and tokenizers removes; the two separators, of which tokenizers
# makes blanks; and controls that came later.
CLEANED_THERE = "890-891 8e2 2028-2029 e000-f8ff 110cd 13430-13438 f0000-ffffd 100000-10fffd"
# tokenizers writes 2B920 where google-research writes 2B820.
TYPING_ERROR = "2b820-2b91f"
# Signs that came later, for BertPreTokenizer.
NEW_SIGNS = """
    61d 9fd a76 c77 c84 166d 1b7d-1b7e 2e43-2e4f 2e52-2e5d 10ead 10f55-10f59 10f86-10f89 111c9 1144b-1144f 1145a-1145b
    1145d 11660-1166c 116b9 1183b 11944-11946 119e2 11a3f-11a46 11a9a-11a9c 11a9e-11aa2 11c41-11c45 11c70-11c71
    11ef7-11ef8 11fff 12ff1-12ff2 16e97-16e9a 16fe2 1e95e-1e95f"""


def characters_in(*ranges: str) -> set[str]:
    bounds = [part.partition("-")[::2] for part in " ".join(ranges).split()]
    return {chr(code) for first, last in bounds for code in range(int(first, 16), int(last or first, 16) + 1)}


@cache
def moved_anywhere() -> set[str]:
    tables = (NEW_IN_NFD, NEW_IN_NFKC, NEW_LETTERS, NEW_MARKS, NEW_BERT_MARKS, CLEANED_THERE, TYPING_ERROR, NEW_SIGNS)
    return characters_in(*tables)


def settled(text: str) -> str:
    """The text without the characters of which the two know different things."""
    return "".join(character for character in text if character not in moved_anywhere())
