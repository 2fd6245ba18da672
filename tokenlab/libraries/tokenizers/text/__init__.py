"""Texts that remember their originals, and patterns: what normalizers and pre-tokenizers work on."""
