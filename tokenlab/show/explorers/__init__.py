"""Explorers: players with controls for their text and settings.

The arguments of an explorer are the initial values of its controls, named as the arguments of the function that it
records; the other ones are explained there. `model` is a T5 in eval mode (otherwise dropout is active), `tokenizer` its
tokenizer, and `max_length` the maximum number of ids of an output, including the decoder start token.
"""
