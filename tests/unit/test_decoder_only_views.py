"""What the players of lesson 24 draw and ask: the wrong options are those of wrong programs on the same data."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.questions import frames, options_of, questions
from tests.small_decoder import letters, small_decoder
from tokenlab.algorithms.attention.attention_weights import dot
from tokenlab.algorithms.attention.grouped_queries import group_heads
from tokenlab.algorithms.attention.left_padding import padded_keys
from tokenlab.algorithms.attention.rotary_positions import rotary_scores
from tokenlab.algorithms.training_data.training_signal import compare_objectives
from tokenlab.misconceptions import decoder_only as wrong
from tokenlab.show.explorers.explore_decoder import MAX_NEW, explore_decoder
from tokenlab.show.frames import Frame, Question
from tokenlab.show.views.elements.numbers import format_negative
from tokenlab.traces.generation.trace_decoder import trace_decoder

QUERY, KEY = [1, 0.5, 0.3, 1], [0.8, 1, 1, -0.2]
PLACES = [(2, 0), (3, 1), (9, 7), (3, 3), (7, 2), (8, 3)]
HOSTILE = "</b><img src=x onerror=alert(1)>"


def html(frame: Frame) -> str:
    return "".join(row for panel in frame.panels for row in panel.rows)


def facts_of(question: Question) -> dict[str, float]:
    return {name: value for option in question.options for name, _, value in option.facts}


# Rotary positions.


def test_a_question_asks_for_the_score_at_the_same_distance() -> None:
    recording = rotary_scores.record(QUERY, KEY, PLACES, theta=100)
    [(number, question)] = questions(recording).items()
    assert number == 1
    step = recording[1]
    added = dot(*(wrong.position_added(v, p, 100) for v, p in ((QUERY, 3), (KEY, 1))))
    assert options_of(question) == {0: format_negative(step.score), 160: format_negative(added)}
    assert facts_of(question) == {"distance": 2, "distance before": 2}


def test_the_arrows_point_where_the_rotated_pairs_are() -> None:
    recording = rotary_scores.record(QUERY, KEY, PLACES, theta=100)
    for frame, step in zip(frames(recording)[1:], recording, strict=True):
        said = re.findall(r'aria-label="([^"]+)"', html(frame))
        assert len(said) == 2  # pairs of 4 numbers
        for pair, label in enumerate(said):
            numbers = [float(number) for number in re.findall(r"-?\d+\.\d+", label)]
            rotated = [vector[at] for vector in (step.query, step.key) for at in (pair, pair + 2)]
            assert numbers == pytest.approx(rotated, abs=0.006)
        assert ("the score is the same" in frame.remark) == (
            step.distance in (2, 5) and step is not recording[0] and step is not recording[4]
        )


def test_vectors_of_zeros_and_of_many_pairs_are_drawn() -> None:
    for size in (0, 2, 40):
        recording = rotary_scores.record([0.0] * size, [0.0] * size, [(1, 0), (2, 1)])
        assert len(frames(recording)) == 3


# Groups.


@pytest.mark.parametrize(("heads", "kv_heads"), [(4, 2), (8, 2), (4, 4), (4, 1), (1, 1)])
def test_the_questions_on_groups_have_the_options_of_wrong_programs(heads: int, kv_heads: int) -> None:
    recording = group_heads.record(heads, kv_heads)
    for number, question in questions(recording).items():
        options = options_of(question)
        if "Which key-value head" in question.prompt:
            assert number == 1
            taken = wrong.interleaved_groups(heads, kv_heads)[1]
            assert options == {0: f"key-value head {recording.result[1]}", 161: f"key-value head {taken}"}
        else:
            assert number == heads - 1
            assert options == {0: str(heads), 162: str(wrong.queries_per_group(heads, kv_heads))}


def test_the_last_frame_counts_the_keys_and_values_of_a_token() -> None:
    last = frames(group_heads.record(4, 2))[-1]
    assert re.findall(r"<td>(\d+)", last.panels[-1].rows[0] + last.panels[-1].rows[1] + last.panels[-1].rows[2]) == [
        "8", "4", "2",
    ]  # fmt: skip


# Objectives.


def test_a_question_asks_for_the_number_of_losses() -> None:
    recording = compare_objectives.record("abcdef", [False, True, False, False, False, False], "XY", ".")
    [(number, question)] = questions(recording).items()
    assert number == 2
    assert options_of(question) == {0: "5", 165: "1", 166: "6"} and facts_of(question) == {"tokens": 6, "losses": 5}


def test_tokens_with_a_loss_are_marked() -> None:
    recording = compare_objectives.record("abcdef", [False, True, True, False, False, False], "XYZ", ".")
    for frame, marked in zip(frames(recording)[1:], (2, 2, 5), strict=True):
        assert frame.panels[0].rows[-1].count("class=new") == marked


# A model that continues a prompt.


def recorded(prompt: str = "the owl", **rules: Any) -> Any:
    return trace_decoder.record(small_decoder(), letters(), prompt, seed=1, max_new=5, **rules)


def test_the_questions_on_a_prompt_have_the_options_of_wrong_programs() -> None:
    asked = questions(recorded())
    assert [*asked] == [1, 2]
    tokens = 8
    unmasked = wrong.no_mask_in_prefill([1] * tokens)[1]
    seen = padded_keys([1] * tokens)[1]
    assert options_of(asked[1]) == {0: str(len(seen)), 164: str(len(unmasked))}
    assert options_of(asked[2]) == {0: "1", 163: str(tokens + 1)}
    assert facts_of(asked[2]) == {"queries": 1, "keys": tokens + 1}


def test_a_short_prompt_and_one_new_token_ask_nothing_that_has_no_answer() -> None:
    assert [*questions(recorded(""))] == [2]
    assert [*questions(trace_decoder.record(small_decoder(), letters(), "", max_new=1))] == []


def test_a_frame_shows_the_distribution_before_and_after() -> None:
    recording = recorded(top_k=3)
    for frame, step in zip(frames(recording)[2:], recording[1:], strict=True):
        assert len(frame.panels) == 3
        assert html(frame).count("×") == sum(p == 0 for p in step.after)
        assert "selected" in html(frame)
        assert [row.split("<td>")[-1] for row in frame.panels[2].rows] == [
            str(len(step.read)), str(len(step.read)), str(len(step.read)), str(step.num_keys),
        ]  # fmt: skip


def test_tokens_are_text_and_never_markup() -> None:
    tokenizer = letters()
    tokenizer.tokens = dict.fromkeys(tokenizer.tokens, HOSTILE.encode())
    recording = trace_decoder.record(small_decoder(), tokenizer, "a fox", max_new=3)
    assert "<img" not in str(frames(recording)) and "&lt;img" in str(frames(recording))
    assert "<img" not in recording.play().html


def test_the_explorer_answers_what_is_typed_with_a_text_or_a_sentence() -> None:
    explorer = explore_decoder("the owl", small_decoder(), letters(), temperature=0.7)
    assert explorer.message == "" and explorer.data
    for name, value in {"seed": 7, "temperature": 0.5, "top_k": 3, "top_p": 0.5, "min_p": 0.2, "prompt": ""}.items():
        explorer.change({name: value})
        used = {one: control.value for one, control in explorer.controls.items()}
        recording = trace_decoder.record(small_decoder(), letters(), **used, max_new=MAX_NEW)
        assert explorer.message == "" and explorer.data == recording.play(opened=-1).data
    explorer.change({"prompt": "\ud83d"})
    assert "surrogate" in explorer.message
    explorer.change({"prompt": "a" * 100})
    assert "too many to draw" in explorer.message


# Padding on the left.


def test_a_table_lists_the_places_that_each_place_attends_to() -> None:
    shown = frames(padded_keys.record([0, 1, 1]))
    assert "0 1 1" in shown[0].panels[0].rows[0]
    rows = [re.sub("<[^>]*>", " ", row).split() for row in shown[-1].panels[-1].rows[0].split("<tr")[2:]]
    rows = [row[row.index(next(word for word in row if word.isdigit())) :] for row in rows]
    assert rows == [["0", "padding", "none"], ["1", "0", "1"], ["2", "1", "1,", "2"]]


def test_a_long_mask_is_cut() -> None:
    last = frames(padded_keys.record([1] * 1000))[-1]
    assert "and 984 more" in last.panels[0].rows[0] and last.panels[1].rows[0].count("<tr") == 17
    assert "…, 84" in last.panels[1].rows[0]
