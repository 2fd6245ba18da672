"""Controls over group beam search: how many beams and groups, and what it costs to choose what others have chosen."""

from __future__ import annotations

from typing import Any

import ipywidgets

from tokenlab.show import LONGEST
from tokenlab.show.explore import _NAMED, Explorer
from tokenlab.show.explore_t5 import check_typed
from tokenlab.steps import Recording

MOST_BEAMS, MOST_PENALTY = 8, 5.0
MOST_TOKENS = 24  # of an output, its start among them


def explore_groups(
    text: str,
    model: Any,
    tokenizer: Any,
    num_beams: int = 4,
    num_beam_groups: int = 4,
    diversity_penalty: float = 1.0,
    length_penalty: float = 1.0,
) -> Explorer:
    """A text to type, beams, groups and penalties to move, and group beam search turn by turn.

    Many groups take many turns: outputs of five groups or more are cut off earlier, so that the end can be shown.

    Args:
        text: what the model reads at first.
        model: in eval mode.
        tokenizer: that of the model.
        num_beams: of all groups together, at first.
        num_beam_groups: how many groups they make at first; numbers that do not divide are answered with a sentence.
        diversity_penalty: what a token costs for each beam of an earlier group that has chosen it, at first.
        length_penalty: the exponent of the length that divides a sum of log-probabilities, at first.
    """
    from tokenlab.transformers.generation.searching_in_groups import compare_groups

    def record(text: str, num_beam_groups: int, **settings: Any) -> Recording[Any, Any]:
        check_typed(tokenizer, text=text)
        settings |= {"num_beam_groups": num_beam_groups, "max_length": most_tokens(num_beam_groups)}
        return compare_groups.record(model, tokenizer, text, **settings)

    return Explorer(
        record,
        text=ipywidgets.Text(text, description="text", **_NAMED),
        num_beams=ipywidgets.IntSlider(num_beams, 2, MOST_BEAMS, description="num_beams", **_NAMED),
        num_beam_groups=ipywidgets.IntSlider(num_beam_groups, 1, MOST_BEAMS, description="num_beam_groups", **_NAMED),
        diversity_penalty=_slider("diversity_penalty", diversity_penalty, 0.0, MOST_PENALTY),
        length_penalty=_slider("length_penalty", length_penalty, -1.0, 3.0),
    )


def most_tokens(groups: int) -> int:
    """How long an output may get, its start among it, so that a player has room for all turns and for what follows.

    >>> most_tokens(4), most_tokens(8)
    (24, 13)
    """
    # A turn of each group for each token but the start, then the ranking and the comparison.
    return min(MOST_TOKENS, 1 + (LONGEST - 2) // groups)


def _slider(name: str, value: float, least: float, most: float) -> ipywidgets.FloatSlider:
    return ipywidgets.FloatSlider(value, min=least, max=most, step=0.25, description=name, **_NAMED)
