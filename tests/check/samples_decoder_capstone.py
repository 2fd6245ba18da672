"""Third capstone: right programs in three styles, and wrong ones with their rules."""

from __future__ import annotations

import functools
import math
from collections import Counter, defaultdict
from typing import Any

import torch
from torch.nn import functional

from tokenlab.algorithms.training_data.ngram_model import count_ngrams, ngram_nats, probability
from tokenlab.check import FunctionCheck
from tokenlab.check.capstones import (
    decoder_data,
    decoder_parts,
    decoder_result,
    decoder_sampling,
    decoder_training,
)
from tokenlab.check.capstones import decoder_values as values
from tokenlab.minimal import decoder

# Data.


def documents_1(texts: Any, encode: Any, end: Any) -> Any:
    found = []
    for text in texts:
        found.append([end])
        found[-1].extend(encode(text))
        found[-1].append(end)
    return found


def documents_2(texts: Any, encode: Any, end: Any) -> Any:
    return [(end, *ids, end) for ids in map(encode, texts)]


def counts_1(documents: Any, order: Any) -> Any:
    counts: Any = defaultdict(Counter)
    for ids in documents:
        for size in range(1, order + 1):
            for at in range(max(0, size - len(ids)), len(ids) - size + 1):
                *context, id = ids[at : at + size]
                if at + size > 1:
                    counts[tuple(context)][id] += 1
    return {context: dict(after) for context, after in counts.items()}


def counts_2(documents: Any, order: Any) -> Any:
    found: Any = {}
    for ids in documents:
        for at, id in enumerate(ids):
            for start in range(max(0, at - order + 1), at + 1) if at else ():
                after = found.setdefault((*ids[start:at],), {})
                after[id] = after.get(id, 0) + 1
    return found


def probability_1(id: Any, context: Any, counts: Any, vocab_size: Any) -> Any:
    """From the shortest context to the longest one."""
    found = 1 / vocab_size
    for start in range(len(context), -1, -1):
        after = counts.get(context[start:])
        if after:
            total, kinds = sum(after.values()), len(after)
            found = after.get(id, 0) / (total + kinds) + kinds / (total + kinds) * found
    return found


def probability_2(id: Any, context: Any, counts: Any, vocab_size: Any) -> Any:
    if context not in counts:
        return probability_2(id, context[1:], counts, vocab_size) if context else 1.0 / vocab_size
    after = Counter(counts[context])
    shorter = probability_2(id, context[1:], counts, vocab_size) if context else 1.0 / vocab_size
    return (after[id] + len(counts[context]) * shorter) / (after.total() + len(counts[context]))


def nats_1(document: Any, counts: Any, order: Any, vocab_size: Any) -> Any:
    context: tuple[int, ...] = tuple(document[:1])[: order - 1]
    total = 0.0
    for id in document[1:]:
        total += -math.log(probability_1(id, context, counts, vocab_size))
        context = (*context, id)[-(order - 1) :] if order > 1 else ()
    return total


def nats_2(document: Any, counts: Any, order: Any, vocab_size: Any) -> Any:
    pairs = [(tuple(document[:at][::-1][: order - 1][::-1]), id) for at, id in enumerate(document) if at]
    return math.fsum(math.log(1 / probability(id, context, counts, vocab_size)) for context, id in pairs)


def per_byte_1(nats: Any, texts: Any) -> Any:
    return math.fsum(nats) / len("".join(texts).encode("utf-8"))


def per_byte_2(nats: Any, texts: Any) -> Any:
    total = size = 0
    for loss, text in zip(nats, texts, strict=True):
        total, size = total + loss, size + len(bytes(text, "utf-8"))
    return total / size


def batch_1(documents: Any, width: Any, end: Any) -> Any:
    inputs = [(ids + [end] * width)[:width] for ids in documents]
    labels = [(ids[1:] + [-100] * width)[:width] for ids in documents]
    return torch.tensor(inputs), torch.tensor(labels)


