"""The files of a small slow tokenizer: saved together, loaded in the library's order, old and broken files."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, ClassVar

import pytest

from tests.libraries.transformers.words_tokenizer import Words, write_words
from tokenlab.libraries import tokenizers
from tokenlab.libraries.transformers import AddedToken
from tokenlab.libraries.transformers.tokenization import tokenizer_files
from tokenlab.libraries.transformers.tokenization_utils_base import get_fast_tokenizer_file

CONFIG, SPECIAL, ADDED = "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A saved tokenizer with the added tokens <m> (special) and New York."""
    words = Words(write_words(tmp_path), model_max_length=7, own={"a": (1, 2)})
    words.add_special_tokens({"mask_token": AddedToken("<m>", lstrip=True)})
    words.add_tokens(["New York"])
    words.save_pretrained(tmp_path / "saved")
    return tmp_path / "saved"


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def write(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content), encoding="utf-8")


# --- saving -------------------------------------------------------------------------------------------


def test_four_files_are_written_in_the_library_s_order(folder: Path, tmp_path: Path) -> None:
    words = Words.from_pretrained(folder)
    paths = words.save_pretrained(tmp_path / "again", filename_prefix="my")
    names = [CONFIG, SPECIAL, "words.txt", ADDED]
    assert [os.path.basename(path) for path in paths] == [f"my-{name}" for name in names]
    assert sorted(os.listdir(tmp_path / "again")) == sorted(f"my-{name}" for name in names)
    assert read(folder / ADDED) == {"<m>": 10, "New York": 11}
    assert read(folder / SPECIAL)["mask_token"] == {
        "content": "<m>", "single_word": False, "lstrip": True, "rstrip": False, "normalized": True,
    }  # fmt: skip


def test_the_configuration_has_the_arguments_of_the_class(folder: Path) -> None:
    config = read(folder / CONFIG)
    assert config["tokenizer_class"] == "Words" and config["model_max_length"] == 7
    assert config["own"] == {"a": [1, 2]} and "vocab_file" not in config and "init_inputs" not in config


def test_without_added_tokens_their_file_is_named_but_not_written(folder: Path, tmp_path: Path) -> None:
    paths = Words(write_words(tmp_path)).save_pretrained(folder)
    assert paths[-1] == str(folder / ADDED)


def test_a_folder_that_is_a_file_and_another_format_are_refused(folder: Path) -> None:
    words = Words.from_pretrained(folder)
    with pytest.raises(NotADirectoryError, match="is a file; name a folder"):
        words.save_pretrained(folder / CONFIG)
    with pytest.raises(ValueError, match="legacy_format=False needs a fast tokenizer"):
        words.save_pretrained(folder, legacy_format=False)


def test_a_token_in_an_argument_comes_back_as_a_token(tmp_path: Path) -> None:
    words = Words(write_words(tmp_path), eos_token=AddedToken("<e>", rstrip=True), own=[AddedToken("<f>")])
    words.save_pretrained(tmp_path / "saved")
    assert read(tmp_path / "saved" / CONFIG)["eos_token"]["__type"] == "AddedToken"
    (tmp_path / "saved" / SPECIAL).unlink()
    back = Words.from_pretrained(tmp_path / "saved")
    assert back._eos_token.rstrip and isinstance(back.init_kwargs["own"][0], AddedToken)


# --- loading ------------------------------------------------------------------------------------------


def test_a_loaded_tokenizer_is_the_saved_one(folder: Path) -> None:
    back = Words.from_pretrained(folder)
    assert (back.get_added_vocab(), back.model_max_length, back._mask_token.lstrip) == (
        {"<m>": 10, "New York": 11}, 7, True,
    )  # fmt: skip
    assert back.tokenize("a <m> New York") == ["a", "<m>", "New York"]
    assert back.name_or_path == str(folder) and repr(back).startswith(f"Words(name_or_path='{folder}', vocab_size=10")


def test_arguments_win_over_the_special_tokens_of_the_folder(folder: Path) -> None:
    assert Words.from_pretrained(folder, mask_token="man").mask_token == "man"
    assert Words.from_pretrained(folder, mask_token="").mask_token == "<m>"  # an empty one counts as none
    assert Words.from_pretrained(folder, padding_side="left", model_max_length=3).model_max_length == 3


def test_stored_positional_arguments_collide_with_the_file_that_is_found(folder: Path) -> None:
    write(folder / CONFIG, {"init_inputs": [str(folder / "words.txt"), True], "tokenizer_class": "Words"})
    with pytest.raises(TypeError, match=r"cannot be created with the positional arguments .*multiple values"):
        Words.from_pretrained(folder)


@pytest.mark.parametrize("inputs", [5, None, True])
def test_stored_positional_arguments_are_a_list(folder: Path, inputs: Any) -> None:
    write(folder / CONFIG, {"init_inputs": inputs})
    with pytest.raises(ValueError, match=f"tokenizer_config.json' has init_inputs={inputs}; it should be a list"):
        Words.from_pretrained(folder)


