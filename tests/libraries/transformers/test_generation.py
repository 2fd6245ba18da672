"""`generate` and its loops: what is written, what is seen on the way, and what is refused."""

from __future__ import annotations

import copy
import itertools
import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.parity.generation_cases import MODES
from tests.tolerance import are_close, near
from tokenlab.libraries.transformers import GenerationConfig, T5Config, T5ForConditionalGeneration
from tokenlab.libraries.transformers.generation.beam_scorer import BeamHypotheses, BeamSearchScorer
from tokenlab.libraries.transformers.generation.beam_steps import (
    BELOW_BEAM_WIDTH,
    CONTINUES,
    FINISHES,
    REJECTED_BY_POOL,
    BeamsSelected,
    StoppingCheck,
)
from tokenlab.steps.recording import Recording

READ = torch.tensor([[3, 4, 5, 1], [6, 7, 1, 0]])
SETTINGS: dict[str, dict[str, Any]] = {
    "greedy_search": {},
    "sample": {"do_sample": True},
    "contrastive_search": {"penalty_alpha": 0.6, "top_k": 4},
    "beam_search": {"num_beams": 4, "num_return_sequences": 2},
    "beam_sample": {"num_beams": 4, "do_sample": True},
    "group_beam_search": {"num_beams": 4, "num_beam_groups": 2, "diversity_penalty": 1.0},
    "constrained_beam_search": {"num_beams": 4, "force_words_ids": [[5, 6], [[7], [8, 4]]]},
}


def untrained(seed: int = 0, size: int = 9, ends: int | list[int] = 1) -> Any:
    torch.manual_seed(seed)
    config = T5Config(size, 8, 4, 8, 1, num_heads=2, decoder_start_token_id=0, tie_word_embeddings=False)
    model = T5ForConditionalGeneration(config).eval()
    with torch.no_grad():
        model.lm_head.weight.normal_(std=1.0)
    model.generation_config.eos_token_id = model.config.eos_token_id = ends
    return model


def log_probability(model: Any, read: Tensor, written: list[int]) -> float:
    """Of the whole output, from one run of the model without cache and loops."""
    ids = torch.tensor([written])
    with torch.no_grad():
        scores = model(read, (read != 0).long(), decoder_input_ids=ids[:, :-1]).logits.log_softmax(-1)
    return float(scores.gather(2, ids[:, 1:, None]).sum())


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("mode", MODES)
def test_watching_changes_nothing_and_gradients_stay_on_between_steps(mode: str) -> None:
    model = untrained()
    torch.manual_seed(5)
    plain = model.generate(READ, max_length=8, **SETTINGS[mode])
    torch.manual_seed(5)
    seen = model.generate.steps(READ, max_length=8, **SETTINGS[mode])
    assert str(next(seen)) and torch.is_grad_enabled()
    torch.manual_seed(5)
    recording = model.generate.record(READ, max_length=8, **SETTINGS[mode])
    assert torch.equal(recording.result, plain)
    assert all(str(step) for step in recording)
    assert list(Recording.from_json(recording.to_json())) == list(recording)


@pytest.mark.parametrize("mode", MODES)
def test_the_cache_changes_nothing(mode: str) -> None:
    model = untrained(2)
    answers = []
    for use_cache in (True, False):
        torch.manual_seed(1)
        answers.append(model.generate(READ, max_length=9, use_cache=use_cache, **SETTINGS[mode]).tolist())
    assert answers[0] == answers[1]


@pytest.mark.parametrize("mode", ["greedy_search", "beam_search", "group_beam_search"])
def test_a_text_is_written_alike_alone_and_beside_a_longer_one(mode: str) -> None:
    model = untrained(3)
    together = model.generate(READ, max_length=8, **{**SETTINGS[mode], "num_return_sequences": 1})
    alone = model.generate(READ[1:, :3], max_length=8, **{**SETTINGS[mode], "num_return_sequences": 1})
    assert trimmed(together[1]) == trimmed(alone[0])


def trimmed(ids: Tensor) -> list[int]:
    """An output up to its first eos."""
    given: list[int] = ids.tolist()
    return given[: given.index(1) + 1] if 1 in given else given


