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
