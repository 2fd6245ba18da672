"""The lessons in JupyterLab: as they are stored, run, in both themes, without trust and without a kernel."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Lab, shoot
from tests.browser.in_lab import NOTEBOOK, cell, change_theme, execute, outputs, player, run_all, steps, wait_for_kernel
from tests.browser.watching import Shown

pytestmark = pytest.mark.slow  # JupyterLab; `test_check.py` opens one lesson in `make test`

START, TRAINING = "00_start_here.ipynb", "01_bpe_training.ipynb"
EXPLORE_SENTENCE, EXPLORE_TEXT = "explore_segmentations(", "explore_bpe_training("
FIRST_PLAYER, COMPARED, LONG = "train.record(word_counts", "first_seen.diff(", "play(start=40)"
EVIL = "<script>window.hacked=1</script><img src=x onerror=window.hacked=2>"


@pytest.fixture(scope="module")
def stored(open_lesson: Callable[..., Page]) -> Page:
    """Lesson 01 as it is stored: no cell has been run."""
    return open_lesson(TRAINING)


@pytest.fixture(scope="module")
def ran(open_lesson: Callable[..., Page]) -> Page:
    """Lesson 01 with all its cells run."""
    page = open_lesson(TRAINING)
    run_all(page)
    return page


# As they are stored


@pytest.mark.parametrize("lesson", [START, TRAINING])
def test_all_stored_players_are_alive_before_any_cell_is_run(
    open_lesson: Callable[..., Page], stored: Page, lesson: str
) -> None:
    page = stored if lesson == TRAINING else open_lesson(lesson)
    kept = [output for output in outputs(page) if "data-tokenlab" in str(output.get("data", {}).get("text/html"))]
    assert len(kept) >= 3
    for output in kept:
        execute(page, "notebook:expand-all-headings")
        part = page.locator(".jp-Notebook .jp-Cell").nth(output["cell"])
        part.scroll_into_view_if_needed()
        steps(Shown.on(page, part))


def test_a_lesson_that_was_only_opened_need_not_be_saved(open_lesson: Callable[..., Page], lab: Lab) -> None:
    before = (lab.folder / START).read_bytes()
    page = open_lesson(START)
    wait_for_kernel(page)
    page.wait_for_function(f"{NOTEBOOK}.context.model.metadata.language_info.version")
    player(page, "train.record(").press("ArrowRight")
    assert not page.evaluate(f"{NOTEBOOK}.context.model.dirty")
    page.evaluate(f"void {NOTEBOOK}.close()")
    expect(page.locator(".jp-NotebookPanel")).to_have_count(0)
    assert (lab.folder / START).read_bytes() == before


def test_a_stored_explorer_shows_its_controls_disabled_above_the_player(stored: Page) -> None:
    explorer = cell(stored, EXPLORE_TEXT)
    steps(Shown.on(stored, explorer))
    expect(explorer.locator(".tl")).to_have_count(1)
    expect(explorer.locator(".jupyter-widgets")).to_have_count(0)
    expect(explorer.get_by_role("group", name="Run this cell to type your own text")).to_be_visible()
    expect(explorer.locator(".jp-OutputArea")).not_to_contain_text("Loading widget")


def test_mouse_and_keys_step_a_stored_player_and_it_asks(stored: Page) -> None:
    shown = player(stored, FIRST_PLAYER)
    shown.press("Home")
    shown.button("Step forward").click()
    shown.stands_at(1)
    expect(shown.find(".tl-hidden")).to_have_text("Hidden until you answer.")
    shoot(stored, "lesson-light")
    shown.answer("p + u")
    expect(shown.find(".tl-verdict")).to_contain_text("You chose p + u. It had 24 before this merge")
    shown.press("End", "ArrowLeft", "Home", "ArrowRight")
    shown.stands_at(1)
    shown.press("ArrowRight", "Space")
    shown.stands_at(3)
    expect(shown.button("Play")).to_be_visible()
    shown.press("Home")


def test_keys_pressed_in_the_player_are_no_commands_to_the_notebook(stored: Page) -> None:
    def state() -> Any:
        return stored.evaluate(f"[{NOTEBOOK}.content.widgets.length, {NOTEBOOK}.content.activeCellIndex]")

    shown = player(stored, FIRST_PLAYER)
    shown.find(".tl-caption").click()
    before = state()
    keys = ["b", "a", "d", "d", "ArrowDown", "ArrowUp", "ArrowRight", "ArrowLeft", "j", "k", "x", "m", "Shift+M"]
    for focus in (shown.root, shown.slider, shown.button("Step forward"), shown.button("Play")):
        focus.focus()
        for key in keys:
            stored.keyboard.press(key)
        assert state() == before
    # The same keys are commands as soon as the notebook has the focus.
    stored.evaluate(f"{NOTEBOOK}.content.node.focus()")
    stored.keyboard.press("b")
    assert state() == [before[0] + 1, before[1] + 1]
    execute(stored, "notebook:undo-cell-action")


def test_one_output_in_two_places_gives_two_players(stored: Page) -> None:
    number = stored.locator(".tl").count()
    cell(stored, FIRST_PLAYER).locator(".tl-caption").click()
    execute(stored, "notebook:duplicate-below")
    expect(stored.locator(".tl")).to_have_count(number + 1)
    one, two = Shown.on(stored, number=0), Shown.on(stored, number=1)
    one.press("Home")
    two.press("Home", "ArrowRight")
    two.stands_at(1)
    one.stands_at(0)
    assert one.caption.startswith("Before merge 1.") and two.caption.startswith("After merge 1.")
    execute(stored, "notebook:undo-cell-action")


def test_the_comparison_opens_where_the_two_part(stored: Page) -> None:
    shown = player(stored, COMPARED)
    expect(shown.find(".tl-track")).to_have_count(2)
    left, right = shown.find(".tl-caption").all_text_contents()
    assert left != right
    shoot(stored, "lesson-compare", ".tl-two")
    shown.press("ArrowLeft")
    left, right = shown.find(".tl-caption").all_text_contents()
    assert left == right


def test_a_long_recording_says_which_window_is_shown(stored: Page) -> None:
    shown = player(stored, LONG)
    expect(shown.find(".tl-notice")).to_contain_text("Shown: steps 41 to 140 of")
    assert shown.caption.startswith("After merge 40.")


def test_a_finger_steps_and_answers(open_lesson: Callable[..., Page]) -> None:
    page = open_lesson(TRAINING, has_touch=True, viewport={"width": 820, "height": 1100})
    shown = player(page, FIRST_PLAYER)
    shown.button("Step forward").tap()
    shown.stands_at(1)
    shown.options.get_by_text("I do not know").tap()
    expect(shown.find(".tl-verdict")).to_contain_text("Here is the answer.")
    shown.button("Step back").tap()
    shown.stands_at(0)
    shoot(page, "lesson-touch")


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_text_stands_out_in_both_themes(stored: Page, theme: str) -> None:
    light = theme == "Light"
    shown = player(stored, FIRST_PLAYER)
    try:
        change_theme(stored, theme)
        stored.wait_for_function(
            "([root, ground]) => getComputedStyle(root).backgroundColor === ground",
            arg=[shown.root.element_handle(), "rgb(255, 255, 255)" if light else "rgb(17, 17, 17)"],
        )
        for source in (FIRST_PLAYER, COMPARED, LONG):
            shown = player(stored, source)
            shown.is_readable()
            shown.press("ArrowRight")
            shown.is_readable()
            shoot(stored, f"lesson-{theme.lower()}-{source[:5]}")
            shown.press("ArrowLeft")
    finally:
        change_theme(stored, "Light")


def test_a_notebook_that_is_not_trusted_can_be_read_and_says_how_to_bring_it_to_life(
    open_lesson: Callable[..., Page],
) -> None:
    page = open_lesson("untrusted.ipynb")
    first = cell(page, FIRST_PLAYER).locator(".jp-OutputArea-output").first
    expect(first).to_have_text(
        re.compile(r"^\s*This view is static\. To step through it, run this cell, or trust this ")
    )
    expect(first).to_contain_text("Before merge 1. Every word is split into its characters.")
    panels = first.locator("div:has(> strong)").evaluate_all("all => all.map((one) => one.getBoundingClientRect().x)")
    assert len(panels) == 3 and len(set(panels)) == 1  # one below the other
    expect(page.locator(".tl")).to_have_count(0)
    chip = first.locator("b").first
    assert chip.evaluate("chip => getComputedStyle(chip).backgroundColor") == "rgb(228, 228, 222)"
    assert first.locator("table i").first.evaluate("bar => bar.getBoundingClientRect().width") > 50
    for output in page.locator(".jp-OutputArea-output").all():
        assert "undefined" not in (output.text_content() or "")
        assert "playHere" not in (output.text_content() or "")  # the script is not shown as text
    shoot(page, "untrusted")
    page.evaluate("void window.jupyterapp.commands.execute('notebook:trust')")
    page.locator(".jp-Dialog button.jp-mod-accept").click()
    steps(player(page, FIRST_PLAYER))


# With a kernel


def test_lesson_01_runs_without_an_error(ran: Page) -> None:
    made = outputs(ran)
    assert [output for output in made if output["output_type"] == "error"] == []
    steps(player(ran, FIRST_PLAYER))
    # The controls are there: this is not what was stored.
    expect(cell(ran, EXPLORE_TEXT).locator(".jupyter-widgets textarea")).to_be_visible()


@pytest.fixture
def explorer(ran: Page) -> Locator:
    found = cell(ran, EXPLORE_TEXT)
    expect(found.locator(".tl:visible")).to_have_count(1)  # the stored player is hidden
    return found


def set_size(explorer: Locator, size: int) -> None:
    explorer.locator(".widget-readout").fill(str(size))
    explorer.locator(".widget-readout").press("Enter")


def test_what_a_learner_types_is_shown_as_text(ran: Page, explorer: Locator) -> None:
    shown = Shown.on(ran, explorer)
    set_size(explorer, 90)
    explorer.locator(".jupyter-widgets textarea").fill(f"{EVIL} {EVIL} more")
    expect(shown.find(".tl-words").first).to_contain_text("h a c k e d")
    shoot(ran, "explorer-evil")
    shown.press("End", "Home")
    assert "<" in (shown.find(".tl-words").first.text_content() or "")
    expect(ran.locator(".tl img, .tl script, .tokenlab-message img")).to_have_count(0)
    assert ran.evaluate("typeof window.hacked") == "undefined"


def test_a_vocabulary_below_the_alphabet_is_refused_in_a_sentence(ran: Page, explorer: Locator) -> None:
    explorer.locator(".jupyter-widgets textarea").fill("a lighthouse by the sea")
    set_size(explorer, 5)
    expect(explorer.locator(".tokenlab-message")).to_contain_text("vocab_size=5")
    shoot(ran, "explorer-refused")
    set_size(explorer, 40)
    expect(explorer.locator(".tokenlab-message")).to_have_text("")
    explorer.locator(".jupyter-widgets textarea").fill(" ")
    expect(explorer.locator(".tokenlab-message")).to_contain_text("text has no word yet")
    explorer.locator(".jupyter-widgets textarea").fill("ab ab")
    expect(explorer.locator(".tokenlab-message")).to_have_text("")


def test_predict_stays_off_while_the_text_changes(ran: Page, explorer: Locator) -> None:
    explorer.locator(".jupyter-widgets textarea").fill("bun bun bun pup pup pun pun bug pug pug bun ten")
    shown = Shown.on(ran, explorer)
    expect(shown.find(".tl-words").first).to_contain_text("t e n")
    predict = shown.root.get_by_role("checkbox", name="Predict")
    predict.uncheck()
    explorer.locator(".jupyter-widgets textarea").fill("bun bun bun pup pup pun pun bug pug pug bun tent")
    expect(shown.find(".tl-words").first).to_contain_text("t e n t")
    expect(predict).not_to_be_checked()
    shoot(ran, "explorer")


def test_players_go_on_stepping_after_the_kernel_was_shut_down(open_lesson: Callable[..., Page]) -> None:
    page = open_lesson(START)
    run_all(page)
    assert [output for output in outputs(page) if output["output_type"] == "error"] == []
    explorer = cell(page, EXPLORE_SENTENCE)
    explorer.locator("input[type=text]").fill("Quokkas rarely unbox teapots")
    live = Shown.on(page, explorer)
    expect(live.root).to_contain_text("Quokkas")
    steps(live)
    shoot(page, "explorer-sentence")
    page.evaluate(f"{NOTEBOOK}.sessionContext.shutdown().then(() => true)")
    page.wait_for_function(f"!{NOTEBOOK}.sessionContext.session?.kernel")
    steps(live)
    expect(live.root).to_contain_text("Quokkas")
    steps(player(page, "train.record("))


# Quick keys

MEASURE = """async root => {
    const painted = () => new Promise((done) => requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = done;
        port2.postMessage(0);  // comes after the frame has been painted
    }));
    const all = { handler: [], paint: [] };
    for (let n = 0; n < 100; n += 1) {
        await new Promise((done) => setTimeout(done, 20 + 17 * Math.random()));
        const key = { key: "ArrowRight", bubbles: true, cancelable: true };
        const start = performance.now();
        root.dispatchEvent(new KeyboardEvent("keydown", key));
        all.handler.push(performance.now() - start);
        await painted();
        all.paint.push(performance.now() - start);
    }
    const part = (times, share) => [...times].sort((a, b) => a - b)[Math.floor(share * times.length)].toFixed(1);
    return Object.values(all).flatMap((times) => [part(times, 0.5), part(times, 0.95)]);
}"""
FIRST_FRAME = """async ([cell]) => {
    const notebook = window.jupyterapp.shell.currentWidget.content;
    notebook.activeCellIndex = notebook.widgets.findIndex((widget) => widget.node === cell);
    cell.querySelector(".tl").remove();
    const start = performance.now();
    window.jupyterapp.commands.execute("notebook:run-cell");
    while (!cell.querySelector(".tl .tl-caption")) await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    return (performance.now() - start).toFixed(0);
}"""


def test_a_hundred_quick_keys_are_a_hundred_steps(ran: Page, capsys: pytest.CaptureFixture[str]) -> None:
    """The times are printed and not asserted, since they depend on the machine; that no key is lost is asserted."""
    wait_for_kernel(ran)
    first = ran.evaluate(FIRST_FRAME, [cell(ran, FIRST_PLAYER).element_handle()])
    shown = player(ran, LONG)
    shown.ask(False)
    shown.press("Home")
    shown.stands_at(0)
    before = shown.caption
    handler, handler95, paint, paint95 = shown.root.evaluate(MEASURE)
    shown.stands_at(100)
    assert shown.caption != before
    shown.ask(True)
    with capsys.disabled():
        # stderr, since pytest-xdist shows no stdout of its workers
        print(
            f"\nplayer in JupyterLab: first frame {first} ms after the cell was run; of 100 keys p50/p95: "
            f"handled in {handler}/{handler95} ms, painted after {paint}/{paint95} ms",
            file=sys.stderr,
        )
