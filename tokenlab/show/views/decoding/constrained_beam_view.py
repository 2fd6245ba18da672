"""View of constrained beam search: the beams in lanes, and for each step the candidates by bank and the progress."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenlab.libraries.transformers.generation.beam_steps import (
    BELOW_BEAM_WIDTH,
    CONSTRAINTS_UNFULFILLED,
    FINISHES,
    REJECTED_BY_POOL,
)
from tokenlab.misconceptions.constraints import count_generated_tokens, fullest_bank_first, rank_by_score_only
from tokenlab.printing.printable import count_noun
from tokenlab.printing.printed_numbers import format_number
from tokenlab.show.frames import (
    OTHER,
    Fact,
    Frame,
    Html,
    Panel,
    Question,
    StepRange,
    chip,
    chips,
    labelled,
    sentence,
    text,
)
from tokenlab.show.views.decoding.bank_lanes_drawing import BankLanes
from tokenlab.show.views.decoding.beam_panels import LAST_STEP_TEXT, pool_entry, table_rows
from tokenlab.show.views.elements.numbers import format_mean_score, format_negative
from tokenlab.show.views.elements.questions import ask
from tokenlab.steps.recording import Recording
from tokenlab.traces.generation.constrained_beam_trace_steps import (
    BankEntry,
    ConstrainedHypothesis,
    ConstrainedSearchStep,
    ConstraintsParsed,
    FinishedCandidate,
    RankedConstrainedHypotheses,
    WordConstraint,
)
from tokenlab.traces.generation.token_names import tokens_to_text

LAST = 7  # number of last tokens shown of a beam
MAX_DISPLACED = 2  # displaced candidates of a bank that are shown
CLEAR = 0.1  # minimum difference of the sums of two options
COMPLETE, PENDING = "● complete", "○ pending"
ENDED = {
    FINISHES: "ends: to the pool",
    CONSTRAINTS_UNFULFILLED: "ends with unfulfilled constraints: dropped",
    BELOW_BEAM_WIDTH: "ends below the best: dropped",
    REJECTED_BY_POOL: "ends: the pool has better",
}


def constrained_beam_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """A frame before the search, one for the constraints, one after each step, and one for the result."""
    parsed = next((step for step in recording if isinstance(step, ConstraintsParsed)), None)
    asked = _questions(recording)
    lanes = BankLanes([step for step in recording if isinstance(step, ConstrainedSearchStep)])
    for number, done, following in window.steps_around(recording):
        match done:
            case ConstraintsParsed() as step:
                panels = tuple(_constraint_panel(step.constraints))
                yield Frame("The constraints", sentence(step), _bank_rule(step), panels, asked.get(number))
            case ConstrainedSearchStep() as search_step:
                assert parsed is not None
                is_last = isinstance(following, RankedConstrainedHypotheses)
                bound = search_step.stopping_check.outcome(LAST_STEP_TEXT if is_last else "")
                panels = (
                    lanes.panel(search_step.number),
                    *_panels(search_step, parsed.constraints, recording.steps[:number], bound),
                )
                remark = _remark(search_step, bound, is_last)
                yield Frame(f"Token {search_step.number}", sentence(search_step), remark, panels, asked.get(number))
            case RankedConstrainedHypotheses() as outcome:
                assert parsed is not None
                yield _outcome(outcome, parsed)
            case None:
                words = f"“{text(recording.arguments['words'])}”"
                said = f"What does the model generate if the output has to contain {words}?"
                yield Frame("Before the search", said, f"{recording.arguments['num_beams']} beams")


def _bank_rule(step: ConstraintsParsed) -> str:
    longest = max(constraint.longest for constraint in step.constraints)
    said = f"The bank of a candidate measures its progress: each completed constraint counts {longest}"
    if longest > 1:
        said += f", and one in progress counts {longest} minus the number of its missing tokens"
    return text(f"{said}.")


def _constraint_panel(constraints: Sequence[WordConstraint]) -> Iterator[Panel]:
    rows = (
        labelled(f"{number}", " or ".join(map(chips, constraint.tokens)))
        for number, constraint in enumerate(constraints, start=1)
    )
    yield Panel("The constraints as tokens", tuple(rows), "words")


# ---- A step ----


def _remark(step: ConstrainedSearchStep, bound: Html, is_last: bool) -> Html:
    ended = sum(ending.status == FINISHES for ending in step.finished)
    unmet = sum(ending.status == CONSTRAINTS_UNFULFILLED for ending in step.finished)
    said = [f"{pool_entry(ended, 'beam')}."] * bool(ended)
    drop = "ends with unfulfilled constraints and is" if unmet == 1 else "end with unfulfilled constraints and are"
    said += [f"{count_noun(unmet, 'candidate')} {drop} dropped."] * bool(unmet)
    return text(" ".join([*said, *[f"The search {bound}."] * (is_last or step.stopping_check.done or ended > 0)]))


def _panels(
    step: ConstrainedSearchStep, constraints: Sequence[WordConstraint], done: Sequence[Any], bound: Html
) -> Iterator[Panel]:
    before = done[-2]
    parents = before.hypotheses if isinstance(before, ConstrainedSearchStep) else ()
    heads = ("bank ", "rank ", "beam", "token", "sum ", "continues")
    yield Panel("The candidates, the highest bank first", table_rows(heads, _candidates(step, parents)), wide=True)
    words = (text(" | ".join(constraint.words)) for constraint in constraints)
    names = (" ", "the beams that continue", *words, "bank ")
    continuing = sorted((entry for entry in step.entries if entry.continues), key=lambda entry: entry.place)
    rows = (_beam(entry, constraints) for entry in continuing)
    yield Panel("Progress on each constraint", table_rows(names, rows), more=True, wide=True)
    if step.finished:
        yield Panel("Candidates that end", tuple(map(_ending, step.finished)), "words", wide=True)
    endings = (ending for each in done if isinstance(each, ConstrainedSearchStep) for ending in each.finished)
    pool = [ending for ending in endings if ending.status == FINISHES]
    if pool:
        yield Panel(f"Hypotheses so far; the search {bound}", tuple(map(_pooled, pool)), "words", more=True)


def _candidates(step: ConstrainedSearchStep, parents: Sequence[ConstrainedHypothesis]) -> Iterator[Html]:
    """Yield a row for each candidate, with a rule between two banks; of the displaced ones, the first of each bank."""
    for bank in step.banks:
        entries = [entry for entry in step.entries if entry.hypothesis.bank == bank]
        gone = [entry for entry in entries if not entry.continues]
        shown = [entry for entry in entries if entry.continues or entry in gone[:MAX_DISPLACED]]
        for entry in shown:
            where = f"{entry.beam + 1} {chip(parents[entry.beam].tokens[-1])}" if parents else "start"
            goes = f"as {entry.place + 1}" if entry.continues else "no"
            token = _newest(entry) if entry.continues else chip(entry.token, "unknown")
            first = entry is shown[0]
            yield (
                f"<tr{' class=cut' * (first and bank != step.banks[0])}><th scope=row class=n>{bank if first else ''}"
                f"<td class=n>{entry.rank_in_bank + 1}<td>{where}<td>{token}"
                f"<td class=n>{format_negative(entry.hypothesis.total)}"
                f"<td style=width:99%>{goes}{', forced' * entry.forced}"
            )
        if len(entries) > len(shown):
            yield f"<tr><td><td colspan=5>… and {len(entries) - len(shown)} more that are displaced"


def _newest(entry: BankEntry) -> Html:
    """Return the chip of a token that continues; the colour of a forced one stays while a question is open.

    >>> _newest(BankEntry(0, "ab", True, 0, 0, ConstrainedHypothesis((), 0.0, (), (), 0)))
    '<b style=background:var(--right)>ab</b>'
    """
    forced = "<b style=background:var(--right)>"
    return chip(entry.token).replace("<b>", forced, 1) if entry.forced else chip(entry.token, "new")


def _beam(entry: BankEntry, constraints: Sequence[WordConstraint]) -> Html:
    hypothesis = entry.hypothesis
    states = "".join(f"<td>{progress_text(hypothesis, *numbered)}" for numbered in enumerate(constraints))
    written = f"<td class=text style=width:99%>{_written(entry)}"
    return f"<tr><th scope=row class=n>{entry.place + 1}{written}{states}<td class=n>{hypothesis.bank}"


def progress_text(hypothesis: ConstrainedHypothesis, place: int, constraint: WordConstraint) -> str:
    """Return the progress of a beam on a constraint.

    >>> beam = ConstrainedHypothesis(("a",), -1.0, (1, 0), (False, False), 1)
    >>> progress_text(beam, 0, WordConstraint(("ab",), (("a", "b"),)))
    '◐ 1 of 2'
    >>> progress_text(beam, 1, WordConstraint(("c",), (("c",),)))
    '○ pending'
    """
    if hypothesis.complete[place]:
        return COMPLETE
    return f"◐ {hypothesis.num_matched[place]} of {constraint.longest}" if hypothesis.num_matched[place] else PENDING


def _written(entry: BankEntry) -> Html:
    tokens = entry.hypothesis.tokens
    return "… " * (len(tokens) > LAST) + " ".join([*map(chip, tokens[-LAST:-1]), _newest(entry)])


def _ending(ending: FinishedCandidate) -> Html:
    return labelled(format_negative(ending.total), f"{text(_said(ending.hypothesis))}: {ENDED[ending.status]}")


def _pooled(ending: FinishedCandidate) -> Html:
    return labelled(format_negative(ending.total), text(_said(ending.hypothesis)))


def _said(hypothesis: ConstrainedHypothesis) -> str:
    return tokens_to_text(hypothesis.tokens) or "nothing"


# ---- The result ----


def _outcome(outcome: RankedConstrainedHypotheses, parsed: ConstraintsParsed) -> Frame:
    best = outcome.hypotheses[0]
    remark = (
        f"Without constraints it would be “{parsed.unconstrained}”, with the sum {format_negative(parsed.total)}. "
        f"{_difference_text(best.total, parsed.total)}."
    )
    heads = (" ", "output", "constraints", "sum ", "score ")
    rows = (
        f"<tr><th scope=row class=n>{place}<td class=text>{text(_said(hypothesis))}"
        f"<td>{'fulfilled' if hypothesis.fulfilled else 'not fulfilled'}"
        f"<td class=n>{format_negative(hypothesis.total)}<td class=n><strong>{format_mean_score(score)}</strong>"
        for place, (hypothesis, score) in enumerate(zip(outcome.hypotheses, outcome.scores, strict=True), start=1)
    )
    cut = f"; {outcome.opened} of them {'is' if outcome.opened == 1 else 'are'} truncated" * bool(outcome.opened)
    return Frame(
        "The result",
        sentence(outcome),
        text(remark),
        (Panel(f"The hypotheses{cut}", table_rows(heads, rows), wide=True),),
    )


def _difference_text(total: float, unconstrained: float) -> str:
    """Compare a sum with the sum of the search without constraints.

    >>> print(_difference_text(-2.5, -1.0))
    The constraints lower the sum by 1.50, to −2.50
    >>> print(_difference_text(-1.001, -1.0))
    The constraints do not change the sum
    """
    change = total - unconstrained
    if not round(change, 2):
        return "The constraints do not change the sum"
    verb = "lower" if change < 0 else "raise"
    return f"The constraints {verb} the sum by {format_number(abs(change))}, to {format_negative(total)}"


# ---- Questions ----


def _questions(recording: Recording[Any, Any]) -> dict[int, Question]:
    """Return questions by the number of completed steps: which candidate continues, its bank, and interruptions."""
    asked: dict[int, Question] = {}
    constraints = recording[0].constraints if len(recording) else ()
    for kind in (_which_bank, _is_likelier_enough, _is_a_fuller_bank_enough, _what_breaks):
        for number in range(2, len(recording) - 1):
            step = recording[number]
            if number not in asked and (question := kind(step, recording[number - 1], constraints)):
                asked[number] = question
                break
    return asked


def _is_likelier_enough(step: ConstrainedSearchStep, *_: Any) -> Question | None:
    """Do the highest sums continue (85)?"""
    return _which(step, rank_by_score_only, "It is more probable")


def _is_a_fuller_bank_enough(step: ConstrainedSearchStep, *_: Any) -> Question | None:
    """Do all candidates of the highest bank continue (85)?"""
    return _which(step, fullest_bank_first, "It has made more progress")


def _which(step: ConstrainedSearchStep, wrong_order: Any, told: str) -> Question | None:
    """Ask which of two candidates continues, if only the other one would continue in the wrong order."""
    banks = [entry.hypothesis.bank for entry in step.entries]
    scores = [entry.hypothesis.total for entry in step.entries]
    kept = [step.entries[place] for place in wrong_order(banks, scores)[: len(step.hypotheses)]]
    pairs = (
        (one, other)
        for one in (entry for entry in step.entries if entry.continues and entry not in kept)
        for other in (entry for entry in kept if not entry.continues)
        if one.token != other.token
        and one.rank_in_bank < other.rank_in_bank
        and abs(one.hypothesis.total - other.hypothesis.total) > CLEAR
    )
    one, other = next(pairs, (None, None))
    if one is None or other is None:
        return None
    rank, lower = one.rank_in_bank + 1, other.rank_in_bank + 1
    return ask(
        f"{_rank_text(one)}; {_rank_text(other)}. Only one of these two continues. Which?",
        (
            chip(one.token),
            f"{chip(one.token)} has rank {rank} in its bank, {chip(other.token)} rank {lower} in its "
            "own. The banks take turns, so all candidates of rank 1 are selected before those of rank 2.",
        ),
        (85, chip(other.token), f"{told}, but its rank is lower. Candidates compete only within their bank."),
        given=(_rank_text(one), _rank_text(other)),
        facts=(("turn", one.token, rank), ("turn", other.token, lower)),
    )


def _rank_text(entry: BankEntry) -> Html:
    bank, total = entry.hypothesis.bank, format_negative(entry.hypothesis.total)
    return f"{chip(entry.token)} has rank {entry.rank_in_bank + 1} in bank {bank}, with the sum {total}"


def _which_bank(
    step: ConstrainedSearchStep, before: ConstrainedSearchStep, constraints: Sequence[WordConstraint]
) -> Question | None:
    """Does the bank count matched tokens (85)?"""
    lengths = [constraint.longest for constraint in constraints]
    longest = max(lengths, default=0)
    for entry in step.entries:
        matched, complete = entry.hypothesis.num_matched, entry.hypothesis.complete
        alone = count_generated_tokens(lengths, matched)
        if any(matched) and alone != entry.hypothesis.bank:
            place = next(place for place, there in enumerate(matched) if there and not complete[place])
            missing = lengths[place] - matched[place]
            counts = f"the one in progress counts {longest} - {missing} (missing tokens)"
            counts += f", and each completed one {longest}" * any(complete)
            prompt = (
                f"{chip(tokens_to_text(entry.hypothesis.tokens))} has {matched[place]} of the {lengths[place]} tokens "
                f"of constraint {place + 1}{f', and {sum(complete)} complete' * any(complete)}. The longest constraint "
                f"has {longest} tokens. In which bank is it?"
            )
            given = (f"{matched[place]} of the {lengths[place]} tokens", f"longest constraint has {longest} tokens")
            wrong = (85, f"{alone}", "The bank does not count matched tokens. It subtracts the missing tokens.")
            facts: tuple[Fact, ...] = (("missing", None, missing), ("longest", None, longest))
            return ask(
                prompt,
                (f"{entry.hypothesis.bank}", f"The longest constraint has {longest} tokens. So {counts}."),
                wrong,
                given=(*given, *[f"{sum(complete)} complete"] * any(complete)),
                facts=facts,
            )
    return None


def _what_breaks(
    step: ConstrainedSearchStep, before: ConstrainedSearchStep, constraints: Sequence[WordConstraint]
) -> Question | None:
    """Do matched tokens stay if another token follows (83)?"""
    for entry in step.entries:
        parent = before.hypotheses[entry.beam]
        for place, constraint in enumerate(constraints):
            there = parent.num_matched[place]
            if there and not parent.complete[place] and entry.hypothesis.num_matched[place] == 0:
                lost = f"its {there} matched tokens are" if there > 1 else "its matched token is"
                words = " or ".join(map(chips, constraint.tokens))
                given = (f"{there} of the {constraint.longest} tokens of constraint {place + 1}, {words}",)
                return ask(
                    f"Beam {entry.beam + 1} has {given[0]}. How many has it after {chip(entry.token)}?",
                    ("0", f"{chip(entry.token)} does not continue the constraint, so {lost} lost."),
                    (83, f"{there}", "The tokens of a phrase have to be consecutive."),
                    (OTHER, f"{there + 1}", "It would be one more if the token continued the constraint."),
                    given=(*given, chip(entry.token)),
                    facts=(("there", None, there),),
                )
    return None
