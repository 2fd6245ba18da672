r"""Convert formulas in the lessons' text to MathML, which a browser shows without a script, a font or a network.

`extract_formulas` replaces the formulas in Markdown by placeholders, so that Markdown does not change them, as in
JupyterLab; `insert_formulas` writes them into the HTML. The syntax is JupyterLab's (`$...$`, `$$...$$`, `\\(...\\)`,
`\\[...\\]`, environments; not in code) with one restriction from pandoc: a formula in single dollars has no space at
either end and no digit after it, so "$5 and $6" are two prices.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from itertools import accumulate
from xml.etree import ElementTree

from latex2mathml.commands import MATRICES
from latex2mathml.converter import convert

CODE = r"""
    ^[ ]{0,3}(?P<fence>`{3,}|~{3,})[^\n]*\n .*? (?: ^[ ]{0,3}(?P=fence)[`~]*[ \t]*$ | \Z )
    | (?<!`)(?P<ticks>`+)(?!`) .+? (?<!`)(?P=ticks)(?!`)
    | <(?P<tag>code|pre|script|style)\b .*? </(?P=tag)>
    | </?[a-zA-Z][^<>]*>
"""
FORMULA = r"""
    \$\$ (?P<display>(?:\\.|[^\\$`])+) \$\$
    | \\\\\[ (?P<bracket>[^`]+?) \\\\\]
    | (?P<environment> \\begin\{(?P<name>[a-zA-Z]+\*?)\} [^`]*? \\end\{(?P=name)\} )
    | \\\\\( (?P<parenthesis>[^`]+?) \\\\\)
    | \$ (?=[^\s$]) (?P<inline>(?:\\.|(?!\n[ \t]*\n)[^\\$`])+?) (?<!\s) \$ (?![\d$])
"""
PARTS = re.compile(rf"{CODE} | {FORMULA} | \\[$\\`]", re.VERBOSE | re.DOTALL | re.MULTILINE)
DISPLAYED = ("display", "bracket", "environment")
ENTITIES = {"&lt;": "<", "&gt;": ">", "&amp;": "&"}
# Private-use characters without a meaning in Markdown, and which the players do not use.
PLACE = re.compile("\ue900([0-9]+)\ue901")
# Commands that JupyterLab's MathJax supports and latex2mathml does not.
ALSO = {"{aligned}": "{align*}", "{align}": "{align*}", r"\arg": r"\operatorname{arg}"}
NAMESPACE = ' xmlns="http://www.w3.org/1998/Math/MathML"'  # redundant in HTML
ENVIRONMENTS = {name.removeprefix("\\") for name in MATRICES} | {"equation", "equation*"}


class Unwritable(ValueError):
    """A formula cannot be converted to MathML."""


@dataclass(frozen=True)
class Formula:
    """A formula: its Markdown source, its LaTeX, and whether it is a display formula."""

    source: str
    latex: str
    displayed: bool


def extract_formulas(markdown: str) -> tuple[str, list[Formula]]:
    r"""Return the Markdown with a placeholder for each formula, and the formulas.

    >>> extract_formulas("$x_1$ costs $5 and `$y$` $6")[1]
    [Formula(source='$x_1$', latex='x_1', displayed=False)]
    """
    formulas: list[Formula] = []

    def leave(match: re.Match[str]) -> str:
        formula = _formula(match)
        if formula is None:
            return match[0]
        formulas.append(formula)
        return f"\ue900{len(formulas) - 1}\ue901"

    return PARTS.sub(leave, markdown), formulas


def _formula(match: re.Match[str]) -> Formula | None:
    """Return the match as a formula, or None if it is code or an escaped character."""
    for kind in (*DISPLAYED, "parenthesis", "inline"):
        if match[kind]:
            # In an HTML block, such as a folded answer, `<` is written as an entity.
            latex = re.sub("&(?:lt|gt|amp);", lambda entity: ENTITIES[entity[0]], match[kind]).strip()
            return Formula(match[0], latex, kind in DISPLAYED)
    return None


def insert_formulas(html: str, formulas: list[Formula]) -> str:
    """Replace the placeholders in HTML by formulas, or by the original text in an indented code block.

    Raises:
        Unwritable: a formula cannot be converted to MathML.
    """

    def write(match: re.Match[str]) -> str:
        if match["code"]:
            return PLACE.sub(lambda place: escape(formulas[int(place[1])].source, quote=False), match["code"])
        formula = formulas[int(match[2])]
        return mathml(formula.latex, formula.displayed)

    return re.sub(rf"(?s)(?P<code><pre\b.*?</pre>)|{PLACE.pattern}", write, html)


def mathml(latex: str, displayed: bool = False) -> str:
    r"""Return the formula as a `math` element.

    Raises:
        Unwritable: latex2mathml does not support a part of the formula, or the LaTeX is malformed.

    >>> mathml("x")
    '<math display="inline"><mrow><mi>x</mi></mrow></math>'
    >>> mathml(r"\foo")
    Traceback (most recent call last):
    ...
    publish.formulas.Unwritable: the formula \foo cannot be written as MathML: \foo is not known
    """
    known = re.sub("|".join(map(re.escape, ALSO)) + r"(?![a-zA-Z])", lambda part: ALSO[part[0]], latex)
    try:
        written = convert(known, display="block" if displayed else "inline")
        math = ElementTree.fromstring(written.replace(NAMESPACE, ""))
        fault = _fault(known, math)
    except Exception as error:  # latex2mathml's exceptions have no common base class
        fault = f"{type(error).__name__} {error}".strip()
    if fault:
        raise Unwritable(f"the formula {latex} cannot be written as MathML: {fault}")
    _set_names_apart(math)
    return ElementTree.tostring(math, encoding="unicode", short_empty_elements=False)


def _set_names_apart(math: ElementTree.Element) -> None:
    """Add the thin space after a function name that latex2mathml omits: log p, not logp."""
    for row in math.iter("mrow"):
        for place, (name, behind) in reversed([*enumerate(zip(row, row[1:], strict=False))]):
            letters = next(name.iter("mi"), name).text or ""
            is_name = len(letters) > 1 and letters.isalpha() and name.tag in ("mi", "msub", "msup")
            if is_name and behind.tag != "mo":
                row.insert(place + 1, ElementTree.Element("mspace", width="0.17em"))


def _fault(latex: str, math: ElementTree.Element) -> str:
    """Return the part of a formula that latex2mathml ignored silently, or ""."""
    braces = [{"{": 1, "}": -1}.get(part, 0) for part in re.findall(r"\\.|[{}]", latex, re.DOTALL)]
    if sum(braces) or min(accumulate(braces), default=0) < 0:
        return "its braces do not match"
    for name in re.findall(r"\\begin\{(.*?)\}", latex):
        if name not in ENVIRONMENTS:
            return f"the environment {name} is not known"
    for element in math.iter():
        if unknown := re.search(r"\\[a-zA-Z]+", element.text or ""):
            return f"{unknown[0]} is not known"
    return ""
