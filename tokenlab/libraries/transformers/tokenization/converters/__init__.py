"""Converters from a slow tokenizer to the pipeline of a fast one."""
