"""When a search stops before a text has ended."""

from __future__ import annotations

import time
import warnings
from typing import Any

import pytest
import torch
from torch import Tensor

from tokenlab.libraries.transformers.generation import (
    MaxLengthCriteria,
    MaxNewTokensCriteria,
    MaxTimeCriteria,
    StoppingCriteria,
    StoppingCriteriaList,
    validate_stopping_criteria,
)

SCORES = torch.zeros(1, 3)


def of(length: int) -> Tensor:
    return torch.zeros(2, length, dtype=torch.long)


def test_a_length_stops_where_it_is_reached() -> None:
    assert [MaxLengthCriteria(3)(of(length), SCORES) for length in (2, 3, 4)] == [False, True, True]
    with pytest.warns(FutureWarning, match=r"MaxLengthCriteria\(3\) does the same"):
        new = MaxNewTokensCriteria(1, 2)
    assert [new(of(length), SCORES) for length in (2, 3, 4)] == [False, True, True]


def test_time_is_counted_from_the_beginning_or_from_the_moment_that_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "time", lambda: now)
    from_now, from_then = MaxTimeCriteria(5), MaxTimeCriteria(5.0, initial_timestamp=997.0)
    assert not from_now(of(1), SCORES) and not from_then(of(1), SCORES)
    now = 1003.0
    assert not from_now(of(1), SCORES) and from_then(of(1), SCORES)
    now = 1005.0
    assert not from_now(of(1), SCORES)
    now = 1005.1
    assert from_now(of(1), SCORES)


class Own(StoppingCriteria):
    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, input_ids: Tensor, scores: Tensor, **kwargs: Any) -> bool:
        self.asked += 1
        return bool(kwargs.get("stop", False))


def test_ones_own_reason_is_asked_and_can_be_looked_at_afterwards() -> None:
    own = Own()
    criteria = validate_stopping_criteria(StoppingCriteriaList([own]), 3)
    assert [criteria(of(length), SCORES) for length in (1, 2, 3)] == [False, False, True]
    assert criteria(of(1), SCORES, stop=True)
    assert own.asked == 4


def test_an_empty_list_never_stops() -> None:
    assert not StoppingCriteriaList()(of(99), SCORES)
    assert StoppingCriteriaList().max_length is None


def test_the_smallest_length_is_the_lists() -> None:
    with warnings.catch_warnings(action="ignore"):
        criteria = StoppingCriteriaList([MaxLengthCriteria(7), MaxNewTokensCriteria(1, 2), MaxTimeCriteria(9)])
    assert criteria.max_length == 3


def test_a_length_is_added_where_there_is_none_and_two_that_differ_are_warned_of() -> None:
    without, with_one = StoppingCriteriaList([Own()]), StoppingCriteriaList([MaxLengthCriteria(4)])
    assert validate_stopping_criteria(without, 3).max_length == 3
    assert without.max_length is None, "the list that was given has been changed"
    with warnings.catch_warnings(action="error"):
        assert validate_stopping_criteria(with_one, 4) == with_one
    with pytest.warns(UserWarning, match="max_length=3 is given, and the stopping criteria stop at 4"):
        assert validate_stopping_criteria(with_one, 3).max_length == 4


def test_impossible_lengths_and_times_are_refused() -> None:
    with pytest.raises(ValueError, match="max_length='3' should be a number"):
        MaxLengthCriteria("3")  # type: ignore[arg-type]
    assert MaxLengthCriteria(0)(of(1), SCORES) and MaxLengthCriteria(1.5)(of(2), SCORES)  # as in the library
    with pytest.raises(ValueError, match="max_new_tokens=0 is too small"):
        MaxNewTokensCriteria(1, 0)
    with pytest.raises(ValueError, match="start_length=-1 is too small"):
        MaxNewTokensCriteria(-1, 1)
    for nonsense in (float("nan"), "1"):
        with pytest.raises(ValueError, match="should be a number: seconds"):
            MaxTimeCriteria(nonsense)  # type: ignore[arg-type]
    assert MaxTimeCriteria(-1)(of(1), SCORES)
    assert MaxTimeCriteria(0, 0.0)(of(1), SCORES)
    assert MaxTimeCriteria(60, 0.0)(of(1), SCORES), "0.0 is a moment, too: the beginning of 1970"


def test_a_subclass_has_to_say_when_it_stops() -> None:
    with pytest.raises(NotImplementedError, match="StoppingCriteria should define __call__"):
        StoppingCriteria()(of(1), SCORES)
