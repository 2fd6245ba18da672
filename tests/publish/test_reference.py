"""The API reference: a page for each module, from its source alone, with links to it, and found by the search."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from snowballstemmer import stemmer

from publish import pages
from publish.reference import modules, read_module
from tests.publish.made_up import lesson

TEXTS = (".html", ".js")
ROOT = Path(__file__).resolve().parents[2]
FILES = {
    "__init__.py": '"""A kit: see `kit.tools`.\n\n- one\n- two\n"""\nfrom kit.tools import Tool\n__all__ = ["Tool"]\n',
    "tools.py": '''"""Tools for quagga.

Adds: nothing <b>new</b>.
"""

from typing import overload

import missing_library

missing_library.start()


@overload
def use(how: int) -> int: ...
@overload
def use(how: str) -> str: ...
def use(how):
    """Use a `Tool`, *quickly*.

    Args:
        how: a number, or
            a name.
        *more: others.

    Raises:
        ValueError: it is `broken_`.

    >>> use(1)
    1
    """
    return how


class Tool(missing_library.Base):
    """A tool."""

    size: int = 3
    _hidden: int = 4

    def __init__(self, size: int) -> None:
        self.size = size

    def turn(self) -> None:  # subtle: it turns
        """Turn it."""

    def _secret(self) -> None:
        """Not shown."""


def _private() -> None:
    """Not shown either."""
''',
    "_inner.py": '"""Not public."""\n',
    "more/__init__.py": '"""More tools."""\n',
}


def write_kit(folder: Path) -> Path:
    """Write a package that cannot be imported."""
    for name, text in FILES.items():
        path = folder / "kit" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    return folder / "kit"


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    """The folder of a package that cannot be imported."""
    return write_kit(tmp_path)


def made(kit: Path) -> tuple[dict[str, str], list[str]]:
    """The pages and scripts of a site with one lesson, a glossary and the package, and its problems."""
    docs, site = kit.parent / "docs", kit.parent / "site"
    docs.mkdir()
    (docs / "glossary.md").write_text("# Glossary\n\n## okapi\n\nAn animal.\n", encoding="utf-8")
    problems = pages.build([lesson("# A\n\nA zebra.")], site, docs, kit)
    return texts(site), problems


def texts(site: Path) -> dict[str, str]:
    """The text files of a site's own folder."""
    return {path.name: path.read_text(encoding="utf-8") for path in site.glob("*.*") if path.suffix in TEXTS}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A site with the package, built once."""
    files, problems = made(write_kit(tmp_path_factory.mktemp("files")))
    assert problems == []
    return files


def shown(html: str) -> str:
    """The text of a page's article."""
    article = html.partition('<article role="main"')[2].partition("</article>")[0]
    return " ".join(re.sub("<[^>]+>", "", article.partition(">")[2]).split())


def found(files: dict[str, str], word: str) -> set[str]:
    """The pages that Sphinx's search finds for a word, with or without a title; it stems words as this does."""
    index: dict[str, Any] = json.loads(files["searchindex.js"].removeprefix("Search.setIndex(").removesuffix(")"))
    stem = stemmer("english").stemWord(word.lower())
    numbers: set[int] = set()
    for kind in ("terms", "titleterms"):
        pages = index[kind].get(stem, [])
        numbers.update(pages if isinstance(pages, list) else [pages])
    return {index["docnames"][number] for number in numbers}


# --- reading --------------------------------------------------------------------------------------


def test_public_modules_are_listed_with_their_packages(kit: Path) -> None:
    assert [name for name, _ in modules(kit)] == ["kit", "kit.more", "kit.tools"]


def test_public_definitions_have_their_headers_as_in_the_source() -> None:
    use, tool = read_module("kit.tools", FILES["tools.py"]).definitions
    assert use.header == ("@overload\ndef use(how: int) -> int\n@overload\ndef use(how: str) -> str\ndef use(how)")
    assert tool.header == "class Tool(missing_library.Base)\n    size: int = 3"
    assert [member.name for member in tool.members] == ["Tool.__init__", "Tool.turn"]
    assert tool.members[1].header == "def turn(self) -> None"


# --- pages ----------------------------------------------------------------------------------------


def test_a_module_has_a_page_with_its_docstrings_and_none_of_it_is_run(files: dict[str, str]) -> None:
    text = shown(files["kit.tools.html"])
    for part in (
        "Tools for quagga.", "Adds: nothing &lt;b&gt;new&lt;/b&gt;.", "Use a Tool, *quickly*.", "Args",
        "how: a number, or a name.", "*more: others.", "ValueError: it is broken_.", "def turn(self) -&gt; None",
    ):  # fmt: skip
        assert part in text
    assert "hidden" not in text and "Not shown" not in text
    assert re.search(r"highlight-pycon.*?&gt;&gt;&gt; ", files["kit.tools.html"], re.DOTALL)


