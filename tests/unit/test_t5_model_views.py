"""What the views of a whole T5 draw and ask: right answers are the next step, wrong ones misconceptions."""

from __future__ import annotations

import re
from typing import Any

import pytest
import torch

from tests.libraries.transformers.test_t5_seen import LETTERS, SOURCE, TARGET, small_model
from tests.questions import frames, options_of, questions
from tokenlab.libraries.transformers import T5Config
from tokenlab.misconceptions import t5_model as wrong
from tokenlab.show.explorers.explore_t5 import (
    FULL_LENGTH,
    LENGTHS,
    explore_kv_cache,
    explore_t5_shapes,
    explore_token_losses,
    published_t5_configs,
)
from tokenlab.show.frames import Question, chip, text
from tokenlab.steps.recording import Recording
from tokenlab.traces.t5.t5_steps import CachedStep, MeanLoss, TokenLoss
from tokenlab.traces.t5.trace_decoding import trace_kv_cache, trace_token_losses
from tokenlab.traces.t5.trace_shapes import trace_shapes

torch.set_num_threads(1)
EVIL = "<img src=x onerror=alert(1)>"


class Evil:
    """A tokenizer whose tokens are markup."""

    def __call__(self, given: str) -> dict[str, list[int]]:
        return LETTERS(given)

    def convert_ids_to_tokens(self, ids: Any) -> Any:
        return [EVIL] * len(ids) if isinstance(ids, list) else EVIL

    def decode(self, ids: list[int], skip_special_tokens: bool = False) -> str:
        return EVIL


def scored(length: int | None = None, **switches: Any) -> Recording[Any, Any]:
    return trace_token_losses.record(small_model(), LETTERS, SOURCE, TARGET, length, **switches)


def facts_of(question: Question) -> dict[str, float]:
    """What all options say was counted, which has to stand in each reason."""
    for option in question.options:
        for _, _, number in option.facts:
            assert re.search(rf"\b{number}\b", option.why) or number == 1, (number, option.why)
    return {what: number for option in question.options for what, _, number in option.facts}


def panel(frame: Any, title: str) -> str:
    (rows,) = [panel.rows for panel in frame.panels if panel.title.startswith(title)]
    return "".join(rows)


# Shapes.


@pytest.mark.parametrize("name", ["t5-small", "t5-11b", "t5-v1_1-small"])
def test_published_models_have_the_parameters_that_they_have(name: str) -> None:
    published = {"t5-small": 60_506_624, "t5-11b": 11_307_321_344, "t5-v1_1-small": 76_961_152}
    recording = trace_shapes.record(published_t5_configs()[name], 8, 9)
    assert recording.result == published[name]
    assert f"{published[name]:,} so far" in frames(recording)[-1].remark


def test_bars_are_as_long_as_tensors_have_numbers() -> None:
    recording = trace_shapes.record(T5Config(32, 8, 4, 16, 2, num_heads=2), 10, 5)
    last = frames(recording)[-1].panels[0].rows
    assert len(frames(recording)) == len(recording) + 1
    assert "<tr><th scope=row>encoder: embeddings<td><i style=width:50%></i><td>1 × 10 × 8" in last
    assert "<tr><th scope=row>head: logits<td><i style=width:100%></i><td>1 × 5 × 32" in last
    block = panel(frames(recording)[3], "Intermediate tensors")
    assert "scores (batch, heads, source, source)<td><i style=width:100%></i><td>1 × 2 × 10 × 10" in block
    assert "bias (any text, heads, source, source)" in block
    assert "bias" not in panel(frames(recording)[4], "Intermediate tensors")


@pytest.mark.parametrize(("layers", "decoder_layers"), [(1, 1), (2, 2), (1, 2), (6, 6)])
def test_the_decoder_reads_as_many_as_there_are_labels_and_two_tables_are_stored(
    layers: int, decoder_layers: int
) -> None:
    config = T5Config(32, 8, 4, 16, layers, decoder_layers, num_heads=2)
    recording = trace_shapes.record(config, 4, 5)
    asked = questions(recording)
    (reads, tables) = asked.values()
    assert options_of(reads) == {0: str(len(wrong.double_pad([5] * 5))), 39: "6"}
    assert recording[next(iter(asked))].shape[-1] == ("target", 5)
    labels = [option.label for option in tables.options if option.right]
    assert labels == [str(sum(name == "bias" for stage in recording for name, _ in stage.inner_shapes))] == ["2"]
    others = {option.label for option in tables.options} - {"2"}
    assert others == {"3", str(layers + decoder_layers)} - {"2"}
    assert facts_of(tables) == {"blocks": layers + decoder_layers, "tables": 2}


