"""A folder with a tokenizer may come from anybody: its files must not reach other files, or methods."""

import json
from pathlib import Path

import pytest

from tests.tokenizer_folders import write_folder
from tokenlab.libraries.transformers import AutoTokenizer, T5Tokenizer, T5TokenizerFast
from tokenlab.libraries.transformers.tokenization.tokenizer_files import get_fast_tokenizer_file

SECRET = b"not a vocabulary"


@pytest.fixture(scope="module")
def t5_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("t5") / "model"
    folder.mkdir()
    write_folder("t5", folder)
    return folder


@pytest.fixture
def folder(t5_folder: Path, tmp_path: Path) -> Path:
    (tmp_path / "secret.txt").write_bytes(SECRET)
    copy = tmp_path / "model"
    copy.mkdir()
    for file in t5_folder.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    return copy


def write_json(path: Path, **fields: object) -> None:
    old = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    path.write_text(json.dumps(old | fields), encoding="utf-8")


def saved(tokenizer: object, folder: Path) -> bytes:
    tokenizer.save_pretrained(str(folder))  # type: ignore[attr-defined]
    return (folder / "spiece.model").read_bytes()


@pytest.mark.parametrize("cls", [T5Tokenizer, T5TokenizerFast])
def test_a_special_tokens_map_sets_special_tokens_only(folder: Path, tmp_path: Path, cls: type) -> None:
    vocabulary = (folder / "spiece.model").read_bytes()
    write_json(
        folder / "special_tokens_map.json", vocab_file=str(tmp_path / "secret.txt"), tokenize="", eos_token="</s>"
    )
    with pytest.warns(UserWarning, match="not the name of a special token"):
        tokenizer = cls.from_pretrained(str(folder))  # type: ignore[attr-defined]
    assert tokenizer.tokenize("a") and tokenizer.eos_token == "</s>"
    assert saved(tokenizer, tmp_path / "saved") == vocabulary


@pytest.mark.parametrize("cls", [T5Tokenizer, T5TokenizerFast])
def test_a_configuration_does_not_name_the_files(folder: Path, tmp_path: Path, cls: type) -> None:
    vocabulary = (folder / "spiece.model").read_bytes()
    write_json(folder / "tokenizer_config.json", vocab_file=str(tmp_path / "secret.txt"), tokenizer_object=5)
    tokenizer = cls.from_pretrained(str(folder))  # type: ignore[attr-defined]
    assert saved(tokenizer, tmp_path / "saved") == vocabulary


@pytest.mark.parametrize("cls", [T5Tokenizer, T5TokenizerFast])
def test_names_of_code_are_not_passed_on(folder: Path, tmp_path: Path, cls: type) -> None:
    write_json(folder / "tokenizer_config.json", auto_map={"AutoTokenizer": ["code.Slow", None]})
    tokenizer = cls.from_pretrained(str(folder))  # type: ignore[attr-defined]
    assert "auto_map" not in tokenizer.init_kwargs
    saved(tokenizer, tmp_path / "saved")
    assert "auto_map" not in json.loads((tmp_path / "saved" / "tokenizer_config.json").read_text(encoding="utf-8"))


def test_a_fast_tokenizer_file_is_in_the_folder() -> None:
    outside = ["../tokenizer.4.0.0.json", "tokenizer./../x.json", "x/tokenizer.4.0.json", "tokenizer.4.0.0.json.txt"]
    assert get_fast_tokenizer_file(outside) == "tokenizer.json"


@pytest.mark.parametrize("value", [5, "tokenizer.json", [5], {"a": 1}])
def test_fast_tokenizer_files_are_a_list_of_names(folder: Path, value: object) -> None:
    write_json(folder / "tokenizer_config.json", fast_tokenizer_files=value)
    with pytest.raises(ValueError, match="should be a list of file names"):
        T5TokenizerFast.from_pretrained(str(folder))


@pytest.mark.parametrize("name", ["AutoTokenizer", "__doc__", "models", "points", "import_module"])
def test_only_the_name_of_a_class_that_can_be_loaded_selects_it(folder: Path, name: str) -> None:
    write_json(folder / "tokenizer_config.json", tokenizer_class=name)
    with pytest.raises(ValueError, match=name):
        AutoTokenizer.from_pretrained(str(folder))


def test_an_added_token_needs_an_id(folder: Path) -> None:
    write_json(folder / "added_tokens.json", q=None)
    with pytest.raises(ValueError, match="gives 'q' the id None"):
        T5Tokenizer.from_pretrained(str(folder))
