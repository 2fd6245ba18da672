"""Members of the tokenizer classes, compared with transformers 4.26.1: names, signatures, and calls."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.parity.t5_original import PYTHON, ROOT
from tests.parity_t5 import tokenizer_members as members

UPLOADS = "helpers of uploads, which are refused"
DECLARED = "declared in a base class, which the library uses without declaring it"

# Members that are not alike, each with the reason.
DIFFERENT_MEMBERS = {
    **{
        f"{kind}.{name}": UPLOADS
        for kind in ("PreTrainedTokenizer", "PreTrainedTokenizerBase")
        for name in ("_create_repo", "_get_files_timestamps", "_upload_modified_files")
    },
    **{f"SpecialTokensMixin.{name}": DECLARED for name in ("convert_ids_to_tokens", "convert_tokens_to_ids")},
    **{
        f"PreTrainedTokenizerBase.{name}": DECLARED
        for name in ("convert_ids_to_tokens", "convert_tokens_to_ids", "get_added_vocab", "is_fast", "vocab_size")
    },
    "PreTrainedTokenizer._tokenize": "the library passes no further arguments to it",
    "Trie.__init__": "takes the tokens at once",
    "Trie.occurs_in": "one search for all tokens, which is faster than the trie",
}

# Calls with another result, each with the reason.
CRASH = "an empty token makes the library's regular expression match nothing, and it crashes"
DIFFERENT_ANSWERS = {"lower: add empty": CRASH, "lower: special empty": CRASH}

# Calls with other warnings or messages, each with the reason.
CONSIDERED = "a warning says that the library's result is probably not what was meant"
GUESSED = 'the library guesses the class from the name of the folder, in which a random name may have "t5"'
DIFFERENT_MESSAGES = {
    "decode one id": CONSIDERED,
    "decode numpy number": CONSIDERED,
    "batch_decode ids": CONSIDERED,
    "add number": CONSIDERED,
    "add set": CONSIDERED,
    "encode ids and texts": CONSIDERED,
    "encode mixed": CONSIDERED,
    "load file": GUESSED,
    "load without config": GUESSED,
    "load old special": "foreign names in special_tokens_map.json are ignored, with a warning",
    "load other class": "a warning, as in all of this kit's from_pretrained; the library logs it",
    "trie parts": "offsets that do not ascend are no error",
    "load inputs": GUESSED,
    "load typed tokens": GUESSED,
}


@pytest.fixture(scope="module")
def theirs() -> Any:
    return asked(PYTHON, "transformers", {name: value for name, value in os.environ.items() if name != "PYTHONPATH"})


@pytest.fixture(scope="module")
def ours() -> Any:
    return asked(sys.executable, "tokenlab.libraries.transformers", {**os.environ, "PYTHONPATH": str(ROOT)})


def asked(python: str | Path, library: str, environment: dict[str, str]) -> Any:
    """Ask a library in a new process."""
    told = subprocess.run(
        [str(python), "-m", members.__name__, library],
        capture_output=True,
        encoding="utf-8",
        cwd=ROOT,
        env={**environment, "HF_HUB_OFFLINE": "1"},
    )
    assert told.returncode == 0, f"{library}: exit status {told.returncode}\n{told.stderr[-3000:]}"
    return json.loads(told.stdout)


@pytest.mark.slow
def test_members_have_the_library_s_names_and_signatures(ours: Any, theirs: Any) -> None:
    mine, expected = ours["signatures"], theirs["signatures"]
    names = {name for name in mine.keys() | expected if name in expected or not name.split(".")[1].startswith("_")}
    different = {name for name in names if mine.get(name) != expected.get(name)}
    assert {name: (mine.get(name), expected.get(name)) for name in different - DIFFERENT_MEMBERS.keys()} == {}
    assert DIFFERENT_MEMBERS.keys() - different == set()


def test_calls_have_the_library_s_results_exceptions_and_warnings(ours: Any, theirs: Any) -> None:
    mine, expected = ours["answers"], theirs["answers"]
    assert mine.keys() == expected.keys() and len(expected) > 1800
    different = {name for name in expected if not same_answer(mine[name], expected[name])}
    assert {name: (mine[name], expected[name]) for name in different - DIFFERENT_ANSWERS.keys()} == {}
    assert DIFFERENT_ANSWERS.keys() - different == set()
    loud = {
        name: (mine[name], expected[name])
        for name in expected.keys() - different
        if messages(mine[name]) != messages(expected[name]) and name.split(": ")[-1] not in DIFFERENT_MESSAGES
    }
    assert loud == {}


def same_answer(ours: Any, theirs: Any) -> bool:
    """Whether both returned the same, or ours raised the library's exception or a subclass, with a message."""
    if "error" in theirs:
        return "error" in ours and theirs["error"][0] in described(ours["error"]) and bool(ours["text"])
    return "error" not in ours and ours["value"] == theirs["value"]


def described(kinds: list[str]) -> list[str]:
    """Return the names of an exception and its bases; the error of a damaged file also counts as JSON's."""
    return [*kinds, "JSONDecodeError"] if kinds[0] == "CorruptFileError" else kinds


def messages(answer: Any) -> Any:
    return answer["warnings"], answer["logged"]
