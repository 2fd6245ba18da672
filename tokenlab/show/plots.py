"""Static figures, drawn by matplotlib with colours that are legible in the light and the dark theme."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from tokenlab.algorithms.bpe.train import TrainingProgress
from tokenlab.steps.recording import Recording

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GREY = "#7a7a7a"  # contrast above 4 : 1 on white and on JupyterLab's dark background
OKABE_ITO = ("#56B4E9", "#E69F00", "#009E73", "#CC79A7")
DASHES = ("-", "--", "-.", ":")  # curves differ in their dashes as well as in colour
MARKERS = "os^D"  # and in their markers


def subplots(*shape: int, **options: Any) -> tuple[Figure, Any]:
    """Return a figure and its axes, as pyplot's `subplots`, without messages about matplotlib's cache.

    matplotlib logs one where it cannot write to the home folder, and one while it lists the fonts for the first time.
    """
    log = logging.getLogger("matplotlib")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(*shape, **options)
        plt.close(figure)  # otherwise JupyterLab shows it twice
        return figure, axes
    finally:
        log.setLevel(level)


def tokens_per_merge(recording: Recording[Any, Any]) -> list[int]:
    """Return the number of tokens in the training text before the first merge and after each merge.

    >>> from tokenlab.algorithms.bpe.train import train
    >>> tokens_per_merge(train.record({"hug": 10, "pug": 5}, vocab_size=6))
    [45, 30, 20]
    """
    progress = TrainingProgress.at_start(recording.arguments)
    for step in recording:
        step.apply(progress)
    lengths: dict[Any, int] = {}
    tokens, total = [], 0
    for changed in progress.changed:
        for word, split in changed.items():
            total += progress.word_counts[word] * (len(split) - lengths.get(word, 0))
            lengths[word] = len(split)
        tokens.append(total)
    return tokens


def plot_tokens_by_vocab_size(recordings: dict[str, Recording[Any, Any]]) -> Figure:
    """Plot the number of tokens per 100 characters of training text against vocabulary size, a curve per recording."""
    figure, axes = subplots(figsize=(7, 3.6), layout="constrained")
    for (name, recording), colour, dash in zip(recordings.items(), OKABE_ITO, DASHES, strict=False):
        tokens = tokens_per_merge(recording)
        start = TrainingProgress.at_start(recording.arguments).start.size
        sizes = range(start, start + len(tokens))
        axes.plot(sizes, [100 * count / tokens[0] for count in tokens], dash, color=colour, label=name, linewidth=2)
    axes.set_xlabel("vocabulary (entries)")
    axes.set_ylabel("tokens per 100 characters")
    axes.legend(frameon=False, labelcolor=GREY)
    _for_both_themes(figure)
    return figure


def plot_ratios(ratios: dict[str, float], label: str = "time, relative to the first") -> Figure:
    """Plot a horizontal bar for each ratio, with its value; the first bar, the unit, has another colour."""
    figure, axes = subplots(figsize=(7, 0.6 + 0.34 * len(ratios)), layout="constrained")
    colours = [OKABE_ITO[1], *[OKABE_ITO[0]] * (len(ratios) - 1)]
    bars = axes.barh([*ratios], [*ratios.values()], color=colours)
    axes.bar_label(bars, [f"{ratio:.2f}" for ratio in ratios.values()], padding=3, color=GREY)
    axes.invert_yaxis()
    axes.margins(x=0.12)
    axes.set_xlabel(label)
    _for_both_themes(figure)
    axes.grid(False, axis="y")
    return figure


def plot_growth(points: dict[str, list[tuple[int, float]]]) -> Figure:
    """Plot time against input size with logarithmic axes, a curve for each program.

    Times are relative to the shortest one, because seconds depend on the machine.

    Args:
        points: pairs of a size and a time for each program, at most 4 programs.
    """
    unit = min(time for curve in points.values() for _, time in curve)
    figure, axes = subplots(figsize=(7, 3.6), layout="constrained")
    for (name, curve), colour, dash, marker in zip(points.items(), OKABE_ITO, DASHES, MARKERS, strict=False):
        sizes, times = zip(*curve, strict=True)
        axes.loglog(sizes, [time / unit for time in times], dash, color=colour, marker=marker, label=name, linewidth=2)
    axes.set_xlabel("size of the input")
    axes.set_ylabel("time, relative to the shortest")
    axes.legend(frameon=False, labelcolor=GREY)
    _for_both_themes(figure)
    return figure


def plot_position_biases(model: Any, farthest: int = 20) -> Figure:
    """Plot the position bias of each head against the key's relative position, for both stacks of a T5.

    Args:
        model: a T5 with an encoder and a decoder.
        farthest: the largest distance between key and query that is shown.

    Raises:
        ValueError: the largest distance is less than 1.
    """
    if farthest < 1:
        raise ValueError(f"farthest={farthest}: a curve needs at least one token before the query; give 1 or more")
    figure, pictures = subplots(1, 2, figsize=(7, 3.2), layout="constrained", sharey=True)
    for axes, name in zip(pictures, ("encoder", "decoder"), strict=True):
        # subtle: the causal mask hides later keys, so their biases in the decoder are never used.
        places = range(-farthest, (0 if name == "decoder" else farthest) + 1)
        for head, curve in enumerate(position_biases(getattr(model, name), places)):
            colour, dash = OKABE_ITO[head % len(OKABE_ITO)], DASHES[head // len(OKABE_ITO) % len(DASHES)]
            marker = MARKERS[head % len(MARKERS)]
            axes.plot(places, curve, dash, color=colour, marker=marker, markersize=4, label=f"head {head}")
        axes.set_title(name, color=GREY)
        axes.set_xlabel("key position − query position")
    pictures[0].set_ylabel("position bias")
    figure.legend(*pictures[0].get_legend_handles_labels(), loc="outside right center", frameon=False, labelcolor=GREY)
    _for_both_themes(figure)
    return figure


def position_biases(stack: Any, places: range) -> list[list[float]]:
    """Return the position bias of each head of a T5 stack at these relative positions, as `[head][position]`.

    Args:
        stack: the encoder or decoder of a T5; its first self-attention stores the table for all layers.
        places: relative positions: the key's position minus the query's.
    """
    import torch

    attention = stack.block[0].layer[0].SelfAttention
    reach = max(map(abs, places))
    with torch.no_grad():
        around = attention.compute_bias(2 * reach + 1, 2 * reach + 1)[0, :, reach]  # (heads, keys): the middle query's
    curves: list[list[float]] = around[:, [reach + place for place in places]].tolist()
    return curves


def plot_measures(table: Mapping[str, Mapping[str, float]], best: Mapping[str, Collection[str]]) -> Figure:
    """Plot a panel of bars for each measure, with a bar for each family; the best bars have another colour and a ★.

    Args:
        table: the value of each family, for each measure.
        best: the names of the best families, for each measure.
    """
    figure, pictures = subplots(1, len(table), figsize=(1.75 * len(table) + 1.1, 2.7), sharey=True, squeeze=False)
    for axes, (measure, values) in zip(pictures[0], table.items(), strict=True):
        colours = [OKABE_ITO[1] if family in best[measure] else OKABE_ITO[0] for family in values]
        bars = axes.barh([*values], [*values.values()], color=colours)
        labels = [f"{value:g}{' ★' * (family in best[measure])}" for family, value in values.items()]
        axes.bar_label(bars, labels, padding=2, color=GREY, fontsize=8)
        axes.set_title(measure, color=GREY, fontsize=9)
        axes.margins(x=0.6)
    pictures[0][0].invert_yaxis()
    _for_both_themes(figure)
    for axes in pictures[0]:
        axes.grid(False)
        axes.set_xticks([])
    figure.tight_layout()
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
