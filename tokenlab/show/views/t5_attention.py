"""One head of attention: a row for each key where one query asks, and a chain of matrices where many do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenlab.algorithms.attend import HIDDEN, Biased, Masked, Rows, Scored, Taken, Weighed, attend
from tokenlab.algorithms.attention_head import Matrix
from tokenlab.misconceptions.t5_attention import bias_per_layer, scale_sqrt_d
from tokenlab.show.frames import Fact, Frame, Html, Option, Panel, Question, Window, chip, text, view
from tokenlab.show.views.matrices import WITH_NUMBERS, Named, drawn, largest, said
from tokenlab.steps import Recording
from tokenlab.visible import visible

MOST_KEYS = 16  # rows of keys for one query; of more, the strongest are shown
STRONGEST = 3  # keys that are named for each query
FAR_APART = 0.1  # two weights that a question asks about
BELOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@view(attend)
def chain(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame before the first step, and one after each."""
    asked = _questions(recording)
    head = Head(recording)
    for number in range(window.first, window.end + 1):
        done = recording.steps[:number]
        said_so = str(done[-1]) if done else head.opening()
        yield Frame(
            moment=_moment(done),
            caption=text(f"{said_so[0].upper()}{said_so[1:]}."),
            remark=_remark(done),
            panels=tuple(head.row_by_row(done) if len(head.queries) == 1 else head.matrices(done)),
            question=asked.get(number),
        )


def _moment(done: Sequence[Any]) -> str:
    names = {Scored: "Scores", Biased: "With the bias", Masked: "With the mask", Weighed: "Weights", Taken: "Taken"}
    return names[type(done[-1])] if done else "Queries and keys"


def _remark(done: Sequence[Any]) -> Html:
    match done:
        case [*_, Scored()]:
            return "Where a query and a key agree the score is high. Nothing is divided."
        case [*_, Biased()]:
            return "It depends on the head and on how far away the key is, on nothing else."
        case [*_, Masked()]:
            return "× is the lowest number that the model can hold: a score that is added to it changes nothing."
        case [*_, Weighed()]:
            return "A score that is larger by one weighs 2.72 times as much."
    return ""


