"""Frames for the player: each shows one moment of a recording in a few panels, some with a question.

A view turns a recording into frames. The helpers here (`text`, `chip`, `bar`, `sentence`) escape all text. In
addition, `Frame` and `Question` pass all their HTML through `escape_unknown_markup`, which escapes all markup except
the tags and attributes that views use: nothing in a frame can run a script or load a file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from html import escape
from typing import Any, Literal, TypeAlias
from zlib import crc32

from tokenlab.printing.printable import Mark as Mark
from tokenlab.printing.printable import Part, Symbol, SymbolPart, printable, readable
from tokenlab.steps.recording import Recording

Html: TypeAlias = str
Fact: TypeAlias = tuple[str, Any, float]  # the quantity, its subject, and its value
OTHER = -1  # in place of a misconception's number: a wrong option that follows from no known misconception


@dataclass(frozen=True)
class Panel:
    """A titled list, table or paragraph of rows; an unchanged panel is sent to the browser once."""

    title: str
    rows: tuple[Html, ...]
    kind: Literal["words", "bars", "chips", "lines"] = "lines"
    more: bool = False  # collapsed at first
    hides: bool = False  # hidden while a question is open
    wide: bool = False  # spans the width of the player


@dataclass(frozen=True)
class Option:
    """One answer to a question, the reason why it is right or wrong, and whether it is right."""

    label: Html
    why: Html
    right: bool = False
    misconception: int = 0  # the number of the misconception that leads here; OTHER; 0 for the right option
    facts: tuple[Fact, ...] = ()  # the claims of `why`, which tests recompute


@dataclass(frozen=True)
class Question:
    """A question that the player asks before it shows the next step.

    The options are shuffled: their order reveals nothing and is the same every time.
    """

    prompt: Html
    options: tuple[Option, ...]
    given: tuple[str, ...] = ()  # the values that the answer is computed from, as a learner sees them; a test looks

    def __post_init__(self) -> None:
        """Escape unknown markup in the prompt and the options, and shuffle the options."""
        options = [
            replace(option, label=escape_unknown_markup(option.label), why=escape_unknown_markup(option.why))
            for option in self.options
        ]
        options.sort(key=lambda option: (crc32(option.why.encode()), option.label))
        _keep(self, prompt=escape_unknown_markup(self.prompt), options=tuple(options))


@dataclass(frozen=True)
class Frame:
    """One moment of a recording: its name, a caption for the last step, a remark, and the panels."""

    moment: str
    caption: Html
    remark: Html = ""
    panels: tuple[Panel, ...] = ()
    question: Question | None = None

    def __post_init__(self) -> None:
        """Escape control characters in the moment and the titles, and unknown markup elsewhere."""
        panels = [
            replace(
                panel, title=escape_control_characters(panel.title), rows=tuple(map(escape_unknown_markup, panel.rows))
            )
            for panel in self.panels
        ]
        _keep(
            self,
            moment=escape_control_characters(self.moment),
            caption=escape_unknown_markup(self.caption),
            remark=escape_unknown_markup(self.remark),
            panels=tuple(panels),
        )


def _keep(frozen: Any, **values: object) -> None:
    for name, value in values.items():
        object.__setattr__(frozen, name, value)


@dataclass(frozen=True)
class StepRange:
    """The steps that are shown: indices from `first` up to, but not including, `end`."""

    first: int
    end: int

    @property
    def positions(self) -> range:
        """The number of steps done at each frame: there is a frame before the first step and one after each step."""
        return range(self.first, self.end + 1)

    def between_steps(self, recording: Recording[Any, Any]) -> range:
        """The number of steps done at each frame but the first that has a next step: where questions are asked."""
        return range(self.first + 1, min(self.end + 1, len(recording)))

    def steps_around(self, recording: Recording[Any, Any]) -> Iterator[tuple[int, Any, Any]]:
        """Yield, for each frame, the number of steps done, the last of these and the next one, or None at the ends.

        >>> [*StepRange(0, 2).steps_around(Recording("spell", {}, ("h", "u"), "hu"))]
        [(0, None, 'h'), (1, 'h', 'u'), (2, 'u', None)]
        """
        steps = recording.steps
        for number in self.positions:
            yield number, steps[number - 1] if number else None, steps[number] if number < len(steps) else None


View: TypeAlias = Callable[[Recording[Any, Any], StepRange], Iterable[Frame]]


# player.js reads U+E000 to U+E0FF as short forms; the lone surrogates before them cannot be encoded as UTF-8.
_NEVER_IN_TEXT = {code: f"\\u{code:04x}" for code in range(0xD800, 0xE100)}


def text(value: object) -> Html:
    """Return a value as escaped HTML text."""
    return escape(escape_control_characters(str(value)), quote=True)


def escape_control_characters(text: str) -> str:
    """Escape the control characters that a browser or the player would interpret; the result is not yet HTML."""
    return text if text.isprintable() else readable(text).translate(_NEVER_IN_TEXT)


# The tags and attributes that views use: none runs, loads or links anything. An unlisted attribute escapes its tag.
_TAGS = (
    *("b", "br", "circle", "code", "div", "em", "g", "i", "li", "line", "ol", "p", "path", "polygon", "polyline"),
    *("q", "rect", "small", "span", "strong", "sub", "sup", "svg", "table", "tbody", "td", "text", "th", "title"),
    *("tr", "ul"),
)
_ATTRIBUTES = (
    *("aria-hidden", "aria-label", "class", "colspan", "cx", "cy", "d", "data-active", "data-at", "data-go", "data-to"),
    *(
        "height",
        "points",
        "r",
        "role",
        "rowspan",
        "rx",
        "ry",
        "scope",
        "tabindex",
        "title",
        "transform",
        "value",
        "viewBox",
    ),
    *("width", "x", "x1", "x2", "y", "y1", "y2"),
)
_CSS_FUNCTIONS = (
    *("calc", "color-mix", "linear-gradient", "max", "min", "minmax", "repeat", "repeating-linear-gradient"),
    *("rgb", "translateX", "translateY", "var"),
)
_CSS = rf"(?:(?:{'|'.join(_CSS_FUNCTIONS)})\(|[^\"'<>(\\&@])"  # no url(...), and no escape that hides one
_CSS_BARE = _CSS.replace("[^", r"[^\s")
_STYLE = rf"style=(?:\"{_CSS}*\"|'{_CSS}*'|{_CSS_BARE}+)"
_VALUE = r"""(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>=`]+)"""
_TAG = rf"(?:{'|'.join(_TAGS)})(?:\s+(?:{_STYLE}|(?:{'|'.join(_ATTRIBUTES)})={_VALUE}))*\s*/?>"
_MARKUP = re.compile(rf"<(?!/(?:{'|'.join(_TAGS)}|style)>|{_TAG})")
_style_sheets: list[Html] = []

LONGEST_CACHED = 2000  # characters of HTML


def style_sheet(css: str) -> Html:
    """Register a style sheet for a panel row: constant text of a view, never text of a recording."""
    sheet = f"<style>{css}</style>"
    if sheet not in _style_sheets:
        _style_sheets.append(sheet)
    return sheet


def escape_unknown_markup(html: Html) -> Html:
    """Escape all markup that views do not use, and all control characters.

    >>> escape_unknown_markup("<b class=new>a</b> <img src=x onerror=alert(1)><b onclick=alert(1)>")
    '<b class=new>a</b> &lt;img src=x onerror=alert(1)>&lt;b onclick=alert(1)>'
    >>> escape_unknown_markup("<i style=width:7%></i><i style=background:url(//example.org)></i>")
    '<i style=width:7%></i>&lt;i style=background:url(//example.org)></i>'
    """
    return _escape_cached(html) if len(html) <= LONGEST_CACHED else _escape_markup(html)


def _escape_markup(html: Html) -> Html:
    html = escape_control_characters(html)

    def escape_one(match: re.Match[str]) -> str:
        return "<" if any(html.startswith(sheet, match.start()) for sheet in _style_sheets) else "&lt;"

    return _MARKUP.sub(escape_one, html)


_escape_cached = lru_cache(maxsize=4096)(_escape_markup)  # many frames repeat a row


LONGEST_CHIP = 60  # characters; a longer token ends in an ellipsis


@lru_cache(maxsize=4096, typed=True)  # the frames of a recording repeat their symbols
def chip(symbol: Symbol, mark: Mark = "") -> Html:
    """A symbol as a chip.

    >>> chip("<b> ", "new")
    '<b class=new>&lt;b&gt;␣</b>'
    """
    shown = printable(symbol)
    if len(shown) > LONGEST_CHIP:
        shown = f"{shown[: LONGEST_CHIP - 1]}…"
    return f"<b{mark and f' class={mark}'}>{text(shown)}</b>"


def chips(symbols: Iterable[Symbol]) -> Html:
    """Symbols as chips, separated by spaces for screen readers."""
    return " ".join(map(chip, symbols))


def bar(label: Html, share: float, value: object, mark: Literal["", "best"] = "") -> Html:
    """A table row with a bar."""
    best = mark and f" class={mark}"
    return f"<tr{best}><th scope=row>{label}<td><i style=width:{round(100 * share)}%></i><td>{text(value)}"


@dataclass
class Registry:
    """The view for each recorded function, by the function's qualified name."""

    views: dict[str, View] = field(default_factory=dict)

    def shows(self, *functions: Any) -> Callable[[View], View]:
        """Register a view for traced functions or their qualified names."""

        def register(view: View) -> View:
            for function in functions:
                name = function if isinstance(function, str) else f"{function.__module__}.{function.__qualname__}"
                self.views[name] = view
            return view

        return register


registry = Registry()
view = registry.shows


def unbroken(cell: Html) -> Html:
    """Return a cell that no line break divides, such as a chip and its id."""
    return f"<span>{cell}</span>"


def labelled(name: Html, content: Html, style: str = "") -> Html:
    """A row of words: a name and its content."""
    return f"<li><span>{name}</span> <div{style and f' style={style}'}>{content}</div>"


def plus(pair: tuple[Symbol, Symbol]) -> Html:
    """Format a pair as two chips."""
    return f"{chip(pair[0])} + {chip(pair[1])}"


def as_html(parts: Iterable[Part]) -> Html:
    """Return the parts of a sentence as HTML: symbols as chips, all else as escaped text.

    >>> as_html(["<s> and ", SymbolPart("<b>", "new")])
    '&lt;s&gt; and <b class=new>&lt;b&gt;</b>'
    """
    return "".join(
        chip(part.symbol, part.mark)
        if isinstance(part, SymbolPart)
        else text(part if isinstance(part, str) else f"{part:,}")
        for part in parts
    )


def said(step: Any) -> Html:
    """A step's sentence, its parts, or a text, as HTML."""
    if callable(getattr(step, "sentence", None)):
        return as_html(step.sentence())
    return as_html(step if isinstance(step, list) else [str(step)])


IDENTIFIER = re.compile(r"\w+_\w")  # a name in code, for example of a file or a setting


def sentence(step: Any) -> Html:
    """A step's sentence, its parts, or a text, as HTML: with a full stop, and capitalized unless it begins with a name.

    >>> sentence("a < b"), sentence("use_fast=True decides")
    ('A &lt; b.', 'use_fast=True decides.')
    """
    html = said(step)
    return f"{html if IDENTIFIER.match(html) else html[0].upper() + html[1:]}."
