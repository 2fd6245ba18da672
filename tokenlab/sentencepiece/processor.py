"""`SentencePieceProcessor`: text to pieces or ids, and back.

Adds: one interface for all input and return types. Every method has a second name (`EncodeAsIds`, `encode_as_ids`).
Leaves out: segmentation of a normalized text, which is in `segmentation`.

Source: sentencepiece/__init__.py; google/sentencepiece, src/sentencepiece_processor.cc.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from math import isfinite
from operator import index
from typing import Any, TypeAlias

from tokenlab.sentencepiece import random_seed as settings
from tokenlab.sentencepiece.call_options import CallOptions
from tokenlab.sentencepiece.encode_steps import IdsAssigned, SamplingOptions, segment_steps, unknown_piece_steps
from tokenlab.sentencepiece.model_proto import (
    BPE,
    BYTE,
    CHAR,
    CONTROL,
    UNIGRAM,
    UNKNOWN,
    UNUSED,
    WORD,
    Model,
    all_valid,
    read_model,
    read_model_file,
    to_bytes,
    valid,
)
from tokenlab.sentencepiece.normalization.text_normalizer import Normalizer
from tokenlab.sentencepiece.piece_surfaces import PieceWithSurface, align_surfaces, apply_byte_fallback, decode_pieces
from tokenlab.sentencepiece.return_types import (
    RETURN_TYPES_WITH_OFFSETS,
    ReturnType,
    byte_offsets,
    numpy_array,
    offset_mapping,
    to_nbest_sentencepiece_text,
    to_sentencepiece_text,
    to_text,
)
from tokenlab.sentencepiece.segmentation.bpe_model import BpeModel
from tokenlab.sentencepiece.segmentation.unigram_model import UnigramModel
from tokenlab.sentencepiece.segmentation.word_and_char_models import CharModel, Segmentation, WordModel
from tokenlab.sentencepiece.snake_case_aliases import add_snake_case_aliases
from tokenlab.sentencepiece.word_encoder import WordEncoder
from tokenlab.traced_method import traced_method

Segmenter: TypeAlias = BpeModel | UnigramModel | WordModel | CharModel
SEGMENTERS: dict[int, Callable[[Model], Segmenter]] = {
    UNIGRAM: UnigramModel,
    BPE: BpeModel,
    WORD: WordModel,
    CHAR: CharModel,
}
MAX_NBEST = 512  # segmentations; src/sentencepiece_processor.cc, kMaxNBestSize


class LoadedModel:
    """A model with its normalizer and segmenter."""

    def __init__(self, model: Model) -> None:
        self.model = model
        spec = model.proto
        self.segmenter = SEGMENTERS[model.type](model)
        self.normalizer = Normalizer(
            spec.normalizer_spec, spec.trainer_spec.treat_whitespace_as_suffix, model.user_defined_pattern
        )
        self.word_encoder = self._word_encoder()
        denormalizes = spec.denormalizer_spec.precompiled_charsmap
        self.denormalizer = Normalizer(spec.denormalizer_spec) if denormalizes else None
        self.unk, self.bos, self.eos, self.pad = (
            model.special_id("unk", UNKNOWN),
            *(model.special_id(role, CONTROL) for role in ("bos", "eos", "pad")),
        )

    def _word_encoder(self) -> WordEncoder | None:
        """Return the encoder that looks up words, unless pieces may cross the start of a word."""
        segmenter = self.segmenter
        if not isinstance(segmenter, BpeModel | UnigramModel) or segmenter.words is None:
            return None
        return WordEncoder(self.model, self.normalizer.normalize, segmenter.encode_word)


_RETURNED: dict[str, tuple[ReturnType, str]] = {
    "Pieces": (str, "pieces"),
    "Ids": (int, "ids"),
    "Numpy": ("numpy", "ids as an array"),
    "Proto": ("proto", "pieces, ids, surfaces and offsets as a message"),
    "OffsetMapping": ("offset_mapping", "ids, pieces and offsets in a dict"),
}


def _shortcut(name: str) -> Any:
    """Return a method such as `EncodeAsIds`, which calls `Encode`, `NBestEncode` or `ParallelEncode`."""
    family, _, returned = name.partition("As")
    called, (return_type, described) = family.removeprefix("Sample"), _RETURNED[returned]

    def plain(self: Any, input: Any, **kwargs: Any) -> Any:
        return getattr(self, called)(input=input, return_type=return_type, **kwargs)

    def n_best(self: Any, input: Any, nbest_size: Any = None, **kwargs: Any) -> Any:
        return plain(self, input, nbest_size=nbest_size, **kwargs)

    def sample(self: Any, input: Any, nbest_size: Any = None, alpha: Any = None, **kwargs: Any) -> Any:
        return plain(self, input, nbest_size=nbest_size, alpha=alpha, enable_sampling=True, **kwargs)

    method: Any = sample if name.startswith("Sample") else n_best if name.startswith("NBest") else plain
    method.__name__, method.__qualname__ = name, f"SentencePieceProcessor.{name}"
    sampled = ", with a sampled segmentation" if method is sample else ""
    method.__doc__ = f"Call `{called}`{sampled}, and return {described}."
    return method


@add_snake_case_aliases
class SentencePieceProcessor:
    """Encode and decode texts with a model file; the public interface is sentencepiece's."""

    def __init__(
        self,
        model_file: Any = None,
        model_proto: Any = None,
        out_type: ReturnType = None,
        add_bos: bool = False,
        add_eos: bool = False,
        reverse: bool = False,
        emit_unk_piece: bool = False,
        enable_sampling: bool = False,
        nbest_size: int = -1,
        alpha: float = 0.1,
        num_threads: int = -1,
        return_type: ReturnType = None,
    ) -> None:
        """Take a model, and the default options of its methods.

        Args:
            model_file: the path of a `.model` file.
            model_proto: its bytes, or a ModelProto.
            out_type: an older name for `return_type`.
            add_bos: whether to put the beginning-of-sequence id before the ids.
            add_eos: whether to put the end-of-sequence id after the ids.
            reverse: whether to reverse their order.
            emit_unk_piece: whether to return `<unk>` for an unknown piece, instead of its text.
            enable_sampling: whether to sample a segmentation.
            nbest_size: the number of best segmentations to sample from; below 0, all. (Unigram models only.)
            alpha: in a unigram model, the exponent of the probabilities: lower is closer to uniform. In a bpe model,
                the probability that a merge is dropped: higher gives shorter pieces.
            num_threads: is checked, and otherwise has no effect.
            return_type: int, str, bytes, "proto", "serialized_proto", "numpy" or "offset_mapping".

        Raises:
            ValueError: return_type is unknown, or given together with out_type.
            RuntimeError: the model cannot be read.
        """
        self._loaded: LoadedModel | None = None
        self._options = CallOptions.from_processor(
            out_type, return_type, add_bos, add_eos, reverse, emit_unk_piece, enable_sampling, nbest_size, alpha,
            num_threads,
        )  # fmt: skip
        if model_file or model_proto:
            self.Load(model_file=model_file, model_proto=model_proto)

    # --- loading ----------------------------------------------------------------------------------

    @classmethod
    def from_file(cls, model_file: Any, **kwargs: Any) -> SentencePieceProcessor:
        """Return a processor for a model file; the other arguments are those of the class."""
        processor = cls(**_without_model(kwargs))
        processor.LoadFromFile(model_file)
        return processor

    @classmethod
    def from_proto(cls, model_proto: Any, **kwargs: Any) -> SentencePieceProcessor:
        """Return a processor for the bytes of a model file, or for a ModelProto."""
        processor = cls(**_without_model(kwargs))
        processor.LoadFromSerializedProto(model_proto)
        return processor

    def Load(self, model_file: Any = None, model_proto: Any = None) -> bool:
        """Read a model from a file or from bytes.

        Raises:
            ValueError: both are given, or neither.
            RuntimeError: the model cannot be read.
        """
        if bool(model_file) == bool(model_proto):
            given = "both" if model_file else "neither"
            raise ValueError(f"{given} of model_file and model_proto given; give exactly one: a path, or bytes")
        return self.LoadFromSerializedProto(model_proto) if model_proto else self.LoadFromFile(model_file)

    def LoadFromFile(self, filename: Any) -> bool:
        """Read a model from a file."""
        if not isinstance(filename, str | bytes) and not hasattr(filename, "__fspath__"):
            raise TypeError(f"model_file is {type(filename).__name__}; give the path of a .model file")
        return self._load(read_model_file(filename.decode() if isinstance(filename, bytes) else filename))

    def LoadFromSerializedProto(self, serialized: Any) -> bool:
        """Read a model from its bytes, or from a ModelProto."""
        return self._load(serialized)

    def _load(self, serialized: Any) -> bool:
        self._loaded = None
        self._loaded = LoadedModel(read_model(serialized))
        return True

    def _ready(self) -> LoadedModel:
        if self._loaded is None:
            raise RuntimeError("no model is loaded; give model_file= or model_proto=, or call load() first")
        return self._loaded

    # --- encoding ---------------------------------------------------------------------------------

    def _encode_in_steps(
        self,
        input: Any,
        add_bos: bool | None = None,
        add_eos: bool | None = None,
        reverse: bool | None = None,
        emit_unk_piece: bool | None = None,
        enable_sampling: bool | None = None,
        nbest_size: int | None = None,
        alpha: float | None = None,
        num_threads: int | None = None,
        thread_pool: Any = None,
        return_type: ReturnType = None,
        out_type: ReturnType = None,
        return_bytes: bool | None = None,
    ) -> Generator[Any, None, Any]:
        options = self._options.override(
            out_type, return_type, add_bos, add_eos, reverse, emit_unk_piece, enable_sampling, nbest_size, alpha,
            num_threads,
        )  # fmt: skip
        options.check_encoding(return_bytes)
        in_bytes = _in_bytes(input, return_bytes)
        if not isinstance(input, list):
            return (yield from self._steps_of(to_text(input), options, in_bytes))
        results = []
        for one in input:
            results.append((yield from self._steps_of(to_text(one, TypeError), options, in_bytes)))
        return results

    @traced_method(_encode_in_steps)
    def Encode(
        self,
        input: Any,
        add_bos: bool | None = None,
        add_eos: bool | None = None,
        reverse: bool | None = None,
        emit_unk_piece: bool | None = None,
        enable_sampling: bool | None = None,
        nbest_size: int | None = None,
        alpha: float | None = None,
        num_threads: int | None = None,
        thread_pool: Any = None,
        return_type: ReturnType = None,
        out_type: ReturnType = None,
        return_bytes: bool | None = None,
    ) -> Any:
        """Return the pieces or ids of a text, or of each text in a list.

        `encode.steps` and `encode.record` report the steps; `encode.record(text).play()` plays them.

        Args:
            input: a str, bytes, or a list of these.
            add_bos, add_eos, reverse, emit_unk_piece, enable_sampling, nbest_size, alpha, num_threads: as in the class.
            thread_pool: is checked, and otherwise has no effect.
            return_type, out_type: as in the class.
            return_bytes: whether an offset mapping is in bytes; by default if the input is.

        Raises:
            TypeError: the input has another type.
            ValueError: incompatible arguments, or the model has no bos or eos piece.
            RuntimeError: no model is loaded, alpha is below 0, nbest_size is too large, or a text has a lone surrogate.
        """
        options = self._options.override(
            out_type, return_type, add_bos, add_eos, reverse, emit_unk_piece, enable_sampling, nbest_size, alpha,
            num_threads,
        )  # fmt: skip
        options.check_encoding(return_bytes)
        in_bytes = _in_bytes(input, return_bytes)
        if not isinstance(input, list):
            return self._encode(to_text(input), options, in_bytes)
        settings.check_thread_pool(thread_pool)
        return [self._encode(to_text(one, TypeError), options, in_bytes) for one in input]

    def _encode(self, text: str, options: CallOptions, in_bytes: bool) -> Any:
        loaded = self._ready()
        words = loaded.word_encoder
        if words and options.are_plain_ids and (ids := words.encode(text)) is not None:
            return ids
        if options.return_type in RETURN_TYPES_WITH_OFFSETS:
            normalized = loaded.normalizer.normalize_with_offsets(text)
            segmentation = self._segment(normalized.text, options)
            pieces = align_surfaces(text, normalized, segmentation, loaded.model)
            return _format_with_offsets(options.return_type, text, pieces, in_bytes)
        segmentation = self._segment(loaded.normalizer.normalize(text), options)
        return self._format(apply_byte_fallback(segmentation, loaded.model), options)

    def _word_encoder(self) -> WordEncoder | None:
        """Return the encoder that looks up words, unless an option of the processor changes the pieces of a text."""
        return self._ready().word_encoder if self._options.are_plain_pieces else None

    def _steps_of(self, text: str, options: CallOptions, in_bytes: bool) -> Generator[Any, None, Any]:
        """Encode one text in steps: normalization, segmentation, unknown pieces, ids."""
        loaded = self._ready()
        yield from loaded.normalizer.changes(text)
        normalized = loaded.normalizer.normalize_with_offsets(text)
        sampling = self._sampling_options(options) if options.enable_sampling else None
        segmentation = yield from segment_steps(loaded.segmenter, loaded.model, normalized.text, sampling)
        yield from unknown_piece_steps(segmentation, loaded.model)
        whole = apply_byte_fallback(segmentation, loaded.model)
        yield IdsAssigned(tuple(whole.pieces), tuple(whole.ids))
        if options.return_type in RETURN_TYPES_WITH_OFFSETS:
            pieces = align_surfaces(text, normalized, segmentation, loaded.model)
            return _format_with_offsets(options.return_type, text, pieces, in_bytes)
        return self._format(whole, options)

    def _segment(self, normalized: str, options: CallOptions) -> Segmentation:
        segmenter = self._ready().segmenter
        if not options.enable_sampling:
            return segmenter.encode(normalized)
        sampling, size = self._sampling_options(options), options.nbest_size
        if isinstance(segmenter, UnigramModel) and size >= 0:
            return segmenter.sample_from_best(normalized, size, *sampling) if size > 1 else segmenter.encode(normalized)
        assert isinstance(segmenter, BpeModel | UnigramModel)
        return segmenter.sample(normalized, *sampling)

    def _sampling_options(self, options: CallOptions) -> SamplingOptions:
        """Check and return the parameters of sampling."""
        if not (isfinite(options.alpha) and options.alpha >= 0):
            raise RuntimeError(f"alpha={options.alpha} should be a finite number, 0 or more")
        _check_size(options.nbest_size)
        if not isinstance(self._ready().segmenter, BpeModel | UnigramModel):
            raise RuntimeError("enable_sampling=True needs a unigram or bpe model; this one has only one segmentation")
        return SamplingOptions(options.alpha, settings.random)

    def _format(self, segmentation: Segmentation, options: CallOptions) -> Any:
        """Return pieces or ids, with bos and eos if requested."""
        loaded, in_pieces = self._ready(), options.return_type in (str, bytes)
        found: list[Any] = list(segmentation.ids)
        if in_pieces:
            found = self._replace_unknown(segmentation.pieces) if options.emit_unk_piece else list(segmentation.pieces)
        if options.reverse:
            found.reverse()
        for add, id, role in ((options.add_bos, loaded.bos, "bos"), (options.add_eos, loaded.eos, "eos")):
            if add and id < 0:
                raise ValueError(f"add_{role}=True, but this model has no {role} piece; train it with {role}_id")
            if add:
                found.insert(0 if role == "bos" else len(found), loaded.model.pieces[id] if in_pieces else id)
        if in_pieces:
            return list(map(to_bytes, found)) if options.return_type is bytes else all_valid(found)
        return numpy_array(found) if options.return_type == "numpy" else found

    def _replace_unknown(self, pieces: list[str]) -> list[str]:
        loaded = self._ready()
        if loaded.unk < 0:
            raise ValueError("emit_unk_piece=True, but this model has no unknown piece")
        unknown = loaded.model.pieces[loaded.unk]
        return [unknown if loaded.model.id_of(piece) == loaded.unk else piece for piece in pieces]

    EncodeAsPieces = _shortcut("EncodeAsPieces")
    EncodeAsIds = _shortcut("EncodeAsIds")
    EncodeAsNumpy = _shortcut("EncodeAsNumpy")
    EncodeAsProto = _shortcut("EncodeAsProto")
    EncodeAsOffsetMapping = _shortcut("EncodeAsOffsetMapping")
    SampleEncodeAsPieces = _shortcut("SampleEncodeAsPieces")
    SampleEncodeAsIds = _shortcut("SampleEncodeAsIds")
    SampleEncodeAsNumpy = _shortcut("SampleEncodeAsNumpy")
    SampleEncodeAsProto = _shortcut("SampleEncodeAsProto")

    # --- the n best -------------------------------------------------------------------------------

    def NBestEncode(
        self,
        input: Any,
        add_bos: bool | None = None,
        add_eos: bool | None = None,
        reverse: bool | None = None,
        emit_unk_piece: bool | None = None,
        nbest_size: int | None = None,
        return_type: ReturnType = None,
        out_type: ReturnType = None,
    ) -> Any:
        """Return the most probable segmentations of a text, or of each text in a list, best first.

        Raises:
            RuntimeError: not a unigram model, or a size above 512.
        """
        options = self._options.override(out_type, return_type, add_bos, add_eos, reverse, emit_unk_piece)
        size = self._options.nbest_size if nbest_size is None else nbest_size
        if isinstance(input, list):
            return [self._n_best(one, max(size, 1), options) for one in input]
        return self._n_best(input, max(size, 1), options)

    def _n_best(self, given: Any, size: int, options: CallOptions) -> Any:
        if options.return_type == "offset_mapping":
            raise ValueError("return_type='offset_mapping' is not available for the n best; use 'proto'")
        loaded = self._ready()
        text = to_text(given)
        proto = options.return_type in RETURN_TYPES_WITH_OFFSETS
        if proto:
            options.check_no_changes()
        _check_size(size)
        if not isinstance(loaded.segmenter, UnigramModel):
            raise RuntimeError("nbest_encode needs a unigram model; others have only one segmentation")
        normalized = loaded.normalizer.normalize_with_offsets(text)
        segmentations = loaded.segmenter.n_best(normalized.text, size)
        if not proto:
            return [self._format(apply_byte_fallback(one, loaded.model), options) for one, _ in segmentations]
        aligned = ((align_surfaces(text, normalized, one, loaded.model), score) for one, score in segmentations)
        whole = to_nbest_sentencepiece_text(text, aligned)
        return whole if options.return_type == "proto" else whole.SerializeToString()

    NBestEncodeAsPieces = _shortcut("NBestEncodeAsPieces")
    NBestEncodeAsIds = _shortcut("NBestEncodeAsIds")
    NBestEncodeAsNumpy = _shortcut("NBestEncodeAsNumpy")
    NBestEncodeAsProto = _shortcut("NBestEncodeAsProto")

    # --- long texts -------------------------------------------------------------------------------

    def ParallelEncode(
        self,
        input: Any,
        add_bos: bool | None = None,
        add_eos: bool | None = None,
        reverse: bool | None = None,
        emit_unk_piece: bool | None = None,
        chunk_len: int | None = None,
        num_threads: int | None = None,
        thread_pool: Any = None,
        return_type: ReturnType = None,
        out_type: ReturnType = None,
    ) -> Any:
        """Return the same as `Encode`; the library encodes chunks of a long text in threads and joins the results.

        Raises:
            ValueError: chunk_len is not an integer above 0.
        """
        if not isinstance(chunk_len, int) or chunk_len <= 0:
            raise ValueError(f"chunk_len={chunk_len!r} should be a number of characters above 0")
        settings.check_thread_pool(thread_pool)
        if self._options.shape(out_type, return_type) == "offset_mapping" and input != []:
            raise ValueError("return_type='offset_mapping' is not available for long texts; use 'proto'")
        return SentencePieceProcessor.Encode(
            self, input=input, add_bos=add_bos, add_eos=add_eos, reverse=reverse, emit_unk_piece=emit_unk_piece,
            enable_sampling=False, num_threads=num_threads, return_type=return_type, out_type=out_type,
        )  # fmt: skip

    ParallelEncodeAsPieces = _shortcut("ParallelEncodeAsPieces")
    ParallelEncodeAsIds = _shortcut("ParallelEncodeAsIds")
    ParallelEncodeAsNumpy = _shortcut("ParallelEncodeAsNumpy")
    ParallelEncodeAsProto = _shortcut("ParallelEncodeAsProto")

    # --- decoding ---------------------------------------------------------------------------------

    def Decode(
        self,
        input: Any,
        return_type: ReturnType = None,
        out_type: ReturnType = None,
        num_threads: int | None = None,
        thread_pool: Any = None,
        return_bytes: bool | None = None,
    ) -> Any:
        """Return the text of pieces or ids, or of each list of them in a list. Pieces as bytes give bytes.

        Raises:
            IndexError: an id is not in the model.
            TypeError: neither pieces nor ids.
            ValueError: return_type is not available for decoding.
        """
        shape = self._options.shape(out_type, return_type, default=str)
        self._options.override(num_threads=num_threads).check(return_bytes, shape)
        settings.check_thread_pool(thread_pool)
        if shape in (int, "numpy"):
            raise ValueError(f"return_type={shape} is not available for decoding; use str, bytes, 'proto' or another")
        if input is None or (isinstance(input, str | bytes) and not input):
            input = []
        many = input if _is_sequence(input) else [input]
        is_batch = many.ndim > 1 if hasattr(many, "ndim") else len(many) > 0 and _is_sequence(many[0])
        if not is_batch:
            return self._decode(many, _kind([many]), shape, bool(return_bytes))
        kind = _kind(many)
        return [self._decode(one, kind, shape, bool(return_bytes)) for one in many]

    def _decode(self, many: Any, kind: type, shape: ReturnType, in_bytes: bool) -> Any:
        checked = self._checked_ids(many) if kind is int else []
        loaded = self._ready()
        model = loaded.model
        if kind is int:
            ids, pieces = checked, [model.pieces[id] for id in checked]
        else:
            pieces = [_piece_of(piece) for piece in many]
            ids = [model.id_of(piece) for piece in pieces]
        found = decode_pieces(pieces, ids, model)
        text = "".join(piece.surface or "" for piece in found)
        if loaded.denormalizer:
            text = loaded.denormalizer.normalize(text)
        in_bytes = in_bytes or kind is bytes
        if shape in RETURN_TYPES_WITH_OFFSETS:
            mapping = _format_with_offsets(shape, text, found, in_bytes)
            is_mapping = shape == "offset_mapping"
            return {"text": to_bytes(text) if in_bytes else valid(text), **mapping} if is_mapping else mapping
        return to_bytes(text) if shape is bytes or kind is bytes else valid(text)

    def DecodePieces(self, input: Any, return_type: ReturnType = None, **kwargs: Any) -> Any:
        """Return the text of pieces."""
        return self.Decode(input=input, return_type=return_type, **kwargs)

    def DecodeIds(self, input: Any, return_type: ReturnType = None, **kwargs: Any) -> Any:
        """Return the text of ids."""
        return self.Decode(input=input, return_type=return_type, **kwargs)

    def DecodePiecesAsProto(self, input: Any, **kwargs: Any) -> Any:
        """Return the text of pieces as a SentencePieceText."""
        return self.Decode(input=input, return_type="proto", **kwargs)

    def DecodeIdsAsProto(self, input: Any, **kwargs: Any) -> Any:
        """Return the text of ids as a SentencePieceText."""
        return self.Decode(input=input, return_type="proto", **kwargs)

    # --- normalizing ------------------------------------------------------------------------------

    def Normalize(self, input: Any, with_offsets: bool | None = None) -> Any:
        """Return the normalized text; with_offsets adds the origin of each character (or byte) and of the end."""
        if isinstance(input, list):
            return [self._normalize(one, with_offsets) for one in input]
        return self._normalize(input, with_offsets)

    def _normalize(self, given: Any, with_offsets: bool | None) -> Any:
        return format_normalized(self._ready().normalizer, given, with_offsets)

    # --- looking up -------------------------------------------------------------------------------

    def GetPieceSize(self) -> int:
        """Return the number of pieces; 0 before a model is loaded."""
        return len(self._loaded.model.pieces) if self._loaded else 0

    def PieceToId(self, piece: Any) -> Any:
        """Return the id of a piece (or of each in a list); for other strings that of the unknown piece."""
        id_of = self._loaded.model.id_of if self._loaded else lambda piece: 0
        if isinstance(piece, str | bytes):
            return id_of(_piece_of(piece))
        if not isinstance(piece, Sequence):
            raise TypeError(f"piece is {type(piece).__name__}; give a str or bytes, or a list of these")
        return [id_of(_piece_of(one)) for one in piece]

    def IdToPiece(self, id: Any) -> Any:
        """Return the piece of an id, or of each in a list.

        Raises:
            IndexError: an id is not in the model.
            TypeError: not an integer.
            UnicodeDecodeError: the piece is not UTF-8, so it cannot be a str.
        """
        return self._of_each(id, lambda model, id: valid(model.pieces[id]))

    def GetScore(self, id: Any) -> Any:
        """Return the score of a piece: its log probability in a unigram model, its negative rank in a bpe model."""
        return self._of_each(id, lambda model, id: model.scores[id])

    def IsUnknown(self, id: Any) -> Any:
        """Whether the id is that of an unknown piece."""
        return self._of_each(id, lambda model, id: model.is_unknown(id))

    def IsControl(self, id: Any) -> Any:
        """Whether the id is that of a control piece, to which no text is encoded."""
        return self._of_each(id, lambda model, id: model.kinds[id] == CONTROL)

    def IsUnused(self, id: Any) -> Any:
        """Whether the id is that of an unused piece, to which no text is encoded."""
        return self._of_each(id, lambda model, id: model.kinds[id] == UNUSED)

    def IsByte(self, id: Any) -> Any:
        """Whether the id is that of a byte piece, used for unknown characters."""
        return self._of_each(id, lambda model, id: model.kinds[id] == BYTE)

    def _of_each(self, id: Any, value: Callable[[Model, int], Any]) -> Any:
        if hasattr(id, "__len__"):
            return [value(self._ready().model, one) for one in self._checked_ids(id)]
        [one] = self._checked_ids([id])
        return value(self._ready().model, one)

    def _checked_ids(self, ids: Any) -> list[int]:
        size = len(self._loaded.model.pieces) if self._loaded else 0
        checked = [_check_integer(id) for id in _listed(ids)]
        for id in checked:
            if not 0 <= id < size:
                raise IndexError(f"id {id} is not in this model; its ids are 0 to {size - 1}")
        return checked

    def unk_id(self) -> int:
        """Return the id of the unknown piece; -1 if the model has none."""
        return self._loaded.unk if self._loaded else -1

    def bos_id(self) -> int:
        """Return the beginning-of-sequence id; -1 if the model has none."""
        return self._loaded.bos if self._loaded else -1

    def eos_id(self) -> int:
        """Return the end-of-sequence id; -1 if the model has none."""
        return self._loaded.eos if self._loaded else -1

    def pad_id(self) -> int:
        """Return the padding id; -1 if the model has none."""
        return self._loaded.pad if self._loaded else -1

    def serialized_model_proto(self) -> bytes:
        """Return the bytes of the model file."""
        return bytes(self._loaded.model.proto.SerializeToString()) if self._loaded else b""

    piece_size = GetPieceSize
    vocab_size = GetPieceSize
    Tokenize = Encode
    Detokenize = Decode

    # The aliases that a type checker should know; `add_snake_case_aliases` adds all of them.
    encode, encode_as_ids, encode_as_pieces, encode_as_proto = Encode, EncodeAsIds, EncodeAsPieces, EncodeAsProto
    encode_as_offset_mapping, nbest_encode, normalize, decode = EncodeAsOffsetMapping, NBestEncode, Normalize, Decode
    sample_encode_as_ids, sample_encode_as_pieces = SampleEncodeAsIds, SampleEncodeAsPieces
    load, piece_to_id, id_to_piece, get_score, get_piece_size = Load, PieceToId, IdToPiece, GetScore, GetPieceSize
    is_unknown, is_control, is_unused, is_byte = IsUnknown, IsControl, IsUnused, IsByte

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_loaded": None, "model_proto": self.serialized_model_proto()}

    def __setstate__(self, state: dict[str, Any] | bytes) -> None:
        state = {"model_proto": state} if isinstance(state, bytes) else dict(state)  # bytes: of an older version
        SentencePieceProcessor.__init__(self)
        self.LoadFromSerializedProto(state.pop("model_proto"))
        vars(self).update(state, _loaded=self._loaded)

    def __len__(self) -> int:
        return self.GetPieceSize()

    def __getitem__(self, piece: Any) -> Any:
        return self.PieceToId(piece)


