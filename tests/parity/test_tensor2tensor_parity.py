"""Subtokens, ids, texts and files are those of tensor2tensor 1.15.7: stored answers, and the library where it is."""

from __future__ import annotations

import json
import unicodedata
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import skips
from tests.examples import examples
from tests.parity.make_tensor2tensor import COUNTS, NASTY, STORED, digest
from tests.parity.original_tensor2tensor import FOLDER, original
from tests.strategies import texts
from tokenlab import data
from tokenlab.algorithms.subword_text.build import build
from tokenlab.algorithms.subword_text.build_to_size import bisect_min_count
from tokenlab.algorithms.subword_text.escape import escape, escape_with_replace, unescape
from tokenlab.algorithms.subword_text.split import split_into_runs
from tokenlab.libraries.tensor2tensor import text_encoder, tokenizer
from tokenlab.libraries.tensor2tensor.text_encoder import SubwordTextEncoder

ANSWERS: dict[str, list[Any]] = json.loads(STORED.read_text(encoding="utf-8"))
live = pytest.mark.skipif(not FOLDER, reason=skips.TENSOR2TENSOR)


def test_texts_are_split_as_there() -> None:
    for text, tokens in ANSWERS["tokens"]:
        assert tokenizer.encode(text) == split_into_runs(text) == tokens
        assert tokenizer.decode(tokens) == text


def test_tokens_are_joined_as_there() -> None:
    for tokens, text in ANSWERS["joined"]:
        assert tokenizer.decode(tokens) == text


def test_tokens_are_escaped_as_there_with_any_alphabet() -> None:
    for token, alphabet, escaped in ANSWERS["escaped"]:
        assert escape(token, set(alphabet)) == escape_with_replace(token, set(alphabet)) == escaped


def test_whatever_is_unescaped_gives_what_it_gives_there() -> None:
    for escaped, token in ANSWERS["unescaped"]:
        assert unescape(escaped) == token


@pytest.mark.parametrize("answer", ANSWERS["built"], ids=lambda answer: f"{answer['counts']}-{answer['options']}")
def test_small_corpora_have_the_subtokens_and_ids_that_they_have_there(answer: Any, tmp_path: Path) -> None:
    encoder = SubwordTextEncoder()
    encoder.build_from_token_counts(COUNTS[answer["counts"]], **answer["options"])
    assert list(encoder.all_subtoken_strings) == answer["subtokens"]
    assert encoder.vocab_size == len(answer["subtokens"])
    assert digest([encoder.encode(text) for text in NASTY]) == answer["ids"]
    assert digest([encoder.encode_without_tokenizing(text) for text in NASTY]) == answer["whole"]
    for ids, text, stripped, subtokens in answer["odd"]:
        assert (encoder.decode(ids), encoder.decode(ids, strip_extraneous=True)) == (text, stripped)
        assert encoder.decode_list(ids) == subtokens
    for stored, quotes in zip(answer["files"], (True, False), strict=True):
        path = tmp_path / f"vocabulary {quotes}"
        if stored is None:
            with pytest.raises(ValueError, match="surrogate"):
                encoder.store_to_file(path, add_single_quotes=quotes)
            assert not list(tmp_path.iterdir())
        else:
            encoder.store_to_file(path, add_single_quotes=quotes)
            assert path.read_bytes().decode() == stored


@pytest.mark.parametrize("answer", ANSWERS["built"], ids=lambda answer: f"{answer['counts']}-{answer['options']}")
def test_the_textbook_has_the_same_subtokens(answer: Any) -> None:
    renamed = {"num_iterations": "iterations", "max_subtoken_length": "max_length"}
    options = {renamed.get(name, name): value for name, value in answer["options"].items()}
    assert build(COUNTS[answer["counts"]], **options) == answer["subtokens"]


