"""Constraints: forbidden next tokens, the progress on a phrase, and the banks of a search with several phrases.

Adds: the tokens that would complete a bad word: a word of several tokens is forbidden at its last one. The state of a
phrasal constraint, token by token. The bank of a candidate, which measures its progress on all constraints, and the
order in which banks fill the beams: round-robin, so that candidates compete only within their bank.
Leaves out: the end token, which cannot be a bad word; logits (`tokenlab.libraries.transformers.generation`, where
forbidden tokens get minus infinity); and the candidates themselves.
Source: transformers 4.26.1, generation/logits_process.py, NoBadWordsLogitsProcessor; PhrasalConstraint,
ConstraintListState and ConstrainedBeamSearchScorer.step_sentence_constraint; Post and Vilar 2018, "Fast Lexically
Constrained Decoding with Dynamic Beam Allocation".

>>> print(banned_tokens.record([4, 0], [[2], [0, 3], [4, 3]]))
1. 2: a single token; 2 is forbidden
2. 0 3: the text ends with 0; 3 is forbidden
3. 4 3: the text does not end with 4
>>> print(constraint_progress.record([1, 1, 2], [1, 1, 1, 2]))
1. 1 continues the phrase: 1 of 3 matched
2. 1 continues the phrase: 2 of 3 matched
3. 1 interrupts the phrase: matching restarts at the next token
4. 2 does not start the phrase
>>> print(order_by_banks.record([0, 3, 0, 3], [-1, -5, -2, -4]))
1. round 1: bank 3 selects candidate 3 (-4)
2. round 1: bank 0 selects candidate 0 (-1)
3. round 2: bank 3 selects candidate 1 (-5)
4. round 2: bank 0 selects candidate 2 (-2)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Sequence

from tokenlab.printing.errors import check_not_empty
from tokenlab.steps.recording import step, stepwise

Ids = Sequence[int]


@step
class BadWordCompared:
    """The beginning of a bad word was compared with the end of the text."""

    word: tuple[int, ...]
    matches: bool

    def __str__(self) -> str:
        *start, last = self.word
        ends = "ends" if self.matches else "does not end"
        match = f"the text {ends} with {' '.join(map(str, start))}" if start else "a single token"
        return f"{' '.join(map(str, self.word))}: {match}" + (f"; {last} is forbidden" if self.matches else "")


@stepwise
def banned_tokens(written: Ids, bad_words: Sequence[Ids]) -> Generator[BadWordCompared, None, tuple[int, ...]]:
    """Return the ids that would complete a bad word, in ascending order.

    Args:
        written: the ids so far.
        bad_words: the ids of each word, which has at least one.

    Raises:
        ValueError: a bad word is empty.

    >>> banned_tokens([0], [[0, 3]]), banned_tokens([3], [[0, 3]]), banned_tokens([], [[0, 3], [2]])
    ((3,), (), (2,))
    """
    forbidden = set()
    for place, word in enumerate(bad_words):
        check_not_empty(f"bad_words[{place}]", word, "one id or more, or leave it out")
        *start, last = word
        matches = ends_with(written, start)
        if matches:
            forbidden.add(last)
        yield BadWordCompared((*start, last), matches)
    return tuple(sorted(forbidden))


def ends_with(written: Ids, start: Ids) -> bool:
    """Return True if the text ends with these ids; every text ends with no ids.

    >>> ends_with([7, 8], [8]), ends_with([7, 8], []), ends_with([8], [7, 8])
    (True, True, False)
    """
    return list(written[max(0, len(written) - len(start)) :]) == list(start)


@step
class ConstraintUpdated:
    """The effect of one token on the phrase."""

    token: int
    before: int  # number of matched tokens before it
    after: int
    phrase_length: int

    def __str__(self) -> str:
        if self.before == self.phrase_length:
            return f"{self.token} changes nothing: the phrase is complete"
        if self.after:
            return f"{self.token} continues the phrase: {self.after} of {self.phrase_length} matched"
        if self.before:
            return f"{self.token} interrupts the phrase: matching restarts at the next token"
        return f"{self.token} does not start the phrase"


@stepwise
def constraint_progress(phrase: Sequence[int], tokens: Sequence[int]) -> Generator[ConstraintUpdated, None, int]:
    """Return the number of matched tokens of the phrase.

    Args:
        phrase: the ids of the phrase, which have to be consecutive.
        tokens: the generated ids.

    >>> constraint_progress([1, 2, 5], [7, 1, 2]), constraint_progress([1, 2, 5], [1, 2, 9])
    (2, 0)
    >>> constraint_progress([1, 2, 5], [1, 2, 5, 9])
    3
    """
    matched = 0
    for token in tokens:
        before = matched
        if matched < len(phrase):
            # subtle: the token that interrupts a phrase is not tried as its first one.
            matched = matched + 1 if token == phrase[matched] else 0
        yield ConstraintUpdated(token, before, matched, len(phrase))
    return matched


def constraint_bank(lengths: Sequence[int], done: Sequence[int]) -> int:
    """Return the bank of a candidate, which measures its progress on the constraints.

    A completed constraint scores the length of the longest constraint; an in-progress one scores that length minus its
    missing tokens.

    Args:
        lengths: number of tokens of each constraint.
        done: number of matched tokens of each constraint; at most one constraint is in progress at a time.

    >>> constraint_bank([3, 2], [0, 0]), constraint_bank([3, 2], [1, 0])
    (0, 1)
    >>> constraint_bank([3, 2], [0, 1]), constraint_bank([3, 2], [0, 2])
    (2, 3)
    """
    longest = max(lengths, default=0)
    complete = sum(matched == length for matched, length in zip(done, lengths, strict=True))
    # subtle: the missing tokens count, not the matched ones, so a short constraint starts high.
    pairs = zip(done, lengths, strict=True)
    return complete * longest + sum(longest - (length - matched) for matched, length in pairs if 0 < matched < length)


@step
class CandidateSelected:
    """A candidate selected from its bank."""

    round: int
    bank: int
    candidate: int
    score: float

    def __str__(self) -> str:
        return f"round {self.round}: bank {self.bank} selects candidate {self.candidate} ({self.score:g})"


@stepwise
def order_by_banks(
    banks: Sequence[int], scores: Sequence[float]
) -> Generator[CandidateSelected, None, tuple[int, ...]]:
    """Return the order of candidates: in each round every bank selects its best remaining one, the highest bank first.

    Args:
        banks: the bank of each candidate.
        scores: the score of each candidate; ties keep their order.

    >>> order_by_banks([0, 3, 0, 3], [-1, -5, -2, -4])
    (3, 0, 1, 2)
    """
    waiting: dict[int, list[int]] = defaultdict(list)
    for candidate in sorted(range(len(banks)), key=lambda candidate: -scores[candidate]):
        waiting[banks[candidate]].append(candidate)
    order: list[int] = []
    rounds = 0
    while len(order) < len(banks):
        rounds += 1
        for bank in sorted(waiting, reverse=True):
            if waiting[bank]:
                order.append(waiting[bank].pop(0))
                yield CandidateSelected(rounds, bank, order[-1], scores[order[-1]])
    return tuple(order)
