"""A `.model` file: pieces with scores and types, the table of the normalizer, and the trainer's options.

Adds: the protobuf messages of a file and of results, as classes that are built at run time in a descriptor pool of
their own, so that the installed sentencepiece can be imported in the same process; their bytes are those of the
library. Checks: a damaged or inconsistent file is refused with an explanation before anything is encoded.
Leaves out: segmentation; extension ranges and options of the messages, which change no bytes.

Source: google/sentencepiece 0.2.3, src/sentencepiece_model.proto and src/sentencepiece.proto; src/model_interface.cc,
InitializePieces; src/sentencepiece_processor.cc, Load.
"""

from __future__ import annotations

import re
from functools import cache, cached_property
from importlib import import_module
from math import isfinite, isnan
from os import PathLike
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeAlias

from tokenlab.printing.errors import warn
from tokenlab.printing.printable import printable

PACKAGE = "sentencepiece"
ENUMS = {
    "TrainerSpec.ModelType": {"UNIGRAM": 1, "BPE": 2, "WORD": 3, "CHAR": 4},
    "ModelProto.SentencePiece.Type": {
        "NORMAL": 1, "UNKNOWN": 2, "CONTROL": 3, "USER_DEFINED": 4, "UNUSED": 5, "BYTE": 6
    },
}  # fmt: skip
MESSAGES = {  # one field a line: number, name, type (* if it repeats), default (_ for a space); outer first
    "TrainerSpec": """
         1 input                                   string*
         2 model_prefix                            string
         3 model_type                              TrainerSpec.ModelType  UNIGRAM
         4 vocab_size                              int32   8000
         5 accept_language                         string*
         6 self_test_sample_size                   int32   0
         7 input_format                            string
        10 character_coverage                      float   0.9995
        11 input_sentence_size                     uint64  0
        12 mining_sentence_size                    int32
        13 training_sentence_size                  int32
        14 seed_sentencepiece_size                 int32   1000000
        15 shrinking_factor                        float   0.75
        16 num_threads                             int32   16
        17 num_sub_iterations                      int32   2
        18 max_sentence_length                     int32   4192
        19 shuffle_input_sentence                  bool    true
        20 max_sentencepiece_length                int32   16
        21 split_by_unicode_script                 bool    true
        22 split_by_whitespace                     bool    true
        23 split_by_number                         bool    true
        24 treat_whitespace_as_suffix              bool    false
        25 split_digits                            bool    false
        26 allow_whitespace_only_pieces            bool    false
        30 control_symbols                         string*
        31 user_defined_symbols                    string*
        32 vocabulary_output_piece_score           bool    true
        33 hard_vocab_limit                        bool    true
        34 use_all_vocab                           bool    false
        35 byte_fallback                           bool    false
        36 required_chars                          string
        40 unk_id                                  int32   0
        41 bos_id                                  int32   1
        42 eos_id                                  int32   2
        43 pad_id                                  int32   -1
        44 unk_surface                             string  _⁇_
        45 unk_piece                               string  <unk>
        46 bos_piece                               string  <s>
        47 eos_piece                               string  </s>
        48 pad_piece                               string  <pad>
        49 train_extremely_large_corpus            bool    false
        50 enable_differential_privacy             bool    false
        51 differential_privacy_noise_level        float   0
        52 differential_privacy_clipping_threshold uint64  0
        53 pretokenization_delimiter               string
        54 seed_sentencepieces_file                string
        55 auto_character_coverage                 bool    false
    """,
    "NormalizerSpec": """
        1 name                     string
        2 precompiled_charsmap     bytes
        3 add_dummy_prefix         bool    true
        4 remove_extra_whitespaces bool    true
        5 escape_whitespaces       bool    true
        6 normalization_rule_tsv   string
    """,
    "ModelProto": """
        1 pieces            ModelProto.SentencePiece*
        2 trainer_spec      TrainerSpec
        3 normalizer_spec   NormalizerSpec
        5 denormalizer_spec NormalizerSpec
    """,
    "ModelProto.SentencePiece": """
        1 piece string
        2 score float
        3 type  ModelProto.SentencePiece.Type  NORMAL
    """,
    "SentencePieceText": """
        1 text   string
        2 pieces SentencePieceText.SentencePiece*
        3 score  float
    """,
    "SentencePieceText.SentencePiece": """
        1 piece   string
        2 id      uint32
        3 surface string
        4 begin   uint32
        5 end     uint32
    """,
    "NBestSentencePieceText": """
        1 nbests SentencePieceText*
    """,
}


