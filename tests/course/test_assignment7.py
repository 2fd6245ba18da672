"""Assignment 7: its references agree with the model answers, and everybody's rule and data tell right from wrong."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
import torch
from torch import tensor

from course.assignment import Assignment
from course.classes.assignment7 import ACCIDENTS, BORROWED, DECODERS, LAST, LOST_BY_HAND, submissions
from course.grading import close_values
from course.programs import assignment7 as programs
from tests.course.graded import assert_loses_only
from tests.course.ids import IDS
from tests.tolerance import are_close
from tokenlab.libraries.transformers.models.t5.modeling_t5 import T5LayerNorm

ASSIGNMENT = Assignment("assignment7")
SHEET = ASSIGNMENT.sheet(ASSIGNMENT.answers("model"))
# Rules on which the other rules of their task are built, so that a program that breaks one of them breaks others.
NEVER_ALONE = {
    *("position_bias-roots", "position_bias-positions", "visible_keys-later", "attend-scale", "weighted_loss-one"),
    *("weighted_loss-weights", "cache_step-joined", "translate_greedily-first", "translate_greedily-repeats"),
}
PARTS = [task for task in programs.RIGHT if task != LAST]


def test_the_class_has_a_sheet_for_each_wrong_part_and_for_some_decoders() -> None:
    class_of_seven = list(submissions(ASSIGNMENT))
    shown = {what for one in class_of_seven for what in one.what.split(", ")}
    assert {program.__name__ for task in PARTS for program in programs.WRONG[task]} <= shown
    assert {*DECODERS} <= shown & {program.__name__ for program in programs.WRONG[LAST]}
    assert len({one.what for one in class_of_seven}) == len(class_of_seven) < 45


def test_each_task_has_five_wrong_programs_and_each_rule_one_that_breaks_no_other() -> None:
    for task, wrong in programs.WRONG.items():
        assert len(wrong) >= 5
        alone = {f"{task}-{rules[0]}" for rules in wrong.values() if len(rules) == 1}
        assert {*ASSIGNMENT.cells_of(task)} - alone <= NEVER_ALONE
        assert {f"{task}-{rule}" for rules in wrong.values() for rule in rules} == {*ASSIGNMENT.cells_of(task)}


# --- references of the hidden tests ---------------------------------------------------------------


def hidden(task: str, student: str = "model") -> dict[str, Any]:
    """What the hidden helpers of a task define, for a student."""
    sheet = SHEET if student == "model" else ASSIGNMENT.sheet(ASSIGNMENT.answers(student))
    cell = next(cell for cell in ASSIGNMENT.notebook.cells if grade_id(cell) in ASSIGNMENT.cells_of(task))
    code = cell.source.partition("exec(r'''\n")[2].partition("\n'''")[0]
    helpers = code.partition("rule = ")[0].partition("check_same_student(")[0]
    names: dict[str, Any] = {"sheet": sheet}
    exec(helpers if task != "visible_keys" else code.partition("\nrule = ")[0], names)
    return names


def grade_id(cell: Any) -> str:
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))


class Drawn:
    """Random arguments of each task, drawn in another way than by the hidden tests."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.generator = torch.Generator().manual_seed(seed)

    def floats(self, *shape: int) -> Any:
        return torch.randn(*shape, generator=self.generator)

    def size(self, least: int = 1, most: int = 5) -> int:
        return self.random.randint(least, most)

    def positions(self, number: int, most: int = 60) -> Any:
        return tensor(sorted(self.random.sample(range(most), number)), dtype=torch.int64)

    def trimmed_norm(self) -> tuple[Any, ...]:
        d = self.size(2)
        return self.floats(self.size(), d), self.floats(d), self.random.choice([0.0, 0.1, 2.0])

    def position_bias(self) -> tuple[Any, ...]:
        table = self.floats(2 * self.size(1, 5), self.size())
        return table, self.positions(self.size()), self.positions(self.size(), 300), self.random.random() < 0.5

    def visible_keys(self) -> tuple[Any, ...]:
        return self.positions(self.size(), 12), self.positions(self.size(), 12)

    def attend(self) -> tuple[Any, ...]:
        h, q, n, k = (self.size() for _ in range(4))
        mask = self.floats(q, n) > 0
        return (
            self.floats(h, q, k),
            self.floats(h, n, k),
            self.floats(h, n, k),
            self.floats(h),
            self.floats(h, q, n),
            mask,
        )

    def gated_block(self) -> tuple[Any, ...]:
        d, f = self.size(2), self.size()
        return self.floats(self.size(), d), *(self.floats(*s) for s in ((d, f), (d, f), (f, d), (d,))), 0.1

    def tied_logits(self) -> tuple[Any, ...]:
        d, size = self.size(), self.size(2, 8)
        return self.floats(self.size(), d), self.floats(size, d), self.random.choices(range(10), k=self.size(0, 4))

    def weighted_loss(self) -> tuple[Any, ...]:
        length, size = self.size(1, 7), self.size()
        labels = [self.random.choice([-100, self.random.randrange(size)]) for _ in range(length)]
        return self.floats(length, size), tensor(labels)

    def cache_step(self) -> tuple[Any, ...]:
        h, k, n = self.size(), self.size(), self.size(0, 5)
        old = self.positions(n, 12)
        new = int(old[-1]) + self.size() if n else self.size(0)
        return (
            (self.floats(h, n, k), self.floats(h, n, k), old),
            self.floats(h, k),
            self.floats(h, k),
            new,
            self.size(1, 6),
        )


