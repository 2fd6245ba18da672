"""Padding: the common length, and the settings, against the live library."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest
import tokenizers as live
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.libraries.tokenizers.encoding_parity import answers, live_tokenizer, ours
from tokenlab.algorithms.pipeline.pad import LengthChosen, pad, pad_batch, padded_length
from tokenlab.libraries.tokenizers.truncate_and_pad import PaddingParams, pad_encodings

TEXTS = st.lists(st.sampled_from(["a", "ab", "hug", "baa"]), max_size=5).map(" ".join)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "length": st.none() | st.integers(0, 12),
        "pad_to_multiple_of": st.none() | st.integers(0, 7),
        "direction": st.sampled_from(["left", "right"]),
        "pad_id": st.integers(0, 9),
        "pad_type_id": st.integers(0, 9),
        "pad_token": st.sampled_from(["[PAD]", "", "é"]),
    },
)


@examples(40)
@given(st.lists(TEXTS, max_size=4), OPTIONS, st.none() | st.integers(1, 4))
def test_padded_batches_are_the_librarys(texts, options, max_length):
    tokenizer = live_tokenizer(max_length and {"max_length": max_length})
    own = [ours(encoding) for encoding in tokenizer.encode_batch(texts)]
    tokenizer.enable_padding(**options)
    own = pad_encodings(own, PaddingParams.from_options(**options))
    assert [answers(encoding) for encoding in own] == [answers(other) for other in tokenizer.encode_batch(texts)]


@given(st.lists(st.integers(0, 50)), st.none() | st.integers(0, 50), st.none() | st.integers(0, 9))
def test_the_length_is_the_smallest_multiple(lengths, fixed, multiple):
    enough = max(lengths, default=0) if fixed is None else fixed
    result = padded_length(lengths, fixed, multiple)
    assert result >= enough
    assert result % (multiple or 1) == 0
    assert result - enough < (multiple or 1)


def test_one_list_is_padded_on_either_side():
    assert pad([7], 3, 0, "left") == [0, 0, 7]
    assert pad([7], 3, 0) == [7, 0, 0]
    assert pad([7, 8], 1, 0, "left") == [7, 8]


@given(
    st.lists(st.lists(st.integers(1, 9), max_size=6), max_size=4),
    st.none() | st.integers(0, 9),
    st.none() | st.integers(0, 5),
    st.sampled_from(["left", "right"]),
)
def test_a_batch_is_padded_step_by_step_as_by_the_library(rows, fixed, multiple, direction):
    tokenizer = live.Tokenizer(live.models.WordLevel({str(id): id for id in range(10)}, unk_token="0"))
    tokenizer.enable_padding(length=fixed, pad_to_multiple_of=multiple, direction=direction, pad_token="0")
    expected = tokenizer.encode_batch([list(map(str, row)) for row in rows], is_pretokenized=True)
    recording = pad_batch.record(rows, 0, fixed, multiple, direction)
    assert recording.result == [encoding.ids for encoding in expected]
    chosen = [step.length for step in recording if isinstance(step, LengthChosen)]
    assert (
        chosen
        == [max(map(len, rows), default=0) if fixed is None else fixed, padded_length(map(len, rows), fixed, multiple)][
            : 1 + bool(multiple)
        ]
    )
    added = [(step.row, list(step.tokens), step.missing) for step in recording[len(chosen) :]]
    assert added == [(place, encoding.ids, encoding.attention_mask.count(0)) for place, encoding in enumerate(expected)]


def test_each_rule_and_each_row_is_a_step():
    assert [str(step) for step in pad_batch.record([[7], [8, 9]], 0, multiple=4)] == [
        "all rows get the length 2, that of the longest row",
        "all rows get the length 4, rounded up to a multiple of 4",
        "row 1 gets 3 padding tokens, and now has 4 tokens",
        "row 2 gets 2 padding tokens, and now has 4 tokens",
    ]
    assert str(pad_batch.record([[7]], 0, fixed=3).steps[0]) == "all rows get the length 3, as was requested"
    assert pad_batch([[7, 8], [9]], 0) == [[7, 8], [9, 0]]


def test_an_unknown_direction_is_named():
    with pytest.raises(ValueError, match="direction='up'"):
        pad_batch([[1]], 0, direction="up")


CALLS = [
    {},
    {"length": 5},
    {"length": None},
    {"max_length": 5},
    {"length": 5, "max_length": None},
    {"max_length": 3, "length": 5},
    {"direction": "x"},
    {"direction": "left", "pad_to_multiple_of": 8},
    {"pad_to_multiple_of": None},
    {"pad_to_multiple_of": 0},
    {"pad_to_multiple_of": -1},
    {"pad_to_multiple_of": "a"},
    {"colour": 1},
    {"pad_id": -1},
    {"pad_id": 2**32},
    {"pad_token": 3},
    {"length": "a"},
    {"length": -1},
]


@pytest.mark.parametrize("options", CALLS)
def test_settings_are_the_librarys(options):
    tokenizer = live_tokenizer()
    try:
        tokenizer.enable_padding(**options)
    except Exception as error:
        with pytest.raises(type(error)):
            PaddingParams.from_options(**options)
        return
    params = PaddingParams.from_options(**options)
    assert asdict(params) == tokenizer.padding
    assert json.dumps(params.to_json()) == json.dumps(json.loads(tokenizer.to_str())["padding"])
    assert PaddingParams.from_json(params.to_json()) == params


def test_the_defaults_are_those_of_the_options():
    assert PaddingParams() == PaddingParams.from_options()


def test_a_deprecated_and_an_unknown_option_are_reported(capsys):
    PaddingParams.from_options(max_length=3, colour="red")
    out = capsys.readouterr().out
    assert "enable_padding(max_length=X) is deprecated" in out
    assert "Ignored unknown kwarg option colour" in out


SAVED = PaddingParams(length=3, direction="left").to_json()


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"strategy": {"Fixed": 3}},
        {"strategy": "BatchLongest"},
        {"strategy": {"BatchLongest": None}},
        {"strategy": "Fixed"},
        {"strategy": {"Fixed": -3}},
        {"strategy": 3},
        {"strategy": ...},
        {"pad_to_multiple_of": ...},
        {"pad_to_multiple_of": 4},
        {"pad_to_multiple_of": -4},
        {"pad_id": ...},
        {"pad_id": 2**32},
        {"pad_token": 3},
        {"pad_type_id": True},
        {"direction": ...},
        {"direction": "right"},
        {"colour": 3},
    ],
)
def test_saved_settings_are_read_as_by_the_library(change):
    fields = {name: value for name, value in {**SAVED, **change}.items() if value is not ...}
    saved = json.loads(live_tokenizer().to_str())
    try:
        expected = live.Tokenizer.from_str(json.dumps({**saved, "padding": fields})).padding
    except Exception:
        with pytest.raises(ValueError):
            PaddingParams.from_json(fields)
    else:
        assert asdict(PaddingParams.from_json(fields)) == expected
