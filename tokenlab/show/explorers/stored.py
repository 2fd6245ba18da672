"""The controls of an explorer as a notebook stores them: disabled, with a sentence that says how to enable them.

A script on a page finds `fieldset.tokenlab-stored` before the player, `div.tokenlab`.
"""

from __future__ import annotations

from collections.abc import Mapping

from tokenlab.show.explorers.controls import Checkbox, Choice, Control, Slider, TextBox
from tokenlab.show.frames import Html
from tokenlab.show.frames import text as as_html

WIDEST = 60  # characters of a line of a text

# Of the widget and the stored player below it, one is shown. If the kernel of a widget has ended, JupyterLab shows an
# error, "Loading widget...", or controls without effect in its place.
_OUTPUT = ":is(.jp-OutputArea-child, .output_container, .output_subarea)"  # of JupyterLab, VS Code, Colab
_LIVE = ":has(.tokenlab-explorer:not(.jupyter-widgets-disconnected))"
_STYLE = (
    f"<style>{_OUTPUT}{_LIVE} + {_OUTPUT}:has(.tokenlab-stored),"
    f".jp-OutputArea-child:has(> .jp-OutputArea-output:not([data-mime-type])):not({_LIVE})"
    ":has(+ .jp-OutputArea-child .tokenlab-stored) { display: none }"
    ".tokenlab-stored label { min-width: 0; max-width: 100% }"
    "@media (min-width: 31rem) { .tokenlab-stored textarea { max-height: 4em } }</style>"  # room for the player
)

# Browsers show disabled elements pale.
_READABLE = (
    ' style="color:inherit;background:none;border:1px solid #888;opacity:1;font:inherit;vertical-align:top;'
    'max-width:100%;box-sizing:border-box;resize:none;overflow-wrap:anywhere;field-sizing:content"'
)


def disabled_controls(controls: Mapping[str, Control]) -> Html:
    """Return the controls as disabled HTML elements, with a sentence that says how to enable them.

    >>> disabled_controls({"word": TextBox("word", "<b>")})
    '<style>...<legend ...>Run this cell to type your own text.</legend>...<textarea ...>&lt;b&gt;</textarea>...
    """
    shown = [control for control in controls.values() if control.shown]
    typed = any(isinstance(control, TextBox) for control in shown)
    use = " and ".join(["type your own text"] * typed + ["change these settings"] * (len(shown) > typed))
    labels = "".join(f"<label>{as_html(control.label)} {_disabled(control)}</label> " for control in shown)
    return (
        f"{_STYLE}<fieldset class=tokenlab-stored disabled "
        'style="display:flex;flex-wrap:wrap;gap:4px 20px;max-width:58rem;padding:6px 16px;'
        'min-width:0;border:1px dashed #888;border-radius:8px;opacity:.8">'
        f"<legend style='padding:0 4px;font-weight:600'>Run this cell to {use}.</legend>{labels}</fieldset>"
    )


def _disabled(control: Control) -> Html:
    value = as_html(control.value)
    match control:
        case TextBox():
            one_line = " ".join(filter(None, value.splitlines()))
            columns = min(WIDEST, max(12, len(control.value)))  # it wraps, and on a phone it is narrower
            rows = min(3, 1 + len(control.value) // WIDEST)
            return f"<textarea rows={rows} cols={columns}{_READABLE} disabled>{one_line}</textarea>"
        case Checkbox():
            return f"<input type=checkbox{' checked' * control.value} disabled>"
        case Slider():
            ends = f"min={control.min} max={control.max} step={control.step}"
            return f"<input type=range {ends} value={value} disabled> {control.value:g}"
        case Choice(index=int() as index):
            value = as_html(control.labels[index])
    return f"<select{_READABLE} disabled><option>{value}</select>"
