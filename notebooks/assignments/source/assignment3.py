# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Assignment 3: T5 from the inside
#
# Eight tasks, {points} points. **Before this:** lessons `14_t5_attention`, `15_t5_model` and `16_t5_pretraining`.
#
# The tasks look like the lessons, and each differs from them in a rule. Read the rules; they are what is graded.
#
# - Write functions with plain Python and its module `math`. A function that calls `tokenlab`, `torch` or `transformers` gets no points.
# - Vectors are lists of numbers. Where a list is asked for, a tuple will do, and the other way round. Do not modify the lists that you
#   are given.
# - **Numbers** may be off by a millionth (of one, or of what is right, if that is larger). Whole numbers are compared exactly.
# - Below each function stand a few examples, and it is graded on more inputs than these. An `assert` that passes prints
#   nothing. Please leave those cells as they are: they are put back before grading.
# - Before you hand in, run all cells once more (*Restart Kernel and Run All Cells*), and save. Where your course has no server
#   to hand in on, write `from tokenlab.check.submission import hand_in` and `hand_in("assignment3.ipynb")` into a cell of your own, save,
#   and run it: it writes one file to hand in.
#
# **Two terms.** A *softmax* turns scores into weights that sum to one: e to the power of each score, divided by the sum of all these powers.
# A score is the *product* of a query and a key: the numbers at the same place are multiplied, and what comes out is added up.

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

from tokenlab.check.grading import grade, grade_answer
from tokenlab.check.strategies import first_of
from tokenlab.check.trace_comparison import equal_values, nearly_equal


def vectors(random, number, width, most=2):
    """So many vectors of small whole numbers."""
    return [[random.randint(-most, most) for _ in range(width)] for _ in range(number)]


def first(given, right):
    return nearly_equal(given[0], right[0])


def last(given, right):
    return len(given) == len(right) and nearly_equal(given[-1], right[-1])


# %% [markdown]
# ## 1. A norm with a floor ({points mean_size_norm} points)
#
# Write `mean_size_norm(vector, weights, floor)`, which gives a new vector, by these rules:
#
# - **The size** of a vector is the mean of the absolute values of its numbers. So *3* and *-1* have the size 2. (T5 takes squares and a root
#   in their place.)
# - **The floor.** If the size is less than `floor`, the floor is taken in place of the size. Nothing is added. (`floor` is zero or more,
#   and never zero where the size is.)
# - Each number is divided by the size, and multiplied by the weight at its place.
#
# <details><summary>Hint</summary>
#
# `abs`, `sum`, `len` and `max` are all that is needed. What becomes of a vector whose numbers are all the same?
#
# </details>


# %% solution="mean_size_norm"
def mean_size_norm(vector, weights, floor):
    """The vector over its mean size, or over the floor; each number times its weight."""
    ### BEGIN SOLUTION
    size = max(sum(abs(number) for number in vector) / len(vector), floor)
    return [number / size * weight for number, weight in zip(vector, weights)]
    ### END SOLUTION
    return ...


# %% hidden="mean_size_norm"
def right_norm(vector, weights, floor):
    sizes = [abs(number) for number in vector]
    size = sum(sizes) / len(sizes)
    if size < floor:
        size = floor
    return [weight * number / size for number, weight in zip(vector, weights)]


def balanced(sizes, floors):
    """Vectors whose numbers have one size and cancel each other out, with weights, for ever."""
    random = Random(1)
    while True:
        size = random.choice(sizes)
        vector = [size, -size] * random.randint(1, 2)
        yield vector, [random.randint(2, 5) for _ in vector], random.choice(floors)


def of_any_size():
    random = Random(2)
    while True:
        (vector,) = vectors(random, 1, random.randint(1, 4), 5)
        if any(vector):
            yield vector, [1] * len(vector), 0


# %% tests="mean_size_norm-size" points=2
### BEGIN HIDDEN TESTS
rule = "The size is the mean of the absolute values; no mean is subtracted, no square is taken, and a longer vector is not larger."
grade(sheet.get("mean_size_norm"), right_norm, first_of(of_any_size()), rule, tried=40, same=nearly_equal)
### END HIDDEN TESTS
assert [round(number, 5) for number in mean_size_norm([3, -1], [1, 1], 0)] == [1.5, -0.5]
assert [round(number, 5) for number in mean_size_norm([7, 7], [1, 1], 0)] == [1, 1]

# %% tests="mean_size_norm-weights" points=1
### BEGIN HIDDEN TESTS
rule = "Each number is multiplied by the weight at its own place."
grade(sheet.get("mean_size_norm"), right_norm, first_of(balanced([1, 2, 3], [0])), rule, tried=40, same=nearly_equal)
### END HIDDEN TESTS
assert [round(number, 5) for number in mean_size_norm([4, -4], [2, 3], 0)] == [2, -3]

