"""The quick reader of single tokens: the same numbers as the model's own forward, and no more where it may not be."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_forward_hook

from tests.libraries.transformers.test_generation import READ, SETTINGS, untrained
from tests.parity.generation_cases import MODES
from tests.tolerance import are_close
from tokenlab.libraries.transformers import T5Config, T5ForConditionalGeneration, watch
from tokenlab.libraries.transformers.generation.stopping_criteria import MaxLengthCriteria, StoppingCriteriaList
from tokenlab.libraries.transformers.models.t5.incremental_decoder import T5IncrementalDecoder, make_incremental_decoder
from tokenlab.libraries.transformers.models.t5.layers import T5Attention, T5LayerNorm
from tokenlab.libraries.transformers.models.t5.stack import T5Stack

SHAPES: list[dict[str, Any]] = [
    {"num_layers": 1, "num_decoder_layers": 3, "feed_forward_proj": "gated-gelu", "tie_word_embeddings": False},
    {"num_layers": 2, "d_kv": 3, "num_heads": 4, "layer_norm_epsilon": 0.5},
    {"num_layers": 1, "relative_attention_num_buckets": 8, "relative_attention_max_distance": 12},
]


def any_model(shape: dict[str, Any], seed: int = 0) -> Any:
    torch.manual_seed(seed)
    sizes = {"vocab_size": 20, "d_model": 12, "d_kv": 4, "d_ff": 10, "num_heads": 3, "decoder_start_token_id": 0}
    model = T5ForConditionalGeneration(T5Config(**{**sizes, **shape})).eval()
    for parameter in model.parameters():
        nn.init.normal_(parameter, mean=float(parameter.dim() == 1), std=0.5)
    return model


def begun(
    model: Any, source: Tensor, mask: Tensor | None, texts: int, start: int = 1
) -> tuple[Any, Any, T5IncrementalDecoder]:
    """The encoder's output, the cache after the start, and a quick reader that goes on."""
    encoded = model.encoder(source, mask)
    ids = torch.zeros(len(source), start, dtype=torch.long)
    cache = model(encoder_outputs=encoded, attention_mask=mask, decoder_input_ids=ids).past_key_values
    decoding = model.incremental_decoder(texts, past_key_values=cache, attention_mask=mask)
    assert decoding is not None
    return encoded, cache, decoding


SOURCE = torch.tensor([[3, 4, 5, 6, 1], [7, 8, 1, 0, 0], [9, 1, 0, 0, 0]])


@torch.no_grad()
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("start", [1, 5])
@pytest.mark.parametrize("padded", [True, False])
def test_each_token_gets_the_scores_that_forward_gives(shape: dict[str, Any], start: int, padded: bool) -> None:
    model, mask = any_model(shape), (SOURCE != 0).long() if padded else None
    encoded, cache, decoding = begun(model, SOURCE, mask, texts=3, start=start)
    for place in range(70):  # more than there is room for at first, twice
        tokens = torch.tensor([place % 20, (7 * place) % 20, 3])
        output = model(
            encoder_outputs=encoded, attention_mask=mask, decoder_input_ids=tokens[:, None], past_key_values=cache
        )
        cache = output.past_key_values
        assert are_close(decoding.compute_logits(decoding.next_hidden_states(tokens)), output.logits[:, 0]), place
    for ours, theirs in zip(decoding.past_key_values, cache, strict=True):
        assert all(are_close(*each) for each in zip(ours, theirs, strict=True))


@torch.no_grad()
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("texts", [3, 6])
def test_rows_change_places_as_in_the_models_own_cache(seed: int, texts: int) -> None:
    dice, model = random.Random(seed), any_model(SHAPES[0], seed)
    source = SOURCE.repeat_interleave(2, dim=0)
    encoded, cache, decoding = begun(model, source, None, texts)
    for _ in range(40):
        within = [2 * text + dice.randrange(2) for text in range(3) for _ in range(2)]
        parents = torch.tensor(within if texts == 3 else [dice.randrange(6) for _ in range(6)])
        cache, tokens = model._reorder_cache(cache, parents), torch.randint(20, (6,))
        decoding.reorder_cache(parents)
        output = model(encoder_outputs=encoded, decoder_input_ids=tokens[:, None], past_key_values=cache)
        cache = output.past_key_values
        assert are_close(decoding.compute_logits(decoding.next_hidden_states(tokens)), output.logits[:, 0])


