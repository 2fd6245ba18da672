"""Checks of lesson 19: diversity penalty, bad words, phrasal constraints and constraint banks."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

from tokenlab.algorithms.decoding.banned_tokens import banned_tokens, ends_with
from tokenlab.algorithms.decoding.constraint_banks import constraint_bank, order_by_banks
from tokenlab.algorithms.decoding.diversity import GroupSelected, apply_diversity_penalty, select_per_group
from tokenlab.algorithms.decoding.phrasal_constraint import constraint_progress
from tokenlab.algorithms.text.tokenizations import tokenizations
from tokenlab.algorithms.unigram.encode import SPACE
from tokenlab.check import strategies as inputs
from tokenlab.check.answer_check import AnswerCheck, BugCheck
from tokenlab.check.function_check import Adapter, FunctionCheck
from tokenlab.check.isolated_run import display
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.trace_comparison import nearly_equal, prefix_calls
from tokenlab.misconceptions import constraints as wrong
from tokenlab.misconceptions import rule_of
from tokenlab.steps import step, stepwise

__all__ = [
    "bank_order",
    "forbidden_next",
    "groups_and_bank",
    "penalized_logits",
    "phrase_progress",
    "tokenizations_counted",
]

Ids = Sequence[int]

# By hand.


@step
class ProgressCounted:
    """The progress on a phrase."""

    phrase: tuple[int, ...]
    progress: int  # number of matched tokens

    def __str__(self) -> str:
        return f"phrase {' '.join(map(str, self.phrase))}: {self.progress} of {len(self.phrase)} matched"


@step
class Counted:
    """The bank of a beam, with its computation."""

    phrases: tuple[ProgressCounted, ...]
    bank: int

    def __str__(self) -> str:
        longest = max(len(each.phrase) for each in self.phrases)
        completed = sum(each.progress == len(each.phrase) for each in self.phrases)
        left = [len(each.phrase) - each.progress for each in self.phrases if 0 < each.progress < len(each.phrase)]
        terms = "".join(f" + ({longest} - {missing}) in progress" for missing in left)
        return f"bank: {completed} * {longest} completed{terms} = {self.bank}"


@stepwise
def groups_and_bank_by_hand() -> Generator[
    GroupSelected | ProgressCounted | Counted, None, tuple[tuple[int, ...], float, int]
]:
    """Three groups choose one after another; then one token is added to a beam with two phrasal constraints."""
    scores, phrases = [-1, -2, -4], [(1, 2, 5), (7, 8)]
    tokens = yield from select_per_group.steps(scores, groups=3, penalty=2)
    progress = tuple(ProgressCounted(phrase, constraint_progress(phrase, [7])) for phrase in phrases)
    yield from progress
    bank = constraint_bank([*map(len, phrases)], [each.progress for each in progress])
    yield Counted(progress, bank)
    last = apply_diversity_penalty(scores, tokens[:2], 2)[tokens[2]]
    return tokens, last, bank


groups_and_bank = AnswerCheck(
    recording=groups_and_bank_by_hand.record,
    answers=lambda recording: recording.result,
    names=("The list of choices of the groups", "The third group's score", "The bank"),
    rules=(
        rule_of(wrong.penalize_once),
        rule_of(wrong.penalize_once),
        "A completed constraint scores the length of the longest constraint; an in-progress one scores that length "
        "minus its missing tokens.",
    ),
)

tokenizations_counted = AnswerCheck(
    recording=lambda: tokenizations.record("tea", ["tea", f"{SPACE}tea", "te", "a", f"{SPACE}te", SPACE]),
    answers=lambda recording: (len(recording.result),),
    names=("The number of spellings",),
    rules=(rule_of(wrong.ban_one_tokenization),),
)


# Groups.


def _groups() -> Strategy:
    """Draw scores of a few ids, the choices of earlier groups, and a penalty."""

    def of(size: int) -> Strategy:
        scores = st.lists(st.integers(-3, 3), min_size=size, max_size=size)
        return st.tuples(scores, st.lists(st.integers(0, size - 1), max_size=4), st.sampled_from((2, 0.5, 0)))

    return st.integers(1, 4).flatmap(of)


penalized_logits = FunctionCheck(
    apply_diversity_penalty,
    _groups,
    "The penalty is subtracted from an id once for each time it was chosen; other ids keep their scores.",
    examples=[([-1, -2], [0], 2), ([-1, -2], [1, 1], 2), ([-1, -2, -4], [], 2)],
    wrong=(
        wrong.penalize_once,
        (wrong.penalize_by_division, wrong.penalize_once),
        wrong.ban_previous_tokens,
        (wrong.no_diversity_penalty, "The penalty is subtracted once for each time an id was chosen."),
        (
            lambda scores, chosen, penalty: apply_diversity_penalty(scores, chosen, -penalty),
            "The penalty is subtracted: chosen ids become less probable.",
        ),
        (
            lambda scores, chosen, penalty: [score - penalty * len(chosen) for score in scores],
            "The penalty of an id depends only on how often this id was chosen.",
        ),
        (
            lambda scores, chosen, penalty: [x for id, x in enumerate(scores) if id not in chosen],
            "Chosen ids are not forbidden, and every id keeps its position.",
        ),
    ),
    traced_calls=prefix_calls(lambda chosen: f"{len(chosen)} chosen", 1),
    same=nearly_equal,
)


# Forbidding.


def _ids_in_order(function: Callable[..., Any], *given: Any) -> Any:
    """Sort the result of a function, if it is a collection of ids."""
    ids = function(*given)
    if isinstance(ids, list | tuple | set | frozenset) and all(isinstance(id, int) for id in ids):
        return tuple(sorted({*ids}))
    return ids


forbidden_next = FunctionCheck(
    banned_tokens,
    lambda: inputs.arguments(
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
            "The other tokens have to come right before it, in order.",
        ),
        (
            lambda written, bad_words: {w[-1] for w in bad_words if w[-2:-1] in ([], list(written[-1:]))},
            "All tokens of the word except the last have to come before it, not only one.",
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
    lambda: inputs.arguments(
        st.lists(inputs.sampled(1, 2, 3), min_size=1, max_size=3), st.lists(inputs.sampled(1, 2, 3), max_size=5)
    ),
    rule_of(wrong.restart_with_breaking_token),
    examples=[([1], []), ([1, 2], [1, 2]), ([1, 2], [1, 3]), ([1, 2], [1, 1]), ([1, 2], [1, 2, 3]), ([1, 2], [2])],
    wrong=(
        (wrong.restart_with_breaking_token, "The interrupting token is not tried again as the first one."),
        (wrong.ignore_interruptions, "The tokens are consecutive: any other token interrupts the phrase."),
        wrong.progress_from_suffix,
        (_forget_completed, "Once the phrase is complete, it stays complete."),
        (
            lambda phrase, tokens: len(phrase) - constraint_progress(phrase, tokens),
            "Return the number of matched tokens, not of missing ones.",
        ),
        (
            lambda phrase, tokens: constraint_progress(phrase, tokens) == len(phrase),
            "Return a number: how many tokens of the phrase are matched.",
        ),
    ),
    traced_calls=prefix_calls(lambda tokens: f"after {' '.join(map(str, tokens)) or 'nothing'}", 1),
)


# Banks.


def _candidates() -> Strategy:
    """Draw banks of up to 5 candidates, with distinct scores."""
    one = st.tuples(st.integers(0, 2), st.integers(-9, -1))
    several = st.lists(one, min_size=1, max_size=5, unique_by=lambda drawn: drawn[1])
    return several.map(lambda drawn: tuple(map(list, zip(*drawn, strict=True))))


bank_order = FunctionCheck(
    order_by_banks,
    _candidates,
    "In each round every bank selects its best remaining candidate, the highest bank first.",
    examples=[([0], [-1]), ([0, 0], [-2, -1]), ([0, 1], [-1, -2]), ([1, 1, 0], [-1, -2, -3])],
    wrong=(
        (wrong.rank_by_score_only, "Banks alternate; the score only decides the order within a bank."),
        (wrong.fullest_bank_first, "A bank selects its next candidate after all other banks have selected one."),
        (
            lambda banks, scores: order_by_banks([-bank for bank in banks], scores),
            "The highest bank selects first: its candidates have made the most progress.",
        ),
        (
            lambda banks, scores: order_by_banks(banks, [-score for score in scores]),
            "A bank selects its best candidate first; a score closer to 0 is better.",
        ),
        (
            lambda banks, scores: [scores[place] for place in order_by_banks(banks, scores)],
            "Return the indices of the candidates, from 0.",
        ),
        (
            lambda banks, scores: [
                place for place in order_by_banks(banks, scores) if place in _first_round(banks, scores)
            ],
            "All candidates are selected, round after round.",
        ),
    ),
    traced_calls=prefix_calls("candidate", 0, 1, least=1),
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
