"""The seven families by name, and trained tokenizers, which stay in memory.

>>> [*FAMILIES]
['BPE', 'byte-level BPE', 'WordPiece', 'Unigram', 'SentencePiece BPE', 'SubwordTextEncoder', 'bytes']
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path

from tokenlab import data
from tokenlab.laboratory.comparison.bpe_families import ByteLevelBpe, CharacterBpe
from tokenlab.laboratory.comparison.byte_family import Bytes
from tokenlab.laboratory.comparison.sentencepiece_families import SentencePiece
from tokenlab.laboratory.comparison.subword_text_family import SubwordText
from tokenlab.laboratory.comparison.trained_tokenizer import TrainedTokenizer
from tokenlab.laboratory.comparison.wordpiece_family import WordPiece
from tokenlab.printing.errors import check_integer, lookup
from tokenlab.storage import files

FAMILIES: dict[str, Callable[[str, int], TrainedTokenizer]] = {
    "BPE": CharacterBpe,
    "byte-level BPE": ByteLevelBpe,
    "WordPiece": WordPiece,
    "Unigram": partial(SentencePiece, model_type="unigram"),
    "SentencePiece BPE": partial(SentencePiece, model_type="bpe"),
    "SubwordTextEncoder": SubwordText,
    "bytes": Bytes,
}


def train(family: str, corpus: str, vocab_size: int) -> TrainedTokenizer:
    """Return a tokenizer of a family, trained on a corpus; the same call returns the same object.

    Args:
        family: a name of `FAMILIES`.
        corpus: the training text.
        vocab_size: the number of entries. `bytes` always has 256, and byte-level BPE has at least 256.

    Raises:
        ValueError: an unknown family, a corpus without words, or a vocabulary smaller than the alphabet of the corpus.

    >>> train("bytes", "hug", 1) is train("bytes", "hug", 1)
    True
    """
    lookup("family", family, FAMILIES)
    check_integer("vocab_size", vocab_size, at_least=1)
    if not corpus.split():
        raise ValueError("corpus has no word; give a text with at least one word")
    return _train(family, corpus, vocab_size)


@lru_cache(maxsize=64)
def _train(family: str, corpus: str, vocab_size: int) -> TrainedTokenizer:
    try:
        return FAMILIES[family](corpus, vocab_size)
    except RuntimeError as error:  # sentencepiece's
        raise ValueError(f"{family}: {error}") from None


def train_all(corpus: str, vocab_size: int) -> dict[str, TrainedTokenizer]:
    """Return a trained tokenizer of each family; arguments and errors as in `train`.

    >>> len(train_all("hug hugs hug hugs", 40))
    7
    """
    return {family: train(family, corpus, vocab_size) for family in FAMILIES}


def read_corpus(corpus: str | Path, *more: str | Path) -> str:
    """Return the text of corpora: names of shipped corpora, such as "english", or paths of UTF-8 files.

    Raises:
        FileNotFoundError, PermissionError: a file cannot be read.
        ValueError: a file is not UTF-8.

    >>> read_corpus("english") == data.text("english")
    True
    """
    shipped = {file.stem for file in data.FOLDER.glob("*.txt")}
    return "\n".join(
        data.text(str(one)) if str(one) in shipped else files.read_text(Path(one)) for one in (corpus, *more)
    )
