"""Views of one attention head: a table with a row per key for a single query, and a chain of matrices for several.

Cross-attention during generation adds a row of weights for each generated token.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenlab.algorithms.attention.attention_output import (
    MASKED,
    BiasAdded,
    MaskApplied,
    Rows,
    ScoresComputed,
    ValuesSummed,
    WeightsComputed,
    position_names,
)
from tokenlab.algorithms.vectors import Matrix
from tokenlab.misconceptions.t5_attention import bias_per_layer, scale_sqrt_d
from tokenlab.printing.printable import count_noun, printable
from tokenlab.printing.printed_numbers import format_probability
from tokenlab.show.frames import (
    OTHER,
    Fact,
    Frame,
    Html,
    Option,
    Panel,
    Question,
    StepRange,
    chip,
    labelled,
    sentence,
    text,
)
from tokenlab.show.views.elements import token_tables as tables
from tokenlab.show.views.elements.matrices import WITH_NUMBERS, LabeledMatrix, format_cell, matrix_rows, max_abs
from tokenlab.show.views.elements.questions import ask
from tokenlab.steps.recording import Recording
from tokenlab.traces.generation.sampling_steps import CrossAttentionWeights

MOST_KEYS = 16  # rows of the key table; of more keys, the strongest are shown
STRONGEST = 3  # keys listed for each query
FAR_APART = 0.1  # least difference of the two weights in a question


def attention_head_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame before the first step and after each step."""
    asked = _questions(recording)
    head = AttentionHeadState(recording)
    for number in window.positions:
        done = recording.steps[:number]
        moment, remark, _ = _TEXTS[type(done[-1] if done else None)]
        yield Frame(
            moment=moment,
            caption=sentence(done[-1] if done else head.opening()),
            remark=remark,
            panels=tuple(head.key_table(done) if len(head.queries) == 1 else head.matrices(done)),
            question=asked.get(number),
        )


_TEXTS = {  # the moment, the remark and the title of the matrices after each step
    type(None): ("Queries and keys", "", "A query and a key for each position"),
    ScoresComputed: (
        "Scores",
        "The score is the dot product q · k. T5 does not divide it by sqrt(d_kv).",
        "queries · keys = scores",
    ),
    BiasAdded: (
        "With the bias",
        "The bias depends only on the head and the relative position of the key.",
        "scores + bias",
    ),
    MaskApplied: (
        "With the mask",
        "× is the lowest float. Adding a score to × does not change it.",
        "scores + mask",
    ),
    WeightsComputed: (
        "Weights",
        "A key whose sum is larger by 1 gets e = 2.72 times the weight.",
        "softmax of each row = weights",
    ),
    ValuesSummed: ("Output", "", "weights · values = output"),
}


