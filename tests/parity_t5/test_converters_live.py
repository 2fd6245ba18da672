"""Converters and fast tokenizers beside transformers 4.26.1: their pipelines as JSON, and the columns of texts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.parity.t5_original import Original
from tests.parity_t5 import converter_answers
from tests.parity_t5.converter_answers import CLASSES, answer
from tests.tokenizer_folders import write_folder
from tokenlab import data
from tokenlab.libraries.tokenizers import Tokenizer

Json = Any
OPTIONS: dict[str, list[Json]] = {
    "bert": [
        {},
        {"do_lower_case": False},
        {"strip_accents": True, "do_lower_case": False},
        {"strip_accents": False},
        {"tokenize_chinese_chars": False},
        {"do_basic_tokenize": False},
        {"cls_token": "[SEP]", "sep_token": "[CLS]", "unk_token": "[MASK]"},
        {"never_split": ["[X]"]},
    ],
    "gpt2": [{}, {"add_prefix_space": True}, {"add_bos_token": True}, {"bos_token": "!", "add_bos_token": True}],
    "roberta": [{}, {"add_prefix_space": True}, {"trim_offsets": False}, {"cls_token": "<unk>", "sep_token": "<pad>"}],
    "t5": [{}, {"extra_ids": 0}, {"extra_ids": 3}, {"eos_token": "<pad>"}],
    "xlm-roberta": [{}, {"mask_token": "<pad>"}, {"cls_token": "<unk>"}],
    "albert": [
        {},
        {"do_lower_case": False},
        {"keep_accents": True},
        {"remove_space": False},
        {"do_lower_case": False, "keep_accents": True},
    ],
}
CASES = [(family, number) for family, options in OPTIONS.items() for number in range(len(options))]
TEXTS = [
    "",
    " ",
    "Hello wörld!  It isn't 1,000 , or 9, .",
    "a\u0301 é ﬁ ½ Ａ İ ß ẞ ǅ ﷺ 𝒳 𐐀",
    "中文 日本 한국 אבג مرحبا क्षि ก็",
    "\0\x07\x1f\ufffd\u200b\u200d\xad\ufeff\ue000",
    "x\r\ny\tz\u2028\u0085\u00a0\u3000",
    "👩‍👩‍👧😀🏳️‍🌈",
    " <mask> [MASK] <s></s><pad><unk> [CLS][SEP] <extra_id_0>  <extra_id_99> <|endoftext|> ",
    "``quoted'' '' `` ▁▁the ▁ Ġ ##ing",
    "lone \ud800 surrogate",
    "x" * 150,
]


@pytest.fixture(scope="module")
def library() -> Iterator[Original]:
    with Original(Path(converter_answers.__file__)) as process:
        yield process


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("folders")
    for family in CLASSES:
        write_folder(family, folder / family)
    return folder


def both(library: Original, case: Json) -> tuple[Json, Json]:
    ours = json.loads(json.dumps(answer("tokenlab.libraries.transformers", case)))
    theirs = library.ask(json.dumps(case))
    if "raised" in theirs and case["options"]:
        expected = theirs["raised"][0]
        return expected, expected if expected in ours.get("raised", ()) else ours
    return _parsed(theirs), _parsed(ours)


def _parsed(found: Json) -> Json:
    """Return an answer with its pipeline as parsed JSON: as written, and as tokenlab writes it."""
    assert "raised" not in found, found
    text = found["pipeline"]
    return {**found, "pipeline": json.loads(text), "read": json.loads(Tokenizer.from_str(text).to_str())}


@pytest.mark.parametrize(("family", "number"), CASES)
def test_converters_build_the_pipelines_of_the_library(
    library: Original, folders: Path, family: str, number: int
) -> None:
    options = OPTIONS[family][number]
    case = {"do": "converted", "family": family, "folder": str(folders / family), "options": options}
    theirs, ours = both(library, case)
    assert ours == theirs


@pytest.mark.parametrize(("family", "number"), CASES)
def test_fast_tokenizers_have_the_columns_of_the_library(
    library: Original, folders: Path, family: str, number: int
) -> None:
    case = {"do": "loaded", "family": family, "folder": str(folders / family), "options": OPTIONS[family][number]}
    theirs, ours = both(library, case | {"texts": TEXTS})
    assert ours == theirs


@pytest.mark.parametrize(("family", "number"), CASES)
def test_options_change_the_pipeline_of_a_file_as_in_the_library(
    library: Original, folders: Path, tmp_path: Path, family: str, number: int
) -> None:
    """Some options change a component, others have no effect on a tokenizer.json."""
    case = {"do": "saved", "family": family, "folder": str(folders / family), "target": str(tmp_path)}
    theirs, ours = both(library, case | {"options": OPTIONS[family][number], "texts": TEXTS})
    assert ours == theirs


@cache
def corpus() -> list[str]:
    """Return texts with few characters: with too many for its vocabulary, the library's Unigram trainer never ends."""
    return [line for name in ("english", "german") for line in data.text(name).splitlines() if line.strip()]


@pytest.mark.parametrize("family", CLASSES)
@pytest.mark.parametrize("renamed", [False, True])
def test_new_tokenizers_are_trained_as_in_the_library(
    library: Original, folders: Path, family: str, renamed: bool
) -> None:
    options: Json = {"vocab_size": 500}
    if renamed:
        names = {"[MASK]": "[GAP]", "<mask>": "<gap>", "<unk>": "<what>", "[SEP]": "[END]", "<s>": "<start>"}
        options |= {"special_tokens_map": names, "new_special_tokens": ["<new>"]}
    case = {"do": "trained", "family": family, "folder": str(folders / family), "corpus": corpus(), "options": options}
    theirs, ours = both(library, case | {"texts": TEXTS})
    assert _without_chance(ours) == _without_chance(theirs)


def _without_chance(found: Json) -> Json:
    """Return a trained tokenizer without what changes from run to run in the library.

    Its WordPiece trainer numbers the characters after ## in the order of a hash map, which decides ties; its Unigram
    trainer adds probabilities in such an order, which decides the order of equal pieces.
    """
    found = {name: found[name] for name in found if name != "read"}
    model = found["pipeline"]["model"]
    if model["type"] == "BPE":
        return found
    tokens = sorted(token for token, _ in model["vocab"]) if model["type"] == "Unigram" else len(model["vocab"])
    return {"pipeline": found["pipeline"] | {"model": model | {"vocab": tokens}}, "special": found["special"]}
