"""Assignment 4: its rules hold against the package, and everybody's data tell right from wrong."""

from __future__ import annotations

import math
import subprocess
import sys
from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest

from course.assignment import Assignment
from course.classes.assignment4 import BORROWED, LOST_BY_HAND, submissions
from course.programs import assignment4 as programs
from tests.course.graded import assert_loses_only
from tests.course.ids import IDS
from tokenlab.algorithms.attention.decoder import with_decoder_start
from tokenlab.algorithms.decoding.constraints import constraint_progress
from tokenlab.algorithms.decoding.diversity import select_per_group
from tokenlab.algorithms.decoding.filters import top_p_filter
from tokenlab.algorithms.decoding.incremental_utf8 import stream_text
from tokenlab.algorithms.decoding.stopping_rule import hypothesis_score
from tokenlab.algorithms.text.tokenizations import tokenizations
from tokenlab.misconceptions import beam_search, constraints, streaming
from tokenlab.misconceptions import token_sampling as sampling

ASSIGNMENT = Assignment("assignment4")
SHEET = ASSIGNMENT.sheet(ASSIGNMENT.answers("model"))

# What is wrong in the sheet for the same reason under another name, or in a number of the trace.
ELSEWHERE = {
    "ban_one_tokenization": "trace-spelled",
    "double_bos": "trace-read",
    "restart_with_breaking_token": "trace-there",
    "penalize_once": "trace-choices",
}


def test_each_misconception_from_42_to_51_is_met_in_a_task() -> None:
    misconceptions = [
        *sampling.MISCONCEPTIONS,
        *beam_search.MISCONCEPTIONS,
        *constraints.MISCONCEPTIONS,
        *streaming.MISCONCEPTIONS,
    ]
    here = {program.__name__ for wrong in programs.WRONG.values() for program in wrong} | {*ELSEWHERE}
    for misconception in misconceptions:
        if 42 <= misconception.number <= 51:
            assert {program.__name__ for program in misconception.programs} & here, misconception
    assert {"no_neg_inf_seed", "top_k_only", "eos_keeps_running", "penalty_sign", "include_prompt_length"} <= here
    assert {"stop_when_k_finished", "exclude_crossing_token", "temperature_last", "decode_each_token"} <= here


def test_no_sheet_of_the_class_is_needed_that_is_not_there() -> None:
    class_of_four = list(submissions(ASSIGNMENT))
    shown = {what for one in class_of_four for what in one.what.split(", ")}
    assert {program.__name__ for wrong in programs.WRONG.values() for program in wrong} <= shown
    assert len({one.what for one in class_of_four}) == len(class_of_four) < 40


# --- the model answers, against the package and against what must hold -----------------------------


def test_a_tail_that_is_cut_is_the_rest_of_top_p() -> None:
    random = Random(1)
    for _ in range(100):
        scores = random.sample(range(8), random.randint(1, 6))
        powers = [math.exp(score) for score in scores]
        top_p = random.choice([0.5, 0.7, 0.9])
        left = SHEET["drop_tail"](scores, 1, 1 - top_p, 1)
        kept = {place for place, number in enumerate(left) if number > 0}
        assert kept == {*top_p_filter([power / sum(powers) for power in powers], top_p)}
        assert sum(left) == pytest.approx(1)


def test_steps_of_a_search_find_the_best_texts() -> None:
    """As wide as there are texts, a search forgets nothing: what it finds is what trying all texts finds."""
    rows = [-1.5, -0.5, -2.25, -3.125]
    beams: Any = [([], 0.0)] * 3  # all alike, as a first step may have them
    for _ in range(3):
        beams, ended = SHEET["grow_beams"](beams, [rows] * len(beams), 64, [])
        assert ended == []
    texts = [((a, b, c), rows[a] + rows[b] + rows[c]) for a in range(4) for b in range(4) for c in range(4)]
    assert sorted((tuple(ids), total) for ids, total in beams) == sorted(texts)
    assert [total for _, total in beams] == sorted((total for _, total in texts), reverse=True)


def test_no_text_that_could_come_into_the_pool_is_lost_by_stopping() -> None:
    random = Random(2)
    score, stopped = SHEET["gnmt_score"], 0
    for _ in range(400):
        alpha, longest, written = random.choice([0, 0.6, 1, 2]), 9, random.randint(1, 8)
        sums = [-random.randint(8, 80) / 4 for _ in range(2)]
        scores = [-random.randint(1, 24) / 4 for _ in range(random.choice([1, 2, 2]))]
        reach = max(score([0] * length, total, 0, alpha) for total in sums for length in range(written, longest + 1))
        stop = SHEET["may_stop"](scores, 2, sums, longest, alpha)
        assert stop is (len(scores) == 2 and reach <= min(scores))
        stopped += stop
    assert 50 < stopped < 350


