"""Filling a model with weights: it is built without memory, and each tensor takes its place as it is read.

Adds: `fill`, which says what did not fit, and draws anew what no file had.
Leaves out: spreading a model over several devices, 8-bit weights.

Source: transformers 4.26.1, modeling_utils.py (`_load_pretrained_model`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from tokenlab.transformers.model_files import Weights
from tokenlab.transformers.state_keys import Difference, LoadingInfo, first_names, grouped, some

Build = Callable[[], Any]


def without_memory(build: Build, dtype: torch.dtype) -> Any:
    """A model whose parameters have shapes and a type, and no numbers yet."""
    with default_dtype(dtype), torch.device("meta"):
        model = build()
        model.tie_weights()
    for name, parameter in model.named_parameters():
        # Half precision has too small a range for some layers.
        if dtype == torch.float16 and set(name.split(".")) & set(model._keep_in_fp32_modules or ()):
            put(model, [name], parameter.float())
    return model


@contextmanager
def default_dtype(dtype: torch.dtype) -> Iterator[None]:
    """New parameters are of this type."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def fill(model: Any, build: Build, parts: Iterable[Weights], where: str, ignore_mismatched_sizes: bool) -> LoadingInfo:
    """Put weights into a model that was built without memory.

    Args:
        model: as `without_memory` gives it.
        build: builds another one, out of which comes what no part has.
        parts: weights by name, a file at a time.
        where: what they are read from, for a sentence.
        ignore_mismatched_sizes: draw weights anew that have another shape in the file.

    Raises:
        RuntimeError: a weight has another shape, and that is not ignored.
        ValueError: no weight is one of this model.
    """
    first = first_names(model)
    names_of = grouped(first)
    wanted = dict(model.named_parameters(remove_duplicate=False))
    found: set[str] = set()
    unexpected: list[str] = []
    mismatched: list[Difference] = []
    for part in parts:
        for name, tensor in without_prefix(part, model.base_model_prefix).items():
            if name not in first:
                unexpected.append(name)
            elif tensor.shape != wanted[name].shape:
                mismatched.append(Difference(name, tensor.shape, wanted[name].shape))
            elif name == first[name] or first[name] not in found:  # an alias gives way to the name itself
                put(model, names_of[first[name]], tensor.detach().to("cpu", wanted[name].dtype, copy=True))
                found.add(first[name])
    if mismatched and not ignore_mismatched_sizes:
        raise RuntimeError(
            f"{where!r} has {len(mismatched)} weights of another shape than this {type(model).__name__}: "
            f"{some(map(str, mismatched))}. Is its configuration the one of these weights? With "
            "ignore_mismatched_sizes=True they are drawn anew"
        )
    if not found and not mismatched:
        raise ValueError(
            f"{where!r} has no weight of a {type(model).__name__}: there is {some(unexpected) or 'nothing'}; "
            "take the class that saved them"
        )
    missing = [name for name in names_of if name not in found]
    if missing:
        draw(model, build, [names_of[name] for name in missing])
    model.tie_weights()
    of_another_shape = {first[one.name] for one in mismatched}
    return LoadingInfo(
        [name for name in missing if name not in of_another_shape],
        [name for name in unexpected if not model.ignores_unexpected(name)],
        mismatched,
    )


def without_prefix(part: Weights, prefix: str) -> Weights:
    """The weights by the names that they have in a model that is not part of a larger one."""
    return {name.removeprefix(f"{prefix}.") if prefix else name: tensor for name, tensor in part.items()}


def draw(model: Any, build: Build, names: list[list[str]]) -> None:
    """New numbers for parameters, each given by all its names, as a new model has them."""
    fresh = without_memory(build, model.dtype)
    wanted = dict(fresh.named_parameters(remove_duplicate=False))
    for of_one in names:
        put(fresh, of_one, torch.empty_like(wanted[of_one[0]], device="cpu"))
    fresh.apply(fresh._init_weights)  # what has no memory yet stays without numbers
    drawn = dict(fresh.named_parameters(remove_duplicate=False))
    for of_one in names:
        put(model, of_one, drawn[of_one[0]].detach())


def put(model: nn.Module, names: Iterable[str], tensor: Tensor) -> None:
    """Make a tensor the one parameter of these names."""
    parameter = nn.Parameter(tensor)
    for name in names:
        module, _, leaf = name.rpartition(".")
        setattr(model.get_submodule(module), leaf, parameter)


def first_dtype(weights: Weights) -> torch.dtype:
    """The type of the first tensor with fractions."""
    dtypes = (tensor.dtype for tensor in weights.values())
    return next((dtype for dtype in dtypes if dtype.is_floating_point), torch.get_default_dtype())
