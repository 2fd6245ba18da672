"""Normalization: rules that rewrite a text one after the other, before it is split.

Adds: the rules by name, and `normalize`, which chains them and keeps the alignment with the original.
Leaves out: the rules themselves, which are in `normalization_rules`.

>>> print(normalize.record("Cafe\\u0301  ①", ["NFKC", "lowercase", "remove extra spaces"]))
1. NFKC: e ◌́ became é, at 3; ① became 1, at 7
2. lowercase: C became c, at 0
3. remove extra spaces: ␣ was removed, at 5
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import TypeAlias

from tokenlab.algorithms.text.alignment import AlignedText, Replacement
from tokenlab.algorithms.text.normalization_rules import (
    add_dummy_prefix,
    add_dummy_suffix,
    clean,
    clean_others,
    escape_spaces,
    lowercase,
    lowercase_words,
    nfc,
    nfd,
    nfkc,
    nfkd,
    remove_extra_spaces,
    space_cjk,
    strip_accents,
    strip_marks,
    trim_meta_space,
)
from tokenlab.printing.errors import as_list, lookup
from tokenlab.printing.printable import Parts
from tokenlab.steps.recording import step, stepwise

Rule: TypeAlias = Callable[[str], Iterable[Replacement]]  # the replacements in a text, from left to right
CHANGES = 6  # changes of a rule that its sentence names

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
    "clean others": clean_others,
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

# sentencepiece, normalizer.cc, Normalizer::Normalize, in its order; a `CharMap` comes before them. If it does not
# replace ▁ itself, "trim ▁" belongs at the end.
SENTENCEPIECE = ("remove extra spaces", "add dummy prefix", "escape spaces")


@step
class RuleApplied:
    """One rule has been applied; the positions of its changes refer to its input text."""

    rule: str
    changes: tuple[Replacement, ...]

    def sentence(self) -> Parts:
        """Name the rule and its first changes."""
        if not self.changes:
            return [f"{self.rule}: nothing changed"]
        changes: Parts = [part for change in self.changes[:CHANGES] for part in ("; ", *change.sentence())][1:]
        more = f"; and {len(self.changes) - CHANGES} more" if len(self.changes) > CHANGES else ""
        return [f"{self.rule}: ", *changes, more]


@stepwise
def normalize(text: str, rules: Iterable[str | Rule]) -> Generator[RuleApplied, None, AlignedText]:
    """Return the text after all rules, in the given order, aligned with the original.

    Args:
        text: the text to normalize.
        rules: names from `RULES`, or functions from a text to its replacements, such as a `CharMap`.

    Raises:
        TypeError: rules is a str instead of a list of them.
        ValueError: a rule has an unknown name.

    >>> normalize("Ⅳ", ["NFKC", "lowercase"])
    AlignedText(text='iv', spans=((0, 1), (0, 1)))
    """
    aligned = AlignedText.identity(text)
    for name, rule in named_rules(rules):
        changes = tuple(rule(aligned.text))
        aligned = aligned.apply(changes)
        yield RuleApplied(name, changes)
    return aligned


def named_rules(rules: Iterable[str | Rule]) -> list[tuple[str, Rule]]:
    """Return each rule with its name.

    >>> named_rules(["lower"])
    Traceback (most recent call last):
    ...
    ValueError: rule='lower' is not known; did you mean 'lowercase'? There are: 'NFC', 'NFD', ...
    """
    if isinstance(rules, str):
        raise TypeError(f"rules={rules!r} is one str; write a list, [{rules!r}]")
    return [_named(rule) for rule in as_list("rules", rules)]


def _named(rule: str | Rule) -> tuple[str, Rule]:
    if isinstance(rule, str):
        return rule, lookup("rule", rule, RULES)
    if not callable(rule):
        raise TypeError(f"rule={rule!r} is neither a name nor a function from a text to its replacements")
    return getattr(rule, "__name__", type(rule).__name__), rule
