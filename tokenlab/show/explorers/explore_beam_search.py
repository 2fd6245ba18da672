"""Explorer of beam search: controls for the text and the settings, the returned hypotheses and the player."""

from __future__ import annotations

from typing import Any

import ipywidgets

from tokenlab.libraries.transformers.generation.beams.beam_state import BeamSearchState, FinishedHypothesis
from tokenlab.show.explorers.explore_t5_attention import check_typed_text
from tokenlab.show.explorers.explorer import ALL_COLUMNS, Explorer, float_slider, int_slider, text_box
from tokenlab.show.frames import Html, text
from tokenlab.show.views.decoding.beam_panels import score_formula, search_after, text_of
from tokenlab.steps.recording import Recording

MOST = 8  # beams


def explore_beam_search(
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
    """Return controls for a text and the settings, above the player of a beam search.

    Args:
        guess: whether to open before the first step, and to hide the result until a control changes.
    """
    from tokenlab.traces.generation.trace_beam_search import trace_beam_search

    answers = ipywidgets.HTML(layout={"order": "3"}).add_class(ALL_COLUMNS)
    answers.add_class("tokenlab-answers")

    def record(text: str, **settings: Any) -> Recording[Any, Any]:
        check_typed_text(tokenizer, text=text)
        recording = trace_beam_search.record(model, tokenizer, text, **settings)
        answers.value = returned_hypotheses(recording)
        return recording

    explorer = Explorer(
        record,
        opened=0 if guess else -1,
        predict=not guess,
        text=text_box("text", text),
        num_beams=int_slider("num_beams", num_beams, 2, MOST),
        length_penalty=float_slider("length_penalty", length_penalty, -3, 5, readout_format=".1f"),
        early_stopping=_choice("early_stopping", early_stopping, [False, True, "never"]),
        num_return_sequences=int_slider("num_return_sequences", num_return_sequences, 1, MOST),
        repetition_penalty=float_slider("repetition_penalty", repetition_penalty, 0.5, 3, readout_format=".1f"),
        length_counts=_choice("length_counts", length_counts, ["prompt", "eos"]),
    )
    if guess:
        answers.value, explorer.opened = "", -1
    explorer.children = (*explorer.children[:-1], answers, explorer.widget)
    return explorer


def _choice(name: str, value: Any, options: list[Any]) -> Any:
    named = [(str(option), option) for option in options]
    return ipywidgets.Dropdown(options=named, value=value, description=name)


def returned_hypotheses(recording: Recording[Any, Any]) -> Html:
    """Return the list of returned hypotheses with their scores; screen readers announce changes."""
    growth = search_after(recording)
    kept = growth.ranking[: recording[-1].kept]
    items = "".join(f"<li>{_returned_hypothesis(growth, one)}" for one in kept)
    said = f"{len(growth.columns)} steps. Returned:"
    return f"<div role=status aria-live=polite>{said}<ol style=margin:0>{items}</ol></div>"


def _returned_hypothesis(growth: BeamSearchState, one: FinishedHypothesis) -> Html:
    formula = score_formula(one.node.score, one.length, growth.rule.length_penalty, one.score)
    return f"<strong>{text(text_of(growth, one))}</strong> ({formula}{'' if one.ended else ', truncated'})"
