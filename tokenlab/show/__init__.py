"""What a person sees: a recording finds its view here at the moment when somebody looks."""

from __future__ import annotations

from typing import Any

from tokenlab.show.frames import view
from tokenlab.show.machine import check_machine
from tokenlab.show.player import Player, Track
from tokenlab.show.source import source
from tokenlab.steps import Recording

__all__ = ["Player", "check_machine", "compare", "play", "source", "view"]

LONGEST = 100  # steps in one player


def play(
    recording: Recording[Any, Any], start: int = 0, steps: int = LONGEST, predict: bool = True, opened: int = 0
) -> Player:
    """The player for one recording.

    Args:
        recording: what to play.
        start: the index of the first step that is shown.
        steps: how many steps are shown at the most.
        predict: whether it asks questions from the beginning (the learner can switch that).
        opened: the index of the frame that is shown at first; -1 is the last.

    Raises:
        ValueError: no such step, or no such frame.
    """
    track = Track.of(recording, start, steps)
    frames = len(track.frames)
    if not -frames <= opened < frames:
        raise ValueError(f"opened={opened}: this player has {frames} frames, counted from 0; give one of them, or -1")
    return Player([track], opened=opened % frames, predict=predict)


def compare(left: Recording[Any, Any], right: Recording[Any, Any], steps: int = LONGEST) -> Player:
    """Two recordings side by side, opened at the first step where they part."""
    difference = left.diff(right)
    parting = difference.index if difference else 0
    start = max(0, parting - steps // 2)
    titles = _titles(left, right)
    tracks = [
        Track.of(recording, min(start, max(0, len(recording) - 1)), steps, title)
        for recording, title in zip((left, right), titles, strict=True)
    ]
    # subtle: frame n shows the moment after n steps, so the frame behind the parting step is the first to differ.
    return Player(tracks, opened=parting - start + 1 if difference else 0, predict=False)


def _titles(left: Recording[Any, Any], right: Recording[Any, Any]) -> list[str]:
    """The functions' names, with the arguments in which the two differ."""
    titles = []
    for mine, other in ((left, right), (right, left)):
        own = [
            f"{k}={v!r:.40}" for k, v in mine.arguments.items() if k not in other.arguments or other.arguments[k] != v
        ]
        titles.append(" ".join([mine.function.rpartition(".")[2], *own]))
    return titles
