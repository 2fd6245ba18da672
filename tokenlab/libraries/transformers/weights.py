"""The weights of a model: their files, and loading them into a model.

Adds: safetensors or PyTorch's own format, in one file or in shards with an index; `load_weights`, which fills a model
    that was built on the meta device with each tensor as it is read, reports missing, unexpected and mismatched
    weights, and initializes the missing ones; the names of tied weights.
Leaves out: files of TensorFlow and Flax, for which there is an error message; spreading a model over several devices,
    8-bit weights.

Source: transformers 4.26.1, modeling_utils.py (`load_state_dict`, `shard_checkpoint`, `_load_pretrained_model`) and
utils/hub.py.
"""

from __future__ import annotations

import json
import re
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from pickle import UnpicklingError  # the exception that PyTorch raises; nothing is read by pickle itself
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from tokenlab.libraries.transformers.hub import CorruptFileError, FileSource, read_json_object
from tokenlab.libraries.transformers.module_utils import installed_memory
from tokenlab.printing.errors import warn
from tokenlab.storage import files

Weights = dict[str, Tensor]
ModelFactory = Callable[[], Any]
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
MAX_LISTED = 4  # names listed in a message; the rest is counted


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
    """Return the paths of all files that an index names; an OSError if it is damaged, or a file is missing."""
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


# --- loading ------------------------------------------------------------------------------------------


class ShapeMismatch(NamedTuple):
    """A weight whose shape in the file differs from the model's."""

    name: str
    in_file: torch.Size
    in_model: torch.Size

    def __str__(self) -> str:
        return f"{self.name} is {tuple(self.in_file)} in the file and {tuple(self.in_model)} in the model"


class LoadingInfo(NamedTuple):
    """The missing, unexpected and mismatched weights of a loading."""

    missing: list[str]
    unexpected: list[str]
    mismatched: list[ShapeMismatch]

    def as_dict(self) -> dict[str, list[Any]]:
        """Return the dictionary of `from_pretrained(..., output_loading_info=True)`."""
        return {
            "missing_keys": self.missing,
            "unexpected_keys": self.unexpected,
            "mismatched_keys": [tuple(one) for one in self.mismatched],
            "error_msgs": [],
        }

    def warn(self, model: str, name: str) -> None:
        """Warn about each kind of problem."""
        if self.unexpected:
            warn(
                f"{name!r} has {len(self.unexpected)} weights that a {model} does not use, and they are ignored: "
                f"{first_names_text(self.unexpected)}. This is expected if they were saved from another class"
            )
        if self.missing:
            warn(
                f"{name!r} lacks {len(self.missing)} weights of a {model}, which are initialized randomly: "
                f"{first_names_text(self.missing)}. Train the model before you use it"
            )
        if self.mismatched:
            warn(
                f"{name!r} has {len(self.mismatched)} weights of another shape than this {model}, which are "
                f"initialized randomly: {first_names_text(map(str, self.mismatched))}. Train the model before using it"
            )


def first_names_text(names: Iterable[str]) -> str:
    """Return the first names, and the number of the others.

    >>> first_names_text("abcdef")
    'a, b, c, d and 2 more'
    """
    listed = list(names)
    more = f" and {len(listed) - MAX_LISTED} more" if len(listed) > MAX_LISTED else ""
    return ", ".join(listed[:MAX_LISTED]) + more


def canonical_names(model: nn.Module) -> dict[str, str]:
    """Map each parameter name to the first name of the same parameter: tied parameters have several names.

    >>> both = nn.ModuleDict({"a": nn.Linear(2, 2, bias=False), "b": nn.Linear(2, 2, bias=False)})
    >>> both["b"].weight = both["a"].weight
    >>> canonical_names(both)
    {'a.weight': 'a.weight', 'b.weight': 'a.weight'}
    """
    first: dict[int, str] = {}
    return {
        name: first.setdefault(id(parameter), name)
        for name, parameter in model.named_parameters(remove_duplicate=False)
    }


def tied_names(first: Mapping[str, str]) -> dict[str, list[str]]:
    """Map the first name of each parameter to all of its names.

    >>> tied_names({"a": "a", "b": "a", "c": "c"})
    {'a': ['a', 'b'], 'c': ['c']}
    """
    names: dict[str, list[str]] = {}
    for name, first_name in first.items():
        names.setdefault(first_name, []).append(name)
    return names


def without_tied_duplicates(weights: Mapping[str, Tensor], patterns: Iterable[str]) -> dict[str, Tensor]:
    """Leave out weights whose name a pattern allows to be missing, if another kept name has the same tensor."""
    patterns = list(patterns)
    spared = {name for name in weights if any(re.search(pattern, name) for pattern in patterns)}
    staying = {_storage_key(tensor) for name, tensor in weights.items() if name not in spared}
    return {
        name: tensor for name, tensor in weights.items() if name not in spared or _storage_key(tensor) not in staying
    }


