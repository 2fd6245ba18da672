"""Figures that stand still, drawn by matplotlib so that they read well in the light and in the dark theme."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokenlab.show.views.bpe_replay import Replay
from tokenlab.steps import Recording

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GREY = "#7a7a7a"  # more than 4 : 1 against white and against JupyterLab's dark ground
OKABE_ITO = ("#56B4E9", "#E69F00", "#009E73", "#CC79A7")
DASHES = ("-", "--", "-.", ":")  # a second sign beside the colour
SIGNS = "os^D"  # and a third


def tokens_after_each_merge(recording: Recording[Any, Any]) -> list[int]:
    """How many tokens the training text has before the first merge and after each.

    >>> from tokenlab.algorithms.bpe_train import train
    >>> tokens_after_each_merge(train.record({"hug": 10, "pug": 5}, vocab_size=6))
    [45, 30, 20]
    """
    replay = Replay(recording, len(recording), most=1)
    lengths: dict[Any, int] = {}
    tokens, total = [], 0
    for changed in replay.changed:
        for word, split in changed.items():
            total += replay.word_counts[word] * (len(split) - lengths.get(word, 0))
            lengths[word] = len(split)
        tokens.append(total)
    return tokens


def tokens_against_vocabulary(recordings: dict[str, Recording[Any, Any]]) -> Figure:
    """How many tokens a hundred characters of the training text make, as the vocabulary grows; a curve a recording."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
    for (name, recording), colour, dash in zip(recordings.items(), OKABE_ITO, DASHES, strict=False):
        tokens = tokens_after_each_merge(recording)
        start = Replay(recording, 0, most=1).start.size
        sizes = range(start, start + len(tokens))
        axes.plot(sizes, [100 * count / tokens[0] for count in tokens], dash, color=colour, label=name, linewidth=2)
    axes.set_xlabel("vocabulary (entries)")
    axes.set_ylabel("tokens per 100 characters")
    axes.legend(frameon=False, labelcolor=GREY)
    _for_both_themes(figure)
    plt.close(figure)
    return figure


def bias_curves(model: Any, farthest: int = 20) -> Figure:
    """What each head adds to the score of a key, by where the key stands; one picture for each stack of a T5.

    Args:
        model: a T5 with an encoder and a decoder.
        farthest: how many tokens before and after the query are shown.

    Raises:
        ValueError: the farthest distance is less than one.
    """
    import matplotlib.pyplot as plt

    if farthest < 1:
        raise ValueError(f"farthest={farthest}: a curve needs at least one token beside the query; give 1 or more")
    figure, pictures = plt.subplots(1, 2, figsize=(7, 3.2), layout="constrained", sharey=True)
    for axes, name in zip(pictures, ("encoder", "decoder"), strict=True):
        # subtle: a decoder never looks ahead, so what its curves would say there is never used.
        places = range(-farthest, (0 if name == "decoder" else farthest) + 1)
        for head, curve in enumerate(biases(getattr(model, name), places)):
            colour, dash = OKABE_ITO[head % len(OKABE_ITO)], DASHES[head // len(OKABE_ITO) % len(DASHES)]
            sign = SIGNS[head % len(SIGNS)]
            axes.plot(places, curve, dash, color=colour, marker=sign, markersize=4, label=f"head {head}")
        axes.set_title(name, color=GREY)
        axes.set_xlabel("key's place, seen from the query")
    pictures[0].set_ylabel("added to the score")
    figure.legend(*pictures[0].get_legend_handles_labels(), loc="outside right center", frameon=False, labelcolor=GREY)
    _for_both_themes(figure)
    plt.close(figure)
    return figure


def biases(stack: Any, places: range) -> list[list[float]]:
    """For each head of a stack of a T5, what is added to the score of a key at each of these places.

    Args:
        stack: a T5's encoder or decoder; its first attention stores the table for all.
        places: the key's position minus the query's.
    """
    import torch

    attention = stack.block[0].layer[0].SelfAttention
    reach = max(map(abs, places))
    with torch.no_grad():
        around = attention.compute_bias(2 * reach + 1, 2 * reach + 1)[0, :, reach]  # (heads, keys): the middle query's
    curves: list[list[float]] = around[:, [reach + place for place in places]].tolist()
    return curves


def _for_both_themes(figure: Figure) -> None:
    figure.patch.set_alpha(0)
    for axes in figure.axes:
        axes.patch.set_alpha(0)
        axes.tick_params(colors=GREY)
        axes.xaxis.label.set_color(GREY)
        axes.yaxis.label.set_color(GREY)
        axes.spines[["top", "right"]].set_visible(False)
        axes.spines[["left", "bottom"]].set_color(GREY)
        axes.grid(alpha=0.25, color=GREY)
