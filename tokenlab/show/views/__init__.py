"""The views, one topic a file; importing this registers them all."""

from tokenlab.show.views import bpe_encoding, bpe_training, layers, rows, splitting, tiktoken
from tokenlab.show.views.sentences import sentences

__all__ = ["bpe_encoding", "bpe_training", "layers", "rows", "sentences", "splitting", "tiktoken"]
