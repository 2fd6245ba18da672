"""The position-wise layers of a T5: the layer norm and the two kinds of feed-forward layer.

Source: transformers 4.26.1, models/t5/modeling_t5.py; Raffel et al. 2020; Shazeer 2020, "GLU variants".
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

from tokenlab.libraries.transformers.hook_points import HookPoints
from tokenlab.libraries.transformers.models.t5.configuration_t5 import T5Config


def gelu_new(x: Tensor) -> Tensor:
    """GELU (Gaussian error linear unit) in the tanh approximation of T5 1.1."""
    return functional.gelu(x, approximate="tanh")


ACT2FN: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": functional.relu,
    "gelu": functional.gelu,
    "gelu_new": gelu_new,
    "silu": functional.silu,
    "swish": functional.silu,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "linear": nn.Identity(),
}


class T5LayerNorm(nn.Module):
    """RMSNorm: divide by the root mean square; no mean is subtracted and no bias is added.

    >>> T5LayerNorm(2)(torch.tensor([[3.0, 3.0]])).round(decimals=3)
    tensor([[1., 1.]], grad_fn=<RoundBackward1>)
    """

    def __init__(self, hidden_size: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden_size))
        self.variance_epsilon = eps

    def forward(self, hidden_states: Tensor) -> Tensor:
        """Scale each hidden state to a mean square of 1, and multiply by the learned weights."""
        # subtle: squares of half-precision numbers overflow easily, so the mean is computed in float32.
        mean_square = hidden_states.float().pow(2).mean(-1, keepdim=True)  # (batch, length, 1)
        normed = hidden_states * torch.rsqrt(mean_square + self.variance_epsilon)  # (batch, length, d_model)
        if self.weight.dtype in (torch.float16, torch.bfloat16):
            normed = normed.to(self.weight.dtype)
        return self.weight * normed


class T5DenseActDense(nn.Module):
    """The feed-forward layer of T5 1.0: a projection to d_ff, an activation, a projection back to d_model."""

    def __init__(self, config: T5Config) -> None:
        super().__init__()
        self.wi = nn.Linear(config.d_model, config.d_ff, bias=False)
        self.wo = nn.Linear(config.d_ff, config.d_model, bias=False)
        self.dropout = nn.Dropout(config.dropout_rate)
        self.act = ACT2FN[config.dense_act_fn]
        self.points = HookPoints("activations", "output")

    def forward(self, hidden_states: Tensor) -> Tensor:
        """Return wo(act(wi(x)))."""
        inner = self.points.at("activations", self.dropout(self.act(self.wi(hidden_states))))  # (batch, length, d_ff)
        output: Tensor = self.wo(inner.to(self.wo.weight.dtype))  # (batch, length, d_model)
        return self.points.at("output", output)


class T5DenseGatedActDense(nn.Module):
    """The feed-forward layer of T5 1.1: the activation of one projection gates a second one (a gated linear unit)."""

    def __init__(self, config: T5Config) -> None:
        super().__init__()
        self.wi_0 = nn.Linear(config.d_model, config.d_ff, bias=False)
        self.wi_1 = nn.Linear(config.d_model, config.d_ff, bias=False)
        self.wo = nn.Linear(config.d_ff, config.d_model, bias=False)
        self.dropout = nn.Dropout(config.dropout_rate)
        self.act = ACT2FN[config.dense_act_fn]
        self.points = HookPoints("activations", "output")

    def forward(self, hidden_states: Tensor) -> Tensor:
        """Return wo(act(wi_0(x)) * wi_1(x))."""
        gate = self.act(self.wi_0(hidden_states))  # (batch, length, d_ff)
        inner = self.points.at("activations", self.dropout(gate * self.wi_1(hidden_states)))  # (batch, length, d_ff)
        # wo may stay in float32 in a half-precision model, because it needs the range.
        output: Tensor = self.wo(inner.to(self.wo.weight.dtype))  # (batch, length, d_model)
        return self.points.at("output", output)


class T5LayerFF(nn.Module):
    """A feed-forward layer with a layer norm before it and a residual connection around it."""

    def __init__(self, config: T5Config) -> None:
        super().__init__()
        dense = T5DenseGatedActDense if config.is_gated_act else T5DenseActDense
        self.DenseReluDense = dense(config)
        self.layer_norm = T5LayerNorm(config.d_model, eps=config.layer_norm_epsilon)
        self.dropout = nn.Dropout(config.dropout_rate)

    def forward(self, hidden_states: Tensor) -> Tensor:
        """Add dense(norm(x)) to x."""
        output: Tensor = hidden_states + self.dropout(self.DenseReluDense(self.layer_norm(hidden_states)))
        return output
