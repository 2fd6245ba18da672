"""Second capstone: right programs in three styles, and wrong ones with their rules."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.nn import functional

from tokenlab.check import FunctionCheck
from tokenlab.check.capstones import t5_cache, t5_layers, t5_parts, t5_search, t5_translation
from tokenlab.minimal import t5

LOWEST = torch.finfo(torch.float32).min


def embed_1(ids: Any, table: Any) -> Any:
    return functional.embedding(ids, table)


def embed_2(ids: Any, table: Any) -> Any:
    return torch.stack([torch.stack([table[id] for id in row]) for row in ids.tolist()])


def norm_1(x: Any, weight: Any) -> Any:
    return functional.rms_norm(x, weight.shape, weight, 1e-6)


def norm_2(x: Any, weight: Any) -> Any:
    return weight * (x * torch.rsqrt((x**2).sum(2, keepdim=True) / x.shape[2] + 1e-6))


def buckets_1(relative_position: Any, bidirectional: Any) -> Any:
    def one(at: int) -> int:
        number = 16 if bidirectional else 32
        first = number if bidirectional and at > 0 else 0
        distance = abs(at) if bidirectional else max(-at, 0)
        if distance < number // 2:
            return first + distance
        share = math.log(distance / (number // 2)) / math.log(128 / (number // 2))
        return first + min(number - 1, number // 2 + int(share * (number // 2)))

    return torch.tensor([[one(at) for at in row] for row in relative_position.tolist()])


def buckets_2(relative_position: Any, bidirectional: Any) -> Any:
    if bidirectional:
        before = half_2(-relative_position, 16)
        return torch.where(relative_position > 0, 16 + half_2(relative_position, 16), before)
    return half_2(-relative_position, 32)


def half_2(distance: Any, number: int) -> Any:
    distance, half = distance.clamp(min=0), number // 2
    scaled = (distance.float() / half).clamp(min=1).log() / math.log(128 / half) * half
    return torch.where(distance < half, distance, torch.minimum(half + scaled.floor(), torch.tensor(number - 1)).int())


def bias_1(table: Any, queries: Any, keys: Any, bidirectional: Any) -> Any:
    rows = [[key - query for key in range(keys)] for query in range(keys - queries, keys)]
    return table.T[:, t5.buckets(torch.tensor(rows), bidirectional)].unsqueeze(0)


def bias_2(table: Any, queries: Any, keys: Any, bidirectional: Any) -> Any:
    at = torch.arange(keys)
    square = table[t5.buckets(at[None, :] - at[:, None], bidirectional)]
    return torch.einsum("qkh->hqk", square[-queries:])[None]


def split_1(x: Any, heads: Any) -> Any:
    return torch.stack(x.chunk(heads, dim=-1), dim=1)


def split_2(x: Any, heads: Any) -> Any:
    size = x.shape[-1] // heads
    return torch.stack([x[..., head * size : (head + 1) * size] for head in range(heads)]).transpose(0, 1)


def attention_1(q: Any, k: Any, v: Any, added: Any) -> Any:
    joined = functional.scaled_dot_product_attention(q, k, v, added.expand(len(q), -1, -1, -1), scale=1.0)
    return joined.permute(0, 2, 1, 3).reshape(q.shape[0], q.shape[2], -1)


def attention_2(q: Any, k: Any, v: Any, added: Any) -> Any:
    scores = torch.einsum("bhqd,bhkd->bhqk", q, k) + added
    powers = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    weights = powers / powers.sum(dim=-1, keepdim=True)
    return torch.cat([weights[:, head] @ v[:, head] for head in range(q.shape[1])], dim=-1)


def causal_1(length: Any) -> Any:
    at = torch.arange(length)
    return torch.where(at[None, :] <= at[:, None], 0.0, LOWEST)[None, None]


def causal_2(length: Any) -> Any:
    return torch.tensor([[[[0.0 if key <= query else LOWEST for key in range(length)] for query in range(length)]]])


def padding_1(attention_mask: Any) -> Any:
    return (1.0 - attention_mask)[:, None, None, :] * LOWEST


def padding_2(attention_mask: Any) -> Any:
    rows = [[[[0.0 if one else LOWEST for one in row]]] for row in attention_mask.tolist()]
    return torch.tensor(rows)


def self_1(x: Any, w: Any, heads: Any, added: Any) -> Any:
    normed = norm_1(x, w["layer_norm"])
    q, k, v = (split_1(functional.linear(normed, w[name]), heads) for name in ("q", "k", "v"))
    return x + functional.linear(attention_2(q, k, v, added), w["o"])


def self_2(x: Any, w: Any, heads: Any, added: Any) -> Any:
    all_three = norm_2(x, w["layer_norm"]) @ torch.cat([w["q"], w["k"], w["v"]]).T
    return attention_2(*(split_2(one, heads) for one in all_three.chunk(3, dim=2)), added) @ w["o"].T + x


def fed_1(x: Any, w: Any) -> Any:
    return x + functional.linear(functional.relu(functional.linear(norm_1(x, w["layer_norm"]), w["wi"])), w["wo"])


def fed_2(x: Any, w: Any) -> Any:
    hidden = torch.einsum("bld,fd->blf", norm_2(x, w["layer_norm"]), w["wi"])
    return torch.einsum("blf,df->bld", hidden.clamp(min=0), w["wo"]) + x


def weights_of(weights: Any, start: str) -> Any:
    return {name.rsplit(".", 2)[1]: one for name, one in weights.items() if name.startswith(f"{start}.")}


def encoder_1(ids: Any, attention_mask: Any, weights: Any, config: Any) -> Any:
    x, length = weights["shared.weight"][ids], ids.shape[1]
    table = weights["encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"]
    added = bias_1(table, length, length, True) + padding_1(attention_mask)
    for number in range(config["num_layers"]):
        x = self_1(x, weights_of(weights, f"encoder.block.{number}.layer.0"), config["num_heads"], added)
        x = fed_1(x, weights_of(weights, f"encoder.block.{number}.layer.1"))
    return norm_1(x, weights["encoder.final_layer_norm.weight"])


def encoder_2(ids: Any, attention_mask: Any, weights: Any, config: Any) -> Any:
    def after(number: int) -> Any:
        if number == 0:
            return embed_1(ids, weights["shared.weight"])
        x, start = after(number - 1), f"encoder.block.{number - 1}.layer"
        table = weights["encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"]
        added = padding_2(attention_mask) + bias_2(table, x.shape[1], x.shape[1], True)
        return fed_2(
            self_2(x, weights_of(weights, f"{start}.0"), table.shape[1], added), weights_of(weights, f"{start}.1")
        )

    return norm_2(after(config["num_layers"]), weights["encoder.final_layer_norm.weight"])


def cross_1(x: Any, encoded: Any, w: Any, heads: Any, mask: Any) -> Any:
    q = split_1(functional.linear(norm_1(x, w["layer_norm"]), w["q"]), heads)
    k, v = split_1(functional.linear(encoded, w["k"]), heads), split_1(functional.linear(encoded, w["v"]), heads)
    return x + functional.linear(t5.attention(q, k, v, mask), w["o"])


def cross_2(x: Any, encoded: Any, w: Any, heads: Any, mask: Any) -> Any:
    given = {"q": norm_2(x, w["layer_norm"]), "k": encoded, "v": encoded}
    return attention_2(*(split_2(one @ w[name].T, heads) for name, one in given.items()), mask) @ w["o"].T + x


def decoder_1(ids: Any, encoded: Any, attention_mask: Any, weights: Any, config: Any) -> Any:
    x, length, heads = weights["shared.weight"][ids], ids.shape[1], config["num_heads"]
    table = weights["decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"]
    added = bias_1(table, length, length, False) + causal_1(length)
    for number in range(config["num_decoder_layers"]):
        of_self, of_cross, of_fed = (weights_of(weights, f"decoder.block.{number}.layer.{part}") for part in range(3))
        x = cross_1(self_1(x, of_self, heads, added), encoded, of_cross, heads, padding_1(attention_mask))
        x = fed_1(x, of_fed)
    return norm_1(x, weights["decoder.final_layer_norm.weight"])


def decoder_2(ids: Any, encoded: Any, attention_mask: Any, weights: Any, config: Any) -> Any:
    """One prefix after the other, so that no mask is needed."""
    rows = [_last_state(ids[:, : end + 1], encoded, attention_mask, weights, config) for end in range(ids.shape[1])]
    return torch.stack(rows, dim=1)


def _last_state(ids: Any, encoded: Any, attention_mask: Any, weights: Any, config: Any) -> Any:
    return decoder_1(ids, encoded, attention_mask, weights, config)[:, -1]


def logits_1(x: Any, table: Any) -> Any:
    return functional.linear(x, table) / math.sqrt(x.shape[-1])


def logits_2(x: Any, table: Any) -> Any:
    return torch.einsum("bld,vd->blv", x * table.shape[1] ** -0.5, table)


def loss_1(logits: Any, labels: Any) -> Any:
    return functional.cross_entropy(logits.flatten(0, 1), labels.flatten())


def loss_2(logits: Any, labels: Any) -> Any:
    total, number = torch.tensor(0.0), 0
    for row, wanted in zip(logits.flatten(0, 1), labels.flatten().tolist(), strict=True):
        if wanted != -100:
            total, number = total + row.logsumexp(0) - row[wanted], number + 1
    return total / number


def cached_1(x: Any, w: Any, heads: Any, added: Any, cache: Any) -> Any:
    normed = norm_1(x, w["layer_norm"])
    q, k, v = (split_1(functional.linear(normed, w[name]), heads) for name in "qkv")
    cache = tuple(torch.cat(both, dim=2) for both in zip(cache, (k, v), strict=True))
    return x + functional.linear(t5.attention(q, *cache, added), w["o"]), cache


def cached_2(x: Any, w: Any, heads: Any, added: Any, cache: Any) -> Any:
    y = norm_2(x, w["layer_norm"])
    keys = torch.cat([cache[0], split_2(y @ w["k"].T, heads)], -2)
    values = torch.cat([cache[1], split_2(y @ w["v"].T, heads)], -2)
    return [attention_2(split_2(y @ w["q"].T, heads), keys, values, added) @ w["o"].T + x, [keys, values]]


def step_1(ids: Any, cache: Any, encoded: Any, attention_mask: Any, weights: Any, config: Any) -> Any:
    x, after = functional.embedding(ids, weights["shared.weight"]), []
    table = weights["decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"]
    added = bias_1(table, 1, cache[0][0].size(2) + 1, False)
    for number, pair in enumerate(cache):
        of_self, of_cross, of_fed = (weights_of(weights, f"decoder.block.{number}.layer.{part}") for part in range(3))
        x, pair = cached_1(x, of_self, config["num_heads"], added, pair)
        x = fed_1(cross_1(x, encoded, of_cross, config["num_heads"], padding_1(attention_mask)), of_fed)
        after.append(pair)
    x = norm_1(x, weights["decoder.final_layer_norm.weight"])
    return logits_1(x, weights["shared.weight"]).squeeze(1), after


def step_2(ids: Any, cache: Any, encoded: Any, attention_mask: Any, weights: Any, config: Any) -> Any:
    """All biases are computed, and the last row is used."""
    x, after, heads = weights["shared.weight"][ids[:, 0]][:, None], (), config["num_heads"]
    number = cache[0][0].shape[-2] + 1
    table = weights["decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"]
    added = bias_2(table, number, number, False)[:, :, -1:]
    for layer in range(config["num_decoder_layers"]):
        x, pair = cached_2(x, weights_of(weights, f"decoder.block.{layer}.layer.0"), heads, added, cache[layer])
        w = weights_of(weights, f"decoder.block.{layer}.layer.1")
        x = cross_2(x, encoded, w, heads, padding_2(attention_mask))
        x, after = fed_2(x, weights_of(weights, f"decoder.block.{layer}.layer.2")), (*after, pair)
    return logits_2(norm_2(x, weights["decoder.final_layer_norm.weight"]), weights["shared.weight"])[:, 0], after


def greedy_1(next_logits: Any, cache: Any, max_length: Any) -> Any:
    ids = [0]
    for _ in range(max_length - 1):
        logits, cache = next_logits(torch.tensor([[ids[-1]]]), cache)
        ids.append(int(logits[0].argmax()))
        if ids[-1] == 1:
            break
    return ids


def greedy_2(next_logits: Any, cache: Any, max_length: Any) -> Any:
    def after(ids: Any, cache: Any) -> Any:
        if ids[-1] == 1 or len(ids) == max_length:
            return ids
        logits, cache = next_logits(torch.tensor(ids[-1:])[None], cache)
        return after([*ids, logits.softmax(-1).argmax(-1).item()], cache)

    return after([0], cache)


def candidates_1(sums: Any, logits: Any) -> Any:
    totals = (sums.unsqueeze(1) + functional.log_softmax(logits, dim=1)).reshape(-1)
    order = totals.sort(descending=True).indices[: 2 * len(sums)]
    return totals[order], torch.div(order, logits.size(1), rounding_mode="floor"), order.remainder(logits.size(1))


def candidates_2(sums: Any, logits: Any) -> Any:
    log_p = (logits - logits.logsumexp(1, keepdim=True)).tolist()
    found = [
        (total + p, beam, token) for beam, total in enumerate(sums.tolist()) for token, p in enumerate(log_p[beam])
    ]
    best = sorted(found, reverse=True)[: 2 * len(sums)]
    return [torch.tensor([one[part] for one in best]) for part in range(3)]


def select_1(beams: Any, sums: Any, parents: Any, tokens: Any) -> Any:
    going: list[Any] = []
    ends: list[Any] = []
    for rank in range(len(sums)):
        total, parent, token = sums[rank].item(), parents[rank].item(), tokens[rank].item()
        if token == 1 and rank < len(beams):
            ends.append((total / len(beams[parent]), [*beams[parent], 1]))
        if token != 1 and len(going) < len(beams):
            going.append((total, parent, [*beams[parent], token]))
    return going, ends


def select_2(beams: Any, sums: Any, parents: Any, tokens: Any) -> Any:
    going = [rank for rank, token in enumerate(tokens.tolist()) if token != 1][: len(beams)]
    ends = [rank for rank, token in enumerate(tokens.tolist()[: len(beams)]) if token == 1]
    ids = [[*beams[int(parent)], int(token)] for parent, token in zip(parents, tokens, strict=True)]
    return [
        [(float(sums[rank]), int(parents[rank]), ids[rank]) for rank in going],
        [(float(sums[rank]) / (len(ids[rank]) - 1), ids[rank]) for rank in ends],
    ]


def reorder_1(cache: Any, parents: Any) -> Any:
    return [tuple(tensor.index_select(0, torch.tensor(parents)) for tensor in pair) for pair in cache]


def reorder_2(cache: Any, parents: Any) -> Any:
    return tuple([torch.stack([one[parent] for parent in parents]) for one in pair] for pair in cache)


def beams_1(next_logits: Any, cache: Any, num_beams: Any, max_length: Any) -> Any:
    beams, totals = [[0] for _ in range(num_beams)], [0.0, *[-1e9] * (num_beams - 1)]
    pool: list[Any] = []
    for length in range(1, max_length):
        logits, cache = next_logits(torch.tensor(beams)[:, -1:], cache)
        sums, parents, tokens = candidates_1(torch.tensor(totals), logits)
        going, ends = select_1(beams, sums, parents, tokens)
        for one in ends:
            pool.append(one)
            if len(pool) > num_beams:
                pool.remove(min(pool))
        if len(pool) == num_beams and min(pool)[0] >= sums.max().item() / length:
            break
        cache = reorder_1(cache, [parent for _, parent, _ in going])
        totals, beams = [one[0] for one in going], [one[2] for one in going]
    else:
        pool += [(total / max_length, ids) for total, ids in zip(totals, beams, strict=True)]
    return max(pool)[1]


def beams_2(next_logits: Any, cache: Any, num_beams: Any, max_length: Any) -> Any:
    state: list[Any] = [(0.0 if beam == 0 else -1e9, beam, [0]) for beam in range(num_beams)]
    pool: list[Any] = []
    while (length := len(state[0][2])) < max_length:
        logits, cache = next_logits(torch.tensor([[ids[-1]] for *_, ids in state]), cache)
        found = t5_search.best_candidates(torch.tensor([total for total, *_ in state]), logits)
        state, ends = select_2([ids for *_, ids in state], *found)
        pool = sorted([*pool, *ends], reverse=True)[:num_beams]
        if len(pool) == num_beams and pool[-1][0] * length >= found[0][0].item():
            return pool[0][1]
        cache = reorder_2(cache, [parent for _, parent, _ in state])
    return sorted([*pool, *((total / length, ids) for total, _, ids in state)])[-1][1]


class Whole1:
    def __init__(self, weights: Any, config: Any) -> None:
        self.weights, self.config = weights, config

    def translate(self, ids: Any, num_beams: Any) -> Any:
        mask = torch.ones(1, len(ids))
        encoded = encoder_1(torch.tensor([ids]), mask, self.weights, self.config)
        empty = torch.zeros(num_beams, self.config["num_heads"], 0, self.config["d_kv"])
        cache = [(empty, empty) for _ in range(self.config["num_decoder_layers"])]
        next_logits = lambda newest, cache: step_1(newest, cache, encoded, mask, self.weights, self.config)  # noqa: E731
        return beams_1(next_logits, cache, num_beams, 40) if num_beams > 1 else greedy_1(next_logits, cache, 40)


class Whole2(Whole1):
    """Without a cache of keys and values: the cache contains the ids, and each round reads all of them."""

    def translate(self, ids: Any, num_beams: Any) -> Any:
        mask = torch.ones(1, len(ids))
        encoded = encoder_2(torch.tensor([ids]), mask, self.weights, self.config)

        def next_logits(newest: Any, cache: Any) -> Any:
            ((read, _),) = cache
            read = torch.cat([read, newest], dim=1)
            states = t5.decoder(read, encoded, mask, self.weights, self.config)
            return t5.tied_logits(states[:, -1:], self.weights["shared.weight"])[:, 0], [(read, read)]

        empty = torch.zeros(num_beams, 0, dtype=torch.long)
        if num_beams > 1:
            return beams_2(next_logits, [(empty, empty)], num_beams, 40)
        return greedy_2(next_logits, [(empty, empty)], 40)


VARIANTS: dict[str, Any] = {
    "t5_embed": (embed_1, embed_2, t5.embed),
    "t5_norm": (norm_1, norm_2, t5.rms_norm),
    "t5_buckets": (buckets_1, buckets_2, t5.buckets),
    "t5_bias": (bias_1, bias_2, t5.bias),
    "t5_split": (split_1, split_2, t5.split_heads),
    "t5_attention": (attention_1, attention_2, t5.attention),
    "t5_causal_mask": (causal_1, causal_2, t5.causal_mask),
    "t5_padding_mask": (padding_1, padding_2, t5.padding_mask),
    "t5_self_attention": (self_1, self_2, t5.self_attention_sublayer),
    "t5_feed_forward": (fed_1, fed_2, t5.feed_forward_sublayer),
    "t5_encoder": (encoder_1, encoder_2, t5.encoder),
    "t5_cross_attention": (cross_1, cross_2, t5.cross_attention_sublayer),
    "t5_decoder": (decoder_1, decoder_2, t5.decoder),
    "t5_logits": (logits_1, logits_2, t5.tied_logits),
    "t5_loss": (loss_1, loss_2, t5.mean_loss),
    "t5_cached_sublayer": (cached_1, cached_2, t5.cached_sublayer),
    "t5_cached_logits": (step_1, step_2, t5.cached_logits),
    "t5_greedy": (greedy_1, greedy_2, t5.greedy_search),
    "t5_candidates": (candidates_1, candidates_2, t5_search.best_candidates),
    "t5_select": (select_1, select_2, t5_search.select_beams),
    "t5_reorder": (reorder_1, reorder_2, t5_search.reorder_cache),
    "t5_beam_search": (beams_1, beams_2, t5_search.beam_search),
    "t5_translation": (Whole1, Whole2, t5_search.BeamT5),
}
WRONG: dict[str, Any] = {
    name: [(program, rule, 90) for program, rule in one.known_wrong]
    for module in (t5_parts, t5_layers, t5_cache, t5_search, t5_translation)
    for name, one in vars(module).items()
    if isinstance(one, FunctionCheck)
}
RIGHT: dict[str, Any] = {}
NOT_RIGHT: list[Any] = []
SHOWS: dict[Any, Any] = {}
DOES_NOT: dict[Any, Any] = {}
CAUGHT: dict[str, Any] = {}
