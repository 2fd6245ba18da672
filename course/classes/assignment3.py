"""The class of assignment 3: a wrong program for each task in one sheet, other styles, and a few accidents.

The tasks are independent, so one sheet shows 7 wrong programs. The class of assignment 1 has the accidents that
concern a notebook as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator

from course.assignment import Assignment
from course.submissions import Sheet, Submission, answered, of_another, one_of_each, writing_each


def submissions(assignment: Assignment) -> Iterator[Submission]:
    """Yield the submissions of the class."""
    yield from one_of_each(assignment)
    yield answered("bias_per_layer, cross_kv_recomputed, bidirectional_by_hand", _by_hand, *LOST_BY_HAND)
    yield answered("calls libraries", writing_each(BORROWED), *assignment.cells_of(*BORROWED))
    yield of_another(assignment)


LOST_BY_HAND = "trace-classes", "trace-numbers", "trace-rows"


def _by_hand(sheet: Sheet) -> None:
    """Answer with a table in every block, the keys of the source computed in every step, and the encoder's buckets."""
    mine = (
        "bias_numbers = (my.encoder_blocks + my.decoder_blocks) * my.heads * my.total",
        "cross_rows = my.source * my.steps",
        "decoder_class = encoder_class",
    )
    sheet.write("trace", "\n".join([sheet.read("trace"), *mine]))


BORROWED = {
    "mean_size_norm": """
from tokenlab.algorithms.attention.sublayers import rms_norm

def mean_size_norm(vector, weights, floor):
    return rms_norm(vector, weights)""",
    "packed_attention": """
def packed_attention(queries, keys, values, table, segments):
    import torch

    tensors = (torch.tensor([rows], dtype=torch.float32) for rows in (queries, keys, values))
    return torch.nn.functional.scaled_dot_product_attention(*tensors, is_causal=True)[0].tolist()""",
    "window_step": """
from tokenlab import check

def window_step(query, key, value, memory, table, most):
    return check.t5_model.step_of(query, key, value, memory, table)""",
}
