"""How generation begins and ends where little is left: no start, no token that may follow, today's rule of the end."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.libraries.transformers.test_generation import READ, SETTINGS, untrained
from tests.parity.generation_cases import MODES
from tests.questions import frames
from tests.tolerance import near
from tokenlab.algorithms.decoding.stopping_rule import StoppingCheck
from tokenlab.libraries.transformers import GenerationConfig
from tokenlab.libraries.transformers.generation.beam_scorer import BeamHypotheses, BeamSearchScorer
from tokenlab.libraries.transformers.generation.beam_steps import BeamsSelected
from tokenlab.show.views.decoding.beam_panels import search_after
from tokenlab.steps.recording import Recording
from tokenlab.traces.generation.token_names import NamedOutputs

FORBIDDEN = -float("inf")
SEARCH = "tokenlab.traces.generation.trace_beam_search.trace_beam_search"


# --- the start ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_a_configuration_of_one_s_own_starts_as_the_model_does(mode: str) -> None:
    model = untrained(3)
    asked = {"max_length": 6, "eos_token_id": 1, "pad_token_id": 0} | SETTINGS[mode]
    torch.manual_seed(0)
    plain = model.generate(READ, **asked)
    for config in (GenerationConfig(**asked), GenerationConfig(**asked, bos_token_id=3)):
        torch.manual_seed(0)
        assert torch.equal(model.generate(READ, generation_config=config), plain)
    model.generation_config.decoder_start_token_id = model.config.decoder_start_token_id = None
    model.generation_config.bos_token_id = model.config.bos_token_id = 5
    for config, start in ((GenerationConfig(**asked), 5), (GenerationConfig(**asked, bos_token_id=3), 3)):
        assert set(model.generate(READ, generation_config=config)[:, 0].tolist()) == {start}
    model.generation_config.bos_token_id = model.config.bos_token_id = None
    with pytest.raises(ValueError, match="decoder_start_token_id is missing"):
        model.generate(READ, generation_config=GenerationConfig(**asked))


# --- what may follow ------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_where_every_token_is_forbidden_the_step_is_named(mode: str) -> None:
    def at_step(step: int) -> Any:
        return lambda ids, scores, **_: scores + FORBIDDEN if ids.shape[1] == step else scores

    asked = {"max_length": 8, "min_length": 8, **SETTINGS[mode]}
    for step in (1, 3):
        with pytest.raises(ValueError, match=f"at step {step} no token can be selected: every token is forbidden"):
            untrained().generate(READ, logits_processor=[at_step(step)], **asked)


@pytest.mark.parametrize("mode", MODES)
def test_nan_is_told_from_what_is_forbidden(mode: str) -> None:
    model = untrained()
    with torch.no_grad():
        model.lm_head.weight[3] = torch.nan
    with pytest.raises(ValueError, match="at step 1 no token can be selected: the scores are nan") as refused:
        model.generate(READ, max_length=8, **SETTINGS[mode])
    assert ("remove_invalid_values" in str(refused.value)) == ("num_beams" not in SETTINGS[mode])


@pytest.mark.parametrize("mode", [mode for mode in MODES if "num_beams" in SETTINGS[mode]])
def test_a_text_ends_where_only_the_end_is_allowed(mode: str) -> None:
    asked = {**SETTINGS[mode], "num_return_sequences": 1}
    if mode == "constrained_beam_search":
        asked["force_words_ids"] = [[5]]
    model = untrained(2)
    written = model.generate(
        READ, max_length=9, prefix_allowed_tokens_fn=lambda text, ids: [1] if len(ids) > 2 else [5, 6, 7], **asked
    )
    assert written.shape == (2, 4) and written[:, 3].tolist() == [1, 1]


def test_fewer_outputs_than_asked_for_are_no_outputs_of_forbidden_tokens() -> None:
    scorer = BeamSearchScorer(1, 2, "cpu", do_early_stopping=True, num_beam_hyps_to_keep=2)
    ids = torch.tensor([[0, 5], [0, 5]])
    with pytest.raises(ValueError, match="fewer where most tokens are forbidden"):
        scorer.finalize(ids, torch.tensor([-1.0, FORBIDDEN]), ids[:, -1], ids[:, -1], max_length=2)


def test_what_is_forbidden_neither_ends_nor_lives_on() -> None:
    scorer = BeamSearchScorer(1, 2, "cpu")
    ids, parents = torch.tensor([[0, 5], [0, 6]]), torch.tensor([[0, 1, 0, 1]])
    scores, tokens = torch.tensor([[-1.0, FORBIDDEN, FORBIDDEN, FORBIDDEN]]), torch.tensor([[7, 1, 8, 2]])
    sifted, bounded = scorer.process.steps(ids, scores, tokens, parents, 0, 1)
    assert (
        [candidate.token for candidate in sifted.candidates] == [7] and bounded.pool_scores == () and not bounded.done
    )
    sifted, bounded = scorer.process.steps(ids, scores, torch.tensor([[1, 7, 8, 2]]), parents, 0, 1)
    assert "no beam can continue" in str(sifted) and bounded.done and "none of its beams can continue" in str(bounded)


@pytest.mark.parametrize(
    "asked",
    [
        {"num_beams": 3, "top_k": 50, "top_p": 0.9, "eos_token_id": [1, 2, 3]},
        {"num_beams": 2, "top_k": 2, "eos_token_id": [1, 2, 3, 4]},
        {"num_beams": 3, "top_k": 1},
        {"num_beams": 2, "suppress_tokens": list(range(3, 9)), "top_p": 0.5},
    ],
)
def test_beams_draw_no_token_that_was_cut_off(asked: dict[str, Any]) -> None:
    for seed in range(12):
        model = untrained(seed)
        with torch.no_grad():
            model.lm_head.weight *= 3
        torch.manual_seed(seed)
        steps = model.generate.record(READ, do_sample=True, max_length=8, **asked)
        for step in steps:
            if isinstance(step, BeamsSelected):
                assert all(candidate.score > FORBIDDEN for candidate in step.candidates)


def test_a_configuration_without_an_end_keeps_tokens_for_the_model_s_own() -> None:
    model = untrained(1, ends=[1, 2, 3])
    config = GenerationConfig(do_sample=True, num_beams=2, top_k=1, max_length=6, pad_token_id=0)
    for seed in range(5):
        torch.manual_seed(seed)
        assert model.generate(READ, generation_config=config).shape[0] == 2


def test_without_a_limit_nothing_is_written() -> None:
    with pytest.raises(ValueError, match="max_length=None: generation might never stop"):
        untrained().generate(READ, max_length=None)
    untrained().generate(READ, max_length=None, max_time=0.0)
    assert untrained().generate(READ, max_length=None, stopping_criteria=[lambda ids, _: ids.shape[1] > 3]).shape[1] < 5


# --- today's rule ---------------------------------------------------------------------------------------


def todays_search(
    model: Any, read: Tensor, start: list[int], beams: int, longest: int, penalty: float, early: Any
) -> list[tuple[float, tuple[int, ...]]]:
    """Beam search as transformers 5 has it, for one text, read from its source and written anew with lists.

    Returns:
        the finished texts with their scores, best first.
    """
    ends = model.generation_config.eos_token_id
    ends = [ends] if isinstance(ends, int) else ends
    running = [(0.0, tuple(start))]
    finished: list[tuple[float, tuple[int, ...]]] = []
    while True:
        with torch.no_grad():
            logits = model(
                read.expand(len(running), -1), decoder_input_ids=torch.tensor([ids for _, ids in running])
            ).logits[:, -1]
        candidates = [
            (total + log_p, (*ids, token))
            for (total, ids), row in zip(running, logits.log_softmax(-1).tolist(), strict=True)
            for token, log_p in enumerate(row)
        ]
        candidates = sorted(candidates, reverse=True)[: max(2, 1 + len(ends)) * beams]
        length = len(candidates[0][1])
        is_over = length == longest  # then every candidate has ended
        new = [each for each in candidates[:beams] if is_over or each[1][-1] in ends]
        if not (early is True and len(finished) == beams):
            finished += [(total / (length - len(start)) ** penalty, ids) for total, ids in new]
            finished = sorted(finished, reverse=True)[:beams]
        running = [each for each in candidates if each[1][-1] not in ends][:beams]
        hoped = longest - len(start) if early == "never" and penalty > 0 else length - len(start)
        is_full = len(finished) == beams
        can_improve = not is_full or running[0][0] / hoped**penalty > finished[-1][0]
        if is_over or not can_improve or (is_full and early is True):
            return finished


@pytest.mark.slow
@pytest.mark.parametrize("early", [True, False, "never"])
@pytest.mark.parametrize(("penalty", "ends"), [(1.0, 1), (2.0, [1, 2]), (0.0, 1), (-1.0, 1), (0.5, [1, 2])])
def test_today_s_rule_finds_what_transformers_5_would(penalty: float, ends: Any, early: Any) -> None:
    for seed, beams, start in itertools.product(range(4), (2, 3), ([0], [0, 5, 6])):
        model = untrained(seed, ends=ends)
        found = model.generate(
            READ[:1],
            decoder_input_ids=torch.tensor([start]),
            num_beams=beams,
            num_return_sequences=beams,
            max_length=len(start) + 6,
            length_penalty=penalty,
            early_stopping=early,
            length_counts="eos",
            output_scores=True,
            return_dict_in_generate=True,
        )
        theirs = todays_search(model, READ[:1], start, beams, len(start) + 6, penalty, early)
        assert found.sequences_scores.tolist() == near([score for score, _ in theirs])
        for ours, (_, ids) in zip(found.sequences.tolist(), theirs, strict=True):
            assert tuple(ours[: len(ids)]) == ids


def test_an_end_says_nothing_about_what_can_still_come_today() -> None:
    done = {}
    for counts in ("prompt", "eos"):
        scorer = BeamSearchScorer(1, 2, "cpu", length_counts=counts, max_length=20)
        for score in (-0.9, -1.0):
            scorer._beam_hyps[0].add(torch.tensor([0, 5]), score, eos=1)
        ids, parents = torch.tensor([[0, 5, 7], [0, 6, 8]]), torch.tensor([[0, 0, 1, 0]])
        *_, bounded = scorer.process.steps(
            ids, torch.tensor([[-0.6, -4.0, -4.1, -9.0]]), torch.tensor([[1, 7, 8, 9]]), parents, 0, 1
        )
        assert isinstance(bounded, StoppingCheck)
        done[counts] = (
            scorer.is_done,
            round(bounded.best_attainable_score, 2),
            bounded.best_sum_logprobs == pytest.approx(-0.6),
        )
    assert done == {"prompt": (False, -0.2, True), "eos": (True, -1.33, False)}


def test_today_beams_that_are_cut_off_ask_for_room_in_a_full_pool() -> None:
    pools = {counts: BeamHypotheses(1, 1.0, True, length_counts=counts, max_length=4) for counts in ("prompt", "eos")}
    for pool in pools.values():
        pool.add(torch.tensor([0, 5]), -9.0, eos=1)
    assert [pool.is_done(-1.0, cur_len=3) for pool in pools.values()] == [True, False]
    assert [pool.is_done(-1.0, cur_len=2) for pool in pools.values()] == [True, True]


# --- fewer live than there are beams, and two ends of one text -------------------------------------------


def seen(steps: Any, beams: int) -> Recording[Any, Any]:
    """A recording of these steps, as a search makes it."""
    given = {"num_beams": beams, "length_penalty": 1.0, "length_counts": "prompt", "early_stopping": False}
    given["max_length"] = 20
    return Recording(SEARCH, given, tuple(steps), NamedOutputs((), tuple("012345678")))


def test_the_best_candidates_are_as_many_as_there_are_beams_though_fewer_live() -> None:
    scorer = BeamSearchScorer(1, 3, "cpu")
    scores = torch.tensor([[-0.1, -0.2, -0.3, -0.4, FORBIDDEN, FORBIDDEN]])
    tokens, parents = torch.tensor([[5, 1, 1, 1, 6, 7]]), torch.tensor([[0, 0, 1, 2, 0, 0]])
    steps = list(scorer.process.steps(torch.zeros(3, 1, dtype=torch.long), scores, tokens, parents, 0, 1))
    assert str(steps[0]) == (
        "text 0: beam 0 + 5 continues (the best one that does not end); beam 0 + 1, beam 1 + 1 became hypotheses; "
        "beam 2 + 1 ended below the best 3 candidates"
    )
    frame = frames(seen(steps, 3))[1]
    tree, ledger, *_ = ("".join(map(str, panel.rows)) for panel in frame.panels)
    assert "below the best 3 candidates" in str(frame.caption) and ">best 3<" in tree
    assert "data-at=1.3 class=cut" in ledger


def test_two_ends_of_one_text_are_two_hypotheses() -> None:
    scorer = BeamSearchScorer(1, 2, "cpu", do_early_stopping=True, num_beam_hyps_to_keep=2)
    ids, last = torch.zeros(2, 1, dtype=torch.long), torch.zeros(2, dtype=torch.long)
    scores, tokens = torch.tensor([[-0.1, -0.2, -5.0, -6.0]]), torch.tensor([[1, 2, 5, 6]])
    steps = list(scorer.process.steps(ids, scores, tokens, torch.zeros(1, 4, dtype=torch.long), 0, [1, 2]))
    assert scorer.is_done
    steps += scorer.finalize.steps(ids, torch.zeros(2), last, last, 9, 0, [1, 2])
    ranking = search_after(seen(steps, 2)).ranking
    assert [(one.node.name, round(one.node.score, 3)) for one in ranking] == [("1", -0.1), ("2", -0.2)]
