"""Decoders and DecodeStream: each rule by hand, and equality with the installed library on hostile tokens."""

from __future__ import annotations

import copy
import json
import pickle
import re
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
import tokenizers as library
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.strategies import texts
from tokenlab.algorithms.text.byte_symbols import SYMBOL_TO_BYTE
from tokenlab.libraries.tokenizers import Regex, decoders
from tokenlab.libraries.tokenizers.decoders import DecodeStream, from_json

Fields = dict[str, Any]

SPECIAL = ("</w>", "##", "##ing", "▁", "▁a", "_", "<pad>", "|", " ", "  ", ".", " .", " ' ", " do not", "n't", "'s", "")
BYTE_LIKE = ("<0x61>", "<0xE5>", "<0x8f>", "<0xab>", "<0x+A>", "<0x-1>", "<0xé>", "<0x 1>", "<0x1>", "<0xC3>", "<0xA9>")
SYMBOLS = st.text(st.sampled_from("ĠĊĀÃ©aÿâ łð"), max_size=4)
tokens = st.lists(
    st.sampled_from(SPECIAL)
    | st.sampled_from(BYTE_LIKE)
    | SYMBOLS
    | texts(surrogates=False, max_snippets=3, repeated=1),
    max_size=8,
)

DECODERS: list[Callable[[Any], Any]] = [
    lambda d: d.BPEDecoder(),
    lambda d: d.BPEDecoder(""),
    lambda d: d.BPEDecoder(suffix="a"),
    lambda d: d.ByteFallback(),
    lambda d: d.ByteLevel(),
    lambda d: d.ByteLevel(add_prefix_space=False),
    lambda d: d.CTC(),
    lambda d: d.CTC("a", "", False),
    lambda d: d.CTC("", "", True),
    lambda d: d.CTC(cleanup=False),
    lambda d: d.Fuse(),
    lambda d: d.Metaspace(),
    lambda d: d.Metaspace("_", "never"),
    lambda d: d.Metaspace("a", prepend_scheme="first", split=False),
    lambda d: d.Strip("_", 2, 0),
    lambda d: d.Strip(left=1),
    lambda d: d.Replace("▁", " "),
    lambda d: d.Replace("", "x"),
    lambda d: d.WordPiece(),
    lambda d: d.WordPiece("", cleanup=False),
    lambda d: d.WordPiece(prefix="a", cleanup=True),
    lambda d: d.Sequence([]),
    lambda d: d.Sequence([d.ByteFallback(), d.Fuse(), d.Metaspace()]),
    lambda d: d.Sequence([d.CTC(), d.Sequence([d.BPEDecoder("_"), d.Strip(" ", 1, 0)]), d.WordPiece()]),
    lambda d: d.Sequence([d.Replace("▁", " "), d.ByteFallback(), d.Fuse(), d.Strip(" ", 1, 0)]),
]


@pytest.mark.parametrize("make", DECODERS)
def test_decodes_as_the_library(make: Callable[[Any], Any]) -> None:
    ours, theirs = make(decoders), make(library.decoders)

    @examples(60)
    @given(tokens)
    def check(given_tokens: list[str]) -> None:
        assert ours.decode(given_tokens) == theirs.decode(given_tokens)

    check()


@pytest.mark.parametrize("make", DECODERS)
def test_is_saved_shown_and_copied_as_in_the_library(make: Callable[[Any], Any]) -> None:
    ours, theirs = make(decoders), make(library.decoders)
    assert ours.__getstate__() == theirs.__getstate__()
    assert repr(ours) == repr(theirs)
    for copied in (pickle.loads(pickle.dumps(ours)), copy.copy(ours), copy.deepcopy(ours)):
        assert type(copied) is type(ours)
        assert copied.to_json() == ours.to_json()
    assert from_json(ours.to_json()).to_json() == ours.to_json()