def test_greedy_search_writes_the_likeliest_token_each_time() -> None:
    model = untrained(4)
    written = model.generate(READ[:1], max_length=6)[0].tolist()
    for length in range(1, len(written)):
        logits = model(READ[:1], decoder_input_ids=torch.tensor([written[:length]])).logits
        assert int(logits[0, -1].argmax()) == written[length]


@pytest.mark.parametrize("seed", range(4))
def test_enough_beams_find_the_best_of_all_outputs(seed: int) -> None:
    model = untrained(seed, size=5)
    output = model.generate(
        READ[:1] % 5,
        max_length=4,
        num_beams=70,
        length_penalty=0.0,
        num_return_sequences=5,
        return_dict_in_generate=True,
        output_scores=True,
    )
    finished = [[0, *ids, 1] for n in (0, 1) for ids in itertools.product((0, 2, 3, 4), repeat=n)]
    full = [[0, *ids, last] for ids in itertools.product((0, 2, 3, 4), repeat=2) for last in range(5)]
    everything = sorted(((log_probability(model, READ[:1] % 5, ids), ids) for ids in finished + full), reverse=True)
    for row, score, (expected, ids) in zip(
        output.sequences.tolist(), output.sequences_scores.tolist(), everything, strict=False
    ):
        assert score == near(expected)
        assert row[: len(ids)] == ids


@pytest.mark.parametrize("mode", ["beam_search", "beam_sample", "group_beam_search"])
def test_beam_indices_lead_to_the_scores_that_make_the_sum(mode: str) -> None:
    model = untrained(6)
    settings = {**SETTINGS[mode], "length_penalty": 0.0, "num_return_sequences": 4 if mode != "beam_sample" else 1}
    torch.manual_seed(0)
    output = model.generate(READ, max_length=8, return_dict_in_generate=True, output_scores=True, **settings)
    counted = model.compute_transition_scores(output.sequences, output.scores, output.beam_indices)
    assert output.beam_indices.min() == -1
    if mode != "beam_sample":  # there scores are warped once for each step, and sums again and again
        assert are_close(counted.sum(1), output.sequences_scores)
        for text, row, score in zip([0] * 4 + [1] * 4, output.sequences, output.sequences_scores, strict=False):
            if mode == "beam_search":
                assert log_probability(model, READ[text : text + 1], trimmed(row)) == near(float(score))


@pytest.mark.parametrize("mode", MODES)
def test_each_of_several_ends_is_one(mode: str) -> None:
    model = untrained(7, ends=[1, 2, 3])
    torch.manual_seed(0)
    asked = SETTINGS[mode]
    if mode == "constrained_beam_search":  # what ends early has to hold it
        asked = {"num_beams": 4, "force_words_ids": [[[4], [5], [6], [7], [8]]], "early_stopping": True}
    output = model.generate(READ, max_length=10, **asked)
    ended_by = set()
    for row in output.tolist():
        end = next((place for place, token in enumerate(row) if token in (1, 2, 3)), None)
        if end is not None:
            ended_by.add(row[end])
            assert set(row[end + 1 :]) <= {0}
    assert ended_by - {1}, "an end other than the first is written as it was chosen"


def test_groups_without_a_penalty_are_alike_and_with_one_differ() -> None:
    model = untrained(8)
    asked = {"num_beams": 4, "num_beam_groups": 2, "num_return_sequences": 4, "max_length": 6}
    alike = model.generate(READ[:1], **asked).tolist()
    differ = model.generate(READ[:1], diversity_penalty=5.0, **asked).tolist()
    assert len({tuple(row) for row in alike}) == 2 and len({tuple(row) for row in differ}) == 4


def first_scores(model: Any) -> list[float]:
    """The scores of the first token, from one run of the model without cache and loops."""
    with torch.no_grad():
        scores: list[float] = model(READ[:1], decoder_input_ids=torch.tensor([[0]])).logits[0, 0].tolist()
    return scores


def shares(scores: list[float]) -> list[float]:
    powers = [math.exp(score - max(scores)) for score in scores]
    return [power / sum(powers) for power in powers]


def left_by_cuts(scores: list[float], temperature: float, top_k: int, top_p: float) -> list[float]:
    """By their definitions: the likeliest top_k, of these the fewest that come to top_p, each with its share."""
    best = sorted(range(len(scores)), key=lambda token: -scores[token])[:top_k]
    likely = shares([scores[token] / temperature for token in best])
    many = next(n for n in range(1, top_k + 1) if sum(likely[:n]) >= top_p)
    return [likely[best.index(token)] / sum(likely[:many]) if token in best[:many] else 0 for token in range(9)]


