"""The player on a page of its own: opened as a file, with the network cut."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import shoot
from tests.browser.watching import Shown, plain
from tokenlab import data, show
from tokenlab.algorithms.bpe.encode import encode_by_rank, merge_ranks
from tokenlab.algorithms.bpe.train import train
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.pipeline.split_behavior import split_text
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.algorithms.text.granularity import tokenize_at_each_granularity
from tokenlab.show.frames import Frame, Question
from tokenlab.show.player import PlayerTrack, load_asset
from tokenlab.steps.recording import Recording, step, stepwise

Open: TypeAlias = Callable[..., Shown]

WORDS = {"bun": 15, "pup": 11, "pun": 10, "bug": 6, "ten": 5, "pug": 3}
TIES = {"newest": 6, "widest": 3, "lowest": 5, "lower": 2, "low": 5, "newer": 4}
EVIL = "<script>window.hacked=1</script><img src=x onerror=window.hacked=2>"
LAST = len(train.record(WORDS, 20))
KEYS_HELD = 5


def frames(recording: Recording[Any, Any]) -> tuple[Frame, ...]:
    return PlayerTrack.of(recording, 0, 100).frames


def questions(recording: Recording[Any, Any]) -> dict[int, Question]:
    return {number: frame.question for number, frame in enumerate(frames(recording)) if frame.question}


def right(question: Question) -> str:
    return next(plain(option.label) for option in question.options if option.right)


def wrong(question: Question) -> str:
    return next(plain(option.label) for option in question.options if not option.right)


ASKED = questions(train.record(WORDS, 20))
FIRST = min(ASKED)


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Opens recordings, players or pages; a request that leaves or an error of the script fails the test."""
    requests: list[str] = []
    errors: list[str] = []
    contexts = []

    def open_page(shown: Any, *, clock: bool = False, **options: Any) -> Shown:
        context = browser.new_context(**{"viewport": {"width": 1000, "height": 800}} | options)
        contexts.append(context)
        context.set_offline(True)
        page = context.new_page()
        page.on("request", lambda request: requests.append(request.url))
        page.on("pageerror", lambda error: errors.append(str(error)))
        if clock:
            page.clock.install(time=0)
            page.clock.pause_at(1000)
        path = tmp_path / f"{len(contexts)}.html"
        if isinstance(shown, Recording):
            shown.save(path)
        else:
            path.write_text(shown if isinstance(shown, str) else shown.page("page"), encoding="utf-8")
        page.goto(path.as_uri())
        return Shown(page, page.locator(".tl").first)

    yield open_page
    for context in contexts:
        context.close()
    assert not errors
    # An image that a word asks for would be looked for beside the page: that counts, too.
    assert [url for url in requests if not url.endswith(tuple(f"{n + 1}.html" for n in range(len(contexts))))] == []


@pytest.fixture
def bun(open_page: Open) -> Shown:
    """The first player of lesson 01."""
    return open_page(train.record(WORDS, 20))


# Stepping


def test_the_keys_step_both_ways_and_stop_at_the_ends(bun: Shown) -> None:
    bun.stands_at(0)
    bun.press("ArrowLeft")
    bun.stands_at(0)
    bun.press("ArrowRight")
    bun.stands_at(1)
    assert bun.caption.startswith("After merge 1. u + n became un")
    bun.root.get_by_role("checkbox", name="Predict").uncheck()
    bun.press("ArrowRight", "ArrowRight", "ArrowLeft")
    bun.stands_at(2)
    bun.press("End", "ArrowRight")
    bun.stands_at(LAST)
    bun.press("Home")
    bun.stands_at(0)
    assert bun.caption.startswith("Before merge 1.")


def test_every_frame_is_the_one_that_python_made_on_the_way_and_on_the_way_back(bun: Shown) -> None:
    made = [plain(f"{frame.moment}. {frame.caption} {frame.remark}") for frame in frames(train.record(WORDS, 20))]
    seen = []
    bun.root.get_by_role("checkbox", name="Predict").uncheck()
    for _ in made:
        seen.append(bun.caption)
        bun.press("ArrowRight")
    assert [caption.replace("\xa0", "").strip() for caption in seen] == made
    panels = bun.find(".tl-panels").first.inner_text()
    bun.press("Home", "End")
    assert bun.find(".tl-panels").first.inner_text() == panels


