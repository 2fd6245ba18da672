"""The T5 tokenizer: sentinels, the end of a text, whitespace next to added tokens, complete and damaged folders."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.parity.make_t5_tokenizer import train
from tests.strategies import texts
from tokenlab import data
from tokenlab.libraries.transformers.models.t5.tokenization_t5 import T5Tokenizer
from tokenlab.libraries.transformers.tokenization import tokenizer_files
from tokenlab.libraries.transformers.tokenization.padding_and_truncation import truncate
from tokenlab.libraries.transformers.tokenization.special_tokens_mixin import AddedToken
from tokenlab.libraries.transformers.tokenization_utils import PreTrainedTokenizer, Trie


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train(tmp_path_factory.mktemp("t5") / "spiece.model")


@pytest.fixture
def tokenizer(model: Path) -> Any:
    return T5Tokenizer.from_pretrained(model.parent)


# --- sentinels and the end of a text --------------------------------------------------------------


def test_sentinels_count_down_from_the_last_id(tokenizer: Any) -> None:
    assert len(tokenizer) == tokenizer.vocab_size == 400
    assert tokenizer.convert_tokens_to_ids(["<extra_id_0>", "<extra_id_1>", "<extra_id_99>"]) == [399, 398, 300]
    assert tokenizer.convert_ids_to_tokens([399, 300]) == ["<extra_id_0>", "<extra_id_99>"]
    assert tokenizer.get_sentinel_token_ids() == list(range(399, 299, -1))
    assert (tokenizer.pad_token_id, tokenizer.eos_token_id, tokenizer.unk_token_id) == (0, 1, 2)


def test_ids_after_the_sentinels_have_the_library_s_names_and_negative_ids_are_an_error(tokenizer: Any) -> None:
    assert tokenizer.convert_ids_to_tokens(400) == "<extra_id_-1>"
    with pytest.raises(IndexError, match="id -1 is not in this vocabulary; its ids are 0 to 399"):
        tokenizer.decode([-1])


def test_a_text_ends_with_one_end(tokenizer: Any) -> None:
    assert tokenizer("the").input_ids[-1] == 1
    with pytest.warns(UserWarning, match="already ends with </s>"):
        assert tokenizer.encode("the</s>") == tokenizer.encode("the")
    assert tokenizer.encode("", "") == [1, 1]


def test_a_tokenizer_created_by_its_class_splits_special_tokens(model: Path, tokenizer: Any) -> None:
    assert "</s>" not in T5Tokenizer(model).tokenize("the </s>")
    assert tokenizer.tokenize("the </s>") == ["▁the", "</s>"]


def test_an_unknown_special_token_gets_a_new_id_after_the_sentinels(tokenizer: Any) -> None:
    assert tokenizer.add_special_tokens({"sep_token": "<sep>"}) == 1
    assert (tokenizer.sep_token_id, len(tokenizer), tokenizer.get_added_vocab()) == (400, 401, {"<sep>": 400})
    assert tokenizer.get_vocab()["<sep>"] == 400
    assert tokenizer.add_tokens("the man", special_tokens=False) == 1
    assert tokenizer.tokenize("the man<sep> of") == ["the man", "<sep>", "▁of"]


def test_a_special_id_that_is_set_sets_the_token(tokenizer: Any) -> None:
    tokenizer.pad_token_id = 1
    assert tokenizer.pad_token == "</s>"
    assert tokenizer.bos_token is None and tokenizer.bos_token_id is None


@examples(40)
@given(data=st.data())
def test_tokens_of_any_text_are_their_ids_and_ids_decode(data: Any, model: Path) -> None:
    tokenizer = T5Tokenizer.from_pretrained(model.parent)
    text = data.draw(texts(surrogates=False, max_snippets=4)) + data.draw(st.sampled_from(["", "<extra_id_7>"]))
    ids = tokenizer.encode(text, add_special_tokens=False)
    assert ids == tokenizer.convert_tokens_to_ids(tokenizer.tokenize(text))
    assert isinstance(tokenizer.decode(ids), str)
    assert all(0 <= id < len(tokenizer) for id in ids)


# --- added tokens ---------------------------------------------------------------------------------


@given(st.lists(st.text("ab<>", min_size=1, max_size=4), max_size=4), st.text("ab<> ", max_size=20))
def test_parts_joined_are_the_text(tokens: list[str], text: str) -> None:
    assert "".join(Trie(tokens).split(text)) == text


@given(st.lists(st.text("ab", min_size=1, max_size=1), max_size=2), st.text("abc", max_size=20))
def test_single_characters_are_split_off_everywhere(tokens: list[str], text: str) -> None:
    assert sum(part in tokens for part in Trie(tokens).split(text)) == sum(text.count(token) for token in set(tokens))


@pytest.mark.parametrize(
    ("tokens", "text", "parts"),
    [
        (["a", "aa"], "aaa", ["aa", "a"]),
        (["id_1", "id_100", "100"], "id_100 id_10", ["id_100", " ", "id_1", "0"]),
        (["blow", "lower"], "blower", ["blow", "er"]),
        (["blown", "lower"], "blower", ["b", "lower"]),
        (["abcd", "bc"], "abce", ["a", "bc", "e"]),
        (["abc", "b"], "abdc", ["abdc"]),  # the library's fault
        (["ab"], "xab", ["x", "ab"]),
        (["", "x"], "", []),
    ],
)
def test_the_longest_token_is_split_off(tokens: list[str], text: str, parts: list[str]) -> None:
    assert Trie(tokens).split(text) == parts


@pytest.mark.parametrize(
    ("behaviour", "tokens"), [({}, ["▁the", "▁", "<m>", "▁the"]), ({"lstrip": True}, ["▁the", "<m>", "▁the"])]
)
def test_a_token_strips_the_whitespace_of_its_flags(
    tokenizer: Any, behaviour: dict[str, bool], tokens: list[str]
) -> None:
    tokenizer.add_special_tokens({"mask_token": AddedToken("<m>", **behaviour)})
    seen = []
    tokenizer._tokenize = lambda text: seen.append(text) or []
    tokenizer.tokenize("the <m> the")
    assert seen == (["the", " the"] if behaviour else ["the ", " the"])


def test_rstrip_strips_the_right_side_and_a_plain_string_both(tokenizer: Any) -> None:
    seen: list[str] = []
    tokenizer._tokenize = lambda text: seen.append(text) or []
    tokenizer.add_special_tokens({"mask_token": AddedToken("<m>", rstrip=True), "sep_token": "<s>"})
    tokenizer.tokenize("a <m> b <s> c")
    assert seen == ["a ", "b", "c"]


# --- batches --------------------------------------------------------------------------------------


def test_a_batch_of_tensors_needs_padding(tokenizer: Any) -> None:
    batch = tokenizer(["the", "the man of the"], padding=True, return_tensors="pt")
    assert batch["input_ids"].shape == batch.attention_mask.shape
    assert batch.attention_mask[0].tolist()[-1] == 0
    assert batch.to("cpu").input_ids.tolist()[0][-1] == 0
    assert tokenizer("the", return_tensors="np").input_ids.shape == (1, 2)
    with pytest.raises(ValueError, match="different lengths"):
        tokenizer(["the", "the man of the"], return_tensors="pt")
    with pytest.raises(ImportError, match="return_tensors='tf' is not supported"):
        tokenizer("the", return_tensors="tf")
    with pytest.raises(ValueError, match="return_tensors='ft' is unknown"):
        tokenizer("the", return_tensors="ft")


def test_targets_become_labels(tokenizer: Any) -> None:
    assert tokenizer("the", text_target="of").labels == tokenizer("of").input_ids
    assert tokenizer(text_target="of").input_ids == tokenizer("of").input_ids


def test_what_was_encoded_is_padded_later(tokenizer: Any) -> None:
    padded = tokenizer.pad([tokenizer("the"), tokenizer("the man of")], pad_to_multiple_of=8)
    assert [len(ids) for ids in padded.input_ids] == [8, 8]


def test_warnings_are_given_once(tokenizer: Any, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(2):
        tokenizer("the man of the", max_length=2)
    assert [record.message.split(";")[0] for record in caplog.records] == ["max_length is given without truncation="]
    tokenizer(["the man of"], ["a"], truncation="only_second", max_length=2)
    assert "the second text has only 1; nothing was truncated" in caplog.text


@pytest.mark.parametrize(
    ("arguments", "named", "kind", "words"),
    [
        ((), {}, ValueError, "neither text nor text_target"),
        ((3,), {}, ValueError, "text=3 should be"),
        (([],), {}, ValueError, "give at least one text"),
        ((["a"], "b"), {}, TypeError, "give a list of the same length"),
        ((["a"], ["b", "c"]), {}, ValueError, "text has 1 texts and text_pair has 2"),
        (("a",), {"padding": "most"}, ValueError, "padding='most' is unknown"),
        (("a",), {"truncation": "most"}, ValueError, "truncation='most' is unknown"),
        (("a",), {"return_offsets_mapping": True}, NotImplementedError, "fast tokenizer"),
        (("a",), {"return_overflowing_tokens": True}, TypeError, "needs a max_length"),
        (("a",), {"truncation": True, "padding": True, "max_length": 5, "pad_to_multiple_of": 4}, ValueError, "use 8"),
    ],
    ids=range(10),
)
def test_a_call_that_makes_no_sense_says_why(
    tokenizer: Any, arguments: tuple[Any, ...], named: dict[str, Any], kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        tokenizer(*arguments, **named)


def test_padding_needs_a_pad_token(tokenizer: Any) -> None:
    tokenizer.pad_token = None
    with pytest.raises(ValueError, match="there is no pad_token"):
        tokenizer("a", padding=True)


# --- making one -----------------------------------------------------------------------------------


def test_sentinels_and_additional_tokens_have_to_agree(model: Path) -> None:
    with pytest.raises(ValueError, match="extra_ids=2, but additional_special_tokens has 1 sentinels"):
        T5Tokenizer(model, extra_ids=2, additional_special_tokens=["<extra_id_0>", "<x>"])
    assert T5Tokenizer(model, extra_ids=0, additional_special_tokens=["<x>"]).vocab_size == 300


@pytest.mark.parametrize(
    ("name", "error"), [("eos_token", TypeError), ("additional_special_tokens", AssertionError)], ids=["one", "several"]
)
def test_special_tokens_are_strings(model: Path, name: str, error: type[Exception]) -> None:
    with pytest.raises(error, match=f"{name}=7 should be"):
        T5Tokenizer(model, extra_ids=0, **{name: 7})


def test_a_file_that_is_no_model_is_refused(model: Path, tmp_path: Path) -> None:
    (tmp_path / "spiece.model").write_bytes(model.read_bytes()[:5000])
    with pytest.raises(RuntimeError):
        T5Tokenizer(tmp_path / "spiece.model")
    with pytest.raises(FileNotFoundError, match="does not exist"):
        T5Tokenizer(tmp_path / "other")
    with pytest.raises(TypeError, match="vocab_file=None should be the path"):
        T5Tokenizer(None)


def test_sides_and_sentinels_have_names(model: Path, tokenizer: Any) -> None:
    with pytest.raises(ValueError, match="padding_side='up' should be"):
        T5Tokenizer(model, padding_side="up")
    with pytest.raises(ValueError, match="has no number"):
        tokenizer.convert_tokens_to_ids("<extra_id_x>")
    with pytest.raises(AssertionError, match="'nose' is no special-token attribute"):
        tokenizer.add_special_tokens({"nose": "<x>"})


def test_the_base_class_says_what_a_tokenizer_needs() -> None:
    with pytest.raises(NotImplementedError, match="vocab_size"):
        len(PreTrainedTokenizer())


def test_the_ids_follow_a_model_that_is_put_in_place_of_the_first(model: Path) -> None:
    tokenizer = T5Tokenizer(model)
    tokenizer.sp_model = T5Tokenizer.from_pretrained(data.t5_tiny()).sp_model
    pieces = tokenizer.sp_model.get_piece_size()
    assert tokenizer.vocab_size == pieces + 100 != 400
    assert tokenizer.convert_ids_to_tokens(pieces) == "<extra_id_99>"
    assert tokenizer._convert_token_to_id("<extra_id_0>") == pieces + 99


def test_neither_torch_nor_numpy_is_loaded_by_the_tokenizer() -> None:
    imports = "import sys; from tokenlab.libraries.transformers import T5Tokenizer"
    program = f"{imports}; print(sorted({{'torch', 'numpy'}} & {{*sys.modules}}))"
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True, env=os.environ
    )
    assert found.stdout.strip() == "[]"


# --- folders --------------------------------------------------------------------------------------


@pytest.fixture
def folder(tokenizer: Any, tmp_path: Path) -> Path:
    tokenizer.add_special_tokens({"mask_token": AddedToken("<mask>", lstrip=True)})
    tokenizer.add_tokens(["abc"])
    paths = tokenizer.save_pretrained(tmp_path / "saved")
    assert all(map(os.path.isfile, paths)) and len(paths) == 4
    return tmp_path / "saved"


def test_a_tokenizer_comes_back_as_it_was(folder: Path, tokenizer: Any) -> None:
    back = T5Tokenizer.from_pretrained(folder, model_max_length=9)
    assert back.get_added_vocab() == {"<mask>": 400, "abc": 401}
    assert back._mask_token.lstrip and back.model_max_length == 9
    assert back.tokenize("abc <mask> the") == tokenizer.tokenize("abc <mask> the")


def test_no_old_added_tokens_stay_in_a_folder(folder: Path, model: Path) -> None:
    T5Tokenizer(model).save_pretrained(folder)
    assert not (folder / "added_tokens.json").exists()
    assert len(T5Tokenizer.from_pretrained(folder)) == 400


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make the third file fail when it is written."""
    opened = []

    def fails(path: Any, *arguments: Any, **named: Any) -> Any:
        opened.append(path)
        if len(opened) == 3:
            raise OSError("no space")
        return open(path, *arguments, **named)

    monkeypatch.setattr(tokenizer_files, "open", fails, raising=False)
    yield


