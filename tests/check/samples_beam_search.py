"""Lesson 18: right programs in three styles, wrong ones with their rules, answers, and inputs that show the bug."""

from __future__ import annotations

import heapq
from operator import itemgetter
from typing import Any

from tokenlab.algorithms.decoding.beam_search import Candidate
from tokenlab.misconceptions import beam_search as wrong
from tokenlab.misconceptions.catalog import rule_of


def candidates_1(sums: Any, rows: Any) -> Any:
    flat = [total + log_probability for total, row in zip(sums, rows, strict=True) for log_probability in row]
    best = sorted(range(len(flat)), key=lambda place: -flat[place])[: 2 * len(sums)]
    return [(place // len(rows[0]), place % len(rows[0]), flat[place]) for place in best]


def candidates_2(sums: Any, rows: Any) -> Any:
    found = []
    for beam in range(len(sums)):
        for token, log_probability in enumerate(rows[beam]):
            found.append((beam, token, sums[beam] + log_probability))
    found.sort(key=itemgetter(2), reverse=True)
    return found[: len(sums) * 2]


def candidates_3(sums: Any, rows: Any) -> Any:
    import numpy as np

    totals = np.array(sums, dtype=float)[:, None] + np.array(rows, dtype=float)
    best = np.argsort(-totals.ravel())[: 2 * len(sums)]
    beams, tokens = np.unravel_index(best, totals.shape)
    return list(zip(beams.tolist(), tokens.tolist(), totals.ravel()[best].tolist(), strict=True))


def step_1(beams: Any, candidates: Any, eos: Any) -> Any:
    living, ended = [], []
    for rank, (beam, token, total) in enumerate(candidates):
        if token == eos:
            if rank < len(beams):
                ended.append((beams[beam], total))
        elif len(living) < len(beams):
            living.append(([*beams[beam], token], total))
    return living, ended


def step_2(beams: Any, candidates: Any, eos: Any) -> Any:
    going_on = [one for one in candidates if one[1] != eos][: len(beams)]
    over = [one for one in candidates[: len(beams)] if one[1] == eos]
    return [(beams[b] + [t], s) for b, t, s in going_on], [(beams[b], s) for b, t, s in over]


def step_3(beams: Any, candidates: Any, eos: Any) -> Any:
    parts: Any = ([], [])
    for rank, (beam, token, total) in enumerate(candidates):
        ends = token == eos
        if ends and rank >= len(beams):
            continue
        parts[ends].append((tuple(beams[beam]) + (token,) * (not ends), total))
    return parts[0][: len(beams)], parts[1]


def winner_1(hypotheses: Any, prompt: Any, length_penalty: Any) -> Any:
    best, best_score = None, None
    for ids, total in hypotheses:
        score = total / (len(ids) - prompt) ** length_penalty
        if best_score is None or score > best_score:
            best, best_score = ids, score
    return best


def winner_2(hypotheses: Any, prompt: Any, length_penalty: Any) -> Any:
    return max(hypotheses, key=lambda one: one[1] / len(one[0][prompt:]) ** length_penalty)[0]


def winner_3(hypotheses: Any, prompt: Any, length_penalty: Any) -> Any:
    scored = [(-total * (len(ids) - prompt) ** -length_penalty, tuple(ids)) for ids, total in hypotheses]
    return heapq.nsmallest(1, scored)[0][1]


VARIANTS: dict[str, tuple[Any, ...]] = {
    "beam_candidates": (candidates_1, candidates_2, candidates_3),
    "beam_step": (step_1, step_2, step_3),
    "beam_winner": (winner_1, winner_2, winner_3),
}


def _every(sums: Any, rows: Any) -> Any:
    every = [(b, t, sums[b] + rows[b][t]) for b in range(len(rows)) for t in range(len(rows[0]))]
    return sorted(every, key=lambda one: -one[2])


def _two_of_each(sums: Any, rows: Any) -> Any:
    taken = [one for beam in range(len(sums)) for one in [e for e in _every(sums, rows) if e[0] == beam][:2]]
    return sorted(taken, key=lambda one: -one[2])


def _rows_alone(sums: Any, rows: Any) -> Any:
    return candidates_1([0] * len(sums), rows)


def _split_by_beams(sums: Any, rows: Any) -> Any:
    flat = [total + log_probability for total, row in zip(sums, rows, strict=True) for log_probability in row]
    best = sorted(range(len(flat)), key=lambda place: -flat[place])[: 2 * len(sums)]
    return [(place // len(sums), place % len(sums), flat[place]) for place in best]


def _unsplit(sums: Any, rows: Any) -> Any:
    flat = [total + log_probability for total, row in zip(sums, rows, strict=True) for log_probability in row]
    best = sorted(range(len(flat)), key=lambda place: -flat[place])[: 2 * len(sums)]
    return [(place // len(rows[0]), place, flat[place]) for place in best]


def _best_beam(sums: Any, rows: Any) -> Any:
    best = sums.index(max(sums))
    return [one for one in _every(sums, rows) if one[0] == best][: 2 * len(sums)]


def _ends_late(beams: Any, candidates: Any, eos: Any) -> Any:
    return step_1(beams, candidates, eos)[0], [(beams[b], s) for b, t, s in candidates if t == eos]


def _all_go_on(beams: Any, candidates: Any, eos: Any) -> Any:
    return [(beams[b] + [t], s) for b, t, s in candidates if t != eos], step_1(beams, candidates, eos)[1]


def _written_end(beams: Any, candidates: Any, eos: Any) -> Any:
    living, ended = step_1(beams, candidates, eos)
    return living, [([*ids, eos], total) for ids, total in ended]


def _in_place(beams: Any, candidates: Any, eos: Any) -> Any:
    """Each row goes on with what was written last in the same row."""
    living, ended = step_1(beams, candidates, eos)
    return [([*beam, ids[-1]], total) for beam, (ids, total) in zip(beams, living, strict=True)], ended


def _top_k(beams: Any, candidates: Any, eos: Any) -> Any:
    return step_1(beams, candidates[: len(beams)], eos)


def _end_goes_on(beams: Any, candidates: Any, eos: Any) -> Any:
    return [(beams[b] + [t], s) for b, t, s in candidates[: len(beams)]], []


def _wins(score: Any) -> Any:
    def winner(hypotheses: Any, prompt: Any, length_penalty: Any) -> Any:
        return max(hypotheses, key=lambda one: score(one[1], len(one[0]), prompt, length_penalty))[0]

    return winner


_PUNISHED = _wins(lambda total, length, prompt, penalty: wrong.penalty_sign(total, length - prompt, penalty))
_WITH_PROMPT = _wins(lambda total, length, prompt, penalty: total / length**penalty)

WRONG: dict[str, list[tuple[Any, str, int]]] = {
    "beam_candidates": [
        (lambda sums, rows: candidates_1(sums, rows)[: len(sums)], rule_of(wrong.top_k_only), 25),
        (lambda sums, rows: [(t, b, s) for b, t, s in candidates_1(sums, rows)], "Each candidate is (beam, token", 25),
        (lambda sums, rows: [(b, t, rows[b][t]) for b, t, _ in candidates_1(sums, rows)], "its sum of log-prob", 25),
        (_rows_alone, "plus the log-probability of its token", 25),
        (_two_of_each, "A beam may have more of the best ones", 60),
        (_best_beam, "not only those of the best beam", 50),
        (lambda sums, rows: _every(sums, rows)[::-1][: 2 * len(sums)], "The best candidates come first", 30),
        (lambda sums, rows: candidates_1(sums, rows)[::-1], "The best candidates come first", 25),
        (_every, "Only the best 2 * beams extended texts", 30),
        (_split_by_beams, "Divide by the number of tokens", 25),
        (_unsplit, "is not a token", 50),
        (lambda sums, rows: [(b, t) for b, t, _ in candidates_1(sums, rows)], "The 2 * beams extended texts", 25),
    ],
    "beam_step": [
        (_top_k, rule_of(wrong.top_k_only), 50),
        (_end_goes_on, rule_of(wrong.eos_keeps_running), 50),
        (_in_place, rule_of(wrong.no_reorder), 100),
        (_ends_late, "An eos counts only among", 50),
        (_all_go_on, "The number of beams stays the same", 50),
        (_written_end, "Its ids are the ids of its parent", 50),
        (lambda beams, *given: ([([x[-1]], s) for x, s in step_1(beams, *given)[0]], step_1(beams, *given)[1]),
         rule_of(wrong.no_reorder), 50),
        (lambda *given: (step_1(*given)[0], []), "one of them may win", 50),
        (lambda *given: step_1(*given)[::-1], "Return a pair", 50),
        (lambda *given: step_1(*given)[0], "Return a pair", 50),
        (lambda *given: [[ids for ids, _ in part] for part in step_1(*given)], "each with (ids, sum)", 50),
    ],
    "beam_winner": [
        (_PUNISHED, rule_of(wrong.penalty_sign), 60),
        (_WITH_PROMPT, "The prompt was not generated", 80),
        (_wins(lambda s, length, prompt, by: s / (length - 1) ** by), "Today, the length counts", 80),
        (_wins(lambda s, length, prompt, by: s / max(1, length - 1 - prompt) ** by), "The eos was generated", 60),
        (_wins(lambda s, length, prompt, by: s), rule_of(wrong.highest_sum_wins), 60),
        (_wins(lambda s, length, prompt, by: s / (length - prompt)), "is raised to the power of the penalty.", 60),
        (_wins(lambda s, length, prompt, by: s / (by * (length - prompt) or 1)), "not multiplied by it", 60),
        (lambda hypotheses, *given: min(hypotheses, key=lambda one: one[1] / (len(one[0]) - given[0]) ** given[1])[0],
         "The highest score wins. All", 60),
        (lambda hypotheses, prompt, by: max(s / (len(ids) - prompt) ** by for ids, s in hypotheses), "not its score",
         40),
    ],
}  # fmt: skip


def _listed(program: Any) -> Any:
    return lambda beams, candidates, eos: program(beams, [Candidate(*one) for one in candidates], eos)


CAUGHT = {
    "top_k_only": ("beam_step", _listed(wrong.top_k_only)),
    "eos_keeps_running": ("beam_step", _listed(wrong.eos_keeps_running)),
    "no_reorder": ("beam_step", _listed(wrong.no_reorder)),
    "penalty_sign": ("beam_winner", _PUNISHED),
    "highest_sum_wins": (
        "beam_winner",
        _wins(lambda total, length, prompt, penalty: wrong.highest_sum_wins(total, length - prompt, penalty)),
    ),
    "include_prompt_length": (
        "beam_winner",
        lambda hypotheses, prompt, by: max(
            hypotheses, key=lambda one: one[1] / wrong.include_prompt_length(one[0], prompt) ** by
        )[0],
    ),
}

_ROWS = [[-9.0, -1.5, -1.0, -2.0]] * 2
_FIRST, _SECOND = [[0, 2], [0, 3]], [[0, 3, 2], [0, 2, 2]]
_ALIKE = [[0, token] for _, token, _ in candidates_1(wrong.no_neg_inf_seed(2), _ROWS) if token != 1][:2]
_UNORDERED = [[*beam, last] for beam, (*_, last) in zip(_FIRST, _SECOND, strict=True)]
ANSWERED = {
    "no_neg_inf_seed": ("beams_by_hand", (_ALIKE, _SECOND, -1, False)),
    "top_k_only": ("beams_by_hand", (_FIRST, [[0, 3, 2]], -1, False)),
    "no_reorder": ("beams_by_hand", (_FIRST, _UNORDERED, -1, False)),
    "penalty_sign": ("beams_by_hand", (_FIRST, _SECOND, wrong.penalty_sign(-2, 2, 1), False)),
    "stop_when_k_finished": ("beams_by_hand", (_FIRST, _SECOND, -1, wrong.stop_when_k_finished([-1, -1.5], 2))),
}

RIGHT: dict[str, tuple[Any, ...]] = {"beams_by_hand": (_FIRST, _SECOND, -1, False)}
NOT_RIGHT: list[tuple[str, tuple[Any, ...], str]] = [
    ("beams_by_hand", (((0, 2), 0), _SECOND, -1, False), "The pair of beams after the first step is not ((0, 2), 0)."),
    ("beams_by_hand", ([[0, 1]], _SECOND, -1, False), "The pair of beams after the first step is not [[0, 1]]."),
    ("beams_by_hand", (_FIRST, [[0]], -1, False), "The pair of beams after the second step is not [[0]]."),
    ("beams_by_hand", (_FIRST, _SECOND, -2, False), "The score of the hypothesis of the second step is not -2."),
    ("beams_by_hand", (_FIRST, _SECOND, -1, True), "The answer to “is the search done?” is not True."),
]

SHOWS: dict[Any, list[tuple[Any, ...]]] = {
    wrong.top_k_only: [([[-2, -1, -3], [-4, -5, -6]],), ([[-1, -2, -3], [-4, -0.5, -6]],), (((-1, -1), (-9, -9)),)]
}
DOES_NOT: dict[Any, list[tuple[Any, ...]]] = {
    wrong.top_k_only: [([[-1, -5, -2], [-9, -9, -9]],), ([[-1, -9], [-1, -9]],), ([[-2, -9, -3], [-0.5, -1.5, -1]],)]
}
