"""A T5 seen at work: shapes are those of a real pass, the loss is the model's, and the cache changes nothing."""

from __future__ import annotations

import random
from math import log
from typing import Any

import pytest
import torch

from tests.parity.t5_cases import random_config
from tests.tolerance import near
from tokenlab.libraries.transformers import T5Config, T5ForConditionalGeneration, watch
from tokenlab.traces.t5.t5_steps import CachedStep, MeanLoss, TokenLoss
from tokenlab.traces.t5.trace_decoding import ablate_mask_or_bias, trace_kv_cache, trace_token_losses
from tokenlab.traces.t5.trace_shapes import format_shape, num_elements, trace_shapes

torch.set_num_threads(1)
SOURCE, TARGET = "the dog sees", "der hund sieht"


class Letters:
    """A tokenizer whose tokens are letters."""

    def __call__(self, text: str) -> dict[str, list[int]]:
        return {"input_ids": [*(2 + ord(c) % 30 for c in text), 1]}

    def convert_ids_to_tokens(self, ids: Any) -> Any:
        return [self.convert_ids_to_tokens(id) for id in ids] if isinstance(ids, list) else f"<{ids}>"

    def decode(self, ids: list[int], skip_special_tokens: bool = False) -> str:
        return " ".join(str(id) for id in ids if id > 1 or not skip_special_tokens)


LETTERS = Letters()


def small_model(seed: int = 0, **settings: Any) -> T5ForConditionalGeneration:
    """A model whose biases, masks and places all matter."""
    torch.manual_seed(seed)
    sizes = {"vocab_size": 32, "d_model": 8, "d_kv": 4, "d_ff": 16, "num_layers": 2, "num_heads": 2}
    model = T5ForConditionalGeneration(T5Config(**sizes | {"decoder_start_token_id": 0} | settings)).eval()
    for name, parameter in model.named_parameters():
        if "relative" in name:
            torch.nn.init.normal_(parameter, std=2.0)
    return model


# Shapes.


@pytest.mark.parametrize("seed", range(12))
def test_shapes_and_parameters_are_those_of_a_real_pass(seed: int) -> None:
    dice = random.Random(seed)
    config = T5Config(**random_config(dice))
    model = T5ForConditionalGeneration(config).eval()
    batch, source, target = dice.randint(1, 3), dice.choice([1, 2, 8, 9, 10]), dice.choice([1, 2, 8, 9, 10])
    recording = trace_shapes.record(config, source, target, batch)
    ids, labels = torch.ones(batch, source, dtype=torch.long), torch.ones(batch, target, dtype=torch.long)
    with watch(model, "*") as seen, torch.no_grad():
        output = model(ids, labels=labels, output_hidden_states=True)
    stages = {f"{stage.part}.{stage.name}": stage for stage in recording}
    shown = {name: format_shape(stage.shape) for name, stage in stages.items()}
    assert shown["encoder.ids"] == ids.shape and shown["decoder.ids"] == labels.shape
    assert shown["head.logits"] == output.logits.shape
    for part, states in (("encoder", output.encoder_hidden_states), ("decoder", output.decoder_hidden_states)):
        names = [name for name in shown if name.startswith(f"{part}.") and not name.endswith("ids")]
        assert [shown[name] for name in names] == [
            *(state.shape for state in states[:-1]),
            seen[f"{part}.block.{len(states) - 2}.output"].shape,
            states[-1].shape,
        ]
        for number in range(len(states) - 1):
            inside = {name: format_shape(shape) for name, shape in stages[f"{part}.block {number}"].inner_shapes}
            assert inside.pop("feed-forward, inside") == seen[f"{part}.block.{number}.feed_forward.activations"].shape
            assert ("bias" in inside) == (number == 0)
            for name, shape in inside.items():
                kind = "cross" if name.startswith("cross ") else "self"
                point = f"{part}.block.{number}.{kind}_attention.{name.removeprefix('cross ')}"
                assert shape == seen[point].shape, point
    assert recording.result == sum(parameter.numel() for parameter in model.parameters())
    for part in ("encoder", "decoder"):
        blocks = [stage.parameters for stage in recording if stage.part == part and stage.name.startswith("block")]
        assert blocks == [sum(p.numel() for p in block.parameters()) for block in getattr(model, part).block]


