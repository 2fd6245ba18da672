"""Group beam search as it is shown: every number is computed again by a search of the test's own, without a cache."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from math import exp
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor

from tests.libraries.transformers.test_t5_seen import Letters, small_model
from tests.questions import frames, options_of, questions
from tests.tolerance import are_close, near
from tokenlab.algorithms.decoding.constraints import constraint_bank, constraint_progress, order_by_banks
from tokenlab.algorithms.decoding.diversity import apply_diversity_penalty, distinct_n, select_per_group
from tokenlab.algorithms.decoding.stopping_rule import StoppingRule
from tokenlab.libraries.transformers.generation import beam_steps as group_steps
from tokenlab.libraries.transformers.generation.beam_steps import CONTINUES, BeamsSelected
from tokenlab.misconceptions import constraints as wrong
from tokenlab.printing.printed_numbers import format_mean, format_number
from tokenlab.show.explorers.explore_generation import explore_group_beam_search, max_output_length
from tokenlab.show.frames import Frame, StepRange, chip, text
from tokenlab.show.views.decoding.group_beam_view import _own_places, group_beam_view
from tokenlab.steps.recording import Recording
from tokenlab.traces.generation.group_beam_trace_steps import (
    DROPPED_BY_PENALTY,
    GroupCandidate,
    GroupHypothesis,
    GroupStep,
    RankedHypotheses,
    SearchComparison,
)
from tokenlab.traces.generation.token_names import tokens_to_text
from tokenlab.traces.generation.trace_beam_search import compare_group_beam_search, trace_group_beam_search

torch.set_num_threads(1)
END = "<1>"
SETTINGS = [(2, 2, 1.0), (4, 2, 0.7), (4, 4, 0.3), (6, 3, 2.0), (6, 2, 0.0)]
EVIL = "<img src=x onerror=alert(1)>"


class Known(Letters):
    """A tokenizer that knows how many tokens it has, as many as the model's ids."""

    def __len__(self) -> int:
        return 32


class Evil(Known):
    """Its tokens are markup."""

    def convert_ids_to_tokens(self, ids: Any) -> Any:
        return [f"{EVIL}{id}" for id in ids] if isinstance(ids, list) else EVIL

    def decode(self, ids: list[int], skip_special_tokens: bool = False) -> str:
        return EVIL


@cache
def model(seed: int = 0) -> Any:
    """A model that ends its outputs now and then."""
    made = small_model(seed)
    with torch.no_grad():
        made.shared.weight[1] *= 1.8
    return made


@cache
def searched(
    beams: int, groups: int, penalty: float, seed: int = 0, length_penalty: float = 1.0
) -> Recording[Any, Any]:
    return trace_group_beam_search.record(model(seed), Known(), "a dog sees", beams, groups, penalty, length_penalty, 9)


def turns_of(recording: Recording[Any, Any]) -> list[GroupStep]:
    return [step for step in recording if isinstance(step, GroupStep)]


@cache
def log_probabilities(seed: int, written: tuple[str, ...]) -> Tensor:
    """Of the next token, from one pass over everything that was written."""
    source = torch.tensor([Known()("a dog sees")["input_ids"]])
    ids = [0, *(int(token[1:-1]) for token in written)]
    with torch.no_grad():
        output = model(seed)(input_ids=source, decoder_input_ids=torch.tensor([ids]), use_cache=False)
    return output.logits[0, -1].log_softmax(dim=-1)


class Beam(NamedTuple):
    tokens: tuple[str, ...]
    total: float
    total_penalty: float


Key = tuple[int, str]


def all_ways(seed: int, beams: list[Beam], earlier: tuple[str, ...], penalty: float) -> dict[Key, tuple[float, float]]:
    """For each beam and each token of the vocabulary, the sum without and with the penalty."""
    times = Counter(earlier)
    sums = {}
    for place, beam in enumerate(beams):
        for id, log in enumerate(log_probabilities(seed, beam.tokens).tolist()):
            before = beam.total + log
            sums[place, f"<{id}>"] = before, before - penalty * times[f"<{id}>"]
    return sums


