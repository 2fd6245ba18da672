"""Helpers that belong to no model."""
