"""Programs for assignment 4: wrong ones for each of `tokenlab.misconceptions`, right ones in other styles.

Each is what a learner might write in the cell of its task. It is renamed, and what it calls goes with it.
"""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter
from collections.abc import Callable
from itertools import accumulate, groupby
from typing import Any

Program = Callable[..., Any]

# --- task 1, wrong -------------------------------------------------------------------------------


def softmax(scores):
    powers = [math.exp(score) for score in scores]
    return [power / sum(powers) for power in powers]


def tail_of(scores, lost, least, **other):
    """The places that are dropped, with parts that can be exchanged."""
    probabilities = softmax(scores)
    together = other.get("together", True)
    crossing = other.get("crossing", False)
    gone, dropped = 0.0, set()
    order = sorted(range(len(scores)), key=lambda place: scores[place])
    for _, equal in groupby(order, key=lambda place: scores[place] if together else place):
        equal = list(equal)
        gone += sum(probabilities[place] for place in equal)
        if len(scores) - len(dropped) - len(equal) < least or (gone > lost and not crossing):
            break
        dropped |= set(equal)
        if gone > lost:
            break
    return dropped


def without(scores, dropped, scaled=True):
    probabilities = [0.0 if place in dropped else p for place, p in enumerate(softmax(scores))]
    return [p / sum(probabilities) for p in probabilities] if scaled else probabilities


def exclude_crossing_token(scores, temperature, lost, least):
    warm = [score / temperature for score in scores]
    return without(warm, tail_of(warm, lost, least, crossing=True))


def temperature_last(scores, temperature, lost, least):
    dropped = tail_of(scores, lost, least)
    return without([score / temperature for score in scores], dropped)


def temperature_left_out(scores, temperature, lost, least):
    return without(scores, tail_of(scores, lost, least))


def each_by_itself(scores, temperature, lost, least):
    warm = [score / temperature for score in scores]
    lowest = sorted(scores)[-least]
    return without(warm, {n for n, p in enumerate(softmax(warm)) if p <= lost and scores[n] < lowest})


def best_come_to_lost(scores, temperature, lost, least):
    """Keep the best as long as they come to so much, as if it said what is kept."""
    warm = [score / temperature for score in scores]
    order = sorted(range(len(scores)), key=lambda place: -scores[place])
    sums = accumulate(softmax(warm)[place] for place in order)
    kept = [place for number, (place, total) in enumerate(zip(order, sums)) if total <= lost or number < least]
    return without(warm, {*range(len(scores))} - {*kept})


def one_by_one(scores, temperature, lost, least):
    warm = [score / temperature for score in scores]
    return without(warm, tail_of(warm, lost, least, together=False))


def perhaps_one_alone(scores, temperature, lost, least):
    warm = [score / temperature for score in scores]
    return without(warm, tail_of(warm, lost, 1))


def goes_on_above(scores, temperature, lost, least):
    """Skip what is too heavy, and drop a more probable one that weighs less."""
    probabilities = softmax([score / temperature for score in scores])
    gone, stay, dropped = 0.0, len(scores), set()
    for lowest in sorted(set(scores)):
        places = [place for place, score in enumerate(scores) if score == lowest]
        weight = sum(probabilities[place] for place in places)
        if gone + weight <= lost and stay - len(places) >= least:
            gone, stay = gone + weight, stay - len(places)
            dropped |= {*places}
    return without([score / temperature for score in scores], dropped)


def part_of_equal_ones(scores, temperature, lost, least):
    """Drop as many of the equal ones as may go."""
    warm = [score / temperature for score in scores]
    order = sorted(tail_of(warm, lost, 0), key=lambda place: scores[place])
    return without(warm, {*order[: len(scores) - least]})


def not_scaled(scores, temperature, lost, least):
    warm = [score / temperature for score in scores]
    return without(warm, tail_of(warm, lost, least), scaled=False)


# --- task 2, wrong -------------------------------------------------------------------------------


def less(scores, written, end, cost):
    """The scores, less what a place costs."""
    left = list(scores)
    for place, token in enumerate(written):
        if token != end:
            left[token] -= cost(len(written) - 1 - place)
    return left