# What the steps say.


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("beams", "groups", "penalty"), SETTINGS)
def test_every_turn_is_that_of_a_search_without_a_cache(beams: int, groups: int, penalty: float, seed: int) -> None:
    size = beams // groups
    hypotheses = {group: [Beam((), 0.0, 0.0)] for group in range(1, groups + 1)}
    chosen: list[str] = []
    number = 0
    for step in turns_of(searched(beams, groups, penalty, seed)):
        if step.group == 1:
            number, chosen = number + 1, []
        assert (step.number, step.previous_tokens) == (number, tuple(chosen))
        sums = all_ways(seed, hypotheses[step.group], step.previous_tokens, penalty)
        kept, free = (sorted(sums, key=lambda key: -sums[key][which]) for which in (1, 0))
        assert list(step.chosen) == [key for key in kept if key[1] != END][:size]
        assert list(step.without_penalty) == [key for key in free if key[1] != END][:size]
        assert step.differs == ({*step.chosen} != {*step.without_penalty})
        candidates = [
            (candidate.beam, candidate.token) for candidate in step.candidates if candidate.status != DROPPED_BY_PENALTY
        ]
        assert candidates == kept[: 2 * size]
        behind = {
            (candidate.beam, candidate.token) for candidate in step.candidates if candidate.status == DROPPED_BY_PENALTY
        }
        assert behind == {(b, t) for b in range(len(hypotheses[step.group])) for t in step.previous_tokens} - {
            *candidates
        }
        for candidate in step.candidates:
            assert (candidate.before, candidate.after) == near(sums[candidate.beam, candidate.token])
        parents = hypotheses[step.group]
        hypotheses[step.group] = [
            Beam(
                (*parents[b].tokens, t),
                sums[b, t][1],
                parents[b].total_penalty + penalty * step.previous_tokens.count(t),
            )
            for b, t in step.chosen
        ]
        for hypothesis, beam in zip(step.hypotheses, hypotheses[step.group], strict=True):
            assert (hypothesis.tokens, hypothesis.group) == (beam.tokens, step.group)
            assert (hypothesis.total, hypothesis.total_penalty) == near((beam.total, beam.total_penalty))
        ended = [key for key in kept[:size] if key[1] == END]
        assert [hypothesis.tokens for hypothesis in step.ended] == [parents[b].tokens for b, _ in ended][
            : len(step.ended)
        ]
        chosen += [token for _, token in step.chosen]


def test_something_ends_and_something_falls_behind_in_these_searches() -> None:
    steps = [step for setting in SETTINGS for seed in range(4) for step in turns_of(searched(*setting, seed))]
    assert sum(len(step.ended) for step in steps) > 20
    assert sum(candidate.status == DROPPED_BY_PENALTY for step in steps for candidate in step.candidates) > 20
    assert 20 < sum(step.differs for step in steps) < len(steps) / 2


@pytest.mark.parametrize("length_penalty", [1.0, 0.0, 2.0])
@pytest.mark.parametrize(("beams", "groups", "penalty"), SETTINGS)
def test_the_models_own_scores_are_those_without_what_was_paid(
    beams: int, groups: int, penalty: float, length_penalty: float
) -> None:
    recording = searched(beams, groups, penalty, 0, length_penalty)
    ranked = recording[-1]
    assert isinstance(ranked, RankedHypotheses)
    ended = {hypothesis.tokens for step in turns_of(recording) for hypothesis in step.ended}
    for hypothesis, score, own in zip(ranked.hypotheses, ranked.scores, ranked.model_scores, strict=True):
        written = (*hypothesis.tokens, END) if hypothesis.tokens in ended else hypothesis.tokens
        total = sum(
            log_probabilities(0, hypothesis.tokens[:place])[int(token[1:-1])].item()
            for place, token in enumerate(written)
        )
        divisor = (1 + len(hypothesis.tokens)) ** length_penalty  # the start counts, the end does not
        assert own == near(total / divisor)
        assert score == near((total - hypothesis.total_penalty) / divisor)
    assert list(ranked.scores) == sorted(ranked.scores, reverse=True)
    assert len(ranked.hypotheses) == beams == len(recording.result.texts)


def test_the_outputs_are_those_of_generate() -> None:
    ids = torch.tensor([Known()("a dog sees")["input_ids"]])
    settings = {"num_beams": 6, "num_beam_groups": 3, "diversity_penalty": 2.0, "num_return_sequences": 6}
    written = model().generate(ids, max_length=9, **settings)
    recording = searched(6, 3, 2.0)
    assert recording.result.texts == tuple(Known().decode(row, skip_special_tokens=True) for row in written.tolist())
    tokens = [" ".join(token[1:-1] for token in hypothesis.tokens) for hypothesis in recording[-1].hypotheses]
    assert tuple(tokens) == recording.result.texts


