"""Changes and alignments: every character knows where it came from, however many rules came after another."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import texts
from tokenlab.algorithms.text.alignment import AlignedText, Replacement, apply_replacements


@st.composite
def texts_and_changes(draw: st.DrawFn, text: st.SearchStrategy[str] = texts()) -> tuple[str, list[Replacement]]:  # noqa: B008
    original = draw(text)
    chance = random.Random(draw(st.integers(0, 1000)))
    changes: list[Replacement] = []
    place = 0
    while place <= len(original) and len(changes) < 30:
        start = place + chance.randrange(4)
        end = start + chance.randrange(3)
        if end > len(original):
            break
        changes.append(Replacement(start, original[start:end], chance.choice(["", "x", "yz", "日\u0301"])))
        place = end + (start == end)
    return original, changes


def test_a_text_starts_as_its_own_original() -> None:
    assert AlignedText.identity("a👍🏽") == AlignedText("a👍🏽", ((0, 1), (1, 2), (2, 3)))
    assert AlignedText.identity("") == AlignedText("", ())


def test_every_new_character_comes_from_the_whole_of_the_old() -> None:
    aligned = AlignedText.identity("xe\u0301y").apply([Replacement(1, "e\u0301", "é")])
    assert aligned == AlignedText("xéy", ((0, 1), (1, 3), (3, 4)))


def test_what_is_inserted_has_an_empty_span_where_it_stands() -> None:
    aligned = AlignedText.identity("ab").apply(
        [Replacement(0, "", "▁"), Replacement(1, "", "-"), Replacement(2, "", "!")]
    )
    assert aligned == AlignedText("▁a-b!", ((0, 0), (0, 1), (1, 1), (1, 2), (2, 2)))


def test_what_is_inserted_after_all_was_removed_stands_at_the_start() -> None:
    assert AlignedText.identity("  ").apply([Replacement(0, "  ", "")]).apply([Replacement(0, "", "x")]).spans == (
        (0, 0),
    )


def test_a_span_reaches_from_the_first_character_to_the_last() -> None:
    aligned = AlignedText("a...b", ((0, 1), (1, 2), (1, 2), (1, 2), (2, 3)))
    assert [aligned.span(0, 2), aligned.span(2, 5), aligned.span(3, 3), aligned.span(5, 5)] == [
        (0, 2),
        (1, 3),
        (1, 2),
        (3, 3),
    ]
    assert aligned.span(1, 1) == (1, 1)


@given(texts_and_changes())
def test_changes_say_what_the_text_becomes(drawn: tuple[str, list[Replacement]]) -> None:
    text, changes = drawn
    aligned = AlignedText.identity(text).apply(changes)
    untouched = [(place, character) for place, character in enumerate(text)
                 if not any(change.start <= place < change.start + len(change.old) for change in changes)]  # fmt: skip
    assert aligned.text == apply_replacements(text, changes)
    assert len(aligned.spans) == len(aligned.text)
    assert "".join(change.new for change in changes) + "".join(c for _, c in untouched) == "".join(
        sorted_by_origin(aligned, untouched)
    )
    assert in_order(aligned, text)


def sorted_by_origin(aligned: AlignedText, untouched: list[tuple[int, str]]) -> list[str]:
    """The characters of what is new, then those that were not touched, by their spans."""
    kept = {(place, place + 1): character for place, character in untouched}
    pairs = list(zip(aligned.text, aligned.spans, strict=True))
    new = [character for character, span in pairs if span not in kept]
    return new + [character for character, span in pairs if span in kept]


def in_order(aligned: AlignedText, original: str) -> bool:
    bounds = [(0, 0), *aligned.spans, (len(original), len(original))]
    return all(start <= end for start, end in bounds) and all(
        left[0] <= right[0] and left[1] <= right[1] for left, right in pairwise(bounds)
    )


@given(st.data())
def test_changing_twice_is_composing_two_alignments(data: st.DataObject) -> None:
    text, first = data.draw(texts_and_changes())
    middle = AlignedText.identity(text).apply(first)
    _, second = data.draw(texts_and_changes(st.just(middle.text)))
    assert middle.compose(AlignedText.identity(middle.text).apply(second)) == middle.apply(second)
    assert in_order(middle.apply(second), text)


def test_an_alignment_with_another_text_is_refused() -> None:
    with pytest.raises(ValueError, match="later points at character 3 of a text that has 2"):
        AlignedText.identity("ab").compose(AlignedText.identity("abc"))


def test_a_change_says_what_became_what() -> None:
    assert str(Replacement(3, " \u0301", "")) == "␣ ◌\u0301 was removed, at 3"
