"""The base class of decoders, which turn the tokens of a sequence back into text.

Adds: `Decoder`, with `custom`.
Leaves out: each decoder's rule (its own file), ids (`tokenlab.libraries.tokenizers.tokenizer`).

Source: tokenizers 0.23.3, bindings/python/src/decoders.rs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tokenlab.libraries.tokenizers.components.arguments import check_encodable, check_text
from tokenlab.libraries.tokenizers.components.component import Component
from tokenlab.libraries.tokenizers.components.custom import Custom


class Decoder(Component):
    """A decoder: a function from a list of tokens to a list of parts, whose concatenation is the text."""

    _advice = "one of the decoders, such as WordPiece(), or Decoder.custom(object) with your own decode_chain"

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


class CustomDecoder(Custom, Decoder):
    """A decoder that calls the `decode_chain` of a user's object.

    >>> class Reversed:
    ...     def decode_chain(self, tokens):
    ...         return tokens[::-1]
    >>> Decoder.custom(Reversed()).decode(["a", "b"])
    'ba'
    """

    _kind = "Decoder"

    def decode_chain(self, tokens: list[str]) -> list[str]:
        """Return the parts that the user's object returns.

        Raises:
            ValueError: the object has no `decode_chain`, or does not return a list of str.
        """
        name = type(self._obj).__name__
        if not hasattr(self._obj, "decode_chain"):
            raise ValueError(f"the custom decoder {name} has no method decode_chain(tokens) -> list[str]; define it")
        parts = self._obj.decode_chain(tokens)
        try:
            return check_tokens(parts)
        except TypeError:
            raise ValueError(
                f"decode_chain of the custom decoder {name} returned {parts!r:.60}; it should return a list of str"
            ) from None


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
