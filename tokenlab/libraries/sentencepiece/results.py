"""What calls share: settings of the module, types and options, the formats of results, and methods named after a type.

An option that is None is the processor's own. Methods such as `EncodeAsIds` are `Encode`, `NBestEncode` or
`ParallelEncode` with a type to return; each has a second name in snake case, such as `encode_as_ids`. The log level,
the time limit and thread pools have no effect.

Source: sentencepiece/__init__.py; sentencepiece_pybind.cc, ExtractOffsetMapping.
"""

from __future__ import annotations

import os
import re
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from os import PathLike
from random import Random
from typing import Any, TypeAlias, TypeVar

from tokenlab.libraries.sentencepiece.loaded_model import LoadedModel, PieceWithSurface
from tokenlab.libraries.sentencepiece.model_interface import Segmentation, all_valid, to_bytes, valid
from tokenlab.libraries.sentencepiece.model_proto import result_messages
from tokenlab.libraries.sentencepiece.normalizer import Normalizer

ReturnType: TypeAlias = Any  # int, str, bytes, or one of the names below
Texts: TypeAlias = str | bytes | Sequence[str] | Sequence[bytes]  # a text, or a list of texts
ModelPath: TypeAlias = str | bytes | PathLike[str]
NAMES = (int, str, bytes, "proto", "serialized_proto", "numpy", "offset_mapping")
RETURN_TYPES_WITH_OFFSETS = ("proto", "serialized_proto", "offset_mapping")


def to_text(given: object, error: type[Exception] = RuntimeError) -> str:
    """Return a text given as str or bytes; a byte that is not UTF-8 becomes a lone surrogate.

    Raises:
        TypeError: neither str nor bytes.
        RuntimeError, or `error`: a str has a lone surrogate.
    """
    if isinstance(given, bytes):
        return given.decode("utf-8", "surrogateescape")
    if not isinstance(given, str):
        raise TypeError(f"input is {type(given).__name__}; give a str or bytes, or a list of these")
    if not given.isascii():
        try:
            given.encode()
        except UnicodeEncodeError as problem:
            raise error(
                f"the text has a lone surrogate at {problem.start}, which UTF-8 cannot write; "
                'replace it with text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")'
            ) from None
    return given


def byte_offsets(text: str) -> list[int]:
    """Return the byte offset of the start of each character, and of the end of the text.

    >>> byte_offsets("aé")
    [0, 1, 3]
    """
    return list(accumulate((len(to_bytes(character)) for character in text), initial=0))


def to_sentencepiece_text(
    text: str, pieces: Iterable[PieceWithSurface], score: float | None = None, into: Any = None
) -> Any:
    """Return a `SentencePieceText`, whose offsets are in bytes."""
    message = into if into is not None else result_messages().SentencePieceText()
    message.text = _valid(text)
    places = byte_offsets(text)
    for piece in pieces:
        begin, end = places[piece.begin], places[piece.end]
        one = message.pieces.add(piece=_valid(piece.piece), id=piece.id & 0xFFFFFFFF, begin=begin, end=end)
        if piece.surface is not None:
            one.surface = _valid(piece.surface)
    if score is not None:
        message.score = score
    return message


def to_nbest_sentencepiece_text(text: str, segmentations: Iterable[tuple[Sequence[PieceWithSurface], float]]) -> Any:
    """Return an `NBestSentencePieceText`."""
    message = result_messages().NBestSentencePieceText()
    for pieces, score in segmentations:
        to_sentencepiece_text(text, pieces, score, message.nbests.add())
    return message


def _valid(text: str) -> str:
    return to_bytes(text).decode("utf-8", "replace")


def offset_mapping(text: str, pieces: Sequence[PieceWithSurface], in_bytes: bool) -> dict[str, Any]:
    """Return ids, pieces and offsets: str pieces and character offsets, or bytes and byte offsets."""
    places = byte_offsets(text) if in_bytes else range(len(text) + 1)
    return {
        "ids": [piece.id for piece in pieces],
        "pieces": [to_bytes(piece.piece) if in_bytes else valid(piece.piece) for piece in pieces],
        "offsets": [(places[piece.begin], places[piece.end]) for piece in pieces],
    }