def test_the_buttons_step_and_those_that_lead_nowhere_are_off(bun: Shown) -> None:
    expect(bun.button("First step")).to_be_disabled()
    expect(bun.button("Step back")).to_be_disabled()
    bun.button("Step forward").click()
    bun.stands_at(1)
    bun.button("Step back").click()
    bun.stands_at(0)
    bun.button("Last step").click()
    bun.stands_at(LAST)
    expect(bun.button("Step forward")).to_be_disabled()
    expect(bun.button("Last step")).to_be_disabled()
    bun.button("First step").click()
    bun.stands_at(0)


def test_the_mouse_moves_the_slider(bun: Shown) -> None:
    box = bun.slider.bounding_box()
    assert box
    bun.page.mouse.move(box["x"] + 8, box["y"] + box["height"] / 2)
    bun.page.mouse.down()
    bun.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=3)
    bun.page.mouse.up()
    middle = int(bun.slider.input_value())
    assert 0 < middle < LAST
    bun.stands_at(middle)
    assert bun.caption.startswith(f"After merge {middle}.")


def test_a_finger_steps_and_answers(open_page: Open) -> None:
    bun = open_page(train.record(WORDS, 20), has_touch=True, is_mobile=True, viewport={"width": 320, "height": 640})
    bun.button("Step forward").tap()
    bun.stands_at(1)
    bun.options.last.tap()
    expect(bun.find(".tl-verdict")).to_contain_text("Here is the answer.")
    bun.slider.tap()
    assert int(bun.slider.input_value()) > 1


def test_a_click_on_the_player_gives_it_the_keys(bun: Shown) -> None:
    bun.find(".tl-caption").click()
    bun.page.keyboard.press("ArrowRight")
    bun.stands_at(1)


def test_the_keys_stay_in_the_player_when_the_button_that_had_them_goes_off(bun: Shown) -> None:
    bun.button("Last step").click()
    bun.page.keyboard.press("ArrowLeft")
    bun.stands_at(LAST - 1)
    bun.go(FIRST)
    bun.options.first.focus()
    bun.page.keyboard.press("ArrowLeft")
    bun.page.keyboard.press("ArrowLeft")
    bun.page.keyboard.press("ArrowRight")
    bun.stands_at(FIRST)


def test_keys_with_a_modifier_and_other_keys_do_not_step(bun: Shown) -> None:
    bun.press("Control+ArrowRight", "Alt+End", "Meta+ArrowRight", "b", "Enter")
    bun.stands_at(0)


# Playing


def test_play_stops_at_a_question_and_goes_on_after_the_answer(open_page: Open) -> None:
    bun = open_page(train.record(WORDS, 20), clock=True)
    bun.press("Space")
    expect(bun.button("Pause")).to_be_visible()
    bun.page.clock.run_for(30_000)
    bun.stands_at(FIRST)
    expect(bun.button("Play")).to_be_visible()
    bun.answer(right(ASKED[FIRST]))
    bun.button("Play").click()
    bun.page.clock.run_for(30_000)
    bun.stands_at(sorted(ASKED)[1])


def test_play_ends_at_the_last_step_and_begins_anew(open_page: Open) -> None:
    bun = open_page(show.play(train.record(WORDS, 20), predict=False), clock=True)
    bun.find("select").select_option("4")
    bun.press("Space")
    bun.page.clock.run_for(300 + 3 * 350)
    at = int(bun.slider.input_value())
    assert at in (3, 4)
    bun.press("Space")
    bun.page.clock.run_for(10_000)
    bun.stands_at(at)
    bun.press("Space")
    bun.page.clock.run_for(30_000)
    bun.stands_at(LAST)
    expect(bun.button("Play")).to_be_visible()
    bun.press("Space")
    bun.stands_at(0)


def test_a_step_back_stops_the_play(open_page: Open) -> None:
    bun = open_page(show.play(train.record(WORDS, 20), predict=False), clock=True)
    bun.press("Space")
    bun.page.clock.run_for(300 + 2 * 1400)
    bun.press("ArrowLeft")
    at = int(bun.slider.input_value())
    bun.page.clock.run_for(10_000)
    bun.stands_at(at)


# Predict


