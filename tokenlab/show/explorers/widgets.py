"""An explorer in JupyterLab: controls in columns above the player, so that a control and its effect are in view."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import anywidget
import ipywidgets
import traitlets

from tokenlab.show.explorers.controls import Checkbox, Choice, Control, FloatSlider, Slider, TextArea, TextBox
from tokenlab.show.explorers.explorer import Explorer
from tokenlab.show.explorers.known_sentence import KnownSentence
from tokenlab.show.frames import text as as_html
from tokenlab.show.player import load_asset

COLUMNS = "repeat(auto-fit, minmax(min(100%, 17rem), 1fr))"
ALL_COLUMNS = "tokenlab-all-columns"  # the class of an element that spans them
LONGEST_NAME = 24  # characters of a control's name that leave room for the control in one column

# With the controls above it, the player gets less of the screen's height. Progress is shown only if there is a wait.
_STYLE = """
.tokenlab-explorer > .tokenlab-all-columns { grid-column: 1 / -1; }
.tokenlab-explorer > .tokenlab-known-sentence { grid-column: 1 / -2; }
.tokenlab-explorer > .tokenlab-known-sentence + * { grid-column: -2 / -1; }
.tokenlab-explorer .widget-checkbox { align-self: center; padding-left: 1rem; }
.tokenlab-explorer .tl { --most: max(16rem, 71vh - var(--above, 0px)); margin: 0; }
.tokenlab-explorer .noUi-handle { background: var(--jp-brand-color1); }
.tokenlab-explorer .widget-readout { min-width: 44px; }
.tokenlab-explorer > .tokenlab-message { min-height: 0; line-height: 1.3; overflow: visible; }
.tokenlab-message p {
  margin: 0; padding: 4px 10px; max-height: 6.5em; overflow-y: auto; border-left: 4px solid #d55e00;
  background: color-mix(in srgb, #d55e00 12%, transparent); color: var(--jp-content-font-color1);
}
.tokenlab-stale .tl-tracks, .tokenlab-stale .tokenlab-answers { opacity: .35; filter: grayscale(1); }
.tokenlab-busy .tl { position: relative; }
.tokenlab-busy .tl::before {
  content: "Computing \\2026"; position: absolute; z-index: 1; inset: 0 0 auto; padding: 0 12px 3px;
  font-size: 12px; background: linear-gradient(90deg, transparent 50%, var(--accent) 50%) bottom / 200% 3px no-repeat,
  var(--ground); animation: tokenlab-wait 2s linear infinite, tokenlab-appear .01s .5s backwards;
}
.tokenlab-busy .tl-tracks { animation: tokenlab-fade .01s .5s forwards; }
@keyframes tokenlab-wait { from { background-position: 100% 100%; } to { background-position: -100% 100%; } }
@keyframes tokenlab-appear { from { opacity: 0; } }
@keyframes tokenlab-fade { to { opacity: .6; } }
"""

KINDS = {
    "text_box": ipywidgets.Text,
    "known_sentence": ipywidgets.Text,
    "text_area": ipywidgets.Textarea,
    "checkbox": ipywidgets.Checkbox,
    "int_slider": ipywidgets.IntSlider,
    "float_slider": ipywidgets.FloatSlider,
    "choice": ipywidgets.Dropdown,
    "selection_slider": ipywidgets.SelectionSlider,
}


class PlayerWidget(anywidget.AnyWidget):
    """The player as a widget that is redrawn when its data change."""

    _esm = load_asset("player.js") + "\nexport default { render };"
    _css = load_asset("player.css") + _STYLE
    data = traitlets.Unicode().tag(sync=True)


class ExplorerWidget(ipywidgets.GridBox):  # type: ignore[misc]
    """The controls, the message below the text boxes, and the player."""

    def __init__(self, explorer: Explorer) -> None:
        """Take the explorer that is shown."""
        self._explorer = explorer
        self.player = PlayerWidget(data=explorer.data, layout={"order": "3"}).add_class(ALL_COLUMNS)
        self.message = ipywidgets.HTML(layout={"order": "1", "width": "auto"}).add_class(ALL_COLUMNS)
        self.message.add_class("tokenlab-message")
        self.answers = ipywidgets.HTML(layout={"order": "3"}).add_class(ALL_COLUMNS)
        self.answers.add_class("tokenlab-answers")
        answers = [self.answers] if explorer.answer else []
        layout = {"grid_template_columns": COLUMNS, "grid_gap": "0 12px", "max_width": "60rem"}
        shown = arranged(explorer.controls.values())
        super().__init__([*shown, self.message, *answers, self.player], layout=layout)
        self.add_class("tokenlab-explorer")
        explorer.observe(self._follow)
        self._follow(busy=False)

    def _follow(self, busy: bool) -> None:
        if busy:
            self.add_class("tokenlab-busy")
            return
        message = self._explorer.message
        self.player.data = self._explorer.data
        self.answers.value = self._explorer.answers
        self.message.value = message and f"<p role=alert>{as_html(message)}</p>"
        (self.add_class if message else self.remove_class)("tokenlab-stale")
        self.remove_class("tokenlab-busy")


def arranged(controls: Collection[Control]) -> list[Any]:
    """Return widgets: a row for each text box and a column for each setting; the message fits between them."""
    names = [len(control.label) for control in controls if not isinstance(control, Checkbox)]
    longest = max(names, default=0)
    widgets = []
    for control in controls:
        widget = widget_of(control)
        widget.layout.width = "auto"
        widget.layout.order = "0" if isinstance(control, TextBox) else "2"
        widgets.append(widget)
        if isinstance(control, KnownSentence):
            widget.add_class("tokenlab-known-sentence")
            known = widget_of(control.known)  # has a column beside the text box
            known.layout = {"width": "auto", "order": "0"}
            widgets.append(known)
        elif isinstance(control, TextBox) or longest > LONGEST_NAME or control.wide:
            widget.add_class(ALL_COLUMNS)
        if isinstance(control, Checkbox):
            widget.indent = False
        else:
            widget.style.description_width = f"{0.8 + 0.45 * max(8, longest):.1f}rem"
    return widgets


def widget_of(control: Control) -> Any:
    """Return a widget that shows a control and changes it."""
    names, fixed = ["value"], dict[str, Any]()
    match control:
        case TextArea():
            fixed = {"rows": 3}
        case Slider():
            names, fixed = ["max", "min", "value"], {"step": control.step}
            if isinstance(control, FloatSlider):
                fixed["readout_format"] = control.format
        case Choice():
            names = ["options", "index"]
    changed = names[-1]  # by the learner

    def current() -> dict[str, Any]:
        return {name: getattr(control, "labels" if name == "options" else name) for name in names}

    def receive(change: Any) -> None:
        control.assign(control.from_json(change["new"]) if isinstance(control, Choice) else change["new"])

    def redraw() -> None:
        widget.unobserve(receive, changed)  # because a list whose options change chooses the first one
        for name, value in current().items():
            setattr(widget, name, value)
        widget.observe(receive, changed)
        widget.layout.display = None if control.shown else "none"

    widget = KINDS[control.kind](description=control.label, **current(), **fixed)
    widget.observe(receive, changed)
    control.redraw = redraw
    redraw()
    return widget