def test_a_package_lists_its_modules_and_the_names_it_takes_from_them(files: dict[str, str]) -> None:
    page = files["kit.html"]
    text = shown(page)
    assert "kit.more: More tools." in text and "kit.tools: Tools for quagga." in text
    assert "Tool from kit.tools" in text
    assert page.count('href="kit.tools.html"') >= 3  # in the docstring, in the list, and as the origin of a name


def test_a_definition_leads_to_its_source(files: dict[str, str]) -> None:
    links = re.findall(r'href="(kit\.tools\.source\.html#([\w.]+))"', files["kit.tools.html"])
    assert [name for _, name in links] == ["use", "Tool", "Tool.__init__", "Tool.turn"]
    source = files["kit.tools.source.html"]
    assert '<span id="Tool.turn">    def turn(self) -&gt; None:  # subtle: it turns</span>' in source
    assert source.count("<span id=") == len(links)
    assert "default-src 'none'" in source


def test_a_link_to_a_missing_definition_is_named(kit: Path) -> None:
    docs = kit.parent / "docs"
    docs.mkdir()
    (docs / "glossary.md").write_text("# A\n\n[b](kit.tools.html#missing)\n", encoding="utf-8")
    problems = pages.build([lesson("# A")], kit.parent / "site", docs, kit)
    assert any("glossary" in problem and "missing" in problem for problem in problems)


def test_the_sidebar_leads_to_the_reference_and_not_to_each_module(files: dict[str, str]) -> None:
    for name, html in files.items():
        if name in ("index.html", "kit.html", "kit.tools.html", "kit.more.html", "90_made_up.html"):
            sidebar = html.partition('<div class="sidebar-tree">')[2].partition("</aside>")[0]
            assert ">API reference</a>" in sidebar and "kit.tools" not in sidebar, name


def test_a_search_covers_lessons_glossary_and_reference(files: dict[str, str]) -> None:
    assert found(files, "zebra") == {"90_made_up"}
    assert found(files, "okapi") == {"glossary"}
    assert found(files, "quagga") == {"kit.tools", "kit"}


# --- the real site --------------------------------------------------------------------------------

# What `make site` does not install, and a network.
WITHOUT = """
import socket, sys
for name in ("torch", "safetensors", "huggingface_hub", "accelerate", "distributed", "pyarrow", "transformers"):
    sys.modules[name] = None
def refuse(*arguments): raise AssertionError("make site asks the network")
socket.socket.connect = socket.getaddrinfo = refuse
from publish import pages
from publish.lessons import stored
print(*pages.build(stored(), pages.Path(sys.argv[1]), package=pages.PACKAGE), sep="\\n")
"""


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, str], str]:
    """The pages and scripts of the real site, built once, and its problems."""
    folder = tmp_path_factory.mktemp("site")
    ran = subprocess.run(
        [sys.executable, "-c", WITHOUT, str(folder)], cwd=ROOT, capture_output=True, encoding="utf-8", check=True
    )
    return texts(folder), ran.stdout.strip()


@pytest.mark.slow
def test_the_real_reference_is_built_without_pytorch_and_without_a_network(real: tuple[dict[str, str], str]) -> None:
    files, problems = real
    assert problems == ""
    names = [name for name, _ in modules(pages.PACKAGE)]
    on_disk = {path.relative_to(ROOT).with_suffix("") for path in (ROOT / "tokenlab").rglob("*.py")}
    expected = {".".join(path.parent.parts if path.name == "__init__" else path.parts) for path in on_disk}
    assert {*names} == {name for name in expected if not name.endswith(".__main__")}
    assert {f"{name}{ending}" for name in names for ending in (".html", ".source.html")} <= {*files}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("word", "page"),
    [
        ("segmentation", "06_unigram_segmenting"),
        ("surprisal", "glossary"),
        ("train_indexed", "tokenlab.algorithms.bpe.train_indexed"),
        ("Oniguruma", "tokenlab.libraries.tokenizers"),
    ],
)
def test_the_real_search_finds_words_of_each_kind(real: tuple[dict[str, str], str], word: str, page: str) -> None:
    assert any(name == page or name.startswith(f"{page}.") for name in found(real[0], word))


@pytest.mark.slow
def test_the_real_reference_is_not_large(real: tuple[dict[str, str], str]) -> None:
    files = {name: text for name, text in real[0].items() if name.startswith("tokenlab.")}
    assert sum(len(text.encode()) for text in files.values()) < 40_000_000
    assert len(real[0]["searchindex.js"].encode()) < 1_000_000


def test_a_name_that_is_imported_for_type_checkers_only_is_exported() -> None:
    source = "if TYPE_CHECKING:\n    from kit.tools import Tool\n__all__ = ['Tool']\n"
    assert read_module("kit", source).exported == {"Tool": "kit.tools"}
