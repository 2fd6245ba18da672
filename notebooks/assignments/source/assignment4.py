# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Assignment 4: how a model writes
#
# Eight tasks, {points} points. **Before this:** lessons `17_greedy_and_sampling`, `18_beam_search`, `19_group_and_constrained_beams` and `20_contrastive_and_streaming`.
#
# The tasks look like the lessons, and each differs from them in a rule. Read the rules; they are what is graded.
#
# - Write plain Python, with its module `math`; `numpy` is not needed, but it will do. A function or class that calls `tokenlab`, `torch` or `transformers` gets no points.
# - Tokens are ids: the number `n` stands for the token with the score `scores[n]`. Where a list is asked for, a tuple will do, and the other way round. Do not modify the lists that
#   you are given.
# - **Numbers** may be off by a millionth (of one, or of what is right, if that is larger). Whole numbers are compared exactly.
# - Below each function stand a few examples, and it is graded on more inputs than these. An `assert` that passes prints
#   nothing. Please leave those cells as they are: they are put back before grading.
# - Before you hand in, run all cells once more (*Restart Kernel and Run All Cells*), and save. Where your course has no server
#   to hand in on, write `from tokenlab.check.submission import hand_in` and `hand_in("assignment4.ipynb")` into a cell of your own, save,
#   and run it: it writes one file to hand in.

# %% [markdown]
# ## Your id
#
# Write the id under which you hand in (on a hub, your login name), in quotes. The questions *By hand* in task 7 take their data from it. Upper
# and lower case, and blanks around it, make no difference.
#
# *How it is checked:* the grader reads the id from this cell and compares it with the name under which your notebook came in.
# If they differ, *By hand* gets no points until your instructor has looked at it.

# %% solution="student_id"
student_id = ...
### BEGIN SOLUTION
student_id = "model"
### END SOLUTION

# %% hidden="*"
from itertools import groupby
from math import exp
from random import Random

from tokenlab.check.grading import grade, grade_answer, grade_class
from tokenlab.check.strategies import first_of
from tokenlab.check.trace_comparison import equal_values, nearly_equal


# %% [markdown]
# ## 1. A tail that is cut ({points drop_tail} points)
#
# Write `drop_tail(scores, temperature, lost, least)`, which gives a list with the probability of each token, zero for those that are dropped. The rules:
#
# - **Temperature** comes first: each score is divided by it. A softmax makes probabilities: *e* to the power of each, divided by the sum of all these powers.
# - **The tail.** The least probable token is dropped, then the next, and so on, as long as what was dropped comes to **at most** `lost` altogether. The token with which
#   it would be more stays, and so do all that are more probable. (You will not meet a sum that is so near to `lost` that rounding decides.)
# - **Equal ones.** Tokens with equal scores are dropped together or stay together.
# - **Not too many.** At least `least` tokens stay: where a step would leave fewer, nothing more is dropped. `least` is at least one, and there are that many tokens.
# - What stays is scaled, so that it sums to one.
#
# <details><summary>Hint</summary>
#
# `sorted(set(scores))` gives the scores from the lowest on, each once. For each of them: how many tokens have it, and how much do they weigh together?
#
# </details>


# %% solution="drop_tail"
def drop_tail(scores, temperature, lost, least):
    """The probabilities without their tail."""
    ### BEGIN SOLUTION
    from math import exp

    powers = [exp(score / temperature) for score in scores]
    probabilities = [power / sum(powers) for power in powers]
    gone, stay = 0.0, len(scores)
    left = list(probabilities)
    for lowest in sorted(set(scores)):
        places = [place for place, score in enumerate(scores) if score == lowest]
        weight = sum(probabilities[place] for place in places)
        if gone + weight > lost or stay - len(places) < least:
            break
        gone, stay = gone + weight, stay - len(places)
        for place in places:
            left[place] = 0.0
    return [probability / sum(left) for probability in left]
    ### END SOLUTION
    return ...


# %% hidden="drop_tail"
def right_tail(scores, temperature, lost, least):
    weights = [exp(score / temperature) for score in scores]
    total, ordered, gone = sum(weights), sorted(scores), 0
    lowest = None
    for score, equal in groupby(ordered):
        gone += sum(exp(one / temperature) for one in equal) / total
        if gone > lost or sum(one > score for one in scores) < least:
            break
        lowest = score
    kept = [weight if lowest is None or score > lowest else 0.0 for weight, score in zip(weights, scores)]
    return [weight / sum(kept) for weight in kept]


def tails(seed, temperatures=(1,), least=lambda random, kept: 1, lost=(0.1, 0.2, 0.3, 0.4)):
    """Scores whose tail is cut at a clear place, for ever; `least` may depend on how many stay without it."""
    random = Random(seed)
    while True:
        scores = random.sample(range(6), random.randint(2, 5))
        temperature, limit = random.choice(temperatures), random.choice(lost)
        if clear(scores, limit, temperature) and clear(scores, limit, 1):
            kept = sum(number > 0 for number in right_tail(scores, temperature, limit, 1))
            yield scores, temperature, limit, least(random, kept)


def equal_ones():
    """Equal scores, and perhaps one that is far below them, for ever."""
    random = Random(3)
    while True:
        scores = [random.randint(0, 3)] * random.randint(2, 4) + [-9] * random.randint(0, 1)
        random.shuffle(scores)
        limit = random.choice([0.3, 0.6, 0.8])
        if clear(scores, limit, 1):
            yield scores, 1, limit, 1


def groups(least):
    """Scores of which each stands there several times, for ever; `least` says how many may have to stay."""
    random = Random(31)
    while True:
        scores = [0] * random.randint(1, 5) + [random.randint(1, 3)] * random.randint(1, 2)
        random.shuffle(scores)
        limit = random.choice([0.2, 0.4, 0.5])
        if clear(scores, limit, 1):
            yield scores, 1, limit, random.randint(1, least(scores))


