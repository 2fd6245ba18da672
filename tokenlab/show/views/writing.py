"""A text that is written token by token: what each was chosen from, and how likely the whole is so far."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

from tokenlab.show.frames import Frame, Html, Mark, Panel, Window, chip, view
from tokenlab.show.views import tables
from tokenlab.steps import Recording
from tokenlab.transformers.generation.sampling_steps import NEXT_TO_NOTHING, Written, said

FACTORS = 8  # of a product that are written out
ALMOST = 0.9995  # what is above is nearly 1, and changes no product that is shown
LEAST = 0.00001  # tokens with a smaller probability have no row of their own


@view("tokenlab.transformers.generation.writing.write")
def text_and_choices(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame before the first token, and one after each."""
    for number in range(window.first, window.end + 1):
        done: Sequence[Written] = recording.steps[:number]
        yield Frame(
            moment=f"Token {number}" if done else "Before the first token",
            caption=_caption(done[-1]) if done else "The encoder has read its text. Nothing is written yet.",
            remark=_remark(done),
            panels=tuple(_panels(done)),
        )


def _caption(step: Written) -> Html:
    token = chip(step.token, "new")
    if not step.drawn:
        return f"{token} is the likeliest, so it is written: {said(step.probability)}."
    if step.token == step.likeliest:
        return f"{token} is drawn: {said(step.probability)}. It is the likeliest, too."
    return f"{token} is drawn: {said(step.probability)}. The likeliest is {chip(step.likeliest)}: {said(step.highest)}."


def _remark(done: Sequence[Written]) -> Html:
    """The probability of the whole: that of each token, given those before it, multiplied."""
    if len(done) < 2:
        return ""
    telling = [said(step.probability) for step in done if step.probability <= ALMOST]
    factors = ["…"] * (len(telling) > FACTORS) + telling[-FACTORS:]
    whole = said(prod(step.probability for step in done))
    product = " × ".join(factors)
    shown = whole if product in ("", whole) else f"{product} = {whole}"
    return f"The probability of all that is written: {shown}{_others(len(done) - len(telling), len(telling))}."


def _others(number: int, telling: int) -> str:
    """The factors that are not written out."""
    if not number:
        return ""
    those = f"the other {number}" if telling else "both factors" if number == 2 else f"all {number} factors"
    return f"; {'the other one is' if telling and number == 1 else f'{those} are'} nearly 1"


def _panels(done: Sequence[Written]) -> Iterator[Panel]:
    if not done:
        return
    step = done[-1]
    chips = (*(_with_share(before) for before in done[:-1]), _with_share(step, "new"))
    yield Panel("Written, each token with its probability", (" ".join(chips),), kind="chips", wide=True)
    yield tables.table(f"Chosen from {_tokens(step.left)}", list(_rows(step)))


def _with_share(step: Written, mark: Mark = "") -> Html:
    return f'{chip(step.token, mark)} <small style="margin-right:8px">{said(step.probability)}</small>'


def _rows(step: Written) -> Iterator[Html]:
    yield tables.heads("token", "probability")
    shown = 0.0
    some = [
        (token, share)
        for token, share in zip(step.tokens, step.probabilities, strict=True)
        if share >= LEAST or token == step.token
    ]
    for token, share in some:
        written = token == step.token
        why = ["drawn" if step.drawn else "written"] * written + ["the likeliest"] * (token == step.likeliest)
        said_so = ", ".join([said(share), *why])
        yield tables.row(chip(token), tables.bar(share, said_so, tables.GREEN if written else tables.GREY, width=80))
        shown += share
    if step.left > len(some):
        rest = tables.bar(0, said(max(NEXT_TO_NOTHING, 1 - shown)), width=80)
        yield tables.row(f"{_tokens(step.left - len(some))} more", rest)


def _tokens(number: int) -> str:
    return "1 token" if number == 1 else f"{number} tokens"
