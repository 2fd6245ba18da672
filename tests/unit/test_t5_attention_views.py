"""What the views of a head and of the buckets draw and ask: numbers are counted again, and text is never markup."""

from __future__ import annotations

import re
from html import unescape
from math import sqrt
from typing import Any

import pytest

from tests.questions import frames, options_of, questions
from tests.unit.test_t5_heads import LENGTHS, MODEL, PLACES, Words, ids, model_of, step_of
from tokenlab.algorithms.attention.attention_output import (
    MASKED,
    BiasAdded,
    MaskApplied,
    ScoresComputed,
    ValuesSummed,
    WeightsComputed,
    attention_output,
)
from tokenlab.algorithms.attention.attention_weights import softmax
from tokenlab.algorithms.attention.relative_buckets import bias_tables, buckets_by_distance, relative_bucket
from tokenlab.misconceptions.t5_attention import bias_per_layer, bidirectional_decoder, cross_bias
from tokenlab.show.explorers.explore_t5 import explore_t5_attention, explore_t5_buckets
from tokenlab.show.frames import Frame, chip
from tokenlab.show.views.attention.attention_head_view import MOST_KEYS
from tokenlab.show.views.elements.matrices import WITH_NUMBERS, LabeledMatrix, format_cell, matrix_rows, max_abs
from tokenlab.show.views.elements.token_tables import WIDEST
from tokenlab.steps.recording import Recording
from tokenlab.traces.t5.trace_attention_head import trace_attention_head

HOSTILE = "</b><img src=x onerror=alert(1)>"


def html(frame: Frame) -> str:
    return "".join(row for panel in frame.panels for row in panel.rows)


def head(place: str, length: int, number: int = 0, **options: Any) -> Recording[Any, Any]:
    return trace_attention_head(MODEL, None, ids(length, 1), place, number, ids(length, 2), **options)


def titles(drawing: str) -> list[str]:
    return [unescape(title) for title in re.findall(r'title="([^"]*)"', drawing)]


# --- drawings -------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("place", PLACES)
def test_every_number_of_a_step_is_on_hover(place: str, length: int) -> None:
    recording = head(place, length)
    for frame, step in zip(frames(recording, predict=False)[1:], recording, strict=True):
        assert len([panel for panel in frame.panels if not panel.more]) <= 3
        if length == 1:
            continue  # one query has a line for each key
        rows = (
            step.weights
            if isinstance(step, WeightsComputed)
            else step.output
            if isinstance(step, ValuesSummed)
            else step.scores
        )
        numbers = [f"hidden, {n:.1e}" if n < MASKED else format_cell(n) for row in rows for n in row]
        matrix = frame.panels[0].rows[-1]
        assert [title.rpartition(": ")[2] for title in titles(matrix)] == numbers
        shown = re.findall(r'title="[^"]*">([^<]*)', matrix) if "<table" in matrix else []
        assert ("<table" in matrix) == (len(rows[0]) <= WITH_NUMBERS)
        decimals = (
            2 if isinstance(step, WeightsComputed) or (isinstance(step, ValuesSummed) and max_abs([rows]) < 2) else 1
        )
        assert shown == ([format_cell(n, decimals) for row in rows for n in row] if shown else [])


@pytest.mark.parametrize("length", [2, 8, 9, 10])
def test_a_sum_is_drawn_as_what_is_added(length: int) -> None:
    recording = head("decoder.block.0.self_attention", length, 1)
    number = next(number for number, step in enumerate(recording, start=1) if isinstance(step, BiasAdded))
    _, left, plus, bias, equals, total = frames(recording)[number].panels[0].rows
    assert (plus[-8], equals[-8]) == ("+", "=")
    assert [title.rpartition(": ")[2] for title in titles(bias)] == [
        format_cell(n) for row in recording.arguments["bias"] for n in row
    ]
    assert left == frames(recording)[1].panels[0].rows[-1]
    assert total == frames(recording)[number + 1].panels[0].rows[1]