def test_a_maximum_length_that_is_no_number_names_the_file(folder: Path) -> None:
    write(folder / CONFIG, {"model_max_length": "512", "tokenizer_class": "Words"})
    back = Words.from_pretrained(folder)
    assert back.tokenize("a") == ["a"]
    with pytest.raises(TypeError, match=r"model_max_length='512' should be a number, .*correct tokenizer_config.json"):
        back("a")


@pytest.mark.parametrize("name", [CONFIG, SPECIAL, ADDED])
def test_a_file_that_is_nested_too_deeply_is_named(folder: Path, name: str) -> None:
    (folder / name).write_text('{"a":' * 5000 + "1" + "}" * 5000, encoding="utf-8")
    with pytest.raises(RecursionError, match=f"{name}' is no file of settings: its values are nested too deeply") as e:
        Words.from_pretrained(folder)
    assert isinstance(e.value, OSError) and isinstance(e.value, ValueError)


def test_special_tokens_of_old_files_are_read(folder: Path) -> None:
    write(folder / SPECIAL, {"additional_special_tokens": ["<q>", {"content": "<r>", "lstrip": True}], "own": 3})
    with pytest.warns(UserWarning, match="'own', which is not the name of a special token"):
        back = Words.from_pretrained(folder)
    assert back.additional_special_tokens == ["<q>", "<r>"] and back._additional_special_tokens[1].lstrip
    assert not hasattr(back, "own") and back.additional_special_tokens_ids == [12, 13]


def test_new_special_tokens_are_logged(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    Words.from_pretrained(folder)
    assert caplog.records == []
    Words.from_pretrained(folder, eos_token="<e>")
    assert "special tokens were added to the vocabulary" in caplog.text


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ({"x": 11}, "gives 'x' the id 11, but the next id is 10"),
        ({"x": 10, "y": 12}, "gives 'y' the id 12, but the next id is 11"),
        ({"the": 10, "y": 11}, None),
        ({"x": "10"}, "gives 'x' the id '10'; it should be a whole number"),
        ({"x": 10, "y": "11"}, "gives 'y' the id '11'; it should be a whole number"),
        ({"x": None}, "gives 'x' the id None; it should be a whole number"),
    ],
    ids=range(6),
)
def test_ids_of_added_tokens_follow_the_vocabulary(folder: Path, ids: dict[str, Any], message: str | None) -> None:
    write(folder / ADDED, ids)
    if message:
        with pytest.raises(ValueError, match=message):
            Words.from_pretrained(folder)
    else:  # subtle: a token that the model knows is counted until the tokens are added
        assert Words.from_pretrained(folder).get_added_vocab() == {"y": 10, "<m>": 11}


def test_special_and_other_added_tokens_keep_their_ids(folder: Path) -> None:
    write(folder / ADDED, {"x": 10, "<m>": 11, "y": 12})
    back = Words.from_pretrained(folder)
    assert back.get_added_vocab() == {"x": 10, "<m>": 11, "y": 12}


@pytest.mark.parametrize("name", [CONFIG, SPECIAL, ADDED])
@pytest.mark.parametrize(
    ("content", "message"), [("{", "is damaged"), ("[]", "is no JSON object")], ids=["torn", "list"]
)
def test_broken_files_are_named(folder: Path, name: str, content: str, message: str) -> None:
    (folder / name).write_text(content, encoding="utf-8")
    with pytest.raises((OSError, ValueError), match=rf"{name}' {message}"):
        Words.from_pretrained(folder)


def test_a_folder_without_a_vocabulary_or_without_anything_says_so(folder: Path, tmp_path: Path) -> None:
    (folder / "words.txt").unlink()
    with pytest.raises(TypeError, match=r"has no words.txt, which a Words needs"):
        Words.from_pretrained(folder)
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match=r"has no file of a Words: none of words.txt, tokeni"):
        Words.from_pretrained(tmp_path / "empty")
    with pytest.raises(OSError, match="there is no folder"):
        Words.from_pretrained(tmp_path / "nowhere")


def test_the_only_file_of_a_tokenizer_can_be_given_but_not_one_of_several(folder: Path) -> None:
    class Two(Words):
        vocab_files_names: ClassVar[Any] = {"vocab_file": "words.txt", "merges_file": "merges.txt"}

    with pytest.warns(FutureWarning, match="is a single file"):
        assert Words.from_pretrained(folder / "words.txt").vocab_size == 10
    with pytest.raises(ValueError, match=r"a Two has several \(words.txt, merges.txt\)"):
        Two.from_pretrained(folder / "words.txt")


@pytest.mark.parametrize(
    ("config", "model", "warns"),
    [
        ({"tokenizer_class": "X"}, None, True),
        ({"tokenizer_class": "WordsFast"}, None, False),
        ({}, {"model_type": "t5"}, True),
        ({}, {"model_type": "unheard of"}, False),
        ({}, {"tokenizer_class": "Words", "model_type": "t5"}, False),
        ({"tokenizer_class": 7}, None, True),
    ],
    ids=range(6),
)
def test_files_of_another_class_are_loaded_with_a_warning(
    folder: Path, config: Any, model: Any, warns: bool, recwarn: pytest.WarningsRecorder
) -> None:
    write(folder / CONFIG, config)
    if model:
        write(folder / "config.json", model)
    assert Words.from_pretrained(folder).vocab_size == 10
    assert [str(warning.message).split(";")[-1] for warning in recwarn] == (
        [" a Words may split texts differently"] if warns else []
    )


