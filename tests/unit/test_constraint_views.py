"""What constrained beam search looks like: banks as they are, words as they come, and what they cost."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from tests.questions import frames, options_of, questions
from tests.tolerance import near
from tokenlab import data
from tokenlab.algorithms.decoding.constraints import constraint_progress
from tokenlab.libraries.transformers import T5ForConditionalGeneration, T5Tokenizer
from tokenlab.libraries.transformers.generation.beam_steps import CONSTRAINTS_UNFULFILLED, FINISHES
from tokenlab.misconceptions.constraints import count_generated_tokens, fullest_bank_first, rank_by_score_only
from tokenlab.printing.printable import printable
from tokenlab.printing.printed_numbers import format_number
from tokenlab.show.explorers.explore_generation import explore_constrained_beam_search
from tokenlab.show.frames import Frame, chip, escape_unknown_markup, text
from tokenlab.show.views.decoding.constrained_beam_view import COMPLETE, PENDING, progress_text
from tokenlab.steps.recording import Recording
from tokenlab.traces.generation.constrained_beam_trace_steps import (
    BankEntry,
    ConstrainedSearchStep,
    ConstraintsParsed,
    RankedConstrainedHypotheses,
    WordConstraint,
)
from tokenlab.traces.generation.token_names import tokens_to_text
from tokenlab.traces.generation.trace_beam_search import (
    force_words_ids,
    parse_word_constraints,
    trace_constrained_beam_search,
)

TASK = "translate English to German: "
TEACHER, HELPED, DOG = "The teacher reads a book.", "They helped you yesterday.", "He has a dog."
EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@functools.cache
def translator() -> tuple[Any, Any]:
    folder = data.t5_tiny()
    return T5ForConditionalGeneration.from_pretrained(folder).eval(), T5Tokenizer.from_pretrained(folder)


@functools.cache
def written(sentence: str, words: str, **settings: Any) -> Recording[Any, Any]:
    return trace_constrained_beam_search.record(*translator(), TASK + sentence, words, **{"max_length": 14, **settings})


CASES = [
    (TEACHER, "Der | Das, liest | las"),
    (TEACHER, "ein rotes Buch, Lehrer las"),
    (HELPED, "euch, gestern | morgen"),
    (DOG, "Katze"),
]


NAMED = (
    r"Token \d+: the constraints add \d+ forced candidates?; (banks?[\d, and]+) fills? the beams .*? candidates?"
    r"(?:, and no beam is left for (banks?[\d, and]+))?[.;]"
)


def rounds(recording: Recording[Any, Any]) -> list[ConstrainedSearchStep]:
    return [step for step in recording if isinstance(step, ConstrainedSearchStep)]


def panel(frame: Frame, title: str) -> str:
    (rows,) = [panel.rows for panel in frame.panels if panel.title.startswith(title)]
    return "".join(rows)


# ---- What is recorded ----


@pytest.mark.parametrize(("sentence", "words"), CASES)
def test_a_line_says_how_many_tokens_of_each_demand_are_matched(sentence: str, words: str) -> None:
    recording = written(sentence, words)
    constraints = recording[0].constraints
    for step in rounds(recording):
        for hypothesis in step.hypotheses:
            for constraint, there, complete in zip(
                constraints, hypothesis.num_matched, hypothesis.complete, strict=True
            ):
                if len(constraints) == len(constraint.tokens) == 1:  # else a token may be another constraint's
                    assert (there, complete) == counted(constraint, hypothesis.tokens)
                if complete:
                    assert any(inside(tokens, hypothesis.tokens) for tokens in constraint.tokens)
            assert hypothesis.bank == sum(
                max(each.longest for each in constraints) if whole else 0 for whole in hypothesis.complete
            ) + sum(
                max(each.longest for each in constraints) - each.longest + there
                for each, there, whole in zip(constraints, hypothesis.num_matched, hypothesis.complete, strict=True)
                if there and not whole
            )


def counted(constraint: WordConstraint, tokens: tuple[str, ...]) -> tuple[int, bool]:
    there = constraint_progress(constraint.tokens[0], tokens)
    return there, there == constraint.longest


def inside(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    return any(whole[place : place + len(part)] == part for place in range(len(whole)))


@pytest.mark.parametrize(("sentence", "words"), CASES)
def test_the_rounds_are_those_of_generate(sentence: str, words: str) -> None:
    model, tokenizer = translator()
    recording = written(sentence, words)
    ids = torch.tensor([tokenizer(TASK + sentence)["input_ids"]])
    settings = {"num_beams": 4, "max_length": 14, "return_dict_in_generate": True, "output_scores": True}
    alone = model.generate(ids, **settings)
    demanded, outcome = recording[0], recording[len(recording) - 1]
    assert isinstance(demanded, ConstraintsParsed) and isinstance(outcome, RankedConstrainedHypotheses)
    assert demanded.score == near(float(alone.sequences_scores[0]))
    assert demanded.unconstrained == tokenizer.decode(alone.sequences[0].tolist(), skip_special_tokens=True)
    words_ids = [force_words_ids(constraint, tokenizer) for constraint in parse_word_constraints(words, tokenizer)]
    output = model.generate(ids, force_words_ids=words_ids, **settings)
    assert recording.result.texts == (tokenizer.decode(output.sequences[0].tolist(), skip_special_tokens=True),)
    assert recording.result.texts[0] == tokens_to_text(outcome.hypotheses[0].tokens)
    assert outcome.scores[0] == near(float(output.sequences_scores[0]))
    assert str(recording[len(recording) - 1]).endswith("it fulfils all constraints")
    assert list(Recording.from_json(recording.to_json())) == list(recording)


def test_a_word_is_demanded_as_its_tokens() -> None:
    _, tokenizer = translator()
    one, several = parse_word_constraints("Hund, euch|dir", tokenizer)
    assert one.tokens == (("▁Hund",),) and force_words_ids(one, tokenizer) == tokenizer.convert_tokens_to_ids(["▁Hund"])
    assert several.words == ("euch", "dir") and several.longest == 5 and len(force_words_ids(several, tokenizer)) == 2
    assert str(several) == "'euch' or 'dir'"
    assert str(ConstraintsParsed((one,), "Ja.", -1.0, -0.5)).startswith("constraints: 'Hund'; without them")
    assert str(ConstraintsParsed((one, several), "Ja.", -1.0, -0.5)).startswith(
        "constraints: 'Hund', 'euch' or 'dir'; without"
    )
    assert str(ConstraintsParsed((), "Ja.", -1.0, -0.5)).startswith("constraints: none; without them")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("", "words='' has an empty word; separate constraints"),
        ("Hund,", "has an empty word"),
        ("Hund | ", "has an empty word"),
        ("Hund | Hund", r"'Hund' \(▁Hund\) starts with 'Hund'"),
        ("Hund, Hund.", r"'Hund\.' \(▁Hund \.\) starts with 'Hund' \(▁Hund\).*leave out one of them"),
        ("犬犬ж", "has characters that the tokenizer has no tokens for"),
    ],
)
def test_words_that_cannot_be_demanded_are_told(words: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        next(trace_constrained_beam_search.steps(*translator(), TASK + DOG, words))


def test_a_word_may_be_demanded_twice() -> None:
    outcome = written(DOG, "Hund, Hund").steps[-1]
    assert outcome.hypotheses[0].tokens.count("▁Hund") >= 2


# ---- What is drawn ----


@pytest.mark.parametrize(("sentence", "words"), CASES)
def test_every_candidate_stands_in_its_bank_and_those_that_go_on_say_as_what(sentence: str, words: str) -> None:
    recording = written(sentence, words)
    for step, frame in zip(recording.steps, frames(recording)[1:], strict=True):
        if not isinstance(step, ConstrainedSearchStep):
            continue
        banks = [entry.hypothesis.bank for entry in step.entries]
        if not any(
            one.hypothesis.total < other.hypothesis.total - 90 for one in step.entries for other in step.entries
        ):
            assert banks == sorted(banks, reverse=True)
        drawn = panel(frame, "The candidates")
        assert sorted(map(int, re.findall(r"<td style=width:99%>as (\d+)", drawn))) == [
            *range(1, len(step.hypotheses) + 1)
        ]
        for entry in step.entries:
            if entry.continues:
                assert f"<td class=n>{entry.rank_in_bank + 1}<td>" in drawn and newest(entry) in drawn
        hidden = sum(map(int, re.findall(r"and (\d+) more that are displaced", drawn)))
        assert drawn.count("99%>no") + hidden == len(step.entries) - len(step.hypotheses)
        assert drawn.count("class=cut") == len(step.banks) - 1
        states = panel(frame, "Progress on each constraint")
        living = sorted((entry for entry in step.entries if entry.continues), key=lambda entry: entry.place)
        assert re.findall(r"(<b[^>]*>[^<]*</b>)<td>", states) == [newest(entry) for entry in living]
        assert all(chip(entry.token, "right") in frame.caption for entry in living if entry.forced)
        for hypothesis in step.hypotheses:
            for place, constraint in enumerate(recording[0].constraints):
                assert progress_text(hypothesis, place, constraint) in states
        assert states.count(COMPLETE) == sum(sum(hypothesis.complete) for hypothesis in step.hypotheses)
        assert states.count(PENDING) == sum(hypothesis.num_matched.count(0) for hypothesis in step.hypotheses)


@pytest.mark.parametrize(("sentence", "words"), CASES[:2])
def test_each_beam_is_in_the_lane_of_its_bank_and_joined_to_its_parent(sentence: str, words: str) -> None:
    recording = written(sentence, words)
    steps = [step for step in recording if isinstance(step, ConstrainedSearchStep)]
    last = frames(recording)[recording.steps.index(steps[-1]) + 1]
    drawn = panel(last, "The beams in the lanes")
    labels = re.findall(r"y=(\d+) \S+ height=(\d+) /><g class=soft><text[^>]*>bank (\d+)<", drawn)
    bands = {bank: (top, height) for top, height, bank in labels}
    nodes = re.findall(r"<title>(.*?): bank (\d+), sum \S+?(, forced)?</title><rect x=\d+ y=(\d+)", drawn)
    living = [entry for step in steps for entry in step.entries if entry.continues]
    assert sorted((token, int(bank), bool(forced)) for token, bank, forced, _ in nodes) == sorted(
        (text(printable(entry.token)), entry.hypothesis.bank, entry.forced) for entry in living
    )
    for _, bank, _, y in nodes:
        top, height = map(int, bands[bank])
        assert top <= int(y) < top + height
    assert drawn.count("<path ") == len(living) - len(steps[0].hypotheses)
    rows = next(one for one in last.panels if one.title.startswith("The beams in the lanes")).rows
    assert [escape_unknown_markup(row) for row in rows] == [*rows]  # no tag is split over two rows


def newest(entry: BankEntry) -> str:
    """A token that lives on: in one colour if it is demanded, wherever it stands, and in another if it is not."""
    if entry.forced:
        return f"<b style=background:var(--right)>{text(printable(entry.token))}</b>"
    return chip(entry.token, "new")


@pytest.mark.parametrize("beams", [2, 4])
def test_the_banks_that_send_somebody_are_named_and_those_without_room(beams: int) -> None:
    recording = written("My friend will draw the flower this evening.", "eine Blume, zeichnet", num_beams=beams)
    crowded = 0
    for step, frame in zip(recording, frames(recording)[1:], strict=True):
        if (
            isinstance(step, ConstrainedSearchStep)
            and any(entry.forced for entry in step.entries)
            and len(step.banks) > 1
        ):
            sent, without = (re.findall(r"\d+", part) for part in re.match(NAMED, frame.caption).groups(""))  # type: ignore[union-attr]
            living = {entry.hypothesis.bank for entry in step.entries if entry.continues}
            assert [int(bank) for bank in sent] == sorted(living, reverse=True)
            assert {int(bank) for bank in without} == {*step.banks} - living
            crowded += bool(without)
    assert crowded


def test_candidates_that_end_say_whether_they_hold_what_is_demanded() -> None:
    recording = written(DOG, "Katze")
    fates = {ending.status for step in rounds(recording) for ending in step.finished}
    assert {FINISHES, CONSTRAINTS_UNFULFILLED} <= fates
    *_, last = rounds(recording)
    for step, frame in zip(recording.steps[:-1], frames(recording)[1:-1], strict=True):
        if isinstance(step, ConstrainedSearchStep) and step.finished:
            drawn = panel(frame, "Candidates that end")
            assert drawn.count("ends with unfulfilled constraints: dropped") == sum(
                each.status == CONSTRAINTS_UNFULFILLED for each in step.finished
            )
            assert drawn.count("to the pool") == sum(each.status == FINISHES for each in step.finished)
            assert ("The search" in frame.remark) == (
                step is last or step.stopping_check.done or any(each.status == FINISHES for each in step.finished)
            )


def test_a_token_that_is_forced_in_two_beams_is_named_once() -> None:
    recording = written("You are eating fresh bread in the kitchen.", "Du isst")
    twice = [str(step) for step in recording if " (in 2 beams) " in str(step)]
    assert twice and all(said.endswith("; ▁Du (in 2 beams) continues only because it is forced") for said in twice)


def test_the_outcome_says_what_the_words_cost() -> None:
    recording = written(DOG, "Katze")
    outcome, last = recording[len(recording) - 1], frames(recording)[-1]
    cost = recording[0].total - outcome.hypotheses[0].total
    assert (
        cost > 15
        and f"The constraints lower the sum by {format_number(cost)}, to " in last.remark
        and "Er hat einen Hund." in last.remark
    )
    assert "Er hat einen Katze." in last.caption and "it fulfils all constraints" in last.caption
    assert panel(last, "The hypotheses").count("<tr>") == len(outcome.hypotheses) + 1


def test_where_there_was_no_time_the_outcome_says_so() -> None:
    recording = written(HELPED, "euch", max_length=4)
    *_, before, last = frames(recording)
    assert "The search is not done: " in before.remark
    assert before.remark.endswith("But it stops here: max_length is reached.")
    assert "it does not fulfil all constraints: too few beams did so before the end" in last.caption
    assert "are truncated" in last.panels[0].title and "not fulfilled" in panel(last, "The hypotheses")


def test_questions_are_asked_about_turns_and_breaks_and_wrong_answers_are_misconceptions() -> None:
    kinds = set()
    for sentence, words in CASES:
        recording = written(sentence, words)
        for number, question in questions(recording).items():
            step = recording[number]
            options = options_of(question)
            if "How many has it" in question.prompt:
                kinds.add("breaks")
                assert options[0] == "0" and int(options[83]) > 0
            elif "In which bank" in question.prompt:
                kinds.add("bank")
                lengths = [constraint.longest for constraint in recording[0].constraints]
                assert any(
                    str(entry.hypothesis.bank) == options[0]
                    and str(count_generated_tokens(lengths, entry.hypothesis.num_matched)) == options[85]
                    and chip(tokens_to_text(entry.hypothesis.tokens)) in question.prompt
                    for entry in step.entries
                )
            else:
                kinds.add("turns")
                banks = [entry.hypothesis.bank for entry in step.entries]
                scores = [entry.hypothesis.total for entry in step.entries]
                living = {chip(entry.token) for entry in step.entries if entry.continues}
                assert options[0] in living
                wrong = (rank_by_score_only, fullest_bank_first)
                believed = [order(banks, scores)[: len(step.hypotheses)] for order in wrong]
                assert any(chip(step.entries[place].token) == options[85] for kept in believed for place in kept)
                right = next(option for option in question.options if option.right)
                for _, token, turn in right.facts:
                    assert any(entry.token == token and entry.rank_in_bank + 1 == turn for entry in step.entries)
                    assert f"rank {turn}" in right.why
    assert kinds == {"breaks", "bank", "turns"}


def test_a_part_of_a_recording_is_drawn_like_the_whole() -> None:
    recording = written(TEACHER, "Der | Das, liest | las")
    part, whole = frames(recording, start=3, steps=4), frames(recording)
    assert [frame.panels for frame in part] == [frame.panels for frame in whole[3:8]]


def test_what_is_typed_is_text() -> None:
    _, tokenizer = translator()

    class Evil:
        unk_token_id = -1

        def __call__(self, text: str) -> Any:
            return tokenizer(text)

        def __len__(self) -> int:
            return len(tokenizer)

        def tokenize(self, word: str) -> list[str]:
            return [EVIL]

        def convert_tokens_to_ids(self, tokens: list[str]) -> list[int]:
            return [250 for _ in tokens]

        def convert_ids_to_tokens(self, ids: Any) -> Any:
            return [EVIL for _ in ids]

        def decode(self, ids: Any, skip_special_tokens: bool = False) -> str:
            return EVIL

    recording = trace_constrained_beam_search.record(translator()[0], Evil(), TASK + EVIL, EVIL, max_length=6)
    for frame in frames(recording):
        shown = [frame.caption, frame.remark, *(row for panel in frame.panels for row in panel.rows)]
        assert not any("<img" in part for part in shown)


# ---- The explorer ----


def test_controls_run_the_search_again_and_errors_are_sentences() -> None:
    model, tokenizer = translator()
    explorer = explore_constrained_beam_search(TASK + DOG, "Vogel", model, tokenizer, max_length=9)
    same = trace_constrained_beam_search.record(model, tokenizer, TASK + DOG, "Vogel", 4, 1.0, max_length=9)
    assert explorer.message == "" and explorer.data == same.play().data
    before = explorer.data
    explorer.controls["words"].value = "Vogel, "
    assert "has an empty word" in explorer.message and explorer.data == before
    explorer.controls["words"].value = "Hund"
    assert explorer.message == "" and "The constraints do not change the sum" in explorer.data
    explorer.controls["num_beams"].value = 2
    explorer.controls["length_penalty"].value = -0.5
    other = trace_constrained_beam_search.record(model, tokenizer, TASK + DOG, "Hund", 2, -0.5, max_length=9)
    assert explorer.data == other.play().data
    explorer.controls["text"].value = "a" * 500
    assert "too long to process at every key press" in explorer.message
    explorer.controls["text"].value = "犬 " * 80
    assert "text has" in explorer.message and "too many to draw" in explorer.message