# %% tests="mean_size_norm-floor" points=2
### BEGIN HIDDEN TESTS
rule = "If the size is less than the floor, the floor is divided by; and nothing is added in either case."
small = ((vector, [1] * len(vector), floor) for vector, _, floor in balanced([0, 1, 2], [16, 32]))
grade(sheet.get("mean_size_norm"), right_norm, first_of(small), rule, [([0], [1], 1)], tried=40, same=nearly_equal)
### END HIDDEN TESTS
assert [round(number, 5) for number in mean_size_norm([1, -1], [1, 1], 4)] == [0.25, -0.25]

# %% [markdown]
# ## 2. Classes that double ({points distance_class} points)
#
# Write `distance_class(relative_position, total, causal)`, which gives the number of the class of a key. `relative_position` is the key's place minus
# the query's, so it is negative for a key *before* the query. The rules:
#
# - **Sides.** There are `total` classes. In an encoder (`causal` is `False`) the first half of them is for keys before the query and for the key
#   at the query, and the second half for keys after it, in the same order. In a decoder (`causal` is `True`) all of them are for keys before the query and
#   at it; a key after the query is in class 0.
# - **Near.** The first half of a side's classes are for one distance each, beginning with the distance 0. `total` is 8, 16, 24 or more, always
#   a multiple of 8, so that all halves are whole.
# - **Far.** The next class is for as many distances as all near classes together, and each class after it is for **twice** as many as the one before it.
# - **The last** class of a side is also for all distances that are farther than that.
#
# With `total = 16` the encoder has 8 classes for keys before the query: the distances 0 to 3 are in the classes 0 to 3, the distances 4 to 7 in
# class 4, those from 8 to 15 in class 5, from 16 to 31 in class 6, and all others in class 7. A key 4 places *after* the query is in class 8 + 4.
#
# <details><summary>Hint</summary>
#
# First find out how many classes the side has. How far does the first far class reach, and the second? No logarithm is needed: double a limit
# until the distance is below it, and count.
#
# </details>


# %% solution="distance_class"
def distance_class(relative_position, total, causal):
    """The class of a key, by its distance to the query."""
    ### BEGIN SOLUTION
    first, side, distance = 0, total, max(-relative_position, 0)
    if not causal:
        side, distance = total // 2, abs(relative_position)
        first = side if relative_position > 0 else 0
    near = side // 2
    if distance < near:
        return first + distance
    found, limit = near, 2 * near
    while distance >= limit and found < side - 1:
        found, limit = found + 1, 2 * limit
    return first + found
    ### END SOLUTION
    return ...


# %% hidden="distance_class"
def limits(side):
    """The first distance of each class of a side."""
    near = side // 2
    return [*range(near), *(near * 2**number for number in range(side - near))]


def right_class(relative_position, total, causal):
    side = total if causal else total // 2
    later = relative_position > 0
    distance = (0 if later else -relative_position) if causal else abs(relative_position)
    place = sum(distance >= limit for limit in limits(side)) - 1
    return place + side * (later and not causal)


