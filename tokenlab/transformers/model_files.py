"""The files of a model's weights: safetensors or PyTorch's own, in one file or in shards with an index.

Leaves out: files of TensorFlow and Flax, which get a sentence.

Source: transformers 4.26.1, modeling_utils.py (`load_state_dict`, `shard_checkpoint`) and utils/hub.py.
"""

from __future__ import annotations

import json
import re
import warnings
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from pickle import UnpicklingError  # the name of what PyTorch raises; nothing is read by pickle itself
from typing import Any

import torch
from torch import Tensor

from tokenlab import files
from tokenlab.transformers.sources import Source, TornFile, read_dictionary

Weights = dict[str, Tensor]
SAFE, BIN = "model.safetensors", "pytorch_model.bin"
INDEX = ".index.json"
OTHERS = {"TensorFlow": ("tf_model.h5", "tf_model.h5" + INDEX, "model.ckpt.index"), "Flax": ("flax_model.msgpack",)}
OURS = re.compile(r"(model(-\d{5}-of-\d{5})?\.safetensors|pytorch_model(-\d{5}-of-\d{5})?\.bin)(\.index\.json)?")
UNITS = {"GIB": 2**30, "MIB": 2**20, "KIB": 2**10, "GB": 10**9, "MB": 10**6, "KB": 10**3}


# --- finding ------------------------------------------------------------------------------------------


def weight_files(source: Source) -> list[str]:
    """The paths of a model's weights: safetensors before PyTorch's own, one file before shards.

    Raises:
        OSError: there are none, or a shard is missing.
    """
    if source.is_file:
        return [source.name]
    for name in (SAFE, SAFE + INDEX, BIN, BIN + INDEX):
        path = source.find(name)
        if path is not None:
            return shards(source, path) if name.endswith(INDEX) else [path]
    for library, names in OTHERS.items():
        if any(source.find(name) for name in names):
            raise OSError(
                f"{source} has weights of {library} only, which are not read here; load them once with the library "
                f"itself (from_{'tf' if library == 'TensorFlow' else 'flax'}=True) and save them with save_pretrained"
            )
    raise FileNotFoundError(
        f"{source} has no weights: neither {SAFE} nor {BIN} nor an index of shards; {source.way_out}"
    )


def shards(source: Source, index: str) -> list[str]:
    """The paths of all files that an index names.

    Raises:
        OSError: the index is torn, or a file is missing.
    """
    weight_map = read_dictionary(index).get("weight_map")
    if not isinstance(weight_map, dict) or not weight_map or not all(map(_is_file_name, weight_map.values())):
        raise TornFile(f"{index!r} should say in its weight_map in which file beside it each weight is; save it again")
    found = {name: source.find(name) for name in sorted(set(weight_map.values()))}
    missing = [name for name, path in found.items() if path is None]
    if missing:
        raise FileNotFoundError(
            f"{index!r} names {len(found)} files, and {', '.join(missing)} is not there; copy or download it again"
        )
    return [path for path in found.values() if path is not None]


def _is_file_name(name: Any) -> bool:
    """Whether it names a file in the same folder, and not one somewhere else."""
    return isinstance(name, str) and name not in ("", ".", "..") and not re.search(r"[/\\]", name)


# --- reading ------------------------------------------------------------------------------------------


def read_weights(path: str) -> Weights:
    """The tensors in one file, by name.

    Raises:
        OSError: the file is torn, or no file of weights.
        NotImplementedError: it was written by another framework.
    """
    if not Path(path).is_file():
        raise FileNotFoundError(f"there is no file {path!r}; check the name")
    with open(path, "rb") as file:
        if file.read(8) == b"version ":
            raise TornFile(
                f"{path!r} is only the note that git keeps in place of a large file; run `git lfs pull` in its folder"
            )
    return _read_safetensors(path) if path.endswith(".safetensors") else _read_pickle(path)


def _read_safetensors(path: str) -> Weights:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as file:
            written_by = (file.metadata() or {}).get("format", "pt")
            if written_by != "pt":
                raise NotImplementedError(
                    f"{path!r} says that it holds weights of the format {written_by!r}; only 'pt', PyTorch's, is read"
                )
            return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise TornFile(f"{path!r} is no whole safetensors file ({error}); save or download it again") from None


