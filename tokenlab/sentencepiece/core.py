"""`SentencePieceProcessor`: text to pieces or ids, and back.

Adds: one door for all shapes of input and result. Every method has a second name (`EncodeAsIds`, `encode_as_ids`).
Leaves out: how a normalized text is cut, which is `bpe`, `unigram` and `words`.

Source: sentencepiece/__init__.py; google/sentencepiece, src/sentencepiece_processor.cc.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from math import isfinite
from operator import index
from typing import Any, TypeAlias

from tokenlab.sentencepiece import settings
from tokenlab.sentencepiece.bpe import BpeModel
from tokenlab.sentencepiece.model import (
    BPE,
    BYTE,
    CHAR,
    CONTROL,
    UNIGRAM,
    UNKNOWN,
    UNUSED,
    WORD,
    Model,
    read_model,
    read_model_file,
)
from tokenlab.sentencepiece.names import with_snake_case
from tokenlab.sentencepiece.normalizing import Normalized, Normalizer
from tokenlab.sentencepiece.options import Options
from tokenlab.sentencepiece.shapes import (
    SHAPES_OF_PLACED,
    ReturnType,
    as_bytes,
    byte_places,
    message,
    messages,
    numpy_array,
    offset_mapping,
    text_of,
)
from tokenlab.sentencepiece.spelling import Piece, decoded, placed, spelled
from tokenlab.sentencepiece.unigram import UnigramModel
from tokenlab.sentencepiece.watched import Draw, Numbered, cut_in_steps, unknown_in_steps
from tokenlab.sentencepiece.words import CharModel, Cut, WordModel
from tokenlab.watchable import watchable

Cutter: TypeAlias = BpeModel | UnigramModel | WordModel | CharModel
CUTTERS: dict[int, Callable[[Model], Cutter]] = {UNIGRAM: UnigramModel, BPE: BpeModel, WORD: WordModel, CHAR: CharModel}
MOST = 512  # segmentations; src/sentencepiece_processor.cc, kMaxNBestSize


class Loaded:
    """A model with what encodes by it."""

    def __init__(self, model: Model) -> None:
        self.model = model
        spec = model.proto
        self.cutter = CUTTERS[model.type](model)
        self.normalizer = Normalizer(spec.normalizer_spec, spec.trainer_spec.treat_whitespace_as_suffix, model.symbols)
        denormalizes = spec.denormalizer_spec.precompiled_charsmap
        self.denormalizer = Normalizer(spec.denormalizer_spec) if denormalizes else None
        self.unk, self.bos, self.eos, self.pad = (
            model.named("unk", UNKNOWN),
            *(model.named(role, CONTROL) for role in ("bos", "eos", "pad")),
        )


@with_snake_case
class SentencePieceProcessor:
    """What encodes and decodes by a model file, with the public interface of sentencepiece's."""

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
        """Take a model, and what holds for each call that says nothing else.

        Args:
            model_file: the path of a `.model` file.
            model_proto: its bytes, or a ModelProto.
            out_type: an older name for `return_type`.
            add_bos: put the id of the start before the ids.
            add_eos: put the id of the end behind them.
            reverse: turn their order round.
            emit_unk_piece: give `<unk>` for an unknown piece, and not its text.
            enable_sampling: draw a segmentation.
            nbest_size: from how many; below 0 from all. (A unigram model only.)
            alpha: in a unigram model the power to which probabilities are raised: the lower, the more alike. In a bpe
                model the probability that a merge is left out: the higher, the shorter the pieces.
            num_threads: is checked, and otherwise without effect.
            return_type: int, str, bytes, "proto", "serialized_proto", "numpy" or "offset_mapping".

        Raises:
            ValueError: a return_type that is not known, or one beside an out_type.
            RuntimeError: the model cannot be read.
        """
        self._loaded: Loaded | None = None
        self._options = Options.of(
            out_type, return_type, add_bos, add_eos, reverse, emit_unk_piece, enable_sampling, nbest_size, alpha,
            num_threads,
        )  # fmt: skip
        if model_file or model_proto:
            self.Load(model_file=model_file, model_proto=model_proto)

    # --- loading ----------------------------------------------------------------------------------

    @classmethod
    def from_file(cls, model_file: Any, **kwargs: Any) -> SentencePieceProcessor:
        """A processor for a model file; the other arguments are those of the class."""
        processor = cls(**kwargs)
        processor.LoadFromFile(model_file)
        return processor

    @classmethod
    def from_proto(cls, model_proto: Any, **kwargs: Any) -> SentencePieceProcessor:
        """A processor for the bytes of a model file, or for a ModelProto."""
        processor = cls(**kwargs)
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
            raise ValueError(f"{given} of model_file and model_proto is given; give one: a path, or bytes")
        return self.LoadFromSerializedProto(model_proto) if model_proto else self.LoadFromFile(model_file)

    def LoadFromFile(self, filename: Any) -> bool:
        """Read a model from a file."""
        if not isinstance(filename, str | bytes) and not hasattr(filename, "__fspath__"):
            raise TypeError(f"model_file is {type(filename).__name__}; give the path of a .model file")
        path = filename.decode() if isinstance(filename, bytes) else filename
        return self.LoadFromSerializedProto(read_model_file(path))

    def LoadFromSerializedProto(self, serialized: Any) -> bool:
        """Read a model from its bytes, or from a ModelProto."""
        self._loaded = None
        self._loaded = Loaded(read_model(serialized))
        return True

    def _ready(self) -> Loaded:
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
        options = self._options.but(
            out_type, return_type, add_bos, add_eos, reverse, emit_unk_piece, enable_sampling, nbest_size, alpha,
            num_threads,
        )  # fmt: skip
        options.check_encoding(return_bytes)
        if not isinstance(input, list):
            return (yield from self._steps_of(input, text_of(input), options, return_bytes))
        results = []
        in_bytes = bool(input) and isinstance(input[0], bytes) if return_bytes is None else return_bytes
        for one in input:
            results.append((yield from self._steps_of(one, text_of(one, TypeError), options, in_bytes)))
        return results

    @watchable(_encode_in_steps)
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
        """The pieces or ids of a text, or of each text in a list. Arguments as in the class.

        `encode.steps` and `encode.record` show the way, `encode.record(text).play()` plays it.

        Args:
            input: a str, bytes, or a list of these.
            add_bos, add_eos, reverse, emit_unk_piece, enable_sampling, nbest_size, alpha, num_threads: as in the class.
            thread_pool: is checked, and otherwise without effect.
            return_type, out_type: as in the class.
            return_bytes: whether an offset mapping is in bytes; otherwise it is what the input is.

        Raises:
            TypeError: the input is none of these.
            ValueError: arguments that do not go together, or a start or end that the model does not have.
            RuntimeError: no model is loaded, alpha is below 0, nbest_size is too large, or a text has a lone surrogate.
        """
        options = self._options.but(
            out_type, return_type, add_bos, add_eos, reverse, emit_unk_piece, enable_sampling, nbest_size, alpha,
            num_threads,
        )  # fmt: skip
        options.check_encoding(return_bytes)
        if not isinstance(input, list):
            return self._encode(input, text_of(input), options, return_bytes)
        settings.check_pool(thread_pool)
        in_bytes = bool(input) and isinstance(input[0], bytes) if return_bytes is None else return_bytes
        return [self._encode(one, text_of(one, TypeError), options, in_bytes) for one in input]

    def _encode(self, given: Any, text: str, options: Options, in_bytes: bool | None) -> Any:
        normalizer = self._ready().normalizer
        if options.return_type in SHAPES_OF_PLACED:
            normalized = normalizer.align(text)
            return self._placed(given, text, normalized, self._cut(normalized.text, options), options, in_bytes)
        return self._as(spelled(self._cut(normalizer.normalize(text), options), self._ready().model), options)

    def _placed(
        self, given: Any, text: str, normalized: Normalized, cut: Cut, options: Options, in_bytes: bool | None
    ) -> Any:
        pieces = placed(text, normalized, cut, self._ready().model)
        return _placed_as(options.return_type, text, pieces, isinstance(given, bytes) if in_bytes is None else in_bytes)

    def _steps_of(self, given: Any, text: str, options: Options, in_bytes: bool | None) -> Generator[Any, None, Any]:
        """The way of one text: normalized, cut, and its unknown pieces spelled."""
        loaded = self._ready()
        yield from loaded.normalizer.changes(text)
        normalized = loaded.normalizer.align(text)
        draw = self._draw(options) if options.enable_sampling else None
        cut = yield from cut_in_steps(loaded.cutter, loaded.model, normalized.text, draw)
        yield from unknown_in_steps(cut, loaded.model)
        whole = spelled(cut, loaded.model)
        yield Numbered(tuple(whole.pieces), tuple(whole.ids))
        if options.return_type in SHAPES_OF_PLACED:
            return self._placed(given, text, normalized, cut, options, in_bytes)
        return self._as(whole, options)

    def _cut(self, normalized: str, options: Options) -> Cut:
        cutter = self._ready().cutter
        return self._drawn(cutter, normalized, options) if options.enable_sampling else cutter.cut(normalized)

    def _drawn(self, cutter: Cutter, normalized: str, options: Options) -> Cut:
        draw, size = self._draw(options), options.nbest_size
        if isinstance(cutter, UnigramModel) and size >= 0:
            return cutter.sample_from_best(normalized, size, *draw) if size > 1 else cutter.cut(normalized)
        assert isinstance(cutter, BpeModel | UnigramModel)
        return cutter.sample(normalized, *draw)

    def _draw(self, options: Options) -> Draw:
        """What sampling needs, if it can be done."""
        if not (isfinite(options.alpha) and options.alpha >= 0):
            raise RuntimeError(f"alpha={options.alpha} should be a number from 0 on")
        _check_size(options.nbest_size)
        if not isinstance(self._ready().cutter, BpeModel | UnigramModel):
            raise RuntimeError("enable_sampling=True needs a unigram or bpe model; this one has one way to cut a text")
        return Draw(options.alpha, settings.random)

    def _as(self, cut: Cut, options: Options) -> Any:
        """Pieces or ids, with what is put before and behind them."""
        if options.return_type in (str, bytes):
            pieces = self._around(list(cut.pieces), options, self._named(cut.pieces, options))
            return [as_bytes(piece) for piece in pieces] if options.return_type is bytes else pieces
        ids = self._around(cut.ids, options)
        return numpy_array(ids) if options.return_type == "numpy" else ids

    def _named(self, pieces: list[str], options: Options) -> list[str]:
        if not options.emit_unk_piece:
            return pieces
        loaded = self._ready()
        if loaded.unk < 0:
            raise ValueError("emit_unk_piece=True, but this model has no unknown piece")
        unknown = loaded.model.pieces[loaded.unk]
        return [unknown if loaded.model.id_of(piece) == loaded.unk else piece for piece in pieces]

    def _around(self, plain: list[Any], options: Options, named: list[str] | None = None) -> list[Any]:
        loaded = self._ready()
        for wanted, id, role in ((options.add_bos, loaded.bos, "bos"), (options.add_eos, loaded.eos, "eos")):
            if wanted and id < 0:
                raise ValueError(f"add_{role}=True, but this model has no {role} piece; train it with {role}_id")
        found = list(plain if named is None else named)
        if options.reverse:
            found.reverse()
        if options.add_bos:
            found.insert(0, loaded.bos if named is None else loaded.model.pieces[loaded.bos])
        if options.add_eos:
            found.append(loaded.eos if named is None else loaded.model.pieces[loaded.eos])
        return found

    def EncodeAsPieces(self, input: Any, **kwargs: Any) -> Any:
        """The pieces, as str."""
        return self.Encode(input=input, return_type=str, **kwargs)

    def EncodeAsIds(self, input: Any, **kwargs: Any) -> Any:
        """The ids."""
        return self.Encode(input=input, return_type=int, **kwargs)

    def EncodeAsNumpy(self, input: Any, **kwargs: Any) -> Any:
        """The ids as an array."""
        return self.Encode(input=input, return_type="numpy", **kwargs)

    def EncodeAsProto(self, input: Any, **kwargs: Any) -> Any:
        """Pieces, ids, surfaces and offsets as a SentencePieceText."""
        return self.Encode(input=input, return_type="proto", **kwargs)

    def EncodeAsOffsetMapping(self, input: Any, **kwargs: Any) -> Any:
        """Ids, pieces and offsets in a dict."""
        return self.Encode(input=input, return_type="offset_mapping", **kwargs)

    def SampleEncodeAsPieces(self, input: Any, nbest_size: Any = None, alpha: Any = None, **kwargs: Any) -> Any:
        """The pieces of a segmentation that is drawn."""
        return self._sample(input, nbest_size, alpha, str, kwargs)

    def SampleEncodeAsIds(self, input: Any, nbest_size: Any = None, alpha: Any = None, **kwargs: Any) -> Any:
        """The ids of a segmentation that is drawn."""
        return self._sample(input, nbest_size, alpha, int, kwargs)

    def SampleEncodeAsNumpy(self, input: Any, nbest_size: Any = None, alpha: Any = None, **kwargs: Any) -> Any:
        """The ids of a segmentation that is drawn, as an array."""
        return self._sample(input, nbest_size, alpha, "numpy", kwargs)

    def SampleEncodeAsProto(self, input: Any, nbest_size: Any = None, alpha: Any = None, **kwargs: Any) -> Any:
        """A segmentation that is drawn, as a SentencePieceText."""
        return self._sample(input, nbest_size, alpha, "proto", kwargs)

    def _sample(self, input: Any, nbest_size: Any, alpha: Any, shape: ReturnType, kwargs: dict[str, Any]) -> Any:
        return self.Encode(
            input=input, nbest_size=nbest_size, alpha=alpha, return_type=shape, enable_sampling=True, **kwargs
        )

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
        """The most probable segmentations of a text, or of each text in a list, best first; a unigram model only.

        Raises:
            RuntimeError: a model of another type, or a size above 512.
        """
        options = self._options.but(out_type, return_type, add_bos, add_eos, reverse, emit_unk_piece)
        size = self._options.nbest_size if nbest_size is None else nbest_size
        if isinstance(input, list):
            return [self._n_best(one, max(size, 1), options) for one in input]
        return self._n_best(input, max(size, 1), options)

    def _n_best(self, given: Any, size: int, options: Options) -> Any:
        if options.return_type == "offset_mapping":
            raise ValueError("return_type='offset_mapping' is not there for the n best; take 'proto'")
        loaded = self._ready()
        text = text_of(given)
        proto = options.return_type in SHAPES_OF_PLACED
        if proto:
            options.refuse_changes()
        _check_size(size)
        if not isinstance(loaded.cutter, UnigramModel):
            raise RuntimeError("nbest_encode needs a unigram model; others have one way to cut a text")
        normalized = loaded.normalizer.align(text)
        ways = loaded.cutter.n_best(normalized.text, size)
        if not proto:
            return [self._as(spelled(cut, loaded.model), options) for cut, _ in ways]
        whole = messages(text, ((placed(text, normalized, cut, loaded.model), score) for cut, score in ways))
        return whole if options.return_type == "proto" else whole.SerializeToString()

    def NBestEncodeAsPieces(self, input: Any, nbest_size: int | None = None, **kwargs: Any) -> Any:
        """The pieces of each."""
        return self.NBestEncode(input=input, nbest_size=nbest_size, return_type=str, **kwargs)

    def NBestEncodeAsIds(self, input: Any, nbest_size: int | None = None, **kwargs: Any) -> Any:
        """The ids of each."""
        return self.NBestEncode(input=input, nbest_size=nbest_size, return_type=int, **kwargs)

    def NBestEncodeAsNumpy(self, input: Any, nbest_size: int | None = None, **kwargs: Any) -> Any:
        """The ids of each as an array."""
        return self.NBestEncode(input=input, nbest_size=nbest_size, return_type="numpy", **kwargs)

    def NBestEncodeAsProto(self, input: Any, nbest_size: int | None = None, **kwargs: Any) -> Any:
        """All as an NBestSentencePieceText, with their scores."""
        return self.NBestEncode(input=input, nbest_size=nbest_size, return_type="proto", **kwargs)

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
        """The same as `Encode`. The library cuts a long text into chunks for its threads and joins them again.

        Raises:
            ValueError: chunk_len is no number above 0.
        """
        if not isinstance(chunk_len, int) or chunk_len <= 0:
            raise ValueError(f"chunk_len={chunk_len!r} should be a number of characters above 0")
        settings.check_pool(thread_pool)
        if self._options.shape(out_type, return_type) == "offset_mapping" and input != []:
            raise ValueError("return_type='offset_mapping' is not there for long texts; take 'proto'")
        return self.Encode(
            input=input, add_bos=add_bos, add_eos=add_eos, reverse=reverse, emit_unk_piece=emit_unk_piece,
            enable_sampling=False, num_threads=num_threads, return_type=return_type, out_type=out_type,
        )  # fmt: skip

    def ParallelEncodeAsPieces(self, input: Any, **kwargs: Any) -> Any:
        """The pieces."""
        return self.ParallelEncode(input=input, return_type=str, **kwargs)

    def ParallelEncodeAsIds(self, input: Any, **kwargs: Any) -> Any:
        """The ids."""
        return self.ParallelEncode(input=input, return_type=int, **kwargs)

    def ParallelEncodeAsNumpy(self, input: Any, **kwargs: Any) -> Any:
        """The ids as an array."""
        return self.ParallelEncode(input=input, return_type="numpy", **kwargs)

    def ParallelEncodeAsProto(self, input: Any, **kwargs: Any) -> Any:
        """Pieces, ids, surfaces and offsets as a SentencePieceText."""
        return self.ParallelEncode(input=input, return_type="proto", **kwargs)

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
        """The text of pieces or ids, or of each list of them in a list. Pieces that are bytes give bytes.

        Raises:
            IndexError: an id that is not in the model.
            TypeError: neither pieces nor ids.
            ValueError: a return_type that is not there for decoding.
        """
        shape = self._options.shape(out_type, return_type, default=str)
        self._options.but(num_threads=num_threads).check(return_bytes, shape)
        settings.check_pool(thread_pool)
        if shape in (int, "numpy"):
            raise ValueError(f"return_type={shape} is not there for decoding; take str, bytes, 'proto' or another")
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
        found = decoded(pieces, ids, model)
        text = "".join(piece.surface or "" for piece in found)
        if loaded.denormalizer:
            text = loaded.denormalizer.normalize(text)
        in_bytes = in_bytes or kind is bytes
        if shape in SHAPES_OF_PLACED:
            mapping = _placed_as(shape, text, found, in_bytes)
            is_mapping = shape == "offset_mapping"
            return {"text": as_bytes(text) if in_bytes else text, **mapping} if is_mapping else mapping
        return as_bytes(text) if shape is bytes or kind is bytes else text

    def DecodePieces(self, input: Any, return_type: ReturnType = None, **kwargs: Any) -> Any:
        """The text of pieces."""
        return self.Decode(input=input, return_type=return_type, **kwargs)

    def DecodeIds(self, input: Any, return_type: ReturnType = None, **kwargs: Any) -> Any:
        """The text of ids."""
        return self.Decode(input=input, return_type=return_type, **kwargs)

    def DecodePiecesAsProto(self, input: Any, **kwargs: Any) -> Any:
        """The text of pieces as a SentencePieceText."""
        return self.Decode(input=input, return_type="proto", **kwargs)

    def DecodeIdsAsProto(self, input: Any, **kwargs: Any) -> Any:
        """The text of ids as a SentencePieceText."""
        return self.Decode(input=input, return_type="proto", **kwargs)

    # --- normalizing ------------------------------------------------------------------------------

    def Normalize(self, input: Any, with_offsets: bool | None = None) -> Any:
        """The normalized text; with the origin of each character (of bytes: of each byte), and of the end."""
        if isinstance(input, list):
            return [self._normalize(one, with_offsets) for one in input]
        return self._normalize(input, with_offsets)

    def _normalize(self, given: Any, with_offsets: bool | None) -> Any:
        return normalized_as(self._ready().normalizer, given, with_offsets)

    # --- looking up -------------------------------------------------------------------------------

    def GetPieceSize(self) -> int:
        """How many pieces there are; 0 before a model is loaded."""
        return len(self._loaded.model.pieces) if self._loaded else 0

    def PieceToId(self, piece: Any) -> Any:
        """The id of a piece, or of each in a list; that of the unknown piece where there is none."""
        if isinstance(piece, str | bytes):
            return self._ready().model.id_of(_piece_of(piece)) if self._loaded else 0
        if not isinstance(piece, Sequence):
            raise TypeError(f"piece is {type(piece).__name__}; give a str or bytes, or a list of these")
        return [self.PieceToId(_checked_piece(one)) for one in piece]

    def IdToPiece(self, id: Any) -> Any:
        """The piece of an id, or of each in a list.

        Raises:
            IndexError: an id that is not in the model.
            TypeError: not a whole number.
        """
        return self._of_each(id, lambda model, id: model.pieces[id])

    def GetScore(self, id: Any) -> Any:
        """The score of a piece: in a unigram model its log probability, in a bpe model minus its place."""
        return self._of_each(id, lambda model, id: model.scores[id])

    def IsUnknown(self, id: Any) -> Any:
        """Whether the id stands for what is not in the vocabulary."""
        return self._of_each(id, lambda model, id: model.is_unknown(id))

    def IsControl(self, id: Any) -> Any:
        """Whether the id is a sign to the model, which no text has in it."""
        return self._of_each(id, lambda model, id: model.kinds[id] == CONTROL)

    def IsUnused(self, id: Any) -> Any:
        """Whether no text is encoded to the id."""
        return self._of_each(id, lambda model, id: model.kinds[id] == UNUSED)

    def IsByte(self, id: Any) -> Any:
        """Whether the id is a byte of an unknown character."""
        return self._of_each(id, lambda model, id: model.kinds[id] == BYTE)

    def _of_each(self, id: Any, value: Callable[[Model, int], Any]) -> Any:
        if hasattr(id, "__len__"):
            return [value(self._ready().model, one) for one in self._checked_ids(id)]
        [one] = self._checked_ids([id])
        return value(self._ready().model, one)

    def _checked_ids(self, ids: Any) -> list[int]:
        size = self.GetPieceSize()
        checked = [_whole(id) for id in _listed(ids)]
        for id in checked:
            if not 0 <= id < size:
                raise IndexError(f"id {id} is not in this model; its ids are 0 to {size - 1}")
        return checked

    def unk_id(self) -> int:
        """The id of the unknown piece, -1 where there is none."""
        return self._loaded.unk if self._loaded else -1

    def bos_id(self) -> int:
        """The id of the start of a text, -1 where there is none."""
        return self._loaded.bos if self._loaded else -1

    def eos_id(self) -> int:
        """The id of the end of a text, -1 where there is none."""
        return self._loaded.eos if self._loaded else -1

    def pad_id(self) -> int:
        """The id that fills batches, -1 where there is none."""
        return self._loaded.pad if self._loaded else -1

    def serialized_model_proto(self) -> bytes:
        """The bytes of the model file."""
        return bytes(self._loaded.model.proto.SerializeToString()) if self._loaded else b""

    piece_size = GetPieceSize
    vocab_size = GetPieceSize
    Tokenize = Encode
    Detokenize = Decode

    # The second names that a type checker should know; `with_snake_case` gives all of them.
    encode, encode_as_ids, encode_as_pieces, encode_as_proto = Encode, EncodeAsIds, EncodeAsPieces, EncodeAsProto
    encode_as_offset_mapping, nbest_encode, normalize, decode = EncodeAsOffsetMapping, NBestEncode, Normalize, Decode
    sample_encode_as_ids, sample_encode_as_pieces = SampleEncodeAsIds, SampleEncodeAsPieces
    load, piece_to_id, id_to_piece, get_score, get_piece_size = Load, PieceToId, IdToPiece, GetScore, GetPieceSize
    is_unknown, is_control, is_unused, is_byte = IsUnknown, IsControl, IsUnused, IsByte

    def __getstate__(self) -> dict[str, Any]:
        return {"_options": self._options, "model_proto": self.serialized_model_proto()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._options = state["_options"]
        self._loaded = None
        self.LoadFromSerializedProto(state["model_proto"])

    def __len__(self) -> int:
        """How many pieces there are."""
        return self.GetPieceSize()

    def __getitem__(self, piece: Any) -> Any:
        """The id of a piece."""
        return self.PieceToId(piece)


def normalized_as(normalizer: Normalizer, given: Any, with_offsets: bool | None) -> Any:
    """A normalized text in the kind that was given, with origins in characters or in bytes."""
    text = text_of(given)
    if not with_offsets:
        normalized = normalizer.normalize(text)
        return as_bytes(normalized) if isinstance(given, bytes) else normalized
    normalized, origins = normalizer.align(text)
    if not isinstance(given, bytes):
        return normalized, origins or [0]
    places = byte_places(text)
    in_bytes = [places[origin] for origin, new in zip(origins, normalized, strict=False) for _ in as_bytes(new)]
    return as_bytes(normalized), in_bytes + [places[origin] for origin in origins[-1:]]


def _placed_as(shape: ReturnType, text: str, pieces: Sequence[Piece], in_bytes: bool) -> Any:
    if shape == "offset_mapping":
        return offset_mapping(text, pieces, in_bytes)
    whole = message(text, pieces)
    return whole if shape == "proto" else whole.SerializeToString()


def _check_size(size: int) -> None:
    if size > MOST:
        raise RuntimeError(f"nbest_size={size} is above {MOST}; the library searches for no more")


def _is_sequence(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str | bytes)


def _kind(batch: Iterable[Any]) -> type:
    """What is decoded: ids, or pieces as str or as bytes; the first that is there says it."""
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


def _whole(id: Any) -> int:
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
    return text_of(_checked_piece(piece), TypeError)