def _without_model(kwargs: dict[str, Any]) -> dict[str, Any]:
    if given := {"model_file", "model_proto"} & kwargs.keys():
        raise ValueError(f"{given.pop()} is given as a second source of the model; give only the first argument")
    return kwargs


def format_normalized(normalizer: Normalizer, given: Any, with_offsets: bool | None) -> Any:
    """Return a normalized text in the type of the input, with origins in characters or in bytes."""
    text = to_text(given)
    if not with_offsets:
        normalized = normalizer.normalize(text)
        return to_bytes(normalized) if isinstance(given, bytes) else normalized
    normalized, origins = normalizer.normalize_with_offsets(text)
    if not isinstance(given, bytes):
        return normalized, origins or [0]
    places = byte_offsets(text)
    in_bytes = [places[origin] for origin, new in zip(origins, normalized, strict=False) for _ in to_bytes(new)]
    return to_bytes(normalized), in_bytes + [places[origin] for origin in origins[-1:]]


def _format_with_offsets(shape: ReturnType, text: str, pieces: Sequence[PieceWithSurface], in_bytes: bool) -> Any:
    if shape == "offset_mapping":
        return offset_mapping(text, pieces, in_bytes)
    whole = to_sentencepiece_text(text, pieces)
    return whole if shape == "proto" else whole.SerializeToString()


