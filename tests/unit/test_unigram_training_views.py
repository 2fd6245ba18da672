"""The views of Unigram training: what a frame shows, what is asked, and whether the reasons are true."""

from __future__ import annotations

import math
import re
from collections import Counter

import pytest

from tests.questions import frames, options_of, questions
from tokenlab import data
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.algorithms.unigram.expectation_maximization import expectation_step
from tokenlab.algorithms.unigram.prune import piece_losses
from tokenlab.algorithms.unigram.train import train
from tokenlab.algorithms.unigram.train_arrays import train_arrays
from tokenlab.algorithms.unigram.train_by_counting import count_substrings, train_by_counting
from tokenlab.algorithms.unigram.training_state import ExpectationDone, Pruned, SeedBuilt
from tokenlab.algorithms.unigram.viterbi import viterbi
from tokenlab.algorithms.unigram.vocabulary import log_probabilities
from tokenlab.misconceptions.unigram_training import hard_em, prune_by_prob, prune_characters
from tokenlab.show.explorers.explore_unigram import explore_unigram_training
from tokenlab.show.frames import chip

COURSE = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
COUNTED = log_probabilities(count_substrings(COURSE))
THIS = {"this": 9, "his": 1, "is": 12, "hit": 4, "sits": 3}
PIECES = log_probabilities(count_substrings(THIS))
ENGLISH = {"".join(word): count for word, count in count_words(data.text("english")).items()}
TRAINED = train_arrays.record(ENGLISH, 300)


def named(label: str) -> str:
    return re.sub("<[^>]+>", "", label)


# --- shares ---------------------------------------------------------------------------------------


def test_the_shares_of_a_word_are_those_of_its_segmentations() -> None:
    frame = frames(expectation_step.record(COURSE, COUNTED))[3]
    assert frame.moment == "After word 3 of 5"
    ways, counts = frame.panels
    probabilities = {"p un": 17 * 16 / 210**2, "pu n": 17 * 16 / 210**2, "p u n": 17 * 36 * 16 / 210**3}
    total = sum(probabilities.values())
    shown = [named(row.replace("<td>", " ")).split() for row in ways.rows]
    assert shown == [[*way.split(), f"{100 * value / total:.1f}%"] for way, value in probabilities.items()]
    gained = 12 * (probabilities["p un"] + probabilities["p u n"]) / total
    assert any(f"(+{gained:.2f})" in row and chip("p", "new") in row for row in counts.rows)
    assert any(chip("hug") in row and "(+" not in row for row in counts.rows)


def test_the_next_word_is_asked_about_and_the_wrong_answer_is_that_of_the_best_segmentation_alone() -> None:
    recording = expectation_step.record(THIS, PIECES)
    asked = questions(recording)
    assert asked
    for number, question in asked.items():
        step = recording[number]
        assert chip(step.word) in question.prompt
        piece = next(piece for piece in step.expected_counts if f"does {chip(piece)} get" in question.prompt)
        best = hard_em({step.word: step.count}, PIECES)[piece]
        assert options_of(question) == {0: f"{step.expected_counts[piece]:.2f}", 22: f"{best:.2f}"}
        assert best > step.expected_counts[piece]
        for option in question.options:
            assert option.facts == (
                ("hundredths of the expected count", (step.word, piece), round(100 * step.expected_counts[piece])),
            )
            assert f"{step.expected_counts[piece]:.2f}" in option.why


def test_where_two_segmentations_tie_nothing_is_asked() -> None:
    tied = {"a": math.log(0.2), "b": math.log(0.2), "ab": math.log(0.04)}
    assert questions(expectation_step.record({"b": 1, "ab": 10, "abab": 2}, tied)) == {}


def test_a_word_of_too_many_segmentations_is_not_listed() -> None:
    vocabulary = {"a": -1.0, "aa": -2.0}
    panels = frames(expectation_step.record({"a": 1, "a" * 60: 1}, vocabulary))[2].panels
    assert [panel.title for panel in panels] == ["Expected counts so far (and the last addition)"]
    remark = frames(expectation_step.record({"a": 1, "a" * 60: 1}, vocabulary))[2].remark
    assert "segmentations of the word share its count" in remark


# --- candidates -----------------------------------------------------------------------------------


def test_a_candidate_is_shown_beside_what_could_stand_instead() -> None:
    recording = piece_losses.record(COURSE, COUNTED)
    shown = frames(recording)
    number = [one.piece for one in recording].index("hug") + 1
    assert "would cost 0.36" in shown[number].caption
    assert chip("hug", "new") in shown[number].caption
    losses = {one.piece: one.loss for one in recording}
    assert f"{losses['hug']:.4f}" in "".join(shown[number].panels[1].rows)
    assert "useless" in "".join(shown[-1].panels[1].rows)


def test_the_candidates_that_are_asked_about_are_used_as_the_reasons_say() -> None:
    recording = piece_losses.record(COURSE, COUNTED)
    used: Counter[str] = Counter()
    for word, count in COURSE.items():
        for piece in viterbi(word, COUNTED):
            used[piece] += count
    asked = questions(recording)
    assert asked
    for number, question in asked.items():
        by_misconception = {option.misconception: option for option in question.options}
        goes, stays = named(by_misconception[0].label), named(by_misconception[24].label)
        assert recording[number].piece == goes
        assert by_misconception[0].facts == (("used", goes, used[goes]), ("used", stays, used[stays]))
        assert used[goes] == 0 < used[stays]
        assert COUNTED[goes] > COUNTED[stays]
        assert by_misconception[24].facts == (("is more probable than", (goes, stays), 1),)


