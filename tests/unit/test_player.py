"""The player: what is sent, what stands still, what is asked, and whether the reasons are true."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Generator
from importlib.metadata import PackageNotFoundError
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.strategies import word_counts
from tokenlab import data, show, step, stepwise
from tokenlab.algorithms.bpe.train import Merged, Stopped, train
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.misconceptions import bpe_training as wrong
from tokenlab.show.environment_check import check_environment
from tokenlab.show.frames import Frame, Option, Panel, Question, chip
from tokenlab.show.player import Player, PlayerTrack, load_asset
from tokenlab.show.plots import plot_tokens_by_vocab_size, tokens_per_merge
from tokenlab.steps.recording import Recording

NOTES = {"hug": 10, "pug": 5, "pun": 12}


def recorded(name: str, merges: int, symbols: Any = "characters", **options: Any) -> Recording[Any, Any]:
    counts = count_words(data.text(name), symbols=symbols)
    return train_indexed.record(counts, len({s for word in counts for s in word}) + merges, **options)


ENGLISH = recorded("english", 250)

# --- sizes ----------------------------------------------------------------------------------------


def test_script_and_style_stay_under_34_kilobytes() -> None:
    assert len((load_asset("player.js") + load_asset("player.css")).encode()) < 34_000


@pytest.mark.parametrize("start", [0, 150])
def test_a_hundred_steps_on_real_text_take_at_most_150_kilobytes(start: int) -> None:
    player = ENGLISH.play(start=start)
    assert len(player.tracks[0].frames) == 101
    assert len(player.data.encode()) <= 150_000


@pytest.mark.parametrize("symbols", ["characters", "bytes"])
@pytest.mark.parametrize("split", ["whitespace", "gpt2"])
@pytest.mark.parametrize("corpus", ["chinese", "english", "german", "japanese", "mixed"])
def test_no_corpus_takes_more_than_150_kilobytes(corpus: str, split: str, symbols: Any) -> None:
    counts = count_words(data.text(corpus), split, symbols)
    player = train_indexed.record(counts, 10**6).play()
    assert len(player.tracks[0].frames) > 90
    assert len(player.data.encode()) <= 150_000


def test_a_long_word_shows_a_stretch_around_what_is_new() -> None:
    word = ("x",) * 50 + ("a", "b") + ("x",) * 50
    frames = train.record({word: 1, ("a", "b"): 99}, 4).play().tracks[0].frames
    row = frames[1].panels[0].rows[0]
    assert chip("ab", "new") in row
    assert row.count("<b") == 14
    assert " more" in row


def test_a_window_of_one_step_is_said_in_the_singular() -> None:
    assert ENGLISH.play(start=4, steps=1).tracks[0].notice.startswith("Shown: step 5 of 250;")


def test_an_option_that_is_an_iterator_is_kept_and_played() -> None:
    recording = train.record({"hug": 3}, 9, initial_alphabet=(c for c in "abc"), special_tokens=iter(["<s>"]))
    assert recording.arguments["options"] == {"initial_alphabet": ("a", "b", "c"), "special_tokens": ("<s>",)}
    assert "8 of 9" in recording.play().tracks[0].frames[1].panels[2].title
    assert train.record({"ab": 1}, 5, initial_alphabet={"z": 1, "a": 2}.keys()).arguments["options"] == {
        "initial_alphabet": ("z", "a")
    }


def test_a_frame_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="opened=50: this player has 3 frames"):
        train.record(NOTES, 7).play(opened=50)
    with pytest.raises(ValueError, match="start=2, steps=100: this recording has 2 steps"):
        train.record(NOTES, 7).play(start=2)


def test_the_remark_names_the_runner_up_of_the_same_moment() -> None:
    frames = train.record(NOTES, 7).play().tracks[0].frames
    assert frames[0].remark == ""
    assert frames[1].remark == f"No tie: the runner-up was {chip('u')} + {chip('g')} with 15."
    assert frames[2].remark == f"No tie: the runner-up was {chip('h')} + {chip('u')} with 10."


def test_bars_are_as_long_as_the_counts_say() -> None:
    rows = train.record(NOTES, 7).play().tracks[0].frames[0].panels[1].rows
    assert [re.findall(r"width:(\d+)%.*<td>(\d+)", row)[0] for row in rows] == [
        ("100", "17"),
        ("88", "15"),
        ("71", "12"),
        ("59", "10"),
    ]


def test_many_ties_are_counted_in_all() -> None:
    words = {f"{left}{right}": 1 for left, right in zip("abcdefghijkl", "mnopqrstuvwx", strict=True)}
    recording = train.record(words, 25)
    frame = recording.play().tracks[0].frames[0]
    assert recording[0].ties == 12
    assert "12 in all" in frame.panels[3].title
    assert "and 9 more" in recording.play().tracks[0].frames[1].remark


@pytest.mark.slow
def test_questions_keep_apart_and_offer_a_choice() -> None:
    for corpus in ("english", "german"):
        recording = train_indexed.record(count_words(data.text(corpus)), 200)
        stops = [n for n, frame in enumerate(recording.play().tracks[0].frames) if frame.question]
        assert all(later - earlier >= 2 for earlier, later in zip(stops, stops[1:], strict=False))
        assert all(len(recording.play().tracks[0].frames[n].question.options) > 1 for n in stops)  # type: ignore[union-attr]


def test_curves_are_tokens_for_a_hundred_characters() -> None:
    recording = train.record(NOTES, 7)
    (line,) = plot_tokens_by_vocab_size({"notes": recording}).axes[0].lines
    assert tokens_per_merge(recording) == [81, 64, 52]
    assert list(line.get_xdata()) == [5, 6, 7]
    assert [round(float(y)) for y in line.get_ydata()] == [100, 79, 64]


def test_a_part_that_is_missing_is_not_ticked(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        if name == "torch":
            raise PackageNotFoundError
        return "1.0"

    monkeypatch.setattr("tokenlab.show.environment_check.version", version)
    rows = {row[1]: row for row in check_environment().rows}
    assert rows["torch"][0] == "–" and rows["torch"][2] == "missing"
    assert rows["tiktoken"][0] == "✓" and rows["tiktoken"][2] == "1.0"


def test_an_asset_has_no_comments_and_no_indentation() -> None:
    assert not re.search(r"^\s|^//|/\*", load_asset("player.css") + load_asset("player.js"), flags=re.MULTILINE)


# --- the window -----------------------------------------------------------------------------------


def test_a_longer_recording_says_what_is_shown() -> None:
    for player, notice in (
        (ENGLISH.play(), "Shown: steps 1 to 100 of 250; play(start=100) on the recording shows others."),
        (ENGLISH.play(start=200), "Shown: steps 201 to 250 of 250; play(start=0) on the recording shows others."),
    ):
        assert player.tracks[0].notice == notice
        assert json.loads(player.data)["tracks"][0]["notice"] == notice
        assert str(player).endswith(notice)


def test_a_recording_that_is_shown_whole_says_nothing() -> None:
    assert train.record(NOTES, 7).play().tracks[0].notice == ""


def test_a_window_shows_the_same_frames_as_the_whole() -> None:
    recording = recorded("german", 60)
    whole, part = (recording.play(start=s, steps=n).tracks[0].frames for s, n in ((0, 60), (20, 10)))
    for left, right in zip(whole[20:31], part, strict=True):
        assert (left.moment, left.caption, left.remark) == (right.moment, right.caption, right.remark)
        assert [p for p in left.panels if p.kind != "words"] == [p for p in right.panels if p.kind != "words"]


@pytest.mark.parametrize(("start", "steps"), [(-1, 5), (3, 5), (0, 0), (99, 5)])
def test_a_window_outside_the_recording_is_refused(start: int, steps: int) -> None:
    with pytest.raises(ValueError, match=rf"start={start}, steps={steps}: this recording has 2 steps, counted from 0;"):
        train.record(NOTES, 7).play(start=start, steps=steps)


def test_a_recording_without_steps_is_shown() -> None:
    assert [frame.moment for frame in train.record(NOTES, 5).play().tracks[0].frames] == ["Before merge 1"]


# --- data -----------------------------------------------------------------------------------------


def test_a_panel_that_does_not_change_is_sent_once() -> None:
    same, other = Panel("Same", ("<li>a", "<li>b")), Panel("Other", ("<li>b",))
    frames = (Frame("1", "", panels=(same, other)), Frame("2", "", panels=(same,)))
    track = json.loads(Player([PlayerTrack("t", frames, "")]).data)["tracks"][0]
    assert [frame[3] for frame in track["frames"]] == [[0, 1], [0]]
    assert track["panels"] == [["Same", "lines", 0, 0, 0, [0, 1]], ["Other", "lines", 0, 0, 0, [1]]]
    assert track["rows"] == ["<li>a", "<li>b"]


def test_every_row_and_panel_of_a_recording_is_sent_once() -> None:
    track = json.loads(ENGLISH.play().data)["tracks"][0]
    assert len(track["rows"]) == len(set(track["rows"]))
    assert len(track["panels"]) == len({json.dumps(panel) for panel in track["panels"]})
    assert {number for frame in track["frames"] for number in frame[3]} == set(range(len(track["panels"])))


def test_every_frame_names_its_moment_and_shows_at_most_three_panels_at_first() -> None:
    frames = ENGLISH.play().tracks[0].frames
    assert [frame.moment for frame in frames[:3]] == ["Before merge 1", "After merge 1", "After merge 2"]
    assert len({frame.moment for frame in frames}) == len(frames)
    assert all(1 <= sum(not panel.more for panel in frame.panels) <= 3 for frame in frames)


def test_a_frame_shows_the_counts_and_words_of_its_moment() -> None:
    frame = train.record(NOTES, 100).play().tracks[0].frames[1]
    words, bars, vocabulary = frame.panels
    assert [re.sub("</?div>", "", row.partition("</span> ")[2]) for row in words.rows] == [
        "<b>h</b> <b>u</b> <b>g</b>",
        "<b class=new>pu</b> <b>g</b>",
        "<b class=left>pu</b><b class=right>n</b>",
    ]
    assert [re.findall(r"(?<=<td>)\d+$", row)[0] for row in bars.rows] == ["12", "10", "10", "5"]
    assert vocabulary.title.startswith("Vocabulary, 6 of 100")
    assert [row for row in vocabulary.rows if "new" in row] == ["<b class=new>pu</b>"]


def test_the_end_is_a_frame_of_its_own() -> None:
    last = train.record(NOTES, 100).play().tracks[0].frames[-1]
    assert last.moment == "At the end"
    assert last.caption == "Training stops with 10 of 100 symbols: no pair is left to merge."


def test_a_recording_of_bytes_is_shown() -> None:
    recording = recorded("japanese", 40, "bytes")
    first = recording.play().tracks[0].frames[0]
    assert first.caption.startswith("Every word is split into its bytes.")
    assert r"\xe3" in recording.play().data.replace(r"\\", "\\")


def test_a_loaded_recording_plays_like_the_one_that_was_saved() -> None:
    for recording in (recorded("japanese", 40, "bytes"), recorded("german", 40, min_frequency=2, end_of_word="_")):
        assert Recording.from_json(recording.to_json()).play().html == recording.play().html


@step
class Counted:
    number: int

    def __str__(self) -> str:
        return f"{self.number} < 3"


@stepwise
def counting(to: int) -> Generator[Counted, None, None]:
    yield from map(Counted, range(to))


def test_what_has_no_view_is_shown_as_its_sentences() -> None:
    frames = counting.record(12).play().tracks[0].frames
    assert [frame.caption for frame in frames[1:3]] == ["0 &lt; 3", "1 &lt; 3"]
    assert frames[2].panels[0].rows == ("<li value=1>0 &lt; 3", "<li value=2>1 &lt; 3")
    assert len(frames[12].panels[0].rows) == 10


# --- three surfaces -------------------------------------------------------------------------------


def test_plain_text_carries_the_numbered_sentences() -> None:
    bundle = train.record(NOTES, 7)._repr_mimebundle_()
    assert set(bundle) == {"text/html", "text/plain"}
    assert bundle["text/plain"] == str(train.record(NOTES, 7))
    assert ENGLISH.play(start=3, steps=2)._repr_mimebundle_()["text/plain"].startswith("4. ")


def still(player: Player) -> str:
    return player.html.partition("<style")[0]


def test_the_frame_that_stands_still_has_inline_styles_and_nothing_that_is_stripped() -> None:
    shown = still(train.record(NOTES, 7).play())
    assert not re.search(r"<(script|svg|style|link|button|input)|\sid=|\srole=|\son\w+=", shown)
    assert "Before merge 1." in shown
    assert re.search(r'<b style="[^"]+">h</b>', shown)
    assert re.match(r"[^>]*>[^>]*><p><strong>This view is static\. To step through it, run this cell, or trust ", shown)


def test_the_panels_of_the_still_frame_are_one_below_the_other() -> None:
    shown = still(train.record(NOTES, 7).play())
    panels = re.findall(r'<div style="([^"]*)"><strong>', shown)
    assert len(panels) == 3 and not any("inline" in style for style in panels)


def test_a_page_needs_nothing_from_elsewhere() -> None:
    page = train.record(NOTES, 7).play().page(title="<hug>")
    assert "<title>&lt;hug&gt;</title>" in page
    assert not re.search(r"https?://|<link|@import|url\(|src=", page)


def test_a_player_can_be_told_not_to_ask() -> None:
    assert json.loads(ENGLISH.play().data)["predict"] is True
    assert json.loads(ENGLISH.play(predict=False).data)["predict"] is False


# --- side by side ---------------------------------------------------------------------------------


def test_two_recordings_open_where_they_part() -> None:
    left, right = (recorded("english", 150, tie_break=policy) for policy in ("first_seen", "lowest_id"))
    difference = left.diff(right)
    assert difference is not None
    player = show.compare(left, right)
    frames = [track.frames[player.opened] for track in player.tracks]
    assert frames[0].moment == frames[1].moment == f"After merge {difference.index + 1}"
    assert frames[0].caption != frames[1].caption
    before = [track.frames[player.opened - 1] for track in player.tracks]
    assert before[0].caption == before[1].caption
    assert json.loads(player.data)["opened"] == player.opened
    assert [track.title for track in player.tracks] == [
        "train_indexed tie_break='first_seen'",
        "train_indexed tie_break='lowest_id'",
    ]


def test_two_recordings_that_part_late_open_there_too() -> None:
    counts = {"ab": 1000} | {chr(200 + 2 * n) + chr(201 + 2 * n): 900 - n for n in range(160)}
    left, right = (train_indexed.record(counts | {last: 1}, 700) for last in ("xy", "zw"))
    player = show.compare(left, right)
    assert left.diff(right).index == 161  # type: ignore[union-attr]
    assert [track.frames[player.opened].moment for track in player.tracks] == ["After merge 162"] * 2


def test_a_recording_that_ends_sooner_is_compared() -> None:
    player = show.compare(train.record(NOTES, 7), train.record(NOTES, 9))
    assert player.opened == 3
    assert [len(track.frames) for track in player.tracks] == [3, 5]
    assert still(player)


def test_equal_recordings_open_at_the_beginning() -> None:
    assert show.compare(train.record(NOTES, 7), train_indexed.record(NOTES, 7)).opened == 0


# --- predict --------------------------------------------------------------------------------------


def asked(recording: Recording[Any, Any], start: int = 0, steps: int = 100) -> dict[int, Question]:
    """The questions, by how many merges are done when they are asked."""
    frames = recording.play(start=start, steps=steps).tracks[0].frames
    return {number: frame.question for number, frame in enumerate(frames, start) if frame.question}


def naive_counts(weights: Any, splits: Any, once: bool = False) -> dict[Any, int]:
    """How often each pair occurs; with `once`, as `str.count` counts: no symbol twice for the same pair."""
    counts: dict[Any, int] = {}
    for word, split in splits.items():
        used: dict[Any, int] = {}
        for position in range(len(split) - 1):
            pair = split[position], split[position + 1]
            if once and used.get(pair) == position:
                continue
            used[pair] = position + 1
            counts[pair] = counts.get(pair, 0) + weights[word]
    return counts


def naive_merge(split: Any, pair: Any) -> Any:
    split, position = list(split), 0
    while position < len(split) - 1:
        if (split[position], split[position + 1]) == pair:
            split[position : position + 2] = [pair[0] + pair[1]]
        position += 1
    return tuple(split)


def naive_replace(split: Any, pair: Any) -> Any:
    """The merge as a replacement of text: a blank goes wherever it stands between such an end and such a start."""
    if isinstance(pair[0], bytes):
        return naive_merge(split, pair)
    line = " ".join(split)
    parts = line.split(f"{pair[0]} {pair[1]}")
    return tuple((pair[0] + pair[1]).join(parts).split(" "))


class State:
    """What a question may speak of, worked out anew from the merges of the recording."""

    def __init__(self, recording: Recording[Any, Any], number: int) -> None:
        self.options = recording.arguments.get("options", {})
        self.weights = recording.arguments["word_counts"]
        marker = self.options.get("end_of_word", "")
        merges = [step.pair for step in recording[:number]]
        now = {w: (*tuple(w)[:-1], tuple(w)[-1] + marker) if marker else tuple(w) for w in self.weights}
        now = {word: self.bytewise(split) for word, split in now.items()}
        for pair in merges:
            before, now = now, {word: naive_merge(split, pair) for word, split in now.items()}
        self.merged, self.now = merges[-1], now
        glued = {word: naive_replace(split, self.merged) for word, split in before.items()}
        self.counts = {
            "before": naive_counts(self.weights, before),
            "now": naive_counts(self.weights, now),
            "once": naive_counts(self.weights, now, once=True),
            "glued": naive_counts(self.weights, glued),
        }

    @staticmethod
    def bytewise(split: Any) -> Any:
        return tuple(bytes([symbol]) if isinstance(symbol, int) else symbol for symbol in split)

    def allowed(self, kind: str) -> dict[Any, int]:
        least, longest = self.options.get("min_frequency", 1), self.options.get("max_token_length") or 10**9
        counts = self.counts[kind].items()
        return {pair: n for pair, n in counts if n >= least and len(pair[0]) + len(pair[1]) <= longest}


def sentence(option: Option) -> str:
    """The reason without the symbols in it."""
    return html.unescape(re.sub(r"<b[^>]*>.*?</b>", "", option.why))


def says(option: Option, number: int) -> bool:
    words = {0: "(0|none)", 1: "(1|once)"}.get(number, f"{number:,}")
    return re.search(rf"(?<![\d,]){words}(?![\d,]\d|\d)", sentence(option)) is not None


def pair_of(option: Option) -> Any:
    """The pair that an option is about: that of its first fact."""
    return option.facts[0][1]


def check(recording: Recording[Any, Any], start: int = 0) -> int:
    """Check every question of a recording against the data; say how many there are."""
    questions = asked(recording, start)
    assert len(questions) <= 5
    for number, question in questions.items():
        assert number >= start + 1
        state, following = State(recording, number), recording[number]
        assert sum(option.right for option in question.options) == 1
        assert len(question.options) >= 2
        assert len({option.label for option in question.options}) == len(question.options)
        for option in question.options:
            assert option.facts
            assert option.right != bool(option.misconception)
            for kind, pair, count in option.facts:
                if kind == "symbols in the longest word":
                    assert count == max(map(len, state.now.values()))
                else:
                    assert state.counts[kind].get(pair, 0) == count, (kind, pair)
                    assert says(option, count), (count, sentence(option))
        if isinstance(following, Stopped):
            check_end(state, question)
        elif following.ties > 1:
            check_tie(state, question, following)
        else:
            check_next_pair(state, question, following)
    return len(questions)


def check_end(state: State, question: Question) -> None:
    assert state.allowed("now") == {}
    assert [option.label for option in question.options if option.right] == ["Training stops"]
    one_symbol = all(len(split) == 1 for split in state.now.values())
    for option in question.options:
        assert ("Every word is one symbol" in option.why) == one_symbol
        assert option.right or option.misconception == 5


def check_tie(state: State, question: Question, following: Merged) -> None:
    best = max(state.allowed("now").values())
    for option in question.options:
        pairs = [pair for _, pair, _ in option.facts]
        assert len(set(pairs)) == 2
        assert all(state.allowed("now")[pair] == best == following.count for pair in pairs)
        assert all(chip(pair[0]) + " + " + chip(pair[1]) in option.why for pair in pairs)
        assert option.right == (option.label == "No, pairs tie")
        assert option.right or option.misconception == 1


def check_next_pair(state: State, question: Question, following: Merged) -> None:
    now = state.allowed("now")
    others = {pair: count for pair, count in now.items() if pair != following.pair}
    assert now[following.pair] > max(others.values(), default=0)
    for option in question.options:
        pair = pair_of(option)
        assert option.label == f"{chip(pair[0])} + {chip(pair[1])}"
        assert option.right == (pair == following.pair)
        if option.right:
            runners_up = option.facts[1:]
            assert bool(runners_up) == bool(others)
            assert all(others[pair] == count == max(others.values()) for _, pair, count in runners_up)
            continue
        match option.misconception:
            case 4:
                before = state.allowed("before")
                assert sum(count > before[pair] for count in before.values()) < 3
                gone = state.counts["before"][pair] - state.counts["now"].get(pair, 0)
                assert ("still has" in option.why) == (gone <= 0)
                assert gone <= 0 or says(option, gone)
            case 2:
                once = state.allowed("once")
                assert once[pair] == max(once.values()) > once.get(following.pair, 0)
            case 3:
                glued = state.allowed("glued")
                assert glued[pair] == max(glued.values()) > glued.get(following.pair, 0)
            case -1:
                assert pair in others and len(question.options) == 3
            case _:
                pytest.fail(f"no misconception leads to {option}")


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["first_seen", "lowest_id"])
@pytest.mark.parametrize("name", ["english", "german", "chinese", "mixed"])
def test_every_reason_is_true_of_a_shipped_corpus(name: str, policy: str) -> None:
    assert check(recorded(name, 100, tie_break=policy)) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("symbols", ["characters", "bytes"])
def test_every_reason_is_true_in_a_window(symbols: str) -> None:
    assert check(recorded("english", 250, symbols), start=150) >= 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [{"min_frequency": 10}, {"max_token_length": 3}, {"end_of_word": "</w>"}, {"special_tokens": ["<s>"]}]
)
def test_every_reason_is_true_with_an_option(options: Any) -> None:
    assert check(recorded("german", 400, **options)) >= 2
    assert check(recorded("english", 60, **options)) >= 2


def test_every_reason_is_true_at_the_end() -> None:
    for options in ({}, {"min_frequency": 3}, {"max_token_length": 2}):
        recording = train_indexed.record(count_words("low low low lower lowest newer newest newest"), 100, **options)
        assert isinstance(recording[-1], Stopped)
        assert check(recording) >= 1


options = st.fixed_dictionaries(
    {},
    optional={
        "end_of_word": st.sampled_from(["", "_"]),
        "min_frequency": st.integers(1, 4),
        "max_token_length": st.none() | st.integers(2, 5),
    },
)


@examples(200)
@given(word_counts("ab", max_length=14) | word_counts("abcd", max_words=12), options)
def test_every_reason_is_true_of_any_corpus(counts: dict[Any, int], options: dict[str, Any]) -> None:
    check(train_indexed.record(counts, 40, **options))


def test_wrong_programs_are_shown_without_questions() -> None:
    counts = count_words(data.text("german"))
    for program in (wrong.batch_merge_stale_counts, wrong.no_exhaustion_guard):
        assert asked(program.record(counts, 150)) == {}


@pytest.mark.parametrize(
    ("misconception", "counts"),
    [
        (1, {"ab": 2, "cd": 1, "ef": 1}),
        (2, {"xy": 100, "aaaa": 10, "pppp": 9, "bc": 25}),
        (3, {"xa": 100, "ab": 50, "xabc": 24, "xabd": 6, "abq": 20, "bq": 15}),
        (4, NOTES | {"gnu": 3}),
        (5, {"ab": 2, "cd": 1}),
    ],
)
def test_each_misconception_has_its_wrong_answer(misconception: int, counts: dict[str, int]) -> None:
    recording = train_indexed.record(counts, 99)
    assert check(recording)
    assert misconception in {
        option.misconception for question in asked(recording).values() for option in question.options
    }


def test_one_step_is_seen_before_the_first_question() -> None:
    for start in (0, 7, 50):
        assert min(asked(ENGLISH, start)) > start
