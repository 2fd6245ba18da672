"""The lessons as pages: whole without a kernel and a network, small, linked, and with every formula in MathML."""

from __future__ import annotations

import base64
import doctest
import re
import tempfile
from collections.abc import Sequence
from functools import cache
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from nbconvert.filters.markdown_mistune import MathInlineParser

from publish import for_readers, formulas, page_checks, pages, prose, shell
from publish.lessons import Lesson, players_of, stored
from tests.publish.made_up import code, lesson, played
from tokenlab.algorithms.bpe.train import train
from tokenlab.show.gallery import PICTURES
from tokenlab.show.player import load_asset

LESSONS = [f"{lesson.name}.html" for lesson in stored()]
each_lesson = pytest.mark.parametrize("name", LESSONS)
TEXTS = (".html", ".js", ".css")
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


def made(lessons: Sequence[Lesson], docs: Path | None = None) -> tuple[dict[str, str], list[str]]:
    """The text files of a site, and its problems."""
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder, "site")
        problems = pages.build([*lessons], site, docs or Path(folder))
        texts = {path.relative_to(site).as_posix(): path for path in site.rglob("*.*") if path.suffix in TEXTS}
        return {name: path.read_text(encoding="utf-8") for name, path in texts.items()}, problems


@cache
def everything() -> dict[str, str]:
    """The text files of the real site."""
    files, problems = made(stored(), pages.DOCS)
    assert problems == []
    return files


@cache
def site() -> dict[str, str]:
    """The pages of the real site."""
    return {name: text for name, text in everything().items() if name.endswith(".html")}


@cache
def read(name: str) -> Read:
    """A page of the real site, read."""
    return Read(site()[name])


def article(html: str) -> str:
    """A page's own text, without what all pages have."""
    return html.partition('<article role="main"')[2].partition("</article>")[0]


def page_of(*cells: object, name: str = "90_made_up") -> str:
    """The text of a made-up lesson's page, on a site with another lesson."""
    files, problems = made([lesson("# First", name="01_bpe_training"), lesson(*cells, name=name)])
    assert problems == []
    return article(files[f"{name}.html"])


def shown(html: str) -> str:
    """What is read on a page, without the links of headings."""
    return prose.plain(re.sub(r'<a class="headerlink".*?</a>', "", html))


def prose_of(markdown: str) -> str:
    """What is read where each formula is shown as its letters between two signs."""
    html = MATH.sub(lambda math: f"⟨{re.sub('<[^>]+>', '', math[0])}⟩", prose.html_of(markdown))
    return unescape(re.sub("<[^>]+>", "", html)).strip()


# --- every page -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_there_is_a_page_for_each_lesson_and_for_each_player() -> None:
    assert LESSONS and set(LESSONS) < set(site())
    for other in stored():
        players = len([*players_of(other.notebook)])
        made = [name for name in site() if re.fullmatch(rf"{other.name}\.\d+\.html", name)]
        assert len(made) == players


@pytest.mark.slow
def test_a_page_is_small_and_loads_only_files_of_the_site() -> None:
    for name, html in site().items():
        assert len(html.encode()) < 1_500_000, name
        assert {load.partition("?")[0] for load in shell.loaded(html)} <= {*everything(), *images()}, name
        assert not re.search(r"(?i)<(script|link|img)[^>]+(src|href)=\"?(https?:)?//|mathjax|require\.js", html), name
        assert "default-src 'none'" in html, name
        assert "script-src 'self'" in html, name


def images() -> set[str]:
    return {f"_images/{name}" for html in site().values() for name in re.findall(r'src="_images/(\w+\.png)"', html)}


@pytest.mark.slow
def test_no_script_of_the_site_names_another_host() -> None:
    for name, text in everything().items():
        if name.endswith((".js", ".css")):
            hosts = {*re.findall(r"https?://([\w.]+)", re.sub(r"(?s)/\*.*?\*/|^\s*//.*", "", text))}
            assert hosts <= {"www.w3.org"}, name  # the name of SVG


@pytest.mark.slow
def test_the_whole_site_is_small(tmp_path: Path) -> None:
    pages.write(stored(), tmp_path)
    assert sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()) < 15_000_000


