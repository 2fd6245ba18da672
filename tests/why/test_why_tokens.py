"""The tokens of an explanation are those of the library, for every kind of file and hostile texts."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from tests.libraries.tokenizers.parity import pair_of
from tests.libraries.tokenizers.parity import texts as random_texts
from tests.libraries.tokenizers.pipelines import PIPELINES
from tests.why.tokenizer_files import FILES, FOLDERS, HOSTILE, OPTIONS, library_ids, write
from tokenlab import data
from tokenlab.libraries.tensor2tensor.text_encoder import SubwordTextEncoder
from tokenlab.libraries.tokenizers.encode_in_steps import _Places
from tokenlab.libraries.tokenizers.models import BPE
from tokenlab.libraries.transformers import AutoTokenizer
from tokenlab.printing.text_layout import width_of
from tokenlab.why.explanation import Explanation
from tokenlab.why.load import Options, load
from tokenlab.why.model_steps import model_lines
from tokenlab.why.report import choose_words, report

ADDED = {"special token", "added token"}


def check_report(explanation: Explanation) -> None:
    """Print the explanation of all words, and check that lines fit and are harmless."""
    lines = [*report(explanation, choose_words(explanation, 0, None), rows=0, width=80)]
    assert all(line.isprintable() or "\u200d" in line for line in lines)
    assert max(map(width_of, lines)) <= 80


@pytest.mark.parametrize("name", FILES)
def test_the_ids_are_those_of_the_library(name: str, tmp_path: Path) -> None:
    path = write(name, tmp_path)
    explainer, expected = load(path, OPTIONS.get(name)), library_ids(name, path)
    for text in HOSTILE:
        explanation = explainer.explain(text)
        assert [row.id for row in explanation.tokens] == expected(text), (name, text)
        by_word = [token for word in explanation.words for token in word.tokens]
        listed = [row.token for row in explanation.tokens if row.span and row.note not in ADDED]
        if "sentencepiece" in name:  # unknown pieces are fused across words
            assert "".join(by_word) == "".join(listed)
        else:
            assert by_word == listed
        check_report(explanation)


@pytest.mark.parametrize("name", FOLDERS)
def test_the_ids_of_a_folder_are_those_of_its_tokenizer(name: str, tmp_path: Path) -> None:
    path = write(name, tmp_path)
    explainer, tokenizer = load(path), AutoTokenizer.from_pretrained(str(path))
    for text in HOSTILE:
        explanation = explainer.explain(text)
        assert [row.id for row in explanation.tokens] == tokenizer(text)["input_ids"], (name, text)
        check_report(explanation)


@pytest.mark.parametrize("name", PIPELINES)
def test_the_columns_of_a_pipeline_are_those_of_the_library(name: str, tmp_path: Path) -> None:
    pair_of(name)[1].save(str(tmp_path / "x"))
    theirs = Tokenizer.from_file(str(tmp_path / "x"))
    explainer = load(tmp_path / "x")
    for text in random_texts(6, seed=len(name)):
        try:
            encoding = theirs.encode(text)
        except Exception:
            continue
        explanation = explainer.explain(text)
        assert [row.id for row in explanation.tokens] == encoding.ids
        for row, offsets in zip(explanation.tokens, encoding.offsets, strict=True):
            assert row.span in (offsets, None)
        check_report(explanation)


def test_the_ids_of_subtokens_are_those_of_the_encoder() -> None:
    path = data.FOLDER / "english.subwords"
    explainer, encoder = load(path), SubwordTextEncoder(path)
    for text in HOSTILE:
        explanation = explainer.explain(text)
        assert [row.id for row in explanation.tokens] == encoder.encode(text)
        check_report(explanation)


@pytest.mark.parametrize("name", ("ranks", "byte_level", "sentencepiece_bpe", "subwords"))
def test_the_spans_cover_the_text_in_order(name: str, tmp_path: Path) -> None:
    explainer = load(write(name, tmp_path))
    for text in ("Why did it do that?", "猫 naïve cafés 🙂!", "a_b  c"):
        spans = [row.span for row in explainer.explain(text).tokens if row.span]
        assert spans == sorted(spans)
        covered = {place for start, end in spans for place in range(start, end)}
        assert covered | {place for place, c in enumerate(text) if c == " "} == set(range(len(text)))


@pytest.mark.filterwarnings("ignore:that .* case and accents is a guess")
def test_ordinary_treats_the_text_of_a_special_token_as_text(tmp_path: Path) -> None:
    for name in ("ranks", "byte_level", "vocab", "bert"):
        path = write(name, tmp_path)
        special = "[MASK]" if name in ("vocab", "bert") else "<|endoftext|>"
        found = [row.note for row in load(path).explain(special).tokens]
        ordinary = [row.note for row in load(path, Options(ordinary=True)).explain(special).tokens]
        assert ADDED & {*found}
        assert not ADDED & {*ordinary}


@pytest.mark.filterwarnings("ignore:.*does not contain both")
@pytest.mark.filterwarnings("ignore:that .* case and accents is a guess")
def test_case_is_found_from_the_vocabulary(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("[UNK]\n[CLS]\nhug\n##s\n", encoding="utf-8")
    (tmp_path / "b").write_text("[UNK]\nHug\n##s\n", encoding="utf-8")
    assert [row.token for row in load(tmp_path / "a").explain("Hugs").tokens] == ["hug", "##s"]
    assert [row.token for row in load(tmp_path / "b").explain("Hugs").tokens] == ["Hug", "##s"]
    assert [row.token for row in load(tmp_path / "b", Options(cased=False)).explain("Hugs").tokens] == ["[UNK]"]


def test_the_words_of_a_recorded_pipeline_are_found_as_fast_as_exactly() -> None:
    for seed in range(3000):
        draw = random.Random(seed)
        starts = sorted(draw.randrange(6) for _ in range(draw.randrange(7)))
        places = object.__new__(_Places)
        places.spans = tuple((start, start + draw.randrange(3)) for start in starts)
        places.starts, places.ends = starts, [end for _, end in places.spans]
        spans = [(start, start + draw.randrange(4)) for start in draw.choices(range(7), k=draw.randrange(4))]
        found = []
        for ordered in (places.ends == sorted(places.ends), False):
            places.is_ordered = ordered
            found.append(places.covered(spans, 9))
        assert len(set(found)) == 1, seed


def test_a_model_with_dropout_says_so(tmp_path: Path) -> None:
    model = BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")], dropout=0.5)
    assert model_lines(model, "ab") == [
        "symbols: a b",
        "dropout=0.5 skips merges at random; without dropout they are:",
        "a + b became ab, rank 0, at symbol 0",
    ]
    assert json.dumps(model_lines(model, ""))
