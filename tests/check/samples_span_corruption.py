"""The programs of lesson 16: three right ones in different styles for each exercise, and wrong ones."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import accumulate, groupby
from typing import Any

from tokenlab.check.exercises.span_corruption import mask_of
from tokenlab.misconceptions import span_corruption as wrong
from tokenlab.misconceptions.catalog import rule_of
from tokenlab.misconceptions.training_steps import no_zero_grad

Function = Callable[..., Any]
END = "</s>"


def input_1(tokens: Any, mask: Any, sentinels: Any) -> Any:
    inputs, used = [], 0
    for place, token in enumerate(tokens):
        if not mask[place]:
            inputs.append(token)
        elif place == 0 or not mask[place - 1]:
            inputs.append(sentinels[used])
            used += 1
    return [*inputs, END]


def input_2(tokens: Any, mask: Any, sentinels: Any) -> Any:
    unused, inputs = iter(sentinels), ()
    for noisy, run in groupby(range(len(tokens)), mask.__getitem__):
        inputs += (next(unused),) if noisy else tuple(tokens[place] for place in run)
    return (*inputs, END)


def input_3(tokens: Any, mask: Any, sentinels: Any) -> Any:
    starts = [noisy and not before for noisy, before in zip(mask, [False, *mask], strict=False)]
    numbers = list(accumulate(starts))
    shown = zip(tokens, mask, starts, numbers, strict=True)
    return [
        sentinels[number - 1] if starts else token for token, noisy, starts, number in shown if starts or not noisy
    ] + [END]


def target_1(ids: Any, mask: Any, top: Any) -> Any:
    target, kept_before = [], False
    for id, noisy in zip(ids, mask, strict=True):
        if noisy:
            target.append(id)
        elif not kept_before:
            target.append(top)
            top -= 1
        kept_before = not noisy
    return [*target, 1]


def target_2(ids: Any, mask: Any, top: Any) -> Any:
    """The spans behind their sentinels, and one more where the text ends kept."""
    target: list[int] = []
    number = 0
    for place in range(len(ids)):
        if mask[place]:
            if not mask[place - 1]:
                target.append(top - number)
                number += 1
            target.append(ids[place])
    if not mask[-1]:
        target.append(top - number)
    return (*target, 1)


def target_3(ids: Any, mask: Any, top: Any) -> Any:
    marks = "".join(".n"[noisy] for noisy in mask)
    target = []
    for number, run in enumerate(re.finditer(r"\.+(n*)", marks)):
        target += [top - number, *ids[run.start(1) : run.end(1)]]
    return [*target, 1]


def filled_1(question: Any, answer: Any) -> Any:
    text = []
    for token in question:
        if token.startswith("<extra_id_") and token in answer:
            place = answer.index(token) + 1
            while answer[place] != END and not answer[place].startswith("<extra_id_"):
                text.append(answer[place])
                place += 1
        else:
            text.append(token)
    return text


def filled_2(question: Any, answer: Any) -> Any:
    spans: dict[str, list[str]] = {}
    for token in answer[:-1]:
        if token.startswith("<extra_id_"):
            now = spans.setdefault(token, [])
        else:
            now.append(token)
    return tuple(word for token in question for word in (spans.get(token, [token])))


def filled_3(question: Any, answer: Any) -> Any:
    """By texts: no word has a blank."""
    written = " ".join(question)
    for name, span in re.findall(r"(<extra_id_\d+>)(.*?)(?= <extra_id_| </s>)", " ".join(answer)):
        written = written.replace(name, span.strip())
    return written.split()


def masks_1(kept: Any, noise: Any, spans: Any, random: Any) -> Any:
    def lengths(items: int) -> list[int]:
        cuts = [0, *sorted(random.sample(range(1, items), spans - 1)), items]
        return [end - start for start, end in zip(cuts, cuts[1:], strict=False)]

    mask = []
    for keep, lose in zip(lengths(kept), lengths(noise), strict=True):
        mask += [False] * keep + [True] * lose
    return mask


def masks_2(kept: Any, noise: Any, spans: Any, random: Any) -> Any:
    """As the reference does it: of all places but the first some begin a span."""

    def lengths(items: int) -> list[int]:
        begins = [True] * (spans - 1) + [False] * (items - spans)
        random.shuffle(begins)
        found = [1]
        for begin in begins:
            if begin:
                found.append(1)
            else:
                found[-1] += 1
        return found

    pairs = zip(lengths(kept), lengths(noise), strict=True)
    return tuple(noisy for keep, lose in pairs for noisy in (False,) * keep + (True,) * lose)


def masks_3(kept: Any, noise: Any, spans: Any, random: Any) -> Any:
    """Draw any mask until one will do."""
    while True:
        mask = [False] * kept + [True] * noise
        random.shuffle(mask)
        runs = [noisy for noisy, _ in groupby(mask)]
        if not mask[0] and mask[-1] and len(runs) == 2 * spans:
            return mask


def step_1(model: Any, optimizer: Any, batch: Any, rate: Any) -> Any:
    import torch

    for group in optimizer.param_groups:
        group["lr"] = rate
    loss = model(**batch).loss
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
    return loss.item()


def step_2(model: Any, optimizer: Any, batch: Any, rate: Any) -> Any:
    """Delete the gradient first, and clip by hand."""
    optimizer.zero_grad()
    output = model(**batch)
    output.loss.backward()
    weights = list(model.parameters())
    length = sum(float((weight.grad**2).sum()) for weight in weights) ** 0.5
    for weight in weights:
        weight.grad /= max(1.0, length)
    for group in optimizer.param_groups:
        group.update(lr=rate)
    optimizer.step()
    return output.loss.item()


def step_3(model: Any, optimizer: Any, batch: Any, rate: Any) -> Any:
    import torch

    loss = model(x=batch["x"], y=batch["y"]).loss
    gradients = torch.autograd.grad(loss, list(model.parameters()))
    length = max(1.0, float(torch.cat([one.flatten() for one in gradients]).norm()))
    for weight, gradient in zip(model.parameters(), gradients, strict=True):
        weight.grad = gradient / length
    optimizer.param_groups[0]["lr"] = rate
    optimizer.step()
    return loss.detach().item()


VARIANTS: dict[str, list[Function]] = {
    "train_step": [step_1, step_2, step_3],
    "corrupted_input": [input_1, input_2, input_3],
    "corrupted_target": [target_1, target_2, target_3],
    "filled": [filled_1, filled_2, filled_3],
    "masks_drawn": [masks_1, masks_2, masks_3],
}


def _input_by(program: Function) -> Function:
    """A wrong program of the kit, called as the task calls a learner's."""
    return lambda tokens, mask, sentinels: program(tokens, mask, sentinels, END)[0]


