# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Assignment 4: how a model generates text
#
# Eight tasks, {points} points. **Before this:** lessons `17_greedy_and_sampling`, `18_beam_search`,
# `19_group_and_constrained_beams` and `20_contrastive_and_streaming`.
#
# Each task resembles a part of the lessons, but at least one rule is different. Your program is graded by the rules on
# this sheet.
#
# - Write plain Python. You may use the standard library; `numpy` is allowed but not needed. A function or class that
#   calls `tokenlab`, `torch` or `transformers` gets no points.
# - Where a list is expected, a tuple is accepted as well, and the other way round. Do not modify the arguments.
# - **Tokens** are ids: the token with the id `n` has the logit `scores[n]`.
# - **Numbers.** Floats are compared with a tolerance of 0.000001, absolute or relative. Integers are compared exactly.
# - The cells below each function show a few examples. Hidden tests try more inputs, and report one on which your
#   function fails. An `assert` that passes prints nothing. Leave these cells unchanged: they are restored before
#   grading.
# - Before you submit, run all cells once more (*Restart Kernel and Run All Cells*), and save.
# - If your course has no server for submissions, write `from tokenlab.check.submission import hand_in` and
#   `hand_in("assignment4.ipynb")` into a new cell, save, and run the cell. It writes one file that you can submit.

# %% [markdown]
# ## Your id
#
# Write the id under which you submit (on a hub, your login name), in quotes. Task 7 takes its data and two of its
# rules from it. Case and surrounding spaces make no difference.
#
# *How it is checked:* the grader compares the id in this cell with the name under which the notebook was submitted. If
# they differ, task 7 gets no points until your instructor has looked at it.

# %% solution="student_id"
student_id = ...
### BEGIN SOLUTION
student_id = "model"
### END SOLUTION

# %% hidden="*"
from itertools import groupby
from math import exp
from course.course_seed import Random

from course.grading import grade, grade_answer, grade_class
from tokenlab.check.strategies import first_of
from tokenlab.check.trace_comparison import equal_values, nearly_equal


def one_of(same):
    """Compare with several results: the right one, and those that another rule already gives no points for."""
    return lambda given, accepted: any(same(given, one) for one in accepted)


# %% [markdown]
# ## 1. Truncate the tail ({points drop_tail} points)
#
# Write `drop_tail(scores, temperature, lost, least)`. `scores` is a list of logits, `temperature` is above 0, and
# `lost` is between 0 and 1. `least` is an integer from 1 to the number of tokens. Return a list with the probability of
# each token, which is 0 for each dropped token. The rules:
#
# - **Temperature.** First divide each score by the temperature. The softmax of the results gives the probabilities.
# - **Tail.** The least probable token is dropped, then the next one, and so on. The probability mass of all dropped
#   tokens is **at most** `lost`. The first token that would exceed `lost` stays, and so do all more probable tokens.
#   The scores `[0, 1, 2]` have the probabilities 0.09, 0.24 and 0.67: with `lost = 0.2`, only the first token is
#   dropped. (No test depends on rounding.)
# - **Equal scores.** Tokens with equal scores are all dropped or all kept.
# - **Minimum.** At least `least` tokens stay. If a step would leave fewer tokens, it is not done, and nothing more is
#   dropped.
# - **Renormalization.** The remaining probabilities are divided by their sum, so that they sum to 1.
#
# <details><summary>Hint</summary>
#
# `sorted(set(scores))` gives each different score once, from the lowest on. For each of them: how many tokens have it,
# and what is their probability mass?
#
# </details>


# %% solution="drop_tail"
def drop_tail(scores, temperature, lost, least):
    """Return the probabilities without their tail, renormalized."""
    ### BEGIN SOLUTION
    from math import exp

    powers = [exp(score / temperature) for score in scores]
    probabilities = [power / sum(powers) for power in powers]
    dropped, stay = 0.0, len(scores)
    left = list(probabilities)
    for lowest in sorted(set(scores)):
        positions = [position for position, score in enumerate(scores) if score == lowest]
        weight = sum(probabilities[position] for position in positions)
        if dropped + weight > lost or stay - len(positions) < least:
            break
        dropped, stay = dropped + weight, stay - len(positions)
        for position in positions:
            left[position] = 0.0
    return [probability / sum(left) for probability in left]
    ### END SOLUTION
    return ...


# %% hidden="drop_tail"
def right_tail(scores, temperature, lost, least):
    weights = [exp(score / temperature) for score in scores]
    total, ordered, dropped = sum(weights), sorted(scores), 0
    lowest = None
    for score, equal in groupby(ordered):
        dropped += sum(exp(one / temperature) for one in equal) / total
        if dropped > lost or sum(one > score for one in scores) < least:
            break
        lowest = score
    kept = [weight if lowest is None or score > lowest else 0.0 for weight, score in zip(weights, scores)]
    return [weight / sum(kept) for weight in kept]


def tails(seed, temperatures=(1,), least=lambda random, kept: 1, lost=(0.1, 0.2, 0.3, 0.4)):
    """Yield scores whose tail ends clearly, without end; `least` may depend on the number of tokens kept without it."""
    random = Random(seed)
    while True:
        scores = random.sample(range(6), random.randint(2, 5))
        temperature, limit = random.choice(temperatures), random.choice(lost)
        if clear(scores, limit, temperature) and clear(scores, limit, 1):
            kept = sum(number > 0 for number in right_tail(scores, temperature, limit, 1))
            yield scores, temperature, limit, least(random, kept)


def equal_ones():
    """Yield equal scores, and perhaps one far below them, without end."""
    random = Random(3)
    while True:
        scores = [random.randint(0, 3)] * random.randint(2, 4) + [-9] * random.randint(0, 1)
        random.shuffle(scores)
        limit = random.choice([0.3, 0.6, 0.8])
        if clear(scores, limit, 1):
            yield scores, 1, limit, 1


def groups(least):
    """Yield scores that occur several times each, without end; `least` gives the largest minimum to draw."""
    random = Random(31)
    while True:
        scores = [0] * random.randint(1, 5) + [random.randint(1, 3)] * random.randint(1, 2)
        scores += [4] * random.randint(0, 2)
        random.shuffle(scores)
        limit = random.choice([0.2, 0.4, 0.5, 0.7])
        if clear(scores, limit, 1):
            yield scores, 1, limit, random.randint(1, least(scores))


def two_groups():
    """Yield two scores that occur several times each, without end; the higher one is too probable to be dropped.

    The lower one is dropped, or the minimum forbids it.
    """
    random = Random(34)
    while True:
        low, high = random.randint(2, 5), random.randint(1, 3)
        scores = [0] * low + [random.randint(1, 4)] * high
        random.shuffle(scores)
        limit, least = random.choice([0.1, 0.2, 0.3]), random.randint(1, low + high)
        if clear(scores, limit, 1) and (least > high or 0 in right_tail(scores, 1, limit, 1)):
            yield scores, 1, limit, least


def with_and_without_minimum(scores, temperature, lost, least):
    return [right_tail(scores, temperature, lost, minimum) for minimum in (least, 1)]


def with_and_without_temperature(scores, temperature, lost, least):
    """Return what the probabilities of the tokens are proportional to."""
    return [[exp(score / divisor) for score in scores] for divisor in (temperature, 1)]


def unchanged_scores(scores, temperature, lost, least):
    """Return the scores themselves, for tests that only ask which tokens stay together."""
    return scores


def everything_above_is_kept(given, scores):
    """Whether all tokens that are more probable than a kept token are kept as well."""
    lowest = min(score for number, score in zip(given, scores, strict=True) if number > 0)
    return all(number > 0 for number, score in zip(given, scores) if score > lowest)


def clear(scores, lost, temperature):
    """Whether no sum of a tail is so close to the limit that rounding decides."""
    weights = sorted(exp(score / temperature) for score in scores)
    return all(abs(sum(weights[:end]) / sum(weights) - lost) > 1e-3 for end in range(len(weights)))


