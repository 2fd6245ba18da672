"""Solutions of the capstones, each written from the text, the formula, the example and the hints of its step alone.

They follow the text as literally as possible. If one of them fails its check, the text or the check is wrong.
"""

from __future__ import annotations

import base64
import codecs
import json
import math
from collections import Counter, defaultdict

import regex
import torch
from safetensors.torch import load_file

from tokenlab.minimal.gpt2_tokenizer import Tokenizer, load

# GPT-2's tokenizer.

PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def utf8_bytes(text):  # type: ignore[no-untyped-def]
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode("utf-8")


def gpt2_pieces(text):  # type: ignore[no-untyped-def]
    return regex.findall(PATTERN, text)


def count_byte_pairs(word_counts):  # type: ignore[no-untyped-def]
    counts = {}
    for word, count in word_counts.items():
        for at in range(len(word) - 1):
            pair = (word[at], word[at + 1])
            counts[pair] = counts.get(pair, 0) + count
    return counts


def merge_byte_pair(word, pair):  # type: ignore[no-untyped-def]
    merged = []
    at = 0
    while at < len(word):
        if word[at : at + 2] == pair:
            merged.append(pair[0] + pair[1])
            at += 2
        else:
            merged.append(word[at])
            at += 1
    return tuple(merged)


def train_bytes(word_counts, num_tokens):  # type: ignore[no-untyped-def]
    words = {tuple(word[at : at + 1] for at in range(len(word))): count for word, count in word_counts.items()}
    tokens: list[bytes] = []
    while len(tokens) < num_tokens:
        counts = count_byte_pairs(words)
        if not counts:
            break
        most = max(counts.values())
        pair = min(pair for pair, count in counts.items() if count == most)
        if pair[0] + pair[1] not in tokens:
            tokens.append(pair[0] + pair[1])
        words = {merge_byte_pair(word, pair): count for word, count in words.items()}
    return tokens


def train_quickly(word_counts, num_tokens):  # type: ignore[no-untyped-def]
    words = [tuple(word[at : at + 1] for at in range(len(word))) for word in word_counts]
    how_many = list(word_counts.values())
    tokens: list[bytes] = []
    counts: Counter[tuple[bytes, bytes]] = Counter()
    places = defaultdict(set)
    for n, word in enumerate(words):
        for pair in zip(word, word[1:], strict=False):
            counts[pair] += how_many[n]
            places[pair].add(n)
    while len(tokens) < num_tokens and counts:
        most = max(counts.values())
        pair = min(pair for pair, count in counts.items() if count == most)
        if pair[0] + pair[1] not in tokens:
            tokens.append(pair[0] + pair[1])
        for n in places.pop(pair):
            for old in zip(words[n], words[n][1:], strict=False):
                counts[old] -= how_many[n]
                if counts[old] == 0:
                    del counts[old]
                places[old].discard(n)
            words[n] = merge_byte_pair(words[n], pair)
            for new in zip(words[n], words[n][1:], strict=False):
                counts[new] += how_many[n]
                places[new].add(n)
    return tokens


def encode_piece(piece, ranks):  # type: ignore[no-untyped-def]
    if piece in ranks:
        return [ranks[piece]]
    parts = [piece[at : at + 1] for at in range(len(piece))]
    while True:
        found = [
            (ranks[parts[at] + parts[at + 1]], at) for at in range(len(parts) - 1) if parts[at] + parts[at + 1] in ranks
        ]
        if not found:
            return [ranks[part] for part in parts]
        at = min(found)[1]
        parts[at : at + 2] = [parts[at] + parts[at + 1]]


def special_parts(text, special):  # type: ignore[no-untyped-def]
    if not special:
        return [text] if text else []
    pattern = "(" + "|".join(regex.escape(token) for token in sorted(special, key=len, reverse=True)) + ")"
    return [part for part in regex.split(pattern, text) if part]


def decode_ids(ids, tokens):  # type: ignore[no-untyped-def]
    return b"".join(tokens[id] for id in ids).decode("utf-8", "replace")


