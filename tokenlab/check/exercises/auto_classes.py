"""The checks of lesson 21: which class the files select, names to look up, and heads."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tokenlab.check.answer_check import AnswerCheck, BugCheck
from tokenlab.check.function_check import FunctionCheck
from tokenlab.check.strategies import Strategy, st
from tokenlab.misconceptions import auto_classes as wrong
from tokenlab.misconceptions.auto_classes import Settings
from tokenlab.misconceptions.catalog import rule_of
from tokenlab.steps.recording import Recording

MODEL_TYPES = ("bert", "t5", "roberta", "albert", "xlm-roberta")
MAPPING = {"gpt2": "GPT2Tokenizer", "t5": "T5Tokenizer"}

# A folder whose files contradict each other.


def _contradiction() -> Recording[Any, Any]:
    """Record the choice of the tokenizer for a folder with contradictory files."""
    from tokenlab.libraries.transformers.models.auto.tokenization_auto import choose_tokenizer_class

    with tempfile.TemporaryDirectory() as folder:
        contents = {
            "config.json": {"model_type": "t5", "tokenizer_class": "GPT2Tokenizer"},
            "tokenizer_config.json": {"tokenizer_class": "BertTokenizer"},
        }
        for name, content in contents.items():
            (Path(folder) / name).write_text(json.dumps(content), encoding="utf-8")
        recording: Recording[Any, Any] = choose_tokenizer_class.record(folder)
        return recording


def _model_of_t5(auto_class: str) -> str:
    """Return the name of the model class that an Auto class loads for a T5."""
    from tokenlab.libraries.transformers.models.auto import modeling_auto

    mapping: Mapping[str, str] = getattr(modeling_auto, auto_class)._model_mapping._model_mapping
    return mapping["t5"]


auto_choices = AnswerCheck(
    recording=_contradiction,
    answers=lambda recording: (recording.steps[-1].class_name, _model_of_t5("AutoModelForSeq2SeqLM")),
    names=("The class of the tokenizer", "The class of the model"),
    rules=(f"{rule_of(wrong.config_first)} {rule_of(wrong.name_as_written)}", rule_of(wrong.always_base_model)),
    sums=lambda recording: (
        "The model: config.json has model_type = 't5', which AutoModelForSeq2SeqLM maps to "
        f"{_model_of_t5('AutoModelForSeq2SeqLM')}",
    ),
)


# Model types in a name.


def longest_model_type(name: str, model_types: Sequence[str]) -> str | None:
    """Return the longest model type that is part of the name.

    >>> longest_model_type("my-roberta", ["bert", "roberta"])
    'roberta'
    """
    return max((one for one in model_types if one in name), key=len, default=None)


def _unusable(name: Any) -> str:
    if not isinstance(name, str):
        return "Give the name of a folder, a string."
    if not any(model_type in name for model_type in MODEL_TYPES):
        return f"The name should contain at least one model type: {', '.join(MODEL_TYPES)}."
    return ""


bug_in_name = BugCheck(
    program=wrong.first_model_type,
    right=longest_model_type,
    input_problem=_unusable,
    example=("my-albert",),
    use=lambda program, name: program(name, MODEL_TYPES),
)


# Names to look up.


def names_for(tokenizer_class: str, use_fast: bool) -> list[str]:
    """Return the names of classes that are looked up, in order, for the name in a file.

    >>> names_for("T5Tokenizer", True), names_for("T5TokenizerFast", True), names_for("T5Tokenizer", False)
    (['T5TokenizerFast', 'T5Tokenizer'], ['T5TokenizerFast'], ['T5Tokenizer'])
    """
    if use_fast and not tokenizer_class.endswith("Fast"):
        return [f"{tokenizer_class}Fast", tokenizer_class]
    return [tokenizer_class]


def _slow_only(tokenizer_class: str, use_fast: bool) -> list[str]:
    slow = tokenizer_class.removesuffix("Fast")
    return [f"{slow}Fast", slow] if use_fast and slow == tokenizer_class else [tokenizer_class if use_fast else slow]


names_to_try = FunctionCheck(
    names_for,
    lambda: st.tuples(
        st.sampled_from(["T5Tokenizer", "T5TokenizerFast", "BertTokenizer", "FastTokenizer", "MyTokenizerFast"]),
        st.booleans(),
    ),
    "With use_fast=True, first look up the name with Fast appended, unless it ends in Fast. Then look up the name.",
    examples=[("T5Tokenizer", True), ("T5TokenizerFast", True), ("T5TokenizerFast", False), ("FastTokenizer", True)],
    wrong=(
        (
            lambda tokenizer_class, use_fast: (
                [f"{tokenizer_class}Fast", tokenizer_class] if use_fast else [tokenizer_class]
            ),
            "A name that ends in Fast gets no second Fast.",
        ),
        (
            lambda tokenizer_class, use_fast: (
                [f"{tokenizer_class}Fast"] if use_fast and not tokenizer_class.endswith("Fast") else [tokenizer_class]
            ),
            "Not every tokenizer has a fast class. So the name itself comes second.",
        ),
        (_slow_only, "use_fast=False does not remove Fast. A name with Fast in the file loads the fast class."),
        (
            lambda tokenizer_class, use_fast: (
                [f"{tokenizer_class}Fast", tokenizer_class]
                if use_fast and "Fast" not in tokenizer_class
                else [tokenizer_class]
            ),
            "Only the end of the name matters. Use `endswith`, not `in`.",
        ),
        (
            lambda *given: [*reversed(names_for(*given))],
            "The fast name comes first, because the first class that exists is loaded.",
        ),
        wrong.name_as_written,
    ),
)


# The file that decides.


def slow_name(tokenizer_config: Settings, config: Settings, mapping: Mapping[str, str]) -> str:
    """Return the name of the slow class that the files select; empty if no file decides.

    >>> slow_name({}, {"model_type": "t5"}, {"t5": "T5Tokenizer"})
    'T5Tokenizer'
    """
    for settings in (tokenizer_config, config):
        if settings is not None and "tokenizer_class" in settings:
            return str(settings["tokenizer_class"])
    return mapping.get((config or {}).get("model_type", ""), "")


def _files() -> Strategy:
    names = st.sampled_from(["A", "B"])
    model_types = st.sampled_from(["t5", "gpt2", "own"])
    tokenizer_config = st.none() | st.fixed_dictionaries({}, optional={"tokenizer_class": names})
    optional = {"model_type": model_types, "tokenizer_class": names}
    return st.tuples(tokenizer_config, st.none() | st.fixed_dictionaries({}, optional=optional), st.just(MAPPING))


def _model_type_first(tokenizer_config: Settings, config: Settings, mapping: Mapping[str, str]) -> str:
    return mapping.get((config or {}).get("model_type", "")) or slow_name(tokenizer_config, config, mapping)


def _only_one_file(tokenizer_config: Settings, config: Settings, mapping: Mapping[str, str]) -> str:
    if tokenizer_config is not None:
        return str(tokenizer_config.get("tokenizer_class", ""))
    return slow_name(None, config, mapping)


def _model_type_itself(tokenizer_config: Settings, config: Settings, mapping: Mapping[str, str]) -> str:
    found = slow_name(tokenizer_config, config, {})
    return found or str((config or {}).get("model_type", ""))


def _no_config(tokenizer_config: Settings, config: Settings, mapping: Mapping[str, str]) -> str:
    return slow_name(tokenizer_config, {k: v for k, v in (config or {}).items() if k == "model_type"}, mapping)


tokenizer_name = FunctionCheck(
    slow_name,
    _files,
    "tokenizer_config.json comes first, then tokenizer_class in config.json, then the mapping of the model type.",
    examples=[
        ({"tokenizer_class": "A"}, {"tokenizer_class": "B", "model_type": "t5"}, MAPPING),
        ({}, {"tokenizer_class": "B", "model_type": "t5"}, MAPPING),
        (None, {"model_type": "t5"}, MAPPING),
        ({}, None, MAPPING),
        (None, {"model_type": "own"}, MAPPING),
    ],
    wrong=(
        wrong.config_first,
        (_model_type_first, "The model type comes last. A tokenizer_class in either file comes before it."),
        (
            lambda tokenizer_config, config, mapping: slow_name(tokenizer_config, config, {}),
            "If no file has a tokenizer_class, look up the model type in the mapping.",
        ),
        (
            _only_one_file,
            "A tokenizer_config.json without a tokenizer_class does not decide. Then look at config.json next.",
        ),
        (_model_type_itself, "A model type is a key. The name of the class is its value in the mapping."),
        (_no_config, "config.json can also have a tokenizer_class. This entry comes before its model type."),
        (lambda *given: slow_name(*given) or None, "Return an empty string if no file decides."),
    ),
)


# Several models for one configuration.


def model_for(architectures: Sequence[str] | None, models: Sequence[str]) -> str:
    """Return the model that `architectures` names first, or else the first model.

    >>> model_for(["T5Model", "B"], ["A", "B"]), model_for(None, ["A", "B"])
    ('B', 'A')
    """
    return next((name for name in architectures or () if name in models), models[0])


def _models() -> Strategy:
    name = st.sampled_from(["Plain", "Head", "Wide", "Old"])
    return st.tuples(
        st.none() | st.lists(name, max_size=3, unique=True), st.lists(name, min_size=1, max_size=3, unique=True)
    )


def _first_only(architectures: Sequence[str] | None, models: Sequence[str]) -> str:
    return architectures[0] if architectures and architectures[0] in models else models[0]


chosen_model = FunctionCheck(
    model_for,
    _models,
    "The first name in architectures that is also in models decides. If there is none, the first model decides.",
    examples=[
        (["Head"], ["Plain", "Head"]),
        (["Old", "Head"], ["Plain", "Head"]),
        (["Head", "Plain"], ["Plain", "Head"]),
        (None, ["Plain"]),
        ([], ["Head", "Plain"]),
    ],
    wrong=(
        (
            lambda architectures, models: next((one for one in models if one in (architectures or ())), models[0]),
            "The order of architectures decides, not the order of the models.",
        ),
        (
            lambda architectures, models: architectures[0] if architectures else models[0],
            "A name in architectures counts only if it is one of the models.",
        ),
        (_first_only, "Look at all names in architectures, not only at the first."),
        (
            lambda architectures, models: next((one for one in architectures if one in models), models[0]),
            "architectures may be None, if config.json has no such entry.",
        ),
        (
            lambda architectures, models: next((one for one in architectures or () if one in models), None),
            "If architectures names none of the models, return the first model.",
        ),
        (
            lambda architectures, models: next((one for one in architectures or () if one in models), models[-1]),
            "The default is the first one, not the last.",
        ),
        (
            lambda architectures, models: models[0],
            "architectures in config.json decides, if it names one of the models.",
        ),
    ),
)
