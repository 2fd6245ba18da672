"""Files, sizes, masks, tables and heads of T5s beside transformers 4.26.1, which answers from a process of its own."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.parity.t5_cases import random_config
from tests.parity.t5_original import Original
from tests.parity_t5 import t5_members
from tests.parity_t5.t5_members import answer_to
from tokenlab.libraries import transformers

KINDS = ("T5ForConditionalGeneration", "T5Model", "T5EncoderModel")
Both = Callable[[dict[str, Any]], tuple[Any, Any]]


@pytest.fixture(scope="module")
def original() -> Iterator[Original]:
    with Original(Path(t5_members.__file__)) as process:
        yield process


@pytest.fixture(scope="module")
def both(original: Original) -> Both:
    """Asks ours and the original the same."""
    return lambda question: (answer_to(transformers, question), original.ask(json.dumps(question)))


def question_of(seed: int, **more: Any) -> dict[str, Any]:
    """A random model of one of the three classes."""
    dice = random.Random(seed)
    config = random_config(dice) | {
        "num_heads": dice.randint(2, 5),
        "feed_forward_proj": dice.choice(["relu", "gated-gelu"]),
    }
    return {"seed": seed, "class": KINDS[seed % 3], "config": config | {"num_beams": seed}, **more}


def off(ours: Any, theirs: Any, where: str = "") -> list[str]:
    """Where two answers differ by more than rounding."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        names = sorted({*ours, *theirs})
        missing = object()
        return [
            at for name in names for at in off(ours.get(name, missing), theirs.get(name, missing), f"{where}.{name}")
        ]
    if isinstance(theirs, list) and isinstance(ours, list) and len(ours) == len(theirs):
        return [
            at for place, pair in enumerate(zip(ours, theirs, strict=True)) for at in off(*pair, f"{where}.{place}")
        ]
    if isinstance(theirs, float) and isinstance(ours, float):
        return (
            [] if ours == theirs or abs(ours - theirs) < 3e-5 * max(1, abs(theirs)) else [f"{where}: {ours} {theirs}"]
        )
    return [] if ours == theirs and type(ours) is type(theirs) else [f"{where}: {ours!r} {theirs!r}"]


@pytest.mark.parametrize("seed", range(5))
def test_a_seed_draws_the_same_new_weights(both: Both, seed: int) -> None:
    ours, theirs = both(question_of(seed, program="new"))
    assert ours["weights"] == theirs["weights"]
    assert off(ours, theirs) == []


@pytest.mark.parametrize("seed", range(5))
def test_members_say_the_same(both: Both, seed: int) -> None:
    names = ["shared.weight", "encoder.block.0.layer.1.DenseReluDense.wo.weight", "encoder.block.0"]
    dtype = "bfloat16" if seed > 3 else "float32"
    mask = [[1, 1, 1, 0], [1, 1, 1, 1], [1, 0, 0, 0]]
    with pytest.warns(UserWarning, match="the input has no input_ids"):
        ours, theirs = both(question_of(seed, program="members", mask=mask, names=names, dtype=dtype))
    assert off(ours, theirs) == []


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("more", [None, -3, 4])
def test_another_number_of_ids_gives_the_same_tables(both: Both, seed: int, more: int | None) -> None:
    question = question_of(seed, program="resize")
    tokens = None if more is None else question["config"]["vocab_size"] + more
    ours, theirs = both({**question, "tokens": tokens})
    assert off(ours, theirs) == []


@pytest.mark.parametrize("seed", [2, 5, 8])
def test_heads_taken_out_leave_the_same_model(both: Both, seed: int) -> None:
    ours, theirs = both(question_of(seed, program="prune", heads=[{"0": [1]}, {"0": [0, 1]} if seed == 8 else {}]))
    assert off(ours, theirs) == []


@pytest.mark.parametrize("seed", [0, 3])
def test_gradient_checkpointing_gives_the_same_gradients(both: Both, seed: int) -> None:
    ours, theirs = both(question_of(seed, program="again", ids=[[3, 4, 2, 1], [4, 2, 4, 3]]))
    assert off(ours, theirs) == []


@pytest.mark.parametrize(
    "settings", [{}, {"num_beams": 3, "other": 4, "_from_model_config": True, "bad_words_ids": [[1]]}]
)
def test_configurations_say_the_same_in_and_out(both: Both, settings: dict[str, Any], tmp_path: Path) -> None:
    question = question_of(1, folder=str(tmp_path), settings=settings, update={"top_p": 0.5, "other": 1})
    question["config"] |= {"task": {"a": 1}, "decoder": {"top_k": 3}, "hidden_size": 5, "num_beams": 4}
    for program in ("generation", "configuration"):
        ours, theirs = both(question | {"program": program})
        assert ours == theirs


VALUES_OF_CONSTANTS = {
    "model_type": "t5",
    "is_composition": True,
    "attribute_map": {"width": "d_ff"},
    "keys_to_ignore_at_inference": ["a"],
    "own_constant": 6,
}


