"""Programs for assignment 7: wrong ones for each rule, and right ones in other styles.

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

# --- trimmed_norm, wrong -------------------------------------------------------------------------


def without_largest(hidden):
    """The size of each row by the rules."""
    squares = hidden**2
    others = squares.sum(1, keepdim=True) - squares.max(1, keepdim=True).values
    return (others / (hidden.shape[1] - 1)).sqrt()


def size_of_all(hidden, weight, eps):
    """Take the root mean square of all numbers, as in T5."""
    return hidden / ((hidden**2).mean(1, keepdim=True).sqrt() + eps) * weight


def mean_is_subtracted(hidden, weight, eps):
    centred = hidden - hidden.mean(1, keepdim=True)
    return hidden / (without_largest(centred) + eps) * weight


def largest_with_its_sign(hidden, weight, eps):
    """Leave out the largest number, not the one with the largest absolute value."""
    squares = hidden**2
    largest = hidden.max(1, keepdim=True).values ** 2
    size = ((squares.sum(1, keepdim=True) - largest) / (hidden.shape[1] - 1)).sqrt()
    return hidden / (size + eps) * weight


def all_of_the_largest(hidden, weight, eps):
    """Leave out every number with the largest absolute value."""
    sizes = hidden.abs()
    smaller = sizes < sizes.max(1, keepdim=True).values
    mean = (hidden**2 * smaller).sum(1, keepdim=True) / smaller.sum(1, keepdim=True)
    return hidden / (mean.sqrt() + eps) * weight


def divided_by_all(hidden, weight, eps):
    """Divide the sum of d - 1 squares by d."""
    squares = hidden**2
    others = squares.sum(1, keepdim=True) - squares.max(1, keepdim=True).values
    return hidden / ((others / hidden.shape[1]).sqrt() + eps) * weight


def mean_of_sizes(hidden, weight, eps):
    """Take absolute values instead of squares."""
    sizes = hidden.abs()
    others = sizes.sum(1, keepdim=True) - sizes.max(1, keepdim=True).values
    return hidden / (others / (hidden.shape[1] - 1) + eps) * weight


def largest_of_the_tensor(hidden, weight, eps):
    """Leave out the largest number of the whole tensor only."""
    squares = hidden**2
    others = squares.sum(1, keepdim=True) - squares.max()
    return hidden / ((others.clamp(min=0) / (hidden.shape[1] - 1)).sqrt() + eps) * weight


def eps_below_the_root(hidden, weight, eps):
    return hidden / (without_largest(hidden) ** 2 + eps).sqrt() * weight


def eps_is_a_floor(hidden, weight, eps):
    return hidden / without_largest(hidden).clamp(min=eps) * weight


def no_eps(hidden, weight, eps):
    return hidden / without_largest(hidden) * weight


def no_weight(hidden, weight, eps):
    return hidden / (without_largest(hidden) + eps)


def one_weight_for_all(hidden, weight, eps):
    return hidden / (without_largest(hidden) + eps) * weight[0]


def all_numbers_with_eps(hidden, weight, eps):
    """Leave out the largest number only if eps is 0."""
    return (size_of_all if eps else norm_by_sorting)(hidden, weight, eps)


def all_numbers_with_weights(hidden, weight, eps):
    """Leave out the largest number only if all weights are 1."""
    return (norm_by_sorting if (weight == 1).all() else size_of_all)(hidden, weight, eps)


def weights_without_eps_only(hidden, weight, eps):
    return norm_by_sorting(hidden, torch.ones_like(weight) if eps else weight, eps)


def eps_without_weights_only(hidden, weight, eps):
    return norm_by_sorting(hidden, weight, eps if (weight == 1).all() else 0.0)


# --- trimmed_norm, right -------------------------------------------------------------------------


def norm_by_sorting(hidden, weight, eps):
    ordered = hidden.abs().sort(dim=-1).values
    size = ordered[:, :-1].square().mean(dim=-1, keepdim=True).sqrt()
    return weight * hidden / (size + eps)


def norm_row_by_row(hidden, weight, eps):
    rows = []
    for row in hidden:
        largest = row.abs().argmax()
        others = torch.cat([row[:largest], row[largest + 1 :]])
        rows.append(row / (torch.sqrt(torch.mean(others**2)) + eps) * weight)
    return torch.stack(rows)


def norm_in_plain_python(hidden, weight, eps):
    result = hidden.clone()
    for number in range(hidden.shape[0]):
        squares = sorted(x * x for x in hidden[number].tolist())
        size = math.sqrt(sum(squares[:-1]) / (len(squares) - 1)) + eps
        for place in range(hidden.shape[1]):
            result[number, place] = hidden[number, place] / size * weight[place]
    return result


# --- position_bias, wrong ------------------------------------------------------------------------


def bias_by(table, queries, keys, causal, **other):
    """The bias with exchangeable parts."""
    buckets, heads = table.shape
    relative = other.get("relative", keys[None, :] - queries[:, None])
    root = other.get("root", lambda distance: distance.double().sqrt().floor().long())(relative.abs())
    after = relative > 0
    if causal and not other.get("both_sides", False):
        bucket = other.get("decoder", lambda root, after: root)(root, after).clamp(max=buckets - 1)
    else:
        last = torch.where(after, buckets - 1, buckets - 2)
        bucket = other.get("sides", lambda root, after: 2 * root - after.long())(root, after)
        bucket = other.get("limit", torch.minimum)(bucket, last)
    bias = other.get("column", lambda bias: bias)(table[bucket].permute(2, 0, 1))
    if causal and other.get("later", True):
        bias = bias.masked_fill(after, 0.0)
    sign = other.get("sign", lambda head: -1.0 if head % 2 else 1.0)
    return bias * torch.tensor([sign(head) for head in range(heads)])[:, None, None]


def rounded_roots(table, queries, keys, causal):
    return bias_by(table, queries, keys, causal, root=lambda distance: distance.double().sqrt().round().long())


def roots_up_to_4(table, queries, keys, causal):
    return bias_by(table, queries, keys, causal, root=lambda distance: distance.double().sqrt().long().clamp(max=4))


def sides_in_halves(table, queries, keys, causal):
    """Number the buckets of T5: the first half for keys before the query, the second half for keys after it."""
    half = len(table) // 2

    def sides(root, after):
        return root.clamp(max=half - 1) + half * after.long()

    return bias_by(table, queries, keys, causal, sides=sides, limit=lambda bucket, last: bucket)


def sides_exchanged(table, queries, keys, causal):
    if causal:
        return bias_by(table, queries, keys, causal)
    return bias_by(table, keys, queries, causal).transpose(1, 2)


def both_sides_alike(table, queries, keys, causal):
    return bias_by(table, queries, keys, causal, sides=lambda root, after: 2 * root)


def odd_side_plus_one(table, queries, keys, causal):
    return bias_by(table, queries, keys, causal, sides=lambda root, after: 2 * root + after.long())


def one_last_bucket(table, queries, keys, causal):
    """Let the buckets of both sides end in the last one of the table."""
    return bias_by(table, queries, keys, causal, limit=lambda bucket, last: bucket.clamp(max=len(table) - 1))


def no_last_bucket(table, queries, keys, causal):
    return bias_by(table, queries, keys, causal, limit=lambda bucket, last: bucket)


def encoder_buckets_everywhere(table, queries, keys, causal):
    return bias_by(table, queries, keys, causal, both_sides=True)


def later_keys_have_a_bias(table, queries, keys, causal):
    """Give later keys the bias of the distance 0, as in T5."""

    def decoder(root, after):
        return root.masked_fill(after, 0)

    return bias_by(table, queries, keys, causal, decoder=decoder, later=False)


def later_keys_by_distance(table, queries, keys, causal):
    return bias_by(table, queries, keys, causal, later=False)


def one_sign(table, queries, keys, causal):
    return bias_by(table, queries, keys, causal, sign=lambda head: 1.0)


def one_head_changes_sign(table, queries, keys, causal):
    return bias_by(table, queries, keys, causal, sign=lambda head: -1.0 if head == 1 else 1.0)


def second_half_changes_sign(table, queries, keys, causal):
    return bias_by(table, queries, keys, causal, sign=lambda head: -1.0 if 2 * head >= table.shape[1] > 1 else 1.0)


def first_column_for_all(table, queries, keys, causal):
    return bias_by(table, queries, keys, causal, column=lambda bias: bias[:1].expand_as(bias))


def first_bucket_of_other_heads(table, queries, keys, causal):
    return bias_by(torch.cat([table[:, :1], table[:1, 1:].expand(len(table), -1)], 1), queries, keys, causal)


def places_as_positions(table, queries, keys, causal):
    """Take the place of each query and key in its tensor."""
    return bias_by(table, torch.arange(len(queries)), torch.arange(len(keys)), causal)


def one_head_has_two_sides(table, queries, keys, causal):
    """Tell the sides apart only if there is one head."""
    one = table.shape[1] == 1
    return bias_by(table, queries, keys, causal, sides=lambda root, after: 2 * root - after.long() * one)


# --- position_bias, right ------------------------------------------------------------------------


def bias_in_loops(table, queries, keys, causal):
    buckets, heads = table.shape
    result = torch.zeros(heads, len(queries), len(keys))
    for q in range(len(queries)):
        for k in range(len(keys)):
            back = int(queries[q]) - int(keys[k])
            root = math.isqrt(abs(back))
            if causal and back < 0:
                continue
            if causal:
                bucket = min(root, buckets - 1)
            elif back < 0:
                bucket = min(2 * root - 1, buckets - 1)
            else:
                bucket = min(2 * root, buckets - 2)
            for head in range(heads):
                result[head, q, k] = table[bucket, head] * (-1) ** head
    return result


def bias_by_comparing(table, queries, keys, causal):
    """Count the squares that the distance has reached, and choose each side with where."""
    buckets = len(table)
    signed = table.clone()
    signed[:, 1::2] = -signed[:, 1::2]
    back = queries.view(-1, 1) - keys.view(1, -1)
    limits = torch.arange(1, 1000) ** 2
    root = (back.abs()[..., None] >= limits).sum(dim=-1)
    if causal:
        shown = signed[torch.clamp(root, 0, buckets - 1)] * (back >= 0)[..., None]
    else:
        before = (2 * root).clamp(max=buckets - 2)
        after = (2 * root - 1).clamp(min=0, max=buckets - 1)
        shown = signed[torch.where(back >= 0, before, after)]
    return torch.moveaxis(shown, -1, 0)


def bias_head_by_head(table, queries, keys, causal):
    grid_q, grid_k = torch.meshgrid(queries, keys, indexing="ij")
    root = torch.floor(torch.sqrt((grid_q - grid_k).abs().to(torch.float64))).to(torch.int64)
    later = grid_k > grid_q
    last = table.shape[0] - 1
    if causal:
        index = torch.where(root > last, last, root)
    else:
        index = 2 * root
        index[later] -= 1
        index[~later & (index > last)] = last - 1
        index[later & (index > last)] = last
    heads = []
    for head, column in enumerate(table.T):
        one = column[index]
        if causal:
            one = torch.where(later, torch.zeros_like(one), one)
        heads.append(one if head % 2 == 0 else -one)
    return torch.stack(heads)


# --- visible_keys, wrong -------------------------------------------------------------------------


def seen_by(distance, keys, step, remainder, first):
    """The mask of a rule."""
    named = (distance % step == remainder) | ((keys == 0)[None, :] & first)
    return ((distance > 0) & named) | (distance == 0)


def rule_of_another(queries, keys):
    """The rule of another student: the same distances, but the other rule for position 0."""
    distance = queries[:, None] - keys[None, :]
    return seen_by(distance, keys, my_rule["step"], my_rule["remainder"], not my_rule["first"])


def distances_of_another(queries, keys):
    """The rule of another student: other distances."""
    distance = queries[:, None] - keys[None, :]
    step, remainder = (2, 1 - my_rule["remainder"]) if my_rule["step"] == 2 else (3, (my_rule["remainder"] + 1) % 3)
    return seen_by(distance, keys, step, remainder, my_rule["first"])


def plain_causal_mask(queries, keys):
    return keys[None, :] <= queries[:, None]


def positions_instead_of_distances(queries, keys):
    """Compare the position of the key with the rule, not its distance."""
    distance = queries[:, None] - keys[None, :]
    named = (keys % my_rule["step"] == my_rule["remainder"])[None, :] | ((keys == 0)[None, :] & my_rule["first"])
    return ((distance > 0) & named) | (distance == 0)


def only_the_nearest(queries, keys):
    """See only the nearest of the distances."""
    distance = queries[:, None] - keys[None, :]
    nearest = my_rule["remainder"] or my_rule["step"]
    return (distance == nearest) | (distance == 0) | ((distance > 0) & (keys == 0)[None, :] & my_rule["first"])


def nothing_beyond_9(queries, keys):
    distance = queries[:, None] - keys[None, :]
    return seen_in_loops(queries, keys) & ((distance < 10) | ((keys == 0)[None, :] & my_rule["first"]))


def not_itself(queries, keys):
    distance = queries[:, None] - keys[None, :]
    return seen_by(distance, keys, my_rule["step"], my_rule["remainder"], my_rule["first"]) & (distance != 0)


def later_keys_too(queries, keys):
    distance = (queries[:, None] - keys[None, :]).abs()
    return seen_by(distance, keys, my_rule["step"], my_rule["remainder"], my_rule["first"])


def hidden_is_true(queries, keys):
    distance = queries[:, None] - keys[None, :]
    return ~seen_by(distance, keys, my_rule["step"], my_rule["remainder"], my_rule["first"])


# --- visible_keys, right -------------------------------------------------------------------------


def seen_in_loops(queries, keys):
    mask = torch.zeros(len(queries), len(keys), dtype=torch.bool)
    for q, query in enumerate(queries.tolist()):
        for k, key in enumerate(keys.tolist()):
            back = query - key
            if back == 0 or (back > 0 and back % my_rule["step"] == my_rule["remainder"]):
                mask[q, k] = True
            if my_rule["first"] and key == 0 and back >= 0:
                mask[q, k] = True
    return mask


def seen_by_listing(queries, keys):
    """List the distances up to the largest one."""
    back = queries.unsqueeze(1) - keys
    largest = int(back.max().clamp(min=0))
    distances = [0] + [one for one in range(1, largest + 1) if one % my_rule["step"] == my_rule["remainder"]]
    mask = torch.isin(back, torch.tensor(distances))
    return mask | (back >= 0) & (keys == 0) if my_rule["first"] else mask


def seen_by_where(queries, keys):
    query, key = torch.meshgrid(queries, keys, indexing="ij")
    rest = torch.remainder(query - key, my_rule["step"])
    mask = torch.where(query > key, rest == my_rule["remainder"], query == key)
    if my_rule["first"]:
        mask[(key == 0) & (query > 0)] = True
    return mask


# --- attend, wrong -------------------------------------------------------------------------------


def attended(query, key, value, scale, bias, visible, **other):
    """Attention with exchangeable parts."""
    products = query @ key.transpose(1, 2)
    scores = other.get("scores", lambda products: products * scale[:, None, None] + bias)(products)
    masked = scores.masked_fill(~visible, other.get("hidden", -math.inf))
    weights = other.get("weights", lambda masked: torch.softmax(masked, -1).nan_to_num(0.0))(masked)
    return weights @ value


def divided_by_a_root(query, key, value, scale, bias, visible):
    root = math.sqrt(query.shape[-1])
    return attended(query / root, key, value, scale, bias, visible)


def one_scale(query, key, value, scale, bias, visible):
    return attended(query, key, value, scale, bias, visible, scores=lambda products: products + bias)


def divided_by_the_scale(query, key, value, scale, bias, visible):
    def scores(products):
        return products / scale[:, None, None] + bias

    return attended(query, key, value, scale, bias, visible, scores=scores)


def first_scale_for_all(query, key, value, scale, bias, visible):
    return attended(query, key, value, scale[:1], bias, visible)


def bias_is_scaled(query, key, value, scale, bias, visible):
    def scores(products):
        return (products + bias) * scale[:, None, None]

    return attended(query, key, value, scale, bias, visible, scores=scores)


def no_bias(query, key, value, scale, bias, visible):
    return attended(query, key, value, scale, bias * 0, visible)


def bias_of_the_first_query(query, key, value, scale, bias, visible):
    return attended(query, key, value, scale, bias[:, :1], visible)


def everything_is_seen(query, key, value, scale, bias, visible):
    return attended(query, key, value, scale, bias, torch.ones_like(visible))


def scores_of_zero(query, key, value, scale, bias, visible):
    """Set the scores of hidden keys to 0."""
    return attended(query, key, value, scale, bias, visible, hidden=0.0)


def masked_afterwards(query, key, value, scale, bias, visible):
    """Mask the weights, which then do not sum to 1."""
    scores = query @ key.transpose(1, 2) * scale[:, None, None] + bias
    return torch.softmax(scores, -1) * visible @ value


def mask_of_the_first_query(query, key, value, scale, bias, visible):
    return attended(query, key, value, scale, bias, visible[:1].expand_as(visible))


def wide_heads_see_everything(query, key, value, scale, bias, visible):
    """Use the mask only if each head has one number."""
    return attended(query, key, value, scale, bias, visible | (query.shape[2] > 1))


def wide_heads_have_no_bias(query, key, value, scale, bias, visible):
    return attended(query, key, value, scale, bias * (query.shape[2] == 1), visible)


def wide_heads_have_no_scale(query, key, value, scale, bias, visible):
    return attended(query, key, value, scale if query.shape[2] == 1 else scale**0, bias, visible)


def nan_stays(query, key, value, scale, bias, visible):
    return attended(query, key, value, scale, bias, visible, weights=lambda masked: torch.softmax(masked, -1))


def very_small_scores(query, key, value, scale, bias, visible):
    """Hide keys with a large negative score, so that a query that sees nothing attends to everything."""
    return attended(query, key, value, scale, bias, visible, hidden=-1e9)


def softmax_over_queries(query, key, value, scale, bias, visible):
    def weights(masked):
        return torch.softmax(masked, 1).nan_to_num(0.0)

    return attended(query, key, value, scale, bias, visible, weights=weights)


def plain_beside_holes(query, key, value, scale, bias, visible):
    """Leave out scale and bias, and divide by a root, as soon as a key is not seen."""
    if visible.all():
        return attended(query, key, value, scale, bias, visible)
    return divided_by_a_root(query, key, value, scale**0, bias * 0, visible)


# --- attend, right -------------------------------------------------------------------------------


def attend_with_powers(query, key, value, scale, bias, visible):
    scores = torch.einsum("hqd,hkd->hqk", query, key) * scale.view(-1, 1, 1) + bias
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True)) * visible
    total = powers.sum(dim=-1, keepdim=True)
    return torch.where(total > 0, powers / total, torch.zeros(())) @ value


def attend_head_by_head(query, key, value, scale, bias, visible):
    results = []
    for q, k, v, factor, b in zip(query, key, value, scale, bias):
        scores = torch.matmul(q, k.T) * factor + b
        scores[~visible] = -torch.inf
        weights = torch.softmax(scores, dim=1)
        weights[~visible.any(dim=1)] = 0
        results.append(weights @ v)
    return torch.stack(results)


def attend_query_by_query(query, key, value, scale, bias, visible):
    result = torch.zeros(query.shape)
    for head in range(len(query)):
        for number, mask in enumerate(visible):
            if not mask.any():
                continue
            scores = key[head][mask] @ query[head, number] * scale[head] + bias[head, number][mask]
            result[head, number] = (scores.softmax(0)[:, None] * value[head][mask]).sum(0)
    return result


# --- gated_block, wrong --------------------------------------------------------------------------


def units_of(hidden, weight_in, weight_gate):
    """The units by the rules."""
    return torch.relu(hidden @ weight_in) ** 2 * (hidden @ weight_gate)


def relu_without_square(hidden, weight_in, weight_gate, weight_out, norm, eps):
    units = torch.relu(hidden @ weight_in) * (hidden @ weight_gate)
    return hidden + trimmed_norm(units @ weight_out, norm, eps)


def square_without_relu(hidden, weight_in, weight_gate, weight_out, norm, eps):
    units = (hidden @ weight_in) ** 2 * (hidden @ weight_gate)
    return hidden + trimmed_norm(units @ weight_out, norm, eps)


def relu_of_the_first_unit(hidden, weight_in, weight_gate, weight_out, norm, eps):
    inner = hidden @ weight_in
    inner[:, :1] = torch.relu(inner[:, :1])
    return hidden + trimmed_norm(inner**2 * (hidden @ weight_gate) @ weight_out, norm, eps)


def gate_is_added(hidden, weight_in, weight_gate, weight_out, norm, eps):
    """Add the gate, and subtract 1."""
    units = torch.relu(hidden @ weight_in) ** 2 + hidden @ weight_gate - 1
    return hidden + trimmed_norm(units @ weight_out, norm, eps)


def no_gate(hidden, weight_in, weight_gate, weight_out, norm, eps):
    return hidden + trimmed_norm(torch.relu(hidden @ weight_in) ** 2 @ weight_out, norm, eps)


def gate_with_relu(hidden, weight_in, weight_gate, weight_out, norm, eps):
    units = torch.relu(hidden @ weight_in) ** 2 * torch.relu(hidden @ weight_gate)
    return hidden + trimmed_norm(units @ weight_out, norm, eps)


def gate_with_sigmoid(hidden, weight_in, weight_gate, weight_out, norm, eps):
    units = torch.relu(hidden @ weight_in) ** 2 * torch.sigmoid(hidden @ weight_gate)
    return hidden + trimmed_norm(units @ weight_out, norm, eps)


def norm_comes_first(hidden, weight_in, weight_gate, weight_out, norm, eps):
    """Normalize the input, as in T5."""
    return hidden + units_of(trimmed_norm(hidden, norm, eps), weight_in, weight_gate) @ weight_out


def norm_of_the_sum(hidden, weight_in, weight_gate, weight_out, norm, eps):
    """Normalize the sum, as in the first Transformer."""
    return trimmed_norm(hidden + units_of(hidden, weight_in, weight_gate) @ weight_out, norm, eps)


def block_without_norm(hidden, weight_in, weight_gate, weight_out, norm, eps):
    return hidden + units_of(hidden, weight_in, weight_gate) @ weight_out


def nothing_is_added(hidden, weight_in, weight_gate, weight_out, norm, eps):
    return trimmed_norm(units_of(hidden, weight_in, weight_gate) @ weight_out, norm, eps)


def square_without_norm_only(hidden, weight_in, weight_gate, weight_out, norm, eps):
    units = torch.relu(hidden @ weight_in) ** (2 if (norm == 1).all() else 1) * (hidden @ weight_gate)
    return hidden + trimmed_norm(units @ weight_out, norm, eps)


def gate_without_eps_only(hidden, weight_in, weight_gate, weight_out, norm, eps):
    return (no_gate if eps else block_step_by_step)(hidden, weight_in, weight_gate, weight_out, norm, eps)


# --- gated_block, right --------------------------------------------------------------------------


def block_step_by_step(hidden, weight_in, weight_gate, weight_out, norm, eps):
    inner = hidden @ weight_in
    inner[inner < 0] = 0
    product = (inner * inner * (hidden @ weight_gate)) @ weight_out
    return trimmed_norm(product, norm, eps) + hidden


def block_with_its_own_norm(hidden, weight_in, weight_gate, weight_out, norm, eps):
    """Write the norm again."""
    units = torch.clamp(hidden @ weight_in, min=0).pow(2).mul(hidden @ weight_gate)
    product = units.matmul(weight_out)
    size = product.abs().sort(dim=1).values[:, :-1].pow(2).mean(dim=1, keepdim=True).sqrt()
    return hidden + product / (size + eps) * norm


def block_row_by_row(hidden, weight_in, weight_gate, weight_out, norm, eps):
    rows = []
    for state in hidden:
        inner, gate = state @ weight_in, state @ weight_gate
        units = torch.where(inner > 0, inner**2, torch.zeros_like(inner)) * gate
        rows.append(state + trimmed_norm((units @ weight_out)[None], norm, eps)[0])
    return torch.stack(rows)


# --- tied_logits, wrong --------------------------------------------------------------------------


def logits_by(hidden, embedding, forbidden, **other):
    """Logits with exchangeable parts."""
    scale = other.get("scale", lambda: embedding.pow(2).sum(1).sqrt())()
    logits = hidden @ embedding.T / scale
    barred = [0, *forbidden] if other.get("padding", True) else forbidden
    rows = other.get("rows", slice(None))
    logits[rows, [id for id in barred if id < len(embedding)]] = other.get("value", -math.inf)
    return logits


def scale_of_t5(hidden, embedding, forbidden):
    return logits_by(hidden, embedding, forbidden, scale=lambda: math.sqrt(hidden.shape[1]))


def no_scale(hidden, embedding, forbidden):
    return logits_by(hidden, embedding, forbidden, scale=lambda: 1.0)


def cosines(hidden, embedding, forbidden):
    """Divide by the length of the hidden state as well."""
    lengths = hidden.pow(2).sum(1, keepdim=True).sqrt()
    return logits_by(hidden / lengths, embedding, forbidden)


def squared_length(hidden, embedding, forbidden):
    return logits_by(hidden, embedding, forbidden, scale=lambda: embedding.pow(2).sum(1))


def mean_instead_of_sum(hidden, embedding, forbidden):
    return logits_by(hidden, embedding, forbidden, scale=lambda: embedding.pow(2).mean(1).sqrt())


def forbidden_logit_is_zero(hidden, embedding, forbidden):
    return logits_by(hidden, embedding, forbidden, value=0.0)


def forbidden_logit_is_small(hidden, embedding, forbidden):
    return logits_by(hidden, embedding, forbidden, value=-1e9)


def forbidden_at_the_last_position(hidden, embedding, forbidden):
    return logits_by(hidden, embedding, forbidden, rows=-1)


def unknown_ids_fail(hidden, embedding, forbidden):
    logits = hidden @ embedding.T / embedding.pow(2).sum(1).sqrt()
    for id in [0, *forbidden]:
        logits[:, id] = -math.inf
    return logits


def nothing_is_forbidden(hidden, embedding, forbidden):
    return logits_by(hidden, embedding, [])


def scale_without_list_only(hidden, embedding, forbidden):
    return logits_by(hidden, embedding, forbidden, **({"scale": lambda: 1.0} if forbidden else {}))


def padding_without_list_only(hidden, embedding, forbidden):
    return logits_by(hidden, embedding, forbidden or [0], padding=False)


def padding_is_allowed(hidden, embedding, forbidden):
    return logits_by(hidden, embedding, forbidden, padding=False)


def wide_states_forbid_padding_only(hidden, embedding, forbidden):
    return logits_by(hidden, embedding, forbidden if hidden.shape[1] == 1 else [])


def wide_states_allow_padding(hidden, embedding, forbidden):
    return logits_by(hidden, embedding, forbidden, padding=hidden.shape[1] == 1)


# --- tied_logits, right --------------------------------------------------------------------------


def logits_with_unit_rows(hidden, embedding, forbidden):
    rows = embedding / torch.linalg.vector_norm(embedding, dim=1, keepdim=True)
    barred = torch.zeros(len(embedding), dtype=torch.bool)
    barred[0] = True
    for id in set(forbidden):
        if id < len(barred):
            barred[id] = True
    return (hidden @ rows.T).masked_fill(barred, -torch.inf)


def logits_token_by_token(hidden, embedding, forbidden):
    columns = []
    for id, row in enumerate(embedding):
        if id == 0 or id in forbidden:
            columns.append(torch.full((len(hidden),), -math.inf))
        else:
            columns.append(hidden @ row / math.sqrt(float(row @ row)))
    return torch.stack(columns, dim=1)


def logits_by_adding(hidden, embedding, forbidden):
    """Add a row of 0 and -inf to the logits."""
    added = torch.tensor([-math.inf if id in {0, *forbidden} else 0.0 for id in range(embedding.shape[0])])
    return torch.einsum("ld,vd->lv", hidden, embedding) / embedding.norm(dim=-1) + added


# --- weighted_loss, wrong ------------------------------------------------------------------------


def loss_by(logits, labels, **other):
    """The loss with exchangeable parts."""
    counted = other.get("counted", labels != -100)
    if not counted.any():
        return other.get("none", torch.tensor(0.0))
    rows, kept = logits[counted], labels[counted].clamp(min=0)
    scored = other.get("scored", lambda rows: torch.log_softmax(rows, 1))(rows)
    losses = -scored[torch.arange(len(kept)), kept]
    weights = other.get("weights", lambda number: 1 / torch.arange(1, number + 1))(len(kept))
    total = other.get("total", lambda weights: weights.sum())(weights)
    return (weights * losses).sum() / total


def plain_mean(logits, labels):
    return loss_by(logits, labels, weights=torch.ones)


def weights_that_grow(logits, labels):
    return loss_by(logits, labels, weights=lambda number: torch.arange(1.0, number + 1))


def halves(logits, labels):
    """Take the weights 1, 1/2, 1/4 and so on."""
    return loss_by(logits, labels, weights=lambda number: 0.5 ** torch.arange(number))


def weights_end_with_a_quarter(logits, labels):
    return loss_by(logits, labels, weights=lambda number: 1 / torch.arange(1, number + 1).clamp(max=4))


def divided_by_the_count(logits, labels):
    return loss_by(logits, labels, total=len)


def not_divided(logits, labels):
    return loss_by(logits, labels, total=lambda weights: 1.0)


def logarithm_with_base_2(logits, labels):
    return loss_by(logits, labels, scored=lambda rows: torch.log_softmax(rows, 1) / math.log(2))


def logits_without_softmax(logits, labels):
    return loss_by(logits, labels, scored=lambda rows: rows)


def sign_stays(logits, labels):
    return loss_by(logits, labels, scored=lambda rows: -torch.log_softmax(rows, 1))


def probability_instead_of_logarithm(logits, labels):
    return loss_by(logits, labels, scored=lambda rows: torch.softmax(rows, 1) - 1)


def weight_of_the_place(logits, labels):
    """Count the labels that are left out, too."""
    counted = labels != -100
    places = (1 / torch.arange(1, len(labels) + 1))[counted]
    return loss_by(logits, labels, weights=lambda number: places)


def ignored_in_the_divisor(logits, labels):
    total = (1 / torch.arange(1, len(labels) + 1)).sum()
    return loss_by(logits, labels, total=lambda weights: total)


def ignored_label_is_padding(logits, labels):
    """Count -100 as id 0."""
    return loss_by(logits, labels, counted=torch.ones(len(labels), dtype=torch.bool))


def nan_without_labels(logits, labels):
    return loss_by(logits, labels, none=torch.tensor(math.nan))


# --- weighted_loss, right ------------------------------------------------------------------------


def loss_in_a_loop(logits, labels):
    total, divisor, number = 0.0, 0.0, 0
    for row, label in zip(logits, labels.tolist()):
        if label == -100:
            continue
        number += 1
        total += float(torch.logsumexp(row, 0) - row[label]) / number
        divisor += 1 / number
    return total / divisor if number else 0.0


def loss_with_counts(logits, labels):
    """Compute a weight for each place from a running count, 0 for labels that are left out."""
    counted = (labels >= 0).long()
    weights = counted / counted.cumsum(0).clamp(min=1)
    probabilities = torch.softmax(logits, dim=-1).gather(1, labels.clamp(min=0).unsqueeze(1)).squeeze(1)
    return -(weights * probabilities.log()).sum() / weights.sum().clamp(min=1e-9)


def loss_of_lists(logits, labels):
    pairs = [(row, label) for row, label in zip(logits.tolist(), labels.tolist()) if label != -100]
    losses = [math.log(sum(map(math.exp, row))) - row[label] for row, label in pairs]
    shares = [1 / (place + 1) for place in range(len(losses))]
    return torch.tensor(sum(a * b for a, b in zip(shares, losses)) / (sum(shares) or 1))


# --- cache_step, wrong ---------------------------------------------------------------------------


def added(cache, key, value, position):
    """The cache with the new entry."""
    keys, values, positions = cache
    return (
        torch.cat([keys, key[:, None]], 1),
        torch.cat([values, value[:, None]], 1),
        torch.cat([positions, torch.tensor([position])]),
    )


def kept_where(cache, kept):
    keys, values, positions = cache
    return keys[:, kept], values[:, kept], positions[kept]


def nothing_is_evicted(cache, key, value, position, steps):
    return added(cache, key, value, position)


def one_step_late(cache, key, value, position, steps):
    full = added(cache, key, value, position)
    return kept_where(full, (full[2] == 0) | (full[2] >= position - steps))


def one_step_early(cache, key, value, position, steps):
    full = added(cache, key, value, position)
    return kept_where(full, (full[2] == 0) | (full[2] > position - steps + 1) | (full[2] == position))


def number_of_entries(cache, key, value, position, steps):
    """Keep the last `steps` entries, whatever their positions are."""
    full = added(cache, key, value, position)
    places = torch.arange(len(full[2]))
    return kept_where(full, (full[2] == 0) | (places >= len(places) - steps))


def positions_stay(cache, key, value, position, steps):
    """Remove keys and values, but not their positions."""
    full = added(cache, key, value, position)
    keys, values, _ = kept_where(full, (full[2] == 0) | (full[2] > position - steps))
    return keys, values, full[2]


def values_stay(cache, key, value, position, steps):
    full = added(cache, key, value, position)
    keys, _, positions = kept_where(full, (full[2] == 0) | (full[2] > position - steps))
    return keys, full[1], positions


def first_entry_stays(cache, key, value, position, steps):
    """Keep the first entry of the cache, whatever its position is."""
    full = added(cache, key, value, position)
    kept = full[2] > position - steps
    kept[0] = True
    return kept_where(full, kept)


def first_stops_evicting(cache, key, value, position, steps):
    """Remove nothing as long as the cache has position 0."""
    full = added(cache, key, value, position)
    return kept_where(full, (full[2] > position - steps) | (full[2] == 0).any())


def first_stays_up_to_9(cache, key, value, position, steps):
    full = added(cache, key, value, position)
    return kept_where(full, (full[2] > position - steps) | (full[2] == 0) & (position < 10))


def first_is_evicted(cache, key, value, position, steps):
    full = added(cache, key, value, position)
    return kept_where(full, full[2] > position - steps)


def first_goes_to_the_end(cache, key, value, position, steps):
    full = added(cache, key, value, position)
    kept = (full[2] > position - steps).nonzero().flatten()
    first = ((full[2] == 0) & (full[2] <= position - steps)).nonzero().flatten()
    return kept_where(full, torch.cat([kept, first]))


def new_one_in_front(cache, key, value, position, steps):
    keys, values, positions = cache
    full = (
        torch.cat([key[:, None], keys], 1),
        torch.cat([value[:, None], values], 1),
        torch.cat([torch.tensor([position]), positions]),
    )
    return kept_where(full, (full[2] == 0) | (full[2] > position - steps))


def keys_as_values(cache, key, value, position, steps):
    full = added(cache, key, key, position)
    return kept_where(full, (full[2] == 0) | (full[2] > position - steps))


def at_most_7_steps(cache, key, value, position, steps):
    return cache_by_indices(cache, key, value, position, min(steps, 7))


# --- cache_step, right ---------------------------------------------------------------------------


def cache_by_indices(cache, key, value, position, steps):
    keys, values, positions = cache
    stay = [place for place, old in enumerate(positions.tolist()) if old == 0 or position - old < steps]
    return (
        torch.cat([keys[:, stay], key.unsqueeze(1)], dim=1),
        torch.cat([values[:, stay], value.unsqueeze(1)], dim=1),
        torch.tensor([*positions[stay].tolist(), position]),
    )


def cache_of_lists(cache, key, value, position, steps):
    """Collect entries in a list, and stack them again."""
    keys, values, positions = cache
    entries = [(keys[:, n], values[:, n], int(old)) for n, old in enumerate(positions)] + [(key, value, position)]
    entries = [entry for entry in entries if not entry[2] or entry[2] + steps > position]
    return [
        torch.stack([entry[0] for entry in entries], dim=1),
        torch.stack([entry[1] for entry in entries], dim=1),
        torch.tensor([entry[2] for entry in entries]),
    ]


def cache_in_two_parts(cache, key, value, position, steps):
    """Evict before adding, with a loop over the three tensors."""
    old = (cache[2] != 0) & (position - cache[2] >= steps)
    new = [key[:, None], value[:, None]]
    joined = [torch.cat([rows[:, ~old], row], 1) for rows, row in zip(cache[:2], new)]
    return (*joined, torch.cat([cache[2][~old], cache[2].new_tensor([position])]))


# --- translate_greedily, wrong -------------------------------------------------------------------


def translated(source, weights, forbidden, steps, least, most, **other):
    """Greedy search with exchangeable parts."""

    def layer(name, hidden, keys, values, bias, visible):
        query = hidden @ weights[f"{name}.query"]
        heads = attend(query, keys, values, weights[f"{name}.scale"], bias, visible)
        taken = (heads @ weights[f"{name}.output"]).sum(0)
        if other.get("plain") == name:
            return hidden + taken
        return hidden + trimmed_norm(taken, weights[f"{name}.norm"], 0.1)

    def stored(name, memory):
        return memory @ weights[f"{name}.key"], memory @ weights[f"{name}.value"]

    embedding, heads = weights["embedding"], len(weights["decoder.scale"])
    places, memory = torch.arange(len(source)), embedding[source]
    everything = torch.ones(len(source), len(source), dtype=torch.bool)
    if other.get("encoder", True):
        bias = position_bias(weights["encoder.table"], places, places, other.get("causal_encoder", False))
        seen = everything.tril() if other.get("causal_encoder", False) else everything
        memory = layer("encoder", memory, *stored("encoder", memory), bias, seen)
    k = weights["decoder.key"].shape[2]
    cache = (torch.zeros(heads, 0, k), torch.zeros(heads, 0, k), torch.arange(0))
    last, ids = other.get("start", 0), []
    while len(ids) < most and not (ids and ids[-1] == 1):
        step, hidden = len(ids), embedding[[last]]
        now = torch.tensor([other.get("position", lambda step: step)(step)])
        key, value = stored("decoder", hidden)
        before = cache
        cache = cache_step(cache, key[:, 0], value[:, 0], step, steps if other.get("evict", True) else 999)
        read = before if other.get("late", False) and step else cache
        bias = position_bias(weights["decoder.table"], now, read[2], True)
        bias = bias * other.get("bias", 1.0)
        seen = visible_keys(now, read[2]) if other.get("holes", True) else (read[2] <= now)[None]
        hidden = layer("decoder", hidden, read[0], read[1], bias, seen)
        if other.get("cross", True):
            blank = torch.zeros(heads, 1, len(source))
            hidden = layer("cross", hidden, *stored("cross", memory), blank, everything[:1])
        if other.get("block", True):
            parts = [weights[f"block.{part}"] for part in ("in", "gate", "out", "norm")]
            hidden = gated_block(hidden, *parts, 0.1)
        logits = tied_logits(hidden, embedding, forbidden)[0].tolist()
        barred = other.get("barred", lambda ids: {*ids[-1:]} | ({1} if len(ids) < least else set()))(ids)
        allowed = {id: logit for id, logit in enumerate(logits) if id not in barred}
        best = max(allowed.values())
        equal = [id for id, logit in allowed.items() if logit >= best - other.get("margin", 0.001)]
        last = other.get("of_equal", max)(equal)
        ids.append(last)
    return other.get("result", lambda ids: ids)(ids)


def no_cross_attention(source, weights, forbidden, steps, least, most):
    return translated(source, weights, forbidden, steps, least, most, cross=False)


def source_without_encoder(source, weights, forbidden, steps, least, most):
    return translated(source, weights, forbidden, steps, least, most, encoder=False)


def encoder_is_causal(source, weights, forbidden, steps, least, most):
    return translated(source, weights, forbidden, steps, least, most, causal_encoder=True)


def no_block(source, weights, forbidden, steps, least, most):
    return translated(source, weights, forbidden, steps, least, most, block=False)


def starts_with_the_end(source, weights, forbidden, steps, least, most):
    """Begin with id 1."""
    return translated(source, weights, forbidden, steps, least, most, start=1)


def position_is_always_0(source, weights, forbidden, steps, least, most):
    """Compute the bias of each step as if its query were the first one."""

    def unmasked(step):
        return 0

    return translated(source, weights, forbidden, steps, least, most, position=unmasked, holes=False)


def nothing_is_forgotten(source, weights, forbidden, steps, least, most):
    return translated(source, weights, forbidden, steps, least, most, evict=False)


def one_step_more(source, weights, forbidden, steps, least, most):
    return translated(source, weights, forbidden, steps + 1, least, most)


def own_token_comes_late(source, weights, forbidden, steps, least, most):
    """Attend to the cache before the token of this step is added."""
    return translated(source, weights, forbidden, steps, least, most, late=True)


def mask_without_holes(source, weights, forbidden, steps, least, most):
    return translated(source, weights, forbidden, steps, least, most, holes=False)


def smallest_of_equal_ids(source, weights, forbidden, steps, least, most):
    return translated(source, weights, forbidden, steps, least, most, of_equal=min)


def only_equal_logits_are_equal(source, weights, forbidden, steps, least, most):
    """Allow no more than the noise of float32."""
    return translated(source, weights, forbidden, steps, least, most, margin=1e-5)


def nearly_equal_logits_are_equal(source, weights, forbidden, steps, least, most):
    return translated(source, weights, forbidden, steps, least, most, margin=0.01)


def token_may_repeat(source, weights, forbidden, steps, least, most):
    def barred(ids):
        return {1} if len(ids) < least else set()

    return translated(source, weights, forbidden, steps, least, most, barred=barred)


def every_token_once(source, weights, forbidden, steps, least, most):
    """Allow no token that has been generated at any step."""

    def barred(ids):
        return {*ids[-3:]} | ({1} if len(ids) < least else set())

    return translated(source, weights, forbidden, steps, least, most, barred=barred)


def end_is_always_allowed(source, weights, forbidden, steps, least, most):
    return translated(source, weights, forbidden, steps, 0, most)


def one_more_than_least(source, weights, forbidden, steps, least, most):
    return translated(source, weights, forbidden, steps, least + 1, most)


def end_is_not_shown(source, weights, forbidden, steps, least, most):
    def shown(ids):
        return [id for id in ids if id != 1]

    return translated(source, weights, forbidden, steps, least, most, result=shown)


def end_is_ignored(source, weights, forbidden, steps, least, most):
    """Generate `most` tokens in any case."""
    ids = translated(source, weights, forbidden, steps, least, most)
    return ids + [1] * (most - len(ids))


def start_is_shown(source, weights, forbidden, steps, least, most):
    return [0, *translated(source, weights, forbidden, steps, least, most)]


def six_tokens_only(source, weights, forbidden, steps, least, most):
    """Generate no id above 5."""
    return translated(source, weights, [*forbidden, *range(6, 99)], steps, least, most)


def five_source_tokens_only(source, weights, forbidden, steps, least, most):
    return translated(source[:5], weights, forbidden, steps, least, most)


def positions_end_with_6(source, weights, forbidden, steps, least, most):
    return translated(source, weights, forbidden, steps, least, most, position=lambda step: min(step, 6))


# --- translate_greedily, right -------------------------------------------------------------------


def translate_without_cache(source, weights, forbidden, steps, least, most):
    """Compute the decoder's keys and values again in each step, and evict by position."""

    def layer(name, x, memory, bias, visible):
        query, key, value = (
            x @ weights[name + ".query"],
            memory @ weights[name + ".key"],
            memory @ weights[name + ".value"],
        )
        taken = attend(query, key, value, weights[name + ".scale"], bias, visible) @ weights[name + ".output"]
        return x + trimmed_norm(taken.sum(dim=0), weights[name + ".norm"], 0.1)

    table = weights["embedding"]
    n = len(source)
    bias = position_bias(weights["encoder.table"], torch.arange(n), torch.arange(n), False)
    memory = layer("encoder", table[source], table[source], bias, torch.ones(n, n, dtype=torch.bool))
    tokens = [0]
    for step in range(most):
        empty = torch.zeros(1, 0, 1), torch.zeros(1, 0, 1), torch.arange(0)
        for place in range(step + 1):
            empty = cache_step(empty, torch.zeros(1, 1), torch.zeros(1, 1), place, steps)
        places, now = empty[2], torch.tensor([step])
        x = table[tokens[-1:]]
        bias = position_bias(weights["decoder.table"], now, places, True)
        x = layer("decoder", x, table[torch.tensor(tokens)[places]], bias, visible_keys(now, places))
        heads = weights["cross.scale"].shape[0]
        x = layer("cross", x, memory, torch.zeros(heads, 1, n), torch.ones(1, n, dtype=torch.bool))
        x = gated_block(x, *[weights["block." + part] for part in ("in", "gate", "out", "norm")], 0.1)
        logits = tied_logits(x, table, forbidden)[0]
        logits[tokens[-1]] = -math.inf
        if step < least:
            logits[1] = -math.inf
        tokens.append(int((logits > logits.max() - 0.001).nonzero().max()))
        if tokens[-1] == 1:
            break
    return tokens[1:]


