"""From ids back to text: the part that slow and fast tokenizers share.

Adds: lists for tensors, batches, and the rules that remove spaces before English punctuation; the errors and warnings
    that name the value that is no id or no token.
Leaves out: `_decode`, which slow and fast tokenizers define.

Source: transformers 4.26.1, tokenization_utils_base.py (`decode`, `batch_decode`, `clean_up_tokenization`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tokenlab.libraries.transformers.tokenization.tokenizer_call_options import BatchOfIds, Ids
from tokenlab.libraries.transformers.utils import to_py_obj
from tokenlab.printing.errors import warn


def whole_numbers(ids: Any) -> list[int]:
    """Return ids as numbers of Python, from a list, a tensor or an array; fractions are truncated, as in the library.

    Raises:
        TypeError: a value is no number, or there is no list.
        ValueError: a value is a string without a number.
        OverflowError: a value is infinite.

    >>> whole_numbers([1, "2"])
    [1, 2]
    >>> whole_numbers([1, "a"])
    Traceback (most recent call last):
    ...
    ValueError: ids[1]='a' is no id; give whole numbers
    """
    try:
        given = list(ids)
    except TypeError:
        raise TypeError(f"ids={ids!r:.60} should be a whole number, or a list of whole numbers") from None
    try:
        return [int(id) for id in given]
    except (TypeError, ValueError, OverflowError) as error:
        place = next(place for place, id in enumerate(given) if not _is_number(id))
        raise type(error)(f"ids[{place}]={given[place]!r:.60} is no id; give whole numbers") from None


def _is_number(value: Any) -> bool:
    try:
        int(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def about_tokens(tokens: Any, error: AttributeError | TypeError) -> Exception:
    """Return an error of the same type that names the value that is no token; if all are strings, the error itself.

    >>> about_tokens(["the", 1], AttributeError("'int' object has no attribute 'startswith'"))
    AttributeError('tokens[1]=1 is no token; give strings, as `tokenize` returns them')
    """
    kind = AttributeError if isinstance(error, AttributeError) else TypeError
    if not isinstance(tokens, Iterable):
        return kind(f"tokens={tokens!r:.60} should be a list of tokens, as `tokenize` returns it")
    for place, token in enumerate(tokens):
        if not isinstance(token, str):
            return kind(f"tokens[{place}]={token!r:.60} is no token; give strings, as `tokenize` returns them")
    return error


def join_tokens(tokens: Iterable[str], separator: str = "") -> str:
    """Return the tokens as one string.

    Raises:
        TypeError: a token is no string.

    >>> join_tokens(["▁Hel", "lo"])
    '▁Hello'
    """
    try:
        return separator.join(tokens)
    except TypeError as error:
        raise about_tokens(tokens, error) from None


def warn_about_other_types(values: Sequence[Any], expected: type) -> None:
    """Warn if a list of ids or of tokens also has values of another type, which the library uses as they are.

    Args:
        values: the list; the first value decides what it is.
        expected: int for ids, str for tokens.
    """
    other = next((value for value in values if not isinstance(value, expected)), None)
    if other is not None or None in values:
        kind = {int: "ids", str: "tokens"}[expected]
        warn(f"text is a list of {kind}, but has {other!r:.60} among them; give {kind} only")


CLEAN_UP_RULES = ((" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't"), (" 'm", "'m"),
           (" 's", "'s"), (" 've", "'ve"), (" 're", "'re"))  # fmt: skip


class DecodeMethods:
    """The ways to decode ids."""

    def convert_tokens_to_string(self, tokens: list[str]) -> str:
        """Return the text of tokens."""
        raise NotImplementedError(f"{type(self).__name__} should have a convert_tokens_to_string")

    def decode(
        self,
        token_ids: Ids,
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool = True,
        **kwargs: Any,
    ) -> str:
        """Return the text of ids.

        Args:
            token_ids: a list, a tensor or an array.
            skip_special_tokens: leave them out.
            clean_up_tokenization_spaces: remove the spaces before English punctuation.
            kwargs: of a slow tokenizer, `spaces_between_special_tokens=False` omits the spaces around added tokens.
        """
        return self._decode(
            token_ids=to_py_obj(token_ids),
            skip_special_tokens=skip_special_tokens,
            clean_up_tokenization_spaces=clean_up_tokenization_spaces,
            **kwargs,
        )

    def _decode(
        self,
        token_ids: Any,
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool = True,
        **kwargs: Any,
    ) -> str:
        raise NotImplementedError(f"{type(self).__name__} should have a _decode")

    def batch_decode(
        self,
        sequences: BatchOfIds,
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool = True,
        **kwargs: Any,
    ) -> list[str]:
        """Return the texts of lists of ids. The arguments are those of `decode`.

        Raises:
            TypeError: the sequences are one number, or no list.
        """
        try:
            given = iter(sequences)
        except TypeError:
            raise TypeError(f"sequences={sequences!r:.60} should be a list of lists of ids") from None
        kwargs |= {"clean_up_tokenization_spaces": clean_up_tokenization_spaces}
        return [self.decode(ids, skip_special_tokens=skip_special_tokens, **kwargs) for ids in given]

    @staticmethod
    def clean_up_tokenization(out_string: str) -> str:
        """Remove spaces before English punctuation and contractions, one rule after another.

        >>> DecodeMethods.clean_up_tokenization("it 's here , is n't it ?")
        "it's here, isn't it?"
        """
        for spaced, close in CLEAN_UP_RULES:
            out_string = out_string.replace(spaced, close)
        return out_string
