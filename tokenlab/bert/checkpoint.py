"""Whether small letters go with a model: its weights learned from one kind of text only."""

from __future__ import annotations

import re

# google-research/bert, tokenization.py, validate_case_matches_checkpoint.
UNCASED = frozenset(
    {
        "uncased_L-24_H-1024_A-16",
        "uncased_L-12_H-768_A-12",
        "multilingual_L-12_H-768_A-12",
        "chinese_L-12_H-768_A-12",
    }
)
CASED = frozenset({"cased_L-12_H-768_A-12", "cased_L-24_H-1024_A-16", "multi_cased_L-12_H-768_A-12"})


def validate_case_matches_checkpoint(do_lower_case: bool, init_checkpoint: str | None) -> None:
    """Refuse an option that the released model of that name was not trained with; other names are not judged.

    Raises:
        ValueError: the option is the wrong one for this model.

    >>> validate_case_matches_checkpoint(True, "models/cased_L-12_H-768_A-12/bert_model.ckpt")
    Traceback (most recent call last):
    ...
    ValueError: do_lower_case=True, but cased_L-12_H-768_A-12 was trained on text with capitals; ...
    """
    name = re.match(r"^.*?([A-Za-z0-9_-]+)/bert_model.ckpt", init_checkpoint or "")
    if name is None or name[1] not in (CASED if do_lower_case else UNCASED):
        return
    kind = "with capitals" if do_lower_case else "in small letters"
    raise ValueError(
        f"do_lower_case={do_lower_case}, but {name[1]} was trained on text {kind}; "
        f"take do_lower_case={not do_lower_case}, or another checkpoint than {init_checkpoint!r}"
    )
