"""Inputs of the bug hunts of lessons 14 and 15 that cannot be used are told what they lack."""

from __future__ import annotations

from typing import Any

import pytest

from tokenlab import check
from tokenlab.misconceptions.t5_attention import scale_sqrt_d
from tokenlab.misconceptions.t5_model import no_causal_mask


@pytest.mark.parametrize(
    ("program", "given", "said"),
    [
        (scale_sqrt_d, ([1, 1], [[1]]), "Each key needs the same dimension as the query."),
        (scale_sqrt_d, ([True], [[1]]), "Write the query as a list of numbers"),
        (no_causal_mask, ([[1, 2]],), "Each row needs one number for each row of the list"),
        (no_causal_mask, ([[1, True], [1, 1]],), "Each row needs one number for each row of the list"),
        (no_causal_mask, ([[0, -1e9], [0, 0]],), "Write numbers with an absolute value below 1,000,000."),
        (no_causal_mask, ([[0, float("-inf")], [0, 0]],), "Write numbers with an absolute value below 1,000,000."),
    ],
)
def test_what_an_input_lacks_is_told(program: Any, given: tuple[Any, ...], said: str) -> None:
    assert said in check.bug(program, *given).said[0]
