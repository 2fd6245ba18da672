"""A recording that was edited or renamed is explained, or shown with its texts as texts: for all views at once."""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.recordings import recordings
from tokenlab import show
from tokenlab.show.player import SHORT_FORMS
from tokenlab.show.views import VIEWS
from tokenlab.steps import serialization as plain
from tokenlab.steps.recording import Recording

MARKUP, ATTRIBUTE, OBEYED = "<img src=x onerror=alert(1)>", '" onmouseover="alert(1)', "\x1b[2J\u202edelac\x85s"
TEXTS = (MARKUP, ATTRIBUTE, OBEYED)
VALUES = (
    *TEXTS,
    *(-1, 0, 3, -(10**8), 10**8, 10**30, 1.5, True, None, [], {"$tuple": []}, {"$bytes": "ff1b"}),
    *({"$float": "nan"}, {"$float": "-inf"}, {"$dict": []}, {"$tuple": [MARKUP]}),
)
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")

# The same edits again: TOKENLAB_SEED=the seed that a failed test prints.
SEED = int(os.environ.get("TOKENLAB_SEED") or random.randrange(2**32))
EDITS, MANY, RENAMES = 30, 150, 8  # of each recording; MANY in the slow tier

Path_ = tuple[Any, ...]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The recordings as JSON, without arguments of thousands of characters (a model) to look through."""
    return {name: r.to_json() for name, r in recordings(tmp_path_factory.mktemp("recordings")).items()}


NAMES = sorted(VIEWS)


def leaves(node: Any, path: Path_ = ()) -> Iterator[Path_]:
    """The place of every value, and of every tuple and list, that a recording as JSON has."""
    match node:
        case {"$step": [_, *values]}:
            for index, value in enumerate(values, start=1):
                yield from leaves(value, (*path, "$step", index))
        case {"$float": _} | {"$bytes": _} | {"$str": _}:
            yield path
        case dict():
            for tag, content in node.items():
                yield from leaves(content, (*path, tag))
        case list():
            if path:
                yield path
            for index, value in enumerate(node):
                yield from leaves(value, (*path, index))
        case _:
            yield path


def edited(recording: Any, path: Path_, value: Any) -> Any:
    """A copy with another value at one place."""
    if not path:
        return value
    copy = recording.copy()
    copy[path[0]] = edited(recording[path[0]], path[1:], value)
    return copy


def at(recording: Any, path: Path_) -> Any:
    """The value at a place."""
    for part in path:
        recording = recording[part]
    return recording


def html_of(page: str) -> str:
    """All HTML that the script of a page writes, and the still frame."""
    content = re.search(r"data-tokenlab=frames>(.*?)</script>", page, re.DOTALL)
    assert content
    pieces: list[str] = []
    for track in json.loads(content[1])["tracks"]:
        pieces += track["rows"]
        for _, caption, remark, _, question in track["frames"]:
            options = question[1] if question else []
            pieces += [caption, remark, *(question[:1] if question else []), *(h for o in options for h in o[:2])]
    html = " ".join(pieces)
    for number, form in enumerate(SHORT_FORMS):
        html = html.replace(chr(0xE000 + number), form)
    return html


class Parsed(HTMLParser):
    """The elements and attributes that a browser would see."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {(name, value or "") for name, value in attrs}


def check(page: str) -> None:
    """No script, no event handler, no address; nothing that a browser or a terminal obeys."""
    html = html_of(page)
    assert not CONTROLS.search(page) and not CONTROLS.search(html)
    if "<img" in html or "onmouseover" in html:
        seen = Parsed(html)
        assert not seen.tags & {"img", "script", "iframe", "a", "link"}
        assert not any(name.startswith("on") or name in ("src", "href") for name, _ in seen.attributes)
    still = page[: page.index("<style data-tokenlab=player>")]
    assert "<img" not in still and ' onmouseover="' not in still


def shown(recording: Recording[Any, Any]) -> str:
    assert not CONTROLS.search(str(recording))
    return recording.play().page(title="x")


def refused_or_escaped(text: str) -> None:
    """One edited recording: loaded and shown, or refused with an explanation."""
    try:
        page = shown(Recording.from_json(text))
    except ValueError as error:
        assert type(error) in (ValueError, plain.UnknownTypeError) and len(str(error)) > 20
        assert not CONTROLS.search(str(error))
        return
    assert MARKUP not in page and ATTRIBUTE not in page and ATTRIBUTE not in html_of(page)
    check(page)


def sweep(name: str, recording: str, edits: int) -> None:
    whole = json.loads(recording)
    cases = [(path, value) for path in leaves(whole["recording"]) for value in VALUES]
    random.Random(f"{SEED} {name}").shuffle(cases)
    for path, value in cases[:edits]:
        forged = {**whole, "recording": edited(whole["recording"], path, value)}
        try:
            refused_or_escaped(json.dumps(forged))
        except Exception as error:
            error.add_note(f"TOKENLAB_SEED={SEED}: {name}, {path} = {value!r}")
            raise


