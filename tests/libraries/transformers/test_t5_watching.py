"""Watching a T5: what is recorded is what the model computes, and a change does what the same change by hand does."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tests.tolerance import SMALL, are_close
from tokenlab.libraries.transformers import T5Config, T5EncoderModel, T5ForConditionalGeneration, T5Model, points, watch
from tokenlab.libraries.transformers.models.t5.layers import T5Attention
from tokenlab.libraries.transformers.models.t5.stack import T5Stack

torch.set_num_threads(1)

CAUSAL, BIAS = "decoder.block.0.self_attention.mask", "decoder.block.0.self_attention.bias"
LENGTHS = [1, 2, 8, 9, 10, 64]


def small(**settings: Any) -> T5Config:
    sizes = {"vocab_size": 12, "d_model": 8, "d_kv": 4, "d_ff": 8, "num_layers": 2, "num_heads": 2}
    return T5Config(**{**sizes, "decoder_start_token_id": 0, "dropout_rate": 0.0, **settings})


def model_of(kind: Any = T5ForConditionalGeneration, **settings: Any) -> Any:
    torch.manual_seed(1)
    return kind(small(**settings)).eval()


def ids(length: int, seed: int = 0) -> Tensor:
    return torch.randint(2, 12, (1, length), generator=torch.Generator().manual_seed(seed))


SOURCE, TARGET = ids(4, 1), ids(5, 2)


def hooks(model: nn.Module) -> int:
    return sum(len(module._forward_hooks) for module in model.modules())


# --- recording ------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", LENGTHS)
def test_the_weights_recorded_are_the_attentions_of_the_model(length: int) -> None:
    model = model_of()
    padding = torch.ones(1, length).long()
    padding[:, length // 2 + 1 :] = 0
    with watch(model, "*.weights") as seen:
        output = model(ids(length), padding, decoder_input_ids=ids(length, 1), output_attentions=True)
    for number in range(2):
        encoder, decoder = f"encoder.block.{number}", f"decoder.block.{number}"
        assert seen[f"{encoder}.self_attention.weights"] is output.encoder_attentions[number]
        assert seen[f"{decoder}.self_attention.weights"] is output.decoder_attentions[number]
        assert seen[f"{decoder}.cross_attention.weights"] is output.cross_attentions[number]
    assert len(seen) == 6


def test_the_streams_recorded_are_the_hidden_states_of_the_model() -> None:
    model = model_of()
    with watch(model, ["*.embedded", "*coder.output", "*coder.block.?.output"]) as seen:
        output = model(SOURCE, decoder_input_ids=TARGET, output_hidden_states=True)
    for stack, states in (("encoder", output.encoder_hidden_states), ("decoder", output.decoder_hidden_states)):
        names = [f"{stack}.embedded", f"{stack}.block.0.output", f"{stack}.output"]
        assert all(torch.equal(seen[name], state) for name, state in zip(names, states, strict=True))


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("place", ["encoder.block.1.self_attention", "decoder.block.1.self_attention"])
def test_what_is_recorded_of_a_layer_is_one_computation(length: int, place: str) -> None:
    model = model_of()
    first = place.replace(".1.", ".0.")
    with watch(model, [f"{place}.*", f"{first}.bias", f"{first}.mask", f"{first}.added"]) as seen:
        model(ids(length), decoder_input_ids=ids(length, 1))
    point = {name.rpartition(".")[2]: tensor for name, tensor in seen.items()}
    assert torch.equal(point["scores"], point["queries"] @ point["keys"].transpose(2, 3))
    assert seen[f"{first}.added"] is seen[f"{place}.added"]  # made once and handed on
    assert torch.equal(point["added"], point["bias"] + point.get("mask", torch.zeros(())))
    weights = (point["scores"] + point["added"]).softmax(-1)
    assert are_close(point["weights"], weights, length=8)
    assert are_close(point["weighted_values"], weights @ point["values"], length=8)
    attention = dict(model.named_modules())[place.replace("self_attention", "layer.0.SelfAttention")]
    assert torch.equal(point["output"], attention.o(point["weighted_values"].transpose(1, 2).flatten(2)))
    assert ("mask" in point) == (length > 1 and place.startswith("decoder"))


@pytest.mark.parametrize("feed_forward_proj", ["relu", "gated-gelu"])
def test_the_activations_of_the_feed_forward_layer_are_those_before_it_goes_back(feed_forward_proj: str) -> None:
    model = model_of(feed_forward_proj=feed_forward_proj)
    with watch(model, "encoder.block.0.feed_forward.*") as seen:
        model.encoder(SOURCE)
    dense = model.encoder.block[0].layer[1].DenseReluDense
    inner, outer = seen.values()
    assert inner.shape == (1, 4, 8)
    assert torch.equal(dense.wo(inner), outer)
    assert feed_forward_proj != "relu" or inner.min() == 0


def test_of_a_generation_every_step_is_there() -> None:
    model = model_of()
    with watch(model, "decoder.block.0.*attention.weights") as seen:
        cache = None
        for token in TARGET[0]:
            cache = model(SOURCE, decoder_input_ids=token.view(1, 1), past_key_values=cache).past_key_values
    own, cross = seen.passes.values()
    assert [weights.shape[2:] for weights in own] == [(1, keys) for keys in range(1, 6)]
    assert [weights.shape[2:] for weights in cross] == [(1, 4)] * 5
    assert seen["decoder.block.0.self_attention.weights"] is own[-1]


@pytest.mark.parametrize(("keep", "lengths"), [(None, [1, 2, 3]), (2, [2, 3]), (1, [3]), (0, [])])
def test_only_as_many_passes_are_kept_as_are_wanted(keep: int | None, lengths: list[int]) -> None:
    model = model_of(T5EncoderModel)
    with watch(model, "encoder.output", keep=keep) as seen:
        for length in (1, 2, 3):
            model(ids(length))
    assert [states.shape[1] for states in seen.passes.get("encoder.output", [])] == lengths


# --- changing -------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", LENGTHS)
def test_without_the_causal_mask_everybody_sees_everybody(length: int) -> None:
    model, target = model_of(), ids(length, 3)
    with watch(model, CAUSAL, lambda name, mask: torch.zeros_like(mask)):
        changed = model(SOURCE, decoder_input_ids=target).logits
    everybody = torch.ones(1, length, length)
    assert torch.equal(changed, model(SOURCE, decoder_input_ids=target, decoder_attention_mask=everybody).logits)
    assert torch.equal(changed, model(SOURCE, decoder_input_ids=target).logits) == (length == 1)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("heads", [[0], [1], [0, 1]])
def test_without_the_bias_of_some_heads_the_table_might_as_well_be_zero_there(length: int, heads: list[int]) -> None:
    model, target = model_of(), ids(length, 3)

    def switch_off(name: str, bias: Tensor) -> None:
        bias[:, heads] = 0

    with watch(model, BIAS, switch_off):
        changed = model(SOURCE, decoder_input_ids=target).logits
    naive = copy.deepcopy(model)
    with torch.no_grad():
        naive.decoder.block[0].layer[0].SelfAttention.relative_attention_bias.weight[:, heads] = 0
    assert torch.equal(changed, naive(SOURCE, decoder_input_ids=target).logits)
    assert torch.equal(changed, model(SOURCE, decoder_input_ids=target).logits) == (length == 1)


def test_a_mask_for_all_heads_may_become_one_for_each() -> None:
    model = model_of()

    def for_one_head(name: str, mask: Tensor) -> Tensor:
        mask = mask.repeat(1, 2, 1, 1)
        mask[:, 1] = 0
        return mask

    with watch(model, CAUSAL, for_one_head):
        blind = model(SOURCE, decoder_input_ids=TARGET, output_attentions=True).decoder_attentions
    for weights in blind:  # the first layer hands its mask on
        assert torch.equal(weights[0, 0], weights[0, 0].tril())
        assert weights[0, 1].min() > 0


def test_what_one_layer_adds_can_be_changed_for_it_alone() -> None:
    model = model_of(num_layers=3)
    with watch(model, "decoder.block.1.self_attention.added", lambda name, added: added * 0):
        changed = model(SOURCE, decoder_input_ids=TARGET, output_attentions=True).decoder_attentions
    assert [bool(torch.equal(weights, weights.tril())) for weights in changed] == [True, False, True]


def test_a_head_silenced_by_its_weights_is_one_silenced_by_the_mask_of_heads() -> None:
    model = model_of()

    def silence(name: str, weights: Tensor) -> Tensor:
        return weights * torch.tensor([0.0, 1.0]).view(2, 1, 1)

    with watch(model, "encoder.block.1.self_attention.weights", silence):
        changed = model.encoder(SOURCE)[0]
    assert torch.equal(changed, model.encoder(SOURCE, head_mask=torch.tensor([[1, 1], [0, 1]]))[0])


def test_scores_divided_on_the_way_are_those_of_smaller_queries() -> None:
    model = model_of()
    with watch(model, "encoder.*.scores", lambda name, scores: scores / 2):
        divided = model.encoder(SOURCE)[0]
    naive = copy.deepcopy(model)
    with torch.no_grad():
        for block in naive.encoder.block:
            block.layer[0].SelfAttention.q.weight /= 2
    assert are_close(divided, naive.encoder(SOURCE)[0], length=SMALL)
    assert not are_close(divided, model.encoder(SOURCE)[0], length=SMALL)


def test_a_change_is_the_same_with_a_cache_as_without() -> None:
    model, target = model_of(), ids(10, 5)
    with watch(model, ["decoder.*.keys", BIAS], lambda name, tensor: tensor * 2):
        whole = model(SOURCE, decoder_input_ids=target).logits
        first = model(SOURCE, decoder_input_ids=target[:, :4])
        rest = model(SOURCE, decoder_input_ids=target[:, 4:], past_key_values=first.past_key_values).logits
    assert are_close(rest, whole[:, 4:])
    assert not are_close(whole, model(SOURCE, decoder_input_ids=target).logits)


def test_a_change_in_place_leaves_gradients_and_the_model_alone() -> None:
    model = model_of()

    def silence(name: str, weights: Tensor) -> None:
        weights[:, 0] = 0

    with watch(model, "encoder.block.0.self_attention.weights", silence):
        model(SOURCE, labels=TARGET).loss.backward()
    attention = model.encoder.block[0].layer[0].SelfAttention
    of_queries = attention.q.weight.grad.view(2, 4, 8).abs().sum((1, 2))
    assert of_queries[0] == 0 < of_queries[1]


def test_gradients_reach_what_was_seen() -> None:
    model = model_of()
    with watch(model, "encoder.block.0.self_attention.scores") as seen:
        loss = model(SOURCE, labels=TARGET).loss
    (scores,) = seen.values()
    (gradient,) = torch.autograd.grad(loss, scores)
    assert gradient.abs().sum() > 0 and are_close(gradient.sum(-1), torch.zeros(1, 2, 4), length=8)


def test_a_factor_in_a_change_can_be_learned() -> None:
    model, factor = model_of(), torch.ones(2, 1, 1, requires_grad=True)
    with watch(model, "encoder.block.0.self_attention.bias", lambda name, bias: bias * factor):
        model(SOURCE, labels=TARGET).loss.backward()
    assert factor.grad is not None and factor.grad.abs().min() > 0


@pytest.mark.parametrize("half", [torch.bfloat16, torch.float16])
def test_half_precision_stays_half(half: torch.dtype) -> None:
    model = model_of().to(half)
    with watch(model, "decoder.*", lambda name, tensor: tensor.float()) as seen:
        logits = model(SOURCE, decoder_input_ids=TARGET).logits
    assert logits.dtype == half and {tensor.dtype for tensor in seen.values()} == {half}
    assert torch.equal(logits, model(SOURCE, decoder_input_ids=TARGET).logits)


# --- watches and their ends -----------------------------------------------------------------------


def test_an_outer_watch_sees_what_an_inner_one_makes() -> None:
    model, name = model_of(), "encoder.block.0.self_attention.scores"
    with watch(model, name) as outer:
        with (
            watch(model, name, lambda _, scores: scores + 1),
            watch(model, name, lambda _, scores: scores * 2) as inner,
        ):
            model.encoder(SOURCE)
        model.encoder(SOURCE)
    changed, plain = outer.passes[name]
    assert torch.equal(inner[name], plain * 2) and torch.equal(changed, plain * 2 + 1)
    assert len(inner.passes[name]) == 1


def test_hooks_go_also_after_an_error() -> None:
    model = model_of()
    with pytest.raises(RuntimeError, match="mine"), watch(model, "*"):
        assert hooks(model) == len(points(model))
        raise RuntimeError("mine")
    assert hooks(model) == 0
    with pytest.raises(ZeroDivisionError), watch(model, "*.scores", lambda name, scores: scores * (1 / 0)):
        model.encoder(SOURCE)
    assert hooks(model) == 0


def test_nobody_who_watches_leaves_a_trace_in_a_model() -> None:
    model = model_of()
    before = list(model.state_dict())
    plain = model(SOURCE, labels=TARGET).logits
    with watch(model, "*") as seen:
        watched = model(SOURCE, labels=TARGET).logits
        assert list(model.state_dict()) == before
    assert torch.equal(plain, watched) and torch.equal(plain, model(SOURCE, labels=TARGET).logits)
    assert not any("points" in name for name in before) and len(seen.passes["encoder.output"]) == 1


def test_where_nobody_watches_no_module_of_a_point_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nn.Identity, "forward", lambda self, tensor: pytest.fail("called"))
    model_of()(SOURCE, labels=TARGET)


def test_all_points_pass_but_masks_that_hide_nothing() -> None:
    model = model_of()
    with watch(model, "*") as seen:
        model(SOURCE, SOURCE * 0 + 1, labels=TARGET)
    assert list(seen) == points(model) and len(points(model)) == 2 * 8 + 4 * 8 + 2 * 2 + 4 * 3 + 2 * 2
    with watch(model, "*") as seen:
        model(SOURCE, labels=TARGET[:, :1])
    hidden = [name for name in points(model) if name not in seen]
    assert hidden == [
        "encoder.block.0.self_attention.mask",
        CAUSAL,
        "decoder.block.0.cross_attention.added",
        "decoder.block.1.cross_attention.added",
    ]
    with pytest.raises(KeyError, match="a mask is recorded only if something is masked"):
        seen[CAUSAL]
    with pytest.raises(KeyError, match=r"'decoder.block.0.cross_attention.bias' is not watched here; similar names:"):
        seen["decoder.block.0.cross_attention.bias"]


def test_each_kind_of_model_has_points() -> None:
    decoder = small()
    decoder.is_decoder = True
    assert "block.1.cross_attention.scores" in points(T5Stack(decoder))
    assert not any("cross" in name for name in points(T5EncoderModel(small())))
    assert set(points(T5Model(small()))) == set(points(model_of()))
    attention = T5Attention(T5Config(**{**vars(small()), "is_decoder": False}))
    with watch(attention, "weights") as seen:
        attention(torch.zeros(1, 3, 8))
    assert are_close(seen["weights"], torch.full((1, 2, 3, 3), 1 / 3), length=8)


def test_several_patterns_and_every_name_once() -> None:
    with watch(model_of(), ["encoder.block.?.self_attention.scores", "*.scores"]) as seen:
        pass
    assert len(seen) == 0 and repr(seen) == "ActivationCache()"
    with watch(model_of(T5EncoderModel), iter(["*.0.*.scores", "*.scores"])) as seen:
        assert list(seen._kept) == [f"encoder.block.{n}.self_attention.scores" for n in (0, 1)]


@pytest.mark.parametrize(
    ("pattern", "sentence"),
    [
        ("decoder.block.0.cross_attention.bias", "similar names: decoder.block.0"),
        ("encoder.block.1.self_attention.bias", r"similar names: encoder.block.\d.self_attention"),
        (["*.scores", "*.score"], r"pattern='\*.score' matches no hook point"),
        ("", r"points\(model\) lists all names"),
    ],
)
def test_a_pattern_that_fits_nothing_is_told_what_is_near(pattern: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence), watch(model_of(), pattern):
        pass


def test_no_pattern_is_an_error_too() -> None:
    with pytest.raises(ValueError, match="pattern is empty"), watch(model_of(), []):
        pass


def test_a_model_without_points_is_told_so() -> None:
    with pytest.raises(ValueError, match="Linear has no hook points"), watch(nn.Linear(1, 1), "*"):
        pass


@pytest.mark.parametrize(
    ("answer", "error", "sentence"),
    [
        (lambda name, scores: 3.0, TypeError, "returned a float; it should return a tensor or None"),
        (lambda name, scores: scores[:, :1], ValueError, r"returned the shape \(1, 1, 4, 4\)"),
        (lambda name, scores: scores[0], ValueError, r"but the tensor has \(1, 2, 4, 4\)"),
    ],
)
def test_a_change_that_does_not_fit_gets_a_sentence(answer: Any, error: type[Exception], sentence: str) -> None:
    model = model_of()
    with pytest.raises(error, match=sentence), watch(model, "encoder.block.0.*.scores", answer):
        model.encoder(SOURCE)
    assert hooks(model) == 0
