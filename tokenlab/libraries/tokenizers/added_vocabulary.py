"""Tokens that users add to the vocabulary of a model, and their extraction from a text.

Adds: `AddedToken`, with the five flags of its matching; `AddedVocabulary`, their ids, and the two passes: tokens with
`normalized=False` are matched in the original text; the parts between them are normalized; in these, the normalized
forms of the other tokens are matched.
Leaves out: the rule of one pass (`algorithms.pipeline.added_tokens`).

Source: tokenizers, src/tokenizer/added_vocabulary.rs; bindings/python/src/tokenizer.rs, PyAddedToken.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any, ClassVar

from tokenlab.algorithms.pipeline.added_tokens import AddedTokenRule, Found, matcher, split_added_tokens
from tokenlab.libraries.tokenizers.components.arguments import check_bool, check_names, check_text
from tokenlab.libraries.tokenizers.text.normalized_string import NormalizedString, TooManyReplacedError
from tokenlab.libraries.tokenizers.text.pre_tokenized_string import PreTokenizedString, Split, Token

if TYPE_CHECKING:
    from tokenlab.libraries.tokenizers.models.model import Model
    from tokenlab.libraries.tokenizers.normalizers.normalizer import Normalizer

_FLAGS = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": True, "special": False}


def _flag(name: str, doc: str) -> Any:
    return property(lambda token: token._flags.get(name, False), doc=doc)


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

    single_word: bool = _flag("single_word", "Whether the token matches only between non-word characters.")
    lstrip: bool = _flag("lstrip", "Whether a match includes the whitespace on its left.")
    rstrip: bool = _flag("rstrip", "Whether a match includes the whitespace on its right.")

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
    """Return a token, which becomes special itself if that is wanted; anything but str or AddedToken is a TypeError."""
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


Rules = Mapping[str, AddedTokenRule]


class AddedVocabulary:
    """The added tokens of a tokenizer."""

    def __init__(self) -> None:
        self.tokens: dict[int, AddedToken] = {}  # copies: later changes of the user's tokens have no effect
        self.ids: dict[str, int] = {}
        self.special: set[str] = set()
        self.encode_special_tokens = False
        self._normalized_contents: dict[int, str] = {}  # where they differ from the content
        self.patterns = Patterns({}, {}, frozenset())

    # --- vocabulary -------------------------------------------------------------------------------

    def add(self, tokens: Iterable[AddedToken], model: Model, normalizer: Normalizer | None) -> int:
        """Add tokens; return how many were neither empty nor already there with the same flags.

        A token of the model keeps its id; another flag of a token that is already there replaces the old flag, but a
        special token remains special.
        """
        added = 0
        next_id = self._next_id(model.get_vocab_size())
        for token in tokens:
            known = self.ids.get(token.content)
            if not token.content or (known is not None and self.tokens.get(known) == token):
                continue
            id = self.token_to_id(token.content, model)
            if id is None:
                id, next_id = next_id, next_id + 1
            self._remember_normalized(id, token, normalizer)
            self.ids[token.content] = id
            self.tokens[id] = token.copy()
            if token.special:
                self.special.add(token.content)
            added += 1
        self._refresh_patterns()
        return added

    def _next_id(self, vocab_size: int) -> int:
        largest = max(self.tokens, default=-1)
        return largest + 1 if self.tokens and (largest >= vocab_size or not vocab_size) else vocab_size

    def _remember_normalized(self, id: int, token: AddedToken, normalizer: Normalizer | None) -> None:
        if not token.normalized or normalizer is None:
            return
        text = NormalizedString(token.content)
        normalizer.normalize(text)
        if text.normalized != token.content:
            self._normalized_contents[id] = text.normalized

    def refresh(self, normalizer: Normalizer | None) -> None:
        """Normalize the contents again, after the tokenizer was given another normalizer."""
        self._normalized_contents = {}
        for id, token in self.tokens.items():
            self._remember_normalized(id, token, normalizer)
        self._refresh_patterns()

    def token_to_id(self, content: str, model: Model) -> int | None:
        """Return the id of an added token, or else of the model's token."""
        id = self.ids.get(content)
        return model.token_to_id(content) if id is None else id

    def id_to_token(self, id: int) -> str | None:
        """Return the normalized content of an added token, which a decoder turns back into the content."""
        token = self.tokens.get(id)
        return None if token is None else self._normalized_contents.get(id, token.content)

    def to_json(self) -> list[dict[str, Any]]:
        """Return the list of tokenizer.json, ordered by id."""
        return [{"id": id, **token.to_json()} for id, token in sorted(self.tokens.items())]

    # --- extraction -------------------------------------------------------------------------------

    def encode_special_tokens_as_text(self, value: bool) -> None:
        """Choose whether special tokens in a text are encoded as text, like any other characters."""
        self.encode_special_tokens = value
        self._refresh_patterns()

    def _refresh_patterns(self) -> None:
        original: dict[str, AddedTokenRule] = {}
        normalized: dict[str, AddedTokenRule] = {}
        as_text = set()
        for id, token in sorted(self.tokens.items()):
            pattern = self._normalized_contents.get(id, token.content) if token.normalized else token.content
            rule = AddedTokenRule(id, token.single_word, token.lstrip, token.rstrip)
            (normalized if token.normalized else original).setdefault(pattern, rule)
            if self.encode_special_tokens and token.content in self.special:
                as_text.add(pattern)
        self.patterns = Patterns(original, normalized, frozenset(as_text))


