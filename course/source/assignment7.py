# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
#   tokenlab:
#     libraries: [torch]
# ---

# %% [markdown]
# # Assignment 7: build a T5
#
# Nine tasks, {points} points. **Before this:** lessons `13_t5_in_one_picture` to `17_greedy_and_sampling`. The capstone *Build a T5* is the best preparation.
#
# Tasks 1 to 6 are the parts of a small encoder-decoder, and task 7 joins them. In each part, one rule differs from T5 and from
# every public function. Read the rules: your program is graded by them.
#
# - Write functions of **tensors**. You may use `torch` (for example `torch.exp`, `torch.softmax`, `torch.cat`) and the standard library.
#   A function that uses `torch.nn` (and `torch.nn.functional`), `tokenlab` or `transformers` gets no points.
# - The text of each task gives the **shape** of each tensor. Numbers are `float32`, ids and positions `int64`, masks `bool`. A result needs
#   the same type and the right shape. Do not modify the arguments.
# - **Numbers** may be off by 0.0001 (of 1, or of the right number, if that is larger).
# - There is no batch dimension: each call is about one text.
# - The cells below each function show a few examples. Hidden tests try more inputs, and report one on which your function
#   fails. An `assert` that passes prints nothing. Leave these cells unchanged: they are restored before grading.
# - Before you submit, run all cells once more (*Restart Kernel and Run All Cells*), and save. If your course has no server for
#   submissions, write `from tokenlab.check.submission import hand_in` and `hand_in("assignment7.ipynb")` into a cell of your
#   own, save, and run it: it writes one file that you can submit.

# %% [markdown]
# ## Your id
#
# Write the id under which you submit (on a hub, your login name), in quotes. Task 3 takes **your rule** from it, and the task *With your own data*
# takes its data from it. Case and surrounding spaces make no difference.
#
# *How it is checked:* the grader compares the id in this cell with the name under which the notebook was submitted. If they
# differ, your rule and *With your own data* get no points until your instructor has looked at them.

# %% solution="student_id"
student_id = ...
### BEGIN SOLUTION
student_id = "model"
### END SOLUTION

# %% locked="tensors"
import torch
from torch import tensor


def near(given, right):
    """Whether a tensor has the right type, shape and numbers."""
    right = tensor(right) if isinstance(right, list | float) else right
    return given.dtype == right.dtype and given.shape == right.shape and torch.allclose(given, right, 1e-4, 1e-4)


# %% hidden="*"
from functools import partial
from itertools import islice
from math import exp, isqrt, log, prod, sqrt
from course.course_seed import Random

import torch
from torch import tensor

from course.grading import close_values, grade, grade_answer
from tokenlab.check.strategies import first_of, sampled

ONES = (1,)
SMALL = (-2, -1, 0, 1, 2)


def drawn(random, *shape, of=SMALL):
    """A float32 tensor of this shape, with numbers drawn from a few."""
    return tensor([float(random.choice(of)) for _ in range(prod(shape))]).reshape(shape)


# %% [markdown]
# ## 1. A norm that ignores the largest number ({points trimmed_norm} points)
#
# Write `trimmed_norm(hidden, weight, eps)`.
#
# | | type | shape |
# |---|---|---|
# | `hidden` | float32 | (length, d), with d of 2 or more |
# | `weight` | float32 | (d,) |
# | `eps` | a number, 0 or more | |
# | result | float32 | (length, d) |
#
# The rules hold for each row of `hidden` separately:
#
# - **Size.** Leave out one number of the row: the one with the largest absolute value (if several have it, only one of them). The size is the
#   root of the mean of the squares of the other d - 1 numbers. The mean of the row is not subtracted.
# - **Eps** is added to the size, after the root. (T5 adds it under the root.)
# - Every number of the row, the largest one too, is divided by this sum and multiplied by the weight of its column.
#
# The row `[1, -7, 5, 1]` has the size 3, because the mean of 1, 25 and 1 is 9. With `eps = 1` and all weights 1, the result is
# `[0.25, -1.75, 1.25, 0.25]`. You will not get a row with the size 0 together with `eps = 0`.
#
# <details><summary>Hint</summary>
#
# What is the sum of all squares, minus the largest square?
#
# </details>


# %% solution="trimmed_norm"
def trimmed_norm(hidden, weight, eps):
    """Divide each row by the root mean square of all its numbers but the largest."""
    ### BEGIN SOLUTION
    squares = hidden**2
    others = squares.sum(dim=1, keepdim=True) - squares.max(dim=1, keepdim=True).values
    size = torch.sqrt(others / (hidden.shape[1] - 1))
    return hidden / (size + eps) * weight
    ### END SOLUTION
    return ...


# %% hidden="trimmed_norm"
def right_norm(hidden, weight, eps):
    rows = []
    for row in hidden.tolist():
        *others, _ = sorted(map(abs, row))
        size = sqrt(sum(number * number for number in others) / len(others)) + eps
        rows.append([number / size * factor for number, factor in zip(row, weight.tolist())])
    return tensor(rows)


WITHOUT_EPS = ((1.0, 0.0), (1e6, 0.5), (1e6, 1.0), (1e6, 3.0))  # a factor of the rows, and an eps that changes nothing


WITH_EPS_ONLY = ((1e-4, 0.5), (1e-4, 1.0), (1e-4, 3.0))  # beside this eps, the size changes nothing


def norm_rows(seed, of=WITHOUT_EPS):
    """Rows of any numbers that have a size; a weight that is not 1 is that of zeros. `of` has pairs of a factor and an eps."""
    random = Random(seed)
    while True:
        hidden = drawn(random, random.randint(1, 3), random.randint(2, 8), of=(-4, -3, -2, -1.5, -1, 0, 1, 2, 3))
        weight, (factor, eps) = torch.ones(hidden.shape[1]), random.choice(of)
        if random.random() < 0.5:
            hidden[:, -1], weight[-1] = 0.0, random.choice([2.0, 3.0, -1.0])
        if all(sum(number != 0 for number in row) > 1 for row in hidden.tolist()):
            yield hidden * factor, weight, eps


def norm_balanced(seed, weights, eps):
    """Rows whose numbers have one absolute value and the sum 0; `eps` has pairs of a factor and an eps."""
    random = Random(seed)
    while True:
        pairs, (factor, added) = random.randint(1, 4), random.choice(eps)
        rows = [[size, -size] * pairs for size in random.choices([1.0, 2.0, 3.0], k=random.randint(1, 3))]
        yield tensor(rows) * factor, drawn(random, 2 * pairs, of=weights), added


# %% tests="trimmed_norm-size" points=2
### BEGIN HIDDEN TESTS
rule = "The size is the root mean square of a row without one number, the one with the largest absolute value; the mean is not subtracted."
sure = [(tensor([[2.0, -2.0, 1.0]]), torch.ones(3), 0.0), (tensor([[1.0, -3.0]]), torch.ones(2), 0.0)]
grade(sheet.get("trimmed_norm"), right_norm, first_of(norm_rows(1)), rule, sure, tried=40, tensors=1e-4)
### END HIDDEN TESTS
assert near(trimmed_norm(tensor([[1.0, -7.0, 5.0, 1.0]]), torch.ones(4), 0.0), [[1 / 3, -7 / 3, 5 / 3, 1 / 3]])
assert near(trimmed_norm(tensor([[4.0, 4.0, 4.0]]), torch.ones(3), 0.0), [[1.0, 1.0, 1.0]])

# %% tests="trimmed_norm-eps" points=1
### BEGIN HIDDEN TESTS
rule = "Eps is added to the size, after the root, whatever the size is."
small = norm_balanced(2, ONES, [(1.0, 0.5), (1.0, 1.0), (1.0, 3.0)])
sure = islice(norm_rows(4, WITH_EPS_ONLY), 20)
grade(sheet.get("trimmed_norm"), right_norm, first_of(small), rule, sure, tried=40, tensors=1e-4)
### END HIDDEN TESTS
assert near(trimmed_norm(tensor([[3.0, -3.0]]), torch.ones(2), 1.0), [[0.75, -0.75]])

# %% tests="trimmed_norm-weight" points=1
### BEGIN HIDDEN TESTS
rule = "Every number is multiplied by the weight of its column."
weighted = norm_balanced(3, [2, 3, 0.5, -1], WITHOUT_EPS)
grade(sheet.get("trimmed_norm"), right_norm, first_of(weighted), rule, tried=40, tensors=1e-4)
### END HIDDEN TESTS
assert near(trimmed_norm(tensor([[2.0, -2.0]]), tensor([1.0, 5.0]), 0.0), [[1.0, -5.0]])

# %% [markdown]
# ## 2. A bias from square roots ({points position_bias} points)
#
# Write `position_bias(table, queries, keys, causal)`, which returns the relative position bias of each head, query and key.
#
# | | type | shape |
# |---|---|---|
# | `table` | float32 | (buckets, heads), with an even number of buckets |
# | `queries`, `keys` | int64 | (q,) and (n,): their positions, which may have gaps |
# | `causal` | `True` in a decoder, `False` in an encoder | |
# | result | float32 | (heads, q, n) |
#
# The rules:
#
# - **Roots.** The distance of a query and a key is the absolute value of the difference of their positions. Its root is rounded **down**. So the distances
#   0, 1-3, 4-8, 9-15 have the roots 0, 1, 2, 3.
# - **Encoder.** The sides alternate. A key *before* the query or at it is in bucket 2 · root, a key *after* the query in bucket
#   2 · root - 1. A bucket number that is too large becomes the last one of its side: the last even bucket for keys before the query, the last odd bucket for keys after it.
# - **Decoder.** A key before the query or at it is in bucket `root`, but at most in the last bucket. A key after the query has the bias 0.
# - **Heads.** Head `h` takes its number from column `h` of the table. Heads with an **odd** number (1, 3, ...) change its sign.
#
# With 6 buckets, an encoder's key 5 positions before the query is in bucket 4, one 5 positions after the query in bucket 3, and one 200 positions after the query in bucket 5.
#
# <details><summary>Hint</summary>
#
# `keys[None, :] - queries[:, None]` has the shape (q, n). `table[bucket]` has the shape (q, n, heads) if `bucket` has the shape (q, n).
#
# </details>


