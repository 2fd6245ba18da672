"""The settings that `generate` uses, from either library, for each way of loading a T5 and of changing its settings.

    .parity/bin/python tests/parity_t5/settings_answers.py < questions, one JSON object a line

A question names a folder, the way of loading, and walks. A walk is a list of actions on the loaded model, such as
["config", settings] (change model.config) or ["call", settings] (call generate). The program imports nothing of this
kit except the library. The length of a call's result is read by "length"; "call" ends when the settings are known.
"""

from __future__ import annotations

import copy
import json
import sys
import tempfile
import warnings
from typing import Any

import torch

READ = torch.tensor([[3, 4, 1]])


class Captured(Exception):
    """The settings of a call of `generate`, raised where the library has them."""


def load(library: Any, question: dict[str, Any]) -> Any:
    """Return the model, loaded in the way that the question names."""
    auto = question["class"].startswith("Auto")
    kind, folder, settings = getattr(library, question["class"]), question["folder"], question["settings"]
    config = library.T5Config(**question["sizes"], **settings)
    match question["how"]:
        case "folder":
            return kind.from_pretrained(folder)
        case "settings":
            return kind.from_pretrained(folder, **settings)
        case "config":
            return kind.from_pretrained(folder, config=config)
        case "config of the folder":
            return kind.from_pretrained(folder, config=library.AutoConfig.from_pretrained(folder, **settings))
        case "config and settings":
            return kind.from_pretrained(folder, config=config, **settings)
        case "folder of a config":
            with tempfile.TemporaryDirectory() as other:
                config.save_pretrained(other)
                return kind.from_pretrained(folder, config=other)
        case "folder of a config and settings":
            return kind.from_pretrained(folder, config=folder, **settings)
        case "new":
            return kind.from_config(config) if auto else kind(config)
    raise ValueError(question["how"])


def settings_of_call(library: Any, model: Any, **arguments: Any) -> dict[str, Any]:
    """Return the settings that `generate` uses in a call, and whether it warned before it had them."""
    kind = library.GenerationConfig
    update = kind.update

    def captured(config: Any, **kwargs: Any) -> Any:
        rest = update(config, **kwargs)
        if "of_this_call" in kwargs:
            raise Captured(config.to_dict())
        return rest

    kind.update = captured
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.generate(READ, of_this_call=True, **arguments)
    except Captured as found:
        return {"settings": found.args[0], "warned": any(each.category is UserWarning for each in caught)}
    finally:
        kind.update = update
    raise AssertionError("generate did not update its settings")


def act(library: Any, model: Any, action: str, given: dict[str, Any]) -> tuple[Any, Any]:
    """Return the model after an action, and the action's answer or None."""
    match action:
        case "config":
            model.config.update(given)
        case "generation":
            model.generation_config.update(**given)
        case "replace":
            model.generation_config = library.GenerationConfig(**given)
        case "call":
            return model, settings_of_call(library, model, **given)
        case "call with generation_config":
            return model, settings_of_call(library, model, generation_config=library.GenerationConfig(**given))
        case "length":
            return model, model.generate(READ, **given).shape[1]
        case "saved":
            with tempfile.TemporaryDirectory() as folder:
                model.save_pretrained(folder)
                with open(f"{folder}/generation_config.json", encoding="utf-8") as file:
                    written = json.load(file)
                return getattr(library, given["class"]).from_pretrained(folder), written
    return model, None


def walk(library: Any, model: Any, actions: list[Any]) -> list[Any]:
    """Return the answers of a walk; the model's configurations are restored after it."""
    config, generation = model.config, model.generation_config
    model.config, model.generation_config = copy.deepcopy(config), copy.deepcopy(generation)
    now, answers = model, []
    for action, given in actions:
        now, answer = act(library, now, action, copy.deepcopy(given))
        answers.append(answer)
    model.config, model.generation_config = config, generation
    return answers


def answer_to(library: Any, question: dict[str, Any]) -> Any:
    """Return the answers of all walks, or the name of the exception that loading raises."""
    torch.set_num_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = load(library, question)
        except (TypeError, ValueError, OSError) as error:
            return type(error).__name__
        return json.loads(json.dumps([walk(library, model, actions) for actions in question["walks"]]))


if __name__ == "__main__":
    import transformers

    for line in sys.stdin:
        print(json.dumps(answer_to(transformers, json.loads(line))), flush=True)