def penalize_once(scores, written, penalty, fade, end):
    left = list(scores)
    for token in set(written) - {end}:
        newest = max(place for place in range(len(written)) if written[place] == token)
        left[token] -= penalty * fade ** (len(written) - 1 - newest)
    return left


def divide_all_scores(scores, written, penalty, fade, end):
    """Divide as a penalty for repetition does, and whatever sign the score has."""
    left = list(scores)
    for back, token in enumerate(reversed(written)):
        if token != end:
            left[token] /= 1 + penalty * fade**back
    return left


def all_tokens_pay(scores, written, penalty, fade, end):
    cost = sum(penalty * fade**back for back, token in enumerate(reversed(written)) if token != end)
    return [score if id == end else score - cost for id, score in enumerate(scores)]


def fades_from_the_left(scores, written, penalty, fade, end):
    return less(scores, written, end, lambda back: penalty * fade ** (len(written) - 1 - back))


def never_fades(scores, written, penalty, fade, end):
    return less(scores, written, end, lambda back: penalty)


def fades_at_once(scores, written, penalty, fade, end):
    return less(scores, written, end, lambda back: penalty * fade ** (back + 1))


def fades_by_division(scores, written, penalty, fade, end):
    return less(scores, written, end, lambda back: penalty / (1 + back) if fade < 1 else penalty)


def end_stops_the_fading(scores, written, penalty, fade, end):
    """Pass over the end before the cost fades."""
    return penalty_by_places(scores, [token for token in written if token != end], penalty, fade, end)


def newest_place_for_all(scores, written, penalty, fade, end):
    """Ask for the place with index, which finds the newest one each time."""
    back = written[::-1]
    return penalty_for_each(scores, written, end, lambda token: penalty * fade ** back.index(token))


def oldest_place_for_all(scores, written, penalty, fade, end):
    """Ask for the place with index, which finds the oldest one each time."""
    newest = len(written) - 1
    return penalty_for_each(scores, written, end, lambda token: penalty * fade ** (newest - written.index(token)))


def penalty_for_each(scores, written, end, cost):
    left = list(scores)
    for token in written:
        left[token] -= cost(token) if token != end else 0
    return left


def text_has_a_newest(scores, written, penalty, fade, end):
    """Begin with the last token, as if there were one."""
    newest = written[-1]
    left = less(scores, written[:-1], end, lambda back: penalty * fade ** (back + 1))
    left[newest] -= penalty if newest != end else 0
    return left


def end_pays_too(scores, written, penalty, fade, end):
    return less(scores, written, None, lambda back: penalty * fade**back)


# --- task 3, wrong -------------------------------------------------------------------------------


def step_by(beams, rows, width, ends, **other):
    """A step with parts that can be exchanged."""
    key = other.get("key", lambda one: (-one[0], one[1], one[2]))
    once = other.get("once", lambda candidate, others: candidate[0] not in [ids for ids, _ in others])
    total_of = other.get("total_of", lambda total, score: total + score)
    found = []
    for beam, ((_, total), row) in enumerate(zip(beams, rows)):
        found += [(total_of(total, score), beam, token) for token, score in enumerate(row)]
    found.sort(key=key)
    candidates = []
    for total, beam, token in found:
        candidate = ([*beams[beam][0], token], total)
        if once(candidate, candidates):
            candidates.append(candidate)
    living = [one for one in candidates if one[0][-1] not in ends][:width]
    last = candidates.index(living[-1]) if len(living) == width else len(candidates)
    return living, [one for one in candidates[:last] if one[0][-1] in ends], candidates


def no_neg_inf_seed(beams, rows, width, ends):
    return step_by(beams, rows, width, ends, once=lambda candidate, others: True)[:2]


def first_of_the_same(beams, rows, width, ends):
    """Keep the earliest of the beams that are the same, and not the best."""
    texts = [[*ids] for ids, _ in beams]
    first = [place for place, ids in enumerate(texts) if ids not in texts[:place]]
    return step_by([beams[place] for place in first], [rows[place] for place in first], width, ends)[:2]


def last_of_the_same(beams, rows, width, ends):
    """Let a table forget all but the last of those that are the same."""
    last = {tuple(ids): place for place, (ids, _) in enumerate(beams)}.values()
    return step_by([beams[place] for place in last], [rows[place] for place in last], width, ends)[:2]