def same_ones(given, right):
    """Whether the same tokens are kept."""
    return [number > 0 for number in given] == [number > 0 for number in right]


def same_proportions(given, right):
    """Whether the remaining probabilities have the same proportions, renormalized or not."""
    total = sum(given)
    return total > 0 and nearly_equal([number / total for number in given], right)


def renormalized(given, weights):
    """Whether some tokens are dropped, and the probabilities of the others have these proportions and the sum 1."""
    left = [weight if number > 0 else 0.0 for number, weight in zip(given, weights, strict=True)]
    return any(left) and not all(left) and nearly_equal(given, [weight / sum(left) for weight in left])


# %% tests="drop_tail-temperature" points=2
### BEGIN HIDDEN TESTS
rule = "All scores are divided by the temperature before any token is dropped, and the tail is the tail of the new probabilities."
warm = tails(1, (0.5, 2, 3), least=lambda random, kept: kept)
grade(sheet.get("drop_tail"), right_tail, first_of(warm, 60), rule, tried=60, same=same_proportions)
### END HIDDEN TESTS
assert abs(drop_tail([0, 2], 2, 0.1, 2)[0] - 0.268941) < 1e-5

# %% tests="drop_tail-tail" points=2
### BEGIN HIDDEN TESTS
rule = "From the least probable token on, tokens are dropped as long as the probability mass of all dropped tokens is at most `lost`; the token that would exceed it stays."
grade(sheet.get("drop_tail"), right_tail, first_of(tails(2), 60), rule, tried=60, same=same_ones)
rule = "The first token that would exceed `lost` ends the tail: all more probable tokens stay, even if their own probability is small."
heavy = groups(lambda scores: 1)
sure = [([0, 0, 0, 1], 1, 0.5, 1)]
grade(sheet.get("drop_tail"), unchanged_scores, first_of(heavy), rule, sure, tried=40, same=everything_above_is_kept)
### END HIDDEN TESTS
assert [number > 0 for number in drop_tail([0, 1, 2], 1, 0.2, 1)] == [False, True, True]

# %% tests="drop_tail-equal" points=1
### BEGIN HIDDEN TESTS
rule = "Tokens with equal scores are all dropped or all kept."
grade(sheet.get("drop_tail"), right_tail, first_of(equal_ones()), rule, tried=40, same=same_ones)
grade(
    sheet.get("drop_tail"),
    with_and_without_minimum,
    first_of(two_groups()),
    rule,
    [([0, 0, 5], 1, 0.5, 2)],
    tried=40,
    same=one_of(same_ones),
)
### END HIDDEN TESTS
assert [number > 0 for number in drop_tail([0, 0], 1, 0.6, 1)] == [True, True]

# %% tests="drop_tail-least" points=1
### BEGIN HIDDEN TESTS
rule = "At least `least` tokens stay, even if their probability is small."
many = tails(4, least=lambda random, kept: kept + 1, lost=(0.4, 0.6, 0.9))
grade(sheet.get("drop_tail"), right_tail, first_of(many, 60), rule, tried=60, same=same_ones)
rule = "The first step that would leave too few tokens ends the tail: all more probable tokens stay."
several, sure = groups(len), [([0, 0, 0, 0, 0, 1], 1, 0.7, 5)]
grade(sheet.get("drop_tail"), unchanged_scores, first_of(several), rule, sure, tried=40, same=everything_above_is_kept)
### END HIDDEN TESTS
assert [number > 0 for number in drop_tail([0, 1, 2], 1, 0.5, 2)] == [False, True, True]

# %% tests="drop_tail-scaled" points=1
### BEGIN HIDDEN TESTS
rule = "The remaining probabilities are divided by their sum, so that they sum to 1."
cut = (one for one in tails(5, (1, 2), least=lambda random, kept: random.randint(1, kept)) if 0 in right_tail(*one))
grade(
    sheet.get("drop_tail"),
    with_and_without_temperature,
    first_of(cut, 60),
    rule,
    tried=60,
    same=one_of(renormalized),
)
### END HIDDEN TESTS
assert abs(sum(drop_tail([0, 1, 2], 1, 0.2, 1)) - 1) < 1e-5

# %% [markdown]
# ## 2. A penalty that fades ({points fading_penalty} points)
#
# Write `fading_penalty(scores, written, penalty, fade, end)`. `scores` is a list of logits, and `written` is the list
# of the ids generated so far, perhaps empty. `penalty` and `fade` are numbers, and `end` is the id of the end token.
# Return the list of the new scores. The rules:
#
# - **Each occurrence** of a token in `written` has a cost. The score of the token is reduced by the sum of these costs.
#   Nothing is divided.
# - **Fading.** The newest token, the last of `written`, costs `penalty`. The one before it costs `penalty` times
#   `fade`, the next one `penalty` times `fade` squared, and so on. With `written = [0, 0, 1]`, `penalty = 4` and
#   `fade = 0.5`, token 0 costs 1 + 2 and token 1 costs 4.
# - **End token.** The score of the token `end` does not change. Its positions in `written` count for the fading of
#   other tokens.
#
# <details><summary>Hint</summary>
#
# Go through `written` from right to left, with a cost that is multiplied by `fade` after each token.
#
# </details>


# %% solution="fading_penalty"
def fading_penalty(scores, written, penalty, fade, end):
    """Return the scores, reduced by the costs of each token."""
    ### BEGIN SOLUTION
    left, cost = list(scores), penalty
    for token in reversed(written):
        if token != end:
            left[token] -= cost
        cost *= fade
    return left
    ### END SOLUTION
    return ...


# %% hidden="fading_penalty"
def right_penalty(scores, written, penalty, fade, end):
    newest = len(written) - 1
    costs = [
        sum(penalty * fade ** (newest - position) for position, token in enumerate(written) if token == id != end)
        for id in range(len(scores))
    ]
    return [score - cost for score, cost in zip(scores, costs)]


def texts_so_far(seed, fades, written):
    """Yield scores of 4 tokens, the last of which is the end token, and a text, without end."""
    random = Random(seed)
    while True:
        scores = [random.randint(-4, 4) for _ in range(4)]
        yield scores, written(random), random.choice([1, 2]), random.choice(fades), 3


def with_doubles(random):
    return [random.randint(0, 1) for _ in range(random.randint(1, 4))]


def without_doubles(random):
    return random.sample(range(3), random.randint(1, 3))


def with_all(random):
    """Return a text in which tokens occur again, before and after the end token."""
    return [random.choice([0, 1, 3]) for _ in range(random.randint(1, 4))]


def with_end():
    """Yield scores and a text that contains the end token and no token twice, without end."""
    random = Random(8)
    while True:
        written = random.sample(range(3), random.randint(1, 3))
        scores = [random.randint(-4, 4) for _ in range(3)]
        yield scores, written, random.choice([2, 3]), 1, random.choice(written)


# %% tests="fading_penalty-each" points=1
### BEGIN HIDDEN TESTS
rule = "Each occurrence of a token in the text subtracts the penalty once more; the scores of all other tokens stay."
grade(
    sheet.get("fading_penalty"),
    right_penalty,
    first_of(texts_so_far(6, [1], with_doubles)),
    rule,
    tried=40,
    same=nearly_equal,
)
### END HIDDEN TESTS
assert list(fading_penalty([5, -5, 0], [0, 1, 1], 1, 1, 2)) == [4, -7, 0]

# %% tests="fading_penalty-fade" points=2
### BEGIN HIDDEN TESTS
rule = "The newest token costs the full penalty, and each position further back multiplies the cost by `fade`."
grade(
    sheet.get("fading_penalty"),
    right_penalty,
    first_of(texts_so_far(7, [0.5, 0.25], without_doubles)),
    rule,
    [([5, 5], [], 1, 0.5, 0)],
    tried=40,
    same=nearly_equal,
)
### END HIDDEN TESTS
assert [round(score, 6) for score in fading_penalty([5, 5, 5], [1, 0], 2, 0.5, 2)] == [3, 4, 5]

