"""Explorer: controls above a player; a change of a control records the algorithm again and updates the player.

Adds: the controls in columns, so that a control and its effect are in view together; the message about invalid input;
and the controls as they are stored in a notebook, disabled, with a sentence that says how to enable them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from threading import Lock
from time import perf_counter
from typing import Any

import anywidget
import ipywidgets
import traitlets
from IPython.display import display

from tokenlab.show.explorers.known_sentence import LONGEST_TYPED as LONGEST_TYPED
from tokenlab.show.explorers.known_sentence import KnownSentence
from tokenlab.show.frames import Html
from tokenlab.show.frames import text as as_html
from tokenlab.show.player import Player, load_asset
from tokenlab.steps.recording import Recording

WIDGET = "application/vnd.jupyter.widget-view+json"
MOST_TOKENS = 64  # tokens of a text for a T5, whose matrices are shown
LONGEST_TEXT = 20_000  # characters of a text that is processed at every key press without delay

COLUMNS = "repeat(auto-fit, minmax(min(100%, 17rem), 1fr))"
ALL_COLUMNS = "tokenlab-all-columns"  # the class of an element that spans them
LONG = 0.2  # seconds of a computation after which the next one is announced
WIDEST = 60  # characters of a line of a stored text
LONGEST_NAME = 24  # characters of a control's name that leave room for the control in one column
TEXT = (ipywidgets.Text, ipywidgets.Textarea)

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

# Of the widget and the stored player below it, one is shown. If the kernel of a widget has ended, JupyterLab shows an
# error, "Loading widget...", or controls without effect in its place.
_OUTPUT = ":is(.jp-OutputArea-child, .output_container, .output_subarea)"  # of JupyterLab, VS Code, Colab
_LIVE = ":has(.tokenlab-explorer:not(.jupyter-widgets-disconnected))"
_STORED_STYLE = (
    f"<style>{_OUTPUT}{_LIVE} + {_OUTPUT}:has(.tokenlab-stored),"
    f".jp-OutputArea-child:has(> .jp-OutputArea-output:not([data-mime-type])):not({_LIVE})"
    ":has(+ .jp-OutputArea-child .tokenlab-stored) { display: none }"
    ".tokenlab-stored label { min-width: 0; max-width: 100% }"
    "@media (min-width: 31rem) { .tokenlab-stored textarea { max-height: 4em } }</style>"  # room for the player
)


class PlayerWidget(anywidget.AnyWidget):
    """The player as a widget that is redrawn when its data change."""

    _esm = load_asset("player.js") + "\nexport default { render };"
    _css = load_asset("player.css") + _STYLE
    data = traitlets.Unicode().tag(sync=True)


class Explorer(ipywidgets.GridBox):  # type: ignore[misc]
    """Controls, and below them the player for the recording of their values."""

    def __init__(
        self,
        record: Callable[..., Recording[Any, Any]],
        opened: int | Callable[[Recording[Any, Any]], int] = 0,
        predict: bool = True,
        **controls: Any,
    ) -> None:
        """Take a function that returns a recording, and a control for each of its arguments.

        Args:
            record: returns the recording that is shown.
            opened: the frame at which each recording is opened, or a function of the recording; -1 is the last.
            predict: whether the player asks questions at first.
            controls: a widget for each argument name.
        """
        self._record = record
        self.opened = opened
        self._predict = predict
        self._controls = controls
        self._seconds = 0.0  # of the last computation
        # Callbacks may come from several threads at once.
        self._lock = Lock()
        self._player = Player([])
        self.widget = PlayerWidget(layout={"order": "3"}).add_class(ALL_COLUMNS)
        self.message = ipywidgets.HTML(layout={"order": "1", "width": "auto"}).add_class(ALL_COLUMNS)
        self.message.add_class("tokenlab-message")
        layout = {"grid_template_columns": COLUMNS, "grid_gap": "0 12px", "max_width": "60rem"}
        shown = [part for control in controls.values() for part in _with_list(control)]
        super().__init__([*shown, self.message, self.widget], layout=layout)
        self.add_class("tokenlab-explorer")
        arrange(controls.values())
        self._update()
        for control in controls.values():
            control.observe(self._update, "value")

    def _update(self, _: object = None) -> None:
        with self._lock:
            began = perf_counter()
            # Each message before the figure delays it, so short computations are not announced.
            if self._seconds > LONG:
                self.add_class("tokenlab-busy")
            values = {name: control.value for name, control in self._controls.items()}
            try:
                for control in self._controls.values():
                    if isinstance(control, KnownSentence):
                        control.check()
                recording = self._record(**values)
                opened = self.opened(recording) if callable(self.opened) else self.opened
                self._player = recording.play(opened=opened, predict=self._predict)
            except (ValueError, TypeError) as error:
                self.message.value = f"<p role=alert>{as_html(error)}</p>"
                self.add_class("tokenlab-stale")
            else:
                self.widget.data = self._player.data
                self.message.value = ""
                self.remove_class("tokenlab-stale")
            finally:
                self.remove_class("tokenlab-busy")
                self._seconds = perf_counter() - began

    def _ipython_display_(self) -> None:
        """Display the widget, and below it what is stored for the time when its kernel has ended."""
        # In one output, JupyterLab would prefer the widget even if it cannot show it.
        display({WIDGET: super()._repr_mimebundle_()[WIDGET]}, raw=True)  # type: ignore[no-untyped-call]
        display(self._repr_mimebundle_(), raw=True)  # type: ignore[no-untyped-call]

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Return the player that needs no kernel, below the disabled controls."""
        stored = self._player._repr_mimebundle_()
        stored["text/html"] = disabled_controls(self._controls) + stored["text/html"]
        return stored


