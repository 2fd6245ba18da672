"""Checks of lesson 19: phrasal constraints, constraint banks, the diversity penalty and bad words."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

from tokenlab.algorithms.decoding.constraints import (
    CandidateSelected,
    banned_tokens,
    constraint_bank,
    constraint_progress,
    ends_with,
    order_by_banks,
)
from tokenlab.algorithms.decoding.diversity import GroupSelected, apply_diversity_penalty, select_per_group
from tokenlab.algorithms.text.tokenizations import tokenizations
from tokenlab.algorithms.unigram.encode import SPACE
from tokenlab.check import strategies as inputs
from tokenlab.check.answer_check import AnswerCheck, BugCheck
from tokenlab.check.function_check import Adapter, FunctionCheck
from tokenlab.check.isolated_run import display, returned
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.trace_comparison import nearly_equal, prefix_calls
from tokenlab.misconceptions import constraints as wrong
from tokenlab.misconceptions.catalog import rule_of
from tokenlab.steps.recording import step, stepwise

Ids = Sequence[int]

# By hand.


@step
class BankCounted:
    """The bank of a beam, with its computation."""

    tokens: tuple[int, ...]
    longest: int  # length of the longest constraint
    completed: int
    missing: tuple[int, ...]  # missing tokens of the constraint in progress, if there is one
    bank: int

    def __str__(self) -> str:
        terms = "".join(f" + ({self.longest} - {missing})" for missing in self.missing)
        return f"bank of {' '.join(map(str, self.tokens))}: {self.longest} * {self.completed}{terms} = {self.bank}"


@stepwise
def count_banks_and_order() -> Generator[
    BankCounted | CandidateSelected, None, tuple[tuple[int, ...], tuple[int, ...]]
]:
    """Count the banks of four candidates with two phrasal constraints; then let the banks select in turn."""
    phrases, candidates, sums = [(1, 2, 5), (7, 8)], [(7,), (1, 2, 5, 7), (1, 2), (9,)], [-9, -20, -4, -1]
    banks = []
    for tokens in candidates:
        lengths, done = [*map(len, phrases)], [constraint_progress(phrase, tokens) for phrase in phrases]
        banks.append(constraint_bank(lengths, done))
        left = tuple(length - matched for length, matched in zip(lengths, done, strict=True) if 0 < matched < length)
        yield BankCounted(tokens, max(lengths), sum(map(int.__eq__, done, lengths)), left, banks[-1])
    order = yield from order_by_banks.steps(banks, sums)
    return tuple(banks), order


banks_by_hand = AnswerCheck(
    recording=count_banks_and_order.record,
    answers=lambda recording: recording.result,
    names=("The list of banks", "The order of the candidates"),
    rules=(
        "A completed constraint counts the length of the longest constraint. A constraint in progress counts that "
        "length minus its missing tokens.",
        "In each round, every bank selects its best remaining candidate. The highest bank selects first.",
    ),
)


@stepwise
def select_three_groups() -> Generator[GroupSelected, None, tuple[tuple[int, ...], float]]:
    """Three groups with the same scores choose one after another."""
    scores = [-1, -2, -4]
    tokens = yield from select_per_group.steps(scores, groups=3, penalty=2)
    return tokens, apply_diversity_penalty(scores, tokens[:2], 2)[tokens[2]]


groups_in_turn = AnswerCheck(
    recording=select_three_groups.record,
    answers=lambda recording: recording.result,
    names=("The list of choices of the groups", "The third group's score"),
    rules=(rule_of(wrong.penalize_once),) * 2,
    sums=lambda recording: (
        "The second group's scores of 0 and 1: -1 - 2 = -3, and -2",
        "The third group's scores of 0, 1 and 2: -1 - 2 = -3, -2 - 2 = -4, and -4",
    ),
)

tokenizations_counted = AnswerCheck(
    recording=lambda: tokenizations.record("tea", ["tea", f"{SPACE}tea", "te", "a", f"{SPACE}te", SPACE]),
    answers=lambda recording: (len(recording.result),),
    names=("The number of tokenizations",),
    rules=(rule_of(wrong.ban_one_tokenization),),
)


# Groups.


def _groups() -> Strategy:
    """Draw scores of a few ids, the choices of earlier groups, and a penalty."""

    def of(size: int) -> Strategy:
        scores = inputs.of_length(size, st.integers(-3, 3))
        return st.tuples(scores, st.lists(st.integers(0, size - 1), max_size=4), st.sampled_from((2, 0.5, 0)))

    return inputs.of_sizes(of, 4)


penalized_logits = FunctionCheck(
    apply_diversity_penalty,
    _groups,
    "Subtract the penalty from an id once for each time the id was chosen. All other ids keep their scores.",
    examples=[([-1, -2], [0], 2), ([-1, -2], [1, 1], 2), ([-1, -2, -4], [], 2)],
    wrong=(
        wrong.penalize_once,
        (wrong.penalize_by_division, wrong.penalize_once),
        wrong.ban_previous_tokens,
        (wrong.no_diversity_penalty, "Subtract the penalty once for each time an id was chosen."),
        (
            lambda scores, chosen, penalty: apply_diversity_penalty(scores, chosen, -penalty),
            "Subtract the penalty. Chosen ids become less probable.",
        ),
        (
            lambda scores, chosen, penalty: [score - penalty * len(chosen) for score in scores],
            "The penalty of an id depends only on how often this id was chosen.",
        ),
        (
            lambda scores, chosen, penalty: [x for id, x in enumerate(scores) if id not in chosen],
            "Chosen ids are not forbidden. Every id keeps its position.",
        ),
    ),
    traced_calls=prefix_calls(lambda chosen: f"{len(chosen)} chosen", 1),
    same=nearly_equal,
    lists=1,
)


# Forbidding.


def _ids_in_order(function: Callable[..., Any], *given: Any) -> Any:
    """Sort the result of a function, if it is a collection of ids."""
    ids = returned(function(*given))
    if isinstance(ids, list | tuple | set | frozenset) and all(isinstance(id, int) for id in ids):
        return tuple(sorted({*ids}))
    return ids


forbidden_next = FunctionCheck(
    banned_tokens,
    lambda: st.tuples(
        st.lists(st.integers(0, 3), max_size=4),
        st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=3), min_size=1, max_size=3),
    ),
    rule_of(wrong.ban_every_token),
    examples=[([], [[2]]), ([0], [[0, 3]]), ([3], [[0, 3]]), ([], [[0, 3]]), ([1, 0], [[1, 3]]), ([3], [[0, 3, 1]])],
    wrong=(
        wrong.ban_every_token,
        wrong.ban_first_token,
        wrong.ban_last_token,
        (
            lambda written, bad_words: {w[-1] for w in bad_words if written and ends_with(written, w[:-1])},
            "A word of a single token is always forbidden, also at the start.",
        ),
        (
            lambda written, bad_words: {w[-1] for w in bad_words if {*w[:-1]} <= {*written}},
            "The other tokens must come directly before the last one, in order.",
        ),
        (
            lambda written, bad_words: {w[-1] for w in bad_words if w[-2:-1] in ([], list(written[-1:]))},
            "All other tokens of the word must come before the last token, not only one of them.",
        ),
    ),
    traced_calls=prefix_calls("bad word", 1, least=1),
    use=Adapter(
        ("written", "bad_words"),
        _ids_in_order,
        lambda name, written, bad_words: f"{name}({display(written)}, {display(bad_words)})",
    ),
)


# Phrasal constraints.


def _forget_completed(phrase: Ids, tokens: Ids) -> int:
    """Start again after a completed phrase."""
    done = 0
    for token in tokens:
        done = done + 1 if done < len(phrase) and token == phrase[done] else 0
    return done


phrase_progress = FunctionCheck(
    constraint_progress,
    lambda: st.tuples(
        st.lists(inputs.sampled(1, 2, 3), min_size=1, max_size=3), st.lists(inputs.sampled(1, 2, 3), max_size=5)
    ),
    rule_of(wrong.restart_with_breaking_token),
    examples=[([1], []), ([1, 2], [1, 2]), ([1, 2], [1, 3]), ([1, 2], [1, 1]), ([1, 2], [1, 2, 3]), ([1, 2], [2])],
    wrong=(
        (
            wrong.restart_with_breaking_token,
            "Do not try the interrupting token again as the first token of the phrase.",
        ),
        (wrong.ignore_interruptions, "The tokens of a phrase are consecutive. Any other token interrupts the phrase."),
        wrong.progress_from_suffix,
        (_forget_completed, "A completed phrase stays complete."),
        (
            lambda phrase, tokens: len(phrase) - constraint_progress(phrase, tokens),
            "Return the number of matched tokens, not of missing ones.",
        ),
        (
            lambda phrase, tokens: constraint_progress(phrase, tokens) == len(phrase),
            "Return a number: the number of matched tokens.",
        ),
    ),
    traced_calls=prefix_calls(lambda tokens: f"after {' '.join(map(str, tokens)) or 'nothing'}", 1),
)


# Banks.


def _progress() -> Strategy:
    """Draw the lengths of up to 4 constraints and their matched tokens; at most one is in progress."""

    def of(lengths: list[int]) -> Strategy:
        states = st.tuples(*(st.sampled_from((0, length)) for length in lengths)).map(list)
        place = st.integers(0, len(lengths) - 1)
        return st.tuples(states, place, st.integers(1, 3)).map(
            lambda drawn: (lengths, [min(drawn[2], n) if i == drawn[1] else drawn[0][i] for i, n in enumerate(lengths)])
        )

    return st.lists(st.integers(1, 4), min_size=1, max_size=4).flatmap(of)


bank_number = FunctionCheck(
    constraint_bank,
    _progress,
    "A completed constraint counts the length of the longest constraint. A constraint in progress counts that length "
    "minus its missing tokens.",
    examples=[([2], [0]), ([2], [2]), ([3], [1]), ([3, 2], [0, 1]), ([3, 2], [3, 0]), ([3, 2], [3, 1])],
    wrong=(
        (
            wrong.count_generated_tokens,
            "A constraint in progress does not count its matched tokens. It counts the length of the longest "
            "constraint minus its missing tokens.",
        ),
        (
            lambda lengths, done: sum(n == length for length, n in zip(lengths, done, strict=True)) * max(lengths),
            "The constraint in progress counts as well.",
        ),
        (
            lambda lengths, done: sum(done),
            "A completed constraint counts the length of the longest constraint, not its own length.",
        ),
        (
            lambda lengths, done: sum(
                n if n == length else (max(lengths) - length + n) * (n > 0)
                for length, n in zip(lengths, done, strict=True)
            ),
            "A completed constraint counts the length of the longest constraint, not its own length.",
        ),
    ),
)


def _candidates() -> Strategy:
    """Draw banks of up to 5 candidates, with distinct scores."""
    one = st.tuples(st.integers(0, 2), st.integers(-9, -1))
    several = st.lists(one, min_size=1, max_size=5, unique_by=lambda drawn: drawn[1])
    return several.map(lambda drawn: tuple(map(list, zip(*drawn, strict=True))))


bank_order = FunctionCheck(
    order_by_banks,
    _candidates,
    "In each round, every bank selects its best remaining candidate. The highest bank selects first.",
    examples=[([0], [-1]), ([0, 0], [-2, -1]), ([0, 1], [-1, -2]), ([1, 1, 0], [-1, -2, -3])],
    wrong=(
        (wrong.rank_by_score_only, "The banks take turns. The score only decides the order within a bank."),
        (wrong.fullest_bank_first, "A bank selects its next candidate after all other banks have selected one."),
        (
            lambda banks, scores: order_by_banks([-bank for bank in banks], scores),
            "The highest bank selects first. Its candidates have made the most progress.",
        ),
        (
            lambda banks, scores: order_by_banks(banks, [-score for score in scores]),
            "A bank selects its best candidate first. A score closer to 0 is better.",
        ),
        (
            lambda banks, scores: [scores[place] for place in order_by_banks(banks, scores)],
            "Return the indices of the candidates, from 0.",
        ),
        (
            lambda *given: [place for place in order_by_banks(*given) if place in _first_round(*given)],
            "Continue with further rounds until all candidates are selected.",
        ),
    ),
    traced_calls=prefix_calls("candidate", 0, 1, least=1),
    lists=1,
)


def _first_round(banks: Sequence[int], scores: Sequence[float]) -> set[int]:
    places = range(len(banks))
    return {max((place for place in places if banks[place] == bank), key=lambda place: scores[place]) for bank in banks}


# Finding a bug.

LONGEST = 12


def _unusable_spelling(word: Any, pieces: Any) -> str:
    if not isinstance(word, str) or not 0 < len(word) <= LONGEST or not word.isprintable() or {*word} & {" ", SPACE}:
        return f"Write a word of at most {LONGEST} characters, without spaces, such as 'tea'."
    if not isinstance(pieces, list | tuple) or not 0 < len(pieces) <= LONGEST:
        return f"Write a list of pieces, at most {LONGEST}, such as ['te', 'a']."
    if not all(isinstance(piece, str) and 0 < len(piece) <= LONGEST and piece.isprintable() for piece in pieces):
        return "Write each piece as a non-empty string."
    if not tokenizations(word, pieces):
        return f"These pieces cannot spell {display(word)}."
    return ""


bug_one_spelling = BugCheck(
    program=wrong.ban_one_tokenization,
    right=tokenizations,
    input_problem=_unusable_spelling,
    example=("tea", ["tea", f"{SPACE}tea", "te", "a"]),
)


def _unusable_candidates(banks: Any, scores: Any) -> str:
    if not all(isinstance(given, list | tuple) and 0 < len(given) <= LONGEST for given in (banks, scores)):
        return f"Write two lists of at most {LONGEST} numbers, such as [1, 0] and [-3, -2]."
    if len(banks) != len(scores):
        return "Write one bank and one score for each candidate, so two lists of the same length."
    if not all(isinstance(bank, int) and bank >= 0 for bank in banks):
        return "Write each bank as an integer that is not negative."
    if not all(isinstance(score, int | float) and -1e6 < score <= 0 for score in scores):
        return "Write each score as a negative number, because a score is a sum of log-probabilities."
    if len({*scores}) < len(scores):
        return "Write different scores."
    return ""


bug_fullest_bank = BugCheck(
    program=wrong.fullest_bank_first,
    right=order_by_banks,
    input_problem=_unusable_candidates,
    example=([1, 1, 0], [-1, -2, -3]),
)
