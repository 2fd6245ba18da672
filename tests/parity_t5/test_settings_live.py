"""Which of configuration, generation configuration and arguments wins, compared with transformers 4.26.1.

Each setting has four values: three that differ from each other, and the default. All settings of a group change
together, or a random part of them, so that a few walks ask for every setting.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.parity.t5_original import Original
from tests.parity_t5 import settings_answers
from tests.parity_t5.settings_answers import answer_to
from tokenlab.libraries import transformers
from tokenlab.libraries.transformers.configuration_utils import DEFAULTS as COMMON
from tokenlab.libraries.transformers.generation.configuration_utils import DEFAULTS

Json = dict[str, Any]
SIZES: Json = {
    "vocab_size": 9, "d_model": 4, "d_kv": 2, "d_ff": 4, "num_layers": 1, "num_heads": 1, "decoder_start_token_id": 0
}  # fmt: skip
VALUES: dict[str, tuple[Any, Any, Any]] = {
    "max_length": (5, 6, 7), "max_new_tokens": (3, 4, 5), "min_length": (1, 2, 3), "min_new_tokens": (1, 2, 3),
    "early_stopping": (True, False, True), "max_time": (7.0, 8.0, 9.0),
    "do_sample": (True, False, True), "num_beams": (2, 4, 6), "num_beam_groups": (2, 1, 2),
    "penalty_alpha": (0.1, 0.2, 0.3), "use_cache": (False, True, False),
    "temperature": (0.5, 0.6, 0.7), "top_k": (3, 4, 5), "top_p": (0.5, 0.6, 0.7), "typical_p": (0.5, 0.6, 0.7),
    "epsilon_cutoff": (0.1, 0.2, 0.3), "eta_cutoff": (0.1, 0.2, 0.3), "diversity_penalty": (0.1, 0.2, 0.3),
    "repetition_penalty": (1.1, 1.2, 1.3), "encoder_repetition_penalty": (1.1, 1.2, 1.3),
    "length_penalty": (0.5, 0.6, 0.7), "no_repeat_ngram_size": (2, 3, 4), "bad_words_ids": ([[3]], [[4]], [[5]]),
    "force_words_ids": ([[3]], [[4]], [[5]]), "renormalize_logits": (True, False, True), "constraints": (None,) * 3,
    "forced_bos_token_id": (3, 4, 5), "forced_eos_token_id": (3, 4, 5), "remove_invalid_values": (True, False, True),
    "exponential_decay_length_penalty": ([2, 1.1], [3, 1.2], [4, 1.3]), "suppress_tokens": ([3], [4], [5]),
    "begin_suppress_tokens": ([3], [4], [5]), "forced_decoder_ids": ([[1, 3]], [[1, 4]], [[1, 5]]),
    "num_return_sequences": (2, 1, 2), "output_attentions": (True, False, True),
    "output_hidden_states": (True, False, True), "output_scores": (True, False, True),
    "return_dict_in_generate": (True, False, True), "pad_token_id": (2, 3, 4), "bos_token_id": (3, 4, 5),
    "eos_token_id": (4, [5, 6], 7), "encoder_no_repeat_ngram_size": (2, 3, 4), "decoder_start_token_id": (3, 4, 5),
    "generation_kwargs": ({"a": 1}, {"a": 2}, {}),
}  # fmt: skip
OF_T5 = {"pad_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0, "use_cache": True}  # defaults of SIZES
OF_MODELS = {*COMMON, "use_cache"}
GROUPS = {
    "in model configurations": [name for name in VALUES if name in OF_MODELS],
    "in generation configurations only": [name for name in VALUES if name not in OF_MODELS],
}
FILES = ("none", "from the model", "by hand", "by hand, with the flag")
HOW = (
    *("folder", "settings", "config", "config of the folder", "config and settings", "folder of a config"),
    *("folder of a config and settings", "new"),
)
CLASSES = ("AutoModelForSeq2SeqLM", "T5ForConditionalGeneration")


@pytest.fixture(scope="module")
def original() -> Iterator[Original]:
    with Original(Path(settings_answers.__file__)) as process:
        yield process


@pytest.fixture(scope="module")
def both(original: Original) -> Callable[[Json], tuple[Any, Any]]:
    """Ask ours and the original the same."""
    return lambda question: (answer_to(transformers, question), original.ask(json.dumps(question)))


def values(group: str, number: int) -> Json:
    """Return the first, second, third or (3) default values of a group's settings."""
    default = {**DEFAULTS, **OF_T5}
    return {name: default[name] if number == 3 else VALUES[name][number] for name in GROUPS[group]}


