"""What a caller puts in of one's own: processors, parts of the model, settings; each is asked at every step."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch
from torch import Tensor, nn

from tests.libraries.transformers.test_generation import READ, untrained
from tokenlab import data
from tokenlab.libraries.transformers import (
    AutoModelForSeq2SeqLM,
    BeamSearchScorer,
    ConstrainedBeamSearchScorer,
    GenerationConfig,
    MaxLengthCriteria,
    PhrasalConstraint,
    StoppingCriteriaList,
    T5ForConditionalGeneration,
    T5Tokenizer,
)
from tokenlab.traces.generation.trace_beam_search import compare_group_beam_search, trace_group_beam_search
from tokenlab.traces.generation.trace_next_token import trace_next_token

MANY: list[dict[str, Any]] = [
    {},
    {"do_sample": True},
    {"num_beams": 2},
    {"num_beams": 4, "num_return_sequences": 3},
    {"num_beams": 4, "num_beam_groups": 2, "diversity_penalty": 0.5},
    {"num_beams": 2, "do_sample": True},
    {"penalty_alpha": 0.5, "top_k": 2},
]
ids = pytest.mark.parametrize("settings", MANY, ids=repr)


# --- what forbids -------------------------------------------------------------------------------------------

PATHS = {0: [[0, 5, 6, 1], [0, 5, 7, 8, 1]], 1: [[0, 6, 1], [0, 3, 4, 2, 1]]}


def next_on_a_path(text: int, written: Tensor) -> list[int]:
    start = written.tolist()
    return sorted({path[len(start)] for path in PATHS[text] if path[: len(start)] == start != path})


@ids
def test_nothing_may_be_allowed_off_the_paths(settings: dict[str, Any]) -> None:
    written = untrained().generate(READ, prefix_allowed_tokens_fn=next_on_a_path, max_length=8, **settings).tolist()
    each = len(written) // len(READ)
    found = [[id for place, id in enumerate(row) if id or not place] for row in written]
    for text, path in enumerate(found[::each]):
        assert path in PATHS[text]  # the best of each text; there may be fewer paths than outputs


def test_a_text_that_goes_on_has_to_be_left_a_token() -> None:
    with pytest.raises(ValueError, match=r"at step 2 .*every token is forbidden; .*prefix_allowed_tokens_fn"):
        untrained().generate(
            READ, prefix_allowed_tokens_fn=lambda text, written: [5] * (len(written) < 2), max_length=8
        )


def spoils_what_has_ended(value: float) -> Callable[[Tensor, Tensor], Tensor]:
    def spoil(input_ids: Tensor, scores: Tensor) -> Tensor:
        scores = scores.clone()
        scores[:, 1] = torch.where(torch.arange(len(scores)) % 2 == 0, 1e4, -1e4)  # the first text ends at once
        scores[(input_ids == 1).any(dim=-1)] = value
        return scores

    return spoil


@pytest.mark.parametrize("value", [float("nan"), float("-inf"), float("inf")])
@pytest.mark.parametrize("settings", [{}, {"do_sample": True}, {"penalty_alpha": 0.5, "top_k": 2}], ids=repr)
def test_nobody_reads_the_scores_of_a_text_that_has_ended(settings: dict[str, Any], value: float) -> None:
    spoil = spoils_what_has_ended(value)
    ended, other = untrained().generate(READ, logits_processor=[spoil], max_length=7, **settings).tolist()
    assert ended == [0, 1, 0, 0, 0, 0, 0] and 1 not in other and len(other) == 7


def test_a_score_without_end_is_the_highest_and_cannot_be_drawn() -> None:
    def wants_seven(input_ids: Tensor, scores: Tensor) -> Tensor:
        return scores.index_fill(1, torch.tensor([7]), float("inf"))

    model = untrained()
    assert model.generate(READ, logits_processor=[wants_seven], max_length=4)[:, 1:].tolist() == [[7] * 3] * 2
    with pytest.raises(ValueError, match=r"at step 1 .* the scores are infinite"):
        model.generate(READ, logits_processor=[wants_seven], max_length=4, do_sample=True)


def test_rules_that_leave_nothing_to_draw_are_told() -> None:
    model = T5ForConditionalGeneration.from_pretrained(data.t5_tiny())
    tokenizer = T5Tokenizer.from_pretrained(data.t5_tiny())
    everything = list(range(model.config.vocab_size))
    with pytest.raises(ValueError, match=r"SuppressTokensLogitsProcessor.* leaves no token"):
        trace_next_token(model, tokenizer, "a", suppress_tokens=everything)


# --- processors ---------------------------------------------------------------------------------------------


class Keeps:
    """Counts groups, and calls itself otherwise than usual."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def __call__(this, input_ids: Tensor, scores: Tensor, beam_group_idx: Any = None) -> Tensor:
        this.seen.append(beam_group_idx)
        return scores