@given(tokens, st.sampled_from(["a", "[aĠ]+", r"\s", "▁|_", "(?=a)", "$", "x*"]), st.sampled_from(["", "-", "ab"]))
def test_a_replaced_regex_is_the_librarys(given_tokens: list[str], pattern: str, content: str) -> None:
    theirs = library.decoders.Replace(library.Regex(pattern), content)
    ours = decoders.Replace(Regex(pattern), content)
    assert ours.decode(given_tokens) == theirs.decode(given_tokens)
    assert repr(ours) == repr(theirs)


@given(tokens, st.sampled_from(" _aé"), st.integers(0, 3), st.integers(0, 3))
def test_strip_raises_where_the_library_panics(given_tokens: list[str], content: str, left: int, right: int) -> None:
    check_strip(given_tokens, content, left, right)


def check_strip(given_tokens: list[str], content: str, left: int, right: int) -> None:
    try:
        expected = library.decoders.Strip(content, left, right).decode(given_tokens)
    except BaseException as panic:
        assert "Panic" in type(panic).__name__
        with pytest.raises(ValueError, match="cannot remove"):
            decoders.Strip(content, left, right).decode(given_tokens)
    else:
        assert decoders.Strip(content, left, right).decode(given_tokens) == expected


@pytest.mark.parametrize("size", range(5))
def test_strip_of_every_short_token(size: int) -> None:
    for letters, left, right in product(product("_a", repeat=size), range(4), range(4)):
        check_strip(["".join(letters)], "_", left, right)


def test_every_pair_of_bytes_is_decoded_as_in_the_library() -> None:
    symbols = SYMBOL_TO_BYTE
    ours, theirs = decoders.ByteLevel(), library.decoders.ByteLevel()
    for first, second in product(symbols, repeat=2):
        assert ours.decode([first + second, "a"]) == theirs.decode([first + second, "a"])


@examples(75)
@given(st.binary(max_size=12) | texts(surrogates=False, repeated=1).map(str.encode).map(lambda data: data[1:-1]))
def test_invalid_bytes_become_replacement_characters_as_in_the_library(data: bytes) -> None:
    symbols = SYMBOL_TO_BYTE
    by_byte = {byte: symbol for symbol, byte in symbols.items()}
    level = [by_byte[byte] for byte in data]
    assert decoders.ByteLevel().decode(level) == library.decoders.ByteLevel().decode(level)
    fallback = [f"<0x{byte:02X}>" for byte in data]
    assert decoders.ByteFallback().decode(fallback) == library.decoders.ByteFallback().decode(fallback)


def test_every_middle_of_a_byte_token_is_read_as_in_the_library() -> None:
    ours, theirs = decoders.ByteFallback(), library.decoders.ByteFallback()
    for middle in product("09afAFgG+-_ x", repeat=2):
        token = f"<0x{''.join(middle)}>"
        assert ours.decode([token, "b"]) == theirs.decode([token, "b"])


CLEANED = (" .", " ?", " !", " ,", " ' ", " n't", " 'm", " do not", " 's", " 've", " 're")


def test_every_rule_of_the_clean_up_is_the_librarys() -> None:
    for first, second in product(CLEANED, repeat=2):
        given_tokens = ["a", f"x{first}{second}y", first[1:], second]
        for cleanup in (True, False):
            expected = library.decoders.WordPiece(cleanup=cleanup).decode(given_tokens)
            assert decoders.WordPiece(cleanup=cleanup).decode(given_tokens) == expected
            assert decoders.CTC(cleanup=cleanup).decode(given_tokens) == library.decoders.CTC(cleanup=cleanup).decode(
                given_tokens
            )


# --- attributes and arguments ----------------------------------------------------------------------------------------

ATTRIBUTES: list[tuple[str, Fields]] = [
    ("BPEDecoder", {"suffix": "x"}),
    ("CTC", {"pad_token": "x", "word_delimiter_token": "y", "cleanup": False}),
    ("Metaspace", {"replacement": "x", "prepend_scheme": "first", "split": False}),
    ("Strip", {"content": "x", "start": 3, "stop": 1}),
    ("WordPiece", {"prefix": "x", "cleanup": False}),
]
VALUES: tuple[Any, ...] = (None, 5, -1, 2**64, 1.5, True, "", "ab", "x", "\ud800", b"x", "always", [])