def ended_twice(beams, rows, width, ends):
    """Look for the same among those that live on alone."""

    def once(candidate, others):
        return candidate[0][-1] in ends or candidate[0] not in [ids for ids, _ in others]

    return step_by(beams, rows, width, ends, once=once)[:2]


def ended_of_another_beam(beams, rows, width, ends):
    living, ended, _ = step_by(beams, rows, width, ends)
    return living, [([*beams[n % len(beams)][0], ids[-1]], total) for n, (ids, total) in enumerate(ended)]


def ended_without_its_sum(beams, rows, width, ends):
    """Give what has ended the log-probability of its last token alone."""
    living, ended, _ = step_by(beams, rows, width, ends)
    texts = [[*ids] for ids, _ in beams]
    return living, [(ids, rows[texts.index(ids[:-1])][ids[-1]]) for ids, _ in ended]


def ended_as_good_as_the_worst(beams, rows, width, ends):
    """Compare sums, so that an end behind the last one that lives on counts if it is as good."""
    living, _, candidates = step_by(beams, rows, width, ends)
    worst = living[-1][1] if len(living) == width else -math.inf
    return living, [(ids, total) for ids, total in candidates if ids[-1] in ends and total >= worst]


def ended_behind_equal_ones(beams, rows, width, ends):
    return step_by(beams, rows, width, ends, key=lambda one: (-one[0], one[2] in ends, one[1], one[2]))[:2]


def as_many_as_it_is_wide(beams, rows, width, ends):
    """Ask for the last one that lives on, as if there were always enough."""
    *_, candidates = step_by(beams, rows, width, ends)
    living = [one for one in candidates if one[0][-1] not in ends]
    last = candidates.index(living[width - 1])
    return living[:width], [one for one in candidates[:last] if one[0][-1] in ends]


def top_k_only(beams, rows, width, ends):
    _, ended, candidates = step_by(beams, rows, width, ends)
    return [one for one in candidates[:width] if one[0][-1] not in ends], ended


def eos_keeps_running(beams, rows, width, ends):
    _, ended, candidates = step_by(beams, rows, width, ends)
    return candidates[:width], ended


def no_reorder(beams, rows, width, ends):
    """Append each token to the beam in whose place it comes, and not to its own."""
    living, ended, _ = step_by(beams, rows, width, ends)
    return [([*beams[n % len(beams)][0], ids[-1]], total) for n, (ids, total) in enumerate(living)], ended


def forgets_the_sum(beams, rows, width, ends):
    return step_by(beams, rows, width, ends, total_of=lambda total, score: score)[:2]


def ends_among_the_best(beams, rows, width, ends):
    """Take as ended what is among the first `width` of all, as the library does."""
    living, ended, candidates = step_by(beams, rows, width, ends)
    return living, [one for one in candidates[:width] if one[0][-1] in ends]


def every_end_counts(beams, rows, width, ends):
    living, _, candidates = step_by(beams, rows, width, ends)
    return living, [one for one in candidates if one[0][-1] in ends]


def one_end_alone(beams, rows, width, ends):
    living, ended, _ = step_by(beams, rows, width, ends)
    return living, [one for one in ended if one[0][-1] == ends[0]]


def larger_ones_first(beams, rows, width, ends):
    """Sort tuples backwards, so that of equal sums the later beam and the larger token come first."""
    return step_by(beams, rows, width, ends, key=lambda one: (-one[0], -one[1], -one[2]))[:2]


# --- task 4, wrong -------------------------------------------------------------------------------


def include_prompt_length(ids, total, prompt, alpha):
    return total / ((5 + len(ids)) / 6) ** alpha


def end_left_out(ids, total, prompt, alpha):
    return total / ((5 + len(ids) - prompt - 1) / 6) ** alpha


def length_of_the_lesson(ids, total, prompt, alpha):
    return total / (len(ids) - prompt) ** alpha


def penalty_sign(ids, total, prompt, alpha):
    return total * ((5 + len(ids) - prompt) / 6) ** alpha


def alpha_as_factor(ids, total, prompt, alpha):
    return total / (alpha * (5 + len(ids) - prompt) / 6 if alpha else 1)


