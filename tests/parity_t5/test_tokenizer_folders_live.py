"""Saved tokenizers: transformers 4.26.1 and this kit write equal files, and each loads the folders of the other."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.parity_t5.tokenizer_calls import KINDS, Compared, Process, compared, equal, name_of, outcome
from tests.parity_t5.tokenizer_setups import SETUPS
from tokenlab.libraries.tokenizers import Tokenizer

pytestmark = pytest.mark.slow
Json = Any
TEXTS = (
    *(
        "Hello wörld, it's <new> newwords!",
        "the <flag>  man x2 \n</s> [MASK] <mask> <extra_id_0>y",
        "",
        "日本語 👩‍👩‍👧 \x00 e\u0301",
    ),
    *("[NEW][CLS] unaffable <|endoftext|> AB", " two  spaces ", "café<left> newword<right>  ."),
)
CALLS: list[Json] = [
    *(["__call__", [text], {}] for text in TEXTS),
    ["__call__", [list(TEXTS)], {"truncation": True, "max_length": 9}],
    ["__call__", [TEXTS[0], TEXTS[1]], {}],
    *([name, [], {}] for name in ("len", "special_tokens_map_extended", "all_special_ids", "get_added_vocab")),
    *([name, [], {}] for name in ("model_max_length", "padding_side", "truncation_side", "model_input_names")),
    ["convert_ids_to_tokens", [[0, 1, 2, 3, 4, 5, 40]], {}],
    *(["decode", [{"!": "result", "of": [["encode", [text], {}]]}], {}] for text in TEXTS),
]


def added(content: str, **flags: bool) -> Json:
    return {"!": "AddedToken", "content": content, "options": flags}


ADDITIONS: dict[str, list[Json]] = {
    "unchanged": [],
    "added": [
        ["add_tokens", [["<new>", "newword", "AB"]]],
        ["add_tokens", [[added("<flag>", lstrip=True, rstrip=True)]]],
    ],
    "special": [
        ["add_special_tokens", [{"additional_special_tokens": ["[NEW]", added("<left>", lstrip=True)]}]],
        ["add_special_tokens", [{"mask_token": added("<mask>", lstrip=True, normalized=False), "cls_token": "[CLS]"}]],
        ["add_tokens", [["<right>"], True]],
    ],
}
OPTIONS: dict[str, Json] = {
    "unchanged": {},
    "added": {"padding_side": "left", "truncation_side": "left", "model_max_length": 20},
    "special": {"model_input_names": ["input_ids"], "own": 1},
}
FAMILY_OPTIONS: dict[str, Json] = {
    "bert": {"do_lower_case": False, "strip_accents": True, "tokenize_chinese_chars": False},
    "gpt2": {"add_prefix_space": True, "pad_token": "<|endoftext|>"},
    "roberta": {"add_prefix_space": True},
    "t5": {},
    "xlm-roberta": {},
    "albert": {"do_lower_case": False, "keep_accents": True},
}


@pytest.fixture(scope="module")
def both() -> Iterator[Compared]:
    with compared(hash_seed=5) as processes:
        yield processes


@pytest.fixture(
    scope="module", params=[(kind, how) for kind in KINDS for how in ADDITIONS], ids=lambda p: f"{name_of(p[0])}-{p[1]}"
)
def saved(request: pytest.FixtureRequest, both: Compared) -> Saved:
    return Saved(both, *request.param)


class Saved:
    """A tokenizer that both libraries have created, used and saved.

    Args:
        both: the libraries.
        kind: the family, and whether the tokenizer is fast.
        how: a name of ADDITIONS.
    """

    def __init__(self, both: Compared, kind: tuple[str, bool], how: str) -> None:
        family, fast = kind
        self.both = both
        self.name = f"saved/{name_of(kind)}-{how}"
        self.class_name = SETUPS[family].prefix + ("TokenizerFast" if fast else "Tokenizer")
        self.setup = {
            "class": self.class_name,
            "args": [{"!": "file", "path": family}],
            "options": OPTIONS[how] | (FAMILY_OPTIONS[family] if how == "added" else {}),
            "pretrained": True,
            "added": ADDITIONS[how],
        }
        self.theirs = self.save(both.theirs, "theirs")
        self.ours = self.save(both.ours, "ours")

    def save(self, process: Process, name: str) -> list[Json]:
        """Return the answers to the calls before saving, with the last one of `save_pretrained`."""
        path = self.path(name)
        answers = process.ask({"setup": self.setup, "calls": [*CALLS, ["save_pretrained", [path], {}]]})
        text = json.dumps(answers[-1]).replace(f"-{name}", "")
        return [*answers[:-1], json.loads(text)]

    def load(self, process: Process, name: str, class_name: str = "") -> list[Json]:
        """Return the answers of a tokenizer that is loaded from a folder, of the same class or another one."""
        kind = class_name or self.class_name
        setup = self.setup | {"class": kind, "args": [self.path(name)], "options": {}, "added": []}
        return process.ask({"setup": setup, "calls": CALLS})

    def path(self, name: str) -> Json:
        return {"!": "file", "path": f"{self.name}-{name}"}

    def files(self, name: str) -> dict[str, Json]:
        return files_of(self.both.folder / f"{self.name}-{name}")


def files_of(folder: Path) -> dict[str, Json]:
    """Return the content of each file of a folder: parsed JSON, or bytes."""
    return {path.name: content(path) for path in sorted(folder.iterdir())}


def content(path: Path) -> Json:
    """Return the parsed JSON of a file, or its bytes; `tokenlab.libraries.tokenizers` has to read a tokenizer.json."""
    if path.name == "tokenizer.json":
        assert Tokenizer.from_file(str(path)).get_vocab_size() > 0
    return json.loads(path.read_text(encoding="utf-8")) if path.suffix == ".json" else path.read_bytes()


def test_the_results_before_saving_and_the_returned_paths_are_equal(saved: Saved) -> None:
    assert saved.ours == saved.theirs


def test_the_files_are_equal(saved: Saved) -> None:
    theirs, ours = saved.files("theirs"), saved.files("ours")
    assert list(ours) == list(theirs)
    assert len(theirs) >= 3
    for name, expected in theirs.items():
        assert ours[name] == expected, name


@pytest.mark.parametrize("folder", ["theirs", "ours"])
def test_both_libraries_load_the_folder_and_agree(saved: Saved, folder: str) -> None:
    theirs, ours = saved.load(saved.both.theirs, folder), saved.load(saved.both.ours, folder)
    assert ours == theirs
    assert len(theirs) == len(CALLS) + 1


def test_the_library_loads_the_same_tokenizer_from_our_folder_as_from_its_own(saved: Saved) -> None:
    assert saved.load(saved.both.theirs, "ours") == saved.load(saved.both.theirs, "theirs")


@pytest.mark.parametrize("folder", ["theirs", "ours"])
def test_the_fast_class_loads_the_folder_of_the_slow_one_and_the_reverse(saved: Saved, folder: str) -> None:
    other = saved.class_name.removesuffix("Fast") if saved.class_name.endswith("Fast") else saved.class_name + "Fast"
    theirs, ours = (saved.load(process, folder, other) for process in (saved.both.theirs, saved.both.ours))
    assert len(ours) == len(theirs)
    for mine, expected in zip(ours, theirs, strict=True):
        assert equal(expected, mine), (expected, mine)


SAVE_OPTIONS: dict[str, Json] = {
    "legacy": {"legacy_format": True},
    "one_file": {"legacy_format": False},
    "prefix": {"filename_prefix": "the"},
}


@pytest.mark.parametrize("how", SAVE_OPTIONS)
@pytest.mark.parametrize("kind", KINDS, ids=name_of)
def test_options_of_save_pretrained_write_equal_files(both: Compared, kind: tuple[str, bool], how: str) -> None:
    setup = {
        "class": SETUPS[kind[0]].prefix + ("TokenizerFast" if kind[1] else "Tokenizer"),
        "args": [{"!": "file", "path": kind[0]}],
        "options": {},
        "pretrained": True,
        "added": ADDITIONS["added"],
    }
    found = {}
    for name, process in ("theirs", both.theirs), ("ours", both.ours):
        place = both.folder / f"options/{name_of(kind)}-{how}" / name
        path = {"!": "file", "path": str(place.relative_to(both.folder))}
        answer = process.ask({"setup": setup, "calls": [["save_pretrained", [path], SAVE_OPTIONS[how]]]})[-1]
        if "raised" in answer:  # then 4.26.1 has written a part of the files, and this kit none
            found[name] = outcome(answer), {}
        else:
            found[name] = json.dumps(answer).replace(f"/{name}/", "/"), files_of(place)
    assert found["ours"] == found["theirs"]
    assert bool(found["theirs"][1]) is (kind[1] or how != "one_file")


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        (["tokenizer.4.0.0.json"], "<4.0.0>"),
        (["tokenizer.4.0.0.json", "tokenizer.4.20.0.json", "tokenizer.99.0.0.json"], "<4.20.0>"),
        (["tokenizer.99.0.0.json", "tokenizer.4.20.0.json", "tokenizer.4.0.0.json"], "<4.20.0>"),
        (["tokenizer.99.0.0.json"], None),
        (["tokenizer.json"], None),
        ([], None),
    ],
    ids=range(6),
)
@pytest.mark.parametrize("family", ["bert", "t5"])
def test_the_tokenizer_file_of_a_version_is_chosen(
    both: Compared, family: str, names: list[str], chosen: str | None
) -> None:
    folder = both.folder / f"versions/{family}-{'-'.join(names)}"
    shutil.copytree(both.folder / f"{family}_fast", folder)
    config = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    (folder / "tokenizer_config.json").write_text(json.dumps(config | {"fast_tokenizer_files": names}), "utf-8")
    plain = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": True, "special": False}
    for version in ("4.0.0", "4.20.0", "99.0.0"):
        token = {"id": 10**4, "content": f"<{version}>", **flags}
        content = plain | {"added_tokens": [*plain["added_tokens"], token]}
        (folder / f"tokenizer.{version}.json").write_text(json.dumps(content), encoding="utf-8")
    path = {"!": "file", "path": str(folder.relative_to(both.folder))}
    setup = {"class": f"{SETUPS[family].prefix}TokenizerFast", "args": [path], "options": {}, "pretrained": True}
    calls = [["get_added_vocab", [], {}], ["tokenize", ["a <4.0.0> b <4.20.0> c <99.0.0>"], {}]]
    answers = both.answers({"setup": setup | {"added": []}, "calls": calls})
    assert all(theirs == ours and "returned" in ours for theirs, ours in answers)
    added = [token for token, _ in answers[1][1]["returned"]["of"]]
    assert [token for token in added if token[1:2].isdigit()] == ([chosen] if chosen else [])
