"""The encoders under tensor2tensor's names: files, bad input, and what a learner may forget."""

from __future__ import annotations

import logging
import os
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tokenlab.libraries.tensor2tensor import text_encoder, tokenizer
from tokenlab.libraries.tensor2tensor.text_encoder import (
    ByteTextEncoder,
    ClassLabelEncoder,
    OneHotClassLabelEncoder,
    SubwordTextEncoder,
    TextEncoder,
    TokenEncoded,
    TokenTextEncoder,
    native_to_unicode,
    strip_ids,
    subtokens_of,
    to_unicode,
)
from tokenlab.storage import files

LINES = ["so cool, so hot", "cool water", "the_end \\ of 日本"]


@pytest.fixture
def encoder() -> SubwordTextEncoder:
    return SubwordTextEncoder.build_from_generator(LINES, 60)


def encoder_of(path: Path, text: str) -> SubwordTextEncoder:
    path.write_bytes(text.encode())
    return SubwordTextEncoder(str(path))


# --- encoding and decoding --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", [*LINES, "", " ", "a_b", "_", "\\u\\\\_", "né\n👩‍👩‍👧 \ud83d \x00", "so cool " * 3, " so "]
)
def test_every_text_comes_back(encoder: SubwordTextEncoder, text: str) -> None:
    assert encoder.decode(encoder.encode(text)) == text
    assert encoder.decode(encoder.encode_without_tokenizing(text)) == text


def test_bytes_are_taken_for_utf8(encoder: SubwordTextEncoder) -> None:
    assert encoder.encode("日本".encode()) == encoder.encode("日本")  # type: ignore[arg-type]
    assert encoder.encode(b"so\xff") == encoder.encode("so")  # type: ignore[arg-type]


def test_a_text_taken_for_one_token_keeps_its_blank_as_a_character(encoder: SubwordTextEncoder) -> None:
    assert "".join(encoder.decode_list(encoder.encode_without_tokenizing("so hot"))) == "so hot_"
    assert "".join(encoder.decode_list(encoder.encode("so hot"))) == "so_hot_"
    assert encoder.encode_without_tokenizing("so") == encoder.encode("so")


def test_the_steps_are_the_tokens(encoder: SubwordTextEncoder) -> None:
    recording = encoder.encode.record("so é")
    first, second = recording.steps
    assert first == TokenEncoded("so", "so_", ("so_",), tuple(encoder.encode("so")))
    assert (second.token, second.escaped) == ("é", "\\233;_")
    assert [*first.ids, *second.ids] == recording.result == encoder.encode("so é")
    assert str(first) == f"so is escaped as so_ and split into so_: id {first.ids[0]}"


def test_ids_that_are_remembered_are_not_changed_by_the_caller(encoder: SubwordTextEncoder) -> None:
    encoder.encode("so").append(99)
    assert encoder.decode(encoder.encode("so")) == "so"


def test_what_is_remembered_has_an_end(encoder: SubwordTextEncoder) -> None:
    encoder.CACHED = 2  # type: ignore[misc]
    for number in range(9):
        assert encoder.decode(encoder.encode(f"so {number}")) == f"so {number}"
        assert len(encoder._cache) <= 2


def test_reserved_ids_are_stripped_from_the_end_only_and_only_on_demand(encoder: SubwordTextEncoder) -> None:
    ids = [1, *encoder.encode("so"), 0, *encoder.encode("hot"), 1, 0]
    assert encoder.decode(ids) == "<EOS>so<pad>hot<EOS><pad>"
    assert encoder.decode(ids, strip_extraneous=True) == "<EOS>so<pad>hot"


def test_ids_that_do_not_exist_are_left_out(encoder: SubwordTextEncoder) -> None:
    assert encoder.decode([-1, *encoder.encode("so"), encoder.vocab_size]) == "so"
    assert encoder.decode_list([-1, encoder.vocab_size]) == ["", ""]


def test_texts_that_keep_their_line_ends_make_one_subtoken_of_it() -> None:
    encoder = SubwordTextEncoder.build_from_generator(["so\n", "cool\n"], 40)
    assert "\n" in encoder.all_subtoken_strings
    assert encoder.decode_list(encoder.encode("\n")) == ["\\10;_"]


