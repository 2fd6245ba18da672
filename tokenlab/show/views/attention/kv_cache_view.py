"""Decoding with a KV cache: the keys grow by one row per step, and each step computes only a few rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenlab.printing.printable import printable
from tokenlab.printing.printed_numbers import format_number
from tokenlab.show.frames import OTHER, Frame, Html, Panel, Question, StepRange, bar, sentence, text
from tokenlab.show.views.elements.questions import ask
from tokenlab.steps.recording import Recording
from tokenlab.traces.t5.t5_steps import CachedStep

SHOWN = 12  # rows of keys
SOURCE_ROWS = "keys and values of the source, each"


def kv_cache_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame before the first step and after each step."""
    asked = _questions(recording)
    for number in window.positions:
        done: Sequence[CachedStep] = recording.steps[:number]
        yield Frame(
            moment=f"Step {number}" if done else "Before the first step",
            caption=sentence(done[-1]) if done else "The encoder has read the source. The cache is empty.",
            panels=tuple(_panels(recording, done)),
            question=asked.get(number),
        )


def _panels(recording: Recording[Any, Any], done: Sequence[CachedStep]) -> Iterator[Panel]:
    if not done:
        return
    layer = recording.arguments["layer"]
    title = f"The cache, one row per input token: keys of layer {layer}, the first numbers of one head"
    yield Panel(title, tuple(_row(step, step is done[-1]) for step in done[-SHOWN:]), kind="lines", wide=True)
    step = done[-1]
    made = {"queries": step.num_queries, "keys": 1, "values": 1, SOURCE_ROWS: step.num_source_keys_computed}
    all_rows = dict.fromkeys(("queries", "keys", "values"), step.num_keys) | {SOURCE_ROWS: step.num_source_keys}
    most = max([*made.values(), *all_rows.values()])
    for title, rows in (("Rows that this step computed", made), ("Rows without a cache", all_rows)):
        yield Panel(title, tuple(bar(name, count / most, count) for name, count in rows.items()), kind="bars")


def _row(step: CachedStep, new: bool) -> Html:
    mark = " class=new" if new else ""
    columns = ((f"{2 * place + 2}/{2 * place + 4}", number) for place, number in enumerate(step.new_key))
    numbers = (
        f"<b{mark} style=grid-column:{column}>{format_number(number, sign='+')}</b>" for column, number in columns
    )
    return f"<li class=tl-ruler><span>{step.position} {text(printable(step.input_token))}</span> {' '.join(numbers)}"


def _questions(recording: Recording[Any, Any]) -> dict[int, Question | None]:
    """Return the questions by the number of finished steps; each is about the next step."""
    asks = {1: _source_keys_question, 2: _queries_question, 3: _distance_question, 9: _distance_question}
    return {number: ask_about(recording[number]) for number, ask_about in asks.items() if number < len(recording)}


def _source_keys_question(step: CachedStep) -> Question | None:
    """Ask for the source keys computed: none, or all of them again (41)?"""
    computed, cached = step.num_source_keys_computed, step.num_source_keys
    why = (
        f"The source is the same as in the first step. So {computed} rows are computed, and {cached} are in the cache."
    )
    return ask(
        "How many rows of keys of the encoder's output will the next step compute?",
        (f"{computed}", why),
        (41, f"{cached}", "The result would be right, but the work is unnecessary."),
        (OTHER, "1", "The new token is a token of the target, not of the source."),
        given=(f"{SOURCE_ROWS} {cached}",),
        facts=(("source made", step.position, computed), ("source", step.position, cached)),
    )


def _queries_question(step: CachedStep) -> Question | None:
    """Ask for the queries computed: one, or one for each token (41)?"""
    made, keys = step.num_queries, step.num_keys
    why = f"Only the new token needs a query: {made} row of queries attends to {keys} keys."
    return ask(
        "How many rows of queries will the next step compute?",
        (f"{made}", why),
        (41, f"{keys}", "This is the number of rows of keys."),
        (OTHER, f"{keys - 1}", "This is the number of earlier tokens, whose keys are in the cache."),
        given=(f"uses {keys - 1} keys",),
        facts=(("queries", step.position, made), ("keys", step.position, keys)),
    )


def _distance_question(step: CachedStep) -> Question | None:
    """Ask for the position of the new token, which is the only input but not the first token (41)."""
    why = f"It is the last of {step.num_keys}, so the first key is {step.position} positions before it."
    return ask(
        "The position bias depends on a distance. How many positions before the next query is the first key?",
        (f"{step.position}", why),
        (41, "0", "It is the only input token, but not the first token."),
        (OTHER, f"{step.num_keys}", "This is the number of tokens. The first position is 0."),
        given=(f"uses {step.num_keys - 1} keys",),
        facts=(("keys", step.position, step.num_keys),),
    )
