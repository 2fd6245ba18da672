"""Chunks of a text: where no piece can reach from one into the next."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tokenlab.libraries.sentencepiece.model_interface import adjacent_characters, chunk_pattern

LETTERS = "ab1#]^-\\\n日\udc80"
pieces = st.lists(st.builds("{}{}".format, st.sampled_from(["", "▁"]), st.text(LETTERS, max_size=4)), max_size=8)


@examples(300)
@given(pieces, st.text(LETTERS + "▁?", max_size=20))
def test_chunks_joined_are_the_text_and_no_piece_crosses_their_borders(pieces: list[str], text: str) -> None:
    chunks = list(chunk_pattern(pieces).finditer(text))
    assert "".join(match.group() for match in chunks) == text
    for piece in filter(None, pieces):
        for found in re.finditer(f"(?=({re.escape(piece)}))", text):
            start, end = found.span(1)
            assert any(match.start() <= start and end <= match.end() for match in chunks), (piece, start)


@pytest.mark.parametrize(
    ("pieces", "text", "chunks"),
    [
        (["▁print", "()", "n"], "▁print(n)▁▁()", ["▁print", "(", "n", ")", "▁", "▁()"]),
        (["##"], "a###a", ["a", "###", "a"]),  # a class of one character
        (["ab", "b1", "日"], "ab1日日", ["ab1", "日", "日"]),
        ([], "▁ab", ["▁a", "b"]),
    ],
)
def test_a_text_is_split_between_characters_that_no_piece_connects(
    pieces: list[str], text: str, chunks: list[str]
) -> None:
    assert chunk_pattern(pieces).findall(text) == chunks


def test_classes_grow_together_in_any_order() -> None:
    chained = ["ab", "cd", "bc", "xy", "de"]
    for turn in range(5):
        classes = adjacent_characters(chained[turn:] + chained[:turn])
        assert sorted(map(sorted, classes)) == [["a", "b", "c", "d", "e"], ["x", "y"]]
