"""The byte symbols are GPT-2's own, and decode without a loss."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import decoders, pre_tokenizers

from tokenlab.algorithms.text.byte_symbols import (
    BYTE_TO_SYMBOL,
    GPT2_ORDER,
    SYMBOL_TO_BYTE,
    bytes_to_symbols,
    symbols_to_bytes,
)


def test_every_byte_has_a_visible_symbol() -> None:
    assert len(set(BYTE_TO_SYMBOL)) == len(SYMBOL_TO_BYTE) == 256
    assert all(symbol.isprintable() and not symbol.isspace() for symbol in BYTE_TO_SYMBOL)


def test_the_alphabet_is_that_of_tokenizers() -> None:
    assert set(BYTE_TO_SYMBOL) == set(pre_tokenizers.ByteLevel.alphabet())


def test_a_blank_is_g_with_a_dot_and_the_exclamation_mark_is_itself() -> None:
    assert (BYTE_TO_SYMBOL[ord(" ")], BYTE_TO_SYMBOL[ord("\n")], BYTE_TO_SYMBOL[ord("!")], BYTE_TO_SYMBOL[0xAD]) == (
        "Ġ",
        "Ċ",
        "!",
        "Ń",
    )


def test_gpt2_counts_bytes_from_the_exclamation_mark() -> None:
    assert GPT2_ORDER[0] == ord("!")
    assert GPT2_ORDER.index(ord("a")) == 64
    assert sorted(GPT2_ORDER) == list(range(256))


@given(st.binary(max_size=200))
def test_byte_symbols_undo_exactly(data: bytes) -> None:
    assert symbols_to_bytes(bytes_to_symbols(data)) == data


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_byte_symbols_are_those_of_the_live_library(text: str) -> None:
    split = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    assert "".join(piece for piece, _ in split.pre_tokenize_str(text)) == bytes_to_symbols(text.encode())
    assert decoders.ByteLevel().decode([bytes_to_symbols(text.encode())]) == text


def test_a_character_that_is_no_byte_symbol_is_named() -> None:
    with pytest.raises(ValueError, match=r"' ' at position 1 of 'a b' is no byte symbol"):
        symbols_to_bytes("a b")
