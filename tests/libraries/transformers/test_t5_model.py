"""The T5 model where learners and libraries have gone wrong, and what it says to input that cannot be right."""

from __future__ import annotations

import math
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tests.tolerance import SMALL, are_close, near
from tokenlab.libraries.transformers import T5Config, T5EncoderModel, T5ForConditionalGeneration, T5Model
from tokenlab.libraries.transformers.models.t5.layers import (
    T5Attention,
    T5LayerNorm,
    clamp_float16,
    relative_position_bucket,
)
from tokenlab.libraries.transformers.module_utils import causal_mask, to_additive_mask

torch.set_num_threads(1)


def small(**settings: Any) -> T5Config:
    sizes = {"vocab_size": 12, "d_model": 8, "d_kv": 4, "d_ff": 8, "num_layers": 2, "num_heads": 2}
    return T5Config(**{**sizes, "decoder_start_token_id": 0, "dropout_rate": 0.0, **settings})


def model_of(**settings: Any) -> T5ForConditionalGeneration:
    torch.manual_seed(1)
    return T5ForConditionalGeneration(small(**settings)).eval()


def ids(*values: int) -> Tensor:
    return torch.tensor([values])


SOURCE, TARGET = ids(3, 4, 5, 1), ids(6, 7, 8, 9, 1)


# 35 and 36: scores and norm


def test_scores_are_not_divided_by_the_root_of_the_heads_width() -> None:
    attention = T5Attention(small(d_model=4, num_heads=1))
    with torch.no_grad():
        for linear in (attention.q, attention.k):
            linear.weight.copy_(torch.eye(4))
    x = torch.tensor([[[1.0, 0, 0, 0], [0, 0, 0, 0]]])
    weights = attention(x, output_attentions=True).weights
    assert weights[0, 0, 0, 0].item() == near(math.e / (math.e + 1))


def test_the_division_is_in_the_spread_of_new_queries() -> None:
    attention = T5Model(small(d_model=64, d_kv=16, num_heads=8)).encoder.block[0].layer[0].SelfAttention
    assert attention.q.weight.std().item() * 4 == pytest.approx(attention.k.weight.std().item(), rel=0.1)


def test_the_norm_of_a_constant_vector_is_one_and_not_zero() -> None:
    assert T5LayerNorm(3)(torch.tensor([-5.0, -5, -5])).tolist() == near([-1, -1, -1])


@pytest.mark.parametrize("half", [torch.float16, torch.bfloat16])
def test_squares_that_overflow_in_half_precision_do_not_hurt_the_norm(half: torch.dtype) -> None:
    normed = T5LayerNorm(4).to(half)(torch.full((4,), 1000.0, dtype=half))
    assert normed.dtype == half
    assert normed.tolist() == pytest.approx([1] * 4, rel=0.01)


# 37 and 38: tables and buckets


def test_a_model_of_six_and_six_layers_has_two_tables() -> None:
    names = model_of(num_layers=6).state_dict()
    assert [name for name in names if "relative_attention_bias" in name] == [
        f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight" for stack in ("encoder", "decoder")
    ]


def test_the_bias_of_the_first_layer_works_in_the_second() -> None:
    model = model_of()
    table = model.encoder.block[0].layer[0].SelfAttention.relative_attention_bias.weight
    with torch.no_grad():
        table.zero_()
        table[0] = 1000.0  # nobody looks at anything but itself
    for weights in model.encoder(SOURCE, output_attentions=True).attentions:
        assert torch.equal(weights[0, 0], torch.eye(4))


def test_the_decoder_has_other_buckets_than_the_encoder_from_distance_nine() -> None:
    past = -torch.arange(10)
    both = relative_position_bucket(past), relative_position_bucket(past, bidirectional=False)
    assert both[0].tolist() == [*range(9), 8]
    assert both[1].tolist() == [*range(10)]


def test_keys_after_a_query_share_one_bucket_only_where_nobody_may_look_at_them() -> None:
    assert relative_position_bucket(torch.arange(3)).tolist() == [0, 17, 18]
    assert relative_position_bucket(torch.arange(3), bidirectional=False).tolist() == [0, 0, 0]


