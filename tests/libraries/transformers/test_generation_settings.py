"""What `GenerationConfig.validate` and a call of `generate` refuse before the first step, and the names they say."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.libraries.transformers.test_generation import READ, SETTINGS, untrained
from tests.parity.generation_cases import MODES
from tokenlab.libraries.transformers import BeamSearchScorer, GenerationConfig, MaxLengthCriteria, StoppingCriteriaList
from tokenlab.libraries.transformers.generation.components import first_unforced_position
from tokenlab.libraries.transformers.generation.logits_process import SuppressTokensAtBeginLogitsProcessor

IMPOSSIBLE: list[tuple[dict[str, Any], str]] = [
    ({"num_beams": 4, "num_beam_groups": 3}, "cannot be divided"),
    ({"do_sample": True, "top_p": -0.5}, "top_p=-0.5"),
    ({"max_length": -1}, "max_length=-1 is too small; give 1 or more"),
    ({"max_length": "8"}, "max_length='8' should be a number"),
    ({"repetition_penalty": -1.0}, "^repetition_penalty=-1.0 should be a float above 0"),
    ({"encoder_repetition_penalty": -1.0}, "^encoder_repetition_penalty=-1.0"),
    ({"do_sample": True, "temperature": 0.0}, "temperature=0.0"),
    ({"forced_decoder_ids": 5}, "^forced_decoder_ids=5 should hold pairs"),
    ({"exponential_decay_length_penalty": (1,), "eos_token_id": 1}, r"\(1,\) should be a pair"),
    ({"exponential_decay_length_penalty": (1, 1.1), "eos_token_id": None}, "give eos_token_id as well"),
    ({"bad_words_ids": [[]]}, "neither may be empty"),
    ({"suppress_tokens": [-1]}, "suppress_tokens=-1"),
    ({"pad_token_id": [0]}, r"pad_token_id=\[0\] is a list"),
    ({"forced_eos_token_id": []}, "forced_eos_token_id"),
    ({"penalty_alpha": "much", "top_k": 1}, "penalty_alpha='much' should be a number"),
    ({"num_beam_groups": 0}, "num_beam_groups=0 is too small"),
    ({"num_beams": 2, "length_penalty": float("inf")}, "length_penalty=inf should be a number"),
    ({"forced_bos_token_id": -1}, "forced_bos_token_id=-1"),
    ({"forced_eos_token_id": -1}, "forced_eos_token_id=-1"),
    ({"forced_decoder_ids": {"1": 5}}, "forced_decoder_ids='1' is a str"),
]


@pytest.mark.parametrize(("settings", "says"), IMPOSSIBLE)
def test_the_impossible_is_refused_when_it_is_asked_for_and_when_it_is_saved(
    settings: dict[str, Any], says: str, tmp_path: Path
) -> None:
    config = GenerationConfig(**settings)
    with pytest.raises(ValueError, match=says):
        config.validate()
    with pytest.raises(ValueError, match=says):
        config.save_pretrained(tmp_path / "new")
    assert not (tmp_path / "new").exists()
    model = untrained()
    model.get_encoder().forward = None  # nothing is read before
    with pytest.raises(ValueError, match=says):
        next(model.generate.steps(READ, **settings))


def test_an_end_is_an_id_or_a_list_of_ids() -> None:
    says = "eos_token_id=1.5 is a float; give an id, or a list of ids"
    with pytest.raises(TypeError, match=says):
        GenerationConfig(eos_token_id=1.5).validate()
    with pytest.raises(TypeError, match=says):
        untrained().generate(READ, eos_token_id=1.5)


def test_a_model_is_not_saved_with_impossible_settings(tmp_path: Path) -> None:
    model = untrained()
    model.generation_config.num_beam_groups = 2
    with pytest.raises(ValueError, match="cannot be divided"):
        model.save_pretrained(tmp_path / "new")
    assert not list(tmp_path.rglob("*.*"))


def test_what_is_loaded_may_ask_for_anything(recwarn: pytest.WarningsRecorder, tmp_path: Path) -> None:
    foreign = {"num_beams": 4, "num_beam_groups": 3, "top_p": 5.0, "num_beam": 7, "of_a_later_release": True}
    (tmp_path / "generation_config.json").write_text(json.dumps(foreign), encoding="utf-8")
    config = GenerationConfig.from_pretrained(tmp_path)
    assert (config.num_beam_groups, config.top_p) == (3, 5.0) and not hasattr(config, "num_beam")
    assert not recwarn.list
    GenerationConfig().validate()


def test_a_name_that_is_not_kept_is_told_with_the_one_that_may_be_meant() -> None:
    with pytest.warns(UserWarning, match=r"no setting 'num_beam' \(do you mean num_beams\?\), 'zzz'; unknown"):
        assert GenerationConfig(num_beam=4, zzz=1, top_k=3).to_diff_dict().keys() == {"top_k", "transformers_version"}


def test_settings_are_validated_and_saved_without_torch(tmp_path: Path) -> None:
    program = (
        "import sys\nfrom tokenlab.libraries.transformers import GenerationConfig\n"
        f"GenerationConfig(bad_words_ids=[[5]]).save_pretrained({str(tmp_path)!r})\nprint('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8").stdout == "False\n"


def test_push_to_hub_may_be_left_out_in_words(tmp_path: Path) -> None:
    GenerationConfig().save_pretrained(tmp_path, push_to_hub=False)
    with pytest.raises(NotImplementedError, match="upload that"):
        GenerationConfig().save_pretrained(tmp_path, push_to_hub=True)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        *(({name: 99}, f"^{name}=99 holds 99, and the model's ids go from 0 to 8") for name in (
            "forced_bos_token_id", "forced_eos_token_id", "decoder_start_token_id"
        )),
        *(({name: [99]}, rf"^{name}=\[99\] holds 99") for name in ("suppress_tokens", "begin_suppress_tokens")),
        ({"forced_decoder_ids": [[1, None], [2, 99]]}, "^forced_decoder_ids=.* holds 99"),
        ({"decoder_input_ids": [[0], [0]]}, "^decoder_input_ids is a list, and should be a tensor"),
        ({"attention_mask": [[1] * 4] * 2}, "^attention_mask is a list"),
        ({"generation_config": {"num_beams": 2}}, r"generation_config is a dict.*GenerationConfig\(\*\*dictionary\)"),
        ({"generation_config": untrained().config}, "generation_config is a T5Config.*from_model_config"),
        ({"logits_processor": [5]}, "logits_processor holds 5, which cannot be called"),
        ({"stopping_criteria": [5]}, "stopping_criteria holds 5, which cannot be called"),
    ],
)  # fmt: skip
def test_an_argument_is_refused_under_its_own_name_before_anything_is_read(given: dict[str, Any], says: str) -> None:
    model = untrained()
    model.get_encoder().forward = None
    with pytest.raises(ValueError, match=says):
        next(model.generate.steps(READ, max_length=6, **given))


def test_what_can_be_read_once_is_left_for_those_who_call_it() -> None:
    once = (processor for processor in [lambda ids, scores: scores.index_fill(1, torch.tensor([2]), 1e9)])
    assert untrained().generate(READ, max_length=3, logits_processor=once).tolist() == [[0, 2, 2]] * 2


def test_places_and_ids_that_are_forced_may_be_a_dictionary() -> None:
    settings = {"begin_suppress_tokens": [5], "max_length": 5, "min_length": 5}
    pairs, places = (
        untrained().generate(READ, forced_decoder_ids=forced, **settings) for forced in ([[1, 5], [2, 3]], {1: 5, 2: 3})
    )
    assert pairs.tolist() == places.tolist() and pairs[0, :3].tolist() == [0, 5, 3]


def test_a_method_is_no_setting() -> None:
    with pytest.raises(ValueError, match="validate"):
        untrained().generate(READ, validate=True)


def test_ends_may_be_a_tensor() -> None:
    model = untrained(7)
    for given in (torch.tensor(3), torch.tensor([3, 4])):
        ends = model.generate(READ, max_length=8, eos_token_id=given)
        assert torch.equal(ends, model.generate(READ, max_length=8, eos_token_id=given.tolist()))


# --- names and places -----------------------------------------------------------------------------------


def test_names_are_found_where_the_library_has_them() -> None:
    from tokenlab.libraries.transformers import generation
    from tokenlab.libraries.transformers.generation import beam_search, decoding_state, utils

    kinds = ("GreedySearch", "Sample", "ContrastiveSearch", "BeamSearch", "BeamSample")
    for kind in kinds:
        assert getattr(utils, f"{kind}Output") is getattr(utils, f"{kind}EncoderDecoderOutput")
        assert getattr(utils, f"{kind}EncoderDecoderOutput") is getattr(generation, f"{kind}EncoderDecoderOutput")
    assert isinstance(untrained().generate(READ, max_length=3, return_dict_in_generate=True), utils.GenerateOutput)
    assert utils.GenerateOutput is decoding_state.GenerateOutput
    for name in ("BeamHypotheses", "BeamScorer", "BeamSearchScorer", "ConstrainedBeamSearchScorer"):
        assert getattr(beam_search, name) is getattr(generation, name)


def test_names_that_are_not_imported_yet_are_listed() -> None:
    program = (
        "import sys, tokenlab.libraries.transformers as t, tokenlab.libraries.transformers.generation as g\n"
        "print({*t.__all__} - {*dir(t)}, {*g.__all__} - {*dir(g)}, 'torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8").stdout == (
        "set() set() False\n"
    )


@pytest.mark.parametrize("mode", MODES)
def test_a_model_of_doubles_writes_in_every_mode(mode: str) -> None:
    torch.manual_seed(0)
    single = untrained(3).generate(READ, max_length=7, **SETTINGS[mode])
    torch.manual_seed(0)
    double = untrained(3).double().generate(READ, max_length=7, **SETTINGS[mode])
    assert double.shape[0] == single.shape[0]
    if "sample" not in mode:  # chance draws other numbers for doubles
        assert torch.equal(double, single)


def test_a_loop_refuses_what_it_has_no_use_for() -> None:
    model = untrained()
    encoded, scorer = model.get_encoder()(READ[:1]), BeamSearchScorer(1, 2, "cpu")
    encoded.last_hidden_state = encoded.last_hidden_state.repeat(2, 1, 1)
    given: dict[str, Any] = {"encoder_outputs": encoded, "max_length": 4}
    with pytest.raises(ValueError, match="streamer with beams"):
        model.beam_search(torch.zeros(2, 1).long(), scorer, **given, streamer=object())
    del given["max_length"]
    given["stopping_criteria"] = StoppingCriteriaList([MaxLengthCriteria(4)])
    with pytest.warns(UserWarning, match="do you mean num_beams"):  # as the library's loops, which pass it on
        model.beam_search(torch.zeros(2, 1).long(), scorer, **given, num_beam=2)


@pytest.mark.parametrize(
    ("settings", "prompt_length", "first"),
    [
        ({}, 1, 1),
        ({}, 4, 4),
        ({"forced_bos_token_id": 3}, 1, 2),
        ({"forced_bos_token_id": 3}, 4, 4),  # the forced token is only the one after a prompt of one token
        ({"forced_decoder_ids": [[1, 5], [2, 6]]}, 1, 3),
        ({"forced_bos_token_id": 3, "forced_decoder_ids": {1: 5}}, 1, 3),
    ],
)
def test_tokens_are_suppressed_at_the_first_position_that_is_not_forced(
    settings: dict[str, Any], prompt_length: int, first: int
) -> None:
    config = GenerationConfig(begin_suppress_tokens=[7], **settings)
    assert first_unforced_position(config, prompt_length) == first
    [suppressing] = [
        processor
        for processor in untrained()._get_logits_processor(config, prompt_length, torch.zeros(1, 1).long(), None, [])
        if isinstance(processor, SuppressTokensAtBeginLogitsProcessor)
    ]
    assert suppressing.begin_index == first
