"""Fast tokenizers: calls, special tokens, and ids to tokens."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

from tests.libraries.transformers.fast_tokenizers import fast_class, fast_one
from tests.tokenizer_folders import FOLDERS
from tokenlab.libraries.tokenizers import AddedToken as LaterAddedToken
from tokenlab.libraries.transformers import AddedToken
from tokenlab.libraries.transformers.tokenization_utils_base import PaddingStrategy, TruncationStrategy


@pytest.mark.parametrize("family", FOLDERS)
def test_offsets_cover_the_texts_of_the_tokens(folders: Path, family: str) -> None:
    tokenizer = fast_one(folders, family)
    text = "Grüße, the river!"
    found = tokenizer(text, return_offsets_mapping=True, return_special_tokens_mask=True, return_length=True)
    spans = zip(found["offset_mapping"], found["special_tokens_mask"], strict=True)
    covered = {place for span, special in spans if not special for place in range(*span)}
    assert {place for place in range(len(text)) if text[place] != " "} <= covered
    assert found["length"] == [len(found["input_ids"])]
    assert tokenizer.is_fast
    assert found.is_fast


def test_overflowing_windows_become_rows_of_the_batch(folders: Path) -> None:
    tokenizer = fast_one(folders, "bert")
    found = tokenizer(
        ["a a a a", "a"], max_length=4, truncation=True, stride=1, return_overflowing_tokens=True, padding=True
    )
    assert found["overflow_to_sample_mapping"] == [0, 0, 0, 1]
    assert {len(row) for row in found["input_ids"]} == {4}
    assert len(found.encodings) == 4


def test_truncation_and_padding_of_a_call_remain_set_until_the_next_one(folders: Path) -> None:
    tokenizer = fast_one(folders, "bert")
    tokenizer("a a a", truncation="only_first", max_length=3, padding="max_length", stride=0)
    assert tokenizer.backend_tokenizer.truncation["max_length"] == 3
    assert tokenizer.backend_tokenizer.padding["length"] == 3
    tokenizer("a a a")
    assert (tokenizer.backend_tokenizer.truncation, tokenizer.backend_tokenizer.padding) == (None, None)


def test_truncation_and_padding_are_set_only_where_they_change(folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer, set_again = fast_one(folders, "bert"), list[str]()
    backend, tokenizer.padding_side, tokenizer.truncation_side = tokenizer.backend_tokenizer, "left", "left"
    for name in ("enable_truncation", "enable_padding"):
        monkeypatch.setattr(backend, name, noting(getattr(backend, name), name, set_again))
    wanted = (PaddingStrategy.MAX_LENGTH, TruncationStrategy.ONLY_SECOND, 7, 2, 4)
    for _ in range(2):
        tokenizer.set_truncation_and_padding(*wanted)
        assert backend.truncation == {
            "max_length": 7, "stride": 2, "strategy": "only_second", "direction": "left",
        }  # fmt: skip
        assert backend.padding == {
            "length": 7, "pad_to_multiple_of": 4, "pad_id": tokenizer.pad_token_id, "pad_token": "[PAD]",
            "pad_type_id": 0, "direction": "left",
        }  # fmt: skip
    assert set_again == ["enable_truncation", "enable_padding"]
    tokenizer.set_truncation_and_padding(PaddingStrategy.LONGEST, TruncationStrategy.DO_NOT_TRUNCATE, 7, 0, None)
    assert backend.truncation is None and backend.padding is not None
    assert (backend.padding["length"], backend.padding["pad_to_multiple_of"]) == (None, None)
    tokenizer.set_truncation_and_padding(PaddingStrategy.DO_NOT_PAD, TruncationStrategy.LONGEST_FIRST, 3, 0, None)
    assert backend.padding is None and backend.truncation is not None and backend.truncation["max_length"] == 3


def noting(function: Any, name: str, calls: list[str]) -> Any:
    """Return the function, which now also notes the names of its calls."""

    def called(*args: Any, **kwargs: Any) -> Any:
        calls.append(name)
        return function(*args, **kwargs)

    return called


def test_an_unknown_option_is_refused_and_the_options_are_listed(folders: Path) -> None:
    for call in (fast_one(folders, "bert"), fast_one(folders, "bert")._batch_encode_plus):
        with pytest.raises(
            TypeError, match="nonsense is no option of this call; the options are add_special_tokens, p"
        ):
            call(["a"], nonsense=1)


def test_options_of_a_batch_by_position_are_those_by_name(folders: Path) -> None:
    tokenizer = fast_one(folders, "bert")
    strategies = (PaddingStrategy.MAX_LENGTH, TruncationStrategy.LONGEST_FIRST)
    by_position = tokenizer._batch_encode_plus(["a a a a", "a"], False, *strategies, 3, 1)
    named = dict(zip(("padding_strategy", "truncation_strategy"), strategies, strict=True))
    asked = {"add_special_tokens": False, "max_length": 3, "stride": 1, **named}
    assert dict(by_position) == dict(tokenizer._batch_encode_plus(["a a a a", "a"], **asked))
    assert {len(row) for row in by_position["input_ids"]} == {3}
    assert list(inspect.signature(tokenizer._batch_encode_plus).parameters)[-1] == "verbose"


def test_an_empty_second_text_counts_as_none(folders: Path) -> None:
    tokenizer = fast_one(folders, "bert")
    assert tokenizer("a", "")["input_ids"] == tokenizer("a")["input_ids"]
    assert tokenizer.build_inputs_with_special_tokens([9], []) == tokenizer.build_inputs_with_special_tokens([9])


def test_an_empty_batch_is_explained(folders: Path) -> None:
    with pytest.raises(IndexError, match="the batch is empty"):
        fast_one(folders, "bert")([])
    with pytest.raises(TypeError, match="should be a list or a tuple"):
        fast_one(folders, "bert").batch_encode_plus("abc")


@pytest.mark.parametrize("family", ["gpt2", "roberta"])
def test_split_texts_need_the_prefix_space(folders: Path, family: str) -> None:
    words = ["a", "fox"]
    with pytest.raises(AssertionError, match="add_prefix_space=True"):
        fast_one(folders, family)(words, is_split_into_words=True)
    with pytest.raises(AssertionError, match="add_prefix_space=True"):
        fast_one(folders, family)([words], is_split_into_words=True)
    tokenizer = fast_one(folders, family, add_prefix_space=True)
    assert tokenizer(words, is_split_into_words=True)["input_ids"] == tokenizer("a fox")["input_ids"]


def test_unknown_tokens_and_ids(folders: Path) -> None:
    tokenizer = fast_one(folders, "bert")
    assert tokenizer.convert_tokens_to_ids(["nowhere", "[CLS]"]) == [tokenizer.unk_token_id, tokenizer.cls_token_id]
    assert tokenizer.convert_tokens_to_ids(None) is None
    assert tokenizer.convert_ids_to_tokens([10**6, tokenizer.cls_token_id]) == [None, "[CLS]"]
    assert tokenizer.convert_ids_to_tokens([tokenizer.cls_token_id, 20], skip_special_tokens=True) == [
        tokenizer.convert_ids_to_tokens(20)
    ]
    with pytest.raises(OverflowError, match="should be from 0"):
        tokenizer.decode([-1])


def test_vocab_size_leaves_out_added_tokens(folders: Path) -> None:
    tokenizer = fast_one(folders, "t5")
    size = len(tokenizer)
    assert tokenizer.add_tokens(["<new>", AddedToken("<other>", lstrip=True), "</s>"]) == 2
    assert (tokenizer.vocab_size, len(tokenizer)) == (size, size + 2)
    assert tokenizer.get_added_vocab() == {"<new>": size, "<other>": size + 1}
    assert tokenizer.vocab["<new>"] == size
    assert tokenizer.add_special_tokens({"mask_token": LaterAddedToken("<gap>")}) == 1


def test_layouts_of_ids(folders: Path) -> None:
    for family, expected in {
        "bert": ["[CLS]", "?", "[SEP]", "?", "[SEP]"],
        "gpt2": ["?", "?"],
        "roberta": ["<s>", "?", "</s>", "</s>", "?", "</s>"],
        "t5": ["?", "</s>", "?", "</s>"],
        "xlm-roberta": ["<s>", "?", "</s>", "</s>", "?", "</s>"],
        "albert": ["[CLS]", "?", "[SEP]", "?", "[SEP]"],
    }.items():
        tokenizer = fast_one(folders, family)
        ids = tokenizer.build_inputs_with_special_tokens([9], [9])
        assert ids == [9 if token == "?" else tokenizer.convert_tokens_to_ids(token) for token in expected]
        assert len(tokenizer.create_token_type_ids_from_sequences([9], [9])) == len(ids)
        assert tokenizer.num_special_tokens_to_add(pair=True) == len(ids) - 2


@pytest.mark.parametrize("family", ["roberta", "xlm-roberta", "albert"])
def test_the_mask_takes_the_space_before_it(folders: Path, family: str) -> None:
    tokenizer = fast_one(folders, family)
    text = f"a {tokenizer.mask_token} b"
    tokens = tokenizer.convert_ids_to_tokens(tokenizer(text, add_special_tokens=False)["input_ids"])
    assert tokens.index(tokenizer.mask_token) == 1


def test_a_new_mask_of_roberta_takes_the_space_also(folders: Path) -> None:
    tokenizer = fast_one(folders, "roberta")
    tokenizer.mask_token = "<gap>"
    assert tokenizer._mask_token.lstrip is True
    assert tokenizer.mask_token == "<gap>"


def test_t5_checks_the_number_of_sentinels(folders: Path) -> None:
    with pytest.raises(ValueError, match="extra_ids=2, but additional_special_tokens has 1 sentinels"):
        fast_class("t5")(folders / "t5" / "spiece.model", extra_ids=2, additional_special_tokens=["<extra_id_0>"])
    tokenizer = fast_one(folders, "t5", extra_ids=2)
    assert tokenizer.get_sentinel_tokens() == ["<extra_id_0>", "<extra_id_1>"]
    assert tokenizer.get_sentinel_token_ids() == [len(tokenizer) - 1, len(tokenizer) - 2]
