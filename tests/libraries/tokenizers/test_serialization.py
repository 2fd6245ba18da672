"""tokenizer.json: both directions with the library for every component, older files, and errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tokenizers as live

from tokenlab.libraries import tokenizers as ours
from tokenlab.libraries.sentencepiece.builder import compile_charsmap

L = live
CHARSMAP = "AAAAAA=="  # an empty table


def fields(**changes: Any) -> dict[str, Any]:
    model = {"type": "WordLevel", "vocab": {"a": 0, "b": 1}, "unk_token": "a"}
    names = ("truncation", "padding", "normalizer", "pre_tokenizer", "post_processor", "decoder")
    base = {"version": "1.0", **dict.fromkeys(names), "added_tokens": [], "model": model}
    return {name: value for name, value in (base | changes).items() if value != "absent"}


NORMALIZERS = [
    *(L.normalizers.NFC(), L.normalizers.NFD(), L.normalizers.NFKC(), L.normalizers.NFKD(), L.normalizers.Nmt()),
    *(L.normalizers.Lowercase(), L.normalizers.StripAccents(), L.normalizers.Strip(False, True)),
    *(L.normalizers.BertNormalizer(strip_accents=True), L.normalizers.ByteLevel(), L.normalizers.Prepend("▁")),
    *(L.normalizers.Replace("é\n", '"'), L.normalizers.Replace(L.Regex(r"\s+"), " ")),
    L.normalizers.Sequence([L.normalizers.NFC(), L.normalizers.Sequence([L.normalizers.Strip()])]),
    L.normalizers.Precompiled(compile_charsmap({"½": "1/2", "ａ": "a"})),
]
PRE_TOKENIZERS = [
    *(
        L.pre_tokenizers.BertPreTokenizer(),
        L.pre_tokenizers.ByteLevel(False, True, False),
        L.pre_tokenizers.Whitespace(),
    ),
    *(L.pre_tokenizers.CharDelimiterSplit("x"), L.pre_tokenizers.Digits(True), L.pre_tokenizers.WhitespaceSplit()),
    *(L.pre_tokenizers.Metaspace("_", "first", False), L.pre_tokenizers.Punctuation("contiguous")),
    *(L.pre_tokenizers.Split(L.Regex("a|b"), "merged_with_next", True), L.pre_tokenizers.Split("a", "removed")),
    *(L.pre_tokenizers.UnicodeScripts(), L.pre_tokenizers.FixedLength(3)),
    L.pre_tokenizers.Sequence([L.pre_tokenizers.Whitespace(), L.pre_tokenizers.Digits()]),
]
PROCESSORS = [
    *(
        L.processors.BertProcessing(("b", 1), ("a", 0)),
        L.processors.RobertaProcessing(("b", 1), ("a", 0), False, False),
    ),
    *(L.processors.ByteLevel(trim_offsets=False), L.processors.Sequence([L.processors.ByteLevel()])),
    L.processors.TemplateProcessing(single="a $0", pair="a $A:2 $B:1 b:3", special_tokens=[("a", 0), ("b", 1)]),
]
DECODERS = [
    *(L.decoders.BPEDecoder("_"), L.decoders.ByteFallback(), L.decoders.ByteLevel(), L.decoders.CTC("p", "|", False)),
    *(L.decoders.Fuse(), L.decoders.Metaspace("_", "never"), L.decoders.Replace("a", "b"), L.decoders.Strip("x", 1, 2)),
    *(
        L.decoders.WordPiece("##", False),
        L.decoders.Sequence([L.decoders.Fuse(), L.decoders.Replace(L.Regex("a"), "b")]),
    ),
]
MODELS = [
    *(L.models.WordLevel({"é": 1, "a": 0}, "a"), L.models.WordPiece({"a": 0, "##b": 1}, unk_token="a")),
    L.models.BPE(
        {"a": 0, "b": 1, "ab": 2}, [("a", "b")], dropout=0.1, unk_token="a", end_of_word_suffix="</w>", fuse_unk=True
    ),
    L.models.BPE({"a": 0, " b": 1, "a b": 2}, [("a", " b")], byte_fallback=True, ignore_merges=True),
    L.models.Unigram([("a", -0.1), ("b", -1e-7), ("c", -12345678.9), ("d", -3.00001e-05)], 0, False),
]
COMPONENTS = [
    *(("normalizer", one) for one in NORMALIZERS),
    *(("pre_tokenizer", one) for one in PRE_TOKENIZERS),
    *(("post_processor", one) for one in PROCESSORS),
    *(("decoder", one) for one in DECODERS),
    *(("model", one) for one in MODELS),
]


@pytest.mark.parametrize(("field", "component"), COMPONENTS, ids=lambda value: str(value)[:40])
def test_every_component_is_read_and_written_both_ways(field: str, component: Any, tmp_path: Path) -> None:
    theirs = live.Tokenizer(live.models.WordLevel({"a": 0, "b": 1}, "a"))
    setattr(theirs, field, component)
    text = theirs.to_str()
    mine = ours.Tokenizer.from_str(text)
    assert mine.to_str() == live.Tokenizer.from_str(text).to_str()
    assert mine.to_str(pretty=True) == live.Tokenizer.from_str(text).to_str(pretty=True)
    assert live.Tokenizer.from_str(mine.to_str()).to_str() == mine.to_str()
    assert ours.Tokenizer.from_buffer(text.encode()).to_str() == mine.to_str()
    mine.save(str(tmp_path / "tokenizer.json"))
    assert ours.Tokenizer.from_file(str(tmp_path / "tokenizer.json")).to_str() == mine.to_str()
    assert live.Tokenizer.from_file(str(tmp_path / "tokenizer.json")).to_str() == mine.to_str()


TOKEN = {
    "id": 2,
    "content": "x",
    "single_word": False,
    "lstrip": True,
    "rstrip": False,
    "normalized": False,
    "special": True,
}
OLDER = [
    fields(version="absent"),
    fields(added_tokens="absent", normalizer="absent", truncation="absent", padding="absent"),
    fields(added_tokens=[TOKEN, TOKEN | {"id": 3, "content": ""}]),
    fields(added_tokens=[TOKEN | {"id": 1, "content": "b"}, TOKEN | {"more": 1}]),
    fields(model={"vocab": {"a": 0}, "unk_token": "a"}),
    fields(model={"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}),
    fields(model={"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": [["a", "b"]]}),
    fields(model={"vocab": {"a": 0}, "merges": []}),
    fields(model={"unk_id": 0, "vocab": [["a", -1.0]]}),
    fields(pre_tokenizer={"type": "Metaspace", "replacement": "_", "str_rep": "_", "add_prefix_space": True}),
    fields(pre_tokenizer={"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True}),
    fields(decoder={"type": "Metaspace", "replacement": "_", "add_prefix_space": True}),
    fields(normalizer={"type": "Sequence", "normalizers": []}),
    fields(truncation={"max_length": 3, "strategy": "LongestFirst", "stride": 7}),
    fields(truncation={"max_length": 3, "strategy": "OnlyFirst", "stride": 0, "direction": "Left"}),
    fields(
        padding={
            "strategy": {"Fixed": 3},
            "direction": "Left",
            "pad_to_multiple_of": 8,
            "pad_id": 1,
            "pad_type_id": 0,
            "pad_token": "b",
        }
    ),
]


@pytest.mark.parametrize("older", OLDER, ids=lambda value: json.dumps(value)[:60])
def test_files_of_older_versions_are_read_as_the_library_reads_them(older: dict[str, Any]) -> None:
    text = json.dumps(older)
    assert ours.Tokenizer.from_str(text).to_str() == live.Tokenizer.from_str(text).to_str()


WRONG = [
    ("", "incomplete"),
    (json.dumps(fields())[:60], "line 1, column .*incomplete"),
    (json.dumps(fields())[:17], "incomplete"),
    ("{]", "line 1, column 2.*correct it"),
    ("[]", "should be a JSON object.*not a list"),
    ('{"version": NaN}', "NaN is not a number"),
    (fields(version="2.0"), "at version: '2.0' is not known.*older"),
    (fields(version=1), "at version: 1 is not known"),
    (fields(model="absent"), "the field 'model' is missing"),
    (fields(model={"type": "BPEE", "vocab": {}, "merges": []}), "at model: .*did you mean 'BPE'"),
    (fields(normalizer={"type": "Lowercas"}), "at normalizer: .*did you mean 'Lowercase'"),
    (fields(normalizer={"type": "Sequence", "normalizers": [{"type": "NF"}]}), "at normalizer"),
    (fields(pre_tokenizer={"type": "ByteLvel"}), "at pre_tokenizer: .*did you mean 'ByteLevel'"),
    (fields(post_processor={"type": "BertProcesing"}), "at post_processor: .*did you mean 'BertProcessing'"),
    (fields(decoder={"type": "Fus"}), "at decoder: .*did you mean 'Fuse'"),
    (fields(normalizer={"type": "Strip"}), "at normalizer: .*strip_left"),
    (fields(normaliser=None), "a field='normaliser' is not known; did you mean 'normalizer'"),
    (fields(model={"type": "BPE", "vocab": {"a": 0}, "merges": ["a b"]}), "at model: .*'b'"),
    (fields(added_tokens=None), "at added_tokens: .*list of tokens"),
    (fields(added_tokens={}), "at added_tokens: .*not an object"),
    (
        fields(added_tokens=[TOKEN, {"id": 3, "content": "q"}]),
        r"at added_tokens\[1\]: the field 'single_word'",
    ),
    (fields(added_tokens=[TOKEN | {"id": -1}]), r"at added_tokens\[0\]: id=-1 should be from 0"),
    (fields(added_tokens=[TOKEN | {"special": 1}]), r"at added_tokens\[0\]: special=1 should be True or False"),
    (fields(truncation={"max_length": 3}), "at truncation: .*stride"),
    (fields(padding={"strategy": "BatchLongest"}), "at padding: .*pad_id"),
    (json.dumps(fields()).replace('"a": 0', r'"\ud800": 0'), "at model.vocab=.*lone surrogate"),
]


@pytest.mark.parametrize(("given", "message"), WRONG, ids=[message for _, message in WRONG])
def test_an_error_names_the_place_and_the_fix(given: Any, message: str) -> None:
    text = given if isinstance(given, str) else json.dumps(given)
    with pytest.raises(Exception):  # noqa: B017
        live.Tokenizer.from_str(text)
    with pytest.raises(ValueError, match=f"(?s)tokenizer.json.*{message}|{message}"):
        ours.Tokenizer.from_str(text)


@pytest.mark.parametrize("id", [0, 3, 9])
def test_ids_of_added_tokens_that_disagree_are_named_in_a_warning(id: int) -> None:
    text = json.dumps(fields(added_tokens=[TOKEN | {"id": id}]))
    with pytest.warns(UserWarning, match=f"'x' has the id {id} in the file, but gets the id 2"):
        mine = ours.Tokenizer.from_str(text)
    assert mine.to_str() == live.Tokenizer.from_str(text).to_str()


def test_a_file_that_is_not_utf8_or_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "wrong.json"
    path.write_bytes(b"{\xff")
    with pytest.raises(ValueError, match=r"wrong.json is not UTF-8: byte 1"):
        ours.Tokenizer.from_file(str(path))
    with pytest.raises(FileNotFoundError):
        ours.Tokenizer.from_file(str(tmp_path / "none.json"))


def test_from_pretrained_downloads_tokenizer_json(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(fields()), encoding="utf-8")
    calls = []

    def download(**arguments: str) -> str:
        calls.append(arguments)
        return str(path)

    monkeypatch.setattr("huggingface_hub.hf_hub_download", download)
    assert ours.Tokenizer.from_pretrained("org/name", token="t").get_vocab() == {"a": 0, "b": 1}
    assert calls == [{"repo_id": "org/name", "filename": "tokenizer.json", "revision": "main", "token": "t"}]