class Translator:
    """The model as an object with a cache."""

    def __init__(self, weights, source):
        self.weights, self.ids = weights, []
        heads, _, k = weights["decoder.key"].shape
        self.cache = (torch.zeros(heads, 0, k), torch.zeros(heads, 0, k), torch.zeros(0, dtype=torch.int64))
        states, places = weights["embedding"][source], torch.arange(len(source))
        self.memory = states
        bias = position_bias(weights["encoder.table"], places, places, False)
        self.memory = self.layer(
            "encoder", states, *self.pair("encoder"), bias, torch.ones(len(bias[0]), len(bias[0])) > 0
        )
        self.crossed = self.pair("cross")

    def pair(self, name, states=None):
        states = self.memory if states is None else states
        return [torch.einsum("nd,hdk->hnk", states, self.weights[f"{name}.{one}"]) for one in ("key", "value")]

    def layer(self, name, states, keys, values, bias, visible):
        query = torch.einsum("qd,hdk->hqk", states, self.weights[f"{name}.query"])
        taken = attend(query, keys, values, self.weights[f"{name}.scale"], bias, visible)
        output = torch.einsum("hqk,hkd->qd", taken, self.weights[f"{name}.output"])
        return states + trimmed_norm(output, self.weights[f"{name}.norm"], 0.1)

    def logits(self, forbidden, steps):
        """The logits of the next token."""
        states = self.weights["embedding"][[self.ids[-1] if self.ids else 0]]
        key, value = self.pair("decoder", states)
        now = torch.tensor([len(self.ids)])
        self.cache = cache_step(self.cache, key[:, 0], value[:, 0], int(now), steps)
        keys, values, places = self.cache
        bias = position_bias(self.weights["decoder.table"], now, places, True)
        states = self.layer("decoder", states, keys, values, bias, visible_keys(now, places))
        shape = len(self.crossed[0]), 1, len(self.memory)
        states = self.layer("cross", states, *self.crossed, torch.zeros(shape), torch.ones(shape[1:], dtype=torch.bool))
        block = (self.weights[f"block.{part}"] for part in ("in", "gate", "out", "norm"))
        return tied_logits(gated_block(states, *block, 0.1), self.weights["embedding"], forbidden)[0]