def test_without_a_penalty_every_group_is_the_first_one() -> None:
    steps = turns_of(searched(6, 2, 0.0))
    for first, second in zip(steps[::2], steps[1::2], strict=False):
        assert [hypothesis.tokens for hypothesis in first.hypotheses] == [
            hypothesis.tokens for hypothesis in second.hypotheses
        ]
        assert not any(candidate.penalty for candidate in second.candidates)


def test_one_group_is_beam_search() -> None:
    recording = trace_group_beam_search.record(model(), Known(), "a dog sees", 3, 1, 0.0, 1.0, 9)
    ids = torch.tensor([Known()("a dog sees")["input_ids"]])
    plain = model().generate(ids, num_beams=3, num_return_sequences=3, max_length=9)
    assert recording.result.texts == tuple(Known().decode(row, skip_special_tokens=True) for row in plain.tolist())


def test_groups_of_a_text_that_is_done_get_no_more_steps() -> None:
    """One of two texts is done before the other: nothing is told of it any more."""
    source = torch.tensor([Known()(given)["input_ids"] for given in ("a dog sees", "b cat hops")])
    for seed in range(12):
        steps = model(seed).generate.record(
            source, num_beams=4, num_beam_groups=4, diversity_penalty=0.5, max_length=12, early_stopping=True
        )
        lowered_at, sifted_at = (
            [(step.text, step.length, step.group) for step in steps if isinstance(step, kind)]
            for kind in (group_steps.DiversityPenaltyApplied, BeamsSelected)
        )
        assert {*lowered_at} == {at for at in sifted_at if at[2] > 0}
        assert len(lowered_at) == len({*lowered_at})
        last = {text: max(length for t, length, _ in sifted_at if t == text) for text in (0, 1)}
        if last[0] != last[1]:
            return
    pytest.fail("in none of these batches a text is done before the other")


def test_each_text_of_a_batch_pays_for_its_own_groups() -> None:
    texts = ("a dog sees", "b cat hops")
    settings = {"num_beams": 4, "num_beam_groups": 2, "diversity_penalty": 0.5, "max_length": 8}
    both = model().generate.record(torch.tensor([Known()(given)["input_ids"] for given in texts]), **settings)
    for number, given in enumerate(texts):
        alone = model().generate.record(torch.tensor([Known()(given)["input_ids"]]), **settings)
        ours = [step for step in both if isinstance(step, group_steps.DiversityPenaltyApplied) and step.text == number]
        theirs = [step for step in alone if isinstance(step, group_steps.DiversityPenaltyApplied)]
        assert [step.tokens for step in ours] == [step.tokens for step in theirs]
        for mine, other in zip(ours, theirs, strict=True):
            assert are_close(torch.tensor(mine.before), torch.tensor(other.before))
            assert are_close(torch.tensor(mine.after), torch.tensor(other.after))


def test_sentences_of_the_steps() -> None:
    step = group_steps.DiversityPenaltyApplied(0, 3, 2, (7, 7, 9), ((-1.0, -1.0, -2.0),), ((-3.0, -3.0, -3.0),))
    assert str(step) == (
        "text 0: penalties of group 2 for the tokens of earlier groups: 7 (2x): -1.00 becomes -3.00, 9 (1x): "
        "-2.00 becomes -3.00"
    )
    free = group_steps.DiversityPenaltyApplied(0, 3, 1, (7,), ((-1.0,),), ((-1.0,),))
    assert str(free) == "text 0: group 1 pays no penalty for the tokens of earlier groups"
    step = GroupStep(
        2,
        2,
        ("a",),
        (GroupCandidate(0, "b", -1.5, -1.5, CONTINUES), GroupCandidate(0, "a", -1.0, -2.0, DROPPED_BY_PENALTY)),
        ((0, "a"),),
        (),
        (),
        StoppingRule(2).check([], -1.0, 1),
    )
    assert str(step) == "token 2: a has a penalty, so group 2 takes b; without the penalty it would take a"
    assert str(searched(4, 4, 0.3)[0]).endswith("it is the first group, so no token has a penalty")


# What the view shows.


