"""The next token's distribution after each change, a text as it is chosen, and where the decoder looked meanwhile."""

from __future__ import annotations

import json
import math
from functools import cache
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.libraries.transformers.test_t5_seen import LETTERS, SOURCE, small_model
from tests.tolerance import near
from tokenlab import data
from tokenlab.libraries.transformers import T5ForConditionalGeneration, T5Tokenizer, watch
from tokenlab.printing.printed_numbers import format_probability
from tokenlab.steps.recording import Recording
from tokenlab.storage import files
from tokenlab.traces.generation.sampling_steps import (
    DistributionChanged,
    NextTokenDistribution,
    TokenGenerated,
)
from tokenlab.traces.generation.trace_next_token import (
    GENERATE_ORDER,
    TEMPERATURE_LAST,
    trace_next_token,
)
from tokenlab.traces.generation.trace_sampling import trace_cross_attention, trace_sampling

torch.set_num_threads(1)
GAP, WRITTEN = "The boy gave <extra_id_0> a flower.", "<extra_id_0>"
DOCTOR = "translate English to German: The doctor is reading a red book."


@cache
def tiny() -> tuple[Any, Any]:
    """The tiny translator, and its tokenizer."""
    folder = data.t5_tiny()
    return T5ForConditionalGeneration.from_pretrained(folder).eval(), T5Tokenizer.from_pretrained(folder)


def asked(text: str = GAP, written: str = WRITTEN, **settings: Any) -> Recording[Any, dict[str, float]]:
    return trace_next_token.record(*tiny(), text, written, **settings)


def logits(text: str, written: str) -> dict[str, float]:
    """The model's scores for the next token, by name."""
    model, tokenizer = tiny()
    ids = [0, *(tokenizer(written)["input_ids"][:-1] if written else [])]
    with torch.no_grad():
        output = model(torch.tensor([tokenizer(text)["input_ids"]]), decoder_input_ids=torch.tensor([ids]))
    names = tokenizer.convert_ids_to_tokens(list(range(model.config.vocab_size)))
    return dict(zip(names, output.logits[0, -1].tolist(), strict=True))


def shares(scores: dict[str, float]) -> dict[str, float]:
    """The softmax of scores, in plain Python, the likeliest first."""
    top = max(scores.values())
    powers = {token: math.exp(score - top) for token, score in scores.items()}
    total = math.fsum(powers.values())
    found = {token: power / total for token, power in powers.items()}
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def surprise(p: dict[str, float]) -> float:
    return -sum(share * math.log(share) for share in p.values() if share)


def scaled(p: dict[str, float]) -> dict[str, float]:
    total = math.fsum(p.values())
    return {token: share / total for token, share in p.items()}


def most_of(p: dict[str, float], order: list[str], mass: float) -> list[str]:
    """The first tokens of an order that have the mass together."""
    kept, together = [], 0.0
    for token in order:
        kept.append(token)
        together += p[token]
        if together >= mass:
            break
    return kept


def filtered(p: dict[str, float], rule: str, setting: float) -> dict[str, float]:
    """Each filter again, from its paper, in plain Python."""
    order = list(p)
    usual = surprise(p)
    kept = {
        "top_k": lambda: order[: int(setting)],
        "top_p": lambda: most_of(p, order, setting),
        "typical_p": lambda: most_of(p, sorted(p, key=lambda token: abs(-math.log(p[token]) - usual)), setting),
        "epsilon_cutoff": lambda: [token for token in p if p[token] >= setting],
        "eta_cutoff": lambda: [token for token in p if p[token] >= min(setting, math.sqrt(setting) * math.exp(-usual))],
    }[rule]()
    return scaled({token: p[token] for token in p if token in (kept or order[:1])})


# The next token.


def test_the_first_step_is_the_models_own_distribution() -> None:
    first, p = asked(top_k=0)[0], shares(logits(GAP, WRITTEN))
    assert isinstance(first, NextTokenDistribution) and first.num_possible == len(p) == 900
    assert dict(zip(first.tokens, first.probabilities, strict=True)) == pytest.approx(dict(list(p.items())[:12]))
    assert first.entropy == near(surprise(p))


RULES = [
    ("top_k", 5), ("top_k", 1), ("top_p", 0.7), ("top_p", 0.05), ("top_p", 0.99),
    ("typical_p", 0.5), ("typical_p", 0.2), ("typical_p", 0.95),
    ("epsilon_cutoff", 0.05), ("epsilon_cutoff", 0.5), ("eta_cutoff", 0.3), ("eta_cutoff", 0.002),
]  # fmt: skip


