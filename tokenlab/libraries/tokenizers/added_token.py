"""`AddedToken`: a token that is matched in the text before the model sees it, and the five flags of its matching.

Source: tokenizers, bindings/python/src/tokenizer.rs, PyAddedToken.
"""

from __future__ import annotations

from inspect import Parameter, Signature
from typing import Any, ClassVar

from tokenlab.libraries.tokenizers.components.arguments import check_bool, check_names, check_text

_FLAGS = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": True, "special": False}


class AddedToken:
    """A token for `Tokenizer.add_tokens` and `Tokenizer.add_special_tokens`.

    Args:
        content: the text of the token.
        single_word: match only between characters that are not word characters.
        lstrip: a match includes the whitespace on its left.
        rstrip: a match includes the whitespace on its right.
        normalized: match the normalized content in the normalized text, instead of the content in the original text.
            The default is False for a special token, and True for any other.
        special: `decode` can skip the token.

    An unknown keyword argument is printed and ignored, as in the library.

    Raises:
        TypeError: content is not a str, or a flag is not a bool.
        UnicodeEncodeError: content has a lone surrogate.

    >>> AddedToken("<mask>", lstrip=True)
    AddedToken("<mask>", rstrip=False, lstrip=True, single_word=False, normalized=True, special=False)
    """

    __signature__: ClassVar[Signature] = Signature(
        [
            Parameter(
                name, Parameter.POSITIONAL_OR_KEYWORD if name == "content" else Parameter.KEYWORD_ONLY, default=value
            )
            for name, value in {"content": None, **_FLAGS}.items()
        ]
    )

    def __init__(self, content: str | None = None, **flags: bool) -> None:
        self._content = content or ""
        if content is not None and not (isinstance(content, str) and content.isascii()):
            check_text("content", content)
        known = flags if flags.keys() <= _FLAGS.keys() else check_names("AddedToken", flags, _FLAGS)
        self._flags = {
            name: value if isinstance(value, bool) else check_bool(name, value) for name, value in known.items()
        }

    @property
    def content(self) -> str:
        """The text of the token."""
        return self._content

    @content.setter
    def content(self, value: str) -> None:
        self._content = check_text("content", value)

    @property
    def special(self) -> bool:
        """Whether `decode` can skip the token. Setting it changes `normalized`, unless that was given."""
        return self._flags.get("special", False)

    @special.setter
    def special(self, value: bool) -> None:
        self._flags["special"] = check_bool("special", value)

    @property
    def single_word(self) -> bool:
        """Whether the token matches only between characters that are not word characters."""
        return self._flags.get("single_word", False)

    @property
    def lstrip(self) -> bool:
        """Whether a match includes the whitespace on its left."""
        return self._flags.get("lstrip", False)

    @property
    def rstrip(self) -> bool:
        """Whether a match includes the whitespace on its right."""
        return self._flags.get("rstrip", False)

    @property
    def normalized(self) -> bool:
        """Whether the normalized content is matched in the normalized text."""
        return self._flags.get("normalized", not self.special)

    def to_json(self) -> dict[str, Any]:
        """Return the fields of tokenizer.json, in the library's order and without the id.

        >>> AddedToken("a", special=True).to_json()["normalized"]
        False
        """
        return {
            "content": self.content,
            "single_word": self.single_word,
            "lstrip": self.lstrip,
            "rstrip": self.rstrip,
            "normalized": self.normalized,
            "special": self.special,
        }

    def copy(self) -> AddedToken:
        """Return an equal token, which later changes of this one do not affect."""
        return AddedToken(**self.to_json())

    def __getstate__(self) -> dict[str, Any]:
        return self.to_json()

    def __setstate__(self, state: dict[str, Any]) -> None:
        AddedToken.__init__(self, **state)

    def __str__(self) -> str:
        return self.content

    def __repr__(self) -> str:
        flags = ("rstrip", "lstrip", "single_word", "normalized", "special")
        return f'AddedToken("{self.content}", {", ".join(f"{name}={getattr(self, name)}" for name in flags)})'

    def __eq__(self, other: object) -> bool:
        return self.to_json() == other.to_json() if isinstance(other, AddedToken) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.content)

    def __lt__(self, other: AddedToken) -> bool:
        """Return False, as the library does for all four comparisons."""
        return False

    __le__ = __gt__ = __ge__ = __lt__


def as_added_token(token: Any, special: bool) -> AddedToken:
    """Return the token that a str or an AddedToken means; a given AddedToken becomes special itself.

    Raises:
        TypeError: it is neither, or has a lone surrogate.
    """
    if isinstance(token, AddedToken):
        if special:
            token.special = True
        return token
    if not isinstance(token, str):
        raise TypeError(f"tokens has {token!r:.60}, of type {type(token).__name__}; give str or AddedToken")
    try:
        return AddedToken(token, special=special)
    except UnicodeEncodeError as error:
        raise TypeError(f"tokens has {token!r:.60}: {error}") from None
