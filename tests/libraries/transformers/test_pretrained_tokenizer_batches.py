"""A batch of a small slow tokenizer: the steps that a subclass replaces, and the options of the call."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import pytest

from tests.libraries.transformers.words_tokenizer import Words, write_words
from tests.tokenizer_folders import write_folder
from tokenlab.libraries.transformers import BertTokenizer


@pytest.fixture
def words(tmp_path: Path) -> Any:
    return Words(write_words(tmp_path))


def test_a_batch_looks_up_each_token_once_unless_a_subclass_has_its_own_way(words: Any) -> None:
    class Counting(Words):
        seen: ClassVar[list[str]] = []

        def _convert_token_to_id(self, token: str) -> int:
            self.seen.append(token)
            return super()._convert_token_to_id(token)

    counting = Counting(words.vocab_file)
    counting.seen.clear()
    assert counting(["a a", "a"]).input_ids == words(["a a", "a"]).input_ids
    assert counting.seen.count("a") == 3


@pytest.mark.parametrize(
    "name", ["convert_tokens_to_ids", "_convert_token_to_id_with_added_voc", "_convert_token_to_id"]
)
def test_a_batch_asks_a_replaced_method_for_the_ids(tmp_path: Path, name: str) -> None:
    bert: Any = BertTokenizer.from_pretrained(write_folder("bert", tmp_path / "bert"))
    assert bert(["the", "the"], add_special_tokens=False).input_ids != [[7], [7]]
    setattr(bert, name, lambda given: given if isinstance(given, int) else [7] if isinstance(given, list) else 7)
    assert bert(["the", "the"], add_special_tokens=False).input_ids == [[7], [7]]


def test_a_batch_calls_an_own_preparation_without_padding_or_tensors(words: Any) -> None:
    class Own(Words):
        seen: ClassVar[list[dict[str, Any]]] = []

        def prepare_for_model(self, ids: Any, pair_ids: Any = None, **named: Any) -> Any:
            self.seen.append(named)
            return super().prepare_for_model(ids, pair_ids, **named)

    options = {"padding": True, "truncation": True, "max_length": 6, "pad_to_multiple_of": 3, "return_tensors": "np"}
    encoded, expected = (tokenizer(["a b a b", "a"], **options) for tokenizer in (Own(words.vocab_file), words))
    assert encoded["input_ids"].tolist() == expected["input_ids"].tolist()
    alone = {name: Own.seen[0][name] for name in ("padding", "truncation", "pad_to_multiple_of", "return_tensors")}
    assert alone == {
        "padding": "do_not_pad", "truncation": "longest_first", "pad_to_multiple_of": None, "return_tensors": None,
    }  # fmt: skip
    assert {type(alone[name]) for name in ("padding", "truncation")} == {str}
    assert [Own.seen[0][name] for name in ("max_length", "return_attention_mask", "prepend_batch_axis")] == [
        6,
        False,
        False,
    ]


def test_a_batch_is_padded_as_the_call_says(words: Any) -> None:
    assert words(["a"], padding="max_length", max_length=5).input_ids == [[2, 8, 3, 0, 0]]
    assert words(["a", "a b"], padding=True, pad_to_multiple_of=5).attention_mask == [[1, 1, 1, 0, 0], [1] * 4 + [0]]
    assert "attention_mask" not in words(["a", "a b"], padding=True, return_attention_mask=False)


def test_offsets_need_a_fast_tokenizer_for_one_text_and_for_several(words: Any) -> None:
    for given in ("a", ["a"]):
        with pytest.raises(NotImplementedError, match="return_offsets_mapping=True needs a fast tokenizer"):
            words(given, return_offsets_mapping=True)


def test_words_may_be_a_tuple_and_arguments_reach_each_text_of_a_batch(words: Any) -> None:
    assert words.encode(("the", "man")) == words.encode(["the", "man"]) == [2, 5, 6, 3]
    assert words(["the"], twice=True).input_ids == [[2, 5, 5, 3]]


def test_all_unknown_arguments_are_named(words: Any, caplog: pytest.LogCaptureFixture) -> None:
    words.tokenize("the", cat=1, cow=2)
    assert caplog.messages == ["unknown arguments have no effect: cat, cow"]


def test_an_own_preparation_of_one_text_gets_strategies_as_strings_and_no_argument_of_the_tokenizer(words: Any) -> None:
    seen: dict[str, Any] = {}
    prepare = words.prepare_for_model
    words.prepare_for_model = lambda ids, **named: seen.update(named) or prepare(ids, **named)
    words("the man", padding=True, truncation=True, max_length=9, twice=True)
    assert (seen["padding"], seen["truncation"]) == ("longest", "longest_first") and "twice" not in seen
    assert {type(seen[name]) for name in ("padding", "truncation")} == {str}


def test_an_argument_of_the_tokenizer_is_used_once_without_a_message(
    words: Any, caplog: pytest.LogCaptureFixture, recwarn: pytest.WarningsRecorder
) -> None:
    assert words(["the"], twice=True).input_ids == [words("the", twice=True).input_ids]
    assert caplog.messages == [] and recwarn.list == []


def test_an_own_preparation_of_a_batch_gets_no_argument_of_the_tokenizer(words: Any) -> None:
    seen: dict[str, Any] = {}
    prepare = words._batch_prepare_for_model
    words._batch_prepare_for_model = lambda ids, **named: seen.update(named) or prepare(ids, **named)
    assert words(["the"], twice=True).input_ids == [[2, 5, 5, 3]]
    assert "max_length" in seen and "twice" not in seen
