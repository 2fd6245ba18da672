"""A printed beam search shows the tokens of its beams and hypotheses, and a difference says which beams differ."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from tests.libraries.transformers.test_generation import untrained
from tokenlab import data
from tokenlab.libraries.transformers import T5ForConditionalGeneration, T5Tokenizer
from tokenlab.libraries.transformers.generation.beam_steps import (
    LAST_TOKENS,
    MOST_SHOWN,
    BeamsSelected,
    Candidate,
    FinalHypotheses,
    joined,
    listed,
)
from tokenlab.printing.printed_numbers import format_mean, format_number
from tokenlab.show.views.decoding.beam_panels import search_after
from tokenlab.steps.recording import Recording, sentences
from tokenlab.traces.generation.trace_beam_search import trace_beam_search, trace_group_beam_search

CAT = "translate English to Chinese: the cat sees a small dog"


@pytest.fixture(scope="module")
def tiny() -> tuple[Any, Any]:
    folder = data.t5_tiny()
    return T5ForConditionalGeneration.from_pretrained(folder).eval(), T5Tokenizer.from_pretrained(folder)


def searched(tiny: tuple[Any, Any], beams: int, **settings: Any) -> Recording[Any, Any]:
    return trace_beam_search.record(*tiny, CAT, num_beams=beams, **{"max_length": 8, **settings})


def test_each_line_has_the_tokens_and_sums_of_the_beams(tiny: tuple[Any, Any]) -> None:
    recording = searched(tiny, 3)
    lines = str(recording).splitlines()
    for number, step in enumerate(recording):
        state = search_after(recording, number + 1)
        if isinstance(step, BeamsSelected):
            shown = [
                f"beam {place}: {' '.join(one.name for one in node.path)} ({format_number(node.score)})"
                for place, node in enumerate(state.beams)
            ]
            assert f"text 0: {', '.join(shown)} continue" in lines[number]
    ranked = [
        f"{' '.join(one.name for one in hypothesis.tokens)} ({format_mean(hypothesis.score)})"
        for hypothesis in state.ranking
    ]
    assert lines[-1].endswith(f"; 1 returned; hypotheses: {', '.join(ranked)}")


def test_the_text_of_a_later_step_has_the_tokens_of_earlier_ones(tiny: tuple[Any, Any]) -> None:
    recording = searched(tiny, 2)
    lines = str(recording).splitlines()
    assert sentences(recording, 4, 7) == lines[4:7]
    assert recording.play(start=4, steps=3).tracks[0].sentences.splitlines()[:3] == lines[4:7]


def test_a_saved_search_is_printed_as_before(tiny: tuple[Any, Any]) -> None:
    recording = searched(tiny, 2)
    assert str(Recording.from_json(recording.to_json())) == str(recording)


def test_without_a_tokenizer_ids_are_shown() -> None:
    model = untrained(0)
    recording = model.generate.record(torch.tensor([[2, 3, 1]]), num_beams=2, max_length=5)
    assert str(recording).splitlines()[0].startswith("1. text 0: beam 0: ")
    final = next(step for step in recording if isinstance(step, FinalHypotheses))
    ids = " ".join(map(str, final.ids[0][1:])) or "(nothing)"
    assert f"; hypotheses: {ids} ({format_mean(final.scores[0])})" in str(recording)


def test_texts_and_groups_have_their_own_beams() -> None:
    def selected(text: int, group: int, parent: int, name: str) -> BeamsSelected:
        return BeamsSelected(text, 1, (Candidate(parent, ord(name), -1.0, "continues", name),), 1, group)

    steps = (selected(0, 0, 0, "a"), selected(1, 0, 0, "b"), selected(0, 1, 0, "c"))
    steps += (selected(0, 0, 0, "d"), selected(1, 0, 0, "e"), selected(0, 1, 0, "f"))
    lines = str(Recording("f", {}, steps, None)).splitlines()
    assert [line.partition("beam 0: ")[2].partition(" (")[0] for line in lines[3:]] == ["a d", "b e", "c f"]


def test_an_edited_parent_is_no_error() -> None:
    step = BeamsSelected(0, 1, (Candidate(10**8, 5, -1.0, "continues", "\x1b"),), 1)
    assert str(Recording("f", {}, (step,), None)) == (
        "1. text 0: beam 0: \\x1b (-1.00) continues (the best one that does not end)"
    )


def test_more_beams_are_named_with_their_tokens_and_sums(tiny: tuple[Any, Any]) -> None:
    shown = repr(searched(tiny, 2).diff(searched(tiny, 4)))
    assert shown.splitlines() == [
        "step 1 is the first that differs",
        " left: 2 candidates, only here: none",
        "right: 4 candidates, only here: beam 2: ▁他们 (-3.25), beam 3: ▁他 (-3.58)",
        "best hypothesis of both: ▁那 只 猫 。 (-0.237)",
    ]


def test_another_length_penalty_is_shown_in_scores(tiny: tuple[Any, Any]) -> None:
    shown = str(searched(tiny, 4).diff(searched(tiny, 4, length_penalty=2.0)))
    check = "the search of text 0 continues: the pool has 0 of 4 hypotheses; best attainable score"
    assert shown.splitlines() == [
        "step 4 is the first that differs",
        f" left: {check} -0.250",
        f"right: {check} -0.125",
        "best hypothesis: left ▁那 只 猫 。 (-0.237), right ▁那 只 猫 。 (-0.047)",
    ]


def test_a_shorter_search_differs_in_its_last_step(tiny: tuple[Any, Any]) -> None:
    whole = searched(tiny, 2)
    shortened = Recording(whole.function, whole.arguments, whole.steps[:4], whole.result)
    assert str(shortened.diff(whole)).splitlines()[1:3] == [
        " left: (no more steps)",
        "right: text 0: beam 0: ▁那 只 猫 (-1.18), beam 1: ▁那 只 小 (-2.02) continue (the best 2 that do not end)",
    ]


def test_group_beam_search_prints_its_best_text(tiny: tuple[Any, Any]) -> None:
    recording = trace_group_beam_search.record(*tiny, CAT, max_length=6)
    assert "; the best, “那只猫。”, comes from group 1 " in str(recording).splitlines()[-1]


def test_long_beams_and_lists_are_shortened() -> None:
    assert joined(tuple("abcdefghij")) == "… " + " ".join("abcdefghij"[-LAST_TOKENS:])
    assert listed([str(number) for number in range(MOST_SHOWN + 2)]).endswith("7, 2 more")
