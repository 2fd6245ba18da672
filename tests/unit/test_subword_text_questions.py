"""What the player asks about subtokens: the right answer is the next step, the others are what misconceptions give."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest

from tests.questions import frames, options_of, questions
from tokenlab import data
from tokenlab.algorithms.subword_text.build import (
    SubtokenDropped,
    SubtokenKept,
    build,
    segment_greedily,
    select_subtokens,
)
from tokenlab.algorithms.subword_text.build_cached import Corpus, build_to_size_cached
from tokenlab.algorithms.subword_text.build_to_size import bisect_min_count
from tokenlab.algorithms.subword_text.escape import ESCAPE_CHARACTERS, escape
from tokenlab.algorithms.subword_text.split import split_into_runs, split_with_regex
from tokenlab.libraries.tensor2tensor.text_encoder import SubwordTextEncoder
from tokenlab.misconceptions import subword_text as wrong
from tokenlab.misconceptions.bpe_encoding import min_tokens_dp
from tokenlab.show.explorers.explore_subword_text import explore_subword_text
from tokenlab.show.explorers.typed_text import LONGEST_TEXT
from tokenlab.show.frames import Frame, chip
from tokenlab.steps.recording import Recording

ALPHABET = ESCAPE_CHARACTERS | set("snake")
COUNTS = {"t": 9, "th": 9, "the": 7, "them": 5, "h": 9, "he": 7, "hem": 5, "em": 5, "e": 7, "m": 5}
ENGLISH = Counter(split_with_regex(data.text("english")))
ENCODER = SubwordTextEncoder.build_from_generator(data.text("english").splitlines(), 600)


def shown(frame: Frame) -> str:
    return "".join([frame.caption, frame.remark, *(row for panel in frame.panels for row in panel.rows)])


RECORDINGS = [
    split_into_runs.record("Don't stop - it's  <b>so</b> cool "),
    escape.record("snö_\\<b>", ALPHABET),
    segment_greedily.record("there_", {*"there_", "the", "re_", "ther"}),
    ENCODER.encode.record("a snake_case <b>"),
    select_subtokens.record(COUNTS, 3, set("them")),
    build.record({"the": 10, "then": 4, "<b>": 3}, 3, 2),
    bisect_min_count.record(30, lambda least: build({"the": 10, "then": 4}, least)),
    build_to_size_cached.record(600, Corpus(ENGLISH)),
    split_into_runs.record(""),
    escape.record("", ALPHABET),
    escape.record("_a", ALPHABET),
    segment_greedily.record("", {"a"}),
    ENCODER.encode.record(""),
]
names = [f"{number}-{recording.function.rpartition('.')[2]}" for number, recording in enumerate(RECORDINGS)]


@pytest.mark.parametrize("recording", RECORDINGS, ids=names)
def test_each_step_has_a_frame_of_at_most_three_panels_and_text_is_escaped(recording: Recording[Any, Any]) -> None:
    assert len(frames(recording)) == len(recording) + 1
    for frame in frames(recording):
        assert sum(not panel.more for panel in frame.panels) <= 3
        assert "<b>" not in re.sub(r"<b>[^<]*</b>", "", shown(frame)).replace("<b class", "")
    questions(recording)


@pytest.mark.parametrize("recording", RECORDINGS, ids=names)
def test_a_window_shows_what_the_whole_shows_there(recording: Recording[Any, Any]) -> None:
    if len(recording) > 2:
        window = recording.play(start=1, steps=2).tracks[0].frames
        whole = frames(recording)[1:4]
        for part, full in zip(window, whole, strict=True):
            assert (part.moment, part.caption, part.panels) == (full.moment, full.caption, full.panels)


def test_the_blank_is_no_token() -> None:
    text = "Don't stop - it's so cool "
    recording = split_into_runs.record(text)
    ((number, question),) = questions(recording).items()
    assert not recording[number].kept
    assert options_of(question) == {0: "It is dropped", 31: "It is a token"}
    for option in question.options:
        for about, of, count in option.facts:
            program = {"tokens": split_with_regex, "tokens with spaces": wrong.keep_space_token}[about]
            assert len(program(of)) == count and str(count) in option.why
    assert questions(split_into_runs.record("a, b")) == {}


def test_an_underscore_and_a_backslash_are_written_otherwise() -> None:
    asked = questions(escape.record("s_n\\e_", ALPHABET))
    assert {number: options_of(question) for number, question in asked.items()} == {
        1: {0: chip("\\u"), 31: chip("_")},
        3: {0: chip("\\\\"), 31: chip("\\")},
    }
    for option in (option for question in asked.values() for option in question.options):
        for about, character, length in option.facts:
            written = escape(character, ALPHABET) if about == "escaped" else wrong.no_escape(character, ALPHABET)
            assert len(written) - 1 == length


def test_the_longest_is_taken_and_not_the_fewest() -> None:
    subtokens = {*"xthere_", "the", "re_", "ther"}
    ((number, question),) = questions(segment_greedily.record("xthere_", subtokens)).items()
    assert number == 1
    assert options_of(question) == {0: chip("ther"), 9: chip("the")}
    for about, rest, count in question.options[0].facts:
        program: Any = {"fewest": min_tokens_dp, "greedy": segment_greedily}[about]
        assert len(program(rest, subtokens)) == count
    assert questions(segment_greedily.record("there_", subtokens - {"ther"})) == {}


def test_what_is_left_is_what_longer_strings_did_not_take() -> None:
    recording = select_subtokens.record(COUNTS, 3, set("them"))
    asked = questions(recording)
    assert len(asked) >= 3
    for number, question in asked.items():
        following = recording[number]
        assert isinstance(following, SubtokenKept | SubtokenDropped)
        taken = [
            step
            for step in recording[:number]
            if isinstance(step, SubtokenKept) and step.text.startswith(following.text)
        ]
        left = COUNTS[following.text] - sum(step.count for step in taken)
        kept = isinstance(following, SubtokenKept)
        right = f"It is kept with {left:,}" if kept else "It is not kept"
        assert [option.label for option in question.options if option.right] == [right]
        labels = [option.label for option in question.options if not option.right]
        assert f"It is kept with {COUNTS[following.text]:,}" in labels
        every_part = wrong.decrement_every_part(COUNTS, 3, set("them"))
        assert ("It is not kept" in labels) == (kept and following.text not in every_part)
        for option in question.options:
            assert option.facts == (("counted", following.text, COUNTS[following.text]), ("left", following.text, left))
            assert f": {left:,} " in option.why
        assert f"{COUNTS[following.text]:,} times" in question.prompt


def test_the_counts_of_a_round_begin_anew() -> None:
    recording = build.record({"the": 10, "then": 4, "that": 3}, 3, 2)
    second = next(n for n, step in enumerate(recording, start=1) if str(step).startswith("iteration 1"))
    frame = frames(recording)[second + 1]
    assert frame.moment == f"Iteration 2, after step {second + 1}"
    assert "none yet" in frame.panels[-1].rows[0]
    assert frame.panels[0].title == "Segmentations in iteration 2"
    counted = frames(recording)[second + 3]  # all three tokens are
    assert [row.rpartition("<td>")[2] for row in counted.panels[1].rows if chip("the_") in row] == ["10"]


def test_the_search_goes_where_it_gets_nearer_and_one_in_ten_is_not_near_enough() -> None:
    sizes = {6: 50, 3: 100, 1: 300, 9: 33, 4: 75, 5: 60}
    recording = bisect_min_count.record(55, lambda least: ["x"] * sizes[int(least)], 1, 11)
    asked = questions(recording)
    assert options_of(asked[1]) == {
        0: f"It tries min_count {recording[1].min_count:g}",
        62: f"It tries min_count {wrong.wrong_half(55, lambda least: ['x'] * sizes.get(int(least), 1), 1, 11)[1][0]:g}",
        63: "It ends with this try",
    }
    assert wrong.ten_percent(55, lambda least: ["x"] * sizes[int(least)], 1, 11) == [(6, 50)]
    for number, question in asked.items():
        done = recording[number - 1]
        for option in question.options:
            assert option.facts == (("size", done.min_count, done.size), ("target", None, 55))
            assert f"{done.size:,} are too {'many' if done.size > 55 else 'few'}" in option.why


def test_the_drawing_has_every_try_and_the_interval_that_is_left() -> None:
    recording = build_to_size_cached.record(600, Corpus(ENGLISH))
    for number, frame in enumerate(frames(recording)):
        drawing = "".join(frame.panels[0].rows)
        assert drawing.count("<circle") == number == len(frame.panels[1].rows)
        following = recording[number] if number < len(recording) else None
        if following:
            assert f"left: {following.low:,g} to {following.high:,g}" in drawing
        else:
            assert "left:" not in drawing
            assert frame.remark.endswith(f"{len(recording.result):,} subtokens.")


def test_a_token_with_an_underscore_is_asked_for() -> None:
    recording = ENCODER.encode.record("a snake_case")
    ((number, question),) = questions(recording).items()
    assert recording[number].token == "_"
    assert options_of(question) == {0: chip("\\u_"), 31: chip("__")}


def test_the_explorer_shows_the_way_of_what_is_typed() -> None:
    explorer = explore_subword_text("so cool", ENCODER)
    assert str(explorer.player) == str(ENCODER.encode.record("so cool"))
    explorer.controls["text"].value = "a_b é"
    assert str(explorer.player) == str(ENCODER.encode.record("a_b é"))
    explorer.controls["text"].value = "a" * (LONGEST_TEXT + 1)
    assert "or call encode on the whole text" in explorer.message
