"""A `.model` file as protobuf messages: pieces with scores and types, the normalizer's table, the trainer's options.

Adds: the messages of a file and of results, as classes that are built at run time in a descriptor pool of their own, so
that the installed sentencepiece can be imported in the same process; their bytes are those of the library.
Leaves out: extension ranges and options of the messages, which change no bytes.

Source: google/sentencepiece 0.2.3, src/sentencepiece_model.proto and src/sentencepiece.proto.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from os import PathLike
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeAlias

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
    """Return the classes of the messages, by name; an ImportError if protobuf is not installed.

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
    """Return the bytes of a `.model` file; a RuntimeError, as in the library, if it cannot be read."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise RuntimeError(f"{str(path)!r} cannot be read: {error.strerror}; check the name and the folder") from None