@pytest.mark.parametrize("temperature", [1.0, 2.0, 0.5])
@pytest.mark.parametrize(("rule", "setting"), RULES)
def test_each_filter_leaves_what_its_paper_says(rule: str, setting: float, temperature: float) -> None:
    scores = {token: score / temperature for token, score in logits(GAP, WRITTEN).items()}
    p = shares(scores)
    wanted = filtered(p, rule, setting)
    recording = asked(**{"temperature": temperature, "top_k": 0, rule: setting})
    assert recording.result == near(wanted)
    assert list(recording.result) == list(wanted)
    last = recording[-1]
    assert isinstance(last, DistributionChanged) and (last.num_possible_before, last.num_possible) == (900, len(wanted))
    assert last.removed_mass == near(1 - sum(p[token] for token in wanted))
    for token, before, after in zip(last.tokens, last.before, last.after, strict=True):
        assert (before, after) == near((p[token], wanted.get(token, 0)))
    assert last.other_mass == near((1 - sum(last.before), 1 - sum(last.after)), length=8)
    assert set(list(p)[:12]) <= {*last.tokens} and set(list(wanted)[:12]) <= {*last.tokens}


@pytest.mark.parametrize(("rule", "setting"), RULES)
def test_what_a_filter_looked_at_decides_what_it_leaves(rule: str, setting: float) -> None:
    last = asked(**{"top_k": 0, rule: setting})[-1]
    assert last.cutoff is not None and len(last.cutoff.values) == len(last.tokens)
    stays = [after > 0 for after in last.after]
    p, usual = last.before, asked(top_k=0)[0].entropy
    looked = {
        "rank": range(1, len(p) + 1),
        "together": [sum(p[: place + 1]) for place in range(len(p))],
        "distance": [abs(-math.log(share) - usual) for share in p],
        "probability": p,
    }[last.cutoff.criterion]
    assert last.cutoff.values == near(looked)
    match last.cutoff.criterion:
        case "rank":
            decided = [rank <= setting for rank in last.cutoff.values]
        case "together":
            decided = [before < setting for before in (0, *last.cutoff.values)][: len(p)]
        case "distance":
            farthest = max(far for far, stay in zip(last.cutoff.values, stays, strict=True) if stay)
            decided = [far <= farthest for far in last.cutoff.values]
            assert f"at most {farthest:.2f} from it" in str(last.cutoff) or last.num_possible > len(p)
            assert f"the entropy, the expected surprisal, is {usual:.2f}" in str(last.cutoff)
        case _:
            limit = setting if rule == "epsilon_cutoff" else min(setting, math.sqrt(setting) * math.exp(-usual))
            decided = [share >= limit or not place for place, share in enumerate(last.cutoff.values)]
            assert f"at least {limit:.2g}" in str(last.cutoff)
    assert stays == decided


def test_the_sums_of_a_cut_are_said() -> None:
    cut = asked(top_k=0, top_p=0.7)[-1].cutoff
    order = list(shares(logits(GAP, WRITTEN)).values())
    kept = next(n for n in range(900) if sum(order[:n]) >= 0.7)
    together, fewer = format_probability(sum(order[:kept])), format_probability(sum(order[: kept - 1]))
    assert str(cut) == (
        f"the {kept - 1} most probable tokens have {fewer}, and the {kept} most probable tokens have {together}, "
        "the first sum that is at least 0.7"
    )
    alone = asked(top_k=0, top_p=0.05)[-1].cutoff
    assert str(alone) == "the most probable token has 0.17, which is at least 0.05"
    two = asked(top_k=0, top_p=round(sum(order[:2]) - 0.005, 3))[-1].cutoff
    assert str(two).startswith(
        f"the most probable token has 0.17, and the 2 most probable tokens have {format_probability(sum(order[:2]))}"
    )


