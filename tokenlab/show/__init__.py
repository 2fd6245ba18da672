"""Show recordings: `play` one, `compare` two, print the `source` of a function, and `check_environment`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tokenlab.show.frames import view
from tokenlab.show.player import Player, PlayerTrack
from tokenlab.steps.recording import Recording

if TYPE_CHECKING:
    from tokenlab.show.environment_check import check_environment
    from tokenlab.show.model_map.you_are_here import you_are_here
    from tokenlab.show.show_source import source

__all__ = ["Player", "check_environment", "compare", "play", "source", "view", "you_are_here"]

LONGEST = 100  # steps in one player
_AT_FIRST_USE = {  # modules of functions that a player does not need
    "check_environment": "environment_check",
    "source": "show_source",
    "you_are_here": "model_map.you_are_here",
}


def __getattr__(name: str) -> Any:
    if name in _AT_FIRST_USE:
        return getattr(import_module(f"{__name__}.{_AT_FIRST_USE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def play(
    recording: Recording[Any, Any], start: int = 0, steps: int = LONGEST, predict: bool = True, opened: int = 0
) -> Player:
    """Return a player for one recording.

    Args:
        recording: the recording to play.
        start: the index of the first step that is shown.
        steps: the maximum number of steps that are shown.
        predict: whether the player asks questions at first (the learner can switch this).
        opened: the index of the frame that is shown first; -1 is the last.

    Raises:
        ValueError: the step or the frame does not exist.
    """
    track = PlayerTrack.of(recording, start, steps)
    frames = len(track.frames)
    if not -frames <= opened < frames:
        raise ValueError(f"opened={opened}: this player has {frames} frames, counted from 0; give one of them, or -1")
    return Player([track], opened=opened % frames, predict=predict)


def compare(left: Recording[Any, Any], right: Recording[Any, Any], steps: int = LONGEST) -> Player:
    """Return a player for two recordings side by side, opened at the first step that differs."""
    difference = left.diff(right)
    parting = difference.index if difference else 0
    start = max(0, parting - steps // 2)
    titles = _titles(left, right)
    tracks = [
        PlayerTrack.of(recording, min(start, max(0, len(recording) - 1)), steps, title)
        for recording, title in zip((left, right), titles, strict=True)
    ]
    # subtle: frame n shows the moment after n steps, so the frame after the differing step is the first to differ.
    return Player(tracks, opened=parting - start + 1 if difference else 0, predict=False)


def _titles(left: Recording[Any, Any], right: Recording[Any, Any]) -> list[str]:
    """The names of the functions, with the arguments that differ."""
    titles = []
    for mine, other in ((left, right), (right, left)):
        own = [
            f"{k}={v!r:.40}" for k, v in mine.arguments.items() if k not in other.arguments or other.arguments[k] != v
        ]
        titles.append(" ".join([mine.function.rpartition(".")[2], *own]))
    return titles
