"""The slow tokenizers of GPT-2 and RoBERTa: files, merges, special tokens, spaces."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.strategies import texts
from tests.tokenizer_folders import write_folder
from tokenlab.algorithms.bpe.encode import encode_in_order
from tokenlab.algorithms.bpe.train import train
from tokenlab.libraries.transformers import GPT2Tokenizer, RobertaTokenizer
from tokenlab.libraries.transformers.models.gpt2.tokenization_gpt2 import bytes_to_unicode, encode_by_rounds, get_pairs

CLASSES: dict[str, Any] = {"gpt2": GPT2Tokenizer, "roberta": RobertaTokenizer}
MERGES = "#version: 0.2\na a\naa b\n"


@pytest.fixture(scope="module", params=CLASSES)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(request.param, tmp_path_factory.mktemp("family") / request.param)


@pytest.fixture
def tokenizer(folder: Path) -> Any:
    return CLASSES[folder.name].from_pretrained(folder)


def files(folder: Path, vocab: str = '{"a": 0, "b": 1, "aa": 2, "aab": 3}', merges: str = MERGES) -> tuple[str, str]:
    for name, text in (("vocab.json", vocab), ("merges.txt", merges)):
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    return str(folder / "vocab.json"), str(folder / "merges.txt")


# --- merging --------------------------------------------------------------------------------------


@given(st.lists(st.text("abc", min_size=1, max_size=8), min_size=1), st.text("abc", max_size=12))
@examples(100)
def test_rounds_agree_with_the_merge_list_in_training_order(words: list[str], word: str) -> None:
    merges = train({each: words.count(each) for each in words}, vocab_size=9)
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    assert encode_by_rounds(word, ranks) == encode_in_order(word, merges)


def test_a_round_merges_a_pair_everywhere_before_the_next_is_chosen() -> None:
    assert encode_by_rounds("aaaa", {("aa", "a"): 0, ("a", "a"): 1}) == ("aa", "aa")
    assert encode_by_rounds("", {}) == ()


def test_each_step_has_the_symbols_after_it() -> None:
    recording = encode_by_rounds.record("aaab", {("a", "a"): 0, ("a", "b"): 1})
    assert [step.symbols for step in recording.steps] == [("aa", "a", "b"), ("aa", "ab")]


def test_later_merges_of_the_same_pair_count_and_merges_of_other_lengths_do_not(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="line 3: 'a a b' is not two symbols"):
        tokenizer = GPT2Tokenizer(*files(tmp_path, merges="#version\nb a\na a b\na a\nb a\n"))
    assert tokenizer.bpe_ranks == {("b", "a"): 3, ("a", "a", "b"): 1, ("a", "a"): 2}
    assert tokenizer.bpe("baa") == "b aa"


def test_bpe_may_be_overridden(folder: Path) -> None:
    class Characters(CLASSES[folder.name]):  # type: ignore[misc]
        def bpe(self, token: str) -> str:
            return " ".join(token)

    assert Characters(folder / "vocab.json", folder / "merges.txt").tokenize("the cat") == list("theĠcat")


# --- texts ----------------------------------------------------------------------------------------


@given(text=texts(surrogates=False))
@examples(50)
def test_decoding_gives_the_text_back(text: str) -> None:
    tokenizer = ROUND_TRIP["tokenizer"]
    assert tokenizer.convert_tokens_to_string(tokenizer.tokenize(text)) == text


@pytest.fixture(scope="module", autouse=True)
def round_trip_tokenizer(tmp_path_factory: pytest.TempPathFactory) -> None:
    ROUND_TRIP["tokenizer"] = GPT2Tokenizer.from_pretrained(write_folder("gpt2", tmp_path_factory.mktemp("gpt2")))


ROUND_TRIP: dict[str, Any] = {}


def test_an_option_puts_a_space_before_the_text(folder: Path) -> None:
    tokenizer = CLASSES[folder.name].from_pretrained(folder, add_prefix_space=True)
    assert tokenizer.tokenize("the") == ["Ġthe"]
    assert tokenizer.tokenize("the", add_prefix_space=False) == ["t", "he"]
    # RoBERTa adds no space to a text that is empty or starts with one.
    doubled = folder.name == "gpt2"
    assert tokenizer.tokenize(" the") == (["Ġ", "Ġthe"] if doubled else ["Ġthe"])
    assert tokenizer.tokenize("") == (["Ġ"] if doubled else [])


def test_words_of_a_split_text_begin_with_spaces(tokenizer: Any) -> None:
    ids = tokenizer(["the", "cat"], is_split_into_words=True, add_special_tokens=False)["input_ids"]
    assert tokenizer.decode(ids) == " the cat"


def test_bytes_that_are_not_utf8_are_decoded_as_the_option_says(folder: Path) -> None:
    def text(errors: str) -> Any:
        return CLASSES[folder.name].from_pretrained(folder, errors=errors).convert_tokens_to_string(["a", "Ã"])

    assert text("replace") == "a\ufffd"
    assert text("ignore") == "a"
    with pytest.raises(UnicodeDecodeError):
        text("strict")
    with pytest.raises(KeyError):
        CLASSES[folder.name].from_pretrained(folder).convert_tokens_to_string(["日"])


def test_lone_surrogates_have_no_bytes(tokenizer: Any) -> None:
    with pytest.raises(UnicodeEncodeError):
        tokenizer.tokenize("a\ud800")


# --- special tokens -------------------------------------------------------------------------------


def test_gpt2_adds_the_first_token_only_if_asked(tmp_path: Path) -> None:
    folder = write_folder("gpt2", tmp_path)
    plain, starting = (GPT2Tokenizer.from_pretrained(folder, add_bos_token=flag) for flag in (False, True))
    assert plain.build_inputs_with_special_tokens([1], [2]) == [1, 2]
    assert starting.build_inputs_with_special_tokens([1], [2]) == [1000, 1, 1000, 2]
    assert starting.get_special_tokens_mask([1], [2, 3]) == [1, 0, 1, 0, 0]
    assert starting.get_special_tokens_mask([1]) == [1, 0]
    assert plain.get_special_tokens_mask([1, 7], [2]) == [0, 0, 0]
    assert plain.get_special_tokens_mask([1000, 7], already_has_special_tokens=True) == [1, 0]


def test_roberta_has_two_separators_between_texts_and_one_token_type(tmp_path: Path) -> None:
    tokenizer = RobertaTokenizer.from_pretrained(write_folder("roberta", tmp_path))
    encoded = tokenizer("the", " the", return_token_type_ids=True, return_special_tokens_mask=True)
    tokens = tokenizer.convert_ids_to_tokens(encoded["input_ids"])
    assert tokens == ["<s>", "t", "he", "</s>", "</s>", "Ġthe", "</s>"]
    assert encoded["token_type_ids"] == [0] * 7
    assert encoded["special_tokens_mask"] == [1, 0, 0, 1, 1, 0, 1]
    assert tokenizer.create_token_type_ids_from_sequences([1, 2]) == [0] * 4


def test_robertas_mask_includes_the_space_before_it(tmp_path: Path) -> None:
    tokenizer = RobertaTokenizer.from_pretrained(write_folder("roberta", tmp_path))
    assert tokenizer.tokenize("the <mask> the") == ["t", "he", "<mask>", "Ġthe"]


def test_a_conversation_ends_each_text(tmp_path: Path) -> None:
    class Conversation:
        def iter_texts(self) -> list[tuple[bool, str]]:
            return [(True, " the"), (False, "!")]

    tokenizer = GPT2Tokenizer.from_pretrained(write_folder("gpt2", tmp_path))
    ids = tokenizer._build_conversation_input_ids(Conversation())
    assert tokenizer.convert_ids_to_tokens(ids) == ["Ġthe", "<|endoftext|>", "!", "<|endoftext|>"]
    tokenizer.model_max_length = 2
    assert tokenizer._build_conversation_input_ids(Conversation()) == ids[-2:]


def test_tokens_and_ids_outside_the_vocabulary(tokenizer: Any) -> None:
    assert tokenizer.convert_tokens_to_ids("日") == tokenizer.unk_token_id
    assert tokenizer._convert_id_to_token(100_000) is None


# --- files ----------------------------------------------------------------------------------------


def test_the_saved_files_can_be_loaded_again(tokenizer: Any, folder: Path, tmp_path: Path) -> None:
    vocab, merges = tokenizer.save_vocabulary(str(tmp_path), "my")
    assert (Path(vocab).name, Path(merges).name) == ("my-vocab.json", "my-merges.txt")
    assert Path(merges).read_bytes() == (folder / "merges.txt").read_bytes()
    assert json.loads(Path(vocab).read_text(encoding="utf-8")) == tokenizer.encoder
    assert Path(vocab).read_text(encoding="utf-8").startswith('{\n  "!": ')


def test_a_missing_folder_or_file_is_named(tokenizer: Any, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"there is no folder '.*nowhere'"):
        tokenizer.save_vocabulary(str(tmp_path / "nowhere"))
    vocab, _ = files(tmp_path)
    with pytest.raises(
        FileNotFoundError, match=r"merges_file='.*nowhere' does not exist; give the path of a merges.txt"
    ):
        GPT2Tokenizer(vocab, str(tmp_path / "nowhere"))
    with pytest.raises(TypeError, match=r"vocab_file=None should be the path of a vocab.json"):
        GPT2Tokenizer(None, None)


@pytest.mark.parametrize(
    ("vocab", "message"), [('{"a": 0, ', r"vocab.json is not valid JSON"), ("[]", "should have a JSON object")]
)
def test_a_damaged_vocabulary_is_a_value_error(tmp_path: Path, vocab: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GPT2Tokenizer(*files(tmp_path, vocab))


def test_odd_files_are_loaded_with_a_warning(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match=r"starts with 'a a' instead of '#version'; its first line is skipped"):
        assert list(GPT2Tokenizer(*files(tmp_path, merges=MERGES.removeprefix("#version: 0.2\n"))).bpe_ranks) == [
            ("aa", "b")
        ]
    with pytest.warns(UserWarning, match=r"has no line feed after 'aa b'; the line is skipped"):
        assert list(GPT2Tokenizer(*files(tmp_path, merges=MERGES[:-1])).bpe_ranks) == [("a", "a")]
    with pytest.warns(UserWarning, match="3 tokens have only 2 different ids"):
        assert GPT2Tokenizer(*files(tmp_path, '{"a": 0, "b": 1, "c": 1}')).decoder == {0: "a", 1: "c"}


def test_merges_that_occur_twice_leave_a_gap(tmp_path: Path) -> None:
    tokenizer = GPT2Tokenizer(*files(tmp_path, merges="#version\na a\na a\n"))
    with pytest.warns(UserWarning, match="the ids of merges have a gap: 0 is missing"):
        tokenizer.save_vocabulary(str(tmp_path))


def test_a_pickled_tokenizer_has_the_same_results(tokenizer: Any) -> None:
    assert pickle.loads(pickle.dumps(tokenizer))("the <mask> cat") == tokenizer("the <mask> cat")


def test_functions_of_the_modules() -> None:
    assert sorted(map(ord, bytes_to_unicode().values())) == sorted({*map(ord, bytes_to_unicode().values())})
    assert len(bytes_to_unicode()) == 256
    assert get_pairs(("a", "b", "a", "b")) == {("a", "b"), ("b", "a")}