# %% tests="fading_penalty-end" points=1
### BEGIN HIDDEN TESTS
rule = "The score of the end token does not change, wherever the token occurs; the others are reduced by their costs."
grade(sheet.get("fading_penalty"), right_penalty, first_of(with_end()), rule, tried=40, same=nearly_equal)
### END HIDDEN TESTS
assert list(fading_penalty([5, 5, 5], [1], 2, 1, 1)) == [5, 5, 5]

# %% tests="fading_penalty-places" points=1
### BEGIN HIDDEN TESTS
rule = "Each position of the text has its own cost, also if a token occurs again; the position of the end token counts, although the end token pays nothing."
grade(
    sheet.get("fading_penalty"),
    right_penalty,
    first_of(texts_so_far(32, [0.5, 0.25], with_all)),
    rule,
    [([5, 5, 5], [0, 2, 1], 2, 0.5, 2), ([5, 5, 5], [0, 0, 1], 2, 0.5, 2)],
    tried=40,
    same=nearly_equal,
)
### END HIDDEN TESTS
assert [round(score, 6) for score in fading_penalty([5, 5, 5], [0, 0, 1], 4, 0.5, 2)] == [2, 1, 5]

# %% [markdown]
# ## 3. One step of beam search ({points grow_beams} points)
#
# Write `grow_beams(beams, rows, width, ends)`. `beams` is a list of pairs: the list of ids of a hypothesis, and its
# cumulative log-probability (its sum). `rows` has a list for each beam: the log-probability of each token as the next
# one. `width` is the number of beams, and `ends` is the list of all end tokens. Return a pair of lists
# `(living, ended)`: the surviving beams, and the hypotheses that finish in this step. Both contain pairs of ids and
# sum, in the order below. The rules:
#
# - **Candidates.** Each beam is continued with each token. The candidate has the ids of its beam and the token, and the
#   sum of its beam plus the log-probability of the token.
# - **No duplicates.** Of several candidates with the same ids, only the best one counts. (At the start, all beams may
#   be equal.)
# - **Order.** Larger sums come first. Of equal sums, the candidate of the earlier beam comes first; within a beam, the
#   smaller token comes first.
# - **Surviving beams.** The first `width` candidates that do not end with an end token survive.
# - **Finished hypotheses.** A candidate that ends with an end token finishes if fewer than `width` **surviving**
#   candidates come before it. Its ids include the end token. All other candidates are discarded.
#
# An example: `grow_beams([([0], 0)], [[-1, -2, -3]], 1, [0, 2])`. The candidate with token 0 is the best one and
# finishes. The candidate with token 1 survives. The candidate with token 2 comes after it and is discarded.
#
# <details><summary>Hint</summary>
#
# List all candidates as tuples that can be sorted, with the negative sum first. Go through the sorted list, and stop
# when enough candidates survive.
#
# </details>


# %% solution="grow_beams"
def grow_beams(beams, rows, width, ends):
    """Return the surviving beams and the finished hypotheses of one step."""
    ### BEGIN SOLUTION
    candidates = []
    for beam, ((ids, total), row) in enumerate(zip(beams, rows)):
        for token, score in enumerate(row):
            candidates.append((-(total + score), beam, token, [*ids, token]))
    living, ended, seen = [], [], []
    for negative_sum, _, token, ids in sorted(candidates):
        if len(living) == width:
            break
        if ids not in seen:
            seen.append(ids)
            (ended if token in ends else living).append((ids, -negative_sum))
    return living, ended
    ### END SOLUTION
    return ...


# %% hidden="grow_beams"
def right_step(beams, rows, width, ends):
    grown = [
        ((*ids, token), total + score) for (ids, total), row in zip(beams, rows) for token, score in enumerate(row)
    ]
    grown.sort(key=lambda one: -one[1])  # sorting keeps the order of equal elements
    once = list({ids: (ids, total) for ids, total in reversed(grown)}.values())[::-1]
    once.sort(key=lambda one: (-one[1], [text for text, _ in grown].index(one[0])))
    living = [one for one in once if one[0][-1] not in ends][:width]
    worst = once.index(living[-1]) if len(living) == width else len(once)
    return living, [one for one in once[:worst] if one[0][-1] in ends]


def searches(seed, ends, most=0, equal=False):
    """Yield beams of two tokens and rows of four, without end; all sums differ unless `equal` is true."""
    random = Random(seed)
    while True:
        width = random.randint(1, 3)
        texts = random.sample([(0, one, other) for one in range(2) for other in range(2)], width)
        sums = sorted((-random.randint(0, most) / 2 for _ in range(width)), reverse=True)
        rows = [[-number / 4 for number in random.sample(range(1, 30), 4)] for _ in texts]
        if equal:
            rows = [[-random.randint(1, 3) / 2 for _ in range(4)] for _ in texts]
        made = {
            (*text, id): total + score for text, total, row in zip(texts, sums, rows) for id, score in enumerate(row)
        }
        if equal or len(set(made.values())) == len(made):
            beams = [(list(text), total) for text, total in zip(texts, sums)]
            yield beams, rows, width, ends(random)


def equal_beams(seed, ends, texts):
    """Yield two or three beams with some of these texts, which may be equal, without end; all best sums differ."""
    random = Random(seed)
    while True:
        next_ones = {text: [-number / 4 for number in random.sample(range(1, 16), 4)] for text in texts}
        drawn = random.choices(texts, k=random.randint(2, 3))
        beams = list(zip(map(list, drawn), random.sample([0.0, -0.5, -1.0, -5.0], len(drawn))))
        search = beams, [next_ones[text] for text in drawn], len(drawn), ends(random)
        best = best_sums(*search)
        if len(set(best.values())) == len(best):
            yield search


def small_vocabularies():
    """Yield one beam and so few tokens that fewer than `width` candidates may survive, without end."""
    random = Random(36)
    while True:
        size = random.randint(1, 3)
        row = [-number / 2 for number in random.sample(range(1, 9), size)]
        yield [([0], 0.0)], [row], random.randint(1, 3), random.sample(range(size), random.randint(1, size))


def ties_with_an_end():
    """Yield one beam whose tokens have some equal log-probabilities, and one end token, without end."""
    random = Random(33)
    while True:
        row = [-random.randint(1, 2) / 2 for _ in range(4)]
        yield [([0], 0.0)], [row], random.randint(1, 3), [random.randint(0, 3)]


def best_sums(beams, rows, width, ends):
    """Return the best sum for the ids of each possible candidate."""
    return {ids: total for living in right_step(beams, rows, len(beams) * 4, []) for ids, total in living}


def each_once(given, best):
    """Whether no hypothesis occurs twice, and each has its best sum."""
    living, ended = ([(tuple(ids), total) for ids, total in pairs] for pairs in given)
    once = all(len({ids for ids, _ in pairs}) == len(pairs) for pairs in (living, ended))
    return bool(living + ended) and once and all(nearly_equal(total, best[ids]) for ids, total in living + ended)


def last_ids_and_sums(pairs):
    return [(ids[-1], total) for ids, total in pairs]


def living_sums(given, right):
    """Whether the survivors have the right sums and last ids, whatever is before these."""
    return len(given) == 2 and nearly_equal(last_ids_and_sums(given[0]), last_ids_and_sums(right[0]))


def ended_pairs(given, right):
    return len(given) == 2 and nearly_equal(given[1], right[1])


def ended_texts(given, right):
    return len(given) == 2 and equal_values([ids for ids, _ in given[1]], [ids for ids, _ in right[1]])


def living_texts(given, right):
    return len(given) == 2 and equal_values([ids for ids, _ in given[0]], [ids for ids, _ in right[0]])


