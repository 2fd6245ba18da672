"""Views of decoding: sampling, beam search, constraints, contrastive search and streaming."""
