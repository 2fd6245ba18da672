"""Bad input: the type of each error, and that its message names what is wrong; what the library does with the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
import tokenizers as live

from tokenlab.libraries import tokenizers as ours

VOCAB = {"a": 0, "[CLS]": 1, "[SEP]": 2}


def bpe(vocab: Any = None, merges: Any = (), **fields: Any) -> str:
    """Return a tokenizer.json with a BPE model."""
    vocab = {"a": 0, "b": 1, "ab": 2} if vocab is None else vocab
    return json.dumps({"model": {"type": "BPE", "vocab": vocab, "merges": list(merges)}} | fields)


def template(**fields: Any) -> dict[str, Any]:
    piece = {"SpecialToken": {"id": "[NEW]", "type_id": 0}}
    rest = {"Sequence": {"id": "A", "type_id": 0}}
    return {"type": "TemplateProcessing", "single": [piece, rest], "pair": [], "special_tokens": {}} | fields


def split(pattern: str) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Removed", "invert": False}


# A file, and parts of the message.
FILES: dict[str, tuple[str, tuple[str, ...]]] = {
    "empty": ("", ("line 1, column 1", "incomplete")),
    "truncated": (bpe()[:-2], ("line 1", "incomplete", "download or save it again")),
    "truncated in a text": (bpe()[:15], ("line 1", "Unterminated string", "incomplete")),
    "more after the end": (bpe() + "x", (f"line 1, column {len(bpe()) + 1}",)),
    "newer version": (bpe(version="2.0"), ("version: '2.0'", "reads version '1.0'", "newer library")),
    "newer field": (bpe(truncaton=None), ("'truncaton'", "did you mean 'truncation'")),
    "unknown model": ('{"model":{"type":"Nosuch","vocab":{}}}', ("at model", "'Nosuch'", "WordPiece")),
    "no model": ("{}", ("model",)),
    **{
        f"unknown {field}": (bpe(**{field: {"type": "Nosuch"}}), (f"at {field}", "'Nosuch'", example))
        for field, example in {
            "normalizer": "NFKC",
            "pre_tokenizer": "Metaspace",
            "post_processor": "BertProcessing",
            "decoder": "CTC",
        }.items()
    },
    "unknown component in a sequence": (
        bpe(normalizer={"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Nosuch"}]}),
        ("at normalizer", "'Nosuch'"),
    ),
    "merge without its result": (bpe({"a": 0, "b": 1}, [["a", "b"]]), ("merges[0]=('a', 'b')", "'ab'", "vocab")),
    "merge without its left part": (bpe(None, [["c", "b"]]), ("merges[0]=('c', 'b')", "'c'", "vocab")),
    "merge without its right part": (bpe(None, [["a", "b"], ["a", "c"]]), ("merges[1]=('a', 'c')", "'c'", "vocab")),
    "merge of one token": (bpe(None, ["a"]), ("merges", "line 1", "'a'", "no space")),
    "merge of three tokens": (bpe(None, ["a b c"]), ("merges", "line 1", "'a b c'", "2 spaces")),
    "invalid regular expression": (bpe(pre_tokenizer=split("(")), ("at pre_tokenizer", "'('", "unmatched")),
    "unsupported regular expression": (bpe(pre_tokenizer=split("(?~a)")), ("at pre_tokenizer", "absent operator")),
}


@pytest.mark.parametrize("name", list(FILES))
def test_a_bad_file_is_a_value_error_that_names_the_place(name: str) -> None:
    text, parts = FILES[name]
    with pytest.raises(ValueError) as error:
        ours.Tokenizer.from_str(text)
    assert str(error.value).startswith("tokenizer.json")
    assert all(part in str(error.value) for part in parts), str(error.value)
    if name != "unsupported regular expression":
        with pytest.raises(BaseException):  # noqa: B017  # also a panic, which is no Exception
            live.Tokenizer.from_str(text)


def test_two_tokens_with_one_id_are_a_warning_that_names_them() -> None:
    for make in (
        lambda: ours.Tokenizer.from_str(bpe({"a": 0, "b": 0})),
        lambda: ours.models.WordLevel({"a": 0, "b": 0}),
    ):
        with pytest.warns(UserWarning, match="'a' and 'b' both have the id 0"):
            make()
    live.Tokenizer.from_str(bpe({"a": 0, "b": 0}))


def test_an_added_token_with_an_id_of_the_model_is_a_warning_that_names_it() -> None:
    token = {"id": 0, "content": "x"} | dict.fromkeys(
        ["single_word", "lstrip", "rstrip", "normalized", "special"], False
    )
    with pytest.warns(UserWarning, match="'x' has the id 0 in the file, but gets the id 3"):
        mine = ours.Tokenizer.from_str(bpe(added_tokens=[token]))
    assert mine.token_to_id("x") == live.Tokenizer.from_str(bpe(added_tokens=[token])).token_to_id("x") == 3


def test_an_id_gap_is_kept_and_named_where_a_file_loses_it(tmp_path: Any) -> None:
    for library in (ours, live):
        made = library.Tokenizer.from_str(bpe({"a": 0, "b": 7}))
        assert (made.id_to_token(1), made.id_to_token(7), made.get_vocab_size()) == (None, "b", 2)
        assert made.decode([0, 1, 7]) == "a b"
    with pytest.warns(UserWarning, match=r"'b' has the id 7, but is in line 2, so a reader gives it the id 1"):
        ours.models.WordPiece({"a": 0, "b": 7}).save(str(tmp_path))
    assert ours.models.WordPiece.read_file(str(tmp_path / "vocab.txt")) == {"a": 0, "b": 1}


def pipeline(library: Any, **truncation: Any) -> Any:
    made = library.Tokenizer(library.models.WordLevel(VOCAB, unk_token="a"))
    made.pre_tokenizer = library.pre_tokenizers.Whitespace()
    made.post_processor = library.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    if truncation:
        made.enable_truncation(**truncation)
    return made


def make_template(library: Any, single: str, pair: str = "$A $B") -> Any:
    return library.processors.TemplateProcessing(single=single, pair=pair, special_tokens=[("[CLS]", 1)])


Call = Callable[[Any], Any]
# A call, the type of its error, parts of the message, and what the library does.
CALLS: dict[str, tuple[Call, type[Exception], tuple[str, ...], str]] = {
    "template with an unknown special token": (
        lambda lib: make_template(lib, "[CLS] $A [NEW]"), ValueError, ("`[NEW]`", "special_tokens"), "refuses"),
    "template with unknown special tokens in its pair": (
        lambda lib: make_template(lib, "$A", "$A [X] $B [Y]"), ValueError, ("[X]", "[Y]"), "refuses"),
    "template without $B": (lambda lib: make_template(lib, "$A", "$A"), ValueError, ("`pair`", "$A:0"), "refuses"),
    "template with a wrong type id": (
        lambda lib: make_template(lib, "$A:x"), ValueError, ('"$A:x"', "$A:1"), "refuses"),
    "file whose template has an unknown special token": (
        lambda lib: lib.Tokenizer.from_str(bpe(post_processor=template())).encode("a"),
        ValueError, ("'[NEW]'", "special_tokens"), "panics"),
    "truncation shorter than the special tokens": (
        lambda lib: pipeline(lib, max_length=1).encode("a a"),
        ValueError, ("max_length=1", "2 special tokens"), "returns"),
    "truncation shorter than the special tokens of a pair": (
        lambda lib: pipeline(lib, max_length=2).encode("a", "a"), ValueError, ("max_length=2", "3 special"), "returns"),
    "stride of the length without special tokens": (
        lambda lib: pipeline(lib, max_length=4, stride=2).encode("a a a"),
        ValueError, ("stride=2", "max_length=2", "already subtracted"), "panics"),
    "stride longer than the length": (
        lambda lib: pipeline(lib, max_length=4, stride=9),
        ValueError, ("stride set to 9", "4 original max"), "refuses"),
    "stride of Encoding.truncate": (
        lambda lib: pipeline(lib).encode("a a a").truncate(2, stride=2),
        ValueError, ("stride=2", "max_length=2"), "panics"),
    "only the second of one text": (
        lambda lib: pipeline(lib, max_length=3, strategy="only_second").encode("a a a"),
        Exception, ("only_second", "Second sequence not provided"), "refuses"),
    "unknown strategy": (
        lambda lib: pipeline(lib, max_length=3, strategy="longest"),
        ValueError, ("`longest`", "only_first"), "refuses"),
    "unknown direction": (
        lambda lib: pipeline(lib, max_length=3, direction="up"), ValueError, ("`up`", "left"), "refuses"),
    "merge without its result": (
        lambda lib: lib.models.BPE({"a": 0, "b": 1}, [("a", "b")]), ValueError, ("merges[0]", "'ab'"), "panics"),
    "merge of three tokens": (
        lambda lib: lib.models.BPE({"a": 0}, [("a", "a", "a")]), TypeError, ("merges[0]", "two tokens"), "refuses"),
    "unknown word without an unknown token": (
        lambda lib: lib.Tokenizer(lib.models.WordLevel({"a": 0})).encode("b"),
        Exception, ("'b'", "unk_token"), "refuses"),
    "Unigram without an unknown token": (
        lambda lib: lib.models.Unigram([("a", 0.0)], 5), Exception, ("unk_id", "5"), "refuses"),
}  # fmt: skip


def done_by(library: Any, call: Call) -> str:
    """Return what a library does with a call: "returns", "refuses" or "panics"."""
    try:
        call(library)
        return "returns"
    except Exception:
        return "refuses"
    except BaseException as error:
        assert type(error).__name__ == "PanicException"
        return "panics"


@pytest.mark.parametrize("name", list(CALLS))
def test_a_bad_call_has_an_error_that_names_the_argument(name: str) -> None:
    call, kind, parts, library_does = CALLS[name]
    with pytest.raises(kind) as error:
        call(ours)
    assert all(part in str(error.value) for part in parts), str(error.value)
    assert done_by(live, call) == library_does


# --- regular expressions ---------------------------------------------------------------------------

INVALID: dict[str, str] = {
    "(": "unmatched parenthesis",
    ")": "unmatched close parenthesis",
    "[a": "premature end of char-class",
    "[]": "empty char-class",
    "[b-a]": "empty range in char class: b-a",
    "*a": "target of repeat operator",
    "a{100001}": "too big number for repeat range",
    "\\": "end pattern at escape",
    "\\c": "control",
    "\\C": "control-code syntax \\C",
    "\\C-": "control-code syntax \\C",
    "\\M": "meta-code syntax \\M",
    "\\p{Nosuch}": "property name {Nosuch}",
    "\\p{Arrows}": "property name {Arrows}",  # a block, which needs "In"
    "\\p{H}": "property name {H}",
    "\\p{Infinity}": "property name {Infinity}",
    "\\p{!}": "property name {!}",
    "[[:nosuch:]]": "[:nosuch:]",
    "[[:^:]]": "POSIX bracket type",
    "(?<n": "invalid group name",
    "(?<1>a)": "invalid group name",
    "(?z)": "'(?z)'",
    "(?P<n>a)": "'(?P<'",
    "\\g<x>": "group",
    "\\k<x": "group name of \\k",
    "\\g<0>": "never ending recursion",
    "(?<n>\\g<n>)": "never ending recursion",
    "(?(1)a|b)": "group",
}
UNSUPPORTED: dict[str, str] = {
    "(?~a)": "absent operator",
    "(?{x})": "callout",
    "(*MAX{1})": "callout",
    "\\y": "text segment boundary \\y",
    "\\Y": "text segment boundary \\Y",
    "(?y{g})a": "option (?y{...)",
    "\\M-a": "meta character \\M-",
    "\\c\\\\": "control character \\c\\",
    "(?<n>a)\\k<n+1>": "level of recursion",
    "\\x{d800}": "surrogate, which is not supported: d800",
    "\\x{11ffff}": "too big wide-char value",
    "\\xff": "\\xff",
    **{f"(?{letter})a": f"option (?{letter}...)" for letter in "WDSPCIL"},
    **{f"(?i{letter}:a)": f"option (?{letter}...)" for letter in "WDSPCIL"},
    "(?-W)a": "option (?W...)",
}


@pytest.mark.parametrize("pattern", list(INVALID))
def test_an_invalid_pattern_is_a_value_error_with_the_reason(pattern: str) -> None:
    with pytest.raises(ValueError) as error:
        ours.Regex(pattern)
    assert f"pattern={pattern!r}" in str(error.value)
    assert INVALID[pattern] in str(error.value), str(error.value)
    assert done_by(live, lambda library: library.Regex(pattern)) == "refuses"


@pytest.mark.parametrize("pattern", list(UNSUPPORTED))
def test_a_construct_of_oniguruma_that_is_not_supported_is_named(pattern: str) -> None:
    with pytest.raises(ValueError) as error:
        ours.Regex(pattern)
    assert f"pattern={pattern!r}" in str(error.value)
    assert UNSUPPORTED[pattern] in str(error.value), str(error.value)
    assert "not supported" in str(error.value)
    assert done_by(live, lambda library: library.Regex(pattern)) == "returns"


# --- lone surrogates -------------------------------------------------------------------------------

LONE = "a\ud83d"
SURROGATES: dict[str, Call] = {
    "encode": lambda lib: pipeline(lib).encode(LONE),
    "pair": lambda lib: pipeline(lib).encode("a", LONE),
    "words": lambda lib: pipeline(lib).encode(["a", LONE], is_pretokenized=True),
    "encode_batch": lambda lib: pipeline(lib).encode_batch(["a", LONE]),
    "encode_batch_fast": lambda lib: pipeline(lib).encode_batch_fast([LONE]),
    "pairs": lambda lib: pipeline(lib).encode_batch([("a", LONE)]),
    "token_to_id": lambda lib: pipeline(lib).token_to_id(LONE),
    "add_tokens": lambda lib: pipeline(lib).add_tokens([LONE]),
    "add_special_tokens": lambda lib: pipeline(lib).add_special_tokens([LONE]),
    "training": lambda lib: pipeline(lib).train_from_iterator([LONE]),
    "from_str": lambda lib: lib.Tokenizer.from_str(LONE),
    "AddedToken": lambda lib: lib.AddedToken(LONE),
    "Regex": lambda lib: lib.Regex(LONE),
    "normalize_str": lambda lib: lib.normalizers.NFC().normalize_str(LONE),
    "NormalizedString": lambda lib: lib.NormalizedString(LONE),
    "pre_tokenize_str": lambda lib: lib.pre_tokenizers.Whitespace().pre_tokenize_str(LONE),
    "PreTokenizedString": lambda lib: lib.PreTokenizedString(LONE),
    "model.tokenize": lambda lib: pipeline(lib).model.tokenize(LONE),
    "decoder": lambda lib: lib.decoders.Fuse().decode([LONE]),
    "template": lambda lib: lib.processors.TemplateProcessing(single=LONE, special_tokens=[]),
    "vocab": lambda lib: lib.models.WordLevel({LONE: 0}),
    "Unigram": lambda lib: lib.models.Unigram([(LONE, 0.0)]),
    "Replace": lambda lib: lib.normalizers.Replace("a", LONE),
    "pad_token": lambda lib: pipeline(lib).enable_padding(pad_token=LONE),
}


@pytest.mark.parametrize("name", list(SURROGATES))
def test_a_lone_surrogate_is_refused_with_the_librarys_type_and_its_code(name: str) -> None:
    with pytest.raises(Exception) as theirs:
        SURROGATES[name](live)
    with pytest.raises(theirs.type) as mine:
        SURROGATES[name](ours)
    assert "surrogate" in str(mine.value)
    assert "U+D83D" in str(mine.value)
    assert "replace" in str(mine.value)
