"""`SentencePieceProcessor`: text to pieces or ids, and back.

Adds: one interface for all input and return types. Every method has a second name (`EncodeAsIds`, `encode_as_ids`).
Leaves out: segmentation of a normalized text (`bpe_model`, `unigram_model`, `model_interface`); decoding and looking
up, which are in `piece_methods`.

Source: sentencepiece/__init__.py; google/sentencepiece, src/sentencepiece_processor.cc.
"""

from __future__ import annotations

from collections.abc import Generator
from math import isfinite
from typing import Any

from tokenlab.libraries.sentencepiece.bpe_model import BpeModel
from tokenlab.libraries.sentencepiece.encode_steps import (
    IdsAssigned,
    SamplingOptions,
    segment_steps,
    unknown_piece_steps,
)
from tokenlab.libraries.sentencepiece.loaded_model import LoadedModel, WordEncoder, align_surfaces, apply_byte_fallback
from tokenlab.libraries.sentencepiece.model_interface import Segmentation, read_model
from tokenlab.libraries.sentencepiece.model_proto import read_model_file
from tokenlab.libraries.sentencepiece.piece_methods import DecodeMethods
from tokenlab.libraries.sentencepiece.results import (
    RETURN_TYPES_WITH_OFFSETS,
    CallOptions,
    ModelPath,
    ReturnType,
    Texts,
    add_snake_case_aliases,
    check_thread_pool,
    counts_bytes,
    format_normalized,
    format_segmentation,
    format_with_offsets,
    random,
    shortcut,
    to_nbest_sentencepiece_text,
    to_text,
)
from tokenlab.libraries.sentencepiece.unigram_model import UnigramModel
from tokenlab.steps.traced_method import traced_method

MAX_NBEST = 512  # segmentations; src/sentencepiece_processor.cc, kMaxNBestSize