def test_the_last_buckets_start_before_the_farthest_distance() -> None:
    far = -torch.arange(2000)
    both, past = relative_position_bucket(far), relative_position_bucket(far, bidirectional=False)
    assert (both.tolist().index(15), past.tolist().index(31)) == (91, 113)
    assert (int(both.max()), int(past.max())) == (15, 31)


def test_the_model_uses_each_direction_where_it_belongs() -> None:
    model = model_of()
    for stack, bidirectional in ((model.encoder, True), (model.decoder, False)):
        attention = stack.block[0].layer[0].SelfAttention
        positions = torch.arange(12)
        buckets = relative_position_bucket(positions - positions[:, None], bidirectional)
        assert torch.equal(
            attention.compute_bias(12, 12)[0, 1], attention.relative_attention_bias.weight[buckets][..., 1]
        )


# 39: labels


def test_the_decoder_reads_pad_and_then_the_labels_but_the_last() -> None:
    assert model_of()._shift_right(ids(7, 8, 1)).tolist() == [[0, 7, 8]]
    assert model_of(decoder_start_token_id=2, pad_token_id=3)._shift_right(ids(7, -100, -100)).tolist() == [[2, 7, 3]]


def test_labels_that_do_not_count_leave_the_loss_alone() -> None:
    model = model_of()
    padded = torch.cat([TARGET, ids(-100, -100)], dim=1)
    assert model(SOURCE, labels=padded).loss.item() == near(model(SOURCE, labels=TARGET).loss.item())


def test_the_loss_is_the_mean_surprise_of_the_labels() -> None:
    output = model_of()(SOURCE, labels=TARGET)
    surprises = -output.logits.log_softmax(-1)[0, range(5), TARGET[0]]
    assert output.loss.item() == near(surprises.mean().item())


@pytest.mark.parametrize("name", ["decoder_start_token_id", "pad_token_id"])
def test_without_a_start_labels_cannot_be_shifted(name: str) -> None:
    with pytest.raises(ValueError, match=f"config.{name} is None"):
        model_of(**{name: None})(SOURCE, labels=TARGET)


@pytest.mark.parametrize("start", [12, -1])
def test_a_start_that_is_no_id_gets_a_sentence(start: int) -> None:
    with pytest.raises(ValueError, match=f"decoder_start_token_id={start}, but ids go from 0 to 11"):
        model_of(decoder_start_token_id=start)(SOURCE, labels=TARGET)


# 40: the causal mask


def test_from_two_tokens_on_the_first_does_not_see_the_second() -> None:
    model = model_of()
    first, other = (model(SOURCE, decoder_input_ids=ids(0, second)).logits for second in (5, 6))
    assert torch.equal(first[:, 0], other[:, 0])
    assert not are_close(first[:, 1], other[:, 1], length=SMALL)


def test_the_encoder_does_see_what_follows() -> None:
    model = T5EncoderModel(small()).eval()
    assert not are_close(model(ids(3, 4))[0][:, 0], model(ids(3, 5))[0][:, 0], length=SMALL)


def test_padding_changes_nothing_for_the_rest() -> None:
    model = model_of()
    padded, mask = torch.cat([SOURCE, ids(9, 9)], dim=1), ids(1, 1, 1, 1, 0, 0)
    plain = model(SOURCE, decoder_input_ids=TARGET).logits
    assert are_close(model(padded, mask, decoder_input_ids=TARGET).logits, plain, length=SMALL)
    assert not are_close(model(padded, decoder_input_ids=TARGET).logits, plain)


def test_padding_of_the_decoder_is_not_looked_at() -> None:
    output = model_of()(
        SOURCE, decoder_input_ids=TARGET, decoder_attention_mask=ids(1, 0, 1, 1, 1), output_attentions=True
    )
    for weights in output.decoder_attentions:
        assert weights[..., 1:, :].gt(0).any(1)[0].int().tolist() == [
            [1, 0, 0, 0, 0], [1, 0, 1, 0, 0], [1, 0, 1, 1, 0], [1, 0, 1, 1, 1]]  # fmt: skip


