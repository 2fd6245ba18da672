"""Views of a beam search: the tree, the candidates of each step, the pool, the stopping check and the winner."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tokenlab.algorithms.decoding.stopping_rule import StoppingCheck
from tokenlab.libraries.transformers.generation.beam_state import BeamSearchState, CandidateNode
from tokenlab.libraries.transformers.generation.beam_steps import (
    CONTINUES,
    NO_BEAM_SLOT,
    BeamsSelected,
    FinalHypotheses,
)
from tokenlab.printing.printable import Parts, SymbolPart, count_noun
from tokenlab.show.frames import Frame, Html, Mark, Panel, Question, StepRange, chip, sentence, text
from tokenlab.show.views.decoding.beam_panels import (
    beams_panel,
    candidates_panel,
    pool_panel,
    rank_by_log_prob,
    ranking_panel,
    search_after,
    stopping_panel,
    text_of,
    truncation_reason,
)
from tokenlab.show.views.decoding.beam_questions import beam_questions
from tokenlab.show.views.decoding.beam_tree_drawing import tree_panel
from tokenlab.show.views.elements.numbers import format_log_probability
from tokenlab.steps.recording import Recording


def beam_search_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """A frame before the first step, two per step (candidates; pool and stopping check), and one for the ranking."""
    rows = max((len(step.candidates) for step in recording if isinstance(step, BeamsSelected)), default=1)
    asked = beam_questions(recording)
    drawn: dict[CandidateNode, Html] = {}
    growth = search_after(recording, window.first)
    for number, done, following in window.steps_around(recording):
        if number > window.first:
            done.apply(growth)
        truncation = truncation_reason(growth, following)
        yield _frame(recording.arguments, growth, done, tree_panel(growth, rows, drawn), asked.get(number), truncation)


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
            return Frame(moment, sentence(_outcome(growth, done)), _unneeded(growth), panels, question)
        case StoppingCheck():
            # subtle: the ranked pool would give away part of the answer to which hypothesis is first.
            pool = pool_panel(growth, hides=question is not None)
            panels = (tree, stopping_panel(growth, truncation), pool) if done.pool_scores else (tree, *_ledger(growth))
            remark = "The beams are truncated, and become hypotheses if the pool accepts them." if truncation else ""
            said = sentence(f"the search {done.outcome(truncation)}")
            return Frame(f"{moment}, the pool", said, remark, panels, question)
        case FinalHypotheses():
            ranking = (tree, _winner_panel(growth), ranking_panel(growth, done.kept))
            return Frame(
                "The winner", sentence(done.outcome(text_of(growth, growth.ranking[0]))), _found(growth), ranking
            )
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


def _outcome(growth: BeamSearchState, step: BeamsSelected) -> Parts:
    """Return the sentence of a step, which names the candidates that end with their beams, counted from 1."""
    labelled: list[tuple[str, Parts]] = []
    for node in growth.columns[-1]:
        beam = [f"beam {node.parent.beam + 1} + "] if node.parent and node.status != CONTINUES else []
        labelled.append((node.status, [*beam, SymbolPart(node.name, "new" if node.status == CONTINUES else "")]))
    return step.outcome(labelled)


def _unneeded(growth: BeamSearchState) -> str:
    statuses = [node.status for node in growth.columns[-1]]
    number, continuing = statuses.count(NO_BEAM_SLOT), statuses.count(CONTINUES)
    better = "a better one continues" if continuing == 1 else f"{continuing} better ones continue"
    return f"{count_noun(number, 'candidate')} {'is' if number == 1 else 'are'} not needed: {better}." if number else ""


def _found(growth: BeamSearchState) -> Html:
    """Name the first token that was not the best of its beam, and the rank of the winner by its sum."""
    best = growth.ranking[0]
    said = []
    second = [node for node in best.node.path if growth.rank_in_beam(node) > 1]
    if second:
        node = second[0]
        rank = growth.rank_in_beam(node)
        said.append(
            f"At step {node.step}, its token {chip(node.name)} has rank {rank} among the candidates of its beam."
        )
    place = rank_by_log_prob(growth.ranking).index(best) + 1
    if place > 1:
        said.append(f"By the sum alone, this hypothesis would have rank {place}.")
    return " ".join(said)


def _winner_panel(growth: BeamSearchState) -> Panel:
    """The winner's tokens, each with its rank among the candidates of its beam and its log-probability."""
    title = "The winner's tokens: rank among the candidates of the beam, log-probability"
    return Panel(title, tuple(_token(node, growth) for node in growth.ranking[0].node.path), "chips", wide=True)


def _token(node: CandidateNode, growth: BeamSearchState) -> Html:
    place = growth.rank_in_beam(node)
    mark: Mark = "left" if place > 1 else ""
    return f"{chip(node.name, mark)} <small>{place}: {format_log_probability(node.log_probability)}</small>"
