"""Programs for assignment 3: wrong ones for the misconceptions of its lessons, right ones in other styles.

Each could be written by a learner in the cell of its task. The demo renames it and copies the code that it uses.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate, chain
from statistics import fmean
from typing import Any

Program = Callable[..., Any]

# --- task 1, wrong -------------------------------------------------------------------------------


def normed(vector, weights, size):
    """Divide the numbers by an exchangeable size, and multiply them by their weights."""
    return [number / size * weight for number, weight in zip(vector, weights)]


def mean_size(vector):
    """Return the mean of the absolute values."""
    return sum(abs(number) for number in vector) / len(vector)


def subtract_mean(vector, weights, floor):
    mean = sum(vector) / len(vector)
    centred = [number - mean for number in vector]
    return normed(centred, weights, max(mean_size(centred), floor) or 1)


def root_mean_square(vector, weights, floor):
    return normed(vector, weights, max(math.sqrt(sum(x * x for x in vector) / len(vector)), floor))


def sum_instead_of_mean(vector, weights, floor):
    return normed(vector, weights, max(sum(map(abs, vector)), floor))


def floor_added(vector, weights, floor):
    return normed(vector, weights, mean_size(vector) + floor)


def no_floor(vector, weights, floor):
    return normed(vector, weights, mean_size(vector))


def no_weights(vector, weights, floor):
    return normed(vector, [1] * len(vector), max(mean_size(vector), floor))


def floor_instead_of_size(vector, weights, floor):
    """Divide by the floor if there is one, even if the size is larger."""
    return normed(vector, weights, floor or mean_size(vector))


def floor_for_each_number(vector, weights, floor):
    """Apply the floor to each absolute value, not to their mean."""
    return normed(vector, weights, sum(max(abs(number), floor) for number in vector) / len(vector))


def floor_without_weights(vector, weights, floor):
    """Forget the weights if the floor is used."""
    size = mean_size(vector)
    return normed(vector, weights if size >= floor else [1] * len(vector), max(size, floor))


# --- task 2, wrong -------------------------------------------------------------------------------


def bucket_on_side(distance, side, far_index=lambda distance, near: int(math.log2(distance / near)), last=True):
    """Return the bucket of a distance on one side, with exchangeable parts."""
    near = side // 2
    if distance < near:
        return distance
    found = near + far_index(distance, near)
    return min(found, side - 1) if last else found


def bucket(relative_position, total, causal, bucket_of=bucket_on_side):
    """Return the bucket by the rules, with an exchangeable function for one side."""
    if causal:
        return bucket_of(max(-relative_position, 0), total)
    return bucket_of(abs(relative_position), total // 2) + (total // 2 if relative_position > 0 else 0)


def bidirectional_decoder(relative_position, total, causal):
    return bucket(relative_position, total, False)


def encoder_buckets_for_earlier_keys(relative_position, total, causal):
    """Use the encoder's buckets in a decoder, but put later keys into bucket 0."""
    return 0 if causal and relative_position > 0 else bucket(relative_position, total, False)


def sides_swapped(relative_position, total, causal):
    return bucket(-relative_position, total, causal)


def later_keys_counted(relative_position, total, causal):
    if causal:
        return bucket_on_side(abs(relative_position), total)
    return bucket(relative_position, total, causal)


def lesson_logarithm(relative_position, total, causal):
    def bucket_of(distance, side):
        def far_index(distance, near):
            return int(math.log(distance / near) / math.log(128 / near) * (side - near))

        return bucket_on_side(distance, side, far_index)

    return bucket(relative_position, total, causal, bucket_of)