@torch.no_grad()
def test_rows_of_a_text_can_become_more_and_fewer() -> None:
    model, mask = any_model(SHAPES[1]), (SOURCE != 0).long()
    encoded, cache, decoding = begun(model, SOURCE, mask, texts=3)
    three = torch.arange(3).repeat_interleave(3)
    decoding.reorder_cache(three)
    tokens = torch.arange(9)
    encoded.last_hidden_state = encoded.last_hidden_state[three]
    output = model(
        encoder_outputs=encoded,
        attention_mask=mask[three],
        decoder_input_ids=tokens[:, None],
        past_key_values=model._reorder_cache(cache, three),
    )
    assert are_close(decoding.compute_logits(decoding.next_hidden_states(tokens)), output.logits[:, 0])
    kept, cache = torch.tensor([2, 3, 7]), output.past_key_values
    decoding.reorder_cache(kept)
    encoded.last_hidden_state = encoded.last_hidden_state[kept]
    output = model(
        encoder_outputs=encoded,
        attention_mask=mask,
        decoder_input_ids=tokens[:3, None],
        past_key_values=model._reorder_cache(cache, kept),
    )
    assert are_close(decoding.compute_logits(decoding.next_hidden_states(tokens[:3])), output.logits[:, 0])


# --- in generate ------------------------------------------------------------------------------------------


