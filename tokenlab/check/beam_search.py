"""The checks of lesson 17: candidates of all beams, what becomes of them, and which hypothesis wins."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from tokenlab.algorithms import beam_candidates as choosing
from tokenlab.algorithms.attention_head import Matrix
from tokenlab.algorithms.beam_candidates import Candidate, best_candidates, first_sums
from tokenlab.algorithms.beam_search import EXAMPLE, Stepped
from tokenlab.algorithms.beam_search import beam_search as search
from tokenlab.algorithms.beam_step import Beam, sift
from tokenlab.algorithms.hypothesis_score import hypothesis_score, written_length
from tokenlab.check import inputs
from tokenlab.check.answers import AnswerCheck, BugCheck
from tokenlab.check.functions import FunctionCheck
from tokenlab.check.t5_attention import is_number
from tokenlab.check.traces import close
from tokenlab.misconceptions import beam_search as wrong
from tokenlab.misconceptions import rule_of
from tokenlab.steps import Recording, stepwise

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

# By hand.


@stepwise
def two_steps() -> Generator[Any, None, None]:
    """The first two steps of two beams: in each of them a text ends, and the search goes on."""
    yield from islice(search.steps(EXAMPLE.__getitem__, start=(0,), beams=2, eos=1, longest=4), 2)


def _found(recording: Recording[Stepped, None]) -> tuple[Any, ...]:
    first, second = recording
    [(ids, total)] = second.ended
    living = (tuple(ids for ids, _ in step.living) for step in (first, second))
    return (*living, hypothesis_score(total, len(ids), 1.0), second.done)


beams_by_hand = AnswerCheck(
    recording=two_steps.record,
    answers=_found,
    names=(
        "What lives on after the first step",
        "What lives on after the second step",
        "The score of what ends in the second step",
        "Whether the search is over",
    ),
    rules=(
        f"{rule_of(wrong.no_neg_inf_seed)} {rule_of(wrong.top_k_only)}",
        f"{rule_of(wrong.no_reorder)} {rule_of(wrong.top_k_only)}",
        f"{rule_of(wrong.penalty_sign)} Here the start counts, and the end does not.",
        rule_of(wrong.stop_when_k_finished),
    ),
)


# Candidates.


def candidates_of(sums: Sequence[float], rows: Matrix) -> tuple[tuple[int, int, float], ...]:
    """The best of all beams with all tokens, twice as many as there are beams, best first: (beam, token, sum).

    >>> candidates_of([-1], [[-1, -2, -3]])
    ((0, 0, -2), (0, 1, -3))
    """
    return tuple((beam, token, total) for beam, token, total in best_candidates(sums, rows))


def _sums_and_rows() -> SearchStrategy[Any]:
    """No two sums of candidates are equal, and no log-probability is above 0."""
    from hypothesis import strategies as st

    def of(size: tuple[int, int]) -> SearchStrategy[Any]:
        beams, tokens = size
        sums = st.lists(st.integers(0, 4).map(lambda n: -n), min_size=beams, max_size=beams)
        totals = st.lists(
            st.integers(4, 30).map(lambda n: -n), min_size=beams * tokens, max_size=beams * tokens, unique=True
        )
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
    """All candidates, best first."""
    every = ((b, t, sums[b] + row[t]) for b, row in enumerate(rows) for t in range(len(row)))
    return sorted(every, key=lambda candidate: -candidate[2])


def _of_each_beam(sums: Sequence[float], rows: Matrix) -> list[tuple[int, int, float]]:
    each = ([one for one in _everything(sums, rows) if one[0] == beam][:2] for beam in range(len(sums)))
    return sorted((one for two in each for one in two), key=lambda candidate: -candidate[2])


def _this_step_alone(sums: Sequence[float], rows: Matrix) -> list[tuple[int, int, float]]:
    return [*_everything([0] * len(sums), rows)][: 2 * len(sums)]


def _best_alone(sums: Sequence[float], rows: Matrix) -> list[tuple[int, int, float]]:
    best = max(range(len(sums)), key=lambda beam: sums[beam])
    return [one for one in _everything(sums, rows) if one[0] == best][: 2 * len(sums)]


def _by_the_beams(sums: Sequence[float], rows: Matrix) -> list[tuple[int, int, float]]:
    """Split the place by the number of beams, not by that of the tokens."""
    places = ((beam * len(rows[0]) + token, total) for beam, token, total in candidates_of(sums, rows))
    return [(*divmod(place, len(sums)), total) for place, total in places]


def _not_split(sums: Sequence[float], rows: Matrix) -> list[tuple[int, int, float]]:
    return [(beam, beam * len(rows[0]) + token, total) for beam, token, total in candidates_of(sums, rows)]


_FORM = "Each candidate is (beam, token, sum): from which beam it goes on, with which token, and the sum of both."

beam_candidates = FunctionCheck(
    candidates_of,
    _sums_and_rows,
    "Every beam is tried with every token; of all these the best are taken, twice as many as there are beams.",
    examples=[
        ([0], [[-1, -2]]),
        ([-1], [[-3, -1, -2]]),
        ([0, -3], [[-1, -4, -3], [-2.5, -2, -9]]),
        ([*first_sums(2)], [[-1, -2, -3, -5], [-1, -2, -3, -5]]),
    ],
    wrong=(
        (
            lambda sums, rows: candidates_of(sums, rows)[: len(sums)],
            rule_of(wrong.top_k_only),
        ),
        (lambda sums, rows: [(token, beam, total) for beam, token, total in candidates_of(sums, rows)], _FORM),
        (lambda sums, rows: [(beam, token, rows[beam][token]) for beam, token, _ in candidates_of(sums, rows)], _FORM),
        (_this_step_alone, "It is sums that compete: what a beam has by now, and what the token adds."),
        (_of_each_beam, "All candidates compete with each other; a good beam may have more of the best than another."),
        (_best_alone, "The candidates of all beams compete, not those of the best beam alone."),
        (
            lambda sums, rows: _everything(sums, rows)[::-1][: 2 * len(sums)],
            "The best come first; a sum nearer to zero is better.",
        ),
        (lambda sums, rows: candidates_of(sums, rows)[::-1], "The best come first; a sum nearer to zero is better."),
        (_everything, "No more candidates are taken than twice the number of beams."),
        (_by_the_beams, "In one long list each beam has as many places as there are tokens: divide by that number."),
        (
            _not_split,
            "A place in one long list is no token: what is left when it is divided by the number of tokens is.",
        ),
    ),
    same=close,
)


# A step.


def step_of(
    beams: Sequence[Sequence[int]], candidates: Sequence[tuple[int, int, float]], eos: int
) -> tuple[tuple[Beam, ...], tuple[Beam, ...]]:
    """What lives on, as many as there are beams, and what ends; each with its ids and its sum, best first.

    >>> step_of([[0]], [(0, 1, -1), (0, 7, -2)], 1)
    ((((0, 7), -2),), (((0,), -1),))
    """
    return sift(beams, [Candidate(*candidate) for candidate in candidates], eos)


def _beams_and_candidates() -> SearchStrategy[Any]:
    """Beams that differ, and twice as many candidates, each beam's ending among them at most once."""
    from hypothesis import strategies as st

    tokens = (7, 1, 8)

    def of(beams: int) -> SearchStrategy[Any]:
        texts = [[0, 5 + beam] for beam in range(beams)]
        every = [(beam, token) for beam in range(beams) for token in tokens]
        chosen = st.lists(st.sampled_from(every), min_size=2 * beams, max_size=2 * beams, unique=True)
        ranked = chosen.map(lambda pairs: [(*pair, -rank) for rank, pair in enumerate(pairs, start=1)])
        return inputs.several(st.just(texts), ranked, inputs.one_of(1, 8))

    return st.integers(1, 3).flatmap(of)


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


