"""Explorers of text generation by a T5: the next token, sampling, cross-attention, and all kinds of beam search."""

from __future__ import annotations

from typing import Any

from tokenlab.libraries.transformers.generation.beam_state import BeamSearchState, FinishedHypothesis
from tokenlab.show import LONGEST
from tokenlab.show.explorers.controls import Checkbox, Choice, FloatSlider, IntSlider, TextBox
from tokenlab.show.explorers.explorer import Explorer
from tokenlab.show.explorers.known_sentence import sentence_box
from tokenlab.show.explorers.typed_text import check_typed_text
from tokenlab.show.frames import Html, text
from tokenlab.show.views.decoding.beam_panels import score_formula, search_after, text_of
from tokenlab.steps.recording import Recording

MAX_NEW_TOKENS = 30  # tokens that are generated at every key press
MEAN = "the mean of all"
MOST_BEAMS, MAX_PENALTY = 8, 5.0
MOST_TOKENS = 24  # maximum ids of an output of group beam search, including its start


def explore_next_token(text: str, model: Any, tokenizer: Any, written: str = "", **settings: Any) -> Explorer:
    """Explore the distribution of the next token after each logits processor and warper.

    Args:
        written: the initial target prefix of the decoder.
        settings: initial values of the sliders: temperature, top_k, top_p, typical_p, repetition_penalty.
    """
    from tokenlab.traces.generation.trace_next_token import ORDERS, trace_next_token

    def record(text: str, written: str, order: str, **settings: Any) -> Recording[Any, Any]:
        check_typed_text(tokenizer, text=text, written=written)
        return trace_next_token.record(model, tokenizer, text, written, order, **_rounded(settings))

    return Explorer(
        record,
        opened=-1,
        text=sentence_box("text", text, tokenizer),
        written=TextBox("written", written),
        **_sliders(settings),
        order=Choice("order", ORDERS),
    )


def explore_sampling(text: str, model: Any, tokenizer: Any, seed: int = 0, **settings: Any) -> Explorer:
    """Explore a text that is sampled token by token.

    Args:
        settings: initial values of the sliders: temperature, top_k, top_p, typical_p, repetition_penalty.
    """
    from tokenlab.traces.generation.trace_sampling import trace_sampling

    def record(text: str, draw: bool, seed: int, **settings: Any) -> Recording[Any, Any]:
        check_typed_text(tokenizer, text=text)
        used = {name: value for name, value in _rounded(settings).items() if draw or name == "repetition_penalty"}
        return trace_sampling.record(
            model, tokenizer, text, seed, do_sample=draw, max_new_tokens=MAX_NEW_TOKENS, **used
        )

    return Explorer(
        record,
        opened=-1,
        text=sentence_box("text", text, tokenizer),
        draw=Checkbox("draw (or take the most probable)"),
        seed=IntSlider("seed", seed, 0, max(99, seed)),
        **_sliders(settings),
    )


def explore_cross_attention(
    text: str, model: Any, tokenizer: Any, head: int | None = None, num_beams: int = 1
) -> Explorer:
    """Explore the cross-attention weights of a layer and head for each generated token."""
    from tokenlab.traces.generation.trace_sampling import LAST_LAYER, trace_cross_attention

    layers = model.config.num_decoder_layers
    heads = [MEAN, *map(str, range(model.config.num_heads))]

    def record(text: str, layer: int, head: str, num_beams: int) -> Recording[Any, Any]:
        check_typed_text(tokenizer, text=text)
        place, number = LAST_LAYER.format(layer), None if head == MEAN else int(head)
        options = {"num_beams": num_beams, "max_new_tokens": MAX_NEW_TOKENS}
        return trace_cross_attention.record(model, tokenizer, text, place, number, **options)

    return Explorer(
        record,
        opened=-1,
        text=sentence_box("text", text, tokenizer),
        layer=IntSlider("layer", layers - 1, 0, layers - 1),
        head=Choice("head", heads, value=heads[0 if head is None else head + 1]),
        num_beams=IntSlider("num_beams", num_beams, 1, max(6, num_beams)),
    )


def _sliders(settings: dict[str, Any]) -> dict[str, Any]:
    """Return a slider for each setting; its initial value has no effect unless `settings` overrides it.

    Raises:
        ValueError: a setting that has no slider.
    """
    ends = {  # value without effect, minimum, maximum, step
        "temperature": (1.0, 0.1, 3.0, 0.1),
        "top_k": (0, 0, 50, 1),
        "top_p": (1.0, 0.05, 1.0, 0.05),
        "typical_p": (1.0, 0.05, 1.0, 0.05),
        "repetition_penalty": (1.0, 0.5, 3.0, 0.1),
    }
    for name in settings:
        if name not in ends:
            raise ValueError(f"{name} has no slider here; there are {', '.join(ends)}")
    sliders = {}
    for name, (rest, least, most, step) in ends.items():
        kind = IntSlider if isinstance(rest, int) else FloatSlider
        value = settings.get(name, rest)
        sliders[name] = kind(name, value, min(least, value), max(most, value), step)
    return sliders


