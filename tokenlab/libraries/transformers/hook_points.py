"""Hook points: named places in a model where activations are recorded or changed during a forward pass.

A point is an identity module of PyTorch, without parameters; `watch` registers forward hooks on it and removes them.
A point without hooks computes and keeps nothing. Leaves out: the points themselves (`HookPoints`, with the T5 layers).

>>> import torch
>>> from tokenlab.libraries.transformers import T5Config, T5Model
>>> model = T5Model(T5Config(10, 4, 2, 4, 1, num_heads=1)).eval()
>>> ids = torch.tensor([[3, 4, 1]])
>>> with watch(model, "decoder.*.weights") as seen:
...     output = model(ids, decoder_input_ids=ids)
>>> for name, weights in seen.items():
...     print(name, tuple(weights.shape))
decoder.block.0.self_attention.weights (1, 1, 3, 3)
decoder.block.0.cross_attention.weights (1, 1, 3, 3)
>>> with watch(model, "decoder.block.0.self_attention.mask", lambda name, mask: 0 * mask) as seen:
...     blind = model(ids, decoder_input_ids=ids)
>>> torch.equal(blind.last_hidden_state, output.last_hidden_state)
False
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cache, partial
from typing import Any, TypeAlias

from torch import Tensor, nn

from tokenlab.libraries.transformers.models.t5.layers import HookPoints

ActivationEdit: TypeAlias = Callable[[str, Tensor], Tensor | None]

LAYERS = {"SelfAttention": "self_attention", "EncDecAttention": "cross_attention", "DenseReluDense": "feed_forward"}


class ActivationCache(Mapping[str, Tensor]):
    """The recorded activations by the names of their points: the last of each; `passes` has all of them."""

    def __init__(self, watched: Collection[str], keep: int | None = None) -> None:
        self._kept: dict[str, deque[Tensor]] = {name: deque(maxlen=keep) for name in watched}

    @property
    def passes(self) -> dict[str, list[Tensor]]:
        """All activations of each point, in order: in generation, one for each step."""
        return {name: list(tensors) for name, tensors in self._kept.items() if tensors}

    def add(self, name: str, tensor: Tensor) -> None:
        """Record an activation."""
        self._kept[name].append(tensor)

    def __getitem__(self, name: str) -> Tensor:
        if name not in self._kept:
            raise KeyError(f"{name!r} is not watched here{suggest_names(name, self._kept)}")
        if not self._kept[name]:
            raise KeyError(
                f"nothing is recorded for {name!r}: call the model inside the `with` block; a mask is recorded only if "
                "something is masked"
            )
        return self._kept[name][-1]

    def __iter__(self) -> Iterator[str]:
        return (name for name, tensors in self._kept.items() if tensors)

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __repr__(self) -> str:
        shapes = (f"{name} {tuple(tensors[-1].shape)}" for name, tensors in self._kept.items() if tensors)
        return f"ActivationCache({', '.join(shapes)})"


@contextmanager
def watch(
    model: nn.Module, pattern: str | Iterable[str], change: ActivationEdit | None = None, keep: int | None = None
) -> Iterator[ActivationCache]:
    """Record, and optionally change, the activations at some points of a model inside this `with` block.

    Args:
        model: a T5, or a part of one.
        pattern: the name of a point, in which * matches any text, or several names; `points(model)` lists all names.
        change: a function of the name and a copy of the tensor; it may modify the copy, or return another tensor. A
            dimension of size 1 may change its size, so a mask or bias may differ between heads or texts.
        keep: the number of recorded passes, counted from the last; None for all. In a training loop use 1 or 0.

    Nested calls: the inner hooks run first, and the outer `watch` records their results.

    Raises:
        ValueError: no point matches a pattern, the model has no points, or `change` returns another shape.
        TypeError: `change` returns neither a tensor nor None.
    """
    found = {hook_point_name(path): module for path, module in hook_points(model)}
    if not found:
        raise ValueError(f"a {type(model).__name__} has no hook points; give a T5 of this package, or a part of one")
    names = match_names([pattern] if isinstance(pattern, str) else list(pattern), list(found))
    seen = ActivationCache(names, keep)
    with ExitStack() as hooks:
        for name in names:
            hook = partial(forward_hook, name, change, seen)
            hooks.enter_context(found[name].register_forward_hook(hook, prepend=True))
        yield seen


def ablate(model: nn.Module, *patterns: str) -> AbstractContextManager[object]:
    """Replace the activations at some points of a model by zeros inside this `with` block."""
    return watch(model, patterns, lambda _, tensor: tensor.zero_(), keep=0) if patterns else nullcontext()


def points(model: nn.Module) -> list[str]:
    """Return the names of all hook points of a model, in module order.

    >>> from tokenlab.libraries.transformers import T5Config, T5EncoderModel
    >>> [name for name in points(T5EncoderModel(T5Config(num_layers=1))) if "feed" in name]
    ['encoder.block.0.feed_forward.activations', 'encoder.block.0.feed_forward.output']
    """
    return [hook_point_name(path) for path, _ in hook_points(model)]


def hook_points(model: nn.Module) -> Iterator[tuple[str, nn.Module]]:
    """Iterate over the hook points of a model, with their module paths."""
    for path, module in model.named_modules():
        if isinstance(module, HookPoints):
            yield from ((f"{path}.{name}", point) for name, point in module.named_children())


@cache
def hook_point_name(path: str) -> str:
    """Return the name of a point: its module path without the components that only express nesting.

    >>> hook_point_name("decoder.block.1.layer.0.SelfAttention.points.scores")
    'decoder.block.1.self_attention.scores'
    """
    path = re.sub(r"\blayer\.\d\.(\w+)", lambda found: LAYERS.get(found[1], found[1]), path)
    return re.sub(r"\bpoints\.(?=\w+$)", "", path)


def match_names(patterns: list[str], names: list[str]) -> list[str]:
    """Return the names that match a pattern, in their own order; a ValueError for a pattern that matches none.

    >>> match_names(["block.0.score"], ["block.0.scores", "block.0.bias"])
    Traceback (most recent call last):
    ...
    ValueError: pattern='block.0.score' matches no hook point; similar names: block.0.scores, block.0.bias
    """
    if not patterns:
        raise ValueError("pattern is empty; give a name, or a list of names")
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise ValueError(f"{pattern=} matches no hook point{suggest_names(pattern, names)}")
    return [name for name in names if any(fnmatchcase(name, pattern) for pattern in patterns)]


def suggest_names(name: str, names: Iterable[str]) -> str:
    """Return the end of an error message about an unknown name."""
    close = get_close_matches(name, list(names), n=4, cutoff=0.5)
    return f"; similar names: {', '.join(close)}" if close else "; points(model) lists all names"


def forward_hook(
    name: str, change: ActivationEdit | None, seen: ActivationCache, point: nn.Module, args: Any, tensor: Tensor
) -> Tensor | None:
    """Change the tensor if requested, record it and return it."""
    if change is not None:
        copy = tensor.clone()
        returned: Any = change(name, copy)
        new = copy if returned is None else returned
        if not isinstance(new, Tensor):
            raise TypeError(f"change({name!r}, ...) returned a {type(new).__name__}; it should return a tensor or None")
        if new.dim() != tensor.dim() or any(a not in (1, b) for a, b in zip(tensor.shape, new.shape, strict=True)):
            raise ValueError(
                f"change({name!r}, ...) returned the shape {tuple(new.shape)}, but the tensor has "
                f"{tuple(tensor.shape)}; only dimensions of size 1 may change"
            )
        tensor = new.to(tensor)  # in the type and on the device of the original
    seen.add(name, tensor)
    return tensor
