"""Decoding: temperature, filters, penalties, beam search, constraints, contrastive search and streaming."""
