# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
#   tokenlab:
#     libraries: [torch]
# ---

# %% [markdown]
# # Assignment 8: parts of a language model
#
# Nine tasks, {points} points. **Before this:** the capstone *A language model from an empty file*.
#
# Tasks 1 to 7 are the parts of a decoder-only model and of its training. In each part, one or more rules differ from the capstone and from every
# public function. Read the rules: your program is graded by them.
#
# - Tasks 1, 2 and 7 use plain Python: numbers, lists, tuples and dictionaries. Tasks 3 to 6 use **tensors**. You may use `torch` (for example
#   `torch.cat`, `torch.softmax`) and the standard library. A function that uses `torch.nn` (and `torch.nn.functional`), `torch.optim`, `tokenlab` or `transformers` gets no points.
# - The text of each task gives the **shape** of each tensor. Numbers are `float32`, positions `int64`, masks `bool`. A result needs
#   the same type and the right shape. Do not modify the arguments.
# - **Numbers** may be off by 0.0001 (of 1, or of the right number, if that is larger).
# - There is no batch dimension in tasks 3 to 6: each call is about one text.
# - The cells below each function show a few examples. Hidden tests try more inputs, and report one on which your function
#   fails. An `assert` that passes prints nothing. Leave these cells unchanged: they are restored before grading.
# - Before you submit, run all cells once more (*Restart Kernel and Run All Cells*), and save. If your course has no server for
#   submissions, write `from tokenlab.check.submission import hand_in` and `hand_in("assignment8.ipynb")` into a cell of your
#   own, save, and run it: it writes one file that you can submit.

# %% [markdown]
# ## Your id
#
# Write the id under which you submit (on a hub, your login name), in quotes. Task 4 takes **your rule** from it, and the task *With your own data*
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
from itertools import islice
from math import cos, exp, prod, sin, sqrt
from course.course_seed import Random

import torch
from torch import tensor

from course.grading import close_values, grade, grade_answer
from tokenlab.check.strategies import first_of
from tokenlab.check.trace_comparison import equal_values


def drawn(random, *shape, of=(-2, -1, 0, 1, 2)):
    """A float32 tensor of this shape, with numbers drawn from a few."""
    return tensor([float(random.choice(of)) for _ in range(prod(shape))]).reshape(shape)


# %% [markdown]
# ## 1. A probability with a discount ({points discounted} points)
#
# Write `discounted(id, context, counts, size, discount)`, which returns the probability of an id after a context.
#
# | | type |
# |---|---|
# | `id` | an id, from 0 to `size` - 1 |
# | `context` | a tuple of ids, perhaps empty |
# | `counts` | a dictionary from contexts to dictionaries: how often each id followed the context, 1 or more |
# | `size` | the number of ids, 2 or more |
# | `discount` | a number between 0 and 1 |
# | result | a float |
#
# The rules:
#
# - **Seen.** After the context, N ids were counted, D of them different. From the count of the id, `discount` is taken away (a count of 0 stays 0), and the result is divided by N.
#   What was taken away from all D ids is given to the shorter context: the probability after it, times `discount` · D / N, is added. (The capstone adds D to N instead.)
# - **Shorter.** The shorter context leaves out the **last** id of the context. (In the capstone, the first one.)
# - **Unseen.** If the context is no key of `counts`, the probability is that after the shorter context.
# - **Base.** Below the empty context, id 0 has the probability 0, because it is padding. All other ids are equally probable.
#
# With the counts `{(): {1: 3, 2: 1}}`, 5 ids and the discount 0.5, the id 1 has the probability 2.5 / 4 + 0.5 · 2 / 4 · 1/4 = 0.6875 after the empty context.
#
# <details><summary>Hint</summary>
#
# The function may call itself with `context[:-1]`. What does the empty context call?
#
# </details>


# %% solution="discounted"
def discounted(id, context, counts, size, discount):
    """Return the probability of an id after a context."""
    ### BEGIN SOLUTION
    shorter = 0.0 if id == 0 else 1 / (size - 1)
    if context:
        shorter = discounted(id, context[:-1], counts, size, discount)
    if context not in counts:
        return shorter
    seen = counts[context]
    total = sum(seen.values())
    return max(seen.get(id, 0) - discount, 0) / total + discount * len(seen) / total * shorter
    ### END SOLUTION
    return ...


# %% hidden="discounted"
def right_probability(id, context, counts, size, discount):
    chance = 1 / (size - 1) if id else 0.0
    for length in range(len(context) + 1):
        after = counts.get(context[:length])
        if after is not None:
            number = sum(after.values())
            kept = after[id] - discount if id in after else 0.0
            chance = (kept + discount * len(after) * chance) / number
    return chance


def count_tables(seed, contexts, padding=False):
    """Counts after the contexts that `contexts` draws, and an id and a context to look up; the id may be padding."""
    random = Random(seed)
    while True:
        known, asked = contexts(random)
        size = random.choice([6, 7, 12])
        ids = [0, *random.sample(range(1, size), 4)]
        table = {
            one: {id: random.choice([1, 2, 3, 4, 30]) for id in random.sample(ids, random.randint(1, 4))}
            for one in known
        }
        yield random.choice(ids[:2] if padding else ids[1:]), asked, table, size, random.choice([0.25, 0.5, 0.75])


def after_longer_contexts(seed, inputs):
    """The same counts also after some ids; equal counts follow all parts of these, so that any of them may be shorter."""
    random = Random(seed)
    for id, _, table, size, discount in inputs:
        yield id, (), table, size, discount
        ids = tuple(random.choices(range(1, size), k=random.choice([1, 2, 4, 4])))
        ends = range(len(ids) + 1)
        parts = {ids[start:end]: dict.fromkeys(range(1, size), 2) for end in ends for start in range(end + 1)}
        yield id, ids, parts | {ids: table[()]}, size, discount


def known_at_both_ends(random):
    """A context that is no key, with keys for all of its beginnings, and others for the same without the first id."""
    ids = tuple(random.sample(range(1, 6), random.randint(2, 5)))
    return [ids[:length] for length in range(len(ids))] + [ids[at:] for at in range(1, len(ids))], ids


