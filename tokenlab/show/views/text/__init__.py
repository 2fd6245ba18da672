"""Views of normalization, pre-tokenization and levels of representation."""