def test_changes_come_in_the_order_of_generate_and_each_meets_what_the_one_before_left() -> None:
    settings: dict[str, Any] = {
        "eta_cutoff": 0.01, "epsilon_cutoff": 0.001, "typical_p": 0.9, "top_p": 0.9, "top_k": 20, "temperature": 1.5,
        "min_length": 5, "no_repeat_ngram_size": 1, "repetition_penalty": 1.2,
    }  # fmt: skip
    steps = asked(**settings).steps
    assert [step.name for step in steps[1:]] == [
        "RepetitionPenaltyLogitsProcessor", "NoRepeatNGramLogitsProcessor", "MinLengthLogitsProcessor",
        "TemperatureLogitsWarper", "TopKLogitsWarper", "TopPLogitsWarper", "TypicalLogitsWarper",
        "EpsilonLogitsWarper", "EtaLogitsWarper",
    ]  # fmt: skip
    for before, after in zip(steps[1:], steps[2:], strict=False):
        earlier = dict(zip(before.tokens, before.after, strict=True))
        assert before.num_possible == after.num_possible_before
        for token, share in zip(after.tokens, after.before, strict=True):
            assert share == earlier.get(token, share)


def test_the_distribution_is_the_one_that_generate_draws_from() -> None:
    model, tokenizer = tiny()
    rules = {"temperature": 1.5, "top_k": 30, "top_p": 0.8, "repetition_penalty": 1.3, "min_length": 4}
    ids, start = (torch.tensor([tokenizer(text)["input_ids"]]) for text in (GAP, WRITTEN))
    start = torch.cat([torch.zeros_like(start[:, :1]), start[:, :-1]], dim=1)
    settings = {"do_sample": True, "max_new_tokens": 3, "return_dict_in_generate": True, "output_scores": True}
    output = model.generate(ids, decoder_input_ids=start, **settings, **rules)
    p = output.scores[0][0].softmax(dim=-1)
    ids = p.nonzero()[:, 0].tolist()
    drawn_from = dict(zip(tokenizer.convert_ids_to_tokens(ids), p[ids].tolist(), strict=True))
    # In `generate` what is given as decoder_input_ids is the prompt, and a minimal length counts it, too.
    assert asked(**rules).result == near(drawn_from)


def test_what_transformers_4_26_1_can_draw_is_what_we_can() -> None:
    stored = json.loads(files.read_text(data.FOLDER / "t5_sampling.json"))
    assert (stored["text"], stored["written"]) == (GAP, WRITTEN) and len(stored["possible"]) == 7
    for theirs in stored["possible"]:
        assert asked(**theirs["rules"]).result == near(theirs["next"])
    drawn = [trace_sampling(*tiny(), GAP, seed, do_sample=True) for seed in range(len(stored["drawn"]))]
    assert drawn == stored["drawn"]


def test_temperature_last_cuts_by_other_numbers() -> None:
    p = shares(logits(GAP, WRITTEN))
    kept = most_of(p, list(p), 0.5)
    last = asked(temperature=2.0, top_k=0, top_p=0.5, order=TEMPERATURE_LAST)
    first = asked(temperature=2.0, top_k=0, top_p=0.5, order=GENERATE_ORDER)
    assert [step.name for step in last[1:]] == ["TopPLogitsWarper", "TemperatureLogitsWarper"]
    assert list(last.result) == kept and {*kept} < {*first.result}
    assert last.result == near(scaled({token: math.sqrt(p[token]) for token in kept}))


def test_a_forced_token_that_was_unlikely_is_shown() -> None:
    step = asked(GAP, "", forced_bos_token_id=7, top_k=0)[-1]
    (token,) = tiny()[1].convert_ids_to_tokens([7])
    assert (
        step.tokens[-1] == token
        and step.after[-1] == 1
        and (step.num_possible_before, step.num_possible, step.cutoff) == (900, 1, None)
    )
    assert len(step.tokens) == 13 and step.removed_mass == pytest.approx(1 - step.before[-1])


def test_equally_likely_tokens_are_shown_with_those_that_stay_first() -> None:
    class Flat:
        """A model without any idea."""

        def __getattr__(self, name: str) -> Any:
            return getattr(tiny()[0], name)

        def __call__(self, *given: Any, **more: Any) -> Any:
            output = tiny()[0](*given, **more)
            output.logits = torch.zeros_like(output.logits)
            return output

    recording = trace_next_token.record(Flat(), tiny()[1], GAP, top_p=0.01, top_k=0)
    step = recording[-1]
    assert step.num_possible == 9 and [after > 0 for after in step.after[:9]] == [True] * 9
    assert len(recording.result) == 9 and recording.result.keys() == {*step.tokens[:9]}
    tied = trace_next_token.record(Flat(), tiny()[1], GAP, top_k=3)[-1]
    assert str(tied.cutoff) == "keep the 3 most probable tokens, and 897 more that are as probable as the last of them"