def test_a_question_hides_the_counts_until_it_is_answered(bun: Shown) -> None:
    counts = bun.panel("Count of each pair now")
    for at, question in ASKED.items():
        bun.go(at)
        expect(counts.locator("table")).to_have_count(0)
        expect(counts).to_contain_text("Hidden until you answer.")
        expect(bun.find(".tl-verdict")).to_be_empty()
        labels = [plain(option.label) for option in question.options]
        assert list(map(plain, bun.options.all_inner_texts())) == [*labels, "I do not know"]
        bun.answer(right(question))
        expect(counts).not_to_contain_text("Hidden")


# Chips with all that tells one from another; the gaps between chips; what else is there to see.
TELLTALES = """root => {
    const look = "backgroundColor color border borderRadius margin padding boxShadow font outline".split(" ");
    const chips = [], gaps = new Set(), blanks = new Set();
    const pairs = root.querySelectorAll(".tl-panels b.left, .tl-panels b.right, .tl-panels .best").length;
    for (const word of root.querySelectorAll(".tl-words div, .tl-ranks")) {
        const row = [...word.children].filter((part) => part.localName === "b");
        for (const chip of row) {
            const style = getComputedStyle(chip);
            chips.push([chip.textContent, chip.className + " " + look.map((name) => style[name]).join(" ")]);
        }
        if (row.length < word.children.length) continue;  // ranks stand between
        const boxes = row.map((chip) => chip.getBoundingClientRect());
        boxes.slice(1).forEach((box, n) => gaps.add(Math.round(10 * (box.left - boxes[n].right))));
        blanks.add(word.textContent.split(" ").length - row.length);
    }
    const more = root.querySelector(".tl-more").checkVisibility();
    return { chips, gaps: [...gaps], blanks: [...blanks], pairs, more };
}"""


RECORDINGS = {
    "training": lambda: train.record(WORDS, 20),
    "training with ties": lambda: train.record(TIES, 26),
    "encoding": lambda: encode_by_rank.record(
        "understanding", merge_ranks(train_indexed(count_words(data.text("english")), 500))
    ),
}


@pytest.mark.parametrize("what", RECORDINGS)
def test_nothing_gives_the_answer_away(open_page: Open, what: str) -> None:
    recording = RECORDINGS[what]()
    shown = open_page(recording)
    marked = 0
    for at, question in questions(recording).items():
        shown.go(at)
        seen = shown.root.evaluate(TELLTALES)
        looks: dict[str, set[str]] = {}
        for text, look in seen["chips"]:
            looks.setdefault(text, set()).add(look)
        assert all(len(own) == 1 for own in looks.values()), looks
        # What was just made is marked, and nothing else.
        made = shown.find(".tl-caption b.new").all_inner_texts()
        assert len({*map(min, (looks[text] for text in looks if text not in made))}) <= 1
        assert len(seen["gaps"]) <= 1 and set(seen["blanks"]) <= {0} and not seen["pairs"]
        assert not seen["more"]
        shown.answer(right(question))
        marked += shown.root.evaluate(TELLTALES)["pairs"]
    assert marked


def test_a_right_answer_is_called_right_and_says_why(bun: Shown) -> None:
    bun.go(FIRST)
    shoot(bun.page, "question-asked", ".tl")
    bun.answer(right(ASKED[FIRST]))
    why = next(plain(option.why) for option in ASKED[FIRST].options if option.right)
    expect(bun.find(".tl-verdict")).to_have_text(f"Right. {why}")
    expect(bun.root.get_by_role("button", name=f"{right(ASKED[FIRST])}: right")).to_be_disabled()
    shoot(bun.page, "question-answered-right", ".tl")


def test_a_wrong_answer_says_why_it_is_wrong(bun: Shown) -> None:
    bun.go(FIRST)
    guess = wrong(ASKED[FIRST])
    bun.answer(guess)
    why = next(plain(option.why) for option in ASKED[FIRST].options if not option.right)
    expect(bun.find(".tl-verdict")).to_have_text(f"You chose {guess}. {why}")
    expect(bun.root.get_by_role("button", name=f"{guess}: wrong")).to_be_visible()
    expect(bun.root.get_by_role("button", name=f"{right(ASKED[FIRST])}: right")).to_be_visible()
    shoot(bun.page, "question-answered-wrong", ".tl")


