"""What the views of sampling draw and ask: numbers are those of the steps, lines fall where something is cut off."""

from __future__ import annotations

import math
import re
from html import unescape
from random import Random
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.libraries.transformers.test_sampling_steps import DOCTOR, GAP, WRITTEN, asked, logits, shares, tiny
from tests.libraries.transformers.test_t5_seen import LETTERS, SOURCE, small_model
from tests.questions import frames, options_of, questions
from tests.unit.test_t5_model_views import EVIL, Evil
from tokenlab.algorithms.decoding.next_token import softmax_with_temperature
from tokenlab.algorithms.decoding.sample_counts import checkpoints, count_samples, cumulative_intervals, mean_and_std
from tokenlab.misconceptions.token_sampling import exclude_crossing_token, temperature_first, temperature_last
from tokenlab.printing.printed_numbers import format_number, format_probability
from tokenlab.show.explorers.explore_generation import (
    MEAN,
    explore_cross_attention,
    explore_next_token,
    explore_sampling,
)
from tokenlab.show.frames import Frame, chip
from tokenlab.show.views.decoding.sampling_frequencies_view import is_in_interval
from tokenlab.steps.recording import Recording
from tokenlab.traces.generation.sampling_steps import (
    CrossAttentionWeights,
    DistributionChanged,
    TokenGenerated,
)
from tokenlab.traces.generation.trace_next_token import TEMPERATURE_LAST, trace_next_token
from tokenlab.traces.generation.trace_sampling import trace_cross_attention, trace_sampling

torch.set_num_threads(1)
RATE = r"width:(\d+(?:\.\d+)?)%"


def rows(frame: Frame) -> list[list[str]]:
    """The rows of a frame's table, each as the words of its cells."""
    (table,) = [panel.rows[0] for panel in frame.panels if "<table" in panel.rows[0]]
    lines = table.split("<tr")[1:]
    return [
        [unescape(re.sub("<[^>]*>", "", f"<{cell}")).strip() for cell in re.split("<t[hd]", line)[1:]] for line in lines
    ]


def shown(tokens: tuple[str, ...]) -> list[str]:
    return [re.sub("<[^>]*>", "", unescape(chip(token))) if "<" not in token else token for token in tokens]


# The next token.


@pytest.mark.parametrize(
    "rules",
    [
        {"top_k": 0, "top_p": 0.7},
        {"top_k": 5},
        {"top_k": 0, "typical_p": 0.5},
        {"top_k": 0, "epsilon_cutoff": 0.05},
        {"top_k": 0, "eta_cutoff": 0.3},
        {"temperature": 2.0, "top_k": 6, "top_p": 0.5, "typical_p": 0.2},
    ],
)
def test_lines_are_drawn_where_the_cut_parts_two_tokens(rules: dict[str, Any]) -> None:
    recording = asked(**rules)
    for step, frame in zip(recording, frames(recording)[1:], strict=True):
        if not isinstance(step, DistributionChanged):
            continue
        table = rows_of_tokens = rows(frame)
        rows_of_tokens = [row for row in table[1:] if len(row) > 1]
        lines = [place for place, row in enumerate(table[1:]) if row[0].startswith("cutoff:")]
        stays = [after > 0 for after in step.after]
        assert len(step.tokens) == min(12, step.num_possible_before) and min(step.before) > 0
        parted = [place for place in range(1, len(stays)) if step.cutoff and stays[place] != stays[place - 1]]
        assert lines == [place + before for before, place in enumerate(parted)]
        for line, place in zip(lines, parted, strict=True):
            assert table[1 + line][0] == f"cutoff: tokens {'above' if stays[place - 1] else 'below'} are kept"
        for row, token, before, after in zip(rows_of_tokens, shown(step.tokens), step.before, step.after, strict=False):
            assert row[0] == token
            assert row[-2:] == [format_probability(before), format_probability(after) if after else "×"]
        if step.cutoff and step.cutoff.criterion != "probability":
            assert table[0] == ["token", step.cutoff.criterion, "before", "after"]
            decimals = 0 if step.cutoff.criterion == "rank" else 2
            found = [row[1] for row in rows_of_tokens[: len(stays)]]
            assert found == [format_number(each, decimals) for each in step.cutoff.values]
        else:
            assert table[0] == ["token", "before", "after"]
        others = step.num_possible_before - len(step.tokens)
        if others:
            assert table[-1][0] == ("1 other token" if others == 1 else f"{others} other tokens")
            hidden = step.num_possible > sum(stays)
            assert table[-1][-1] == (format_probability(max(1e-9, 1 - sum(step.after))) if hidden else "×")


