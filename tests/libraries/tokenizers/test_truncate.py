"""Truncation: windows, the strategies for pairs, and the settings, against the live library."""

from __future__ import annotations

import json
import re
from dataclasses import asdict

import pytest
import tokenizers as live
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.libraries.tokenizers.encoding_parity import answers, live_tokenizer, ours
from tokenlab.algorithms.pipeline.truncate import kept_lengths, overflow_windows
from tokenlab.libraries.tokenizers.encoding import Encoding
from tokenlab.libraries.tokenizers.truncate_and_pad import TruncationParams, truncate_encodings


def live_encoding(length):
    tokenizer = live.Tokenizer(live.models.WordLevel({"a": 0}, unk_token="a"))
    return tokenizer.encode(["a"] * length, is_pretokenized=True)


@pytest.mark.parametrize("direction", ["left", "right"])
def test_windows_are_the_librarys_for_all_small_sizes(direction):
    for length in range(10):
        for max_length in range(1, 11):
            for stride in range(max_length):
                encoding = live_encoding(length)
                encoding.truncate(max_length, stride, direction)
                expected = [other.word_ids for other in (encoding, *encoding.overflowing)]
                windows = overflow_windows(length, max_length, stride, direction)
                assert [list(range(*window)) for window in windows] == [words for words in expected if words]


@given(st.integers(0, 40), st.integers(1, 12), st.data())
def test_windows_cover_everything_and_share_stride_tokens(length, max_length, data):
    stride = data.draw(st.integers(0, max_length - 1))
    windows = overflow_windows(length, max_length, stride)
    assert {token for start, stop in windows for token in range(start, stop)} == set(range(length))
    for (_, stop), (start, _) in zip(windows, windows[1:], strict=False):
        assert stop - start == stride
    mirrored = [(length - stop, length - start) for start, stop in windows]
    assert overflow_windows(length, max_length, stride, "left") == mirrored
    steps = overflow_windows.record(length, max_length, stride)
    assert [(step.start, step.stop) for step in steps] == windows
    assert [step.repeated for step in steps] == [0, *[stride] * (len(windows) - 1)][: len(windows)]


def test_each_window_and_each_rule_is_a_step():
    assert [str(step) for step in overflow_windows.record(5, 3, 1)] == [
        "this window has the tokens 0 to 2",
        "this window has the tokens 2 to 4; 1 of them is also in the previous window",
    ]
    assert [str(step) for step in kept_lengths.record(5, 11, 7)] == [
        "5 and 5 tokens: the longer sequence is shortened",
        "3 and 4 tokens: both are shortened to half of 7",
    ]


@pytest.mark.parametrize(("stride", "max_length"), [(3, 3), (4, 3), (0, 0), (-1, 3)])
def test_a_stride_that_is_not_less_than_a_window_is_an_error(stride, max_length):
    with pytest.raises(ValueError, match=f"stride={stride} should be from 0 to {max_length - 1}:"):
        overflow_windows(9, max_length, stride)


def test_unknown_names_are_errors():
    with pytest.raises(ValueError, match="did you mean 'right'"):
        overflow_windows(9, 3, direction="rigth")
    with pytest.raises(ValueError, match="did you mean 'only_first'"):
        kept_lengths(9, 3, 5, "only_fist")


@pytest.mark.parametrize("strategy", ["longest_first", "only_first", "only_second"])
def test_lengths_of_pairs_are_the_librarys_for_all_small_sizes(strategy):
    for max_length in range(9):
        tokenizer = live.Tokenizer(live.models.WordLevel({"a": 0}, unk_token="a"))
        tokenizer.enable_truncation(max_length, strategy=strategy)
        for first in range(9):
            for second in (None, *range(9)):
                pair = None if second is None else live_encoding(second)
                try:
                    result = tokenizer.post_process(live_encoding(first), pair)
                except Exception as error:
                    assert str(error).startswith("Truncation error")
                    with pytest.raises(ValueError, match=str(error)):
                        kept_lengths(first, second, max_length, strategy)
                    continue
                recording = kept_lengths.record(first, second, max_length, strategy)
                kept = recording.result
                assert (recording[-1].first, recording[-1].second) == (kept[0], kept[1] or 0)
                own = truncate_encodings(
                    [ours(live_encoding(first)), *([] if pair is None else [ours(pair)])],
                    TruncationParams(max_length, strategy=strategy),
                )
                assert (second is None) == (kept[1] is None) == (len(own) == 1)
                assert [len(encoding) for encoding in own] == [length for length in kept if length is not None]
                if second is None:
                    assert len(result) == kept[0]
                else:
                    assert [result.sequence_ids.count(sequence) for sequence in (0, 1)] == list(kept)


