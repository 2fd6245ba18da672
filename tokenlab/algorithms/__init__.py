"""The algorithms, one idea a file: no widgets, no library's API, no model files."""
