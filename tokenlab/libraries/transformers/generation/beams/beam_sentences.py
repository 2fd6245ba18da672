"""Sentences on a beam search with the tokens of each beam, and on the difference of two searches.

Adds: the tokens so far of every beam, which follow from the parents in the steps before. A token is an id if the
recording has no tokenizer.
Leaves out: the steps (`beam_steps`). Nothing here loads PyTorch.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tokenlab.printing.printable import printable
from tokenlab.printing.printed_numbers import format_mean
from tokenlab.steps.recording import Recording, sentences

Tokens: TypeAlias = tuple[str, ...]
LAST_TOKENS = 8  # of a beam that a sentence shows
MOST_SHOWN = 8  # beams or hypotheses in a list


@dataclass
class BeamTokens:
    """The tokens of the beams after the steps so far, by text and group."""

    beams: dict[tuple[int, int], list[Tokens]] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)  # of the ids of all candidates so far
    starts: dict[int, int] = field(default_factory=dict)  # by text: the number of ids before the first generated one

    @classmethod
    def of(cls, context: dict[str, Any]) -> BeamTokens:
        """Return the tokens in the context of a recording's sentences."""
        found: BeamTokens = context.setdefault("beam tokens", cls())
        return found

    def extend(self, step: Any, continues: str) -> list[tuple[Any, Tokens]]:
        """Return each candidate of a BeamsSelected with its tokens; those with the status `continues` are the beams."""
        self.starts.setdefault(step.text, step.length)
        before = self.beams.get((step.text, step.group), [])
        found = []
        for candidate in step.candidates:
            name = self.names.setdefault(candidate.token, printable(candidate.name) or str(candidate.token))
            parent = before[candidate.parent] if 0 <= candidate.parent < len(before) else ()
            found.append((candidate, (*parent, name)))
        self.beams[step.text, step.group] = [tokens for one, tokens in found if one.status == continues]
        return found

    def named(self, text: int, ids: Iterable[int]) -> Tokens:
        """Return the tokens of a hypothesis' generated ids."""
        return tuple(self.names.get(id, str(id)) for id in tuple(ids)[self.starts.get(text, 1) :])


def joined(tokens: Tokens) -> str:
    """Return tokens separated by spaces, the last ones if there are many.

    >>> joined(("▁the", "▁cat")), joined(())
    ('▁the ▁cat', '(nothing)')
    """
    more = "… " if len(tokens) > LAST_TOKENS else ""
    return more + " ".join(tokens[-LAST_TOKENS:]) if tokens else "(nothing)"


def listed(items: list[str]) -> str:
    """Return a list of items, the first ones if there are many."""
    more = [f"{len(items) - MOST_SHOWN} more"] if len(items) > MOST_SHOWN else []
    return ", ".join([*items[:MOST_SHOWN], *more])


def beam_differences(left: Recording[Any, Any], right: Recording[Any, Any], index: int) -> list[str]:
    """Return lines on what differs at a step of two beam searches, and on their best hypotheses.

    The list is empty if neither the beams nor the sentences of the steps differ.
    """
    beams = [_beams_at(one, index) for one in (left, right)]
    if all(beams) and beams[0] != beams[1]:
        own = [[item for item in mine if item not in other] for mine, other in (beams, beams[::-1])]
        both = zip(beams, own, strict=True)
        said = [f"{len(mine)} candidates, only here: {listed(only) or 'none'}" for mine, only in both]
    else:
        said = [_said(one, index) for one in (left, right)]
    if said[0] == said[1]:
        return []
    lines = [f" left: {said[0]}", f"right: {said[1]}"]
    best = [_best(one) for one in (left, right)]
    if all(best):
        same = f"best hypothesis of both: {best[0]}"
        lines.append(same if best[0] == best[1] else f"best hypothesis: left {best[0]}, right {best[1]}")
    return lines


def _said(recording: Recording[Any, Any], index: int) -> str:
    """Return the sentence of a step, and for a stopping check the best attainable score."""
    if index >= len(recording):
        return "(no more steps)"
    sentence = sentences(recording, index, index + 1)[0].partition(". ")[2]
    best = getattr(recording[index], "best_attainable_score", None)
    return sentence if best is None else f"{sentence}; best attainable score {format_mean(best)}"


def _beams_at(recording: Recording[Any, Any], index: int) -> list[str]:
    """Return the candidates of a step that continue or become a hypothesis; none if it is another step."""
    context: dict[str, Any] = {}
    sentences(recording, 0, min(index, len(recording)), context)
    step: Any = recording[index] if index < len(recording) else None
    selected: list[str] = step.selected(context) if hasattr(step, "selected") else []
    return selected


def _best(recording: Recording[Any, Any]) -> str:
    """Return the best hypothesis and its score; "" if the recording ends before the ranking."""
    context: dict[str, Any] = {}
    sentences(recording, 0, len(recording), context)
    best: str = context.get("best hypothesis", "")
    return best