def translate_with_an_object(source, weights, forbidden, steps, least, most):
    model = Translator(weights, source)
    while len(model.ids) < most and 1 not in model.ids:
        logits = model.logits(forbidden, steps)
        scores = {id: score for id, score in enumerate(logits.tolist()) if id not in model.ids[-1:]}
        if len(model.ids) < least:
            del scores[1]
        limit = max(scores.values()) - 0.001
        model.ids.append(max(id for id in scores if scores[id] > limit))
    return model.ids


def translate_by_recursion(source, weights, forbidden, steps, least, most):
    """Continue a list of ids by one token."""

    def part(name):
        return lambda key: weights[f"{name}.{key}"]

    def attention(of, x, keys, values, bias, visible):
        taken = attend(x @ of("query"), keys, values, of("scale"), bias, visible)
        return x + trimmed_norm(torch.sum(taken @ of("output"), 0), of("norm"), 0.1)

    encoder, decoder, cross, block = map(part, ("encoder", "decoder", "cross", "block"))
    x, places = weights["embedding"][source], torch.arange(source.shape[0])
    all_seen = torch.ones(len(x), len(x)).bool()
    x = attention(
        encoder,
        x,
        x @ encoder("key"),
        x @ encoder("value"),
        position_bias(encoder("table"), places, places, False),
        all_seen,
    )

    def go_on(ids, cache):
        if len(ids) == most or ids[-1:] == [1]:
            return ids
        state, time = weights["embedding"][[*ids[-1:]] or [0]], len(ids)
        cache = cache_step(cache, (state @ decoder("key"))[:, 0], (state @ decoder("value"))[:, 0], time, steps)
        query = torch.tensor([time])
        bias = position_bias(decoder("table"), query, cache[2], True)
        state = attention(decoder, state, cache[0], cache[1], bias, visible_keys(query, cache[2]))
        bias = torch.zeros(len(cross("scale")), 1, len(x))
        state = attention(cross, state, x @ cross("key"), x @ cross("value"), bias, all_seen[:1])
        state = gated_block(state, block("in"), block("gate"), block("out"), block("norm"), 0.1)
        barred = [*forbidden, *ids[-1:], *([1] if time < least else [])]
        logits = tied_logits(state, weights["embedding"], barred)[0].tolist()
        best = [id for id, logit in enumerate(logits) if max(logits) - logit < 0.001]
        return go_on([*ids, best[-1]], cache)

    heads, _, k = decoder("key").shape
    return go_on([], (torch.zeros(heads, 0, k), torch.zeros(heads, 0, k), torch.arange(0)))


