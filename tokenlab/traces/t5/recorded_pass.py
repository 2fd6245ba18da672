"""One forward pass of a T5 with all its tensors: hook points, and the inputs and outputs of modules without points.

Leaves out: batches; every recorded tensor has lost its batch dimension.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from tokenlab.algorithms.vectors import Row
from tokenlab.libraries.transformers.hook_points import watch

Seen = dict[str, Tensor]


def forward_pass(model: Any, source: list[int], read: list[int], labels: list[int]) -> Seen:
    """Call the model once without dropout; return every recorded tensor without its batch dimension."""
    training = model.training
    model.eval()
    try:
        with watch(model, "*") as points, record_modules(named_modules(model)) as seen:
            output = model(
                input_ids=torch.tensor([source], device=model.device),
                decoder_input_ids=torch.tensor([read], device=model.device),
                labels=torch.tensor([labels], device=model.device),
                use_cache=False,
                return_dict=True,
            )
    finally:
        model.train(training)
    tensors = {name: tensor[0] for name, tensor in (*points.items(), *seen.items())}
    return tensors | {"logits": output.logits[0], "loss": output.loss}


def named_modules(model: Any) -> dict[str, nn.Module]:
    """Return the modules without hook points whose inputs or outputs are recorded, by the name of the record."""
    modules: dict[str, nn.Module] = {"lm_head": model.lm_head}
    for stack in ("encoder", "decoder"):
        modules[f"{stack}.final_norm"] = getattr(model, stack).final_layer_norm
        for number, block in enumerate(getattr(model, stack).block):
            for part, sublayer in zip(parts_of(stack), block.layer, strict=True):
                place = f"{stack}.block.{number}.{part}"
                modules[f"{place}.norm"] = sublayer.layer_norm
                modules[f"{place}.residual"] = sublayer
                if part != "feed_forward":
                    modules[f"{place}.o"] = attention_of(sublayer).o
    return modules


def parts_of(stack: str) -> tuple[str, ...]:
    """Return the sublayers of a layer.

    >>> parts_of("encoder")
    ('self_attention', 'feed_forward')
    """
    return ("self_attention", *(["cross_attention"] if stack == "decoder" else []), "feed_forward")


def attention_of(sublayer: Any) -> Any:
    """Return the attention of a sublayer."""
    return sublayer.SelfAttention if hasattr(sublayer, "SelfAttention") else sublayer.EncDecAttention


@contextmanager
def record_modules(modules: dict[str, nn.Module]) -> Iterator[Seen]:
    """Record the first input (`name.input`) and the output (`name`) of modules inside this `with` block."""
    seen: Seen = {}
    handles = []

    def recorder(name: str) -> Any:
        def record(module: nn.Module, inputs: tuple[Any, ...], output: Any) -> None:
            seen[f"{name}.input"] = inputs[0]
            seen[name] = output if isinstance(output, Tensor) else output[0]

        return record

    for name, module in modules.items():
        handles.append(module.register_forward_hook(recorder(name)))
    try:
        yield seen
    finally:
        for handle in handles:
            handle.remove()


def to_rows(tensor: Tensor) -> tuple[Row, ...]:
    """Return a matrix as tuples of numbers."""
    return tuple(map(tuple, tensor.float().tolist()))


def numbers(vector: Tensor) -> Row:
    """Return a vector as a tuple of numbers."""
    return tuple(vector.float().tolist())
