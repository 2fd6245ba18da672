"""The base class of all pre-tokenizers, and the pre-tokenizer that a user writes.

Adds: `PreTokenizer` with `custom`; `Setting`, a checked attribute; checks of the fields of tokenizer.json.
Leaves out: where to split (the other modules of this package).

Source: tokenizers 0.23.3, bindings/python/src/pre_tokenizers.rs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Generic, Self, TypeAlias, TypeVar, overload

from tokenlab.tokenizers.arguments import check_text
from tokenlab.tokenizers.component import Component
from tokenlab.tokenizers.normalized_string import NormalizedString
from tokenlab.tokenizers.pre_tokenized_string import PreTokenizedString, call_function

T = TypeVar("T")
Span: TypeAlias = tuple[int, int]  # start and end, in characters; the end is exclusive

_REQUIRED: Any = object()


def _same(value: Any) -> Any:
    return value


class Setting(Generic[T]):
    """An attribute of a pre-tokenizer and a field of tokenizer.json, which is checked when it is set.

    The checked value of the attribute `name` is also the plain attribute `_name`.

    >>> class CharDelimiterSplit:
    ...     delimiter = Setting(check_text, "The character at which the text is split.")
    >>> CharDelimiterSplit().delimiter = 5
    Traceback (most recent call last):
    ...
    TypeError: delimiter=5 should be a str, not int
    """

    def __init__(
        self,
        check: Callable[[str, Any], T],
        doc: str,
        default: Any = _REQUIRED,
        load: Callable[[str, Any], T] | None = None,
        save: Callable[[T], Any] = _same,
        show: Callable[[T], Any] = _same,
    ) -> None:
        """Describe the attribute.

        Args:
            check: returns the value to keep, given the attribute's name and the value that was set.
            doc: a sentence on the attribute.
            default: the value if tokenizer.json lacks the field.
            load: the same as `check`, for a value in tokenizer.json, if that is different.
            save: returns the value in tokenizer.json.
            show: returns the value of the attribute.
        """
        self.check, self.default, self.load, self.save, self.show = check, default, load or check, save, show
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type | None = None) -> T: ...
    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else self.show(vars(instance)[f"_{self.name}"])

    def __set__(self, instance: Any, value: Any) -> None:
        vars(instance)[f"_{self.name}"] = self.check(self.name, value)


class PreTokenizer(Component):
    """Splits a text into pre-tokens; no token of a model crosses the end of a pre-token.

    A subclass that only splits defines `_spans`; one that also changes the text defines `_parts` and `_texts`.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Refuse to create an instance of the base class."""
        if cls is PreTokenizer:
            raise TypeError(
                "PreTokenizer is the base class of all pre-tokenizers; create one of them, such as Whitespace(), or "
                "give your own object to PreTokenizer.custom"
            )
        return super().__new__(cls)

    @staticmethod
    def custom(pretok: Any) -> PreTokenizer:
        """Return a pre-tokenizer that calls the method `pre_tokenize(pre_tokenized_string)` of an object.

        >>> class Halves:
        ...     def pre_tokenize(self, text):
        ...         text.split(lambda number, part: [part[:2], part[2:]])
        >>> PreTokenizer.custom(Halves()).pre_tokenize_str("half")
        [('ha', (0, 2)), ('lf', (2, 4))]
        """
        return CustomPreTokenizer(pretok)

    def pre_tokenize(self, pretok: PreTokenizedString) -> None:
        """Split the splits of a text that have no tokens yet.

        Raises:
            TypeError: `pretok` is not a PreTokenizedString.
            ValueError: a pre-tokenizer that a user wrote raises an exception.
        """
        if not isinstance(pretok, PreTokenizedString):
            raise TypeError(f"pretok={pretok!r:.60} should be a PreTokenizedString, not {type(pretok).__name__}")
        self._pre_tokenize(pretok)

    def pre_tokenize_str(self, s: str) -> list[tuple[str, Span]]:
        """Return the pre-tokens of a text and their offsets in the original.

        Raises:
            TypeError: `s` is not a str.
            UnicodeEncodeError: it has a lone surrogate.
        """
        text = PreTokenizedString(check_text("s", s))
        self._pre_tokenize(text)
        return [(part, offsets) for part, offsets, _ in text.get_splits()]

    def split_text(self, text: str, at_start: bool) -> list[str]:
        """Return the pre-tokens of a text without their alignment: fast, and the same texts as of `pre_tokenize`.

        Args:
            text: a part of the original.
            at_start: whether it starts at position 0 of the original.
        """
        return self._texts(text, at_start) if text else []

    def split_aligned(self, text: str, at_start: bool) -> list[str]:
        """Return the same as `split_text`, computed with alignments."""
        split = PreTokenizedString(NormalizedString.unchecked(text, text, None, 0 if at_start else 1))
        self._pre_tokenize(split)
        return [one.normalized.normalized for one in split.splits]

    @property
    def needs_alignment(self) -> bool:
        """Whether `split_text` may lack something: a user's pre-tokenizer may add tokens itself."""
        return False

    def _pre_tokenize(self, pretok: PreTokenizedString) -> None:
        pretok.divide(lambda number, part: self._parts(part))

    def _parts(self, part: NormalizedString) -> list[NormalizedString]:
        """Return the parts of one split, aligned with the original."""
        spans = self._spans(part.normalized)
        if not part.is_identity:
            slices = (part.slice_normalized(start, end) for start, end in spans)
            return [one for one in slices if one is not None]
        original, text, shift, new = part.original, part.normalized, part.original_shift, NormalizedString.unchecked
        return [new(original[start:end], text[start:end], None, shift + start) for start, end in spans]

    def _texts(self, text: str, at_start: bool) -> list[str]:
        """Return the pre-tokens of a text that is not empty."""
        return [text[start:end] for start, end in self._spans(text) if start < end]

    def _texts_of_parts(self, parts: list[str], at_start: bool) -> list[str]:
        """Return the pre-tokens of several texts, none of which is empty."""
        return [new for part in parts for new in self._texts(part, at_start)]

    def _spans(self, text: str) -> Iterable[Span]:
        """Return the spans of a text that become pre-tokens."""
        raise NotImplementedError(f"{type(self).__name__} defines no spans")

    @property
    def _depends_on_start(self) -> bool:
        """Whether the pre-tokens depend on where the text is in the original."""
        return False

    @classmethod
    def _settings(cls) -> list[Setting[Any]]:
        return [value for value in vars(cls).values() if isinstance(value, Setting)]

    def to_json(self) -> dict[str, Any]:
        """Return the fields of tokenizer.json: the type and all settings."""
        settings = self._settings()
        return {"type": type(self).__name__} | {one.name: one.save(vars(self)[f"_{one.name}"]) for one in settings}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """Return the pre-tokenizer with these fields of tokenizer.json.

        Raises:
            ValueError: a field is missing, or has a wrong type or value; the message names it.
        """
        return cls(**{one.name: read_field(fields, one.name, one.load, one.default) for one in cls._settings()})


