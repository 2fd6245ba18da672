"""The names of the five split behaviours: in arguments, in tokenizer.json, and as the attribute `behavior`.

Source: tokenizers 0.23.3, bindings/python/src/utils/normalization.rs, PySplitDelimiterBehavior.
"""

from __future__ import annotations

from typing import Any

from tokenlab.algorithms.pipeline.split_behavior import BEHAVIORS
from tokenlab.libraries.tokenizers.components.arguments import Setting, check_text
from tokenlab.libraries.tokenizers.components.component import Choice
from tokenlab.printing.errors import lookup

_TO_JSON = {name: Choice("".join(word.capitalize() for word in name.split("_"))) for name in BEHAVIORS}
_FROM_JSON = {str(saved): name for name, saved in _TO_JSON.items()}


def _check(name: str, value: Any) -> str:
    return lookup(name, check_text(name, value), {behavior: behavior for behavior in BEHAVIORS})


def _load(name: str, value: Any) -> str:
    return lookup(name, check_text(name, value), _FROM_JSON)


def behavior_setting(doc: str, **default: str) -> Setting[str]:
    """Return the attribute `behavior` of a pre-tokenizer.

    subtle: its value has no underscores, as in the library, so it cannot be assigned again.

    >>> class Punctuation:
    ...     behavior = behavior_setting("What happens to punctuation.")
    >>> one = Punctuation()
    >>> one.behavior = "merged_with_next"
    >>> one.behavior, Punctuation.behavior.save(one._behavior)
    ('mergedwithnext', 'MergedWithNext')
    """
    return Setting(
        _check, doc, load=_load, save=_TO_JSON.__getitem__, show=lambda name: _TO_JSON[name].lower(), **default
    )
