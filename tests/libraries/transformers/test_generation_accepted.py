"""Calls of `generate` that look wrong and that the library accepts: a result, and a warning that says what happens.

That the result is the library's is tested in `tests/parity_t5/test_accepted_live.py`.
"""

from __future__ import annotations

import re
import warnings
from typing import Any

import pytest
import torch

from tests.libraries.transformers.test_generation import READ, untrained
from tests.parity.accepted_calls import ACCEPTED, REFUSED
from tokenlab.libraries.transformers import GenerationConfig


@pytest.mark.parametrize(("settings", "says"), ACCEPTED, ids=str)
def test_an_odd_call_gets_a_result_and_a_warning(settings: dict[str, Any], says: str) -> None:
    limit = {} if settings.keys() & {"max_length", "max_new_tokens"} else {"max_length": 6}
    with pytest.warns(UserWarning) as caught:  # of two wrong ids, each gets a warning
        assert untrained().generate(READ, **limit, **settings).shape[0] == len(READ)
    assert any(re.search(says, str(warning.message)) for warning in caught)


@pytest.mark.parametrize("settings", REFUSED, ids=str)
def test_what_would_be_wrong_without_a_word_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="|".join(settings)):
        GenerationConfig(**settings).validate()


def test_a_call_without_room_writes_one_id() -> None:
    with pytest.warns(UserWarning, match="leaves no room"):
        assert untrained().generate(READ, max_length=1).shape == (2, 2)
    with pytest.raises(ValueError, match="leaves no room"):  # the library fails inside finalize
        untrained().generate(READ, max_length=1, num_beams=2)


def test_a_pad_id_of_no_token_is_refused_where_it_is_read() -> None:
    model = untrained()
    for settings in ({}, {"num_beams": 2, "early_stopping": True}):
        with warnings.catch_warnings(), pytest.raises(IndexError, match="pad_token_id=-1 is not a token id"):
            warnings.simplefilter("ignore")
            model.generate(
                READ,
                pad_token_id=-1,
                prefix_allowed_tokens_fn=lambda text, ids: [5, 6] if text else [1],  # the first text ends at once
                max_length=6,
                **settings,
            )


def test_arguments_that_generation_has_no_use_for() -> None:
    model = untrained()
    plain = model.generate(READ, max_length=6)
    with pytest.warns(UserWarning, match="decoder_inputs_embeds is ignored"):
        assert torch.equal(model.generate(READ, decoder_inputs_embeds=torch.zeros(2, 1, 8), max_length=6), plain)
    with pytest.warns(UserWarning, match="is above 1"):
        model.generate(READ, max_length=6, penalty_alpha=5, top_k=4)