def cells(row: str) -> list[str]:
    """The texts of a table's row."""
    return [re.sub(r"<[^>]*>", "", cell) for cell in re.split(r"<t[dh][^>]*>", row)[1:]]


def rows(frame: Frame, title: str) -> list[str]:
    (panel,) = [panel for panel in frame.panels if panel.title.startswith(title)]
    return [row for row in panel.rows if row.startswith("<tr><th scope=row")]


def shown(number: float, decimals: int = 2) -> str:
    return (format_number(number) if decimals == 2 else format_mean(number)).replace("-", "−")


@pytest.mark.parametrize(("beams", "groups", "penalty"), SETTINGS)
def test_a_frame_shows_all_groups_and_all_candidates_of_its_turn(beams: int, groups: int, penalty: float) -> None:
    recording = searched(beams, groups, penalty)
    played = frames(recording)
    assert len(played) == len(recording) + 1
    assert len({frame.moment for frame in played}) == len(played)
    latest: dict[int, GroupStep] = {}
    for frame, step in zip(played[1:], turns_of(recording), strict=False):
        latest[step.group] = step
        hypotheses = [hypothesis for group in sorted(latest) for hypothesis in latest[group].hypotheses]
        drawn = rows(frame, "The groups so far")
        assert [cells(row)[1] for row in drawn] == [shown(hypothesis.total) for hypothesis in hypotheses]
        for row, hypothesis in zip(drawn, hypotheses, strict=True):
            mark = "new" if hypothesis.group == step.group else ""
            if hypothesis.group < step.group and penalty:
                mark = "right"
            assert row.endswith(chip(hypothesis.tokens[-1], mark))  # type: ignore[arg-type]
            assert all(chip(token) in row for token in hypothesis.tokens[:-1])
        top = max(candidate.before for candidate in step.candidates)
        for row, candidate in zip(rows(frame, f"Group {step.group}: "), step.candidates, strict=True):
            beam, token, before, cost, after, _, status = cells(row)
            assert (beam, token, before, after) == (
                str(candidate.beam + 1),
                text(candidate.token),
                shown(candidate.before),
                shown(candidate.after),
            )
            paid = penalty * step.previous_tokens.count(candidate.token)
            assert cost == (shown(-paid) if paid else "")
            (width,) = re.findall(r"<i style=\"?width:(\d+)%", row)
            assert int(width) == round(100 * exp(candidate.before - top))
            left = re.findall(r"0/(\d+)% 100%", row)
            assert left == ([str(round(100 * exp(-paid)))] if paid else [])
            key = (candidate.beam, candidate.token)
            ends = "ends" if candidate.status.startswith("ends") else ""
            assert (
                status
                == {
                    (True, True): "taken",
                    (True, False): "taken instead",
                    (False, True): "would be taken",
                    (False, False): ends,
                }[key in step.chosen, key in step.without_penalty]
            )
        costs = Counter(step.previous_tokens)
        punished = [panel for panel in frame.panels if panel.title.startswith("Chosen by earlier")]
        said = "".join(row for panel in punished for row in panel.rows)
        for token, times in costs.items():
            assert (
                f"{shown(-penalty * times)} {chip(token, 'right' if penalty else '')} was chosen by {times} beam"
                in said
            )
        assert said.count("<li>") == len(costs)


def test_a_caption_says_what_is_taken_and_what_would_be() -> None:
    steps, played = turns_of(searched(4, 4, 0.3)), frames(searched(4, 4, 0.3))[1:]
    changed = next(number for number, step in enumerate(steps) if step.differs)
    (taken,), (would,) = steps[changed].chosen, steps[changed].without_penalty
    assert (
        f"takes {chip(taken[1], 'new')}; without the penalty it would take {chip(would[1])}." in played[changed].caption
    )
    same = next(number for number, step in enumerate(steps) if step.previous_tokens and not step.differs)
    assert f"group {steps[same].group} still takes {chip(steps[same].chosen[0][1], 'new')}." in played[same].caption
    assert "it is the first" in played[0].caption
    assert all("no candidate has a penalty" in f.caption for f in frames(searched(6, 2, 0.0))[2:-1:2])