# %% tests="grow_beams-candidates" points=1
### BEGIN HIDDEN TESTS
rule = "A candidate has the ids of its own beam and the token, and the sum of its own beam plus the log-probability of the token."
plain = searches(9, lambda random: [], most=12)
grade(
    sheet.get("grow_beams"), right_step, first_of(plain, 60), rule, tried=60, same=lambda a, b: nearly_equal(a[0], b[0])
)
### END HIDDEN TESTS
living, _ = grow_beams([([0], 0), ([5], -1)], [[-9, -3], [-9, -1]], 2, [])
assert [(list(ids), total) for ids, total in living] == [([5, 1], -2), ([0, 1], -3)]

# %% tests="grow_beams-living" points=2
### BEGIN HIDDEN TESTS
rule = "A finished candidate does not survive and takes no beam slot: `width` other candidates survive."
ending = searches(10, lambda random: random.choice([[1], [0, 1], [2]]))
grade(sheet.get("grow_beams"), right_step, first_of(ending, 60), rule, tried=60, same=living_sums)
### END HIDDEN TESTS
living, _ = grow_beams([([0], 0)], [[-1, -2, -3]], 2, [0])
assert [list(ids) for ids, _ in living] == [[0, 1], [0, 2]]

# %% tests="grow_beams-ended" points=2
### BEGIN HIDDEN TESTS
rule = "Every finished candidate before the last surviving one is returned, with its ids and its sum, for every end token; finished candidates after it are discarded."
ending = searches(11, lambda random: random.choice([[1], [0, 1], [2, 3]]), most=12)
grade(sheet.get("grow_beams"), right_step, first_of(ending, 60), rule, tried=60, same=ended_pairs)
rule = "If fewer than `width` candidates survive, every finished candidate is returned."
few, sure = small_vocabularies(), [([([0], 0)], [[-1, -2]], 2, [0])]
grade(sheet.get("grow_beams"), right_step, first_of(few), rule, sure, tried=40, same=ended_pairs)
### END HIDDEN TESTS
_, ended = grow_beams([([0], 0)], [[-1, -2, -3]], 1, [0, 2])
assert [list(ids) for ids, _ in ended] == [[0, 0]]

# %% tests="grow_beams-once" points=2
### BEGIN HIDDEN TESTS
rule = "Equal beams have the same candidates, and each candidate counts once, with its best sum, whether it survives or finishes."
some_doubled = equal_beams(35, lambda random: [], [(0,), (1,)])
grade(sheet.get("grow_beams"), right_step, first_of(some_doubled, 60), rule, tried=60, same=living_sums)
doubled = equal_beams(12, lambda random: random.choice([[], [3]]), [(0,)])
grade(sheet.get("grow_beams"), best_sums, first_of(doubled, 60), rule, tried=60, same=each_once)
### END HIDDEN TESTS
living, _ = grow_beams([([0], -5), ([0], 0)], [[-1, -2], [-1, -2]], 2, [])
assert [(list(ids), total) for ids, total in living] == [([0, 0], -1), ([0, 1], -2)]

# %% tests="grow_beams-ties" points=1
### BEGIN HIDDEN TESTS
rule = "Of equal sums, the candidate of the earlier beam comes first, and within a beam the smaller token."
tied = searches(13, lambda random: [], equal=True)
grade(sheet.get("grow_beams"), right_step, first_of(tied, 60), rule, tried=60, same=living_texts)
rule = "Of equal sums, the smaller token comes first, whether it is an end token or not, so a finished candidate may come before or after a surviving one."
grade(sheet.get("grow_beams"), right_step, first_of(ties_with_an_end(), 60), rule, tried=60, same=ended_texts)
### END HIDDEN TESTS
living, _ = grow_beams([([0], 0)], [[-1, -1, -1]], 2, [])
assert [list(ids) for ids, _ in living] == [[0, 0], [0, 1]]

# %% [markdown]
# ## 4. Another length normalization, and when to stop ({points gnmt_score} + {points may_stop} points)
#
# Google's translator of 2016 (Wu and others, *Google's Neural Machine Translation System*, equation 14) divides the sum
# of a finished hypothesis by another number than the lessons do. Write `gnmt_score(ids, total, prompt, alpha)`, which
# returns a number. `ids` is a list of ids, `total` their cumulative log-probability, `prompt` an integer, and `alpha` a
# number, 0 or more. The rules:
#
# - **Length.** The first `prompt` ids are the prompt, and all others were generated. Let `n` be the number of
#   **generated** ids, including the end token.
# - **Score.** The score is `total` divided by `((5 + n) / 6) ** alpha`. With `n = 7`, `total = -6` and `alpha = 1`, it
#   is -6/2 = -3.
#
# The second function is `may_stop(scores, room, sums, longest, alpha)`, which returns `True` or `False`. The pool
# contains finished hypotheses with the scores `scores`, and has space for `room` hypotheses. `sums` are the cumulative
# log-probabilities of the beams, at least one. A hypothesis has at most `longest` generated ids, and `alpha` is 0 or
# more. The rules:
#
# - **Full pool.** As long as the pool is not full, the search continues.
# - **Best attainable score.** A full pool stops the search if **no** beam can reach a better score than the worst one
#   in the pool. A log-probability is at most 0, so a sum never grows. A longer hypothesis has a larger divisor, which
#   moves a negative sum closer to 0. So what is the best score that a beam can still reach?
# - **Ties.** A score that is equal to the worst one in the pool does not replace it.
#
# An example: with `longest = 7` and `alpha = 1`, a beam with the sum -6 can reach -3. So the search continues if the
# pool contains only the score -5.
#
# <details><summary>Hint</summary>
#
# Suppose that all further tokens of a beam have the probability 1, so its sum does not change. Which length gives the
# best score?
#
# </details>


# %% solution="gnmt_score"
def gnmt_score(ids, total, prompt, alpha):
    """Return the score of a finished hypothesis."""
    ### BEGIN SOLUTION
    return total / ((5 + len(ids) - prompt) / 6) ** alpha
    ### END SOLUTION
    return ...


# %% hidden="gnmt_score"
def right_score(ids, total, prompt, alpha):
    written = ids[prompt:]
    divisor = (len(written) + 5) / 6
    return total * divisor**-alpha


def hypotheses(seed, alphas, prompts):
    """Yield hypotheses that start with a prompt, without end."""
    random = Random(seed)
    while True:
        prompt, written = random.choice(prompts), random.randint(1, 9)
        ids = [random.randint(0, 9) for _ in range(prompt + written)]
        yield ids, -random.randint(1, 20) / 2, prompt, random.choice(alphas)


# %% tests="gnmt_score-length" points=2
### BEGIN HIDDEN TESTS
rule = "The length is the number of generated ids, with the end token and without the prompt; the divisor is this number plus 5, divided by 6."
grade(sheet.get("gnmt_score"), right_score, first_of(hypotheses(14, [1], [1, 2, 3])), rule, tried=40, same=nearly_equal)
### END HIDDEN TESTS
assert abs(gnmt_score([0, 7, 8, 9, 7, 8, 9, 1], -6, 1, 1) + 3) < 1e-6

# %% tests="gnmt_score-alpha" points=2
### BEGIN HIDDEN TESTS
rule = "The sum is divided by a power: a larger alpha moves a longer text closer to 0, and with alpha 0 the sum does not change."
grade(
    sheet.get("gnmt_score"), right_score, first_of(hypotheses(15, [0, 0.5, 2], [0])), rule, tried=40, same=nearly_equal
)
### END HIDDEN TESTS
assert abs(gnmt_score([7, 8, 9, 7, 8, 9, 1], -6, 0, 2) + 1.5) < 1e-5
assert abs(gnmt_score([7, 8, 9, 7, 8, 9, 1], -6, 0, 0) + 6) < 1e-5


# %% solution="may_stop"
def may_stop(scores, room, sums, longest, alpha):
    """Whether no beam can still enter the pool."""
    ### BEGIN SOLUTION
    if len(scores) < room:
        return False
    return max(sums) / ((5 + longest) / 6) ** alpha <= min(scores)
    ### END SOLUTION
    return ...


