"""Random pipelines of all components, and pipelines that differed once: `fuzz_pipelines` tries more."""

from __future__ import annotations

import os
from typing import Any

import pytest
import tokenizers as live

from tests import skips
from tests.libraries.tokenizers import fuzz_pipelines
from tests.libraries.tokenizers.parity import columns
from tokenlab.libraries import tokenizers as ours

PIPELINES = 100


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason=skips.FORK)
def test_random_pipelines_are_as_in_the_library(capfd: pytest.CaptureFixture[str]) -> None:
    failed = fuzz_pipelines.run(range(PIPELINES))  # the command draws others; the library hangs on some
    assert not failed, capfd.readouterr().out


def outcomes(library: Any, normalizer: Any, pre_tokenizer: Any, texts: tuple[str, ...]) -> list[Any]:
    """Return the columns of each text; "error" for a panic of the library, or for our ValueError."""
    alphabet = sorted(live.pre_tokenizers.ByteLevel.alphabet())
    vocab = {"[UNK]": 0} | {character: id for id, character in enumerate(alphabet, 1)}
    tokenizer = library.Tokenizer(library.models.BPE(vocab, [], unk_token="[UNK]"))
    tokenizer.normalizer = normalizer(library)
    tokenizer.pre_tokenizer = pre_tokenizer(library)
    found: list[Any] = []
    for text in texts:
        found += [fuzz_pipelines.outcome(lambda: tokenizer.encode(text).ids)]  # noqa: B023
        found += [fuzz_pipelines.outcome(lambda: columns(tokenizer.encode(text)))]  # noqa: B023
        found += [fuzz_pipelines.outcome(lambda: [one.ids for one in tokenizer.encode_batch_fast([text])])]  # noqa: B023
    return found


NORMALIZERS = {
    "start": lambda L: L.normalizers.Replace(L.Regex("^"), "x"),
    "empty str": lambda L: L.normalizers.Replace("", "é"),
    "word boundary": lambda L: L.normalizers.Replace(L.Regex(r"\b"), " "),
    "before": lambda L: L.normalizers.Replace(L.Regex("(?=a)"), "日"),
    "nothing": lambda L: L.normalizers.Prepend(""),
    "then NFKC": lambda L: L.normalizers.Sequence([L.normalizers.Prepend(""), L.normalizers.NFKC()]),
    "then BERT": lambda L: L.normalizers.Sequence(
        [L.normalizers.Replace(L.Regex("^|$"), "x"), L.normalizers.BertNormalizer()]
    ),
    "then bytes": lambda L: L.normalizers.Sequence(
        [L.normalizers.Replace(L.Regex("^"), "é"), L.normalizers.ByteLevel()]
    ),
}
PRE_TOKENIZERS = {
    "none": lambda L: None,
    "ByteLevel": lambda L: L.pre_tokenizers.ByteLevel(),
    "ByteLevel of the whole": lambda L: L.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    "Metaspace": lambda L: L.pre_tokenizers.Metaspace("Ġ", "first"),
    "Sequence": lambda L: L.pre_tokenizers.Sequence([L.pre_tokenizers.Digits(), L.pre_tokenizers.ByteLevel(False)]),
}


@pytest.mark.parametrize("pre_tokenizer", PRE_TOKENIZERS)
@pytest.mark.parametrize("normalizer", NORMALIZERS)
def test_text_inserted_at_the_start_is_aligned_with_nothing_also_on_the_fast_path(
    normalizer: str, pre_tokenizer: str
) -> None:
    texts = ("", "a", "é", "ab", "½", "1a 日", "e\u0301 a\x00", " a", "👍🏽")
    parts = NORMALIZERS[normalizer], PRE_TOKENIZERS[pre_tokenizer]
    assert outcomes(ours, *parts, texts) == outcomes(live, *parts, texts)


def test_a_panic_of_a_normalizer_is_an_error_and_an_exception_of_the_users_is_ignored() -> None:
    class Broken:
        def normalize(self, text: Any) -> None:
            text.append("b")
            raise KeyError("wrong")

    for library in (ours, live):
        tokenizer = library.Tokenizer(library.models.WordLevel({"a": 0, "ab": 1}, unk_token="a"))
        tokenizer.normalizer = library.normalizers.Normalizer.custom(Broken())
        assert tokenizer.encode("a").ids == [1]
    tokenizer = ours.Tokenizer(ours.models.WordLevel({"a": 0}, unk_token="a"))
    tokenizer.normalizer = ours.normalizers.Sequence([ours.normalizers.Prepend(""), ours.normalizers.NFKC()])
    with pytest.raises(ValueError, match="replaces more characters than"):
        tokenizer.encode("½")


def test_type_ids_of_encode_batch_fast_are_0_as_in_the_library() -> None:
    for library in (ours, live):
        tokenizer = library.Tokenizer(library.models.WordLevel({"a": 0}, unk_token="a"))
        assert tokenizer.encode_batch([("a", "a")])[0].type_ids == [0, 1]
        assert tokenizer.encode_batch_fast([("a", "a")])[0].type_ids == [0, 0]


@pytest.mark.parametrize("normalized", [False, True])
def test_an_added_token_in_whitespace_that_the_one_before_it_took_is_dropped(normalized: bool) -> None:
    for text in ("  ", "a \u3000 b  ", "   "):
        found = []
        for library in (ours, live):
            tokenizer = library.Tokenizer(library.models.WordLevel({"a": 0, "b": 1}, unk_token="a"))
            tokenizer.add_tokens([library.AddedToken(" ", lstrip=True, rstrip=True, normalized=normalized)])
            encoding = tokenizer.encode(text)
            found.append((encoding.ids, columns(encoding), tokenizer.encode_batch_fast([text])[0].ids))
        assert found[0] == found[1]


@pytest.mark.parametrize("behavior", ["removed", "isolated"])
@pytest.mark.parametrize("pattern", [r"\w+", r"\w+|\W+", r"(\w)+", r"\p{L}+|\P{L}+"])
def test_characters_of_other_classes_in_python_are_split_as_in_the_library(pattern: str, behavior: str) -> None:
    text = "#▁\u200d👍🏽abc\t12Ⅷ\u00b2_\u203f"
    expected = live.pre_tokenizers.Split(live.Regex(pattern), behavior, invert=True).pre_tokenize_str(text)
    mine = ours.pre_tokenizers.Split(ours.Regex(pattern), behavior, invert=True)
    assert mine.pre_tokenize_str(text) == expected
    assert mine.split_text(text, at_start=True) == [part for part, _ in expected]
