"""Beliefs about groups, and about words that are forbidden or demanded, that are wrong, each as programs.

>>> from tokenlab.algorithms.phrase_constraint import progress
>>> progress([1, 1, 2], [1, 1, 1, 2]), broken_token_tried_again([1, 1, 2], [1, 1, 1, 2])
(0, 0)
>>> progress([1, 2], [1, 1, 2]), broken_token_tried_again([1, 2], [1, 1, 2])
(0, 2)
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import inf

from tokenlab.algorithms.diversity_penalty import lowered
from tokenlab.algorithms.forbidden_next import Ids, ends_with
from tokenlab.algorithms.spellings import Cut, spellings
from tokenlab.misconceptions.bpe import Misconception

# 49. A word is one list of tokens.


def one_spelling_only(word: str, pieces: Collection[str]) -> tuple[Cut, ...]:
    """Forbid the spelling that comes to mind first: behind a blank the word is another token.

    >>> one_spelling_only("London", ["London", "▁London", "Lon", "don"])
    (('London',),)
    """
    return spellings(word, pieces)[:1]


# 82. A bad word of several tokens is forbidden as soon as it begins.


def forbid_every_token(written: Ids, bad_words: Sequence[Ids]) -> tuple[int, ...]:
    """Forbid all tokens of a bad word, everywhere: innocent words go with it.

    >>> forbid_every_token([], [[0, 3]])
    (0, 3)
    """
    return tuple(sorted({id for word in bad_words for id in word}))


def forbid_first_token(written: Ids, bad_words: Sequence[Ids]) -> tuple[int, ...]:
    """Forbid the token with which a bad word begins."""
    return tuple(sorted({word[0] for word in bad_words}))


def forbid_last_token(written: Ids, bad_words: Sequence[Ids]) -> tuple[int, ...]:
    """Forbid the last token of a bad word, whatever stands before it."""
    return tuple(sorted({word[-1] for word in bad_words}))


# 83. The token that breaks a phrase is tried once more, or what was there stays.


def broken_token_tried_again(phrase: Ids, tokens: Ids) -> int:
    """Let the token that breaks a phrase begin it anew; it would be better, and the library does not do it."""
    done = 0
    for token in tokens:
        if done < len(phrase):
            done = done + 1 if token == phrase[done] else int(token == phrase[0])
    return done


def nothing_breaks(phrase: Ids, tokens: Ids) -> int:
    """Let other tokens stand between those of a phrase.

    >>> nothing_breaks([1, 2], [1, 7, 7, 2])
    2
    """
    done = 0
    for token in tokens:
        done += done < len(phrase) and token == phrase[done]
    return done


def phrase_at_the_end(phrase: Ids, tokens: Ids) -> int:
    """Ask how much of the phrase stands at the end of the text: a whole one is forgotten as soon as more is written.

    >>> phrase_at_the_end([1, 2], [1, 2, 7])
    0
    """
    return max(length for length in range(len(phrase) + 1) if ends_with(tokens, phrase[:length]))


# 84. A token is lowered once, or for what was chosen by itself.


def lowered_once(scores: Sequence[float], chosen: Ids, penalty: float) -> tuple[float, ...]:
    """Lower what was chosen once, however many beams have chosen it.

    >>> lowered_once([3, 2], [0, 0], penalty=1)
    (2, 2)
    """
    return lowered(scores, {*chosen}, penalty)  # type: ignore[arg-type]


def lowered_by_division(scores: Sequence[float], chosen: Ids, penalty: float) -> tuple[float, ...]:
    """Divide as the penalty for repetition does; scores are negative, so that makes what was chosen better.

    >>> lowered_by_division([-3, -2], [0], penalty=2)
    (-1.5, -2)
    """
    return tuple(score / penalty if id in chosen else score for id, score in enumerate(scores))


# 88. The penalty forbids, or lasts, or is not needed.


def chosen_is_forbidden(scores: Sequence[float], chosen: Ids, penalty: float) -> tuple[float, ...]:
    """Forbid what was chosen: then a later group has to write worse, however much better it is.

    >>> chosen_is_forbidden([-1, -9], [0], penalty=2)
    (-inf, -9)
    """
    return tuple(-inf if id in chosen else score for id, score in enumerate(scores))


def penalty_left_out(scores: Sequence[float], chosen: Ids, penalty: float) -> tuple[float, ...]:
    """Believe that groups differ by themselves; they see the same scores, and choose the same."""
    return tuple(scores)


def earlier_steps_too(scores: Sequence[float], chosen_by_step: Sequence[Ids], penalty: float) -> tuple[float, ...]:
    """Lower what was chosen at any step so far; the last is this one.

    >>> earlier_steps_too([-1, -2], [[0], [1]], penalty=2)
    (-3, -4)
    """
    return lowered(scores, [id for chosen in chosen_by_step for id in chosen], penalty)


# 85. The best scores are kept, or the fullest bank is.


def best_scores_first(banks: Sequence[int], scores: Sequence[float]) -> tuple[int, ...]:
    """Keep the best by score alone, so that those who have come far with what is demanded are lost.

    >>> best_scores_first([0, 3, 0, 3], [-1, -5, -2, -4])
    (0, 2, 3, 1)
    """
    return tuple(sorted(range(len(scores)), key=lambda candidate: -scores[candidate]))


def fullest_bank_first(banks: Sequence[int], scores: Sequence[float]) -> tuple[int, ...]:
    """Empty the fullest bank before any other sends one, so that the beams are soon all alike.

    >>> fullest_bank_first([0, 3, 0, 3], [-1, -5, -2, -4])
    (3, 1, 0, 2)
    """
    return tuple(sorted(range(len(scores)), key=lambda candidate: (-banks[candidate], -scores[candidate])))


def finished_part_alone(lengths: Sequence[int], done: Sequence[int]) -> int:
    """Count the tokens that are there, as one would expect; the library counts what is left of what is begun.

    >>> finished_part_alone([3, 2], [0, 1])
    1
    """
    complete = sum(there == length for there, length in zip(done, lengths, strict=True))
    return complete * max(lengths) + sum(there for there, length in zip(done, lengths, strict=True) if there < length)


MISCONCEPTIONS = [
    Misconception(
        49,
        "a word is one list of tokens",
        "A word is a text, and a token is not: with a blank in front and without, whole and in parts, each spelling is "
        "a list of its own.",
        (one_spelling_only,),
    ),
    Misconception(
        82,
        "a bad word is forbidden token by token",
        "A bad word is forbidden at its last token, where all others stand right before it; one of a single token "
        "always.",
        (forbid_every_token, forbid_first_token, forbid_last_token),
    ),
    Misconception(
        83,
        "the token that breaks a phrase may begin it",
        "A token goes on with the phrase, or the phrase begins anew with the next token; the one that breaks it is not "
        "tried again, and a phrase that is whole stays whole.",
        (broken_token_tried_again, nothing_breaks, phrase_at_the_end),
    ),
    Misconception(
        84,
        "who was chosen is lowered once",
        "For each beam of an earlier group that has chosen a token at this step the penalty is subtracted once more.",
        (lowered_once, lowered_by_division),
    ),
    Misconception(
        85,
        "the best scores are kept, or the fullest bank",
        "Banks take turns: in each round every bank, the fullest first, sends its best; a bank counts what is left of "
        "the constraint that is begun.",
        (best_scores_first, fullest_bank_first, finished_part_alone),
    ),
    Misconception(
        88,
        "the penalty forbids, or lasts, or is not needed",
        "What earlier groups have chosen at this very step is lowered by the penalty, and may be chosen all the same; "
        "the next step begins without it.",
        (chosen_is_forbidden, penalty_left_out, earlier_steps_too),
    ),
]
