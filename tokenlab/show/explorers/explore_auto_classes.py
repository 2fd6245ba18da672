"""The explorer of lesson 21: strings in two JSON files, and the tokenizer class that they select."""

from __future__ import annotations

from typing import Any

import ipywidgets

from tokenlab.libraries.transformers.models.auto.tokenization_auto import TOKENIZER_MAPPING_NAMES
from tokenlab.show.explorers.explorer import Explorer, check_characters, text_box
from tokenlab.steps.recording import Recording
from tokenlab.traces.tokenization.trace_tokenizer_choice import trace_tokenizer_choice

LONGEST = 200  # characters of a name


def explore_tokenizer_choice(tokenizer_class: str = "", model_type: str = "t5") -> Explorer:
    """Explore which tokenizer class the strings in a folder's files select; an empty string leaves a key out.

    Args:
        tokenizer_class: the string in tokenizer_config.json.
        model_type: the model type in config.json.
    """
    named, types = "tokenizer_config.json: tokenizer_class", list(TOKENIZER_MAPPING_NAMES)
    return Explorer(
        _record,
        opened=1,
        tokenizer_class=text_box(named, tokenizer_class),
        in_config=text_box("config.json: tokenizer_class", ""),
        model_type=ipywidgets.Dropdown(options=types, value=model_type, description="config.json: model_type"),
        use_fast=ipywidgets.Checkbox(True, description="use_fast"),
    )


def _record(tokenizer_class: str, in_config: str, model_type: str, use_fast: bool) -> Recording[Any, Any]:
    for name in (tokenizer_class, in_config):
        check_characters(name, LONGEST, "trace_tokenizer_choice", "tokenizer_class")
    return trace_tokenizer_choice.record(tokenizer_class, in_config, model_type, use_fast)