@pytest.mark.slow
def test_every_link_leads_somewhere() -> None:
    for name in site():
        for link in read(name).all("href", "a"):
            if not re.match(r"https?://", link):
                page, _, anchor = link.partition("#")
                assert page in ("", *site()), f"{name}: {link}"
                assert not anchor or anchor in read(page or name).all("id"), f"{name}: {link}"


@pytest.mark.slow
def test_no_anchor_is_given_twice() -> None:
    for name in site():
        ids = read(name).all("id")
        assert len(ids) == len(set(ids)), name


@pytest.mark.slow
def test_a_page_says_its_language_its_title_and_how_wide_it_is() -> None:
    for name, html in site().items():
        assert html.lower().startswith("<!doctype html>"), name
        assert re.search(r"<title>\w[^<>]+</title>", html), name
        assert {"en"} == {*read(name).all("lang", "html")}, name
        viewport = dict(("meta", a.get("name")) and (a.get("name"), a.get("content")) for _, a in read(name).elements)
        assert viewport["viewport"] in ("width=device-width,initial-scale=1", "width=device-width, initial-scale=1")


@pytest.mark.slow
@each_lesson
def test_headings_have_anchors_with_a_name_that_is_read(name: str) -> None:
    headings = re.findall(r"(?s)<h([1-3])>(.*?)</h\1>", article(site()[name]))
    assert len(headings) >= 5
    for _, heading in headings:
        assert re.search(r'<a class="headerlink" href="#[^"]+" title="Link to this heading">', heading)


@pytest.mark.slow
@each_lesson
def test_the_players_script_is_sent_once(name: str) -> None:
    html = site()[name]
    assert html.count('src="_static/player.js"') == html.count('href="_static/player.css"') == 1
    assert load_asset("player.js") not in html and load_asset("player.css") not in html
    players = re.findall('<script[^>]* data-tokenlab="?frames', html)
    assert players and html.count("tokenlabPlay()</script>") == len(players)
    assert "Trust Notebook" not in html


@pytest.mark.slow
def test_the_file_with_the_players_script_has_all_of_it() -> None:
    assert load_asset("player.js") in everything()["_static/player.js"]
    assert load_asset("player.css") == everything()["_static/player.css"]


@pytest.mark.slow
@each_lesson
def test_a_page_has_all_prose_code_and_results_of_its_lesson(name: str) -> None:
    page = shown(article(site()[name]))
    for cell in next(other for other in stored() if f"{other.name}.html" == name).notebook.cells:
        if cell.cell_type == "markdown":
            text = prose.plain(prose.html_of(for_readers.for_readers(cell.source))).removeprefix("# ")
            for part in re.split(r" # | #$", text):
                assert part in page
        else:
            assert " ".join(cell.source.split()) in page
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if not {"text/html", "image/png", "text/markdown"} & {*data}:
                assert " ".join((output.get("text") or data["text/plain"]).split()) in page


def test_answers_stay_folded_away() -> None:
    html = page_of("# A\n\n<details><summary>Why?</summary>\n\nBecause of *that*.\n</details>\n\nOn.")
    assert re.search(r"(?s)<summary>Why\?</summary>\s*<p>Because of <em>that</em>.\s*(</p>\s*)?</details>", html)


@pytest.mark.slow
def test_the_first_page_gives_pictures_and_titles_and_promises_in_order() -> None:
    html = article(site()["index.html"])
    places = [html.index(f"<a href={name}>") for name in LESSONS]
    assert places == sorted(places)
    assert html.count("You will be able to") == len(LESSONS)
    assert html.count("tokenlabPlay()</script>") == len(PICTURES) and html.rindex("tokenlabPlay") < places[0]
    assert all(f'<h2><a href="{made.lesson}.html">' in html for made in PICTURES.values())
    assert all(f"<b>{who}</b>" in html for who in ("Students", "Teachers", "Engineers"))


def test_a_picture_without_its_lesson_has_no_link() -> None:
    files, problems = made([lesson("# A")])
    assert problems == [] and "<h2>BPE merges pairs</h2>" in files["index.html"]