def batch_2(documents: Any, width: Any, end: Any) -> Any:
    rows = [functional.pad(torch.tensor(ids), (0, width + 1), value=-100)[: width + 1] for ids in documents]
    both = torch.stack(rows)
    labels = both[:, 1:]
    return both[:, :-1].masked_fill(labels == -100, end), labels


# Parts.


def norm_1(x: Any, weight: Any) -> Any:
    return functional.rms_norm(x, weight.shape, weight, 1e-6)


def norm_2(x: Any, weight: Any) -> Any:
    return weight * (x * torch.rsqrt((x**2).sum(2, keepdim=True) / x.shape[2] + 1e-6))


def rotate_1(x: Any, positions: Any, theta: Any) -> Any:
    """As transformers does: a half is exchanged and negated."""
    half = x.shape[-1] // 2
    angles = torch.outer(positions.float(), 1 / theta ** (torch.arange(half) / half)).repeat(1, 2)
    other = torch.cat([-x[..., half:], x[..., :half]], dim=-1)
    return x * angles.cos() + other * angles.sin()


def rotate_2(x: Any, positions: Any, theta: Any) -> Any:
    """With complex numbers."""
    half = x.shape[-1] // 2
    angles = positions[:, None] * torch.exp(-math.log(theta) * torch.arange(half) / half)
    turned = torch.complex(x[..., :half], x[..., half:]) * torch.polar(torch.ones_like(angles), angles)
    return torch.cat([turned.real, turned.imag], dim=-1)


def visible_1(queries: Any, keys: Any) -> Any:
    return torch.ones(keys, keys).tril()[-queries:].bool()


def visible_2(queries: Any, keys: Any) -> Any:
    return torch.tensor([[key <= query for key in range(keys)] for query in range(keys - queries, keys)])


def attention_1(q: Any, k: Any, v: Any, visible: Any) -> Any:
    joined = functional.scaled_dot_product_attention(q, k, v, visible, enable_gqa=True)
    return joined.permute(0, 2, 1, 3).reshape(q.shape[0], q.shape[2], -1)


