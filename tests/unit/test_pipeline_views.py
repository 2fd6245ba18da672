"""The view of a pipeline's stages: which parts are linked, what its tables show, and what it asks."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.questions import frames, options_of, questions
from tests.strategies import texts
from tokenlab.algorithms.pipeline.added_tokens import AddedTokenRule, WhitespaceTaken, split_added_tokens
from tokenlab.algorithms.pipeline.pad import pad_batch
from tokenlab.algorithms.pipeline.split_behavior import BEHAVIORS, split_text
from tokenlab.algorithms.pipeline.template import apply_template, parse_template
from tokenlab.algorithms.pipeline.truncate import kept_lengths, overflow_windows
from tokenlab.algorithms.text.byte_symbols import SYMBOL_TO_BYTE
from tokenlab.libraries.tokenizers import AddedToken, Tokenizer, models, pre_tokenizers
from tokenlab.libraries.tokenizers.encode_in_steps import Normalized, PreTokenized, Tokenized
from tokenlab.show.explorers.explore_pipeline import explore_pipeline, explore_split, train_bert_tokenizer
from tokenlab.show.frames import Frame, chips
from tokenlab.steps.recording import Recording

CORPUS = "the fish is at the island, wait for the boat. the boats fish at sea, and the sea is deep <b> 1 2"
PART = re.compile(
    r'<b(?: class=(\w+))? role=button tabindex=(-?\d) data-at="([^"]*)" data-to="([^"]*)" title="([^"]*)">'
)


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return train_bert_tokenizer([CORPUS] * 5, vocab_size=120)


@pytest.fixture
def settings(tokenizer: Any) -> Any:
    """The tokenizer, whose settings are restored after the test."""
    yield tokenizer
    tokenizer.no_truncation()
    tokenizer.no_padding()


def byte_level() -> Any:
    made: Any = Tokenizer(models.BPE(SYMBOL_TO_BYTE, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=False)
    return made


def rows(frame: Frame) -> dict[str, list[tuple[str, set[str], set[str], str]]]:
    """The linked rows: for each name, the parts with their text, their places, the places they link to, and spans."""
    found = {}
    for row in frame.panels[0].rows:
        name = re.sub("<[^>]*>", "", row.partition("</span>")[0]).strip()
        parts = [*PART.finditer(row)]
        ends = [row.index("</b>", part.end()) for part in parts]
        found[name] = [
            (row[p.end() : end], set(p[3].split()), set(p[4].split()), p[5]) for p, end in zip(parts, ends, strict=True)
        ]
    return found


def linked(frame: Frame, row: str, place: int) -> dict[str, list[str]]:
    """What lights up in each row if a part is picked, as the player does it."""
    shown = rows(frame)
    to = shown[row][place][2]
    lit = {name: [text for text, at, _, _ in parts if at & to] for name, parts in shown.items()}
    return {name: found for name, found in lit.items() if found}


def seen(frame: Frame, panel: int) -> str:
    html = " ".join(frame.panels[panel].rows)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html)).strip()


def recording_of(tokenizer: Any, text: str, pair: str | None = None) -> Recording[Any, Any]:
    made: Recording[Any, Any] = tokenizer.encode.record(text, pair)
    return made


# --- links ------------------------------------------------------------------------------------------


def test_a_character_is_linked_to_everything_that_came_from_it(tokenizer: Any) -> None:
    last = frames(recording_of(tokenizer, "Wait… ﬁsh"))[-1]
    assert linked(last, "original", 4) == {
        "original": ["…"],
        "added tokens in the original text": ["Wait…␣ﬁsh"],
        "rewritten NFKC": ["wait...␣fish".replace("wait", "Wait")],
        "normalized BertNormalizer": [".", ".", "."],
        "added tokens in the normalized text": ["wait...␣fish"],
        "pre-tokens BertPreTokenizer": [".", ".", "."],
        "tokens": [".", ".", "."],
        "special tokens": [".", ".", "."],
    }


def test_a_normalized_character_is_linked_to_its_own_token_but_not_to_its_siblings(tokenizer: Any) -> None:
    last = frames(recording_of(tokenizer, "Wait… ﬁsh"))[-1]
    found = linked(last, "normalized BertNormalizer", 5)
    assert found["original"] == ["…"]
    assert found["tokens"] == ["."] and found["pre-tokens BertPreTokenizer"] == ["."]
    assert found["normalized BertNormalizer"] == ["."]


def test_links_go_in_both_directions(tokenizer: Any) -> None:
    last = frames(recording_of(tokenizer, "Thé ﬁsh… at [MASK] 👩\u200d🚀 e\u0301"))[-1]
    shown = rows(last)
    for name, parts in shown.items():
        for place, (_, at, _, _) in enumerate(parts):
            for other, found in linked(last, name, place).items():
                for back, (_, theirs, to, _) in enumerate(shown[other]):
                    if theirs & parts[place][2] and at:
                        assert at & to, (name, place, other, back, found)


def test_an_inserted_token_is_linked_to_nothing(tokenizer: Any) -> None:
    last = frames(recording_of(tokenizer, "fish"))[-1]
    first, *_, end = rows(last)["special tokens"]
    assert first[0] == "[CLS]" and end[0] == "[SEP]"
    assert first[1] == first[2] == set() and first[3] == "inserted, from no character"


def test_the_parts_of_two_sequences_are_not_linked(tokenizer: Any) -> None:
    last = frames(recording_of(tokenizer, "the fish", "the sea"))[-1]
    found = rows(last)["special tokens"]
    tokens = [text for text, *_ in found]
    first, second = (place for place, token in enumerate(tokens) if token == "the")
    assert not found[first][1] & found[second][2]


def test_byte_tokens_of_one_character_are_linked_to_the_character(tokenizer: Any) -> None:
    last = frames(recording_of(byte_level(), "i ⭢ j"))[-1]
    assert linked(last, "original", 2)["tokens"] == ["â", "Ń", "¢"]
    assert linked(last, "tokens", 3)["original"] == ["⭢"]


@examples(30)
@given(text=texts(surrogates=False, repeated=1))
def test_every_token_of_any_text_has_the_spans_of_the_encoding(tokenizer: Any, text: str) -> None:
    recording = recording_of(tokenizer, text)
    last = frames(recording)[-1]
    if len(text) < 100:
        spans = [title for *_, title in rows(last)["special tokens"]][1:-1]
        wanted = [f"original {start}–{end}," for start, end in recording.result.offsets[1:-1]]
        assert all(title.startswith(start) for title, start in zip(spans, wanted, strict=False))


def test_only_the_first_part_of_a_row_is_a_tab_stop(tokenizer: Any) -> None:
    last = frames(recording_of(tokenizer, "the fish"))[-1]
    for row in last.panels[0].rows:
        assert [part[2] for part in PART.finditer(row)].count("0") == 1


def test_what_was_typed_is_escaped(tokenizer: Any) -> None:
    for frame in frames(recording_of(tokenizer, '<img src=x onerror=alert(1)>" onclick="x')):
        html = " ".join(row for panel in frame.panels for row in panel.rows)
        assert "<img" not in html and "onclick=&" not in html.replace("&quot;", "")


def test_a_long_text_is_shown_in_part(tokenizer: Any) -> None:
    last = frames(recording_of(tokenizer, "the fish " * 50))[-1]
    assert "… and" in seen(last, 0)


# --- captions ---------------------------------------------------------------------------------------


def captions(recording: Recording[Any, Any]) -> list[str]:
    return [re.sub(r"<[^>]*>", "", frame.caption) for frame in frames(recording)]


def test_a_normalizer_says_what_it_changes(tokenizer: Any) -> None:
    shown = captions(recording_of(tokenizer, "Wait… ﬁsh"))
    assert shown[2] == "NFKC gives Wait...␣fish; … becomes ..., ﬁ becomes fi."
    assert shown[3] == "BertNormalizer gives wait...␣fish; W becomes w."
    many = captions(recording_of(tokenizer, "① ﬁ … ﬂ"))[2]
    assert many == "NFKC gives 1␣fi␣...␣fl; ① becomes 1, ﬁ becomes fi, … becomes ..., and 1 more."
    assert captions(recording_of(tokenizer, "fish [MASK]"))[2:4] == [
        "NFKC gives fish ␣[MASK] (id 4); nothing changes in this text.",
        "BertNormalizer gives fish ␣[MASK] (id 4); nothing changes in this text.",
    ]
    assert "the text now has 1,501 characters." in captions(recording_of(tokenizer, "… " * 300 + "…" * 100 + "a"))[2]


def test_the_number_of_added_tokens_is_said(tokenizer: Any) -> None:
    shown = captions(recording_of(tokenizer, "the [MASK]"))
    found = "The {} text was searched; later stages do not change the added tokens found so far: ␣[MASK] (id 4)"
    assert shown[1] == f"{found.format('original')}."
    assert shown[4] == f"{found.format('normalized')}."
    assert captions(recording_of(tokenizer, "the"))[1] == "No added token is found in the original text."
    assert "[MASK] (id 4) [MASK] (id 4)" in captions(recording_of(tokenizer, "[MASK][MASK]"))[1]


def test_the_windows_of_a_pair_are_those_of_the_encoding(settings: Any) -> None:
    settings.enable_truncation(8)
    recording = recording_of(settings, "the fish is at the sea", "the sea is deep at the island")
    shown = next(text for text in captions(recording) if "are kept" in text)
    assert re.match(r"The tokens 0–\d of text 1 and 0–\d of text 2 are kept", shown)
    windows = f"{len(recording.result.overflowing)} overflowing windows, which combine the windows of both texts"
    assert f"the encoding has {windows}" in shown


# --- tables -----------------------------------------------------------------------------------------


def test_the_offsets_are_shown_in_both_coordinate_systems(tokenizer: Any) -> None:
    recording = recording_of(tokenizer, "Wait… ﬁsh")
    place = next(n for n, step in enumerate(recording) if isinstance(step, Tokenized))
    table = seen(frames(recording)[place + 1], 1)
    assert "token id normalized span original span" in table
    step = recording[place]
    for part in step.parts:
        assert f"{part.normalized_span[0]}–{part.normalized_span[1]} {part.original_span[0]}–" in table
    assert "8–12 6–9 ﬁsh" in table


def test_the_template_shows_type_ids_and_the_mask_of_a_pair(tokenizer: Any) -> None:
    recording = recording_of(tokenizer, "the fish", "the sea")
    table = seen(frames(recording)[-1], 1)
    for row in zip(
        *(recording.result.ids, recording.result.type_ids, recording.result.special_tokens_mask), strict=True
    ):
        assert " ".join(map(str, row)) in table


def test_windows_of_a_truncated_text_are_listed(settings: Any) -> None:
    settings.enable_truncation(5, stride=1)
    recording = recording_of(settings, "the fish is at the sea")
    shown = next(frame for frame in frames(recording) if frame.moment == "Truncation")
    assert shown.caption == "The tokens 0–3 are kept (the end is exclusive); the encoding has 2 overflowing windows."
    assert seen(shown, 1).startswith("kept 0–3 the fish is overflowing 1 2–5 is at the")


def test_padding_shows_the_attention_mask(settings: Any) -> None:
    settings.enable_padding(direction="left", pad_to_multiple_of=8)
    recording = recording_of(settings, "the fish")
    last = frames(recording)[-1]
    assert last.caption == "4 padding tokens on the left, of 8 in all; the attention mask is 0 there."
    assert rows(last)["padded"][5][3].startswith("original 0–3")


def test_windows_mark_the_tokens_that_they_share() -> None:
    for recording in (overflow_windows.record(5, 3, 1), overflow_windows.record(6, 3, 1, "left")):
        last = frames(recording)[-1]
        (shared,) = re.findall("<b class=new>(.*?)</b>", last.panels[0].rows[-1])
        assert f">{shared}</b>" in last.panels[0].rows[-2]
    assert last.caption == "This window has the tokens 0 to 1; 1 of them is also in the previous window."


def test_kept_lengths_show_both_sequences() -> None:
    last = frames(kept_lengths.record(3, 9, 8))[-1]
    assert seen(last, 0) == "first sequence 3 second sequence 5"
    assert last.caption == "3 and 5 tokens: the longer sequence is shortened."
    assert frames(kept_lengths.record(5, 9, 7))[-1].caption == "3 and 4 tokens: both are shortened to half of 7."


SPLITS = {
    "removed": ["so", "low"],
    "isolated": ["so", ",", "␣", "low"],
    "merged_with_previous": ["so,", "␣", "low"],
    "merged_with_next": ["so", ",", "␣low"],
    "contiguous": ["so", ",␣", "low"],
}


def parts_shown(frame: Frame, row: str) -> list[str]:
    found = next(one for one in frame.panels[0].rows if f"<span>{row}</span>" in one)
    return re.findall("<b(?: class=new)?>(.*?)</b>", found)


@pytest.mark.parametrize("behavior", BEHAVIORS)
def test_a_split_shows_the_parts_of_each_behaviour(behavior: str) -> None:
    shown = frames(split_text.record("so, low", "[ ,]", behavior))
    assert [parts_shown(frame, "parts so far") for frame in (shown[0], shown[-1])] == [[], SPLITS[behavior]]
    assert [parts_shown(frame, "rest") for frame in shown[-2:]] == [["low"], []]
    assert "The text has 2 delimiters." in shown[0].caption
    assert parts_shown(shown[2], "text") == ["so", ",", "␣", "low"]


def test_a_split_marks_the_delimiters() -> None:
    for invert, marked in ((False, [",", "␣"]), (True, ["so", "low"])):
        frame = frames(split_text.record("so, low", "[ ,]", "isolated", invert))[0]
        assert re.findall("<b class=new>(.*?)</b>", frame.panels[0].rows[2]) == marked
        assert ("matches are text" in frame.remark) == invert


def test_a_split_says_what_happens_to_each_delimiter() -> None:
    assert captions(split_text.record("a-", "-", "removed"))[2] == "The delimiter - is removed."
    assert captions(split_text.record("a-", "-", "isolated"))[2] == "The delimiter - begins a new part."
    merged = captions(split_text.record("a-", "-", "merged_with_previous"))[2]
    assert merged == "The delimiter - is merged with the previous part: a-."
    assert captions(split_text.record("a", "x?", "isolated"))[1] == "The empty delimiter makes no part."


@examples(30)
@given(text=texts(surrogates=False, repeated=1), behavior=st.sampled_from(BEHAVIORS), invert=st.booleans())
def test_a_split_of_any_text_ends_with_the_parts_of_the_result(text: str, behavior: str, invert: bool) -> None:
    recording = split_text.record(text[:50], r"\s|x?", behavior, invert)
    last = frames(recording)[-1]
    assert parts_shown(last, "parts so far") == re.findall("<b>(.*?)</b>", chips(recording.result))


def test_padding_is_marked_on_its_side() -> None:
    for direction, place in (("left", slice(0, 2)), ("right", slice(1, 3))):
        recording = pad_batch.record([["a", "b"], ["c"]], multiple=3, direction=direction)
        row = frames(recording)[-1].panels[0].rows[1]
        marked = [bool(mark) for mark in re.findall("<b( class=new)?>", row)]
        assert marked[place] == [True, True] and sum(marked) == 2
        assert "3 tokens" in row
        assert captions(recording)[1:] == [
            "All rows get the length 2, that of the longest row.",
            "All rows get the length 3, rounded up to a multiple of 3.",
            "Row 1 gets 1 padding token, and now has 3 tokens.",
            "Row 2 gets 2 padding tokens, and now has 3 tokens.",
        ]


def test_a_row_is_shown_without_padding_before_its_step() -> None:
    shown = frames(pad_batch.record([[7, 8], [9]], 0, fixed=1))
    assert shown[1].caption == "All rows get the length 1, as was requested."
    assert shown[2].caption == "Row 1 gets no padding: it has 2 tokens already."
    assert seen(shown[0], 0) == seen(shown[-1], 0) == "row 1 2 tokens 7 8 row 2 1 token 9"


def test_a_template_shows_the_type_id_of_every_token() -> None:
    last = frames(apply_template.record(parse_template("[CLS] $A $B:1"), ["a"], ["<b>"]))[-1]
    assert seen(last, 1) == "token type id special-tokens mask [CLS] 0 1 a 0 0 &lt;b&gt; 1 0"


# --- questions --------------------------------------------------------------------------------------


def question_with(recording: Recording[Any, Any], misconception: int) -> Any:
    asked = [q for q in questions(recording).values() if misconception in options_of(q)]
    assert len(asked) == 1
    return asked[0]


def labels(question: Any) -> dict[int, str]:
    return {number: re.sub("<[^>]*>", "", label) for number, label in options_of(question).items()}


def test_it_asks_where_the_space_beside_an_added_token_is(tokenizer: Any) -> None:
    tokenizer.add_tokens([AddedToken("new sea", lstrip=True)])
    recording = recording_of(tokenizer, "the ＮＥＷ sea")
    asked = question_with(recording, 16)
    assert {n: re.findall("<b>(.*?)</b>", label) for n, label in options_of(asked).items()} == {
        0: ["the", "␣new␣sea"],
        16: ["the␣", "new␣sea"],
    }


def test_one_pass_of_the_extraction_asks_the_same_before_the_whitespace_is_taken() -> None:
    rules = {"[M]": AddedTokenRule(4, lstrip=True, single_word=True)}
    recording = split_added_tokens.record("fish  [M] and [M]a", rules)
    ((number, asked),) = questions(recording).items()
    assert number == 1 and isinstance(recording[1], WhitespaceTaken)
    assert {n: re.findall("<b>(.*?)</b>", label) for n, label in options_of(asked).items()} == {
        0: ["fish", "␣␣[M]"],
        16: ["fish␣␣", "[M]"],
    }
    assert "parts before lstrip fish␣␣ [M]" in seen(frames(recording)[1], 0)
    assert frames(recording)[2].caption == "The added token takes the whitespace on its left, from 4 to 6."
    last = frames(recording)[-1]
    assert last.moment == "No match" and "parts fish ␣␣[M]" in seen(last, 0) and "rest ␣and␣[M]a" in seen(last, 0)


def test_it_asks_for_the_original_span_of_a_normalized_character(tokenizer: Any) -> None:
    recording = recording_of(tokenizer, "Wait… ﬁsh")
    asked = labels(question_with(recording, 34))
    assert asked[0] != asked[34]
    step = [one for one in recording if isinstance(one, Normalized)][-1]
    place = int(asked[34].partition("–")[0])
    span = step.parts[0].spans[place]
    assert asked[0] == f"{span[0]}–{span[1]}"


def test_it_asks_for_the_spans_of_the_bytes_of_one_character() -> None:
    asked = labels(question_with(recording_of(byte_level(), "i ⭢ j"), 33))
    assert asked == {0: "2–3, 2–3, 2–3", 33: "2–3, 3–4, 4–5"}


def test_it_asks_how_often_the_special_tokens_are_inserted(tokenizer: Any) -> None:
    recording = recording_of(tokenizer, "the fish")
    asked = question_with(recording, 51)
    right = next(option for option in asked.options if option.right)
    assert re.findall("<b>(.*?)</b>", right.label) == list(recording.result.tokens)
    wrong = [re.findall("<b>(.*?)</b>", option.label) for option in asked.options if not option.right]
    assert ["[CLS]", "[CLS]", "the", "fish", "[SEP]"] in wrong and ["the", "fish"] in wrong


# --- the explorer -----------------------------------------------------------------------------------


def test_the_explorer_shows_the_last_stage_of_what_is_typed(tokenizer: Any) -> None:
    explorer = explore_pipeline("the fish", tokenizer)
    assert explorer.player.opened == len(explorer.player.tracks[0].frames) - 1
    explorer.controls["text"].value = "a <b> ☃"
    assert "☃" in explorer.player.data
    explorer.controls["text"].value = "x" * 600
    assert "too long" in explorer.message


def test_the_explorer_of_a_split_shows_each_behaviour() -> None:
    explorer = explore_split("a-b", "-")
    assert str(explorer.player).endswith("merged with the previous part: -b")
    explorer.controls["behavior"].value = "removed"
    explorer.controls["invert"].value = True
    assert (
        str(explorer.player)
        == "1. the delimiter a is removed\n2. the text - begins a new part\n3. the delimiter b is removed"
    )
    explorer.controls["text"].value = "-" * 600
    assert "too long" in explorer.message


def test_the_explorer_of_a_pair_has_two_boxes(tokenizer: Any) -> None:
    explorer = explore_pipeline("the fish", tokenizer, pair="")
    explorer.controls["pair"].value = "at sea"
    assert "text 2" in explorer.player.data


def test_pre_tokens_are_the_parts_that_the_model_gets(tokenizer: Any) -> None:
    recording = recording_of(tokenizer, "the fish, at sea")
    place = next(n for n, step in enumerate(recording) if isinstance(step, PreTokenized))
    shown = rows(frames(recording)[place + 1])["pre-tokens BertPreTokenizer"]
    assert [text for text, *_ in shown] == ["the", "fish", ",", "at", "sea"]


def marked(frame: Frame, name: str) -> list[tuple[str, str]]:
    """The parts of a row, each with its mark."""
    row = next(row for row in frame.panels[0].rows if re.sub("<[^>]*>", "", row).startswith(name))
    return [(row[part.end() : row.index("</b>", part.end())], part[1] or "") for part in PART.finditer(row)]


def test_what_a_stage_changes_is_marked_and_what_stays_is_not(tokenizer: Any) -> None:
    recording = recording_of(tokenizer, "The fish")
    shown = frames(recording)
    for number, step in enumerate(recording, start=1):
        if isinstance(step, PreTokenized):
            assert marked(shown[number], "pre-tokens") == [("the", "changed"), ("fish", "changed")]
        elif isinstance(step, Normalized) and step.parts[0].text == "the fish":
            found = marked(shown[number], "normalized")
            assert [text for text, mark in found if mark == "changed"] == ["t"]
    last = marked(shown[-1], "special tokens")
    assert [text for text, mark in last if mark == "inserted"] == [last[0][0], last[-1][0]]
