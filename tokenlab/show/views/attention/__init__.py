"""Views of T5: attention, position buckets, shapes, the KV cache and the loss."""
