"""Eight common misconceptions about span corruption, each with one or more programs that implement it.

>>> tokens, mask, sentinels = ["a", "b", "c", "d"], [False, True, True, False], ["X", "Y"]
>>> sentinel_per_token(tokens, mask, sentinels, "</s>")[0], one_sentinel_for_all(tokens, mask, sentinels, "</s>")[1]
(('a', 'X', 'Y', 'd', '</s>'), ('X', 'b', 'c', 'X', '</s>'))
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from tokenlab.algorithms.training_data.span_corruption import EOS, SENTINELS, Mask, Pair, Token, corrupt
from tokenlab.misconceptions.misconception import Misconception


def mask_each_token(length: int, random: Random, noise_density: float = 0.15) -> Mask:
    """Mask each token independently, as the baseline in T5's paper does (`iid_noise_mask` in its code)."""
    return tuple(random.random() < noise_density for _ in range(length))


def draw_lengths_from_left(items: int, segments: int, random: Random) -> tuple[int, ...]:
    """Draw the first length uniformly from all that leave room, then the next; the first spans become too long.

    >>> draw_lengths_from_left(5, 1, Random(0))
    (5,)
    """
    lengths: list[int] = []
    for following in range(segments - 1, 0, -1):
        lengths.append(random.randint(1, items - sum(lengths) - following))
    return (*lengths, items - sum(lengths))


def one_sentinel_for_all(
    tokens: Sequence[Token], mask: Sequence[bool], sentinels: Sequence[Token] = SENTINELS, eos: Token = EOS
) -> Pair:
    """Replace every span by the first sentinel, as BERT uses [MASK]."""
    return corrupt(tokens, mask, [sentinels[0]] * len(sentinels), eos)


def sentinels_count_up(
    tokens: Sequence[Token], mask: Sequence[bool], sentinels: Sequence[Token] = SENTINELS, eos: Token = EOS
) -> Pair:
    """Use the lowest id for the first span."""
    return corrupt(tokens, mask, sentinels[::-1], eos)


def sentinel_per_token(
    tokens: Sequence[Token], mask: Sequence[bool], sentinels: Sequence[Token] = SENTINELS, eos: Token = EOS
) -> Pair:
    """Replace every noise token by the next sentinel, so that the input reveals the length of a span."""
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


def always_final_sentinel(
    tokens: Sequence[Token], mask: Sequence[bool], sentinels: Sequence[Token] = SENTINELS, eos: Token = EOS
) -> Pair:
    """Append one more sentinel to the target, even if no kept token follows the last span."""
    inputs, targets = corrupt(tokens, mask, sentinels, eos)
    used = sum(token in sentinels for token in targets)
    return inputs, (*targets[:-1], sentinels[used], eos) if mask and mask[-1] else targets


def never_final_sentinel(
    tokens: Sequence[Token], mask: Sequence[bool], sentinels: Sequence[Token] = SENTINELS, eos: Token = EOS
) -> Pair:
    """Write a sentinel only before a span, even if kept tokens follow the last one."""
    inputs, targets = corrupt(tokens, mask, sentinels, eos)
    return inputs, (*targets[:-2], eos) if mask and not mask[-1] else targets


def no_eos_in_target(
    tokens: Sequence[Token], mask: Sequence[bool], sentinels: Sequence[Token] = SENTINELS, eos: Token = EOS
) -> Pair:
    """Omit EOS, so that a model never learns to stop."""
    inputs, targets = corrupt(tokens, mask, sentinels, eos)
    return inputs, targets[:-1]


def whole_text_as_target(
    tokens: Sequence[Token], mask: Sequence[bool], sentinels: Sequence[Token] = SENTINELS, eos: Token = EOS
) -> Pair:
    """Use the whole text as the target, as BART does."""
    return corrupt(tokens, mask, sentinels, eos)[0], (*tokens, eos)


MISCONCEPTIONS = [
    Misconception(
        64,
        "each token is masked independently",
        "The length of the text determines the numbers of noise tokens and of spans. Only the lengths of the spans are "
        "random.",
        (mask_each_token,),
    ),
    Misconception(
        65,
        "drawing one length after the other is uniform",
        "All ways to split the tokens into spans are equally likely, so no position in the text has longer spans.",
        (draw_lengths_from_left,),
    ),
    Misconception(
        66,
        "all spans share one sentinel",
        "Each span has a different sentinel, which shows where in the input its tokens belong.",
        (one_sentinel_for_all,),
    ),
    Misconception(
        67,
        "sentinels count up from the lowest id",
        "The first span gets the highest id, <extra_id_0>, and each further span the next lower id.",
        (sentinels_count_up,),
    ),
    Misconception(
        68,
        "a sentinel replaces each masked token",
        "One sentinel replaces a span of any length. The model also has to predict the length.",
        (sentinel_per_token,),
    ),
    Misconception(
        69,
        "a target always, or never, ends in a sentinel",
        "In the target, a sentinel replaces each kept run, also the last one. So the target ends with a sentinel if "
        "the text ends with kept tokens.",
        (always_final_sentinel, never_final_sentinel),
    ),
    Misconception(
        70,
        "the target ends with the last token",
        "The target ends with </s>, like every text. Without it, a model never learns to stop.",
        (no_eos_in_target,),
    ),
    Misconception(
        71,
        "the target is the whole text",
        "The target contains only the noise tokens, and a sentinel for each kept run.",
        (whole_text_as_target,),
    ),
]