def best_of_beams(scores: list[float], beams: int) -> list[float]:
    """How likely each is the likeliest of two draws a beam, without putting back, from beams that begin alike."""
    likely = [share / beams for share in shares(scores)] * beams
    found = [0.0] * len(scores)
    for drawn in itertools.permutations(range(len(likely)), 2 * beams):
        share, left = 1.0, 1.0
        for place in drawn:
            share, left = share * likely[place] / left, left - likely[place]
        found[max(drawn, key=likely.__getitem__) % len(scores)] += share
    return found


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"top_k": 0}, shares),
        ({"temperature": 1.5, "top_k": 6, "top_p": 0.8}, lambda scores: left_by_cuts(scores, 1.5, 6, 0.8)),
        ({"top_k": 0, "num_beams": 2, "length_penalty": 0.0}, lambda scores: best_of_beams(scores, 2)),
    ],
)
def test_draws_follow_the_probabilities(settings: dict[str, Any], expected: Callable[[list[float]], Any]) -> None:
    model = untrained(9)
    with torch.no_grad():
        model.lm_head.weight *= 0.5  # so that many tokens come
    torch.manual_seed(0)
    drawn = model.generate(READ[:1], do_sample=True, max_length=2, num_return_sequences=4000, **settings)[:, 1]
    counts = torch.bincount(drawn, minlength=9).tolist()
    usual = [4000 * share for share in expected(first_scores(model))]
    possible = [pair for pair in zip(counts, usual, strict=True) if pair[1]]
    assert sum(count for count, _ in possible) == 4000 and len(possible) > 2
    freedom = len(possible) - 1
    chi_square = sum((count - mean) ** 2 / mean for count, mean in possible)
    assert (chi_square - freedom) / math.sqrt(2 * freedom) < 4.5  # chance exceeds it less than once in a thousand


# --- the bookkeeping of beams ---------------------------------------------------------------------------


def test_an_end_counts_only_among_the_best_beams() -> None:
    scorer = BeamSearchScorer(1, 2, "cpu")
    scores, tokens = torch.tensor([[-0.1, -0.2, -0.3, -0.4]]), torch.tensor([[5, 1, 1, 6]])
    steps = list(scorer.process.steps(torch.tensor([[0], [0]]), scores, tokens, torch.tensor([[0, 0, 1, 1]]), 0, 1))
    assert isinstance(steps[0], BeamsSelected) and isinstance(steps[1], StoppingCheck)
    assert [candidate.status for candidate in steps[0].candidates] == [CONTINUES, FINISHES, BELOW_BEAM_WIDTH, CONTINUES]


def test_the_bound_looks_at_candidates_that_end_too_and_a_tie_is_done() -> None:
    pool = BeamHypotheses(1, 1.0, early_stopping=False)
    assert not pool.is_done(-0.1, cur_len=1)
    pool.add(torch.zeros(5), -10.0)
    assert pool.is_done(-10.0, cur_len=5) and not pool.is_done(-9.9, cur_len=5)
    scorer = BeamSearchScorer(1, 2, "cpu", length_penalty=0.0)
    for score in (-0.6, -0.5):
        scorer._beam_hyps[0].add(torch.zeros(1), score)
    ids, tokens, parents = torch.tensor([[0], [0]]), torch.tensor([[1, 5, 6, 7]]), torch.tensor([[0, 0, 1, 1]])
    scorer.process(ids, torch.tensor([[-0.4, -9.0, -9.1, -9.2]]), tokens, parents, 0, 1)
    assert not scorer.is_done, "the end that has just come in was the best candidate"
    refused = scorer.process.steps(ids, torch.tensor([[-0.57, -9.0, -9.1, -9.2]]), tokens, parents, 0, 1)
    assert next(refused).candidates[0].status == REJECTED_BY_POOL
    assert next(refused).done and scorer.is_done


def test_an_equal_score_does_not_push_out_what_came_first() -> None:
    pool = BeamHypotheses(1, 1.0, early_stopping=False)
    assert pool.add(torch.zeros(2), -1.0) and not pool.add(torch.zeros(2), -1.0)