class CustomPreTokenizer(PreTokenizer):
    """A pre-tokenizer that calls the method `pre_tokenize` of a user's object. It cannot be saved."""

    def __init__(self, pretok: Any) -> None:
        self.pretok = pretok

    def _pre_tokenize(self, pretok: PreTokenizedString) -> None:
        call_function(lambda: self.pretok.pre_tokenize(pretok))

    def _texts(self, text: str, at_start: bool) -> list[str]:
        return self.split_aligned(text, at_start)

    @property
    def needs_alignment(self) -> bool:
        """True: the object may add tokens itself."""
        return True

    @property
    def _depends_on_start(self) -> bool:
        return True

    def to_json(self) -> dict[str, Any]:
        """Raise a ValueError."""
        raise ValueError("a custom PreTokenizer cannot be saved; use one of the library's, or save without it")

    def __reduce__(self) -> Any:
        raise TypeError("cannot pickle a custom PreTokenizer")


def read_field(fields: dict[str, Any], name: str, check: Callable[[str, Any], T], default: Any = _REQUIRED) -> T:
    """Return a field of tokenizer.json after a check of its type, or the default if the field is missing.

    Raises:
        ValueError: the field is missing, or has a wrong type or value.

    >>> read_field({"type": "Digits"}, "individual_digits", lambda name, value: bool(value))
    Traceback (most recent call last):
    ...
    ValueError: Digits has no field `individual_digits`; it has: type
    """
    if name not in fields:
        if default is _REQUIRED:
            raise ValueError(f"{fields.get('type')} has no field `{name}`; it has: {', '.join(fields)}")
        return default  # type: ignore[no-any-return]
    try:
        return check(name, fields[name])
    except (TypeError, OverflowError, ValueError) as error:
        raise ValueError(f"{fields.get('type')}: {error}") from None


def check_character(name: str, value: Any) -> str:
    """Return a text of one character.

    Raises:
        TypeError: it is not a str.
        ValueError: it has more or fewer characters than one.
        UnicodeEncodeError: it is a lone surrogate.
    """
    if len(check_text(name, value)) != 1:
        raise ValueError(f"{name}={value!r:.60} has {len(value)} characters; expected a string of length 1")
    return value  # type: ignore[no-any-return]
