"""The class of assignment 2, a dozen: a wrong program for each task in one sheet, other styles, and a few accidents.

Tasks do not disturb each other, so that one sheet shows six wrong programs. What befalls a notebook itself is seen in
the class of assignment 1.
"""

from __future__ import annotations

from collections.abc import Iterator

from notebooks.assignments.assignment import Assignment
from notebooks.assignments.submissions import Sheet, Submission, answered, of_another, one_of_each


def submissions(assignment: Assignment) -> Iterator[Submission]:
    """The class."""
    yield from one_of_each(assignment)
    yield answered("lets libraries do it", _borrow, *assignment.cells_of(*BORROWED))
    yield of_another(assignment)


def _borrow(sheet: Sheet) -> None:
    for task, source in BORROWED.items():
        sheet.write(task, source.strip())


BORROWED = {
    "average_counts": """
from math import log
from tokenlab.algorithms.unigram.forward_backward import forward_backward

def average_counts(word, probabilities, alpha):
    return forward_backward(word, {piece: alpha * log(p) for piece, p in probabilities.items()}).expected""",
    "score_merges": """
def score_merges(word_counts, number):
    from tokenizers import Tokenizer, models, trainers

    tokenizer = Tokenizer(models.WordPiece())
    tokenizer.train_from_iterator(word_counts, trainers.WordPieceTrainer(vocab_size=99))
    return list(tokenizer.get_vocab())[:number]""",
    "best_cut": """
import sentencepiece

def best_cut(text, log_probs, fee):
    return 0, sentencepiece.SentencePieceProcessor().encode(text, out_type=str)""",
}
