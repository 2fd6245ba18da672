"""The libraries under their own names: `from tokenlab.libraries import tiktoken` in place of `import tiktoken`.

tiktoken, tokenizers, sentencepiece, bert (BERT's original tokenization.py), tensor2tensor and transformers 4.26.1. Each
follows its library's names, defaults, results and exceptions, and calls `tokenlab.algorithms` for every rule. The kit
without this folder runs the lessons 00 to 03 and 05 to 07, except for the cells that compare with a library.
"""
