"""NormalizedString and Token: the results of every method are those of tokenizers 0.23.3."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import tokenizers as library
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.strategies import texts
from tokenlab.algorithms.pipeline.split_behavior import BEHAVIORS
from tokenlab.libraries.tokenizers.text.normalized_string import NormalizedString, TooManyReplacedError
from tokenlab.libraries.tokenizers.text.pattern import Regex
from tokenlab.libraries.tokenizers.text.pre_tokenized_string import Token

SHORT = texts(surrogates=False, max_snippets=4, repeated=1)
PATTERNS = st.sampled_from(["a", " ", "ab", "é", "日", "aa"])
REGEXES = st.sampled_from(["a+", r"\s", "^", "$", "[ae]?", r"\w+", "(?=a)"])
CONTENTS = st.sampled_from(["", "x", "xy", "日本"])


def without(character: str) -> bool:
    return character not in "a \u0301"


def shifted(character: str) -> str:
    return chr(ord(character) + 1) + "!" if character < "z" else character


Change = tuple[str, tuple[Any, ...]]
CHANGES: st.SearchStrategy[Change] = st.one_of(
    st.sampled_from(["nfc", "nfd", "nfkc", "nfkd", "lowercase", "uppercase", "strip", "lstrip", "rstrip", "clear"]).map(
        lambda name: (name, ())
    ),
    st.tuples(st.sampled_from(["prepend", "append"]), st.tuples(CONTENTS)),
    st.tuples(st.just("replace"), st.tuples(PATTERNS, CONTENTS)),
    st.tuples(st.just("replace"), st.tuples(REGEXES.map(Regex), CONTENTS)),
    st.sampled_from([("filter", (without,)), ("map", (shifted,))]),
)


def converted(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the arguments with the library's Regex instead of ours."""
    return tuple(library.Regex(one.pattern) if isinstance(one, Regex) else one for one in arguments)


def outcome(call: Callable[[], Any]) -> Any:
    """Return the result of a call, or the kind of its failure; a panic counts as a ValueError."""
    try:
        return call()
    except TooManyReplacedError:  # a ValueError
        return ValueError
    except BaseException as error:
        return ValueError if type(error).__name__ == "PanicException" else type(error)


def shown(text: Any) -> Any:
    return text if text is None or isinstance(text, type) else (text.original, text.normalized)


def parts_of(text: Any, length: int) -> list[Any]:
    """Return parts of a text with their originals, which show the alignment."""
    ends = [(0, end) for end in range(1, length + 1)] + [(start, length) for start in range(length)]
    return [shown(text[span]) for span in ends]


@examples(75)
@given(SHORT, st.lists(CHANGES, max_size=5))
def test_changes_give_the_librarys_text_and_alignment(text: str, changes: list[Change]) -> None:
    mine, other = NormalizedString(text), library.NormalizedString(text)
    for name, arguments in changes:
        results = [
            outcome(partial(getattr(mine, name), *arguments)),
            outcome(partial(getattr(other, name), *converted(arguments))),
        ]
        assert results[0] == results[1]
        if results[0] is ValueError:  # after a panic the library's text is unusable
            return
        assert (mine.original, mine.normalized) == (other.original, other.normalized)
        assert (str(mine), repr(mine)) == (str(other), repr(other))
        assert len(mine.alignments) == len(mine.normalized)
    if mine.alignments == sorted(mine.alignments):  # otherwise the library's positions overflow
        assert parts_of(mine, len(mine.normalized)) == parts_of(other, len(mine.normalized))


@examples(60)
@given(SHORT, st.sampled_from(["nfkc", "nfd", "lowercase"]), PATTERNS | REGEXES.map(Regex), st.sampled_from(BEHAVIORS))
def test_splits_are_the_librarys(text: str, change: str, pattern: str | Regex, behavior: str) -> None:
    mine, other = NormalizedString(text), library.NormalizedString(text)
    getattr(mine, change)()
    getattr(other, change)()
    expected = other.split(*converted((pattern, behavior)))
    assert list(map(shown, mine.split(pattern, behavior))) == list(map(shown, expected))


