"""What the player shows: frames of a few panels, all at one and the same moment, some with a question.

A view turns a recording into frames. HTML in a frame is made by the helpers here, which escape all text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from html import escape
from typing import Any, Literal, TypeAlias
from zlib import crc32

from tokenlab.steps import Recording
from tokenlab.visible import Symbol, visible

Html: TypeAlias = str
Fact: TypeAlias = tuple[str, Any, float]  # what was counted or computed, of what, and the number


@dataclass(frozen=True)
class Panel:
    """A titled list, table or paragraph, made of rows; one that does not change is sent to the browser once."""

    title: str
    rows: tuple[Html, ...]
    kind: Literal["words", "bars", "chips", "lines"] = "lines"
    more: bool = False  # folded away at first
    hides: bool = False  # not shown while a question is open
    wide: bool = False  # as wide as the player


@dataclass(frozen=True)
class Option:
    """One answer, why somebody gives it, and whether it is right."""

    label: Html
    why: Html
    right: bool = False
    belief: int = 0  # the number of the misconception that leads here
    facts: tuple[Fact, ...] = ()  # what `why` claims, for the test that counts again


@dataclass(frozen=True)
class Question:
    """What the player asks before it shows the next step."""

    prompt: Html
    options: tuple[Option, ...]

    def shuffled(self) -> Question:
        """The same, with the options in an order that gives nothing away and is the same every time."""
        mixed = sorted(self.options, key=lambda option: crc32(option.why.encode()))
        return Question(self.prompt, tuple(mixed))


@dataclass(frozen=True)
class Frame:
    """One moment: its name, the sentence that says what happened, a remark, and the panels."""

    moment: str
    caption: Html
    remark: Html = ""
    panels: tuple[Panel, ...] = ()
    question: Question | None = None


@dataclass(frozen=True)
class Window:
    """Which steps are shown: from `first` (an index) up to, not including, `end`."""

    first: int
    end: int


View: TypeAlias = Callable[[Recording[Any, Any], Window], Iterable[Frame]]


# Markup that a frame repeats hundreds of times travels as one private-use character, which no text here may have.
SHORT_FORMS = (
    "</b> <b>",
    "<tr><th scope=row><b>",
    "</b><td><i style=width:",
    "%></i><td>",
    " ×</span> <div><b>",
    "<li><span>",
    "<b class=new>",
    "<b class=left>",
    "<b class=right>",
    "</b>",
    "<b>",
)
_SHORT = {chr(0xE000 + number): form for number, form in enumerate(SHORT_FORMS)}
# player.js reads all of U+E000 to U+E0FF as short forms; the lone surrogates before them fit in no file.
_NEVER_IN_TEXT = {code: f"\\u{code:04x}" for code in range(0xD800, 0xE100)}


def shorten(html: Html) -> str:
    """Write repeated markup in its short form."""
    for short, form in _SHORT.items():
        html = html.replace(form, short)
    return html


def text(value: object) -> Html:
    """A text as HTML, whatever characters it has."""
    return escape(str(value), quote=True).translate(_NEVER_IN_TEXT)


LONGEST_CHIP = 60  # characters; a token that is longer ends in dots

Mark: TypeAlias = Literal["", "new", "left", "right", "unknown"]


def chip(symbol: Symbol, mark: Mark = "") -> Html:
    """A symbol as a chip.

    >>> chip("<b> ", "new")
    '<b class=new>&lt;b&gt;␣</b>'
    """
    shown = visible(symbol)
    if len(shown) > LONGEST_CHIP:
        shown = f"{shown[: LONGEST_CHIP - 1]}…"
    return f"<b{mark and f' class={mark}'}>{text(shown)}</b>"


def chips(symbols: Iterable[Symbol]) -> Html:
    """Symbols as chips, with blanks between them for those who listen."""
    return " ".join(map(chip, symbols))


def bar(label: Html, share: float, value: object, mark: Literal["", "best"] = "") -> Html:
    """A row of a table that is drawn as a bar."""
    best = mark and f" class={mark}"
    return f"<tr{best}><th scope=row>{label}<td><i style=width:{round(100 * share)}%></i><td>{text(value)}"


@dataclass
class Registry:
    """Which view shows the recordings of which function, by the function's qualified name."""

    views: dict[str, View] = field(default_factory=dict)

    def shows(self, *functions: Any) -> Callable[[View], View]:
        """Register a view for stepwise functions, or for their qualified names."""

        def register(view: View) -> View:
            for function in functions:
                name = function if isinstance(function, str) else f"{function.__module__}.{function.__qualname__}"
                self.views[name] = view
            return view

        return register


registry = Registry()
view = registry.shows
