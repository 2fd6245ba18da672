"""Check single arguments of generation: a ValueError names the argument, as transformers 4.26.1 does where it checks.

Leaves out: checks that need all settings (`config_checks`) or a call of `generate` (`call_checks`).
"""

from __future__ import annotations

import math
from operator import index
from typing import TYPE_CHECKING, Any

from tokenlab.printing import errors

if TYPE_CHECKING:
    from torch import Tensor


def check_integer(argument: str, given: Any, at_least: int | None) -> int:
    """Return the number if it is an integer of at least `at_least`.

    >>> check_integer("top_k", 2.5, at_least=1)
    Traceback (most recent call last):
    ...
    ValueError: top_k=2.5 is a float; give a whole number, such as 100
    """
    if type(given) is int and (at_least is None or given >= at_least):
        return given
    try:
        return errors.check_integer(argument, given, at_least)
    except TypeError as error:
        raise ValueError(str(error)) from None


def check_positive_float(argument: str, given: Any, way_out: str) -> float:
    """Return the number if it is a finite float above 0; as in the library, an int is not accepted.

    >>> check_positive_float("temperature", 2, "1.0 changes nothing")
    Traceback (most recent call last):
    ...
    ValueError: temperature=2 should be a float above 0, written 2.0; 1.0 changes nothing
    """
    if isinstance(given, float) and 0 < given < math.inf:
        return given
    as_float = f", written {float(given)}" if type(given) is int and given > 0 else ""
    raise ValueError(f"{argument}={given!r} should be a float above 0{as_float}; {way_out}")


def check_beam_groups(beams: int, groups: Any) -> None:
    """Check that the beams can be divided into groups of equal size.

    Raises:
        ValueError: they cannot.

    >>> check_beam_groups(4, 3)
    Traceback (most recent call last):
    ...
    ValueError: num_beams=4 cannot be divided into num_beam_groups=3 groups of the same size; take 1, 2 or 4 groups
    """
    if beams % check_integer("num_beam_groups", groups, at_least=1):
        *some, last = [n for n in range(1, beams + 1) if beams % n == 0]
        fitting = f"{', '.join(map(str, some))} or {last} groups" if some else "more beams, or one group"
        raise ValueError(
            f"num_beams={beams} cannot be divided into num_beam_groups={groups} groups of the same size; take {fitting}"
        )


def check_probability(argument: str, given: Any, way_out: str, allow_one: bool = False) -> float:
    """Return the number if it is between 0 and 1; 1 itself is valid only with allow_one=True.

    >>> check_probability("top_p", 1.5, "1.0 keeps every token", allow_one=True)
    Traceback (most recent call last):
    ...
    ValueError: top_p=1.5 should be in (0, 1]; 1.0 keeps every token
    """
    if isinstance(given, (int, float)) and (0 < given < 1 or (allow_one and given == 1)):
        return float(given)
    raise ValueError(f"{argument}={given!r} should be in (0, 1{']' if allow_one else ')'}; {way_out}")


def check_token_ids(argument: str, given: Any, empty: bool = False) -> list[int]:
    """Return the ids, given as an id or as a list of ids, as a list.

    Args:
        empty: whether an empty list is valid.

    Raises:
        TypeError: `given` is neither an id nor a list.
        ValueError: an element is not an id, or the list is empty.

    >>> check_token_ids("eos_token_id", 1), check_token_ids("eos_token_id", [1, 2])
    ([1], [1, 2])
    >>> check_token_ids("eos_token_id", -1)
    Traceback (most recent call last):
    ...
    ValueError: eos_token_id=-1 is too small; give 0 or more
    """
    try:
        given = [index(given)]
    except TypeError:
        given = errors.as_list(argument, given, "an id, or a list of ids")
    if not given and not empty:
        raise ValueError(f"{argument}=[] names no token; give at least one id")
    return [check_integer(argument, each, at_least=0) for each in given]


def check_word_ids(argument: str, given: Any) -> list[list[int]]:
    """Return the ids of each word.

    >>> check_word_ids("bad_words_ids", [[5], []])
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
    return [[check_integer(argument, id, at_least=0) for id in word] for word in given]


def check_forced_ids_by_position(argument: str, given: Any) -> dict[int, int | None]:
    """Return the id that is forced at each position; the last pair for a position counts.

    >>> check_forced_ids_by_position("forced_decoder_ids", 5)
    Traceback (most recent call last):
    ...
    ValueError: forced_decoder_ids=5 should hold pairs, [position, id], such as [[1, 5]]
    """
    pairs = given.items() if isinstance(given, dict) else given
    pairs = list(pairs) if hasattr(pairs, "__iter__") else [pairs]
    if not all(isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in pairs):
        raise ValueError(f"{argument}={given!r} should hold pairs, [position, id], such as [[1, 5]]")
    return {
        check_integer(argument, position, 0): None if id is None else check_integer(argument, id, 0)
        for position, id in pairs
    }


def check_exponential_decay(argument: str, given: Any) -> tuple[int, float]:
    """Return the number of tokens after which the penalty starts, and its factor.

    >>> check_exponential_decay("exponential_decay_length_penalty", (10, 2))
    (10, 2.0)
    """
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise ValueError(f"{argument}={given!r} should be a pair, (start, factor), such as (10, 1.05)")
    start, factor = given
    factor = float(factor) if type(factor) is int else factor
    way_out = "1.05 ends sooner, 1.0 does nothing"
    return check_integer(f"{argument}[0]", start, at_least=0), check_positive_float(f"{argument}[1]", factor, way_out)


def check_number(argument: str, given: Any, expected: str) -> float:
    """Return the number if it is an int or a float, and not nan.

    >>> check_number("max_time", "1", "seconds; None sets no limit")
    Traceback (most recent call last):
    ...
    ValueError: max_time='1' should be a number: seconds; None sets no limit
    """
    if not isinstance(given, (int, float)) or math.isnan(given):
        raise ValueError(f"{argument}={given!r} should be a number: {expected}")
    return given


def check_token_columns(argument: str, ids: list[int], scores: Tensor) -> Tensor:
    """Return the ids as a tensor if each has a column in the logits.

    Raises:
        IndexError: an id is outside the vocabulary.

    >>> import torch
    >>> check_token_columns("eos_token_id", [5], torch.zeros(1, 4))
    Traceback (most recent call last):
    ...
    IndexError: eos_token_id holds 5, and ids go from 0 to 3 (vocab_size=4)
    """
    vocab_size = scores.shape[-1]
    if ids and max(ids) >= vocab_size:
        raise IndexError(f"{argument} holds {max(ids)}, and ids go from 0 to {vocab_size - 1} ({vocab_size=})")
    import torch

    return torch.tensor(ids, dtype=torch.long, device=scores.device)
