"""Questions of the player about WordPiece training, with the reason why each wrong answer is wrong.

Each wrong answer is the result of a misconception on the same data. Its reason states counts; the option lists them as
facts, so a test can check them.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from tokenlab.algorithms.bpe.tie_break import Pair
from tokenlab.algorithms.wordpiece.train import train
from tokenlab.misconceptions.wordpiece import double_hash, guess_most_frequent
from tokenlab.printing.printable import times
from tokenlab.show.frames import OTHER, Fact, Html, Option, Question, chip, chips, plus
from tokenlab.show.views.elements.questions import ask
from tokenlab.show.views.wordpiece.training_scores import WordPieceProgress, fraction
from tokenlab.steps.recording import Recording

PAIRS, NAMES = 3, 2  # maximum questions of each kind
APART = 2  # minimum steps between two questions
# Wrong programs and trainers without a score get no questions.
ASKED = {f"{train.__module__}.train", "tokenlab.algorithms.wordpiece.train_indexed.train_indexed"}


class WordPieceQuestions:
    """Chooses questions while the steps are applied: never two in a row, and never where a tie decides."""

    def __init__(self, recording: Recording[Any, Any], shown: Collection[Any], longest: int) -> None:
        """Take the words that a panel shows, and the maximum number of symbols that it shows of a word."""
        self.shown, self.longest = shown, longest
        self.silent = recording.function not in ASKED
        self.asked: list[tuple[int, str]] = []
        self.guessed: set[Pair] = set()

    def question(self, number: int, progress: WordPieceProgress, following: Any) -> Question | None:
        """Return the question after the given number of merges, or None."""
        if self.silent or not hasattr(following, "pair") or (self.asked and number - self.asked[-1][0] < APART):
            return None
        guess = guess_most_frequent(progress.allowed())
        # subtle: the same wrong answer three times would teach nothing new.
        if guess and following.ties == 1 and guess not in {following.pair, *self.guessed} and self._may("pair", PAIRS):
            self.asked.append((number, "pair"))
            self.guessed.add(guess)
            return _which_pair(progress, following.pair, guess, self.rows(progress))
        last = self.asked[-1][1] if self.asked else ""
        if last != "name" and self._may("name", NAMES) and _is_plain(following.pair, progress.start.prefix):
            self.asked.append((number, "name"))
            return _which_name(following.pair, following.symbol, progress.start.prefix)
        return None

    def rows(self, progress: WordPieceProgress) -> tuple[Html, ...]:
        """Return the words as the panel shows them; none if it leaves words or symbols out."""
        splits = progress.splits
        if len(splits) > len(self.shown) or any(len(split) > self.longest for split in splits.values()):
            return ()
        return tuple(f"{progress.word_counts[word]:,} × {chips(split)}" for word, split in splits.items())

    def _may(self, kind: str, most: int) -> bool:
        return sum(asked == kind for _, asked in self.asked) < most


def _which_pair(progress: WordPieceProgress, right: Pair, frequent: Pair, rows: tuple[Html, ...]) -> Question | None:
    best, other = fraction(progress.score(right)), fraction(progress.score(frequent))
    why = f"{_counted(progress, right)}. The score is {best}, the highest score."
    common = (
        f"This pair has the highest count, but its symbols also have high counts. {_counted(progress, frequent)}. "
        f"The score is {other}. The score of {plus(right)} is {best}."
    )
    wrong = Option(plus(frequent), common, misconception=18, facts=_facts(progress, frequent))
    others = [pair for pair in progress.allowed() if pair not in (right, frequent)]
    more = sorted(others, key=progress.score, reverse=True)[:1]
    counts = "; ".join(_counted(progress, pair) for pair in sorted((right, frequent, *more), key=str))
    return ask(
        "Which pair is merged next?" if rows else f"{counts}. Which pair is merged next?",
        (plus(right), why),
        wrong,
        *(_lower(progress, pair, best) for pair in more),
        given=rows or (counts,),
        facts=_facts(progress, right),
    )


def _lower(progress: WordPieceProgress, pair: Pair, best: str) -> Option:
    why = f"{_counted(progress, pair)}. The score is {fraction(progress.score(pair))}. The highest score is {best}."
    return Option(plus(pair), why, misconception=OTHER, facts=_facts(progress, pair))


def _counted(progress: WordPieceProgress, pair: Pair) -> Html:
    left, right = pair
    return (
        f"{chip(left)} occurs {times(progress.symbols[left])}, {chip(right)} {times(progress.symbols[right])}, "
        f"and the pair {times(progress.pairs[pair])}"
    )


def _facts(progress: WordPieceProgress, pair: Pair) -> tuple[Fact, ...]:
    left, right = pair
    return (
        ("together", pair, progress.pairs[pair]),
        ("in all", left, progress.symbols[left]),
        ("in all", right, progress.symbols[right]),
    )


def _is_plain(pair: Pair, prefix: str) -> bool:
    """Whether the prefix occurs only as a prefix, and not also in the text."""
    return double_hash(pair).count(prefix) == 1 + str(pair[0]).startswith(prefix)


def _which_name(pair: Pair, symbol: str, prefix: str) -> Question | None:
    kept = double_hash(pair)
    bare = symbol.removeprefix(prefix)
    mark = chip(prefix)
    why = f"The left symbol is inside a word, so its {mark} stays"
    if bare == symbol:
        why = f"The left symbol starts a word, so it has no {mark}"
    wrong = [Option(chip(kept), f"{mark} is a prefix. It appears only at the start of a symbol.", misconception=19)]
    if bare != symbol:
        begins = f"{why}. Without {mark}, the symbol would start a word."
        wrong.append(Option(chip(bare), begins, misconception=19))
    if bare == symbol:
        inside = f"{why}. With {mark}, the symbol would be inside a word."
        wrong.append(Option(chip(f"{prefix}{symbol}"), inside, misconception=OTHER))
    prompt = f"{plus(pair)} are merged next. What is the new symbol?"
    return ask(prompt, (chip(symbol), f"{why}. The right symbol loses its {mark}."), *wrong, given=(plus(pair),))
