"""Fast tokenizers: their pipelines with the rules of tokenizers 0.13.3, calls, files, damaged files, and training."""

from __future__ import annotations

import copy
import inspect
import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from tests.tokenizer_folders import FAMILIES, write_folder
from tokenlab import data, transformers
from tokenlab.tokenizers import AddedToken as LaterAddedToken
from tokenlab.tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from tokenlab.transformers import AddedToken, PreTrainedTokenizerFast
from tokenlab.transformers.tokenization.backend.backend_tokenizer import BackendTokenizer
from tokenlab.transformers.tokenization.backend.change_settings import changed
from tokenlab.transformers.tokenization.backend.tokenizer_json import legacy_fields
from tokenlab.transformers.tokenization_utils_base import PaddingStrategy, TruncationStrategy

PREFIXES = dict(zip(FAMILIES, ("Bert", "GPT2", "Roberta", "T5", "XLMRoberta", "Albert"), strict=True))


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("folders")
    for family in FAMILIES:
        write_folder(family, folder / family)
    return folder


def fast_class(family: str) -> Any:
    return getattr(transformers, f"{PREFIXES[family]}TokenizerFast")


def fast_one(folders: Path, family: str, **options: Any) -> Any:
    return fast_class(family).from_pretrained(folders / family, **options)


