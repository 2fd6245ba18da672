"""Explorer of group beam search: controls for the text, the numbers of beams and groups, and the penalties."""

from __future__ import annotations

from typing import Any

from tokenlab.show import LONGEST
from tokenlab.show.explorers.explore_t5_attention import check_typed_text
from tokenlab.show.explorers.explorer import Explorer, float_slider, int_slider, text_box
from tokenlab.steps.recording import Recording

MAX_BEAMS, MAX_PENALTY = 8, 5.0
MOST_TOKENS = 24  # maximum ids of an output, including its start


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
        text=text_box("text", text),
        num_beams=int_slider("num_beams", num_beams, 2, MAX_BEAMS),
        num_beam_groups=int_slider("num_beam_groups", num_beam_groups, 1, MAX_BEAMS),
        diversity_penalty=float_slider("diversity_penalty", diversity_penalty, 0.0, MAX_PENALTY, 0.25),
        length_penalty=float_slider("length_penalty", length_penalty, -1.0, 3.0, 0.25),
    )


def max_output_length(groups: int) -> int:
    """Return the maximum number of ids of an output such that the player can show all steps.

    >>> max_output_length(4), max_output_length(8)
    (24, 13)
    """
    # A step of each group for each token except the start, then the ranking and the comparison.
    return min(MOST_TOKENS, 1 + (LONGEST - 2) // groups)
