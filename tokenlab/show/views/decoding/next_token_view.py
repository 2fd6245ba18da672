"""Views of the next token's distribution, changed by processors and filters, and of a text generated token by token."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log, prod
from typing import Any

from tokenlab.misconceptions.token_sampling import exclude_crossing_token, temperature_last
from tokenlab.printing.printable import count_noun
from tokenlab.printing.printed_numbers import format_number, format_probability
from tokenlab.show.frames import Fact, Frame, Html, Mark, Option, Panel, Question, StepRange, chip, sentence, text
from tokenlab.show.views.elements import token_tables as tables
from tokenlab.show.views.elements.questions import ask
from tokenlab.steps.recording import Recording
from tokenlab.traces.generation.sampling_steps import (
    NEGLIGIBLE,
    DistributionChanged,
    FilterCutoff,
    NextTokenDistribution,
    TokenGenerated,
)

TEMPERATURE, TOP_P, TYPICAL = "TemperatureLogitsWarper", "TopPLogitsWarper", "TypicalLogitsWarper"
MIN_GAP = 0.002  # rounding might decide if a cumulative probability is closer to top_p
FACTORS = 8  # factors of a product that are shown
ALMOST = 0.9995  # larger factors are nearly 1, and change no product that is shown
BEFORE = "The encoder has read the source text. The decoder has not generated a token yet."
LEAST = 0.00001  # tokens with a smaller probability have no separate row


def next_token_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame before the model, one for the model's distribution, and one after each change."""
    largest = max(max(all_probabilities(step)) for step in recording)
    asked = _questions(recording)
    with_entropy = any(isinstance(step, DistributionChanged) and step.name == TYPICAL for step in recording)
    for number, done, following in window.steps_around(recording):
        moment = _moment(done, number - 1, following is None, with_entropy)
        yield Frame(*moment, tuple(_panels(done, largest)), asked.get(number))


def all_probabilities(step: NextTokenDistribution | DistributionChanged) -> tuple[float, ...]:
    """Return all probabilities that a step contains."""
    return step.probabilities if isinstance(step, NextTokenDistribution) else step.before + step.after


def _moment(done: Any, changes: int, last: bool, with_entropy: bool) -> tuple[str, Html, Html]:
    """Return the moment, the caption and the remark: the rule of a filter, or the entropy for typical sampling."""
    match done:
        case NextTokenDistribution():
            entropy = f"The entropy, which is the expected surprisal, is {format_number(done.entropy)}."
            return "The model's distribution", sentence(done), entropy * with_entropy
        case DistributionChanged():
            remark = "The token is drawn from this distribution." * last
            if isinstance(done.cutoff, FilterCutoff):
                remark = f"The rule: {text(done.cutoff.explanation)}."
            return f"After change {changes}", sentence(done), remark
    return "Before the model", "The encoder has read the source text. Which token comes next?", ""


# --- the table ------------------------------------------------------------------------------------


def _panels(done: Any, largest: float) -> Iterator[Panel]:
    match done:
        case NextTokenDistribution():
            yield tables.table("The most probable tokens", list(_predicted(done, largest)))
        case DistributionChanged():
            yield tables.table("The most probable tokens, before and after", list(_compared(done, largest)))


def _predicted(done: NextTokenDistribution, largest: float) -> Iterator[Html]:
    yield tables.header_row("token", "probability")
    for token, probability in zip(done.tokens, done.probabilities, strict=True):
        yield tables.row(chip(token), tables.bar(probability / largest, format_probability(probability), width=80))
    yield from _others(done.num_possible - len(done.tokens), [max(NEGLIGIBLE, 1 - sum(done.probabilities))])


def _compared(done: DistributionChanged, largest: float) -> Iterator[Html]:
    """Yield a row for each token, and a line between kept and removed rows."""
    values, criterion = criterion_column(done)
    columns = [criterion] * bool(values) + ["before", "after"]
    yield tables.header_row("token", *columns, numbers=bool(values))
    above = None
    for place, (token, before, after) in enumerate(zip(done.tokens, done.before, done.after, strict=True)):
        stays = after > 0
        if done.cutoff and above not in (None, stays):
            yield tables.separator_row(f"cutoff: tokens {'above' if above else 'below'} are kept", 1 + len(columns))
        above = stays
        bars = (
            tables.bar(before / largest, format_probability(before)),
            tables.bar(after / largest, format_probability(after) if stays else "×", tables.GREEN),
        )
        yield tables.row(chip(token), *(tables.number(number) for number in values[place : place + 1]), *bars)
    if done.cutoff and above and done.num_possible < done.num_possible_before:
        shown = sum(after > 0 for after in done.after)
        where = "cutoff: tokens above are kept" if shown == done.num_possible else "the cutoff is further down"
        yield tables.separator_row(where, 1 + len(columns))
    yield from _others(done.num_possible_before - len(done.tokens), list(done.other_mass), bool(values))


