"""Constraints and the scorer of constrained beam search."""
