"""Checks of lesson 18: candidates of all beams, selection of beams and hypotheses, and the best hypothesis."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from itertools import islice
from typing import Any

from tokenlab.algorithms.decoding.beam_search import (
    EXAMPLE,
    BeamsAdvanced,
    Candidate,
    initial_beam_scores,
    select_beams,
    top_candidates,
)
from tokenlab.algorithms.decoding.beam_search import beam_search as search
from tokenlab.algorithms.decoding.stopping_rule import TODAY, hypothesis_score
from tokenlab.algorithms.vectors import Matrix
from tokenlab.check import strategies as inputs
from tokenlab.check.answer_check import AnswerCheck, BugCheck, summed
from tokenlab.check.exercises.t5_attention import is_number
from tokenlab.check.function_check import FunctionCheck
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.trace_comparison import nearly_equal
from tokenlab.misconceptions import beam_search as wrong
from tokenlab.misconceptions.catalog import rule_of
from tokenlab.steps.recording import Recording, stepwise

# By hand.


@stepwise
def beam_search_by_hand() -> Generator[Any, None, None]:
    """Run the first two steps of a search with two beams; in each of them a text ends."""
    yield from islice(search.steps(EXAMPLE.__getitem__, start=(0,), beams=2, eos=1, max_length=4), 2)


def _found(recording: Recording[BeamsAdvanced, None]) -> tuple[Any, ...]:
    first, second = recording
    [(ids, total)] = second.finished
    running = (tuple(ids for ids, _ in step.running) for step in (first, second))
    return (*running, hypothesis_score(total, len(ids), 1.0), second.done)


def _sums_of_candidates(recording: Recording[BeamsAdvanced, None]) -> Iterator[str]:
    for ids, total in recording[0].running:
        for token, score in enumerate(EXAMPLE[ids]):
            if token:  # the task does not name the start token
                yield f"The sum of {' '.join(map(str, (*ids, token)))}: {summed([total, score])}"
    [(ids, total)] = recording[1].finished
    yield f"The score of the hypothesis of the second step: {total:g} / {len(ids)} = {total / len(ids):g}"


beams_by_hand = AnswerCheck(
    recording=beam_search_by_hand.record,
    answers=_found,
    names=(
        "The pair of beams after the first step",
        "The pair of beams after the second step",
        "The score of the hypothesis of the second step",
        "The answer to “is the search done?”",
    ),
    rules=(
        f"{rule_of(wrong.no_neg_inf_seed)} {rule_of(wrong.top_k_only)}",
        f"{rule_of(wrong.no_reorder)} {rule_of(wrong.top_k_only)}",
        f"{rule_of(wrong.penalty_sign)} Here the length counts the start token, but not the eos.",
        rule_of(wrong.stop_when_k_finished),
    ),
    sums=_sums_of_candidates,
)


# Candidates.


def _sums_and_rows() -> Strategy:
    """Draw sums and rows such that no two candidates have equal sums, and no log-probability is above 0."""

    def of(size: tuple[int, int]) -> Strategy:
        beams, tokens = size
        sums = inputs.of_length(beams, st.integers(-4, 0))
        totals = st.lists(st.integers(-30, -4), min_size=beams * tokens, max_size=beams * tokens, unique=True)
        return st.tuples(sums, totals).map(rows_of)

    def rows_of(both: tuple[list[int], list[int]]) -> tuple[list[int], list[list[int]]]:
        sums, totals = both
        tokens = len(totals) // len(sums)
        return sums, [
            [total - before for total in totals[beam * tokens : (beam + 1) * tokens]]
            for beam, before in enumerate(sums)
        ]

    return st.tuples(st.integers(1, 3), st.integers(2, 4)).flatmap(of)


def _everything(sums: Sequence[float], rows: Matrix) -> list[tuple[int, int, float]]:
    """Return all candidates, best first."""
    every = ((b, t, sums[b] + row[t]) for b, row in enumerate(rows) for t in range(len(row)))
    return sorted(every, key=lambda candidate: -candidate[2])


def _of_each_beam(sums: Sequence[float], rows: Matrix) -> list[tuple[int, int, float]]:
    each = ([one for one in _everything(sums, rows) if one[0] == beam][:2] for beam in range(len(sums)))
    return sorted((one for two in each for one in two), key=lambda candidate: -candidate[2])


def _by_the_beams(sums: Sequence[float], rows: Matrix) -> list[tuple[int, int, float]]:
    """Divide the flat index by the number of beams instead of the number of tokens."""
    places = ((beam * len(rows[0]) + token, total) for beam, token, total in top_candidates(sums, rows))
    return [(*divmod(place, len(sums)), total) for place, total in places]


_FORM = "Each candidate is (beam, token, sum): the beam that it extends, its token, and its sum of log-probabilities."

beam_candidates = FunctionCheck(
    top_candidates,
    _sums_and_rows,
    "Every beam is extended by every token. The 2 * beams extended texts with the highest sums are the candidates.",
    examples=[
        ([0], [[-1, -2]]),
        ([-1], [[-3, -1, -2]]),
        ([0, -3], [[-1, -4, -3], [-2.5, -2, -9]]),
        ([*initial_beam_scores(2)], [[-1, -2, -3, -5], [-1, -2, -3, -5]]),
    ],
    wrong=(
        (lambda sums, rows: top_candidates(sums, rows)[: len(sums)], wrong.top_k_only),
        (lambda *given: [(token, beam, total) for beam, token, total in top_candidates(*given)], _FORM),
        (lambda sums, rows: [(beam, token, rows[beam][token]) for beam, token, _ in top_candidates(sums, rows)], _FORM),
        (
            lambda sums, rows: _everything([0] * len(sums), rows)[: 2 * len(sums)],
            "The sum of a candidate is the sum of its beam plus the log-probability of its token.",
        ),
        (_of_each_beam, "The extended texts of all beams compete. A beam may have more of the best ones than another."),
        (
            lambda sums, rows: [c for c in _everything(sums, rows) if c[0] == sums.index(max(sums))][: 2 * len(sums)],
            "The extended texts of all beams compete, not only those of the best beam.",
        ),
        (
            lambda sums, rows: _everything(sums, rows)[::-1][: 2 * len(sums)],
            "The best candidates come first. A sum closer to 0 is better.",
        ),
        (lambda *given: top_candidates(*given)[::-1], "The best candidates come first. A sum closer to 0 is better."),
        (_everything, "Only the best 2 * beams extended texts are candidates."),
        (_by_the_beams, "The long list has one entry for each beam and token. Divide by the number of tokens."),
        (
            lambda sums, rows: [(b, b * len(rows[0]) + t, total) for b, t, total in top_candidates(sums, rows)],
            "An index in the long list is not a token. Its remainder modulo the number of tokens is the token.",
        ),
    ),
    same=nearly_equal,
    lists=1,
)


# A step.


def _on_tuples(program: Callable[..., Any]) -> Callable[..., Any]:
    """Adapt a program that takes `Candidate`s."""
    return lambda beams, candidates, eos: program(beams, [Candidate(*one) for one in candidates], eos)


step_of = _on_tuples(select_beams)


def _beams_and_candidates() -> Strategy:
    """Draw distinct beams and 2 * beams candidates, with at most one eos for each beam."""
    tokens = (7, 1, 8)

    def of(beams: int) -> Strategy:
        texts = [[0, 5 + beam] for beam in range(beams)]
        every = [(beam, token) for beam in range(beams) for token in tokens]
        chosen = st.lists(st.sampled_from(every), min_size=2 * beams, max_size=2 * beams, unique=True)
        ranked = chosen.map(lambda pairs: [(*pair, -rank) for rank, pair in enumerate(pairs, start=1)])
        return st.tuples(st.just(texts), ranked, inputs.sampled(1, 8))

    return inputs.of_sizes(of, 3)


def _too_low(beams: Sequence[Any], candidates: Sequence[Any], eos: int) -> tuple[Any, Any]:
    ended = [(beams[beam], total) for beam, token, total in candidates if token == eos]
    return step_of(beams, candidates, eos)[0], ended


def _too_many(beams: Sequence[Any], candidates: Sequence[Any], eos: int) -> tuple[Any, Any]:
    living = [([*beams[beam], token], total) for beam, token, total in candidates if token != eos]
    return living, step_of(beams, candidates, eos)[1]


def _with_the_end(beams: Sequence[Any], candidates: Sequence[Any], eos: int) -> tuple[Any, Any]:
    living, ended = step_of(beams, candidates, eos)
    return living, [([*ids, eos], total) for ids, total in ended]


def _token_alone(beams: Sequence[Any], candidates: Sequence[Any], eos: int) -> tuple[Any, Any]:
    living, ended = step_of(beams, candidates, eos)
    return [([ids[-1]], total) for ids, total in living], ended


_BOTH = "Return a pair: a list of the beams that continue and a list of the finished ones, each with (ids, sum)."

beam_step = FunctionCheck(
    step_of,
    _beams_and_candidates,
    "The best candidates that do not end continue, up to the number of beams. An eos finishes its beam only if its "
    "rank is below the number of beams. The hypothesis has the ids of its parent, without the eos.",
    examples=[
        ([[0]], [(0, 7, -1), (0, 8, -2)], 1),
        ([[0]], [(0, 1, -1), (0, 7, -2)], 1),
        ([[0]], [(0, 7, -1), (0, 1, -2)], 1),
        ([[0, 5], [0, 6]], [(1, 7, -1), (0, 1, -2), (1, 8, -3), (0, 7, -4)], 1),
    ],
    wrong=(
        *((_on_tuples(program), program) for program in (wrong.top_k_only, wrong.eos_keeps_running, wrong.no_reorder)),
        (_too_low, "An eos counts only among the best candidates, up to the number of beams."),
        (_too_many, "The number of beams stays the same. The other candidates are not needed."),
        (_with_the_end, "A finished hypothesis is returned without the eos. Its ids are the ids of its parent."),
        (_token_alone, wrong.no_reorder),
        (
            lambda *given: (step_of(*given)[0], []),
            "Finished hypotheses are returned as well, because one of them may win.",
        ),
        (lambda *given: step_of(*given)[::-1], _BOTH),
        (lambda *given: step_of(*given)[0], _BOTH),
        (lambda *given: tuple([ids for ids, _ in part] for part in step_of(*given)), _BOTH),
    ),
    same=nearly_equal,
)


# The winner.


def _length(ids: Sequence[int], prompt: int) -> int:
    return TODAY.length_of(len(ids) - 1, has_eos=True, prompt_length=prompt)


def _best_by(
    length: Callable[[Any, int], int] = _length, score: Callable[..., float] = hypothesis_score
) -> Callable[..., Any]:
    """Return a program that selects the best hypothesis by its score, given the functions for its length and score."""
    return lambda hypotheses, prompt, length_penalty: max(
        hypotheses, key=lambda one: score(one[1], length(one[0], prompt), length_penalty)
    )[0]


def _score(hypothesis: tuple[Sequence[int], float], prompt: int, length_penalty: float) -> float:
    ids, total = hypothesis
    return hypothesis_score(total, _length(ids, prompt), length_penalty)


def _hypotheses() -> Strategy:
    """Draw hypotheses such that the best one does not depend on rounding."""

    def of(prompt: int) -> Strategy:
        one = st.tuples(st.integers(0, 4), st.integers(1, 12))
        texts = st.lists(one, min_size=1, max_size=3, unique_by=lambda pair: pair[0])
        made = texts.map(lambda pairs: [([0] * prompt + [5] * n + [1], -halves / 2) for n, halves in pairs])
        return st.tuples(made, st.just(prompt), inputs.sampled(1, 2, 0, -1, 0.5))

    return st.integers(1, 3).flatmap(of).filter(lambda given: has_clear_winner(*given))


def has_clear_winner(hypotheses: Sequence[tuple[Sequence[int], float]], prompt: int, length_penalty: float) -> bool:
    """Return True if the best hypothesis is clearly better than the second.

    >>> has_clear_winner([([0, 1], -1), ([0, 5, 1], -2)], 1, 1)
    False
    """
    scores = sorted((_score(one, prompt, length_penalty) for one in hypotheses), reverse=True)
    return len(scores) < 2 or scores[0] - scores[1] > 1e-6


beam_winner = FunctionCheck(
    _best_by(),
    _hypotheses,
    "The score is the sum divided by the number of generated ids to the power of the penalty. The best score wins.",
    examples=[
        ([([0, 1], -1.0)], 1, 1),
        ([([0, 1], -2.0), ([0, 5, 6, 1], -3.0)], 1, 1),
        ([([0, 1], -2.0), ([0, 5, 6, 1], -3.0)], 1, 0),
        ([([0, 0, 0, 1], -2.0), ([0, 0, 0, 5, 6, 1], -5.0)], 3, 1),
        ([([0, 1], -1.0), ([0, 5, 1], -1.5)], 1, 0.5),
    ],
    wrong=(  # from rarely wrong to mostly wrong: the first one that explains all failures is reported
        (
            _best_by(length=lambda ids, prompt: max(1, _length(ids, prompt) - 1)),
            "The eos was generated as well, so it counts.",
        ),
        (
            _best_by(length=lambda ids, prompt: len(ids) - 1),
            "Today, the length counts the generated ids, with the eos and without the prompt.",
        ),
        (
            _best_by(length=wrong.include_prompt_length),
            f"{rule_of(wrong.include_prompt_length)} The prompt was not generated.",
        ),
        (_best_by(score=wrong.highest_sum_wins), wrong.highest_sum_wins),
        (
            _best_by(score=lambda total, length, penalty: total / length),
            "The length is raised to the power of the penalty.",
        ),
        (
            _best_by(score=lambda total, length, penalty: total / (penalty * length or 1)),
            "The length is raised to the power of the penalty, not multiplied by it.",
        ),
        (_best_by(score=wrong.penalty_sign), wrong.penalty_sign),
        (
            _best_by(score=lambda *given: -hypothesis_score(*given)),
            "The highest score wins. All scores are negative, so it is the score closest to 0.",
        ),
        (
            lambda hypotheses, prompt, length_penalty: max(_score(one, prompt, length_penalty) for one in hypotheses),
            "Return the ids of the winner, not its score.",
        ),
    ),
)


# Finding a bug.

SUMS, EOS = (0.0, -1.0), 1


def _unusable_rows(my_rows: Any) -> str:
    if not isinstance(my_rows, list | tuple) or len(my_rows) != len(SUMS):
        return "Write a list of two rows, one for each beam, such as [[-1, -2, -3], [-1, -2, -3]]."
    for row in my_rows:
        if not isinstance(row, list | tuple) or not 1 < len(row) <= 64 or not all(map(is_number, row)):
            return "Write each row as a list of at least two numbers, one for each token."
        if len(row) != len(my_rows[0]):
            return "Write rows of the same length, because both beams have the same vocabulary."
        if max(row) > 0:
            return "A log-probability is never above 0. Write negative numbers."
    return ""


def _living(program: Any, rows: Matrix) -> tuple[str, ...]:
    """Describe the beams that continue; the only id of each beam is its index."""
    living, _ = program([[beam] for beam in range(len(SUMS))], top_candidates(SUMS, rows), EOS)
    return tuple(f"beam {beam} with token {token}" for (beam, token), _ in living)


bug_in_number = BugCheck(
    program=wrong.top_k_only,
    right=select_beams,
    input_problem=_unusable_rows,
    example=([[-3, -0.5, -1], [-2, -4, -5]],),
    use=_living,
)