def test_the_ranking_has_both_scores_and_the_place_by_the_models_own() -> None:
    recording = searched(6, 3, 2.0)
    ranked: RankedHypotheses = recording[-1]
    drawn = [cells(row) for row in rows(frames(recording)[-1], "The ranking")]
    own = sorted((float(format_mean(score)) for score in ranked.model_scores), reverse=True)
    assert [row[0] for row in drawn] == [str(place) for place in range(1, 7)]
    assert [row[2] for row in drawn] == [str(hypothesis.group) for hypothesis in ranked.hypotheses]
    assert [row[3] for row in drawn] == [shown(hypothesis.total) for hypothesis in ranked.hypotheses]
    assert [row[4] for row in drawn] == [shown(hypothesis.total_penalty) for hypothesis in ranked.hypotheses]
    assert [row[5] for row in drawn] == [shown(score, 3) for score in ranked.scores]
    assert [row[6] for row in drawn] == [shown(score, 3) for score in ranked.model_scores]
    assert [row[7] for row in drawn] == [str(own.index(float(format_mean(score))) + 1) for score in ranked.model_scores]


def test_equal_outputs_share_a_place_although_their_last_bits_differ() -> None:
    hypotheses = tuple(GroupHypothesis(("a",), -3.0, 0.0, group) for group in (1, 2))
    assert _own_places(RankedHypotheses(hypotheses, (-3.0, -3.0), (-3.0000002, -3.0))) == [1, 1]


def test_a_sentence_says_how_many_outputs_are_different() -> None:
    for beams, groups, penalty in SETTINGS:
        recording = searched(beams, groups, penalty)
        different = len({hypothesis.tokens for hypothesis in recording[-1].hypotheses})
        said = "all different" if different == beams else f"of which {different} are different"
        assert frames(recording)[-1].caption == f"{beams} outputs, {said}; {named_best(recording)}."
    alike = searched(3, 3, 0.0)
    assert frames(alike)[-1].caption == f"3 outputs, all alike; {named_best(alike)}."


def named_best(recording: Recording[Any, Any]) -> str:
    """The best output of a search, with its group and score."""
    best, score = recording[-1].hypotheses[0], format_mean(recording[-1].scores[0])
    return f"the best, “{text(tokens_to_text(best.tokens))}”, comes from group {best.group} and has the score {score}"


def test_a_sentence_says_whether_what_was_paid_has_changed_the_order() -> None:
    hypotheses = tuple(GroupHypothesis(("a",), -3.0, paid, group) for group, paid in ((1, 0.0), (2, 1.0), (3, 2.0)))
    for own, order in (
        ((-1.0, -1.2, -1.3), "the same"),
        ((-1.0, -1.0, -1.3), "the same"),
        ((-1.0, -1.3, -1.2), "different"),
    ):
        ranked = RankedHypotheses(hypotheses, (-1.0, -2.0, -3.0), own)
        name = "tokenlab.traces.generation.trace_beam_search.trace_group_beam_search"
        recording = Recording(name, {"diversity_penalty": 1.0}, (ranked,), None)
        remark = next(iter(group_beam_view(recording, StepRange(1, 1)))).remark
        assert f"Ranked by the scores without penalties, the order would be {order}" in remark
    assert frames(searched(6, 2, 0.0))[-1].remark == ""


def test_what_has_gone_to_the_pool_is_listed_and_what_was_pushed_out_is_counted() -> None:
    pushed = 0
    for seed in range(7):
        recording = searched(4, 2, 0.7, seed)
        ended = 0
        for frame, step in zip(frames(recording)[1:], turns_of(recording), strict=False):
            ended += len(step.ended)
            out = ended - min(ended, 4)
            pushed += out
            pools = [panel for panel in frame.panels if panel.title.startswith("Hypotheses so far")]
            assert all(
                (f"({out} text" in panel.title) == ("replaced by better ones" in panel.title) == (out > 0)
                for panel in pools
            )
            assert sum(len(panel.rows) for panel in pools) == ended
            assert all(panel.more for panel in pools)
            assert ("the pool." in frame.remark) == bool(step.ended)
            assert ("The search is done" in frame.remark) == step.stopping_check.done
    assert pushed


def test_the_last_turn_of_a_search_that_is_cut_off_does_not_say_that_it_goes_on() -> None:
    cut = 0
    for seed in range(7):
        recording = searched(4, 2, 0.7, seed)
        *_, last = turns_of(recording)
        before = frames(recording)[recording.steps.index(last) + 1]
        stops = before.remark.endswith("But it stops here: max_length is reached.")
        assert stops == (not last.stopping_check.done)
        assert all("goes on" not in panel.title for panel in before.panels)
        cut += stops
    assert cut


