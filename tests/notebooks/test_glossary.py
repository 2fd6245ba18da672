"""The glossary: sorted and unique entries, each from a lesson that has the term, and links that lead to entries."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from publish import prose
from publish.glossary import PATH, Entry, entries, glossary_html

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "notebooks" / "source").glob("*.py"))
ENTRIES = entries()
LINK = re.compile(r"\]\(([^)\s]*glossary[^)\s]*)\)")


def comment_text(source: str) -> str:
    """What a lesson says, in one line: code and Markdown without comment signs, lower case."""
    return " ".join(re.sub(r"(?m)^# ?", "", source).replace("*", "").lower().split())


def has_term(said: str, entry: Entry) -> bool:
    """Whether a lesson links to an entry, or has its term, perhaps with hyphens for spaces."""
    return f"glossary.md#{entry.anchor})" in said or entry.term.replace("-", " ") in said.replace("-", " ")


def test_entries_are_sorted_and_unique() -> None:
    terms = [entry.term for entry in ENTRIES]
    assert len(terms) >= 120
    assert terms == sorted(set(terms), key=lambda term: term.replace("-", " "))


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.anchor)
def test_an_entry_has_one_anchor_everywhere_a_meaning_and_a_lesson(entry: Entry) -> None:
    assert re.fullmatch(r"[a-z0-9]+([ -][a-z0-9]+)*", entry.term)
    meaning, _, last = entry.text.rpartition("\n\n")
    assert 4 <= len(meaning.split()) <= 60 and meaning.endswith(".")
    assert re.fullmatch(r"(?s)Lesson: `\w+`\.( Library: .+\.)?( Paper: .+\.)?", " ".join(last.split()))
    made = [entry.lesson]
    assert set(made) <= {source.stem for source in SOURCES}


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_the_terms_of_a_lesson_are_in_it(source: Path) -> None:
    said = comment_text(source.read_text(encoding="utf-8"))
    assert [entry.term for entry in ENTRIES if entry.lesson == source.stem and not has_term(said, entry)] == []


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_every_link_to_the_glossary_has_an_entry(source: Path) -> None:
    assert wrong_links(source.read_text(encoding="utf-8")) == []


def wrong_links(text: str) -> list[str]:
    right = {f"../docs/glossary.md#{entry.anchor}" for entry in ENTRIES} | {"../docs/glossary.md"}
    return [link for link in LINK.findall(text) if link not in right]


def test_a_wrong_link_is_found() -> None:
    text = "[a](../docs/glossary.md#token) [b](../docs/glossary.md#no-such) [c](glossary.md#token) [d](glossary.html)"
    assert wrong_links(text) == ["../docs/glossary.md#no-such", "glossary.md#token", "glossary.html"]


def test_a_term_is_found_by_its_words_or_its_link() -> None:
    entry = Entry("byte-level", "")
    assert all(has_term(comment_text(f"# is **Byte\n# level**{rest}"), entry) for rest in ("", "s"))
    assert has_term("[bytes](../docs/glossary.md#byte-level)", entry)
    assert not has_term("bytes", entry)


def test_the_page_has_every_entry_and_links_to_the_lessons() -> None:
    html = glossary_html(["17_greedy_and_sampling"])
    for entry in ENTRIES:
        assert f'<h2 id="{entry.anchor}">{entry.term} ' in html
    assert '<a href="17_greedy_and_sampling.html"><code>17_greedy_and_sampling</code></a>' in html
    assert "<math" in html and "$" not in html.replace("\\$", "")


def test_a_link_leads_to_the_page() -> None:
    markdown = "The [**surprisal**](../docs/glossary.md#surprisal)"
    wanted = '<a href="glossary.html#surprisal"><strong>surprisal</strong></a>'
    assert wanted in prose.html_of(markdown, prose.Renderer(["01_bpe_training"]))
    assert "<a" not in prose.html_of(markdown)  # no page beside it, as in a question for Moodle


def test_the_glossary_is_a_text_with_no_markup() -> None:
    text = re.sub(r"`[^`]*`|\$[^$]*\$", "", PATH.read_text(encoding="utf-8"))
    assert not re.search(r"<\w|\]\(", text)