class AttentionHeadState:
    """The arguments of a recording, with names for all positions."""

    def __init__(self, recording: Recording[Any, Any]) -> None:
        given = recording.arguments
        self.queries, self.keys, self.values = given["queries"], given["keys"], given["values"]
        self.bias, self.mask, self.place = given["bias"], given["mask"], given["place"]
        self.query_names = position_names(given["query_tokens"], "query", len(self.queries))
        self.key_names = position_names(given["key_tokens"], "key", len(self.keys))
        self.largest = max_abs(step.scores for step in recording if _has_scores([step]))

    def opening(self) -> str:
        """Describe the queries and keys."""
        many = "one query" if len(self.queries) == 1 else f"{len(self.queries)} queries"
        keys = "one key" if len(self.keys) == 1 else f"{len(self.keys)} keys"
        where = f" of {self.place}" if self.place else ""
        return f"{many} and {keys}{where}, each of dimension {len(self.keys[0])}"

    # --- many queries -----------------------------------------------------------------------------

    def matrices(self, done: Sequence[Any]) -> Iterator[Panel]:
        """Yield the operands and the result of the last step."""
        yield Panel(_TEXTS[type(done[-1] if done else None)][2], tuple(self._drawn(done)), wide=True)
        if done and not isinstance(done[-1], ValuesSummed) and len(self.keys) > WITH_NUMBERS:
            yield Panel(f"The {STRONGEST} strongest keys of each query", self._strongest(done), "words", more=True)

    def _drawn(self, done: Sequence[Any]) -> Iterator[Html]:
        if _has_scores(done[-2:-1]):
            yield from self._scores(_name_of(done[-2]), done[-2].scores)
        match done[-1] if done else None:
            case ScoresComputed(scores):
                yield from self._vectors("queries", self.queries, self.query_names)
                yield from self._vectors("keys", self.keys, self.key_names, "·")
                yield from self._scores(_name_of(done[-1]), scores, "=")
            case BiasAdded(scores):
                yield from self._bias()
                yield from self._scores(_name_of(done[-1]), scores, "=")
            case MaskApplied(scores):
                yield from self._scores("mask", self.mask, "+")
                yield from self._scores(_name_of(done[-1]), scores, "=")
            case WeightsComputed(weights):
                yield from self._weights(weights, "→")
            case ValuesSummed(output):
                yield from self._weights(done[-2].weights)
                yield from self._vectors("values", self.values, self.key_names, "·")
                yield from self._vectors("output", output, self.query_names, "=")
            case _:
                yield from self._vectors("queries", self.queries, self.query_names)
                yield from self._vectors("keys", self.keys, self.key_names, "·")

    def _scores(self, title: str, numbers: Matrix, sign: str = "") -> tuple[Html, Html]:
        return matrix_rows(LabeledMatrix(title, numbers, self.query_names, self.key_names, self.largest), sign)

    @property
    def decimals(self) -> int:
        """The number of decimals of a shown score."""
        return 2 if len(self.queries) == 1 else LabeledMatrix("", (), (), largest=self.largest).decimals

    def _bias(self) -> tuple[Html, Html]:
        # The bias has its own colour scale: next to large scores its pattern would not be visible.
        title, largest = "bias (own colour scale)", max_abs([self.bias])
        return matrix_rows(LabeledMatrix(title, self.bias, self.query_names, self.key_names, largest), "+")

    def _weights(self, numbers: Matrix, sign: str = "") -> tuple[Html, Html]:
        return matrix_rows(LabeledMatrix("weights", numbers, self.query_names, self.key_names, weights=True), sign)

    def _vectors(self, title: str, numbers: Matrix, rows: Sequence[str], sign: str = "") -> tuple[Html, Html]:
        whole = all(float(number).is_integer() for row in numbers for number in row)
        return matrix_rows(LabeledMatrix(title, numbers, rows, largest=max_abs([numbers]), whole=whole), sign)

    def _strongest(self, done: Sequence[Any]) -> tuple[Html, ...]:
        last = done[-1]
        rows: Rows = last.weights if isinstance(last, WeightsComputed) else last.scores
        return tuple(
            labelled(text(printable(name)), self._best(row)) for name, row in zip(self.query_names, rows, strict=True)
        )

    def _best(self, row: Sequence[float]) -> Html:
        best = sorted(range(len(row)), key=lambda key: (-row[key], key))[:STRONGEST]
        return " ".join(f"{chip(self.key_names[key])} {format_cell(row[key])}" for key in best)

    # --- one query --------------------------------------------------------------------------------

    def key_table(self, done: Sequence[Any]) -> Iterator[Panel]:
        """Yield a table with a row for each key; each step adds a column."""
        columns = [
            ("q · k", [step.scores[0] for step in done if isinstance(step, ScoresComputed)]),
            ("+ bias", [self.bias[0] for step in done if isinstance(step, BiasAdded)]),
            ("+ mask", [self.mask[0] for step in done if isinstance(step, MaskApplied)]),
            ("= sum", [step.scores[0] for step in done if isinstance(step, BiasAdded | MaskApplied)][-1:]),
        ]
        shown = [(name, numbers[0]) for name, numbers in columns if numbers]
        weights = next((step.weights[0] for step in done if isinstance(step, WeightsComputed)), None)
        title = f"Scores of the query “{printable(self.query_names[0])}” with each key"
        yield tables.table(title, list(self._key_rows(shown, weights)), "30rem")
        if len(done) < 2:
            yield Panel("The query and the keys", tuple(self._drawn(done[:0])), wide=True)
        if done and isinstance(done[-1], ValuesSummed):
            yield Panel("The output: the weighted sum of the values", tuple(self._output(done[-1].output)), wide=True)

    def _rows_shown(self, columns: Sequence[tuple[str, Sequence[float]]]) -> list[int]:
        """Return the keys that are shown: all, or the strongest if there are too many."""
        keys = list(range(len(self.keys)))
        if len(keys) <= MOST_KEYS or not columns:
            return keys[:MOST_KEYS]
        scores = columns[-1][1]
        return sorted(sorted(keys, key=lambda key: (-scores[key], key))[:MOST_KEYS])

    def _key_rows(
        self, columns: Sequence[tuple[str, Sequence[float]]], weights: Sequence[float] | None
    ) -> Iterator[Html]:
        names = [name for name, _ in columns]
        yield tables.header_row("key", *names, *["weight"] * bool(weights), numbers=len(names))
        shown = self._rows_shown(columns)
        for key in shown:
            scores = [tables.number(format_cell(numbers[key])) for _, numbers in columns]
            bars = [tables.bar(weights[key], format_cell(weights[key]), tables.GREEN, 50)] if weights else []
            yield tables.row(chip(self.key_names[key]), *scores, *bars)
        if len(self.keys) > len(shown):
            yield tables.row(f"… and {len(self.keys) - len(shown)} more keys")

    def _output(self, output: Matrix) -> Iterator[Html]:
        yield from self._vectors("values", self.values, self.key_names)
        yield from self._vectors("output", output, self.query_names, "→")


