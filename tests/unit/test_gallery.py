"""The pictures of the first page: each agrees with the algorithm that it shows, on any text."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenlab import data
from tokenlab.algorithms.bpe.encode import encode_by_rank
from tokenlab.algorithms.unigram.viterbi import viterbi
from tokenlab.algorithms.unigram.vocabulary import unknown_log_probability
from tokenlab.libraries.transformers import T5Tokenizer
from tokenlab.minimal import beam_search
from tokenlab.printing.printable import printable
from tokenlab.show import gallery
from tokenlab.show.frames import Frame, Html
from tokenlab.show.gallery import LONGEST, PICTURES, answer, picture

HOSTILE = [
    "<b onload=1>",
    "</script><script>",
    "👩‍🚀 👨‍👩‍👧",
    "e\u0301 a\u0308",
    "\u202eabc",
    "a\x00b",
    "a\r\nb\tc",
    "[MASK] </s> <pad>",
    "ﬁ①",
    "\ue000",
    "日本語を学ぶ人",
    "\u200b",
    "...",
    "x" * LONGEST,
]
WORDS = [*HOSTILE, "The keeper writes unhappily", "Marie Curie", "a", " two  spaces "]
typed = st.text(max_size=LONGEST).filter(lambda written: written.split() and not re.search("[\ud800-\udfff]", written))


def frames(name: str, written: str) -> tuple[Frame, ...]:
    return picture(name, written).tracks[0].frames


def chips(html: Html, only: str = "") -> list[str]:
    """The texts of the chips, or of those with a class."""
    return [unescape(one) for one in re.findall(f"<b{f' class={only}' if only else '[^>]*'}>(.*?)</b>", html)]


def rows(frame: Frame, panel: int = 0) -> Html:
    return "".join(frame.panels[panel].rows)


def words_of(written: str) -> str:
    return " ".join(written.split())


@pytest.mark.parametrize("written", WORDS)
def test_the_merges_end_with_the_tokens_of_bpe(written: str) -> None:
    tokens = encode_by_rank(words_of(written), gallery._ranks())
    assert chips(rows(frames("merges", written)[-1])) == [printable(token) for token in tokens]


@pytest.mark.parametrize("written", WORDS)
def test_the_lattice_ends_with_the_best_path_of_the_longest_word(written: str) -> None:
    word, pieces = max(written.split(), key=len)[: gallery.LONGEST_WORD].lower(), gallery._pieces()
    found = [chips(frame.caption, "new")[0] for frame in frames("lattice", written) if frame.moment.startswith("Back")]
    best = viterbi(word, pieces, unknown_log_probability(pieces))
    assert found[::-1] == [printable(piece) for piece in best]


@pytest.mark.parametrize("written", WORDS)
def test_each_token_lights_its_characters_and_its_word(written: str) -> None:
    encoding, text = gallery._bert().encode(words_of(written)), words_of(written)
    shown = frames("levels", written)
    assert len(shown) == len(encoding.tokens)
    for at, frame in enumerate(shown):
        start, end = encoding.offsets[at]
        lit = [chips(row, "new") for row in frame.panels[0].rows]
        assert lit[0] == [printable(letter) for letter in text[start:end]]
        same = [
            span
            for span, word in zip(encoding.offsets, encoding.word_ids, strict=True)
            if word == encoding.word_ids[at]
        ]
        whole = printable(text[same[0][0] : same[-1][1]])
        assert lit[1] == ([] if encoding.word_ids[at] is None else [whole])
        assert lit[2:] == [[printable(encoding.tokens[at])], [str(encoding.ids[at])]]


def test_the_beams_are_those_of_a_search_over_the_same_word_pairs() -> None:
    model, last = gallery._word_pairs(), "keeper"
    end = model.words.index(gallery.END)

    def next_log_probs(ids: tuple[int, ...]) -> list[float]:
        return model.log_probs(model.words[ids[-1]] if ids else last)

    running: list[beam_search.Beam] = [(0.0, ())] + [(beam_search.MASKED, ())] * (gallery.BEAMS - 1)
    for frame in frames("beams", f"the {last}")[1:]:
        found = beam_search.candidates(running, next_log_probs)
        running = [(total, (*ids, token)) for total, ids, token in found if token != end][: gallery.BEAMS]
        new = re.findall(r"<g class=now tabindex=0>.*?<text[^>]*>(.*?)</text>", rows(frame))
        assert new == [model.words[ids[-1]] for _, ids in running]


def test_word_pairs_are_a_distribution_and_count_the_corpus() -> None:
    model = gallery._word_pairs()
    for word in ("the", "not-a-word", "keeper"):
        assert sum(2.718281828459045**each for each in model.log_probs(word)) == pytest.approx(1)
    text = data.text("english").lower()
    pairs = len(re.findall(r"\bthe\s+lamp\b", text))
    assert pairs > 0 and model.following["the"]["lamp"] == pairs


@pytest.mark.parametrize("written", WORDS)
def test_the_map_gives_the_shapes_for_the_tokens_of_t5(written: str) -> None:
    ids = T5Tokenizer.from_pretrained(data.t5_tiny())(words_of(written)).input_ids
    shown = [chips(frame.caption)[0] for frame in frames("map", written)]
    assert shown[0] == f"{len(ids)} ids" and shown[1] == f"{len(ids)} × 96"
    assert shown[2] == f"4 heads of {len(ids)} × {len(ids)}" and shown[-1] == f"{len(ids)} × 900"
    assert len(chips(rows(frames("map", written)[0], 1))) == len(ids)


@given(typed)
def test_every_text_has_all_pictures_and_is_no_markup(written: str) -> None:
    for name in PICTURES:
        given_back = json.loads(json.loads(answer(name, f"{written[:-8]}<i>&amp;"[:LONGEST]))["data"])
        assert given_back["tracks"] and "<i>" not in json.dumps(given_back)


@pytest.mark.parametrize(
    ("written", "said"),
    [("", "no word"), (" \n", "no word"), ("a\ud800", "surrogate pair at 1"), ("x" * 41, "at most 40")],
)
def test_a_text_that_cannot_be_played_gets_a_message(written: str, said: str) -> None:
    for name in PICTURES:
        assert said in json.loads(answer(name, written))["message"]
