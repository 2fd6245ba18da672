"""Controls over a beam search: a text to type, its settings on sliders, and what wins above the tree."""

from __future__ import annotations

from typing import Any

import ipywidgets

from tokenlab.show.explore import _CHOICE, _NAMED, Explorer
from tokenlab.show.explore_t5 import check_typed
from tokenlab.show.frames import Html, text
from tokenlab.show.views.beam_growth import Finished, Growth
from tokenlab.show.views.numbers import minus, score_of
from tokenlab.steps import Recording

MOST = 8  # beams


def explore_beams(
    text: str,
    model: Any,
    tokenizer: Any,
    num_beams: int = 4,
    length_penalty: float = 1.0,
    early_stopping: bool | str = False,
    num_return_sequences: int = 1,
    repetition_penalty: float = 1.0,
    length_counts: str = "prompt",
    guess: bool = False,
) -> Explorer:
    """A text to type, settings to move, and the beams that grow from them.

    Args:
        text: what the model reads at first.
        model: in eval mode, or dropout is drawn.
        tokenizer: that of the model.
        num_beams: how many beams are followed at first.
        length_penalty: the exponent of the length at first.
        early_stopping: False, True or "never" at first.
        num_return_sequences: how many hypotheses are answered at first.
        repetition_penalty: at first.
        length_counts: "prompt" or "eos" at first.
        guess: whether it opens before the first step, and says what is answered only when a control has been moved.
    """
    from tokenlab.transformers.generation.searching import search

    answers = ipywidgets.HTML()
    answers.add_class("tokenlab-answers")

    def record(text: str, **settings: Any) -> Recording[Any, Any]:
        answers.value = ""
        check_typed(tokenizer, text=text)
        recording = search.record(model, tokenizer, text, **settings)
        answers.value = answered(recording)
        return recording

    explorer = Explorer(
        record,
        opened=0 if guess else -1,
        predict=not guess,
        text=ipywidgets.Text(text, description="text", **_NAMED),
        num_beams=ipywidgets.IntSlider(num_beams, 2, MOST, description="num_beams", **_NAMED),
        length_penalty=_slider("length_penalty", length_penalty, -3, 5),
        early_stopping=_choice("early_stopping", early_stopping, [False, True, "never"]),
        num_return_sequences=ipywidgets.IntSlider(
            num_return_sequences, 1, MOST, description="num_return_sequences", **_NAMED
        ),
        repetition_penalty=_slider("repetition_penalty", repetition_penalty, 0.5, 3),
        length_counts=_choice("length_counts", length_counts, ["prompt", "eos"]),
    )
    if guess:
        answers.value, explorer.opened = "", -1
    explorer.children = (*explorer.children[:-1], answers, explorer.widget)
    return explorer


def _slider(name: str, value: float, least: float, most: float) -> Any:
    return ipywidgets.FloatSlider(
        value, min=least, max=most, step=0.1, readout_format=".1f", description=name, **_NAMED
    )


def _choice(name: str, value: Any, options: list[Any]) -> Any:
    named = [(str(option), option) for option in options]
    return ipywidgets.Dropdown(options=named, value=value, description=name, **_CHOICE)


def answered(recording: Recording[Any, Any]) -> Html:
    """What is answered, each with its score; who listens is told when it changes."""
    growth = Growth.of(recording)
    kept = growth.ranking[: recording[-1].kept]
    items = "".join(f"<li>{_answer(growth, one)}" for one in kept)
    said = f"{len(growth.columns)} steps. Answered:"
    return f"<div role=status aria-live=polite>{said}<ol style=margin:0>{items}</ol></div>"


def _answer(growth: Growth, one: Finished) -> Html:
    rule = f"{minus(one.node.score)} / {one.length}<sup>{minus(growth.rule.length_penalty, 1)}</sup>"
    end = "" if one.ended else ", cut off"
    return f"<strong>{text(growth.said(one))}</strong> ({rule} = {score_of(one.score)}{end})"