def test_a_small_bias_beside_large_scores_has_shades_of_its_own() -> None:
    recording = attention_output.record([[9], [1]], [[9], [5]], [[1], [2]], [[0.1, -0.2], [0, 0.2]])
    bias = frames(recording)[2].panels[0].rows[3]
    assert re.findall(r"background:(#\w+)\" title", bias)[1::2] == ["#56b4e9", "#e69f00"]


def test_rows_and_columns_are_queries_and_keys() -> None:
    recording = trace_attention_head(MODEL, Words(), "the old the", PLACES[4], 0, "der alte")
    drawing = frames(recording)[1].panels[0].rows[-1]
    heads = re.findall(r"<th scope=(row|col)[^>]*>([^<]*)", drawing)
    assert [unescape(name) for kind, name in heads if kind == "col"] == ["the", "old", "the₂", "</s>"]
    assert [unescape(name) for kind, name in heads if kind == "row"] == ["<pad>", "der", "alte"]
    assert titles(drawing)[6].startswith("der the₂: ")


def test_in_a_large_matrix_each_cell_is_shaded_by_its_number() -> None:
    numbers = [[float(key - 8) for key in range(17)], [0.0] * 17]
    _, shown = matrix_rows(LabeledMatrix("m", numbers, ["a", "<b>"], [str(key) for key in range(17)], largest=8))
    assert re.findall(r"<span>([^<]*)</span><i", shown) == ["a", "&lt;b&gt;"]
    shades = re.findall(r"<i title=\"[^\"]*\"(?: style=background:(#\w+))?>", shown)
    assert (shades[0], shades[16]) == ("#56b4e9", "#e69f00") and shades[8:9] + shades[17:] == [""] * 18
    assert len(set(shades[:17])) > 6


def test_a_matrix_of_24_tokens_names_all_its_rows_and_columns() -> None:
    names = [f"t{place}" for place in range(24)]
    _, shown = matrix_rows(LabeledMatrix("m", [[0.5] * 24] * 24, names, names, weights=True))
    assert re.findall(r"<span(?: style=[^>]*)?>(t\d+)</span>", shown) == names * 2


def test_what_is_hidden_is_a_cross_on_grey_and_weighs_nothing() -> None:
    recording = head("decoder.block.0.self_attention", 8)
    masked = frames(recording)[3].panels[0].rows
    assert [row.count("×") for row in masked] == [0, 0, 0, 28, 0, 28]
    assert masked[-1].count("hidden, -3.4e+38") == 28
    assert len(re.findall("#9d9d97", masked[-1])) == 28
    weights = titles(frames(recording)[4].panels[0].rows[-1])
    assert sum(title.endswith(": 0.00") for title in weights) >= 28


def test_one_query_has_a_line_for_each_key_that_grows_with_each_step() -> None:
    recording = trace_attention_head(MODEL, Words(), "two words", query=1)
    shown = [frame.panels[0].rows[0] for frame in frames(recording, predict=False)]
    columns = [re.findall("<th scope=col[^>]*>([^<]*)", row) for row in shown]
    assert columns == [
        ["key"],
        ["key", "q · k"],
        ["key", "q · k", "+ bias", "= sum"],
        ["key", "q · k", "+ bias", "= sum", "weight"],
        ["key", "q · k", "+ bias", "= sum", "weight"],
    ]
    numbers = re.findall(r"right;font-variant-numeric:tabular-nums\">([^<]*)", shown[-1])
    scored, biased = step_of(recording, ScoresComputed).scores[0], step_of(recording, BiasAdded).scores[0]
    expected = zip(scored, recording.arguments["bias"][0], biased, strict=True)
    assert numbers == [format_cell(number) for line in expected for number in line]
    weights = step_of(recording, WeightsComputed).weights[0]
    assert re.findall(r"</i>([\d.]+)", shown[-1]) == [format_cell(weight) for weight in weights]
    assert re.findall(r"width:(\d+)%;back", shown[-1]) == [f"{WIDEST * weight:.0f}" for weight in weights]
    assert [panel.title for panel in frames(recording)[-1].panels][1:] == ["The output: the weighted sum of the values"]