def what_was_given(scores, temperature, lost, least):
    """The scores themselves, where a test asks only which of them stay together."""
    return scores


def nothing_above_is_lost(given, scores):
    """Whether all that are more probable than one that stays have stayed, too."""
    lowest = min(score for number, score in zip(given, scores, strict=True) if number > 0)
    return all(number > 0 for number, score in zip(given, scores) if score > lowest)


def equal_ones_together(given, scores):
    """Whether of tokens with equal scores all have stayed, or none."""
    stays = {score for number, score in zip(given, scores, strict=True) if number > 0}
    return bool(stays) and not any(score in stays for number, score in zip(given, scores) if not number > 0)


def clear(scores, lost, temperature):
    """Whether no sum of a tail is so near to the limit that rounding decides."""
    weights = sorted(exp(score / temperature) for score in scores)
    return all(abs(sum(weights[:end]) / sum(weights) - lost) > 1e-3 for end in range(len(weights)))


def same_ones(given, right):
    """Whether the same tokens are left."""
    return [number > 0 for number in given] == [number > 0 for number in right]


def same_shares(given, right):
    """Whether what is left has the same shares, scaled or not."""
    return sum(given) > 0 and nearly_equal([number / sum(given) for number in given], right)


# %% tests="drop_tail-temperature" points=2
### BEGIN HIDDEN TESTS
rule = "The temperature divides all scores before anything is dropped, and the tail is the tail of these probabilities."
warm = tails(1, (0.5, 2, 3), least=lambda random, kept: kept)
grade(sheet.get("drop_tail"), right_tail, first_of(warm, 60), rule, tried=60, same=same_shares)
### END HIDDEN TESTS
assert abs(drop_tail([0, 2], 2, 0.1, 2)[0] - 0.268941) < 1e-5

# %% tests="drop_tail-tail" points=2
### BEGIN HIDDEN TESTS
rule = "From the least probable on tokens are dropped as long as all that are dropped come to at most `lost`; the one with which they would be more stays."
grade(sheet.get("drop_tail"), right_tail, first_of(tails(2), 60), rule, tried=60, same=same_ones)
rule = (
    "The first token with which it would be more ends it: all that are more probable stay, however little they weigh."
)
heavy = groups(lambda scores: 1)
sure = [([0, 0, 0, 1], 1, 0.5, 1)]
grade(sheet.get("drop_tail"), what_was_given, first_of(heavy), rule, sure, tried=40, same=nothing_above_is_lost)
### END HIDDEN TESTS
assert [number > 0 for number in drop_tail([0, 1, 2], 1, 0.2, 1)] == [False, True, True]

# %% tests="drop_tail-equal" points=1
### BEGIN HIDDEN TESTS
rule = "Tokens with equal scores are dropped together, or none of them is."
grade(sheet.get("drop_tail"), right_tail, first_of(equal_ones()), rule, tried=40, same=same_ones)
several = groups(len)
grade(
    sheet.get("drop_tail"),
    what_was_given,
    first_of(several),
    rule,
    [([0, 0, 5], 1, 0.5, 2)],
    tried=40,
    same=equal_ones_together,
)
### END HIDDEN TESTS
assert [number > 0 for number in drop_tail([0, 0], 1, 0.6, 1)] == [True, True]

# %% tests="drop_tail-least" points=1
### BEGIN HIDDEN TESTS
rule = "At least so many tokens stay as `least` says, however little they weigh."
many = tails(4, least=lambda random, kept: kept + 1, lost=(0.4, 0.6, 0.9))
grade(sheet.get("drop_tail"), right_tail, first_of(many, 60), rule, tried=60, same=same_ones)
### END HIDDEN TESTS
assert [number > 0 for number in drop_tail([0, 1, 2], 1, 0.5, 2)] == [False, True, True]

# %% tests="drop_tail-scaled" points=1
### BEGIN HIDDEN TESTS
rule = "What stays is divided by what it comes to, so that it sums to one."
grade(
    sheet.get("drop_tail"),
    right_tail,
    first_of(tails(5), 60),
    rule,
    tried=60,
    same=lambda given, _: abs(sum(given) - 1) < 1e-5,
)
### END HIDDEN TESTS
assert abs(sum(drop_tail([0, 1, 2], 1, 0.2, 1)) - 1) < 1e-5

# %% [markdown]
# ## 2. A penalty that fades ({points fading_penalty} points)
#
# Write `fading_penalty(scores, written, penalty, fade, end)`, which gives new scores. What was written before costs something:
#
# - **Each time** that a token stands in `written` it loses something, and all of this is subtracted. Nothing is divided.
# - **Fading.** The newest token, the last of `written`, costs `penalty`. The one before it costs `penalty` times `fade`, the next one
#   `penalty` times `fade` times `fade`, and so on.
# - **The end.** The score of the token `end` stays as it is, wherever it stands.
#
# <details><summary>Hint</summary>
#
# Go through `written` backwards, with a cost that is multiplied by `fade` after each token.
#
# </details>


# %% solution="fading_penalty"
def fading_penalty(scores, written, penalty, fade, end):
    """The scores, less what each token costs."""
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
        sum(penalty * fade ** (newest - place) for place, token in enumerate(written) if token == id != end)
        for id in range(len(scores))
    ]
    return [score - cost for score, cost in zip(scores, costs)]


def texts_so_far(seed, fades, written):
    """Scores of four tokens, the last of which is the end, and a text, for ever."""
    random = Random(seed)
    while True:
        scores = [random.randint(-4, 4) for _ in range(4)]
        yield scores, written(random), random.choice([1, 2]), random.choice(fades), 3