def highest_sum_wins(ids, total, prompt, alpha):
    return total


def stop_when_k_finished(scores, room, sums, longest, alpha):
    return len(scores) >= room


def pool_never_looked_at(scores, room, sums, longest, alpha):
    return max(sums) / ((5 + longest) / 6) ** alpha <= min(scores)


def sums_as_they_are(scores, room, sums, longest, alpha):
    """Compare a sum with a score, as if nothing were divided."""
    return len(scores) >= room and max(sums) <= min(scores)


def best_of_the_pool(scores, room, sums, longest, alpha):
    return len(scores) >= room and max(sums) / ((5 + longest) / 6) ** alpha <= max(scores)


def worst_of_the_beams(scores, room, sums, longest, alpha):
    return len(scores) >= room and min(sums) / ((5 + longest) / 6) ** alpha <= min(scores)


def tie_goes_on(scores, room, sums, longest, alpha):
    return len(scores) >= room and max(sums) / ((5 + longest) / 6) ** alpha < min(scores)


# --- task 5, wrong -------------------------------------------------------------------------------


class Waiting:
    """A right one, with parts that can be exchanged."""

    def __init__(self, phrase, patience):
        self.phrase, self.patience = list(phrase), patience
        self.reset()

    def reset(self):
        self.there = self.waited = 0

    def advance(self):
        return self.phrase[self.there] if self.there < len(self.phrase) else None

    def remaining(self):
        return len(self.phrase) - self.there

    def whole(self):
        return self.there == len(self.phrase)

    def update(self, token):
        if self.whole():
            return self.behind(token)
        if token == self.phrase[self.there]:
            return self.go_on()
        if not self.there:
            return False, False, False
        self.waited += 1
        if self.waited <= self.patience:
            return False, False, False
        return self.begin_anew(token)

    def behind(self, token):
        return False, True, False

    def go_on(self):
        self.there, self.waited = self.there + 1, 0
        return True, self.whole(), False

    def begin_anew(self, token):
        self.reset()
        return self.update(token)[0], False, True


class BrokenTokenNotTried(Waiting):
    def begin_anew(self, token):
        self.reset()
        return False, False, True


class TriedWithoutPatienceAlone(Waiting):
    def begin_anew(self, token):
        if not self.patience:
            return super().begin_anew(token)
        self.reset()
        return False, False, True


class WaitedThroughWhatBreaks(Waiting):
    """Count the token that breaks the phrase as one that was waited through, also where it is the first of the next."""

    def begin_anew(self, token):
        answer = super().begin_anew(token)
        self.waited = self.there
        return answer


class PlaceOfTheId(Waiting):
    """Look for the token in the phrase, where it may stand twice."""

    def update(self, token):
        if not self.whole() and token == self.phrase[self.there] and self.phrase.index(token) != self.there:
            token = None
        return super().update(token)


class NothingBreaks(Waiting):
    def begin_anew(self, token):
        return False, False, False


class NoPatience(Waiting):
    def __init__(self, phrase, patience):
        super().__init__(phrase, 0)


class PatienceForAll(Waiting):
    """Count all that was waited through, and not what was in a row."""

    def go_on(self):
        self.there += 1
        return True, self.whole(), False


class OneTooPatient(Waiting):
    def __init__(self, phrase, patience):
        super().__init__(phrase, patience + 1)


class BeginsAgainBehind(Waiting):
    def behind(self, token):
        self.reset()
        return self.update(token)


class ForgetsTheWhole(Waiting):
    def behind(self, token):
        return False, False, False


class AdvanceSteps(Waiting):
    def advance(self):
        waited_for = super().advance()
        self.there += waited_for is not None
        return waited_for


class SaysWhatIsThere(Waiting):
    def remaining(self):
        return self.there


class ResetLeavesOne(Waiting):
    """Begin at the second id after a reset that somebody asks for."""

    def __init__(self, phrase, patience):
        self.phrase, self.patience = list(phrase), patience
        self.there = self.waited = 0

    def reset(self):
        self.waited = 0

    def begin_anew(self, token):
        self.there = self.waited = 0
        return self.update(token)[0], False, True


# --- task 6, wrong -------------------------------------------------------------------------------