def _endings_forgotten(beams: Sequence[Any], candidates: Sequence[Any], eos: int) -> tuple[Any, Any]:
    return step_of(beams, candidates, eos)[0], []


_BOTH = "Return a pair: a list of what lives on and a list of what ends, each with (ids, sum)."
_TOO_LOW = "An ending counts only if it is among the best candidates, as many as there are beams."

beam_step = FunctionCheck(
    step_of,
    _beams_and_candidates,
    "The best candidates that do not end live on, as many as there are beams; an ending among the best, as many as "
    "there are beams, is finished: with its parent's ids, and without the end itself.",
    examples=[
        ([[0]], [(0, 7, -1), (0, 8, -2)], 1),
        ([[0]], [(0, 1, -1), (0, 7, -2)], 1),
        ([[0]], [(0, 7, -1), (0, 1, -2)], 1),
        ([[0, 5], [0, 6]], [(1, 7, -1), (0, 1, -2), (1, 8, -3), (0, 7, -4)], 1),
    ],
    wrong=(
        (
            lambda beams, candidates, eos: wrong.top_k_only(beams, [Candidate(*one) for one in candidates], eos),
            rule_of(wrong.top_k_only),
        ),
        (
            lambda beams, candidates, eos: wrong.eos_stays_alive(beams, [Candidate(*one) for one in candidates], eos),
            rule_of(wrong.eos_stays_alive),
        ),
        (
            lambda beams, candidates, eos: wrong.no_reorder(beams, [Candidate(*one) for one in candidates], eos),
            rule_of(wrong.no_reorder),
        ),
        (_too_low, _TOO_LOW),
        (_too_many, "No more live on than there are beams; the rest of the candidates find no room."),
        (_with_the_end, "What ends is given without the end: its ids are its parent's."),
        (_token_alone, rule_of(wrong.no_reorder)),
        (_endings_forgotten, "What ends is kept, too: it may win."),
        (lambda beams, candidates, eos: step_of(beams, candidates, eos)[::-1], _BOTH),
        (lambda beams, candidates, eos: step_of(beams, candidates, eos)[0], _BOTH),
        (
            lambda beams, candidates, eos: tuple([ids for ids, _ in part] for part in step_of(beams, candidates, eos)),
            _BOTH,
        ),
    ),
    same=close,
)