def with_doubles(random):
    return [random.randint(0, 1) for _ in range(random.randint(1, 4))]


def without_doubles(random):
    return random.sample(range(3), random.randint(1, 3))


def with_all(random):
    """A text in which tokens come again, behind and before the end."""
    return [random.choice([0, 1, 3]) for _ in range(random.randint(1, 4))]


def with_end():
    """Scores and a text in which no token stands twice, with the end in it, for ever."""
    random = Random(8)
    while True:
        written = random.sample(range(3), random.randint(1, 3))
        scores = [random.randint(-4, 4) for _ in range(3)]
        yield scores, written, random.choice([2, 3]), 1, random.choice(written)


# %% tests="fading_penalty-each" points=1
### BEGIN HIDDEN TESTS
rule = (
    "For each time that a token stands in the text the penalty is subtracted once more; the scores of all others stay."
)
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
rule = "The newest token costs the whole penalty, and each step back takes one more time `fade`."
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
rule = "The score of the end stays as it is, wherever it stands; the others lose what they cost."
grade(sheet.get("fading_penalty"), right_penalty, first_of(with_end()), rule, tried=40, same=nearly_equal)
### END HIDDEN TESTS
assert list(fading_penalty([5, 5, 5], [1], 2, 1, 1)) == [5, 5, 5]

# %% tests="fading_penalty-places" points=1
### BEGIN HIDDEN TESTS
rule = "Each place of the text has its own cost, also where a token comes again; and the end has a place, though it pays nothing."
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
# ## 3. One step of a beam search ({points grow_beams} points)
#
# Write `grow_beams(beams, rows, width, ends)`. `beams` is a list of pairs: the ids of a text and their sum (of log-probabilities). `rows` has a list for each beam, with the
# log-probability of each token as the next one. `ends` is a list of all ids that end a text. The function gives a pair of lists, `(living, ended)`, by these rules:
#
# - **Candidates.** Each beam goes on with each token: its ids and the token, its sum and the token's log-probability.
# - **Every text once.** Of candidates with the same ids only the best one counts. (At the beginning all beams may be the same.)
# - **Order.** The largest sum comes first. Of equal sums the candidate of the earlier beam, and of those the smaller token.
# - **Living.** The first `width` candidates that do not end live on.
# - **Ended.** A candidate whose token is one of `ends` has ended, if fewer than `width` of the candidates **that live on** come before it. Its ids keep the end token. All others are
#   forgotten.
# - Both lists have pairs of ids and sum, in this order.
#
# <details><summary>Hint</summary>
#
# Make a list of all candidates, as tuples that can be sorted: minus the sum first. Go through it from the best on, and stop when enough live.
#
# </details>


# %% solution="grow_beams"
def grow_beams(beams, rows, width, ends):
    """The beams that live on, and what has ended."""
    ### BEGIN SOLUTION
    candidates = []
    for beam, ((ids, total), row) in enumerate(zip(beams, rows)):
        for token, score in enumerate(row):
            candidates.append((-(total + score), beam, token, [*ids, token]))
    living, ended, seen = [], [], []
    for minus, _, token, ids in sorted(candidates):
        if len(living) == width:
            break
        if ids not in seen:
            seen.append(ids)
            (ended if token in ends else living).append((ids, -minus))
    return living, ended
    ### END SOLUTION
    return ...


# %% hidden="grow_beams"
def right_step(beams, rows, width, ends):
    grown = [
        ((*ids, token), total + score) for (ids, total), row in zip(beams, rows) for token, score in enumerate(row)
    ]
    grown.sort(key=lambda one: -one[1])  # it keeps the order of equal ones
    once = list({ids: (ids, total) for ids, total in reversed(grown)}.values())[::-1]
    once.sort(key=lambda one: (-one[1], [text for text, _ in grown].index(one[0])))
    living = [one for one in once if one[0][-1] not in ends][:width]
    worst = once.index(living[-1]) if len(living) == width else len(once)
    return living, [one for one in once[:worst] if one[0][-1] in ends]


def searches(seed, ends, most=0, same_beams=False, equal=False):
    """Beams of two tokens, and rows of four; sums differ, but for where they are meant not to, for ever."""
    random = Random(seed)
    while True:
        width = random.randint(1, 3)
        texts = random.sample([(0, one, other) for one in range(2) for other in range(2)], width)
        sums = sorted((-random.randint(0, most) / 2 for _ in range(width)), reverse=True)
        if same_beams:
            texts, sums = [(0,)] * width, random.sample([0.0, -0.5, -1.0, -5.0], width)
        row = random.sample(range(1, 16), 4)
        rows = [[-number / 4 for number in (row if same_beams else random.sample(range(1, 30), 4))] for _ in texts]
        if equal:
            rows = [[-random.randint(1, 3) / 2 for _ in range(4)] for _ in texts]
        made = {
            (*text, id): total + score for text, total, row in zip(texts, sums, rows) for id, score in enumerate(row)
        }
        if equal or len(set(made.values())) == len(made):
            beams = [(list(text), total) for text, total in zip(texts, sums)]
            yield beams, rows, width, ends(random)


def ties_with_an_end():
    """One beam, whose tokens have equal ones among them, and one end, for ever."""
    random = Random(33)
    while True:
        row = [-random.randint(1, 2) / 2 for _ in range(4)]
        yield [([0], 0.0)], [row], random.randint(1, 3), [random.randint(0, 3)]


def best_sums(beams, rows, width, ends):
    """The best sum of each text that a candidate may have."""
    return {ids: total for living in right_step(beams, rows, len(beams) * 4, []) for ids, total in living}


def each_once(given, best):
    """Whether no text stands there twice, and each has its best sum."""
    living, ended = ([(tuple(ids), total) for ids, total in pairs] for pairs in given)
    once = all(len({ids for ids, _ in pairs}) == len(pairs) for pairs in (living, ended))
    return bool(living + ended) and once and all(nearly_equal(total, best[ids]) for ids, total in living + ended)