# The loss.


@pytest.mark.parametrize("length", [1, 2, 8, 9, 10, 20, None])
def test_what_is_asked_about_a_target_is_what_the_misconceptions_say(length: int | None) -> None:
    recording = scored(length)
    ids = LETTERS(TARGET)["input_ids"]
    labels = ids if length is None else (ids + [-100] * length)[:length]
    asked = questions(recording)
    for number, question in asked.items():
        options, facts = options_of(question), facts_of(question)
        if question.prompt.startswith("The label at position 1"):
            assert number == 1
            assert options[0] == chip(recording[1].input_token) == chip(f"<{labels[0]}>")
            beliefs = {f"<{program(labels)[1]}>" for program in (wrong.no_shift, wrong.double_pad)}
            assert {option.label for option in question.options if option.misconception} == set(map(chip, beliefs))
        elif question.prompt.startswith("One pass"):
            assert options == {0: "3", 40: f"all {len(labels)}"}
            with_mask = [weight > 0 for weight in wrong.no_causal_mask([[0] * len(labels)] * len(labels))[2]]
            assert facts == {"places": sum(with_mask), "seen": recording[2].visible} and number == 2
        elif question.prompt.startswith("What does position"):
            assert options == {0: "nothing", 39: "the loss of padding"}
            assert labels[number] == -100 != labels[number - 1]
            assert f"position {number}, whose" in question.prompt
        else:
            assert options == {0: str(recording[-1].num_labels), 39: str(len(labels))}
            assert facts == {"places": len(labels), "counted": sum(label != -100 for label in labels)}
    expected = (len(labels) > 1) + (len(labels) > 3) + 2 * (-100 in labels)
    assert len(asked) == expected


def test_what_place_1_reads_is_not_shown_before_it_is_asked() -> None:
    shown = frames(scored())
    answer = text(scored()[1].input_token)
    assert [panel.title for panel in shown[0].panels] == ["Labels"]
    reads = shown[1].panels[0].rows[0]
    assert "input" in reads and answer not in reads
    assert answer in shown[2].panels[0].rows[0]


@pytest.mark.parametrize("causal", [True, False])
def test_what_a_place_may_not_look_at_is_hidden(causal: bool) -> None:
    recording = scored(8, causal=causal)
    for number, frame in enumerate(frames(recording)):
        if 0 < number <= 8:
            hidden = frame.panels[0].rows[0].count(">hidden<")
            assert hidden == (8 - number if causal else 0) == 8 - recording[number - 1].visible
    if not causal:
        assert questions(recording) == {}
        assert frames(recording)[0].remark == "Switched off: the causal mask."
        assert "They differ: in parallel this position also attends to 7 later tokens." in frames(recording)[1].remark
    else:
        assert {frame.remark for frame in frames(recording)[1:9]} == {
            "Parallel pass and step-by-step computation agree up to rounding."
        }


def test_bars_say_the_loss_of_each_label_and_their_mean_is_the_loss() -> None:
    recording = scored(20)
    shown = frames(recording)
    for title in ("Loss -ln(p), parallel pass", "Loss -ln(p), step by step"):
        rows = next(panel.rows for panel in shown[-1].panels if panel.title == title)
        assert len(rows) == 20
        losses = [float(found[1]) for row in rows if (found := re.search(r"<td>(\d+\.\d\d) \(p \d\.\d\d\)$", row))]
        assert len(losses) == len(LETTERS(TARGET)["input_ids"]) == 20 - sum("ignored" in row for row in rows)
        assert sum(losses) / len(losses) == pytest.approx(recording.result, abs=0.006)
        assert f"{recording.result:.2f} in one parallel pass" in shown[-1].caption
        assert any("width:100%" in row for row in rows)
    assert isinstance(recording[-1], MeanLoss) and chip(recording[-1].generated) in shown[-1].remark