def test_a_phrase_without_patience_that_never_breaks_is_that_of_the_lesson() -> None:
    random = Random(3)
    for _ in range(300):
        phrase = random.sample([1, 2, 3], random.randint(1, 3))
        tokens = [random.choice([1, 2, 3, 4]) for _ in range(random.randint(0, 6))]
        demanded = SHEET["PatientPhrase"](phrase, 0)
        said = [demanded.update(token) for token in tokens]
        if not any(broken for _, _, broken in said):
            assert len(phrase) - demanded.remaining() == constraint_progress(phrase, tokens)
        whole = [whole for _, whole, _ in said]
        assert whole == sorted(whole)  # what is whole stays whole
        assert any(whole) is any(tokens[n : n + len(phrase)] == phrase for n in range(len(tokens)))


def test_what_is_shown_of_bytes_is_that_of_the_lesson() -> None:
    random = Random(4)
    for _ in range(100):
        text = "".join(random.choices("aé日🙂�", k=random.randint(1, 4))).encode()
        pieces = [f"<0x{byte:02X}>" for byte in text]
        shown = SHEET["shown_text"](pieces)
        assert shown == [*stream_text([bytes([byte]) for byte in text]), ""]


# --- numbers with a tolerance ---------------------------------------------------------------------


@pytest.mark.parametrize(("off", "passes"), [(0.5e-6, True), (3e-5, False)])
@pytest.mark.parametrize(("task", "exact"), [("drop_tail", "scaled"), ("gnmt_score", "alpha")])
def test_a_millionth_is_forgiven_and_no_more(task: str, exact: str, off: float, passes: bool) -> None:
    right = SHEET[task]

    def nudged(value: Any) -> Any:
        return [nudged(one) for one in value] if isinstance(value, list) else value + off * bool(value)

    sheet = SHEET | {"a_little_off": lambda *arguments: nudged(right(*arguments))}
    parameters = {"drop_tail": "scores, temperature, lost, least", "gnmt_score": "ids, total, prompt, alpha"}[task]
    exec(f"{task} = lambda {parameters}: a_little_off({parameters})", sheet)
    assert (f"{task}-{exact}" not in ASSIGNMENT.failed(sheet, task)) is passes


