"""Checks of the third capstone: the loss, the learning rate, clipping, AdamW, and the training loop."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from numbers import Real
from typing import Any, TypeAlias

import torch
from torch import Tensor

from tokenlab.algorithms.training_data.document_batch import IGNORED
from tokenlab.check.capstones import decoder_values as values
from tokenlab.check.capstones.decoder_data import batch
from tokenlab.check.capstones.decoder_parts import logits
from tokenlab.check.capstones.decoder_values import Config, Weights
from tokenlab.check.capstones.t5_values import SEEDS
from tokenlab.check.function_check import Adapter, FunctionCheck
from tokenlab.check.isolated_run import UnusableResultError
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.tensor_check import close, random_ids, random_tensors, tensor_check
from tokenlab.check.trace_comparison import nearly_equal
from tokenlab.minimal.decoder import learning_rate

Batch: TypeAlias = tuple[Tensor, Tensor]

# The loss.


def mean_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Return the mean cross-entropy of the positions whose label is not -100."""
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=IGNORED)


def _logits_and_labels(rows: int, length: int, vocab_size: int, ignored: int, seed: int) -> tuple[Tensor, Tensor]:
    labels = random_ids(seed, vocab_size, rows, length)
    labels.view(-1)[max(1, labels.numel() - ignored) :] = IGNORED
    return random_tensors(seed)(rows, length, vocab_size), labels


def _shifted_again(logits: Tensor, labels: Tensor) -> Tensor:
    later = labels[:, 1:]
    return mean_loss(logits[:, :-1], later) if (later != IGNORED).any() else torch.tensor(0.0)


def _mean_of_rows(logits: Tensor, labels: Tensor) -> Tensor:
    rows = [mean_loss(*row) for row in zip(logits[:, None], labels[:, None], strict=True) if (row[1] != IGNORED).any()]
    return torch.stack(rows).mean()


def _share_of_kept(labels: Tensor) -> float:
    return (labels != IGNORED).sum().item() / labels.numel()


lm_loss = tensor_check(
    mean_loss,
    _logits_and_labels,
    lambda: st.tuples(*(st.integers(1, most) for most in (2, 3, 4)), st.integers(0, 2), st.sampled_from(SEEDS)),
    "The loss of a position is minus the logarithm of the probability of its label. Return the mean over all positions "
    "whose label is not -100.",
    examples=[(1, 2, 3, 0, 0), (2, 3, 4, 2, 1), (2, 3, 3, 2, 2)],
    wrong=(
        (
            _shifted_again,
            "The labels are already shifted: position t of the logits belongs to position t of the labels.",
        ),
        (
            lambda logits, labels: mean_loss(logits, labels.clamp(min=0)),
            "A position with the label -100 has no loss. It is not a position whose label is 0.",
        ),
        (
            lambda logits, labels: mean_loss(logits, labels) * _share_of_kept(labels),
            "Divide by the number of labels that are not -100.",
        ),
        (
            lambda logits, labels: mean_loss(logits, labels) * (labels != IGNORED).sum(),
            "Return the mean, not the sum.",
        ),
        (_mean_of_rows, "Each predicted token counts once. A mean of the means of rows favours short stories."),
        (lambda logits, labels: -mean_loss(logits, labels), "A loss is positive: minus the logarithm."),
    ),
)


# The learning rate.


def _steps() -> Strategy:
    steps = st.sampled_from((10, 20, 50, 3, 100, 15, 19, 25))
    return steps.flatmap(lambda n: st.tuples(st.integers(0, n - 1), st.just(n), st.sampled_from((1.0, 0.003))))