@pytest.mark.slow
def test_the_first_page_is_light() -> None:
    files = everything()
    page = files["index.html"]
    loads = {name.partition("?")[0] for name in Read(page).all("src") + Read(page).all("href", "link")}
    assert sum(len(files[name].encode()) for name in loads & {*files}) + len(page.encode()) < 500_000
    assert {"_static/player.js", "_static/site.css"} <= loads


def test_a_title_is_text() -> None:
    files, problems = made([lesson("# Bytes & `<b>`")])
    assert problems == []
    assert "<title>Bytes &amp; &lt;b&gt; - tokenlab</title>" in files["90_made_up.html"]


@pytest.mark.slow
def test_lessons_lead_to_their_neighbours() -> None:
    for before, after in zip(LESSONS, LESSONS[1:], strict=False):
        assert read(before).elements.count(("a", {"class": "next-page", "href": after})) == 1
        assert read(after).elements.count(("a", {"class": "prev-page", "href": before})) == 1


def test_a_lesson_that_is_named_is_a_link_to_it() -> None:
    html = page_of("# A\n\nAfter `01_bpe_training`, not `99_unknown` or `90_made_up`.")
    assert re.search(r'href="01_bpe_training.html"><code[^>]*>.*?01_bpe_training', html)
    assert 'href="99' not in html and 'href="90_made_up.html"' not in html


def test_texts_of_the_docs_are_pages_and_lessons_link_their_terms(tmp_path: Path) -> None:
    (tmp_path / "glossary.md").write_text("# Glossary\n\n## Surprisal\n\nIt is $-\\ln p$.\n", encoding="utf-8")
    link = '<details><summary>Why?</summary><a href="../docs/glossary.md#surprisal">Because</a></details>'
    files, problems = made([lesson(f"# A\n\nIts [surprisal](../docs/glossary.md#surprisal).\n\n{link}")], tmp_path)
    assert problems == []
    assert 'id="surprisal"' in files["glossary.html"] and MATH.search(files["glossary.html"])
    assert files["90_made_up.html"].count('href="glossary.html#surprisal"') == 2
    assert "surpris" in files["searchindex.js"]


def test_a_heading_of_a_lesson_is_a_link_target_with_the_anchor_of_jupyterlab(tmp_path: Path) -> None:
    files, problems = made([lesson("# A\n\n[b](90_made_up.ipynb#Part-Two)\n\n## Part Two")], tmp_path)
    assert problems == [] and re.search(r'href="(90_made_up.html)?#part-two"', files["90_made_up.html"])
    html = prose.html_of("[b](90_made_up.ipynb#Part-Two)", prose.Renderer(["90_made_up"]))
    assert 'href="90_made_up.html#part-two"' in html


@pytest.mark.parametrize(
    "link",
    [
        "[a](../docs/glossary.md#missing)",
        "[a](../docs/missing.md)",
        '<a href="../docs/missing.md#a">a</a>',
        "[a](#missing)",
        '<a href="#missing">a</a>',
    ],
)
def test_a_broken_link_is_named(link: str, tmp_path: Path) -> None:
    (tmp_path / "glossary.md").write_text("# Glossary\n", encoding="utf-8")
    problems = made([lesson(f"# A\n\n{link}")], tmp_path)[1]
    assert any("90_made_up" in problem and "missing" in problem for problem in problems)


def test_equal_headings_get_anchors_of_their_own() -> None:
    html = page_of("# A\n\n## Find it · easy\n\n## Find it · easy", "## Find it · easy\n## Find it easy 2")
    assert re.findall(r'<section id="(.*?)">', html) == [
        "a", "find-it-easy", "find-it-easy-3", "find-it-easy-4", "find-it-easy-2",
    ]  # fmt: skip


def test_a_player_of_another_version_keeps_its_own_script() -> None:
    old = train.record({"ab": 2, "cd": 1}, 5).play().html.replace("const ICONS", "const OLD_ICONS")
    html = page_of("# A", code("old", text_html=old))
    assert load_asset("player.css") in html and "OLD_ICONS" in html
    assert "playHere()" in html and "tokenlabPlay()</script>" not in html


