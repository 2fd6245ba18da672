"""A misconception about the training loop of PyTorch, as a wrong program."""

from __future__ import annotations

from typing import Any

from tokenlab.misconceptions.misconception import Misconception


def no_zero_grad(model: Any, optimizer: Any, batch: dict[str, Any], rate: float) -> float:
    """Do not delete the gradient, so that the next step adds its own gradient to the old one."""
    from torch.nn.utils import clip_grad_norm_

    for group in optimizer.param_groups:
        group["lr"] = rate
    loss = model(**batch).loss
    loss.backward()
    clip_grad_norm_(model.parameters(), max_norm=1.0)
    optimizer.step()
    return float(loss.item())


MISCONCEPTIONS = [
    Misconception(
        153,
        "backward computes the gradient anew",
        "backward adds to the gradient that is already there. Delete it with zero_grad after each step of the "
        "optimizer.",
        (no_zero_grad,),
    ),
]
