"""The lessons as pages: whole without a kernel and a network, small, linked, and with every formula in MathML."""

from __future__ import annotations

import base64
import doctest
import re
from functools import cache
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from nbconvert.filters.markdown_mistune import MathInlineParser

from notebooks import formulas, pages, prose, shell
from notebooks.lessons import stored
from tests.notebooks.made_up import code, lesson, played
from tokenlab.algorithms.bpe.train import train
from tokenlab.show.player import load_asset

LESSONS = [f"{lesson.name}.html" for lesson in stored()]
each_lesson = pytest.mark.parametrize("name", LESSONS)
MATH = re.compile(r"(?s)<math\b.*?</math>")


class Read(HTMLParser):
    """What a page is made of: its elements, and the text of each kind."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attributes)))

    def all(self, attribute: str, *tags: str) -> list[str]:
        return [a[attribute] or "" for tag, a in self.elements if attribute in a and (not tags or tag in tags)]


@cache
def site() -> dict[str, str]:
    """The real site."""
    return pages.site(stored())


@cache
def read(name: str) -> Read:
    """A page of the real site, read."""
    return Read(site()[name])


def page_of(*cells: object, name: str = "90_made_up") -> str:
    """The page of a made-up lesson."""
    return pages.lesson_page(lesson(*cells, name=name), [name, "01_bpe_training"], None, None)


def prose_of(markdown: str) -> str:
    """What is read where each formula is shown as its letters between two signs."""
    html = MATH.sub(lambda math: f"⟨{re.sub('<[^>]+>', '', math[0])}⟩", prose.html_of(markdown))
    return unescape(re.sub("<[^>]+>", "", html)).strip()


# --- every page -----------------------------------------------------------------------------------


def test_there_is_a_page_for_each_lesson_and_for_each_player() -> None:
    assert LESSONS and set(LESSONS) < set(site())
    for other in stored():
        players = sum("data-tokenlab=frames" in data for data in map(str, _html_of(other)))
        made = [name for name in site() if re.fullmatch(rf"{other.name}\.\d+\.html", name)]
        assert len(made) == players


def _html_of(other: pages.Lesson) -> list[str]:
    return [
        output.data["text/html"]
        for cell in other.notebook.cells
        for output in cell.get("outputs", [])
        if "text/html" in output.get("data", {})
    ]


def test_a_page_is_small_and_loads_nothing() -> None:
    for name, html in site().items():
        assert len(html.encode()) < 1_500_000, name
        assert shell.loaded(html) == [], name
        assert not re.search(r"(?i)<script[^>]+src|<link\b|require\.js|mathjax\.|unpkg\.|cdnjs\.|@import", html), name
        assert "default-src 'none'" in html, name


def test_every_link_leads_somewhere() -> None:
    for name in site():
        for link in read(name).all("href", "a"):
            if not re.match(r"https?://", link):
                page, _, anchor = link.partition("#")
                assert page in ("", *site()), f"{name}: {link}"
                assert not anchor or anchor in read(page or name).all("id"), f"{name}: {link}"


def test_no_anchor_is_given_twice() -> None:
    for name in site():
        ids = read(name).all("id")
        assert len(ids) == len(set(ids)), name


def test_a_page_says_its_language_its_title_and_how_wide_it_is() -> None:
    wide = ("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"})
    for name, html in site().items():
        assert html.startswith('<!DOCTYPE html>\n<html lang="en">'), name
        assert re.search(r"<title>\w[^<>]+</title>", html), name
        assert wide in read(name).elements, name


@each_lesson
def test_headings_have_anchors_with_a_name_that_is_read(name: str) -> None:
    headings = re.findall(r"<h([1-3])( id=\"[^\"]+\")?>(.*?)</h\1>", site()[name])
    assert len(headings) >= 5
    for _, anchor, heading in headings:
        assert anchor and 'aria-label="Link to this heading"' in heading


@each_lesson
def test_the_players_script_is_sent_once(name: str) -> None:
    assert site()[name].count(load_asset("player.js")) == 1
    assert site()[name].count(load_asset("player.css")) == 1
    players = re.findall('<script[^>]* data-tokenlab="?frames', site()[name])
    assert players and site()[name].count("tokenlabPlay()</script>") == len(players)
    assert "Trust Notebook" not in site()[name]


@each_lesson
def test_a_page_has_all_prose_code_and_results_of_its_lesson(name: str) -> None:
    shown = prose.plain(site()[name])
    for cell in next(other for other in stored() if f"{other.name}.html" == name).notebook.cells:
        source = " ".join(cell.source.split()) if cell.cell_type == "code" else prose.plain(prose.html_of(cell.source))
        assert source in shown
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if not {"text/html", "image/png", "text/markdown"} & {*data}:
                assert " ".join((output.get("text") or data["text/plain"]).split()) in shown


def test_answers_stay_folded_away() -> None:
    html = page_of("<details><summary>Why?</summary>\n\nBecause of *that*.\n</details>\n\nOn.")
    assert re.search(r"(?s)<summary>Why\?</summary>\s*<p>Because of <em>that</em>.</p>\s*</details>\s*<p>On.</p>", html)


def test_the_index_gives_titles_and_promises_in_order() -> None:
    html = site()["index.html"]
    places = [html.index(f'<a href="{name}">') for name in LESSONS]
    assert places == sorted(places)
    assert html.count("You will be able to") == len(LESSONS)
    assert "forty-five" not in html


def test_a_title_is_text() -> None:
    html = page_of("# Bytes & `<b>`")
    assert "<title>Bytes &amp; &lt;b&gt; · tokenlab</title>" in html


def test_lessons_lead_to_their_neighbours() -> None:
    for before, after in zip(LESSONS, LESSONS[1:], strict=False):
        assert read(before).elements.count(("a", {"rel": "next", "href": after})) == 2
        assert read(after).elements.count(("a", {"rel": "prev", "href": before})) == 2


def test_a_lesson_that_is_named_is_a_link_to_it() -> None:
    html = page_of("After `01_bpe_training`, not `99_unknown` or `90_made_up`.")
    assert '<a href="01_bpe_training.html"><code>01_bpe_training</code></a>' in html
    assert "<code>99_unknown</code>" in html and 'href="99' not in html and 'href="90_made_up.html"><code>' not in html


def test_equal_headings_get_anchors_of_their_own() -> None:
    html = page_of("## Find it · easy\n\n## Find it · easy", "## Find it · easy\n## Find it easy 2")
    assert re.findall(r'<h2 id="(.*?)">', html) == [
        "find-it-easy", "find-it-easy-2", "find-it-easy-3", "find-it-easy-2-2",
    ]  # fmt: skip


def test_a_player_of_another_version_keeps_its_own_script() -> None:
    old = train.record({"ab": 2, "cd": 1}, 5).play().html.replace("const ICONS", "const OLD_ICONS")
    html = page_of(code("old", text_html=old))
    assert (
        html.count(load_asset("player.css")) == 2
        and "OLD_ICONS" in html
        and "playHere()" in html
        and "tokenlabPlay()</script>" not in html
    )


def test_what_a_learner_typed_is_text() -> None:
    evil = "<script>alert(1)</script>"
    html = page_of(f"`{evil}`", code(f"'{evil}'", text_plain=evil), played(train.record({evil: 2}, 30)))
    assert "<script>alert" not in html


# --- what stops the build -------------------------------------------------------------------------


def test_a_page_that_is_too_large_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    picture = code("plot", image_png=base64.b64encode(bytes(1_200_000)).decode())
    made = pages.site([lesson("# A", name="90_small"), lesson("# B", picture, name="91_large")])
    with pytest.raises(SystemExit, match=r"^91_large\.html has 1,6\d\d,\d\d\d bytes, more than 1,500,000"):
        pages.write(made, tmp_path / "site")
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize(
    "markdown",
    [
        "![a picture](https://example.org/a.png)",
        '<img src="//example.org/a.png">',
        "![missing](missing.png)",
        '<link rel="stylesheet" href="http://example.org/a.css">',
        '<p style="background:url(https://example.org/a.png)">a</p>',
        "<style>@import 'https://example.org/a.css'</style>",
        '<iframe src="https://example.org"></iframe>',
    ],
)
def test_a_page_that_would_load_something_is_named(markdown: str, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"^90_made_up\.html loads '.*(example\.org|missing)"):
        pages.write(pages.site([lesson(markdown)]), tmp_path)


def test_a_link_to_click_on_is_fine() -> None:
    assert shell.complaints("a", page_of("[a](https://example.org) and https://example.org/b")) == []


def test_a_formula_that_cannot_be_written_stops_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        pages, "stored", lambda: [lesson("# A", name="90_right"), lesson(r"$\nonsense{x}$", name="91_wrong")]
    )
    with pytest.raises(
        SystemExit, match=r"^91_wrong: the formula \\nonsense\{x\} cannot be .* \\nonsense is not known$"
    ):
        pages.main([str(tmp_path)])
    assert list(tmp_path.iterdir()) == []


def test_the_site_is_written_where_it_is_asked_for(tmp_path: Path) -> None:
    pages.main([str(tmp_path / "a" / "b")])
    assert {path.name for path in (tmp_path / "a" / "b").iterdir()} == set(site())
    assert (tmp_path / "a" / "b" / "index.html").read_text(encoding="utf-8") == site()["index.html"]


# --- formulas -------------------------------------------------------------------------------------


def test_the_examples_in_the_docstrings_are_right() -> None:
    for module in (formulas, prose):
        tried = doctest.testmod(module)
        assert tried.attempted and not tried.failed


@pytest.mark.parametrize(
    ("markdown", "read"),
    [
        ("It costs $5 and $6.", "It costs $5 and $6."),
        ("Give $5 **now**, $6 later", "Give $5 now, $6 later"),
        ("US$ and C$", "US$ and C$"),
        ("$x$ and $y$", "⟨x⟩ and ⟨y⟩"),
        ("($x$, $y$)", "(⟨x⟩, ⟨y⟩)"),
        ("$x$-axis", "⟨x⟩-axis"),
        ("$ x $", "$ x $"),
        ("from $5$6", "from $5$6"),
        (r"\$x\$", "$x$"),
        (r"$\$5$", "⟨$5⟩"),
        ("`$x$` and $y$", "$x$ and ⟨y⟩"),
        ("``a ` $x$`` $y$", "a ` $x$ ⟨y⟩"),
        ("for $5, `a$b`", "for $5, a$b"),
        ("`$$` and `$$`", "$$ and $$"),
        ("<code>$x$</code> $y$", "$x$ ⟨y⟩"),
        ("```python\ncost = '$x$'\n```\n\n$y$", "cost = '$x$'\n\n⟨y⟩"),
        ("~~~\n$x$\n~~~\n$y$", "$x$\n\n⟨y⟩"),
        ("An indented block:\n\n    $x$ $$y$$\n", "An indented block:\n$x$ $$y$$"),
        ("one $x\n\ny$ two", "one $x\ny$ two"),
        ("$$x$$", "⟨x⟩"),
        ("so $$\nx\n$$ it is", "so ⟨x⟩ it is"),
        (r"\\(x\\) and \\[y\\]", "⟨x⟩ and ⟨y⟩"),
        ("<details><summary>Why $a &lt; b$?</summary>Since $c_1*d_1*e$.</details>", "Why ⟨a<b⟩?Since ⟨c1*d1*e⟩."),
        ("| a |\n|---|\n| $p(x|y)$ |", "a\n\n\n\n\n  ⟨p(x|y)⟩"),
        ("$a_1$ *b* $c_1$", "⟨a1⟩ b ⟨c1⟩"),
        ('<i title="$x$">i</i> $y$', "i ⟨y⟩"),
        ("# The $n$-th", "The ⟨n⟩-th #"),
    ],
)  # fmt: skip
def test_what_a_dollar_means(markdown: str, read: str) -> None:
    assert prose_of(markdown) == read


@pytest.mark.parametrize(
    ("latex", "element"),
    [
        (r"\frac{a}{b}", "mfrac"),
        (r"\sum_{i=1}^{n} \log p_i", "msub"),
        (r"\sqrt{d}", "msqrt"),
        (r"\begin{aligned} a &= b \\ c &= d \end{aligned}", "mtable"),
        (r"\begin{cases} a & b \\ c & d \end{cases}", "mtable"),
        (r"\arg\max_x", "msub"),
        (r"\text{score}", "mtext"),
        (r"\operatorname{softmax}(QK^\top / \sqrt{d})V", "msup"),
    ],
)
def test_a_formula_becomes_mathml(latex: str, element: str) -> None:
    for markdown, display in ((f"${latex}$", "inline"), (f"$${latex}$$", "block")):
        html = page_of(markdown)
        math = ElementTree.fromstring(MATH.findall(html)[0])
        assert math.get("display") == display
        assert math.find(f".//{element}") is not None
        assert "$" not in html.split("<main>")[1] and "\\" not in "".join(math.itertext())


@pytest.mark.parametrize(
    ("latex", "read"),
    [(r"\log p(x)", "log p(x)"), (r"\log_2 p", "log2 p"), (r"\log(x)", "log(x)"), (r"-\log x_\log", "−log xlog")],
)
def test_the_name_of_a_function_stands_apart(latex: str, read: str) -> None:
    written = re.sub("<mspace[^>]*></mspace>", " ", formulas.mathml(latex))
    assert unescape(re.sub("<[^>]+>", "", written)) == read


@pytest.mark.parametrize(
    ("latex", "fault"),
    [
        (r"\foo", "foo is not known"),
        (r"\frac{a", "braces"),
        ("a}{b", "braces"),
        ("x^", "MissingSuperScript"),
        (r"\begin{unknown} a \end{unknown}", "environment unknown"),
        ("a & b", "ParseError"),
        (r"\left( x", "ExtraLeft"),
        ("{", "braces|NoAvailableTokens"),
    ],
)
def test_what_latex2mathml_would_pass_over_is_refused(latex: str, fault: str) -> None:
    with pytest.raises(formulas.Unwritable, match=fault):
        prose.html_of(f"so $${latex}$$")


def test_a_result_in_latex_is_a_formula() -> None:
    html = page_of(code("x", text_latex=r"$\displaystyle \frac{a}{b}$", text_plain="a/b"))
    assert "<mfrac>" in html and "$" not in html.split("<main>")[1]


def test_jupyterlab_sees_the_same_formulas_in_the_lessons() -> None:
    """Ours is stricter than its rule: a lesson must not have what only one of them takes for a formula."""
    theirs = re.compile(MathInlineParser.INLINE_MATH_TEX)
    for other in stored():
        for cell in other.notebook.cells:
            if cell.cell_type == "markdown":
                text, _ = formulas.extract_formulas(cell.source)
                text = re.sub(f"(?sx){formulas.CODE}", "", text, flags=re.MULTILINE)
                assert not theirs.search(text), f"{other.name}: write \\$ for a dollar in {theirs.search(text)}"
