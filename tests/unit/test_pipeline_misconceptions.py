"""Each wrong program about the pipeline is wrong on the input that its rule names, and right on others."""

from __future__ import annotations

from typing import Any

import pytest

from tokenlab.check.exercises.pipeline import span_in_original, split_at_added, word_spans
from tokenlab.libraries.tokenizers import Tokenizer, models, pre_tokenizers
from tokenlab.misconceptions import pipeline as wrong
from tokenlab.misconceptions.catalog import MISCONCEPTIONS, rule_of

DOTS = [(0, 1), (1, 2), (1, 2), (1, 2)]


@pytest.mark.parametrize(
    ("program", "right", "shows", "hides"),
    [
        (wrong.ignore_lstrip, split_at_added, ("a [M] b", "[M]"), ("a[M] b", "[M]")),
        (wrong.normalized_positions, span_in_original, (DOTS, 2, 3), (DOTS, 0, 2)),
        (wrong.find_offsets, word_spans, ("cats at",), ("at cats",)),
    ],
)
def test_the_program_is_wrong_where_its_rule_says_and_not_everywhere(
    program: Any, right: Any, shows: tuple[Any, ...], hides: tuple[Any, ...]
) -> None:
    assert program(*shows) != right(*shows)
    assert program(*hides) == right(*hides)


def test_byte_offsets_are_wrong_for_a_character_of_several_bytes() -> None:
    byte_level: Any = Tokenizer(
        models.BPE({token: id for id, token in enumerate(pre_tokenizers.ByteLevel.alphabet())}, [])
    )
    byte_level.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=False)
    ascii, arrow = byte_level.encode("to"), byte_level.encode("i⭢j")
    assert wrong.byte_offsets(ascii.tokens) == ascii.offsets
    assert wrong.byte_offsets(arrow.tokens) == [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]
    assert arrow.offsets == [(0, 1), (1, 2), (1, 2), (1, 2), (2, 3)]


def test_each_has_its_number_and_its_rule() -> None:
    programs = {16: wrong.ignore_lstrip, 33: wrong.byte_offsets, 34: wrong.normalized_positions, 0: wrong.find_offsets}
    for number, program in programs.items():
        assert [known.number for known in MISCONCEPTIONS if program in known.programs] == [number]
    assert "lstrip=True" in rule_of(wrong.ignore_lstrip)
