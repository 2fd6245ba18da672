"""Convert a lesson's Markdown to HTML with formulas, heading anchors, and links between lessons."""

from __future__ import annotations

import re
from collections.abc import Collection
from html import unescape
from itertools import chain, count
from typing import Any

from jinja2 import pass_context
from mistune import BlockParser, InlineParser, import_plugin
from nbconvert import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from publish import formulas


class Renderer(IPythonRenderer):
    """nbconvert's renderer with anchors that are unique on a page, and with links to lessons."""

    def __init__(self, lessons: Collection[str] = (), anchors: set[str] | None = None, **options: Any) -> None:
        """Take the lessons that have a page, and the anchors already used on this page."""
        super().__init__(escape=False, **options)
        self.lessons = lessons
        self.anchors = set() if anchors is None else anchors

    def heading(self, text: str, level: int, **_: Any) -> str:
        """Render a heading with an anchor."""
        anchor = self._anchor(text)
        link = f'<a class="anchor" href="#{anchor}" aria-label="Link to this heading">#</a>'
        return f'<h{level} id="{anchor}">{text} {link}</h{level}>\n'

    def _anchor(self, text: str) -> str:
        words = re.sub(r"\W+", "-", plain(formulas.PLACE.sub("", text)).lower()).strip("-") or "part"
        anchor = next(name for name in chain([words], (f"{words}-{n}" for n in count(2))) if name not in self.anchors)
        self.anchors.add(anchor)
        return anchor

    def codespan(self, text: str) -> str:
        """Render inline code; the name of another lesson becomes a link."""
        code = str(super().codespan(text))
        return f'<a href="{text}.html">{code}</a>' if text in self.lessons else code

    def link(self, text: str, url: str, title: str | None = None) -> str:
        """Render a link; one to the glossary or to a lesson leads to its page, if there are pages beside this one."""
        if found := re.fullmatch(r"\.\./docs/glossary\.md(#.*)?", url):
            return str(super().link(text, f"glossary.html{found[1] or ''}", title)) if self.lessons else text
        if found := re.fullmatch(r"(\w+)\.ipynb(#.+)", url):  # a heading, with JupyterLab's anchor
            page = f"{found[1]}.html{found[2].lower()}"
            return str(super().link(text, page, title)) if found[1] in self.lessons else text
        return str(super().link(text, url, title))

    def _html_embed_images(self, html: str) -> str:
        # subtle: nbconvert's own method closes every element of a block, which moves an answer out of its <details>.
        def embedded(img: re.Match[str]) -> str:
            return img[1] + (self._src_to_base64(img[2]) or img[2])

        return re.sub(r'(<img\b[^>]*?\bsrc=")([^"]*)', embedded, html)


def html_of(markdown: str, renderer: Renderer | None = None) -> str:
    """Convert Markdown to HTML, with formulas as MathML.

    Raises:
        formulas.Unwritable: a formula cannot be converted to MathML.

    >>> html_of("a *b* $c$").count("<mi>c</mi>")
    1
    """
    text, taken = formulas.extract_formulas(markdown)
    # Not nbconvert's parsers, which look for dollar signs again.
    parser = MarkdownWithMath(
        renderer or Renderer(),
        BlockParser(),
        InlineParser(hard_wrap=False),
        [import_plugin(name) for name in MarkdownWithMath.DEFAULT_PLUGINS],
    )
    return formulas.insert_formulas(parser.render(text), taken)


def line_of(markdown: str) -> str:
    """Convert one paragraph of Markdown to HTML, without the `<p>` element."""
    return html_of(markdown).strip().removeprefix("<p>").removesuffix("</p>")


def plain(html: str) -> str:
    """Return the text content of HTML."""
    return " ".join(unescape(re.sub("<[^>]+>", "", html)).split())


def text_of(markdown: str) -> str:
    """Return one paragraph of Markdown as plain text."""
    return plain(line_of(markdown))


class LessonExporter(HTMLExporter):
    """nbconvert's exporter with our prose: cells and outputs only, without a page around them."""

    def __init__(self, lessons: Collection[str], **options: Any) -> None:
        """Take the lessons that can be link targets."""
        super().__init__(
            template_file="base.html.j2",
            exclude_input_prompt=True,
            exclude_output_prompt=True,
            embed_images=True,
            **options,
        )
        self.lessons = lessons
        self.anchors: set[str] = set()

    @pass_context
    def markdown2html(self, context: Any, source: str) -> str:
        """Convert a Markdown cell; the templates call this filter."""
        renderer = Renderer(
            self.lessons,
            self.anchors,
            attachments=context.get("cell", {}).get("attachments", {}),
            embed_images=True,
            path=context.get("resources", {}).get("metadata", {}).get("path", ""),
        )
        return html_of(source, renderer)
