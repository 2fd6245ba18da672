"""Converters: each component with the slow code that it replaces, and the cases in which slow and fast disagree."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tokenizer_folders import FOLDERS
from tokenlab import data
from tokenlab.libraries import transformers
from tokenlab.libraries.sentencepiece import SentencePieceTrainer
from tokenlab.libraries.tokenizers import Tokenizer, models
from tokenlab.libraries.transformers import convert_slow_tokenizer as module
from tokenlab.libraries.transformers.convert_slow_tokenizer import (
    SLOW_TO_FAST_CONVERTERS,
    convert_slow_tokenizer,
    merges_of,
)
from tokenlab.libraries.transformers.tokenization.converter import Converter, SlowCode
from tokenlab.steps.recording import Recording

PREFIXES = dict(zip(FOLDERS, ("Bert", "GPT2", "Roberta", "T5", "XLMRoberta", "Albert"), strict=True))


def slow_one(folders: Path, family: str, **options: Any) -> Any:
    cls = getattr(transformers, f"{PREFIXES[family]}Tokenizer")
    return cls.from_pretrained(folders / family, **options)


@pytest.mark.slow
@pytest.mark.parametrize("family", FOLDERS)
def test_the_pipeline_encodes_prose_like_the_slow_tokenizer(folders: Path, family: str) -> None:
    slow = slow_one(folders, family)
    fast = convert_slow_tokenizer(slow)
    for text in ("The slow fox, 12 hens and a dog.", "Grüße aus Köln!", "这是一个 test"):
        assert fast.encode(text).ids == slow(text)["input_ids"]


@pytest.mark.parametrize("family", FOLDERS)
def test_each_component_names_lines_of_the_slow_tokenizer(folders: Path, family: str) -> None:
    recording = convert_slow_tokenizer.record(slow_one(folders, family))
    fields = [step.field for step in recording]
    parts = ("model", "normalizer", "pre_tokenizer", "post_processor", "decoder")
    assert {*fields} == {part for part in parts if getattr(recording.result, part) is not None}
    without = [step.component.split("(")[0] for step in recording if not step.replaces]
    assert without == (["ByteLevel"] if family == "gpt2" else [])  # GPT-2's post-processor does nothing
    for code in (code for step in recording for code in step.replaces):
        assert code.statement in code.line
    assert Recording.from_json(recording.to_json()).steps == recording.steps


@pytest.mark.parametrize("converter", SLOW_TO_FAST_CONVERTERS.values())
def test_all_statements_of_the_converters_are_in_the_source(converter: type[Converter]) -> None:
    assert all(code.line for codes in converter.replaced.values() for code in codes)


def test_a_statement_that_is_no_longer_in_the_source_is_an_error() -> None:
    code = SlowCode("tokenization_utils.PreTrainedTokenizer.tokenize", "nowhere")
    with pytest.raises(ValueError, match="no line with 'nowhere'"):
        assert code.line


def test_berts_normalizer_has_the_options_of_the_slow_tokenizer(folders: Path) -> None:
    options = {"do_lower_case": False, "strip_accents": True, "tokenize_chinese_chars": False}
    fields = convert_slow_tokenizer(slow_one(folders, "bert", **options)).normalizer.to_json()  # type: ignore[union-attr]
    assert fields == {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": False,
        "strip_accents": True,
        "lowercase": False,
    }


def test_without_a_basic_tokenizer_berts_normalizer_only_cleans(folders: Path) -> None:
    fields = convert_slow_tokenizer(slow_one(folders, "bert", do_basic_tokenize=False)).normalizer.to_json()  # type: ignore[union-attr]
    assert [fields[name] for name in ("handle_chinese_chars", "strip_accents", "lowercase")] == [False] * 3


def test_gpt2_gets_a_template_only_with_add_bos_token(folders: Path) -> None:
    with_start = convert_slow_tokenizer(slow_one(folders, "gpt2", add_bos_token=True))
    start = with_start.token_to_id("<|endoftext|>")
    assert with_start.encode("a", "b").ids[0] == start
    assert start not in convert_slow_tokenizer(slow_one(folders, "gpt2")).encode("a", "b").ids


def test_sentinels_are_at_the_end_of_t5s_vocabulary(folders: Path) -> None:
    pipeline = convert_slow_tokenizer(slow_one(folders, "t5", extra_ids=3))
    size = pipeline.get_vocab_size()
    assert [pipeline.id_to_token(id) for id in range(size - 3, size)] == [f"<extra_id_{n}>" for n in (2, 1, 0)]


def test_xlm_roberta_has_fairseqs_ids(folders: Path) -> None:
    slow = slow_one(folders, "xlm-roberta")
    pipeline = convert_slow_tokenizer(slow)
    tokens = ["<s>", "<pad>", "</s>", "<unk>", slow.sp_model.id_to_piece(3), "<mask>"]
    assert [pipeline.token_to_id(token) for token in tokens] == [0, 1, 2, 3, 4, slow.vocab_size - 1]


def test_albert_never_uses_a_piece_that_ends_in_a_digit_and_a_comma(folders: Path) -> None:
    pieces = [SimpleNamespace(piece=piece, score=-2.0) for piece in ("1,", "a,", ",", "12,")]
    converter = SLOW_TO_FAST_CONVERTERS["AlbertTokenizer"](slow_one(folders, "albert"))
    assert converter.vocab(SimpleNamespace(pieces=pieces)) == [
        ("1,", -102.0),
        ("a,", -2.0),
        (",", -2.0),
        ("12,", -102.0),
    ]  # type: ignore[attr-defined]
    assert module.check_number_comma("x1,") is False


def test_alberts_normalizers_depend_on_its_options(folders: Path) -> None:
    def types(**options: bool) -> list[str]:
        fields = convert_slow_tokenizer(slow_one(folders, "albert", **options)).normalizer.to_json()  # type: ignore[union-attr]
        return [member["type"] for member in fields["normalizers"]]

    quotes, end = ["Replace", "Replace"], ["Precompiled", "Replace"]
    assert types() == [*quotes, "NFKD", "StripAccents", "Lowercase", *end]
    assert types(keep_accents=True) == [*quotes, "Lowercase", *end]
    assert types(do_lower_case=False) == [*quotes, "NFKD", "StripAccents", *end]


def test_the_class_name_decides_about_the_converter(folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class MyTokenizer(transformers.BertTokenizer):
        pass

    mine = MyTokenizer(folders / "bert" / "vocab.txt")
    with pytest.raises(ValueError, match=r"a MyTokenizer cannot be converted.*BertTokenizer"):
        convert_slow_tokenizer(mine)

    class MyConverter(Converter):
        def converted(self) -> Tokenizer:
            return Tokenizer(models.WordLevel({"a": 0}, "a"))

    monkeypatch.setitem(SLOW_TO_FAST_CONVERTERS, "MyTokenizer", MyConverter)
    assert convert_slow_tokenizer(mine).get_vocab() == {"a": 0}
    assert list(convert_slow_tokenizer.steps(mine)) == []


def test_parts_of_a_sentencepiece_converter_can_be_overridden(folders: Path) -> None:
    class MyConverter(module.T5Converter):
        def pre_tokenizer(self, replacement: str, add_prefix_space: bool) -> Any:
            assert (replacement, add_prefix_space) == ("▁", True)
            return super().pre_tokenizer(replacement, False)

    assert MyConverter(slow_one(folders, "t5")).converted().encode("a").tokens[0] == "a"


# --- SentencePiece models ----------------------------------------------------------------------------


def t5_with_model(tmp_path: Path, **options: Any) -> Any:
    with open(tmp_path / "spiece.model", "wb") as file:
        SentencePieceTrainer.train(
            sentence_iterator=iter(data.text("english").splitlines()), model_writer=file, **options
        )
    return transformers.T5Tokenizer.from_pretrained(tmp_path)


@pytest.mark.parametrize("model_type", ["word", "char"])
def test_models_of_words_and_characters_are_refused(tmp_path: Path, model_type: str) -> None:
    options: dict[str, Any] = {"vocab_size": 50, "hard_vocab_limit": False}
    slow = t5_with_model(tmp_path, model_type=model_type, **options)
    with pytest.raises(
        ValueError, match=f"type '{model_type}'; a fast tokenizer can run the types 'unigram' and 'bpe'"
    ):
        convert_slow_tokenizer(slow)


def test_a_bpe_model_becomes_a_bpe_model(tmp_path: Path) -> None:
    slow = t5_with_model(tmp_path, model_type="bpe", vocab_size=200)
    pipeline = convert_slow_tokenizer(slow)
    assert isinstance(pipeline.model, models.BPE)
    assert pipeline.encode("the river and the sea").ids == slow("the river and the sea")["input_ids"]


def test_byte_fallback_is_not_converted(tmp_path: Path) -> None:
    slow = t5_with_model(tmp_path, model_type="unigram", vocab_size=400, byte_fallback=True)
    with pytest.warns(UserWarning, match="byte fallback"):
        pipeline = convert_slow_tokenizer(slow)
    assert slow.unk_token_id in pipeline.encode("鬱").ids
    assert slow.tokenize("鬱")[-3:] == ["<0xE9>", "<0xAC>", "<0xB1>"]


def test_a_model_without_normalization_has_only_the_rule_for_spaces(tmp_path: Path) -> None:
    slow = t5_with_model(tmp_path, model_type="unigram", vocab_size=120, normalization_rule_name="identity")
    fields = json.loads(convert_slow_tokenizer(slow).to_str())
    assert [member["type"] for member in fields["normalizer"]["normalizers"]] == ["Replace"]


def pairs_of(vocab: Mapping[str, int]) -> list[tuple[str, str]]:
    """Return the merges by trying every two tokens."""
    found = [(a, b, vocab[a + b]) for a in vocab for b in vocab if vocab.get(a + b)]
    return [(a, b) for a, b, _ in sorted(found, key=lambda merge: merge[2])]


@given(st.lists(st.text("ab▁", min_size=1, max_size=5), unique=True, max_size=30))
def test_merges_are_all_pairs_that_form_a_token(tokens: list[str]) -> None:
    vocab = {token: id for id, token in enumerate(tokens)}
    assert list(merges_of(vocab)) == pairs_of(vocab)


# --- where slow and fast disagree in 4.26.1 ----------------------------------------------------------

DISAGREEMENTS = {  # family, text, added tokens, options, tokens of the slow tokenizer, tokens of the fast one
    "the slow tokenizer takes the spaces around an added token": (
        ("gpt2", "a <new> b", ["<new>"], {}, ["a", "<new>", "b"], ["a", "Ġ", "<new>", "Ġb"])
    ),
    "the fast tokenizer knows an added token in its own case": (
        ("bert", "A NEWtok b", ["NEWtok"], {}, ["a", "newtok", "b"], ["a", "NEWtok", "b"])
    ),
    "the slow tokenizer adds </s> only if there is none": (
        ("t5", "a </s>", [], {}, ["▁a", "</s>"], ["▁a", "▁", "</s>", "</s>"])
    ),
    "SentencePiece removes the space before a sentinel": (
        ("t5", "a  <extra_id_0>", [], {}, ["▁a", "<extra_id_0>", "</s>"], ["▁a", "▁", "<extra_id_0>", "</s>"])
    ),
    "SentencePiece removes the space at the end": (
        ("t5", "a  b   c ", [], {}, ["▁a", "▁b", "▁c", "</s>"], ["▁a", "▁b", "▁c", "▁", "</s>"])
    ),
    "SentencePiece encodes spaces as nothing": (
        ("xlm-roberta", "  ", [], {}, [], ["▁"])
    ),
    "GPT-2's slow tokenizer always adds the space": (
        ("gpt2", " a", [], {"add_prefix_space": True}, ["Ġ", "Ġa"], ["Ġa"])
    ),
    "RoBERTa's slow tokenizer adds no space before whitespace": (
        ("roberta", "\na", [], {"add_prefix_space": True}, ["Ċ", "a"], ["Ġ", "Ċ", "a"])
    ),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:the text already ends with </s>")
@pytest.mark.parametrize("rule", DISAGREEMENTS)
def test_slow_and_fast_disagree_as_in_the_library(folders: Path, rule: str) -> None:
    family, text, added, options, slow_tokens, fast_tokens = DISAGREEMENTS[rule]
    around = {"<s>", "[CLS]", "[SEP]"} | ({"</s>"} if family != "t5" else set())
    found = []
    for ending in ("", "Fast"):
        tokenizer = getattr(transformers, f"{PREFIXES[family]}Tokenizer{ending}").from_pretrained(
            folders / family, **options
        )
        tokenizer.add_tokens(added)
        tokens = tokenizer.convert_ids_to_tokens(tokenizer(text)["input_ids"])
        found.append([token for token in tokens if token not in around])
    assert found == [slow_tokens, fast_tokens]
