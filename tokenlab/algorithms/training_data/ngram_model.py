"""An n-gram language model: the next token is predicted from the few tokens before it.

Adds: counts of each token after each context, and Witten and Bell's interpolation, which mixes the counts of a context
with the probability after a shorter one. The more different tokens have followed a context, the more weight has the
shorter one. The loss of a document, in nats.
Leaves out: contexts that begin in the document before, discounts (Kneser and Ney 1995).
Source: Chen and Goodman 1998, An Empirical Study of Smoothing Techniques for Language Modeling, section 2.4.

>>> counts = count_ngrams([[0, 1, 2, 1, 0]], order=2)
>>> counts[1,]
{2: 1, 0: 1}
>>> [round(probability(id, (1,), counts, vocab_size=3), 3) for id in range(3)]
[0.393, 0.214, 0.393]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from typing import TypeAlias

from tokenlab.printing.errors import check_integer

Context: TypeAlias = tuple[int, ...]
Counts: TypeAlias = Mapping[Context, Mapping[int, int]]


def count_ngrams(documents: Sequence[Sequence[int]], order: int) -> dict[Context, dict[int, int]]:
    """Count the tokens after each context of 0 to `order` - 1 tokens; the first token of a document is never predicted.

    Args:
        documents: the ids of each document; no context begins in one document and ends in another.
        order: the number of tokens of the longest n-gram, with the predicted one.

    Raises:
        ValueError: order is below 1.

    >>> count_ngrams([[0, 1, 2]], order=2)
    {(): {1: 1, 2: 1}, (0,): {1: 1}, (1,): {2: 1}}
    """
    check_integer("order", order, at_least=1)
    counts: dict[Context, dict[int, int]] = {}
    for document in documents:
        for at in range(1, len(document)):
            for length in range(min(order - 1, at) + 1):
                after = counts.setdefault(tuple(document[at - length : at]), {})
                after[document[at]] = after.get(document[at], 0) + 1
    return counts


def probability(id: int, context: Context, counts: Counts, vocab_size: int) -> float:
    """Return the probability of a token after a context.

    With N tokens seen after the context, D of them different, it is (count + D * shorter) / (N + D), where `shorter` is
    the probability after the context without its first token. Below the empty context, all tokens are equal.

    Args:
        id: the token.
        context: the tokens before it, at most as many as were counted.
        counts: the counts of `count_ngrams`.
        vocab_size: the number of different tokens.

    Raises:
        ValueError: vocab_size is below 1.

    >>> probability(7, (), {(): {7: 3}}, vocab_size=10)
    0.775
    """
    check_integer("vocab_size", vocab_size, at_least=1)
    shorter = probability(id, context[1:], counts, vocab_size) if context else 1 / vocab_size
    seen = counts.get(context, {})
    if not seen:
        return shorter
    return (seen.get(id, 0) + len(seen) * shorter) / (sum(seen.values()) + len(seen))


def ngram_nats(document: Sequence[int], counts: Counts, order: int, vocab_size: int) -> float:
    """Return the loss of a document in nats: the sum of -ln p over all its tokens but the first.

    Raises:
        ValueError: order or vocab_size is below 1.

    >>> round(ngram_nats([0, 7], {(): {7: 3}}, order=4, vocab_size=10), 4)
    0.2549
    """
    check_integer("order", order, at_least=1)
    check_integer("vocab_size", vocab_size, at_least=1)
    contexts = [tuple(document[max(0, at - order + 1) : at]) for at in range(1, len(document))]
    return -sum(
        log(probability(id, context, counts, vocab_size)) for id, context in zip(document[1:], contexts, strict=False)
    )
