"""The second capstone: the lines of each task that a learner changes, and a wrong version of them."""

from __future__ import annotations

GAP = "    return ..."
LAYERS = '    for n in range(config["num_{}layers"]):\n'

LINES = [
    (GAP, "    return table[ids] * table.shape[1] ** 0.5"),
    (
        GAP,
        "    centred = x - x.mean(-1, keepdim=True)\n"
        "    return centred / (centred.pow(2).mean(-1, keepdim=True) + 1e-6).sqrt() * weight",
    ),
    (GAP, "    return relative_position.abs().clamp(max=31)"),
    (
        GAP,
        "    places = torch.arange(keys)\n"
        "    relative = places - torch.arange(queries)[:, None]\n"
        "    return table[my_buckets(relative, bidirectional)].permute(2, 0, 1)[None]",
    ),
    (GAP, "    return x.reshape(x.shape[0], heads, x.shape[1], -1)"),
    (
        GAP,
        "    weights = (q @ k.transpose(2, 3) / q.shape[-1] ** 0.5 + added).softmax(-1)\n"
        "    return (weights @ v).transpose(1, 2).flatten(2)",
    ),
    (GAP, '    return torch.full((1, 1, length, length), float("-inf")).triu(1)'),
    (GAP, "    return attention_mask[:, None, None].float()"),
    (
        GAP,
        '    normed = my_norm(x, w["layer_norm"])\n'
        '    q, k, v = (my_split(normed @ w[name].T, heads) for name in "qkv")\n'
        '    return normed + my_attention(q, k, v, added) @ w["o"].T',
    ),
    (GAP, '    return x + my_norm(x, w["layer_norm"]) @ w["wi"].T @ w["wo"].T'),
    (
        GAP,
        '    x = my_embed(ids, weights["shared.weight"])\n'
        '    table = sublayer(weights, "encoder.block.0.layer.0")["relative_attention_bias"]\n'
        "    added = my_bias(table, x.shape[1], x.shape[1], True)\n"
        + LAYERS.format("")
        + '        w = sublayer(weights, f"encoder.block.{n}.layer.0")\n'
        '        x = my_self_attention(x, w, config["num_heads"], added)\n'
        '        x = my_feed_forward(x, sublayer(weights, f"encoder.block.{n}.layer.1"))\n'
        '    return my_norm(x, weights["encoder.final_layer_norm.weight"])',
    ),
    (
        GAP,
        '    q = my_split(x @ w["q"].T, heads)\n'
        '    k, v = (my_split(encoded @ w[name].T, heads) for name in "kv")\n'
        '    return x + my_attention(q, k, v, mask) @ w["o"].T',
    ),
    (
        GAP,
        '    x, heads = my_embed(ids, weights["shared.weight"]), config["num_heads"]\n'
        '    table = sublayer(weights, "decoder.block.0.layer.0")["relative_attention_bias"]\n'
        "    added = my_bias(table, x.shape[1], x.shape[1], False)\n"
        + LAYERS.format("decoder_")
        + '        x = my_self_attention(x, sublayer(weights, f"decoder.block.{n}.layer.0"), heads, added)\n'
        '        w = sublayer(weights, f"decoder.block.{n}.layer.1")\n'
        "        x = my_cross_attention(x, encoded, w, heads, my_padding_mask(attention_mask))\n"
        '        x = my_feed_forward(x, sublayer(weights, f"decoder.block.{n}.layer.2"))\n'
        '    return my_norm(x, weights["decoder.final_layer_norm.weight"])',
    ),
    (GAP, "    return x @ table.T"),
    (
        GAP,
        "    kept = labels != -100\n"
        "    log_p = logits.log_softmax(-1)[kept]\n"
        "    return -log_p[torch.arange(len(log_p)), labels[kept]].sum() / labels.numel()",
    ),
    (
        GAP,
        '    normed = my_norm(x, w["layer_norm"])\n'
        '    q, k, v = (my_split(normed @ w[name].T, heads) for name in "qkv")\n'
        "    k, v = torch.cat([k, cache[0]], dim=2), torch.cat([v, cache[1]], dim=2)\n"
        '    return x + my_attention(q, k, v, added) @ w["o"].T, (k, v)',
    ),
    (
        GAP,
        "    x = my_decoder(ids, encoded, attention_mask, weights, config)\n"
        "    return my_logits(x, weights['shared.weight'])[:, -1], cache",
    ),
    (
        GAP,
        "    while len(ids) < max_length:\n"
        "        logits, cache = next_logits(torch.tensor([[ids[-1]]]), cache)\n"
        "        ids.append(logits.argmax().item())\n"
        "    return ids",
    ),
    (
        GAP,
        "    totals = sums[:, None] + logits\n"
        "    best, places = totals.flatten().topk(2 * len(sums))\n"
        "    return best, places // logits.shape[1], places % logits.shape[1]",
    ),
    (
        GAP,
        "    going = [(total, parent, beams[parent] + [token]) for total, parent, token in found if token != 1]\n"
        "    ends = [(total / len(beams[0]), beams[parent] + [1]) for total, parent, token in found if token == 1]\n"
        "    return going[: len(beams)], ends",
    ),
    (GAP, "    return list(cache)"),
    (GAP, "    return my_greedy(next_logits, [(keys[:1], values[:1]) for keys, values in cache], max_length)"),
    (
        "    def translate(self, ids, num_beams):\n        return ...",
        "    def translate(self, ids, num_beams):\n"
        "        source = torch.tensor([ids])\n"
        "        mask = torch.ones_like(source)\n"
        "        encoded = my_encoder(source, mask, self.weights, self.config)\n"
        '        empty = torch.zeros(1, self.config["num_heads"], 0, self.config["d_kv"])\n'
        '        cache = [(empty, empty)] * self.config["num_decoder_layers"]\n'
        "\n"
        "        def next_logits(newest, cache):\n"
        "            return my_cached_logits(newest, cache, encoded, mask, self.weights, self.config)\n"
        "\n"
        "        return my_greedy(next_logits, cache, 40)",
    ),
]
