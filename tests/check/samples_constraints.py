"""Lesson 18: right programs in three styles, wrong ones with their rules, answers, and inputs that show the bug."""

from __future__ import annotations

from collections import Counter
from itertools import zip_longest
from typing import Any

from tokenlab.misconceptions import constraints as wrong
from tokenlab.misconceptions import rule_of


def lowered_1(scores: Any, chosen: Any, penalty: Any) -> Any:
    return [score - penalty * chosen.count(id) for id, score in enumerate(scores)]


def lowered_2(scores: Any, chosen: Any, penalty: Any) -> Any:
    left = list(scores)
    for id in chosen:
        left[id] -= penalty
    return left


def lowered_3(scores: Any, chosen: Any, penalty: Any) -> Any:
    import numpy as np

    counts = np.bincount(np.array(chosen, dtype=int), minlength=len(scores))
    return tuple((np.array(scores) - penalty * counts).tolist())


def forbidden_1(written: Any, bad_words: Any) -> Any:
    forbidden = set()
    for word in bad_words:
        length = len(word) - 1
        if length <= len(written) and written[len(written) - length :] == word[:-1]:
            forbidden.add(word[-1])
    return forbidden


def forbidden_2(written: Any, bad_words: Any) -> Any:
    places = range(len(written) + 1)
    return sorted({last for *start, last in bad_words if any(list(written[place:]) == start for place in places)})


def forbidden_3(written: Any, bad_words: Any) -> Any:
    def ends(id: Any) -> bool:
        return any([*written, id][-len(word) :] == word for word in bad_words)

    return [id for id in sorted({word[-1] for word in bad_words}) if ends(id)] * 1


def progress_1(phrase: Any, tokens: Any) -> Any:
    done = 0
    for token in tokens:
        if done == len(phrase):
            return done
        if token == phrase[done]:
            done += 1
        else:
            done = 0
    return done


def progress_2(phrase: Any, tokens: Any) -> Any:
    waiting = list(phrase)
    for token in tokens:
        if not waiting:
            break
        expected = waiting.pop(0)
        if token != expected:
            waiting = list(phrase)
    return len(phrase) - len(waiting)


def progress_3(phrase: Any, tokens: Any, done: Any = 0) -> Any:
    if done == len(phrase) or not tokens:
        return done
    return progress_3(phrase, tokens[1:], done + 1 if tokens[0] == phrase[done] else 0)


def order_1(banks: Any, scores: Any) -> Any:
    left, order = list(range(len(banks))), []
    while left:
        for bank in sorted(set(banks), reverse=True):
            mine = [place for place in left if banks[place] == bank]
            if mine:
                best = max(mine, key=lambda place: scores[place])
                order.append(best)
                left.remove(best)
    return order


def order_2(banks: Any, scores: Any) -> Any:
    """As the library does: sort, count how often the bank came before, sort by that."""
    places = sorted(range(len(banks)), key=lambda place: (banks[place], scores[place]), reverse=True)
    seen: Counter[Any] = Counter()
    turns = {}
    for place in places:
        turns[place] = seen[banks[place]]
        seen[banks[place]] += 1
    return sorted(places, key=turns.__getitem__)


def order_3(banks: Any, scores: Any) -> Any:
    queues = [
        sorted((p for p in range(len(banks)) if banks[p] == bank), key=lambda p: -scores[p])
        for bank in sorted({*banks}, reverse=True)
    ]
    return tuple(place for turn in zip_longest(*queues) for place in turn if place is not None)


VARIANTS: dict[str, tuple[Any, ...]] = {
    "lowered": (lowered_1, lowered_2, lowered_3),
    "forbidden_next": (forbidden_1, forbidden_2, forbidden_3),
    "phrase_progress": (progress_1, progress_2, progress_3),
    "bank_order": (order_1, order_2, order_3),
}


def _begins_anew(phrase: Any, tokens: Any) -> Any:
    done = 0
    for token in tokens:
        done = done + 1 if done < len(phrase) and token == phrase[done] else 0
    return done


def _one_round(banks: Any, scores: Any) -> Any:
    return order_1(banks, scores)[: len({*banks})]


