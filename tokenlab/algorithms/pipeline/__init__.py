"""The tokenizer pipeline's rules: split behaviours, added tokens, templates, truncation, padding, offsets."""
