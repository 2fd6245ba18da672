"""Sentences for impossible settings of generation: ValueErrors, as transformers 4.26.1 raises them where it does.

Leaves out: what only a whole call of `generate` can know.
"""

from __future__ import annotations

import math
from operator import index
from typing import TYPE_CHECKING, Any

from tokenlab import errors

if TYPE_CHECKING:
    from torch import Tensor


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


def refuse_groups(beams: int, groups: Any) -> None:
    """Say how many groups of the same size beams can make.

    Raises:
        ValueError: another number than these.

    >>> refuse_groups(4, 3)
    Traceback (most recent call last):
    ...
    ValueError: num_beams=4 cannot be divided into num_beam_groups=3 groups of the same size; take 1, 2 or 4 groups
    """
    if beams % whole("num_beam_groups", groups, at_least=1):
        *some, last = [n for n in range(1, beams + 1) if beams % n == 0]
        fitting = f"{', '.join(map(str, some))} or {last} groups" if some else "more beams, or one group"
        raise ValueError(
            f"num_beams={beams} cannot be divided into num_beam_groups={groups} groups of the same size; take {fitting}"
        )


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

    Raises:
        TypeError: neither an id nor several.
        ValueError: one of them is no id, or there is none.

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
        given = errors.many(argument, given, "an id, or a list of ids")
    if not given and not empty:
        raise ValueError(f"{argument}=[] names no token; give at least one id")
    return [whole(argument, each, at_least=0) for each in given]


def word_ids(argument: str, given: Any) -> list[list[int]]:
    """The ids of each word.

    >>> word_ids("bad_words_ids", [[5], []])
    Traceback (most recent call last):
    ...
    ValueError: bad_words_ids=[[5], []] should be a list with a list of ids for each word, and neither may be empty; \
tokenizer(words, add_special_tokens=False).input_ids makes one, and None forbids nothing
    """
    if not isinstance(given, list) or not given or not all(isinstance(word, list) and word for word in given):
        raise ValueError(
            f"{argument}={given!r} should be a list with a list of ids for each word, and neither may be empty; "
            "tokenizer(words, add_special_tokens=False).input_ids makes one, and None forbids nothing"
        )
    return [[whole(argument, id, at_least=0) for id in word] for word in given]


def ids_by_place(argument: str, given: Any) -> dict[int, int | None]:
    """The id that is forced at each place; of two for one place, the later.

    >>> ids_by_place("forced_decoder_ids", 5)
    Traceback (most recent call last):
    ...
    ValueError: forced_decoder_ids=5 should hold pairs, [place, id], such as [[1, 5]]
    """
    pairs = given.items() if isinstance(given, dict) else given
    pairs = list(pairs) if hasattr(pairs, "__iter__") else [pairs]
    if not all(isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in pairs):
        raise ValueError(f"{argument}={given!r} should hold pairs, [place, id], such as [[1, 5]]")
    return {whole(argument, place, 0): None if id is None else whole(argument, id, 0) for place, id in pairs}


def start_and_factor(argument: str, given: Any) -> tuple[int, float]:
    """After how many tokens something grows, and by which factor.

    >>> start_and_factor("exponential_decay_length_penalty", (10, 2))
    (10, 2.0)
    """
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise ValueError(f"{argument}={given!r} should be a pair, (start, factor), such as (10, 1.05)")
    start, factor = given
    factor = float(factor) if type(factor) is int else factor
    way_out = "1.05 ends sooner, 1.0 does nothing"
    return whole(f"{argument}[0]", start, at_least=0), above_zero(f"{argument}[1]", factor, way_out)


def seconds(argument: str, given: Any) -> float:
    """The number, if it is one from 0 on.

    >>> seconds("max_time", "1")
    Traceback (most recent call last):
    ...
    ValueError: max_time='1' should be a number of seconds, 0 or more; None sets no limit
    """
    if not isinstance(given, (int, float)) or not given >= 0:
        raise ValueError(f"{argument}={given!r} should be a number of seconds, 0 or more; None sets no limit")
    return given


def share_of_penalty(given: Any) -> float:
    """The penalty's share in contrastive search.

    >>> share_of_penalty(5)
    Traceback (most recent call last):
    ...
    ValueError: penalty_alpha=5 should lie between 0 (the penalty counts nothing) and 1 (it alone counts); 0.6 is usual
    """
    if not isinstance(given, (int, float)) or not 0 <= given <= 1:
        raise ValueError(
            f"penalty_alpha={given!r} should lie between 0 (the penalty counts nothing) and 1 (it alone counts); "
            "0.6 is usual"
        )
    return given


def columns(argument: str, ids: list[int], scores: Tensor) -> Tensor:
    """The ids as a tensor, if each has a column in the scores.

    >>> import torch
    >>> columns("eos_token_id", [5], torch.zeros(1, 4))
    Traceback (most recent call last):
    ...
    IndexError: eos_token_id holds 5, and ids go from 0 to 3 (vocab_size=4)
    """
    vocab_size = scores.shape[-1]
    if ids and max(ids) >= vocab_size:
        raise IndexError(f"{argument} holds {max(ids)}, and ids go from 0 to {vocab_size - 1} ({vocab_size=})")
    import torch

    return torch.tensor(ids, dtype=torch.long, device=scores.device)
