"""A decoder-only model continues a prompt: prefill, single steps, and the distribution before and after the filters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenlab.printing.printable import count_noun
from tokenlab.printing.printed_numbers import format_probability
from tokenlab.show.frames import OTHER, Frame, Html, Panel, Question, StepRange, bar, chip, sentence
from tokenlab.show.views.elements import token_tables as tables
from tokenlab.show.views.elements.questions import ask
from tokenlab.steps.recording import Recording
from tokenlab.traces.generation.decoder_steps import DecoderPass, PromptEncoded

ASKED_PLACE = 1  # the place in the prompt whose visible keys are asked for


def decoder_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame before the prompt, one for its tokens, and one after each pass."""
    asked = _questions(recording)
    prompt = recording[0].tokens if recording.steps else ()
    for number, done, _ in window.steps_around(recording):
        passes = [step for step in recording.steps[:number] if isinstance(step, DecoderPass)]
        yield Frame(
            moment=_moment(done, len(passes)),
            caption=sentence(done) if done else "The model has read nothing. Its cache is empty.",
            remark=_remark(done),
            panels=tuple(_panels(prompt, passes)) if done else (),
            question=asked.get(number),
        )


def _moment(done: Any, passes: int) -> str:
    match done:
        case None:
            return "Before the prompt"
        case PromptEncoded():
            return "The prompt"
    return "Prefill" if passes == 1 else f"Single step {passes - 1}"


def _remark(done: Any) -> Html:
    match done:
        case PromptEncoded():
            return "The first token separates texts, so a new text begins after it."
        case DecoderPass(prefill=True):
            return f"Each key-value head now holds {done.num_keys} rows of keys and of values."
        case DecoderPass():
            return f"Its key and its value are row {done.num_keys} of the cache. The prompt is not computed again."
    return ""


def _panels(prompt: Sequence[str], passes: Sequence[DecoderPass]) -> Iterator[Panel]:
    chips = [chip(token) for token in prompt]
    chips += [chip(step.token, "new" if step is passes[-1] else "left") for step in passes]
    yield Panel("The text, and the new tokens", (" ".join(chips),), kind="chips", wide=True)
    if not passes:
        return
    step = passes[-1]
    new = len(step.read)
    rows = {"new queries": new, "new keys": new, "new values": new, "keys in the cache": step.num_keys}
    bars = tuple(bar(name, count / step.num_keys, count) for name, count in rows.items())
    yield tables.table("The distribution of the next token", list(_distribution(step)))
    yield Panel("Rows that this pass computed in a head, and all keys in its cache", bars, kind="bars")


def _distribution(step: DecoderPass) -> Iterator[Html]:
    largest = max(*step.before, *step.after)
    yield tables.header_row("token", "of the model", "after temperature and filters")
    for token, before, after in zip(step.tokens, step.before, step.after, strict=True):
        chosen = token == step.token
        label = f"{format_probability(after) if after else '×'}{', selected' if chosen else ''}"
        colour = tables.GREEN if chosen else tables.GREY
        yield tables.row(
            chip(token),
            tables.bar(before / largest, format_probability(before)),
            tables.bar(after / largest, label, colour),
        )
    others = step.num_possible - sum(p > 0 for p in step.after)
    if others:
        cells = (tables.bar(0, format_probability(max(0.0, 1 - sum(shown)))) for shown in (step.before, step.after))
        yield tables.row(f"{count_noun(others, 'other token')}", *cells)


def _questions(recording: Recording[Any, Any]) -> dict[int, Question | None]:
    """Ask about the mask before prefill, and about the queries before the first single step."""
    asked: dict[int, Question | None] = {}
    if len(recording) > 1 and len(recording[1].read) > ASKED_PLACE + 1:
        asked[1] = _mask_question(recording[1])
    if len(recording) > 2:
        asked[2] = _queries_question(recording[2])
    return asked


def _mask_question(step: DecoderPass) -> Question | None:
    """Ask how many keys an early token of the prompt attends to: up to itself, or all (164)?"""
    tokens, seen = len(step.read), ASKED_PLACE + 1
    token = chip(step.read[ASKED_PLACE])
    why = f"It attends to itself and to the token before it: {seen} of {tokens}. In training, it saw no later token."
    return ask(
        f"The next pass reads all {tokens} tokens at once. To how many of them does the second one, {token}, attend?",
        (f"{seen}", why),
        (164, f"{tokens}", "The causal mask holds in generation as well."),
        (OTHER, f"{seen - 1}", "This leaves out the token itself."),
        given=(f"{tokens} tokens", token),
        facts=(("tokens", None, tokens), ("seen", ASKED_PLACE, seen)),
    )


def _queries_question(step: DecoderPass) -> Question | None:
    """Ask for the rows of queries of a single step: one, or one for each token so far (163)?"""
    made, keys = len(step.read), step.num_keys
    why = f"Only the new token needs a query, which attends to {keys} keys. Earlier queries were not stored."
    return ask(
        f"Each key-value head holds {keys - 1} rows of keys. How many rows of queries will a query head compute next?",
        (f"{made}", why),
        (163, f"{keys}", "This is the number of keys."),
        given=(f"{keys - 1} rows",),
        facts=(("queries", None, made), ("keys", None, keys)),
    )
