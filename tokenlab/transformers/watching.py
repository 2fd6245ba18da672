"""Looking into a model while it works: points with a name, where tensors are recorded or changed on their way.

A point is an identity module of PyTorch, without parameters; `watch` hangs forward hooks on it and takes them off.
A tensor passes by where nobody watches: nothing is computed, nothing is kept.

>>> import torch
>>> from tokenlab.transformers import T5Config, T5Model
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
from contextlib import ExitStack, contextmanager
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import partial
from typing import Any, TypeAlias, TypeVar

from torch import Tensor, nn

Change: TypeAlias = Callable[[str, Tensor], Tensor | None]
Passing = TypeVar("Passing", Tensor, Tensor | None)

LAYERS = {"SelfAttention": "self_attention", "EncDecAttention": "cross_attention", "DenseReluDense": "feed_forward"}


class Points(nn.Module):
    """The named points of one module."""

    def __init__(self, *names: str) -> None:
        super().__init__()
        for name in names:
            self.add_module(name, nn.Identity())

    def at(self, name: str, tensor: Passing) -> Passing:
        """What goes on from this point: the tensor itself, unless somebody changes it."""
        point = self._modules[name]
        assert point is not None
        # A call of a module costs ten times what this question costs, and there are dozens of points in a pass.
        return point(tensor) if point._forward_hooks and tensor is not None else tensor


class Seen(Mapping[str, Tensor]):
    """The tensors that have passed, by the names of their points: the last of each, and in `passes` all of them."""

    def __init__(self, watched: Collection[str], keep: int | None = None) -> None:
        self._kept: dict[str, deque[Tensor]] = {name: deque(maxlen=keep) for name in watched}

    @property
    def passes(self) -> dict[str, list[Tensor]]:
        """All tensors that passed each point, the first first: of a generation one for each step."""
        return {name: list(tensors) for name, tensors in self._kept.items() if tensors}

    def add(self, name: str, tensor: Tensor) -> None:
        """Keep what has passed a point."""
        self._kept[name].append(tensor)

    def __getitem__(self, name: str) -> Tensor:
        if name not in self._kept:
            raise KeyError(f"{name!r} is not watched here{near(name, self._kept)}")
        if not self._kept[name]:
            raise KeyError(
                f"nothing has passed {name!r}: call the model inside the `with` block; and a mask passes only where "
                "something is hidden"
            )
        return self._kept[name][-1]

    def __iter__(self) -> Iterator[str]:
        return (name for name, tensors in self._kept.items() if tensors)

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __repr__(self) -> str:
        """Say what has passed."""
        shapes = (f"{name} {tuple(tensors[-1].shape)}" for name, tensors in self._kept.items() if tensors)
        return f"Seen({', '.join(shapes)})"


@contextmanager
def watch(
    model: nn.Module, pattern: str | Iterable[str], change: Change | None = None, keep: int | None = None
) -> Iterator[Seen]:
    """Record, and perhaps change, what passes some points of a model inside this `with` block.

    Args:
        model: a T5, or a part of one.
        pattern: a point's name, in which * stands for anything, or several; `points(model)` lists the names.
        change: is given a name and a copy of the tensor, which it may alter; or it returns another tensor. A mask or a
            bias may thereby get a number for each head or sentence, where it had one for all.
        keep: how many of the last passes are recorded; all of them where it is None. In a training loop take 1 or 0.

    A watch inside another is nearer to the model: the outer one sees what the inner one has made.

    Raises:
        ValueError: no point has such a name, the model has no points, or `change` returns another shape.
        TypeError: `change` returns something else than a tensor.
    """
    found = {name_of(path): module for path, module in points_of(model)}
    if not found:
        raise ValueError(f"a {type(model).__name__} has no points; give a T5 of this package, or a part of one")
    names = matching([pattern] if isinstance(pattern, str) else list(pattern), list(found))
    seen = Seen(names, keep)
    with ExitStack() as hooks:
        for name in names:
            hook = partial(passed, name, change, seen)
            hooks.enter_context(found[name].register_forward_hook(hook, prepend=True))
        yield seen


def points(model: nn.Module) -> list[str]:
    """The names of all points of a model, in the order of its parts.

    >>> from tokenlab.transformers import T5Config, T5EncoderModel
    >>> [name for name in points(T5EncoderModel(T5Config(num_layers=1))) if "feed" in name]
    ['encoder.block.0.feed_forward.activations', 'encoder.block.0.feed_forward.output']
    """
    return [name_of(path) for path, _ in points_of(model)]


def points_of(model: nn.Module) -> Iterator[tuple[str, nn.Module]]:
    """The points of a model, with their paths among its modules."""
    for path, module in model.named_modules():
        if isinstance(module, Points):
            yield from ((f"{path}.{name}", point) for name, point in module.named_children())


def name_of(path: str) -> str:
    """What a point is called: its path, less what only says how the modules are nested.

    >>> name_of("decoder.block.1.layer.0.SelfAttention.points.scores")
    'decoder.block.1.self_attention.scores'
    """
    path = re.sub(r"\blayer\.\d\.(\w+)", lambda found: LAYERS.get(found[1], found[1]), path)
    return re.sub(r"\bpoints\.(?=\w+$)", "", path)


def matching(patterns: list[str], names: list[str]) -> list[str]:
    """The names that fit at least one pattern, in their own order.

    Raises:
        ValueError: a pattern fits none.

    >>> matching(["block.0.score"], ["block.0.scores", "block.0.bias"])
    Traceback (most recent call last):
    ...
    ValueError: pattern='block.0.score' fits no point of this model; near it are block.0.scores, block.0.bias
    """
    if not patterns:
        raise ValueError("pattern is empty; give a name, or a list of names")
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise ValueError(f"{pattern=} fits no point of this model{near(pattern, names)}")
    return [name for name in names if any(fnmatchcase(name, pattern) for pattern in patterns)]


def near(name: str, names: Iterable[str]) -> str:
    """The end of a sentence about a name that is not there."""
    close = get_close_matches(name, list(names), n=4, cutoff=0.5)
    return f"; near it are {', '.join(close)}" if close else "; points(model) lists all names"


def passed(name: str, change: Change | None, seen: Seen, point: nn.Module, args: Any, tensor: Tensor) -> Tensor | None:
    """A forward hook: change a tensor, keep it, and let it go on."""
    if change is not None:
        copy = tensor.clone()
        changed = change(name, copy)
        tensor = fitting(name, copy if changed is None else changed, tensor)
    seen.add(name, tensor)
    return tensor


def fitting(name: str, changed: Any, tensor: Tensor) -> Tensor:
    """What a change has returned, in the type of the tensor that it stands for."""
    if not isinstance(changed, Tensor):
        raise TypeError(f"change({name!r}, ...) returned a {type(changed).__name__}; it should return a tensor or None")
    same = changed.dim() == tensor.dim() and all(
        old in (1, new) for old, new in zip(tensor.shape, changed.shape, strict=True)
    )
    if not same:
        raise ValueError(
            f"change({name!r}, ...) returned the shape {tuple(changed.shape)}, and the tensor there has "
            f"{tuple(tensor.shape)}; only where that has a 1 another number may stand"
        )
    return changed.to(tensor)
