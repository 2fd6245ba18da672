"""Random cases for the plain functions of generation, and what these functions answer to them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import torch

from tests.parity.generation_cases import Call, any_call, differ
from tests.perturbation import assert_up_to_near_ties
from tests.tolerance import near
from tokenlab.algorithms.attention.attention_weights import softmax
from tokenlab.algorithms.decoding.beam_search import beam_search
from tokenlab.algorithms.decoding.next_token import FilterApplied, sample_next_token
from tokenlab.libraries.transformers import T5Config, T5ForConditionalGeneration

RULES = {
    "repetition_penalty": ("RepetitionPenaltyLogitsProcessor", (0.6, 1.3, 2.0)),
    "temperature": ("TemperatureLogitsWarper", (0.4, 0.8, 1.7)),
    "top_k": ("TopKLogitsWarper", (1, 3, 6, 50)),
    "top_p": ("TopPLogitsWarper", (0.1, 0.5, 0.83, 0.97)),
    "typical_p": ("TypicalLogitsWarper", (0.1, 0.5, 0.83, 0.97)),
}  # in the library's order
BOOKS = ("num_beams", "length_penalty", "early_stopping", "num_return_sequences", "max_length", "max_new_tokens")


def sampling_case(seed: int) -> dict[str, Any]:
    """Scores, a text, and some of the rules; none of the scores are alike."""
    dice = Random(seed)
    size = dice.randint(2, 20)
    chosen = {name: dice.choice(settings) for name, (_, settings) in RULES.items() if dice.random() < 0.5}
    return {
        "scores": [[round(dice.gauss(0, 2), 5) for _ in range(size)]],
        "input_ids": [[dice.randrange(size) for _ in range(dice.randint(1, 5))]],
        "changes": [[RULES[name][0], setting] for name, setting in chosen.items()],
        "settings": chosen,
    }


def compare_sampling(case: dict[str, Any], theirs: dict[str, Any]) -> None:
    """Whether the plain functions leave the same tokens, and make the same probabilities, as a list of changes."""
    [scores], [written] = case["scores"], case["input_ids"]
    recording = sample_next_token.record(scores, 0.5, written, **case["settings"])
    ruled = [step for step in recording if isinstance(step, FilterApplied)]
    ours = ruled[-1].probabilities if ruled else softmax(scores)
    [after] = theirs["scores"]
    assert ours == near(softmax(after))
    assert [probability > 0 for probability in ours] == [score > -float("inf") for score in after]


def beam_call(seed: int) -> Call:
    """A call of beam search for one text, with its books alone: no processors, no masks."""
    call = any_call("beam_search", seed)
    settings = {name: value for name, value in call["settings"].items() if name in BOOKS}
    return {
        "config": call["config"],
        "weights": call["weights"],
        "input_ids": call["input_ids"][:1],
        "seed": seed,
        "settings": {**settings, "output_scores": True},
    }


def compare_beams(call: Call, theirs: dict[str, Any]) -> None:
    """Check that plain beam search finds the same outputs, with the same scores."""

    def compare(found: list[tuple[tuple[int, ...], float]], most: float) -> None:
        width = len(theirs["sequences"][0])
        ours = [[*ids, *[1][: width - len(ids)], *[0] * (width - len(ids) - 1)] for ids, _ in found]
        assert ours == theirs["sequences"]
        assert differ([score for _, score in found], theirs["sequences_scores"]) < most

    assert_up_to_near_ties(lambda: beams_of(call), compare)


def beams_of(call: Call) -> list[tuple[tuple[int, ...], float]]:
    """Return the outputs and scores of plain beam search."""
    settings = call["settings"]
    longest = settings.get("max_length") or 1 + settings["max_new_tokens"]
    return beam_search(
        _rows_of(call),
        start=(call["config"]["decoder_start_token_id"],),
        beams=settings["num_beams"],
        eos=1,
        max_length=longest,
        length_penalty=settings.get("length_penalty", 1.0),
        early_stopping=settings.get("early_stopping", False),
    )[: settings["num_return_sequences"]]


def _rows_of(call: Call) -> Callable[[tuple[int, ...]], list[float]]:
    """What the model answers for what is written, without cache and batch."""
    model = T5ForConditionalGeneration(T5Config(**call["config"])).eval()
    model.load_state_dict({name: torch.tensor(values) for name, values in call["weights"].items()})
    source = torch.tensor(call["input_ids"])

    @cache
    def row(ids: tuple[int, ...]) -> list[float]:
        with torch.no_grad():
            logits = model(source, (source != 0).long(), decoder_input_ids=torch.tensor([ids])).logits
        numbers: list[float] = logits[0, -1].log_softmax(-1).tolist()
        return numbers

    return row