def unseen(random):
    """Contexts of which only the empty one is a key, or of which it is none."""
    others = tuple(random.choices([1, 2, 4], k=random.randint(1, 5)))
    return random.choice([([(), (3,), (3, 3)], others), ([(3,)], (3,))])


def below(random):
    """A context of one id, whose probability depends on what is below the empty one."""
    return random.choice([[(3,)], [(), (3,)]]), (random.choice([1, 3]),)


# %% tests="discounted-seen" points=2
### BEGIN HIDDEN TESTS
rule = "The discount is taken from the count of a seen id; the shorter context gets discount times D divided by N."
flat = after_longer_contexts(5, count_tables(1, lambda random: ([()], ())))
grade(
    sheet.get("discounted"),
    right_probability,
    first_of(flat),
    rule,
    [(1, (), {(): {1: 3, 2: 1}}, 5, 0.5)],
    tried=40,
    same=close_values,
)
### END HIDDEN TESTS
assert abs(discounted(1, (), {(): {1: 3, 2: 1}}, 5, 0.5) - 0.6875) < 1e-6
assert abs(discounted(3, (), {(): {1: 3, 2: 1}}, 5, 0.5) - 0.0625) < 1e-6

# %% tests="discounted-shorter" points=1
### BEGIN HIDDEN TESTS
rule = "The shorter context leaves out the last id of the context."
both = count_tables(2, known_at_both_ends)
grade(sheet.get("discounted"), right_probability, first_of(both), rule, tried=40, same=close_values)
### END HIDDEN TESTS
assert discounted(1, (2, 3), {(2,): {1: 4}, (3,): {1: 1}}, 5, 0.5) == discounted(1, (2,), {(2,): {1: 4}}, 5, 0.5)

# %% tests="discounted-unseen" points=1
### BEGIN HIDDEN TESTS
rule = "After a context that is no key of counts, the probability is that after the shorter context."
missing = count_tables(3, unseen)
grade(sheet.get("discounted"), right_probability, first_of(missing), rule, tried=40, same=close_values)
### END HIDDEN TESTS
assert discounted(1, (2,), {(): {1: 3}}, 5, 0.5) == discounted(1, (), {(): {1: 3}}, 5, 0.5)

# %% tests="discounted-base" points=1
### BEGIN HIDDEN TESTS
rule = "Below the empty context, id 0 has the probability 0, and all others have 1 / (size - 1)."
padding = count_tables(4, below, padding=True)
grade(
    sheet.get("discounted"),
    right_probability,
    first_of(padding),
    rule,
    [(0, (), {}, 4, 0.5)],
    tried=40,
    same=close_values,
)
### END HIDDEN TESTS
assert discounted(0, (), {}, 5, 0.5) == 0.0 and discounted(2, (), {}, 5, 0.5) == 0.25

# %% [markdown]
# ## 2. Rows of several documents ({points joined_rows} points)
#
# The capstone wastes the end of each row. Here, documents follow each other without padding, and no token is predicted from another document.
# Write `joined_rows(documents, width, end)`.
#
# | | type |
# |---|---|
# | `documents` | a list of lists of ids, without `end`; a document may be empty |
# | `width` | the length of a row, 1 or more |
# | `end` | an id |
# | result | a pair of lists of rows: inputs and labels; each row is a list of `width` numbers |
#
# The rules:
#
# - **Stream.** All documents are joined, and each is followed by `end`. The stream is cut into inputs of `width` ids. The next row begins with the id **after** the last one of the row before.
# - **Labels.** The label of an input is the id that follows it in the stream, also if that id is in the next row.
# - **Leaks.** An input `end` has the label -100, because the next id belongs to another document.
# - **Rest.** The last row is filled with `end`, and the labels there are -100. There is no row that consists of filling only.
#
# `[[1, 2], [3]]` with the width 3 and the end 9 is the stream 1 2 9 3 9. The inputs are `[[1, 2, 9], [3, 9, 9]]`, and the labels are `[[2, 9, -100], [9, -100, -100]]`.
#
# <details><summary>Hint</summary>
#
# First make the labels of the whole stream, and fill both to a multiple of `width`. Then cut both.
#
# </details>


# %% solution="joined_rows"
def joined_rows(documents, width, end):
    """Return the rows of inputs and of labels."""
    ### BEGIN SOLUTION
    stream = [id for document in documents for id in [*document, end]]
    labels = [-100 if id == end else after for id, after in zip(stream, [*stream[1:], end])]
    missing = -len(stream) % width
    stream, labels = stream + [end] * missing, labels + [-100] * missing
    starts = range(0, len(stream), width)
    return [stream[at : at + width] for at in starts], [labels[at : at + width] for at in starts]
    ### END SOLUTION
    return ...


# %% hidden="joined_rows"
def right_rows(documents, width, end):
    inputs, labels = [[]], [[]]
    for document in documents:
        for id, after in zip([*document, end], [*document[1:], end, -100] if document else [-100]):
            if len(inputs[-1]) == width:
                inputs.append([])
                labels.append([])
            inputs[-1].append(id)
            labels[-1].append(after)
    if not inputs[-1]:
        return [], []
    while len(inputs[-1]) < width:
        inputs[-1].append(end)
        labels[-1].append(-100)
    return inputs, labels


def collections(seed, number, lengths, widths):
    """Documents of these lengths, whose stream may fill its rows or not."""
    random = Random(seed)
    while True:
        end = random.choice([0, 4, 9, 50])
        ids = [id for id in range(13) if id != end]
        made = [random.choices(ids, k=random.choice(lengths)) for _ in range(random.choice(number))]
        yield made, widths(random, sum(len(one) + 1 for one in made)), end


def divisor_of(random, length):
    return random.choice([width for width in range(1, length + 1) if length % width == 0])


