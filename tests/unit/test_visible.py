"""Nothing invisible is shown to a person."""

from __future__ import annotations

import pytest

from tokenlab.printing.printable import printable


@pytest.mark.parametrize(
    ("symbol", "shown"),
    [
        ("hug", "hug"),
        ("", ""),
        (" a b", "␣a␣b"),
        ("\r\n\t", "␍↵⇥"),
        ("\x00\x7f\x85\xa0\xad", r"\x00\x7f\x85\xa0\xad"),
        ("\u200b\u2028\u202e\u3000\ufeff", r"\u200b\u2028\u202e\u3000\ufeff"),
        ("\ud83d", r"\ud83d"),
        ("\ue000\U000f0000", r"\ue000\U000f0000"),
        ("\u0301", "◌\u0301"),
        ("e\u0301", "e\u0301"),
        ("日本", "日本"),
        ("👍🏽", "👍🏽"),
        (b"hug", "hug"),
        (b" ", "␣"),
        ("é👍".encode(), "é👍"),
        (b"a\xff \x00", r"a\xff\x20\x00"),
        ("日".encode()[:2], r"\xe6\x97"),
    ],
    ids=ascii,
)
def test_a_symbol_is_shown_so_that_every_character_can_be_seen(symbol: str | bytes, shown: str) -> None:
    assert printable(symbol) == shown


def test_a_joiner_between_emoji_is_seen() -> None:
    assert printable("👩\u200d👧") == r"👩\u200d👧"
