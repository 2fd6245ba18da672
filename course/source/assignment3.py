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
# Each task resembles a part of the lessons, but at least one rule is different. Your program is graded by the rules on
# this sheet.
#
# - Write plain Python. You may use the module `math`. A function that calls `tokenlab`, `torch` or `transformers` gets
#   no points.
# - Where a list is expected, a tuple is accepted as well, and the other way round. Do not modify the arguments.
# - **Vectors** are lists of numbers.
# - **Numbers.** Floats are compared with a tolerance of 0.000001, absolute or relative. Integers are compared exactly.
# - The cells below each function show a few examples. Hidden tests try more inputs, and report one on which your
#   function fails. An `assert` that passes prints nothing. Leave these cells unchanged: they are restored before
#   grading.
# - Before you submit, run all cells once more (*Restart Kernel and Run All Cells*), and save.
# - If your course has no server for submissions, write `from tokenlab.check.submission import hand_in` and
#   `hand_in("assignment3.ipynb")` into a new cell, save, and run the cell. It writes one file that you can submit.
#
# **Two terms.** The *softmax* converts scores to weights that sum to 1: the exponential (`exp`) of each score, divided
# by the sum of all these exponentials. The score of a query and a key is their *dot product*: multiply the numbers at
# the same position, and add the products.

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
from itertools import cycle, groupby
from math import exp
from course.course_seed import Random

from course.grading import grade, grade_answer
from tokenlab.check.strategies import first_of
from tokenlab.check.trace_comparison import equal_values, nearly_equal


def vectors(random, number, width, most=2):
    """Return `number` vectors of small integers."""
    return [[random.randint(-most, most) for _ in range(width)] for _ in range(number)]


def first(given, right):
    return nearly_equal(given[0], right[0])


def last(given, right):
    return len(given) == len(right) and nearly_equal(given[-1], right[-1])


def either(same):
    """Return a comparison with several results that pass."""
    return lambda given, right: any(same(given, one) for one in right)


# %% [markdown]
# ## 1. A norm with a floor ({points mean_size_norm} points)
#
# Write `mean_size_norm(vector, weights, floor)`. `vector` and `weights` are lists of numbers of the same length, and
# `floor` is a number, 0 or more. Return a list of numbers of the same length. The rules:
#
# - **Size.** The size of a vector is the mean of the absolute values of its numbers: `[3, -1]` has the size 2. (T5 uses
#   the square root of the mean of the squares.)
# - **Floor.** If the size is less than `floor`, use the floor instead of the size. Nothing is added. The floor and the
#   size are never both 0.
# - **Scaling.** Each number is divided by the size and multiplied by the weight at the same position.
#   `mean_size_norm([4, -4], [2, 3], 0)` returns `[2, -3]`, and `mean_size_norm([1, -1], [1, 1], 4)` returns
#   `[0.25, -0.25]`.
#
# <details><summary>Hint</summary>
#
# `abs`, `sum`, `len` and `max` are sufficient. What is the result for a vector whose numbers are all equal?
#
# </details>


# %% solution="mean_size_norm"
def mean_size_norm(vector, weights, floor):
    """Return the vector divided by its mean size or the floor, each number times its weight."""
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


def with_each_size(vector, weights, floor):
    """Return the results that pass if the size may also be the sum or the square root of the mean of the squares."""
    total, squares = sum(abs(number) for number in vector), sum(number**2 for number in vector)
    sizes = total / len(vector), total, (squares / len(vector)) ** 0.5
    return [[number / max(size, floor) * weight for number, weight in zip(vector, weights)] for size in sizes]


def with_each_floor(vector, weights, floor):
    """Return the results that pass if the floor may also be left out, added, or used instead of any size."""
    size = sum(abs(number) for number in vector) / len(vector)
    divisors = max(size, floor), size, size + floor, floor or size
    return [[number / divisor * weight for number, weight in zip(vector, weights)] for divisor in divisors]


def balanced(sizes, floors, zeros=0):
    """Yield vectors whose numbers have one absolute value and sum to 0, and some zeros, with weights, without end."""
    random = Random(1)
    while True:
        size = random.choice(sizes)
        vector = [size, -size] * random.randint(1, 2) + [0] * random.randint(0, zeros)
        yield vector, [random.randint(2, 5) for _ in vector], random.choice(floors)


def of_any_size():
    random = Random(2)
    while True:
        (vector,) = vectors(random, 1, random.randint(1, 4), 5)
        if any(vector):
            yield vector, [1] * len(vector), 0


# %% tests="mean_size_norm-size" points=2
### BEGIN HIDDEN TESTS
rule = "The size is the mean of the absolute values: no mean is subtracted, nothing is squared, and the sum is divided by the length."
grade(sheet.get("mean_size_norm"), right_norm, first_of(of_any_size()), rule, tried=40, same=nearly_equal)
### END HIDDEN TESTS
assert [round(number, 5) for number in mean_size_norm([3, -1], [1, 1], 0)] == [1.5, -0.5]
assert [round(number, 5) for number in mean_size_norm([7, 7], [1, 1], 0)] == [1, 1]

