"""Code that models share: masks, input checks, head pruning, resizing and memory hooks."""