def test_bars_and_their_heads_are_left_out_together_where_it_is_narrow() -> None:
    """The rule of the ledger hides cells of the class `bar`, which the head of their column has, too."""
    played = frames(compare_group_beam_search.record(model(), Known(), "a dog sees", 4, 2, 0.7, 1.0, 9))
    tables = [panel.rows for frame in played for panel in frame.panels if any("class=bar" in row for row in panel.rows)]
    assert len(tables) == len(played) - 1  # one in each but the outputs
    for table in tables:
        heads = re.findall(r"<t[dh][^>]*>", next(row for row in table if row.startswith("<tr><th scope=col")))
        bare = [place for place, head in enumerate(heads) if "class=bar" in head]
        for row in table:
            if row.startswith("<tr><th scope=row"):
                cells = re.findall(r"<t[dh][^>]*>", row)
                assert [place for place, cell in enumerate(cells) if "class=bar" in cell] == bare
                assert row.count("<i ") == len(bare) == 1


def test_markup_in_tokens_is_text() -> None:
    recording = compare_group_beam_search.record(model(), Evil(), "a dog", 4, 2, 0.7, 1.0, 6)
    html = recording.play().html
    assert "<img" not in html.replace("\\u003c", "<")
    assert text(EVIL) in html.replace("\\u003c", "<")


def test_a_recording_comes_back_from_its_file_and_looks_alike() -> None:
    recording = compare_group_beam_search.record(model(), Known(), "a dog", 4, 2, 0.7, 1.0, 6)
    again = Recording.from_json(recording.to_json())
    assert again == recording
    assert frames(again) == frames(recording)


# Questions.


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    ("beams", "groups", "penalty"), [(4, 4, 0.3), (4, 4, 1.0), (6, 3, 0.5), (6, 3, 2.0), (8, 2, 1.0)]
)
def test_right_answers_are_the_next_turn_and_wrong_ones_what_misconceptions_give(
    beams: int, groups: int, penalty: float, seed: int
) -> None:
    recording = searched(beams, groups, penalty, seed)
    steps = turns_of(recording)
    for number, question in questions(recording).items():
        step, options = steps[number], options_of(question)
        if "Which of the two" in question.prompt:
            tokens = [candidate for candidate in step.candidates if chip(candidate.token) in options.values()]
            both = list(
                {
                    candidate.token: candidate for candidate in sorted(tokens, key=lambda candidate: candidate.after)
                }.values()
            )
            scores, chosen = (
                [candidate.before for candidate in both],
                [
                    place
                    for place, candidate in enumerate(both)
                    for _ in range(step.previous_tokens.count(candidate.token))
                ],
            )
            kept, free, forbidden = (
                chip(both[max(range(2), key=program(scores, chosen, penalty).__getitem__)].token)
                for program in (apply_diversity_penalty, wrong.no_diversity_penalty, wrong.ban_previous_tokens)
            )
            assert options[0] == kept
            taken = {chip(token) for _, token in step.chosen}
            assert [label for label in options.values() if label in taken] == [kept]
            assert options[88] == (free if free != kept else forbidden) != kept
            assert all(shown(candidate.before) in question.prompt for candidate in both)
        elif "At the previous step" not in question.prompt:
            (token,) = {candidate.token for candidate in step.candidates if chip(candidate.token) in question.prompt}
            times = step.previous_tokens.count(token)
            assert times > 1
            assert options[0] == shown(-apply_diversity_penalty([0.0], [0] * times, penalty)[0])
            assert options[84] == shown(-wrong.penalize_once([0.0], [0] * times, penalty)[0])
        else:
            before = question.prompt.partition(". At this step")[0]
            (token,) = {t for other in steps[:number] for _, t in other.chosen if chip(t) in before}
            before = [t for other in steps if other.number == step.number - 1 for _, t in other.chosen]
            assert token in before and token not in step.previous_tokens
            assert options[0] == "nothing"
            assert options[88] == shown(-wrong.penalize_all_steps([0.0], [[0], []], penalty)[0])


