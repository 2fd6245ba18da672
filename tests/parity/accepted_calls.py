"""Calls of `generate` that look wrong and that transformers 4.26.1 accepts, and those that this package refuses.

A call is what `generation_answers.answer` takes, without the model; JSON can hold it.
"""

from __future__ import annotations

from typing import Any

CONTRASTIVE = {"penalty_alpha": 0.6, "top_k": 4}
BEAMS = {"num_beams": 3}
SAMPLES = {"do_sample": True}

# With the warning that this package gives; all other settings of a call are those of `accepted_call`.
ACCEPTED: list[tuple[dict[str, Any], str]] = [
    # penalty_alpha without contrastive search, and contrastive search beside other modes
    ({"penalty_alpha": 0.6, "top_k": 1}, "penalty_alpha=0.6 is ignored"),
    ({"penalty_alpha": 0.6, "top_k": 0}, "penalty_alpha=0.6 is ignored"),
    ({"penalty_alpha": 0.6, "top_k": None}, "penalty_alpha=0.6 is ignored"),
    ({"penalty_alpha": -1.0, "top_k": 4}, "penalty_alpha=-1.0 is ignored"),
    ({**CONTRASTIVE, **SAMPLES}, "penalty_alpha=0.6 is ignored"),
    ({**CONTRASTIVE, **SAMPLES, **BEAMS}, "penalty_alpha=0.6 is ignored"),
    ({"penalty_alpha": 0.6, "top_k": 1, **BEAMS}, "penalty_alpha=0.6 is ignored"),
    ({"penalty_alpha": 0.6, "top_k": 1, **BEAMS, "force_words_ids": [[5]]}, "penalty_alpha=0.6 is ignored"),
    ({**CONTRASTIVE, **BEAMS}, "num_beams=3 is ignored"),
    ({**CONTRASTIVE, "num_beams": 4, "num_beam_groups": 2}, "num_beams=4 is ignored"),
    ({**CONTRASTIVE, "force_words_ids": [[5]]}, "force_words_ids=.* is ignored"),
    ({"penalty_alpha": 5, "top_k": 4}, "penalty_alpha=5 is above 1"),
    # lengths
    *[({"max_length": 1, **mode}, "max_length=1 leaves no room") for mode in ({}, SAMPLES, CONTRASTIVE)],
    ({"max_length": 0}, "max_length=0 leaves no room"),
    ({"max_length": 2.5}, "max_length=2.5 is not an integer"),
    ({"max_new_tokens": 0}, "max_length=1 leaves no room"),
    ({"max_new_tokens": -1}, "max_length=0 leaves no room"),
    ({"max_length": 5, "min_new_tokens": 6}, "min_new_tokens=6 after 1 ids is more than"),
    ({"min_length": -1}, "min_length=-1 is ignored"),
    ({"min_new_tokens": -1}, "min_new_tokens=-1 is ignored"),
    # words
    ({**BEAMS, "force_words_ids": [[1]]}, "contains 1, which ends an output"),
    ({**BEAMS, "force_words_ids": [[5, 1]]}, "contains 1, which ends"),
    ({**BEAMS, "force_words_ids": [[1, 5]]}, "contains 1, which ends"),
    ({**BEAMS, "force_words_ids": [[[1], [5]]]}, "contains 1, which ends"),
    ({**BEAMS, "force_words_ids": [[5], [1]]}, "contains 1, which ends"),
    ({**BEAMS, "force_words_ids": [[5], [5, 6]]}, "is a prefix of"),
    ({**BEAMS, "force_words_ids": [[5, 6], [5]]}, "is a prefix of"),
    # numbers that do nothing
    ({"num_return_sequences": 0}, "num_return_sequences=0 is ignored"),
    ({"num_beams": 2, "num_beam_groups": 2, "diversity_penalty": -1.0}, "diversity_penalty=-1.0 is ignored"),
    ({"top_k": -1}, "top_k=-1 is ignored"),
    ({"top_p": 0.0}, "top_p=0.0 is ignored"),
    ({"typical_p": -1.0}, "typical_p=-1.0 is ignored"),
    *[({**SAMPLES, name: 5.0}, f"{name}=5.0 is ignored") for name in ("top_p", "typical_p", "epsilon_cutoff")],
    ({**SAMPLES, "eta_cutoff": -0.5}, "eta_cutoff=-0.5 is ignored"),
    ({"no_repeat_ngram_size": -1}, "no_repeat_ngram_size=-1 is ignored"),
    ({"encoder_no_repeat_ngram_size": -1}, "encoder_no_repeat_ngram_size=-1 is ignored"),
    ({**BEAMS, "early_stopping": "soon"}, "early_stopping='soon' should be .* does what True does"),
    ({"length_penalty": "x"}, "length_penalty='x' is ignored"),
    # ids of no token
    *[({"eos_token_id": id}, f"eos_token_id={id} is the id of no token") for id in (-1, 50)],
    *[({**BEAMS, "eos_token_id": id}, f"eos_token_id={id} is the id of no token") for id in (-1, 50)],
    ({"eos_token_id": -1, "pad_token_id": -1}, "pad_token_id=-1 is the id of no token"),
    ({"eos_token_id": -1, "pad_token_id": 50}, "pad_token_id=50 is the id of no token"),
]  # fmt: skip

# What 4.26.1 returns for these is wrong, and nothing says so.
REFUSED: list[dict[str, Any]] = [
    {"num_beam_groups": 0},  # None
    {**BEAMS, "length_penalty": 1e999},  # all hypotheses have the same score
    {**BEAMS, "force_words_ids": [[5]], "bad_words_ids": [[5]]},  # the forbidden word is written
    {"forced_bos_token_id": -1},  # the last id of the vocabulary
    {"forced_eos_token_id": -1},
    {"suppress_tokens": [-1]},
    {"begin_suppress_tokens": [1.5]},
    {"forced_decoder_ids": {"1": 5}},  # nothing is forced
    {"forced_decoder_ids": [[1, -1]]},
]


def accepted_call(call: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any]:
    """Return a call with the model, the weights and the texts of another, and with these settings."""
    kept = {name: call[name] for name in ("config", "weights", "input_ids", "seed")}
    limit = {} if settings.keys() & {"max_length", "max_new_tokens"} else {"max_length": 8}
    return {**kept, "settings": {"output_scores": True, **limit, **settings}}