# %% tests="mean_size_norm-weights" points=1
### BEGIN HIDDEN TESTS
rule = "Each number is multiplied by the weight at the same position."
weighted = first_of(balanced([1, 2, 30], [0, 16]))
grade(sheet.get("mean_size_norm"), with_each_floor, weighted, rule, tried=40, same=either(nearly_equal))
### END HIDDEN TESTS
assert [round(number, 5) for number in mean_size_norm([4, -4], [2, 3], 0)] == [2, -3]

# %% tests="mean_size_norm-floor" points=2
### BEGIN HIDDEN TESTS
rule = "If the size is less than the floor, divide by the floor; nothing is added in either case."
with_floor = balanced([0, 1, 2, 20, 40, 80], [0.5, 16, 32], zeros=2)
inputs = first_of((vector, [1] * len(vector), floor) for vector, _, floor in with_floor)
examples = [([0], [1], 1), ([20, -20, 0, 0], [1] * 4, 16)]
grade(sheet.get("mean_size_norm"), with_each_size, inputs, rule, examples, tried=40, same=either(nearly_equal))
### END HIDDEN TESTS
assert [round(number, 5) for number in mean_size_norm([1, -1], [1, 1], 4)] == [0.25, -0.25]

# %% [markdown]
# ## 2. Buckets that double ({points distance_class} points)
#
# Write `distance_class(relative_position, total, causal)`. It returns the bucket of a key, an integer.
# `relative_position` is the position of the key minus the position of the query, so it is negative for a key *before*
# the query. `total` is the number of buckets, a multiple of 8. `causal` is a Boolean. The rules:
#
# - **Sides.** In an encoder (`causal` is `False`), the first half of the buckets is for keys before the query and at
#   it. The second half is for keys after the query, in the same order. In a decoder (`causal` is `True`), all buckets
#   are for keys before the query and at it; a key after the query is in bucket 0.
# - **Near.** The first half of the buckets of a side have one distance each, starting with the distance 0.
# - **Far.** The next bucket has the same number of distances as all near buckets together. Each bucket after it has
#   **twice** as many distances as the bucket before it.
# - **Last.** The last bucket of a side also has all larger distances.
#
# An example: with `total = 16`, the encoder has 8 buckets for keys before the query. The distances 0 to 3 are in the
# buckets 0 to 3. The distances 4 to 7 are in bucket 4, 8 to 15 in bucket 5, 16 to 31 in bucket 6, and all larger ones
# in bucket 7. A key 4 positions *after* the query is in bucket 8 + 4 = 12.
#
# <details><summary>Hint</summary>
#
# How many buckets does the side have? Which distance is the last one in the first far bucket, and in the second? You
# need no logarithm: double a limit until the distance is below it, and count.
#
# </details>


# %% solution="distance_class"
def distance_class(relative_position, total, causal):
    """Return the bucket of a key, by its distance from the query."""
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
    """Return the first distance of each bucket of a side."""
    near = side // 2
    return [*range(near), *(near * 2**number for number in range(side - near))]


def right_class(relative_position, total, causal):
    side = total if causal else total // 2
    later = relative_position > 0
    distance = (0 if later else -relative_position) if causal else abs(relative_position)
    bucket = sum(distance >= limit for limit in limits(side)) - 1
    return bucket + side * (later and not causal)


