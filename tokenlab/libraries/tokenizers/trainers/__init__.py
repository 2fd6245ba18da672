"""Trainers: from a corpus to the vocabulary of a model.

Differences from tokenizers 0.23.3:

- Where a hash map orders things in the library, results there change from run to run. Here words have the order in
  which they occur, and characters that of their code points. This concerns: ids of characters with a prefix or suffix
  (and with them ties in WordPiece), equal entries in the queue of BPE, equally frequent characters at
  `limit_alphabet`, the characters that Unigram training lost (0.0001 apart), and the order of pieces with equal scores.
- Unigram: scores agree within rounding (1e-10), which orders pieces with nearly equal scores. Rounding also decides
  between equally good segmentations: on a CPU with AVX-512, numpy's `exp` sometimes differs from the C library's in the
  last bit, and then another piece may stay. This happens in about 1 of 10,000 random tiny corpora.
- `limit_alphabet`, `continuing_subword_prefix` and `end_of_word_suffix` may be None in the constructors, not only as
  properties: None is the default that the library documents.
- `ParityBpeTrainer` refuses a `ratio` of bytes, which the library takes as a list of numbers.
- Progress bars need a terminal, and no empty lines are printed on stdout after them.
- Errors instead of a panic or a loop without end: Unigram training on text with "<UNK>", or with a shrinking factor
  that never reaches the size; ParityBpeTrainer with a ratio for a language without words.
"""

from tokenlab.libraries.tokenizers.trainers.model_trainers import (
    BpeTrainer,
    UnigramTrainer,
    WordLevelTrainer,
    WordPieceTrainer,
)
from tokenlab.libraries.tokenizers.trainers.parity_bpe_trainer import ParityBpeTrainer
from tokenlab.libraries.tokenizers.trainers.trainer import Trainer

__all__ = [
    "BpeTrainer", "ParityBpeTrainer", "Trainer", "UnigramTrainer", "WordLevelTrainer", "WordPieceTrainer",
]  # fmt: skip