def test_the_largest_t5_is_looked_at_without_being_made() -> None:
    config = T5Config(32128, 1024, 128, 65536, 24, num_heads=128)  # t5-11b
    recording = trace_shapes.record(config, 512, 114)
    assert recording.result == 11_307_321_344
    assert num_elements(dict(recording[2].inner_shapes)["scores"]) == 128 * 512 * 512


@pytest.mark.parametrize(("name", "lengths"), [("source_length", (0, 1)), ("target_length", (1, 0))])
def test_a_length_below_one_is_refused(name: str, lengths: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=f"{name}=0 is too small"):
        trace_shapes(T5Config(), *lengths)


# The loss.


def scored(recording: Any) -> list[TokenLoss]:
    return [step for step in recording if isinstance(step, TokenLoss)]


@pytest.mark.parametrize("length", [1, 2, 8, 9, 10, 16, 20, None])
def test_one_pass_and_token_by_token_give_the_loss_of_the_model(length: int | None) -> None:
    model = small_model()
    recording = trace_token_losses.record(model, LETTERS, SOURCE, TARGET, length)
    ids, labels = LETTERS(SOURCE)["input_ids"], LETTERS(TARGET)["input_ids"]
    kept = labels if length is None else (labels + [-100] * length)[:length]
    loss = model(torch.tensor([ids]), labels=torch.tensor([kept])).loss.item()
    last = recording[-1]
    assert isinstance(last, MeanLoss) and last.num_labels == min(len(labels), length or len(labels))
    assert recording.result == near(loss) == last.loss_parallel
    assert last.loss_stepwise == near(loss)
    places = scored(recording)
    assert [step.position for step in places] == list(range(len(kept))) == [step.visible - 1 for step in places]
    assert [step.input_token for step in places] == [f"<{max(0, id)}>" for id in [0, *kept[:-1]]]
    assert [step.label for step in places] == [None if id < 0 else f"<{id}>" for id in kept]
    for step in places:
        if step.log_prob_parallel is not None:
            assert step.log_prob_parallel == near(step.log_prob_stepwise)
            assert step.log_prob_parallel < 0


def test_without_the_mask_the_one_pass_sees_what_is_not_there_later() -> None:
    places = scored(trace_token_losses.record(small_model(), LETTERS, SOURCE, TARGET, causal=False))
    assert {step.visible for step in places} == {len(places)}
    apart = [step.position for step in places if abs(step.log_prob_parallel - step.log_prob_stepwise) > 1e-3]  # type: ignore[operator]
    assert apart == [step.position for step in places[:-1]]  # behind the last there is nothing to be seen


@pytest.mark.parametrize("length", [1, 2])
def test_two_places_are_the_fewest_that_show_a_missing_mask(length: int) -> None:
    model = small_model()
    with_mask, without = (
        trace_token_losses(model, LETTERS, SOURCE, TARGET, length, causal) for causal in (True, False)
    )
    assert (abs(with_mask - without) > 1e-3) == (length > 1)


def test_the_bias_is_switched_off_in_both_stacks_and_on_again() -> None:
    model = small_model()
    without = trace_token_losses(model, LETTERS, SOURCE, TARGET, bias=False)
    assert trace_token_losses(model, LETTERS, SOURCE, TARGET) != near(without)
    for name, parameter in model.named_parameters():
        if "relative" in name:
            torch.nn.init.zeros_(parameter)
    assert trace_token_losses(model, LETTERS, SOURCE, TARGET) == near(without)


def test_what_sees_says_is_what_has_weight() -> None:
    model = small_model()
    ids, labels = (torch.tensor([LETTERS(text)["input_ids"]]) for text in (SOURCE, TARGET))
    for causal in (True, False):
        point = "decoder.block.0.self_attention.weights"
        with ablate_mask_or_bias(model, causal), watch(model, point) as seen, torch.no_grad():
            model(ids, labels=labels)
        looked_at = (seen[point][0, 0] > 0).sum(-1).tolist()
        assert looked_at == [
            step.visible for step in scored(trace_token_losses.record(model, LETTERS, SOURCE, TARGET, causal=causal))
        ]