def _read_pickle(path: str) -> Weights:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # PyTorch guesses aloud what a torn file might be
            weights = torch.load(path, map_location="cpu", weights_only=True)
    except UnpicklingError as error:
        if zipfile.is_zipfile(path) or "global" in str(error).lower():
            raise TornFile(
                f"{path!r} holds more than weights, and reading it could run a stranger's program; none of it was run. "
                "Take a safetensors file of the model, or save only model.state_dict()"
            ) from None
        raise TornFile(_torn(path)) from None
    except (RuntimeError, EOFError, ValueError, KeyError, IndexError, TypeError, AttributeError, OSError):
        raise TornFile(_torn(path)) from None
    if not isinstance(weights, dict) or not all(isinstance(value, Tensor) for value in weights.values()):
        raise TornFile(f"{path!r} should hold a dictionary of tensors by name, as model.state_dict() gives it")
    return dict(weights)


def _torn(path: str) -> str:
    return f"{path!r} is no whole file of PyTorch weights; save or download it again"


# --- writing ------------------------------------------------------------------------------------------


def write_weights(
    folder: Path,
    weights: Mapping[str, Tensor],
    max_shard_size: int | str = "10GB",
    safe_serialization: bool = True,
    save_function: Callable[..., Any] = torch.save,
) -> None:
    """Write weights into a folder: in one file, or in shards and an index where they are larger than one may be."""
    file_name = SAFE if safe_serialization else BIN
    parts = split_by_size(weights, max_shard_size)
    stem, _, kind = file_name.rpartition(".")
    names = [f"{stem}-{number:05d}-of-{len(parts):05d}.{kind}" for number in range(1, len(parts) + 1)]
    names = [file_name] if len(parts) == 1 else names
    for name, part in zip(names, parts, strict=True):
        if safe_serialization:
            _write_safetensors(folder / name, part)
        else:
            save_function(part, str(folder / name))
    if len(parts) > 1:
        total_size = sum(map(size_of, weights.values()))
        where = {key: name for name, part in zip(names, parts, strict=True) for key in part}
        index = {"metadata": {"total_size": total_size}, "weight_map": where}
        files.write_whole(folder / (file_name + INDEX), json.dumps(index, indent=2, sort_keys=True) + "\n")


def _write_safetensors(path: Path, weights: Weights) -> None:
    from safetensors.torch import save_file

    # subtle: the format wants each tensor in one piece, and none to share memory; the library wants the metadata.
    memory: set[int] = set()
    apart = {name: _apart(tensor, memory) for name, tensor in weights.items()}
    save_file(apart, path, metadata={"format": "pt"})


def _apart(tensor: Tensor, memory: set[int]) -> Tensor:
    """The tensor in one piece, and a copy of it where another one has the same memory."""
    place = tensor.untyped_storage().data_ptr()
    shared = place in memory or tensor.untyped_storage().nbytes() != size_of(tensor)
    memory.add(place)
    return tensor.clone(memory_format=torch.contiguous_format) if shared else tensor.contiguous()


def size_of(tensor: Tensor) -> int:
    """The bytes of a tensor."""
    return tensor.numel() * tensor.element_size()


def split_by_size(weights: Mapping[str, Tensor], max_shard_size: int | str) -> list[Weights]:
    """The weights in order, cut before each one with which a shard would get too large.

    >>> three = {name: torch.zeros(2) for name in "abc"}
    >>> [list(shard) for shard in split_by_size(three, 16)]
    [['a', 'b'], ['c']]
    """
    limit, parts, room = size_in_bytes(max_shard_size), [Weights()], 0
    for name, tensor in weights.items():
        room += size_of(tensor)
        if room > limit and parts[-1]:
            parts.append({})
            room = size_of(tensor)
        parts[-1][name] = tensor
    return parts


def size_in_bytes(size: int | str) -> int:
    """A size in words as a number of bytes; with a small b it is one of bits.

    >>> size_in_bytes("5MB"), size_in_bytes("1KiB"), size_in_bytes("8Kb")
    (5000000, 1024, 1000)
    """
    if isinstance(size, int) and not isinstance(size, bool) and size > 0:
        return size
    found = re.fullmatch(r"(\d+)([KMG]I?B)", size, re.IGNORECASE) if isinstance(size, str) else None
    if found is None:
        raise ValueError(
            f"max_shard_size={size!r} should be a number of bytes above 0, or digits and a unit like '5MB'"
        )
    number, unit = int(found[1]), found[2]
    in_bits = unit.endswith("b") and "i" not in unit.lower()
    return number * UNITS[unit.upper()] // (8 if in_bits else 1)