@pytest.mark.parametrize(("name", "changed"), ATTRIBUTES)
def test_attributes_can_be_set(name: str, changed: Fields) -> None:
    ours, theirs = getattr(decoders, name)(), getattr(library.decoders, name)()
    for attribute, value in changed.items():
        assert getattr(ours, attribute) == getattr(theirs, attribute)
        setattr(ours, attribute, value)
        setattr(theirs, attribute, value)
        assert getattr(ours, attribute) == getattr(theirs, attribute) == value
    assert repr(ours) == repr(theirs)
    shown = ["x_", "axa", " ."]
    assert ours.decode(shown) == theirs.decode(shown)


@pytest.mark.parametrize(("name", "attribute"), [(name, each) for name, changed in ATTRIBUTES for each in changed])
def test_wrong_values_of_attributes_have_the_librarys_exception(name: str, attribute: str) -> None:
    for value in VALUES:
        try:
            setattr(getattr(library.decoders, name)(), attribute, value)
        except Exception as error:
            with pytest.raises(type(error)):
                setattr(getattr(decoders, name)(), attribute, value)
        else:
            setattr(getattr(decoders, name)(), attribute, value)


@pytest.mark.parametrize(
    "call",
    [
        lambda d: d.Decoder(),
        lambda d: d.Fuse(1),
        lambda d: d.ByteLevel(1),
        lambda d: d.Metaspace(add_prefix_space=True),
        lambda d: d.Metaspace("ab"),
        lambda d: d.Metaspace(prepend_scheme="x"),
        lambda d: d.Strip(""),
        lambda d: d.Strip(left=-1),
        lambda d: d.Replace("a"),
        lambda d: d.Replace(5, "a"),
        lambda d: d.Sequence(),
        lambda d: d.Sequence((d.Fuse(),)),
        lambda d: d.Sequence([5]),
        lambda d: d.Fuse().decode("ab"),
        lambda d: d.Fuse().decode(5),
        lambda d: d.Fuse().decode([5]),
        lambda d: d.Fuse().decode(iter(["a"])),
        lambda d: d.Fuse().decode(["\ud800"]),
        lambda d: d.DecodeStream(True),
        lambda d: d.DecodeStream("ab"),
        lambda d: d.DecodeStream(skip_special_tokens=1),
        lambda d: d.DecodeStream([-1]),
    ],
)
def test_wrong_arguments_have_the_librarys_exception(call: Callable[[Any], Any]) -> None:
    with pytest.raises(Exception) as expected:
        call(library.decoders)
    with pytest.raises(expected.type):
        call(decoders)


def test_a_sequence_copies_its_decoders() -> None:
    part = decoders.WordPiece()
    sequence = decoders.Sequence([part])
    part.prefix = "@@"
    assert sequence.decode(["a", "##b"]) == "ab"


def test_a_change_of_an_attribute_is_counted() -> None:
    decoder = decoders.WordPiece()
    before = decoders.Decoder.changes
    decoder.cleanup = False
    assert decoders.Decoder.changes > before


# --- saved decoders --------------------------------------------------------------------------------------------------

