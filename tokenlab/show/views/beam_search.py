"""Beam search laid open: the tree and what wins, the candidates of each step, the pool and the bound."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenlab.show.frames import Frame, Html, Mark, Panel, Question, Window, chip, text, view
from tokenlab.show.views.beam_growth import Growth, Node, place_of
from tokenlab.show.views.beam_ledger import beams_panel, candidates_panel
from tokenlab.show.views.beam_pool import (
    bound_of,
    bound_panel,
    cut_off,
    divided,
    pool_panel,
    ranked_by_sum,
    ranking_panel,
)
from tokenlab.show.views.beam_questions import questions_of
from tokenlab.show.views.beam_tree import tree_panel
from tokenlab.show.views.numbers import minus
from tokenlab.steps import Recording
from tokenlab.transformers.generation.beam_steps import ENDS, LIVES, REFUSED, TOO_LOW, Bounded, Chosen, Sifted


@view("tokenlab.transformers.generation.searching.search")
def beams_laid_open(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame before the first step, two for each step (candidates; pool and bound), and one for the ranking."""
    rows = max((len(step.candidates) for step in recording if isinstance(step, Sifted)), default=1)
    asked = questions_of(recording)
    growth = Growth.of(recording, window.first)
    for number in range(window.first, window.end + 1):
        if number > window.first:
            growth.after(recording.steps[number - 1 : number])
        done = recording[number - 1] if number else None
        following = recording[number] if number < len(recording) else None
        cut = cut_off(growth, recording.arguments, following)
        yield _frame(recording, growth, done, tree_panel(growth, rows), asked.get(number), cut)


def _frame(
    recording: Recording[Any, Any], growth: Growth, done: Any, tree: Panel, question: Question | None, cut: Html
) -> Frame:
    given, number = recording.arguments, len(growth.columns)
    match done:
        case Sifted():
            return Frame(f"Step {number}", _sifted(growth), _dropped(growth), (tree, *_ledger(growth)), question)
        case Bounded():
            # subtle: what is ranked already would half answer which one comes first.
            pool = pool_panel(growth, hides=question is not None)
            panels = (tree, bound_panel(growth, given, cut), pool) if done.pool else (tree, *_ledger(growth))
            remark = "The beams are cut off, and may become hypotheses, too." if cut else ""
            return Frame(f"Step {number}, the pool", f"The search {bound_of(done, cut)}.", remark, panels, question)
        case Chosen():
            ranking = (tree, _way(growth), ranking_panel(growth, done.kept))
            return Frame("The winner", _won(growth), _found(growth), ranking)
    others = given["num_beams"] - 1
    return Frame(
        "Before the first step",
        f"One beam writes first. {f'{others} others' if others > 1 else 'The other'} would write the very same: "
        f"{'they are' if others > 1 else 'it is'} switched off until then.",
        text(f"length_penalty {given['length_penalty']:g}; early_stopping {given['early_stopping']}"),
        (tree,),
    )


def _ledger(growth: Growth) -> tuple[Panel, ...]:
    return candidates_panel(growth), beams_panel(growth), pool_panel(growth, more=True)


def _names(nodes: list[Node], mark: Mark = "") -> Html:
    return " ".join(f"{chip(node.name, mark)}" for node in nodes)


def _sifted(growth: Growth) -> Html:
    column = growth.columns[-1]
    living = [node for node in column if node.fate == LIVES]
    ended = [node for node in column if node.fate == ENDS]
    names = _names(living, "new")
    said = f"The best {len(living)} that do not end live on: {names}." if living else "No candidate can live on."
    return said + "".join(f" Beam {node.parent.beam + 1} ends: a hypothesis." for node in ended if node.parent)


def _dropped(growth: Growth) -> Html:
    column = growth.columns[-1]
    late = sum(node.fate == TOO_LOW for node in column)
    refused = sum(node.fate == REFUSED for node in column)
    said = []
    if late:
        said.append(f"{late} more end{'s' * (late == 1)}, but not among the best {growth.room} candidates: dropped.")
    if refused:
        said.append(f"{refused} end{'s' * (refused == 1)}, and the pool is full of better ones: dropped.")
    lost = len(column) - len(growth.beams) - late - refused - sum(node.fate == ENDS for node in column)
    if lost:
        said.append(f"For {lost} there is no room.")
    return " ".join(said)


def _won(growth: Growth) -> Html:
    best = growth.ranking[0]
    total = divided(best.node.score, best.length, growth.rule.length_penalty, best.score)
    return f"<q><strong>{text(growth.said(best))}</strong></q> has the best score: {total}."


def _found(growth: Growth) -> Html:
    """Where it was not the first choice, and how it ranks by its sum."""
    best = growth.ranking[0]
    said = []
    second = [node for node in best.node.path if place_of(node, growth.columns) > 1]
    if second:
        node = second[0]
        said.append(
            f"At step {node.step} its token {chip(node.name)} was choice {place_of(node, growth.columns)} of its beam."
        )
    place = ranked_by_sum(growth.ranking).index(best) + 1
    if place > 1:
        said.append(f"By the sum alone it would be number {place}.")
    return " ".join(said)


def _way(growth: Growth) -> Panel:
    """The winner's tokens, each with its place among its beam's candidates and its log-probability."""
    return Panel(
        "The winner's tokens: place among the candidates of its beam, log-probability",
        tuple(_token(node, growth) for node in growth.ranking[0].node.path),
        "chips",
        wide=True,
    )


def _token(node: Node, growth: Growth) -> Html:
    place = place_of(node, growth.columns)
    return f"{chip(node.name, 'left' if place > 1 else '')} <small>{place}: {minus(node.log_probability)}</small>"