def test_a_cut_below_what_is_shown_is_told() -> None:
    table = rows(frames(asked(top_k=50))[-1])
    assert table[-2] == ["the cutoff is further down"] and table[-1][0] == "888 other tokens"
    just = rows(frames(asked(top_k=12))[-1])
    assert just[-2] == ["cutoff: tokens above are kept"] and just[-1][0] == "888 other tokens"
    assert ["the cutoff is further down"] not in rows(frames(asked(top_k=5))[-1])


def test_bars_are_as_long_as_their_probabilities_in_all_frames() -> None:
    recording = asked(temperature=2.0, top_k=8, top_p=0.6)
    largest = max(share for step in recording[1:] for share in step.before + step.after)
    for step, frame in zip(recording[1:], frames(recording)[2:], strict=True):
        bars = [float(width) for width in re.findall(rf"<i style=\"[^\"]*{RATE}", frame.panels[0].rows[0])]
        wanted = [66 * share / largest for pair in zip(step.before, step.after, strict=True) for share in pair if share]
        assert bars == pytest.approx(wanted, abs=0.51)


def test_captions_and_remarks_say_what_happened() -> None:
    recording = asked(temperature=2.0, top_k=3)
    first, model, warm, cut = frames(recording)
    assert first.panels == () and "Which token comes next?" in first.caption
    assert "each of the 900 tokens" in model.caption and model.remark == ""
    surprising = frames(asked(top_k=0, typical_p=0.5))[1]
    assert (
        surprising.remark == f"The entropy, which is the expected surprisal, is {format_number(recording[0].entropy)}."
    )
    place = max(range(12), key=lambda each: abs(recording[1].after[each] - recording[1].before[each]))
    moved = recording[1].tokens[place], recording[1].before[place], recording[1].after[place]
    assert (
        f"removes no token; {chip(moved[0])} had {format_probability(moved[1])} and has {format_probability(moved[2])}."
        in warm.caption
    )
    removed = format_probability(recording[2].removed_mass)
    assert f"keeps 3 of 900 tokens; the others had {removed} together." in cut.caption
    assert cut.remark == "The rule: keep the 3 most probable tokens."
    assert [frame.moment for frame in (model, warm, cut)] == [
        "The model's distribution", "After change 1", "After change 2",
    ]  # fmt: skip
    last = frames(asked(temperature=2.0, top_k=0, top_p=0.5, order=TEMPERATURE_LAST))[-1]
    assert last.remark == "The token is drawn from this distribution."
    nothing = frames(asked(repetition_penalty=1.0001, top_k=0, written=""))[-1]
    assert "none of the probabilities shown here has changed." in nothing.caption


def test_one_token_is_no_several_tokens() -> None:
    recording = asked(temperature=2.0, top_k=0, top_p=0.5, typical_p=0.1, epsilon_cutoff=0.1)
    (nearest,) = [p for p in recording[-2].after if p]
    place = recording[-2].after.index(nearest)
    distance = format_number(recording[-2].cutoff.values[place])
    told = f"the nearest token, {distance} from it, alone has at least 0.1"
    assert recording[-2].num_possible == 1 and told in frames(recording)[-2].remark
    assert "keeps the only token;" in str(recording[-1]) and "keeps 1 of 7 tokens" in str(recording[-2])