def _in_bytes(input: Any, return_bytes: bool | None) -> bool:
    """Whether an offset mapping is in bytes: as requested, or as the input, or the first text in it, is."""
    first = input[0] if isinstance(input, list) and input else input
    return isinstance(first, bytes) if return_bytes is None else return_bytes


def _check_size(size: int) -> None:
    if size > MAX_NBEST:
        raise RuntimeError(f"nbest_size={size} is above {MAX_NBEST}, the library's maximum")


def _is_sequence(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str | bytes)


def _kind(batch: Iterable[Any]) -> type:
    """Return the type of the elements to decode, which the first element decides: int, str or bytes."""
    for many in batch:
        if _is_sequence(many) and len(many) > 0:
            first = None if hasattr(many, "dtype") else many[0]
            return bytes if isinstance(first, bytes) else str if isinstance(first, str) else int
    return int


def _listed(ids: Any) -> Iterable[Any]:
    try:
        if not isinstance(ids, str | bytes | bytearray):
            return list(ids)
    except TypeError:
        pass
    raise TypeError(f"ids are {type(ids).__name__}; give a whole number, or a list of these")


def _check_integer(id: Any) -> int:
    try:
        number = index(id)
    except TypeError:
        number = None
    if number is None or not -(2**31) <= number < 2**31:
        raise TypeError(f"id={id!r:.60} should be a whole number of at most 32 bits")
    return number


def _checked_piece(piece: Any) -> str | bytes:
    if isinstance(piece, str | bytes):
        return piece
    raise TypeError(f"piece={piece!r:.60} should be a str or bytes")


def _piece_of(piece: Any) -> str:
    return to_text(_checked_piece(piece), TypeError)