def sums_of(pairs):
    return [total for _, total in pairs]


def living_sums(given, right):
    return len(given) == 2 and nearly_equal(sums_of(given[0]), sums_of(right[0]))


def ended_pairs(given, right):
    return len(given) == 2 and nearly_equal(given[1], right[1])


def ended_texts(given, right):
    return len(given) == 2 and equal_values([ids for ids, _ in given[1]], [ids for ids, _ in right[1]])


def living_texts(given, right):
    return len(given) == 2 and equal_values([ids for ids, _ in given[0]], [ids for ids, _ in right[0]])


# %% tests="grow_beams-candidates" points=1
### BEGIN HIDDEN TESTS
rule = "A candidate has the ids of its own beam and the token, and the sum of its own beam and the token's log-probability."
plain = searches(9, lambda random: [], most=12)
grade(
    sheet.get("grow_beams"), right_step, first_of(plain, 60), rule, tried=60, same=lambda a, b: nearly_equal(a[0], b[0])
)
### END HIDDEN TESTS
living, _ = grow_beams([([0], 0), ([5], -1)], [[-9, -3], [-9, -1]], 2, [])
assert [(list(ids), total) for ids, total in living] == [([5, 1], -2), ([0, 1], -3)]

# %% tests="grow_beams-living" points=2
### BEGIN HIDDEN TESTS
rule = "What ends does not live on, and does not take the place of another: as many live on as the search is wide."
ending = searches(10, lambda random: random.choice([[1], [0, 1], [2]]))
grade(sheet.get("grow_beams"), right_step, first_of(ending, 60), rule, tried=60, same=living_sums)
### END HIDDEN TESTS
living, _ = grow_beams([([0], 0)], [[-1, -2, -3]], 2, [0])
assert [list(ids) for ids, _ in living] == [[0, 1], [0, 2]]

# %% tests="grow_beams-ended" points=2
### BEGIN HIDDEN TESTS
rule = "Each end that comes before the last of those that live on has ended, with its ids and its sum, whichever end it is and however many there are; what comes behind them has not."
ending = searches(11, lambda random: random.choice([[1], [0, 1], [2, 3]]), most=12)
few = [([([0], 0)], [[-1, -2]], 2, [0])]
grade(sheet.get("grow_beams"), right_step, first_of(ending, 60), rule, few, tried=60, same=ended_pairs)
### END HIDDEN TESTS
_, ended = grow_beams([([0], 0)], [[-1, -2, -3]], 1, [0, 2])
assert [list(ids) for ids, _ in ended] == [[0, 0]]

# %% tests="grow_beams-once" points=2
### BEGIN HIDDEN TESTS
rule = "Beams with the same ids go on with the same texts, and each text counts once, with its best sum, whether it lives on or has ended."
doubled = searches(12, lambda random: random.choice([[], [1], [2]]), same_beams=True)
grade(sheet.get("grow_beams"), best_sums, first_of(doubled, 60), rule, tried=60, same=each_once)
### END HIDDEN TESTS
living, _ = grow_beams([([0], -5), ([0], 0)], [[-1, -2], [-1, -2]], 2, [])
assert [(list(ids), total) for ids, total in living] == [([0, 0], -1), ([0, 1], -2)]

# %% tests="grow_beams-ties" points=1
### BEGIN HIDDEN TESTS
rule = "Of equal sums the candidate of the earlier beam comes first, and of one beam's the smaller token."
tied = searches(13, lambda random: [], equal=True)
grade(sheet.get("grow_beams"), right_step, first_of(tied, 60), rule, tried=60, same=living_texts)
rule = "Of equal sums the smaller token comes first, whether it ends or not; so an end comes before or behind one that lives on."
grade(sheet.get("grow_beams"), right_step, first_of(ties_with_an_end(), 60), rule, tried=60, same=ended_texts)
### END HIDDEN TESTS
living, _ = grow_beams([([0], 0)], [[-1, -1, -1]], 2, [])
assert [list(ids) for ids, _ in living] == [[0, 0], [0, 1]]

# %% [markdown]
# ## 4. Another normalization, and when to stop ({points gnmt_score} + {points may_stop} points)
#
# Google's translator of 2016 (Wu and others, *Google's Neural Machine Translation System*, equation 14) divides the sum of an ended text by another number than the lessons do. Write
# `gnmt_score(ids, total, prompt, alpha)`:
#
# - The first `prompt` of the `ids` were given, and were not written. Let `n` be how many were **written**; the end token is one of them.
# - The score is `total` divided by `((5 + n) / 6)` to the power of `alpha`.
#
# The second function is `may_stop(scores, room, sums, longest, alpha)`. The pool has the `scores` of texts that have ended, and room for so many; `sums` are those of the beams that are
# still alive, and there is at least one. No text may have more than `longest` written tokens, and `alpha` is not negative. It gives `True` or `False`:
#
# - As long as the pool is not full, the search goes on.
# - When it is full, the search stops if **no** living beam can still get a better score than the worst in the pool. Think: a log-probability is never above zero, so a
#   sum never grows; and for a negative sum a longer text is divided by more. So what is the best score that a beam can still reach? A score that is as good as the worst does not displace it.
#
# <details><summary>Hint</summary>
#
# Suppose that everything a beam still writes is certain, so that its sum stays what it is. How long would the text be, at best?
#
# </details>


# %% solution="gnmt_score"
def gnmt_score(ids, total, prompt, alpha):
    """The score of a text that has ended."""
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
    """Texts behind a prompt, for ever."""
    random = Random(seed)
    while True:
        prompt, written = random.choice(prompts), random.randint(1, 9)
        ids = [random.randint(0, 9) for _ in range(prompt + written)]
        yield ids, -random.randint(1, 20) / 2, prompt, random.choice(alphas)