def attention_2(q: Any, k: Any, v: Any, visible: Any) -> Any:
    found, shared = [], q.shape[1] // k.shape[1]
    for head in range(q.shape[1]):
        scores = torch.einsum("bqd,bkd->bqk", q[:, head], k[:, head // shared]) / math.sqrt(q.shape[-1])
        powers = (scores - scores.amax(dim=-1, keepdim=True)).exp() * visible
        found.append(powers / powers.sum(-1, keepdim=True) @ v[:, head // shared])
    return torch.cat(found, dim=-1)


def swiglu_1(x: Any, gate: Any, up: Any, down: Any) -> Any:
    hidden = functional.linear(x, gate)
    return functional.linear(hidden * hidden.sigmoid() * functional.linear(x, up), down)


def swiglu_2(x: Any, gate: Any, up: Any, down: Any) -> Any:
    first, second = (x @ torch.cat([gate, up]).T).chunk(2, dim=-1)
    return torch.einsum("blf,df->bld", first / (1 + torch.exp(-first)) * second, down)


def layer_1(x: Any, w: Any, config: Any, cache: Any) -> Any:
    rows, length, _ = x.shape
    normed, start = norm_1(x, w["input_layernorm"]), cache[0].size(2)
    parts = [
        functional.linear(normed, w[f"{name}_proj"]).view(rows, length, -1, config["head_dim"]).permute(0, 2, 1, 3)
        for name in "qkv"
    ]
    positions = torch.arange(start, start + length)
    q, k = (rotate_1(one, positions, config["rope_theta"]) for one in parts[:2])
    cache = tuple(torch.cat(both, dim=-2) for both in zip(cache, (k, parts[2]), strict=True))
    x = functional.linear(attention_2(q, *cache, visible_1(length, start + length)), w["o_proj"]) + x
    return x + swiglu_1(norm_1(x, w["post_attention_layernorm"]), w["gate_proj"], w["up_proj"], w["down_proj"]), cache


def layer_2(x: Any, w: Any, config: Any, cache: Any) -> Any:
    """One new token after the other."""
    outputs = []
    for one in x.split(1, dim=1):
        output, cache = decoder_parts.layer(one, w, config, cache)
        outputs.append(output)
    return [torch.cat(outputs, dim=1), list(cache)]


def logits_1(ids: Any, weights: Any, config: Any, cache: Any) -> Any:
    x, after = functional.embedding(ids, weights["model.embed_tokens.weight"]), []
    for number, pair in enumerate(cache):
        x, pair = layer_1(x, values.layer_weights(weights, number), config, pair)
        after.append(pair)
    return functional.linear(norm_1(x, weights["model.norm.weight"]), weights["model.embed_tokens.weight"]), after


def logits_2(ids: Any, weights: Any, config: Any, cache: Any) -> Any:
    model = decoder.Decoder(weights, config)
    return model(ids, cache if cache[0][0].shape[2] else None)


# Training.


def loss_1(logits: Any, labels: Any) -> Any:
    return functional.cross_entropy(logits.transpose(1, 2), labels)


def loss_2(logits: Any, labels: Any) -> Any:
    total, number = torch.tensor(0.0), 0
    for row, wanted in zip(logits.flatten(0, 1), labels.flatten().tolist(), strict=True):
        if wanted != -100:
            total, number = total + row.logsumexp(0) - row[wanted], number + 1
    return total / number


def rate_1(step: Any, steps: Any, peak: Any) -> Any:
    warm = steps // 10 or 1
    if step < warm:
        return (step + 1) * peak / warm
    lowest = 0.1 * peak
    return lowest + (peak - lowest) * (1 + math.cos(math.pi * (step + 1 - warm) / max(1, steps - warm))) / 2


def rate_2(step: Any, steps: Any, peak: Any) -> Any:
    warm = max(1, int(steps / 10))
    return peak * (
        (step + 1) / warm
        if step + 1 <= warm
        else 0.1 + 0.9 * math.cos(math.pi / 2 * (step + 1 - warm) / max(1, steps - warm)) ** 2
    )


def clip_1(gradients: Any, limit: Any) -> Any:
    norm = torch.stack([gradient.norm() for gradient in gradients]).norm()
    return [gradient * limit / norm if norm > limit else gradient for gradient in gradients]


def clip_2(gradients: Any, limit: Any) -> Any:
    copies = [torch.zeros_like(one).requires_grad_() for one in gradients]
    for one, gradient in zip(copies, gradients, strict=True):
        one.grad = gradient.clone()
    torch.nn.utils.clip_grad_norm_(copies, limit)
    return tuple(one.grad for one in copies)


def adamw_1(weight: Any, gradient: Any, m: Any, v: Any, step: Any, rate: Any) -> Any:
    m, v = torch.lerp(m, gradient, 0.1), v * 0.95 + gradient * gradient * 0.05
    change = (m / (1 - 0.9**step)) / (torch.sqrt(v / (1 - 0.95**step)) + 1e-8)
    return weight - 0.1 * rate * weight - rate * change, m, v


def adamw_2(weight: Any, gradient: Any, m: Any, v: Any, step: Any, rate: Any) -> Any:
    """With the optimizer of torch, whose state is set."""
    one = weight.clone().requires_grad_()
    one.grad = gradient
    optimizer = torch.optim.AdamW([one], lr=rate, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1)
    state = {"step": torch.tensor(step - 1.0), "exp_avg": m.clone(), "exp_avg_sq": v.clone()}
    optimizer.state[one] = state
    optimizer.step()
    return [one.detach(), state["exp_avg"], state["exp_avg_sq"]]


def train_1(weights: Any, config: Any, batches: Any, parts: Any, peak: Any) -> Any:
    """With the optimizer of torch."""
    weights = {name: weight.detach().clone().requires_grad_() for name, weight in weights.items()}
    optimizer = torch.optim.AdamW(weights.values(), betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1)
    losses, steps = [], len(batches) // parts
    for step in range(steps):
        total = 0.0
        for at in range(parts):
            inputs, labels = batches[step * parts + at]
            loss = loss_1(logits_1(inputs, weights, config, values.empty_cache(config, 2))[0], labels) / parts
            torch.autograd.backward(loss)
            total += loss.item()
        torch.nn.utils.clip_grad_norm_(weights.values(), 1.0)
        for group in optimizer.param_groups:
            group["lr"] = rate_1(step, steps, peak)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(total)
    return {name: weight.detach() for name, weight in weights.items()}, losses


def train_2(weights: Any, config: Any, batches: Any, parts: Any, peak: Any) -> Any:
    """With gradients as values, and without a change in place."""
    moments = {name: (torch.zeros_like(one), torch.zeros_like(one)) for name, one in weights.items()}
    losses, steps = [], len(batches) // parts
    for step in range(steps):
        weights = {name: one.detach().requires_grad_() for name, one in weights.items()}
        found = []
        for inputs, labels in batches[step * parts : step * parts + parts]:
            out, _ = decoder_parts.logits(inputs, weights, config, values.empty_cache(config, len(inputs)))
            found.append(decoder_training.mean_loss(out, labels))
        mean = torch.stack(found).mean()
        gradients = clip_1(torch.autograd.grad(mean, list(weights.values())), 1.0)
        updated = {}
        for (name, one), gradient in zip(weights.items(), gradients, strict=True):
            updated[name], *moments[name] = adamw_1(  # type: ignore[call-overload]
                one.detach(), gradient, *moments[name], step + 1, rate_2(step, steps, peak)
            )
        weights = updated
        losses.append(mean.item())
    return weights, losses


# Sampling.


def probabilities_1(logits: Any, temperature: Any, top_k: Any, top_p: Any, min_p: Any) -> Any:
    """Ids are hidden with a logit of minus infinity."""
    logits = logits / temperature
    if top_k:
        least = logits.topk(min(top_k, len(logits))).values[-1]
        logits = logits.masked_fill(logits < least, -math.inf)
    p = logits.softmax(0)
    before = torch.tensor([p[p > one].sum().item() for one in p])
    logits = logits.masked_fill((before >= top_p) & (p < p.max()), -math.inf)
    p = logits.softmax(0)
    return logits.masked_fill(p < min_p * p.max(), -math.inf).softmax(0)


def probabilities_2(logits: Any, temperature: Any, top_k: Any, top_p: Any, min_p: Any) -> Any:
    """With lists."""
    p = (logits / temperature).softmax(-1).tolist()
    best = sorted(range(len(p)), key=lambda id: -p[id])[: top_k or None]
    total = sum(p[id] for id in best)
    kept, mass = [], 0.0
    for id in best:
        if mass < top_p:
            kept.append(id)
        mass += p[id] / total
    kept = [id for id in kept if p[id] >= min_p * p[best[0]]]
    total = sum(p[id] for id in kept)
    return torch.tensor([p[id] / total if id in kept else 0.0 for id in range(len(p))])


def generate_1(next_logits: Any, cache: Any, prompt: Any, end: Any, max_new: Any, choose: Any) -> Any:
    logits, cache = next_logits(torch.tensor(prompt)[None], cache)
    ids = [choose(logits[0, len(prompt) - 1])]
    for _ in range(max_new - 1):
        if ids[-1] == end:
            break
        logits, cache = next_logits(torch.tensor([[ids[-1]]]), cache)
        ids.append(choose(logits[0, 0]))
    return ids


def generate_2(next_logits: Any, cache: Any, prompt: Any, end: Any, max_new: Any, choose: Any) -> Any:
    """One id of the prompt after the other."""
    for id in prompt:
        logits, cache = next_logits(torch.tensor([[id]]), cache)

    def after(logits: Any, cache: Any, left: Any) -> Any:
        id = choose(logits[0, -1])
        if left == 1 or id == end:
            return [id]
        return [id, *after(*next_logits(torch.tensor([[id]]), cache), left - 1)]

    return after(logits, cache, max_new)


# The result.


class Storyteller1(decoder_result.Library):
    """Losses from log-probabilities; one id after the other is drawn."""

    def nats(self, text: str) -> float:
        ids = [self.end, *self.tokenizer.encode(text), self.end]
        logits, _ = logits_1(
            torch.tensor([ids[:-1]]), self.model.weights, self.model.config, values.empty_cache(self.model.config, 1)
        )
        log_p = logits[0].log_softmax(-1).tolist()
        return -sum(row[id] for row, id in zip(log_p, ids[1:], strict=True))

    def story(self, temperature: float, seed: int) -> str:
        torch.manual_seed(seed)
        ids, cache = [self.end], values.empty_cache(self.model.config, 1)
        while len(ids) < 400 and (len(ids) == 1 or ids[-1] != self.end):
            logits, cache = decoder_parts.logits(torch.tensor([ids[-1:]]), self.model.weights, self.model.config, cache)
            ids.append(int((logits[0, -1] / temperature).softmax(-1).multinomial(1)))
        return self.tokenizer.decode(ids[1:-1])


class Storyteller2(decoder_result.Library):
    """Bits, converted to nats; a generator of its own."""

    def nats(self, text: str) -> float:
        ids = torch.tensor([[self.end, *self.tokenizer.encode(text), self.end]])
        logits, _ = self.model(ids[:, :-1])
        bits = -logits.log_softmax(-1).gather(2, ids[:, 1:, None]).sum() / math.log(2)
        return bits.item() * math.log(2)


VARIANTS: dict[str, Any] = {
    "lm_documents": (documents_1, documents_2, decoder_data.documents),
    "lm_counts": (counts_1, counts_2, count_ngrams),
    "lm_probability": (probability_1, probability_2, probability),
    "lm_ngram_nats": (nats_1, nats_2, ngram_nats),
    "lm_per_byte": (per_byte_1, per_byte_2, decoder_data.per_byte),
    "lm_batch": (batch_1, batch_2, decoder_data.batch),
    "lm_norm": (norm_1, norm_2, decoder_parts.norm),
    "lm_rotate": (rotate_1, rotate_2, decoder_parts.rotate),
    "lm_visible": (visible_1, visible_2, decoder_parts.visible),
    "lm_attention": (attention_1, attention_2, decoder_parts.attention),
    "lm_swiglu": (swiglu_1, swiglu_2, decoder.swiglu),
    "lm_layer": (layer_1, layer_2, decoder_parts.layer),
    "lm_logits": (logits_1, logits_2, decoder_parts.logits),
    "lm_loss": (loss_1, loss_2, decoder_training.mean_loss),
    "lm_rate": (rate_1, rate_2, decoder.learning_rate),
    "lm_clip": (clip_1, clip_2, decoder_training.clip),
    "lm_adamw": (adamw_1, adamw_2, decoder_training.adamw),
    "lm_train": (train_1, train_2, functools.partial(decoder_training.train)),
    "lm_probabilities": (probabilities_1, probabilities_2, decoder_sampling.probabilities),
    "lm_generate": (generate_1, generate_2, decoder_sampling.generate),
    "lm_result": (Storyteller1, Storyteller2, decoder_result.Library),
}
WRONG: dict[str, Any] = {
    name: [(program, rule, 90) for program, rule in one.known_wrong]
    for module in (decoder_data, decoder_parts, decoder_training, decoder_sampling, decoder_result)
    for name, one in vars(module).items()
    if isinstance(one, FunctionCheck)
}
RIGHT: dict[str, Any] = {}
NOT_RIGHT: list[Any] = []
SHOWS: dict[Any, Any] = {}
DOES_NOT: dict[Any, Any] = {}
CAUGHT: dict[str, Any] = {}