def _target_by(program: Function) -> Function:
    return lambda ids, mask, top: program(ids, mask, range(top, top - 100, -1), 1)[1]


def _per_token(kept: Any, noise: Any, spans: Any, random: Any) -> Any:
    return wrong.mask_each_token(kept + noise, random, noise / (kept + noise))


def _from_the_left(kept: Any, noise: Any, spans: Any, random: Any) -> Any:
    lose, keep = (wrong.draw_lengths_from_left(items, spans, random) for items in (noise, kept))
    return [noisy for k, n in zip(keep, lose, strict=True) for noisy in [False] * k + [True] * n]


def _kept_from_the_left(kept: Any, noise: Any, spans: Any, random: Any) -> Any:
    """Noise is cut fairly, what is kept is not."""
    keep = wrong.draw_lengths_from_left(kept, spans, random)
    fair = "".join(".n"[noisy] for noisy in mask_of(kept, noise, spans, random))
    lose = [len(run) for run in re.findall("n+", fair)]
    return [noisy for k, n in zip(keep, lose, strict=True) for noisy in [False] * k + [True] * n]


def _in_order(question: Any, answer: Any) -> Any:
    spans = re.split(r"<extra_id_\d+>", " ".join(answer[:-1]))[1:]
    return [w for t in question for w in (spans.pop(0).split() if spans and t.startswith("<extra_id_") else [t])]


def _to_the_end(question: Any, answer: Any) -> Any:
    text = []
    for token in question:
        if token in answer[:-1] and token.startswith("<extra_id_"):
            behind = answer[answer.index(token) + 1 :]
            more = [place for place, word in enumerate(behind) if word.startswith("<extra_id_")]
            text += behind[: more[0]] if more else behind
        else:
            text.append(token)
    return text


def _step_lines(*lines: str) -> Function:
    """A training step with these lines after backward."""

    def train(model: Any, optimizer: Any, batch: Any, rate: Any) -> Any:
        import torch

        for group in optimizer.param_groups:
            group["lr"] = rate if "rate" in lines else group["lr"]
        loss = model(**batch).loss
        loss.backward()
        for line in lines:
            if line == "clip":
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            elif line == "step":
                optimizer.step()
            elif line == "zero":
                optimizer.zero_grad()
        return loss.item()

    return train


