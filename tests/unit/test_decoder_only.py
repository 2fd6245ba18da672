"""The algorithms of lesson 24 do what the page of a decoder-only model does, and say what they reject."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
import torch

from tests.small_decoder import END, last_logits, letters, small_decoder
from tests.tolerance import near
from tokenlab.algorithms.attention.grouped_queries import group_heads, kv_cache_bytes
from tokenlab.algorithms.attention.left_padding import padded_keys
from tokenlab.algorithms.attention.rotary_positions import rotary_scores, rotate
from tokenlab.algorithms.decoding.filters import min_p_filter
from tokenlab.algorithms.decoding.next_token import FilterApplied, sample_next_token
from tokenlab.algorithms.training_data.next_token_loss import next_token_loss
from tokenlab.algorithms.training_data.span_corruption import reconstruct
from tokenlab.algorithms.training_data.training_signal import CAUSAL, MASK, MASKED, SPANS, START, compare_objectives
from tokenlab.minimal import decoder
from tokenlab.traces.generation.decoder_steps import DecoderPass, PromptEncoded
from tokenlab.traces.generation.trace_decoder import LEAST, SHOWN, next_distribution, token_name, trace_decoder

SIZES = (2, 4, 6, 16)


def drawn(random: Random, size: int) -> list[float]:
    return [random.uniform(-2, 2) for _ in range(size)]


# Rotary positions.


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("theta", [10_000.0, 100.0])
def test_a_vector_is_rotated_as_on_the_page(size: int, theta: float) -> None:
    random = Random(size)
    for position in (0, 1, 2, 7, 100):
        vector = drawn(random, size)
        page = decoder.rotate(torch.tensor([[[vector]]]), torch.tensor([[position]]), theta)
        assert list(rotate(vector, position, theta)) == near(page.flatten().tolist())


@pytest.mark.parametrize("size", SIZES)
def test_a_score_depends_on_the_distance_only(size: int) -> None:
    random = Random(size)
    query, key = drawn(random, size), drawn(random, size)
    for distance in (0, 1, 2, 9):
        scores = rotary_scores(query, key, [(start + distance, start) for start in (0, 1, 5, 40)])
        assert list(scores) == near([scores[0]] * 4)
    near_and_far = rotary_scores(query, key, [(1, 0), (2, 0), (3, 0)])
    assert len({round(score, 3) for score in near_and_far}) == 3
    assert rotary_scores(query, key, [(4, 4)])[0] == near(sum(x * y for x, y in zip(query, key, strict=True)))


def test_a_rotation_keeps_the_norm_and_position_0_changes_nothing() -> None:
    vector = drawn(Random(1), 8)
    turned = rotate(vector, 5)
    assert sum(x * x for x in turned) == near(sum(x * x for x in vector))
    assert rotate(vector, 0) == tuple(vector)


def test_a_step_shows_the_pair_before_and_after() -> None:
    [first, second] = rotate.record([1.0, 2.0, 3.0, 4.0], position=3, theta=100)
    assert (first.before, second.before) == ((1.0, 3.0), (2.0, 4.0))
    assert (first.angle, second.angle) == (3.0, near(0.3))
    assert rotate([1.0, 2.0, 3.0, 4.0], 3, 100) == (first.after[0], second.after[0], first.after[1], second.after[1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rotate([1, 2, 3], 1), "vector has 3 numbers"),
        (lambda: rotate([1, 2], 1, 0), "theta=0 should be above 0"),
        (lambda: rotary_scores([1, 2], [1, 2, 3, 4], [(0, 0)]), "key has 4 numbers, and query has 2"),
        (lambda: group_heads(6, 4), "num_heads=6 should be a multiple of num_kv_heads=4"),
        (lambda: group_heads(4, 0), "num_kv_heads"),
        (lambda: min_p_filter([1.0], 1.5), "min_p=1.5 should be at least 0 and at most 1"),
        (lambda: next_token_loss([[1.0]], [0]), "at least two ids"),
        (lambda: next_token_loss([[1.0]], [0, 0]), "1 rows for 2 ids"),
        (lambda: compare_objectives([], [], "XY", "."), "tokens is empty"),
        (lambda: compare_objectives("ab", [True], "XY", "."), "noise has 1 marks for 2 tokens"),
    ],
)
def test_an_error_names_the_argument(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


# Groups, and the cache.


@pytest.mark.parametrize(("heads", "kv_heads"), [(4, 2), (4, 1), (4, 4), (12, 3), (32, 8)])
def test_heads_are_grouped_as_the_page_repeats_keys(heads: int, kv_heads: int) -> None:
    assert list(group_heads(heads, kv_heads)) == torch.arange(kv_heads).repeat_interleave(heads // kv_heads).tolist()
    assert [step.kv_head for step in group_heads.record(heads, kv_heads) if step.first] == [*range(kv_heads)]


@torch.no_grad()
def test_the_bytes_are_those_of_the_cache_of_the_page() -> None:
    model = small_decoder()
    _, cache = model(torch.tensor([[1, 2, 3, 4, 5], [5, 4, 3, 2, 1]]))
    stored = sum(tensor.nelement() * tensor.element_size() for layer in cache for tensor in layer)
    config = model.config
    sizes = (config["num_hidden_layers"], config["num_key_value_heads"], config["head_dim"])
    assert kv_cache_bytes(*sizes, tokens=5, sequences=2, bytes_per_number=4) == stored


@pytest.mark.parametrize("mask", [[1], [1, 1, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1], [0, 0, 0, 1], [0, 0, 1, 1, 1, 1]])
def test_keys_are_visible_as_on_the_page(mask: list[int]) -> None:
    seen = decoder.visible_keys(torch.tensor([mask]), len(mask))[0, 0]
    found = padded_keys.record(mask)
    positions = torch.tensor(mask).cumsum(-1) - 1  # as the page computes them
    for place, is_token in enumerate(mask):
        if is_token:
            assert list(found.result[place]) == seen[place].nonzero().flatten().tolist()
            assert found[place].position == positions[place]
        else:
            assert found.result[place] == () and found[place].position is None


# Min-p, and the order of the filters.


@pytest.mark.parametrize("seed", range(6))
def test_the_filters_leave_what_the_page_leaves(seed: int) -> None:
    random = Random(seed)
    logits = [random.gauss(0, 2) for _ in range(30)]
    for rules in (
        {}, {"top_k": 5}, {"top_p": 0.7}, {"min_p": 0.2}, {"min_p": 1.0}, {"top_k": 9, "top_p": 0.9, "min_p": 0.1},
    ):  # fmt: skip
        for temperature in (1.0, 0.5, 2.0):
            page = decoder.filtered(torch.tensor(logits) / temperature, **rules).tolist()  # type: ignore[arg-type]
            assert list(next_distribution(logits, temperature, **rules)) == near(page)  # type: ignore[arg-type]


@pytest.mark.parametrize("rules", [{"temperature": 0.5, "top_k": 5, "top_p": 0.7}, {"temperature": 2.0, "top_p": 0.9}])
def test_the_filters_come_in_the_order_of_lesson_17(rules: Any) -> None:
    random = Random(3)
    logits = [random.gauss(0, 2) for _ in range(30)]
    applied = [step for step in sample_next_token.record(logits, 0.5, **rules) if isinstance(step, FilterApplied)]
    assert next_distribution(logits, **rules) == applied[-1].probabilities


def test_min_p_keeps_the_supported_tokens_of_the_page() -> None:
    p = torch.tensor([0.1, 0.4, 0.2, 0.25, 0.05])
    for min_p in (0.0, 0.2, 0.45, 0.55, 0.9):
        assert (
            list(min_p_filter(p.tolist(), min_p)) == decoder.filtered(p.log(), min_p=min_p).nonzero().flatten().tolist()
        )


def test_an_uncertain_model_keeps_more_tokens() -> None:
    assert len(min_p_filter([0.9, 0.06, 0.04], 0.1)) == 1
    assert len(min_p_filter([0.4, 0.3, 0.3], 0.1)) == 3
    assert min_p_filter([0.5, 0.25, 0.25], 0.5) == (0, 1, 2)  # a tie with the limit is kept


# The loss, and the objectives.


@torch.no_grad()
def test_the_loss_is_that_of_the_page() -> None:
    model, ids = small_decoder(), [5, 3, 20, 3, 8, 1]
    rows = model(torch.tensor([ids]))[0][0].softmax(-1).tolist()
    assert next_token_loss(rows, ids) == near(model.loss(torch.tensor([ids])).item())
    assert len(next_token_loss.record(rows, ids)) == len(ids) - 1


def test_a_token_with_probability_0_has_an_infinite_loss() -> None:
    assert next_token_loss([[1.0, 0.0], [1.0, 0.0]], [0, 1]) == float("inf")


def test_the_labels_of_each_objective() -> None:
    tokens, noise = list("abcdefg"), [False, True, True, False, False, True, False]
    masked, spans, causal = compare_objectives.record(tokens, noise, ["<X>", "<Y>", "<Z>", "<W>"], "</s>")
    assert (masked.name, spans.name, causal.name) == (MASKED, SPANS, CAUSAL)
    assert masked.source == ("a", MASK, MASK, "d", "e", MASK, "g") and masked.labels == ("b", "c", "f")
    assert reconstruct(spans.source, spans.labels, ["<X>", "<Y>", "<Z>", "<W>"], "</s>") == tuple(tokens)
    assert spans.target == (START, *spans.labels[:-1])
    assert causal.target == tuple("abcdef") and causal.labels == tuple("bcdefg") and causal.source == ()
    for step in (masked, spans, causal):
        assert {tokens[place] for place in step.places} <= {*step.labels}
    assert [step.num_read for step in (masked, spans, causal)] == [7, len(spans.source) + len(spans.labels), 6]


# A model, watched.


@pytest.mark.parametrize("prompt", ["a fox", "", "the owl and the"])
def test_greedy_text_is_that_of_the_page(prompt: str) -> None:
    model, tokenizer = small_decoder(), letters()
    start = [tokenizer.special[END], *tokenizer.encode(prompt)]
    [ids] = model.generate([start], 12, end=tokenizer.special[END])
    recording = trace_decoder.record(model, tokenizer, prompt, temperature=0, max_new=12)
    assert recording.result == tokenizer.decode(id for id in ids if id != tokenizer.special[END])
    assert [step.token for step in recording[1:]] == [token_name(tokenizer, id) for id in ids]


def test_each_pass_reads_what_is_new_and_the_cache_grows() -> None:
    recording = trace_decoder.record(small_decoder(), letters(), "the owl", seed=3, max_new=6)
    opening, *passes = recording
    assert isinstance(opening, PromptEncoded) and opening.tokens == (END, *"the owl")
    assert all(isinstance(step, DecoderPass) for step in passes)
    assert passes[0].prefill and passes[0].read == opening.tokens
    for before, step in zip(passes, passes[1:], strict=False):
        assert not step.prefill and step.read == (before.token,)
        assert step.num_keys == before.num_keys + 1


@pytest.mark.parametrize("rules", [{}, {"temperature": 0.5, "top_k": 7}, {"top_p": 0.6}, {"min_p": 0.3}])
def test_the_distributions_are_those_of_a_run_without_a_cache(rules: Any) -> None:
    model, tokenizer = small_decoder(), letters()
    ids = [tokenizer.special[END], *tokenizer.encode("an owl")]
    for step in trace_decoder.record(model, tokenizer, "an owl", seed=5, max_new=6, **rules)[1:]:
        logits = last_logits(model, ids)
        name_of = {token_name(tokenizer, id): id for id in tokenizer.tokens}
        after = next_distribution(logits, **rules)
        shown = [name_of[token] for token in step.tokens]
        assert list(step.after) == near([after[id] for id in shown])
        assert list(step.before) == near([next_distribution(logits)[id] for id in shown])
        assert step.num_possible == sum(p > 0 for p in after)
        assert step.probability > 0 and step.drawn
        ids.append(name_of[step.token])


def test_the_same_seed_draws_the_same_text_and_another_one_another() -> None:
    texts = [trace_decoder(small_decoder(), letters(), "a", seed, temperature=2.0) for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


def test_the_name_of_a_special_token_in_a_prompt_is_ordinary_text() -> None:
    with pytest.raises(KeyError):  # this tokenizer has no token for "<"
        trace_decoder(small_decoder(), letters(), END)


def test_tokens_with_a_tiny_probability_are_not_shown_but_the_selected_one_is() -> None:
    for seed in range(4):
        for step in trace_decoder.record(small_decoder(), letters(), "an owl", seed, temperature=3.0, max_new=6)[1:]:
            assert step.token in step.tokens and len(step.tokens) <= SHOWN + 1
            both = zip(step.tokens, step.before, step.after, strict=True)
            assert all(max(before, after) >= LEAST or token == step.token for token, before, after in both)