def _with_list(control: Any) -> list[Any]:
    """Return the control, followed by its list of sentences if it has one."""
    return [control, control.known] if isinstance(control, KnownSentence) else [control]


def arrange(controls: Collection[Any]) -> None:
    """Give text boxes a row each and settings a column each; the message about the text fits between them."""
    names = [len(control.description) for control in controls if not isinstance(control, ipywidgets.Checkbox)]
    longest = max(names, default=0)
    for control in controls:
        control.layout.width = "auto"
        control.layout.order = "0" if isinstance(control, TEXT) else "2"
        if isinstance(control, KnownSentence):  # its list has a column beside it
            control.add_class("tokenlab-known-sentence")
            control.known.layout = {"width": "auto", "order": "0"}
        elif isinstance(control, TEXT) or longest > LONGEST_NAME:
            control.add_class(ALL_COLUMNS)
        if isinstance(control, ipywidgets.Checkbox):
            control.indent = False
        else:
            control.style.description_width = f"{0.8 + 0.45 * max(8, longest):.1f}rem"


def disabled_controls(controls: Mapping[str, Any]) -> Html:
    """Return the controls as disabled HTML elements, with a sentence that says how to enable them.

    >>> disabled_controls({"word": text_box("word", "<b>")})
    '<style>...<legend ...>Run this cell to type your own text.</legend>...<textarea ...>&lt;b&gt;</textarea>...
    """
    shown = [control for control in controls.values() if control.layout.display != "none"]
    typed = any(isinstance(control, TEXT) for control in shown)
    use = " and ".join(["type your own text"] * typed + ["change these settings"] * (len(shown) > typed))
    labels = "".join(f"<label>{as_html(control.description)} {_disabled(control)}</label> " for control in shown)
    return (
        f"{_STORED_STYLE}<fieldset class=tokenlab-stored disabled "
        'style="display:flex;flex-wrap:wrap;gap:4px 20px;max-width:58rem;padding:6px 16px;'
        'min-width:0;border:1px dashed #888;border-radius:8px;opacity:.8">'
        f"<legend style='padding:0 4px;font-weight:600'>Run this cell to {use}.</legend>{labels}</fieldset>"
    )


