"""Our protobuf messages beside the library's: the same fields, defaults and bytes."""

from __future__ import annotations

from typing import Any

import pytest
from sentencepiece import sentencepiece_pb2

from tests.parity.sentencepieces import KINDS, messages, pair, trained
from tokenlab import data
from tokenlab.libraries.sentencepiece.model_proto import own_messages, protobuf_messages, result_messages

OURS = own_messages()


def facts(message: Any) -> Any:
    """Return the facts of a message that decide on its bytes, with those of the messages inside."""
    fields = {
        one.name: (
            one.number,
            one.type,
            one.is_repeated,
            (one.has_default_value and one.default_value) or None,
            one.message_type and one.message_type.full_name,
            one.enum_type and one.enum_type.full_name,
        )
        for one in message.fields
    }
    enums = {one.name: {value.name: value.number for value in one.values} for one in message.enum_types}
    return fields, enums, {one.name: facts(one) for one in message.nested_types}


@pytest.mark.parametrize("library", [messages, sentencepiece_pb2], ids=["model", "results"])
def test_messages_have_the_fields_of_the_library(library: Any) -> None:
    for name, message in library.DESCRIPTOR.message_types_by_name.items():
        assert facts(getattr(OURS, name).DESCRIPTOR) == facts(message), name


@pytest.mark.parametrize(("model_type", "other"), KINDS)
def test_a_model_keeps_its_bytes(model_type: str, other: str) -> None:
    model = trained(model_type, other)
    ours, live = OURS.ModelProto.FromString(model), messages.ModelProto.FromString(model)
    assert ours.SerializeToString() == live.SerializeToString() == model
    copied = OURS.ModelProto()
    for name in ("trainer_spec", "normalizer_spec", "denormalizer_spec"):
        if live.HasField(name):
            copy_fields(getattr(live, name), getattr(copied, name))
    for piece in live.pieces:
        copy_fields(piece, copied.pieces.add())
    assert copied.SerializeToString() == model


def copy_fields(source: Any, target: Any) -> None:
    target.SetInParent()
    for field, value in source.ListFields():
        if field.is_repeated:
            getattr(target, field.name).extend(value)
        else:
            setattr(target, field.name, value)


def test_the_shipped_model_keeps_its_bytes() -> None:
    model = (data.t5_tiny() / "spiece.model").read_bytes()
    assert OURS.ModelProto.FromString(model).SerializeToString() == model


def test_results_have_the_bytes_of_the_library() -> None:
    text = pair("unigram", "plain").live.nbest_encode("Why did it do that?", nbest_size=3, out_type="serialized_proto")
    assert OURS.NBestSentencePieceText.FromString(text).SerializeToString() == text


def test_a_string_that_is_not_utf8_is_kept_as_in_the_library() -> None:
    raw = b"\x0a\x05\x0a\x03a\xffb"
    ours, live = (kit.ModelProto.FromString(raw) for kit in (OURS, messages))
    assert ours.pieces[0].piece == live.pieces[0].piece == b"a\xffb"
    assert ours.SerializeToString() == raw


def test_the_classes_of_an_installed_library_are_used() -> None:
    assert protobuf_messages() is messages
    assert result_messages() is sentencepiece_pb2
    assert isinstance(pair("unigram", "plain").ours.encode("a", out_type="proto"), sentencepiece_pb2.SentencePieceText)
