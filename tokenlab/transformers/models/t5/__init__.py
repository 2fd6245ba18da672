"""T5: configuration, model, tokenizer and the fast incremental decoder."""
