"""Values that are no tokens or texts: slow tokenizers name the value, with the library's type of exception."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tokenizer_folders import write_folder
from tokenlab.libraries import transformers

KINDS = {
    "t5": "T5Tokenizer",
    "albert": "AlbertTokenizer",
    "xlm-roberta": "XLMRobertaTokenizer",
    "bert": "BertTokenizer",
    "gpt2": "GPT2Tokenizer",
    "roberta": "RobertaTokenizer",
}


@pytest.fixture(scope="module", params=list(KINDS))
def tokenizer(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = write_folder(request.param, tmp_path_factory.mktemp("family"))
    return getattr(transformers, KINDS[request.param]).from_pretrained(folder)


def test_a_value_that_is_no_token_is_named(tokenizer: Any) -> None:
    by_prefix = isinstance(tokenizer, transformers.T5Tokenizer)
    from_a_dictionary = isinstance(tokenizer, transformers.BertTokenizer | transformers.GPT2Tokenizer) or (
        type(tokenizer).__name__ == "RobertaTokenizer"
    )
    if from_a_dictionary:  # where a number is only one more unknown token
        assert tokenizer.convert_tokens_to_ids(["the", 1])[1] == tokenizer.unk_token_id
    else:
        with pytest.raises(
            AttributeError if by_prefix else TypeError, match=r"^tokens\[1\]=1 is no token; give strings"
        ):
            tokenizer.convert_tokens_to_ids(["the", 1])
    with pytest.raises(TypeError, match=r"^tokens\[0\]=\['the'\] is no token"):
        tokenizer.convert_tokens_to_ids([["the"]])
    with pytest.raises(TypeError, match=r"^tokens=5 should be a list of tokens"):
        tokenizer.convert_tokens_to_ids(5)


def test_a_batch_names_the_value_as_a_single_call_does(tokenizer: Any) -> None:
    with (
        pytest.warns(UserWarning, match="give tokens only"),
        pytest.raises(TypeError, match=r"^tokens\[1\]=\['man'\] is no token"),
    ):
        tokenizer.batch_encode_plus([(["the", ["man"]], None)])


def test_tokens_of_a_text_are_strings(tokenizer: Any) -> None:
    with pytest.raises(
        TypeError, match=r"^tokens\[1\]=\['man'\] is no token; give strings, as `tokenize` returns them"
    ):
        tokenizer.convert_tokens_to_string(["the", ["man"]])


@pytest.mark.parametrize("text", [5, None, b"the", ["the"], 1.5])
def test_a_text_is_a_string(tokenizer: Any, text: Any) -> None:
    with pytest.raises(TypeError, match=rf"^text=.* is a {type(text).__name__}; give a string"):
        tokenizer.tokenize(text)


def test_sequences_to_decode_and_special_tokens_have_the_form_of_the_signature(tokenizer: Any) -> None:
    with pytest.raises(TypeError, match=r"^sequences=5 should be a list of lists of ids"):
        tokenizer.batch_decode(5)
    with pytest.raises(AttributeError, match=r"^special_tokens_dict='<x>' is no dictionary; write \{'pad_token'"):
        tokenizer.add_special_tokens("<x>")


def test_an_error_of_a_subclass_about_a_string_is_unchanged(tokenizer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(token: str) -> int:
        raise TypeError(f"my own rule refuses {token}")

    monkeypatch.setattr(tokenizer, "_convert_token_to_id", fails)
    with pytest.raises(TypeError, match=r"^my own rule refuses zzzz$"):
        tokenizer.convert_tokens_to_ids(["zzzz"])
