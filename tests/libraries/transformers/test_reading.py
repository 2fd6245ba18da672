"""What tools for a text ask of `generate`: where the ids lie, and settings by which it would answer in another way."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.libraries.transformers.test_t5_seen import LETTERS, SOURCE, small_model
from tokenlab import data
from tokenlab.algorithms.decoding.stopping_rule import StoppingCheck
from tokenlab.libraries.transformers import T5ForConditionalGeneration, T5Tokenizer
from tokenlab.libraries.transformers.generation.beam_steps import BeamsSelected, FinalHypotheses
from tokenlab.traces.generation.trace_beam_search import (
    trace_beam_search,
    trace_constrained_beam_search,
    trace_group_beam_search,
)
from tokenlab.traces.generation.trace_contrastive import trace_contrastive_search
from tokenlab.traces.generation.trace_next_token import trace_next_token
from tokenlab.traces.generation.trace_sampling import sample_many, trace_cross_attention, trace_sampling

ELSEWHERE = torch.device("meta")
Tool = Callable[..., Any]


class ReadError(Exception):
    """A model has begun to read."""


class Elsewhere:
    """A model on another device, which stops as soon as it reads."""

    device = ELSEWHERE
    config = SimpleNamespace(decoder_start_token_id=0, num_decoder_layers=2)

    def __init__(self) -> None:
        model = small_model()
        self.generation_config, self._settings, self.named_modules = (
            model.generation_config,
            model._settings,
            model.named_modules,
        )

    def __call__(self, ids: Tensor, *args: Any, **kwargs: Any) -> Any:
        raise ReadError(ids.device)

    steps = __call__

    @property
    def generate(self) -> Any:
        return self

    def get_encoder(self) -> Any:
        return self


def translator() -> tuple[Any, Any]:
    folder = data.t5_tiny()
    return T5ForConditionalGeneration.from_pretrained(folder).eval(), T5Tokenizer.from_pretrained(folder)


TOOLS: list[Tool] = [
    trace_sampling,
    sample_many,
    trace_beam_search,
    trace_group_beam_search,
    trace_contrastive_search,
    trace_next_token,
    lambda *args: trace_constrained_beam_search(*args, "Vogel"),
]


@pytest.mark.parametrize("tool", TOOLS)
def test_what_is_read_lies_where_the_model_is(tool: Tool) -> None:
    _, tokenizer = translator()
    with pytest.raises(ReadError, match="meta"):
        tool(Elsewhere(), tokenizer, "a dog")


def test_contrastive_search_starts_where_the_model_is(monkeypatch: pytest.MonkeyPatch) -> None:
    model, starts = small_model(), []
    monkeypatch.setattr(model, "get_encoder", lambda: lambda ids, **kwargs: ids)
    monkeypatch.setattr(type(model), "device", ELSEWHERE)
    monkeypatch.setattr(model, "greedy_search", lambda start, **kwargs: starts.append(start.device) or 1 / 0)
    with pytest.raises(ZeroDivisionError):
        trace_contrastive_search(model, LETTERS, SOURCE)
    assert starts == [ELSEWHERE]


@pytest.mark.parametrize(
    "settings",
    [{"num_beams": 1}, {"num_beam_groups": 2}, {"do_sample": True}, {"num_beams": 1, "penalty_alpha": 0.6, "top_k": 4}],
)
def test_a_search_with_beams_says_that_something_else_is_asked_for(settings: dict[str, Any]) -> None:
    model, tokenizer = translator()
    for tool, words in ((trace_beam_search, {}), (trace_constrained_beam_search, {"words": "Vogel"})):
        with pytest.raises(
            ValueError, match=r"these settings select (?!beam_search;).*; this function shows beam search"
        ):
            tool(model, tokenizer, "a dog", **words, **settings)


def test_what_a_search_shows_is_its_own() -> None:
    model, tokenizer = translator()
    assert {type(step) for step in trace_beam_search.record(model, tokenizer, "a dog", 2)} == {
        BeamsSelected,
        StoppingCheck,
        FinalHypotheses,
    }
    with pytest.raises(ValueError, match="these settings select constrained_beam_search"):
        trace_beam_search(model, tokenizer, "a dog", force_words_ids=[[5]])


@pytest.mark.parametrize("tool", [trace_sampling, trace_cross_attention])
def test_several_outputs_are_not_shown_as_one(tool: Tool) -> None:
    several = {"do_sample": True, "num_return_sequences": 6, "eos_token_id": [1, 3]}
    with pytest.raises(ValueError, match="num_return_sequences=6 outputs are requested, and one is shown"):
        tool(small_model(), LETTERS, SOURCE, **several)
    assert tool(small_model(), LETTERS, SOURCE, num_return_sequences=1) == tool(small_model(), LETTERS, SOURCE)


@pytest.mark.parametrize("name", ["return_dict_in_generate", "output_scores"])
def test_the_form_of_the_answer_is_decided(name: str) -> None:
    for tool in (trace_sampling, trace_cross_attention, sample_many, trace_beam_search):
        with pytest.raises(ValueError, match=f"{name} is not for a text that is shown"):
            tool(small_model(), LETTERS, SOURCE, **{name: True})


@pytest.mark.parametrize("place", ["decoder.block.0.self_attention", "encoder.block.0.self_attention"])
@pytest.mark.parametrize("head", [None, 0])
def test_only_cross_attention_lies_between_two_texts(place: str, head: int | None) -> None:
    with pytest.raises(ValueError, match=r"is not a cross-attention of this model; it has decoder\.block\.0\.cross"):
        trace_cross_attention(small_model(), LETTERS, SOURCE, place, head)
