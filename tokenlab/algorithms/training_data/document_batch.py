"""A batch of documents for a language model: each row is one document, so no token is predicted from another document.

Adds: inputs, labels that are shifted by one position, padding, and labels that the loss ignores.
Leaves out: several documents in a row, with a mask between them (`pack.py`).
Source: torch.nn.functional.cross_entropy, whose `ignore_index` is -100; Radford et al. 2019, section 2, for documents
that are separated by one token.

>>> inputs, labels = document_batch([[9, 5, 6, 9], [9, 7, 9]], width=4, end=9)
>>> inputs
[[9, 5, 6, 9], [9, 7, 9, 9]]
>>> labels
[[5, 6, 9, -100], [7, 9, -100, -100]]
"""

from __future__ import annotations

from collections.abc import Sequence

from tokenlab.printing.errors import check_integer

IGNORED = -100


def document_batch(documents: Sequence[Sequence[int]], width: int, end: int) -> tuple[list[list[int]], list[list[int]]]:
    """Return the inputs and the labels of a batch, a row of `width` numbers for each document.

    The label of a position is the next id of the document. A longer document is truncated. After its last id, and in
    the rest of the row, nothing is predicted.

    Args:
        documents: the ids of each document, with the end of the one before in front, and its own end.
        width: the number of positions of a row.
        end: the id that fills the inputs of a row.

    Raises:
        ValueError: width is below 1.
    """
    check_integer("width", width, at_least=1)
    inputs = [_filled(document[:width], width, end) for document in documents]
    labels = [_filled(document[1 : width + 1], width, IGNORED) for document in documents]
    return inputs, labels


def _filled(ids: Sequence[int], width: int, filler: int) -> list[int]:
    return [*ids, *[filler] * (width - len(ids))]
