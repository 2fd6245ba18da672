"""Checks of generation settings, first of a single one and then of all together, and the strategy that they select.

An invalid setting raises a ValueError that names it; one without an effect causes a warning.
Leaves out: checks that need a call of `generate`: the vocabulary, the prompt's length, arguments (`components`).

Source: transformers 4.26.1, generation/utils.py (`generate`). Where it returns a result, a warning says what happens.
Errors are raised where it raises, fails later, or silently returns something wrong. It returns None for
num_beam_groups=0, and hypotheses with equal scores for an infinite length_penalty. It forces or suppresses the last
ids of the vocabulary for negative ids, and accepts positions in forced_decoder_ids that are not integers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from operator import index
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from tokenlab.printing import errors
from tokenlab.printing.errors import warn

if TYPE_CHECKING:
    from torch import Tensor

Eos: TypeAlias = int | Sequence[int] | None  # the ids that end a sequence
NO_TOKEN = {
    "eos_token_id": "no output ends before its limit; None says the same",
    "pad_token_id": "a batch fails if one text ends before the others",
}
PENALTIES = {
    "repetition_penalty": "1.0 changes nothing and 1.2 is usual",
    "encoder_repetition_penalty": "1.0 changes nothing",
}


class GenerationSettings(Protocol):
    """An object with the attributes of a `GenerationConfig`; functions that `GenerationConfig` itself calls take it."""

    def __getattr__(self, name: str, /) -> Any: ...


def generation_mode(config: GenerationSettings) -> str:
    """Return the name of the generation method that the settings select.

    >>> from tokenlab.libraries.transformers.generation.configuration_utils import GenerationConfig
    >>> [generation_mode(GenerationConfig(num_beams=n, do_sample=sample)) for n in (1, 4) for sample in (False, True)]
    ['greedy_search', 'sample', 'beam_search', 'beam_sample']
    >>> generation_mode(GenerationConfig(num_beams=4, num_beam_groups=2))
    'group_beam_search'
    >>> [generation_mode(GenerationConfig(penalty_alpha=0.6, top_k=top_k)) for top_k in (1, 4)]
    ['greedy_search', 'contrastive_search']
    >>> generation_mode(GenerationConfig(force_words_ids=[[5]]))
    'constrained_beam_search'
    """
    if is_contrastive(config):
        return "contrastive_search"
    if is_constrained(config):
        return "constrained_beam_search"
    if config.num_beam_groups > 1:
        return "group_beam_search"
    if config.num_beams > 1:
        return "beam_sample" if config.do_sample else "beam_search"
    return "sample" if config.do_sample else "greedy_search"


def is_contrastive(config: GenerationSettings) -> bool:
    """Return True if the settings select contrastive search."""
    return (config.penalty_alpha or 0) > 0 and (config.top_k or 0) > 1 and not config.do_sample


def is_constrained(config: GenerationSettings) -> bool:
    """Return True if the settings contain constraints."""
    return config.constraints is not None or config.force_words_ids is not None


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
    """Raise a ValueError if the beams cannot be divided into groups of equal size.

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
    """Return the ids, given as an id or as a list of ids, as a list; only `empty` allows an empty one.

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


def checked_pad(pad_token_id: int) -> int:
    """Return pad_token_id if it is not negative.

    >>> checked_pad(-1)
    Traceback (most recent call last):
    ...
    IndexError: pad_token_id=-1 is not a token id, but is needed if a text ends before the others
    """
    if pad_token_id < 0:
        raise IndexError(
            f"pad_token_id={pad_token_id} is not a token id, but is needed if a text ends before the others"
        )
    return pad_token_id


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
    """Return the ids as a tensor; an IndexError for one that has no column in the logits.

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


def warn_ignored(name: str, given: Any, reason: str) -> None:
    """Warn that an argument has no effect."""
    warn(f"{name}={given!r} is ignored: {reason}", UserWarning)


def _warn_if_negative(name: str, given: Any) -> None:
    if check_integer(name, given, at_least=None) < 0:
        warn_ignored(name, given, "it is below 0, which does what 0 does")


def _check_penalty(name: str, given: Any) -> None:
    if given != 1.0:
        check_positive_float(name, given, PENALTIES[name])


def _check_compared_ids(name: str, given: Any) -> None:
    """Check eos or pad ids; a negative one is only compared, never looked up, so it causes a warning."""
    if type(given) is int and given < 0:
        warn(f"{name}={given} is the id of no token; {NO_TOKEN[name]}")
    elif name == "pad_token_id":
        check_integer(name, given, at_least=0)
    else:
        check_token_ids(name, given)


