"""Views of a beam search: the tree, the candidates of each step, the pool, the stopping check and the winner."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tokenlab.libraries.transformers.generation.beam_steps import (
    BELOW_BEAM_WIDTH,
    CONTINUES,
    FINISHES,
    REJECTED_BY_POOL,
    BeamsSelected,
    FinalHypotheses,
    StoppingCheck,
)
from tokenlab.show.frames import Frame, Html, Mark, Panel, Question, StepRange, chip, text
from tokenlab.show.views.decoding.beam_candidates_panel import beams_panel, candidates_panel
from tokenlab.show.views.decoding.beam_pool_panel import (
    pool_panel,
    rank_by_log_prob,
    ranking_panel,
    score_formula,
    stopping_panel,
    stopping_sentence,
    truncation_reason,
)
from tokenlab.show.views.decoding.beam_questions import beam_questions
from tokenlab.show.views.decoding.beam_replay import BeamSearchState, CandidateNode, rank_in_beam
from tokenlab.show.views.decoding.beam_tree_drawing import tree_panel
from tokenlab.show.views.elements.numbers import format_log_probability
from tokenlab.steps.recording import Recording


def beam_search_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """A frame before the first step, two per step (candidates; pool and stopping check), and one for the ranking."""
    rows = max((len(step.candidates) for step in recording if isinstance(step, BeamsSelected)), default=1)
    asked = beam_questions(recording)
    growth = BeamSearchState.of(recording, window.first)
    for number, done, following in window.steps_around(recording):
        if number > window.first:
            growth.after([done])
        truncation = truncation_reason(growth, following)
        yield _frame(recording.arguments, growth, done, tree_panel(growth, rows), asked.get(number), truncation)


def _frame(
    given: Mapping[str, Any],
    growth: BeamSearchState,
    done: Any,
    tree: Panel,
    question: Question | None,
    truncation: Html,
) -> Frame:
    moment = f"Step {len(growth.columns)}"
    match done:
        case BeamsSelected():
            panels = (tree, *_ledger(growth))
            return Frame(moment, _selection_sentence(growth), _dropped_sentence(growth), panels, question)
        case StoppingCheck():
            # subtle: the ranked pool would give away part of the answer to which hypothesis is first.
            pool = pool_panel(growth, hides=question is not None)
            panels = (tree, stopping_panel(growth, truncation), pool) if done.pool_scores else (tree, *_ledger(growth))
            remark = "The beams are truncated, and become hypotheses if the pool accepts them." if truncation else ""
            said = f"The search {stopping_sentence(done, truncation)}."
            return Frame(f"{moment}, the pool", said, remark, panels, question)
        case FinalHypotheses():
            ranking = (tree, _winner_panel(growth), ranking_panel(growth, done.kept))
            return Frame("The winner", _won(growth), _found(growth), ranking)
    others = given["num_beams"] - 1
    hold, masked = (f"{others} hold", "are masked") if others > 1 else ("one holds", "is masked")
    return Frame(
        "Before the first step",
        f"Only the first beam is active. The other {hold} the same tokens and {masked} in the first step.",
        text(f"length_penalty {given['length_penalty']:g}; early_stopping {given['early_stopping']}"),
        (tree,),
    )


def _ledger(growth: BeamSearchState) -> tuple[Panel, ...]:
    return candidates_panel(growth), beams_panel(growth), pool_panel(growth, more=True)


def _selection_sentence(growth: BeamSearchState) -> Html:
    column = growth.columns[-1]
    continuing = [node for node in column if node.status == CONTINUES]
    ended = [node for node in column if node.status == FINISHES]
    names = " ".join(chip(node.name, "new") for node in continuing)
    said = "No candidate can continue."
    if continuing:
        best = f"The best {len(continuing)} candidates that do not end continue"
        said = f"{best if len(continuing) > 1 else 'The best candidate that does not end continues'}: {names}."
    return said + "".join(
        f" Beam {node.parent.beam + 1} ends and becomes a finished hypothesis." for node in ended if node.parent
    )


def _dropped_sentence(growth: BeamSearchState) -> Html:
    column = growth.columns[-1]
    late = sum(node.status == BELOW_BEAM_WIDTH for node in column)
    refused = sum(node.status == REJECTED_BY_POOL for node in column)
    said = []
    if late:
        below = f"below the best {growth.rule.num_beams} candidates"
        ends, entered = ("ends", "it does") if late == 1 else ("end", "they do")
        said.append(f"{late} more {ends} {below}, so {entered} not enter the pool.")
    if refused:
        said.append(f"{refused} end{'s' * (refused == 1)}, but the pool is full of better hypotheses.")
    unneeded = len(column) - len(growth.beams) - late - refused - sum(node.status == FINISHES for node in column)
    if unneeded:
        said.append(f"{unneeded} more {'is' if unneeded == 1 else 'are'} not needed.")
    return " ".join(said)


def _won(growth: BeamSearchState) -> Html:
    best = growth.ranking[0]
    total = score_formula(best.node.score, best.length, growth.rule.length_penalty, best.score)
    return f"<q><strong>{text(growth.text_of(best))}</strong></q> has the best score: {total}."


def _found(growth: BeamSearchState) -> Html:
    """Name the first token that was not the best of its beam, and the rank of the winner by its sum."""
    best = growth.ranking[0]
    said = []
    second = [node for node in best.node.path if rank_in_beam(node, growth.columns) > 1]
    if second:
        node = second[0]
        rank = rank_in_beam(node, growth.columns)
        said.append(f"At step {node.step} its token {chip(node.name)} has rank {rank} in its beam.")
    place = rank_by_log_prob(growth.ranking).index(best) + 1
    if place > 1:
        said.append(f"By the sum alone it would have rank {place}.")
    return " ".join(said)


def _winner_panel(growth: BeamSearchState) -> Panel:
    """The winner's tokens, each with its rank among the candidates of its beam and its log-probability."""
    title = "The winner's tokens: rank among the candidates of the beam, log-probability"
    return Panel(title, tuple(_token(node, growth) for node in growth.ranking[0].node.path), "chips", wide=True)


def _token(node: CandidateNode, growth: BeamSearchState) -> Html:
    place = rank_in_beam(node, growth.columns)
    mark: Mark = "left" if place > 1 else ""
    return f"{chip(node.name, mark)} <small>{place}: {format_log_probability(node.log_probability)}</small>"
