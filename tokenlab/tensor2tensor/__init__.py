"""tensor2tensor under its own names: swap `from tensor2tensor.data_generators` for `from tokenlab.tensor2tensor`.

The reference is tensor2tensor 1.15.7, its last release. The modules are imported one by one, as the library's are, and
each says what differs: `tokenizer` (a text's tokens), `text_encoder` (subtokens and ids); and for training data
`generator_utils` (samples of lines, vocabularies, shards, packing), `problem`, `text_problems`, `translate` and
`translate_enzh`.
"""
