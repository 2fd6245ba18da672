"""Half of a character that is typed into an explorer of a model is answered with a sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tokenlab import data
from tokenlab.libraries.transformers import T5ForConditionalGeneration, T5Tokenizer
from tokenlab.show.explorers.controls import TextBox
from tokenlab.show.explorers.explore_generation import (
    explore_beam_search,
    explore_constrained_beam_search,
    explore_contrastive_search,
    explore_group_beam_search,
    explore_sampling,
)
from tokenlab.show.explorers.explore_t5 import explore_kv_cache

TEXT, HALF = "question: The cat sings.", "\ud83d"


@pytest.mark.slow
@pytest.mark.parametrize(
    "explore",
    [
        lambda model, tokenizer: explore_beam_search(TEXT, model, tokenizer),
        lambda model, tokenizer: explore_constrained_beam_search(TEXT, "cat", model, tokenizer, 2, max_length=9),
        lambda model, tokenizer: explore_contrastive_search(TEXT, model, tokenizer),
        lambda model, tokenizer: explore_group_beam_search(TEXT, model, tokenizer, 2, 2),
        lambda model, tokenizer: explore_sampling(TEXT, model, tokenizer),
        lambda model, tokenizer: explore_kv_cache(TEXT, model, tokenizer),
    ],
    ids=["beams", "constraints", "contrastive", "groups", "sampling", "t5_cache"],
)
def test_half_of_a_character_is_answered_with_a_sentence(explore: Callable[[Any, Any], Any]) -> None:
    tiny = data.t5_tiny()
    explorer = explore(T5ForConditionalGeneration.from_pretrained(tiny), T5Tokenizer.from_pretrained(tiny))
    assert explorer.message == ""
    boxes = [control for control in explorer.controls.values() if isinstance(control, TextBox)]
    assert boxes
    for box in boxes:
        before, box.value = box.value, HALF
        assert "surrogate" in explorer.message
        box.value = before
        assert explorer.message == ""
