"""Build the constraints of `constraints` and `force_words_ids`, and refuse those that cannot be fulfilled.

Leaves out: settings that cannot be combined with constraints (`argument_checks`).

Source: transformers 4.26.1, generation/utils.py (`generate`). There words are appended to the caller's list of
constraints; ids outside the vocabulary fail inside the first step; empty lists are accepted, or fail later; and a
phrase that is both forbidden and constrained is generated, with a score of -infinity.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any

from tokenlab.libraries.transformers.generation.argument_checks import (
    GenerationSettings,
    check_token_ids,
    check_word_ids,
)
from tokenlab.libraries.transformers.generation.constraints.constraint import Constraint
from tokenlab.libraries.transformers.generation.constraints.constraint_list_state import constraint_length
from tokenlab.libraries.transformers.generation.constraints.disjunctive_constraint import (
    DisjunctiveConstraint,
    is_proper_prefix,
)
from tokenlab.libraries.transformers.generation.constraints.phrasal_constraint import PhrasalConstraint
from tokenlab.printing.errors import warn

TOKENIZE_HINT = "tokenizer(words, add_special_tokens=False).input_ids makes one"


def build_constraints(config: GenerationSettings, vocab_size: float, ends: Sequence[int] = ()) -> list[Any]:
    """Return the given constraints, and one for each forced word.

    Args:
        config: the settings of this call.
        vocab_size: number of ids of the model; math.inf if unknown.
        ends: the eos ids.

    Raises:
        ValueError: an empty list, an element that is no constraint or no id, an id outside the vocabulary, or a phrase
            that settings forbid.

    >>> from tokenlab.libraries.transformers.generation.configuration_utils import GenerationConfig
    >>> [type(each).__name__ for each in build_constraints(GenerationConfig(force_words_ids=[[5, 6], [[7], [8]]]), 9)]
    ['PhrasalConstraint', 'DisjunctiveConstraint']
    >>> build_constraints(GenerationConfig(force_words_ids=[[5], [9]]), 9)
    Traceback (most recent call last):
    ...
    ValueError: the constraint [9] contains 9, but the model's ids are 0-8; are the ids those of this model's tokenizer?
    """
    words = _given_words(config.force_words_ids)
    constraints = [*_given_constraints(config.constraints, with_words=bool(words)), *map(_constraint_for_word, words)]
    for constraint in constraints:
        for phrase in constraint_phrases(constraint):
            _check_ids(phrase, vocab_size, ends)
    for one, other in permutations(constraints, 2):
        _warn_of_prefix(one, other)
    for constraint in constraints:
        _check_not_forbidden(constraint, config)
    return constraints


def constraint_phrases(constraint: Any) -> list[list[int]]:
    """Return the phrases of a constraint; [] for a user-defined one.

    >>> constraint_phrases(PhrasalConstraint([5, 6])), constraint_phrases(DisjunctiveConstraint([[7], [8, 9]]))
    ([[5, 6]], [[7], [8, 9]])
    """
    if isinstance(constraint, PhrasalConstraint):
        return [constraint.token_ids]
    return constraint.token_ids if isinstance(constraint, DisjunctiveConstraint) else []


def _given_constraints(given: Any, with_words: bool) -> list[Any]:
    if given is None:
        return []
    if isinstance(given, Constraint):
        raise ValueError(f"constraints is one {type(given).__name__}; give a list: constraints=[that]")
    if not isinstance(given, list | tuple) or (not given and not with_words):
        raise ValueError(
            f"constraints={given!r} should be a list of constraints with at least one, such as "
            "[PhrasalConstraint(ids)]; None means no constraint"
        )
    for constraint in given:
        constraint_length(constraint)
    return list(given)


def _given_words(given: Any) -> list[Any]:
    if given is None:
        return []
    if not isinstance(given, list) or not given or not all(isinstance(word, list) and word for word in given):
        raise ValueError(
            f"force_words_ids={given!r} should be a list with a list of ids for each word, or with a list of such "
            f"lists for alternatives, and none may be empty; {TOKENIZE_HINT}, and None means no constraint"
        )
    return given


def _constraint_for_word(word: list[Any]) -> Constraint:
    """Return a `PhrasalConstraint` for ids, a `DisjunctiveConstraint` for lists of ids."""
    nested = [isinstance(each, list) for each in word]
    if any(nested) and not all(nested):
        raise ValueError(
            f"force_words_ids holds {word!r}, which mixes ids and lists of ids; give one list of ids, or a list of such"
        )
    try:
        return DisjunctiveConstraint(word) if nested[0] else PhrasalConstraint(word)
    except ValueError as error:
        raise ValueError(f"force_words_ids holds {word!r}: {error}") from None


def _warn_of_prefix(one: Any, other: Any) -> None:
    """Warn if the phrase of one constraint is a prefix of the phrase of another."""
    short, long = constraint_phrases(one), constraint_phrases(other)
    if long and all(any(is_proper_prefix(phrase, start) for start in short) for phrase in long):
        shown, shown_long = (each[0] if len(each) == 1 else each for each in (short, long))
        warn(
            f"the constraint {shown} is a prefix of {shown_long}; an output with the longer one contains both, "
            "but may have to contain the shorter one twice"
        )


def _check_not_forbidden(constraint: Any, config: GenerationSettings) -> None:
    """Refuse a constraint if all of its phrases are forbidden."""
    reasons = [forbidden_reason(phrase, config) for phrase in constraint_phrases(constraint)]
    if reasons and all(reasons):
        phrase = constraint_phrases(constraint)[0]
        raise ValueError(f"the constraint {phrase} cannot be fulfilled, since {reasons[0]}; leave out one of them")


def forbidden_reason(phrase: list[int], config: GenerationSettings) -> str:
    """Return the reason why a phrase can never be generated, or "".

    >>> from tokenlab.libraries.transformers.generation.configuration_utils import GenerationConfig
    >>> forbidden_reason([4, 5, 6], GenerationConfig(bad_words_ids=[[7], [5, 6]]))
    'bad_words_ids forbids [5, 6]'
    """
    suppressed = set(check_token_ids("suppress_tokens", config.suppress_tokens or (), empty=True)) & set(phrase)
    if suppressed:
        return f"suppress_tokens forbids {min(suppressed)}"
    words = check_word_ids("bad_words_ids", config.bad_words_ids) if config.bad_words_ids is not None else []
    for word in words:
        if any(phrase[place : place + len(word)] == word for place in range(len(phrase))):
            return f"bad_words_ids forbids {word}"
    return ""


def _check_ids(phrase: list[int], vocab_size: float, ends: Sequence[int]) -> None:
    if max(phrase) >= vocab_size:
        raise ValueError(
            f"the constraint {phrase} contains {max(phrase)}, but the model's ids are 0-{vocab_size - 1}; "
            "are the ids those of this model's tokenizer?"
        )
    end = next((id for id in phrase if id in ends), None)
    if end is not None:
        warn(
            f"the constraint {phrase} contains {end}, which ends an output: a beam that ends with it does not count as "
            "complete, so only outputs of the maximum length can contain it; "
            "tokenizer(words, add_special_tokens=False).input_ids has none"
        )
