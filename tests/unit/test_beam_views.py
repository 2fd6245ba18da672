"""What is shown of a beam search is what a slow search finds by itself; questions offer what misconceptions give."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from html import unescape
from typing import Any

import pytest
import torch

from tests.libraries.transformers.test_generation import untrained
from tests.questions import frames, options_of, questions
from tokenlab import data
from tokenlab.algorithms.decoding.stopping_rule import StoppingCheck
from tokenlab.libraries.transformers import T5ForConditionalGeneration, T5Tokenizer
from tokenlab.libraries.transformers.generation.beam_state import BeamSearchState, CandidateNode
from tokenlab.libraries.transformers.generation.beam_steps import (
    CONTINUES,
    NO_BEAM_SLOT,
    BeamsSelected,
    FinalHypotheses,
)
from tokenlab.misconceptions import beam_search as wrong
from tokenlab.show.explorers.explore_generation import explore_beam_search
from tokenlab.show.frames import OTHER, Frame, Question, chip
from tokenlab.show.views.decoding.beam_panels import search_after, text_of
from tokenlab.show.views.decoding.beam_tree_drawing import Layout
from tokenlab.show.views.elements.numbers import format_log_probability, format_negative, format_score
from tokenlab.steps.recording import Recording
from tokenlab.traces.generation.token_names import NamedOutputs
from tokenlab.traces.generation.trace_beam_search import trace_beam_search

torch.set_num_threads(1)
EVIL = "<img src=x onerror=alert(1)>"
TEXT, END, MOST = "345", 1, 8


class Digits:
    """A tokenizer whose tokens are digits, of which the last ones have no name."""

    def __init__(self, names: str = "01234567") -> None:
        self.names = [f"▁{name}" for name in names]

    def __len__(self) -> int:
        return len(self.names)

    def __call__(self, text: str) -> dict[str, list[int]]:
        return {"input_ids": [*map(int, text), END]}

    def convert_ids_to_tokens(self, ids: list[int]) -> list[str]:
        return [self.names[id] for id in ids]

    def decode(self, ids: list[int], skip_special_tokens: bool = False) -> str:
        return " ".join(str(id) for id in ids if id > 1 or not skip_special_tokens)


# --- a search by hand -------------------------------------------------------------------------------

Ids = tuple[int, ...]


@dataclass
class Step:
    """What a step of the slow search finds."""

    candidates: list[tuple[int, int, float, float, str]] = field(default_factory=list)
    pool: list[tuple[Ids, float, int]] = field(default_factory=list)  # ids, sum, length; in the order of their scores
    out: list[tuple[Ids, float, int]] = field(default_factory=list)
    hope: float = 0.0
    done: bool = False


def slowly(model: Any, beams: int, penalty: float, early: Any, counts: str) -> tuple[list[Step], list[Any]]:
    """Beam search in plain Python: all is read anew, every candidate is sorted, nothing of the package is asked."""
    source = torch.tensor([[*map(int, TEXT), END]])
    living: list[tuple[Ids, float]] = [((0,), 0.0)]
    pool: list[tuple[Ids, float, int]] = []
    out: list[tuple[Ids, float, int]] = []
    steps: list[Step] = []

    def score(total: float, length: int) -> float:
        return total / length**penalty

    while True:
        step, written = Step(), len(living[0][0])
        steps.append(step)
        with torch.no_grad():
            rows = model(
                source.expand(len(living), -1), decoder_input_ids=torch.tensor([ids for ids, _ in living])
            ).logits[:, -1]
        found = [
            (beam, token, log_p, total + log_p)
            for beam, (row, (_, total)) in enumerate(zip(rows.log_softmax(-1).tolist(), living, strict=True))
            for token, log_p in enumerate(row)
        ]
        found = sorted(found, key=lambda one: -one[3])[: 2 * beams]
        following: list[tuple[Ids, float]] = []
        for rank, (beam, token, log_p, total) in enumerate(found):
            status = "not needed"
            if len(following) < beams and token != END:
                status = f"continues as {len(following) + 1}"
                following.append(((*living[beam][0], token), total))
            elif len(following) < beams and rank >= beams:
                status = "ends below the best"
            elif len(following) < beams:
                ids = living[beam][0]
                length = len(ids) if counts == "prompt" else len(ids) - 1 + 1
                if len(pool) == beams and score(total, length) <= min(score(*one[1:]) for one in pool):
                    status = "the pool has better"
                else:
                    status = "ends: to the pool"
                    pool.append(((*ids, END), total, length))
                    if len(pool) > beams:
                        worst = min(pool, key=lambda one: score(*one[1:]))
                        pool.remove(worst)
                        out.append(worst)
            step.candidates.append((beam, token, log_p, total, status))
        never = early == "never" and counts == "eos"
        length = MOST - 1 if never and penalty > 0 else written
        step.hope = score(following[0][1] if counts == "eos" else found[0][3], length)
        step.pool = sorted(pool, key=lambda one: -score(*one[1:]))
        step.out = [*out]
        full = len(pool) == beams
        step.done = full and ((bool(early) and not never) or min(score(*one[1:]) for one in pool) >= step.hope)
        living = following
        if step.done or len(living[0][0]) == MOST:
            break
    if not steps[-1].done:
        pool += [(ids, total, len(ids) if counts == "prompt" else len(ids) - 1) for ids, total in living]
    ranking = sorted(pool, key=lambda one: -score(*one[1:]))[:beams]
    return steps, [(*one, score(*one[1:])) for one in ranking]


# --- reading what is shown --------------------------------------------------------------------------


def plain(html: str) -> str:
    return " ".join(unescape(re.sub("<[^>]+>", "", html.replace("</div>", " "))).split())


def panel(frame: Frame, title: str) -> str:
    (rows,) = [panel.rows for panel in frame.panels if panel.title.startswith(title)]
    return "".join(rows)


def table(html: str) -> list[list[str]]:
    """The rows of a table, without its head."""
    rows = [re.split("<t[dh][^>]*>", row)[1:] for row in re.split("<tr[^>]*>", html.split("</style>")[-1])[2:]]
    return [[plain(cell) for cell in row] for row in rows]


def number(text: str) -> float:
    return float(text.replace("−", "-"))


def about(value: float) -> Any:
    """What is written with two decimals, and a sum of numbers with less precision."""
    return pytest.approx(value, abs=0.0051 + 1e-5)


def figures(value: float) -> Any:
    """What is written in three figures."""
    return pytest.approx(value, rel=0.0051, abs=1e-6)


CASES = [
    (seed, beams, penalty, early, counts)
    for seed, (beams, penalty, early, counts) in enumerate(
        [
            (2, 1.0, False, "prompt"),
            (3, 0.0, False, "prompt"),
            (4, -1.0, False, "prompt"),
            (2, 2.0, True, "prompt"),
            (3, 1.0, "never", "prompt"),
            (2, 1.0, "never", "eos"),
            (3, 0.5, "never", "eos"),
            (2, -0.5, "never", "eos"),
            (3, 1.0, False, "eos"),
            (4, 1.0, False, "prompt"),
            (2, 1.0, False, "prompt"),
            (3, 1.0, False, "prompt"),
        ]
    )
]
each_case = pytest.mark.parametrize(("seed", "beams", "penalty", "early", "counts"), CASES)


def recorded(seed: int, beams: int, penalty: float, early: Any, counts: Any, **more: Any) -> Recording[Any, Any]:
    settings: dict[str, Any] = {"length_penalty": penalty, "early_stopping": early, "length_counts": counts}
    return trace_beam_search.record(untrained(seed), Digits(), TEXT, beams, max_length=MOST, **settings, **more)


def name(token: int) -> str:
    return f"▁{token}" if token < 8 else f"<{token}>"


# --- tests ------------------------------------------------------------------------------------------


def test_a_printed_search_shows_tokens_instead_of_ids(translator: tuple[Any, Any]) -> None:
    recording = trace_beam_search.record(*translator, "We <extra_id_0> week.", num_beams=2)
    lines = str(recording).splitlines()
    assert lines[2] == (
        "3. text 0: beam 0: <extra_id_0> ▁have (-1.76), beam 1: <extra_id_0> ▁bought (-1.85) continue "
        "(the best 2 that do not end)"
    )
    assert re.search(r"<extra_id_0> ▁\S.* </s> \(-\d\.\d\d\) became a hypothesis", lines[8])
    for step in recording:
        for candidate in step.candidates if isinstance(step, BeamsSelected) else ():
            assert candidate.name == recording.result.name(candidate.token) and candidate.name in str(candidate)
    assert Recording.from_json(recording.to_json()).steps == recording.steps


@each_case
def test_the_ledger_pool_bound_and_ranking_are_those_of_a_search_by_hand(
    seed: int, beams: int, penalty: float, early: Any, counts: str
) -> None:
    steps, ranking = slowly(untrained(seed), beams, penalty, early, counts)
    recording = recorded(seed, beams, penalty, early, counts, num_return_sequences=2)
    shown = frames(recording)
    assert len(shown) == 2 * len(steps) + 2 == len(recording) + 1
    for at, step in enumerate(steps):
        before = [c for c in steps[at - 1].candidates if c[4].startswith("continues")] if at else []
        for frame in shown[2 * at + 1 : 2 * at + 3]:
            if frame.moment.endswith("the pool") and step.pool:
                continue
            rows = table(panel(frame, f"{2 * beams} candidates"))
            for rank, (row, (beam, token, log_p, total, status)) in enumerate(zip(rows, step.candidates, strict=True)):
                where = f"{beam + 1} {name(before[beam][1])}" if at else "start"
                assert [row[0], row[1], row[2], row[6]] == [str(rank + 1), where, name(token), status]
                assert (row[3], number(row[4])) == (format_log_probability(log_p), about(total))
        frame = shown[2 * at + 2]
        assert ("is done" in frame.caption) == step.done
        if step.pool:
            _pool_is(table(panel(frame, "The pool")), step, penalty)
            lines = plain(panel(frame, "Is the search done?"))
            hope = number(re.findall(r"best attainable [^=]* = (\S+)", lines)[0])
            assert hope == figures(step.hope)
            if len(step.pool) == beams:
                worst = step.pool[-1][1] / step.pool[-1][2] ** penalty
                assert number(re.findall(r"its worst (\S+)", lines)[0]) == figures(worst)
                assert ("done? yes" in lines) == step.done
    assert shown[-1].moment == "The winner"
    rows = table(panel(shown[-1], "The ranking"))
    by_sum = sorted(ranking, key=lambda one: -one[1])
    for place, (row, one) in enumerate(zip(rows, ranking, strict=True)):
        ids, total, length, score = one
        said = "".join(name(token).removeprefix("▁") for token in ids[1:] if token != END)
        text, _, remarks = row[2].partition(" · ")
        assert text.replace(" ", "") == (said or "(nothing)")
        assert (number(row[1]), number(row[3])) == (figures(score), about(total))
        _is_divisor(row[4], length, penalty)
        assert row[5] == str(by_sum.index(one) + 1)
        assert ("returned" in remarks, "truncated" in remarks) == (place < 2, ids[-1] != END)
    for column, values in ((1, [one[3] for one in ranking]), (3, [one[1] for one in ranking])):
        assert len({row[column] for row in rows}) == len({round(value, 5) for value in values})
    assert rows[0][2].partition(" · ")[0].replace("(nothing)", "") in plain(shown[-1].caption)


def _pool_is(rows: list[list[str]], step: Step, penalty: float) -> None:
    expected = [(str(place + 1), one) for place, one in enumerate(step.pool)] + [("out", one) for one in step.out]
    for row, (place, (_, total, length)) in zip(rows, expected, strict=True):
        assert row[0] == place
        assert (number(row[1]), number(row[3])) == (figures(total / length**penalty), about(total))
        _is_divisor(row[4], length, penalty)


def _is_divisor(cell: str, length: int, penalty: float) -> None:
    power, _, value = cell.partition(" = ")
    assert power == f"{length}{format_negative(penalty, 1)}" and (value == "") == (penalty in (0, 1))
    assert not value or number(value) == pytest.approx(length**penalty, rel=0.0051)


@pytest.mark.parametrize("penalty", [-3.0, -0.5, 2.0, 5.0, 9.0])
def test_a_divisor_is_written_in_three_figures_or_in_full(penalty: float) -> None:
    rows = table(panel(frames(recorded(2, 4, penalty, False, "prompt"))[-1], "The ranking"))
    assert len(rows) == 4
    for row in rows:
        power, _, value = row[4].partition(" = ")
        length = int(power.removesuffix(format_negative(penalty, 1)))
        _is_divisor(row[4], length, penalty)
        assert len(value) <= 8 and (value == str(int(length**penalty)) or penalty not in (2.0, 5.0))


def nodes(frame: Frame) -> dict[str, tuple[str, str, str]]:
    """What is drawn of each node: its mark, its token, and its sum."""
    html = panel(frame, "The tree")
    found = re.findall(
        r"<g class=(\w+)(?: tabindex=0)?>(?:<path [^>]*/>)?<g data-at=([\d.]+)><title>.*?</title><rect [^>]*/>"
        r"<text [^>]*>(.*?)</text>(?:<text class=sum [^>]*>(.*?)</text>)?</g></g>",
        html,
    )
    assert len(found) == html.count("<rect") - html.count("aria-hidden=true")
    return {key: (mark, unescape(token), total) for mark, key, token, total in found}


@each_case
def test_the_tree_keeps_what_was_dropped_and_marks_what_leads_somewhere(
    seed: int, beams: int, penalty: float, early: Any, counts: str
) -> None:
    recording = recorded(seed, beams, penalty, early, counts)
    parents: dict[str, str] = {}  # by the keys of nodes
    living, ends, drawn = ["0.0"] * beams, {}, {}
    for at, step in enumerate(recording):
        if isinstance(step, BeamsSelected):
            column = at // 2 + 1
            for rank, candidate in enumerate(step.candidates):
                key = f"{column}.{rank}"
                parents[key] = living[candidate.parent]
                drawn[key] = (name(candidate.token), format_negative(candidate.score))
                ends[key] = candidate.status
            living = [f"{column}.{rank}" for rank, c in enumerate(step.candidates) if c.status == CONTINUES]
        growth = search_after(recording, at + 1)
        shown = nodes(frames(recording)[at + 1])
        tips = [*living, *(one.node.key for one in growth.pool)]
        if isinstance(step, FinalHypotheses):
            tips = [one.node.key for one in growth.ranking]
        kept = {key for tip in tips for key in way(parents, tip)}
        won = way(parents, tips[0]) if isinstance(step, FinalHypotheses) else []
        assert shown.pop("0.0")[1] == "start"
        assert {key: rest for key, (_, *rest) in shown.items()} == {key: list(said) for key, said in drawn.items()}
        for key, (mark, *_) in shown.items():
            newest = key in living and not isinstance(step, FinalHypotheses)
            if key in won:
                expected = "best" if ends[key] == CONTINUES else "won"
            elif ends[key] == CONTINUES:
                expected = "now" if newest else "on" if key in kept else "off"
            elif ends[key] == "ends":
                expected = "end" if key in kept else "late"
            else:
                expected = "gone" if ends[key] == NO_BEAM_SLOT else "late"
            assert mark == expected, (at, key)


def way(parents: dict[str, str], key: str) -> list[str]:
    found = []
    while key != "0.0":
        found.append(key)
        key = parents[key]
    return found


def test_lines_join_nodes_and_nodes_lie_beside_one_another() -> None:
    recording = recorded(0, 3, 1.0, False, "prompt")
    growth = search_after(recording)
    html = panel(frames(recording)[-1], "The tree")
    boxes = {
        key: [float(n) for n in box]
        for key, *box in re.findall(
            r"data-at=([\d.]+)><title>.*?</title><rect x=(\d+) y=(\d+) width=(\d+) height=(\d+)", html
        )
    }
    for curve, key in re.findall(r'<path d="([^"]*)"/><g data-at=([\d.]+)>', html):
        (node,) = [node for column in growth.columns for node in column if node.key == key]
        assert node.parent is not None
        left, top, _, height = boxes[key]
        x, y, width, _ = boxes[node.parent.key]
        start = re.match(r"M(\d+) (\d+)", curve)
        ended = re.findall(r"[\d.]+", curve)
        assert start and [float(n) for n in start.groups()] == pytest.approx([x + width, y + height / 2], abs=1)
        assert float(ended[-2] if "C" in curve else ended[-1]) == pytest.approx(left, abs=1)
        assert float(ended[-1] if "C" in curve else ended[1]) == pytest.approx(top + height / 2, abs=1)
        assert left > x + width + 10
    for column in growth.columns:
        tops = [boxes[node.key][1] for node in column]
        assert all(after - before > 30 for before, after in zip(tops, tops[1:], strict=False))
    layout = Layout.of(growth, 6)
    assert max(x + width for x, _, width, _ in boxes.values()) < layout.width
    assert max(y + height for _, y, _, height in boxes.values()) < layout.height


def test_a_chinese_token_has_room() -> None:
    growth = BeamSearchState(rule=search_after(recorded(0, 2, 1.0, False, "prompt"), 0).rule)
    latin, chinese = (
        CandidateNode(token, -1.0, step=1, parent=growth.root) for token in ("abcdefgh", "汉语汉语汉语汉语")
    )
    growth.columns.append((latin,))
    narrow = Layout.of(growth, 4).widths[1]
    growth.columns[0] = (chinese,)
    assert Layout.of(growth, 4).widths[1] > 1.6 * narrow


def test_a_sum_has_room_in_a_node_of_one_letter() -> None:
    root = search_after(recorded(0, 2, 1.0, False, "prompt"), 0)
    for total in (-1.25, -10.55, -67.17, -110.55, -1000.55):
        root.columns = [(CandidateNode(".", total, step=1, parent=root.root),)]
        width = Layout.of(root, 4).widths[1]
        # A digit of a sans-serif font of 10 pixels is 6.4 wide, a minus 8.4, a point 3.2.
        long = {"−": 8.4, ".": 3.2}
        corners = 2 * (15 - (15**2 - 11**2) ** 0.5)  # of a radius of 15, at 11 below the middle, where a sum stands
        assert sum(long.get(letter, 6.4) for letter in format_negative(total)) + 5 < width - corners


# --- questions --------------------------------------------------------------------------------------


def asked_of(settings: tuple[Any, ...]) -> list[tuple[str, Question, Any, BeamSearchState]]:
    """The questions of many recordings: their kind, what follows, and what is known then."""
    beams, penalty, early, counts = settings
    found = []
    for seed in range(25):
        recording = recorded(seed, beams, penalty, early, counts)
        for at, question in questions(recording).items():
            step = recording[at]
            kind = (
                "done"
                if isinstance(step, StoppingCheck)
                else "ahead"
                if "which is first?" in question.prompt
                else "lives"
            )
            found.append((kind, question, step, search_after(recording, at)))
    return found


def pairs_of(label: str) -> list[tuple[int, str]]:
    words = plain(label.replace("</b>", "</b> ")).split()
    return [] if words == ["none"] else list(zip(map(int, words[::2]), words[1::2], strict=True))


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings", [(2, 1.0, False, "prompt"), (3, 1.0, False, "prompt"), (4, 0.0, False, "prompt")], ids=str
)
def test_who_lives_on_is_asked_with_what_misconceptions_let_live(settings: tuple[Any, ...]) -> None:
    asked = [(question, step) for kind, question, step, _ in asked_of(settings) if kind == "lives"]
    misconceptions = set()
    for question, step in asked:
        candidates = [wrong.Candidate(c.parent, c.token, c.score) for c in step.candidates]
        living = [(c.parent + 1, name(c.token)) for c in step.candidates if c.status == CONTINUES]
        beams = [(place,) for place in range(settings[0])]
        for option in question.options:
            shown = pairs_of(option.label)
            misconceptions.add(option.misconception)
            if option.right:
                assert shown == living
            elif option.misconception == 42:
                first = {c.parent: (c.parent + 1, name(c.token)) for c in reversed(candidates_by_sum(step))}
                assert sorted(shown) == sorted(first.values()) and set(shown) != set(living)
            elif option.misconception == OTHER:
                ordered = [(c.parent + 1, name(c.token)) for c in step.candidates]
                assert shown == ordered[1 : len(living) + 1] != living
            else:
                assert option.misconception == 43
                guesses = [
                    program(beams, candidates, END)[0] for program in (wrong.top_k_only, wrong.eos_keeps_running)
                ]
                assert shown in [[(ids[0] + 1, name(ids[1])) for ids, _ in guess] for guess in guesses]
        pairs = [f"{c.parent + 1} {chip(name(c.token))} {format_negative(c.score)}" for c in step.candidates]
        assert ", ".join(pairs) in question.prompt
    assert misconceptions == {OTHER, 0, 42, 43}


def candidates_by_sum(step: BeamsSelected) -> list[Any]:
    return sorted(step.candidates, key=lambda candidate: -candidate.score)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "answers"),
    [
        ((2, 1.0, False, "prompt"), ["continues", "done"]),
        ((3, 1.0, "never", "eos"), ["continues"]),
        ((3, 1.0, True, "prompt"), []),
        ((3, 1.0, "never", "prompt"), []),
    ],
    ids=str,
)
def test_whether_it_is_done_is_asked_where_a_full_pool_is_not_enough(
    settings: tuple[Any, ...], answers: list[str]
) -> None:
    found = set()
    for kind, question, step, _ in asked_of(settings):
        if kind != "done":
            continue
        right, believed = (options_of(question)[misconception] for misconception in (0, 46))
        assert right == ("done" if step.done else "continues")
        stops = wrong.stop_when_k_finished(step.pool_scores, step.num_beams)
        assert stops and believed == ("continues" if step.done else "done")
        assert format_score(min(step.pool_scores)) in question.prompt
        of_what = "the beams that continue" if settings[3] == "eos" else "this step"
        assert f"The highest sum of {of_what} is {format_negative(step.best_sum_logprobs)}," in question.prompt
        assert (min(step.pool_scores) >= step.best_attainable_score) == step.done
        found.add(right)
    assert sorted(found) == answers


@pytest.mark.slow
@pytest.mark.parametrize(("penalty", "asks"), [(-2.0, {0, 44, 74}), (0.0, set()), (1.0, {0, 74}), (2.0, {0, 44, 74})])
def test_who_is_ahead_is_asked_with_the_highest_sum_and_a_penalty_that_punishes(penalty: float, asks: set[int]) -> None:
    misconceptions = set()
    for kind, question, step, growth in asked_of((4, penalty, False, "prompt")):
        if kind != "ahead":
            continue
        after = growth.copy()
        step.apply(after)
        ranking = after.ranking or after.pool
        guesses = {}
        for misconception, scoring in ((0, right_score), (74, wrong.highest_sum_wins), (44, wrong.penalty_sign)):
            totals = [scoring(one.node.score, one.length, penalty) for one in ranking]
            guesses[misconception] = f"<q>{text_of(growth, ranking[totals.index(max(totals))])}</q>"
        shown = {number: unescape(label) for number, label in options_of(question).items()}
        assert all(guesses[number] == label for number, label in shown.items())
        assert set(shown.values()) == set(guesses.values())
        assert all(option.label in question.prompt for option in question.options)
        assert ("with the next hypotheses" in question.prompt) == isinstance(step, BeamsSelected)
        assert ("with the truncated beams" in question.prompt) == isinstance(step, FinalHypotheses)
        for option in question.options:
            assert all(format_score(value) in option.why for _, _, value in option.facts)
        misconceptions |= set(shown)
    assert misconceptions == asks


@pytest.mark.slow
def test_who_is_ahead_is_asked_before_a_pool_shows_it() -> None:
    asked = 0
    for seed in range(50):
        recording = recorded(seed, 4, 1.0, False, "prompt")
        for at, question in questions(recording).items():
            if "which is first?" not in question.prompt:
                continue
            asked += 1
            drawn = [part for frame in frames(recording)[: at + 1] for part in frame.panels]
            pools = ["".join(part.rows) for part in drawn if part.title.startswith("The pool")]
            guesses = [unescape(option.label.removeprefix("<q>").removesuffix("</q>")) for option in question.options]
            assert any(f"<td class=text>{guess}<td" not in pool for guess in guesses for pool in pools[-1:])
            now = frames(recording)[at].panels
            assert all(part.hides for part in now if part.title.startswith("The pool") and part.rows and not part.more)
    assert asked > 4


def right_score(total: float, length: int, length_penalty: float) -> float:
    return total / length**length_penalty


# --- what a view has to stand -----------------------------------------------------------------------


def test_tokens_that_are_markup_stay_text() -> None:
    tokenizer = Digits()
    tokenizer.names = [EVIL] * 8
    recording = trace_beam_search.record(untrained(0), tokenizer, TEXT, 3, max_length=MOST)
    for frame in frames(recording):
        html = "".join([frame.caption, frame.remark, *(row for panel in frame.panels for row in panel.rows)])
        assert "<img" not in html
        assert frame.question is None or "<img" not in frame.question.prompt + str(frame.question.options)
    explorer = explore_beam_search(TEXT, untrained(0), tokenizer)
    assert "<img" not in explorer.answers and "&lt;img" in explorer.answers


def test_a_recording_from_a_file_and_a_part_of_it_look_the_same() -> None:
    recording = recorded(3, 3, 1.0, False, "prompt")
    assert Recording.from_json(recording.to_json()).play().data == recording.play().data
    whole, part = frames(recording), frames(recording, start=3, steps=4)
    assert len(part) == 5
    assert [frame.panels[1:] for frame in part] == [frame.panels[1:] for frame in whole[3:8]]
    assert [nodes(frame) for frame in part] == [nodes(frame) for frame in whole[3:8]]


def test_an_output_that_is_cut_off_is_an_open_beam() -> None:
    model = untrained(0, ends=None)  # type: ignore[arg-type]
    recording = trace_beam_search.record(
        model, Digits(), TEXT, 2, max_length=5, length_counts="eos", num_return_sequences=2
    )
    rows = table(panel(frames(recording)[-1], "The ranking"))
    assert [row[4] for row in rows] == ["41.0", "41.0"] and all("truncated" in row[2] for row in rows)
    assert not any(frame.question for frame in frames(recording)[4:])


def test_a_prompt_is_not_written_and_counts_only_as_the_rule_says() -> None:
    start = torch.tensor([[0, 5, 6]])
    for counts, more in (("prompt", 3), ("eos", 1)):
        recording = recorded(1, 2, 1.0, False, counts, decoder_input_ids=start)
        last = frames(recording)[-1]
        rows = table(panel(last, "The ranking"))
        chosen = recording[-1]
        assert [row[4] for row in rows] == [f"{len(ids) - 3 + more}1.0" for ids in chosen.ids]
        assert all(row[2].startswith("5 6") for row in rows)
        assert ("the prompt" in last.panels[-1].title) == (counts == "prompt")
        assert nodes(last)["0.0"][1] == "start ▁5 ▁6"
        assert [number(row[1]) for row in rows] == [figures(score) for score in chosen.scores]


def test_all_outputs_that_are_asked_for_are_answered_by_their_tokens() -> None:
    recording = recorded(2, 4, 1.0, False, "prompt", num_return_sequences=3)
    assert recording.result.texts == tuple(
        Digits().decode(list(ids), skip_special_tokens=True) for ids in recording[-1].ids[:3]
    )
    assert [recording.result.name(token) for token in (2, 8)] == ["▁2", "<8>"]
    assert str(NamedOutputs(("a", "b"), ())) == "a | b"


# --- the tiny translator ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def translator() -> tuple[Any, Any]:
    return T5ForConditionalGeneration.from_pretrained(data.t5_tiny()), T5Tokenizer.from_pretrained(data.t5_tiny())


def test_players_stay_small(translator: tuple[Any, Any]) -> None:
    text = "translate English to German: I will draw three houses tomorrow."
    assert len(trace_beam_search.record(*translator, text).play().data) < 120_000
    long = trace_beam_search.record(*translator, text, 8, 5.0, "never", length_counts="eos", max_length=41)
    assert sum(isinstance(step, BeamsSelected) for step in long) == 40
    assert len(long.play().data) < 700_000


def test_the_lessons_sentences_do_what_the_lesson_says(translator: tuple[Any, Any]) -> None:
    horse, houses = (f"translate English to German: {text}" for text in (
        "They drew the horse.", "I will draw three houses tomorrow."
    ))  # fmt: skip
    recording = trace_beam_search.record(*translator, horse, num_beams=2)
    assert "At step 2, its token" in frames(recording)[-1].remark and "rank 2 among" in frames(recording)[-1].remark
    winners = [trace_beam_search(*translator, houses, length_penalty=penalty).texts[0] for penalty in (-1.0, 0.0, 1.0)]
    assert len(set(winners)) == 3
    remark = frames(trace_beam_search.record(*translator, houses))[-1].remark
    assert "By the sum alone, this hypothesis would have rank 2." in remark


def test_all_that_may_come_first_is_listed_with_its_sum(translator: tuple[Any, Any]) -> None:
    found = questions(trace_beam_search.record(*translator, "Hund", num_beams=8, length_penalty=5.0)).values()
    (asked,) = [question for question in found if "which is first?" in question.prompt]
    assert len(asked.options) == 3 and all(option.label in asked.prompt for option in asked.options)
    assert "<q>Sie sah.</q> −3.80, length 4; 3 more." in asked.prompt
    assert asked.prompt.count("<q>") == 5


def test_an_explorer_to_guess_with_opens_at_the_start_and_keeps_the_answer(translator: tuple[Any, Any]) -> None:
    explorer = explore_beam_search(
        "translate English to German: They drew the horse.", *translator, num_beams=2, guess=True
    )
    shown = json.loads(explorer.data)
    assert explorer.answers == "" and (shown["opened"], shown["predict"]) == (0, False)
    explorer.controls["length_penalty"].value = 0.0
    shown = json.loads(explorer.data)
    assert "Returned" in explorer.answers and shown["opened"] == len(shown["tracks"][0]["frames"]) - 1 > 0


def test_the_explorer_follows_its_controls_and_says_what_cannot_be(translator: tuple[Any, Any]) -> None:
    explorer = explore_beam_search("translate English to German: I will draw three houses tomorrow.", *translator)
    controls: dict[str, Any] = explorer.controls
    seen: dict[float, tuple[str, str]] = {}
    for penalty in (-1.0, 0.0, 1.0):
        controls["length_penalty"].value = penalty
        seen[penalty] = (explorer.answers, explorer.data)
    assert len(set(seen.values())) == 3 and "Ich zeichne morgen" in seen[1.0][0]
    controls["length_penalty"].value = 0.0
    assert (explorer.answers, explorer.data) == seen[0.0]
    controls["num_return_sequences"].value = 6
    assert "num_return_sequences=6" in explorer.message
    assert (
        explorer.answers == seen[0.0][0] and "tokenlab-stale" in explorer.widget._dom_classes
    )  # the old result, greyed
    controls["num_beams"].value = 6
    assert explorer.message == "" and explorer.answers.count("<li>") == 6
    controls["length_penalty"].value = 1.0
    before = explorer.data
    for changed, value in (("early_stopping", "never"), ("length_counts", "eos"), ("repetition_penalty", 2.0)):
        controls[changed].value = value
        assert explorer.data != before
        before = explorer.data
    controls["text"].value = "long " * 200
    assert "too long" in explorer.message
    controls["text"].value = ""
    assert explorer.message == "" and "Returned" in explorer.answers
