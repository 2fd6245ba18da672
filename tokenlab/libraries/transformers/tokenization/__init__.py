"""Code that tokenizers share: added tokens, padding, truncation and files."""
