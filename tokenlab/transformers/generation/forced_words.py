"""What `constraints` and `force_words_ids` demand together, and what of that cannot be.

Leaves out: settings that go without constraints (`modes`).

Source: transformers 4.26.1, generation/utils.py (`generate`). There words are appended to the caller's own list of
constraints; ids outside the vocabulary die inside of the first step; and the empty is accepted, or fails later.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tokenlab.transformers.generation.configuration_utils import GenerationConfig
from tokenlab.transformers.generation.constraint_list_state import length_of
from tokenlab.transformers.generation.constraints import Constraint
from tokenlab.transformers.generation.disjunctive_constraint import DisjunctiveConstraint, beginnings
from tokenlab.transformers.generation.phrasal_constraint import PhrasalConstraint

WAY_OUT = "tokenizer(words, add_special_tokens=False).input_ids makes one"


def constraints_of(config: GenerationConfig, vocab_size: int, ends: Sequence[int] = ()) -> list[Any]:
    """The constraints, and one for each forced word.

    Args:
        config: the settings of this call.
        vocab_size: how many ids the model has.
        ends: the ids that end an output.

    Raises:
        ValueError: an empty list, something that is no constraint or no id, an id that the model does not have or that
            ends an output, or a phrase that is the beginning of another.

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
    phrases = [constraint.token_ids for constraint in demands if isinstance(constraint, PhrasalConstraint)]
    for short, long in beginnings(phrases):
        if short != long:  # a word may be demanded twice
            raise ValueError(
                f"{short} is demanded beside {long}, which begins with it; who writes that has written both, so "
                f"leave out {short}"
            )
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


def _refuse_ids(phrase: list[int], vocab_size: int, ends: Sequence[int]) -> None:
    if max(phrase) >= vocab_size:
        raise ValueError(
            f"{max(phrase)} is demanded in {phrase}, and the model's ids go from 0 to {vocab_size - 1}; "
            "are the ids those of this model's tokenizer?"
        )
    end = next((id for id in phrase if id in ends), None)
    if end is not None:
        raise ValueError(
            f"{end} is demanded in {phrase}, and ends an output, so that nothing could follow; leave it out: "
            f"{WAY_OUT.replace('one', 'ids without it')}"
        )
