"""Stepwise functions that show a T5 at work in lessons; `model` is in eval mode, `tokenizer` is the model's."""
