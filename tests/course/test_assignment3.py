"""Assignment 3: its wrong programs are those of the lessons, its references are right, and every trace is worth it."""

from __future__ import annotations

import math
import subprocess
import sys
from collections import Counter
from inspect import signature
from itertools import groupby
from random import Random
from typing import Any

import pytest
import torch

from course.assignment import Assignment
from course.classes.assignment3 import LOST_BY_HAND, submissions
from course.programs import assignment3 as programs
from tests.course.graded import assert_loses_only
from tests.course.ids import IDS
from tokenlab.algorithms.attention.attention_weights import attention_weights, weighted_values
from tokenlab.algorithms.attention.decoder import MIN_VALUE, projections_computed, shift_right
from tokenlab.algorithms.attention.relative_buckets import bias_tables
from tokenlab.algorithms.training_data.span_corruption import corrupt
from tokenlab.libraries.transformers import T5Config, T5ForConditionalGeneration
from tokenlab.misconceptions import t5_attention, t5_model

torch.set_num_threads(1)
ASSIGNMENT = Assignment("assignment3")
SHEET = ASSIGNMENT.sheet(ASSIGNMENT.answers("model"))
# `half_shared` differs only for an odd number of buckets, which the assignment does not have.
BY_HAND = {"bias_per_layer", "cross_bias", "cross_kv_recomputed"}  # these show in a number, not in a function


def test_every_wrong_program_of_the_lessons_has_its_counterpart() -> None:
    fitting = [*t5_attention.MISCONCEPTIONS, *t5_model.MISCONCEPTIONS]
    assert {one.number for one in fitting} == {*range(35, 42), 151}
    here = {program.__name__ for wrong in programs.WRONG.values() for program in wrong}
    assert {program.__name__ for one in fitting for program in one.programs} - here == BY_HAND | {"half_shared"}


def test_no_sheet_of_the_class_is_needed_that_is_not_there() -> None:
    class_of_three = list(submissions(ASSIGNMENT))
    shown = {what for one in class_of_three for what in one.what.split(", ")}
    assert {program.__name__ for wrong in programs.WRONG.values() for program in wrong} <= shown
    assert len({one.what for one in class_of_three}) == len(class_of_three) < 25


# --- the model answers, against the package and against what must hold -----------------------------


def vectors(random: Random, number: int, width: int) -> list[list[int]]:
    return [[random.randint(-2, 2) for _ in range(width)] for _ in range(number)]


def test_packed_attention_is_that_of_a_head_with_bias_and_mask() -> None:
    random = Random(1)
    for _ in range(60):
        length, width = random.randint(1, 6), random.randint(1, 3)
        queries, keys, values = (vectors(random, length, width) for _ in range(3))
        table = [random.randint(-2, 2) for _ in range(random.randint(1, 4))]
        segments = sorted(random.randint(0, 3) for _ in range(length))
        places = range(length)
        bias = [[table[min(abs(q - k), len(table) - 1)] for k in places] for q in places]
        mask = [[0 if k <= q and segments[q] == segments[k] else MIN_VALUE for k in places] for q in places]
        expected = [weighted_values(row, values) for row in attention_weights(queries, keys, bias, mask)]
        expected = [row if segment else (0.0,) * width for row, segment in zip(expected, segments, strict=True)]
        outputs = SHEET["packed_attention"](queries, keys, values, table, segments)
        for mine, right in zip(outputs, expected, strict=True):
            assert list(mine) == pytest.approx(list(right), abs=1e-9)


def test_steps_with_a_memory_are_attention_without_one() -> None:
    random = Random(2)
    for most in (1, 2, 3, 9):
        queries, keys, values = (vectors(random, 6, 2) for _ in range(3))
        table = [random.randint(-2, 2) for _ in range(6)]
        near = [[table[q - k] if 0 <= q - k < most else MIN_VALUE for k in range(6)] for q in range(6)]
        weights = attention_weights(queries, keys, near)
        memory: Any = ([], [])
        for place in range(6):
            output, memory = SHEET["window_step"](queries[place], keys[place], values[place], memory, table, most)
            assert list(output) == pytest.approx(weighted_values(weights[place], values), abs=1e-9)
            assert len(memory[0]) == min(most, place + 1)
        assert (list(memory[0]), list(memory[1])) == (keys[-most:], values[-most:])