# --- the graders ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_grading_needs_neither_torch_nor_widgets() -> None:
    code = """
import sys
from course.assignment import Assignment
one = Assignment("assignment4")
assert one.failed(one.sheet(one.answers("model")), "gnmt_score", "trace") == {}
assert not {"torch", "ipywidgets", "anywidget", "matplotlib"} & set(sys.modules), sorted(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("task", "used"),
    [
        ("grow_beams", "tokenlab.algorithms.decoding.beam_search"),
        ("PatientPhrase", "tokenlab.libraries.transformers.generation"),
        ("shown_text", "tokenlab.algorithms.decoding.incremental_utf8"),
    ],
)
def test_what_a_library_does_is_not_graded(task: str, used: str) -> None:
    sheet = dict(SHEET)
    exec(BORROWED[task], sheet)
    said = ASSIGNMENT.failed(sheet, task)
    assert list(said) == list(ASSIGNMENT.cells_of(task))
    assert all(f" uses {used}" in sentence for sentence in said.values())


@pytest.mark.parametrize(
    ("left", "task"),
    [
        ("return self.phrase[self.there] if self.remaining() else None", "PatientPhrase"),
        ("self.there = self.waited = 0\n", "PatientPhrase"),
    ],
)
def test_the_line_that_was_there_does_no_harm_below_what_was_written(left: str, task: str) -> None:
    source = ASSIGNMENT.solutions[task].replace("        return None\n", "")
    assert f"{left.strip()}\n        return ..." in source
    sheet = dict(SHEET)
    exec(source, sheet)
    assert ASSIGNMENT.failed(sheet, task) == {}


@pytest.mark.parametrize("kind", [np.bool_, int])
def test_a_truth_of_numpy_and_a_one_are_answers(kind: Any) -> None:
    sheet = SHEET | {"kind": kind, "stops": SHEET["may_stop"]}
    exec("may_stop = lambda scores, room, sums, longest, alpha: kind(stops(scores, room, sums, longest, alpha))", sheet)
    assert ASSIGNMENT.failed(sheet, "may_stop") == {}


# --- the trace ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def my_data() -> Any:
    return SHEET["my_data"]


def answers(student: str) -> dict[str, Any]:
    given: dict[str, Any] = {}
    exec(ASSIGNMENT.answers(student)["trace"], given)
    return given


def test_everybodys_data_tell_the_right_way_from_the_wrong_ones(my_data: Any) -> None:
    for student in IDS:
        my = my_data(student)
        shares = [percent / 100 for percent in my.percents]
        assert top_p_filter(shares, my.top / 100) != sampling.exclude_crossing_token(shares, my.top / 100)
        means = [total / length for total, length in zip(my.sums, my.lengths, strict=True)]
        assert sorted(means)[1] + 0.1 < max(means) and means.index(max(means)) != my.sums.index(max(my.sums))
        chosen = chosen_by_rule(my.penalty_rule, my)
        assert chosen != chosen_by(my, lambda before: {*before}) and chosen != chosen_by(my, lambda before: before[-1:])
        assert {*chosen[:2]} != {*chosen} or chosen[2:] != chosen[:2]
        assert chosen[2] != chosen[3], "a penalty that is subtracted once for all groups gives another last choice"
        assert constraints.restart_with_breaking_token(my.phrase, my.tokens) or my.tokens[2] == my.phrase[0]
        there = [constraint_progress(my.phrase, my.tokens[:end]) for end in range(1, len(my.tokens) + 1)]
        again = [constraints.restart_with_breaking_token(my.phrase, my.tokens[:end]) for end in range(1, 6)]
        assert there != again[: len(there)]
        assert streaming.decode_each_token(my.stream) != stream_text(my.stream) and all(my.stream)
        assert 1 == len(constraints.ban_one_tokenization(my.word, my.pieces)) < len(tokenizations(my.word, my.pieces))
        assert len(tokenizations(my.word, my.pieces)) < len(my.pieces)
        read = [with_decoder_start(ids, 0) for ids in my.begun]
        assert all(read != [wrong(ids, 0) for ids in my.begun] for wrong in (streaming.double_bos, streaming.no_bos))


def chosen_by(my: Any, lowered: Any) -> list[int]:
    """What four groups choose that lower what this makes of the choices before them."""
    chosen: list[int] = []
    for _ in range(4):
        scores = [score - my.penalty * list(lowered(chosen)).count(id) for id, score in enumerate(my.scores)]
        assert scores.count(max(scores)) == 1
        chosen.append(scores.index(max(scores)))
    return chosen


TOP_P = ["rising", "one more", "second"]
PENALTIES = ["squared", "falling", "favourite"]


def kept_by_rule(rule: str, my: Any) -> list[int]:
    """Return the ids that are kept by a rule of the trace, in order; without a name, by that of the lesson."""
    falling = sorted(range(4), key=lambda id: -my.percents[id])
    order = {"rising": falling[::-1], "second": falling[1:]}.get(rule, falling)
    reached = [sum(my.percents[id] for id in order[:number]) >= my.top for number in range(len(order) + 1)]
    number = reached.index(True) if True in reached else len(order)
    return order[: number + (rule == "one more")]


def chosen_by_rule(rule: str, my: Any) -> list[int]:
    """Return what four groups choose by a rule of the trace; without a name, by that of the lesson."""

    def lowered(before: list[int]) -> list[int]:
        if rule == "squared":
            return [id for id in before for _ in range(before.count(id))]
        if rule == "falling":
            return [id for group, id in enumerate(before) for _ in range(3 - group)]
        return [*before, *([id for id in before if id == before[0]] if rule == "favourite" else [])]

    return chosen_by(my, lowered)


def test_the_lessons_rules_are_those_of_the_package(my_data: Any) -> None:
    for student in IDS[::20]:
        my = my_data(student)
        kept = top_p_filter([percent / 100 for percent in my.percents], my.top / 100)
        assert kept_by_rule("", my) == sorted(kept, key=lambda id: -my.percents[id])
        assert chosen_by_rule("", my) == [*select_per_group(my.scores, 4, my.penalty)]


def test_every_rule_gives_an_answer_of_its_own_for_everybodys_data(my_data: Any) -> None:
    for student in IDS:
        my = my_data(student)
        kept = [tuple(kept_by_rule(rule, my)) for rule in ["", *TOP_P]]
        assert len({*kept}) == 4
        assert len({tuple(chosen_by_rule(rule, my)) for rule in ["", *PENALTIES]}) == 4


def test_each_rule_is_drawn_for_many(my_data: Any) -> None:
    for name, rules in (("top_rule", TOP_P), ("penalty_rule", PENALTIES)):
        drawn = Counter(getattr(my_data(student), name) for student in IDS)
        assert set(drawn) == {*rules} and min(drawn.values()) > len(IDS) / 5


def test_the_lessons_rules_and_the_rules_of_another_student_lose_the_points(my_data: Any) -> None:
    for student in IDS[:12]:
        my, sheet = my_data(student), ASSIGNMENT.sheet(ASSIGNMENT.answers(student))
        assert ASSIGNMENT.failed(sheet, "trace") == {}
        for rule in {"", *TOP_P} - {my.top_rule}:
            assert set(ASSIGNMENT.failed(sheet | {"kept": kept_by_rule(rule, my)}, "trace")) == {"trace-kept"}
        for rule in {"", *PENALTIES} - {my.penalty_rule}:
            assert set(ASSIGNMENT.failed(sheet | {"choices": chosen_by_rule(rule, my)}, "trace")) == {"trace-choices"}


def test_no_answer_of_the_trace_is_the_same_for_all(my_data: Any) -> None:
    longest, patterns, counts = Counter[bool](), Counter[tuple[int, ...]](), Counter[int]()
    for student in IDS:
        my = my_data(student)
        means = [total / length for total, length in zip(my.sums, my.lengths, strict=True)]
        longest[means.index(max(means)) == my.lengths.index(max(my.lengths))] += 1
        chosen = chosen_by_rule(my.penalty_rule, my)
        patterns[tuple(map(chosen.index, chosen))] += 1
        counts[len(tokenizations(my.word, my.pieces))] += 1
    assert min(longest.values()) > 500 and set(longest) == {True, False}
    assert len(patterns) == len(counts) == 3 and min(patterns.values()) > 200 and min(counts.values()) > 200


def test_everybodys_answers_are_what_the_package_says(my_data: Any) -> None:
    for student in IDS[::20]:
        my, given = my_data(student), answers(student)
        assert given["kept"] == kept_by_rule(my.top_rule, my)
        scores = [hypothesis_score(*one, 1.0) for one in zip(my.sums, my.lengths, strict=True)]
        assert given["winner"] == scores.index(max(scores))
        assert given["choices"] == chosen_by_rule(my.penalty_rule, my)
        assert given["there"] == [step.after for step in constraint_progress.steps(my.phrase, my.tokens)]
        assert given["shown"] == [*stream_text(my.stream)]
        assert given["spelled"] == len(tokenizations(my.word, my.pieces))
        assert given["read"] == [[*with_decoder_start(ids, 0)] for ids in my.begun]


@pytest.mark.parametrize(
    ("written", "cell"),
    [
        ("kept = kept[:-1]", "trace-kept"),
        ("kept = sorted(kept) if kept != sorted(kept) else kept[::-1]", "trace-kept"),
        ("winner = my.sums.index(max(my.sums))", "trace-winner"),
        ("winner = str(winner)", "trace-winner"),
        ("choices = [choices[0]] * 4", "trace-choices"),
        ("choices = choices[:3] + [choices[2]]", "trace-choices"),
        ("there = there[-1]", "trace-there"),
        ("shown = [part.decode(errors='replace') for part in my.stream]", "trace-shown"),
        ("shown = ''.join(shown)", "trace-shown"),
        ("spelled = 1", "trace-spelled"),
        ("spelled = len(my.pieces)", "trace-spelled"),
        ("read = [[0, *ids] for ids in my.begun]", "trace-read"),
        ("read = my.begun", "trace-read"),
    ],
)
def test_a_wrong_answer_of_the_trace_costs_its_own_points(written: str, cell: str) -> None:
    assert_loses_only(ASSIGNMENT, SHEET, written, cell)


def test_the_wrong_hand_loses_what_the_class_says() -> None:
    assert set(LOST_BY_HAND) < set(ASSIGNMENT.cells_of("trace"))


def test_data_belong_to_the_id_however_it_is_written(my_data: Any) -> None:
    assert my_data("Jörg  Müller ") == my_data("jo\u0308rg mu\u0308ller")
    most_common = Counter(str(my_data(student)) for student in IDS).most_common(1)[0][1]
    assert most_common == 1


def test_data_are_the_same_in_every_python(my_data: Any) -> None:
    my = my_data("model")
    assert (my.percents, my.top, my.phrase) == ([30, 10, 40, 20], 55, [7, 8, 5])
    assert (my.top_rule, my.penalty_rule) == ("rising", "falling")


def test_an_id_that_is_no_string_is_asked_for(my_data: Any) -> None:
    with pytest.raises(AssertionError, match="write your id in quotes"):
        my_data(...)
