"""Eight beliefs about span corruption that are wrong, each as a program that somebody has written.

>>> tokens, mask, sentinels = ["a", "b", "c", "d"], [False, True, True, False], ["X", "Y"]
>>> sentinel_per_token(tokens, mask, sentinels, "</s>")[0], one_sentinel_for_all(tokens, mask, sentinels, "</s>")[1]
(('a', 'X', 'Y', 'd', '</s>'), ('X', 'b', 'c', 'X', '</s>'))
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from tokenlab.algorithms.span_corruption import EOS, SENTINELS, Mask, Pair, Token, corrupt
from tokenlab.misconceptions.bpe import Misconception

# 64. Each token is masked with a chance of its own.


def mask_each_token(length: int, random: Random, noise_density: float = 0.15) -> Mask:
    """Throw a coin for each token, as T5's paper does at first (its code's `iid_noise_mask`)."""
    return tuple(random.random() < noise_density for _ in range(length))


# 65. All ways to cut are alike if each length is drawn alike.


def cut_from_the_left(items: int, segments: int, random: Random) -> tuple[int, ...]:
    """Draw the first length from all that leave room, then the next; the first spans become too long.

    >>> cut_from_the_left(5, 1, Random(0))
    (5,)
    """
    lengths: list[int] = []
    for following in range(segments - 1, 0, -1):
        lengths.append(random.randint(1, items - sum(lengths) - following))
    return (*lengths, items - sum(lengths))


# 66. One sentinel does for all spans.


def one_sentinel_for_all(
    tokens: Sequence[Token], mask: Sequence[bool], sentinels: Sequence[Token] = SENTINELS, eos: Token = EOS
) -> Pair:
    """Put the first sentinel everywhere, as a [MASK] is."""
    return corrupt(tokens, mask, [sentinels[0]] * len(sentinels), eos)


# 67. Sentinels count up.


def sentinels_count_up(
    tokens: Sequence[Token], mask: Sequence[bool], sentinels: Sequence[Token] = SENTINELS, eos: Token = EOS
) -> Pair:
    """Begin with the lowest id."""
    return corrupt(tokens, mask, sentinels[::-1], eos)


# 68. Each token that is taken out leaves a sentinel.


def sentinel_per_token(
    tokens: Sequence[Token], mask: Sequence[bool], sentinels: Sequence[Token] = SENTINELS, eos: Token = EOS
) -> Pair:
    """Put the next sentinel for every noise token, so that the input tells how long a span is."""
    unused = iter(sentinels)
    inputs: list[Token] = []
    targets: list[Token] = []
    for token, noisy in zip(tokens, mask, strict=True):
        if noisy:
            inputs.append(next(unused))
            targets += [inputs[-1], token]
        else:
            inputs.append(token)
    return (*inputs, eos), (*targets, eos)


# 69. A target always ends in a sentinel, as in the paper's figure.


def always_final_sentinel(
    tokens: Sequence[Token], mask: Sequence[bool], sentinels: Sequence[Token] = SENTINELS, eos: Token = EOS
) -> Pair:
    """Put one more sentinel into the target, even if no kept token follows the last span."""
    inputs, targets = corrupt(tokens, mask, sentinels, eos)
    used = sum(token in sentinels for token in targets)
    return inputs, (*targets[:-1], sentinels[used], eos) if mask and mask[-1] else targets


def never_final_sentinel(
    tokens: Sequence[Token], mask: Sequence[bool], sentinels: Sequence[Token] = SENTINELS, eos: Token = EOS
) -> Pair:
    """Put a sentinel only before a span, even if kept tokens follow the last one."""
    inputs, targets = corrupt(tokens, mask, sentinels, eos)
    return inputs, (*targets[:-2], eos) if mask and not mask[-1] else targets


# 70. The target ends with the last token.


def no_eos_in_target(
    tokens: Sequence[Token], mask: Sequence[bool], sentinels: Sequence[Token] = SENTINELS, eos: Token = EOS
) -> Pair:
    """Leave the end away, so that a model never learns to stop."""
    inputs, targets = corrupt(tokens, mask, sentinels, eos)
    return inputs, targets[:-1]


# 71. The target is the whole text.


def whole_text_as_target(
    tokens: Sequence[Token], mask: Sequence[bool], sentinels: Sequence[Token] = SENTINELS, eos: Token = EOS
) -> Pair:
    """Ask for everything again, as BART does."""
    return corrupt(tokens, mask, sentinels, eos)[0], (*tokens, eos)


MISCONCEPTIONS = [
    Misconception(
        64,
        "each token is masked with a chance of its own",
        "How many tokens are noise, and in how many spans, is fixed by the length; chance decides where they are cut.",
        (mask_each_token,),
    ),
    Misconception(
        65,
        "lengths drawn one after the other are fair",
        "All ways to cut the tokens into spans are equally likely, so no place in the text has longer spans.",
        (cut_from_the_left,),
    ),
    Misconception(
        66,
        "one sentinel does for all spans",
        "Each span has a sentinel of its own, which says where in the input its tokens belong.",
        (one_sentinel_for_all,),
    ),
    Misconception(
        67,
        "sentinels count up from the lowest id",
        "The first span gets the top id, <extra_id_0>, and each further span the id below.",
        (sentinels_count_up,),
    ),
    Misconception(
        68,
        "each masked token leaves a sentinel",
        "A span of any length leaves one sentinel; how long it was is part of what the model has to find.",
        (sentinel_per_token,),
    ),
    Misconception(
        69,
        "whether a target ends in a sentinel is always the same",
        "Each run of kept tokens is a sentinel in the target, the last run too: there is one where the text ends kept.",
        (always_final_sentinel, never_final_sentinel),
    ),
    Misconception(
        70,
        "the target ends with the last token",
        "The target ends in </s>, as every text does; without it a model never learns to stop.",
        (no_eos_in_target,),
    ),
    Misconception(
        71,
        "the target is the whole text",
        "The target has only what the input lacks: the noise tokens, and a sentinel for each run that was kept.",
        (whole_text_as_target,),
    ),
]