def byte_of(piece):
    found = re.fullmatch(r"<0x([0-9A-F]{2})>", piece)
    return bytes([int(found[1], 16)]) if found else None


def shown_by(pieces, **other):
    """What is shown, with parts that can be exchanged."""
    whole = other.get("whole", is_text)
    broken = other.get("broken", lambda held: "\N{REPLACEMENT CHARACTER}" * len(held))
    first = other.get("first", lambda number, text: text[1:] if number == 0 and text.startswith(" ") else text)
    most = other.get("most", 4)
    blanks = other.get("blanks", lambda piece: piece.replace("▁", " "))
    shown, held = [], b""
    for number, piece in enumerate(pieces):
        byte = byte_of(piece)
        if byte is None:
            shown.append(broken(held) + first(number, blanks(piece)))
            held = b""
        else:
            held += byte
            text = whole(held)
            if text is None and len(held) == most:
                text = broken(held)
            shown.append(text or "")
            held = held if text is None else b""
    return [*shown, broken(held)]


def is_text(held):
    try:
        return held.decode()
    except UnicodeDecodeError:
        return None


def decode_each_token(pieces):
    return shown_by(pieces, whole=lambda held: held.decode(errors="replace"))


def hold_forever_on_fffd(pieces):
    """Wait for what was shown to end in another sign."""

    def whole(held):
        text = held.decode(errors="replace")
        return None if text.endswith("\N{REPLACEMENT CHARACTER}") else text

    shown = shown_by(pieces, whole=whole)
    for place, piece in enumerate(pieces[:-1]):
        if piece == "\N{REPLACEMENT CHARACTER}":
            shown[place], shown[place + 1] = "", shown[place] + shown[place + 1]
    return shown


def all_at_the_end(pieces):
    shown = shown_by(pieces)
    return [*([""] * len(pieces)), "".join(shown)]


def bytes_thrown_away(pieces):
    return shown_by(pieces, broken=lambda held: "")


def one_sign_for_all(pieces):
    return shown_by(pieces, broken=lambda held: "\N{REPLACEMENT CHARACTER}" * bool(held))


def held_bytes_decoded(pieces):
    """Let decode put its signs for what is held: it puts one for several bytes that begin a character."""
    return shown_by(pieces, broken=lambda held: held.decode(errors="replace"))


def four_are_not_enough(pieces):
    return shown_by(pieces, most=None)


def bytes_behind_the_piece(pieces):
    """Show the piece first, and what was held before it afterwards."""
    shown, signs = shown_by(pieces), "\N{REPLACEMENT CHARACTER}"
    for place, piece in enumerate(pieces):
        if byte_of(piece) is None and piece != signs and shown[place].startswith(signs):
            text = shown[place].lstrip(signs)
            shown[place] = text + signs * (len(shown[place]) - len(text))
    return shown


def first_blank_shown(pieces):
    return shown_by(pieces, first=lambda number, text: text)


def all_blanks_stripped(pieces):
    return shown_by(pieces, first=lambda number, text: text.lstrip() if number == 0 else text)


def one_blank_a_piece(pieces):
    return shown_by(pieces, blanks=lambda piece: piece.replace("▁", " ", 1))


def blank_of_the_first_text(pieces):
    """Leave out the blank of the first piece that is no byte."""
    text = next((place for place, piece in enumerate(pieces) if not byte_of(piece)), None)
    return shown_by(pieces, first=lambda number, shown: shown.removeprefix(" ") if number == text else shown)


def a_first_piece_is_there(pieces):
    """Look at the first piece before anything else, as if there were one."""
    begins = pieces[0].startswith("▁")
    return shown_by(pieces, first=lambda number, text: text[1:] if number == 0 and begins else text)


def no_blank_in_front(pieces):
    return shown_by(pieces, first=lambda number, text: text.removeprefix(" "))


# --- right, in other styles ----------------------------------------------------------------------


def tail_by_threshold(scores, temperature, lost, least):
    probabilities = softmax([score / temperature for score in scores])

    def may_go(place):
        lower = [p for p, score in zip(probabilities, scores) if score <= scores[place]]
        return math.fsum(lower) <= lost and len(scores) - len(lower) >= least

    kept = [0.0 if may_go(place) else p for place, p in enumerate(probabilities)]
    return tuple(p / math.fsum(kept) for p in kept)


