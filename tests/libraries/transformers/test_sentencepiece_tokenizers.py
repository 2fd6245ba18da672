"""The slow tokenizers with SentencePiece models: ALBERT, XLM-RoBERTa, and what T5 shares with them."""

from __future__ import annotations

import io
import pickle
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from tests.examples import examples
from tests.strategies import texts
from tests.tokenizer_folders import folder_files, write_folder
from tokenlab.libraries.sentencepiece import SentencePieceProcessor, SentencePieceTrainer
from tokenlab.libraries.transformers import AlbertTokenizer, T5Tokenizer, XLMRobertaTokenizer

CLASSES: dict[str, Any] = {"albert": AlbertTokenizer, "xlm-roberta": XLMRobertaTokenizer, "t5": T5Tokenizer}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("families")
    for family in CLASSES:
        write_folder(family, folder / family)
    return folder


@pytest.fixture
def albert(folders: Path) -> Any:
    return AlbertTokenizer.from_pretrained(folders / "albert")


@pytest.fixture
def xlm_roberta(folders: Path) -> Any:
    return XLMRobertaTokenizer.from_pretrained(folders / "xlm-roberta")


# --- ALBERT ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_each_option_of_albert_changes_one_thing(folders: Path) -> None:
    def text(**options: bool) -> str:
        plain = {"do_lower_case": False, "remove_space": False, "keep_accents": True}
        return str(AlbertTokenizer.from_pretrained(folders / "albert", **{**plain, **options}).preprocess_text(GIVEN))

    GIVEN = " É  ``x'' ﬁ\n"
    assert text() == ' É  "x" ﬁ\n'
    assert text(do_lower_case=True) == ' é  "x" ﬁ\n'
    assert text(remove_space=True) == 'É "x" ﬁ'
    assert text(keep_accents=False) == ' E  "x" fi\n'


def test_combining_characters_are_those_with_a_combining_class(albert: Any) -> None:
    enclosing = "\u20dd"  # category Me, combining class 0
    assert unicodedata.combining(enclosing) == 0
    assert albert.preprocess_text(f"e\u0301a{enclosing}") == f"ea{enclosing}"


def test_the_comma_after_a_digit_is_a_separate_piece(albert: Any) -> None:
    assert albert.sp_model.encode("cost 2, or", out_type=str)[-2:] == ["▁2,", "▁or"]
    assert albert.tokenize("cost 2, or")[-4:] == ["▁", "2", ",", "▁or"]


def test_a_piece_inside_a_word_gets_no_space_when_it_is_segmented_again() -> None:
    class Segments:
        def encode(self, text: str, out_type: Any) -> list[str]:
            return ["▁x", "25,", "▁25,", "7,", "n,", ","]

        def EncodeAsPieces(self, text: str) -> list[str]:
            return {"25": ["▁2", "5"], "7": ["▁", "7"]}[text]

    tokenizer = AlbertTokenizer.__new__(AlbertTokenizer)
    vars(tokenizer).update(sp_model=Segments(), remove_space=True, keep_accents=True, do_lower_case=True)
    expected = ["▁x", *("2", "5", ","), *("▁2", "5", ","), *("7", ","), "n,", ","]
    assert tokenizer._tokenize("any") == expected


def test_albert_numbers_its_texts_as_bert_does(albert: Any) -> None:
    encoded = albert("cat", "dog", return_special_tokens_mask=True)
    mask, types = encoded["special_tokens_mask"], encoded["token_type_ids"]
    assert [mask[0], mask[-1], sum(mask)] == [1, 1, 3]
    assert types == sorted(types)
    assert set(types) == {0, 1}
    assert albert.convert_ids_to_tokens(encoded["input_ids"])[0] == "[CLS]"


def test_alberts_mask_includes_the_space_before_it(albert: Any) -> None:
    assert albert.tokenize("the [MASK] the") == ["▁the", "[MASK]", "▁the"]


@given(texts())
@examples(200)
def test_user_defined_symbols_are_normalized_alike_with_and_without_offsets(text: str) -> None:
    for marked in (text, f"({text}).", f"-{text} £"):
        assert NORMALIZER.normalize(marked) == NORMALIZER.normalize_with_offsets(marked).text


NORMALIZER = SentencePieceProcessor(model_proto=folder_files("albert")["spiece.model"])._ready().normalizer


def test_rules_for_other_characters_do_not_change_user_defined_symbols() -> None:
    model = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(["abc xyz ﬁ"]),
        model_writer=model,
        model_type="char",
        vocab_size=20,
        hard_vocab_limit=False,
        user_defined_symbols=["ﬁ", "q  r"],
    )
    normalizer = SentencePieceProcessor(model_proto=model.getvalue())._ready().normalizer
    assert normalizer.normalize("aﬁ ①") == "▁aﬁ▁1"
    for text in ("ﬁ", "ﬀﬁ", "x q  r  y", " q  r "):
        assert normalizer.normalize(text) == normalizer.normalize_with_offsets(text).text


