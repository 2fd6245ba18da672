"""The files of a tokenizer: reading, building a tokenizer from them, and saving."""
