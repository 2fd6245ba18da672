"""Normalization: rules that rewrite a text one after the other, before anything is cut.

Adds: the rules by name, and `normalize`, which chains them and keeps the alignment with the original.
Leaves out: the rules themselves, which are in the files named `normalize_...` and in `char_map`.

>>> print(normalize.record("Cafe\\u0301  ①", ["NFKC", "lowercase", "remove extra spaces"]))
1. NFKC: e ◌́ became é, at 3; ① became 1, at 7
2. lowercase: C became c, at 0
3. remove extra spaces: ␣ became nothing, at 5
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import TypeAlias

from tokenlab.algorithms.align import Aligned, Change
from tokenlab.algorithms.normalize_forms import nfc, nfd, nfkc, nfkd
from tokenlab.algorithms.normalize_letters import (
    clean,
    lowercase,
    lowercase_words,
    space_cjk,
    strip_accents,
    strip_marks,
)
from tokenlab.algorithms.normalize_spaces import (
    add_dummy_prefix,
    add_dummy_suffix,
    escape_spaces,
    remove_extra_spaces,
    trim_meta_space,
)
from tokenlab.errors import by_name, many
from tokenlab.steps import step, stepwise

Rule: TypeAlias = Callable[[str], Iterable[Change]]  # the changes of a text, from left to right

RULES: dict[str, Rule] = {
    "NFC": nfc,
    "NFD": nfd,
    "NFKC": nfkc,
    "NFKD": nfkd,
    "lowercase": lowercase,
    "lowercase words": lowercase_words,
    "strip accents": strip_accents,
    "strip marks": strip_marks,
    "clean": clean,
    "space CJK": space_cjk,
    "remove extra spaces": remove_extra_spaces,
    "add dummy prefix": add_dummy_prefix,
    "escape spaces": escape_spaces,
    "trim ▁": trim_meta_space,
    "add dummy suffix": add_dummy_suffix,
}

# google-research/bert, tokenization.py, BasicTokenizer.tokenize, in its order.
BERT_UNCASED = ("clean", "space CJK", "lowercase words", "NFD", "strip accents")
BERT_CASED = ("clean", "space CJK")

# sentencepiece, normalizer.cc, Normalizer::Normalize, in its order; a `CharMap` comes before them. Where that leaves a
# typed ▁ as it is, "trim ▁" belongs at the end.
SENTENCEPIECE = ("remove extra spaces", "add dummy prefix", "escape spaces")


@step
class Normalized:
    """One rule has been applied; the places of its changes are places in the text that it was given."""

    rule: str
    changes: tuple[Change, ...]

    def __str__(self) -> str:
        """Say what the rule changed."""
        return f"{self.rule}: {'; '.join(map(str, self.changes)) or 'nothing changed'}"


@stepwise
def normalize(text: str, rules: Iterable[str | Rule]) -> Generator[Normalized, None, Aligned]:
    """The text after all rules, in their order, with the span of the original behind each character.

    Args:
        text: what is normalized.
        rules: names from `RULES`, or functions from a text to its changes, such as a `CharMap`.

    Raises:
        TypeError: rules is one str, and not a list of them.
        ValueError: a rule has an unknown name.

    >>> normalize("Ⅳ", ["NFKC", "lowercase"])
    Aligned(text='iv', spans=((0, 1), (0, 1)))
    """
    aligned = Aligned.start(text)
    for name, rule in named(rules):
        changes = tuple(rule(aligned.text))
        aligned = aligned.changed(changes)
        yield Normalized(name, changes)
    return aligned


def named(rules: Iterable[str | Rule]) -> list[tuple[str, Rule]]:
    """Each rule with its name.

    >>> named(["lower"])
    Traceback (most recent call last):
    ...
    ValueError: rule='lower' is not known; did you mean 'lowercase'? There are: 'NFC', 'NFD', ...
    """
    if isinstance(rules, str):
        raise TypeError(f"rules={rules!r} is one str; write a list, [{rules!r}]")
    return [_named(rule) for rule in many("rules", rules)]


def _named(rule: str | Rule) -> tuple[str, Rule]:
    if isinstance(rule, str):
        return rule, by_name("rule", rule, RULES)
    if not callable(rule):
        raise TypeError(f"rule={rule!r} is neither a name nor a function from a text to its changes")
    return getattr(rule, "__name__", type(rule).__name__), rule
