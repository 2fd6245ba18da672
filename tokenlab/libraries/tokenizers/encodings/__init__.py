"""The result of encoding a text: its columns, when they are computed, truncation and padding."""