REFERENCES = {
    "trimmed_norm": ["right_norm"],
    "position_bias": ["right_bias"],
    "visible_keys": ["right_visible"],
    "attend": ["right_attend"],
    "gated_block": ["right_block"],
    "tied_logits": ["right_logits"],
    "weighted_loss": ["right_loss"],
    "cache_step": ["right_step"],
}
PARTS_OF_THE_LAST = {
    "trimmed_norm": "real_norm",
    "position_bias": "real_bias",
    "visible_keys": "real_visible",
    "attend": "real_attend",
    "gated_block": "real_block",
    "tied_logits": "real_logits",
    "cache_step": "real_step",
}


@pytest.mark.parametrize("task", PARTS)
def test_the_references_agree_with_the_model_answer_on_other_inputs(task: str) -> None:
    helpers = hidden(task)
    references: list[Callable[..., Any]] = [helpers[name] for name in REFERENCES[task]]
    references += [hidden(LAST)[PARTS_OF_THE_LAST[task]]] if task in PARTS_OF_THE_LAST else []
    for seed in range(150):
        arguments = getattr(Drawn(seed), task)()
        mine = SHEET[task](*arguments)
        for reference in references:
            right = reference(*arguments)
            assert close_values(mine, right, 1e-3), (seed, reference, mine, right)


@pytest.mark.parametrize("task", ["trimmed_norm", "attend", "cache_step"])
def test_a_changed_reference_is_noticed(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for program in list(programs.WRONG[task])[:3]:
        sheet = dict(SHEET)
        exec(ASSIGNMENT.written_as(task, program), sheet)
        with pytest.raises(AssertionError), monkeypatch.context() as patch:
            patch.setitem(SHEET, task, sheet[task])
            test_the_references_agree_with_the_model_answer_on_other_inputs(task)


@pytest.mark.slow
def test_the_reference_decoder_agrees_with_the_model_answer() -> None:
    helpers = hidden(LAST)
    inputs = helpers["models"](5, lambda random: [], [1, 2, 9], [0, 2], [6])
    lengths = set()
    for _ in range(40):
        given = next(inputs)
        ids = SHEET[LAST](*given)
        assert helpers["right_translation"](*given) == ids
        lengths.add(len(ids))
    assert len(lengths) > 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "part",
    [
        ASSIGNMENT.written_as("trimmed_norm", programs.size_of_all),
        "def trimmed_norm(hidden, weight, eps):\n    return hidden * torch.rand(1)",
        "def tied_logits(hidden, embedding, forbidden):\n    return torch.zeros(1, len(embedding))",
        "def attend(*arguments):\n    return ...",
        "del cache_step",
    ],
)
def test_a_part_that_is_wrong_costs_its_own_points_only(part: str) -> None:
    task = re.findall(r"def (\w+)|del (\w+)", part)[0]
    sheet = ASSIGNMENT.sheet(ASSIGNMENT.answers("model"))
    exec(part, sheet)
    assert ASSIGNMENT.failed(sheet, "gated_block", LAST) == {}
    assert ASSIGNMENT.failed(sheet, "".join(task))


