"""Panels of a beam search: the candidates with their sums and status, the beams, the pool, the check, the ranking."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import exp, inf
from typing import Any

from tokenlab.algorithms.decoding.stopping_rule import (
    ALL_MASKED,
    CAN_IMPROVE,
    CANNOT_IMPROVE,
    EARLY_STOPPING,
    LENGTH_RULES,
    POOL_NOT_FULL,
    StoppingRule,
)
from tokenlab.libraries.transformers.generation.beam_state import (
    START,
    BeamSearchState,
    CandidateNode,
    FinishedHypothesis,
)
from tokenlab.libraries.transformers.generation.beam_steps import (
    BELOW_BEAM_WIDTH,
    CONTINUES,
    FINISHES,
    NO_BEAM_SLOT,
    REJECTED_BY_POOL,
    BeamsSelected,
    FinalHypotheses,
)
from tokenlab.printing.printable import count_noun, printable
from tokenlab.printing.printed_numbers import format_distinct
from tokenlab.show.frames import Html, Mark, Panel, chip, labelled, style_sheet, text
from tokenlab.show.views.elements.numbers import (
    format_log_probability,
    format_magnitude,
    format_negative,
    format_score,
)
from tokenlab.steps.recording import Recording
from tokenlab.traces.generation.token_names import tokens_to_text

MAX_BEAMS = 10_000  # that can be shown
MAX_CHARACTERS = 90  # of a hypothesis
HEADS = (" ", "score ", "hypothesis", "sum ", "divided by ")
LAST_STEP_TEXT = "max_length is reached"  # why a search stops that is not done
LAST = 6  # number of last tokens shown of a beam

# subtle: a style sheet, since a style attribute in every cell would make a lesson too large.
TABLE = style_sheet(
    ".tl .ledger{font-variant-numeric:tabular-nums}.tl .ledger tr{background:none}"
    ".tl .ledger th,.tl .ledger td{padding:1px 4px;text-align:left;font-weight:400;white-space:nowrap}"
    ".tl .ledger [scope=col]{color:var(--soft)}.tl .ledger .n{text-align:right}"
    ".tl .ledger .text{white-space:normal;min-width:9em}"
    ".tl .ledger .cut{border-top:1px dashed var(--soft)}.tl .ledger .lit{outline:2px solid var(--accent)}"
    ".tl .ledger .bar{min-width:30px}"
    "@container (width<27rem){.tl .ledger:has(.bar) .bar{display:none}}"
) + ("<li style=list-style:none;overflow-x:auto;container-type:inline-size tabindex=0><table class=ledger>")


def search_after(recording: Recording[Any, Any], steps: int | None = None) -> BeamSearchState:
    """Return the state of a search after the first steps of its recording, or after all.

    Raises:
        ValueError: there are more beams than can be shown.
    """
    given = recording.arguments
    if given["num_beams"] > MAX_BEAMS:
        raise ValueError(f"num_beams={given['num_beams']}: at most {MAX_BEAMS:,} beams can be shown")
    selected = [step for step in recording if isinstance(step, BeamsSelected)]
    prompt_length = selected[0].length if selected else 1
    rule = StoppingRule(
        given["num_beams"],
        given["length_penalty"],
        given["early_stopping"],
        LENGTH_RULES[given["length_counts"]],
        prompt_length=prompt_length,
        max_length=given["max_length"],
    )
    names = {one.token: recording.result.name(one.token) for step in selected for one in step.candidates}
    search = BeamSearchState(names, prompt_length=prompt_length, cur_len=prompt_length, rule=rule)
    final = next((step for step in recording if isinstance(step, FinalHypotheses)), None)
    search.prompt = tuple(map(recording.result.name, final.ids[0][1:prompt_length] if final else ()))
    search.root = CandidateNode(" ".join((START, *map(printable, search.prompt))), 0.0)
    for step in recording.steps[:steps]:
        step.apply(search)
    return search


def text_of(search: BeamSearchState, one: FinishedHypothesis) -> str:
    """Return the text of a hypothesis, with the prompt."""
    return tokens_to_text((*search.prompt, *(node.name for node in one.tokens)))


def table_rows(heads: Iterable[str], rows: Iterable[Html]) -> tuple[Html, ...]:
    """The rows of a panel with a table; a head that ends in a space aligns its numbers to the right; "" is for bars."""
    return TABLE, f"<tr>{''.join(map(_head, heads))}", *rows, "</table>"


def _head(name: str) -> Html:
    if not name.strip():  # no header, since an empty one would be read out
        return "<td>" if name else "<td class=bar>"
    return f"<th scope=col{' class=n' * name.endswith(' ')}>{name}"


def candidates_panel(growth: BeamSearchState) -> Panel:
    """List all candidates of the last step, best first."""
    column = growth.columns[-1]
    title = f"{len(column)} candidates: each beam extended by one token, by sum of log-probabilities"
    heads = (" ", "beam", "token", "log p ", "sum ", "", "status")
    rows = table_rows(heads, (_candidate(node, column, growth.rule.num_beams) for node in column))
    return Panel(title, rows, wide=True)


def _candidate(node: CandidateNode, column: Sequence[CandidateNode], beams: int) -> Html:
    before = node.parent
    assert before is not None
    where = f"{before.beam + 1} {chip(before.name)}" if before.step else "start"
    percent = 5 * round(20 * exp(max(node.score - column[0].score, -50)))
    return (
        f"<tr data-at={node.key}{' class=cut' * (node.rank == beams)}><th scope=row class=n>{node.rank + 1}<td>{where}"
        f"<td>{chip(node.name, _marks(node))}<td class=n>{format_log_probability(node.log_probability)}"
        f"<td class=n>{format_negative(node.score)}<td class=bar><i style=width:{percent}%></i>"
        f"<td>{text(status_text(node))}"
    )


def _marks(node: CandidateNode) -> Mark:
    return "new" if node.status == CONTINUES else "right" if node.status == FINISHES else "unknown"


def status_text(node: CandidateNode) -> str:
    """Return a short description of the status of a candidate.

    >>> status_text(CandidateNode("a", -1.0)), status_text(CandidateNode("a", -1.0, BELOW_BEAM_WIDTH))
    ('continues as 1', 'ends below the best')
    """
    return {
        CONTINUES: f"continues as {node.beam + 1}",
        FINISHES: "ends: to the pool",
        BELOW_BEAM_WIDTH: "ends below the best",
        REJECTED_BY_POOL: "the pool has better",
        NO_BEAM_SLOT: "not needed",
    }.get(node.status, node.status)


def beams_panel(growth: BeamSearchState) -> Panel:
    """List the beams that continue, each with its last tokens and its sum."""
    return Panel("The beams that continue", tuple(_beams(growth)), "words", wide=True)


def _beams(growth: BeamSearchState) -> Iterator[Html]:
    for node in growth.beams:
        path = node.path
        dots = "… " if len(path) > LAST else ""
        shown = " ".join(chip(each.name, "new" if each is node else "") for each in path[-LAST:])
        yield labelled(f"{node.beam + 1}: {format_negative(node.score)}", dots + shown)


def score_formula(total: float, length: int, length_penalty: float, score: float) -> Html:
    """Return the formula of a score.

    >>> score_formula(-1.2, 4, 1.0, -0.3)
    '−1.20 / 4<sup>1.0</sup> = −0.300'
    """
    return f"{format_negative(total)} / {length}<sup>{format_negative(length_penalty, 1)}</sup> = {format_score(score)}"


def pool_panel(growth: BeamSearchState, more: bool = False, hides: bool = False) -> Panel:
    """List the hypotheses so far, best first, then the evicted ones."""
    ranked = sorted(growth.pool, key=lambda one: one.score)[::-1]
    places = (*map(str, range(1, len(ranked) + 1)), *["out"] * len(growth.evicted))
    rows = _hypotheses(growth, (*ranked, *growth.evicted), places)
    title = f"The pool: {len(growth.pool)} of {growth.rule.num_beams} hypotheses"
    return Panel(title, table_rows(HEADS, rows) if growth.pool else (), more=more, hides=hides)


def _hypotheses(
    growth: BeamSearchState, listed: Sequence[FinishedHypothesis], places: Iterable[str], kept: int = 0
) -> Iterator[Html]:
    """Yield a row for each hypothesis, with enough decimals to tell its numbers apart."""
    scores = format_distinct((one.score for one in listed), format_score, 3)
    sums = format_distinct((one.node.score for one in listed), format_negative, 2)
    for number, (one, place, score, total) in enumerate(zip(listed, places, scores, sums, strict=True)):
        remarks = "".join([" · returned"] * (number < kept) + [" · truncated, no eos"] * (not one.ended))
        yield (
            f"<tr data-at={one.node.key}><th scope=row class=n>{place}<td class=n><strong>{score}</strong>"
            f"<td class=text>{_said(growth, one)}{remarks and f'<small>{remarks}</small>'}"
            f"<td class=n>{total}<td class=n>{_power(one, growth.rule.length_penalty)}"
        )


def _said(growth: BeamSearchState, one: FinishedHypothesis) -> Html:
    """Return its text, or the end of it; the prompt is paler."""
    said, prompt = text_of(growth, one), tokens_to_text(growth.prompt)
    if len(said) > MAX_CHARACTERS:
        return text(f"… {said[-MAX_CHARACTERS:]}")
    pale = f"<span style=color:var(--soft)>{text(prompt)}</span>" if prompt else ""
    return pale + text(said[len(prompt) :]) or "(nothing)"


def _power(one: FinishedHypothesis, length_penalty: float) -> Html:
    """Return the length to the length_penalty, and its value unless that is obvious."""
    power = f"{one.length}<sup>{format_negative(length_penalty, 1)}</sup>"
    return power if length_penalty in (0, 1) else f"{power} = {format_magnitude(float(one.length**length_penalty))}"


def pool_entry(number: int, thing: str) -> str:
    """Say that some texts or beams end.

    >>> pool_entry(1, "beam"), pool_entry(2, "beam")
    ('1 beam ends and enters the pool', '2 beams end and enter the pool')
    """
    one = number == 1
    return f"{count_noun(number, thing)} end{'s' * one} and enter{'s' * one} the pool"


def truncation_reason(growth: BeamSearchState, following: Any) -> Html:
    """Return why a search stops although it is not done; "" if it continues or is done.

    Args:
        growth: the state after a stopping check.
        following: the next step.
    """
    check = growth.stopping_check
    if check is None or check.done or not isinstance(following, FinalHypotheses):
        return ""
    return LAST_STEP_TEXT if growth.cur_len == growth.rule.max_length else "a stopping criterion says so"


def stopping_panel(growth: BeamSearchState, truncation: Html = "") -> Panel:
    """Compare the worst score of the pool with the best attainable score, and say why the search stops."""
    return Panel("Is the search done?", tuple(_stopping_rows(growth, truncation)), "words")


def _stopping_rows(growth: BeamSearchState, truncation: Html) -> Iterator[Html]:
    check, rule = growth.stopping_check, growth.rule
    if check is None:
        return
    if check.reason == ALL_MASKED:
        yield _line("done?", f"yes, {check.explain()}")
        return
    full = check.reason != POOL_NOT_FULL
    yield _line("the pool", f"{len(check.pool_scores)} of {check.num_beams}: {'full' if full else 'not full'}")
    if full:
        yield _line("its worst", format_score(min(check.pool_scores)))
    formula = score_formula(check.best_sum_logprobs, check.length, rule.length_penalty, check.best_attainable_score)
    yield _line("best attainable", formula)
    yield _line("the rule", early_stopping_text(rule, check.cur_len))
    scores = (min(check.pool_scores, default=inf), check.best_attainable_score)
    worst, attainable = format_distinct(scores, format_score, 3)
    answer = {
        POOL_NOT_FULL: "no, the pool is not full",
        CAN_IMPROVE: f"no: {worst} &lt; {attainable}",
        CANNOT_IMPROVE: f"yes: {worst} ≥ {attainable}",
        EARLY_STOPPING: "yes, the pool is full",
    }[check.reason]
    yield _line("done?", answer + (f", but it stops: {truncation}" if truncation else ""))


def early_stopping_text(rule: StoppingRule, cur_len: int) -> Html:
    """Explain the value of early_stopping.

    Args:
        rule: the settings of the search.
        cur_len: number of ids of each beam before this step.
    """
    high_enough = "the worst score is at least the best attainable score"
    if rule.is_exhaustive:
        length = "maximum length" if rule.length_penalty > 0 else "current length"
        return f"“never”, as today: done when {high_enough} at the {length}"
    if rule.early_stopping == "never":
        return "“never”: 4.26.1 does not know that value and treats it as True: a full pool is enough"
    if rule.early_stopping:
        # subtle: today a truncated beam may be better than the pool, so at the last step True is like False.
        last_step = f"; but at the last step, as today, only if {high_enough}"
        return f"True: a full pool is enough{last_step * rule.is_truncating(cur_len)}"
    return f"False: done when {high_enough} at the current length"


def _line(name: str, said: Html) -> Html:
    return labelled(name, said, "display:block")


def ranking_panel(growth: BeamSearchState, kept: int) -> Panel:
    """List all hypotheses by score, with their ranks by sum."""
    by_sum = rank_by_log_prob(growth.ranking)
    places = map(str, range(1, len(growth.ranking) + 1))
    listed = zip(growth.ranking, _hypotheses(growth, growth.ranking, places, kept), strict=True)
    rows = (f"{row}<td class=n>{by_sum.index(one) + 1}" for one, row in listed)
    rule, tokens = growth.rule, "generated tokens, with the eos"
    if rule.length_rule.counts_prompt:
        tokens = f"all tokens, with the start{' and the prompt' * (rule.prompt_length > 1)} and without the eos"
    title = f"The ranking: each sum is divided by length^length_penalty; the length counts {tokens}"
    return Panel(title, table_rows((*HEADS, "by sum "), rows), wide=True)


def rank_by_log_prob(ranking: Sequence[FinishedHypothesis]) -> list[FinishedHypothesis]:
    """Return the hypotheses by their sums alone, as the search ranks beams."""
    return sorted(ranking, key=lambda one: -one.node.score)