def test_an_end_in_a_later_group_is_found_in_its_row_of_the_batch() -> None:
    scorer = BeamSearchScorer(1, 4, "cpu", num_beam_groups=2)
    ids, scores = torch.tensor([[0], [0]]), torch.tensor([[-0.1, -0.2, -0.3, -0.4]])
    scorer.process(ids, scores, torch.tensor([[1, 5, 6, 7]]), torch.tensor([[1, 0, 0, 0]]), 0, 1, [(2,), (3,)], group=1)
    assert scorer._beam_hyps[0].beams[0].beam_indices == (3, 3)


def test_a_beam_keeps_two_tokens_for_its_draws() -> None:
    for beams, kept in ((1, 1), (2, 2)):
        [warper] = untrained()._get_logits_warper(GenerationConfig(num_beams=beams, top_k=1))
        assert warper(READ, torch.arange(6.0)[None]).isfinite().sum() == kept


def test_a_text_that_is_done_is_filled_up_while_others_go_on() -> None:
    scorer = BeamSearchScorer(2, 2, "cpu", do_early_stopping=True)
    for score in (-0.6, -0.5):
        scorer._beam_hyps[0].add(torch.zeros(1), score)
    scorer._done[0] = True
    chosen = scorer.process(
        torch.zeros(4, 1, dtype=torch.long),
        torch.tensor([[-0.1, -0.2, -0.3, -0.4]] * 2),
        torch.tensor([[5, 6, 7, 8]] * 2),
        torch.tensor([[0, 1, 0, 1]] * 2),
        pad_token_id=9,
        eos_token_id=1,
    )
    assert chosen["next_beam_tokens"].tolist() == [9, 9, 5, 6]
    assert chosen["next_beam_indices"].tolist() == [0, 0, 2, 3]


@pytest.mark.parametrize(("rule", "length"), [("prompt", 3), ("eos", 3)])
def test_a_length_counts_the_start_or_the_end(rule: Any, length: int) -> None:
    pool = BeamHypotheses(2, 1.0, False, length_counts=rule, prompt_length=1)
    pool.add(torch.tensor([0, 5, 6]), -6.0, eos=1)
    pool.add(torch.tensor([0, 5, 6]), -6.0)
    assert [hypothesis.score for hypothesis in pool.beams] == [-6.0 / length, -6.0 / (3 if rule == "prompt" else 2)]


def test_todays_length_leaves_out_a_long_prompt() -> None:
    model = untrained(6)
    start = torch.tensor([[0, 5, 6]])
    asked = {"decoder_input_ids": start, "num_beams": 3, "max_length": 9, "num_return_sequences": 3}
    kept = {"return_dict_in_generate": True, "output_scores": True}
    output = model.generate(READ[:1], length_counts="eos", **asked, **kept)
    for row, score in zip(output.sequences, output.sequences_scores, strict=True):
        written = trimmed(row)
        total = log_probability(model, READ[:1], written) - log_probability(model, READ[:1], [0, 5, 6])
        assert float(score) == near(total / (len(written) - 3))


def test_never_hopes_for_the_longest_output() -> None:
    rules = {
        early: BeamHypotheses(1, 1.0, early, length_counts="eos", max_length=11) for early in (False, True, "never")
    }
    for pool in rules.values():
        pool.add(torch.tensor([0, 5]), -1.0, eos=1)  # -0.5
    assert [pool.is_done(-1.5, cur_len=2) for pool in rules.values()] == [True, True, False]
    assert rules["never"].check_stopping(-1.5, cur_len=2).best_attainable_score == -0.15


# --- answers --------------------------------------------------------------------------------------------


def test_a_streamer_gets_the_start_and_each_token() -> None:
    class Listening:
        heard: list[list[Any]] = []  # noqa: RUF012

        def put(self, ids: Tensor) -> None:
            self.heard.append(ids.flatten().tolist())

        def end(self) -> None:
            self.heard.append(["end"])

    streamer, model = Listening(), untrained(4)
    written = model.generate(READ[:1], max_length=6, streamer=streamer)[0].tolist()
    assert streamer.heard == [*([token] for token in written), ["end"]]


