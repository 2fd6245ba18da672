"""`AddedToken`: a special or added token with the flags of its matching, as tokenizers 0.13.3 has it.

Adds: the differences between tokenizers 0.13.3, which transformers 4.26.1 runs with, and the later version in
    `tokenlab.libraries.tokenizers`: tokens with equal texts are equal, and files have no field `special`.
Leaves out: the matching itself.

Source: tokenizers 0.13.3, bindings/python/src/tokenizer.rs (`PyAddedToken`).
"""

from __future__ import annotations

from typing import Any

from tokenlab.libraries.tokenizers.added_vocabulary import AddedToken as TokenizersAddedToken
from tokenlab.libraries.tokenizers.components.arguments import check_names

FLAGS = ("single_word", "lstrip", "rstrip", "normalized")


class AddedToken(TokenizersAddedToken):
    """A token and the flags of its matching; tokens are equal if their texts are.

    Slow tokenizers use only `lstrip` and `rstrip`.

    Args:
        content: the token's text.
        flags: `single_word`, match only between characters that are not word characters; `lstrip` and `rstrip`, a match
            includes the whitespace on its left or right; `normalized`, match in the normalized text. By default, only
            `normalized` is True, and it becomes False when the token is added as a special token. An unknown name is
            printed and ignored, as in the library.

    Raises:
        TypeError: content is not a str, or a flag is not a bool.

    >>> token = AddedToken("<mask>", lstrip=True)
    >>> token == AddedToken("<mask>"), token.as_dict()["lstrip"]
    (True, True)
    """

    def __init__(self, content: str | None = None, **flags: bool) -> None:
        super().__init__(content, **check_names("AddedToken", flags, FLAGS))

    def as_dict(self) -> dict[str, Any]:
        """Return the fields, as they are in the files."""
        return {"content": self.content, **{name: getattr(self, name) for name in FLAGS}}

    def __getstate__(self) -> dict[str, Any]:
        return self.as_dict()

    def __setstate__(self, state: dict[str, Any]) -> None:
        # subtle: a copy states every flag, so `normalized` of a copy does not change any more, as in the library.
        AddedToken.__init__(self, **state)

    def __repr__(self) -> str:
        flags = ("rstrip", "lstrip", "single_word", "normalized")
        return f'AddedToken("{self.content}", {", ".join(f"{name}={getattr(self, name)}" for name in flags)})'

    def __eq__(self, other: object) -> bool:
        return self.content == other.content if isinstance(other, TokenizersAddedToken) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.content,))


def as_added_token(token: Any, **flags: bool) -> Any:
    """Return a string as an added token with these flags; None and added tokens are unchanged.

    >>> as_added_token("<mask>", lstrip=True).lstrip, as_added_token(None)
    (True, None)
    """
    return AddedToken(token, **flags) if isinstance(token, str) else token