def test_each_kind_of_question_is_asked() -> None:
    prompts = {
        kind
        for seed in range(6)
        for question in questions(searched(4, 4, 0.3, seed)).values()
        for kind in ("Which of the two", "beams of earlier groups chose", "At the previous step")
        if kind in question.prompt
    }
    assert len(prompts) == 3
    why = [
        o.why
        for s in range(6)
        for q in questions(searched(4, 4, 0.3, s)).values()
        for o in q.options
        if o.misconception
    ]
    assert any("not forbidden" in reason for reason in why) and any(
        "without a penalty would take" in reason for reason in why
    )


@pytest.mark.parametrize(("beams", "groups"), [(4, 2), (6, 2), (8, 2), (8, 4)])
def test_a_group_with_several_beams_takes_one_of_the_two_that_are_asked_for(beams: int, groups: int) -> None:
    asked = 0
    for seed in range(6):
        recording = searched(beams, groups, 1.0, seed)
        steps = turns_of(recording)
        for number, question in questions(recording).items():
            if "Which of the two" in question.prompt:
                taken = {chip(token) for _, token in steps[number].chosen}
                assert [option.label in taken for option in question.options] == [o.right for o in question.options]
                asked += 1
    assert asked


def test_without_a_penalty_nothing_is_asked() -> None:
    assert not questions(searched(6, 2, 0.0))


# How different outputs are.


def test_outcomes_are_those_of_three_searches() -> None:
    recording = compare_group_beam_search.record(model(), Known(), "a dog sees", 6, 3, 2.0, 1.0, 9)
    compared = recording[-1]
    assert isinstance(compared, SearchComparison)
    ids = torch.tensor([Known()("a dog sees")["input_ids"]])
    for outcome, (groups, penalty) in zip(compared.outcomes, ((1, 0.0), (3, 0.0), (3, 2.0)), strict=True):
        written = model().generate(
            ids, num_beams=6, num_beam_groups=groups, diversity_penalty=penalty, num_return_sequences=6, max_length=9
        )
        outputs = [[id for id in row if id > 1] for row in written.tolist()]
        pairs = [pair for row in outputs for pair in zip(row, row[1:], strict=False)]
        assert (outcome.outputs, outcome.different) == (6, len({*map(tuple, outputs)}))
        assert outcome.pairs == pytest.approx(len({*pairs}) / len(pairs))
        own = trace_group_beam_search.record(model(), Known(), "a dog sees", 6, groups, penalty, 1.0, 9)[
            -1
        ].model_scores
        assert (outcome.best, outcome.mean) == pytest.approx((max(own), sum(own) / 6))
    table = [cells(row) for row in rows(frames(recording)[-1], "Diversity of the outputs")]
    assert rows(frames(recording)[0], "Diversity of the outputs") == rows(
        frames(recording)[-1], "Diversity of the outputs"
    )
    for row, outcome in zip(table, compared.outcomes, strict=True):
        assert row[1] == f"{outcome.different} of 6"
        assert row[2] == f"{round(100 * outcome.pairs)}%"
        assert row[-2:] == [shown(outcome.best, 3), shown(outcome.mean, 3)]
    assert tuple(recording.steps[:-1]) == searched(6, 3, 2.0).steps


def test_distinct_runs_are_counted_within_rows() -> None:
    assert distinct_n([[1, 2], [2, 1]]) == 1
    assert distinct_n([[1, 2, 3], [1, 2, 4]]) == 0.75
    assert distinct_n([[1, 1, 1]]) == 0.5
    assert distinct_n([[1, 2, 1]], size=1) == 2 / 3
    assert distinct_n([[1], []]) == 1


# The plain functions of the lesson.


def test_groups_in_turn_take_what_is_left_the_best() -> None:
    assert select_per_group([-1, -2, -4], 3, 2) == (0, 1, 0)
    assert select_per_group([-1, -2, -4], 3, 0) == (0, 0, 0)
    assert select_per_group([-1, -2, -4], 4, 10) == (0, 1, 2, 0)
    recording = select_per_group.record([-1, -2, -4], 3, 2)
    assert [step.scores for step in recording] == [(-1, -2, -4), (-3, -2, -4), (-3, -4, -4)]
    assert [step.group for step in recording] == [1, 2, 3]