# The winner.


def winner_of(hypotheses: Sequence[tuple[Sequence[int], float]], prompt: int, length_penalty: float) -> tuple[int, ...]:
    """The ids of the best: its sum over a power of the length of what was written, the end included.

    >>> winner_of([([0, 1], -2), ([0, 5, 6, 1], -3)], 1, 1)
    (0, 5, 6, 1)
    """
    return tuple(max(hypotheses, key=lambda one: _score(one, prompt, length_penalty))[0])


def _score(hypothesis: tuple[Sequence[int], float], prompt: int, length_penalty: float) -> float:
    ids, total = hypothesis
    return hypothesis_score(total, written_length(ids, prompt), length_penalty)


def _hypotheses() -> SearchStrategy[Any]:
    """The best is never best by rounding alone."""
    from hypothesis import strategies as st

    def of(prompt: int) -> SearchStrategy[Any]:
        one = st.tuples(st.integers(0, 4), st.integers(1, 12))
        texts = st.lists(one, min_size=1, max_size=3, unique_by=lambda pair: pair[0])
        made = texts.map(lambda pairs: [([0] * prompt + [5] * n + [1], -halves / 2) for n, halves in pairs])
        return inputs.several(made, st.just(prompt), inputs.one_of(1, 2, 0, -1, 0.5))

    return st.integers(1, 3).flatmap(of).filter(lambda given: is_clear(*given))


def is_clear(hypotheses: Sequence[tuple[Sequence[int], float]], prompt: int, length_penalty: float) -> bool:
    """Whether the best is clearly better than the second.

    >>> is_clear([([0, 1], -1), ([0, 5, 1], -2)], 1, 1)
    False
    """
    scores = sorted((_score(one, prompt, length_penalty) for one in hypotheses), reverse=True)
    return len(scores) < 2 or scores[0] - scores[1] > 1e-6