# --- XLM-RoBERTa ----------------------------------------------------------------------------------


def test_fairseq_tokens_come_first_and_the_mask_last(xlm_roberta: Any) -> None:
    size = len(xlm_roberta.sp_model)
    assert xlm_roberta.convert_ids_to_tokens(range(5)) == [
        "<s>",
        "<pad>",
        "</s>",
        "<unk>",
        xlm_roberta.sp_model.IdToPiece(3),
    ]
    assert xlm_roberta.vocab_size == len(xlm_roberta) == size + 2
    assert xlm_roberta.convert_tokens_to_ids(["<mask>", "日x", xlm_roberta.sp_model.IdToPiece(7)]) == [size + 1, 3, 8]
    assert len(xlm_roberta.get_vocab()) == size + 2


def test_an_id_outside_the_vocabulary_is_an_index_error(xlm_roberta: Any) -> None:
    with pytest.raises(IndexError):
        xlm_roberta.convert_ids_to_tokens(len(xlm_roberta) + 1)


def test_xlm_roberta_has_robertas_layout(xlm_roberta: Any) -> None:
    ids = xlm_roberta.build_inputs_with_special_tokens([10], [11])
    assert ids == [0, 10, 2, 2, 11, 2]
    assert xlm_roberta.get_special_tokens_mask(ids, already_has_special_tokens=True) == [1, 0, 1, 1, 0, 1]
    assert xlm_roberta.get_special_tokens_mask([10], [11]) == [1, 0, 1, 1, 0, 1]


def test_a_new_unknown_token_gets_an_id(folders: Path) -> None:
    tokenizer = XLMRobertaTokenizer.from_pretrained(folders / "xlm-roberta")
    tokenizer.add_special_tokens({"unk_token": "abc"})
    assert tokenizer.unk_token == "abc"


# --- all three ------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", CLASSES)
def test_sampling_gives_different_pieces_of_the_same_text(folders: Path, family: str) -> None:
    options = {"enable_sampling": True, "nbest_size": -1, "alpha": 0.1}
    tokenizer = CLASSES[family].from_pretrained(folders / family, sp_model_kwargs=options)
    found = [tokenizer.tokenize("the weather in the city") for _ in range(20)]
    assert len({tuple(tokens) for tokens in found}) > 1
    assert {tokenizer.convert_tokens_to_string(tokens) for tokens in found} == {"the weather in the city"}


@pytest.mark.parametrize("family", CLASSES)
def test_the_state_has_no_model_and_a_copy_has_the_same_results(folders: Path, family: str) -> None:
    tokenizer = CLASSES[family].from_pretrained(folders / family, sp_model_kwargs={"reverse": True})
    state = tokenizer.__getstate__()
    assert state["sp_model"] is None
    assert ("sp_model_proto" in state) == (family == "xlm-roberta")
    assert pickle.loads(pickle.dumps(tokenizer))("the cat") == tokenizer("the cat")
    assert tokenizer.sp_model is not None


@pytest.mark.parametrize("family", CLASSES)
def test_the_model_is_saved_even_if_its_file_is_gone(folders: Path, family: str, tmp_path: Path) -> None:
    folder = write_folder(family, tmp_path / "folder")
    tokenizer = CLASSES[family].from_pretrained(folder)
    name = tokenizer.vocab_files_names["vocab_file"]
    content = (folder / name).read_bytes()
    (path,) = tokenizer.save_vocabulary(str(tmp_path), "a")
    assert (Path(path).name, Path(path).read_bytes()) == (f"a-{name}", content)
    (folder / name).unlink()
    (path,) = tokenizer.save_vocabulary(str(tmp_path), "b")
    assert SentencePieceProcessor(model_file=path).encode("the cat") == tokenizer.sp_model.encode("the cat")


@pytest.mark.parametrize("family", CLASSES)
def test_missing_and_foreign_model_files_are_named(family: str, tmp_path: Path) -> None:
    with pytest.raises(
        FileNotFoundError, match=r"vocab_file='.*gone' does not exist; give the path of a SentencePiece"
    ):
        CLASSES[family](str(tmp_path / "gone"))
    with pytest.raises(TypeError, match="vocab_file=None should be the path of a SentencePiece model file"):
        CLASSES[family](None)
    (tmp_path / "foreign").write_text("{}", encoding="utf-8")
    with pytest.raises(RuntimeError):
        CLASSES[family](str(tmp_path / "foreign"))


def test_t5_keeps_the_old_maximum_length_of_released_models() -> None:
    corrected = T5Tokenizer._eventually_correct_t5_max_length
    assert corrected("my/t5", 512, None) == 512
    assert corrected("t5-small", 512, 64) == 64
    with pytest.warns(FutureWarning, match="t5-small gets model_max_length=512"):
        assert corrected("t5-small", 512, None) == 512