def test_not_knowing_is_an_answer(bun: Shown) -> None:
    bun.go(FIRST)
    bun.answer("I do not know")
    expect(bun.find(".tl-verdict")).to_contain_text("Here is the answer. b + un occurs")
    expect(bun.root.get_by_role("button", name=f"{right(ASKED[FIRST])}: right")).to_be_visible()
    expect(bun.find(".tl-wrong")).to_have_count(0)  # it is not a guess
    expect(bun.panel("Count of each pair now").locator("table")).to_be_visible()


def test_an_answer_stays_when_one_comes_back_to_it(bun: Shown) -> None:
    bun.go(FIRST)
    bun.answer(wrong(ASKED[FIRST]))
    bun.press("ArrowRight", "ArrowLeft")
    expect(bun.find(".tl-verdict")).to_contain_text("You chose")
    expect(bun.options.first).to_be_disabled()


def test_what_was_missed_comes_back_at_the_end(bun: Shown) -> None:
    first, second, *others = ASKED
    for at, answer in ((first, right), (second, wrong), *((at, right) for at in others)):
        bun.go(at)
        bun.answer(answer(ASKED[at]))
    review = bun.find(".tl-review")
    expect(review).to_be_hidden()
    bun.press("End")
    expect(review).to_contain_text(f"You answered {len(ASKED)} of {len(ASKED)}, and {len(ASKED) - 1} right. Try again:")
    assert review.get_by_role("button").all_inner_texts() == [f"After merge {second}"]
    shoot(bun.page, "review", ".tl")
    review.get_by_role("button").click()
    bun.stands_at(second)
    expect(bun.options.first).to_be_enabled()
    bun.answer(right(ASKED[second]))
    bun.press("End")
    expect(review).to_have_text(f"You answered {len(ASKED)} of {len(ASKED)}, and {len(ASKED)} right. Well done.")


def test_a_question_that_was_passed_over_counts_as_missed(bun: Shown) -> None:
    bun.go(FIRST)
    bun.press("End")
    expect(bun.find(".tl-review")).to_contain_text("You answered 0 of 1, and 0 right. Try again:")


def test_predict_can_be_switched_off(bun: Shown) -> None:
    bun.go(FIRST)
    bun.root.get_by_role("checkbox", name="Predict").uncheck()
    expect(bun.find(".tl-ask").first).to_be_hidden()
    expect(bun.panel("Count of each pair now").locator("table")).to_be_visible()
    bun.press("End")
    expect(bun.find(".tl-review")).to_be_hidden()
    bun.go(FIRST)
    bun.root.get_by_role("checkbox", name="Predict").check()
    expect(bun.find(".tl-ask").first).to_be_visible()


# Text stays text


@stepwise
def spell(word: str) -> Generator[Letter, None, str]:
    """Has no view of its own."""
    for letter in word.split(" "):
        yield Letter(letter)
    return word


@step
class Letter:
    """One letter."""

    letter: str

    def __str__(self) -> str:
        """Say it."""
        return f"the letter is {self.letter}"


EVIL_PLAYERS = {
    "words": lambda: train.record({EVIL: 3, "ab": 2}, 60).play(),
    "whole words": lambda: tokenize_at_each_granularity.record(
        f"{EVIL} {EVIL}", corpus=f"{EVIL} some words", merges=90
    ).play(),
    "titles": lambda: show.compare(train.record({"ab": 2}, 3), train.record({"<img src=x onerror=hacked=2>": 3}, 20)),
    "sentences": lambda: spell.record(EVIL).play(),
    "bytes": lambda: train.record({EVIL.encode(): 3}, 300).play(),
}


@pytest.mark.parametrize("where", EVIL_PLAYERS)
def test_what_a_learner_wrote_is_shown_as_text(open_page: Open, where: str) -> None:
    shown = open_page(EVIL_PLAYERS[where]())
    for _ in range(int(shown.slider.get_attribute("max") or 0) + 1):
        shown.press("ArrowRight")
    expect(shown.page.locator(".tl img, .tl script")).to_have_count(0)
    assert shown.page.evaluate("typeof window.hacked") == "undefined"
    assert "<" in shown.root.inner_text()


def test_moments_and_titles_are_text_too(open_page: Open) -> None:
    still = Frame(EVIL, "caption", panels=(show.frames.Panel(f'"{EVIL}', ("<tr><th scope=row>a<td>",), kind="bars"),))
    shown = open_page(show.Player([PlayerTrack(EVIL, (still,), "")]))
    assert EVIL in shown.caption
    expect(shown.page.get_by_role("table", name=f'"{EVIL}')).to_be_attached()
    assert shown.page.evaluate("typeof window.hacked") == "undefined"