def stream_texts(ids, tokens):  # type: ignore[no-untyped-def]
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    return [decoder.decode(tokens[id], at == len(ids) - 1) for at, id in enumerate(ids)]


def save_ranks(ranks):  # type: ignore[no-untyped-def]
    lines = []
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        lines.append(f"{base64.b64encode(token).decode()} {rank}\n")
    return "".join(lines)


def read_ranks(text):  # type: ignore[no-untyped-def]
    ranks = {}
    for line in text.splitlines():
        if line:
            token, rank = line.split()
            ranks[base64.b64decode(token)] = int(rank)
    return ranks


class gpt2_tokenizer:
    def __init__(self, ranks, special):  # type: ignore[no-untyped-def]
        self.ranks = ranks
        self.special = special

    def encode(self, text):  # type: ignore[no-untyped-def]
        ids = []
        for part in special_parts(text, list(self.special)):
            if part in self.special:
                ids.append(self.special[part])
            else:
                for piece in gpt2_pieces(part):
                    ids += encode_piece(utf8_bytes(piece), self.ranks)
        return ids

    def decode(self, ids):  # type: ignore[no-untyped-def]
        tokens = {id: token for token, id in self.ranks.items()}
        tokens |= {id: token.encode() for token, id in self.special.items()}
        return decode_ids(ids, tokens)


# T5. `sublayer` is a function of the capstone.


def sublayer(weights, name):  # type: ignore[no-untyped-def]
    return {key.split(".")[-2]: tensor for key, tensor in weights.items() if key.startswith(name + ".")}


lowest = torch.finfo(torch.float32).min


def t5_embed(ids, table):  # type: ignore[no-untyped-def]
    return table[ids]


def t5_norm(x, weight):  # type: ignore[no-untyped-def]
    return x / (x.pow(2).mean(-1, keepdim=True) + 1e-6).sqrt() * weight


def t5_buckets(relative_position, bidirectional):  # type: ignore[no-untyped-def]
    if bidirectional:
        number, distance = 16, relative_position.abs()
    else:
        number, distance = 32, torch.where(relative_position > 0, 0, relative_position.abs())
    h = number // 2
    shared = h + ((number - h) * torch.log(distance.clamp(min=h) / h) / math.log(128 / h)).long()
    bucket = torch.where(distance < h, distance, shared.clamp(max=number - 1))
    return bucket + 16 * (relative_position > 0) if bidirectional else bucket


def t5_bias(table, queries, keys, bidirectional):  # type: ignore[no-untyped-def]
    positions = torch.arange(keys) - torch.arange(keys - queries, keys)[:, None]
    return table[t5_buckets(positions, bidirectional)].permute(2, 0, 1)[None]


def t5_split(x, heads):  # type: ignore[no-untyped-def]
    return x.reshape(x.shape[0], x.shape[1], heads, -1).transpose(1, 2)


def t5_attention(q, k, v, added):  # type: ignore[no-untyped-def]
    weights = (q @ k.transpose(-1, -2) + added).softmax(-1)
    return (weights @ v).transpose(1, 2).flatten(2)


def t5_causal_mask(length):  # type: ignore[no-untyped-def]
    return torch.full((length, length), lowest).triu(1)[None, None]


def t5_padding_mask(attention_mask):  # type: ignore[no-untyped-def]
    return (attention_mask == 0)[:, None, None] * lowest


def t5_self_attention(x, w, heads, added):  # type: ignore[no-untyped-def]
    y = t5_norm(x, w["layer_norm"])
    q, k, v = (t5_split(y @ w[name].T, heads) for name in "qkv")
    return x + t5_attention(q, k, v, added) @ w["o"].T


def t5_feed_forward(x, w):  # type: ignore[no-untyped-def]
    return x + (t5_norm(x, w["layer_norm"]) @ w["wi"].T).relu() @ w["wo"].T


