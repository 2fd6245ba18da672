"""One head taken out of a model: the numbers are the model's, and each switch does what the model does without it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.tolerance import are_close
from tokenlab.algorithms.attention.attention_output import (
    BiasAdded,
    MaskApplied,
    ScoresComputed,
    ValuesSummed,
    WeightsComputed,
    attention_output,
)
from tokenlab.algorithms.attention.relative_buckets import buckets_by_distance, relative_bucket
from tokenlab.libraries.transformers import T5Config, T5EncoderModel, T5ForConditionalGeneration, watch
from tokenlab.libraries.transformers.models.t5.layers import relative_position_bucket
from tokenlab.steps.recording import Recording
from tokenlab.traces.t5.trace_attention_head import attention_names, trace_attention_head

torch.set_num_threads(1)

LENGTHS = [1, 2, 8, 9, 10, 64]
PLACES = [
    "encoder.block.0.self_attention",
    "encoder.block.1.self_attention",
    "decoder.block.0.self_attention",
    "decoder.block.1.self_attention",
    "decoder.block.1.cross_attention",
]


class Words:
    """A tokenizer of words; </s> is 1."""

    def __init__(self) -> None:
        self.tokens = ["<pad>", "</s>", "<unk>"]

    def __call__(self, text: str) -> dict[str, list[int]]:
        for word in text.split():
            if word not in self.tokens:
                self.tokens.append(word)
        return {"input_ids": [*(self.tokens.index(word) for word in text.split()), 1]}

    def convert_ids_to_tokens(self, ids: list[int]) -> list[str]:
        return [self.tokens[id] for id in ids]


def model_of(kind: Any = T5ForConditionalGeneration, **settings: Any) -> Any:
    """A model whose heads differ visibly and whose biases matter."""
    torch.manual_seed(3)
    sizes = {"vocab_size": 80, "d_model": 16, "d_kv": 4, "d_ff": 8, "num_layers": 2, "num_heads": 3}
    model = kind(T5Config(**{**sizes, "decoder_start_token_id": 0, "dropout_rate": 0.5, **settings})).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "relative" in name or name.endswith(".q.weight"):
                parameter.mul_(6)
    return model


MODEL = model_of()


def ids(length: int, seed: int) -> list[int]:
    numbers: list[int] = torch.randint(2, 80, (length,), generator=torch.Generator().manual_seed(seed)).tolist()
    return numbers


def step_of(recording: Recording[Any, Any], kind: type) -> Any:
    return next(step for step in recording if isinstance(step, kind))


def close(rows: Any, tensor: Tensor) -> bool:
    return are_close(torch.tensor(rows), tensor)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("place", PLACES)
def test_a_recorded_head_has_the_models_numbers(place: str, length: int) -> None:
    source, target = ids(length, 1), ids(length, 2)
    recording = trace_attention_head(MODEL, None, source, place, 2, target)
    with watch(MODEL, "*") as seen, torch.no_grad():
        output = MODEL(
            torch.tensor([source]), decoder_input_ids=torch.tensor([[0, *target[:-1]]]), output_attentions=True
        )
    assert close(step_of(recording, ScoresComputed).scores, seen[f"{place}.scores"][0, 2])
    assert close(step_of(recording, WeightsComputed).weights, seen[f"{place}.weights"][0, 2])
    assert close(recording.result, seen[f"{place}.weighted_values"][0, 2])
    assert recording.result == step_of(recording, ValuesSummed).output
    stack, number, kind = place.split(".")[0], int(place.split(".")[2]), place.split(".")[3]
    attention = output[("cross" if kind == "cross_attention" else stack) + "_attentions"][number][0, 2]
    assert close(step_of(recording, WeightsComputed).weights, attention)
    kinds = [type(step) for step in recording]
    biased, masked = kind == "self_attention", place.startswith("decoder.block") and biased_and_longer(kind, length)
    assert (BiasAdded in kinds, MaskApplied in kinds) == (biased, masked)
    if biased:
        added = step_of(recording, MaskApplied if masked else BiasAdded).scores
        assert close(added, (seen[f"{place}.scores"] + seen[f"{place}.added"])[0, 2])


def biased_and_longer(kind: str, length: int) -> bool:
    return kind == "self_attention" and length > 1


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("query", [0, -1])
def test_one_query_is_one_row_of_all(length: int, query: int) -> None:
    given = (MODEL, None, ids(length, 1), "decoder.block.1.self_attention", 1, ids(length, 2))
    whole, row = trace_attention_head(*given), trace_attention_head(*given, query=query)
    assert row.result == (whole.result[query],)
    assert row.arguments["query_tokens"] == whole.arguments["query_tokens"][query:][:1]
    assert step_of(row, WeightsComputed).weights == (step_of(whole, WeightsComputed).weights[query],)


@pytest.mark.parametrize("place", ["encoder.block.1.self_attention", "decoder.block.1.self_attention"])
def test_without_the_bias_the_whole_stack_is_without(place: str) -> None:
    recording = trace_attention_head(MODEL, None, ids(9, 1), place, 0, ids(10, 2), without=["bias"])
    naive = model_of()
    with torch.no_grad():
        stack = naive.get_submodule(place.partition(".")[0])
        stack.block[0].layer[0].SelfAttention.relative_attention_bias.weight.zero_()
    other = trace_attention_head(naive, None, ids(9, 1), place, 0, ids(10, 2))
    assert recording.diff(other) is None
    assert not any(map(any, recording.arguments["bias"]))
    assert recording.diff(trace_attention_head(MODEL, None, ids(9, 1), place, 0, ids(10, 2))) is not None


def test_cross_attention_has_nothing_to_switch_off() -> None:
    given = (MODEL, None, ids(9, 1), "decoder.block.1.cross_attention", 0, ids(8, 2))
    assert trace_attention_head(*given, without=["bias", "mask"]).diff(trace_attention_head(*given)) is None


def test_without_the_mask_later_keys_get_weight() -> None:
    given = (MODEL, None, ids(3, 1), "decoder.block.1.self_attention", 0, ids(8, 2))
    for without, later in (([], False), (["mask"], True), (["mask", "bias"], True)):
        weights = torch.tensor(step_of(trace_attention_head(*given, without=without), WeightsComputed).weights)
        assert bool(weights.triu(1).sum() > 0.01) == later
        assert are_close(weights.sum(1), torch.ones(8), length=8)
    everybody = torch.ones(1, 8, 8)
    output = MODEL(
        torch.tensor([ids(3, 1)]),
        decoder_input_ids=torch.tensor([[0, *ids(8, 2)[:-1]]]),
        decoder_attention_mask=everybody,
        output_attentions=True,
    )
    assert close(
        step_of(trace_attention_head(*given, without=["mask"]), WeightsComputed).weights,
        output.decoder_attentions[1][0, 0],
    )


def test_tokens_are_named_and_the_decoder_reads_the_target_shifted() -> None:
    words = Words()
    crossed = trace_attention_head(MODEL, words, "the old man", "decoder.block.0.cross_attention", 0, "der alte")
    assert list(crossed.arguments["key_tokens"]) == ["the", "old", "man", "</s>"]
    assert list(crossed.arguments["query_tokens"]) == ["<pad>", "der", "alte"]
    own = trace_attention_head(MODEL, words, "the old man", "decoder.block.0.self_attention", 0, "der alte")
    assert list(own.arguments["key_tokens"]) == list(own.arguments["query_tokens"]) == ["<pad>", "der", "alte"]
    start = trace_attention_head(MODEL, words, "the", "decoder.block.0.cross_attention")
    assert list(start.arguments["query_tokens"]) == ["<pad>"]
    assert list(trace_attention_head(MODEL, None, [5, 6]).arguments["key_tokens"]) == ["5", "6"]


def test_a_model_in_training_is_recorded_without_dropout_and_goes_on_training() -> None:
    still = trace_attention_head(MODEL, None, ids(8, 1))
    model = model_of().train()
    assert trace_attention_head(model, None, ids(8, 1)).diff(still) is None and model.training
    with pytest.raises(ValueError, match="input_ids contains 99"):
        trace_attention_head(model, None, [99])
    assert model.training and not any(module._forward_hooks for module in model.modules())


def test_heads_keep_their_numbers_when_others_are_taken_out() -> None:
    model = model_of()
    before = trace_attention_head(model, None, ids(9, 1), PLACES[0], 2)
    model.encoder.block[0].layer[0].SelfAttention.prune_heads([1])
    after = trace_attention_head(model, None, ids(9, 1), PLACES[0], 2)
    assert close(after.result, torch.tensor(before.result)) and after.arguments["bias"] == before.arguments["bias"]
    with pytest.raises(ValueError, match=r"head=1 does not exist; .* has the heads 0, 2"):
        trace_attention_head(model, None, ids(9, 1), PLACES[0], 1)
    assert len(trace_attention_head(model, None, ids(9, 1), PLACES[1], 1)) == 4


def test_an_encoder_alone_is_recorded_too() -> None:
    model = model_of(T5EncoderModel)
    assert attention_names(model) == PLACES[:2]
    assert len(trace_attention_head(model, None, ids(9, 1), PLACES[1], 1)) == 4


def test_a_recording_survives_its_file(tmp_path: Path) -> None:
    recording = trace_attention_head(
        MODEL, Words(), "the old man", "decoder.block.1.self_attention", 0, "der alte Mann"
    )
    again = Recording.load(recording.save(tmp_path / "head.json"))
    assert again.diff(recording) is None and again.arguments == recording.arguments
    assert json.loads((tmp_path / "head.json").read_text(encoding="utf-8"))
    assert again.play().data == recording.play().data


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"attention": "encoder.block.2.self_attention"}, "no attention of this model; similar names: encoder.block"),
        ({"head": 3}, "head=3 does not exist; encoder.block.0.self_attention has the heads 0, 1, 2"),
        ({"head": -1}, "head=-1 does not exist"),
        ({"query": 2}, "query=2 does not exist: there are 2 queries"),
        ({"query": -3}, "query=-3"),
        ({"without": ["masks"]}, "without='masks' cannot be switched off; choose bias or mask"),
        ({"text": "a text"}, "is a text, and there is no tokenizer"),
        ({"text": []}, "text has no ids"),
    ],
)
def test_what_cannot_be_recorded_gets_a_sentence(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        trace_attention_head(MODEL, None, **{"text": [5, 6], **options})


# --- attend, on numbers ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (([], [[1]], [[1]]), "at least one query and one key"),
        (([[1]], [], []), "at least one query and one key"),
        (([[1]], [[1, 2]], [[1]]), "all queries and keys the same dimension"),
        (([[1]], [[1]], [[1], [2]]), "there are 1 keys and 2 values"),
        (([[1]], [[1], [2]], [[1], [2]], [[1]]), "bias should have 1 rows, one for each query"),
        (([[1]], [[1], [2]], [[1], [2]], None, [[0, 0], [0, 0]]), "mask should have"),
    ],
)
def test_sizes_that_do_not_fit_get_a_sentence(arguments: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        attention_output(*arguments)


def test_a_row_that_is_hidden_altogether_weighs_all_alike() -> None:
    lowest = torch.finfo(torch.float32).min
    recording = attention_output.record([[1.0]], [[1.0], [3.0]], [[2.0], [4.0]], None, [[lowest, lowest]])
    assert recording.result == ((3.0,),)
    assert str(recording[1]) == "the mask is added: 2 of 2 pairs are hidden"


def test_a_mask_that_hides_nothing_says_so() -> None:
    assert (
        str(attention_output.record([[1]], [[1]], [[1]], None, [[0]])[1])
        == "the mask is added: none of 1 pairs are hidden"
    )


# --- the map of buckets ---------------------------------------------------------------------------


@pytest.mark.parametrize("num_buckets", [4, 8, 16, 32, 64])
@pytest.mark.parametrize("max_distance", [16, 33, 64, 100, 128, 256])
@pytest.mark.parametrize("bidirectional", [True, False])
def test_the_map_is_the_models_wherever_there_is_one(num_buckets: int, max_distance: int, bidirectional: bool) -> None:
    if num_buckets // (4 if bidirectional else 2) >= max_distance:
        with pytest.raises(ValueError, match="is too small"):
            buckets_by_distance(bidirectional, num_buckets, max_distance)
        return
    recording = buckets_by_distance.record(bidirectional, num_buckets, max_distance)
    distances = torch.arange(-max_distance, max_distance + 1)
    buckets = relative_position_bucket(distances, bidirectional, num_buckets, max_distance)
    assert recording.result == dict(zip(distances.tolist(), buckets.tolist(), strict=True))
    told = [filled.bucket for filled in recording]
    assert sorted(told) == sorted(set(buckets.tolist())) and len(told) == len(set(told))
    for filled in recording:
        inside = [distance for distance, bucket in recording.result.items() if bucket == filled.bucket]
        assert filled.nearest == min(inside, key=abs)
        beyond = (-1 if filled.nearest < 0 else 1) * (max_distance + 500)
        goes_on = relative_bucket(beyond, bidirectional, num_buckets, max_distance) == filled.bucket
        assert filled.farthest == (None if goes_on else max(inside, key=abs))


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ((True, 3, 128), "num_buckets=3 is too small; give 4 or more"),
        ((False, 1, 128), "num_buckets=1 is too small; give 2 or more"),
        ((False, 32, 16), "max_distance=16 is too small; give 17 or more"),
    ],
)
def test_buckets_that_cannot_be_get_a_sentence(settings: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        buckets_by_distance(*settings)