# %% hidden="may_stop"
def right_stop(scores, room, sums, longest, alpha):
    reachable = [total * ((longest + 5) / 6) ** -alpha for total in sums]
    return len(scores) >= room and not any(score > min(scores) for score in reachable)


def pools(seed, missing=(0,), offsets=(-1, 1)):
    """Yield pools whose worst score is near the best attainable score or equal to it, without end."""
    random = Random(seed)
    while True:
        room, longest, alpha = random.randint(1, 3), random.choice([7, 13]), random.choice([1, 2])
        sums = sorted(random.sample(range(-24, -3), random.randint(1, 3)), key=lambda _: random.random())
        worst = max(sums) / ((5 + longest) / 6) ** alpha + random.choice(offsets) / 4
        others = [worst + random.randint(1, 12) / 2 for _ in range(room - 1)]
        scores = [worst, *others][: room - random.choice(missing)] if room > 1 else [worst]
        random.shuffle(scores)
        if all(score <= 0 for score in scores):
            yield scores, room, sums, longest, alpha


# %% tests="may_stop-room" points=1
### BEGIN HIDDEN TESTS
rule = "As long as the pool is not full, the search continues; if it is full, the search stops if no better score is possible."
grade(
    sheet.get("may_stop"),
    right_stop,
    first_of(pools(16, missing=(0, 1), offsets=(4,))),
    rule,
    [([-1], 1, [-90], 7, 1), ([-1], 2, [-90], 7, 1)],
    tried=40,
)
### END HIDDEN TESTS
assert [may_stop([-1], 1, [-90], 7, 1), may_stop([-1], 2, [-90], 7, 1)] == [True, False]

# %% tests="may_stop-best" points=2
### BEGIN HIDDEN TESTS
rule = "The best attainable score is the largest sum, divided as for the longest hypothesis; it is compared with the worst score in the pool."
grade(sheet.get("may_stop"), right_stop, first_of(pools(17), 60), rule, tried=60)
### END HIDDEN TESTS
assert [may_stop([-5], 1, [-6], 7, 1), may_stop([-1, -2], 2, [-6, -8], 7, 1)] == [False, True]

# %% tests="may_stop-tie" points=1
### BEGIN HIDDEN TESTS
rule = "A score that is equal to the worst one in the pool does not replace it, so the search may stop."
# 6/6, and every number to the power of 0, is exactly 1 in floating point.
exact = [([-3], 1, [-3], 1, 1), ([-3], 1, [-3], 7, 0), ([-5, -2], 2, [-5, -9], 1, 2), ([-4], 1, [-7, -4], 13, 0)]
grade(sheet.get("may_stop"), right_stop, first_of(exact), rule, exact, tried=8)
### END HIDDEN TESTS
assert [may_stop([-3], 1, [-3], 1, 1), may_stop([-3], 1, [-3], 7, 0)] == [True, True]

# %% [markdown]
# ## 5. A phrase with patience ({points PatientPhrase} points)
#
# Complete the class `PatientPhrase(phrase, patience)`. It is a constraint: the ids of `phrase` must occur in this
# order, and the same id may occur twice in `phrase`. Between two of them, up to `patience` other tokens in a row are
# allowed. The *progress* of the constraint is the number of ids of the phrase that have occurred. The methods:
#
# - `advance()` returns the next missing id, or `None` if the phrase is complete. It does not change the state.
# - `remaining()` returns the number of missing ids. It does not change the state.
# - `reset()` starts again: the progress is 0, and no other tokens have been counted. It returns `None`.
# - `update(token)` processes the next token, and returns three Booleans: `(stepped, whole, broken)`. `stepped` says
#   whether the token increased the progress, `whole` whether the phrase is complete now, and `broken` whether the token
#   broke the phrase.
#
# The rules for `update`:
#
# - **The next missing id.** The progress grows by 1, `stepped` is `True`, and counting the other tokens starts again at
#   0.
# - **Another token, if the progress is 0 or the phrase is complete.** Nothing changes. A complete phrase stays
#   complete.
# - **Another token, if the phrase is in progress.** One more other token is counted. If there are now more than
#   `patience` in a row, the phrase is `broken`. It starts again, and this token is **tried as its first id**. If it is
#   the first id, `stepped` is `True`.
#
# An example: with the phrase *1, 2* and the patience 1, the tokens *1, 3, 2* complete the phrase, and *1, 3, 3, 2*
# break it.
#
# <details><summary>Hint</summary>
#
# Store two numbers: the progress, and the number of other tokens since the progress last grew.
#
# </details>


# %% solution="PatientPhrase"
class PatientPhrase:
    """A phrase that must occur, with at most `patience` other tokens in a row between its ids."""

    def __init__(self, phrase, patience):
        self.phrase, self.patience = list(phrase), patience
        self.reset()

    def reset(self):
        ### BEGIN SOLUTION
        self.there = self.waited = 0
        return None
        ### END SOLUTION
        return ...

    def advance(self):
        ### BEGIN SOLUTION
        return self.phrase[self.there] if self.remaining() else None
        ### END SOLUTION
        return ...

    def remaining(self):
        ### BEGIN SOLUTION
        return len(self.phrase) - self.there
        ### END SOLUTION
        return ...

    def update(self, token):
        ### BEGIN SOLUTION
        broken = False
        if 0 < self.there < len(self.phrase) and token != self.advance():
            self.waited += 1
            if self.waited > self.patience:
                self.reset()
                broken = True
        stepped = self.remaining() > 0 and token == self.advance()
        if stepped:
            self.there, self.waited = self.there + 1, 0
        return stepped, self.remaining() == 0, broken
        ### END SOLUTION
        return ...


# %% hidden="PatientPhrase"
class RightPhrase:
    def __init__(self, phrase, patience):
        self.phrase, self.patience = tuple(phrase), patience
        self.reset()

    def reset(self):
        self.left, self.gap = list(self.phrase), 0

    def advance(self):
        return self.left[0] if self.left else None

    def remaining(self):
        return len(self.left)

    def update(self, token):
        begun = 0 < len(self.left) < len(self.phrase)
        if not self.left:
            return False, True, False
        if token == self.left[0]:
            del self.left[0]
            self.gap = 0
            return True, not self.left, False
        if not begun:
            return False, False, False
        self.gap += 1
        if self.gap <= self.patience:
            return False, False, False
        self.reset()
        return self.update(token)[0], not self.left, True


def after(cls, phrase, patience, tokens):
    """Return the results of update for each token."""
    theirs = cls(phrase, patience)
    return [theirs.update(token) for token in tokens]


def advance_and_remaining(cls, phrase, patience, tokens):
    """Return the results of advance and remaining, called twice before each token and after the last."""
    theirs, seen = cls(phrase, patience), []
    for token in [*tokens, 0]:
        seen += [theirs.advance(), theirs.remaining(), theirs.advance(), theirs.remaining()]
        theirs.update(token)
    return seen


def after_reset(cls, phrase, patience, tokens):
    """Test a constraint as the library does: a reset forgets all tokens, and following advance completes it."""
    theirs, seen = cls(phrase, patience), []
    for _ in range(2):
        seen += [theirs.update(token) for token in tokens]
        theirs.reset()
    for _ in phrase:
        seen.append(theirs.update(theirs.advance()))
    return [*seen, theirs.remaining(), theirs.advance()]


def updated_with(name, phrase, patience, tokens):
    return f"{name}({phrase}, {patience}), updated with {tokens},"


def reset_and_updated(name, phrase, patience, tokens):
    return f"{name}({phrase}, {patience}), twice updated with {tokens} and reset, and then updated with advance() each time,"


def phrases(seed, fits, patience=(0, 1, 2), twice=False):
    """Yield phrases and tokens for which a condition holds, without end; with `twice`, an id may occur twice in a phrase."""
    random = Random(seed)
    while True:
        drawn = random.choice([random.sample, random.choices]) if twice else random.sample
        phrase = drawn([1, 2, 4], k=random.randint(2, 3))
        patient = random.choice(patience)
        stream = [random.choice([*phrase, 3]) for _ in range(random.randint(1, 6))]
        if fits(RightPhrase(phrase, patient), stream):
            yield phrase, patient, stream