# --- rounds ---------------------------------------------------------------------------------------


def test_every_stage_has_a_frame_that_names_it() -> None:
    shown = frames(TRAINED)
    assert len(shown) == len(TRAINED) + 1
    assert shown[0].moment == "Before the seed"
    assert shown[1].moment == f"Seed, stage 1 of {len(TRAINED)}"
    assert shown[-1].moment == f"Final cut, stage {len(TRAINED)} of {len(TRAINED)}"
    assert all(len([panel for panel in frame.panels if not panel.more]) <= 3 for frame in shown)


def test_the_sizes_of_the_history_are_those_of_the_vocabulary() -> None:
    rows = frames(TRAINED)[6].panels[-1].rows
    sizes = [int(re.findall(r"<td>([\d,]+)(?: \(|$)", row)[0].replace(",", "")) for row in rows]
    seed, counted, first, _, second, pruned = TRAINED.steps[:6]
    left = len(second.vocabulary) - len(pruned.removed)
    assert sizes == [len(seed.scores), len(first.vocabulary), len(second.vocabulary), left]
    assert f"({counted.objective:.3f})" in rows[1]


def test_the_first_question_tells_expected_from_used_from_occurring() -> None:
    asked = questions(TRAINED)
    question = asked[1]
    seed, counted = TRAINED[0], TRAINED[1]
    assert isinstance(seed, SeedBuilt) and isinstance(counted, ExpectationDone)
    facts = {fact[0]: fact for option in question.options for fact in option.facts}
    piece = facts["occurs"][1]
    occurs = sum(count * word.startswith(piece, at) for word, count in ENGLISH.items() for at in range(len(word)))
    assert facts["occurs"][2] == occurs
    assert facts["tenths of the expected count"][2] == round(10 * counted.counts[piece])
    assert facts["used in best segmentations"][2] == round(hard_em(ENGLISH, log_probabilities(seed.scores))[piece])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["english", "german"])
def test_what_goes_is_what_pruning_removes_and_the_others_stay(name: str) -> None:
    recording = train_arrays.record(count_words(data.text(name)), 250)
    words = {"".join(word): count for word, count in count_words(data.text(name)).items()}
    asked = {number: question for number, question in questions(recording).items() if number > 1}
    assert len(asked) == 2
    for number, question in asked.items():
        pruned, vocabulary = recording[number], recording[number - 1].vocabulary
        assert isinstance(pruned, Pruned)
        right = next(named(option.label) for option in question.options if option.right)
        wrong = [named(option.label) for option in question.options if not option.right]
        assert right in pruned.removed and not set(wrong) & set(pruned.removed)
        size = len(vocabulary) - len(pruned.removed)
        by_probability = prune_by_prob(words, vocabulary, size)
        character, improbable = sorted(wrong, key=len)
        assert [piece in by_probability for piece in (right, improbable, character)] == [True, False, True]
        assert len(character) == 1
        facts = [fact for option in question.options for fact in option.facts]
        assert all(round(1e6 * pruned.losses[piece]) == value for what, piece, value in facts if "million" in what)


def test_a_program_that_prunes_characters_like_others_exists() -> None:
    assert len(prune_characters(COURSE, COUNTED, 0)) < len(set("hugpnbs"))


def test_the_textbook_and_numpy_are_shown_alike() -> None:
    assert frames(train.record(COURSE, 9)) == frames(train_arrays.record(COURSE, 9))


def test_counting_shows_what_goes_and_asks_before_it_does() -> None:
    recording = train_by_counting.record(COURSE, 8, removed=0.2)
    shown = frames(recording)
    assert "useless, removed" in "".join(shown[1].panels[0].rows)
    assert shown[-1].caption == "8 pieces are left, the requested number."
    for number, question in questions(recording).items():
        right = next(named(option.label) for option in question.options if option.right)
        assert right in recording[number].removed
        assert all(named(o.label) not in recording[number].removed for o in question.options if not o.right)


def test_what_a_learner_types_is_text() -> None:
    trained, shared = (
        train_arrays.record({"<b>": 9, "<i>": 2}, 20),
        expectation_step.record({"<b>": 2}, {"<": -1.0, "b>": -2.0}),
    )
    for frame in (*frames(trained), *frames(shared)):
        rows = "".join(row for panel in frame.panels for row in panel.rows)
        assert "<b><" not in rows and "<i>" not in rows
    assert "&lt;b&gt;" in "".join(frames(trained)[1].panels[0].rows)


def test_a_player_stays_small() -> None:
    assert len(TRAINED.play().data.encode()) < 150_000


# --- the explorer ---------------------------------------------------------------------------------


def test_the_slider_begins_at_the_alphabet_of_the_text() -> None:
    explorer = explore_unigram_training("hug pug pun", vocab_size=3)
    _, size = explorer.controls.values()
    assert (size.min, size.value) == (5, 5)
    assert explorer.data == train_arrays.record(count_words("hug pug pun"), 5).play().data


def test_the_slider_follows_the_text() -> None:
    explorer = explore_unigram_training("aa aa", vocab_size=1)
    text, size = explorer.controls.values()
    text.value = "the quick brown fox jumps over the lazy dog"
    assert size.min == size.value == 26 < size.max
    assert explorer.message == ""
    assert explorer.data == train_arrays.record(count_words(text.value), 26).play().data
    text.value = " "
    assert "no word yet" in explorer.message