def but_between(given, right):
    """Compare all but the labels of ends that another document follows."""
    mine, labels = ([label for row in rows[1] for label in row] for rows in (given, right))
    last = max([at for at, label in enumerate(labels) if label >= 0], default=-1)
    labels = [one if label < 0 and at < last else label for at, (one, label) in enumerate(zip(mine, labels))]
    lengths = [list(map(len, rows[1])) for rows in (given, right)]
    return equal_values((given[0], lengths[0], mine), (right[0], lengths[1], labels))


# %% tests="joined_rows-stream" points=1
### BEGIN HIDDEN TESTS
rule = "The documents follow each other, each followed by the end; a row begins with the id after the last one of the row before."
filled = collections(11, [1], [3, 5, 7, 11, 23], divisor_of)
grade(sheet.get("joined_rows"), right_rows, first_of(filled), rule, [([[1, 2, 3, 4, 5]], 2, 9)], tried=40)
### END HIDDEN TESTS
assert joined_rows([[1, 2, 3]], 2, 9)[0] == [[1, 2], [3, 9]]

# %% tests="joined_rows-leaks" points=2
### BEGIN HIDDEN TESTS
rule = "An input that is the end has the label -100; each other input has the next id as its label, and so the end too is predicted."
several = collections(12, [2, 3, 5], [0, 1, 2, 3, 7], divisor_of)
grade(sheet.get("joined_rows"), right_rows, first_of(several), rule, [([[1], [2]], 4, 9)], tried=40)
### END HIDDEN TESTS
assert joined_rows([[1], [2]], 4, 9) == ([[1, 9, 2, 9]], [[9, -100, 9, -100]])

# %% tests="joined_rows-rest" points=1
### BEGIN HIDDEN TESTS
rule = "The last row is filled with the end and with the labels -100; no row consists of filling only."
short = collections(13, [1, 1, 2, 4], [1, 2, 4, 6, 9], lambda random, length: random.choice([3, 4, 5, 9, 16]))
sure = [([[1]], 3, 9), ([], 3, 9)]
grade(sheet.get("joined_rows"), right_rows, first_of(short), rule, sure, tried=40, same=but_between)
### END HIDDEN TESTS
assert joined_rows([[1]], 3, 9) == ([[1, 9, 9]], [[9, -100, -100]]) and joined_rows([], 3, 9) == ([], [])

# %% [markdown]
# ## 3. Turning a part of each vector ({points turned} points)
#
# Write `turned(x, positions, base, part)`, which rotates the vectors of each head by their positions.
#
# | | type | shape |
# |---|---|---|
# | `x` | float32 | (heads, length, d) |
# | `positions` | int64 | (length,) |
# | `base` | a number above 1 | |
# | `part` | an even number from 2 to d | |
# | result | float32 | (heads, length, d) |
#
# The rules:
#
# - **Part.** Only the first `part` numbers of each vector are rotated. The others do not change.
# - **Pairs** are neighbours: numbers 0 and 1 are pair 0, numbers 2 and 3 are pair 1. (In the capstone, the partner is half a vector away.)
# - **Angles.** At the position p, pair i has the angle a = p · `base` to the power of (-2 · i / `part`), in radians. The pair (u, v) becomes (u cos a - v sin a, v cos a + u sin a).
# - **Heads** with an odd number rotate in the opposite direction.
#
# The vector `[1.0, 0.0, 5.0]` of head 0 at the position 2, with `part` 2, becomes `[-0.4161, 0.9093, 5.0]`.
#
# <details><summary>Hint</summary>
#
# `x[..., 0:part:2]` has the first number of each pair. `torch.stack([first, second], dim=-1).flatten(-2)` puts the pairs together again.
#
# </details>