def _by(score: Any) -> Any:
    """A program that takes the best by another score, of a hypothesis, the prompt and the penalty."""
    return lambda hypotheses, prompt, length_penalty: max(
        hypotheses, key=lambda one: score(*one, prompt, length_penalty)
    )[0]


def _punished(ids: Sequence[int], total: float, prompt: int, length_penalty: float) -> float:
    return wrong.penalty_sign(total, written_length(ids, prompt), length_penalty)


def _not_divided(ids: Sequence[int], total: float, prompt: int, length_penalty: float) -> float:
    return wrong.highest_sum_wins(total, written_length(ids, prompt), length_penalty)


def _whole_length(ids: Sequence[int], total: float, prompt: int, length_penalty: float) -> float:
    return hypothesis_score(total, wrong.include_prompt_length(ids, prompt), length_penalty)


def _end_not_counted(ids: Sequence[int], total: float, prompt: int, length_penalty: float) -> float:
    return hypothesis_score(total, max(1, written_length(ids, prompt) - 1), length_penalty)


def _end_swapped(ids: Sequence[int], total: float, prompt: int, length_penalty: float) -> float:
    return hypothesis_score(total, len(ids) - 1, length_penalty)


beam_winner = FunctionCheck(
    winner_of,
    _hypotheses,
    "The score is the sum over the length of what was written, to the power of the penalty; the highest score wins.",
    examples=[
        ([([0, 1], -1.0)], 1, 1),
        ([([0, 1], -2.0), ([0, 5, 6, 1], -3.0)], 1, 1),
        ([([0, 1], -2.0), ([0, 5, 6, 1], -3.0)], 1, 0),
        ([([0, 0, 0, 1], -2.0), ([0, 0, 0, 5, 6, 1], -5.0)], 3, 1),
        ([([0, 1], -1.0), ([0, 5, 1], -1.5)], 1, 0.5),
    ],
    wrong=(  # from those that are rarely wrong to those that mostly are: the first that explains it all is told
        (_by(_end_not_counted), "The end was written, too: it counts."),
        (
            _by(_end_swapped),
            "Today the length is that of what was written: the prompt does not count, and the end does.",
        ),
        (_by(_whole_length), f"{rule_of(wrong.include_prompt_length)} What stood there before was not written."),
        (_by(_not_divided), rule_of(wrong.highest_sum_wins)),
        (
            _by(lambda ids, total, prompt, penalty: total / written_length(ids, prompt)),
            "The length is taken to the power of the penalty.",
        ),
        (
            _by(lambda ids, total, prompt, penalty: total / (penalty * written_length(ids, prompt) or 1)),
            "The length is taken to the power of the penalty, not multiplied by it.",
        ),
        (_by(_punished), rule_of(wrong.penalty_sign)),
        (
            lambda hypotheses, prompt, length_penalty: min(
                hypotheses, key=lambda one: _score(one, prompt, length_penalty)
            )[0],
            "The highest score wins; all are negative, so it is the one nearest to zero.",
        ),
        (
            lambda hypotheses, prompt, length_penalty: max(_score(one, prompt, length_penalty) for one in hypotheses),
            "What is asked for is the ids of the winner, not its score.",
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
            return "Write rows of the same length: both beams choose among the same tokens."
        if max(row) > 0:
            return "A log-probability is never above 0; write negative numbers."
    return ""


def _living(step: Any, rows: Matrix) -> tuple[str, ...]:
    """What lives on, in words: each beam's text is its own number."""
    living, _ = step([[beam] for beam in range(len(SUMS))], choosing.best_candidates(SUMS, rows), EOS)
    return tuple(f"beam {beam} with token {token}" for (beam, token), _ in living)


bug_in_number = BugCheck(
    wrong=lambda my_rows: _living(wrong.top_k_only, my_rows),
    right=lambda my_rows: _living(sift, my_rows),
    needs=_unusable_rows,
    rule=rule_of(wrong.top_k_only),
    example=([[-3, -0.5, -1], [-2, -4, -5]],),
)