def _storage_key(tensor: Tensor) -> tuple[Any, ...]:
    """Return a key that is equal for two views of the same memory."""
    return (tensor.device, tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype)


def build_on_meta_device(build: ModelFactory, dtype: torch.dtype) -> Any:
    """Build a model whose parameters have shapes and a type, but no values yet."""
    with default_dtype(dtype), torch.device("meta"):
        model = build()
        model.tie_weights()
    for name, parameter in model.named_parameters():
        # Half precision has too small a range for some layers.
        if dtype == torch.float16 and set(name.split(".")) & set(model._keep_in_fp32_modules or ()):
            set_parameter(model, [name], nn.Parameter(parameter.float()))
    return model


@contextmanager
def default_dtype(dtype: torch.dtype) -> Iterator[None]:
    """Create new parameters in this type inside a `with` block."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def load_weights(
    model: Any, build: ModelFactory, parts: Iterable[Weights], where: str, ignore_mismatched_sizes: bool
) -> LoadingInfo:
    """Load weights into a model on the meta device.

    Args:
        model: as `build_on_meta_device` returns it.
        build: builds another model, from which the missing weights are taken.
        parts: weights by name, one file at a time.
        where: the source of the weights, for messages.
        ignore_mismatched_sizes: initialize weights that have another shape in the file.

    Raises:
        RuntimeError: a weight has another shape, and ignore_mismatched_sizes is False.
        ValueError: no weight belongs to this model.
    """
    first = canonical_names(model)
    names_of = tied_names(first)
    wanted = dict(model.named_parameters(remove_duplicate=False))
    found: set[str] = set()
    unexpected: list[str] = []
    mismatched: list[ShapeMismatch] = []
    for part in parts:
        for long_name, tensor in part.items():
            name = long_name.removeprefix(f"{model.base_model_prefix}.")
            if name not in first:
                unexpected.append(name)
            elif tensor.shape != wanted[name].shape:
                mismatched.append(ShapeMismatch(name, tensor.shape, wanted[name].shape))
            elif name == first[name] or first[name] not in found:  # the canonical name takes precedence over an alias
                own = tensor.detach().to("cpu", wanted[name].dtype, copy=True)
                set_parameter(model, names_of[first[name]], nn.Parameter(own))
                found.add(first[name])
    if mismatched and not ignore_mismatched_sizes:
        raise RuntimeError(
            f"{where!r} has {len(mismatched)} weights of another shape than this {type(model).__name__}: "
            f"{first_names_text(map(str, mismatched))}. Check that the configuration belongs to these weights. With "
            "ignore_mismatched_sizes=True they are initialized randomly"
        )
    if not found and not mismatched:
        raise ValueError(
            f"{where!r} has no weight of a {type(model).__name__}, but {first_names_text(unexpected) or 'none'}; "
            "use the class that saved them"
        )
    missing = [name for name in names_of if name not in found]
    if missing:
        init_parameters(model, build, [names_of[name] for name in missing])
    model.tie_weights()
    of_another_shape = {first[one.name] for one in mismatched}
    return LoadingInfo(
        [name for name in missing if name not in of_another_shape],
        [name for name in unexpected if not model.ignores_unexpected(name)],
        mismatched,
    )


def init_parameters(model: Any, build: ModelFactory, names: list[list[str]]) -> None:
    """Initialize parameters, each given by all of its names, as in a new model."""
    fresh = build_on_meta_device(build, model.dtype)
    wanted = dict(fresh.named_parameters(remove_duplicate=False))
    needed, memory = sum(map(tensor_bytes, (wanted[of_one[0]] for of_one in names))), installed_memory()
    if needed > memory:
        raise ValueError(
            f"the missing weights need {needed:,} bytes, but the machine has {memory:,}; "
            "check that the configuration belongs to these weights"
        )
    for of_one in names:
        set_parameter(fresh, of_one, nn.Parameter(torch.empty_like(wanted[of_one[0]], device="cpu")))
    fresh.apply(fresh._init_weights)  # parameters on the meta device stay without values
    drawn = dict(fresh.named_parameters(remove_duplicate=False))
    for of_one in names:
        set_parameter(model, of_one, drawn[of_one[0]])


def set_parameter(model: nn.Module, names: Iterable[str], parameter: nn.Parameter) -> None:
    """Set the one parameter of all given names."""
    for name in names:
        module, _, leaf = name.rpartition(".")
        setattr(model.get_submodule(module), leaf, parameter)


def checkpoint_dtype(weights: Weights) -> torch.dtype:
    """Return the type of the first floating-point tensor."""
    dtypes = (tensor.dtype for tensor in weights.values())
    return next((dtype for dtype in dtypes if dtype.is_floating_point), torch.get_default_dtype())