def never_breaks(theirs, stream):
    """Whether no token breaks the phrase, and no token follows the complete phrase."""
    said = [theirs.update(token) for token in stream]
    return not any(broken for _, _, broken in said) and not any(whole for _, whole, _ in said[:-1])


def breaks_at_the_first_id(theirs, stream):
    """Whether the first id of a phrase of two breaks it, and the phrase is not complete before the end."""
    first, one_gap = theirs.advance(), theirs.remaining() == 2
    said = [(token, theirs.update(token)) for token in stream]
    broken_by_first = any(broken and token == first for token, (_, _, broken) in said)
    return one_gap and broken_by_first and not any(whole for _, (_, whole, _) in said[:-1])


def breaks(theirs, stream):
    """Whether only tokens other than the first id break the phrase, and it is never complete."""
    first = theirs.advance()
    said = [(token, theirs.update(token)) for token in stream]
    return (
        any(broken for _, (_, _, broken) in said)
        and not any(broken and token == first for token, (_, _, broken) in said)
        and not any(whole for _, (_, whole, _) in said)
    )


def complete_before_the_end(theirs, stream):
    said = [theirs.update(token) for token in stream]
    return any(whole for _, whole, _ in said[:-1]) and not any(broken for _, _, broken in said)


# %% tests="PatientPhrase-advance" points=1
### BEGIN HIDDEN TESTS
rule = "advance returns the next missing id, and remaining the number of missing ids; neither changes the state."
near = phrases(18, never_breaks, patience=(0,))
grade_class(
    sheet.get("PatientPhrase"),
    RightPhrase,
    advance_and_remaining,
    updated_with,
    first_of(near),
    rule,
    [([5], 0, [5])],
    tried=40,
)
### END HIDDEN TESTS
constraint = PatientPhrase([7, 8], 0)
assert (constraint.advance(), constraint.remaining()) == (7, 2)

# %% tests="PatientPhrase-steps" points=2
### BEGIN HIDDEN TESTS
rule = "The next missing id increases the progress by one; between two ids, up to `patience` other tokens in a row are allowed, counted from 0 in each gap."
near = phrases(19, never_breaks, twice=True)
grade_class(
    sheet.get("PatientPhrase"),
    RightPhrase,
    after,
    updated_with,
    first_of(near, 60),
    rule,
    [([1, 2, 4], 1, [1, 3, 2, 3, 4]), ([1, 1, 2], 0, [1, 1, 2])],
    tried=60,
)
### END HIDDEN TESTS
constraint = PatientPhrase([1, 2], 1)
assert [tuple(constraint.update(token)) for token in (1, 3, 2)] == [
    (True, False, False),
    (False, False, False),
    (True, True, False),
]

# %% tests="PatientPhrase-breaks" points=2
### BEGIN HIDDEN TESTS
rule = "One token more than the patience allows breaks the phrase: the progress is 0, and the count of other tokens is 0 as well."
impatient = phrases(20, breaks)
second_gap = [([1, 2, 4], 1, [1, 3, 2, 3, 3])]
grade_class(
    sheet.get("PatientPhrase"), RightPhrase, after, updated_with, first_of(impatient, 60), rule, second_gap, tried=60
)
### END HIDDEN TESTS
constraint = PatientPhrase([1, 2], 0)
assert [tuple(constraint.update(token)) for token in (1, 3, 2)] == [
    (True, False, False),
    (False, False, True),
    (False, False, False),
]

# %% tests="PatientPhrase-again" points=1
### BEGIN HIDDEN TESTS
rule = "The token that breaks the phrase is tried as its first id, and if it is this id, the full patience is available again."
again = phrases(21, breaks_at_the_first_id, patience=(0, 1))
sure = [([1, 2], 1, [1, 3, 1, 3, 2]), ([1, 1, 2], 0, [1, 1, 1, 2])]
grade_class(sheet.get("PatientPhrase"), RightPhrase, after, updated_with, first_of(again, 60), rule, sure, tried=60)
### END HIDDEN TESTS
constraint = PatientPhrase([1, 2], 0)
assert [tuple(constraint.update(token)) for token in (1, 1)] == [(True, False, False), (True, False, True)]

# %% tests="PatientPhrase-whole" points=1
### BEGIN HIDDEN TESTS
rule = "A complete phrase stays complete, whichever tokens follow."
whole = phrases(22, complete_before_the_end, patience=(0,))
grade_class(sheet.get("PatientPhrase"), RightPhrase, after, updated_with, first_of(whole), rule, tried=40)
### END HIDDEN TESTS
constraint = PatientPhrase([1], 0)
assert [tuple(constraint.update(token)) for token in (1, 1)] == [(True, True, False), (False, True, False)]

# %% tests="PatientPhrase-obeyed" points=1
### BEGIN HIDDEN TESTS
rule = "Updating with the id that advance returns, again and again, completes the phrase, also after a reset; then no id is missing."
near = phrases(23, never_breaks, patience=(0,))
grade_class(sheet.get("PatientPhrase"), RightPhrase, after_reset, reset_and_updated, first_of(near), rule, tried=40)
### END HIDDEN TESTS
constraint = PatientPhrase([7, 8], 0)
constraint.update(7)
constraint.reset()
assert constraint.remaining() == 2

# %% [markdown]
# ## 6. Streaming a text ({points shown_text} points)
#
# A model generates pieces one by one, and a screen shows the text as early as possible. Write `shown_text(pieces)`,
# where `pieces` is a list of strings. Return a list of strings: for each piece the text that it adds to the screen, and
# last the text that is added at the end. The rules:
#
# - **Bytes.** A piece such as `<0xE2>` is one byte in hexadecimal digits. Bytes are pending until all pending bytes are
#   one complete UTF-8 character. Then the character is shown at once: `["a", "<0xC3>", "<0xA9>"]` gives
#   `["a", "", "é", ""]`.
# - **Invalid bytes.** If another piece or the end follows, each pending byte is shown as one `�`, before that piece.
#   The same happens if 4 bytes are pending and are not a character.
# - **Other pieces** are shown at once, with a space for each `▁`. A piece `�` is an ordinary piece. The three bytes
#   `<0xEF> <0xBF> <0xBD>` are an ordinary character: they are the encoding of `�`.
# - **First space.** If the first of all pieces starts with `▁`, the space of this one `▁` is not shown. All other
#   spaces are shown, also if bytes come first: `["▁a", "▁b"]` gives `["a", " b", ""]`.
#
# <details><summary>Hint</summary>
#
# `int("E2", 16)` is a number, `bytes([226])` is a byte, and `decode()` raises `UnicodeDecodeError` if the bytes are not
# valid UTF-8.
#
# </details>


# %% solution="shown_text"
def shown_text(pieces):
    """Return the text that each piece adds, and the text that is added at the end."""
    ### BEGIN SOLUTION
    shown, held = [], b""
    for number, piece in enumerate(pieces):
        if len(piece) == 6 and piece.startswith("<0x") and piece.endswith(">"):
            held += bytes([int(piece[3:5], 16)])
            try:
                text, held = held.decode(), b""
            except UnicodeDecodeError:
                text = ""
                if len(held) == 4:
                    text, held = "�" * 4, b""
        else:
            text = "�" * len(held) + (piece[piece.startswith("▁") :] if number == 0 else piece).replace("▁", " ")
            held = b""
        shown.append(text)
    return [*shown, "�" * len(held)]
    ### END SOLUTION
    return ...


# %% hidden="shown_text"
def right_shown(pieces):
    shown, held = [], []

    def broken():
        lost = "\N{REPLACEMENT CHARACTER}" * len(held)
        held.clear()
        return lost

    for piece in pieces:
        if piece[:3] == "<0x" and len(piece) == 6:
            held.append(int(piece[3:5], 16))
            text = bytes(held).decode(errors="ignore")
            if text and text.encode() == bytes(held):
                held.clear()
                shown.append(text)
            else:
                shown.append(broken() if len(held) == 4 else "")
        else:
            text = piece.replace("▁", " ")
            shown.append(broken() + (text[1:] if not shown and text[:1] == " " else text))
    return [*shown, broken()]