WRONG: dict[str, list[tuple[Function, str, int]]] = {
    "train_step": [
        (no_zero_grad, rule_of(no_zero_grad), 20),
        (_step_lines("rate", "clip", "step"), rule_of(no_zero_grad), 20),
        (_step_lines("rate", "step", "zero"), "is clipped to the length 1", 20),
        (_step_lines("rate", "step", "clip", "zero"), "is clipped to the length 1", 20),
        (_step_lines("rate", "zero", "clip", "step"), "The weights do not move", 20),
        (_step_lines("clip", "step", "zero"), "in param_groups: set it there", 20),
        (_step_lines("rate", "clip", "zero"), "The weights do not move", 20),
    ],
    "corrupted_input": [
        (_input_by(wrong.sentinel_per_token), rule_of(wrong.sentinel_per_token), 90),
        (_input_by(wrong.one_sentinel_for_all), rule_of(wrong.one_sentinel_for_all), 100),
        (_input_by(wrong.sentinels_count_up), "The first noise run has the first sentinel.", 80),
        (
            lambda tokens, mask, s: input_1(tokens, [not n for n in mask], s),
            "The kept tokens stay in the input, and the noise tokens",
            70,
        ),
        (
            lambda tokens, mask, sentinels: input_1(tokens, mask, sentinels)[:-1],
            "One sentinel replaces each noise run of any length in",
            70,
        ),
    ],
    "corrupted_target": [
        (_target_by(wrong.always_final_sentinel), rule_of(wrong.always_final_sentinel), 30),
        (_target_by(wrong.never_final_sentinel), rule_of(wrong.never_final_sentinel), 20),
        (_target_by(wrong.no_eos_in_target), rule_of(wrong.no_eos_in_target), 20),
        (_target_by(wrong.whole_text_as_target), rule_of(wrong.whole_text_as_target), 20),
        (_target_by(wrong.sentinels_count_up), rule_of(wrong.sentinels_count_up), 20),
        (_target_by(wrong.one_sentinel_for_all), rule_of(wrong.one_sentinel_for_all), 40),
        (_target_by(wrong.sentinel_per_token), rule_of(wrong.sentinel_per_token), 30),
        (
            lambda ids, mask, top: target_1(ids, mask, top - 1),
            "The target has a sentinel for each kept run, counting",
            20,
        ),
        (
            lambda ids, mask, top: [2 * top - t if t > 900 else t for t in target_1(ids, mask, top)],
            "The first span gets the highest id, <extra_id_0>, and",
            40,
        ),
    ],
    "filled": [
        (_in_order, rule_of(wrong.one_sentinel_for_all), 50),
        (lambda q, a: [t for t in filled_1(q, a) if not t.startswith("<extra")], "stays where it is", 40),
        (_to_the_end, "ends the text, once", 50),
        (lambda question, answer: [*question], "The span that replaces a sentinel follows it in the", 60),
    ],
    "masks_drawn": [
        (_per_token, rule_of(wrong.mask_each_token), 10),
        (_from_the_left, rule_of(wrong.draw_lengths_from_left), 10),
        (_kept_from_the_left, rule_of(wrong.draw_lengths_from_left), 10),
        (
            lambda kept, noise, spans, random: [False] * kept + [True] * noise,
            "`spans` kept runs and `spans` noise spans alternate,",
            10,
        ),
        (lambda kept, noise, spans, random: masks_1(noise, kept, spans, random)[::-1], "alternate, kept first", 10),
    ],
}

# Where each wrong program of the kit is caught.
CAUGHT: dict[str, tuple[str, Function]] = {
    "no_zero_grad": ("train_step", no_zero_grad),
    "mask_each_token": ("masks_drawn", _per_token),
    "draw_lengths_from_left": ("masks_drawn", _from_the_left),
    "one_sentinel_for_all": ("corrupted_target", WRONG["corrupted_target"][5][0]),
    "sentinels_count_up": ("corrupted_target", WRONG["corrupted_target"][4][0]),
    "sentinel_per_token": ("corrupted_input", WRONG["corrupted_input"][0][0]),
    "always_final_sentinel": ("corrupted_target", WRONG["corrupted_target"][0][0]),
    "never_final_sentinel": ("corrupted_target", WRONG["corrupted_target"][1][0]),
    "no_eos_in_target": ("corrupted_target", WRONG["corrupted_target"][2][0]),
    "whole_text_as_target": ("corrupted_target", WRONG["corrupted_target"][3][0]),
}

RIGHT: dict[str, tuple[Any, ...]] = {
    "sides_by_hand": ("you are X to the party Y </s>", "X kindly invited Y tonight </s>")
}
NOT_RIGHT: list[tuple[str, tuple[Any, ...], str]] = [
    (
        "sides_by_hand",
        ("you are X Y to the party Z </s>", "X kindly Y invited Z tonight </s>"),
        "The input is not 'you are X Y to the party Z </s>'.",
    ),
    (
        "sides_by_hand",
        ("you are X to the party Y </s>", "X kindly invited Y tonight Z </s>"),
        "The target is not 'X kindly invited Y tonight Z </s>'.",
    ),
    ("sides_by_hand", ("you are X to the party Y </s>", 3), "The target is not 3."),
]

SHOWS: dict[Any, list[tuple[Any, ...]]] = {
    wrong.always_final_sentinel: [(["a"], [True]), (["a", "b", "c"], [True, False, True]), (["茶", "a"], [False, True])]
}
DOES_NOT: dict[Any, list[tuple[Any, ...]]] = {
    wrong.always_final_sentinel: [(["a", "b"], [True, False]), ([], []), (["a", "b"], [False, False])]
}
