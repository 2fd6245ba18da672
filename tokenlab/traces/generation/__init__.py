"""Stepwise functions that lessons use to show generation; `model` is in eval mode, `tokenizer` is the model's."""
