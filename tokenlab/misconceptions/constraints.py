"""Misconceptions about group beam search, bad words and constraints, each with wrong programs that follow from it.

>>> from tokenlab.algorithms.decoding.constraints import constraint_progress
>>> constraint_progress([1, 1, 2], [1, 1, 1, 2]), restart_with_breaking_token([1, 1, 2], [1, 1, 1, 2])
(0, 0)
>>> constraint_progress([1, 2], [1, 1, 2]), restart_with_breaking_token([1, 2], [1, 1, 2])
(0, 2)
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import inf

from tokenlab.algorithms.decoding.constraints import Ids, ends_with
from tokenlab.algorithms.decoding.diversity import apply_diversity_penalty
from tokenlab.algorithms.text.tokenizations import Pieces, tokenizations
from tokenlab.misconceptions.misconception import Misconception


def ban_one_tokenization(word: str, pieces: Collection[str]) -> tuple[Pieces, ...]:
    """Forbid only one tokenization: after a space the word has another one.

    >>> ban_one_tokenization("London", ["London", "▁London", "Lon", "don"])
    (('London',),)
    """
    return tokenizations(word, pieces)[:1]


def ban_every_token(written: Ids, bad_words: Sequence[Ids]) -> tuple[int, ...]:
    """Forbid all tokens of a bad word everywhere, which also forbids other words.

    >>> ban_every_token([], [[0, 3]])
    (0, 3)
    """
    return tuple(sorted({id for word in bad_words for id in word}))


def ban_first_token(written: Ids, bad_words: Sequence[Ids]) -> tuple[int, ...]:
    """Forbid the first token of each bad word."""
    return tuple(sorted({word[0] for word in bad_words}))


def ban_last_token(written: Ids, bad_words: Sequence[Ids]) -> tuple[int, ...]:
    """Forbid the last token of each bad word, regardless of the tokens before it."""
    return tuple(sorted({word[-1] for word in bad_words}))


def restart_with_breaking_token(phrase: Ids, tokens: Ids) -> int:
    """Let the token that interrupts a phrase start it again; this would be better, but the library does not do it."""
    done = 0
    for token in tokens:
        if done < len(phrase):
            done = done + 1 if token == phrase[done] else int(token == phrase[0])
    return done


def ignore_interruptions(phrase: Ids, tokens: Ids) -> int:
    """Allow other tokens between those of a phrase.

    >>> ignore_interruptions([1, 2], [1, 7, 7, 2])
    2
    """
    done = 0
    for token in tokens:
        done += done < len(phrase) and token == phrase[done]
    return done


def progress_from_suffix(phrase: Ids, tokens: Ids) -> int:
    """Match the phrase at the end of the text: a completed one is forgotten after the next token.

    >>> progress_from_suffix([1, 2], [1, 2, 7])
    0
    """
    return max(length for length in range(len(phrase) + 1) if ends_with(tokens, phrase[:length]))


def penalize_once(scores: Sequence[float], chosen: Ids, penalty: float) -> tuple[float, ...]:
    """Subtract the penalty once, regardless of the number of beams with that token.

    >>> penalize_once([3, 2], [0, 0], penalty=1)
    (2, 2)
    """
    return apply_diversity_penalty(scores, {*chosen}, penalty)  # type: ignore[arg-type]


def penalize_by_division(scores: Sequence[float], chosen: Ids, penalty: float) -> tuple[float, ...]:
    """Divide as the repetition penalty does; scores are negative, so this raises the scores of chosen tokens.

    >>> penalize_by_division([-3, -2], [0], penalty=2)
    (-1.5, -2)
    """
    return tuple(score / penalty if id in chosen else score for id, score in enumerate(scores))


def ban_previous_tokens(scores: Sequence[float], chosen: Ids, penalty: float) -> tuple[float, ...]:
    """Forbid chosen tokens, so a later group needs another token even if it is much worse.

    >>> ban_previous_tokens([-1, -9], [0], penalty=2)
    (-inf, -9)
    """
    return tuple(-inf if id in chosen else score for id, score in enumerate(scores))


def no_diversity_penalty(scores: Sequence[float], chosen: Ids, penalty: float) -> tuple[float, ...]:
    """Apply no penalty: groups have the same scores, and make the same choices."""
    return tuple(scores)


def penalize_all_steps(scores: Sequence[float], chosen_by_step: Sequence[Ids], penalty: float) -> tuple[float, ...]:
    """Penalize the choices of all steps so far; the last one is the current step.

    >>> penalize_all_steps([-1, -2], [[0], [1]], penalty=2)
    (-3, -4)
    """
    return apply_diversity_penalty(scores, [id for chosen in chosen_by_step for id in chosen], penalty)


def rank_by_score_only(banks: Sequence[int], scores: Sequence[float]) -> tuple[int, ...]:
    """Select by score alone, which loses the candidates with progress on the constraints.

    >>> rank_by_score_only([0, 3, 0, 3], [-1, -5, -2, -4])
    (0, 2, 3, 1)
    """
    return tuple(sorted(range(len(scores)), key=lambda candidate: -scores[candidate]))


def fullest_bank_first(banks: Sequence[int], scores: Sequence[float]) -> tuple[int, ...]:
    """Select all candidates of the highest bank first, so the beams soon become similar.

    >>> fullest_bank_first([0, 3, 0, 3], [-1, -5, -2, -4])
    (3, 1, 0, 2)
    """
    return tuple(sorted(range(len(scores)), key=lambda candidate: (-banks[candidate], -scores[candidate])))


def count_generated_tokens(lengths: Sequence[int], done: Sequence[int]) -> int:
    """Count matched tokens; the library counts missing tokens instead.

    >>> count_generated_tokens([3, 2], [0, 1])
    1
    """
    complete = sum(matched == length for matched, length in zip(done, lengths, strict=True))
    return complete * max(lengths) + sum(
        matched for matched, length in zip(done, lengths, strict=True) if matched < length
    )


MISCONCEPTIONS = [
    Misconception(
        49,
        "a word is one list of tokens",
        "A word has several tokenizations: with and without a space before it, as one token or as several tokens. Each "
        "tokenization is a separate list of ids.",
        (ban_one_tokenization,),
    ),
    Misconception(
        82,
        "a bad word is forbidden token by token",
        "The last token of a bad word is forbidden if all other tokens of the word come directly before it. A word of "
        "a single token is always forbidden.",
        (ban_every_token, ban_first_token, ban_last_token),
    ),
    Misconception(
        83,
        "the token that interrupts a phrase may start it",
        "A token continues the phrase or interrupts it. After an interruption, the next token is compared with the "
        "first token of the phrase. The library does not try the interrupting token again. A completed phrase stays "
        "completed.",
        (restart_with_breaking_token, ignore_interruptions, progress_from_suffix),
    ),
    Misconception(
        84,
        "a chosen token is penalized once",
        "The penalty of a token is subtracted once for each beam of an earlier group that has chosen this token at "
        "this step.",
        (penalize_once, penalize_by_division),
    ),
    Misconception(
        85,
        "the highest scores continue, or the highest bank",
        "The banks take turns. In each round, every bank selects its best remaining candidate, and the highest bank "
        "selects first. A constraint in progress counts the length of the longest constraint minus its missing tokens.",
        (rank_by_score_only, fullest_bank_first, count_generated_tokens),
    ),
    Misconception(
        88,
        "the penalty forbids tokens, or lasts, or is not needed",
        "The penalty is subtracted from tokens that earlier groups have chosen at the same step. A later group may "
        "still choose these tokens. At the next step, no token has a penalty yet.",
        (ban_previous_tokens, no_diversity_penalty, penalize_all_steps),
    ),
]
