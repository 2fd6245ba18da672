"""The Unigram language model: lattices, segmentation, sampling and training."""