def test_what_a_learner_typed_is_text() -> None:
    evil = "<script>alert(1)</script>"
    html = page_of(f"# A\n\n`{evil}`", code(f"'{evil}'", text_plain=evil), played(train.record({evil: 2}, 30)))
    assert "<script>alert" not in html


def test_markdown_means_on_a_page_what_it_means_in_jupyterlab() -> None:
    html = page_of('# A\n\n% of all\n\n+++\n\n{a}`b` (c)=\n\n"it\'s" -- so...', "(d)=\n\n:::{note}\ne\n:::")
    text = shown(html)
    for part in ("% of all", "+++", "{a} b (c)=", '"it\'s" -- so...', "(d)=", ":::{note}"):
        assert part in text.replace("{a}b", "{a} b")


# --- what readers are told ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("Run each cell as you reach it (Shift and Enter). Here, click.", "Here, click."),
        ("Run each cell as you\nreach it. A list.", "A list."),
        ("Run the next cell: click on it and press Shift and Enter. (Do that always.) Then change it.",
         "Then, in JupyterLab, change it."),
        ("It decides. Run the cell and step through it.", "It decides. Step through it."),
        ("Run the cell, click on the player, and step.", "Click on the player, and step."),
        ("Run the next cell, click and\nstep.", "Click and\nstep."),
        ("Finally, type `ab`.", "Finally, in JupyterLab, type `ab`."),
        ("Run the cell: it trains.", "In JupyterLab, run the cell: it trains."),
        ("Go on. Write in place of the dots and run the cell: it checks.",
         "Go on. In JupyterLab, write in place of the dots and run the cell: it checks."),
        ("After a wrong answer, run the cell again to see the rule.",
         "In JupyterLab, after a wrong answer, run the cell again to see the rule."),
        ("Predict it before you run the cell.", "Predict it before you look at the output."),
        ("Type a word. Then type another.", "In JupyterLab, type a word. Then, in JupyterLab, type another."),
        ("Type ids and a run of bytes.", "In JupyterLab, type ids and a run of bytes."),
        ("A run of hours. Merges do not run. The type id.", "A run of hours. Merges do not run. The type id."),
        ("`Run the cell: a`\n\n```\nRun the cell: b\n```", "`Run the cell: a`\n\n```\nRun the cell: b\n```"),
    ],
)  # fmt: skip
def test_a_page_does_not_ask_its_reader_to_run_a_cell(said: str, read: str) -> None:
    assert for_readers.for_readers(said) == read


@pytest.mark.slow
@each_lesson
def test_no_page_asks_its_reader_to_run_a_cell(name: str) -> None:
    text = shown(article(site()[name]))
    told = re.findall(r"(?:^|[.:?!] )(?:Run (?:the|each|this) (?:next )?cell|Press Shift|Then type|Type )[^.]*", text)
    assert told == []
    assert "Not written yet" not in text and "then run the cell again." not in text
    assert text.count("This page shows the lesson as it was run.") == 1


@pytest.mark.parametrize("use", ["type your own text", "change these settings"])
def test_outputs_do_not_ask_their_reader_to_run_a_cell(use: str) -> None:
    hint = f"<p>Run this cell to {use}.</p>"
    html = page_of("# A", code("explore()", text_html=hint))
    assert f"<p>Open the lesson with <code>make lab</code> to {use}.</p>" in html


# --- what stops the build -------------------------------------------------------------------------


def test_a_page_that_is_too_large_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    picture = code("plot", image_png=base64.b64encode(bytes(1_600_000)).decode())
    both = [lesson("# A", name="90_small"), lesson("# B", picture, name="91_large")]
    with pytest.raises(SystemExit, match=r"^91_large\.html has 1,6\d\d,\d\d\d bytes, more than 1,500,000"):
        pages.write(both, tmp_path / "site", tmp_path)
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
    with pytest.raises(SystemExit, match=r"(?m)^90_made_up\.html loads '.*(example\.org|missing)"):
        pages.write([lesson(f"# A\n\n{markdown}")], tmp_path / "site", tmp_path)
    assert not (tmp_path / "site").exists()