@pytest.mark.parametrize("answer", ANSWERS["sized"], ids=lambda answer: f"{answer['text']}-{answer['options']}")
def test_a_corpus_at_a_target_size_has_the_vocabulary_and_ids_that_it_has_there(answer: Any) -> None:
    lines = data.text(answer["text"]).splitlines()
    encoder = SubwordTextEncoder.build_from_generator(iter(lines), **answer["options"])
    assert encoder.vocab_size == answer["size"]
    assert digest(encoder.all_subtoken_strings) == answer["subtokens"]
    assert digest([encoder.encode(line) for line in lines]) == answer["ids"]


def test_a_target_below_the_alphabet_gives_the_vocabulary_that_it_gives_there_and_a_warning() -> None:
    (answer,) = ANSWERS["too small"]
    target = answer["options"]["target_size"]
    assert answer["size"] > target
    with pytest.warns(UserWarning, match=f"target_size={target} is smaller .* at least {answer['size']}"):
        encoder = SubwordTextEncoder.build_from_generator(data.text(answer["text"]).splitlines(), target)
    assert encoder.vocab_size == answer["size"]
    assert {"subtokens": digest(encoder.all_subtoken_strings)}.items() <= answer.items()


@pytest.mark.parametrize("answer", ANSWERS["loaded"], ids=lambda answer: repr(answer["text"]))
def test_vocabulary_files_are_read_as_there(answer: Any, tmp_path: Path) -> None:
    path = tmp_path / "vocabulary"
    path.write_bytes(answer["text"].encode())
    encoder = SubwordTextEncoder(str(path))
    assert list(encoder.all_subtoken_strings) == answer["subtokens"]
    assert encoder.encode("a a") == answer["ids"]


def test_the_files_that_the_lesson_shows_are_what_is_built_here(tmp_path: Path) -> None:
    built = SubwordTextEncoder.build_from_generator(data.text("english").splitlines(), 600)
    built.store_to_file(tmp_path / "vocabulary")
    assert (tmp_path / "vocabulary").read_bytes() == (data.FOLDER / "english.subwords").read_bytes()
    loaded = SubwordTextEncoder(data.FOLDER / "english.subwords")
    for line in (data.FOLDER / "english.subwords.tsv").read_text(encoding="utf-8").splitlines():
        text, _, ids = line.partition("\t")
        assert built.encode(json.loads(text)) == loaded.encode(json.loads(text)) == [*map(int, ids.split())]


def test_letters_and_numbers_are_the_characters_of_those_categories() -> None:
    # tensor2tensor asks for the category, the pattern here for str.isalnum.
    for character in map(chr, range(0x110000)):
        assert character.isalnum() == (unicodedata.category(character)[0] in "LN"), ascii(character)


# --- the library itself, where TENSOR2TENSOR names its folder --------------------------------------


counts_of_texts = st.lists(texts(max_snippets=6), min_size=1, max_size=4).map(
    lambda drawn: Counter(token for text in drawn for token in tokenizer.encode(text[:300]))
)
options = st.fixed_dictionaries(
    {
        "min_count": st.sampled_from([0, 1, 2, 3, 7]),
        "num_iterations": st.sampled_from([1, 2, 4]),
        "reserved_tokens": st.sampled_from([None, [], ["<pad>"], ["<pad>", "<EOS>", "<a b>", "a"]]),
        "max_subtoken_length": st.sampled_from([None, 1, 2, 5]),
    }
)


@live
@examples(40)
@given(counts_of_texts, options, texts())
def test_the_library_itself_builds_encodes_and_decodes_alike(counts: Any, options: Any, text: str) -> None:
    theirs, ours = original().text_encoder.SubwordTextEncoder(), SubwordTextEncoder()
    for encoder in theirs, ours:
        encoder.build_from_token_counts(counts, **options)
    assert ours.all_subtoken_strings == theirs.all_subtoken_strings
    assert ours.encode(text) == theirs.encode(text)
    assert ours.decode(ours.encode(text)) == text
    ids = list(range(-1, ours.vocab_size + 1))
    assert ours.decode(ids) == theirs.decode(ids)