@pytest.mark.parametrize("total", [8, 16, 24, 32, 64])
def test_each_far_class_is_for_twice_as_many_distances(total: int) -> None:
    class_of = SHEET["distance_class"]
    for causal, side in ((False, total // 2), (True, total)):
        classes = [class_of(-distance, total, causal) for distance in range(3000)]
        widths = [len(list(run)) for _, run in groupby(classes)]
        assert classes == sorted(classes) and max(classes) < side
        near = side // 2
        assert widths[:-1] == [*[1] * near, *(near * 2**n for n in range(len(widths) - near - 1))]
        later = [class_of(distance, total, causal) for distance in range(1, 3000)]
        assert later == ([0] * 2999 if causal else [one + side for one in classes[1:]])


def test_what_the_decoder_reads_is_shifted_labels_behind_another_start() -> None:
    random = Random(3)
    for _ in range(100):
        labels = [random.choice([8, 9, 1, -100]) for _ in range(random.randint(1, 6))]
        counted = [label for label in labels if label != -100]
        assert SHEET["decoder_reads"](labels, 3) == [*shift_right(labels, counted[-1] if counted else 3, 3)]


def test_the_loss_of_one_text_is_that_of_torch() -> None:
    scores, labels = torch.randn(5, 7, generator=torch.manual_seed(4)), torch.tensor([3, -100, 6, 0, -100])
    costs = torch.nn.functional.cross_entropy(scores, labels.clamp(min=0), reduction="none").tolist()
    right = torch.nn.functional.cross_entropy(scores, labels, ignore_index=-100).item()
    assert SHEET["text_loss"]([costs, costs], [labels.tolist()] * 2) == pytest.approx(right, rel=1e-5)
    assert math.isnan(SHEET["text_loss"]([], []))


def test_a_mask_can_corrupt_a_text() -> None:
    for length in range(2, 40):
        for percent in (1, 15, 50, 99):
            mask = SHEET["even_mask"](length, percent, 3)
            runs = [(noisy, len(list(run))) for noisy, run in groupby(mask)]
            assert len(mask) == length and [noisy for noisy, _ in runs] == [0, 1] * (len(runs) // 2)
            for noisy in (0, 1):
                lengths = [size for kind, size in runs if kind == noisy]
                assert max(lengths) - min(lengths) <= 1
                assert lengths == sorted(lengths, reverse=bool(noisy))
            inputs, targets = corrupt([*range(length)], [*map(bool, mask)], [*range(1000, 900, -1)])
            assert len(inputs) + len(targets) == length + len(runs) + 2


# --- numbers with a tolerance ---------------------------------------------------------------------


@pytest.mark.parametrize(("off", "passes"), [(0.5e-6, True), (3e-5, False)])
@pytest.mark.parametrize(("task", "exact"), [("mean_size_norm", "size"), ("window_step", "output")])
def test_a_millionth_is_forgiven_and_no_more(task: str, exact: str, off: float, passes: bool) -> None:
    right = SHEET[task]
    parameters = ", ".join(signature(right).parameters)

    def nudged(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [nudged(one) for one in value]
        return value + off if isinstance(value, float) else value

    sheet = SHEET | {"a_little_off": lambda *arguments: nudged(right(*arguments))}
    exec(f"{task} = lambda {parameters}: a_little_off({parameters})", sheet)
    assert (f"{task}-{exact}" not in ASSIGNMENT.failed(sheet, task)) is passes


# --- the graders ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_grading_needs_neither_torch_nor_widgets() -> None:
    code = """
import sys
from course.assignment import Assignment
one = Assignment("assignment3")
assert one.failed(one.sheet(one.answers("model")), "packed_attention", "trace") == {}
assert not {"torch", "ipywidgets", "anywidget", "matplotlib"} & set(sys.modules), sorted(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("task", "used"),
    [
        ("mean_size_norm", "tokenlab.algorithms.attention.sublayers"),
        ("packed_attention", "torch"),
        ("window_step", "tokenlab.check"),
    ],
)
def test_what_a_library_does_is_not_graded(task: str, used: str) -> None:
    from course.classes.assignment3 import BORROWED

    sheet = dict(SHEET)
    exec(BORROWED[task], sheet)
    said = ASSIGNMENT.failed(sheet, task)
    assert list(said) == list(ASSIGNMENT.cells_of(task))
    assert all(f"{task} uses {used}" in sentence for sentence in said.values())


# --- the trace ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def my_data() -> Any:
    return SHEET["my_data"]


def test_everybodys_numbers_tell_the_right_way_from_the_wrong_ones(my_data: Any) -> None:
    for student in IDS:
        my = my_data(student)
        blocks = my.encoder_blocks, my.decoder_blocks
        tables = len(bias_tables(*blocks))
        assert tables not in (len(t5_attention.bias_per_layer(*blocks)), len(t5_attention.cross_bias(*blocks)))
        for rows, right in ((projections_computed, True), (t5_model.cross_kv_recomputed, False)):
            assert (sum(cross for _, cross in rows(my.source, my.steps)) == my.source) is right
        for program in (programs.bidirectional_decoder, programs.encoder_buckets_for_earlier_keys):
            assert program(-my.back, my.total, True) != SHEET["distance_class"](-my.back, my.total, True)
        for rule in BUCKETS:
            assert bucket_by(rule, my.back, my.total // 2) != bucket_by(rule, my.back, my.total)
        assert my.table != my.table[::-1] and len(my.keys) == len(my.table)


SCORING = ["subtract", "double", "near"]
BUCKETS = ["half", "quarter", "mirror"]


def scores_by(rule: str, my: Any) -> list[float]:
    """Return the scores by a rule of the trace; without a name, by that of the lesson."""
    table = [*my.table[:2], my.table[1]] if rule == "near" else my.table
    [step] = attention_weights.steps([my.query], my.keys, [table[::-1]])
    scale, sign = 2 if rule == "double" else 1, -1 if rule == "subtract" else 1
    return [scale * score + sign * more for score, more in zip(step.scores, step.added, strict=True)]


def bucket_by(rule: str, back: int, side: int) -> int:
    """Return the bucket of an earlier key on a side with this many buckets, by a rule of the trace or of task 2."""
    if rule == "half":
        return bucket_by("", back // 2, side)
    if rule == "mirror":
        return side - 1 - bucket_by("", back, side)
    widths = [1] * (side // 4 if rule == "quarter" else side // 2)
    widths += [len(widths) * 2**number for number in range(side - len(widths))]
    return next(bucket for bucket in range(side) if back < sum(widths[: bucket + 1]) or bucket == side - 1)


def test_everybodys_answers_are_those_of_the_rules(my_data: Any) -> None:
    for student in IDS[::20]:
        my = my_data(student)
        given: dict[str, Any] = {}
        exec(ASSIGNMENT.answers(student)["trace"], given)
        assert given["scores"] == scores_by(my.scoring, my)
        assert given["encoder_class"] == bucket_by(my.buckets, my.back, my.total // 2)
        assert given["decoder_class"] == bucket_by(my.buckets, my.back, my.total)
        assert given["cross_rows"] == sum(cross for _, cross in projections_computed(my.source, my.steps))


def test_every_rule_gives_an_answer_of_its_own_for_everybodys_data(my_data: Any) -> None:
    for student in IDS:
        my = my_data(student)
        assert len({tuple(scores_by(rule, my)) for rule in ["", *SCORING]}) == 4
        buckets = {
            (bucket_by(rule, my.back, my.total // 2), bucket_by(rule, my.back, my.total)) for rule in ["", *BUCKETS]
        }
        assert len(buckets) == 4
        own = [SHEET["distance_class"](-my.back, my.total, causal) for causal in (False, True)]
        assert own == [bucket_by("", my.back, my.total // 2), bucket_by("", my.back, my.total)]


def test_each_rule_is_drawn_for_many(my_data: Any) -> None:
    for name, rules in (("scoring", SCORING), ("buckets", BUCKETS)):
        drawn = Counter(getattr(my_data(student), name) for student in IDS)
        assert set(drawn) == {*rules} and min(drawn.values()) > len(IDS) / 5


def test_the_own_functions_and_the_rules_of_another_student_lose_the_points(my_data: Any) -> None:
    for student in IDS[:12]:
        my, sheet = my_data(student), ASSIGNMENT.sheet(ASSIGNMENT.answers(student))
        assert ASSIGNMENT.failed(sheet, "trace") == {}
        for rule in {"", *SCORING} - {my.scoring}:
            assert set(ASSIGNMENT.failed(sheet | {"scores": scores_by(rule, my)}, "trace")) == {"trace-scores"}
        for rule in {"", *BUCKETS} - {my.buckets}:
            other = [bucket_by(rule, my.back, side) for side in (my.total // 2, my.total)]
            answers = dict(zip(("encoder_class", "decoder_class"), other, strict=True))
            assert set(ASSIGNMENT.failed(sheet | answers, "trace")) == {"trace-classes"}


def test_the_numbers_in_the_tables_are_those_of_a_model(my_data: Any) -> None:
    for student in IDS[:3]:
        my = my_data(student)
        config = T5Config(
            vocab_size=4, d_model=4, d_kv=1, d_ff=4, num_layers=my.encoder_blocks, num_decoder_layers=my.decoder_blocks,
            num_heads=my.heads, relative_attention_num_buckets=my.total,
        )  # fmt: skip
        parameters = T5ForConditionalGeneration(config).named_parameters()
        numbers = sum(parameter.numel() for name, parameter in parameters if "relative_attention_bias" in name)
        given: dict[str, Any] = {}
        exec(ASSIGNMENT.answers(student)["trace"], given)
        assert given["bias_numbers"] == numbers


@pytest.mark.parametrize(
    ("written", "cell"),
    [
        ("scores = scores[::-1]", "trace-scores"),
        ("scores = [score / 2**0.5 for score in scores]", "trace-scores"),
        ("encoder_class = decoder_class", "trace-classes"),
        ("decoder_class = encoder_class", "trace-classes"),
        ("bias_numbers += my.heads * my.total", "trace-numbers"),
        ("bias_numbers = str(bias_numbers)", "trace-numbers"),
        ("cross_rows = my.source * my.steps", "trace-rows"),
        ("cross_rows = my.steps", "trace-rows"),
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
    assert (my.query, my.keys[0], my.table) == ([3, 4], [1, 3], [6, 5, 3])
    assert (my.scoring, my.buckets) == ("near", "quarter")


def test_an_id_that_is_no_string_is_asked_for(my_data: Any) -> None:
    with pytest.raises(AssertionError, match="write your id in quotes"):
        my_data(...)