@pytest.mark.parametrize("temperature", [1.0, 2.0, 0.5])
@pytest.mark.parametrize("top_p", [0.3, 0.5, 0.7, 0.8])
def test_what_is_asked_is_what_misconceptions_47_and_48_keep(temperature: float, top_p: float) -> None:
    recording = asked(temperature=temperature, top_k=0, top_p=top_p)
    scores = list(logits(GAP, WRITTEN).values())
    right = len(temperature_first(scores, temperature, top_p))
    assert recording[-1].num_possible == right
    asks = questions(recording)
    if right >= 12:
        assert asks == {}
        return
    ((number, question),) = asks.items()
    assert number == len(recording) - 1
    warm = softmax_with_temperature(scores, temperature)
    misconceptions = {47: len(exclude_crossing_token(warm, top_p))}
    if temperature != 1:
        misconceptions[48] = len(temperature_last(scores, temperature, top_p))
    labels = {option.label for option in question.options}
    assert options_of(question)[0] == str(right) and labels == {str(right), *map(str, misconceptions.values())}
    for option in question.options:
        assert option.label == str(misconceptions.get(option.misconception, right))
        for what, of, value in option.facts:
            share = math.fsum(sorted(warm, reverse=True)[:of]) if what == "together" else misconceptions[48]
            assert value == pytest.approx(share, abs=0.0051)
            assert what != "together" or format_probability(value) in option.why
    assert f"top_p={top_p}" in question.prompt


def test_nothing_is_asked_where_rounding_could_decide_or_where_a_cut_came_between() -> None:
    order = list(shares(logits(GAP, WRITTEN)).values())
    assert questions(asked(top_k=0, top_p=round(sum(order[:4]) - 0.0005, 4))) == {}
    assert questions(asked(top_k=0, top_p=round(sum(order[:4]) + 0.0005, 4))) == {}
    between = questions(asked(temperature=2.0, top_k=5, top_p=0.7))
    assert set(options_of(*between.values())) == {0, 47}
    last = questions(asked(temperature=2.0, top_k=0, top_p=0.5, order=TEMPERATURE_LAST))
    assert set(options_of(*last.values())) == {0, 47}
    assert questions(asked(top_k=0, top_p=0.05)) == {}  # the likeliest stays alone, by either rule


# A text.


def test_a_text_is_shown_as_it_grows_with_what_each_token_was_chosen_from() -> None:
    recording = trace_sampling.record(*tiny(), GAP, 1, do_sample=True, top_k=20)
    first, *others = frames(recording)
    assert "has not generated a token yet" in first.caption and first.panels == ()
    for number, (step, frame) in enumerate(zip(recording, others, strict=True), start=1):
        written, table = frame.panels
        assert re.findall(r"<b(?: class=new)?>([^ ]*)</b>", written.rows[0]) == [
            unescape(re.sub("<[^>]*>", "", chip(each.token))).replace("<", "&lt;").replace(">", "&gt;")
            for each in recording[:number]
        ]
        assert written.rows[0].count("class=new") == 1
        assert re.findall(r"<small[^>]*>([^<]*)<", written.rows[0]) == [
            format_probability(s.probability) for s in recording[:number]
        ]
        body = rows(frame)[1:]
        marked = {row[0]: row[1] for row in body}
        drawn_rows = [token for token, p in zip(step.tokens, step.probabilities, strict=True) if p >= 0.00001]
        assert table.title == "Selected from 20 tokens" and [row[0] for row in body[:-1]] == shown(tuple(drawn_rows))
        assert body[-1][0] == f"{20 - len(drawn_rows)} other tokens"
        drawn = [name for name, value in marked.items() if "drawn" in value]
        likeliest = [name for name, value in marked.items() if "most probable" in value]
        assert drawn == shown((step.token,)) and likeliest == shown((step.most_probable,))
        assert table.rows[0].count("background:#009e73") == 1
        if number > 1:
            whole = math.prod(each.probability for each in recording[:number])
            assert re.search(rf"[:=] {re.escape(format_probability(whole))}(; .* nearly 1)?\.$", frame.remark)
    greedy = frames(trace_sampling.record(*tiny(), GAP))
    assert "is selected, because it is the most probable token" in greedy[1].caption
    assert "drawn" not in str(greedy[1].panels)


def written(*probabilities: float) -> Recording[Any, Any]:
    steps = tuple(TokenGenerated("a", p, "a", p, True, ("a",), (p,), 1) for p in probabilities)
    return Recording("tokenlab.traces.generation.trace_sampling.trace_sampling", {}, steps, "")