# Browsers show disabled elements pale.
_READABLE = (
    ' style="color:inherit;background:none;border:1px solid #888;opacity:1;font:inherit;vertical-align:top;'
    'max-width:100%;box-sizing:border-box;resize:none;overflow-wrap:anywhere;field-sizing:content"'
)


def _disabled(control: Any) -> Html:
    value = as_html(control.value)
    match control:
        case ipywidgets.Text() | ipywidgets.Textarea():
            one_line = " ".join(filter(None, value.splitlines()))
            columns = min(WIDEST, max(12, len(control.value)))  # it wraps, and on a phone it is narrower
            rows = min(3, 1 + len(control.value) // WIDEST)
            return f"<textarea rows={rows} cols={columns}{_READABLE} disabled>{one_line}</textarea>"
        case ipywidgets.Checkbox():
            return f"<input type=checkbox{' checked' * control.value} disabled>"
        case ipywidgets.IntSlider() | ipywidgets.FloatSlider():
            ends = f"min={control.min} max={control.max} step={control.step}"
            return f"<input type=range {ends} value={value} disabled> {control.value:g}"
    return f"<select{_READABLE} disabled><option>{as_html(getattr(control, 'label', value))}</select>"


def text_box(name: str, value: str) -> ipywidgets.Text:
    """Return a text box."""
    return ipywidgets.Text(value, description=name)


def text_area(name: str, value: str) -> ipywidgets.Textarea:
    """Return a box for several lines of text."""
    return ipywidgets.Textarea(value, description=name, rows=3)


def choice(name: str, options: Any, **value: Any) -> ipywidgets.Dropdown:
    """Return a list to choose from; without `value=`, its first option is chosen."""
    return ipywidgets.Dropdown(options=options, description=name, **value)


def checkbox(name: str, checked: bool = True) -> ipywidgets.Checkbox:
    """Return a box to tick."""
    return ipywidgets.Checkbox(checked, description=name)


def int_slider(name: str, value: int, least: int, most: int) -> ipywidgets.IntSlider:
    """Return a slider for a setting."""
    return ipywidgets.IntSlider(value, least, most, description=name)


def float_slider(
    name: str, value: float, least: float, most: float, step: float = 0.1, **options: Any
) -> ipywidgets.FloatSlider:
    """Return a slider for a setting."""
    return ipywidgets.FloatSlider(value, min=least, max=most, step=step, description=name, **options)


def check_characters(text: str, most: int = LONGEST_TEXT, whole: str = "train_indexed", name: str = "text") -> str:
    """Return the text, or raise a ValueError if it is too long to process at every key press.

    Args:
        text: the typed text.
        most: the largest number of characters.
        whole: the function that takes texts of any length.
        name: the label of the control.
    """
    if len(text) > most:
        raise ValueError(
            f"{name} is {len(text):,} characters long, too long to process at every key press; "
            f"take at most {most:,} here, or call {whole} on the whole {name}"
        )
    return text


def encode_typed_text(tokenizer: Any, text: str, name: str) -> list[int]:
    """Return the ids of a typed text.

    Raises:
        ValueError: the text is invalid, for example half of a surrogate pair.
    """
    from tokenlab.traces.t5.trace_attention_head import encode_or_ids

    try:
        return encode_or_ids(tokenizer, text, name)
    except RuntimeError as error:  # raised by sentencepiece
        raise ValueError(str(error)) from error


def check_length(name: str, ids: list[int]) -> None:
    """Raise a ValueError if the matrices of a text would be too large."""
    if len(ids) > MOST_TOKENS:
        raise ValueError(f"{name} has {len(ids)} tokens, too many to draw; take at most {MOST_TOKENS} here")


def check_typed_text(tokenizer: Any, **texts: str) -> None:
    """Raise a ValueError for a text that is invalid or too long to process at every key press; it may be empty."""
    for name, given in texts.items():
        check_length(
            name,
            encode_typed_text(tokenizer, check_characters(given, LONGEST_TYPED, "record", name), name) if given else [],
        )
