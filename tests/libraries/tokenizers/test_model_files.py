"""Files of models, and their fields in tokenizer.json, against the live library."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.strategies import texts
from tokenlab.libraries.tokenizers import models
from tokenlab.libraries.tokenizers.components.component import number_text, read_float
from tokenlab.libraries.tokenizers.models import from_json
from tokenlab.libraries.tokenizers.models.bpe import shortest_float32, to_float32

LIBRARY: Any = tokenizers.models
VOCAB = {"a": 0, "b": 1, "ab": 2}
MERGES_FILES = [
    *("", "a b", "a b\n", "a b\r\n", "a b\r", "\na b", "a b\n\n", "a  b\n", "a b c\n", "a\n", " a b\n", "a \n"),
    *("#version: 0.2\na b\n", "a b\n#version x y z\n", "a b\n# c\n", "#versio n\n", "a b\na b\n", "b a\n", "\ufeffa b"),
]
JSON_FILES = [
    *("{}", "[]", "{", "", '{"a":-1}', '{"a":1.5}', '{"a":1e2}', '{"a":18446744073709551616}', '{"a":0,"a":1}'),
    *(
        '\ufeff{"a":0}',
        '{"a":NaN}',
        '{"\\ud800":0}',
        '{"é\\n":3,"b":0}',
        '{"a":0}x',
        "null",
        '{"a":0,}',
        '{"\\u00e9":7}',
    ),
]
TEXT_FILES = [
    *("", "a", "a\nb\n", "a\r\nb\r\n", "a\n\nb", "a \nb\t\n", "a\na\n", " a\n\x85\n\u3000x\u3000\nb\u200b\n"),
    *("a\x0bb\nc\x0c\n", "a\x1c\nb\x1f\n", "\ufeffa", "a\r\r\n", "a\rb\n", "a\u2028\nb\u1680\u180e\n", "a\x00\n"),
]


def written(path: Path, content: str | bytes) -> str:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def outcome(function: Any, *arguments: Any) -> Any:
    try:
        result = function(*arguments)
    except Exception as error:
        return "refused" if type(error) is Exception or isinstance(error, ValueError | OSError) else type(error)
    return result if isinstance(result, tuple | dict) else repr(result)


@pytest.mark.parametrize("content", MERGES_FILES)
def test_merges_are_read_as_the_library_reads_them(tmp_path: Path, content: str) -> None:
    files = written(tmp_path / "vocab.json", json.dumps(VOCAB)), written(tmp_path / "merges.txt", content)
    for name in ("read_file", "from_file", "__call__"):
        ours = models.BPE if name == "__call__" else getattr(models.BPE, name)
        library = LIBRARY.BPE if name == "__call__" else getattr(LIBRARY.BPE, name)
        assert outcome(ours, *files) == outcome(library, *files)


@pytest.mark.parametrize("content", JSON_FILES)
def test_a_json_vocabulary_is_read_as_the_library_reads_it(tmp_path: Path, content: str) -> None:
    file = written(tmp_path / "vocab.json", content)
    assert outcome(models.WordLevel.read_file, file) == outcome(LIBRARY.WordLevel.read_file, file)
    assert outcome(models.WordLevel.from_file, file, "a") == outcome(LIBRARY.WordLevel.from_file, file, "a")


@pytest.mark.parametrize("content", TEXT_FILES)
def test_a_text_vocabulary_is_read_as_the_library_reads_it(tmp_path: Path, content: str) -> None:
    file = written(tmp_path / "vocab.txt", content)
    assert models.WordPiece.read_file(file) == LIBRARY.WordPiece.read_file(file)
    assert repr(models.WordPiece(file, unk_token="a")) == repr(LIBRARY.WordPiece(file, unk_token="a"))


@given(st.text(st.sampled_from("a \t\n\r\x0b\x0c\x1c\x1d\x85\xa0\u180e\u200b\u2028\u3000\ufeff")))
@examples(50)
def test_any_whitespace_at_the_end_of_a_line_is_removed(tmp_path_factory: pytest.TempPathFactory, content: str) -> None:
    file = written(tmp_path_factory.getbasetemp() / "vocab.txt", content)
    assert models.WordPiece.read_file(file) == LIBRARY.WordPiece.read_file(file)


@pytest.mark.parametrize("name", ["vocab.json", "merges.txt", "vocab.txt"])
def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path, name: str) -> None:
    good = {"vocab.json": b'{"a":0}', "merges.txt": b"", "vocab.txt": b"a"}
    paths = {file: written(tmp_path / file, b"a \xff\n" if file == name else text) for file, text in good.items()}
    with pytest.raises(ValueError, match="is not UTF-8: byte 2"):
        if name == "vocab.txt":
            models.WordPiece(paths["vocab.txt"])
        else:
            models.BPE(paths["vocab.json"], paths["merges.txt"])


def test_messages_name_the_file_the_line_and_the_fix(tmp_path: Path) -> None:
    vocab = written(tmp_path / "vocab.json", json.dumps(VOCAB))
    merges = written(tmp_path / "merges.txt", "#version: 0.2\na b\na  b\n")
    with pytest.raises(ValueError, match=r"merges.txt, line 3: 'a  b' has 2 spaces; give two tokens with one space"):
        models.BPE.from_file(vocab, merges)
    with pytest.raises(ValueError, match=r"merges\[1\]=\('a', 'c'\): a part of the merge, 'c', is not in vocab"):
        models.BPE(VOCAB, [("a", "b"), ("a", "c")])
    with pytest.raises(ValueError, match="the result of the merge, 'ba', is not in vocab"):
        models.BPE(VOCAB, [("b", "a")])
    with pytest.raises(ValueError, match=r"vocab\.json is not valid JSON"):
        models.WordLevel.from_file(written(tmp_path / "vocab.json", '{"a":'))
    with pytest.raises(ValueError, match="has the id 4294967296; ids are integers from 0 to 4294967295"):
        models.WordLevel.from_file(written(tmp_path / "vocab.json", '{"a":4294967296}'))
    with pytest.warns(UserWarning, match="2 entries are ignored because their value is not a number, first 'b'"):
        assert models.WordLevel.read_file(written(tmp_path / "vocab.json", '{"a":0,"b":"1","c":null}')) == {"a": 0}


SAVED = {
    "BPE": ("BPE", ({"b": 7, "a": 0, 'é"\\\n\x01\x7f\u2028/': 3, "ab": 9}, [("a", "b")])),
    "BPE, a merge twice": ("BPE", ({"b": 7, "a": 0, "ab": 9, "aa": 3}, [("a", "b"), ("a", "a"), ("a", "b")])),
    "BPE, empty": ("BPE", ()),
    "WordPiece": ("WordPiece", ({"b": 7, "a": 0, "é\n": 3, "ab": 9},)),
    "WordLevel": ("WordLevel", ({"b": 7, "a": 0, "é\n": 3, "ab": 9},)),
    "WordLevel, empty": ("WordLevel", ({},)),
    "Unigram": ("Unigram", ([("a", -1.0), ("é", -2.5e-9), ('"', 1e-5), ("b", 1e16), ("c", -0.0)], 0)),
    "Unigram, no unk_id": ("Unigram", ([("a", float("nan")), ("b", 123456789012345680.0)], None, True)),
    "Unigram, empty": ("Unigram", ([],)),
}


@pytest.mark.parametrize("name", SAVED)
@pytest.mark.parametrize("prefix", [None, "pre", ""])
@pytest.mark.filterwarnings("ignore:vocab.txt")  # the ids have a gap
def test_saved_files_are_those_of_the_library(tmp_path: Path, name: str, prefix: str | None) -> None:
    kind, arguments = SAVED[name]
    contents = []
    for module in (LIBRARY, models):
        folder = tmp_path / module.__name__
        folder.mkdir()
        paths = getattr(module, kind)(*arguments).save(f"{folder}/", prefix)
        contents.append([(path.removeprefix(str(folder)), Path(path).read_bytes()) for path in paths])
    assert contents[0] == contents[1]


def test_the_old_name_of_prefix_is_deprecated(tmp_path: Path) -> None:
    with pytest.warns(DeprecationWarning, match="prefix"):
        assert models.WordLevel().save(str(tmp_path), name="x") == [str(tmp_path / "x-vocab.json")]


BASE: dict[str, Any] = {"vocab": {"a": 0, "aa": 1}, "merges": ["a a"]}
PIECE: dict[str, Any] = {"vocab": {"a": 0}, "unk_token": "x", "continuing_subword_prefix": "#"}
FIELDS: list[Any] = [
    *(BASE, {**BASE, "merges": [["a", "a"]]}, {**BASE, "type": "BPE"}, {**BASE, "type": "BPE", "unknown": 3}),
    *({**BASE, "type": "BPE", "merges": merges} for merges in (["#version: 0.2", "a a"], ["a a a"], ["aa"], [], None)),
    *({**BASE, "type": "BPE", "merges": merges} for merges in ([["a"]], [["a", "b"]], [["a", "a"], "a a"], [3], "a a")),
    *({**BASE, "type": "BPE", "vocab": vocab} for vocab in ({"a": -1}, {"a": 1.0}, {"a": 2**32}, [["a", 1]], None)),
    *({**BASE, "type": "BPE", "dropout": dropout} for dropout in (0.3, 1, 0, None, 2, "a", True)),
    *({**BASE, "type": "BPE", "unk_token": token} for token in ("a", None, 3)),
    *({**BASE, "type": "BPE", "fuse_unk": value} for value in (True, None, 1)),
    *({**BASE, "type": "BPE", "byte_fallback": True, "ignore_merges": True, "end_of_word_suffix": "é"},),
    *({"type": "BPE", "vocab": {"a": 0}}, {"type": "BPE", "merges": []}, {}, {"type": None, **BASE}, [], None, "BPE"),
    *(
        {**BASE, "type": "BPX"},
        {"type": "WordPiece", **BASE},
        {"vocab": {"a": 0}},
        {"vocab": {"a": 0}, "unk_token": "a"},
    ),
    *(PIECE, {**PIECE, "max_input_chars_per_word": 3}, {**PIECE, "type": "WordPiece"}),
    *({**PIECE, "type": "WordPiece", "max_input_chars_per_word": number} for number in (3, -3, None, 2.0, 2**64, True)),
    *({**PIECE, "type": "WordPiece", "max_input_chars_per_word": 3, "unk_token": token} for token in ("é", None)),
    *({"type": "WordLevel", "vocab": {"a": 0}, "unk_token": token} for token in ("a", None, 3)),
    *({"type": "WordLevel", "vocab": {"a": 0}}, {"type": "Unigram"}, {"vocab": [["a", 0]]}),
    *({"type": "Unigram", "vocab": [["a", -1.5]], "unk_id": unk_id} for unk_id in (None, 0, 1, -1, 0.0, "a", False)),
    *({"type": "Unigram", "vocab": [["a", -1]], "byte_fallback": value} for value in (True, None, 1)),
    *(
        {"type": "Unigram", "vocab": [entry]}
        for entry in (["a", None], ["a"], ["a", "b"], [1, 1], ["a", 1, 2], {"a": 0})
    ),
    *(
        {"type": "Unigram", "vocab": []},
        {"type": "Unigram", "vocab": [], "unk_id": 0},
        {"type": "Unigram", "vocab": None},
    ),
]


@pytest.mark.parametrize("fields", FIELDS, ids=json.dumps)
def test_fields_of_tokenizer_json_are_read_as_the_library_reads_them(fields: Any) -> None:
    library = LIBRARY.Model()
    try:
        library.__setstate__(json.dumps(fields).encode())
    except Exception:
        with pytest.raises(ValueError):
            from_json(fields)
    else:
        ours = from_json(fields)
        assert ours.to_json() == json.loads(library.__getstate__())
        assert repr(ours) == repr(library)
        assert list(ours.to_json()["vocab"]) == list(json.loads(library.__getstate__())["vocab"])


def test_an_unknown_type_gets_a_suggestion() -> None:
    with pytest.raises(ValueError, match="did you mean 'WordPiece'"):
        from_json({**PIECE, "type": "Wordpiece"})


TOKENS = st.lists(texts(surrogates=False, repeated=2), max_size=8, unique=True)


@given(TOKENS, st.floats(0, 1), st.text(st.characters(exclude_categories=["Cs"]), max_size=3))
@examples(60)
def test_models_survive_a_round_trip_through_the_library(tokens: list[str], dropout: float, other: str) -> None:
    vocab = {token: id * 3 for id, token in enumerate(tokens)}
    for ours in (
        models.BPE(vocab, [], dropout=dropout, unk_token=other, end_of_word_suffix=other),
        models.WordPiece(vocab, unk_token=other, continuing_subword_prefix=other),
        models.WordLevel(vocab, other),
        models.Unigram([(token, dropout - id) for id, token in enumerate(tokens)], byte_fallback=True),
    ):
        library = getattr(LIBRARY, type(ours).__name__)()
        library.__setstate__(ours.__getstate__())
        copy = pickle.loads(pickle.dumps(ours))
        assert repr(copy) == repr(library)
        assert json.loads(library.__getstate__()) == copy.to_json()


@given(st.floats())
@examples(75)
def test_floats_are_written_as_the_library_writes_them(value: float) -> None:
    written = LIBRARY.Unigram([("a", value)]).__getstate__().decode()
    assert f'["a",{number_text(value)}]' in written


DIGITS = st.text(st.sampled_from("0123456789"), min_size=1, max_size=45)
NUMBERS = st.builds(
    lambda sign, whole, decimals, exponent: f"{sign}{whole.lstrip('0') or '0'}.{decimals}{exponent}",
    st.sampled_from(["", "-"]),
    DIGITS,
    DIGITS,
    st.just("") | st.integers(-400, 300).map("e{}".format) | st.integers(-30, 30).map("E{:+d}".format),
)


@given(st.floats(allow_nan=False, allow_infinity=False).map(repr).filter(lambda text: not text.isdigit()) | NUMBERS)
@examples(125)
def test_floats_are_read_as_the_library_reads_them(text: str) -> None:
    library = LIBRARY.Model()
    try:
        library.__setstate__(f'{{"type":"Unigram","vocab":[["a",{text}]]}}'.encode())
    except Exception:
        with pytest.raises(ValueError, match="too large"):
            read_float(text)
    else:
        [[_, expected]] = json.loads(library.__getstate__())["vocab"]
        assert repr(read_float(text)) == repr(float(expected))


@given(st.floats(0, 1))
@examples(60)
def test_a_dropout_is_written_with_the_fewest_digits(value: float) -> None:
    library = LIBRARY.BPE(dropout=value)
    assert library.dropout == to_float32(value)
    assert json.loads(library.__getstate__())["dropout"] == shortest_float32(to_float32(value))