SAVED: list[Any] = [
    *(
        {"type": name}
        for name in ("ByteLevel", "Fuse", "ByteFallback", "Metaspace", "CTC", "WordPiece", "Strip", "Replace")
    ),
    {"type": "BPEDecoder", "suffix": "a", "newer": 1},
    {"type": "BPEDecoder", "suffix": None},
    {"suffix": "a"},
    {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False},
    {"type": "ByteLevel", "add_prefix_space": 1, "trim_offsets": False},
    {"prefix": "a", "cleanup": True},
    {"type": "WordPiece", "prefix": "a", "cleanup": 1},
    {"pad_token": "a", "word_delimiter_token": "b", "cleanup": True},
    {"content": "a", "start": 1, "stop": 2},
    {"type": "Strip", "content": "ab", "start": 1, "stop": 2},
    {"type": "Strip", "content": "a", "start": 1.0, "stop": 2},
    {"type": "Strip", "content": "a", "start": -1, "stop": 2},
    *(
        {"type": "Metaspace", "replacement": "_"} | more
        for more in (
            {},
            {"add_prefix_space": False},
            {"add_prefix_space": False, "prepend_scheme": "never"},
            {"add_prefix_space": True, "prepend_scheme": "never"},
            {"add_prefix_space": None, "str_rep": "_", "split": None},
            {"add_prefix_space": 1},
            {"prepend_scheme": "first", "split": False},
            {"prepend_scheme": None},
            {"prepend_scheme": "sometimes"},
        )
    ),
    {"type": "Replace", "pattern": {"String": "a"}, "content": "b"},
    {"pattern": {"Regex": "a+"}, "content": "b"},
    {"type": "Replace", "pattern": {"Regex": "a("}, "content": "b"},
    {"type": "Replace", "pattern": "a", "content": "b"},
    {"type": "Sequence"},
    {"type": "Sequence", "decoders": [{"type": "Fuse"}, {"suffix": "x"}]},
    {"type": "Sequence", "decoders": [{"type": "Nope"}]},
    {"type": "Nope"},
    {"type": 5},
    {},
    5,
    [],
]


@pytest.mark.parametrize("saved", SAVED)
def test_saved_fields_are_read_as_by_the_library(saved: Any) -> None:
    whole = json.loads(library.Tokenizer(library.models.WordLevel({"a": 0}, unk_token="a")).to_str())
    try:
        theirs = json.loads(library.Tokenizer.from_str(json.dumps(whole | {"decoder": saved})).to_str())["decoder"]
    except Exception:
        with pytest.raises(ValueError):
            from_json(saved)
    else:
        assert from_json(saved).to_json() == theirs


def test_an_unknown_type_is_named_with_the_nearest() -> None:
    with pytest.raises(ValueError, match=re.escape("decoder type='Wordpiece' is not known; did you mean 'WordPiece'?")):
        from_json({"type": "Wordpiece", "prefix": "##", "cleanup": True})


def test_a_missing_field_is_named() -> None:
    with pytest.raises(ValueError, match="missing field `cleanup` in CTC"):
        from_json({"type": "CTC", "pad_token": "a", "word_delimiter_token": "b"})


# --- custom decoders -------------------------------------------------------------------------------------------------


class Uppercase:
    def decode_chain(self, tokens: list[str]) -> list[str]:
        return [token.upper() for token in tokens]


class WithoutChain:
    def decode(self, tokens: list[str]) -> str:
        return "".join(tokens)


class WithoutList:
    def decode_chain(self, tokens: list[str]) -> int:
        return len(tokens)


def test_a_custom_decoder_is_called() -> None:
    for module in (decoders, library.decoders):
        assert module.Decoder.custom(Uppercase()).decode(["a", "b"]) == "AB"


@pytest.mark.parametrize("wrong", [WithoutChain(), WithoutList(), None])
def test_a_wrong_custom_decoder_says_what_is_missing(wrong: Any) -> None:
    with pytest.raises(Exception):  # noqa: B017
        library.decoders.Decoder.custom(wrong).decode(["a"])
    with pytest.raises(ValueError, match=r"decode_chain.*list"):
        decoders.Decoder.custom(wrong).decode(["a"])


def test_a_custom_decoder_cannot_be_pickled_or_put_into_a_sequence() -> None:
    custom = decoders.Decoder.custom(Uppercase())
    with pytest.raises(TypeError, match="cannot pickle a custom Decoder"):
        pickle.dumps(custom)
    with pytest.raises(ValueError, match="cannot be part of a Sequence"):
        decoders.Sequence([custom])
    assert "Uppercase" in repr(custom)


