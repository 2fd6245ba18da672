"""`generate` beside transformers 4.26.1, which answers from a process of its own: same ids, same scores, same draws.

What is left out, because 4.26.1 is wrong there, or by chance right:

- several eos ids: outputs never end, and their ids are multiplied; beams die;
- `beam_indices` of groups, which count within a group there, and so the transition scores;
- exponential_decay_length_penalty, at which it dies;
- `beam_indices` of constrained beam search, which it does without, and so the transition scores, at which it dies;
- every token forbidden: beams write one of them nevertheless, with a score of minus infinity; ours refuse;
- encoder_repetition_penalty with beams or several outputs: first rows get the first sources, the others none;
- cuts beside what forbids tokens, where beams draw: too few may be left, and it draws forbidden ones;
- constraints beside what forbids their tokens: it writes them nevertheless, with a score of minus infinity;
- `beam_indices` of beam sampling, where beams may be alike (at first all are), and the rounding of the last digit says
  which of them comes first; the scores to which they lead are compared (`transitions`);
- near ties: where the two answers differ, noise in ours leads to theirs (`assert_up_to_near_ties`);
- copies of a DisjunctiveConstraint, which share the tokens that were written: that is mended over there (`mend`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.parity import generation_answers
from tests.parity.generation_cases import MODES, any_call, differ, loop_call
from tests.parity.t5_original import Original
from tests.perturbation import assert_up_to_near_ties
from tokenlab.libraries import transformers

FORBIDDEN = -2e9  # what stands for minus infinity in an answer


def is_of_forbidden_tokens(answers: dict[str, Any]) -> bool:
    """Whether every token was forbidden: a draw fails there, too, and beams write what is forbidden."""
    if "refused" in answers:
        assert "probability tensor contains" in answers["refused"]
        return True
    return FORBIDDEN in answers.get("sequences_scores", ())


LEFT_OUT = {
    "beam_sample": ("beam_indices",),
    "group_beam_search": ("beam_indices",),
    "constrained_beam_search": ("beam_indices", "transitions"),
}


def assert_agree(mode: str, answer: Callable[[], dict[str, Any]], theirs: dict[str, Any]) -> None:
    """Our answer is theirs; or it rests on a near tie, and noise in ours leads to theirs, to the size of the noise."""

    def compare(ours: dict[str, Any], most: float) -> None:
        left = {name: value for name, value in ours.items() if name not in LEFT_OUT.get(mode, ())}
        right = {name: value for name, value in theirs.items() if name not in LEFT_OUT.get(mode, ())}
        assert left.pop("kind", None) == right.pop("kind", None)
        assert left["sequences"] == right["sequences"]
        assert differ(left, right) < most

    assert_up_to_near_ties(answer, compare)


@pytest.fixture(scope="module")
def original() -> Iterator[Original]:
    with Original(Path(generation_answers.__file__)) as process:
        yield process


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("mode", MODES)
def test_any_call_answers_like_the_library(original: Original, mode: str, seed: int) -> None:
    call = any_call(mode, seed)
    theirs = original.ask(json.dumps(call))
    if is_of_forbidden_tokens(theirs):
        with pytest.raises(ValueError, match="every token is forbidden"):
            generation_answers.answer(transformers, call)
        return
    assert_agree(mode, lambda: generation_answers.answer(transformers, call), theirs)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("mode", MODES)
def test_a_loop_by_itself_answers_like_the_library_s(original: Original, mode: str, seed: int) -> None:
    call = loop_call(mode, seed)
    assert_agree(mode, lambda: generation_answers.loop_answer(transformers, call), original.ask(json.dumps(call)))
