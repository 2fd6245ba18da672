"""PreTokenizedString: splits, and the places of tokens in the original, as in the library."""

from __future__ import annotations

from typing import Any

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.strategies import texts
from tokenlab.algorithms.pipeline.split_behavior import BEHAVIORS
from tokenlab.libraries.tokenizers.text.normalized_string import NormalizedString
from tokenlab.libraries.tokenizers.text.pattern import Regex
from tokenlab.libraries.tokenizers.text.pre_tokenized_string import PreTokenizedString, Token, token_columns

KINDS = [(a, b) for a in ("original", "normalized") for b in ("char", "byte")]
LIBRARY: tuple[Any, ...] = (tokenizers.PreTokenizedString, tokenizers.Regex, tokenizers.Token)
OURS: tuple[Any, ...] = (PreTokenizedString, Regex, Token)

normalizations = st.sampled_from(
    [
        *[("prepend", "日"), ("lowercase",), ("uppercase",), ("nfd",), ("nfkd",), ("nfc",), ("strip",), ("clear",)],
        *[("replace", " ", ""), ("replace", "a", "aé"), ("replace", "é", "")],
    ]
)
splits = st.tuples(st.sampled_from([" ", "a", "é", "regex:[ab]+"]), st.sampled_from(BEHAVIORS))
# The library crashes if a text is emptied, appended to, and changed once more, so appending comes first.
first = st.sampled_from([[], [], [("normalize", ("append", "é!"))]])
others = st.lists(st.one_of(st.tuples(st.just("normalize"), normalizations), st.tuples(st.just("split"), splits)))
changes = st.builds(list.__add__, first, others)
offsets = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=4)
# The library has the letters of another Unicode version than Python; the test is about offsets.
plain = st.text("ab é日😀\u0301ﬁ", max_size=12)


def made(package: Any, text: str, steps: Any, tokens: list[tuple[int, int]] | None) -> Any:
    """A PreTokenizedString of one of the packages after some changes."""
    string, regex, token = package
    result = string(text)
    for kind, arguments in steps:
        if kind == "split":
            pattern, behavior = arguments
            if pattern.startswith("regex:"):
                pattern = regex(pattern.removeprefix("regex:"))
            result.split(lambda _, part, given=(pattern, behavior): part.split(*given))
        else:
            result.normalize(lambda part, given=arguments: getattr(part, given[0])(*given[1:]))
    if tokens is not None:
        result.tokenize(lambda _: [token(5, "x", span) for span in tokens])
    return result


@given(plain, changes)
@examples(150)
def test_splits_are_the_library_s(text: str, steps: Any) -> None:
    expected, found = (made(package, text, steps, None) for package in (LIBRARY, OURS))
    for kind in KINDS:
        assert found.get_splits(*kind) == expected.get_splits(*kind)


@given(plain, changes, offsets, st.none() | st.integers(0, 9), st.integers(0, 3))
@examples(150)
def test_encodings_are_the_library_s(
    text: str, steps: Any, tokens: list[tuple[int, int]], word: int | None, type_id: int
) -> None:
    expected, found = (made(package, text, steps, tokens).to_encoding(type_id, word) for package in (LIBRARY, OURS))
    for name in ("ids", "tokens", "offsets", "word_ids", "type_ids", "special_tokens_mask", "attention_mask"):
        assert getattr(found, name) == getattr(expected, name), name
    assert found.n_sequences == expected.n_sequences and found.sequence_ids == expected.sequence_ids


@given(texts(surrogates=False, repeated=3))
@examples(60)
def test_the_whole_text_is_the_first_split(text: str) -> None:
    expected, found = tokenizers.PreTokenizedString(text), PreTokenizedString(text)
    assert [found.get_splits(*kind) for kind in KINDS] == [expected.get_splits(*kind) for kind in KINDS]


def test_all_spans_of_a_text_with_characters_of_several_bytes() -> None:
    spans = [(start, end) for start in range(14) for end in range(14)]
    for text in ("héé日", "ab", "", "😀"):
        expected, found = (made(package, text, [], spans).to_encoding() for package in (LIBRARY, OURS))
        assert found.offsets == expected.offsets


def test_splits_with_tokens_are_not_changed() -> None:
    for string, _, token in (LIBRARY, OURS):
        text = string("ab cd")
        text.split(lambda _, part: part.split(" ", "removed"))
        text.tokenize(lambda part, token=token: [token(0, part, (0, 2))])
        text.split(lambda _, part: part.split("a", "removed"))
        text.normalize(lambda part: part.uppercase())
        text.tokenize(lambda _: [])
        assert [(part, span, len(tokens)) for part, span, tokens in text.get_splits()] == [
            *(("ab", (0, 2), 1), ("cd", (3, 5), 1))
        ]