@live
@examples(20)
@given(counts_of_texts, st.integers(1, 200), st.sampled_from([(1, 1e3), (2, 5), (1, 1), (3, 4)]))
def test_the_library_itself_finds_the_same_size(counts: Any, target: int, interval: tuple[int, int]) -> None:
    theirs = original().text_encoder.SubwordTextEncoder.build_to_target_size(target, counts, *interval)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the size may be smaller than the alphabet
        ours = SubwordTextEncoder.build_to_target_size(target, counts, *interval)
    assert ours.all_subtoken_strings == theirs.all_subtoken_strings
    assert bisect_min_count(target, lambda least: build(counts, least), *interval) == [*ours.all_subtoken_strings]


@live
def test_the_library_itself_gives_the_files_that_the_lesson_shows(tmp_path: Path) -> None:
    library = original().text_encoder.SubwordTextEncoder
    encoder = library.build_from_generator(data.text("english").splitlines(), 600)
    encoder.store_to_file(str(tmp_path / "vocabulary"))
    assert (tmp_path / "vocabulary").read_bytes() == (data.FOLDER / "english.subwords").read_bytes()
    for line in (data.FOLDER / "english.subwords.tsv").read_text(encoding="utf-8").splitlines():
        text, _, ids = line.partition("\t")
        assert encoder.encode(json.loads(text)) == [*map(int, ids.split())]


@live
def test_the_library_has_the_names_and_defaults_that_are_here() -> None:
    import inspect

    library = original()
    for here, there in (text_encoder, library.text_encoder), (tokenizer, library.tokenizer):
        for name, ours in vars(here).items():
            theirs = getattr(there, name, None)
            if name.startswith("_") or theirs is None or not callable(ours) or ours.__module__ != here.__name__:
                continue
            if inspect.isclass(ours):
                methods = [method for method in vars(theirs) if not method.startswith("_") or method == "__init__"]
                pairs = [(getattr(ours, method), getattr(theirs, method)) for method in methods]
            else:
                pairs = [(ours, theirs)]
            for mine, other in pairs:
                if callable(other):
                    assert _parameters(mine) == _parameters(other), name


def _parameters(function: Any) -> list[tuple[str, Any]]:
    """The parameters but for `executor`, by which ours count a corpus on several machines."""
    import inspect

    given = inspect.signature(function).parameters.values()
    return [(one.name, one.default) for one in given if (one.name, one.kind) != ("executor", one.KEYWORD_ONLY)]


@live
def test_the_smaller_encoders_of_the_library_itself_agree(tmp_path: Path) -> None:
    library = original().text_encoder
    words = ["so", "cool", "<UNK>", "<pad>", "x"]
    path = tmp_path / "words"
    for reverse in (False, True):
        pair = [
            module.TokenTextEncoder(None, reverse=reverse, vocab_list=words, replace_oov="<UNK>")
            for module in (text_encoder, library)
        ]
        assert pair[0].encode(" so  hot x") == pair[1].encode(" so  hot x")
        assert pair[0].decode([0, 1, 2, 9]) == pair[1].decode([0, 1, 2, 9])
        pair[1].store_to_file(str(path))
        stored = path.read_bytes()
        pair[0].store_to_file(str(path))
        assert path.read_bytes() == stored
        read = [module.TokenTextEncoder(str(path), reverse=reverse) for module in (text_encoder, library)]
        assert read[0].encode("cool <pad>") == read[1].encode("cool <pad>")
        assert read[0].vocab_size == read[1].vocab_size
    for numbers in [module.TextEncoder() for module in (text_encoder, library)]:
        assert numbers.encode("5 0") == [7, 2]
        assert numbers.decode([1, 7, 0, 1], strip_extraneous=True) == "<EOS> 5"
    ours, theirs = text_encoder.ByteTextEncoder(3), library.ByteTextEncoder(3)
    assert ours.encode("é😀") == theirs.encode("é😀")
    assert ours.vocab_size == theirs.vocab_size
    for ids in [0, 1, 198, 172, 1], [198], []:
        assert ours.decode(ids) == theirs.decode(ids)
        assert ours.decode_list(ids) == theirs.decode_list(ids)
        assert ours.decode(ids, True) == theirs.decode(ids, True)
