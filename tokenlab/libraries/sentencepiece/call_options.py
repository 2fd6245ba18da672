"""The options of a call: its own arguments, and the processor's for arguments that are None."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from tokenlab.libraries.sentencepiece.return_types import NAMES, RETURN_TYPES_WITH_OFFSETS, ReturnType


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
