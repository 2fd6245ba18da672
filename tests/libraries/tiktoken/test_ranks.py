"""A table of ranks is refused with a sentence before it is used."""

from __future__ import annotations

import pytest

from tokenlab import data
from tokenlab.libraries.tiktoken.load import check_ranks, load_tiktoken_bpe

BYTES = {bytes([byte]): byte for byte in range(256)}


def test_the_shipped_ranks_are_whole() -> None:
    check_ranks(load_tiktoken_bpe(str(data.FOLDER / "small.tiktoken")))


@pytest.mark.parametrize(
    ("ranks", "sentence"),
    [
        (BYTES | {b"ab": 97}, "the tokens a and ab both have rank 97; give each token a different rank"),
        (BYTES | {b"ab": 257}, "no token has rank 256, but ranks go up to 257; count them from 0 without a gap"),
        (
            {b"a": 0, b"b": 1},
            "254 of the 256 bytes have no rank, first 0x00; without them not every text can be encoded",
        ),
    ],
)
def test_ranks_that_are_not_whole_are_refused(ranks: dict[bytes, int], sentence: str) -> None:
    with pytest.raises(ValueError) as refused:
        check_ranks(ranks)
    assert sentence in str(refused.value)