# Accessibility


def test_the_tree_names_what_is_there(bun: Shown) -> None:
    bun.go(FIRST)
    tree = bun.root.aria_snapshot()
    for line in (
        '- group "train, step by step":',
        *(f'- button "{name}"' for name in ("First step", "Step back", "Play", "Step forward", "Last step")),
        '- slider "Step": "1"',
        '- combobox "Speed"',
        '- checkbox "Predict" [checked]',
        '- group "Predict":',
        *(f'- button "{plain(option.label)}"' for option in ASKED[FIRST].options),
        '- button "I do not know"',
        "- status",
    ):
        assert line in tree, tree
    bun.answer(right(ASKED[FIRST]))
    expect(bun.root.get_by_role("status")).to_contain_text("Right.")


def test_the_slider_says_its_step_in_words(bun: Shown) -> None:
    # Chromium tells its developer tools no value text, so it is the attribute that is looked at.
    expect(bun.slider).to_have_attribute("aria-valuetext", re.compile(r"^Before merge 1\. Every word is split into"))
    bun.press("ArrowRight")
    expect(bun.slider).to_have_attribute(
        "aria-valuetext", re.compile(r"^After merge 1\. u \+ n became un: the pair occurred")
    )


def test_bars_are_a_table_with_row_headers(open_page: Open) -> None:
    for recording in (
        train.record(WORDS, 20),
        tokenize_at_each_granularity.record("A new sentence", corpus="some words", merges=3),
    ):
        shown = open_page(recording)
        shown.press("ArrowRight" if recording.arguments.get("word_counts") else "End")
        if shown.options.count():
            shown.options.last.click()
        table = shown.page.get_by_role("table")
        expect(table).to_be_visible()
        rows = table.get_by_role("row").count()
        assert rows > 1
        assert table.get_by_role("rowheader").count() == rows
        assert all(header.inner_text().strip() for header in table.get_by_role("rowheader").all())
        assert {row.get_by_role("cell").count() for row in table.get_by_role("row").all()} == {2}
        assert table.get_attribute("aria-label")


def announcements(shown: Shown) -> Callable[[], list[str]]:
    """What is said aloud from now on, and the function that tells it."""
    shown.root.evaluate(
        """root => {
            window.said = [];
            const aloud = (node) => (node.closest ? node : node.parentElement)?.closest("[aria-live], [role=status]");
            new MutationObserver((records) => {
                for (const { target } of records) if (aloud(target)) window.said.push(target.textContent);
            }).observe(root, { subtree: true, childList: true, characterData: true });
        }"""
    )
    return lambda: [plain(line) for line in shown.page.evaluate("window.said.splice(0)")]


def test_one_short_line_is_said_at_a_stop(open_page: Open) -> None:
    bun = open_page(train.record(WORDS, 20), clock=True)
    said = announcements(bun)
    bun.press("ArrowRight")
    bun.page.clock.run_for(5000)
    (line,) = said()
    assert line.startswith("After merge 1. u + n became un: ") and line.endswith("Which pair is merged next?")
    assert len(line) < 160
    bun.answer(right(ASKED[FIRST]))
    bun.page.clock.run_for(5000)
    (line,) = said()
    assert line.startswith("Right. b + un")
    bun.press("Tab", "Shift", "x")
    bun.page.clock.run_for(5000)
    assert said() == []


def test_an_answer_by_key_is_said_and_not_talked_over(open_page: Open) -> None:
    bun = open_page(train.record(WORDS, 20), clock=True)
    bun.press("ArrowRight")
    said = announcements(bun)
    bun.options.first.press("Enter")
    bun.page.clock.run_for(5000)
    (line,) = said()
    assert line.startswith("Right.")


def test_nothing_is_said_while_a_key_repeats(open_page: Open) -> None:
    bun = open_page(show.play(train.record(WORDS, 20), predict=False), clock=True)
    said = announcements(bun)
    for repeated in range(KEYS_HELD):
        bun.root.dispatch_event("keydown", {"key": "ArrowRight", "bubbles": True, "repeat": repeated > 0})
        bun.page.clock.run_for(390 if repeated == 0 else 1000)
    bun.stands_at(KEYS_HELD)
    assert said() == []
    bun.root.dispatch_event("keyup", {"key": "ArrowRight", "bubbles": True})
    bun.page.clock.run_for(5000)
    (line,) = said()
    assert line.startswith(f"After merge {KEYS_HELD}.")


