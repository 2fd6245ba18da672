"""Components that run a Python object of the user.

Adds: `Custom`, the base of what `Normalizer.custom`, `PreTokenizer.custom` and `Decoder.custom` return.
Leaves out: which method of the object is called (`normalizers`, `pre_tokenizers`, `decoders`).

Source: tokenizers 0.23.3, bindings/python/src/{normalizers,pre_tokenizers,decoders}.rs.
"""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from tokenlab.libraries.tokenizers.components.component import Component


class Custom(Component):
    """A component that calls a method of an object. It cannot be saved or pickled."""

    _kind: ClassVar[str]  # what messages call it, such as "Normalizer"

    def __init__(self, obj: Any) -> None:
        """Keep the object; whether it has the method shows when it is called."""
        self._obj = obj

    @classmethod
    def _is_ours(cls) -> bool:
        """Return False: the object's code is the user's."""
        return False

    def to_json(self) -> NoReturn:
        """Refuse to be saved.

        Raises:
            ValueError: always.
        """
        raise ValueError(
            f"Custom {self._kind} cannot be serialized: {type(self._obj).__name__} is Python code; remove it from the "
            "tokenizer before saving, and set it again after loading"
        )

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"cannot pickle a custom {self._kind}: {type(self._obj).__name__} is Python code")

    def __repr__(self) -> str:
        return f"{self._kind}.custom({self._obj!r})"