def test_banks_are_those_of_constraint_list_state() -> None:
    from tokenlab.libraries.transformers import ConstraintListState, PhrasalConstraint

    known: tuple[tuple[list[int], list[int]], ...] = (
        ([], [0, 0]),
        ([5], [1, 0]),
        ([5, 6], [2, 0]),
        ([8], [0, 1]),
        ([8, 9], [0, 2]),
        ([5, 6, 7], [3, 0]),
        ([5, 6, 7, 8], [3, 1]),
        ([5, 6, 7, 8, 9], [3, 2]),
        ([8, 9, 5], [1, 2]),
        ([5, 6, 8], [0, 0]),
    )
    for written, done in known:
        state = ConstraintListState([PhrasalConstraint([5, 6, 7]), PhrasalConstraint([8, 9])])
        state.reset(written)
        assert constraint_bank([3, 2], done) == state.get_bank(), written
        for phrase, there in zip(([5, 6, 7], [8, 9]), done, strict=True):
            if written != [5, 6, 8]:
                assert constraint_progress(phrase, [token for token in written if token in phrase]) == there


def test_the_order_of_banks_is_the_librarys() -> None:
    """Sorted by 100 * bank + score, then by how many of the same bank come before."""
    dice = torch.Generator().manual_seed(0)
    for _ in range(50):
        banks = torch.randint(0, 4, (7,), generator=dice).tolist()
        scores = (-10 * torch.rand(7, generator=dice)).tolist()
        ranked = sorted(range(7), key=lambda n: -(100 * banks[n] + scores[n]))
        step = {n: sum(banks[m] == banks[n] for m in ranked[:place]) for place, n in enumerate(ranked)}
        assert list(order_by_banks(banks, scores)) == sorted(ranked, key=step.__getitem__)


# The explorer.


def test_controls_run_the_search_again_and_impossible_ones_are_sentences() -> None:
    explorer = explore_group_beam_search("a dog sees", model(), Known())
    controls = explorer.controls
    assert explorer.message == ""
    assert "4 groups of 1 beam" in explorer.player.tracks[0].frames[0].caption
    controls["num_beam_groups"].value = 3
    assert "num_beams=4 cannot be divided into num_beam_groups=3" in explorer.message
    controls["num_beams"].value = 6
    assert explorer.message == ""
    assert "3 groups of 2 beams" in explorer.player.tracks[0].frames[0].caption
    before = explorer.player.data
    controls["diversity_penalty"].value = 3.0
    assert "3.00" in explorer.player.tracks[0].frames[0].remark
    assert explorer.player.data != before
    before = explorer.player.data
    controls["length_penalty"].value = 2.0
    assert explorer.player.data != before
    controls["num_beam_groups"].value = 1
    assert "needs groups that can differ" in explorer.message
    controls["diversity_penalty"].value = 0.0
    assert explorer.message == ""
    assert "each group chooses independently" in explorer.player.tracks[0].frames[0].remark
    controls["text"].value = "a" * 500
    assert "too long" in explorer.message


@pytest.mark.parametrize("groups", [1, 2, 4, 8])
def test_the_last_frames_are_always_shown(groups: int) -> None:
    """Of a model that never ends its outputs."""
    endless = small_model(0)
    with torch.no_grad():
        endless.shared.weight[1] = 0
    penalty = 1.0 if groups > 1 else 0.0
    explorer = explore_group_beam_search("a dog sees", endless, Known(), 8, groups, penalty)
    (track,) = explorer.player.tracks
    assert explorer.message == track.notice == ""
    assert [frame.moment for frame in track.frames[-2:]] == ["The outputs", "Comparison with other searches"]
    assert len(track.frames) == 3 + groups * (max_output_length(groups) - 1)


def test_a_single_beam_is_refused() -> None:
    with pytest.raises(ValueError, match=r"num_beams=1 is a single beam.* use 2 or more"):
        trace_group_beam_search(model(), Known(), "a dog", 1, 1, 0.0)


def test_the_plain_progress_is_that_of_a_phrasal_constraint_among_others() -> None:
    from tokenlab.libraries.transformers import ConstraintListState, PhrasalConstraint

    dice = torch.Generator().manual_seed(0)
    for _ in range(200):
        phrase = torch.randint(1, 3, (3,), generator=dice).tolist()
        written = torch.randint(1, 4, (6,), generator=dice).tolist()
        state = ConstraintListState([PhrasalConstraint(phrase)])
        state.reset(written)
        standing = 3 - state.inprogress_constraint.remaining() if state.inprogress_constraint else 0
        assert constraint_progress(phrase, written) == (3 if state.completed else standing)