def keys(causal, within):
    """Keys whose distance lies within the limits that are given for a side, for ever."""
    random = Random(3)
    while True:
        total = random.choice([8, 16, 24, 32])
        least, most = within(total if causal else total // 2)
        yield random.choice([1, -1]) * random.randint(least, most), total, causal


# %% tests="distance_class-near" points=1
### BEGIN HIDDEN TESTS
rule = "Half of the classes are for each side, the second half for keys after the query; half of a side's are for one distance each."
near = keys(False, lambda side: (1, side // 2 - 1))
grade(sheet.get("distance_class"), right_class, first_of(near, 60), rule, [(0, 8, False)], tried=60)
### END HIDDEN TESTS
assert distance_class(-3, 16, False) == 3
assert distance_class(3, 16, False) == 11

# %% tests="distance_class-far" points=2
### BEGIN HIDDEN TESTS
rule = "The first far class is for as many distances as all near ones together, and each one after it for twice as many as the one before."
far = keys(False, lambda side: (side // 2, 4 * side if side > 4 else 2 * side - 1))
grade(sheet.get("distance_class"), right_class, first_of(far, 80), rule, tried=80)
### END HIDDEN TESTS
assert distance_class(-8, 16, False) == 5
assert distance_class(4, 16, False) == 12

# %% tests="distance_class-last" points=1
### BEGIN HIDDEN TESTS
rule = "Whatever is farther is in the last class of its own side."
beyond = (one for one in keys(False, lambda side: (4 * side, 70 * side)) if abs(one[0]) >= 2 * limits(one[1] // 2)[-1])
grade(sheet.get("distance_class"), right_class, first_of(beyond, 60), rule, tried=60)
### END HIDDEN TESTS
assert distance_class(-1000, 16, False) == 7

# %% tests="distance_class-decoder" points=3
### BEGIN HIDDEN TESTS
rule = "In a decoder all classes are for keys before the query and at it, so that more distances are near; keys after it are in class 0."
decoder = keys(True, lambda side: (0, side))
grade(sheet.get("distance_class"), right_class, first_of(decoder, 80), rule, [(-9, 32, True), (9, 32, True)], tried=80)
### END HIDDEN TESTS
assert distance_class(-7, 16, True) == 7
assert distance_class(7, 16, True) == 0

# %% [markdown]
# ## 3. One head, several texts in a row ({points packed_attention} points)
#
# Short texts are often put behind one another, so that no place is wasted. Write `packed_attention(queries, keys, values, table, segments)` for one
# head of a **decoder**. The first three are lists of vectors, one for each place. `segments` says for each place to which text it belongs: 1, 2 and so
# on, and 0 for padding. The function gives a list with an output vector for each place, by these rules:
#
# - **Who looks.** A query looks at a key if both are in the same text, and the key is not later than the query. All other keys have
#   the weight zero.
# - **Scores.** The score of a key is its product with the query, plus the bias `table[d]`, where the key stands `d` places before the query. If `d` is
#   beyond the end of the table, its last number is taken. A score is not divided by anything.
# - **Weights.** A softmax over the keys that the query looks at.
# - **Output.** The sum of the values of these keys, each multiplied by its weight. The output of a place with padding has zeros only.
#
# <details><summary>Hint</summary>
#
# For one query: make a list of the keys that it looks at, before anything else. Then scores, then weights, for these alone. So nothing has to be
# masked. Large scores: subtract the largest one from all before `exp`; the weights stay the same.
#
# </details>


# %% solution="packed_attention"
def packed_attention(queries, keys, values, table, segments):
    """What each place of a decoder takes from its own text, as a list of vectors."""
    ### BEGIN SOLUTION
    from math import exp

    outputs = []
    for place, query in enumerate(queries):
        output = [0.0] * len(values[0])
        looked_at = [other for other in range(place + 1) if segments[other] == segments[place] != 0]
        scores = []
        for other in looked_at:
            bias = table[min(place - other, len(table) - 1)]
            scores.append(sum(x * y for x, y in zip(query, keys[other])) + bias)
        powers = [exp(score - max(scores)) for score in scores]
        for other, power in zip(looked_at, powers):
            output = [x + power / sum(powers) * y for x, y in zip(output, values[other])]
        outputs.append(output)
    return outputs
    ### END SOLUTION
    return ...


# %% hidden="packed_attention"
def right_attention(queries, keys, values, table, segments):
    outputs = []
    for q, query in enumerate(queries):
        powers = [0.0] * len(keys)
        for k, key in enumerate(keys):
            if k <= q and segments[k] == segments[q] and segments[q]:
                score = sum(a * b for a, b in zip(query, key)) + table[min(q - k, len(table) - 1)]
                powers[k] = exp(score)
        total = sum(powers) or 1
        outputs.append([sum(p * value[d] for p, value in zip(powers, values)) / total for d in range(len(values[0]))])
    return outputs


def texts(seed, width=1, tables=((0,),), least=1, segments=lambda random, length: [1] * length):
    """Up to four places with vectors of that width, for ever."""
    random = Random(seed)
    while True:
        length = random.randint(least, 4)
        queries, keys = vectors(random, length, width), vectors(random, length, width)
        values = vectors(random, length, 1, 9)
        yield queries, keys, values, list(random.choice(tables)), segments(random, length)


def two_texts(random, length):
    start = random.randint(1, length - 1)
    return [1] * start + [2] * (length - start)


def padded(random, length):
    start = random.randint(1, length - 1)
    return [1] * start + [0] * (length - start)


def of_padding(given, right):
    """Compare the last place, which is padding."""
    return last(given, right) and len(given[-1]) == len(right[-1])


# %% tests="packed_attention-scores" points=2
### BEGIN HIDDEN TESTS
rule = "A score is the product of query and key as it is, not divided by anything; a softmax makes the weights."
grade(sheet.get("packed_attention"), right_attention, first_of(texts(4, width=2, least=2)), rule, tried=40, same=last)
### END HIDDEN TESTS
output = packed_attention([[0, 0], [1, 1]], [[1, 1], [1, 1]], [[4], [8]], [0], [1, 1])
assert abs(output[1][0] - 6) < 1e-6
output = packed_attention([[0, 0], [1, 1]], [[0, 0], [1, 1]], [[0], [1]], [0], [1, 1])
assert abs(output[1][0] - 0.880797) < 1e-5

# %% tests="packed_attention-bias" points=2
### BEGIN HIDDEN TESTS
rule = "The bias goes by how many places the key is before the query; it is added to the score, and the table's last number is for all that is farther."
biased = texts(5, tables=([0, 1], [2, 0], [0, 0, 1], [1, -1, 0]), least=3)
grade(sheet.get("packed_attention"), right_attention, first_of(biased), rule, tried=40, same=last)
### END HIDDEN TESTS
output = packed_attention([[0], [0]], [[0], [0]], [[0], [1]], [1, 0], [1, 1])
assert abs(output[1][0] - 0.731059) < 1e-5

# %% tests="packed_attention-later" points=2
### BEGIN HIDDEN TESTS
rule = "No query looks at a later key, and what it may look at has weights that sum to one."
grade(sheet.get("packed_attention"), right_attention, first_of(texts(6, least=2)), rule, tried=40, same=nearly_equal)
### END HIDDEN TESTS
assert abs(packed_attention([[0], [0]], [[0], [0]], [[4], [8]], [0], [1, 1])[0][0] - 4) < 1e-5

# %% tests="packed_attention-texts" points=1
### BEGIN HIDDEN TESTS
rule = "A query looks at keys of its own text, and the weights of these alone sum to one."
several = texts(7, least=2, segments=two_texts)
grade(sheet.get("packed_attention"), right_attention, first_of(several), rule, tried=40, same=last)
### END HIDDEN TESTS
assert abs(packed_attention([[0], [0]], [[0], [0]], [[4], [8]], [0], [1, 2])[1][0] - 8) < 1e-5

# %% tests="packed_attention-padding" points=1
### BEGIN HIDDEN TESTS
rule = "Padding is no text: the output of a place with padding has zeros only."
with_padding = texts(8, least=2, segments=padded)
grade(sheet.get("packed_attention"), right_attention, first_of(with_padding), rule, tried=40, same=of_padding)
### END HIDDEN TESTS
assert abs(packed_attention([[0], [0]], [[0], [0]], [[4], [8]], [0], [1, 0])[1][0]) < 1e-5

# %% [markdown]
# ## 4. A start that says the language, and a loss for which texts are equal ({points decoder_reads} + {points text_loss} points)
#
# In some translation models the labels *end* with the id of a language, and the decoder's input *begins* with it. Write `decoder_reads(labels, pad)`,
# which gives what the decoder reads:
#
# - **The start** is the last label that is not -100. If there is none, it is `pad`.
# - **Behind it** stand the labels, shifted to the right: each place reads the label of the place before it. There are as many inputs as labels.
# - A label of -100, which does not count, is read as `pad`.
#
# So the labels 8, 9, 1, 250 and -100 are read as 250, 8, 9, 1, 250.
#
# The second function is `text_loss(costs, labels)`. Both are lists with a list for each text; `costs` says for each place what its label costs (minus
# the logarithm of its probability).
#
# - The loss of a text is the mean of its costs at the places whose label is not -100.
# - The loss of all is the mean of the losses of the texts, so that a short text counts as much as a long one. A text in which no label counts
#   is left out. If no text is left, the loss is `float("nan")`.
#
# <details><summary>Hint</summary>
#
# `[start, *labels[:-1]]` is a list with a start. Which label is nowhere read, and which one is read twice? For the loss write first what one text
# costs.
#
# </details>


# %% solution="decoder_reads"
def decoder_reads(labels, pad):
    """The decoder's input for these labels."""
    ### BEGIN SOLUTION
    counted = [label for label in labels if label != -100]
    start = counted[-1] if counted else pad
    return [start, *(pad if label == -100 else label for label in labels[:-1])]
    ### END SOLUTION
    return ...


# %% hidden="decoder_reads"
def right_reads(labels, pad):
    start = next((label for label in reversed(labels) if label != -100), pad)
    read = [start]
    for label in labels[:-1]:
        read.append(pad if label == -100 else label)
    return read


def labels(ignored):
    """Labels without those that do not count, or with some, for ever."""
    random = Random(9)
    while True:
        counted = [random.randint(1, 9) for _ in range(random.randint(2, 4))]
        counted[-1] = random.choice([50, 60])  # the language
        behind = random.randint(1, 3) if ignored else 0
        yield counted + [-100] * behind, random.choice([0, 3])


def behind_the_start(given, right):
    return equal_values(given[1:], right[1:])


# %% tests="decoder_reads-shift" points=2
### BEGIN HIDDEN TESTS
rule = "Each place reads the label of the place before it, once, and the last label is read nowhere behind the start."
grade(sheet.get("decoder_reads"), right_reads, first_of(labels(False)), rule, tried=40, same=behind_the_start)
### END HIDDEN TESTS
assert list(decoder_reads([8, 9, 250], 0))[1:] == [8, 9]

# %% tests="decoder_reads-start" points=1
### BEGIN HIDDEN TESTS
rule = "The first place reads the last label: it is the language."
grade(sheet.get("decoder_reads"), right_reads, first_of(labels(False)), rule, tried=40, same=first)
### END HIDDEN TESTS
assert decoder_reads([8, 9, 250], 0)[0] == 250

# %% tests="decoder_reads-ignored" points=1
### BEGIN HIDDEN TESTS
rule = "The start is the last label that is not -100, or pad; every -100 is read as pad."
grade(
    sheet.get("decoder_reads"),
    right_reads,
    first_of(labels(True)),
    rule,
    [([8, -100, -100], 0), ([-100, -100], 3)],
    tried=40,
)
### END HIDDEN TESTS
assert list(decoder_reads([8, 9, 1, 250, -100], 0)) == [250, 8, 9, 1, 250]


# %% solution="text_loss"
def text_loss(costs, labels):
    """The mean of the texts' mean costs."""
    ### BEGIN SOLUTION
    losses = []
    for row, text in zip(costs, labels):
        counted = [cost for cost, label in zip(row, text) if label != -100]
        if counted:
            losses.append(sum(counted) / len(counted))
    return sum(losses) / len(losses) if losses else float("nan")
    ### END SOLUTION
    return ...


# %% hidden="text_loss"
def right_loss(costs, labels):
    losses = []
    for row, text in zip(costs, labels):
        places = [place for place in range(len(text)) if text[place] != -100]
        if places:
            losses.append(sum(row[place] for place in places) / len(places))
    return sum(losses) / len(losses) if losses else float("nan")


def batches(lengths, ignored):
    """Costs and labels of texts; of each text so many labels are -100, for ever."""
    random = Random(10)
    while True:
        costs, texts = [], []
        for _ in range(random.randint(*lengths)):
            length = random.randint(2, 4)
            behind = ignored(random, length)
            costs.append([random.randint(1, 9) for _ in range(length)])
            texts.append([random.randint(1, 9) for _ in range(length - behind)] + [-100] * behind)
        yield costs, texts


# %% tests="text_loss-count" points=2
### BEGIN HIDDEN TESTS
rule = "A label of -100 does not count: its cost is not added, and it is not one of those that are divided by."
one_text = batches((1, 1), lambda random, length: random.randint(1, length - 1))
grade(sheet.get("text_loss"), right_loss, first_of(one_text), rule, tried=40, same=nearly_equal)
### END HIDDEN TESTS
assert abs(text_loss([[2, 4, 9]], [[8, 1, -100]]) - 3) < 1e-6

# %% tests="text_loss-texts" points=1
### BEGIN HIDDEN TESTS
rule = "Each text has a mean of its own, and the mean of these means is the loss, however long the texts are."
several = batches((2, 3), lambda random, length: 0)
grade(sheet.get("text_loss"), right_loss, first_of(several), rule, tried=40, same=nearly_equal)
### END HIDDEN TESTS
assert abs(text_loss([[2], [4, 4, 4]], [[1], [8, 8, 1]]) - 3) < 1e-6

# %% tests="text_loss-none" points=1
### BEGIN HIDDEN TESTS
rule = "A text in which no label counts is left out; if none is left, the loss is nan."
nothing = ([[3, 4]], [[-100, -100]])
left_out = ((costs + nothing[0], texts + nothing[1]) for costs, texts in batches((0, 1), lambda random, length: 0))
grade(sheet.get("text_loss"), right_loss, first_of(left_out), rule, tried=40, same=nearly_equal)
### END HIDDEN TESTS
assert abs(text_loss([[2], [4]], [[1], [-100]]) - 2) < 1e-6

# %% [markdown]
# ## 5. One step with a memory that forgets ({points window_step} points)
#
# A decoder writes token by token. Write `window_step(query, key, value, memory, table, most)` for its newest token, whose three vectors it gets. `memory` is
# a pair of lists: the keys and the values of earlier tokens, the oldest first. The function gives two things, an output and the new memory,
# by these rules:
#
# - **Remembering.** The new key and the new value join the memory, at the end. Then only the last `most` keys and values stay; older ones are
#   forgotten, before anything is looked at. (`most` is one or more.)
# - **Looking.** The score of each key that stays is its product with the query, plus `table[d]` for a key that stands `d` places before the newest
#   token. The table is long enough. Nothing is divided.
# - **Output.** A softmax over these scores; the sum of the values, each multiplied by its weight.
#
# <details><summary>Hint</summary>
#
# The place of the new token is behind all that are remembered, although it comes alone. Which key is 0 places before it? New lists, so that the old
# memory stays as it was: `[*keys, key]`. `numbers[-3:]` are the last three.
#
# </details>


# %% solution="window_step"
def window_step(query, key, value, memory, table, most):
    """The output of the newest token, and the memory with it."""
    ### BEGIN SOLUTION
    from math import exp

    keys = [*memory[0], key][-most:]
    values = [*memory[1], value][-most:]
    scores = []
    for back, other in enumerate(reversed(keys)):
        scores.insert(0, sum(x * y for x, y in zip(query, other)) + table[back])
    powers = [exp(score - max(scores)) for score in scores]
    output = [sum(power * number for power, number in zip(powers, column)) / sum(powers) for column in zip(*values)]
    return output, (keys, values)
    ### END SOLUTION
    return ...


# %% hidden="window_step"
def right_step(query, key, value, memory, table, most):
    keys, values = ([*rows, new] for rows, new in zip(memory, (key, value)))
    keys, values = keys[-most:], values[-most:]
    newest = len(keys) - 1
    powers = [exp(sum(a * b for a, b in zip(query, k)) + table[newest - n]) for n, k in enumerate(keys)]
    return [sum(p * v[d] for p, v in zip(powers, values)) / sum(powers) for d in range(len(value))], (keys, values)


def steps(seed, width=1, biases=(0,), remembered=(1, 3), most=4):
    """Steps with so many remembered tokens, for ever; `most` may be a function of their number."""
    random = Random(seed)
    while True:
        number = random.randint(*remembered)
        query, key, *keys = vectors(random, number + 2, width)
        value, *values = vectors(random, number + 1, 1, 9)
        table = [random.choice(biases) for _ in range(number + 1)]
        yield query, key, value, (keys, values), table, most(random, number) if callable(most) else most


def memory_alone(given, right):
    return len(given) == 2 and equal_values(given[1], right[1])


# %% tests="window_step-output" points=2
### BEGIN HIDDEN TESTS
rule = "The query is compared with all keys, its own token's too, and the product is not divided; a softmax says how much of each value is taken."
wide = steps(11, width=2, remembered=(0, 3))
grade(sheet.get("window_step"), right_step, first_of(wide), rule, tried=40, same=first)
### END HIDDEN TESTS
output, _ = window_step([1, 1], [1, 1], [1], ([[0, 0]], [[0]]), [0, 0], 4)
assert abs(output[0] - 0.880797) < 1e-5

# %% tests="window_step-bias" points=2
### BEGIN HIDDEN TESTS
rule = "The newest token stands behind all others: its own key is 0 places before it and gets table[0], the one before it table[1], and so on."
grade(sheet.get("window_step"), right_step, first_of(steps(12, biases=(0, 1, 3))), rule, tried=40, same=first)
### END HIDDEN TESTS
output, _ = window_step([0], [0], [0], ([[0]], [[1]]), [0, 1], 4)
assert abs(output[0] - 0.731059) < 1e-5

# %% tests="window_step-memory" points=1
### BEGIN HIDDEN TESTS
rule = "The new key and the new value are remembered behind the older ones; the query is not."
grade(sheet.get("window_step"), right_step, first_of(steps(13)), rule, tried=40, same=memory_alone)
### END HIDDEN TESTS
_, (keys, values) = window_step([5], [6], [7], ([[1]], [[2]]), [0, 0], 4)
assert [list(key) for key in keys] == [[1], [6]] and [list(value) for value in values] == [[2], [7]]

# %% tests="window_step-window" points=2
### BEGIN HIDDEN TESTS
rule = "Only the last `most` keys and values stay, the new ones among them; what is forgotten is not looked at."
full = steps(14, remembered=(2, 4), most=lambda random, number: random.randint(1, number))
grade(sheet.get("window_step"), right_step, first_of(full), rule, tried=40, same=nearly_equal)
### END HIDDEN TESTS
output, (keys, _) = window_step([0], [0], [6], ([[0], [0]], [[9], [2]]), [0, 0, 0], 2)
assert abs(output[0] - 4) < 1e-6 and len(keys) == 2

# %% [markdown]
# ## 6. Noise without chance ({points even_mask} points)
#
# Write `even_mask(length, percent, mean)`, which says which tokens of a text are taken out: a list with 1 for each token that is noise, and 0 for each
# that is kept. T5 draws the lengths of the spans; here they are as even as can be. The rules:
#
# - **How much.** The number of noise tokens is `percent` hundredths of `length`, rounded **down**; but at least 1, and at most `length - 1`. (`length`
#   is two or more.)
# - **How many spans.** The number of noise spans is the number of noise tokens divided by `mean`, rounded down; but at least 1, and at most the number
#   of kept tokens. There are as many spans of kept tokens as of noise.
# - **How long.** The noise tokens are dealt out to the spans evenly. What cannot be dealt out evenly makes the **first** noise spans longer, by one token
#   each. Kept tokens are dealt out in the same way, but there the **last** spans are the longer ones.
# - **In turn.** The text begins with a span of kept tokens, then comes noise, and so on; it ends with noise.
#
# With `length = 12`, `percent = 45` and `mean = 2` there are 5 noise tokens in 2 spans, of 3 and 2, and 7 kept tokens in spans of 3 and 4. So the mask is
# 0 0 0 1 1 1 0 0 0 0 1 1.
#
# <details><summary>Hint</summary>
#
# `divmod(5, 2)` is `(2, 1)`: two for each, and one that is left over. Write a helper that deals tokens out, and use it twice.
#
# </details>


# %% solution="even_mask"
def even_mask(length, percent, mean):
    """For each token 1 if it is noise, and 0 if it is kept."""
    ### BEGIN SOLUTION
    noise = min(max(length * percent // 100, 1), length - 1)
    kept = length - noise
    spans = min(max(noise // mean, 1), kept)
    mask = []
    for span in range(spans):
        mask += [0] * (kept // spans + (span >= spans - kept % spans))
        mask += [1] * (noise // spans + (span < noise % spans))
    return mask
    ### END SOLUTION
    return ...


# %% hidden="even_mask"
def right_mask(length, percent, mean):
    noise = max(1, min(length - 1, length * percent // 100))
    kept = length - noise
    spans = max(1, min(kept, noise // mean))
    noise_spans = [noise // spans + 1] * (noise % spans) + [noise // spans] * (spans - noise % spans)
    kept_spans = [kept // spans] * (spans - kept % spans) + [kept // spans + 1] * (kept % spans)
    mask = []
    for zeros, ones in zip(kept_spans, noise_spans):
        mask += [0] * zeros + [1] * ones
    return mask


def asked(lengths, percents, means):
    """A length, a share and a mean, for ever."""
    random = Random(15)
    while True:
        yield random.choice(lengths), random.choice(percents), random.choice(means)


TENS = range(10, 50, 10)  # of which all tenths are whole, so that rounding has no part in it


def clear(length, percent, mean):
    """Whether rounding the number of spans to the nearest is rounding it down."""
    return 2 * (length * percent // 100 % mean) < mean


def spans_of(mask):
    """The lengths of the noise spans."""
    return [len(list(run)) for noisy, run in groupby(mask, bool) if noisy]


def same_amount(given, right):
    return len(given) == len(right) and sum(given) == sum(right)


def same_number(given, right):
    return len(given) > 1 and sum(given) > 0 and len(spans_of(given)) == len(spans_of(right))


# %% tests="even_mask-amount" points=2
### BEGIN HIDDEN TESTS
rule = "The number of noise tokens is rounded down, and is at least 1 and at most length - 1; no token is lost."
amounts = asked(range(2, 31), [1, 15, 20, 33, 50, 85, 99, 100], [3])
grade(sheet.get("even_mask"), right_mask, first_of(amounts, 60), rule, tried=60, same=same_amount)
### END HIDDEN TESTS
assert sum(even_mask(10, 19, 3)) == 1
assert sum(even_mask(2, 10, 3)) == 1

# %% tests="even_mask-spans" points=2
### BEGIN HIDDEN TESTS
rule = "The number of spans is the number of noise tokens over the mean, rounded down; at least 1, and no more than there are kept tokens."
numbers = asked(TENS, [20, 40, 50, 70, 80, 90], [1, 2, 3, 4])
grade(sheet.get("even_mask"), right_mask, first_of(numbers, 60), rule, tried=60, same=same_number)
### END HIDDEN TESTS
mask = even_mask(20, 50, 5)
assert sum(one != other for one, other in zip(mask, mask[1:])) == 3
mask = even_mask(4, 75, 1)
assert sum(one != other for one, other in zip(mask, mask[1:])) == 1

# %% tests="even_mask-even" points=2
### BEGIN HIDDEN TESTS
rule = (
    "Kept tokens come first, then noise, in turn; the first noise spans are the longer ones, and the last of the kept."
)
uneven = (
    one for one in asked(TENS, [30, 40, 60, 70], [2, 3, 4]) if clear(*one) and len(set(spans_of(right_mask(*one)))) > 1
)
grade(sheet.get("even_mask"), right_mask, first_of(uneven, 60), rule, [(6, 50, 3), (10, 40, 2)], tried=60)
### END HIDDEN TESTS
assert list(even_mask(12, 45, 2)) == [0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 1]

# %% [markdown]
# ## 7. By hand ({points trace} points)
#
# Your id gives you data of your own. Run the next cell, and the one below it, and take pencil and paper.
#
# - `scores`: a query of a T5's decoder, `my.query`, stands behind all of `my.keys` but the last, and at the place of the last one. What are the scores of the keys, bias included,
#   before the softmax? The bias of a key that is `d` places before the query is `my.table[d]`. A list of whole numbers, in the order of the keys.
# - `encoder_class`, `decoder_class`: a key stands `my.back` places **before** its query, and there are `my.total` classes. In which class of **task 2** is it in an
#   encoder, and in a decoder?
# - `bias_numbers`: a T5 as in the lessons (not as in task 2) has `my.encoder_blocks` blocks in its encoder, `my.decoder_blocks` in its decoder, `my.heads` heads in every attention, and `my.total`
#   buckets. How many numbers are there in all of its tables of biases together?
# - `cross_rows`: its decoder writes `my.steps` tokens, one in each step, with a cache, for a source of `my.source` tokens. How many keys (rows, each for one token and all heads) does the
#   cross attention of **one** block compute in all of these steps together?

# %% locked="my_data"
from types import SimpleNamespace

from tokenlab.check.student_id import variant_chooser


def my_data(student_id):
    """A query, keys and a table; places, sizes and a source, all derived from an id."""
    draw = variant_chooser(student_id)
    numbers = 1, 2, 3, 4, 5
    query = [draw(*numbers), draw(*numbers)]
    keys = [[draw(*numbers), draw(*numbers)] for _ in range(3)]
    table = draw([0, 1, 3], [4, 2, 0], [0, 2, 5], [6, 5, 3], [1, 0, 2])
    return SimpleNamespace(
        query=query,
        keys=keys,
        table=table,
        total=draw(16, 24, 32),
        back=draw(*range(13, 48)),
        encoder_blocks=draw(2, 3, 4, 6),
        decoder_blocks=draw(2, 3, 4, 6),
        heads=draw(4, 6, 8, 12),
        source=draw(*range(5, 12)),
        steps=draw(3, 4, 6, 7),
    )


# %% locked="my"
my = my_data(student_id)
for name, value in vars(my).items():
    print(f"my.{name} = {value}")

# %% solution="trace"
scores = ...
encoder_class = ...
decoder_class = ...
bias_numbers = ...
cross_rows = ...
### BEGIN SOLUTION
scores = [x * my.query[0] + y * my.query[1] + bias for (x, y), bias in zip(my.keys, reversed(my.table))]
encoder_class = distance_class(-my.back, my.total, False)
decoder_class = distance_class(-my.back, my.total, True)
bias_numbers = 2 * my.heads * my.total
cross_rows = my.source
### END SOLUTION

# %% hidden="trace"
from tokenlab.check.student_id import check_same_student

student_id = sheet.get("student_id")
check_same_student(student_id)
my = sheet["my_data"](student_id)


def same(name, right, rule):
    """Compare an answer with the right one, which is not told."""
    grade_answer(sheet, name, right, rule, same=equal_values)


# %% tests="trace-scores" points=1
### BEGIN HIDDEN TESTS
products = [sum(a * b for a, b in zip(my.query, key)) for key in my.keys]
rule = "A score is the product, not divided, plus the bias of the distance; the last key is 0 places before the query."
same("scores", [product + bias for product, bias in zip(products, my.table[::-1])], rule)
### END HIDDEN TESTS
assert scores is not ..., "Write the list of the three scores."


# %% tests="trace-classes" points=2
### BEGIN HIDDEN TESTS
def class_of(back, side):
    near = side // 2
    return sum(back >= limit for limit in [*range(1, near), *(near * 2**number for number in range(side - near))])


rule = "Half of the encoder's classes are for keys after the query, and none of the decoder's are; half of a side's classes are near ones."
same("encoder_class", class_of(my.back, my.total // 2), rule)
same("decoder_class", class_of(my.back, my.total), rule)
### END HIDDEN TESTS
assert encoder_class is not ... and decoder_class is not ..., "Write both classes."

# %% tests="trace-numbers" points=1
### BEGIN HIDDEN TESTS
same(
    "bias_numbers",
    2 * my.total * my.heads,
    "Each stack stores one table, in its first self attention; all of its blocks use it, and cross attention has none.",
)
### END HIDDEN TESTS
assert bias_numbers is not ..., "Write how many numbers there are in all tables of biases."

# %% tests="trace-rows" points=1
### BEGIN HIDDEN TESTS
same(
    "cross_rows",
    my.source,
    "The source does not change while the decoder writes, so its keys are computed once and then remembered.",
)
### END HIDDEN TESTS
assert cross_rows is not ..., "Write how many keys of the source are computed."

# %% [markdown]
# ## 8. In words ({points words} points)
#
# A colleague has written a decoder and says: "It learns wonderfully. The loss fell to almost nothing in a few minutes. But what it writes is rubbish! I even
# tested the attention with a single token, and it was right." You find out that the causal mask is missing. Explain it to them with a target text of
# your own, of at least three tokens (and none from the lessons): write down what each place reads, and what it has to predict. Say at one place of your example what it can look at
# without the mask, why the loss falls, what is different when the model writes token by token, and why the test with a single token shows nothing. Then propose a
# test that would have shown it. A person reads and grades this.

# %% [markdown] solution="words" points=4
# Target *rain falls today </s>*. The decoder reads *<pad> rain falls today* and has to predict *rain falls today </s>*, each place the token behind it. The second place reads *rain*
# and has to predict *falls*. But *falls* is what the third place reads, so without the mask the second place looks one place to its right and copies it. This works at every place but the last, which
# has to know that the text ends, so the loss falls to almost nothing, and the model learns to copy instead of to
# write. When it writes, there is nothing to the right: after *<pad> rain* the token *falls* does not exist yet, and what the model has learned to look for is missing. With a single token
# no key is later than the query, so the mask forbids nothing, and the weights are right with or without it. Two tokens are the fewest that show it: change the last token of the decoder's
# input, and see whether the outputs at the places before it stay as they were; they must.
#
# **Points.** 1: an example of their own, with inputs that are the labels shifted by one. 1: a place that looks at the token which it has to predict, because that token is the input of the next place; so it
# copies, and the loss falls. 1: in writing this token does not exist yet. 1: one token has no later one, so two are needed, and a test that would show it (change a later token and compare earlier
# outputs; or compare with outputs token by token; or look for weights above the diagonal). No point for an example from the lessons.
