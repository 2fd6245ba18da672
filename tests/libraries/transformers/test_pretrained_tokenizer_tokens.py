"""A small slow tokenizer: special and added tokens, and the way back from ids to text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.libraries.transformers.words_tokenizer import Words, write_words
from tokenlab.libraries.transformers import AddedToken
from tokenlab.libraries.transformers.tokenization_utils import PreTrainedTokenizer, Trie
from tokenlab.libraries.transformers.tokenization_utils_base import PreTrainedTokenizerBase


@pytest.fixture
def words(tmp_path: Path) -> Any:
    return Words(write_words(tmp_path))


# --- special and added tokens -------------------------------------------------------------------------


def test_added_tokens_get_the_next_ids_and_are_not_split(words: Any) -> None:
    assert words.add_tokens(["New York", "the", "New York"]) == 1  # "the" is known
    assert words.add_tokens("ab") == 1 and words.add_tokens([]) == words.add_tokens("") == 0
    assert (len(words), words.vocab_size, words.get_added_vocab()) == (12, 10, {"New York": 10, "ab": 11})
    assert words.tokenize("the New York ab") == ["the", "New York", "ab"]
    assert words.convert_ids_to_tokens([10, 5, 11]) == ["New York", "the", "ab"]


def test_lowercase_spares_special_tokens_and_added_tokens_are_lowered(tmp_path: Path) -> None:
    words = Words(write_words(tmp_path), do_lower_case=True)
    assert words.add_tokens(["QR"]) == 1 and words.get_added_vocab() == {"qr": 10}
    words.add_tokens(["[X]"], special_tokens=True)
    assert words.tokenize("THE qr QR [X] ΑΣ") == ["the", "qr", "qr", *"[X]", *"ασ"]
    words.sep_token = "[X]"
    words.sanitize_special_tokens()
    assert words.tokenize("[X] B") == ["[X]", "b"]


def test_a_number_among_new_tokens_is_added_with_a_warning(words: Any) -> None:
    with pytest.warns(UserWarning, match="new_tokens has a int, whose text '5' becomes a token"):
        assert words.add_tokens([5]) == 1
    assert words.tokenize("a5") == ["a", "5"]


def test_additional_special_tokens_are_replaced_or_kept(words: Any) -> None:
    words.add_special_tokens({"additional_special_tokens": ["<x>"]})
    words.add_special_tokens({"additional_special_tokens": ["<y>", "<x>"]}, replace_additional_special_tokens=False)
    assert words.additional_special_tokens == ["<x>", "<y>"]
    words.add_special_tokens({"additional_special_tokens": ["<z>"]})
    assert words.additional_special_tokens == ["<z>"] and words.additional_special_tokens_ids == [12]
    assert words.special_tokens_map["additional_special_tokens"] == ["<z>"]


@pytest.mark.parametrize(
    "given", [{"nose": "<x>"}, {"eos_token": 5}, {"additional_special_tokens": "x"}, {"additional_special_tokens": [5]}]
)
def test_what_is_no_special_token_is_refused(words: Any, given: Any) -> None:
    with pytest.raises(AssertionError, match=r"is no special-token attribute|should be a"):
        words.add_special_tokens(given)


def test_ids_of_special_tokens_can_be_set(words: Any) -> None:
    words.bos_token_id, words.additional_special_tokens_ids = 5, [6, 8]
    assert words.bos_token == "the" and words.additional_special_tokens == ["man", "a"]
    assert words.all_special_ids == [5, 1, 3, 0, 2, 6, 8] and words.mask_token_id is None
    words.sep_token_id = None
    assert "sep_token" not in words.special_tokens_map


def test_whitespace_next_to_added_tokens_is_removed(words: Any) -> None:
    words.add_special_tokens({"mask_token": AddedToken("<m>", lstrip=True), "eos_token": "<e>"})
    seen: list[str] = []
    words._tokenize = lambda text: seen.append(text) or []
    words.tokenize("a <m> b <e> a")
    assert seen == ["a", " b", "a"]
    assert words.special_tokens_map_extended["mask_token"].lstrip


def test_the_trie_has_the_library_s_form() -> None:
    trie = Trie()
    for word in ("ab", "", "abc", "ab"):
        trie.add(word)
    assert trie.data == {"a": {"b": {"": 1, "c": {"": 1}}}}
    assert trie.split("xabcab") == ["x", "abc", "ab"] and trie.split("") == [] and trie.split("x") == ["x"]
    assert trie.cut_text("abcdef", [2, 2, 5]) == ["ab", "cde", "f"]


# --- the way back -------------------------------------------------------------------------------------


def test_a_trie_that_has_split_a_text_takes_more_tokens() -> None:
    trie = Trie(["a"])
    assert trie.split("ab") == ["a", "b"] and not trie.occurs_in("b")
    trie.add("bc")
    trie.add("")
    assert trie.split("abcd") == ["a", "bc", "d"] and trie.occurs_in("xbc") and not trie.occurs_in("b")


def test_an_empty_trie_finds_nothing_and_a_token_inside_another_is_not_found_again() -> None:
    assert not Trie().occurs_in("x") and Trie().split("x") == ["x"] and Trie().split("") == []
    assert Trie(["a", "abc", "bd"]).split("abcdxx") == ["abc", "dxx"]
    assert Trie(["x", "abc"]).split("xzab") == ["x", "zab"]


def test_special_tokens_are_skipped_and_spaces_cleaned(words: Any) -> None:
    words.add_tokens(["<z>"])
    ids = [2, 5, 10, 6, 7, 3]
    assert words.decode(ids) == "[CLS] the <z> man. [SEP]"
    assert words.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False) == "the <z> man ."
    assert words.decode(torch.tensor([5, 10]), spaces_between_special_tokens=False) == "the<z>"
    assert words.batch_decode(np.array([[5], [6]])) == ["the", "man"]


def test_one_id_is_decoded_by_characters_with_a_warning(words: Any) -> None:
    with pytest.warns(UserWarning, match="token_ids=5 is one id"):
        assert words.decode(5) == "t h e"


def test_ids_outside_the_vocabulary_are_an_error_of_the_model(words: Any) -> None:
    assert words.convert_ids_to_tokens(5) == "the"
    with pytest.raises(IndexError):
        words.decode([10**6])


@pytest.mark.filterwarnings("ignore:token_ids=77 is one id")
@pytest.mark.parametrize("ids", [[5, 77], 77], ids=["list", "one"])
def test_an_id_whose_token_is_none_is_named(words: Any, ids: Any) -> None:
    words._convert_id_to_token = dict(enumerate(words.tokens)).get
    with pytest.raises(TypeError, match="token_ids has 77, which is no id of this tokenizer; it has 10 ids"):
        words.decode(ids)


def test_a_mask_of_special_tokens_needs_one_list(words: Any) -> None:
    assert words.get_special_tokens_mask([2, 5, 3], already_has_special_tokens=True) == [1, 0, 1]
    with pytest.raises(ValueError, match="there is one list of ids"):
        words.get_special_tokens_mask([2], [3], already_has_special_tokens=True)
    with pytest.raises(AssertionError, match="return_special_tokens_mask=True"):
        PreTrainedTokenizerBase.get_special_tokens_mask(words, [2])


def test_between_two_added_tokens_there_is_no_text(words: Any) -> None:
    words.add_tokens(["<a>", "<b>"])
    assert words.decode([10, 11]) == "<a> <b>" and words.decode([5, 10, 11, 6]) == "the <a> <b> man"


def test_tokens_that_are_none_are_skipped_with_the_special_tokens(words: Any) -> None:
    words._convert_token_to_id, words._convert_id_to_token = words.ids.get, dict(enumerate(words.tokens)).get
    words.eos_token = "<no>"  # has no id, so None is among the special ids
    assert words.decode([5, 77], skip_special_tokens=True) == "the"


def test_a_type_error_of_a_model_s_own_text_is_raised(words: Any) -> None:
    def refuse(tokens: list[str]) -> str:
        raise TypeError("my own rule")

    words.convert_tokens_to_string = refuse
    with pytest.raises(TypeError, match=r"^my own rule$"):
        words.decode([5])


def test_the_base_class_marks_no_token_of_a_text() -> None:
    mask = PreTrainedTokenizer.get_special_tokens_mask
    assert mask(PreTrainedTokenizer(), [5, 6]) == [0, 0] and mask(PreTrainedTokenizer(), [5], [6, 7]) == [0, 0, 0]


@pytest.mark.parametrize(
    ("name", "given"),
    [("_tokenize", "a"), ("_convert_token_to_id", "a"), ("_convert_id_to_token", 1), ("save_vocabulary", ".")],
)
def test_the_base_class_has_no_model(name: str, given: Any) -> None:
    with pytest.raises(NotImplementedError, match=name):
        getattr(PreTrainedTokenizer(), name)(given)


def test_none_has_no_id_and_an_added_token_is_the_token_of_its_id(words: Any) -> None:
    words.add_tokens(["QR"])
    assert words.convert_tokens_to_ids(None) is None and words.convert_tokens_to_ids(["the", None]) == [5, None]
    assert words.convert_ids_to_tokens(10) == "QR" and words.convert_ids_to_tokens([10, 5]) == ["QR", "the"]


def test_a_special_token_keeps_its_case_even_if_it_was_not_added(tmp_path: Path) -> None:
    words = Words(write_words(tmp_path), do_lower_case=True)
    assert words.unique_no_split_tokens == [] and words.tokenize("[CLS] THE") == ["[CLS]", "the"]


def test_decoding_stores_whether_it_uses_the_source_tokenizer(words: Any) -> None:
    assert words._decode_use_source_tokenizer is False
    words.decode([5], use_source_tokenizer=True)
    assert words._decode_use_source_tokenizer is True
    words.decode([5])
    assert words._decode_use_source_tokenizer is False
