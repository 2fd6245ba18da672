"""Files of fast tokenizers: saved, loaded, pickled, and damaged."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from tests.libraries.transformers.fast_tokenizers import PREFIXES, fast_class, fast_one, word_level
from tests.tokenizer_folders import FOLDERS
from tokenlab.libraries import transformers
from tokenlab.libraries.transformers import PreTrainedTokenizerFast


@pytest.mark.parametrize("family", FOLDERS)
def test_both_kinds_of_files_are_saved_and_loaded(folders: Path, tmp_path: Path, family: str) -> None:
    tokenizer = fast_one(folders, family)
    tokenizer.add_tokens(["<new>"])
    paths = tokenizer.save_pretrained(tmp_path)
    names = [Path(path).name for path in paths]
    assert names == [
        "tokenizer_config.json",
        "special_tokens_map.json",
        *[name for argument, name in tokenizer.vocab_files_names.items() if argument != "tokenizer_file"],
        "added_tokens.json",
        "tokenizer.json",
    ]
    text = "a <new> fox"
    for options in ({}, {"from_slow": True}):
        again = fast_class(family).from_pretrained(tmp_path, **options)
        assert again(text)["input_ids"] == tokenizer(text)["input_ids"]
    slow = getattr(transformers, f"{PREFIXES[family]}Tokenizer").from_pretrained(tmp_path)
    assert slow.get_vocab() == tokenizer.get_vocab()


@pytest.mark.parametrize("family", FOLDERS)
def test_a_tokenizer_file_is_enough(folders: Path, tmp_path: Path, family: str) -> None:
    tokenizer = fast_one(folders, family)
    tokenizer.save_pretrained(tmp_path, legacy_format=False)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "special_tokens_map.json",
        "tokenizer.json",
        "tokenizer_config.json",
    ]
    again = fast_class(family).from_pretrained(tmp_path)
    assert again("a fox", "!")["input_ids"] == tokenizer("a fox", "!")["input_ids"]
    with pytest.warns(UserWarning, match="a PreTrainedTokenizerFast may split texts differently"):
        plain = PreTrainedTokenizerFast.from_pretrained(tmp_path)
    assert plain("a fox")["input_ids"] == tokenizer("a fox")["input_ids"]


def test_sentencepiece_files_are_saved_only_if_they_are_known(folders: Path, tmp_path: Path) -> None:
    fast_one(folders, "t5").save_pretrained(tmp_path / "a", legacy_format=False)
    again = fast_class("t5").from_pretrained(tmp_path / "a")
    assert again.can_save_slow_tokenizer is False
    with pytest.raises(ValueError, match="has no vocab_file"):
        again.save_vocabulary(str(tmp_path))
    assert [Path(path).name for path in again.save_pretrained(tmp_path / "b")][2:] == ["tokenizer.json"]


def test_without_a_slow_version_there_are_no_legacy_files(tmp_path: Path) -> None:
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=word_level("a"), unk_token="?")
    with pytest.raises(ValueError, match="legacy_format=True, but there is no slow version"):
        tokenizer.save_pretrained(tmp_path, legacy_format=True)
    with pytest.raises(ValueError, match="from_slow=True, but there is no slow version"):
        PreTrainedTokenizerFast(from_slow=True)


def test_a_fast_tokenizer_needs_a_pipeline() -> None:
    with pytest.raises(ValueError, match=r"needs one of \(1\) tokenizer_file"):
        PreTrainedTokenizerFast(unk_token="?")


def test_a_given_pipeline_is_copied() -> None:
    pipeline = word_level("a")
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=pipeline, unk_token="?")
    tokenizer.add_tokens(["b"])
    assert pipeline.token_to_id("b") is None
    assert tokenizer.decoder is None


def test_overridden_methods_write_the_files(folders: Path, tmp_path: Path) -> None:
    class Mine(transformers.BertTokenizerFast):
        def save_vocabulary(self, save_directory: str, filename_prefix: str | None = None) -> tuple[str, ...]:
            self.called = (save_directory, filename_prefix)
            return super().save_vocabulary(save_directory, filename_prefix)

    tokenizer = Mine(folders / "bert" / "vocab.txt")
    tokenizer.add_tokens(["<new>"])
    paths = tokenizer.save_pretrained(str(tmp_path), filename_prefix="my")
    assert tokenizer.called == (str(tmp_path), "my")
    assert [Path(path).name for path in paths[2:]] == ["my-vocab.txt", "my-added_tokens.json", "my-tokenizer.json"]
    assert all(Path(path).is_file() for path in paths)


@pytest.mark.parametrize("family", FOLDERS)
def test_pickled_tokenizers_give_the_same_ids(folders: Path, family: str) -> None:
    tokenizer = fast_one(folders, family)
    tokenizer.add_tokens(["<new>"])
    again = pickle.loads(pickle.dumps(tokenizer))
    assert again("a <new> fox")["input_ids"] == tokenizer("a <new> fox")["input_ids"]
    assert repr(again) == repr(tokenizer)


def test_options_of_a_call_change_the_pipeline_of_a_file(folders: Path, tmp_path: Path) -> None:
    for family in ("bert", "roberta"):
        fast_one(folders, family).save_pretrained(tmp_path / family, legacy_format=False)
    cased = fast_class("bert").from_pretrained(tmp_path / "bert", do_lower_case=False, strip_accents=False)
    assert cased.backend_tokenizer.normalizer.to_json()["lowercase"] is False
    assert cased.do_lower_case is False
    spaced = fast_class("roberta").from_pretrained(tmp_path / "roberta", add_prefix_space=True, trim_offsets=False)
    fields = json.loads(spaced.backend_tokenizer.to_str())
    assert fields["pre_tokenizer"]["add_prefix_space"] is True
    assert [fields["post_processor"][name] for name in ("add_prefix_space", "trim_offsets")] == [True, False]


# --- damaged files -----------------------------------------------------------------------------------


def test_a_folder_without_files_is_explained(tmp_path: Path) -> None:
    for family in FOLDERS:
        with pytest.raises(OSError, match=f"no file of a {fast_class(family).__name__}"):
            fast_class(family).from_pretrained(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"version": "1.0", "model"', "line 1, column"),
        ("[]", "should be a JSON object"),
        ('{"version": "1.0"}', "'model' is missing"),
        ('{"version": "2.0", "model": {}}', "is not known"),
        ('{"model": {"type": "Nothing"}}', "Nothing"),
    ],
)
def test_a_broken_tokenizer_file_is_explained(folders: Path, tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "tokenizer.json").write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        fast_class("bert").from_pretrained(tmp_path)


def test_ids_that_contradict_the_pipeline_are_explained(folders: Path, tmp_path: Path) -> None:
    tokenizer = fast_one(folders, "bert")
    tokenizer.add_tokens(["<new>"])
    tokenizer.save_pretrained(tmp_path)
    (tmp_path / "added_tokens.json").write_text('{"<new>": 3}', encoding="utf-8")
    with pytest.raises(ValueError, match=r"gives '<new>' the id 3, but .*tokenizer\.json gives it"):
        fast_class("bert").from_pretrained(tmp_path)


def test_a_file_that_is_no_sentencepiece_model_is_explained(tmp_path: Path) -> None:
    (tmp_path / "spiece.model").write_bytes(b"no model")
    with pytest.raises(RuntimeError, match="no ModelProto of sentencepiece"):
        fast_class("t5").from_pretrained(tmp_path)
