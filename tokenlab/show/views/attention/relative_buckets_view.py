"""Relative position buckets: a ruler of distances, split into buckets, then the buckets of all pairs of 10 tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from tokenlab.algorithms.attention.relative_buckets import BucketRange
from tokenlab.misconceptions.t5_attention import bidirectional_decoder
from tokenlab.show.frames import Frame, Html, Panel, Question, StepRange, labelled, sentence, text
from tokenlab.show.views.elements.matrices import LabeledMatrix, matrix_rows
from tokenlab.show.views.elements.questions import ask
from tokenlab.steps.recording import Recording

TOKENS = 10  # the smallest number for which encoder and decoder buckets differ
FILLS = ("#56b4e9", "#a9d8f3")  # neighbours differ
NOW = "#e69f00"
LONGEST_LIST = 64  # empty buckets that are listed


def relative_buckets_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame before the first bucket and after each bucket."""
    asked = _question(recording)
    for number in window.positions:
        done: Sequence[BucketRange] = recording.steps[:number]
        panels = [Panel("Distances of keys before and after the query", _ruler(recording, done), wide=True)]
        if number == len(recording):
            panels.append(Panel(f"The bucket of each pair of {TOKENS} tokens", _pairs(recording), wide=True))
        panels.append(Panel("All buckets so far", tuple(map(_line, done)), "words", more=True))
        yield Frame(
            moment=f"Bucket {done[-1].bucket}" if done else "No bucket yet",
            caption=sentence(done[-1] if done else _opening(recording)),
            remark=_remark(recording, done),
            panels=tuple(panels),
            question=asked.get(number),
        )


def _opening(recording: Recording[Any, Any]) -> str:
    given = recording.arguments
    ways = "both directions, as in an encoder" if given["bidirectional"] else "keys before the query, as in a decoder"
    return f"{given['num_buckets']} buckets for {ways}, and distances up to {given['max_distance']}"


def _remark(recording: Recording[Any, Any], done: Sequence[BucketRange]) -> Html:
    if len(done) == len(recording):
        used = set(recording.result.values())
        empty = list(islice((b for b in range(recording.arguments["num_buckets"]) if b not in used), LONGEST_LIST))
        if not empty:
            return "Every bucket has at least one distance."
        after = recording.arguments["bidirectional"] and recording.arguments["num_buckets"] // 2
        why = f" Bucket {after} would be for distance 0 after the query, but the query itself is in bucket 0."
        return f"No distance falls into {', '.join(map(str, empty))}.{why if after else ''}"
    match done:
        case [*_, BucketRange(_, nearest, farthest)] if nearest == farthest:
            return "A short distance has its own bucket. The order of near tokens matters most."
        case [*_, BucketRange()]:
            return "A bucket has one learned bias per head: all keys in it get the same bias."
    return "Each bucket has one learned bias per head. There are more distances than buckets."


def _ruler(recording: Recording[Any, Any], done: Sequence[BucketRange]) -> tuple[Html, ...]:
    """Return one drawing in many rows, so that only changed rows are sent again."""
    far = recording.arguments["max_distance"]
    grid = f"display:grid;grid-template-columns:repeat({2 * far + 1},1fr);height:34px;margin:6px 0"
    start = (
        '<li style="list-style:none"><div role=img aria-label="a ruler of distances; the list under More repeats it" '
        f'style="{grid};border:1px solid #8888">'
    )
    cells = (_cell(filled, far, filled is done[-1]) for filled in done)
    marks = (
        '</div><div style="display:flex;justify-content:space-between;font-size:12px">'
        f"<span>{far} before</span><span>the query</span><span>{far} after</span></div>"
    )
    return (start, *cells, marks)


def _cell(filled: BucketRange, far: int, now: bool) -> Html:
    first, last = sorted((filled.nearest, _end(filled, far)))
    fill = NOW if now else FILLS[filled.bucket % 2]
    column = f"{first + far + 1}/{last + far + 2}"
    inset = ";margin:-5px 0" if now else ""  # it sticks out
    return f'<span title="{text(filled)}" style="grid-row:1;grid-column:{column};background:{fill}{inset}"></span>'


def _end(filled: BucketRange, far: int) -> int:
    """Return the last drawn distance of a bucket."""
    if filled.nearest == 0 and not filled.bidirectional:
        return far
    if filled.farthest is None:
        return far if filled.nearest > 0 else -far
    return filled.farthest


def _line(filled: BucketRange) -> Html:
    near, far = filled.nearest, filled.farthest
    side = "" if not near else " before" if near < 0 else " after"
    if near == 0 and not filled.bidirectional:
        keys = "0, and all after"
    elif far is None:
        keys = f"{abs(near)}{side}, and all farther"
    else:
        keys = f"{abs(near)}{side}" if near == far else f"{abs(near)} to {abs(far)}{side}"
    return labelled(f"{filled.bucket}", keys)


def _pairs(recording: Recording[Any, Any]) -> tuple[Html, Html]:
    """Return the buckets of all pairs: a row for each query, a column for each key."""
    of: Mapping[int, int] = recording.result
    far = recording.arguments["max_distance"]
    places = range(TOKENS)
    rows = tuple(tuple(of[max(-far, min(far, key - query))] for key in places) for query in places)
    names = tuple(map(str, places))
    return matrix_rows(
        LabeledMatrix("rows: queries, columns: keys", rows, names, names, largest=max(of.values()), whole=True)
    )


def _question(recording: Recording[Any, Any]) -> dict[int, Question | None]:
    """Ask for the smallest distance whose decoder bucket differs from the encoder bucket (38)."""
    given = recording.arguments
    if given["bidirectional"]:
        return {}
    sizes = (False, given["num_buckets"], given["max_distance"])
    of: Mapping[int, int] = recording.result
    different = (key for key in sorted(of, reverse=True) if bidirectional_decoder(key, *sizes) != of[key] and key < 0)
    key = next(different, None)
    if key is None:
        return {}
    right, wrong = of[key], bidirectional_decoder(key, *sizes)
    number = next(number for number, filled in enumerate(recording) if filled.bucket == right)
    why = f"In a decoder, all buckets are for earlier keys: the bucket is {right}. In an encoder it is {wrong}."
    sizes_shown = f"{given['num_buckets']} buckets for distances up to {given['max_distance']}"
    distance = f"{-key} positions before the query"
    question = ask(
        f"This is a decoder with {sizes_shown}. In which bucket is a key {distance}?",
        (str(right), why),
        (38, str(wrong), "Half of these buckets are for later keys, to which a decoder never attends."),
        given=(sizes_shown, distance),
        facts=(("bucket", key, right), ("bucket of an encoder", key, wrong)),
    )
    return {number: question} if number else {}