# %% tests="gnmt_score-length" points=2
### BEGIN HIDDEN TESTS
rule = "What was written counts, with the end token and without the prompt; five more, a sixth of it."
grade(sheet.get("gnmt_score"), right_score, first_of(hypotheses(14, [1], [1, 2, 3])), rule, tried=40, same=nearly_equal)
### END HIDDEN TESTS
assert abs(gnmt_score([0, 7, 8, 9, 7, 8, 9, 1], -6, 1, 1) + 3) < 1e-6

# %% tests="gnmt_score-alpha" points=2
### BEGIN HIDDEN TESTS
rule = (
    "The sum is divided by a power: a larger alpha brings a longer text nearer to zero, and with zero nothing changes."
)
grade(
    sheet.get("gnmt_score"), right_score, first_of(hypotheses(15, [0, 0.5, 2], [0])), rule, tried=40, same=nearly_equal
)
### END HIDDEN TESTS
assert abs(gnmt_score([7, 8, 9, 7, 8, 9, 1], -6, 0, 2) + 1.5) < 1e-5
assert abs(gnmt_score([7, 8, 9, 7, 8, 9, 1], -6, 0, 0) + 6) < 1e-5


# %% solution="may_stop"
def may_stop(scores, room, sums, longest, alpha):
    """Whether no living beam can still come into the pool."""
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
    """Pools whose worst score lies a little above or below of what the best beam can reach, or at it, for ever."""
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
rule = "While the pool has room, the search goes on; a full pool lets it stop where nothing better can come."
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
rule = "The best that can still come is the largest sum, divided as for the longest text; it is compared with the worst score in the pool."
grade(sheet.get("may_stop"), right_stop, first_of(pools(17), 60), rule, tried=60)
### END HIDDEN TESTS
assert [may_stop([-5], 1, [-6], 7, 1), may_stop([-1, -2], 2, [-6, -8], 7, 1)] == [False, True]

# %% tests="may_stop-tie" points=1
### BEGIN HIDDEN TESTS
rule = "A score that is only as good as the worst in the pool displaces nothing, so the search may stop."
# Six sixths, and a power of zero, are one however it is worked out.
exact = [([-3], 1, [-3], 1, 1), ([-3], 1, [-3], 7, 0), ([-5, -2], 2, [-5, -9], 1, 2), ([-4], 1, [-7, -4], 13, 0)]
grade(sheet.get("may_stop"), right_stop, first_of(exact), rule, exact, tried=8)
### END HIDDEN TESTS
assert [may_stop([-3], 1, [-3], 1, 1), may_stop([-3], 1, [-3], 7, 0)] == [True, True]

# %% [markdown]
# ## 5. A phrase that is waited for with patience ({points PatientPhrase} points)
#
# Complete the class `PatientPhrase(phrase, patience)`. It demands that the ids of `phrase` come in this order (an id may stand there twice); but between two of them there may be others, up to `patience` in a row. Its methods:
#
# - `advance()` gives the id that is waited for, or `None` if the phrase is whole. It changes nothing.
# - `remaining()` gives how many ids are still missing. It changes nothing.
# - `reset()` begins anew: nothing is there, and nothing was waited through. It gives nothing.
# - `update(token)` takes the next token, and gives three answers: `(stepped, whole, broken)`. The rules:
#   - The id that is waited for: one more is there, `stepped` is `True`, and the patience is as long as at first.
#   - Another one, while **nothing** of the phrase is there, or **all** of it: nothing changes. What is whole stays whole.
#   - Another one, while a part is there: one more that is waited through. If that makes more than `patience` in a row, the phrase is `broken`: it begins anew, and this token is
#     **tried as its first one** (then `stepped` is `True` again).
#   - `whole` says whether the phrase is whole now.
#
# So with the phrase *1, 2* and the patience 1 the tokens *1, 3, 2* make it whole, and *1, 3, 3, 2* break it.
#
# <details><summary>Hint</summary>
#
# Two numbers are all that has to be remembered: how many are there, and how many were waited through since the last of them.
#
# </details>


# %% solution="PatientPhrase"
class PatientPhrase:
    """A phrase that is demanded, with others between its ids."""

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
    """What update says about each token."""
    theirs = cls(phrase, patience)
    return [theirs.update(token) for token in tokens]


def looked_at(cls, phrase, patience, tokens):
    """What advance and remaining say, asked twice, before each token and after the last."""
    theirs, seen = cls(phrase, patience), []
    for token in [*tokens, 0]:
        seen += [theirs.advance(), theirs.remaining(), theirs.advance(), theirs.remaining()]
        theirs.update(token)
    return seen


def obeyed(cls, phrase, patience, tokens):
    """The test that the library makes of a constraint: whoever does as it says fulfils it, also after a reset."""
    theirs, seen = cls(phrase, patience), []
    for token in tokens:
        theirs.update(token)
    theirs.reset()
    for _ in phrase:
        seen.append(theirs.update(theirs.advance()))
    return [*seen, theirs.remaining(), theirs.advance()]


def told(name, phrase, patience, tokens):
    return f"{name}({phrase}, {patience}), told {tokens},"


def reset_and_told(name, phrase, patience, tokens):
    return f"{name}({phrase}, {patience}), told {tokens}, reset, and told what it waits for,"


def phrases(seed, fits, patience=(0, 1, 2), twice=False):
    """Phrases, in some of which an id may stand twice, and tokens for which a condition holds, for ever."""
    random = Random(seed)
    while True:
        drawn = random.choice([random.sample, random.choices]) if twice else random.sample
        phrase = drawn([1, 2, 4], k=random.randint(2, 3))
        patient = random.choice(patience)
        stream = [random.choice([*phrase, 3]) for _ in range(random.randint(1, 6))]
        if fits(RightPhrase(phrase, patient), stream):
            yield phrase, patient, stream