def test_nothing_is_said_while_playing(open_page: Open) -> None:
    bun = open_page(show.play(train.record(WORDS, 20), predict=False), clock=True)
    bun.press("ArrowRight")
    said = announcements(bun)
    bun.press("Space")
    bun.page.clock.run_for(300 + 4 * 1400)
    assert said() == []
    bun.press("Space")
    bun.page.clock.run_for(5000)
    (line,) = said()
    assert line == plain(bun.slider.get_attribute("aria-valuetext") or "")


# Eyes, screens, fingers


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_in_both_colour_schemes(open_page: Open, scheme: str) -> None:
    bun = open_page(train.record(WORDS, 20), color_scheme=scheme)
    bun.is_readable()
    bun.go(FIRST)
    bun.is_readable()
    bun.answer(wrong(ASKED[FIRST]))
    bun.is_readable()
    shoot(bun.page, f"page-{scheme}", ".tl")
    ground = bun.root.evaluate("root => getComputedStyle(root).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") is (scheme == "light")


def fits(shown: Shown, smallest: float) -> None:
    """Nothing is cut off to the right, and all that one presses is large enough."""
    width = shown.page.evaluate("document.documentElement.clientWidth")
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= width
    right = "root => Math.max(...[...root.querySelectorAll('*')].map((e) => e.getBoundingClientRect().right))"
    assert shown.root.evaluate(right) <= width
    for control in shown.find("button, select, summary, .tl-bar label").all():
        if control.is_visible():
            box = control.bounding_box()
            assert box and box["width"] >= smallest and box["height"] >= smallest, control.inner_text()
    for button in shown.find(".tl-bar button").all():
        expect(button).to_be_visible()
    boxes = [button.bounding_box() for button in shown.find(".tl-bar button").all()]
    assert len({box["y"] for box in boxes if box}) == 1


NARROW: dict[str, Any] = {"viewport": {"width": 320, "height": 640}}
SMALL: dict[str, dict[str, Any]] = {
    "narrow": NARROW,
    "touched": {"viewport": {"width": 320, "height": 1600}, "has_touch": True, "is_mobile": True},
    "zoomed": {"viewport": {"width": 500, "height": 400}, "device_scale_factor": 2},
}


@pytest.mark.parametrize("screen", SMALL)
def test_all_of_it_fits_a_small_screen(open_page: Open, screen: str) -> None:
    smallest = 44 if screen == "touched" else 24
    long = train.record({"Donaudampfschifffahrtsgesellschaftskapitän": 4, "Donau": 2}, 60)
    for recording in (train.record(WORDS, 20), train.record(TIES, 26), long):
        shown = open_page(recording, **SMALL[screen])
        assert shown.page.evaluate("matchMedia('(pointer: coarse)').matches") is (screen == "touched")
        fits(shown, smallest)
        at, question = next(iter(questions(recording).items()))
        shown.go(at)
        fits(shown, smallest)
        shown.answer(wrong(question))
        fits(shown, smallest)
        if recording.arguments["word_counts"] == WORDS:
            shoot(shown.page, f"page-{screen}", "body")
        shown.press("End")
        fits(shown, smallest)


def test_two_side_by_side_stand_one_above_the_other_on_a_narrow_screen(open_page: Open) -> None:
    shown = open_page(show.compare(train.record(WORDS, 20), train.record(WORDS, 14)), **NARROW)
    fits(shown, 24)
    left, right = (track.bounding_box() for track in shown.find(".tl-track").all())
    assert left and right and right["y"] >= left["y"] + left["height"]


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_nothing_moves_for_those_who_asked_for_less_motion(open_page: Open, motion: str) -> None:
    bun = open_page(train.record(WORDS, 20), reduced_motion=motion)
    moving = bun.root.evaluate(
        """root => [...root.querySelectorAll("*")].map((e) => getComputedStyle(e))
            .filter((style) => parseFloat(style.transitionDuration) || style.animationName !== "none").length"""
    )
    assert bool(moving) is (motion == "no-preference")


# What is played