def test_dump_prints_ids_in_order(encoder: SubwordTextEncoder, capsys: pytest.CaptureFixture[str]) -> None:
    encoder.dump()
    said = capsys.readouterr().out
    assert said.startswith("0 : '<pad>_', 1 : '<EOS>_', 2 : ")


# --- building -------------------------------------------------------------------------------------


def test_building_again_forgets_what_was(encoder: SubwordTextEncoder) -> None:
    before = encoder.encode("so")
    encoder.build_from_token_counts({"os": 3}, 9)
    assert encoder.encode("so") != before
    assert encoder.decode(encoder.encode("so")) == "so"


def test_without_a_round_reserved_tokens_stand_unescaped_and_no_text_meets_them() -> None:
    encoder = SubwordTextEncoder()
    encoder.build_from_token_counts({"<pad>": 5}, 1, num_iterations=0)
    assert encoder.all_subtoken_strings[:2] == ("<pad>", "<EOS>")
    assert encoder.decode_list(encoder.encode_without_tokenizing("<pad>")) == [*"<pad>_"]


def test_a_subclass_builds_its_own_kind() -> None:
    class Mine(SubwordTextEncoder):
        pass

    assert type(Mine.build_from_generator(LINES, 60)) is Mine


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target_size": 0}, "must be positive"),
        ({"min_val": 5, "max_val": 4}, "greater than"),
        ({"reserved_tokens": ["<EOS>"]}, "must begin with"),
        ({"token_counts": {b"so": 1}}, "must be a str"),
    ],
)
def test_what_cannot_be_built_is_refused(options: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"target_size": 50, "token_counts": {"so": 3}, "min_val": 1, "max_val": 9} | options
    with pytest.raises(ValueError, match=message):
        SubwordTextEncoder.build_to_target_size(**given)


def test_an_encoder_without_subtokens_says_what_to_do() -> None:
    uses: list[Any] = [lambda e: e.encode("so"), lambda e: e.vocab_size, lambda e: e.store_to_file("x")]
    for use in (*uses, lambda e: e.dump(), lambda e: e.all_subtoken_strings, lambda e: e.decode([0])):
        with pytest.raises(AttributeError, match="load a vocabulary file, or build"):
            use(SubwordTextEncoder())
    with pytest.raises(AttributeError, match="no attribute 'encodes'"):
        SubwordTextEncoder().encodes("so")  # type: ignore[attr-defined]


@pytest.mark.parametrize("wrong", [None, 5, ["so"]])
def test_what_is_no_text_is_told(encoder: SubwordTextEncoder, wrong: Any) -> None:
    with pytest.raises(AttributeError, match="give a str, or bytes"):
        encoder.encode(wrong)


# --- vocabulary files -----------------------------------------------------------------------------


@pytest.mark.parametrize("lines", [LINES, ["so\n", 'it\'s "cool"\n', "' \t'\r\n", "\u2028 \x85"]])
def test_what_is_stored_is_loaded(lines: list[str], tmp_path: Path) -> None:
    encoder = SubwordTextEncoder.build_from_generator(lines, 60)
    encoder.store_to_file(tmp_path / "vocabulary")
    loaded = SubwordTextEncoder(str(tmp_path / "vocabulary"))
    assert loaded.all_subtoken_strings == encoder.all_subtoken_strings
    assert loaded.filename == str(tmp_path / "vocabulary")
    for line in [*lines, "unseen_ é"]:
        assert loaded.encode(line) == encoder.encode(line)


def test_a_subtoken_a_line_in_single_quotes_or_without(encoder: SubwordTextEncoder, tmp_path: Path) -> None:
    encoder.store_to_file(tmp_path / "quoted")
    encoder.store_to_file(tmp_path / "bare", add_single_quotes=False)
    assert (tmp_path / "quoted").read_bytes().decode().split("\n")[:2] == ["'<pad>_'", "'<EOS>_'"]
    assert (tmp_path / "bare").read_bytes().decode().split("\n")[:2] == ["<pad>_", "<EOS>_"]


