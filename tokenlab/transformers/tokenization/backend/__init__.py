"""The pipeline of a fast tokenizer: `tokenlab.tokenizers` with the behaviour of tokenizers 0.13.3."""