# --- streams ---------------------------------------------------------------------------------------------------------

PIECES = ["a", "b", "▁a", "▁", "<0xE5>", "<0x8f>", "<0xab>", "<0xC3>", "<0xA9>", "##s", "é", " ", "�", "n't", "."]
STREAMED: list[Any] = [
    None,
    library.decoders.ByteFallback(),
    library.decoders.Metaspace(),
    library.decoders.WordPiece(),
    library.decoders.Fuse(),
    library.decoders.Sequence([library.decoders.ByteFallback(), library.decoders.Fuse(), library.decoders.Metaspace()]),
    library.decoders.Sequence([library.decoders.Fuse(), library.decoders.Strip(" ", 1, 0)]),
    library.decoders.CTC("a", "b"),
]


def streamed_tokenizer(decoder: Any) -> Any:
    tokenizer = library.Tokenizer(library.models.WordLevel({piece: id for id, piece in enumerate(PIECES)}, "a"))
    tokenizer.add_special_tokens(["<s>"])
    if decoder is not None:
        tokenizer.decoder = decoder
    return tokenizer


def steps(stream: Any, tokenizer: Any, inputs: list[Any]) -> list[Any]:
    results: list[Any] = []
    for each in inputs:
        try:
            results.append(stream.step(tokenizer, each))
        except Exception as error:
            assert "Invalid prefix" in str(error)
            results.append("invalid prefix")
    return results


ids = st.integers(0, len(PIECES) + 1)


@examples(60)
@given(
    st.sampled_from(STREAMED),
    st.lists(ids | st.lists(ids, max_size=4), max_size=12),
    st.none() | st.lists(ids, max_size=5),
    st.booleans(),
)
def test_a_stream_returns_what_the_librarys_returns(
    decoder: Any, given_ids: list[Any], prompt: Any, skip: bool
) -> None:
    tokenizer = streamed_tokenizer(decoder)
    theirs = library.decoders.DecodeStream(prompt, skip)
    assert steps(DecodeStream(prompt, skip), tokenizer, given_ids) == steps(theirs, tokenizer, given_ids)


def test_lengths_of_streamed_texts_are_in_bytes() -> None:
    tokenizer = library.Tokenizer(library.models.WordLevel({"é": 0, "x": 1, "y": 2}, unk_token="é"))
    replaced = library.decoders.Replace("éx", "ab"), library.decoders.Replace("aby", "éxy")
    tokenizer.decoder = library.decoders.Sequence([library.decoders.Fuse(), *replaced])
    theirs = steps(library.decoders.DecodeStream(), tokenizer, [0, 1, 2])
    assert theirs == ["é", None, "xy"]  # "ab" has more characters than "é", but not more bytes
    assert steps(DecodeStream(), tokenizer, [0, 1, 2]) == theirs


def test_an_id_of_another_type_is_refused() -> None:
    tokenizer = streamed_tokenizer(None)
    refused: tuple[Any, ...] = ("a", -1, 1.0, None, 2**32, ["a"], [-1])
    for wrong in refused:
        with pytest.raises(TypeError):
            library.decoders.DecodeStream().step(tokenizer, wrong)
        with pytest.raises(TypeError, match="either an integer or a list of integers"):
            DecodeStream().step(tokenizer, wrong)
    with pytest.raises(TypeError, match="should be a Tokenizer"):
        DecodeStream().step(5, 1)


def test_copies_of_a_stream_go_on_independently() -> None:
    tokenizer = streamed_tokenizer(library.decoders.WordPiece())
    stream = DecodeStream()
    stream.step(tokenizer, 0)
    for copied in (copy.copy(stream), copy.deepcopy(stream)):
        assert copied.step(tokenizer, 1) == " b"
    assert stream.step(tokenizer, PIECES.index("##s")) == "s"
