"""Trainers: from a corpus to the vocabulary of a model."""

from tokenlab.tokenizers.trainers.bpe_trainer import BpeTrainer
from tokenlab.tokenizers.trainers.trainer import Trainer
from tokenlab.tokenizers.trainers.unigram_trainer import UnigramTrainer
from tokenlab.tokenizers.trainers.word_level_trainer import WordLevelTrainer
from tokenlab.tokenizers.trainers.word_piece_trainer import WordPieceTrainer

__all__ = ["BpeTrainer", "Trainer", "UnigramTrainer", "WordLevelTrainer", "WordPieceTrainer"]