@pytest.mark.slow
def test_a_loop_that_ignores_its_source_has_no_points_whatever_its_parts_do() -> None:
    sheet = ASSIGNMENT.sheet(ASSIGNMENT.answers("model"))
    exec("def tied_logits(hidden, embedding, forbidden):\n    return torch.zeros(1, len(embedding))", sheet)
    exec(f"def {LAST}(source, weights, forbidden, steps, least, most):\n    return [5, 4, 5, 4, 5, 4][:most]", sheet)
    assert {*ASSIGNMENT.failed(sheet, LAST)} == {*ASSIGNMENT.cells_of(LAST)}


def test_without_the_changed_rule_the_norm_is_that_of_t5() -> None:
    norm = T5LayerNorm(3, eps=0.0)
    norm.weight.data = tensor([1.0, 2.0, -1.0])
    hidden = tensor([[2.0, -2.0, 2.0], [-3.0, 3.0, 3.0]])  # the largest number is as large as all others
    assert are_close(SHEET["trimmed_norm"](hidden, norm.weight.data, 0.0), norm(hidden).detach(), length=8)


def test_without_bias_holes_and_scale_attention_is_that_of_torch() -> None:
    for seed in range(20):
        query, key, value, scale, bias, mask = Drawn(seed).attend()
        mask[:, 0] = True
        mine = SHEET["attend"](query, key, value, torch.ones_like(scale), bias, mask)
        scores = bias.masked_fill(~mask, -torch.inf)
        right = torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=scores, scale=1.0)
        assert are_close(mine, right)


def test_a_loss_with_one_label_is_the_cross_entropy() -> None:
    for seed in range(20):
        logits = Drawn(seed).floats(3, 5)
        labels = tensor([-100, seed % 5, -100])
        assert are_close(
            SHEET["weighted_loss"](logits, labels), torch.nn.functional.cross_entropy(logits, labels), length=8
        )


# --- the graders ----------------------------------------------------------------------------------


@pytest.mark.parametrize("task", BORROWED)
def test_a_library_gets_no_points(task: str) -> None:
    sheet = dict(SHEET)
    exec(BORROWED[task], sheet)
    said = ASSIGNMENT.failed(sheet, task)
    assert list(said) == list(ASSIGNMENT.cells_of(task))
    used = "tokenlab.libraries.transformers" if task == "position_bias" else "torch."
    assert all(f"{task} uses {used}" in sentence for sentence in said.values())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("an endless loop", "does not end"),
        ("an exception", "raises IndexError"),
        ("a list in place of a tensor", "; it should be a float32 tensor of shape ("),
        ("changes the cache", "changes its argument cache"),
        (
            "numbers of another type",
            "gives a float64 tensor of shape (1,): [0.0]; it should be a float32 tensor of shape ()",
        ),
    ],
)
def test_an_accident_is_told_and_costs_the_task(what: str, said: str) -> None:
    task, source = ACCIDENTS[what]
    sheet = dict(SHEET)
    exec(source, sheet)
    sentences = ASSIGNMENT.failed(sheet, task)
    assert list(sentences) == list(ASSIGNMENT.cells_of(task))
    assert any(said in sentence for sentence in sentences.values()), sentences


# --- the rule of a student ------------------------------------------------------------------------


def seen(rule: dict[str, Any], query: int) -> set[int]:
    named = {key for key in range(query) if (query - key) % rule["step"] == rule["remainder"]}
    return named | {query} | ({0} if rule["first"] else set())


def test_there_are_ten_rules_that_all_differ_and_are_all_drawn() -> None:
    rules = {str(rule): rule for rule in map(SHEET["rule_of"], IDS)}
    assert len(rules) == 10
    masks = {str([sorted(seen(rule, query)) for query in (7, 8, 9)]) for rule in rules.values()}
    assert len(masks) == 10
    assert min(Counter(str(SHEET["rule_of"](student)) for student in IDS).values()) > len(IDS) / 20


@pytest.mark.slow
@pytest.mark.parametrize("student", ["model", "s1234567", "anna lena", "x y z", "李小龙", "åsa"])
def test_the_rule_of_another_student_loses_its_points_only(student: str) -> None:
    sheet = ASSIGNMENT.sheet(ASSIGNMENT.answers(student))
    assert ASSIGNMENT.failed(sheet, "visible_keys") == {}
    own = sheet["rule_of"](student)
    rules = {str(rule): rule for rule in map(SHEET["rule_of"], IDS)}
    assert str(own) in rules
    for rule in rules.values():
        sheet["my_rule"] = rule
        wanted = [] if rule == own else ["visible_keys-mine"]
        assert list(ASSIGNMENT.failed(sheet, "visible_keys")) == wanted, rule