RANGES = st.one_of(
    st.integers(-8, 8),
    st.tuples(st.integers(0, 8), st.integers(0, 8)),
    st.builds(slice, *[st.none() | st.integers(-8, 8)] * 2, st.none() | st.sampled_from([1, 2, -1])),
    st.sampled_from([True, (1,), (1, 2, 3), (-1, 2), (1.5, 2), "a", 1.5, None, 2**70, (0, 2**70), [0, 1]]),
)


@examples(100)
@given(texts(surrogates=False, max_snippets=2, repeated=1), RANGES)
def test_ranges_are_the_librarys(text: str, given_range: Any) -> None:
    mine, other = NormalizedString(text), library.NormalizedString(text)
    results = [shown(outcome(partial(one.__getitem__, given_range))) for one in (mine, other)]
    assert results[0] == results[1]
    assert shown(outcome(lambda: mine.slice(given_range))) == results[0]


@pytest.mark.parametrize(
    "call",
    [
        lambda kind: kind("a\ud800"),
        lambda kind: kind(1),
        lambda kind: kind("abc").split("b", "x"),
        lambda kind: kind("abc").split(3, "removed"),
        lambda kind: kind("abc").split("b", 3),
        lambda kind: kind("abc").replace("b", 3),
        lambda kind: kind("abc").append(3),
        lambda kind: kind("abc").prepend("\ud800"),
        lambda kind: kind("abc").filter(3),
        lambda kind: kind("abc").map(3),
        lambda kind: kind("abc").for_each(3),
        lambda kind: kind("abc").map(lambda _: ""),
        lambda kind: kind("abc").map(lambda _: 3),
        lambda kind: kind("abc").filter(lambda _: 1),
        lambda kind: kind("abc").filter(lambda _: 1 / 0),
        lambda kind: kind("abc").for_each(lambda _: 1 / 0),
    ],
)
def test_errors_have_the_librarys_types(call: Callable[[Any], Any]) -> None:
    expected = outcome(lambda: call(library.NormalizedString))
    assert isinstance(expected, type)
    assert outcome(lambda: call(NormalizedString)) is expected


def test_for_each_sees_every_character() -> None:
    seen: list[str] = []
    NormalizedString("aé👍").for_each(seen.append)
    assert seen == ["a", "é", "👍"]


def test_offsets_are_converted_in_both_directions() -> None:
    text = NormalizedString("a½b")
    text.nfkc()
    assert text.normalized == "a1⁄2b"
    assert text.convert_offsets(1, 2) == (1, 2)
    assert text.convert_offsets(0, 2, "original") == (0, 4)
    assert text.convert_offsets(1, 1) == (1, 1)
    assert text.convert_offsets(2, 1) is None
    assert text.convert_offsets(0, 9) is None
    part = text.slice_normalized(1, 4)
    assert part is not None
    assert (part.original, part.alignments, part.offsets_original()) == ("½", [(0, 1)] * 3, (1, 2))


def test_a_lowercase_ascii_text_keeps_the_identity() -> None:
    text = NormalizedString("ABC")
    text.lowercase()
    assert text.is_identity


@pytest.mark.parametrize(
    "arguments",
    [
        (-1, "a", (0, 1)),
        (2**32, "a", (0, 1)),
        (1, 2, (0, 1)),
        (1, "a", [0, 1]),
        (1, "a", (0, -1)),
        (1, "a", (0,)),
        ("1", "a", (0, 1)),
    ],
)
def test_token_refuses_what_the_library_refuses(arguments: tuple[Any, ...]) -> None:
    expected = outcome(lambda: library.Token(*arguments))
    assert isinstance(expected, type)
    assert outcome(lambda: Token(*arguments)) is expected


def test_token_has_the_librarys_attributes() -> None:
    for kind in (Token, library.Token):
        token = kind(5, "é", (1, 3))
        assert (token.id, token.value, token.offsets, token.as_tuple()) == (5, "é", (1, 3), (5, "é", (1, 3)))
        with pytest.raises(AttributeError):
            token.id = 3  # type: ignore[misc]