def test_a_style_sheet_that_would_load_something_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text("/* url(b) */ p { background: url('https://example.org/a.png') }", encoding="utf-8")
    assert [*page_checks.site_complaints(tmp_path)] == [
        "a.css loads 'https://example.org/a.png', but a page has to work without a network"
    ]


def test_a_link_to_click_on_is_fine() -> None:
    assert "example.org/b" in page_of("# A\n\n[a](https://example.org) and https://example.org/b")


def test_a_formula_that_cannot_be_written_stops_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        pages, "stored", lambda: [lesson("# A", name="90_right"), lesson(r"$\nonsense{x}$", name="91_wrong")]
    )
    with pytest.raises(
        SystemExit, match=r"^91_wrong: the formula \\nonsense\{x\} cannot be .* \\nonsense is not known$"
    ):
        pages.main([str(tmp_path)])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.slow
def test_the_site_is_written_where_it_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kit").mkdir()
    (tmp_path / "kit/__init__.py").write_text(
        '"""A small package, since the reference of ours takes long."""\n', encoding="utf-8"
    )
    monkeypatch.setattr(pages, "PACKAGE", tmp_path / "kit")
    monkeypatch.setattr(pages, "pyodide_folder", lambda: None)  # without live pages, as `site` makes it
    pages.main([str(tmp_path / "a" / "b")])
    names = {path.name for path in (tmp_path / "a" / "b").glob("*.html")}
    assert "kit.html" in names and {name for name in names if not name.startswith("kit.")} == set(site())
    index = (tmp_path / "a" / "b" / "index.html").read_text(encoding="utf-8")
    assert article(index) == article(site()["index.html"])
    assert re.search(r"\d MB in \d+ seconds; open .*index\.html", capsys.readouterr().out)


# --- formulas -------------------------------------------------------------------------------------


def test_the_examples_in_the_docstrings_are_right() -> None:
    for module in (formulas, prose, for_readers):
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
        html = prose.html_of(markdown)
        math = ElementTree.fromstring(MATH.findall(html)[0])
        assert math.get("display") == display
        assert math.find(f".//{element}") is not None
        assert "$" not in html and "\\" not in "".join(math.itertext())


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
    html = page_of("# A", code("x", text_latex=r"$\displaystyle \frac{a}{b}$", text_plain="a/b"))
    assert "<mfrac>" in html and "$" not in html


def test_formulas_are_mathml_wherever_they_are_on_a_page() -> None:
    folded = "<details><summary>Why $a &lt; b$?</summary>Since $c_1*d_1*e$.</details>"
    table = "| a |\n|---|\n| $p(x|y)$ |"
    code = "`$y$`\n\n```\n$z$\n```\n\n    $w$"
    html = page_of(
        f"# A $n$-th\n\n$a_1$ *b* $c_1$ costs $5 and $6.\n\n$$\\frac{{a}}{{b}}$$\n\n{folded}\n\n{table}\n\n{code}"
    )
    html = MATH.sub(lambda math: f"⟨{re.sub('<[^>]+>', '', math[0])}⟩", html)
    text = " ".join(shown(html).split())
    assert "A ⟨n⟩-th" in text and "⟨a1⟩ b ⟨c1⟩ costs $5 and $6. ⟨ab⟩" in text
    assert "Why ⟨a<b⟩?Since ⟨c1*d1*e⟩." in text and "a ⟨p(x|y)⟩ $y$ $z$ $w$" in text


def test_jupyterlab_sees_the_same_formulas_in_the_lessons() -> None:
    """Ours is stricter than its rule: a lesson must not have what only one of them takes for a formula."""
    theirs = re.compile(MathInlineParser.INLINE_MATH_TEX)
    for other in stored():
        for cell in other.notebook.cells:
            if cell.cell_type == "markdown":
                text, _ = formulas.extract_formulas(cell.source)
                text = re.sub(f"(?sx){formulas.CODE}", "", text, flags=re.MULTILINE)
                assert not theirs.search(text), f"{other.name}: write \\$ for a dollar in {theirs.search(text)}"
