"""BERT's own tokenizer beside the one that transformers uses: BertNormalizer, BertPreTokenizer, WordPiece."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from tests.examples import examples
from tests.parity.unicode_tables import (
    BETWEEN,
    CHARACTERS,
    CLEANED_THERE,
    NEW_BERT_MARKS,
    NEW_LETTERS,
    NEW_SIGNS,
    TYPING_ERROR,
    characters_in,
    settled,
)
from tests.strategies import texts
from tokenlab import data
from tokenlab.libraries.bert.tokenization import BasicTokenizer, FullTokenizer, WordpieceTokenizer


def vocabulary() -> list[str]:
    words = sorted(set(data.text("english").lower().split()[:600]))
    starts = {word[:length] for word in words for length in (1, 2, 3, 6)}
    insides = {"##" + word[start : start + length] for word in words for start in (1, 2, 4) for length in (1, 2, 4)}
    signs = {"'", ".", "!", "日", "é", "e", "##e", "σ", "##σ", "##ς", "ß", "##\u0301", "\u0301", "(", "ａ", "\ue000"}
    return ["[PAD]", "[UNK]", *sorted(starts | insides - {"##"} | signs)]


VOCABULARY = {token: id for id, token in enumerate(vocabulary())}


def live(lower: bool, longest: int = 200) -> Any:
    model = models.WordPiece(VOCABULARY, unk_token="[UNK]", max_input_chars_per_word=longest)
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lower)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def words_there(text: str, lower: bool) -> list[str]:
    normal = normalizers.BertNormalizer(lowercase=lower).normalize_str(text)
    return [word for word, _ in pre_tokenizers.BertPreTokenizer().pre_tokenize_str(normal)]


HOSTILE = texts(surrogates=False) | st.text("eéẹ日'’. İßΑσａ\u0301\t_$", max_size=30)
TEXTS = HOSTILE.map(settled).map(lambda text: text.replace("Σ", "s"))
CASES = pytest.mark.parametrize("lower", [True, False])


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bert") / "vocab.txt"
    path.write_text("\n".join(VOCABULARY) + "\n", encoding="utf-8")
    return path


@CASES
@examples(100)
@given(text=TEXTS)
def test_pieces_and_ids_are_those_of_tokenizers(path: Path, lower: bool, text: str) -> None:
    ours = FullTokenizer(path, do_lower_case=lower)
    encoding = live(lower).encode(text, add_special_tokens=False)
    pieces = ours.tokenize(text)
    assert pieces == encoding.tokens
    assert ours.convert_tokens_to_ids(pieces) == encoding.ids


@CASES
def test_lines_of_real_text_are_cut_as_there(path: Path, lower: bool) -> None:
    ours, theirs = FullTokenizer(path, do_lower_case=lower), live(lower)
    names = ("english", "german", "chinese", "japanese", "mixed")
    lines = [line for name in names for line in data.text(name).splitlines()[:40]]
    assert len(lines) >= 150
    for line in lines:
        line = settled(line)
        assert ours.tokenize(line) == theirs.encode(line, add_special_tokens=False).tokens


@pytest.mark.slow
@CASES
def test_each_character_is_cut_as_there_but_for_those_that_are_named(lower: bool) -> None:
    text = f" {BETWEEN} ".join(f"a{character}b" for character in CHARACTERS)
    here, there = runs(BasicTokenizer(lower).tokenize(text)), runs(words_there(text, lower))
    differing = {one for one, a, b in zip(CHARACTERS, here, there, strict=True) if a != b}
    tables = (CLEANED_THERE, NEW_SIGNS, TYPING_ERROR) + ((NEW_LETTERS, NEW_BERT_MARKS) if lower else ())
    # Of U+2028 and U+2029 one makes a blank while cleaning, the other cuts there later.
    assert differing == characters_in(*tables) & {*CHARACTERS} - {"\u2028", "\u2029"}


def runs(words: list[str]) -> list[list[str]]:
    """The words between those that only separate."""
    return [list(run) for separates, run in groupby(words, BETWEEN.__eq__) if not separates]


def test_lower_case_goes_letter_by_letter_there() -> None:
    assert BasicTokenizer().tokenize("ΟΔΟΣ") == ["οδος"]
    assert words_there("ΟΔΟΣ", lower=True) == ["οδοσ"]


def test_private_use_characters_are_kept_here_and_removed_there() -> None:
    assert BasicTokenizer().tokenize("a\ue000b") == ["a\ue000b"]
    assert words_there("a\ue000b", lower=True) == ["ab"]


def test_words_of_more_than_a_hundred_characters_are_unknown_there_and_of_more_than_two_hundred_here() -> None:
    vocabulary = {"[UNK]": 0, "a": 1, "##a": 2}
    there = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    here = WordpieceTokenizer(vocabulary)
    lost_there = [length for length in (99, 100, 101, 200, 201) if there.encode("a" * length).tokens == ["[UNK]"]]
    lost_here = [length for length in (99, 100, 101, 200, 201) if here.tokenize("a" * length) == ["[UNK]"]]
    assert (lost_there, lost_here) == ([101, 200, 201], [201])


def test_a_lone_surrogate_is_text_here_and_no_text_there() -> None:
    assert BasicTokenizer().tokenize("a \ud800") == ["a", "\ud800"]
    with pytest.raises((UnicodeEncodeError, TypeError)):
        live(True).encode("a \ud800")
