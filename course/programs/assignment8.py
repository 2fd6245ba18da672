"""Programs for assignment 8: wrong ones for each rule, and right ones in other styles.

Each is a program that a learner might write in the cell of its task. It is renamed, with its helper functions. Names
that are not defined here, such as `my_rule`, are those of the sheet.
"""

# ruff: noqa: F821

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

Program = Callable[..., Any]

# --- discounted, wrong ---------------------------------------------------------------------------


def mixed(id, context, counts, size, discount, **other):
    """The probability with exchangeable parts."""
    if context:
        cut = other.get("cut", lambda context: context[:-1])(context)
        shorter = mixed(id, cut, counts, size, discount, **other)
    else:
        shorter = other.get("base", lambda id, size: 0.0 if id == 0 else 1 / (size - 1))(id, size)
    if context not in counts:
        return other.get("unseen", lambda shorter: shorter)(shorter)
    return other.get("seen", discounted_count)(counts[context], id, discount, shorter)


def discounted_count(seen, id, discount, shorter):
    total = sum(seen.values())
    return (max(seen.get(id, 0) - discount, 0) + discount * len(seen) * shorter) / total


def first_id_is_left_out(id, context, counts, size, discount):
    """Shorten the context as in the capstone."""
    return mixed(id, context, counts, size, discount, cut=lambda context: context[1:])


def both_ends_are_left_out(id, context, counts, size, discount):
    return mixed(id, context, counts, size, discount, cut=lambda context: context[1:-1])


def straight_to_the_empty_context(id, context, counts, size, discount):
    return mixed(id, context, counts, size, discount, cut=lambda context: ())


def straight_to_one_id(id, context, counts, size, discount):
    return mixed(id, context, counts, size, discount, cut=lambda context: context[:1] if len(context) > 1 else ())


def one_id_at_most(id, context, counts, size, discount):
    """Look up the empty context and the first id, and nothing longer."""
    return discounted_in_a_loop(id, context[:1], counts, size, discount)


def three_ids_at_most(id, context, counts, size, discount):
    return discounted_in_a_loop(id, context[:3], counts, size, discount)


def several_ids_have_no_discount(id, context, counts, size, discount):
    """Take the counts as they are after a context of two or more ids that is a key."""
    is_known = len(context) > 1 and context in counts
    return mixed(id, context, counts, size, 0.0 if is_known else discount)


def witten_and_bell(id, context, counts, size, discount):
    """Mix as in the capstone."""

    def seen_as_there(seen, id, discount, shorter):
        return (seen.get(id, 0) + len(seen) * shorter) / (sum(seen.values()) + len(seen))

    return mixed(id, context, counts, size, discount, seen=seen_as_there)


def nothing_is_given_on(id, context, counts, size, discount):
    def without_shorter(seen, id, discount, shorter):
        return max(seen.get(id, 0) - discount, 0) / sum(seen.values())

    return mixed(id, context, counts, size, discount, seen=without_shorter)


def count_may_be_negative(id, context, counts, size, discount):
    def below_zero(seen, id, discount, shorter):
        return (seen.get(id, 0) - discount + discount * len(seen) * shorter) / sum(seen.values())

    return mixed(id, context, counts, size, discount, seen=below_zero)


def counts_instead_of_kinds(id, context, counts, size, discount):
    def all_counts(seen, id, discount, shorter):
        total = sum(seen.values())
        return (max(seen.get(id, 0) - discount, 0) + discount * total * shorter) / total

    return mixed(id, context, counts, size, discount, seen=all_counts)


def unseen_is_impossible(id, context, counts, size, discount):
    return mixed(id, context, counts, size, discount, unseen=lambda shorter: 0.0)


def unseen_is_discounted(id, context, counts, size, discount):
    return mixed(id, context, counts, size, discount, unseen=lambda shorter: discount * shorter)


def stops_at_a_gap(id, context, counts, size, discount):
    """Look up longer and longer contexts until one is no key."""
    known = 0
    while known <= len(context) and context[:known] in counts:
        known += 1
    return mixed(id, context[: known - 1], counts, size, discount) if known else mixed(id, (), {}, size, discount)


def padding_is_an_id(id, context, counts, size, discount):
    return mixed(id, context, counts, size, discount, base=lambda id, size: 1 / size)


def padding_never_follows(id, context, counts, size, discount):
    return mixed(id, context, counts, size, discount) if id else 0.0


def padding_has_a_share(id, context, counts, size, discount):
    return mixed(id, context, counts, size, discount, base=lambda id, size: 1 / (size - 1))


def padding_has_a_share_of_the_discount(id, context, counts, size, discount):
    """Give nothing to id 0 only if the empty context is no key."""
    share = 1 / (size - 1) if id or () in counts else 0.0
    return mixed(id, context, counts, size, discount, base=lambda id, size: share)


# --- discounted, right ---------------------------------------------------------------------------


def discounted_in_a_loop(id, context, counts, size, discount):
    chance = 0.0 if id == 0 else 1 / (size - 1)
    for end in range(len(context) + 1):
        seen = counts.get(tuple(context[:end]))
        if seen:
            total = sum(seen.values())
            chance = max(seen.get(id, 0) - discount, 0) / total + discount * len(seen) / total * chance
    return chance