def keys(causal, within):
    """Yield keys whose distance is within the limits that `within` gives for a side, without end."""
    random = Random(3)
    while True:
        total = random.choice([8, 16, 24, 32])
        least, most = within(total if causal else total // 2)
        yield random.choice([1, -1]) * random.randint(least, most), total, causal


def far_keys(distance):
    """Yield keys whose distance `distance` draws for a side of up to 16 buckets; in a decoder, before the query."""
    random = Random(17)
    while True:
        if random.random() < 0.5:
            total = random.choice([8, 16])
            yield -distance(random, total), total, True
        else:
            total = random.choice([8, 16, 24, 32])
            yield random.choice([1, -1]) * distance(random, total // 2), total, False


def in_a_far_bucket(random, side):
    """Return the first or the last distance of a far bucket, or another one; the last bucket also has an end here."""
    least = random.choice(limits(side)[side // 2 :])
    return least + random.choice([0, least - 1, random.randrange(least)])


def beyond_the_last_limit(random, side):
    return limits(side)[-1] * random.randint(4, 9)


def right_or_encoder_class(relative_position, total, causal):
    """Return the results that pass if a decoder may also have the encoder's buckets."""
    return [right_class(relative_position, total, causal), right_class(relative_position, total, False)]


# %% tests="distance_class-near" points=1
### BEGIN HIDDEN TESTS
rule = "Each side has half of the buckets, and keys after the query have the second half; half of the buckets of a side have one distance each."
near = keys(False, lambda side: (1, side // 2 - 1))
grade(sheet.get("distance_class"), right_class, first_of(near, 60), rule, [(0, 8, False)], tried=60)
### END HIDDEN TESTS
assert distance_class(-3, 16, False) == 3
assert distance_class(3, 16, False) == 11

# %% tests="distance_class-far" points=2
### BEGIN HIDDEN TESTS
rule = "The first far bucket has the same number of distances as all near ones together, and each bucket after it twice as many as the one before."
far = first_of(far_keys(in_a_far_bucket), 80)
grade(sheet.get("distance_class"), right_or_encoder_class, far, rule, tried=80, same=either(equal_values))
### END HIDDEN TESTS
assert distance_class(-8, 16, False) == 5
assert distance_class(4, 16, False) == 12

# %% tests="distance_class-last" points=1
### BEGIN HIDDEN TESTS
rule = "All larger distances are in the last bucket of their own side."
beyond = first_of(far_keys(beyond_the_last_limit), 60)
grade(sheet.get("distance_class"), right_or_encoder_class, beyond, rule, tried=60, same=either(equal_values))
### END HIDDEN TESTS
assert distance_class(-1000, 16, False) == 7

# %% tests="distance_class-decoder" points=3
### BEGIN HIDDEN TESTS
rule = "In a decoder, all buckets are for keys before the query and at it, so more distances are near; keys after the query are in bucket 0."
decoder = keys(True, lambda side: (0, side))
grade(sheet.get("distance_class"), right_class, first_of(decoder, 80), rule, [(-9, 32, True), (9, 32, True)], tried=80)
### END HIDDEN TESTS
assert distance_class(-7, 16, True) == 7
assert distance_class(7, 16, True) == 0

# %% [markdown]
# ## 3. One attention head, several packed texts ({points packed_attention} points)
#
# Short texts are often *packed*: several texts follow each other in one sequence, so that fewer positions are padding.
# Write `packed_attention(queries, keys, values, table, segments)` for one head of a **decoder**. `queries`, `keys` and
# `values` are lists of vectors, one for each position. `segments` has an integer for each position: the number of its
# text (1, 2 and so on), or 0 for padding. `table` is a list of biases. Return a list with an output vector for each
# position. The rules:
#
# - **Mask.** A query attends to a key if both are in the same text and the key is not after the query. All other keys
#   have the weight 0. With the segments `[1, 1, 2, 0]`, the query at index 1 attends to the keys 0 and 1, and the query
#   at index 2 only to key 2.
# - **Score.** The score of a key is its dot product with the query plus a bias. The bias is `table[d]` if the key is
#   `d` positions before the query. If `d` is beyond the end of the table, its last number is used. The score is not
#   divided.
# - **Weights.** The weights are the softmax of the scores of the keys to which the query attends.
# - **Output.** The output is the sum of the values of these keys, each multiplied by its weight. The output at a
#   padding position is a vector of zeros.
#
# <details><summary>Hint</summary>
#
# For each query, first list the keys to which it attends. Compute scores and weights for these keys only; then you do
# not need a mask. Subtract the largest score from all scores before `exp`, so that large scores do not overflow. The
# weights stay the same.
#
# </details>


# %% solution="packed_attention"
def packed_attention(queries, keys, values, table, segments):
    """Return the output vector of each position of a decoder with packed texts."""
    ### BEGIN SOLUTION
    from math import exp

    outputs = []
    for position, query in enumerate(queries):
        output = [0.0] * len(values[0])
        attended = [other for other in range(position + 1) if segments[other] == segments[position] != 0]
        scores = []
        for other in attended:
            bias = table[min(position - other, len(table) - 1)]
            scores.append(sum(x * y for x, y in zip(query, keys[other])) + bias)
        powers = [exp(score - max(scores)) for score in scores]
        for other, power in zip(attended, powers):
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


def texts(seed, widest=1, outputs=1, tables=((0,),), least=1, segments=lambda random, length: [1] * length):
    """Yield up to 4 positions, without end: queries and keys of up to `widest` numbers, values of up to `outputs`."""
    random = Random(seed)
    while True:
        length, width = random.randint(least, 4), random.randint(1, widest)
        queries, keys = vectors(random, length, width), vectors(random, length, width)
        values = vectors(random, length, random.randint(1, outputs), 9)
        yield queries, keys, values, list(random.choice(tables)), segments(random, length)


def two_or_three(random, length):
    return sorted([1, 2, *(random.randint(1, 3) for _ in range(length - 2))])


def padded(random, length):
    """Return two or three texts, one of which is replaced by padding."""
    numbers = two_or_three(random, length)
    padding = random.choice(numbers)
    return [number * (number != padding) for number in numbers]


def around_padding():
    """Yield texts with padding and values that are positive everywhere, or at the padding only."""
    drawn = texts(8, outputs=3, least=2, segments=padded)
    for (queries, keys, values, table, segments), everywhere in zip(drawn, cycle([True, False])):
        values = [[(abs(x) + 1) * (everywhere or not text) for x in value] for value, text in zip(values, segments)]
        yield queries, keys, values, table, segments


def same_zeros(given, right):
    """Compare the lengths of the outputs, and which of them are zeros."""
    zeros = [[max(map(abs, output)) < 1e-6 for output in outputs] for outputs in (given, right)]
    return zeros[0] == zeros[1] and [*map(len, given)] == [*map(len, right)]


# %% tests="packed_attention-scores" points=2
### BEGIN HIDDEN TESTS
rule = "The score is the dot product of query and key, not divided by anything, and the weights are the softmax of the scores."
grade(
    sheet.get("packed_attention"),
    right_attention,
    first_of(texts(4, widest=4, outputs=3, least=2)),
    rule,
    tried=40,
    same=last,
)
### END HIDDEN TESTS
output = packed_attention([[0, 0], [1, 1]], [[1, 1], [1, 1]], [[4], [8]], [0], [1, 1])
assert abs(output[1][0] - 6) < 1e-6
output = packed_attention([[0, 0], [1, 1]], [[0, 0], [1, 1]], [[0], [1]], [0], [1, 1])
assert abs(output[1][0] - 0.880797) < 1e-5

# %% tests="packed_attention-bias" points=2
### BEGIN HIDDEN TESTS
rule = "The bias depends on how many positions the key is before the query; it is added to the score, and the last number of the table is for all larger distances."
biased = texts(5, tables=([0, 1], [2, 0], [0, 0, 1], [1, -1, 0], [2, 0, 1, 0, 3]), least=3)
grade(sheet.get("packed_attention"), right_attention, first_of(biased), rule, tried=40, same=last)
### END HIDDEN TESTS
output = packed_attention([[0], [0]], [[0], [0]], [[0], [1]], [1, 0], [1, 1])
assert abs(output[1][0] - 0.731059) < 1e-5

# %% tests="packed_attention-later" points=2
### BEGIN HIDDEN TESTS
rule = "No query attends to a later key, and the weights of the keys to which it attends sum to 1."
grade(sheet.get("packed_attention"), right_attention, first_of(texts(6, least=2)), rule, tried=40, same=nearly_equal)
### END HIDDEN TESTS
assert abs(packed_attention([[0], [0]], [[0], [0]], [[4], [8]], [0], [1, 1])[0][0] - 4) < 1e-5

# %% tests="packed_attention-texts" points=1
### BEGIN HIDDEN TESTS
rule = "A query attends only to keys of its own text, and their weights sum to 1."
several = texts(7, least=2, segments=two_or_three)
grade(sheet.get("packed_attention"), right_attention, first_of(several), rule, tried=40, same=last)
### END HIDDEN TESTS
assert abs(packed_attention([[0], [0]], [[0], [0]], [[4], [8]], [0], [1, 2])[1][0] - 8) < 1e-5

# %% tests="packed_attention-padding" points=1
### BEGIN HIDDEN TESTS
rule = "Padding is not a text: the output at a padding position is a vector of zeros."
grade(sheet.get("packed_attention"), right_attention, first_of(around_padding()), rule, tried=40, same=same_zeros)
### END HIDDEN TESTS
assert abs(packed_attention([[0], [0]], [[0], [0]], [[4], [8]], [0], [1, 0])[1][0]) < 1e-5

# %% [markdown]
# ## 4. A language as the start token, and a loss with equal texts ({points decoder_reads} + {points text_loss} points)
#
# In some translation models, the labels *end* with the id of a language, and the decoder input *starts* with this id.
# Write `decoder_reads(labels, pad)`. `labels` is a list of integers, and `pad` is the id of the padding. Return the
# decoder input, a list of the same length. The rules:
#
# - **Start token.** The first input is the last label that is not -100. If there is no such label, it is `pad`.
# - **Shift right.** The start token is followed by the labels, shifted right: each other input is the label of the
#   previous position.
# - **Ignored labels.** A label of -100 is ignored in the loss. In the decoder input, it becomes `pad`.
#
# So the labels 8, 9, 1, 250 and -100 give the decoder input 250, 8, 9, 1, 250.
#
# The second function is `text_loss(costs, labels)`. Both arguments have one list for each text. `costs` has the
# negative log-probability of each label. Return the loss, a number. The rules:
#
# - **Loss of a text.** The loss of a text is the mean of its costs at the positions whose label is not -100.
# - **Loss of the batch.** The loss of the batch is the mean of the losses of its texts. So a short text has the same
#   weight as a long one. The costs `[[2], [4, 4, 4]]` without ignored labels give (2 + 4)/2 = 3.
# - **No labels.** A text whose labels are all -100 is left out. If no text is left, the loss is `float("nan")`.
#
# <details><summary>Hint</summary>
#
# `[start, *labels[:-1]]` is a list with a start token. Which label is never an input, and which one occurs twice? For
# the loss, first compute the loss of one text.
#
# </details>


# %% solution="decoder_reads"
def decoder_reads(labels, pad):
    """Return the decoder input for these labels."""
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
    """Yield labels with or without some that are ignored, without end; any of them may be the id of the padding."""
    random = Random(9)
    while True:
        pad = random.choice([0, 3])
        language = random.choice([50, 60, 0, pad])
        drawn = [*(random.randint(0, 9) for _ in range(random.randint(0, 3))), language]
        for _ in range(random.randint(1, 3) if ignored else 0):
            drawn.insert(random.randint(0, len(drawn)), -100)
        yield drawn, pad


def after_the_start(given, right):
    return equal_values(given[1:], right[1:])


# %% tests="decoder_reads-shift" points=2
### BEGIN HIDDEN TESTS
rule = "The labels are shifted right by one position, once, and the last label is not an input after the start token."
grade(sheet.get("decoder_reads"), right_reads, first_of(labels(False)), rule, tried=40, same=after_the_start)
### END HIDDEN TESTS
assert list(decoder_reads([8, 9, 250], 0))[1:] == [8, 9]

# %% tests="decoder_reads-start" points=1
### BEGIN HIDDEN TESTS
rule = "The first input is the last label, the language."
grade(sheet.get("decoder_reads"), right_reads, first_of(labels(False)), rule, tried=40, same=first)
### END HIDDEN TESTS
assert decoder_reads([8, 9, 250], 0)[0] == 250

# %% tests="decoder_reads-ignored" points=1
### BEGIN HIDDEN TESTS
rule = "The start token is the last label that is not -100, or pad; every other -100 becomes pad."
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
    """Return the mean of the mean costs of the texts."""
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
        positions = [position for position in range(len(text)) if text[position] != -100]
        if positions:
            losses.append(sum(row[position] for position in positions) / len(positions))
    return sum(losses) / len(losses) if losses else float("nan")


def batches(lengths, ignored):
    """Yield costs and labels of texts, without end; `ignored` gives the number of labels that are -100."""
    random = Random(10)
    while True:
        costs, texts = [], []
        for _ in range(random.randint(*lengths)):
            length = random.randint(2, 4)
            without_loss = random.sample(range(length), ignored(random, length))
            costs.append([random.randint(1, 9) for _ in range(length)])
            texts.append([-100 if place in without_loss else random.randint(0, 9) for place in range(length)])
        yield costs, texts


# %% tests="text_loss-count" points=2
### BEGIN HIDDEN TESTS
rule = "A label of -100 does not count: its cost is not added, and the divisor does not include it."
one_text = batches((1, 1), lambda random, length: random.randint(1, length - 1))
grade(sheet.get("text_loss"), right_loss, first_of(one_text), rule, tried=40, same=nearly_equal)
### END HIDDEN TESTS
assert abs(text_loss([[2, 4, 9]], [[8, 1, -100]]) - 3) < 1e-6

# %% tests="text_loss-texts" points=1
### BEGIN HIDDEN TESTS
rule = "The loss is the mean of the means of the texts, so the lengths of the texts do not matter."
several = batches((2, 3), lambda random, length: 0)
grade(sheet.get("text_loss"), right_loss, first_of(several), rule, tried=40, same=nearly_equal)
### END HIDDEN TESTS
assert abs(text_loss([[2], [4, 4, 4]], [[1], [8, 8, 1]]) - 3) < 1e-6

# %% tests="text_loss-none" points=1
### BEGIN HIDDEN TESTS
rule = "A text whose labels are all -100 is left out; if no text is left, the loss is nan."
left_out = (
    ([[3, 4]] * before + costs + [[5, 6]], [[-100, -100]] * before + texts + [[-100, -100]])
    for before, (costs, texts) in zip(cycle(range(3)), batches((0, 1), lambda random, length: 0))
)
grade(sheet.get("text_loss"), right_loss, first_of(left_out), rule, tried=40, same=nearly_equal)
### END HIDDEN TESTS
assert abs(text_loss([[2], [4]], [[1], [-100]]) - 2) < 1e-6

# %% [markdown]
# ## 5. One step with a sliding window ({points window_step} points)
#
# A decoder generates token by token and caches keys and values. Write
# `window_step(query, key, value, memory, table, most)` for its newest token. `query`, `key` and `value` are the vectors
# of this token. `memory` is the cache, a pair of lists: the keys and the values of earlier tokens, the oldest first.
# `table` is a list of biases, and `most` is the size of the window, an integer of at least 1. Return a pair: the output
# vector, and the new cache in the same form. The rules:
#
# - **Cache.** The new key and the new value are appended to the cache. Then only the last `most` keys and values are
#   kept. Older ones are dropped **before** the attention. With `most = 2` and the keys of 2 earlier tokens, the oldest
#   key is dropped.
# - **Score.** The score of each kept key is its dot product with the query plus a bias. The bias is `table[d]` if the
#   key is `d` positions before the newest token. The key of the newest token itself has `d = 0`. The table is long
#   enough, and the score is not divided.
# - **Output.** The output is the sum of the values, each multiplied by its weight. The weights are the softmax of the
#   scores.
#
# <details><summary>Hint</summary>
#
# The position of the new token is after all cached tokens, although the function receives this token alone. Create new
# lists, so that the old cache does not change: `[*keys, key]`. `numbers[-3:]` are the last three numbers.
#
# </details>


# %% solution="window_step"
def window_step(query, key, value, memory, table, most):
    """Return the output of the newest token, and the new cache."""
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


def steps(seed, widest=1, biases=(0,), cached=(0, 3), most=5):
    """Yield steps with the given numbers of cached tokens, without end; `most` may be a function of this number."""
    random = Random(seed)
    while True:
        number = random.randint(*cached)
        query, key, *keys = vectors(random, number + 2, random.randint(1, widest))
        value, *values = vectors(random, number + 1, random.randint(1, widest), 9)
        table = [random.choice(biases) for _ in range(number + random.randint(1, 3))]
        yield query, key, value, (keys, values), table, most(random, number) if callable(most) else most


def with_or_without_window(query, key, value, memory, table, most):
    """Return the results that pass if it does not matter whether old keys are dropped."""
    return [right_step(query, key, value, memory, table, size) for size in (most, len(table))]


def cache_only(given, right):
    return len(given) == 2 and equal_values(given[1], right[1])


# %% tests="window_step-output" points=2
### BEGIN HIDDEN TESTS
rule = "The query attends to all keys, also to that of its own token; the dot product is not divided, and the softmax gives the weights of the values."
wide = steps(11, widest=4)
grade(sheet.get("window_step"), right_step, first_of(wide), rule, tried=40, same=first)
### END HIDDEN TESTS
output, _ = window_step([1, 1], [1, 1], [1], ([[0, 0]], [[0]]), [0, 0], 4)
assert abs(output[0] - 0.880797) < 1e-5

# %% tests="window_step-bias" points=2
### BEGIN HIDDEN TESTS
rule = "The newest token comes after all others: its own key has the distance 0 and gets table[0], the key before it gets table[1], and so on."
biased = first_of(steps(12, biases=(0, 1, 3), cached=(1, 4), most=lambda random, number: random.randint(2, number + 1)))
grade(sheet.get("window_step"), with_or_without_window, biased, rule, tried=40, same=either(first))
### END HIDDEN TESTS
output, _ = window_step([0], [0], [0], ([[0]], [[1]]), [0, 1], 4)
assert abs(output[0] - 0.731059) < 1e-5

# %% tests="window_step-memory" points=1
### BEGIN HIDDEN TESTS
rule = "The new key and the new value are appended to the cache; the query is not."
grade(sheet.get("window_step"), right_step, first_of(steps(13)), rule, tried=40, same=cache_only)
### END HIDDEN TESTS
_, (keys, values) = window_step([5], [6], [7], ([[1]], [[2]]), [0, 0], 4)
assert [list(key) for key in keys] == [[1], [6]] and [list(value) for value in values] == [[2], [7]]

# %% tests="window_step-window" points=2
### BEGIN HIDDEN TESTS
rule = "Only the last `most` keys and values are kept, including the new ones, and the query does not attend to dropped keys."
full = steps(14, cached=(2, 4), most=lambda random, number: random.randint(1, number))
grade(sheet.get("window_step"), right_step, first_of(full), rule, tried=40, same=nearly_equal)
### END HIDDEN TESTS
output, (keys, _) = window_step([0], [0], [6], ([[0], [0]], [[9], [2]]), [0, 0, 0], 2)
assert abs(output[0] - 4) < 1e-6 and len(keys) == 2

# %% [markdown]
# ## 6. A noise mask without random numbers ({points even_mask} points)
#
# Write `even_mask(length, percent, mean)`. It returns the noise mask of a text: a list with 1 for each noise token, and
# 0 for each token that is kept. All three arguments are integers, and `length` is at least 2. T5 draws the lengths of
# the spans at random; here they are as equal as possible. The rules:
#
# - **Noise tokens.** The number of noise tokens is `percent` % of `length`, rounded **down**, but at least 1 and at
#   most `length - 1`.
# - **Noise spans.** The number of noise spans is the number of noise tokens divided by `mean`, rounded down. It is at
#   least 1 and at most the number of kept tokens. There is the same number of kept spans.
# - **Lengths.** The noise tokens are divided evenly among the noise spans. If a remainder is left, the **first** noise
#   spans are one token longer. The kept tokens are divided in the same way, but there the **last** spans are longer.
# - **Order.** Kept spans and noise spans alternate. The text starts with a kept span and ends with a noise span.
#
# An example: with `length = 12`, `percent = 45` and `mean = 2`, there are 5 noise tokens in 2 spans (3 and 2) and 7
# kept tokens in 2 spans (3 and 4). So the mask is 0 0 0 1 1 1 0 0 0 0 1 1.
#
# <details><summary>Hint</summary>
#
# `divmod(5, 2)` is `(2, 1)`: two tokens for each span, and one is left over. Write a helper that computes the lengths,
# and use it twice.
#
# </details>


# %% solution="even_mask"
def even_mask(length, percent, mean):
    """Return 1 for each noise token, and 0 for each kept token."""
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


def random_inputs(lengths, percents, means):
    """Yield a length, a percentage and a mean, without end."""
    random = Random(15)
    while True:
        yield random.choice(lengths), random.choice(percents), random.choice(means)


TENS = range(10, 50, 10)  # a tenth of each is an integer, so rounding makes no difference


def clear(length, percent, mean):
    """Whether rounding the number of spans to the nearest integer rounds it down."""
    return 2 * (length * percent // 100 % mean) < mean


def spans_of(mask):
    """Return the lengths of the noise spans."""
    return [len(list(run)) for noisy, run in groupby(mask, bool) if noisy]


def same_amount(given, right):
    return len(given) == len(right) and sum(given) == sum(right)


def same_number(given, right):
    return len(given) > 1 and sum(given) > 0 and len(spans_of(given)) == len(spans_of(right))


# %% tests="even_mask-amount" points=2
### BEGIN HIDDEN TESTS
rule = "The number of noise tokens is rounded down, and is at least 1 and at most length - 1; no token is lost."
amounts = random_inputs(range(2, 31), [1, 15, 20, 33, 50, 85, 99, 100], [3])
grade(sheet.get("even_mask"), right_mask, first_of(amounts, 60), rule, [(100, 29, 3)], tried=60, same=same_amount)
### END HIDDEN TESTS
assert sum(even_mask(10, 19, 3)) == 1
assert sum(even_mask(2, 10, 3)) == 1

# %% tests="even_mask-spans" points=2
### BEGIN HIDDEN TESTS
rule = "The number of noise spans is the number of noise tokens divided by the mean, rounded down; at least 1, and at most the number of kept tokens."
numbers = random_inputs(TENS, [20, 40, 50, 70, 80, 90], [1, 2, 3, 4])
grade(sheet.get("even_mask"), right_mask, first_of(numbers, 60), rule, tried=60, same=same_number)
### END HIDDEN TESTS
mask = even_mask(20, 50, 5)
assert sum(one != other for one, other in zip(mask, mask[1:])) == 3
mask = even_mask(4, 75, 1)
assert sum(one != other for one, other in zip(mask, mask[1:])) == 1

# %% tests="even_mask-even" points=2
### BEGIN HIDDEN TESTS
rule = "Kept spans and noise spans alternate, starting with a kept span; the first noise spans and the last kept spans are the longer ones."
uneven = (
    one
    for one in random_inputs(TENS, [30, 40, 60, 70], [2, 3, 4])
    if clear(*one) and len(set(spans_of(right_mask(*one)))) > 1
)
grade(sheet.get("even_mask"), right_mask, first_of(uneven, 60), rule, [(6, 50, 3), (10, 40, 2)], tried=60)
### END HIDDEN TESTS
assert list(even_mask(12, 45, 2)) == [0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 1]

# %% [markdown]
# ## 7. With your own rules ({points trace} points)
#
# Your data and two rules depend on your id. Run the next two cells, and read the two rules in the output. Other students
# have other rules, and your functions do not follow yours. Use pencil and paper, or write a small program.
#
# - `scores`: in the decoder of a T5, the query `my.query` is at the same position as the last one of `my.keys`. What
#   are the scores of the keys, including the bias, before the softmax? The bias of a key that is `d` positions before
#   the query is `my.table[d]`. Apply *your rule for scores*. Write a list of integers, in the order of the keys.
# - `encoder_class`, `decoder_class`: a key is `my.back` positions **before** its query, and there are `my.total`
#   buckets. In which bucket of **task 2** is the key in an encoder, and in a decoder, with *your rule for buckets*?
# - `bias_numbers`: a T5 as in the lessons (not as in task 2) has `my.encoder_blocks` blocks in its encoder and
#   `my.decoder_blocks` in its decoder. Each attention has `my.heads` heads, and there are `my.total` buckets. How many
#   numbers do all tables of biases contain together?
# - `cross_rows`: the decoder generates `my.steps` tokens, one in each step, with a cache, from a source of `my.source`
#   tokens. How many keys does the cross-attention of **one** block compute in all steps together? Count one key for
#   each token; it contains all heads.

# %% locked="my_data"
from types import SimpleNamespace

from tokenlab.check.student_id import variant_chooser


SCORING = {
    "subtract": "the bias is subtracted from the dot product, not added",
    "double": "the dot product is multiplied by 2 before the bias is added",
    "near": "a key more than 1 position before the query has the same bias as the key 1 position before it",
}
BUCKETS = {
    "half": "the distance is divided by 2 and rounded down before its bucket is looked up",
    "quarter": "only the first quarter of the buckets of a side have one distance each; the rule for far buckets stays",
    "mirror": "the buckets for keys before the query and at it are numbered in reverse: bucket 0 has the largest distances",
}


def my_data(student_id):
    """Return the names of two rules, a query, keys, a table of biases, a distance and sizes, derived from an id."""
    draw = variant_chooser(student_id)
    numbers = 1, 2, 3, 4, 5
    query = [draw(*numbers), draw(*numbers)]
    keys = [[draw(*numbers), draw(*numbers)] for _ in range(3)]
    table = draw([0, 1, 3], [4, 2, 0], [0, 2, 5], [6, 5, 3], [1, 0, 2])
    return SimpleNamespace(
        scoring=draw(*SCORING),
        buckets=draw(*BUCKETS),
        query=query,
        keys=keys,
        table=table,
        total=draw(16, 24, 32),
        back=draw(*range(18, 53)),
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
print(f"Your rule for scores: {SCORING[my.scoring]}.")
print(f"Your rule for buckets: {BUCKETS[my.buckets]}.")

# %% solution="trace"
scores = ...
encoder_class = ...
decoder_class = ...
bias_numbers = ...
cross_rows = ...
### BEGIN SOLUTION
products = [x * my.query[0] + y * my.query[1] for x, y in my.keys]
biases = my.table[::-1]
if my.scoring == "subtract":
    biases = [-bias for bias in biases]
elif my.scoring == "double":
    products = [2 * product for product in products]
else:
    biases = [my.table[1], my.table[1], my.table[0]]
scores = [product + bias for product, bias in zip(products, biases)]
found = []
for side in (my.total // 2, my.total):
    single = side // 4 if my.buckets == "quarter" else side // 2
    distance = my.back // 2 if my.buckets == "half" else my.back
    bucket, limit = min(distance, single), 2 * single
    while distance >= limit and bucket < side - 1:
        bucket, limit = bucket + 1, 2 * limit
    found.append(side - 1 - bucket if my.buckets == "mirror" else bucket)
encoder_class, decoder_class = found
bias_numbers = 2 * my.heads * my.total
cross_rows = my.source
### END SOLUTION

# %% hidden="trace"
from tokenlab.check.student_id import check_same_student

student_id = sheet.get("student_id")
check_same_student(student_id)
my = sheet["my_data"](student_id)


def same(name, right, rule):
    """Compare an answer with the right one, without revealing it."""
    grade_answer(sheet, name, right, rule, same=equal_values)


# %% tests="trace-scores" points=1
### BEGIN HIDDEN TESTS
times, sign, farthest = {"subtract": (1, -1, 2), "double": (2, 1, 2), "near": (1, 1, 1)}[my.scoring]
products = [sum(a * b for a, b in zip(my.query, key)) for key in my.keys]
biases = [my.table[min(distance, farthest)] for distance in (2, 1, 0)]
rule = "The dot product is not divided, the last key has the distance 0, and your rule for scores applies."
same("scores", [times * product + sign * bias for product, bias in zip(products, biases)], rule)
### END HIDDEN TESTS
assert scores is not ..., "Write a list of three scores."


# %% tests="trace-classes" points=2
### BEGIN HIDDEN TESTS
def class_of(back, side):
    """Return the bucket of an earlier key by the student's rule for buckets."""
    near = side // (4 if my.buckets == "quarter" else 2)
    back //= 2 if my.buckets == "half" else 1
    limits = [*range(1, near), *(near * 2**number for number in range(side - near))]
    bucket = sum(back >= limit for limit in limits)
    return side - 1 - bucket if my.buckets == "mirror" else bucket


rule = "In the encoder, half of the buckets are for keys after the query, in the decoder none; your rule for buckets applies to the side before the query."
same("encoder_class", class_of(my.back, my.total // 2), rule)
same("decoder_class", class_of(my.back, my.total), rule)
### END HIDDEN TESTS
assert encoder_class is not ... and decoder_class is not ..., "Write both buckets."

# %% tests="trace-numbers" points=1
### BEGIN HIDDEN TESTS
same(
    "bias_numbers",
    2 * my.total * my.heads,
    "Each stack has one table, in its first self-attention; all of its blocks use it, and cross-attention has none.",
)
### END HIDDEN TESTS
assert bias_numbers is not ..., "Write the number of numbers in all tables of biases."

# %% tests="trace-rows" points=1
### BEGIN HIDDEN TESTS
same(
    "cross_rows",
    my.source,
    "The source does not change during generation, so its keys are computed once and then cached.",
)
### END HIDDEN TESTS
assert cross_rows is not ..., "Write the number of keys of the source that are computed."

# %% [markdown]
# ## 8. In words ({points words} points)
#
# A colleague has written a decoder and says: "It learns very well. The loss fell almost to 0 in a few minutes. But the
# generated text is nonsense! I even tested the attention with a single token, and the result was correct." You find out
# that the causal mask is missing. Explain the mistake with your own target text of at least three tokens, not one from
# the lessons:
#
# - the input at each position, and the label that it has to predict;
# - for one position of your example, what it attends to without the mask, and why the loss falls;
# - what is different when the model generates token by token;
# - why the test with a single token shows nothing, and a test that would show the mistake.
#
# A person reads and grades this.

# %% [markdown] solution="words" points=4
# The target is *rain falls today </s>*. The decoder input is *<pad> rain falls today*, and the labels are *rain falls
# today </s>*: each position has to predict the next token. The second position has the input *rain* and the label
# *falls*. But *falls* is the input of the third position. So without the mask, the second position attends to the
# position on its right and copies it. This is possible at every position except the last one, which has to predict the
# end of the text. So the loss falls almost to 0, and the model learns to copy instead of to predict. During generation,
# there is nothing on the right: after *<pad> rain*, the token *falls* does not exist yet, and the model cannot copy it.
# With a single token, no key is after the query, so the mask excludes nothing, and the weights are correct with and
# without it. A test needs at least two tokens: change the last token of the decoder input, and compare the outputs at
# the positions before it. They must not change.
#
# **Points.** 1: the student's own example, with inputs that are the labels shifted by one. 1: a position attends to the
# token that it has to predict, because this token is the input of the next position; so it copies, and the loss falls.
# 1: during generation, this token does not exist yet. 1: a single token has no later token, so a test needs two; and a
# test that shows the mistake (change a later token and compare the earlier outputs; or compare with outputs that are
# computed token by token; or look for weights above the diagonal). No point for an example from the lessons.
