"""The view of the Auto classes' decisions, its questions, the explorer, and the misconceptions of lesson 21."""

from __future__ import annotations

from typing import Any

import pytest

from tests.questions import frames, options_of, questions
from tokenlab import data
from tokenlab.check.exercises.auto_classes import MODEL_TYPES, longest_model_type, names_for, slow_name
from tokenlab.libraries.transformers import AutoModel, AutoModelForSeq2SeqLM, AutoTokenizer, T5Config
from tokenlab.misconceptions import auto_classes as wrong
from tokenlab.misconceptions.catalog import MISCONCEPTIONS, rule_of
from tokenlab.show.explorers.explore_transformers import explore_tokenizer_choice
from tokenlab.traces.tokenization.trace_tokenizer_choice import Refused, trace_tokenizer_choice

SMALL = T5Config(32, 8, 4, 16, 1, num_heads=2)


def test_every_decision_is_a_row_and_every_key_is_shown() -> None:
    recording = trace_tokenizer_choice.record("", "GPT2Tokenizer", "bert", False)
    first, *others = frames(recording)
    assert first.moment == "The call" and "use_fast=False" in first.caption and first.panels[0].rows == ()
    assert [len(frame.panels[0].rows) for frame in others] == [1, 2, 3, 4, 5]
    kinds = ("file", "file", "configuration", "name", "class")
    assert all(f">{kind}</b>" in row for kind, row in zip(kinds, others[-1].panels[0].rows, strict=True))
    keys = others[-1].panels[1].rows
    assert "no key that decides" in keys[0] and "model_type: <b>bert</b>" in keys[1] and "GPT2Tokenizer" in keys[1]


def test_a_missing_file_is_shown_as_missing() -> None:
    recording = AutoTokenizer.from_pretrained.record(str(data.t5_tiny()), tokenizer_type="t5", use_fast=False)
    assert "tokenizer_type=&#x27;t5&#x27;" in frames(recording)[0].caption
    assert frames(recording)[-1].panels[1].rows == ()  # no file was read


def test_an_error_is_the_last_decision() -> None:
    recording = trace_tokenizer_choice.record("NoTokenizer")
    assert recording.result == "" and isinstance(recording.steps[-1], Refused)
    assert ">error</b>" in frames(recording)[-1].panels[0].rows[-1]
    unknown = trace_tokenizer_choice.record("", "", "t6")
    assert str(unknown.steps[-1]).startswith("KeyError: model_type='t6' is not known; known: ")
    assert questions(recording) == {}


def test_the_fast_class_is_asked_for_where_the_file_names_the_slow_one() -> None:
    asked = questions(trace_tokenizer_choice.record("T5Tokenizer", "", "bert"))
    assert [options_of(question) for question in asked.values()] == [
        {0: "<b>T5TokenizerFast</b>", 95: "<b>T5Tokenizer</b>"}
    ]
    for named, use_fast in (("T5TokenizerFast", True), ("T5Tokenizer", False)):  # nothing to choose
        assert questions(trace_tokenizer_choice.record(named, "", "", use_fast)) == {}


@pytest.mark.parametrize(
    ("auto", "right", "other"),
    [
        (AutoModelForSeq2SeqLM, "T5ForConditionalGeneration", "T5Model"),
        (AutoModel, "T5Model", "T5ForConditionalGeneration"),
    ],
)
def test_the_head_is_asked_for(auto: Any, right: str, other: str) -> None:
    assert questions(auto.from_config.record(SMALL)) == {}  # no frame comes before the first decision
    (asked,) = questions(auto.from_pretrained.record(str(data.t5_tiny()))).values()
    assert options_of(asked) == {0: f"<b>{right}</b>", 52: f"<b>{other}</b>"}


def test_the_explorer_follows_its_controls() -> None:
    explorer = explore_tokenizer_choice("T5Tokenizer", model_type="bert")
    tokenizer_class, in_config, model_type, use_fast = explorer.controls.values()
    assert "T5TokenizerFast" in explorer.data
    tokenizer_class.value, use_fast.value = "", False
    assert "T5TokenizerFast" not in explorer.data and "BertTokenizer" in explorer.data
    model_type.value, in_config.value = "albert", "<img src=x>"
    assert "<img" not in explorer.data and explorer.message == ""
    tokenizer_class.value = "x" * 300
    assert "too long" in explorer.message


@pytest.mark.parametrize(
    ("program", "right", "shows", "hides"),
    [
        (wrong.name_as_written, names_for, ("T5Tokenizer", True), ("T5Tokenizer", False)),
        (
            wrong.config_first,
            slow_name,
            ({"tokenizer_class": "A"}, {"tokenizer_class": "B"}, {}),
            ({"tokenizer_class": "A"}, {"model_type": "t5"}, {"t5": "B"}),
        ),
        (wrong.first_model_type, longest_model_type, ("albert", MODEL_TYPES), ("my-t5", MODEL_TYPES)),
    ],
)
def test_the_program_is_wrong_where_its_rule_says_and_not_everywhere(
    program: Any, right: Any, shows: tuple[Any, ...], hides: tuple[Any, ...]
) -> None:
    assert program(*shows) != right(*shows)
    assert program(*hides) == right(*hides)


def test_each_has_its_number_and_its_rule() -> None:
    programs = {52: wrong.always_base_model, 95: wrong.name_as_written, 96: wrong.config_first}
    for number, program in {**programs, 0: wrong.first_model_type}.items():
        assert [known.number for known in MISCONCEPTIONS if program in known.programs] == [number]
    assert "selects the head" in rule_of(wrong.always_base_model)
