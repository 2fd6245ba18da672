"""Slow tokenizers, compared with transformers 4.26.1: functions, constants, options, files, configurations.

Random calls are compared in `test_tokenizer_calls_live`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.parity.t5_original import PYTHON, ROOT
from tests.parity_t5 import slow_family_answers
from tests.parity_t5 import tokenizer_texts as texts
from tests.parity_t5.tokenizer_calls import equal
from tests.tokenizer_folders import FOLDERS, folder_files, write_folder

Json = Any
DECODE_ERRORS = (
    "UnicodeDecodeError",
    "JSONDecodeError",
)  # ours are their base class, with a message that names the file


class Both:
    """The processes of both libraries, on the same folders."""

    def __init__(self, folder: Path) -> None:
        others = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        quiet = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error"}
        programs = (
            (PYTHON, "transformers", {}),
            (sys.executable, "tokenlab.libraries.transformers", {"PYTHONPATH": str(ROOT)}),
        )
        self.processes = [
            subprocess.Popen(
                [str(python), slow_family_answers.__file__, module, str(folder)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                encoding="utf-8",
                env=others | quiet | own,
            )
            for python, module, own in programs
        ]

    def answers(self, function: str, *arguments: Json) -> list[Json]:
        """Return the answers of both to a case."""
        for process in self.processes:
            assert process.stdin is not None
            process.stdin.write(json.dumps([function, arguments]) + "\n")
            process.stdin.flush()
        lines = [process.stdout.readline() for process in self.processes if process.stdout is not None]
        assert all(lines), "a process has ended; see its output above"
        return [json.loads(line) for line in lines]

    def same(self, function: str, *arguments: Json) -> Json:
        """Check that both answer the same, and return the answer."""
        theirs, ours = self.answers(function, *arguments)
        assert_same(theirs, ours, str(arguments)[:300])
        return ours


def assert_same(theirs: Json, ours: Json, about: str) -> None:
    """Compare two answers, and the answers inside them one by one; exceptions by class."""
    if "raised" in theirs or "raised" in ours:
        if theirs.get("raised", [""])[0] in DECODE_ERRORS:
            theirs["raised"] = ["ValueError"]
        assert equal(theirs, ours), f"{about}\ntheirs {str(theirs)[:600]}\nours   {str(ours)[:600]}"
        return
    pairs = [(theirs["returned"], ours["returned"])]
    while pairs:
        their, our = pairs.pop()
        if isinstance(their, dict) and isinstance(our, dict) and their.keys() & {"raised", "returned"}:
            assert_same(their, our, about)
        elif isinstance(their, list) and isinstance(our, list) and len(their) == len(our) and their != our:
            pairs += zip(their, our, strict=True)
        else:
            assert their == our, f"{about}\ntheirs {str(their)[:600]}\nours   {str(our)[:600]}"


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    folder = tmp_path_factory.mktemp("families")
    for family in FOLDERS:
        write_folder(family, folder / family)
    libraries = Both(folder)
    yield libraries
    for process in libraries.processes:
        process.communicate()


# --- functions and constants ----------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["", "Fast"])
@pytest.mark.parametrize("family", FOLDERS)
def test_constants_and_arguments_are_those_of_the_library(both: Both, family: str, ending: str) -> None:
    answer = both.same("constants", family, ending)["returned"]
    constants = {"VOCAB_FILES_NAMES", "PRETRAINED_VOCAB_FILES_MAP", "PRETRAINED_POSITIONAL_EMBEDDINGS_SIZES"}
    assert constants <= set(answer["names"])


@pytest.mark.parametrize("family", FOLDERS)
def test_addresses_of_configurations_are_those_of_the_library(both: Both, family: str) -> None:
    assert len(both.same("archive_map", family)["returned"]) >= 5


@pytest.mark.parametrize("family", FOLDERS)
def test_functions_of_the_modules(both: Both, family: str) -> None:
    both.same("functions", family, ["ab", "aaa", " a b ", "Ġthe", "\u2028x\x1c y\x85"])


CONFIGURATIONS: list[Json] = [
    {},
    {"vocab_size": 9, "num_labels": 3},
    {"id2label": {"0": "a"}},
    {"label2id": {"x": 1}},
    {"id2label": {"0": "a"}, "num_labels": 4, "label2id": {"a": 0}},
    {"problem_type": "regression", "xla_device": True, "foo": [1]},
    {"problem_type": "nonsense"},
    {"hidden_size": 24, "num_hidden_layers": 3, "max_length": 7, "name_or_path": "q"},
    {"gradient_checkpointing": False, "torch_dtype": "float16", "architectures": ["X"], "pad_token_id": 5},
]


@pytest.mark.parametrize("family", FOLDERS)
@pytest.mark.parametrize("number", range(len(CONFIGURATIONS)))
def test_configurations_have_the_json_of_the_library(both: Both, family: str, number: int) -> None:
    both.same("configuration", family, CONFIGURATIONS[number])


# --- BERT's two tokenizers ------------------------------------------------------------------------


def hard_texts(seed: int, count: int) -> list[str]:
    draw = Random(seed)
    return ["", " ", "\x00\ufffd", "a" * 5000, *(texts.text(draw) for _ in range(count))]


@pytest.mark.parametrize("strip_accents", [None, True, False])
@pytest.mark.parametrize("do_lower_case", [True, False])
@pytest.mark.parametrize("tokenize_chinese_chars", [True, False])
def test_words_of_basic_tokenizer(
    both: Both, do_lower_case: bool, strip_accents: bool | None, tokenize_chinese_chars: bool
) -> None:
    options = {
        "do_lower_case": do_lower_case,
        "strip_accents": strip_accents,
        "tokenize_chinese_chars": tokenize_chinese_chars,
    }
    both.same("basic", options, hard_texts(1, 100), None)
    both.same("basic", options | {"never_split": ["The", "[CLS]", "日本"]}, hard_texts(2, 100), ["don't", "é", "the"])


def test_every_character_of_basic_tokenizer(both: Both) -> None:
    codes = [*range(0x3500), *range(0xA000, 0xAC10), *range(0xD700, 0x12500), *range(0x1D000, 0x20010)]
    characters = [chr(code) for code in [*codes, 0x2F800, 0xE0001, 0xF0000, 0x10FFFF]]
    for lower in (True, False):
        both.same(
            "basic",
            {"do_lower_case": lower},
            ["a" + "x".join(characters[n : n + 64]) for n in range(0, len(characters), 64)],
            None,
        )


@pytest.mark.parametrize("limit", [100, 3, 0])
def test_pieces_of_wordpiece_tokenizer(both: Both, limit: int) -> None:
    vocab = ["[UNK]", *"abcdehlotunw", *(f"##{c}" for c in "abcdehlot"), "the", "##the", "hello", "##", "", "日", "un"]
    answer = both.same(
        "wordpiece", vocab, {"unk_token": "[UNK]", "max_input_chars_per_word": limit}, hard_texts(3, 300)
    )
    assert (limit == 0) == all("the" not in each["returned"] for each in answer["returned"])


# --- texts ----------------------------------------------------------------------------------------

OPTIONS: dict[str, list[Json]] = {
    "bert": [
        *({}, {"do_lower_case": False}, {"do_basic_tokenize": False}, {"never_split": ["the", "don't"]}),
        *({"strip_accents": False, "tokenize_chinese_chars": False}, {"unk_token": "the", "mask_token": "[X]"}),
    ],
    "gpt2": [{}, {"errors": "ignore"}, {"add_prefix_space": True}, {"add_bos_token": True, "errors": "strict"}],
    "roberta": [{}, {"add_prefix_space": True}, {"mask_token": "the", "errors": "surrogateescape"}],
    "t5": [{}, {"extra_ids": 0}, {"extra_ids": 3}, {"eos_token": "the"}],
    "xlm-roberta": [{}, {"mask_token": "the"}, {"sp_model_kwargs": {"add_bos": True}}, {"pad_token": "<p>"}],
    "albert": [
        *({}, {"keep_accents": True}, {"do_lower_case": False}, {"remove_space": False}),
        {"sp_model_kwargs": {"reverse": True}},
        {"keep_accents": True, "do_lower_case": False, "remove_space": False},
    ],
}
NUMBERS = [
    "1,",
    "a1, b",
    "In 1999, 2,000, 10, 4,",
    "x2,y",
    "²,",
    "٣, 2,,",
    "4,5,",
    "1 ,",
    "▁2,",
    "2,▁2,",
    "10,000,000,",
]


@pytest.mark.parametrize(("family", "number"), [(f, n) for f in FOLDERS for n in range(len(OPTIONS[f]))])
def test_tokens_ids_and_texts(both: Both, family: str, number: int) -> None:
    answer = both.same("texts", family, OPTIONS[family][number], [*NUMBERS, *hard_texts(number, 60)])
    returned = [each for each in answer["returned"] if "returned" in each]
    assert len(returned) > 0.8 * len(answer["returned"])


# --- files ----------------------------------------------------------------------------------------

MERGES = b"#version: 0.2\na a\naa a\nb a\naa b\nab a\nl o\nlo w\nw e\n"
VOCAB_FILES: dict[str, list[dict[str, bytes | None]]] = {
    "bert": [
        {"vocab.txt": None},
        {"vocab.txt": b""},
        {"vocab.txt": b"[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\na\n##b\n\nc\n"},
        {"vocab.txt": b"[PAD]\r\n[UNK]\r\n[CLS]\r[SEP]\r\n[MASK]\n  a \nb\xe2\x80\xa8c\n\xc2\x85\n##b"},
        {"vocab.txt": b"a\nb\n##b\n"},
        {"vocab.txt": b"\xff\xfe\x00"},
        {"vocab.txt": b'{"a": 1, "b": 2}'},
    ],
    "gpt2": [
        {"vocab.json": None},
        {"merges.txt": None},
        {"merges.txt": b""},
        {"merges.txt": MERGES},
        {"merges.txt": b"#version: 0.2\naa a\na a\naa aa\nb b\nb a\n"},
        {"merges.txt": MERGES.removesuffix(b"\n")},
        {"merges.txt": MERGES.replace(b"#version: 0.2\n", b"")},
        {"merges.txt": MERGES.replace(b"\n", b"\r\n")},
        {"merges.txt": b"#version: 0.2\na\na a a\n\na a\na a\n  b   a \nb a\n"},
        {"merges.txt": b"\xff\xfe"},
        {"vocab.json": b'{"a": 0, "b": 1, "<|endoftext|>": 5, "aa": 1}'},
        {"vocab.json": b'{"a": 0, "b": '},
        {"vocab.json": b""},
    ],
    "t5": [{"spiece.model": None}, {"spiece.model": b""}, {"spiece.model": b"no model"}],
    "xlm-roberta": [{"sentencepiece.bpe.model": None}, {"sentencepiece.bpe.model": b"{}"}],
    "albert": [{"spiece.model": None}, {"spiece.model": folder_files("albert")["spiece.model"][:-700]}],
}
VOCAB_FILES["roberta"] = VOCAB_FILES["gpt2"]
VOCAB_FILES["t5"].append({"spiece.model": folder_files("albert")["spiece.model"]})
VOCAB_FILES["xlm-roberta"].append({"sentencepiece.bpe.model": folder_files("t5")["spiece.model"]})
VOCAB_FILES["albert"].append({"spiece.model": folder_files("xlm-roberta")["sentencepiece.bpe.model"]})
REPEATED = ["aaaa aaaaa abab baaab bbaa", "low lower", *NUMBERS[:4], "a [MASK] b</s> <|endoftext|>", "日本é 👍🏽"]


@pytest.mark.parametrize("family", FOLDERS)
def test_saved_vocabularies_and_copies(both: Both, family: str) -> None:
    both.same("files", family, {}, {}, REPEATED)


@pytest.mark.cases(1)
@pytest.mark.parametrize(("family", "number"), [(f, n) for f in FOLDERS for n in range(len(VOCAB_FILES[f]))])
def test_other_vocabulary_files(both: Both, family: str, number: int) -> None:
    given = {name: None if text is None else list(text) for name, text in VOCAB_FILES[family][number].items()}
    both.same("files", family, {}, given, REPEATED)
