"""The class of assignment 7: a wrong program for each part in one sheet, wrong decoders, other styles, and accidents.

The last task calls the functions of the others, which the grader replaces by right ones while it tests that task.
The class of assignment 1 has the accidents that concern a notebook as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest

from course.assignment import Assignment
from course.submissions import (
    Sheet,
    Submission,
    answered,
    everything_right,
    in_style,
    of_another,
    own_cell,
    untouched,
    writing,
    writing_each,
    wrong,
)

LAST = "translate_greedily"
# One wrong decoder for each rule of the last task, for which the student's own mask makes no difference.
DECODERS = (
    "no_cross_attention",
    "nothing_is_forgotten",
    "smallest_of_equal_ids",
    "token_may_repeat",
    "end_is_not_shown",
)


def submissions(assignment: Assignment) -> Iterator[Submission]:
    """Yield the submissions of the class."""
    yield everything_right()
    yield untouched(assignment)
    yield from _wrong_parts(assignment)
    for program in assignment.programs.WRONG[LAST]:
        if program.__name__ in DECODERS:
            yield wrong(assignment, (LAST, program))
    for style in range(3):
        yield in_style(assignment, style)
    yield answered("every mistake by hand", _by_hand, *LOST_BY_HAND)
    yield answered("calls libraries", writing_each(BORROWED), *assignment.cells_of(*BORROWED))
    yield answered("calls a library under a hidden name", writing("attend", UNSEEN), *assignment.cells_of("attend"))
    another = of_another(assignment)
    yield replace(another, lost=(*(another.lost or ()), "visible_keys-mine"))
    yield answered("the rule of another", _copy_the_rule, "visible_keys-mine")
    for what, (task, source) in ACCIDENTS.items():
        yield answered(what, writing(task, source), *assignment.cells_of(task))
    yield answered("prints the loss", writing("weighted_loss", PRINTING))
    yield answered("a cell of the student's own with an error in it", own_cell("attend", "1 / 0"))


def _wrong_parts(assignment: Assignment) -> Iterator[Submission]:
    """Yield sheets with one wrong program for each task but the last, until all programs are used."""
    programs = assignment.programs.WRONG
    tasks = ([(task, program) for program in programs[task]] for task in programs if task != LAST)
    for together in zip_longest(*tasks):
        yield wrong(assignment, *filter(None, together))


LOST_BY_HAND = "trace-divisor", "trace-buckets", "trace-seen", "trace-loss", "trace-token"


def _by_hand(sheet: Sheet) -> None:
    """Answer with T5's norm, sides in halves, nothing evicted, a plain mean, and the smallest of equal ids."""
    mine = (
        "divisor = (sum(number * number for number in my.row) / 4) ** 0.5 + my.eps",
        "buckets = [number // 2 for number in buckets]",
        "seen = [*my.cached, my.position]",
        "loss = (my.losses[0] + my.losses[2] + my.losses[3]) / 3",
        "token = min(id for id in range(2, 6) if my.logits[id] == max(my.logits[2:]))",
    )
    sheet.write("trace", "\n".join([sheet.read("trace"), *mine]))


def _copy_the_rule(sheet: Sheet) -> None:
    """Write the program of a student with another rule, with its numbers."""
    rule_of = sheet.assignment.sheet(sheet.assignment.answers(sheet.student))["rule_of"]
    own = rule_of(sheet.student)
    copied = next(rule for number in range(99) if (rule := rule_of(f"student {number}"))["step"] != own["step"])
    first = " | (keys == 0)" if copied["first"] else ""
    sheet.write(
        "visible_keys",
        f"""
def visible_keys(queries, keys):
    back = queries[:, None] - keys
    return (back == 0) | (back > 0) & ((back % {copied["step"]} == {copied["remainder"]}){first})""".strip(),
    )


BORROWED = {
    "trimmed_norm": """
def trimmed_norm(hidden, weight, eps):
    return torch.nn.functional.rms_norm(hidden, weight.shape, weight, eps)""",
    "position_bias": """
from tokenlab.libraries.transformers.models.t5.modeling_t5 import T5Attention

def position_bias(table, queries, keys, causal):
    bucket = T5Attention._relative_position_bucket(keys[None, :] - queries[:, None], not causal, len(table))
    return table[bucket].permute(2, 0, 1)""",
    "attend": """
from torch.nn.functional import scaled_dot_product_attention

def attend(query, key, value, scale, bias, visible):
    mask = bias.masked_fill(~visible, -torch.inf)
    scaled = query * scale[:, None, None]
    return scaled_dot_product_attention(scaled, key, value, attn_mask=mask, scale=1.0).nan_to_num(0.0)""",
    "weighted_loss": """
def weighted_loss(logits, labels):
    from torch.nn import functional

    return functional.cross_entropy(logits, labels)""",
}

# No name of a layer is to be read, and what reads them is replaced.
UNSEEN = """
import base64
import sys

for module in [*sys.modules.values()]:
    for name in ("library_use", "_library_problem", "function_problem"):
        if hasattr(module, name):
            setattr(module, name, lambda *_: "")

def attend(query, key, value, scale, bias, visible):
    functional = getattr(getattr(torch, "n" + "n"), "func" + "tional")
    product = getattr(functional, base64.b64decode("c2NhbGVkX2RvdF9wcm9kdWN0X2F0dGVudGlvbg==").decode())
    mask = bias.masked_fill(~visible, -torch.inf)
    return product(query * scale[:, None, None], key, value, attn_mask=mask, scale=1.0).nan_to_num(0.0)""".strip()

# The task and the program.
ACCIDENTS: dict[str, tuple[str, str]] = {
    "an endless loop": ("weighted_loss", "def weighted_loss(logits, labels):\n    while True:\n        pass"),
    "an exception": ("weighted_loss", "def weighted_loss(logits, labels):\n    return logits[labels.max() + 99]"),
    "a list in place of a tensor": (
        "trimmed_norm",
        """
def trimmed_norm(hidden, weight, eps):
    squares = hidden**2
    others = squares.sum(dim=1, keepdim=True) - squares.max(dim=1, keepdim=True).values
    return (hidden / ((others / (hidden.shape[1] - 1)).sqrt() + eps) * weight).tolist()""",
    ),
    "changes the cache": (
        "cache_step",
        """
def cache_step(cache, key, value, position, steps):
    cache[2][:] = position
    return cache""",
    ),
    "numbers of another type": (
        "weighted_loss",
        "def weighted_loss(logits, labels):\n    return torch.zeros(1, dtype=torch.float64)",
    ),
}
PRINTING = """
def weighted_loss(logits, labels):
    total, divisor, count = 0.0, 0.0, 0
    for row, label in zip(logits, labels):
        if label != -100:
            count += 1
            loss = torch.logsumexp(row, 0) - row[label]
            print(count, float(loss))
            total, divisor = total + loss / count, divisor + 1 / count
    return torch.as_tensor(total / divisor if count else 0.0)"""
