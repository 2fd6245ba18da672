"""A Sphinx extension for the lessons: formulas as MathML, stable anchors, links between lessons, a strict policy.

`publish.pages` replaces each formula of a page's source by a placeholder (see `publish.formulas`), so that neither
Markdown nor HTML in it is misread; this extension writes the formulas into the parsed page.
"""

from __future__ import annotations

import re
from itertools import chain, count
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from publish.formulas import PLACE, Formula, mathml
from publish.live.cells import PROGRAM
from publish.shell import PLAYER_FILES

# A browser loads nothing from elsewhere, even if a page requests it. `file:` is for Firefox, where 'self' does not
# include the files beside a page that was opened from a folder.
POLICY = (
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src 'self' file: data:; "
    "style-src 'self' file: 'unsafe-inline'; script-src 'self' file: 'unsafe-inline'; connect-src 'self'; "
    "worker-src 'self'\">\n"
)
# The page `why` may fetch a tokenizer from the Hugging Face hub, which sends large files from other hosts.
HUB = "https://huggingface.co https://*.huggingface.co https://*.hf.co"
LIVE = {"why": "why", "index": "gallery"}  # of pages that Python makes live; those of lessons have explorers
DOCS = re.compile(r"(?<=href=\")(?:\.\./)?(?:docs/)?([\w-]+)\.md(?=[\"#])")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register what the lessons need."""
    app.add_config_value("lesson_formulas", [], "", [list])
    app.add_config_value("worker", "", "", [str])
    app.add_html_math_renderer("mathml", (visit_math, leave), (visit_math, leave))
    # Before Sphinx collects titles, anchors and words, which it does with priority 500.
    app.connect("doctree-read", adapt, priority=100)
    app.connect("html-page-context", add_to_head)
    return {"parallel_read_safe": True}


def visit_math(translator: Any, node: nodes.math | nodes.math_block) -> None:
    """Write a formula as MathML."""
    translator.body.append(mathml(node.astext(), node.get("displayed", isinstance(node, nodes.math_block))))
    raise nodes.SkipNode


def leave(translator: Any, node: nodes.Element) -> None:
    """Do nothing: `visit_math` has written the whole node."""


def add_to_head(app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Add the policy, the player's script and style, which every page loads from one file, and what makes it live."""
    policy = POLICY.replace("connect-src 'self'", f"connect-src 'self' {HUB}") if name == "why" else POLICY
    context["metatags"] = policy + context.get("metatags", "") + PLAYER_FILES
    if app.config.worker and name == "why":
        context["metatags"] += '<link rel="stylesheet" href="_static/why.css">\n'
    script = LIVE.get(name, "live" if PROGRAM in context.get("body", "") else "")
    if app.config.worker and script:
        context["metatags"] += f'<script defer src="_static/{script}.js" data-worker="{app.config.worker}"></script>\n'


def adapt(app: Sphinx, document: nodes.document) -> None:
    """Insert formulas, set anchors, link the names of lessons, and describe pictures."""
    formulas: list[Formula] = app.config.lesson_formulas
    for text in [*document.findall(nodes.Text)]:
        if PLACE.search(text) and not isinstance(text.parent, nodes.raw):
            _insert(text, formulas)
    for raw in document.findall(nodes.raw):
        _replace(raw, _with_links(_with_formulas(str(raw[0]) if raw.children else "", formulas)))
    here = app.env.docname
    for code in [*document.findall(nodes.literal)]:
        if (name := code.astext()) != here and name in app.env.found_docs and re.match(r"\d\d_|capstone_", name):
            link = nodes.reference("", "", internal=True, refuri=f"{name}.html")
            code.replace_self(link)
            link += code
    for picture in document.findall(nodes.image):
        picture.setdefault("alt", "A plot of the numbers that the text describes")
    if not document.get("module"):  # the sections of a module have the names of its definitions
        _set_anchors(document)


def _insert(text: nodes.Text, formulas: list[Formula]) -> None:
    """Replace the placeholders in a text by formulas, or in a block of code by what was written there."""
    block = text.parent
    if isinstance(block, nodes.literal_block):
        block.rawsource = PLACE.sub(lambda place: formulas[int(place[1])].source, text)
        block[:] = [nodes.Text(block.rawsource)]
        return
    parts = PLACE.split(text)
    made: list[nodes.Node] = [nodes.Text(parts[0])]
    for number, behind in zip(parts[1::2], parts[2::2], strict=True):
        formula = formulas[int(number)]
        made += [nodes.math(formula.latex, formula.latex, displayed=formula.displayed), nodes.Text(behind)]
    block.replace(text, [node for node in made if node.astext()])


def _with_formulas(html: str, formulas: list[Formula]) -> str:
    return PLACE.sub(lambda place: mathml(formulas[int(place[1])].latex, formulas[int(place[1])].displayed), html)


def _with_links(html: str) -> str:
    """Make links to Markdown files in HTML lead to their pages."""
    return DOCS.sub(r"\1.html", html)


def _replace(raw: nodes.raw, html: str) -> None:
    raw.rawsource = html
    raw[:] = [nodes.Text(html)]


def _set_anchors(document: nodes.document) -> None:
    """Name every section after its heading; an anchor that is taken gets the next number."""
    taken: set[str] = set()
    for section in document.findall(nodes.section):
        heading = "".join(str(part) for part in section[0].findall(nodes.Text) if part.parent.tagname != "math")
        words = re.sub(r"\W+", "-", heading.lower()).strip("-") or "part"
        anchor = next(
            name
            for name in chain([words], (f"{words}-{n}" for n in count(2)))
            if name not in taken and document.ids.get(name, section) is section
        )
        taken.add(anchor)
        section["ids"] = [anchor, *(other for other in section["ids"] if other != anchor)]
