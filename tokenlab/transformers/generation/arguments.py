"""Sentences for impossible settings of generation: ValueErrors, as transformers 4.26.1 raises them where it does.

Leaves out: what only a whole call of `generate` can know.
"""

from __future__ import annotations

import math
from operator import index
from typing import Any

import torch
from torch import Tensor

from tokenlab import errors


def whole(argument: str, given: Any, at_least: int) -> int:
    """The number, if it is a whole one and large enough.

    >>> whole("top_k", 2.5, at_least=1)
    Traceback (most recent call last):
    ...
    ValueError: top_k=2.5 is a float; give a whole number, such as 100
    """
    try:
        return errors.whole_number(argument, given, at_least)
    except TypeError as error:
        raise ValueError(str(error)) from None


def above_zero(argument: str, given: Any, way_out: str) -> float:
    """The number, if it is a float above 0, neither infinite nor nan; like the library's, it has to be written as one.

    >>> above_zero("temperature", 2, "1.0 changes nothing")
    Traceback (most recent call last):
    ...
    ValueError: temperature=2 should be a float above 0, written 2.0; 1.0 changes nothing
    """
    if isinstance(given, float) and 0 < given < math.inf:
        return given
    as_float = f", written {float(given)}" if type(given) is int and given > 0 else ""
    raise ValueError(f"{argument}={given!r} should be a float above 0{as_float}; {way_out}")


def share(argument: str, given: Any, way_out: str, all_of_it: bool = False) -> float:
    """The number, if it lies between 0 and 1; 1 itself only where all of it may be asked for.

    >>> share("top_p", 1.5, "1.0 keeps every token", all_of_it=True)
    Traceback (most recent call last):
    ...
    ValueError: top_p=1.5 should lie in (0, 1]; 1.0 keeps every token
    """
    if isinstance(given, (int, float)) and (0 < given < 1 or (all_of_it and given == 1)):
        return float(given)
    raise ValueError(f"{argument}={given!r} should lie in (0, 1{']' if all_of_it else ')'}; {way_out}")


def token_ids(argument: str, given: Any, empty: bool = False) -> list[int]:
    """The ids, given as one or as several.

    Args:
        empty: whether there may be none.

    >>> token_ids("eos_token_id", 1), token_ids("eos_token_id", [1, 2])
    ([1], [1, 2])
    >>> token_ids("eos_token_id", -1)
    Traceback (most recent call last):
    ...
    ValueError: eos_token_id=-1 is too small; give 0 or more
    """
    try:
        given = [index(given)]
    except TypeError:
        given = errors.many(argument, given)
    if not given and not empty:
        raise ValueError(f"{argument}=[] names no token; give at least one id")
    return [whole(argument, each, at_least=0) for each in given]


def columns(argument: str, ids: list[int], scores: Tensor) -> Tensor:
    """The ids as a tensor, if each has a column in the scores.

    >>> columns("eos_token_id", [5], torch.zeros(1, 4))
    Traceback (most recent call last):
    ...
    IndexError: eos_token_id holds 5, and ids go from 0 to 3 (vocab_size=4)
    """
    vocab_size = scores.shape[-1]
    if ids and max(ids) >= vocab_size:
        raise IndexError(f"{argument} holds {max(ids)}, and ids go from 0 to {vocab_size - 1} ({vocab_size=})")
    return torch.tensor(ids, dtype=torch.long, device=scores.device)