def tail_by_recursion(scores, temperature, lost, least):
    warm = softmax([score / temperature for score in scores])

    def cut(left, budget):
        lowest = min(scores[place] for place in left)
        equal = [place for place in left if scores[place] == lowest]
        weight = sum(warm[place] for place in equal)
        if weight > budget or len(left) - len(equal) < least:
            return left
        return cut([place for place in left if place not in equal], budget - weight)

    left = cut([*range(len(scores))], lost)
    return [warm[place] / sum(warm[other] for other in left) if place in left else 0 for place in range(len(scores))]


def tail_by_numpy(scores, temperature, lost, least):
    import numpy as np

    logits = np.array(scores) / temperature
    probabilities = np.exp(logits - logits.max())
    probabilities /= probabilities.sum()
    below = np.array([probabilities[logits <= one].sum() for one in logits])
    above = np.array([(logits > one).sum() for one in logits])
    probabilities[(below <= lost) & (above >= least)] = 0
    return (probabilities / probabilities.sum()).tolist()


def penalty_by_places(scores, written, penalty, fade, end):
    return less(scores, written, end, lambda back: penalty * fade**back)


def penalty_by_sums(scores, written, penalty, fade, end):
    costs = Counter()
    cost = penalty
    for token in written[::-1]:
        costs[token] += cost
        cost = cost * fade
    costs[end] = 0
    return tuple(score - costs[id] for id, score in enumerate(scores))


def penalty_from_the_left(scores, written, penalty, fade, end):
    costs = [0.0] * len(scores)
    for token in written:
        costs = [cost * fade for cost in costs]
        costs[token] += penalty
    return [score if id == end else score - cost for id, (score, cost) in enumerate(zip(scores, costs))]


def step_in_parts(beams, rows, width, ends):
    return step_by(beams, rows, width, ends)[:2]


def step_with_a_heap(beams, rows, width, ends):
    heap = [
        (-(beams[b][1] + rows[b][t]), b, t, tuple(beams[b][0]) + (t,))
        for b in range(len(beams))
        for t in range(len(rows[b]))
    ]
    heapq.heapify(heap)
    living, ended, seen = [], [], set()
    while heap and len(living) < width:
        minus, _, token, ids = heapq.heappop(heap)
        if ids in seen:
            continue
        seen.add(ids)
        if token in ends:
            ended.append((ids, -minus))
        else:
            living.append((ids, -minus))
    return [living, ended]


def step_by_a_table(beams, rows, width, ends):
    best = {}
    for (ids, total), row in zip(beams, rows):
        for token, score in enumerate(row):
            text = (*ids, token)
            if text not in best or best[text][0] < total + score:
                best.pop(text, None)
                best[text] = (total + score, len(best))
    places = {}
    for beam, (ids, total) in enumerate(beams):
        for token, score in enumerate(rows[beam]):
            if best[(*ids, token)][0] == total + score:
                places.setdefault((*ids, token), (beam, token))
    order = sorted(best, key=lambda text: (-best[text][0], places[text]))
    living = [text for text in order if text[-1] not in ends][:width]
    last = order.index(living[-1]) if len(living) == width else len(order)
    ended = [text for text in order[:last] if text[-1] in ends]
    return [(list(t), best[t][0]) for t in living], [(list(t), best[t][0]) for t in ended]


def score_in_steps(ids, total, prompt, alpha):
    written = 0
    for _ in ids[prompt:]:
        written += 1
    return total / math.pow((5 + written) / 6, alpha)


def score_by_logarithm(ids, total, prompt, alpha):
    return total * math.exp(-alpha * (math.log(5 + len(ids[prompt:])) - math.log(6)))


def score_by_two_powers(ids, total, prompt, alpha):
    return 6**alpha * total / (5 + len(ids) - prompt) ** alpha


def stop_by_logarithm(scores, room, sums, longest, alpha):
    return len(scores) >= room and max(sums) / math.exp(alpha * math.log((5 + longest) / 6)) <= min(scores)


