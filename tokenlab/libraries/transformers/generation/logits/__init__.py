"""Logits processors and warpers, one family per file."""
