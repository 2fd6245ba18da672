"""The player: turn frames into one HTML element that steps without a kernel and is legible without scripts.

Adds: the data (every panel and row once), a static first frame for untrusted notebooks, and standalone pages. The
behaviour is in `player.js`, and the style in `player.css`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from tokenlab.show.frames import Frame, Html, Panel, StepRange, View, escape_control_characters, text
from tokenlab.show.plain_text import frame_text, how_to_see_more
from tokenlab.steps.recording import Recording, explained, sentences


@dataclass(frozen=True)
class PlayerTrack:
    """The frames and sentences of one recording."""

    title: str
    frames: tuple[Frame, ...]
    sentences: str
    notice: str = ""
    first: int = 0  # the number of steps done at the first frame
    length: int = 0  # of the recording

    @classmethod
    def of(cls, recording: Recording[Any, Any], start: int, steps: int, title: str = "") -> PlayerTrack:
        """Make a track of at most `steps` steps of a recording from index `start`, with its view or its sentences.

        Raises:
            ValueError: the step does not exist, or the function does not yield these steps in this order.
        """
        from tokenlab.show import views

        length = len(recording)
        if not 0 <= start < max(1, length) or steps < 1:
            raise ValueError(
                f"start={start}, steps={steps}: this recording has {length} steps, counted from 0; "
                "give a start among them and at least 1 step"
            )
        window = StepRange(start, min(length, start + steps))
        frames = _frames(recording, window, views.view_of(recording.function))
        lines = sentences(recording, window.first, window.end)
        notice = _notice(length, window)
        return cls(
            title=escape_control_characters(title or recording.function.rpartition(".")[2]),
            frames=frames,
            sentences="\n".join([*lines, notice] if notice else lines),
            notice=notice,
            first=window.first,
            length=length,
        )

    def text(self, opened: int) -> str:
        """Return the frame with this index, or the last one, as plain text."""
        at = min(opened, len(self.frames) - 1)
        head = f"{self.title}, step {self.first + at} of {self.length}"
        return "\n".join(frame_text(self.frames[at], head))


def _frames(recording: Recording[Any, Any], window: StepRange, shown: View) -> tuple[Frame, ...]:
    """Return the frames that the view yields."""
    frames: list[Frame] = []
    with explained(recording, lambda: min(window.first + len(frames), window.end)):
        for frame in shown(recording, window):
            frames.append(frame)
    return tuple(frames)


def _notice(length: int, window: StepRange) -> str:
    if window.end - window.first == length:
        return ""
    steps = f"steps {window.first + 1} to {window.end}" if window.end > window.first + 1 else f"step {window.end}"
    return f"Shown: {steps} of {length}; play(start={window.end % length}) on the recording shows others."


HOW_TO_TRUST = "run this cell, or trust this notebook: View, Activate Command Palette, Trust Notebook."


class Player:
    """One recording, or two side by side, ready to be shown in a notebook or written as a page."""

    def __init__(self, tracks: list[PlayerTrack], opened: int = 0, predict: bool = True) -> None:
        """Take the tracks, the index of the frame that is shown first, and whether to ask questions."""
        self.tracks = tracks
        self.opened = opened
        self.predict = predict

    @cached_property
    def data(self) -> str:
        """The frames as JSON; `<` is escaped, so that no text can end the script element around it."""
        tracks = _compact_json([_deduplicate_panels(track) for track in self.tracks])
        for number, form in enumerate(SHORT_FORMS):
            tracks = tracks.replace(_compact_json(form)[1:-1], chr(0xE000 + number))
        short, opened, predict = map(_compact_json, (SHORT_FORMS, self.opened, self.predict))
        data = f'{{"short":{short},"tracks":{tracks},"opened":{opened},"predict":{predict}}}'
        return data.replace("<", "\\u003c")

    @property
    def html(self) -> Html:
        """The player as one element, with its style and script."""
        return self._with_script(f"To step through it, {HOW_TO_TRUST}")

    def _with_script(self, hint: Html) -> Html:
        style = f"<style data-tokenlab=player>{load_asset('player.css')}</style>"
        return self._element(hint, style, f"{{{load_asset('player.js')}\nplayHere()}}")

    def _element(self, hint: Html, style: Html, script: str) -> Html:
        return (
            f"<div class=tokenlab>{self._still(hint)}{style}"
            f"<script type=application/json data-tokenlab=frames>{self.data}</script>"
            f"<script data-tokenlab=player>{script}</script></div>"
        )

    def page(self, title: str) -> Html:
        """Return the player as a standalone page that needs neither kernel nor network."""
        return standalone_page(title, self._with_script(PAGE_HINT))

    def on_shared_page(self) -> Html:
        """Return the player for a `standalone_page` that begins with `shared_assets`, without style and script."""
        return self._element(PAGE_HINT, "", "tokenlabPlay()")

    def __str__(self) -> str:
        return "\n\n".join(track.sentences for track in self.tracks)

    def __repr__(self) -> str:
        """Return the current frame as text, which a Python prompt prints, and how to see more."""
        track = self.tracks[0]
        more = how_to_see_more(track.first + self.opened, track.length)
        shown = [each.text(self.opened) for each in self.tracks]
        return "\n\n".join([*shown, more if len(shown) == 1 else "All steps of both: print(player)."])

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/html": self.html, "text/plain": str(self)}

    def _still(self, hint: Html) -> Html:
        stills = "".join(static_frame(track.frames[min(self.opened, len(track.frames) - 1)]) for track in self.tracks)
        return f'<div style="{_STATIC_STYLE["div"]}"><p><strong>This view is static. {hint}</strong></p>{stills}</div>'


# Markup that frames repeat hundreds of times is sent as one private-use character, which no text here may contain.
SHORT_FORMS = (
    '</b> <b role=button tabindex=-1 data-at="',
    '</b> <b class=changed role=button tabindex=-1 data-at="',
    "</b> <b>",
    "<tr><th scope=row><b>",
    "</b><td><i style=width:",
    "%></i><td>",
    " ×</span> <div><b>",
    "<li><span>",
    "<b class=new>",
    "<b class=left>",
    "<b class=right>",
    '" data-to="',
    '" title="original ',
    ", normalized ",
    '"></i><i title="',
    "</b>",
    "<b>",
)


def _compact_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _deduplicate_panels(track: PlayerTrack) -> dict[str, Any]:
    """Convert a track to JSON data in which every panel and row occurs once; frames refer to them by number."""
    rows: dict[Html, int] = {}
    panels: dict[tuple[Any, ...], int] = {}

    def number_of(panel: Panel) -> int:
        numbers = tuple(rows.setdefault(row, len(rows)) for row in panel.rows)
        key = (panel.title, panel.kind, int(panel.more), int(panel.hides), int(panel.wide), numbers)
        return panels.setdefault(key, len(panels))

    frames = [
        [frame.moment, frame.caption, frame.remark, [*map(number_of, frame.panels)], _question(frame)]
        for frame in track.frames
    ]
    return {"title": track.title, "notice": track.notice, "frames": frames, "panels": list(panels), "rows": list(rows)}


def _question(frame: Frame) -> Any:
    question = frame.question
    return question and [
        question.prompt,
        [[option.label, option.why, int(option.right), option.misconception] for option in question.options],
    ]


@cache
def load_asset(name: str) -> str:
    """Load a script or style sheet without comments and most spaces, because every stored output repeats it."""
    from importlib.resources import files  # here, because a page has the assets already

    source = (files("tokenlab.show") / name).read_text(encoding="utf-8")
    if name.endswith("css"):
        source = re.sub(r"/\*.*?\*/", "", source, flags=re.DOTALL)
        return re.sub(r"\s+(?=[{}])|(?<=[{};:,])\s+|;\s*(?=})", "", source)
    lines = re.sub(r"^\s*//.*\n|^\s+", "", source, flags=re.MULTILINE).splitlines()
    return re.sub(r"(?<=[{;,(=>&|?:])\n|\n(?=[})\].?:&|])", "", "\n".join(map(_without_spaces, lines)))


def _without_spaces(line: str) -> str:
    """Return a line of a script without the spaces around signs, but for those in strings.

    A line with a pattern or with a template in a template stays as it is.
    """
    if re.search("['/]|`[^`]*`[^`]*`", line):
        return line
    return re.sub(r'("[^"]*"|`[^`]*`)|\s*([=<>?:&|,;{}()!*])\s*', lambda match: match[1] or match[2], line)


PAGE_HINT = "To step, allow this page its script."


def standalone_page(title: str, body: Html) -> Html:
    """Return a page with this title and content that loads nothing."""
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{text(title)}</title>"
        "<style>:root{color-scheme:light dark}body{margin:1rem auto;max-width:60rem;padding:0 1rem;"
        f"font-family:system-ui,sans-serif}}</style>{body}</html>\n"
    )


def shared_assets() -> Html:
    """Return style and script for all players of one page, once."""
    script = f"const tokenlabPlay = (() => {{{load_asset('player.js')}\nreturn playHere}})()"
    return (
        f"<style data-tokenlab=player>{load_asset('player.css')}</style><script data-tokenlab=player>{script}</script>"
    )


_STATIC_STYLE = {
    "div": "border:1px solid #888;border-radius:8px;padding:8px 16px;margin:4px 0",
    "b": "display:inline-block;background:#e4e4de;color:#000;border-radius:5px;padding:2px 8px;margin:1px;"
    "font-family:monospace",
    "new": "outline:2px solid #009e73",
    "left": "background:#56b4e9",
    "right": "background:#e69f00",
    "unknown": "outline:2px dashed #d55e00",
    "i": "display:inline-block;height:12px;background:#8a8a85",
    "panel": "margin:8px 0",
    "row": "display:inline-block",
    "cell": "text-align:left",
}


def static_frame(frame: Frame) -> Html:
    """Return a frame with inline styles only: JupyterLab removes all others in a notebook that is not trusted."""
    panels = "".join(_still_panel(panel) for panel in frame.panels if not panel.more)
    return inline_styles(f"<p><strong>{text(frame.moment)}.</strong> {frame.caption} {frame.remark}</p>{panels}")


def inline_styles(html: Html) -> Html:
    """Replace classes of chips, bars and rows by inline styles, for environments that drop classes."""
    html = re.sub(r"<style>.*?</style>", "", html)  # style sheets refer to classes
    html = re.sub(r"<b class=(\w+)>", lambda m: f'<b style="{_STATIC_STYLE["b"]};{_STATIC_STYLE[m[1]]}">', html)
    for tag, style in (("b", "b"), ("div", "row"), ("td", "cell")):
        html = html.replace(f"<{tag}>", f'<{tag} style="{_STATIC_STYLE[style]}">')
    return re.sub(r"<i style=(width:\d+)%>", rf'<i style="{_STATIC_STYLE["i"]};\1px">', html)


def _still_panel(panel: Panel) -> Html:
    rows = "".join(panel.rows)
    # JupyterLab would leave only the text of a drawing, in one line; a table next to it has the same content.
    if "<svg" in rows:
        return ""
    body = {
        "words": f'<ul style="list-style:none;padding:0">{rows}</ul>',
        "bars": f"<table>{rows}</table>",
        "chips": f"<p>{' '.join(panel.rows)}</p>",
        "lines": f"<ul>{rows}</ul>",
    }[panel.kind]
    return f'<div style="{_STATIC_STYLE["panel"]}"><strong>{text(panel.title)}</strong>{body}</div>'
