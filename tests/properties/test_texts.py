"""What holds for every text: nothing is lost in splitting, nothing invisible is shown, nothing becomes markup."""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Any

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.strategies import texts
from tokenlab import Recording, show
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.algorithms.text.pretokenize import split_gpt2, split_whitespace
from tokenlab.printing.printable import printable, readable
from tokenlab.show.frames import Frame, Panel, chip, registry, text
from tokenlab.show.player import Player

# --- splitting ------------------------------------------------------------------------------------


@pytest.mark.parametrize("split", [split_whitespace, split_gpt2], ids=repr)
@given(given_text=texts())
def test_the_pieces_joined_are_the_text(split: Any, given_text: str) -> None:
    pieces = split(given_text)
    assert "".join(pieces) == given_text
    assert all(pieces)


@given(texts())
def test_words_are_what_white_space_leaves(given_text: str) -> None:
    pieces = split_whitespace(given_text)
    assert split_whitespace.words(given_text) == [piece for piece in pieces if not regex.fullmatch(r"\s+", piece)]


@given(texts())
def test_one_text_and_its_lines_have_the_same_words(given_text: str) -> None:
    assert count_words(given_text) == count_words(line + "\n" for line in given_text.split("\n"))


@given(st.lists(texts(surrogates=False), max_size=4))
def test_counts_add_up_over_texts(given_texts: list[str]) -> None:
    one_by_one = sum((count_words(one, symbols="bytes") for one in given_texts), count_words(""))
    assert count_words(given_texts, symbols="bytes") == one_by_one


# --- showing --------------------------------------------------------------------------------------

HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"}


@given(texts() | st.binary())
def test_nothing_invisible_is_shown(symbol: str | bytes) -> None:
    shown = printable(symbol)
    assert not {unicodedata.category(character) for character in shown} & HIDDEN
    assert len(shown.splitlines()) <= 1
    assert bool(shown) == bool(symbol)


@given(texts() | st.binary(), st.sampled_from(["", "new", "left"]))
def test_a_chip_holds_no_markup_but_its_own(symbol: str | bytes, mark: Any) -> None:
    inner = re.fullmatch(r"<b(?: class=\w+)?>(.*)</b>", chip(symbol, mark))
    assert inner
    assert not set("<>\"'") & set(inner[1])
    shown = html.unescape(inner[1])
    assert shown == printable(symbol) or (
        shown[-1] == "…" and len(shown) == 60 and printable(symbol).startswith(shown[:-1])
    )


PRIVATE = re.compile("[\ue000-\ue0ff]")  # what the script takes for a short form


def written_out(value: str) -> str:
    """The text as it may travel: lone surrogates, and what stands for a short form, are spelled out."""
    return re.sub("[\ud800-\ue0ff]", lambda match: f"\\u{ord(match[0]):04x}", value)


@given(texts())
def test_text_lets_no_markup_through(value: str) -> None:
    escaped = text(value)
    assert not set("<>\"'") & set(escaped)
    assert html.unescape(escaped) == html.unescape(html.escape(readable(written_out(value))))


def read(data: str) -> Any:
    """What `read` in player.js makes of the data."""
    short = json.loads(data)["short"]

    def decode(value: Any) -> Any:
        if isinstance(value, str):
            # A character beyond the short forms would be `undefined` in the browser, and is an error here.
            return PRIVATE.sub(lambda match: short[ord(match[0]) - 0xE000], value)
        if isinstance(value, list):
            return [decode(item) for item in value]
        return {key: decode(item) for key, item in value.items()} if isinstance(value, dict) else value

    return decode(json.loads(data))


def scripts_of(page: str) -> list[str]:
    """The contents of the script elements, ended where a browser ends them."""
    return re.findall(r"<script[^>]*>(.*?)</script", page, flags=re.DOTALL | re.IGNORECASE)


HOSTILE = "</script><script>alert(1)</script><!--<script> \ue000\ue00a\ue00b\ue0ff\uf8ff & &lt; \u2028 ]]>"


def echo(recording: Recording[Any, Any], window: Any) -> Iterator[Frame]:
    """A view that shows one text in every place where a text can stand."""
    said = recording.arguments["said"]
    rows = (f"<li>{text(said)}", f"<li>{chip(said)}")
    yield Frame("Now", text(said), remark=text(said), panels=(Panel("Rows", rows),))


def player_of(said: str) -> Player:
    registry.views["echo"] = echo
    try:
        return show.play(Recording("echo", {"said": said}, (), None))
    finally:
        del registry.views["echo"]


@given(texts() | st.just(HOSTILE) | st.text(st.characters(min_codepoint=0xDFF0, max_codepoint=0xE110)))
def test_a_text_comes_out_of_the_data_as_it_was_escaped(said: str) -> None:
    track = read(player_of(said).data)["tracks"][0]
    assert track["rows"] == [f"<li>{text(said)}", f"<li>{chip(said)}"]
    assert track["frames"][0][1:3] == [text(said), text(said)]


@examples(25)
@given(texts(surrogates=False) | st.just(HOSTILE))
def test_no_text_can_end_the_script_that_holds_it(said: str) -> None:
    counts = count_words(f"{said} {said} ab abc")
    size = 3 + len({character for word in counts for character in word})
    for player in (train_indexed.record(counts, size).play(), player_of(said)):
        data, script = scripts_of(player.page(title=said))
        assert data == player.data
        assert "<" not in data
        assert script.endswith("playHere()}")
