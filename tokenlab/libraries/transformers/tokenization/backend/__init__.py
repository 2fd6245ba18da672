"""The pipeline of a fast tokenizer: `tokenlab.libraries.tokenizers` with the behaviour of tokenizers 0.13.3."""
