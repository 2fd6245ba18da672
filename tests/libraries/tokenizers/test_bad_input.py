"""Bad input: damaged tokenizer.json files, hostile texts, wrong arguments; refused or accepted as by the library."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import tokenizers as live

from tests import skips
from tests.libraries.tokenizers.damaged_files import damaged, read_by_tokenlab, small, written_by_library
from tests.libraries.tokenizers.fuzz_pipelines import FORBIDDEN
from tokenlab.libraries import tokenizers as ours

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason=skips.FORK),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]

WORDS = '"model":{"type":"WordLevel","unk_token":"a","vocab":{"a":0}}'

# The library falls back to any component that has the fields, if the type or one of the fields is wrong.
FALLBACKS = ("at decoder", "at post_processor", "at normalizer", "at pre_tokenizer")


def check(texts: list[str], refused_too: tuple[str, ...] = ()) -> None:
    """Compare what both read; tokenlab may also refuse a text with a message that has one of these parts."""
    for text, expected in zip(texts, written_by_library(texts), strict=True):
        actual, message = read_by_tokenlab(text)
        if actual == "refused":
            assert message.startswith("tokenizer.json"), (text, message)
        if expected != actual:
            assert any(part in message for part in refused_too), (text, expected, actual, message)


def has_shared_ids(text: str) -> bool:
    try:
        vocab = json.loads(text)["model"]["vocab"]
        return isinstance(vocab, dict) and len(set(vocab.values())) < len(vocab)
    except (ValueError, KeyError, TypeError):
        return False


def test_a_truncated_file_is_refused_at_every_byte() -> None:
    for seed in (3, 4):
        text = json.dumps(small(seed))
        check([text[:end] for end in range(len(text) + 1)])


def test_damaged_files_are_refused_as_by_the_library() -> None:
    start = 0
    texts = [damaged(seed) for seed in range(start, start + 200)]
    # The library saves any one of the tokens that share an id.
    check([text for text in texts if not has_shared_ids(text)], refused_too=FALLBACKS)


def nested(field: str, items: str, depth: int) -> str:
    inner = f'{{"type":"Sequence","{items}":[' * depth + "]}" * depth
    return f'{{{WORDS},"{field}":{inner}}}'


SEQUENCES = {
    "normalizer": "normalizers",
    "pre_tokenizer": "pretokenizers",
    "post_processor": "processors",
    "decoder": "decoders",
}


@pytest.mark.parametrize("field", SEQUENCES)
def test_nesting_is_limited_as_in_the_library(field: str) -> None:
    check([nested(field, SEQUENCES[field], depth) for depth in (1, 62, 63, 64, 65, 500, 5000)])
    check(["[" * 100_000, '{"a":' * 100_000, '{"model":' + "[" * 5000 + "]" * 5000 + "}"])


TOKEN = '"content":"x","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":false'
PADDING = '"direction":"Left","pad_to_multiple_of":null,"pad_id":0,"pad_type_id":0,"pad_token":"a"'


@pytest.mark.parametrize(
    "text",
    [
        *(f'{{"version":"2.0",{WORDS}}}', f'{{"version":"1.1",{WORDS}}}', f'{{"version":1.0,{WORDS}}}', "null", "NaN"),
        *(f"\ufeff{{{WORDS}}}", f"{{{WORDS}}}x", f"{{{WORDS}}}\x00", f" \n{{{WORDS}}} ", "1" * 10_000, '"\\ud800"'),
        f'{{{WORDS},"normalizer":null,"normalizer":{{"type":"NFC"}}}}',
        f'{{{WORDS},"normalizer":{{"type":"Strip","strip_left":true,"strip_left":true,"strip_right":true}}}}',
        f'{{{WORDS},"post_processor":{{"type":"BertProcessing","sep":["a",0],"sep":["a",0],"cls":["a",0]}}}}',
        f'{{{WORDS},"truncation":{{"max_length":1,"max_length":1,"strategy":"OnlyFirst","stride":0}}}}',
        f'{{{WORDS},"padding":{{"strategy":"BatchLongest","strategy":"BatchLongest",{PADDING}}}}}',
        f'{{{WORDS},"padding":{{"strategy":{{"Fixed":1,"Fixed":1}},{PADDING}}}}}',
        f'{{{WORDS},"added_tokens":[{{"id":1,"id":1,{TOKEN}}}]}}',
        f'{{{WORDS},"added_tokens":[{{"id":1,"z":1,"z":1,{TOKEN}}}]}}',
        '{"model":{"type":"WordLevel","unk_token":"a","vocab":{"a":0,"a":1}}}',
        '{"model":{"type":"WordLevel","unk_token":"a","vocab":{"a":0,"c":7}}}',
        '{"model":{"type":"WordLevel","unk_token":"a","vocab":{"a":%s}}}' % ("9" * 5000),
        '{"model":{"type":"WordLevel","type":"WordLevel","unk_token":"a","vocab":{"a":0}}}',
        *(
            '{{"model":{{"type":"BPE","vocab":{{"a":0,"b":1{}}},"merges":{}}}}}'.format(*parts)
            for parts in (
                ("", '["a b"]'),
                ("", '["a"]'),
                (',"ab":2', '["a b c"]'),
                (',"ab":2', '["a b",["a","b"]]'),
                (',"ab":2', '[["a"]]'),
                (',"ab":2', '[["a","c"]]'),
                (',"ab":2', '[["a","b"],["a","b"]]'),
            )
        ),
        *(
            f'{{{WORDS},"{part}":{{"type":"Nosuch"}}}}'
            for part in ("normalizer", "pre_tokenizer", "post_processor", "decoder")
        ),
        '{"model":{"type":"Nosuch","vocab":{"a":0}}}',
        f'{{{WORDS},"post_processor":{{"type":"TemplateProcessing","single":[{{"SpecialToken":{{"id":"x","type_id":0}}}}],'
        '"pair":[],"special_tokens":{}}}',
        f'{{{WORDS},"pre_tokenizer":{{"type":"Split","pattern":{{"Regex":"("}},"behavior":"Removed","invert":false}}}}',
    ],
    ids=lambda text: text[:70],
)
def test_a_file_with_one_thing_wrong_is_read_or_refused_as_by_the_library(text: str) -> None:
    check([text])


# --- calls ----------------------------------------------------------------------------------------


def tokenizer(library: Any) -> Any:
    made = library.Tokenizer(library.models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
    made.add_special_tokens(["<s>"])
    return made


VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 1.5, 2**32, 2**64, 10**40, float("nan"), "", "a", "\ud83d", "a\x00b", b"a", [], ["a"]),
    *(["\ud83d"], [1], [-1], [2**40], {}, {"a": -1}, ("a", "b"), ("a", 1), ("\ud83d", 1), [("a", 1)], object()),
)
Call = Callable[[Any, Any], Any]
METHODS: tuple[str, ...] = (
    "encode",
    "encode_batch",
    "encode_batch_fast",
    "decode",
    "decode_batch",
    "token_to_id",
    "id_to_token",
)
METHODS += ("add_tokens", "add_special_tokens", "num_special_tokens_to_add", "enable_truncation", "post_process")
METHODS += ("train_from_iterator", "train", "get_vocab", "to_str")
ALIGNMENTS: tuple[str, ...] = ("char_to_token", "char_to_word", "token_to_chars", "token_to_word", "token_to_sequence")
ALIGNMENTS += ("word_to_chars", "word_to_tokens", "set_sequence_id", "truncate")


def method(get: Callable[[Any], Any], name: str) -> Call:
    """Return a call of a method, with one argument, of what `get` makes of a library."""
    return lambda library, value: getattr(get(library), name)(value)


def option(get: Callable[[Any], Any], name: str) -> Call:
    """Return a call with one keyword argument."""
    return lambda library, value: get(library)(**{name: value})


def decode_with(decoder: str) -> Call:
    """Return a call of a decoder."""
    return lambda library, value: getattr(library.decoders, decoder)().decode(value)


CALLS: dict[str, Call] = {
    **{name: method(tokenizer, name) for name in METHODS},
    **{name: method(lambda lib: tokenizer(lib).encode("abab"), name) for name in ALIGNMENTS},
    **{
        f"enable_truncation {name}": option(lambda lib: partial(tokenizer(lib).enable_truncation, 5), name)
        for name in ("stride", "strategy", "direction")
    },
    **{
        f"enable_padding {name}": option(lambda lib: tokenizer(lib).enable_padding, name)
        for name in ("direction", "pad_id", "pad_type_id", "pad_token", "length", "pad_to_multiple_of")
    },
    **{
        f"{name}.decode": decode_with(name)
        for name in ("ByteLevel", "BPEDecoder", "Fuse", "CTC", "WordPiece", "ByteFallback", "Metaspace")
    },
    **{
        f"model.{name}": method(lambda lib: tokenizer(lib).model, name)
        for name in ("tokenize", "token_to_id", "id_to_token")
    },
    "pair": lambda lib, value: tokenizer(lib).encode("a", value),
    "words": lambda lib, value: tokenizer(lib).encode(value, is_pretokenized=True),
    "item": lambda lib, value: tokenizer(lib).encode_batch([value]),
    "id": lambda lib, value: tokenizer(lib).decode([value]),
    "training text": lambda lib, value: tokenizer(lib).train_from_iterator([value]),
    "trainer": lambda lib, value: tokenizer(lib).train_from_iterator(["a"], value),
    "from_str": lambda lib, value: lib.Tokenizer.from_str(value),
    "from_buffer": lambda lib, value: lib.Tokenizer.from_buffer(value),
    "from_file": lambda lib, value: lib.Tokenizer.from_file(value),
    "normalize_str": lambda lib, value: lib.normalizers.NFC().normalize_str(value),
    "normalize": lambda lib, value: lib.normalizers.NFC().normalize(value),
    "pre_tokenize_str": lambda lib, value: lib.pre_tokenizers.Whitespace().pre_tokenize_str(value),
    "pre_tokenize": lambda lib, value: lib.pre_tokenizers.Whitespace().pre_tokenize(value),
    "Replace": lambda lib, value: lib.normalizers.Replace(value, "x"),
    "Split": lambda lib, value: lib.pre_tokenizers.Split("a", value),
    "Regex": lambda lib, value: lib.Regex(value),
    "AddedToken": lambda lib, value: lib.AddedToken(value),
    "BPE": lambda lib, value: lib.models.BPE(value, []),
    "merges": lambda lib, value: lib.models.BPE({"a": 0}, value),
    "WordLevel": lambda lib, value: lib.models.WordLevel(value),
    "Unigram": lambda lib, value: lib.models.Unigram(value),
    "template": lambda lib, value: lib.processors.TemplateProcessing(value),
    "special tokens": lambda lib, value: lib.processors.TemplateProcessing("a $A", special_tokens=value),
    "BertProcessing": lambda lib, value: lib.processors.BertProcessing(value, ("a", 0)),
    "NormalizedString": lambda lib, value: lib.NormalizedString(value),
    "append": lambda lib, value: lib.NormalizedString("abc").append(value),
    "get_splits": lambda lib, value: lib.PreTokenizedString("abc").get_splits(value),
    "step": lambda lib, value: lib.decoders.DecodeStream().step(tokenizer(lib), value),
    "save": lambda lib, value: tokenizer(lib).save(f"/no/folder/{value}" if isinstance(value, str) else value),
    "model.save": lambda lib, value: tokenizer(lib).model.save("/no/folder", value),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_argument_is_refused_as_by_the_library(name: str) -> None:
    if name == "truncate":
        values = [value for value in VALUES if not isinstance(value, int) or value < 2**32]
    else:
        values = list(VALUES)
    for value in values:
        refused: list[BaseException | None] = []
        for library in (ours, live):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    CALLS[name](library, value)
                    refused.append(None)
                except BaseException as error:
                    refused.append(error)
        mine, theirs = refused
        assert (mine is None) == (theirs is None), (name, value, mine, theirs)
        assert mine is None or isinstance(mine, Exception), (name, value)
        assert not isinstance(mine, FORBIDDEN) or type(mine) is type(theirs), (name, value, mine)


# --- texts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["\x00", "a\x00b", "ab" * 500_000, " " * 1_000_000, "a\n" * 100_000])
def test_nul_and_long_texts_are_encoded_as_by_the_library(text: str) -> None:
    found = []
    for library in (ours, live):
        made = library.Tokenizer(library.models.BPE({"a": 0, "b": 1, "ab": 2, "\x00": 3}, [("a", "b")]))
        made.pre_tokenizer = library.pre_tokenizers.Split(" ", "removed")
        encoding = made.encode(text)
        found.append((encoding.ids, encoding.offsets[-3:], made.decode(encoding.ids)[:100]))
    assert found[0] == found[1]


def test_a_failed_save_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = tokenizer(ours)
    path = tmp_path / "tokenizer.json"
    made.save(str(path))
    made.model.save(str(tmp_path))
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert set(before) == {"tokenizer.json", "vocab.json", "merges.txt"}

    def broken(*_: Any) -> None:
        raise OSError("the disk is full")

    made.add_tokens(["more"])
    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(OSError, match="full"):
        made.save(str(path))
    with pytest.raises(OSError, match="full"):
        made.model.save(str(tmp_path))
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_a_model_replaces_both_files_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tokenizer(ours).model
    old.save(str(tmp_path))
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    replace = os.replace

    def only_once(source: str, path: Path) -> None:
        if path.name.endswith("merges.txt"):
            raise OSError("the disk is full")
        replace(source, path)

    monkeypatch.setattr(os, "replace", only_once)
    new = ours.models.BPE({"c": 0, "d": 1, "cd": 2}, [("c", "d")])
    with pytest.raises(OSError, match="full"):
        new.save(str(tmp_path))
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
    with pytest.raises(OSError, match="full"):
        new.save(str(tmp_path), "new")
    monkeypatch.undo()
    new.save(str(tmp_path), "other")
    files = ["merges.txt", "other-merges.txt", "other-vocab.json", "vocab.json"]
    assert sorted(file.name for file in tmp_path.iterdir()) == files


def test_a_buffer_that_is_not_utf_8_is_refused_with_the_place() -> None:
    text = tokenizer(ours).to_str()
    buffers = [
        b"\xff\xfe{",
        text.encode("utf-16"),
        text.encode()[:30] + b"\x80" + text.encode()[30:],
        b"\xc3",
        b'{"\xed\xa0\x80":1}',
    ]
    for buffer in buffers:
        for library in (ours, live):
            with pytest.raises(ValueError):
                library.Tokenizer.from_buffer(buffer)
    with pytest.raises(ValueError, match="byte 30 is invalid"):
        ours.Tokenizer.from_buffer(buffers[2])


def test_a_folder_in_place_of_a_file_is_refused(tmp_path: Path) -> None:
    for path in (f"{tmp_path}/", f"{tmp_path}/new/", str(tmp_path)):
        with pytest.raises(OSError, match=str(tmp_path.name)):
            tokenizer(ours).save(path)
    assert list(tmp_path.iterdir()) == []
