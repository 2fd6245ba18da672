"""A small slow tokenizer: calls of every kind, truncation and padding."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.libraries.transformers.words_tokenizer import Words, write_words
from tokenlab.libraries.transformers.tokenization_utils import PreTrainedTokenizer
from tokenlab.libraries.transformers.tokenization_utils_base import PreTrainedTokenizerBase, TruncationStrategy


@pytest.fixture
def words(tmp_path: Path) -> Any:
    return Words(write_words(tmp_path))


def padded(tokenizer: Any, **named: Any) -> Any:
    return tokenizer(["the man", "a"], padding=True, **named)


# --- calls --------------------------------------------------------------------------------------------


def test_a_text_becomes_ids_token_types_and_a_mask(words: Any) -> None:
    assert dict(words("the man")) == {
        "input_ids": [2, 5, 6, 3],
        "token_type_ids": [0, 0, 0, 0],
        "attention_mask": [1, 1, 1, 1],
    }
    assert words("the", "man").token_type_ids == [0, 0, 0, 1, 1]
    assert words("").input_ids == words([""]).input_ids[0] == [2, 3]


def test_a_pair_is_two_texts_a_batch_is_a_list_and_words_are_told_by_an_argument(words: Any) -> None:
    assert words(["the", "man"]).input_ids == [[2, 5, 3], [2, 6, 3]]
    assert words(["the", "man"], ["a", "b"]).input_ids == [[2, 5, 3, 8, 3], [2, 6, 3, 9, 3]]
    assert words(["the", "man"], is_split_into_words=True).input_ids == [2, 5, 6, 3]
    assert words([["the", "man"], ["a"]], is_split_into_words=True).input_ids == [[2, 5, 6, 3], [2, 8, 3]]
    assert words([["the", "man"]]).input_ids == [[2, 5, 3, 6, 3]]  # without the argument, a pair


@pytest.mark.parametrize(
    ("arguments", "named", "error", "message"),
    [
        ([], {}, ValueError, "neither text nor text_target"),
        ([7], {}, ValueError, "text=7 should be"),
        ([[None]], {}, ValueError, r"text=\[None\] should be"),
        ([[[["the"]]]], {}, ValueError, "should be a string, a list of strings"),
        ([["a"], "b"], {}, TypeError, "a list and text_pair a string"),
        ([["a"], ["b", "c"]], {}, ValueError, "text has 1 texts and text_pair has 2"),
        ([[["a", "b", "a"]]], {}, ValueError, "has 3 entries, but a pair has 2"),
        (["a"], {"padding": "most"}, ValueError, "padding='most' is unknown; use True, False or one of longest"),
        (["a"], {"padding": 1}, ValueError, "padding=1 is unknown"),
        (["a"], {"padding": {}}, ValueError, "padding={} is unknown"),
        (["a"], {"truncation": "most"}, ValueError, "truncation='most' is unknown"),
        (
            ["a"],
            {"truncation_strategy": "most", "verbose": False},
            ValueError,
            "'most' is no TruncationStrategy; use one of 'only_first'",
        ),
        (["a"], {"return_offsets_mapping": True}, NotImplementedError, "needs a fast tokenizer"),
        (["a"], {"return_tensors": "tf"}, ImportError, "return_tensors='tf' is not supported"),
        (["a"], {"return_tensors": "xx"}, ValueError, "return_tensors='xx' is unknown"),
        (["a"], {"return_overflowing_tokens": True}, TypeError, "needs a max_length"),
        (["a"], {"add_special_tokens": False, "return_token_type_ids": True}, ValueError, "needs add_special_tokens"),
        (["a", None, None, None, True], {"add_special_tokens": True}, TypeError, "by position and by name"),
        (["a", *[None] * 30], {}, TypeError, "options are given by position"),
        (["a"], {"truncation": True, "max_length": "5"}, TypeError, "max_length='5' should be a number, but is a str"),
        (["a"], {"padding": "max_length", "max_length": [5]}, TypeError, r"max_length=\[5\] should be a number"),
        (["a"], {"padding": True, "pad_to_multiple_of": 0}, ZeroDivisionError, "pad_to_multiple_of=0 should be at le"),
        (["a"], {"padding": True, "pad_to_multiple_of": "8"}, TypeError, "pad_to_multiple_of='8' should be a whole"),
        (
            ["a"],
            {"padding": True, "truncation": True, "max_length": 4, "pad_to_multiple_of": 0},
            ZeroDivisionError,
            "pad_to_multiple_of=0",
        ),
    ],
    ids=range(24),
)
def test_a_call_that_makes_no_sense_says_why(
    words: Any, arguments: list[Any], named: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        words(*arguments, **named)


def test_targets_become_labels_and_the_mode_is_switched_back(words: Any) -> None:
    modes: list[str] = []
    words._switch_to_input_mode = lambda: modes.append("input")
    words._switch_to_target_mode = lambda: modes.append("target")
    assert words("a", text_target="b").labels == words(text_target="b").input_ids == [2, 9, 3]
    assert modes == ["input", "target", "input", "target", "input"]


def test_the_deprecated_ways_to_targets_warn(words: Any) -> None:
    modes: list[str] = []
    words._switch_to_target_mode = lambda: modes.append("target")
    with pytest.warns(UserWarning, match="as_target_tokenizer is deprecated"), words.as_target_tokenizer():
        words._switch_to_input_mode = lambda: modes.append("input")
        words("a")  # stays in target mode until it is encoded
    assert modes == ["target", "input", "input"]
    with pytest.warns(FutureWarning, match="prepare_seq2seq_batch is deprecated"), pytest.warns(UserWarning):
        batch = words.prepare_seq2seq_batch(["the man"], ["a b"], max_length=3, max_target_length=4, src_lang="en")
    assert batch.input_ids == [[2, 5, 3]] and batch.labels == [[2, 8, 9, 3]]


def test_unknown_arguments_reach_the_tokenizer_and_are_logged(words: Any, caplog: pytest.LogCaptureFixture) -> None:
    assert words("a", twice=True).input_ids == words(["a"], twice=True).input_ids[0] == [2, 8, 8, 3]
    assert caplog.records == []
    assert words("a", nonsense=1).input_ids == [2, 8, 3]
    assert "no effect: nonsense" in caplog.text


def test_signatures_show_the_options() -> None:
    names = list(inspect.signature(PreTrainedTokenizer.__call__).parameters)
    assert names[:6] == ["self", "text", "text_pair", "text_target", "text_pair_target", "add_special_tokens"]
    assert names[-2:] == ["verbose", "kwargs"] and len(names) == 21
    encode_plus = inspect.signature(PreTrainedTokenizer._encode_plus).parameters
    assert encode_plus["truncation_strategy"].default is TruncationStrategy.DO_NOT_TRUNCATE
    prepare = list(inspect.signature(PreTrainedTokenizerBase.prepare_for_model).parameters)
    assert "is_split_into_words" not in prepare and prepare[-2:] == ["prepend_batch_axis", "kwargs"]


def test_options_by_position_are_those_by_name(words: Any) -> None:
    by_position = words("the man", None, None, None, False, "max_length", True, 4, 0, False, 2)
    asked = {"add_special_tokens": False, "padding": "max_length", "truncation": True, "max_length": 4}
    assert dict(by_position) == dict(words("the man", **asked, pad_to_multiple_of=2))
    assert by_position.input_ids == [5, 6, 0, 0]
    named = words.prepare_for_model([5, 6], add_special_tokens=False, padding="max_length", max_length=4)
    assert dict(words.prepare_for_model([5, 6], None, False, "max_length", None, 4)) == dict(named)
    batch = words._batch_prepare_for_model([([5, 6], None), ([7], None)])
    assert batch.input_ids == [[2, 5, 6, 3], [2, 7, 3]]


# --- ids that were given ------------------------------------------------------------------------------


def test_tokens_and_ids_are_encoded_as_they_are(words: Any) -> None:
    assert words.encode(["the", "no such"]) == [2, 5, 1, 3]
    assert words.encode([5, 6]) == [2, 5, 6, 3]
    assert words.batch_encode_plus([([5], [6, 7])]).input_ids == [[2, 5, 3, 6, 7, 3]]
    for given in ([], None, [1.5]):
        with pytest.raises(ValueError, match="should be a string, or a list of strings or of whole numbers"):
            words.encode(given)


def test_a_value_of_another_type_among_ids_or_tokens_is_used_with_a_warning(words: Any) -> None:
    for given, message in (
        ([5, "the"], "text is a list of ids, but has 'the' among them; give ids only"),
        ([5, None], "text is a list of ids, but has None among them; give ids only"),
        (["the", 6], "text is a list of tokens, but has 6 among them; give tokens only"),
    ):
        with pytest.warns(UserWarning) as warned:
            found = words.encode(given)
        assert [str(warning.message) for warning in warned] == [message]
        assert found == [2, *([5, 1] if given[0] == "the" else given), 3]


def test_values_that_are_no_ids_are_named(words: Any) -> None:
    assert words.convert_ids_to_tokens([5, "6", 7.9]) == ["the", "man", "."]
    for given, error, message in (
        ([5, "x"], ValueError, r"ids\[1\]='x' is no id"),
        ([5, 6, None], TypeError, r"ids\[2\]=None is no id"),
        ([float("inf")], OverflowError, r"ids\[0\]=inf is no id"),
        (1.5, TypeError, "ids=1.5 should be a whole number, or a list"),
    ):
        with pytest.raises(error, match=message):
            words.convert_ids_to_tokens(given)
        with pytest.raises(error, match=message):
            words.decode(given)


@pytest.mark.parametrize("limit", ["512", [512], None, {"a": 1}])
def test_a_maximum_length_that_is_no_number_is_refused_where_it_is_needed(words: Any, limit: Any) -> None:
    words.model_max_length = limit
    for call in (
        lambda: words("a"),
        lambda: words("a", truncation=True),
        lambda: words("a", padding="max_length"),
        lambda: words.max_len_single_sentence,
        lambda: words.max_len_sentences_pair,
    ):
        with pytest.raises(TypeError, match=r"model_max_length=.* should be a number, but is a .*set tokenizer\."):
            call()
    assert words("a b", truncation=True, max_length=3).input_ids == [2, 8, 3]
    assert words.decode([5]) == "the"


# --- truncation ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        ("longest_first", ([1, 2], [4, 5], [])),
        ("only_first", ([1], [4, 5, 6], [2, 3])),
        ("only_second", ([1, 2, 3], [4], [5, 6])),
        ("do_not_truncate", ([1, 2, 3], [4, 5, 6], [])),
    ],
)
def test_each_strategy_shortens_its_text(words: Any, strategy: str, expected: Any) -> None:
    assert words.truncate_sequences([1, 2, 3], [4, 5, 6], 2, strategy) == expected


def test_overflowing_ids_overlap_by_the_stride(words: Any) -> None:
    assert words.truncate_sequences([1, 2, 3, 4], None, 1, "only_first", stride=2)[2] == [2, 3, 4]
    words.truncation_side = "left"
    assert words.truncate_sequences([1, 2, 3, 4], None, 1, "only_first", stride=2) == ([2, 3, 4], None, [1, 2, 3])
    words.truncation_side = "up"
    with pytest.raises(ValueError, match="truncation_side='up'"):
        words.truncate_sequences([1, 2, 3, 4], None, 1)


def test_a_text_that_is_too_short_is_kept_with_an_error_in_the_log(
    words: Any, caplog: pytest.LogCaptureFixture
) -> None:
    assert words("a", "the man", truncation="only_first", max_length=4).input_ids == [2, 8, 3, 5, 6, 3]
    assert "2 ids should be removed, but the first text has only 1" in caplog.text
    assert words.truncate_sequences([1, 2], None, 2) == ([1, 2], None, [])  # none would be left
    assert words("a b", truncation=True, max_length=1).input_ids == [2, 8, 9, 3]  # less than the special tokens
    assert words("a b", "a", truncation=True, max_length=2).input_ids == [2, 3, 3]
    assert words("a b", "a", truncation=True, max_length=0).input_ids == [2, 8, 9, 3, 8, 3]


def test_overflowing_ids_of_pairs_need_one_side(words: Any) -> None:
    with pytest.raises(ValueError, match="not possible with truncation='longest_first' of two texts"):
        words("a b", "a", truncation=True, max_length=3, return_overflowing_tokens=True)
    found = words("a b", "a b a", truncation="only_second", max_length=6, return_overflowing_tokens=True)
    assert (found.overflowing_tokens, found.num_truncated_tokens) == ([9, 8], 2)


def test_messages_about_lengths_are_logged_once(words: Any, caplog: pytest.LogCaptureFixture) -> None:
    words("a b", max_length=3, verbose=False)
    for _ in range(2):
        words("a b", max_length=3)
        words("a b", padding="max_length")
        words("a b", truncation=True)
    assert [record.getMessage().split(" ")[0] for record in caplog.records] == [
        "max_length", "padding='max_length'", "truncation='longest_first'",
    ]  # fmt: skip
    assert set(words.deprecation_warnings) == {
        "Truncation-not-explicitly-activated", "Asking-to-pad-to-max_length", "Asking-to-truncate-to-max_length",
    }  # fmt: skip
    caplog.clear()
    words.model_max_length = 3
    assert words("a b", truncation=True).input_ids == [2, 8, 3]
    assert words("a", padding="max_length").input_ids == [2, 8, 3]
    words("a b", padding="max_length", max_length=4)
    assert caplog.records == []
    words(["a b", "a b"])
    assert [record.getMessage() for record in caplog.records] == [
        "a text has 4 ids, and the model takes 3; truncate it"
    ]


def test_deprecated_options_work_with_a_warning(words: Any) -> None:
    with pytest.warns(FutureWarning, match="pad_to_max_length is deprecated"):
        assert words("a", pad_to_max_length=True, max_length=4, truncation=True).input_ids == [2, 8, 3, 0]
    with pytest.warns(FutureWarning, match="truncation_strategy is deprecated"):
        assert words("a b", truncation_strategy="only_first", max_length=3, padding="longest").input_ids == [2, 8, 3]
    with pytest.warns(UserWarning, match="did you mean padding='max_length'"):
        words("a", padding=True, max_length=5)


# --- padding ------------------------------------------------------------------------------------------


def test_padding_fills_ids_masks_and_types_on_one_side(words: Any) -> None:
    found = padded(words, return_special_tokens_mask=True, return_length=True)
    assert found.input_ids == [[2, 5, 6, 3], [2, 8, 3, 0]] and found.length == [4, 3]
    assert found.attention_mask == [[1, 1, 1, 1], [1, 1, 1, 0]]
    assert found.special_tokens_mask == [[1, 0, 0, 1], [1, 0, 1, 1]]
    words.padding_side = "left"
    words._pad_token_type_id = 3
    assert padded(words).token_type_ids == [[0, 0, 0, 0], [3, 0, 0, 0]]
    words.padding_side = "up"
    with pytest.raises(ValueError, match="padding_side='up'"):
        padded(words)


def test_examples_of_a_data_loader_keep_their_labels(words: Any) -> None:
    found = words.pad([{"input_ids": [5, 6], "labels": 1}, {"input_ids": [7], "labels": 0}], return_tensors="pt")
    assert found.input_ids.tolist() == [[5, 6], [7, 0]] and found.labels.tolist() == [1, 0]
    assert words.pad({"input_ids": [5]}, "max_length", 3).input_ids == [5, 0, 0]
    assert words.pad({"input_ids": [[5, 6], [7]]}, pad_to_multiple_of=4).attention_mask == [[1, 1, 0, 0], [1, 0, 0, 0]]


def test_a_given_mask_is_padded_only_if_a_mask_is_returned(words: Any) -> None:
    rows = {"input_ids": [[5, 6], [7]], "attention_mask": [[1, 0], [1]]}
    assert words.pad(rows).attention_mask == [[1, 0], [1, 0]]
    assert words.pad(rows, return_attention_mask=False).attention_mask == [[1, 0], [1]]
    found = padded(words, return_attention_mask=False, return_token_type_ids=False)
    assert dict(found) == {"input_ids": [[2, 5, 6, 3], [2, 8, 3, 0]]}


def test_tensors_stay_tensors_and_arrays_arrays(words: Any) -> None:
    found = words.pad({"input_ids": [torch.tensor([5, 6]), torch.tensor([7])]})
    assert torch.equal(found.input_ids, torch.tensor([[5, 6], [7, 0]]))
    found = words.pad({"input_ids": [np.array([5, 6]), np.array([7])], "labels": np.array([1, 2])})
    assert isinstance(found.input_ids, np.ndarray) and found.labels.tolist() == [1, 2]
    assert isinstance(words.pad({"input_ids": torch.tensor([[5]])}, return_tensors="np").input_ids, np.ndarray)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"labels": [[1]]}, ValueError, "there are no input_ids to pad, only"),
        ({"input_ids": [[1.5]]}, ValueError, "input_ids has a float"),
        ({"input_ids": np.array([5, 6])}, ValueError, "arrays of NumPy with a row for each text"),
        ({"input_ids": [[5], [6]], "labels": [1]}, AssertionError, "different numbers of texts: {'input_ids': 2"),
        ([[5, 6], [7]], AttributeError, "should be an encoding, or a list of encodings"),
        ([], IndexError, "encoded_inputs is empty"),
        ((), IndexError, "encoded_inputs is empty"),
    ],
    ids=range(7),
)
def test_what_cannot_be_padded_is_refused(words: Any, given: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        words.pad(given)


def test_padding_nothing_returns_it(words: Any) -> None:
    given = {"input_ids": list[int]()}
    assert words.pad(given, return_attention_mask=True) is given and given == {"input_ids": [], "attention_mask": []}


def test_a_length_that_is_no_multiple_is_refused(words: Any) -> None:
    with pytest.raises(ValueError, match="use 8"):
        words("a", truncation=True, padding=True, max_length=5, pad_to_multiple_of=4)
    assert words("a", padding=True, max_length=8, pad_to_multiple_of=4, truncation=True).input_ids == [2, 8, 3, 0]


def test_an_own_pad_is_called_for_each_text(words: Any) -> None:
    own = words._pad
    words._pad = lambda encoded, **named: {**own(encoded, **named), "seen": len(encoded["input_ids"])}
    assert padded(words).seen == [4, 3]


def test_lengths_follow_from_the_model_s(words: Any, caplog: pytest.LogCaptureFixture) -> None:
    words.model_max_length = 9
    assert (words.max_len_single_sentence, words.max_len_sentences_pair) == (7, 6)
    words.max_len_single_sentence = 7
    assert "max_len_single_sentence is computed" in caplog.text
    with pytest.raises(ValueError, match="max_len_sentences_pair cannot be set"):
        words.max_len_sentences_pair = 7
    words.verbose = False  # as in the library, then not even the computed value can be set
    with pytest.raises(ValueError, match="max_len_single_sentence cannot be set"):
        words.max_len_single_sentence = 7
