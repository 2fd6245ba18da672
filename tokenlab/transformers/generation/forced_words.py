"""What `constraints` and `force_words_ids` demand together, and what of that cannot be.

Leaves out: settings that go without constraints (`modes`).

Source: transformers 4.26.1, generation/utils.py (`generate`). There words are appended to the caller's own list of
constraints; ids outside the vocabulary die inside of the first step; the empty is accepted, or fails later; and what is
forbidden and demanded is written, with a score of minus infinity.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any

from tokenlab.transformers.generation.arguments import token_ids, word_ids
from tokenlab.transformers.generation.configuration_utils import GenerationConfig
from tokenlab.transformers.generation.constraint_list_state import length_of
from tokenlab.transformers.generation.constraints import Constraint
from tokenlab.transformers.generation.disjunctive_constraint import DisjunctiveConstraint, begins_longer
from tokenlab.transformers.generation.phrasal_constraint import PhrasalConstraint

WAY_OUT = "tokenizer(words, add_special_tokens=False).input_ids makes one"


def constraints_of(config: GenerationConfig, vocab_size: float, ends: Sequence[int] = ()) -> list[Any]:
    """The constraints, and one for each forced word.

    Args:
        config: the settings of this call.
        vocab_size: how many ids the model has; math.inf if that is not known.
        ends: the ids that end an output.

    Raises:
        ValueError: an empty list, something that is no constraint or no id, an id that the model does not have or that
            ends an output, a phrase that is the beginning of another, or one that settings forbid.

    >>> [type(each).__name__ for each in constraints_of(GenerationConfig(force_words_ids=[[5, 6], [[7], [8]]]), 9)]
    ['PhrasalConstraint', 'DisjunctiveConstraint']
    >>> constraints_of(GenerationConfig(force_words_ids=[[5], [5, 6]]), 9)
    Traceback (most recent call last):
    ...
    ValueError: [5] is demanded beside [5, 6], which begins with it; who writes that has written both, so leave out [5]
    """
    demands = [*_given_constraints(config.constraints), *map(_of_word, _given_words(config.force_words_ids))]
    for constraint in demands:
        for phrase in phrases_of(constraint):
            _refuse_ids(phrase, vocab_size, ends)
    for one, other in permutations(demands, 2):
        _refuse_beginning(one, other)
    for constraint in demands:
        _refuse_forbidden(constraint, config)
    return demands


def phrases_of(constraint: Any) -> list[list[int]]:
    """The ids of a phrase, or of each of several; of a constraint of one's own, nobody knows.

    >>> phrases_of(PhrasalConstraint([5, 6])), phrases_of(DisjunctiveConstraint([[7], [8, 9]]))
    ([[5, 6]], [[7], [8, 9]])
    """
    if isinstance(constraint, PhrasalConstraint):
        return [constraint.token_ids]
    return constraint.token_ids if isinstance(constraint, DisjunctiveConstraint) else []


def _given_constraints(given: Any) -> list[Any]:
    if given is None:
        return []
    if isinstance(given, Constraint):
        raise ValueError(f"constraints is one {type(given).__name__}; give a list: constraints=[that]")
    if not isinstance(given, list | tuple) or not given:
        raise ValueError(
            f"constraints={given!r} should be a list of constraints with at least one, such as "
            "[PhrasalConstraint(ids)]; None demands nothing"
        )
    for constraint in given:
        length_of(constraint)
    return list(given)


def _given_words(given: Any) -> list[Any]:
    if given is None:
        return []
    if not isinstance(given, list) or not given or not all(isinstance(word, list) and word for word in given):
        raise ValueError(
            f"force_words_ids={given!r} should be a list with a list of ids for each word, or with a list of such "
            f"lists where one of several will do, and none may be empty; {WAY_OUT}, and None demands nothing"
        )
    return given


def _of_word(word: list[Any]) -> Constraint:
    """A phrase for ids, one of several for lists of ids."""
    nested = [isinstance(each, list) for each in word]
    if any(nested) and not all(nested):
        raise ValueError(
            f"force_words_ids holds {word!r}, which mixes ids and lists of ids; give one list of ids, or a list of such"
        )
    try:
        return DisjunctiveConstraint(word) if nested[0] else PhrasalConstraint(word)
    except ValueError as error:
        raise ValueError(f"force_words_ids holds {word!r}: {error}") from None


def _refuse_beginning(one: Any, other: Any) -> None:
    """Whatever fulfils the other has fulfilled this one; a word may be demanded twice, though."""
    short, long = phrases_of(one), phrases_of(other)
    if long and all(any(begins_longer(phrase, start) for start in short) for phrase in long):
        shown, shown_long = (each[0] if len(each) == 1 else each for each in (short, long))
        raise ValueError(
            f"{shown} is demanded beside {shown_long}, which begins with it; who writes that has written both, so "
            f"leave out {shown}"
        )


def _refuse_forbidden(constraint: Any, config: GenerationConfig) -> None:
    """There is no way to write it if each of its phrases holds something that may never come."""
    reasons = [forbidden_in(phrase, config) for phrase in phrases_of(constraint)]
    if reasons and all(reasons):
        phrase = phrases_of(constraint)[0]
        raise ValueError(f"{phrase} is demanded, and {reasons[0]}, so that it cannot be written; leave out one of them")


def forbidden_in(phrase: list[int], config: GenerationConfig) -> str:
    """Why a phrase can never be written, or nothing.

    >>> forbidden_in([4, 5, 6], GenerationConfig(bad_words_ids=[[7], [5, 6]]))
    'bad_words_ids forbids [5, 6]'
    """
    suppressed = set(token_ids("suppress_tokens", config.suppress_tokens or (), empty=True)) & set(phrase)
    if suppressed:
        return f"suppress_tokens forbids {min(suppressed)}"
    words = word_ids("bad_words_ids", config.bad_words_ids) if config.bad_words_ids is not None else []
    for word in words:
        if any(phrase[place : place + len(word)] == word for place in range(len(phrase))):
            return f"bad_words_ids forbids {word}"
    return ""


def _refuse_ids(phrase: list[int], vocab_size: float, ends: Sequence[int]) -> None:
    if max(phrase) >= vocab_size:
        raise ValueError(
            f"{max(phrase)} is demanded in {phrase}, and the model's ids go from 0 to {vocab_size - 1}; "
            "are the ids those of this model's tokenizer?"
        )
    end = next((id for id in phrase if id in ends), None)
    if end is not None:
        raise ValueError(
            f"{end} is demanded in {phrase}, and ends an output, so that nothing could follow; leave it out: "
            "tokenizer(words, add_special_tokens=False).input_ids has none"
        )