@cache
def own_messages() -> SimpleNamespace:
    """Return the classes of the messages, by name.

    Raises:
        ImportError: protobuf is not installed.

    >>> own_messages().SentencePieceText(text="a", score=0.5).SerializeToString().hex(" ")
    '0a 01 61 1d 00 00 00 3f'
    """
    try:
        from google.protobuf import descriptor_pb2, descriptor_pool, message_factory  # type: ignore[import-untyped]
    except ImportError as error:
        raise ImportError(
            "models of sentencepiece are stored as protobuf messages, and protobuf is not installed; "
            "install it with: pip install protobuf"
        ) from error
    file = descriptor_pb2.FileDescriptorProto(name="tokenlab/sentencepiece.proto", package=PACKAGE)
    made: dict[str, Any] = {}
    for name, fields in MESSAGES.items():
        outer, _, simple = name.rpartition(".")
        made[name] = (made[outer].nested_type if outer else file.message_type).add(name=simple)
        for line in fields.strip().splitlines():
            _add_field(made[name].field.add(), line)
    for name, values in ENUMS.items():
        outer, _, simple = name.rpartition(".")
        one = made[outer].enum_type.add(name=simple)
        for label, number in values.items():
            one.value.add(name=label, number=number)
    pool = descriptor_pool.DescriptorPool()  # not the default one, in which the library registers the same names
    pool.Add(file)
    outermost = [name for name in MESSAGES if "." not in name]
    find, make = pool.FindMessageTypeByName, message_factory.GetMessageClass
    return SimpleNamespace(**{name: make(find(f"{PACKAGE}.{name}")) for name in outermost})


def _add_field(field: Any, line: str) -> None:
    number, name, kind, *default = line.split()
    field.number, field.name = int(number), name
    field.label = field.LABEL_REPEATED if kind.endswith("*") else field.LABEL_OPTIONAL
    kind = kind.removesuffix("*")
    if kind in MESSAGES or kind in ENUMS:
        field.type = field.TYPE_MESSAGE if kind in MESSAGES else field.TYPE_ENUM
        field.type_name = f".{PACKAGE}.{kind}"
    else:
        field.type = getattr(field, f"TYPE_{kind.upper()}")
    if default:
        field.default_value = default[0].replace("_", " ")


Proto: TypeAlias = Any  # a ModelProto
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)  # ModelProto.SentencePiece.Type
UNIGRAM, BPE, WORD, CHAR = range(1, 5)  # TrainerSpec.ModelType
TYPES = {"unigram": UNIGRAM, "bpe": BPE, "word": WORD, "char": CHAR}
SPACE_SYMBOL = "▁"
MAX_PIECE_LENGTH = 8000  # bytes of a piece; src/model_interface.cc, kMaxPieceSize

BYTE_PIECES = {f"<0x{byte:02X}>": byte for byte in range(256)}


def protobuf_messages() -> Any:
    """Return the classes of the messages of a model: the library's if it is installed, otherwise equal ones.

    Raises:
        ImportError: protobuf is not installed.
    """
    return _messages("sentencepiece_model_pb2")


def result_messages() -> Any:
    """Return the classes of the messages of results: the library's if it is installed, otherwise equal ones.

    Raises:
        ImportError: protobuf is not installed.
    """
    return _messages("sentencepiece_pb2")


@cache
def _messages(module: str) -> Any:
    try:
        return import_module(f"sentencepiece.{module}")
    except Exception:  # not only ImportError: an old library raises others under a new protobuf
        return own_messages()


def read_model(serialized: bytes) -> Model:
    """Return the model in the bytes of a `.model` file.

    Raises:
        TypeError: not bytes.
        RuntimeError: they are truncated, not a model file, or inconsistent; the message says where.

    Warns:
        UserWarning: the message has pieces, but no trainer_spec or no normalizer_spec, which come after the pieces, so
            the file may be truncated. The library loads it silently, with the defaults of these messages.
    """
    proto = parse_message("ModelProto", serialized)
    missing = [name for name in ("trainer_spec", "normalizer_spec") if not proto.HasField(name)]
    if missing and proto.pieces:
        problem = f"this model has no {' and no '.join(missing)}, so their defaults are used"
        warn(f"{problem}; the file may be truncated: compare it with its source")
    return Model(proto)


