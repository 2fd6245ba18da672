"""`Tokenizer`: a normalizer, a pre-tokenizer, a model, a post-processor and a decoder, one after the other.

Adds: the whole pipeline and its settings.
Leaves out: the run of one text through the components (`pipeline`), and the format of tokenizer.json
(`serialization`).

An encoding has its ids at once; tokens, offsets and words are computed when they are first requested. The encoding of a
tokenizer with random numbers (dropout) or with a component written by the user is computed as a whole.

Source: tokenizers, src/tokenizer/mod.rs and bindings/python/src/tokenizer.rs.

>>> from tokenlab.tokenizers.models import WordLevel
>>> tokenizer = Tokenizer(WordLevel({"[UNK]": 0, "a": 1}, unk_token="[UNK]"))
>>> tokenizer.encode("a").ids
[1]
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tokenlab.tokenizers.added_token import AddedToken
from tokenlab.tokenizers.added_vocabulary import AddedVocabulary
from tokenlab.tokenizers.components.arguments import UNSIGNED_32, check_bool, check_list, check_text, check_unsigned
from tokenlab.tokenizers.components.component import STR_ITEMS, STR_LENGTH, Component, representation
from tokenlab.tokenizers.decoders.decoder import Decoder
from tokenlab.tokenizers.encode_inputs import Input, as_items, check_batch, check_input
from tokenlab.tokenizers.encodings.encoding import Encoding
from tokenlab.tokenizers.encodings.padding import PaddingParams, pad_encodings
from tokenlab.tokenizers.encodings.truncation import TruncationParams, truncate_encodings
from tokenlab.tokenizers.models.model import Model
from tokenlab.tokenizers.normalizers.normalizer import Normalizer
from tokenlab.tokenizers.pipeline import Pipeline
from tokenlab.tokenizers.pre_tokenizers.pre_tokenizer import PreTokenizer
from tokenlab.tokenizers.processors.post_processor import PostProcessor
from tokenlab.traced_method import traced_method

if TYPE_CHECKING:
    from tokenlab.tokenizers.encode_steps import Step
    from tokenlab.tokenizers.trainers.trainer import Trainer

C = TypeVar("C", bound=Component)
R = TypeVar("R")


class Tokenizer:
    """A pipeline from a text to an `Encoding`, and back from ids to a text."""

    def __init__(self, model: Model) -> None:
        """Start with a model only; the other components are None until they are set.

        Raises:
            TypeError: `model` is not a Model.
        """
        self._model = _check_component("model", model, Model)
        self._normalizer: Normalizer | None = None
        self._pre_tokenizer: PreTokenizer | None = None
        self._post_processor: PostProcessor | None = None
        self._decoder: Decoder | None = None
        self._truncation: TruncationParams | None = None
        self._padding: PaddingParams | None = None
        self._added = AddedVocabulary()
        self._compiled: Pipeline | None = None
        self._compiled_at = -1

    # --- components -------------------------------------------------------------------------------

    @property
    def model(self) -> Model:
        """The model, which splits pre-tokens into tokens."""
        return self._model

    @model.setter
    def model(self, model: Model) -> None:
        self._model = _check_component("model", model, Model)
        self._compiled_at = -1

    @property
    def normalizer(self) -> Normalizer | None:
        """The normalizer, which changes the text; setting it normalizes the added tokens again."""
        return self._normalizer

    @normalizer.setter
    def normalizer(self, normalizer: Normalizer | None) -> None:
        self._normalizer = _check_optional("normalizer", normalizer, Normalizer)
        self._compiled_at = -1
        self._added.refresh(self._normalizer)

    @property
    def pre_tokenizer(self) -> PreTokenizer | None:
        """The pre-tokenizer, which splits the text."""
        return self._pre_tokenizer

    @pre_tokenizer.setter
    def pre_tokenizer(self, pre_tokenizer: PreTokenizer | None) -> None:
        self._pre_tokenizer = _check_optional("pre_tokenizer", pre_tokenizer, PreTokenizer)
        self._compiled_at = -1

    @property
    def post_processor(self) -> PostProcessor | None:
        """The post-processor, which adds special tokens."""
        return self._post_processor

    @post_processor.setter
    def post_processor(self, processor: PostProcessor | None) -> None:
        self._post_processor = _check_optional("post_processor", processor, PostProcessor)

    @property
    def decoder(self) -> Decoder | None:
        """The decoder, which joins tokens to a text."""
        return self._decoder

    @decoder.setter
    def decoder(self, decoder: Decoder | None) -> None:
        self._decoder = _check_optional("decoder", decoder, Decoder)

    @property
    def encode_special_tokens(self) -> bool:
        """Whether special tokens in a text are encoded as text, like any other characters."""
        return self._added.encode_special_tokens

    @encode_special_tokens.setter
    def encode_special_tokens(self, value: bool) -> None:
        self._added.encode_special_tokens_as_text(check_bool("encode_special_tokens", value))
        self._compiled_at = -1

    def _pipeline(self) -> Pipeline:
        """Return the components as they are now, in the form that runs."""
        if self._compiled is None or self._compiled_at != Component.changes:
            now = (self._normalizer, self._pre_tokenizer, self._model, self._added.patterns)
            if self._compiled is None or not self._compiled.is_current(*now):
                self._compiled = Pipeline(*now)
            self._compiled_at = Component.changes
        return self._compiled

    # --- encoding ---------------------------------------------------------------------------------

    def _encode_in_steps(
        self, sequence: Any, pair: Any = None, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> Generator[Step, None, Encoding]:
        from tokenlab.tokenizers.encode_in_steps import encode_in_steps

        first = check_input("sequence", sequence, is_pretokenized)
        second = None if pair is None else check_input("pair", pair, is_pretokenized)
        return (yield from encode_in_steps(self, first, second, add_special_tokens))

    @traced_method(_encode_in_steps)
    def encode(
        self, sequence: Any, pair: Any = None, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> Encoding:
        """Return the encoding of a text or of a pair of texts.

        `encode.steps` and `encode.record` yield every stage; `encode.record(text).play()` shows them.

        Args:
            sequence: a text; or a list of words, if `is_pretokenized`.
            pair: the second sequence, of the same kind.
            is_pretokenized: whether the sequences are lists of words.
            add_special_tokens: whether the post-processor adds special tokens.

        Raises:
            TypeError: an argument has the wrong type, or a text has a lone surrogate.
            ValueError: the model has no token for an unknown part, or the sequence cannot be truncated as requested.
        """
        check_bool("is_pretokenized", is_pretokenized)
        check_bool("add_special_tokens", add_special_tokens)
        first = check_input("sequence", sequence, is_pretokenized)
        second = None if pair is None else check_input("pair", pair, is_pretokenized)
        return self._encode(first, second, add_special_tokens, self._encode_sequence)

    def encode_batch(
        self, input: Any, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """Return the encoding of each text or pair; with padding, all have the length of the longest.

        Raises:
            TypeError, ValueError: as `encode`; `input` is not a list.

        >>> from tokenlab.tokenizers.models import WordLevel
        >>> tokenizer = Tokenizer(WordLevel({"a": 0, "b": 1}, unk_token="a"))
        >>> [encoding.ids for encoding in tokenizer.encode_batch(["a", ("a", "b")])]
        [[0], [0, 1]]
        """
        return self._encode_batch(input, is_pretokenized, add_special_tokens, self._encode_sequence)

    def encode_batch_fast(
        self, input: Any, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """Return encodings as `encode_batch`, but without the texts, offsets and words of the tokens."""
        return self._encode_batch(input, is_pretokenized, add_special_tokens, self._encode_sequence_to_ids)

    def _encode_batch(
        self, input: Any, is_pretokenized: bool, add_special_tokens: bool, encode: Callable[[Input, int], Encoding]
    ) -> list[Encoding]:
        check_bool("is_pretokenized", is_pretokenized)
        check_bool("add_special_tokens", add_special_tokens)
        pairs = check_batch(input, is_pretokenized)
        return self._pad([self._encode(first, second, add_special_tokens, encode) for first, second in pairs])

    def _encode(
        self,
        first: Input,
        second: Input | None,
        add_special_tokens: bool,
        encode: Callable[[Input, int], Encoding],
    ) -> Encoding:
        encoding = encode(first, 0)
        pair = None if second is None else encode(second, 1)
        return self._post_process(encoding, pair, add_special_tokens)

    def _encode_sequence(self, sequence: Input, type_id: int, in_bytes: bool = False) -> Encoding:
        return self._pipeline().encode(sequence, type_id, in_bytes)

    def _encode_sequence_to_ids(self, sequence: Input, type_id: int) -> Encoding:
        return self._pipeline().encode_to_ids(sequence, type_id)

    def post_process(
        self, encoding: Encoding, pair: Encoding | None = None, add_special_tokens: bool = True
    ) -> Encoding:
        """Truncate an encoding or a pair, apply the post-processor, and pad. The arguments are not changed.

        Raises:
            TypeError: an argument is not an Encoding.
            ValueError: the encoding cannot be truncated as requested.
        """
        _check_component("encoding", encoding, Encoding)
        if pair is not None:
            _check_component("pair", pair, Encoding)
        check_bool("add_special_tokens", add_special_tokens)
        return self._post_process(encoding.replaced(), None if pair is None else pair.replaced(), add_special_tokens)

    def _post_process(self, encoding: Encoding, pair: Encoding | None, add_special_tokens: bool) -> Encoding:
        encoding, pair = self._truncate(encoding, pair, add_special_tokens)
        encoding = self._apply_processor(encoding, pair, add_special_tokens)
        return self._pad([encoding])[0]

    def _truncate(
        self, encoding: Encoding, pair: Encoding | None, add_special_tokens: bool
    ) -> tuple[Encoding, Encoding | None]:
        if self._truncation is None:
            return encoding, pair
        added = self.num_special_tokens_to_add(pair is not None) if add_special_tokens else 0
        return truncate_encodings(encoding, pair, self._truncation.less(added))

    def _apply_processor(self, encoding: Encoding, pair: Encoding | None, add_special_tokens: bool) -> Encoding:
        if self._post_processor is not None:
            return self._post_processor.process(encoding, pair, add_special_tokens)
        return PostProcessor.default_process([encoding] if pair is None else [encoding, pair])

    def _pad(self, encodings: list[Encoding]) -> list[Encoding]:
        if self._padding is not None:
            pad_encodings(encodings, self._padding)
        return encodings

    # --- asyncio ----------------------------------------------------------------------------------

    def async_encode(
        self, sequence: Any, pair: Any = None, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> asyncio.Future[Encoding]:
        """Return a future of `encode`, computed in another thread; as in the library, its offsets are in bytes.

        Raises:
            RuntimeError: no event loop is running.
            TypeError: as `encode`.
        """
        first = check_input("sequence", sequence, is_pretokenized)
        second = None if pair is None else check_input("pair", pair, is_pretokenized)

        def in_bytes(sequence: Input, type_id: int) -> Encoding:
            return self._encode_sequence(sequence, type_id, in_bytes=True)

        return _in_thread(lambda: self._encode(first, second, add_special_tokens, in_bytes))

    def async_encode_batch(
        self, input: Any, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> asyncio.Future[list[Encoding]]:
        """Return a future of `encode_batch`, computed in another thread.

        Raises:
            RuntimeError, TypeError: as `async_encode`.
        """
        check_batch(input, is_pretokenized)
        return _in_thread(lambda: self.encode_batch(input, is_pretokenized, add_special_tokens))

    def async_encode_batch_fast(
        self, input: Any, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> asyncio.Future[list[Encoding]]:
        """Return a future of `encode_batch_fast`, computed in another thread.

        Raises:
            RuntimeError, TypeError: as `async_encode`.
        """
        check_batch(input, is_pretokenized)
        return _in_thread(lambda: self.encode_batch_fast(input, is_pretokenized, add_special_tokens))

    def async_decode_batch(self, sequences: Any, skip_special_tokens: bool = True) -> asyncio.Future[list[str]]:
        """Return a future of `decode_batch`, computed in another thread.

        Raises:
            RuntimeError, TypeError: as `async_encode`.
        """
        batch = [_check_ids(f"sequences[{place}]", ids) for place, ids in enumerate(_check_sequence(sequences))]
        return _in_thread(lambda: self.decode_batch(batch, skip_special_tokens))

    # --- decoding ---------------------------------------------------------------------------------

    def decode(self, ids: Any, skip_special_tokens: bool = True) -> str:
        """Return the text of some ids. An id without a token is left out.

        Without a decoder, the tokens are joined with spaces.

        Raises:
            TypeError: `ids` is not a sequence of integers.
            OverflowError: an id is negative or does not fit in 32 bits.
        """
        check_bool("skip_special_tokens", skip_special_tokens)
        special = self._added.special if skip_special_tokens else ()
        tokens = [token for id in _check_ids("ids", ids) if (token := self._token(id)) is not None]
        kept = [token for token in tokens if token not in special]
        return " ".join(kept) if self._decoder is None else self._decoder.decode(kept)

    def decode_batch(self, sequences: Any, skip_special_tokens: bool = True) -> list[str]:
        """Return the text of each sequence of ids, as `decode`."""
        return [self.decode(ids, skip_special_tokens) for ids in _check_sequence(sequences)]

    # --- vocabulary -------------------------------------------------------------------------------

    def token_to_id(self, token: str) -> int | None:
        """Return the id of a token, or None if there is no such token."""
        return self._added.token_to_id(check_text("token", token), self._model)

    def id_to_token(self, id: int) -> str | None:
        """Return the token with an id, or None; for an added token, its normalized form."""
        return self._token(check_unsigned("id", id, UNSIGNED_32))

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
        return self._add([_as_added_token(token, special=False) for token in check_list("tokens", tokens)])

    def add_special_tokens(self, tokens: list[str | AddedToken]) -> int:
        """Add special tokens, which `decode` can skip; return how many are new, or have new flags.

        As in the library, each AddedToken that is given becomes special itself.

        Raises:
            TypeError: as `add_tokens`.
        """
        return self._add([_as_added_token(token, special=True) for token in check_list("tokens", tokens)])

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

    def no_truncation(self) -> None:
        """Do not truncate later encodings."""
        self._truncation = None

    @property
    def truncation(self) -> dict[str, Any] | None:
        """The arguments of `enable_truncation`, or None."""
        return None if self._truncation is None else self._truncation.as_options()

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
        return None if self._padding is None else self._padding.as_options()

    # --- training ---------------------------------------------------------------------------------

    def train(self, files: list[str], trainer: Trainer | None = None) -> None:
        """Train the model on the lines of UTF-8 files.

        Args:
            files: the paths.
            trainer: by default, a trainer of the model's kind with default settings.

        Raises:
            FileNotFoundError: there is no such file.
            ValueError: a file is not UTF-8, or the trainer cannot train this model.
        """
        from tokenlab import files as text_files

        paths = [check_text(f"files[{place}]", path) for place, path in enumerate(_check_sequence(files, "files"))]
        for path in paths:
            Path(path).stat()
        self._train(text_files.read_lines(*paths), trainer)

    def train_from_iterator(
        self, iterator: Iterable[Any], trainer: Trainer | None = None, length: int | None = None
    ) -> None:
        """Train the model on texts.

        Args:
            iterator: texts, or lists of texts.
            trainer: by default, a trainer of the model's kind with default settings.
            length: the number of texts, which the library's progress bar shows; it makes no other difference.

        Raises:
            TypeError: an item is neither a str nor a list of str.
            ValueError: the trainer cannot train this model.
        """
        if length is not None:
            check_unsigned("length", length)
        self._train(_texts(iterator), trainer)

    def _train(self, texts: Iterator[str], trainer: Trainer | None) -> None:
        from tokenlab.tokenizers.trainers.trainer import Trainer

        trainer = self._model.get_trainer() if trainer is None else _check_component("trainer", trainer, Trainer)
        assert trainer is not None
        trainer.feed(texts, self._pipeline().word_texts)
        self._add(trainer.train_model(self._model))

    # --- files ------------------------------------------------------------------------------------

    @staticmethod
    def from_str(json: str) -> Tokenizer:
        """Return the tokenizer that a text in the format of tokenizer.json describes.

        Raises:
            TypeError: `json` is not a str.
            ValueError: it is no such text; the message has the place in the file and the fix.
        """
        from tokenlab.tokenizers.serialization import read_tokenizer

        return read_tokenizer(check_text("json", json))

    @staticmethod
    def from_file(path: str) -> Tokenizer:
        """Return the tokenizer in a tokenizer.json.

        Raises:
            FileNotFoundError: there is no such file.
            ValueError: as `from_str`.
        """
        from tokenlab.tokenizers.serialization import read_tokenizer

        return read_tokenizer(Path(check_text("path", path)).read_bytes(), check_text("path", path))

    @staticmethod
    def from_buffer(buffer: bytes) -> Tokenizer:
        """Return the tokenizer in the bytes of a tokenizer.json.

        Raises:
            TypeError: `buffer` is not bytes.
            ValueError: as `from_str`.
        """
        from tokenlab.tokenizers.serialization import read_tokenizer

        return read_tokenizer(_check_component("buffer", buffer, bytes))

    @staticmethod
    def from_pretrained(identifier: str, revision: str = "main", token: str | None = None) -> Tokenizer:
        """Return the tokenizer of a repository on the Hugging Face Hub; huggingface_hub downloads and caches it.

        Args:
            identifier: the repository, which has a tokenizer.json.
            revision: a branch, a tag or a commit.
            token: an access token for private repositories.
        """
        from huggingface_hub import hf_hub_download

        arguments = {"repo_id": check_text("identifier", identifier), "filename": "tokenizer.json"}
        arguments["revision"] = check_text("revision", revision)
        if token is not None:
            arguments["token"] = check_text("token", token)
        return Tokenizer.from_file(hf_hub_download(**arguments))  # type: ignore[call-overload]

    def to_str(self, pretty: bool = False) -> str:
        """Return the tokenizer in the format of tokenizer.json; `pretty` adds line breaks and indents.

        Raises:
            ValueError: a component is a Python object of the user, which cannot be saved.
        """
        from tokenlab.tokenizers.serialization import write_tokenizer

        return write_tokenizer(self._to_json(), check_bool("pretty", pretty))

    def save(self, path: str, pretty: bool = True) -> None:
        """Write a tokenizer.json.

        Raises:
            FileNotFoundError: there is no such folder.
            ValueError: as `to_str`.
        """
        from tokenlab.files import write_atomically

        write_atomically(check_text("path", path), self.to_str(pretty))

    def _to_json(self, fields: Callable[[Any], Any] = lambda part: part.to_json()) -> dict[str, Any]:
        def optional(part: Any) -> Any:
            return None if part is None else fields(part)

        return {
            "version": "1.0",
            "truncation": self._truncation and self._truncation.to_json(),
            "padding": self._padding and self._padding.to_json(),
            "added_tokens": self._added.to_json(),
            "normalizer": optional(self._normalizer),
            "pre_tokenizer": optional(self._pre_tokenizer),
            "post_processor": optional(self._post_processor),
            "decoder": optional(self._decoder),
            "model": fields(self._model),
        }

    def _shown(self) -> dict[str, Any]:
        return {"type": "Tokenizer", **self._to_json(lambda part: part._shown())}

    def __repr__(self) -> str:
        return representation(self._shown())

    def __str__(self) -> str:
        return representation(self._shown(), items=STR_ITEMS, length=STR_LENGTH)

    def __getstate__(self) -> bytes:
        """Return the tokenizer.json, which `pickle` and `copy` use."""
        return self.to_str().encode()

    def __setstate__(self, state: bytes) -> None:
        vars(self).update(vars(Tokenizer.from_buffer(state)))


def _check_component(name: str, value: Any, kind: type[R]) -> R:
    if isinstance(value, kind):
        return value
    raise TypeError(f"{name}={value!r:.60} should be of type {kind.__name__}, not {type(value).__name__}")


def _check_optional(name: str, value: Any, kind: type[C]) -> C | None:
    return None if value is None else _check_component(name, value, kind)


def _as_added_token(token: Any, special: bool) -> AddedToken:
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


def _check_sequence(value: Any, name: str = "sequences") -> list[Any]:
    items = as_items(value)
    if items is None:
        raise TypeError(f"{name}={value!r:.60} should be a list, not {type(value).__name__}")
    return items


def _check_ids(name: str, value: Any) -> list[int]:
    return [
        check_unsigned(name, id, UNSIGNED_32)
        for id in _check_sequence(list(value) if isinstance(value, bytes) else value, name)
    ]


def _texts(iterator: Iterable[Any]) -> Iterator[str]:
    """Yield the texts of an iterator of texts and of lists of texts."""
    for item in iterator:
        if isinstance(item, str):
            yield check_text("an item of iterator", item)
        else:
            for text in item:
                yield check_text("a text in an item of iterator", text)


def _in_thread(run: Callable[[], R]) -> asyncio.Future[R]:
    return asyncio.get_running_loop().run_in_executor(None, run)
