"""Loading weights into a model: the model is built on the meta device, and filled with each tensor as it is read.

Adds: `load_weights`, which reports missing, unexpected and mismatched weights, and initializes the missing ones.
Leaves out: spreading a model over several devices, 8-bit weights.

Source: transformers 4.26.1, modeling_utils.py (`_load_pretrained_model`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from tokenlab.libraries.transformers.files.state_dict_keys import (
    LoadingInfo,
    ShapeMismatch,
    canonical_names,
    first_names_text,
    tied_names,
)
from tokenlab.libraries.transformers.files.weight_files import Weights, tensor_bytes
from tokenlab.libraries.transformers.modeling.memory_hooks import installed_memory

ModelFactory = Callable[[], Any]


def build_on_meta_device(build: ModelFactory, dtype: torch.dtype) -> Any:
    """Build a model whose parameters have shapes and a type, but no values yet."""
    with default_dtype(dtype), torch.device("meta"):
        model = build()
        model.tie_weights()
    for name, parameter in model.named_parameters():
        # Half precision has too small a range for some layers.
        if dtype == torch.float16 and set(name.split(".")) & set(model._keep_in_fp32_modules or ()):
            set_parameter(model, [name], nn.Parameter(parameter.float()))
    return model


@contextmanager
def default_dtype(dtype: torch.dtype) -> Iterator[None]:
    """Create new parameters in this type inside a `with` block."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def load_weights(
    model: Any, build: ModelFactory, parts: Iterable[Weights], where: str, ignore_mismatched_sizes: bool
) -> LoadingInfo:
    """Load weights into a model on the meta device.

    Args:
        model: as `build_on_meta_device` returns it.
        build: builds another model, from which the missing weights are taken.
        parts: weights by name, one file at a time.
        where: the source of the weights, for messages.
        ignore_mismatched_sizes: initialize weights that have another shape in the file.

    Raises:
        RuntimeError: a weight has another shape, and ignore_mismatched_sizes is False.
        ValueError: no weight belongs to this model.
    """
    first = canonical_names(model)
    names_of = tied_names(first)
    wanted = dict(model.named_parameters(remove_duplicate=False))
    found: set[str] = set()
    unexpected: list[str] = []
    mismatched: list[ShapeMismatch] = []
    for part in parts:
        for long_name, tensor in part.items():
            name = long_name.removeprefix(f"{model.base_model_prefix}.")
            if name not in first:
                unexpected.append(name)
            elif tensor.shape != wanted[name].shape:
                mismatched.append(ShapeMismatch(name, tensor.shape, wanted[name].shape))
            elif name == first[name] or first[name] not in found:  # the canonical name takes precedence over an alias
                own = tensor.detach().to("cpu", wanted[name].dtype, copy=True)
                set_parameter(model, names_of[first[name]], nn.Parameter(own))
                found.add(first[name])
    if mismatched and not ignore_mismatched_sizes:
        raise RuntimeError(
            f"{where!r} has {len(mismatched)} weights of another shape than this {type(model).__name__}: "
            f"{first_names_text(map(str, mismatched))}. Check that the configuration belongs to these weights. With "
            "ignore_mismatched_sizes=True they are initialized randomly"
        )
    if not found and not mismatched:
        raise ValueError(
            f"{where!r} has no weight of a {type(model).__name__}, but {first_names_text(unexpected) or 'none'}; "
            "use the class that saved them"
        )
    missing = [name for name in names_of if name not in found]
    if missing:
        init_parameters(model, build, [names_of[name] for name in missing])
    model.tie_weights()
    of_another_shape = {first[one.name] for one in mismatched}
    return LoadingInfo(
        [name for name in missing if name not in of_another_shape],
        [name for name in unexpected if not model.ignores_unexpected(name)],
        mismatched,
    )


def init_parameters(model: Any, build: ModelFactory, names: list[list[str]]) -> None:
    """Initialize parameters, each given by all of its names, as in a new model."""
    fresh = build_on_meta_device(build, model.dtype)
    wanted = dict(fresh.named_parameters(remove_duplicate=False))
    needed, memory = sum(map(tensor_bytes, (wanted[of_one[0]] for of_one in names))), installed_memory()
    if needed > memory:
        raise ValueError(
            f"the missing weights need {needed:,} bytes, but the machine has {memory:,}; "
            "check that the configuration belongs to these weights"
        )
    for of_one in names:
        set_parameter(fresh, of_one, nn.Parameter(torch.empty_like(wanted[of_one[0]], device="cpu")))
    fresh.apply(fresh._init_weights)  # parameters on the meta device stay without values
    drawn = dict(fresh.named_parameters(remove_duplicate=False))
    for of_one in names:
        set_parameter(model, of_one, drawn[of_one[0]])


def set_parameter(model: nn.Module, names: Iterable[str], parameter: nn.Parameter) -> None:
    """Set the one parameter of all given names."""
    for name in names:
        module, _, leaf = name.rpartition(".")
        setattr(model.get_submodule(module), leaf, parameter)


def checkpoint_dtype(weights: Weights) -> torch.dtype:
    """Return the type of the first floating-point tensor."""
    dtypes = (tensor.dtype for tensor in weights.values())
    return next((dtype for dtype in dtypes if dtype.is_floating_point), torch.get_default_dtype())