@dataclass(frozen=True)
class CallOptions:
    """The return type, the extra pieces that are added, and how a segmentation is chosen."""

    return_type: ReturnType
    add_bos: bool
    add_eos: bool
    reverse: bool
    emit_unk_piece: bool
    enable_sampling: bool
    nbest_size: int
    alpha: float
    num_threads: int

    @staticmethod
    def from_processor(out_type: ReturnType, return_type: ReturnType, *rest: Any) -> CallOptions:
        """Return the options of a processor."""
        return CallOptions(_shape(out_type, return_type, int), *rest)

    def override(
        self, out_type: ReturnType = None, return_type: ReturnType = None, *rest: Any, **named: Any
    ) -> CallOptions:
        """Return these options, overridden by the arguments that are not None."""
        if rest.count(None) == len(rest) and not named:  # most calls have at most a type
            return self if out_type is return_type is None else self._of_type(self.shape(out_type, return_type))
        shape = self.shape(out_type, return_type)
        given = {**dict(zip(_REST, rest, strict=False)), **named}
        given = {name: value for name, value in given.items() if value is not None}
        return replace(self, return_type=shape, **given) if given else self._of_type(shape)

    def _of_type(self, shape: ReturnType) -> CallOptions:
        """Return these options with a return type; they are made once, since they are needed for every text."""
        if shape is self.return_type:
            return self
        if shape not in self._of_types:
            self._of_types[shape] = replace(self, return_type=shape)
        return self._of_types[shape]

    @cached_property
    def _of_types(self) -> dict[Any, CallOptions]:
        return {}

    def shape(self, out_type: ReturnType, return_type: ReturnType, default: ReturnType = None) -> ReturnType:
        """Return the return type that the two arguments specify, or the default."""
        return _shape(out_type, return_type, self.return_type if default is None else default)

    def check(self, return_bytes: bool | None = None, shape: ReturnType = None) -> None:
        """Check that the options are compatible.

        Raises:
            ValueError: return_bytes without an offset mapping, or sampling from fewer than 2 segmentations.
            TypeError: an option is not a number, or not a bool.
        """
        if return_bytes is not None and (shape or self.return_type) != "offset_mapping":
            raise ValueError("return_bytes goes with return_type='offset_mapping' only; take return_type=bytes")
        if self.enable_sampling is True and self.nbest_size in (0, 1):
            raise ValueError(
                f"enable_sampling=True with nbest_size={self.nbest_size} leaves nothing to draw from; "
                "give nbest_size=-1 (all segmentations) or a number above 1"
            )
        for name, kind in _KINDS.items():
            value = getattr(self, name)
            if not isinstance(value, kind):
                raise TypeError(f"{name}={value!r:.60} should be {'a number' if kind is not bool else 'True or False'}")

    def check_encoding(self, return_bytes: bool | None) -> None:
        """Check that the options are compatible for encoding.

        Raises:
            ValueError, TypeError: as `check`.
            RuntimeError: as `check_no_changes`.
        """
        if return_bytes is not None:
            self.check(return_bytes)
        if self._problem:
            raise self._problem

    @cached_property
    def _problem(self) -> Exception | None:
        """The error of `check` and `check_no_changes`, if any; cached, since it is needed for every text."""
        try:
            self.check()
            if self.return_type in RETURN_TYPES_WITH_OFFSETS:
                self.check_no_changes()
        except (ValueError, TypeError, RuntimeError) as error:
            return error
        return None

    @cached_property
    def are_plain_ids(self) -> bool:
        """Whether the result is the ids of the best segmentation, and nothing else."""
        return self.return_type is int and not (self.add_bos or self.add_eos or self.reverse or self.enable_sampling)

    @property
    def are_plain_pieces(self) -> bool:
        """Whether the pieces of a text are those of the best segmentation, as they are in the text."""
        changes = self.add_bos or self.add_eos or self.reverse or self.enable_sampling or self.emit_unk_piece
        return not changes and self._problem is None

    def check_no_changes(self) -> None:
        """Check that no option changes the pieces, which a message with offsets cannot represent.

        Raises:
            RuntimeError: an option does, as in the library.
        """
        for name in ("add_bos", "add_eos", "reverse", "emit_unk_piece"):
            if getattr(self, name):
                raise RuntimeError(f"{name}=True does not go with return_type={self.return_type!r}; take int or str")