def folder_with(folder: Path, in_config: Json, file: str, in_file: Json) -> str:
    """Write a model's folder, with a generation_config.json of the given kind."""
    torch.manual_seed(1)
    model = transformers.T5ForConditionalGeneration(transformers.T5Config(**{**SIZES, **in_config}))
    model.save_pretrained(folder, safe_serialization=False)
    path = folder / "generation_config.json"
    if file == "none":
        path.unlink()
    elif file != "from the model":
        flag = {"_from_model_config": True} if file.endswith("the flag") else {}
        path.write_text(json.dumps({**in_file, **flag}), encoding="utf-8")
    return str(folder)


def steps(group: str) -> list[Any]:
    """Return the actions of which the short walks consist."""
    return [
        *(["config", values(group, number)] for number in (0, 3)),
        *(["generation", values(group, number)] for number in (1, 3)),
        *(["generation", {"_from_model_config": flag}] for flag in (False, True)),
        *(["replace", values(group, 1)], ["call", {}], ["call", values(group, 2)]),
        ["call with generation_config", values(group, 1)],
    ]


def short_walks(group: str) -> list[Any]:
    """Return all walks of at most two actions, before a call without arguments."""
    actions = steps(group)
    return [[*walk, ["call", {}]] for count in range(3) for walk in itertools.product(actions, repeat=count)]


def random_walk(draw: random.Random, group: str) -> list[Any]:
    """Return a longer walk, which changes random parts of the settings, and saves and loads the model."""

    def action() -> list[Any]:
        if draw.random() < 0.25:
            return ["saved", {"class": draw.choice(CLASSES)}]
        name, given = draw.choice(steps(group))
        return [name, {key: value for key, value in given.items() if key.startswith("_") or draw.random() < 0.5}]

    return [*(action() for _ in range(draw.randint(3, 6))), ["call", {}]]


def question_of(folder: str, kind: str, how: str, settings: Json, walks: list[Any]) -> Json:
    """Return a question; the settings are those of the way of loading."""
    sizes = {name: size for name, size in SIZES.items() if name not in settings}
    return {"folder": folder, "class": kind, "how": how, "sizes": sizes, "settings": settings, "walks": walks}


def check(both: Callable[[Json], tuple[Any, Any]], question: Json) -> Any:
    """Compare both answers, and return the library's."""
    ours, theirs = both(question)
    if isinstance(theirs, str) or isinstance(ours, str):
        assert ours == theirs, (question["class"], question["how"])
        return theirs
    for walk, one, other in zip(question["walks"], ours, theirs, strict=True):
        for place, (mine, its) in enumerate(zip(one, other, strict=True)):
            assert mine == its, f"{question['class']}, {question['how']}: action {place} of {walk}"
    return theirs


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("group", GROUPS)
def test_the_settings_of_a_call_are_the_librarys(
    both: Any, group: str, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transformers.GenerationConfig, "validate", lambda self: None)  # not by 4.26.1, when it saves
    draw, walks, loaded = random.Random(f"{group} {file}"), short_walks(group), 0
    folders = [
        folder_with(tmp_path / str(number), in_config, file, values(group, 0))
        for number, in_config in enumerate(({}, values(group, 1)))
    ]
    for number, (how, kind) in enumerate(itertools.product(HOW, CLASSES)):
        folder = folders[(number + FILES.index(file)) % 2]  # each way of loading reads both, with one of the classes
        asked = [*draw.sample(walks, 7), random_walk(draw, group)]
        loaded += not isinstance(check(both, question_of(folder, kind, how, values(group, 2), asked)), str)
    assert loaded > 8  # otherwise little is compared


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize(("how", "kind"), [("settings", CLASSES[0]), ("settings", CLASSES[1]), ("config", CLASSES[0])])
def test_a_generated_text_has_the_length_of_the_librarys(
    both: Any, how: str, kind: str, file: str, tmp_path: Path
) -> None:
    endless = {"eos_token_id": None}  # so that max_length ends it
    folder = folder_with(tmp_path, endless, file, {"decoder_start_token_id": 0, "pad_token_id": 0, "max_length": 9})
    walks = [[["length", {}]], [["config", {"max_length": 6}], ["length", {}]], [["length", {"max_length": 7}]]]
    found = check(both, question_of(folder, kind, how, {**endless, "max_length": 5}, walks))
    by_hand = file == "by hand" and (how == "config" or kind == CLASSES[0])
    assert found == ([[9], [None, 9], [7]] if by_hand else [[5], [None, 5 if file == "by hand" else 6], [7]])