@pytest.mark.parametrize(
    ("probabilities", "product"),
    [
        ((0.5, 0.25), "0.50 × 0.25 = 0.12"),
        ((0.9999, 0.5), "0.50; the other factor is nearly 1"),
        ((0.5, 1.0, 0.9996, 0.5), "0.50 × 0.50 = 0.25; the other 2 factors are nearly 1"),
        ((1.0, 1.0), "1; both factors are nearly 1"),
        ((0.9995, 0.5), f"{format_probability(0.9995)} × 0.50 = 0.50"),
        ((0.1, *[0.5] * 8), f"… × {' × '.join(['0.50'] * 8)} = 0.00039"),
    ],
)
def test_a_product_shows_the_factors_that_change_it(probabilities: tuple[float, ...], product: str) -> None:
    assert frames(written(*probabilities))[-1].remark == f"The probability of the text so far: {product}."


def test_the_first_toss_of_a_coin_is_still_seen_at_the_end() -> None:
    recording = trace_sampling.record(*tiny(), DOCTOR)
    telling = [
        format_probability(step.probability)
        for step in recording
        if format_probability(step.probability) not in ("1", "0.999…")
    ]
    others = len(recording) - len(telling)
    assert 0 < len(telling) < len(recording) and f": {' × '.join(telling)} = " in frames(recording)[-1].remark
    assert frames(recording)[-1].remark.endswith(f"; the other {others} factors are nearly 1.")


# Draws.


def test_parts_of_the_line_are_as_wide_as_their_tokens_are_likely() -> None:
    distribution = {"a": 0.5, "<b>": 0.3, "c": 0.2}
    for frame in frames(count_samples.record(distribution, 10)):
        line = frame.panels[0].rows[0]
        assert [float(width) for width in re.findall(RATE, line)] == [50, 30, 20]
        assert "<b>" not in line and "&lt;b&gt;" in line


@examples(25)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=6), st.integers(1, 300), st.integers(0, 50))
def test_each_number_is_counted_for_the_part_it_falls_on(weights: list[int], draws: int, seed: int) -> None:
    distribution = {f"t{place}": weight for place, weight in enumerate(weights)}
    if not any(weights):
        with pytest.raises(ValueError, match="no token with a probability above 0"):
            count_samples(distribution, draws, seed)
        return
    recording = count_samples.record(distribution, draws, seed)
    numbers = [Random.random(dice) for dice in [Random(seed)] for _ in range(draws)]
    total, again = sum(weights), dict.fromkeys(distribution, 0)
    for number in numbers:
        low = 0.0
        for token, weight in distribution.items():
            if low <= number * total < low + weight:
                again[token] += 1
            low += weight
    assert recording.result == {token: count for token, count in again.items() if count}
    assert [step.draws for step in recording] == checkpoints(draws)
    for step in recording:
        assert step.number == numbers[step.draws - 1] and sum(step.counts.values()) == step.draws


def test_no_distribution_is_none() -> None:
    for distribution, told in (
        ({"a": -1.0}, "gives 'a' the probability -1.0"),
        ({}, "no token"),
        ({"a": 0}, "no token"),
    ):
        with pytest.raises(ValueError, match=told):
            count_samples(distribution)
    with pytest.raises(ValueError, match="draws=0 is too small"):
        count_samples({"a": 1}, 0)
    assert cumulative_intervals({"a": 1, "b": 0, "c": 3}) == [("a", 0, 0.25), ("c", 0.25, 1)]


def test_counts_stand_beside_what_is_expected_and_how_near_is_usual() -> None:
    distribution = {"a": 0.5, "b": 0.3, "c": 0.2}
    recording = count_samples.record(distribution, 1000, seed=4)
    frame = frames(recording)[-1]
    for row, (token, p) in zip(rows(frame)[1:], distribution.items(), strict=True):
        usual = 2 * math.sqrt(1000 * p * (1 - p))
        count = recording.result[token]
        far = abs(count - 1000 * p) > usual
        assert row[:3] == [
            token,
            f"{count} !" if far else str(count),
            f"{format_number(1000 * p, 1)} ± {format_number(usual, 1)}",
        ]
    inside = sum(abs(recording.result[t] - 1000 * p) <= 2 * mean_and_std(p, 1000)[1] for t, p in distribution.items())
    assert frame.remark.startswith(f"Of the 3 counts that are expected to be 5 or more, {inside} are")
    assert "on average, 19 of 20 counts are" in frame.remark
    assert frames(recording)[1].remark == "There are too few draws to judge the counts."
    assert rows(frame)[0] == ["token", "drawn", "expected", "counts"]
    assert "two standard deviations" in frame.panels[1].rows[1] and "!: outside" in frame.panels[1].rows[1]


