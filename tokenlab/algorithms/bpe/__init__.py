"""Byte-pair encoding: training, encoding and tie-breaking."""