def never_broken(theirs, stream):
    """Whether nothing breaks, and nothing comes behind what is whole."""
    said = [theirs.update(token) for token in stream]
    return not any(broken for _, _, broken in said) and not any(whole for _, whole, _ in said[:-1])


def breaks_and_goes_on(theirs, stream):
    """Whether it breaks at the token that stands first in the phrase, and is not whole before the end."""
    first = theirs.advance()
    said = [(token, theirs.update(token)) for token in stream]
    return any(broken and token == first for token, (_, _, broken) in said) and not any(
        whole for _, (_, whole, _) in said[:-1]
    )


def breaks(theirs, stream):
    """Whether it breaks at another token than its first, and is not whole before the end."""
    first = theirs.advance()
    said = [(token, theirs.update(token)) for token in stream]
    return (
        any(broken for _, (_, _, broken) in said)
        and not any(broken and token == first for token, (_, _, broken) in said)
        and not any(whole for _, (_, whole, _) in said)
    )


def whole_before_the_end(theirs, stream):
    said = [theirs.update(token) for token in stream]
    return any(whole for _, whole, _ in said[:-1]) and not any(broken for _, _, broken in said)


# %% tests="PatientPhrase-advance" points=1
### BEGIN HIDDEN TESTS
rule = (
    "advance gives the id that is waited for, and remaining how many are missing; neither of the two changes anything."
)
near = phrases(18, never_broken, patience=(0,))
grade_class(sheet.get("PatientPhrase"), RightPhrase, looked_at, told, first_of(near), rule, [([5], 0, [5])], tried=40)
### END HIDDEN TESTS
demanded = PatientPhrase([7, 8], 0)
assert (demanded.advance(), demanded.remaining()) == (7, 2)

# %% tests="PatientPhrase-steps" points=2
### BEGIN HIDDEN TESTS
rule = "The id that is waited for is one step; others between are waited through, as many in a row as the patience allows, after each step anew."
near = phrases(19, never_broken, twice=True)
grade_class(
    sheet.get("PatientPhrase"),
    RightPhrase,
    after,
    told,
    first_of(near, 60),
    rule,
    [([1, 2, 4], 1, [1, 3, 2, 3, 4]), ([1, 1, 2], 0, [1, 1, 2])],
    tried=60,
)
### END HIDDEN TESTS
demanded = PatientPhrase([1, 2], 1)
assert [tuple(demanded.update(token)) for token in (1, 3, 2)] == [
    (True, False, False),
    (False, False, False),
    (True, True, False),
]

# %% tests="PatientPhrase-breaks" points=2
### BEGIN HIDDEN TESTS
rule = "One more than the patience allows breaks the phrase: nothing of it is there any longer, and the patience is as at first."
impatient = phrases(20, breaks)
grade_class(sheet.get("PatientPhrase"), RightPhrase, after, told, first_of(impatient, 60), rule, tried=60)
### END HIDDEN TESTS
demanded = PatientPhrase([1, 2], 0)
assert [tuple(demanded.update(token)) for token in (1, 3, 2)] == [
    (True, False, False),
    (False, False, True),
    (False, False, False),
]

# %% tests="PatientPhrase-again" points=1
### BEGIN HIDDEN TESTS
rule = "The token that breaks the phrase is tried as its first one, and if it is that one, the patience is as at first."
again = phrases(21, breaks_and_goes_on, patience=(0, 1))
behind = [([1, 2], 1, [1, 3, 1, 3, 2])]
grade_class(sheet.get("PatientPhrase"), RightPhrase, after, told, first_of(again, 60), rule, behind, tried=60)
### END HIDDEN TESTS
demanded = PatientPhrase([1, 2], 0)
assert [tuple(demanded.update(token)) for token in (1, 1)] == [(True, False, False), (True, False, True)]

# %% tests="PatientPhrase-whole" points=1
### BEGIN HIDDEN TESTS
rule = "What is whole stays whole, whatever comes."
whole = phrases(22, whole_before_the_end, patience=(0,))
grade_class(sheet.get("PatientPhrase"), RightPhrase, after, told, first_of(whole), rule, tried=40)
### END HIDDEN TESTS
demanded = PatientPhrase([1], 0)
assert [tuple(demanded.update(token)) for token in (1, 1)] == [(True, True, False), (False, True, False)]

# %% tests="PatientPhrase-obeyed" points=1
### BEGIN HIDDEN TESTS
rule = "Whoever writes what advance says makes the phrase whole, and after a reset again: then nothing is missing."
near = phrases(23, never_broken, patience=(0,))
grade_class(sheet.get("PatientPhrase"), RightPhrase, obeyed, reset_and_told, first_of(near), rule, tried=40)
### END HIDDEN TESTS
demanded = PatientPhrase([7, 8], 0)
demanded.update(7)
demanded.reset()
assert demanded.remaining() == 2

# %% [markdown]
# ## 6. A text that comes in pieces ({points shown_text} points)
#
# A model writes pieces, one after another. Write `shown_text(pieces)`, which gives a list: for each piece the text that is shown when it comes, and one text more for what is shown at the end. The rules:
#
# - **Bytes.** A piece such as `<0xE2>` is one byte, in hexadecimal digits. Bytes are held until all that are held make a character in UTF-8; then that is shown at once.
# - **Broken ones.** If another piece comes, or the end, each byte that is held is shown as one `�`, before that piece. So it is, too, when four bytes are held and
#   make no character.
# - **Other pieces** are shown at once, each `▁` in them as a blank. A `�` that is a piece of its own is a piece like any other, and the three bytes `<0xEF> <0xBF> <0xBD>` are a character like any other: it happens to be `�`.
# - **The first blank.** If the very first piece begins with `▁`, that one is not shown. (One `▁`, whatever comes behind it; and the first of all pieces, be they bytes or not.)
#
# <details><summary>Hint</summary>
#
# `int("E2", 16)` is a number, `bytes([226])` is a byte, and `bytes.decode()` raises `UnicodeDecodeError` if they are no text.
#
# </details>