class AsModule(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Any] = []

    def forward(self, input_ids: Tensor, scores: Tensor, beam_group_idx: Any = None) -> Tensor:
        self.seen.append(beam_group_idx)
        return scores


def with_more(seen: list[Any], input_ids: Tensor, scores: Tensor, *, beam_group_idx: int) -> Tensor:
    seen.append(beam_group_idx)
    return scores


def with_all(*args: Any, **kwargs: Any) -> Any:
    return args[1]


def test_each_kind_of_function_is_handed_what_it_asks_for() -> None:
    plain, method, module = Keeps(), Keeps(), AsModule()
    partly: list[Any] = []
    changes = [plain, method.__call__, module, partial(with_more, partly), with_all]
    groups = {"num_beams": 4, "num_beam_groups": 2, "diversity_penalty": 0.5}
    untrained().generate(READ, logits_processor=changes, max_length=3, min_length=3, **groups)
    assert plain.seen == method.seen == module.seen == partly == [0, 1, 0, 1]
    untrained().generate(READ, logits_processor=[Keeps(), AsModule(), with_all], max_length=3)


# --- parts of the model -------------------------------------------------------------------------------------


def linear_with_bias(model: Any) -> None:
    own = nn.Linear(8, 9)
    own.weight, own.bias.data = model.lm_head.weight, 3 * torch.randn(9)
    model.set_output_embeddings(own.eval())


def query_with_bias(model: Any) -> None:
    attention = model.decoder.block[0].layer[0].SelfAttention
    attention.q = nn.Linear(8, 8).eval()


def without_a_norm(model: Any) -> None:
    model.decoder.final_layer_norm = nn.Identity().eval()


def without_an_inner_norm(model: Any) -> None:
    model.decoder.block[0].layer[1].layer_norm = nn.Identity().eval()


def own_score(model: Any) -> None:
    score = model.compute_logits
    model.compute_logits = lambda states: -score(states)


def own_forward(model: Any) -> None:
    forward = model.forward

    def turned(*args: Any, **kwargs: Any) -> Any:
        output = forward(*args, **kwargs)
        output.logits = -output.logits
        return output

    model.forward = turned


@pytest.mark.parametrize("settings", [{}, {"num_beams": 3}], ids=repr)
@pytest.mark.parametrize(
    "change", [linear_with_bias, query_with_bias, without_a_norm, without_an_inner_norm, own_score, own_forward]
)
def test_parts_of_ones_own_count_from_the_first_token_to_the_last(
    change: Callable[[Any], None], settings: dict[str, Any]
) -> None:
    torch.manual_seed(1)
    model = untrained()
    change(model)
    wanted = {"max_length": 12, "min_length": 12, **settings}
    assert torch.equal(model.generate(READ, **wanted), model.generate(READ, use_cache=False, **wanted))


# --- settings -----------------------------------------------------------------------------------------------


BY_HAND = {"max_length": 9, "decoder_start_token_id": 0}
FLAG = {"_from_model_config": True}


@pytest.mark.filterwarnings("ignore:model.generation_config was made from model.config")
@pytest.mark.parametrize("kind", [AutoModelForSeq2SeqLM, T5ForConditionalGeneration])
@pytest.mark.parametrize("file", [None, FLAG, BY_HAND, {**BY_HAND, **FLAG}])
def test_the_configuration_wins_over_a_generation_config_made_from_one(kind: Any, file: Any, tmp_path: Path) -> None:
    model = untrained()
    model.config.eos_token_id = model.generation_config.eos_token_id = None  # so that max_length ends the text
    model.save_pretrained(tmp_path)
    path = tmp_path / "generation_config.json"
    path.unlink() if file is None else path.write_text(json.dumps(file), encoding="utf-8")
    by_hand = file == BY_HAND
    given = {"max_length": 5}, {"config": model.config.from_pretrained(tmp_path, max_length=5)}
    models = [kind.from_pretrained(tmp_path, **settings) for settings in given]
    # subtle: the Auto class keeps the settings for the configuration, so that a file written by hand has its 9.
    expected = [9 if by_hand and kind is AutoModelForSeq2SeqLM else 5, 9 if by_hand else 5]
    for loaded, length in zip(models, expected, strict=True):
        assert loaded.generate(READ).shape[1] == length
        assert loaded.generate(READ, max_length=7).shape[1] == 7
        assert (
            loaded.generate(READ, generation_config=GenerationConfig(max_length=4, decoder_start_token_id=0)).shape[1]
            == 4
        )