def test_a_count_that_is_far_off_is_marked() -> None:
    steps = count_samples.record({"a": 0.5, "b": 0.5}, 100).steps
    last = type(steps[-1])(100, 0.1, "a", {"a": 61, "b": 39})
    recording = Recording(
        "tokenlab.algorithms.decoding.sample_counts.count_samples", {"distribution": {"a": 0.5, "b": 0.5}}, (last,), {}
    )
    frame = frames(recording)[-1]
    assert [row[1] for row in rows(frame)[1:]] == [
        "61 !",
        "39 !",
    ] and "Of the 2 counts that are expected to be 5 or more, 0 are" in frame.remark


def test_usual_is_what_19_of_20_samples_are() -> None:
    dice = Random(8)
    inside = [is_in_interval(sum(dice.random() < 0.3 for _ in range(200)), 0.3, 200) for _ in range(1000)]
    assert 0.93 < sum(inside) / 1000 < 0.98


def test_many_tokens_are_counted_together() -> None:
    distribution = {str(place): 1.0 for place in range(14)}
    recording = count_samples.record(distribution, 500)
    table = rows(frames(recording)[-1])
    assert len(table) == 12 and table[-1][0] == "4 other tokens"
    assert int(table[-1][1]) == sum(recording.result[str(place)] for place in range(10, 14))
    assert table[-1][2] == format_number(500 * 4 / 14, 1)
    assert rows(frames(recording)[0])[-1] == ["4 other tokens", format_probability(4 / 14)]


# Where the decoder looks.


def test_the_map_grows_by_a_row_and_old_rows_stay() -> None:
    recording = trace_cross_attention.record(*tiny(), DOCTOR, head=1)
    before: list[str] = []
    for number, (step, frame) in enumerate(zip(recording, frames(recording)[1:], strict=True), start=1):
        table = re.split("<tr", "".join(frame.panels[0].rows))[2:]
        assert len(table) == number and [row.removesuffix("</table></span>") for row in table[:-1]] == before
        numbers = re.findall(r'title="[^"]*: ([\d.]+)"', table[-1])
        assert numbers == [f"{weight:.2f}" for weight in step.weights]
        before = [row.removesuffix("</table></span>") for row in table]
        best = step.source[step.argmax]
        assert f"attends to {chip(best)} most: {format_probability(max(step.weights))}" in frame.caption
    strongest = frames(recording)[-1].panels[1]
    assert strongest.more and len(strongest.rows) == len(recording)
    assert frames(recording)[1].remark == "This is head 1 of the last layer."
    mean = frames(trace_cross_attention.record(*tiny(), DOCTOR, "decoder.block.0.cross_attention"))
    assert mean[1].remark == "This is the mean of all heads of decoder.block.0.cross_attention."


@pytest.mark.parametrize(("source", "count"), [(("▁a",), "1 token."), (("▁a", "</s>"), "2 tokens.")])
def test_the_number_of_source_tokens_agrees_with_its_noun(source: tuple[str, ...], count: str) -> None:
    step = CrossAttentionWeights("▁b", source, (1.0,) * len(source))
    name = "tokenlab.traces.generation.trace_sampling.trace_cross_attention"
    recording: Recording[Any, Any] = Recording(name, {"head": 0, "place": None}, (step,), None)
    assert frames(recording)[0].caption.startswith(f"The encoder has read {count}")


def test_tokens_are_text_and_never_markup() -> None:
    model = small_model()
    recordings = (
        trace_next_token.record(model, Evil(), SOURCE, top_k=3),
        trace_sampling.record(model, Evil(), SOURCE, max_new_tokens=3),
        trace_cross_attention.record(model, Evil(), SOURCE, max_new_tokens=3),
        count_samples.record({EVIL: 0.5, "b": 0.5}, 10),
    )
    for recording in recordings:
        assert "<img" not in str(frames(recording)) and "&lt;img" in str(frames(recording))
        assert "<img" not in recording.play().html