def t5_encoder(ids, attention_mask, weights, config):  # type: ignore[no-untyped-def]
    x = t5_embed(ids, weights["shared.weight"])
    table = sublayer(weights, "encoder.block.0.layer.0")["relative_attention_bias"]
    added = t5_bias(table, ids.shape[1], ids.shape[1], True) + t5_padding_mask(attention_mask)
    for n in range(config["num_layers"]):
        x = t5_self_attention(x, sublayer(weights, f"encoder.block.{n}.layer.0"), config["num_heads"], added)
        x = t5_feed_forward(x, sublayer(weights, f"encoder.block.{n}.layer.1"))
    return t5_norm(x, weights["encoder.final_layer_norm.weight"])


def t5_cross_attention(x, encoded, w, heads, mask):  # type: ignore[no-untyped-def]
    q = t5_split(t5_norm(x, w["layer_norm"]) @ w["q"].T, heads)
    k, v = (t5_split(encoded @ w[name].T, heads) for name in "kv")
    return x + t5_attention(q, k, v, mask) @ w["o"].T


def t5_decoder(ids, encoded, attention_mask, weights, config):  # type: ignore[no-untyped-def]
    x = t5_embed(ids, weights["shared.weight"])
    table = sublayer(weights, "decoder.block.0.layer.0")["relative_attention_bias"]
    added = t5_bias(table, ids.shape[1], ids.shape[1], False) + t5_causal_mask(ids.shape[1])
    mask = t5_padding_mask(attention_mask)
    heads = config["num_heads"]
    for n in range(config["num_decoder_layers"]):
        x = t5_self_attention(x, sublayer(weights, f"decoder.block.{n}.layer.0"), heads, added)
        x = t5_cross_attention(x, encoded, sublayer(weights, f"decoder.block.{n}.layer.1"), heads, mask)
        x = t5_feed_forward(x, sublayer(weights, f"decoder.block.{n}.layer.2"))
    return t5_norm(x, weights["decoder.final_layer_norm.weight"])


def t5_logits(x, table):  # type: ignore[no-untyped-def]
    return (x * x.shape[-1] ** -0.5) @ table.T


def t5_loss(logits, labels):  # type: ignore[no-untyped-def]
    kept = labels != -100
    y = logits[kept].log_softmax(-1)
    return -y[torch.arange(len(y)), labels[kept]].mean()


def t5_cached_sublayer(x, w, heads, added, cache):  # type: ignore[no-untyped-def]
    y = t5_norm(x, w["layer_norm"])
    q, k, v = (t5_split(y @ w[name].T, heads) for name in "qkv")
    keys = torch.cat([cache[0], k], 2)
    values = torch.cat([cache[1], v], 2)
    return x + t5_attention(q, keys, values, added) @ w["o"].T, (keys, values)


def t5_cached_logits(ids, cache, encoded, attention_mask, weights, config):  # type: ignore[no-untyped-def]
    x = t5_embed(ids, weights["shared.weight"])
    table = sublayer(weights, "decoder.block.0.layer.0")["relative_attention_bias"]
    added = t5_bias(table, 1, cache[0][0].shape[2] + 1, False)
    mask = t5_padding_mask(attention_mask)
    heads = config["num_heads"]
    new_cache = []
    for n in range(config["num_decoder_layers"]):
        x, pair = t5_cached_sublayer(x, sublayer(weights, f"decoder.block.{n}.layer.0"), heads, added, cache[n])
        new_cache.append(pair)
        x = t5_cross_attention(x, encoded, sublayer(weights, f"decoder.block.{n}.layer.1"), heads, mask)
        x = t5_feed_forward(x, sublayer(weights, f"decoder.block.{n}.layer.2"))
    x = t5_norm(x, weights["decoder.final_layer_norm.weight"])
    return t5_logits(x, weights["shared.weight"])[:, -1], new_cache


def t5_greedy(next_logits, cache, max_length):  # type: ignore[no-untyped-def]
    ids = [0]
    while ids[-1] != 1 and len(ids) < max_length:
        logits, cache = next_logits(torch.tensor([[ids[-1]]]), cache)
        ids.append(logits.argmax().item())
    return ids


