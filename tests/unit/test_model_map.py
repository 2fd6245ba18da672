"""The walk through a T5 shows the numbers of one ordinary call, in the order of computation, and the map follows it."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
import torch

from tests.libraries.transformers.test_t5_seen import LETTERS, SOURCE, TARGET, small_model
from tests.questions import frames, options_of, questions
from tests.tolerance import near
from tokenlab import data, show
from tokenlab.algorithms.attention.attention_output import MASKED
from tokenlab.algorithms.attention.sublayers import block_shapes
from tokenlab.libraries.transformers import T5ForConditionalGeneration, T5Tokenizer, watch
from tokenlab.misconceptions.t5_map import keys_from_decoder
from tokenlab.show.explorers.explore_t5 import explore_t5_map
from tokenlab.show.model_map.strips import ModelMap
from tokenlab.show.model_map.you_are_here import PLACES
from tokenlab.show.views.elements.matrices import format_cell
from tokenlab.steps.recording import Recording
from tokenlab.traces.t5.map_steps import BlockComputed
from tokenlab.traces.t5.trace_attention_head import decoder_input_ids
from tokenlab.traces.t5.trace_logit_difference import trace_logit_difference
from tokenlab.traces.t5.trace_model_map import COLUMNS, trace_model_map

torch.set_num_threads(1)
TASK = "translate English to German: "
TREES = TASK + "I drew two trees.", "Ich habe zwei Bäume gezeichnet."


def walk(layer: int | None = 0, head: int = 1, seed: int = 0, **settings: Any) -> Recording[Any, Any]:
    return trace_model_map.record(small_model(seed, **settings), LETTERS, SOURCE, TARGET, layer, head, 3, 2)


def tiny() -> tuple[Any, Any]:
    path = data.t5_tiny()
    return T5ForConditionalGeneration.from_pretrained(path), T5Tokenizer.from_pretrained(path)


def shown(frame: Any) -> str:
    return "".join(row for panel in frame.panels for row in panel.rows)


def watched(model: Any) -> tuple[Any, Any]:
    """The activations and the output of an ordinary call."""
    source, labels = LETTERS(SOURCE)["input_ids"], LETTERS(TARGET)["input_ids"]
    with watch(model, "*") as seen, torch.no_grad():
        output = model(torch.tensor([source]), labels=torch.tensor([labels]), use_cache=False)
    return seen, output


# --- the numbers ----------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [{}, {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}])
def test_the_logits_and_the_loss_are_those_of_an_ordinary_call(settings: dict[str, Any]) -> None:
    recording = walk(**settings)
    _, output = watched(small_model(**settings))
    assert torch.equal(torch.tensor(recording.result), output.logits[0])
    assert recording[-1].example.value == output.loss.item()
    logits = next(step for step in recording if step.kind == "logits")
    best = output.logits[0, 2].topk(COLUMNS).indices.tolist()
    labels = LETTERS(TARGET)["input_ids"]
    ids = [int(name.strip("<>")) for name in logits.columns]
    assert ids[:-1] == best[:-1] and labels[2] in ids
    assert torch.tensor(logits.values).equal(output.logits[0][:, ids])


@pytest.mark.parametrize("layer", [0, 1, None])
@pytest.mark.parametrize("head", [0, 1])
def test_every_table_has_the_numbers_of_the_hook_point(layer: int | None, head: int) -> None:
    seen, _ = watched(small_model())
    checked = set()
    for step in walk(layer, head):
        name = step.block.replace("decoder.embedding", "decoder.embedded").replace(
            "encoder.embedding", "encoder.embedded"
        )
        name = name.replace("final_norm", "output")
        if step.kind in ("bias", "mask"):
            name = f"{step.stack}.block.0.self_attention.{step.kind}"
        if name in seen:
            there = seen[name][0]
            there = there[0 if step.kind == "mask" else head] if there.dim() == 3 else there
            there = there.expand(len(step.rows), there.shape[-1])[:, : len(step.columns)]
            assert torch.equal(torch.tensor(step.values), there), step.block
            checked.add(step.kind)
    assert checked >= {"queries", "keys", "values", "scores", "bias", "mask", "weights", "weighted_values", "output"}
    assert checked >= {"activations", "embedding", "final_norm"}


@pytest.mark.parametrize("seed", range(3))
def test_each_explained_number_is_computed_from_its_operands(seed: int) -> None:
    for step in walk(None, seed=seed):
        example, given = step.example, dict(step.example.operands) if step.example else {}
        if example is None:
            assert step.kind == "ids"
            continue
        if example.left:
            total = sum(x * y for x, y in zip(example.left, example.right, strict=True))
            total = max(0.0, total) if step.kind == "activations" else total
        elif "rms" in given:
            total = given["x"] / given["rms"] * given["weight"]
        elif step.kind == "residual":
            total = given["x"] + given["output"]
        else:
            total = example.value
        assert total == near(example.value), step.block
        if step.kind != "loss":
            assert step.values[example.row][example.column] == example.value


def test_dot_products_and_sums_explain_all_kinds_of_numbers() -> None:
    steps = {step.kind: step.example for step in walk() if step.kind != "output" or step.part}
    dots = {kind for kind, example in steps.items() if example and example.left}
    assert dots == {
        *("queries", "keys", "values", "scores", "weighted_values", "output", "activations", "logits", "loss")
    }
    assert {kind for kind, example in steps.items() if example and example.operands} >= {
        *("norm", "final_norm", "residual", "weights", "bias", "concatenation", "embedding", "probabilities")
    }


def test_the_steps_follow_the_computation_and_other_layers_have_one_step() -> None:
    start, after = ["norm", "queries", "keys", "values", "scores"], ["weights", "weighted_values", "concatenation"]
    end = ["output", "residual"]
    inner, masked = [*start, "bias", *after, *end], [*start, "bias", "mask", *after, *end]
    cross, dense = [*start, *after, *end], ["norm", "activations", *end]
    wanted = ["ids", "embedding", *inner, *dense, "output", "final_norm"]
    wanted += ["ids", "embedding", *masked, *cross, *dense, "output", "final_norm", "logits", "probabilities", "loss"]
    assert [step.kind for step in walk(0)] == wanted
    assert [step.block for step in walk(1)][2:4] == ["encoder.block.0.output", "encoder.block.1.self_attention.norm"]
    assert len(walk(None)) == len(wanted) + len([*inner, *dense, *masked, *cross, *dense]) - 2


def test_shapes_are_those_that_the_exercise_asks_for() -> None:
    sizes = block_shapes(len(SOURCE) + 1, len(TARGET) + 1, d_model=8, d_kv=4, d_ff=16, vocab_size=32)
    shapes = {step.block: tuple(size for name, size in step.shape if name != "heads") for step in walk()}
    for name, block in (
        ("encoder, hidden states", "encoder.embedding"),
        ("encoder, queries, keys or values of one head", "encoder.block.0.self_attention.keys"),
        ("encoder, self-attention scores of one head", "encoder.block.0.self_attention.scores"),
        ("decoder, self-attention scores of one head", "decoder.block.0.self_attention.scores"),
        ("decoder, cross-attention scores of one head", "decoder.block.0.cross_attention.scores"),
        ("decoder, feed-forward activations", "decoder.block.0.feed_forward.activations"),
        ("decoder, logits", "output.logits"),
    ):
        assert shapes[block] == sizes[name], block


def test_the_model_keeps_its_training_mode_and_no_hook() -> None:
    model = small_model(dropout_rate=0.5).train()
    first = trace_model_map(model, LETTERS, SOURCE, TARGET)
    assert first == trace_model_map(model, LETTERS, SOURCE, TARGET) and model.training
    assert not any(module._forward_hooks for module in model.modules())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"target": []}, "target is empty"),
        ({"source": []}, "give at least one"),
        ({"layer": 2}, "the layers are 0 to 1"),
        ({"head": 2}, "head=2 does not exist"),
        ({"source_position": 13}, "source_position=13 does not exist; the positions are 0 to 12"),
        ({"target_position": -1}, "target_position=-1 does not exist"),
    ],
)
def test_errors_name_the_argument(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        trace_model_map(small_model(), LETTERS, **{"source": SOURCE, "target": TARGET} | arguments)


def test_ids_may_replace_texts() -> None:
    recording = trace_model_map.record(small_model(), None, [5, 6, 1], [7, 1])
    assert recording[0].rows == ("5", "6", "1")
    assert next(step for step in recording if step.block == "decoder.ids").rows == ("0", "7")


# --- the view -------------------------------------------------------------------------------------


def test_every_recorded_number_is_shown_once_in_its_table() -> None:
    recording = walk()
    for frame, step in zip(frames(recording, predict=False)[1:], recording, strict=True):
        [table] = re.findall(r"(?s)<table class=tln>.*?</table>", frame.panels[1].rows[0])
        cells = [unescape(cell) for cell in re.findall(r"<td class=\"[^\"]*\">([^<]*)", table)]
        decimals = {"ids": 0, "mask": 0, "weights": 2, "probabilities": 2}.get(step.kind, 1)
        assert cells == [format_cell(value, decimals) for row in step.values for value in row], step.block
        assert len(frame.panels) <= 3


def test_each_frame_marks_its_block_in_every_strip_and_a_click_leads_to_it() -> None:
    recording = walk(None)
    for number, (frame, step) in enumerate(zip(frames(recording)[1:], recording, strict=True), start=1):
        html = "".join(frame.panels[0].rows)
        marks = re.search(r'class="tlm ([^"]*)"', html)
        assert marks
        *boxes, innermost = marks[1].split()
        assert innermost == f"at-{boxes[-1][0]}"
        assert len(boxes) == (1 if step.layer is None else 2 if step.kind in ("norm", "residual") else 3)
        for box in boxes:
            assert len(re.findall(rf"<g class={box[0]}-{box[1:]} data-go=\d+>", html)) == 1
        assert f"<g class={boxes[-1][0]}-{boxes[-1][1:]} data-go={number}>" in html, step.block


def test_a_window_of_the_recording_has_links_to_its_own_frames_only() -> None:
    recording = walk()
    some = frames(recording, start=5, steps=4)
    links = {int(link) for frame in some for link in re.findall(r"data-go=(\d+)", shown(frame))}
    assert links == {1, 2, 3, 4}


def test_tokens_are_text_and_no_markup() -> None:
    class Hostile:
        def __call__(self, text: str) -> dict[str, list[int]]:
            return {"input_ids": [5, 6, 1]}

        def convert_ids_to_tokens(self, ids: list[int]) -> list[str]:
            return ["</b><img src=x onerror=alert(1)>" for _ in ids]

    recording = trace_model_map.record(small_model(), Hostile(), "a", "b")
    assert all("<img" not in shown(frame) + frame.caption for frame in frames(recording))


def test_what_is_asked_is_what_comes_and_what_the_misconceptions_say() -> None:
    recording = walk()
    asked = questions(recording)
    blocks = {recording[number].block: (recording[number], question) for number, question in asked.items()}
    step, question = blocks["decoder.block.0.cross_attention.scores"]
    source, target = len(step.columns), len(step.rows)
    wrong = keys_from_decoder(source, target)
    assert options_of(question) == {0: f"{target} and {source}", 122: f"{wrong[0]} and {wrong[1]}"}
    step, question = blocks["decoder.block.0.self_attention.mask"]
    visible = sum(value > MASKED for value in step.values[0])
    assert visible == 1 and options_of(question) == {0: "1", 40: str(len(step.columns))}
    step, question = blocks["encoder.block.0.self_attention.residual"]
    norm = next(other for other in recording if other.block == "encoder.block.0.self_attention.norm")
    output = next(other for other in recording if other.block == "encoder.block.0.self_attention.output")
    row, column = step.example.row, step.example.column
    added = norm.values[row][column] + output.values[row][column]
    assert options_of(question) == {0: format_cell(step.example.value), 121: format_cell(added)}
    step, question = blocks["decoder.ids"]
    assert [step.rows[0], recording[-1].rows[0]] == [
        re.sub("<.*?>", "", unescape(re.sub("</?b>", "", options_of(question)[number])))
        or unescape(re.sub("</?b>", "", options_of(question)[number]))
        for number in (0, 39)
    ]


def test_questions_are_not_asked_where_two_answers_agree() -> None:
    recording = trace_model_map.record(small_model(), LETTERS, "ab", "cd")
    blocks = {recording[number].block for number in questions(recording)}
    assert "decoder.block.0.cross_attention.scores" not in blocks


# --- the map and its static strip -----------------------------------------------------------------


@pytest.mark.parametrize("layers", [1, 3, 12])
def test_the_boxes_of_a_strip_do_not_overlap(layers: int) -> None:
    blocks = [f"{stack}.block.{n}.output" for stack in ("encoder", "decoder") for n in range(layers)]
    for strip in ModelMap(blocks).strips(""):
        for y in {box.y for box in strip.boxes}:
            row = sorted((box for box in strip.boxes if box.y == y), key=lambda box: box.x)
            assert all(left.right < right.x for left, right in zip(row, row[1:], strict=False))
            assert row[-1].right <= 880


@pytest.mark.parametrize("name", sorted(PLACES))
def test_every_place_is_marked(name: str) -> None:
    here = show.you_are_here(name)
    assert re.search(r'class="tlm (\w\d+ )+at-[mlh]"', here.html) and "data-go=" not in here.html
    assert name in repr(here)
    first, hidden = here.html.split("<style>")[:2]
    assert first.startswith(
        f"<p class=tlm-text>You are here: {name}. To see the map, run this cell, or trust this notebook"
    )
    assert hidden.startswith(".tlm-text{display:none}")


def test_an_unknown_place_is_explained() -> None:
    with pytest.raises(ValueError, match="did you mean 'cross-attention'"):
        show.you_are_here("cross attention")


# --- the explorer, and the parts of a logit ---------------------------------------------------------


def test_the_explorer_follows_its_texts_and_explains_errors() -> None:
    explorer = explore_t5_map(*TREES, *tiny(), source_position=6, target_position=9, block="output.logits")
    controls = explorer.controls
    assert explorer.player.opened and "output layer" in explorer.player.tracks[0].frames[explorer.player.opened].moment
    assert controls["target_row"].value == 9 and controls["target_row"].labels[9] == "9: e"
    controls["target"].value = ""
    assert "target is empty" in explorer.message
    controls["target"].value = "Ich"
    assert not explorer.message and len(controls["target_row"].options) == 2
    assert controls["target_row"].value == 0
    controls["source"].value = "x" * 500
    assert "too long" in explorer.message


def test_the_parts_of_a_logit_difference_add_up() -> None:
    model, tokenizer = tiny()
    recording = trace_logit_difference.record(model, tokenizer, *TREES, 9, ("▁gezeichnet", "."))
    logits = trace_model_map(model, tokenizer, *TREES)[9]
    word, stop = tokenizer.convert_tokens_to_ids(["▁gezeichnet", "."])
    assert recording.result == near(logits[word] - logits[stop])
    assert recording[-1].total == pytest.approx(sum(step.part for step in recording))
    parts = {step.block: step.part for step in recording}
    assert max(parts, key=parts.__getitem__) == "decoder.block.1.cross_attention"
    assert min(parts, key=parts.__getitem__) == "decoder.block.1.self_attention"
    for frame, step in zip(frames(recording)[1:], recording, strict=True):
        assert format_cell(abs(step.part)) in shown(frame)


def test_untied_models_have_parts_too_and_errors_are_explained() -> None:
    class Known(type(LETTERS)):  # type: ignore[misc]
        unk_token, unk_token_id = "<31>", 31

        def convert_tokens_to_ids(self, token: str) -> int:
            return int(token[1:-1]) if token[1:-1].isdecimal() else 31

    model = small_model(tie_word_embeddings=False)
    logits = trace_model_map(model, Known(), SOURCE, TARGET)[2]
    difference = trace_logit_difference(model, Known(), SOURCE, TARGET, 2, ("<5>", "<6>"))
    assert difference == near(logits[5] - logits[6])
    with pytest.raises(ValueError, match="no token of the vocabulary"):
        trace_logit_difference(model, Known(), SOURCE, TARGET, 2, ("<5>", "five"))
    with pytest.raises(ValueError, match="position=99 does not exist"):
        trace_logit_difference(model, Known(), SOURCE, TARGET, 99, ("<5>", "<6>"))


def test_steps_survive_a_file_and_read_their_place_from_the_name() -> None:
    recording = walk()
    assert Recording.from_json(recording.to_json()).steps == recording.steps
    step = next(step for step in recording if step.part == "cross_attention")
    assert (step.stack, step.layer, step.kind) == ("decoder", 0, "norm")
    assert BlockComputed("output.loss", (), (), (), (), None, None).layer is None
    assert decoder_input_ids(small_model(), [8, 9, 1]) == [0, 8, 9]