class Head:
    """What a recording has, with names for everything."""

    def __init__(self, recording: Recording[Any, Any]) -> None:
        """Find names for the positions, and the largest score, which gets the darkest shade."""
        given = recording.arguments
        self.queries, self.keys, self.values = given["queries"], given["keys"], given["values"]
        self.bias, self.mask, self.place = given["bias"], given["mask"], given["place"]
        self.asking = names(given["query_tokens"], "query", len(self.queries))
        self.asked = names(given["key_tokens"], "key", len(self.keys))
        sums: list[Matrix] = [step.scores for step in recording if isinstance(step, Scored | Biased | Masked)]
        self.largest = largest(sums)

    def opening(self) -> str:
        """What there is before anything is computed."""
        many = "one query" if len(self.queries) == 1 else f"{len(self.queries)} queries"
        keys = "one key" if len(self.keys) == 1 else f"{len(self.keys)} keys"
        where = f" of {self.place}" if self.place else ""
        return f"{many} and {keys}{where}, each {len(self.keys[0])} numbers long"

    # --- many queries -----------------------------------------------------------------------------

    def matrices(self, done: Sequence[Any]) -> Iterator[Panel]:
        """What the last step made, and of what it made it."""
        yield Panel(_equation(done), tuple(self._drawn(done)), wide=True)
        if done and not isinstance(done[-1], Taken) and len(self.keys) > WITH_NUMBERS:
            yield Panel(f"The {STRONGEST} strongest keys of each query", self._strongest(done), "words", more=True)

    def _drawn(self, done: Sequence[Any]) -> Iterator[Html]:
        if _has_scores(done[-2:-1]):
            yield from self._scores(_name_of(done[-2]), done[-2].scores)
        match done[-1] if done else None:
            case Scored(scores):
                yield from self._vectors("queries", self.queries, self.asking)
                yield from self._vectors("keys", self.keys, self.asked, "·")
                yield from self._scores(_name_of(done[-1]), scores, "=")
            case Biased(scores):
                yield from self._bias()
                yield from self._scores(_name_of(done[-1]), scores, "=")
            case Masked(scores):
                yield from self._scores("mask", self.mask, "+")
                yield from self._scores(_name_of(done[-1]), scores, "=")
            case Weighed(weights):
                yield from self._weights(weights, "→")
            case Taken(taken):
                yield from self._weights(done[-2].weights)
                yield from self._vectors("values", self.values, self.asked, "·")
                yield from self._vectors("taken", taken, self.asking, "=")
            case _:
                yield from self._vectors("queries", self.queries, self.asking)
                yield from self._vectors("keys", self.keys, self.asked, "·")

    def _scores(self, title: str, numbers: Matrix, sign: str = "") -> tuple[Html, Html]:
        return drawn(Named(title, numbers, self.asking, self.asked, self.largest), sign)

    def _bias(self) -> tuple[Html, Html]:
        # Shades of its own: beside large scores its pattern could not be seen.
        return drawn(Named("bias (shades of its own)", self.bias, self.asking, self.asked, largest([self.bias])), "+")

    def _weights(self, numbers: Matrix, sign: str = "") -> tuple[Html, Html]:
        return drawn(Named("weights", numbers, self.asking, self.asked, weights=True), sign)

    def _vectors(self, title: str, numbers: Matrix, rows: Sequence[str], sign: str = "") -> tuple[Html, Html]:
        whole = all(float(number).is_integer() for row in numbers for number in row)
        return drawn(Named(title, numbers, rows, largest=largest([numbers]), whole=whole), sign)

    def _strongest(self, done: Sequence[Any]) -> tuple[Html, ...]:
        last = done[-1]
        rows: Rows = last.weights if isinstance(last, Weighed) else last.scores
        return tuple(
            f"<li><span>{text(visible(name))}</span> <div>{self._best(row)}</div>"
            for name, row in zip(self.asking, rows, strict=True)
        )

    def _best(self, row: Sequence[float]) -> Html:
        best = sorted(range(len(row)), key=lambda key: (-row[key], key))[:STRONGEST]
        return " ".join(f"{chip(self.asked[key])} {said(row[key])}" for key in best)

    # --- one query --------------------------------------------------------------------------------

    def row_by_row(self, done: Sequence[Any]) -> Iterator[Panel]:
        """A line for each key, which grows by a number with each step."""
        columns = [
            ("q · k", [step.scores[0] for step in done if isinstance(step, Scored)]),
            ("+ bias", [self.bias[0] for step in done if isinstance(step, Biased)]),
            ("+ mask", [self.mask[0] for step in done if isinstance(step, Masked)]),
            ("= score", [step.scores[0] for step in done if isinstance(step, Biased | Masked)][-1:]),
        ]
        shown = [(name, numbers[0]) for name, numbers in columns if numbers]
        weights = next((step.weights[0] for step in done if isinstance(step, Weighed)), None)
        title = f"What {visible(self.asking[0])} asks of each key"
        yield Panel(title, (_ledger(self.asked, shown, weights, self._rows_shown(shown)),), wide=True)
        if len(done) < 2:
            yield Panel("The query, and the keys that it meets", tuple(self._drawn(done[:0])), wide=True)
        if done and isinstance(done[-1], Taken):
            yield Panel("What it takes: the values, by their weights", tuple(self._taking(done[-1].taken)), wide=True)

    def _rows_shown(self, columns: Sequence[tuple[str, Sequence[float]]]) -> list[int]:
        """All keys, or the strongest where there are too many."""
        keys = list(range(len(self.keys)))
        if len(keys) <= MOST_KEYS or not columns:
            return keys[:MOST_KEYS]
        scores = columns[-1][1]
        return sorted(sorted(keys, key=lambda key: (-scores[key], key))[:MOST_KEYS])

    def _taking(self, taken: Matrix) -> Iterator[Html]:
        yield from self._vectors("values", self.values, self.asked)
        yield from self._vectors("taken", taken, self.asking, "→")


def _ledger(
    keys: Sequence[str],
    columns: Sequence[tuple[str, Sequence[float]]],
    weights: Sequence[float] | None,
    shown: Sequence[int],
) -> Html:
    """A table with a line for each key, and a bar for its weight."""
    cell = '<td style="padding:2px 10px;text-align:right;border:0;font-variant-numeric:tabular-nums">'
    head = "".join(f'<th scope=col style="padding:2px 10px;text-align:right;border:0">{text(n)}' for n, _ in columns)
    bar = '<th scope=col style="padding:2px 10px;text-align:left;border:0;width:50%">weight' if weights else ""
    lines = "".join(
        f'<tr style="background:none"><th scope=row style="padding:2px 4px;text-align:left;border:0">{chip(keys[key])}'
        + "".join(f"{cell}{said(numbers[key])}" for _, numbers in columns)
        + (_bar(weights[key]) if weights else "")
        for key in shown
    )
    more = f"<p>… and {len(keys) - len(shown)} keys more</p>" if len(keys) > len(shown) else ""
    return (
        '<li style="list-style:none"><table style="width:auto;min-width:min(100%,30rem)"><tr style="background:none">'
        f'<th scope=col style="padding:2px 4px;text-align:left;border:0">key{head}{bar}{lines}</table>{more}'
    )


def _bar(weight: float) -> Html:
    style = f"display:inline-block;width:{80 * weight:.0f}%;background:#009e73;margin-right:6px"
    cell = '<td style="padding:2px 10px;border:0;text-align:left;white-space:nowrap">'
    return f'{cell}<i style="{style}"></i>{said(weight)}'


def _equation(done: Sequence[Any]) -> str:
    match done[-1] if done else None:
        case Scored():
            return "each query with each key = scores"
        case Biased():
            return "scores + bias"
        case Masked():
            return "scores + mask"
        case Weighed():
            return "softmax of each row = weights"
        case Taken():
            return "weights · values = what each query takes"
    return "A row for each position: what it asks, and what it is asked by"


