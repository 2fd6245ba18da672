"""A T5 in a folder: written whole, read strictly, from the hub by its name; and a sentence for what is wrong there."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import huggingface_hub
import pytest
import torch
from huggingface_hub import errors
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from tokenlab.libraries.transformers import T5Config, T5EncoderModel, T5ForConditionalGeneration, T5Model, T5Tokenizer
from tokenlab.libraries.transformers import weights as model_files
from tokenlab.libraries.transformers.hub import CorruptFileError
from tokenlab.libraries.transformers.models.t5 import stack as pretrained_model
from tokenlab.libraries.transformers.models.t5.stack import T5Stack
from tokenlab.libraries.transformers.weights import parse_size, split_into_shards
from tokenlab.storage import files

IDS = torch.tensor([[3, 4, 1]])
SAFE, BIN = "model.safetensors", "pytorch_model.bin"
ALIASES = {"encoder.embed_tokens.weight", "decoder.embed_tokens.weight", "lm_head.weight"}


def small(**settings: Any) -> T5Config:
    sizes = {"vocab_size": 12, "d_model": 6, "d_kv": 3, "d_ff": 8, "num_layers": 2, "num_heads": 2}
    return T5Config(**{**sizes, "decoder_start_token_id": 0, **settings})


def new(**settings: Any) -> Any:
    torch.manual_seed(0)
    return T5ForConditionalGeneration(small(**settings)).eval()


def same(left: Any, right: Any) -> bool:
    """Whether two models have the same weights."""
    ours, theirs = left.state_dict(), right.state_dict()
    return ours.keys() == theirs.keys() and all(torch.equal(ours[name], theirs[name]) for name in ours)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    new().save_pretrained(tmp_path / "model")
    return tmp_path / "model"


# --- there and back -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [T5ForConditionalGeneration, T5Model, T5EncoderModel])
@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("how", [{}, {"safe_serialization": False}, {"max_shard_size": 900}], ids=str)
def test_a_model_comes_back_from_its_folder(tmp_path: Path, kind: Any, tied: bool, how: dict[str, Any]) -> None:
    model = kind(small(tie_word_embeddings=tied, feed_forward_proj="gated-gelu"))
    model.save_pretrained(tmp_path, **how)
    again, info = kind.from_pretrained(tmp_path, output_loading_info=True)
    assert same(model, again) and again.config == model.config
    assert info == {"missing_keys": [], "unexpected_keys": [], "mismatched_keys": [], "error_msgs": []}
    assert not again.training and all(parameter.requires_grad for parameter in again.parameters())
    assert again.encoder.embed_tokens is again.shared
    assert (tmp_path / "generation_config.json").exists() == (kind is T5ForConditionalGeneration)
    if kind is T5ForConditionalGeneration:
        assert (again.lm_head.weight is again.shared.weight) == tied


def test_a_file_holds_each_tensor_once_and_says_its_format(folder: Path) -> None:
    with safe_open(folder / SAFE, framework="pt") as file:
        assert file.metadata() == {"format": "pt"}
        assert set(file.keys()) == new().state_dict().keys() - ALIASES
    assert json.loads((folder / "config.json").read_text(encoding="utf-8"))["architectures"] == [
        "T5ForConditionalGeneration"
    ]


def test_an_lm_head_of_its_own_is_written(tmp_path: Path) -> None:
    new(tie_word_embeddings=False).save_pretrained(tmp_path)
    assert "lm_head.weight" in load_file(tmp_path / SAFE)


def test_pytorchs_own_file_has_every_name(tmp_path: Path) -> None:
    model = new()
    model.save_pretrained(tmp_path, safe_serialization=False)
    weights = torch.load(tmp_path / BIN, weights_only=True)
    assert weights.keys() == model.state_dict().keys()
    assert (tmp_path / BIN).stat().st_size < 2 * sum(p.numel() * 4 for p in model.parameters()) + 20_000


def test_shards_are_cut_before_the_weight_with_which_they_would_be_too_large(tmp_path: Path) -> None:
    new().save_pretrained(tmp_path, max_shard_size=900)
    index = json.loads((tmp_path / f"{SAFE}.index.json").read_text(encoding="utf-8"))
    shards = sorted(tmp_path.glob("model-*.safetensors"))
    assert {path.name for path in shards} == set(index["weight_map"].values())
    assert shards[0].name == f"model-00001-of-{len(shards):05d}.safetensors"
    sizes = [sum(tensor.numel() * 4 for tensor in load_file(path).values()) for path in shards]
    assert max(sizes) <= 900 and sum(sizes) == index["metadata"]["total_size"]
    assert min(before + after for before, after in zip(sizes, sizes[1:], strict=False)) > 900 - 192


def test_a_weight_that_is_larger_than_a_shard_has_one_of_its_own() -> None:
    shards = split_into_shards({name: torch.zeros(size) for name, size in zip("abc", (9, 1, 1), strict=True)}, 8)
    assert [list(shard) for shard in shards] == [["a"], ["b", "c"]]


@pytest.mark.parametrize("size", [0, -1, True, "5", "MB", "5 TB", 1.5, None])
def test_impossible_sizes_of_shards_get_a_sentence(tmp_path: Path, size: Any) -> None:
    with pytest.raises(ValueError, match=r"max_shard_size=.* should be a number of bytes"):
        new().save_pretrained(tmp_path / "new", max_shard_size=size)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(("size", "number"), [("2GB", 2 * 10**9), ("1gib", 2**30), ("3MiB", 3 * 2**20), ("8Gb", 10**9)])
def test_sizes_of_shards_have_units(size: str, number: int) -> None:
    assert parse_size(size) == number


def test_other_weights_can_be_written(tmp_path: Path) -> None:
    model = new()
    doubled = {name: 2 * tensor for name, tensor in model.state_dict().items()}
    model.save_pretrained(tmp_path, state_dict=doubled)
    again = T5ForConditionalGeneration.from_pretrained(tmp_path)
    assert torch.equal(again.shared.weight, 2 * model.shared.weight)


def test_only_the_main_process_writes_configurations(tmp_path: Path) -> None:
    new().save_pretrained(tmp_path, is_main_process=False)
    assert os.listdir(tmp_path) == [SAFE]


def test_the_way_of_writing_can_be_given(tmp_path: Path) -> None:
    written: list[str] = []

    def save(weights: dict[str, Any], path: str) -> None:
        written.append(os.path.basename(path))
        torch.save(weights, path)

    new().save_pretrained(tmp_path, safe_serialization=False, save_function=save)
    assert written == [BIN]


def test_the_dtype_of_halves_is_kept_where_it_is_asked_for(tmp_path: Path) -> None:
    model = new().to(torch.bfloat16)
    model.save_pretrained(tmp_path)
    assert T5ForConditionalGeneration.from_pretrained(tmp_path).dtype == torch.float32
    assert T5ForConditionalGeneration.from_pretrained(tmp_path, torch_dtype="auto").dtype == torch.bfloat16
    assert T5Config.from_pretrained(tmp_path).torch_dtype == "bfloat16"
    half = T5ForConditionalGeneration.from_pretrained(tmp_path, torch_dtype=torch.float16)
    wide = {name for name, parameter in half.named_parameters() if parameter.dtype == torch.float32}
    assert wide == {name for name, _ in model.named_parameters() if name.endswith(".wo.weight")}
    assert torch.get_default_dtype() == torch.float32


@pytest.mark.parametrize("dtype", ["float16", torch.int64, 16])
def test_a_dtype_without_fractions_gets_a_sentence(folder: Path, dtype: Any) -> None:
    with pytest.raises(ValueError, match=r"torch_dtype=.* should be a floating-point type"):
        T5ForConditionalGeneration.from_pretrained(folder, torch_dtype=dtype)


def test_loading_leaves_the_file_alone_and_shares_no_memory_with_it(folder: Path) -> None:
    model = T5ForConditionalGeneration.from_pretrained(folder)
    before = contents(folder)
    with torch.no_grad():
        model.shared.weight.zero_()
    assert contents(folder) == before
    model.save_pretrained(folder)
    assert not load_file(folder / SAFE)["shared.weight"].any()


def test_weights_that_are_there_already_are_copied() -> None:
    model, config = new(), small()
    again = T5ForConditionalGeneration.from_pretrained(None, config=config, state_dict=model.state_dict())
    assert same(model, again)
    with torch.no_grad():
        again.shared.weight.zero_()
    assert model.shared.weight.any()


def test_a_file_of_weights_needs_a_configuration(folder: Path) -> None:
    again = T5ForConditionalGeneration.from_pretrained(folder / SAFE, config=folder / "config.json")
    assert same(again, new())


def test_settings_win_over_the_files(folder: Path) -> None:
    model = T5ForConditionalGeneration.from_pretrained(folder, dropout_rate=0.5, output_attentions=True, num_beams=3)
    assert (model.config.dropout_rate, model.config.output_attentions) == (0.5, True)
    assert model.generation_config.num_beams == 3
    assert model(IDS, labels=IDS).encoder_attentions is not None
    with pytest.raises(TypeError, match="nonsense"):
        T5ForConditionalGeneration.from_pretrained(folder, nonsense=1)


def test_a_configuration_wins_over_the_folders(folder: Path) -> None:
    config = small(dropout_rate=0.7)
    assert T5ForConditionalGeneration.from_pretrained(folder, config=config).config is config


def test_without_a_generation_config_the_models_says_it(folder: Path) -> None:
    (folder / "generation_config.json").unlink()
    (folder / "config.json").write_text(small(num_beams=4).to_json_string(), encoding="utf-8")
    model = T5ForConditionalGeneration.from_pretrained(folder)
    assert model.generation_config.num_beams == 4 and model.generation_config._from_model_config


def test_a_subfolder_holds_a_model(folder: Path) -> None:
    again = T5ForConditionalGeneration.from_pretrained(folder.parent, subfolder="model")
    assert same(again, new()) and again.generation_config.decoder_start_token_id == 0


def test_low_cpu_mem_usage_changes_nothing(folder: Path) -> None:
    assert same(T5ForConditionalGeneration.from_pretrained(folder, low_cpu_mem_usage=True), new())


def test_names_that_mean_one_tensor_may_stand_for_each_other(folder: Path) -> None:
    weights = load_file(folder / SAFE)
    save_file({"lm_head.weight": weights.pop("shared.weight"), **weights}, folder / SAFE)  # and no metadata
    again, info = T5ForConditionalGeneration.from_pretrained(folder, output_loading_info=True)
    assert same(again, new()) and info["missing_keys"] == []


def test_an_alias_does_not_win_over_the_tensor_itself(folder: Path) -> None:
    weights = load_file(folder / SAFE)
    for order in (("lm_head.weight", "shared.weight"), ("shared.weight", "lm_head.weight")):
        both = {"shared.weight": weights["shared.weight"], "lm_head.weight": torch.zeros(12, 6)}
        state = {**{name: both[name] for name in order}, **weights}
        again = T5ForConditionalGeneration.from_pretrained(None, config=small(), state_dict=state)
        assert same(again, new())


def test_a_model_inside_a_larger_one_is_found_by_its_prefix(folder: Path) -> None:
    weights = {f"transformer.{name}": tensor for name, tensor in load_file(folder / SAFE).items()}
    again = T5ForConditionalGeneration.from_pretrained(None, config=small(), state_dict=weights)
    assert same(again, new())


# --- all or none --------------------------------------------------------------------------------------


@pytest.mark.parametrize("before", [False, True], ids=["new folder", "old model"])
@pytest.mark.parametrize("name", ["config.json", "generation_config.json", SAFE])
def test_an_interrupted_save_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: bool, name: str
) -> None:
    folder = tmp_path / "model"
    if before:
        new(d_ff=5).save_pretrained(folder, safe_serialization=False)
        (folder / "notes.txt").write_text("mine", encoding="utf-8")
    old = contents(folder) if before else None
    replace, stopped = os.replace, list[str]()

    def interrupted(source: Any, target: Any) -> None:
        if Path(target) == folder / name and not stopped:
            stopped.append(name)
            raise KeyboardInterrupt
        replace(source, target)

    monkeypatch.setattr(files.os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        new().save_pretrained(folder)
    assert (contents(folder) if folder.exists() else None) == old


@pytest.mark.parametrize("safe", [True, False])
def test_a_full_disk_changes_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch, safe: bool) -> None:
    old = contents(folder)

    def full(*_: Any, **__: Any) -> None:
        raise OSError("no space")

    monkeypatch.setattr(model_files, "_write_safetensors", full)
    with pytest.raises(OSError, match="no space"):
        new(d_ff=5).save_pretrained(folder, safe_serialization=safe, save_function=full)
    assert contents(folder) == old


def test_the_weights_of_another_format_go(tmp_path: Path) -> None:
    new(d_ff=5).save_pretrained(tmp_path, max_shard_size=900)
    (tmp_path / "model_card.md").write_text("mine", encoding="utf-8")
    new().save_pretrained(tmp_path, safe_serialization=False)
    assert sorted(os.listdir(tmp_path)) == ["config.json", "generation_config.json", "model_card.md", BIN]
    new().save_pretrained(tmp_path)
    assert sorted(os.listdir(tmp_path)) == ["config.json", "generation_config.json", SAFE, "model_card.md"]
    assert same(T5ForConditionalGeneration.from_pretrained(tmp_path), new())


def test_a_file_in_place_of_the_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(NotADirectoryError, match="file' is a file; name a folder"):
        new().save_pretrained(tmp_path / "file")


def test_written_files_are_as_open_as_others(folder: Path) -> None:
    (folder / "another").write_text("", encoding="utf-8")
    modes = {path.stat().st_mode for path in folder.iterdir()}
    assert len(modes) == 1


# --- what does not fit --------------------------------------------------------------------------------


def test_missing_weights_are_drawn_and_reported(folder: Path) -> None:
    weights = load_file(folder / SAFE)
    gone = ["encoder.block.0.layer.0.SelfAttention.q.weight", "decoder.final_layer_norm.weight"]
    kept = {name: torch.full_like(tensor, 5) for name, tensor in weights.items() if name not in gone}
    save_file(kept, folder / SAFE)
    with pytest.warns(UserWarning, match="lacks 2 weights of a T5For.*, which are initialized randomly"):
        model, info = T5ForConditionalGeneration.from_pretrained(folder, output_loading_info=True)
    assert info["missing_keys"] == gone
    state = model.state_dict()
    assert all((state[name] == 5).all() for name in kept)
    assert torch.equal(state[gone[1]], torch.ones(6))
    assert 0 < state[gone[0]].std() < 1  # as small as queries start, and not as PyTorch draws a layer


def test_a_missing_head_is_missed_where_tables_are_not_tied(tmp_path: Path) -> None:
    new(tie_word_embeddings=False).save_pretrained(tmp_path)
    weights = load_file(tmp_path / SAFE)
    del weights["lm_head.weight"]
    save_file(weights, tmp_path / SAFE)
    with pytest.warns(UserWarning, match=r"lacks 1 weights .*lm_head.weight"):
        T5ForConditionalGeneration.from_pretrained(tmp_path)


def test_weights_too_many_are_reported(folder: Path) -> None:
    with pytest.warns(
        UserWarning, match=r"28 weights that a T5EncoderModel does not use.*decoder\.block.* and 24 more"
    ):
        model, info = T5EncoderModel.from_pretrained(folder, output_loading_info=True)
    assert len(info["unexpected_keys"]) == 28 and all(name.startswith("decoder.") for name in info["unexpected_keys"])
    assert torch.equal(model.shared.weight, new().shared.weight)


def test_a_table_that_old_files_have_for_nothing_is_passed_over(folder: Path, recwarn: pytest.WarningsRecorder) -> None:
    weights = load_file(folder / SAFE)
    weights["decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"] = torch.zeros(32, 2)
    save_file(weights, folder / SAFE)
    T5ForConditionalGeneration.from_pretrained(folder)
    assert not recwarn.list


def test_weights_of_another_shape_are_named(folder: Path) -> None:
    with pytest.raises(
        RuntimeError, match=r"model' has 8 weights of another shape.*wi.weight is \(8, 6\) in the file and \(9, 6\)"
    ):
        T5ForConditionalGeneration.from_pretrained(folder, d_ff=9)
    with pytest.warns(UserWarning, match="has 8 weights of another shape than this T5ForConditionalGeneration"):
        model, info = T5ForConditionalGeneration.from_pretrained(
            folder, d_ff=9, ignore_mismatched_sizes=True, output_loading_info=True
        )
    assert ("encoder.block.0.layer.1.DenseReluDense.wi.weight", (8, 6), (9, 6)) in info["mismatched_keys"]
    assert len(info["mismatched_keys"]) == 8 and info["missing_keys"] == []
    assert model.encoder.block[0].layer[1].DenseReluDense.wi.weight.shape == (9, 6)
    assert torch.equal(model.shared.weight, new().shared.weight)
    assert torch.isfinite(model(IDS, labels=IDS).loss)


def test_weights_of_another_model_are_refused(folder: Path) -> None:
    save_file({"bert.pooler.weight": torch.zeros(2)}, folder / SAFE)
    with pytest.raises(ValueError, match=r"model' has no weight of a T5Model, but bert.pooler.weight; use the class"):
        T5Model.from_pretrained(folder)


# --- torn, missing, dangerous -------------------------------------------------------------------------


def spoil(name: str, content: bytes | None) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / name).unlink() if content is None else (folder / name).write_bytes(content)

    return change


def half(name: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        whole = (folder / name).read_bytes()
        (folder / name).write_bytes(whole[: len(whole) // 2])

    return change


def in_place_of_the_weights(name: str, content: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / SAFE).unlink()
        if isinstance(content, bytes):
            (folder / name).write_bytes(content)
        elif isinstance(content, str):
            (folder / name).write_text(content, encoding="utf-8")
        else:
            torch.save(content, folder / name)

    return change


class Program:
    """A pickle that would run a program."""

    def __reduce__(self) -> Any:
        return (os.system, ("touch stranger-was-here",))


DAMAGES: dict[str, tuple[Callable[[Path], None], type[Exception], str]] = {
    "no config": (spoil("config.json", None), FileNotFoundError, "has no config.json, the configuration of the model"),
    "torn config": (half("config.json"), CorruptFileError, "config.json' is damaged, not complete JSON"),
    "a list": (spoil("config.json", b"[]"), CorruptFileError, "config.json' is no JSON object"),
    "not UTF-8": (spoil("config.json", b'{"a": "\xff"}'), CorruptFileError, "config.json is not UTF-8"),
    "impossible": (spoil("config.json", b'{"d_model": 0}'), ValueError, "config.json': d_model=0 should be"),
    "bert": (
        spoil("config.json", b'{"model_type": "bert"}'),
        ValueError,
        "config.json': model_type='bert' belongs to another model",
    ),
    "torn generation": (half("generation_config.json"), CorruptFileError, "generation_config.json' is damaged"),
    "no weights": (spoil(SAFE, None), FileNotFoundError, "has no weights: neither model.safetensors nor"),
    "torn safetensors": (half(SAFE), CorruptFileError, "model.safetensors' is no complete safetensors file"),
    "empty safetensors": (spoil(SAFE, b""), CorruptFileError, "model.safetensors' is no complete safetensors file"),
    "git's note": (spoil(SAFE, b"version https://git-lfs"), CorruptFileError, "run `git lfs pull`"),
    "empty bin": (in_place_of_the_weights(BIN, b""), CorruptFileError, "bin' is no complete file of PyTorch weights"),
    "rubbish": (
        in_place_of_the_weights(BIN, b"\x80rubbish"),
        CorruptFileError,
        "bin' is no complete file of PyTorch weights",
    ),
    "a program": (
        in_place_of_the_weights(BIN, {"a": Program()}),
        CorruptFileError,
        "could run untrusted code; nothing was run",
    ),
    "old program": (
        in_place_of_the_weights(BIN, pickle.dumps({"a": Program()}, protocol=2)),
        CorruptFileError,
        "could run untrusted code",
    ),
    "no tensors": (
        in_place_of_the_weights(BIN, {"a": 1}),
        CorruptFileError,
        "bin' should contain a dictionary of tensors",
    ),
    "a tensor": (
        in_place_of_the_weights(BIN, torch.zeros(2)),
        CorruptFileError,
        "bin' should contain a dictionary of tensors",
    ),
    "torn index": (in_place_of_the_weights(f"{SAFE}.index.json", "{"), CorruptFileError, "index.json' is damaged"),
    "no map": (in_place_of_the_weights(f"{BIN}.index.json", "{}"), CorruptFileError, "should name in its weight_map"),
    "a shard elsewhere": (
        in_place_of_the_weights(f"{SAFE}.index.json", '{"weight_map": {"a": "../model.safetensors"}}'),
        CorruptFileError,
        "should name in its weight_map the file of each weight",
    ),
    "no shard": (
        in_place_of_the_weights(f"{SAFE}.index.json", '{"weight_map": {"a": "one", "b": "two", "c": "one"}}'),
        FileNotFoundError,
        "index.json' names 2 files, but one, two is missing",
    ),
    "TensorFlow": (
        in_place_of_the_weights("tf_model.h5", b""),
        OSError,
        r"only weights of TensorFlow.*\(from_tf=True\)",
    ),
    "Flax": (in_place_of_the_weights("flax_model.msgpack", b""), OSError, r"only weights of Flax.*\(from_flax=True\)"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_folder_gets_a_sentence(folder: Path, monkeypatch: pytest.MonkeyPatch, damage: str) -> None:
    monkeypatch.chdir(folder.parent)
    change, error, sentence = DAMAGES[damage]
    change(folder)
    before = contents(folder)
    with pytest.raises(error, match=sentence) as raised:
        T5ForConditionalGeneration.from_pretrained(folder)
    assert str(folder) in str(raised.value) and "\n" not in str(raised.value)
    assert contents(folder) == before and os.listdir(folder.parent) == ["model"]
    assert torch.get_default_dtype() == torch.float32


def test_a_torn_bin_gets_a_sentence(folder: Path) -> None:
    new().save_pretrained(folder, safe_serialization=False)
    whole = (folder / BIN).read_bytes()
    for cut in (1, 10, len(whole) // 2, len(whole) - 5):
        (folder / BIN).write_bytes(whole[:cut])
        with pytest.raises(CorruptFileError, match="bin' is no complete file of PyTorch weights"):
            T5ForConditionalGeneration.from_pretrained(folder)


def test_a_torn_shard_is_named(folder: Path) -> None:
    new().save_pretrained(folder, max_shard_size=900)
    half(next(folder.glob("model-00002-*")).name)(folder)
    with pytest.raises(CorruptFileError, match=r"model-00002-of-.*safetensors' is no complete safetensors file"):
        T5ForConditionalGeneration.from_pretrained(folder)


def test_weights_of_another_framework_are_refused(folder: Path) -> None:
    save_file(load_file(folder / SAFE), folder / SAFE, metadata={"format": "tf"})
    with pytest.raises(NotImplementedError, match="of the format 'tf'; only 'pt'"):
        T5ForConditionalGeneration.from_pretrained(folder)


@pytest.mark.parametrize("wish", ["from_tf", "from_flax", "load_in_8bit", "device_map"])
def test_wishes_that_cannot_be_fulfilled_get_a_way_out(folder: Path, wish: str) -> None:
    with pytest.raises(NotImplementedError, match=f"{wish} is not supported here; "):
        T5ForConditionalGeneration.from_pretrained(folder, **{wish: True})
    with pytest.raises(NotImplementedError, match="push_to_hub is not supported here"):
        new().save_pretrained(folder, push_to_hub=True)


def test_a_configuration_of_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match=r"config should be a T5Config, but it is a dict; .* T5Model.from_pretrained"):
        T5Model({"d_model": 8})  # type: ignore[arg-type]


# --- the hub ------------------------------------------------------------------------------------------


@pytest.fixture
def hub(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """A hub whose repository some/t5 is the folder; the list of what was asked of it."""
    asked: list[dict[str, Any]] = []
    commit = "c" * 40

    def download(repo_id: str, filename: str, **how: Any) -> str:
        asked.append({"repo_id": repo_id, "filename": filename, **how})
        if repo_id == "some/private":
            raise errors.RepositoryNotFoundError("401", response=Response())
        if how["revision"] not in (None, "main", commit):
            raise errors.RevisionNotFoundError("404", response=Response())
        if repo_id == "some/unreachable":
            raise errors.LocalEntryNotFoundError("An error happened while trying to locate the file. Check.")
        place = folder / (how["subfolder"] or "") / filename
        if not place.exists():
            raise errors.RemoteEntryNotFoundError("404", response=Response())
        snapshot = folder.parent / "snapshots" / commit / (how["subfolder"] or "")
        snapshot.mkdir(parents=True, exist_ok=True)
        (snapshot / filename).write_bytes(place.read_bytes())
        return str(snapshot / filename)

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", download)
    monkeypatch.delenv("TRANSFORMERS_OFFLINE", raising=False)
    monkeypatch.chdir(folder.parent)
    return asked


class Response:
    headers: dict[str, str] = {}  # noqa: RUF012
    status_code = 404
    request = None


def test_a_model_comes_from_the_hub_by_its_name(hub: list[dict[str, Any]]) -> None:
    model = T5ForConditionalGeneration.from_pretrained(
        "some/t5", revision="main", cache_dir="here", token="secret", force_download=True, output_attentions=True
    )
    assert same(model, new()) and model.config.output_attentions and model.name_or_path == "some/t5"
    assert [call["filename"] for call in hub] == ["config.json", SAFE, "generation_config.json"]
    assert {(call["cache_dir"], call["token"], call["force_download"]) for call in hub} == {("here", "secret", True)}
    # What comes after the configuration is of the same commit, whatever happens to the branch in between.
    assert [call["revision"] for call in hub] == ["main", "c" * 40, "c" * 40]


def test_shards_come_from_the_hub(hub: list[dict[str, Any]], folder: Path) -> None:
    new().save_pretrained(folder, max_shard_size=900)
    assert same(T5ForConditionalGeneration.from_pretrained("some/t5", use_auth_token="old word"), new())
    assert {call["token"] for call in hub} == {"old word"}
    assert sum(call["filename"].endswith(".safetensors") for call in hub) > 2


def test_a_subfolder_of_the_hub(hub: list[dict[str, Any]], folder: Path) -> None:
    new().save_pretrained(folder / "inner")
    assert same(T5ForConditionalGeneration.from_pretrained("some/t5", subfolder="inner"), new())
    assert {call["subfolder"] for call in hub} == {"inner"}


def test_a_tokenizer_comes_from_the_hub_by_its_name(hub: list[dict[str, Any]], folder: Path) -> None:
    (folder / "spiece.model").write_bytes(b"")
    (folder / "tokenizer_config.json").write_text("[]", encoding="utf-8")
    with pytest.raises(CorruptFileError, match=r"tokenizer_config.json' is no JSON object"):
        T5Tokenizer.from_pretrained("some/t5", revision="main")
    assert [call["filename"] for call in hub][:2] == ["spiece.model", "tokenizer_config.json"]
    assert [call["revision"] for call in hub][:2] == ["main", "c" * 40]


@pytest.mark.parametrize(
    ("name", "how", "error", "sentence"),
    [
        ("some/private", {}, FileNotFoundError, "neither a folder nor an accessible repository 'some/private'.*token="),
        ("some/t5", {"revision": "no"}, FileNotFoundError, "'some/t5' has no revision 'no'"),
        ("some/t5", {"subfolder": "no"}, FileNotFoundError, r"'some/t5', subfolder 'no', has no config\.json"),
        (
            "some/unreachable",
            {},
            OSError,
            r"no folder 'some/unreachable'.*\(An error happened .* the file\); check the na",
        ),
        ("some/unreachable", {"local_files_only": True}, OSError, "only the cache was searched; check the name"),
        ("./some/where/else", {}, FileNotFoundError, "no folder './some/where/else', and a repository of the hub has"),
        ("C:\\model", {}, FileNotFoundError, "there is no folder"),
    ],
)
def test_what_the_hub_does_not_have_gets_a_sentence(
    hub: list[dict[str, Any]], name: str, how: dict[str, Any], error: type[Exception], sentence: str
) -> None:
    for kind in (T5ForConditionalGeneration, T5Config):
        with pytest.raises(error, match=sentence) as raised:
            kind.from_pretrained(name, **how)
        assert "\n" not in str(raised.value)


@pytest.fixture
def cache(folder: Path, tmp_path: Path) -> Path:
    """What huggingface_hub leaves after a download of some/t5."""
    place = tmp_path / "cache" / "models--some--t5"
    (place / "refs").mkdir(parents=True)
    (place / "refs" / "main").write_text("d" * 40, encoding="utf-8")
    (place / "snapshots").mkdir()
    folder.rename(place / "snapshots" / ("d" * 40))
    return tmp_path / "cache"


@pytest.mark.parametrize("offline", [False, True])
def test_a_model_comes_out_of_the_cache_without_a_network(
    cache: Path, monkeypatch: pytest.MonkeyPatch, offline: bool
) -> None:
    if offline:
        monkeypatch.setenv("TRANSFORMERS_OFFLINE", "yes")
    how = {} if offline else {"local_files_only": True}
    model = T5ForConditionalGeneration.from_pretrained("some/t5", cache_dir=cache, **how)
    assert same(model, new()) and model.config._commit_hash == "d" * 40
    (cache / "models--some--t5" / "snapshots" / ("d" * 40) / SAFE).unlink()
    with pytest.raises(
        FileNotFoundError, match=r"the repository 'some/t5' has no weights.* without it only the cache is searched"
    ):
        T5ForConditionalGeneration.from_pretrained("some/t5", cache_dir=cache, **how)
    with pytest.raises(OSError, match=r"only the cache was searched; check the name and the network"):
        T5ForConditionalGeneration.from_pretrained("some/other", cache_dir=cache, **how)


def test_what_is_known_to_be_missing_is_not_asked_for_again(cache: Path, hub_is_down: list[str], folder: Path) -> None:
    place = cache / "models--some--t5"
    snapshot = place / "snapshots" / ("d" * 40)
    new().save_pretrained(snapshot, safe_serialization=False)
    (place / ".no_exist" / ("d" * 40)).mkdir(parents=True)
    for name in (SAFE, f"{SAFE}.index.json"):
        (place / ".no_exist" / ("d" * 40) / name).write_bytes(b"")
    assert same(T5ForConditionalGeneration.from_pretrained("some/t5", cache_dir=cache), new())
    assert hub_is_down == ["config.json", BIN, "generation_config.json"]


@pytest.fixture
def hub_is_down(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """huggingface_hub as it is without a network; the files that it was asked for."""
    asked: list[str] = []
    download = huggingface_hub.hf_hub_download

    def offline(repo_id: str, filename: str, **how: Any) -> str:
        asked.append(filename)
        return download(repo_id, filename, **{**how, "local_files_only": True})

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", offline)
    return asked


# --- without PyTorch ----------------------------------------------------------------------------------


def test_without_pytorch_a_model_says_what_is_missing() -> None:
    program = (
        "import sys; sys.modules['torch'] = None\n"
        "from tokenlab.libraries.transformers import GenerationConfig, T5Config, T5Tokenizer\n"
        "T5Config(), GenerationConfig()\n"
        "from tokenlab.libraries.transformers import T5ForConditionalGeneration\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=False)
    assert done.stderr.splitlines()[-1].startswith(
        "ImportError: T5ForConditionalGeneration needs PyTorch, which is not installed: `make lab` installs it"
    )


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = ("torch", "numpy", "huggingface_hub", "safetensors", "sentencepiece", "psutil")
    program = f"import sys, tokenlab.libraries.transformers; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == "[]"


# --- sizes that cannot be right ---------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("safe", [True, False])
@pytest.mark.parametrize(
    ("name", "size", "held"),
    [("num_layers", 10**9, 2), ("num_decoder_layers", 10**5, 2), ("d_model", 10**30, 6), ("vocab_size", 10**9, 12)],
)
def test_sizes_that_the_weights_contradict_are_refused_before_building(
    tmp_path: Path, name: str, size: int, held: int, safe: bool
) -> None:
    new().save_pretrained(tmp_path, safe_serialization=safe)
    settings = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    (tmp_path / "config.json").write_text(json.dumps({**settings, name: size}), encoding="utf-8")
    sentence = rf"{name}=.* in the configuration, but the weights in .* have {name}={held}; .* give {name}={held}"
    for where, more in ((tmp_path, {}), (None, {"config": small(**{name: size}), "state_dict": new().state_dict()})):
        with pytest.raises(ValueError, match=sentence):
            T5ForConditionalGeneration.from_pretrained(where, **more)
    assert same(T5ForConditionalGeneration.from_pretrained(tmp_path, **{name: held}), new())


def test_a_few_layers_more_than_the_file_has_are_drawn(folder: Path) -> None:
    with pytest.warns(UserWarning, match="lacks"):
        model = T5ForConditionalGeneration.from_pretrained(folder, num_layers=5)
    assert len(model.encoder.block) == 5


def test_a_torn_header_is_named_before_sizes_are_compared(folder: Path) -> None:
    (folder / SAFE).write_bytes((folder / SAFE).read_bytes()[:40])
    with pytest.raises(CorruptFileError, match=SAFE):
        T5ForConditionalGeneration.from_pretrained(folder, num_layers=10**9)


@pytest.mark.parametrize("kind", [T5EncoderModel, T5Model, T5ForConditionalGeneration])
@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"d_model": 10**30}, r"d_model=10\*\*30"),
        ({"d_ff": 10**5000}, r"d_ff=10\*\*5000"),
        ({"d_kv": 2**62}, "d_kv=4611686018427387904"),
        ({"relative_attention_num_buckets": 2**62, "relative_attention_max_distance": 2**63}, "num_buckets="),
        ({"num_layers": 10**9}, "num_layers=1000000000.* GB"),
        ({"d_ff": 10**14}, "d_ff=100000000000000.*choose smaller sizes"),
        ({"vocab_size": 10**14}, "vocab_size=100000000000000.*choose smaller sizes"),
    ],
)
def test_models_that_no_memory_holds_are_refused_before_building(kind: Any, settings: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        kind(small(**settings))


def test_sizes_of_parts_that_a_model_does_not_have_do_not_matter() -> None:
    assert len(T5EncoderModel(small(num_decoder_layers=10**30)).encoder.block) == 2
    assert T5Stack(small(vocab_size=10**30)).embed_tokens is None


def test_a_model_without_numbers_may_be_larger_than_the_memory() -> None:
    with torch.device("meta"):
        model = T5ForConditionalGeneration(small(vocab_size=10**6, d_model=10**6, d_ff=10**7))
    assert model.get_memory_footprint() > 10**14
    with pytest.raises(ValueError, match="needs at least"):
        T5ForConditionalGeneration(small(vocab_size=10**6, d_model=10**6, d_ff=10**7))


def test_the_bound_on_memory_is_below_what_a_model_takes() -> None:
    """A machine with exactly the memory of the weights is large enough."""
    model = new(num_layers=1)
    for available, fits in ((model.encoder.get_memory_footprint() + 2**15, True), (100, False)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(pretrained_model, "installed_memory", lambda available=available: available)
            if fits:
                new(num_layers=1)
            else:
                with pytest.raises(ValueError, match="the machine has"):
                    new(num_layers=1)


def test_weights_that_no_memory_holds_are_not_drawn(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_files, "installed_memory", lambda: 1000)
    with pytest.raises(ValueError, match="missing weights need"):
        T5ForConditionalGeneration.from_pretrained(folder, num_layers=9)
