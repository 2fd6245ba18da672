"""Assignment 8: its references agree with the model answers, and everybody's rule and data tell right from wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
import torch
from torch import tensor

from course.assignment import Assignment
from course.classes.assignment8 import ACCIDENTS, BORROWED, LOST_BY_HAND, submissions
from course.grading import close_values
from course.programs import assignment8 as programs
from tests.course.graded import assert_loses_only
from tests.course.ids import IDS
from tests.tolerance import are_close, near
from tokenlab.minimal.decoder import rotate

ASSIGNMENT = Assignment("assignment8")
SHEET = ASSIGNMENT.sheet(ASSIGNMENT.answers("model"))
# Rules on which the other rules of their task are built, so that a program that breaks one of them breaks others.
NEVER_ALONE = {
    *("discounted-seen", "discounted-unseen", "joined_rows-stream", "turned-angles", "window_keys-later"),
    *("shared_heads-weights", "sign_step-direction"),
}


def test_the_class_has_a_sheet_for_each_wrong_program() -> None:
    class_of_eight = list(submissions(ASSIGNMENT))
    shown = {what for one in class_of_eight for what in one.what.split(", ")}
    assert {program.__name__ for wrong in programs.WRONG.values() for program in wrong} <= shown
    assert len({one.what for one in class_of_eight}) == len(class_of_eight) < 36


def test_each_task_has_five_wrong_programs_and_each_rule_one_that_breaks_no_other() -> None:
    for task, wrong in programs.WRONG.items():
        assert len(wrong) >= 5
        alone = {f"{task}-{rules[0]}" for rules in wrong.values() if len(rules) == 1}
        assert {*ASSIGNMENT.cells_of(task)} - alone <= NEVER_ALONE
        assert {f"{task}-{rule}" for rules in wrong.values() for rule in rules} == {*ASSIGNMENT.cells_of(task)}


# --- references of the hidden tests ---------------------------------------------------------------


def hidden(task: str) -> dict[str, Any]:
    """What the hidden helpers of a task define."""
    cell = next(cell for cell in ASSIGNMENT.notebook.cells if grade_id(cell) in ASSIGNMENT.cells_of(task))
    code = cell.source.partition("exec(r'''\n")[2].partition("\n'''")[0]
    names: dict[str, Any] = {"sheet": SHEET}
    exec(code.partition("\nrule = ")[0], names)
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

    def ids(self, number: int) -> tuple[int, ...]:
        return tuple(self.random.choices(range(5), k=number))

    def discounted(self) -> tuple[Any, ...]:
        contexts = [self.ids(self.size(0, 2)) for _ in range(self.size(0, 6))]
        counts = {one: {id: self.size() for id in {*self.ids(self.size(1, 3))}} for one in contexts}
        return self.size(0, 4), self.ids(self.size(0, 3)), counts, 5, self.random.random()

    def joined_rows(self) -> tuple[Any, ...]:
        return [[*self.ids(self.size(0, 6))] for _ in range(self.size(0, 4))], self.size(1, 7), 9

    def turned(self) -> tuple[Any, ...]:
        part, length = 2 * self.size(1, 3), self.size()
        return self.floats(self.size(), length, part + self.size(0, 3)), self.positions(length), 1000.0, part

    def window_keys(self) -> tuple[Any, ...]:
        return self.positions(self.size(), 12), self.positions(self.size(), 12)

    def shared_heads(self) -> tuple[Any, ...]:
        shared, times, q, n, k = (self.size(1, 3) for _ in range(5))
        mask = self.floats(q, n) > 0
        return self.floats(shared * times, q, k), self.floats(shared, n, k), self.floats(shared, n, k), mask

    def sign_step(self) -> tuple[Any, ...]:
        shape = [self.size(1, 3) for _ in range(self.size(1, 3))]
        return *(self.floats(*shape) for _ in range(3)), self.random.random(), self.random.random()

    def drawn_token(self) -> tuple[Any, ...]:
        parts = [self.random.random() for _ in range(self.size(1, 6))]
        last = self.random.choice([-1, self.random.randrange(len(parts))])
        return [part / sum(parts) for part in parts], last, self.random.random(), self.random.random()


REFERENCES = {
    "discounted": "right_probability",
    "joined_rows": "right_rows",
    "turned": "right_turn",
    "window_keys": "right_window",
    "shared_heads": "right_heads",
    "sign_step": "right_sign_step",
    "drawn_token": "right_token",
}


@pytest.mark.parametrize("task", REFERENCES)
def test_the_references_agree_with_the_model_answer_on_other_inputs(task: str) -> None:
    reference: Callable[..., Any] = hidden(task)[REFERENCES[task]]
    for seed in range(150):
        arguments = getattr(Drawn(seed), task)()
        mine, right = SHEET[task](*arguments), reference(*arguments)
        assert close_values(mine, right, 1e-3), (seed, mine, right)


@pytest.mark.parametrize("task", ["discounted", "turned", "shared_heads"])
def test_a_changed_reference_is_noticed(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for program in list(programs.WRONG[task])[:3]:
        sheet = dict(SHEET)
        exec(ASSIGNMENT.written_as(task, program), sheet)
        with pytest.raises(AssertionError), monkeypatch.context() as patch:
            patch.setitem(SHEET, task, sheet[task])
            test_the_references_agree_with_the_model_answer_on_other_inputs(task)


def test_the_probabilities_of_all_ids_have_the_sum_1() -> None:
    for seed in range(40):
        _, context, counts, size, discount = Drawn(seed).discounted()
        assert sum(SHEET["discounted"](id, context, counts, size, discount) for id in range(size)) == near(1.0)


def test_with_one_pair_and_an_even_head_a_vector_is_turned_as_on_the_page() -> None:
    x = Drawn(1).floats(1, 3, 2)
    places = tensor([0, 3, 8])
    assert are_close(SHEET["turned"](x, places, 100.0, 2), rotate(x[None], places[None], 100.0)[0])


def test_with_one_more_key_of_zeros_the_weights_are_those_of_torch() -> None:
    for seed in range(20):
        query, key, value, mask = Drawn(seed).shared_heads()
        times, (_, _, k) = len(query) // len(key), key.shape
        nothing = torch.zeros(len(query), 1, k)
        keys, values = (torch.cat([nothing, one.repeat(times, 1, 1)], dim=1) for one in (key, value))
        seen = torch.cat([torch.ones(len(mask), 1, dtype=torch.bool), mask], dim=1)
        right = torch.nn.functional.scaled_dot_product_attention(query, keys, values, attn_mask=seen)
        assert are_close(SHEET["shared_heads"](query, key, value, mask), right.transpose(0, 1).flatten(1))


# --- the graders ----------------------------------------------------------------------------------


@pytest.mark.parametrize("task", BORROWED)
def test_a_library_gets_no_points(task: str) -> None:
    sheet = dict(SHEET)
    exec(BORROWED[task], sheet)
    said = ASSIGNMENT.failed(sheet, task)
    assert list(said) == list(ASSIGNMENT.cells_of(task))
    used = "torch." if task == "shared_heads" else "tokenlab."
    assert all(f"{task} uses {used}" in sentence for sentence in said.values()), said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("an endless loop", "does not end"),
        ("an exception", "raises IndexError"),
        ("a list in place of a tensor", "; it should be a float32 tensor of shape ("),
        ("changes the weight", "changes its argument weight"),
        ("numbers of another type", "gives a float64 tensor of shape (1,): [0.0]; it should be a float32 tensor"),
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
    return {key for key in range(query + 1) if key < rule["kept"] or query - key < rule["window"]}


def test_there_are_twelve_rules_that_all_differ_and_are_all_drawn() -> None:
    rules = {str(rule): rule for rule in map(SHEET["rule_of"], IDS)}
    assert len(rules) == 12
    assert len({str(sorted(seen(rule, 9))) for rule in rules.values()}) == 12
    assert min(Counter(str(SHEET["rule_of"](student)) for student in IDS).values()) > len(IDS) / 24


@pytest.mark.slow
@pytest.mark.parametrize("student", ["model", "s1234567", "anna lena", "x y z", "李小龙", "åsa"])
def test_the_rule_of_another_student_loses_its_points_only(student: str) -> None:
    sheet = ASSIGNMENT.sheet(ASSIGNMENT.answers(student))
    assert ASSIGNMENT.failed(sheet, "window_keys") == {}
    own = sheet["rule_of"](student)
    for rule in {str(rule): rule for rule in map(SHEET["rule_of"], IDS)}.values():
        sheet["my_rule"] = rule
        wanted = [] if rule == own else ["window_keys-mine"]
        assert list(ASSIGNMENT.failed(sheet, "window_keys")) == wanted, rule


def test_the_sheet_states_the_rule_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    cell = next(cell for cell in ASSIGNMENT.notebook.cells if grade_id(cell) == "my_rule")
    for student in ("model", "åsa", "x y z"):
        names: dict[str, Any] = {"student_id": student}
        exec(cell.source, names)
        said = capsys.readouterr().out.splitlines()
        example = said[2].partition("at the positions ")[2].rstrip(".").split(", ")
        assert [*map(int, example)] == sorted(seen(names["my_rule"], 9)) == names["example"]


# --- the trace ------------------------------------------------------------------------------------


def answers(student: str) -> dict[str, Any]:
    given: dict[str, Any] = {}
    exec(ASSIGNMENT.answers(student)["trace"], given)
    return given


def test_everybodys_data_tell_the_right_way_from_the_wrong_ones() -> None:
    for student in IDS:
        my, rule = SHEET["my_data"](student), SHEET["rule_of"](student)
        chances = [
            SHEET["discounted"](my.id, context, my.counts, 6, 0.5) for context in (my.context, my.context[1:], ())
        ]
        assert min(abs(chances[0] - other) for other in chances[1:]) > 0.02
        assert programs.next_document_is_predicted(my.documents, 4, 9)[1] != SHEET["joined_rows"](my.documents, 4, 9)[1]
        assert len(seen(rule, my.position)) == rule["kept"] + rule["window"] <= my.position
        assert abs(my.powers[2] / sum(my.powers) - my.powers[2] / (1 + sum(my.powers))) > 0.02
        token = SHEET["drawn_token"](my.probabilities, my.last, 0.5, my.number)
        for program in (programs.last_may_repeat, programs.share_of_the_best):
            assert program(my.probabilities, my.last, 0.5, my.number) != token


@pytest.mark.parametrize(
    ("written", "cell"),
    [
        ("chance = discounted(my.id, my.context[1:], my.counts, 6, 0.5)", "trace-chance"),
        ("chance = discounted(my.id, (), my.counts, 6, 0.5)", "trace-chance"),
        ("labels = joined_rows(my.documents, 4, 9)[0]", "trace-labels"),
        ("labels = labels[:2]", "trace-labels"),
        ("seen = seen[1:]", "trace-seen"),
        ("seen = seen[:-1]", "trace-seen"),
        ("weights = [power / sum(my.powers) for power in my.powers]", "trace-weights"),
        ("token = token + 1", "trace-token"),
        ("token = str(token)", "trace-token"),
    ],
)
def test_a_wrong_answer_of_the_trace_costs_its_own_points(written: str, cell: str) -> None:
    assert_loses_only(ASSIGNMENT, SHEET, written, cell)


def test_the_wrong_hand_loses_what_the_class_says() -> None:
    assert {*LOST_BY_HAND} == {*ASSIGNMENT.cells_of("trace")}
    for student in IDS[::100]:
        given = answers(student)
        assert given["labels"][0][2] == -100 and given["seen"][0] == 0


def test_data_differ_from_student_to_student() -> None:
    my_data = SHEET["my_data"]
    assert my_data("Jörg  Müller ") == my_data("jo\u0308rg mu\u0308ller")
    assert Counter(str(my_data(student)) for student in IDS).most_common(1)[0][1] <= 2
