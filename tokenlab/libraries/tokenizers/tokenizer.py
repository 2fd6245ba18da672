"""`Tokenizer`: a normalizer, a pre-tokenizer, a model, a post-processor and a decoder, one after the other.

Adds: encoding, decoding and training.
Leaves out: the components and settings (`tokenizer_settings`), tokenizer.json (`serialization`), and the run of one
text through the components (`encoder`, `pipeline`).

An encoding has its ids at once; tokens, offsets and words are computed when they are first requested. The encoding of a
tokenizer with random numbers (dropout) or with a component written by the user is computed as a whole.

Source: tokenizers, src/tokenizer/mod.rs and bindings/python/src/tokenizer.rs.

>>> from tokenlab.libraries.tokenizers.models import WordLevel
>>> tokenizer = Tokenizer(WordLevel({"[UNK]": 0, "a": 1}, unk_token="[UNK]"))
>>> tokenizer.encode("a").ids
[1]
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tokenlab.libraries.tokenizers.components.arguments import (
    as_items,
    check_batch,
    check_bool,
    check_input,
    check_text,
    check_unsigned,
    check_unsigned_32,
)
from tokenlab.libraries.tokenizers.encode_in_steps import Step, encode_in_steps
from tokenlab.libraries.tokenizers.encoding import Encoding
from tokenlab.libraries.tokenizers.pipeline import OffsetUnit
from tokenlab.libraries.tokenizers.serialization import TokenizerFiles
from tokenlab.libraries.tokenizers.tokenizer_settings import check_instance
from tokenlab.libraries.tokenizers.truncate_and_pad import pad_encodings
from tokenlab.steps.traced_method import traced_method

if TYPE_CHECKING:
    from tokenlab.algorithms.corpus.corpus_files import CorpusFiles
    from tokenlab.libraries.tokenizers.trainers.trainer import Trainer

R = TypeVar("R")


class Tokenizer(TokenizerFiles):
    """A pipeline from a text to an `Encoding`, and back from ids to a text."""

    # --- encoding ---------------------------------------------------------------------------------

    def _encode_in_steps(
        self, sequence: Any, pair: Any = None, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> Generator[Step, None, Encoding]:
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
        return self._padded([self._encoder().encode(first, second, add_special_tokens)])[0]

    def encode_batch(
        self, input: Sequence[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """Return the encoding of each text or pair; with padding, all have the length of the longest.

        Raises:
            TypeError, ValueError: as `encode`; `input` is not a list.

        >>> from tokenlab.libraries.tokenizers.models import WordLevel
        >>> tokenizer = Tokenizer(WordLevel({"a": 0, "b": 1}, unk_token="a"))
        >>> [encoding.ids for encoding in tokenizer.encode_batch(["a", ("a", "b")])]
        [[0], [0, 1]]
        """
        return self._encode_batch(input, is_pretokenized, add_special_tokens, "character")

    def encode_batch_fast(
        self, input: Sequence[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """Return encodings as `encode_batch`, but without the texts, offsets and words of the tokens."""
        return self._encode_batch(input, is_pretokenized, add_special_tokens, None)

    def _encode_batch(
        self, input: Sequence[Any], is_pretokenized: bool, add_special_tokens: bool, unit: OffsetUnit
    ) -> list[Encoding]:
        check_bool("is_pretokenized", is_pretokenized)
        check_bool("add_special_tokens", add_special_tokens)
        pairs = check_batch(input, is_pretokenized)
        encode = self._encoder().encode
        return self._padded([encode(first, second, add_special_tokens, unit) for first, second in pairs])

    def post_process(
        self, encoding: Encoding, pair: Encoding | None = None, add_special_tokens: bool = True
    ) -> Encoding:
        """Truncate an encoding or a pair, apply the post-processor, and pad. The arguments are not changed.

        Raises:
            TypeError: an argument is not an Encoding.
            ValueError: the encoding cannot be truncated as requested.
        """
        check_instance("encoding", encoding, Encoding)
        if pair is not None:
            check_instance("pair", pair, Encoding)
        check_bool("add_special_tokens", add_special_tokens)
        encodings = [one.copy() for one in (encoding, pair) if one is not None]
        return self._padded([self._encoder().post_process(encodings, add_special_tokens)])[0]

    def _padded(self, encodings: list[Encoding]) -> list[Encoding]:
        return encodings if self._padding is None else pad_encodings(encodings, self._padding)

    # --- decoding ---------------------------------------------------------------------------------

    def decode(self, ids: Sequence[int], skip_special_tokens: bool = True) -> str:
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

    def decode_batch(self, sequences: Sequence[Sequence[int]], skip_special_tokens: bool = True) -> list[str]:
        """Return the text of each sequence of ids, as `decode`."""
        return [self.decode(ids, skip_special_tokens) for ids in _check_sequence(sequences)]

    # --- training ---------------------------------------------------------------------------------

    def train(self, files: list[str] | CorpusFiles, trainer: Trainer | None = None) -> None:
        """Train the model on the lines of UTF-8 files.

        Args:
            files: the paths. The files of `CorpusFiles` are read, split and counted by its executor.
            trainer: by default, a trainer of the model's kind with default settings.

        Raises:
            FileNotFoundError: there is no such file.
            ValueError: a file is not UTF-8, or the trainer cannot train this model.
        """
        from tokenlab.algorithms.corpus.corpus_files import CorpusFiles
        from tokenlab.storage import files as text_files

        if isinstance(files, CorpusFiles):
            self._train(files, trainer)
            return
        paths = [check_text(f"files[{place}]", path) for place, path in enumerate(_check_sequence(files, "files"))]
        for path in paths:
            Path(path).stat()
        self._train(text_files.read_lines(*paths), trainer)

    def train_from_iterator(
        self, iterator: Iterable[Any], trainer: Trainer | None = None, length: int | None = None
    ) -> None:
        """Train the model on texts.

        Args:
            iterator: texts, or lists of texts. The texts of `CorpusFiles` are split and counted by its executor.
            trainer: by default, a trainer of the model's kind with default settings.
            length: the number of texts, which the library's progress bar shows; it makes no other difference.

        Raises:
            TypeError: an item is neither a str nor a list of str.
            ValueError: the trainer cannot train this model.
        """
        if length is not None:
            check_unsigned("length", length)
        from tokenlab.algorithms.corpus.corpus_files import CorpusFiles
        from tokenlab.libraries.tokenizers.trainers.trainer import texts_of

        self._train(iterator if isinstance(iterator, CorpusFiles) else texts_of(iterator), trainer)

    def _train(self, texts: Iterable[str], trainer: Trainer | None) -> None:
        from tokenlab.libraries.tokenizers.trainers.trainer import Trainer

        trainer = self._model.get_trainer() if trainer is None else check_instance("trainer", trainer, Trainer)
        assert trainer is not None
        trainer.feed(texts, self._pipeline().word_texts)
        self._add(trainer.train_model(self._model))

    # --- asyncio ----------------------------------------------------------------------------------

    def async_encode(
        self, sequence: Any, pair: Any = None, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> asyncio.Future[Encoding]:
        """Return a future of `encode`, computed in another thread; as in the library, its offsets are in bytes.

        Raises:
            RuntimeError: no event loop is running.
            TypeError: as `encode`.
        """
        check_bool("add_special_tokens", add_special_tokens)
        first = check_input("sequence", sequence, check_bool("is_pretokenized", is_pretokenized))
        second = None if pair is None else check_input("pair", pair, is_pretokenized)
        return _in_thread(lambda: self._padded([self._encoder().encode(first, second, add_special_tokens, "byte")])[0])

    def async_encode_batch(
        self, input: Sequence[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> asyncio.Future[list[Encoding]]:
        """Return a future of `encode_batch`, computed in another thread; exceptions as of `async_encode`."""
        check_bool("add_special_tokens", add_special_tokens)
        check_batch(input, check_bool("is_pretokenized", is_pretokenized))
        return _in_thread(lambda: self.encode_batch(input, is_pretokenized, add_special_tokens))

    def async_encode_batch_fast(
        self, input: Sequence[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> asyncio.Future[list[Encoding]]:
        """Return a future of `encode_batch_fast`, computed in another thread; exceptions as of `async_encode`."""
        check_bool("add_special_tokens", add_special_tokens)
        check_batch(input, check_bool("is_pretokenized", is_pretokenized))
        return _in_thread(lambda: self.encode_batch_fast(input, is_pretokenized, add_special_tokens))

    def async_decode_batch(
        self, sequences: Sequence[Sequence[int]], skip_special_tokens: bool = True
    ) -> asyncio.Future[list[str]]:
        """Return a future of `decode_batch`, computed in another thread; exceptions as of `async_encode`."""
        check_bool("skip_special_tokens", skip_special_tokens)
        batch = [_check_ids(f"sequences[{place}]", ids) for place, ids in enumerate(_check_sequence(sequences))]
        return _in_thread(lambda: self.decode_batch(batch, skip_special_tokens))


def _check_sequence(value: Any, name: str = "sequences") -> list[Any]:
    items = as_items(value)
    if items is None:
        raise TypeError(f"{name}={value!r:.60} should be a list, not {type(value).__name__}")
    return items


def _check_ids(name: str, value: Any) -> list[int]:
    return [
        check_unsigned_32(name, id) for id in _check_sequence(list(value) if isinstance(value, bytes) else value, name)
    ]


def _in_thread(run: Callable[[], R]) -> asyncio.Future[R]:
    return asyncio.get_running_loop().run_in_executor(None, run)