def equal_bucket_widths(relative_position, total, causal):
    def bucket_of(distance, side):
        return bucket_on_side(distance, side, lambda distance, near: distance // near - 1)

    return bucket(relative_position, total, causal, bucket_of)


def no_last_bucket(relative_position, total, causal):
    return bucket(relative_position, total, causal, lambda distance, side: bucket_on_side(distance, side, last=False))


def equal_widths_in_the_decoder(relative_position, total, causal):
    """Let all far buckets of a decoder have the same width."""
    return (equal_bucket_widths if causal else bucket)(relative_position, total, causal)


def no_last_bucket_in_the_decoder(relative_position, total, causal):
    """Go on with more buckets after the last one of a decoder."""
    return (no_last_bucket if causal else bucket)(relative_position, total, causal)


def all_from_128_in_the_last(relative_position, total, causal):
    """Put distances of 128 and more into the last bucket, as T5 does."""
    return bucket(
        relative_position,
        total,
        causal,
        lambda distance, side: bucket_on_side(distance if distance < 128 else 2**side, side),
    )


# --- task 3, wrong -------------------------------------------------------------------------------


def attended(queries, keys, values, table, segments, **other):
    """Compute attention with exchangeable parts."""
    scale = other.get("scale", lambda width: 1)
    bias = other.get("bias", lambda back: table[min(abs(back), len(table) - 1)])
    may = other.get("may", lambda q, k: k <= q and segments[q] == segments[k] and segments[q] != 0)
    late = other.get("late", False)
    outputs = []
    for q, query in enumerate(queries):
        weights = {}
        for k, key in enumerate(keys):
            if late or may(q, k):
                product = sum(x * y for x, y in zip(query, key))
                weights[k] = math.exp(product * scale(len(query)) + bias(q - k))
        total = sum(weights.values())
        outputs.append(
            [
                sum(weight / total * values[k][n] for k, weight in weights.items() if may(q, k))
                for n in range(len(values[0]))
            ]
        )
    return outputs


def scale_sqrt_d(queries, keys, values, table, segments):
    return attended(queries, keys, values, table, segments, scale=lambda width: width**-0.5)


def no_bias(queries, keys, values, table, segments):
    return attended(queries, keys, values, table, segments, bias=lambda back: 0)


def table_too_short(queries, keys, values, table, segments):
    return attended(queries, keys, values, table, segments, bias=lambda back: table[back] if back < len(table) else 0)


def bias_from_the_left(queries, keys, values, table, segments):
    def bias(back):
        return table[min(max(0, len(queries) - 1 - back), len(table) - 1)]

    return attended(queries, keys, values, table, segments, bias=bias)


def no_causal_mask(queries, keys, values, table, segments):
    return attended(
        queries, keys, values, table, segments, may=lambda q, k: segments[q] == segments[k] and segments[q] != 0
    )


def mask_transposed(queries, keys, values, table, segments):
    return attended(
        queries, keys, values, table, segments, may=lambda q, k: k >= q and segments[q] == segments[k] and segments[q]
    )


def mask_after_softmax(queries, keys, values, table, segments):
    return attended(queries, keys, values, table, segments, late=True)


def texts_not_separated(queries, keys, values, table, segments):
    return attended(
        queries, keys, values, table, segments, may=lambda q, k: k <= q and segments[q] > 0 and segments[k] > 0
    )


def padding_as_text(queries, keys, values, table, segments):
    return attended(queries, keys, values, table, segments, may=lambda q, k: k <= q and segments[q] == segments[k])


def one_number_out(queries, keys, values, table, segments):
    """Return only the first number of each output."""
    return [output[:1] for output in attended(queries, keys, values, table, segments)]


def two_numbers_in(queries, keys, values, table, segments):
    """Compute the dot product of two numbers, however long the vectors are."""
    return attended([query[:2] for query in queries], keys, values, table, segments)


def table_from_its_end(queries, keys, values, table, segments):
    """Use the last numbers of a table that is longer than the sequence."""
    return attended(queries, keys, values, table[-len(queries) :], segments)


def first_text_separated(queries, keys, values, table, segments):
    """Separate the first text from the others, but not these from each other."""
    return attended(queries, keys, values, table, [min(segment, 2) for segment in segments])


def padding_attended(queries, keys, values, table, segments):
    """Attend to padding before the query, too."""
    return attended(
        queries,
        keys,
        values,
        table,
        segments,
        may=lambda q, k: k <= q and segments[k] in (0, segments[q]) and segments[q],
    )


def padding_ends_the_sequence(queries, keys, values, table, segments):
    """Treat all positions after the first padding as padding."""
    end = [*segments, 0].index(0)
    return attended(queries, keys, values, table, [*segments[:end], *[0] * (len(segments) - end)])


# --- task 4, wrong -------------------------------------------------------------------------------


def inputs_of(labels, pad):
    """Replace -100 by pad."""
    return [pad if label == -100 else label for label in labels]


def start_of(labels, pad):
    """Return the last label that is not -100."""
    counted = [label for label in labels if label != -100]
    return counted[-1] if counted else pad


def no_shift(labels, pad):
    return inputs_of(labels, pad)


def double_pad(labels, pad):
    shifted = [start_of(labels, pad), *inputs_of(labels, pad)]
    return [pad, *shifted][: len(labels)]


def starts_with_pad(labels, pad):
    return [pad, *inputs_of(labels, pad)[:-1]]


def one_too_many(labels, pad):
    return [start_of(labels, pad), *inputs_of(labels, pad)]


def ignored_label_as_start(labels, pad):
    return [inputs_of(labels, pad)[-1], *inputs_of(labels, pad)[:-1]]


def ignored_label_as_input(labels, pad):
    return [start_of(labels, pad), *labels[:-1]]


def first_ignored_label_as_end(labels, pad):
    """Take the first -100 for the end of the text; all labels after it become pad."""
    end = [*labels, -100].index(-100)
    text = [*labels[:end], *[-100] * (len(labels) - end)]
    return [start_of(text, pad), *inputs_of(text, pad)[:-1]]


def pad_as_ignored_label(labels, pad):
    """Search for the start token among the labels that are neither -100 nor pad."""
    return [start_of([label for label in labels if label != pad], pad), *inputs_of(labels, pad)[:-1]]


def zero_as_no_language(labels, pad):
    """Take the start token 0 for none."""
    return [start_of(labels, pad) or pad, *inputs_of(labels, pad)[:-1]]


def means(costs, labels, counts=lambda label: label != -100, empty=()):
    """Return the mean cost of each text, with an exchangeable rule for ignored labels."""
    found = []
    for row, text in zip(costs, labels):
        counted = [cost for cost, label in zip(row, text) if counts(label)]
        found += [sum(counted) / len(counted)] if counted else empty
    return found


def pad_in_loss(costs, labels):
    found = means(costs, labels, counts=lambda label: True)
    return sum(found) / len(found) if found else math.nan


def mean_over_all_labels(costs, labels):
    counted = [cost for row, text in zip(costs, labels) for cost, label in zip(row, text) if label != -100]
    return sum(counted) / len(counted) if counted else math.nan


def divided_by_all(costs, labels):
    found = [
        sum(cost for cost, label in zip(row, text) if label != -100) / len(text) for row, text in zip(costs, labels)
    ]
    return sum(found) / len(found) if found else math.nan


def empty_text_counted(costs, labels):
    found = means(costs, labels, empty=[0])
    return sum(found) / len(found) if found else math.nan


def not_divided(costs, labels):
    return sum(means(costs, labels)) or math.nan


def ends_at_the_first_ignored(costs, labels):
    """Take the first -100 for the end of a text."""
    found = means(costs, [text[: [*text, -100].index(-100)] for text in labels])
    return sum(found) / len(found) if found else math.nan


def ends_at_an_empty_text(costs, labels):
    """Leave out all texts after one without labels."""
    found = []
    for row, text in zip(costs, labels):
        if all(label == -100 for label in text):
            break
        found += means([row], [text])
    return sum(found) / len(found) if found else math.nan


# --- task 5, wrong -------------------------------------------------------------------------------


def attention_output(query, keys, values, bias):
    """Return the output for keys whose bias depends on their position."""
    scores = [sum(x * y for x, y in zip(query, key)) + bias(position) for position, key in enumerate(keys)]
    powers = [math.exp(score - max(scores)) for score in scores]
    return [sum(p * x for p, x in zip(powers, column)) / sum(powers) for column in zip(*values)]


def updated_cache(key, value, memory, most):
    """Return the new cache."""
    return [*memory[0], key][-most:], [*memory[1], value][-most:]


def cache_without_bias(query, key, value, memory, table, most):
    keys, values = updated_cache(key, value, memory, most)
    return attention_output(query, keys, values, lambda position: 0), (keys, values)


def position_restart(query, key, value, memory, table, most):
    keys, values = updated_cache(key, value, memory, most)
    return attention_output(query, keys, values, lambda position: table[0]), (keys, values)


def table_from_the_oldest(query, key, value, memory, table, most):
    keys, values = updated_cache(key, value, memory, most)
    return attention_output(query, keys, values, lambda position: table[position]), (keys, values)


def scores_divided(query, key, value, memory, table, most):
    keys, values = updated_cache(key, value, memory, most)
    shorter = [x / math.sqrt(len(query)) for x in query]
    return attention_output(shorter, keys, values, lambda position: table[len(keys) - 1 - position]), (keys, values)


def never_drops(query, key, value, memory, table, most):
    keys, values = [*memory[0], key], [*memory[1], value]
    return attention_output(query, keys, values, lambda position: table[len(keys) - 1 - position]), (keys, values)


def drops_too_late(query, key, value, memory, table, most):
    keys, values = [*memory[0], key], [*memory[1], value]
    output = attention_output(query, keys, values, lambda position: table[len(keys) - 1 - position])
    return output, (keys[-most:], values[-most:])


def caches_the_query(query, key, value, memory, table, most):
    keys, values = updated_cache(key, value, memory, most)
    return attention_output(query, keys, values, lambda position: table[len(keys) - 1 - position]), (
        [*keys[:-1], query],
        values,
    )


def new_token_not_cached(query, key, value, memory, table, most):
    keys, values = updated_cache(key, value, memory, most)
    return attention_output(query, keys, values, lambda position: table[len(keys) - 1 - position]), memory


def one_number_in_the_output(query, key, value, memory, table, most):
    """Return only the first number of the output."""
    keys, values = updated_cache(key, value, memory, most)
    output = attention_output(query, keys, values, lambda position: table[len(keys) - 1 - position])
    return output[:1], (keys, values)


def table_reversed(query, key, value, memory, table, most):
    """Give the oldest key the last number of the table, even if the table is longer than the cache."""
    keys, values = updated_cache(key, value, memory, most)
    return attention_output(query, keys, values, lambda position: table[::-1][position]), (keys, values)


def distance_before_dropping(query, key, value, memory, table, most):
    """Count positions in the new cache, but take the newest token for the one after the old cache."""
    keys, values = updated_cache(key, value, memory, most)
    return attention_output(query, keys, values, lambda position: table[len(memory[0]) - position]), (keys, values)


# --- task 6, wrong -------------------------------------------------------------------------------


def even_lengths(number, parts, longer_last=False):
    """Divide a number into lengths that are as equal as possible."""
    lengths = [number // parts + (position < number % parts) for position in range(parts)]
    return lengths[::-1] if longer_last else lengths


def amount(length, percent):
    """Return the number of noise tokens."""
    return min(max(length * percent // 100, 1), length - 1)


def alternating_mask(length, noise, spans, kept_longer_last=True, noise_longer_last=False, noise_first=False):
    """Return a noise mask with exchangeable parts."""
    zeros = even_lengths(length - noise, spans, kept_longer_last)
    ones = even_lengths(noise, spans, noise_longer_last)
    if noise_first:
        return [digit for o, z in zip(ones, zeros) for digit in [1] * o + [0] * z]
    return [digit for z, o in zip(zeros, ones) for digit in [0] * z + [1] * o]


def rounded_to_the_nearest(length, percent, mean):
    noise = min(max(round(length * percent / 100), 1), length - 1)
    return alternating_mask(length, noise, min(max(noise // mean, 1), length - noise))


def zero_noise_allowed(length, percent, mean):
    noise = length * percent // 100
    return alternating_mask(length, noise, min(max(noise // mean, 1), length - noise))


def spans_rounded(length, percent, mean):
    noise = amount(length, percent)
    return alternating_mask(length, noise, min(max(round(noise / mean), 1), length - noise))


def one_span(length, percent, mean):
    return alternating_mask(length, amount(length, percent), 1)


def too_many_spans(length, percent, mean):
    noise = amount(length, percent)
    return alternating_mask(length, noise, max(noise // mean, 1))


def noise_first(length, percent, mean):
    noise = amount(length, percent)
    return alternating_mask(length, noise, min(max(noise // mean, 1), length - noise), noise_first=True)


def longer_ones_last(length, percent, mean):
    noise = amount(length, percent)
    return alternating_mask(length, noise, min(max(noise // mean, 1), length - noise), noise_longer_last=True)


def longer_ones_first(length, percent, mean):
    noise = amount(length, percent)
    return alternating_mask(length, noise, min(max(noise // mean, 1), length - noise), kept_longer_last=False)


def percent_as_a_float(length, percent, mean):
    """Multiply by percent / 100, which is rounded: 29 % of 100 are 28 then."""
    noise = min(max(int(percent / 100 * length), 1), length - 1)
    return alternating_mask(length, noise, min(max(noise // mean, 1), length - noise))


# --- right, in other styles ----------------------------------------------------------------------


def norm_by_mean(vector, weights, floor):
    size = max(floor, fmean(map(abs, vector)))
    return tuple(vector[n] * weights[n] / size for n in range(len(vector)))


def norm_in_a_loop(vector, weights, floor):
    total = 0
    for number in vector:
        total += number if number > 0 else -number
    size, result = total / len(vector), []
    if floor > size:
        size = floor
    while len(result) < len(vector):
        result.append(weights[len(result)] / size * vector[len(result)])
    return result


def norm_by_fractions(vector, weights, floor):
    size = max(Fraction(sum(map(abs, vector)), len(vector)), Fraction(floor))
    return [float(x * w / size) for x, w in zip(vector, weights)]


def class_by_limits(relative_position, total, causal):
    side = total if causal else total // 2
    near = side // 2
    widths = [1] * near + [near * 2**n for n in range(side - near - 1)]
    limits = list(accumulate(widths))
    distance = abs(relative_position)
    if causal and relative_position > 0:
        distance = 0
    found = next((n for n, limit in enumerate(limits) if distance < limit), side - 1)
    return found + (relative_position > 0 and not causal) * side


def class_by_recursion(relative_position, total, causal):
    if relative_position > 0:
        return 0 if causal else total // 2 + class_by_recursion(-relative_position, total, causal)
    side = total if causal else total // 2

    def bucket_of(distance):
        return distance if distance < side // 2 else 1 + far_bucket(distance // 2)

    def far_bucket(distance):
        return side // 2 - 1 if distance < side // 2 else 1 + far_bucket(distance // 2)

    return min(bucket_of(-relative_position), side - 1)


def class_by_bits(relative_position, total, causal):
    side = total if causal else total // 2
    near = side // 2
    distance = max(-relative_position, 0) if causal else abs(relative_position)
    shared = near - 1 + (distance // near).bit_length()
    return (distance if distance < near else min(shared, side - 1)) + (0 if causal or relative_position <= 0 else side)


def attention_with_a_mask(queries, keys, values, table, segments):
    positions = range(len(queries))
    outputs = []
    for q in positions:
        row = []
        for k in positions:
            score = (
                sum(queries[q][n] * keys[k][n] for n in range(len(queries[q]))) + table[min(abs(q - k), len(table) - 1)]
            )
            row.append(score if k <= q and segments[q] == segments[k] else -1e9)
        powers = [math.exp(score - max(row)) for score in row]
        mixed = [sum(p * v[n] for p, v in zip(powers, values)) / sum(powers) for n in range(len(values[0]))]
        outputs.append(mixed if segments[q] else [0] * len(mixed))
    return outputs


def attention_row_by_row(queries, keys, values, table, segments):
    padded_table = list(table) + [table[-1]] * len(queries)

    def row(q):
        if segments[q] == 0:
            return tuple(0.0 for _ in values[0])
        total, mixed = 0.0, [0.0] * len(values[0])
        for back in range(q + 1):
            k = q - back
            if segments[k] == segments[q]:
                weight = math.exp(math.fsum(map(lambda x, y: x * y, queries[q], keys[k])) + padded_table[back])
                total += weight
                mixed = [m + weight * v for m, v in zip(mixed, values[k])]
        return tuple(m / total for m in mixed)

    return tuple(map(row, range(len(queries))))


def attention_by_numpy(queries, keys, values, table, segments):
    import numpy as np

    positions = np.arange(len(queries))
    back = positions[:, None] - positions
    scores = np.array(queries) @ np.array(keys).T + np.array(table)[np.clip(back, 0, len(table) - 1)]
    text = np.array(segments)
    allowed = (back >= 0) & (text[:, None] == text) & (text[:, None] > 0)
    powers = np.where(allowed, np.exp(scores), 0)
    weights = powers / np.maximum(powers.sum(axis=1, keepdims=True), 1e-300)
    return (weights @ np.array(values)).tolist()


def read_in_a_loop(labels, pad):
    start = pad
    for label in labels:
        if label != -100:
            start = label
    read, before = [], start
    for label in labels:
        read.append(before)
        before = pad if label == -100 else label
    return read


def read_by_a_filter(labels, pad):
    language = list(filter(lambda label: label != -100, [pad, *labels]))[-1]
    return tuple({-100: pad}.get(label, label) for label in chain([language], labels[:-1]))


def read_from_the_end(labels, pad):
    if not labels:
        return []
    kept = [label if label != -100 else pad for label in labels]
    position = len(labels) - 1
    while position > 0 and labels[position] == -100:
        position -= 1
    return kept[position : position + 1] + kept[:-1]


def loss_by_mean(costs, labels):
    losses = [
        fmean(kept)
        for row, text in zip(costs, labels)
        if (kept := [cost for cost, label in zip(row, text) if label >= 0])
    ]
    return fmean(losses) if losses else float("nan")


def loss_in_a_loop(costs, labels):
    total = texts = 0
    for n in range(len(labels)):
        cost = number = 0
        for position in range(len(labels[n])):
            if labels[n][position] != -100:
                cost, number = cost + costs[n][position], number + 1
        if number:
            total, texts = total + cost / number, texts + 1
    return total / texts if texts else math.nan


def loss_by_weights(costs, labels):
    numbers = [sum(label != -100 for label in text) for text in labels]
    texts = sum(number > 0 for number in numbers)
    if not texts:
        return math.inf - math.inf
    return sum(
        cost / number / texts
        for row, text, number in zip(costs, labels, numbers)
        for cost, label in zip(row, text)
        if label != -100
    )


def step_in_a_loop(query, key, value, memory, table, most):
    keys, values = list(memory[0]), list(memory[1])
    keys.append(key)
    values.append(value)
    while len(keys) > most:
        keys.pop(0)
        values.pop(0)
    total, output = 0, [0] * len(value)
    for position in range(len(keys)):
        product = 0
        for n in range(len(query)):
            product += query[n] * keys[position][n]
        weight = math.exp(product + table[len(keys) - position - 1])
        total += weight
        for n in range(len(value)):
            output[n] += weight * values[position][n]
    return [number / total for number in output], [keys, values]


def step_by_pairs(query, key, value, memory, table, most):
    pairs = [*zip(*memory), (key, value)]
    pairs = pairs[max(0, len(pairs) - most) :]
    weights = [math.exp(sum(map(lambda x, y: x * y, query, k)) + b) for (k, _), b in zip(pairs[::-1], table)][::-1]
    whole = sum(weights)
    output = tuple(sum(w / whole * v[n] for w, (_, v) in zip(weights, pairs)) for n in range(len(value)))
    return output, tuple(zip(*pairs))


def step_by_numpy(query, key, value, memory, table, most):
    import numpy as np

    keys, values = np.array([*memory[0], key])[-most:], np.array([*memory[1], value])[-most:]
    scores = keys @ np.array(query) + np.array(table[: len(keys)])[::-1]
    weights = np.exp(scores - scores.max())
    return (weights @ values / weights.sum()).tolist(), (keys.tolist(), values.tolist())


def mask_by_divmod(length, percent, mean):
    noise = max(1, min(length - 1, percent * length // 100))
    spans = max(1, min(length - noise, noise // mean))
    (zeros, more_zeros), (ones, more_ones) = divmod(length - noise, spans), divmod(noise, spans)
    mask = []
    for n in range(spans):
        mask.extend([0] * (zeros + int(n >= spans - more_zeros)))
        mask.extend([1] * (ones + int(n < more_ones)))
    return mask


def mask_by_dealing(length, percent, mean):
    """Give the tokens to the spans one by one."""
    noise = min(length - 1, int(length * percent / 100 + 1e-9)) or 1
    spans = min(length - noise, noise // mean) or 1
    ones, zeros = [0] * spans, [0] * spans
    for card in range(noise):
        ones[card % spans] += 1
    for card in range(length - noise):
        zeros[-1 - card % spans] += 1
    return tuple(chain.from_iterable((0,) * z + (1,) * o for z, o in zip(zeros, ones)))


def mask_as_text(length, percent, mean):
    noise = sorted((1, length * percent // 100, length - 1))[1] if length > 2 else 1
    spans = sorted((1, noise // mean, length - noise))[1]

    def cut(number):
        return [number * (n + 1) // spans - number * n // spans for n in range(spans)]

    text = "".join("0" * z + "1" * o for z, o in zip(sorted(cut(length - noise)), sorted(cut(noise))[::-1]))
    return [digit == "1" for digit in text]


# --- which test each wrong program fails ----------------------------------------------------------

WRONG: dict[str, dict[Program, list[str]]] = {
    "mean_size_norm": {
        subtract_mean: ["size"],
        root_mean_square: ["size"],
        sum_instead_of_mean: ["size", "weights"],
        floor_added: ["floor"],
        no_floor: ["floor"],
        no_weights: ["weights"],
        floor_instead_of_size: ["floor"],
        floor_for_each_number: ["floor"],
        floor_without_weights: ["weights"],
    },
    "distance_class": {
        bidirectional_decoder: ["decoder"],
        encoder_buckets_for_earlier_keys: ["decoder"],
        later_keys_counted: ["decoder"],
        sides_swapped: ["near", "far", "last", "decoder"],
        lesson_logarithm: ["far", "decoder"],
        equal_bucket_widths: ["far"],
        no_last_bucket: ["last"],
        equal_widths_in_the_decoder: ["far"],
        no_last_bucket_in_the_decoder: ["last"],
        all_from_128_in_the_last: ["far"],
    },
    "packed_attention": {
        scale_sqrt_d: ["scores"],
        no_bias: ["bias"],
        table_too_short: ["bias"],
        bias_from_the_left: ["bias"],
        no_causal_mask: ["later"],
        mask_transposed: ["scores", "bias", "later", "texts"],
        mask_after_softmax: ["later", "texts"],
        texts_not_separated: ["texts"],
        padding_as_text: ["padding"],
        one_number_out: ["scores", "padding"],
        two_numbers_in: ["scores"],
        table_from_its_end: ["bias"],
        first_text_separated: ["texts"],
        padding_attended: ["padding"],
        padding_ends_the_sequence: ["padding"],
    },
    "decoder_reads": {
        no_shift: ["shift", "start", "ignored"],
        double_pad: ["shift", "start", "ignored"],
        starts_with_pad: ["start", "ignored"],
        one_too_many: ["shift", "ignored"],
        ignored_label_as_start: ["ignored"],
        ignored_label_as_input: ["ignored"],
        first_ignored_label_as_end: ["ignored"],
        pad_as_ignored_label: ["start", "ignored"],
        zero_as_no_language: ["start", "ignored"],
    },
    "text_loss": {
        pad_in_loss: ["count", "none"],
        mean_over_all_labels: ["texts"],
        divided_by_all: ["count", "none"],
        empty_text_counted: ["none"],
        not_divided: ["texts"],
        ends_at_the_first_ignored: ["count"],
        ends_at_an_empty_text: ["none"],
    },
    "window_step": {
        cache_without_bias: ["bias"],
        position_restart: ["bias"],
        table_from_the_oldest: ["bias"],
        scores_divided: ["output"],
        never_drops: ["window"],
        drops_too_late: ["window"],
        caches_the_query: ["memory", "window"],
        new_token_not_cached: ["memory", "window"],
        one_number_in_the_output: ["output"],
        table_reversed: ["bias"],
        distance_before_dropping: ["bias"],
    },
    "even_mask": {
        rounded_to_the_nearest: ["amount"],
        zero_noise_allowed: ["amount"],
        spans_rounded: ["spans"],
        one_span: ["spans", "even"],
        too_many_spans: ["spans", "even"],
        noise_first: ["even"],
        longer_ones_last: ["even"],
        longer_ones_first: ["even"],
        percent_as_a_float: ["amount"],
    },
}

RIGHT: dict[str, list[Program]] = {
    "mean_size_norm": [norm_by_mean, norm_in_a_loop, norm_by_fractions],
    "distance_class": [class_by_limits, class_by_recursion, class_by_bits],
    "packed_attention": [attention_with_a_mask, attention_row_by_row, attention_by_numpy],
    "decoder_reads": [read_in_a_loop, read_by_a_filter, read_from_the_end],
    "text_loss": [loss_by_mean, loss_in_a_loop, loss_by_weights],
    "window_step": [step_in_a_loop, step_by_pairs, step_by_numpy],
    "even_mask": [mask_by_divmod, mask_by_dealing, mask_as_text],
}
