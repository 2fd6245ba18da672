"""tensor2tensor under its own names: replace `tensor2tensor.data_generators` by `tokenlab.libraries.tensor2tensor`.

The reference is tensor2tensor 1.15.7, its last release. Import the modules one by one, as in the library; each lists
its differences: `tokenizer` (the tokens of a text), `text_encoder` (subtokens and ids), and for training data
`generator_utils` (samples of lines, vocabularies, shards, packing), `problem`, `text_problems`, `translate` and
`translate_enzh`. The library's tests of TensorFlow datasets and of the packing in TensorFlow have no counterpart here.
"""
