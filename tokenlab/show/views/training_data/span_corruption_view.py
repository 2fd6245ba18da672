"""Span corruption: how the noise mask is drawn, how the input and the target grow, and which text length fits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenlab.algorithms.training_data.span_corruption import (
    EosAppended,
    LengthTried,
    NoiseCounted,
    SpanLengthsDrawn,
    SpanReplaced,
    SpansInterleaved,
    Token,
)
from tokenlab.printing.printable import count_noun
from tokenlab.show.frames import OTHER, Frame, Html, Mark, Panel, Question, StepRange, bar, chip, labelled, sentence
from tokenlab.show.views.elements.questions import ask
from tokenlab.steps.recording import Recording

SHOWN, SOME = 120, 12  # maximum number of tokens: in the text, in a question

Runs = Sequence[tuple[int, int, bool]]  # start, end, and whether it is noise


def span_corruption(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame before the first step, and one after each."""
    asked = _questions(recording)
    for number, done, _ in window.steps_around(recording):
        yield Frame(
            moment=f"After step {number}" if number else "Before step 1",
            caption=sentence(done) if done else "Some spans of this text will be replaced by sentinels.",
            remark=_remark(recording, done),
            panels=tuple(_panels(recording, recording.steps[:number])),
            question=asked.get(number),
        )


def _remark(recording: Recording[Any, Any], done: Any) -> Html:
    match done:
        case NoiseCounted():
            return "These two numbers are not random. Only the lengths of the runs are random."
        case SpanLengthsDrawn():
            return "All ways to split them are equally likely."
        case SpansInterleaved():
            return "Kept runs and noise spans alternate, and the first run is kept."
        case EosAppended():
            return f"A target with the whole text would have {len(recording.arguments['tokens']) + 1:,} tokens."
    return ""


def _panels(recording: Recording[Any, Any], done: Sequence[Any]) -> Iterator[Panel]:
    tokens = recording.arguments["tokens"]
    replaced = [step for step in done if isinstance(step, SpanReplaced)]
    lengths = [step for step in done if isinstance(step, SpanLengthsDrawn)]
    if lengths and not replaced:
        shown = ((cut.noise, " ".join(f"<b>{length:,}</b>" for length in cut.lengths)) for cut in lengths)
        rows = (labelled("noise" if noisy else "kept", spans) for noisy, spans in shown)
        yield Panel("The length of each run, in tokens", tuple(rows), kind="words", wide=True)
    runs = _runs_of(recording) if replaced or (done and isinstance(done[-1], SpansInterleaved | EosAppended)) else []
    title = "The text; noise tokens have a dashed frame" if runs else "The text"
    yield Panel(title, (f"<li>{_marked(tokens, runs)}",), wide=True)
    if replaced or (done and isinstance(done[-1], EosAppended)):
        yield from _sides(tokens, done, replaced)


def _runs_of(recording: Recording[Any, Any]) -> Runs:
    return [(step.start, step.end, step.noise) for step in recording if isinstance(step, SpanReplaced)]


def _marked(tokens: Sequence[Token], runs: Runs) -> Html:
    """Return the text with its noise marked."""
    noise = {place for start, end, noisy in runs if noisy for place in range(max(start, 0), min(end, SHOWN))}
    chips = [_chip(token, "unknown" if place in noise else "") for place, token in enumerate(tokens[:SHOWN])]
    more = f" … and {len(tokens) - SHOWN:,} more" if len(tokens) > SHOWN else ""
    return " ".join(chips) + more


def _sides(tokens: Sequence[Token], done: Sequence[Any], replaced: Sequence[SpanReplaced]) -> Iterator[Panel]:
    """Yield the input and the target so far, with the tokens of the last step marked."""
    sides: dict[bool, list[Html]] = {False: [], True: []}
    for step in replaced:
        new: Mark = "new" if step is done[-1] else ""
        sides[step.noise] += [_chip(token, new) for token in tokens[step.start : step.end]]
        sides[not step.noise].append(_chip(step.sentinel, new) if new else _sentinel(step.sentinel))
    if isinstance(done[-1], EosAppended):
        for side in sides.values():
            side.append(_chip(done[-1].eos, "new"))
    names = (("The input", "the source of the model"), ("The target", "the text to generate"))
    colours = "; sentinels are blue, new tokens are green" if replaced else ""
    for (name, what), side in zip(names, sides.values(), strict=True):
        title = f"{name}, {count_noun(len(side), 'token')}: {what}{colours}"
        more = "… " if len(side) > SHOWN else ""
        yield Panel(title, (f"<li>{more}{' '.join(side[-SHOWN:])}",), wide=True)


