"""Special tokens: the attributes `eos_token`, `pad_token` and so on, each with its id; `AddedToken`; and adding tokens.

Adds: `AddedToken` as tokenizers 0.13.3 has it, with which transformers 4.26.1 runs: unlike those of the later version
    in `tokenlab.libraries.tokenizers`, tokens with equal texts are equal, and files have no field `special`; one
    descriptor for the special tokens and one for their ids; `add_tokens` and `add_special_tokens`.
Leaves out: the matching of added tokens; the conversion of tokens to ids (`convert_tokens_to_ids`) and `_add_tokens`,
    which slow and fast tokenizers define.

Source: transformers 4.26.1, tokenization_utils_base.py (`SpecialTokensMixin`); tokenizers 0.13.3,
bindings/python/src/tokenizer.rs (`PyAddedToken`).
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

from tokenlab.libraries.tokenizers.added_vocabulary import AddedToken as TokenizersAddedToken
from tokenlab.libraries.tokenizers.components.arguments import check_names
from tokenlab.printing.errors import warn

Token: TypeAlias = str | TokenizersAddedToken
log = logging.getLogger("tokenlab.libraries.transformers")
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


class SpecialTokenAttribute:
    """A special token as a string; None, with a log message, if it is not set."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.hidden, self.name = f"_{name}", name

    def __get__(self, tokenizer: Any, owner: type | None = None) -> Any:
        if tokenizer is None:
            return self
        value = getattr(tokenizer, self.hidden)
        if value is None:
            if tokenizer.verbose:
                log.error("%s is used, but it is not set", self.name)
            return None
        return [str(token) for token in value] if self.name == "additional_special_tokens" else str(value)

    def __set__(self, tokenizer: Any, value: Any) -> None:
        setattr(tokenizer, self.hidden, value)


