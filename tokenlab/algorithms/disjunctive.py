"""One of several phrases has to come: which tokens go on with one of them.

Adds: phrases that begin alike are followed together, until a token decides. Leaves out: several constraints at once,
and beams (`tokenlab.transformers.generation`).
Source: transformers 4.26.1, generation/beam_constraints.py, DisjunctiveTrie.
"""

from __future__ import annotations

from collections.abc import Sequence

Ids = Sequence[int]


def next_tokens(phrases: Sequence[Ids], begun: Ids) -> tuple[int, ...]:
    """The ids that go on with a phrase, in order; none where a phrase is whole, or begun is no beginning of any.

    Args:
        phrases: of which one has to come; none is the beginning of another.
        begun: the ids that have come of it so far.

    >>> phrases = [[1, 2, 5], [1, 3], [4]]
    >>> next_tokens(phrases, []), next_tokens(phrases, [1]), next_tokens(phrases, [1, 3])
    ((1, 4), (2, 3), ())
    """
    length = len(begun)
    return tuple(sorted({p[length] for p in phrases if len(p) > length and list(p[:length]) == list(begun)}))
