"""What is said where a beam search ends: of ends that were seen, of beams that cannot go on, and of those cut off."""

from __future__ import annotations

from math import inf
from typing import Any

import pytest
from torch import Tensor

from tests.libraries.transformers.test_generation import untrained
from tests.questions import frames, questions
from tests.unit.test_beam_views import MOST, TEXT, Digits, panel, plain, recorded
from tokenlab.libraries.transformers.generation.beam_steps import (
    CONTINUES,
    FINISHES,
    NO_BEAM_SLOT,
    BeamsSelected,
    Candidate,
    FinalHypotheses,
    StoppingCheck,
)
from tokenlab.show.views.decoding.beam_questions import _eos
from tokenlab.steps.recording import Recording
from tokenlab.traces.generation.trace_beam_search import trace_beam_search

END = 1


def test_an_end_that_found_no_room_later_is_still_the_end() -> None:
    steps = tuple(
        BeamsSelected(0, length, (Candidate(0, 5, -1.0, CONTINUES), Candidate(0, END, -2.0, status)), size=1)
        for length, status in enumerate((FINISHES, NO_BEAM_SLOT), start=1)
    )
    assert _eos(Recording("", {}, steps, None)) == END
    assert _eos(Recording("", {}, steps[1:], None)) == -1


@pytest.mark.parametrize(("allowed", "there"), [({1: [END, 3]}, 1), ({1: [END, 3], 2: [END]}, 2)])
def test_a_search_that_cannot_go_on_is_said_to_be_done(allowed: dict[int, list[int]], there: int) -> None:
    def only(ids: Tensor, scores: Tensor) -> Tensor:
        """Of the scores after so many ids, those of a few tokens."""
        kept = allowed.get(ids.shape[1], [])
        return scores.index_fill(1, ids.new_tensor([id for id in range(scores.shape[1]) if id not in kept]), -inf)

    recording: Any = trace_beam_search.record(untrained(), Digits(), TEXT, 2, max_length=9, logits_processor=[only])
    number = next(place for place, step in enumerate(recording) if isinstance(step, StoppingCheck) and step.done)
    step, frame = recording[number], frames(recording)[number + 1]
    assert step.best_attainable_score == -inf and len(step.pool_scores) == there
    shown = "".join(row for panel in frame.panels for row in panel.rows if panel.title == "Is the search done?")
    assert "is done: every token is forbidden" in str(frame.caption)
    assert "yes, every token is forbidden" in shown and "search continues" not in shown and "inf" not in shown


LAST = "But it stops here: max_length is reached."


@pytest.mark.slow
@pytest.mark.parametrize("early", [False, True, "never"])
@pytest.mark.parametrize(("counts", "penalty"), [("prompt", 1.0), ("prompt", 4.0), ("eos", 1.0)])
def test_a_search_that_is_cut_off_is_not_said_to_go_on(early: Any, counts: str, penalty: float) -> None:
    cut = 0
    for seed in range(20):
        recording = recorded(seed, 2, penalty, early, counts)
        for at, (step, following) in enumerate(zip(recording[:-1], recording[1:], strict=True)):
            if not isinstance(step, StoppingCheck):
                continue
            frame, stops = frames(recording)[at + 1], isinstance(following, FinalHypotheses) and not step.done
            panels = frame.panels[1:2] if step.pool_scores else ()
            said = f"{frame.caption} {''.join(plain(''.join(part.rows)) for part in panels)}"
            assert (LAST in said, "truncated" in frame.remark, "is not done:" in said) == (stops, stops, stops)
            assert ("search continues" in said) == (not stops and not step.done)
            assert ("search is done" in said) == step.done
            if stops and step.pool_scores:
                assert ", but it stops: max_length is reached" in plain(panel(frame, "Is the search done?"))
            assert not stops or "Is the search done?" not in getattr(questions(recording).get(at), "prompt", "")
            cut += stops
    assert cut > 3


@pytest.mark.slow
def test_a_full_pool_is_not_enough_at_the_last_step_of_today() -> None:
    beside = (
        "True: a full pool is enough; but at the last step, as today, only if the worst score is at least "
        "the best "
        "attainable score"
    )
    seen = set()
    for seed in range(60):
        recording = recorded(seed, 2, 1.0, True, "eos")
        step = recording[-2]
        if len(step.pool_scores) < step.num_beams:
            continue
        lines = plain(panel(frames(recording)[-2], "Is the search done?"))
        is_last = recording[-3].length + 1 == MOST
        assert (beside in lines) == is_last
        assert ("yes, the pool is full" in lines) == (not is_last)
        assert (" ≥ " in lines, " < " in lines) == (is_last and step.done, not step.done)
        seen.add((is_last, step.done))
    assert seen == {(False, True), (True, True), (True, False)}


def test_a_criterion_of_ones_own_is_not_taken_for_the_limit() -> None:
    stops = [lambda ids, scores: ids.shape[1] >= 4]
    recording = trace_beam_search.record(untrained(0), Digits(), TEXT, 2, max_length=MOST, stopping_criteria=stops)
    assert "But it stops here: a stopping criterion says so." in frames(recording)[-2].caption