class SpecialTokenIdAttribute:
    """The id of a special token; None if the token is not set. Setting an id sets the token."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.token = name.replace("_ids", "").replace("_id", "")

    def __get__(self, tokenizer: Any, owner: type | None = None) -> Any:
        if tokenizer is None:
            return self
        if getattr(tokenizer, f"_{self.token}") is None:
            return None
        return tokenizer.convert_tokens_to_ids(getattr(tokenizer, self.token))

    def __set__(self, tokenizer: Any, value: Any) -> None:
        one = tokenizer.convert_ids_to_tokens
        if self.token == "additional_special_tokens":
            tokenizer._additional_special_tokens = [one(id) for id in value]
        else:
            setattr(tokenizer, f"_{self.token}", None if value is None else one(value))


class SpecialTokensMixin:
    """The special tokens of a tokenizer."""

    SPECIAL_TOKENS_ATTRIBUTES: ClassVar[list[str]] = [
        *("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"),
        "additional_special_tokens",
    ]
    bos_token, bos_token_id = SpecialTokenAttribute(), SpecialTokenIdAttribute()
    eos_token, eos_token_id = SpecialTokenAttribute(), SpecialTokenIdAttribute()
    unk_token, unk_token_id = SpecialTokenAttribute(), SpecialTokenIdAttribute()
    sep_token, sep_token_id = SpecialTokenAttribute(), SpecialTokenIdAttribute()
    pad_token, pad_token_id = SpecialTokenAttribute(), SpecialTokenIdAttribute()
    cls_token, cls_token_id = SpecialTokenAttribute(), SpecialTokenIdAttribute()
    mask_token, mask_token_id = SpecialTokenAttribute(), SpecialTokenIdAttribute()
    additional_special_tokens, additional_special_tokens_ids = SpecialTokenAttribute(), SpecialTokenIdAttribute()

    def __init__(self, verbose: bool = True, **kwargs: Any) -> None:
        """Take the special tokens among the arguments.

        Raises:
            TypeError: a token is neither a string nor an AddedToken.
            AssertionError: the additional special tokens are no list of such tokens.
        """
        for name in self.SPECIAL_TOKENS_ATTRIBUTES:
            setattr(self, f"_{name}", [] if name == "additional_special_tokens" else None)
        self._pad_token_type_id = 0
        self.verbose = verbose
        for name, value in kwargs.items():
            if name in self.SPECIAL_TOKENS_ATTRIBUTES and value is not None:
                check_special_token(name, value, TypeError)
                setattr(self, name, value)

    @property
    def pad_token_type_id(self) -> int:
        """The token type of padding."""
        return self._pad_token_type_id

    # --- all special tokens -------------------------------------------------------------------------

    @property
    def special_tokens_map_extended(self) -> dict[str, Any]:
        """The special tokens that are set, by attribute, as they were given."""
        values = {name: getattr(self, f"_{name}") for name in self.SPECIAL_TOKENS_ATTRIBUTES}
        return {name: value for name, value in values.items() if value}

    @property
    def special_tokens_map(self) -> dict[str, Any]:
        """The special tokens that are set, by attribute, as strings."""
        return {
            name: type(value)(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
            for name, value in self.special_tokens_map_extended.items()
        }

    @property
    def all_special_tokens_extended(self) -> list[Token]:
        """All special tokens as they were given, each once."""
        values = self.special_tokens_map_extended.values()
        groups = (value if isinstance(value, (list, tuple)) else [value] for value in values)
        return list(dict.fromkeys(token for group in groups for token in group))

    @property
    def all_special_tokens(self) -> list[str]:
        """All special tokens as strings."""
        return [str(token) for token in self.all_special_tokens_extended]

    @property
    def all_special_ids(self) -> list[int]:
        """The ids of all special tokens."""
        ids: list[int] = self.convert_tokens_to_ids(self.all_special_tokens)
        return ids

    def convert_tokens_to_ids(self, tokens: Any) -> Any:
        """Return the id of a token, or the ids of several."""
        raise NotImplementedError(f"{type(self).__name__} should have a convert_tokens_to_ids")

    def convert_ids_to_tokens(self, ids: Any, skip_special_tokens: bool = False) -> Any:
        """Return the token of an id, or the tokens of several."""
        raise NotImplementedError(f"{type(self).__name__} should have a convert_ids_to_tokens")

    # --- adding tokens ------------------------------------------------------------------------------

    def add_tokens(self, new_tokens: Token | Sequence[Token], special_tokens: bool = False) -> int:
        """Give new ids to tokens that the model does not know, and never split these tokens from now on.

        Args:
            new_tokens: one token or several.
            special_tokens: the tokens are special; then tokens that the model knows are never split either.

        Returns:
            The number of new ids.
        """
        if not new_tokens:
            return 0
        given = new_tokens if isinstance(new_tokens, (list, tuple)) else [new_tokens]
        return self._add_tokens(given, special_tokens=special_tokens)  # type: ignore[arg-type]

    def _add_tokens(self, new_tokens: Sequence[Token], special_tokens: bool = False) -> int:
        raise NotImplementedError(f"{type(self).__name__} should have an _add_tokens")

    def add_special_tokens(
        self, special_tokens_dict: Mapping[str, Any], replace_additional_special_tokens: bool = True
    ) -> int:
        """Set special tokens, add those that the model does not know, and return the number of new ids.

        Args:
            special_tokens_dict: tokens by attribute, such as `{"pad_token": "<pad>"}`.
            replace_additional_special_tokens: forget the earlier additional special tokens; they keep their ids.

        Raises:
            AssertionError: a name is no special-token attribute, or a token is neither a string nor an AddedToken.
            AttributeError: there is no dictionary.
        """
        if special_tokens_dict and not hasattr(special_tokens_dict, "items"):
            given = f"{special_tokens_dict!r:.60}"
            raise AttributeError(f"special_tokens_dict={given} is no dictionary; write {{'pad_token': '<pad>'}}")
        count = 0
        for name, value in (special_tokens_dict or {}).items():
            if name not in self.SPECIAL_TOKENS_ATTRIBUTES:
                known = ", ".join(self.SPECIAL_TOKENS_ATTRIBUTES)
                raise AssertionError(f"{name!r} is no special-token attribute; use one of {known}")
            check_special_token(name, value, AssertionError)
            several = name == "additional_special_tokens"
            if several and not replace_additional_special_tokens:
                setattr(self, name, [*self.additional_special_tokens, *self._not_yet_additional(value)])
            else:
                setattr(self, name, value)
            count += self.add_tokens(value if several else [value], special_tokens=True)
        return count

    def _not_yet_additional(self, tokens: Iterable[Token]) -> list[Token]:
        """Return the tokens that are no additional special tokens yet, each once."""
        old, new = set(self.additional_special_tokens), list[Token]()
        for token in tokens:
            if str(token) not in old and str(token) not in new:
                new.append(token)
        return new

    def sanitize_special_tokens(self) -> int:
        """Ensure that every special token has an id and is never split; return the number of new ids."""
        return self.add_tokens(self.all_special_tokens_extended, special_tokens=True)


def check_special_token(name: str, value: Any, error: type[Exception]) -> None:
    """Raise an error for a value that is no special token.

    Args:
        name: the attribute.
        value: the token, or the list of additional tokens.
        error: the exception for a single token; for a list, it is always an AssertionError, as in the library.

    >>> check_special_token("eos_token", 1, TypeError)
    Traceback (most recent call last):
    ...
    TypeError: eos_token=1 should be a string or an AddedToken
    """
    if name != "additional_special_tokens":
        if not isinstance(value, (str, TokenizersAddedToken)):
            raise error(f"{name}={value!r:.60} should be a string or an AddedToken")
    elif not isinstance(value, (list, tuple)) or not all(
        isinstance(token, (str, TokenizersAddedToken)) for token in value
    ):
        raise AssertionError(f"{name}={value!r:.60} should be a list of strings or of AddedToken")


def as_texts(new_tokens: Iterable[Any]) -> list[str]:
    """Return new tokens as strings, with a warning for a value that is none.

    >>> as_texts(["<a>", AddedToken("<b>")])
    ['<a>', '<b>']
    """
    for token in new_tokens:
        if not isinstance(token, (str, TokenizersAddedToken)):
            warn(
                f"new_tokens has a {type(token).__name__}, whose text {str(token)!r:.60} becomes a token; give strings"
            )
    return [str(token) for token in new_tokens]