def discounted_by_recursion(id, context, counts, size, discount):
    shorter = (
        discounted_by_recursion(id, context[: len(context) - 1], counts, size, discount)
        if len(context) > 0
        else (id != 0) / (size - 1)
    )
    seen = counts.get(context, {})
    if len(seen) == 0:
        return shorter
    share = discount * len(seen) / sum(seen.values())
    own = (seen[id] - discount) / sum(seen.values()) if id in seen else 0
    return own + share * shorter


def discounted_over_all_ids(id, context, counts, size, discount):
    chances = [0.0] + [1 / (size - 1)] * (size - 1)
    for known in [context[:n] for n in range(len(context) + 1)]:
        if known in counts:
            total = sum(counts[known].values())
            given = discount * len(counts[known]) / total
            chances = [
                given * chance + max(counts[known].get(one, 0) - discount, 0) / total
                for one, chance in enumerate(chances)
            ]
    return chances[id]


# --- joined_rows, wrong --------------------------------------------------------------------------


def rows_by(documents, width, end, **other):
    """The rows with exchangeable parts."""
    stream = other.get("stream", lambda documents, end: [id for one in documents for id in [*one, end]])(documents, end)
    after = [*stream[1:], end]
    labels = other.get("labels", lambda stream, after, end: labels_of(stream, after, end))(stream, after, end)
    missing = other.get("missing", lambda length: -length % width)(len(stream))
    stream = stream + [other.get("filler", end)] * missing
    labels = labels + [other.get("ignored", -100)] * missing
    starts = range(0, len(stream), width)
    rows = [stream[at : at + width] for at in starts], [labels[at : at + width] for at in starts]
    return other.get("done", lambda rows: rows)(rows)


def labels_of(stream, after, end):
    return [-100 if id == end else following for id, following in zip(stream, after, strict=True)]


def end_comes_first(documents, width, end):
    return rows_by(documents, width, end, stream=lambda documents, end: [id for one in documents for id in [end, *one]])


def no_ends(documents, width, end):
    return rows_by(documents, width, end, stream=lambda documents, end: [id for one in documents for id in one])


def end_is_9(documents, width, end):
    return rows_by(documents, width, 9)


def zeros_are_left_out(documents, width, end):
    return rows_by([[id for id in one if id] for one in documents], width, end)


def high_ids_are_ends(documents, width, end):
    """Take each id from the end on for an end."""

    def labels(stream, after, end):
        return [-100 if id >= end else following for id, following in zip(stream, after, strict=True)]

    return rows_by(documents, width, end, labels=labels)


def end_only_at_the_end(documents, width, end):
    return rows_by(documents, width, end, stream=lambda documents, end: [*(id for one in documents for id in one), end])


def one_document_a_row(documents, width, end):
    """Make rows as in the capstone."""
    inputs = [([*one, end] + [end] * width)[:width] for one in documents]
    labels = [([*one[1:], end, -100] + [-100] * width)[:width] if one else [-100] * width for one in documents]
    return inputs, labels


def labels_are_inputs(documents, width, end):
    return rows_by(documents, width, end, labels=lambda stream, after, end: list(stream))


def next_document_is_predicted(documents, width, end):
    return rows_by(documents, width, end, labels=lambda stream, after, end: [*after[:-1], -100] if stream else [])


def end_is_not_predicted(documents, width, end):
    return rows_by(
        documents,
        width,
        end,
        labels=lambda stream, after, end: [
            -100 if end in both else both[1] for both in zip(stream, after, strict=True)
        ],
    )


def last_of_a_row_has_no_label(documents, width, end):
    def cut(rows):
        return rows[0], [[*row[:-1], -100] for row in rows[1]]

    return rows_by(documents, width, end, done=cut)


def filling_is_predicted(documents, width, end):
    return rows_by(documents, width, end, ignored=end)


def rest_is_dropped(documents, width, end):
    def cut(rows):
        return tuple([row for row in part if len(row) == width] for part in rows)

    return rows_by(documents, width, end, missing=lambda length: 0, done=cut)


def rest_of_several_is_dropped(documents, width, end):
    return (rest_is_dropped if len(documents) > 1 else rows_by)(documents, width, end)


def rest_is_short(documents, width, end):
    return rows_by(documents, width, end, missing=lambda length: 0)


def always_some_filling(documents, width, end):
    return rows_by(documents, width, end, missing=lambda length: width - length % width)


def filled_with_zeros(documents, width, end):
    return rows_by(documents, width, end, filler=0)


# --- joined_rows, right --------------------------------------------------------------------------


def rows_step_by_step(documents, width, end):
    inputs, labels = [], []
    for document in documents:
        for at, id in enumerate(document):
            inputs.append(id)
            labels.append(document[at + 1] if at + 1 < len(document) else end)
        inputs.append(end)
        labels.append(-100)
    while len(inputs) % width:
        inputs.append(end)
        labels.append(-100)
    cut = [slice(at, at + width) for at in range(0, len(inputs), width)]
    return [inputs[one] for one in cut], [labels[one] for one in cut]