def test_frames_of_a_part_of_a_recording_are_those_of_the_whole() -> None:
    recordings: tuple[Recording[Any, Any], ...] = (
        asked(temperature=2.0, top_p=0.5),
        trace_sampling.record(*tiny(), GAP),
        trace_cross_attention.record(*tiny(), GAP),
        count_samples.record({"a": 1}),
    )
    for recording in recordings:
        assert frames(recording, start=1, steps=2) == frames(recording)[1:4]


# Explorers.


def test_sliders_are_followed_and_rest_where_they_change_nothing() -> None:
    model, tokenizer = tiny()
    explorer = explore_next_token(GAP, model, tokenizer, WRITTEN)
    assert explorer.data == trace_next_token.record(model, tokenizer, GAP, WRITTEN, top_k=0).play(opened=-1).data
    rules = {"temperature": 1.5, "top_k": 20, "top_p": 0.65, "typical_p": 0.9, "repetition_penalty": 1.2}
    for name, value in rules.items():
        explorer.controls[name].value = value
    explorer.controls["order"].value = TEMPERATURE_LAST
    wanted = trace_next_token.record(model, tokenizer, GAP, WRITTEN, TEMPERATURE_LAST, **rules)
    assert explorer.data == wanted.play(opened=-1).data and explorer.message == ""
    assert explore_next_token(GAP, model, tokenizer, temperature=5.0).controls["temperature"].max == 5.0
    with pytest.raises(ValueError, match="top_q has no slider here; there are temperature, top_k"):
        explore_next_token(GAP, model, tokenizer, top_q=1)


def test_a_text_is_drawn_by_its_seed_or_taken_greedily() -> None:
    model, tokenizer = tiny()
    explorer = explore_sampling(GAP, model, tokenizer, seed=3, temperature=2.0)
    rules = {"temperature": 2.0, "top_k": 0}
    drawn = trace_sampling.record(model, tokenizer, GAP, 3, do_sample=True, max_new_tokens=30, **rules)
    assert explorer.data == drawn.play(opened=-1).data
    explorer.controls["seed"].value = 4
    drawn = trace_sampling.record(model, tokenizer, GAP, 4, do_sample=True, max_new_tokens=30, **rules)
    assert explorer.data == drawn.play(opened=-1).data
    explorer.controls["draw"].value = False
    assert explorer.data == trace_sampling.record(model, tokenizer, GAP).play(opened=-1).data
    explorer.controls["text"].value = "The boy " * 40
    assert "text has" in explorer.message and "too many to draw" in explorer.message


def test_layers_heads_and_beams_can_be_chosen() -> None:
    model, tokenizer = tiny()
    explorer = explore_cross_attention(DOCTOR, model, tokenizer)
    assert explorer.controls["head"].value == MEAN
    explorer.controls["layer"].value, explorer.controls["head"].value = 0, "2"
    explorer.controls["num_beams"].value = 3
    place = "decoder.block.0.cross_attention"
    wanted = trace_cross_attention.record(model, tokenizer, DOCTOR, place, 2, num_beams=3, max_new_tokens=30)
    assert explorer.data == wanted.play(opened=-1).data
    explorer.controls["text"].value = "\ud800"
    assert "surrogate" in explorer.message


def test_own_text_is_followed_or_answered_with_what_is_known() -> None:
    model, tokenizer = tiny()
    for explore in (explore_next_token, explore_sampling, explore_cross_attention):
        explorer = explore(GAP, model, tokenizer)
        for typed in ("日本語 שלום", "", "The doctor drew a cat."):
            explorer.controls["text"].value = typed
            assert explorer.message == ""
        for typed in (EVIL, "abcab"):  # words that the tiny T5 does not know: answered with those that it knows
            explorer.controls["text"].value = typed
            assert "The tiny T5 was not trained on" in explorer.message
            assert "<img" not in explorer.message and "<img" not in explorer.data
        explorer.controls["text"].value = "a" * 500
        assert "too long to process at every key press" in explorer.message
    assert len(trace_sampling.record(small_model(), LETTERS, SOURCE, max_new_tokens=2)) <= 2
