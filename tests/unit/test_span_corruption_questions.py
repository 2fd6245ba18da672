"""What the player shows and asks about span corruption: right answers are the next step, wrong ones misconceptions."""

from __future__ import annotations

import re
from html import unescape
from itertools import groupby, pairwise
from random import Random
from typing import Any

import pytest

from tests.questions import frames, options_of, questions
from tokenlab.algorithms.training_data.span_corruption import (
    SpanReplaced,
    corrupt,
    corrupt_spans,
    noise_mask,
    source_length,
)
from tokenlab.misconceptions import span_corruption as wrong
from tokenlab.show.frames import chip
from tokenlab.steps.recording import Recording

SENTENCE = "Thank you for inviting me to your party last week , it was a very good evening <b> ."
WORDS = SENTENCE.split()
SENTINELS, END = tuple(f"<extra_id_{number}>" for number in range(100)), "</s>"


def recorded(seed: int, density: float = 0.3) -> Recording[Any, Any]:
    return corrupt_spans.record(WORDS, Random(seed), density, 2.0, SENTINELS, END)


def masked(recording: Recording[Any, Any]) -> list[bool]:
    runs = [step for step in recording if isinstance(step, SpanReplaced)]
    return [step.noise for step in runs for _ in range(step.start, step.end)]


@pytest.mark.parametrize("seed", range(8))
def test_what_is_asked_is_what_comes_and_what_the_misconceptions_say(seed: int) -> None:
    recording = recorded(seed)
    mask = masked(recording)
    assert mask == list(noise_mask(len(WORDS), Random(seed), 0.3, 2.0))
    asked = questions(recording)
    assert 3 <= len(asked) <= 4
    for number, question in asked.items():
        step, labels = recording[number], options_of(question)
        for option in question.options:
            recount(option.facts, option.why, mask)
        if question.prompt.startswith("What does the target"):
            assert labels == {0: "one sentinel", 71: "the same tokens"}
            assert step.sentinel in recording.result[1]
            assert not set(recording.result[1]) & set(WORDS[step.start : step.end])
            assert set(WORDS[step.start : step.end]) <= set(wrong.whole_text_as_target(WORDS, mask, SENTINELS, END)[1])
        elif question.prompt.startswith("What does the input"):
            per_token = wrong.sentinel_per_token(WORDS[step.start : step.end], mask[step.start : step.end], SENTINELS)[
                0
            ]
            assert labels == {0: "one sentinel", 68: f"{len(per_token) - 1} sentinels"}
        elif "Which sentinel" in question.prompt:
            place = recording.result[1].index(step.sentinel)
            fixed = wrong.one_sentinel_for_all(WORDS, mask, SENTINELS, END)[1][place]
            assert labels == {0: chip(step.sentinel), 66: chip(str(fixed))}
        else:
            assert number == len(recording) - 1
            assert labels[0] == f"{chip(END)} after {chip(str(recording.result[1][-2]))}"
            assert labels[69] == f"one more sentinel and {chip(END)}"
            assert wrong.always_final_sentinel(WORDS, mask, SENTINELS, END)[1][-2] in SENTINELS
            assert labels[70] == "nothing more"


def recount(facts: Any, why: str, mask: list[bool]) -> None:
    assert facts
    for what, start, count in facts:
        if what in ("noise tokens", "kept tokens"):
            noisy = what == "noise tokens"
            assert mask[start : start + count] == [noisy] * count
            assert mask[start - 1] != noisy and noisy not in mask[start + count : start + count + 1]
            assert (f"The {count} tokens are one span" if noisy else f"Kept tokens here: {count}.") in why
        elif what == "kept runs before":
            assert sum(not noisy for noisy, _ in groupby(mask[:start])) == count == 1
            assert "1 kept run already has a sentinel" in why
        else:
            assert what == "kept tokens at the end"
            assert count == next((place for place, noisy in enumerate(reversed(mask)) if noisy), len(mask))
            assert ("0 kept tokens follow" if not count else f"Kept tokens at the end: {count}.") in why