def test_a_sentence_of_nothing_but_padding_stays_a_number() -> None:
    output = model_of()(SOURCE, SOURCE * 0, labels=TARGET)
    assert output.loss.isfinite()


def test_a_mask_for_each_query_says_it_all() -> None:
    model = model_of()
    full = torch.ones(1, 5, 5, dtype=torch.long)
    masked = model(SOURCE, decoder_input_ids=TARGET, decoder_attention_mask=full.tril()).logits
    assert are_close(masked, model(SOURCE, decoder_input_ids=TARGET).logits, length=SMALL)
    assert not are_close(
        masked, model(SOURCE, decoder_input_ids=TARGET, decoder_attention_mask=full).logits, length=SMALL
    )


def test_masks_are_added_and_finite() -> None:
    assert causal_mask(3, 3).tolist() == [[True, False, False], [True, True, False], [True, True, True]]
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        assert to_additive_mask(ids(1, 0), dtype).tolist() == [[0.0, torch.finfo(dtype).min]]


# 41: the cache


@pytest.mark.parametrize("new", [1, 2, 3])
def test_with_a_cache_only_new_tokens_are_read_and_the_scores_are_the_same(new: int) -> None:
    model, target = model_of(), ids(*(0, 6, 7, 8, 9, 10, 11, 6, 7, 8, 9, 10))
    whole = model(SOURCE, decoder_input_ids=target, use_cache=False)
    assert whole.past_key_values is None
    before = model(SOURCE, decoder_input_ids=target[:, :-new])
    after = model(SOURCE, decoder_input_ids=target[:, -new:], past_key_values=before.past_key_values)
    assert are_close(after.logits, whole.logits[:, -new:])


def test_the_cache_grows_by_the_new_rows_and_keeps_those_of_the_encoder() -> None:
    model = model_of()
    before = model(SOURCE, decoder_input_ids=TARGET).past_key_values
    after = model(SOURCE, decoder_input_ids=ids(9), past_key_values=before).past_key_values
    assert [[tensor.shape[2] for tensor in layer] for layer in after] == [[6, 6, 4, 4]] * 2
    for old, new in zip(before, after, strict=True):
        assert torch.equal(new[0][:, :, :5], old[0])
        assert new[2] is old[2] and new[3] is old[3]


def test_the_rows_of_a_cache_change_places() -> None:
    model, target = model_of(), torch.tensor([[0, 6, 7], [0, 8, 9]])
    sources, swapped = SOURCE.expand(2, -1), torch.tensor([1, 1])
    cache = model(sources, decoder_input_ids=target[:, :2]).past_key_values
    moved = model._reorder_cache(cache, swapped)
    after = model(sources, decoder_input_ids=target[:, 2:], past_key_values=moved).logits
    mixed = torch.cat([target[swapped, :2], target[:, 2:]], dim=1)
    assert are_close(after, model(sources, decoder_input_ids=mixed).logits[:, 2:])
    with pytest.warns(UserWarning, match="no cache to reorder"):
        assert model._reorder_cache(None, swapped) is None


def test_with_a_cache_the_next_step_reads_the_last_token_alone() -> None:
    model, cache = model_of(), ((),)
    first = model.prepare_inputs_for_generation(TARGET, attention_mask=SOURCE, use_cache=True, else_where=1)
    assert first["decoder_input_ids"] is TARGET and first["attention_mask"] is SOURCE and first["use_cache"]
    next_step = model.prepare_inputs_for_generation(TARGET, past_key_values=cache, encoder_outputs=(SOURCE,))
    assert next_step["decoder_input_ids"].tolist() == [[1]]
    assert next_step["past_key_values"] is cache and next_step["encoder_outputs"] == (SOURCE,)
    assert "else_where" not in first


def test_padding_is_counted_with_the_cache() -> None:
    model, mask = model_of(), ids(1, 0, 1, 1, 1)
    whole = model(SOURCE, decoder_input_ids=TARGET, decoder_attention_mask=mask).logits
    before = model(SOURCE, decoder_input_ids=TARGET[:, :4], decoder_attention_mask=mask[:, :4])
    given = {"decoder_attention_mask": mask, "past_key_values": before.past_key_values}
    assert are_close(model(SOURCE, decoder_input_ids=TARGET[:, 4:], **given).logits, whole[:, 4:])


