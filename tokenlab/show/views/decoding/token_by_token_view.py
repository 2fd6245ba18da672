"""View of a text that is generated token by token: the alternatives of each token, and the text's probability."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

from tokenlab.printing.printable import count_noun
from tokenlab.printing.printed_numbers import format_probability
from tokenlab.show.frames import Frame, Html, Mark, Panel, StepRange, chip, sentence
from tokenlab.show.views.elements import token_tables as tables
from tokenlab.steps.recording import Recording
from tokenlab.traces.generation.sampling_steps import NEGLIGIBLE, TokenGenerated

FACTORS = 8  # factors of a product that are shown
ALMOST = 0.9995  # larger factors are nearly 1, and change no product that is shown
BEFORE = "The encoder has read the source text. The decoder has not generated a token yet."
LEAST = 0.00001  # tokens with a smaller probability have no separate row


def token_by_token_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame before the first token, and one after each."""
    for number in window.positions:
        done: Sequence[TokenGenerated] = recording.steps[:number]
        yield Frame(
            moment=f"Token {number}" if done else "Before the first token",
            caption=sentence(done[-1]) if done else BEFORE,
            remark=_remark(done),
            panels=tuple(_panels(done)),
        )


def _remark(done: Sequence[TokenGenerated]) -> Html:
    """Return the probability of the text: the product of its tokens' conditional probabilities."""
    if len(done) < 2:
        return ""
    telling = [format_probability(step.probability) for step in done if step.probability <= ALMOST]
    factors = ["…"] * (len(telling) > FACTORS) + telling[-FACTORS:]
    whole = format_probability(prod(step.probability for step in done))
    product = " × ".join(factors)
    shown = whole if product in ("", whole) else f"{product} = {whole}"
    return f"The probability of the text so far: {shown}{_others(len(done) - len(telling), len(telling))}."


def _others(number: int, telling: int) -> str:
    """Name the factors that are not shown."""
    if not number:
        return ""
    others = f"the other {number}" if telling else "both factors" if number == 2 else f"all {number} factors"
    return f"; {'the other one is' if telling and number == 1 else f'{others} are'} nearly 1"


def _panels(done: Sequence[TokenGenerated]) -> Iterator[Panel]:
    if not done:
        return
    step = done[-1]
    chips = (*(_with_probability(before) for before in done[:-1]), _with_probability(step, "new"))
    yield Panel("Generated tokens with their probabilities", (" ".join(chips),), kind="chips", wide=True)
    yield tables.table(f"Selected from {count_noun(step.num_possible, 'token')}", list(_rows(step)))


def _with_probability(step: TokenGenerated, mark: Mark = "") -> Html:
    return f'{chip(step.token, mark)} <small style="margin-right:8px">{format_probability(step.probability)}</small>'


def _rows(step: TokenGenerated) -> Iterator[Html]:
    yield tables.header_row("token", "probability")
    shown = 0.0
    both = zip(step.tokens, step.probabilities, strict=True)
    some = [(token, probability) for token, probability in both if probability >= LEAST or token == step.token]
    for token, probability in some:
        selected = token == step.token
        labels = ["drawn" if step.drawn else "selected"] * selected + ["most probable"] * (token == step.most_probable)
        label, colour = ", ".join([format_probability(probability), *labels]), tables.GREEN if selected else tables.GREY
        yield tables.row(chip(token), tables.bar(probability, label, colour, width=80))
        shown += probability
    if step.num_possible > len(some):
        rest = tables.bar(0, format_probability(max(NEGLIGIBLE, 1 - shown)), width=80)
        yield tables.row(f"{count_noun(step.num_possible - len(some), 'other token')}", rest)