def test_quotes_of_both_kinds_and_none_are_read(tmp_path: Path) -> None:
    loaded = encoder_of(tmp_path / "mixed", "a_\n'b_'\n\"c_\"\r\n_\n")
    assert loaded.all_subtoken_strings == ("a_", "b_", "c_", "_")


@pytest.mark.parametrize(
    ("text", "number"),
    [("'a_'\n'b\n'_'\n", 2), ("'a_'\nb'\n", 2), ("'a_'\n'_'\n'", 3), ("'a_'\n\n", 2), ("'a_'\n_", 2)],
)
def test_a_torn_line_is_named(text: str, number: int, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"line {number} of .* is truncated"):
        encoder_of(tmp_path / "torn", text)


def test_every_cut_through_a_line_is_noticed(encoder: SubwordTextEncoder, tmp_path: Path) -> None:
    encoder.store_to_file(tmp_path / "whole")
    content = (tmp_path / "whole").read_bytes()
    for end in range(len(content) - 40, len(content) - 1):
        line = content[:end].decode(errors="ignore").rpartition("\n")[2]
        (tmp_path / "cut").write_bytes(content[:end])
        if line and not (len(line) > 1 and line.endswith("'")):
            with pytest.raises(ValueError, match=r"truncated|not UTF-8"):
                SubwordTextEncoder(str(tmp_path / "cut"))


def test_a_missing_an_empty_and_a_foreign_file_are_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no file"):
        SubwordTextEncoder(str(tmp_path / "none"))
    with pytest.raises(ValueError, match="is empty"):
        encoder_of(tmp_path / "empty", "")
    (tmp_path / "foreign").write_bytes(b"'a_'\n'\xff'\n")
    with pytest.raises(ValueError, match="not UTF-8"):
        SubwordTextEncoder(str(tmp_path / "foreign"))


def test_a_character_that_the_vocabulary_cannot_spell_is_named(tmp_path: Path) -> None:
    loaded = encoder_of(tmp_path / "small", "'a_'\n'ab'\n'_'\n")
    assert loaded.encode("a") == [0]
    for text, missing in ("b", "b"), ("é", r"\\\\"):
        with pytest.raises(AssertionError, match=f"but '{missing}' is not"):
            loaded.encode(text)
        with pytest.raises(ValueError, match="must be in the vocabulary"):
            loaded.encode_without_tokenizing(text)


