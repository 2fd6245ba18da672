"""Pipelines on random texts, compared with the library; `python -m tests.libraries.tokenizers.parity` runs more."""

from __future__ import annotations

import random

import pytest
import tokenizers as live
from tokenizers import Tokenizer

from tests.libraries.tokenizers.parity import differences, pair_of, texts
from tests.libraries.tokenizers.pipelines import PIPELINES
from tokenlab.libraries import tokenizers
from tokenlab.libraries.tokenizers.encode_in_steps import Truncated

TEXTS = 60  # for each pipeline


@pytest.mark.parametrize("name", PIPELINES)
def test_all_columns_are_as_in_the_library(name: str) -> None:
    assert list(differences(name, TEXTS, seed=random.randrange(2**32))) == []


@pytest.mark.parametrize("name", PIPELINES)
def test_to_str_is_the_text_that_the_library_writes(name: str) -> None:
    theirs, mine = pair_of(name)
    theirs = Tokenizer.from_str(theirs.to_str())  # the library reads some scores inexactly; so does tokenlab
    for pretty in (False, True):
        assert mine.to_str(pretty) == theirs.to_str(pretty)


@pytest.mark.parametrize("name", PIPELINES)
def test_the_steps_end_in_the_same_encoding(name: str) -> None:
    _, mine = pair_of(name)
    for text in texts(5, seed=random.randrange(2**32)):
        try:
            expected = mine.encode(text)
        except ValueError:
            continue
        recorded = mine.encode.record(text)
        assert recorded.result.to_json() == expected.to_json()
        for step in recorded:
            if isinstance(step, Truncated):
                assert step.combined() == len(expected.overflowing)
        tokenized = next(step for step in recorded if type(step).__name__ == "Tokenized")
        originals = [part.original_span for part in tokenized.parts]
        if mine.post_processor is None and mine.truncation is None and mine.padding is None:
            assert originals == expected.offsets
        assert all(0 <= start <= end <= len(text) for start, end in originals)


@pytest.mark.parametrize("name", PIPELINES)
def test_training_counts_the_words_of_the_exact_run(name: str) -> None:
    _, mine = pair_of(name)
    pipeline = mine._pipeline()
    for text in texts(20, seed=random.randrange(2**32)):
        assert pipeline.word_texts(text) == [split.normalized.normalized for split in pipeline.words(text).splits]


@pytest.mark.parametrize("forms", [("NFC", "NFD"), ("NFKC", "NFKD"), ("NFKC", "NFD")])
@pytest.mark.parametrize("text", ["\u1112\u1161\u11ab", "가\u11a8", "ｶﾞ", "\u1025\u102e", "e\u0301x"])
def test_what_was_composed_and_decomposed_again_has_one_place(forms: tuple[str, str], text: str) -> None:
    offsets = []
    for library in (tokenizers, live):
        normalizer = library.normalizers.Sequence([getattr(library.normalizers, form)() for form in forms])
        symbols = dict.fromkeys(normalizer.normalize_str(text))
        tokenizer = library.Tokenizer(library.models.BPE({symbol: id for id, symbol in enumerate(symbols)}, []))
        tokenizer.normalizer = normalizer
        offsets.append(tokenizer.encode(text).offsets)
    assert offsets[0] == offsets[1]