def t5_candidates(sums, logits):  # type: ignore[no-untyped-def]
    totals = (sums[:, None] + logits.log_softmax(-1)).flatten()
    best, indices = totals.topk(2 * len(sums))
    return best, indices // logits.shape[1], indices % logits.shape[1]


def t5_select(beams, sums, parents, tokens):  # type: ignore[no-untyped-def]
    found = list(zip(sums.tolist(), parents.tolist(), tokens.tolist(), strict=True))
    continuing = [(total, parent, [*beams[parent], token]) for total, parent, token in found if token != 1]
    finished = [
        (total / len(beams[parent]), [*beams[parent], 1]) for total, parent, token in found[: len(beams)] if token == 1
    ]
    return continuing[: len(beams)], finished


def t5_reorder(cache, parents):  # type: ignore[no-untyped-def]
    return [(keys[parents], values[parents]) for keys, values in cache]


def t5_beam_search(next_logits, cache, num_beams, max_length):  # type: ignore[no-untyped-def]
    beams, sums, pool = [[0]] * num_beams, [0.0] + [-1e9] * (num_beams - 1), []  # type: ignore[var-annotated]
    while len(beams[0]) < max_length:
        logits, cache = next_logits(torch.tensor([ids[-1:] for ids in beams]), cache)
        totals, parents, tokens = t5_candidates(torch.tensor(sums), logits)
        continuing, hypotheses = t5_select(beams, totals, parents, tokens)
        pool = sorted(pool + hypotheses)[-num_beams:]
        best = totals.max().item() / len(beams[0])
        if len(pool) == num_beams and pool[0][0] >= best:
            return pool[-1][1]
        cache = t5_reorder(cache, [parent for _, parent, _ in continuing])
        beams, sums = [ids for _, _, ids in continuing], [total for total, _, _ in continuing]
    return max(pool + [(total / max_length, ids) for total, ids in zip(sums, beams, strict=True)])[1]


class t5_translation:
    def __init__(self, weights, config):  # type: ignore[no-untyped-def]
        self.weights = weights
        self.config = config

    def translate(self, ids, num_beams):  # type: ignore[no-untyped-def]
        source = torch.tensor([ids])
        mask = torch.ones_like(source)
        encoded = t5_encoder(source, mask, self.weights, self.config)
        empty = torch.zeros(num_beams, self.config["num_heads"], 0, self.config["d_kv"])
        cache = [(empty, empty)] * self.config["num_decoder_layers"]

        def next_logits(newest, cache):  # type: ignore[no-untyped-def]
            return t5_cached_logits(newest, cache, encoded, mask, self.weights, self.config)

        if num_beams == 1:
            return t5_greedy(next_logits, cache, 40)
        return t5_beam_search(next_logits, cache, num_beams, 40)


# A language model. `layer_weights` and `empty_cache` are functions of the capstone, as is the tokenizer of a folder.


def layer_weights(weights, n):  # type: ignore[no-untyped-def]
    start = f"model.layers.{n}."
    return {name.split(".")[-2]: weight for name, weight in weights.items() if name.startswith(start)}


def empty_cache(config, rows):  # type: ignore[no-untyped-def]
    empty = torch.zeros(rows, config["num_key_value_heads"], 0, config["head_dim"])
    return [(empty, empty)] * config["num_hidden_layers"]


def lm_documents(texts, encode, end):  # type: ignore[no-untyped-def]
    return [[end, *encode(text), end] for text in texts]


def lm_counts(documents, order):  # type: ignore[no-untyped-def]
    counts = {}  # type: ignore[var-annotated]
    for document in documents:
        for at in range(1, len(document)):
            for length in range(order):
                if at - length >= 0:
                    after = counts.setdefault(tuple(document[at - length : at]), {})
                    after.setdefault(document[at], 0)
                    after[document[at]] += 1
    return counts


