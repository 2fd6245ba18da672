"""The five behaviours of a split: on spans and step by step, as in the library."""

from __future__ import annotations

import pytest
import tokenizers
from hypothesis import example, given
from hypothesis import strategies as st

from tests.examples import examples
from tests.strategies import texts
from tokenlab.algorithms.pipeline.split_behavior import BEHAVIORS, split_by_behavior, split_text

PATTERNS = ["-", "[ab]", "a+", r"\s", r"\s+", "b|(?=a)", "x?", r"[a-z]+|[^a-z\s]+"]


@given(
    st.text("ab- ", max_size=20) | texts(surrogates=False),
    st.sampled_from(PATTERNS),
    st.sampled_from(BEHAVIORS),
    st.booleans(),
)
@example("ba", "b|(?=a)", "merged_with_next", False)  # an empty match just after a match
@example("bxa", "x?", "merged_with_previous", True)
@examples(225)
def test_the_parts_are_those_of_the_library(text: str, pattern: str, behavior: str, invert: bool) -> None:
    split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(pattern), behavior, invert)
    assert split_text(text, pattern, behavior, invert) == [part for part, _ in split.pre_tokenize_str(text)]


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=8), st.sampled_from(BEHAVIORS))
@examples(75)
def test_parts_cover_the_text_and_only_removed_delimiters_are_marked(
    parts: list[tuple[int, bool]], behavior: str
) -> None:
    ends = [sum(length for length, _ in parts[: count + 1]) for count in range(len(parts))]
    matches = [((end - length, end), match) for end, (length, match) in zip(ends, parts, strict=True)]
    result = split_by_behavior(matches, behavior)
    borders = [0, *(end for (_, end), _ in result)]
    assert [start for (start, _), _ in result] == borders[:-1] and (not parts or borders[-1] == ends[-1])
    assert any(removed for _, removed in result) == (behavior == "removed" and any(match for _, match in parts))


def test_each_step_shows_the_part_that_it_belongs_to() -> None:
    steps = split_text.record("a--b", "-", "merged_with_next").steps
    assert [(step.start, step.text, step.result) for step in steps] == [
        *((0, "a", "a"), (1, "-", "-"), (2, "-", "-"), (3, "b", "-b"))
    ]
    assert str(steps[3]) == "the text b is merged with the previous part: -b"
    assert str(split_text.record("a b", " ", "removed").steps[1]) == "the delimiter ␣ is removed"


def test_unknown_behaviours_and_patterns_are_named() -> None:
    with pytest.raises(ValueError, match="behavior='merged' is not known; did you mean 'merged_with_"):
        split_by_behavior([], "merged")
    with pytest.raises(ValueError, match=r"pattern='\(' is not a regular expression"):
        split_text("a", "(", "removed")
