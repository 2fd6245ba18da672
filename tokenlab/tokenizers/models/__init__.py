"""The models of the pipeline: BPE, Unigram, WordPiece and WordLevel, which split pre-tokens into tokens."""

from tokenlab.tokenizers.models.bpe import BPE
from tokenlab.tokenizers.models.model import Model
from tokenlab.tokenizers.models.word_level import WordLevel

__all__ = ["BPE", "Model", "WordLevel"]