def criterion_column(done: DistributionChanged) -> tuple[list[str], str]:
    """Return the values that a filter compares, formatted, and their name; nothing if it compares probabilities."""
    if done.cutoff is None or done.cutoff.criterion == "probability":
        return [], ""
    decimals = 0 if done.cutoff.criterion == "rank" else 2
    return [format_number(number, decimals) for number in done.cutoff.values], done.cutoff.criterion


def _others(tokens: int, masses: list[float], with_criterion: bool = False) -> Iterator[Html]:
    """Yield a row for the tokens that are not shown, with their probability mass."""
    if tokens > 0:
        name = count_noun(tokens, "other token")
        cells = (tables.bar(0, format_probability(mass) if mass else "×") for mass in masses)
        yield tables.row(name, *[tables.number("")] * with_criterion, *cells)


# --- questions ------------------------------------------------------------------------------------


def _questions(recording: Recording[Any, Any]) -> dict[int, Question | None]:
    """Return questions by the number of finished steps: how many tokens does top-p keep? All kept ones are shown."""
    return {
        number: _how_many(recording[:number], following)
        for number, following in enumerate(recording)
        if isinstance(following, DistributionChanged)
        and following.name == TOP_P
        and 1 < following.num_possible < len(following.tokens)
    }


def _how_many(done: Sequence[Any], following: DistributionChanged) -> Question | None:
    """Ask for the size of the nucleus: does it include the last token (47)? Which probabilities count (48)?"""
    top_p, left = warper_setting(following), following.num_possible
    together, fewer = sum(following.before[:left]), sum(following.before[: left - 1])
    if min(abs(together - top_p), abs(fewer - top_p)) < MIN_GAP:
        return None
    excluded = len(exclude_crossing_token(full_distribution(following.before, following.num_possible_before), top_p))
    facts: tuple[Fact, ...] = (("together", left, round(together, 2)), ("together", excluded, round(fewer, 2)))
    first = "the first has" if excluded == 1 else f"the first {excluded} have"
    sums = f"The {left} most probable tokens have {format_probability(together)} together"
    why = f"{sums}, and {first} {format_probability(fewer)}. The token that reaches {top_p} is kept."
    wrong: list[tuple[int, Html, Html] | Option] = [(47, str(excluded), "These tokens have less than top_p together.")]
    match done:
        case [NextTokenDistribution() as model, DistributionChanged(name=name) as warmed] if name == TEMPERATURE:
            scores = [log(p) for p in full_distribution(model.probabilities, model.num_possible) if p]
            last = len(temperature_last(scores, warper_setting(warmed), top_p))
            told = f"Without temperature, this number of tokens would be kept. But temperature comes first. {why}"
            wrong.append(Option(str(last), told, misconception=48, facts=(*facts, ("without", last, last))))
    change = f"<code>{text(following.name)}({text(following.settings)})</code>"
    given = (change, *(format_probability(probability) for probability in following.before[:left]))
    prompt = f"The next change is {change}. How many tokens will it keep?"
    return ask(prompt, (str(left), why), *wrong, given=given, facts=facts)


def warper_setting(change: DistributionChanged) -> float:
    """Return the setting of a warper that has one.

    >>> warper_setting(DistributionChanged(TOP_P, "top_p=0.7", (), (), (), 0, 0, 0, None))
    0.7
    """
    return float(change.settings.partition("=")[2])


def full_distribution(shown: Sequence[float], tokens: int) -> list[float]:
    """Return the probabilities of all tokens; those that are not shown share the remaining mass equally.

    >>> full_distribution([0.5, 0.25], 4)
    [0.5, 0.25, 0.125, 0.125]
    """
    others = tokens - len(shown)
    return [*shown, *[max(0.0, 1 - sum(shown)) / others] * others] if others else list(shown)


# --- a text that is generated token by token -------------------------------------------------------


def token_by_token_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame before the first token, and one after each."""
    for number in window.positions:
        done: Sequence[TokenGenerated] = recording.steps[:number]
        yield Frame(
            moment=f"Token {number}" if done else "Before the first token",
            caption=sentence(done[-1]) if done else BEFORE,
            remark=_remark(done),
            panels=tuple(_token_panels(done)),
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
    return f"The probability of the text so far: {shown}{_other_factors(len(done) - len(telling), len(telling))}."


def _other_factors(number: int, telling: int) -> str:
    """Name the factors that are not shown."""
    if not number:
        return ""
    others = f"the other {number}" if telling else "both" if number == 2 else f"all {number}"
    return f"; {'the other factor is' if telling and number == 1 else f'{others} factors are'} nearly 1"


def _token_panels(done: Sequence[TokenGenerated]) -> Iterator[Panel]:
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
