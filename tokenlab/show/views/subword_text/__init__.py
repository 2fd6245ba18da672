"""Views of SubwordTextEncoder."""
