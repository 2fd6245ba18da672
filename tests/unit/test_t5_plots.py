"""The curves of a T5's biases say what its attention adds."""

from __future__ import annotations

import pytest
import torch

from tokenlab.libraries.transformers import T5Config, T5ForConditionalGeneration
from tokenlab.libraries.transformers.models.t5.layers import relative_position_bucket
from tokenlab.show.plots import plot_position_biases, position_biases


@pytest.fixture(scope="module")
def model() -> T5ForConditionalGeneration:
    """Each bias says its stack, bucket and head: 1302 is the decoder's bucket 30 for head 2."""
    model = T5ForConditionalGeneration(T5Config(9, 8, 2, 8, 1, num_heads=3))
    for number, stack in enumerate((model.encoder, model.decoder)):
        table = stack.block[0].layer[0].SelfAttention.relative_attention_bias.weight
        with torch.no_grad():
            table.copy_(1000 * number + 10 * torch.arange(32)[:, None] + torch.arange(3))
    return model


@pytest.mark.parametrize("farthest", [1, 9, 40, 200])
def test_a_curve_has_the_bias_of_each_distance(model: T5ForConditionalGeneration, farthest: int) -> None:
    places = range(-farthest, farthest + 1)
    for start, stack, both_ways in ((0, model.encoder, True), (1000, model.decoder, False)):
        buckets = relative_position_bucket(torch.tensor(places), bidirectional=both_ways).tolist()
        assert position_biases(stack, places) == [
            [start + 10 * bucket + head for bucket in buckets] for head in range(3)
        ]


def test_a_part_of_the_places_may_be_asked_for(model: T5ForConditionalGeneration) -> None:
    assert [curve[0] for curve in position_biases(model.encoder, range(-9, 0))] == [80, 81, 82]
    assert position_biases(model.decoder, range(-9, -8)) == [[1090], [1091], [1092]]
    assert position_biases(model.encoder, range(1)) == [[0], [1], [2]]


def test_both_stacks_are_drawn_and_the_decoder_only_looks_back(model: T5ForConditionalGeneration) -> None:
    figure = plot_position_biases(model, farthest=12)
    encoder, decoder = figure.axes
    assert (encoder.get_title(), decoder.get_title()) == ("encoder", "decoder")
    for axes, stack, places in ((encoder, model.encoder, range(-12, 13)), (decoder, model.decoder, range(-12, 1))):
        drawn = [line.get_xydata().tolist() for line in axes.lines]
        assert drawn == [
            [list(at) for at in zip(places, curve, strict=True)] for curve in position_biases(stack, places)
        ]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["head 0", "head 1", "head 2"]
    assert len({line.get_marker() for line in encoder.lines}) == 3


def test_a_distance_of_zero_is_no_curve(model: T5ForConditionalGeneration) -> None:
    with pytest.raises(ValueError, match="farthest=0"):
        plot_position_biases(model, farthest=0)