def lm_probability(id, context, counts, vocab_size):  # type: ignore[no-untyped-def]
    shorter = lm_probability(id, context[1:], counts, vocab_size) if context else 1 / vocab_size
    if context not in counts:
        return shorter
    N = sum(counts[context].values())
    D = len(counts[context])
    return (counts[context].get(id, 0) + D * shorter) / (N + D)


def lm_ngram_nats(document, counts, order, vocab_size):  # type: ignore[no-untyped-def]
    total = 0
    for at in range(1, len(document)):
        context = tuple(document[max(0, at - order + 1) : at])
        total += -math.log(lm_probability(document[at], context, counts, vocab_size))
    return total


def lm_per_byte(nats, texts):  # type: ignore[no-untyped-def]
    return sum(nats) / sum(len(text.encode()) for text in texts)


def lm_batch(documents, width, end):  # type: ignore[no-untyped-def]
    inputs = torch.full((len(documents), width), end)
    labels = torch.full((len(documents), width), -100)
    for row in range(len(documents)):
        ids = documents[row][: width + 1]
        inputs[row, : len(ids) - 1] = torch.tensor(ids[:-1])
        labels[row, : len(ids) - 1] = torch.tensor(ids[1:])
    return inputs, labels


def lm_norm(x, weight):  # type: ignore[no-untyped-def]
    return x / (x.pow(2).mean(-1, keepdim=True) + 1e-6).sqrt() * weight


def lm_rotate(x, positions, theta):  # type: ignore[no-untyped-def]
    half = x.shape[-1] // 2
    angles = positions[:, None] * theta ** (-torch.arange(half) / half)
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()], dim=-1)


def lm_visible(queries, keys):  # type: ignore[no-untyped-def]
    return torch.arange(keys) <= torch.arange(keys - queries, keys)[:, None]


def lm_attention(q, k, v, visible):  # type: ignore[no-untyped-def]
    times = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(times, dim=1), v.repeat_interleave(times, dim=1)
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    scores = scores.masked_fill(~visible, lowest)
    return (scores.softmax(-1) @ v).transpose(1, 2).flatten(2)


def lm_swiglu(x, gate, up, down):  # type: ignore[no-untyped-def]
    return (torch.nn.functional.silu(x @ gate.T) * (x @ up.T)) @ down.T


def lm_layer(x, w, config, cache):  # type: ignore[no-untyped-def]
    normed = lm_norm(x, w["input_layernorm"])

    def split(name):  # type: ignore[no-untyped-def]
        return (normed @ w[name].T).unflatten(-1, (-1, config["head_dim"])).transpose(1, 2)

    positions = cache[0].shape[2] + torch.arange(x.shape[1])
    q = lm_rotate(split("q_proj"), positions, config["rope_theta"])
    keys = torch.cat([cache[0], lm_rotate(split("k_proj"), positions, config["rope_theta"])], dim=2)
    values = torch.cat([cache[1], split("v_proj")], dim=2)
    x = x + lm_attention(q, keys, values, lm_visible(x.shape[1], keys.shape[2])) @ w["o_proj"].T
    fed = lm_swiglu(lm_norm(x, w["post_attention_layernorm"]), w["gate_proj"], w["up_proj"], w["down_proj"])
    return x + fed, (keys, values)


def lm_logits(ids, weights, config, cache):  # type: ignore[no-untyped-def]
    x = weights["model.embed_tokens.weight"][ids]
    pairs = []
    for n in range(config["num_hidden_layers"]):
        x, pair = lm_layer(x, layer_weights(weights, n), config, cache[n])
        pairs.append(pair)
    return lm_norm(x, weights["model.norm.weight"]) @ weights["model.embed_tokens.weight"].T, pairs


def lm_loss(logits, labels):  # type: ignore[no-untyped-def]
    return t5_loss(logits, labels)


