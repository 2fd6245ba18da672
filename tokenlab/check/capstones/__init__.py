"""Checks of the capstones, in which learners build a whole tokenizer or model step by step."""
