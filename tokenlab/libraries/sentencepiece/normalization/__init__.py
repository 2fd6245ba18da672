"""Normalization in SentencePiece: rule files, compiled character maps and the normalizer."""