def _rounded(settings: dict[str, Any]) -> dict[str, Any]:
    """Round the settings to 2 decimals, as the sliders show them."""
    return {name: round(value, 2) for name, value in settings.items()}


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

    def record(text: str, **settings: Any) -> Recording[Any, Any]:
        check_typed_text(tokenizer, text=text)
        return trace_beam_search.record(model, tokenizer, text, **settings)

    explorer = Explorer(
        record,
        opened=0 if guess else -1,
        predict=not guess,
        answer=returned_hypotheses,
        text=sentence_box("text", text, tokenizer),
        num_beams=IntSlider("num_beams", num_beams, 2, MOST_BEAMS),
        length_penalty=FloatSlider("length_penalty", length_penalty, -3, 5, format=".1f"),
        early_stopping=Choice("early_stopping", [False, True, "never"], value=early_stopping),
        num_return_sequences=IntSlider("num_return_sequences", num_return_sequences, 1, MOST_BEAMS),
        repetition_penalty=FloatSlider("repetition_penalty", repetition_penalty, 0.5, 3, format=".1f"),
        length_counts=Choice("length_counts", ["prompt", "eos"], value=length_counts),
    )
    if guess:
        explorer.answers, explorer.opened = "", -1
    return explorer


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


def explore_constrained_beam_search(
    text: str,
    words: str,
    model: Any,
    tokenizer: Any,
    num_beams: int = 4,
    length_penalty: float = 1.0,
    max_length: int = 20,
) -> Explorer:
    """Return controls for a text, words and settings, above the player of a constrained beam search.

    Args:
        words: initial constraints, separated by commas; alternatives are separated by "|".
        max_length: maximum number of ids of an output, including its start.
    """
    from tokenlab.traces.generation.trace_beam_search import trace_constrained_beam_search

    def record(text: str, words: str, num_beams: int, length_penalty: float) -> Recording[Any, Any]:
        check_typed_text(tokenizer, text=text, words=words)
        given = (text, words, num_beams, length_penalty)
        return trace_constrained_beam_search.record(model, tokenizer, *given, max_length=max_length)

    return Explorer(
        record,
        text=sentence_box("text", text, tokenizer),
        words=TextBox("words", words),
        num_beams=IntSlider("num_beams", num_beams, 2, max(8, num_beams)),
        length_penalty=FloatSlider("length_penalty", length_penalty, -2, 3, 0.25),
    )


def explore_group_beam_search(
    text: str,
    model: Any,
    tokenizer: Any,
    num_beams: int = 4,
    num_beam_groups: int = 4,
    diversity_penalty: float = 1.0,
    length_penalty: float = 1.0,
) -> Explorer:
    """Return controls for a text and settings, above the player of a group beam search.

    Outputs of 5 or more groups are truncated earlier, so that the player can show all steps.
    """
    from tokenlab.traces.generation.trace_beam_search import compare_group_beam_search

    def record(text: str, num_beam_groups: int, **settings: Any) -> Recording[Any, Any]:
        check_typed_text(tokenizer, text=text)
        settings |= {"num_beam_groups": num_beam_groups, "max_length": max_output_length(num_beam_groups)}
        return compare_group_beam_search.record(model, tokenizer, text, **settings)

    return Explorer(
        record,
        text=sentence_box("text", text, tokenizer),
        num_beams=IntSlider("num_beams", num_beams, 2, MOST_BEAMS),
        num_beam_groups=IntSlider("num_beam_groups", num_beam_groups, 1, MOST_BEAMS),
        diversity_penalty=FloatSlider("diversity_penalty", diversity_penalty, 0.0, MAX_PENALTY, 0.25),
        length_penalty=FloatSlider("length_penalty", length_penalty, -1.0, 3.0, 0.25),
    )


def max_output_length(groups: int) -> int:
    """Return the maximum number of ids of an output such that the player can show all steps.

    >>> max_output_length(4), max_output_length(8)
    (24, 13)
    """
    # A step of each group for each token except the start, then the ranking and the comparison.
    return min(MOST_TOKENS, 1 + (LONGEST - 2) // groups)


def explore_contrastive_search(
    text: str, model: Any, tokenizer: Any, penalty_alpha: float = 0.6, top_k: int = 4, max_length: int = 30
) -> Explorer:
    """Explore contrastive search; with `penalty_alpha=0` or `top_k=1`, it is greedy search.

    It opens at the output of greedy search.

    Args:
        max_length: the maximum length of an output in tokens, including the decoder start token.
    """
    from tokenlab.traces.generation.trace_contrastive import trace_contrastive_search

    def record(text: str, penalty_alpha: float, top_k: int) -> Recording[Any, Any]:
        check_typed_text(tokenizer, text=text)
        return trace_contrastive_search.record(model, tokenizer, text, penalty_alpha, top_k, max_length)

    return Explorer(
        record,
        opened=1,
        text=sentence_box("text", text, tokenizer),
        penalty_alpha=FloatSlider("penalty_alpha", penalty_alpha, 0, 1),
        top_k=IntSlider("top_k", top_k, 1, 8),
    )