def test_a_known_checkpoint_limits_the_length(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Words, "max_model_input_sizes", {str(folder): 5})
    assert Words.from_pretrained(folder).model_max_length == 5
    assert Words.from_pretrained(folder, model_max_length=3).model_max_length == 3


def test_the_newest_tokenizer_file_of_this_version_is_chosen() -> None:
    assert get_fast_tokenizer_file(["tokenizer.json"]) == "tokenizer.json"
    names = ["tokenizer.4.0.0.json", "tokenizer.4.26.1.json", "tokenizer.4.27.0.json"]
    assert get_fast_tokenizer_file(names) == "tokenizer.4.26.1.json"
    assert get_fast_tokenizer_file(names[2:]) == "tokenizer.json"


def test_a_class_is_registered_only_for_an_auto_class(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Words, "_auto_class", None)
    with pytest.raises(ValueError, match="auto_class='AutoNothing' is no Auto class"):
        Words.register_for_auto_class("AutoNothing")
    Words.register_for_auto_class()
    with pytest.warns(UserWarning, match="Words is saved without its code"):
        Words.from_pretrained(folder).save_pretrained(folder)


def test_a_json_value_keeps_its_form() -> None:
    token = AddedToken("<a>", lstrip=True)
    for typed in (True, False):
        stored = tokenizer_files.as_json_value({"a": [token]} if typed else [token], typed=typed)
        back = tokenizer_files.from_json_value(stored, typed=typed)
        assert (back["a"] if typed else back)[0].lstrip
    assert tokenizer_files.from_json_value({"a": {"b": (1,)}}, typed=True) == {"a": {"b": [1]}}


def test_a_json_value_has_the_fields_of_the_library_s_version(capsys: pytest.CaptureFixture[str]) -> None:
    fields = {"content": "<a>", "single_word": False, "lstrip": True, "rstrip": False, "normalized": True}
    for kind in (AddedToken, tokenizers.AddedToken):
        assert tokenizer_files.as_json_value((kind("<a>", lstrip=True), "b"), typed=False) == [fields, "b"]
        typed = tokenizer_files.as_json_value({"x": kind("<a>", lstrip=True)}, typed=True)
        assert typed == {"x": {**fields, "__type": "AddedToken"}}
        assert tokenizer_files.from_json_value(typed, typed=True)["x"].lstrip
    assert capsys.readouterr().out == ""  # an unknown field would be printed


def test_the_configuration_is_what_the_class_and_the_files_do_not_say(tmp_path: Path) -> None:
    words = Words(write_words(tmp_path), processor_class="Own", eos_token="man", vocab="x")
    words.model_max_length, words.init_inputs, words._auto_map = 9, (["x"],), {"AutoTokenizer": ["words.Words", None]}
    words.init_kwargs["vocab_file"] = "words.txt"
    config = tokenizer_files.config_of(words)
    assert config == {
        "do_lower_case": False, "pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]",
        "eos_token": "man", "vocab": "x", "model_max_length": 9, "init_inputs": (["x"],), "tokenizer_class": "Words",
        "auto_map": {"AutoTokenizer": ["words.Words", None]}, "processor_class": "Own",
    }  # fmt: skip
    config["init_inputs"][0].append("y")
    assert words.init_inputs == (["x"],)


@pytest.mark.parametrize(
    ("name", "stored"),
    [("WordsFast", "Words"), ("PreTrainedTokenizerFast", "PreTrainedTokenizerFast"), ("FastWords", "FastWords")],
)
def test_the_stored_name_of_a_class_has_no_fast_at_its_end(tmp_path: Path, name: str, stored: str) -> None:
    words = type(name, (Words,), {})(write_words(tmp_path))
    config = tokenizer_files.config_of(words)
    assert config["tokenizer_class"] == stored
    assert config.keys().isdisjoint({"auto_map", "processor_class", "init_inputs"})


def test_an_own_way_to_save_gets_what_save_pretrained_got(tmp_path: Path) -> None:
    class Own(Words):
        def _save_pretrained(self, **given: Any) -> tuple[str, ...]:
            return (str(given),)

    folder = tmp_path / "saved"
    [given] = Own(write_words(tmp_path)).save_pretrained(folder, legacy_format=True, filename_prefix="my")
    names = tuple(str(folder / f"my-{name}") for name in (CONFIG, SPECIAL))
    expected = {"save_directory": folder, "file_names": names, "legacy_format": True, "filename_prefix": "my"}
    assert given in (str(expected), str({**expected, "save_directory": str(folder)}))


def test_nothing_is_uploaded(tmp_path: Path) -> None:
    words = Words(write_words(tmp_path))
    for upload in (lambda: words.push_to_hub("me/x"), lambda: words.save_pretrained(tmp_path / "x", push_to_hub=True)):
        with pytest.raises(NotImplementedError, match="nothing is uploaded"):
            upload()
    assert not (tmp_path / "x").exists()