def test_a_generation_config_made_from_the_configuration_follows_it_and_another_one_stays() -> None:
    model = T5ForConditionalGeneration.from_pretrained(data.t5_tiny())
    model.generation_config._from_model_config = True
    model.generation_config.num_beams = 3
    model.config.length_penalty = 2.0
    says = r"follows it again: num_beams=1 \(was 3\), length_penalty=2.0 \(was 1.0\); give settings to generate, or"
    with pytest.warns(UserWarning, match=says):
        model.generate(READ, max_length=5)
    assert (model.generation_config.num_beams, model.generation_config.length_penalty) == (1, 2.0)
    followed = model.generation_config
    model.generate(READ, max_length=5)  # and no second warning, which would be an error here
    assert model.generation_config is followed
    model.generation_config = GenerationConfig(num_beams=3, decoder_start_token_id=0, pad_token_id=0)
    model.config.length_penalty = 3.0
    model.generate(READ, max_length=5)
    assert (model.generation_config.num_beams, model.generation_config.length_penalty) == (3, 1.0)


def test_a_setting_can_be_shown_whatever_it_holds_and_is_saved_if_a_file_can_hold_it(tmp_path: Path) -> None:
    config = GenerationConfig(num_beams=2, constraints=[PhrasalConstraint([3])])
    assert "PhrasalConstraint" in repr(config)
    with pytest.raises(ValueError, match="constraints are objects"):
        config.save_pretrained(tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"labels": READ}, "labels is for forward"),
        ({"forced_eos_token_id": 1, "max_length": None, "max_time": 1.0}, "forced_eos_token_id .* give max_new_tokens"),
    ],
)
def test_what_generate_has_no_use_for_is_refused(arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        untrained().generate(READ, **arguments)


def test_how_forward_answers_does_not_matter() -> None:
    model = untrained()
    for given in (True, False):
        assert torch.equal(model.generate(READ, return_dict=given, max_length=6), model.generate(READ, max_length=6))


@pytest.mark.parametrize("setting", [{"encoder_repetition_penalty": 1.5}, {"encoder_no_repeat_ngram_size": 1}])
def test_who_looks_at_the_source_has_to_be_given_its_ids(setting: dict[str, Any]) -> None:
    model = untrained()
    encoded, embedded = model.get_encoder()(READ), model.shared(READ)
    for without in ({"encoder_outputs": encoded}, {"inputs_embeds": embedded}):
        with pytest.raises(ValueError, match="needs the ids of the texts, which are not given"):
            model.generate(**without, max_length=6, **setting)
    with pytest.warns(UserWarning, match="needs the ids of the texts, which are not given.*ignored"):
        model.generate(encoder_outputs=encoded, max_length=6, encoder_no_repeat_ngram_size=2)  # as the library does
    mask = torch.ones_like(READ)
    whole = model.generate(READ, attention_mask=mask, max_length=6, **setting)
    assert torch.equal(
        model.generate(READ, encoder_outputs=encoded, attention_mask=mask, max_length=6, **setting), whole
    )


def test_a_loop_is_given_a_scorer_of_its_kind() -> None:
    model = untrained()
    given = {"encoder_outputs": model.get_encoder()(READ[:1].repeat(2, 1))}
    given["stopping_criteria"] = StoppingCriteriaList([MaxLengthCriteria(5)])
    start = torch.zeros(2, 1, dtype=torch.long)
    plain = BeamSearchScorer(1, numpy.int64(2), "cpu")
    demanding = ConstrainedBeamSearchScorer(1, 2, [PhrasalConstraint([5])], "cpu")
    with pytest.raises(TypeError, match="is a ConstrainedBeamSearchScorer; this loop needs a BeamSearchScorer"):
        model.beam_search(start, demanding, **given)
    with pytest.raises(TypeError, match="is a BeamSearchScorer; this loop needs a ConstrainedBeamSearchScorer"):
        model.constrained_beam_search(start, plain, **given)


def test_one_group_is_beam_search() -> None:
    model = T5ForConditionalGeneration.from_pretrained(data.t5_tiny())
    tokenizer = T5Tokenizer.from_pretrained(data.t5_tiny())
    text = "translate English to German: He has a dog."
    one = {"num_beam_groups": 1, "diversity_penalty": 0.0, "max_length": 12}
    ids = model.generate(tokenizer(text, return_tensors="pt").input_ids, num_beams=4, max_length=12)
    for search in (trace_group_beam_search, compare_group_beam_search):
        assert search(model, tokenizer, text, **one).texts[0] == tokenizer.decode(ids[0], skip_special_tokens=True)
        with pytest.raises(ValueError, match="needs groups that can differ"):
            search(model, tokenizer, text, num_beam_groups=1)  # which has a penalty, if nobody says otherwise
    with pytest.raises(ValueError, match="num_beams='4' is a str"):
        trace_group_beam_search(model, tokenizer, text, num_beams="4")  # type: ignore[arg-type]