# %% solution="shown_text"
def shown_text(pieces):
    """What is shown for each piece, and at the end."""
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
    """Pieces of a few parts behind a first word, for ever."""
    random = Random(seed)
    while True:
        chosen = random.choices(parts, k=random.randint(1, most))
        yield (["a", *(piece for part in chosen for piece in part)],)


def same_in_the_end(given, right):
    """Whether the same text is shown, whenever that is."""
    return len(given) == len(right) and "".join(given) == "".join(right)


# %% tests="shown_text-bytes" points=2
### BEGIN HIDDEN TESTS
rule = "Nothing is shown of a character until all of its bytes are there, and then it is shown at once."
grade(
    sheet.get("shown_text"),
    right_shown,
    first_of(streams(24, [["b"], in_bytes("é"), in_bytes("日"), in_bytes("🙂")])),
    rule,
    tried=40,
)
### END HIDDEN TESTS
assert list(shown_text(["a", "<0xC3>", "<0xA9>", "b"])) == ["a", "", "é", "b", ""]

# %% tests="shown_text-own" points=1
### BEGIN HIDDEN TESTS
rule = "The sign � may stand in the text itself, as a piece or in bytes: it is shown at once, and nothing waits for it."
own = streams(25, [["�"], in_bytes("�"), ["b"]])
grade(sheet.get("shown_text"), right_shown, first_of(own), rule, tried=40)
### END HIDDEN TESTS
assert list(shown_text(["a", "�", "b"])) == ["a", "�", "b", ""]

# %% tests="shown_text-broken" points=1
### BEGIN HIDDEN TESTS
rule = "Bytes that will never be whole are shown as one � each: before another piece, at the end, and as soon as four of them make no character."
torn = streams(26, [in_bytes("🙂")[:2], ["b"], in_bytes("日")[:1], ["<0xFF>"] * 4])
sure = [(["a", "<0xF0>", "<0x9F>", "b"],), (["a", *["<0xFF>"] * 4, *in_bytes("é")],)]
grade(sheet.get("shown_text"), right_shown, first_of(torn, 60), rule, sure, tried=60)
### END HIDDEN TESTS
assert "".join(shown_text(["a", "<0xC3>", "b"])) == "a�b"

# %% tests="shown_text-blanks" points=1
### BEGIN HIDDEN TESTS
rule = "Each ▁ is a blank, and only the one with which the very first piece begins is not shown."
words = ((pieces[1:],) for (pieces,) in streams(27, [["▁"], ["▁a"], ["b▁c▁d"], ["▁▁"], ["d"]]))
sure = [(["▁a", "▁a"],), (["▁▁a"],), (["▁a", "b▁c▁d"],), (["<0x61>", "▁a"],), ([],)]
grade(sheet.get("shown_text"), right_shown, first_of(words, 60), rule, sure, tried=60, same=same_in_the_end)
### END HIDDEN TESTS
assert "".join(shown_text(["▁a", "▁b"])) == "a b"

# %% [markdown]
# ## 7. By hand ({points trace} points)
#
# Your id gives you data of your own. Run the next cell, and the one below it, and take pencil and paper. Here the rules are those of the **lessons**, and not those of the tasks above.
#
# - `kept`: the probabilities of the ids 0 to 3 are `my.percents`, in hundredths. Which ids does top-p keep, if p is `my.top` hundredths? The most probable one first.
# - `winner`: three texts have ended, with the sums `my.sums` and so many tokens as `my.lengths` says. Which one wins with `length_penalty=1.0`? Its place, counted from zero.
# - `choices`: four groups of one beam choose one after another, and all see the scores `my.scores`. The diversity penalty is `my.penalty`. What do they choose, in order?
# - `there`: the phrase `my.phrase` is demanded (a `PhrasalConstraint` of the lesson; where it breaks, it begins anew, and nothing is there). How many of its ids are there after each of
#   `my.tokens`? A list.
# - `shown`: the bytes of a text come as `my.stream`. What does each of the three parts add to what is shown? A list of texts; `""` is nothing.
# - `spelled`: in how many ways can `my.word` be written, alone or behind a blank? Each way is a list of pieces, and `my.pieces` are all that there are.
# - `read`: `generate` of `transformers` `5.x` gets each list of `my.begun` as `decoder_input_ids`; the start is `0`. What does the decoder read, for each? A list of two lists.
#   (What it does with them stands in the last exercise of lesson 20.)

# %% locked="my_data"
from types import SimpleNamespace

from tokenlab.check.student_id import variant_chooser


