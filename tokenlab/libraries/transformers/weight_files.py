"""The files of a model's weights: safetensors or PyTorch's own, in one file or in shards with an index.

Leaves out: files of TensorFlow and Flax, for which there is an error message.

Source: transformers 4.26.1, modeling_utils.py (`load_state_dict`, `shard_checkpoint`) and utils/hub.py.
"""

from __future__ import annotations

import json
import re
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from pickle import UnpicklingError  # the exception that PyTorch raises; nothing is read by pickle itself
from typing import Any

import torch
from torch import Tensor

from tokenlab.libraries.transformers.hub import CorruptFileError, FileSource, read_json_object
from tokenlab.storage import files

Weights = dict[str, Tensor]
SAFETENSORS_FILE, PYTORCH_FILE = "model.safetensors", "pytorch_model.bin"
INDEX = ".index.json"
UNSUPPORTED_FILES = {
    "TensorFlow": ("tf_model.h5", "tf_model.h5" + INDEX, "model.ckpt.index"),
    "Flax": ("flax_model.msgpack",),
}
OUR_FILE_PATTERN = re.compile(
    r"(model(-\d{5}-of-\d{5})?\.safetensors|pytorch_model(-\d{5}-of-\d{5})?\.bin)(\.index\.json)?"
)
DAMAGED_FILE_ERRORS = (RuntimeError, EOFError, ValueError, LookupError, TypeError, AttributeError, OSError)
UNITS = {"GIB": 2**30, "MIB": 2**20, "KIB": 2**10, "GB": 10**9, "MB": 10**6, "KB": 10**3}


# --- finding ------------------------------------------------------------------------------------------


def weight_files(source: FileSource) -> list[str]:
    """Return the paths of a model's weights: safetensors before PyTorch's format, one file before shards.

    Raises:
        OSError: there are no weights, or a shard is missing.
    """
    if source.is_file:
        return [source.name]
    for name in (SAFETENSORS_FILE, SAFETENSORS_FILE + INDEX, PYTORCH_FILE, PYTORCH_FILE + INDEX):
        path = source.find_file(name)
        if path is not None:
            return shard_paths(source, path) if name.endswith(INDEX) else [path]
    for library, names in UNSUPPORTED_FILES.items():
        if any(source.find_file(name) for name in names):
            raise OSError(
                f"{source} has only weights of {library}, which are not supported; load them once with the library "
                f"itself (from_{'tf' if library == 'TensorFlow' else 'flax'}=True) and save them with save_pretrained"
            )
    hint = "check the name, and the network: without it only the cache is searched"
    raise FileNotFoundError(
        f"{source} has no weights: neither {SAFETENSORS_FILE} nor {PYTORCH_FILE} nor an index of shards; "
        f"{'save it again' if source.is_local else hint}"
    )


def shard_paths(source: FileSource, index: str) -> list[str]:
    """Return the paths of all files that an index names.

    Raises:
        OSError: the index is damaged, or a file is missing.
    """
    weight_map = read_json_object(index).get("weight_map")
    if not isinstance(weight_map, dict) or not weight_map or not all(map(_is_file_name, weight_map.values())):
        raise CorruptFileError(
            f"{index!r} should name in its weight_map the file of each weight, in the same folder; save it again"
        )
    found = {name: source.find_file(name) for name in sorted(set(weight_map.values()))}
    missing = [name for name, path in found.items() if path is None]
    if missing:
        raise FileNotFoundError(
            f"{index!r} names {len(found)} files, but {', '.join(missing)} is missing; copy or download it again"
        )
    return [path for path in found.values() if path is not None]


def _is_file_name(name: Any) -> bool:
    """Return True if this is the name of a file in the same folder, not a path to another one."""
    return isinstance(name, str) and name not in ("", ".", "..") and not re.search(r"[/\\]", name)


# --- reading ------------------------------------------------------------------------------------------


def read_weights(path: str) -> Weights:
    """Read the tensors of one file, by name.

    Raises:
        OSError: the file is damaged, or holds no weights.
        NotImplementedError: it was written by another framework.
    """
    _check_is_file(path)
    if not path.endswith(".safetensors"):
        return _read_pickle(path)
    with _open_safetensors(path) as file:
        return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118


def _check_is_file(path: str) -> None:
    if not Path(path).is_file():
        raise FileNotFoundError(f"there is no file {path!r}; check the name")
    with open(path, "rb") as file:
        if file.read(8) == b"version ":
            raise CorruptFileError(
                f"{path!r} is a Git LFS pointer, not the large file itself; run `git lfs pull` in its folder"
            )