def test_a_range_is_not_walked_and_a_span_before_the_text_is_not_drawn(made: dict[str, str]) -> None:
    ranges = json.loads(made["tokenlab.algorithms.training_data.span_corruption.corrupt_spans"])
    path = next(path for path in leaves(ranges["recording"]) if "$range" in path)
    refused_or_escaped(json.dumps({**ranges, "recording": edited(ranges["recording"], path, -(10**9))}))
    spans = json.loads(made["tokenlab.laboratory.comparison.compare_families.compare_families"])
    first = (2, "$tuple", 1, "$step", 4, "$tuple", 0, "$tuple", 0)  # the start of the first token of a family
    assert at(spans["recording"], first) == 0
    page = shown(Recording.from_json(json.dumps({**spans, "recording": edited(spans["recording"], first, -(10**6))})))
    assert len(page) < 10**6


def test_there_is_a_recording_for_every_view(made: dict[str, str]) -> None:
    assert sorted(made) == NAMES
    for text in made.values():
        refused_or_escaped(text)
        assert shown(Recording.from_json(text))


@pytest.mark.cases(4)
@pytest.mark.parametrize("name", NAMES)
def test_an_edited_recording_is_refused_or_its_texts_stay_texts(made: dict[str, str], name: str) -> None:
    sweep(name, made[name], EDITS)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_many_edits_are_refused_or_its_texts_stay_texts(made: dict[str, str], name: str) -> None:
    sweep(name, made[name], MANY)


@pytest.mark.parametrize("name", NAMES)
def test_a_recording_made_in_memory_with_wrong_types_runs_no_script(made: dict[str, str], name: str) -> None:
    """What `from_json` would refuse: the texts in the place of numbers, too."""
    whole = json.loads(made[name])["recording"]
    cases = [(path, value) for path in leaves(whole) for value in TEXTS]
    for path, value in random.Random(f"{SEED} {name}").sample(cases, 15):
        try:
            function, arguments, steps, result = map(plain.from_json_value, edited(whole, path, value))
            page = Recording(function, arguments, steps, result).play().page(title="x")
        except (ValueError, TypeError, AttributeError):  # the latter two: not even the outside of a recording
            continue
        try:
            check(page)
        except AssertionError as error:
            error.add_note(f"TOKENLAB_SEED={SEED}: {name}, {path} = {value!r}")
            raise


@pytest.mark.parametrize("name", NAMES)
def test_a_renamed_recording_is_explained(made: dict[str, str], name: str) -> None:
    whole = json.loads(made[name])
    for other in random.Random(f"{SEED} {name}").sample(NAMES, RENAMES):
        forged = json.dumps({**whole, "recording": [other, *whole["recording"][1:]]})
        try:
            shown(Recording.from_json(forged))
        except ValueError as error:
            assert repr(other) in str(error) and "record the function again" in str(error)


def test_the_message_names_the_function_and_the_step(made: dict[str, str]) -> None:
    train, viterbi = "tokenlab.algorithms.bpe.train.train", "tokenlab.algorithms.unigram.viterbi.viterbi"
    whole = json.loads(made[train])["recording"]
    renamed = Recording.from_json(json.dumps({"recording": [viterbi, *whole[1:]]}))
    with pytest.raises(
        ValueError, match=r"recording of 'tokenlab\.algorithms\.unigram\.viterbi\.viterbi' cannot be shown at "
    ):
        renamed.play()
    with pytest.raises(ValueError, match="record the function again"):
        renamed.save("never-written.html")
    assert not Path("never-written.html").exists()
    with pytest.raises(ValueError, match="cannot be shown"):
        show.compare(renamed, renamed)


@pytest.mark.parametrize(
    ("name", "step", "field", "value"),
    [
        ("tokenlab.algorithms.unigram.viterbi.viterbi", "BestPathFound", "incoming", MARKUP),
        ("tokenlab.algorithms.unigram.n_best.n_best", "SegmentationFound", "rank", MARKUP),
        ("tokenlab.algorithms.unigram.sample_segmentation.sample_segmentation", "PieceSampled", "start", MARKUP),
        ("tokenlab.libraries.sentencepiece.encode_steps.round_trip", "TextEncoded", "ids", {"$tuple": [MARKUP]}),
    ],
)
def test_a_field_of_another_type_is_named(made: dict[str, str], name: str, step: str, field: str, value: Any) -> None:
    recording = Recording.from_json(made[name])
    index, found = next((n, one) for n, one in enumerate(recording) if type(one).__name__ == step)
    setattr(found, field, plain.from_json_value(value))
    with pytest.raises(
        plain.UnknownTypeError, match=rf"step {index + 1} of this recording: {field}=.*<img.* in {step}"
    ):
        Recording.from_json(recording.to_json())
    html = html_of(recording.play().page(title="x"))
    assert "<img" not in html and "&lt;img" in html