def forwards(call: Callable[[], Any]) -> int:
    """How often the model's own encoder and decoder run in a call, seen from where no change is looked for."""
    count = 0

    def seen(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event == "call" and frame.f_code is T5Stack.forward.__code__

    sys.setprofile(seen)
    try:
        call()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("mode", MODES)
def test_the_model_itself_reads_only_the_source(mode: str) -> None:
    model = untrained()
    assert forwards(lambda: model.generate(READ, max_length=9, min_length=9, **SETTINGS[mode])) == 1  # the encoder


@pytest.mark.parametrize("mode", MODES)
def test_the_model_itself_reads_a_longer_prompt(mode: str) -> None:
    model, prompt = untrained(), torch.tensor([[0, 3], [0, 4]])
    settings = {"max_length": 9, "min_length": 9, "decoder_input_ids": prompt, **SETTINGS[mode]}
    assert forwards(lambda: model.generate(READ, **settings)) == 2  # the encoder and the prompt


@pytest.mark.parametrize("mode", MODES)
def test_scores_are_ordinary_tensors_that_a_processor_may_change(mode: str) -> None:
    def forbid_end(input_ids: Tensor, scores: Tensor) -> Tensor:
        scores[:, 1] = -float("inf")
        return scores

    wanted = {"return_dict_in_generate": True, "output_scores": True, "max_length": 9}
    output = untrained().generate(READ, logits_processor=[forbid_end], **wanted, **SETTINGS[mode])
    assert not any(scores.is_inference() for scores in output.scores)
    assert not (output.sequences == 1).any()


@torch.no_grad()
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"input_ids": torch.tensor([[0], [99]])}, "decoder_input_ids contains 99"),
        ({"encoder_outputs": (torch.zeros(2, 3, 5),)}, "the encoder's output has the shape"),
        ({"encoder_outputs": (torch.zeros(1, 3, 8),)}, "the encoder's output has the shape"),
        ({"attention_mask": torch.ones(2, 9)}, "encoder_attention_mask has the shape"),
        ({"attention_mask": torch.full((2, 3), -1e9)}, "encoder_attention_mask contains"),
    ],
)
def test_the_first_step_checks_its_inputs_as_forward_does(changed: dict[str, Any], message: str) -> None:
    model = untrained()
    given = {
        "input_ids": torch.zeros(2, 1, dtype=torch.long),
        "encoder_outputs": (torch.zeros(2, 3, 8),),
        "attention_mask": torch.ones(2, 3),
        "stopping_criteria": StoppingCriteriaList([MaxLengthCriteria(4)]),
    }
    assert model.greedy_search(**given).shape == (2, 4)
    with pytest.raises(ValueError, match=message):
        model.greedy_search(**{**given, **changed})


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", range(3))
def test_ids_are_the_same_either_way(mode: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    model, written = any_model(SHAPES[seed], seed), []
    settings = {**SETTINGS[mode], "return_dict_in_generate": True, "output_scores": True, "max_length": 45}
    for quick in (True, False):
        if not quick:
            monkeypatch.setattr(T5ForConditionalGeneration, "incremental_decoder", lambda *args, **kwargs: None)
        torch.manual_seed(seed)
        written.append(model.generate(SOURCE, **settings))
    assert torch.equal(written[0].sequences, written[1].sequences)
    for quick, plain in zip(written[0].scores, written[1].scores, strict=True):
        assert are_close(quick, plain)


@pytest.mark.parametrize("num_beams", [1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_beams_that_share_a_source_write_the_same_ids(
    num_beams: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With output_scores, as above, each beam has the source's keys and values for itself.
    model, written = any_model(SHAPES[seed], seed), []
    for quick in (True, False):
        if not quick:
            monkeypatch.setattr(T5ForConditionalGeneration, "incremental_decoder", lambda *args, **kwargs: None)
        written.append(model.generate(SOURCE, max_length=45, num_beams=num_beams).tolist())
    assert written[0] == written[1]


@pytest.mark.parametrize("mode", MODES)
def test_who_begins_to_watch_in_the_middle_sees_the_rest(mode: str) -> None:
    model, settings = untrained(2), {**SETTINGS[mode], "max_length": 9, "min_length": 9}
    torch.manual_seed(1)
    alone = model.generate.record(READ, **settings)
    torch.manual_seed(1)
    steps = model.generate.steps(READ, **settings)
    seen_steps = [next(steps) for _ in range(len(alone) // 2)]
    with watch(model, "decoder.*.weights") as seen:
        seen_steps += list(steps)
    assert [str(step) for step in seen_steps] == [str(step) for step in alone]
    assert 2 <= len(seen.passes["decoder.block.0.self_attention.weights"]) <= 6


def test_a_change_is_heard_at_once() -> None:
    model = untrained(2)
    steps = model.generate.steps(READ, max_length=9, min_length=9)
    plain = [step.tokens for step in model.generate.steps(READ, max_length=9, min_length=9)]
    changed = [next(steps).tokens, next(steps).tokens]
    with watch(model, "decoder.block.0.feed_forward.output", lambda name, tensor: -9 * tensor):
        changed += [step.tokens for step in steps]
    assert changed[:2] == plain[:2] and changed[2] != plain[2]


# --- when forward has to do it ----------------------------------------------------------------------------


class OtherNorm(T5LayerNorm):
    """A norm of one's own."""


def with_other_norm(model: Any) -> None:
    model.decoder.final_layer_norm = OtherNorm(8)


def with_other_forward(model: Any) -> None:
    layer = model.decoder.block[0].layer[2]
    layer.forward = lambda states: states


def with_other_biases(model: Any) -> None:
    attention = model.decoder.block[0].layer[0].SelfAttention
    attention.compute_bias = type(attention).compute_bias.__get__(attention)


def with_fewer_heads(model: Any) -> None:
    model.decoder.block[0].layer[0].SelfAttention.prune_heads([1])


def with_dropout_alone_switched_on(model: Any) -> None:
    model.decoder.dropout.train()


UNUSUAL: dict[str, Callable[[Any], Any]] = {
    "training": lambda model: model.train(),
    "dropout": with_dropout_alone_switched_on,
    "double": lambda model: model.double(),
    "hook": lambda model: model.decoder.block[0].register_forward_hook(lambda *args: None),
    "hook before": lambda model: model.lm_head.register_forward_pre_hook(lambda *args: None),
    "hook of all": lambda model: model.register_forward_hook(lambda *args: None),
    "other norm": with_other_norm,
    "other forward": with_other_forward,
    "other biases": with_other_biases,
    "fewer heads": with_fewer_heads,
}


@torch.no_grad()
@pytest.mark.parametrize("name", UNUSUAL)
def test_an_unusual_model_reads_everything_itself(name: str) -> None:
    model = untrained()
    UNUSUAL[name](model)
    output = model(READ, decoder_input_ids=torch.zeros(2, 1, dtype=torch.long))
    assert make_incremental_decoder(model, output.past_key_values, None, 2) is None
    assert forwards(lambda: model.generate(READ, max_length=6, min_length=6)) == 6


def test_a_hook_of_all_models_sees_every_token() -> None:
    model, stacks = untrained(), []
    hook = register_module_forward_hook(
        lambda module, *args: stacks.append(module) if module is model.decoder else None
    )
    try:
        model.generate(READ, max_length=6, min_length=6)
    finally:
        hook.remove()
    assert len(stacks) == 5
    assert forwards(lambda: model.generate(READ, max_length=6, min_length=6)) == 1


@torch.no_grad()
@pytest.mark.parametrize(
    ("kind", "name"), [(T5Attention, "forward"), (T5Attention, "compute_bias"), (nn.Linear, "forward")]
)
def test_a_changed_class_is_noticed(kind: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model, was = untrained(), getattr(kind, name)
    monkeypatch.setattr(kind, name, lambda *args, **kwargs: was(*args, **kwargs))
    assert forwards(lambda: model.generate(READ, max_length=6, min_length=6)) == 6
    monkeypatch.undo()
    assert forwards(lambda: model.generate(READ, max_length=6, min_length=6)) == 1


def seven(forward: Callable[..., Any]) -> Callable[..., Any]:
    """A forward that answers the same, and 7 as the likeliest token."""

    def changed(*args: Any, **kwargs: Any) -> Any:
        output = forward(*args, **kwargs)
        output.logits[..., 7] += 1000
        return output

    return changed


class Sevens(T5ForConditionalGeneration):
    forward = seven(T5ForConditionalGeneration.forward)


class AlwaysFromTheStart(T5ForConditionalGeneration):
    def prepare_inputs_for_generation(self, input_ids: Tensor, *args: Any, **kwargs: Any) -> dict[str, Any]:
        given = super().prepare_inputs_for_generation(input_ids, *args, **kwargs)
        return {**given, "decoder_input_ids": input_ids, "past_key_values": None}


class Kept(T5ForConditionalGeneration):
    def _reorder_cache(self, past: Any, beam_idx: Tensor) -> Any:
        return past


@pytest.mark.parametrize("settings", [{}, {"num_beams": 2}])
def test_a_forward_of_ones_own_is_asked_at_every_token(settings: dict[str, Any]) -> None:
    model, one = untrained(), untrained()
    one.forward = seven(one.forward)
    for own in (Sevens(model.config).eval(), one):
        ids = own.generate(READ, max_length=6, min_length=6, **settings)
        assert ids[:, 1:].tolist() == [[7] * 5] * 2


@pytest.mark.parametrize("kind", [AlwaysFromTheStart, Kept])
def test_what_a_step_is_made_of_may_be_ones_own(kind: Any) -> None:
    model = kind(untrained().config).eval()
    assert forwards(lambda: model.generate(READ, max_length=6, min_length=6, num_beams=2)) == 6  # the encoder's, too


@torch.no_grad()
def test_so_it_is_with_unusual_arguments() -> None:
    model = untrained()
    start = {"decoder_input_ids": torch.zeros(2, 1, dtype=torch.long)}
    cache = model(READ, **start).past_key_values
    assert model.incremental_decoder(2, past_key_values=cache) is not None
    assert model.incremental_decoder(2, past_key_values=None) is None
    assert model.incremental_decoder(2, past_key_values=cache, attention_mask=torch.ones(2, 1, 4)) is None
    for heads in ("head_mask", "decoder_head_mask", "cross_attn_head_mask"):
        assert model.incremental_decoder(2, past_key_values=cache, **{heads: torch.ones(1, 2)}) is None
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert model.incremental_decoder(2, past_key_values=cache) is None


@pytest.mark.parametrize("asked", ["output_attentions", "output_hidden_states"])
def test_who_asks_for_what_is_inside_gets_it(asked: str) -> None:
    model = untrained()
    output = model.generate(READ, max_length=6, min_length=6, return_dict_in_generate=True, **{asked: True})
    assert len(output["decoder_" + asked.removeprefix("output_")]) == 5


def test_without_a_cache_all_is_read_again() -> None:
    model = untrained()
    assert forwards(lambda: model.generate(READ, max_length=6, min_length=6, use_cache=False)) == 6
