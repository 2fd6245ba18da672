"""Added tokens: ids, flags, and their extraction, compared with the library."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
import tokenizers as live
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.strategies import texts
from tokenlab.algorithms.pipeline.added_tokens import AddedTokenRule, split_added_tokens
from tokenlab.algorithms.pipeline.unicode_versions import WHITESPACE
from tokenlab.libraries import tokenizers as ours

FLAGS = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized", "special"), st.booleans())
)
CONTENTS = ("a", "aa", "ab", "b", "A", " a", "a ", "  ", "é", "[M]", "don't", "日本", "", "z", "Z")
TOKENS = st.lists(st.tuples(st.sampled_from(CONTENTS), FLAGS), max_size=6)


def tokenizer(library: Any, normalizer: str | None) -> Any:
    vocab = {"<unk>": 0, "a": 1, "é": 2, "ab": 5}
    made = library.Tokenizer(library.models.WordLevel(vocab, unk_token="<unk>"))
    made.pre_tokenizer = library.pre_tokenizers.Whitespace()
    if normalizer:
        made.normalizer = getattr(library.normalizers, normalizer)()
    return made


def columns(made: Any, text: str) -> Any:
    try:
        encoding = made.encode(text)
    except BaseException as error:
        assert isinstance(error, Exception) or type(error).__name__ == "PanicException"
        return "error"
    return encoding.ids, encoding.tokens, encoding.offsets, encoding.word_ids


@examples(60)
@given(
    st.lists(TOKENS, max_size=3),
    st.sampled_from([None, "Lowercase", "NFD"]),
    st.lists(st.sampled_from([*CONTENTS, " ", "\t", "x", "_", ".", "\u0301"]), max_size=12).map("".join),
    texts(surrogates=False, repeated=1),
    st.booleans(),
)
def test_ids_and_matches_are_those_of_the_library(
    batches: list[Any], normalizer: str | None, dense: str, text: str, as_text: bool
) -> None:
    pair = [tokenizer(library, normalizer) for library in (live, ours)]
    for place, tokens in enumerate(batches):
        added = []
        for library, made in zip((live, ours), pair, strict=True):
            method = made.add_special_tokens if place == 1 else made.add_tokens
            added.append(method([library.AddedToken(content, **flags) for content, flags in tokens]))
        assert added[0] == added[1]
    expected, mine = pair
    assert mine.get_vocab() == expected.get_vocab()
    assert mine.get_vocab_size() == expected.get_vocab_size()
    decoder = {id: repr(token) for id, token in expected.get_added_tokens_decoder().items()}
    assert {id: repr(token) for id, token in mine.get_added_tokens_decoder().items()} == decoder
    for id in range(20):
        assert mine.id_to_token(id) == expected.id_to_token(id)
    if normalizer and {"A", "Z"} & {content for tokens in batches for content, _ in tokens}:
        return  # two tokens may have one normalized form: the library takes either
    if any(flags.get("rstrip") for tokens in batches for _, flags in tokens):
        dense = dense.replace("   ", " ")  # overlapping tokens of whitespace panic in the library
    for made in pair:
        made.encode_special_tokens = as_text
    assert columns(mine, dense) == columns(expected, dense)
    assert columns(mine, text) == columns(expected, text)
    ids = list(range(12))
    for skip in (True, False):
        assert mine.decode(ids, skip) == expected.decode(ids, skip)


def test_whitespace_is_that_of_the_library() -> None:
    theirs = tokenizer(live, None)
    theirs.pre_tokenizer = None
    theirs.add_tokens([live.AddedToken("@", lstrip=True)])
    for code in (*range(0x3100), 0xFEFF, 0xE000, 0x1F600):
        if not 0xD800 <= code < 0xE000:
            assert (len(theirs.encode(chr(code) + "@").ids) == 1) == (chr(code) in WHITESPACE)


def test_a_word_character_beside_a_token_is_that_of_the_library() -> None:
    theirs, mine = tokenizer(live, None), tokenizer(ours, None)
    for library, made in ((live, theirs), (ours, mine)):
        made.pre_tokenizer = None
        made.add_tokens([library.AddedToken("@", single_word=True)])
    for code in range(0x500):  # all code points of Unicode 16 are equal; the module `regex` has a later version
        assert mine.encode(chr(code) + "@").ids == theirs.encode(chr(code) + "@").ids


def test_a_rejected_match_hides_the_matches_in_it() -> None:
    rules = {"<mask>": AddedTokenRule(0, single_word=True), "sk>": AddedTokenRule(1)}
    assert split_added_tokens("x<mask>", rules) == [(0, 7, None)]


def test_overlapping_tokens_of_whitespace_are_refused() -> None:
    mine = tokenizer(ours, None)
    mine.add_tokens([ours.AddedToken("a", rstrip=True), ours.AddedToken("  ", lstrip=True)])
    with pytest.raises(ValueError, match="in whitespace that the token before it took"):
        mine.encode("a    b")


def test_of_two_tokens_with_one_normalized_form_the_first_is_found() -> None:
    mine = tokenizer(ours, "Lowercase")
    mine.add_tokens(["ZZ", "zz", "Zz"])
    assert mine.encode("zZ").ids == [mine.token_to_id("ZZ")]


def test_another_normalizer_changes_what_matches() -> None:
    for library in (live, ours):
        made = tokenizer(library, None)
        made.add_tokens(["Yes"])
        assert made.encode("yes Yes").ids == [0, made.token_to_id("Yes")]
        made.normalizer = library.normalizers.Lowercase()
        assert made.encode("yes Yes").ids == [made.token_to_id("Yes")] * 2
        assert made.id_to_token(made.token_to_id("Yes")) == "yes"


def test_an_added_token_given_to_the_tokenizer_is_copied() -> None:
    token = ours.AddedToken("zz")
    mine = tokenizer(ours, None)
    mine.add_tokens([token])
    token.content = "yy"
    assert mine.encode("zz").tokens == ["zz"]


@given(st.sampled_from(CONTENTS), FLAGS, st.sampled_from(CONTENTS), FLAGS)
def test_added_token_shows_and_compares_as_in_the_library(
    content: str, flags: dict[str, bool], other: str, other_flags: dict[str, bool]
) -> None:
    mine, theirs = ours.AddedToken(content, **flags), live.AddedToken(content, **flags)
    assert repr(mine) == repr(theirs)
    assert str(mine) == str(theirs)
    assert mine.__getstate__() == theirs.__getstate__()
    pair = ours.AddedToken(other, **other_flags), live.AddedToken(other, **other_flags)
    assert (mine == pair[0]) == (theirs == pair[1])
    assert (mine < pair[0]) == (theirs < pair[1])
    assert pickle.loads(pickle.dumps(mine)) == copy.deepcopy(mine) == mine
    assert hash(mine) == hash(ours.AddedToken(content))


@pytest.mark.parametrize("library", [live, ours])
def test_added_token_refuses_wrong_types(library: Any, capfd: pytest.CaptureFixture[str]) -> None:
    for given_ in ({"content": 3}, {"lstrip": 1}, {"special": None}):
        with pytest.raises(TypeError):
            library.AddedToken(**given_)
    with pytest.raises(TypeError):
        library.AddedToken("a", True)
    with pytest.raises(UnicodeEncodeError):
        library.AddedToken("\ud800")
    with pytest.raises(AttributeError):
        library.AddedToken("a").lstrip = True
    library.AddedToken("a", unknown=1)
    assert "Ignored unknown kwarg option unknown" in capfd.readouterr().out
    for wrong in ("abc", ("abc",), [3], ["\ud800"]):
        with pytest.raises(TypeError):
            tokenizer(library, None).add_tokens(wrong)


@pytest.mark.slow
def test_a_single_word_is_bounded_by_the_word_characters_of_the_librarys_unicode_version() -> None:
    # U+A7DD and U+11DB0 are letters since Unicode 17, U+1C89 since 16.
    characters = [chr(code) for code in (*range(0x80, 0x3000, 7), *range(0xA700, 0xAC00), *range(0x10900, 0x1E900, 3))]
    text = "".join(f"{character}x " for character in [*characters, "\ua7dd", "\U00011db0", "\u1c89"])
    found = []
    for library in (ours, live):
        tokenizer = library.Tokenizer(library.models.WordLevel({"a": 0}, unk_token="a"))
        tokenizer.add_tokens([library.AddedToken("x", single_word=True, normalized=False)])
        found.append(tokenizer.encode(text).offsets)
    assert found[0] == found[1]


@pytest.mark.parametrize("text", ["\n  ", "ab\n \n", "\n\n", ""])
def test_a_content_that_the_normalizer_empties_is_not_found_at_the_end_of_another_match(text: str) -> None:
    found = []
    for library in (ours, live):
        tokenizer = library.Tokenizer(library.models.WordLevel({"a": 0}, unk_token="a"))
        tokenizer.normalizer = library.normalizers.Replace("z", "")
        tokenizer.add_tokens([library.AddedToken("\n", rstrip=True, normalized=True), "z"])
        encoding = tokenizer.encode(text)
        found.append((encoding.ids, encoding.offsets))
    assert found[0] == found[1]
