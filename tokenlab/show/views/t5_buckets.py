"""The map of buckets: a ruler of distances, cut into buckets, and at its end what that means for ten tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tokenlab.algorithms.bucket_map import Filled, bucket_map
from tokenlab.misconceptions.t5_attention import bidirectional_decoder
from tokenlab.show.frames import Fact, Frame, Html, Option, Panel, Question, Window, text, view
from tokenlab.show.views.matrices import Named, drawn
from tokenlab.steps import Recording

TOKENS = 10  # the smallest number at which a decoder shows whether its buckets are an encoder's
FILLS = ("#56b4e9", "#a9d8f3")  # neighbours differ
NOW = "#e69f00"


@view(bucket_map)
def map_of_buckets(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame before the first bucket is filled, and one after each."""
    asked = _question(recording)
    for number in range(window.first, window.end + 1):
        done: Sequence[Filled] = recording.steps[:number]
        said = str(done[-1]) if done else _opening(recording)
        panels = [
            Panel("Distances: how far a key stands before or after the query", _ruler(recording, done), wide=True)
        ]
        if number == len(recording):
            panels.append(Panel(f"The bucket of each pair of {TOKENS} tokens", _pairs(recording), wide=True))
        panels.append(Panel("All buckets so far", tuple(map(_line, done)), "words", more=True))
        yield Frame(
            moment=f"Bucket {done[-1].bucket}" if done else "No bucket yet",
            caption=text(f"{said[0].upper()}{said[1:]}."),
            remark=_remark(recording, done),
            panels=tuple(panels),
            question=asked.get(number),
        )


def _opening(recording: Recording[Any, Any]) -> str:
    given = recording.arguments
    ways = "both directions, as in an encoder" if given["bidirectional"] else "keys before the query, as in a decoder"
    return f"{given['num_buckets']} buckets for {ways}, and distances up to {given['max_distance']}"


def _remark(recording: Recording[Any, Any], done: Sequence[Filled]) -> Html:
    if len(done) == len(recording):
        empty = set(range(recording.arguments["num_buckets"])) - set(recording.result.values())
        if not empty:
            return "Every bucket has at least one distance."
        after = recording.arguments["bidirectional"] and recording.arguments["num_buckets"] // 2
        why = f" {after} would be for a key 0 places after the query: the query itself, in bucket 0." if after else ""
        return f"No distance falls into {', '.join(map(str, sorted(empty)))}.{why}"
    match done:
        case [*_, Filled(_, nearest, farthest)] if nearest == farthest:
            return "A near key has a bucket of its own: there, order matters most."
        case [*_, Filled()]:
            return "A bucket is one number for each head: all keys in it get the same bias."
    return "Each bucket stands for one learned number a head. There are more distances than numbers."


def _ruler(recording: Recording[Any, Any], done: Sequence[Filled]) -> tuple[Html, ...]:
    """One drawing in many rows, of which only those travel again that have changed."""
    far = recording.arguments["max_distance"]
    grid = f"display:grid;grid-template-columns:repeat({2 * far + 1},1fr);height:34px;margin:6px 0"
    start = (
        '<li style="list-style:none"><div role=img aria-label="a ruler of distances; the list under More says it, too" '
        f'style="{grid};border:1px solid #8888">'
    )
    cells = (_cell(filled, far, filled is done[-1]) for filled in done)
    marks = (
        '</div><div style="display:flex;justify-content:space-between;font-size:12px">'
        f"<span>{far} before</span><span>the query</span><span>{far} after</span></div>"
    )
    return (start, *cells, marks)


def _cell(filled: Filled, far: int, now: bool) -> Html:
    first, last = sorted((filled.nearest, _end(filled, far)))
    fill = NOW if now else FILLS[filled.bucket % 2]
    column = f"{first + far + 1}/{last + far + 2}"
    inset = ";margin:-5px 0" if now else ""  # it sticks out
    return f'<span title="{text(filled)}" style="grid-row:1;grid-column:{column};background:{fill}{inset}"></span>'


def _end(filled: Filled, far: int) -> int:
    """The last distance that is drawn of a bucket."""
    if filled.nearest == 0 and not filled.bidirectional:
        return far
    if filled.farthest is None:
        return far if filled.nearest > 0 else -far
    return filled.farthest


def _line(filled: Filled) -> Html:
    near, far = filled.nearest, filled.farthest
    side = "" if not near else " before" if near < 0 else " after"
    if near == 0 and not filled.bidirectional:
        keys = "0, and all after"
    elif far is None:
        keys = f"{abs(near)}{side}, and all farther"
    else:
        keys = f"{abs(near)}{side}" if near == far else f"{abs(near)} to {abs(far)}{side}"
    return f"<li><span>{filled.bucket}</span> <div>{keys}</div>"


def _pairs(recording: Recording[Any, Any]) -> tuple[Html, Html]:
    """The buckets as they lie over the scores: a row for each query, a column for each key."""
    of: Mapping[int, int] = recording.result
    far = recording.arguments["max_distance"]
    places = range(TOKENS)
    rows = tuple(tuple(of[max(-far, min(far, key - query))] for key in places) for query in places)
    names = tuple(map(str, places))
    return drawn(Named("rows: queries, columns: keys", rows, names, names, largest=max(of.values()), whole=True))


def _question(recording: Recording[Any, Any]) -> dict[int, Question]:
    """Where a decoder's bucket is not the encoder's (38): at the smallest distance that tells."""
    given = recording.arguments
    if given["bidirectional"]:
        return {}
    sizes = (False, given["num_buckets"], given["max_distance"])
    of: Mapping[int, int] = recording.result
    telling = (key for key in sorted(of, reverse=True) if bidirectional_decoder(key, *sizes) != of[key] and key < 0)
    key = next(telling, None)
    if key is None:
        return {}
    right, wrong = of[key], bidirectional_decoder(key, *sizes)
    number = next(number for number, filled in enumerate(recording) if filled.bucket == right)
    facts: tuple[Fact, ...] = (("bucket", key, right), ("bucket of an encoder", key, wrong))
    why = f"A decoder looks back alone, so all buckets are for keys before the query: {right}. An encoder has {wrong}."
    options = (
        Option(str(right), why, right=True, facts=facts),
        Option(str(wrong), f"Half of those would be for keys that it never sees. {why}", belief=38, facts=facts),
    )
    prompt = f"This is a decoder. Which bucket has the key {-key} before the query?"
    return {number: Question(prompt, options).shuffled()} if number else {}
