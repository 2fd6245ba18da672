"""The base class of ready-made tokenizers: a tokenizer, and the options from which it was built.

Adds: `BaseTokenizer`, whose methods call those of its tokenizer; the training and the parts that the subclasses share.
Leaves out: the choice of the parts (the other files of this folder).

Source: tokenizers 0.23.3, bindings/python/py_src/tokenizers/implementations/base_tokenizer.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Concatenate, ParamSpec, TypeAlias, TypeVar, Union

from tokenlab.libraries.tokenizers import decoders, normalizers, pre_tokenizers
from tokenlab.libraries.tokenizers.added_vocabulary import AddedToken
from tokenlab.libraries.tokenizers.encoding import Encoding
from tokenlab.libraries.tokenizers.models import BPE
from tokenlab.libraries.tokenizers.tokenizer import Tokenizer

if TYPE_CHECKING:
    from tokenlab.algorithms.corpus.corpus_files import CorpusFiles
    from tokenlab.libraries.tokenizers import InputSequence
    from tokenlab.libraries.tokenizers.decoders import Decoder
    from tokenlab.libraries.tokenizers.models import Model
    from tokenlab.libraries.tokenizers.normalizers import Normalizer
    from tokenlab.libraries.tokenizers.pre_tokenizers import PreTokenizer
    from tokenlab.libraries.tokenizers.processors import PostProcessor


def use_space_symbols(tokenizer: Tokenizer, replacement: str = "▁", add_prefix_space: bool = True) -> None:
    """Give a tokenizer the pre-tokenizer and the decoder that replace spaces, and replace them back."""
    scheme = "always" if add_prefix_space else "never"
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement=replacement, prepend_scheme=scheme)
    tokenizer.decoder = decoders.Metaspace(replacement=replacement, prepend_scheme=scheme)


def bpe_model(vocab: Any, merges: Any, **options: Any) -> BPE:
    """Return a BPE with vocabulary and merges, or an empty one to be trained if one of the two is missing.

    >>> bpe_model({"a": 0}, None).get_vocab_size()
    0
    """
    return BPE(**options) if vocab is None or merges is None else BPE(vocab, merges, **options)


def shown(model: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `repr` shows: the name of the model, and the arguments of `__init__` but the vocabulary.

    >>> shown("BPE", {"self": None, "vocab": None, "dropout": 0.1})
    {'model': 'BPE', 'dropout': 0.1}
    """
    left_out = ("self", "vocab", "merges", "__class__")
    return {"model": model} | {name: value for name, value in arguments.items() if name not in left_out}


def chain(parts: list[Any]) -> Any:
    """Return a normalizer that applies all parts; None if there are none.

    >>> chain([]), chain([normalizers.NFC()]), chain([normalizers.NFC(), normalizers.Lowercase()])
    (None, NFC(), Sequence(normalizers=[NFC(), Lowercase()]))
    """
    if len(parts) > 1:
        return normalizers.Sequence(parts)
    return parts[0] if parts else None


P = ParamSpec("P")
R = TypeVar("R")
TokenLike: TypeAlias = str | AddedToken
Files: TypeAlias = Union[str, list[str], "CorpusFiles"]  # those of CorpusFiles are counted by its executor
Texts: TypeAlias = Iterable[str] | Iterable[Iterable[str]]
Vocab: TypeAlias = str | Mapping[str, int]
Merges: TypeAlias = str | list[tuple[str, str]]


def _part(name: str) -> Any:
    """Return a property that reads and sets a part of the tokenizer."""
    read = attrgetter(f"_tokenizer.{name}")
    return property(read, lambda self, value: setattr(self._tokenizer, name, value), doc=f"The tokenizer's {name}.")


