"""Views of the tokenizer pipeline: its stages, offsets, special tokens, windows and padding."""