def test_an_interrupted_save_changes_nothing(folder: Path, tokenizer: Any, full_disk: None) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    tokenizer.add_tokens(["more"])
    with pytest.raises(OSError, match="no space"):
        tokenizer.save_pretrained(folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_prefix_comes_before_the_names(tokenizer: Any, tmp_path: Path) -> None:
    paths = tokenizer.save_pretrained(tmp_path, filename_prefix="my")
    assert {Path(path).name[:3] for path in paths} == {"my-"}
    assert tokenizer.save_vocabulary(str(tmp_path), "our") == (str(tmp_path / "our-spiece.model"),)
    assert (tmp_path / "our-spiece.model").read_bytes() == (tmp_path / "my-spiece.model").read_bytes()


@pytest.mark.parametrize("name", ["tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"])
def test_damaged_files_are_named(folder: Path, name: str) -> None:
    whole = (folder / name).read_text(encoding="utf-8")
    (folder / name).write_text(whole[:-5], encoding="utf-8")
    with pytest.raises(ValueError, match=f"{name}' is damaged"):
        T5Tokenizer.from_pretrained(folder)
    (folder / name).write_text("[]", encoding="utf-8")
    with pytest.raises(ValueError, match="should contain a dictionary, but contains a list"):
        T5Tokenizer.from_pretrained(folder)


def test_missing_files_are_named(folder: Path) -> None:
    (folder / "spiece.model").unlink()
    with pytest.raises(FileNotFoundError, match=r"has no spiece.model, which a T5Tokenizer needs"):
        T5Tokenizer.from_pretrained(folder)
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        T5Tokenizer.from_pretrained(folder / "nowhere")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        T5Tokenizer.save_vocabulary(None, str(folder / "nowhere"))  # type: ignore[arg-type]


def test_ids_of_added_tokens_have_no_gaps(folder: Path) -> None:
    (folder / "added_tokens.json").write_text(json.dumps({"abc": 402}), encoding="utf-8")
    with pytest.raises(ValueError, match="gives 'abc' the id 402, but the next id is 400"):
        T5Tokenizer.from_pretrained(folder)


def test_a_folder_of_another_class_and_a_single_file_give_a_warning(folder: Path, tokenizer: Any) -> None:
    config = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    (folder / "tokenizer_config.json").write_text(json.dumps({**config, "tokenizer_class": "X"}), encoding="utf-8")
    with pytest.warns(UserWarning, match="was saved by a X"):
        T5Tokenizer.from_pretrained(folder)
    with pytest.warns(FutureWarning, match="is a single file"):
        assert len(T5Tokenizer.from_pretrained(folder / "spiece.model")) == 400
    with pytest.raises(NotADirectoryError, match="is a file; name a folder"):
        tokenizer.save_pretrained(folder / "spiece.model")


def test_arguments_win_over_the_folder(folder: Path) -> None:
    assert T5Tokenizer.from_pretrained(folder, mask_token="<other>").mask_token == "<other>"


def test_of_two_equally_long_texts_the_second_is_truncated() -> None:
    assert truncate([1, 2], [3, 4], 1, "longest_first").ids == [1, 2]


def test_an_empty_list_alone_stays_empty(tokenizer: Any) -> None:
    assert tokenizer.encode("", add_special_tokens=False, padding="max_length", max_length=3) == []


def test_a_piece_of_the_model_is_split_off_only_as_a_special_token(tokenizer: Any) -> None:
    assert tokenizer.add_tokens(["▁the"]) == 0 and "▁the" not in tokenizer.unique_no_split_tokens
    assert tokenizer.add_tokens(["▁the"], special_tokens=True) == 0 and "▁the" in tokenizer.unique_no_split_tokens
