"""The mini-language of templates, against the live library."""

from __future__ import annotations

import json

import pytest
import tokenizers as live
from hypothesis import example, given
from hypothesis import strategies as st

from tests.examples import examples
from tokenlab.algorithms.pipeline.template import (
    SequencePiece,
    SpecialPiece,
    apply_template,
    parse_piece,
    parse_template,
)
from tokenlab.libraries.tokenizers.processors.template_processing import piece_to_json

PIECES = st.text(st.sampled_from("$AaBb01+:-_ 9[٣"), max_size=6) | st.sampled_from(
    ["$4294967295", "$4294967296", "$A:4294967295", "x:00000000000000001", "$+1", "$A:+1", "$A:++1", "$A:1:1", "$ A"]
)


def live_pieces(template):
    """Return the pieces that the library reads, with every special token that it misses provided."""
    special = {text.partition(":")[0] for text in (template.split(" ") if isinstance(template, str) else template)}
    processor = live.processors.TemplateProcessing(template, special_tokens=[(token, 1) for token in special])
    return json.loads(processor.__getstate__())["single"]


@examples(60)
@given(PIECES | st.lists(PIECES, max_size=3))
@example("$4294967295")
@example("$4294967296")
@example("$A:4294967296")
def test_templates_are_read_as_by_the_library(template):
    try:
        expected = live_pieces(template)
    except ValueError as error:
        with pytest.raises(ValueError) as raised:
            parse_template(template)
        assert str(raised.value).startswith(str(error))
    else:
        assert [piece_to_json(piece) for piece in parse_template(template)] == expected


def test_both_notations_are_the_same_unless_a_piece_has_spaces():
    assert parse_template("[CLS] $A [SEP]:1") == parse_template(["[CLS]", "$A", "[SEP]:1"])
    assert parse_template(["[ A ]"]) == (SpecialPiece("[ A ]"),)
    assert parse_piece("$A") == SequencePiece("A") == SequencePiece("A", 0)
    assert parse_piece("$1") == SequencePiece("A", 1)  # a number is a type id, not the index of a sequence


def test_every_piece_is_a_step():
    pair = parse_template("[CLS] $A [SEP] $B:1 [SEP]:1")
    steps = list(apply_template.record(pair, ["hugs"], ["bugs", "!"]))
    assert [step.tokens for step in steps] == [("[CLS]",), ("hugs",), ("[SEP]",), ("bugs", "!"), ("[SEP]",)]
    assert [step.type_id for step in steps] == [0, 0, 0, 1, 1]
    assert [step.is_special for step in steps] == [True, False, True, False, True]
    assert str(steps[3]) == "the sequence B is added: bugs !, with the type id 1"


def test_special_tokens_may_be_left_out_or_stand_for_several_tokens():
    template = parse_template("Q $A:2")
    assert apply_template(template, ["a"], special_tokens={"Q": ["question", ":"]}) == (
        ["question", ":", "a"],
        [0, 0, 2],
    )
    assert apply_template(template, ["a"], add_special_tokens=False) == (["a"], [2])


def test_a_missing_second_sequence_is_an_error():
    with pytest.raises(ValueError, match="give a pair"):
        apply_template(parse_template("$A $B"), ["a"])