# %% solution="position_bias"
def position_bias(table, queries, keys, causal):
    """Return the bias of each head, query and key."""
    ### BEGIN SOLUTION
    buckets, heads = table.shape
    relative = keys[None, :] - queries[:, None]
    after = relative > 0
    root = relative.abs().double().sqrt().floor().long()
    if causal:
        bucket = root.clamp(max=buckets - 1)
    else:
        last = torch.where(after, buckets - 1, buckets - 2)
        bucket = torch.minimum(2 * root - after.long(), last)
    bias = table[bucket].permute(2, 0, 1)
    if causal:
        bias = bias.masked_fill(after, 0.0)
    signs = tensor([-1.0 if head % 2 else 1.0 for head in range(heads)])
    return bias * signs[:, None, None]
    ### END SOLUTION
    return ...


# %% hidden="position_bias"
def right_bias(table, queries, keys, causal):
    buckets, heads = table.shape

    def bias(head, query, key):
        root = isqrt(abs(key - query))
        if causal and key > query:
            return 0.0
        options = range(buckets) if causal else range(1, buckets, 2) if key > query else range(0, buckets, 2)
        number = root - 1 if key > query else root
        value = table[options[min(number, len(options) - 1)], head].item()
        return -value if head % 2 else value

    rows = [[[bias(h, q, k) for k in keys.tolist()] for q in queries.tolist()] for h in range(heads)]
    return tensor(rows)


def biases(seed, places, buckets, causal=False):
    """Tables with different numbers, and the positions that `places` draws for their length."""
    random = Random(seed)
    while True:
        size, heads = random.choice(buckets), random.randint(1, 2)
        table = tensor(random.sample(range(1, 100), size * heads)).float().reshape(size, heads)
        yield table, *places(random, size), causal


def first_head(given, right):
    """Compare the first head; the others are what the rule of heads is about."""
    return close_values(given[0], right[0])


def biases_of_heads(seed):
    """Tables whose rows but the first are all equal: the bucket makes no difference, unless the distance is 0.

    The place of a position is its number. In a decoder, no key is after a query.
    """
    random = Random(seed)
    while True:
        heads, length, causal = random.randint(1, 6), random.randint(1, 4), random.random() < 0.5
        table = tensor(random.sample(range(1, 100), 2 * heads)).float().reshape(2, heads)
        yield table[[0] + [1] * 7], torch.arange(length), torch.arange(1 if causal else length), causal