def _has_scores(steps: Sequence[Any]) -> bool:
    return any(isinstance(step, Scored | Biased | Masked) for step in steps)


def _name_of(step: Any) -> str:
    return {Scored: "scores", Biased: "scores with bias", Masked: "scores with mask"}[type(step)]


def names(tokens: Sequence[str], kind: str, count: int) -> list[str]:
    """What each position is called: its token, numbered where there are several, or its place where nobody said.

    >>> names([], "key", 2), names(["a", "b", "a"], "key", 3)
    (['key 0', 'key 1'], ['a', 'b', 'a₂'])
    """
    if len(tokens) != count:
        return [f"{kind} {number}" for number in range(count)]
    times = [tokens[: place + 1].count(token) for place, token in enumerate(tokens)]
    return [
        token + ("" if time == 1 else str(time).translate(BELOW)) for token, time in zip(tokens, times, strict=True)
    ]


# --- questions ------------------------------------------------------------------------------------


def _questions(recording: Recording[Any, Any]) -> dict[int, Question]:
    """By the number of steps that are done: about tables (37), a causal mask (40), and the missing division (35)."""
    asked: dict[int, Question] = {}
    head = Head(recording)
    for number, following in enumerate(recording):
        question = None
        if isinstance(following, Biased):
            question = _how_many_tables(head.place)
        elif isinstance(following, Masked):
            question = _how_many_keys(head)
        elif isinstance(following, Weighed):
            question = _what_is_added(head) if "cross" in head.place else _which_weight(head, following)
        if question is not None:
            asked[number] = question.shuffled()
    return asked


def _how_many_tables(place: str) -> Question | None:
    """One table in a stack, or one in each block (37)?"""
    block = int(place.split(".block.")[1].split(".")[0]) if ".block." in place else 0
    if not block:
        return None
    each = len(bias_per_layer(block + 1, 0))
    facts: tuple[Fact, ...] = (("tables", block + 1, 1), ("tables, one a block", block + 1, each))
    why = f"The first of these {block + 1} blocks stores 1 table, and every block adds what is read there."
    options = (
        Option("1", why, right=True, facts=facts),
        Option(str(each), f"{why} It is not learned anew.", belief=37, facts=facts),
    )
    return Question(f"This is block {block}. How many tables of biases have the blocks 0 to {block}?", options)


def _what_is_added(head: Head) -> Question | None:
    """Nothing, or a bias (37)?"""
    if head.bias is not None or head.mask is not None:
        return None
    facts: tuple[Fact, ...] = (("tables of cross attention", None, 0),)
    why = "Places in two texts cannot be compared, so cross attention has 0 tables; and no token is hidden here."
    options = (
        Option("nothing", why, right=True, facts=facts),
        Option("a bias for each distance", why, belief=37, facts=facts),
    )
    return Question("What is added to these scores before the softmax?", options)


def _how_many_keys(head: Head) -> Question | None:
    """As many as are not later, or all (40)? It can be asked from two tokens on."""
    free = sum(number >= HIDDEN for number in head.mask[0])
    if free == len(head.keys) or len(head.queries) == 1:
        return None
    facts: tuple[Fact, ...] = (("keys that the first query may look at", 0, free), ("keys", None, len(head.keys)))
    why = f"What comes later is not written yet: of {len(head.keys)} keys the first query may look at {free}."
    options = (
        Option(str(free), why, right=True, facts=facts),
        Option(str(len(head.keys)), f"A test with one token would not tell. {why}", belief=40, facts=facts),
    )
    return Question(f"How many keys may the first query, {chip(head.asking[0])}, look at?", options)


def _which_weight(head: Head, following: Weighed) -> Question | None:
    """The softmax of the scores as they are, or of divided ones (35)? Asked where the two are farthest apart."""
    divided = scale_sqrt_d(head.queries, head.keys, head.bias, head.mask)
    pairs = ((query, key) for query in range(len(head.queries)) for key in range(len(head.keys)))
    query, key = max(pairs, key=lambda pair: abs(following.weights[pair[0]][pair[1]] - divided[pair[0]][pair[1]]))
    right, wrong = following.weights[query][key], divided[query][key]
    if abs(right - wrong) < FAR_APART or len(head.keys) > MOST_KEYS:  # all scores should be in sight
        return None
    place, size = (query, key), len(head.keys[0])
    facts: tuple[Fact, ...] = (("weight", place, round(right, 2)), ("weight, divided", place, round(wrong, 2)))
    why = f"It comes to {right:.2f}; with scores divided by the root of {size} it would be {wrong:.2f}."
    options = (
        Option(
            said(right), f"T5 takes scores as they are, where other transformers divide. {why}", right=True, facts=facts
        ),
        Option(said(wrong), f"That divides q · k first, which T5 does not. {why}", belief=35, facts=facts),
    )
    return Question(f"Which weight does {chip(head.asking[query])} give to {chip(head.asked[key])}?", options)
