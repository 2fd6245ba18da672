"""Right and wrong programs for the exercises of lesson 21."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.check.known_wrong import known
from tokenlab.check.exercises import auto_classes as exercises
from tokenlab.misconceptions import auto_classes as wrong
from tokenlab.misconceptions.catalog import rule_of


def names_1(tokenizer_class: Any, use_fast: Any) -> Any:
    if use_fast and not tokenizer_class.endswith("Fast"):
        return [tokenizer_class + "Fast", tokenizer_class]
    return [tokenizer_class]


def names_2(tokenizer_class: Any, use_fast: Any) -> Any:
    names = [tokenizer_class]
    if use_fast and tokenizer_class[-4:] != "Fast":
        names.insert(0, f"{tokenizer_class}Fast")
    return tuple(names)


def names_3(tokenizer_class: Any, use_fast: Any) -> Any:
    return [tokenizer_class + end for end in ("Fast", "") if not end or (use_fast and tokenizer_class[-4:] != end)]


def name_1(tokenizer_config: Any, config: Any, mapping: Any) -> Any:
    if tokenizer_config and "tokenizer_class" in tokenizer_config:
        return tokenizer_config["tokenizer_class"]
    if not config:
        return ""
    if "tokenizer_class" in config:
        return config["tokenizer_class"]
    return mapping[config["model_type"]] if config.get("model_type") in mapping else ""


def name_2(tokenizer_config: Any, config: Any, mapping: Any) -> Any:
    first, second = tokenizer_config or {}, config or {}
    candidates = (first.get("tokenizer_class"), second.get("tokenizer_class"), mapping.get(second.get("model_type")))
    return next((one for one in candidates if one), "")


def name_3(tokenizer_config: Any, config: Any, mapping: Any) -> Any:
    config = config or {}
    default = mapping.get(config.get("model_type"), "")
    return (tokenizer_config or {}).get("tokenizer_class", config.get("tokenizer_class", default))


def model_1(architectures: Any, models: Any) -> Any:
    for name in architectures or []:
        if name in models:
            return name
    return models[0]


def model_2(architectures: Any, models: Any) -> Any:
    return [*(name for name in (architectures or []) if name in models), models[0]][0]


def model_3(architectures: Any, models: Any) -> Any:
    order = {name: place for place, name in enumerate(architectures or ())}
    return min(models, key=lambda name: order.get(name, len(order)))


VARIANTS: dict[str, list[Callable[..., Any]]] = {
    "names_to_try": [names_1, names_2, names_3],
    "tokenizer_name": [name_1, name_2, name_3],
    "chosen_model": [model_1, model_2, model_3],
}

WRONG: dict[str, list[Any]] = {
    "names_to_try": [
        (wrong.name_as_written, rule_of(wrong.name_as_written), 50),
        (lambda name, use_fast: [f"{name}Fast", name] if use_fast else [name], "gets no second Fast", 50),
        (
            lambda name, use_fast: [f"{name}Fast"] if use_fast and not name.endswith("Fast") else [name],
            "Not every tokenizer has a fast class",
            50,
        ),
        (exercises._slow_only, "does not remove Fast", 50),
        (
            lambda name, use_fast: [f"{name}Fast", name] if use_fast and "Fast" not in name else [name],
            "Only the end of the name matters",
            50,
        ),
        (lambda name, use_fast: [*reversed(names_1(name, use_fast))], "The fast name comes first", 50),
    ],
    "tokenizer_name": [
        (wrong.config_first, rule_of(wrong.config_first), 130),
        (exercises._model_type_first, "The model type comes last", 130),
        known(exercises.tokenizer_name, "look up the model type in the mapping", 130),
        (exercises._only_one_file, "look at config.json next", 130),
        (exercises._model_type_itself, "A model type is a key", 130),
        (exercises._no_config, "config.json can also have a tokenizer_class", 130),
        (lambda first, second, mapping: name_1(first, second, mapping) or None, "Return an empty string", 130),
    ],
    "chosen_model": [
        (lambda architectures, models: models[0], "if it names one of the models", 60),
        (
            lambda architectures, models: next((one for one in models if one in (architectures or ())), models[0]),
            "not the order of the models",
            60,
        ),
        known(exercises.chosen_model, "counts only if it is one of the models", 60),
        (exercises._first_only, "not only at the first", 60),
        (
            lambda architectures, models: next((one for one in architectures if one in models), models[0]),
            "architectures may be None",
            60,
        ),
        (
            lambda architectures, models: next((one for one in architectures or () if one in models), None),
            "names none of the models",
            60,
        ),
        (
            lambda architectures, models: next((one for one in architectures or () if one in models), models[-1]),
            "is the first one, not the last",
            60,
        ),
    ],
}

CAUGHT = {
    "name_as_written": ("names_to_try", wrong.name_as_written),
    "config_first": ("tokenizer_name", wrong.config_first),
}
_SEQ2SEQ = "T5ForConditionalGeneration"
RIGHT: dict[str, tuple[Any, ...]] = {"auto_choices": ("BertTokenizerFast", _SEQ2SEQ)}
ANSWERED = {"always_base_model": ("auto_choices", ("BertTokenizerFast", wrong.always_base_model("AutoModel")))}
NOT_RIGHT: list[tuple[str, tuple[Any, ...], str]] = [
    ("auto_choices", ("T5TokenizerFast", _SEQ2SEQ), "The class of the tokenizer is not 'T5TokenizerFast'."),
    ("auto_choices", ("GPT2TokenizerFast", _SEQ2SEQ), "The class of the tokenizer is not 'GPT2TokenizerFast'."),
    ("auto_choices", ("BertTokenizer", _SEQ2SEQ), "The class of the tokenizer is not 'BertTokenizer'."),
    ("auto_choices", ("BertTokenizerFast", "T5Model"), "The class of the model is not 'T5Model'."),
]
SHOWS: dict[Any, list[tuple[Any, ...]]] = {wrong.first_model_type: [("my-albert",), ("roberta",), ("xlm-roberta",)]}
DOES_NOT: dict[Any, list[tuple[Any, ...]]] = {wrong.first_model_type: [("my-bert",), ("t5-small",), ("bert-t5",)]}
