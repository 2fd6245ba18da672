"""Ids that are looked up word by word: the same as those of a text that is segmented as a whole, in any order."""

from __future__ import annotations

import functools
import io
import random
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.strategies import texts
from tests.tokenizer_folders import write_folder
from tokenlab import data
from tokenlab.libraries.sentencepiece import SentencePieceProcessor, SentencePieceTrainer
from tokenlab.libraries.sentencepiece.loaded_model import apply_byte_fallback
from tokenlab.libraries.sentencepiece.model_proto import protobuf_messages
from tokenlab.libraries.transformers import AlbertTokenizer, T5Tokenizer, XLMRobertaTokenizer

CLASSES: dict[str, Any] = {"albert": AlbertTokenizer, "xlm-roberta": XLMRobertaTokenizer, "t5": T5Tokenizer}
SPECIAL = (
    *("</s>", "<pad>", "<unk>", "<s>", "<mask>", " <mask>", "[MASK]", "[SEP]", "<extra_id_0>", "<extra_id_99>"),
    *("newword", "NewWord", "日本", "ﬁ", "①", "▁", "▁▁", "1,", "▁2,", "3,000, 10,", "(", "“a”", "``", "''", "ΑΣ"),
)
LINES = [line for name in ("english", "german", "japanese", "mixed") for line in data.text(name).splitlines() if line]
part = texts(surrogates=False, max_snippets=4, repeated=10) | st.sampled_from(SPECIAL) | st.sampled_from(LINES)
batches = st.lists(st.lists(part, max_size=5).map("".join), min_size=1, max_size=4)

MODELS: dict[str, dict[str, Any]] = {
    "plain": {},
    "bytes": {"byte_fallback": True, "vocab_size": 800, "character_coverage": 0.98},
    "symbols": {"user_defined_symbols": ["<sep>", "<se", "the t", "ab", "é", "日本", "▁x"]},
    "unchanged": {"normalization_rule_name": "identity", "add_dummy_prefix": False, "remove_extra_whitespaces": False},
    "suffix": {"treat_whitespace_as_suffix": True},
    "across": {"split_by_whitespace": False},
}


@functools.cache
def processor(model_type: str, name: str) -> SentencePieceProcessor:
    model = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(LINES[:400]), model_writer=model, model_type=model_type, hard_vocab_limit=False,
        **{"vocab_size": 600, **MODELS[name]},
    )  # fmt: skip
    return SentencePieceProcessor(model_proto=model.getvalue())


@functools.cache
def tokenizer(family: str, adds: bool) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        kept = CLASSES[family].from_pretrained(write_folder(family, Path(folder) / family))
    if adds:
        kept.add_tokens(["newword", "日本", "▁the", "fi", "1"])
        kept.add_special_tokens({"additional_special_tokens": [*kept.additional_special_tokens, "NewWord"]})
    return kept


def as_a_whole(model: SentencePieceProcessor, text: str) -> list[int]:
    """Return the ids of a text without any table of words."""
    loaded: Any = model._ready()
    normalized = loaded.normalizer.normalize_with_offsets(text).text
    return list(apply_byte_fallback(loaded.segmenter.encode_uncached(normalized), loaded.model).ids)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
@examples(12)
@given(given=batches)
def test_ids_are_those_of_the_whole_text(model_type: str, name: str, given: list[str]) -> None:
    model = processor(model_type, name)
    expected = [as_a_whole(model, text) for text in given]
    assert model.encode(given) == expected
    assert [model.piece_to_id(pieces) for pieces in model.encode(given, emit_unk_piece=True, out_type=str)] == expected


@pytest.mark.filterwarnings("ignore:the text already ends with")
@pytest.mark.parametrize("adds", [False, True])
@pytest.mark.parametrize("family", CLASSES)
@examples(15)
@given(given=batches)
def test_a_batch_has_the_ids_of_its_texts_alone(family: str, adds: bool, given: list[str]) -> None:
    one = tokenizer(family, adds)
    in_steps = [one.convert_tokens_to_ids(one.tokenize(text)) for text in given]
    assert one(given, add_special_tokens=False)["input_ids"] == in_steps
    pairs = [*zip(given, reversed(given), strict=True)]
    assert one(pairs)["input_ids"] == [one(*pair)["input_ids"] for pair in pairs]


@pytest.mark.slow
@pytest.mark.parametrize("family", CLASSES)
def test_shipped_texts_have_the_same_ids_in_a_batch(family: str) -> None:
    one = tokenizer(family, False)
    given = [*LINES, "\0", "", "\r\n", " " * 9, " ".join(LINES)]
    assert one(given)["input_ids"] == [one(text)["input_ids"] for text in given]


def test_unknown_pieces_at_the_start_of_words_are_fused() -> None:
    model = model_of({"a": -1.0, "▁a": -1.5})
    assert model.encode(["☃ a", "☃ ☃ ☃", "a☃ ☃", "a ☃a"]) == [[0, 2], [0], [2, 0], [2, 0, 1]]


def test_pieces_that_are_equally_good_are_chosen_by_the_whole_text() -> None:
    """The words before a word round the sums of its paths to 32 bits, which may make an unequal pair equal."""
    changed = 0
    for seed in range(40):
        draw = random.Random(seed)
        a, b = -draw.uniform(1, 9), -draw.uniform(1, 9)
        model = model_of({"▁": -2.3, "a": a, "b": b, "ab": a + b + draw.choice([0, 1e-7, -1e-7]), "▁x": -7.1})
        given = ["x " * count + "ab" for count in range(12)]
        assert model.encode(given) == [as_a_whole(model, text) for text in given]
        changed += len({ids[-1] for ids in model.encode(given)}) > 1
    assert changed > 3


def model_of(scores: dict[str, float]) -> SentencePieceProcessor:
    proto = protobuf_messages().ModelProto()
    proto.trainer_spec.model_type = 1
    proto.normalizer_spec.add_dummy_prefix = True
    proto.pieces.add(piece="<unk>", score=0.0, type=2)
    for piece, score in scores.items():
        proto.pieces.add(piece=piece, score=score)
    return SentencePieceProcessor(model_proto=proto.SerializeToString())
