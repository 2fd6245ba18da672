"""What lessons 22 and 23 experiment with: a comparison of tokenizers, a museum of errors, and measurements of speed."""