def test_one_query_of_a_decoder_ends_in_the_score_with_the_mask() -> None:
    recording = attention_output.record([[1]], [[2], [3]], [[1], [2]], [[5, 7]], [[0, -1e9]], ["a"], ["b", "c"])
    lines = [frames(recording)[number].panels[0].rows[0] for number in (2, 3)]
    numbers = [re.findall(r"tabular-nums\">([^<]*)", line) for line in lines]
    assert numbers[0] == ["2.00", "5.00", "7.00", "3.00", "7.00", "10.0"]
    assert numbers[1] == ["2.00", "5.00", "0.00", "7.00", "3.00", "7.00", "×", "×"]


def test_before_the_first_step_of_one_query_stands_all_that_is_needed_to_take_it() -> None:
    recording = attention_output.record([[2, -1]], [[1, 0], [3, 5]], [[1], [2]], None, None, ["a"], ["b", "c"])
    shown = [frame.panels[1].rows for frame in frames(recording)[:2]]
    assert shown[0] == shown[1]
    cells = [re.findall(r'title="([^"]*)">([^<]*)', row) for row in shown[0][1::2]]
    assert cells == [
        [("a 0: 2", "2"), ("a 1: −1", "−1")],
        [("b 0: 1", "1"), ("b 1: 0", "0"), ("c 0: 3", "3"), ("c 1: 5", "5")],
    ]


def test_of_sixty_four_keys_one_query_shows_the_strongest_in_their_order() -> None:
    recording = head("encoder.block.0.self_attention", 64, query=40)
    last = frames(recording)[-1].panels[0].rows[0]
    assert last.count("<th scope=row") == 16 + 1 and "and 48 more keys" in last
    scores = step_of(recording, BiasAdded).scores[0]
    best = sorted(sorted(range(64), key=lambda key: -scores[key])[:16])
    found = [float(number) for number in re.findall(r"</i>([\d.]+)", last)]
    weights = step_of(recording, WeightsComputed).weights[0]
    assert found == [pytest.approx(weights[key], abs=0.006) for key in best]


def test_where_numbers_cannot_be_read_a_list_names_the_strongest_keys() -> None:
    recording = head("decoder.block.0.self_attention", 64)
    for frame, step in zip(frames(recording)[1:-1], recording, strict=False):
        rows = step.weights if isinstance(step, WeightsComputed) else step.scores
        (panel,) = [panel for panel in frame.panels if panel.more]
        assert len(panel.rows) == 64
        assert format_cell(max(rows[9])) in panel.rows[9] and panel.rows[9].count("<b>") == 3
    assert not any(panel.more for frame in frames(head(PLACES[0], 8)) for panel in frame.panels)


def test_the_opening_says_what_there_is() -> None:
    recording = head("decoder.block.1.cross_attention", 8)
    said_first = frames(recording)[0].caption
    assert said_first == "8 queries and 8 keys of decoder.block.1.cross_attention, each of dimension 4."
    assert (
        frames(attention_output.record([[1]], [[2]], [[3]]))[0].caption == "One query and one key, each of dimension 1."
    )


def test_tokens_are_text_wherever_they_stand() -> None:
    for recording in (
        attention_output.record([[1], [2]], [[1], [2]], [[1], [2]], None, None, [HOSTILE] * 2, [HOSTILE] * 2),
        attention_output.record([[1]], [[1], [9]], [[1], [2]], [[0, 0]], None, [HOSTILE], [HOSTILE, HOSTILE]),
        attention_output.record([[5]] * 13, [[1]] * 13, [[1]] * 13, None, None, [HOSTILE] * 13, [HOSTILE] * 13),
    ):
        still = recording.play().html.partition("<style")[0]
        assert "<img" not in still and "&lt;/b&gt;" in still
        assert all("<img" not in html(frame) and "onerror=alert(1)>" not in html(frame) for frame in frames(recording))


