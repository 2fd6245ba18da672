"""`BatchEncoding`: a dictionary, its tensors, and the positions that a fast tokenizer knows."""

from __future__ import annotations

import copy
import logging
import pickle
from typing import Any

import numpy as np
import pytest
import torch

from tokenlab.libraries.tokenizers import Tokenizer, models, pre_tokenizers, processors
from tokenlab.libraries.transformers import BatchEncoding
from tokenlab.libraries.transformers.tokenization_utils_base import CharSpan, TensorType, TokenSpan

POSITIONS = (
    "tokens", "sequence_ids", "words", "word_ids", "token_to_sequence", "token_to_word", "word_to_tokens",
    "token_to_chars", "char_to_token", "word_to_chars", "char_to_word",
)  # fmt: skip


def slow(**named: Any) -> BatchEncoding:
    return BatchEncoding({"input_ids": [[5, 6]], "mask": [[1, 1]]}, **named)


@pytest.fixture(scope="module")
def fast() -> BatchEncoding:
    """The encodings of two pairs: words of two pieces, each followed by [E]."""
    vocabulary = {token: id for id, token in enumerate(["[U]", "[E]", "h", "u", "g", "s", "hu", "hug"])}
    tokenizer = Tokenizer(models.BPE(vocabulary, [("h", "u"), ("hu", "g")], unk_token="[U]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing("$0 [E]", "$A [E] $B [E]", [("[E]", 1)])
    encodings = tokenizer.encode_batch([("hugs hug", "us"), ("hug", "hugs us")])
    return BatchEncoding({"input_ids": [encoding.ids for encoding in encodings]}, encodings)


# --- a dictionary -------------------------------------------------------------------------------------


def test_entries_are_items_and_attributes() -> None:
    encoding = slow()
    assert (encoding["input_ids"], encoding.mask, list(encoding), len(encoding)) == (
        [[5, 6]], [[1, 1]], ["input_ids", "mask"], 2,
    )  # fmt: skip
    assert encoding == {"input_ids": [[5, 6]], "mask": [[1, 1]]} and "mask" in encoding
    assert isinstance(encoding.keys(), type({}.keys())) and encoding.get("labels", 3) == 3
    encoding["labels"] = [1]
    del encoding["mask"]
    assert dict(encoding) == {"input_ids": [[5, 6]], "labels": [1]}
    assert not hasattr(encoding, "mask")
    with pytest.raises(AttributeError, match="this encoding has no 'mask'"):
        _ = encoding.mask


def test_copies_and_pickles_are_equal(fast: BatchEncoding) -> None:
    for encoding in (slow(), fast):
        for again in (pickle.loads(pickle.dumps(encoding)), copy.deepcopy(encoding)):
            assert dict(again) == dict(encoding) and again.is_fast is encoding.is_fast
            assert again.n_sequences == encoding.n_sequences
    assert pickle.loads(pickle.dumps(fast)).tokens(1) == fast.tokens(1)


def test_positions_in_the_batch_need_encodings(fast: BatchEncoding) -> None:
    assert fast[0].tokens == fast.tokens() and [one.ids for one in fast[0:2]] == fast.input_ids
    assert fast.encodings is not None and fast.is_fast and fast.n_sequences == 2
    assert BatchEncoding({}, fast[0]).encodings == [fast[0]]
    encoding = slow()
    assert encoding.encodings is None and not encoding.is_fast and encoding.n_sequences is None
    for position in (0, slice(0, 1)):
        with pytest.raises(KeyError, match="positions need a fast tokenizer's encodings"):
            _ = encoding[position]
    assert slow(n_sequences=1).n_sequences == 1


# --- tensors ------------------------------------------------------------------------------------------


def test_lists_become_tensors_and_arrays_once() -> None:
    encoding = slow(tensor_type="pt")
    assert torch.equal(encoding.input_ids, torch.tensor([[5, 6]]))
    before = encoding.input_ids
    assert encoding.convert_to_tensors("pt").input_ids is before and encoding.convert_to_tensors() is encoding
    array = slow(tensor_type=TensorType.NUMPY, prepend_batch_axis=True).input_ids
    assert isinstance(array, np.ndarray) and array.shape == (1, 1, 2)


@pytest.mark.parametrize(
    ("data", "kind", "error", "message"),
    [
        ({"input_ids": [[1], [2, 3]]}, "pt", ValueError, "'input_ids' has lists of different lengths.*padding=True"),
        ({"input_ids": [[1], [2, 3]]}, "np", ValueError, "'input_ids' has lists of different lengths"),
        ({"overflowing_tokens": [[1], [2, 3]]}, "pt", ValueError, "fast tokenizers return overflowing tokens as"),
        ({"text": ["a"]}, "pt", ValueError, "'text' has lists of different lengths, or no numbers"),
        ({"input_ids": [1]}, "xx", ValueError, "return_tensors='xx' is unknown; use 'pt', 'np' or None"),
        ({"input_ids": [1]}, "jax", ImportError, "return_tensors='jax' is not supported"),
    ],
    ids=range(6),
)
def test_what_is_no_tensor_says_why(data: Any, kind: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        BatchEncoding(data, tensor_type=kind)


def test_the_error_of_a_tensor_is_the_cause_and_a_full_memory_is_no_wrong_type(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="or no numbers") as found:
        BatchEncoding({"input_ids": [1, None]}, tensor_type="pt")
    assert isinstance(found.value.__cause__, RuntimeError | TypeError)

    def full(_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(np, "asarray", full)
    with pytest.raises(MemoryError):
        BatchEncoding({"input_ids": [1]}, tensor_type="np")


def test_only_tensors_move_and_only_to_devices(caplog: pytest.LogCaptureFixture) -> None:
    encoding = slow(tensor_type="pt")
    assert encoding.to("meta") is encoding and encoding.input_ids.device.type == "meta"
    with caplog.at_level(logging.WARNING, "tokenlab.libraries.transformers"):
        assert encoding.to(torch.float16).input_ids.dtype == torch.int64
    assert "to(torch.float16) is ignored" in caplog.text
    with pytest.raises(AttributeError, match=r"input_ids, mask cannot be moved, they are no tensors"):
        slow().to("cpu")


# --- positions ----------------------------------------------------------------------------------------


def test_tokens_words_and_texts_are_counted(fast: BatchEncoding) -> None:
    assert fast.tokens() == ["hug", "s", "hug", "[E]", "u", "s", "[E]"]
    assert fast.word_ids() == [0, 0, 1, None, 0, 0, None]
    assert fast.sequence_ids() == [0, 0, 0, None, 1, 1, None]
    assert fast.tokens(1) == fast.tokens(-1) == ["hug", "[E]", "hug", "s", "u", "s", "[E]"]


@pytest.mark.parametrize("first", [(), (0,)], ids=["in the first text", "with its position"])
def test_one_position_is_in_the_first_text_and_two_name_it(fast: BatchEncoding, first: tuple[int, ...]) -> None:
    assert fast.token_to_word(*first, 2) == 1 and fast.token_to_word(*first, 3) is None
    assert fast.token_to_sequence(*first, 4) == 1 and fast.token_to_sequence(*first, 3) is None
    assert fast.token_to_chars(*first, 1) == CharSpan(3, 4) and fast.token_to_chars(*first, 3) is None
    assert fast.word_to_tokens(*first, 0) == TokenSpan(0, 2)
    assert fast.word_to_chars(*first, 1) == CharSpan(5, 8)
    assert fast.char_to_token(*first, 6) == 2 and fast.char_to_token(*first, 4) is None
    assert fast.char_to_word(*first, 6) == 1 and fast.char_to_word(*first, 4) is None


def test_positions_in_the_second_text_of_a_pair(fast: BatchEncoding) -> None:
    assert fast.word_to_tokens(1, 1, sequence_index=1) == TokenSpan(4, 6)
    assert fast.word_to_chars(1, 1, sequence_index=1) == CharSpan(5, 7)
    assert fast.char_to_token(1, 6, sequence_index=1) == 5 and fast.char_to_word(1, 6, sequence_index=1) == 1
    assert fast.token_to_chars(1, 0) == CharSpan(0, 3)  # the first position, not none
    assert fast.word_to_tokens(1, 9) is None
    with pytest.raises(TypeError, match="word_index=9 is no word of text 1"):
        fast.word_to_chars(1, 9, sequence_index=1)


@pytest.mark.parametrize("name", ["token_to_word", "token_to_sequence", "word_to_tokens"])
def test_negative_positions_are_an_attribute_error_as_in_the_library(fast: BatchEncoding, name: str) -> None:
    for place in ((-1,), (-1, 0), (0, -1)):
        with pytest.raises(AttributeError, match="negative positions are not supported"):
            getattr(fast, name)(*place)


def test_words_is_deprecated(fast: BatchEncoding) -> None:
    with pytest.warns(FutureWarning, match="use BatchEncoding.word_ids"):
        assert fast.words(1) == fast.word_ids(1)


@pytest.mark.parametrize("name", POSITIONS)
def test_a_slow_tokenizer_knows_no_positions(name: str) -> None:
    with pytest.raises(ValueError, match=rf"{name}\(\) needs the encodings of a fast tokenizer"):
        getattr(slow(), name)(0)
