"""Contrastive search: the choice by its definition, a text alone and in a batch, the cache, and several ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.libraries.transformers.test_generation import READ, untrained
from tests.tolerance import near
from tokenlab.algorithms.decoding.contrastive import contrastive_select
from tokenlab.libraries.transformers.generation.contrastive_steps import CandidatesReranked


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def without_cache(model: Any, read: Tensor, length: int, top_k: int, alpha: float) -> tuple[list[int], int]:
    """What one text gets, with a whole run of the model for each candidate; and how often that is not the likeliest."""
    written, turned = [0], 0
    while len(written) < length and (len(written) == 1 or written[-1] != 1):
        best = model(read, decoder_input_ids=torch.tensor([written])).logits[0, -1].softmax(-1).topk(top_k)
        runs = [
            model(read, decoder_input_ids=torch.tensor([[*written, id]]), output_hidden_states=True)
            for id in best.indices.tolist()
        ]
        states = [run.decoder_hidden_states[-1][0].tolist() for run in runs]
        place = contrastive_select(best.values.tolist(), [each[-1] for each in states], states[0][:-1], alpha)
        written.append(int(best.indices[place]))
        turned += place > 0
    return written, turned


@pytest.mark.parametrize("alpha", [0.4, 0.6, 1.0])
def test_each_token_is_the_choice_of_the_plain_function_over_runs_without_a_cache(alpha: float) -> None:
    times_turned = 0
    for seed in (0, 5, 6, 7):
        model = untrained(seed)
        with torch.no_grad():
            expected, turned = without_cache(model, READ[:1], length=9, top_k=3, alpha=alpha)
        assert model.generate(READ[:1], penalty_alpha=alpha, top_k=3, max_length=9)[0].tolist() == expected
        times_turned += turned
    assert times_turned > 0


def test_a_text_gets_the_same_alone_and_in_a_batch_with_a_longer_one() -> None:
    model, settings = untrained(3), {"penalty_alpha": 0.6, "top_k": 4, "max_length": 9}
    both = model.generate(READ, **settings)
    for row, length in ((0, 4), (1, 3)):
        alone = model.generate(READ[row : row + 1, :length], **settings)[0]
        assert both[row, : len(alone)].tolist() == alone.tolist()
        assert not both[row, len(alone) :].any()


def test_candidates_come_with_both_terms_and_the_best_is_chosen() -> None:
    recording = untrained(1).generate.record(READ, penalty_alpha=0.6, top_k=3, max_length=7, min_length=7)
    assert [step.number for step in recording] == list(range(1, 7))
    for step in recording:
        assert isinstance(step, CandidatesReranked)
        for text, (rivals, chosen) in enumerate(zip(step.candidates, step.selected, strict=True)):
            assert chosen is not None
            assert [len(rival.similarities) for rival in rivals] == [step.number] * 3
            for rival in rivals:
                assert rival.score == near(0.4 * rival.probability - 0.6 * rival.penalty, length=8)
            assert rivals[chosen].score == max(rival.score for rival in rivals)
            assert recording.result[text, step.number] == rivals[chosen].token
            assert [rival.probability for rival in rivals] == sorted((r.probability for r in rivals), reverse=True)
    assert any(chosen for step in recording for chosen in step.selected)


def test_without_a_penalty_it_is_greedy_search() -> None:
    model = untrained(4)
    encoded = model.get_encoder()(READ[:1])
    start = torch.zeros(1, 1, dtype=torch.long)
    from tokenlab.libraries.transformers.generation import MaxLengthCriteria, StoppingCriteriaList

    criteria = StoppingCriteriaList([MaxLengthCriteria(8)])
    ours = model.contrastive_search(start, top_k=4, encoder_outputs=encoded, stopping_criteria=criteria)
    assert ours.tolist() == model.generate(READ[:1], max_length=8).tolist()


def test_every_one_of_several_ends_ends_a_text_which_is_then_filled_up_and_no_longer_shown() -> None:
    ended = 0
    for seed in range(6):
        model = untrained(seed, ends=[1, 4, 7])
        recording = model.generate.record(READ, penalty_alpha=0.5, top_k=3, max_length=10)
        for row, text in zip(recording.result.tolist(), range(2), strict=True):
            ends = [place for place, id in enumerate(row) if place and id in (1, 4, 7)]
            if ends:
                ended += 1
                assert set(row[ends[0] + 1 :]) <= {0}
                assert recording[ends[0] - 1].ended[text]
                for step in recording[ends[0] :]:
                    assert (
                        step.candidates[text] == () and step.selected[text] is None and f"text {text}" not in str(step)
                    )
    assert ended > 3


def test_what_was_asked_for_comes_for_every_step_of_the_chosen_alone() -> None:
    wished = {"output_scores": True, "output_attentions": True, "output_hidden_states": True}
    settings = {"penalty_alpha": 0.6, "top_k": 4, "max_length": 6, "min_length": 6, "return_dict_in_generate": True}
    output = untrained(2).generate(READ, **settings, **wished)
    assert type(output).__name__ == "ContrastiveSearchEncoderDecoderOutput"
    assert len(output.scores) == len(output.cross_attentions) == len(output.decoder_hidden_states) == 5
    for step, layers in enumerate(output.decoder_attentions, start=1):
        assert layers[0].shape == (2, 2, 1, step)
    assert output.cross_attentions[4][0].shape == (2, 2, 1, 4) and output.encoder_attentions[0].shape[0] == 2
    assert output.decoder_hidden_states[4][1].shape == (2, 1, 8)


def test_the_cache_is_used_whatever_is_said_and_arguments_stay_as_they_are() -> None:
    model = untrained(5)
    encoded = model.get_encoder()(READ, (READ != 0).long())
    before = encoded.last_hidden_state.clone()
    settings = {"penalty_alpha": 0.6, "top_k": 4, "max_length": 7}
    ours = model.generate(None, encoder_outputs=encoded, attention_mask=(READ != 0).long(), use_cache=False, **settings)
    assert ours.tolist() == model.generate(READ, **settings).tolist()
    assert encoded.last_hidden_state.shape == before.shape and torch.equal(encoded.last_hidden_state, before)


def test_a_model_that_gives_nan_is_stopped_at_its_step() -> None:
    model = untrained()
    with torch.no_grad():
        model.lm_head.weight[3, 0] = float("nan")
    with pytest.raises(ValueError, match="at step 1 no token can be selected"):
        model.generate(READ, penalty_alpha=0.6, top_k=4, max_length=6)


def test_a_sentence_names_the_choice_and_the_likeliest_where_that_is_another() -> None:
    steps = list(untrained(7).generate.steps(READ[:1], penalty_alpha=1.0, top_k=4, max_length=8))
    turned = next(step for step in steps if step.selected[0])
    kept = next(step for step in steps if step.selected[0] == 0)
    assert "is more probable" in str(turned) and "is more probable" not in str(kept)
    assert f"token {turned.candidates[0][0].token} (" in str(turned)