def stop_in_a_loop(scores, room, sums, longest, alpha):
    if room > len(scores):
        return False
    for total in sums:
        if score_in_steps([0] * longest, total, 0, alpha) > min(scores):
            return False
    return True


def stop_by_a_pool(scores, room, sums, longest, alpha):
    best = max(total / ((5 + longest) / 6) ** alpha for total in sums)
    return room <= len([score for score in scores if score >= best]) == len(scores)


class PhraseInParts(Waiting):
    """The one with parts, as it is."""


class PhraseAsList:
    def __init__(self, phrase, patience):
        self.phrase, self.patience = tuple(phrase), patience
        self.reset()

    def reset(self):
        self.seen, self.others = [], 0

    def advance(self):
        missing = self.phrase[len(self.seen) :]
        return missing[0] if missing else None

    def remaining(self):
        return len(self.phrase) - len(self.seen)

    def update(self, token):
        broken = False
        while True:
            if self.remaining() and token == self.advance():
                self.seen.append(token)
                self.others = 0
                return [True, self.remaining() == 0, broken]
            if not self.seen or not self.remaining():
                return [False, self.remaining() == 0, broken]
            self.others += 1
            if self.others <= self.patience:
                return [False, False, broken]
            self.reset()
            broken = True


class PhraseFromHistory:
    """Work out from all tokens so far where it stands."""

    def __init__(self, phrase, patience):
        self.phrase, self.patience, self.told = phrase, patience, []

    def reset(self):
        self.told = []

    def _state(self, tokens):
        there = waited = 0
        stepped = broken = False
        for token in tokens:
            stepped = broken = False
            if there == len(self.phrase):
                continue
            if token != self.phrase[there] and there:
                waited += 1
                if waited > self.patience:
                    there, waited, broken = 0, 0, True
            if token == self.phrase[there]:
                there, waited, stepped = there + 1, 0, True
        return there, stepped, broken

    def advance(self):
        there = self._state(self.told)[0]
        return None if there == len(self.phrase) else self.phrase[there]

    def remaining(self):
        return len(self.phrase) - self._state(self.told)[0]

    def update(self, token):
        self.told = [*self.told, token]
        there, stepped, broken = self._state(self.told)
        return stepped, there == len(self.phrase), broken


def shown_in_parts(pieces):
    return shown_by(pieces)


def shown_by_an_object(pieces):
    class Screen:
        def __init__(self):
            self.held, self.texts = bytearray(), []

        def lost(self):
            signs = "\ufffd" * len(self.held)
            self.held.clear()
            return signs

        def put(self, piece):
            if len(piece) == 6 and piece[:3] == "<0x":
                self.held.append(int(piece[3:5], 16))
                try:
                    text = str(self.held, "utf-8")
                    self.held.clear()
                except UnicodeDecodeError:
                    text = self.lost() if len(self.held) >= 4 else ""
            else:
                text = self.lost() + " ".join(piece.split("▁"))
                if not self.texts and text[:1] == " ":
                    text = text[1:]
            self.texts.append(text)

    screen = Screen()
    for piece in pieces:
        screen.put(piece)
    return tuple(screen.texts) + (screen.lost(),)


def shown_by_widths(pieces):
    """Know from the first byte how many bytes a character has, where it is one."""
    shown, held = [], []
    for piece in [*pieces, None]:
        byte = byte_of(piece) if piece else None
        if byte is not None:
            held.append(byte)
            text = b"".join(held).decode("utf-8", "ignore")
            if text and text.encode() == b"".join(held):
                held = []
            elif len(held) == 4:
                text, held = "����", []
            else:
                text = ""
        else:
            text, held = "�" * len(held) + (piece or "").replace("▁", " "), []
            if piece and not shown:
                text = text.removeprefix(" ")
        shown.append(text)
    return shown


# --- which test each wrong program fails ----------------------------------------------------------

