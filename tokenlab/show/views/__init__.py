"""The views, one topic a file; importing this registers them all."""

from tokenlab.show.views import (
    bpe_encoding,
    bpe_training,
    layers,
    packing,
    rows,
    splitting,
    tiktoken,
    training_data,
    unigram_masses,
    unigram_segmenting,
    wordpiece_encoding,
    wordpiece_training,
)
from tokenlab.show.views.sentences import sentences

__all__ = [
    "bpe_encoding",
    "bpe_training",
    "layers",
    "packing",
    "rows",
    "sentences",
    "splitting",
    "tiktoken",
    "training_data",
    "unigram_masses",
    "unigram_segmenting",
    "wordpiece_encoding",
    "wordpiece_training",
]