def _has_scores(steps: Sequence[Any]) -> bool:
    return any(isinstance(step, ScoresComputed | BiasAdded | MaskApplied) for step in steps)


def _name_of(step: Any) -> str:
    return {ScoresComputed: "scores", BiasAdded: "scores with bias", MaskApplied: "scores with mask"}[type(step)]


# --- questions ------------------------------------------------------------------------------------


def _questions(recording: Recording[Any, Any]) -> dict[int, Question | None]:
    """Return the questions by the number of finished steps: bias tables (37), causal mask (40), scaling (35)."""
    asked: dict[int, Question | None] = {}
    head = AttentionHeadState(recording)
    for number, following in enumerate(recording):
        if isinstance(following, BiasAdded):
            asked[number] = _tables_question(head.place)
        elif isinstance(following, MaskApplied):
            asked[number] = _visible_keys_question(head)
        elif isinstance(following, WeightsComputed):
            before = recording[number - 1].scores
            cross = "cross" in head.place
            asked[number] = _added_question(head) if cross else _weight_question(head, before, following)
    return asked


def _tables_question(place: str) -> Question | None:
    """Ask for the number of bias tables: one in a stack, or one in each block (37)?"""
    block = int(place.split(".block.")[1].split(".")[0]) if ".block." in place else 0
    if not block:
        return None
    each = len(bias_per_layer(block + 1, 0))
    first = f"The first of these {block + 1} blocks stores 1 table"
    why = f"{first}. Every block adds biases from this table."
    facts: tuple[Fact, ...] = (("tables", block + 1, 1), ("tables, one a block", block + 1, each))
    wrong = Option(str(each), f"{why} The other blocks store no table.", misconception=37, facts=facts)
    prompt = f"This is block {block}. How many bias tables do blocks 0 to {block} store?"
    return ask(prompt, ("1", why), wrong, given=(f"blocks 0 to {block}",), facts=facts)


def _added_question(head: AttentionHeadState) -> Question | None:
    """Ask what is added to the scores of cross attention: nothing, or a bias (37)?"""
    if head.bias is not None or head.mask is not None:
        return None
    why = "Positions in two texts have no distance, so cross-attention has 0 tables. No source token is hidden here."
    return ask(
        "These are scores of cross-attention, and the source has no padding. What is added to them before the softmax?",
        ("nothing", why),
        (37, "a bias for each distance", ""),
        (OTHER, "a mask that hides later tokens", ""),
        given=("scores of cross-attention", "no padding"),
        facts=(("tables of cross attention", None, 0),),
    )