def rows_from_pairs(documents, width, end):
    pairs = [pair for one in documents for pair in [*zip(one, [*one, end][1:], strict=True), (end, -100)]]
    rows = [pairs[at : at + width] for at in range(0, len(pairs), width)]
    rows = [row + [(end, -100)] * (width - len(row)) for row in rows]
    return [[id for id, _ in row] for row in rows], [[label for _, label in row] for row in rows]


def rows_with_an_iterator(documents, width, end):
    stream = sum([[*one, end] for one in documents], [])
    number = math.ceil(len(stream) / width)
    inputs = [
        [stream[n * width + at] if n * width + at < len(stream) else end for at in range(width)] for n in range(number)
    ]
    labels = []
    for n in range(number):
        row = []
        for at in range(n * width, n * width + width):
            row.append(stream[at + 1] if at + 1 < len(stream) and stream[at] != end else -100)
        labels.append(row)
    return inputs, labels


# --- turned, wrong -------------------------------------------------------------------------------


def turned_by(x, positions, base, part, **other):
    """The rotation with exchangeable parts."""
    exponents = -2 * torch.arange(part // 2) / other.get("whole", part)
    angles = other.get("angles", lambda angles: angles)(positions[:, None] * base**exponents)
    odd = other.get("odd", lambda heads: [-1.0 if head % 2 else 1.0 for head in range(heads)])(len(x))
    cosines, sines = angles.cos(), angles.sin() * torch.tensor(odd)[:, None, None]
    first, second = other.get("split", lambda x: (x[..., 0::2], x[..., 1::2]))(x[..., :part])
    pairs = [first * cosines - second * sines, second * cosines + first * sines]
    turned = other.get("join", lambda pairs: torch.stack(pairs, dim=-1).flatten(-2))(pairs)
    return torch.cat([turned, other.get("rest", lambda rest: rest)(x[..., part:])], dim=-1)


def halves_are_pairs(x, positions, base, part):
    """Pair the numbers as in the capstone."""
    return turned_by(
        x, positions, base, part, split=lambda x: x.chunk(2, dim=-1), join=lambda pairs: torch.cat(pairs, dim=-1)
    )


def halves_are_joined(x, positions, base, part):
    return turned_by(x, positions, base, part, join=lambda pairs: torch.cat(pairs, dim=-1))


def one_angle_for_all(x, positions, base, part):
    return turned_by(x, positions, base, part, angles=lambda angles: angles[:, :1].expand_as(angles))


def exponent_of_the_whole(x, positions, base, part):
    return turned_by(x, positions, base, part, whole=x.shape[-1])


def base_is_100(x, positions, base, part):
    return turned_by(x, positions, 100, part)


def other_direction(x, positions, base, part):
    return turned_by(x, positions, base, part, angles=lambda angles: -angles)


def positions_from_one(x, positions, base, part):
    return turned_by(x, positions + 1, base, part)


def places_instead_of_positions(x, positions, base, part):
    return turned_by(x, torch.arange(len(positions)), base, part)


def degrees(x, positions, base, part):
    return turned_by(x, positions, base, part, angles=lambda angles: angles * math.pi / 180)


def added_instead_of_turned(x, positions, base, part):
    return x + turned_by(torch.ones_like(x), positions, base, part, rest=torch.zeros_like)


def rest_is_cut(x, positions, base, part):
    return turned_by(x, positions, base, part)[..., :part]


def rest_is_zero(x, positions, base, part):
    return turned_by(x, positions, base, part, rest=torch.zeros_like)


def rest_of_a_wide_part_is_zero(x, positions, base, part):
    return turned_by(x, positions, base, part, rest=lambda rest: rest * (part == 2))


def rest_of_the_first_head(x, positions, base, part):
    return turned_by(x, positions, base, part, rest=lambda rest: rest[:1].expand_as(rest))


def heads_turn_alike(x, positions, base, part):
    return turned_by(x, positions, base, part, odd=lambda heads: [1.0] * heads)


def one_head_turns_back(x, positions, base, part):
    return turned_by(x, positions, base, part, odd=lambda heads: [-1.0 if head == 1 else 1.0 for head in range(heads)])


def one_pair_turns_back(x, positions, base, part):
    """Rotate in the opposite direction only pair 0 of the heads with an odd number."""
    alike = heads_turn_alike(x, positions, base, part)
    return torch.cat([turned_by(x, positions, base, part)[..., :2], alike[..., 2:]], dim=-1)


def even_heads_turn_back(x, positions, base, part):
    return turned_by(x, positions, base, part, odd=lambda heads: [1.0 if head % 2 else -1.0 for head in range(heads)])


def odd_heads_stay(x, positions, base, part):
    result = turned_by(x, positions, base, part)
    result[1::2] = x[1::2]
    return result


# --- turned, right -------------------------------------------------------------------------------


def turned_pair_by_pair(x, positions, base, part):
    result = x.clone()
    for pair in range(part // 2):
        angle = positions.float() * base ** (-2 * pair / part)
        for head in range(x.shape[0]):
            a = -angle if head % 2 == 1 else angle
            u, v = x[head, :, 2 * pair], x[head, :, 2 * pair + 1]
            result[head, :, 2 * pair] = u * torch.cos(a) - v * torch.sin(a)
            result[head, :, 2 * pair + 1] = v * torch.cos(a) + u * torch.sin(a)
    return result


def turned_with_complex_numbers(x, positions, base, part):
    pairs = torch.complex(x[..., 0:part:2], x[..., 1:part:2])
    angles = positions[:, None] / base ** (torch.arange(0, part, 2) / part)
    factor = torch.polar(torch.ones_like(angles), angles)
    factors = torch.stack([factor.conj() if head % 2 else factor for head in range(len(x))])
    return torch.cat([torch.view_as_real((pairs * factors).resolve_conj()).flatten(-2), x[..., part:]], dim=-1)


def turned_with_matrices(x, positions, base, part):
    heads = []
    for head, rows in enumerate(x):
        lines = []
        for row, position in zip(rows, positions.tolist(), strict=True):
            matrix = torch.eye(x.shape[-1])
            for i in range(part // 2):
                angle = position * base ** (-2 * i / part) * (-1 if head % 2 else 1)
                matrix[2 * i, 2 * i] = matrix[2 * i + 1, 2 * i + 1] = math.cos(angle)
                matrix[2 * i, 2 * i + 1], matrix[2 * i + 1, 2 * i] = -math.sin(angle), math.sin(angle)
            lines.append(matrix @ row)
        heads.append(torch.stack(lines))
    return torch.stack(heads)


# --- window_keys, wrong --------------------------------------------------------------------------


def plain_causal_mask(queries, keys):
    return keys[None, :] <= queries[:, None]


def window_only(queries, keys):
    distance = queries[:, None] - keys
    return (distance >= 0) & (distance < my_rule["window"])


def one_key_more(queries, keys):
    distance = queries[:, None] - keys
    return (distance >= 0) & ((distance <= my_rule["window"]) | (keys < my_rule["kept"]))


def one_kept_key_more(queries, keys):
    distance = queries[:, None] - keys
    return (distance >= 0) & ((distance < my_rule["window"]) | (keys <= my_rule["kept"]))


def far_keys_are_seen(queries, keys):
    distance = queries[:, None] - keys
    return window_by_where(queries, keys) | (distance > 100)


def kept_up_to_99(queries, keys):
    distance = queries[:, None] - keys
    return window_by_where(queries, keys) & (distance < 100)


def places_are_kept(queries, keys):
    """Keep the first keys of the tensor, whatever their positions are."""
    distance = queries[:, None] - keys
    return (distance >= 0) & ((distance < my_rule["window"]) | (torch.arange(len(keys)) < my_rule["kept"]))


def kept_for_ever_before_too(queries, keys):
    """Show the first keys also to queries before them."""
    distance = queries[:, None] - keys
    return (distance >= 0) & (distance < my_rule["window"]) | (keys < my_rule["kept"])


def not_itself(queries, keys):
    distance = queries[:, None] - keys
    return (distance > 0) & ((distance < my_rule["window"]) | (keys < my_rule["kept"]))


def later_keys_too(queries, keys):
    distance = queries[:, None] - keys
    return (distance.abs() < my_rule["window"]) | (keys < my_rule["kept"])


def hidden_is_true(queries, keys):
    distance = queries[:, None] - keys
    return ~((distance >= 0) & ((distance < my_rule["window"]) | (keys < my_rule["kept"])))


# --- window_keys, right --------------------------------------------------------------------------


def window_in_loops(queries, keys):
    rows = []
    for query in queries.tolist():
        row = []
        for key in keys.tolist():
            row.append(key <= query and (query - key < my_rule["window"] or key < my_rule["kept"]))
        rows.append(row)
    return torch.tensor(rows)


def window_by_where(queries, keys):
    rows, columns = torch.meshgrid(queries, keys, indexing="ij")
    kept = torch.where(columns < my_rule["kept"], True, rows - columns < my_rule["window"])
    return torch.where(columns > rows, False, kept)


def window_by_sets(queries, keys):
    def seen(query):
        return {*range(my_rule["kept"])} | {*range(query - my_rule["window"] + 1, query + 1)}

    return torch.tensor([[key in seen(query) and key <= query for key in keys.tolist()] for query in queries.tolist()])


# --- shared_heads, wrong -------------------------------------------------------------------------


def heads_by(query, key, value, visible, **other):
    """The attention with exchangeable parts."""
    times = len(query) // len(key)
    key, value = (other.get("spread", lambda one, times: one.repeat(times, 1, 1))(one, times) for one in (key, value))
    scores = query @ key.transpose(1, 2) / other.get("divisor", lambda k: k**0.5)(query.shape[-1])
    weights = other.get("weights", looking_away)(scores, visible)
    return other.get("join", lambda heads: heads.transpose(0, 1).flatten(1))(weights @ value)


def looking_away(scores, visible):
    powers = scores.exp() * visible
    return powers / (1 + powers.sum(dim=-1, keepdim=True))


def plain_softmax(query, key, value, visible):
    """Use the weights of the capstone."""

    def weights(scores, visible):
        return torch.softmax(scores.masked_fill(~visible, -1e9), dim=-1) * visible

    return heads_by(query, key, value, visible, weights=weights)


def one_in_the_power(query, key, value, visible):
    def weights(scores, visible):
        return torch.softmax(scores.masked_fill(~visible, -1e9), dim=-1) * visible * 0.5

    return heads_by(query, key, value, visible, weights=weights)


def maximum_is_subtracted(query, key, value, visible):
    def weights(scores, visible):
        return looking_away(scores - scores.amax(dim=-1, keepdim=True), visible)

    return heads_by(query, key, value, visible, weights=weights)


def softmax_over_queries(query, key, value, visible):
    def weights(scores, visible):
        powers = scores.exp() * visible
        return powers / (1 + powers.sum(dim=-2, keepdim=True))

    return heads_by(query, key, value, visible, weights=weights)


def one_for_each_key(query, key, value, visible):
    def weights(scores, visible):
        powers = scores.exp() * visible
        return powers / (visible.shape[1] + powers.sum(dim=-1, keepdim=True))

    return heads_by(query, key, value, visible, weights=weights)


def not_divided(query, key, value, visible):
    return heads_by(query, key, value, visible, divisor=lambda k: 1)


def divided_by_k(query, key, value, visible):
    return heads_by(query, key, value, visible, divisor=lambda k: k)


def neighbours_share(query, key, value, visible):
    """Share the heads as in the capstone."""
    return heads_by(query, key, value, visible, spread=lambda one, times: one.repeat_interleave(times, dim=0))


def first_head_for_all(query, key, value, visible):
    return heads_by(query, key, value, visible, spread=lambda one, times: one[:1].repeat(times * len(one), 1, 1))


def heads_below_each_other(query, key, value, visible):
    return heads_by(query, key, value, visible, join=lambda heads: heads.reshape(heads.shape[1], -1))


def numbers_side_by_side(query, key, value, visible):
    """Put the first numbers of all heads before the second ones."""
    return heads_by(query, key, value, visible, join=lambda heads: heads.permute(1, 2, 0).flatten(1))


def first_head_looks_away(query, key, value, visible):
    """Add 1 to the sum of head 0 only."""

    def weights(scores, visible):
        softmax = torch.softmax(scores.masked_fill(~visible, -1e9), dim=-1) * visible
        return torch.cat([looking_away(scores[:1], visible), softmax[1:]])

    return heads_by(query, key, value, visible, weights=weights)


def mask_of_the_first_query(query, key, value, visible):
    return heads_by(query, key, value, visible[:1].expand_as(visible))


def first_head_is_divided(query, key, value, visible):
    factor = torch.ones(len(query), 1, 1)
    factor[1:] = query.shape[-1] ** 0.5
    return heads_by(query * factor, key, value, visible)


def five_keys_at_most(query, key, value, visible):
    return heads_by(query, key[:, :5], value[:, :5], visible[:, :5])


def everything_is_seen(query, key, value, visible):
    return heads_by(query, key, value, visible, weights=lambda scores, visible: looking_away(scores, visible | True))


def hidden_in_the_divisor(query, key, value, visible):
    def weights(scores, visible):
        return looking_away(scores, visible | True) * visible

    return heads_by(query, key, value, visible, weights=weights)


def hidden_scores_are_zero(query, key, value, visible):
    return heads_by(
        query, key, value, visible, weights=lambda scores, visible: looking_away(scores * visible, visible | True)
    )


# --- shared_heads, right -------------------------------------------------------------------------


def heads_one_by_one(query, key, value, visible):
    found = []
    for head in range(len(query)):
        k, v = key[head % len(key)], value[head % len(value)]
        powers = torch.where(visible, torch.exp(query[head] @ k.T / math.sqrt(k.shape[-1])), 0.0)
        found.append(powers @ v / (1 + powers.sum(-1, keepdim=True)))
    return torch.cat(found, dim=-1)


def heads_with_one_more_score(query, key, value, visible):
    places = torch.arange(len(query)) % len(key)
    scores = torch.einsum("hqk,hnk->hqn", query, key[places]) / query.shape[-1] ** 0.5
    scores = scores.masked_fill(~visible, float("-inf"))
    nothing = torch.zeros(*scores.shape[:2], 1)
    weights = torch.softmax(torch.cat([nothing, scores], dim=-1), dim=-1)[..., 1:]
    return torch.einsum("hqn,hnk->qhk", weights, value[places]).flatten(1)


def heads_query_by_query(query, key, value, visible):
    rows = []
    for q in range(query.shape[1]):
        row = []
        for head in range(query.shape[0]):
            k, v = key[head % key.shape[0]], value[head % key.shape[0]]
            powers = ((k * query[head, q]).sum(1) / k.shape[1] ** 0.5).exp()
            powers = powers[visible[q]]
            row.append((powers[:, None] * v[visible[q]]).sum(0) / (powers.sum() + 1))
        rows.append(torch.cat(row))
    return torch.stack(rows)


# --- sign_step, wrong ----------------------------------------------------------------------------


def step_by(weight, gradient, mean, rate, decay, **other):
    """The step with exchangeable parts."""
    new_mean = other.get("mean", lambda mean, gradient: 0.99 * mean + 0.01 * gradient)(mean, gradient)
    direction = other.get("direction", lambda mean, gradient, new: torch.sign(0.9 * mean + 0.1 * gradient))
    decayed = other.get("decayed", lambda weight, rate, decay: weight * (1 - rate * decay))(weight, rate, decay)
    kept = decayed if other.get("has_decay", lambda weight: weight.dim() > 1)(weight) else weight
    return kept - rate * direction(mean, gradient, new_mean), new_mean


def sign_of_the_gradient(weight, gradient, mean, rate, decay):
    return step_by(weight, gradient, mean, rate, decay, direction=lambda mean, gradient, new: torch.sign(gradient))


def sign_of_the_new_mean(weight, gradient, mean, rate, decay):
    return step_by(weight, gradient, mean, rate, decay, direction=lambda mean, gradient, new: torch.sign(new))


def no_sign(weight, gradient, mean, rate, decay):
    return step_by(
        weight, gradient, mean, rate, decay, direction=lambda mean, gradient, new: 0.9 * mean + 0.1 * gradient
    )


def equal_parts(weight, gradient, mean, rate, decay):
    return step_by(
        weight, gradient, mean, rate, decay, direction=lambda mean, gradient, new: torch.sign(mean + gradient)
    )


def ten_to_one(weight, gradient, mean, rate, decay):
    return step_by(
        weight, gradient, mean, rate, decay, direction=lambda mean, gradient, new: torch.sign(10 * mean + gradient)
    )


def mean_of_adam(weight, gradient, mean, rate, decay):
    return step_by(weight, gradient, mean, rate, decay, mean=lambda mean, gradient: 0.9 * mean + 0.1 * gradient)


def mean_stays(weight, gradient, mean, rate, decay):
    return step_by(weight, gradient, mean, rate, decay, mean=lambda mean, gradient: mean.clone())


def up_the_hill(weight, gradient, mean, rate, decay):
    return step_by(weight, -gradient, -mean, rate, decay)[0], step_by(weight, gradient, mean, rate, decay)[1]


def no_decay(weight, gradient, mean, rate, decay):
    return step_by(weight, gradient, mean, rate, decay, has_decay=lambda weight: False)


def decay_without_rate(weight, gradient, mean, rate, decay):
    return step_by(weight, gradient, mean, rate, decay, decayed=lambda weight, rate, decay: weight * (1 - decay))


def decay_comes_last(weight, gradient, mean, rate, decay):
    new, new_mean = step_by(weight, gradient, mean, rate, 0.0)
    return (new * (1 - rate * decay) if weight.dim() > 1 else new), new_mean


def decay_in_the_gradient(weight, gradient, mean, rate, decay):
    steeper = gradient + decay * weight if weight.dim() > 1 else gradient
    return step_by(weight, steeper, mean, rate, 0.0)


def norms_decay_too(weight, gradient, mean, rate, decay):
    return step_by(weight, gradient, mean, rate, decay, has_decay=lambda weight: True)


def only_two_dimensions_decay(weight, gradient, mean, rate, decay):
    return step_by(weight, gradient, mean, rate, decay, has_decay=lambda weight: weight.dim() == 2)


def four_dimensions_stay(weight, gradient, mean, rate, decay):
    return step_by(weight, gradient, mean, rate, decay, has_decay=lambda weight: weight.dim() in (2, 3))


# --- sign_step, right ----------------------------------------------------------------------------


def sign_step_by_comparing(weight, gradient, mean, rate, decay):
    mixed = mean * 0.9 + gradient * 0.1
    mixed = torch.where(mixed.abs() < 1e-6, torch.zeros_like(mixed), mixed)
    moved = torch.where(mixed > 0, weight - rate, torch.where(mixed < 0, weight + rate, weight))
    if len(weight.shape) > 1:
        moved = moved - weight * rate * decay
    return moved, mean + (gradient - mean) * 0.01


def sign_step_in_place(weight, gradient, mean, rate, decay):
    new = weight.clone()
    if new.ndim >= 2:
        new.mul_(1 - rate * decay)
    new.add_(torch.sgn(torch.lerp(gradient, mean, 0.9).round(decimals=5)), alpha=-rate)
    return new, torch.lerp(mean, gradient, 0.01)


def sign_step_of_lists(weight, gradient, mean, rate, decay):
    factor = 1 - rate * decay if weight.dim() > 1 else 1.0
    news, means = [], []
    for w, g, m in zip(*(one.flatten().tolist() for one in (weight, gradient, mean)), strict=True):
        mixed = round(0.9 * m + 0.1 * g, 5)
        news.append(w * factor - rate * ((mixed > 0) - (mixed < 0)))
        means.append(0.99 * m + 0.01 * g)
    return torch.tensor(news).reshape(weight.shape), torch.tensor(means).reshape(weight.shape)


# --- drawn_token, wrong --------------------------------------------------------------------------


def token_by(probabilities, last, share, number, **other):
    """The draw with exchangeable parts."""
    halved = [p * other.get("factor", 0.5) if id == last else p for id, p in enumerate(probabilities)]
    second = other.get("second", lambda halved: sorted(halved)[-2:][0])(halved)
    order = other.get("order", lambda ids, halved: ids)([*range(len(halved))], halved)
    kept = [id for id in order if other.get("kept", lambda p, limit: p >= limit)(halved[id], share * second)]
    total = other.get("total", sum)(halved[id] for id in kept)
    reached = 0.0
    for id in kept:
        reached += halved[id] / total
        if other.get("above", lambda reached, number: reached > number)(reached, number):
            return id
    return kept[-1] if kept else 0


def best_id(probabilities, last, share, number):
    return token_by(probabilities, last, share, number, order=lambda ids, p: sorted(ids, key=lambda id: -p[id])[:1])


def best_ids_first(probabilities, last, share, number):
    return token_by(probabilities, last, share, number, order=lambda ids, p: sorted(ids, key=lambda id: -p[id]))


def last_id_first(probabilities, last, share, number):
    return token_by(probabilities, last, share, number, order=lambda ids, p: ids[::-1])


def eight_ids_at_most(probabilities, last, share, number):
    return token_by(probabilities[:8], last, share, number)


def equal_is_enough(probabilities, last, share, number):
    return token_by(probabilities, last, share, number, above=lambda reached, number: reached >= number)


def share_of_the_best(probabilities, last, share, number):
    """Use the limit of min-p."""
    return token_by(probabilities, last, share, number, second=max)


def one_id_has_no_second(probabilities, last, share, number):
    return token_by(probabilities, last, share, number, second=lambda halved: sorted(halved)[-2])


def share_alone(probabilities, last, share, number):
    return token_by(probabilities, last, share, number, second=lambda halved: 1.0)


def nothing_is_dropped(probabilities, last, share, number):
    return token_by(probabilities, last, share, number, kept=lambda p, limit: True)


def equal_to_the_limit_is_dropped(probabilities, last, share, number):
    return token_by(probabilities, last, share, number, kept=lambda p, limit: p > limit)


def not_divided_by_the_sum(probabilities, last, share, number):
    return token_by(probabilities, last, share, number, total=lambda kept: 1.0)


def last_may_repeat(probabilities, last, share, number):
    return token_by(probabilities, last, share, number, factor=1.0)


def no_last_is_the_highest(probabilities, last, share, number):
    """Take the last id, -1, as an index."""
    return token_by(probabilities, last % len(probabilities), share, number)


def last_is_forbidden(probabilities, last, share, number):
    return token_by(probabilities, last, share, number, factor=0.0)


def halved_in_the_end(probabilities, last, share, number):
    """Compare the whole probability with the limit, and halve it afterwards."""
    limit = share * sorted(probabilities)[-2:][0]
    kept = [p if p >= limit else 0.0 for p in probabilities]
    return token_by(kept, last, 0.0, number)


# --- drawn_token, right --------------------------------------------------------------------------


def token_step_by_step(probabilities, last, share, number):
    p = list(probabilities)
    if last >= 0:
        p[last] = p[last] / 2
    if len(p) > 1:
        limit = sorted(p, reverse=True)[1] * share
        for id in range(len(p)):
            if p[id] < limit:
                p[id] = 0
    number = number * sum(p)
    reached = 0
    for id in range(len(p)):
        reached += p[id]
        if reached > number:
            return id


def token_by_accumulating(probabilities, last, share, number):
    from itertools import accumulate

    p = [one / (2 if id == last else 1) for id, one in enumerate(probabilities)]
    limit = share * sorted([0.0, *p])[-2]
    sums = list(accumulate(one * (one >= limit) for one in p))
    return sum(one <= number * sums[-1] for one in sums)


def token_by_recursion(probabilities, last, share, number):
    p = dict(enumerate(probabilities))
    if last in p:
        p[last] /= 2
    second = sorted(p.values())[-2] if len(p) > 1 else 0
    kept = {id: one for id, one in p.items() if not one < share * second}

    def search(ids, left):
        id = ids[0]
        return id if kept[id] > left or len(ids) == 1 else search(ids[1:], left - kept[id])

    return search(sorted(kept), number * sum(kept.values()))


WRONG: dict[str, dict[Program, list[str]]] = {
    "discounted": {
        first_id_is_left_out: ["shorter"],
        both_ends_are_left_out: ["shorter"],
        straight_to_the_empty_context: ["shorter"],
        straight_to_one_id: ["shorter"],
        one_id_at_most: ["seen", "shorter"],
        three_ids_at_most: ["seen", "shorter"],
        several_ids_have_no_discount: ["seen"],
        witten_and_bell: ["seen", "shorter", "unseen", "base"],
        nothing_is_given_on: ["seen", "shorter", "unseen", "base"],
        count_may_be_negative: ["seen", "shorter", "unseen", "base"],
        counts_instead_of_kinds: ["seen", "shorter", "unseen", "base"],
        unseen_is_impossible: ["shorter", "unseen", "base"],
        unseen_is_discounted: ["shorter", "unseen", "base"],
        stops_at_a_gap: ["unseen", "base"],
        padding_is_an_id: ["seen", "shorter", "unseen", "base"],
        padding_never_follows: ["base"],
        padding_has_a_share: ["base"],
        padding_has_a_share_of_the_discount: ["base"],
    },
    "joined_rows": {
        end_comes_first: ["stream", "leaks", "rest"],
        no_ends: ["stream", "leaks", "rest"],
        end_is_9: ["stream", "leaks", "rest"],
        zeros_are_left_out: ["stream", "leaks", "rest"],
        high_ids_are_ends: ["stream", "leaks", "rest"],
        end_only_at_the_end: ["leaks", "rest"],
        one_document_a_row: ["stream", "leaks", "rest"],
        labels_are_inputs: ["stream", "leaks", "rest"],
        next_document_is_predicted: ["leaks"],
        end_is_not_predicted: ["stream", "leaks", "rest"],
        last_of_a_row_has_no_label: ["stream", "leaks", "rest"],
        filling_is_predicted: ["rest"],
        rest_is_dropped: ["rest"],
        rest_of_several_is_dropped: ["rest"],
        rest_is_short: ["rest"],
        always_some_filling: ["stream", "leaks", "rest"],
        filled_with_zeros: ["rest"],
    },
    "turned": {
        halves_are_pairs: ["pairs"],
        halves_are_joined: ["pairs"],
        one_angle_for_all: ["pairs"],
        exponent_of_the_whole: ["pairs"],
        base_is_100: ["pairs", "part", "heads"],
        other_direction: ["angles", "pairs", "part", "heads"],
        positions_from_one: ["angles", "pairs", "part", "heads"],
        places_instead_of_positions: ["angles", "pairs", "part", "heads"],
        degrees: ["angles", "pairs", "part", "heads"],
        added_instead_of_turned: ["angles", "pairs", "part", "heads"],
        rest_is_cut: ["pairs", "part"],
        rest_is_zero: ["part"],
        rest_of_a_wide_part_is_zero: ["part"],
        rest_of_the_first_head: ["part"],
        heads_turn_alike: ["heads"],
        one_head_turns_back: ["heads"],
        one_pair_turns_back: ["heads"],
        even_heads_turn_back: ["angles", "pairs", "part", "heads"],
        odd_heads_stay: ["heads"],
    },
    "window_keys": {
        plain_causal_mask: ["mine"],
        window_only: ["mine"],
        one_key_more: ["mine"],
        one_kept_key_more: ["mine"],
        far_keys_are_seen: ["mine"],
        kept_up_to_99: ["mine"],
        places_are_kept: ["mine"],
        kept_for_ever_before_too: ["later", "mine"],
        not_itself: ["later", "mine"],
        later_keys_too: ["later", "mine"],
        hidden_is_true: ["later", "mine"],
    },
    "shared_heads": {
        plain_softmax: ["weights", "scores", "shared", "visible"],
        one_in_the_power: ["weights", "scores", "shared", "visible"],
        maximum_is_subtracted: ["weights", "scores", "shared", "visible"],
        softmax_over_queries: ["weights", "scores", "shared", "visible"],
        one_for_each_key: ["weights", "scores", "shared", "visible"],
        not_divided: ["scores"],
        divided_by_k: ["scores"],
        first_head_is_divided: ["scores"],
        neighbours_share: ["shared"],
        first_head_for_all: ["shared"],
        heads_below_each_other: ["shared"],
        numbers_side_by_side: ["shared"],
        first_head_looks_away: ["weights", "scores", "shared", "visible"],
        mask_of_the_first_query: ["visible"],
        five_keys_at_most: ["weights", "scores", "shared", "visible"],
        everything_is_seen: ["visible"],
        hidden_in_the_divisor: ["visible"],
        hidden_scores_are_zero: ["visible"],
    },
    "sign_step": {
        sign_of_the_gradient: ["direction", "decay", "norms"],
        sign_of_the_new_mean: ["direction", "decay", "norms"],
        no_sign: ["direction", "decay", "norms"],
        equal_parts: ["direction", "decay", "norms"],
        ten_to_one: ["direction", "decay", "norms"],
        mean_of_adam: ["direction", "decay", "norms"],
        mean_stays: ["direction", "decay", "norms"],
        up_the_hill: ["direction", "decay", "norms"],
        no_decay: ["decay"],
        decay_without_rate: ["decay"],
        decay_comes_last: ["decay"],
        decay_in_the_gradient: ["decay"],
        norms_decay_too: ["norms"],
        four_dimensions_stay: ["decay"],
        only_two_dimensions_decay: ["decay"],
    },
    "drawn_token": {
        best_id: ["drawn", "kept", "last"],
        best_ids_first: ["drawn", "kept", "last"],
        last_id_first: ["drawn", "kept", "last"],
        eight_ids_at_most: ["drawn", "kept", "last"],
        equal_is_enough: ["drawn"],
        share_of_the_best: ["kept", "last"],
        one_id_has_no_second: ["kept"],
        share_alone: ["kept", "last"],
        nothing_is_dropped: ["kept", "last"],
        equal_to_the_limit_is_dropped: ["kept"],
        not_divided_by_the_sum: ["kept", "last"],
        last_may_repeat: ["last"],
        no_last_is_the_highest: ["drawn", "kept"],
        last_is_forbidden: ["last"],
        halved_in_the_end: ["last"],
    },
}
RIGHT: dict[str, list[Program]] = {
    "discounted": [discounted_in_a_loop, discounted_by_recursion, discounted_over_all_ids],
    "joined_rows": [rows_step_by_step, rows_from_pairs, rows_with_an_iterator],
    "turned": [turned_pair_by_pair, turned_with_complex_numbers, turned_with_matrices],
    "window_keys": [window_in_loops, window_by_where, window_by_sets],
    "shared_heads": [heads_one_by_one, heads_with_one_more_score, heads_query_by_query],
    "sign_step": [sign_step_by_comparing, sign_step_in_place, sign_step_of_lists],
    "drawn_token": [token_step_by_step, token_by_accumulating, token_by_recursion],
}