def test_what_is_written_is_what_is_most_probable() -> None:
    model = small_model(3, tie_word_embeddings=False, initializer_factor=2.0)
    last = trace_token_losses.record(model, LETTERS, SOURCE, TARGET)[-1]
    assert isinstance(last, MeanLoss)
    cached = trace_kv_cache.record(model, LETTERS, SOURCE, length=2 * (len(TARGET) + 1))
    assert last.generated == cached.result


# The cache.


@pytest.mark.parametrize("length", [1, 2, 8, 9, 10])
@pytest.mark.parametrize("target", [None, TARGET])
def test_each_step_makes_one_row_and_finds_the_others(length: int, target: str | None) -> None:
    model = small_model(num_decoder_layers=3)
    recording = trace_kv_cache.record(model, LETTERS, SOURCE, target, length, layer=2)
    assert len(recording) == length  # this model writes no end so soon
    source = len(LETTERS(SOURCE)["input_ids"])
    for place, step in enumerate(recording):
        assert isinstance(step, CachedStep)
        assert (step.position, step.num_queries, step.num_keys, step.num_source_keys) == (place, 1, place + 1, source)
        assert step.num_source_keys_computed == (0 if place else source)
        assert step.matches_uncached


def test_the_rows_are_those_of_the_whole_run() -> None:
    model = small_model()
    recording = trace_kv_cache.record(model, LETTERS, SOURCE, TARGET, layer=1)
    ids, labels = (torch.tensor([LETTERS(text)["input_ids"]]) for text in (SOURCE, TARGET))
    with watch(model, "decoder.block.1.self_attention.keys") as seen, torch.no_grad():
        logits = model(ids, labels=labels).logits[0]
    rows = seen["decoder.block.1.self_attention.keys"][0, 0]
    for step, row, scores in zip(recording, rows, logits, strict=True):
        assert step.new_key == near(row[: len(step.new_key)].tolist())
        assert step.predicted_token == f"<{scores.argmax()}>"
    assert [step.input_token for step in recording] == [f"<{id}>" for id in [0, *LETTERS(TARGET)["input_ids"][:-1]]]


def test_it_stops_at_the_end_that_the_model_writes() -> None:
    models = (small_model(seed, tie_word_embeddings=False, initializer_factor=2.0) for seed in range(100))
    recordings = (trace_kv_cache.record(model, LETTERS, SOURCE, length=9) for model in models)
    recording = next(recording for recording in recordings if 2 < len(recording) < 9)
    assert [step.predicted_token == "<1>" for step in recording] == [False] * (len(recording) - 1) + [True]
    assert [step.input_token for step in recording[1:]] == [step.predicted_token for step in recording[:-1]]


def test_a_run_that_the_cache_would_change_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    model = small_model()
    attention: Any = model.get_submodule("decoder.block.0.layer.0.SelfAttention")
    compute = attention.compute_bias
    monkeypatch.setattr(
        attention,
        "compute_bias",
        lambda queries, keys: compute(queries, keys if queries > 1 else 1).expand(-1, -1, -1, keys),
    )
    recording = trace_kv_cache.record(model, LETTERS, SOURCE, TARGET, length=3)
    assert [step.matches_uncached for step in recording] == [True, False, False]
    assert "but without a cache the logits are different" in str(recording[1])


@pytest.mark.parametrize("layer", [-1, 2])
def test_a_layer_that_is_not_there_is_refused(layer: int) -> None:
    with pytest.raises(ValueError, match=f"layer={layer} is none of the decoder's 2"):
        trace_kv_cache(small_model(), LETTERS, SOURCE, layer=layer)


def test_sentences_say_probabilities() -> None:
    assert str(TokenLoss(2, "a", "b", log(0.5), log(0.25), 3)) == (
        "position 2 reads a and should predict b: probability 0.50 in one parallel pass, 0.25 step by step"
    )
    assert str(MeanLoss(1, -0.0, 0.5, "")) == (
        "the loss is the mean over 1 position: 0.00 in one parallel pass, 0.50 step by step"
    )
