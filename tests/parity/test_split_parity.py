"""The cuts of each pattern, character by character those of tiktoken's engine; BERT's, those of its own rules."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import cache
from itertools import pairwise, product

import pytest
import regex
import tiktoken
from hypothesis import given
from tokenizers import pre_tokenizers

from tests.examples import examples
from tests.parity.live import BYTES, CHARACTERS, hostile, matches, moved
from tests.parity.unicode_tables import NEW_SIGNS, characters_in
from tests.strategies import texts
from tokenlab.algorithms.text.pretokenize import SPLITTERS, PreTokenizer, split_bert, split_gpt2, split_r50k
from tokenlab.libraries.tiktoken.pieces import FAST_R50K_PATTERN

TIKTOKENS = [SPLITTERS[name] for name in ("gpt2", "r50k", "cl100k", "cl100k_0_7", "o200k")]


def split_differently(splitter: PreTokenizer, texts: Iterable[str]) -> list[str]:
    """The texts that tiktoken splits elsewhere than we do.

    Its ids do not show the splits. So make a token of each of our pieces, and one of each two neighbours. A piece that
    is a token gets its id. Where tiktoken's first other piece is shorter than ours it cannot give our id. Where it is
    longer, it contains two of our pieces or a part of one, and it would have merged the two, whose concatenation is a
    token. Tokens of other texts change none of this, so that one encoding serves all texts.
    """
    pieces = {text: [piece.encode() for piece in splitter(text)] for text in texts}
    tokens = dict.fromkeys(
        token
        for found in pieces.values()
        for token in (*found, *(left + right for left, right in pairwise(found)))
        if token not in BYTES
    )
    ranks = BYTES | {token: rank for rank, token in enumerate(tokens, start=256)}
    live = tiktoken.Encoding("pieces", pat_str=splitter.pattern, mergeable_ranks=ranks, special_tokens={})
    return [text for text, found in pieces.items() if live.encode_ordinary(text) != [ranks[piece] for piece in found]]


@pytest.mark.parametrize("splitter", TIKTOKENS, ids=repr)
@examples(80)
@given(hostile)
def test_pieces_are_those_of_fancy_regex(splitter: PreTokenizer, text: str) -> None:
    assert split_differently(splitter, [text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")]) == []


@pytest.mark.parametrize("splitter", TIKTOKENS, ids=repr)
def test_white_space_before_line_ends_signs_and_the_end_is_cut_as_there(splitter: PreTokenizer) -> None:
    blanks = [
        "",
        " ",
        "\n",
        " \n",
        "\n ",
        "\r\n",
        "  ",
        " \n ",
        "\n\n",
        "\t \n\t",
        "\u3000\n",
        "\x85 ",
        "\x1c",
        "\x1c ",
    ]
    parts = ("x!7'", blanks, ("", "y", "!", "'LL"), blanks)
    assert split_differently(splitter, map("".join, product(*parts))) == []


def test_the_check_sees_a_cut_that_differs() -> None:
    other = PreTokenizer("other", {"all": r"(?s:.+)"})
    other.__dict__["find"] = SPLITTERS["cl100k"].find
    assert split_differently(other, ["hi", "hi\n "]) == ["hi\n "]
    old_cuts = PreTokenizer("old cuts", SPLITTERS["cl100k"].rules)
    old_cuts.__dict__["find"] = SPLITTERS["cl100k_0_7"].find
    assert split_differently(old_cuts, ["hi\n ", "hi \n"]) == ["hi\n "]


CLASSES = [
    r"\s",
    r"\p{L}",
    r"\p{N}",
    r"\p{M}",
    r"\p{Lu}",
    r"\p{Lt}",
    r"\p{Lm}",
    r"\p{Lo}",
    r"\p{Ll}",
    r"[^\s\p{L}\p{N}]",
]


@pytest.mark.parametrize("pattern", [*CLASSES, "(?i:[sdmt])", "(?i:l)", "(?i:v)", "(?i:e)", "(?i:r)"])
def test_each_class_has_the_same_characters_but_for_what_is_new_in_unicode(pattern: str) -> None:
    theirs, ours = set(matches(pattern, CHARACTERS)), set(regex.findall(pattern, CHARACTERS))
    # When this fails because nothing differs any more, tiktoken has caught up: say so in split.py.
    assert theirs ^ ours <= moved()
    assert {"\u088f", "\u0295"} <= moved()


def test_new_characters_are_what_the_docstring_says() -> None:
    assert all(unicodedata.category(character) == "Cn" for character in moved() - {"\u0295"})
    assert matches(r"\p{L}", "\u1c89\u088f") == "\u1c89"  # letters since Unicode 16, since 17
    assert regex.findall(r"\p{L}", "\u1c89\u088f") == ["\u1c89", "\u088f"]
    assert {c for c in CHARACTERS if c.isspace()} - set(regex.findall(r"\s", CHARACTERS)) == set("\x1c\x1d\x1e\x1f")


@examples(300)
@given(texts())
def test_gpt2s_pattern_and_its_two_faster_forms_cut_alike(text: str) -> None:
    assert split_gpt2(text) == split_r50k(text) == regex.findall(FAST_R50K_PATTERN, text)


def is_punctuation(character: str) -> bool:
    """As google-research/bert, tokenization.py, _is_punctuation."""
    code = ord(character)
    ascii_sign = 33 <= code <= 47 or 58 <= code <= 64 or 91 <= code <= 96 or 123 <= code <= 126
    return ascii_sign or unicodedata.category(character).startswith("P")


def words_of_bert(text: str) -> list[str]:
    """As google-research/bert, tokenization.py: whitespace_tokenize, then _run_split_on_punc for each word."""
    words = []
    for word in text.split():
        starts_new = True
        for character in word:
            if is_punctuation(character) or starts_new:
                words.append(character)
            else:
                words[-1] += character
            starts_new = is_punctuation(character)
    return words


@examples(300)
@given(texts())
def test_bert_splits_at_punctuation_as_its_own_code_does(text: str) -> None:
    text = "".join(character for character in text if character not in moved())
    assert split_bert.words(text) == words_of_bert(text)


@pytest.mark.slow
def test_bert_knows_every_punctuation_character() -> None:
    for character in CHARACTERS:
        if unicodedata.category(character) != "Cn":
            assert split_bert.words(f"a{character}b") == words_of_bert(f"a{character}b"), ascii(character)


def splits_of_tokenizers(text: str) -> list[str]:
    return [word for word, _ in pre_tokenizers.BertPreTokenizer().pre_tokenize_str(text)]


@cache
def later_punctuation() -> set[str]:
    """The characters that split a word only for us or only in tokenizers, whose table is of an older Unicode."""
    codes = [code for code in range(0x110000) if not 0xD800 <= code <= 0xDFFF]
    words = {chr(code): f"0{chr(code)}0" for code in codes}
    return {one for one, word in words.items() if split_bert.words(word) != splits_of_tokenizers(word)}


@pytest.mark.slow
def test_tokenizers_lacks_only_the_punctuation_of_later_unicode_versions() -> None:
    # \x1c to \x1f are white space to Python, and to BERT's code if they get that far; to Rust they are not.
    no_longer = {"\u166d", "\U000111c9"}  # since Unicode 12 and 11
    assert not any(regex.match(r"\p{P}", character) for character in no_longer)
    assert no_longer < later_punctuation()
    later = later_punctuation() - {*"\x1c\x1d\x1e\x1f"} - no_longer
    assigned = {character for character in later if unicodedata.category(character) != "Cn"}
    assert assigned == {one for one in characters_in(NEW_SIGNS) if regex.fullmatch(r"\p{P}", one)}
    assert all(regex.fullmatch(r"\p{P}", character) for character in later)


@pytest.mark.slow  # finds all punctuation of later versions of Unicode first
@examples(300)
@given(hostile)
def test_tokenizers_split_at_the_same_punctuation(text: str) -> None:
    text = "".join(c for c in text if c not in later_punctuation() and not "\ud800" <= c <= "\udfff")
    assert split_bert.words(text) == splits_of_tokenizers(text)
