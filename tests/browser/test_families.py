"""Lessons from 05 on in JupyterLab: a quarter with their stored players, another with all cells and typed texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import ROOT, Lab, lessons_open, shoot
from tests.browser.in_lab import cell, change_theme, execute, outputs, run_all, steps, wait_for_kernel
from tests.browser.watching import Shown

pytestmark = pytest.mark.slow

LESSONS = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb") if "05" <= path.stem < "a")
EVIL = "a<img src=x onerror=window.hacked=1>"
STRANGE = "日本語 שלום 👩\u200d👩\u200d👧 e\u0301"
# The call that makes each lesson's first explorer, and the box to type in, if there is one.
EXPLORERS = {
    "05_wordpiece": ("explore_wordpiece_encoding(", "input[type=text]"),
    "06_unigram_segmenting": ("explore_viterbi(", "input[type=text]"),
    "07_unigram_training": ("explore_unigram_training(", "textarea"),
    "08_sentencepiece": ("explore_round_trip(", "input[type=text]"),
    "09_subword_text_encoder": ("explore_subword_text(", "input[type=text]"),
    "10_making_training_data": ("explore_sample_lines(", ""),
    "11_tokenizer_pipeline": ("explore_pipeline(", "input[type=text]"),
    "12_slow_and_fast_tokenizers": ("explore_slow_and_fast(", "input[type=text]"),
    "13_t5_in_one_picture": ("explore_t5_map(", "input[type=text]"),
    "14_t5_attention": ("explore_t5_attention(", "input[type=text]"),
    "15_t5_model": ("explore_token_losses(", "input[type=text]"),
    "16_t5_pretraining": ("explore_span_corruption(", "input[type=text]"),
    "17_greedy_and_sampling": ("explore_sampling(", "input[type=text]"),
    "18_beam_search": ("explore_beam_search(", "input[type=text]"),
    "19_group_and_constrained_beams": ("explore_group_beam_search(", "input[type=text]"),
    "20_contrastive_and_streaming": ("explore_contrastive_search(", "input[type=text]"),
    "21_auto_classes": ("explore_tokenizer_choice(", "input[type=text]"),
    "22_speed_laboratory": ("explore_pipeline(", "input[type=text]"),
    "23_seven_tokenizers": ("explore_families(", "textarea"),
    "24_decoder_only": ("explore_decoder(", "input[type=text]"),
}


@pytest.fixture
def open_lesson(browser: Browser, lab: Lab) -> Iterator[Callable[..., Page]]:
    """Opens a lesson for one test: two dozen open pages would all want a share of the machine."""
    with lessons_open(browser, lab) as opens:
        yield opens


def test_each_of_these_lessons_has_an_explorer() -> None:
    assert list(EXPLORERS) == LESSONS


@pytest.mark.parametrize("lesson", LESSONS[1::4])  # the next test opens others
def test_stored_players_step_and_are_readable_in_the_dark(open_lesson: Callable[..., Page], lesson: str) -> None:
    page = open_lesson(f"{lesson}.ipynb")
    change_theme(page, "Dark")
    try:
        kept = [output for output in outputs(page) if "data-tokenlab" in str(output.get("data", {}).get("text/html"))]
        assert kept
        for number, output in enumerate(kept):
            execute(page, "notebook:expand-all-headings")
            part = page.locator(".jp-Notebook .jp-Cell").nth(output["cell"])
            part.scroll_into_view_if_needed()
            shown = Shown.on(page, part)
            steps(shown)
            page.wait_for_timeout(100)  # colours change slowly
            shown.is_readable(at_least=5)
            shoot(page, f"{lesson}-{number}", shown.root)
    finally:
        change_theme(page, "Light")


@pytest.mark.parametrize("lesson", LESSONS[2::4])  # nbval runs them all
def test_the_lesson_runs_and_its_explorer_follows_what_is_typed(open_lesson: Callable[..., Page], lesson: str) -> None:
    page = open_lesson(f"{lesson}.ipynb")
    page.set_default_timeout(60_000)
    run_all(page)
    wait_for_kernel(page)
    assert [output for output in outputs(page) if output["output_type"] == "error"] == []
    call, box = EXPLORERS[lesson]
    explorer = cell(page, call)
    shown = Shown.on(page, explorer)
    steps(shown)
    if box:
        field = explorer.locator(f".jupyter-widgets {box}").first
        known = "The boy has a book." if lesson[:2] in ("13", "14", "15", "17", "18", "19", "20") else "abcab"
        for typed in (EVIL, STRANGE, "", known):  # the tiny T5 answers only to words that it knows
            field.fill(typed)
            wait_for_kernel(page)
        page.wait_for_timeout(300)  # until what the kernel made is drawn
        shoot(page, f"{lesson}-typed")
        expect(explorer.locator(".tokenlab-message")).to_have_text("")
        steps(shown)
        assert page.evaluate("typeof window.hacked") == "undefined"