def _chip(token: Token, mark: Mark = "") -> Html:
    return chip(str(token), mark)


def _sentinel(token: Token) -> Html:
    """Return a chip in a colour that is also visible while a question is open."""
    return _chip(token).replace("<b>", "<b style=background:var(--left)>", 1)


def _questions(recording: Recording[Any, Any]) -> dict[int, Question | None]:
    """Return questions by number of completed steps: on a kept run, a long span, a second kept run, and the end."""
    noise = [index for index, step in enumerate(recording) if isinstance(step, SpanReplaced) and step.noise]
    asked: dict[int, Question | None] = {}
    long = next((index for index in noise if index and recording[index].end - recording[index].start > 1), None)
    if long is not None:
        asked[long] = _how_many(recording, recording[long])
    kept = [index for index, step in enumerate(recording) if isinstance(step, SpanReplaced) and not step.noise]
    if noise and kept and kept[0]:  # no earlier caption gives the answer
        asked[kept[0]] = _what_is_kept(recording, recording[kept[0]])
    if len(kept) > 1:
        asked[kept[1]] = _which(recording, recording[kept[0]], recording[kept[1]])
    if len(recording) > 1 and noise:
        asked[len(recording) - 1] = _the_end(recording)
    return asked


def _run(recording: Recording[Any, Any], step: SpanReplaced) -> tuple[Html, int]:
    """Return the first tokens of a run, and its length."""
    tokens = recording.arguments["tokens"][step.start : step.end][:SOME]
    return " ".join(map(_chip, tokens)), step.end - step.start


def _what_is_kept(recording: Recording[Any, Any], step: SpanReplaced) -> Question | None:
    """Ask what replaces kept tokens in the target: a sentinel, or the tokens again (misconception 71)."""
    tokens, length = _run(recording, step)
    why = f"Kept tokens here: {length}. The input contains them, so one sentinel replaces them in the target."
    return ask(
        f"What does the target contain in place of the kept tokens {tokens}?",
        ("one sentinel", why),
        (71, "the same tokens", "The target does not repeat the input."),
        (OTHER, "nothing", "Without a mark, the positions of the spans would be ambiguous."),
        given=(f"the kept tokens {tokens}",),
        facts=(("kept tokens", step.start, length),),
    )


def _how_many(recording: Recording[Any, Any], step: SpanReplaced) -> Question | None:
    """Ask how many sentinels replace a span: one, or one for each token (misconception 68)."""
    tokens, length = _run(recording, step)
    return ask(
        f"What does the input contain in place of the noise tokens {tokens}?",
        ("one sentinel", f"The {length} tokens are one span, and one sentinel replaces a span of any length."),
        (68, f"{length} sentinels", "One for each token would reveal the length of the span."),
        (OTHER, "nothing", "Without a mark, the model would not know where tokens are missing."),
        given=(f"the noise tokens {tokens}",),
        facts=(("noise tokens", step.start, length),),
    )


def _which(recording: Recording[Any, Any], first: SpanReplaced, step: SpanReplaced) -> Question | None:
    """Ask which sentinel replaces the second kept run: the next one, or the first again (misconception 66)."""
    again, tokens = _chip(first.sentinel), _run(recording, step)[0]
    used = f"The target has {again} for {_run(recording, first)[0]}"
    why = f"1 kept run already has a sentinel, and each run has its own. The next one is {_chip(step.sentinel)}."
    return ask(
        f"{used}. Which sentinel replaces the kept tokens {tokens} there?",
        (_chip(step.sentinel), why),
        (66, again, f"If {again} occurred twice, the positions of the runs would be ambiguous."),
        given=(used, f"the kept tokens {tokens}"),
        facts=(("kept runs before", step.start, 1),),
    )