CHECKS: dict[str, Callable[[str, Any], object]] = {
    # called with the name and the value of each setting that is not None
    "min_length": _warn_if_negative,
    "min_new_tokens": _warn_if_negative,
    "no_repeat_ngram_size": _warn_if_negative,
    "encoder_no_repeat_ngram_size": _warn_if_negative,
    "forced_bos_token_id": partial(check_integer, at_least=0),
    "decoder_start_token_id": partial(check_integer, at_least=0),
    "repetition_penalty": _check_penalty,
    "encoder_repetition_penalty": _check_penalty,
    "max_time": partial(check_number, expected="seconds; None sets no limit"),
    "eos_token_id": _check_compared_ids,
    "forced_eos_token_id": check_token_ids,
    "pad_token_id": _check_compared_ids,
    "suppress_tokens": partial(check_token_ids, empty=True),
    "begin_suppress_tokens": partial(check_token_ids, empty=True),
    "bad_words_ids": check_word_ids,
    "forced_decoder_ids": check_forced_ids_by_position,
    "exponential_decay_length_penalty": check_exponential_decay,
}


def check_generation_config(config: GenerationSettings) -> None:
    """Raise for invalid or incompatible settings, and warn about those that have no effect.

    Raises:
        ValueError: a setting is out of its range, or settings are incompatible.
        TypeError: a setting of token ids is neither an id nor a list.

    >>> from tokenlab.libraries.transformers.generation.configuration_utils import GenerationConfig
    >>> check_generation_config(GenerationConfig(num_beams=4, num_beam_groups=3))
    Traceback (most recent call last):
    ...
    ValueError: num_beams=4 cannot be divided into num_beam_groups=3 groups of the same size; take 1, 2 or 4 groups
    """
    beams = check_integer("num_beams", _int_if_bool(config.num_beams), at_least=1)
    groups = check_integer("num_beam_groups", config.num_beam_groups, at_least=1)
    contrastive = _check_contrastive(config)
    if contrastive and groups <= beams:
        _warn_about_beams(config, beams)
        beams = groups = 1
    check_beam_groups(beams, groups)
    for name, check in CHECKS.items():
        if (value := getattr(config, name)) is not None:
            check(name, value)
    _check_maximum_lengths(config, beams)
    _check_sampling(config, contrastive)
    _check_beam_settings(config, beams)
    _check_compatible(config, beams, groups)
    _check_returned(config, beams)
    if is_constrained(config) and not contrastive:
        from tokenlab.libraries.transformers.generation.beam_constraints import (
            build_constraints,  # loads PyTorch
        )

        ends = [] if config.eos_token_id is None else check_token_ids("eos_token_id", config.eos_token_id)
        build_constraints(config, math.inf, ends)


def _int_if_bool(given: Any) -> Any:
    return int(given) if isinstance(given, bool) else given


def _check_contrastive(config: GenerationSettings) -> bool:
    """Check penalty_alpha, and return True if the settings select contrastive search."""
    alpha = config.penalty_alpha
    if alpha is not None and alpha == alpha:  # nan is not above 0, so it does nothing
        check_number("penalty_alpha", alpha, "0.6 is usual")
    if is_contrastive(config):
        if alpha > 1:
            warn(f"penalty_alpha={alpha} is above 1, so a likelier token gets a lower score")
        return True
    if alpha:
        reason = "contrastive search needs penalty_alpha above 0, top_k of at least 2 and do_sample=False"
        warn_ignored("penalty_alpha", alpha, reason)
    return False


def _warn_about_beams(config: GenerationSettings, beams: int) -> None:
    """Warn about beam settings that have no effect because contrastive search takes precedence."""
    reason = "penalty_alpha with top_k above 1 selects contrastive search, which has no beams"
    if beams > 1:
        warn_ignored("num_beams", beams, reason)
    for name in ("constraints", "force_words_ids"):
        if (value := getattr(config, name)) is not None:
            warn_ignored(name, value, reason)


def _check_maximum_lengths(config: GenerationSettings, beams: int) -> None:
    """Check the maximum lengths; without beams any number is valid, since a loop only compares lengths with it."""
    for name in ("max_length", "max_new_tokens"):
        if (given := getattr(config, name)) is None:
            continue
        if beams > 1:
            check_integer(name, _int_if_bool(given), at_least=1)
        elif check_number(name, given, "an integer, such as 100") != int(given):
            warn(f"{name}={given} is not an integer; outputs stop at the next length above it")
        if name == "max_length" and given < 0:
            raise ValueError(f"max_length={given} is too small; give 1 or more")