def test_the_function_gets_the_number_of_the_split_among_all() -> None:
    for string, _, _ in (LIBRARY, OURS):
        text = string("a b c")
        numbers: list[tuple[int, str]] = []
        text.split(lambda _, part: part.split(" ", "isolated"))
        text.split(lambda number, part, numbers=numbers: (numbers.append((number, part.normalized)), [part])[1])
        assert numbers == [(0, "a"), (1, " "), (2, "b"), (3, " "), (4, "c")]


def fail(*_: Any) -> Any:
    raise KeyError("gone")


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda string, token: string(5), TypeError, "s=5 should be a str"),
        (lambda string, token: string("\ud800"), UnicodeEncodeError, "surrogates not allowed"),
        (lambda string, token: string("a").split(5), TypeError, "func=5 is a int; split needs a function"),
        (lambda string, token: string("a").normalize(5), TypeError, "func=5 is a int; normalize needs a function"),
        (lambda string, token: string("a").tokenize(5), TypeError, "func=5 is a int; tokenize needs a function"),
        (lambda string, token: string("a").split(lambda *_: 5), Exception, "TypeError: .*expected a list of Norm"),
        (lambda string, token: string("a").split(lambda *_: ["a"]), Exception, "TypeError: .*expected NormalizedStr"),
        (lambda string, token: string("a").split(fail), Exception, "KeyError: 'gone'"),
        (lambda string, token: string("a").normalize(fail), Exception, "KeyError: 'gone'"),
        (lambda string, token: string("a").tokenize(fail), Exception, "KeyError: 'gone'"),
        (lambda string, token: string("a").tokenize(lambda _: 5), Exception, "TypeError: .*expected a list of Token"),
        (lambda string, token: string("a").tokenize(lambda _: [5]), Exception, "TypeError: .*expected Token"),
        (lambda string, token: string("a").tokenize(lambda _: (token(0, "a", (0, 1)),)), Exception, "list of Token"),
        (lambda string, token: string("a").to_encoding(), Exception, "call `tokenize` first"),
        (lambda string, token: string("").to_encoding(), Exception, "call `tokenize` first"),
        (lambda string, token: string("a").get_splits("middle"), ValueError, "offset_referential='middle'"),
        (lambda string, token: string("a").get_splits(offset_type="bytes"), ValueError, "did you mean 'byte'"),
        (lambda string, token: string("a").get_splits(5), TypeError, "offset_referential=5"),
    ],
)
def test_bad_input_raises_what_the_library_raises(call: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind):
        call(tokenizers.PreTokenizedString, tokenizers.Token)
    with pytest.raises(kind, match=message):
        call(PreTokenizedString, Token)


@pytest.mark.parametrize("arguments", [(-1,), (2**32,), (0, -1), (0, 2**32)])
def test_numbers_that_do_not_fit_are_refused(arguments: tuple[int, ...]) -> None:
    for package in (LIBRARY, OURS):
        text = made(package, "a", [], [])
        with pytest.raises(OverflowError):
            text.to_encoding(*arguments)


def test_a_failed_function_leaves_the_splits_as_they_were() -> None:
    text = PreTokenizedString("a b")
    with pytest.raises(ValueError, match="KeyError"):
        text.split(fail)
    assert text.get_splits() == [("a b", (0, 3), None)]


def test_a_text_lent_to_normalize_cannot_be_used_later() -> None:
    for string, _, _ in (LIBRARY, OURS):
        kept: list[Any] = []
        string("a").normalize(kept.append)
        with pytest.raises(Exception, match="Cannot use a NormalizedStringRefMut outside `normalize`"):
            kept[0].lowercase()


def test_without_splits_the_encoding_is_empty() -> None:
    for string, _, _ in (LIBRARY, OURS):
        text = string("")
        text.split(lambda _, part: [part])
        assert text.get_splits() == [] and text.to_encoding().ids == []


def test_token_columns_of_a_part_of_the_splits() -> None:
    text = PreTokenizedString("née Lee")
    text.split(lambda _, part: part.split(" ", "removed"))
    text.tokenize(lambda part: [Token(0, part[:1], (0, 1)), Token(1, part[1:], (1, len(part.encode())))])
    assert token_columns(text.splits) == (["n", "ée", "L", "ee"], [(0, 1), (1, 3), (4, 5), (5, 7)], [0, 0, 1, 1])
    assert token_columns(text.splits[1:], word_idx=7) == (["L", "ee"], [(4, 5), (5, 7)], [7, 7])


def test_a_normalized_string_keeps_its_alignment() -> None:
    part = NormalizedString("ﬁt")
    part.nfkd()
    assert PreTokenizedString(part).get_splits("normalized") == [("fit", (0, 1), None)]
    assert PreTokenizedString(part).original == "ﬁt"
