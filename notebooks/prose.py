"""What a lesson's text becomes in HTML: formulas, headings that can be linked to, links from lesson to lesson."""

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

from notebooks import formulas


class Renderer(IPythonRenderer):
    """nbconvert's renderer, with anchors that are unique on a page, and links to the lessons that are named."""

    def __init__(self, lessons: Collection[str] = (), anchors: set[str] | None = None, **options: Any) -> None:
        """Take the lessons that have a page, and the anchors that are taken on this one."""
        super().__init__(escape=False, **options)
        self.lessons = lessons
        self.anchors = set() if anchors is None else anchors

    def heading(self, text: str, level: int, **_: Any) -> str:
        """A heading with an anchor."""
        anchor = self._anchor(text)
        link = f'<a class="anchor" href="#{anchor}" aria-label="Link to this heading">#</a>'
        return f'<h{level} id="{anchor}">{text} {link}</h{level}>\n'

    def _anchor(self, text: str) -> str:
        words = re.sub(r"\W+", "-", plain(formulas.PLACE.sub("", text)).lower()).strip("-") or "part"
        anchor = next(name for name in chain([words], (f"{words}-{n}" for n in count(2))) if name not in self.anchors)
        self.anchors.add(anchor)
        return anchor

    def codespan(self, text: str) -> str:
        """Code in a line; the name of another lesson is a link to it."""
        code = str(super().codespan(text))
        return f'<a href="{text}.html">{code}</a>' if text in self.lessons else code

    def _html_embed_images(self, html: str) -> str:
        # subtle: nbconvert's own closes every element of a block, and so moves an answer out of its <details>.
        def embedded(img: re.Match[str]) -> str:
            return img[1] + (self._src_to_base64(img[2]) or img[2])

        return re.sub(r'(<img\b[^>]*?\bsrc=")([^"]*)', embedded, html)


def html_of(markdown: str, renderer: Renderer | None = None) -> str:
    """Markdown as HTML, with its formulas as MathML.

    Raises:
        formulas.Unwritable: a formula cannot be written as MathML.

    >>> html_of("a *b* $c$").count("<mi>c</mi>")
    1
    """
    text, taken = formulas.taken_out(markdown)
    # Not nbconvert's parsers: they look for dollars once more.
    parser = MarkdownWithMath(
        renderer or Renderer(),
        BlockParser(),
        InlineParser(hard_wrap=False),
        [import_plugin(name) for name in MarkdownWithMath.DEFAULT_PLUGINS],
    )
    return formulas.put_back(parser.render(text), taken)


def line_of(markdown: str) -> str:
    """One paragraph of markdown as HTML, without the paragraph."""
    return html_of(markdown).strip().removeprefix("<p>").removesuffix("</p>")


def plain(html: str) -> str:
    """HTML as it is read."""
    return " ".join(unescape(re.sub("<[^>]+>", "", html)).split())


class LessonExporter(HTMLExporter):
    """nbconvert's exporter for our prose: cells and outputs alone, without a page around them."""

    def __init__(self, lessons: Collection[str], **options: Any) -> None:
        """Take the lessons that can be linked to."""
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
        """The filter that templates call for every cell of markdown."""
        renderer = Renderer(
            self.lessons,
            self.anchors,
            attachments=context.get("cell", {}).get("attachments", {}),
            embed_images=True,
            path=context.get("resources", {}).get("metadata", {}).get("path", ""),
        )
        return html_of(source, renderer)