def test_what_padding_would_say_is_about_padding() -> None:
    (question,) = [one for one in questions(scored(20)).values() if one.prompt.startswith("Over how many")]
    (told,) = [option.why for option in question.options if option.misconception]
    assert told.startswith("Padding is not a part of the target")


def test_a_long_target_is_drawn_up_to_its_64th_place() -> None:
    recording = trace_token_losses.record(small_model(), LETTERS, SOURCE, "ab" * 40)
    rows = "".join(frames(recording)[-2].panels[0].rows)
    assert "the first 64 of 81 positions" in rows and 'data-at="63"' in rows and 'data-at="64"' not in rows


def test_small_losses_are_not_drawn_as_large_ones() -> None:
    sure = TokenLoss(0, "<pad>", "a", -0.01, -0.01, 1)
    frame = frames(
        Recording(
            "tokenlab.traces.t5.trace_decoding.trace_token_losses",
            {"causal": True, "bias": True},
            (sure,),
            0,
        )
    )
    assert "width:2%" in panel(frame[1], "Loss -ln(p), step by step")


def test_a_column_is_as_wide_as_the_longest_that_ever_stands_in_it() -> None:
    steps = (
        TokenLoss(0, "<pad>", "▁to", -0.5, -0.5, 1),
        TokenLoss(1, "ten1010101", None, None, None, 2),
        TokenLoss(2, "a", "twelve121212", -0.5, -0.5, 3),
    )
    recording = Recording(
        "tokenlab.traces.t5.trace_decoding.trace_token_losses",
        {"causal": True, "bias": True},
        steps,
        0,
    )
    rows = frames(recording)[1].panels[0].rows
    assert [row.count('"grid-template-columns:3em 4.6em 7.1em 8.3em"') for row in rows] == [1, 1]
    for row in rows:
        assert re.findall(r"grid-column:(\d+);white-space:nowrap", row) == ["2", "3", "4"]


def test_ten_places_stand_in_a_line_and_no_place_twice() -> None:
    rows = frames(scored(16))[12].panels[0].rows
    places = [re.findall(r'data-at="(\d+)" style="grid-column:(\d+);', row) for row in rows]
    first, second = ([(str(n), str(n % 10 + 2)) for n in part] for part in (range(10), range(10, 16)))
    assert places == [first, first, second, second]
    assert [re.findall(r"<span>(\w+)</span>", row) for row in rows] == [["input"], ["label"]] * 2
    assert [row.count("class=new") for row in rows] == [0, 0, 0, 1]


# The cache.


@pytest.mark.parametrize("length", [1, 2, 8, 9, 10])
def test_what_is_asked_about_a_step_is_what_it_makes(length: int) -> None:
    recording = trace_kv_cache.record(small_model(), LETTERS, SOURCE, TARGET, length)
    source = len(LETTERS(SOURCE)["input_ids"])
    asked = questions(recording)
    assert list(asked) == [number for number in (1, 2, 3, 9) if number < length]
    for number, question in asked.items():
        step, options, facts = recording[number], options_of(question), facts_of(question)
        assert isinstance(step, CachedStep)
        if "encoder" in question.prompt:
            again = wrong.cross_kv_recomputed(source, number + 1)[number][1]
            assert options == {0: str(step.num_source_keys_computed), 41: str(again)} == {0: "0", 41: str(source)}
        elif "rows of queries" in question.prompt:
            assert options == {0: "1", 41: str(number + 1)} and facts == {"queries": 1, "keys": number + 1}
        else:
            # With a bias of its own for each distance, the first key gets that of the distance to it.
            zeros: Any = ([[0.0]] * number, [[0.0]] * number)
            far = [-1e9 * (distance != number) for distance in range(number + 1)]
            restarted = wrong.position_restart([0], [0], [1], zeros, biases=far)[0]
            assert restarted == pytest.approx((1 / (number + 1),))  # all alike: no distance is known
            assert options == {0: str(number), 41: "0"} and facts == {"keys": number + 1}