def my_data(student_id):
    """Probabilities, texts that have ended, scores, a phrase and bytes, all derived from an id."""
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
    gap, wider, penalty = draw((3, 9, 2), (4, 9, 3), (5, 9, 2), (7, 11, 3), (2, 7, 6), (2, 9, 8), (3, 8, 7))
    first, second, third = mixed([1, 2, 5, 7, 8, 9])[:3]
    tokens = draw([first, second, first, second, third], [first, first, second, third], [first, second, first, third])
    text = (draw("a", "b", "x", "y") + draw("🙂", "日", "€", "🍵", "語") + draw("!", "?", ".")).encode()
    cut = draw(*range(2, len(text) - 2))
    first_part, second_part = draw(("ca", "kes"), ("so", "up"), ("to", "ast"), ("le", "mon"), ("ri", "ce"))
    word = first_part + second_part
    leading_space = draw(["▁"], ["▁" + first_part], ["▁", "▁" + first_part])
    pieces = mixed([word, first_part, second_part, second_part[-1], "▁" + word, *leading_space])
    return SimpleNamespace(
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

# %% solution="trace"
kept = ...
winner = ...
choices = ...
there = ...
shown = ...
spelled = ...
read = ...
### BEGIN SOLUTION
kept, mass = [], 0
for id in sorted(range(4), key=lambda id: -my.percents[id]):
    if mass < my.top:
        kept.append(id)
        mass += my.percents[id]
means = [total / length for total, length in zip(my.sums, my.lengths)]
winner = means.index(max(means))
choices = []
for _ in range(4):
    seen = [score - my.penalty * choices.count(id) for id, score in enumerate(my.scores)]
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
ways = {"": 1}
for text in (my.word, "▁" + my.word):
    for end in range(1, len(text) + 1):
        ways[text[:end]] = sum(ways[text[:start]] for start in range(end) if text[start:end] in my.pieces)
spelled = ways[my.word] + ways["▁" + my.word]
read = [ids if ids[0] == 0 else [0, *ids] for ids in my.begun]
### END SOLUTION

# %% hidden="trace"
from tokenlab.check.student_id import check_same_student

student_id = sheet.get("student_id")
check_same_student(student_id)
my = sheet["my_data"](student_id)


def same(name, right, rule):
    """Compare an answer with the right one, which is not told."""
    grade_answer(sheet, name, right, rule, same=equal_values)


# %% tests="trace-kept" points=1
### BEGIN HIDDEN TESTS
order = sorted(range(4), key=my.percents.__getitem__, reverse=True)
before = [sum(my.percents[other] for other in order[:place]) for place in range(4)]
rule = "The token with which the sum reaches p is kept, too."
same("kept", [id for id, mass in zip(order, before) if mass < my.top], rule)
### END HIDDEN TESTS
assert kept is not ..., "Write the list of ids that are kept."

# %% tests="trace-winner" points=1
### BEGIN HIDDEN TESTS
best = max(range(3), key=lambda place: my.sums[place] / my.lengths[place])
same(
    "winner", best, "The sum is divided by the number of tokens; sums are negative, so the score nearest to zero wins."
)
### END HIDDEN TESTS
assert winner is not ..., "Write the place of the winner."

# %% tests="trace-choices" points=1
### BEGIN HIDDEN TESTS
left, picked = list(my.scores), []
for _ in range(4):
    picked.append(max(range(3), key=left.__getitem__))
    left[picked[-1]] -= my.penalty
same("choices", picked, "Each earlier group that has chosen a token at this step costs it the penalty once more.")
### END HIDDEN TESTS
assert choices is not ..., "Write the list of the four choices."

# %% tests="trace-there" points=1
### BEGIN HIDDEN TESTS
progress, seen = 0, []
for token in my.tokens:
    progress = progress + 1 if my.phrase[progress] == token else 0
    seen.append(progress)
same("there", seen, "The token that breaks a phrase is not tried again: the phrase begins anew with the next one.")
### END HIDDEN TESTS
assert there is not ..., "Write how many are there after each token."

# %% tests="trace-shown" points=1
### BEGIN HIDDEN TESTS
from codecs import getincrementaldecoder

decoder = getincrementaldecoder("utf-8")()
rule = "A character is shown when its last byte has come, and nothing of it before."
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
    "A word is a text: whole and in parts, behind a blank and without one, each way to write it is a list of its own.",
)
### END HIDDEN TESTS
assert spelled is not ..., "Write how many ways there are."

# %% tests="trace-read" points=1
### BEGIN HIDDEN TESTS
begun = [[0] * (ids[:1] != [0]) + ids for ids in my.begun]
same("read", begun, "The start stands in front once: it is put there where it is missing, and nowhere else.")
### END HIDDEN TESTS
assert read is not ..., "Write the list of the two lists."

# %% [markdown]
# ## 8. In words ({points words} points)
#
# A colleague shows you a chat program. "The word *tea* is forbidden, I gave `bad_words_ids` the ids of *tea*, and it still writes it! Texts were too long, so I raised `length_penalty` to 2, and they got
# longer. And with every emoji the screen shows `��` first." Explain to them all three, and say what to do. Use examples of your own, with a word, two texts with their sums and lengths, and a character (and none from the
# lessons or from this sheet). A person reads and grades this.

# %% [markdown] solution="words" points=4
# A word is a text, and a token is one way to write a part of it. If the vocabulary has *rum*, *▁rum*, *r* and *um*, then *rum* behind a blank is *▁rum*, another id than *rum*, and *r um* is a third spelling. Each list of ids has to be
# forbidden by itself, and what is left is to look at the text. For `length_penalty`: the sum is divided by the length to that power. Two texts with the sums -4 (2 tokens) and -9 (6 tokens) have -2 and -1.5 with 1,
# so the longer one wins already; with 2 it is -1 and -0.25, and it wins by more. The sums are negative, so dividing by more brings the long one nearer to zero; to get shorter texts it has to be
# smaller, here 0: -4 wins against -9. The emoji: *🐫* has four bytes, and they may come in two or three tokens. Decoding the first of them alone gives `�`, for its bytes are not a character. Hold the bytes until the character is whole, and then show it. But do
# not wait until no `�` is there: the text may have one of its own.
#
# **Points.** 1: several spellings, with an example that has at least two (blank and none, or whole and in parts), and that each has to be forbidden. 1: two texts with sums and lengths, divided right, and that a larger power favours the
# longer one because sums are negative; so lower it. 1: bytes of a character over several tokens, held until it is whole. 1: all examples are their own, and one thing to do is named for each of the three. No point for an example from the lessons or from the sheet.