def test_settings_that_nobody_knows_or_that_cannot_be_are_told() -> None:
    for settings, told in (
        ({"temprature": 2.0}, "temprature is not a setting of generate"),
        ({"temperature": 2}, "temperature=2 should be a float above 0, written 2.0"),
        ({"top_p": -1.5}, "top_p=-1.5 should be in"),
        ({"order": "cut first"}, "order='cut first' is not known"),
        ({"shown": 0}, "shown=0 is too small"),
    ):
        with pytest.raises(ValueError, match=told.replace("(", r"\(")):
            asked(**settings)
    with pytest.warns(UserWarning, match="top_p=1.5 is ignored"):  # as generate of 4.26.1 does
        asked(top_p=1.5)


def test_sentences_say_what_a_step_did() -> None:
    first, temperature, top_k = asked(temperature=2.0, top_k=3).steps
    assert str(first) == (
        "the softmax of the logits gives each of the 900 tokens a probability; "
        f"the most probable token is ▁the: {format_probability(first.probabilities[0])}"
    )
    had, has = format_probability(temperature.before[0]), format_probability(temperature.after[0])
    assert str(temperature) == (
        f"TemperatureLogitsWarper(temperature=2.0) removes no token; ▁the had {had} and has {has}"
    )
    assert (
        str(top_k) == "TopKLogitsWarper(top_k=3) keeps 3 of 900 tokens; the others had "
        f"{format_probability(top_k.removed_mass)} together"
    )
    long = asked(suppress_tokens=list(range(2, 60)), top_k=0)[-1]
    assert len(long.settings) == 60 and long.settings.endswith("…")


def test_steps_are_kept_in_files_and_loaded_again() -> None:
    recording = asked(top_p=0.7, typical_p=0.5)
    again = Recording.from_json(recording.to_json())
    assert again.steps == recording.steps and again.result == recording.result


@given(st.floats(0, 1))
def test_no_probability_is_said_to_be_none_or_all_that_is_not(probability: float) -> None:
    shown = format_probability(probability)
    assert (shown == "0") == (probability == 0) and (shown == "1") == (probability == 1)
    if "…" not in shown:
        half = 0.005 if 0.0995 <= probability < 0.995 else 0.0005
        assert float(shown) == pytest.approx(probability, abs=half + 1e-9)


# A text.


@pytest.mark.parametrize("seed", range(6))
def test_what_is_written_is_what_generate_draws(seed: int) -> None:
    model, tokenizer = tiny()
    ids = torch.tensor([tokenizer(GAP)["input_ids"]])
    before = torch.random.get_rng_state()
    recording = trace_sampling.record(model, tokenizer, GAP, seed, do_sample=True, temperature=1.5, top_k=9)
    assert torch.equal(torch.random.get_rng_state(), before)
    torch.manual_seed(seed)
    output = model.generate(
        ids,
        do_sample=True,
        temperature=1.5,
        top_k=9,
        max_new_tokens=40,
        return_dict_in_generate=True,
        output_scores=True,
    )
    assert recording.result == tokenizer.decode(output.sequences[0], skip_special_tokens=True)
    tokens = tokenizer.convert_ids_to_tokens(output.sequences[0, 1:].tolist())
    assert [step.token for step in recording] == tokens
    for step, scores, id in zip(recording, output.scores, output.sequences[0, 1:].tolist(), strict=True):
        p = scores[0].softmax(dim=-1)
        assert step.drawn and step.probability == float(p[id]) and step.max_probability == float(p.max())
        assert step.num_possible == 9 and len(step.tokens) >= 8 and step.token in step.tokens
        for token, share in zip(step.tokens, step.probabilities, strict=True):
            assert share == float(p[tokenizer.convert_tokens_to_ids(token)]) > 0
        assert step.most_probable == tokenizer.convert_ids_to_tokens([int(p.argmax())])[0]
    torch.manual_seed(seed)


def test_greedily_the_likeliest_is_written_and_chance_plays_no_part() -> None:
    recordings = [trace_sampling.record(*tiny(), DOCTOR, seed) for seed in (0, 1)]
    assert recordings[0].steps == recordings[1].steps
    for step in recordings[0]:
        assert isinstance(step, TokenGenerated) and not step.drawn
        assert step.token == step.most_probable == step.tokens[0] and step.probability == max(step.probabilities)
        assert (len(step.tokens), step.num_possible) == (8, 900)
    assert recordings[0].result == "Der Arzt liest ein rotes Buch."