_REST = tuple(CallOptions.__dataclass_fields__)[1:]
_KINDS: dict[str, Any] = {
    **dict.fromkeys(("add_bos", "add_eos", "reverse", "emit_unk_piece", "enable_sampling"), bool | int),
    **dict.fromkeys(("nbest_size", "num_threads"), int),
    "alpha": float | int,
}


def _shape(out_type: ReturnType, return_type: ReturnType, default: ReturnType) -> ReturnType:
    if out_type is None and return_type is None:
        return default
    if out_type is not None and return_type is not None:
        raise ValueError("out_type and return_type are two names of one argument; give only return_type")
    shape = return_type if out_type is None else out_type
    if shape == "immutable_proto":
        raise ValueError("return_type='immutable_proto' was removed from the library; use 'proto'")
    if shape not in NAMES:
        raise ValueError(f"return_type={shape!r} is not known; there are {', '.join(map(str, NAMES))}")
    return shape


def format_normalized(normalizer: Normalizer, given: Any, with_offsets: bool | None) -> Any:
    """Return a normalized text in the type of the input, with origins in characters or in bytes."""
    text = to_text(given)
    if not with_offsets:
        normalized = normalizer.normalize(text)
        return to_bytes(normalized) if isinstance(given, bytes) else normalized
    normalized, origins = normalizer.normalize_with_offsets(text)
    if not isinstance(given, bytes):
        return normalized, origins or [0]
    places = byte_offsets(text)
    in_bytes = [places[origin] for origin, new in zip(origins, normalized, strict=False) for _ in to_bytes(new)]
    return to_bytes(normalized), in_bytes + [places[origin] for origin in origins[-1:]]


def format_with_offsets(shape: ReturnType, text: str, pieces: Sequence[PieceWithSurface], in_bytes: bool) -> Any:
    """Return pieces with their offsets, as a dictionary, a message or its bytes; `in_bytes` counts bytes."""
    if shape == "offset_mapping":
        return offset_mapping(text, pieces, in_bytes)
    whole = to_sentencepiece_text(text, pieces)
    return whole if shape == "proto" else whole.SerializeToString()


def counts_bytes(input: Any, return_bytes: bool | None) -> bool:
    """Whether an offset mapping is in bytes: as requested, or as the input, or the first text in it, is."""
    first = input[0] if isinstance(input, list) and input else input
    return isinstance(first, bytes) if return_bytes is None else return_bytes


def format_segmentation(segmentation: Segmentation, options: CallOptions, loaded: LoadedModel) -> Any:
    """Return pieces or ids, with bos and eos if requested; a ValueError if the model has no such piece."""
    in_pieces = options.return_type in (str, bytes)
    found: list[Any] = list(segmentation.ids)
    if in_pieces:
        found = _replace_unknown(segmentation.pieces, loaded) if options.emit_unk_piece else list(segmentation.pieces)
    if options.reverse:
        found.reverse()
    for add, id, role in ((options.add_bos, loaded.bos, "bos"), (options.add_eos, loaded.eos, "eos")):
        if add and id < 0:
            raise ValueError(f"add_{role}=True, but this model has no {role} piece; train it with {role}_id")
        if add:
            found.insert(0 if role == "bos" else len(found), loaded.model.pieces[id] if in_pieces else id)
    if in_pieces:
        return list(map(to_bytes, found)) if options.return_type is bytes else all_valid(found)
    if options.return_type == "numpy":
        import numpy as np

        return np.frombuffer(array("i", found).tobytes(), dtype=np.int32)  # read-only
    return found


def _replace_unknown(pieces: list[str], loaded: LoadedModel) -> list[str]:
    if loaded.unk < 0:
        raise ValueError("emit_unk_piece=True, but this model has no unknown piece")
    unknown = loaded.model.pieces[loaded.unk]
    return [unknown if loaded.model.id_of(piece) == loaded.unk else piece for piece in pieces]


C = TypeVar("C")


def add_snake_case_aliases(cls: type[C]) -> type[C]:
    """Add a snake-case alias for each method whose name starts with a capital letter.

    >>> to_snake_case("NBestEncodeAsIds")
    'nbest_encode_as_ids'
    """
    for name, value in list(vars(cls).items()):
        if name[0].isupper():
            setattr(cls, to_snake_case(name), value)
    return cls


