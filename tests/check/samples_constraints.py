"""Lesson 19: right programs in three styles, wrong ones with their rules, answers, and inputs that show the bug."""

from __future__ import annotations

from collections import Counter
from itertools import zip_longest
from typing import Any

from tokenlab.misconceptions import constraints as wrong
from tokenlab.misconceptions.catalog import rule_of


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


def bank_1(lengths: Any, done: Any) -> Any:
    longest, bank = max(lengths), 0
    for length, matched in zip(lengths, done, strict=True):
        if matched:
            bank += longest - (length - matched)
    return bank


def bank_2(lengths: Any, done: Any) -> Any:
    pairs = list(zip(lengths, done, strict=True))
    complete = sum(length == matched for length, matched in pairs)
    missing = [length - matched for length, matched in pairs if 0 < matched < length]
    return complete * max(lengths) + sum(max(lengths) - left for left in missing)


def bank_3(lengths: Any, done: Any) -> Any:
    begun = [place for place in range(len(done)) if done[place]]
    return max(lengths) * len(begun) - sum(lengths[place] - done[place] for place in begun)


VARIANTS: dict[str, tuple[Any, ...]] = {
    "bank_number": (bank_1, bank_2, bank_3),
    "penalized_logits": (lowered_1, lowered_2, lowered_3),
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
    "bank_number": [
        (wrong.count_generated_tokens, "does not count its matched tokens", 20),
        (lambda lengths, done: max(lengths) * sum(map(int.__eq__, lengths, done)), "in progress counts as well", 20),
        (lambda lengths, done: sum(done), "not its own length", 20),
    ],
    "penalized_logits": [
        (wrong.penalize_once, rule_of(wrong.penalize_once), 20),
        (wrong.penalize_by_division, rule_of(wrong.penalize_by_division), 20),
        (lambda scores, chosen, penalty: lowered_1(scores, chosen, -penalty), "Chosen ids become less probable", 20),
        (lambda scores, chosen, penalty: [s - penalty * len(chosen) for s in scores], "only on how often this", 20),
        (
            lambda scores, chosen, penalty: [s for id, s in enumerate(scores) if id not in chosen],
            "Every id keeps its position",
            20,
        ),
        (wrong.no_diversity_penalty, "Subtract the penalty once for each time an id was chosen", 20),
        (wrong.ban_previous_tokens, rule_of(wrong.ban_previous_tokens), 20),
    ],
    "forbidden_next": [
        (wrong.ban_every_token, rule_of(wrong.ban_every_token), 20),
        (wrong.ban_first_token, rule_of(wrong.ban_first_token), 20),
        (wrong.ban_last_token, rule_of(wrong.ban_last_token), 20),
        (lambda written, bad: forbidden_1(written, bad) if written else [], "also at the start", 10),
        (lambda written, bad: {w[-1] for w in bad if {*w[:-1]} <= {*written}}, "before the last one, in order", 20),
        (lambda written, bad: {w[-1] for w in bad if w[-2:-1] in ([], written[-1:])}, "All other tokens of the", 20),
        (lambda written, bad: {w[-1] for w in bad if w[:-1] == written[1 - len(w) :]}, "is always forbidden.", 10),
    ],
    "phrase_progress": [
        (wrong.restart_with_breaking_token, "Do not try the interrupting token", 20),
        (wrong.ignore_interruptions, "Any other token interrupts the phrase", 20),
        (wrong.progress_from_suffix, rule_of(wrong.progress_from_suffix), 20),
        (_begins_anew, "A completed phrase stays complete.", 20),
        (lambda phrase, tokens: len(phrase) - progress_1(phrase, tokens), "not of missing ones", 10),
        (lambda phrase, tokens: progress_1(phrase, tokens) == len(phrase), "Return a number", 20),
    ],
    "bank_order": [
        (wrong.rank_by_score_only, "The score only decides the order within a bank", 20),
        (wrong.fullest_bank_first, "after all other banks have selected one", 25),
        (lambda banks, scores: order_1([-bank for bank in banks], scores), "have made the most", 20),
        (lambda banks, scores: order_1(banks, [-score for score in scores]), "A score closer to 0 is better", 20),
        (lambda banks, scores: [scores[place] for place in order_1(banks, scores)], "Return the indices", 10),
        (_one_round, "Continue with further rounds", 20),
    ],
}  # fmt: skip