def word_level(*words: str) -> BackendTokenizer:
    tokenizer = BackendTokenizer(models.WordLevel({word: id for id, word in enumerate(["?", *words])}, "?"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return tokenizer


# --- the pipeline with the rules of tokenizers 0.13.3 --------------------------------------------------


def test_a_token_of_the_model_is_matched_only_if_it_is_special() -> None:
    pipeline = word_level("the")
    assert pipeline.add_tokens(["the"]) == 0
    assert pipeline.encode("other the").ids == [0, 1]
    assert pipeline.add_special_tokens(["the"]) == 0  # it is not new
    assert pipeline.encode("other").ids == [0, 1, 0]


def test_the_later_version_matches_each_added_token() -> None:
    later = Tokenizer(models.WordLevel({"?": 0, "the": 1}, "?"))
    assert later.add_tokens(["the"]) == 1
    assert later.encode("other").ids == [0, 1, 0]


def test_added_tokens_are_numbered_after_the_vocabulary() -> None:
    pipeline = word_level("a")
    assert pipeline.add_tokens(["x", "a", "x", "", "y"]) == 2
    assert [pipeline.token_to_id(token) for token in ("a", "x", "y")] == [1, 2, 3]
    assert (pipeline.get_vocab_size(), pipeline.get_vocab_size(with_added_tokens=False)) == (4, 2)


def test_the_first_flags_decide_about_the_pass_and_the_last_about_whitespace() -> None:
    pipeline = word_level("a")
    pipeline.normalizer = normalizers.Lowercase()
    pipeline.add_tokens([AddedToken("X", normalized=False)])
    pipeline.add_tokens([AddedToken("X", normalized=True, lstrip=True)])
    assert pipeline.encode("a X x").offsets == [(0, 1), (1, 3), (4, 5)]
    assert json.loads(pipeline.to_str())["added_tokens"][0]["normalized"] is True


def test_a_special_token_added_again_as_an_ordinary_one_has_that_flag_in_the_file_and_is_still_skipped() -> None:
    pipeline = word_level("a", "<m>")
    pipeline.add_special_tokens(["<m>"])
    pipeline.add_tokens(["<m>"])
    [fields] = json.loads(pipeline.to_str())["added_tokens"]
    assert (fields["special"], fields["normalized"]) == (False, True)
    assert pipeline.decode(pipeline.encode("a <m>").ids) == "a"


def test_special_tokens_are_matched_before_normalization_unless_the_flag_was_given() -> None:
    pipeline = word_level("a")
    pipeline.normalizer = normalizers.Lowercase()
    plain, given = AddedToken("<X>"), AddedToken("<Y>", normalized=True)
    pipeline.add_special_tokens([plain, given])
    assert (plain.normalized, given.normalized) == (False, True)  # as in the library, the token itself changes
    assert pipeline.encode("<X> <x> <Y> <y>").ids == [2, 0, 3, 3]
    pipeline.add_tokens([plain])
    assert plain.normalized is True


def test_the_token_of_an_id_is_not_normalized() -> None:
    pipeline = word_level("a")
    pipeline.normalizer = normalizers.Lowercase()
    pipeline.add_tokens(["NEW"])
    assert pipeline.id_to_token(2) == "NEW"
    assert pipeline.decode(pipeline.encode("new").ids) == "NEW"


def test_another_normalizer_changes_matches_only_after_the_next_token() -> None:
    pipeline = word_level("a")
    pipeline.normalizer = normalizers.Lowercase()
    pipeline.add_tokens(["NEW"])
    pipeline.normalizer = normalizers.NFC()
    assert pipeline.encode("new NEW").ids == [2, 0]
    pipeline.add_tokens(["other"])
    assert pipeline.encode("new NEW").ids == [0, 2]


def test_padding_on_the_left_does_not_move_the_sequences(folders: Path) -> None:
    pipeline = fast_one(folders, "bert").backend_tokenizer
    pipeline.enable_truncation(4, stride=0)
    pipeline.enable_padding(length=5, direction="left")
    encoding = pipeline.encode("a b a")
    assert encoding.tokens == ["[PAD]", "[CLS]", "a", "b", "[SEP]"]
    assert encoding.sequence_ids == [None, 0, 0, None, None]
    assert encoding.overflowing[0].tokens == ["[PAD]", "[PAD]", "[CLS]", "a", "[SEP]"]
    assert encoding.overflowing[0].sequence_ids == [None, 0, None, None, None]


def test_a_large_stride_is_an_error_only_for_long_texts() -> None:
    pipeline = word_level("a", "b")
    pipeline.enable_truncation(2, stride=2)
    assert len(pipeline.encode("a b").ids) == 2
    with pytest.raises(ValueError, match="stride"):
        pipeline.encode("a b a")


def test_nothing_is_truncated_below_the_number_of_special_tokens(folders: Path) -> None:
    tokenizer = fast_one(folders, "bert")
    with pytest.warns(UserWarning, match="max_length=1 is less than the 2 special tokens"):
        assert len(tokenizer("a b", truncation=True, max_length=1)["input_ids"]) == 4


def test_a_lone_surrogate_of_a_text_becomes_three_replacement_characters(folders: Path) -> None:
    tokenizer = fast_one(folders, "gpt2", add_prefix_space=True)
    assert tokenizer("a\ud800", "\udfff")["input_ids"] == tokenizer("a���", "���")["input_ids"]
    with pytest.raises(TypeError, match="surrogate"):
        tokenizer(["a\ud800"], is_split_into_words=True)


def test_pipelines_are_written_for_the_old_version_and_read_by_both(folders: Path) -> None:
    for family in ("gpt2", "t5"):
        pipeline = fast_one(folders, family).backend_tokenizer
        fields = json.loads(pipeline.to_str())
        if family == "gpt2":
            assert isinstance(fields["model"]["merges"][0], str)
            assert "ignore_merges" not in fields["model"]
        else:
            assert fields["pre_tokenizer"] == {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True}
        later = Tokenizer.from_str(pipeline.to_str())
        assert later.encode("a fox").ids == pipeline.encode("a fox").ids


def test_what_the_old_version_cannot_express_is_kept() -> None:
    for fields in (
        {"type": "Metaspace", "replacement": "_", "prepend_scheme": "first", "split": True},
        {"type": "BPE", "vocab": {}, "merges": [("a b", "c")], "ignore_merges": True},
    ):
        assert legacy_fields(fields) == fields


def test_copies_of_a_pipeline_keep_its_rules() -> None:
    pipeline = word_level("the")
    pipeline.add_tokens(["the", "NEW"])
    for other in (copy.deepcopy(pipeline), pickle.loads(pickle.dumps(pipeline))):
        assert type(other) is BackendTokenizer
        assert other.to_str() == pipeline.to_str()
        assert other.encode("other").ids == [0]


def test_settings_change_only_where_a_component_has_them() -> None:
    byte_level = processors.ByteLevel(trim_offsets=True)
    assert changed(byte_level, trim_offsets=True, lowercase=False) is byte_level
    assert changed(byte_level, trim_offsets=False).to_json()["trim_offsets"] is False


# --- calls -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
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


# --- files -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
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


@pytest.mark.parametrize("family", FAMILIES)
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


@pytest.mark.parametrize("family", FAMILIES)
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
    for family in FAMILIES:
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


# --- training ----------------------------------------------------------------------------------------


def lines() -> list[str]:
    return [line for line in data.text("english").splitlines() if line.strip()]


@pytest.mark.parametrize("family", FAMILIES)
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


def test_the_fast_and_the_aligned_rules_of_a_model_file_agree(folders: Path) -> None:
    pipeline = fast_one(folders, "t5").backend_tokenizer
    text = "a\r\nb\tc\rd\ne\x07f\x00g  h\x7fi"
    from_alignments = [pipeline.token_to_id(token) for token in pipeline.encode.record(text).result.tokens]
    assert [id for id in pipeline.encode(text).ids if id != 2] == [id for id in from_alignments if id is not None]