def to_snake_case(name: str) -> str:
    """Return the name in snake case; NBest becomes nbest."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower().replace("n_best", "nbest")


_RETURNED: dict[str, tuple[ReturnType, str]] = {
    "Pieces": (str, "pieces"),
    "Ids": (int, "ids"),
    "Numpy": ("numpy", "ids as an array"),
    "Proto": ("proto", "pieces, ids, surfaces and offsets as a message"),
    "OffsetMapping": ("offset_mapping", "ids, pieces and offsets in a dict"),
}


def shortcut(name: str) -> Any:
    """Return a method such as `EncodeAsIds`, which calls `Encode`, `NBestEncode` or `ParallelEncode`."""
    family, _, returned = name.partition("As")
    called, (return_type, described) = family.removeprefix("Sample"), _RETURNED[returned]

    def plain(self: Any, input: Any, **kwargs: Any) -> Any:
        return getattr(self, called)(input=input, return_type=return_type, **kwargs)

    def n_best(self: Any, input: Any, nbest_size: Any = None, **kwargs: Any) -> Any:
        return plain(self, input, nbest_size=nbest_size, **kwargs)

    def sample(self: Any, input: Any, nbest_size: Any = None, alpha: Any = None, **kwargs: Any) -> Any:
        return plain(self, input, nbest_size=nbest_size, alpha=alpha, enable_sampling=True, **kwargs)

    method: Any = sample if name.startswith("Sample") else n_best if name.startswith("NBest") else plain
    method.__name__, method.__qualname__ = name, f"SentencePieceProcessor.{name}"
    sampled = ", with a sampled segmentation" if method is sample else ""
    method.__doc__ = f"Call `{called}`{sampled}, and return {described}."
    return method


random = Random()
LARGEST_SEED = 2**32 - 1


def SetRandomGeneratorSeed(seed: int) -> None:
    """Seed sampling, so that it is repeatable; the samples differ from sentencepiece's own.

    Raises:
        TypeError: the seed is not an integer from 0 to 4294967295.
    """
    if not isinstance(seed, int) or not 0 <= seed <= LARGEST_SEED:
        raise TypeError(f"seed={seed!r} should be a whole number from 0 to {LARGEST_SEED}")
    if seed != LARGEST_SEED:  # subtle: in the library, this value means "no seed"
        random.seed(seed)


class ThreadPool:
    """A number of threads to be shared among calls. No thread is started: threads would not make Python faster."""

    def __init__(self, num_threads: int) -> None:
        """Take the number of threads; a negative number means the number of processors."""
        wanted = (os.cpu_count() or 1) if num_threads < 0 else num_threads
        self._num_threads = max(1, min(wanted, 1024))

    def num_threads(self) -> int:
        """Return the number of threads."""
        return self._num_threads


set_random_generator_seed = SetRandomGeneratorSeed


def SetMinLogLevel(level: int) -> None:
    """Check the level of the log messages to write. It has no other effect: this package writes no log.

    Raises:
        TypeError: the level is not an integer of 32 bits.

    >>> SetMinLogLevel(2)
    """
    _check_int32("level", level)


def SetNBestTimeout(seconds: int) -> None:
    """Check the time limit of `nbest_encode`. It has no other effect: the search here has no time limit.

    Raises:
        TypeError: the limit is not an integer of 32 bits.

    >>> SetNBestTimeout(30)
    """
    _check_int32("seconds", seconds)


set_min_log_level, set_nbest_timeout = SetMinLogLevel, SetNBestTimeout


def _check_int32(name: str, value: object) -> None:
    if not isinstance(value, int) or not -(2**31) <= value < 2**31:
        raise TypeError(f"{name}={value!r:.60} should be an integer of at most 32 bits")


def check_thread_pool(thread_pool: object) -> None:
    """Raise a RuntimeError, as the library does, for an argument that is neither a ThreadPool nor None."""
    if thread_pool is not None and not isinstance(thread_pool, ThreadPool):
        raise RuntimeError(f"thread_pool is {type(thread_pool).__name__}; give a ThreadPool, or nothing")