def _the_end(recording: Recording[Any, Any]) -> Question | None:
    """Ask what ends the target: EOS after noise or a sentinel (misconception 69), or no EOS (misconception 70)."""
    last, eos = recording[-2], _chip(recording[-1].eos)
    kept = 0 if last.noise else last.end - last.start
    chip_of_last = _chip(recording.arguments["tokens"][-1])
    tail, other = _chip(last.sentinel), f"{eos} alone"
    why = f"Kept tokens at the end: {kept}. {tail} replaces them, and {eos} follows."
    if last.noise:
        tail, other = chip_of_last, f"one more sentinel and {eos}"
        why = f"0 kept tokens follow the last span, so no sentinel does: {eos} is next."
    ending = f"The text ends with the {'noise' if last.noise else 'kept'} token {chip_of_last}"
    return ask(
        f"{ending}. What ends the target?",
        (f"{eos} after {tail}", why),
        (69, other, "A sentinel in the target replaces kept tokens."),
        (70, "nothing more", f"A model that is never trained on {eos} does not learn to stop."),
        given=(ending, tail),
        facts=(("kept tokens at the end", None, kept),),
    )


# --- the length of a text -------------------------------------------------------------------------


def span_corruption_lengths_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame for the input length, and one for each text length that is tried."""
    places = recording.arguments["inputs_length"]
    for number, done, _ in window.steps_around(recording):
        yield Frame(
            moment=f"A text of {done.tokens:,}" if done else "Before the first text",
            caption=sentence(done) if done else f"The input of the model has {places:,} positions.",
            remark=_room(done, places) if done else "How long is the text whose corrupted input fills them?",
            panels=tuple(_length_panels(recording, done)) if done else (),
            question=_lengths_question(recording) if number == 1 and len(recording) > 2 else None,
        )


def _room(done: LengthTried, places: int) -> Html:
    if done.inputs > places:
        return f"Too long: the input has {places:,} positions."
    left = places - done.inputs
    return f"The input has {count_noun(left, 'position')} left." if left else "The input is full."


def _length_panels(recording: Recording[Any, Any], done: LengthTried) -> Iterator[Panel]:
    lengths = {"text": done.tokens, "input": done.inputs, "target": done.targets}
    places = recording.arguments["inputs_length"]
    longest = max(places, *(max(step.tokens, step.inputs, step.targets) for step in recording))
    rows = tuple(_bar(name, length, places, longest) for name, length in lengths.items())
    yield Panel(f"Lengths in tokens; the line is at {places:,}", rows, kind="bars", wide=True)
    kept = done.tokens - done.noise
    made = (("input", f"{kept:,} kept", done.inputs), ("target", f"{done.noise:,} noise", done.targets))
    parts = tuple(
        labelled(name, f"{own} + {done.spans:,} sentinels + 1 EOS = {length:,}") for name, own, length in made
    )
    yield Panel("The parts of each length", parts, kind="words", wide=True)


def _bar(name: str, length: int, places: int, longest: int) -> Html:
    """Return a bar with a vertical line at the input length."""
    line = f"position:absolute;top:-1px;bottom:-1px;left:{places / longest:.1%};border-left:2px solid #d55e00"
    return bar(name, length / longest, f"{length:,}").replace(
        "<td><i ", f"<td style=position:relative><span style='{line}'></span><i ", 1
    )


def _lengths_question(recording: Recording[Any, Any]) -> Question | None:
    """Ask for the result; wrong answers: a sentinel per token (68), no EOS (70), the whole text as target (71)."""
    places, density = (recording.arguments[name] for name in ("inputs_length", "noise_density"))
    best = next(step for step in recording if (step.tokens, step.targets) == recording.result)
    why = (
        f"{best.tokens:,} tokens have {best.noise:,} of noise in {best.spans:,} spans. One sentinel replaces a span in "
        "the input, and the target has the noise, a sentinel for each kept run, and EOS."
    )
    as_long = places - 1  # with a sentinel for each token, an input is as long as its text and EOS
    guesses = (
        (68, as_long, 2 * round(as_long * density) + 1, "One sentinel replaces a span of any length."),
        (70, best.tokens, best.targets - 1, "The target also ends in EOS."),
        (71, best.tokens, best.tokens + 1, "The target does not repeat the input."),
    )
    mean = recording.arguments["mean_span_length"]
    settings = f"{density:.0%} of the tokens are noise, in spans of {mean:g} on average"
    return ask(
        f"{settings}. Which text length fills the {places:,} positions, and how long is its target?",
        (_said(*recording.result), why),
        *((misconception, _said(tokens, target), reply) for misconception, tokens, target, reply in guesses),
        given=(settings, f"{places:,} positions"),
        facts=(("noise tokens", best.tokens, best.noise), ("spans", best.tokens, best.spans)),
    )


def _said(tokens: int, target: int) -> Html:
    return f"{tokens:,} tokens, and a target of {target:,}"