def _check_sampling(config: GenerationSettings, contrastive: bool) -> None:
    """Check the settings of sampling; without do_sample=True they have no effect."""
    samples, not_sampled = config.do_sample, "it is for do_sample=True"
    if samples and config.temperature not in (None, 1.0):
        way_out = "1.0 changes nothing; do_sample=False takes the most probable token"
        check_positive_float("temperature", config.temperature, way_out)
    if config.top_k is not None and (samples or contrastive):
        check_integer("top_k", config.top_k, at_least=0)
    elif config.top_k is not None and (config.top_k < 0 or config.top_k != int(config.top_k)):
        warn_ignored("top_k", config.top_k, not_sampled)
    for name in ("top_p", "typical_p", "epsilon_cutoff", "eta_cutoff"):
        value = getattr(config, name)
        is_cutoff = name.endswith("cutoff")
        if value is None or (is_cutoff and value == 0):
            continue
        in_range = isinstance(value, (int, float)) and (0 < value < 1 or (value == 1 and not is_cutoff))
        if not in_range and not samples:
            warn_ignored(name, value, not_sampled)
        elif not in_range:
            if check_number(name, value, "a number between 0 and 1") <= 0 and not is_cutoff:
                raise ValueError(f"{name}={value!r} should be in (0, 1]; 1.0 keeps every token")
            warn_ignored(name, value, "it should be between 0 and 1")


def _check_beam_settings(config: GenerationSettings, beams: int) -> None:
    diversity, early, penalty = config.diversity_penalty, config.early_stopping, config.length_penalty
    if diversity and check_number("diversity_penalty", diversity, "0.5 is usual") < 0:
        warn_ignored("diversity_penalty", diversity, "it is below 0")
    elif diversity:
        check_positive_float("diversity_penalty", diversity, "0.5 is usual")
    if early not in (True, False, None, "never"):
        warn(f"early_stopping={early!r} should be True, False or 'never'; it does what {bool(early)} does")
    if penalty is not None and (not isinstance(penalty, (int, float)) or not math.isfinite(penalty)):
        if beams > 1:
            raise ValueError(f"length_penalty={penalty!r} should be a number; 1.0 ranks by the mean, 0.0 by the sum")
        warn_ignored("length_penalty", penalty, "it is for beams")


def _check_compatible(config: GenerationSettings, beams: int, groups: int) -> None:
    if config.exponential_decay_length_penalty is not None and config.eos_token_id is None:
        raise ValueError("exponential_decay_length_penalty raises the end token's logit: give eos_token_id as well")
    if groups > 1 and config.do_sample:
        raise ValueError(f"do_sample=True with num_beam_groups={groups}: groups of beams do not sample; leave out one")
    if groups > 1 and config.typical_p not in (None, 1.0):
        raise ValueError(
            f"typical_p={config.typical_p} with num_beam_groups={groups}: it is for sampling; leave out one"
        )
    if groups == 1 and (config.diversity_penalty or 0) > 0:
        raise ValueError(
            f"diversity_penalty={config.diversity_penalty} needs groups that can differ: "
            "give num_beam_groups, for example num_beams=4, num_beam_groups=2"
        )
    if not is_constrained(config) or is_contrastive(config):
        return
    if config.do_sample:
        raise ValueError(
            "do_sample=True with constraints or force_words_ids: constrained beam search does not sample; leave out one"
        )
    if beams == 1:
        raise ValueError("constraints and force_words_ids need beams: give num_beams=2 or more")
    if groups > 1:
        raise ValueError(f"num_beam_groups={groups} excludes constraints and force_words_ids; leave out one")


def _check_returned(config: GenerationSettings, beams: int) -> None:
    given, samples = config.num_return_sequences, config.do_sample
    if beams == 1 and not samples and check_integer("num_return_sequences", given, at_least=None) < 1:
        warn_ignored("num_return_sequences", given, "without beams or sampling each text has one output")
        return
    returned = check_integer("num_return_sequences", given, at_least=1)
    if samples or returned == 1:
        return
    if is_contrastive(config):
        raise ValueError(
            f"num_return_sequences={returned} with penalty_alpha={config.penalty_alpha}: contrastive search "
            "has one output for each text; leave out one"
        )
    if beams == 1:
        raise ValueError(
            f"num_return_sequences={returned} without beams or do_sample=True: the same output each time; "
            f"take num_beams={returned} or do_sample=True"
        )
    if returned > beams:
        raise ValueError(
            f"num_return_sequences={returned} is more than the num_beams={beams} hypotheses that are kept; "
            f"take num_beams={returned}"
        )
