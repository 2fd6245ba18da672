"""Bad folders and bad arguments, compared with transformers 4.26.1: the library's exception, and a message that helps.

Where the library returns a result, ours is the same.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.parity_t5.tokenizer_calls import KINDS, Compared, compared, equal, name_of, outcome
from tests.parity_t5.tokenizer_setups import SETUPS

pytestmark = pytest.mark.slow
Json = Any
CONFIG, SPECIAL, ADDED = "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"
VOCABULARIES = ("vocab.txt", "vocab.json", "merges.txt", "spiece.model", "sentencepiece.bpe.model", "tokenizer.json")
TEXT = "the man is here today"
DEEP = '{"a":' * 5000 + "1" + "}" * 5000


@pytest.fixture(scope="module")
def both() -> Iterator[Compared]:
    with compared(hash_seed=5) as processes:
        yield processes


def setup_of(kind: tuple[str, bool], path: str) -> Json:
    """Return the setup that loads the tokenizer in a folder, and gives it a padding token."""
    family, fast = kind
    return {
        "class": SETUPS[family].prefix + ("TokenizerFast" if fast else "Tokenizer"),
        "args": [{"!": "file", "path": path}],
        "options": {},
        "pretrained": True,
        "added": [["add_special_tokens", [{"pad_token": "<pad>"}]]],
    }


def edited(folder: Path, source: str, name: str, changes: Mapping[str, Json]) -> str:
    """Copy a folder with changes: None removes a file, a string replaces its content, a dictionary updates it."""
    copy = folder / "bad" / f"{source}-{name}"
    shutil.copytree(folder / source, copy)
    for file, content in changes.items():
        path = copy / file
        if content is None:
            path.unlink(missing_ok=True)
            continue
        if isinstance(content, dict):
            old = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
            content = json.dumps(old | content)
        path.write_text(content, encoding="utf-8")
    return str(copy.relative_to(folder))


# The library's exceptions that ours are not: of a file that is damaged, or is no object.
DAMAGED = {("JSONDecodeError", "CorruptFileError"), ("AttributeError", "NotAnObjectError")}

# Changes of a folder, with a pattern for our message; None if the library loads the folder.
FOLDERS: dict[str, tuple[dict[str, Json], str | None]] = {
    "no vocabulary": (dict.fromkeys(VOCABULARIES), r"has no (vocab\.txt|vocab\.json|spiece|sentencepiece).*needs"),
    "nothing": (dict.fromkeys((*VOCABULARIES, CONFIG, SPECIAL, ADDED)), "has no file of a .*none of"),
    "torn": ({CONFIG: "{"}, "tokenizer_config.json' is damaged, not complete JSON"),
    "a list": ({CONFIG: "[]"}, "tokenizer_config.json' is no JSON object"),
    "deep": ({CONFIG: DEEP}, "tokenizer_config.json' is no file of settings.*nested too deeply"),
    "inputs are a number": ({CONFIG: {"init_inputs": 5}}, "has init_inputs=5; it should be a list"),
    "inputs are null": ({CONFIG: {"init_inputs": None}}, "has init_inputs=None; it should be a list"),
    "inputs collide": ({CONFIG: {"init_inputs": [5]}}, r"with the positional arguments \(5,\), which are given"),
    "a foreign class": ({CONFIG: {"tokenizer_class": "NoSuchTokenizer", "own": [1]}}, None),
    "a side": ({CONFIG: {"padding_side": "up"}}, "padding_side='up' should be 'right' or 'left'"),
    "a number as a token": ({CONFIG: {"unk_token": 5}}, "unk_token=5 should be a string or an AddedToken"),
    "special tokens are a list": ({SPECIAL: "[]"}, "special_tokens_map.json' is no JSON object"),
    "added tokens are a list": ({ADDED: "[1]"}, "added_tokens.json' is no JSON object"),
    "an id is a string": ({ADDED: {"zz": "7"}}, "gives 'zz' the id '7'; it should be a whole number"),
    "an id after a gap": ({ADDED: {"zz": 10**6}}, "gives 'zz' the id 1000000, but (the next id|tokenizer.json)"),
    "an id of the model": ({ADDED: {"zz": 0}}, "gives 'zz' the id 0, but (the next id|tokenizer.json)"),
}


@pytest.mark.parametrize("change", FOLDERS)
@pytest.mark.parametrize("kind", KINDS, ids=name_of)
def test_a_bad_folder(both: Compared, kind: tuple[str, bool], change: str) -> None:
    changes, message = FOLDERS[change]
    source = f"{kind[0]}_{'fast' if kind[1] else 'slow'}"
    path = edited(both.folder, source, change, changes)
    answers = both.answers({"setup": setup_of(kind, path), "calls": [["__call__", [TEXT], {}], ["len", [], {}]]})
    theirs, ours = answers[0]
    if message is None:
        assert "returned" in theirs and all(equal(*pair) for pair in answers)
        return
    if change == "nothing":  # the library has an OSError for a folder without files, if it is not on the hub either
        assert "OSError" in theirs["raised"] and "OSError" in ours["raised"]
    else:
        kinds = outcome(theirs).removeprefix("raised "), outcome(ours).removeprefix("raised ")
        assert equal(theirs, ours) or kinds in DAMAGED, (theirs, ours)
    assert re.search(message, ours["message"]), ours["message"]


@pytest.mark.parametrize("length", ["512", [512], "no limit"])
@pytest.mark.parametrize("kind", KINDS, ids=name_of)
def test_a_maximum_length_that_is_no_number(both: Compared, kind: tuple[str, bool], length: Json) -> None:
    source = f"{kind[0]}_{'fast' if kind[1] else 'slow'}"
    path = edited(both.folder, source, f"length {length}", {CONFIG: {"model_max_length": length}})
    calls = [
        *(["__call__", [TEXT], options] for options in ({}, {"truncation": True}, {"padding": "max_length"})),
        *(["max_len_single_sentence", [], {}], ["max_len_sentences_pair", [], {}], ["prepare_for_model", [[1]], {}]),
        *(["__call__", [TEXT], {"max_length": 5, "truncation": True}], ["decode", [[1, 2]], {}], ["len", [], {}]),
    ]
    answers = both.answers({"setup": setup_of(kind, path), "calls": calls})
    assert all(equal(theirs, ours) for theirs, ours in answers)
    raised = [ours["message"] for _, ours in answers if "raised" in ours]
    assert len(raised) == 6
    assert all(m.startswith(f"model_max_length={length!r} should be a number, but is a ") for m in raised)


NO_WORD = "should be (a str|a string)|TextInputSequence must be str"
# Calls, with a pattern for our message. The pattern is used only if the library raises an exception.
CALLS: dict[str, tuple[Json, str | None]] = {
    **{
        f"{name} of {ids}": ([name, [ids], {}], r"^(ids|token_ids|id|piece id|id -1)\b")
        for name in ("decode", "convert_ids_to_tokens")
        for ids in ([1, "a"], ["a"], [1, None], [1, [2]], None, [-1], -1, [10**6], 10**6, 2**40)
    },
    "batch_decode of a string": (["batch_decode", [[[1, "a"]]], {}], r"^ids"),
    "multiple 0": (["__call__", [TEXT], {"pad_to_multiple_of": 0, "padding": True}], "pad_to_multiple_of=0 should be"),
    "multiple '8'": (["__call__", [TEXT], {"pad_to_multiple_of": "8", "padding": True}], "pad_to_multiple_of='8'"),
    "multiple 0, not padded": (["__call__", [TEXT], {"pad_to_multiple_of": 0}], None),
    "multiple 0, truncated": (
        ["__call__", [TEXT], {"pad_to_multiple_of": 0, "padding": True, "truncation": True, "max_length": 5}],
        "pad_to_multiple_of=0 should be",
    ),
    "pad to multiple 0": (["pad", [{"input_ids": [[1, 2]]}], {"pad_to_multiple_of": 0}], "pad_to_multiple_of=0"),
    "pad to multiple '8'": (["pad", [{"input_ids": [[1, 2]]}], {"pad_to_multiple_of": "8"}], "pad_to_multiple_of='8'"),
    "pad nothing": (["pad", [[]], {}], "encoded_inputs is empty"),
    **{
        f"max_length {length!r}": (
            ["__call__", [TEXT], {"truncation": True, "max_length": length}],
            f"max_length={length!r} should be",
        )
        for length in (0, 1, -1, "5")
    },
    "padding to '5'": (["__call__", [TEXT], {"padding": "max_length", "max_length": "5"}], "length='5' should be"),
    **{
        f"{strategy} of a short pair": (
            ["__call__", list(pair), {"truncation": strategy, "max_length": 5}],
            "too short",
        )
        for strategy in ("only_first", "only_second")
        for pair in (("a", TEXT), (TEXT, "a"))
    },
    "longest_first of a pair": (["__call__", [TEXT, TEXT], {"truncation": True, "max_length": 2}], None),
    "only_second of one text": (
        ["__call__", [TEXT], {"truncation": "only_second", "max_length": 3}],
        "second",
    ),
    **{
        f"padding={value!r}": (
            ["__call__", [TEXT], {"padding": value}],
            re.escape(f"padding={value!r} is unknown; use"),
        )
        for value in ("longests", 5, [], {}, None)
    },
    **{
        f"truncation={value!r}": (["__call__", [TEXT], {"truncation": value}], f"truncation={value!r} is unknown; use")
        for value in ("longest", 5)
    },
    "text 5": (["__call__", [5], {}], "text=5 should be a string"),
    "text [5]": (["__call__", [[5]], {}], r"text=\[5\] should be a string"),
    "text and 5": (["__call__", [["a", 5]], {}], NO_WORD),
    "ids and a string": (["encode", [[1, "a"]], {}], NO_WORD),
    "a string and an id": (["encode", [["the", 1]], {}], f"{NO_WORD}|is no token; give strings"),
    "an unknown option": (["__call__", [TEXT], {"nonsense": 1}], "nonsense is no option of this call; the options are"),
    "different lengths": (["__call__", [["a", "b"], ["c"]], {}], "text has 2 texts and text_pair has 1"),
    "no tensor": (["__call__", [["a", TEXT]], {"return_tensors": "np"}], "'input_ids' has lists of different lengths"),
}


@pytest.mark.parametrize("kind", KINDS, ids=name_of)
def test_a_bad_call(both: Compared, kind: tuple[str, bool]) -> None:
    setup = setup_of(kind, f"{kind[0]}_{'fast' if kind[1] else 'slow'}")
    answers = both.answers({"setup": setup, "calls": [call for call, _ in CALLS.values()]})
    assert len(answers) == len(CALLS) + 1
    raised = 0
    for (name, (_, message)), (theirs, ours) in zip(CALLS.items(), answers[1:], strict=True):
        assert equal(theirs, ours) or is_bare(theirs, ours), (name, theirs, ours)
        if "raised" in ours:
            assert message and re.search(message, ours["message"]), (name, ours["message"])
            raised += 1
    assert raised > 20


def is_bare(theirs: Json, ours: Json) -> bool:
    """Return True if the library raises a bare Exception, which is a ValueError here."""
    return outcome(theirs) == "raised Exception" and "ValueError" in ours.get("raised", ())