class Patterns:
    """The texts to match in each pass, with their rules. It is never changed, only replaced."""

    def __init__(self, original: Rules, normalized: Rules, as_text: frozenset[str]) -> None:
        self.original = original
        self.normalized = normalized
        self.as_text = as_text
        self._search_original = matcher(tuple(original)).search
        self._search_normalized = matcher(tuple(normalized)).search

    def split(self, text: str, normalized_pass: bool) -> list[Found]:
        """Return the parts of a text after one pass; a ValueError for a token in whitespace that another took."""
        if not text:
            return []
        rules = self.normalized if normalized_pass else self.original
        search = self._search_normalized if normalized_pass else self._search_original
        if not rules or not search(text):
            return [Found(0, len(text))]
        parts = split_added_tokens(text, rules, self.as_text)
        for start, end, id in parts:
            if start > end:
                raise ValueError(
                    f"the added token with id {id} was matched in {text!r:.80}, in whitespace that the token before it "
                    "took; do not combine a token of whitespace with rstrip=True of another token"
                )
        return parts

    def extract_and_normalize(self, text: str, normalizer: Normalizer | None) -> PreTokenizedString:
        """Return the text after both passes: added tokens have their token, the other parts are normalized."""
        parts = PreTokenizedString(text)
        self.extract(parts, normalized_pass=False)
        if normalizer is not None:
            for split in parts.splits:
                if split.tokens is None:
                    normalize_as_far_as_possible(normalizer, split.normalized)
        self.extract(parts, normalized_pass=True)
        return parts

    def extract(self, parts: PreTokenizedString, normalized_pass: bool) -> None:
        """Split the added tokens of one pass off the parts."""
        # Also without any tokens: parts that the normalizer made empty are removed here.
        parts.divide(lambda _, part: self._split_part(part, normalized_pass))

    def _split_part(self, part: NormalizedString, normalized_pass: bool) -> list[Split | NormalizedString]:
        splits: list[Split | NormalizedString] = []
        for start, end, id in self.split(part.normalized, normalized_pass):
            found = part.slice_normalized(start, end)
            assert found is not None, "a part is within its text"
            if id is None:
                splits.append(found)
            else:
                token = Token.unchecked(id, found.normalized, (0, len(found.normalized.encode())))
                splits.append(Split(found, [token]))
        return splits


def normalize_as_far_as_possible(normalizer: Normalizer, text: NormalizedString) -> bool:
    """Normalize a text; if a normalizer of the user raises an exception, keep what was done before it, return False.

    The library does the same.

    Raises:
        TooManyReplacedError: a normalizer replaces more characters than there are.
    """
    try:
        normalizer.normalize(text)
    except TooManyReplacedError:
        raise
    except Exception:
        return False
    return True
