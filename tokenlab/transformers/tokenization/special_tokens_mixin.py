"""Special tokens: the attributes `eos_token`, `pad_token` and so on, each with its id.

Adds: one descriptor for the tokens and one for their ids.
Leaves out: the conversion of tokens to ids, which is the tokenizer's `convert_tokens_to_ids`.

Source: transformers 4.26.1, tokenization_utils_base.py (`SpecialTokensMixin`).
"""

from __future__ import annotations

import logging
from typing import Any, TypeAlias

from tokenlab.transformers.tokenization.added_tokens import AddedToken

Token: TypeAlias = str | AddedToken
log = logging.getLogger("tokenlab.transformers")


class SpecialTokenAttribute:
    """A special token as a string; None, with a log message, if it is not set."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.hidden, self.name = f"_{name}", name

    def __get__(self, tokenizer: Any, owner: type | None = None) -> Any:
        if tokenizer is None:
            return self
        value = getattr(tokenizer, self.hidden)
        if value is None and tokenizer.verbose:
            log.error("%s is used, but it is not set", self.name)
        return [str(token) for token in value] if isinstance(value, (list, tuple)) else value and str(value)

    def __set__(self, tokenizer: Any, value: Any) -> None:
        setattr(tokenizer, self.hidden, value)


class SpecialTokenIdAttribute:
    """The id of a special token; None if the token is not set. Setting an id sets the token."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.token = name.replace("_ids", "").replace("_id", "")

    def __get__(self, tokenizer: Any, owner: type | None = None) -> Any:
        if tokenizer is None:
            return self
        value = getattr(tokenizer, f"_{self.token}")
        return None if value is None else tokenizer.convert_tokens_to_ids(_texts(value))

    def __set__(self, tokenizer: Any, value: Any) -> None:
        setattr(tokenizer, f"_{self.token}", None if value is None else tokenizer.convert_ids_to_tokens(value))


class SpecialTokensMixin:
    """The special tokens of a tokenizer."""

    SPECIAL_TOKENS_ATTRIBUTES = (
        *("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"),
        "additional_special_tokens",
    )
    bos_token, bos_token_id = SpecialTokenAttribute(), SpecialTokenIdAttribute()
    eos_token, eos_token_id = SpecialTokenAttribute(), SpecialTokenIdAttribute()
    unk_token, unk_token_id = SpecialTokenAttribute(), SpecialTokenIdAttribute()
    sep_token, sep_token_id = SpecialTokenAttribute(), SpecialTokenIdAttribute()
    pad_token, pad_token_id = SpecialTokenAttribute(), SpecialTokenIdAttribute()
    cls_token, cls_token_id = SpecialTokenAttribute(), SpecialTokenIdAttribute()
    mask_token, mask_token_id = SpecialTokenAttribute(), SpecialTokenIdAttribute()
    additional_special_tokens, additional_special_tokens_ids = SpecialTokenAttribute(), SpecialTokenIdAttribute()
    pad_token_type_id = 0

    def __init__(self, verbose: bool = True, **kwargs: Any) -> None:
        """Take the special tokens among the arguments.

        Raises:
            TypeError: a token is neither a string nor an AddedToken.
        """
        self.verbose = verbose
        for name in self.SPECIAL_TOKENS_ATTRIBUTES:
            several = name == "additional_special_tokens"
            value = kwargs.get(name)
            if value is not None:
                check_special_token(name, value, several)
            setattr(self, f"_{name}", [] if several and value is None else value)

    @property
    def special_tokens_map_extended(self) -> dict[str, Any]:
        """The special tokens that are set, by attribute, as they were given."""
        values = {name: getattr(self, f"_{name}") for name in self.SPECIAL_TOKENS_ATTRIBUTES}
        return {name: value for name, value in values.items() if value}

    @property
    def special_tokens_map(self) -> dict[str, Any]:
        """The special tokens that are set, by attribute, as strings."""
        return {name: _texts(value) for name, value in self.special_tokens_map_extended.items()}

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


def check_special_token(name: str, value: Any, several: bool) -> None:
    """Raise a TypeError for a value that is no special token.

    >>> check_special_token("eos_token", 1, several=False)
    Traceback (most recent call last):
    ...
    TypeError: eos_token=1 should be a string or an AddedToken
    """
    if several and not isinstance(value, (list, tuple)):
        raise TypeError(f"{name}={value!r:.60} should be a list of strings or of AddedToken")
    for token in value if several else [value]:
        if not isinstance(token, (str, AddedToken)):
            raise TypeError(f"{name}={token!r:.60} should be a string or an AddedToken")


def _texts(value: Any) -> Any:
    return type(value)(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