# %% solution="turned"
def turned(x, positions, base, part):
    """Rotate the first numbers of each vector, pair by pair."""
    ### BEGIN SOLUTION
    exponents = -2 * torch.arange(part // 2) / part
    angles = positions[:, None] * base**exponents
    signs = tensor([-1.0 if head % 2 else 1.0 for head in range(len(x))])[:, None, None]
    cosines, sines = angles.cos(), angles.sin() * signs
    first, second = x[..., 0:part:2], x[..., 1:part:2]
    pairs = [first * cosines - second * sines, second * cosines + first * sines]
    return torch.cat([torch.stack(pairs, dim=-1).flatten(-2), x[..., part:]], dim=-1)
    ### END SOLUTION
    return ...


# %% hidden="turned"
def right_turn(x, positions, base, part):
    result = x.clone()
    for head, rows in enumerate(x.tolist()):
        for place, (vector, position) in enumerate(zip(rows, positions.tolist())):
            for i in range(part // 2):
                angle = position / base ** (2 * i / part) * (-1) ** head
                u, v = vector[2 * i : 2 * i + 2]
                result[head, place, 2 * i] = u * cos(angle) - v * sin(angle)
                result[head, place, 2 * i + 1] = v * cos(angle) + u * sin(angle)
    return result


def vectors(seed, heads=(1,), sizes=(2,), rest=(0,), of=(-3, -2, -1, 1, 2, 3)):
    """Vectors without 0 in the part that turns, at positions that may have gaps; the rest has the numbers of `of`."""
    random = Random(seed)
    while True:
        part, length, number = random.choice(sizes), random.choice([1, 2, 3, 6]), random.choice(heads)
        x = drawn(random, number, length, part, of=(-3, -2, -1, 1, 2, 3))
        x = torch.cat([x, drawn(random, number, length, random.choice(rest), of=of)], dim=-1)
        positions = tensor(random.sample([0, 1, 2, 3, 7, 20, 50], length))
        yield x, positions, random.choice([10, 100, 1000.0, 10000]), part


def any_pairs(inputs):
    """Also a part of 4 numbers, for which it makes no difference what is a pair, and hardly any what its angle is."""
    for x, positions, base, part in inputs:
        yield x, positions, base, part
        u, v = x[..., :1], x[..., 1:2]
        yield torch.cat([u, v, v, -u, x[..., 2:]], dim=-1), positions, 1 + 1e-7, 4


# %% tests="turned-angles" points=2
### BEGIN HIDDEN TESTS
rule = "A pair (u, v) at position p becomes (u cos a - v sin a, v cos a + u sin a), where the angle a of pair 0 is p."
single = vectors(21)
grade(sheet.get("turned"), right_turn, first_of(single), rule, tried=40, tensors=1e-4)
### END HIDDEN TESTS
assert near(turned(tensor([[[1.0, 0.0]]]), tensor([2]), 100, 2), [[[-0.41615, 0.90930]]])

# %% tests="turned-pairs" points=1
### BEGIN HIDDEN TESTS
rule = "Neighbours are a pair, and the angle of pair i is p times base to the power of -2 i / part."
wide = vectors(22, sizes=(4, 6, 8), rest=(0, 2, 3), of=(0,))
grade(sheet.get("turned"), right_turn, first_of(wide), rule, tried=40, tensors=1e-4)
### END HIDDEN TESTS
assert near(turned(tensor([[[1.0, 0.0, 1.0, 0.0]]]), tensor([1]), 100, 4), [[[0.54030, 0.84147, 0.99500, 0.09983]]])

# %% tests="turned-part" points=1
### BEGIN HIDDEN TESTS
rule = "Only the first `part` numbers of a vector are rotated; the others do not change."
longer = any_pairs(vectors(23, rest=(1, 2, 4)))
several = islice(vectors(25, heads=(2, 3), rest=(2, 4)), 9)
sure = [(x, 0 * positions, base, part) for x, positions, base, part in several]  # no head turns at the position 0
grade(sheet.get("turned"), right_turn, first_of(longer), rule, sure, tried=40, tensors=1e-4)
### END HIDDEN TESTS
assert near(turned(tensor([[[1.0, 0.0, 5.0]]]), tensor([2]), 100, 2), [[[-0.41615, 0.90930, 5.0]]])

# %% tests="turned-heads" points=1
### BEGIN HIDDEN TESTS
rule = "Heads with an odd number rotate in the opposite direction."
several = any_pairs(vectors(24, heads=(2, 3, 4, 6)))
grade(sheet.get("turned"), right_turn, first_of(several), rule, tried=40, tensors=1e-4)
### END HIDDEN TESTS
assert near(turned(tensor([[[1.0, 0.0]], [[1.0, 0.0]]]), tensor([2]), 100, 2)[1], [[-0.41615, -0.90930]])

# %% [markdown]
# ## 4. A window of your own ({points window_keys} points)
#
# Long texts need a short memory. Your id gives you **a rule of your own**: how many keys a query sees, and which keys stay visible for ever. Run the next cell: it prints the rule, with an example.
#
# Write `window_keys(queries, keys)`. Both arguments are positions (int64, of the shapes (q,) and (n,)), which may have gaps. The result is a bool tensor of the shape (q, n) with `True` where the query
# sees the key. The rules:
#
# - A query sees the key at its own position, and no key after it.
# - Of the earlier keys, it sees those that **your rule** names. Write your own rule only; nobody will call your function with another one.

# %% locked="my_rule"
from tokenlab.check.student_id import variant_chooser


def rule_of(student_id):
    """The window and the number of keys that stay visible, derived from an id."""
    draw = variant_chooser(student_id)
    return {"window": draw(2, 3, 4, 5), "kept": draw(2, 3, 4)}


my_rule = rule_of(student_id)
example = [place for place in range(10) if place < my_rule["kept"] or place > 9 - my_rule["window"]]
print(f"Your rule: a query sees the earlier keys whose distance is below {my_rule['window']},")
print(f"and those at a position below {my_rule['kept']}.")
print(f"For example, a query at position 9 sees the keys at the positions {', '.join(map(str, example))}.")


# %% solution="window_keys"
def window_keys(queries, keys):
    """Return which query sees which key."""
    ### BEGIN SOLUTION
    distance = queries[:, None] - keys[None, :]
    near_or_kept = (distance < my_rule["window"]) | (keys < my_rule["kept"])[None, :]
    return (distance >= 0) & near_or_kept
    ### END SOLUTION
    return ...


# %% hidden="window_keys"
from tokenlab.check.student_id import check_same_student

student_id = sheet.get("student_id")
RULE = sheet["rule_of"](student_id)


def right_window(queries, keys):
    def sees(query, key):
        if key > query:
            return False
        return key in range(RULE["kept"]) or query - key in range(RULE["window"])

    return tensor([[sees(query, key) for key in keys.tolist()] for query in queries.tolist()])


def places(seed):
    """Positions of queries and keys, at two places that may be far from each other."""
    random = Random(seed)
    while True:
        start = random.choice([0, 0, random.randint(1, 30)])
        near = [*range(start, start + 10)]
        far = [place + random.choice([0, 30, 1000]) for place in near]
        keys = sorted({*random.sample(near, random.randint(1, 6)), *random.sample(far, random.randint(1, 6))})
        yield tensor(random.choices(near + far, k=random.randint(1, 3))), tensor(keys)


def places_now_and_later(seed):
    """Positions where no key is before a query."""
    random = Random(seed)
    while True:
        queries = [random.randint(0, 50) for _ in range(random.randint(1, 3))]
        last, far = max(queries), random.choice([7, 40])
        yield tensor(queries), tensor(sorted(random.sample(range(last, last + far), random.randint(1, 4))))


# %% tests="window_keys-later" points=1
### BEGIN HIDDEN TESTS
rule = "A query sees the key at its own position, and no key after it."
sure = [(tensor([0]), torch.arange(4))]
grade(sheet.get("window_keys"), right_window, first_of(places_now_and_later(31)), rule, sure, tried=40, tensors=1e-4)
### END HIDDEN TESTS
assert window_keys(tensor([4]), tensor([4, 5, 9])).tolist() == [[True, False, False]]

# %% tests="window_keys-mine" points=3
### BEGIN HIDDEN TESTS
check_same_student(student_id)
rule = "Of the earlier keys, a query sees those in the window of your id, and those that stay visible; the cell above prints your rule."
sure = [(tensor([9]), torch.arange(10)), (tensor([8, 9]), torch.arange(10)), (tensor([30]), torch.arange(20, 31))]
sure += [(tensor([0]), torch.arange(4)), (tensor([8, 1000]), torch.arange(10))]
grade(sheet.get("window_keys"), right_window, first_of(places(32)), rule, sure, tried=40, tensors=1e-4)
### END HIDDEN TESTS
assert [place for place, seen in enumerate(window_keys(tensor([9]), torch.arange(10))[0]) if seen] == example

# %% [markdown]
# ## 5. Attention that may look away ({points shared_heads} points)
#
# Write `shared_heads(query, key, value, visible)`, which returns what each head takes from the values.
#
# | | type | shape |
# |---|---|---|
# | `query` | float32 | (heads, q, k) |
# | `key`, `value` | float32 | (shared, n, k); `heads` is a multiple of `shared` |
# | `visible` | bool | (q, n), the same for all heads |
# | result | float32 | (q, heads · k) |
#
# The rules:
#
# - **Shared.** Query head h uses the key-value head h modulo `shared`: with 4 heads and 2 shared ones, heads 0 and 2 use head 0. (In the capstone, neighbours share a head.)
# - **Scores.** The dot product of query and key, divided by the square root of k.
# - **Weights.** The weight of a visible key is the exponential of its score, divided by **1 plus** the sum of the exponentials of all visible keys. So a head may look away: its weights have a sum
#   below 1. Hidden keys have the weight 0.
# - **Result.** The sum of the values, each times its weight. For each query, the results of the heads stand side by side, head 0 first.
#
# With one head, k = 1, the query 1, one visible key 0 and its value 6, the score is 0, the weight is 1 / (1 + 1), and the result is 3.
#
# <details><summary>Hint</summary>
#
# A softmax over the scores and one more score of 0 has the right divisor. No score in the tests is above 50.
#
# </details>


# %% solution="shared_heads"
def shared_heads(query, key, value, visible):
    """Return the weighted sums of the values, head beside head."""
    ### BEGIN SOLUTION
    times = len(query) // len(key)
    key, value = key.repeat(times, 1, 1), value.repeat(times, 1, 1)
    scores = query @ key.transpose(1, 2) / query.shape[-1] ** 0.5
    powers = torch.exp(scores) * visible
    weights = powers / (1 + powers.sum(dim=-1, keepdim=True))
    return (weights @ value).transpose(0, 1).flatten(1)
    ### END SOLUTION
    return ...


# %% hidden="shared_heads"
def right_heads(query, key, value, visible):
    rows = []
    for place, seen in enumerate(visible.tolist()):
        row = []
        for head, queries in enumerate(query.tolist()):
            shared, divisor, taken = head % len(key), 1.0, [0.0] * len(queries[0])
            for k, v, is_seen in zip(key[shared].tolist(), value[shared].tolist(), seen):
                if is_seen:
                    power = exp(sum(a * b for a, b in zip(queries[place], k)) / sqrt(len(k)))
                    divisor += power
                    taken = [old + power * new for old, new in zip(taken, v)]
            row += [number / divisor for number in taken]
        rows.append(row)
    return tensor(rows)


ONE_SHARED = ((1, 1), (1, 1), (2, 1), (4, 1))  # numbers of heads and of shared heads


def always(random, place):
    return True


def headed(seed, heads, k=(1, 3), seen=always, scored=(1,)):
    """Queries, keys and values of some heads, and a mask; only if k is in `scored` are the queries not 0.

    If only one head is shared, the order of the results makes no difference: they are all equal.
    """
    random = Random(seed)
    while True:
        (number, shared), q, n, size = (
            random.choice(heads),
            random.randint(1, 3),
            random.choice([1, 2, 3, 6, 12]),
            random.choice(k),
        )
        query, key = drawn(random, number, q, size) * (size in scored), drawn(random, shared, n, size)
        value = drawn(random, shared, n, size, of=(-3, -2, -1, 1, 2, 3))
        if shared == 1 < number:
            query, value, q = query[:1, :1].repeat(number, 1, 1), value[..., :1].repeat(1, 1, size), 1
        yield query, key, value, tensor([[seen(random, place) for place in range(n)] for _ in range(q)])


# %% tests="shared_heads-weights" points=2
### BEGIN HIDDEN TESTS
rule = "The weight of a key is the exponential of its score, divided by 1 plus the sum of all exponentials."
plain = headed(41, ONE_SHARED)
grade(sheet.get("shared_heads"), right_heads, first_of(plain), rule, tried=40, tensors=1e-4)
### END HIDDEN TESTS
assert near(shared_heads(tensor([[[1.0]]]), tensor([[[0.0]]]), tensor([[[6.0]]]), tensor([[True]])), [[3.0]])

# %% tests="shared_heads-scores" points=1
### BEGIN HIDDEN TESTS
rule = "A score is the dot product of query and key, divided by the square root of k."
wide = headed(42, ONE_SHARED, (2, 3, 4, 8), scored=(2, 3, 4, 8))
grade(sheet.get("shared_heads"), right_heads, first_of(wide), rule, tried=40, tensors=1e-4)
### END HIDDEN TESTS
one = torch.ones(1, 1, 4)
assert near(shared_heads(one, one, one, tensor([[True]])), [[0.88080] * 4])

# %% tests="shared_heads-shared" points=2
### BEGIN HIDDEN TESTS
rule = "Query head h uses the key-value head h modulo the number of shared heads, and the results stand side by side."
shared = headed(43, [(4, 2), (6, 3), (9, 3), (2, 2)])
grade(sheet.get("shared_heads"), right_heads, first_of(shared), rule, tried=40, tensors=1e-4)
### END HIDDEN TESTS
two = tensor([[[6.0]], [[8.0]]])
assert near(shared_heads(torch.zeros(4, 1, 1), torch.zeros(2, 1, 1), two, tensor([[True]])), [[3.0, 4.0, 3.0, 4.0]])

# %% tests="shared_heads-visible" points=1
### BEGIN HIDDEN TESTS
rule = "A hidden key has the weight 0 and no part in the sum; a query that sees nothing has the result 0."
masked = headed(44, ONE_SHARED, seen=lambda random, place: random.random() < 0.4)
grade(sheet.get("shared_heads"), right_heads, first_of(masked), rule, tried=40, tensors=1e-4)
### END HIDDEN TESTS
three = tensor([[[6.0], [9.0]]])
assert near(shared_heads(torch.zeros(1, 1, 1), torch.zeros(1, 2, 1), three, tensor([[True, False]])), [[3.0]])
assert near(shared_heads(torch.zeros(1, 1, 1), torch.zeros(1, 2, 1), three, tensor([[False, False]])), [[0.0]])

# %% [markdown]
# ## 6. A step that only looks at signs ({points sign_step} points)
#
# Write `sign_step(weight, gradient, mean, rate, decay)`, one step of an optimizer. All three tensors are float32 and have the same shape, which may be any. Return a pair of tensors: the new weight and the new mean. The rules:
#
# - **Direction.** It is the sign (-1, 0 or 1) of each number of 0.9 · `mean` + 0.1 · `gradient`, with the mean from **before** this step.
# - **Weight.** First the weight is multiplied by 1 - `rate` · `decay`. Then `rate` times the direction is subtracted.
# - **Matrices only.** A weight with one dimension, such as that of a norm, is not multiplied: `decay` has no effect on it.
# - **Mean.** The new mean is 0.99 · `mean` + 0.01 · `gradient`.
#
# The weight `[[2.0]]`, the gradient `[[-3.0]]`, the mean `[[1.0]]`, the rate 0.1 and the decay 0.5 give the direction 1, because 0.9 - 0.3 is positive. The new weight is 2 · 0.95 - 0.1 = 1.8, and the new mean is
# 0.99 - 0.03 = 0.96.
#
# <details><summary>Hint</summary>
#
# `torch.sign` and `weight.dim()` help.
#
# </details>


# %% solution="sign_step"
def sign_step(weight, gradient, mean, rate, decay):
    """Return the weight and the mean after a step."""
    ### BEGIN SOLUTION
    direction = torch.sign(0.9 * mean + 0.1 * gradient)
    kept = weight * (1 - rate * decay) if weight.dim() > 1 else weight
    return kept - rate * direction, 0.99 * mean + 0.01 * gradient
    ### END SOLUTION
    return ...


# %% hidden="sign_step"
def right_sign_step(weight, gradient, mean, rate, decay):
    factor = 1 - rate * decay if len(weight.shape) >= 2 else 1
    both = []
    for w, g, m in zip(weight.flatten().tolist(), gradient.flatten().tolist(), mean.flatten().tolist()):
        mixed = 9 * m + g
        direction = 0 if abs(mixed) < 1e-4 else 1 if mixed > 0 else -1
        both.append((w * factor - rate * direction, m + (g - m) / 100))
    return tuple(tensor(list(one)).reshape(weight.shape) for one in zip(*both))


def sign_steps(seed, shapes, decays):
    """Weights, gradients and means of these shapes; the mean and the gradient often disagree."""
    random = Random(seed)
    while True:
        shape = random.choice(shapes)
        gradient, mean = drawn(random, *shape, of=(-10, -8, -1, 0, 1, 8, 10)), drawn(random, *shape, of=(-1, 0, 1))
        yield drawn(random, *shape, of=(-3, 2, 4)), gradient, mean, random.choice([0.125, 0.5]), random.choice(decays)


# %% tests="sign_step-direction" points=2
### BEGIN HIDDEN TESTS
rule = "The direction is the sign of 0.9 mean + 0.1 gradient, with the mean from before; the new mean is 0.99 mean + 0.01 gradient."
matrices = sign_steps(51, [(1, 1), (2, 3), (3, 4), (1, 2, 2)], [0.0])
grade(sheet.get("sign_step"), right_sign_step, first_of(matrices), rule, tried=40, tensors=1e-4)
### END HIDDEN TESTS
new, mean = sign_step(tensor([[2.0]]), tensor([[-3.0]]), tensor([[1.0]]), 0.5, 0.0)
assert near(new, [[1.5]]) and near(mean, [[0.96]])

# %% tests="sign_step-decay" points=1
### BEGIN HIDDEN TESTS
rule = "A weight of two or more dimensions is first multiplied by 1 - rate * decay."
decayed = sign_steps(52, [(1, 2), (2, 3), (1, 1, 2), (2, 1, 1, 2)], [0.25, 0.5, 1.0])
grade(sheet.get("sign_step"), right_sign_step, first_of(decayed), rule, tried=40, tensors=1e-4)
### END HIDDEN TESTS
assert near(sign_step(tensor([[2.0]]), tensor([[-3.0]]), tensor([[1.0]]), 0.1, 0.5)[0], [[1.8]])

# %% tests="sign_step-norms" points=1
### BEGIN HIDDEN TESTS
rule = "A weight with one dimension has no decay."
norms = sign_steps(53, [(1,), (3,), (12,)], [0.25, 0.5, 1.0])
grade(sheet.get("sign_step"), right_sign_step, first_of(norms), rule, tried=40, tensors=1e-4)
### END HIDDEN TESTS
assert near(sign_step(tensor([2.0]), tensor([-3.0]), tensor([1.0]), 0.1, 0.5)[0], [1.9])

# %% [markdown]
# ## 7. Drawing a token ({points drawn_token} points)
#
# Write `drawn_token(probabilities, last, share, number)`, which draws the next id.
#
# | | type |
# |---|---|
# | `probabilities` | a list of floats with the sum 1: the probability of each id |
# | `last` | the id of the last token, or -1 |
# | `share` | a number from 0 to 1 |
# | `number` | a random number, 0 or more and below 1 |
# | result | an id, an integer |
#
# The rules, in this order:
#
# - **Last.** The probability of the id `last` is divided by 2. (The probabilities are not divided by their sum yet.)
# - **Kept.** An id is kept if its probability is at least `share` times the **second highest** probability. If there is only one id, it is kept.
# - **Drawn.** The probabilities of the ids that are kept are divided by their sum. Add them in the order of the **ids**, beginning with id 0. The result is the first id at which the sum is **above** `number`.
#
# With `[0.5, 0.1, 0.4]`, no last id and the share 0.5, the second highest probability is 0.4, so id 1 (below 0.2) is not kept. The others have 0.5 / 0.9 and 0.4 / 0.9. The number 0.6 draws id 2, because 0.5556 is not above it.
#
# No sum in the tests is nearer than 0.001 to `number`, and no probability to the limit, unless both are equal to the last digit.
#
# <details><summary>Hint</summary>
#
# `sorted(probabilities)[-2]` is the second highest one.
#
# </details>


# %% solution="drawn_token"
def drawn_token(probabilities, last, share, number):
    """Return the id that the number draws."""
    ### BEGIN SOLUTION
    halved = [p / 2 if id == last else p for id, p in enumerate(probabilities)]
    limit = share * sorted(halved)[-2] if len(halved) > 1 else 0.0
    kept = {id: p for id, p in enumerate(halved) if p >= limit}
    total, reached = sum(kept.values()), 0.0
    for id, p in kept.items():
        reached += p / total
        if reached > number:
            return id
    return max(kept)
    ### END SOLUTION
    return ...


# %% hidden="drawn_token"
def right_token(probabilities, last, share, number):
    parts = [*probabilities]
    if 0 <= last < len(parts):
        parts[last] *= 0.5
    second = sorted(parts, reverse=True)[1] if parts[1:] else 0.0
    kept = [part if part >= share * second else 0.0 for part in parts]
    sums = [sum(kept[: id + 1]) for id in range(len(kept))]
    return next(id for id, reached in enumerate(sums) if reached > number * sums[-1])


def shares(seed, sizes, lasts, limits):
    """Probabilities in sixteenths, and numbers that are far from each sum."""
    random = Random(seed)
    while True:
        parts = [random.choice([1, 2, 3, 5, 7]) for _ in range(random.choice(sizes))]
        probabilities, last = [part / sum(parts) for part in parts], lasts(random, len(parts))
        share, number = random.choice(limits), random.choice([0.0, 0.07, 0.19, 0.33, 0.41, 0.52, 0.68, 0.77, 0.9, 0.97])
        halved = [p / 2 if id == last else p for id, p in enumerate(probabilities)]
        for second in (sorted(halved)[-2:][0], max(halved), sorted(probabilities)[-2:][0]):
            kept = [p for p in halved if p >= share * second]
            whole = sum(kept)
            sums = [sum(kept[: place + 1]) / whole for place in range(len(kept))]
            if any(abs(one - number) < 1e-3 for one in sums) or any(
                abs(p - share * second) < 1e-3 for p in halved if p != second
            ):
                break
        else:
            yield probabilities, last, share, number


def no_last(random, size):
    return -1


def any_last(random, size):
    return random.randrange(size)


# %% tests="drawn_token-drawn" points=2
### BEGIN HIDDEN TESTS
rule = (
    "The probabilities are added in the order of the ids; the first id at which the sum is above the number is drawn."
)
everything = shares(61, [2, 3, 4, 8, 12, 12], no_last, [0.0])
sure = [([0.25, 0.75], -1, 0.0, 0.25), ([0.25, 0.75], -1, 0.0, 0.0)]
grade(sheet.get("drawn_token"), right_token, first_of(everything), rule, sure, tried=40)
### END HIDDEN TESTS
assert drawn_token([0.25, 0.75], -1, 0.0, 0.2) == 0 and drawn_token([0.25, 0.75], -1, 0.0, 0.25) == 1

# %% tests="drawn_token-kept" points=2
### BEGIN HIDDEN TESTS
rule = "An id is kept if its probability is at least share times the second highest one; what is kept is divided by its sum."
limited = shares(62, [1, 3, 4, 5, 8, 12, 12], no_last, [0.3, 0.55, 0.8])
sure = [([0.5, 0.25, 0.25], -1, 1.0, 0.9), ([1.0], -1, 0.5, 0.3)]
grade(sheet.get("drawn_token"), right_token, first_of(limited), rule, sure, tried=60)
### END HIDDEN TESTS
assert drawn_token([0.5, 0.1, 0.4], -1, 0.5, 0.6) == 2 and drawn_token([0.5, 0.1, 0.4], -1, 0.5, 0.5) == 0

# %% tests="drawn_token-last" points=1
### BEGIN HIDDEN TESTS
rule = "The probability of the last id is divided by 2 before anything else."
again = shares(63, [2, 3, 4, 8, 12, 12], any_last, [0.0, 0.8])
sure = [([0.5, 0.5], 0, 0.0, 0.4), ([0.5, 0.35, 0.15], 1, 0.8, 0.95), ([0.6, 0.3, 0.1], 1, 0.8, 0.95)]
grade(sheet.get("drawn_token"), right_token, first_of(again), rule, sure, tried=60)
### END HIDDEN TESTS
assert drawn_token([0.5, 0.5], 0, 0.0, 0.3) == 0 and drawn_token([0.5, 0.5], 0, 0.0, 0.4) == 1

# %% [markdown]
# ## 8. With your own data ({points trace} points)
#
# Your id gives you data of your own. Run the next two cells. Use pencil and paper, or run functions. Here the rules of **this sheet** apply. Fractions may be rounded to 2
# decimal places.
#
# - `chance`: the probability that task 1 gives to the id `my.id` after the context `my.context`, with `my.counts`, 6 ids and the discount 0.5.
# - `labels`: the labels of task 2 for `my.documents`, the width 4 and the end 9, as a list of rows.
# - `seen`: the positions that a query at position `my.position` sees by **your rule** of task 4, as a list in ascending order. There is a key at each position from 0 on.
# - `weights`: the weights of task 5 for a head that sees three keys with the exponentials `my.powers`, as a list.
# - `token`: the id that task 7 draws from `my.probabilities`, with the last id `my.last`, the share 0.5 and the number `my.number`.

# %% locked="my_data"
from types import SimpleNamespace


def my_data(student_id):
    """Counts, documents, positions and probabilities, all derived from an id."""
    draw = variant_chooser(student_id)
    near_id, far_id, id = draw((1, 2), (3, 4), (2, 5)), draw(3, 4, 5), draw(1, 2)
    first, second = near_id
    probabilities, number = draw(
        ([0.4, 0.1, 0.3, 0.2], 0.3),
        ([0.1, 0.4, 0.2, 0.3], 0.07),
        ([0.3, 0.2, 0.1, 0.4], 0.67),
        ([0.2, 0.3, 0.4, 0.1], 0.92),
    )
    return SimpleNamespace(
        id=id,
        context=near_id,
        counts={
            (): {id: 1, far_id: draw(4, 6)},
            (first,): {id: draw(2, 3), 5: draw(1, 2)},
            (second,): {far_id: draw(7, 8)},
        },
        documents=[[draw(1, 2, 3), draw(4, 5, 6)], [draw(7, 8)], [draw(1, 2), draw(3, 4), draw(5, 6)]],
        position=draw(11, 12, 13, 14),
        powers=[draw(1, 2), draw(3, 4), draw(5, 6, 7)],
        probabilities=probabilities,
        last=probabilities.index(0.4),
        number=number,
    )


# %% locked="my"
my = my_data(student_id)
for name, number in vars(my).items():
    print(f"my.{name} = {number!r}")

# %% solution="trace"
chance = ...
labels = ...
seen = ...
weights = ...
token = ...
### BEGIN SOLUTION
chance = discounted(my.id, my.context, my.counts, 6, 0.5)
labels = joined_rows(my.documents, 4, 9)[1]
seen = [at for at in range(my.position + 1) if at < my_rule["kept"] or my.position - at < my_rule["window"]]
weights = [power / (1 + sum(my.powers)) for power in my.powers]
token = drawn_token(my.probabilities, my.last, 0.5, my.number)
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


# %% tests="trace-chance" points=1
### BEGIN HIDDEN TESTS
value = 1 / 5
for context in ((), my.context[:1]):
    after = my.counts[context]
    value = (after.get(my.id, 0.5) - 0.5 + 0.5 * len(after) * value) / sum(after.values())
rule = "The context of two ids was not seen; the shorter one leaves out its last id, then the empty one follows; id 0 has no share below it."
compare("chance", value, rule)
### END HIDDEN TESTS
assert chance is not ..., "Write a number."

# %% tests="trace-labels" points=1
### BEGIN HIDDEN TESTS
(a, b), (c,), (d, e, f) = my.documents
rule = "A label is the next id of the same document, also across rows; an end has the label -100, and the rest of the last row too."
compare("labels", [[b, 9, -100, 9], [-100, e, f, 9], [-100, -100, -100, -100]], rule)
### END HIDDEN TESTS
assert labels is not ..., "Write a list of rows."

# %% tests="trace-seen" points=1
### BEGIN HIDDEN TESTS
rule = "The query sees itself, the earlier keys in your window, and the first keys that stay visible."
compare("seen", [*range(RULE["kept"]), *range(my.position - RULE["window"] + 1, my.position + 1)], rule)
### END HIDDEN TESTS
assert seen is not ..., "Write a list of positions."

# %% tests="trace-weights" points=1
### BEGIN HIDDEN TESTS
rule = "Each exponential is divided by 1 plus the sum of all three."
compare("weights", [one / (sum(my.powers) + 1) for one in my.powers], rule)
### END HIDDEN TESTS
assert weights is not ..., "Write a list of 3 numbers."

# %% tests="trace-token" points=1
### BEGIN HIDDEN TESTS
parts = {id: p if id != my.last else p / 2 for id, p in enumerate(my.probabilities)}
limit = sorted(parts.values())[-2] / 2
kept = {id: p for id, p in parts.items() if p > limit - 1e-9}
target, found = my.number * sum(kept.values()), None
for id, p in kept.items():
    target -= p
    if target < 0 and found is None:
        found = id
rule = "The last id is halved first; the limit is half of the second highest probability; the ids are added in their order."
compare("token", found, rule)
### END HIDDEN TESTS
assert token is not ..., "Write an id."

# %% [markdown]
# ## 9. In words ({points words} points)
#
# A colleague shows you a curve: "After 50 steps, the loss of my language model is 0.02 nats per token, and the 4-gram model has 1.1. So mine is excellent." But the stories that it writes are random words. You find three mistakes: the labels are
# the inputs themselves; the causal mask is missing in training; and the loss counts the padded positions, whose labels are the end.
#
# Explain for **each** mistake why the loss becomes low although the model has learned nothing that helps it to write. For each, give an example of your own: a short row of ids with its labels, and what the model can do with it. Then propose one test for each mistake that
# needs no training. At most 250 words. A person reads and grades this.

# %% [markdown] solution="words" points=4
# **Labels are the inputs.** Row 5 7 2, labels 5 7 2: the model only has to repeat the id that it sees, which a table of embeddings learns in a few steps. When it writes, it repeats the last id, or what its weights happen to prefer. *Test:* `labels[:, :-1] == inputs[:, 1:]`
# wherever the label is not -100.
#
# **No mask.** Row 5 7 2, labels 7 2 4: the position of 5 sees 7, its own label. The model learns to look one position ahead. In generation, there is nothing ahead. *Test:* change the last id of a row; no earlier logit may change.
#
# **Padding counts.** A story of 3 ids in a row of 192: 189 labels are the end, and they are predicted from an end each time. The mean is nearly 0, even if the 3 real ids are guessed at random: 3 times 7.5 nats divided by 192 is 0.12. *Test:* fill the same batch with more padding; the
# loss may not change.
#
# **Points.** 1: the first two mistakes show the answer to the model, in training only. 1: padding makes the mean small, with numbers. 1: all three examples are the student's own and correct. 1: three tests that need no training and would find the mistakes.
