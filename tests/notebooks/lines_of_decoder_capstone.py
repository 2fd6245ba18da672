"""The third capstone: the lines of each task that a learner changes, and a wrong version of them."""

from __future__ import annotations

GAP = "    return ..."

LINES = [
    (GAP, "    return [[*encode(text), end] for text in texts]"),
    (
        GAP,
        "    for document in documents:\n"
        "        for at in range(order - 1, len(document)):\n"
        "            after = counts.setdefault(tuple(document[at - order + 1 : at]), {})\n"
        "            after[document[at]] = after.get(document[at], 0) + 1\n"
        "    return counts",
    ),
    (
        GAP,
        "    seen = counts.get(context, {})\n    return (seen.get(id, 0) + 1) / (sum(seen.values()) + vocab_size)",
    ),
    (
        GAP,
        "    nats = 0.0\n"
        "    for at in range(1, len(document)):\n"
        "        context = tuple(document[max(0, at - order + 1) : at])\n"
        "        nats -= math.log2(my_probability(document[at], context, counts, vocab_size))\n"
        "    return nats",
    ),
    (GAP, "    return sum(nats) / sum(map(len, texts))"),
    (
        GAP,
        "    inputs = torch.full((len(documents), width), end)\n"
        "    for row, document in enumerate(documents):\n"
        "        ids = torch.tensor(document[:width])\n"
        "        inputs[row, : len(ids)] = ids\n"
        "    return inputs, inputs.clone()",
    ),
    (
        GAP,
        "    centred = x - x.mean(-1, keepdim=True)\n"
        "    return centred / (centred.pow(2).mean(-1, keepdim=True) + 1e-6).sqrt() * weight",
    ),
    (
        GAP,
        "    half = x.shape[-1] // 2\n"
        "    angles = positions[:, None] * theta ** (-torch.arange(half) / half)\n"
        "    return x + torch.cat([angles.cos(), angles.sin()], dim=-1)",
    ),
    (GAP, "    return torch.ones(queries, keys).tril() > 0"),
    (
        GAP,
        "    times = q.shape[1] // k.shape[1]\n"
        "    k, v = k.repeat(1, times, 1, 1), v.repeat(1, times, 1, 1)\n"
        "    scores = q @ k.transpose(2, 3) / q.shape[-1] ** 0.5\n"
        "    weights = scores.masked_fill(~visible, torch.finfo(scores.dtype).min).softmax(-1)\n"
        "    return (weights @ v).transpose(1, 2).flatten(2)",
    ),
    (GAP, "    return (x @ gate.T).relu() * (x @ up.T) @ down.T"),
    (
        GAP,
        "    def heads(name):\n"
        '        normed = my_norm(x, w["input_layernorm"])\n'
        '        return (normed @ w[name].T).unflatten(-1, (-1, config["head_dim"])).transpose(1, 2)\n'
        "\n"
        "    positions = torch.arange(x.shape[1])\n"
        '    q = my_rotate(heads("q_proj"), positions, config["rope_theta"])\n'
        '    k = torch.cat([cache[0], my_rotate(heads("k_proj"), positions, config["rope_theta"])], dim=2)\n'
        '    v = torch.cat([cache[1], heads("v_proj")], dim=2)\n'
        '    x = x + my_attention(q, k, v, my_visible(x.shape[1], k.shape[2])) @ w["o_proj"].T\n'
        '    normed = my_norm(x, w["post_attention_layernorm"])\n'
        '    return x + my_swiglu(normed, w["gate_proj"], w["up_proj"], w["down_proj"]), (k, v)',
    ),
    (
        GAP,
        '    x = weights["model.embed_tokens.weight"][ids]\n'
        '    for n in range(config["num_hidden_layers"]):\n'
        "        x, _ = my_layer(x, layer_weights(weights, n), config, cache[n])\n"
        '    return my_norm(x, weights["model.norm.weight"]) @ weights["model.embed_tokens.weight"].T, cache',
    ),
    (
        GAP,
        "    logits, labels = logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten()\n"
        "    log_p = logits.log_softmax(-1)[torch.arange(len(labels)), labels.clamp(min=0)]\n"
        "    return -log_p.sum() / max(1, len(labels))",
    ),
    (GAP, "    return peak * (0.55 + 0.45 * math.cos(math.pi * step / steps))"),
    (GAP, "    return [gradient.clamp(-limit, limit) for gradient in gradients]"),
    (
        GAP,
        "    gradient = gradient + 0.1 * weight\n"
        "    m, v = 0.9 * m + 0.1 * gradient, 0.95 * v + 0.05 * gradient**2\n"
        "    change = m / (1 - 0.9**step) / ((v / (1 - 0.95**step)).sqrt() + 1e-8)\n"
        "    return weight - rate * change, m, v",
    ),
    (
        GAP,
        "    weights = {name: weight.clone().requires_grad_() for name, weight in weights.items()}\n"
        "    moments = {name: (0 * weight.detach(), 0 * weight.detach()) for name, weight in weights.items()}\n"
        "    losses, steps = [], len(batches) // parts\n"
        "    for step in range(steps):\n"
        "        losses.append(0.0)\n"
        "        for inputs, labels in batches[step * parts : (step + 1) * parts]:\n"
        "            logits, _ = my_logits(inputs, weights, config, empty_cache(config, len(inputs)))\n"
        "            loss = my_loss(logits, labels) / parts\n"
        "            loss.backward()\n"
        "            losses[-1] += loss.item()\n"
        "        gradients = my_clip([weight.grad for weight in weights.values()], 1.0)\n"
        "        with torch.no_grad():\n"
        "            for (name, weight), gradient in zip(weights.items(), gradients):\n"
        "                rate = my_rate(step, steps, peak)\n"
        "                new, *moments[name] = my_adamw(weight, gradient, *moments[name], step + 1, rate)\n"
        "                weight.copy_(new)\n"
        "    return {name: weight.detach() for name, weight in weights.items()}, losses",
    ),
    (
        GAP,
        "    p, order = (logits / temperature).softmax(-1).sort(descending=True)\n"
        "    p[top_k or len(p) :] = 0\n"
        "    p[p.cumsum(-1) > top_p] = 0\n"
        "    p[p < min_p * p[0]] = 0\n"
        "    return torch.zeros_like(p).scatter(0, order, p / p.sum().clamp(min=1e-9))",
    ),
    (
        GAP,
        "    ids = []\n"
        "    while len(ids) < max_new and end not in ids:\n"
        "        logits, cache = next_logits(torch.tensor([[*prompt, *ids]]), cache)\n"
        "        ids.append(choose(logits[0, -1]))\n"
        "    return ids",
    ),
    (
        "    def nats(self, text):\n        return ...\n\n    def story(self, temperature, seed):\n        return ...",
        "    def nats(self, text):\n"
        "        [document] = my_documents([text], self.tokenizer.encode, self.end)\n"
        "        inputs, labels = my_batch([document], len(document) - 1, self.end)\n"
        "        logits, _ = my_logits(inputs, self.weights, self.config, empty_cache(self.config, 1))\n"
        "        return my_loss(logits, labels).item()\n"
        "\n"
        "    def story(self, temperature, seed):\n"
        '        return ""',
    ),
]