@contextmanager
def _open_safetensors(path: str) -> Iterator[Any]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as file:
            written_by = (file.metadata() or {}).get("format", "pt")
            if written_by != "pt":
                raise NotImplementedError(
                    f"{path!r} contains weights of the format {written_by!r}; only 'pt', PyTorch's format, is supported"
                )
            yield file
    except SafetensorError as error:
        raise CorruptFileError(
            f"{path!r} is no complete safetensors file ({error}); save or download it again"
        ) from None


def _read_pickle(path: str) -> Weights:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # PyTorch warns about the possible format of a damaged file
            weights = torch.load(path, map_location="cpu", weights_only=True)
    except (UnpicklingError, *DAMAGED_FILE_ERRORS) as error:
        problem = "is no complete file of PyTorch weights; save or download it again"
        if isinstance(error, UnpicklingError) and (zipfile.is_zipfile(path) or "global" in str(error).lower()):
            problem = (
                "contains more than weights, and loading it could run untrusted code; nothing was run. "
                "Use a safetensors file of the model, or save only model.state_dict()"
            )
        raise CorruptFileError(f"{path!r} {problem}") from None
    if not isinstance(weights, dict) or not all(isinstance(value, Tensor) for value in weights.values()):
        raise CorruptFileError(
            f"{path!r} should contain a dictionary of tensors by name, as model.state_dict() returns it"
        )
    return dict(weights)


def weight_shapes(path: str) -> dict[str, tuple[int, ...]]:
    """Read the shape of each tensor in a file, by name; of a safetensors file, only the header is read.

    Raises:
        OSError: the file is damaged, or holds no weights.
        NotImplementedError: it was written by another framework.
    """
    if not path.endswith(".safetensors"):
        return {name: tuple(tensor.shape) for name, tensor in read_weights(path).items()}
    _check_is_file(path)
    with _open_safetensors(path) as file:
        return {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118


# --- writing ------------------------------------------------------------------------------------------


def write_weights(
    folder: Path,
    weights: Mapping[str, Tensor],
    max_shard_size: int | str = "10GB",
    safe_serialization: bool = True,
    save_function: Callable[..., Any] = torch.save,
) -> None:
    """Write weights into a folder: in one file, or in shards with an index if they exceed max_shard_size."""
    file_name = SAFETENSORS_FILE if safe_serialization else PYTORCH_FILE
    parts = split_into_shards(weights, max_shard_size)
    names = [file_name]
    if len(parts) > 1:
        stem, _, kind = file_name.rpartition(".")
        names = [f"{stem}-{number:05d}-of-{len(parts):05d}.{kind}" for number in range(1, len(parts) + 1)]
    for name, part in zip(names, parts, strict=True):
        if safe_serialization:
            _write_safetensors(folder / name, part)
        else:
            save_function(part, str(folder / name))
    if len(parts) > 1:
        total_size = sum(map(tensor_bytes, weights.values()))
        where = {key: name for name, part in zip(names, parts, strict=True) for key in part}
        index = {"metadata": {"total_size": total_size}, "weight_map": where}
        files.write_atomically(folder / (file_name + INDEX), json.dumps(index, indent=2, sort_keys=True) + "\n")


def _write_safetensors(path: Path, weights: Weights) -> None:
    from safetensors.torch import save_file

    # subtle: the format requires contiguous tensors without shared memory; the library requires the metadata.
    memory: set[int] = set()
    apart = {name: _contiguous_copy(tensor, memory) for name, tensor in weights.items()}
    save_file(apart, path, metadata={"format": "pt"})


def _contiguous_copy(tensor: Tensor, memory: set[int]) -> Tensor:
    """Return the tensor in contiguous form; a copy if another tensor shares its memory."""
    address = tensor.untyped_storage().data_ptr()
    shared = address in memory or tensor.untyped_storage().nbytes() != tensor_bytes(tensor)
    memory.add(address)
    return tensor.clone(memory_format=torch.contiguous_format) if shared else tensor.contiguous()


def tensor_bytes(tensor: Tensor) -> int:
    """Return the size of a tensor in bytes."""
    return tensor.numel() * tensor.element_size()


def split_into_shards(weights: Mapping[str, Tensor], max_shard_size: int | str) -> list[Weights]:
    """Split the weights, in order, before each one that would make a shard too large.

    >>> three = {name: torch.zeros(2) for name in "abc"}
    >>> [list(shard) for shard in split_into_shards(three, 16)]
    [['a', 'b'], ['c']]
    """
    limit, parts, room = parse_size(max_shard_size), [Weights()], 0
    for name, tensor in weights.items():
        room += tensor_bytes(tensor)
        if room > limit and parts[-1]:
            parts.append({})
            room = tensor_bytes(tensor)
        parts[-1][name] = tensor
    return parts


def parse_size(size: int | str) -> int:
    """Parse a size such as "5MB" into bytes; a lower-case b means bits.

    >>> parse_size("5MB"), parse_size("1KiB"), parse_size("8Kb")
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