@examples(40)
@given(
    st.lists(st.sampled_from(["a", "aa", "ab", "hug"]), max_size=6).map(" ".join),
    st.none() | st.lists(st.sampled_from(["a", "aa", "ab", "hug"]), max_size=6).map(" ".join),
    st.integers(0, 8),
    st.integers(0, 3),
    st.sampled_from(["longest_first", "only_first", "only_second"]),
    st.sampled_from(["left", "right"]),
)
def test_truncated_encodings_are_the_librarys(first, second, max_length, stride, strategy, direction):
    options = {"stride": min(stride, max_length), "strategy": strategy, "direction": direction}
    plain, tokenizer = live_tokenizer(), live_tokenizer({"max_length": max_length, **options})
    texts = [first] if second is None else [first, second]
    encodings = [plain.encode(text) for text in texts]
    params = TruncationParams.from_options(max_length, **options)
    own = [ours(encoding) for encoding in encodings]
    own[1:] = [Encoding.of(*[*own[1].to_json().values()][:7])] if second is not None else []
    try:
        expected = tokenizer.post_process(*encodings)
    except BaseException as error:
        assert isinstance(error, Exception) or type(error).__name__ == "PanicException"
        with pytest.raises(ValueError):
            truncate_encodings(own, params)
        return
    parts = truncate_encodings(own, params)
    if second is None:
        assert answers(parts[0]) == answers(expected)
    else:
        named = [part.with_sequence_id(sequence) for sequence, part in enumerate(parts)]
        merged = Encoding.merge(named, growing_offsets=False)
        assert answers(merged) == answers(expected)


@pytest.mark.parametrize(
    "options",
    [
        {"max_length": 5},
        {"max_length": 0},
        {"max_length": 5, "stride": 5},
        {"max_length": 5, "stride": 6},
        {"max_length": -1},
        {"max_length": 2.5},
        {"max_length": None},
        {"max_length": 5, "strategy": "x"},
        {"max_length": 5, "strategy": None},
        {"max_length": 5, "direction": "x"},
        {"max_length": 5, "stride": "a"},
        {"max_length": 5, "stride": -1},
        {"max_length": 5, "stride": 1.5},
        {"max_length": 5, "direction": "left", "strategy": "only_second", "stride": 2},
        {"max_length": 5, "colour": "red"},
        {},
    ],
)
def test_settings_are_the_librarys(options):
    tokenizer = live_tokenizer()
    try:
        tokenizer.enable_truncation(**options)
    except Exception as error:
        with pytest.raises(type(error)):
            TruncationParams.from_options(**options).check_stride(0)
        return
    params = TruncationParams.from_options(**options)
    params.check_stride(0)
    assert asdict(params) == tokenizer.truncation
    assert json.dumps(params.to_json()) == json.dumps(json.loads(tokenizer.to_str())["truncation"])
    assert TruncationParams.from_json(params.to_json()) == params


def test_the_defaults_are_those_of_the_options():
    assert TruncationParams(5) == TruncationParams.from_options(5)
    assert overflow_windows(5, 3) == overflow_windows(5, 3, 0, "right")
    assert kept_lengths(3, 9, 8) == kept_lengths(3, 9, 8, "longest_first") == (3, 5)


def test_special_tokens_take_a_part_of_the_length():
    params = TruncationParams(4, stride=2)
    params.check_stride(2)
    with pytest.raises(ValueError, match="effective max length of 1 "):
        params.check_stride(3)
    assert params.less(3).max_length == 1
    assert params.less(4).max_length == 0
    with pytest.raises(AttributeError):
        params.max_length = 9  # `less` may return the same object
    assert params.less(0) is params
    with pytest.raises(ValueError, match="5 special tokens"):
        params.less(5)


@pytest.mark.parametrize("max_length", [1, 2, 3, 4])
def test_the_stride_is_checked_against_the_room_between_special_tokens(max_length):
    tokenizer = live_tokenizer()
    tokenizer.post_processor = live.processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    params = TruncationParams(max_length, stride=2)
    try:
        tokenizer.enable_truncation(max_length, stride=2)
    except ValueError as error:
        with pytest.raises(ValueError, match=re.escape(str(error))):
            params.check_stride(2)
    else:
        params.check_stride(2)


SAVED = {"direction": "Left", "max_length": 5, "strategy": "OnlyFirst", "stride": 1}


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"direction": None},
        {"stride": None},
        {"max_length": None},
        {"strategy": None},
        {"strategy": "only_first"},
        {"strategy": {"OnlySecond": None}},
        {"direction": "left"},
        {"max_length": -1},
        {"stride": 1.0},
        {"stride": True},
        {"colour": 1},
    ],
)
def test_saved_settings_are_read_as_by_the_library(change):
    fields = {name: value for name, value in {**SAVED, **change}.items() if value is not None}
    saved = json.loads(live_tokenizer().to_str())
    try:
        expected = live.Tokenizer.from_str(json.dumps({**saved, "truncation": fields})).truncation
    except Exception:
        with pytest.raises(ValueError):
            TruncationParams.from_json(fields)
    else:
        assert asdict(TruncationParams.from_json(fields)) == expected


def test_settings_that_are_no_object_are_refused():
    with pytest.raises(ValueError, match="JSON object"):
        TruncationParams.from_json(5)