@add_snake_case_aliases
class SentencePieceProcessor(DecodeMethods):
    """Encode and decode texts with a model file; the public interface is sentencepiece's."""

    def __init__(
        self,
        model_file: ModelPath | None = None,
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
    def from_file(cls, model_file: ModelPath, **kwargs: Any) -> SentencePieceProcessor:
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

    def Load(self, model_file: ModelPath | None = None, model_proto: Any = None) -> bool:
        """Read a model from a file or from bytes.

        Raises:
            ValueError: both are given, or neither.
            RuntimeError: the model cannot be read.
        """
        if model_file and not model_proto:
            return self.LoadFromFile(model_file)
        if model_proto and not model_file:
            return self.LoadFromSerializedProto(model_proto)
        given = "both" if model_file else "neither"
        raise ValueError(f"{given} of model_file and model_proto given; give exactly one: a path, or bytes")

    def LoadFromFile(self, filename: ModelPath) -> bool:
        """Read a model from a file.

        Raises:
            RuntimeError: it cannot be read, or is no model; the message names the file.
        """
        if not isinstance(filename, str | bytes) and not hasattr(filename, "__fspath__"):
            raise TypeError(f"model_file is {type(filename).__name__}; give the path of a .model file")
        path = filename.decode() if isinstance(filename, bytes) else filename
        serialized = read_model_file(path)
        try:
            return self._load(serialized)
        except RuntimeError as error:
            raise RuntimeError(f"{str(path)!r}: {error}") from None

    def LoadFromSerializedProto(self, serialized: Any) -> bool:
        """Read a model from its bytes, or from a ModelProto."""
        return self._load(serialized)

    def _load(self, serialized: Any) -> bool:
        self._loaded = None
        self._loaded = LoadedModel(read_model(serialized))
        return True

    # --- encoding ---------------------------------------------------------------------------------

    def _encode_in_steps(
        self,
        input: Texts,
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
        in_bytes = counts_bytes(input, return_bytes)
        if not isinstance(input, list):
            return (yield from self._steps_of(to_text(input), options, in_bytes))
        results = []
        for one in input:
            results.append((yield from self._steps_of(to_text(one, TypeError), options, in_bytes)))
        return results

    @traced_method(_encode_in_steps)
    def Encode(
        self,
        input: Texts,
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
        in_bytes = counts_bytes(input, return_bytes)
        if not isinstance(input, list):
            return self._encode(to_text(input), options, in_bytes)
        check_thread_pool(thread_pool)
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
            return format_with_offsets(options.return_type, text, pieces, in_bytes)
        segmentation = self._segment(loaded.normalizer.normalize(text), options)
        return format_segmentation(apply_byte_fallback(segmentation, loaded.model), options, loaded)

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
            return format_with_offsets(options.return_type, text, pieces, in_bytes)
        return format_segmentation(whole, options, loaded)

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
        return SamplingOptions(options.alpha, random)

    EncodeAsPieces = shortcut("EncodeAsPieces")
    EncodeAsIds = shortcut("EncodeAsIds")
    EncodeAsNumpy = shortcut("EncodeAsNumpy")
    EncodeAsProto = shortcut("EncodeAsProto")
    EncodeAsOffsetMapping = shortcut("EncodeAsOffsetMapping")
    SampleEncodeAsPieces = shortcut("SampleEncodeAsPieces")
    SampleEncodeAsIds = shortcut("SampleEncodeAsIds")
    SampleEncodeAsNumpy = shortcut("SampleEncodeAsNumpy")
    SampleEncodeAsProto = shortcut("SampleEncodeAsProto")

    # --- the n best -------------------------------------------------------------------------------

    def NBestEncode(
        self,
        input: Texts,
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
            with_bytes = (apply_byte_fallback(one, loaded.model) for one, _ in segmentations)
            return [format_segmentation(one, options, loaded) for one in with_bytes]
        aligned = ((align_surfaces(text, normalized, one, loaded.model), score) for one, score in segmentations)
        whole = to_nbest_sentencepiece_text(text, aligned)
        return whole if options.return_type == "proto" else whole.SerializeToString()

    NBestEncodeAsPieces = shortcut("NBestEncodeAsPieces")
    NBestEncodeAsIds = shortcut("NBestEncodeAsIds")
    NBestEncodeAsNumpy = shortcut("NBestEncodeAsNumpy")
    NBestEncodeAsProto = shortcut("NBestEncodeAsProto")

    # --- long texts -------------------------------------------------------------------------------

    def ParallelEncode(
        self,
        input: Texts,
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
        check_thread_pool(thread_pool)
        if self._options.shape(out_type, return_type) == "offset_mapping" and input != []:
            raise ValueError("return_type='offset_mapping' is not available for long texts; use 'proto'")
        return SentencePieceProcessor.Encode(
            self, input=input, add_bos=add_bos, add_eos=add_eos, reverse=reverse, emit_unk_piece=emit_unk_piece,
            enable_sampling=False, num_threads=num_threads, return_type=return_type, out_type=out_type,
        )  # fmt: skip

    ParallelEncodeAsPieces = shortcut("ParallelEncodeAsPieces")
    ParallelEncodeAsIds = shortcut("ParallelEncodeAsIds")
    ParallelEncodeAsNumpy = shortcut("ParallelEncodeAsNumpy")
    ParallelEncodeAsProto = shortcut("ParallelEncodeAsProto")

    # --- normalizing ------------------------------------------------------------------------------

    def Normalize(self, input: Texts, with_offsets: bool | None = None) -> Any:
        """Return the normalized text; with_offsets adds the origin of each character (or byte) and of the end."""
        if isinstance(input, list):
            return [self._normalize(one, with_offsets) for one in input]
        return self._normalize(input, with_offsets)

    def _normalize(self, given: Any, with_offsets: bool | None) -> Any:
        return format_normalized(self._ready().normalizer, given, with_offsets)

    Tokenize = Encode

    # The aliases that a type checker should know; `add_snake_case_aliases` adds all of them.
    encode, encode_as_ids, encode_as_pieces, encode_as_proto = Encode, EncodeAsIds, EncodeAsPieces, EncodeAsProto
    encode_as_offset_mapping, nbest_encode, normalize = EncodeAsOffsetMapping, NBestEncode, Normalize
    sample_encode_as_ids, sample_encode_as_pieces = SampleEncodeAsIds, SampleEncodeAsPieces
    load = Load

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_loaded": None, "model_proto": self.serialized_model_proto()}

    def __setstate__(self, state: dict[str, Any] | bytes) -> None:
        state = {"model_proto": state} if isinstance(state, bytes) else dict(state)  # bytes: of an older version
        SentencePieceProcessor.__init__(self)
        self.LoadFromSerializedProto(state.pop("model_proto"))
        vars(self).update(state, _loaded=self._loaded)

    def __len__(self) -> int:
        return self.GetPieceSize()

    def __getitem__(self, piece: str | bytes) -> int:
        return self.PieceToId(piece)


def _without_model(kwargs: dict[str, Any]) -> dict[str, Any]:
    if given := {"model_file", "model_proto"} & kwargs.keys():
        raise ValueError(f"{given.pop()} is given as a second source of the model; give only the first argument")
    return kwargs


def _check_size(size: int) -> None:
    if size > MAX_NBEST:
        raise RuntimeError(f"nbest_size={size} is above {MAX_NBEST}, the library's maximum")