def test_what_the_encoder_answered_stays_as_it_was() -> None:
    model = untrained()
    mask = (READ != 0).long()
    encoded = model.get_encoder()(READ, mask, return_dict=True)
    before = copy.copy(encoded)
    given = model.generate(encoder_outputs=encoded, attention_mask=mask, num_beams=3, max_length=6)
    assert torch.equal(encoded.last_hidden_state, before.last_hidden_state)
    assert torch.equal(given, model.generate(READ, num_beams=3, max_length=6))


def test_attentions_and_states_come_for_every_step() -> None:
    model = untrained(2)
    wished = {"output_attentions": True, "output_hidden_states": True, "return_dict_in_generate": True}
    output = model.generate(READ, num_beams=3, max_length=5, min_length=5, output_scores=True, **wished)
    assert len(output.scores) == len(output.cross_attentions) == len(output.decoder_hidden_states) == 4
    assert output.cross_attentions[3][0].shape == (6, 2, 1, 4) and output.encoder_attentions[0].shape[0] == 2
    plain = model.generate(READ, max_length=5, return_dict_in_generate=True)
    assert plain.keys() == ["sequences"]


# --- what is refused ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"num_beams": 4, "num_beam_groups": 3}, "cannot be divided"),
        ({"num_beam_groups": 2}, "cannot be divided"),
        ({"penalty_alpha": 0.6, "top_k": 10}, "more than the vocabulary has"),
        ({"penalty_alpha": 0.6, "top_k": 4, "num_return_sequences": 2}, "one output for each text"),
        ({"force_words_ids": [[3]], "num_beams": 2, "do_sample": True}, "does not sample"),
        ({"force_words_ids": [[3]]}, "need beams"),
        ({"num_beams": 2, "num_return_sequences": 3}, "take num_beams=3"),
        ({"num_return_sequences": 2}, "the same output each time"),
        ({"num_beams": 4, "num_beam_groups": 2, "do_sample": True}, "groups of beams do not sample"),
        ({"diversity_penalty": 1.0, "num_beams": 2}, "needs groups"),
        ({"top_p": 0.0, "do_sample": True}, "top_p=0.0"),
        ({"num_beams": 0}, "num_beams=0"),
        ({"num_beams": 2.0}, "num_beams=2.0"),
        ({"bad_words_ids": []}, "bad_words_ids"),
        ({"max_length": 5, "min_length": 6}, "min_length=6"),
        ({"max_length": 5, "max_new_tokens": 6}, "set the same limit"),
        ({"num_beam": 2}, "do you mean num_beams"),
        ({"num_beams": 2, "streamer": object()}, "streamer with num_beams=2"),
        ({"decoder_input_ids": torch.tensor([[0]])}, "a row for each of the 2 texts"),
        ({"input_ids": READ}, "give one of them"),
        ({"num_beams": 2, "length_counts": "words"}, "length_counts='words'"),
    ],
)
def test_the_impossible_is_refused_at_the_call(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        untrained().generate(READ, **{"max_length": 6, **settings} if "max_new_tokens" not in settings else settings)


@pytest.mark.parametrize("mode", MODES)
def test_nan_is_stopped_at_its_step(mode: str) -> None:
    model = untrained()
    calls = itertools.count(1)
    model.lm_head.register_forward_hook(lambda module, given, out: out * float("nan") if next(calls) == 2 else out)
    with pytest.raises(ValueError, match="at step 2 no token can be selected"):
        model.generate(READ, max_length=8, min_length=8, **SETTINGS[mode])


def test_a_text_without_a_batch_is_refused_with_the_way_out() -> None:
    with pytest.raises(ValueError, match=r"torch.tensor\(\[ids\]\)"):
        untrained().generate(READ[0], max_length=5)


def test_the_default_length_is_told() -> None:
    with pytest.warns(UserWarning, match="truncated at 20"):
        untrained().generate(READ[:1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        untrained().generate(READ[:1], max_new_tokens=3)


def test_several_criteria_of_a_kind_are_refused_and_ones_own_is_heard() -> None:
    from tokenlab.libraries.transformers.generation.stopping_criteria import MaxLengthCriteria

    with pytest.raises(ValueError, match="a MaxLengthCriteria is given"):
        untrained().generate(READ, max_length=5, stopping_criteria=[MaxLengthCriteria(4)])
    three = untrained().generate(READ, max_length=9, min_length=9, stopping_criteria=[lambda ids, _: ids.shape[1] == 3])
    assert three.shape[1] == 3
