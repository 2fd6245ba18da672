"""A Sphinx extension for the API reference: the page of a module, from its source.

The docstrings are those of Google's style with code between single backticks, which is neither reStructuredText nor
quite Markdown; so this parser builds the page itself. Nothing is imported (see `publish.reference`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.parsers import Parser

from publish.reference import Definition, Module, read_module

SECTION = re.compile(r"([A-Z]\w+):$")  # Args, Raises, Returns, ...
ENTRY = re.compile(r"(\*{0,2}[\w., *]+?): ?")  # "name: " at the start of an entry of Args


def setup(app: Sphinx) -> dict[str, Any]:
    """Have files of Python read as modules."""
    app.add_source_suffix(".py", "python-module")
    app.add_source_parser(ModuleParser)
    app.connect("html-page-context", Navigation().share, priority=100)  # before the theme uses it
    return {"parallel_read_safe": True}


class Navigation:
    """The sidebar of modules, computed once: none of them is in it, and it takes more time than the rest of a page."""

    def __init__(self) -> None:
        self.shared: dict[str, str] = {}

    def share(self, app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: Any) -> None:
        """Replace the function with which the theme computes the sidebar of a page."""
        if "." in name and doctree is not None and doctree.get("module"):
            compute = context["toctree"]

            def toctree(**options: Any) -> str:
                if (key := repr(options)) not in self.shared:
                    self.shared[key] = compute(**options)
                return self.shared[key]

            context["toctree"] = toctree


class ModuleParser(Parser):
    """Build the page of a module; other modules are those whose files are in the same folder."""

    supported = ("python-module",)

    def parse(self, inputstring: str | Any, document: nodes.document) -> None:
        """Fill the document of one module."""
        env = document.settings.env
        name = env.docname
        # Found by the search and from the page of its package: a list of all modules would be longer than most pages.
        env.metadata[name]["orphan"] = ""
        document["module"] = True
        module = read_module(name, inputstring)
        names = {other for other in env.found_docs if other.partition(".")[0] == name.partition(".")[0]}
        page = _Page(document, names)
        page.write(module, {other: _summary(env, other) for other in _children(name, names)})


def _children(name: str, names: set[str]) -> list[str]:
    return sorted(other for other in names if other.rpartition(".")[0] == name)


def _summary(env: Any, name: str) -> str:
    return read_module(name, Path(env.doc2path(name)).read_text(encoding="utf-8")).summary


class _Page:
    """The page of a module."""

    def __init__(self, document: nodes.document, names: set[str]) -> None:
        self.document = document
        self.names = names

    def write(self, module: Module, children: dict[str, str]) -> None:
        section = self.section(self.document, module.name, nodes.Text(module.name))
        section += self.way_up(module.name)
        section += [*self.doc(module.doc)]
        if children:
            section += nodes.rubric("", "Modules")
            section += _list(
                [[_link(name, f"{name}.html"), ": ", *self.inline(text)] for name, text in children.items()]
            )
        if module.exported:
            section += nodes.rubric("", "Names from other modules")
            section += _list([self.exported(name, origin) for name, origin in module.exported.items()])
        for definition in module.definitions:
            self.definition(section, module.name, definition)

    def section(self, parent: nodes.Element, name: str, title: nodes.Node) -> nodes.section:
        section = nodes.section("", nodes.title("", "", title), ids=[name])
        parent += section
        self.document.ids[name] = section  # without a name: names are labels, which are unique on the whole site
        return section

    def way_up(self, name: str) -> nodes.paragraph:
        parts = name.split(".")
        above = [".".join(parts[:length]) for length in range(1, len(parts))]
        line = nodes.paragraph(classes=["note"])
        for part in above:
            line += [_link(part, f"{part}.html"), nodes.Text(" › ")]
        line += _link("source", f"{name}.source.html")
        return line

    def exported(self, name: str, origin: str) -> list[nodes.Node | str]:
        place: nodes.Node = _link(origin, f"{origin}.html") if origin in self.names else nodes.literal("", origin)
        return [nodes.literal("", name), " from ", place]

    def definition(self, parent: nodes.Element, module: str, definition: Definition) -> None:
        section = self.section(parent, definition.name, nodes.literal("", definition.name))
        section += nodes.literal_block(definition.header, definition.header, language="python", classes=["no-search"])
        section += nodes.paragraph(
            "", "", _link("source", f"{module}.source.html#{definition.name}"), classes=["alone"]
        )
        section += [*self.doc(definition.doc)]
        for member in definition.members:
            self.definition(section, module, member)

    def doc(self, text: str) -> Iterator[nodes.Node]:
        """Yield the paragraphs, lists, sections and examples of a docstring."""
        for block in re.split(r"\n\s*\n", text.strip()) if text else []:
            head, _, rest = block.partition("\n")
            if block.startswith(">>>"):
                yield nodes.literal_block(block, block, language="pycon", classes=["no-search"])
            elif block.startswith("    "):
                yield nodes.literal_block(block, block, language="none")
            elif (found := SECTION.match(head)) and rest.startswith("    "):
                yield nodes.rubric("", found[1])
                yield _list([self.entry(entry) for entry in re.split(r"\n(?=\S)", _dedented(rest))])
            else:
                lead, *items = re.split(r"(?:\n|^)- ", block)
                if lead:
                    yield nodes.paragraph("", "", *_nodes(self.inline(lead)))
                if items:
                    yield _list([self.inline(item) for item in items])

    def entry(self, text: str) -> list[nodes.Node | str]:
        """Return an entry of a section such as Args: a name and its meaning."""
        if found := ENTRY.match(text):
            return [nodes.literal("", found[1]), ": ", *self.inline(text[found.end() :])]
        return [*self.inline(text)]

    def inline(self, text: str) -> list[nodes.Node | str]:
        """Return a text whose parts between backticks are code, and links if they name a module."""
        made: list[nodes.Node | str] = []
        for number, part in enumerate(re.split(r"`([^`]+)`", " ".join(text.split()))):
            known = (part, f"tokenlab.{part}", f"tokenlab.libraries.{part}")
            module = next((name for name in known if name in self.names), None)
            if number % 2 == 0:
                made.append(part)
            elif module:
                made.append(_link(part, f"{module}.html"))
            else:
                made.append(nodes.literal("", part))
        return made


def _dedented(text: str) -> str:
    return re.sub(r"(?m)^    ", "", text)


def _link(text: str, address: str) -> nodes.reference:
    return nodes.reference("", text, internal=True, refuri=address)


def _nodes(parts: list[nodes.Node | str]) -> list[nodes.Node]:
    return [nodes.Text(part) if isinstance(part, str) else part for part in parts]


def _list(items: list[list[nodes.Node | str]]) -> nodes.bullet_list:
    made = nodes.bullet_list(bullet="-")
    for parts in items:
        made += nodes.list_item("", nodes.paragraph("", "", *_nodes(parts)))
    return made
