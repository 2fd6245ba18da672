"""BERT's own tokenizer: words, pieces and ids, and what it does with files and names that are wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from tests.strategies import texts
from tokenlab.libraries.bert import tokenization
from tokenlab.libraries.bert.tokenization import (
    BasicTokenizer,
    FullTokenizer,
    WordpieceTokenizer,
    convert_by_vocab,
    convert_ids_to_tokens,
    convert_to_unicode,
    convert_tokens_to_ids,
    load_vocab,
    printable_text,
    validate_case_matches_checkpoint,
    whitespace_tokenize,
)

TOKENS = ["[UNK]", "[CLS]", "un", "##aff", "##able", "want", "##want", "##ed", "wa", "runn", "##ing", ",", "東"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "vocab.txt"
    path.write_text("\n".join([*TOKENS, ""]), encoding="utf-8")
    return path


def written(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "v.txt"
    path.write_bytes(content)
    return path


def test_text_becomes_pieces_and_pieces_ids_and_back(path: Path) -> None:
    tokenizer = FullTokenizer(path)
    pieces = tokenizer.tokenize("UNwant\u00e9d,running 東京")
    assert pieces == ["un", "##want", "##ed", ",", "runn", "##ing", "東", "[UNK]"]
    ids = tokenizer.convert_tokens_to_ids(pieces)
    assert ids == [2, 6, 7, 11, 9, 10, 12, 0]
    assert tokenizer.convert_ids_to_tokens(ids) == pieces


def test_a_cased_tokenizer_keeps_capitals_and_accents(path: Path) -> None:
    assert BasicTokenizer(do_lower_case=False).tokenize(" \tHeLLo!how  \n Are yoU? é") == [
        *("HeLLo", "!", "how", "Are", "yoU", "?", "é")
    ]
    assert FullTokenizer(path, do_lower_case=False).tokenize("Want want") == ["[UNK]", "want"]


def test_words_are_cleaned_lowered_and_cut_at_signs_and_chinese_characters() -> None:
    basic = BasicTokenizer()
    assert basic.tokenize("ah\u535a\u63a8zz") == ["ah", "\u535a", "\u63a8", "zz"]
    assert basic.tokenize("H\u00e9llo e\u0301 \x00a\u200bb\ufffd $5 €5 a\u2028b") == [
        *("hello", "e", "ab", "$", "5", "€5", "a", "b")
    ]
    assert basic.tokenize("") == basic.tokenize(" \u3000\x1c") == []


def test_a_word_with_one_bad_letter_is_lost_and_so_is_one_that_is_too_long() -> None:
    wordpiece = WordpieceTokenizer({"un", "##aff", "##able", "a", "##a"})
    assert wordpiece.tokenize("unaffable unaffableX") == ["un", "##aff", "##able", "[UNK]"]
    assert wordpiece.tokenize("a" * 201) == ["[UNK]"]
    assert wordpiece.tokenize("a" * 200) == ["a", *["##a"] * 199]
    other = WordpieceTokenizer({"a", "##a"}, unk_token="?", max_input_chars_per_word=2)
    assert other.tokenize("aaa aa b") == ["?", "a", "##a", "?"]


def test_words_are_cut_at_all_white_space_of_python() -> None:
    assert WordpieceTokenizer(["a"]).tokenize("a\x1ca\x85a\u2028a\u3000a") == ["a"] * 5


def test_options_that_change_later_count() -> None:
    basic, wordpiece = BasicTokenizer(), WordpieceTokenizer({"ab"})
    basic.do_lower_case, wordpiece.max_input_chars_per_word = False, 1
    assert basic.tokenize("Ab") == ["Ab"]
    assert wordpiece.tokenize("ab") == ["[UNK]"]


@given(texts())
def test_the_steps_end_in_the_same_words(text: str) -> None:
    for lower in (True, False):
        basic = BasicTokenizer(lower)
        assert basic.tokenize.record(text).result == basic.tokenize(text)


def test_the_whole_way_can_be_watched(path: Path) -> None:
    recording = FullTokenizer(path).tokenize.record("Unaffable!")
    assert recording.result == FullTokenizer(path).tokenize("Unaffable!") == ["un", "##aff", "##able", "[UNK]"]
    sentences = [str(step) for step in recording]
    assert sentences[:3] == [
        "clean: nothing changed",
        "space CJK: nothing changed",
        "lowercase words: U became u, at 0",
    ]
    assert "the text is split at whitespace and punctuation into 2 words: unaffable !" in sentences


def test_bytes_are_read_as_utf8_without_what_is_none() -> None:
    assert convert_to_unicode("é") == printable_text("é".encode() + b"\xff") == "é"
    assert BasicTokenizer().tokenize(b"caf\xc3\xa9\xc3 ") == ["cafe"]


@pytest.mark.parametrize("function", [convert_to_unicode, printable_text, BasicTokenizer().tokenize])
def test_what_is_no_text_is_refused(function: Any) -> None:
    with pytest.raises(ValueError, match="text=5 is a int; give a str, or bytes in UTF-8"):
        function(5)


def test_look_ups_give_what_the_vocabulary_has_and_nothing_for_what_it_has_not() -> None:
    vocab = {"[UNK]": 0, "a": 1}
    assert (
        convert_by_vocab(vocab, ["a", "[UNK]", "a"]) == convert_tokens_to_ids(vocab, ["a", "[UNK]", "a"]) == [1, 0, 1]
    )
    assert convert_ids_to_tokens({0: "[UNK]", 1: "a"}, [1, 0]) == ["a", "[UNK]"]
    with pytest.raises(KeyError, match="'b' is not in the vocabulary of 2 entries"):
        convert_tokens_to_ids(vocab, ["a", "b"])
    with pytest.raises(KeyError, match="7 is not in the vocabulary"):
        convert_ids_to_tokens({0: "a"}, [7])


def test_whitespace_is_all_that_words_are_split_at() -> None:
    assert whitespace_tokenize(" \n a, b\u3000c\x1cd ") == ["a,", "b", "c", "d"]


def test_a_vocabulary_file_gives_each_line_its_number(tmp_path: Path) -> None:
    path = written(tmp_path, "[UNK]\r\n the \n##s\né\n日\n".encode())
    assert list(load_vocab(path).items()) == [("[UNK]", 0), ("the", 1), ("##s", 2), ("é", 3), ("日", 4)]
    assert list(load_vocab(str(path))) == list(load_vocab(path))


def test_a_vocabulary_file_without_a_last_line_feed_is_warned_about(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="has no line feed after its last line"):
        assert list(load_vocab(written(tmp_path, b"[UNK]\nthe"))) == ["[UNK]", "the"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty; a vocabulary file has one token per line"),
        (b"a\n\nb\n", "line 2 is empty"),
        (b"a\nb\n\n", "line 3 is empty"),
        (b"a\nb c\n", "line 2 is 'b c': a token has no whitespace inside"),
        (b"a\nb\na\n", "line 3 has 'a' again, after line 1"),
        (b"a\n\xff\n", "not UTF-8: byte 2"),
        (b"a\nb\x00\xc3", "not UTF-8"),
    ],
    ids=["empty", "torn", "torn at the end", "two on a line", "twice", "not UTF-8", "cut off"],
)
def test_a_damaged_vocabulary_file_is_refused_with_its_line(tmp_path: Path, content: bytes, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        FullTokenizer(written(tmp_path, content))


def test_a_missing_vocabulary_file_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no file"):
        load_vocab(tmp_path / "none.txt")


@pytest.mark.parametrize(
    ("lower", "checkpoint"),
    [
        (False, "x/uncased_L-12_H-768_A-12/bert_model.ckpt"),
        (False, "chinese_L-12_H-768_A-12/bert_model.ckpt"),
        (False, "multilingual_L-12_H-768_A-12/bert_model.ckpt-100"),
        (True, "a/b/cased_L-24_H-1024_A-16/bert_model.ckpt"),
        (True, "multi_cased_L-12_H-768_A-12/bert_model.ckpt"),
    ],
)
def test_an_option_that_a_released_model_was_not_trained_with_is_refused(lower: bool, checkpoint: str) -> None:
    with pytest.raises(ValueError, match=f"do_lower_case={lower}, but"):
        validate_case_matches_checkpoint(lower, checkpoint)
    validate_case_matches_checkpoint(not lower, checkpoint)


@pytest.mark.parametrize("checkpoint", [None, "", "my_model/bert_model.ckpt", "uncased_L-12_H-768_A-12/other.ckpt"])
def test_other_checkpoints_are_not_judged(checkpoint: str | None) -> None:
    for lower in (True, False):
        validate_case_matches_checkpoint(lower, checkpoint)


def test_the_questions_about_a_character_have_the_originals_names() -> None:
    whitespace, control, punctuation = (
        {character for character in map(chr, range(0x3100)) if asked(character)}
        for asked in (tokenization._is_whitespace, tokenization._is_control, tokenization._is_punctuation)
    )
    assert whitespace >= set(" \t\n\r\u00a0\u2003\u3000") and not whitespace & set("a-\x0b\u200b\u2028")
    assert control >= set("\x00\x0b\x7f\u00ad\u200b\u202e") and not control & set("a \t\n\r")
    assert punctuation >= set("!$`~\u00bf\u3002") and not punctuation & set("a \u20ac")
    assert not (whitespace & control or control & punctuation or punctuation & whitespace)


def test_a_text_is_cleaned_and_split_by_the_same_three_questions() -> None:
    for character in map(chr, range(1, 0x3100)):
        words = BasicTokenizer(do_lower_case=False).tokenize(f"a{character}b")
        apart = tokenization._is_whitespace(character) or character in "\u2028\u2029"
        if tokenization._is_control(character):
            # The separators among the controls (FS, GS, RS, US, NEL) are removed before the text is split at spaces.
            assert words == ["ab"]
        elif apart:
            assert words == ["a", "b"]
        elif tokenization._is_punctuation(character):
            assert words == ["a", character, "b"]
        else:
            assert "".join(words) == f"a{character}b"
