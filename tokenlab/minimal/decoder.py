"""A decoder-only language model on one page: Llama's parts, training, sampling, and folders in Llama's format.

Run it: python -m tokenlab.minimal.decoder  # trains a small model for two minutes, then continues what you type

Shapes: B texts, T new positions, S positions with those in the cache, D = hidden_size, H query heads and G key-value
heads of K = head_dim numbers each, V tokens in all.
Leaves out: dropout, biases, scaled rotary positions, mixed precision, beam search (`beam_search.py`).
Sources: Touvron et al. 2023, section 2.2; Su et al. 2021 (rotary positions); Ainslie et al. 2023 (grouped queries);
transformers 5.24, models/llama/modeling_llama.py and models/qwen3/modeling_qwen3.py.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self, TypeAlias

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

Weights: TypeAlias = Mapping[str, Tensor]
Config: TypeAlias = Mapping[str, Any]  # the settings in config.json: hidden_size, num_hidden_layers, ...
Cache: TypeAlias = list[tuple[Tensor, Tensor]]  # keys and values of each layer: (B, G, S, K); empty at first
SMALL = {"model_type": "llama", "hidden_size": 128, "intermediate_size": 352, "num_hidden_layers": 4, "head_dim": 32}
SMALL |= {"num_attention_heads": 4, "num_key_value_heads": 2, "rope_theta": 10_000.0, "tie_word_embeddings": True}


# The parts that T5 has as well: root mean square norm and attention, here divided by sqrt(K) and without a bias.
def rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """Divide each vector by its root mean square, and multiply it by the weights.

    >>> rms_norm(torch.tensor([3.0, 3.0]), torch.tensor([1.0, 2.0]), 1e-6).round().tolist()
    [1.0, 2.0]
    """
    return x / (x.pow(2).mean(-1, keepdim=True) + eps).sqrt() * weight


def attention(q: Tensor, k: Tensor, v: Tensor, visible: Tensor) -> Tensor:
    """Return softmax(QK' / sqrt(K)) V of each head, over visible keys; H / G query heads share a key-value head.

    >>> one = torch.ones(1, 1, 2, 1)
    >>> attention(one, one, torch.tensor([[[[1.0], [3.0]]]]), torch.ones(2, 2).tril() > 0).tolist()
    [[[1.0], [2.0]]]
    """
    k, v = (each.repeat_interleave(q.shape[1] // k.shape[1], dim=1) for each in (k, v))
    scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[-1])
    weights = scores.masked_fill(~visible, torch.finfo(scores.dtype).min).softmax(-1)
    return (weights @ v).transpose(1, 2).flatten(2)


# The parts that differ: rotary positions instead of a bias, a gated feed-forward layer, one mask for prompt and answer.
def rotate(x: Tensor, positions: Tensor, theta: float) -> Tensor:
    """Rotate each pair of numbers (i, i + K / 2) of (B, heads, T, K) by position * theta ** (-2 i / K) radians.

    Queries and keys are rotated before their dot product, which then depends on the distance of their positions only.

    >>> x = torch.tensor([[[[1.0, 0.0]]]])
    >>> [round(number, 2) for number in rotate(x, torch.tensor([[2]]), 10_000.0).flatten().tolist()]
    [-0.42, 0.91]
    """
    half = x.shape[-1] // 2
    angles = positions[:, None, :, None] * theta ** (-torch.arange(half) / half)
    first, second, cos, sin = x[..., :half], x[..., half:], angles.cos(), angles.sin()
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)


def swiglu(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    """Return (silu(x gate') * x up') down': the gate decides how much of each number passes.

    >>> swiglu(torch.tensor([2.0]), torch.ones(1, 1) * 9, torch.ones(1, 1), torch.ones(1, 1)).round().item()
    36.0
    """
    return torch.nn.functional.silu(x @ gate.T) * (x @ up.T) @ down.T


def visible_keys(attention_mask: Tensor, new: int) -> Tensor:
    """Return which keys each of the last `new` positions sees, (B, 1, T, S): itself and earlier ones, no padding.

    >>> visible_keys(torch.tensor([[0, 1, 1]]), new=2).int().tolist()
    [[[[0, 1, 0], [0, 1, 1]]]]
    """
    places = torch.arange(attention_mask.shape[1])
    return (places <= places[-new:, None]) & (attention_mask[:, None, None] > 0)


class Decoder:
    """A decoder-only model from its weights and its config.json; a setting for what the page leaves out is an error."""

    def __init__(self, weights: Weights, config: Config) -> None:
        rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
        others = [name for name in ("attention_bias", "mlp_bias", "use_sliding_window") if config.get(name)]
        others += ["rope_type"] * (rope.get("rope_type", rope.get("type", "default")) != "default")
        others += ["model_type"] * (config["model_type"] not in ("llama", "qwen3"))
        others += ["hidden_act"] * (config.get("hidden_act", "silu") != "silu")
        if others:
            raise ValueError(f"config.json: this page leaves out what {', '.join(others)} asks for; use transformers")
        self.head_dim = config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]
        self.theta = rope.get("rope_theta") or config.get("rope_theta") or 10_000.0
        self.eps = config.get("rms_norm_eps", 1e-6)
        self.weights, self.config = weights, config

    @classmethod
    def untrained(cls, config: Config, seed: int = 0) -> Self:
        """Return a model with random weights: matrices with the standard deviation initializer_range, norms of 1."""
        torch.manual_seed(seed)
        shapes, deviation = weight_shapes(config).items(), config.get("initializer_range", 0.02)
        weights = {name: torch.ones(s) if len(s) == 1 else torch.randn(s) * deviation for name, s in shapes}
        return cls({name: weight.requires_grad_() for name, weight in weights.items()}, config)

    def __call__(self, ids: Tensor, cache: Cache | None = None, mask: Tensor | None = None) -> tuple[Tensor, Cache]:
        """Return the logits (B, T, V) after each of the ids (B, T), which follow those in the cache, and the new cache.

        The mask (B, S) is 0 for padding, on the left, and 1 for tokens; without it there is no padding.
        """
        past = cache[0][0].shape[2] if cache else 0
        mask = torch.ones(len(ids), past + ids.shape[1]) if mask is None else mask
        positions = mask.cumsum(-1)[:, past:] - 1  # padding on the left does not count
        visible, new, w = visible_keys(mask, ids.shape[1]), Cache(), self.weights
        x = w["model.embed_tokens.weight"][ids]
        for n in range(self.config["num_hidden_layers"]):
            layer = f"model.layers.{n}"
            normed = rms_norm(x, w[f"{layer}.input_layernorm.weight"], self.eps)
            q, k, v = (self._heads(normed, layer, name) for name in "qkv")
            q, k = rotate(q, positions, self.theta), rotate(k, positions, self.theta)
            if cache:
                k, v = torch.cat([cache[n][0], k], dim=2), torch.cat([cache[n][1], v], dim=2)
            x = x + attention(q, k, v, visible) @ w[f"{layer}.self_attn.o_proj.weight"].T
            normed = rms_norm(x, w[f"{layer}.post_attention_layernorm.weight"], self.eps)
            x = x + swiglu(normed, *(w[f"{layer}.mlp.{part}_proj.weight"] for part in ("gate", "up", "down")))
            new.append((k, v))
        output = "model.embed_tokens" if self.config.get("tie_word_embeddings") else "lm_head"
        return rms_norm(x, w["model.norm.weight"], self.eps) @ w[f"{output}.weight"].T, new

    def _heads(self, x: Tensor, layer: str, name: str) -> Tensor:
        """Return queries, keys or values (B, heads, T, K); Qwen3 normalizes the queries and keys of each head."""
        w, norm = (f"{layer}.self_attn.{name}_{kind}.weight" for kind in ("proj", "norm"))
        split = (x @ self.weights[w].T).reshape(*x.shape[:2], -1, self.head_dim).transpose(1, 2)
        return rms_norm(split, self.weights[norm], self.eps) if norm in self.weights else split

    def loss(self, ids: Tensor) -> Tensor:
        """Return the mean loss of predicting each of the ids (B, T) but the first from all before it."""
        logits, _ = self(ids[:, :-1])
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())

    @torch.no_grad()
    def generate(self, prompts: Sequence[Sequence[int]], max_new: int, end: int = -1, **rules: Any) -> list[list[int]]:
        """Return the ids that continue each prompt, up to `end`; `rules` are those of `sample`."""
        found, cache = [list[int]() for _ in prompts], Cache()
        ids = pad_sequence([torch.tensor(prompt) for prompt in prompts], batch_first=True, padding_side="left")
        mask = pad_sequence([torch.ones(len(prompt)) for prompt in prompts], batch_first=True, padding_side="left")
        while not all(end in text or len(text) == max_new for text in found):
            logits, cache = self(ids, cache, mask)  # the prompts at first (prefill), then single steps
            ids = torch.stack([sample(row, **rules) for row in logits[:, -1]])[:, None]
            mask = torch.nn.functional.pad(mask, (0, 1), value=1)
            found = [text if end in text else [*text, int(id)] for text, id in zip(found, ids, strict=True)]
        return found

    @classmethod
    def from_folder(cls, folder: Path) -> Decoder:
        """Read config.json, and model.safetensors or the shards that its index names; numbers become float32."""
        index, weights = folder / "model.safetensors.index.json", dict[str, Tensor]()
        listed = json.loads(index.read_text(encoding="utf-8"))["weight_map"] if index.exists() else {}
        for name in sorted({*listed.values()}) or ["model.safetensors"]:
            weights |= {key: weight.float() for key, weight in load_file(folder / name).items()}
        return cls(weights, json.loads((folder / "config.json").read_text(encoding="utf-8")))

    def save(self, folder: Path, dtype: torch.dtype = torch.float32, shards: int = 1) -> None:
        """Write config.json, and the weights in a number of files, with an index if there are several."""
        folder.mkdir(parents=True, exist_ok=True)
        stored = {name: weight.detach().to(dtype).contiguous() for name, weight in self.weights.items()}
        files = [f"model-{n + 1:05}-of-{shards:05}.safetensors" for n in range(shards)]
        place = {name: files[at * shards // len(stored)] for at, name in enumerate(stored)}
        for file in files:
            whole, part = folder / (file if shards > 1 else "model.safetensors"), folder / "model.part"
            save_file({name: weight for name, weight in stored.items() if place[name] == file}, part, {"format": "pt"})
            part.replace(whole)  # the file is whole, or missing
        written = {"model.safetensors.index.json": {"metadata": {}, "weight_map": place}} if shards > 1 else {}
        for name, content in {**written, "config.json": dict(self.config)}.items():
            (folder / name).write_text(json.dumps(content, indent=2), encoding="utf-8")


def weight_shapes(config: Config) -> dict[str, list[int]]:
    """Return the shape of each weight by its name in a folder of Llama's or Qwen3's format."""
    d, k, wide, number = (config[n] for n in ("hidden_size", "head_dim", "intermediate_size", "num_hidden_layers"))
    q, kv = config["num_attention_heads"] * k, config["num_key_value_heads"] * k
    layer = {"self_attn.q_proj": [q, d], "self_attn.k_proj": [kv, d], "self_attn.v_proj": [kv, d]}
    layer |= {"self_attn.o_proj": [d, q], "mlp.gate_proj": [wide, d], "mlp.up_proj": [wide, d]}
    layer |= {"mlp.down_proj": [d, wide], "input_layernorm": [d], "post_attention_layernorm": [d]}
    layer |= {"self_attn.q_norm": [k], "self_attn.k_norm": [k]} if config["model_type"] == "qwen3" else {}
    shapes = {"model.embed_tokens": [config["vocab_size"], d], "model.norm": [d]}
    shapes |= {} if config["tie_word_embeddings"] else {"lm_head": [config["vocab_size"], d]}
    shapes |= {f"model.layers.{n}.{name}": shape for n in range(number) for name, shape in layer.items()}
    return {f"{name}.weight": shape for name, shape in shapes.items()}


def sample(logits: Tensor, temperature: float = 0.0, top_k: int = 0, top_p: float = 1.0, min_p: float = 0.0) -> Tensor:
    """Return an id drawn from the logits (V) with these filters; temperature 0 takes the most probable one."""
    return filtered(logits / temperature, top_k, top_p, min_p).multinomial(1)[0] if temperature else logits.argmax()


def filtered(logits: Tensor, top_k: int = 0, top_p: float = 1.0, min_p: float = 0.0) -> Tensor:
    """Return the probabilities after top-k, top-p and min-p; each filter sees what the one before has kept.

    >>> filtered(torch.tensor([0.4, 0.35, 0.25]).log(), top_p=0.6).mul(100).round().tolist()
    [53.0, 47.0, 0.0]
    """
    order = logits.argsort(descending=True)
    p = logits[order].softmax(-1)
    p[top_k or len(p) :] = 0
    p = p / p.sum()
    p[p.cumsum(-1) - p >= top_p] = 0  # the best ids that together have top_p; subtle: always the first one
    p[p < min_p * p[0]] = 0
    return torch.zeros_like(p).scatter(0, order, p / p.sum())


def learning_rate(step: int, steps: int, peak: float) -> float:
    """Return the learning rate of a step: it rises for a tenth of the steps, then falls along a cosine to a tenth.

    >>> [round(learning_rate(step, 100, 1.0), 2) for step in (0, 9, 55, 99)]
    [0.1, 1.0, 0.53, 0.1]
    """
    warm = max(1, steps // 10)
    share = (step + 1 - warm) / max(1, steps - warm)
    return peak * ((step + 1) / warm if step < warm else 0.55 + 0.45 * math.cos(math.pi * share))


def train(model: Decoder, windows: Tensor, steps: int, rows: int = 12, parts: int = 2) -> Iterator[float]:
    """Train with AdamW, and yield the loss of each step: `parts` batches of `rows` of the windows (N, T + 1) of ids."""
    optimizer = torch.optim.AdamW(model.weights.values(), betas=(0.9, 0.95), weight_decay=0.1)
    for step in range(steps):
        total = 0.0
        for drawn in torch.randint(len(windows), (parts, rows)):
            torch.autograd.backward(loss := model.loss(windows[drawn]) / parts)  # gradients add up until the step
            total += loss.item()
        torch.nn.utils.clip_grad_norm_(model.weights.values(), 1.0)
        optimizer.param_groups[0]["lr"] = learning_rate(step, steps, 3e-3)
        optimizer.step()
        optimizer.zero_grad()
        yield total


if __name__ == "__main__":
    from tokenlab import data
    from tokenlab.minimal import gpt2_tokenizer

    prompt, steps = (*sys.argv[1:], *("", "400")[len(sys.argv[1:]) :])
    ranks = gpt2_tokenizer.load(data.FOLDER / "small.tiktoken")
    tokenizer = gpt2_tokenizer.Tokenizer(ranks, {"<|endoftext|>": len(ranks)})
    model = Decoder.untrained(SMALL | {"vocab_size": len(ranks) + 1})
    windows = torch.tensor(tokenizer.encode(data.text("english"))).unfold(0, 97, 1)
    for step, loss in enumerate(train(model, windows, int(steps)), 1):
        print(f"\r{'#' * (30 * step // int(steps)):<30} step {step} of {steps}, loss {loss:.2f}", end="", flush=True)
    prompt = prompt or input("\nA sentence to continue: ") or "The keeper"
    found = model.generate([tokenizer.encode(prompt)], 60, temperature=0.8, top_p=0.95)
    print(f"\n{prompt}{tokenizer.decode(found[0])}")