# -------------------------------------------------------------------------------------------------

WRONG: dict[str, dict[Program, list[str]]] = {
    "trimmed_norm": {
        size_of_all: ["size"],
        mean_is_subtracted: ["size"],
        largest_with_its_sign: ["size"],
        all_of_the_largest: ["size", "eps", "weight"],
        divided_by_all: ["size", "eps", "weight"],
        mean_of_sizes: ["size"],
        largest_of_the_tensor: ["size", "eps", "weight"],
        eps_below_the_root: ["eps"],
        eps_is_a_floor: ["eps"],
        no_eps: ["eps"],
        no_weight: ["weight"],
        all_numbers_with_eps: ["size"],
        all_numbers_with_weights: ["size"],
        weights_without_eps_only: ["weight"],
        one_weight_for_all: ["weight"],
        eps_without_weights_only: ["eps"],
    },
    "position_bias": {
        rounded_roots: ["roots", "sides", "decoder", "positions"],
        roots_up_to_4: ["roots", "sides", "last", "decoder"],
        sides_in_halves: ["roots", "sides", "last", "positions"],
        sides_exchanged: ["roots", "sides", "last", "positions"],
        both_sides_alike: ["sides"],
        odd_side_plus_one: ["sides"],
        one_last_bucket: ["last"],
        no_last_bucket: ["last"],
        encoder_buckets_everywhere: ["decoder"],
        later_keys_have_a_bias: ["decoder"],
        later_keys_by_distance: ["decoder"],
        one_sign: ["heads"],
        one_head_changes_sign: ["heads"],
        second_half_changes_sign: ["heads"],
        first_column_for_all: ["heads"],
        first_bucket_of_other_heads: ["heads"],
        one_head_has_two_sides: ["sides"],
        places_as_positions: ["roots", "last", "decoder", "positions"],
    },
    "visible_keys": {
        rule_of_another: ["mine"],
        distances_of_another: ["mine"],
        plain_causal_mask: ["mine"],
        positions_instead_of_distances: ["mine"],
        only_the_nearest: ["mine"],
        not_itself: ["later", "mine"],
        later_keys_too: ["later", "mine"],
        hidden_is_true: ["later", "mine"],
        nothing_beyond_9: ["mine"],
    },
    "attend": {
        divided_by_a_root: ["scores"],
        one_scale: ["scale", "bias"],
        divided_by_the_scale: ["scale", "bias"],
        first_scale_for_all: ["scale", "bias"],
        bias_is_scaled: ["bias"],
        no_bias: ["bias"],
        bias_of_the_first_query: ["bias"],
        everything_is_seen: ["visible", "none"],
        scores_of_zero: ["visible", "none"],
        masked_afterwards: ["visible"],
        mask_of_the_first_query: ["visible", "none"],
        wide_heads_see_everything: ["visible", "none"],
        wide_heads_have_no_bias: ["bias"],
        wide_heads_have_no_scale: ["scale"],
        nan_stays: ["none"],
        very_small_scores: ["none"],
        softmax_over_queries: ["scores", "scale", "bias", "visible", "none"],
        plain_beside_holes: ["scores", "scale", "bias"],
    },
    "gated_block": {
        relu_without_square: ["square"],
        square_without_relu: ["square"],
        relu_of_the_first_unit: ["square"],
        gate_is_added: ["gate"],
        no_gate: ["gate"],
        gate_with_relu: ["gate"],
        gate_with_sigmoid: ["gate", "norm"],
        norm_comes_first: ["norm"],
        norm_of_the_sum: ["square", "gate", "norm"],
        block_without_norm: ["norm"],
        nothing_is_added: ["square", "gate", "norm"],
        square_without_norm_only: ["square"],
        gate_without_eps_only: ["gate"],
    },
    "tied_logits": {
        scale_of_t5: ["scale"],
        no_scale: ["scale"],
        cosines: ["scale"],
        squared_length: ["scale"],
        mean_instead_of_sum: ["scale"],
        forbidden_logit_is_zero: ["forbidden", "padding"],
        forbidden_logit_is_small: ["forbidden", "padding"],
        forbidden_at_the_last_position: ["forbidden", "padding"],
        unknown_ids_fail: ["forbidden"],
        nothing_is_forbidden: ["forbidden"],
        scale_without_list_only: ["scale"],
        padding_without_list_only: ["padding"],
        padding_is_allowed: ["padding"],
        wide_states_forbid_padding_only: ["forbidden"],
        wide_states_allow_padding: ["padding"],
    },
    "weighted_loss": {
        plain_mean: ["weights", "gaps"],
        weights_that_grow: ["weights", "gaps"],
        halves: ["weights", "gaps"],
        weights_end_with_a_quarter: ["weights"],
        divided_by_the_count: ["weights", "gaps"],
        not_divided: ["weights", "gaps"],
        logarithm_with_base_2: ["one", "weights", "gaps", "none"],
        logits_without_softmax: ["one", "weights", "gaps", "none"],
        sign_stays: ["one", "weights", "gaps", "none"],
        probability_instead_of_logarithm: ["one", "weights", "gaps", "none"],
        weight_of_the_place: ["gaps"],
        ignored_in_the_divisor: ["gaps"],
        ignored_label_is_padding: ["gaps", "none"],
        nan_without_labels: ["none"],
    },
    "cache_step": {
        nothing_is_evicted: ["evicted", "first"],
        one_step_late: ["evicted"],
        one_step_early: ["evicted"],
        number_of_entries: ["evicted"],
        positions_stay: ["evicted", "first"],
        values_stay: ["evicted", "first"],
        first_entry_stays: ["evicted"],
        first_stops_evicting: ["first"],
        first_stays_up_to_9: ["first"],
        first_is_evicted: ["first"],
        first_goes_to_the_end: ["first"],
        new_one_in_front: ["joined", "evicted", "first"],
        keys_as_values: ["joined", "evicted", "first"],
        at_most_7_steps: ["evicted"],
    },
    "translate_greedily": {
        no_cross_attention: ["first", "cached", "repeats", "end"],
        source_without_encoder: ["first", "cached", "repeats", "end"],
        encoder_is_causal: ["first", "cached", "repeats", "end"],
        no_block: ["first", "cached", "repeats", "end"],
        starts_with_the_end: ["first", "cached", "repeats", "end"],
        position_is_always_0: ["cached", "repeats", "end"],
        nothing_is_forgotten: ["cached"],
        one_step_more: ["cached"],
        own_token_comes_late: ["cached", "repeats", "end"],
        mask_without_holes: ["cached", "repeats", "end"],
        smallest_of_equal_ids: ["ties"],
        only_equal_logits_are_equal: ["ties"],
        nearly_equal_logits_are_equal: ["ties"],
        token_may_repeat: ["cached", "repeats", "end"],
        every_token_once: ["cached", "repeats", "end"],
        end_is_always_allowed: ["end"],
        one_more_than_least: ["end"],
        end_is_not_shown: ["end"],
        end_is_ignored: ["end"],
        start_is_shown: ["first", "cached", "ties", "repeats", "end"],
        six_tokens_only: ["first"],
        five_source_tokens_only: ["first"],
        positions_end_with_6: ["cached"],
    },
}
RIGHT: dict[str, list[Program]] = {
    "trimmed_norm": [norm_by_sorting, norm_row_by_row, norm_in_plain_python],
    "position_bias": [bias_in_loops, bias_by_comparing, bias_head_by_head],
    "visible_keys": [seen_in_loops, seen_by_listing, seen_by_where],
    "attend": [attend_with_powers, attend_head_by_head, attend_query_by_query],
    "gated_block": [block_step_by_step, block_with_its_own_norm, block_row_by_row],
    "tied_logits": [logits_with_unit_rows, logits_token_by_token, logits_by_adding],
    "weighted_loss": [loss_in_a_loop, loss_with_counts, loss_of_lists],
    "cache_step": [cache_by_indices, cache_of_lists, cache_in_two_parts],
    "translate_greedily": [translate_without_cache, translate_with_an_object, translate_by_recursion],
}