@pytest.mark.parametrize("place", PLACES)
def test_all_frames_together_stay_small_enough_for_a_lesson(place: str) -> None:
    assert len(head(place, 8).play().data) < 150_000
    assert len(head(place, 3, query=1).play().data) < 20_000


# --- questions ------------------------------------------------------------------------------------


def recount(recording: Recording[Any, Any], facts: Any, why: str) -> None:
    given = recording.arguments
    for what, place, number in facts:
        if what == "tables":
            assert number == len(bias_tables(place, 0)) and f"{number} table" in why
        elif what == "tables, one a block":
            assert number == len(bias_per_layer(place, 0))
        elif what == "tables of cross attention":
            assert number == sum("cross" in name for name in bias_tables(2, 2)) and f"{number} tables" in why
            assert any("cross" in name for name in cross_bias(2, 2))
        elif what == "keys":
            assert number == len(given["keys"]) and f"of {number} keys" in why
        elif what == "keys that the first query may look at":
            assert number == list(given["mask"][place]).count(0) and f"attend to {number}." in why
        else:
            query, key = place
            divisor = {"weight": 1.0, "weight, divided": sqrt(len(given["keys"][0]))}[what]
            scores = [
                sum(a * b for a, b in zip(given["queries"][query], vector, strict=True)) / divisor
                + sum(matrix[query][at] for matrix in (given["bias"], given["mask"]) if matrix)
                for at, vector in enumerate(given["keys"])
            ]
            assert round(softmax(scores)[key], 2) == pytest.approx(number) and f"{number:.2f}" in why


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("place", PLACES)
def test_what_is_asked_is_what_comes_and_what_the_misconceptions_say(place: str, length: int) -> None:
    recording = head(place, length)
    asked = questions(recording)
    misconceptions = set()
    for number, question in asked.items():
        following, labels = recording[number], options_of(question)
        misconceptions |= set(labels)
        for option in question.options:
            assert option.facts
            recount(recording, option.facts, option.why)
        if isinstance(following, MaskApplied):
            assert labels == {0: "1", 40: str(length)}
        elif isinstance(following, BiasAdded):
            assert labels == {0: "1", 37: "2"} and ".1." in place
        elif "cross" in place:
            assert isinstance(following, WeightsComputed)
            assert labels == {0: "nothing", 37: "a bias for each distance"}
        else:
            weights = [format_cell(n) for row in following.weights for n in row]
            assert labels[0] in weights and abs(float(labels[0]) - float(labels[35])) > 0.08
    in_sight = {35} if length <= MOST_KEYS else set()  # a weight is asked for where all scores of its row are shown
    wanted = {37} if "cross" in place else in_sight | ({37} if ".1." in place else set())
    wanted |= {40} if place.startswith("decoder") and "self" in place else set()
    if length > 2:
        assert misconceptions == wanted | ({0} if wanted else set())


def test_nothing_is_asked_where_a_division_changes_little() -> None:
    assert questions(attention_output.record([[0.1, 0.1]], [[0.1, 0], [0, 0.1]], [[1], [2]], [[0, 0]])) == {}
    assert len(questions(attention_output.record([[1] * 9], [[0] * 9, [1 / 3] * 9], [[1], [2]], [[0, 0]]))) == 1


def test_a_mask_that_hides_nothing_is_not_asked_about() -> None:
    asked = questions(head("decoder.block.0.self_attention", 8, without=["mask"]))
    assert {misconception for question in asked.values() for misconception in options_of(question)} <= {0, 35}