def parse_message(name: str, serialized: Any) -> Proto:
    """Parse a message of this name from its bytes, or copy a given message.

    Raises:
        TypeError: neither bytes nor a message.
        RuntimeError: the bytes are truncated, or not such a message.
        ImportError: protobuf is not installed.
    """
    kit = protobuf_messages()  # first: it says what to install
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped]

    if hasattr(serialized, "SerializeToString"):
        serialized = serialized.SerializeToString()
    if not isinstance(serialized, bytes):
        raise TypeError(f"expected a {name}, not {type(serialized).__name__}; give its bytes, or the message itself")
    message = getattr(kit, name)()
    try:
        message.ParseFromString(serialized)
    except DecodeError:
        raise RuntimeError(
            f"these {len(serialized)} bytes are no {name} of sentencepiece: they are truncated, damaged, or of another "
            "format; copy the file again, in binary mode"
        ) from None
    return message


def read_model_file(path: str | PathLike[str]) -> bytes:
    """Return the bytes of a `.model` file.

    Raises:
        RuntimeError: it cannot be read, as in the library.
    """
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise RuntimeError(f"{str(path)!r} cannot be read: {error.strerror}; check the name and the folder") from None


class Model:
    """The checked content of a model file, in the form that encoding needs."""

    def __init__(self, proto: Proto) -> None:
        """Take and check a ModelProto.

        Raises:
            RuntimeError: an empty, duplicate or overlong piece, no or two unknown pieces, missing byte pieces, a NaN
                score (in a unigram model also an infinite or positive one), or an unknown model type.
        """
        self.proto = proto
        self.byte_fallback: bool = proto.trainer_spec.byte_fallback
        _drop_null(proto)
        self.type: int = proto.trainer_spec.model_type
        self.pieces: list[str] = [field_text(entry.piece) for entry in proto.pieces]
        self.scores: list[float] = [entry.score for entry in proto.pieces]
        self.kinds: list[int] = [entry.type for entry in proto.pieces]
        self.ids: dict[str, int] = {}  # of the pieces that can occur in a segmentation
        self.reserved: dict[str, int] = {}  # of control, unknown and byte pieces
        self._check()
        self.unknown = self.kinds.index(UNKNOWN) if UNKNOWN in self.kinds else -1

    def _check(self) -> None:
        if self.type not in TYPES.values():
            raise RuntimeError(f"model_type={self.type} is not known; there are {TYPES}")
        for id, piece in enumerate(self.pieces):
            self._check_piece(id, piece)
            self._add(id, piece)
        unknowns = self.kinds.count(UNKNOWN)
        if unknowns > 1 or not (unknowns or self.byte_fallback):
            found = f"{unknowns} unknown pieces" if unknowns else "no unknown piece"
            raise RuntimeError(f"this model has {found}, but needs one, such as <unk>; train it again")
        self._check_bytes()

    def _check_piece(self, id: int, piece: str) -> None:
        score = self.scores[id]
        wrong = ""
        if not piece:
            wrong = "is empty"
        elif len(to_bytes(piece)) >= MAX_PIECE_LENGTH:
            wrong = f"is longer than {MAX_PIECE_LENGTH - 1} bytes"
        elif "\0" in piece and not self._is_null(id):
            wrong = "has a null character in it"
        elif isnan(score) or (self.type == UNIGRAM and not isfinite(score)):
            wrong = f"has the score {score}, which is not a log probability"
        elif self.type == UNIGRAM and self.kinds[id] == NORMAL and score > 0:
            wrong = f"has the score {score:g}; a log probability is not above 0"
        if wrong:
            raise RuntimeError(
                f"piece {id}, {printable(piece[:60])}, {wrong}; the model file is damaged, or made wrongly"
            )

    def _is_null(self, id: int) -> bool:
        return self.pieces[id] == "\0" and self.kinds[id] == UNUSED

    def _add(self, id: int, piece: str) -> None:
        if self._is_null(id):
            return
        owner = self.ids if self.kinds[id] in (NORMAL, USER_DEFINED, UNUSED) else self.reserved
        # subtle: a bpe model has one table, so a reserved piece may not have the same name as another piece.
        if piece in owner or (self.type == BPE and (piece in self.ids or piece in self.reserved)):
            raise RuntimeError(f"piece {id}, {printable(piece)}, is in this model twice; each name must be unique")
        owner[piece] = id

    def _check_bytes(self) -> None:
        found = {piece for piece, kind in zip(self.pieces, self.kinds, strict=True) if kind == BYTE}
        if found and not self.byte_fallback:
            raise RuntimeError(f"byte piece {min(found)} is in a model without byte_fallback; train it again with it")
        if strange := found - BYTE_PIECES.keys():
            raise RuntimeError(f"byte piece {min(strange)!r} names no byte; <0x00> to <0xFF> do")
        if self.byte_fallback and len(found) < 256:
            missing = min(BYTE_PIECES.keys() - found)
            raise RuntimeError(f"byte_fallback needs all 256 byte pieces, but {missing} is missing; train it again")

    # --- looking up -------------------------------------------------------------------------------

    def id_of(self, piece: str) -> int:
        """Return the id of a piece; for other strings that of the unknown piece (-1 if the model has none)."""
        return self.reserved.get(piece, self.ids.get(piece, self.unknown))

    def special_id(self, role: str, kind: int) -> int:
        """Return the id of the trainer's `unk`, `bos`, `eos` or `pad` piece; -1 if its type is not `kind`."""
        spec = self.proto.trainer_spec
        name = field_text(getattr(spec, f"{role}_piece") or getattr(type(spec)(), f"{role}_piece"))
        id = self.id_of(name)
        return id if id >= 0 and self.kinds[id] == kind else -1

    def is_unknown(self, id: int) -> bool:
        """Whether an id is that of an unknown piece."""
        return id == self.unknown or self.kinds[id] == UNKNOWN

    @cached_property
    def user_defined_pattern(self) -> re.Pattern[str] | None:
        """A pattern that finds user-defined symbols, longest first; None if there are none."""
        return longest_first_pattern(piece for piece, id in self.ids.items() if self.kinds[id] == USER_DEFINED)

    @cached_property
    def pieces_stay_within_words(self) -> bool:
        """Whether ▁ occurs only at the start of pieces, so that no piece crosses the start of a word."""
        return not any(SPACE_SYMBOL in piece[1:] for piece in self.ids)


