"""Batches of documents: labels are the next ids of the same document, and nothing is predicted after it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenlab.algorithms.training_data.document_batch import IGNORED, document_batch

END = 9
DOCUMENTS = st.lists(st.lists(st.integers(0, 8), max_size=6).map(lambda ids: [END, *ids, END]), min_size=1, max_size=3)


@given(DOCUMENTS, st.integers(1, 9))
def test_inputs_and_labels_are_the_document_without_its_last_and_first_id(
    documents: list[list[int]], width: int
) -> None:
    inputs, labels = document_batch(documents, width, END)
    for document, row, label in zip(documents, inputs, labels, strict=True):
        number = min(width, len(document) - 1)
        assert len(row) == len(label) == width
        assert row[:number] == document[:number] and label[:number] == document[1 : number + 1]
        assert row[number:] == [END] * (width - number) and label[number:] == [IGNORED] * (width - number)


def test_no_label_is_of_another_document() -> None:
    _, labels = document_batch([[END, 1, END], [END, 2, END]], 5, END)
    assert 2 not in labels[0] and 1 not in labels[1]


def test_a_document_that_is_too_long_has_a_label_at_each_position() -> None:
    assert document_batch([[END, 1, 2, 3, END]], 2, END) == ([[END, 1]], [[1, 2]])


def test_a_width_below_1_is_an_error() -> None:
    with pytest.raises(ValueError, match=re.escape("width=0 is too small; give 1 or more")):
        document_batch([], 0, END)
