"""Programs for assignment 4: wrong ones for the misconceptions of its lessons, right ones in other styles.

Each could be written by a learner in the cell of its task. The demo renames it and copies the code that it uses.
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
    """Return the positions that are dropped, with exchangeable parts."""
    probabilities = softmax(scores)
    together = other.get("together", True)
    crossing = other.get("crossing", False)
    dropped_mass, dropped = 0.0, set()
    order = sorted(range(len(scores)), key=lambda position: scores[position])
    for _, equal in groupby(order, key=lambda position: scores[position] if together else position):
        equal = list(equal)
        dropped_mass += sum(probabilities[position] for position in equal)
        if len(scores) - len(dropped) - len(equal) < least or (dropped_mass > lost and not crossing):
            break
        dropped |= set(equal)
        if dropped_mass > lost:
            break
    return dropped


def without(scores, dropped, scaled=True):
    probabilities = [0.0 if position in dropped else p for position, p in enumerate(softmax(scores))]
    return [p / sum(probabilities) for p in probabilities] if scaled else probabilities


def exclude_crossing_token(scores, temperature, lost, least):
    warm = [score / temperature for score in scores]
    return without(warm, tail_of(warm, lost, least, crossing=True))


def temperature_last(scores, temperature, lost, least):
    dropped = tail_of(scores, lost, least)
    return without([score / temperature for score in scores], dropped)


def no_temperature(scores, temperature, lost, least):
    return without(scores, tail_of(scores, lost, least))


def each_token_separately(scores, temperature, lost, least):
    warm = [score / temperature for score in scores]
    lowest = sorted(scores)[-least]
    return without(warm, {n for n, p in enumerate(softmax(warm)) if p <= lost and scores[n] < lowest})


def lost_as_kept_mass(scores, temperature, lost, least):
    """Treat `lost` as the probability mass to keep."""
    warm = [score / temperature for score in scores]
    order = sorted(range(len(scores)), key=lambda position: -scores[position])
    sums = accumulate(softmax(warm)[position] for position in order)
    kept = [position for number, (position, total) in enumerate(zip(order, sums)) if total <= lost or number < least]
    return without(warm, {*range(len(scores))} - {*kept})


def ties_separately(scores, temperature, lost, least):
    warm = [score / temperature for score in scores]
    return without(warm, tail_of(warm, lost, least, together=False))


def no_minimum(scores, temperature, lost, least):
    warm = [score / temperature for score in scores]
    return without(warm, tail_of(warm, lost, 1))


def skips_and_continues(scores, temperature, lost, least):
    """Skip a group of tokens that is too probable, and continue with the tokens above it."""
    probabilities = softmax([score / temperature for score in scores])
    dropped_mass, stay, dropped = 0.0, len(scores), set()
    for lowest in sorted(set(scores)):
        positions = [position for position, score in enumerate(scores) if score == lowest]
        weight = sum(probabilities[position] for position in positions)
        if dropped_mass + weight <= lost and stay - len(positions) >= least:
            dropped_mass, stay = dropped_mass + weight, stay - len(positions)
            dropped |= {*positions}
    return without([score / temperature for score in scores], dropped)


def continues_after_the_minimum(scores, temperature, lost, least):
    """Skip a group of tokens that would leave too few, and continue with the tokens above it."""
    probabilities = softmax([score / temperature for score in scores])
    dropped_mass, stay, dropped = 0.0, len(scores), set()
    for lowest in sorted(set(scores)):
        positions = [position for position, score in enumerate(scores) if score == lowest]
        weight = sum(probabilities[position] for position in positions)
        if dropped_mass + weight > lost:
            break
        if stay - len(positions) >= least:
            dropped_mass, stay = dropped_mass + weight, stay - len(positions)
            dropped |= {*positions}
    return without([score / temperature for score in scores], dropped)


def far_below_the_best(scores, temperature, lost, least):
    """Drop what is far below the best token, whatever the arguments are."""
    return without(scores, {position for position, score in enumerate(scores) if score <= max(scores) - 5})


def part_of_a_tie(scores, temperature, lost, least):
    """Drop some of the tokens with equal scores."""
    warm = [score / temperature for score in scores]
    order = sorted(tail_of(warm, lost, 0), key=lambda position: scores[position])
    return without(warm, {*order[: len(scores) - least]})


def not_renormalized(scores, temperature, lost, least):
    warm = [score / temperature for score in scores]
    return without(warm, tail_of(warm, lost, least), scaled=False)


# --- task 2, wrong -------------------------------------------------------------------------------


def less(scores, written, end, cost):
    """Subtract the cost of each position from the scores."""
    left = list(scores)
    for position, token in enumerate(written):
        if token != end:
            left[token] -= cost(len(written) - 1 - position)
    return left


def penalize_once(scores, written, penalty, fade, end):
    left = list(scores)
    for token in set(written) - {end}:
        newest = max(position for position in range(len(written)) if written[position] == token)
        left[token] -= penalty * fade ** (len(written) - 1 - newest)
    return left


def divide_all_scores(scores, written, penalty, fade, end):
    """Divide as the repetition penalty does, even if the score is negative."""
    left = list(scores)
    for back, token in enumerate(reversed(written)):
        if token != end:
            left[token] /= 1 + penalty * fade**back
    return left


def all_tokens_penalized(scores, written, penalty, fade, end):
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


def end_position_ignored(scores, written, penalty, fade, end):
    """Leave out the positions of the end token."""
    return penalty_by_positions(scores, [token for token in written if token != end], penalty, fade, end)


def newest_position_for_all(scores, written, penalty, fade, end):
    """Use `index`, which always finds the newest position."""
    back = written[::-1]
    return penalty_for_each(scores, written, end, lambda token: penalty * fade ** back.index(token))


def oldest_position_for_all(scores, written, penalty, fade, end):
    """Use `index`, which always finds the oldest position."""
    newest = len(written) - 1
    return penalty_for_each(scores, written, end, lambda token: penalty * fade ** (newest - written.index(token)))


def penalty_for_each(scores, written, end, cost):
    left = list(scores)
    for token in written:
        left[token] -= cost(token) if token != end else 0
    return left


def assumes_a_newest_token(scores, written, penalty, fade, end):
    """Start with the last token, even if the text is empty."""
    newest = written[-1]
    left = less(scores, written[:-1], end, lambda back: penalty * fade ** (back + 1))
    left[newest] -= penalty if newest != end else 0
    return left


def end_penalized(scores, written, penalty, fade, end):
    return less(scores, written, None, lambda back: penalty * fade**back)


# --- task 3, wrong -------------------------------------------------------------------------------


def step_by(beams, rows, width, ends, **other):
    """Do one step of beam search with exchangeable parts."""
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


def first_duplicate(beams, rows, width, ends):
    """Keep the first of several equal beams instead of the best."""
    texts = [[*ids] for ids, _ in beams]
    first = [position for position, ids in enumerate(texts) if ids not in texts[:position]]
    return step_by([beams[position] for position in first], [rows[position] for position in first], width, ends)[:2]


def last_duplicate(beams, rows, width, ends):
    """Keep only the last of several equal beams."""
    last = {tuple(ids): position for position, (ids, _) in enumerate(beams)}.values()
    return step_by([beams[position] for position in last], [rows[position] for position in last], width, ends)[:2]


def finished_twice(beams, rows, width, ends):
    """Look for duplicates only among candidates that do not finish."""

    def once(candidate, others):
        return candidate[0][-1] in ends or candidate[0] not in [ids for ids, _ in others]

    return step_by(beams, rows, width, ends, once=once)[:2]


def chosen_before_duplicates_go(beams, rows, width, ends):
    """Choose the survivors first, and then remove duplicates, so too few survive."""

    def each_once(pairs):
        return [one for place, one in enumerate(pairs) if one[0] not in [ids for ids, _ in pairs[:place]]]

    living, ended, _ = step_by(beams, rows, width, ends, once=lambda candidate, others: True)
    return each_once(living), each_once(ended)


def only_if_all_beams_are_equal(beams, rows, width, ends):
    """Look for duplicates only at the start of the search, when all beams are equal."""
    if any(list(ids) != list(beams[0][0]) for ids, _ in beams):
        return no_neg_inf_seed(beams, rows, width, ends)
    return step_by(beams, rows, width, ends)[:2]


def tokens_in_order(beams, rows, width, ends):
    """Continue one beam with the first tokens."""
    ids, best = list(beams[0][0]), max(total for _, total in beams)
    return [([*ids, token], best + score) for token, score in enumerate(rows[0])][:width], []


def end_tokens_left_out(beams, rows, width, ends):
    """Leave out the end tokens before the other tokens get their ids."""
    living, ended, _ = step_by(beams, rows, width, ends)
    others = [token for token in range(len(rows[0])) if token not in ends]
    return [([*ids[:-1], others.index(ids[-1])], total) for ids, total in living], ended


def ended_by_the_last_survivor(beams, rows, width, ends):
    """Discard what comes after the last survivor, even if fewer than `width` survive."""
    living, _, candidates = step_by(beams, rows, width, ends)
    last = candidates.index(living[-1]) if living else len(candidates)
    return living, [one for one in candidates[:last] if one[0][-1] in ends]


def finished_ids_of_another_beam(beams, rows, width, ends):
    living, ended, _ = step_by(beams, rows, width, ends)
    return living, [([*beams[n % len(beams)][0], ids[-1]], total) for n, (ids, total) in enumerate(ended)]


def finished_without_beam_sum(beams, rows, width, ends):
    """Give a finished hypothesis only the log-probability of its last token."""
    living, ended, _ = step_by(beams, rows, width, ends)
    texts = [[*ids] for ids, _ in beams]
    return living, [(ids, rows[texts.index(ids[:-1])][ids[-1]]) for ids, _ in ended]


def finished_equal_to_worst(beams, rows, width, ends):
    """Compare sums, so a finished candidate after the last surviving beam counts if its sum is equal."""
    living, _, candidates = step_by(beams, rows, width, ends)
    worst = living[-1][1] if len(living) == width else -math.inf
    return living, [(ids, total) for ids, total in candidates if ids[-1] in ends and total >= worst]


def finished_after_ties(beams, rows, width, ends):
    return step_by(beams, rows, width, ends, key=lambda one: (-one[0], one[2] in ends, one[1], one[2]))[:2]


def assumes_enough_survivors(beams, rows, width, ends):
    """Assume that enough beams survive."""
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
    """Append each token to the beam with its rank instead of its own beam."""
    living, ended, _ = step_by(beams, rows, width, ends)
    return [([*beams[n % len(beams)][0], ids[-1]], total) for n, (ids, total) in enumerate(living)], ended


def beam_sum_ignored(beams, rows, width, ends):
    return step_by(beams, rows, width, ends, total_of=lambda total, score: score)[:2]


def finished_in_top_width(beams, rows, width, ends):
    """Accept finished candidates only among the first `width`, as the library does."""
    living, ended, candidates = step_by(beams, rows, width, ends)
    return living, [one for one in candidates[:width] if one[0][-1] in ends]


def every_finished_candidate(beams, rows, width, ends):
    living, _, candidates = step_by(beams, rows, width, ends)
    return living, [one for one in candidates if one[0][-1] in ends]


def first_end_only(beams, rows, width, ends):
    living, ended, _ = step_by(beams, rows, width, ends)
    return living, [one for one in ended if one[0][-1] == ends[0]]


def reverse_sorted_ties(beams, rows, width, ends):
    """Sort tuples in reverse, so of equal sums the later beam and the larger token come first."""
    return step_by(beams, rows, width, ends, key=lambda one: (-one[0], -one[1], -one[2]))[:2]


# --- task 4, wrong -------------------------------------------------------------------------------


def include_prompt_length(ids, total, prompt, alpha):
    return total / ((5 + len(ids)) / 6) ** alpha


def end_not_counted(ids, total, prompt, alpha):
    return total / ((5 + len(ids) - prompt - 1) / 6) ** alpha


def lesson_length(ids, total, prompt, alpha):
    return total / (len(ids) - prompt) ** alpha


def penalty_sign(ids, total, prompt, alpha):
    return total * ((5 + len(ids) - prompt) / 6) ** alpha


def alpha_as_factor(ids, total, prompt, alpha):
    return total / (alpha * (5 + len(ids) - prompt) / 6 if alpha else 1)


def highest_sum_wins(ids, total, prompt, alpha):
    return total


def stop_when_k_finished(scores, room, sums, longest, alpha):
    return len(scores) >= room


def pool_size_ignored(scores, room, sums, longest, alpha):
    return max(sums) / ((5 + longest) / 6) ** alpha <= min(scores)


def undivided_sums(scores, room, sums, longest, alpha):
    """Compare an undivided sum with a score."""
    return len(scores) >= room and max(sums) <= min(scores)


def best_in_pool(scores, room, sums, longest, alpha):
    return len(scores) >= room and max(sums) / ((5 + longest) / 6) ** alpha <= max(scores)


def worst_beam(scores, room, sums, longest, alpha):
    return len(scores) >= room and min(sums) / ((5 + longest) / 6) ** alpha <= min(scores)


def continues_at_tie(scores, room, sums, longest, alpha):
    return len(scores) >= room and max(sums) / ((5 + longest) / 6) ** alpha < min(scores)


# --- task 5, wrong -------------------------------------------------------------------------------


class ExchangeablePhrase:
    """A correct phrase with exchangeable methods."""

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
            return self.on_complete(token)
        if token == self.phrase[self.there]:
            return self.on_step()
        if not self.there:
            return False, False, False
        self.waited += 1
        if self.waited <= self.patience:
            return False, False, False
        return self.on_break(token)

    def on_complete(self, token):
        return False, True, False

    def on_step(self):
        self.there, self.waited = self.there + 1, 0
        return True, self.whole(), False

    def on_break(self, token):
        self.reset()
        return self.update(token)[0], False, True


class BrokenTokenNotTried(ExchangeablePhrase):
    def on_break(self, token):
        self.reset()
        return False, False, True


class TriedOnlyWithoutPatience(ExchangeablePhrase):
    def on_break(self, token):
        if not self.patience:
            return super().on_break(token)
        self.reset()
        return False, False, True


class BreakingTokenCounted(ExchangeablePhrase):
    """Count the breaking token as another token, even if it is the first id of the next attempt."""

    def on_break(self, token):
        answer = super().on_break(token)
        self.waited = self.there
        return answer


class FallsBackToAPrefix(ExchangeablePhrase):
    """Continue with the longest start of the phrase that the last tokens are, as in a search for a text."""

    def on_break(self, token):
        last = [*self.phrase[: self.there], token]
        self.there = max(size for size in range(len(last)) if last[len(last) - size :] == self.phrase[:size])
        self.waited = 0
        return self.there > 0, False, True


class TakesEveryToken(ExchangeablePhrase):
    """Take every token for the next one of the phrase."""

    def update(self, token):
        return self.on_complete(token) if self.whole() else self.on_step()


class IndexOfTheId(ExchangeablePhrase):
    """Look up the token in the phrase, where it may occur twice."""

    def update(self, token):
        if not self.whole() and token == self.phrase[self.there] and self.phrase.index(token) != self.there:
            token = None
        return super().update(token)


class NeverBreaks(ExchangeablePhrase):
    def on_break(self, token):
        return False, False, False


class NoPatience(ExchangeablePhrase):
    def __init__(self, phrase, patience):
        super().__init__(phrase, 0)


class OnePatienceForAllGaps(ExchangeablePhrase):
    """Count the other tokens of all gaps together."""

    def on_step(self):
        self.there += 1
        return True, self.whole(), False


class OneTooPatient(ExchangeablePhrase):
    def __init__(self, phrase, patience):
        super().__init__(phrase, patience + 1)


class RestartsAfterCompletion(ExchangeablePhrase):
    def on_complete(self, token):
        self.reset()
        return self.update(token)


class ForgetsCompletion(ExchangeablePhrase):
    def on_complete(self, token):
        return False, False, False


class AdvanceSteps(ExchangeablePhrase):
    def advance(self):
        next_id = super().advance()
        self.there += next_id is not None
        return next_id


class ReturnsProgress(ExchangeablePhrase):
    def remaining(self):
        return self.there


class ResetKeepsProgress(ExchangeablePhrase):
    """Do not change the progress in `reset`."""

    def __init__(self, phrase, patience):
        self.phrase, self.patience = list(phrase), patience
        self.there = self.waited = 0

    def reset(self):
        self.waited = 0

    def on_break(self, token):
        self.there = self.waited = 0
        return self.update(token)[0], False, True


# --- task 6, wrong -------------------------------------------------------------------------------


def byte_of(piece):
    found = re.fullmatch(r"<0x([0-9A-F]{2})>", piece)
    return bytes([int(found[1], 16)]) if found else None


def shown_by(pieces, **other):
    """Return the shown texts, with exchangeable parts."""
    whole = other.get("whole", is_text)
    broken = other.get("broken", lambda pending: "\N{REPLACEMENT CHARACTER}" * len(pending))
    first = other.get("first", lambda number, text: text[1:] if number == 0 and text.startswith(" ") else text)
    most = other.get("most", 4)
    byte_in = other.get("byte_in", byte_of)
    spaces = other.get("spaces", lambda piece: piece.replace("▁", " "))
    shown, pending = [], b""
    for number, piece in enumerate(pieces):
        byte = byte_in(piece)
        if byte is None:
            shown.append(broken(pending) + first(number, spaces(piece)))
            pending = b""
        else:
            pending += byte
            text = whole(pending)
            if text is None and len(pending) == most:
                text = broken(pending)
            shown.append(text or "")
            pending = pending if text is None else b""
    return [*shown, broken(pending)]


def is_text(pending):
    try:
        return pending.decode()
    except UnicodeDecodeError:
        return None


def decode_each_token(pieces):
    return shown_by(pieces, whole=lambda pending: pending.decode(errors="replace"))


def hold_forever_on_fffd(pieces):
    """Wait until the text ends in another character than the replacement character."""

    def whole(pending):
        text = pending.decode(errors="replace")
        return None if text.endswith("\N{REPLACEMENT CHARACTER}") else text

    shown = shown_by(pieces, whole=whole)
    for position, piece in enumerate(pieces[:-1]):
        if piece == "\N{REPLACEMENT CHARACTER}":
            shown[position], shown[position + 1] = "", shown[position] + shown[position + 1]
    return shown


def all_at_the_end(pieces):
    shown = shown_by(pieces)
    return [*([""] * len(pieces)), "".join(shown)]


def bytes_discarded(pieces):
    return shown_by(pieces, broken=lambda pending: "")


def one_replacement_for_all(pieces):
    return shown_by(pieces, broken=lambda pending: "\N{REPLACEMENT CHARACTER}" * bool(pending))


def pending_bytes_decoded(pieces):
    """Let `decode` replace the pending bytes: it writes one character for several bytes."""
    return shown_by(pieces, broken=lambda pending: pending.decode(errors="replace"))


def no_four_byte_limit(pieces):
    return shown_by(pieces, most=None)


def bytes_after_the_piece(pieces):
    """Show the piece first, and the pending bytes after it."""
    shown, replacements = shown_by(pieces), "\N{REPLACEMENT CHARACTER}"
    for position, piece in enumerate(pieces):
        if byte_of(piece) is None and piece != replacements and shown[position].startswith(replacements):
            text = shown[position].lstrip(replacements)
            shown[position] = text + replacements * (len(shown[position]) - len(text))
    return shown


def angle_brackets_as_bytes(pieces):
    """Take every piece that starts with an angle bracket for a byte."""
    return shown_by(pieces, byte_in=lambda piece: bytes([int(piece[3:-1], 16)]) if piece.startswith("<") else None)


def spaces_one_piece_late(pieces):
    """Show a piece with a space when the next piece comes, as if a word had to be complete."""
    shown = shown_by(pieces)
    for position in reversed(range(len(pieces))):
        if "▁" in pieces[position]:
            shown[position : position + 2] = "", shown[position] + shown[position + 1]
    return shown


def first_space_shown(pieces):
    return shown_by(pieces, first=lambda number, text: text)


def all_spaces_stripped(pieces):
    return shown_by(pieces, first=lambda number, text: text.lstrip() if number == 0 else text)


def one_space_per_piece(pieces):
    return shown_by(pieces, spaces=lambda piece: piece.replace("▁", " ", 1))


def space_of_first_text_piece(pieces):
    """Leave out the space of the first piece that is not a byte."""
    text = next((position for position, piece in enumerate(pieces) if not byte_of(piece)), None)
    return shown_by(pieces, first=lambda number, shown: shown.removeprefix(" ") if number == text else shown)


def spaces_before_any_text(pieces):
    """Leave out the space of a piece as long as nothing has been shown."""
    seen = []

    def first(number, text):
        seen.append(text if any(seen) else text.removeprefix(" "))
        return seen[-1]

    def whole(pending):
        seen.append(is_text(pending))
        return seen[-1]

    return shown_by(pieces, first=first, whole=whole)


def assumes_a_first_piece(pieces):
    """Look at the first piece, even if there are no pieces."""
    begins = pieces[0].startswith("▁")
    return shown_by(pieces, first=lambda number, text: text[1:] if number == 0 and begins else text)


def no_leading_spaces(pieces):
    return shown_by(pieces, first=lambda number, text: text.removeprefix(" "))


# --- right, in other styles ----------------------------------------------------------------------


def tail_by_threshold(scores, temperature, lost, least):
    probabilities = softmax([score / temperature for score in scores])

    def may_go(position):
        lower = [p for p, score in zip(probabilities, scores) if score <= scores[position]]
        return math.fsum(lower) <= lost and len(scores) - len(lower) >= least

    kept = [0.0 if may_go(position) else p for position, p in enumerate(probabilities)]
    return tuple(p / math.fsum(kept) for p in kept)


def tail_by_recursion(scores, temperature, lost, least):
    warm = softmax([score / temperature for score in scores])

    def cut(left, budget):
        lowest = min(scores[position] for position in left)
        equal = [position for position in left if scores[position] == lowest]
        weight = sum(warm[position] for position in equal)
        if weight > budget or len(left) - len(equal) < least:
            return left
        return cut([position for position in left if position not in equal], budget - weight)

    left = cut([*range(len(scores))], lost)
    return [
        warm[position] / sum(warm[other] for other in left) if position in left else 0
        for position in range(len(scores))
    ]


def tail_by_numpy(scores, temperature, lost, least):
    import numpy as np

    logits = np.array(scores) / temperature
    probabilities = np.exp(logits - logits.max())
    probabilities /= probabilities.sum()
    below = np.array([probabilities[logits <= one].sum() for one in logits])
    above = np.array([(logits > one).sum() for one in logits])
    probabilities[(below <= lost) & (above >= least)] = 0
    return (probabilities / probabilities.sum()).tolist()


def penalty_by_positions(scores, written, penalty, fade, end):
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
        negative_sum, _, token, ids = heapq.heappop(heap)
        if ids in seen:
            continue
        seen.add(ids)
        if token in ends:
            ended.append((ids, -negative_sum))
        else:
            living.append((ids, -negative_sum))
    return [living, ended]


def step_by_a_table(beams, rows, width, ends):
    best = {}
    for (ids, total), row in zip(beams, rows):
        for token, score in enumerate(row):
            text = (*ids, token)
            if text not in best or best[text][0] < total + score:
                best.pop(text, None)
                best[text] = (total + score, len(best))
    positions = {}
    for beam, (ids, total) in enumerate(beams):
        for token, score in enumerate(rows[beam]):
            if best[(*ids, token)][0] == total + score:
                positions.setdefault((*ids, token), (beam, token))
    order = sorted(best, key=lambda text: (-best[text][0], positions[text]))
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


class PhraseInParts(ExchangeablePhrase):
    """The phrase with exchangeable methods, unchanged."""


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
    """Compute the progress from all tokens so far."""

    def __init__(self, phrase, patience):
        self.phrase, self.patience, self.tokens = phrase, patience, []

    def reset(self):
        self.tokens = []

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
        there = self._state(self.tokens)[0]
        return None if there == len(self.phrase) else self.phrase[there]

    def remaining(self):
        return len(self.phrase) - self._state(self.tokens)[0]

    def update(self, token):
        self.tokens = [*self.tokens, token]
        there, stepped, broken = self._state(self.tokens)
        return stepped, there == len(self.phrase), broken


def shown_in_parts(pieces):
    return shown_by(pieces)


def shown_by_an_object(pieces):
    class Screen:
        def __init__(self):
            self.pending, self.texts = bytearray(), []

        def lost(self):
            replacements = "\ufffd" * len(self.pending)
            self.pending.clear()
            return replacements

        def put(self, piece):
            if len(piece) == 6 and piece[:3] == "<0x":
                self.pending.append(int(piece[3:5], 16))
                try:
                    text = str(self.pending, "utf-8")
                    self.pending.clear()
                except UnicodeDecodeError:
                    text = self.lost() if len(self.pending) >= 4 else ""
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
    """Decode the pending bytes with errors ignored, and compare the result with them."""
    shown, pending = [], []
    for piece in [*pieces, None]:
        byte = byte_of(piece) if piece else None
        if byte is not None:
            pending.append(byte)
            text = b"".join(pending).decode("utf-8", "ignore")
            if text and text.encode() == b"".join(pending):
                pending = []
            elif len(pending) == 4:
                text, pending = "����", []
            else:
                text = ""
        else:
            text, pending = "�" * len(pending) + (piece or "").replace("▁", " "), []
            if piece and not shown:
                text = text.removeprefix(" ")
        shown.append(text)
    return shown


# --- which test each wrong program fails ----------------------------------------------------------

WRONG: dict[str, dict[Program, list[str]]] = {
    "drop_tail": {
        exclude_crossing_token: ["tail"],
        temperature_last: ["temperature"],
        no_temperature: ["temperature"],
        each_token_separately: ["tail"],
        lost_as_kept_mass: ["tail", "equal"],
        ties_separately: ["equal"],
        no_minimum: ["least"],
        skips_and_continues: ["tail", "least"],
        part_of_a_tie: ["equal"],
        not_renormalized: ["scaled"],
        continues_after_the_minimum: ["least"],
        far_below_the_best: ["temperature", "tail", "equal", "least", "scaled"],
    },
    "fading_penalty": {
        penalize_once: ["each", "places"],
        divide_all_scores: ["each", "fade", "end", "places"],
        all_tokens_penalized: ["each", "fade", "end", "places"],
        fades_from_the_left: ["fade", "places"],
        never_fades: ["fade", "places"],
        fades_at_once: ["fade", "places"],
        fades_by_division: ["fade", "places"],
        end_penalized: ["end", "places"],
        end_position_ignored: ["places"],
        newest_position_for_all: ["places"],
        oldest_position_for_all: ["places"],
        assumes_a_newest_token: ["fade"],
    },
    "grow_beams": {
        no_neg_inf_seed: ["once"],
        top_k_only: ["living"],
        eos_keeps_running: ["living"],
        no_reorder: ["candidates", "ties"],
        beam_sum_ignored: ["candidates", "ended", "once"],
        finished_in_top_width: ["ended"],
        every_finished_candidate: ["ended", "ties"],
        first_end_only: ["ended"],
        reverse_sorted_ties: ["ties"],
        first_duplicate: ["once"],
        last_duplicate: ["once"],
        finished_twice: ["once"],
        finished_ids_of_another_beam: ["ended"],
        finished_without_beam_sum: ["ended", "once"],
        finished_equal_to_worst: ["ties"],
        finished_after_ties: ["ties"],
        assumes_enough_survivors: ["ended"],
        chosen_before_duplicates_go: ["once"],
        only_if_all_beams_are_equal: ["once"],
        tokens_in_order: ["candidates", "living", "ended", "once", "ties"],
        end_tokens_left_out: ["living"],
        ended_by_the_last_survivor: ["ended"],
    },
    "gnmt_score": {
        include_prompt_length: ["length"],
        end_not_counted: ["length", "alpha"],
        lesson_length: ["length", "alpha"],
        penalty_sign: ["length", "alpha"],
        alpha_as_factor: ["alpha"],
        highest_sum_wins: ["length", "alpha"],
    },
    "may_stop": {
        stop_when_k_finished: ["best"],
        pool_size_ignored: ["room"],
        undivided_sums: ["best"],
        best_in_pool: ["best"],
        worst_beam: ["best"],
        continues_at_tie: ["tie"],
    },
    "PatientPhrase": {
        BrokenTokenNotTried: ["again"],
        TriedOnlyWithoutPatience: ["again"],
        BreakingTokenCounted: ["again"],
        IndexOfTheId: ["steps", "again"],
        NeverBreaks: ["breaks", "again"],
        NoPatience: ["steps", "breaks", "again"],
        OnePatienceForAllGaps: ["steps", "breaks"],
        OneTooPatient: ["breaks", "again"],
        RestartsAfterCompletion: ["whole"],
        ForgetsCompletion: ["whole"],
        AdvanceSteps: ["advance", "obeyed"],
        ReturnsProgress: ["advance", "obeyed"],
        ResetKeepsProgress: ["obeyed"],
        FallsBackToAPrefix: ["again"],
        TakesEveryToken: ["advance", "steps", "breaks", "again", "whole", "obeyed"],
    },
    "shown_text": {
        decode_each_token: ["bytes", "own", "broken"],
        hold_forever_on_fffd: ["own"],
        all_at_the_end: ["bytes", "own", "broken"],
        bytes_discarded: ["broken"],
        one_replacement_for_all: ["broken"],
        pending_bytes_decoded: ["broken"],
        no_four_byte_limit: ["broken"],
        bytes_after_the_piece: ["broken"],
        first_space_shown: ["blanks"],
        all_spaces_stripped: ["blanks"],
        one_space_per_piece: ["blanks"],
        space_of_first_text_piece: ["blanks"],
        assumes_a_first_piece: ["blanks"],
        no_leading_spaces: ["blanks"],
        angle_brackets_as_bytes: ["bytes"],
        spaces_one_piece_late: ["blanks"],
        spaces_before_any_text: ["blanks"],
    },
}

RIGHT: dict[str, list[Program]] = {
    "drop_tail": [tail_by_threshold, tail_by_recursion, tail_by_numpy],
    "fading_penalty": [penalty_by_positions, penalty_by_sums, penalty_from_the_left],
    "grow_beams": [step_in_parts, step_with_a_heap, step_by_a_table],
    "gnmt_score": [score_in_steps, score_by_logarithm, score_by_two_powers],
    "may_stop": [stop_in_a_loop, stop_by_logarithm, stop_by_a_pool],
    "PatientPhrase": [PhraseInParts, PhraseAsList, PhraseFromHistory],
    "shown_text": [shown_in_parts, shown_by_an_object, shown_by_widths],
}