def test_a_text_that_ends_kept_is_asked_about_its_last_sentinel() -> None:
    recording = corrupt.record("abcde", [False, True, True, False, False], "XYZ", ".")
    question = questions(recording)[len(recording) - 1]
    recount(question.options[0].facts, question.options[0].why, [False, True, True, False, False])
    assert options_of(question)[0] == f"{chip('.')} after {chip('Y')}"
    assert options_of(question)[69] == f"{chip('.')} alone"
    assert wrong.never_final_sentinel("abcde", [False, True, True, False, False], "XYZ", ".")[1][-2:] == ("c", ".")


def read(row: str) -> list[str]:
    """The tokens of a row, without the markup around them."""
    return [unescape(token) for token in re.findall(r"<b[^>]*>(.*?)</b>", row)]


def test_the_input_and_the_target_grow_to_what_comes_out() -> None:
    recording = recorded(3)
    shown = frames(recording)[5:]
    sides = [[read(panel.rows[0]) for panel in frame.panels[-2:]] for frame in shown]
    assert sides[-1] == [list(side) for side in recording.result]
    for frame, both in zip(shown, sides, strict=True):
        counts = [re.search(r", (\d+) tokens?: ", panel.title) for panel in frame.panels[-2:]]
        assert [int(count[1]) for count in counts if count] == [*map(len, both)]
    assert f"would have {len(WORDS) + 1} tokens." in shown[-1].remark
    assert len(wrong.whole_text_as_target(WORDS, masked(recording), SENTINELS, END)[1]) == len(WORDS) + 1
    for shorter, longer in pairwise(sides):
        assert all(a == b[: len(a)] and len(a) < len(b) for a, b in zip(shorter, longer, strict=True))


def test_no_frame_shows_what_its_question_asks_for() -> None:
    recording = recorded(3)
    shown, asked = frames(recording), questions(recording)
    first, later = (
        next(n for n, q in asked.items() if start in q.prompt) for start in ("What does the target", "Which")
    )
    assert "target" not in shown[first].caption + "".join(panel.title for panel in shown[first].panels)
    assert not any(str(recording[later].sentinel) in chip_free(row) for row in rows_of(shown[later]))


def rows_of(frame: Any) -> list[str]:
    return [row for panel in frame.panels for row in panel.rows]


