"""What is said where a beam search ends early: of ends that were seen, and of beams that cannot go on."""

from __future__ import annotations

from math import inf
from typing import Any

import pytest
from torch import Tensor

from tests.questions import frames
from tests.unit.test_beam_views import TEXT, Digits
from tests.unit.test_generation import untrained
from tokenlab.show.views.beam_questions import _eos
from tokenlab.steps import Recording
from tokenlab.transformers.generation.beam_steps import ENDS, LIVES, NO_ROOM, Bounded, Candidate, Sifted
from tokenlab.transformers.generation.searching import search

END = 1


def test_an_end_that_found_no_room_later_is_still_the_end() -> None:
    steps = tuple(
        Sifted(0, length, (Candidate(0, 5, -1.0, LIVES), Candidate(0, END, -2.0, fate)), size=1)
        for length, fate in enumerate((ENDS, NO_ROOM), start=1)
    )
    assert _eos(Recording("", {}, steps, None)) == END
    assert _eos(Recording("", {}, steps[1:], None)) == -1


@pytest.mark.parametrize(("allowed", "there"), [({1: [END, 3]}, 1), ({1: [END, 3], 2: [END]}, 2)])
def test_a_search_that_cannot_go_on_is_said_to_be_done(allowed: dict[int, list[int]], there: int) -> None:
    def only(ids: Tensor, scores: Tensor) -> Tensor:
        """Of the scores after so many ids, those of a few tokens."""
        kept = allowed.get(ids.shape[1], [])
        return scores.index_fill(1, ids.new_tensor([id for id in range(scores.shape[1]) if id not in kept]), -inf)

    recording: Any = search.record(untrained(), Digits(), TEXT, 2, max_length=9, logits_processor=[only])
    number = next(place for place, step in enumerate(recording) if isinstance(step, Bounded) and step.done)
    step, frame = recording[number], frames(recording)[number + 1]
    assert step.hope == -inf and len(step.pool) == there
    shown = "".join(row for panel in frame.panels for row in panel.rows if panel.title == "Is the search done?")
    assert "is done: every token is forbidden" in str(frame.caption)
    assert "yes, every token is forbidden" in shown and "goes on" not in shown and "inf" not in shown