def in_bytes(character):
    return [f"<0x{byte:02X}>" for byte in character.encode()]


def streams(seed, parts, most=3):
    """Yield pieces of a few parts after a first word, without end."""
    random = Random(seed)
    while True:
        chosen = random.choices(parts, k=random.randint(1, most))
        yield (["a", *(piece for part in chosen for piece in part)],)


def at_once_or_at_the_end(pieces):
    shown = right_shown(pieces)
    return [shown, [*([""] * len(pieces)), "".join(shown)]]


# %% tests="shown_text-bytes" points=2
### BEGIN HIDDEN TESTS
rule = "No part of a character is shown until all of its bytes are there, and then the character is shown at once."
grade(
    sheet.get("shown_text"),
    right_shown,
    first_of(streams(24, [["b"], ["<b>"], in_bytes("é"), in_bytes("日"), in_bytes("🙂")])),
    rule,
    tried=40,
)
### END HIDDEN TESTS
assert list(shown_text(["a", "<0xC3>", "<0xA9>", "b"])) == ["a", "", "é", "b", ""]

# %% tests="shown_text-own" points=1
### BEGIN HIDDEN TESTS
rule = "The character � may occur in the text itself, as a piece or in bytes: it is shown at once."
own = streams(25, [["�"], in_bytes("�"), ["b"]])
grade(sheet.get("shown_text"), right_shown, first_of(own), rule, tried=40)
### END HIDDEN TESTS
assert list(shown_text(["a", "�", "b"])) == ["a", "�", "b", ""]

# %% tests="shown_text-broken" points=1
### BEGIN HIDDEN TESTS
rule = "Bytes that cannot become a character are shown as one � each: before another piece, at the end, and as soon as 4 pending bytes are not a character."
torn = streams(26, [in_bytes("🙂")[:2], ["b"], in_bytes("日")[:1], ["<0xFF>"] * 4])
sure = [(["a", "<0xF0>", "<0x9F>", "b"],), (["a", *["<0xFF>"] * 4, *in_bytes("é")],)]
grade(sheet.get("shown_text"), right_shown, first_of(torn, 60), rule, sure, tried=60)
### END HIDDEN TESTS
assert "".join(shown_text(["a", "<0xC3>", "b"])) == "a�b"

# %% tests="shown_text-blanks" points=1
### BEGIN HIDDEN TESTS
rule = "Each ▁ is a space, and only the space of a ▁ at the start of the very first piece is not shown."
words = ((pieces[1:],) for (pieces,) in streams(27, [["▁"], ["▁a"], ["b▁c▁d"], ["▁▁"], ["d"]]))
sure = [(["▁a", "▁a"],), (["▁▁a"],), (["▁a", "b▁c▁d"],), (["<0x61>", "▁a"],), (["▁", "▁a"],), ([],)]
either = one_of(equal_values)
grade(sheet.get("shown_text"), at_once_or_at_the_end, first_of(words, 60), rule, sure, tried=60, same=either)
### END HIDDEN TESTS
assert "".join(shown_text(["▁a", "▁b"])) == "a b"

# %% [markdown]
# ## 7. With your own rules ({points trace} points)
#
# Your data and two rules depend on your id. Run the next two cells, and read the two rules in the output. Other students
# have other rules. Use pencil and paper, or write a small program. Here the rules of the **lessons** apply, not those of
# the tasks above. Your two rules replace them in `kept` and `choices`.
#
# - `kept`: the probabilities of the ids 0 to 3 are `my.percents`, in percent. In the lesson, top-p takes ids in the order
#   of their probabilities, until the sum reaches p. With *your rule for top-p*, which ids are kept if p is `my.top` %?
#   Write a list of the ids in the order in which they are taken.
# - `winner`: three hypotheses are finished, with the sums `my.sums` and the lengths `my.lengths`. Which one wins with
#   `length_penalty=1.0`? Write its index, starting from 0.
# - `choices`: four groups of one beam each choose in turn, and all have the scores `my.scores`. The diversity penalty
#   is `my.penalty`. Apply *your rule for the penalty*. Write the list of the four chosen ids, in order.
# - `there`: a `PhrasalConstraint` of the lesson requires the phrase `my.phrase`. A token that breaks the phrase resets
#   the progress to 0. Write a list: the progress after each of `my.tokens`.
# - `shown`: the bytes of a text come in three parts, `my.stream`. Write a list: the text that each part adds to the
#   screen (`""` for nothing).
# - `spelled`: in how many ways can `my.word` be spelled, with or without a space before it? Each way is a different
#   list of pieces, and `my.pieces` is the whole vocabulary.
# - `read`: each list of `my.begun` is passed to `generate` of `transformers` 5.x as `decoder_input_ids`, and the start
#   token is 0. What is the decoder input for each? Write a list of two lists. (The last exercise of lesson 20 has the
#   rule.)

# %% locked="my_data"
from types import SimpleNamespace

from tokenlab.check.student_id import variant_chooser


TOP_P = {
    "rising": "ids are taken from the least probable one upwards, until the sum reaches p",
    "one more": "after the id with which the sum reaches p, the next most probable id is also taken",
    "second": "the most probable id is never taken and adds nothing; the others are taken in the order of their "
    "probabilities, until their own sum reaches p, or until all of them are taken",
}
PENALTIES = {
    "squared": "an id that n earlier groups have chosen loses n * n times the penalty",
    "falling": "the choice of the first group subtracts 3 times the penalty from its id, that of the second group 2 times, "
    "and that of the third group once",
    "favourite": "each choice of the id that the first group has chosen subtracts 2 times the penalty from it; "
    "choices of other ids subtract the penalty once",
}


def my_data(student_id):
    """Return the names of two rules, probabilities, hypotheses, scores, a phrase and bytes, derived from an id."""
    draw = variant_chooser(student_id)

    def mixed(items):
        left, order = list(items), []
        while left:
            order.append(left.pop(draw(*range(len(left)))))
        return order

    percents = mixed(draw([40, 30, 20, 10], [36, 30, 20, 14], [45, 25, 18, 12], [38, 31, 17, 14]))
    third_text = draw((-9, 5), (-10, 6), (-18, 10), (-20, 11))
    ended = mixed([(-draw(5, 6), draw(2, 3)), (-draw(7, 8), draw(7, 8, 9)), third_text])
    best = draw(1, 2, 3, 4)
    gap, wider, penalty = draw((5, 7, 3), (6, 9, 4), (7, 10, 4), (8, 12, 5), (8, 13, 6), (9, 13, 5), (10, 14, 6))
    first, second, third = mixed([1, 2, 5, 7, 8, 9])[:3]
    tokens = draw([first, second, first, second, third], [first, first, second, third], [first, second, first, third])
    text = (draw("a", "b", "x", "y") + draw("🙂", "日", "€", "🍵", "語") + draw("!", "?", ".")).encode()
    cut = draw(*range(2, len(text) - 2))
    first_part, second_part = draw(("ca", "kes"), ("so", "up"), ("to", "ast"), ("le", "mon"), ("ri", "ce"))
    word = first_part + second_part
    leading_space = draw(["▁"], ["▁" + first_part], ["▁", "▁" + first_part])
    pieces = mixed([word, first_part, second_part, second_part[-1], "▁" + word, *leading_space])
    return SimpleNamespace(
        top_rule=draw(*TOP_P),
        penalty_rule=draw(*PENALTIES),
        percents=percents,
        top=draw(55, 60, 75, 80),
        sums=[total for total, _ in ended],
        lengths=[length for _, length in ended],
        scores=mixed([-best, -best - gap, -best - wider]),
        penalty=penalty,
        phrase=[first, second, third],
        tokens=tokens,
        stream=[text[:cut], text[cut:-2], text[-2:]],
        word=word,
        pieces=pieces,
        begun=mixed([[0, draw(5, 6, 7), draw(8, 9)], [draw(5, 6, 7), draw(0, 8, 9)]]),
    )


