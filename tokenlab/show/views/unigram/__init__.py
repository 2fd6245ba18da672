"""Views of Unigram segmentation and training."""
