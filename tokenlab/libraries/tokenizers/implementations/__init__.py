"""Ready-made tokenizers: the parts of well-known models, with their options.

Differences from tokenizers 0.23.3: `SentencePieceUnigramTokenizer.from_spm` needs sentencepiece instead of a
sentencepiece_model_pb2.py in the working directory. Lists of default arguments are tuples here.
"""

from tokenlab.libraries.tokenizers.implementations.base_tokenizer import BaseTokenizer
from tokenlab.libraries.tokenizers.implementations.bpe_and_wordpiece import (
    BertWordPieceTokenizer,
    ByteLevelBPETokenizer,
    CharBPETokenizer,
)
from tokenlab.libraries.tokenizers.implementations.sentencepiece import (
    SentencePieceBPETokenizer,
    SentencePieceUnigramTokenizer,
)

__all__ = [
    "BaseTokenizer",
    "BertWordPieceTokenizer",
    "ByteLevelBPETokenizer",
    "CharBPETokenizer",
    "SentencePieceBPETokenizer",
    "SentencePieceUnigramTokenizer",
]
