"""Calls of slow and fast tokenizers, recorded for lessons."""
