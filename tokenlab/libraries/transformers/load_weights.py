"""Loading weights into a model: the model is built on the meta device, and filled with each tensor as it is read.

Adds: `load_weights`, which reports missing, unexpected and mismatched weights, and initializes the missing ones; the
    names of tied weights.
Leaves out: spreading a model over several devices, 8-bit weights.

Source: transformers 4.26.1, modeling_utils.py (`_load_pretrained_model`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from tokenlab.libraries.transformers.module_utils import installed_memory
from tokenlab.libraries.transformers.weight_files import Weights, tensor_bytes
from tokenlab.printing.errors import warn

MAX_LISTED = 4  # names listed in a message; the rest is counted


class ShapeMismatch(NamedTuple):
    """A weight whose shape in the file differs from the model's."""

    name: str
    in_file: torch.Size
    in_model: torch.Size

    def __str__(self) -> str:
        return f"{self.name} is {tuple(self.in_file)} in the file and {tuple(self.in_model)} in the model"


class LoadingInfo(NamedTuple):
    """The missing, unexpected and mismatched weights of a loading."""

    missing: list[str]
    unexpected: list[str]
    mismatched: list[ShapeMismatch]

    def as_dict(self) -> dict[str, list[Any]]:
        """Return the dictionary of `from_pretrained(..., output_loading_info=True)`."""
        return {
            "missing_keys": self.missing,
            "unexpected_keys": self.unexpected,
            "mismatched_keys": [tuple(one) for one in self.mismatched],
            "error_msgs": [],
        }

    def warn(self, model: str, name: str) -> None:
        """Warn about each kind of problem."""
        if self.unexpected:
            warn(
                f"{name!r} has {len(self.unexpected)} weights that a {model} does not use, and they are ignored: "
                f"{first_names_text(self.unexpected)}. This is expected if they were saved from another class"
            )
        if self.missing:
            warn(
                f"{name!r} lacks {len(self.missing)} weights of a {model}, which are initialized randomly: "
                f"{first_names_text(self.missing)}. Train the model before you use it"
            )
        if self.mismatched:
            warn(
                f"{name!r} has {len(self.mismatched)} weights of another shape than this {model}, which are "
                f"initialized randomly: {first_names_text(map(str, self.mismatched))}. Train the model before using it"
            )


def first_names_text(names: Iterable[str]) -> str:
    """Return the first names, and the number of the others.

    >>> first_names_text("abcdef")
    'a, b, c, d and 2 more'
    """
    listed = list(names)
    more = f" and {len(listed) - MAX_LISTED} more" if len(listed) > MAX_LISTED else ""
    return ", ".join(listed[:MAX_LISTED]) + more


def canonical_names(model: nn.Module) -> dict[str, str]:
    """Map each parameter name to the first name of the same parameter: tied parameters have several names.

    >>> both = nn.ModuleDict({"a": nn.Linear(2, 2, bias=False), "b": nn.Linear(2, 2, bias=False)})
    >>> both["b"].weight = both["a"].weight
    >>> canonical_names(both)
    {'a.weight': 'a.weight', 'b.weight': 'a.weight'}
    """
    first: dict[int, str] = {}
    return {
        name: first.setdefault(id(parameter), name)
        for name, parameter in model.named_parameters(remove_duplicate=False)
    }


def tied_names(first: Mapping[str, str]) -> dict[str, list[str]]:
    """Map the first name of each parameter to all of its names.

    >>> tied_names({"a": "a", "b": "a", "c": "c"})
    {'a': ['a', 'b'], 'c': ['c']}
    """
    names: dict[str, list[str]] = {}
    for name, first_name in first.items():
        names.setdefault(first_name, []).append(name)
    return names


def without_tied_duplicates(weights: Mapping[str, Tensor], patterns: Iterable[str]) -> dict[str, Tensor]:
    """Leave out weights that loading ties again, if another kept name has the same tensor.

    Args:
        weights: a state dict.
        patterns: patterns of names that may be missing when the model is loaded.
    """
    patterns = list(patterns)
    spared = {name for name in weights if any(re.search(pattern, name) for pattern in patterns)}
    staying = {_storage_key(tensor) for name, tensor in weights.items() if name not in spared}
    return {
        name: tensor for name, tensor in weights.items() if name not in spared or _storage_key(tensor) not in staying
    }


def _storage_key(tensor: Tensor) -> tuple[Any, ...]:
    """Return a key that is equal for two views of the same memory."""
    return (tensor.device, tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype)


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