def last_query(random, buckets):
    """A query at the end of keys that all have their own bucket."""
    length = random.randint(1, (buckets // 2) ** 2)
    return tensor([length - 1]), torch.arange(length)


def first_queries(random, buckets):
    return torch.arange(random.randint(1, 3)), torch.arange(random.randint(2, (buckets // 2 + 1) ** 2))


def some_queries(random, buckets):
    length = random.randint(2, random.choice([30, 60, 240]))
    return tensor(sorted(random.sample(range(length), min(3, length)))), torch.arange(length)


def far_apart(random, buckets):
    """Keys that are too far before and after the query for a bucket of their own."""
    distances = [random.randint((buckets // 2 + 1) ** 2, 250) for _ in range(2)]
    return tensor([300]), tensor(random.choice([[300 - distances[0]], [300 - distances[0], 300 + distances[1]]]))


def with_gaps(random, buckets):
    """Positions with gaps, the keys never after a query, and never far."""
    start = random.choice([random.randint(3, 40), random.randint(100, 200)])
    keys = sorted(random.sample(range(start, start + 8), random.randint(1, 3)))
    return tensor(sorted(random.sample(range(start + 7, start + 12), random.randint(1, 3)))), tensor(keys)


# %% tests="position_bias-roots" points=2
### BEGIN HIDDEN TESTS
rule = "In an encoder, a key before the query or at it is in bucket 2 times the root of its distance, rounded down."
rooted = biases(11, last_query, [8, 16, 32])
grade(sheet.get("position_bias"), right_bias, first_of(rooted), rule, tried=40, same=first_head, tensors=1e-4)
### END HIDDEN TESTS
one = tensor([[10.0], [11.0], [12.0], [13.0], [14.0], [15.0]])
assert near(position_bias(one, tensor([5]), torch.arange(6), False), [[[14.0, 14.0, 12.0, 12.0, 12.0, 10.0]]])

# %% tests="position_bias-sides" points=1
### BEGIN HIDDEN TESTS
rule = "In an encoder, a key after the query is in bucket 2 times the root minus 1."
later = biases(12, first_queries, [6, 8, 16, 32])
grade(sheet.get("position_bias"), right_bias, first_of(later), rule, tried=40, same=first_head, tensors=1e-4)
### END HIDDEN TESTS
one = tensor([[10.0], [11.0], [12.0], [13.0], [14.0], [15.0]])
assert near(position_bias(one, tensor([0]), torch.arange(6), False), [[[10.0, 11.0, 11.0, 11.0, 13.0, 13.0]]])

# %% tests="position_bias-last" points=1
### BEGIN HIDDEN TESTS
rule = "A key that is far away is in the last even bucket if it is before the query, and in the last odd bucket if it is after the query."
distant = biases(13, far_apart, [2, 6, 8, 16])
grade(sheet.get("position_bias"), right_bias, first_of(distant), rule, tried=40, same=first_head, tensors=1e-4)
### END HIDDEN TESTS
one = tensor([[10.0], [11.0], [12.0], [13.0], [14.0], [15.0]])
assert near(position_bias(one, tensor([100]), tensor([0, 300]), False), [[[14.0, 15.0]]])

# %% tests="position_bias-decoder" points=1
### BEGIN HIDDEN TESTS
rule = "In a decoder, a key before the query or at it is in the bucket of its root, at most in the last bucket; a key after the query has the bias 0."
decoders = biases(14, some_queries, [2, 4, 6, 16, 32], causal=True)
long = (tensor([[1.0], [2.0], [3.0], [4.0]]), tensor([90]), tensor([0, 80, 89]), True)
grade(sheet.get("position_bias"), right_bias, first_of(decoders), rule, [long], tried=40, same=first_head, tensors=1e-4)
### END HIDDEN TESTS
one = tensor([[10.0], [11.0], [12.0], [13.0], [14.0], [15.0]])
assert near(position_bias(one, tensor([1, 4]), torch.arange(5), True)[0, 1], [12.0, 11.0, 11.0, 11.0, 10.0])
assert near(position_bias(one, tensor([1, 4]), torch.arange(5), True)[0, 0], [11.0, 10.0, 0.0, 0.0, 0.0])

# %% tests="position_bias-heads" points=1
### BEGIN HIDDEN TESTS
rule = "Each head has its own column of the table, and heads with an odd number change the sign."
grade(sheet.get("position_bias"), right_bias, first_of(biases_of_heads(15)), rule, tried=40, tensors=1e-4)
### END HIDDEN TESTS
assert near(position_bias(tensor([[1.0, 2.0], [3.0, 4.0]]), tensor([0]), tensor([0]), False), [[[1.0]], [[-2.0]]])

# %% tests="position_bias-positions" points=1
### BEGIN HIDDEN TESTS
rule = "Distances come from the given positions, which may have gaps, and not from the places in the tensors."
gaps = biases(16, with_gaps, [8, 16])
grade(sheet.get("position_bias"), right_bias, first_of(gaps), rule, tried=40, same=first_head, tensors=1e-4)
### END HIDDEN TESTS
one = torch.arange(10.0, 18.0)[:, None]
assert near(position_bias(one, tensor([9]), tensor([0, 5, 9]), False), [[[16.0, 14.0, 10.0]]])

# %% [markdown]
# ## 3. Attention with holes ({points visible_keys} + {points attend} points)
#
# Your id gives you **a rule of your own** for the mask of the decoder. Run the next cell: it prints the rule, with an example.
#
# Write `visible_keys(queries, keys)`, which says which keys a query sees. Both arguments are positions (int64, of the shapes (q,) and (n,)), which may have gaps.
# The result is a bool tensor of the shape (q, n) with `True` where the query sees the key. The rules:
#
# - A query sees the key at its own position, and no key after it.
# - Of the earlier keys, it sees those that **your rule** names. Write your own rule only; nobody will call your function with another one.

# %% locked="my_rule"
from tokenlab.check.student_id import variant_chooser


def rule_of(student_id):
    """The rule for earlier keys, derived from an id."""
    draw = variant_chooser(student_id)
    step, remainder = draw((2, 0), (2, 1), (3, 0), (3, 1), (3, 2))
    return {"step": step, "remainder": remainder, "first": draw(True, False)}


my_rule = rule_of(student_id)
distances = [number for number in range(1, 9) if number % my_rule["step"] == my_rule["remainder"]]
first = "is visible to every query" if my_rule["first"] else "is treated like every other key"
print(f"Your rule: a query sees the earlier keys at the distances {', '.join(map(str, distances))}, and so on.")
print(f"The key at position 0 {first}.")
example = sorted({8 - number for number in (0, *distances)} | ({0} if my_rule["first"] else set()))
print(f"For example, a query at position 8 sees the keys at the positions {', '.join(map(str, example))}.")


# %% solution="visible_keys"
def visible_keys(queries, keys):
    """Return which query sees which key."""
    ### BEGIN SOLUTION
    distance = queries[:, None] - keys[None, :]
    seen = (distance > 0) & (distance % my_rule["step"] == my_rule["remainder"])
    if my_rule["first"]:
        seen = seen | ((distance > 0) & (keys == 0)[None, :])
    return seen | (distance == 0)
    ### END SOLUTION
    return ...


# %% hidden="visible_keys"
from tokenlab.check.student_id import check_same_student

student_id = sheet.get("student_id")
RULE = sheet["rule_of"](student_id)


def right_visible(queries, keys):
    def sees(query, key):
        if key >= query:
            return key == query
        named = (query - key - RULE["remainder"]) % RULE["step"] == 0
        return named or (RULE["first"] and key == 0)

    return tensor([[bool(sees(query, key)) for key in keys.tolist()] for query in queries.tolist()])


def places(seed):
    """Positions of queries and keys, at two places that may be far from each other."""
    random = Random(seed)
    while True:
        start = random.choice([0, 0, random.randint(1, 30)])
        near = [*range(start, start + 10)]
        far = [place + random.choice([0, 30, 300]) for place in near]
        keys = sorted({start, *random.sample(near, random.randint(1, 3)), *random.sample(far, random.randint(1, 3))})
        yield tensor(random.choices(near + far, k=random.randint(1, 3))), tensor(keys)


def places_now_and_later(seed):
    """Positions where no key is before a query."""
    random = Random(seed)
    while True:
        queries = [random.randint(0, 50) for _ in range(random.randint(1, 3))]
        last, far = max(queries), random.choice([7, 40])
        yield tensor(queries), tensor(sorted(random.sample(range(last, last + far), random.randint(1, 4))))


# %% tests="visible_keys-later" points=1
### BEGIN HIDDEN TESTS
rule = "A query sees the key at its own position, and no key after it."
grade(sheet.get("visible_keys"), right_visible, first_of(places_now_and_later(21)), rule, tried=40, tensors=1e-4)
### END HIDDEN TESTS
assert visible_keys(tensor([2]), tensor([2, 3, 7])).tolist() == [[True, False, False]]

# %% tests="visible_keys-mine" points=3
### BEGIN HIDDEN TESTS
check_same_student(student_id)
rule = "A query sees itself, and the earlier keys that the rule of your id names; the cell above prints this rule."
sure = [(tensor([8]), torch.arange(9)), (tensor([7]), torch.arange(9)), (tensor([9]), tensor([0, 4, 5, 9]))]
grade(sheet.get("visible_keys"), right_visible, first_of(places(22)), rule, sure, tried=40, tensors=1e-4)
### END HIDDEN TESTS
assert [place for place, seen in enumerate(visible_keys(tensor([8]), torch.arange(9))[0]) if seen] == example

# %% [markdown]
# Now write `attend(query, key, value, scale, bias, visible)`, which returns what each head takes from the values.
#
# | | type | shape |
# |---|---|---|
# | `query` | float32 | (heads, q, k) |
# | `key`, `value` | float32 | (heads, n, k) |
# | `scale` | float32 | (heads,) |
# | `bias` | float32 | (heads, q, n) |
# | `visible` | bool | (q, n), the same for all heads |
# | result | float32 | (heads, q, k) |
#
# The rules:
#
# - **Score.** The dot product of query and key, times the scale of the head, plus the bias. The bias is not scaled, and nothing is divided by a root.
# - **Weights.** A softmax over the keys that the query sees. All other keys have the weight 0.
# - **Result.** The sum of the values, each times its weight.
# - A query that sees **no** key has the result 0.
#
# With `k = 1`, the query 2, the keys 1 and 3, the scale 0.5, no bias and the values 10 and 20, the scores are 1 and 3. The weights are 0.1192 and 0.8808, and the result is 18.808.
#
# <details><summary>Hint</summary>
#
# What does a softmax return for a row in which every score is `-inf`? `torch.nan_to_num` or `torch.where` helps, and so does another way to
# compute the weights.
#
# </details>


# %% solution="attend"
def attend(query, key, value, scale, bias, visible):
    """Return the weighted sums of the values."""
    ### BEGIN SOLUTION
    scores = query @ key.transpose(1, 2) * scale[:, None, None] + bias
    weights = torch.softmax(scores.masked_fill(~visible, float("-inf")), dim=-1)
    return weights.nan_to_num(0.0) @ value
    ### END SOLUTION
    return ...


# %% hidden="attend"
def right_attend(query, key, value, scale, bias, visible):
    heads = []
    for head, factor in enumerate(scale.tolist()):
        rows = []
        for place, q in enumerate(query[head].double()):
            powers = [0.0] * len(key[head])
            for number, k in enumerate(key[head].double()):
                if visible[place, number]:
                    powers[number] = exp(float(q @ k) * factor + bias[head, place, number].item())
            total = sum(powers) or 1.0
            values = value[head].double()
            rows.append(sum((power / total * row for power, row in zip(powers, values)), torch.zeros(len(values[0]))))
        heads.append(torch.stack(rows).float())
    return torch.stack(heads)


def everything(random, q, n):
    return torch.ones(q, n, dtype=torch.bool)


def heads_of(seed, k=(1, 3), query=(-1, 0, 1), scales=ONES, bias=(0,), visible=everything, scored=(1,), hide=False):
    """Queries, keys and values of several heads; only if their length is in `scored` are the queries not 0.

    With `hide`, some have a key that is hidden twice, by the mask and by its bias, so that one of them is enough.
    """
    random = Random(seed)
    while True:
        h, q, n, size = random.randint(1, 4), random.randint(1, 3), random.randint(2, 5), random.choice(k)
        added, seen, hidden = drawn(random, h, q, n, of=bias), visible(random, q, n), random.randrange(n)
        if hide and random.random() < 0.5:
            added += 40  # beside this, a score of 0 is hidden, too
            added[:, :, hidden], seen[:, hidden] = -1e9, False
        yield (
            drawn(random, h, q, size, of=query) * (size in scored),
            drawn(random, h, n, size, of=(-1, 0, 1)),
            drawn(random, h, n, size, of=(1, 2, 3, 5, 9)),
            drawn(random, h, of=scales),
            added,
            seen,
        )


def some_visible(random, q, n):
    """A mask in which each query sees at least one key, and not all."""
    rows = [random.sample([True, *random.choices([True, False], k=n - 2), False], n) for _ in range(q)]
    return tensor(rows)


def none_visible(random, q, n):
    """A mask in which one query sees nothing, and all others see everything."""
    blind = random.randrange(q)
    return tensor([[place != blind] * n for place in range(q)])


# %% tests="attend-scores" points=2
### BEGIN HIDDEN TESTS
rule = "A score is the dot product of query and key, which is not divided by a root; a softmax over the keys makes the weights."
several = heads_of(31, (2, 3, 5), scored=(2, 3, 5), hide=True)
grade(sheet.get("attend"), right_attend, first_of(several), rule, tried=40, tensors=1e-4)
### END HIDDEN TESTS
two_keys, two_values, seen_both = tensor([[[1.0], [3.0]]]), tensor([[[10.0], [20.0]]]), tensor([[True, True]])
assert near(
    attend(tensor([[[1.0]]]), two_keys, two_values, tensor([1.0]), torch.zeros(1, 1, 2), seen_both), [[[18.808]]]
)

# %% tests="attend-scale" points=1
### BEGIN HIDDEN TESTS
rule = "Each head multiplies its dot products by its own scale."
scaled = heads_of(32, (1,), scales=(0.5, 2, -1), hide=True)
large = heads_of(36, (2,), (-40, 0, 40), (1, -1), scored=(2,))  # so large that the softmax is the same with a root
grade(sheet.get("attend"), right_attend, first_of(scaled), rule, islice(large, 10), tried=40, tensors=1e-4)
### END HIDDEN TESTS
two_keys, two_values, seen_both = tensor([[[1.0], [3.0]]]), tensor([[[10.0], [20.0]]]), tensor([[True, True]])
assert near(
    attend(tensor([[[2.0]]]), two_keys, two_values, tensor([0.5]), torch.zeros(1, 1, 2), seen_both), [[[18.808]]]
)

# %% tests="attend-bias" points=1
### BEGIN HIDDEN TESTS
rule = "The bias of head, query and key is added to the scaled product; it is not scaled itself."
biased = heads_of(33, scales=(1, 2, 0.5), bias=(-1, 0, 1, 2), hide=True)
grade(sheet.get("attend"), right_attend, first_of(biased), rule, tried=40, tensors=1e-4)
### END HIDDEN TESTS
two_keys, two_values, seen_both = tensor([[[1.0], [3.0]]]), tensor([[[10.0], [20.0]]]), tensor([[True, True]])
assert near(
    attend(tensor([[[0.0]]]), two_keys, two_values, tensor([3.0]), tensor([[[0.0, 2.0]]]), seen_both), [[[18.808]]]
)

# %% tests="attend-visible" points=1
### BEGIN HIDDEN TESTS
rule = "The weights of the keys that a query sees sum to 1; a key that it does not see has the weight 0."
holes = heads_of(34, visible=some_visible)
grade(sheet.get("attend"), right_attend, first_of(holes), rule, tried=40, tensors=1e-4)
### END HIDDEN TESTS
two_keys, two_values, seen_both = tensor([[[1.0], [3.0]]]), tensor([[[10.0], [20.0]]]), tensor([[True, True]])
assert near(
    attend(tensor([[[1.0]]]), two_keys, two_values, tensor([1.0]), torch.zeros(1, 1, 2), tensor([[True, False]])),
    [[[10.0]]],
)

# %% tests="attend-none" points=1
### BEGIN HIDDEN TESTS
rule = "A query that sees no key has the result 0."
blind = heads_of(35, visible=none_visible)
grade(sheet.get("attend"), right_attend, first_of(blind), rule, tried=40, tensors=1e-4)
### END HIDDEN TESTS
two_keys, two_values, seen_both = tensor([[[1.0], [3.0]]]), tensor([[[10.0], [20.0]]]), tensor([[True, True]])
assert near(attend(tensor([[[1.0]]]), two_keys, two_values, tensor([1.0]), torch.zeros(1, 1, 2), ~seen_both), [[[0.0]]])

# %% [markdown]
# ## 4. A block with its norm at another place ({points gated_block} points)
#
# Write `gated_block(hidden, weight_in, weight_gate, weight_out, norm, eps)`, a gated feed-forward layer with its norm and its residual connection.
#
# | | type | shape |
# |---|---|---|
# | `hidden` | float32 | (length, d) |
# | `weight_in`, `weight_gate` | float32 | (d, f) |
# | `weight_out` | float32 | (f, d) |
# | `norm`, `eps` | float32 and a number | (d,): the weight and the eps of task 1 |
# | result | float32 | (length, d) |
#
# The rules:
#
# - **Units.** A unit is the **square** of ReLU of `hidden @ weight_in`, times `hidden @ weight_gate`. ReLU turns negative numbers into 0. The gate has no
#   activation function.
# - **Norm.** The units are multiplied by `weight_out`, and this product goes through the norm of task 1. `hidden` itself is not normalized. (In T5, the norm comes first.)
# - **Residual connection.** The result is `hidden` plus the normalized product.
#
# With `hidden = [[1, -2]]`, `weight_in = [[3, 0], [1, -1]]`, `weight_gate = [[2, 0], [0, 1]]`, `weight_out = [[5, 1], [0, 1]]`, `norm = [1, 1]` and `eps = 1`, ReLU gives
# `[1, 2]`, the gates are `[2, -2]`, and the units `[2, -8]`. The product is `[10, -6]`, its size 6, and the result `[[1 + 10/7, -2 - 6/7]]`.
#
# You may call your `trimmed_norm`. If it has a mistake, this task accepts the results that come from your `trimmed_norm`, and also the right ones.


# %% solution="gated_block"
def gated_block(hidden, weight_in, weight_gate, weight_out, norm, eps):
    """Return hidden plus the normalized output of a gated feed-forward layer."""
    ### BEGIN SOLUTION
    units = torch.relu(hidden @ weight_in) ** 2 * (hidden @ weight_gate)
    return hidden + trimmed_norm(units @ weight_out, norm, eps)
    ### END SOLUTION
    return ...


# %% hidden="gated_block"
def true_norm(hidden, weight, eps):
    rows = [row[row.abs().argsort()[:-1]] for row in hidden.double()]
    sizes = torch.stack([row.pow(2).mean().sqrt() for row in rows])
    return (hidden.double() / (sizes + eps)[:, None] * weight).float()


def right_block(hidden, weight_in, weight_gate, weight_out, norm, eps):
    inner, gates = hidden @ weight_in, hidden @ weight_gate
    units = torch.where(inner > 0, inner * inner * gates, torch.zeros_like(inner))
    return hidden + true_norm(units @ weight_out, norm, eps)


def plain_norm_blocks(seed, inner, gates):
    """Blocks in which the norm changes nothing: the numbers of a row but the largest have the size 1, and eps is tiny.

    The last number of each row is 1. One unit is always 1; the other ones add to the first number of the product.
    `inner` and `gates` draw a column of their weights. In some, the second number is neither used nor changed, and has
    a weight in the norm.
    """
    random = Random(seed)
    while True:
        d, f, length = random.randint(2, 4), random.randint(2, 4), random.randint(1, 3)
        hidden = drawn(random, length, d, of=(-1, 1))
        hidden[:, -1] = 1.0
        columns = [[one_of_last(random, d), *(draw(random, d) for _ in range(f - 1))] for draw in (inner, gates)]
        weight_in, weight_gate = (torch.stack(both, dim=1) for both in columns)
        weight_out = torch.zeros(f, d)
        weight_out[0], weight_out[:, 0] = drawn(random, d, of=(-1, 1)), drawn(random, f, of=(-1, 1, 2))
        norm = torch.ones(d)
        if d > 2 and random.random() < 0.5:
            weight_out[0, 1:] *= sqrt((d - 1) / (d - 2))
            weight_in[1], weight_gate[1], weight_out[:, 1], norm[1] = 0.0, 0.0, 0.0, random.choice([2.0, 3.0, -1.0])
        units = torch.relu(hidden @ weight_in) ** 2 * (hidden @ weight_gate)
        if all(1.5 <= abs(number) < 30 for number in (units @ weight_out)[:, 0].tolist()):
            yield hidden, weight_in, weight_gate, weight_out, norm, random.choice([0.0, 1e-6])


def one_of_last(random, d):
    """A column that gives the last number of a row, which is 1."""
    return torch.eye(d)[-1]


def none_or_last(random, d):
    return torch.eye(d)[-1] * random.choice([0, 1, 1])


def any_column(random, d):
    return drawn(random, d)


def blocks(seed):
    """Blocks of units that are 0 or 1, so that only the norm is left."""
    random = Random(seed)
    while True:
        d, f = random.randint(2, 4), random.randint(1, 4)
        hidden = torch.eye(d)[[random.randrange(d) for _ in range(random.randint(1, 3))]]
        weight_in = drawn(random, d, f, of=(1, 1, 0))
        weight_out, norm = drawn(random, f, d, of=(-3, -2, -1, 1, 2, 3)), drawn(random, d, of=(1, 2))
        if (hidden @ weight_in).any(1).all():
            yield hidden, weight_in, torch.ones(d, f), weight_out, norm, random.choice([0.5, 1])


# %% tests="gated_block-square" points=1 parts="trimmed_norm"
### BEGIN HIDDEN TESTS
rule = "A unit is the square of ReLU of hidden @ weight_in, times its gate; a negative number becomes 0."
squared = plain_norm_blocks(41, any_column, one_of_last)
grade(sheet.get("gated_block"), right_block, first_of(squared), rule, tried=40, tensors=1e-4)
### END HIDDEN TESTS
state, gates = tensor([[3.0, 1.0]]), tensor([[0.0, 0.0], [1.0, 1.0]])
sum_of_both = state + trimmed_norm(tensor([[9.0, 1.0]]), torch.ones(2), 0.0)
assert near(gated_block(state, torch.eye(2), gates, torch.eye(2), torch.ones(2), 0.0), sum_of_both)

# %% tests="gated_block-gate" points=1 parts="trimmed_norm"
### BEGIN HIDDEN TESTS
rule = "Each unit is multiplied by hidden @ weight_gate, which has no activation function."
gated = plain_norm_blocks(42, none_or_last, any_column)
grade(sheet.get("gated_block"), right_block, first_of(gated), rule, tried=40, tensors=1e-4)
### END HIDDEN TESTS
state, inner, gates = tensor([[3.0, 1.0]]), tensor([[0.0, 0.0], [1.0, 1.0]]), tensor([[0.0, 0.0], [-4.0, 1.0]])
sum_of_both = state + trimmed_norm(tensor([[-4.0, 1.0]]), torch.ones(2), 0.0)
assert near(gated_block(state, inner, gates, torch.eye(2), torch.ones(2), 0.0), sum_of_both)

# %% tests="gated_block-norm" points=2 parts="trimmed_norm"
### BEGIN HIDDEN TESTS
rule = "The norm is applied to the product with weight_out only, neither to hidden nor to the sum; hidden is added afterwards."
grade(sheet.get("gated_block"), right_block, first_of(blocks(43)), rule, tried=40, tensors=1e-4)
### END HIDDEN TESTS
state, halves, output = torch.ones(1, 2), torch.full((2, 2), 0.5), tensor([[2.0, 0.0], [0.0, 6.0]])
sum_of_both = state + trimmed_norm(tensor([[2.0, 6.0]]), tensor([1.0, 2.0]), 2.0)
assert near(gated_block(state, torch.eye(2), halves, output, tensor([1.0, 2.0]), 2.0), sum_of_both)

# %% [markdown]
# ## 5. Logits and a loss ({points tied_logits} + {points weighted_loss} points)
#
# Write `tied_logits(hidden, embedding, forbidden)`. The embedding table is used for the output as well ("tied").
#
# | | type | shape |
# |---|---|---|
# | `hidden` | float32 | (length, d) |
# | `embedding` | float32 | (vocabulary, d); no row has only zeros |
# | `forbidden` | a list of ids (`int`), in any order | |
# | result | float32 | (length, vocabulary) |
#
# The rules:
#
# - **Scale.** The logit of a token is the dot product of the hidden state and the token's row, divided by the **length of that row**: the root of the sum of its
#   squares. (T5 divides all logits by the root of d.) The hidden state is not divided by its length.
# - **Forbidden.** The logit of a forbidden token is `-inf` at every position. An id may be in the list twice. Ids that are not in the vocabulary are ignored; none is negative.
# - **Padding.** Id 0 is always forbidden.
#
# With `hidden = [[1, 2]]` and the rows `[1, 0]`, `[3, 4]` and `[0, -5]`, the logits are `[-inf, 2.2, -2]`.


# %% solution="tied_logits"
def tied_logits(hidden, embedding, forbidden):
    """Return the logits of all tokens."""
    ### BEGIN SOLUTION
    logits = hidden @ embedding.T / (embedding**2).sum(dim=1).sqrt()
    logits[:, [0, *(id for id in forbidden if id < len(embedding))]] = float("-inf")
    return logits
    ### END SOLUTION
    return ...


# %% hidden="tied_logits"
def right_logits(hidden, embedding, forbidden):
    rows = []
    for state in hidden.tolist():
        row = []
        for id, token in enumerate(embedding.tolist()):
            length = sqrt(sum(number * number for number in token))
            logit = sum(a * b for a, b in zip(state, token)) / length
            row.append(float("-inf") if id == 0 or id in forbidden else logit)
        rows.append(row)
    return tensor(rows)


def embedded(seed, ids):
    """States, tables, and forbidden ids of those that `ids` gives for the number of rows."""
    random = Random(seed)
    while True:
        size, wide = random.randint(3, 7), random.choice([1, 2, 3, 5])
        hidden = drawn(random, random.randint(1, 3), wide, of=(-2, -1, 1, 3))
        embedding = drawn(random, size, wide, of=(-3, -1, 0, 2, 4))
        if embedding.any(1).all():
            yield hidden, embedding, random.choices(ids(size), k=random.randint(0, 4))


def known_but_padding(size):
    return range(1, size)


def allowed(given, right):
    """Compare the logits of tokens that are not forbidden."""
    return close_values(given[right.isfinite()], right[right.isfinite()])


def hidden_but_padding(given, right):
    """Compare where the logits are -inf, but for id 0."""
    return bool((given.isneginf() == right.isneginf())[:, 1:].all())


def hidden_padding(given, right):
    """Whether the logits of id 0 are -inf, and those of no token that is allowed."""
    return bool(given[:, 0].isneginf().all() and not given[right.isfinite()].isneginf().any())


# %% tests="tied_logits-scale" points=2
### BEGIN HIDDEN TESTS
rule = "Each logit is divided by the length of the token's own row: the root of the sum of its squares."
long = embedded(51, known_but_padding)
grade(sheet.get("tied_logits"), right_logits, first_of(long), rule, tried=40, same=allowed, tensors=1e-4)
### END HIDDEN TESTS
table = tensor([[1.0, 0.0], [3.0, 4.0], [0.0, -5.0]])
assert near(tied_logits(tensor([[1.0, 2.0]]), table, [])[:, 1:], [[2.2, -2.0]])

# %% tests="tied_logits-forbidden" points=1
### BEGIN HIDDEN TESTS
rule = "The logits of forbidden tokens are -inf at every position; an id that is not in the vocabulary is ignored."
some = embedded(52, lambda size: range(size + 4))
sure = [(tensor([[1.0]]), tensor([[1.0], [1.0], [-1.0]]), [2, 2]), (tensor([[1.0]]), tensor([[1.0], [1.0]]), [9])]
grade(
    sheet.get("tied_logits"), right_logits, first_of(some), rule, sure, tried=40, same=hidden_but_padding, tensors=1e-4
)
### END HIDDEN TESTS
table = tensor([[1.0], [1.0], [-1.0]])
assert near(tied_logits(tensor([[1.0]]), table, [1, 7])[:, 1:], [[-torch.inf, -1.0]])

# %% tests="tied_logits-padding" points=1
### BEGIN HIDDEN TESTS
rule = "The logit of id 0 is -inf at every position, whatever the list contains."
padded = embedded(53, known_but_padding)
grade(sheet.get("tied_logits"), right_logits, first_of(padded), rule, tried=40, same=hidden_padding, tensors=1e-4)
### END HIDDEN TESTS
table = tensor([[1.0], [1.0], [-1.0]])
assert near(tied_logits(tensor([[1.0]]), table, []), [[-torch.inf, 1.0, -1.0]])

# %% [markdown]
# Now write `weighted_loss(logits, labels)`, a cross-entropy in which early tokens count more.
#
# | | type | shape |
# |---|---|---|
# | `logits` | float32 | (length, vocabulary) |
# | `labels` | int64 | (length,): ids, or -100 |
# | result | float32 | (): a tensor without dimensions; a `float` is accepted as well |
#
# The rules:
#
# - **Loss of a token.** The natural logarithm of the probability of its label, with the sign changed. A softmax over the row of logits makes the probabilities.
# - **Labels of -100** are left out: they have no loss, and they are not counted in the next rule.
# - **Weights.** The first label that counts has the weight 1, the second one 1/2, the third one 1/3, and so on.
# - **Result.** The sum of weight times loss, divided by the sum of the weights. If no label counts, the result is 0.
#
# If the losses are 3, 5 and 6, and the labels `[8, -100, 4]`, the result is (1 · 3 + 1/2 · 6) / (1 + 1/2) = 4.


# %% solution="weighted_loss"
def weighted_loss(logits, labels):
    """Return the weighted mean of the cross-entropy of all labels that count."""
    ### BEGIN SOLUTION
    counted = labels != -100
    if not counted.any():
        return tensor(0.0)
    logits, labels = logits[counted], labels[counted]
    losses = torch.logsumexp(logits, dim=1) - logits[torch.arange(len(labels)), labels]
    weights = 1 / torch.arange(1, len(labels) + 1)
    return (weights * losses).sum() / weights.sum()
    ### END SOLUTION
    return ...


# %% hidden="weighted_loss"
def right_loss(logits, labels):
    losses = []
    for row, label in zip(logits.tolist(), labels.tolist()):
        if label != -100:
            losses.append(log(sum(exp(number - row[label]) for number in row)))
    weights = [1 / number for number in range(1, len(losses) + 1)]
    total = sum(weight * loss for weight, loss in zip(weights, losses))
    return tensor(total / sum(weights) if weights else 0.0)


def labelled(seed, draw):
    """Logits and labels; `draw` returns which labels count."""
    random = Random(seed)
    while True:
        counts, size = draw(random), random.randint(2, 6)
        labels = [random.randrange(size) if one else -100 for one in counts]
        yield drawn(random, len(counts), size, of=(-2, -1, 0, 1, 2, 3)), tensor(labels)


def some_count(random):
    counts = [True] * random.randint(2, 4) + [False] * random.randint(1, 5)
    return random.sample(counts, len(counts))


# %% tests="weighted_loss-one" points=1
### BEGIN HIDDEN TESTS
rule = "The loss of a token is minus the natural logarithm of the probability of its label, after a softmax."
single = labelled(54, lambda random: [True])
grade(sheet.get("weighted_loss"), right_loss, first_of(single), rule, tried=40, tensors=1e-4)
### END HIDDEN TESTS
assert abs(weighted_loss(tensor([[0.0, 0.0]]), tensor([1])) - 0.693147) < 1e-4

# %% tests="weighted_loss-weights" points=2
### BEGIN HIDDEN TESTS
rule = "The weights are 1, 1/2, 1/3 and so on, and the sum of weight times loss is divided by the sum of the weights."
whole = labelled(55, lambda random: [True] * random.randint(2, 9))
grade(sheet.get("weighted_loss"), right_loss, first_of(whole), rule, tried=40, tensors=1e-4)
### END HIDDEN TESTS
assert abs(weighted_loss(tensor([[0.0, 0.0], [0.0, 1.0]]), tensor([0, 0])) - 0.899852) < 1e-4

# %% tests="weighted_loss-gaps" points=1
### BEGIN HIDDEN TESTS
rule = "A label of -100 has no loss and no weight, and the label after it has the weight that it would have had."
gaps = labelled(56, some_count)
grade(sheet.get("weighted_loss"), right_loss, first_of(gaps), rule, tried=40, tensors=1e-4)
### END HIDDEN TESTS
assert abs(weighted_loss(torch.tensor([[0.0, 0.0], [3.0, 1.0], [0.0, 1.0]]), tensor([0, -100, 0])) - 0.899852) < 1e-4

# %% tests="weighted_loss-none" points=1
### BEGIN HIDDEN TESTS
rule = "If no label counts, the loss is 0."
empty = labelled(57, lambda random: [False] * random.randint(1, 6))
one = (tensor([[0.0, 1.0]]), tensor([0]))
grade(sheet.get("weighted_loss"), right_loss, first_of(empty), rule, [one], tried=40, tensors=1e-4)
### END HIDDEN TESTS
assert weighted_loss(tensor([[0.0, 0.0]]), tensor([-100])) == 0

# %% [markdown]
# ## 6. A cache that forgets ({points cache_step} points)
#
# Write `cache_step(cache, key, value, position, steps)`, which adds the key and the value of one token to the KV cache of a decoder.
#
# | | type | shape |
# |---|---|---|
# | `cache` | a tuple (keys, values, positions) | float32 (heads, n, k) twice, and int64 (n,) |
# | `key`, `value` | float32 | (heads, k) |
# | `position` | `int`: the position of the new token | |
# | `steps` | `int`, 1 or more | |
# | result | a tuple (keys, values, positions) like `cache` | |
#
# `n` is 0 in the first step. The rules:
#
# - **Add.** The new key, value and position come after all others. The position of the new token is larger than those in the cache.
# - **Evict.** Then an entry is removed from all three tensors if it is `steps` positions before the new one, or more. With `steps = 3` and the new position 7, the positions 5, 6
#   and 7 stay. Positions in the cache may have gaps.
# - **The first token.** The entry of position 0 is never removed.


# %% solution="cache_step"
def cache_step(cache, key, value, position, steps):
    """Return the cache with one more token, and without those that are too old."""
    ### BEGIN SOLUTION
    keys, values, positions = cache
    keys = torch.cat([keys, key[:, None]], dim=1)
    values = torch.cat([values, value[:, None]], dim=1)
    positions = torch.cat([positions, tensor([position])])
    kept = (positions == 0) | (positions > position - steps)
    return keys[:, kept], values[:, kept], positions[kept]
    ### END SOLUTION
    return ...


# %% hidden="cache_step"
def right_step(cache, key, value, position, steps):
    keys, values, positions = cache
    stay = [place for place, old in enumerate(positions.tolist()) if old == 0 or position - old < steps]
    heads, k = key.shape
    size = len(stay) + 1
    new_keys, new_values = torch.zeros(heads, size, k), torch.zeros(heads, size, k)
    for head in range(heads):
        for place, old in enumerate(stay):
            new_keys[head, place], new_values[head, place] = keys[head, old], values[head, old]
        new_keys[head, -1], new_values[head, -1] = key[head], value[head]
    return new_keys, new_values, tensor([*(positions.tolist()[old] for old in stay), position])


def caches(seed, positions, steps):
    """Caches with different numbers; `positions` draws those in the cache and the new one."""
    random = Random(seed)
    while True:
        heads, k, least = random.randint(1, 3), random.randint(1, 3), random.choice(steps)
        (old, new), size = positions(random, least), heads * k
        numbers = tensor(random.sample(range(1, 200), 2 * size * (len(old) + 1))).float()
        keys, values = numbers[: 2 * size * len(old)].reshape(2, heads, len(old), k)
        key, value = numbers[2 * size * len(old) :].reshape(2, heads, k)
        cache = keys, values, torch.tensor(old, dtype=torch.int64)
        yield cache, key, value, new, least


def from_the_start(random, steps):
    length = random.randint(0, 6)
    return list(range(length)), length


def without_the_first(random, steps):
    """Positions of which 0 is none, with gaps."""
    start = random.choice([random.randint(1, 9), random.randint(30, 90)])
    old = sorted(random.sample(range(start, start + 8 + steps), random.randint(1, 6)))
    return old, old[-1] + random.randint(1, 2)


def with_the_first(random, steps):
    """Position 0, and either the last ones or, with 1 step, some that are much too old."""
    position = random.choice([random.randint(9, 20), random.randint(30, 90)])
    if steps == 1:
        return [0, *sorted(random.sample(range(1, position - 3), random.randint(0, 3)))], position
    return [0, *range(position - random.randint(0, steps - 2), position)], position


# %% tests="cache_step-joined" points=1
### BEGIN HIDDEN TESTS
rule = "The new key, value and position are added after all others, in every head; the query is not stored."
young = caches(61, from_the_start, [9])
grade(sheet.get("cache_step"), right_step, first_of(young), rule, tried=40, tensors=1e-4)
### END HIDDEN TESTS
empty = torch.zeros(1, 0, 2), torch.zeros(1, 0, 2), torch.arange(0)
filled = cache_step(empty, tensor([[1.0, 2.0]]), tensor([[3.0, 4.0]]), 0, 3)
assert near(filled[0], [[[1.0, 2.0]]]) and near(filled[1], [[[3.0, 4.0]]]) and filled[2].tolist() == [0]

# %% tests="cache_step-evicted" points=2
### BEGIN HIDDEN TESTS
rule = (
    "An entry is removed if its position is `steps` or more before the new one; the number of entries does not matter."
)
old = caches(62, without_the_first, [1, 2, 3, 4, 5, 7, 20])
grade(sheet.get("cache_step"), right_step, first_of(old, 60), rule, tried=60, tensors=1e-4)
### END HIDDEN TESTS
two = torch.ones(1, 2, 1), torch.ones(1, 2, 1), tensor([4, 5])
assert cache_step(two, tensor([[1.0]]), tensor([[1.0]]), 7, 3)[2].tolist() == [5, 7]

# %% tests="cache_step-first" points=1
### BEGIN HIDDEN TESTS
rule = "The entry of position 0 is never removed, and stays before all others."
forever = caches(63, with_the_first, [1, 2, 3, 4, 6])
grade(sheet.get("cache_step"), right_step, first_of(forever), rule, tried=40, tensors=1e-4)
### END HIDDEN TESTS
two = torch.ones(1, 2, 1), torch.ones(1, 2, 1), tensor([0, 6])
assert cache_step(two, tensor([[1.0]]), tensor([[1.0]]), 7, 3)[2].tolist() == [0, 6, 7]

# %% [markdown]
# ## 7. The whole model ({points translate_greedily} points)
#
# Write `translate_greedily(source, weights, forbidden, steps, least, most)`, which generates the translation of a text token by token. It returns a **list** of ids (`int`).
#
# - `source`: int64, (n,), the ids of the source. `weights`: a dictionary of float32 tensors, with d, f, heads, k and buckets of any size:
#
# | name | shape |
# |---|---|
# | `embedding` | (vocabulary, d) |
# | `NAME.query`, `NAME.key`, `NAME.value` | (heads, d, k), where NAME is `encoder`, `decoder` or `cross` |
# | `NAME.output` | (heads, k, d) |
# | `NAME.scale` | (heads,) |
# | `NAME.norm` | (d,) |
# | `encoder.table`, `decoder.table` | (buckets, heads) |
# | `block.in`, `block.gate`, `block.out`, `block.norm` | (d, f), (d, f), (f, d), (d,) |
#
# - **Attention layer** NAME, with hidden states of the shape (q, d), and a memory of the shape (n, d). For each head, the hidden states times its `NAME.query` are the queries. The memory times its `NAME.key`
#   and its `NAME.value` are the keys and values. `attend` (task 3) follows. The result of each head is multiplied by its `NAME.output`, and the results of
#   all heads are added up. This sum, of the shape (q, d), goes through `trimmed_norm` with `NAME.norm`, and is added to the hidden states. `eps` is 0.1 in all norms.
# - **Encoder.** The embeddings of the source go through the layer `encoder`, once. The memory is these embeddings themselves; every position sees all others; the bias comes from `encoder.table`, not causal, with the positions 0, 1, 2 and so on.
# - **Decoder**, step t = 0, 1, 2 and so on. The hidden state is the embedding of the last token; in step 0 this is id 0. It goes through three layers:
#     1. The layer `decoder`. Its key and value of this step are added to the cache with `cache_step`, at position t, and the query attends to what is in the
#        cache then. `visible_keys` makes the mask; the bias comes from `decoder.table`, causal.
#     2. The layer `cross`, with the result of the encoder as its memory. It has no bias (0), and sees all of the source.
#     3. `gated_block` with the weights `block.…`.
# - **Choice.** `tied_logits` with `forbidden` gives the logits. Two more kinds of token are not allowed: the token that was generated in the step **before** this one, and the end token,
#   id 1, as long as **fewer than** `least` tokens have been generated. Of all others, the one with the largest logit is generated. Logits that are less than 0.001 below the largest count as **equal**; of equal ones, the
#   **largest id** is generated.
# - **End.** The generation ends with the end token, which is part of the result, or after `most` tokens.
#
# Call your functions of tasks 1 to 6. The hidden tests of this task use right functions in their place, so a mistake in one of them costs no points here.
#
# <details><summary>Hint</summary>
#
# `hidden @ weights["encoder.query"]` has the shape (heads, q, k). First write a function `layer(name, hidden, keys, values, bias, visible)`, which
# both sides use.
#
# </details>


# %% solution="translate_greedily"
def translate_greedily(source, weights, forbidden, steps, least, most):
    """Return the ids of the translation."""

    ### BEGIN SOLUTION
    def layer(name, hidden, keys, values, bias, visible):
        query = hidden @ weights[f"{name}.query"]
        heads = attend(query, keys, values, weights[f"{name}.scale"], bias, visible)
        added = (heads @ weights[f"{name}.output"]).sum(dim=0)
        return hidden + trimmed_norm(added, weights[f"{name}.norm"], 0.1)

    def stored(name, memory):
        return memory @ weights[f"{name}.key"], memory @ weights[f"{name}.value"]

    embedding, heads = weights["embedding"], len(weights["decoder.scale"])
    places, states = torch.arange(len(source)), embedding[source]
    bias = position_bias(weights["encoder.table"], places, places, False)
    seen = torch.ones(len(source), len(source), dtype=torch.bool)
    memory = layer("encoder", states, *stored("encoder", states), bias, seen)
    crossed, nothing = stored("cross", memory), torch.zeros(len(weights["cross.scale"]), 1, len(source))
    k = weights["decoder.key"].shape[2]
    cache = torch.zeros(heads, 0, k), torch.zeros(heads, 0, k), torch.arange(0)
    ids, last = [], 0
    while len(ids) < most and (not ids or ids[-1] != 1):
        hidden, now = embedding[[last]], tensor([len(ids)])
        key, value = stored("decoder", hidden)
        cache = cache_step(cache, key[:, 0], value[:, 0], len(ids), steps)
        bias = position_bias(weights["decoder.table"], now, cache[2], True)
        hidden = layer("decoder", hidden, cache[0], cache[1], bias, visible_keys(now, cache[2]))
        hidden = layer("cross", hidden, *crossed, nothing, seen[:1])
        parts = [weights[f"block.{part}"] for part in ("in", "gate", "out", "norm")]
        hidden = gated_block(hidden, *parts, 0.1)
        logits = tied_logits(hidden, embedding, forbidden)[0].clone()
        logits[[last] + [1] * (len(ids) < least)] = float("-inf")
        last = max(id for id, logit in enumerate(logits.tolist()) if logit > logits.max().item() - 0.001)
        ids.append(last)
    return ids
    ### END SOLUTION
    return ...


# %% hidden="translate_greedily"
RULE = sheet["rule_of"](sheet.get("student_id"))


def real_norm(hidden, weight, eps):
    squares = hidden.pow(2).sort(dim=1).values[:, :-1]
    return hidden / (squares.mean(dim=1).sqrt() + eps)[:, None] * weight


def real_bias(table, queries, keys, causal):
    buckets, heads = table.shape
    bias = torch.zeros(heads, len(queries), len(keys))
    for q, query in enumerate(queries.tolist()):
        for k, key in enumerate(keys.tolist()):
            root = isqrt(abs(query - key))
            bucket = root if causal else 2 * root - (key > query)
            while bucket >= buckets:
                bucket -= 1 if causal else 2
            if not (causal and key > query):
                bias[:, q, k] = table[bucket]
    bias[1::2] *= -1
    return bias


def real_visible(queries, keys):
    back = queries.unsqueeze(1) - keys.unsqueeze(0)
    named = back.remainder(RULE["step"]).eq(RULE["remainder"]) | (keys.eq(0) & RULE["first"])
    return back.eq(0) | (back.gt(0) & named)


def real_attend(query, key, value, scale, bias, visible):
    scores = torch.einsum("hqk,hnk,h->hqn", query, key, scale) + bias
    most = scores.masked_fill(~visible, -1e9).amax(-1, keepdim=True)
    powers = torch.where(visible, (scores - most).exp(), 0.0)
    return (powers / powers.sum(-1, keepdim=True).clamp(min=1e-30)) @ value


def real_block(hidden, weight_in, weight_gate, weight_out, weight, eps):
    units = (hidden @ weight_in).clamp(min=0).pow(2) * (hidden @ weight_gate)
    return hidden + real_norm(units @ weight_out, weight, eps)


def real_logits(hidden, embedding, forbidden):
    logits = hidden @ (embedding / embedding.norm(dim=1, keepdim=True)).T
    for id in {0, *forbidden} & {*range(len(embedding))}:
        logits[:, id] = -torch.inf
    return logits


def real_step(cache, key, value, position, steps):
    keys, values, positions = cache
    stay = [n for n, old in enumerate(positions.tolist()) if not old or old + steps > position]
    joined = [torch.cat([rows[:, stay], row.unsqueeze(1)], 1) for rows, row in ((keys, key), (values, value))]
    return (*joined, torch.cat([positions[stay], tensor([position])]))


def decoded(source, weights, forbidden, steps, least, most, chosen=None, visible=real_visible, margin=0.001):
    """Decode; `chosen` sees the logits of each step."""

    def sublayer(name, x, keys, values, bias, visible):
        query = torch.stack([x @ matrix for matrix in weights[f"{name}.query"]])
        taken = real_attend(query, keys, values, weights[f"{name}.scale"], bias, visible)
        output = sum(head @ matrix for head, matrix in zip(taken, weights[f"{name}.output"]))
        return x + real_norm(output, weights[f"{name}.norm"], 0.1)

    def projected(name, which, x):
        return torch.stack([x @ matrix for matrix in weights[f"{name}.{which}"]])

    def pair(name, x):
        return projected(name, "key", x), projected(name, "value", x)

    table, number = weights["embedding"], torch.arange(len(source))
    x = table[source]
    bias = real_bias(weights["encoder.table"], number, number, False)
    memory = sublayer("encoder", x, *pair("encoder", x), bias, torch.ones(len(x), len(x), dtype=torch.bool))
    heads, k = weights["decoder.key"].shape[::2]
    cache = (torch.zeros(heads, 0, k), torch.zeros(heads, 0, k), torch.tensor([], dtype=torch.int64))
    ids = [0]
    while len(ids) <= most:
        time = tensor([len(ids) - 1])
        x = table[ids[-1:]]
        new_key, new_value = pair("decoder", x)
        cache = real_step(cache, new_key[:, 0], new_value[:, 0], len(ids) - 1, steps)
        bias = real_bias(weights["decoder.table"], time, cache[2], True)
        x = sublayer("decoder", x, cache[0], cache[1], bias, visible(time, cache[2]))
        blank = torch.zeros(heads, 1, len(source))
        x = sublayer("cross", x, *pair("cross", memory), blank, torch.ones(1, len(source), dtype=torch.bool))
        x = real_block(x, *(weights[f"block.{name}"] for name in ("in", "gate", "out", "norm")), 0.1)
        logits = real_logits(x, table, forbidden)[0].tolist()
        barred = {ids[-1]} | ({1} if len(ids) - 1 < least else set())
        allowed = {id: logit for id, logit in enumerate(logits) if id not in barred}
        best = max(allowed.values())
        if chosen:
            chosen(allowed, best)
        ids.append(max(id for id, logit in allowed.items() if best - logit < margin))
        if ids[-1] == 1:
            break
    return ids[1:]


def right_translation(source, weights, forbidden, steps, least, most):
    return decoded(source, weights, forbidden, steps, least, most)


def models(seed, forbidden, steps, least, most, twins=False, fits=lambda given, ids: True, sizes=(6,)):
    """Small models with clear choices, and sources for them.

    With twins, the embeddings of ids 2, 3 and 4 are nearly equal, and no layer adds anything to that of id 0.
    """
    random = Random(seed)
    while True:
        d, f, heads, k = random.randint(2, 4), random.randint(2, 3), random.randint(1, 3), random.randint(1, 3)
        size, buckets = random.choice(sizes), random.choice([2, 4, 6])
        n = random.randint(2, size - 1)

        def weight(*shape):
            return drawn(random, *shape, of=(-1.5, -1, -0.5, 0.5, 1, 1.5))

        weights = {"embedding": weight(size, d)}
        for name in ("encoder", "decoder", "cross"):
            weights |= {f"{name}.{one}": weight(heads, d, k) for one in ("query", "key", "value")}
            weights |= {
                f"{name}.output": weight(heads, k, d),
                f"{name}.scale": weight(heads),
                f"{name}.norm": weight(d),
            }
        weights |= {"encoder.table": weight(buckets, heads), "decoder.table": weight(buckets, heads)}
        factor = random.choice([0.3, 1.0])  # beside small products, eps counts
        weights |= {"block.in": factor * weight(d, f), "block.gate": factor * weight(d, f)}
        weights |= {"block.out": weight(f, d), "block.norm": weight(d)}
        if twins:
            weights |= {name: 0 * weights[name] for name in weights if name.endswith(("out", "output"))}
            small = random.choice([2e-4, 5e-3])
            weights["embedding"][1] = weights["embedding"][0]
            weights["embedding"][3:5] = weights["embedding"][2] + drawn(random, 2, d, of=(-small, 0, small))
        source = tensor([random.randrange(size) for _ in range(n)])
        given = source, weights, forbidden(random), random.choice(steps), random.choice(least), random.choice(most)
        gaps = []
        ids = decoded(*given, partial(watch, gaps))
        if all(gap > 0.02 or (twins and not 7e-4 < gap < 3e-3) for gap in gaps) and fits(given, ids):
            yield given


def watch(gaps, allowed, best):
    """Remember the distances of all other logits from the best."""
    gaps += sorted(best - logit for logit in allowed.values())[1:]


def windowed(given, ids):
    """Whether other ids are generated with any number of steps that leaves other keys to be seen."""
    source, weights, forbidden, steps, *limits = given
    # subtle: of 6 tokens, none but the first is more than 4 positions before the last, and the first is never removed.
    seen = [real_visible(tensor([6]), torch.arange(7 - one, 7)).sum() for one in range(1, 6)]
    others = [one for one in range(1, 6) if seen[one - 1] != seen[steps - 1]]
    return all(decoded(source, weights, forbidden, one, *limits) != ids for one in others)


def gappy(given, ids):
    """Whether other ids are generated if no earlier key is masked."""
    return decoded(*given, visible=lambda queries, keys: keys.unsqueeze(0) <= queries.unsqueeze(1)) != ids


def ending(given, ids):
    return ids[-1] == 1


def repeating(given, ids):
    """Whether a token is generated twice before the end."""
    return ids[-1] == 1 and len({*ids}) < len(ids)


def some_of(values, number):
    """A strategy for the first values; `first_of` would sort them by their long text."""
    return sampled(*islice(values, number))


# %% locked="small_weights"
generator = torch.Generator().manual_seed(7)
shapes = {"embedding": (6, 4), "encoder.table": (4, 2), "decoder.table": (4, 2)}
for name in ("encoder", "decoder", "cross"):
    shapes |= {f"{name}.{one}": (2, 4, 3) for one in ("query", "key", "value")}
    shapes |= {f"{name}.output": (2, 3, 4), f"{name}.scale": (2,), f"{name}.norm": (4,)}
shapes |= {"block.in": (4, 5), "block.gate": (4, 5), "block.out": (5, 4), "block.norm": (4,)}
small_weights = {name: torch.randn(*shape, generator=generator) for name, shape in shapes.items()}
print(f"Weights for the examples: {len(small_weights)} tensors, d = 4, 2 heads, k = 3, f = 5, 6 tokens.")

# %% tests="translate_greedily-first" points=2 parts="trimmed_norm position_bias visible_keys attend gated_block tied_logits cache_step"
### BEGIN HIDDEN TESTS
rule = "The first token comes from the encoder and one step of the decoder, which begins with id 0: self-attention, cross-attention, block, logits."
short = models(71, lambda random: [1], [9], [0], [1], sizes=(6, 12))
grade(sheet.get("translate_greedily"), right_translation, some_of(short, 40), rule, tried=40, tensors=1e-4)
### END HIDDEN TESTS
ids = translate_greedily(tensor([3, 2, 4]), small_weights, [1], 3, 0, 1)
assert isinstance(ids, list) and len(ids) == 1 and isinstance(ids[0], int)

# %% tests="translate_greedily-cached" points=2 parts="trimmed_norm position_bias visible_keys attend gated_block tied_logits cache_step"
### BEGIN HIDDEN TESTS
rule = (
    "Step t has position t; its query attends to the keys and values that are in the cache after step t has been added."
)
longer = models(72, lambda random: [1], [2, 3, 9], [0], [4, 5, 12])
sure = [next(models(76, lambda random: [1], [steps], [0], [6], fits=windowed)) for steps in (1, 2, 3, 4)]
grade(sheet.get("translate_greedily"), right_translation, some_of(longer, 30), rule, sure, tried=30, tensors=1e-4)
### END HIDDEN TESTS
ids = translate_greedily(tensor([3, 2, 4]), small_weights, [1], 2, 4, 4)
assert translate_greedily(tensor([3, 2, 4]), small_weights, [1], 2, 4, 3) == ids[:3]

# %% tests="translate_greedily-ties" points=1 parts="trimmed_norm position_bias visible_keys attend gated_block tied_logits cache_step"
### BEGIN HIDDEN TESTS
rule = "Of logits that are less than 0.001 below the largest, the one with the largest id is chosen."
equal = partial(models, 73, lambda random: [1, 5], [9], [0], [1], twins=True)
# With the noise of float32 as the margin, and with a wider one, other ids are chosen.
sure = [
    next(equal(fits=lambda given, ids, other=other: decoded(*given, margin=other) != ids)) for other in (1e-5, 0.01)
]
grade(sheet.get("translate_greedily"), right_translation, some_of(equal(), 30), rule, sure, tried=30, tensors=1e-4)
### END HIDDEN TESTS
same = small_weights | {"embedding": small_weights["embedding"][[0, 1, 2, 2, 2, 5]]}  # ids 2, 3 and 4 are equal
assert translate_greedily(tensor([3, 5]), same, [], 3, 0, 1)[0] not in (2, 3)

# %% tests="translate_greedily-repeats" points=1 parts="trimmed_norm position_bias visible_keys attend gated_block tied_logits cache_step"
### BEGIN HIDDEN TESTS
rule = "The token of the step before is not allowed; a token from an earlier step is."
again = models(74, lambda random: [1, random.randint(2, 5)], [9], [0], [3])
sure = [*islice(models(77, lambda random: [1], [9], [0], [6], fits=gappy), 2)]
grade(sheet.get("translate_greedily"), right_translation, some_of(again, 10), rule, sure, tried=10, tensors=1e-4)
### END HIDDEN TESTS
ids = translate_greedily(tensor([3, 2, 4]), small_weights, [1], 9, 0, 6)
assert all(one != other for one, other in zip(ids, ids[1:]))

# %% tests="translate_greedily-end" points=2 parts="trimmed_norm position_bias visible_keys attend gated_block tied_logits cache_step"
### BEGIN HIDDEN TESTS
rule = "The end token, id 1, is allowed as soon as `least` tokens have been generated; it ends the text and is a part of it."
ended = models(75, lambda random: [], [9], [0, 1, 2], [4], fits=ending)
sure = [*islice(models(78, lambda random: [], [9], [0, 1, 2], [4], fits=repeating), 2)]
grade(sheet.get("translate_greedily"), right_translation, some_of(ended, 30), rule, sure, tried=30, tensors=1e-4)
### END HIDDEN TESTS
ids = translate_greedily(tensor([3, 2, 4]), small_weights, [], 9, 2, 6)
assert 1 not in ids[:2] and 1 not in ids[:-1] and len(ids) <= 6

# %% [markdown]
# ## 8. With your own data ({points trace} points)
#
# Your id gives you data of your own. Run the next two cells. Use pencil and paper, or run functions. Here the rules of **this sheet** apply. Fractions may be rounded to 2
# decimal places.
#
# - `divisor`: the number by which task 1 divides `my.row`, with `eps = my.eps`.
# - `buckets`: the buckets of task 2 in an encoder with `my.buckets` buckets, for a query at position `my.query` and the keys at `my.keys`, as a list.
# - `seen`: a cache contains the positions `my.cached`. `cache_step` adds position `my.position`, with `steps = my.steps`. The positions that the query of this step sees then,
#   by **your rule** of task 3, as a list in ascending order.
# - `loss`: the labels are `my.labels`, and the losses of the tokens `my.losses`. The weighted loss of task 5.
# - `token`: `my.generated` has been generated so far, and the logits of the next step are `my.logits`. The id that task 7 generates, with `least = my.least`.

# %% locked="my_data"
from types import SimpleNamespace


def my_data(student_id):
    """Numbers, positions, losses and logits, all derived from an id."""
    draw = variant_chooser(student_id)
    others = draw([1, 5, 7], [5, 7, 1], [3, 3, 3], [1, 5, 1], [2, 10, 14], [6, 6, 6])
    largest = draw(20, -20, 16, -18)
    place = draw(0, 1, 2, 3)
    query, middle, position = draw(20, 30, 40), draw(1, 2, 3), draw(9, 10, 11, 12)
    first, second, third = draw(6, 7, 8, 10), draw(1, 2, 3), draw(4, 5)
    high, start = draw(3.5, 4.5, 5.5), draw(2, 3)
    logits = [-9.0, high + 1, *([high] * 4)]
    logits[draw(4, 5)] -= draw(0.5, 1.0)
    logits[start] += draw(0.25, 0.5)
    return SimpleNamespace(
        row=[*others[:place], largest, *others[place:]],
        eps=draw(1, 2, 3),
        buckets=draw(8, 10),
        query=query,
        keys=[query - draw(2, 3, 5, 7), query + draw(4, 6, 10, 15), query + draw(90, 120, 150)],
        cached=[0, *range(middle, position)],
        position=position,
        steps=draw(4, 5, 6),
        labels=[draw(7, 8), -100, draw(3, 4), draw(5, 6)],
        losses=[first, 9, second, third],
        generated=[draw(4, 5), start],
        logits=logits,
        least=draw(3, 4),
    )


# %% locked="my"
my = my_data(student_id)
for name, number in vars(my).items():
    print(f"my.{name} = {number!r}")

# %% solution="trace"
divisor = ...
buckets = ...
seen = ...
loss = ...
token = ...
### BEGIN SOLUTION
divisor = (sum(sorted(number * number for number in my.row)[:-1]) / 3) ** 0.5 + my.eps
buckets = []
for key in my.keys:
    root = int(abs(key - my.query) ** 0.5)
    side = [2 * root, my.buckets - 2] if key <= my.query else [2 * root - 1, my.buckets - 1]
    buckets.append(min(side))
stored = tensor([place for place in [*my.cached, my.position] if place == 0 or my.position - place < my.steps])
seen = stored[visible_keys(tensor([my.position]), stored)[0]].tolist()
loss = (my.losses[0] + my.losses[2] / 2 + my.losses[3] / 3) / (1 + 1 / 2 + 1 / 3)
allowed = [id for id in range(6) if id not in (0, 1, my.generated[-1])]
best = max(my.logits[id] for id in allowed)
token = max(id for id in allowed if my.logits[id] == best)
### END SOLUTION

# %% hidden="trace"
from tokenlab.check.student_id import check_same_student
from tokenlab.check.trace_comparison import close_by_hand

student_id = sheet.get("student_id")
check_same_student(student_id)
my = sheet["my_data"](student_id)
RULE = sheet["rule_of"](student_id)


def compare(name, right, rule):
    """Compare an answer with the right one, without revealing it."""
    grade_answer(sheet, name, right, rule, same=close_by_hand)


# %% tests="trace-divisor" points=1
### BEGIN HIDDEN TESTS
kept = [number for number in my.row if abs(number) < max(map(abs, my.row))]
rule = "One number, the largest, is left out; the mean of the 3 other squares, its root, and then eps."
compare("divisor", sqrt(sum(number * number for number in kept) / 3) + my.eps, rule)
### END HIDDEN TESTS
assert divisor is not ..., "Write a number."


# %% tests="trace-buckets" points=1
### BEGIN HIDDEN TESTS
def bucket_of(relative):
    side = range(0, my.buckets, 2) if relative <= 0 else range(1, my.buckets, 2)
    return side[min(isqrt(abs(relative)) - (relative > 0), len(side) - 1)]


rule = "Keys before the query have even buckets, keys after it have odd ones; the last bucket of a side also has all keys that are farther away."
compare("buckets", [bucket_of(key - my.query) for key in my.keys], rule)
### END HIDDEN TESTS
assert buckets is not ..., "Write a list of 3 numbers."

# %% tests="trace-seen" points=1
### BEGIN HIDDEN TESTS
left = [place for place in my.cached if place == 0 or place + my.steps > my.position]
backs = {place: my.position - place for place in left}
named = [place for place in left if backs[place] % RULE["step"] == RULE["remainder"] or (RULE["first"] and place == 0)]
rule = "First the cache removes what is too old, but not position 0; of the rest, the query sees what your rule names, and itself."
compare("seen", [*named, my.position], rule)
### END HIDDEN TESTS
assert seen is not ..., "Write a list of positions."

# %% tests="trace-loss" points=1
### BEGIN HIDDEN TESTS
counted = [lost for lost, label in zip(my.losses, my.labels) if label >= 0]
shares = [6 / 11, 3 / 11, 2 / 11]
rule = "The label -100 is left out; the weights of the 3 others are 1, 1/2 and 1/3, and the sum is divided by the sum of the weights."
compare("loss", sum(share * lost for share, lost in zip(shares, counted)), rule)
### END HIDDEN TESTS
assert loss is not ..., "Write a number."

# %% tests="trace-token" points=1
### BEGIN HIDDEN TESTS
free = {id: logit for id, logit in enumerate(my.logits) if id > 1 and id != my.generated[-1]}
rule = "The last token and, before `least` tokens, the end token are not allowed; of equal logits the largest id wins."
compare("token", max(free, key=lambda id: (free[id], id)), rule)
### END HIDDEN TESTS
assert token is not ..., "Write an id."

# %% [markdown]
# ## 9. In words ({points words} points)
#
# A colleague has built the model of this sheet for training, where the decoder reads the whole target at once, and then your loop of task 7 with a cache. "I compared
# both on many targets of **one** token. The logits are the same, so the cache is correct." But the translations of longer sentences are wrong from the third token on. You find three mistakes: the query of each step has position 0; the keys are
# removed from the cache, but their positions are not; and the mask of task 3 is missing in the loop.
#
# Explain why a target of one token cannot show **any** of the three mistakes. For **each** mistake give an example of your own: a step, the positions in the cache, and a
# number or a set of keys that becomes wrong (with the right one beside it; use your rule of task 3). Then propose a test that finds all three, and say how long its targets must be, and why. At most 250 words. A person reads and grades this.

# %% [markdown] solution="words" points=4
# In step 0 the cache contains one entry, at position 0. The query has position 0 anyway; nothing is old enough to be removed; and a query always sees itself, so
# the mask forbids nothing: one key has the weight 1, whatever its score and bias are.
#
# **Position.** Step 4, cache 2, 3, 4 (`steps = 3`), and 0, which stays. The key at position 2 has the distance 2 and the bucket 1. With the query at position 0, it counts as a key *after* the query, and its bias is 0.
# **Positions not removed.** Step 4 again: there are 4 keys, of 0, 2, 3 and 4, but 5 positions, 0 to 4. The bias and the mask then have 5 columns for 4 keys: an error, or, if the last
# columns are cut off, the key of position 2 gets the distance 3 of position 1. **Mask.** My rule is the distances 1, 4, 7. In step 3 the query sees 2 and 3, but not 1. Without the mask it also attends to 1, and takes a
# part of its value.
#
# **Test.** Decode with the cache, read the generated ids again as one target, and compare the logits of all positions (with the same mask and the same window of `steps`). The target must have more than `steps` + 1 tokens, because the first removal
# is that of position 1, in step `steps` + 1; the mask and the position need at least two or three tokens.
#
# **Points.** 1: one token has one key, with the weight 1, and nothing to remove, so nothing can differ. 1: two of the examples with correct numbers. 1: the third one as well, and all are the student's own (no
# example from the sheet), with the student's own rule. 1: a test that compares the logits of all positions, with targets of more than `steps` + 1 tokens, and the reason for this length.