# Outputs, tables and types


def test_tied_scores_are_scaled_and_others_are_not() -> None:
    for tied, scale in ((True, 8**-0.5), (False, 1)):
        model = model_of(tie_word_embeddings=tied)
        output = model(SOURCE, labels=TARGET, output_hidden_states=True)
        table = model.shared.weight if tied else model.lm_head.weight
        assert are_close(output.logits, output.decoder_hidden_states[-1] * scale @ table.T, length=SMALL)
        assert (model.lm_head.weight is model.shared.weight) == tied


def test_a_name_a_place_and_a_tuple_give_the_same() -> None:
    model = model_of()
    output = model(SOURCE, labels=TARGET)
    bare = model(SOURCE, labels=TARGET, return_dict=False)
    assert list(output) == ["loss", "logits", "past_key_values", "encoder_last_hidden_state"]
    assert output["logits"] is output[1] is output.logits and len(output[:2]) == 2 and len(output) == len(bare) == 4
    assert torch.equal(bare[1], output.logits) and "decoder_attentions" not in output


def test_the_encoders_output_may_be_given_instead_of_its_input() -> None:
    model = model_of()
    plain = model(SOURCE, decoder_input_ids=TARGET).logits
    for given in (model.encoder(SOURCE), model.encoder(SOURCE, return_dict=False)):
        assert torch.equal(model(encoder_outputs=given, decoder_input_ids=TARGET).logits, plain)
    vectors = {"inputs_embeds": model.shared(SOURCE), "decoder_inputs_embeds": model.shared(TARGET)}
    assert torch.equal(model(**vectors).logits, plain)


def test_a_silenced_head_gives_nothing() -> None:
    model = model_of()
    decoder = {"decoder_input_ids": TARGET, "output_attentions": True, "decoder_head_mask": torch.ones(2, 2)}
    output = model(
        SOURCE, head_mask=torch.tensor([[1, 0], [1, 1]]), cross_attn_head_mask=torch.tensor([0, 1]), **decoder
    )
    assert [int(head.count_nonzero() > 0) for head in output.encoder_attentions[0][0]] == [1, 0]
    assert [int(head.count_nonzero() > 0) for head in output.cross_attentions[1][0]] == [0, 1]
    with pytest.warns(FutureWarning, match="head_mask is also used for the decoder"):
        model(SOURCE, head_mask=torch.ones(2), decoder_input_ids=TARGET)


def test_dropout_works_in_training_alone() -> None:
    model = model_of(dropout_rate=0.5)
    assert torch.equal(model(SOURCE, labels=TARGET).loss, model(SOURCE, labels=TARGET).loss)
    model.train()
    assert not torch.equal(model(SOURCE, labels=TARGET).loss, model(SOURCE, labels=TARGET).loss)
    attention = T5Attention(small(dropout_rate=0.5)).train()
    weights = attention(torch.zeros(1, 30, 8), output_attentions=True).weights
    assert 0.3 < weights.eq(0).float().mean() < 0.7


@pytest.mark.parametrize("half", [torch.bfloat16, torch.float16])
def test_half_precision_takes_a_mask_of_heads(half: torch.dtype) -> None:
    heads = {"head_mask": torch.tensor([1.0, 0.5]), "decoder_head_mask": torch.tensor([[1, 0], [1, 1]])}
    assert model_of().to(half)(SOURCE, labels=TARGET, **heads).logits.dtype == half


@pytest.mark.parametrize("half", [torch.bfloat16, torch.float16])
def test_half_precision_stays_half_and_close(half: torch.dtype) -> None:
    model = model_of(feed_forward_proj="gated-gelu")
    exact = model(SOURCE, labels=TARGET).logits
    rough = model.to(half)(SOURCE, labels=TARGET).logits
    assert rough.dtype == half
    assert torch.allclose(rough.float(), exact, atol=0.1)


def test_infinity_in_float16_becomes_a_large_number() -> None:
    assert clamp_float16(torch.tensor([math.inf, -math.inf, 1]).half()).tolist() == [64512, -64512, 1]


