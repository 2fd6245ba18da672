"""`TextStreamer` shows what transformers 5.23's showed; ours shows the same text, sooner and whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.parity.long_texts import VOCABULARIES, vocabulary_files
from tests.parity.make_streamers import STORED
from tests.parity.streamer_cases import CASES, Case, given, shown, tokenizer_of
from tests.strategies import SNIPPETS
from tokenlab.algorithms.decoding.incremental_utf8 import stream_text
from tokenlab.libraries.tiktoken.registry import load_local_encoding
from tokenlab.libraries.transformers import StablePrefixStreamer, TextStreamer
from tokenlab.libraries.transformers.generation.streamers import IncrementalDetokenizer
from tokenlab.storage import files

THEIRS = json.loads(files.read_text(STORED))


def text_of(parts: list[Any]) -> str:
    return "".join(text for text, _ in parts)


def whole(case: Case) -> str:
    """The decoding of all ids that are not skipped."""
    ids = [id for part in given(case)[case.skip_prompt and case.tokenizer == "t5" :] for id in part.flatten().tolist()]
    return str(tokenizer_of(case.tokenizer).decode(ids, **case.decode_kwargs)) if ids else ""


@pytest.mark.parametrize("number", range(len(CASES)))
def test_each_text_comes_when_it_comes_in_the_library(number: int) -> None:
    ours = shown(TextStreamer, CASES[number])
    assert ours == THEIRS[number]


@pytest.mark.parametrize("case", CASES)
def test_the_steady_streamer_loses_nothing(case: Case) -> None:
    assert text_of(shown(StablePrefixStreamer, case)) == 2 * whole(case)


def test_that_of_the_library_doubles_or_loses_characters_only_where_a_t5_decodes_special_tokens() -> None:
    lost = [case for case, theirs in zip(CASES, THEIRS, strict=True) if text_of(theirs) != 2 * whole(case)]
    assert {case.text for case in lost} == {case.text for case in CASES if case.tokenizer == "t5"}
    assert not any("skip_special_tokens" in case.decode_kwargs or case.tokenizer == "bytes" for case in lost)
    assert "她没有有" in text_of(THEIRS[CASES.index(Case("t5", "他有一只小狗。她没有。"))])


@pytest.mark.slow
@pytest.mark.parametrize("name", VOCABULARIES)
def test_a_vocabulary_of_gpt_2s_size_loses_nothing_and_waits_for_whole_characters_alone(
    name: str, tmp_path: Path
) -> None:
    for file, content in vocabulary_files(name).items():
        (tmp_path / file).write_text(content, encoding="utf-8")
    encoding = load_local_encoding(tmp_path, pattern="gpt2")
    for text in (*SNIPPETS, "naïve 日本語 かな 🙂 the 🏳️‍🌈 end", "".join(SNIPPETS)):
        ids = encoding.encode(text, disallowed_special=())
        detokenizer = IncrementalDetokenizer(encoding)
        parts = [*(detokenizer.put([id]) for id in ids), detokenizer.end()]
        assert "".join(parts) == text
        if "\ufffd" not in text:
            assert parts == [*stream_text([encoding.decode_single_token_bytes(id) for id in ids]), ""]


def test_the_record_is_small() -> None:
    assert len(THEIRS) == len(CASES) and STORED.stat().st_size < 40_000
