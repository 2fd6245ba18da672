"""The class of assignment 8: a wrong program for each task in one sheet, other styles, copied rules, and accidents.

The class of assignment 1 has the accidents that concern a notebook as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from course.assignment import Assignment
from course.submissions import Sheet, Submission, answered, of_another, one_of_each, own_cell, writing, writing_each


def submissions(assignment: Assignment) -> Iterator[Submission]:
    """Yield the submissions of the class."""
    yield from one_of_each(assignment)
    yield answered("every mistake by hand", _by_hand, *LOST_BY_HAND)
    yield answered("calls libraries", writing_each(BORROWED), *assignment.cells_of(*BORROWED))
    another = of_another(assignment)
    yield replace(another, lost=(*(another.lost or ()), "window_keys-mine"))
    yield answered("the rule of another", _copy_the_rule, "window_keys-mine")
    for what, (task, source) in ACCIDENTS.items():
        yield answered(what, writing(task, source), *assignment.cells_of(task))
    yield answered("prints the sum", writing("drawn_token", PRINTING))
    yield answered("a cell of the student's own with an error in it", own_cell("turned", "1 / 0"))


LOST_BY_HAND = "trace-chance", "trace-labels", "trace-seen", "trace-weights", "trace-token"


def _by_hand(sheet: Sheet) -> None:
    """Answer with the capstone's context, labels across documents, no kept keys, a softmax, and a whole last id."""
    mine = (
        "chance = my.counts[my.context[1:]].get(my.id, 0) / sum(my.counts[my.context[1:]].values())",
        "labels = [[id for id in row] for row in joined_rows(my.documents, 4, 9)[0]]",
        "seen = list(range(my.position - my_rule['window'] + 1, my.position + 1))",
        "weights = [power / sum(my.powers) for power in my.powers]",
        "token = drawn_token(my.probabilities, -1, 0.5, my.number)",
    )
    sheet.write("trace", "\n".join([sheet.read("trace"), *mine]))


def _copy_the_rule(sheet: Sheet) -> None:
    """Write the program of a student with another rule, with its numbers."""
    rule_of = sheet.assignment.sheet(sheet.assignment.answers(sheet.student))["rule_of"]
    own = rule_of(sheet.student)
    copied = next(rule for number in range(99) if (rule := rule_of(f"student {number}"))["window"] != own["window"])
    sheet.write(
        "window_keys",
        f"""
def window_keys(queries, keys):
    back = queries[:, None] - keys
    return (back >= 0) & ((back < {copied["window"]}) | (keys < {copied["kept"]}))""".strip(),
    )


BORROWED = {
    "turned": """
from tokenlab.minimal.decoder import rotate

def turned(x, positions, base, part):
    return rotate(x[None], positions[None], base)[0]""",
    "shared_heads": """
from torch.nn.functional import scaled_dot_product_attention

def shared_heads(query, key, value, visible):
    times = len(query) // len(key)
    heads = scaled_dot_product_attention(query, key.repeat(times, 1, 1), value.repeat(times, 1, 1), visible)
    return heads.transpose(0, 1).flatten(1)""",
    "discounted": """
def discounted(id, context, counts, size, discount):
    from tokenlab.algorithms.training_data.ngram_model import probability

    return probability(id, context, counts, size)""",
}

ACCIDENTS: dict[str, tuple[str, str]] = {
    "an endless loop": (
        "drawn_token",
        "def drawn_token(probabilities, last, share, number):\n    while True:\n        pass",
    ),
    "an exception": (
        "drawn_token",
        "def drawn_token(probabilities, last, share, number):\n    return probabilities[len(probabilities)]",
    ),
    "a list in place of a tensor": (
        "turned",
        "def turned(x, positions, base, part):\n    return x.tolist()",
    ),
    "changes the weight": (
        "sign_step",
        """
def sign_step(weight, gradient, mean, rate, decay):
    weight -= rate * torch.sign(0.9 * mean + 0.1 * gradient) + 1
    return weight, mean""",
    ),
    "numbers of another type": (
        "shared_heads",
        "def shared_heads(query, key, value, visible):\n    return torch.zeros(1, dtype=torch.float64)",
    ),
}
PRINTING = """
def drawn_token(probabilities, last, share, number):
    halved = [p / 2 if id == last else p for id, p in enumerate(probabilities)]
    limit = share * sorted(halved)[-2] if len(halved) > 1 else 0
    kept = [p if p >= limit else 0 for p in halved]
    reached = 0
    for id, p in enumerate(kept):
        reached += p
        print(id, reached)
        if reached > number * sum(kept):
            return id"""
