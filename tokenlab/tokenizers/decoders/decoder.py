"""The base class of decoders, which turn the tokens of a sequence back into text.

Adds: `Decoder`, with checked attributes, saving and `custom`. Leaves out: each decoder's rule (its own file), finding
the class of a saved decoder (`registry`), ids (`tokenlab.tokenizers.tokenizer`).

Source: tokenizers 0.23.3, bindings/python/src/decoders.rs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Self

from tokenlab.tokenizers.arguments import check_encodable, check_text
from tokenlab.tokenizers.component import Component


class Decoder(Component):
    """A decoder: a function from a list of tokens to a list of parts, whose concatenation is the text."""

    fields: ClassVar[Mapping[str, Callable[[str, Any], Any]]] = {}  # name -> check, in the order of tokenizer.json

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Refuse to create the base class itself with a TypeError."""
        if cls is Decoder:
            raise TypeError(
                "Decoder cannot be created: it is the base class; use one of its subclasses, such as WordPiece(), "
                "or Decoder.custom(object) with your own decode_chain"
            )
        return super().__new__(cls)

    def __setattr__(self, name: str, value: Any) -> None:
        check = self.fields.get(name)
        super().__setattr__(name, check(name, value) if check else value)

    def decode_chain(self, tokens: list[str]) -> list[str]:
        """Return the parts of the text; a `Sequence` passes them to its next decoder."""
        raise NotImplementedError(f"{type(self).__name__} does not define decode_chain(tokens) -> list[str]")

    def decode(self, tokens: Sequence[str]) -> str:
        """Return the text of these tokens.

        Raises:
            TypeError: `tokens` is not a list or another sequence of str; a single str is refused.
            UnicodeEncodeError: a token has a lone surrogate.
        """
        return "".join(self.decode_chain(check_tokens(tokens)))

    @staticmethod
    def custom(decoder: Any) -> Decoder:
        """Return a decoder that calls `decoder.decode_chain(tokens)`. It cannot be saved or pickled."""
        return CustomDecoder(decoder)

    def to_json(self) -> dict[str, Any]:
        """Return the fields of tokenizer.json in the library's order, "type" first."""
        return {"type": type(self).__name__} | {name: getattr(self, name) for name in self.fields}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """Return the decoder with these fields of tokenizer.json.

        Raises:
            ValueError: a field is missing, or has a wrong type or value; the message names it.
        """
        name = cls.__name__
        if fields.get("type", name) != name:
            raise ValueError(f"type={fields['type']!r:.60} in a saved decoder should be {name!r}")
        loaded = cls.__new__(cls)
        for field in cls.fields:
            if field not in fields:
                raise ValueError(f"the decoder {name} has no field {field!r}; it needs: {', '.join(cls.fields)}")
            try:
                setattr(loaded, field, fields[field])
            except (TypeError, OverflowError) as error:
                raise ValueError(f"in the decoder {name}: {error}") from error
        return loaded


class CustomDecoder(Decoder):
    """A decoder that calls the `decode_chain` of a user's object.

    >>> class Reversed:
    ...     def decode_chain(self, tokens):
    ...         return tokens[::-1]
    >>> Decoder.custom(Reversed()).decode(["a", "b"])
    'ba'
    """

    def __init__(self, decoder: Any) -> None:
        """Keep the object; `decode` finds out whether it has a `decode_chain`."""
        self.decoder = decoder

    def decode_chain(self, tokens: list[str]) -> list[str]:
        """Return the parts that the user's object returns.

        Raises:
            ValueError: the object has no `decode_chain`, or does not return a list of str.
        """
        name = type(self.decoder).__name__
        if not hasattr(self.decoder, "decode_chain"):
            raise ValueError(f"the custom decoder {name} has no method decode_chain(tokens) -> list[str]; define it")
        parts = self.decoder.decode_chain(tokens)
        try:
            return check_tokens(parts)
        except TypeError:
            raise ValueError(
                f"decode_chain of the custom decoder {name} returned {parts!r:.60}; it should return a list of str"
            ) from None

    def to_json(self) -> dict[str, Any]:
        """Refuse: Python code cannot be saved in tokenizer.json."""
        raise ValueError(
            f"the custom decoder {type(self.decoder).__name__} cannot be saved or pickled: it is Python code; set the "
            "tokenizer's decoder to None before saving, and set it again after loading"
        )

    def __repr__(self) -> str:
        return f"Decoder.custom({self.decoder!r})"


def check_tokens(tokens: Any) -> list[str]:
    """Return a sequence of tokens as a list.

    Raises:
        TypeError: it is not a sequence, it is a single str, or an item is not a str.
        UnicodeEncodeError: a token has a lone surrogate.

    >>> check_tokens("hello")
    Traceback (most recent call last):
    TypeError: tokens='hello' should be a list of str, not a single str; give ['hello']
    """
    if isinstance(tokens, str):
        raise TypeError(f"tokens={tokens!r:.60} should be a list of str, not a single str; give [{tokens!r:.60}]")
    if not isinstance(tokens, Sequence):
        raise TypeError(f"tokens={tokens!r:.60} should be a list of str, not {type(tokens).__name__}")
    checked = list(tokens)
    try:
        check_encodable("".join(checked))
    except (TypeError, UnicodeEncodeError):
        for place, token in enumerate(checked):  # name the one that is wrong
            check_text(f"tokens[{place}]", token)
    return checked