def test_the_sheet_states_the_rule_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    cell = next(cell for cell in ASSIGNMENT.notebook.cells if grade_id(cell) == "my_rule")
    for student in ("model", "åsa", "x y z"):
        names: dict[str, Any] = {"student_id": student}
        exec(cell.source, names)
        said = capsys.readouterr().out.splitlines()
        example = said[2].partition("at the positions ")[2].rstrip(".").split(", ")
        assert [*map(int, example)] == sorted(seen(names["my_rule"], 8)) == names["example"]
        assert said[0].startswith("Your rule: a query sees the earlier keys at the distances ")
        assert ("is visible to every query" in said[1]) is names["my_rule"]["first"]


# --- the trace ------------------------------------------------------------------------------------


def answers(student: str) -> dict[str, Any]:
    given: dict[str, Any] = {}
    exec(ASSIGNMENT.answers(student)["trace"], given)
    return given


def test_everybodys_data_tell_the_right_way_from_the_wrong_ones() -> None:
    for student in IDS:
        my, rule = SHEET["my_data"](student), SHEET["rule_of"](student)
        sizes = sorted(map(abs, my.row))
        assert len(my.row) == 4 and sizes[-1] > sizes[-2]
        size = (sum(number * number for number in sizes[:3]) / 3) ** 0.5
        assert abs(size - (sum(number * number for number in sizes) / 4) ** 0.5) > 1
        left = {place for place in [*my.cached, my.position] if place == 0 or my.position - place < my.steps}
        assert len(left) <= len(my.cached) and seen(rule, my.position) & left < left
        first, _, second, third = my.losses
        weighted = (first + second / 2 + third / 3) / (11 / 6)
        assert abs(weighted - (first + second + third) / 3) > 0.05
        allowed = [id for id in range(2, 6) if id != my.generated[-1]]
        best = [id for id in allowed if my.logits[id] == max(my.logits[id] for id in allowed)]
        assert len(best) == 2 and len(my.generated) < my.least
        assert my.logits[1] > my.logits[my.generated[-1]] > my.logits[best[0]]


def test_everybodys_answers_follow_the_rules() -> None:
    for student in IDS[::100]:
        my, given, rule = SHEET["my_data"](student), answers(student), SHEET["rule_of"](student)
        left = {place for place in [*my.cached, my.position] if place == 0 or my.position - place < my.steps}
        assert given["seen"] == sorted(seen(rule, my.position) & left)
        table = torch.arange(float(my.buckets))[:, None]
        shown = SHEET["position_bias"](table, tensor([my.query]), tensor(my.keys), False)
        assert given["buckets"] == shown[0, 0].long().tolist()
        row = tensor([my.row], dtype=torch.float32)
        assert are_close(SHEET["trimmed_norm"](row, torch.ones(4), my.eps), row / given["divisor"], length=8)
        assert given["token"] not in (0, 1, my.generated[-1])


@pytest.mark.parametrize(
    ("written", "cell"),
    [
        ("divisor = (sum(n * n for n in my.row) / 4) ** 0.5 + my.eps", "trace-divisor"),
        ("divisor = divisor - my.eps", "trace-divisor"),
        ("buckets = sorted(buckets, reverse=True)", "trace-buckets"),
        ("buckets = [n // 2 for n in buckets]", "trace-buckets"),
        ("seen = [*my.cached, my.position]", "trace-seen"),
        ("seen = seen[:-1]", "trace-seen"),
        ("loss = sum(my.losses) / 4", "trace-loss"),
        ("loss = (my.losses[0] + my.losses[2] / 3 + my.losses[3] / 4) / (19 / 12)", "trace-loss"),
        ("token = my.generated[-1]", "trace-token"),
        ("token = 1", "trace-token"),
        ("token = str(token)", "trace-token"),
    ],
)
def test_a_wrong_answer_of_the_trace_costs_its_own_points(written: str, cell: str) -> None:
    assert_loses_only(ASSIGNMENT, SHEET, written, cell)


def test_the_wrong_hand_loses_what_the_class_says() -> None:
    assert {*LOST_BY_HAND} == {*ASSIGNMENT.cells_of("trace")}


def test_data_differ_from_student_to_student() -> None:
    my_data = SHEET["my_data"]
    assert my_data("Jörg  Müller ") == my_data("jo\u0308rg mu\u0308ller")
    assert Counter(str(my_data(student)) for student in IDS).most_common(1)[0][1] == 1