def test_a_store_that_fails_leaves_the_old_file(encoder: SubwordTextEncoder, tmp_path: Path) -> None:
    path = tmp_path / "vocabulary"
    encoder.store_to_file(path)
    before = path.read_bytes()
    odd = SubwordTextEncoder()
    odd.build_from_token_counts({"\ud83d": 1}, 1)
    with pytest.raises(ValueError, match=r"'\\ud83d.*lone surrogate"):
        odd.store_to_file(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["vocabulary"]
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        encoder.store_to_file(tmp_path / "none" / "vocabulary")


def test_without_quotes_blanks_are_lost_as_in_the_library(tmp_path: Path) -> None:
    (tmp_path / "bare").write_bytes(b"a_\n \n'\n_\n")
    with pytest.warns(UserWarning, match="bare has the subtoken '' twice, with the ids 1 and 2"):
        assert subtokens_of(files.read_lines(tmp_path / "bare"), "bare") == ["a_", "", "", "_"]


def test_a_file_without_a_last_line_feed_is_warned_about(tmp_path: Path) -> None:
    (tmp_path / "v").write_bytes(b"'a_'\n'b'")
    with pytest.warns(UserWarning, match="v has no line feed after its last line"):
        assert subtokens_of(files.read_lines(tmp_path / "v"), tmp_path / "v") == ["a_", "b"]


def test_a_duplicate_subtoken_is_warned_about(tmp_path: Path) -> None:
    (tmp_path / "v").write_bytes(b"'a_'\n'b'\n'a_'\n")
    with pytest.warns(UserWarning, match="v has the subtoken 'a_' twice, with the ids 0 and 2"):
        assert subtokens_of(files.read_lines(tmp_path / "v"), tmp_path / "v") == ["a_", "b", "a_"]


# --- the smaller encoders, and tokens in files ------------------------------------------------------


def test_text_as_bytes_and_bytes_as_text() -> None:
    assert native_to_unicode("né".encode()) == native_to_unicode("né") == "né"
    with pytest.raises(UnicodeDecodeError):
        to_unicode(b"\xff")
    assert strip_ids(iter([0, 2, 0, 1]), {0, 1}) == [0, 2]


def test_numbers_and_bytes_behind_reserved_ids() -> None:
    assert TextEncoder(5).encode("1 2") == [6, 7]
    assert TextEncoder().num_reserved_ids == 2
    with pytest.raises(NotImplementedError):
        TextEncoder().vocab_size  # noqa: B018
    assert ByteTextEncoder().decode([2 + 0xC3, 0], strip_extraneous=True) == "\ufffd"
    assert ByteTextEncoder().vocab_size == 258
    with pytest.raises(struct.error, match="there is no id 258"):
        ByteTextEncoder().decode([258])


def test_labels(tmp_path: Path) -> None:
    (tmp_path / "labels").write_text("cat\ndog \n", encoding="utf-8")
    labels = ClassLabelEncoder(class_labels_fname=str(tmp_path / "labels"))
    assert (labels.encode("dog"), labels.decode(1), labels.decode([0]), labels.vocab_size) == (1, "dog", "cat", 2)
    assert labels.decode_list([1, 0]) == ["dog", "cat"]
    with pytest.raises(ValueError, match="'cow' is not a label; the labels are: 'cat', 'dog'"):
        labels.encode("cow")
    for wrong in (lambda: labels.decode([0, 1]), lambda: ClassLabelEncoder()):
        with pytest.raises(AssertionError, match=r"."):
            wrong()


def test_words_that_are_no_tokens() -> None:
    tokens = TokenTextEncoder(None, vocab_list=["so", "<EOS>", "cool"])
    assert tokens.encode("cool so") == [3, 2]
    assert tokens.vocab_size == 4
    assert tokens.decode([3, 7]) == "cool ID_7"
    with pytest.raises(KeyError, match="'hot' is not in the vocabulary"):
        tokens.encode("so hot")
    with pytest.raises(AssertionError, match="give vocab_filename"):
        TokenTextEncoder(None)


def test_tokens_are_counted_in_files_up_to_a_line(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_bytes(b"so hot\n so\r\n")
    (tmp_path / "a.txt").write_bytes(b"cool, so\nso\n")
    pattern = str(tmp_path / "*.txt")
    assert tokenizer.corpus_token_counts(pattern, 0) == {"so": 4, "cool": 1, ", ": 1, "hot": 1}
    assert tokenizer.corpus_token_counts(pattern, 3) == {"so": 3, "cool": 1, ", ": 1, "hot": 1}
    whole = tokenizer.corpus_token_counts(pattern, None, split_on_newlines=False)
    assert whole["\n"] == 2 and whole["\n "] == 1 and whole["\r\n"] == 1
    assert tokenizer.corpus_token_counts(pattern, 1, split_on_newlines=False) == {"so": 1, "cool": 1, ", ": 1, "\n": 1}
    assert tokenizer.corpus_token_counts(str(tmp_path / "none*"), 0) == {}


def test_counts_are_read_from_two_columns(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "counts").write_bytes(b"so,3\nno comma\n,,2\n")
    with caplog.at_level(logging.WARNING):
        assert tokenizer.vocab_token_counts(str(tmp_path / "counts"), 0) == {"so": 3, ",": 2}
    assert "line 1 has no comma" in caplog.text
    assert tokenizer.vocab_token_counts(str(tmp_path / "counts"), 1) == {"so": 3}
    (tmp_path / "counts").write_bytes(b"so,x\n")
    with pytest.raises(ValueError, match=r"line 0 of .*'so,x'.* an integer"):
        tokenizer.vocab_token_counts(str(tmp_path / "counts"), 0)


def test_an_empty_token_cannot_be_joined() -> None:
    with pytest.raises(IndexError, match="is empty"):
        tokenizer.decode(["so", ""])


def test_the_names_of_the_module_are_the_librarys() -> None:
    assert (text_encoder.PAD, text_encoder.EOS, text_encoder.PAD_ID, text_encoder.EOS_ID) == ("<pad>", "<EOS>", 0, 1)
    assert text_encoder.RESERVED_TOKENS == ["<pad>", "<EOS>"]
    assert text_encoder.RESERVED_TOKENS_BYTES == [b"<pad>", b"<EOS>"]
    assert text_encoder.NUM_RESERVED_TOKENS == 2


# --- names that the library's users and its own tests import ---------------------------------------


def test_a_size_below_the_alphabet_gives_the_smallest_vocabulary_and_a_warning() -> None:
    counts = {"tea": 3, "cup": 2}
    with pytest.warns(UserWarning, match=r"target_size=10 is smaller than the alphabet .* will be larger"):
        encoder = SubwordTextEncoder.build_to_target_size(10, counts, 2, 10)
    assert {*"teacup"} <= {*encoder.all_subtoken_strings} and encoder.vocab_size > 10
    assert encoder.decode(encoder.encode("a cup, tea")) == "a cup, tea"


def test_tokens_are_escaped_and_unescaped_under_the_librarys_names() -> None:
    alphabet = set("cup_") | text_encoder._ESCAPE_CHARS
    assert text_encoder._escape_token("cup_\\é\n", alphabet) == "cup\\u\\\\\\233;\\10;_"
    assert text_encoder._unescape_token("cup\\u\\\\\\233;\\10;_") == "cup_\\é\n"


def test_the_characters_of_escapes_are_looked_up_when_a_vocabulary_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = {"tea": 3, "cup": 2}
    complete = SubwordTextEncoder.build_to_target_size(40, counts, 1, 10)
    monkeypatch.setattr(text_encoder, "_ESCAPE_CHARS", set("\\_u;0"))
    without_digits = SubwordTextEncoder.build_to_target_size(30, counts, 1, 10)
    assert complete.decode(complete.encode("Tea")) == "Tea"
    assert without_digits._alphabet == complete._alphabet - set("123456789")
    with pytest.raises(ValueError):
        without_digits.encode("Tea")


def test_a_vocabulary_is_read_from_an_open_file(encoder: SubwordTextEncoder, tmp_path: Path) -> None:
    path = tmp_path / "so.subwords"
    encoder.store_to_file(path)
    read = SubwordTextEncoder()
    with path.open(encoding="utf-8") as file:
        read._load_from_file_object(file)
    assert read.all_subtoken_strings == encoder.all_subtoken_strings
    assert read._alphabet == SubwordTextEncoder(path)._alphabet
    for lines in (["so", "hot"], ['"so"\n', '"hot"\n'], [b"'so'\n", b"'hot'\n"]):
        read._load_from_file_object(lines)
        assert read.all_subtoken_strings == ("so", "hot")
        assert (read._subtoken_string_to_id, read._max_subtoken_len) == ({"so": 0, "hot": 1}, 3)
    with pytest.raises(ValueError, match="is empty"):
        read._load_from_file_object([])


def test_an_escaped_token_is_split_under_the_librarys_names(encoder: SubwordTextEncoder) -> None:
    subtokens = encoder._escaped_token_to_subtoken_strings("so_")
    assert "".join(subtokens) == "so_"
    assert encoder._escaped_token_to_subtoken_ids("so_") == encoder.encode("so")


def test_one_hot_vectors_stand_for_labels() -> None:
    encoder = OneHotClassLabelEncoder(["cat", "dog", "owl"])
    assert [encoder.encode(label) for label in ("cat", "dog", "owl")] == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert encoder.encode("dog", on_value=7, off_value=-1) == [-1, 7, -1]
    assert encoder.decode([0, 0, 1]) == encoder.decode(np.array([[0], [0], [1]])) == "owl"
    assert encoder.vocab_size == 3
    with pytest.raises(ValueError, match="is not a label"):
        encoder.encode("cow")
    with pytest.raises(AssertionError, match="should be a list of 3 numbers"):
        encoder.decode([0, 1])
    with pytest.raises(ValueError, match="has no 1"):
        encoder.decode([0, 0, 0])