def test_a_token_that_is_drawn_from_far_below_is_shown_and_named() -> None:
    found = [
        step
        for seed in range(5)
        for step in trace_sampling.record(*tiny(), GAP, seed, shown=1, do_sample=True, temperature=2.0)
        if step.token != step.most_probable
    ]
    assert found
    for step in found:
        assert step.tokens == (step.most_probable, step.token)
        assert str(step).endswith(
            f"has {format_probability(step.max_probability)}"
        ) and f"is drawn: {format_probability(step.probability)}" in str(step)


def test_a_text_is_cut_off_at_40_tokens_unless_another_length_is_given() -> None:
    model = small_model()
    assert len(trace_sampling.record(model, LETTERS, SOURCE, suppress_tokens=[1])) == 40
    assert len(trace_sampling.record(model, LETTERS, SOURCE, suppress_tokens=[1], max_new_tokens=3)) == 3
    assert len(trace_sampling.record(model, LETTERS, SOURCE, suppress_tokens=[1], max_length=5)) == 4
    assert len(trace_cross_attention.record(model, LETTERS, SOURCE, suppress_tokens=[1])) == 40


@pytest.mark.parametrize("settings", [{"num_beams": 3}, {"num_beams": 2, "do_sample": True}])
def test_beams_are_told_to_go_elsewhere(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"these settings select beam_s.* leave out num_beams"):
        trace_sampling(*tiny(), GAP, **settings)


# Where the decoder looks.


@pytest.mark.parametrize("beams", [1, 3])
@pytest.mark.parametrize(("layer", "head"), [(0, None), (1, 1), (1, None), (1, 3)])
def test_each_row_is_what_was_seen_while_the_token_was_chosen(layer: int, head: int | None, beams: int) -> None:
    model, tokenizer = tiny()
    ids = tokenizer(DOCTOR)["input_ids"]
    place = f"decoder.block.{layer}.cross_attention"
    recording = trace_cross_attention.record(model, tokenizer, DOCTOR, place, head, num_beams=beams)
    with watch(model, f"{place}.weights") as seen:
        output = model.generate(
            torch.tensor([ids]), num_beams=beams, max_new_tokens=40, return_dict_in_generate=True, output_scores=True
        )
    passes = seen.passes[f"{place}.weights"]
    rows = output.beam_indices[0].tolist() if beams > 1 else [0] * len(passes)
    assert recording.result == tokenizer.decode(output.sequences[0], skip_special_tokens=True)
    assert len(recording) == output.sequences.shape[1] - 1
    for step, weights, row in zip(recording, passes, rows, strict=False):
        wanted = weights[row, :, 0].mean(dim=0) if head is None else weights[row, head, 0]  # the winner's beam
        assert step.weights == near(wanted.tolist())
        assert sum(step.weights) == near(1)
        assert step.source == tuple(tokenizer.convert_ids_to_tokens(ids))
        assert step.weights[step.argmax] == max(step.weights)


def test_one_head_of_the_tiny_translator_looks_at_the_word_that_it_translates() -> None:
    looked = {step.token: step.source[step.argmax] for step in trace_cross_attention.record(*tiny(), DOCTOR, head=1)}
    assert looked["▁Arzt"] == "▁doctor" and looked["▁liest"] == "▁reading"
    assert looked["▁rotes"] == "▁red" and looked["▁Buch"] == "▁book"


def test_a_head_that_is_not_there_is_told_and_the_others_keep_their_numbers() -> None:
    model, last = small_model(), "decoder.block.1.cross_attention"
    whole = trace_cross_attention.record(model, LETTERS, SOURCE, last, 1, max_new_tokens=1)
    model.decoder.block[1].layer[1].EncDecAttention.prune_heads({0})
    alone = trace_cross_attention.record(model, LETTERS, SOURCE, last, 1, max_new_tokens=1)
    mean_of_one = trace_cross_attention.record(model, LETTERS, SOURCE, max_new_tokens=1)
    assert alone[0].weights == mean_of_one[0].weights == near(whole[0].weights)
    for head in (0, 7):
        with pytest.raises(ValueError, match=f"head={head} does not exist"):
            trace_cross_attention(model, LETTERS, SOURCE, head=head)
    with pytest.raises(ValueError, match=r"is not a cross-attention of this model; it has decoder\.block\.0"):
        trace_cross_attention(model, LETTERS, SOURCE, "decoder.block.0.self_attention")