def _warm_up_from(first: int) -> Callable[[int, int, float], float]:
    def changed(step: int, steps: int, peak: float) -> float:
        warm = max(1, steps // 10)
        return peak * (step + first) / warm if step < warm else learning_rate(step, steps, peak)

    return changed


def _rounded_up(step: int, steps: int, peak: float) -> float:
    warm = math.ceil(steps / 10)
    share = (step + 1 - warm) / max(1, steps - warm)
    return peak * ((step + 1) / warm if step < warm else 0.55 + 0.45 * math.cos(math.pi * share))


def _after_warm_up(share_to_factor: Callable[[float], float]) -> Callable[[int, int, float], float]:
    def changed(step: int, steps: int, peak: float) -> float:
        warm = max(1, steps // 10)
        share = (step + 1 - warm) / max(1, steps - warm)
        return learning_rate(step, steps, peak) if step < warm else peak * share_to_factor(share)

    return changed


lm_rate = FunctionCheck(
    lambda step, steps, peak: learning_rate(step, steps, peak),
    _steps,
    "In the warm-up, a tenth of the steps but at least one, the rate is peak * (step + 1) / warm. Then it is peak * "
    "(0.55 + 0.45 cos(pi * share)) with share = (step + 1 - warm) / (steps - warm).",
    examples=[(0, 20, 1.0), (1, 20, 1.0), (10, 20, 1.0), (19, 20, 1.0), (0, 3, 1.0), (0, 15, 1.0), (1, 15, 1.0)],
    wrong=(
        (_rounded_up, "A tenth of the steps is rounded down, and the warm-up has at least one step."),
        (_warm_up_from(0), "The first step of the warm-up has a rate above 0: peak * (step + 1) / warm."),
        (
            lambda step, steps, peak: peak if step < steps // 10 else learning_rate(step, steps, peak),
            "Begin with small steps: in the warm-up, the rate grows with each step.",
        ),
        (
            _after_warm_up(lambda share: 0.5 + 0.5 * math.cos(math.pi * share)),
            "The rate falls to a tenth of its peak, not to 0.",
        ),
        (_after_warm_up(lambda share: 1 - 0.9 * share), "The rate falls along a cosine, not along a line."),
        (_after_warm_up(lambda share: 1.0), "After the warm-up, the rate falls."),
        (
            _after_warm_up(lambda share: 0.55 + 0.45 * math.cos(share)),
            "The share runs from 0 to 1, and the angle of the cosine from 0 to pi.",
        ),
    ),
    same=nearly_equal,
)


# Clipping.


def clip(gradients: Sequence[Tensor], limit: float) -> list[Tensor]:
    """Return the gradients, multiplied by one factor so that their common norm is at most the limit."""
    norm = torch.cat([one.flatten() for one in gradients]).norm().item()
    return [one * min(1.0, limit / norm) for one in gradients]


def _gradients(number: int, rows: int, columns: int, limit: float, seed: int) -> tuple[list[Tensor], float]:
    tensor = random_tensors(seed)
    return [tensor(rows, columns) + 0.55, *(tensor(columns) for _ in range(number - 1))], limit


def _gradient_cases() -> Strategy:
    shapes = (st.integers(1, most) for most in (3, 2, 3))
    return st.tuples(*shapes, st.sampled_from((1.0, 0.5, 100.0)), st.sampled_from(range(1, 40)))


lm_clip = tensor_check(
    clip,
    _gradients,
    _gradient_cases,
    "The norm is the square root of the sum of the squares of all numbers in all gradients. If it is above the limit, "
    "multiply all gradients by limit / norm.",
    examples=[(1, 1, 2, 1.0, 1), (2, 2, 3, 0.5, 2), (2, 1, 2, 100.0, 3)],
    wrong=(
        (
            lambda gradients, limit: [clip([one], limit)[0] for one in gradients],
            "All gradients share one norm and one factor. Otherwise their direction changes.",
        ),
        (
            lambda gradients, limit: [one.clamp(-limit, limit) for one in gradients],
            "Do not cut off single numbers: that changes the direction. Multiply all by one factor.",
        ),
        (
            lambda gradients, limit: clip([one * 1e6 for one in gradients], limit),
            "Gradients with a norm below the limit stay as they are. Clipping never makes them longer.",
        ),
        (
            lambda gradients, limit: [
                one * min(1.0, limit / torch.cat([each.flatten() for each in gradients]).pow(2).sum().item())
                for one in gradients
            ],
            "The norm is the square root of the sum of the squares.",
        ),
        (lambda gradients, limit: [*gradients], "A norm above the limit is reduced to the limit."),
    ),
)


# AdamW.

FIRST, SECOND, TINY, DECAY = 0.9, 0.95, 1e-8, 0.1


def adamw(
    weight: Tensor, gradient: Tensor, m: Tensor, v: Tensor, step: int, rate: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the weight after a step, and both running means."""
    m, v = FIRST * m + (1 - FIRST) * gradient, SECOND * v + (1 - SECOND) * gradient**2
    change = m / (1 - FIRST**step) / ((v / (1 - SECOND**step)).sqrt() + TINY)
    return weight * (1 - rate * DECAY) - rate * change, m, v


def _adamw_arguments(rows: int, columns: int, step: int, rate: float, seed: int, used: bool = True) -> tuple[Any, ...]:
    tensor = random_tensors(seed)
    weight, gradient = tensor(rows, columns), tensor(rows, columns) + 0.05
    gradient[0, 0] *= used  # 0 for a weight that no token of the batch has used
    before = (tensor(rows, columns), tensor(rows, columns).abs()) if step > 1 else (torch.zeros(rows, columns),) * 2
    return weight, gradient, *before, step, rate


def _adamw_cases() -> Strategy:
    shapes = st.integers(1, 2), st.integers(1, 3)
    steps, rates = st.sampled_from((1, 2, 9)), st.sampled_from((0.1, 0.5))
    return st.tuples(*shapes, steps, rates, st.sampled_from(SEEDS), st.booleans())


def _uncorrected(weight: Tensor, gradient: Tensor, m: Tensor, v: Tensor, step: int, rate: float) -> Any:
    _, m, v = adamw(weight, gradient, m, v, step, rate)
    return weight * (1 - rate * DECAY) - rate * m / (v.sqrt() + TINY), m, v


def _returns_corrected(*given: Any) -> Any:
    weight, m, v = adamw(*given)
    return weight, m / (1 - FIRST ** given[4]), v / (1 - SECOND ** given[4])


def _without_tiny(weight: Tensor, gradient: Tensor, m: Tensor, v: Tensor, step: int, rate: float) -> Any:
    _, m, v = adamw(weight, gradient, m, v, step, rate)
    return weight * (1 - rate * DECAY) - rate * m / (1 - FIRST**step) / (v / (1 - SECOND**step)).sqrt(), m, v


def _not_squared(weight: Tensor, gradient: Tensor, m: Tensor, v: Tensor, step: int, rate: float) -> Any:
    _, m, _ = adamw(weight, gradient, m, v, step, rate)
    v = SECOND * v + (1 - SECOND) * gradient.abs()
    change = m / (1 - FIRST**step) / ((v / (1 - SECOND**step)).sqrt() + TINY)
    return weight * (1 - rate * DECAY) - rate * change, m, v


lm_adamw = tensor_check(
    adamw,
    _adamw_arguments,
    _adamw_cases,
    "m and v are running means of the gradient and of its square. Divide them by 1 - 0.9 ** step and 1 - 0.95 ** step. "
    "The weight loses a share rate * 0.1 of itself, and rate times m over the root of v plus 1e-8.",
    examples=[(1, 1, 1, 0.1, 0), (1, 2, 2, 0.5, 1), (2, 3, 9, 0.1, 2), (1, 2, 1, 0.1, 3, False)],
    wrong=(
        (
            _uncorrected,
            "The means begin near 0: divide them by 1 - 0.9 ** step and 1 - 0.95 ** step.",
        ),
        (
            lambda weight, gradient, *given: adamw(weight, gradient + DECAY * weight, *given),
            "The W of AdamW: the decay acts on the weight, and not through the gradient and its means.",
        ),
        (
            lambda weight, gradient, m, v, step, rate: (
                adamw(weight, gradient, m, v, step, rate)[0] + rate * DECAY * weight,
                *adamw(weight, gradient, m, v, step, rate)[1:],
            ),
            "The weight also shrinks by a share rate * 0.1 of itself.",
        ),
        (_without_tiny, "Add 1e-8 to the root: a weight whose gradients were all 0 would be divided by 0."),
        (_not_squared, "v is the running mean of the squares of the gradient."),
        (_returns_corrected, "Return m and v as running means. They are corrected only for the change of the weight."),
        (
            lambda weight, gradient, m, v, step, rate: (
                2 * weight * (1 - rate * DECAY) - adamw(weight, gradient, m, v, step, rate)[0],
                *adamw(weight, gradient, m, v, step, rate)[1:],
            ),
            "The loss falls against the gradient: subtract the change.",
        ),
        (
            lambda weight, gradient, m, v, step, rate: adamw(weight, gradient, 0 * m, 0 * v, step, rate),
            "m and v continue the means of the earlier steps.",
        ),
    ),
)


# The training loop.


def train(
    weights: Weights, config: Config, batches: Sequence[Batch], parts: int, peak: float, **changed: Any
) -> tuple[dict[str, Tensor], list[float]]:
    """Return the trained weights and the loss of each step; `changed` names the rules that a wrong loop breaks."""
    trained = {name: weight.clone().requires_grad_() for name, weight in weights.items()}
    moments = {name: (torch.zeros_like(weight), torch.zeros_like(weight)) for name, weight in weights.items()}
    losses, steps = [], len(batches) // parts
    for step in range(steps):
        total = 0.0
        for inputs, labels in batches[step * parts : (step + 1) * parts]:
            if changed.get("last_part"):
                total = 0.0
                for weight in trained.values():
                    weight.grad = None
            found, _ = logits(inputs, trained, config, values.empty_cache(config, len(inputs)))
            loss = mean_loss(found, labels) / (1 if changed.get("sums") else parts)
            torch.autograd.backward(loss)
            total += loss.item()
        gradients = [weight.grad for weight in trained.values() if weight.grad is not None]
        clipped = gradients if changed.get("unclipped") else clip(gradients, 1.0)
        rate = peak if changed.get("constant") else learning_rate(step, steps, peak)
        for (name, weight), gradient in zip(trained.items(), clipped, strict=True):
            number = 1 if changed.get("first_step") else step + 1
            new, m, v = adamw(weight.detach(), gradient, *moments[name], number, rate)
            moments[name] = (0 * m, 0 * v) if changed.get("forgets") else (m, v)
            weight.data = new.detach()
            weight.grad = weight.grad if changed.get("keeps") else None
        losses.append(total)
    return {name: weight.detach() for name, weight in trained.items()}, losses


@cache
def _batches(seed: int, number: int) -> list[Batch]:
    made = []
    for n in range(number):
        ids = random_ids(seed + n, values.END, 2, 5).tolist()
        made.append(batch([[values.END, *ids[0], values.END], [values.END, *ids[1][:3], values.END]], 5, values.END))
    return made


def _given(steps: int, parts: int, rest: int, seed: int) -> tuple[Any, ...]:
    weights, config = values.random_decoder(seed, 1, 1, 1)
    small = {name: weight * 0.5 for name, weight in weights.items()}
    return small, config, _batches(seed, steps * parts + min(rest, parts - 1)), parts, 0.05


def _trained(function: Any, *case: int) -> Any:
    """Return the loss of each step, and that of the trained weights on one more batch."""
    weights, config, batches, parts, peak = _given(*case)
    found = function(weights, config, [*batches], parts, peak)
    if found is None:
        return None
    if not (isinstance(found, tuple | list) and len(found) == 2 and isinstance(found[0], dict)):
        raise UnusableResultError("gives no pair of a dictionary of weights and a list of losses")
    trained, losses = found
    if not isinstance(losses, list) or not all(isinstance(loss, Real) for loss in losses):
        raise UnusableResultError("gives losses that are no list of numbers; `item` makes a number of a tensor")
    if {name: tuple(one.shape) for name, one in trained.items()} != {n: tuple(w.shape) for n, w in weights.items()}:
        raise UnusableResultError("gives weights whose names or shapes are not those that it was given")
    if any(one.requires_grad for one in trained.values()):
        raise UnusableResultError("gives weights that still need a gradient; detach() gives one that does not")
    if any(not torch.equal(one, weights[name]) for name, one in _given(*case)[0].items()):
        raise UnusableResultError("changes the weights that it was given; train copies, which `clone` makes")
    inputs, labels = _batches(99, 1)[0]
    with torch.no_grad():
        after = mean_loss(logits(inputs, trained, config, values.empty_cache(config, len(inputs)))[0], labels).item()
    return [round(loss, 5) for loss in losses], round(after, 5)


def _train_written(name: str, steps: int, parts: int, rest: int, seed: int) -> str:
    number = steps * parts + min(rest, parts - 1)
    return (
        f"The losses of {name}(weights, config, batches, parts={parts}, peak=0.05) with {number} small batches, and "
        f"then the loss of its weights on another batch: it"
    )


def _changed(**rules: Any) -> Callable[..., Any]:
    return lambda weights, config, batches, parts, peak: train(weights, config, batches, parts, peak, **rules)


lm_train = FunctionCheck(
    _changed(),
    lambda: st.tuples(*(st.integers(1, most) for most in (4, 2)), st.integers(0, 1), st.sampled_from(range(3))),
    "A step adds the gradients of its batches, each divided by the number of parts. It clips them, and changes each "
    "weight with AdamW and the learning rate of the step. Then the gradients are set to None.",
    examples=[(1, 1, 0, 0), (2, 1, 0, 1), (3, 2, 1, 2), (4, 2, 0, 0)],
    wrong=(
        (_changed(keeps=True), "Set the gradients to None after each step. Otherwise the next step adds to them."),
        (_changed(sums=True), "Divide the loss of each part by the number of parts, so that a step has their mean."),
        (
            _changed(last_part=True),
            "The gradients of all parts add up, and so do their losses.",
        ),
        (_changed(unclipped=True), "Clip the gradients to a common norm of 1 before they are used."),
        (_changed(constant=True), "Each step has its own learning rate: my_rate(step, steps, peak)."),
        (_changed(forgets=True), "Each weight keeps its means m and v from one step to the next."),
        (
            _changed(first_step=True),
            "AdamW counts its steps from 1: the first step has the number 1, the second one 2.",
        ),
        (
            lambda weights, *given: (weights, train(weights, *given)[1]),
            "Return the trained weights, not those that were given.",
        ),
    ),
    use=Adapter(("weights", "config", "batches", "parts", "peak"), _trained, _train_written),
    same=close,
    tried=20,
)