def _visible_keys_question(head: AttentionHeadState) -> Question | None:
    """Ask for the number of visible keys: those that are not later, or all (40)? It needs a mask of later tokens."""
    free, last = (sum(number >= MASKED for number in row) for row in (head.mask[0], head.mask[-1]))
    if free >= last:
        return None
    keys = len(head.keys)
    shown = f"{keys} keys of a decoder, {chip(head.key_names[0])} to {chip(head.key_names[-1])}"
    return ask(
        f"There are {shown}. To how many of them may the first query, {chip(head.query_names[0])}, attend?",
        (
            str(free),
            f"The later tokens do not exist yet, so of {keys} keys the first query may attend to {free}.",
        ),
        (40, str(keys), "A test with one token would not show this."),
        (OTHER, str(keys - free), "This is the number of hidden keys."),
        given=(shown, f"the first query, {chip(head.query_names[0])}"),
        facts=(("keys that the first query may look at", 0, free), ("keys", None, keys)),
    )


def _weight_question(head: AttentionHeadState, before: Rows, following: WeightsComputed) -> Question | None:
    """Ask for the weight with the largest difference between unscaled and scaled scores (35)."""
    divided = scale_sqrt_d(head.queries, head.keys, head.bias, head.mask)
    pairs = ((query, key) for query in range(len(head.queries)) for key in range(len(head.keys)))
    query, key = max(pairs, key=lambda pair: abs(following.weights[pair[0]][pair[1]] - divided[pair[0]][pair[1]]))
    right, wrong = following.weights[query][key], divided[query][key]
    if abs(right - wrong) < FAR_APART or len(head.keys) > MOST_KEYS:  # all scores should be visible
        return None
    place, size = (query, key), len(head.keys[0])
    facts: tuple[Fact, ...] = (("weight", place, round(right, 2)), ("weight, divided", place, round(wrong, 2)))
    why = f"The weight is {right:.2f}. If q · k is divided by the square root of {size} first, it is {wrong:.2f}."
    divided_first = f"The first transformer divides q · k first, but T5 does not. {why}"
    return ask(
        f"Which weight does {chip(head.query_names[query])} give to {chip(head.key_names[key])}?",
        (format_cell(right), f"T5 does not divide the scores. The first transformer does. {why}"),
        Option(format_cell(wrong), divided_first, misconception=35, facts=facts),
        (OTHER, format_cell(1 / len(head.keys)), "All keys would have the same weight if all scores were equal."),
        given=tuple(format_cell(score, head.decimals) for score in before[query]),
        facts=facts,
    )


# --- cross-attention during generation -------------------------------------------------------------


def cross_attention_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame before the first token and after each token."""
    for number in window.positions:
        done: Sequence[CrossAttentionWeights] = recording.steps[:number]
        yield Frame(
            moment=f"Token {number}" if done else "Before the first token",
            caption=sentence(done[-1]) if done else _opening(recording),
            remark=_head_remark(recording) if done else "The weights of each row sum to 1.",
            panels=tuple(_panels(done)),
        )


def _opening(recording: Recording[Any, Any]) -> Html:
    if not len(recording):
        return "No token was generated."
    count = len(recording[0].source)
    return f"The encoder has read {count_noun(count, 'token')}. To which token does the decoder attend at each step?"


def _head_remark(recording: Recording[Any, Any]) -> Html:
    given = recording.arguments
    head = "the mean of all heads" if given["head"] is None else f"head {text(given['head'])}"
    return f"This is {head} of {text(given['place'] or 'the last layer')}."


def _panels(done: Sequence[CrossAttentionWeights]) -> Iterator[Panel]:
    if not done:
        return
    key_names = done[0].source_names
    rows = position_names([step.token for step in done], "token", len(done))
    weights = [step.weights for step in done]
    matrix = LabeledMatrix("rows: generated, columns: source", weights, rows, key_names, weights=True)
    yield Panel("Cross-attention weights of each generated token for each source token", matrix_rows(matrix), wide=True)
    strongest = tuple(_strongest(step, name, key_names) for step, name in zip(done, rows, strict=True))
    yield Panel("Strongest source tokens of each generated token", strongest, "words", more=True)


def _strongest(step: CrossAttentionWeights, name: str, key_names: Sequence[str]) -> Html:
    best = sorted(range(len(key_names)), key=lambda place: (-step.weights[place], place))[:STRONGEST]
    listed = " ".join(f"{chip(key_names[place])} {format_probability(step.weights[place])}" for place in best)
    return labelled(chip(name), listed)
