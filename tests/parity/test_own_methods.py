"""Which of its own methods a library's class calls: ours calls the same, so that an override has the same effect."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from typing import Any

import pytest
import sentencepiece
import tiktoken

from tokenlab.libraries import sentencepiece as our_sentencepiece
from tokenlab.libraries import tiktoken as our_tiktoken

Call = Callable[[Any], Any]


def trained() -> bytes:
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["hug hugs pug pun bun"] * 3), model_writer=model, vocab_size=20, minloglevel=9,
        pad_id=3, hard_vocab_limit=False,
    )  # fmt: skip
    return model.getvalue()


MODEL = trained()
BYTES = {bytes([byte]): byte for byte in range(256)}


def listening(kind: Any, calls: list[str]) -> Any:
    """Return a subclass whose public methods append their names to the calls."""

    def wrapped(name: str) -> Any:
        def method(self: Any, *args: Any, **kwargs: Any) -> Any:
            calls.append(name)
            return getattr(super(made, self), name)(*args, **kwargs)

        return method

    names = [
        name for name in dir(kind) if not name.startswith("_") and not isinstance(vars(kind).get(name), classmethod)
    ]
    methods = [name for name in names if callable(getattr(kind, name))]
    made: Any = type("Listening", (kind,), {name: wrapped(name) for name in methods})
    return made


PROCESSOR: dict[str, Call] = {
    **{name: lambda p, name=name: getattr(p, name)("hug pug") for name in (
        "Encode", "encode", "Tokenize", "tokenize", "EncodeAsIds", "EncodeAsPieces", "EncodeAsNumpy", "EncodeAsProto",
        "EncodeAsOffsetMapping", "encode_as_ids", "encode_as_pieces", "SampleEncodeAsIds", "SampleEncodeAsPieces",
        "SampleEncodeAsNumpy", "sample_encode_as_ids", "NBestEncode", "NBestEncodeAsIds", "NBestEncodeAsPieces",
        "nbest_encode_as_ids", "Normalize", "normalize", "PieceToId", "__getitem__",
    )},
    **{name: lambda p, name=name: getattr(p, name)("hug pug", chunk_len=2) for name in (
        "ParallelEncode", "ParallelEncodeAsIds", "ParallelEncodeAsPieces", "parallel_encode_as_ids",
    )},
    **{name: lambda p, name=name: getattr(p, name)([4, 5]) for name in (
        "Decode", "decode", "Detokenize", "detokenize", "DecodeIds", "DecodeIdsAsProto", "decode_ids", "IdToPiece",
        "GetScore", "IsUnknown", "IsControl", "IsUnused", "IsByte", "id_to_piece", "is_byte",
    )},
    **{name: lambda p, name=name: getattr(p, name)(["hug"]) for name in (
        "DecodePieces", "DecodePiecesAsProto", "decode_pieces", "PieceToId", "piece_to_id",
    )},
    **{name: lambda p, name=name: getattr(p, name)() for name in (
        "GetPieceSize", "piece_size", "vocab_size", "__len__", "unk_id", "bos_id", "eos_id", "pad_id",
        "serialized_model_proto", "__getstate__",
    )},
    "Load": lambda p: p.Load(model_proto=MODEL),
    "load": lambda p: p.load(model_proto=MODEL),
    "LoadFromSerializedProto": lambda p: p.LoadFromSerializedProto(MODEL),
    "LoadFromFile": lambda p: p.LoadFromFile(FILE[0]),
    "Load a file": lambda p: p.Load(FILE[0]),
    "from_file": lambda p: type(p).from_file(FILE[0]),
    "from_proto": lambda p: type(p).from_proto(MODEL),
    "__init__": lambda p: type(p)(model_proto=MODEL),
    "__setstate__": lambda p: type(p).__new__(type(p)).__setstate__(p.__getstate__()),
}  # fmt: skip
FILE = [""]

ENCODING: dict[str, Call] = {
    **{name: lambda e, name=name: getattr(e, name)("ab c") for name in (
        "encode", "encode_ordinary", "encode_to_numpy", "encode_with_unstable", "_encode_single_piece",
        "_encode_only_native_bpe",
    )},
    **{name: lambda e, name=name: getattr(e, name)(["ab", "c"]) for name in ("encode_batch", "encode_ordinary_batch")},
    **{name: lambda e, name=name: getattr(e, name)([97, 98]) for name in (
        "decode", "decode_bytes", "decode_tokens_bytes", "decode_with_offsets",
    )},
    **{name: lambda e, name=name: getattr(e, name)([[97], [98]]) for name in ("decode_batch", "decode_bytes_batch")},
    **{name: lambda e, name=name: getattr(e, name)(97) for name in ("decode_single_token_bytes", "is_special_token")},
    "encode_single_token": lambda e: e.encode_single_token("a"),
    "token_byte_values": lambda e: e.token_byte_values(),
    "_encode_bytes": lambda e: e._encode_bytes(b"a\xff"),
    "eot_token": lambda e: e.eot_token,
    "n_vocab": lambda e: e.n_vocab,
    "__getstate__": lambda e: e.__getstate__(),
    "__setstate__": lambda e: e.__setstate__(e.__getstate__()),
}  # fmt: skip


@pytest.mark.parametrize("name", PROCESSOR)
def test_a_processor_calls_the_same_methods_of_its_own(name: str, tmp_path: Any) -> None:
    (tmp_path / "m.model").write_bytes(MODEL)
    FILE[0] = str(tmp_path / "m.model")
    seen = []
    for library in (sentencepiece, our_sentencepiece):
        calls: list[str] = []
        processor = listening(library.SentencePieceProcessor, calls)(model_proto=MODEL)
        calls.clear()
        PROCESSOR[name](processor)
        seen.append(calls)
    assert seen[0] == seen[1]


@pytest.mark.parametrize("name", ENCODING)
def test_an_encoding_calls_the_same_methods_of_its_own(name: str) -> None:
    seen = []
    for library in (tiktoken, our_tiktoken):
        calls: list[str] = []
        encoding = listening(library.Encoding, calls)(
            "bytes", pat_str=r"\w+|\W+", mergeable_ranks=BYTES, special_tokens={"<|endoftext|>": 256}
        )
        calls.clear()
        ENCODING[name](encoding)
        seen.append(sorted(calls))  # the library's batches run in threads
    assert seen[0] == seen[1]


class WithNote(our_sentencepiece.SentencePieceProcessor):
    """A processor with an attribute of its own."""

    note = "none"


def test_a_pickle_keeps_the_attributes_of_a_subclass() -> None:
    processor = WithNote(model_proto=MODEL, add_bos=True)
    processor.note = "kept"
    again = pickle.loads(pickle.dumps(processor))
    assert again.note == "kept" and again.encode("hug") == processor.encode("hug")


@pytest.mark.parametrize("library", [sentencepiece, our_sentencepiece])
def test_a_second_model_is_refused(library: Any) -> None:
    for make in (library.SentencePieceProcessor.from_file, library.SentencePieceProcessor.from_proto):
        other = "model_proto" if make.__name__ == "from_file" else "model_file"
        with pytest.raises(ValueError, match="model"):
            make(MODEL, **{other: "x"})
