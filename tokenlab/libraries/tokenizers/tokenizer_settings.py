"""The components and settings of a tokenizer, which can be changed at any time, and its vocabulary.

Adds: `TokenizerSettings`: components, added tokens, truncation, padding; `_encoder`, the form of all this that runs.
Leaves out: the calls that use them (`tokenizer`), and tokenizer.json (`serialization`).

Source: tokenizers, src/tokenizer/mod.rs and bindings/python/src/tokenizer.rs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, TypeVar

from tokenlab.libraries.tokenizers.added_vocabulary import AddedToken, AddedVocabulary, as_added_token
from tokenlab.libraries.tokenizers.components.arguments import check_bool, check_list, check_text, check_unsigned_32
from tokenlab.libraries.tokenizers.components.component import Component
from tokenlab.libraries.tokenizers.decoders.decoder import Decoder
from tokenlab.libraries.tokenizers.encoder import Encoder
from tokenlab.libraries.tokenizers.models.model import Model
from tokenlab.libraries.tokenizers.normalizers.normalizer import Normalizer
from tokenlab.libraries.tokenizers.pipeline import Pipeline
from tokenlab.libraries.tokenizers.pre_tokenizers.pre_tokenizer import PreTokenizer
from tokenlab.libraries.tokenizers.processors.post_processor import PostProcessor
from tokenlab.libraries.tokenizers.truncate_and_pad import PaddingParams, TruncationParams

R = TypeVar("R")


def check_instance(name: str, value: Any, kind: type[R]) -> R:
    """Return a value of a class; raise a TypeError for any other.

    >>> check_instance("count", 3, int)
    3
    """
    if isinstance(value, kind):
        return value
    raise TypeError(f"{name}={value!r:.60} should be of type {kind.__name__}, not {type(value).__name__}")


def _part(name: str, kind: type[Component], doc: str) -> Any:
    """Return a property that reads and replaces a component; all but the model may be None."""

    def read(self: TokenizerSettings) -> Any:
        return getattr(self, f"_{name}")

    def replace(self: TokenizerSettings, value: Any) -> None:
        if value is not None or name == "model":
            check_instance(name, value, kind)
        setattr(self, f"_{name}", value)
        self._compiled_at = -1
        if name == "normalizer":
            self._added.refresh(value)

    return property(read, replace, doc=doc)


class TokenizerSettings:
    """The components of a tokenizer and its settings, each of which can be replaced."""

    def __init__(self, model: Model) -> None:
        """Start with a model only; the other components are None until they are set.

        Raises:
            TypeError: `model` is not a Model.
        """
        self._model = check_instance("model", model, Model)
        self._normalizer: Normalizer | None = None
        self._pre_tokenizer: PreTokenizer | None = None
        self._post_processor: PostProcessor | None = None
        self._decoder: Decoder | None = None
        self._truncation: TruncationParams | None = None
        self._padding: PaddingParams | None = None
        self._added = AddedVocabulary()
        self._compiled: Encoder | None = None
        self._compiled_at = -1

    # --- components -------------------------------------------------------------------------------

    model: Model = _part("model", Model, "The model, which splits pre-tokens into tokens.")
    normalizer: Normalizer | None = _part(
        "normalizer",
        Normalizer,
        "The normalizer, which changes the text; setting it normalizes the added tokens again.",
    )
    pre_tokenizer: PreTokenizer | None = _part(
        "pre_tokenizer", PreTokenizer, "The pre-tokenizer, which splits the text."
    )
    post_processor: PostProcessor | None = _part(
        "post_processor", PostProcessor, "The post-processor, which adds special tokens."
    )
    decoder: Decoder | None = _part("decoder", Decoder, "The decoder, which joins tokens to a text.")

    @property
    def encode_special_tokens(self) -> bool:
        """Whether special tokens in a text are encoded as text, like any other characters."""
        return self._added.encode_special_tokens

    @encode_special_tokens.setter
    def encode_special_tokens(self, value: bool) -> None:
        self._added.encode_special_tokens_as_text(check_bool("encode_special_tokens", value))
        self._compiled_at = -1

    def _encoder(self) -> Encoder:
        """Return the components and settings as they are now, in the form that runs."""
        if self._compiled is None or self._compiled_at != Component.changes:
            now = (self._normalizer, self._pre_tokenizer, self._model, self._added.patterns)
            pipeline = None if self._compiled is None else self._compiled.pipeline
            if pipeline is None or not pipeline.is_current(*now):
                pipeline = Pipeline(*now)
            self._compiled = Encoder(pipeline, self._truncation, self._post_processor)
            self._compiled_at = Component.changes
        return self._compiled

    def _pipeline(self) -> Pipeline:
        return self._encoder().pipeline

    # --- vocabulary -------------------------------------------------------------------------------

    def token_to_id(self, token: str) -> int | None:
        """Return the id of a token, or None if there is no such token."""
        return self._added.token_to_id(check_text("token", token), self._model)

    def id_to_token(self, id: int) -> str | None:
        """Return the token with an id, or None; for an added token, its normalized form."""
        return self._token(check_unsigned_32("id", id))

    def _token(self, id: int) -> str | None:
        token = self._added.id_to_token(id)
        return self._model.id_to_token(id) if token is None else token

    def get_vocab(self, with_added_tokens: bool = True) -> dict[str, int]:
        """Return the id of each token of the model, and of the added tokens if requested."""
        vocab = self._model.get_vocab()
        return vocab | self._added.ids if check_bool("with_added_tokens", with_added_tokens) else vocab

    def get_vocab_size(self, with_added_tokens: bool = True) -> int:
        """Return the number of tokens of the model, and of added tokens that are not among them, if requested."""
        size = self._model.get_vocab_size()
        if not check_bool("with_added_tokens", with_added_tokens):
            return size
        return size + sum(self._model.token_to_id(token) is None for token in self._added.ids)

    def get_added_tokens_decoder(self) -> dict[int, AddedToken]:
        """Return the added tokens by their ids, in the order of the ids."""
        return {id: token.copy() for id, token in sorted(self._added.tokens.items())}

    def add_tokens(self, tokens: list[str | AddedToken]) -> int:
        """Add tokens to the vocabulary; return how many are new, or have new flags.

        A token of the model keeps its id; a new token has the next one.

        Raises:
            TypeError: `tokens` is not a list of str or AddedToken, or a str has a lone surrogate.
        """
        return self._add([as_added_token(token, special=False) for token in check_list("tokens", tokens)])

    def add_special_tokens(self, tokens: list[str | AddedToken]) -> int:
        """Add special tokens, which `decode` can skip; return how many are new, or have new flags.

        As in the library, each AddedToken that is given becomes special itself.

        Raises:
            TypeError: as `add_tokens`.
        """
        return self._add([as_added_token(token, special=True) for token in check_list("tokens", tokens)])

    def _add(self, tokens: Iterable[AddedToken]) -> int:
        self._compiled_at = -1
        return self._added.add(tokens, self._model, self._normalizer)

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """Return the number of special tokens that the post-processor adds to a sequence, or to a pair."""
        check_bool("is_pair", is_pair)
        return 0 if self._post_processor is None else self._post_processor.num_special_tokens_to_add(is_pair)

    # --- truncation and padding -------------------------------------------------------------------

    def enable_truncation(self, max_length: int, **options: Any) -> None:
        """Truncate later encodings.

        Args:
            max_length: the largest number of tokens, with special tokens.
            stride: the number of tokens that overflowing windows share (default: 0).
            strategy: "longest_first" (default), "only_first" or "only_second", for pairs.
            direction: "right" (default) removes tokens at the end, "left" at the start.

        Raises:
            TypeError, OverflowError: a number is not an integer, or is negative.
            ValueError: another strategy or direction, or the stride is larger than the windows.
        """
        params = TruncationParams.from_options(max_length, **options)
        params.check_stride(self.num_special_tokens_to_add(False))
        self._truncation = params
        self._compiled_at = -1

    def no_truncation(self) -> None:
        """Do not truncate later encodings."""
        if self._truncation is not None:
            self._truncation = None
            self._compiled_at = -1

    @property
    def truncation(self) -> dict[str, Any] | None:
        """The arguments of `enable_truncation`, or None."""
        return None if self._truncation is None else asdict(self._truncation)

    def enable_padding(self, **options: Any) -> None:
        """Pad later encodings to the length of the longest in the batch, or to a fixed length.

        Args:
            direction: "right" (default) or "left".
            pad_id, pad_type_id, pad_token: the padding token (default: 0, 0, "[PAD]").
            length: the fixed length; None (default) for the longest of the batch.
            pad_to_multiple_of: pad further, to a multiple of this number.

        Raises:
            TypeError, OverflowError: a number is not an integer, is negative, or does not fit in 32 bits.
            ValueError: another direction.
        """
        self._padding = PaddingParams.from_options(**options)

    def no_padding(self) -> None:
        """Do not pad later encodings."""
        self._padding = None

    @property
    def padding(self) -> dict[str, Any] | None:
        """The arguments of `enable_padding`, or None."""
        return None if self._padding is None else asdict(self._padding)