def test_new_weights_spread_as_the_sizes_say() -> None:
    config = small(vocab_size=300, d_model=64, d_ff=100, initializer_factor=2, feed_forward_proj="gated-silu")
    model = T5ForConditionalGeneration(T5Config(**{**vars(config), "tie_word_embeddings": False}))
    dense = model.encoder.block[1].layer[1].DenseReluDense
    spreads = {model.shared: 2, model.lm_head: 2, dense.wi_1: 2 / 8, dense.wo: 2 / 10}
    for module, spread in spreads.items():
        assert module.weight.std().item() == pytest.approx(spread, rel=0.1)
    assert model.encoder.final_layer_norm.weight.eq(2).all()


def test_no_layer_adds_a_constant() -> None:
    assert not [name for name, _ in model_of().named_parameters() if name.endswith(".bias")]
    assert all(module.bias is None for module in model_of().modules() if isinstance(module, nn.Linear))


# Input that cannot be right


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "an id too large": ({"input_ids": ids(3, 12)}, "input_ids contains 12, but ids go from 0 to 11"),
    "a negative id": ({"decoder_input_ids": ids(-1)}, "decoder_input_ids contains -1"),
    "a label too large": ({"labels": ids(99)}, "labels contains 99, but ids go from 0 to 11, or -100"),
    "a label below all": ({"labels": ids(6, -101)}, "labels contains -101"),
    "ids without a batch": ({"input_ids": torch.tensor([3, 4])}, r"try input_ids\[None\]"),
    "a mask too short": ({"attention_mask": ids(1, 1)}, r"the shape \(1, 2\) and should have \(1, 4\)"),
    "a mask of the decoder": ({"decoder_attention_mask": ids(1)}, "decoder_attention_mask has the shape"),
    "labels of another length": ({"labels": ids(3)}, "each position predicts one label"),
    "both kinds of input": ({"inputs_embeds": torch.zeros(1, 4, 8)}, "either input_ids or inputs_embeds"),
    "no input": ({"input_ids": None}, "either input_ids or inputs_embeds"),
    "no target": ({"decoder_input_ids": None}, "either decoder_input_ids or decoder_inputs_embeds"),
    "vectors of another width": (
        {"input_ids": None, "inputs_embeds": torch.zeros(1, 4, 5)}, r"should have \(batch, length, 8\)"),
    "another batch": ({"decoder_input_ids": torch.zeros(2, 2).long()}, "to match the decoder's input"),
    "a mask of heads": ({"head_mask": torch.ones(3)}, "^head_mask has the shape"),
    "a mask of the decoder's heads": ({"decoder_head_mask": torch.ones(1, 2)}, "^decoder_head_mask has the shape"),
    "a mask of cross attention's heads": ({"cross_attn_head_mask": torch.ones(2, 1)}, "^cross_attn_head_mask has"),
    "a mask that is added": (
        {"attention_mask": torch.tensor([[0.0, 0, 0, -1e9]])}, "attention_mask contains -1000000000.0; use 1 for"),
    "a mask above one": ({"decoder_attention_mask": ids(1, 2, 1, 1, 1)}, "decoder_attention_mask contains 2"),
    "a mask of no numbers": ({"attention_mask": torch.full((1, 4), math.nan)}, "attention_mask contains nan"),
    "no sentence": ({"input_ids": torch.zeros(0, 3).long()}, r"input_ids has the shape \(0, 3\), so it is empty"),
    "no token": ({"decoder_input_ids": ids()}, r"decoder_input_ids has the shape \(1, 0\), so it is empty"),
    "no label": ({"labels": ids()}, "labels has the shape"),
    "no vector": ({"input_ids": None, "inputs_embeds": torch.zeros(1, 0, 8)}, "inputs_embeds .* so it is empty"),
    "no encoded token": ({"encoder_outputs": (torch.zeros(1, 0, 8),)}, "encoder's output .* so it is empty"),
    "another width": ({"encoder_outputs": (torch.zeros(1, 4, 7),)}, r"\(1, 4, 7\) and should have .* \(1, length, 8\)"),
    "an empty cache": ({"past_key_values": ()}, "past_key_values has 0 layers, but the decoder has 2"),
    "elsewhere": ({"input_ids": SOURCE.to("meta")}, r"input_ids is on meta and the model on cpu; take input_ids.to\("),
    "a mask elsewhere": ({"attention_mask": SOURCE.to("meta")}, "attention_mask is on meta and the model on cpu"),
    "labels elsewhere": ({"labels": TARGET.to("meta")}, "labels is on meta and the model on cpu"),
    "heads elsewhere": ({"head_mask": torch.ones(2, device="meta")}, "head_mask is on meta and the model on cpu"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_input_that_cannot_be_right_gets_a_sentence(what: str) -> None:
    given, sentence = WRONG[what]
    with pytest.raises(ValueError, match=sentence), warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        model_of()(**{"input_ids": SOURCE, "decoder_input_ids": TARGET, **given})


OTHER_TYPES: dict[str, tuple[dict[str, Any], str]] = {
    "ids with a point": ({"input_ids": SOURCE.float()}, "has the type torch.float32; take input_ids.long"),
    "ids of one byte": ({"input_ids": SOURCE.byte()}, "should hold whole numbers and has the type torch.uint8"),
    "a list": ({"input_ids": [[3, 4, 1]]}, r"input_ids should be a tensor and is a list; torch.tensor"),
    "labels in a list": ({"labels": [[3, 4, 1]]}, "labels should be a tensor"),
    "a mask in a list": ({"attention_mask": [[1, 1, 1, 0]]}, "attention_mask should be a tensor"),
    "heads in a list": ({"head_mask": [1, 0]}, "head_mask should be a tensor"),
    "vectors in a list": ({"input_ids": None, "inputs_embeds": [[[0.0] * 8]]}, "inputs_embeds should be a tensor"),
    "a mask of complex numbers": ({"attention_mask": torch.ones(1, 4) * 1j}, "attention_mask should hold zeros"),
    "a tensor for them": ({"encoder_outputs": torch.zeros(1, 4, 8)}, r"is a Tensor .* give \(tensor,\)"),
    "none of them": ({"encoder_outputs": ()}, "encoder_outputs should be the encoder's output"),
    "a list among the encoder's outputs": ({"encoder_outputs": ([[0.0]],)}, "the encoder's output should be a tensor"),
}  # fmt: skip


@pytest.mark.parametrize("what", OTHER_TYPES)
def test_input_of_another_type_gets_a_sentence(what: str) -> None:
    given, sentence = OTHER_TYPES[what]
    with pytest.raises(TypeError, match=sentence), warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        model_of()(**{"input_ids": SOURCE, "decoder_input_ids": TARGET, **given})


def test_ids_of_two_sizes_and_masks_of_any_type_are_right() -> None:
    model = model_of()
    plain = model(SOURCE, ids(1, 1, 1, 0), labels=TARGET).loss
    for mask in (torch.tensor([[True, True, True, False]]), torch.tensor([[1.0, 1, 1, 0]]).half()):
        assert torch.equal(model(SOURCE.int(), mask, labels=TARGET.int()).loss, plain)


def test_a_mask_may_say_the_same_to_all_queries() -> None:
    model, mask = model_of(), ids(1, 1, 0, 1)
    for_all = model(SOURCE, mask[:, None], labels=TARGET).loss
    assert torch.equal(for_all, model(SOURCE, mask, labels=TARGET).loss)


def test_a_cache_of_another_sentence_gets_a_sentence() -> None:
    model = model_of()
    cache = model(SOURCE, decoder_input_ids=TARGET).past_key_values
    short = (cache[0], tuple(tensor[:, :, :-1] for tensor in cache[1]))
    sentences = {
        cache[:1]: "past_key_values has 1 layers, but the decoder has 2",
        short: r"past_key_values\[1\]\[0\], keys, has the shape",
        tuple(layer[:2] for layer in cache): "should have 4 tensors",
        (cache[0], None): "should have 4 tensors",
        (cache[0], tuple(tensor.to("meta") for tensor in cache[1])): r"\[1\]\[0\], keys, is on meta",
        tuple(tuple(torch.cat([tensor, tensor]) for tensor in layer) for layer in cache): "keys, has the shape",
    }
    for wrong, sentence in sentences.items():
        with pytest.raises(ValueError, match=sentence):
            model(SOURCE, decoder_input_ids=ids(3), past_key_values=wrong)
    with pytest.raises(TypeError, match="values, should be a tensor and is a NoneType"):
        model(SOURCE, decoder_input_ids=ids(3), past_key_values=((cache[0][0], None, None, None), cache[1]))
    with pytest.raises(ValueError, match="keys of the encoder's output, has the shape"):
        model(SOURCE[:, :3], decoder_input_ids=ids(3), past_key_values=cache)


def test_labels_of_which_none_counts_give_a_warning_and_no_number() -> None:
    with pytest.warns(UserWarning, match="every position is ignored"):
        assert model_of()(SOURCE, labels=TARGET * 0 - 100).loss.isnan()


def test_a_label_that_does_not_count_gets_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model_of()(SOURCE, labels=ids(6, -100)).loss.isfinite()


def test_a_cache_fits_where_heads_were_taken_out() -> None:
    model = model_of()
    model.decoder.block[0].layer[1].EncDecAttention.prune_heads([0])
    before = model(SOURCE, decoder_input_ids=TARGET[:, :4])
    after = model(SOURCE, decoder_input_ids=TARGET[:, 4:], past_key_values=before.past_key_values)
    assert are_close(after.logits, model(SOURCE, decoder_input_ids=TARGET).logits[:, 4:])


def test_an_encoder_keeps_no_cache() -> None:
    with pytest.raises(ValueError, match="use_cache=True is for a decoder"):
        model_of().encoder(SOURCE, use_cache=True)


# The configuration


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"d_model": 0}, "d_model=0 should be a whole number"),
        ({"vocab_size": 1.5}, "vocab_size=1.5"),
        ({"num_decoder_layers": -1}, "num_decoder_layers=-1"),
        ({"num_heads": True}, "num_heads=True"),
        ({"relative_attention_num_buckets": 3}, "relative_attention_num_buckets=3 is too few"),
        ({"relative_attention_max_distance": 16}, "relative_attention_max_distance=16 should be above 16"),
        ({"dropout_rate": 1.1}, "dropout_rate=1.1"),
        ({"dropout_rate": "0.1"}, "dropout_rate='0.1'"),
        ({"layer_norm_epsilon": -1}, "layer_norm_epsilon=-1"),
        ({"layer_norm_epsilon": math.nan}, "layer_norm_epsilon=nan"),
        ({"initializer_factor": -1}, "initializer_factor=-1"),
        ({"initializer_factor": math.inf}, "initializer_factor=inf"),
        ({"feed_forward_proj": None}, "feed_forward_proj=None"),
        ({"feed_forward_proj": "gated"}, "feed_forward_proj='gated'"),
        ({"feed_forward_proj": "a-gated-relu"}, "feed_forward_proj='a-gated-relu'"),
        ({"dense_act_fn": "new"}, "dense_act_fn='new'"),
        ({"model_type": "bert"}, "another model"),
    ],
)
def test_impossible_sizes_get_a_sentence(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        T5Config.from_dict(settings)


def test_a_configuration_comes_back_from_its_file(tmp_path: Path) -> None:
    config = small(num_decoder_layers=5, feed_forward_proj="gated-gelu", tie_word_embeddings=False, task={"a": 1})
    config.to_json_file(tmp_path / "config.json")
    again = T5Config.from_json_file(tmp_path / "config.json")
    assert again == config != small()
    assert (again.hidden_size, again.num_hidden_layers, again.num_decoder_layers, again.task) == (8, 2, 5, {"a": 1})


@pytest.mark.parametrize(("text", "sentence"), [('{"d_model": 8', "not complete JSON"), ("[1]", "JSON object")])
def test_a_torn_configuration_gets_a_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "config.json").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=sentence):
        T5Config.from_json_file(tmp_path / "config.json")


def test_a_configuration_needs_no_pytorch() -> None:
    code = (
        "import sys; from tokenlab.libraries.transformers import T5Config; T5Config(); sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
