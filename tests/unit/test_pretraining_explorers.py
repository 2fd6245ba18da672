"""The learner's own text corrupted, and their own sentence in every task of a model that is not trained at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
import torch

from tests.questions import frames, questions
from tokenlab import data
from tokenlab.algorithms.training_data.span_corruption import SpansInterleaved, noise_counts, reconstruct
from tokenlab.libraries.transformers import T5Config, T5ForConditionalGeneration, T5Tokenizer
from tokenlab.show.explorers.explore_pretraining import (
    explore_span_corruption,
    explore_text_to_text,
    fill_gap,
    mask_middle_word,
)
from tokenlab.show.views.training_data.text_to_text_view import TASKS
from tokenlab.steps.recording import Recording
from tokenlab.traces.t5.trace_text_to_text import (
    ids_to_text,
    span_corruption_pairs,
    trace_text_to_text,
)

SENTENCE = "The boy is buying a red umbrella."
EVIL = "<img src=x onerror=alert(1)> <b>"


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return T5Tokenizer.from_pretrained(data.t5_tiny())


@pytest.fixture(scope="module")
def untrained(tokenizer: Any) -> Any:
    torch.manual_seed(0)
    return T5ForConditionalGeneration(
        T5Config(len(tokenizer), 8, 4, 16, 1, num_heads=2, decoder_start_token_id=0)
    ).eval()


def test_the_text_the_noise_the_spans_and_chance_can_be_changed(tokenizer: Any) -> None:
    explorer = explore_span_corruption(SENTENCE, tokenizer, 0.3, 2.0)
    recording = last(explorer)
    assert recording.arguments["tokens"] == tokenizer.tokenize(SENTENCE)
    assert isinstance(recording[3], SpansInterleaved)
    seen = {explorer.data}
    changes = {"text": f"{SENTENCE} {SENTENCE}", "noise_density": 0.4, "mean_span_length": 1.5, "chance": 7}
    for name, value in changes.items():
        explorer.controls[name].value = value
        seen.add(explorer.data)
    assert len(seen) == 5 and explorer.message == ""
    counted = last(explorer)[0]
    assert (counted.noise, counted.spans) == noise_counts(counted.length, 0.4, 1.5) != noise_counts(counted.length)


def last(explorer: Any) -> Recording[Any, Any]:
    """What it shows, recorded again from its controls."""
    values = {name: control.value for name, control in explorer.controls.items()}
    recording: Recording[Any, Any] = explorer.record(**values)
    return recording


def test_it_opens_where_the_mask_is_drawn_and_asks_from_there_on(tokenizer: Any) -> None:
    explorer = explore_span_corruption(SENTENCE * 3, tokenizer, 0.3, 2.0)
    assert explorer.player.opened == 4 and all(number >= 4 for number in questions(last(explorer)))


def test_what_is_read_and_written_is_the_text_again(tokenizer: Any) -> None:
    recording = last(explore_span_corruption(SENTENCE, tokenizer))
    whole = reconstruct(*recording.result, tokenizer.get_sentinel_tokens(), "</s>")
    assert tokenizer.convert_tokens_to_string(list(whole)) == SENTENCE


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "fewer than two tokens"),
        (" ", "fewer than two tokens"),
        ("a <extra_id_3> b", "is a sentinel"),
        ("a " * 400, "too long to process at every key press"),
    ],
)
def test_a_text_that_cannot_be_corrupted_is_answered(tokenizer: Any, typed: str, said: str) -> None:
    explorer = explore_span_corruption(SENTENCE, tokenizer)
    before = explorer.data
    explorer.controls["text"].value = typed
    assert said in explorer.message and explorer.data == before
    explorer.controls["text"].value = "日本語 שלום 👩‍👩‍👧 e\u0301"
    assert explorer.message == "" and explorer.data != before


@pytest.mark.parametrize("explore", [explore_span_corruption, "text"])
def test_what_is_typed_is_text(tokenizer: Any, untrained: Any, explore: Any) -> None:
    explorer = (
        explore_text_to_text(EVIL, untrained, tokenizer) if explore == "text" else explore(EVIL, tokenizer, 0.3, 2.0)
    )
    assert explorer.message == "" and "<img" not in explorer.data
    assert "<img" not in json.dumps(json.loads(explorer.data)["tracks"]) and "<img" not in explorer.player.html


def answers_of(explorer: Any) -> list[tuple[str, str, bool | None]]:
    return [(step.source, step.generated, step.accepted) for step in last(explorer)]


def test_every_task_that_suits_the_sentence_is_asked_and_a_gap(untrained: Any, tokenizer: Any) -> None:
    grammar = data.grammar()
    explorer = explore_text_to_text(SENTENCE, untrained, tokenizer)
    read = [reads for reads, _, _ in answers_of(explorer)]
    assert read[:-1] == [grammar.prompt(SENTENCE, task) for task in grammar.TASKS]
    assert read[-1] == "The boy is<extra_id_0> a red umbrella."
    explorer.controls["sentence"].value = "The boy has a dog."  # which the grammar does not put into the past
    assert [read.partition(":")[0] for read, *_ in answers_of(explorer)[:-1]] == [
        task.partition(":")[0] for task in grammar.TASKS if task != grammar.TO_PAST
    ]


def test_nobody_knows_what_is_right_outside_the_grammar(untrained: Any, tokenizer: Any) -> None:
    explorer = explore_text_to_text("The elephant sings!", untrained, tokenizer)
    answers = answers_of(explorer)
    assert len(answers) == len(data.grammar().TASKS) + 1
    assert {accepted for *_, accepted in answers} == {None}
    assert answers[3][0].endswith("The elephant sings")
    assert {accepted for *_, accepted in answers_of(explore_text_to_text(SENTENCE, untrained, tokenizer))} == {False}


def test_answers_are_judged_by_the_grammar(untrained: Any, tokenizer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    said = ["Der Junge kauft gerade einen roten Regenschirm.", "那个男孩", "x", "statement", "<extra_id_0> buying"]

    def read_from_paper(model: Any, ids: Any, mask: Any) -> list[list[int]]:
        answers = [tokenizer(text)["input_ids"][:-1] for text in said[:-1]]
        gap = ["<extra_id_0>", *tokenizer.tokenize("buying")]
        return [*answers, tokenizer.convert_tokens_to_ids(gap)]

    monkeypatch.setattr("tokenlab.traces.t5.trace_text_to_text.greedy_decode", read_from_paper)
    assert data.grammar().is_right(SENTENCE, data.grammar().TO_GERMAN, said[0])
    answers = answers_of(explore_text_to_text(SENTENCE, untrained, tokenizer))
    assert [accepted for *_, accepted in answers] == [True, False, False, True, True]
    assert answers[-1][1] == said[-1]


@pytest.mark.parametrize("typed", ["", "a", "."])
def test_a_sentence_without_a_middle_is_answered(untrained: Any, tokenizer: Any, typed: str) -> None:
    explorer = explore_text_to_text(SENTENCE, untrained, tokenizer)
    explorer.controls["sentence"].value = typed
    assert "fewer than three tokens" in explorer.message


def test_a_gap_is_a_word_and_is_filled_where_it_stands(tokenizer: Any) -> None:
    assert mask_middle_word(["▁a", "▁cu", "p", "▁of", "."], tokenizer) == ["▁a", "<extra_id_0>", "▁of", ".", "</s>"]
    assert fill_gap("a<extra_id_0> of.", "<extra_id_0> cup") == "a cup of."
    assert fill_gap("a<extra_id_0> of.", "<extra_id_0> cup<extra_id_1>") == "a cup of."
    assert fill_gap("a<extra_id_0> of.", "nothing") == "a<extra_id_0> of."


def test_the_view_shows_what_is_read_and_what_is_written(untrained: Any, tokenizer: Any) -> None:
    def accepts(number: int, answer: str) -> bool | None:
        return (True, False, None)[number]

    asked = [tokenizer(text)["input_ids"] for text in ("past tense: I am sad.", "<b> <extra_id_0> you", "tea")]
    recording = trace_text_to_text.record(asked, untrained, tokenizer, accepts)
    shown = frames(recording)
    assert len(shown) == 4 and not shown[0].panels
    rows = shown[-1].panels[0].rows
    assert [row.count(">source<") for row in rows] == [1, 0] * 3
    assert "past tense: I am sad." in rows[0] and "✓ the grammar accepts it" in rows[1]
    assert "<b>&lt;extra_id_0&gt;</b>" in rows[2] and "✗ the grammar does not accept it" in rows[3]
    assert "grammar" not in rows[5] and recording.result == tuple(step.generated for step in recording)
    said = str(recording).splitlines()
    assert said[0].endswith(", which is accepted") and said[1].endswith(", which is not accepted")


def test_each_task_has_a_remark_of_its_own(untrained: Any, tokenizer: Any) -> None:
    assert [*TASKS] == list(data.grammar().TASKS)
    shown = frames(last(explore_text_to_text(SENTENCE, untrained, tokenizer)))
    assert [frame.remark for frame in shown[1:]] == [*TASKS.values(), "Span corruption: the pre-training task."]
    other = frames(trace_text_to_text.record([tokenizer("tea")["input_ids"]], untrained, tokenizer))
    assert other[1].remark == "" and other[1].caption.startswith("It reads ")


def test_pairs_with_gaps_are_the_texts(tokenizer: Any) -> None:
    draw: Callable[[Random], Any] = span_corruption_pairs([SENTENCE, "He is sad."], tokenizer, 0.4, 1.5)
    seen = {
        ids_to_text(reconstruct(*draw(Random(seed)), tokenizer.get_sentinel_token_ids()), tokenizer)
        for seed in range(12)
    }
    assert seen == {SENTENCE, "He is sad."}
    assert draw(Random(1)) == draw(Random(1)) and all(side[-1] == 1 for side in draw(Random(2)))
