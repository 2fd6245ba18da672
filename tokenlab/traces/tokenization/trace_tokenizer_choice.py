"""`trace_tokenizer_choice`: the decisions of `AutoTokenizer` for a folder with the given strings, errors included."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Generator
from pathlib import Path

from tokenlab.libraries.transformers.models.auto.decision_steps import Decision
from tokenlab.libraries.transformers.models.auto.tokenization_auto import choose_tokenizer_class
from tokenlab.printing.printable import Parts
from tokenlab.steps.recording import step, stepwise


@step
class Refused:
    """No class was found.

    Attributes:
        error: the type of the exception.
        message: its message.
    """

    error: str
    message: str

    def sentence(self) -> Parts:
        """Name the error and its message."""
        return [f"{self.error}: {self.message}"]


@stepwise
def trace_tokenizer_choice(
    tokenizer_class: str, config_tokenizer_class: str = "", model_type: str = "", use_fast: bool = True
) -> Generator[Decision | Refused, None, str]:
    """Return the name of the class that `AutoTokenizer` chooses, or "" after an error.

    Args:
        tokenizer_class: `tokenizer_class` in tokenizer_config.json; an empty string leaves a key out.
        config_tokenizer_class: `tokenizer_class` in config.json.
        model_type: `model_type` in config.json.
        use_fast: prefer the fast class.

    >>> trace_tokenizer_choice("", "", "t5"), trace_tokenizer_choice("NoTokenizer")
    ('T5TokenizerFast', '')
    """
    contents = {
        "tokenizer_config.json": {"tokenizer_class": tokenizer_class.strip()},
        "config.json": {"model_type": model_type, "tokenizer_class": config_tokenizer_class.strip()},
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, content in contents.items():
            given = {key: value for key, value in content.items() if value}
            (Path(folder) / name).write_text(json.dumps(given), encoding="utf-8")
        try:
            chosen = yield from choose_tokenizer_class.steps(folder, use_fast=use_fast)
        except (KeyError, ValueError) as error:
            message = error.args[0] if isinstance(error, KeyError) else str(error)
            yield Refused("KeyError" if isinstance(error, KeyError) else "ValueError", message)
            return ""
        return str(chosen.__name__)