@pytest.mark.parametrize("name", VALUES_OF_CONSTANTS)
@pytest.mark.parametrize("kind", ["T5Config", "GPT2Config", "BertConfig"])
def test_class_constants_and_settings_of_their_names_say_the_same(
    both: Both, kind: str, name: str, tmp_path: Path
) -> None:
    for own in (True, False):
        for way in ("another class's settings", "argument", "argument of from_dict", "attribute"):
            question = {"class": kind, "own": own, "way": way, "name": name, "value": VALUES_OF_CONSTANTS[name]}
            ours, theirs = both(question | {"program": "constants", "folder": str(tmp_path)})
            assert ours == theirs, (own, way)


# --- folders ------------------------------------------------------------------------------------------

OURS: list[dict[str, Any]] = [
    {},
    {"max_shard_size": 3000},
    {"safe_serialization": False},
    {"safe_serialization": False, "max_shard_size": "3KB"},
]
THEIRS = OURS[2:]  # its safe_serialization dies of a T5's tied tensors


def folder_question(kind: str, tied: bool, folder: Path, how: dict[str, Any]) -> dict[str, Any]:
    sizes = {"vocab_size": 30, "num_heads": 2, "d_kv": 3, "d_model": 5, "d_ff": 4, "num_layers": 2}
    config = {**sizes, "decoder_start_token_id": 0, "tie_word_embeddings": tied, "num_beams": 2}
    return {"config": config, "seed": 7, "class": kind, "folder": str(folder), "how": how}


@pytest.mark.parametrize("how", range(4))
@pytest.mark.parametrize(("kind", "tied"), [(KINDS[0], True), (KINDS[0], False), (KINDS[1], True), (KINDS[2], True)])
def test_our_folders_load_there(
    both: Both, original: Original, tmp_path: Path, kind: str, tied: bool, how: int
) -> None:
    question = folder_question(kind, tied, tmp_path, OURS[how])
    saved = answer_to(transformers, question | {"program": "save"})
    ours, theirs = both(question | {"program": "load", "how": {"torch_dtype": "auto"}})
    assert not theirs["warned"] and theirs["weights"] == saved["weights"]
    assert off(ours, theirs) == []


@pytest.mark.parametrize("how", range(2))
@pytest.mark.parametrize(("kind", "tied"), [(KINDS[0], True), (KINDS[0], False), (KINDS[1], True), (KINDS[2], True)])
def test_their_folders_load_here(
    both: Both, original: Original, tmp_path: Path, kind: str, tied: bool, how: int
) -> None:
    question = folder_question(kind, tied, tmp_path, THEIRS[how])
    saved = original.ask(json.dumps(question | {"program": "save"}))
    before = {path.name: path.read_bytes() for path in tmp_path.glob("*.json")}
    ours, theirs = both(question | {"program": "load", "how": {"num_beams": 5, "dropout_rate": 0.5}})
    assert not ours["warned"] and ours["weights"] == saved["weights"]
    assert off(ours, theirs) == []
    answer_to(transformers, question | {"program": "save"})
    assert {path.name: path.read_bytes() for path in tmp_path.glob("*.json")} == before


@pytest.mark.parametrize("tied", [True, False])
def test_files_that_safetensors_writes_on_its_own_load_here(
    both: Both, original: Original, tmp_path: Path, tied: bool
) -> None:
    question = folder_question(KINDS[0], tied, tmp_path, {})
    saved = original.ask(json.dumps(question | {"program": "by_safetensors"}))
    ours, theirs = both(question | {"program": "load"})
    assert ours["weights"] == theirs["weights"] == saved["weights"]
    # Of the tied tables the file has the first by the alphabet: there one counts as missing, and is read none the less.
    assert (theirs["info"]["missing_keys"], ours["info"]["missing_keys"]) == (["shared.weight"], [])


def test_other_classes_of_the_same_folder_are_read_alike(both: Both, tmp_path: Path) -> None:
    question = folder_question(KINDS[0], True, tmp_path, {})
    answer_to(transformers, question | {"program": "save"})
    for kind in KINDS[1:]:
        ours, theirs = both(question | {"program": "load", "class": kind})
        assert theirs["warned"] == ours["warned"] == (kind == "T5EncoderModel")
        assert off(ours, theirs) == []


def test_weights_of_another_shape_are_reported_alike(both: Both, tmp_path: Path) -> None:
    question = folder_question(KINDS[0], True, tmp_path, {"safe_serialization": False})
    answer_to(transformers, question | {"program": "save"})
    ours, theirs = both(question | {"program": "load", "how": {"ignore_mismatched_sizes": True, "d_ff": 9}})
    assert ours["info"] == theirs["info"] and len(ours["info"]["mismatched_keys"]) == 8
    assert ours["warned"] and theirs["warned"]
