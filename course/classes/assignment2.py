"""The class of assignment 2: a wrong program for each task in one sheet, other styles, and a few accidents.

The tasks are independent, so one sheet shows 6 wrong programs. The class of assignment 1 has the accidents that
concern a notebook as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator

from course.assignment import Assignment
from course.submissions import Submission, answered, of_another, one_of_each, writing_each


def submissions(assignment: Assignment) -> Iterator[Submission]:
    """Yield the submissions of the class."""
    yield from one_of_each(assignment)
    yield answered("calls libraries", writing_each(BORROWED), *assignment.cells_of(*BORROWED))
    yield of_another(assignment)


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