WRONG: dict[str, list[tuple[Any, str, int]]] = {
    "lowered": [
        (wrong.lowered_once, rule_of(wrong.lowered_once), 20),
        (wrong.lowered_by_division, rule_of(wrong.lowered_by_division), 20),
        (lambda scores, chosen, penalty: lowered_1(scores, chosen, -penalty), "The penalty is subtracted", 20),
        (lambda scores, chosen, penalty: [s - penalty * len(chosen) for s in scores], "what it was chosen for", 20),
        (
            lambda scores, chosen, penalty: [s for id, s in enumerate(scores) if id not in chosen],
            "every id keeps its place",
            20,
        ),
        (wrong.penalty_left_out, "loses the penalty as often as it was chosen", 20),
        (wrong.chosen_is_forbidden, rule_of(wrong.chosen_is_forbidden), 20),
    ],
    "forbidden_next": [
        (wrong.forbid_every_token, rule_of(wrong.forbid_every_token), 20),
        (wrong.forbid_first_token, rule_of(wrong.forbid_first_token), 20),
        (wrong.forbid_last_token, rule_of(wrong.forbid_last_token), 20),
        (lambda written, bad: forbidden_1(written, bad) if written else [], "from the beginning on", 10),
        (lambda written, bad: {w[-1] for w in bad if {*w[:-1]} <= {*written}}, "right before it, in their order", 20),
        (lambda written, bad: {w[-1] for w in bad if w[-2:-1] in ([], written[-1:])}, "All tokens of the word", 20),
        (lambda written, bad: {w[-1] for w in bad if w[:-1] == written[1 - len(w) :]}, "always", 10),
    ],
    "phrase_progress": [
        (wrong.broken_token_tried_again, "is not tried again as its first one", 20),
        (wrong.nothing_breaks, "any other token breaks it", 20),
        (wrong.phrase_at_the_end, rule_of(wrong.phrase_at_the_end), 20),
        (_begins_anew, "it stays whole, whatever comes", 20),
        (lambda phrase, tokens: len(phrase) - progress_1(phrase, tokens), "not how much is left", 10),
        (lambda phrase, tokens: progress_1(phrase, tokens) == len(phrase), "A number is asked for", 20),
    ],
    "bank_order": [
        (wrong.best_scores_first, "The bank decides who comes first", 20),
        (wrong.fullest_bank_first, "waits until all others have sent one", 25),
        (lambda banks, scores: order_1([-bank for bank in banks], scores), "The fullest bank sends first", 20),
        (lambda banks, scores: order_1(banks, [-score for score in scores]), "a score nearer to zero is better", 20),
        (lambda banks, scores: [scores[place] for place in order_1(banks, scores)], "The places of the candidates", 10),
        (_one_round, "until no bank has one left", 20),
    ],
}  # fmt: skip

CAUGHT = {
    **{name: ("forbidden_next", getattr(wrong, name)) for name in (
        "forbid_every_token", "forbid_first_token", "forbid_last_token")},
    **{name: ("phrase_progress", getattr(wrong, name)) for name in (
        "broken_token_tried_again", "nothing_breaks", "phrase_at_the_end")},
    "chosen_is_forbidden": ("lowered", wrong.chosen_is_forbidden),
    "penalty_left_out": ("lowered", wrong.penalty_left_out),
    "earlier_steps_too": (
        "lowered",
        lambda scores, chosen, penalty: wrong.earlier_steps_too(scores, [[0], chosen], penalty),
    ),
    "lowered_once": ("lowered", wrong.lowered_once),
    "lowered_by_division": ("lowered", wrong.lowered_by_division),
    "best_scores_first": ("bank_order", wrong.best_scores_first),
    "fullest_bank_first": ("bank_order", wrong.fullest_bank_first),
}  # fmt: skip
_PIECES = ["tea", "▁tea", "te", "a", "▁te", "▁"]
ANSWERED = {
    "finished_part_alone": ("groups_and_bank", ([0, 1, 0], -3, wrong.finished_part_alone([3, 2], [0, 1]))),
    "one_spelling_only": ("spellings_counted", (len(wrong.one_spelling_only("tea", _PIECES)),)),
}

RIGHT: dict[str, tuple[Any, ...]] = {"groups_and_bank": ([0, 1, 0], -3, 2), "spellings_counted": (6,)}
NOT_RIGHT: list[tuple[str, tuple[Any, ...], str]] = [
    ("groups_and_bank", ([0, 0, 0], -3, 2), "What the groups choose is not [0, 0, 0]."),
    ("groups_and_bank", ([0, 1, 2], -3, 2), "What the groups choose is not [0, 1, 2]."),
    ("groups_and_bank", ([0, 1, 0], -1, 2), "The third group's score is not -1."),
    ("groups_and_bank", ([0, 1, 0], -3, 1), "The bank is not 1."),
    ("groups_and_bank", (None, -3, 2), "What the groups choose is not None."),
    ("spellings_counted", (2,), "The number of spellings is not 2."),
    ("spellings_counted", ("6",), "The number of spellings is not '6'."),
]

SHOWS: dict[Any, list[tuple[Any, ...]]] = {
    wrong.one_spelling_only: [("ab", ["ab", "▁ab"]), ("ab", ["a", "b", "ab"]), ("aaa", ("a", "aa"))],
}
DOES_NOT: dict[Any, list[tuple[Any, ...]]] = {
    wrong.one_spelling_only: [("London", ["London"]), ("ab", ["▁ab", "a"]), ("ab", ("a", "b", "c"))],
}
