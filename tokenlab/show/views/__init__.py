"""The views, one topic a file; importing this registers them all."""

from tokenlab.show.views import bpe_training, three_ways
from tokenlab.show.views.sentences import sentences

__all__ = ["bpe_training", "sentences", "three_ways"]