def _passed_on(method: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], R]:
    """Return a method that calls the method of the same name of the tokenizer."""

    @wraps(method)
    def passed_on(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> R:
        result: R = getattr(self._tokenizer, method.__name__)(*args, **kwargs)
        return result

    return passed_on


class BaseTokenizer:
    """A tokenizer with the methods of `Tokenizer`, to which they are passed; None for an input raises a ValueError."""

    _trainer: ClassVar[Any]  # the class of the trainer
    _option_names: ClassVar[dict[str, str]] = {}  # from an argument of `train` to the option of the trainer

    model: Model = _part("model")
    normalizer: Normalizer | None = _part("normalizer")
    pre_tokenizer: PreTokenizer | None = _part("pre_tokenizer")
    post_processor: PostProcessor | None = _part("post_processor")
    decoder: Decoder | None = _part("decoder")

    def __init__(self, tokenizer: Tokenizer, parameters: Mapping[str, Any] | None = None) -> None:
        """Wrap a tokenizer.

        Args:
            tokenizer: the tokenizer that does the work.
            parameters: the options, which `repr` shows.
        """
        self._tokenizer = tokenizer
        self._parameters = parameters if parameters is not None else {}

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={value}" for name, value in self._parameters.items())
        return f"Tokenizer(vocabulary_size={self._tokenizer.get_vocab_size()}, {options})"

    # --- vocabulary ---------------------------------------------------------------------------------

    num_special_tokens_to_add = _passed_on(Tokenizer.num_special_tokens_to_add)
    get_vocab = _passed_on(Tokenizer.get_vocab)
    get_added_tokens_decoder = _passed_on(Tokenizer.get_added_tokens_decoder)
    get_vocab_size = _passed_on(Tokenizer.get_vocab_size)
    add_tokens = _passed_on(Tokenizer.add_tokens)
    token_to_id = _passed_on(Tokenizer.token_to_id)
    id_to_token = _passed_on(Tokenizer.id_to_token)

    def add_special_tokens(self, special_tokens: list[TokenLike]) -> int:
        """Add tokens that `decode` leaves out by default; return the number of new ones."""
        return self._tokenizer.add_special_tokens(special_tokens)

    # --- padding and truncation ---------------------------------------------------------------------

    def enable_padding(
        self,
        direction: str | None = "right",
        pad_to_multiple_of: int | None = None,
        pad_id: int | None = 0,
        pad_type_id: int | None = 0,
        pad_token: str | None = "[PAD]",
        length: int | None = None,
    ) -> None:
        """Pad the encodings of a batch to `length`, or to the longest one; see `Tokenizer.enable_padding`."""
        options = {"direction": direction, "pad_to_multiple_of": pad_to_multiple_of, "length": length}
        self._tokenizer.enable_padding(**options, pad_id=pad_id, pad_type_id=pad_type_id, pad_token=pad_token)

    no_padding = _passed_on(Tokenizer.no_padding)

    @property
    def padding(self) -> dict[str, Any] | None:
        """The options of padding, or None."""
        return self._tokenizer.padding

    def enable_truncation(
        self, max_length: int, stride: int | None = 0, strategy: str | None = "longest_first"
    ) -> None:
        """Truncate encodings to `max_length` tokens; see `Tokenizer.enable_truncation`."""
        self._tokenizer.enable_truncation(max_length, stride=stride, strategy=strategy)

    no_truncation = _passed_on(Tokenizer.no_truncation)

    @property
    def truncation(self) -> dict[str, Any] | None:
        """The options of truncation, or None."""
        return self._tokenizer.truncation

    # --- encoding -----------------------------------------------------------------------------------

    def normalize(self, sequence: str) -> str:
        """Return the text that the normalizer makes; without one, raise an AttributeError."""
        return self.normalizer.normalize_str(sequence)  # type: ignore[union-attr]

    def encode(
        self,
        sequence: InputSequence,
        pair: InputSequence | None = None,
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
    ) -> Encoding:
        """Encode a sequence, or a pair of sequences.

        Args:
            sequence: a str; a list of str if `is_pretokenized`.
            pair: a second sequence of the same type.
            is_pretokenized: whether the sequences are lists of pre-tokens.
            add_special_tokens: whether the post-processor adds its special tokens.
        """
        _refuse_none("sequence", sequence)
        return self._tokenizer.encode(sequence, pair, is_pretokenized, add_special_tokens)

    def encode_batch(
        self, inputs: list[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """Encode sequences and pairs; the arguments are those of `encode`."""
        _refuse_none("inputs", inputs)
        return self._tokenizer.encode_batch(inputs, is_pretokenized, add_special_tokens)

    async def async_encode_batch(
        self, inputs: list[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """Encode sequences and pairs in another thread; the arguments are those of `encode`."""
        _refuse_none("inputs", inputs)
        return await self._tokenizer.async_encode_batch(inputs, is_pretokenized, add_special_tokens)

    async def async_encode_batch_fast(
        self, inputs: list[Any], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """Encode sequences and pairs in another thread, without offsets; the arguments are those of `encode`."""
        _refuse_none("inputs", inputs)
        return await self._tokenizer.async_encode_batch_fast(inputs, is_pretokenized, add_special_tokens)

    post_process = _passed_on(Tokenizer.post_process)

    # --- decoding -----------------------------------------------------------------------------------

    def decode(self, ids: list[int], skip_special_tokens: bool | None = True) -> str:
        """Return the text of ids."""
        _refuse_none("ids", ids)
        return self._tokenizer.decode(ids, skip_special_tokens)  # type: ignore[arg-type]  # None is refused there

    def decode_batch(self, sequences: list[list[int]], skip_special_tokens: bool | None = True) -> list[str]:
        """Return the texts of lists of ids."""
        _refuse_none("sequences", sequences)
        return self._tokenizer.decode_batch(sequences, skip_special_tokens)  # type: ignore[arg-type]

    async def async_decode_batch(self, sequences: list[list[int]], skip_special_tokens: bool = True) -> list[str]:
        """Return the texts of lists of ids, from another thread."""
        _refuse_none("sequences", sequences)
        return await self._tokenizer.async_decode_batch(sequences, skip_special_tokens)

    # --- files --------------------------------------------------------------------------------------

    def save_model(self, directory: str, prefix: str | None = None) -> list[str]:
        """Write the vocabulary files of the model to a folder; return their paths."""
        return self.model.save(directory, prefix=prefix)

    save = _passed_on(Tokenizer.save)
    to_str = _passed_on(Tokenizer.to_str)

    # --- training, for the subclasses ---------------------------------------------------------------

    def _train(self, arguments: dict[str, Any]) -> None:
        """Train on the files or texts among the arguments of `train` or `train_from_iterator`.

        The other arguments are options of the trainer, under the names of `_option_names` or their own.
        """
        names = [name for name in arguments if name not in ("self", "files", "iterator", "length")]
        options = {self._option_names.get(name, name): arguments[name] for name in names}
        for name in ("special_tokens", "initial_alphabet"):
            options[name] = list(options.get(name) or ())
        trainer = self._trainer(**options)
        if "files" in arguments:
            files = arguments["files"]
            self._tokenizer.train([files] if isinstance(files, str) else files, trainer=trainer)
        else:
            self._tokenizer.train_from_iterator(arguments["iterator"], trainer=trainer, length=arguments["length"])


def _refuse_none(name: str, value: Any) -> None:
    if value is None:
        raise ValueError(f"{name} is None; None input is not valid")


def add_known(tokenizer: Tokenizer, tokens: Sequence[TokenLike]) -> None:
    """Make the tokens special that are in the vocabulary of the model."""
    tokenizer.add_special_tokens([str(token) for token in tokens if tokenizer.token_to_id(str(token)) is not None])
