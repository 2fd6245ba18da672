"""What the player asks about training WordPiece, and why each wrong answer is wrong.

A wrong answer is what a misconception gives on the same data. Its reason is made from counts, which the option lists
as facts, so that a test can count them again.
"""

from __future__ import annotations

from typing import Any

from tokenlab.algorithms.tie_break import Pair
from tokenlab.algorithms.wordpiece_train import train
from tokenlab.misconceptions.wordpiece import double_hash, guess_most_frequent
from tokenlab.show.frames import Fact, Html, Option, Question, chip
from tokenlab.show.views.bpe_training import plus
from tokenlab.show.views.wordpiece_replay import Replay, fraction
from tokenlab.steps import Recording

PAIRS, NAMES = 3, 2  # questions of each kind at the most
APART = 2  # steps between two questions at the least
# What a wrong program does next, or a trainer without a score, is not asked about.
ASKED = {f"{train.__module__}.train", "tokenlab.algorithms.wordpiece_train_indexed.train_indexed"}


class Asking:
    """Asks about the steps of a recording as they come: not twice running, and where a tie decides nothing."""

    def __init__(self, recording: Recording[Any, Any]) -> None:
        """Nothing has been asked so far."""
        self.silent = recording.function not in ASKED
        self.asked: list[tuple[int, str]] = []
        self.guessed: set[Pair] = set()

    def question(self, number: int, replay: Replay, following: Any) -> Question | None:
        """The question to ask after so many merges, if there is one."""
        if self.silent or not hasattr(following, "pair") or (self.asked and number - self.asked[-1][0] < APART):
            return None
        guess = guess_most_frequent(replay.allowed())
        # subtle: the same wrong answer three times would teach nothing new.
        if guess and following.ties == 1 and guess not in {following.pair, *self.guessed} and self._may("pair", PAIRS):
            self.asked.append((number, "pair"))
            self.guessed.add(guess)
            return _which_pair(replay, following.pair, guess)
        last = self.asked[-1][1] if self.asked else ""
        if last != "name" and self._may("name", NAMES) and _is_plain(following.pair, replay.prefix):
            self.asked.append((number, "name"))
            return _which_name(following.pair, following.piece, replay.prefix)
        return None

    def _may(self, kind: str, most: int) -> bool:
        return sum(asked == kind for _, asked in self.asked) < most


def _which_pair(replay: Replay, right: Pair, frequent: Pair) -> Question:
    best, other = fraction(replay.score(right)), fraction(replay.score(frequent))
    why = f"{_counted(replay, right)}: the score is {best}, the highest."
    common = (
        f"It stands together most often, but its pieces are frequent anyway. {_counted(replay, frequent)}: "
        f"the score is {other}; {plus(right)} has {best}."
    )
    options = (
        Option(plus(right), why, True, facts=_facts(replay, right)),
        Option(plus(frequent), common, belief=18, facts=_facts(replay, frequent)),
    )
    return Question("Which pair is merged next?", options).shuffled()


def _counted(replay: Replay, pair: Pair) -> Html:
    left, right = pair
    return (
        f"{chip(left)} occurs {_times(replay.pieces[left])}, {chip(right)} {_times(replay.pieces[right])}, "
        f"and they stand together {_times(replay.pairs[pair])}"
    )


def _facts(replay: Replay, pair: Pair) -> tuple[Fact, ...]:
    left, right = pair
    return (
        ("together", pair, replay.pairs[pair]),
        ("in all", left, replay.pieces[left]),
        ("in all", right, replay.pieces[right]),
    )


def _is_plain(pair: Pair, prefix: str) -> bool:
    """Whether the prefix is a mark alone, and not also a part of the text."""
    return double_hash(pair).count(prefix) == 1 + str(pair[0]).startswith(prefix)


def _which_name(pair: Pair, piece: str, prefix: str) -> Question:
    kept = double_hash(pair)
    bare = piece.removeprefix(prefix)
    mark = chip(prefix)
    why = f"The left piece begins inside a word, so {mark} stays in front"
    if bare == piece:
        why = f"The left piece begins a word, so there is no {mark} in front"
    options = [
        Option(chip(piece), f"{why}; the right piece loses its own.", True),
        Option(chip(kept), f"{mark} is no text; it is a mark, and only at the front of a piece.", belief=19),
    ]
    if bare != piece:
        options.append(Option(chip(bare), f"{why}: without it, it would be a piece that begins words.", belief=19))
    return Question(f"{plus(pair)} are merged next. What is the new piece called?", tuple(options)).shuffled()


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"
