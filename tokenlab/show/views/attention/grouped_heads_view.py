"""Grouped-query attention: which key-value head each query head reads, and what the cache holds for a token."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenlab.algorithms.attention.grouped_queries import HeadGrouped
from tokenlab.misconceptions.decoder_only import interleaved_groups, queries_per_group
from tokenlab.show.frames import OTHER, Frame, Html, Panel, Question, StepRange, bar, labelled, sentence, text
from tokenlab.show.views.elements.questions import ask
from tokenlab.steps.recording import Recording


def grouped_heads_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame before the first head, and one after each query head."""
    asked = _questions(recording)
    for number, done, _ in window.steps_around(recording):
        yield Frame(
            moment=f"Query head {done.head}" if done else "Before the first head",
            caption=sentence(done) if done else sentence(_opening(recording)),
            remark=_remark(recording, done, number),
            panels=tuple(_panels(recording, recording.steps[:number])),
            question=asked.get(number),
        )


def _opening(recording: Recording[Any, Any]) -> str:
    heads, kv_heads = _numbers(recording)
    return f"a layer with {heads} query heads and {kv_heads} key-value heads"


def _numbers(recording: Recording[Any, Any]) -> tuple[int, int]:
    return recording.arguments["num_heads"], recording.arguments["num_kv_heads"]


def _remark(recording: Recording[Any, Any], done: HeadGrouped | None, number: int) -> Html:
    if done is None:
        return ""
    if number == len(recording):
        return "Each query head still has its own queries and its own attention weights."
    if not done.first:
        return "It multiplies its own queries by the same keys."
    return ""


def _panels(recording: Recording[Any, Any], done: Sequence[HeadGrouped]) -> Iterator[Panel]:
    heads, kv_heads = _numbers(recording)
    rows = tuple(
        labelled(
            f"query head {text(step.head)}",
            f"→ <b{' class=new' if step.first else ''}>key-value head {text(step.kv_head)}</b>",
        )
        for step in done
    )
    if rows:
        yield Panel("The heads that read the same keys and values", rows, kind="words")
    if len(done) == len(recording):
        sizes = {f"{heads} (no groups)": heads, f"{kv_heads} (here)": kv_heads, "1": 1}
        bars = tuple(bar(text(name), number / heads, 2 * number) for name, number in sizes.items())
        title = "Keys and values of a token in a layer's cache, by the number of key-value heads"
        yield Panel(title, bars, kind="bars")


def _questions(recording: Recording[Any, Any]) -> dict[int, Question | None]:
    """Ask for the head that query head 1 reads, and, before the last head, for the queries of a token."""
    heads, _ = _numbers(recording)
    asked = {1: _head_question(recording)} if len(recording) > 1 else {}
    if heads > 2:
        asked[heads - 1] = _queries_question(recording)
    return asked


def _head_question(recording: Recording[Any, Any]) -> Question | None:
    """Ask which key-value head query head 1 reads: its neighbour's, or the next one (161)?"""
    heads, kv_heads = _numbers(recording)
    right, wrong = recording[1].kv_head, interleaved_groups(len(recording), kv_heads)[1]
    size = heads // kv_heads
    why = f"There are {heads} / {kv_heads} = {size} query heads in a group, and neighbours belong together."
    sizes = f"{heads} query heads", f"{kv_heads} key-value heads"
    return ask(
        f"There are {sizes[0]} and {sizes[1]}. Which key-value head does query head 1 read?",
        (f"key-value head {right}", why),
        (161, f"key-value head {wrong}", "The query heads do not take turns."),
        given=sizes,
        facts=(("group", None, size), ("read", 1, right)),
    )


def _queries_question(recording: Recording[Any, Any]) -> Question | None:
    """Ask for the number of queries of a token: one for each query head, or one for each group (162)?"""
    heads, kv_heads = _numbers(recording)
    wrong = queries_per_group(heads, kv_heads)
    why = f"Each of the {heads} query heads has its own projection. Only keys and values are shared."
    sizes = f"{heads} query heads", f"{kv_heads} key-value heads"
    return ask(
        f"There are {sizes[0]} and {sizes[1]}. How many different queries does a token have in this layer?",
        (f"{heads}", why),
        (162, f"{wrong}", "This is the number of keys."),
        (OTHER, f"{heads + kv_heads}", "Key-value heads have no queries."),
        given=sizes,
        facts=(("query heads", None, heads), ("key-value heads", None, kv_heads)),
    )
