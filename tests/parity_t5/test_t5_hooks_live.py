"""`generate` calls the methods that users override in the library's order, with the library's arguments."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.parity.t5_original import Original
from tests.parity_t5 import t5_hooks
from tokenlab.libraries import transformers

CONFIG = {
    "vocab_size": 9, "d_model": 8, "d_kv": 4, "d_ff": 8, "num_layers": 1, "num_heads": 2, "decoder_start_token_id": 0,
    "pad_token_id": 0, "eos_token_id": 1, "tie_word_embeddings": False,
}  # fmt: skip
MODES: dict[str, dict[str, Any]] = {
    "greedy_search": {},
    "sample": {"do_sample": True, "num_return_sequences": 2},
    "contrastive_search": {"penalty_alpha": 0.6, "top_k": 4},
    "beam_search": {"num_beams": 3, "num_return_sequences": 2},
    "beam_sample": {"num_beams": 3, "do_sample": True},
    "group_beam_search": {"num_beams": 4, "num_beam_groups": 2, "diversity_penalty": 1.0},
    "constrained_beam_search": {"num_beams": 3, "force_words_ids": [[5, 6]]},
}
GIVEN: dict[str, dict[str, Any]] = {
    "inputs": {"inputs": [[3, 4, 5, 1], [6, 7, 1, 0]]},
    "a mask": {"input_ids": [[3, 4, 5, 1]], "attention_mask": [[1, 1, 0, 1]]},
    "a prompt": {"input_ids": [[3, 4, 1]], "decoder_input_ids": [[0, 5]]},
    "no cache": {"input_ids": [[3, 4, 1]], "use_cache": False},
}


@pytest.fixture(scope="module")
def original() -> Iterator[Original]:
    with Original(Path(t5_hooks.__file__)) as process:
        yield process


# 4.26.1 takes the cache of contrastive search apart itself; here it is reordered as that of beams.
OF_THE_CACHE = ("_reorder_cache", "_extract_past_from_model_output")


@pytest.mark.parametrize("attentions", [False, True])  # which switches the fast incremental decoder off
@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("mode", MODES)
def test_the_same_methods_are_called_with_the_same_arguments(
    original: Original, mode: str, given: str, attentions: bool
) -> None:
    settings = {"max_length": 6, "output_attentions": attentions, **MODES[mode]}
    question = {"program": "hook_calls", "config": CONFIG, "given": GIVEN[given], "settings": settings}
    theirs = original.ask(json.dumps(question))
    assert "refused" not in theirs, theirs
    ours = json.loads(json.dumps(t5_hooks.hook_calls(transformers, question)))
    if mode == "contrastive_search":
        ours, theirs = ([call for call in calls if call[0] not in OF_THE_CACHE] for calls in (ours, theirs))
    assert ours == theirs and len(ours) > 20


def test_loops_have_the_library_s_arguments_and_a_streamer(original: Original) -> None:
    theirs, ours = original.ask('{"program": "signatures"}'), t5_hooks.signatures(transformers, {})
    for loop, parameters in ours.items():
        streamer = ["streamer", "POSITIONAL_OR_KEYWORD", "None"]
        assert (streamer in parameters) == ("beam" not in loop)
        assert [each for each in parameters if each != streamer] == theirs[loop]
