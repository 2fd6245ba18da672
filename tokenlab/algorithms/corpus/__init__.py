"""Corpora larger than a list of texts: files of several formats, read and counted in chunks by the user's executor."""