def test_the_cache_grows_by_one_row_and_old_rows_stay() -> None:
    recording = trace_kv_cache.record(small_model(), LETTERS, SOURCE, TARGET, 10)
    before: tuple[str, ...] = ()
    for number, frame in enumerate(frames(recording)[1:], start=1):
        rows = tuple(row.replace(" class=new", "") for row in frame.panels[0].rows)
        assert rows[:-1] == before and len(rows) == number
        assert frame.panels[0].rows[-1].count("class=new") == len(recording[number - 1].new_key)
        assert "".join(frame.panels[0].rows[:-1]).count("class=new") == 0
        made, anew = panel(frame, "Rows that this step computed"), panel(frame, "Rows without a cache")
        assert re.findall(r"<td>(\d+)$", "\n".join(made.split("<tr>")), re.M)[:3] == ["1", "1", "1"]
        assert re.findall(r"<td>(\d+)$", "\n".join(anew.split("<tr>")), re.M)[:3] == [str(number)] * 3
        assert "gives the same logits up to rounding" in frame.caption
        used = "1 key" if number == 1 else f"{number} keys"
        assert f"and 1 key and uses {used};" in frame.caption and f"and 1 key and uses {used};" in str(
            recording[number - 1]
        )
        before = rows


def test_tokens_are_text_and_never_markup() -> None:
    for recording in (
        trace_token_losses.record(small_model(), Evil(), SOURCE, TARGET, 20),
        trace_kv_cache.record(small_model(), Evil(), SOURCE, length=5),
    ):
        questions(recording)
        assert "<img" not in str(frames(recording)) and "&lt;img" in str(frames(recording))
        assert "<img" not in recording.play().html


# Explorers.


@pytest.mark.slow
def test_lengths_where_errors_hide_can_be_chosen() -> None:
    assert LENGTHS == [FULL_LENGTH, 1, 2, 8, 9, 10, 12, 16]
    model = small_model()
    explorer = explore_token_losses(SOURCE, TARGET, model, LETTERS)
    for length in LENGTHS:
        explorer.controls["length"].value = length
        places = None if length == FULL_LENGTH else int(length)
        assert explorer.data == trace_token_losses.record(model, LETTERS, SOURCE, TARGET, places).play().data
    cache = explore_kv_cache(SOURCE, model, LETTERS)
    for length in LENGTHS[1:]:
        cache.controls["length"].value = length
        assert explorer.message == ""
        assert cache.data == trace_kv_cache.record(model, LETTERS, SOURCE, length=int(length)).play().data
    cache.controls["layer"].value = 1
    assert "keys of layer 1" in cache.data


@pytest.mark.parametrize("switch", ["causal", "bias"])
def test_mask_and_bias_can_be_switched_off_and_on(switch: str) -> None:
    explorer = explore_token_losses(SOURCE, TARGET, small_model(), LETTERS)
    with_all = explorer.data
    explorer.controls[switch].value = False
    off: Any = {switch: False}
    without = trace_token_losses.record(small_model(), LETTERS, SOURCE, TARGET, **off)
    assert explorer.data == without.play().data != with_all
    explorer.controls[switch].value = True
    assert explorer.data == with_all


def test_own_text_is_followed_and_too_much_of_it_is_told() -> None:
    explorer = explore_token_losses(SOURCE, TARGET, small_model(), LETTERS)
    before = explorer.data
    explorer.controls["target"].value = EVIL
    assert explorer.data != before and explorer.message == ""
    explorer.controls["source"].value = ""
    assert explorer.message == ""
    explorer.controls["source"].value = "a" * 70
    assert "source has 71 tokens, too many to draw" in explorer.message
    explorer.controls["source"].value = "a" * 500
    assert "too long to process at every key press" in explorer.message


def test_any_model_can_be_laid_under_the_ruler() -> None:
    config = T5Config(32, 8, 4, 16, 2, num_heads=2)
    explorer = explore_t5_shapes(config, 4, 5)
    assert explorer.data == trace_shapes.record(config, 4, 5).play().data
    explorer.controls["model"].value = "t5-11b"
    explorer.controls["source_length"].value = 64
    assert explorer.data == trace_shapes.record(published_t5_configs()["t5-11b"], 64, 5).play().data
    assert explore_t5_shapes().controls["model"].value == "t5-small"


def test_frames_of_a_part_of_a_recording_are_those_of_the_whole() -> None:
    for recording in (scored(10), trace_kv_cache.record(small_model(), LETTERS, SOURCE, TARGET)):
        part = frames(recording, start=4, steps=3)
        assert [frame.panels for frame in part] == [frame.panels for frame in frames(recording)[4:8]]
    assert isinstance(scored(10)[0], TokenLoss)
