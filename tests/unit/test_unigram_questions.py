"""Every question about Unigram shows the values that its answer is computed from, and offers several options."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from course.questions import asking
from publish.prose import plain
from tests.questions import frames, questions
from tests.unit.test_unigram_lattice import HUG
from tests.unit.test_unigram_segmenting_views import ENGLISH, UNKNOWN
from tests.unit.test_unigram_training_views import COUNTED, COURSE, PIECES, THIS, TRAINED
from tokenlab.algorithms.unigram.expectation_maximization import expectation_step
from tokenlab.algorithms.unigram.forward_backward import forward_backward
from tokenlab.algorithms.unigram.prune import piece_losses
from tokenlab.algorithms.unigram.sample_segmentation import sample_segmentation
from tokenlab.algorithms.unigram.train_by_counting import train_by_counting
from tokenlab.algorithms.unigram.viterbi import viterbi
from tokenlab.show.frames import Frame
from tokenlab.show.player import static_frame
from tokenlab.steps.recording import Recording

RECORDINGS: dict[str, Recording[Any, Any]] = {
    "best path": viterbi.record("soundings", ENGLISH, UNKNOWN),
    "posterior": forward_backward.record("hugs", HUG),
    "alpha": sample_segmentation.record("hugs", HUG, 0.3, Random(1)),
    "expected counts": expectation_step.record(THIS, PIECES),
    "losses": piece_losses.record(COURSE, COUNTED),
    "training": TRAINED,
    "counting": train_by_counting.record(COURSE, 8, removed=0.2),
}


def visible(frame: Frame) -> str:
    """The text of a frame in Moodle while its question is open."""
    assert frame.question
    return plain(f"{static_frame(asking(frame))} {frame.question.prompt}".replace("<td>", " ").replace("<div", " <div"))


def asked(name: str) -> Iterator[Frame]:
    questions(RECORDINGS[name])
    yield from (frame for frame in frames(RECORDINGS[name]) if frame.question)


@pytest.mark.parametrize("name", RECORDINGS)
def test_each_question_shows_what_its_answer_is_computed_from(name: str) -> None:
    found = [*asked(name)]
    assert found or name == "counting"
    for frame in found:
        assert frame.question and frame.question.given
        for value in frame.question.given:
            assert value in visible(frame), (value, visible(frame))


def test_the_best_last_piece_can_be_computed_from_the_prompt_and_the_table() -> None:
    for frame in asked("best path"):
        assert frame.question
        end = int(frame.moment.split()[1]) + 1
        prefix = viterbi("soundings"[:end], ENGLISH, UNKNOWN)
        for piece in {"soundings"[start:end] for start in range(end)} & {
            plain(o.label) for o in frame.question.options
        }:
            assert f"{piece} from {end - len(piece)}: {ENGLISH[piece]:.2f}" in visible(frame)
        assert prefix[-1] in [plain(option.label) for option in frame.question.options if option.right]


def test_the_expected_count_can_be_computed_from_the_probabilities_of_the_segmentations() -> None:
    for number, question in questions(RECORDINGS["expected counts"]).items():
        step = RECORDINGS["expected counts"][number]
        terms = plain(question.prompt).split("probabilities: ")[1].split(". How")[0].split(", ")
        listed = [(term.split()[:-1], float(term.split()[-1])) for term in terms]
        assert all("".join(pieces) == step.word for pieces, _ in listed)
        piece = plain(question.prompt).split("does ")[1].split()[0]
        share = sum(value * pieces.count(piece) for pieces, value in listed) / sum(value for _, value in listed)
        right = next(float(plain(option.label)) for option in question.options if option.right)
        assert right == pytest.approx(step.count * share, rel=0.01)


def test_the_posterior_can_be_computed_from_the_four_values() -> None:
    (frame,) = asked("posterior")
    assert frame.question
    before, alone, after, whole = map(float, frame.question.given)
    right = next(float(option.label) for option in frame.question.options if option.right)
    assert right == pytest.approx(before * alone * after / whole, rel=0.02)


def test_the_expected_count_in_training_is_the_sum_over_the_words() -> None:
    question = questions(TRAINED)[1]
    counts, *_ = plain(question.prompt).split("of the word: ")[1].split(". What")
    total = 0.0
    for term in counts.replace("once", "1 times").split(" each"):
        if term:
            number, share = term.split(" times, ")
            total += int(number.split()[-1]) * float(share)
    right = next(float(option.label) for option in question.options if option.right)
    assert right == pytest.approx(total, rel=0.05)


def test_few_questions_have_two_options_only() -> None:
    sizes = [len(frame.question.options) for name in RECORDINGS for frame in asked(name) if frame.question]
    assert sum(size == 2 for size in sizes) <= len(sizes) // 3
