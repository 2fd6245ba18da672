"""Text before tokenization: normalization, splitting into pre-tokens, alignment, bytes and tries."""
