"""The pipeline of a fast tokenizer, with the rules of tokenizers 0.13.3."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path

import pytest

from tests.libraries.transformers.fast_tokenizers import fast_one, word_level
from tokenlab.libraries.tokenizers import Tokenizer, models, normalizers, processors
from tokenlab.libraries.transformers import AddedToken
from tokenlab.libraries.transformers.tokenization.backend_tokenizer import (
    BackendTokenizer,
    changed,
    legacy_fields,
)


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


def test_the_fast_and_the_aligned_rules_of_a_model_file_agree(folders: Path) -> None:
    pipeline = fast_one(folders, "t5").backend_tokenizer
    text = "a\r\nb\tc\rd\ne\x07f\x00g  h\x7fi"
    from_alignments = [pipeline.token_to_id(token) for token in pipeline.encode.record(text).result.tokens]
    assert [id for id in pipeline.encode(text).ids if id != 2] == [id for id in from_alignments if id is not None]