CAUGHT = {
    **{name: ("forbidden_next", getattr(wrong, name)) for name in (
        "ban_every_token", "ban_first_token", "ban_last_token")},
    **{name: ("phrase_progress", getattr(wrong, name)) for name in (
        "restart_with_breaking_token", "ignore_interruptions", "progress_from_suffix")},
    "ban_previous_tokens": ("penalized_logits", wrong.ban_previous_tokens),
    "no_diversity_penalty": ("penalized_logits", wrong.no_diversity_penalty),
    "penalize_all_steps": (
        "penalized_logits",
        lambda scores, chosen, penalty: wrong.penalize_all_steps(scores, [[0], chosen], penalty),
    ),
    "penalize_once": ("penalized_logits", wrong.penalize_once),
    "penalize_by_division": ("penalized_logits", wrong.penalize_by_division),
    "rank_by_score_only": ("bank_order", wrong.rank_by_score_only),
    "fullest_bank_first": ("bank_order", wrong.fullest_bank_first),
}  # fmt: skip
_PIECES = ["tea", "▁tea", "te", "a", "▁te", "▁"]
ANSWERED = {
    "count_generated_tokens": (
        "banks_by_hand",
        ([wrong.count_generated_tokens([3, 2], done) for done in ([0, 1], [3, 1], [2, 0], [0, 0])], [1, 2, 3, 0]),
    ),
    "ban_one_tokenization": ("tokenizations_counted", (len(wrong.ban_one_tokenization("tea", _PIECES)),)),
}

RIGHT: dict[str, tuple[Any, ...]] = {
    "banks_by_hand": ([2, 5, 2, 0], [1, 2, 3, 0]),
    "groups_in_turn": ([0, 1, 0], -3),
    "tokenizations_counted": (6,),
}
NOT_RIGHT: list[tuple[str, tuple[Any, ...], str]] = [
    ("banks_by_hand", ([1, 4, 2, 0], [1, 2, 3, 0]), "The list of banks is not [1, 4, 2, 0]."),
    ("banks_by_hand", (None, [1, 2, 3, 0]), "The list of banks is not None."),
    ("banks_by_hand", ([2, 5, 2, 0], [1, 2, 0, 3]), "The order of the candidates is not [1, 2, 0, 3]."),
    ("banks_by_hand", ([2, 5, 2, 0], [3, 2, 0, 1]), "The order of the candidates is not [3, 2, 0, 1]."),
    ("groups_in_turn", ([0, 0, 0], -3), "The list of choices of the groups is not [0, 0, 0]."),
    ("groups_in_turn", ([0, 1, 2], -3), "The list of choices of the groups is not [0, 1, 2]."),
    ("groups_in_turn", ([0, 1, 0], -1), "The third group's score is not -1."),
    ("groups_in_turn", (None, -3), "The list of choices of the groups is not None."),
    ("tokenizations_counted", (2,), "The number of tokenizations is not 2."),
    ("tokenizations_counted", ("6",), "The number of tokenizations is not '6'."),
]

SHOWS: dict[Any, list[tuple[Any, ...]]] = {
    wrong.fullest_bank_first: [([0, 3, 0, 3], [-1, -5, -2, -4]), ((2, 2, 1), (-1.5, -2, -3))],
    wrong.ban_one_tokenization: [("ab", ["ab", "▁ab"]), ("ab", ["a", "b", "ab"]), ("aaa", ("a", "aa"))],
}
DOES_NOT: dict[Any, list[tuple[Any, ...]]] = {
    wrong.fullest_bank_first: [([1, 0], [-3, -2]), ([1, 0, 0], [-1, -2, -3]), ([2, 1], [-1, -9])],
    wrong.ban_one_tokenization: [("London", ["London"]), ("ab", ["▁ab", "a"]), ("ab", ("a", "b", "c"))],
}