WRONG: dict[str, dict[Program, list[str]]] = {
    "drop_tail": {
        exclude_crossing_token: ["tail"],
        temperature_last: ["temperature"],
        temperature_left_out: ["temperature"],
        each_by_itself: ["tail"],
        best_come_to_lost: ["tail", "equal"],
        one_by_one: ["equal"],
        perhaps_one_alone: ["least"],
        goes_on_above: ["tail"],
        part_of_equal_ones: ["equal"],
        not_scaled: ["scaled"],
    },
    "fading_penalty": {
        penalize_once: ["each", "places"],
        divide_all_scores: ["each", "fade", "end", "places"],
        all_tokens_pay: ["each", "fade", "end", "places"],
        fades_from_the_left: ["fade", "places"],
        never_fades: ["fade", "places"],
        fades_at_once: ["fade", "places"],
        fades_by_division: ["fade", "places"],
        end_pays_too: ["end", "places"],
        end_stops_the_fading: ["places"],
        newest_place_for_all: ["places"],
        oldest_place_for_all: ["places"],
        text_has_a_newest: ["fade"],
    },
    "grow_beams": {
        no_neg_inf_seed: ["once"],
        top_k_only: ["living"],
        eos_keeps_running: ["living"],
        no_reorder: ["candidates", "ties"],
        forgets_the_sum: ["candidates", "ended", "once"],
        ends_among_the_best: ["ended"],
        every_end_counts: ["ended", "ties"],
        one_end_alone: ["ended"],
        larger_ones_first: ["ties"],
        first_of_the_same: ["once"],
        last_of_the_same: ["once"],
        ended_twice: ["once"],
        ended_of_another_beam: ["ended"],
        ended_without_its_sum: ["ended", "once"],
        ended_as_good_as_the_worst: ["ties"],
        ended_behind_equal_ones: ["ties"],
        as_many_as_it_is_wide: ["ended"],
    },
    "gnmt_score": {
        include_prompt_length: ["length"],
        end_left_out: ["length", "alpha"],
        length_of_the_lesson: ["length", "alpha"],
        penalty_sign: ["length", "alpha"],
        alpha_as_factor: ["alpha"],
        highest_sum_wins: ["length", "alpha"],
    },
    "may_stop": {
        stop_when_k_finished: ["best"],
        pool_never_looked_at: ["room"],
        sums_as_they_are: ["best"],
        best_of_the_pool: ["best"],
        worst_of_the_beams: ["best"],
        tie_goes_on: ["tie"],
    },
    "PatientPhrase": {
        BrokenTokenNotTried: ["again"],
        TriedWithoutPatienceAlone: ["again"],
        WaitedThroughWhatBreaks: ["again"],
        PlaceOfTheId: ["steps"],
        NothingBreaks: ["breaks", "again"],
        NoPatience: ["steps", "breaks", "again"],
        PatienceForAll: ["steps", "breaks"],
        OneTooPatient: ["breaks", "again"],
        BeginsAgainBehind: ["whole"],
        ForgetsTheWhole: ["whole"],
        AdvanceSteps: ["advance", "obeyed"],
        SaysWhatIsThere: ["advance", "obeyed"],
        ResetLeavesOne: ["obeyed"],
    },
    "shown_text": {
        decode_each_token: ["bytes", "own", "broken"],
        hold_forever_on_fffd: ["own"],
        all_at_the_end: ["bytes", "own", "broken"],
        bytes_thrown_away: ["broken"],
        one_sign_for_all: ["broken"],
        held_bytes_decoded: ["broken"],
        four_are_not_enough: ["broken"],
        bytes_behind_the_piece: ["broken"],
        first_blank_shown: ["blanks"],
        all_blanks_stripped: ["blanks"],
        one_blank_a_piece: ["blanks"],
        blank_of_the_first_text: ["blanks"],
        a_first_piece_is_there: ["blanks"],
        no_blank_in_front: ["blanks"],
    },
}

RIGHT: dict[str, list[Program]] = {
    "drop_tail": [tail_by_threshold, tail_by_recursion, tail_by_numpy],
    "fading_penalty": [penalty_by_places, penalty_by_sums, penalty_from_the_left],
    "grow_beams": [step_in_parts, step_with_a_heap, step_by_a_table],
    "gnmt_score": [score_in_steps, score_by_logarithm, score_by_two_powers],
    "may_stop": [stop_in_a_loop, stop_by_logarithm, stop_by_a_pool],
    "PatientPhrase": [PhraseInParts, PhraseAsList, PhraseFromHistory],
    "shown_text": [shown_in_parts, shown_by_an_object, shown_by_widths],
}