def test_one_recording_shown_twice_gives_two_players(open_page: Open) -> None:
    player = train.record(WORDS, 20).play()
    bun = open_page(player.page("twice") + player.html)
    twin = Shown.on(bun.page, number=1)
    twin.go(2)
    twin.stands_at(2)
    bun.stands_at(0)
    bun.press("ArrowRight")
    bun.stands_at(1)
    twin.stands_at(2)
    bun.answer(right(ASKED[FIRST]))
    twin.press("ArrowLeft")
    expect(twin.options.first).to_be_enabled()


def test_compare_opens_where_the_two_part(open_page: Open) -> None:
    left, other = (train.record(TIES, 26, tie_break=name) for name in ("first_seen", "lexicographic_max"))
    difference = left.diff(other)
    assert difference and difference.index > 0
    shown = open_page(difference.play())
    shown.stands_at(difference.index + 1)
    titles = [f"train tie_break='{name}'" for name in ("first_seen", "lexicographic_max")]
    expect(shown.find(".tl-title")).to_have_text(titles)
    one, two = shown.find(".tl-caption").all_inner_texts()
    assert one != two
    shoot(shown.page, "compare", ".tl")
    shown.press("ArrowLeft")
    one, two = shown.find(".tl-caption").all_inner_texts()
    assert one == two
    expect(shown.root.get_by_role("checkbox", name="Predict")).to_have_count(0)


def test_of_two_the_shorter_waits_for_the_longer(open_page: Open) -> None:
    shown = open_page(show.compare(train.record(WORDS, 12), train.record(WORDS, 20)))
    shown.press("End")
    expect(shown.find(".tl-caption").first).to_contain_text("(it ended here)")
    expect(shown.find(".tl-caption").last).to_contain_text("At the end.")


def test_a_window_says_that_there_is_more(open_page: Open) -> None:
    recording = train.record(WORDS, 20)
    shown = open_page(recording.play(start=4, steps=3))
    expect(shown.find(".tl-notice")).to_have_text(
        f"Shown: steps 5 to 7 of {LAST}; play(start=7) on the recording shows others."
    )
    assert shown.caption.startswith("After merge 4.")
    shown.press("End")
    assert shown.caption.startswith("After merge 7.")


def test_a_recording_without_a_view_is_shown_as_its_sentences(open_page: Open) -> None:
    shown = open_page(spell.record("x y z"))
    shown.press("ArrowRight", "ArrowRight")
    assert shown.caption.startswith("After step 2. the letter is y")
    assert shown.find(".tl-panel li").all_inner_texts() == ["the letter is x", "the letter is y"]
    shoot(shown.page, "sentences", ".tl")


def test_without_a_script_the_first_moment_can_be_read(open_page: Open) -> None:
    bun = open_page(train.record(WORDS, 20), java_script_enabled=False)
    body = bun.page.locator("body")
    expect(body).to_contain_text("Before merge 1. Every word is split into its characters.")
    expect(body).to_contain_text("Count of each pair now")
    text = body.inner_text()
    assert "undefined" not in text and "None" not in text
    expect(bun.root).to_have_count(0)
    shoot(bun.page, "page-without-script")


def test_script_and_style_stay_small() -> None:
    assert len((load_asset("player.js") + load_asset("player.css")).encode()) < 34_000


def test_a_widget_follows_the_end_unless_it_was_moved(browser: Browser) -> None:
    page = browser.new_page()
    made = [split_text.record(text, "-", "isolated").play(opened=-1).data for text in ("a-b", "a-b-c", "a-b-c-d")]
    script = load_asset("player.js") + "\nwindow.draw = render;"
    page.set_content("<body></body>")
    page.add_script_tag(type="module", content=script)
    page.wait_for_function("window.draw !== undefined")  # the tag of a module is added before the module runs
    page.evaluate(
        """data => { let changed; const model = { get: () => data, on: (_, act) => { changed = act; }, off() {} };
        window.show = (next) => { data = next; changed(); };
        window.draw({ model, el: document.body }); }""",
        made[0],
    )
    shown = Shown.on(page)
    shown.stands_at(3)
    page.evaluate("data => window.show(data)", made[1])
    shown.stands_at(5)
    shown.press("ArrowLeft")
    page.evaluate("data => window.show(data)", made[2])
    shown.stands_at(4)
    page.close()
