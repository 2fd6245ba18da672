"""`BackendTokenizer`: the pipeline of a fast tokenizer, with the behaviour of tokenizers 0.13.3.

Adds: the differences from `tokenlab.libraries.tokenizers.Tokenizer`, which behaves like 0.23.3. They are in the added
    tokens (`LegacyAddedVocabulary`), the file (`legacy_fields`), the sequence of each token after padding on the left,
    and lone surrogates. A stride that is too large is an error for long texts only. `train_new_from_iterator` returns a
    tokenizer with another vocabulary, learned from texts, and special tokens that may get new names.
Leaves out: the components of the pipeline, which behave alike in both versions, and the training itself
    (`tokenlab.libraries.tokenizers.trainers`).

Differences from tokenizers 0.13.3: a Rust panic and a bare `Exception` are ValueErrors. A warning says that nothing is
truncated if `max_length` is less than the number of special tokens.

Source: tokenizers 0.13.3, src/tokenizer/mod.rs, src/tokenizer/encoding.rs and src/tokenizer/added_vocabulary.rs;
transformers 4.26.1, tokenization_utils_fast.py (`train_new_from_iterator`).
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from tokenlab.algorithms.pipeline.added_tokens import AddedTokenRule
from tokenlab.libraries.tokenizers.added_vocabulary import AddedToken as TokenizersAddedToken
from tokenlab.libraries.tokenizers.added_vocabulary import AddedVocabulary, Patterns
from tokenlab.libraries.tokenizers.components.component import Component
from tokenlab.libraries.tokenizers.encoding import Encoding
from tokenlab.libraries.tokenizers.encoding_columns import Lazy
from tokenlab.libraries.tokenizers.models.model import Model
from tokenlab.libraries.tokenizers.pre_tokenizers import ByteLevel
from tokenlab.libraries.tokenizers.tokenizer import Tokenizer
from tokenlab.libraries.tokenizers.trainers import BpeTrainer, UnigramTrainer, WordLevelTrainer, WordPieceTrainer
from tokenlab.libraries.tokenizers.truncate_and_pad import TruncationParams
from tokenlab.libraries.transformers.tokenization.special_tokens_mixin import FLAGS, AddedToken, Token
from tokenlab.printing.errors import warn

if TYPE_CHECKING:
    from tokenlab.libraries.tokenizers.normalizers.normalizer import Normalizer


class LegacyAddedVocabulary(AddedVocabulary):
    """The added tokens of a fast tokenizer. `ids` has only the tokens that the model does not know.

    The differences from 0.23.3:

    - An added token that the model knows is matched in texts only if it is special; 0.23.3 matches it always.
    - The count of new tokens omits tokens that the model or the vocabulary already has, even if their flags are new.
    - A token that was special once remains special, although its flag in tokenizer.json is that of the last time it was
      added. The flag `normalized` of the first time decides in which pass it is matched, the others are those of the
      last.
    - The token of an id is its text; in 0.23.3, the normalized text.
    - Another normalizer does not change the texts that are matched, until the next token is added.
    """

    def __init__(self) -> None:
        super().__init__()
        self._matched_special: dict[str, TokenizersAddedToken] = {}  # by their texts, as they were added the first time
        self._matched_others: dict[str, TokenizersAddedToken] = {}
        self._rules: dict[bool, dict[str, AddedTokenRule]] = {False: {}, True: {}}  # by the flag `normalized`
        self._special_texts: set[str] = set()

    def add(self, tokens: Iterable[TokenizersAddedToken], model: Model, normalizer: Normalizer | None) -> int:
        """Add tokens, and return the number of those that are new to the model and the vocabulary."""
        given = [(token.content, token.special, token.copy()) for token in tokens if token.content]
        known = {content: model.token_to_id(content) for content, _, _ in given}
        size, before = model.get_vocab_size(), len(self.ids)
        for content, special, token in given:
            if special and content not in self.special:
                self.special.add(content)
                self._matched_special[content] = token
        for content, _, token in given:
            id = self.ids.get(content, known[content])
            if id is None:
                id = self.ids[content] = size + len(self.ids)
                if content not in self.special:
                    self._matched_others[content] = token
            self.tokens[id] = token
        self._match(model, normalizer)
        return len(self.ids) - before

    def _match(self, model: Model, normalizer: Normalizer | None) -> None:
        """Set the texts that are matched in the two passes; of equal texts, the rule of the first one is kept."""
        self._rules, self._special_texts = {False: {}, True: {}}, set()
        matched = [*self._matched_special.items(), *self._matched_others.items()]
        in_model = {content: model.token_to_id(content) for content, _ in matched}
        for content, token in matched:
            id = self.ids.get(content, in_model[content])
            assert id is not None, "a matched token is in one of the vocabularies"
            last, text = self.tokens[id], content
            if token.normalized and normalizer is not None:
                text = normalizer.normalize_str(text)
            rule = AddedTokenRule(id, last.single_word, last.lstrip, last.rstrip)
            self._rules[token.normalized].setdefault(text, rule)
            if content in self.special:
                self._special_texts.add(text)
        self._refresh_patterns()

    def _refresh_patterns(self) -> None:
        as_text = self._special_texts if self.encode_special_tokens else ()
        self.patterns = Patterns(self._rules[False], self._rules[True], frozenset(as_text))

    def refresh(self, normalizer: Normalizer | None) -> None:
        """Keep the texts that are matched, although the tokenizer was given another normalizer."""


SIMPLE = ("vocab", "added_tokens", "special_tokens")  # fields without components in them


def legacy_fields(value: Any) -> Any:
    """Return JSON fields of a tokenizer in the format of tokenizers 0.13.3.

    What that version cannot express remains as it is: a merge of a token with a space, and Metaspace with
    `prepend_scheme="first"` or `split=False`.

    >>> legacy_fields({"type": "Metaspace", "replacement": "_", "prepend_scheme": "always", "split": True})
    {'type': 'Metaspace', 'replacement': '_', 'add_prefix_space': True}
    >>> legacy_fields({"type": "BPE", "vocab": {"a": 0}, "merges": [("a", "b")], "ignore_merges": False})
    {'type': 'BPE', 'vocab': {'a': 0}, 'merges': ['a b']}
    """
    match value:
        case {"type": "BPE"}:
            return {**_without(value, "ignore_merges"), "merges": _merges(value["merges"])}
        case {"type": "Unigram"}:
            return _without(value, "byte_fallback")
        case {"type": "Metaspace", "prepend_scheme": "always", "split": True}:
            return {**_without(value, "prepend_scheme", "split"), "add_prefix_space": True}
        case dict():
            return {name: item if name in SIMPLE else legacy_fields(item) for name, item in value.items()}
        case list():
            return [legacy_fields(item) for item in value]
    return value


def _without(fields: dict[str, Any], name: str, *others: str) -> dict[str, Any]:
    """Return the fields without some that have their default value."""
    later = {"ignore_merges": False, "byte_fallback": False, "prepend_scheme": "always", "split": True}
    return {key: item for key, item in fields.items() if key not in (name, *others) or item != later[key]}


def _merges(pairs: Any) -> list[Any]:
    with_space = any(" " in token for pair in pairs for token in pair)
    return list(pairs) if with_space else [" ".join(pair) for pair in pairs]


def changed(component: Any, **settings: Any) -> Any:
    """Return a component with those of the settings that its type has; the same one if none is different.

    Raises:
        TypeError: the pipeline has no such component.

    >>> from tokenlab.libraries.tokenizers.normalizers import NFC, BertNormalizer
    >>> changed(BertNormalizer(), lowercase=False), changed(NFC(), lowercase=False)
    (BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=False), NFC())
    """
    if component is None:
        raise TypeError(
            f"the pipeline, such as a tokenizer.json of another family, has no component for {', '.join(settings)}; "
            "load it as a PreTrainedTokenizerFast"
        )
    if not isinstance(component, Component):
        return component
    fields = component.to_json()
    known = {name: value for name, value in settings.items() if name in fields}
    if all(fields[name] == value for name, value in known.items()):
        return component
    return type(component).from_json(fields | known)


LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class LegacyTruncation(TruncationParams):
    """A truncation that truncates nothing if there is no room for the special tokens."""

    def less(self, added_tokens: int) -> TruncationParams:
        """Return the settings for the tokens of the text, when special tokens take a part of `max_length`.

        >>> LegacyTruncation(3).less(2).max_length
        1
        """
        if added_tokens <= self.max_length:
            return TruncationParams.less(self, added_tokens)
        warn(f"max_length={self.max_length} is less than the {added_tokens} special tokens; nothing is truncated")
        return replace(self, max_length=sys.maxsize)


class BackendTokenizer(Tokenizer):
    """A tokenizer of `tokenlab.libraries.tokenizers` that gives the results of tokenizers 0.13.3.

    >>> from tokenlab.libraries.tokenizers.models import WordLevel
    >>> tokenizer = BackendTokenizer(WordLevel({"a": 0, "b": 1}, unk_token="a"))
    >>> tokenizer.add_special_tokens(["b"]), tokenizer.add_tokens(["c"])
    (0, 1)
    """

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self._added = LegacyAddedVocabulary()

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> Self:
        """Return a tokenizer with the components, the settings and the added tokens of another one, or that one."""
        if isinstance(tokenizer, cls):
            return tokenizer
        made = cls.__new__(cls)
        vars(made).update(vars(tokenizer))
        made._added, made._compiled = LegacyAddedVocabulary(), None
        if tokenizer._truncation is not None:
            made._truncation = LegacyTruncation(*astuple(tokenizer._truncation))
        made._add(token for _, token in sorted(tokenizer._added.tokens.items()))
        return made

    # --- added tokens -----------------------------------------------------------------------------

    def add_tokens(self, tokens: list[str | TokenizersAddedToken]) -> int:
        """Add tokens to the vocabulary, and return how many are new to it.

        As in the library, each AddedToken that is given stops being special itself.

        Raises:
            TypeError: `tokens` is not a list of str or AddedToken, or a str has a lone surrogate.
        """
        for token in tokens if isinstance(tokens, list) else ():
            if isinstance(token, TokenizersAddedToken):
                token.special = False
        return super().add_tokens(tokens)

    # --- encoding ---------------------------------------------------------------------------------

    def encode_batch(
        self, input: Any, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """Return the encoding of each text or pair; each lone surrogate of a text becomes three U+FFFD.

        Raises:
            TypeError, ValueError: as `tokenlab.libraries.tokenizers.Tokenizer.encode_batch`; a lone surrogate is in a
                list of words.
        """
        try:
            return super().encode_batch(input, is_pretokenized, add_special_tokens)
        except TypeError:
            valid = input if is_pretokenized else _without_surrogates(input)
            if valid == input:
                raise
            return super().encode_batch(valid, is_pretokenized, add_special_tokens)

    # --- truncation and padding -------------------------------------------------------------------

    def enable_truncation(self, max_length: int, **options: Any) -> None:
        """Truncate later encodings; see `tokenlab.libraries.tokenizers.Tokenizer.enable_truncation`.

        A stride that is too large is a ValueError when a long text is encoded.
        """
        self._truncation = LegacyTruncation.from_options(max_length, **options)
        self._compiled_at = -1

    def _padded(self, encodings: list[Encoding]) -> list[Encoding]:
        padded = super()._padded(encodings)
        if self._padding is None or self._padding.direction == "right":
            return padded
        # subtle: the tokens of a sequence are not looked for further right after padding on the left.
        return [_with_ranges(new, old) for new, old in zip(padded, encodings, strict=True)]

    # --- files ------------------------------------------------------------------------------------

    @staticmethod
    def from_str(json: str) -> BackendTokenizer:
        """Return the tokenizer that a text in the format of tokenizer.json describes, of either version.

        Raises:
            TypeError, ValueError: as `tokenlab.libraries.tokenizers.Tokenizer.from_str`.
        """
        return BackendTokenizer.of(Tokenizer.from_str(json))

    @staticmethod
    def from_file(path: str) -> BackendTokenizer:
        """Return the tokenizer in a tokenizer.json.

        Raises:
            FileNotFoundError: there is no such file.
            ValueError: as `from_str`.
        """
        return BackendTokenizer.of(Tokenizer.from_file(path))

    @staticmethod
    def from_buffer(buffer: bytes) -> BackendTokenizer:
        """Return the tokenizer in the bytes of a tokenizer.json.

        Raises:
            TypeError, ValueError: as `from_str`.
        """
        return BackendTokenizer.of(Tokenizer.from_buffer(buffer))

    def _to_json(self, fields: Any = lambda part: part.to_json()) -> dict[str, Any]:
        legacy: dict[str, Any] = legacy_fields(super()._to_json(fields))
        return legacy

    def __setstate__(self, state: bytes) -> None:
        vars(self).update(vars(BackendTokenizer.from_buffer(state)))


def _without_surrogates(value: Any) -> Any:
    """Return texts, also of pairs in lists, with three replacement characters for each lone surrogate.

    subtle: its three bytes would be invalid in UTF-8, and the library replaces each of them.

    >>> _without_surrogates(["a\\ud800", ("b", 1)])
    ['a���', ('b', 1)]
    """
    if isinstance(value, str):
        return LONE_SURROGATE.sub("\ufffd" * 3, value)
    return type(value)(map(_without_surrogates, value)) if isinstance(value, (list, tuple)) else value


def _with_ranges(padded: Encoding, old: Encoding) -> Encoding:
    """Return an encoding in which each sequence, also of those that overflow, is where it was before the padding."""
    rest, before = padded.rest, old.rest
    if rest.overflowing is None or before.overflowing is None:
        return padded.replaced(ranges=before.ranges)
    overflowing = Lazy(
        lambda new, old: [_with_ranges(one, other) for one, other in zip(new, old, strict=True)],
        rest.overflowing,
        before.overflowing,
    )
    return padded.replaced(ranges=before.ranges, overflowing=overflowing)


# --- training -----------------------------------------------------------------------------------------

MODEL_TO_TRAINER_MAPPING: dict[str, Any] = {
    "BPE": BpeTrainer,
    "Unigram": UnigramTrainer,
    "WordLevel": WordLevelTrainer,
    "WordPiece": WordPieceTrainer,
}
Json = dict[str, Any]
Names = Mapping[str, str]


def train_new_from_iterator(
    self: Any,
    text_iterator: Iterable[Any],
    vocab_size: int,
    length: int | None = None,
    new_special_tokens: list[Token] | None = None,
    special_tokens_map: Mapping[str, str] | None = None,
    **kwargs: Any,
) -> Any:
    """Return a tokenizer of the same class and with the same pipeline, trained on other texts.

    Args:
        text_iterator: the texts, or lists of texts.
        vocab_size: the number of tokens.
        length: the number of texts, for a progress bar.
        new_special_tokens: further special tokens.
        special_tokens_map: new names for special tokens.
        kwargs: arguments of the trainer of `tokenlab.libraries.tokenizers`.

    Raises:
        ValueError: the vocabulary cannot be trained as requested.
    """
    names = special_tokens_map or {}
    fields: Json = json.loads(self.backend_tokenizer.to_str())
    added, post_processor = fields.pop("added_tokens"), fields.pop("post_processor")
    unknown = _remove_vocabulary(fields["model"], names)
    pipeline = BackendTokenizer.from_str(json.dumps(fields))
    special = [*_special_tokens(added, fields["model"]["type"], names), *(new_special_tokens or [])]
    trainer = MODEL_TO_TRAINER_MAPPING[fields["model"]["type"]](
        vocab_size=vocab_size, special_tokens=special, **_trainer_options(fields, unknown, kwargs)
    )
    pipeline.train_from_iterator(text_iterator, length=length, trainer=trainer)
    if post_processor is not None:
        _rename_in_post_processor(post_processor, names, pipeline)
        pipeline = BackendTokenizer.from_str(
            json.dumps({**json.loads(pipeline.to_str()), "post_processor": post_processor})
        )
    return type(self)(tokenizer_object=pipeline, **_arguments(self, names, new_special_tokens))


def _remove_vocabulary(model: Json, names: Names) -> str | None:
    """Empty the vocabulary of a model and rename its unknown token; return the unknown token of a Unigram model."""
    unknown = None
    match model["type"]:
        case "BPE":
            model["vocab"], model["merges"] = {}, []
        case "Unigram" if model["unk_id"] is not None:
            unknown = model["vocab"][model["unk_id"]][0]
            unknown = names.get(unknown, unknown)
            model["unk_id"], model["vocab"] = 0, [[unknown, 0.0]]
        case "WordLevel" | "WordPiece":
            model["vocab"] = {}
        case "Unigram":
            pass
        case other:
            raise ValueError(
                f"a model of type {other!r} cannot be trained; "
                f"there are trainers for {', '.join(MODEL_TO_TRAINER_MAPPING)}"
            )
    if model.get("unk_token") in names:
        model["unk_token"] = names[model["unk_token"]]
    return unknown


def _special_tokens(added: list[Json], model_type: str, names: Names) -> list[AddedToken]:
    """Return the special tokens among the added ones, with their new names; for Unigram, all added tokens."""
    return [
        AddedToken(names.get(token["content"], token["content"]), **{name: token[name] for name in FLAGS})
        for token in added
        if token["special"] or model_type == "Unigram"
    ]


def _trainer_options(fields: Json, unknown: str | None, options: Json) -> Json:
    """Return the arguments of the trainer: those that are given, and those that follow from the pipeline."""
    model = fields["model"]
    if model["type"] == "BPE":
        affixes = ("continuing_subword_prefix", "end_of_word_suffix")
        options = {name: model[name] for name in affixes if model[name] is not None} | options
    if model["type"] == "Unigram" and unknown is not None:
        options = options | {"unk_token": unknown}
    if (fields["pre_tokenizer"] or {}).get("type") == "ByteLevel":
        options = options | {"initial_alphabet": ByteLevel.alphabet()}
    return options


def _rename_in_post_processor(fields: Json, names: Names, pipeline: BackendTokenizer) -> None:
    """Give the special tokens of a post-processor their new names and their new ids."""
    for special in fields.get("special_tokens", {}).values():
        special["tokens"] = [names.get(token, token) for token in special["tokens"]]
        special["ids"] = [pipeline.token_to_id(token) for token in special["tokens"]]
    for field in ("cls", "sep"):
        if field in fields:
            token = names.get(fields[field][0], fields[field][0])
            fields[field] = [token, pipeline.token_to_id(token)]


def _arguments(tokenizer: Any, names: Names, new_special_tokens: list[Any] | None) -> Json:
    """Return the arguments of the class for the new tokenizer: those of the old one, with renamed special tokens."""
    arguments = dict(tokenizer.init_kwargs)
    for name in tokenizer.SPECIAL_TOKENS_ATTRIBUTES:
        value = getattr(tokenizer, f"_{name}")
        if name != "additional_special_tokens" and value is not None:
            content = names.get(str(value), str(value))
            flags = {flag: getattr(value, flag) for flag in FLAGS} if isinstance(value, AddedToken) else None
            arguments[name] = content if flags is None else AddedToken(content, **flags)
    additional = [*tokenizer.additional_special_tokens, *(new_special_tokens or [])]
    return arguments | ({"additional_special_tokens": additional} if additional else {})
