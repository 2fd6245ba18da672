"""Misconceptions about the Auto classes, each as a program.

>>> always_base_model("AutoModelForSeq2SeqLM"), name_as_written("T5Tokenizer", True)
('T5Model', ['T5Tokenizer'])
>>> config_first({"tokenizer_class": "A"}, {"model_type": "t5", "tokenizer_class": "B"}, {"t5": "C"})
'B'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tokenlab.misconceptions.misconception import Misconception

Settings = Mapping[str, Any] | None  # the content of a JSON file, or None if the folder has no such file


def always_base_model(auto_class: str) -> str:
    """Return the model class that an Auto class loads for a T5, as if all of them loaded the same model."""
    return "T5Model"


def name_as_written(tokenizer_class: str, use_fast: bool) -> list[str]:
    """Return the names that are looked up: only the one in the file."""
    return [tokenizer_class]


def config_first(tokenizer_config: Settings, config: Settings, mapping: Mapping[str, str]) -> str:
    """Return the class that the files name, looking at config.json first."""
    for settings in (config, tokenizer_config):
        if (settings or {}).get("tokenizer_class"):
            return str((settings or {})["tokenizer_class"])
    return mapping.get((config or {}).get("model_type", ""), "")


def first_model_type(name: str, model_types: Sequence[str]) -> str | None:
    """Return the first model type in the list that is part of the name."""
    return next((model_type for model_type in model_types if model_type in name), None)


MISCONCEPTIONS = [
    Misconception(
        52,
        "AutoModel loads a model that can generate",
        "The Auto class selects the head. AutoModel loads T5Model, which has no output layer. AutoModelForSeq2SeqLM "
        "loads T5ForConditionalGeneration, which has an output layer.",
        (always_base_model,),
    ),
    Misconception(
        95,
        "AutoTokenizer loads the class whose name is in the file",
        "With use_fast=True, the default, AutoTokenizer first looks up the name with Fast at its end.",
        (name_as_written,),
    ),
    Misconception(
        96,
        "config.json decides which tokenizer is loaded",
        "If tokenizer_config.json has a tokenizer_class, this entry decides. Then config.json is not read.",
        (config_first,),
    ),
    Misconception(
        0,
        "the first model type that is part of a name decides",
        "The longest model type that is part of the name decides, because one model type can contain another.",
        (first_model_type,),
    ),
]
