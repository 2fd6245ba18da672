"""Special tokens of a small slow tokenizer: the attributes, their maps, and what adding them does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.libraries.transformers.words_tokenizer import Words, write_words
from tokenlab.libraries.transformers import AddedToken
from tokenlab.libraries.transformers.tokenization.special_tokens_mixin import (
    SpecialTokenAttribute,
    SpecialTokenIdAttribute,
    SpecialTokensMixin,
)
from tokenlab.libraries.transformers.tokenization.trie import strip_around_added_tokens
from tokenlab.libraries.transformers.tokenization_utils_base import PreTrainedTokenizerBase


@pytest.fixture
def words(tmp_path: Path) -> Any:
    return Words(write_words(tmp_path))


@pytest.mark.parametrize("verbose", [True, False])
def test_a_token_that_is_not_set_is_none_with_a_log_message_if_verbose(
    words: Any, verbose: bool, caplog: pytest.LogCaptureFixture
) -> None:
    words.verbose = verbose
    assert words.eos_token is None and words.eos_token_id is None
    assert [record.getMessage() for record in caplog.records] == ["eos_token is used, but it is not set"] * verbose


def test_the_class_has_the_attributes_themselves() -> None:
    assert isinstance(Words.bos_token, SpecialTokenAttribute)
    assert isinstance(Words.bos_token_id, SpecialTokenIdAttribute)


@pytest.mark.parametrize("name", [name for name in Words.SPECIAL_TOKENS_ATTRIBUTES if name.endswith("_token")])
def test_each_attribute_is_an_argument_and_has_an_id(tmp_path: Path, name: str) -> None:
    words = Words(write_words(tmp_path), **{name: "the"})
    assert getattr(words, name) == words.special_tokens_map[name] == "the" and getattr(words, f"{name}_id") == 5
    setattr(words, f"{name}_id", 6)
    assert getattr(words, name) == "man" and 6 in words.all_special_ids


def test_additional_tokens_keep_the_type_of_their_list(words: Any) -> None:
    words.additional_special_tokens = ("<x>", AddedToken("<y>", lstrip=True), "<x>")
    assert words.additional_special_tokens == ["<x>", "<y>", "<x>"]
    assert words.special_tokens_map["additional_special_tokens"] == ("<x>", "<y>", "<x>")
    assert words.special_tokens_map_extended["additional_special_tokens"][1].lstrip
    assert words.all_special_tokens[-2:] == ["<x>", "<y>"]


def test_ids_of_additional_tokens_are_a_list(words: Any) -> None:
    with pytest.raises(TypeError):
        words.additional_special_tokens_ids = None
    words.additional_special_tokens_ids = (5, 6)
    assert words.additional_special_tokens == ["the", "man"] and words.additional_special_tokens_ids == [5, 6]


def test_adding_nothing_adds_no_id(words: Any) -> None:
    assert words.add_special_tokens({}) == words.add_special_tokens(None) == 0 and len(words) == 10


def test_an_empty_special_token_gets_an_id_as_in_the_library(words: Any) -> None:
    assert words.add_special_tokens({"eos_token": ""}) == 1 and words.get_added_vocab() == {"": 10}


def test_a_special_token_that_the_model_knows_is_never_split(words: Any) -> None:
    assert words.add_special_tokens({"eos_token": "the"}) == 0
    assert words.unique_no_split_tokens == ["the"] and words.tokenize("bthea") == ["b", "the", "a"]


def test_keeping_the_additional_tokens_concerns_no_other_attribute(words: Any) -> None:
    words.add_special_tokens({"eos_token": "man"}, replace_additional_special_tokens=False)
    assert words.eos_token == "man" and words.additional_special_tokens == []
    new = {"additional_special_tokens": ["<a>", "<a>", AddedToken("<a>"), "<b>"]}
    assert words.add_special_tokens(new, replace_additional_special_tokens=False) == 2
    assert words.additional_special_tokens == ["<a>", "<b>"]


def test_the_message_about_an_unknown_name_lists_the_attributes(words: Any) -> None:
    known = "bos_token, eos_token, unk_token, sep_token, pad_token, cls_token, mask_token, additional_special_tokens"
    with pytest.raises(AssertionError, match=rf"^'nose_token' is no special-token attribute; use one of {known}$"):
        words.add_special_tokens({"nose_token": "x"})


@pytest.mark.parametrize(
    ("name", "given"), [("convert_tokens_to_ids", "a"), ("convert_ids_to_tokens", 1), ("add_tokens", ["a"])]
)
def test_the_mixin_alone_knows_no_ids(name: str, given: Any) -> None:
    with pytest.raises(NotImplementedError, match=rf"^SpecialTokensMixin should have an? _?{name.lstrip('_')}$"):
        getattr(SpecialTokensMixin(), name)(given)


def test_an_added_token_is_shown_with_all_flags() -> None:
    shown = 'AddedToken("<m>", rstrip=False, lstrip=True, single_word=False, normalized=False)'
    assert repr(AddedToken("<m>", lstrip=True, normalized=False)) == shown


def test_tokens_may_be_given_as_a_tuple(words: Any) -> None:
    assert words.add_tokens(("QR", "ST")) == 2
    assert words.add_special_tokens({"additional_special_tokens": ("<x>", "QR")}) == 1
    assert words.get_added_vocab() == {"QR": 10, "ST": 11, "<x>": 12}


def test_an_added_token_is_no_string_and_an_unknown_flag_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert AddedToken("a") != "a" and AddedToken("a", lstrip=True) == AddedToken("a", nonsense=True)
    assert "nonsense; AddedToken knows: single_word, lstrip, rstrip, normalized" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (["<m>", "b "], ["<m>", "b "]),  # nothing comes before the first part
        ([" a", "<m>"], [" a", "<m>"]),
        (["<m>", " ", "<m>"], ["<m>", "<m>"]),
        (["a ", " b"], ["a ", " b"]),
    ],
)
def test_only_whitespace_next_to_a_token_is_removed(parts: list[str], expected: list[str]) -> None:
    assert strip_around_added_tokens(parts, {"<m>"}, {}) == expected


def test_the_arguments_of_every_tokenizer_are_its_attributes(tmp_path: Path) -> None:
    path = write_words(tmp_path)
    usual = Words(path)
    assert (usual.name_or_path, usual._processor_class, usual.padding_side, usual.truncation_side, usual.verbose) == (
        "", None, "right", "right", True,
    )  # fmt: skip
    assert usual.model_max_length > 10**20 and usual._in_target_context_manager is False
    given = {"padding_side": "left", "truncation_side": "left", "model_input_names": ["input_ids"], "verbose": False}
    own = Words(path, name_or_path="folder", processor_class="Own", max_len=7, **given)
    assert {name: getattr(own, name) for name in given} == given
    assert (own.name_or_path, own._processor_class, own.model_max_length) == ("folder", "Own", 7)
    assert list(own("the")) == ["input_ids"]


@pytest.mark.parametrize("name", ["is_fast", "vocab_size", "__len__", "get_vocab", "get_added_vocab", "tokenize"])
def test_the_base_class_names_the_method_that_is_missing(name: str) -> None:
    with pytest.raises(NotImplementedError, match=rf"^PreTrainedTokenizerBase should have an? {name}$"):
        member = getattr(PreTrainedTokenizerBase(), name)
        member(*["text"] * (name == "tokenize"))
