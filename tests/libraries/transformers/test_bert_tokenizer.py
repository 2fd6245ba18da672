"""The slow BERT tokenizer: words, pieces, special tokens, and the vocabulary file."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.strategies import texts
from tests.tokenizer_folders import write_folder
from tokenlab.libraries.transformers import BertTokenizer
from tokenlab.libraries.transformers.models.bert.tokenization_bert import BasicTokenizer, WordpieceTokenizer, load_vocab

VOCAB = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "un", "##aff", "##able", "cafe", "##s", "!")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder("bert", tmp_path_factory.mktemp("bert"))


@pytest.fixture
def tokenizer(tmp_path: Path) -> Any:
    return BertTokenizer(vocab(tmp_path))


def vocab(folder: Path, content: str = "".join(f"{token}\n" for token in VOCAB)) -> str:
    path = folder / "vocab.txt"
    path.write_text(content, encoding="utf-8", newline="\n")
    return str(path)


# --- words ----------------------------------------------------------------------------------------


def test_the_case_and_accents_are_independent_options() -> None:
    def words(**options: Any) -> list[str]:
        return BasicTokenizer(**options).tokenize("Café")

    assert words() == ["cafe"]
    assert words(strip_accents=False) == ["café"]
    assert words(do_lower_case=False) == ["Café"]
    assert words(do_lower_case=False, strip_accents=True) == ["Cafe"]


def test_options_may_change_after_texts_were_tokenized() -> None:
    tokenizer = BasicTokenizer()
    assert tokenizer.tokenize("Café") == ["cafe"]
    tokenizer.do_lower_case = False
    assert tokenizer.tokenize("Café") == ["Café"]
    tokenizer.strip_accents = True
    assert tokenizer.tokenize("Café") == ["Cafe"]


def test_chinese_characters_are_words_unless_the_option_is_off() -> None:
    assert BasicTokenizer().tokenize("a東京b") == ["a", "東", "京", "b"]
    assert BasicTokenizer(tokenize_chinese_chars=False).tokenize("a東京b") == ["a東京b"]


def test_words_are_never_split_before_and_after_lowercasing() -> None:
    tokenizer = BasicTokenizer(never_split=["[A]"])
    assert tokenizer.tokenize("[A] [B]x [B]", never_split=["[b]"]) == ["[A]", "[", "b", "]", "x", "[b]"]
    assert tokenizer.tokenize("[b]") == ["[", "b", "]"]


def test_private_use_and_unassigned_characters_are_removed() -> None:
    assert BasicTokenizer().tokenize("a\ue000b\U000e0fff \ud800 c\x00\ufffd\u200b") == ["ab", "c"]


@given(texts(), st.booleans(), st.none() | st.booleans(), st.booleans())
@examples(100)
def test_recorded_rules_give_the_words(text: str, lower: bool, strip: bool | None, chinese: bool) -> None:
    tokenizer = BasicTokenizer(lower, None, chinese, strip)
    recording = tokenizer.tokenize.record(text)
    assert recording.result == tokenizer.tokenize(text)
    assert len(list(recording.steps)) == 2 + chinese + lower + 2 * tokenizer._strips_accents()


def test_an_overridden_rule_is_called() -> None:
    class Loud(BasicTokenizer):
        def _run_strip_accents(self, text: str) -> str:
            return text.upper()

    assert Loud().tokenize("don't") == ["DON", "'", "T"]
    tokenizer = BasicTokenizer()
    tokenizer._is_chinese_char = lambda cp: cp == ord("x")  # type: ignore[method-assign]
    assert tokenizer.tokenize("axb東") == ["a", "x", "b東"]


# --- pieces ---------------------------------------------------------------------------------------


def test_a_word_is_covered_from_the_left_or_unknown() -> None:
    pieces = WordpieceTokenizer(dict.fromkeys(VOCAB, 0), unk_token="[UNK]")
    assert pieces.tokenize("unaffable unaffablex\x1ccafes") == ["un", "##aff", "##able", "[UNK]", "cafe", "##s"]
    pieces.max_input_chars_per_word = 4
    assert pieces.tokenize("cafe cafes") == ["cafe", "[UNK]"]


def test_a_replaced_token_of_the_vocabulary_is_found() -> None:
    vocab = {"[UNK]": 0, "[unused]": 1, "a": 2}
    pieces = WordpieceTokenizer(vocab, unk_token="[UNK]")
    assert pieces.tokenize("dog a") == ["[UNK]", "a"]
    vocab["dog"] = vocab.pop("[unused]")
    assert pieces.tokenize("dog a") == ["dog", "a"]


def test_steps_of_the_pieces_end_in_the_pieces() -> None:
    pieces = WordpieceTokenizer(dict.fromkeys(VOCAB, 0), unk_token="[UNK]")
    recording = pieces.tokenize.record("unable x")
    assert recording.result == pieces.tokenize("unable x") == ["un", "##able", "[UNK]"]


def test_without_basic_tokenization_only_whitespace_splits(tmp_path: Path) -> None:
    tokenizer = BertTokenizer(vocab(tmp_path), do_basic_tokenize=False)
    assert tokenizer.tokenize("cafe! cafe") == ["[UNK]", "cafe"]
    with pytest.raises(AttributeError):
        tokenizer.do_lower_case  # noqa: B018


def test_never_split_words_stay_whole_although_they_are_unknown(tmp_path: Path) -> None:
    tokenizer = BertTokenizer(vocab(tmp_path), never_split=["x!"])
    assert tokenizer.tokenize("x! cafe!") == ["x!", "cafe", "!"]
    assert tokenizer.convert_tokens_to_ids("x!") == tokenizer.unk_token_id == 1


# --- ids ------------------------------------------------------------------------------------------


def test_two_texts_have_three_special_tokens_and_two_types(tokenizer: Any) -> None:
    encoded = tokenizer("cafe", "cafes", return_special_tokens_mask=True)
    assert tokenizer.convert_ids_to_tokens(encoded["input_ids"]) == ["[CLS]", "cafe", "[SEP]", "cafe", "##s", "[SEP]"]
    assert encoded["token_type_ids"] == [0, 0, 0, 1, 1, 1]
    assert encoded["special_tokens_mask"] == [1, 0, 1, 0, 0, 1]
    assert tokenizer.num_special_tokens_to_add() == 2


def test_ids_outside_the_vocabulary_are_unknown(tokenizer: Any) -> None:
    assert tokenizer.convert_ids_to_tokens([5, 99, -1]) == ["un", "[UNK]", "[UNK]"]


def test_decoding_joins_pieces(tokenizer: Any) -> None:
    assert tokenizer.decode(tokenizer("unaffable cafes!")["input_ids"], skip_special_tokens=True) == "unaffable cafes!"


# --- files ----------------------------------------------------------------------------------------


def test_the_saved_vocabulary_has_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    tokenizer = BertTokenizer.from_pretrained(folder)
    (path,) = tokenizer.save_vocabulary(str(tmp_path), "my")
    assert Path(path).name == "my-vocab.txt"
    assert Path(path).read_bytes() == (folder / "vocab.txt").read_bytes()
    assert tokenizer.save_vocabulary(str(tmp_path / "new.txt")) == (str(tmp_path / "new.txt"),)
    assert load_vocab(tmp_path / "new.txt") == tokenizer.vocab


def test_a_missing_vocabulary_is_a_value_error() -> None:
    with pytest.raises(ValueError, match=r"vocab_file='nowhere' does not exist; give the path of a vocab.txt"):
        BertTokenizer("nowhere")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        load_vocab("nowhere")


@pytest.mark.parametrize(
    ("content", "message", "size"),
    [
        ("", "is empty", 0),
        ("a\nb\na\n", "has 'a' in line 1 and again in line 3", 2),
        ("a\nb", "no line feed after its last line, 'b'", 2),
    ],
)
def test_odd_vocabularies_are_loaded_with_a_warning(tmp_path: Path, content: str, message: str, size: int) -> None:
    with pytest.warns(UserWarning, match=message):
        assert len(load_vocab(vocab(tmp_path, content))) == size


def test_the_later_id_of_a_token_counts_and_the_gap_is_reported_when_saved(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="again in line 3"):
        tokenizer = BertTokenizer(vocab(tmp_path, "a\n[UNK]\na\n"))
    assert tokenizer.vocab == {"a": 2, "[UNK]": 1}
    with pytest.warns(UserWarning, match="the ids of tokens have a gap: 0 is missing"):
        tokenizer.save_vocabulary(str(tmp_path))


def test_line_ends_of_all_systems_and_spaces_around_tokens(tmp_path: Path) -> None:
    assert list(load_vocab(vocab(tmp_path, "a\r\nb\rc\n d \n\n\u2028\n"))) == ["a", "b", "c", " d ", "", "\u2028"]


def test_damaged_text_names_the_place(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_bytes(b"a\n\xff\n")
    with pytest.raises(ValueError, match=r"vocab.txt is not UTF-8: byte 2 \(line 2\)"):
        BertTokenizer(str(tmp_path / "vocab.txt"))


def test_an_unknown_id_has_no_text_if_there_is_no_unknown_token(tokenizer: Any) -> None:
    assert tokenizer.decode([-1, 5]) == "[UNK] un"
    tokenizer.unk_token = None
    assert tokenizer.convert_ids_to_tokens([-1, 5]) == [None, "un"]
    with pytest.raises(TypeError, match=r"token_ids has -1, which is no id of this tokenizer"):
        tokenizer.decode([-1, 5])


def test_a_pickled_tokenizer_has_the_same_results(folder: Path) -> None:
    tokenizer = BertTokenizer.from_pretrained(folder)
    before = tokenizer("The cat, [MASK]")
    with warnings.catch_warnings(action="error"):
        copied = pickle.loads(pickle.dumps(tokenizer))
    assert copied("The cat, [MASK]") == before
    assert copied.wordpiece_tokenizer._encoder is None or copied is not tokenizer
