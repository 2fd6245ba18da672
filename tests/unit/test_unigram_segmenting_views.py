"""What the views of the lattice draw and ask: the numbers are counted again, and text is never markup."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import exp
from random import Random

import pytest

from tests.questions import frames, options_of, questions
from tests.unit.test_unigram_lattice import HUG
from tokenlab import data
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.algorithms.text.trie import Trie
from tokenlab.algorithms.unigram.forward_backward import forward_backward
from tokenlab.algorithms.unigram.lattice import build_lattice, segmentations
from tokenlab.algorithms.unigram.n_best import SegmentationFound, n_best
from tokenlab.algorithms.unigram.sample_segmentation import PieceSampled, sample_segmentation
from tokenlab.algorithms.unigram.train_arrays import train_arrays
from tokenlab.algorithms.unigram.viterbi import BestPathFound, viterbi
from tokenlab.algorithms.unigram.vocabulary import log_probability, unknown_log_probability
from tokenlab.misconceptions.unigram_segmenting import min_tokens_viterbi
from tokenlab.show.explorers.explore_unigram import explore_viterbi
from tokenlab.show.frames import Frame, chip, chips
from tokenlab.show.views.unigram.lattice_drawing import _LINES, Mark, lattice_panel

ENGLISH = train_arrays(count_words(data.text("english").lower()), 1500)
UNKNOWN = unknown_log_probability(ENGLISH)
WORDS = ("soundings", "transformation", "unfinished", "thoughts", "zażółć", "a", "", "\ud83d<b>\0", "👩‍👩‍👧")


def drawing(frame: Frame) -> str:
    return "".join(frame.panels[0].rows)


@pytest.mark.parametrize("number", range(len(WORDS)))
def test_the_best_last_piece_is_asked_for_and_every_sum_is_right(number: int) -> None:
    word = WORDS[number]
    recording = viterbi.record(word, ENGLISH, UNKNOWN)
    for at, question in questions(recording).items():
        step = recording[at]
        assert isinstance(step, BestPathFound) and step.ties == 1
        by_misconception = options_of(question)
        prefix = word[: step.end]
        arriving = build_lattice(word, ENGLISH, UNKNOWN).edges_to[step.end]
        assert by_misconception[0] == chip(step.piece) == chip(viterbi(prefix, ENGLISH, UNKNOWN)[-1])
        if 21 in by_misconception:
            assert by_misconception[21] == chip(min_tokens_viterbi(prefix, ENGLISH, UNKNOWN)[-1])
        if 6 in by_misconception:
            assert by_misconception[6] == chip(max((edge.piece for edge in arriving), key=len))
        for option in question.options:
            assert option.facts
            for _, (start, piece), score in option.facts:
                before = viterbi(word[:start], ENGLISH, UNKNOWN)
                total = log_probability((*before, piece), ENGLISH, UNKNOWN)
                assert total == pytest.approx(score, abs=0.00501)
                assert f"{total:.2f}" in option.why


def test_words_of_the_lesson_have_questions() -> None:
    assert len(questions(viterbi.record("soundings", ENGLISH, UNKNOWN))) == 3
    misconceptions = {
        misconception
        for word in WORDS
        for q in questions(viterbi.record(word, ENGLISH, UNKNOWN)).values()
        for misconception in options_of(q)
    }
    assert misconceptions == {0, 6, 21}


def test_nothing_is_asked_where_a_tie_decides() -> None:
    vocabulary = {"a": -1.0, "b": -1.0, "c": -1.0, "bc": -2.0, "abc": -9.0}
    assert questions(viterbi.record("abc", vocabulary)) == {}
    assert list(questions(viterbi.record("abc", vocabulary | {"bc": -1.5}))) == [2]


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(WORDS)))
def test_every_frame_draws_every_piece_once(number: int) -> None:
    word = WORDS[number]
    lattice = build_lattice(word, ENGLISH, UNKNOWN)
    for recording in (
        viterbi.record(word, ENGLISH, UNKNOWN),
        n_best.record(word, ENGLISH, 2, UNKNOWN),
        forward_backward.record(word, ENGLISH, UNKNOWN),
        sample_segmentation.record(word, ENGLISH, 0.5, Random(1), UNKNOWN),
    ):
        assert len(frames(recording)) == len(recording) + 1
        for frame in frames(recording):
            if frame.panels and "<svg" in drawing(frame):
                assert drawing(frame).count("<path") == len(list(lattice.edges))
                assert drawing(frame).count("<circle") == len(word) + 1
                assert drawing(frame).count("<svg") == drawing(frame).count("</svg>") == 1
            assert "<b>\0" not in str(frame) and not re.search(r"[\ud800-\udfff\ue000-\ue0ff]", str(frame.panels))


def test_the_table_says_the_best_way_to_each_position() -> None:
    recording = viterbi.record("soundings", ENGLISH, UNKNOWN)
    for number, frame in enumerate(frames(recording)[1:10], start=1):
        way = viterbi("soundings"[:number], ENGLISH, UNKNOWN)
        score = log_probability(way, ENGLISH, UNKNOWN)
        assert f"<li><span>{number}: {score:.2f}</span> <div>{chips(way)}</div>" in frame.panels[2].rows
        assert f">{score:.2f}</text>" in drawing(frame)
        assert frame.moment == f"Position {number}"
        assert drawing(frame).count("stroke-width:5") == 1  # the piece that was kept here
    assert frames(recording)[-1].panels[1].rows == (chips(recording.result),)
    assert drawing(frames(recording)[-1]).count("stroke-width:6") == len(recording.result)


def test_the_agenda_holds_what_the_search_says_waits() -> None:
    recording = n_best.record("pug", HUG, 3)
    for step, frame in zip(recording, frames(recording)[1:], strict=True):
        if isinstance(step, SegmentationFound):
            assert frame.moment == f"Found number {step.rank}"
            assert (
                f"<li><span>{step.rank}: {step.score:.2f}</span> <div>{chips(step.pieces)}</div>"
                in frame.panels[2].rows
            )
        elif not isinstance(step, BestPathFound):
            # What was popped has gone on with at least one piece, or has become whole.
            assert len(frame.panels[1].rows) > step.agenda_size or step.agenda_size > 8
    best = [re.search(r"-\d+\.\d+", frame.panels[1].rows[0]) for frame in frames(recording)[4:] if frame.panels[1].rows]
    popped = [step.score for step in recording.steps[4:] if hasattr(step, "score")]
    assert [float(found[0]) for found in best if found][: len(popped)] == [round(score, 2) for score in popped]


def test_sums_are_over_all_paths() -> None:
    recording = forward_backward.record("pug", HUG)
    paths = [exp(sum(edge.log_prob for edge in path)) for path in segmentations(build_lattice("pug", HUG))]
    forward, backward = frames(recording)[3], frames(recording)[6]
    assert forward.caption.startswith(f"The sum over all paths to position 3 is {sum(paths):.3g}, with 2 terms:")
    assert backward.caption.startswith(
        f"The sum over all paths from position 0 to the end is {sum(paths):.3g}, with 2 "
    )
    assert frames(recording)[7].moment == "The posterior of p from 0"
    labels = re.findall(r">(\d\.\d{3})</text>", drawing(frames(recording)[-1]))
    assert sorted(map(float, labels)) == sorted(round(share, 3) for share in recording.result.probabilities.values())


def test_the_expected_count_of_a_piece_on_the_best_way_is_no_whole_number() -> None:
    recording = forward_backward.record("pug", HUG)
    ((at, question),) = questions(recording).items()
    assert options_of(question) == {0: f"{recording[at].probability:.3f}", 22: "1.000"}
    assert question.options[0].facts[0][2] == round(recording[at].probability, 3)
    assert recording[at].piece in viterbi("pug", HUG)


@pytest.mark.parametrize(("alpha", "right"), [(0.0, "less often"), (0.4, "less often"), (3.0, "more often")])
def test_alpha_is_asked_about_before_the_first_draw(alpha: float, right: str) -> None:
    recording = sample_segmentation.record("hugs", HUG, alpha, Random(1))
    ((at, question),) = questions(recording).items()
    assert options_of(question)[0] == right and options_of(question)[26] != right
    assert str(recording[at]).split(" ", 1)[1].startswith("was drawn at position 4 from 3 pieces")
    facts: Mapping[str, float] = {name: number for name, _, number in question.options[0].facts}
    weights = [sum(edge.log_prob for edge in path) for path in segmentations(build_lattice("hugs", HUG))]
    for name, power in (("plain", 1.0), ("right", alpha)):
        raised = [exp(power * weight) for weight in weights]
        assert facts[name] == round(max(raised) / sum(raised), 3)
    assert questions(sample_segmentation.record("hugs", HUG, 1.0, Random(1))) == {}


def test_the_bars_of_a_draw_are_the_chances_of_what_could_be_drawn() -> None:
    recording = sample_segmentation.record("hugs", HUG, 0.3, Random(2))
    for step, frame in zip(recording, frames(recording)[1:], strict=True):
        if isinstance(step, PieceSampled):
            shown = [float(re.split(r"<td>", row)[-1]) for row in frame.panels[1].rows]
            assert sum(shown) == pytest.approx(1, abs=0.002) and len(shown) == step.incoming
            (drawn,) = [row for row in frame.panels[1].rows if chip(step.piece, "new") in row]
            assert drawn.endswith(f"<td>{step.probability:.3f}")


def test_what_has_no_lattice_to_draw_is_shown_as_sentences() -> None:
    for recording in (viterbi.record("pug", Trie(HUG)), sample_segmentation.record("pug", HUG, float("inf"))):
        assert len(frames(recording)) == len(recording) + 1
        assert not any("<svg" in str(frame) for frame in frames(recording))
    assert "<svg" not in str(frames(n_best.record("p?", HUG, 2, unknown=-20, fuse_unknown=True)))


def test_a_long_word_is_drawn_in_part_and_says_so() -> None:
    recording = viterbi.record("ing" * 30, ENGLISH, UNKNOWN)
    last = frames(recording)[-1]
    assert drawing(last).count("<circle") == 41
    assert drawing(last).endswith("… the first 40 characters are drawn")
    assert len(last.panels[2].rows) == 12
    assert "more than 10⁹ paths" in frames(recording)[0].caption


def test_a_player_of_the_lattice_is_small() -> None:
    assert len(viterbi.record("transformation", ENGLISH, UNKNOWN).play().html) < 120_000


def test_a_notebook_without_trust_has_the_table_and_no_words_of_the_drawing() -> None:
    html = viterbi.record("pug", HUG).play().html
    still = html[: html.index("<style")]
    assert "<svg" not in still and "</text>" not in still and "-2.51" not in still
    assert re.sub("<[^>]+>", " ", still).split()[-30:].count("ug") == 1


def test_the_explorer_follows_what_is_typed() -> None:
    explorer = explore_viterbi("pug", HUG)
    assert "There are 3 paths." in explorer.data
    explorer.controls["word"].value = "h<b>"
    assert "&lt;" in explorer.data and explorer.message == ""
    explorer.controls["word"].value = "u" * 201
    assert "take at most 200 here, or call viterbi on the whole word" in explorer.message
    explorer.controls["word"].value = ""
    assert explorer.message == "" and "There is 1 path." in explorer.data


def test_the_drawing_has_marked_arcs_over_others_and_all_texts_over_all_arcs() -> None:
    lattice = build_lattice("abc", dict.fromkeys(("a", "b", "c", "ab", "bc", "abc"), -1.0))
    every: tuple[Mark, ...] = ("path", "now", "best", "lost", "gone", "")
    marks = dict(zip(lattice.edges, every, strict=True))
    rows = lattice_panel("all", lattice, marks, [""] * 4).rows
    arcs = [row for row in rows if row.startswith("<path ")]
    styles = [re.search('style="([^"]*)"', arc) for arc in arcs]
    assert [style and style[1] for style in styles] == [_LINES[mark] for mark in reversed(every)]
    kinds = [row[:5] for row in rows]
    assert kinds.index("<text") > max(place for place, kind in enumerate(kinds) if kind == "<path")