def chip_free(row: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", row))


def test_sentinels_have_a_colour_that_stays_while_a_question_is_open() -> None:
    last = frames(recorded(3))[-1]
    for panel in last.panels[-2:]:
        blue = re.findall(r"<b style=background:var\(--left\)>(.*?)</b>", panel.rows[0])
        assert blue and all(unescape(token) in SENTINELS for token in blue) and "class=left" not in panel.rows[0]
        assert "sentinels are blue" in panel.title


def test_noise_is_framed_once_the_mask_is_drawn_and_not_before() -> None:
    shown = frames(recorded(3))
    framed = ["".join(row for panel in frame.panels for row in panel.rows).count("class=unknown") for frame in shown]
    assert framed[:4] == [0, 0, 0, 0] and set(framed[4:]) == {sum(masked(recorded(3)))}
    assert [panel.title for panel in shown[1].panels] == ["The text"]
    assert shown[2].panels[0].title == "The length of each run, in tokens"
    assert all(len(frame.panels) <= 3 for frame in shown)


@pytest.mark.parametrize("tokens", [[], [5], [5, 6], list(range(2, 500))])
def test_texts_of_any_length_and_of_ids_are_shown(tokens: list[int]) -> None:
    recording = corrupt_spans.record(tokens, Random(0))
    assert len(frames(recording)) <= len(recording) + 1
    assert "html" in recording.play().page(title="spans")
    questions(recording)


def test_a_mask_that_begins_with_noise_is_shown() -> None:
    recording = corrupt.record("abcd", [True, True, False, True], "XYZ", ".")
    assert len(frames(recording)) == len(recording) + 1 and questions(recording)


def fitted(places: int, density: float = 0.15, mean: float = 3.0) -> Recording[Any, Any]:
    return source_length.record(places, density, mean)


@pytest.mark.parametrize(
    ("places", "density", "mean"), [(512, 0.15, 3.0), (64, 0.2, 2.0), (31, 0.3, 2.0), (200, 0.25, 8.0)]
)
def test_which_text_fills_the_input_is_asked_with_what_the_misconceptions_make_of_it(
    places: int, density: float, mean: float
) -> None:
    recording = fitted(places, density, mean)
    [(number, question)] = questions(recording).items()
    assert number == 1
    tokens, target = recording.result
    labels = options_of(question)
    assert labels[0] == f"{tokens} tokens, and a target of {target}"

    def sides(program: Any, length: int) -> tuple[int, int]:
        """The lengths that a wrong program makes of a text with the noise and the spans that T5 counts."""
        step = next(step for step in [*recording, *fitted(length + 9)] if step.tokens == tokens)
        noise, kept = step.noise, tokens - step.noise
        mask = [False] * (kept - step.spans + 1) + [True] * (noise - step.spans + 1) + [False, True] * (step.spans - 1)
        return tuple(map(len, program(range(2, tokens + 2), mask, range(-1, -999, -1))))  # type: ignore[return-value]

    assert sides(corrupt, tokens) == (places, target)
    for misconception, program in ((70, wrong.no_eos_in_target), (71, wrong.whole_text_as_target)):
        assert labels[misconception] == f"{tokens} tokens, and a target of {sides(program, tokens)[1]}"
    # With a sentinel for each token an input is as long as its text and the end.
    text = list(range(2, places + 1))
    noisy = [place < round((places - 1) * density) for place in range(places - 1)]
    inputs, targets = wrong.sentinel_per_token(text, noisy, range(-1, -999, -1))
    assert len(inputs) == places and labels[68] == f"{len(text)} tokens, and a target of {len(targets)}"
    step = next(step for step in recording if (step.tokens, step.targets) == (tokens, target))
    for option in question.options:
        assert option.facts == (("noise tokens", tokens, step.noise), ("spans", tokens, step.spans))
        assert f"{tokens} tokens have {step.noise} of noise in {step.spans} spans" in option.why


@pytest.mark.parametrize("places", [2, 3, 9, 512, 1024])
def test_each_text_that_is_tried_is_shown_with_what_it_is_made_of(places: int) -> None:
    recording = fitted(places)
    shown = frames(recording)
    for step, frame in zip(recording, shown[1:], strict=True):
        made = "".join(frame.panels[1].rows)
        assert f"{step.tokens - step.noise:,} kept + {step.spans:,} sentinels + 1 EOS = {step.inputs:,}" in made
        assert f"{step.noise:,} noise + {step.spans:,} sentinels + 1 EOS = {step.targets:,}" in made
        assert step.tokens - step.noise + step.spans + 1 == step.inputs and step.noise + step.spans + 1 == step.targets
        assert ("Too long" in frame.remark) == (step.inputs > places)
        assert ("is full" in frame.remark) == (step.inputs == places)
        wide = [int(width) for width in re.findall(r"<i style=width:(\d+)%", "".join(frame.panels[0].rows))]
        longest = max(places, *(max(tried.tokens, tried.inputs, tried.targets) for tried in recording))
        assert wide == [round(100 * length / longest) for length in (step.tokens, step.inputs, step.targets)]
        assert all(f"left:{places / longest:.1%};" in row for row in frame.panels[0].rows)
    assert any(frame.remark == "The input is full." for frame in shown)


def test_where_each_span_is_one_token_nobody_is_asked() -> None:
    assert fitted(31, 0.3, 1.0).result[0] == 30 and not questions(fitted(31, 0.3, 1.0))


def test_of_512_places_the_lengths_of_t5_are_shown() -> None:
    shown = frames(fitted(512))
    assert [frame.moment for frame in shown] == [
        "Before the first text",
        "A text of 512",
        "A text of 568",
        "A text of 569",
    ]
    assert "483 kept + 28 sentinels + 1 EOS = 512" in shown[2].panels[1].rows[0]
    assert "85 noise + 28 sentinels + 1 EOS = 114" in shown[2].panels[1].rows[1]
    assert "50 positions left" in shown[1].remark
