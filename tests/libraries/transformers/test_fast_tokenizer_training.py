"""New fast tokenizers that are trained from old ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.libraries.transformers.fast_tokenizers import fast_one, word_level
from tests.tokenizer_folders import FOLDERS
from tokenlab import data
from tokenlab.libraries.transformers import PreTrainedTokenizerFast


def lines() -> list[str]:
    return [line for line in data.text("english").splitlines() if line.strip()]


@pytest.mark.parametrize("family", FOLDERS)
def test_a_new_tokenizer_has_the_pipeline_and_the_special_tokens_of_the_old_one(folders: Path, family: str) -> None:
    tokenizer = fast_one(folders, family)
    new = tokenizer.train_new_from_iterator([lines()], 400, length=1, show_progress=False)
    assert type(new) is type(tokenizer)
    assert new.special_tokens_map == tokenizer.special_tokens_map
    assert new.get_vocab() != tokenizer.get_vocab()
    ids = new("the river", "the fox")["input_ids"]
    shape = [token for token in new.convert_ids_to_tokens(ids) if token in new.all_special_tokens]
    old = tokenizer.convert_ids_to_tokens(tokenizer("the river", "the fox")["input_ids"])
    assert shape == [token for token in old if token in tokenizer.all_special_tokens]
    assert new.decode(ids, skip_special_tokens=True).replace(" ", "") == "theriverthefox"


@pytest.mark.parametrize(("family", "old"), [("bert", "[SEP]"), ("roberta", "</s>"), ("albert", "[MASK]")])
def test_special_tokens_get_new_names(folders: Path, family: str, old: str) -> None:
    tokenizer = fast_one(folders, family)
    new = tokenizer.train_new_from_iterator(
        lines(), 400, special_tokens_map={old: "<renamed>"}, new_special_tokens=["<extra>"], show_progress=False
    )
    assert old not in new.get_vocab()
    assert "<renamed>" in new.special_tokens_map.values()
    assert new.additional_special_tokens[-1] == "<extra>"
    tokens = new.convert_ids_to_tokens(new(f"the <extra> {new.mask_token}", "b")["input_ids"])
    assert {"<extra>", "<renamed>"} <= set(tokens)


def test_a_plain_pipeline_can_be_trained() -> None:
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=word_level("a"), unk_token="?")
    assert tokenizer.train_new_from_iterator(["x y"], 10, show_progress=False).get_vocab().keys() >= {"x", "y"}


@pytest.mark.parametrize(("family", "kept"), [("bert", False), ("t5", True)])
def test_only_unigram_keeps_added_tokens_that_are_not_special(folders: Path, family: str, kept: bool) -> None:
    tokenizer = fast_one(folders, family)
    tokenizer.add_tokens(["<plain>"])
    new = tokenizer.train_new_from_iterator(lines(), 400, show_progress=False)
    assert ("<plain>" in new.get_vocab()) is kept