def test_the_key_that_is_asked_about_is_named_with_its_number_where_there_are_several() -> None:
    keys = [[0] * 9, [1 / 3] * 9, [0] * 9]
    recording = attention_output.record([[1] * 9], keys, [[1], [2], [3]], [[0, 0, 0]], None, ["a"], ["b", "b", "c"])
    assert questions(recording)[2].prompt == f"Which weight does {chip('a')} give to {chip('b₂')}?"


# --- the map of buckets ---------------------------------------------------------------------------


@pytest.mark.parametrize("sizes", [(32, 128), (8, 16), (64, 256), (4, 128)])
def test_the_decoder_is_asked_where_its_buckets_are_others(sizes: tuple[int, int]) -> None:
    recording = buckets_by_distance.record(False, *sizes)
    ((number, question),) = questions(recording).items()
    labels = options_of(question)
    key = -next(d for d in range(1, 999) if relative_bucket(-d, False, *sizes) != relative_bucket(-d, True, *sizes))
    assert f"a key {-key} positions before the query" in question.prompt
    assert labels == {0: str(relative_bucket(key, False, *sizes)), 38: str(bidirectional_decoder(key, False, *sizes))}
    assert recording[number].bucket == int(labels[0])
    for option in question.options:
        assert option.facts == (("bucket", key, int(labels[0])), ("bucket of an encoder", key, int(labels[38])))
        assert f"the bucket is {labels[0]}. In an encoder it is {labels[38]}." in option.why
    assert questions(buckets_by_distance.record(True, *sizes)) == {}


def test_with_the_sizes_of_t5_it_is_distance_nine() -> None:
    ((_, question),) = questions(buckets_by_distance.record(False)).items()
    assert "a key 9 positions before" in question.prompt and options_of(question) == {0: "9", 38: "8"}


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize("sizes", [(32, 128), (8, 16), (64, 256), (4, 16)])
def test_the_ruler_is_cut_without_a_gap(bidirectional: bool, sizes: tuple[int, int]) -> None:
    recording = buckets_by_distance.record(bidirectional, *sizes)
    shown = frames(recording)
    columns = re.findall(r"grid-column:(\d+)/(\d+)", "".join(shown[-1].panels[0].rows))
    covered = sorted(column for first, end in columns for column in range(int(first), int(end)))
    assert covered == list(range(1, 2 * sizes[1] + 2))
    assert len(shown) == len(recording) + 1
    assert all("".join(frame.panels[0].rows).count("#e69f00") == 1 for frame in shown[1:])
    assert all("#e69f00" in frame.panels[0].rows[-2] for frame in shown[1:])
    assert len(shown[-1].panels[-1].rows) == len(recording)


@pytest.mark.parametrize("bidirectional", [True, False])
def test_at_the_end_stand_the_buckets_of_ten_tokens(bidirectional: bool) -> None:
    last = frames(buckets_by_distance.record(bidirectional))[-1]
    numbers = re.findall(r'title="[^"]*">([^<]*)', last.panels[1].rows[1])
    cells = [title.split(": ") for title in titles(last.panels[1].rows[1])]
    expected = [[f"{q} {k}", str(relative_bucket(k - q, bidirectional))] for q in range(10) for k in range(10)]
    assert cells == expected and numbers == [number for _, number in expected]
    assert ("No distance falls into 16." in last.remark) == bidirectional


# --- explorers ------------------------------------------------------------------------------------