def lm_rate(step, steps, peak):  # type: ignore[no-untyped-def]
    warm = max(1, steps // 10)
    if step < warm:
        return peak * (step + 1) / warm
    share = (step + 1 - warm) / max(1, steps - warm)
    return peak * (0.55 + 0.45 * math.cos(math.pi * share))


def lm_clip(gradients, limit):  # type: ignore[no-untyped-def]
    norm = math.sqrt(sum(gradient.pow(2).sum().item() for gradient in gradients))
    if norm > limit:
        return [gradient * (limit / norm) for gradient in gradients]
    return gradients


def lm_adamw(weight, gradient, m, v, step, rate):  # type: ignore[no-untyped-def]
    m = 0.9 * m + 0.1 * gradient
    v = 0.95 * v + 0.05 * gradient**2
    quotient = (m / (1 - 0.9**step)) / ((v / (1 - 0.95**step)).sqrt() + 1e-8)
    return weight * (1 - 0.1 * rate) - rate * quotient, m, v


def lm_train(weights, config, batches, parts, peak):  # type: ignore[no-untyped-def]
    weights = {name: weight.clone().requires_grad_() for name, weight in weights.items()}
    means = {name: (torch.zeros_like(weight), torch.zeros_like(weight)) for name, weight in weights.items()}
    losses = []
    steps = len(batches) // parts
    for step in range(steps):
        total = 0.0
        for inputs, labels in batches[step * parts : (step + 1) * parts]:
            logits, _ = lm_logits(inputs, weights, config, empty_cache(config, len(inputs)))
            loss = lm_loss(logits, labels) / parts
            loss.backward()
            total += loss.item()
        clipped = lm_clip([weight.grad for weight in weights.values()], 1)
        with torch.no_grad():
            for (name, weight), gradient in zip(weights.items(), clipped, strict=True):
                m, v = means[name]
                new, m, v = lm_adamw(weight, gradient, m, v, step + 1, lm_rate(step, steps, peak))
                means[name] = m, v
                weight.copy_(new)
                weight.grad = None
        losses.append(total)
    return {name: weight.detach() for name, weight in weights.items()}, losses


def lm_probabilities(logits, temperature, top_k, top_p, min_p):  # type: ignore[no-untyped-def]
    p, order = (logits / temperature).softmax(-1).sort(descending=True)
    if top_k != 0:
        p[top_k:] = 0
    p = p / p.sum()
    p = torch.where(p.cumsum(-1) - p >= top_p, 0.0, p)
    p = torch.where(p < min_p * p.max(), 0.0, p)
    return torch.zeros_like(p).scatter(0, order, p / p.sum())


def lm_generate(next_logits, cache, prompt, end, max_new, choose):  # type: ignore[no-untyped-def]
    ids = []  # type: ignore[var-annotated]
    new = torch.tensor([prompt])
    while len(ids) < max_new and (not ids or ids[-1] != end):
        logits, cache = next_logits(new, cache)
        ids.append(choose(logits[0, -1]))
        new = torch.tensor([[ids[-1]]])
    return ids


class lm_result:
    def __init__(self, folder):  # type: ignore[no-untyped-def]
        self.weights = {name: weight.float() for name, weight in load_file(folder / "model.safetensors").items()}
        self.config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        ranks = load(folder / "vocabulary.tiktoken")
        self.tokenizer, self.end = Tokenizer(ranks, {}), len(ranks)

    def nats(self, text):  # type: ignore[no-untyped-def]
        (document,) = lm_documents([text], self.tokenizer.encode, self.end)
        inputs, labels = lm_batch([document], len(document) - 1, self.end)
        logits, _ = lm_logits(inputs, self.weights, self.config, empty_cache(self.config, 1))
        return lm_loss(logits, labels).item() * (len(document) - 1)

    def story(self, temperature, seed):  # type: ignore[no-untyped-def]
        torch.manual_seed(seed)

        def next_logits(ids, cache):  # type: ignore[no-untyped-def]
            return lm_logits(ids, self.weights, self.config, cache)

        def choose(logits):  # type: ignore[no-untyped-def]
            return lm_probabilities(logits, temperature, 0, 1, 0).multinomial(1).item()

        ids = lm_generate(next_logits, empty_cache(self.config, 1), [self.end], self.end, 400, choose)
        return self.tokenizer.decode([id for id in ids if id != self.end])