def field_text(value: str | bytes) -> str:
    """Return the value of a string field of a message; a byte that is not UTF-8 becomes a lone surrogate.

    Protobuf returns such a field as bytes, because Python's `str` cannot represent it.

    >>> field_text("é"), field_text(b"a\\xff")
    ('é', 'a\\udcff')
    """
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value


def to_bytes(text: str) -> bytes:
    """Encode a text as UTF-8; lone surrogates become the bytes that they represent."""
    return text.encode("utf-8", "surrogateescape")


def valid(text: str) -> str:
    """Return the text if it is valid UTF-8; adjacent bytes of a character become that character.

    Raises:
        UnicodeDecodeError: it has a byte that is not UTF-8, as in the library.

    >>> valid("\\udcc3\\udca9")
    'é'
    """
    return text if text.isascii() else to_bytes(text).decode()


def all_valid(texts: list[str]) -> list[str]:
    """Return `valid` of each text; they are examined together, for it is rare that one of them has such bytes.

    Raises:
        UnicodeDecodeError: as `valid`.

    >>> all_valid(["a", "\\udcc3\\udca9"])
    ['a', 'é']
    """
    return list(map(valid, texts)) if _SURROGATE.search("".join(texts)) else texts


_SURROGATE = re.compile("[\ud800-\udfff]")


def longest_first_pattern(texts: Any) -> re.Pattern[str] | None:
    """Return a pattern that matches any of some texts, preferring the longest.

    >>> longest_first_pattern(["a", "ab"]).findall("aba")
    ['ab', 'a']
    """
    ordered = sorted(texts, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, ordered))) if ordered else None


def _drop_null(proto: Proto) -> None:
    """Mark the null character as unused if there are byte pieces; some converters leave it in the model."""
    if proto.trainer_spec.byte_fallback:
        for entry in proto.pieces:
            if entry.piece == "\0":
                entry.type = UNUSED
