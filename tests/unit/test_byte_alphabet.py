"""The glyphs of bytes: GPT-2's own, and undone without a loss."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import decoders, pre_tokenizers

from tokenlab.algorithms.byte_alphabet import BYTES, GLYPHS, GPT2_ORDER, from_glyphs, to_glyphs


def test_every_byte_has_a_glyph_of_its_own_that_can_be_seen() -> None:
    assert len(set(GLYPHS)) == len(BYTES) == 256
    assert all(glyph.isprintable() and not glyph.isspace() for glyph in GLYPHS)


def test_the_alphabet_is_that_of_tokenizers() -> None:
    assert set(GLYPHS) == set(pre_tokenizers.ByteLevel.alphabet())


def test_a_blank_is_g_with_a_dot_and_the_exclamation_mark_is_itself() -> None:
    assert (GLYPHS[ord(" ")], GLYPHS[ord("\n")], GLYPHS[ord("!")], GLYPHS[0xAD]) == ("Ġ", "Ċ", "!", "Ń")


def test_gpt2_counts_bytes_from_the_exclamation_mark() -> None:
    assert GPT2_ORDER[0] == ord("!")
    assert GPT2_ORDER.index(ord("a")) == 64
    assert sorted(GPT2_ORDER) == list(range(256))


@given(st.binary(max_size=200))
def test_glyphs_undo_exactly(data: bytes) -> None:
    assert from_glyphs(to_glyphs(data)) == data


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_glyphs_are_those_of_the_live_library(text: str) -> None:
    split = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    assert "".join(piece for piece, _ in split.pre_tokenize_str(text)) == to_glyphs(text.encode())
    assert decoders.ByteLevel().decode([to_glyphs(text.encode())]) == text


def test_a_character_that_is_no_glyph_is_named() -> None:
    with pytest.raises(ValueError, match=r"' ' at position 1 of 'a b' is no glyph"):
        from_glyphs("a b")