# %% locked="my"
my = my_data(student_id)
for name, value in vars(my).items():
    print(f"my.{name} = {value}")
print(f"Your rule for top-p: {TOP_P[my.top_rule]}.")
print(f"Your rule for the penalty: {PENALTIES[my.penalty_rule]}.")

# %% solution="trace"
kept = ...
winner = ...
choices = ...
there = ...
shown = ...
spelled = ...
read = ...
### BEGIN SOLUTION
order = sorted(range(4), key=lambda id: -my.percents[id])
if my.top_rule == "rising":
    order = order[::-1]
elif my.top_rule == "second":
    order = order[1:]
kept, mass = [], 0
for id in order:
    if mass < my.top:
        kept.append(id)
        mass += my.percents[id]
if my.top_rule == "one more":
    kept = order[: len(kept) + 1]
means = [total / length for total, length in zip(my.sums, my.lengths)]
winner = means.index(max(means))
choices = []
for _ in range(4):
    seen = list(my.scores)
    for group, id in enumerate(choices):
        if my.penalty_rule == "falling":
            seen[id] -= my.penalty * (3 - group)
        elif my.penalty_rule == "favourite":
            seen[id] -= my.penalty * (2 if id == choices[0] else 1)
        else:
            seen[id] = my.scores[id] - my.penalty * choices.count(id) ** 2
    choices.append(seen.index(max(seen)))
there = []
for token in my.tokens:
    before = there[-1] if there else 0
    there.append(before + 1 if token == my.phrase[before] else 0)
shown, held = [], b""
for part in my.stream:
    held += part
    whole = max(end for end in range(len(held) + 1) if held[:end].decode(errors="ignore").encode() == held[:end])
    shown.append(held[:whole].decode())
    held = held[whole:]
spellings = {"": 1}
for text in (my.word, "▁" + my.word):
    for end in range(1, len(text) + 1):
        spellings[text[:end]] = sum(spellings[text[:start]] for start in range(end) if text[start:end] in my.pieces)
spelled = spellings[my.word] + spellings["▁" + my.word]
read = [ids if ids[0] == 0 else [0, *ids] for ids in my.begun]
### END SOLUTION

# %% hidden="trace"
from tokenlab.check.student_id import check_same_student

student_id = sheet.get("student_id")
check_same_student(student_id)
my = sheet["my_data"](student_id)


def same(name, right, rule):
    """Compare an answer with the right one, without revealing it."""
    grade_answer(sheet, name, right, rule, same=equal_values)


# %% tests="trace-kept" points=1
### BEGIN HIDDEN TESTS
order = sorted(range(4), key=my.percents.__getitem__, reverse=my.top_rule != "rising")[my.top_rule == "second" :]
before = [sum(my.percents[other] for other in order[:position]) for position in range(len(order))]
number = sum(mass < my.top for mass in before) + (my.top_rule == "one more")
rule = "Your rule for top-p says which ids are taken, and in which order; the id with which the sum reaches p is also kept."
same("kept", order[:number], rule)
### END HIDDEN TESTS
assert kept is not ..., "Write the list of ids that are kept."

# %% tests="trace-winner" points=1
### BEGIN HIDDEN TESTS
best = max(range(3), key=lambda position: my.sums[position] / my.lengths[position])
same("winner", best, "The sum is divided by the number of tokens; sums are negative, so the score closest to 0 wins.")
### END HIDDEN TESTS
assert winner is not ..., "Write the index of the winner."

# %% tests="trace-choices" points=1
### BEGIN HIDDEN TESTS
left, picked = list(my.scores), []
for group in range(4):
    picked.append(max(range(3), key=left.__getitem__))
    times = {
        "squared": 2 * picked.count(picked[-1]) - 1,  # 1, 4, 9, ... in all
        "falling": 3 - group,
        "favourite": 1 + (picked[-1] == picked[0]),
    }[my.penalty_rule]
    left[picked[-1]] -= my.penalty * times
rule = (
    "The choices of all earlier groups in this step subtract the penalty, as often as your rule for the penalty says."
)
same("choices", picked, rule)
### END HIDDEN TESTS
assert choices is not ..., "Write the list of the four choices."

# %% tests="trace-there" points=1
### BEGIN HIDDEN TESTS
progress, seen = 0, []
for token in my.tokens:
    progress = progress + 1 if my.phrase[progress] == token else 0
    seen.append(progress)
same("there", seen, "The token that breaks the phrase is not tried again: the phrase starts again with the next token.")
### END HIDDEN TESTS
assert there is not ..., "Write the list of the progress after each token."

# %% tests="trace-shown" points=1
### BEGIN HIDDEN TESTS
from codecs import getincrementaldecoder

decoder = getincrementaldecoder("utf-8")()
rule = "A character is shown when its last byte has arrived, and no part of it before."
same("shown", [decoder.decode(part) for part in my.stream], rule)
### END HIDDEN TESTS
assert shown is not ..., "Write the list of the three texts."


# %% tests="trace-spelled" points=1
### BEGIN HIDDEN TESTS
def spelled_by(text):
    return 1 if not text else sum(spelled_by(text[len(piece) :]) for piece in my.pieces if text.startswith(piece))


same(
    "spelled",
    spelled_by(my.word) + spelled_by("▁" + my.word),
    "The word can be one piece or several, with or without a space before it, and each spelling is a different list of pieces.",
)
### END HIDDEN TESTS
assert spelled is not ..., "Write the number of spellings."

# %% tests="trace-read" points=1
### BEGIN HIDDEN TESTS
begun = [[0] * (ids[:1] != [0]) + ids for ids in my.begun]
same("read", begun, "The start token comes first, exactly once: it is added only where it is missing.")
### END HIDDEN TESTS
assert read is not ..., "Write a list of two lists."

# %% [markdown]
# ## 8. In words ({points words} points)
#
# A colleague shows you a chat program. "The word *tea* is forbidden: I passed the ids of *tea* as `bad_words_ids`, and
# the model still generates it! The texts were too long, so I raised `length_penalty` to 2, and they became even longer.
# And before every emoji, the screen shows `��`." Explain all three mistakes, and name a fix for each. Use your own
# examples, not those of the lessons or of this sheet: a word, two texts with their sums and lengths, and a character. A
# person reads and grades this.

# %% [markdown] solution="words" points=4
# A word is a text, and a token is only one way to spell a part of it. If the vocabulary contains *rum*, *▁rum*, *r* and
# *um*, then *rum* after a space is *▁rum*, another id than *rum*, and *r um* is a third spelling. Each list of ids must
# be forbidden separately, or the text must be checked as well. `length_penalty`: the sum is divided by the length to
# this power. Two texts with the sums -4 (2 tokens) and -9 (6 tokens) have the scores -2 and -1.5 with the power 1, so
# the longer one wins already. With 2, they have -1 and -0.25, and it wins by more. The sums are negative, so a larger
# divisor moves the long text closer to 0. For shorter texts, the power must be smaller, here 0: -4 wins against -9. The
# emoji *🐫* has 4 bytes, which may be in two or three tokens. Decoding the first of them alone gives `�`, because its
# bytes are not a character. Keep the bytes until the character is complete, and then show it. But do not wait until the
# text contains no `�`: it may contain a real one.
#
# **Points.** 1: several spellings, with an example that has at least two (with and without a space, or whole and in
# parts), each of which must be forbidden. 1: two texts with sums and lengths, divided correctly, and the statement that
# a larger power favours the longer text, because sums are negative; so lower it. 1: the bytes of a character may be in
# several tokens, and are kept until it is complete. 1: all examples are the student's own, and the answer names a fix
# for each of the three mistakes. No point for an example from the lessons or from the sheet.