def test_a_sentence_a_place_and_a_head_are_chosen_and_shown_at_once() -> None:
    words = Words()
    explorer = explore_t5_attention("the old man", MODEL, words, "der alte")
    text, target, place, number, length, query, bias, mask = explorer.controls.values()
    assert explorer.data == trace_attention_head(MODEL, words, "the old man").play(opened=2).data
    text.value = "a man"
    number.value = 2
    assert explorer.data == trace_attention_head(MODEL, words, "a man", head=2).play(opened=2).data
    place.value = PLACES[2]
    target.value = "der alte Mann"
    expected = trace_attention_head(MODEL, words, "a man", PLACES[2], 2, "der alte Mann")
    assert explorer.data == expected.play(opened=2).data
    query.value = "2: alte"
    bias.value = mask.value = False
    row = trace_attention_head(MODEL, words, "a man", PLACES[2], 2, "der alte Mann", 2, ["bias", "mask"])
    assert explorer.data == row.play(opened=2).data
    bias.value = True
    row = trace_attention_head(MODEL, words, "a man", PLACES[2], 2, "der alte Mann", 2, ["mask"])
    assert explorer.data == row.play(opened=2).data
    assert explorer.message == "" and length.value == "as typed"


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_lengths_where_faults_begin_to_show_can_be_chosen(place: str) -> None:
    words = Words()
    for typed, target in (("the old man", "der alte Mann"), ("the", "")):
        explorer = explore_t5_attention(typed, MODEL, words, target)
        explorer.controls["place"].value = place
        assert explorer.controls["length"].options == ("as typed", 1, 2, 8, 9, 10)
        for length in (1, 2, 8, 9, 10):
            explorer.controls["length"].value = length
            source, goal = ((words(text)["input_ids"] * 10)[:length] for text in (typed, target or typed))
            assert explorer.data == trace_attention_head(MODEL, words, source, place, 0, goal).play(opened=2).data
            assert explorer.message == "" and len(explorer.controls["query"].options) == length + 1


def test_a_query_that_the_new_sentence_does_not_have_is_not_asked_for() -> None:
    explorer = explore_t5_attention("one two three", MODEL, Words())
    text, query = explorer.controls["text"], explorer.controls["query"]
    query.value = "3: </s>"
    text.value = "one"
    assert query.value == "all of them" and explorer.message == ""
    assert query.options == ("all of them", "0: one", "1: </s>")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a " * 64, "sentence has 65 tokens, too many to draw; take at most 64"),
        ("a" * 401, "sentence is 401 characters long"),
    ],
)
def test_a_sentence_that_is_too_long_is_answered_and_the_old_picture_stays(text: str, sentence: str) -> None:
    explorer = explore_t5_attention("one two", MODEL, Words())
    before = explorer.data
    explorer.controls["text"].value = text
    assert sentence in explorer.message and explorer.data == before
    explorer.controls["text"].value = "one two"
    assert explorer.message == ""


def test_half_a_character_is_answered_too() -> None:
    class Strict(Words):
        def __call__(self, text: str) -> dict[str, list[int]]:
            if "\ud83d" in text:
                raise RuntimeError("the text has a lone surrogate")
            return super().__call__(text)

    explorer = explore_t5_attention("one", MODEL, Strict())
    explorer.controls["text"].value = "\ud83d"
    assert "the text has a lone surrogate" in explorer.message
    explorer.controls["text"].value = "two"
    assert explorer.message == ""


def test_what_is_typed_is_text_in_the_explorer() -> None:
    explorer = explore_t5_attention(HOSTILE, MODEL, Words())
    assert "<img" not in explorer.data + explorer.player.html and "\\u003cimg" not in explorer.data


def test_an_encoder_has_no_target_to_type() -> None:
    from tokenlab.libraries.transformers import T5EncoderModel

    explorer = explore_t5_attention("one two", model_of(T5EncoderModel), Words())
    assert not explorer.controls["target"].shown and explorer.controls["place"].options == tuple(PLACES[:2])


def test_buckets_follow_their_sliders() -> None:
    explorer = explore_t5_buckets()
    stack, number, far = explorer.controls.values()
    assert explorer.data == buckets_by_distance.record(True, 32, 128).play(opened=-1).data
    stack.value = False
    number.value = 8
    far.value = 16
    assert explorer.data == buckets_by_distance.record(False, 8, 16).play(opened=-1).data
    number.value = 64
    assert "max_distance=16 is too small; give 33 or more" in explorer.message
    assert 40 in explore_t5_buckets(40, 100).controls["num_buckets"].options
