"""Views of calls of slow and fast tokenizers: both sides, and the converter between them."""
